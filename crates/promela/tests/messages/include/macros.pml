/* A macro without its second half. */
#define BROKEN (1 + )

/* A macro in a macro, the inner of which lacks an operand. */
#define HALF 1 /
#define SHARE (HALF)
byte x;

init { x = SHARE }

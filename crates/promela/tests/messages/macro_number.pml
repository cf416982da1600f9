/* The body of a macro is not Promela at all. */
#define MASK 0x0F
byte x;

init { x = MASK }

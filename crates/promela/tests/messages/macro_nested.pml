/* A macro in a macro, the inner of which lacks an operand. */
#define HALF (1 /)
#define SHARE (2 * HALF)
byte x;

init { x = 0; x = SHARE }

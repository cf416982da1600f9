/* The body of a macro lacks its last operand, which is noticed only behind it. */
#define LIMIT 3 +
byte x;

init { x = 0; x = LIMIT; x = 1 }

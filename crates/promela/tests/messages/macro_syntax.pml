/* The body of a macro does not make sense where it is used. */
#define LIMIT (3 + )
byte x;

init { x = 0; x = LIMIT }

/* A macro calls another one with the wrong number of arguments. */
#define ADD(a, b) (a + b)
#define INCREMENT(a) ADD(a)
byte x;

init { x = INCREMENT(x) }

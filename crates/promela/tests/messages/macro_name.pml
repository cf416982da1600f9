/* A name in the body of a macro is not declared where it is used. */
#define STEP counter = counter + 1
byte conter;

init { STEP }

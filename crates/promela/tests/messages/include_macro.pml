/* The macro is defined in one file and used in another. */
#include "include/macros.pml"
byte x;
init { x = 0; x = BROKEN }

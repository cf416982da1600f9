/* The error is in the included file. */
#include "include/half.pml"
init { x = 1 }

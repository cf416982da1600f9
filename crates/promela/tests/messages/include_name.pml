/* The error about a name is in the included file. */
byte x;
#include "include/uses.pml"

/* A name that an included file declares, too. */
#include "include/counter.pml"
byte counter;
init { counter = 1 }

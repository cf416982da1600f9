/* A value is missing at the end of a line; the next line begins with a keyword. */
byte x =
bool y;

init { x = 1 }

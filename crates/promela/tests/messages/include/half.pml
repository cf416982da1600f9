/* Half of a declaration. */
byte x =
bool y;

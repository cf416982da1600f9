/* Half of a declaration. */
byte x = ;

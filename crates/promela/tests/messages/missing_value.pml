/* A value is missing after the `=`. */
byte x = ;

init { x = 1 }

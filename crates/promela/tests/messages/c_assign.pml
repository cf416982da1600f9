/* An operator that Promela does not have. */
byte x;

init {
    x = 1;
    x += 2
}

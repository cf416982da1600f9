/* A `for` as in C. */
byte i;

init {
    i = 0;
    for (i = 0; i < 3; i++) { skip }
}

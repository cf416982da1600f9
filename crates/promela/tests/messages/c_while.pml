/* A `while` as in C. */
byte x;

init {
    x = 3;
    while (x > 0) { x-- }
}

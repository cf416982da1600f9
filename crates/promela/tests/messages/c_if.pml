/* An `if` as in C. */
byte x;

init {
    x = 1;
    if (x > 0) { x = 2 } else { x = 3 }
}

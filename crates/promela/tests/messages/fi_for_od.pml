/* A `do` ends with `fi`. */
byte x;

init {
    x = 3;
    do
    :: x > 0 -> x--
    fi
}

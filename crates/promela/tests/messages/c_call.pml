/* A process type is called like a function. */
byte x;
proctype add(byte a) { x = x + a }

init {
    x = 1;
    add(x)
}

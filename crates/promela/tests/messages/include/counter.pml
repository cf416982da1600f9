/* A counter. */
byte counter;

/* Parameters are separated as in C. */
byte x;
proctype P(byte a, byte b) { x = a + b }

init { run P(1, 2) }

/* A name that is misspelt. */
byte received;
byte sent;

init {
    sent = 1;
    recieved++
}

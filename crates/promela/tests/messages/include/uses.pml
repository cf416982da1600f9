/* Uses a variable that nobody declares. */
active proctype P() { x = limit }

/* The `do` is not closed. */
byte x;
active proctype P()
{
    x = 0;
    do
    :: x < 3 ->
        x++
    :: else -> break
}

active proctype Q() { x = 0 }

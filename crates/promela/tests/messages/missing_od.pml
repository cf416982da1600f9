/* The `do` is not closed. */
byte x;
active proctype P()
{
    do
    :: x < 3 ->
        x++
    :: else -> break
}

active proctype Q() { x = 0 }

/* Errors in several parts of a model, all of the same kind of work: the parser's. */
byte x = ;
byte len;

active proctype P()
{
    x = (1 + 2;
    x = 3 x = 4;
    if
    :: x > 2 -> x = 1
    :: x < 2 ->
    fi
}

active proctype Q()
{
    goto 7;
    x = * 2
}

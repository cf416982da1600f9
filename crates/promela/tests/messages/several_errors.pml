/* Errors in several parts of a model, all of them in the order of its words. */
byte x = ;

active proctype P()
{
    x = (1 + 2;
    x = 3 x = 4;
    if
    :: x > 2 -> x = 1
    ::
    fi
}

active proctype Q()
{
    x = 1;
    goto 7;
    x = * 2
}

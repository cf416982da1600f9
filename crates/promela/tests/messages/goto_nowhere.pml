/* A jump to a label that is misspelt. */
byte x;

active proctype P()
{
again:
    x++;
    goto agian
}

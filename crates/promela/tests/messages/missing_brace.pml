/* A process type is not closed. */
byte x;
active proctype P()
{
    x = 1;

active proctype Q()
{
    x = 2
}

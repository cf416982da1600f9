/* Errors in several parts of a model, all about names. */
chan q = [2] of { byte, byte };
mtype = { ready };
byte a[3];

active proctype P()
{
    byte ready;
    q!1;
    a = 2;
    b = 2;
    run R();
    goto done
}

active proctype Q()
{
    bool flag = 2;
    q?_,c;
    break
}

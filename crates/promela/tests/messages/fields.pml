/* A message with too many fields, far from the declaration of the channel. */
mtype = { request, reply };
chan to_server = [2] of { mtype, byte };
byte answer;

active proctype Client()
{
    to_server!request,7,3
}

active proctype Server()
{
    to_server?request,answer
}

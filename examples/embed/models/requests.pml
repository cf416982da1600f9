/* A client waits for each reply before it sends the next request. */
chan requests = [8] of { byte };
chan replies = [8] of { byte };

active proctype Client() {
    byte id, reply;
    do
    :: requests!id; replies?reply; assert(reply == id); id = 1 - id
    od
}

active proctype Server() {
    byte id;
end:
    do
    :: requests?id; replies!id
    od
}

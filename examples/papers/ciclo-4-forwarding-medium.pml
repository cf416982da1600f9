/*
 * Ciclo, Fig. 4: a medium that hands on whatever it was given.
 *
 * The figure shows the medium only; client and server are added here so that the forwarding matters. An answer `ack`
 * makes the client send one message, an answer `rej` makes it send two, and the server spends as many on each. If the
 * medium could turn an `ack` into a `rej`, every round would gain a message. It cannot: what it sends is what it received.
 */

mtype = { packet, correction, ack, rej };

chan c2s = [2] of { mtype };
chan s2m = [1] of { mtype };
chan m2c = [1] of { mtype };

active proctype Client() {
    if
    :: c2s!packet
    :: c2s!correction; c2s!packet
    fi;
    do
    :: m2c?ack -> c2s!packet
    :: m2c?rej -> c2s!correction; c2s!packet
    od
}

active proctype Server() {
    do
    :: c2s?packet -> s2m!ack
    :: c2s?correction -> c2s?packet; s2m!rej
    od
}

active proctype Medium() {
    mtype what;

    do
    :: s2m?what -> m2c!what
    od
}

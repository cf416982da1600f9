/*
 * A sliding window with go-back-N, over channels that lose messages.
 *
 * The sender may have WINDOW frames on their way before the first of them is acknowledged. Frames are
 * numbered modulo NUMBERS. The receiver takes frames in their order only, and each acknowledgement
 * names the next frame that it waits for, so one acknowledgement may stand for several frames. When
 * nothing moves any more, something was lost, and the sender repeats all that is not acknowledged.
 *
 * The payload counts modulo VALUES; it is there for the assertion only, and the protocol never looks
 * at it.
 *
 * WINDOW + 1 numbers are enough. With fewer, an old frame is taken for a new one:
 * -D NUMBERS=2
 */

#ifndef WINDOW
#define WINDOW  2
#endif
#ifndef NUMBERS
#define NUMBERS (WINDOW + 1)
#endif
#define VALUES  5

mtype = { frame, ack };

chan forward  = [2] of { mtype, byte, byte };   /* number, payload */
chan backward = [2] of { mtype, byte };         /* the number that is awaited */

/* What is sent arrives, or is lost on its way. */
inline transmit_frame(number, value) {
    if
    :: forward!frame(number, value)
    :: skip
    fi
}

inline transmit_ack(number) {
    if
    :: backward!ack(number)
    :: skip
    fi
}

active proctype Sender() {
    byte base;              /* the number of the oldest frame that is not acknowledged */
    byte value;             /* its payload */
    byte sent;              /* frames on their way, from base on */
    byte awaited;           /* what an acknowledgement says */
    byte news;              /* how many frames it stands for */

    do
    :: sent < WINDOW ->
        transmit_frame((base + sent) % NUMBERS, (value + sent) % VALUES);
        sent++
    :: backward?ack(awaited) ->
        news = (awaited + NUMBERS - base) % NUMBERS;
        if
        :: news <= sent ->
            d_step {
                base  = awaited;
                value = (value + news) % VALUES;
                sent  = sent - news;
                awaited = 0;
                news = 0
            }
        :: else             /* acknowledged already */
        fi
    :: timeout ->
        sent = 0            /* back to the first frame that is not acknowledged */
    od
}

active proctype Receiver() {
    byte next;              /* the number of the frame that is awaited */
    byte expected;          /* its payload */
    byte number, value;

    do
    :: forward?frame(number, value) ->
        if
        :: number == next ->
            assert(value == expected);      /* in order, none missing, none twice */
            d_step {
                next     = (next + 1) % NUMBERS;
                expected = (expected + 1) % VALUES
            }
        :: else                             /* not in its turn: the sender will come back to it */
        fi;
        d_step { number = 0; value = 0 };
        transmit_ack(next)
    od
}

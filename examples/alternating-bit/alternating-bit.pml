/*
 * The alternating bit protocol, over wires that lose messages.
 *
 * The sender puts one bit into every message and repeats the message until an acknowledgement with
 * the same bit comes back; then it flips the bit and goes on. The receiver takes a message with the
 * bit that it waits for and acknowledges every message it gets, also a repeated one.
 *
 * The payload counts 0, 1, 2, 0, .. so that a lost, repeated or overtaken message would be noticed:
 * the receiver asserts that it gets exactly this sequence.
 *
 * -D FORGETFUL   the receiver does not look at the bit, and takes repeated messages for new ones
 */

#define VALUES 3                            /* how far the payload counts */

mtype = { data, ack };

chan wire_out  = [1] of { mtype, bit, byte };   /* sender -> forward wire */
chan wire_in   = [1] of { mtype, bit, byte };   /* forward wire -> receiver */
chan reply_out = [1] of { mtype, bit };         /* receiver -> backward wire */
chan reply_in  = [1] of { mtype, bit };         /* backward wire -> sender */

active proctype Sender() {
    bit flag, seen;
    byte value;

    do
    :: wire_out!data(flag, value)           /* send, and send again whenever there is room */
    :: reply_in?ack(seen) ->
        if
        :: seen == flag ->                  /* it has arrived: the next one */
            flag  = 1 - flag;
            value = (value + 1) % VALUES
        :: else                             /* an old acknowledgement */
        fi
    od
}

active proctype Receiver() {
    bit awaited, flag;
    byte value, expected;

    do
    :: wire_in?data(flag, value) ->
        if
#ifdef FORGETFUL
        :: true ->
#else
        :: flag == awaited ->
#endif
            assert(value == expected);      /* nothing lost, nothing twice, nothing out of order */
            expected = (expected + 1) % VALUES;
            awaited  = 1 - awaited
        :: else                             /* a repetition: its acknowledgement was lost or late */
        fi;
        reply_out!ack(flag)
    od
}

/* A wire hands on what it gets, or loses it. */

active proctype ForwardWire() {
    bit flag;
    byte value;

end:
    do
    :: wire_out?data(flag, value) ->
        if
        :: wire_in!data(flag, value)
        :: skip                             /* lost */
        fi
    od
}

active proctype BackwardWire() {
    bit flag;

end:
    do
    :: reply_out?ack(flag) ->
        if
        :: reply_in!ack(flag)
        :: skip                             /* lost */
        fi
    od
}

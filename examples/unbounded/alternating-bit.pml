/*
 * The alternating bit protocol over wires of any length.
 *
 * The sender repeats a message, numbered by a bit, as often as it likes until the same bit comes back. The receiver takes a
 * message when the bit has changed, and repeats its last acknowledgement as often as it likes. However long the wires are,
 * and however many old messages sit in them, what is delivered is what was sent: the payload counts up, modulo three, and
 * the receiver knows what must come next.
 *
 * With -D EAGER the receiver may acknowledge a message that it has not seen.
 */
#define CAPACITY 2

chan forth = [CAPACITY] of { bit, byte };
chan back  = [CAPACITY] of { bit };

active proctype Sender() {
  bit number = 1;
  byte payload;
  do
  :: forth!number(payload)
  :: back?eval(1 - number)
  :: back?eval(number) -> d_step { number = 1 - number; payload = (payload + 1) % 3 }
  od
}

active proctype Receiver() {
  bit wanted = 1;
  byte payload, next;
  do
  :: back!(1 - wanted)
#ifdef EAGER
  :: back!wanted
#endif
  :: forth?eval(1 - wanted)(_)
  :: forth?eval(wanted)(payload) ->
     assert(payload == next);
     d_step { wanted = 1 - wanted; next = (next + 1) % 3; payload = 0 }
  od
}

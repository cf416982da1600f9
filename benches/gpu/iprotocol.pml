/* A sliding window with negative acknowledgements over links that lose and damage messages. */
#ifndef WINDOW
#define WINDOW 3
#endif
#ifndef ROOM
#define ROOM 2
#endif
#define SEQUENCE (2 * WINDOW)
mtype = { data, ack, nak };
chan forth = [ROOM] of { mtype, byte };
chan back = [ROOM] of { mtype, byte };

active proctype sender()
{
	byte next, oldest, x;
	do
	:: (next + SEQUENCE - oldest) % SEQUENCE < WINDOW -> forth!data(next); next = (next + 1) % SEQUENCE
	:: back?ack(x) ->
		do
		:: oldest != next && (x + SEQUENCE - oldest) % SEQUENCE < WINDOW -> oldest = (oldest + 1) % SEQUENCE
		:: else -> break
		od
	:: back?nak(x) ->
		if
		:: (x + SEQUENCE - oldest) % SEQUENCE < (next + SEQUENCE - oldest) % SEQUENCE -> forth!data(x)
		:: else
		fi
	:: oldest != next && empty(forth) && empty(back) -> forth!data(oldest)
	od
}

active proctype receiver()
{
	bool have[SEQUENCE], asked[SEQUENCE];
	byte expected, x, missing, since;
	do
	:: forth?data(x) ->
		if
		:: (x + SEQUENCE - expected) % SEQUENCE < WINDOW -> have[x] = true
		:: else -> back!ack((expected + SEQUENCE - 1) % SEQUENCE)
		fi;
		missing = expected;
		do
		:: missing != x && !have[missing] && !asked[missing] && (x + SEQUENCE - expected) % SEQUENCE < WINDOW ->
			back!nak(missing); asked[missing] = true
		:: missing != x && (have[missing] || asked[missing]) && (x + SEQUENCE - expected) % SEQUENCE < WINDOW ->
			missing = (missing + 1) % SEQUENCE
		:: else -> break
		od;
		x = 0; missing = 0
	:: have[expected] -> have[expected] = false; asked[expected] = false; expected = (expected + 1) % SEQUENCE; since++;
		if
		:: since >= WINDOW / 2 -> since = 0; back!ack((expected + SEQUENCE - 1) % SEQUENCE)
		:: since < WINDOW / 2
		fi
	:: since > 0 -> since = 0; back!ack((expected + SEQUENCE - 1) % SEQUENCE)
	od
}

active proctype loss()
{
	mtype kind;
	byte x;
	do
	:: forth?kind,x -> kind = 0; x = 0
	:: back?kind,x -> kind = 0; x = 0
	od
}

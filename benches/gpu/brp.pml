/* A bounded retransmission protocol: files of FRAMES frames, at most RETRIES repetitions of each, PAIRS pairs at once. */
#ifndef FRAMES
#define FRAMES 4
#endif
#ifndef RETRIES
#define RETRIES 2
#endif
#ifndef PAIRS
#define PAIRS 2
#endif
mtype = { ok, unknown, failed };
chan frames[PAIRS] = [1] of { bit, bit, bit };
chan acks[PAIRS] = [1] of { bit };
mtype said[PAIRS];

active [PAIRS] proctype sender()
{
	byte me = _pid, frame, tries;
	bit toggle;
	do
	:: frame = 0; said[me] = 0;
		do
		:: frame < FRAMES ->
			tries = 0;
again:			frames[me]!(frame == 0),(frame == FRAMES - 1),toggle;
			if
			:: acks[me]?_ -> toggle = 1 - toggle; frame++
			:: empty(acks[me]) && empty(frames[me]) && tries < RETRIES -> tries++; goto again
			:: empty(acks[me]) && empty(frames[me]) && tries == RETRIES ->
				if
				:: frame == FRAMES - 1 -> said[me] = unknown
				:: frame != FRAMES - 1 -> said[me] = failed
				fi;
				toggle = 0;
				break
			fi
		:: frame == FRAMES -> said[me] = ok; break
		od
	od
}

active [PAIRS] proctype receiver()
{
	byte me = _pid - PAIRS, got;
	bit first, last, toggle, expected;
	do
	:: frames[me]?first,last,toggle ->
		if
		:: skip
		:: first -> expected = toggle; got = 1; expected = 1 - expected; acks[me]!toggle
		:: !first && toggle == expected -> got = (got + 1) % (FRAMES + 1); expected = 1 - expected; acks[me]!toggle
		:: !first && toggle != expected -> acks[me]!toggle
		fi;
		first = 0; last = 0; toggle = 0
	:: acks[me]?_
	od
}

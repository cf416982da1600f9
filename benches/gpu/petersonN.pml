/* Peterson's mutual exclusion for N processes: shared variables only. */
#ifndef N
#define N 4
#endif
byte level[N], last[N], inside;

active [N] proctype user()
{
	byte stage, other;
again:
	stage = 0;
	do
	:: stage < N - 1 ->
		level[_pid] = stage;
		last[stage] = _pid;
		other = 0;
		do
		:: other == _pid -> other++
		:: other != _pid ->
			if
			:: other < N -> (level[other] < stage || last[stage] != _pid); other++
			:: other >= N -> break
			fi
		od;
		stage++
	:: stage >= N - 1 -> break
	od;
	inside++;
	assert(inside == 1);
	inside--;
	level[_pid] = 0;
	goto again
}

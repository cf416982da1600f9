/* A timed mutual exclusion with a fast path, after Alur and Taubenfeld, in discrete time: every write comes within STEP ticks. */
#ifndef N
#define N 4
#endif
#ifndef STEP
#define STEP 1
#endif
byte x, y, z, inside, clock[N];
bool hurries[N];

active [N] proctype user()
{
	byte me = _pid + 1;
start:	skip;
	d_step { hurries[_pid] = true; clock[_pid] = 0 };
	d_step { x = me; hurries[_pid] = false };
	if
	:: y != 0 -> goto start
	:: y == 0
	fi;
	d_step { hurries[_pid] = true; clock[_pid] = 0 };
	d_step { y = me; hurries[_pid] = false; clock[_pid] = 0 };
	if
	:: x == me -> z = 1
	:: x != me ->
		clock[_pid] > STEP;
		if
		:: y != me -> y == 0; goto start
		:: y == me -> z == 0
		fi
	fi;
	inside++;
	inside--;
	z = 0;
	if
	:: y == me -> y = 0
	:: y != me
	fi;
	goto start
}

active proctype time()
{
	byte i;
	do
	:: d_step {
		i = 0;
		do
		:: i < N && !(hurries[i] && clock[i] >= STEP) -> i++
		:: else -> break
		od;
		if
		:: i == N ->
			i = 0;
			do
			:: i < N && clock[i] <= STEP -> clock[i]++; i++
			:: i < N && clock[i] > STEP -> i++
			:: i >= N -> break
			od
		:: else
		fi;
		i = 0
	}
	od
}

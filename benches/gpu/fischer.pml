/* Fischer's mutual exclusion for N processes in discrete time: a write comes within WRITE ticks, a check after more than it. */
#ifndef N
#define N 5
#endif
#ifndef WRITE
#define WRITE 2
#endif
byte id, inside, clock[N];
bool writing[N];

active [N] proctype user()
{
	do
	:: d_step { id == 0 -> clock[_pid] = 0; writing[_pid] = true };
		d_step { id = _pid + 1; clock[_pid] = 0; writing[_pid] = false };
		clock[_pid] > WRITE;
		if
		:: id == _pid + 1 -> inside++; assert(inside == 1); inside--; id = 0
		:: id != _pid + 1
		fi;
		clock[_pid] = 0
	od
}

active proctype time()
{
	byte i;
	do
	:: d_step {
		i = 0;
		do
		:: i < N && !(writing[i] && clock[i] >= WRITE) -> i++
		:: else -> break
		od;
		if
		:: i == N ->
			i = 0;
			do
			:: i < N && clock[i] <= WRITE -> clock[i]++; i++
			:: i < N && clock[i] > WRITE -> i++
			:: i >= N -> break
			od
		:: else
		fi;
		i = 0
	}
	od
}

/* A pipeline: a source, N stages that may change what they pass on, a sink; buffers of CAP messages between them. */
#ifndef N
#define N 3
#endif
#ifndef CAP
#define CAP 3
#endif
chan link[N + 1] = [CAP] of { bit, byte };

active proctype source()
{
	byte round;
	do
	:: link[0]!0(round)
	:: link[0]!1(round)
	:: round = (round + 1) % 2
	od
}

active [N] proctype stage()
{
	bit kind;
	byte round;
	do
	:: link[_pid - 1]?kind,round;
		if
		:: kind -> link[_pid]!kind(round)
		:: !kind -> link[_pid]!kind(1 - round)
		fi
	od
}

active proctype sink()
{
	bit kind;
	byte round;
	do
	:: link[N]?kind,round -> assert(round < 2)
	od
}

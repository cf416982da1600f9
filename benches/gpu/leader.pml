/* The election of a leader in a ring with one direction, after Dolev, Klawe and Rodeh, for N nodes in some orders;
   three is prime to N. */
#ifndef N
#define N 7
#endif
#ifndef ROOM
#define ROOM 3
#endif
mtype = { first, second, winner };
chan ring[N] = [ROOM] of { mtype, byte };
byte leaders;

proctype node(chan from; chan to; byte own)
{
	bool active_ = true, known;
	byte number, most, left;
	most = own;
	to!first(own);
end:	do
	:: from?first,number ->
		if
		:: active_ && number != most -> left = number; to!second(number)
		:: active_ && number == most -> known = true; leaders++; assert(leaders == 1); to!winner(number)
		:: !active_ -> to!first(number)
		fi
	:: from?second,number ->
		if
		:: !active_ -> to!second(number)
		:: active_ && left > number && left > most -> most = left; to!first(left)
		:: active_ && !(left > number && left > most) -> active_ = false
		fi
	:: from?winner,number ->
		if
		:: known
		:: !known -> to!winner(number)
		fi;
		break
	od
}

init
{
	byte shift, i;
	atomic {
		do
		:: shift < N - 1 -> shift++
		:: break
		od;
		do
		:: i < N -> run node(ring[i], ring[(i + 1) % N], (i * 3 + shift) % N + 1); i++
		:: i == N -> break
		od
	}
}

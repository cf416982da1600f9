/* A file transfer: a user, sessions with aborts and a flow-control layer with acknowledgements over a network that loses. */
#ifndef WINDOW
#define WINDOW 2
#endif
#ifndef ROOM
#define ROOM 2
#endif
#ifndef USERS
#define USERS 1
#endif
#define SEQUENCE (WINDOW + 1)
mtype = { open, data, close, abort, done, ack };
chan to_session[2] = [ROOM] of { mtype, byte };
chan to_user[2] = [ROOM] of { mtype };
chan to_flow[2] = [ROOM] of { mtype, byte };
chan to_net[2] = [ROOM] of { mtype, byte };

active [USERS] proctype user()
{
	byte me = _pid, sent;
	do
	:: to_session[me]!open(0); sent = 0;
		do
		:: sent < 3 -> to_session[me]!data(sent % 2); sent++
		:: sent > 0 -> to_session[me]!close(0); break
		:: to_session[me]!abort(0) -> break
		:: to_user[me]?abort -> break
		od
	:: to_user[me]?done
	:: to_user[me]?abort
	od
}

active [USERS] proctype session()
{
	byte me = _pid - USERS, x;
	bool opened;
	do
	:: to_session[me]?open(x) -> opened = true; to_flow[me]!open(0)
	:: to_session[me]?data(x) ->
		if
		:: opened -> to_flow[me]!data(x)
		:: !opened
		fi
	:: to_session[me]?close(x) -> opened = false; to_flow[me]!close(0)
	:: to_session[me]?abort(x) -> opened = false
	:: opened && nfull(to_user[me]) -> opened = false; to_user[me]!abort
	od
}

active [2] proctype flow()
{
	byte me = _pid - 2 * USERS, next, oldest, expected, x;
	mtype kind;
	do
	:: (next + SEQUENCE - oldest) % SEQUENCE < WINDOW && nempty(to_flow[me]) ->
		to_flow[me]?kind,x; to_net[1 - me]!data(next); next = (next + 1) % SEQUENCE
	:: next != oldest && nfull(to_net[1 - me]) -> to_net[1 - me]!data(oldest)
	:: to_net[me]?data(x) ->
		if
		:: x == expected -> expected = (expected + 1) % SEQUENCE;
			if
			:: nfull(to_user[me]) -> to_user[me]!done
			:: full(to_user[me])
			fi
		:: x != expected
		fi;
		if
		:: nfull(to_net[1 - me]) -> to_net[1 - me]!ack(x)
		:: skip
		fi
	:: to_net[me]?ack(x) ->
		if
		:: next != oldest && x == oldest -> oldest = (oldest + 1) % SEQUENCE
		:: !(next != oldest && x == oldest)
		fi
	od
}

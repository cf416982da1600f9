/*
 * Tokens in a ring of four processes, two of them; no process may hold both.
 *
 * Who holds a token warns the next process before it sends the token. Who is warned gives its own token away at once; who
 * has none takes no notice. So a process is empty-handed when a token comes.
 *
 * With -D THREE there are three tokens, and nobody can give way fast enough.
 */
#define CAPACITY 1
#define N        4

mtype = { token, alert };

chan link[N] = [CAPACITY] of { mtype };

proctype Process(byte me; bit has) {
  chan in = link[(me + N - 1) % N];
  chan out = link[me];
  if
  :: has -> goto holds
  :: else
  fi;
without:
  if
  :: in?token -> goto holds
  :: in?alert -> goto without
  fi;
holds:
  if
  :: out!alert
  :: in?alert -> goto gives
  :: in?token -> assert(false)
  fi;
  if
  :: out!token -> goto without
  :: in?alert -> goto gives
  :: in?token -> assert(false)
  fi;
gives:
  out!token;
  goto without
}

init {
  atomic {
    run Process(0, 1);
    run Process(1, 0);
    run Process(2, 1);
#ifdef THREE
    run Process(3, 1)
#else
    run Process(3, 0)
#endif
  }
}

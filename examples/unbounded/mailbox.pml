/*
 * A client logs in to its mailbox, reads letters and leaves, as in the POP3 protocol.
 *
 * Every command has its answer, and the client waits for it; so each side knows what the other is about, whatever the
 * channels hold. Passwords are right or wrong as they please.
 *
 * With -D HASTY the client sends its password without waiting for the answer to its name. It takes a refusal of the name
 * for one of the password, says its name again, and the server gets a name where it expects a password.
 */
#define CAPACITY 1

mtype = { user, pass, fetch, quit, ok, error };

chan command = [CAPACITY] of { mtype };
chan reply   = [CAPACITY] of { mtype };

active proctype Client() {
start:
  command!user;
#ifndef HASTY
  if
  :: reply?ok
  :: reply?error -> goto start
  fi;
#endif
  command!pass;
#ifdef HASTY
  reply?_;
#endif
  if
  :: reply?ok
  :: reply?error -> goto start
  fi;
  do
  :: command!fetch; reply?_
  :: command!quit; reply?ok; goto start
  od
}

active proctype Server() {
  mtype got;
start:
end:
  command?got;
  assert(got == user);
  if
  :: reply!ok
  :: reply!error; goto start
  fi;
  command?got;
  assert(got == pass);
  if
  :: reply!ok
  :: reply!error; goto start
  fi;
  do
  :: command?fetch -> if :: reply!ok :: reply!error fi
  :: command?quit -> reply!ok; goto start
  od
}

/* Synchronous communication between threads: the sender.

   A sender looks up the receiver's name, puts a message into the receiver's queue, and blocks until there is an answer or
   until its timer says that it has waited long enough. A message that was not taken yet is then removed from the queue; one
   that was taken is answered, and the sender has to wait for that, or the answer would be taken for that of the next
   message. The queue is worked on under a lock. */

int __VERIFIER_nondet_int(void);
void assert(int holds);

/* The lock of the queue. */
void lock(void);
void unlock(void);

/* The queue. Each message has a priority. */
int ask_room(void);             /* 0: there is room, 1: it is full */
void put_high(void);
void put_low(void);
int cancel(void);               /* 0: the message is removed, 1: it was taken already */

/* Something is in the queue. */
void wake(void);

/* The timer of this thread. */
void start_timer(void);
void stop_timer(void);

/* The name server. */
void lookup(void);
int wait_name(void);            /* 0: no such name, 1: known */

/* The answer. */
int wait_answer(void);          /* 0: done, 1: the receiver shuts down, 2: the time is over */
int wait_late_answer(void);     /* 0: done, 1: the receiver shuts down */

enum status { SENT, NO_NAME, NO_ROOM, SHUT_DOWN, TIMED_OUT, TIMED_OUT_LATE };
enum priority { LOW, HIGH };
enum { MOST_TRIES = 2 };

_Thread_local int status = SENT;
_Thread_local int locked = 0;
_Thread_local int waiting = 0;                /* a message of this thread is on its way */

static void enter(void)
{
    lock();
    locked = 1;
}

static void leave(void)
{
    locked = 0;
    unlock();
}

/* Puts the message into the queue, if there is room. */
static int enqueue(int priority)
{
    int full;

    enter();
    full = ask_room();
    if (!full) {
        if (priority == HIGH)
            put_high();
        else
            put_low();
        waiting = 1;
    }
    leave();
    return !full;
}

/* Takes the message back; one that was taken is still going to be answered. */
static int withdraw(void)
{
    int taken;

    enter();
    taken = cancel();
    leave();
    if (taken) {
        wait_late_answer();
        waiting = 0;
        return TIMED_OUT_LATE;
    }
    waiting = 0;
    return TIMED_OUT;
}

/* The same, with a mistake: the lock is held while the sender waits. */
static int withdraw_in_haste(void)
{
    int taken;

    enter();
    taken = cancel();
    if (taken)
        wait_late_answer();
    leave();
    waiting = 0;
    return taken ? TIMED_OUT_LATE : TIMED_OUT;
}

static int send_and_wait(int priority, int careful)
{
    int tries = 0;

    lookup();
    if (!wait_name())
        return NO_NAME;
    while (!enqueue(priority)) {
        tries++;
        if (tries == MOST_TRIES)
            return NO_ROOM;
    }
    start_timer();
    wake();
    switch (wait_answer()) {
    case 0:
        stop_timer();
        waiting = 0;
        return SENT;
    case 1:
        stop_timer();
        waiting = 0;
        return SHUT_DOWN;
    default:
        return careful ? withdraw() : withdraw_in_haste();
    }
}

void sender(void)
{
    while (1) {
        int urgent = __VERIFIER_nondet_int();

        assert(!locked && !waiting);
        status = send_and_wait(urgent ? HIGH : LOW, 1);
    }
}

void hasty_sender(void)
{
    while (1) {
        int urgent = __VERIFIER_nondet_int();

        assert(!locked && !waiting);
        status = send_and_wait(urgent ? HIGH : LOW, 0);
    }
}

/* Synchronous communication between threads: the receiver.

   It registers its name, takes one message after the other out of its queue, the urgent ones first, and answers each. When
   nothing has come for a while it shuts down: it takes its name back, tells everybody whose message is still there, and
   starts again. */

int __VERIFIER_nondet_int(void);
void assert(int holds);

/* The lock of the queue. */
void lock(void);
void unlock(void);

/* The next message. */
int take_message(void);         /* 0: there is none, 1: of the first sender, 2: of the second */

/* Waits until something may be in the queue. */
int wait_message(void);         /* 0: a signal came, 1: the time is over */

/* Answers. */
void reply_first(void);
void reply_second(void);
void refuse_first(void);
void refuse_second(void);

/* The name server. */
void register_name(void);
void remove_name(void);

enum mode { STARTING, RUNNING, DRAINING };
enum { NOBODY, FIRST, SECOND };
enum { MOST_IDLE = 2 };

int mode = STARTING;
int idle = 0;
int owes = NOBODY;              /* who waits for an answer */

static int next_message(void)
{
    int from;

    lock();
    from = take_message();
    /* The queue is told that this one is answered before it is let go. */
    unlock();
    assert(from >= NOBODY && from <= SECOND);
    return from;
}

static void answer(int who)
{
    /* The message is marked as answered: the lock keeps the sender from removing it in between. */
    lock();
    unlock();
    if (who == FIRST)
        reply_first();
    else
        reply_second();
    owes = NOBODY;
}

static void refuse(int who)
{
    lock();
    unlock();
    if (who == FIRST)
        refuse_first();
    else
        refuse_second();
    owes = NOBODY;
}

/* Works on messages until there is none, and then waits for one. */
static void run(void)
{
    int from = next_message();

    if (from != NOBODY) {
        owes = from;
        idle = 0;
        answer(from);
        return;
    }
    if (wait_message() == 0) {
        idle = 0;
    } else {
        idle++;
        if (idle == MOST_IDLE) {
            remove_name();
            mode = DRAINING;
        }
    }
}

static void drain(void)
{
    int from = next_message();

    if (from != NOBODY) {
        owes = from;
        refuse(from);
    } else {
        mode = STARTING;
    }
}

void receiver(void)
{
    while (1) {
        assert(owes == NOBODY);
        switch (mode) {
        case STARTING:
            register_name();
            idle = 0;
            mode = RUNNING;
            break;
        case RUNNING:
            run();
            break;
        case DRAINING:
            drain();
            break;
        default:
            assert(0);
        }
    }
}

/* Synchronous communication between threads: the name server, and the timer that each sender has. */

void assert(int holds);

/* Names: waits for what is to be done next. */
int wait_request(void);         /* 0: register, 1: remove, 2: the first sender asks, 3: the second one asks */
void first_known(void);
void first_unknown(void);
void second_known(void);
void second_unknown(void);

/* Time. */
void start_timer(void);
int wait_tick(void);            /* 0: a tick, 1: the timer is stopped */
int wait_end(void);             /* 0: the time is over, 1: the timer is stopped */

enum { PATIENCE = 2 };

int registered = 0;

void name_server(void)
{
    while (1) {
        switch (wait_request()) {
        case 0:
            assert(!registered);
            registered = 1;
            break;
        case 1:
            assert(registered);
            registered = 0;
            break;
        case 2:
            if (registered)
                first_known();
            else
                first_unknown();
            break;
        case 3:
            if (registered)
                second_known();
            else
                second_unknown();
            break;
        }
    }
}

_Thread_local int left = 0;
_Thread_local int running = 0;

void timer(void)
{
    while (1) {
        start_timer();
        left = PATIENCE;
        running = 1;
        while (running && left > 0) {
            if (wait_tick() == 0)
                left--;
            else
                running = 0;
        }
        if (running) {
            wait_end();
            running = 0;
        }
    }
}

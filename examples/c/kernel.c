/* The heart of a small kernel: tasks ask for services, and every service works on tables that an interrupt could change,
   so it enters a critical section, and leaves it on every way out. */

int __VERIFIER_nondet_int(void);

void enter_critical(void);
void leave_critical(void);

enum { FREE, READY, WAITING };
enum { OK, NO_SUCH_TASK, WRONG_STATE };

int state[3];
int running = 0;

static int create_task(int id)
{
    if (id < 0 || id > 2)
        return NO_SUCH_TASK;
    enter_critical();
    if (state[id] != FREE) {
        leave_critical();
        return WRONG_STATE;
    }
    state[id] = READY;
    leave_critical();
    return OK;
}

static int suspend_task(int id)
{
    if (id < 0 || id > 2)
        return NO_SUCH_TASK;
    enter_critical();
    if (state[id] != READY) {
        leave_critical();
        return WRONG_STATE;
    }
    state[id] = WAITING;
    if (running == id)
        running = 0;
    leave_critical();
    return OK;
}

/* In the careless kernel the second way out was forgotten. */
static int resume_task(int id, int careful)
{
    int error = OK;

    if (id < 0 || id > 2)
        return NO_SUCH_TASK;
    enter_critical();
    if (state[id] != WAITING) {
        error = WRONG_STATE;
        if (!careful)
            return error;
    } else {
        state[id] = READY;
    }
    leave_critical();
    return error;
}

void kernel(void)
{
    while (1) {
        int id = __VERIFIER_nondet_int();
        switch (__VERIFIER_nondet_int()) {
        case 0: create_task(id); break;
        case 1: suspend_task(id); break;
        case 2: resume_task(id, 1); break;
        }
    }
}

void careless_kernel(void)
{
    while (1) {
        int id = __VERIFIER_nondet_int();
        switch (__VERIFIER_nondet_int()) {
        case 0: create_task(id); break;
        case 1: suspend_task(id); break;
        case 2: resume_task(id, 0); break;
        }
    }
}

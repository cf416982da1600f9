/* A small real-time kernel: tasks, semaphores, mailboxes, event flags, memory partitions and a clock.
 *
 * Every resource has a lock of its own. A service takes the lock of what it works on, looks at the tables, and
 * gives the lock back on every way out. Where a service makes another task ready, it needs the lock of the task
 * table as well, while it holds that of the resource: locks are taken in the order of their numbers, and the task
 * table comes last. One service, task_delete, has to go the other way round, from a task to what it waits for.
 * It has two forms: the careful one takes the lock of the mailbox first; the hasty one does not, and two tasks can
 * wait for each other for ever.
 *
 * The same file runs on a host: rtos-test.c gives lock, unlock and yield a body and tests every service.
 */

void assert(int holds);

/* The locks. */
enum { LOCK_SEM_0, LOCK_SEM_1, LOCK_BOX_0, LOCK_BOX_1, LOCK_FLAGS, LOCK_MEMORY, LOCK_CLOCK, LOCK_TASKS, LOCKS };

void lock(int which);
void unlock(int which);

/* Another task may run now. */
void yield(void);

enum { TASKS = 6, SEMAPHORES = 2, MAILBOXES = 2, BLOCKS = 4, FLAGS = 4 };

/* What a service returns. */
enum {
    OK,
    ERROR_NO_SUCH_TASK,
    ERROR_NO_SUCH_OBJECT,
    ERROR_STATE,
    ERROR_PRIORITY,
    ERROR_EMPTY,
    ERROR_FULL,
    ERROR_OVERFLOW,
    ERROR_ARGUMENT,
    ERROR_TIMEOUT
};

/* What a task is doing. */
enum { TASK_FREE, TASK_READY, TASK_SUSPENDED, TASK_DELAYED, TASK_ON_SEMAPHORE, TASK_ON_MAILBOX, TASK_ON_FLAGS };

enum { LOWEST_PRIORITY = 15, MOST_COUNT = 3, MOST_DELAY = 3, NOBODY = -1 };

struct task {
    int state;
    int priority;
    /* Ticks until it is ready again. */
    int delay;
    /* Which semaphore or mailbox it waits for. */
    int object;
    /* How often it was suspended. */
    int nested;
};

struct semaphore {
    int used;
    int count;
    /* A bit for each task that waits. */
    int waiting;
};

struct mailbox {
    int used;
    int full;
    int message;
    int waiting;
};

struct block {
    int used;
    int owner;
};

static struct task task[TASKS];
static struct semaphore semaphore[SEMAPHORES];
static struct mailbox mailbox[MAILBOXES];
static struct block block[BLOCKS];
static int flags;
static int flags_waiting;
static int ticks;
static int free_blocks = BLOCKS;

/* ---------------------------------------------------------------------------------------------------------------
 * What needs no lock.
 */

static int is_task(int id)
{
    return id >= 0 && id < TASKS;
}

static int is_semaphore(int id)
{
    return id >= 0 && id < SEMAPHORES;
}

static int is_mailbox(int id)
{
    return id >= 0 && id < MAILBOXES;
}

static int is_priority(int priority)
{
    return priority >= 0 && priority <= LOWEST_PRIORITY;
}

/* The bit of a task in a set of tasks. */
static int bit(int id)
{
    switch (id) {
    case 0: return 1;
    case 1: return 2;
    case 2: return 4;
    case 3: return 8;
    case 4: return 16;
    default: return 32;
    }
}

/* The task with the smallest number in a set. */
static int first(int set)
{
    if (set & 1)
        return 0;
    if (set & 2)
        return 1;
    if (set & 4)
        return 2;
    if (set & 8)
        return 3;
    if (set & 16)
        return 4;
    if (set & 32)
        return 5;
    return NOBODY;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The task table. Whoever calls one of these holds its lock.
 */

static void make_ready(int id)
{
    if (task[id].state != TASK_FREE && task[id].nested == 0) {
        task[id].state = TASK_READY;
        task[id].object = NOBODY;
        task[id].delay = 0;
    }
}

static void make_wait(int id, int state, int object)
{
    task[id].state = state;
    task[id].object = object;
}

/* Makes a task of a set ready, and gives the set without it. */
static int wake_first(int set)
{
    int id = first(set);

    if (id == NOBODY)
        return set;
    lock(LOCK_TASKS);
    make_ready(id);
    unlock(LOCK_TASKS);
    return set & ~bit(id);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Tasks.
 */

static int task_create(int id, int priority)
{
    if (!is_task(id))
        return ERROR_NO_SUCH_TASK;
    if (!is_priority(priority))
        return ERROR_PRIORITY;
    lock(LOCK_TASKS);
    if (task[id].state != TASK_FREE) {
        unlock(LOCK_TASKS);
        return ERROR_STATE;
    }
    task[id].state = TASK_READY;
    task[id].priority = priority;
    task[id].delay = 0;
    task[id].object = NOBODY;
    task[id].nested = 0;
    unlock(LOCK_TASKS);
    return OK;
}

static int task_suspend(int id)
{
    int result = OK;

    if (!is_task(id))
        return ERROR_NO_SUCH_TASK;
    lock(LOCK_TASKS);
    if (task[id].state == TASK_READY || task[id].state == TASK_SUSPENDED) {
        if (task[id].nested == MOST_COUNT) {
            result = ERROR_OVERFLOW;
        } else {
            task[id].state = TASK_SUSPENDED;
            task[id].nested = task[id].nested + 1;
        }
    } else {
        result = ERROR_STATE;
    }
    unlock(LOCK_TASKS);
    return result;
}

static int task_resume(int id)
{
    if (!is_task(id))
        return ERROR_NO_SUCH_TASK;
    lock(LOCK_TASKS);
    if (task[id].state != TASK_SUSPENDED) {
        unlock(LOCK_TASKS);
        return ERROR_STATE;
    }
    task[id].nested = task[id].nested - 1;
    if (task[id].nested == 0)
        task[id].state = TASK_READY;
    unlock(LOCK_TASKS);
    return OK;
}

static int task_priority(int id, int priority)
{
    int result = OK;

    if (!is_task(id))
        return ERROR_NO_SUCH_TASK;
    if (!is_priority(priority))
        return ERROR_PRIORITY;
    lock(LOCK_TASKS);
    if (task[id].state == TASK_FREE)
        result = ERROR_STATE;
    else
        task[id].priority = priority;
    unlock(LOCK_TASKS);
    return result;
}

static int task_state(int id)
{
    int state;

    if (!is_task(id))
        return TASK_FREE;
    lock(LOCK_TASKS);
    state = task[id].state;
    unlock(LOCK_TASKS);
    return state;
}

static int mailbox_lock(int id)
{
    return id == 0 ? LOCK_BOX_0 : LOCK_BOX_1;
}

/* Takes a task away from the table and from a mailbox that it may wait for. */
static void forget(int id, int box)
{
    mailbox[box].waiting = mailbox[box].waiting & ~bit(id);
    task[id].state = TASK_FREE;
    task[id].object = NOBODY;
    task[id].delay = 0;
    task[id].nested = 0;
}

static int task_delete(int id, int box)
{
    if (!is_task(id))
        return ERROR_NO_SUCH_TASK;
    if (!is_mailbox(box))
        return ERROR_NO_SUCH_OBJECT;
    lock(mailbox_lock(box));
    lock(LOCK_TASKS);
    forget(id, box);
    unlock(LOCK_TASKS);
    unlock(mailbox_lock(box));
    return OK;
}

/* The same, with the locks the wrong way round. */
static int task_delete_hastily(int id, int box)
{
    if (!is_task(id))
        return ERROR_NO_SUCH_TASK;
    if (!is_mailbox(box))
        return ERROR_NO_SUCH_OBJECT;
    lock(LOCK_TASKS);
    lock(mailbox_lock(box));
    forget(id, box);
    unlock(mailbox_lock(box));
    unlock(LOCK_TASKS);
    return OK;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Semaphores.
 */

static int semaphore_lock(int id)
{
    return id == 0 ? LOCK_SEM_0 : LOCK_SEM_1;
}

static int semaphore_create(int id, int count)
{
    int result = OK;

    if (!is_semaphore(id))
        return ERROR_NO_SUCH_OBJECT;
    if (count < 0 || count > MOST_COUNT)
        return ERROR_ARGUMENT;
    lock(semaphore_lock(id));
    if (semaphore[id].used) {
        result = ERROR_STATE;
    } else {
        semaphore[id].used = 1;
        semaphore[id].count = count;
        semaphore[id].waiting = 0;
    }
    unlock(semaphore_lock(id));
    return result;
}

/* Takes a unit if there is one. */
static int semaphore_accept(int id)
{
    int result = ERROR_EMPTY;

    if (!is_semaphore(id))
        return ERROR_NO_SUCH_OBJECT;
    lock(semaphore_lock(id));
    assert(semaphore[id].count >= 0);
    if (semaphore[id].count > 0) {
        semaphore[id].count = semaphore[id].count - 1;
        result = OK;
    }
    unlock(semaphore_lock(id));
    return result;
}

/* Takes a unit; if there is none, the task waits. The caller comes back when it is ready again. */
static int semaphore_pend(int self, int id)
{
    if (!is_semaphore(id))
        return ERROR_NO_SUCH_OBJECT;
    lock(semaphore_lock(id));
    assert(semaphore[id].count >= 0);
    if (semaphore[id].count > 0) {
        semaphore[id].count = semaphore[id].count - 1;
        unlock(semaphore_lock(id));
        return OK;
    }
    semaphore[id].waiting = semaphore[id].waiting | bit(self);
    lock(LOCK_TASKS);
    make_wait(self, TASK_ON_SEMAPHORE, id);
    unlock(LOCK_TASKS);
    unlock(semaphore_lock(id));
    return ERROR_TIMEOUT;
}

static int semaphore_post(int id)
{
    int result = OK;

    if (!is_semaphore(id))
        return ERROR_NO_SUCH_OBJECT;
    lock(semaphore_lock(id));
    assert(semaphore[id].count <= MOST_COUNT);
    if (semaphore[id].count == MOST_COUNT)
        result = ERROR_OVERFLOW;
    else
        semaphore[id].count = semaphore[id].count + 1;
    if (semaphore[id].waiting != 0)
        semaphore[id].waiting = wake_first(semaphore[id].waiting);
    unlock(semaphore_lock(id));
    return result;
}

static int semaphore_query(int id)
{
    int count;

    if (!is_semaphore(id))
        return NOBODY;
    lock(semaphore_lock(id));
    count = semaphore[id].count;
    unlock(semaphore_lock(id));
    return count;
}

static int semaphore_delete(int id)
{
    if (!is_semaphore(id))
        return ERROR_NO_SUCH_OBJECT;
    lock(semaphore_lock(id));
    if (semaphore[id].waiting != 0) {
        unlock(semaphore_lock(id));
        return ERROR_STATE;
    }
    semaphore[id].used = 0;
    semaphore[id].count = 0;
    unlock(semaphore_lock(id));
    return OK;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Mailboxes: one message each; 0 is no message.
 */

static int mailbox_create(int id)
{
    int result = OK;

    if (!is_mailbox(id))
        return ERROR_NO_SUCH_OBJECT;
    lock(mailbox_lock(id));
    if (mailbox[id].used) {
        result = ERROR_STATE;
    } else {
        mailbox[id].used = 1;
        mailbox[id].full = 0;
        mailbox[id].message = 0;
        mailbox[id].waiting = 0;
    }
    unlock(mailbox_lock(id));
    return result;
}

static int mailbox_post(int id, int message)
{
    int result = OK;

    if (!is_mailbox(id))
        return ERROR_NO_SUCH_OBJECT;
    if (message == 0)
        return ERROR_ARGUMENT;
    lock(mailbox_lock(id));
    if (mailbox[id].full) {
        result = ERROR_FULL;
    } else {
        mailbox[id].message = message;
        mailbox[id].full = 1;
        if (mailbox[id].waiting != 0)
            mailbox[id].waiting = wake_first(mailbox[id].waiting);
    }
    unlock(mailbox_lock(id));
    return result;
}

/* Takes the message, if there is one. */
static int mailbox_accept(int id)
{
    int message = 0;

    if (!is_mailbox(id))
        return 0;
    lock(mailbox_lock(id));
    if (mailbox[id].full) {
        message = mailbox[id].message;
        mailbox[id].message = 0;
        mailbox[id].full = 0;
    }
    unlock(mailbox_lock(id));
    return message;
}

/* Takes the message; if there is none, the task waits. */
static int mailbox_pend(int self, int id)
{
    int message;

    if (!is_mailbox(id))
        return 0;
    lock(mailbox_lock(id));
    if (mailbox[id].full) {
        message = mailbox[id].message;
        mailbox[id].message = 0;
        mailbox[id].full = 0;
        unlock(mailbox_lock(id));
        return message;
    }
    mailbox[id].waiting = mailbox[id].waiting | bit(self);
    lock(LOCK_TASKS);
    make_wait(self, TASK_ON_MAILBOX, id);
    unlock(LOCK_TASKS);
    unlock(mailbox_lock(id));
    return 0;
}

static int mailbox_query(int id)
{
    int full;

    if (!is_mailbox(id))
        return 0;
    lock(mailbox_lock(id));
    full = mailbox[id].full;
    unlock(mailbox_lock(id));
    return full;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Event flags.
 */

static int flags_post(int set)
{
    if (set < 0 || set >= 1 << FLAGS)
        return ERROR_ARGUMENT;
    lock(LOCK_FLAGS);
    flags = flags | set;
    if (flags_waiting != 0)
        flags_waiting = wake_first(flags_waiting);
    unlock(LOCK_FLAGS);
    return OK;
}

static int flags_clear(int set)
{
    if (set < 0 || set >= 1 << FLAGS)
        return ERROR_ARGUMENT;
    lock(LOCK_FLAGS);
    flags = flags & ~set;
    unlock(LOCK_FLAGS);
    return OK;
}

static int flags_accept(int set)
{
    int result;

    lock(LOCK_FLAGS);
    result = (flags & set) == set ? OK : ERROR_EMPTY;
    unlock(LOCK_FLAGS);
    return result;
}

static int flags_pend(int self, int set)
{
    int result = OK;

    lock(LOCK_FLAGS);
    if ((flags & set) != set) {
        flags_waiting = flags_waiting | bit(self);
        lock(LOCK_TASKS);
        make_wait(self, TASK_ON_FLAGS, 0);
        unlock(LOCK_TASKS);
        result = ERROR_TIMEOUT;
    }
    unlock(LOCK_FLAGS);
    return result;
}

/* ---------------------------------------------------------------------------------------------------------------
 * A partition of memory: blocks of one size.
 */

static int memory_get(int owner)
{
    int found = NOBODY;
    int i;

    lock(LOCK_MEMORY);
    for (i = 0; i < BLOCKS && found == NOBODY; i++) {
        if (!block[i].used) {
            block[i].used = 1;
            block[i].owner = owner;
            free_blocks = free_blocks - 1;
            found = i;
        }
    }
    unlock(LOCK_MEMORY);
    return found;
}

static int memory_put(int owner, int id)
{
    int result = OK;

    if (id < 0 || id >= BLOCKS)
        return ERROR_ARGUMENT;
    lock(LOCK_MEMORY);
    if (!block[id].used || block[id].owner != owner) {
        result = ERROR_STATE;
    } else {
        block[id].used = 0;
        free_blocks = free_blocks + 1;
    }
    unlock(LOCK_MEMORY);
    return result;
}

static int memory_free(void)
{
    int count;

    lock(LOCK_MEMORY);
    count = free_blocks;
    unlock(LOCK_MEMORY);
    return count;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The clock.
 */

static int clock_delay(int self, int delay)
{
    if (!is_task(self))
        return ERROR_NO_SUCH_TASK;
    if (delay <= 0 || delay > MOST_DELAY)
        return ERROR_ARGUMENT;
    lock(LOCK_TASKS);
    task[self].state = TASK_DELAYED;
    task[self].delay = delay;
    unlock(LOCK_TASKS);
    return OK;
}

static void clock_tick(void)
{
    int i;

    lock(LOCK_CLOCK);
    ticks = (ticks + 1) & 7;
    lock(LOCK_TASKS);
    for (i = 0; i < TASKS; i++) {
        if (task[i].state == TASK_DELAYED) {
            task[i].delay = task[i].delay - 1;
            if (task[i].delay == 0)
                make_ready(i);
        }
    }
    unlock(LOCK_TASKS);
    unlock(LOCK_CLOCK);
}

static int clock_get(void)
{
    int now;

    lock(LOCK_CLOCK);
    now = ticks;
    unlock(LOCK_CLOCK);
    return now;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The tasks that run beside each other. The first four are two pairs of a consumer and a producer, each pair with a
 * semaphore and a mailbox; the last two keep the clock and work with memory and flags.
 */

static void consume(int self, int object, int careful)
{
    task_create(self, self);
    while (1) {
        if (mailbox_pend(self, object) == 0)
            yield();
        if (semaphore_accept(object) == ERROR_EMPTY)
            yield();
        if (careful)
            task_delete(self, object);
        else
            task_delete_hastily(self, object);
        task_create(self, self);
    }
}

static void produce(int self, int object)
{
    task_create(self, self);
    while (1) {
        if (mailbox_post(object, self) == ERROR_FULL)
            yield();
        semaphore_post(object);
        if (task_state(self - 1) == TASK_SUSPENDED)
            task_resume(self - 1);
    }
}

static void keep_time(int self)
{
    task_create(self, self);
    while (1) {
        clock_tick();
        flags_post(1);
        if (clock_get() == 0)
            clock_delay(self, 1);
        yield();
    }
}

static void remember(int self)
{
    task_create(self, self);
    while (1) {
        int id = memory_get(self);

        if (flags_pend(self, 1) == OK)
            flags_clear(1);
        else
            task_suspend(self);
        if (id != NOBODY)
            memory_put(self, id);
        yield();
    }
}

void task_0(void) { consume(0, 0, 1); }
void task_1(void) { produce(1, 0); }
void task_2(void) { consume(2, 1, 1); }
void task_3(void) { produce(3, 1); }
void task_4(void) { keep_time(4); }
void task_5(void) { remember(5); }

void hasty_0(void) { consume(0, 0, 0); }
void hasty_2(void) { consume(2, 1, 0); }

/* The kernel of rtos.c on a host: every service, with locks that say when they are used wrongly.
 *
 *     cc -o rtos-test rtos-test.c && ./rtos-test
 */

#include <stdio.h>
#include <stdlib.h>

#include "rtos.c"

static int held[LOCKS];
static int yields;
static int failures;

static void expect(int holds, const char *what, int line)
{
    if (!holds) {
        printf("rtos-test.c:%d: %s\n", line, what);
        failures++;
    }
}

#define EXPECT(condition) expect(condition, #condition, __LINE__)

void assert(int holds)
{
    if (!holds) {
        printf("an assertion of the kernel does not hold\n");
        exit(1);
    }
}

/* There is one thread: a lock that is held will never be free. */
void lock(int which)
{
    if (which < 0 || which >= LOCKS || held[which]) {
        printf("lock %d is taken twice\n", which);
        exit(1);
    }
    held[which] = 1;
}

void unlock(int which)
{
    if (which < 0 || which >= LOCKS || !held[which]) {
        printf("lock %d is not held\n", which);
        exit(1);
    }
    held[which] = 0;
}

void yield(void)
{
    yields++;
}

static void test_sets(void)
{
    int id;

    for (id = 0; id < TASKS; id++) {
        EXPECT(first(bit(id)) == id);
        EXPECT(first(bit(id) | bit(TASKS - 1)) == id);
    }
    EXPECT(first(0) == NOBODY);
}

static void test_tasks(void)
{
    EXPECT(task_create(-1, 0) == ERROR_NO_SUCH_TASK);
    EXPECT(task_create(TASKS, 0) == ERROR_NO_SUCH_TASK);
    EXPECT(task_create(0, LOWEST_PRIORITY + 1) == ERROR_PRIORITY);
    EXPECT(task_create(0, 3) == OK);
    EXPECT(task_create(0, 3) == ERROR_STATE);
    EXPECT(task_state(0) == TASK_READY);
    EXPECT(task_priority(0, 4) == OK);
    EXPECT(task[0].priority == 4);
    EXPECT(task_priority(1, 4) == ERROR_STATE);
    EXPECT(task_resume(0) == ERROR_STATE);
    EXPECT(task_suspend(0) == OK);
    EXPECT(task_suspend(0) == OK);
    EXPECT(task_suspend(0) == OK);
    EXPECT(task_suspend(0) == ERROR_OVERFLOW);
    EXPECT(task_resume(0) == OK);
    EXPECT(task_resume(0) == OK);
    EXPECT(task_state(0) == TASK_SUSPENDED);
    EXPECT(task_resume(0) == OK);
    EXPECT(task_state(0) == TASK_READY);
    EXPECT(task_delete(0, 0) == OK);
    EXPECT(task_state(0) == TASK_FREE);
    EXPECT(task_suspend(0) == ERROR_STATE);
    EXPECT(task_create(0, 0) == OK);
    EXPECT(task_delete_hastily(0, 1) == OK);
    EXPECT(task_delete(0, MAILBOXES) == ERROR_NO_SUCH_OBJECT);
}

static void test_semaphores(void)
{
    EXPECT(semaphore_create(SEMAPHORES, 0) == ERROR_NO_SUCH_OBJECT);
    EXPECT(semaphore_create(0, MOST_COUNT + 1) == ERROR_ARGUMENT);
    EXPECT(semaphore_create(0, 1) == OK);
    EXPECT(semaphore_create(0, 1) == ERROR_STATE);
    EXPECT(semaphore_accept(0) == OK);
    EXPECT(semaphore_accept(0) == ERROR_EMPTY);
    EXPECT(task_create(2, 1) == OK);
    EXPECT(semaphore_pend(2, 0) == ERROR_TIMEOUT);
    EXPECT(task_state(2) == TASK_ON_SEMAPHORE);
    EXPECT(semaphore_delete(0) == ERROR_STATE);
    EXPECT(semaphore_post(0) == OK);
    EXPECT(task_state(2) == TASK_READY);
    EXPECT(semaphore_query(0) == 1);
    EXPECT(semaphore_pend(2, 0) == OK);
    EXPECT(semaphore_post(0) == OK);
    EXPECT(semaphore_post(0) == OK);
    EXPECT(semaphore_post(0) == OK);
    EXPECT(semaphore_post(0) == ERROR_OVERFLOW);
    EXPECT(semaphore_delete(0) == OK);
    EXPECT(semaphore_query(0) == 0);
    EXPECT(task_delete(2, 0) == OK);
}

static void test_mailboxes(void)
{
    EXPECT(mailbox_create(MAILBOXES) == ERROR_NO_SUCH_OBJECT);
    EXPECT(mailbox_create(1) == OK);
    EXPECT(mailbox_create(1) == ERROR_STATE);
    EXPECT(mailbox_post(1, 0) == ERROR_ARGUMENT);
    EXPECT(mailbox_accept(1) == 0);
    EXPECT(task_create(3, 1) == OK);
    EXPECT(mailbox_pend(3, 1) == 0);
    EXPECT(task_state(3) == TASK_ON_MAILBOX);
    EXPECT(mailbox_post(1, 7) == OK);
    EXPECT(task_state(3) == TASK_READY);
    EXPECT(mailbox_query(1) == 1);
    EXPECT(mailbox_post(1, 8) == ERROR_FULL);
    EXPECT(mailbox_pend(3, 1) == 7);
    EXPECT(mailbox_query(1) == 0);
    EXPECT(mailbox_pend(3, 1) == 0);
    EXPECT(task_delete(3, 1) == OK);
    EXPECT(mailbox_post(1, 9) == OK);
    EXPECT(task_state(3) == TASK_FREE);
    EXPECT(mailbox_accept(1) == 9);
}

static void test_flags(void)
{
    EXPECT(flags_post(-1) == ERROR_ARGUMENT);
    EXPECT(flags_post(1 << FLAGS) == ERROR_ARGUMENT);
    EXPECT(task_create(4, 1) == OK);
    EXPECT(flags_pend(4, 3) == ERROR_TIMEOUT);
    EXPECT(task_state(4) == TASK_ON_FLAGS);
    EXPECT(flags_post(3) == OK);
    EXPECT(task_state(4) == TASK_READY);
    EXPECT(flags_accept(3) == OK);
    EXPECT(flags_pend(4, 1) == OK);
    EXPECT(flags_clear(1) == OK);
    EXPECT(flags_accept(3) == ERROR_EMPTY);
    EXPECT(task_delete(4, 0) == OK);
}

static void test_memory(void)
{
    int id;

    for (id = 0; id < BLOCKS; id++)
        EXPECT(memory_get(1) == id);
    EXPECT(memory_get(1) == NOBODY);
    EXPECT(memory_free() == 0);
    EXPECT(memory_put(2, 0) == ERROR_STATE);
    EXPECT(memory_put(1, BLOCKS) == ERROR_ARGUMENT);
    EXPECT(memory_put(1, 2) == OK);
    EXPECT(memory_put(1, 2) == ERROR_STATE);
    EXPECT(memory_get(3) == 2);
    EXPECT(memory_put(3, 2) == OK);
    EXPECT(memory_free() == 1);
}

static void test_clock(void)
{
    int before = clock_get();

    EXPECT(task_create(5, 1) == OK);
    EXPECT(clock_delay(5, 0) == ERROR_ARGUMENT);
    EXPECT(clock_delay(5, 2) == OK);
    clock_tick();
    EXPECT(task_state(5) == TASK_DELAYED);
    clock_tick();
    EXPECT(task_state(5) == TASK_READY);
    EXPECT(clock_get() == ((before + 2) & 7));
    EXPECT(task_delete(5, 0) == OK);
}

int main(void)
{
    int i;

    test_sets();
    test_tasks();
    test_semaphores();
    test_mailboxes();
    test_flags();
    test_memory();
    test_clock();
    for (i = 0; i < LOCKS; i++)
        EXPECT(!held[i]);
    printf(failures ? "%d tests failed\n" : "all tests passed\n", failures);
    return failures != 0;
}

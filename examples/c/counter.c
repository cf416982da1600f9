/* Two workers count who is inside. One kind takes a lock first; the other kind does not. */

void assert(int holds);
void lock(void);
void unlock(void);

int inside = 0;

void careful(void)
{
    while (1) {
        lock();
        inside++;
        assert(inside <= 1);
        inside--;
        unlock();
    }
}

void careless(void)
{
    while (1) {
        inside++;
        assert(inside <= 1);
        inside--;
    }
}

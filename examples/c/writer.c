/* A procedure that takes a lock, writes, and gives the lock back. The routine `take` can fail. */

int take(int which);
void give(int which);
void write_record(int value);

int save(int value)
{
    int attempts = 0;
    int taken = -1;

    while (attempts < 3 && taken != 0) {
        taken = take(1);
        attempts++;
    }
    if (taken != 0)
        return -1;
    write_record(value);
    give(1);
    return 0;
}

/* The same, but whoever wrote it forgot that `take` can fail. */
int save_carelessly(int value)
{
    int taken = take(1);

    if (value > 0)
        write_record(value);
    if (taken == 0)
        give(1);
    return taken;
}

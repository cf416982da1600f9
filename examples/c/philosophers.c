/* Two philosophers, two forks. A philosopher thinks, takes the forks, eats, and puts them back. */

int __VERIFIER_nondet_int(void);

void take_left(void);
void take_right(void);
void put_left(void);
void put_right(void);
void eat(void);

void philosopher(void)
{
    int meals = 0;

    while (1) {
        int thought = 0;
        while (thought < 2)
            thought++;
        take_left();
        take_right();
        eat();
        meals++;
        put_right();
        put_left();
    }
}

/* This one takes the forks the other way round. */
void left_handed_philosopher(void)
{
    while (1) {
        take_right();
        take_left();
        eat();
        put_left();
        put_right();
    }
}

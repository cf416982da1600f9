/* A producer fills a table and says so; the consumer reads it after that. Events order the accesses: there is no lock. */

void assert(int holds);
void ready(void);
void empty(void);

int table[2];
int sum;

void producer(void)
{
    int round = 0;

    while (1) {
        table[0] = round;
        table[1] = 3 - round;
        ready();
        empty();
        assert(sum == 3);
        round = !round;
    }
}

void consumer(void)
{
    while (1) {
        int *p;

        ready();
        sum = 0;
        for (p = table; p != table + 2; p++)
            sum += *p;
        empty();
    }
}

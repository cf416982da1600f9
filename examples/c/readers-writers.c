/* Readers and writers. Many may read at the same time, and who writes is alone. The controller lets them in; how many
   readers there is room for, the specification says, so that these procedures serve any number. */

int __VERIFIER_nondet_int(void);
void assert(int holds);

void enter(void);
void leave(void);

int room(void);                 /* how many readers there is room for */
int wait_first(void);           /* 0: a reader enters, 1: a writer enters */
int wait_reader(void);          /* 0: a reader enters, 1: a reader leaves */
void wait_last(void);           /* a reader leaves */
void wait_writer(void);         /* the writer leaves */

enum { READER_ENTERS, WRITER_ENTERS };

_Thread_local int pages = 0;   /* of each reader and writer */

void reader(void)
{
    while (1) {
        int wanted = __VERIFIER_nondet_int();

        enter();
        pages = 0;
        while (pages < wanted && pages < 2)
            pages++;
        leave();
    }
}

void writer(void)
{
    while (1) {
        enter();
        pages++;
        leave();
    }
}

int readers = 0;
int writing = 0;

void controller(void)
{
    int most = room();

    while (1) {
        assert(readers >= 0 && readers <= most);
        assert(!writing || readers == 0);
        if (readers == 0) {
            if (wait_first() == WRITER_ENTERS) {
                writing = 1;
                wait_writer();
                writing = 0;
            } else {
                readers = 1;
            }
        } else if (readers < most) {
            if (wait_reader() == 0)
                readers++;
            else
                readers--;
        } else {
            wait_last();
            readers--;
        }
    }
}

/* Synchronous communication between threads: the queue of a receiver, with room for two messages.

   Urgent messages stand before the others, and messages of one priority in the order in which they came. */

void assert(int holds);

/* Waits for what is to be done next. */
int wait_operation(void);       /* see below */

/* Answers to it. */
void first_has_room(void);
void first_is_full(void);
void second_has_room(void);
void second_is_full(void);
void first_removed(void);
void first_taken(void);
void second_removed(void);
void second_taken(void);
void give_nothing(void);
void give_first(void);
void give_second(void);

enum operation {
    FIRST_ASKS,
    SECOND_ASKS,
    FIRST_PUTS_HIGH,
    FIRST_PUTS_LOW,
    SECOND_PUTS_HIGH,
    SECOND_PUTS_LOW,
    FIRST_CANCELS,
    SECOND_CANCELS,
    TAKE
};

enum { NOBODY, FIRST, SECOND };
enum { LOW, HIGH };
enum { ROOM = 2 };

int count = 0;
int owner[ROOM];
int priority[ROOM];

/* A message goes behind all that are at least as urgent. */
static void insert(int who, int urgency)
{
    int at = count;

    assert(count < ROOM);
    while (at > 0 && priority[at - 1] < urgency) {
        owner[at] = owner[at - 1];
        priority[at] = priority[at - 1];
        at--;
    }
    owner[at] = who;
    priority[at] = urgency;
    count++;
}

/* The messages behind one that is gone move up. */
static void close_gap(int at)
{
    int next;

    for (next = at + 1; next < count; next++) {
        owner[next - 1] = owner[next];
        priority[next - 1] = priority[next];
    }
    count--;
    owner[count] = NOBODY;
    priority[count] = LOW;
}

/* Where the message of a thread stands; behind the last one if it is not there. */
static int find(int who)
{
    int at = 0;

    while (at < count && owner[at] != who)
        at++;
    return at;
}

static int remove_message(int who)
{
    int at = find(who);

    if (at == count)
        return 0;
    close_gap(at);
    return 1;
}

static int take_first(void)
{
    int who;

    if (count == 0)
        return NOBODY;
    who = owner[0];
    close_gap(0);
    return who;
}

void message_queue(void)
{
    while (1) {
        assert(count >= 0 && count <= ROOM);
        switch (wait_operation()) {
        case FIRST_ASKS:
            if (count < ROOM)
                first_has_room();
            else
                first_is_full();
            break;
        case SECOND_ASKS:
            if (count < ROOM)
                second_has_room();
            else
                second_is_full();
            break;
        case FIRST_PUTS_HIGH:
            insert(FIRST, HIGH);
            break;
        case FIRST_PUTS_LOW:
            insert(FIRST, LOW);
            break;
        case SECOND_PUTS_HIGH:
            insert(SECOND, HIGH);
            break;
        case SECOND_PUTS_LOW:
            insert(SECOND, LOW);
            break;
        case FIRST_CANCELS:
            if (remove_message(FIRST))
                first_removed();
            else
                first_taken();
            break;
        case SECOND_CANCELS:
            if (remove_message(SECOND))
                second_removed();
            else
                second_taken();
            break;
        case TAKE:
            switch (take_first()) {
            case FIRST:
                give_first();
                break;
            case SECOND:
                give_second();
                break;
            default:
                give_nothing();
            }
            break;
        }
    }
}

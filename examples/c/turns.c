/* A server that turns a handle a hundred times before it replies, and one that may have to begin again. */

void request(void);
void turn(void);
void reply(void);
int again(void);

void server(void)
{
    int turns;

    while (1) {
        request();
        for (turns = 0; turns < 100; turns++)
            turn();
        reply();
    }
}

void patient_server(void)
{
    int turns;

    while (1) {
        request();
        for (turns = 0; turns < 100; turns++) {
            turn();
            if (again())
                turns = 0;
        }
        reply();
    }
}

/* A client and a server agree on a session before they exchange data, in the manner of secure sockets. Each is a loop
   around a state; what they tell each other are events, and what they find in a message is decided by others. */

int __VERIFIER_nondet_int(void);

void hello(void);
void hello_again(void);
void certificate(void);
void key(void);
void finished(void);
void data(void);
void alert(void);
int wait_for_client(void);
void assert(int holds);

enum {
    START = 1,
    WAIT_HELLO,
    WAIT_CERTIFICATE,
    SEND_KEY,
    WAIT_FINISHED,
    CONNECTED,
    CLOSED
};

void client(void)
{
    int state = START;
    int resumed = 0;
    int sent = 0;

    while (state != CLOSED) {
        switch (state) {
        case START:
            hello();
            state = WAIT_HELLO;
            break;
        case WAIT_HELLO:
            hello_again();
            resumed = 0;
            state = WAIT_CERTIFICATE;
            break;
        case WAIT_CERTIFICATE:
            certificate();
            if (__VERIFIER_nondet_int())
                state = SEND_KEY;
            else
                state = SEND_KEY + 10;
            break;
        case SEND_KEY:
            key();
            state = WAIT_FINISHED;
            break;
        case WAIT_FINISHED:
            finished();
            state = CONNECTED;
            break;
        case CONNECTED:
            data();
            sent++;
            break;
        default:
            alert();
            state = CLOSED;
            break;
        }
    }
}

void server(void)
{
    int state = WAIT_HELLO;

    while (state != CLOSED) {
        if (state == WAIT_HELLO) {
            hello();
            hello_again();
            state = WAIT_CERTIFICATE;
        } else if (state == WAIT_CERTIFICATE) {
            int good;
            certificate();
            good = 1;
            state = good ? SEND_KEY : CLOSED;
        } else if (state == SEND_KEY) {
            /* The client sends its key, or does not like the certificate. */
            int answered = wait_for_client();
            if (answered) {
                finished();
                state = CONNECTED;
            } else {
                state = CLOSED;
            }
        } else {
            assert(state == CONNECTED);
            data();
        }
    }
}

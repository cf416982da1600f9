/* The client of a session protocol in the manner of secure sockets: it greets, checks the certificate of the server,
   sends its own if it is asked to, sends a key, and exchanges data. A session can be resumed, which is shorter, and
   agreed on again while data flow. What is found in messages is decided by the network, so here it is any value. */

int __VERIFIER_nondet_int(void);
void assert(int holds);

/* What the client says. */
void client_hello(void);
void client_certificate(void);
void client_key(void);
void client_finished(void);
void client_data(void);
void renegotiate(void);
void bad_certificate(void);
void bye(void);

/* What it waits for; each returns which of the possible messages came. */
int wait_hello(void);          /* 0: a new session, 1: an old one is resumed, 2: the server refuses */
int wait_request(void);        /* 0: no certificate is asked for, 1: one is */
int wait_finished(void);       /* 0: the server has finished, 2: it refuses */
void server_certificate(void);
void server_done(void);

enum state {
    BEGIN = 1,
    HELLO_SENT,
    CHECK_CERTIFICATE,
    CHECK_REQUEST,
    WAIT_DONE,
    SEND_CERTIFICATE,
    SEND_KEY,
    SEND_FINISHED,
    WAIT_FINISHED,
    OPEN,
    REFUSE,
    CLOSED
};

int state = BEGIN;
int resumed = 0;
int asked = 0;
int trusted = 0;

static int certificate_is_good(void)
{
    int issuer = __VERIFIER_nondet_int();
    int age = __VERIFIER_nondet_int();

    if (issuer == 0)
        return 0;
    if (age < 0 || age > 365)
        return 0;
    return 1;
}

static void greet(void)
{
    int answer;

    answer = wait_hello();
    if (answer == 2) {
        state = CLOSED;
    } else if (answer == 1) {
        resumed = 1;
        trusted = 1;
        state = SEND_FINISHED;
    } else {
        resumed = 0;
        state = CHECK_CERTIFICATE;
    }
}

static void talk(void)
{
    int wish = __VERIFIER_nondet_int();

    switch (wish) {
    case 0:
        bye();
        state = CLOSED;
        break;
    case 1:
        renegotiate();
        state = BEGIN;
        break;
    default:
        assert(trusted);
        client_data();
        break;
    }
}

void client(void)
{
    while (state != CLOSED) {
        switch (state) {
        case BEGIN:
            asked = 0;
            trusted = 0;
            client_hello();
            state = HELLO_SENT;
            break;
        case HELLO_SENT:
            greet();
            break;
        case CHECK_CERTIFICATE:
            server_certificate();
            trusted = certificate_is_good();
            state = CHECK_REQUEST;
            break;
        case CHECK_REQUEST:
            asked = wait_request();
            state = WAIT_DONE;
            break;
        case WAIT_DONE:
            server_done();
            if (!trusted)
                state = REFUSE;
            else if (asked)
                state = SEND_CERTIFICATE;
            else
                state = SEND_KEY;
            break;
        case SEND_CERTIFICATE:
            assert(asked);
            client_certificate();
            state = SEND_KEY;
            break;
        case SEND_KEY:
            assert(!resumed);
            client_key();
            state = SEND_FINISHED;
            break;
        case SEND_FINISHED:
            client_finished();
            state = WAIT_FINISHED;
            break;
        case WAIT_FINISHED:
            if (wait_finished() == 0)
                state = OPEN;
            else
                state = CLOSED;
            break;
        case OPEN:
            talk();
            break;
        case REFUSE:
            bad_certificate();
            state = CLOSED;
            break;
        default:
            assert(0);
        }
    }
}

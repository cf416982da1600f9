/* The server of the session protocol. It decides whether a session is resumed and whether the client needs a
   certificate, and refuses a client whose key or summary is wrong. */

int __VERIFIER_nondet_int(void);
void assert(int holds);

/* What the server says. */
void server_hello(void);
void server_resumes(void);
void server_refuses(void);
void server_certificate(void);
void certificate_request(void);
void no_request(void);
void server_done(void);
void server_finished(void);

/* What it waits for. */
void client_hello(void);
int wait_answer(void);         /* 0: a key, 1: a certificate, 2: the client does not trust the server */
void client_key(void);
void client_finished(void);
int wait_order(void);          /* 0: bye, 1: renegotiate, 2: data */

enum phase { IDLE = 1, GREETED, FULL, WAITING, KEYED, CHECKING, TALKING, ENDED };

int phase = IDLE;
int resumes = 0;
int needs_certificate = 0;
int got_certificate = 0;
int sessions = 0;

static int session_is_known(int id)
{
    if (sessions == 0)
        return 0;
    return id == sessions;
}

static void answer_hello(void)
{
    int id = __VERIFIER_nondet_int();
    int version = __VERIFIER_nondet_int();

    got_certificate = 0;
    needs_certificate = 0;
    resumes = 0;
    if (version < 3) {
        server_refuses();
        phase = ENDED;
    } else if (session_is_known(id)) {
        resumes = 1;
        server_resumes();
        phase = CHECKING;
    } else {
        server_hello();
        phase = FULL;
    }
}

static void show_certificate(void)
{
    server_certificate();
    needs_certificate = __VERIFIER_nondet_int() ? 1 : 0;
    if (needs_certificate)
        certificate_request();
    else
        no_request();
    server_done();
    phase = WAITING;
}

static void take_answer(void)
{
    int answer = wait_answer();

    if (answer == 2) {
        phase = ENDED;
    } else if (answer == 1) {
        got_certificate = 1;
        client_key();
        phase = KEYED;
    } else {
        phase = KEYED;
    }
}

static void check_summary(void)
{
    int summary = __VERIFIER_nondet_int();

    client_finished();
    if (summary == 0) {
        server_refuses();
        phase = ENDED;
        return;
    }
    server_finished();
    sessions = 1;
    phase = TALKING;
}

void server(void)
{
    while (phase != ENDED) {
        switch (phase) {
        case IDLE:
            client_hello();
            phase = GREETED;
            break;
        case GREETED:
            answer_hello();
            break;
        case FULL:
            assert(!resumes);
            show_certificate();
            break;
        case WAITING:
            take_answer();
            break;
        case KEYED:
            assert(got_certificate == needs_certificate);
            phase = CHECKING;
            break;
        case CHECKING:
            check_summary();
            break;
        case TALKING:
            switch (wait_order()) {
            case 0: phase = ENDED; break;
            case 1: phase = IDLE; break;
            }
            break;
        }
    }
}

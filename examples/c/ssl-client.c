/* The client of a handshake in the manner of SSL.

   It greets, looks at the certificate of the server, sends its own if it is asked to, sends a key, changes to the cipher
   that was agreed on, and then exchanges data. A session can be resumed, which is shorter, and there the server finishes
   first. While data flow, the server can ask for a new handshake.

   What a message holds is decided by the network, so here it is any value. What the client finds wrong while the server
   speaks is remembered in `fault`, and told when it is the client's turn. `last` is the last message in which the client
   took part; nothing that it does depends on that. */

int __VERIFIER_nondet_int(void);

/* Messages of the client. */
void client_hello(void);
void client_certificate(void);
void no_certificate(void);
void client_key(void);
void certificate_verify(void);
void client_change_cipher(void);
void client_finished(void);
void client_data(void);
void client_close(void);
void client_alert(void);

/* Messages of the server, where only one can come. */
void server_certificate(void);
void server_finished(void);

/* Where several can come, a routine waits for one of them and says which. */
int wait_hello(void);           /* 0: a new session, 1: the old one is resumed, 2: an alert */
int wait_message(void);         /* 0: a key, 1: a request for a certificate, 2: the server is done */
int wait_change(void);          /* 0: the cipher is changed, 2: an alert */
int wait_answer(void);          /* 0: data, 1: a request for a new handshake, 2: an alert */

enum client_state {
    CONNECT = 1,
    HELLO_SENT,
    GET_CERTIFICATE,
    GET_MESSAGES,
    DECIDE,
    PUT_CERTIFICATE,
    PUT_KEY,
    PUT_VERIFY,
    PUT_CHANGE,
    PUT_FINISHED,
    GET_CHANGE,
    GET_FINISHED,
    OPEN,
    ASKED,
    CLOSED
};

enum message {
    NOTHING,
    CLIENT_HELLO,
    SERVER_HELLO,
    SERVER_RESUMES,
    SERVER_CERTIFICATE,
    SERVER_KEY,
    CERTIFICATE_REQUEST,
    SERVER_DONE,
    CLIENT_CERTIFICATE,
    NO_CERTIFICATE,
    CLIENT_KEY,
    CERTIFICATE_VERIFY,
    CLIENT_CHANGE_CIPHER,
    CLIENT_FINISHED,
    SERVER_CHANGE_CIPHER,
    SERVER_FINISHED,
    CLIENT_DATA,
    SERVER_DATA,
    HELLO_REQUEST,
    CLIENT_CLOSE,
    CLIENT_ALERT,
    SERVER_ALERT
};

enum fault { FINE, WRONG_VERSION, WRONG_SUITE, BAD_CERTIFICATE, BAD_SUMMARY, REFUSED };

enum suite { NO_SUITE, RSA_SUITE, DH_SUITE };

enum { NEWEST_VERSION = 3, OLDEST_VERSION = 2, LONGEST_LIFE = 825, MOST_HANDSHAKES = 3 };

int state = CONNECT;
int last = NOTHING;
int fault = FINE;
int suite = NO_SUITE;
int resumed = 0;                /* this session goes on from an old one */
int known = 0;                  /* there is an old one */
int trusted = 0;                /* the certificate of the server was good */
int asked = 0;                  /* the server wants a certificate */
int got_key = 0;                /* the server sent a key of its own */
int has_certificate = 0;        /* the client sent one */
int changed = 0;                /* what the client sends is enciphered */
int handshakes = 0;

static void forget(void)
{
    fault = FINE;
    suite = NO_SUITE;
    resumed = 0;
    trusted = 0;
    asked = 0;
    got_key = 0;
    has_certificate = 0;
    changed = 0;
}

/* What the server proposes has to be something that the client offered. */
static void check_proposal(void)
{
    int version = __VERIFIER_nondet_int();
    int proposed = __VERIFIER_nondet_int();

    if (version < OLDEST_VERSION || version > NEWEST_VERSION) {
        fault = WRONG_VERSION;
        return;
    }
    switch (proposed) {
    case RSA_SUITE:
        suite = RSA_SUITE;
        break;
    case DH_SUITE:
        suite = DH_SUITE;
        break;
    default:
        fault = WRONG_SUITE;
    }
}

static int certificate_is_good(void)
{
    int issuer = __VERIFIER_nondet_int();
    int from = __VERIFIER_nondet_int();
    int to = __VERIFIER_nondet_int();
    int name_fits = __VERIFIER_nondet_int();

    if (issuer == 0)
        return 0;
    if (from < 0 || to < from || to > LONGEST_LIFE)
        return 0;
    if (!name_fits)
        return 0;
    return 1;
}

static void get_hello(void)
{
    switch (wait_hello()) {
    case 0:
        last = SERVER_HELLO;
        resumed = 0;
        check_proposal();
        state = GET_CERTIFICATE;
        break;
    case 1:
        last = SERVER_RESUMES;
        resumed = 1;
        trusted = 1;            /* it was good when the session began */
        if (!known)
            fault = REFUSED;
        state = GET_CHANGE;
        break;
    default:
        last = SERVER_ALERT;
        state = CLOSED;
    }
}

static void get_messages(void)
{
    switch (wait_message()) {
    case 0:
        last = SERVER_KEY;
        got_key = 1;
        if (suite == RSA_SUITE && !fault)
            fault = WRONG_SUITE;
        break;
    case 1:
        last = CERTIFICATE_REQUEST;
        asked = 1;
        break;
    default:
        last = SERVER_DONE;
        state = DECIDE;
    }
}

/* The server waits: go on with the handshake, or give it up. */
static void decide(void)
{
    if (!fault && suite == DH_SUITE && !got_key)
        fault = WRONG_SUITE;
    if (!fault && !trusted)
        fault = BAD_CERTIFICATE;
    if (fault) {
        client_alert();
        last = CLIENT_ALERT;
        state = CLOSED;
    } else if (asked) {
        state = PUT_CERTIFICATE;
    } else {
        state = PUT_KEY;
    }
}

static void put_certificate(void)
{
    int has_one = __VERIFIER_nondet_int();

    if (has_one) {
        client_certificate();
        last = CLIENT_CERTIFICATE;
        has_certificate = 1;
    } else {
        no_certificate();
        last = NO_CERTIFICATE;
    }
    state = PUT_KEY;
}

static void get_finished(void)
{
    int summary = __VERIFIER_nondet_int();

    server_finished();
    last = SERVER_FINISHED;
    if (summary == 0 && !fault)
        fault = BAD_SUMMARY;
    if (resumed) {
        if (fault) {
            client_alert();
            last = CLIENT_ALERT;
            state = CLOSED;
        } else {
            state = PUT_CHANGE;
        }
    } else {
        state = OPEN;
    }
}

/* The client speaks first here, too. */
static void talk(void)
{
    int wish = __VERIFIER_nondet_int();

    if (fault) {
        client_alert();
        last = CLIENT_ALERT;
        state = CLOSED;
        return;
    }
    known = 1;
    switch (wish) {
    case 0:
        client_close();
        last = CLIENT_CLOSE;
        state = CLOSED;
        break;
    case 1:
        handshakes = 0;
        state = CONNECT;
        break;
    default:
        client_data();
        last = CLIENT_DATA;
        state = ASKED;
    }
}

static void get_answer(void)
{
    switch (wait_answer()) {
    case 0:
        last = SERVER_DATA;
        state = OPEN;
        break;
    case 1:
        last = HELLO_REQUEST;
        if (handshakes < MOST_HANDSHAKES) {
            handshakes++;
            state = CONNECT;
        } else {
            client_alert();
            last = CLIENT_ALERT;
            state = CLOSED;
        }
        break;
    default:
        last = SERVER_ALERT;
        state = CLOSED;
    }
}

int client(void)
{
    while (state != CLOSED) {
        switch (state) {
        case CONNECT:
            forget();
            client_hello();
            last = CLIENT_HELLO;
            state = HELLO_SENT;
            break;
        case HELLO_SENT:
            get_hello();
            break;
        case GET_CERTIFICATE:
            server_certificate();
            last = SERVER_CERTIFICATE;
            trusted = certificate_is_good();
            state = GET_MESSAGES;
            break;
        case GET_MESSAGES:
            get_messages();
            break;
        case DECIDE:
            decide();
            break;
        case PUT_CERTIFICATE:
            put_certificate();
            break;
        case PUT_KEY:
            client_key();
            last = CLIENT_KEY;
            state = has_certificate ? PUT_VERIFY : PUT_CHANGE;
            break;
        case PUT_VERIFY:
            certificate_verify();
            last = CERTIFICATE_VERIFY;
            state = PUT_CHANGE;
            break;
        case PUT_CHANGE:
            client_change_cipher();
            last = CLIENT_CHANGE_CIPHER;
            changed = 1;
            state = PUT_FINISHED;
            break;
        case PUT_FINISHED:
            client_finished();
            last = CLIENT_FINISHED;
            state = resumed ? OPEN : GET_CHANGE;
            break;
        case GET_CHANGE:
            if (wait_change() == 0) {
                last = SERVER_CHANGE_CIPHER;
                state = GET_FINISHED;
            } else {
                last = SERVER_ALERT;
                state = CLOSED;
            }
            break;
        case GET_FINISHED:
            get_finished();
            break;
        case OPEN:
            talk();
            break;
        case ASKED:
            get_answer();
            break;
        }
    }
    return fault;
}

/* The server of a handshake in the manner of SSL; see `ssl-client.c`.

   It chooses a cipher suite, shows its certificate, may ask for one of the client, takes the key, and finishes. A session
   that it remembers can be resumed, but not forever. What it finds wrong while the client speaks is remembered in `fault`
   and told when it is the server's turn. `last` is the last message in which the server took part; nothing that it does
   depends on that. */

int __VERIFIER_nondet_int(void);

/* Messages of the server. */
void server_hello(void);
void server_resumes(void);
void server_certificate(void);
void server_key(void);
void certificate_request(void);
void server_done(void);
void server_change_cipher(void);
void server_finished(void);
void server_data(void);
void hello_request(void);
void server_alert(void);

/* Messages of the client, where only one can come. */
void client_hello(void);
void certificate_verify(void);
void client_finished(void);

/* Where several can come, a routine waits for one of them and says which. */
int wait_certificate(void);     /* 0: a certificate, 1: none, 2: an alert */
int wait_key(void);             /* 0: a key, 2: an alert */
int wait_client_change(void);   /* 0: the cipher is changed, 2: an alert */
int wait_order(void);           /* 0: data, 1: a new handshake, 2: close, 3: an alert */
int wait_restart(void);         /* 1: a new handshake, 3: an alert */

enum server_state {
    ACCEPT = 1,
    CHOOSE,
    SHOW_CERTIFICATE,
    SHOW_KEY,
    ASK_CERTIFICATE,
    SAY_DONE,
    TAKE_CERTIFICATE,
    TAKE_KEY,
    TAKE_VERIFY,
    TAKE_CHANGE,
    TAKE_FINISHED,
    CHANGE_CIPHER,
    FINISH,
    TALK,
    ANSWER,
    RESTART,
    ENDED
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

enum fault { FINE, NO_COMMON_SUITE, NEEDS_CERTIFICATE, BAD_CERTIFICATE, BAD_SIGNATURE, BAD_SUMMARY, TOLD };

enum suite { NO_SUITE, RSA_SUITE, DH_SUITE };

enum { LONGEST_SESSION = 86400 };

int phase = ACCEPT;
int last = NOTHING;
int fault = FINE;
int suite = NO_SUITE;
int resumes = 0;                /* this session goes on from an old one */
int sessions = 0;               /* there is an old one */
int asks = 0;                   /* a certificate of the client is wanted */
int insists = 0;                /* without it there is no session */
int got_certificate = 0;
int changed = 0;                /* what the server sends is enciphered */

static void forget(void)
{
    fault = FINE;
    suite = NO_SUITE;
    resumes = 0;
    asks = 0;
    insists = 0;
    got_certificate = 0;
    changed = 0;
}

static int session_is_fresh(void)
{
    int asked_for = __VERIFIER_nondet_int();
    int age = __VERIFIER_nondet_int();

    if (sessions == 0 || !asked_for)
        return 0;
    return age >= 0 && age < LONGEST_SESSION;
}

/* The best suite that both know. */
static void choose_suite(void)
{
    int offered = __VERIFIER_nondet_int();

    if (offered & 2)
        suite = DH_SUITE;
    else if (offered & 1)
        suite = RSA_SUITE;
    else
        fault = NO_COMMON_SUITE;
}

static void choose(void)
{
    if (session_is_fresh()) {
        resumes = 1;
        server_resumes();
        last = SERVER_RESUMES;
        phase = CHANGE_CIPHER;
        return;
    }
    choose_suite();
    if (fault) {
        server_alert();
        last = SERVER_ALERT;
        phase = ENDED;
    } else {
        server_hello();
        last = SERVER_HELLO;
        phase = SHOW_CERTIFICATE;
    }
}

static void ask_certificate(void)
{
    int policy = __VERIFIER_nondet_int();

    if (policy > 0) {
        certificate_request();
        last = CERTIFICATE_REQUEST;
        asks = 1;
        insists = policy > 1;
    }
    phase = SAY_DONE;
}

static void take_certificate(void)
{
    int is_good = __VERIFIER_nondet_int();

    switch (wait_certificate()) {
    case 0:
        last = CLIENT_CERTIFICATE;
        got_certificate = 1;
        if (!is_good)
            fault = BAD_CERTIFICATE;
        phase = TAKE_KEY;
        break;
    case 1:
        last = NO_CERTIFICATE;
        if (insists)
            fault = NEEDS_CERTIFICATE;
        phase = TAKE_KEY;
        break;
    default:
        last = CLIENT_ALERT;
        fault = TOLD;
        phase = ENDED;
    }
}

static void take_key(void)
{
    if (wait_key() == 0) {
        last = CLIENT_KEY;
        phase = got_certificate ? TAKE_VERIFY : TAKE_CHANGE;
    } else {
        last = CLIENT_ALERT;
        fault = TOLD;
        phase = ENDED;
    }
}

static void take_verify(void)
{
    int signature = __VERIFIER_nondet_int();

    certificate_verify();
    last = CERTIFICATE_VERIFY;
    if (signature == 0 && !fault)
        fault = BAD_SIGNATURE;
    phase = TAKE_CHANGE;
}

static void take_finished(void)
{
    int summary = __VERIFIER_nondet_int();

    client_finished();
    last = CLIENT_FINISHED;
    if (summary == 0 && !fault)
        fault = BAD_SUMMARY;
    phase = resumes ? TALK : CHANGE_CIPHER;
}

static void change_cipher(void)
{
    if (fault) {
        server_alert();
        last = SERVER_ALERT;
        phase = ENDED;
    } else {
        server_change_cipher();
        last = SERVER_CHANGE_CIPHER;
        changed = 1;
        phase = FINISH;
    }
}

static void take_order(int order)
{
    switch (order) {
    case 0:
        last = CLIENT_DATA;
        phase = ANSWER;
        break;
    case 1:
        last = CLIENT_HELLO;
        forget();
        phase = CHOOSE;
        break;
    case 2:
        last = CLIENT_CLOSE;
        phase = ENDED;
        break;
    default:
        last = CLIENT_ALERT;
        fault = TOLD;
        phase = ENDED;
    }
}

static void answer(void)
{
    int tired = __VERIFIER_nondet_int();

    if (fault) {
        server_alert();
        last = SERVER_ALERT;
        phase = ENDED;
    } else if (tired) {
        hello_request();
        last = HELLO_REQUEST;
        sessions = 0;
        phase = RESTART;
    } else {
        server_data();
        last = SERVER_DATA;
        sessions = 1;
        phase = TALK;
    }
}

int server(void)
{
    while (phase != ENDED) {
        switch (phase) {
        case ACCEPT:
            client_hello();
            last = CLIENT_HELLO;
            forget();
            phase = CHOOSE;
            break;
        case CHOOSE:
            choose();
            break;
        case SHOW_CERTIFICATE:
            server_certificate();
            last = SERVER_CERTIFICATE;
            phase = suite == DH_SUITE ? SHOW_KEY : ASK_CERTIFICATE;
            break;
        case SHOW_KEY:
            server_key();
            last = SERVER_KEY;
            phase = ASK_CERTIFICATE;
            break;
        case ASK_CERTIFICATE:
            ask_certificate();
            break;
        case SAY_DONE:
            server_done();
            last = SERVER_DONE;
            phase = asks ? TAKE_CERTIFICATE : TAKE_KEY;
            break;
        case TAKE_CERTIFICATE:
            take_certificate();
            break;
        case TAKE_KEY:
            take_key();
            break;
        case TAKE_VERIFY:
            take_verify();
            break;
        case TAKE_CHANGE:
            if (wait_client_change() == 0) {
                last = CLIENT_CHANGE_CIPHER;
                phase = TAKE_FINISHED;
            } else {
                last = CLIENT_ALERT;
                fault = TOLD;
                phase = ENDED;
            }
            break;
        case TAKE_FINISHED:
            take_finished();
            break;
        case CHANGE_CIPHER:
            change_cipher();
            break;
        case FINISH:
            server_finished();
            last = SERVER_FINISHED;
            phase = resumes ? TAKE_CHANGE : TALK;
            break;
        case TALK:
            take_order(wait_order());
            break;
        case ANSWER:
            answer();
            break;
        case RESTART:
            take_order(wait_restart());
            break;
        }
    }
    return fault;
}

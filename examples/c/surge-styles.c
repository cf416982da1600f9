/* The surge protector in three styles: the current never changes to more than the threshold, which changes, too. What the
   range is and which events `current` and `limit` are, the specification says, so that these procedures serve any range. */

int __VERIFIER_nondet_int(void);

int range(void);                /* the largest current */
void current(int value);        /* the current becomes `value` */
void limit(int value);          /* the threshold becomes `value` */

int threshold = 0;
int flowing = 0;

/* States and events: the threshold is a variable, the current is an event. */
void protector(void)
{
    int most = range();

    while (1) {
        int wanted = __VERIFIER_nondet_int();

        if (wanted < 0 || wanted > most)
            continue;
        if (__VERIFIER_nondet_int())
            threshold = wanted;
        else if (wanted <= threshold)
            current(wanted);
    }
}

/* Events alone: both are told. */
void telling_protector(void)
{
    int most = range();

    while (1) {
        int wanted = __VERIFIER_nondet_int();

        if (wanted < 0 || wanted > most)
            continue;
        if (__VERIFIER_nondet_int()) {
            limit(wanted);
            threshold = wanted;
        } else if (wanted <= threshold) {
            current(wanted);
        }
    }
}

/* States alone: both are kept. */
void silent_protector(void)
{
    int most = range();

    while (1) {
        int wanted = __VERIFIER_nondet_int();

        if (wanted < 0 || wanted > most)
            continue;
        if (__VERIFIER_nondet_int())
            threshold = wanted;
        else if (wanted <= threshold)
            flowing = wanted;
    }
}

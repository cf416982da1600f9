/* A protector that lets the current change to a value only up to a threshold, which changes, too. */

int __VERIFIER_nondet_int(void);

/* What the world sees: the current becomes 0, 1, 2 or 3. */
void current0(void);
void current1(void);
void current2(void);
void current3(void);

enum { RANGE = 3 };

int threshold = 0;

static void set_current(int value)
{
    switch (value) {
    case 0: current0(); break;
    case 1: current1(); break;
    case 2: current2(); break;
    case 3: current3(); break;
    }
}

void protector(void)
{
    while (1) {
        int wanted = __VERIFIER_nondet_int();
        if (wanted < 0 || wanted > RANGE)
            continue;
        if (__VERIFIER_nondet_int())
            threshold = wanted;
        else if (wanted <= threshold)
            set_current(wanted);
    }
}

/* The comparison was taken the wrong way round. */
void careless_protector(void)
{
    while (1) {
        int wanted = __VERIFIER_nondet_int();
        if (wanted < 0 || wanted > RANGE)
            continue;
        if (__VERIFIER_nondet_int())
            threshold = wanted;
        else if (wanted >= threshold)
            set_current(wanted);
    }
}

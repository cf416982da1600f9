/* A counter that stops at its limit. The loop may go round any number of times; the invariant is that the count
   never passes the limit. */
#define LIMIT 200

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static unsigned char count;

static void add(unsigned char amount) {
  if (count > LIMIT - amount)
    count = LIMIT;
  else
    count = count + amount;
}

int main(void) {
  while (__VERIFIER_nondet_int()) {
    if (count > LIMIT)
      reach_error();
    add(3);
  }
  return 0;
}

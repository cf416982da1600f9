/* A driver that holds a lock while it looks at a queue and gives it back while it works. The lock must not be taken
   twice, nor given back twice. One way round the loop is wrong: a request that has failed is tried again with the
   lock still held. */
extern int __VERIFIER_nondet_int(void);

enum { FREE, HELD };

int main(void) {
  int lock = FREE, failed, waiting;
  do {
    if (lock == HELD)
      goto ERROR;
    lock = HELD;
    failed = 0;
    waiting = __VERIFIER_nondet_int();
    if (waiting) {
      failed = __VERIFIER_nondet_int();
      if (!failed)
        lock = FREE;
    }
  } while (failed || waiting);
  if (lock == FREE)
    goto ERROR;
  return 0;
ERROR:
  return 1;
}

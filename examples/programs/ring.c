/* A ring buffer of eight places. Nothing is asserted, so what counts are faults at run time: no index leaves the array,
   however many bytes come and go. */
extern int __VERIFIER_nondet_int(void);

static unsigned char buffer[8];
static unsigned first, used;

static void put(unsigned char byte) {
  if (used == 8)
    return;
  buffer[(first + used) % 8] = byte;
  used = used + 1;
}

static unsigned char take(void) {
  unsigned char byte = buffer[first];
  first = first + 1;
  if (first == 8)
    first = 0;
  used = used - 1;
  return byte;
}

int main(void) {
  unsigned char last = 0;
  for (;;) {
    if (__VERIFIER_nondet_int())
      put(last + 1);
    else if (used > 0)
      last = take();
  }
}

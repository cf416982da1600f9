/* The mean of two numbers lies between them. It does not where their sum is too large for an `int`: the sum wraps
   around, and the mean is negative. */
extern int __VERIFIER_nondet_int(void);
extern void assert(int holds);

static int mean(int low, int high) {
  return (low + high) / 2;
}

int main(void) {
  int low = __VERIFIER_nondet_int();
  int high = __VERIFIER_nondet_int();
  if (low < 0 || high < low)
    return 0;
  int middle = mean(low, high);
  assert(low <= middle && middle <= high);
  return 0;
}

//! The inputs of a C program, the same for an interpreter written in Rust and for a compiled program.

/// The inputs of a run, from a seed: small numbers of both signs, the corners of the types, and any numbers.
pub struct Inputs(pub u64);

/// The same in C: `next()` gives the next input of `state`.
pub const INPUTS_IN_C: &str = "
static unsigned long long state;
static unsigned long long next_input(void) {
  static const unsigned long long odd[] = {0, 1, ~0ULL, 0x7fffffff, 0x80000000, 0x7f, 0x80, 1ULL << 63};
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  unsigned long long v = state >> 16;
  switch (state >> 60 & 3) {
    case 0: return v & 15;
    case 1: return -(v & 15);
    case 2: return odd[v & 7];
    default: return v * 0x9e3779b97f4a7c15ULL;
  }
}
";

/// The functions that ask for inputs, in C, by a function `next`.
pub const NONDET_IN_C: &str = "
int __VERIFIER_nondet_int(void) { return next(); }
unsigned int __VERIFIER_nondet_uint(void) { return next(); }
char __VERIFIER_nondet_char(void) { return next(); }
unsigned char __VERIFIER_nondet_uchar(void) { return next(); }
short __VERIFIER_nondet_short(void) { return next(); }
unsigned short __VERIFIER_nondet_ushort(void) { return next(); }
long __VERIFIER_nondet_long(void) { return next(); }
unsigned long __VERIFIER_nondet_ulong(void) { return next(); }
_Bool __VERIFIER_nondet_bool(void) { return next() & 1; }
";

impl Inputs {
    /// The next input.
    #[allow(clippy::should_implement_trait, reason = "there is no end to iterate to")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let v = self.0 >> 16;
        match self.0 >> 60 & 3 {
            0 => v & 15,
            1 => (v & 15).wrapping_neg(),
            2 => [0, 1, u64::MAX, 0x7fff_ffff, 0x8000_0000, 0x7f, 0x80, 1 << 63][(v & 7) as usize],
            _ => v.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        }
    }
}

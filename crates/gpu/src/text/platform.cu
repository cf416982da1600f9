// --- What a device and a host spell differently ----------------------------------------------------------------------

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;

// Entries of the table that are read at once.
#define BUCKET 4

#ifdef __CUDACC__
#define INLINE static __device__ __forceinline__
#define APART static __device__ __noinline__
#define PRAGMA(text) _Pragma(#text)
#define UNROLL _Pragma("unroll")
#define UNROLL_FEW(n) PRAGMA(unroll (n) < MOST_UNROLLED ? (n) + 1 : 1)
#define TABLE static __device__ const
#define KERNEL extern "C" __global__ void
#define BOUNDED extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
#define FOR_EACH(k, n) \
  for (u64 k = blockIdx.x * (u64)blockDim.x + threadIdx.x; k < (n); k += gridDim.x * (u64)blockDim.x)
INLINE u64 high_product(u64 a, u64 b) { return __umul64hi(a, b); }
INLINE u64 exchange(u64* at, u64 expected, u64 value) { return atomicCAS(at, expected, value); }
// Entries are read without a fence: what an entry points to is read at an address that depends on it, from the cache that all
// processors share, where its writer put it before. A reader that saw less would add a state twice, and counts would differ.
INLINE void read_bucket(const u64* at, u64* e) {
  for (int i = 0; i < BUCKET; i += 2)
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(e[i]), "=l"(e[i + 1]) : "l"(at + i) : "memory");
}
INLINE void publish() { __threadfence(); }
INLINE u32 read_shared(const u32* at) { return __ldcg(at); }
INLINE void add(u64* at, u64 n) { if (n) atomicAdd(at, n); }
// A new number; the threads of a warp that ask together ask once.
INLINE u64 take(u64* at) {
  u32 active = __activemask(), lane = threadIdx.x & 31, first = __ffs(active) - 1;
  u64 base = 0;
  if (lane == first) base = atomicAdd(at, (u64)__popc(active));
  return __shfl_sync(active, base, first) + __popc(active & ((1u << lane) - 1));
}
// The sum over a warp of which all threads come here.
INLINE void add_all(u64* at, u64 n) {
  for (int d = 16; d; d /= 2) n += __shfl_down_sync(~0u, n, d);
  if ((threadIdx.x & 31) == 0) add(at, n);
}
#else
#define INLINE static inline
#define APART static
#define UNROLL
#define UNROLL_FEW(n)
#define TABLE static const
#define KERNEL extern "C" void
#define BOUNDED extern "C" void
#define FOR_EACH(k, n) for (u64 k = 0; k < (n); k++)
INLINE u64 high_product(u64 a, u64 b) { return (u64)(((unsigned __int128)a * b) >> 64); }
INLINE u64 exchange(u64* at, u64 expected, u64 value) { u64 old = *at; if (old == expected) *at = value; return old; }
INLINE void read_bucket(const u64* at, u64* e) { for (int i = 0; i < BUCKET; i++) e[i] = at[i]; }
INLINE void publish() {}
INLINE u32 read_shared(const u32* at) { return *at; }
INLINE void add(u64* at, u64 n) { *at += n; }
INLINE u64 take(u64* at) { return (*at)++; }
INLINE void add_all(u64* at, u64 n) { *at += n; }
#endif

// --- Values: 32-bit integers that wrap, as in the semantics ----------------------------------------------------------

// What one look at a state carries along. `bad`: something here is for the CPU.
struct Look {
  int bad, timeout, run;
  int queue, fields;
  i32 message[FIELDS];
};

// A state as it is stored; `bad`: a value did not fit its field.
struct alignas(16) State { u32 s[WORDS], bad; };

enum { NO, YES, MEETS, FLAG };

INLINE i32 plus(i32 a, i32 b) { return (i32)((u32)a + (u32)b); }
INLINE i32 minus(i32 a, i32 b) { return (i32)((u32)a - (u32)b); }
INLINE i32 times(i32 a, i32 b) { return (i32)((u32)a * (u32)b); }
INLINE i32 shift_left(i32 a, i32 b) { return (i32)((u32)a << (b & 31)); }
INLINE i32 shift_right(i32 a, i32 b) { return a >> (b & 31); }
INLINE i32 quotient(Look& c, i32 a, i32 b) {
  if (b == 0) { c.bad = 1; return 0; }
  return b == -1 ? minus(0, a) : a / b;
}
INLINE i32 rest(Look& c, i32 a, i32 b) {
  if (b == 0) { c.bad = 1; return 0; }
  return b == -1 ? 0 : a % b;
}
INLINE i32 checked(Look& c, i32 i, i32 len) {
  if ((u32)i < (u32)len) return i;
  c.bad = 1;
  return 0;
}
INLINE i32 for_the_cpu(Look& c) { c.bad = 1; return 0; }

// A loop over words in registers is always unrolled, since these have no addresses.
enum { MOST_UNROLLED = IN_MEMORY ? 4 : 100 };

// --- Bits of a state -------------------------------------------------------------------------------------------------

INLINE u32 low(int n) { return (u32)((1ull << n) - 1); }
// At a place that is known when the text is compiled.
template <int bit, int n> INLINE u32 get(const State& v) {
  u32 x = v.s[bit / 32] >> bit % 32;
  if constexpr (bit % 32 + n > 32) x |= v.s[bit / 32 + 1] << (32 - bit % 32);
  return x & low(n);
}
template <int bit, int n> INLINE void put(State& v, u32 x) {
  v.bad |= (u32)((u64)x >> n);
  x &= low(n);
  v.s[bit / 32] = (v.s[bit / 32] & ~(low(n) << bit % 32)) | x << bit % 32;
  if constexpr (bit % 32 + n > 32)
    v.s[bit / 32 + 1] = (v.s[bit / 32 + 1] & ~(low(n) >> (32 - bit % 32))) | x >> (32 - bit % 32);
}
// At any place in the words from one to another. A state that is worked on in registers has no addresses, so one of a few words is
// chosen; one in memory has them, and no choice to compile.
template <int from, int to> INLINE u32 word(const State& v, int i) {
  if (IN_MEMORY && from < to) return (u32)i < WORDS ? v.s[i] : 0;
  u32 x = 0;
  UNROLL for (int k = from; k <= to; k++) if (k == i) x = v.s[k];
  return x;
}
template <int from, int to> INLINE void set_word(State& v, int i, u32 mask, u32 x) {
  if (IN_MEMORY && from < to) { if ((u32)i < WORDS) v.s[i] = (v.s[i] & ~mask) | x; return; }
  UNROLL for (int k = from; k <= to; k++) if (k == i) v.s[k] = (v.s[k] & ~mask) | x;
}
template <int from, int to> INLINE u32 get(const State& v, int bit, int n) {
  int i = bit >> 5, shift = bit & 31;
  u32 x = word<from, to>(v, i) >> shift;
  if (from < to && shift + n > 32) x |= word<from, to>(v, i + 1) << (32 - shift);
  return x & low(n);
}
template <int from, int to> INLINE void put(State& v, int bit, int n, u32 x) {
  int i = bit >> 5, shift = bit & 31;
  v.bad |= (u32)((u64)x >> n);
  x &= low(n);
  set_word<from, to>(v, i, low(n) << shift, x << shift);
  if (from < to && shift + n > 32) set_word<from, to>(v, i + 1, low(n) >> (32 - shift), x >> (32 - shift));
}
// The bits of word `k` from one place up to another.
INLINE u32 between(int from, int to, int k) {
  int a = from - 32 * k, b = to - 32 * k;
  a = a < 0 ? 0 : a > 32 ? 32 : a;
  b = b < a ? a : b > 32 ? 32 : b;
  return low(b) & ~low(a);
}
// Words from one to another: the bits from `start` up to `end` are cleared, or those behind `start` come `n` bits closer, or all
// of them go `n` bits away and the last are lost.
template <int from, int to> INLINE void clear(State& v, int start, int end) {
  UNROLL_FEW(to - from) for (int k = from; k <= to; k++) v.s[k] &= ~between(start, end, k);
}
template <int from, int to> INLINE void closer(State& v, int start, int end, int n) {
  UNROLL_FEW(to - from) for (int k = from; k <= to; k++) {
    int i = k + n / 32, shift = n % 32;
    u32 x = i <= to ? v.s[i] >> shift : 0;
    if (shift && i + 1 <= to) x |= v.s[i + 1] << (32 - shift);
    v.s[k] = (v.s[k] & ~between(start, end, k)) | (x & between(start, end - n, k));
  }
}
template <int from, int to> INLINE void away(State& v, int start, int end, int n) {
  UNROLL_FEW(to - from) for (int k = to; k >= from; k--) {
    int i = k - n / 32, shift = n % 32;
    u32 x = i >= from ? v.s[i] << shift : 0;
    if (shift && i - 1 >= from) x |= v.s[i - 1] >> (32 - shift);
    v.s[k] = (v.s[k] & ~between(start, end, k)) | (x & between(start + n, end, k));
  }
}

// --- Digests: the same numbers as the CPU's ----------------------------------------------------------------------------

struct Digest { u64 high, low, word; int bytes; };
#define HIGH_FACTOR 0x9e3779b97f4a7c15ull
#define HIGH_START 0xa0761d6478bd642full
#define LOW_FACTOR 0xe7037ed1a0b428dbull
#define LOW_START 0x8ebc6af09c88c6e3ull

INLINE u64 fold(u64 a, u64 factor) { return a * factor ^ high_product(a, factor); }
INLINE void digest_word(Digest& d, u64 word) {
  d.high = fold(d.high ^ word, HIGH_FACTOR) + HIGH_START;
  d.low = fold(d.low ^ word, LOW_FACTOR) + LOW_START;
}
// Adds the low bytes of a value, at most eight; the others are zero.
INLINE void add_bytes(Digest& d, u64 x, int bytes) {
  d.word |= x << (8 * d.bytes);
  d.bytes += bytes;
  if (d.bytes < 8) return;
  d.bytes -= 8;
  digest_word(d, d.word);
  d.word = d.bytes ? x >> (8 * (bytes - d.bytes)) : 0;
}
// Where it is known how many bytes came before, little of this is left; elsewhere the text is there once.
APART void add_bytes_apart(Digest& d, u64 x, int bytes) { add_bytes(d, x, bytes); }


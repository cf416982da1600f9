// --- What a device and a host spell differently ----------------------------------------------------------------------

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;

#ifdef __CUDACC__
#define INLINE static __device__ __forceinline__
#define APART static __device__ __noinline__
#define TABLE static __device__ const
#define KERNEL extern "C" __global__ void
#define FOR_EACH(k, n) \
  for (u64 k = blockIdx.x * (u64)blockDim.x + threadIdx.x; k < (n); k += gridDim.x * (u64)blockDim.x)
INLINE u64 high_product(u64 a, u64 b) { return __umul64hi(a, b); }
INLINE u64 exchange(u64* at, u64 expected, u64 value) { return atomicCAS(at, expected, value); }
INLINE u64 read_entry(const u64* at) {
  u64 x;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(at) : "memory");
  return x;
}
INLINE u32 read_shared(const u32* at) { return __ldcg(at); }
INLINE void publish() { __threadfence(); }
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
#define TABLE static const
#define KERNEL extern "C" void
#define FOR_EACH(k, n) for (u64 k = 0; k < (n); k++)
INLINE u64 high_product(u64 a, u64 b) { return (u64)(((unsigned __int128)a * b) >> 64); }
INLINE u64 exchange(u64* at, u64 expected, u64 value) { u64 old = *at; if (old == expected) *at = value; return old; }
INLINE u64 read_entry(const u64* at) { return *at; }
INLINE u32 read_shared(const u32* at) { return *at; }
INLINE void publish() {}
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

struct alignas(16) State { u8 b[SIZE]; };

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

INLINE i32 get_bit(const State& v, int a) { return v.b[a >> 3] >> (a & 7) & 1; }
INLINE i32 get_u8(const State& v, int a) { return v.b[a]; }
INLINE i32 get_u16(const State& v, int a) { return v.b[a] | v.b[a + 1] << 8; }
INLINE i32 get_i16(const State& v, int a) { return (short)get_u16(v, a); }
INLINE i32 get_i32(const State& v, int a) { return (i32)((u32)get_u16(v, a) | (u32)get_u16(v, a + 2) << 16); }
INLINE void set_bit(State& v, int a, i32 x) { v.b[a >> 3] = (u8)((v.b[a >> 3] & ~(1 << (a & 7))) | (x & 1) << (a & 7)); }
INLINE void set_u8(State& v, int a, i32 x) { v.b[a] = (u8)x; }
INLINE void set_u16(State& v, int a, i32 x) { v.b[a] = (u8)x; v.b[a + 1] = (u8)(x >> 8); }
INLINE void set_i16(State& v, int a, i32 x) { set_u16(v, a, x); }
INLINE void set_i32(State& v, int a, i32 x) { set_u16(v, a, x); set_u16(v, a + 2, x >> 16); }
INLINE int processes(const State& v) { return v.b[0]; }


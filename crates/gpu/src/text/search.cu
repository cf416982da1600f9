// --- The set of states: a table of tags and numbers, and the states themselves, in segments --------------------------

struct Out {
  u64 used, full, flagged, holes, moved, gaps, transitions, digest[4];
};

struct Args {
  u64* table;
  u64 slots;
  u32* const* states;
  u32* const* parents;
  u8* reached;
  u32* list;
  u32* holes;
  u32* staging;
  Out* out;
  u64 first, count, limit;
};

#define NONE (~0ull)
// In place of the parent: the number has no state.
#define HOLE 0xfffffffeu

INLINE u32* state_at(const Args& a, u32 id) { return a.states[id >> SEGMENT] + (u64)(id & ((1u << SEGMENT) - 1)) * WORDS; }
INLINE u32& parent_of(const Args& a, u32 id) { return a.parents[id >> SEGMENT][id & ((1u << SEGMENT) - 1)]; }

INLINE void load(const Args& a, u32 id, u32* s) {
  const u32* at = state_at(a, id);
#ifdef __CUDACC__
  if (WORDS % 4 == 0) {
    for (int i = 0; i < WORDS / 4; i++) {
      uint4 x = __ldcg((const uint4*)at + i);
      s[4 * i] = x.x; s[4 * i + 1] = x.y; s[4 * i + 2] = x.z; s[4 * i + 3] = x.w;
    }
    return;
  }
  if (WORDS % 2 == 0) {
    for (int i = 0; i < WORDS / 2; i++) {
      uint2 x = __ldcg((const uint2*)at + i);
      s[2 * i] = x.x; s[2 * i + 1] = x.y;
    }
    return;
  }
#endif
  for (int i = 0; i < WORDS; i++) s[i] = read_shared(at + i);
}

INLINE void store(const Args& a, u32 id, const u32* s, u32 parent) {
  u32* at = state_at(a, id);
  for (int i = 0; i < WORDS; i++) at[i] = s[i];
  parent_of(a, id) = parent;
}

INLINE u64 hash(const u32* s) {
  u64 h = 0x9e3779b97f4a7c15ull;
  for (int i = 0; i < WORDS; i += 2) {
    u64 x = s[i] | (i + 1 < WORDS ? (u64)s[i + 1] << 32 : 0);
    h = (h ^ x) * 0xd6e8feb86659fd93ull;
    h ^= h >> 32;
  }
  h *= 0x9e3779b97f4a7c15ull;
  return h ^ h >> 29;
}

INLINE bool same(const Args& a, u32 id, const u32* s) {
  u32 t[WORDS], x = 0;
  load(a, id, t);
  for (int i = 0; i < WORDS; i++) x |= t[i] ^ s[i];
  return x == 0;
}

// The entries that a state may have: a bucket, then others at the same distance. The number of buckets is prime.
struct Probe { u64 at, step; };
INLINE Probe first_bucket(const Args& a, u64 h) {
  u64 buckets = a.slots / BUCKET;
  return { high_product(h, buckets) * BUCKET, (1 + high_product(h * 0x9e3779b97f4a7c15ull, buckets - 1)) * BUCKET };
}
INLINE void next_bucket(const Args& a, Probe& p) {
  p.at += p.step;
  if (p.at >= a.slots) p.at -= a.slots;
}

// Adds a state, unless it is there. It is written before its entry is published; a number that lost a race is kept in `spare`
// for the next.
EDGE void insert(const Args& a, const u32* s, u32 parent, u64& spare) {
  u64 h = hash(s);
  u32 tag = (u32)h;
  for (Probe p = first_bucket(a, h);; next_bucket(a, p)) {
    u64 e[BUCKET];
    read_bucket(&a.table[p.at], e);
    u32 open = 0;
    for (int j = 0; j < BUCKET; j++) open |= (u32)(e[j] == 0 || (u32)(e[j] >> 32) == tag) << j;
    while (open) {
      u64 entry = 0;
      int j = 0;
      while (!(open >> j & 1)) j++;
      open &= open - 1;
      for (int k = 0; k < BUCKET; k++) if (k == j) entry = e[k];
      if (entry == 0) {
        if (spare == NONE) spare = take(&a.out->used);
        if (spare >= a.limit) { spare = NONE; a.out->full = 1; return; }
        store(a, (u32)spare, s, parent);
        publish();
        entry = exchange(&a.table[p.at + j], 0, (u64)tag << 32 | (spare + 1));
        if (entry == 0) { spare = NONE; return; }
      }
      if ((u32)(entry >> 32) == tag && same(a, (u32)entry - 1, s)) return;
    }
  }
}

INLINE void give_back(const Args& a, u64 spare) {
  if (spare == NONE) return;
  parent_of(a, (u32)spare) = HOLE;
  a.holes[take(&a.out->holes)] = (u32)spare;
}

// --- The digest of a state ---------------------------------------------------------------------------------------------

// The processes and values of a state, field by field: where some processes are not there, or the state is in memory.
APART Digest digest_some(Digest d, const State v, int n) {
  add_bytes(d, n, 4);
#pragma unroll 1
  for (int p = 0; p < n; p++) add_bytes(d, MACHINE[p], 2);
#pragma unroll 1
  for (int a = 2, end = n ? END_OF[n - 1] : START; a < end; a += BYTES[a]) add_bytes(d, field(v, a), BYTES[a]);
  return d;
}

INLINE Digest digest_of(const State& v) {
  int n = processes(v), len = 4 + 2 * n + (n ? END_OF[n - 1] : START) - 2;
  len += message_bytes(v, n);
  Digest d = { HIGH_START ^ (u64)len, LOW_START ^ (u64)len, 0, 0 };
#if IN_MEMORY
  d = digest_some(d, v, n);
#else
  if (n == PROCESSES) digest_fixed(d, v);
  else d = digest_some(d, v, n);
#endif
  digest_messages(d, v, n);
  if (d.bytes) digest_word(d, d.word);
  d.high = fold(d.high ^ (HIGH_START << 32 | HIGH_START >> 32), HIGH_FACTOR);
  d.low = fold(d.low ^ (LOW_START << 32 | LOW_START >> 32), LOW_FACTOR);
  return d;
}

// --- One state ---------------------------------------------------------------------------------------------------------

struct Sums { u64 transitions, digest[4]; };

#define FLAGGED { a.list[take(&a.out->flagged)] = id; return; }
#define LEAVE(atomic, who)                                       \
  if (w.bad) FLAGGED                                             \
  if (ATOMIC && (atomic)) {                                      \
    if (depth == STACK) FLAGGED                                  \
    stack[depth] = w; control_of[depth++] = (u8)(who);           \
  } else insert(a, w.s, id, spare);

// All successors of a state go into the set. A state that the CPU has to look at is listed, and counts nothing here: what was
// found of its successors is true, and the CPU finds the rest.
INLINE void expand_one(const Args& a, u32 id, Sums& sums, u64& spare) {
  if (parent_of(a, id) == HOLE) return;
  State v, w;
  Look c;
  State stack[STACK];
  u8 control_of[STACK];
  load(a, id, v.s);
  v.bad = 0;
  Digest digest = digest_of(v);
  int depth = 0, control = -1, inner = 0;
  bool dirty = true;
  u32 transitions = 0;
  c.bad = c.run = 0;
  for (;;) {
    int n = processes(v), count = 0;
    for (int again = 0; again <= TIMEOUT; again++) {
      c.timeout = again;
      int last = control < 0 ? n : control + 1;
#pragma unroll 1
      for (int p = control < 0 ? 0 : control; p < last; p++) {
        int place = PLACE[MACHINE[p]] + location(v, p), own = 0, escape = 0;
        if (!a.reached[place]) a.reached[place] = 1;
        if (PROVIDED) {
          c.timeout = 0;
          bool go = provided(v, c, p);
          c.timeout = again;
          if (c.bad) FLAGGED
          if (!go) continue;
        }
#pragma unroll 1
        for (int e = FIRST[place]; e < FIRST[place + 1]; e++) {
          if (ESCAPES && escape && ESCAPE[e] != escape) break;
          if (dirty || !IN_MEMORY) w = v;
          dirty = false;
          int taken = 0, what = edge(w, c, e, p, own > 0);
          if (what == FLAG || c.bad) FLAGGED
          if (what == NO) continue;
          dirty = true;
          if (what == YES) {
            taken = 1;
            LEAVE(IS_ATOMIC[e], p)
          }
#if MEETING
          if (what == MEETS) {
#pragma unroll 1
            for (int o = 0; o < n; o++) {
              if (o == p) continue;
              int there = PLACE[MACHINE[o]] + location(v, o), other = 0;
              if (PROVIDED) {
                if (!RECEIVES[there]) continue;
                c.timeout = 0;
                bool go = provided(v, c, o);
                c.timeout = again;
                if (c.bad) { c.bad = 0; go = false; }
                if (!go) continue;
              }
#pragma unroll 1
              for (int f = FIRST[there]; f < FIRST[there + 1]; f++) {
                if (ESCAPES && other && ESCAPE[f] != other) break;
                if (dirty || !IN_MEMORY) w = v;
                dirty = false;
                int met = meet(w, c, f, o, p, LEADS[e]);
                if (met == FLAG || c.bad) FLAGGED
                if (met == NO) continue;
                dirty = true;
                taken++;
                if (ESCAPES) other = ESCAPE[f] ? ESCAPE[f] : other;
                LEAVE(IS_ATOMIC[f], o)
              }
            }
          }
#endif
          if (ESCAPES && taken && ESCAPE[e]) escape = ESCAPE[e];
          own += taken;
        }
        count += own;
      }
      if (count || control >= 0) break;
    }
    transitions += count;
    if (count == 0) {
      if (control >= 0) {
        insert(a, v.s, id, spare);
      } else {
        for (int p = 0; p < n; p++) if (!MAY_END[PLACE[MACHINE[p]] + location(v, p)]) FLAGGED
      }
    }
    if (!ATOMIC || depth == 0) break;
    if (++inner >= LONGEST) FLAGGED
    v = stack[--depth];
    control = control_of[depth];
    dirty = true;
  }
  sums.transitions += transitions;
  sums.digest[0] += (u32)digest.low;
  sums.digest[1] += digest.low >> 32;
  sums.digest[2] += (u32)digest.high;
  sums.digest[3] += digest.high >> 32;
}

// --- The kernels ---------------------------------------------------------------------------------------------------------

// Expands the states from `first` on.
BOUNDED expand(Args a) {
  Sums sums = { 0, { 0, 0, 0, 0 } };
  u64 spare = NONE;
  FOR_EACH(k, a.count) {
    if (*(volatile u64*)&a.out->full) break;
    expand_one(a, (u32)(a.first + k), sums, spare);
  }
  give_back(a, spare);
  add_all(&a.out->transitions, sums.transitions);
  for (int i = 0; i < 4; i++) add_all(&a.out->digest[i], sums.digest[i]);
}

// Adds states that the CPU found: their words, then their parents.
KERNEL enter(Args a) {
  u64 spare = NONE;
  FOR_EACH(k, a.count) {
    u32 s[WORDS];
    for (int i = 0; i < WORDS; i++) s[i] = a.staging[k * WORDS + i];
    insert(a, s, a.staging[a.count * WORDS + k], spare);
  }
  give_back(a, spare);
}

// Copies the listed states for the CPU.
KERNEL gather(Args a) {
  FOR_EACH(k, a.count) {
    const u32* s = state_at(a, a.list[a.first + k]);
    for (int i = 0; i < WORDS; i++) a.staging[k * WORDS + i] = s[i];
  }
}

// A larger table: all states are different, so none is compared.
KERNEL rebuild(Args a) {
  FOR_EACH(k, a.count) {
    if (parent_of(a, (u32)k) == HOLE) continue;
    u32 s[WORDS];
    load(a, (u32)k, s);
    u64 h = hash(s), entry = (u64)(u32)h << 32 | (k + 1);
    for (Probe p = first_bucket(a, h); entry; next_bucket(a, p)) {
      u64 e[BUCKET];
      read_bucket(&a.table[p.at], e);
      for (int j = 0; j < BUCKET && entry; j++)
        if (e[j] == 0 && exchange(&a.table[p.at + j], 0, entry) == 0) entry = 0;
    }
  }
}

// Numbers without a state: those below `first` are filled with the states from there up to `limit`.
KERNEL survey(Args a) {
  FOR_EACH(k, a.count) if (a.holes[k] < a.first) a.staging[take(&a.out->gaps)] = a.holes[k];
  FOR_EACH(k, a.limit - a.first) {
    u32 id = (u32)(a.first + k);
    if (parent_of(a, id) != HOLE) a.staging[a.count + take(&a.out->moved)] = id;
  }
}
KERNEL fill(Args a) {
  FOR_EACH(k, a.out->gaps) {
    u32 to = a.staging[k], from = a.staging[a.count + k], s[WORDS];
    load(a, from, s);
    store(a, to, s, parent_of(a, from));
    u64 h = hash(s), entry = (u64)(u32)h << 32;
    bool found = false;
    for (Probe p = first_bucket(a, h); !found; next_bucket(a, p)) {
      u64 e[BUCKET];
      read_bucket(&a.table[p.at], e);
      for (int j = 0; j < BUCKET; j++) {
        if (e[j] != (entry | ((u64)from + 1))) continue;
        a.table[p.at + j] = entry | ((u64)to + 1);
        found = true;
      }
    }
  }
}

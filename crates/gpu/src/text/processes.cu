INLINE void set_location(State& v, int p, int to) { set_field(v, BASE[p], to); }
INLINE int there_is(const State& v, i32 p) { return (u32)p < (u32)processes(v) ? p : -1; }
INLINE int first_of(const State& v, int machine) {
  for (int p = 0; p < processes(v); p++) if (MACHINE[p] == machine) return p;
  return -1;
}
INLINE i32 is_at(const State& v, int p, int place) { return p >= 0 && location(v, p) == place; }
INLINE i32 place_of(const State& v, i32 p) { return there_is(v, p) < 0 ? 0 : location(v, p); }
INLINE int length(const State& v, int q) { return (int)field(v, LENGTH_AT[q]); }
INLINE void set_length(State& v, int q, int n) { set_field(v, LENGTH_AT[q], n); }
INLINE bool is_full(const State& v, int q) { return CAPACITY[q] && length(v, q) >= CAPACITY[q]; }
INLINE int queue(Look& c, const State& v, i32 reference) {
  if (reference > 0 && reference <= QUEUES[processes(v)]) return reference - 1;
  c.bad = 1;
  return 0;
}

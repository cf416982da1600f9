
EDGE u32 field(const State& v, int a) { return WIDTH[a] ? get<0, WORDS - 1>(v, BIT[a], WIDTH[a]) : CONSTANT[a]; }
EDGE void set_field(State& v, int a, u32 x) {
  if (WIDTH[a]) put<0, WORDS - 1>(v, BIT[a], WIDTH[a], x);
  else v.bad |= x != CONSTANT[a];
}
INLINE i32 get_bit(const State& v, int a) { return (i32)get<0, WORDS - 1>(v, BIT[a >> 3] + (a & 7), 1); }
INLINE i32 get_u8(const State& v, int a) { return (i32)field(v, a); }
INLINE i32 get_u16(const State& v, int a) { return (i32)field(v, a); }
INLINE i32 get_i16(const State& v, int a) { return (short)field(v, a); }
INLINE i32 get_i32(const State& v, int a) { return (i32)field(v, a); }
INLINE void set_bit(State& v, int a, i32 x) { put<0, WORDS - 1>(v, BIT[a >> 3] + (a & 7), 1, x & 1); }
INLINE void set_u8(State& v, int a, i32 x) { set_field(v, a, (u8)x); }
INLINE void set_u16(State& v, int a, i32 x) { set_field(v, a, (u16)x); }
INLINE void set_i16(State& v, int a, i32 x) { set_field(v, a, (u16)x); }
INLINE void set_i32(State& v, int a, i32 x) { set_field(v, a, (u32)x); }

//! Queues: for each type of channel, how messages are put in, found and taken out. Room behind the last message is zero.

use super::expressions::truncated;
use super::{Generator, line, suffix};
use std::fmt::Write;

impl Generator<'_> {
    pub(super) fn queues(&mut self) {
        for kind in self.kinds() {
            let message = &self.packing.anatomy.messages[kind];
            if message.capacity == 0 {
                continue;
            }
            let (size, fields) = (message.size, &message.fields);
            let list = |item: &dyn Fn(usize) -> String| (0..fields.len()).map(item).collect::<String>();
            let parameters = list(&|field| format!(", i32 m{field}"));
            line!(
                self.text,
                "\n// --- Channels of type {kind}: {} messages of {} fields",
                message.capacity,
                fields.len()
            );
            line!(
                self.text,
                "INLINE int find_{kind}(const State& v, int q, bool anywhere, u32 compared{parameters}) {{"
            );
            line!(self.text, "  int n = anywhere ? length(v, q) : 1, at = AREA[q];");
            line!(self.text, "  for (int i = 0; i < n; i++, at += {size}) {{");
            for (index, &(storage, offset, _)) in fields.iter().enumerate() {
                let get = format!("get_{}(v, at + {offset})", suffix(storage));
                line!(self.text, "    if ((compared >> {index} & 1) && {get} != m{index}) continue;");
            }
            line!(self.text, "    return i;\n  }}\n  return -1;\n}}");
            line!(self.text, "INLINE int sorted_{kind}(const State& v, int q{parameters}) {{");
            line!(
                self.text,
                "  int n = length(v, q), at = AREA[q];\n  for (int i = 0; i < n; i++, at += {size}) {{\n    i32 x;"
            );
            for (index, &(storage, offset, ty)) in fields.iter().enumerate() {
                let value = truncated(ty, &format!("m{index}"));
                line!(self.text, "    x = get_{}(v, at + {offset});", suffix(storage));
                line!(self.text, "    if ({value} != x) {{ if ({value} < x) return i; continue; }}");
            }
            line!(self.text, "  }}\n  return n;\n}}");
            line!(self.text, "INLINE void put_{kind}(State& v, int q, int position{parameters}) {{");
            line!(self.text, "  int n = length(v, q), first = AREA[q], at = first + position * {size};");
            line!(self.text, "  for (int i = first + n * {size} - 1; i >= at; i--) v.b[i + {size}] = v.b[i];");
            for (index, &(storage, offset, ty)) in fields.iter().enumerate() {
                let value = truncated(ty, &format!("m{index}"));
                line!(self.text, "  set_{}(v, at + {offset}, {value});", suffix(storage));
            }
            line!(self.text, "  set_length(v, LENGTH_AT[q], n + 1);\n}}");
            line!(self.text, "INLINE void drop_{kind}(State& v, int q, int position) {{");
            line!(self.text, "  int n = length(v, q) - 1, first = AREA[q], end = first + n * {size};");
            line!(self.text, "  for (int i = first + position * {size}; i < end; i++) v.b[i] = v.b[i + {size}];");
            line!(self.text, "  for (int i = 0; i < {size}; i++) v.b[end + i] = 0;");
            line!(self.text, "  set_length(v, LENGTH_AT[q], n);\n}}");
        }
    }
}

//! Queues: how messages are put in, found and taken out, for each queue and for any queue of a type. Room behind the last
//! message is zero.

use super::expressions::truncated;
use super::{Generator, line};
use model::semantics::Storage;
use std::fmt::Write;

/// The beginning of a call for a queue of a type: `q` names any, a number that one.
pub(super) fn on(what: &str, kind: usize, queue: &str) -> String {
    match queue {
        "q" => format!("{what}_{kind}(v, q"),
        number => format!("{what}_q{number}(v"),
    }
}

impl Generator<'_> {
    pub(super) fn queues(&mut self) {
        for kind in self.kinds() {
            self.functions(kind, None);
        }
        for queue in 0..self.packing.anatomy.queues.len() {
            self.functions(self.packing.anatomy.queues[queue].channel_type.index(), Some(queue));
        }
    }

    /// How many messages are in a queue.
    pub(super) fn length(&self, queue: &str) -> String {
        match queue.parse::<usize>() {
            Ok(queue) => format!("(int){}", self.read(self.packing.anatomy.queues[queue].length as usize)),
            Err(_) => format!("length(v, {queue})"),
        }
    }

    /// Whether a queue is full.
    pub(super) fn is_full(&self, queue: &str) -> String {
        let Ok(number) = queue.parse::<usize>() else { return format!("is_full(v, {queue})") };
        let kind = self.packing.anatomy.queues[number].channel_type.index();
        match self.packing.anatomy.messages[kind].capacity {
            0 => String::from("false"),
            _ if self.packing.open[kind] => String::from("false"),
            capacity => format!("({} >= {capacity})", self.length(queue)),
        }
    }

    /// The functions for one queue, or for any of a type.
    fn functions(&mut self, kind: usize, queue: Option<usize>) {
        let message = &self.packing.anatomy.messages[kind];
        if message.capacity == 0 {
            return;
        }
        let (bits, width, fields) = (self.message_bits(kind), self.message_width(kind), &message.fields);
        let capacity = message.capacity as usize;
        let unroll = if capacity <= 8 { "UNROLL " } else { "" };
        let values: String = (0..fields.len()).map(|field| format!(", i32 m{field}")).collect();
        let name = queue.map_or(kind.to_string(), |queue| format!("q{queue}"));
        let number = queue.map_or(String::from("q"), |queue| queue.to_string());
        let (parameter, length) = (if queue.is_some() { "" } else { ", int q" }, self.length(&number));
        let start = queue.map(|queue| self.fields.get(&self.packing.areas[queue]).map_or(0, |field| field.at));
        let first = start.map_or(String::from("MESSAGES_AT[q]"), |start| start.to_string());
        let last = |start: usize| (start + (capacity * width).max(1) - 1) / 32;
        let words = start.map_or(String::from("0, WORDS - 1"), |start| format!("{}, {}", start / 32, last(start)));
        let set_length = |n: &str| match queue {
            Some(queue) => self.write(self.packing.anatomy.queues[queue].length as usize, n),
            None => format!("set_length(v, q, {n})"),
        };
        let (longer, shorter) = (set_length("n + 1"), set_length("n - 1"));
        let field = |index: usize, position: Option<&str>| {
            let (bit, bits) = bits[index];
            let get = match (start, position) {
                (Some(start), None) => format!("get<{}, {bits}>(v)", start + bit),
                (_, position) => {
                    let position = position.unwrap_or("0");
                    format!("get<{words}>(v, {first} + {position} * {width} + {bit}, {bits})")
                }
            };
            if fields[index].0 == Storage::I16 { format!("(i32)(short){get}") } else { format!("(i32){get}") }
        };
        // What is at a known place is short.
        let any = if queue.is_some() { "INLINE" } else { "EDGE" };
        let text = &mut self.text;
        line!(text, "\n// --- Channel {name}: {capacity} messages of {} fields, {width} bits", fields.len());
        line!(text, "{any} int first_{name}(const State& v{parameter}, u32 compared{values}) {{");
        for index in 0..fields.len() {
            line!(text, "  if ((compared >> {index} & 1) && {} != m{index}) return -1;", field(index, None));
        }
        line!(text, "  return 0;\n}}\nEDGE int find_{name}(const State& v{parameter}, u32 compared{values}) {{");
        line!(text, "  int n = {length};\n  {unroll}for (int i = 0; i < {capacity}; i++) {{\n    if (i >= n) break;");
        for index in 0..fields.len() {
            line!(text, "    if ((compared >> {index} & 1) && {} != m{index}) continue;", field(index, Some("i")));
        }
        line!(text, "    return i;\n  }}\n  return -1;\n}}");
        for index in 0..fields.len() {
            line!(text, "{any} i32 head{index}_{name}(const State& v{parameter}) {{ return {}; }}", field(index, None));
            line!(text, "EDGE i32 field{index}_{name}(const State& v{parameter}, int position) {{");
            line!(text, "  return {};\n}}", field(index, Some("position")));
        }
        line!(text, "EDGE int sorted_{name}(const State& v{parameter}{values}) {{");
        line!(text, "  int n = {length};\n  {unroll}for (int i = 0; i < {capacity}; i++) {{");
        line!(text, "    if (i >= n) break;\n    i32 x;");
        for (index, &(_, _, ty)) in fields.iter().enumerate() {
            let value = truncated(ty, &format!("m{index}"));
            line!(text, "    x = {};", field(index, Some("i")));
            line!(text, "    if ({value} != x) {{ if ({value} < x) return i; continue; }}");
        }
        line!(text, "  }}\n  return n;\n}}\nEDGE void write_{name}(State& v{parameter}, int position{values}) {{");
        line!(text, "  int n = {length}, at = {first} + position * {width};");
        for (index, &(storage, _, ty)) in fields.iter().enumerate() {
            let (bit, bits) = bits[index];
            let value = stored(storage, &truncated(ty, &format!("m{index}")));
            line!(text, "  put<{words}>(v, at + {bit}, {bits}, {value});");
        }
        line!(text, "  {longer};\n}}\nEDGE void insert_{name}(State& v{parameter}, int position{values}) {{");
        line!(text, "  away<{words}>(v, {first} + position * {width}, {first} + {}, {width});", capacity * width);
        let list: String = (0..fields.len()).map(|field| format!(", m{field}")).collect();
        line!(text, "  {}, position{list});\n}}", on("write", kind, &number));
        line!(text, "EDGE void drop_{name}(State& v{parameter}, int position) {{\n  int n = {length};");
        line!(text, "  closer<{words}>(v, {first} + position * {width}, {first} + {}, {width});", capacity * width);
        line!(text, "  {shorter};\n}}");
    }
}

/// The bits that a storage keeps of a value.
pub(super) fn stored(storage: Storage, value: &str) -> String {
    match storage {
        Storage::Bit => format!("((u32)({value}) & 1)"),
        Storage::U8 => format!("(u8)({value})"),
        Storage::U16 | Storage::I16 => format!("(u16)({value})"),
        Storage::I32 => format!("(u32)({value})"),
    }
}

//! States: tables of what stands where, and the way of a state into bits and back.

use super::{Generator, line, suffix};
use model::network::Action;
use model::semantics::Storage;
use std::fmt::{Display, Write};

impl Generator<'_> {
    pub(super) fn states(&mut self) {
        self.tables();
        self.locations();
        self.packs();
    }

    /// A table of numbers; none is empty, since C++ has no empty arrays.
    fn table<T: Display>(&mut self, ty: &str, name: &str, values: impl Iterator<Item = T>) {
        let mut text: Vec<String> = values.map(|value| value.to_string()).collect();
        if text.is_empty() {
            text.push(String::from("0"));
        }
        line!(self.text, "TABLE {ty} {name}[] = {{ {} }};", text.join(", "));
    }

    fn tables(&mut self) {
        let (network, packing) = (self.network, self.packing);
        let anatomy = &packing.anatomy;
        line!(
            self.text,
            "// --- Processes: their types, where each starts and ends, and how many queues there are with so many of them"
        );
        self.table("u16", "MACHINE", anatomy.processes.iter().map(|process| process.machine.0));
        self.table("u16", "BASE", anatomy.processes.iter().map(|process| process.base));
        self.table("u16", "END_OF", anatomy.processes.iter().map(|process| process.end));
        self.table("u16", "QUEUES", (0..=anatomy.processes.len()).map(|processes| packing.ends(processes).1));
        line!(self.text, "// --- Places: machine by machine, location by location");
        let mut places = 0;
        let first = network.machines.iter().map(|machine| {
            places += machine.locations.len();
            places - machine.locations.len()
        });
        self.table("u32", "PLACE", first.collect::<Vec<_>>().into_iter());
        let locations = || network.machines.iter().flat_map(|m| m.locations.iter().map(move |l| (m, l)));
        let mut edges = 0;
        let first = locations().map(|(_, location)| {
            edges += location.edges.len();
            edges - location.edges.len()
        });
        let first: Vec<usize> = first.collect();
        self.table("u32", "FIRST", first.into_iter().chain([edges]));
        self.table("u8", "MAY_END", locations().map(|(_, location)| u8::from(location.end)));
        let receives = |action: &Action| match action {
            Action::Deterministic(step) => step.guard.iter().any(|guard| matches!(guard, Action::Receive { .. })),
            action => matches!(action, Action::Receive { .. }),
        };
        let receives = locations().map(|(m, l)| u8::from(l.edges.iter().any(|e| receives(&m.edges[e.index()].action))));
        self.table("u8", "RECEIVES", receives);
        line!(self.text, "// --- Edges: in the order of the places");
        let edges: Vec<_> = self.numbered().map(|(_, _, edge)| edge).collect();
        self.table("u8", "IS_ATOMIC", edges.iter().map(|edge| u8::from(edge.atomic)));
        self.table("u32", "ESCAPE", edges.iter().map(|edge| edge.escape));
        self.table("u32", "LEADS", edges.iter().map(|edge| edge.to.0));
        line!(self.text, "// --- Queues: type, capacity, size of a message, where the length and the messages are");
        let message = |queue: &model::semantics::QueuePlace| &anatomy.messages[queue.channel_type.index()];
        self.table("u16", "KIND", anatomy.queues.iter().map(|queue| queue.channel_type.0));
        self.table("u16", "CAPACITY", anatomy.queues.iter().map(|queue| message(queue).capacity));
        self.table("u16", "MESSAGE", anatomy.queues.iter().map(|queue| message(queue).size));
        self.table("u16", "LENGTH_AT", anatomy.queues.iter().map(|queue| queue.length));
        self.table("u16", "AREA", packing.areas.iter());
    }

    fn locations(&mut self) {
        let anatomy = &self.packing.anatomy;
        let wide = anatomy.processes.iter().any(|process| process.location != Storage::U8);
        let length = suffix(anatomy.length);
        if wide {
            let storages = anatomy.processes.iter().map(|process| process.location.bytes());
            self.table("u8", "LOCATION_BYTES", storages);
            self.text += "INLINE int location(const State& v, int p) {\n  int a = BASE[p];\n";
            self.text += "  return LOCATION_BYTES[p] == 1 ? get_u8(v, a) : LOCATION_BYTES[p] == 2 ? get_u16(v, a) : get_i32(v, a);\n}\n";
            self.text += "INLINE void set_location(State& v, int p, int to) {\n  int a = BASE[p];\n";
            self.text += "  if (LOCATION_BYTES[p] == 1) set_u8(v, a, to);\n  else if (LOCATION_BYTES[p] == 2) set_u16(v, a, to);\n";
            self.text += "  else set_i32(v, a, to);\n}\n";
        } else {
            self.text += "INLINE int location(const State& v, int p) { return v.b[BASE[p]]; }\n";
            self.text += "INLINE void set_location(State& v, int p, int to) { v.b[BASE[p]] = (u8)to; }\n";
        }
        line!(
            self.text,
            "INLINE int there_is(const State& v, i32 p) {{ return (u32)p < (u32)processes(v) ? p : -1; }}"
        );
        line!(self.text, "INLINE int first_of(const State& v, int machine) {{");
        line!(
            self.text,
            "  for (int p = 0; p < processes(v); p++) if (MACHINE[p] == machine) return p;\n  return -1;\n}}"
        );
        line!(
            self.text,
            "INLINE i32 is_at(const State& v, int p, int place) {{ return p >= 0 && location(v, p) == place; }}"
        );
        line!(
            self.text,
            "INLINE i32 place_of(const State& v, i32 p) {{ return there_is(v, p) < 0 ? 0 : location(v, p); }}"
        );
        line!(self.text, "INLINE int get_length(const State& v, int at) {{ return get_{length}(v, at); }}");
        line!(self.text, "INLINE void set_length(State& v, int at, int n) {{ set_{length}(v, at, n); }}");
        line!(self.text, "INLINE int length(const State& v, int q) {{ return get_length(v, LENGTH_AT[q]); }}");
        line!(
            self.text,
            "INLINE bool is_full(const State& v, int q) {{ return CAPACITY[q] && length(v, q) >= CAPACITY[q]; }}"
        );
        line!(self.text, "INLINE int queue(Look& c, const State& v, i32 reference) {{");
        line!(self.text, "  if (reference > 0 && reference <= QUEUES[processes(v)]) return reference - 1;");
        line!(self.text, "  c.bad = 1;\n  return 0;\n}}");
    }

    /// The way into bits, and back. What is no value of a field does not fit.
    fn packs(&mut self) {
        let packing = self.packing;
        let (mut pack, mut unpack, mut at) = (String::new(), String::new(), 0);
        for field in &packing.fields {
            let (address, name) = (
                field.address,
                match field.storage {
                    Storage::Bit | Storage::U8 => "u8",
                    Storage::U16 | Storage::I16 => "u16",
                    Storage::I32 => "i32",
                },
            );
            let get = format!("(u32)get_{name}(v, {address})");
            if let Some(constant) = field.constant {
                let present = field.process.map(|process| format!("processes(v) > {process}"));
                let (test, value) = match &present {
                    Some(present) if constant != 0 => {
                        (format!("{present} && "), format!("{present} ? {constant}u : 0u"))
                    }
                    _ => (String::new(), format!("{constant}u")),
                };
                if field.bits > 0 {
                    line!(pack, "  bad |= {test}{get} != {constant}u;");
                }
                line!(unpack, "  set_{name}(v, {address}, (i32)({value}));");
                continue;
            }
            let (bits, word, shift) = (field.bits, at / 32, at % 32);
            at += bits;
            line!(pack, "  x = {get};");
            let width = 8 * field.storage.bytes().max(1) as u32;
            if bits < width {
                line!(pack, "  bad |= x >> {bits} != 0;");
            }
            line!(pack, "  s[{word}] |= x << {shift};");
            let mut value = if shift == 0 { format!("s[{word}]") } else { format!("s[{word}] >> {shift}") };
            if shift + bits > 32 {
                line!(pack, "  s[{}] |= x >> {};", word + 1, 32 - shift);
                value = format!("({value} | s[{}] << {})", word + 1, 32 - shift);
            }
            if bits < 32 {
                value = format!("({value} & {}u)", (1u64 << bits) - 1);
                value = value.replace(&format!("(s[{word}] >> {shift} & "), &format!("((s[{word}] >> {shift}) & "));
            }
            line!(unpack, "  set_{name}(v, {address}, (i32){value});");
        }
        line!(self.text, "\nINLINE bool pack(const State& v, u32* s) {{\n  u32 x, bad = 0;");
        line!(self.text, "  for (int i = 0; i < WORDS; i++) s[i] = 0;\n{pack}  (void)x;\n  return !bad;\n}}");
        line!(self.text, "INLINE void unpack(const u32* s, State& v) {{");
        line!(self.text, "  for (int i = 0; i < SIZE; i++) v.b[i] = 0;\n{unpack}}}");
    }
}

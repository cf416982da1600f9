//! States: tables of what stands where, and the way of a state into bits and back.

use super::{Generator, line};
use crate::packing::Field;
use model::network::Action;
use std::fmt::{Display, Write};

impl Generator<'_> {
    pub(super) fn states(&mut self) {
        self.tables();
        self.fields();
        self.text += include_str!("../text/fields.cu");
        self.locations();
        self.digests();
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
        line!(
            self.text,
            "// --- Queues: type, capacity if they can be full, size of a message, where the length and the messages are"
        );
        let message = |queue: &model::semantics::QueuePlace| &anatomy.messages[queue.channel_type.index()];
        self.table("u16", "KIND", anatomy.queues.iter().map(|queue| queue.channel_type.0));
        let capacity = |queue: &model::semantics::QueuePlace| match packing.open[queue.channel_type.index()] {
            true => 0,
            false => message(queue).capacity,
        };
        self.table("u16", "CAPACITY", anatomy.queues.iter().map(capacity));
        self.table("u16", "MESSAGE", anatomy.queues.iter().map(|queue| message(queue).size));
        self.table("u16", "LENGTH_AT", anatomy.queues.iter().map(|queue| queue.length));
    }

    fn locations(&mut self) {
        let (anatomy, slots) = (&self.packing.anatomy, self.packing.anatomy.processes.len());
        let count = if self.come_and_go() { format!("(int){}", self.read(0)) } else { String::from("PROCESSES") };
        line!(self.text, "INLINE int processes(const State& v) {{ return {count}; }}");
        line!(self.text, "INLINE int location(const State& v, int p) {{");
        if self.special {
            line!(self.text, "  switch (p) {{");
            for (index, process) in anatomy.processes.iter().enumerate().take(slots.saturating_sub(1)) {
                let location = self.read(process.base as usize);
                line!(self.text, "    case {index}: return (int){location};");
            }
            let last = anatomy.processes.last().map_or(String::from("0"), |process| self.read(process.base as usize));
            line!(self.text, "  }}\n  return (int){last};\n}}");
        } else {
            line!(self.text, "  return (int)field(v, BASE[p]);\n}}");
        }
        self.text += include_str!("../text/processes.cu");
    }

    /// Whether processes are created or end.
    pub(super) fn come_and_go(&self) -> bool {
        self.network.machines.iter().flat_map(|m| &m.edges).any(|edge| comes_or_goes(&edge.action))
    }

    /// Where each field is, by its address in the bytes.
    fn fields(&mut self) {
        let packing = self.packing;
        let mut at = vec![None; packing.size.max(1)];
        packing.fields.iter().for_each(|field| at[field.address] = Some(field));
        let taken = |field: &Field| field.constant.is_none();
        line!(
            self.text,
            "// --- Fields, by address: the first bit, how many, and the value of those that take none, bytes"
        );
        let bits = at.iter().map(|field| field.filter(|f| taken(f)).map_or(0, |field| field.at));
        self.table("u16", "BIT", bits.collect::<Vec<_>>().into_iter());
        let widths = at.iter().map(|field| field.filter(|f| taken(f)).map_or(0, |field| field.bits));
        self.table("u8", "WIDTH", widths.collect::<Vec<_>>().into_iter());
        let constants = at.iter().map(|field| format!("{}u", field.and_then(|field| field.constant).unwrap_or(0)));
        self.table("u32", "CONSTANT", constants.collect::<Vec<_>>().into_iter());
        let bytes = at.iter().map(|field| field.map_or(1, |field| field.storage.bytes().max(1)));
        self.table("u8", "BYTES", bytes.collect::<Vec<_>>().into_iter());
        line!(self.text, "// --- The bits of each process: its block, and the messages of its queues");
        for (name, messages) in [("BLOCK", false), ("MESSAGES", true)] {
            let ranges = self.ranges(messages);
            self.table("u16", &format!("{name}_FROM"), ranges.iter().map(|range| range.0));
            self.table("u16", &format!("{name}_TO"), ranges.iter().map(|range| range.1));
        }
        let first = packing.areas.iter().map(|address| at.get(*address).copied().flatten().map_or(0, |f| f.at));
        self.table("u16", "MESSAGES_AT", first.collect::<Vec<_>>().into_iter());
    }

    /// By process: the bits of its block, or those of the messages of its queues.
    pub(super) fn ranges(&self, messages: bool) -> Vec<(usize, usize)> {
        let packing = self.packing;
        let area = |field: &Field| field.address >= packing.areas.first().copied().unwrap_or(packing.size);
        let range = |process: usize| {
            let own = packing.fields.iter().filter(|f| f.process == Some(process) && area(f) == messages);
            let own = own.filter(|field| field.constant.is_none());
            let from = own.clone().map(|field| field.at).min().unwrap_or(0);
            (from, own.map(|field| field.at + field.bits as usize).max().unwrap_or(from))
        };
        (0..packing.anatomy.processes.len()).map(range).collect()
    }

    /// What the digest of a state is made of, in the order of the CPU's bytes: code for each field, unless a loop over all of them does.
    fn digests(&mut self) {
        if !self.in_memory {
            self.digest_fixed();
        }
        self.digest_messages();
    }

    /// The digest of the processes and values of a state in which all processes are there.
    fn digest_fixed(&mut self) {
        let packing = self.packing;
        let start = packing.anatomy.start as usize;
        let mut fields: Vec<&Field> = packing.fields.iter().filter(|field| field.address >= 2).collect();
        fields.sort_by_key(|field| field.address);
        let part = |from: usize, to: usize| {
            let (mut text, mut at) = (String::new(), from);
            for field in fields.iter().filter(|field| (from..to).contains(&field.address)) {
                gap(&mut text, field.address - at);
                let bytes = field.storage.bytes().max(1);
                line!(text, "  add_bytes(d, {}, {bytes});", self.read(field.address));
                at = field.address + bytes;
            }
            gap(&mut text, to - at);
            text
        };
        let mut fixed = part(2, start);
        let mut from = start;
        for (index, process) in packing.anatomy.processes.iter().enumerate() {
            line!(fixed, "  // Process {index}.\n{}", part(from, process.end as usize).trim_end());
            from = process.end as usize;
        }
        line!(self.text, "\n// The processes and values of a state in which all processes are there.");
        line!(self.text, "INLINE void digest_fixed(Digest& d, const State& v) {{\n  add_bytes(d, PROCESSES, 4);");
        line!(self.text, "  UNROLL for (int p = 0; p < PROCESSES; p++) add_bytes(d, MACHINE[p], 2);");
        self.text += &fixed;
        line!(self.text, "}}");
    }

    fn digest_messages(&mut self) {
        let packing = self.packing;
        line!(self.text, "INLINE int message_bytes(const State& v, int n) {{\n  int bytes = 0;");
        for (queue, place) in packing.anatomy.queues.iter().enumerate() {
            let (length, size) =
                (self.length(&queue.to_string()), packing.anatomy.messages[place.channel_type.index()].size);
            line!(self.text, "  if ({queue} < QUEUES[n]) bytes += {size} * {length};");
        }
        line!(self.text, "  return bytes;\n}}\nINLINE void digest_messages(Digest& d, const State& v, int n) {{");
        for (queue, place) in packing.anatomy.queues.iter().enumerate() {
            let kind = place.channel_type.index();
            let message = &packing.anatomy.messages[kind];
            if message.capacity == 0 || message.size == 0 {
                continue;
            }
            let length = self.length(&queue.to_string());
            line!(self.text, "  if ({queue} < QUEUES[n]) {{\n    int count = {length};");
            line!(self.text, "    for (int i = 0; i < count; i++) {{");
            let (start, step) = (self.fields.get(&packing.areas[queue]).map_or(0, |f| f.at), self.message_width(kind));
            let last = (start + step * message.capacity as usize - 1) / 32;
            // As many fields at a time as eight bytes hold.
            let mut bytes = vec![Vec::new(); message.size.div_ceil(8)];
            for (&(_, offset, _), (bit, width)) in message.fields.iter().zip(self.message_bits(kind)) {
                let get = format!("get<{}, {last}>(v, {} + i * {step}, {width})", start / 32, start + bit);
                bytes[offset / 8].push(format!("(u64){get} << {}", 8 * (offset % 8)));
                if offset % 8 * 8 + width as usize > 64 {
                    bytes[offset / 8 + 1].push(format!("(u64){get} >> {}", 64 - 8 * (offset % 8)));
                }
            }
            for (index, parts) in bytes.iter().enumerate() {
                let (parts, count) = (parts.join(" | "), (message.size - 8 * index).min(8));
                line!(self.text, "      add_bytes_apart(d, {}, {count});", if parts.is_empty() { "0" } else { &parts });
            }
            line!(self.text, "    }}\n  }}");
        }
        line!(self.text, "}}");
    }

    /// By field of a message of a type that some queue has: its first bit and how many.
    pub(super) fn message_bits(&self, kind: usize) -> Vec<(usize, u32)> {
        let packing = self.packing;
        let queue = packing.anatomy.queues.iter().position(|queue| queue.channel_type.index() == kind);
        let (mut bits, mut at) = (Vec::new(), 0);
        for &(_, offset, _) in queue.iter().flat_map(|_| &packing.anatomy.messages[kind].fields) {
            let address = queue.map_or(0, |queue| packing.areas[queue]) + offset;
            let width = packing.fields.iter().rfind(|field| field.address == address).map_or(0, |field| field.bits);
            bits.push((at, width));
            at += width as usize;
        }
        bits
    }

    /// The bits of a message.
    pub(super) fn message_width(&self, kind: usize) -> usize {
        self.message_bits(kind).last().map_or(0, |(at, width)| at + *width as usize)
    }
}

/// Bytes that are always zero.
fn gap(text: &mut String, mut bytes: usize) {
    while bytes > 0 {
        line!(text, "  add_bytes(d, 0, {});", bytes.min(8));
        bytes -= bytes.min(8);
    }
}

/// Whether an action creates or ends a process.
fn comes_or_goes(action: &Action) -> bool {
    match action {
        Action::Run { .. } | Action::End => true,
        Action::Deterministic(step) => {
            let choices = step.nodes.iter().flatten().map(|choice| &choice.action);
            step.guard.iter().chain(choices).any(comes_or_goes)
        }
        _ => false,
    }
}

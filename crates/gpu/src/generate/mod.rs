//! A model as a text of CUDA C++: functions that take an edge, one that lets two processes meet, and what the digest of a state
//! is made of. All of them work on the bits of a state as it is stored. Where there are not too many edges each process has its own
//! functions, in which the place of every variable and the number of most channels are known. The text compiles for a device,
//! and with any C++ compiler for a host.
//!
//! It says what [`model::semantics`] says, for what it does at all. Whatever it does not do, or is not sure of, sets `bad`
//! or returns `FLAG`, and the state goes to the CPU: faults, assertions that fail, values that do not fit, processes that
//! are not among the slots, deadlocks, sequences that are too long. So a mistake here can only be in what it does do, and
//! that is compared with the CPU's search by tests.

mod actions;
mod expressions;
mod queues;
mod states;

use crate::backend::BLOCK;
use crate::packing::{Field, Packing, never_assigned};
use model::ids::MachineId;
use model::network::{Action, Edge, Network};
use model::semantics::{Reading, Semantics, Storage};
use model::source::SourceMap;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// States of this many steps inside an atomic sequence are the CPU's: it remembers where it has been.
const LONGEST: usize = 60;
/// Open ends of atomic sequences that are kept for one state.
const STACK: usize = 6;
/// Bytes of code and words of a state up to which each process has its own code.
const MOST_SPECIAL: usize = 100_000;
const MOST_SPECIAL_WORDS: usize = 24;
/// Bytes of code, the same times words of a state, and words of a state up to which it is worked on in registers, and all edges are
/// one function: compilers take more than twice as long for twice the function.
const MOST_INLINE: usize = 30_000;
const MOST_INLINE_WORDS: usize = 180_000;
const MOST_IN_REGISTERS: usize = 12;
/// Two to this power states are in a segment.
pub(crate) const SEGMENT: u32 = 16;

/// Why no text is generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(pub String);

/// What no kernel is generated for.
pub(crate) fn unsupported(semantics: &Semantics<'_>) -> Option<Unsupported> {
    let network = semantics.network();
    let says = |what: &str| Some(Unsupported(what.to_owned()));
    if semantics.reading() == Reading::Unbounded {
        return says("channels without bounds have no fixed place on a device");
    }
    if network.channel_types.iter().any(|kind| kind.lossy) {
        return says("lossy channels are searched on the CPU");
    }
    if network.channel_types.iter().any(|kind| kind.fields.len() > 32) {
        return says("a message of the model has more than 32 fields");
    }
    if network.uses_priorities {
        return says("priorities are searched on the CPU");
    }
    None
}

/// Writes the text for states of a packing.
pub(crate) fn generate(semantics: &Semantics<'_>, sources: &SourceMap, packing: &Packing) -> String {
    let network = semantics.network();
    let mut generator = Generator {
        network,
        reading: semantics.reading(),
        sources,
        packing,
        fields: packing.fields.iter().map(|field| (field.address, *field)).collect(),
        fixed: never_assigned(network),
        text: String::new(),
        labels: 0,
        special: packing.words <= MOST_SPECIAL_WORDS,
        in_memory: false,
    };
    let mut code = generator.processes();
    if generator.special && code.len() > MOST_SPECIAL {
        generator.special = false;
        code = generator.processes();
    }
    let short = code.len() <= MOST_INLINE && code.len() * packing.words <= MOST_INLINE_WORDS;
    generator.in_memory = packing.words > MOST_IN_REGISTERS || !short;
    generator.head();
    generator.text += include_str!("../text/platform.cu");
    generator.states();
    generator.queues();
    generator.provided();
    generator.text += &code;
    generator.text += include_str!("../text/search.cu");
    generator.text
}

/// A process as the text names it.
#[derive(Clone, Copy)]
struct View {
    machine: MachineId,
    /// Which it is, where that is known.
    slot: Option<usize>,
    /// Where its block starts, else.
    base: &'static str,
    /// Its number, else.
    process: &'static str,
}

impl View {
    fn own(machine: MachineId, slot: Option<usize>) -> View {
        View { machine, slot, base: "base", process: "p" }
    }
}

struct Generator<'a> {
    network: &'a Network,
    reading: Reading,
    sources: &'a SourceMap,
    packing: &'a Packing,
    /// Fields by address.
    fields: HashMap<usize, Field>,
    /// Global variables that nothing assigns.
    fixed: HashSet<usize>,
    text: String,
    labels: usize,
    /// Every process has its own code, in which all places are known.
    special: bool,
    /// A state is in memory while an edge changes it.
    in_memory: bool,
}

/// Adds a line to the text.
macro_rules! line {
    ($to:expr, $($format:tt)*) => {
        let _ = writeln!($to, $($format)*);
    };
}
use line;

/// The suffix of the functions that read and write a storage.
fn suffix(storage: Storage) -> &'static str {
    match storage {
        Storage::Bit => "bit",
        Storage::U8 => "u8",
        Storage::U16 => "u16",
        Storage::I16 => "i16",
        Storage::I32 => "i32",
    }
}

impl<'a> Generator<'a> {
    /// The machines that some slot has.
    fn machines(&self) -> Vec<MachineId> {
        let used: HashSet<MachineId> = self.packing.anatomy.processes.iter().map(|process| process.machine).collect();
        (0..self.network.machines.len()).map(MachineId::from).filter(|machine| used.contains(machine)).collect()
    }

    /// Every edge with its number: by machine, by location, in the order in which they are tried.
    fn numbered(&self) -> impl Iterator<Item = (usize, MachineId, &'a Edge)> + use<'a> {
        let network = self.network;
        let machines = network.machines.iter().enumerate();
        let edges = machines.flat_map(|(index, machine)| {
            let edges = machine.locations.iter().flat_map(|location| &location.edges);
            edges.map(move |id| (MachineId::from(index), &machine.edges[id.index()]))
        });
        edges.enumerate().map(|(number, (machine, edge))| (number, machine, edge))
    }

    /// A new name.
    fn name(&mut self, stem: &str) -> String {
        self.labels += 1;
        format!("{stem}{}", self.labels)
    }

    fn head(&mut self) {
        let (network, packing) = (self.network, self.packing);
        let fields = network.channel_types.iter().map(|kind| kind.fields.len()).max().unwrap_or(0).max(1);
        let atomic = network.machines.iter().flat_map(|m| &m.edges).any(|edge| edge.atomic);
        let escapes = network.machines.iter().flat_map(|m| &m.edges).any(|edge| edge.escape > 0);
        let timeout = network.any_expression(&|e| matches!(e, model::expr::Expr::Timeout));
        let provided = network.machines.iter().any(|machine| machine.provided.is_some());
        let meeting = network.channel_types.iter().any(|kind| kind.is_rendezvous());
        let constants = [
            ("WORDS", packing.words),
            ("PROCESSES", packing.anatomy.processes.len()),
            ("FIELDS", fields),
            ("SEGMENT", SEGMENT as usize),
            ("ATOMIC", usize::from(atomic)),
            ("STACK", if atomic { STACK } else { 1 }),
            ("LONGEST", LONGEST),
            ("ESCAPES", usize::from(escapes)),
            ("TIMEOUT", usize::from(timeout)),
            ("PROVIDED", usize::from(provided)),
            ("MEETING", usize::from(meeting)),
            ("START", packing.anatomy.start as usize),
        ];
        line!(self.text, "// A state has {} bits in {} words.", packing.bits, packing.words);
        for (index, process) in packing.anatomy.processes.iter().enumerate() {
            line!(self.text, "// Process {index}: {}", network.machine(process.machine).title());
        }
        line!(self.text, "// Channels: {}.", self.reading.name());
        for (name, value) in constants {
            line!(self.text, "#define {name} {value}");
        }
        // A large state is in memory while an edge changes it: few of its words are touched. So many blocks of threads share a
        // processor, which bounds the registers of a thread.
        let in_memory = self.in_memory;
        line!(self.text, "#define THREADS {BLOCK}");
        line!(self.text, "#define BLOCKS {}", if in_memory { 6 } else { 4 });
        line!(self.text, "#define IN_MEMORY {}", i32::from(in_memory));
        line!(self.text, "#define EDGE {}", if in_memory { "APART" } else { "INLINE" });
    }

    /// Whether `provided` lets a process move.
    fn provided(&mut self) {
        line!(self.text, "\nINLINE bool provided(State& v, Look& c, int p) {{");
        line!(self.text, "  const int base = BASE[p];\n  switch (MACHINE[p]) {{");
        for machine in self.machines() {
            if let Some(condition) = &self.network.machine(machine).provided {
                let condition = self.expr(condition, View::own(machine, None));
                line!(self.text, "    case {}: return {condition} != 0;", machine.0);
            }
        }
        line!(self.text, "  }}\n  return true;\n}}");
    }

    /// All that processes do.
    fn processes(&mut self) -> String {
        let before = std::mem::take(&mut self.text);
        self.edges();
        self.meetings();
        std::mem::replace(&mut self.text, before)
    }

    /// The functions that take an edge, if it can be taken: one for each process, or for each machine.
    fn edges(&mut self) {
        let processes = self.packing.anatomy.processes.iter().enumerate();
        let parts: Vec<(usize, View)> = match self.special {
            true => processes.map(|(slot, process)| (slot, View::own(process.machine, Some(slot)))).collect(),
            false => self.machines().into_iter().map(|machine| (machine.index(), View::own(machine, None))).collect(),
        };
        for &(part, view) in &parts {
            let name = &self.network.machine(view.machine).name;
            line!(self.text, "\n// Takes an edge of a process of type {name}, or changes nothing and says why not.");
            line!(self.text, "EDGE int edge_{part}(State& v, Look& c, int e, int p, bool moved) {{");
            line!(self.text, "  const int base = BASE[p];\n  switch (e) {{");
            for (number, machine, edge) in self.numbered().filter(|(_, machine, _)| *machine == view.machine) {
                self.title(number, machine, edge);
                let code = self.edge(&edge.action, view);
                self.text += &code;
                if !matches!(edge.action, Action::End) {
                    let to = self.set_location(view, edge.to.0);
                    self.text += &to;
                }
                self.moved(view);
            }
            line!(self.text, "  }}\n  return FLAG;\n}}");
        }
        let by = if self.special { "p" } else { "MACHINE[p]" };
        line!(self.text, "INLINE int edge(State& v, Look& c, int e, int p, bool moved) {{\n  switch ({by}) {{");
        for (part, _) in parts {
            line!(self.text, "    case {part}: return edge_{part}(v, c, e, p, moved);");
        }
        line!(self.text, "  }}\n  return FLAG;\n}}");
    }

    /// A process goes to a location.
    fn set_location(&self, view: View, to: u32) -> String {
        match view.slot.map(|slot| self.packing.anatomy.processes[slot].base as usize) {
            Some(address) => format!("      {};\n", self.write(address, &to.to_string())),
            None => format!("      set_location(v, {}, {to});\n", view.process),
        }
    }

    /// The value of a field, or a text that has it in bits.
    fn read(&self, address: usize) -> String {
        match self.fields.get(&address) {
            Some(Field { constant: Some(value), .. }) => format!("{value}u"),
            Some(field) => format!("get<{}, {}>(v)", field.at, field.bits),
            None => String::from("0u"),
        }
    }

    /// Sets the bits of a field.
    fn write(&self, address: usize, value: &str) -> String {
        match self.fields.get(&address) {
            Some(Field { constant: None, at, bits, .. }) => format!("put<{at}, {bits}>(v, {value})"),
            field => {
                let constant = field.and_then(|field| field.constant).unwrap_or(0);
                format!("v.bad |= (u32)({value}) != {constant}u")
            }
        }
    }

    /// The end of an edge that was taken.
    fn moved(&mut self, view: View) {
        if let Some(address) = self.packing.anatomy.last_mover {
            let set = self.write(address as usize, &format!("(u8)({})", self.process(view)));
            line!(self.text, "      {set};");
        }
        line!(self.text, "      return YES;\n    }}");
    }

    fn title(&mut self, number: usize, machine: MachineId, edge: &Edge) {
        let statement = model::trace::statement(self.network, machine, edge, self.sources);
        let statement: String = statement.chars().map(|c| if c.is_control() || c == '\\' { ' ' } else { c }).collect();
        let name = &self.network.machine(machine).name;
        line!(self.text, "    case {number}: {{ // {name} {} -> {}: {statement}", edge.from.0, edge.to.0);
    }

    /// The function that hands a message over.
    fn meetings(&mut self) {
        if !self.network.channel_types.iter().any(|kind| kind.is_rendezvous()) {
            return;
        }
        line!(self.text, "\n// A process takes the message that another one hands over, or changes nothing.");
        line!(self.text, "INLINE int meet(State& v, Look& c, int e, int p, int sender, int leads) {{");
        line!(self.text, "  const int base = BASE[p];\n  switch (e) {{");
        let used = self.machines();
        for (number, machine, edge) in self.numbered().filter(|(_, machine, _)| used.contains(machine)) {
            let view = View::own(machine, None);
            let Some(code) = self.acceptance(&edge.action, view) else { continue };
            self.title(number, machine, edge);
            self.text += &code;
            line!(self.text, "      set_location(v, p, {});", edge.to.0);
            self.moved(view);
        }
        line!(self.text, "  }}\n  return NO;\n}}");
    }
}

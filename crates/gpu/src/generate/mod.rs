//! A model as a text of CUDA C++: one function that takes an edge, one that lets two processes meet, and the way of a state
//! into bits and back. The text compiles for a device, and with any C++ compiler for a host.
//!
//! It says what [`model::semantics`] says, for what it does at all. Whatever it does not do, or is not sure of, sets `bad`
//! or returns `FLAG`, and the state goes to the CPU: faults, assertions that fail, values that do not fit, processes that
//! are not among the slots, deadlocks, sequences that are too long. So a mistake here can only be in what it does do, and
//! that is compared with the CPU's search by tests.

mod actions;
mod expressions;
mod queues;
mod states;

use crate::packing::{Packing, never_assigned};
use model::ids::MachineId;
use model::network::{Action, Edge, Network};
use model::semantics::{Reading, Semantics, Storage};
use model::source::SourceMap;
use std::collections::HashSet;
use std::fmt::Write;

/// States of this many steps inside an atomic sequence are the CPU's: it remembers where it has been.
const LONGEST: usize = 60;
/// Open ends of atomic sequences that are kept for one state.
const STACK: usize = 6;
/// Two to this power states are in a segment.
pub(crate) const SEGMENT: u32 = 20;

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
    if network.channel_types.iter().any(|kind| kind.capacity.is_none()) {
        return says("a channel of the model has no declared capacity");
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
        fixed: never_assigned(network),
        text: String::new(),
        labels: 0,
    };
    generator.head();
    generator.text += include_str!("../text/platform.cu");
    generator.states();
    generator.queues();
    generator.provided();
    generator.edges();
    generator.meetings();
    generator.text += include_str!("../text/search.cu");
    generator.text
}

/// A process as the text names it.
#[derive(Clone, Copy)]
struct View {
    machine: MachineId,
    /// Where its block starts.
    base: &'static str,
    /// Its number.
    process: &'static str,
}

impl View {
    fn own(machine: MachineId) -> View {
        View { machine, base: "base", process: "p" }
    }
}

struct Generator<'a> {
    network: &'a Network,
    reading: Reading,
    sources: &'a SourceMap,
    packing: &'a Packing,
    /// Global variables that nothing assigns.
    fixed: HashSet<usize>,
    text: String,
    labels: usize,
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
            ("SIZE", packing.size.next_multiple_of(16)),
            ("WORDS", packing.words),
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
        line!(
            self.text,
            "// A state has {} bits in {} words, {} bytes while it is worked on.",
            packing.bits,
            packing.words,
            packing.size
        );
        for (index, process) in packing.anatomy.processes.iter().enumerate() {
            line!(self.text, "// Process {index}: {}", network.machine(process.machine).title());
        }
        line!(self.text, "// Channels: {}.", self.reading.name());
        for (name, value) in constants {
            line!(self.text, "#define {name} {value}");
        }
    }

    /// Whether `provided` lets a process move.
    fn provided(&mut self) {
        line!(self.text, "\nINLINE bool provided(State& v, Look& c, int p, int base) {{\n  switch (MACHINE[p]) {{");
        for machine in self.machines() {
            if let Some(condition) = &self.network.machine(machine).provided {
                let condition = self.expr(condition, View::own(machine));
                line!(self.text, "    case {}: return {condition} != 0;", machine.0);
            }
        }
        line!(self.text, "  }}\n  return true;\n}}");
    }

    /// The function that takes an edge, if it can be taken.
    fn edges(&mut self) {
        line!(self.text, "\n// Takes an edge of a process, or changes nothing and says why not.");
        line!(self.text, "INLINE int edge(State& v, Look& c, int e, int p, int base, bool moved) {{\n  switch (e) {{");
        let used = self.machines();
        for (number, machine, edge) in self.numbered().filter(|(_, machine, _)| used.contains(machine)) {
            self.title(number, machine, edge);
            let code = self.edge(&edge.action, View::own(machine));
            self.text += &code;
            if !matches!(edge.action, Action::End) {
                line!(self.text, "      set_location(v, p, {});", edge.to.0);
            }
            if let Some(address) = self.packing.anatomy.last_mover {
                line!(self.text, "      set_u8(v, {address}, p);");
            }
            line!(self.text, "      return YES;\n    }}");
        }
        line!(self.text, "  }}\n  return FLAG;\n}}");
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
        line!(self.text, "INLINE int meet(State& v, Look& c, int e, int p, int base, int sender, int leads) {{");
        line!(self.text, "  switch (e) {{");
        let used = self.machines();
        for (number, machine, edge) in self.numbered().filter(|(_, machine, _)| used.contains(machine)) {
            let Some(code) = self.acceptance(&edge.action, View::own(machine)) else { continue };
            self.title(number, machine, edge);
            self.text += &code;
            line!(self.text, "      set_location(v, p, {});", edge.to.0);
            if let Some(address) = self.packing.anatomy.last_mover {
                line!(self.text, "      set_u8(v, {address}, p);");
            }
            line!(self.text, "      return YES;\n    }}");
        }
        line!(self.text, "  }}\n  return NO;\n}}");
    }
}

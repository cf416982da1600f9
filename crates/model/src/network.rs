//! The network of machines: what every front end produces and every engine reads.
//!
//! A [`Network`] is a list of [`Machine`]s, each a graph of locations and edges, with the variables
//! of the whole and the kinds of channels there are. A machine may have many instances (processes);
//! some run from the start, others are created by a [`Action::Run`]. What an edge *does* is an
//! [`Action`]; what it means is said in one place only, [`crate::semantics`].
//!
//! The same structure serves Promela (all of it), communicating finite machines (`.scm`: edges that
//! send or receive one constant on a global channel) and UML-RT capsules (one machine per capsule,
//! ports as channel variables that are set at creation).

use crate::expr::{Expr, Pattern, Place, Scope};
use crate::formula::Ltl;
use crate::ids::{ChannelTypeId, EdgeId, LocationId, MachineId, SymbolSetId, VariableId};
use crate::source::Span;

/// What a scalar can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ScalarType {
    /// 0 or 1.
    Bit,
    /// 0 to 255.
    Byte,
    /// A process number: a byte.
    Pid,
    /// 16 bits, signed.
    Short,
    /// 32 bits, signed.
    Int,
    /// So many bits, unsigned.
    Unsigned(u8),
    /// A symbolic constant of a set: a byte.
    Symbol(SymbolSetId),
    /// A reference to a channel; 0 is none.
    Channel,
}

impl ScalarType {
    /// The number of bits.
    pub fn bits(self) -> u8 {
        match self {
            ScalarType::Bit => 1,
            ScalarType::Byte | ScalarType::Pid | ScalarType::Symbol(_) | ScalarType::Channel => 8,
            ScalarType::Short => 16,
            ScalarType::Int => 32,
            ScalarType::Unsigned(bits) => bits,
        }
    }

    /// The value as it is after being stored: cut to the width, with the sign if there is one.
    #[inline(always)]
    pub fn truncate(self, value: i32) -> i32 {
        match self {
            ScalarType::Bit => value & 1,
            ScalarType::Byte | ScalarType::Pid | ScalarType::Symbol(_) => value & 0xff,
            ScalarType::Channel => value & 0xffff,
            ScalarType::Short => i32::from(value as i16),
            ScalarType::Int => value,
            ScalarType::Unsigned(bits) if bits >= 32 => value,
            ScalarType::Unsigned(bits) => value & (1i32 << bits).wrapping_sub(1),
        }
    }

    /// The name as a user writes it.
    pub fn name(self) -> String {
        match self {
            ScalarType::Bit => "bit".into(),
            ScalarType::Byte => "byte".into(),
            ScalarType::Pid => "pid".into(),
            ScalarType::Short => "short".into(),
            ScalarType::Int => "int".into(),
            ScalarType::Unsigned(bits) => format!("unsigned : {bits}"),
            ScalarType::Symbol(_) => "mtype".into(),
            ScalarType::Channel => "chan".into(),
        }
    }
}

/// A set of symbolic constants; the constant at index `i` has the value `i + 1`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SymbolSet {
    /// The name of the set, empty for the unnamed one.
    pub name: String,
    /// The constants by value, from 1.
    pub symbols: Vec<String>,
}

/// One dimension of a variable: an array that it is, or lies in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dimension {
    /// The number of elements.
    pub len: u32,
    /// The number of characters of the variable's name after which the index is written:
    /// 1 and 3 for `a.b` shown as `a[0].b[1]`.
    pub name_end: u32,
}

/// What a variable starts with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Initial {
    /// Zero, or no channel.
    Zero,
    /// Every element has the value of this expression; for a local variable it may read parameters, and locals
    /// declared earlier, and globals.
    Value(Expr),
    /// One value per element; the rest repeat the last.
    List(Vec<i32>),
    /// Every element is a channel of its own.
    NewChannel(ChannelTypeId),
}

/// A variable of the network or of a machine: a scalar, or an array of scalars.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The name, with dots for the fields of structures.
    pub name: String,
    /// What each element holds.
    pub ty: ScalarType,
    /// No dimension for a scalar.
    pub dimensions: Vec<Dimension>,
    /// The first value.
    pub initial: Initial,
    /// Where it is declared.
    pub span: Span,
}

impl Variable {
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.dimensions.iter().map(|d| d.len as usize).product()
    }

    /// Whether there is no element at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of an element, such as `a[0].b[1]`.
    pub fn element_name(&self, element: usize) -> String {
        let mut indices = vec![0; self.dimensions.len()];
        let mut rest = element;
        for (index, dimension) in indices.iter_mut().zip(&self.dimensions).rev() {
            *index = rest % dimension.len.max(1) as usize;
            rest /= dimension.len.max(1) as usize;
        }
        let mut name = String::new();
        let mut from = 0;
        for (index, dimension) in indices.iter().zip(&self.dimensions) {
            let end = (dimension.name_end as usize).min(self.name.len());
            name += &self.name[from..end];
            name += &format!("[{index}]");
            from = end;
        }
        name + &self.name[from..]
    }
}

/// A kind of channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelType {
    /// How many messages it holds; 0 is a rendezvous. `None` has no limit by nature.
    pub capacity: Option<u32>,
    /// The types of a message's fields.
    pub fields: Vec<ScalarType>,
    /// Messages can vanish from it at any time.
    pub lossy: bool,
    /// Where it is declared.
    pub span: Span,
}

impl ChannelType {
    /// A send waits for its receiver.
    pub fn is_rendezvous(&self) -> bool {
        self.capacity == Some(0)
    }
}

/// How a receive looks at its queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub struct ReceiveMode {
    /// `??`: the first message that fits, wherever it is, instead of the head.
    pub anywhere: bool,
    /// `?<..>`: the message stays.
    pub keep: bool,
}

/// What an edge does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Nothing; always executable.
    Skip,
    /// Waits until the expression is not zero.
    Condition(Expr),
    /// Executable when no other edge of the location is.
    Else,
    /// Stores a value.
    Assign(Place, Expr),
    /// Sends a message.
    Send {
        /// The channel.
        channel: Expr,
        /// One value per field.
        message: Vec<Expr>,
        /// `!!`: before the first greater message instead of at the end.
        sorted: bool,
    },
    /// Takes a message.
    Receive {
        /// The channel.
        channel: Expr,
        /// One pattern per field.
        pattern: Vec<Pattern>,
        /// Where it looks, and whether the message stays.
        mode: ReceiveMode,
    },
    /// Only in `trace` and `notrace` assertions, which no process runs: this message is sent, or taken.
    Observe {
        /// The channel.
        channel: Expr,
        /// Sent, or taken.
        sent: bool,
        /// One pattern per field: a value, or anything.
        pattern: Vec<Pattern>,
    },
    /// Violates the model when the expression is zero.
    Assert(Expr),
    /// Says something; the arguments have been parsed but do not change the state.
    Print {
        /// The format with `%d`, `%e` and the like.
        format: String,
        /// What goes into it.
        arguments: Vec<Expr>,
    },
    /// Creates a process, then does `then` (which may read [`Expr::RunResult`]).
    Run {
        /// The process type.
        machine: MachineId,
        /// Values of its parameters.
        arguments: Vec<Expr>,
        /// Its priority.
        priority: u8,
        /// What is done with the number of the new process.
        then: Option<(Place, Expr)>,
    },
    /// Changes the priority of a process.
    SetPriority(Expr, Expr),
    /// The process ends; it vanishes once all younger ones have.
    End,
    /// Several statements as one step without interleaving.
    Deterministic(Box<Deterministic>),
}

/// The body of a deterministic step: at each node the first executable choice is taken.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Deterministic {
    /// The step can be taken when one of these is executable; when there is none, always.
    pub guard: Vec<Action>,
    /// The nodes; the step starts at node 0.
    pub nodes: Vec<Vec<Choice>>,
}

/// One choice of a node of a deterministic step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// What it does; no [`Action::Deterministic`], no [`Action::Run`].
    pub action: Action,
    /// The next node; `None` ends the step.
    pub next: Option<u32>,
    /// Where it is written.
    pub span: Span,
}

/// An edge of a machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: LocationId,
    /// Where it leads.
    pub to: LocationId,
    /// What it does.
    pub action: Action,
    /// The process keeps control after this step, for as long as it can move (`atomic`).
    pub atomic: bool,
    /// Not 0: the edge belongs to an escape (`unless`). Edges are tried in order, and once an edge
    /// of one escape was executable those of others, and ordinary ones, are not looked at.
    pub escape: u32,
    /// Where it is written.
    pub span: Span,
}

/// A location of a machine.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Location {
    /// Edges that start here, in the order in which they are tried; an `else` is last.
    pub edges: Vec<EdgeId>,
    /// Labels in the source.
    pub labels: Vec<String>,
    /// A process may stop here for ever (`end`, or the closing brace).
    pub end: bool,
    /// Being here is progress.
    pub progress: bool,
    /// Being here again and again is accepting.
    pub accept: bool,
    /// Where it is in the source: the statement that comes next.
    pub span: Option<Span>,
}

/// What a machine is in its front end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum MachineKind {
    /// Processes of this type can run.
    Process,
    /// A `never` claim.
    Never,
    /// A `trace` assertion.
    Trace,
    /// A `notrace` assertion.
    NoTrace,
}

/// A process type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: MachineKind,
    /// How many of its variables are parameters: they come first.
    pub parameters: usize,
    /// Parameters, then local variables.
    pub variables: Vec<Variable>,
    /// Locations; numbers without any edge leading to them do no harm.
    pub locations: Vec<Location>,
    /// Edges.
    pub edges: Vec<Edge>,
    /// Where a process starts.
    pub initial: LocationId,
    /// The process moves only while this is not zero (`provided`).
    pub provided: Option<Expr>,
    /// Where it is declared.
    pub span: Span,
}

impl Machine {
    /// The edges that leave a location, in order.
    pub fn edges_from(&self, location: LocationId) -> impl Iterator<Item = &Edge> {
        self.locations[location.index()].edges.iter().map(|e| &self.edges[e.index()])
    }
}

/// A process that is there from the start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// Its type.
    pub machine: MachineId,
    /// Its priority.
    pub priority: u8,
}

/// A temporal formula that came with the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What it says.
    pub formula: Ltl,
    /// Where it is.
    pub span: Span,
}

/// A system of machines that communicate over channels and shared variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Network {
    /// Sets of symbolic constants; the first is the unnamed one.
    pub symbol_sets: Vec<SymbolSet>,
    /// Shared variables.
    pub variables: Vec<Variable>,
    /// Kinds of channels.
    pub channel_types: Vec<ChannelType>,
    /// Process types.
    pub machines: Vec<Machine>,
    /// `never` claims and `trace` assertions: not processes.
    pub claims: Vec<Machine>,
    /// Processes that run from the start, in order of their numbers.
    pub instances: Vec<Instance>,
    /// Temporal formulas.
    pub formulas: Vec<Formula>,
    /// Whether any priority other than the usual one can occur.
    pub uses_priorities: bool,
    /// Whether somebody asks who moved last: then it is part of the state.
    pub uses_last_mover: bool,
}

impl Network {
    /// The machine of an id.
    pub fn machine(&self, id: MachineId) -> &Machine {
        &self.machines[id.index()]
    }

    /// The variables of a scope, as a process of `machine` sees them.
    pub fn variables(&self, scope: Scope, machine: MachineId) -> &[Variable] {
        match scope {
            Scope::Global => &self.variables,
            Scope::Local => &self.machine(machine).variables,
        }
    }

    /// The variable that a place lies in, as a process of `machine` sees it.
    pub fn variable(&self, place: &Place, machine: MachineId) -> &Variable {
        &self.variables(place.scope, machine)[place.variable.index()]
    }

    /// The name of a symbolic constant.
    pub fn symbol(&self, set: SymbolSetId, value: i32) -> Option<&str> {
        let index = usize::try_from(value).ok()?.checked_sub(1)?;
        self.symbol_sets.get(set.index())?.symbols.get(index).map(String::as_str)
    }

    /// The name of a value in the first set that has one for it; the number if none has.
    pub fn any_symbol(&self, value: i32) -> String {
        let name = (0..self.symbol_sets.len()).find_map(|set| self.symbol(set.into(), value));
        name.map_or_else(|| value.to_string(), str::to_owned)
    }

    /// A value as a user would write it.
    pub fn show_value(&self, ty: ScalarType, value: i32) -> String {
        match ty {
            ScalarType::Symbol(set) => self.symbol(set, value).map_or_else(|| value.to_string(), str::to_owned),
            _ => value.to_string(),
        }
    }

    /// Calls `visit` for every expression of the processes.
    pub fn walk_expressions(&self, visit: &mut dyn FnMut(&Expr)) {
        for machine in &self.machines {
            machine.provided.iter().for_each(|e| e.walk(visit));
            machine.edges.iter().for_each(|edge| edge.action.walk(visit));
        }
    }

    /// Whether `wanted` holds of some expression of the processes.
    pub fn any_expression(&self, wanted: &dyn Fn(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk_expressions(&mut |e| found |= wanted(e));
        found
    }

    /// The variable at an id, in a table of variables.
    pub fn global(&self, id: VariableId) -> &Variable {
        &self.variables[id.index()]
    }
}

impl Action {
    /// Calls `visit` for every expression of the action.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        let place = |p: &Place, visit: &mut dyn FnMut(&Expr)| p.indices.iter().for_each(|e| e.walk(visit));
        match self {
            Action::Skip | Action::Else | Action::End => {}
            Action::Condition(e) | Action::Assert(e) => e.walk(visit),
            Action::Assign(p, e) => {
                place(p, visit);
                e.walk(visit);
            }
            Action::Send { channel, message, .. } => {
                channel.walk(visit);
                message.iter().for_each(|e| e.walk(visit));
            }
            Action::Receive { channel, pattern, .. } | Action::Observe { channel, pattern, .. } => {
                channel.walk(visit);
                pattern.iter().for_each(|p| p.walk(visit));
            }
            Action::Print { arguments, .. } => arguments.iter().for_each(|e| e.walk(visit)),
            Action::Run { arguments, then, .. } => {
                arguments.iter().for_each(|e| e.walk(visit));
                if let Some((p, e)) = then {
                    place(p, visit);
                    e.walk(visit);
                }
            }
            Action::SetPriority(a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            Action::Deterministic(body) => {
                body.guard.iter().for_each(|action| action.walk(visit));
                body.nodes.iter().flatten().for_each(|choice| choice.action.walk(visit));
            }
        }
    }

    /// Calls `change` for every expression of the action.
    pub fn walk_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        let place =
            |p: &mut Place, change: &mut dyn FnMut(&mut Expr)| p.indices.iter_mut().for_each(|e| e.walk_mut(change));
        match self {
            Action::Skip | Action::Else | Action::End => {}
            Action::Condition(e) | Action::Assert(e) => e.walk_mut(change),
            Action::Assign(p, e) => {
                place(p, change);
                e.walk_mut(change);
            }
            Action::Send { channel, message, .. } => {
                channel.walk_mut(change);
                message.iter_mut().for_each(|e| e.walk_mut(change));
            }
            Action::Receive { channel, pattern, .. } | Action::Observe { channel, pattern, .. } => {
                channel.walk_mut(change);
                pattern.iter_mut().for_each(|p| p.walk_mut(change));
            }
            Action::Print { arguments, .. } => arguments.iter_mut().for_each(|e| e.walk_mut(change)),
            Action::Run { arguments, then, .. } => {
                arguments.iter_mut().for_each(|e| e.walk_mut(change));
                if let Some((p, e)) = then {
                    place(p, change);
                    e.walk_mut(change);
                }
            }
            Action::SetPriority(a, b) => {
                a.walk_mut(change);
                b.walk_mut(change);
            }
            Action::Deterministic(body) => {
                body.guard.iter_mut().for_each(|action| action.walk_mut(change));
                body.nodes.iter_mut().flatten().for_each(|choice| choice.action.walk_mut(change));
            }
        }
    }
}

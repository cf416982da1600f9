//! Processes and channels described in Rust, without a text.
//!
//! A [`System`] has channels, shared variables and processes; a [`Process`] has locations, variables of its own, and edges.
//! [`System::build`] makes a [`Model`] of it, which is checked like one that was read from a file.
//!
//! An [`Edge`] leads from one location to another and has a list of statements. The first decides whether the edge can be
//! taken; the others follow without interleaving, as in an `atomic` sequence of Promela: where one of them has to wait, the
//! process waits there and others move. Several edges of one location are alternatives.
//!
//! A process that is at a location without edges has ended. Anywhere else it may wait without end only if the location is
//! an end location: everything else is a deadlock.
//!
//! ```
//! use highwater::Check;
//! use highwater::builder::{Edge, Process, System, Type, any, name};
//!
//! let model = System::new("requests")
//!     .symbols(["request", "reply"])
//!     .channel("to_server", 1, [Type::Symbol])
//!     .channel("to_client", 1, [Type::Symbol])
//!     .process(
//!         Process::new("Client")
//!             .variable("tries", Type::Byte, 0)
//!             .initial("idle")
//!             .edge(
//!                 Edge::new("idle", "waiting")
//!                     .guard(name("tries").less(3))
//!                     .send("to_server", ["request"])
//!                     .assign("tries", name("tries") + 1),
//!             )
//!             .edge(Edge::new("waiting", "idle").receive("to_client", ["reply"]))
//!             .edge(Edge::new("idle", "done").guard(name("tries").equals(3)))
//!             .location("done"),
//!     )
//!     .process(
//!         Process::new("Server")
//!             .initial("ready")
//!             .end("ready")
//!             .edge(Edge::new("ready", "busy").receive("to_server", [any()]))
//!             .edge(Edge::new("busy", "ready").send("to_client", ["reply"])),
//!     )
//!     .build()?;
//! Check::new(&model).run()?.assert_proved();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod description;
mod expression;
mod lower;

pub use expression::{Expr, Field, any, at, equal_to, is_empty, is_full, length, name, pid, timeout};

use crate::model::Model;
use expression::Term;
use thiserror::Error as ThisError;

/// What a variable or a field of a message can hold. A value is cut to the width when it is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// 0 or 1.
    Bit,
    /// 0 to 255.
    Byte,
    /// 16 bits, signed.
    Short,
    /// 32 bits, signed.
    Int,
    /// So many bits, 1 to 31, unsigned.
    Unsigned(u8),
    /// One of the symbols of the system.
    Symbol,
}

/// Why a system cannot be built.
#[derive(Clone, PartialEq, Eq, Debug, ThisError)]
#[error("{place}: {problem}")]
pub struct BuildError {
    /// The part that is wrong: `Sender@idle`, `channel data`.
    pub place: String,
    /// What is wrong with it, and what would be right.
    pub problem: String,
}

/// A name, the text of a formula, and what its atoms stand for.
type NamedFormula = (String, String, Vec<(String, Expr)>);

/// A system of processes and channels.
#[derive(Clone, Debug)]
pub struct System {
    name: String,
    symbols: Vec<String>,
    channels: Vec<Channel>,
    variables: Vec<Variable>,
    processes: Vec<Process>,
    formulas: Vec<NamedFormula>,
}

#[derive(Clone, Debug)]
struct Channel {
    name: String,
    /// `None` is a channel without a limit.
    capacity: Option<u32>,
    fields: Vec<Type>,
}

#[derive(Clone, Debug)]
struct Variable {
    name: String,
    ty: Type,
    first: Expr,
}

impl System {
    /// A system without anything; its name stands for the file in reports.
    pub fn new(name: impl Into<String>) -> System {
        let (symbols, channels, variables, processes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        System { name: name.into(), symbols, channels, variables, processes, formulas: Vec::new() }
    }

    /// Names for values of [`Type::Symbol`].
    #[must_use]
    pub fn symbols<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> System {
        self.symbols.extend(names.into_iter().map(Into::into));
        self
    }

    /// A channel that holds so many messages of these fields; with a capacity of 0, a send waits for its receive. `None` is
    /// a channel without a limit.
    #[must_use]
    pub fn channel(
        mut self,
        name: impl Into<String>,
        capacity: impl Into<Option<u32>>,
        fields: impl IntoIterator<Item = Type>,
    ) -> System {
        let (capacity, fields) = (capacity.into(), fields.into_iter().collect());
        self.channels.push(Channel { name: name.into(), capacity, fields });
        self
    }

    /// A variable that all processes share, with its first value: a number or a symbol.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, ty: Type, first: impl Into<Expr>) -> System {
        self.variables.push(Variable { name: name.into(), ty, first: first.into() });
        self
    }

    /// A process.
    #[must_use]
    pub fn process(mut self, process: Process) -> System {
        self.processes.push(process);
        self
    }

    /// A temporal formula with a name, for the property `ltl:NAME`: `[] (p -> <> q)`, with the condition that each of its
    /// propositions stands for.
    #[must_use]
    pub fn formula<S: Into<String>>(
        mut self,
        name: impl Into<String>,
        formula: impl Into<String>,
        propositions: impl IntoIterator<Item = (S, Expr)>,
    ) -> System {
        let propositions = propositions.into_iter().map(|(name, condition)| (name.into(), condition)).collect();
        self.formulas.push((name.into(), formula.into(), propositions));
        self
    }

    /// The model, or the first thing that is wrong with the system.
    pub fn build(&self) -> Result<Model, BuildError> {
        lower::build(self)
    }
}

/// A process: a graph of locations and edges, with variables of its own.
#[derive(Clone, Debug)]
pub struct Process {
    name: String,
    count: usize,
    variables: Vec<Variable>,
    initial: Option<String>,
    locations: Vec<Location>,
    edges: Vec<Edge>,
}

#[derive(Clone, Debug)]
struct Location {
    name: String,
    end: bool,
    progress: bool,
    accept: bool,
}

impl Process {
    /// A process without anything.
    pub fn new(name: impl Into<String>) -> Process {
        let (variables, locations, edges) = (Vec::new(), Vec::new(), Vec::new());
        Process { name: name.into(), count: 1, variables, initial: None, locations, edges }
    }

    /// So many processes of this type, instead of one.
    #[must_use]
    pub fn instances(mut self, count: usize) -> Process {
        self.count = count;
        self
    }

    /// A variable of the process, with its first value: a number or a symbol.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, ty: Type, first: impl Into<Expr>) -> Process {
        self.variables.push(Variable { name: name.into(), ty, first: first.into() });
        self
    }

    fn at(&mut self, name: String) -> &mut Location {
        let found = self.locations.iter().position(|location| location.name == name);
        let index = found.unwrap_or_else(|| {
            self.locations.push(Location { name, end: false, progress: false, accept: false });
            self.locations.len() - 1
        });
        &mut self.locations[index]
    }

    /// A location. Those that edges start from need not be declared.
    #[must_use]
    pub fn location(mut self, name: impl Into<String>) -> Process {
        self.at(name.into());
        self
    }

    /// Where the process starts.
    #[must_use]
    pub fn initial(mut self, name: impl Into<String>) -> Process {
        let name = name.into();
        self.at(name.clone());
        self.initial = Some(name);
        self
    }

    /// A location where the process may wait without end.
    #[must_use]
    pub fn end(mut self, name: impl Into<String>) -> Process {
        self.at(name.into()).end = true;
        self
    }

    /// A location that counts as progress, for the property `livelock`.
    #[must_use]
    pub fn progress(mut self, name: impl Into<String>) -> Process {
        self.at(name.into()).progress = true;
        self
    }

    /// A location that no run may visit infinitely often, for the property `acceptance`.
    #[must_use]
    pub fn accept(mut self, name: impl Into<String>) -> Process {
        self.at(name.into()).accept = true;
        self
    }

    /// An edge.
    #[must_use]
    pub fn edge(mut self, edge: Edge) -> Process {
        self.at(edge.from.clone());
        self.edges.push(edge);
        self
    }
}

/// An edge from one location to another, with its statements; without any, it can always be taken.
#[derive(Clone, Debug)]
pub struct Edge {
    from: String,
    to: String,
    statements: Vec<Statement>,
}

#[derive(Clone, Debug)]
enum Statement {
    Guard(Term),
    Otherwise,
    Assign(String, Term),
    Send { channel: String, message: Vec<Expr> },
    Receive { channel: String, fields: Vec<Field>, anywhere: bool },
    Assert(Term),
}

impl Edge {
    /// An edge without statements.
    pub fn new(from: impl Into<String>, to: impl Into<String>) -> Edge {
        Edge { from: from.into(), to: to.into(), statements: Vec::new() }
    }

    fn then(mut self, statement: Statement) -> Edge {
        self.statements.push(statement);
        self
    }

    /// Waits until a condition is true.
    #[must_use]
    pub fn guard(self, condition: impl Into<Expr>) -> Edge {
        self.then(Statement::Guard(condition.into().0))
    }

    /// Can be taken when no other edge of the location can: only as the first statement, and once for each location.
    #[must_use]
    pub fn otherwise(self) -> Edge {
        self.then(Statement::Otherwise)
    }

    /// Stores a value in a variable.
    #[must_use]
    pub fn assign(self, variable: impl Into<String>, value: impl Into<Expr>) -> Edge {
        self.then(Statement::Assign(variable.into(), value.into().0))
    }

    /// Sends a message: one value for each field of the channel. Waits while the channel is full.
    #[must_use]
    pub fn send<E: Into<Expr>>(self, channel: impl Into<String>, message: impl IntoIterator<Item = E>) -> Edge {
        let message = message.into_iter().map(Into::into).collect();
        self.then(Statement::Send { channel: channel.into(), message })
    }

    /// Takes the message at the head of a channel. Waits until its fields fit.
    #[must_use]
    pub fn receive<F: Into<Field>>(self, channel: impl Into<String>, fields: impl IntoIterator<Item = F>) -> Edge {
        let fields = fields.into_iter().map(Into::into).collect();
        self.then(Statement::Receive { channel: channel.into(), fields, anywhere: false })
    }

    /// Takes the first message of a channel whose fields fit, wherever it is.
    #[must_use]
    pub fn receive_anywhere<F: Into<Field>>(
        self,
        channel: impl Into<String>,
        fields: impl IntoIterator<Item = F>,
    ) -> Edge {
        let fields = fields.into_iter().map(Into::into).collect();
        self.then(Statement::Receive { channel: channel.into(), fields, anywhere: true })
    }

    /// Violates `safety` if a condition is false.
    #[must_use]
    pub fn assert(self, condition: impl Into<Expr>) -> Edge {
        self.then(Statement::Assert(condition.into().0))
    }
}

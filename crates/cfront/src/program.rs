//! What the front end hands on: components, each a flat control-flow graph over scalar variables.
//!
//! A [`Component`] is a procedure with everything that it calls, inlined. It is complete in itself: its own terms,
//! variables, objects and graph, because components share nothing (section 3 of the MAGIC paper: they communicate by
//! events only).
//!
//! * A **variable** is a scalar: a machine integer or a pointer. Structs and arrays are taken apart; `s.f` and `a[3]` are
//!   variables of their own. What belongs together is an [`Object`], which says where each variable lies in it.
//! * A **pointer** is a number, as on a machine: objects have addresses (see [`Object::address`]), null is 0. Every access
//!   through a pointer has become a selection over the variables that it can mean, behind a check that it means one.
//! * An **edge** does one simple thing. Everything that can go wrong is an edge with [`Instruction::Error`] behind an
//!   assumption, so terms never fail. Which kinds of errors count is the business of whoever asks.
//!
//! Two edges that leave the same location are a choice; [`Instruction::Assume`] decides it.

use crate::term::{Scalar, TermId, Terms};
use model::source::Span;
use std::fmt;

/// A variable of a component.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VariableId(pub u32);

/// An object of a component.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ObjectId(pub u32);

/// A location of a component's graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocationId(pub u32);

/// An edge of a component's graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EdgeId(pub u32);

/// What was read from one translation unit.
#[derive(Clone, Debug)]
pub struct Program {
    /// The widths that were assumed.
    pub data_model: crate::DataModel,
    /// The components, in the order in which they were requested.
    pub components: Vec<Component>,
    /// The procedures that have a body, in the order of the text.
    pub procedures: Vec<Procedure>,
}

/// A procedure with a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// Where its declarator stands.
    pub span: Span,
}

/// A procedure with everything that it calls, as one graph.
#[derive(Clone, Debug)]
pub struct Component {
    /// The name of the procedure.
    pub name: String,
    /// The pool of its terms.
    pub terms: Terms,
    /// Its variables.
    pub variables: Vec<Variable>,
    /// Its objects.
    pub objects: Vec<Object>,
    /// Where it starts.
    pub entry: LocationId,
    /// Its locations.
    pub locations: Vec<Location>,
    /// Its edges; those that leave a location are named there.
    pub edges: Vec<Edge>,
    /// The scalar of what the procedure returns, if it is one.
    pub result: Option<Scalar>,
    /// The routines without a body that it calls.
    pub routines: Vec<String>,
}

impl Component {
    /// A variable of this component.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// An edge of this component.
    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.0 as usize]
    }

    /// A location of this component.
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.0 as usize]
    }

    /// The edges that leave a location.
    pub fn leaving(&self, id: LocationId) -> impl Iterator<Item = (EdgeId, &Edge)> {
        self.location(id).leaving.iter().map(|&edge| (edge, self.edge(edge)))
    }

    /// The kinds of errors that the graph mentions, each with its edge.
    pub fn errors(&self) -> impl Iterator<Item = (EdgeId, &ErrorKind)> {
        self.edges.iter().enumerate().filter_map(|(number, edge)| match &edge.instruction {
            Instruction::Error(kind) => Some((EdgeId(number as u32), kind)),
            _ => None,
        })
    }
}

/// Where a variable comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VariableKind {
    /// Declared outside of procedures.
    Global,
    /// Declared in a procedure, and kept between calls.
    Static,
    /// Declared in a procedure.
    Local,
    /// A parameter.
    Parameter,
    /// Made by the front end: an intermediate value or a result.
    Temporary,
    /// A character of a string literal.
    Literal,
}

/// A scalar variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// As in C: `x`, `s.f`, `a[3].g`.
    pub name: String,
    /// The procedure that declares it.
    pub procedure: Option<String>,
    /// Width and sign.
    pub scalar: Scalar,
    /// Whether it holds an address.
    pub pointer: bool,
    /// Where it comes from.
    pub kind: VariableKind,
    /// The object that it is a part of.
    pub object: ObjectId,
    /// The first of its bytes in that object.
    pub offset: u64,
}

impl Variable {
    /// `procedure::name`, or the name alone.
    pub fn qualified(&self) -> String {
        match &self.procedure {
            Some(procedure) => format!("{procedure}::{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// A declared variable of C, a string literal, or a function whose address is taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Its first byte in the memory of this reading: never 0, and one past its end belongs to no other object.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Its scalars, in the order of their offsets. What has another kind of type has no variable.
    pub variables: Vec<VariableId>,
    /// The procedure, if this is one.
    pub function: Option<String>,
    /// Who else can mean it.
    pub linkage: Linkage,
    /// It, or a part of it, is declared `volatile`.
    pub volatile: bool,
    /// The text may load it, or a part of it, even where nothing depends on the value and no edge is left.
    pub loaded: bool,
}

/// Who else can mean an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Linkage {
    /// No one: it belongs to a call of a procedure, or to a thread.
    #[default]
    None,
    /// All procedures of its file, or all calls of its procedure.
    Internal,
    /// All procedures of its file, and all files that declare its name as `extern`.
    External,
    /// The same, and it is defined in another file.
    Elsewhere,
}

/// A place in the control flow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The procedure whose text it belongs to.
    pub procedure: String,
    /// What is executed next.
    pub span: Span,
    /// The label of the source, if there is one.
    pub label: Option<String>,
    /// The edges that leave it.
    pub leaving: Vec<EdgeId>,
    /// Whether an edge comes back to it in a depth-first walk.
    pub loop_head: bool,
}

/// A step from one location to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it starts.
    pub source: LocationId,
    /// Where it goes.
    pub target: LocationId,
    /// What it does.
    pub instruction: Instruction,
    /// The text that it comes from.
    pub span: Span,
}

/// What an edge does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Instruction {
    /// Nothing. There are few: an empty loop has one.
    Nop,
    /// All at once: every right-hand side is evaluated before any variable changes.
    Assign(Vec<(VariableId, TermId)>),
    /// Passable if the condition (one bit) holds.
    Assume(TermId),
    /// The variables get any values.
    Havoc(Vec<VariableId>, Cause),
    /// A routine without a body is called: an event. The result and what it may write get any values.
    Call {
        /// Its name.
        routine: String,
        /// The values of its arguments; an argument that is no scalar is left out.
        arguments: Vec<TermId>,
        /// What it returns, if that is used.
        result: Option<VariableId>,
        /// What it can reach through pointers.
        writes: Vec<VariableId>,
        /// The objects whose addresses it gets, or finds there, if only to read them.
        lent: Vec<ObjectId>,
    },
    /// The procedure returns: an event, and the end.
    Return(Option<TermId>),
    /// The program stops: `exit` with its status, or `abort`.
    Stop(Option<TermId>),
    /// Something is wrong, and the run ends here.
    Error(ErrorKind),
}

/// Why a variable has any value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Cause {
    /// The result of `__VERIFIER_nondet_…`.
    Nondet(String),
    /// Declared without a value.
    Uninitialised,
    /// A parameter of the component's procedure, or what it points to.
    Parameter,
    /// Declared here and defined elsewhere.
    Elsewhere,
    /// A pointer to an object whose lifetime has ended.
    Dead,
    /// Declared `volatile`: something else may have changed it before this read.
    Volatile,
    /// The load of a variable that other components use, too ([`crate::Options::shared`]): its present value.
    Shared(VariableId),
}

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ErrorKind {
    /// An assertion does not hold.
    Assertion,
    /// `__VERIFIER_error` or `reach_error` is called.
    ErrorCall,
    /// An error label is reached.
    ErrorLabel,
    /// Division by zero.
    DivisionByZero,
    /// The lowest number divided by minus one.
    DivisionOverflow,
    /// A shift by a negative number, or by as many bits as there are or more.
    Shift,
    /// An index outside of its array.
    Index,
    /// Access through a pointer that does not point to such a thing.
    Pointer,
    /// Pointer arithmetic that leaves the object, or that compares pointers into different ones.
    PointerArithmetic,
    /// A result that its signed type cannot hold; only if it is requested.
    SignedOverflow,
    /// More calls of one procedure inside of each other than are followed: no fault of the program.
    Recursion,
}

impl ErrorKind {
    /// Whether the author of the program wrote it down, as opposed to a fault of the program at run time.
    pub fn is_stated(self) -> bool {
        matches!(self, ErrorKind::Assertion | ErrorKind::ErrorCall | ErrorKind::ErrorLabel)
    }

    /// The short name of what is wrong.
    pub fn code(self) -> &'static str {
        match self {
            ErrorKind::Assertion => "assertion",
            ErrorKind::ErrorCall => "error-call",
            ErrorKind::ErrorLabel => "error-label",
            ErrorKind::DivisionByZero => "division-by-zero",
            ErrorKind::DivisionOverflow => "division-overflow",
            ErrorKind::Shift => "shift-out-of-range",
            ErrorKind::Index => "index-out-of-range",
            ErrorKind::Pointer => "invalid-pointer",
            ErrorKind::PointerArithmetic => "pointer-arithmetic",
            ErrorKind::SignedOverflow => "signed-overflow",
            ErrorKind::Recursion => "recursion",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ErrorKind::Assertion => "assertion violated",
            ErrorKind::ErrorCall => "error routine called",
            ErrorKind::ErrorLabel => "error label reached",
            ErrorKind::DivisionByZero => "division by zero",
            ErrorKind::DivisionOverflow => "division overflows",
            ErrorKind::Shift => "shift by too many bits",
            ErrorKind::Index => "index out of bounds",
            ErrorKind::Pointer => "invalid pointer",
            ErrorKind::PointerArithmetic => "pointer arithmetic leaves the object",
            ErrorKind::SignedOverflow => "signed overflow",
            ErrorKind::Recursion => "deeper recursion than is followed",
        })
    }
}

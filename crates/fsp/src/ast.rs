//! The tree of a text, before anything is computed.
//!
//! Chains (`a -> b -> P`, `1 + 2 + 3`, `p && q && r`) are lists and not towers, so that a long one is as harmless as a
//! short one; what nests is limited by the parser. Places where a process can be without having a name have numbers
//! ([`Place`]), by which their states are distinguished.

use model::formula::{Connective, Modality};
use model::source::Span;
use std::ops::Range;

/// A name and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// The number of a place in the text where a process can be.
pub(crate) type Place = u32;

/// A file.
#[derive(Debug, Default)]
pub(crate) struct File {
    pub(crate) constants: Vec<(Name, Expr)>,
    pub(crate) ranges: Vec<(Name, Bounds)>,
    pub(crate) sets: Vec<(Name, SetExpr)>,
    pub(crate) processes: Vec<Process>,
    pub(crate) composites: Vec<Composite>,
    pub(crate) fluents: Vec<Fluent>,
    pub(crate) formulas: Vec<FormulaText>,
    pub(crate) asserts: Vec<Assert>,
    pub(crate) progress: Vec<Progress>,
    /// The name of the last process or composition.
    pub(crate) last_process: Option<Name>,
}

/// An arithmetic expression.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Number(i64),
    /// A constant, a parameter, a variable.
    Name(Name),
    /// Operators of equal strength, from the left.
    Chain(Box<Expr>, Vec<(Operator, Expr)>, Span),
    Not(Box<Expr>, Span),
    Minus(Box<Expr>, Span),
    /// `'a.b`: a label as a value.
    Label(Box<Label>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    Different,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Plus,
    Minus,
    Times,
    Divide,
    Remainder,
}

/// `low..high`.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    pub(crate) low: Expr,
    pub(crate) high: Expr,
    pub(crate) span: Span,
}

/// What stands in brackets: `[i + 1]`, `[0..N]`, `[R]`, `[i:R]`, `[x:{a, b}]`.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    pub(crate) variable: Option<Name>,
    pub(crate) values: Values,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Values {
    /// One value; or all values of a range or a set, if it is the name of one.
    Expr(Expr),
    Bounds(Bounds),
    Set(SetExpr),
}

/// A part of a label.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Name(String),
    /// The name of a set, or a variable that stands for a label.
    Named(Name),
    Index(Index),
    Set(SetExpr),
    /// `S\{a}`: the labels of the first set that the second has not.
    Without(SetExpr, SetExpr),
}

/// `a.b[i:R].{c, d}`: one label, or several.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) parts: Vec<Part>,
    pub(crate) span: Span,
}

impl Label {
    /// Whether an index of it binds a variable.
    pub(crate) fn binds(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Index(index) if index.variable.is_some()))
    }
}

/// `{a, b[1..2]}`.
#[derive(Clone, Debug)]
pub(crate) struct SetExpr {
    pub(crate) labels: Vec<Label>,
    pub(crate) span: Span,
}

/// A primitive process with its local processes.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) name: Name,
    pub(crate) modifiers: Modifiers,
    pub(crate) parameters: Vec<(Name, Expr)>,
    pub(crate) clauses: Vec<Clause>,
    /// Instead of clauses: the file that it is read from.
    pub(crate) import: Option<Name>,
    pub(crate) extension: Option<SetExpr>,
    pub(crate) changes: Changes,
}

/// The words in front of a definition.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Modifiers {
    pub(crate) property: bool,
    pub(crate) deterministic: bool,
}

/// A local process: `Q[i:R]{p} = ..`. The first one is the process itself.
#[derive(Debug)]
pub(crate) struct Clause {
    pub(crate) place: Place,
    pub(crate) name: Name,
    pub(crate) indices: Vec<Index>,
    pub(crate) labels: Option<SetExpr>,
    pub(crate) body: Body,
}

/// What a process does.
#[derive(Debug)]
pub(crate) enum Body {
    Choice(Choice),
    If(Expr, Box<Body>, Box<Body>),
    /// `STOP`, `END`, `ERROR`, or a local process.
    Use(Name, Vec<Expr>),
    /// `P(3);Q;BODY`: the first ones are processes of the file, which end before the last begins.
    Sequence(Vec<(Place, Name, Vec<Expr>)>, Box<Body>),
}

#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) place: Place,
    pub(crate) alternatives: Vec<Alternative>,
    pub(crate) span: Span,
}

/// `when (guard) a -> b -> body`. Before action *n* the process is at place `first + n`, but for the first action.
#[derive(Debug)]
pub(crate) struct Alternative {
    pub(crate) guard: Option<Expr>,
    pub(crate) first: Place,
    pub(crate) actions: Vec<Label>,
    pub(crate) then: Body,
}

/// What is done to the labels of a process or composition, in this order.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) relabel: Vec<Relabel>,
    /// `<<{..}`, or `>>{..}` with `low`.
    pub(crate) priority: Option<Priority>,
    /// `\{..}`, or `@{..}` with `true`.
    pub(crate) hide: Option<(SetExpr, bool)>,
}

/// Events that go first, or last.
#[derive(Debug)]
pub(crate) struct Priority {
    pub(crate) labels: SetExpr,
    pub(crate) low: bool,
}

#[derive(Debug)]
pub(crate) enum Relabel {
    Pair(Label, Label, Span),
    Forall(Vec<Index>, Vec<Relabel>),
}

/// `||S(N=3) = (..)`.
#[derive(Debug)]
pub(crate) struct Composite {
    pub(crate) name: Name,
    pub(crate) modifiers: Modifiers,
    pub(crate) parameters: Vec<(Name, Expr)>,
    pub(crate) body: System,
    pub(crate) changes: Changes,
}

/// A part of a composition.
#[derive(Debug)]
pub(crate) enum System {
    /// `{a, b}::c:P(3)/{..}`.
    One {
        sharing: Option<Label>,
        label: Option<Label>,
        body: Box<System>,
        relabel: Vec<Relabel>,
    },
    Process(Name, Vec<Expr>),
    All(Vec<System>),
    Forall(Vec<Index>, Box<System>),
    If(Expr, Box<System>, Option<Box<System>>),
}

/// `fluent NAME[i:R] = <{..}, {..}> initially 0`.
#[derive(Debug)]
pub(crate) struct Fluent {
    pub(crate) name: Name,
    pub(crate) indices: Vec<Index>,
    pub(crate) begins: SetExpr,
    pub(crate) ends: SetExpr,
    pub(crate) initially: Option<Expr>,
}

/// A formula: its text, with comments blanked, and where that begins.
#[derive(Clone, Debug)]
pub(crate) struct FormulaText {
    pub(crate) name: Name,
    pub(crate) text: String,
    pub(crate) start: usize,
}

/// `progress NAME[i:R] = {..}`, or `= if {..} then {..}`.
#[derive(Debug)]
pub(crate) struct Progress {
    pub(crate) name: Name,
    pub(crate) indices: Vec<Index>,
    pub(crate) condition: Option<SetExpr>,
    pub(crate) events: SetExpr,
}

/// `assert NAME = FORMULA`, as LTSA reads it.
#[derive(Debug)]
pub(crate) struct Assert {
    pub(crate) name: Name,
    pub(crate) formula: Formula,
    pub(crate) span: Span,
}

/// The formula of an `assert`.
#[derive(Debug)]
pub(crate) enum Formula {
    Constant(bool),
    Unary(Modality, Box<Formula>),
    Binary(Connective, Box<Formula>, Box<Formula>),
    /// All of these hold, or one of them.
    Chain(Connective, Vec<Formula>),
    /// `forall[i:R] f` joins with `And`, `exists[i:R] f` with `Or`.
    Quantified(Connective, Vec<Index>, Box<Formula>),
    /// A fluent, another `assert`, or a set of labels.
    Named(Name, Vec<Index>),
    /// One of these labels.
    Labels(SetExpr),
}

impl FormulaText {
    /// The place of a part of the text.
    pub(crate) fn place(&self, range: Range<usize>) -> Span {
        Span::new(self.name.span.file, self.start + range.start, self.start + range.end)
    }
}

impl Expr {
    /// Where it stands; numbers have no place of their own.
    pub(crate) fn span(&self) -> Option<Span> {
        match self {
            Expr::Number(_) => None,
            Expr::Name(name) => Some(name.span),
            Expr::Label(label) => Some(label.span),
            Expr::Chain(_, _, span) | Expr::Not(_, span) | Expr::Minus(_, span) => Some(*span),
        }
    }
}

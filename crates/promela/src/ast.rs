//! The syntax tree of a model, as written: names are not resolved, inline calls are expanded.
//!
//! Structures follow the grammar of SPIN 6. A [`Sequence`] is what stands between separators; whether
//! it opens a scope is said by the statement that holds it: braces do, options of `if` and `do` do not.

use crate::token::Name;
use model::expr::{BinaryOp, ChannelTest, UnaryOp};
use model::formula::{Connective, Modality};
use model::source::Span;

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is written.
    pub span: Span,
    /// How deep the tree is: no input may exhaust the stack.
    pub depth: u32,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number; `true`, `skip` and `false` too.
    Number(i32),
    /// A variable, a symbolic constant, or one of the predefined variables.
    Name(Box<VarRef>),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `run P(..)`
    Run(Box<Run>),
    /// `len(c)` and the like.
    Channel(ChannelTest, Box<VarRef>),
    /// `c?[..]`, `c??[..]`
    Poll {
        /// The channel.
        channel: Box<VarRef>,
        /// The fields.
        pattern: Vec<PatternItem>,
        /// `??`
        anywhere: bool,
    },
    /// `timeout`
    Timeout,
    /// `np_`
    NonProgress,
    /// `enabled(e)`
    Enabled(Box<Expr>),
    /// `pc_value(e)`
    PcValue(Box<Expr>),
    /// `get_priority(e)`
    GetPriority(Box<Expr>),
    /// `P[e]@label`, `P@label`
    RemoteLabel {
        /// The process type.
        process: (Name, Span),
        /// Its number.
        pid: Option<Box<Expr>>,
        /// The label.
        label: (Name, Span),
    },
    /// `P[e]:x`, `P:x`
    RemoteVariable {
        /// The process type.
        process: (Name, Span),
        /// Its number.
        pid: Option<Box<Expr>>,
        /// The variable.
        variable: Box<VarRef>,
    },
    /// A temporal operator with one operand: allowed in `ltl` only.
    Temporal(Modality, Box<Expr>),
    /// A temporal operator with two operands: allowed in `ltl` only.
    Temporal2(Connective, Box<Expr>, Box<Expr>),
    /// `ch!msg`, `ch?msg(1,_)` as something that happens: allowed in `ltl` only.
    Event {
        /// The channel.
        channel: Box<VarRef>,
        /// Sent, or taken.
        sent: bool,
        /// The first fields.
        fields: Vec<PatternItem>,
    },
}

/// A creation of a process.
#[derive(Clone, Debug)]
pub struct Run {
    /// The process type.
    pub process: (Name, Span),
    /// What it is given.
    pub arguments: Vec<Expr>,
    /// Its priority.
    pub priority: Option<i32>,
}

/// A reference to a variable: `a[i].b`.
#[derive(Clone, Debug)]
pub struct VarRef {
    /// The name.
    pub name: Name,
    /// Where the name is.
    pub span: Span,
    /// The index.
    pub index: Option<Box<Expr>>,
    /// The field of a structure.
    pub field: Option<Box<VarRef>>,
    /// Where the reference ends.
    pub end: Span,
}

impl VarRef {
    /// The place of the whole reference.
    pub fn full_span(&self) -> Span {
        self.span.to(self.end)
    }
}

/// One field of a receive.
#[derive(Clone, Debug)]
pub enum PatternItem {
    /// A variable or a symbolic constant: known only when names are resolved.
    Reference(VarRef),
    /// `eval(e)`
    Eval(Expr),
    /// A number.
    Number(i32),
}

/// A type as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeName {
    /// `bit`, `bool`
    Bit,
    /// `byte`
    Byte,
    /// `pid`
    Pid,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `unsigned`
    Unsigned,
    /// `mtype`, `mtype:name`
    Mtype(Option<Name>),
    /// `chan`
    Chan,
    /// A `typedef`.
    User(Name),
}

/// `hidden`, `show`, `local`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Visibility {
    Hidden,
    Show,
    Local,
}

/// A declaration of variables of one type.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// `hidden` and the like.
    pub visibility: Option<Visibility>,
    /// The type.
    pub ty: TypeName,
    /// Where the type is written.
    pub ty_span: Span,
    /// The variables.
    pub variables: Vec<Declarator>,
}

/// One variable of a declaration.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// Its name.
    pub name: Name,
    /// Where the name is.
    pub span: Span,
    /// The number of bits, for `unsigned`.
    pub width: Option<(i32, Span)>,
    /// The number of elements.
    pub len: Option<Expr>,
    /// The first value.
    pub initial: Option<Initializer>,
}

/// The first value of a variable.
#[derive(Clone, Debug)]
pub enum Initializer {
    /// An expression.
    Value(Expr),
    /// `{ 1, 2, 3 }`
    List(Vec<i32>, Span),
    /// `[n] of { .. }`
    Channel {
        /// How many messages it holds.
        capacity: Expr,
        /// The types of the fields.
        fields: Vec<(TypeName, Span)>,
        /// Where it is.
        span: Span,
    },
}

/// A statement with its place.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it is written.
    pub span: Span,
}

/// Statements one after the other.
pub type Sequence = Vec<Stmt>;

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// A declaration.
    Declaration(Declaration),
    /// `xr` and `xs` claims: they have no effect on the semantics.
    ChannelClaim(Vec<VarRef>),
    /// `label: statement`
    Labelled((Name, Span), Box<Stmt>),
    /// An expression as a condition.
    Condition(Expr),
    /// `else`
    Else,
    /// `x = e`, also from `x++` and `x--`
    Assign(VarRef, Expr),
    /// `c!..`, `c!!..`
    Send {
        /// The channel.
        channel: VarRef,
        /// The fields.
        message: Vec<Expr>,
        /// `!!`
        sorted: bool,
    },
    /// `c?..`, `c??..`, `c?<..>`, `c??<..>`
    Receive {
        /// The channel.
        channel: VarRef,
        /// The fields.
        pattern: Vec<PatternItem>,
        /// `??`
        anywhere: bool,
        /// `?<..>`
        keep: bool,
    },
    /// `assert(e)`
    Assert(Expr),
    /// `printf(..)`, `printm(..)`
    Print {
        /// The format.
        format: String,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `set_priority(p, e)`
    SetPriority(Expr, Expr),
    /// `if .. fi`
    If(Vec<Sequence>),
    /// `do .. od`
    Do(Vec<Sequence>),
    /// `for (x : a .. b) { .. }`
    For {
        /// The variable that counts.
        variable: VarRef,
        /// Where it starts.
        from: Expr,
        /// Where it ends.
        to: Expr,
        /// What is repeated.
        body: Sequence,
    },
    /// `for (x in a) { .. }`
    ForIn {
        /// The variable that counts, or takes messages.
        variable: VarRef,
        /// The array or channel.
        container: VarRef,
        /// What is repeated.
        body: Sequence,
    },
    /// `select (x : a .. b)`
    Select {
        /// The variable that is set.
        variable: VarRef,
        /// The least value.
        from: Expr,
        /// The greatest value.
        to: Expr,
        /// Written in the form that SPIN makes a choice of; any other is a loop.
        literal: bool,
    },
    /// `break`
    Break,
    /// `goto label`
    Goto(Name, Span),
    /// `atomic { .. }`
    Atomic(Sequence),
    /// `d_step { .. }`
    DStep(Sequence),
    /// `{ .. }`
    Block(Sequence),
    /// The call of an inline: its body with the arguments in place.
    Inline(Sequence),
    /// `a unless b`
    Unless(Box<Stmt>, Box<Stmt>),
}

/// A process type.
#[derive(Clone, Debug)]
pub struct Proctype {
    /// Its name; `:init:` for `init`.
    pub name: Name,
    /// Where the name is.
    pub span: Span,
    /// How many run from the start; `None` without `active`.
    pub active: Option<Expr>,
    /// Its parameters.
    pub parameters: Vec<Declaration>,
    /// `priority n`
    pub priority: Option<i32>,
    /// `provided (e)`
    pub provided: Option<Expr>,
    /// What it does.
    pub body: Sequence,
    /// The closing brace.
    pub end: Span,
}

/// A `never` claim or a `trace` assertion.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Which.
    pub kind: model::network::MachineKind,
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// Where it is.
    pub span: Span,
    /// What it says.
    pub body: Sequence,
    /// The closing brace.
    pub end: Span,
}

/// A temporal formula.
#[derive(Clone, Debug)]
pub struct Ltl {
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// What it says.
    pub formula: Expr,
    /// From the first to the last token of the formula.
    pub span: Span,
}

/// One part of a model.
#[derive(Clone, Debug)]
pub enum Unit {
    /// A process type, or `init`.
    Proctype(Proctype),
    /// A claim.
    Claim(Claim),
    /// A formula.
    Ltl(Ltl),
    /// Global variables.
    Declaration(Declaration),
    /// `mtype = { .. }`
    Symbols {
        /// The set.
        set: Option<Name>,
        /// The constants.
        symbols: Vec<(Name, Span)>,
    },
    /// `typedef T { .. }`
    Typedef {
        /// The name.
        name: Name,
        /// Where the name is.
        span: Span,
        /// The fields.
        fields: Vec<Declaration>,
    },
}

/// A whole model.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Its parts, in order.
    pub units: Vec<Unit>,
    /// Statements with parts that are written elsewhere: in the body of a macro, or in the call of an inline.
    pub from_expansions: std::collections::HashSet<Span>,
    /// Calls of inlines, each with the body that is copied there.
    pub calls: Vec<(Span, Span)>,
}

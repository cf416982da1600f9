//! Expressions: what guards test and assignments compute.
//!
//! Values are 32-bit integers and arithmetic wraps, as in the C that SPIN generates. An expression
//! has no side effects; creating a process is an action (see [`crate::network::Action::Run`]) whose
//! result an expression may read as [`Expr::RunResult`].

use crate::ids::{LocationId, MachineId, VariableId};
use crate::source::Span;

/// Whose variable it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Scope {
    /// A variable of the whole network.
    Global,
    /// A variable of the process that takes the step.
    Local,
}

/// A scalar variable or an element of an array: something that can be read and assigned.
///
/// Structures are flattened when a model is built: `a[i].b[j]` is the element `(i, j)` of a variable
/// named `a.b` with two dimensions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Whose variable.
    pub scope: Scope,
    /// Which variable.
    pub variable: VariableId,
    /// One index per dimension of the variable.
    pub indices: Vec<Expr>,
    /// Where it is written.
    pub span: Span,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Negate,
    /// `~`
    Complement,
}

/// Operators with two operands. `And` and `Or` evaluate the right side only where it decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

impl BinaryOp {
    /// The operator as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }

    /// The value of the operator on two values; `None` for a division by zero.
    ///
    /// Shifts by 32 or more, or by a negative count, are undefined in C; like the processors that
    /// SPIN's verifier runs on, only the low five bits of the count matter.
    #[inline(always)]
    pub fn apply(self, a: i32, b: i32) -> Option<i32> {
        Some(match self {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::Div if b == 0 => return None,
            BinaryOp::Div => a.wrapping_div(b),
            BinaryOp::Rem if b == 0 => return None,
            BinaryOp::Rem => a.wrapping_rem(b),
            BinaryOp::BitAnd => a & b,
            BinaryOp::BitOr => a | b,
            BinaryOp::BitXor => a ^ b,
            BinaryOp::ShiftLeft => a.wrapping_shl(b as u32),
            BinaryOp::ShiftRight => a.wrapping_shr(b as u32),
            BinaryOp::Less => i32::from(a < b),
            BinaryOp::LessEqual => i32::from(a <= b),
            BinaryOp::Greater => i32::from(a > b),
            BinaryOp::GreaterEqual => i32::from(a >= b),
            BinaryOp::Equal => i32::from(a == b),
            BinaryOp::NotEqual => i32::from(a != b),
            BinaryOp::And => i32::from(a != 0 && b != 0),
            BinaryOp::Or => i32::from(a != 0 || b != 0),
        })
    }
}

/// Questions about the length of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ChannelTest {
    /// The number of messages.
    Len,
    /// Is it full? Never for an unbounded reading below the declared capacity.
    Full,
    /// Is it empty?
    Empty,
    /// Is there room?
    NotFull,
    /// Is there a message?
    NotEmpty,
}

/// One field of a receive: what it must be, or where it goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// The field must have this value: a constant or `eval(e)`.
    Match(Expr),
    /// The field is stored here.
    Bind(Place),
    /// The field may be anything and is thrown away: `_`.
    Any,
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A number or a symbolic constant.
    Const(i32),
    /// The value of a variable.
    Read(Place),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `len(c)`, `full(c)` and the like.
    Channel(ChannelTest, Box<Expr>),
    /// `c?[..]` and `c??[..]`: could this receive be taken?
    Poll {
        /// The channel.
        channel: Box<Expr>,
        /// The fields.
        pattern: Vec<Pattern>,
        /// Anywhere in the queue rather than at its head.
        anywhere: bool,
    },
    /// True when nothing else in the system can move.
    Timeout,
    /// The number of the process itself.
    Pid,
    /// The number of processes.
    ProcessCount,
    /// The number of the process that moved last.
    LastMover,
    /// The number of the process that this statement has just created.
    RunResult,
    /// `enabled(pid)`: has that process an executable statement?
    Enabled(Box<Expr>),
    /// `pc_value(pid)`: the location of that process, as a number.
    ProgramCounter(Box<Expr>),
    /// The priority of a process.
    Priority(Box<Expr>),
    /// No process is at a location labelled as progress (`np_`).
    NonProgress,
    /// `P[pid]@label`: is that process at the location?
    At {
        /// The process type.
        machine: MachineId,
        /// The number of the process; without one, the first process of the type.
        pid: Option<Box<Expr>>,
        /// The location.
        location: LocationId,
    },
    /// `P[pid]:x`: a local variable of another process.
    Remote {
        /// The process type.
        machine: MachineId,
        /// The number of the process; without one, the first process of the type.
        pid: Option<Box<Expr>>,
        /// Its variable.
        variable: VariableId,
        /// One index per dimension.
        indices: Vec<Expr>,
        /// Where it is written.
        span: Span,
    },
}

impl Expr {
    /// The value, if it is a constant.
    pub fn constant(&self) -> Option<i32> {
        match self {
            Expr::Const(value) => Some(*value),
            _ => None,
        }
    }

    /// Calls `visit` for this expression and everything in it.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        match self {
            Expr::Read(place) => place.indices.iter().for_each(|e| e.walk(visit)),
            Expr::Unary(_, e) | Expr::Channel(_, e) => e.walk(visit),
            Expr::Binary(_, a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            Expr::Conditional(c, a, b) => [c, a, b].into_iter().for_each(|e| e.walk(visit)),
            Expr::Poll { channel, pattern, .. } => {
                channel.walk(visit);
                pattern.iter().for_each(|p| p.walk(visit));
            }
            Expr::Enabled(e) | Expr::ProgramCounter(e) | Expr::Priority(e) => e.walk(visit),
            Expr::At { pid, .. } => pid.iter().for_each(|e| e.walk(visit)),
            Expr::Remote { pid, indices, .. } => {
                pid.iter().for_each(|e| e.walk(visit));
                indices.iter().for_each(|e| e.walk(visit));
            }
            Expr::Const(_)
            | Expr::Timeout
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::LastMover
            | Expr::RunResult
            | Expr::NonProgress => {}
        }
    }

    /// Calls `change` for this expression and everything in it, inner parts first.
    pub fn walk_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        match self {
            Expr::Read(place) => place.indices.iter_mut().for_each(|e| e.walk_mut(change)),
            Expr::Unary(_, e) | Expr::Channel(_, e) => e.walk_mut(change),
            Expr::Binary(_, a, b) => {
                a.walk_mut(change);
                b.walk_mut(change);
            }
            Expr::Conditional(c, a, b) => [c, a, b].into_iter().for_each(|e| e.walk_mut(change)),
            Expr::Poll { channel, pattern, .. } => {
                channel.walk_mut(change);
                pattern.iter_mut().for_each(|p| p.walk_mut(change));
            }
            Expr::Enabled(e) | Expr::ProgramCounter(e) | Expr::Priority(e) => e.walk_mut(change),
            Expr::At { pid, .. } => pid.iter_mut().for_each(|e| e.walk_mut(change)),
            Expr::Remote { pid, indices, .. } => {
                pid.iter_mut().for_each(|e| e.walk_mut(change));
                indices.iter_mut().for_each(|e| e.walk_mut(change));
            }
            Expr::Const(_)
            | Expr::Timeout
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::LastMover
            | Expr::RunResult
            | Expr::NonProgress => {}
        }
        change(self);
    }

    /// The same without places in the source, so that it equals what says the same elsewhere.
    pub fn without_places(mut self) -> Expr {
        self.walk_mut(&mut |e| match e {
            Expr::Read(place) => place.span = Span::NONE,
            Expr::Remote { span, .. } => *span = Span::NONE,
            Expr::Poll { pattern, .. } => pattern.iter_mut().for_each(|field| {
                if let Pattern::Bind(place) = field {
                    place.span = Span::NONE;
                }
            }),
            _ => {}
        });
        self
    }

    /// Whether `wanted` holds of this expression or of something in it.
    pub fn any(&self, wanted: &dyn Fn(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |e| found |= wanted(e));
        found
    }
}

impl Pattern {
    /// Calls `visit` for every expression in the pattern.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Pattern::Match(e) => e.walk(visit),
            Pattern::Bind(place) => place.indices.iter().for_each(|e| e.walk(visit)),
            Pattern::Any => {}
        }
    }

    /// Calls `change` for every expression in the pattern.
    pub fn walk_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        match self {
            Pattern::Match(e) => e.walk_mut(change),
            Pattern::Bind(place) => place.indices.iter_mut().for_each(|e| e.walk_mut(change)),
            Pattern::Any => {}
        }
    }
}

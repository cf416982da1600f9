//! The values of one process on its own: its variables, and the shared ones as it sees them.
//!
//! Expressions mean what they mean in the network: the arithmetic is [`BinaryOp::apply`], what is stored is cut by
//! [`ScalarType::truncate`]. An expression that asks for more than values (the length of a queue, another process) has
//! no value here; whoever meets one refuses the model.

use crate::print::NotExpressible;
use model::expr::{BinaryOp, Expr, Place, Scope, UnaryOp};
use model::ids::MachineId;
use model::network::{Initial, Network, ScalarType, Variable};
use model::source::Span;

/// Why there is no value.
pub(super) enum Trouble {
    /// The model goes wrong at run time: a fault.
    Fault,
    /// The value depends on something that cannot be folded.
    Refused(NotExpressible),
}

impl From<NotExpressible> for Trouble {
    fn from(reason: NotExpressible) -> Self {
        Trouble::Refused(reason)
    }
}

/// A value, or why there is none.
pub(super) type Eval<T = i32> = Result<T, Trouble>;

/// Where the variables of a list begin, if their elements stand one after the other.
pub(super) fn offsets(variables: &[Variable]) -> Vec<usize> {
    let mut next = 0;
    variables
        .iter()
        .map(|variable| {
            let offset = next;
            next += variable.len();
            offset
        })
        .collect()
}

/// All values that a process can see.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Store {
    pub(super) globals: Vec<i32>,
    pub(super) locals: Vec<i32>,
}

/// A process that evaluates.
#[derive(Clone, Copy)]
pub(super) struct Seer<'n> {
    pub(super) network: &'n Network,
    pub(super) machine: MachineId,
    /// Its number.
    pub(super) process: u32,
    /// The number of the process that it has just created.
    pub(super) created: i32,
    /// Where the expression stands.
    pub(super) span: Span,
}

impl Seer<'_> {
    fn slot(&self, scope: Scope, variable: usize) -> (&[Variable], usize) {
        let variables = self.network.variables(scope, self.machine);
        let offset = variables[..variable].iter().map(Variable::len).sum();
        (variables, offset)
    }

    /// The position of a place among the values of its scope.
    fn position(&self, place: &Place, store: &Store) -> Eval<usize> {
        let (variables, offset) = self.slot(place.scope, place.variable.index());
        let variable = &variables[place.variable.index()];
        let mut element = 0;
        for (index, dimension) in place.indices.iter().zip(&variable.dimensions) {
            let value = self.eval(index, store)?;
            match usize::try_from(value) {
                Ok(index) if index < dimension.len as usize => element = element * dimension.len as usize + index,
                _ => return Err(Trouble::Fault),
            }
        }
        Ok(offset + element)
    }

    /// Stores a value.
    pub(super) fn assign(&self, place: &Place, value: i32, store: &mut Store) -> Eval<()> {
        let position = self.position(place, store)?;
        let ty = self.network.variable(place, self.machine).ty;
        let values = match place.scope {
            Scope::Global => &mut store.globals,
            Scope::Local => &mut store.locals,
        };
        values[position] = ty.truncate(value);
        Ok(())
    }

    /// The value of an expression.
    pub(super) fn eval(&self, e: &Expr, store: &Store) -> Eval {
        Ok(match e {
            Expr::Const(value) => *value,
            Expr::Read(place) => {
                let position = self.position(place, store)?;
                match place.scope {
                    Scope::Global => store.globals[position],
                    Scope::Local => store.locals[position],
                }
            }
            Expr::Unary(op, e) => unary(*op, self.eval(e, store)?),
            Expr::Binary(BinaryOp::And, a, b) => i32::from(self.holds(a, store)? && self.holds(b, store)?),
            Expr::Binary(BinaryOp::Or, a, b) => i32::from(self.holds(a, store)? || self.holds(b, store)?),
            Expr::Binary(op, a, b) => op.apply(self.eval(a, store)?, self.eval(b, store)?).ok_or(Trouble::Fault)?,
            Expr::Conditional(c, a, b) => self.eval(if self.holds(c, store)? { a } else { b }, store)?,
            Expr::Pid => self.process as i32,
            Expr::RunResult => self.created,
            other => return Err(Trouble::Refused(NotExpressible { span: self.span, why: why_not(other) })),
        })
    }

    /// Whether an expression is not zero.
    pub(super) fn holds(&self, e: &Expr, store: &Store) -> Eval<bool> {
        Ok(self.eval(e, store)? != 0)
    }

    /// Gives variables their first values, from `skip` on; channels get their numbers from `queues` on.
    pub(super) fn initialise(&self, scope: Scope, skip: usize, mut queues: i32, store: &mut Store) -> Eval<()> {
        let variables = self.network.variables(scope, self.machine);
        for (index, variable) in variables.iter().enumerate().skip(skip) {
            let (_, offset) = self.slot(scope, index);
            for element in 0..variable.len() {
                let value = match &variable.initial {
                    Initial::Zero => 0,
                    Initial::Value(e) => self.eval(e, store)?,
                    Initial::List(values) => values.get(element).or(values.last()).copied().unwrap_or(0),
                    Initial::NewChannel(_) => {
                        queues += 1;
                        queues
                    }
                };
                let values = match scope {
                    Scope::Global => &mut store.globals,
                    Scope::Local => &mut store.locals,
                };
                values[offset + element] = variable.ty.truncate(value);
            }
        }
        Ok(())
    }
}

/// The values of a message as a channel stores them.
pub(super) fn truncated(fields: &[ScalarType], values: &[i32]) -> Vec<i32> {
    fields.iter().zip(values).map(|(ty, &value)| ty.truncate(value)).collect()
}

fn unary(op: UnaryOp, value: i32) -> i32 {
    match op {
        UnaryOp::Not => i32::from(value == 0),
        UnaryOp::Negate => value.wrapping_neg(),
        UnaryOp::Complement => !value,
    }
}

fn why_not(e: &Expr) -> String {
    let what = match e {
        Expr::Channel(..) => "the length of a channel",
        Expr::Poll { .. } => "a look into a channel",
        Expr::Timeout => "`timeout`, a look at all the other processes",
        Expr::ProcessCount => "the number of processes",
        Expr::LastMover => "who moved last",
        Expr::Enabled(_) | Expr::ProgramCounter(_) | Expr::Priority(_) | Expr::NonProgress => {
            "what another process is doing"
        }
        Expr::At { .. } => "where another process is",
        Expr::Remote { .. } => "a variable of another process",
        _ => "something outside of the process",
    };
    format!("this depends on {what}; a communicating machine knows only its own state and what it receives")
}

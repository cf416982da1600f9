//! Simple statements: those that are one action, or an assignment with a `run` in it.
//!
//! `run` is an expression in the grammar, but only a statement of its own, or what is assigned, makes sense of it: it becomes an
//! action that creates the process, and its result is read afterwards.

use super::Body;
use crate::ast::{Expr, ExprKind, Run, Stmt, StmtKind, VarRef};
use crate::lower::Lowering;
use crate::lower::types::Type;
use crate::token::kw;
use model::expr::{Expr as Lowered, Place};
use model::network::{Action, ReceiveMode};
use model::source::Span;

impl Lowering<'_> {
    /// The action of a statement that is a single step.
    pub(super) fn simple(&mut self, body: &mut Body, statement: &Stmt) -> Option<Action> {
        let span = statement.span;
        Some(match &statement.kind {
            StmtKind::Condition(e) => match &e.kind {
                ExprKind::Number(1) => Action::Skip,
                ExprKind::Run(run) => self.run(body, run, e.span, None)?,
                _ => Action::Condition(self.expr(e, Some(body))?),
            },
            StmtKind::Else => Action::Else,
            StmtKind::Assign(target, value) => self.assign(body, target, value)?,
            StmtKind::Send { channel, message, .. } if self.in_trace => {
                let channel = self.channel(channel, Some(body));
                let pattern = self.observed(message, Some(body));
                let ((channel, declared), pattern) = (channel?, pattern?);
                self.check_fields(declared, pattern.len(), span, "send");
                Action::Observe { channel, sent: true, pattern }
            }
            StmtKind::Send { channel, message, sorted } => {
                let channel = self.channel(channel, Some(body));
                let message = self.message(message, Some(body));
                let ((channel, declared), message) = (channel?, message?);
                self.check_fields(declared, message.len(), span, "send");
                Action::Send { channel, message, sorted: *sorted }
            }
            StmtKind::Receive { channel, pattern, anywhere, keep } => {
                let channel = self.channel(channel, Some(body));
                let pattern = self.pattern(pattern, Some(body));
                let ((channel, declared), pattern) = (channel?, pattern?);
                self.check_fields(declared, pattern.len(), span, "receive");
                if self.in_trace && !keep {
                    return Some(Action::Observe { channel, sent: false, pattern });
                }
                Action::Receive { channel, pattern, mode: ReceiveMode { anywhere: *anywhere, keep: *keep } }
            }
            StmtKind::Assert(e) => Action::Assert(self.expr(e, Some(body))?),
            StmtKind::Print { format, arguments } => {
                let arguments = self.message(arguments, Some(body))?;
                Action::Print { format: format.clone(), arguments }
            }
            StmtKind::SetPriority(process, priority) => {
                self.network.uses_priorities = true;
                let (process, priority) = (self.expr(process, Some(body)), self.expr(priority, Some(body)));
                Action::SetPriority(process?, priority?)
            }
            _ => return None,
        })
    }

    fn assign(&mut self, body: &mut Body, target: &VarRef, value: &Expr) -> Option<Action> {
        match target.name {
            kw::UNDERSCORE => {
                self.expr(value, Some(body))?;
                return Some(no_effect());
            }
            kw::UNDER_PRIORITY => {
                self.network.uses_priorities = true;
                return Some(Action::SetPriority(Lowered::Pid, self.expr(value, Some(body))?));
            }
            kw::UNDER_PID | kw::UNDER_NR_PR | kw::UNDER_LAST => {
                let text = self.text(target.name);
                self.error("P0236", target.span, format!("`{text}` cannot be assigned"));
                return None;
            }
            name if self.symbols.contains_key(&name) => {
                let text = self.text(name);
                let error =
                    self.error("P0242", target.span, format!("`{text}` is a symbolic constant, not a variable"));
                *error = error.clone().help("assign to a variable of type `mtype`");
                return None;
            }
            _ => {}
        }
        let resolved = self.scalar(target, Some(body))?;
        if let Some(run) = only_run(value) {
            return self.run(body, run, value.span, Some((resolved.place, value)));
        }
        let value = self.expr(value, Some(body))?;
        self.check_range(target.span, &Type::Scalar(resolved.ty), &value);
        Some(Action::Assign(resolved.place, value))
    }

    /// The creation of a process, and what is done with its number.
    fn run(&mut self, body: &Body, run: &Run, span: Span, then: Option<(Place, &Expr)>) -> Option<Action> {
        let machine = self.machine(run.process.0, run.process.1)?;
        let arguments = self.message(&run.arguments, Some(body))?;
        let priority = self.priority(run.priority, span);
        if run.priority.is_some() {
            self.network.uses_priorities = true;
        }
        let then = match then {
            Some((place, value)) => Some((place, self.expr_with_run(value, body)?)),
            None => None,
        };
        self.runs.push((machine, arguments.len(), span));
        Some(Action::Run { machine, arguments, priority, then })
    }

    /// An expression whose one `run` stands for the number of the new process.
    fn expr_with_run(&mut self, e: &Expr, body: &Body) -> Option<Lowered> {
        Some(match &e.kind {
            ExprKind::Run(_) => Lowered::RunResult,
            ExprKind::Unary(op, a) => Lowered::Unary(*op, Box::new(self.expr_with_run(a, body)?)),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr_with_run(a, body)?, self.expr_with_run(b, body)?);
                Lowered::Binary(*op, Box::new(a), Box::new(b))
            }
            _ => self.expr(e, Some(body))?,
        })
    }
}

/// A step that changes nothing, but is not a `skip` that could be left out.
pub(super) fn no_effect() -> Action {
    Action::Condition(Lowered::Const(1))
}

/// The one `run` of an expression.
fn only_run(e: &Expr) -> Option<&Run> {
    match &e.kind {
        ExprKind::Run(run) => Some(run),
        ExprKind::Unary(_, a) => only_run(a),
        ExprKind::Binary(_, a, b) => match (only_run(a), only_run(b)) {
            (Some(run), None) | (None, Some(run)) => Some(run),
            _ => None,
        },
        _ => None,
    }
}

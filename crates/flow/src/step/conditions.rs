//! What an expression can be, and what it says to suppose that it is true or false.
//!
//! A comparison of a variable with anything leaves fewer values for the variable; a test of a channel, or a comparison of its
//! length, says how many messages it holds at most at that moment; a poll that fails, which ones it does not hold. Of two ways to make a disjunction true, what both agree on
//! is kept. Whatever is not tracked can be both.

use super::places::Target;
use super::{Step, Stepper};
use crate::values;
use model::expr::{BinaryOp, ChannelTest, Expr, Pattern, Scope, UnaryOp};
use model::flow_proof::Values;

/// A queue that is compared with a number greater than this is not short.
const MOST_LENGTH: i32 = 1 << 16;

impl<'a> Stepper<'a> {
    /// What an expression can be.
    pub fn eval(&self, step: &Step, e: &Expr) -> Values {
        match e {
            Expr::Const(value) => values::single(*value),
            Expr::Read(place) => self.read(step, place),
            Expr::Unary(op, a) => values::unary(*op, &self.eval(step, a)),
            Expr::Binary(op, a, b) => values::binary(*op, &self.eval(step, a), &self.eval(step, b)),
            Expr::Conditional(c, a, b) => {
                let (yes, no) = values::truth(&self.eval(step, c));
                let a = if yes { self.eval(step, a) } else { values::nothing() };
                let b = if no { self.eval(step, b) } else { values::nothing() };
                values::join(&a, &b)
            }
            Expr::Channel(ChannelTest::Len, _) | Expr::ProcessCount | Expr::RunResult => values::range(0, i32::MAX),
            Expr::Channel(..)
            | Expr::Poll { .. }
            | Expr::Timeout
            | Expr::Enabled(_)
            | Expr::NonProgress
            | Expr::At { .. } => values::either(),
            Expr::Pid => self.pid.clone(),
            Expr::LastMover | Expr::ProgramCounter(_) | Expr::Priority(_) => values::anything(),
            Expr::Remote { machine, variable, .. } => {
                let ty = self.world.network.machine(*machine).variables[variable.index()].ty;
                values::join(&values::of_type(ty), &truncated_zero(ty))
            }
        }
    }

    /// Supposes that an expression is true, or false, and keeps what that says; `false` if it cannot be.
    pub fn assume(&self, step: &mut Step, e: &Expr, truth: bool) -> bool {
        match (e, truth) {
            (Expr::Unary(UnaryOp::Not, a), _) => self.assume(step, a, !truth),
            (Expr::Binary(BinaryOp::And, a, b), true) | (Expr::Binary(BinaryOp::Or, a, b), false) => {
                self.assume(step, a, truth) && self.assume(step, b, truth)
            }
            (Expr::Binary(BinaryOp::And | BinaryOp::Or, a, b), _) => self.assume_either(step, a, b, truth),
            (Expr::Binary(op, a, b), _) if values::is_comparison(*op) => {
                let op = if truth { *op } else { values::negated(*op) };
                let (x, y) = (self.eval(step, a), self.eval(step, b));
                let (left, right) = (values::compared(op, &x, &y), values::compared(values::mirrored(op), &y, &x));
                if values::is_empty(&left) || values::is_empty(&right) {
                    return false;
                }
                self.restrict(step, a, &left);
                self.restrict(step, b, &right);
                self.compare_length(step, op, a, (b, &y));
                self.compare_length(step, values::mirrored(op), b, (a, &x));
                true
            }
            _ => {
                let all = self.eval(step, e);
                let (yes, no) = values::truth(&all);
                if truth && yes {
                    self.restrict(step, e, &values::compared(BinaryOp::NotEqual, &all, &values::single(0)));
                } else if !truth && no {
                    self.restrict(step, e, &values::compared(BinaryOp::Equal, &all, &values::single(0)));
                }
                self.test_length(step, e, truth);
                if truth { yes } else { no }
            }
        }
    }

    /// What a test of a channel says of its length: `nfull` and `full` ask for the capacity that was declared.
    fn test_length(&self, step: &mut Step, e: &Expr, truth: bool) {
        let (test, channel) = match e {
            Expr::Channel(test, channel) => (test, channel),
            Expr::Poll { channel, pattern, anywhere } if !truth => {
                return self.missed(step, channel, pattern, *anywhere);
            }
            _ => return,
        };
        let Some(queue) = self.only_queue(step, channel) else { return };
        let facts = &self.facts.queues[queue as usize];
        let capacity = self.world.network.channel_types[facts.channel_type.index()].capacity;
        let most = match (test, truth) {
            (ChannelTest::NotFull, true) | (ChannelTest::Full, false) => capacity.and_then(|c| c.checked_sub(1)),
            (ChannelTest::Empty, true) | (ChannelTest::NotEmpty | ChannelTest::Len, false) => Some(0),
            _ => None,
        };
        if let Some(most) = most {
            shorten(step, (queue, None), u64::from(most));
        }
    }

    /// No message fits a pattern. A poll of the head says so of the whole queue only where every message would fit.
    fn missed(&self, step: &mut Step, channel: &Expr, pattern: &[Pattern], anywhere: bool) {
        let Some(queue) = self.only_queue(step, channel) else { return };
        let single = |values: &Values| values::bounds(values).filter(|(low, high)| low == high);
        let fits = |(held, pattern): (&Values, &Pattern)| match pattern {
            Pattern::Match(e) => single(held).is_some_and(|held| single(&self.eval(step, e)) == Some(held)),
            Pattern::Bind(_) | Pattern::Any => true,
        };
        let atoms = &self.facts.queues[queue as usize].atoms;
        let fitting: Vec<u32> = (0..)
            .zip(atoms)
            .filter(|(_, (_, held))| held.iter().zip(pattern).all(fits))
            .map(|(atom, _)| atom)
            .collect();
        if fitting.len() == atoms.len() {
            shorten(step, (queue, None), 0);
        }
        for atom in fitting.into_iter().filter(|_| anywhere) {
            shorten(step, (queue, Some(atom)), 0);
        }
    }

    /// What a comparison of `len` says. A number that depends on other lengths, or can be very large, is no limit.
    fn compare_length(&self, step: &mut Step, op: BinaryOp, e: &Expr, (other, with): (&Expr, &Values)) {
        let Expr::Channel(ChannelTest::Len, channel) = e else { return };
        let (Some(queue), Some((_, high))) = (self.only_queue(step, channel), values::bounds(with)) else { return };
        let open = |e: &Expr| matches!(e, Expr::Channel(..) | Expr::ProcessCount | Expr::RunResult);
        if high > MOST_LENGTH || other.any(&open) {
            return;
        }
        let most = match op {
            BinaryOp::Less => u64::try_from(i64::from(high) - 1),
            BinaryOp::LessEqual | BinaryOp::Equal => u64::try_from(high),
            _ => return,
        };
        if let Ok(most) = most {
            shorten(step, (queue, None), most);
        }
    }

    /// The queue that a channel expression means, if it is one queue and holds messages.
    fn only_queue(&self, step: &Step, channel: &Expr) -> Option<u32> {
        let Values::Queues(queues) = self.eval(step, channel) else { return None };
        let &[queue] = queues.as_slice() else { return None };
        let channel_type = self.facts.queues[queue as usize].channel_type;
        (!self.world.network.channel_types[channel_type.index()].is_rendezvous()).then_some(queue)
    }

    /// One of two has this truth. If one cannot, the other does; else what both ways leave possible is kept.
    fn assume_either(&self, step: &mut Step, a: &Expr, b: &Expr, truth: bool) -> bool {
        let (mut first, mut second) = (step.clone(), step.clone());
        let left = self.assume(&mut first, a, truth);
        // The right side is looked at when the left one did not decide.
        let right = self.assume(&mut second, a, !truth) && self.assume(&mut second, b, truth);
        match (left, right) {
            (true, false) => *step = first,
            (false, true) => *step = second,
            (true, true) => join_knowledge(step, &first, &second),
            (false, false) => return false,
        }
        true
    }

    /// Keeps of a place only these values, if the expression is one.
    pub(super) fn restrict(&self, step: &mut Step, e: &Expr, to: &Values) {
        let Expr::Read(place) = e else { return };
        let Target::Exactly(slot) = self.target(step, place) else { return };
        let kept = values::meet(&self.slot(step, place.scope, slot), to);
        match place.scope {
            Scope::Local => step.locals[slot] = kept,
            Scope::Global => {
                step.shared.retain(|(s, _)| *s as usize != slot);
                step.shared.push((slot as u32, kept));
            }
        }
    }
}

/// A queue holds no more than this, all in all or of one atom.
fn shorten(step: &mut Step, what: (u32, Option<u32>), most: u64) {
    step.lengths.entry(what).and_modify(|length| *length = most.min(*length)).or_insert(most);
}

fn truncated_zero(ty: model::network::ScalarType) -> Values {
    values::truncate(ty, values::single(0))
}

/// What two ways of looking at one state agree on.
fn join_knowledge(step: &mut Step, first: &Step, second: &Step) {
    for (slot, values) in step.locals.iter_mut().enumerate() {
        *values = values::join(&first.locals[slot], &second.locals[slot]);
    }
    let mut shared = Vec::new();
    for (slot, values) in &first.shared {
        if let Some((_, other)) = second.shared.iter().find(|(s, _)| s == slot) {
            shared.push((*slot, values::join(values, other)));
        }
    }
    step.shared = shared;
    step.lengths = first.lengths.clone();
    step.lengths.retain(|queue, length| match second.lengths.get(queue) {
        Some(other) => {
            *length = *other.max(length);
            true
        }
        None => false,
    });
}

//! What a step depends on: is it taken again when some queues hold more than before?
//!
//! In a later round of a loop every finite part is as it was, and so is every queue that came back to its old contents. What
//! differs is the *moving* queues: at the same position of a later round each holds what it held in the first, and more
//! behind it. A step is the same step again if every decision on the way to it has the same value for all such contents:
//!
//! * A length compared with a constant, if the result is the same for all lengths from the one seen on; `full`, `empty` and
//!   the like are such comparisons. Two lengths compared, a length in arithmetic, and a length that is stored are refused.
//! * A poll of the head, if there is one: it stays. A search through the whole queue (`??`), if it finds something in what
//!   was seen, or if no message that is ever in the queue fits.
//! * What had to be *impossible* stays impossible: the alternatives of an `else`, the escapes of an `unless`, the choices of
//!   a deterministic step in front of the one taken, what a process in control of an atomic sequence waited for, everything
//!   for a `timeout`, and every statement of each process of higher priority.
//!
//! Where processes multiply, the process that plays a part has another number in each round, and there are bystanders. Then
//! nothing may look at process numbers or at other processes, nor depend on a rendezvous that finds no partner, nor on
//! priorities.
//!
//! Refusing too much is fine: then the loop is not shown. Refusing too little is not.

use super::Refusal;
use crate::code::Compiler;
use crate::configuration::Configuration;
use crate::evaluate::{View, sorts_before};
use crate::expr::{BinaryOp, ChannelTest, Expr, Pattern, Place, UnaryOp};
use crate::ids::{EdgeId, MachineId};
use crate::network::{Action, Edge, Initial, Network};
use crate::semantics::Semantics;
use std::collections::BTreeMap;

/// What is known of a moving queue.
#[derive(Clone, Debug, Default)]
pub(super) struct Front {
    /// Every message that is ever in the queue, field by field.
    pub(super) letters: Vec<Vec<i32>>,
    /// What stands in front is not what stands there in the state that was seen.
    pub(super) hidden: bool,
}

/// The moving queues, by number.
pub(super) type Moving = BTreeMap<usize, Front>;

/// The questions about one state.
pub(super) struct Dependence<'a> {
    pub(super) semantics: &'a Semantics<'a>,
    pub(super) state: &'a Configuration,
    pub(super) moving: &'a Moving,
    /// The process that takes a step has another number in a later round.
    pub(super) anonymous: bool,
    /// Nothing else can move.
    pub(super) timeout: bool,
}

/// The value of an expression in all later rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    /// This one.
    Same(i32),
    /// The length of a moving queue: any number from this one on.
    AtLeast(i32),
}

type Checked<T = ()> = Result<T, Refusal>;

/// Whether loops of a network can be judged at all: what stands at odd places must not look at queues.
pub(super) fn check_network(network: &Network) -> Checked {
    let volatile = |e: &Expr| e.any(&is_volatile);
    if network.machines.iter().any(|m| m.provided.as_ref().is_some_and(volatile)) {
        return Err(Refusal::Provided);
    }
    let mut odd = false;
    for edge in network.machines.iter().flat_map(|m| &m.edges) {
        each_action(&edge.action, &mut |action| {
            if let Action::Receive { channel, pattern, .. } = action {
                channel.walk(&mut |e| odd |= is_volatile(e));
                pattern.iter().for_each(|p| p.walk(&mut |e| odd |= is_volatile(e)));
            }
        });
    }
    if odd { Err(Refusal::Looks) } else { Ok(()) }
}

/// The value can change from round to round although the finite parts do not.
fn is_volatile(e: &Expr) -> bool {
    matches!(e, Expr::Channel(..) | Expr::Poll { .. } | Expr::Timeout | Expr::Enabled(_))
}

/// The value depends on the numbers of processes, or on processes that take no part.
fn is_personal(e: &Expr) -> bool {
    matches!(
        e,
        Expr::Pid
            | Expr::ProcessCount
            | Expr::LastMover
            | Expr::RunResult
            | Expr::ProgramCounter(_)
            | Expr::Priority(_)
            | Expr::NonProgress
            | Expr::At { .. }
            | Expr::Remote { .. }
    )
}

/// Calls `visit` for an action and for those inside it.
fn each_action<'n>(action: &'n Action, visit: &mut dyn FnMut(&'n Action)) {
    visit(action);
    if let Action::Deterministic(step) = action {
        step.guard.iter().for_each(&mut *visit);
        step.nodes.iter().flatten().for_each(|choice| visit(&choice.action));
    }
}

impl<'a> Dependence<'a> {
    fn edges_at(&self, process: usize) -> impl Iterator<Item = (EdgeId, &'a Edge)> {
        let machine = self.semantics.network().machine(self.state.machine(process));
        let location = self.state.location(process);
        machine.locations[location.index()].edges.iter().map(|&id| (id, &machine.edges[id.index()]))
    }

    // --- steps --------------------------------------------------------------------------------------

    /// An edge that was taken: nothing goes before it in a later round either. `first` is the first statement of a
    /// deterministic step. What the statements do is asked of [`Self::done`].
    pub(super) fn chosen(&self, process: usize, id: EdgeId, first: &Action) -> Checked {
        let machine = self.semantics.network().machine(self.state.machine(process));
        let edge = machine.edges.get(id.index()).ok_or(Refusal::Replay)?;
        if self.anonymous && machine.provided.is_some() {
            return Err(Refusal::Provided);
        }
        let alone = is_else(&edge.action);
        for (other, alternative) in self.edges_at(process).take_while(|(other, _)| alone || *other != id) {
            let outranks = alternative.escape > 0 && alternative.escape != edge.escape;
            if other != id && (alone || outranks) {
                self.impossible(process, &alternative.action)?;
            }
        }
        match &edge.action {
            // The statement that comes first stays possible, so the guard does, if it is one of it.
            Action::Deterministic(step) if !alone && !step.guard.is_empty() && !step.guard.contains(first) => {
                Err(Refusal::Step)
            }
            _ => Ok(()),
        }
    }

    /// No process of higher priority can move, and it stays so.
    pub(super) fn not_outranked(&self, process: usize) -> Checked {
        let layout = &self.semantics.layout;
        if !layout.priorities {
            return Ok(());
        }
        if self.anonymous {
            return Err(Refusal::Priorities);
        }
        let own = self.state.priority(layout, process);
        let higher = |&other: &usize| other != process && self.state.priority(layout, other) > own;
        (0..self.state.process_count()).filter(higher).try_for_each(|other| self.blocked(other))
    }

    /// Nothing that the process could do was possible: it stays so.
    pub(super) fn blocked(&self, process: usize) -> Checked {
        if let Some(provided) = &self.semantics.network().machine(self.state.machine(process)).provided
            && !self.anonymous
            && !self.truth(process, provided)?
        {
            return Ok(());
        }
        self.edges_at(process).try_for_each(|(_, edge)| self.impossible(process, &edge.action))
    }

    /// Nothing in the system could move: it stays so.
    pub(super) fn nothing_moves(&self) -> Checked {
        if self.anonymous {
            return Err(Refusal::Timeout);
        }
        let before = Dependence { timeout: false, ..*self };
        (0..self.state.process_count()).try_for_each(|process| before.blocked(process))
    }

    /// An action that was not possible stays impossible.
    pub(super) fn impossible(&self, process: usize, action: &Action) -> Checked {
        match action {
            Action::Deterministic(step) if step.guard.is_empty() => Err(Refusal::Waits),
            // A send that needs a partner counts as possible in a guard.
            Action::Deterministic(step) => step.guard.iter().try_for_each(|guard| match guard {
                Action::Send { .. } => Err(Refusal::Waits),
                guard => self.impossible(process, guard),
            }),
            Action::Condition(e) if !self.truth(process, e)? => Ok(()),
            Action::Receive { channel, pattern, mode } => {
                let queue = self.queue(process, channel)?;
                self.patterns(pattern)?;
                if self.state.frame.queues[queue].rendezvous {
                    return if mode.keep { Err(Refusal::Step) } else { Ok(()) };
                }
                let kind = &self.semantics.layout.messages[self.state.frame.queues[queue].channel_type.index()];
                if kind.fields.len() != pattern.len() {
                    return Err(Refusal::Step);
                }
                let poll = poll(channel, pattern, mode.anywhere);
                match self.value(process, &poll) {
                    Ok(Value::Same(0)) => Ok(()),
                    _ => Err(Refusal::Waits),
                }
            }
            Action::Send { channel, message, .. } => {
                if self.anonymous {
                    return Err(Refusal::Partner);
                }
                // No process was there to receive, and no process will be: who looks at a rendezvous sees finite parts only.
                message.iter().try_for_each(|e| self.same(process, e).map(drop))?;
                let queue = self.queue(process, channel)?;
                if self.state.frame.queues[queue].rendezvous { Ok(()) } else { Err(Refusal::Waits) }
            }
            Action::End if self.anonymous => Err(Refusal::Numbers),
            Action::End if process + 1 < self.state.process_count() => Ok(()),
            _ => Err(Refusal::Waits),
        }
    }

    /// An action that is carried out, no deterministic step: it can be again, and does the same.
    pub(super) fn done(&self, process: usize, action: &Action) -> Checked {
        match action {
            Action::Skip | Action::Else | Action::End | Action::Print { .. } => Ok(()),
            Action::Condition(e) if self.truth(process, e)? => Ok(()),
            Action::Condition(_) => Err(Refusal::Replay),
            // That an assertion fails is no end of the run, that it cannot be computed is.
            Action::Assert(e) if !can_fail(e) => Ok(()),
            Action::Assert(e) => self.value(process, e).map(drop),
            Action::Assign(place, e) => {
                self.place(process, place)?;
                self.same(process, e).map(drop)
            }
            Action::Send { channel, message, sorted } => self.sends(process, channel, message, *sorted),
            Action::Receive { .. } => self.receives(process, action),
            Action::Run { machine, arguments, then, .. } => {
                self.creation(*machine)?;
                arguments.iter().try_for_each(|e| self.same(process, e).map(drop))?;
                match then {
                    Some((place, e)) => {
                        self.place(process, place)?;
                        self.finite(e)
                    }
                    None => Ok(()),
                }
            }
            Action::SetPriority(..) if self.anonymous => Err(Refusal::Priorities),
            Action::SetPriority(pid, priority) => {
                self.same(process, pid)?;
                self.same(process, priority).map(drop)
            }
            Action::Observe { .. } | Action::Deterministic(_) => Err(Refusal::Step),
        }
    }

    fn sends(&self, process: usize, channel: &Expr, message: &[Expr], sorted: bool) -> Checked {
        let fields = message.iter().map(|e| self.same(process, e)).collect::<Checked<Vec<i32>>>()?;
        let queue = self.queue(process, channel)?;
        let Some(front) = self.moving.get(&queue).filter(|_| sorted) else { return Ok(()) };
        // It goes to the end if nothing is ever there that is greater.
        let kind = &self.semantics.layout.messages[self.state.frame.queues[queue].channel_type.index()];
        let stored: Vec<i32> = fields.iter().zip(&kind.fields).map(|(&v, &(_, _, ty))| ty.truncate(v)).collect();
        let greater = |letter: &Vec<i32>| sorts_before(&stored, letter.iter().copied());
        if front.letters.iter().any(greater) { Err(Refusal::Looks) } else { Ok(()) }
    }

    /// A receive: from the front, or it leaves the message there.
    fn receives(&self, process: usize, action: &Action) -> Checked {
        let Action::Receive { channel, pattern, mode } = action else { return Err(Refusal::Step) };
        let queue = self.queue(process, channel)?;
        self.patterns(pattern)?;
        let Some(front) = self.moving.get(&queue) else { return Ok(()) };
        if front.hidden && (mode.keep || mode.anywhere) {
            return Err(Refusal::Looks);
        }
        // A search that finds the head finds it in every round.
        let head = poll(channel, pattern, false);
        if mode.anywhere && !mode.keep && self.concrete(process, &head)? == 0 {
            return Err(Refusal::Looks);
        }
        Ok(())
    }

    /// The first values of a new process.
    fn creation(&self, machine: MachineId) -> Checked {
        for variable in &self.semantics.network().machine(machine).variables {
            if let Initial::Value(e) = &variable.initial {
                self.finite(e)?;
            }
        }
        Ok(())
    }

    // --- values -------------------------------------------------------------------------------------

    /// Patterns look at no queue (see [`check_network`]); later ones may depend on what earlier ones bind.
    fn patterns(&self, patterns: &[Pattern]) -> Checked {
        let mut checked = Ok(());
        patterns.iter().for_each(|p| {
            p.walk(&mut |e| {
                if is_volatile(e) {
                    checked = Err(Refusal::Looks);
                } else if self.anonymous && is_personal(e) {
                    checked = Err(Refusal::Numbers);
                }
            });
        });
        checked
    }

    /// An expression that looks at finite parts only, wherever it is computed.
    fn finite(&self, e: &Expr) -> Checked {
        match () {
            () if e.any(&is_volatile) => Err(Refusal::Looks),
            () if self.anonymous && e.any(&is_personal) => Err(Refusal::Numbers),
            () => Ok(()),
        }
    }

    fn place(&self, process: usize, place: &Place) -> Checked {
        place.indices.iter().try_for_each(|e| self.same(process, e).map(drop))
    }

    /// The value, which is the same in all later rounds.
    fn same(&self, process: usize, e: &Expr) -> Checked<i32> {
        match self.value(process, e)? {
            Value::Same(value) => Ok(value),
            Value::AtLeast(_) => Err(Refusal::Looks),
        }
    }

    /// Whether it is not zero, in all later rounds.
    fn truth(&self, process: usize, e: &Expr) -> Checked<bool> {
        match self.value(process, e)? {
            Value::Same(value) => Ok(value != 0),
            Value::AtLeast(least) if least > 0 => Ok(true),
            Value::AtLeast(_) => Err(Refusal::Looks),
        }
    }

    fn concrete(&self, process: usize, e: &Expr) -> Checked<i32> {
        self.concrete_in(self.state, process, e)
    }

    fn concrete_in(&self, state: &Configuration, process: usize, e: &Expr) -> Checked<i32> {
        let (network, layout) = (self.semantics.network(), &self.semantics.layout);
        let code = Compiler { network, layout, machine: state.machine(process) }.expr(e);
        View::new(self.semantics, state, process, self.timeout).eval(&code).map_err(|_| Refusal::Step)
    }

    fn value(&self, process: usize, e: &Expr) -> Checked<Value> {
        match e {
            Expr::Const(value) => return Ok(Value::Same(*value)),
            Expr::Unary(op, operand) => match (op, self.value(process, operand)?) {
                (UnaryOp::Not, Value::AtLeast(least)) if least > 0 => return Ok(Value::Same(0)),
                (_, Value::AtLeast(_)) => return Err(Refusal::Looks),
                (UnaryOp::Not, Value::Same(value)) => return Ok(Value::Same(i32::from(value == 0))),
                (UnaryOp::Negate, Value::Same(value)) => return Ok(Value::Same(value.wrapping_neg())),
                (UnaryOp::Complement, Value::Same(value)) => return Ok(Value::Same(!value)),
            },
            Expr::Binary(BinaryOp::And, a, b) => {
                let both = self.truth(process, a)? && self.truth(process, b)?;
                return Ok(Value::Same(i32::from(both)));
            }
            Expr::Binary(BinaryOp::Or, a, b) => {
                let one = self.truth(process, a)? || self.truth(process, b)?;
                return Ok(Value::Same(i32::from(one)));
            }
            Expr::Binary(op, a, b) => return compared(*op, self.value(process, a)?, self.value(process, b)?),
            Expr::Conditional(condition, a, b) => {
                return self.value(process, if self.truth(process, condition)? { a } else { b });
            }
            Expr::Channel(test, channel) => return self.test(process, *test, channel, e),
            Expr::Poll { channel, pattern, anywhere } => return self.poll(process, channel, pattern, *anywhere),
            Expr::Enabled(_) => return Err(Refusal::Looks),
            Expr::Read(place) => self.place(process, place)?,
            Expr::Timeout => {}
            e if self.anonymous && is_personal(e) => return Err(Refusal::Numbers),
            Expr::ProgramCounter(e) | Expr::Priority(e) => drop(self.same(process, e)?),
            Expr::At { pid, .. } => pid.iter().try_for_each(|e| self.same(process, e).map(drop))?,
            Expr::Remote { pid, indices, .. } => {
                pid.iter().try_for_each(|e| self.same(process, e).map(drop))?;
                indices.iter().try_for_each(|e| self.same(process, e).map(drop))?;
            }
            // Its value is not known here.
            Expr::RunResult => return Err(Refusal::Step),
            Expr::Pid | Expr::ProcessCount | Expr::LastMover | Expr::NonProgress => {}
        }
        self.concrete(process, e).map(Value::Same)
    }

    /// `len`, `full`, `empty` and the like.
    fn test(&self, process: usize, test: ChannelTest, channel: &Expr, e: &Expr) -> Checked<Value> {
        let queue = self.queue(process, channel)?;
        if !self.moving.contains_key(&queue) {
            return self.concrete(process, e).map(Value::Same);
        }
        let length = self.state.queue_len(&self.semantics.layout, queue) as i32;
        let full = || View::new(self.semantics, self.state, process, self.timeout).is_full(queue);
        match test {
            ChannelTest::Len => Ok(Value::AtLeast(length)),
            ChannelTest::Empty if length > 0 => Ok(Value::Same(0)),
            ChannelTest::NotEmpty if length > 0 => Ok(Value::Same(1)),
            ChannelTest::Full if full() => Ok(Value::Same(1)),
            ChannelTest::NotFull if full() => Ok(Value::Same(0)),
            _ => Err(Refusal::Looks),
        }
    }

    fn poll(&self, process: usize, channel: &Expr, pattern: &[Pattern], anywhere: bool) -> Checked<Value> {
        let queue = self.queue(process, channel)?;
        self.patterns(pattern)?;
        let poll = poll(channel, pattern, anywhere);
        let found = self.concrete(process, &poll)?;
        let Some(front) = self.moving.get(&queue) else { return Ok(Value::Same(found)) };
        let stays = match (anywhere, found) {
            (true, 0) => front.letters.iter().try_fold(true, |none, letter| {
                let fits = self.concrete_in(&self.with_only(queue, letter), process, &poll)?;
                Ok(none && fits == 0)
            })?,
            (true, _) => true,
            (false, _) => !front.hidden && self.state.queue_len(&self.semantics.layout, queue) > 0,
        };
        if stays { Ok(Value::Same(found)) } else { Err(Refusal::Looks) }
    }

    /// The state with just one message in a queue.
    fn with_only(&self, queue: usize, letter: &[i32]) -> Configuration {
        let layout = &self.semantics.layout;
        let mut state = self.state.clone();
        while state.queue_len(layout, queue) > 0 {
            state.remove_message(layout, queue, 0);
        }
        state.insert_message(layout, queue, 0, letter);
        state
    }

    /// The queue that a channel expression means.
    pub(super) fn queue(&self, process: usize, channel: &Expr) -> Checked<usize> {
        let reference = self.same(process, channel)?;
        let queue = usize::try_from(reference).ok().and_then(|r| r.checked_sub(1)).ok_or(Refusal::Step)?;
        if queue < self.state.frame.queues.len() { Ok(queue) } else { Err(Refusal::Step) }
    }
}

/// The value of an operator on values that may be lengths.
fn compared(op: BinaryOp, a: Value, b: Value) -> Checked<Value> {
    let (least, op, constant) = match (a, b) {
        (Value::Same(a), Value::Same(b)) => return op.apply(a, b).map(Value::Same).ok_or(Refusal::Step),
        (Value::AtLeast(_), Value::AtLeast(_)) => return Err(Refusal::Looks),
        (Value::AtLeast(least), Value::Same(constant)) => (least, op, constant),
        (Value::Same(constant), Value::AtLeast(least)) => (least, mirrored(op), constant),
    };
    // For every length n ≥ least.
    let holds = match op {
        BinaryOp::Greater if least > constant => true,
        BinaryOp::GreaterEqual if least >= constant => true,
        BinaryOp::NotEqual if least > constant => true,
        BinaryOp::Less if least >= constant => false,
        BinaryOp::LessEqual if least > constant => false,
        BinaryOp::Equal if least > constant => false,
        _ => return Err(Refusal::Looks),
    };
    Ok(Value::Same(i32::from(holds)))
}

/// The operator with its operands exchanged.
fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        BinaryOp::Equal | BinaryOp::NotEqual => op,
        // Refused in either order.
        _ => BinaryOp::Add,
    }
}

fn poll(channel: &Expr, pattern: &[Pattern], anywhere: bool) -> Expr {
    Expr::Poll { channel: Box::new(channel.clone()), pattern: pattern.to_vec(), anywhere }
}

/// An `else`, also as the guard of a deterministic step.
fn is_else(action: &Action) -> bool {
    match action {
        Action::Else => true,
        Action::Deterministic(step) => matches!(step.guard.as_slice(), [Action::Else]),
        _ => false,
    }
}

/// Whether computing an expression can be an error: an index, or a division.
fn can_fail(e: &Expr) -> bool {
    e.any(&|e| match e {
        Expr::Read(place) => !place.indices.is_empty(),
        Expr::Remote { indices, .. } => !indices.is_empty(),
        Expr::Binary(op, ..) => matches!(op, BinaryOp::Div | BinaryOp::Rem),
        Expr::Enabled(_) | Expr::Poll { .. } => true,
        _ => false,
    })
}

//! The value of an expression in a state, and whether a statement can be executed there.
//!
//! Nothing here changes a state. Rendezvous statements are not executable by themselves: a send on a
//! rendezvous channel is paired with its receive in [`crate::semantics`].

use crate::code::{
    ActionCode, AtCode, ByteElementCode, Code, ElementCode, PatternCode, PlaceCode, PollCode, RemoteCode, ScalarCode,
};
use crate::configuration::{Configuration, address};
use crate::expr::{BinaryOp, ChannelTest, UnaryOp};
use crate::fault::Fault;
use crate::ids::MachineId;
use crate::semantics::{Reading, Semantics};

/// A value, or what went wrong on the way to it.
pub(crate) type Eval<T = i32> = Result<T, Box<Fault>>;

fn fault<T>(fault: Fault) -> Eval<T> {
    Err(Box::new(fault))
}

/// It is no process that asks.
pub(crate) const CLAIM: u16 = u16::MAX;

/// A state seen by one of its processes.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) semantics: &'a Semantics<'a>,
    pub(crate) state: &'a Configuration,
    pub(crate) process: usize,
    /// Where the block of the process starts.
    pub(crate) base: usize,
    /// Nothing else can move.
    pub(crate) timeout: bool,
    /// How many processes have asked whether another one is enabled, down to this one; or [`CLAIM`].
    pub(crate) asked: u16,
    pub(crate) run_result: i32,
}

impl<'a> View<'a> {
    #[inline]
    pub(crate) fn new(semantics: &'a Semantics<'a>, state: &'a Configuration, process: usize, timeout: bool) -> Self {
        View { semantics, state, process, base: state.base(process), timeout, asked: 0, run_result: 0 }
    }

    /// Whether the expression is not zero.
    #[inline]
    pub(crate) fn holds(&self, code: &Code) -> Eval<bool> {
        Ok(self.value(code)? != 0)
    }

    /// The value of an expression, like [`View::eval`]; constants and bytes, which most operands, indices and fields
    /// are, cost no call.
    #[inline(always)]
    pub(crate) fn value(&self, code: &Code) -> Eval {
        match code {
            Code::Const(value) => Ok(*value),
            Code::GlobalByte(address) => Ok(i32::from(self.state.bytes[*address as usize])),
            Code::LocalByte(address) => Ok(i32::from(self.state.bytes[self.base + *address as usize])),
            Code::ByteElement(element) => self.byte_element(element),
            _ => self.eval(code),
        }
    }

    /// The value of an expression.
    pub(crate) fn eval(&self, code: &Code) -> Eval {
        Ok(match code {
            Code::Const(value) => *value,
            Code::GlobalByte(address) => i32::from(self.state.bytes[*address as usize]),
            Code::LocalByte(address) => i32::from(self.state.bytes[self.base + *address as usize]),
            Code::Scalar(scalar) => self.scalar(*scalar),
            Code::Element(element) => self.element(element)?,
            Code::ByteElement(element) => self.byte_element(element)?,
            Code::GlobalByteIs(address, constant, is) => {
                i32::from((i32::from(self.state.bytes[*address as usize]) == *constant) == *is)
            }
            Code::LocalByteIs(address, constant, is) => {
                i32::from((i32::from(self.state.bytes[self.base + *address as usize]) == *constant) == *is)
            }
            Code::Compare(op, scalar, constant) => op.apply(self.scalar(*scalar), *constant).unwrap_or(0),
            Code::Unary(op, e) => unary(*op, self.value(e)?),
            Code::Binary(op, operands) => {
                let (a, b) = (self.value(&operands.0)?, self.value(&operands.1)?);
                match op.apply(a, b) {
                    Some(value) => value,
                    None => return fault(Fault::DivisionByZero),
                }
            }
            Code::And(operands) => i32::from(self.holds(&operands.0)? && self.holds(&operands.1)?),
            Code::Or(operands) => i32::from(self.holds(&operands.0)? || self.holds(&operands.1)?),
            Code::Conditional(parts) => {
                let chosen = if self.holds(&parts.0)? { &parts.1 } else { &parts.2 };
                self.eval(chosen)?
            }
            Code::Channel(test, channel) => self.channel_test(*test, channel)?,
            Code::Poll(poll) => i32::from(self.poll(poll)?),
            Code::Timeout => i32::from(self.timeout),
            Code::Pid => self.process as i32,
            Code::ProcessCount => self.state.process_count() as i32,
            Code::LastMover => self.semantics.last_mover(self.state),
            Code::RunResult => self.run_result,
            Code::Enabled(pid) => i32::from(self.enabled(pid)?),
            Code::ProgramCounter(pid) => match self.other(pid)? {
                Some(process) => self.state.location(process).0 as i32,
                None => 0,
            },
            Code::Priority(pid) => match self.other(pid)? {
                Some(process) => i32::from(self.state.priority(&self.semantics.layout, process)),
                None => 0,
            },
            Code::NonProgress => i32::from(!self.semantics.at_progress(self.state)),
            Code::At(at) => i32::from(self.at(at)?),
            Code::Remote(remote) => self.remote(remote)?,
        })
    }

    #[inline(always)]
    fn scalar(&self, scalar: ScalarCode) -> i32 {
        let base = if scalar.local { self.base } else { 0 };
        scalar.slot.storage.load(&self.state.bytes, address(scalar.slot, base, 0))
    }

    #[inline(always)]
    fn byte_element(&self, code: &ByteElementCode) -> Eval {
        let base = |local: bool| if local { self.base } else { 0 };
        let index = self.state.bytes[base(code.index_local) + code.index as usize];
        if u32::from(index) >= code.len {
            return self.element(&code.element);
        }
        Ok(i32::from(self.state.bytes[base(code.local) + code.address as usize + usize::from(index)]))
    }

    fn element(&self, code: &ElementCode) -> Eval {
        let base = if code.scalar.local { self.base } else { 0 };
        let element = self.element_index(code)?;
        Ok(code.scalar.slot.storage.load(&self.state.bytes, address(code.scalar.slot, base, element)))
    }

    /// The number of the element that the indices name, each index checked.
    #[inline]
    pub(crate) fn element_index(&self, code: &ElementCode) -> Eval<usize> {
        let mut element = 0;
        for (index, len) in &code.indices {
            let value = self.value(index)?;
            if value < 0 || value as u32 >= *len {
                return fault(Fault::Index { variable: code.name.clone(), index: value, len: *len });
            }
            element = element * *len as usize + value as usize;
        }
        Ok(element)
    }

    /// The address that an assignment to a place writes to.
    pub(crate) fn place_address(&self, place: &PlaceCode) -> Eval<usize> {
        let (scalar, element) = match place {
            PlaceCode::Scalar(scalar) => (scalar, 0),
            PlaceCode::Element(element) => (&element.scalar, self.element_index(element)?),
        };
        Ok(address(scalar.slot, if scalar.local { self.base } else { 0 }, element))
    }

    /// The queue that a channel expression refers to.
    #[inline]
    pub(crate) fn queue(&self, channel: &Code) -> Eval<usize> {
        let reference = self.value(channel)?;
        if reference <= 0 {
            return fault(Fault::NoChannel);
        }
        let queue = reference as usize - 1;
        if queue >= self.state.frame.queues.len() {
            return fault(Fault::DeadChannel);
        }
        Ok(queue)
    }

    /// Whether a queue is a rendezvous.
    #[inline]
    pub(crate) fn is_rendezvous(&self, queue: usize) -> bool {
        self.state.frame.queues[queue].rendezvous
    }

    /// Whether a queue holds as much as was declared.
    pub(crate) fn is_full(&self, queue: usize) -> bool {
        let frame = &self.state.frame.queues[queue];
        !frame.rendezvous && self.state.queue_len(&self.semantics.layout, queue) >= frame.capacity as usize
    }

    fn channel_test(&self, test: ChannelTest, channel: &Code) -> Eval {
        let queue = self.queue(channel)?;
        let len = if self.is_rendezvous(queue) { 0 } else { self.state.queue_len(&self.semantics.layout, queue) };
        Ok(match test {
            ChannelTest::Len => len as i32,
            ChannelTest::Full => i32::from(self.is_full(queue)),
            ChannelTest::Empty => i32::from(len == 0),
            ChannelTest::NotFull => i32::from(!self.is_full(queue)),
            ChannelTest::NotEmpty => i32::from(len > 0),
        })
    }

    fn poll(&self, poll: &PollCode) -> Eval<bool> {
        let queue = self.queue(&poll.channel)?;
        if self.is_rendezvous(queue) {
            return fault(Fault::PollRendezvous);
        }
        let channel_type = self.state.frame.queues[queue].channel_type;
        let fields = self.semantics.layout.messages[channel_type.index()].fields.len();
        if poll.pattern.len() > fields {
            check_fields(poll.pattern.len(), fields)?;
        }
        // A poll may leave out fields at the end: they may be anything.
        Ok(self.search(queue, &poll.pattern, poll.anywhere)?.is_some())
    }

    /// The position of the message that a receive takes: the head, or with `anywhere` the first that fits.
    pub(crate) fn find_message(&self, queue: usize, pattern: &[PatternCode], anywhere: bool) -> Eval<Option<usize>> {
        if self.state.queue_len(&self.semantics.layout, queue) == 0 {
            return Ok(None);
        }
        let channel_type = self.state.frame.queues[queue].channel_type;
        check_fields(pattern.len(), self.semantics.layout.messages[channel_type.index()].fields.len())?;
        self.search(queue, pattern, anywhere)
    }

    fn search(&self, queue: usize, pattern: &[PatternCode], anywhere: bool) -> Eval<Option<usize>> {
        let layout = &self.semantics.layout;
        let len = self.state.queue_len(layout, queue);
        if len == 0 {
            return Ok(None);
        }
        let frame = self.state.frame.queues[queue];
        let fields = &layout.messages[frame.channel_type.index()].fields;
        let start = self.state.queue_start(layout, queue);
        let candidates = if anywhere { len } else { 1 };
        'message: for position in 0..candidates {
            let at = start + position * frame.message_size as usize;
            for (pattern, &(storage, offset, _)) in pattern.iter().zip(fields) {
                if let PatternCode::Match(e) = pattern
                    && self.value(e)? != storage.load(&self.state.bytes, at + offset)
                {
                    continue 'message;
                }
            }
            return Ok(Some(position));
        }
        Ok(None)
    }

    /// Whether a message that is handed over fits a pattern.
    pub(crate) fn fits(&self, pattern: &[PatternCode], message: &[i32]) -> Eval<bool> {
        check_fields(pattern.len(), message.len())?;
        for (pattern, value) in pattern.iter().zip(message) {
            if let PatternCode::Match(e) = pattern
                && self.value(e)? != *value
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The process that a number refers to, if there is one.
    fn other(&self, pid: &Code) -> Eval<Option<usize>> {
        let pid = self.eval(pid)?;
        Ok(usize::try_from(pid).ok().filter(|&p| p < self.state.process_count()))
    }

    /// The process that a remote reference means: the one with the number, or the first of the type.
    fn referred(&self, machine: MachineId, pid: &Option<Code>) -> Eval<Option<usize>> {
        match pid {
            Some(pid) => self.other(pid),
            None => Ok((0..self.state.process_count()).find(|&p| self.state.machine(p) == machine)),
        }
    }

    fn at(&self, code: &AtCode) -> Eval<bool> {
        let process = self.referred(code.machine, &code.pid)?;
        Ok(process.is_some_and(|p| self.state.location(p) == code.location))
    }

    fn remote(&self, code: &RemoteCode) -> Eval {
        let element = self.element_index(&code.element)?;
        let process = self.referred(code.machine, &code.pid)?;
        match process.filter(|&p| self.state.machine(p) == code.machine) {
            Some(process) => Ok(self.state.read(code.element.scalar.slot, self.state.base(process), element)),
            None => Ok(0),
        }
    }

    fn enabled(&self, pid: &Code) -> Eval<bool> {
        let Some(process) = self.other(pid)? else { return Ok(false) };
        // Of more questions than there are processes, two come from the same one.
        let circular = process == self.process || usize::from(self.asked) >= self.state.process_count();
        if circular && self.asked != CLAIM {
            return fault(Fault::EnabledSelf);
        }
        let asked = self.asked.wrapping_add(1);
        let view = View { asked, ..View::new(self.semantics, self.state, process, self.timeout) };
        self.semantics.is_enabled(&view)
    }

    /// Whether an action can be executed by itself. `Else` is the caller's business, and a
    /// rendezvous send counts as executable only if `optimistic`.
    pub(crate) fn executable(&self, action: &ActionCode, optimistic: bool) -> Eval<bool> {
        match action {
            ActionCode::Condition(e) => self.holds(e),
            ActionCode::Send { channel, .. } => {
                let queue = self.queue(channel)?;
                if self.is_rendezvous(queue) {
                    return Ok(optimistic);
                }
                Ok(self.semantics.reading != Reading::Declared || !self.is_full(queue))
            }
            ActionCode::Receive { channel, pattern, mode } => {
                let queue = self.queue(channel)?;
                if self.is_rendezvous(queue) {
                    return if mode.keep { fault(Fault::PollRendezvous) } else { Ok(false) };
                }
                Ok(self.find_message(queue, pattern, mode.anywhere)?.is_some())
            }
            ActionCode::End => Ok(self.process + 1 == self.state.process_count()),
            ActionCode::Deterministic(step) => {
                for guard in &step.guard {
                    let executable = match guard {
                        ActionCode::Condition(condition) => self.holds(condition)?,
                        guard => self.executable(guard, true)?,
                    };
                    if executable {
                        return Ok(true);
                    }
                }
                Ok(step.guard.is_empty())
            }
            ActionCode::Skip
            | ActionCode::Else
            | ActionCode::Assign(..)
            | ActionCode::Assert(_)
            | ActionCode::Run { .. }
            | ActionCode::SetPriority(..) => Ok(true),
        }
    }
}

/// A receive has as many fields as its channel.
fn check_fields(given: usize, expected: usize) -> Eval<()> {
    if given == expected { Ok(()) } else { fault(Fault::FieldCount { given, expected }) }
}

fn unary(op: UnaryOp, value: i32) -> i32 {
    match op {
        UnaryOp::Not => i32::from(value == 0),
        UnaryOp::Negate => value.wrapping_neg(),
        UnaryOp::Complement => !value,
    }
}

/// Whether `a` comes before `b` in the order of sorted channels: field by field.
pub(crate) fn sorts_before(a: &[i32], b: impl Iterator<Item = i32>) -> bool {
    for (x, y) in a.iter().zip(b) {
        if *x != y {
            return BinaryOp::Less.apply(*x, y) == Some(1);
        }
    }
    false
}

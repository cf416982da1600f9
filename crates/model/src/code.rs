//! Expressions and actions made ready to run: names resolved to places in the packed state.
//!
//! [`Code`] mirrors [`Expr`], with the commonest forms (a scalar, a scalar compared with a
//! constant) as cases of their own, because guards of that form are most of what a search does.

use crate::expr::{BinaryOp, ChannelTest, Expr, Pattern, Place, Scope, UnaryOp};
use crate::ids::{LocationId, MachineId};
use crate::layout::{Layout, Section, Slot, Storage};
use crate::network::{Action, Choice, Network, ReceiveMode, ScalarType, Variable};
use crate::source::Span;

/// An expression made ready.
#[derive(Debug)]
pub(crate) enum Code {
    Const(i32),
    /// A global scalar that is a byte.
    GlobalByte(u32),
    /// A local scalar that is a byte.
    LocalByte(u32),
    Scalar(ScalarCode),
    Element(Box<ElementCode>),
    /// An element of an array of bytes, by an index that is a byte.
    ByteElement(Box<ByteElementCode>),
    /// A global byte that is a constant, or is not.
    GlobalByteIs(u32, i32, bool),
    /// A local byte that is a constant, or is not.
    LocalByteIs(u32, i32, bool),
    /// A scalar compared with a constant.
    Compare(BinaryOp, ScalarCode, i32),
    Unary(UnaryOp, Box<Code>),
    Binary(BinaryOp, Box<(Code, Code)>),
    And(Box<(Code, Code)>),
    Or(Box<(Code, Code)>),
    Conditional(Box<(Code, Code, Code)>),
    Channel(ChannelTest, Box<Code>),
    Poll(Box<PollCode>),
    Timeout,
    Pid,
    ProcessCount,
    LastMover,
    RunResult,
    Enabled(Box<Code>),
    ProgramCounter(Box<Code>),
    Priority(Box<Code>),
    NonProgress,
    At(Box<AtCode>),
    Remote(Box<RemoteCode>),
}

/// A scalar variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScalarCode {
    pub(crate) local: bool,
    pub(crate) slot: Slot,
}

/// An element of an array.
#[derive(Debug)]
pub(crate) struct ElementCode {
    pub(crate) scalar: ScalarCode,
    pub(crate) indices: Vec<(Code, u32)>,
    /// For messages.
    pub(crate) name: String,
}

/// A byte of an array, by the byte that is its index: the commonest element, found without a call.
#[derive(Debug)]
pub(crate) struct ByteElementCode {
    pub(crate) local: bool,
    pub(crate) address: u32,
    pub(crate) index_local: bool,
    pub(crate) index: u32,
    pub(crate) len: u32,
    /// The same element, for when the index is out of range.
    pub(crate) element: ElementCode,
}

#[derive(Debug)]
pub(crate) struct PollCode {
    pub(crate) channel: Code,
    pub(crate) pattern: Vec<PatternCode>,
    pub(crate) anywhere: bool,
}

#[derive(Debug)]
pub(crate) struct AtCode {
    pub(crate) machine: MachineId,
    pub(crate) pid: Option<Code>,
    pub(crate) location: LocationId,
}

#[derive(Debug)]
pub(crate) struct RemoteCode {
    pub(crate) machine: MachineId,
    pub(crate) pid: Option<Code>,
    pub(crate) element: ElementCode,
}

#[derive(Debug)]
pub(crate) enum PatternCode {
    Match(Code),
    Bind(PlaceCode),
    Any,
}

/// Something that can be assigned.
#[derive(Debug)]
pub(crate) enum PlaceCode {
    Scalar(ScalarCode),
    Element(Box<ElementCode>),
}

/// An action made ready.
#[derive(Debug)]
pub(crate) enum ActionCode {
    Skip,
    Condition(Code),
    Else,
    Assign(PlaceCode, Code),
    Send { channel: Code, message: Vec<Code>, sorted: bool },
    Receive { channel: Code, pattern: Vec<PatternCode>, mode: ReceiveMode },
    Assert(Code),
    Run { machine: MachineId, arguments: Vec<Code>, priority: u8, then: Option<(PlaceCode, Code)> },
    SetPriority(Code, Code),
    End,
    Deterministic(Box<DeterministicCode>),
}

#[derive(Debug)]
pub(crate) struct DeterministicCode {
    /// One of these must be executable; none: always.
    pub(crate) guard: Vec<ActionCode>,
    pub(crate) nodes: Vec<Vec<ChoiceCode>>,
    /// The guard is the only choice of the first node: who knows that the step can be taken need not ask again.
    pub(crate) starts_with_guard: bool,
}

#[derive(Debug)]
pub(crate) struct ChoiceCode {
    pub(crate) action: ActionCode,
    pub(crate) next: Option<u32>,
    pub(crate) span: Span,
}

/// Makes expressions and actions of one machine ready.
pub(crate) struct Compiler<'a> {
    pub(crate) network: &'a Network,
    pub(crate) layout: &'a Layout,
    pub(crate) machine: MachineId,
}

impl Compiler<'_> {
    pub(crate) fn action(&self, action: &Action) -> ActionCode {
        match action {
            Action::Skip | Action::Print { .. } => ActionCode::Skip,
            Action::Condition(Expr::Const(value)) if *value != 0 => ActionCode::Skip,
            Action::Condition(e) => ActionCode::Condition(self.expr(e)),
            // No process has one.
            Action::Observe { .. } => ActionCode::Condition(self.expr(&Expr::Const(0))),
            Action::Else => ActionCode::Else,
            Action::Assign(place, e) => ActionCode::Assign(self.place(place), self.expr(e)),
            Action::Send { channel, message, sorted } => ActionCode::Send {
                channel: self.expr(channel),
                message: message.iter().map(|e| self.expr(e)).collect(),
                sorted: *sorted,
            },
            Action::Receive { channel, pattern, mode } => {
                ActionCode::Receive { channel: self.expr(channel), pattern: self.pattern(pattern), mode: *mode }
            }
            Action::Assert(e) => ActionCode::Assert(self.expr(e)),
            Action::Run { machine, arguments, priority, then } => ActionCode::Run {
                machine: *machine,
                arguments: arguments.iter().map(|e| self.expr(e)).collect(),
                priority: *priority,
                then: then.as_ref().map(|(place, e)| (self.place(place), self.expr(e))),
            },
            Action::SetPriority(a, b) => ActionCode::SetPriority(self.expr(a), self.expr(b)),
            Action::End => ActionCode::End,
            Action::Deterministic(body) => {
                let choice = |c: &Choice| ChoiceCode { action: self.action(&c.action), next: c.next, span: c.span };
                let first = body.nodes.first().map(Vec::as_slice);
                ActionCode::Deterministic(Box::new(DeterministicCode {
                    starts_with_guard: matches!((body.guard.as_slice(), first), ([guard], Some([c])) if *guard == c.action),
                    guard: body.guard.iter().map(|action| self.action(action)).collect(),
                    nodes: body.nodes.iter().map(|node| node.iter().map(choice).collect()).collect(),
                }))
            }
        }
    }

    fn pattern(&self, pattern: &[Pattern]) -> Vec<PatternCode> {
        pattern
            .iter()
            .map(|p| match p {
                Pattern::Match(e) => PatternCode::Match(self.expr(e)),
                Pattern::Bind(place) => PatternCode::Bind(self.place(place)),
                Pattern::Any => PatternCode::Any,
            })
            .collect()
    }

    fn section(&self, scope: Scope) -> &Section {
        match scope {
            Scope::Global => &self.layout.globals,
            Scope::Local => &self.layout.blocks[self.machine.index()],
        }
    }

    pub(crate) fn place(&self, place: &Place) -> PlaceCode {
        let mut slot = self.section(place.scope).slots[place.variable.index()];
        let local = place.scope == Scope::Local;
        if !local {
            // The address of a global does not depend on the shape.
            let base = self.layout.globals_base as u32;
            slot.address += if slot.storage == Storage::Bit { base * 8 } else { base };
        }
        let scalar = ScalarCode { local, slot };
        if place.indices.is_empty() {
            return PlaceCode::Scalar(scalar);
        }
        let variable = self.network.variable(place, self.machine);
        if let Some(element) = constant_element(variable, &place.indices) {
            let step = if slot.storage == Storage::Bit { 1 } else { slot.storage.bytes() as u32 };
            let slot = Slot { address: slot.address + element as u32 * step, ..slot };
            return PlaceCode::Scalar(ScalarCode { local, slot });
        }
        let indices = place.indices.iter().zip(&variable.dimensions).map(|(e, d)| (self.expr(e), d.len)).collect();
        PlaceCode::Element(Box::new(ElementCode { scalar, indices, name: variable.name.clone() }))
    }

    pub(crate) fn expr(&self, expr: &Expr) -> Code {
        let boxed = |e: &Expr| Box::new(self.expr(e));
        match expr {
            Expr::Const(value) => Code::Const(*value),
            Expr::Read(place) => match self.place(place) {
                PlaceCode::Scalar(s) if s.slot.storage == Storage::U8 && s.local => Code::LocalByte(s.slot.address),
                PlaceCode::Scalar(s) if s.slot.storage == Storage::U8 => Code::GlobalByte(s.slot.address),
                PlaceCode::Scalar(s) => Code::Scalar(s),
                PlaceCode::Element(e) => element(e),
            },
            Expr::Unary(op, e) => Code::Unary(*op, boxed(e)),
            Expr::Binary(op, a, b) => self.binary(*op, a, b),
            Expr::Conditional(c, a, b) => Code::Conditional(Box::new((self.expr(c), self.expr(a), self.expr(b)))),
            Expr::Channel(test, channel) => Code::Channel(*test, boxed(channel)),
            Expr::Poll { channel, pattern, anywhere } => Code::Poll(Box::new(PollCode {
                channel: self.expr(channel),
                pattern: self.pattern(pattern),
                anywhere: *anywhere,
            })),
            Expr::Timeout => Code::Timeout,
            Expr::Pid => Code::Pid,
            Expr::ProcessCount => Code::ProcessCount,
            Expr::LastMover => Code::LastMover,
            Expr::RunResult => Code::RunResult,
            Expr::Enabled(e) => Code::Enabled(boxed(e)),
            Expr::ProgramCounter(e) => Code::ProgramCounter(boxed(e)),
            Expr::Priority(e) => Code::Priority(boxed(e)),
            Expr::NonProgress => Code::NonProgress,
            Expr::At { machine, pid, location } => Code::At(Box::new(AtCode {
                machine: *machine,
                pid: pid.as_ref().map(|e| self.expr(e)),
                location: *location,
            })),
            Expr::Remote { machine, pid, variable, indices, .. } => {
                let declared = &self.network.machine(*machine).variables[variable.index()];
                let slot = self.layout.blocks[machine.index()].slots[variable.index()];
                let indices = indices.iter().zip(&declared.dimensions).map(|(e, d)| (self.expr(e), d.len)).collect();
                let scalar = ScalarCode { local: true, slot };
                Code::Remote(Box::new(RemoteCode {
                    machine: *machine,
                    pid: pid.as_ref().map(|e| self.expr(e)),
                    element: ElementCode { scalar, indices, name: declared.name.clone() },
                }))
            }
        }
    }

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Code {
        let (a, b) = (self.expr(a), self.expr(b));
        match (op, &a, &b) {
            (BinaryOp::And, ..) => return Code::And(Box::new((a, b))),
            (BinaryOp::Or, ..) => return Code::Or(Box::new((a, b))),
            (BinaryOp::Div | BinaryOp::Rem, ..) => {}
            (_, Code::Const(x), Code::Const(y)) => {
                if let Some(value) = op.apply(*x, *y) {
                    return Code::Const(value);
                }
            }
            (BinaryOp::Equal | BinaryOp::NotEqual, Code::GlobalByte(address), Code::Const(constant)) => {
                return Code::GlobalByteIs(*address, *constant, op == BinaryOp::Equal);
            }
            (BinaryOp::Equal | BinaryOp::NotEqual, Code::LocalByte(address), Code::Const(constant)) => {
                return Code::LocalByteIs(*address, *constant, op == BinaryOp::Equal);
            }
            (_, left, Code::Const(constant)) => {
                if let Some(scalar) = as_scalar(left) {
                    return Code::Compare(op, scalar, *constant);
                }
            }
            _ => {}
        }
        Code::Binary(op, Box::new((a, b)))
    }
}

/// An element of an array, in its simplest form.
fn element(element: Box<ElementCode>) -> Code {
    let (index_local, index, len) = match element.indices.as_slice() {
        [(Code::LocalByte(index), len)] => (true, *index, *len),
        [(Code::GlobalByte(index), len)] => (false, *index, *len),
        _ => return Code::Element(element),
    };
    let ScalarCode { local, slot } = element.scalar;
    if slot.storage != Storage::U8 {
        return Code::Element(element);
    }
    let address = slot.address;
    Code::ByteElement(Box::new(ByteElementCode { local, address, index_local, index, len, element: *element }))
}

/// The element that constant indices name, if they are all in range.
fn constant_element(variable: &Variable, indices: &[Expr]) -> Option<usize> {
    let mut element = 0;
    for (index, dimension) in indices.iter().zip(&variable.dimensions) {
        let value = u32::try_from(index.constant()?).ok().filter(|v| *v < dimension.len)?;
        element = element * dimension.len as usize + value as usize;
    }
    Some(element)
}

fn as_scalar(code: &Code) -> Option<ScalarCode> {
    let byte =
        |local, address| Some(ScalarCode { local, slot: Slot { storage: Storage::U8, address, ty: ScalarType::Byte } });
    match *code {
        Code::Scalar(scalar) => Some(scalar),
        Code::GlobalByte(address) => byte(false, address),
        Code::LocalByte(address) => byte(true, address),
        _ => None,
    }
}

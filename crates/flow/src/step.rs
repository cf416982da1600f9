//! Abstract steps: what a process at a node can do, when values are known only as sets.
//!
//! [`Stepper::steps`] walks every edge of a point, and on through transient points, and gives each way as a [`Step`]:
//! where it ends, what the local slots hold then, what was sent and taken, what was written. Everything that depends on
//! what is not tracked counts as possible (`model::flow_proof` has the list), so the steps cover all that
//! `model::semantics` can do from states inside the sets.
//! (Ciclo, section VI: code abstraction; here the code is not thrown away but evaluated on sets.)

use crate::values;
use crate::world::{MachineInfo, World};
use model::expr::{BinaryOp, ChannelTest, Expr, Pattern, Place, Scope, UnaryOp};
use model::flow_proof::{Number, Point, QueueKey, Values, is_smashed};
use model::ids::{ChannelTypeId, EdgeId, MachineId};
use model::network::{Action, Choice, Variable};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

/// A queue that is compared with a number greater than this is not short.
const MOST_LENGTH: i32 = 1 << 16;

/// What is known of everything that processes share.
#[derive(Default)]
pub struct Facts {
    /// What each global slot can hold.
    pub globals: Vec<Values>,
    /// The queues.
    pub queues: Vec<QueueFacts>,
    /// Where each queue is.
    pub index: HashMap<QueueKey, u32>,
}

/// What is known of a queue.
pub struct QueueFacts {
    /// Whose it is.
    pub key: QueueKey,
    /// Its type.
    pub channel_type: ChannelTypeId,
    /// Per field: the constants that are told apart.
    pub constants: Vec<Vec<i32>>,
    /// Its messages: the class of each field, and what the fields can hold.
    pub atoms: Vec<(Vec<u32>, Vec<Values>)>,
}

impl QueueFacts {
    /// The atoms that a message can belong to, each with the part of the message's values that does.
    pub fn split(&self, message: &[Values]) -> Vec<(Vec<u32>, Vec<Values>)> {
        let mut found: Vec<(Vec<u32>, Vec<Values>)> = vec![(Vec::new(), Vec::new())];
        for (field, constants) in message.iter().zip(&self.constants) {
            let pieces = pieces(field, constants);
            let combine = |(classes, values): &(Vec<u32>, Vec<Values>)| {
                let (classes, values) = (classes.clone(), values.clone());
                let extended = pieces.iter().map(move |(class, piece)| {
                    ([&classes[..], &[*class]].concat(), [&values[..], std::slice::from_ref(piece)].concat())
                });
                extended.collect::<Vec<_>>()
            };
            found = found.iter().flat_map(combine).collect();
        }
        found
    }

    /// The number of an atom.
    pub fn atom(&self, classes: &[u32]) -> Option<u32> {
        self.atoms.iter().position(|(c, _)| c == classes).map(|i| i as u32)
    }
}

/// A field cut into its classes.
fn pieces(field: &Values, constants: &[i32]) -> Vec<(u32, Values)> {
    let mut pieces = Vec::new();
    if matches!(field, Values::Queues(_) | Values::AnyQueue) {
        return vec![(constants.len() as u32, field.clone())];
    }
    for (class, &constant) in constants.iter().enumerate() {
        if values::contains(field, constant) {
            pieces.push((class as u32, values::single(constant)));
        }
    }
    let others = match field {
        Values::Set(numbers) => {
            Values::Set(numbers.iter().copied().filter(|n| constants.binary_search(n).is_err()).collect())
        }
        other => other.clone(),
    };
    if !values::is_empty(&others) {
        pieces.push((constants.len() as u32, others));
    }
    pieces
}

/// A message that a step sends or takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Traffic {
    /// It is sent, with these fields.
    Sent(u32, Vec<Values>),
    /// One of this atom is taken.
    Taken(u32, u32),
}

/// A process that a step creates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Created {
    /// The edge that does.
    pub edge: EdgeId,
    /// Its type.
    pub machine: MachineId,
    /// Its parameters.
    pub arguments: Vec<Values>,
}

/// One way on from a node.
#[derive(Clone, Debug)]
pub struct Step {
    /// Where it ends.
    pub to: Point,
    /// The edges that it takes.
    pub edges: Vec<EdgeId>,
    /// What the local slots hold then.
    pub locals: Vec<Values>,
    /// What is known of global slots then, as far as more is known than in the facts.
    pub shared: Vec<(u32, Values)>,
    /// What was written to global slots.
    pub writes: Vec<(u32, Values)>,
    /// Messages.
    pub traffic: Vec<Traffic>,
    /// Processes.
    pub created: Vec<Created>,
    /// Per number of the stepper: the most that its distance grows.
    pub growth: Vec<i64>,
    /// The most that queues hold at its end, where a test has shown it.
    pub lengths: BTreeMap<u32, u64>,
    /// How much of the traffic came before the last location that it passed through.
    pub shown: usize,
}

impl Step {
    /// No state is like this.
    fn is_absurd(&self) -> bool {
        let shared = self.shared.iter().map(|(_, values)| values);
        let arguments = self.created.iter().flat_map(|created| &created.arguments);
        self.locals.iter().chain(shared).chain(arguments).any(values::is_empty)
    }

    /// What can be seen of its traffic if it fails (a deterministic step that fails leaves nothing behind), if something
    /// was sent.
    pub fn sent_before(&self) -> Option<&[Traffic]> {
        let shown = &self.traffic[..self.shown];
        shown.iter().any(|traffic| matches!(traffic, Traffic::Sent(..))).then_some(shown)
    }
}

/// What was looked at, so that it is looked at again when it changes.
#[derive(Default)]
pub struct Seen {
    /// Global slots.
    pub globals: Vec<u32>,
    /// Queues.
    pub queues: Vec<u32>,
    /// All queues.
    pub all_queues: bool,
    /// Numbers that fields were compared with: channel type, field, values.
    pub compared: Vec<(ChannelTypeId, u32, Values)>,
    /// What was sent and taken on ways that come to no end: every statement there fails.
    pub failed: Vec<Vec<Traffic>>,
}

/// Takes abstract steps of one process.
pub struct Stepper<'a> {
    /// The network.
    pub world: &'a World<'a>,
    /// What is known.
    pub facts: &'a Facts,
    /// The type of the process.
    pub machine: MachineId,
    /// The number of the process.
    pub pid: &'a Values,
    /// Numbers that are counted: those of this process, and global ones.
    pub numbers: &'a [Number],
    /// What was looked at.
    pub seen: RefCell<Seen>,
}

/// The slots that a place can mean.
enum Target {
    Exactly(usize),
    OneOf(Vec<usize>),
}

impl<'a> Stepper<'a> {
    fn info(&self) -> &'a MachineInfo {
        self.world.info(self.machine)
    }

    /// Every way on from a point, with these local values and this knowledge of shared variables.
    pub fn steps(&self, at: Point, locals: &[Values], shared: &[(u32, Values)]) -> Vec<Step> {
        let start = Step {
            to: at,
            edges: Vec::new(),
            locals: locals.to_vec(),
            shared: shared.to_vec(),
            writes: Vec::new(),
            traffic: Vec::new(),
            created: Vec::new(),
            growth: vec![0; self.numbers.len()],
            lengths: BTreeMap::new(),
            shown: 0,
        };
        let mut found = Vec::new();
        self.walk(at, start, &mut found);
        found
    }

    /// Goes on from a point; a step that has moved ends at the first point that is not transient.
    fn walk(&self, at: Point, step: Step, found: &mut Vec<Step>) {
        let further = self.further(at, &step);
        if let Some(sent) = step.sent_before()
            && further.iter().all(Step::is_absurd)
        {
            self.seen.borrow_mut().failed.push(sent.to_vec());
        }
        for mut next in further {
            if !self.info().transient.contains(&next.to) {
                found.push(next);
                continue;
            }
            if matches!(next.to, Point::Location(_)) {
                next.shown = next.traffic.len();
            }
            self.walk(next.to, next, found);
        }
    }

    /// One statement further.
    fn further(&self, at: Point, step: &Step) -> Vec<Step> {
        match at {
            Point::Gone => Vec::new(),
            Point::Inside(edge, node) => self.choices(step, edge, node),
            Point::Location(location) => self.edges(step, location),
        }
    }

    /// The choices at a point of a deterministic step.
    fn choices(&self, step: &Step, edge: u32, node: u32) -> Vec<Step> {
        let machine = self.world.network.machine(self.machine);
        let Action::Deterministic(body) = &machine.edges[edge as usize].action else { return Vec::new() };
        let mut found = Vec::new();
        let Some(choices) = body.nodes.get(node as usize) else { return found };
        for (index, choice) in choices.iter().enumerate() {
            let Some(mut start) = self.choose(step, choices, index) else { continue };
            if start.edges.is_empty() {
                start.edges.push(EdgeId(edge));
            }
            let to = choice.next.map_or(Point::at(machine.edges[edge as usize].to), |n| Point::Inside(edge, n));
            found.extend(self.apply(start, &choice.action, EdgeId(edge)).into_iter().map(|next| Step { to, ..next }));
        }
        found
    }

    /// The edges of a location.
    fn edges(&self, step: &Step, location: u32) -> Vec<Step> {
        let machine = self.world.network.machine(self.machine);
        let mut found = Vec::new();
        let Some(here) = machine.locations.get(location as usize) else { return found };
        for (position, &id) in here.edges.iter().enumerate() {
            let edge = &machine.edges[id.index()];
            let mut start = step.clone();
            start.edges.push(id);
            if is_else(&edge.action) {
                // Edges are tried in order: `else` says nothing of those behind it.
                let earlier = here.edges[..position].iter();
                let conditions = earlier.flat_map(|e| guards(&machine.edges[e.index()].action));
                if !conditions.into_iter().all(|e| self.assume(&mut start, e, false)) {
                    continue;
                }
            }
            match &edge.action {
                Action::Deterministic(_) => found.push(Step { to: Point::inside(id, 0), ..start }),
                Action::End => found.push(Step { to: Point::Gone, ..start }),
                action => {
                    let done = self.apply(start, action, id).into_iter();
                    found.extend(done.map(|next| Step { to: Point::at(edge.to), ..next }));
                }
            }
        }
        found
    }

    /// In a deterministic step, a choice is taken when those before it cannot be; but a message that is handed over goes
    /// straight to the receive, whatever stands before it.
    fn choose(&self, step: &Step, choices: &[Choice], index: usize) -> Option<Step> {
        let mut start = step.clone();
        if matches!(choices[index].action, Action::Receive { .. }) && self.world.has_rendezvous {
            return Some(start);
        }
        for earlier in &choices[..index] {
            if let Action::Condition(e) = &earlier.action
                && !self.assume(&mut start, e, false)
            {
                return None;
            }
        }
        Some(start)
    }

    /// What an action does: one step for each way in which it can be done.
    fn apply(&self, mut step: Step, action: &Action, edge: EdgeId) -> Vec<Step> {
        match action {
            Action::Skip | Action::Else | Action::Assert(_) | Action::Print { .. } | Action::SetPriority(..) => {
                vec![step]
            }
            Action::Condition(e) => {
                if self.assume(&mut step, e, true) {
                    vec![step]
                } else {
                    Vec::new()
                }
            }
            Action::Assign(place, e) => {
                if self.assign(&mut step, place, e) {
                    vec![step]
                } else {
                    Vec::new()
                }
            }
            Action::Send { channel, message, .. } => self.send(&step, channel, message),
            Action::Receive { channel, pattern, mode } => self.receive(&step, channel, pattern, mode.keep),
            Action::Run { machine, arguments, then, .. } => {
                let types = &self.world.info(*machine).types;
                let values = arguments.iter().zip(types).map(|(e, &ty)| values::truncate(ty, self.eval(&step, e)));
                let arguments = values.collect();
                step.created.push(Created { edge, machine: *machine, arguments });
                match then {
                    Some((place, e)) if !self.assign(&mut step, place, e) => Vec::new(),
                    _ => vec![step],
                }
            }
            Action::End | Action::Observe { .. } | Action::Deterministic(_) => Vec::new(),
        }
    }

    /// Stores the value of an expression; `false` if there is none, as after a division by zero.
    fn assign(&self, step: &mut Step, place: &Place, e: &Expr) -> bool {
        let value = self.eval(step, e);
        let change = constant_change(place, e);
        self.write(step, place, value, change)
    }

    fn send(&self, step: &Step, channel: &Expr, message: &[Expr]) -> Vec<Step> {
        let fields: Vec<Values> = message.iter().map(|e| self.eval(step, e)).collect();
        if fields.iter().any(values::is_empty) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for queue in self.queues(step, channel) {
            let facts = &self.facts.queues[queue as usize];
            let types = &self.world.network.channel_types[facts.channel_type.index()].fields;
            if types.len() == fields.len() {
                let stored = fields.iter().zip(types).map(|(v, &ty)| values::truncate(ty, v.clone())).collect();
                let mut next = step.clone();
                next.traffic.push(Traffic::Sent(queue, stored));
                next.lengths.entry(queue).and_modify(|length| *length += 1);
                found.push(next);
            }
        }
        found
    }

    fn receive(&self, step: &Step, channel: &Expr, pattern: &[Pattern], keep: bool) -> Vec<Step> {
        let mut found = Vec::new();
        for queue in self.queues(step, channel) {
            self.seen.borrow_mut().queues.push(queue);
            let facts = &self.facts.queues[queue as usize];
            self.note_comparisons(step, facts.channel_type, pattern);
            for (atom, (classes, fields)) in facts.atoms.iter().enumerate() {
                if fields.len() == pattern.len()
                    && let Some(mut next) = self.take(step, facts, classes, fields, pattern)
                {
                    if !keep {
                        next.traffic.push(Traffic::Taken(queue, atom as u32));
                    }
                    found.push(next);
                }
            }
        }
        found
    }

    fn note_comparisons(&self, step: &Step, channel_type: ChannelTypeId, pattern: &[Pattern]) {
        for (field, pattern) in pattern.iter().enumerate() {
            if let Pattern::Match(e) = pattern {
                let values = self.eval(step, e);
                self.seen.borrow_mut().compared.push((channel_type, field as u32, values));
            }
        }
    }

    /// A message with these fields is matched and bound; `None` if it does not fit.
    fn take(
        &self,
        step: &Step,
        facts: &QueueFacts,
        classes: &[u32],
        fields: &[Values],
        pattern: &[Pattern],
    ) -> Option<Step> {
        let mut next = step.clone();
        let mut fitting = Vec::with_capacity(fields.len());
        for (position, (field, pattern)) in fields.iter().zip(pattern).enumerate() {
            let Pattern::Match(e) = pattern else {
                fitting.push(field.clone());
                continue;
            };
            let mut both = values::meet(field, &self.eval(&next, e));
            let constants = &facts.constants[position];
            // A reference is in no class of its own, but its number may be one of the constants.
            let other = classes[position] as usize == constants.len();
            let number = !matches!(field, Values::Queues(_) | Values::AnyQueue);
            if let (Values::Set(numbers), true) = (&mut both, other && number) {
                numbers.retain(|n| constants.binary_search(n).is_err());
            }
            if values::is_empty(&both) {
                return None;
            }
            self.restrict(&mut next, e, &both);
            fitting.push(both);
        }
        for (field, pattern) in fitting.into_iter().zip(pattern) {
            if let Pattern::Bind(place) = pattern
                && !self.write(&mut next, place, field, None)
            {
                return None;
            }
        }
        Some(next)
    }

    /// The queues that a channel expression can mean.
    fn queues(&self, step: &Step, channel: &Expr) -> Vec<u32> {
        match self.eval(step, channel) {
            Values::Queues(queues) => queues,
            Values::Set(numbers) if numbers.iter().all(|&n| n == 0) => Vec::new(),
            _ => {
                self.seen.borrow_mut().all_queues = true;
                (0..self.facts.queues.len() as u32).collect()
            }
        }
    }

    fn variables(&self, scope: Scope) -> &'a [Variable] {
        self.world.network.variables(scope, self.machine)
    }

    /// The elements that indices can mean, those out of range left out.
    fn elements(&self, step: &Step, variable: &Variable, indices: &[Expr]) -> Vec<usize> {
        let mut elements = vec![0usize];
        for (index, dimension) in indices.iter().zip(&variable.dimensions) {
            let values = values::meet(&self.eval(step, index), &values::range(0, dimension.len as i32 - 1));
            let Some((low, high)) = values::bounds(&values) else { return Vec::new() };
            let chosen: Vec<usize> =
                (low..=high).filter(|&n| values::contains(&values, n)).map(|n| n as usize).collect();
            let len = dimension.len as usize;
            elements = elements.iter().flat_map(|e| chosen.iter().map(move |i| e * len + i)).collect();
        }
        elements
    }

    fn target(&self, step: &Step, place: &Place) -> Target {
        let variables = self.variables(place.scope);
        let variable = &variables[place.variable.index()];
        let slots = match place.scope {
            Scope::Global => &self.world.globals,
            Scope::Local => &self.info().slots,
        };
        if is_smashed(variable) {
            return Target::OneOf(vec![slots.slot(variables, place.variable.index(), 0)]);
        }
        let elements = self.elements(step, variable, &place.indices);
        let mut found: Vec<usize> =
            elements.iter().map(|&e| slots.slot(variables, place.variable.index(), e)).collect();
        match found.len() {
            1 => Target::Exactly(found.remove(0)),
            _ => Target::OneOf(found),
        }
    }

    fn slot(&self, step: &Step, scope: Scope, slot: usize) -> Values {
        match scope {
            Scope::Local => step.locals[slot].clone(),
            Scope::Global => match step.shared.iter().find(|(s, _)| *s as usize == slot) {
                Some((_, values)) => values.clone(),
                None => {
                    self.seen.borrow_mut().globals.push(slot as u32);
                    self.facts.globals[slot].clone()
                }
            },
        }
    }

    fn read(&self, step: &Step, place: &Place) -> Values {
        match self.target(step, place) {
            Target::Exactly(slot) => self.slot(step, place.scope, slot),
            Target::OneOf(slots) => {
                let each = slots.iter().map(|&slot| self.slot(step, place.scope, slot));
                each.fold(values::nothing(), |a, b| values::join(&a, &b))
            }
        }
    }

    /// Stores values; `false` if there is no value, or no such place. `change` is the difference to the old value, if it
    /// is always the same.
    fn write(&self, step: &mut Step, place: &Place, value: Values, change: Option<i32>) -> bool {
        if values::is_empty(&value) {
            return false;
        }
        let target = self.target(step, place);
        let ty = self.variables(place.scope)[place.variable.index()].ty;
        let stored = values::truncate(ty, value);
        let (slots, exact) = match target {
            Target::Exactly(slot) => (vec![slot], true),
            Target::OneOf(slots) if slots.is_empty() => return false,
            Target::OneOf(slots) => (slots, false),
        };
        for slot in slots {
            let old = self.slot(step, place.scope, slot);
            let new = if exact { stored.clone() } else { values::join(&old, &stored) };
            self.count(step, place.scope, slot, (&old, &new), change.filter(|_| exact), ty);
            match place.scope {
                Scope::Local => step.locals[slot] = new,
                Scope::Global => {
                    step.writes.push((slot as u32, stored.clone()));
                    step.shared.retain(|(s, _)| *s as usize != slot);
                    step.shared.push((slot as u32, new));
                }
            }
        }
        true
    }

    /// By how much the distances of counted numbers can grow.
    fn count(
        &self,
        step: &mut Step,
        scope: Scope,
        slot: usize,
        (old, new): (&Values, &Values),
        change: Option<i32>,
        ty: model::network::ScalarType,
    ) {
        for (index, number) in self.numbers.iter().enumerate() {
            if number.slot as usize != slot || number.instance.is_some() != (scope == Scope::Local) {
                continue;
            }
            let (Some((low, high)), Some((m, k))) = (values::bounds(old), values::bounds(new)) else { continue };
            let (low, high, m, k) = (i64::from(low), i64::from(high), i64::from(m), i64::from(k));
            let fits = |c: i64| {
                let whole = values::bounds(&values::of_type(ty)).unwrap_or((0, 0));
                i64::from(whole.0) <= low + c && high + c <= i64::from(whole.1)
            };
            let rise = match change.map(i64::from).filter(|&c| fits(c)) {
                Some(c) if number.upwards => -c,
                Some(c) => c,
                None if number.upwards => high - m,
                None => k - low,
            };
            step.growth[index] += rise;
        }
    }

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
        let Expr::Channel(test, channel) = e else { return };
        let Some(queue) = self.only_queue(step, channel) else { return };
        let facts = &self.facts.queues[queue as usize];
        let capacity = self.world.network.channel_types[facts.channel_type.index()].capacity;
        let most = match (test, truth) {
            (ChannelTest::NotFull, true) | (ChannelTest::Full, false) => capacity.and_then(|c| c.checked_sub(1)),
            (ChannelTest::Empty, true) | (ChannelTest::NotEmpty | ChannelTest::Len, false) => Some(0),
            _ => None,
        };
        if let Some(most) = most {
            shorten(step, queue, u64::from(most));
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
            shorten(step, queue, most);
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
    fn restrict(&self, step: &mut Step, e: &Expr, to: &Values) {
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

/// A queue holds no more than this.
fn shorten(step: &mut Step, queue: u32, most: u64) {
    step.lengths.entry(queue).and_modify(|length| *length = most.min(*length)).or_insert(most);
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

/// `else`, also as the guard of a deterministic step.
fn is_else(action: &Action) -> bool {
    match action {
        Action::Else => true,
        Action::Deterministic(body) => matches!(body.guard.as_slice(), [Action::Else]),
        _ => false,
    }
}

/// The conditions that are false when an action cannot be taken.
fn guards(action: &Action) -> Vec<&Expr> {
    match action {
        Action::Condition(e) => vec![e],
        Action::Deterministic(body) => body.guard.iter().flat_map(guards).collect(),
        _ => Vec::new(),
    }
}

/// The constant that is added, where a place is assigned itself plus a constant.
fn constant_change(place: &Place, e: &Expr) -> Option<i32> {
    let Expr::Binary(op, a, b) = e else { return None };
    let same = |e: &Expr| matches!(e, Expr::Read(p) if p.scope == place.scope && p.variable == place.variable && p.indices == place.indices);
    match (op, a.constant(), b.constant()) {
        (BinaryOp::Add, _, Some(c)) if same(a) => Some(c),
        (BinaryOp::Add, Some(c), _) if same(b) => Some(c),
        (BinaryOp::Sub, _, Some(c)) if same(a) => c.checked_neg(),
        _ => None,
    }
}

//! What one process does from a location on, as bits: what its next move rules out for others, and what it may do later.
//!
//! Each bit is something done to an object: a variable or an element of an array, one end of a channel, the set of processes. Two
//! processes are independent where no bit is in both. For a given process the expressions that name objects may be fixed, so
//! bits are worked out for each process and location, once.

use super::access::{Access, MachineAccess, Object, Use};
use super::{Place, Reduction};
use model::expr::{Expr, Scope};
use model::ids::{LocationId, MachineId, VariableId};
use model::network::{Action, Initial, Network};
use model::semantics::{Reading, Stepper};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A process, as far as objects are named by it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Identity {
    pub(super) process: usize,
    pub(super) machine: MachineId,
    pub(super) values: Vec<i32>,
}

/// Something done to an object; `None` for any channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Bit {
    Variable(VariableId, usize, Use),
    Channel(Option<usize>, Use),
    Processes(Use),
    Offers(Use),
}

#[derive(Debug)]
pub(super) struct Resolved {
    /// The process cannot move alone from here.
    pub(super) never: bool,
    pub(super) rules_out: Bits,
    /// What is ruled out besides, while a queue has no message or no room: others could change that.
    pub(super) while_so: Vec<(While, Bits)>,
    pub(super) far: Bits,
    /// Per anchor of the place: what others must do for the process to come round.
    pub(super) anchors: Vec<Bits>,
}

/// A condition that others could end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum While {
    /// The queue is empty.
    Empty(usize),
    /// The queue is full.
    Full(usize),
}

/// What others must not do if a process is to be alone.
#[derive(Default)]
struct RuledOut {
    always: BTreeSet<Bit>,
    while_so: BTreeMap<While, BTreeSet<Bit>>,
}

/// Where an access stands in a move.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// It is all that its location does: others cannot enable it.
    Simple,
    /// It is one of several at the location.
    First,
    /// It comes later, in the middle of an atomic sequence.
    Later,
}

type Bits = Vec<u64>;

/// What is ruled out under a condition.
type WhileSo = Option<(While, &'static [Use])>;

/// An array with more elements than this is one object.
pub(super) const MOST_ELEMENTS: usize = 64;

impl<'n> Reduction<'n> {
    fn bit(&mut self, bit: Bit) -> usize {
        let next = self.bits.len();
        *self.bits.entry(bit).or_insert(next)
    }

    pub(super) fn resolve(
        &mut self,
        stepper: &Stepper<'_>,
        process: usize,
        machine: MachineId,
        location: LocationId,
    ) -> Resolved {
        let far = self.far(stepper, process, machine, location);
        let place = self.places[machine.index()][location.index()].clone();
        let mut rules_out = RuledOut::default();
        let mut never = place.visible;
        let simple = self.simple(machine, &place);
        for (edges, later) in [(&place.first, false), (&place.later, true)] {
            let accesses: BTreeSet<usize> =
                edges.iter().flat_map(|&edge| self.machines[machine.index()].edges[edge].iter().copied()).collect();
            for access in accesses {
                let access = self.machines[machine.index()].accesses[access].clone();
                let position = match later {
                    true => Position::Later,
                    false if simple.contains(&access.how) => Position::Simple,
                    false => Position::First,
                };
                never |= !self.rule_out(stepper, (process, machine), &access, position, &mut rules_out);
            }
        }
        let while_so = rules_out.while_so.iter().map(|(so, bits)| (*so, self.pack(bits))).collect();
        let anchors = self.anchors(stepper, (process, machine), &place, &far);
        Resolved { never, rules_out: self.pack(&rules_out.always), while_so, far, anchors }
    }

    /// What others must do for a process to come round the loops of a place: the other end of its anchors, if it never does that itself.
    fn anchors(
        &mut self,
        stepper: &Stepper<'_>,
        (process, machine): (usize, MachineId),
        place: &Place,
        far: &[u64],
    ) -> Vec<Bits> {
        let mut anchors = Vec::new();
        for &access in &place.anchors {
            let access = self.machines[machine.index()].accesses[access].clone();
            let Some(queue) = self.queue(stepper, process, machine, &access.object) else { continue };
            let needed: &[Use] = match access.how {
                Use::Send | Use::Sort => &[Use::Take],
                _ => &[Use::Send, Use::Sort],
            };
            let bits =
                [Some(queue), None].into_iter().flat_map(|q| needed.iter().map(move |&how| Bit::Channel(q, how)));
            let bits = self.pack(&bits.collect());
            if bits.iter().zip(far).all(|(a, b)| a & b == 0) {
                anchors.push(bits);
            }
        }
        anchors
    }

    /// The uses of channels at a location that others cannot enable: a single send, or receives from one channel only.
    fn simple(&self, machine: MachineId, place: &Place) -> Vec<Use> {
        let edges: Vec<&Action> =
            place.first.iter().map(|&edge| &self.network.machine(machine).edges[edge].action).collect();
        let mut simple = Vec::new();
        if self.reading == Reading::Unbounded
            || matches!(edges[..], [Action::Send { .. }]) && self.reading == Reading::Declared
        {
            simple.push(Use::Send);
        }
        let plain = |action: &&Action| {
            let (Action::Receive { channel, mode, .. }, Some(Action::Receive { channel: first, .. })) =
                (action, edges.first())
            else {
                return false;
            };
            channel.clone().without_places() == first.clone().without_places() && !mode.anywhere
        };
        if edges.iter().all(plain) || matches!(edges[..], [Action::Receive { .. }]) {
            simple.extend([Use::Take, Use::Pick]);
        }
        simple
    }

    /// What others must not do if this is to be independent of it; `false` if it cannot be told.
    fn rule_out(
        &mut self,
        stepper: &Stepper<'_>,
        (process, machine): (usize, MachineId),
        access: &Access,
        position: Position,
        rules_out: &mut RuledOut,
    ) -> bool {
        match &access.object {
            Object::Variable(variable, _) => {
                if access.how == Use::Write && self.visible.variables.contains(variable) {
                    return false;
                }
                let against: &[Use] = if access.how == Use::Write { &[Use::Read, Use::Write] } else { &[Use::Write] };
                for element in self.elements(stepper, process, machine, &access.object) {
                    rules_out.always.extend(against.iter().map(|&how| Bit::Variable(*variable, element, how)));
                }
                true
            }
            Object::Channel(channel) => {
                let Some(queue) = self.queue(stepper, process, machine, &access.object) else { return false };
                let changes = matches!(access.how, Use::Send | Use::Sort | Use::Take | Use::Pick);
                if stepper.loaded_is_rendezvous(queue) != Some(false) || self.visible.is_channel(queue) && changes {
                    return false;
                }
                let (always, while_so) = self.against(access.how, position, queue);
                let escapes = self.escapes(channel);
                let bits = |uses: &'static [Use]| {
                    let queues = std::iter::once(Some(queue)).chain(escapes.then_some(None));
                    queues.flat_map(move |queue| uses.iter().map(move |&how| Bit::Channel(queue, how)))
                };
                rules_out.always.extend(bits(always));
                if self.lengths && matches!(access.how, Use::Take | Use::Pick) {
                    rules_out.always.extend(bits(&[Use::Send, Use::Sort]));
                }
                if let Some((so, uses)) = while_so {
                    rules_out.while_so.entry(so).or_default().extend(bits(uses));
                }
                true
            }
            Object::Offers => {
                rules_out.always.insert(Bit::Offers(against_offers(access.how)));
                true
            }
            Object::Processes => {
                let against: &[Use] = match access.how {
                    Use::Run => &[Use::Run, Use::End, Use::Count],
                    Use::End => &[Use::Run, Use::Count],
                    _ => &[Use::Run, Use::End],
                };
                rules_out.always.extend(against.iter().map(|&how| Bit::Processes(how)));
                !((self.visible.processes || self.lengths) && access.how != Use::Count)
            }
        }
    }

    /// What others must not do to a queue: in any case, and while it is empty or full. A message at the head stays there whatever
    /// is sent behind it, and room stays room whatever is taken; as long as no other process takes, or sends.
    fn against(&self, how: Use, position: Position, queue: usize) -> (&'static [Use], WhileSo) {
        const ALL: &[Use] = &[Use::Send, Use::Sort, Use::Take, Use::Test];
        let (empty, full) = (While::Empty(queue), While::Full(queue));
        match (how, position) {
            (Use::Send, Position::Simple) => (&[Use::Send, Use::Sort, Use::Test], None),
            (Use::Send, Position::First) => (&[Use::Send, Use::Sort, Use::Test], Some((full, &[Use::Take]))),
            (Use::Take | Use::Pick, Position::Simple) => (&[Use::Take, Use::Sort, Use::Test], None),
            (Use::Take, Position::First) => (&[Use::Take, Use::Sort, Use::Test], Some((empty, &[Use::Send]))),
            (Use::TestHead, Position::First) => (&[Use::Take, Use::Sort], Some((empty, &[Use::Send]))),
            (Use::TestRoom, Position::First) => (&[Use::Send, Use::Sort], Some((full, &[Use::Take]))),
            // Sends and receives of the location say all of it.
            (Use::Decide, Position::First) => (&[], None),
            (Use::Test | Use::TestHead | Use::TestRoom | Use::Decide, _) => (&[Use::Send, Use::Sort, Use::Take], None),
            _ => (ALL, None),
        }
    }

    /// Everything that a process can do from a location on, and those that it may create.
    pub(super) fn far(
        &mut self,
        stepper: &Stepper<'_>,
        process: usize,
        machine: MachineId,
        location: LocationId,
    ) -> Bits {
        let mut bits = BTreeSet::new();
        let gathered = &self.machines[machine.index()];
        let accesses: Vec<Access> =
            gathered.far(location).iter().map(|&index| gathered.accesses[index].clone()).collect();
        for access in &accesses {
            let known = self.stability.is_fixed(&access.object, machine, self.network).then_some(process);
            self.add_far(stepper, known, machine, access, &mut bits);
        }
        let mut created: BTreeSet<MachineId> = gathered_creates(&self.machines, machine, location);
        let mut work: Vec<MachineId> = created.iter().copied().collect();
        while let Some(id) = work.pop() {
            let initial = self.network.machine(id).initial;
            for more in gathered_creates(&self.machines, id, initial) {
                if created.insert(more) {
                    work.push(more);
                }
            }
        }
        for id in created {
            for access in self.machines[id.index()].accesses.clone() {
                self.add_far(stepper, None, id, &access, &mut bits);
            }
        }
        self.pack(&bits)
    }

    /// Adds what an access can mean; `process` is known where it means one thing.
    pub(super) fn add_far(
        &mut self,
        stepper: &Stepper<'_>,
        process: Option<usize>,
        machine: MachineId,
        access: &Access,
        bits: &mut BTreeSet<Bit>,
    ) {
        match &access.object {
            Object::Variable(variable, indices) => {
                let elements = match process {
                    Some(process) => self.elements(stepper, process, machine, &access.object),
                    None if indices.iter().all(|index| index.constant().is_some()) => {
                        self.elements(stepper, usize::MAX, machine, &access.object)
                    }
                    None => self.all_elements(*variable),
                };
                bits.extend(elements.into_iter().map(|e| Bit::Variable(*variable, e, access.how)));
            }
            Object::Channel(channel) => {
                let named = process.and_then(|process| self.queue(stepper, process, machine, &access.object));
                let how = access.how.for_others();
                match named {
                    Some(queue) => drop(bits.insert(Bit::Channel(Some(queue), how))),
                    None => bits.extend(self.queues_of(channel).into_iter().map(|q| Bit::Channel(q, how))),
                }
            }
            Object::Processes => drop(bits.insert(Bit::Processes(access.how))),
            Object::Offers => drop(bits.insert(Bit::Offers(access.how))),
        }
    }

    /// The elements of a shared variable that a process means.
    pub(super) fn elements(
        &self,
        stepper: &Stepper<'_>,
        process: usize,
        machine: MachineId,
        object: &Object,
    ) -> Vec<usize> {
        let Object::Variable(variable, indices) = object else { return Vec::new() };
        let declared = &self.network.variables[variable.index()];
        if declared.len() > MOST_ELEMENTS {
            return vec![0];
        }
        if !self.stability.is_fixed(object, machine, self.network) {
            return self.all_elements(*variable);
        }
        let mut element = 0;
        for (index, dimension) in indices.iter().zip(&declared.dimensions) {
            let value = match index.constant() {
                Some(value) => Some(value),
                None if process == usize::MAX => None,
                None => stepper.loaded_value(process, index),
            };
            match value.and_then(|value| usize::try_from(value).ok()).filter(|&value| value < dimension.len as usize) {
                Some(value) => element = element * dimension.len as usize + value,
                None => return self.all_elements(*variable),
            }
        }
        vec![element]
    }

    fn all_elements(&self, variable: VariableId) -> Vec<usize> {
        let len = self.network.variables[variable.index()].len();
        if len > MOST_ELEMENTS { vec![0] } else { (0..len).collect() }
    }

    /// The queue that a process means, if it always means the same one.
    pub(super) fn queue(
        &self,
        stepper: &Stepper<'_>,
        process: usize,
        machine: MachineId,
        object: &Object,
    ) -> Option<usize> {
        let Object::Channel(channel) = object else { return None };
        let fixed = self.stability.is_fixed(object, machine, self.network);
        let value = fixed.then(|| stepper.loaded_value(process, channel)).flatten()?;
        usize::try_from(value).ok()?.checked_sub(1)
    }

    /// The queues that an expression can mean: those of a shared variable that no process assigns, or any.
    pub(super) fn queues_of(&self, channel: &Expr) -> Vec<Option<usize>> {
        match channel {
            Expr::Read(place) if place.scope == Scope::Global && !self.stability.is_assigned(place.variable) => {
                network_queues(self.network, place.variable).map(Some).collect()
            }
            _ => vec![None],
        }
    }

    /// A reference to the channel may be in a message or in a variable.
    pub(super) fn escapes(&self, channel: &Expr) -> bool {
        match channel {
            Expr::Read(place) if place.scope == Scope::Global => self.stability.escaping.contains(&place.variable),
            _ => true,
        }
    }

    pub(super) fn pack(&mut self, bits: &BTreeSet<Bit>) -> Bits {
        let mut packed = Vec::new();
        for bit in bits {
            let index = self.bit(*bit);
            if packed.len() <= index / 64 {
                packed.resize(index / 64 + 1, 0);
            }
            packed[index / 64] |= 1 << (index % 64);
        }
        packed
    }
}

/// Offers of several processes do not depend on each other, nor do those who look.
pub(super) fn against_offers(how: Use) -> Use {
    if how == Use::Write { Use::Read } else { Use::Write }
}

fn gathered_creates(machines: &[MachineAccess], machine: MachineId, location: LocationId) -> BTreeSet<MachineId> {
    machines[machine.index()].creates[location.index()].clone()
}

/// The queues that the elements of a shared variable start with.
pub(super) fn network_queues(network: &Network, variable: VariableId) -> Range<usize> {
    let is_own = |v: &&model::network::Variable| matches!(v.initial, Initial::NewChannel(_));
    let first = network.variables[..variable.index()].iter().filter(is_own).map(|v| v.len()).sum();
    let declared = &network.variables[variable.index()];
    first..first + if is_own(&declared) { declared.len() } else { 0 }
}

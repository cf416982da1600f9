//! Several processes whose moves are enough: a persistent set that is found in the state at hand.
//!
//! A set of processes may move alone if nothing that the *others* can do *without them* touches what they do next, or lets one of
//! them do what it could not (Godefroid's persistent sets). What the others can do without them is found by following
//! all of these at once from where they are: a statement is followed if it may be possible, a receive only if there is a message in
//! the queue or one of the others sends to it, a rendezvous only if one of the others is ready for it. Timeouts are not
//! followed: the set itself can move. So servers that wait for a request are not in the way of those who are busy.
//!
//! A set grows until it is closed: whoever is in the way joins it. Of the sets that begin with each process, the one with the
//! fewest steps is taken.
//!
//! Nothing is said about loops: what a search may conclude is another matter (`growth/ending.rs`).

use super::Reduction;
use super::access::{Access, Object, Use};
use super::resolve::{Bit, against_offers};
use model::expr::{BinaryOp, Expr, Pattern, Scope};
use model::ids::{EdgeId, LocationId, MachineId, VariableId};
use model::network::{Action, Edge, Initial, Variable};
use model::semantics::{Reading, Stepper};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

type Bits = Vec<u64>;

/// Elements of local variables.
type Elements = Vec<(VariableId, usize)>;

/// With more processes than this no sets are looked for.
const MOST_PROCESSES: usize = 64;
/// An array with more elements than this does not decide anything.
const MOST_ELEMENTS: usize = 8;

/// A statement of a process, as others see it.
#[derive(Debug)]
struct Way {
    /// The location after it, if the process goes on.
    to: Option<usize>,
    bits: Bits,
    need: Need,
    /// The queues that it may send to, and take from.
    sends: Vec<usize>,
    takes: Vec<usize>,
    /// What the first field of its message can be.
    tags: Tags,
    /// It uses a channel that is not known.
    anywhere: bool,
    /// Whether it is possible decides about other statements of its location.
    decides: bool,
    /// The process keeps control after it: where it cannot go on at once, others come between.
    keeps: bool,
    creates: bool,
}

/// What has to be there for a statement to be possible.
#[derive(Debug, PartialEq)]
enum Need {
    /// Nothing that is known here.
    Nothing,
    /// It is not possible.
    Never,
    /// A message in one of these queues.
    Message(Vec<usize>),
    /// A partner: one who sends, or one who receives.
    Partner { queues: Vec<usize>, sends: bool },
}

/// Values of the first field of messages, which mostly says what kind of message it is: a bit for each, perhaps the same one for some.
type Tags = u64;

fn tag(value: i32) -> Tags {
    1 << value.rem_euclid(61)
}

/// What is remembered from state to state.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    /// Per identity and edge: what is true wherever the process is.
    ways: FxHashMap<(usize, usize), Rc<Way>>,
    /// Per identity, location and the values of local variables that decide about it: what is true before the process moves.
    first: FxHashMap<(usize, LocationId, Vec<i32>), u32>,
    firsts: Vec<Rc<First>>,
    /// Per machine and location: the elements of these variables.
    own: FxHashMap<(MachineId, LocationId), Rc<Elements>>,
    /// The set for each combination of processes that have not moved, of steps, and of queues that are empty.
    decided: FxHashMap<Vec<u32>, Option<u64>>,
    key: Vec<u32>,
}

/// A process that has not moved.
#[derive(Debug)]
struct First {
    ways: Vec<Rc<Way>>,
    /// What others must not do: always, and while a queue is empty. `None`: it cannot be told.
    rules_out: Option<(Bits, Vec<(usize, Bits)>)>,
}

impl Reduction<'_> {
    /// The processes of a set that may move alone in the loaded state, as bits; `None` if all have to move. `moves` says how many
    /// steps each process begins.
    pub(crate) fn cluster(&mut self, stepper: &Stepper<'_>, moves: &[usize]) -> Option<u64> {
        let count = stepper.loaded_processes();
        if !(2..=MOST_PROCESSES).contains(&count) {
            return None;
        }
        self.look_at(stepper);
        let mut key = std::mem::take(&mut self.clusters.key);
        key.clear();
        key.extend((0..count).map(|process| self.first(stepper, process)));
        key.extend(moves.iter().map(|&steps| steps as u32));
        for queue in (0..stepper.loaded_queues()).filter(|&queue| stepper.loaded_length(queue) > 0) {
            let tags = held(stepper, queue);
            key.extend([queue as u32, tags as u32, (tags >> 32) as u32]);
        }
        if let Some(&decided) = self.clusters.decided.get(&key) {
            self.clusters.key = key;
            return decided;
        }
        let firsts: Vec<Rc<First>> =
            key[..count].iter().map(|&first| Rc::clone(&self.clusters.firsts[first as usize])).collect();
        let decided = self.decide(stepper, moves, &firsts);
        self.clusters.decided.insert(key, decided);
        decided
    }

    /// The set with the fewest steps of those that begin with each process.
    fn decide(&mut self, stepper: &Stepper<'_>, moves: &[usize], firsts: &[Rc<First>]) -> Option<u64> {
        let count = firsts.len();
        let ruled: Vec<Option<Bits>> = firsts.iter().map(|first| ruled_out(stepper, first)).collect();
        let all = if count == 64 { u64::MAX } else { (1 << count) - 1 };
        let steps = |set: u64| -> usize { (0..count).filter(|p| set >> p & 1 == 1).map(|p| moves[p]).sum() };
        let total = steps(all);
        let mut best: Option<u64> = None;
        for seed in (0..count).filter(|&p| moves[p] > 0) {
            if best.is_some_and(|best| best >> seed & 1 == 1 && steps(best) == 1) {
                continue;
            }
            let Some(set) = self.closed(stepper, 1 << seed, all, (firsts, &ruled)) else { continue };
            if steps(set) < best.map_or(total, steps) {
                best = Some(set);
                if steps(set) == 1 {
                    break;
                }
            }
        }
        best
    }

    /// The smallest closed set with these processes.
    fn closed(
        &mut self,
        stepper: &Stepper<'_>,
        mut set: u64,
        all: u64,
        (firsts, ruled): (&[Rc<First>], &[Option<Bits>]),
    ) -> Option<u64> {
        loop {
            let rest = self.rest(stepper, !set & all, firsts)?;
            let mut more = 0;
            for member in (0..firsts.len()).filter(|p| set >> p & 1 == 1) {
                let ruled_out = ruled[member].as_ref()?;
                for other in (0..firsts.len()).filter(|p| set >> p & 1 == 0) {
                    if ruled_out.iter().zip(&rest[other]).any(|(a, b)| a & b != 0) {
                        more |= 1 << other;
                    }
                }
            }
            if more == 0 {
                return Some(set);
            }
            set |= more;
            if set == all {
                return None;
            }
        }
    }

    /// What each of these processes can do without the rest; `None` if they may create others.
    fn rest(&mut self, stepper: &Stepper<'_>, set: u64, firsts: &[Rc<First>]) -> Option<Vec<Bits>> {
        let mut found = Rest { bits: vec![Vec::new(); firsts.len()], ..Rest::default() };
        let mut seen: Vec<Vec<u64>> = vec![Vec::new(); firsts.len()];
        let mut pending: Vec<(usize, Rc<Way>)> = Vec::new();
        for process in (0..firsts.len()).filter(|p| set >> p & 1 == 1) {
            for way in &firsts[process].ways {
                found.offer(process, way);
                pending.push((process, Rc::clone(way)));
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            let mut next = 0;
            while next < pending.len() {
                if !found.is_possible(stepper, &pending[next].1) {
                    next += 1;
                    continue;
                }
                changed = true;
                let (process, way) = pending.swap_remove(next);
                if way.creates {
                    return None;
                }
                found.take(process, &way);
                let Some(to) = way.to else { continue };
                let new = mark(&mut seen[process], to);
                if !new && !way.keeps {
                    continue;
                }
                let (machine, _) = stepper.loaded_place(process);
                let edges = self.network.machine(machine).locations[to].edges.len();
                for edge in 0..edges {
                    let edge = self.network.machine(machine).locations[to].edges[edge];
                    let next = self.way(stepper, process, machine, edge);
                    if way.keeps {
                        join(&mut found.bits[process], &next.bits);
                    }
                    if new {
                        found.offer(process, &next);
                        pending.push((process, next));
                    }
                }
            }
        }
        Some(found.bits)
    }

    /// A statement of a process that may have moved.
    fn way(&mut self, stepper: &Stepper<'_>, process: usize, machine: MachineId, edge: EdgeId) -> Rc<Way> {
        let identity = self.current[process].0;
        if let Some(way) = self.clusters.ways.get(&(identity, edge.index())) {
            return Rc::clone(way);
        }
        let way = Rc::new(self.seen_by_others(stepper, process, machine, edge, false));
        self.clusters.ways.insert((identity, edge.index()), Rc::clone(&way));
        way
    }

    /// The statements of a process that has not moved, and what others must not do, by its number.
    fn first(&mut self, stepper: &Stepper<'_>, process: usize) -> u32 {
        let (machine, location) = stepper.loaded_place(process);
        let own = match self.clusters.own.get(&(machine, location)) {
            Some(own) => Rc::clone(own),
            None => {
                let own = Rc::new(self.own_variables(machine, location));
                self.clusters.own.insert((machine, location), Rc::clone(&own));
                own
            }
        };
        let values = own.iter().map(|&(variable, element)| stepper.loaded_local(process, variable, element)).collect();
        let key = (self.current[process].0, location, values);
        if let Some(&first) = self.clusters.first.get(&key) {
            return first;
        }
        let edges: Vec<EdgeId> = self.network.machine(machine).locations[location.index()].edges.to_vec();
        let ways = edges.iter().map(|&edge| Rc::new(self.seen_by_others(stepper, process, machine, edge, true)));
        let ways = ways.collect();
        let rules_out = self.others_must_not(stepper, process, machine, location);
        self.clusters.firsts.push(Rc::new(First { ways, rules_out }));
        let first = self.clusters.firsts.len() as u32 - 1;
        self.clusters.first.insert(key, first);
        first
    }

    /// The local variables that name objects at a location, or decide its conditions.
    fn own_variables(&self, machine: MachineId, location: LocationId) -> Vec<(VariableId, usize)> {
        let mut read = BTreeSet::new();
        let mut note = |e: &Expr| {
            if self.is_own(e, machine) {
                e.walk(&mut |part| match part {
                    Expr::Read(place) if place.scope == Scope::Local => drop(read.insert(place.variable)),
                    _ => {}
                });
            }
        };
        let place = &self.places[machine.index()][location.index()];
        for &edge in &place.first {
            for access in self.machines[machine.index()].touches(edge) {
                match &access.object {
                    Object::Channel(channel) => note(channel),
                    Object::Variable(_, indices) => indices.iter().for_each(&mut note),
                    Object::Processes | Object::Offers => {}
                }
            }
            let action = &self.network.machine(machine).edges[edge].action;
            if let Action::Condition(e) = action {
                note(e);
            }
            first_field(action).into_iter().for_each(&mut note);
        }
        let variables = &self.network.machine(machine).variables;
        read.into_iter().flat_map(|v| (0..variables[v.index()].len()).map(move |element| (v, element))).collect()
    }

    /// No other process can change the value.
    fn is_own(&self, e: &Expr, machine: MachineId) -> bool {
        !e.any(&|part| match part {
            Expr::Const(_) | Expr::Pid | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..) => false,
            Expr::Read(place) if place.scope == Scope::Global => self.stability.is_assigned(place.variable),
            Expr::Read(place) => self.network.variable(place, machine).len() > MOST_ELEMENTS,
            _ => true,
        })
    }

    /// What a statement does and needs. `still`: the process has not moved.
    fn seen_by_others(
        &mut self,
        stepper: &Stepper<'_>,
        process: usize,
        machine: MachineId,
        edge: EdgeId,
        still: bool,
    ) -> Way {
        let network = self.network;
        let taken = &network.machine(machine).edges[edge.index()];
        let still = still && !is_deterministic(taken);
        let accesses: Vec<Access> = self.machines[machine.index()].touches(edge.index()).cloned().collect();
        let (mut bits, mut sends, mut takes, mut anywhere) = (BTreeSet::new(), Vec::new(), Vec::new(), false);
        for access in &accesses {
            match &access.object {
                Object::Channel(_) => {
                    let queues = self.meant(stepper, process, machine, &access.object, still);
                    let how = access.how.for_others();
                    match &queues {
                        Some(queues) => bits.extend(queues.iter().map(|&q| Bit::Channel(Some(q), how))),
                        None => drop(bits.insert(Bit::Channel(None, how))),
                    }
                    anywhere |= queues.is_none();
                    match how {
                        Use::Send | Use::Sort => sends.extend(queues.into_iter().flatten()),
                        Use::Take => takes.extend(queues.into_iter().flatten()),
                        _ => {}
                    }
                }
                _ => {
                    let fixed = self.stability.is_fixed(&access.object, machine, network);
                    self.add_far(stepper, fixed.then_some(process), machine, access, &mut bits);
                }
            }
        }
        let creates = matches!(&taken.action, Action::Run { .. })
            || accesses.iter().any(|access| access.object == Object::Processes && access.how == Use::Run);
        let keeps = stepper.semantics().keeps_control_after(machine, edge);
        let decides = accesses.iter().any(|access| access.how == Use::Decide);
        let need = self.need(stepper, process, machine, taken, still);
        let tags = self.tags(stepper, process, machine, &taken.action, still);
        let to = (taken.to.index() < network.machine(machine).locations.len()).then_some(taken.to.index());
        Way { to, bits: self.pack(&bits), need, sends, takes, tags, anywhere, decides, keeps, creates }
    }

    /// The queues that a channel can mean; `None` if they are not known.
    fn meant(
        &self,
        stepper: &Stepper<'_>,
        process: usize,
        machine: MachineId,
        object: &Object,
        still: bool,
    ) -> Option<Vec<usize>> {
        let Object::Channel(channel) = object else { return None };
        if still && self.is_own(channel, machine) {
            let value = stepper.loaded_value(process, channel)?;
            return Some(vec![usize::try_from(value).ok()?.checked_sub(1)?]);
        }
        if let Some(queue) = self.queue(stepper, process, machine, object) {
            return Some(vec![queue]);
        }
        self.queues_of(channel).into_iter().collect()
    }

    /// What the first field of a message can be.
    fn tags(&self, stepper: &Stepper<'_>, process: usize, machine: MachineId, action: &Action, still: bool) -> Tags {
        let value = first_field(action).and_then(|e| match e.constant() {
            None if still && self.is_own(e, machine) => stepper.loaded_value(process, e),
            constant => constant,
        });
        // What is sent is cut to the type of the field.
        let fits = |value: &i32| match action {
            Action::Send { channel, .. } => {
                let object = Object::Channel(channel.clone().without_places());
                let queues = self.meant(stepper, process, machine, &object, still);
                queues.is_some_and(|queues| queues.iter().all(|&queue| stepper.loaded_fits_first(queue, *value)))
            }
            _ => true,
        };
        value.filter(fits).map_or(Tags::MAX, tag)
    }

    fn need(&self, stepper: &Stepper<'_>, process: usize, machine: MachineId, edge: &Edge, still: bool) -> Need {
        let queues = |channel: &Expr| {
            let object = Object::Channel(channel.clone().without_places());
            self.meant(stepper, process, machine, &object, still)
        };
        let kinds = |queues: &[usize]| -> Option<bool> {
            let mut kinds = queues.iter().map(|&queue| stepper.loaded_is_rendezvous(queue));
            let first = kinds.next()??;
            kinds.all(|kind| kind == Some(first)).then_some(first)
        };
        match &edge.action {
            Action::Condition(e) if waits_for_timeout(e) => Need::Never,
            Action::Condition(e) if still && self.is_own(e, machine) && stepper.loaded_value(process, e) == Some(0) => {
                Need::Never
            }
            Action::Else if still && self.is_decided(stepper, process, machine, edge.from) => Need::Never,
            Action::Receive { channel, .. } => match queues(channel).and_then(|q| Some((kinds(&q)?, q))) {
                Some((true, queues)) => Need::Partner { queues, sends: true },
                Some((false, queues)) => Need::Message(queues),
                None => Need::Nothing,
            },
            Action::Send { channel, .. } => match queues(channel).and_then(|q| Some((kinds(&q)?, q))) {
                Some((true, queues)) => Need::Partner { queues, sends: false },
                _ => Need::Nothing,
            },
            _ => Need::Nothing,
        }
    }

    /// A condition of the process's own holds: there is no `else` until it moves.
    fn is_decided(&self, stepper: &Stepper<'_>, process: usize, machine: MachineId, at: LocationId) -> bool {
        self.network.machine(machine).edges_from(at).any(|edge| match &edge.action {
            Action::Condition(e) => {
                self.is_own(e, machine) && stepper.loaded_value(process, e).is_some_and(|value| value != 0)
            }
            _ => false,
        })
    }

    /// What others must not do if a process has not moved; `None` if it cannot be told.
    fn others_must_not(
        &mut self,
        stepper: &Stepper<'_>,
        process: usize,
        machine: MachineId,
        location: LocationId,
    ) -> Option<(Bits, Vec<(usize, Bits)>)> {
        let place = self.places[machine.index()][location.index()].clone();
        let (mut always, mut empty) = (BTreeSet::new(), HashMap::new());
        for (edges, later) in [(&place.first, false), (&place.later, true)] {
            let of = |&edge: &usize| {
                let still = !later && !is_deterministic(&self.network.machine(machine).edges[edge]);
                self.machines[machine.index()].edges[edge].iter().map(move |&access| (access, still))
            };
            for (access, still) in edges.iter().flat_map(of).collect::<BTreeSet<_>>() {
                let access = self.machines[machine.index()].accesses[access].clone();
                self.forbid(stepper, (process, machine), &access, (later, still), (&mut always, &mut empty))?;
            }
        }
        let empty = empty.into_iter().map(|(queue, bits)| (queue, self.pack(&bits))).collect();
        Some((self.pack(&always), empty))
    }

    fn forbid(
        &mut self,
        stepper: &Stepper<'_>,
        (process, machine): (usize, MachineId),
        access: &Access,
        (later, still): (bool, bool),
        (always, empty): (&mut BTreeSet<Bit>, &mut HashMap<usize, BTreeSet<Bit>>),
    ) -> Option<()> {
        const ALL: &[Use] = &[Use::Send, Use::Sort, Use::Take, Use::Test];
        const PUT: &[Use] = &[Use::Send, Use::Sort];
        match &access.object {
            Object::Variable(variable, _) => {
                let against: &[Use] = if access.how == Use::Write { &[Use::Read, Use::Write] } else { &[Use::Write] };
                for element in self.elements(stepper, process, machine, &access.object) {
                    always.extend(against.iter().map(|&how| Bit::Variable(*variable, element, how)));
                }
            }
            Object::Offers => drop(always.insert(Bit::Offers(against_offers(access.how)))),
            Object::Processes => {
                let has_channel = |variable: &Variable| matches!(variable.initial, Initial::NewChannel(_));
                if access.how == Use::End && self.network.machine(machine).variables.iter().any(has_channel) {
                    return None;
                }
                let against: &[Use] = match access.how {
                    Use::Run | Use::End => &[Use::Run, Use::End, Use::Count],
                    _ => &[Use::Run, Use::End],
                };
                always.extend(against.iter().map(|&how| Bit::Processes(how)));
            }
            Object::Channel(channel) => {
                let escapes = self.escapes(channel);
                for queue in self.meant(stepper, process, machine, &access.object, still)? {
                    let forbidden = |uses: &[Use], into: &mut BTreeSet<Bit>| {
                        for queue in std::iter::once(Some(queue)).chain(escapes.then_some(None)) {
                            into.extend(uses.iter().map(|&how| Bit::Channel(queue, how)));
                        }
                    };
                    let rendezvous = stepper.loaded_is_rendezvous(queue)?;
                    match (access.how, later) {
                        (_, true) => forbidden(ALL, always),
                        // Sends and receives of the location say all of it.
                        (Use::Decide, false) => {}
                        (Use::Send | Use::Sort, false) if rendezvous => forbidden(&[Use::Take], always),
                        (Use::Take | Use::Pick, false) if rendezvous => forbidden(PUT, always),
                        (_, false) if rendezvous => forbidden(&[Use::Send, Use::Sort, Use::Take], always),
                        (Use::Send, false) if self.reading == Reading::Unbounded => {
                            forbidden(&[Use::Send, Use::Sort, Use::Test], always);
                        }
                        (Use::Take, false) => {
                            forbidden(&[Use::Take, Use::Sort, Use::Test], always);
                            forbidden(PUT, empty.entry(queue).or_default());
                        }
                        (Use::TestHead, false) => {
                            forbidden(&[Use::Take, Use::Sort], always);
                            forbidden(PUT, empty.entry(queue).or_default());
                        }
                        _ => forbidden(ALL, always),
                    }
                }
            }
        }
        Some(())
    }
}

/// A deterministic step may write the variables by which it names channels later on.
fn is_deterministic(edge: &Edge) -> bool {
    matches!(edge.action, Action::Deterministic(_))
}

/// What a process rules out in the loaded state.
fn ruled_out(stepper: &Stepper<'_>, first: &First) -> Option<Bits> {
    let (always, empty) = first.rules_out.as_ref()?;
    let mut bits = always.clone();
    for (_, more) in empty.iter().filter(|(queue, _)| stepper.loaded_length(*queue) == 0) {
        join(&mut bits, more);
    }
    Some(bits)
}

/// What some processes can do without the others.
#[derive(Default)]
struct Rest {
    bits: Vec<Bits>,
    /// Per queue: messages that they send, and rendezvous that they are ready for.
    sends: Vec<Tags>,
    offered_sends: Vec<Tags>,
    offered_takes: Vec<Tags>,
    anywhere: bool,
}

impl Rest {
    /// A process is where it could do this.
    fn offer(&mut self, process: usize, way: &Way) {
        if way.need == Need::Never {
            return;
        }
        way.sends.iter().for_each(|&queue| add(&mut self.offered_sends, queue, way.tags));
        way.takes.iter().for_each(|&queue| add(&mut self.offered_takes, queue, way.tags));
        self.anywhere |= way.anywhere;
        // One of the set could be its partner, or make it possible where an `else` is taken while it is not.
        if way.decides || matches!(way.need, Need::Partner { .. }) {
            join(&mut self.bits[process], &way.bits);
        }
    }

    fn is_possible(&self, stepper: &Stepper<'_>, way: &Way) -> bool {
        let among = |all: &[Tags], queue: usize| all.get(queue).is_some_and(|tags| tags & way.tags != 0);
        match &way.need {
            Need::Nothing => true,
            Need::Never => false,
            Need::Message(queues) => {
                let there = |&queue: &usize| held(stepper, queue) & way.tags != 0 || among(&self.sends, queue);
                self.anywhere || queues.iter().any(there)
            }
            Need::Partner { queues, sends } => {
                let ready = if *sends { &self.offered_sends } else { &self.offered_takes };
                self.anywhere || queues.iter().any(|&queue| among(ready, queue))
            }
        }
    }

    fn take(&mut self, process: usize, way: &Way) {
        join(&mut self.bits[process], &way.bits);
        way.sends.iter().for_each(|&queue| add(&mut self.sends, queue, way.tags));
    }
}

/// The messages in a queue of the loaded state.
fn held(stepper: &Stepper<'_>, queue: usize) -> Tags {
    let mut tags = 0;
    stepper.loaded_first_fields(queue, &mut |value| tags |= tag(value));
    tags
}

fn add(all: &mut Vec<Tags>, queue: usize, tags: Tags) {
    if all.len() <= queue {
        all.resize(queue + 1, 0);
    }
    all[queue] |= tags;
}

/// The first field of the message that is sent or received, if it is given.
fn first_field(action: &Action) -> Option<&Expr> {
    match action {
        Action::Send { message, .. } => message.first(),
        Action::Receive { pattern, .. } => match pattern.first() {
            Some(Pattern::Match(e)) => Some(e),
            _ => None,
        },
        _ => None,
    }
}

fn waits_for_timeout(e: &Expr) -> bool {
    match e {
        Expr::Timeout => true,
        Expr::Binary(BinaryOp::And, a, b) => waits_for_timeout(a) || waits_for_timeout(b),
        _ => false,
    }
}

fn join(bits: &mut Bits, more: &[u64]) {
    if bits.len() < more.len() {
        bits.resize(more.len(), 0);
    }
    bits.iter_mut().zip(more).for_each(|(a, b)| *a |= b);
}

fn is_marked(set: &[u64], index: usize) -> bool {
    set.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
}

/// Whether it was not marked before.
fn mark(set: &mut Vec<u64>, index: usize) -> bool {
    if set.len() <= index / 64 {
        set.resize(index / 64 + 1, 0);
    }
    let known = is_marked(set, index);
    set[index / 64] |= 1 << (index % 64);
    !known
}

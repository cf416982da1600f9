//! Invariants over queues for networks with data: steps are those of the network's own semantics.
//!
//! A control state is here a state without its messages, and the process that keeps control inside an atomic sequence.
//! In `looks` it is made sure that a statement sees the head of one queue at most, and can only wait for it. So all
//! that can happen with contents `w` happens already when all queues are empty, or when just one queue holds just the
//! head that it has in `w`. Those *samples* are real states, and the semantics says where they lead: for each control
//! state one sample without messages, and one for each message that can be at the head of a queue by the set of the
//! proof.
//!
//! A step of a sample sends one message, takes one, or does neither; what it makes of the whole set is then checked as
//! for plain machines. If a step of a sample goes wrong, so does one of the model. Contents with which no process can
//! move are those whose heads belong to samples without a step.
//!
//! Where statements or a formula ask for more than that, for lengths or several heads, a set is divided into `contents`
//! that are alike for them, and samples of each have one of these in the queues that are asked about.
//!
//! Queues come and go with processes, the youngest first. A word says nothing about queues that are not there; a step
//! that makes new ones must come from a set whose words have nothing in them.
//!
//! Only control states that are reached are looked at, beginning with the first state of the network. The bytes of the
//! proof are compared with them, and never loaded.

use super::contents::{Asked, Class, classes};
use super::looks;
use super::machines::Op;
use super::pattern::Pattern;
use super::words::{First, Words};
use crate::pace::Pace;
use crate::queue_formulas::Monitor;
use crate::{Refusal, overflow};
use model::claim::AtomSet;
use model::context::Context;
use model::fault::FaultAt;
use model::network::{Action, Initial, Network};
use model::queue_proof::{QueueProof, SEPARATOR, Watched};
use model::semantics::{Exchange, Reading, Semantics, Step, Stepper, awaited};
use model::verdict::Property;
use scm::{Bad, Regex, Specification};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// By whose rules an end is a proper one, and what else is bad.
#[derive(Clone, Copy)]
pub(super) enum Rules<'a> {
    /// Communicating machines, with their bad configurations.
    Machines(&'a Specification),
    /// Promela: assertions, and end states that are valid.
    Promela,
}

/// A state without messages, the process in control, and what the monitor of a formula knows.
type Control = (Vec<u8>, Option<u32>, Watched);

/// Checks a proof about a network with data.
pub(super) fn verify(
    network: &Network,
    rules: Rules<'_>,
    property: &Property,
    proof: &QueueProof,
    cx: &Context<'_>,
) -> Result<(), Refusal> {
    let semantics = Semantics::new(network, Reading::Unbounded);
    let monitor = Monitor::of(&semantics, property, proof)?;
    let of_configurations =
        matches!(property, Property::Safety | Property::Deadlock | Property::Reception | Property::Orphan);
    if monitor.is_none() && !of_configurations {
        return Err(Refusal::WrongKind(property.to_string()));
    }
    let asked = looks::asked(network)?;
    let listed = Listed::read(proof)?;
    let bad = match (rules, property) {
        (Rules::Machines(specification), Property::Safety) => patterns(network, specification, &listed.letters)?,
        _ => Vec::new(),
    };
    let patience = Pace::new(cx);
    let mut stepper = semantics.stepper();
    stepper.listen();
    let lossy = lossy(network)?;
    // A loss is a step, and what a formula says of the next position depends on where it is taken.
    if monitor.is_some() && lossy.contains(&true) {
        return Err(Refusal::Malformed(String::from("a formula about queues that lose messages")));
    }
    Check { network, stepper, listed, lossy, rules, bad, property, asked, monitor, patience }.run()
}

/// What the proof says, made ready.
pub(crate) struct Listed {
    pub(crate) queues: usize,
    pub(crate) messages: Vec<Vec<i32>>,
    letters: HashMap<Vec<i32>, u32>,
    pub(crate) automata: Vec<Rc<Words>>,
    /// By portable bytes, owner, and what the monitor knows.
    invariant: HashMap<Control, usize>,
}

impl Listed {
    fn read(proof: &QueueProof) -> Result<Listed, Refusal> {
        let malformed = |why: String| Err(Refusal::Malformed(why));
        let Some(data) = &proof.data else {
            return malformed(String::from("it is for machines without data, and the model has some"));
        };
        let messages = data.messages.clone();
        let letters: HashMap<Vec<i32>, u32> = messages.iter().cloned().zip(1..).collect();
        if letters.len() != messages.len() {
            return malformed(String::from("a message has two letters"));
        }
        let automata: Vec<Rc<Words>> =
            Words::all(&proof.automata, data.queues as usize)?.into_iter().map(Rc::new).collect();
        let mut invariant = HashMap::new();
        for entry in &proof.entries {
            let control = match entry.control.as_slice() {
                [number] => data.controls.get(*number as usize),
                _ => None,
            };
            let Some(control) = control else {
                return malformed(format!("{:?} is not a control state", entry.control));
            };
            let Some(bytes) = bytes(&control.state) else { return malformed(String::from("a state has no bytes")) };
            if entry.automaton as usize >= automata.len() {
                return malformed(format!("there is no automaton {}", entry.automaton));
            }
            if control.watched.at as usize >= proof.monitor.len().max(1) {
                return malformed(format!("the monitor has no state {}", control.watched.at));
            }
            if invariant.insert((bytes, control.owner, control.watched), entry.automaton as usize).is_some() {
                return malformed(format!("control state {:?} is listed twice", entry.control));
            }
        }
        Ok(Listed { queues: data.queues as usize, messages, letters, automata, invariant })
    }

    fn of(&self, stepper: &mut Stepper<'_>, control: &Control) -> Option<usize> {
        self.invariant.get(&(stepper.portable(&control.0), control.1, control.2)).copied()
    }
}

/// The bytes that hexadecimal digits stand for.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| (byte as char).to_digit(16).map(|value| value as u8);
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| if let [high, low] = *pair { Some(digit(high)? << 4 | digit(low)?) } else { None }).collect()
}

/// Which queues may lose messages: global channels come first, and no others may.
fn lossy(network: &Network) -> Result<Vec<bool>, Refusal> {
    let locals = network.machines.iter().flat_map(|machine| &machine.variables);
    let loses = |variable: &model::network::Variable| match variable.initial {
        Initial::NewChannel(ty) => network.channel_types[ty.index()].lossy,
        _ => false,
    };
    if locals.into_iter().any(loses) {
        return Err(Refusal::Malformed(String::from("a channel of a process loses messages")));
    }
    let channels = network.variables.iter().filter(|v| matches!(v.initial, Initial::NewChannel(_)));
    Ok(channels.flat_map(|variable| std::iter::repeat_n(loses(variable), variable.len())).collect())
}

/// The bad configurations, with the letters of the proof.
fn patterns<'a>(
    network: &Network,
    specification: &'a Specification,
    letters: &HashMap<Vec<i32>, u32>,
) -> Result<Vec<(&'a Bad, Option<Pattern>)>, Refusal> {
    let in_order = network.instances.iter().enumerate().all(|(index, one)| one.machine.index() == index);
    if !in_order || network.instances.len() != network.machines.len() {
        return Err(Refusal::Malformed(String::from("its processes are not one of each machine")));
    }
    let pattern = |bad: &Bad| bad.queues.as_ref().map(|language| Pattern::new(&in_letters(&language.regex, letters)));
    Ok(specification.bad.iter().map(|bad| (bad, pattern(bad))).collect())
}

/// A regular expression over letters; a message that has none is never there.
fn in_letters(regex: &Regex, letters: &HashMap<Vec<i32>, u32>) -> Regex {
    let all = |parts: &[Regex]| parts.iter().map(|part| in_letters(part, letters)).collect();
    match regex {
        Regex::Message(value) => match letters.get(&vec![*value]) {
            Some(&letter) => Regex::Message(letter as i32),
            None => Regex::Union(Vec::new()),
        },
        Regex::Empty | Regex::Separator => regex.clone(),
        Regex::Concat(parts) => Regex::Concat(all(parts)),
        Regex::Union(parts) => Regex::Union(all(parts)),
        Regex::Star(inner) => Regex::Star(Box::new(in_letters(inner, letters))),
        Regex::Plus(inner) => Regex::Plus(Box::new(in_letters(inner, letters))),
    }
}

struct Check<'a> {
    network: &'a Network,
    stepper: Stepper<'a>,
    listed: Listed,
    lossy: Vec<bool>,
    rules: Rules<'a>,
    bad: Vec<(&'a Bad, Option<Pattern>)>,
    property: &'a Property,
    /// What statements ask about queues, by machine and location.
    asked: Vec<Vec<Asked>>,
    /// That of the formula, if the property is one.
    monitor: Option<Monitor<'a>>,
    patience: Pace<'a>,
}

/// A step of a sample.
struct Taken {
    step: Step,
    next: Option<(Vec<u8>, Option<u32>)>,
    fault: Option<FaultAt>,
    exchanges: Vec<Exchange>,
    /// The atoms that are events of it.
    events: AtomSet,
}

/// A control state with contents that are alike for all who ask.
struct Case {
    state: Vec<u8>,
    owner: Option<u32>,
    /// What the monitor knows after a look at the state.
    watched: Watched,
    class: Class,
    words: Rc<Words>,
}

/// What can be done in a control state.
#[derive(Default)]
struct Moves {
    /// What a step does to the queues, and where it leads.
    all: BTreeSet<(Op, Control)>,
    /// Something can move whatever is in the queues.
    free: bool,
    /// A step makes new queues.
    grows: bool,
    /// The heads with which something can move.
    takes: BTreeMap<usize, BTreeSet<u32>>,
    /// The heads with which a process can move, by process and queue.
    taken_by: BTreeMap<(usize, usize), BTreeSet<u32>>,
}

impl Moves {
    /// These steps are possible with this head.
    fn takes_with(&mut self, steps: &[Step], queue: usize, letter: u32) {
        for step in steps {
            if let Step::Edge { process, .. } = *step {
                self.taken_by.entry((process as usize, queue)).or_default().insert(letter);
            }
        }
    }

    /// The heads with which nothing moves.
    fn blocking(&self) -> BTreeMap<usize, First> {
        self.takes.iter().map(|(&queue, taken)| (queue, First::NoneOf(taken.clone()))).collect()
    }
}

impl Check<'_> {
    fn run(&mut self) -> Result<(), Refusal> {
        let first = self.initiation()?;
        let mut seen: HashSet<Control> = HashSet::from([first.clone()]);
        let mut work = vec![first];
        while let Some(control) = work.pop() {
            self.patience.spend(0)?;
            let Some(here) = self.listed.of(&mut self.stepper, &control) else { continue };
            for case in self.cases(&control, here)? {
                let moves = self.moves(&case)?;
                self.safety(&case, &moves)?;
                for target in self.consecution(&case, moves)? {
                    if !seen.contains(&target) {
                        seen.insert(target.clone());
                        work.push(target);
                    }
                }
            }
        }
        Ok(())
    }

    /// The contents that a control state may have, by class.
    fn cases(&mut self, (state, owner, watched): &Control, here: usize) -> Result<Vec<Case>, Refusal> {
        self.stepper.load(state);
        let places = self.stepper.loaded_places().enumerate();
        let mut asked: Vec<(usize, &Asked)> = places
            .map(|(process, (machine, at))| (process, &self.asked[machine.index()][at.index()]))
            .filter(|(_, asked)| !asked.nothing())
            .collect();
        let read = self.monitor.as_mut().filter(|_| owner.is_none());
        asked.extend(read.as_ref().map(|monitor| (0, &monitor.asked)));
        let (all, mut cases) = (&self.listed.automata[here], Vec::new());
        let classes = classes(&mut self.stepper, state, &asked, &all.heads(&self.patience)?)?;
        let mut read = self.monitor.as_mut().filter(|_| owner.is_none());
        for class in classes {
            let words =
                if class.is_everything() { Rc::clone(all) } else { Rc::new(all.within(&class, &self.patience)?) };
            if !words.meets(&None, &[], &self.patience)? {
                continue;
            }
            // Contents that the queues cannot hold are never there.
            let member = class.member(&self.listed.messages);
            let Some(member) = self.stepper.with_messages(state, &member) else { continue };
            let mut watched = *watched;
            if let Some(monitor) = &mut read {
                watched = monitor.reads(&member, watched)?;
                if watched == Watched::BROKEN {
                    return Err(Refusal::Violated(String::from("the formula fails with contents of a control state")));
                }
            }
            cases.push(Case { state: state.clone(), owner: *owner, watched, class, words });
        }
        Ok(cases)
    }

    fn initiation(&mut self) -> Result<Control, Refusal> {
        let state = match self.stepper.initial().map_err(overflow)? {
            Ok(state) => state,
            Err(fault) if *self.property == Property::Safety => return Err(Refusal::Violated(fault.fault.to_string())),
            Err(fault) => return Err(Refusal::Crash(fault.fault.to_string())),
        };
        let first = (self.stepper.without_messages(&state), None, Watched::default());
        let empty = vec![SEPARATOR; self.listed.queues.saturating_sub(1)];
        let here = self.listed.of(&mut self.stepper, &first);
        match here.is_some_and(|at| self.listed.automata[at].accepts(&empty)) {
            true => Ok(first),
            false => Err(Refusal::NotInvariant(String::from("the first configuration is not in it"))),
        }
    }

    /// What the samples of a case do.
    fn moves(&mut self, case: &Case) -> Result<Moves, Refusal> {
        let queues = self.stepper.queue_count(&case.state);
        if queues > self.listed.queues {
            return Err(Refusal::Malformed(String::from("the model has more queues than the words of the proof")));
        }
        let mut moves = Moves::default();
        let asked = case.class.member(&self.listed.messages);
        let steps = self.sampled(case, &asked, queues, &mut moves)?.unwrap_or_default();
        moves.free = !steps.is_empty();
        // A process that moves here does so with the heads of the class.
        for (&queue, content) in &case.class.contents {
            let letter = content.map(|(letter, _)| letter);
            letter.into_iter().for_each(|letter| moves.takes_with(&steps, queue, letter));
        }
        let heads = case.words.heads(&self.patience)?;
        // What stands in queues that are not there does not count; but a queue that comes is empty.
        let stale = heads.range(queues..).next().is_some();
        let others = |queue: usize| queue < queues && !case.class.contents.contains_key(&queue);
        for (queue, letters) in heads.into_iter().filter(|(queue, _)| others(*queue)) {
            for letter in letters {
                let Some(message) = self.listed.messages.get(letter as usize - 1) else { continue };
                let mut contents = asked.clone();
                contents.resize(contents.len().max(queue + 1), Vec::new());
                contents[queue] = vec![message.clone()];
                let Some(steps) = self.sampled(case, &contents, queues, &mut moves)? else { continue };
                if !steps.is_empty() {
                    moves.takes.entry(queue).or_default().insert(letter);
                }
                moves.takes_with(&steps, queue, letter);
            }
        }
        if moves.grows && stale {
            return Err(Refusal::NotInvariant(String::from("a queue that comes with a process is not empty")));
        }
        Ok(moves)
    }

    /// The steps of the sample with these contents; none if a queue cannot hold them: they are in no configuration.
    fn sampled(
        &mut self,
        case: &Case,
        contents: &[Vec<Vec<i32>>],
        queues: usize,
        moves: &mut Moves,
    ) -> Result<Option<Vec<Step>>, Refusal> {
        let Some(state) = self.stepper.with_messages(&case.state, contents) else { return Ok(None) };
        let mut contents = contents.to_vec();
        contents.resize(queues, Vec::new());
        if self.stepper.messages(&state) != contents {
            return Err(Refusal::Malformed(String::from("a queue does not keep a message as it is sent")));
        }
        self.sample(&state, case, moves).map(Some)
    }

    /// The steps of one sample.
    fn sample(&mut self, state: &[u8], case: &Case, moves: &mut Moves) -> Result<Vec<Step>, Refusal> {
        self.patience.spend(0)?;
        let mut steps: Vec<Taken> = Vec::new();
        let monitor = &mut self.monitor;
        self.stepper
            .expand(state, case.owner, &mut |successor| {
                steps.push(Taken {
                    events: monitor.as_mut().map_or(0, |monitor| monitor.events(state, &successor)),
                    step: successor.step,
                    next: successor.state.map(|next| (next.to_vec(), successor.control)),
                    fault: successor.fault,
                    exchanges: successor.exchanges.to_vec(),
                });
            })
            .map_err(overflow)?;
        // What is lost is lost after a step, and no step of its own.
        steps.retain(|taken| !matches!(taken.step, Step::Loss { .. }));
        let queues = self.stepper.queue_count(state);
        for taken in &steps {
            let op = self.effect(taken)?;
            if let Some((next, owner)) = &taken.next {
                self.is_done(op, next)?;
                let target = self.stepper.without_messages(next);
                moves.grows |= self.stepper.queue_count(&target) > queues;
                let watched = self.after(case, taken.events, owner.is_some())?;
                moves.all.insert((op, (target, *owner, watched)));
            }
        }
        Ok(steps.into_iter().map(|taken| taken.step).collect())
    }

    /// What the monitor knows after a step of a case.
    fn after(&self, case: &Case, events: AtomSet, goes_on: bool) -> Result<Watched, Refusal> {
        self.monitor.as_ref().map_or(Ok(case.watched), |monitor| monitor.after(case.watched, events, goes_on))
    }

    /// Whether a message stands in its queue as it was sent.
    fn is_done(&mut self, op: Op, next: &[u8]) -> Result<(), Refusal> {
        let Op::Send(queue, letter) = op else { return Ok(()) };
        let messages = self.stepper.messages(next);
        let last = messages.get(queue).and_then(|queue| queue.last());
        match last.is_some() && last == self.listed.messages.get(letter as usize - 1) {
            true => Ok(()),
            false => Err(Refusal::Malformed(String::from("a queue does not keep a message as it is sent"))),
        }
    }

    /// What a step does to the queues, if nothing goes wrong.
    fn effect(&self, taken: &Taken) -> Result<Op, Refusal> {
        if let Some(fault) = &taken.fault {
            match (self.property, &taken.next) {
                (Property::Safety, _) => return Err(Refusal::Violated(fault.fault.to_string())),
                (_, None) => return Err(Refusal::Crash(fault.fault.to_string())),
                _ => {}
            }
        }
        let malformed = |why: &str| Err(Refusal::Malformed(String::from(why)));
        match taken.exchanges.as_slice() {
            [] => Ok(Op::Internal),
            _ if taken.next.is_none() => Ok(Op::Internal),
            // A message that is handed over is in no queue, and no process can see one at its head.
            [given, got] if matches!(taken.step, Step::Rendezvous { .. }) && given.queue == got.queue => {
                Ok(Op::Internal)
            }
            _ if matches!(taken.step, Step::Rendezvous { .. }) => malformed("a rendezvous uses queues, too"),
            [one] => match self.listed.letters.get(&one.fields) {
                Some(&letter) if one.sent => Ok(Op::Send(one.queue as usize, letter)),
                Some(&letter) => Ok(Op::Receive(one.queue as usize, letter)),
                None => Err(Refusal::NotInvariant(format!("the message {:?} has no letter", one.fields))),
            },
            _ => malformed("a step uses queues more than once"),
        }
    }

    /// Every step leads into the set of where it leads to; returns those control states.
    fn consecution(&mut self, case: &Case, moves: Moves) -> Result<Vec<Control>, Refusal> {
        let nothing = Words::nothing();
        let mut targets = Vec::new();
        if (case.owner.is_some() || self.monitor.is_some()) && !moves.free {
            // With some contents the process in control is blocked, and loses it; or nothing moves, and the run stays
            // here.
            let watched = self.after(case, 0, false)?;
            let (target, blocking) = ((case.state.clone(), None, watched), moves.blocking());
            let at = self.listed.of(&mut self.stepper, &target);
            let there = at.map_or(&nothing, |at| &self.listed.automata[at]);
            if !case.words.leads_from(&blocking, Op::Internal, &self.lossy, there, &self.patience)? {
                let what = "a process that loses control, or a run that stays, leads out of it";
                return Err(Refusal::NotInvariant(String::from(what)));
            }
            targets.extend(at.map(|_| target));
        }
        for (op, target) in moves.all {
            let at = self.listed.of(&mut self.stepper, &target);
            let there = at.map_or(&nothing, |at| &self.listed.automata[at]);
            if !case.words.leads_into(op, &self.lossy, there, &self.patience)? {
                let what = format!("a step leads out of it: {op:?}");
                return Err(Refusal::NotInvariant(what));
            }
            targets.extend(at.map(|_| target));
        }
        Ok(targets)
    }

    fn safety(&mut self, case: &Case, moves: &Moves) -> Result<(), Refusal> {
        if case.owner.is_some() || self.monitor.is_some() {
            return Ok(());
        }
        let state = &case.state;
        let is_bad = match (self.property, self.rules) {
            (Property::Deadlock, Rules::Promela) => {
                !self.stepper.is_valid_end(state) && self.can_be_stuck(case, moves)?
            }
            (Property::Deadlock, Rules::Machines(_)) if !self.all_ended(state) => self.can_be_stuck(case, moves)?,
            (Property::Orphan, _) | (Property::Deadlock, Rules::Machines(_)) => {
                self.all_ended(state) && self.has_message(case)?
            }
            (Property::Reception, _) => self.can_be_surprised(case, moves)?,
            _ => self.is_bad(case)?,
        };
        match is_bad {
            true => Err(Refusal::Violated(String::from("the set of a control state has something bad in it"))),
            false => Ok(()),
        }
    }

    fn can_be_stuck(&self, case: &Case, moves: &Moves) -> Result<bool, Refusal> {
        Ok(!moves.free && case.words.has_with(&moves.blocking(), &[], &self.patience)?)
    }

    /// Every machine is in a state without transitions; a process, at its end.
    fn all_ended(&mut self, state: &[u8]) -> bool {
        self.stepper.load(state);
        (0..self.stepper.loaded_processes()).all(|process| {
            let (machine, at) = self.stepper.loaded_place(process);
            self.network.machine(machine).edges_from(at).all(|edge| matches!(edge.action, Action::End))
        })
    }

    /// Some contents have a message in a queue that is there.
    fn has_message(&mut self, case: &Case) -> Result<bool, Refusal> {
        for queue in 0..self.stepper.queue_count(&case.state) {
            let some = BTreeMap::from([(queue, First::Other(BTreeSet::new()))]);
            if case.words.has_with(&some, &[], &self.patience)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Some contents have a message at the head of every queue that a process waits for, and it takes none of them.
    fn can_be_surprised(&mut self, case: &Case, moves: &Moves) -> Result<bool, Refusal> {
        self.stepper.load(&case.state);
        for process in 0..self.stepper.loaded_processes() {
            let Some(queues) = awaited(self.network, &self.stepper, process) else { continue };
            let taken = |queue: usize| moves.taken_by.get(&(process, queue)).cloned().unwrap_or_default();
            let heads = queues.into_iter().map(|queue| (queue, First::Other(taken(queue)))).collect();
            if case.words.has_with(&heads, &[], &self.patience)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_bad(&mut self, case: &Case) -> Result<bool, Refusal> {
        self.stepper.load(&case.state);
        for (bad, pattern) in &self.bad {
            let covered = bad.machines.iter().enumerate().all(|(process, allowed)| {
                allowed.as_ref().is_none_or(|states| states.iter().any(|wanted| self.is_at(process, wanted)))
            });
            if covered && case.words.meets(pattern, &[], &self.patience)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a process of the loaded state is where something bad may be. A condition without a value may hold.
    fn is_at(&self, process: usize, wanted: &scm::Allowed) -> bool {
        process < self.stepper.loaded_processes()
            && self.stepper.loaded_place(process).1 == wanted.location
            && wanted.condition.as_ref().is_none_or(|e| self.stepper.loaded_value(process, e).is_none_or(|v| v != 0))
    }
}

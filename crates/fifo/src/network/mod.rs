//! Abstract interpretation of a network itself: a set of queue contents for each control state, found as it is reached.
//!
//! A network with data becomes a [`crate::System`] by folding its data into states or by putting all its processes
//! together, and both list the states first, as if every message that is ever sent could come at any time. Often that
//! is far more than can be reached. Here a control state is looked at only with the messages that can be at the heads
//! of its queues by what is known so far, and a step leads on only with what it makes of the set. Sets that keep
//! growing are extrapolated, at first with each channel apart: there may be many.
//!
//! Where statements or the formula ask for lengths, or for heads without a receive, a set is cut into the contents that
//! are alike for them (`asked`), and each part has its own samples. A formula is read by a monitor beside the network
//! (`reader`).
//!
//! If an error turns up, or a process that is stuck, the round is lost, and the next one is more precise. No runs are
//! found here. What comes out in the end is handed to the checker like every other proof, and the steps are those of
//! the network's own semantics, seen with samples of the contents as the checker does it.

mod asked;
mod controls;
mod reader;
mod shallow;

pub use shallow::shallow;

use crate::Statistics;
use crate::proof::queue_automaton;
use asked::{Asked, Class, Content};
use controls::{Control, Controls, Mode};
use model::claim::AtomSet;
use model::network::Network;
use model::queue_proof::{QueueControl, QueueData, QueueEntry, QueueProof, Watched};
use model::semantics::{Exchange, Reading, Semantics, Step, Stepper};
use model::verdict::Property;
use queues::{Apart, Bisimulation, Direction, Extrapolation, Language, Languages, Limit, RegexError};
use reader::Reader;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

/// More different messages than this are not looked at.
const MOST_LETTERS: usize = 1 << 12;
/// What a control state takes beside its bytes, roughly.
const CONTROL_BYTES: usize = 64;

/// And a sample.
const SAMPLE_BYTES: usize = 100;

/// The message at the head of a queue.
type Head = (usize, u32);

/// Where the formula is broken: no control state.
const BROKEN: u32 = u32::MAX;

/// What a step does to the queues.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Op {
    Internal,
    Send(usize, u32),
    Receive(usize, u32),
}

/// Why there is no proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unproved {
    /// Time or memory.
    Limit(Limit),
    /// It is not for this model.
    Unfit(String),
    /// Something bad gets in, with every precision that was tried.
    Lost,
}

impl From<Limit> for Unproved {
    fn from(limit: Limit) -> Self {
        Unproved::Limit(limit)
    }
}

/// A proof, and what it took.
pub struct Found {
    /// What the queues can hold in each control state.
    pub proof: QueueProof,
    /// The extrapolation that was enough, for people.
    pub method: String,
    /// How many precisions were lost before.
    pub round: usize,
    /// How many sets there are.
    pub languages: usize,
    /// Memory in use, by our own estimate.
    pub bytes: usize,
}

impl Found {
    /// The figures of the analysis.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            method: self.method.clone(),
            iterations: self.round,
            controls: self.proof.entries.len(),
            languages: self.languages,
            bytes: self.bytes,
            ..Statistics::default()
        }
    }
}

/// Why a round ended.
enum End {
    Unproved(Unproved),
    /// Something bad got in.
    Bad,
    /// There are more queues than were counted on.
    Queues(usize),
}

impl From<Limit> for End {
    fn from(limit: Limit) -> Self {
        End::Unproved(Unproved::Limit(limit))
    }
}

/// What a sample does: where its steps stand in the list of all, and whether there are any.
#[derive(Clone, Copy)]
struct Sample {
    begin: usize,
    end: usize,
    some: bool,
}

/// The precisions, one after the other: whether channels are apart, the depth, and how often a set grows as it is.
const ROUNDS: [(bool, u32, u32); 6] =
    [(true, 0, 1), (true, 1, 3), (false, 0, 2), (true, 2, 6), (false, 1, 4), (false, 2, 8)];

/// Looks for a proof that a network is safe, that it does not get stuck, or of a formula. The network must be one whose
/// steps see the head of one queue at most, and of others what conditions ask for. What comes out is for the checker to
/// judge.
pub fn prove(network: &Network, property: &Property, limits: &queues::Limits) -> Result<Found, Unproved> {
    if network.channel_types.iter().any(|ty| ty.lossy) {
        return Err(Unproved::Unfit(String::from("a channel loses messages")));
    }
    let semantics = Semantics::new(network, Reading::Unbounded);
    let mut analysis = Analysis::new(&semantics, property, limits)?;
    for (round, &(apart, k, patience)) in ROUNDS.iter().enumerate() {
        let rho: Arc<dyn Extrapolation> = Arc::new(Bisimulation::rho(Direction::Both));
        let extrapolation = if apart { Arc::new(Apart(rho)) } else { rho };
        loop {
            let mut table = Table::new(Arc::clone(&extrapolation), k, patience);
            match analysis.round(&mut table) {
                Ok(()) => {
                    let proof = analysis.proof(&table);
                    let method = format!("abstract interpretation of the network, {}", extrapolation.name());
                    let (languages, bytes) = (analysis.languages.count(), analysis.languages.bytes());
                    return Ok(Found { proof, method, round, languages, bytes });
                }
                Err(End::Bad) if !table.extrapolated => return Err(Unproved::Lost),
                Err(End::Bad) => break,
                Err(End::Queues(count)) => analysis.widen(count),
                Err(End::Unproved(why)) => return Err(why),
            }
        }
    }
    Err(Unproved::Lost)
}

/// The sets of one round, by control state.
struct Table {
    extrapolation: Arc<dyn Extrapolation>,
    k: u32,
    patience: u32,
    sets: Vec<Language>,
    growth: Vec<u32>,
    queued: Vec<bool>,
    work: VecDeque<u32>,
    extrapolated: bool,
}

impl Table {
    fn new(extrapolation: Arc<dyn Extrapolation>, k: u32, patience: u32) -> Table {
        let (sets, growth, queued, work) = (Vec::new(), Vec::new(), Vec::new(), VecDeque::new());
        Table { extrapolation, k, patience, sets, growth, queued, work, extrapolated: false }
    }
}

/// What is known of the network, for all rounds.
struct Analysis<'a> {
    stepper: Stepper<'a>,
    property: &'a Property,
    /// What statements ask about queues, by machine and location.
    statements: Vec<Vec<Asked>>,
    reader: Option<Reader<'a>>,
    languages: Languages,
    queues: usize,
    controls: Controls,
    /// The queues that are asked about in a control state, and the longest length that matters.
    asked: HashMap<u32, (Vec<usize>, usize)>,
    /// Ways in which contents are distinguished; the first is none.
    classes: Vec<Class>,
    class_numbers: HashMap<Class, u32>,
    /// The contents in which a queue is so; with the number of letters and the longest length.
    only: HashMap<(usize, Content, usize, usize), Language>,
    /// What the monitor knows after a look at a control state with contents of a class.
    watched: HashMap<(u32, u32), Watched>,
    /// What was sampled so far, by control state, class and head.
    samples: HashMap<(u32, u32, Option<Head>), Sample>,
    /// The steps of all samples: what they do, and the control state that they lead to.
    moves: Vec<(Op, u32)>,
    letters: HashMap<Vec<i32>, u32>,
    messages: Vec<Vec<i32>>,
    /// Channels come with processes, or go with them.
    comes: bool,
    goes: bool,
}

impl<'a> Analysis<'a> {
    fn new(semantics: &'a Semantics<'a>, property: &'a Property, limits: &queues::Limits) -> Result<Self, Unproved> {
        let mut stepper = semantics.stepper();
        stepper.listen();
        Ok(Analysis {
            stepper,
            property,
            statements: Asked::of(semantics.network()),
            reader: Reader::of(semantics, property, limits)?,
            languages: Languages::new(1, MOST_LETTERS, limits.clone()),
            queues: 0,
            controls: Controls::default(),
            asked: HashMap::new(),
            classes: vec![Class::default()],
            class_numbers: HashMap::from([(Class::default(), 0)]),
            only: HashMap::new(),
            watched: HashMap::new(),
            samples: HashMap::new(),
            moves: Vec::new(),
            letters: HashMap::new(),
            messages: Vec::new(),
            comes: false,
            goes: false,
        })
    }

    /// Sets over more queues: those so far are of no use.
    fn widen(&mut self, queues: usize) {
        let limits = self.languages.limits().clone();
        let sizes = (0..self.controls.len() as u32).map(|number| self.controls.get(number).0.len());
        let kept: usize = sizes.map(|size| CONTROL_BYTES + 2 * size).sum();
        self.languages = Languages::new(queues, MOST_LETTERS, limits);
        let _ = self.languages.keep(kept);
        self.only.clear();
        self.queues = queues;
    }

    fn round(&mut self, table: &mut Table) -> Result<(), End> {
        let unfit = |why: String| End::Unproved(Unproved::Unfit(why));
        let first = self.stepper.initial().map_err(|overflow| unfit(overflow.to_string()))?;
        let first = first.map_err(|fault| unfit(fault.fault.to_string()))?;
        let first = (self.stepper.without_messages(&first), Mode::default());
        let first = self.number(first)?;
        let empty = self.languages.all_empty()?;
        self.join(table, first, empty)?;
        while let Some(number) = table.work.pop_front() {
            table.queued[number as usize] = false;
            self.visit(table, number)?;
        }
        Ok(())
    }

    fn number(&mut self, control: Control) -> Result<u32, End> {
        if control.1.watched == Watched::BROKEN {
            return Ok(BROKEN);
        }
        if let Some(number) = self.controls.find(&control) {
            return Ok(number);
        }
        let count = self.stepper.queue_count(&control.0);
        if count > self.queues {
            return Err(End::Queues(count));
        }
        self.languages.keep(CONTROL_BYTES + 2 * control.0.len())?;
        Ok(self.controls.insert(&control))
    }

    fn visit(&mut self, table: &mut Table, number: u32) -> Result<(), End> {
        self.languages.spend(1)?;
        let set = table.sets[number as usize];
        for (class, part) in self.cases(number, set)? {
            self.visit_case(table, (number, class), part)?;
        }
        Ok(())
    }

    /// The parts of a set that are alike for all who ask, with their classes.
    fn cases(&mut self, number: u32, set: Language) -> Result<Vec<(u32, Language)>, End> {
        let (queues, longest) = self.asked_in(number);
        let mut parts = vec![(Class { contents: Vec::new(), longest }, set)];
        for queue in queues {
            let mut finer = Vec::new();
            for (class, part) in parts {
                let heads = self.languages.heads(part).into_iter().filter(|head| head.0 == queue);
                let heads: BTreeSet<u32> = heads.map(|head| head.1).collect();
                for content in asked::contents(&heads, longest) {
                    let only = self.only(queue, content, longest)?;
                    let part = self.languages.intersection(part, only)?;
                    if !self.languages.is_empty(part) {
                        let mut class = class.clone();
                        class.contents.push((queue, content));
                        finer.push((class, part));
                    }
                }
            }
            parts = finer;
        }
        let mut intern = |class: Class| {
            let fresh = self.classes.len() as u32;
            *self.class_numbers.entry(class.clone()).or_insert_with(|| {
                self.classes.push(class);
                fresh
            })
        };
        let none = |class: &Class| class.contents.is_empty();
        Ok(parts.into_iter().map(|(class, part)| (if none(&class) { 0 } else { intern(class) }, part)).collect())
    }

    fn asked_in(&mut self, number: u32) -> (Vec<usize>, usize) {
        if let Some(known) = self.asked.get(&number) {
            return known.clone();
        }
        let (state, mode) = self.controls.get(number);
        let formula = self.reader.as_ref().filter(|_| mode.owner.is_none()).map(|reader| &reader.asked);
        let asked = asked::asked_in(&mut self.stepper, state, &self.statements, formula);
        self.asked.insert(number, asked.clone());
        asked
    }

    /// The contents in which one queue is so.
    fn only(&mut self, queue: usize, content: Content, longest: usize) -> Result<Language, End> {
        let key = (queue, content, longest, self.messages.len());
        if let Some(known) = self.only.get(&key) {
            return Ok(*known);
        }
        let regex = asked::only(self.queues, self.messages.len() as u32, queue, content, longest);
        let language = self.languages.regex(&regex).map_err(|error| match error {
            RegexError::Limit(limit) => End::from(limit),
            other => End::Unproved(Unproved::Unfit(other.to_string())),
        })?;
        self.only.insert(key, language);
        Ok(language)
    }

    /// What the monitor knows after a look at a control state with contents of a class.
    fn watched(&mut self, (number, class): (u32, u32)) -> Result<Watched, End> {
        if let Some(known) = self.watched.get(&(number, class)) {
            return Ok(*known);
        }
        let (control, mode) = self.controls.get(number);
        let mut watched = mode.watched;
        let read = self.reader.as_mut().filter(|_| mode.owner.is_none());
        if let Some(reader) = read {
            let member = self.classes[class as usize].member(&self.messages);
            if let Some(state) = self.stepper.with_messages(control, &member) {
                watched = reader.reads(&state, watched).map_err(End::Unproved)?;
            }
        }
        self.watched.insert((number, class), watched);
        Ok(watched)
    }

    fn visit_case(&mut self, table: &mut Table, case: (u32, u32), set: Language) -> Result<(), End> {
        let (number, class) = case;
        let watched = self.watched(case)?;
        if watched == Watched::BROKEN {
            return Err(End::Bad);
        }
        let empty = self.sample(case, None)?;
        let mut taken: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        self.follow(table, set, empty)?;
        for head in self.languages.heads(set) {
            if self.classes[class as usize].has(head.0) {
                continue;
            }
            let sample = self.sample(case, Some(head))?;
            if sample.some {
                taken.entry(head.0).or_default().push(head.1);
            }
            self.follow(table, set, sample)?;
        }
        let (state, mode) = self.controls.get(number);
        // A process that is blocked loses control, and where nothing moves the run of a formula stays.
        let stays = mode.owner.is_some() || self.reader.is_some();
        if empty.some || !stays && *self.property != Property::Deadlock {
            return Ok(());
        }
        let state = state.to_vec();
        let blocked = self.languages.without_heads(set, taken.iter())?;
        if stays {
            let watched = self.reader.as_ref().map_or(watched, |reader| reader.after(watched, 0, false));
            let after = self.number((state, Mode { owner: None, watched }))?;
            self.join(table, after, blocked)
        } else if !self.languages.is_empty(blocked) && !self.stepper.is_valid_end(&state) {
            Err(End::Bad)
        } else {
            Ok(())
        }
    }

    fn follow(&mut self, table: &mut Table, set: Language, sample: Sample) -> Result<(), End> {
        for at in sample.begin..sample.end {
            let (op, target) = self.moves[at];
            let after = match op {
                Op::Internal => set,
                Op::Send(queue, letter) => self.languages.send(set, queue, letter)?,
                Op::Receive(queue, letter) => self.languages.receive(set, queue, letter)?,
            };
            self.join(table, target, after)?;
        }
        Ok(())
    }

    fn join(&mut self, table: &mut Table, target: u32, by: Language) -> Result<(), End> {
        if self.languages.is_empty(by) {
            return Ok(());
        }
        if target == BROKEN {
            return Err(End::Bad);
        }
        let at = target as usize;
        if at >= table.sets.len() {
            table.sets.resize(self.controls.len(), self.languages.empty());
            table.growth.resize(self.controls.len(), 0);
            table.queued.resize(self.controls.len(), false);
        }
        let before = table.sets[at];
        if self.languages.is_included(by, before)? {
            return Ok(());
        }
        let mut set = self.languages.union(before, by)?;
        if table.growth[at] >= table.patience {
            let exact = set;
            set = table.extrapolation.apply(table.k, exact, &mut self.languages)?;
            table.extrapolated |= set != exact;
        }
        table.growth[at] += 1;
        table.sets[at] = set;
        if !std::mem::replace(&mut table.queued[at], true) {
            table.work.push_back(target);
        }
        Ok(())
    }

    /// What the network does in a control state with contents of a class, and one message more or none.
    fn sample(&mut self, case: (u32, u32), head: Option<Head>) -> Result<Sample, End> {
        let (number, class) = case;
        if let Some(known) = self.samples.get(&(number, class, head)) {
            return Ok(*known);
        }
        let watched = self.watched(case)?;
        let (control, mode) = self.controls.get(number);
        let mut contents = self.classes[class as usize].member(&self.messages);
        if let Some((queue, letter)) = head {
            contents.resize(contents.len().max(queue + 1), Vec::new());
            contents[queue] = self.messages.get(letter as usize).cloned().into_iter().collect();
        }
        // What a queue that is not there would hold is of no interest.
        let present = contents.len() <= self.stepper.queue_count(control);
        let state = if present { self.stepper.with_messages(control, &contents) } else { None };
        let (moves, some) = match state {
            None => (Vec::new(), false),
            Some(state) => self.expand(&state, Mode { watched, ..mode })?,
        };
        self.languages.keep(SAMPLE_BYTES + 2 * size_of::<(Op, u32)>() * moves.len())?;
        let begin = self.moves.len();
        self.moves.extend(moves);
        let sample = Sample { begin, end: self.moves.len(), some };
        self.samples.insert((number, class, head), sample);
        Ok(sample)
    }

    /// The steps of a sample, and whether there are any.
    fn expand(&mut self, state: &[u8], mode: Mode) -> Result<(Vec<(Op, u32)>, bool), End> {
        type Seen = (Step, Option<(Vec<u8>, Option<u32>)>, bool, Vec<Exchange>, AtomSet);
        let unfit = |why: &str| Err(End::Unproved(Unproved::Unfit(String::from(why))));
        self.languages.spend(16)?;
        let mut seen: Vec<Seen> = Vec::new();
        let reader = &mut self.reader;
        let expanded = self.stepper.expand(state, mode.owner, &mut |successor| {
            let events = reader.as_mut().map_or(0, |reader| reader.events(state, &successor));
            let next = successor.state.map(|next| (next.to_vec(), successor.control));
            seen.push((successor.step, next, successor.fault.is_some(), successor.exchanges.to_vec(), events));
        });
        if let Err(overflow) = expanded {
            return unfit(&overflow.to_string());
        }
        let queues = self.stepper.queue_count(state);
        let (mut moves, some) = (Vec::new(), !seen.is_empty());
        for (step, next, failed, exchanges, events) in seen {
            match (&next, failed) {
                (_, true) if *self.property == Property::Safety => return Err(End::Bad),
                (None, _) => return unfit("a run of the model may crash"),
                _ => {}
            }
            let Some((next, owner)) = next else { continue };
            let op = match exchanges.as_slice() {
                [] => Op::Internal,
                [_, _] if matches!(step, Step::Rendezvous { .. }) => Op::Internal,
                [one] => self.op(one)?,
                _ => return unfit("a step uses channels more than once"),
            };
            let after = |reader: &Reader<'_>| reader.after(mode.watched, events, owner.is_some());
            let watched = self.reader.as_ref().map_or(mode.watched, after);
            let target = (self.stepper.without_messages(&next), Mode { owner, watched });
            let left = self.stepper.queue_count(&target.0);
            (self.comes, self.goes) = (self.comes || left > queues, self.goes || left < queues);
            if self.comes && self.goes {
                return unfit("channels come and go with processes");
            }
            let target = self.number(target)?;
            if !moves.contains(&(op, target)) {
                moves.push((op, target));
            }
        }
        Ok((moves, some))
    }

    fn op(&mut self, one: &Exchange) -> Result<Op, End> {
        let fresh = self.messages.len() as u32;
        let letter = match self.letters.get(&one.fields) {
            Some(&letter) => letter,
            None if self.messages.len() >= MOST_LETTERS => {
                let why = format!("there are more than {MOST_LETTERS} different messages");
                return Err(End::Unproved(Unproved::Unfit(why)));
            }
            None => {
                self.letters.insert(one.fields.clone(), fresh);
                self.messages.push(one.fields.clone());
                fresh
            }
        };
        let queue = one.queue as usize;
        Ok(if one.sent { Op::Send(queue, letter) } else { Op::Receive(queue, letter) })
    }

    fn proof(&mut self, table: &Table) -> QueueProof {
        let mut proof = QueueProof::default();
        let mut data = QueueData { queues: self.queues as u32, messages: self.messages.clone(), controls: Vec::new() };
        let mut automata: HashMap<Language, u32> = HashMap::new();
        for (number, &set) in (0..self.controls.len() as u32).zip(&table.sets) {
            if self.languages.is_empty(set) {
                continue;
            }
            let fresh = proof.automata.len() as u32;
            let automaton = *automata.entry(set).or_insert_with(|| {
                proof.automata.push(queue_automaton(&self.languages, set, &|letter| letter + 1));
                fresh
            });
            proof.entries.push(QueueEntry { control: vec![data.controls.len() as u32], automaton });
            let (state, mode) = self.controls.get(number);
            data.controls.push(QueueControl::new(&self.stepper.portable(state), mode.owner, mode.watched));
        }
        proof.data = Some(data);
        proof.monitor = self.reader.as_ref().map_or_else(Vec::new, |reader| reader.states.clone());
        proof
    }
}

//! Abstract interpretation of a network itself: a set of queue contents for each control state, found as it is reached.
//!
//! A network with data becomes a [`crate::System`] by folding its data into states or by putting all its processes together,
//! and both list the states first, as if every message that is ever sent could come at any time. Often that is far more
//! than can be reached. Here a control state is looked at only with the
//! messages that can be at the heads of its queues by what is known so far, and a step leads on only with what it makes of
//! the set. Sets that keep growing are extrapolated, at first with each channel apart: there may be many.
//!
//! If an error turns up, or a process that is stuck, the round is lost, and the next one is more precise. No runs are found
//! here. What comes out in the end is handed to the checker like every other proof, and the steps are those of the
//! network's own semantics, seen with samples of the contents as the checker does it.

mod controls;
mod shallow;

pub use shallow::shallow;

use crate::Statistics;
use crate::proof::queue_automaton;
use controls::{Control, Controls};
use model::network::Network;
use model::queue_proof::{QueueControl, QueueData, QueueEntry, QueueProof};
use model::semantics::{Exchange, Reading, Semantics, Step, Stepper};
use model::verdict::Property;
use queues::{Apart, Bisimulation, Direction, Extrapolation, Language, Languages, Limit};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

/// More different messages than this are not looked at.
const MOST_LETTERS: usize = 1 << 12;
/// What a control state takes beside its bytes, roughly.
const CONTROL_BYTES: usize = 64;

/// And a sample.
const SAMPLE_BYTES: usize = 100;

/// The message at the head of a queue.
type Head = (usize, u32);

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

/// Looks for a proof that a network is safe, that it does not get stuck, or of a formula. The network must be one whose steps
/// see the head of one queue at most. What comes out is for the checker to judge: what a formula says of a state is not known
/// here, so each precision is tried until `judge` accepts a proof.
pub fn prove(
    network: &Network,
    property: &Property,
    limits: &queues::Limits,
    judge: &mut dyn FnMut(&QueueProof) -> bool,
) -> Result<Found, Unproved> {
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
                    if !judge(&proof) {
                        match table.extrapolated {
                            true => break,
                            false => return Err(Unproved::Lost),
                        }
                    }
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
    languages: Languages,
    queues: usize,
    controls: Controls,
    /// What was sampled so far, by control state and head.
    samples: HashMap<(u32, Option<Head>), Sample>,
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
            languages: Languages::new(1, MOST_LETTERS, limits.clone()),
            queues: 0,
            controls: Controls::default(),
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
        self.queues = queues;
    }

    fn round(&mut self, table: &mut Table) -> Result<(), End> {
        let unfit = |why: String| End::Unproved(Unproved::Unfit(why));
        let first = self.stepper.initial().map_err(|overflow| unfit(overflow.to_string()))?;
        let first = first.map_err(|fault| unfit(fault.fault.to_string()))?;
        let first = (self.stepper.without_messages(&first), None);
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
        let empty = self.sample(number, None)?;
        let mut taken: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        self.follow(table, set, empty)?;
        for head in self.languages.heads(set) {
            let sample = self.sample(number, Some(head))?;
            if sample.some {
                taken.entry(head.0).or_default().push(head.1);
            }
            self.follow(table, set, sample)?;
        }
        let (state, owner) = self.controls.get(number);
        let matters = owner.is_some() || *self.property == Property::Deadlock;
        if empty.some || !matters {
            return Ok(());
        }
        let state = state.to_vec();
        let blocked = self.languages.without_heads(set, taken.iter())?;
        if owner.is_some() {
            let after = self.number((state, None))?;
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

    /// What the network does in a control state, with one message or none.
    fn sample(&mut self, number: u32, head: Option<Head>) -> Result<Sample, End> {
        if let Some(known) = self.samples.get(&(number, head)) {
            return Ok(*known);
        }
        let (control, owner) = self.controls.get(number);
        let state = match head {
            None => Some(control.to_vec()),
            Some((queue, letter)) => {
                let mut contents = vec![Vec::new(); queue];
                contents.push(self.messages.get(letter as usize).cloned().into_iter().collect());
                // What a queue that is not there would hold is of no interest.
                if queue < self.stepper.queue_count(control) {
                    self.stepper.with_messages(control, &contents)
                } else {
                    None
                }
            }
        };
        let (moves, some) = match state {
            None => (Vec::new(), false),
            Some(state) => self.expand(&state, owner)?,
        };
        self.languages.keep(SAMPLE_BYTES + 2 * size_of::<(Op, u32)>() * moves.len())?;
        let begin = self.moves.len();
        self.moves.extend(moves);
        let sample = Sample { begin, end: self.moves.len(), some };
        self.samples.insert((number, head), sample);
        Ok(sample)
    }

    /// The steps of a sample, and whether there are any.
    fn expand(&mut self, state: &[u8], owner: Option<u32>) -> Result<(Vec<(Op, u32)>, bool), End> {
        type Seen = (Step, Option<Control>, bool, Vec<Exchange>);
        let unfit = |why: &str| Err(End::Unproved(Unproved::Unfit(String::from(why))));
        self.languages.spend(16)?;
        let mut seen: Vec<Seen> = Vec::new();
        let expanded = self.stepper.expand(state, owner, &mut |successor| {
            let next = successor.state.map(|next| (next.to_vec(), successor.control));
            seen.push((successor.step, next, successor.fault.is_some(), successor.exchanges.to_vec()));
        });
        if let Err(overflow) = expanded {
            return unfit(&overflow.to_string());
        }
        let queues = self.stepper.queue_count(state);
        let (mut moves, some) = (Vec::new(), !seen.is_empty());
        for (step, next, failed, exchanges) in seen {
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
            let target = (self.stepper.without_messages(&next), owner);
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
            let (state, owner) = self.controls.get(number);
            data.controls.push(QueueControl::new(&self.stepper.portable(state), owner));
        }
        proof.data = Some(data);
        proof
    }
}

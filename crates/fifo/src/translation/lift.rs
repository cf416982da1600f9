//! An invariant of folded machines, taken back to the network that they were made of.
//!
//! The checker knows nothing of folding. It wants a set of queue contents for each control state of the network itself,
//! also for those that the machines pass over: in the middle of atomic sequences, and while processes are created. They
//! are found by following the network from its first state. A control state that stands for some of the machines begins
//! with the sets of those; what a step makes of the set of its source is added where it is missing, until nothing is. If
//! the invariant of the machines is one, that is little more than a visit of all control states.
//!
//! Nothing here is believed: the checker looks at the result, and it derives its steps on its own.

use super::correspond::Correspondence;
use crate::{Invariant, Op};
use model::network::{Network, ScalarType};
use model::queue_proof::{QueueAutomaton, QueueControl, QueueData, QueueEntry, QueueProof, Watched};
use model::semantics::{Exchange, Reading, Semantics, Step, Stepper};
use queues::{Language, Languages, Limit};
use scm::Folded;
use std::collections::{HashMap, HashSet, VecDeque};

/// A set that grew so often does not come to rest.
const MOST_GROWTH: u32 = 64;

/// Why there is no proof for the network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unlifted {
    /// Time or memory.
    Limit(Limit),
    /// Something else.
    Why(String),
}

impl From<Limit> for Unlifted {
    fn from(limit: Limit) -> Self {
        Unlifted::Limit(limit)
    }
}

/// A state without messages, and the process in control.
type Control = (Vec<u8>, Option<u32>);

/// The proof for the network. `limits` are for the sets.
pub fn lift(
    network: &Network,
    folded: &Folded,
    invariant: Invariant,
    bad: &[String],
    limits: queues::Limits,
) -> Result<QueueProof, Unlifted> {
    let semantics = Semantics::new(network, Reading::Unbounded);
    let correspondence = Correspondence::new(&semantics, folded);
    let Invariant { mut languages, reached } = invariant;
    languages.set_limits(limits);
    let mut known: HashMap<Vec<u32>, Language> = HashMap::new();
    for (control, language) in reached {
        let Some(name) = correspondence.name(&control) else { continue };
        let before = known.get(&name).copied().unwrap_or_else(|| languages.empty());
        let both = languages.union(before, language)?;
        known.insert(name, both);
    }
    let mut stepper = semantics.stepper();
    stepper.listen();
    let lossy = folded.queues.iter().map(|kind| network.channel_types[kind.index()].lossy).collect();
    let alphabet = Alphabet::new(network, folded);
    let mut lifting = Lifting {
        stepper,
        correspondence,
        languages,
        known,
        lossy,
        alphabet,
        controls: Vec::new(),
        numbers: HashMap::new(),
        sets: Vec::new(),
        growth: Vec::new(),
        work: VecDeque::new(),
    };
    lifting.run()?;
    Ok(lifting.proof(folded.queues.len(), bad))
}

/// The messages of the machines, by their channel and values.
struct Alphabet {
    /// By channel.
    letters: Vec<HashMap<Vec<i32>, u32>>,
    /// By letter.
    values: Vec<Vec<i32>>,
}

impl Alphabet {
    fn new(network: &Network, folded: &Folded) -> Alphabet {
        let of = |fields: &[ScalarType]| {
            let messages = folded.messages.iter().enumerate().filter(|(_, message)| message.fields == fields);
            messages.map(|(letter, message)| (message.values.clone(), letter as u32)).collect()
        };
        let letters = folded.queues.iter().map(|kind| of(&network.channel_types[kind.index()].fields)).collect();
        Alphabet { letters, values: folded.messages.iter().map(|message| message.values.clone()).collect() }
    }
}

struct Lifting<'a> {
    stepper: Stepper<'a>,
    correspondence: Correspondence<'a>,
    languages: Languages,
    /// The sets of control states of the machines, by their names.
    known: HashMap<Vec<u32>, Language>,
    lossy: Vec<bool>,
    alphabet: Alphabet,
    controls: Vec<Control>,
    numbers: HashMap<Control, usize>,
    sets: Vec<Language>,
    growth: Vec<u32>,
    work: VecDeque<usize>,
}

/// What can be done in a control state.
#[derive(Default)]
struct Moves {
    all: HashSet<(Op, Control)>,
    free: bool,
    takes: HashMap<usize, Vec<u32>>,
}

impl Lifting<'_> {
    fn run(&mut self) -> Result<(), Unlifted> {
        let first = self.stepper.initial().map_err(|overflow| Unlifted::Why(overflow.to_string()))?;
        let first = first.map_err(|fault| Unlifted::Why(fault.fault.to_string()))?;
        let empty = self.languages.all_empty()?;
        let first = self.stepper.without_messages(&first);
        self.join((first, None), empty)?;
        while let Some(number) = self.work.pop_front() {
            self.languages.spend(1)?;
            self.visit(number)?;
        }
        Ok(())
    }

    fn visit(&mut self, number: usize) -> Result<(), Unlifted> {
        let (control, set) = (self.controls[number].clone(), self.sets[number]);
        let moves = self.moves(&control, set)?;
        if control.1.is_some() && !moves.free {
            let blocked = self.languages.without_heads(set, moves.takes.iter())?;
            let blocked = if self.lossy.contains(&true) { self.languages.lose(blocked, &self.lossy)? } else { blocked };
            self.join((control.0, None), blocked)?;
        }
        for (op, target) in moves.all {
            let after = match op {
                Op::Internal => set,
                Op::Send(queue, letter) => self.languages.send(set, queue, letter)?,
                Op::Receive(queue, letter) => self.languages.receive(set, queue, letter)?,
            };
            let after = if self.lossy.contains(&true) { self.languages.lose(after, &self.lossy)? } else { after };
            self.join(target, after)?;
        }
        Ok(())
    }

    /// Adds contents to a control state.
    fn join(&mut self, control: Control, contents: Language) -> Result<(), Unlifted> {
        if self.languages.is_empty(contents) {
            return Ok(());
        }
        let number = match self.numbers.get(&control) {
            Some(&number) => number,
            None => self.begin(control)?,
        };
        let before = self.sets[number];
        let fresh = self.growth[number] == 0;
        if fresh || !self.languages.is_included(contents, before)? {
            self.growth[number] += 1;
            if self.growth[number] > MOST_GROWTH {
                let why = "what the queues can hold in the middle of an atomic sequence does not come to rest";
                return Err(Unlifted::Why(String::from(why)));
            }
            self.sets[number] = self.languages.union(before, contents)?;
            self.work.push_back(number);
        }
        Ok(())
    }

    /// A control state that was not seen before: it begins with the sets of the machines.
    fn begin(&mut self, control: Control) -> Result<usize, Unlifted> {
        self.languages.keep(2 * control.0.len() + 128)?;
        let mut set = self.languages.empty();
        for name in self.correspondence.names(&mut self.stepper, &control.0) {
            if let Some(&known) = self.known.get(&name) {
                set = self.languages.union(set, known)?;
            }
        }
        let number = self.controls.len();
        self.controls.push(control.clone());
        self.numbers.insert(control, number);
        self.sets.push(set);
        self.growth.push(0);
        Ok(number)
    }

    /// What can be done with some contents: see the checker, which does the same in its own path.
    fn moves(&mut self, control: &Control, set: Language) -> Result<Moves, Unlifted> {
        let mut moves = Moves::default();
        moves.free = self.sample(&control.0, control.1, &mut moves)?;
        for (queue, letter) in self.languages.heads(set) {
            let Some(message) = self.alphabet.values.get(letter as usize).cloned() else { continue };
            let mut contents = vec![Vec::new(); queue];
            contents.push(vec![message]);
            let Some(state) = self.stepper.with_messages(&control.0, &contents) else { continue };
            if self.sample(&state, control.1, &mut moves)? {
                moves.takes.entry(queue).or_default().push(letter);
            }
        }
        Ok(moves)
    }

    fn sample(&mut self, state: &[u8], owner: Option<u32>, moves: &mut Moves) -> Result<bool, Unlifted> {
        self.languages.spend(16)?;
        let mut found: Vec<(Vec<u8>, Option<u32>, Vec<Exchange>)> = Vec::new();
        let mut some = false;
        let expanded = self.stepper.expand(state, owner, &mut |successor| {
            if matches!(successor.step, Step::Loss { .. }) {
                return;
            }
            some = true;
            found.extend(successor.state.map(|next| (next.to_vec(), successor.control, successor.exchanges.to_vec())));
        });
        expanded.map_err(|overflow| Unlifted::Why(overflow.to_string()))?;
        for (next, owner, exchanges) in found {
            let op = self.op(&exchanges)?;
            moves.all.insert((op, (self.stepper.without_messages(&next), owner)));
        }
        Ok(some)
    }

    fn op(&self, exchanges: &[Exchange]) -> Result<Op, Unlifted> {
        let [one] = exchanges else {
            return match exchanges {
                [] => Ok(Op::Internal),
                _ => Err(Unlifted::Why(String::from("a step uses channels more than once"))),
            };
        };
        let queue = one.queue as usize;
        let letter = self.alphabet.letters.get(queue).and_then(|letters| letters.get(&one.fields));
        let unknown = || Unlifted::Why(String::from("a message is sent that the machines do not know"));
        let letter = *letter.ok_or_else(unknown)?;
        Ok(if one.sent { Op::Send(queue, letter) } else { Op::Receive(queue, letter) })
    }

    /// What was found, as a proof. Messages with equal values are one there: a channel has messages of one kind only.
    fn proof(mut self, queues: usize, bad: &[String]) -> QueueProof {
        let mut messages: Vec<Vec<i32>> = Vec::new();
        let mut places: HashMap<Vec<i32>, u32> = HashMap::new();
        let mut letters: Vec<u32> = Vec::new();
        for values in &self.alphabet.values {
            let fresh = messages.len() as u32 + 1;
            let letter = *places.entry(values.clone()).or_insert(fresh);
            if letter == fresh {
                messages.push(values.clone());
            }
            letters.push(letter);
        }
        let mut proof = QueueProof { bad: bad.to_vec(), ..QueueProof::default() };
        let mut data = QueueData { queues: queues as u32, messages, controls: Vec::new() };
        let mut automata: HashMap<Language, u32> = HashMap::new();
        for ((state, owner), set) in std::mem::take(&mut self.controls).into_iter().zip(&self.sets) {
            let fresh = proof.automata.len() as u32;
            let automaton = *automata.entry(*set).or_insert_with(|| {
                proof.automata.push(self.automaton(*set, &letters));
                fresh
            });
            proof.entries.push(QueueEntry { control: vec![data.controls.len() as u32], automaton });
            data.controls.push(QueueControl::new(&self.stepper.portable(&state), owner, Watched::default()));
        }
        proof.data = Some(data);
        proof
    }

    fn automaton(&self, set: Language, letters: &[u32]) -> QueueAutomaton {
        crate::proof::queue_automaton(&self.languages, set, &|letter| {
            letters.get(letter as usize).copied().unwrap_or(u32::MAX)
        })
    }
}

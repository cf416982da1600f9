//! A network as one machine, whose states are the control states of the network.
//!
//! Folding makes a machine of each process, and needs processes that share nothing. Where that does not work, the processes
//! are put together first: a state of the machine is a state of the network without its messages, inside an atomic sequence
//! with the process in control. Variables may be shared then, processes created and messages handed over without a queue, and
//! atomic sequences stay whole. The price is that all control states are visited that could be reached if every message
//! that is ever sent to a queue could come at any time.
//!
//! A step sees the head of one queue at most (the caller knows that it is so), so that the steps of a control
//! state are those with empty queues, and those with one message in one of them. A process in control that waits for a
//! message may lose control instead, even if the message is there: that is the only thing that the machine can do and the
//! network cannot. An error leads to a state of its own.

use super::{Heads, Instead, beginning};
use crate::{Bad, Invariant, Machine, Op, Property, Run, System, Transition};
use model::budget::Budget;
use model::network::{Action, Network};
use model::queue_proof::{QueueControl, QueueData, QueueEntry, QueueProof, Watched};
use model::semantics::{Exchange, Reading, Semantics, Step, Stepper, awaited};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// More control states than this are too many to be listed before anything is known.
const MOST_CONTROLS: usize = 100_000;
/// More transitions than this are.
const MOST_TRANSITIONS: usize = 500_000;

/// A state without messages, and the process in control.
type Control = (Vec<u8>, Option<u32>);

/// The machine of a network, and the path back.
pub struct Product {
    /// What is bad is an error.
    pub system: System,
    /// The states that are no valid ends.
    improper: Vec<usize>,
    /// The states in which all processes have ended, by the number of queues that are left.
    ended: BTreeMap<usize, Vec<usize>>,
    /// The states in which a process waits for messages, by what it does not take.
    waiting: BTreeMap<Heads, Vec<usize>>,
    /// By state of the machine; the last state, for errors, is not among them.
    controls: Vec<QueueControl>,
    /// By transition: the step of the network, if it is one.
    steps: Vec<Option<Step>>,
    messages: Vec<Vec<i32>>,
    /// By queue: the letters that somebody sends there.
    sent: Vec<Vec<u32>>,
    queues: usize,
}

/// The machine of a network whose steps look at heads of queues only, or why there is none.
pub fn product(network: &Network, budget: &Budget) -> Result<Product, String> {
    let semantics = Semantics::new(network, Reading::Unbounded);
    let mut stepper = semantics.stepper();
    stepper.listen();
    let mut closure = Closure {
        network,
        stepper,
        budget,
        controls: Vec::new(),
        numbers: HashMap::new(),
        waits: Vec::new(),
        letters: HashMap::new(),
        messages: Vec::new(),
        sent: Vec::new(),
        known: HashSet::new(),
        work: Vec::new(),
        transitions: Vec::new(),
        found: HashSet::new(),
        queues: 0,
        comes: false,
        goes: false,
    };
    closure.run()?;
    Ok(closure.machine())
}

/// A sample: a control state, and a message in a queue.
type Sample = (usize, Option<(usize, u32)>);

/// A transition: from, what it does, where it leads, the step. Errors lead to `None`.
type Found = (usize, Op, Option<usize>, Option<Step>);

struct Closure<'a> {
    network: &'a Network,
    stepper: Stepper<'a>,
    budget: &'a Budget,
    controls: Vec<Control>,
    numbers: HashMap<Control, usize>,
    /// By control state: whether somebody waits for a message there.
    waits: Vec<bool>,
    letters: HashMap<Vec<i32>, u32>,
    /// By letter.
    messages: Vec<Vec<i32>>,
    /// Which letters somebody sends to which queue.
    sent: Vec<(usize, u32)>,
    known: HashSet<(usize, u32)>,
    work: Vec<Sample>,
    transitions: Vec<Found>,
    found: HashSet<Found>,
    queues: usize,
    /// Channels come with processes.
    comes: bool,
    /// Channels go with processes.
    goes: bool,
}

/// A step that was seen.
struct Seen {
    step: Step,
    next: Option<Control>,
    failed: bool,
    exchanges: Vec<Exchange>,
}

impl Closure<'_> {
    fn run(&mut self) -> Result<(), String> {
        let first = self.stepper.initial().map_err(|overflow| overflow.to_string())?;
        let first = first.map_err(|fault| fault.fault.to_string())?;
        let first = self.stepper.without_messages(&first);
        self.number((first, None))?;
        while let Some(sample) = self.work.pop() {
            self.budget.spend(4).map_err(|_| String::from("there was no time to list the control states"))?;
            self.visit(sample)?;
        }
        Ok(())
    }

    fn number(&mut self, control: Control) -> Result<usize, String> {
        if let Some(&number) = self.numbers.get(&control) {
            return Ok(number);
        }
        let number = self.controls.len();
        if number >= MOST_CONTROLS {
            return Err(format!("there are more than {MOST_CONTROLS} control states"));
        }
        self.queues = self.queues.max(self.stepper.queue_count(&control.0));
        let waits = self.is_waiting(&control);
        self.waits.push(waits);
        self.work.push((number, None));
        if waits {
            self.work.extend(self.sent.iter().map(|&message| (number, Some(message))));
        }
        self.controls.push(control.clone());
        self.numbers.insert(control, number);
        Ok(number)
    }

    /// Whether a process that may move is before a receive.
    fn is_waiting(&mut self, (state, owner): &Control) -> bool {
        self.stepper.load(state);
        (0..self.stepper.loaded_processes()).filter(|&process| owner.is_none_or(|owner| owner as usize == process)).any(
            |process| {
                let (machine, at) = self.stepper.loaded_place(process);
                self.network.machine(machine).edges_from(at).any(|edge| may_receive(&edge.action))
            },
        )
    }

    fn visit(&mut self, (number, message): Sample) -> Result<(), String> {
        let (state, owner) = self.controls[number].clone();
        let state = match message {
            None => state,
            Some((queue, letter)) => {
                let mut contents = vec![Vec::new(); queue];
                contents.push(self.messages.get(letter as usize).cloned().into_iter().collect());
                let Some(state) = self.stepper.with_messages(&state, &contents) else { return Ok(()) };
                state
            }
        };
        let mut seen: Vec<Seen> = Vec::new();
        let expanded = self.stepper.expand(&state, owner, &mut |successor| {
            seen.push(Seen {
                step: successor.step,
                next: successor.state.map(|next| (next.to_vec(), successor.control)),
                failed: successor.fault.is_some(),
                exchanges: successor.exchanges.to_vec(),
            });
        });
        expanded.map_err(|overflow| overflow.to_string())?;
        if owner.is_some() && message.is_none() && seen.is_empty() {
            let target = self.number((state.clone(), None))?;
            self.add((number, Op::Internal, Some(target), None))?;
        }
        let queues = self.stepper.queue_count(&state);
        for one in seen {
            let op = self.op(&one)?;
            if one.failed {
                self.add((number, op, None, Some(one.step)))?;
            }
            if let Some((next, owner)) = one.next {
                let target = (self.stepper.without_messages(&next), owner);
                let left = self.stepper.queue_count(&target.0);
                (self.comes, self.goes) = (self.comes || left > queues, self.goes || left < queues);
                if self.comes && self.goes {
                    return Err(String::from("channels come and go with processes"));
                }
                let target = self.number(target)?;
                self.add((number, op, Some(target), Some(one.step)))?;
            }
        }
        Ok(())
    }

    fn add(&mut self, found: Found) -> Result<(), String> {
        if self.transitions.len() >= MOST_TRANSITIONS {
            return Err(format!("there are more than {MOST_TRANSITIONS} transitions between control states"));
        }
        if self.found.insert(found) {
            self.transitions.push(found);
        }
        Ok(())
    }

    /// What a step does to the queues. A message that is handed over is in none.
    fn op(&mut self, seen: &Seen) -> Result<Op, String> {
        let one = match seen.exchanges.as_slice() {
            [] => return Ok(Op::Internal),
            _ if seen.next.is_none() => return Ok(Op::Internal),
            [_, _] if matches!(seen.step, Step::Rendezvous { .. }) => return Ok(Op::Internal),
            [one] => one,
            _ => return Err(String::from("a step uses channels more than once")),
        };
        let fresh = self.letters.len() as u32;
        let letter = *self.letters.entry(one.fields.clone()).or_insert(fresh);
        if letter == fresh {
            self.messages.push(one.fields.clone());
        }
        let queue = one.queue as usize;
        if !one.sent {
            return Ok(Op::Receive(queue, letter));
        }
        if self.known.insert((queue, letter)) {
            self.sent.push((queue, letter));
            let waiting = (0..self.controls.len()).filter(|&number| self.waits[number]);
            self.work.extend(waiting.map(|number| (number, Some((queue, letter)))));
        }
        Ok(Op::Send(queue, letter))
    }

    fn machine(mut self) -> Product {
        let error = self.controls.len();
        let mut states: Vec<String> = Vec::with_capacity(error + 1);
        let mut improper: Vec<usize> = Vec::new();
        let mut ended: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut waiting: BTreeMap<Heads, Vec<usize>> = BTreeMap::new();
        let taken = self.taken();
        let mut controls = Vec::with_capacity(error);
        for (number, (state, owner)) in std::mem::take(&mut self.controls).into_iter().enumerate() {
            if owner.is_none() && !self.stepper.is_valid_end(&state) {
                improper.push(number);
            }
            if owner.is_none() {
                for heads in self.awaited(&state, number, &taken) {
                    waiting.entry(heads).or_default().push(number);
                }
                if self.all_ended(&state) {
                    ended.entry(self.stepper.queue_count(&state)).or_default().push(number);
                }
            }
            states.push(self.name(&state, number));
            controls.push(QueueControl::new(&self.stepper.portable(&state), owner, Watched::default()));
        }
        states.push(String::from("error"));
        let messages = self.messages;
        let name = |fields: &Vec<i32>| fields.iter().map(i32::to_string).collect::<Vec<_>>().join("_");
        let transition = |(number, &(from, op, to, _)): (usize, &Found)| Transition {
            from,
            op,
            to: to.unwrap_or(error),
            origin: number as u32,
        };
        let machine = Machine {
            name: String::from("system"),
            initial: vec![0],
            states,
            transitions: self.transitions.iter().enumerate().map(transition).collect(),
        };
        let system = System {
            channels: self.queues,
            alphabet: messages.iter().map(name).collect(),
            lossy: Vec::new(),
            machines: vec![machine],
            bad: vec![Bad { states: vec![Some(vec![error])], queues: None }],
        };
        let steps = self.transitions.iter().map(|&(_, _, _, step)| step).collect();
        let mut sent: Vec<Vec<u32>> = vec![Vec::new(); self.queues];
        for (queue, letter) in self.sent {
            sent[queue].push(letter);
        }
        Product { system, improper, ended, waiting, controls, steps, messages, sent, queues: self.queues }
    }

    /// The messages that a process takes in a control state, by control state and process.
    fn taken(&self) -> HashMap<(usize, usize), Vec<(usize, u32)>> {
        let mut taken: HashMap<(usize, usize), Vec<(usize, u32)>> = HashMap::new();
        for &(from, op, _, step) in &self.transitions {
            if let (Op::Receive(queue, letter), Some(Step::Edge { process, .. })) = (op, step) {
                taken.entry((from, process as usize)).or_default().push((queue, letter));
            }
        }
        taken
    }

    /// What the processes wait for, each with what it takes.
    fn awaited(
        &mut self,
        state: &[u8],
        number: usize,
        taken: &HashMap<(usize, usize), Vec<(usize, u32)>>,
    ) -> BTreeSet<Heads> {
        self.stepper.load(state);
        let mut all = BTreeSet::new();
        for process in 0..self.stepper.loaded_processes() {
            let Some(queues) = awaited(self.network, &self.stepper, process) else { continue };
            let mut heads: Heads = queues.into_iter().map(|queue| (queue, BTreeSet::new())).collect();
            for &(queue, letter) in taken.get(&(number, process)).map_or(&[][..], Vec::as_slice) {
                heads.entry(queue).or_default().insert(letter);
            }
            all.insert(heads);
        }
        all
    }

    fn all_ended(&mut self, state: &[u8]) -> bool {
        self.stepper.load(state);
        (0..self.stepper.loaded_processes()).all(|process| {
            let (machine, at) = self.stepper.loaded_place(process);
            self.network.machine(machine).edges_from(at).all(|edge| matches!(edge.action, Action::End))
        })
    }

    /// Where the processes are, and a number.
    fn name(&mut self, state: &[u8], number: usize) -> String {
        self.stepper.load(state);
        let places = (0..self.stepper.loaded_processes()).map(|process| {
            let (machine, at) = self.stepper.loaded_place(process);
            let label = self.network.machine(machine).locations[at.index()].labels.first().cloned();
            label.unwrap_or_else(|| at.0.to_string())
        });
        format!("{}: {}", number, places.collect::<Vec<_>>().join(", "))
    }
}

fn may_receive(action: &Action) -> bool {
    match action {
        Action::Receive { .. } => true,
        Action::Deterministic(step) => {
            step.nodes.first().is_some_and(|choices| choices.iter().any(|choice| may_receive(&choice.action)))
        }
        _ => false,
    }
}

impl Product {
    /// What is bad for a property, other than an error.
    pub fn bad(&self, property: Property) -> Instead {
        let letters = self.system.alphabet.len();
        let heads = |states: &Vec<usize>, heads: &Heads| Bad {
            states: vec![Some(states.clone())],
            queues: Some(beginning(self.queues, letters, heads)),
        };
        Some(match property {
            Property::Deadlock => {
                let bad = Bad { states: vec![Some(self.improper.clone())], queues: None };
                (vec![bad], Property::Stuck)
            }
            Property::Orphan => {
                let some = |queue: usize| Heads::from([(queue, BTreeSet::new())]);
                let bad = self.ended.iter().flat_map(|(&count, states)| {
                    (0..count.min(self.queues)).map(move |queue| heads(states, &some(queue)))
                });
                (bad.collect(), Property::BadStates)
            }
            Property::Reception => {
                let bad = self.waiting.iter().map(|(waiting, states)| heads(states, waiting));
                (bad.collect(), Property::BadStates)
            }
            _ => return None,
        })
    }

    /// The steps of the network that a run of the machine stands for.
    pub fn steps(&self, run: &Run) -> Vec<Step> {
        let step = |step: &crate::Step| match step {
            crate::Step::Move { transition, .. } => self.steps.get(*transition).copied().flatten(),
            crate::Step::Loss { .. } => None,
        };
        run.steps.iter().filter_map(step).collect()
    }

    /// The proof that an invariant of the machine is. Words with messages that no process sends to a queue are left out: the
    /// machine has no steps for those, and the network may have some.
    pub fn proof(&self, mut invariant: Invariant) -> Result<QueueProof, queues::Limit> {
        let possible = invariant.languages.stars(&self.sent)?;
        for (_, set) in &mut invariant.reached {
            *set = invariant.languages.intersection(*set, possible)?;
        }
        let mut proof = invariant.proof(&[]);
        proof
            .entries
            .retain(|entry| entry.control.first().is_some_and(|&state| (state as usize) < self.controls.len()));
        let mut data = QueueData { queues: self.queues as u32, messages: self.messages.clone(), controls: Vec::new() };
        proof.entries = std::mem::take(&mut proof.entries)
            .into_iter()
            .map(|entry| {
                let state = entry.control.first().copied().unwrap_or(0) as usize;
                data.controls.push(self.controls[state].clone());
                QueueEntry { control: vec![data.controls.len() as u32 - 1], automaton: entry.automaton }
            })
            .collect();
        proof.data = Some(data);
        Ok(proof)
    }
}

//! States that differ in which process is which are one.
//!
//! Processes of one type run the same code. Let `x` be an exchange of them: their memory changes places, and wherever a value
//! names one of them it names the other, in variables, messages, indices of arrays and numbers of channels. If no statement can tell
//! which process is which (`sorts`), then a step from a state is, exchanged, a step from the exchanged state, with the same faults:
//! the exchange is an automorphism (Ip and Dill: *Better verification through symmetry*, 1996; Bošnački, Dams and Holenderski:
//! *Symmetric Spin*, 2002). So it is enough to go on from one of the states that are exchanges of each other.
//!
//! That need not hold from the first state on. It is used only where it holds and goes on to hold: no process can create another one
//! any more, and those that are exchanged cannot end, for the youngest process dies first and then their numbers matter. How the
//! system came there does not matter, and no first state needs to look the same for all.
//!
//! Which state is chosen does not matter for what is proved. Processes are put into the order of *colours*: numbers computed from what
//! a process has, who names it and whom it names, as often as that tells more of them apart. Those with one colour stay in their order.
//!
//! A run from chosen state to chosen state is turned into one of the system step by step: the exchanges so far say which process
//! takes the step ([`Turned`]). Like every run it is replayed.

mod cells;
mod sorts;
#[cfg(test)]
mod tests;

use crate::reduction::{self, Labels};
use cells::{Cells, Exchange, Maker, Site, Sort};
use model::expr::Scope;
use model::ids::{EdgeId, MachineId, VariableId};
use model::semantics::{ProcessPlace, Reading, SHAPE_BYTES, Semantics, Step};
use rustc_hash::FxHasher;
use sorts::Sorts;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// So many exchanges are kept ready.
const MOST_EXCHANGES: usize = 1 << 10;
/// So many kinds of states, too.
const MOST_FORMS: usize = 1 << 8;

/// Chooses one of the states that are exchanges of each other; one per thread.
pub struct Symmetry<'s> {
    semantics: &'s Semantics<'s>,
    sorts: Sorts,
    /// By the bytes that tell the shape: what was made for its states, if something can be exchanged in them.
    forms: HashMap<Vec<u8>, Vec<Form>>,
    count: usize,
    /// The state that was chosen.
    chosen: Vec<u8>,
}

/// The semantics of a model for a search that leaves out what nothing can tell. What may name a process keeps its value: zero would
/// be the name of one of them.
pub(crate) fn trimmed<'n>(semantics: &Semantics<'n>) -> Option<Semantics<'n>> {
    let sorts = Sorts::of(semantics.network()).ok()?;
    let names: Vec<usize> = sorts.classes().map(|(class, _)| class).collect();
    let keep = |scope: Scope, machine: MachineId, variable: VariableId| {
        let owner = (scope == Scope::Local).then_some(machine);
        names.contains(&sorts.of_variable(owner, variable.index()).0)
    };
    reduction::trimmed_but(semantics, &[], Labels::None, &keep)
}

/// The states of one shape in which processes have the same names.
struct Form {
    cells: Option<Cells>,
    places: Vec<ProcessPlace>,
    exchanges: HashMap<Vec<u32>, Rc<Exchange>>,
}

impl<'s> Symmetry<'s> {
    /// For one thread; or why no processes of a network can be exchanged.
    pub fn new(semantics: &'s Semantics<'s>) -> Result<Self, String> {
        if semantics.reading() == Reading::Unbounded {
            return Err(String::from("channels have no bounds"));
        }
        let sorts = Sorts::of(semantics.network())?;
        let machines = &semantics.network().machines;
        if sorts.fixed.iter().all(Option::is_some) {
            let why = machines.iter().zip(&sorts.fixed);
            let why = why.filter_map(|(machine, why)| Some(format!("`{}`: {}", machine.name, (*why)?)));
            return Err(why.collect::<Vec<_>>().join("; "));
        }
        Ok(Symmetry { semantics, sorts, forms: HashMap::new(), count: 0, chosen: Vec::new() })
    }

    /// The state that is chosen among those that are exchanges of this one.
    pub fn choose<'a>(&'a mut self, state: &'a [u8]) -> &'a [u8] {
        let Some((form, exchange)) = self.exchange(state) else { return state };
        let Some(cells) = &self.forms[&state[..SHAPE_BYTES]][form].cells else { return state };
        cells.exchanged(state, &exchange, &mut self.chosen);
        &self.chosen
    }

    /// The exchange that leads to the chosen state, unless it is none; and the form of the state.
    fn exchange(&mut self, state: &[u8]) -> Option<(usize, Rc<Exchange>)> {
        let number = self.form(state);
        let form = self.forms.get_mut(&state[..SHAPE_BYTES])?.get_mut(number)?;
        let cells = form.cells.as_ref()?;
        let at = |process: &ProcessPlace| (process.machine.index(), location(process, state));
        if !form.places.iter().all(|process| self.sorts.settled[at(process).0][at(process).1])
            || !cells.are_stable(state)
        {
            return None;
        }
        let colours = cells.colours(state);
        let mut to: Vec<u32> = (0..form.places.len() as u32).collect();
        for group in &cells.groups {
            let lasting = |&process: &u32| {
                let (machine, location) = at(&form.places[process as usize]);
                self.sorts.lasting[machine][location]
            };
            if group.iter().all(lasting) {
                let mut order = group.clone();
                order.sort_by_key(|&process| colours[process as usize]);
                order.iter().zip(group).for_each(|(&process, &place)| to[process as usize] = place);
            }
        }
        if to.iter().zip(0u32..).all(|(&to, process)| to == process) {
            return None;
        }
        if let Some(exchange) = form.exchanges.get(&to) {
            return Some((number, Rc::clone(exchange)));
        }
        if form.exchanges.len() >= MOST_EXCHANGES {
            form.exchanges.clear();
        }
        let exchange = Rc::new(cells.exchange(&to));
        form.exchanges.insert(to, Rc::clone(&exchange));
        Some((number, exchange))
    }

    /// The form of a state, among those of its shape.
    fn form(&mut self, state: &[u8]) -> usize {
        let shape = &state[..SHAPE_BYTES];
        if let Some(forms) = self.forms.get(shape)
            && let Some(known) = forms.iter().position(|form| form.cells.as_ref().is_none_or(|cells| cells.fit(state)))
        {
            return known;
        }
        if self.count >= MOST_FORMS {
            (self.forms, self.count) = (HashMap::new(), 0);
        }
        let anatomy = self.semantics.anatomy_of(state);
        let cells = anatomy.as_ref().and_then(|anatomy| {
            let network = self.semantics.network();
            Maker { network, sorts: &self.sorts, anatomy, state }.cells()
        });
        let places = anatomy.map_or_else(Vec::new, |anatomy| anatomy.processes);
        let forms = self.forms.entry(shape.to_vec()).or_default();
        forms.push(Form { cells, places, exchanges: HashMap::new() });
        self.count += 1;
        forms.len() - 1
    }
}

fn location(process: &ProcessPlace, state: &[u8]) -> usize {
    process.location.load(state, process.base as usize) as usize
}

impl Cells {
    /// By process, a number that does not depend on which process is which.
    fn colours(&self, state: &[u8]) -> Vec<u64> {
        let count = self.groups.iter().flatten().max().map_or(0, |&last| last as usize + 1);
        let (mut colours, mut known) = (vec![0u64; count], 1);
        loop {
            let next = self.refined(state, &colours);
            let mut different = next.clone();
            different.sort_unstable();
            different.dedup();
            colours = next;
            if different.len() <= known || different.len() == count {
                return colours;
            }
            known = different.len();
        }
    }

    /// The colours with what each process has, and with those that it is named by and names.
    fn refined(&self, state: &[u8], colours: &[u64]) -> Vec<u64> {
        let mut sums: Vec<u64> = colours.iter().map(hash).collect();
        for cell in &self.cells {
            if !cell.site.coordinates.is_empty() || cell.sort != Sort::Plain {
                self.add(&mut sums, colours, &cell.site, (0, 0), cell.sort, cell.load(state));
            }
        }
        for queue in self.queues.iter().filter(|queue| !queue.site.coordinates.is_empty()) {
            let length = self.queue_length(queue, state) as i32;
            self.add(&mut sums, colours, &queue.site, (1, 0), Sort::Plain, length);
        }
        self.each_field(state, &mut |queue, position, field, sort, value| {
            let place = (2 + position as u32, field as u32);
            self.add(&mut sums, colours, &self.queues[queue].site, place, sort, value);
        });
        sums
    }

    /// Adds a value to those that it belongs to, and to the one that it names.
    fn add(&self, sums: &mut [u64], colours: &[u64], site: &Site, place: (u32, u32), sort: Sort, value: i32) {
        let of = |process: u32| colours.get(process as usize).copied().unwrap_or(u64::from(process));
        let named = match sort {
            Sort::Process(class) => self.names[&class].process(value),
            Sort::Plain | Sort::Channel => None,
        };
        let channel = match sort {
            Sort::Channel => self.queues.get((value as usize).wrapping_sub(1)).map(|queue| &queue.site),
            Sort::Plain | Sort::Process(_) => None,
        };
        let shown = match (named, channel) {
            (Some(process), _) => (1, of(process)),
            (None, Some(site)) => (2, hash(&(site.kind, sum(&site.coordinates, of)))),
            (None, None) => (0, value as u64),
        };
        for (position, &process) in site.coordinates.iter().enumerate() {
            let others: Vec<u64> =
                site.coordinates.iter().map(|&other| of(other) ^ u64::from(other == process)).collect();
            let own = channel.is_some_and(|site| site.coordinates.contains(&process));
            let seen = hash(&(site.kind, place, position, others, shown, named == Some(process), own));
            sums[process as usize] = sums[process as usize].wrapping_add(seen);
        }
        let named = named.into_iter().chain(channel.into_iter().flat_map(|site| site.coordinates.iter().copied()));
        for process in named {
            let others: Vec<u64> =
                site.coordinates.iter().map(|&other| of(other) ^ u64::from(other == process)).collect();
            let seen = hash(&(u32::MAX, site.kind, place, others, shown));
            sums[process as usize] = sums[process as usize].wrapping_add(seen);
        }
    }
}

fn sum(processes: &[u32], of: impl Fn(u32) -> u64) -> Vec<u64> {
    processes.iter().map(|&process| of(process)).collect()
}

fn hash<T: Hash>(of: &T) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    // Sums of what the hasher gives are sums of what was hashed: different processes would look the same.
    let mixed = hasher.finish().wrapping_mul(0xff51_afd7_ed55_8ccd);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    mixed ^ mixed >> 29
}

/// How the processes and queues of a chosen state are called in a run of the system.
#[derive(Default)]
pub struct Turned {
    processes: Vec<u32>,
    queues: Vec<usize>,
}

impl Turned {
    /// A step of the run.
    pub fn step(&self, step: Step) -> Step {
        let process = |process: u32| self.processes.get(process as usize).copied().unwrap_or(process);
        let half = |(number, edge): (u32, EdgeId)| (process(number), edge);
        match step {
            Step::Edge { process: number, edge } => Step::Edge { process: process(number), edge },
            Step::Rendezvous { sender, receiver } => {
                Step::Rendezvous { sender: half(sender), receiver: half(receiver) }
            }
            Step::Loss { queue, position } => {
                let queue = self.queues.get(queue as usize).map_or(queue, |&queue| queue as u32);
                Step::Loss { queue, position }
            }
        }
    }

    /// A state was reached, and another one was chosen for it.
    pub fn turn(&mut self, symmetry: &mut Symmetry<'_>, reached: &[u8]) {
        let Some((_, exchange)) = symmetry.exchange(reached) else { return };
        let before = |known: &[u32], process: usize| known.get(process).copied().unwrap_or(process as u32);
        let mut processes = vec![0; exchange.processes.len()];
        for (from, &to) in exchange.processes.iter().enumerate() {
            processes[to as usize] = before(&self.processes, from);
        }
        let mut queues = vec![0; exchange.queues.len()];
        for (from, &to) in exchange.queues.iter().enumerate() {
            queues[to] = self.queues.get(from).copied().unwrap_or(from);
        }
        (self.processes, self.queues) = (processes, queues);
    }
}

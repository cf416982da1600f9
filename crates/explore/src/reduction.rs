//! Partial-order reduction: where one process can move first without loss, only that one moves.
//!
//! Steps of different processes that touch different things can be taken in either order. In a state in which all
//! steps of one process are independent of everything that the others may do before it moves, it is enough to look at that
//! process (Peled's ample sets; Godefroid's persistent sets). The steps that matter for the property must not be among
//! them, and no process may be put off forever.
//!
//! * **Independence.** What the edges of a location touch (`access.rs`) is compared with what every other process can touch *from
//!   where it is on*, with processes that it may create. Channels and array elements are distinguished where the expressions that name
//!   them are fixed for a process: parameters, `_pid`. A send and a receive on the two ends of a channel are independent, as
//!   long as neither can enable another statement of the same location, nor disable one: where there is a choice, a send needs
//!   room in the state at hand, a receive a message; in a deterministic step, either is a test of the channel as well.
//! * **Visibility.** A location is left out if its edges write what a formula reads, or enter or leave a label that it
//!   names, or are an event of it.
//! * **No process is postponed forever.** Edges that close loops of the control flow are never taken alone (`proviso.rs`): so a
//!   search for errors and deadlocks visits the same states in any order, in any number of threads. A depth-first search
//!   for infinite runs lets a process move alone if that leads to no state that is still open; one for cycles without progress
//!   needs no such care: see `progress.rs`. Each of these is enough by itself; half of one and half of the other is not.
//!
//! Before that, states are left out that differ in what nothing reads any more (`dead.rs`), and those between two steps that
//! nothing can tell apart (`merge.rs`): [`trimmed`]; for growth, stores to variables that decide nothing, too (`slice.rs`).
//!
//! Not for models that look into other processes (`P@label`, `P:x`, `enabled`, `pc_value`, `_last`, priorities,
//! `provided`, `np_`), and not for lossy channels. A rendezvous send beside an `else` or `unless`, or in the middle of an atomic
//! sequence, looks where its partners are: `partners`. `timeout` does no harm: while a process can move, it is false.
//!
//! `visible` is what a property looks at, `resolve` compares processes, `gradually` says whether it is worth the trouble.

mod access;
mod cluster;
mod dead;
mod gradually;
mod merge;
mod partners;
mod proviso;
mod resolve;
mod slice;
mod visible;

pub(crate) use gradually::is_last;
pub use gradually::{Mode, Tally, WHOLE, gradually, pays};
pub(crate) use slice::sliced;
pub use visible::Labels;

use access::{MachineAccess, Stability};
use model::expr::{Expr, Scope};
use model::formula::Atom;
use model::ids::{LocationId, MachineId, VariableId};
use model::network::{Machine, Network};
use model::semantics::{Reading, Semantics, Stepper, Trim};
use partners::Partners;
use resolve::{Bit, Identity, Resolved, While};
use std::collections::{BTreeSet, HashMap, HashSet};
use visible::Visible;

/// The semantics of a model for a search that leaves out what a property cannot tell: its states are fewer, and the steps of its
/// runs are runs of the model. `None` if nothing may be left out.
pub fn trimmed<'n>(semantics: &Semantics<'n>, atoms: &[Atom], labels: Labels) -> Option<Semantics<'n>> {
    trimmed_but(semantics, atoms, labels, &|_, _, _| false)
}

/// The same, but some variables (of a machine, or of the network) keep what they have when nothing reads it any more.
pub(crate) fn trimmed_but<'n>(
    semantics: &Semantics<'n>,
    atoms: &[Atom],
    labels: Labels,
    keep: &dyn Fn(Scope, MachineId, VariableId) -> bool,
) -> Option<Semantics<'n>> {
    let mut trims = Reduction::new(semantics, atoms, labels)?.trims();
    for (machine, trims) in trims.iter_mut().enumerate() {
        let kept = |scope: Scope, variable: VariableId| keep(scope, MachineId::from(machine), variable);
        trims.iter_mut().for_each(|trim| trim.dead.retain(|&(scope, variable, _)| !kept(scope, variable)));
    }
    Some(Semantics::trimmed(semantics.network(), semantics.reading(), &trims))
}

/// With more processes than this all processes move: each would be compared with each.
const MOST_PROCESSES: usize = 256;

/// A process that may move alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The process.
    pub process: u32,
    /// Its step may close a loop of its control flow.
    pub closing: bool,
}

/// Says which process can move alone.
#[derive(Debug)]
pub struct Reduction<'n> {
    network: &'n Network,
    reading: Reading,
    /// Queues must not be shorter than in what is left out.
    lengths: bool,
    stability: Stability,
    machines: Vec<MachineAccess>,
    /// Per machine and location: what does not depend on the process.
    places: Vec<Vec<Place>>,
    /// Per machine: every loop has an edge that is never taken alone, but where an anchor allows it.
    cut: Vec<bool>,
    /// What the property looks at.
    visible: Visible,
    /// Numbers of what can be done to objects.
    bits: HashMap<Bit, usize>,
    /// Per process number: who it was the last time.
    last: Vec<Option<(Identity, usize)>>,
    identities: HashMap<Identity, usize>,
    /// Per identity and location: what its edges rule out, and what it can do from there on.
    resolved: Vec<Vec<Option<Resolved>>>,
    /// Of the state at hand: identity and location of every process.
    current: Vec<(usize, LocationId)>,
    clusters: cluster::Clusters,
}

/// What is known of a location without its process.
#[derive(Clone, Debug, Default)]
struct Place {
    /// The edges of a move that starts here: first those of the location, then those of atomic sequences.
    first: Vec<usize>,
    later: Vec<usize>,
    closing: bool,
    /// Exchanges of which every loop through this place has one, as numbers of accesses.
    anchors: BTreeSet<usize>,
    /// It enters or leaves a label that the property names, or writes a local variable that it reads.
    visible: bool,
}

impl<'n> Reduction<'n> {
    /// For a model and what a property looks at; `None` if nothing may be left out.
    pub fn new(semantics: &Semantics<'n>, atoms: &[Atom], labels: Labels) -> Option<Reduction<'n>> {
        let network = semantics.network();
        let looks_into_others = |e: &Expr| {
            matches!(
                e,
                Expr::Enabled(_)
                    | Expr::ProgramCounter(_)
                    | Expr::Priority(_)
                    | Expr::NonProgress
                    | Expr::LastMover
                    | Expr::At { .. }
                    | Expr::Remote { .. }
            )
        };
        if network.uses_priorities
            || network.uses_last_mover
            || network.any_expression(&looks_into_others)
            || network.machines.iter().any(|machine| machine.provided.is_some())
            || network.channel_types.iter().any(|channel| channel.lossy)
        {
            return None;
        }
        let stability = Stability::new(network);
        let mut visible = Visible::new(network, &stability, atoms)?;
        visible.add_labels(network, labels);
        let partners = Partners::new(network, &stability, &visible)?;
        let ids = (0..network.machines.len()).map(MachineId::from);
        let machines = ids.map(|id| MachineAccess::new(network, id, &stability, &partners)).collect();
        let mut reduction = Reduction {
            network,
            reading: semantics.reading(),
            lengths: false,
            stability,
            machines,
            places: Vec::new(),
            cut: Vec::new(),
            visible,
            bits: HashMap::new(),
            last: Vec::new(),
            identities: HashMap::new(),
            resolved: Vec::new(),
            current: Vec::new(),
            clusters: cluster::Clusters::default(),
        };
        let ids = (0..network.machines.len()).map(MachineId::from);
        let cuts = proviso::cuts(&reduction);
        reduction.places = ids.zip(&cuts).map(|(id, cuts)| reduction.places_of(id, semantics, cuts)).collect();
        reduction.cut = cuts.iter().map(|cuts| cuts.all).collect();
        Some(reduction)
    }

    /// No queue, and no number of processes, is larger in what is left out than in what is left. For let a run be left out, and let a
    /// process be alone that the run never moves: after the step of that process the run still exists, and the queue is as long as
    /// before, or longer, but if the step takes from it. So a process may take a message alone only if no other process sends to the
    /// queue any more: then no run of the others makes it longer than it is. Processes begin and end together with all others.
    pub(crate) fn keeping_lengths(mut self) -> Self {
        self.lengths = true;
        self
    }

    /// What the edges of each machine can do without: the states after some, and variables that are dead.
    fn trims(&self) -> Vec<Vec<Trim>> {
        let owners = dead::owned(self.network);
        let of_machine = |id: MachineId| {
            let owned = owners.iter().filter(|(_, owner)| **owner == id).map(|(variable, _)| *variable).collect();
            let trims = dead::resets(self, id, &owned).into_iter().zip(merge::merged(self, id, &owned));
            trims.map(|(dead, keeps_control)| Trim { keeps_control, dead }).collect()
        };
        (0..self.network.machines.len()).map(MachineId::from).map(of_machine).collect()
    }

    /// The processes that may move alone in the state that is loaded; whether they can move at all is not looked at. Those whose
    /// step may close a loop come last, if they are wanted at all.
    pub fn choices(&mut self, stepper: &Stepper<'_>, closing_too: bool, choices: &mut Vec<Choice>) {
        choices.clear();
        let processes = 0..stepper.loaded_processes();
        let place = |places: &[Vec<Place>], process: usize| {
            let (machine, location) = stepper.loaded_place(process);
            let place = &places[machine.index()][location.index()];
            let wanted = closing_too || !place.closing || !place.anchors.is_empty();
            (!place.visible && wanted).then_some(place.closing)
        };
        if processes.len() > MOST_PROCESSES || !processes.clone().any(|process| place(&self.places, process).is_some())
        {
            return;
        }
        self.look_at(stepper);
        for process in processes {
            if let Some(closing) = place(&self.places, process)
                && self.is_alone(stepper, process)
                && (closing_too || !closing || self.is_anchored(stepper, process))
            {
                choices.push(Choice { process: process as u32, closing });
            }
        }
        choices.sort_by_key(|choice| choice.closing);
    }

    /// Finds out who the processes are and where they are.
    fn look_at(&mut self, stepper: &Stepper<'_>) {
        self.current.clear();
        for process in 0..stepper.loaded_processes() {
            let (machine, location) = stepper.loaded_place(process);
            let identity = self.identity(stepper, process, machine);
            if self.resolved[identity][location.index()].is_none() {
                let resolved = self.resolve(stepper, process, machine, location);
                self.resolved[identity][location.index()] = Some(resolved);
            }
            self.current.push((identity, location));
        }
    }

    fn identity(&mut self, stepper: &Stepper<'_>, process: usize, machine: MachineId) -> usize {
        if self.last.len() <= process {
            self.last.resize(process + 1, None);
        }
        let stable = &self.machines[machine.index()].stable;
        let variables = &self.network.machine(machine).variables;
        let values = stable.iter().flat_map(|&id| (0..variables[id.index()].len()).map(move |element| (id, element)));
        let mut values = values.map(|(id, element)| stepper.loaded_local(process, id, element));
        if let Some((known, id)) = &self.last[process]
            && known.machine == machine
            && values.clone().eq(known.values.iter().copied())
        {
            return *id;
        }
        let identity = Identity { process, machine, values: values.by_ref().collect() };
        let next = self.identities.len();
        let id = *self.identities.entry(identity.clone()).or_insert(next);
        if id == next {
            let locations = self.network.machine(machine).locations.len();
            self.resolved.push((0..locations).map(|_| None).collect());
        }
        self.last[process] = Some((identity, id));
        id
    }

    fn at(&self, process: usize) -> Option<&Resolved> {
        let (identity, location) = self.current[process];
        self.resolved[identity][location.index()].as_ref()
    }

    /// Nothing that the others may do has to do with what this process does next.
    fn is_alone(&self, stepper: &Stepper<'_>, process: usize) -> bool {
        let Some(own) = self.at(process).filter(|own| !own.never) else { return false };
        let is_so = |so: While| match so {
            While::Empty(queue) => stepper.loaded_length(queue) == 0,
            While::Full(queue) => stepper.loaded_is_full(queue),
        };
        self.others_spare(process, &own.rules_out)
            && own.while_so.iter().all(|(so, bits)| self.others_spare(process, bits) || !is_so(*so))
    }

    /// What a loop through this place needs comes from, or goes to, processes with smaller numbers, all loops of which are cut.
    fn is_anchored(&self, stepper: &Stepper<'_>, process: usize) -> bool {
        let Some(own) = self.at(process) else { return false };
        own.anchors.iter().any(|needed| {
            (0..self.current.len()).filter(|&other| other != process).all(|other| {
                let spares = |other: &Resolved| needed.iter().zip(&other.far).all(|(a, b)| a & b == 0);
                let smaller = other < process && self.cut[stepper.loaded_place(other).0.index()];
                smaller || self.at(other).is_some_and(spares)
            })
        })
    }

    /// None of the others may ever do any of this.
    fn others_spare(&self, process: usize, ruled_out: &[u64]) -> bool {
        ruled_out.is_empty()
            || (0..self.current.len()).filter(|&other| other != process).all(|other| {
                self.at(other).is_some_and(|other| ruled_out.iter().zip(&other.far).all(|(a, b)| a & b == 0))
            })
    }

    fn places_of(&self, id: MachineId, semantics: &Semantics<'_>, cuts: &proviso::Cuts) -> Vec<Place> {
        let machine = self.network.machine(id);
        let keeps: Vec<bool> =
            (0..machine.edges.len()).map(|edge| semantics.keeps_control_after(id, edge.into())).collect();
        (0..machine.locations.len())
            .map(|location| {
                let mut place = Place::default();
                place.first.extend(machine.locations[location].edges.iter().map(|edge| edge.index()));
                place.later = later_edges(machine, &keeps, &place.first);
                let all = || place.first.iter().chain(&place.later);
                let mut closing = all().filter(|edge| cuts.edges.contains(edge)).map(|edge| cuts.anchors.get(edge));
                let first = closing.next();
                let none = BTreeSet::new();
                let common =
                    |anchors: BTreeSet<usize>, more: Option<&BTreeSet<usize>>| &anchors & more.unwrap_or(&none);
                let anchors = closing.fold(first.flatten().cloned().unwrap_or_default(), common);
                let visible = all().any(|&edge| self.is_visible_edge(id, edge));
                Place { closing: first.is_some(), anchors, visible, ..place }
            })
            .collect()
    }

    fn is_visible_edge(&self, id: MachineId, edge: usize) -> bool {
        self.visible.is_edge(id, &self.network.machine(id).edges[edge])
    }
}

/// The edges of atomic sequences that start with one of these edges, without them.
fn later_edges(machine: &Machine, keeps: &[bool], first: &[usize]) -> Vec<usize> {
    let mut later = BTreeSet::new();
    let mut work: Vec<usize> = first.to_vec();
    while let Some(edge) = work.pop() {
        if !keeps[edge] {
            continue;
        }
        let edge = &machine.edges[edge];
        for next in machine.locations[edge.to.index()].edges.iter().map(|next| next.index()) {
            if later.insert(next) {
                work.push(next);
            }
        }
    }
    later.into_iter().collect()
}

/// Edges without which the control flow along those that count has no loop: those that lead back on a depth-first search.
fn closing_edges(machine: &Machine, counts: &dyn Fn(usize) -> bool) -> HashSet<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Colour {
        New,
        Open,
        Done,
    }
    let mut colours = vec![Colour::New; machine.locations.len()];
    let mut closing = HashSet::new();
    for root in std::iter::once(machine.initial.index()).chain(0..machine.locations.len()) {
        if colours[root] != Colour::New {
            continue;
        }
        colours[root] = Colour::Open;
        let mut path = vec![(root, 0)];
        while let Some((location, next)) = path.last_mut() {
            let Some(edge) = machine.locations[*location].edges.get(*next) else {
                colours[*location] = Colour::Done;
                path.pop();
                continue;
            };
            *next += 1;
            if !counts(edge.index()) {
                continue;
            }
            let to = machine.edges[edge.index()].to.index();
            match colours.get(to) {
                Some(Colour::New) => {
                    colours[to] = Colour::Open;
                    path.push((to, 0));
                }
                Some(Colour::Open) => drop(closing.insert(edge.index())),
                Some(Colour::Done) | None => {}
            }
        }
    }
    closing
}

//! Which edges are never taken alone, so that no process is put off forever.
//!
//! In every cycle of states some process goes round a loop of its control flow. If each such loop has an edge at which all processes
//! may move, a cycle in which one of them is left out does not exist. That is a property of the model: it does not
//! depend on the order in which states are visited, so a search in several threads, on disk or on several machines visits the same
//! states.
//!
//! Not every loop has to be cut. What is sent in a cycle of states is taken in it, too: a loop with a send needs no edge of its own if
//! every loop with a receive from that channel has one, and the other way round. (A process that is created in a cycle ends in it, and
//! some process that was there before goes round a loop with a `run`; these are always cut.) So loops are cut one after the
//! other, as long as there are some that need it.
//!
//! The same goes for processes, where it can be told who they are: in a ring, one process is enough. A process may go round a loop
//! although it has such an edge, if the loop has a receive from a channel to which only processes with smaller numbers send, all loops
//! of which are cut; or the same with a send. For of the processes that do so in a cycle of states, the one with the smallest number
//! depends on one that does not.
//!
//! Any choice of edges is sound that leaves no such loop. It costs least where the process is hardly ever alone anyway: at locations
//! that test a channel, wait for several, meet others, or touch what others write. Where there are none, an edge that leads
//! back is taken.

use super::access::{Access, Object, Use};
use super::{Reduction, closing_edges};
use model::expr::{Expr, Scope};
use model::ids::{LocationId, MachineId, VariableId};
use model::network::{Action, Initial, Machine};
use model::semantics::Reading;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Where the loops of a machine are cut.
#[derive(Debug)]
pub(super) struct Cuts {
    /// The edges that are never taken alone.
    pub(super) edges: HashSet<usize>,
    /// Every loop of the machine has one of them.
    pub(super) all: bool,
    /// Per such edge: sends or receives, as numbers of accesses, of which every loop through it has one.
    pub(super) anchors: HashMap<usize, BTreeSet<usize>>,
}

/// Cuts the loops of all machines.
pub(super) fn cuts(reduction: &Reduction<'_>) -> Vec<Cuts> {
    let closing = closing(reduction).into_iter().enumerate();
    let cuts = closing.map(|(index, edges)| {
        let id = MachineId::from(index);
        let all = looping(reduction.network.machine(id), &|edge| !edges.contains(&edge)).is_empty();
        let anchors = anchors(reduction, id, &edges);
        Cuts { edges, all, anchors }
    });
    cuts.collect()
}

/// The exchanges that every loop through an edge has, for each of some edges.
fn anchors(reduction: &Reduction<'_>, id: MachineId, edges: &HashSet<usize>) -> HashMap<usize, BTreeSet<usize>> {
    let (machine, gathered) = (reduction.network.machine(id), &reduction.machines[id.index()]);
    let mut anchors: HashMap<usize, BTreeSet<usize>> = HashMap::new();
    for (number, access) in gathered.accesses.iter().enumerate() {
        let exchange = matches!(access.how, Use::Send | Use::Sort | Use::Take | Use::Pick);
        if !exchange || !reduction.stability.is_fixed(&access.object, id, reduction.network) {
            continue;
        }
        let has =
            |edge: usize| gathered.edges[edge].contains(&number) && is_one(reduction, &machine.edges[edge].action);
        let without: HashSet<usize> = looping(machine, &|edge| !has(edge)).into_iter().collect();
        for &edge in edges.difference(&without) {
            anchors.entry(edge).or_default().insert(number);
        }
    }
    anchors
}

/// An action that surely sends or takes one message.
fn is_one(reduction: &Reduction<'_>, action: &Action) -> bool {
    match action {
        Action::Send { .. } => reduction.reading != Reading::Drop,
        Action::Receive { mode, .. } => !mode.keep,
        _ => false,
    }
}

/// Edges by machine and number.
type Edges = HashSet<(MachineId, usize)>;

/// Per machine: the edges that are never taken alone.
fn closing(reduction: &Reduction<'_>) -> Vec<HashSet<usize>> {
    let network = reduction.network;
    let machines = || (0..network.machines.len()).map(MachineId::from);
    let (users, exchanges) = (users(reduction), Exchanges::new(reduction));
    let mut closing: Vec<HashSet<usize>> = machines().map(|id| contested_edges(reduction, id, &users)).collect();
    let mut balanced = Edges::new();
    loop {
        let looping = |closing: &[HashSet<usize>], balanced: &Edges| -> Edges {
            let open =
                |id: MachineId, edge: usize| !closing[id.index()].contains(&edge) && !balanced.contains(&(id, edge));
            machines()
                .flat_map(|id| {
                    let edges = looping(network.machine(id), &|edge| open(id, edge));
                    edges.into_iter().map(move |edge| (id, edge))
                })
                .collect()
        };
        // An edge whose messages come from, or go to, edges that are on no loop any more is on no cycle of states.
        loop {
            let left = looping(&closing, &balanced);
            let more: Vec<_> = left.iter().copied().filter(|edge| exchanges.is_balanced(*edge, &left)).collect();
            if more.is_empty() {
                break;
            }
            balanced.extend(more);
        }
        let left = looping(&closing, &balanced);
        let Some(first) = left.iter().map(|(id, _)| *id).min() else { return closing };
        let cut = closing_edges(network.machine(first), &|edge| left.contains(&(first, edge)));
        closing[first.index()].extend(cut);
    }
}

/// What each edge surely sends or takes, and which edges may send to or take from a channel.
struct Exchanges {
    /// Per edge: the channels that it may send to (`true`) or take from, one message of one of them.
    of: HashMap<(MachineId, usize), (bool, BTreeSet<usize>)>,
    /// Edges that may do so on a channel; `None` for any channel.
    partners: HashMap<(bool, Option<usize>), Edges>,
}

impl Exchanges {
    fn new(reduction: &Reduction<'_>) -> Exchanges {
        let network = reduction.network;
        let mut exchanges = Exchanges { of: HashMap::new(), partners: HashMap::new() };
        for (index, machine) in network.machines.iter().enumerate() {
            let id = MachineId::from(index);
            for (number, edge) in machine.edges.iter().enumerate() {
                for access in reduction.machines[index].touches(number) {
                    let Object::Channel(channel) = &access.object else { continue };
                    let sends = match access.how {
                        Use::Send | Use::Sort => true,
                        Use::Take | Use::Pick => false,
                        _ => continue,
                    };
                    let queues = queues(reduction, id, channel);
                    let known: Vec<Option<usize>> = match &queues {
                        Some(queues) => queues.iter().copied().map(Some).collect(),
                        None => vec![None],
                    };
                    for queue in known {
                        exchanges.partners.entry((sends, queue)).or_default().insert((id, number));
                    }
                    if let (true, Some(queues)) = (is_one(reduction, &edge.action), queues) {
                        exchanges.of.insert((id, number), (sends, queues));
                    }
                }
            }
        }
        exchanges
    }

    /// Whether everything that an edge sends is taken by edges on no loop, or what it takes is sent by such edges.
    fn is_balanced(&self, edge: (MachineId, usize), looping: &Edges) -> bool {
        let Some((sends, queues)) = self.of.get(&edge) else { return false };
        let free = |queue: Option<usize>| {
            self.partners.get(&(!sends, queue)).is_none_or(|partners| partners.is_disjoint(looping))
        };
        free(None) && queues.iter().all(|&queue| free(Some(queue)))
    }
}

/// The shared channels that an expression of a machine may mean; `None` if it may mean others.
fn queues(reduction: &Reduction<'_>, id: MachineId, channel: &Expr) -> Option<BTreeSet<usize>> {
    let network = reduction.network;
    let Expr::Read(place) = channel else { return None };
    match place.scope {
        Scope::Global if !reduction.stability.is_assigned(place.variable) => {
            let queues: BTreeSet<usize> = super::resolve::network_queues(network, place.variable).collect();
            (!queues.is_empty()).then_some(queues)
        }
        Scope::Global => None,
        Scope::Local => {
            let parameter = place.variable.index();
            let fixed = parameter < network.machine(id).parameters
                && !reduction.stability.is_local_assigned(id, place.variable)
                && network.instances.iter().all(|instance| instance.machine != id);
            fixed.then(|| passed(reduction, id, parameter)).flatten()
        }
    }
}

/// The shared channels that are passed for a parameter, if all of them are named where a process is created.
fn passed(reduction: &Reduction<'_>, id: MachineId, parameter: usize) -> Option<BTreeSet<usize>> {
    let mut all = BTreeSet::new();
    for edge in reduction.network.machines.iter().flat_map(|machine| &machine.edges) {
        if let Action::Run { machine, arguments, .. } = &edge.action
            && *machine == id
        {
            match arguments.get(parameter) {
                Some(e @ Expr::Read(place)) if place.scope == Scope::Global => all.extend(queues(reduction, id, e)?),
                _ => return None,
            }
        }
    }
    Some(all)
}

/// Per shared variable: the machines that touch it, and whether they write.
type Users = HashMap<VariableId, HashSet<(MachineId, bool)>>;

/// Who touches which shared variable.
fn users(reduction: &Reduction<'_>) -> Users {
    let mut users = Users::new();
    for (index, machine) in reduction.machines.iter().enumerate() {
        for access in &machine.accesses {
            if let Object::Variable(variable, _) = access.object {
                users.entry(variable).or_default().insert((MachineId::from(index), access.how == Use::Write));
            }
        }
    }
    users
}

/// The edges on loops at locations where others are likely to be in the way, and those that create or end processes.
fn contested_edges(reduction: &Reduction<'_>, id: MachineId, users: &Users) -> HashSet<usize> {
    let machine = reduction.network.machine(id);
    let contested = |at: usize| {
        let edges = || machine.locations[at].edges.iter().map(|edge| edge.index());
        let touched = || edges().flat_map(|edge| reduction.machines[id.index()].touches(edge));
        let exchange = |access: &&Access| matches!(access.how, Use::Send | Use::Take | Use::Sort | Use::Pick);
        let waits: Vec<&Access> = touched().filter(exchange).collect();
        edges().any(|edge| reduction.is_visible_edge(id, edge))
            || touched().any(|access| is_contested(reduction, id, access, users))
            || waits.windows(2).any(|pair| pair[0].object != pair[1].object)
    };
    let contested: Vec<bool> = (0..machine.locations.len()).map(contested).collect();
    let loops = looping(machine, &|_| true).into_iter();
    loops.filter(|&edge| contested[machine.edges[edge].from.index()]).collect()
}

/// The edges that lie on a loop of those that count.
fn looping(machine: &Machine, counts: &dyn Fn(usize) -> bool) -> Vec<usize> {
    let reach = |from: LocationId| {
        let (mut seen, mut work) = (HashSet::from([from]), vec![from]);
        while let Some(at) = work.pop() {
            let Some(location) = machine.locations.get(at.index()) else { continue };
            let next = location.edges.iter().filter(|edge| counts(edge.index()));
            work.extend(next.map(|edge| machine.edges[edge.index()].to).filter(|next| seen.insert(*next)));
        }
        seen
    };
    let reached: Vec<HashSet<LocationId>> =
        (0..machine.locations.len()).map(|at| reach(LocationId::from(at))).collect();
    let on_loop = |&edge: &usize| {
        let taken = &machine.edges[edge];
        counts(edge) && reached.get(taken.to.index()).is_some_and(|reached| reached.contains(&taken.from))
    };
    (0..machine.edges.len()).filter(on_loop).collect()
}

/// Whether others are likely to be in the way. A guess is enough.
fn is_contested(reduction: &Reduction<'_>, id: MachineId, access: &Access, users: &Users) -> bool {
    let network = reduction.network;
    match &access.object {
        Object::Variable(variable, indices) => {
            let own = |e: &Expr| matches!(e, Expr::Pid | Expr::Read(_));
            let by_process = !indices.is_empty()
                && indices.iter().all(own)
                && reduction.stability.is_fixed(&access.object, id, network);
            let against = |&(user, writes): &(MachineId, bool)| {
                (access.how == Use::Write || writes) && (user != id || !by_process && !is_only(reduction, id))
            };
            users.get(variable).is_some_and(|users| users.iter().any(against))
                || access.how == Use::Write && reduction.visible.variables.contains(variable)
        }
        Object::Channel(_) if access.how.for_others() == Use::Test => true,
        Object::Channel(_) if !reduction.stability.is_fixed(&access.object, id, network) => true,
        Object::Channel(Expr::Read(place)) if place.scope == Scope::Global => {
            match network.global(place.variable).initial {
                Initial::NewChannel(ty) => network.channel_types[ty.index()].is_rendezvous(),
                _ => false,
            }
        }
        Object::Channel(_) => false,
        Object::Processes | Object::Offers => true,
    }
}

/// One process of the type runs from the start, and none is created.
fn is_only(reduction: &Reduction<'_>, id: MachineId) -> bool {
    super::dead::is_single(reduction.network, id, 0)
}

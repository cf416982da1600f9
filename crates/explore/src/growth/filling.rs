//! Walks that fill one queue: whoever may receive from it waits for as long as anything else can move.
//!
//! The others move in turn, always in the same way. So where finite parts are finitely many, a walk comes back to one of them, however
//! long the loop is; and what the loop leaves in the queue nobody has taken. One state on the way is kept, later and later ones
//! (Brent's algorithm), and every new state is compared with it: a loop of thousands of steps needs no more room than its steps.

use super::walk::{Steps, mover};
use super::{Ended, Hunt, Origin};
use model::network::Action;
use model::semantics::Step;
use model::verdict::{Progress, Reason};
use rustc_hash::FxHashMap;

/// The work that walks of one turn may take: a unit is a step, and so many bytes of a state that it copies.
const BYTES: usize = 1024;
/// The most that a single walk may take.
const MOST_WORK: u64 = 1 << 19;
/// So many loops are tried that begin in the same state.
const MOST_TRIED: usize = 3;

/// How a walk prefers some steps to others, always in the same way.
struct Order {
    queue: usize,
    /// The edges of a process have their turns, too; otherwise the first one that can be taken is.
    every_edge: bool,
    /// Per process of a state with so many: whether it may receive from the queue.
    receives: Vec<bool>,
    /// When each process, and each of its steps, was chosen last.
    processes: FxHashMap<u32, u64>,
    steps: FxHashMap<Step, u64>,
    chosen: u64,
}

impl Order {
    fn choose(&mut self, steps: &Steps) -> Option<usize> {
        let rank = |step: Step| {
            let process = mover(step).unwrap_or(u32::MAX);
            let waits = self.receives.get(process as usize).copied().unwrap_or(false);
            let last = self.steps.get(&step).filter(|_| self.every_edge).copied();
            (waits, self.processes.get(&process).copied(), last)
        };
        let (index, (step, ..)) = steps.all.iter().enumerate().min_by_key(|(_, (step, ..))| rank(*step))?;
        self.chosen += 1;
        self.processes.insert(mover(*step).unwrap_or(u32::MAX), self.chosen);
        self.steps.insert(*step, self.chosen);
        Some(index)
    }
}

/// A state on the way that later ones are compared with.
struct Milestone {
    state: Vec<u8>,
    control: Option<u32>,
    /// The number of steps to it.
    at: usize,
    /// Loops from it that were tried.
    tried: usize,
}

impl Hunt<'_> {
    /// Walks that fill each queue that is still of interest, with so much work in all.
    pub(super) fn fillings(&mut self, origin: &Origin, turn: u32, work: u64) -> Ended {
        let count = self.names.values().map(Vec::len).max().unwrap_or(0);
        let mut left = work;
        for number in 0..2 * count {
            // Where there is work for some only, each turn begins with others.
            let (queue, every_edge) = ((number / 2 + turn as usize) % count, number % 2 == 0);
            let most = left.min(MOST_WORK);
            if most == 0 || !self.is_wanted(queue) {
                continue;
            }
            match self.filling(origin, queue, every_edge, most) {
                Ok(done) => left -= done.min(left),
                Err(ended) => return ended,
            }
        }
        Ended::Enough
    }

    /// Whether a queue with this number is of a channel that was asked for, and not shown to grow yet.
    fn is_wanted(&self, queue: usize) -> bool {
        let asked = |name: &String| self.options.channels.is_empty() || self.options.channels.contains(name);
        let mut names = self.names.values().filter_map(|names| names.get(queue)?.as_ref());
        names.any(|name| asked(name) && !self.shown.contains(name))
    }

    /// One walk; the work that it took.
    fn filling(&mut self, origin: &Origin, queue: usize, every_edge: bool, most: u64) -> Result<u64, Ended> {
        let (processes, edges) = (FxHashMap::default(), FxHashMap::default());
        let mut order = Order { queue, every_edge, receives: Vec::new(), processes, steps: edges, chosen: 0 };
        let (mut state, mut control, mut work) = (origin.state.clone(), None, 0);
        let (mut way, mut steps) = (Vec::new(), Steps::default());
        let mut milestone = Milestone { state: state.clone(), control: None, at: 0, tried: 0 };
        while work < most {
            work += (1 + state.len() / BYTES) as u64;
            self.searched += 1;
            control = match self.steps(&state, control, &mut steps) {
                Ok(holder) => holder,
                Err(Reason::Limit(_)) => break,
                Err(reason) => return Err(Ended::Stopped(reason)),
            };
            let later = way.len() > milestone.at && milestone.control == control;
            if later && milestone.state == state {
                break;
            }
            if later
                && milestone.tried < MOST_TRIED
                && let Some(grown) = self.parts.grown(&milestone.state, &state, &origin.reservoirs)
                && self.is_news(&state, &grown)
                && self.may_verify()
            {
                milestone.tried += 1;
                self.try_loop(origin, &way[..milestone.at], &way[milestone.at..]);
                if self.all_shown() {
                    return Err(Ended::Shown);
                }
            }
            if way.len().is_power_of_two() {
                milestone = Milestone { state: state.clone(), control, at: way.len(), tried: 0 };
            }
            self.find_receivers(&state, &mut order);
            let Some(index) = order.choose(&steps) else { break };
            let (step, holder, next) = steps.all.swap_remove(index);
            way.push(step);
            (state, control) = (next, holder);
            let progress = || Progress { engine: crate::ENGINE, depth: way.len() as u64, ..Progress::default() };
            if let Some(reason) = self.clock.tick(0, progress) {
                return Err(Ended::Stopped(reason));
            }
        }
        Ok(work)
    }

    /// Which processes may receive from the queue, where there are more or fewer than before.
    fn find_receivers(&mut self, state: &[u8], order: &mut Order) {
        let stepper = &mut self.stepper;
        stepper.load(state);
        if stepper.loaded_processes() == order.receives.len() {
            return;
        }
        let places: Vec<_> = stepper.loaded_places().collect();
        let network = self.semantics.network();
        let receives = |(process, (machine, _)): (usize, &(model::ids::MachineId, _))| {
            let mut found = false;
            let mut look = |action: &Action| {
                if let Action::Receive { channel, .. } = action {
                    found |= stepper.loaded_value(process, channel) == Some(order.queue as i32 + 1);
                }
            };
            for edge in &network.machine(*machine).edges {
                match &edge.action {
                    Action::Deterministic(step) => {
                        step.nodes.iter().flatten().for_each(|choice| look(&choice.action));
                    }
                    action => look(action),
                }
            }
            found
        };
        order.receives = places.iter().enumerate().map(receives).collect();
    }
}

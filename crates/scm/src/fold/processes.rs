//! Which processes there are: those from the start, and those that one process creates before all else.
//!
//! The usual Promela model has an `init` that creates the others, in a line or in a counted loop. It is run here, as
//! long as a creation can still follow, and must have exactly one way to go and use no channel. Processes that are
//! there earlier than they were created change nothing that can be reached, for no process can stop `init` from getting
//! that far; and no process waits for them. What can tell the difference is refused: numbers of processes, and global
//! variables that are set on the way, unless no other process can move meanwhile.

use super::sharing::reachable_edges;
use super::step::{Label, Offer, Sent, Walker};
use super::values::{Seer, Store, Trouble};
use super::{Limits, Process};
use crate::print::NotExpressible;
use model::expr::{Expr, Place, Scope};
use model::ids::{ChannelTypeId, EdgeId, LocationId, MachineId};
use model::network::{Action, Edge, Initial, Machine, Network, Variable};
use model::semantics::Step;
use model::source::Span;

/// The processes once they all are there.
pub(super) struct Start {
    pub(super) processes: Vec<Process>,
    pub(super) globals: Vec<i32>,
    /// The kinds of the queues.
    pub(super) queues: Vec<ChannelTypeId>,
    /// The names of the queues, and where they are declared.
    pub(super) queue_names: Vec<(String, Span)>,
    pub(super) prologue: Vec<Step>,
    /// Steps of the prologue during which others may have moved: the creator, and its edge.
    pub(super) exposed: Vec<(usize, EdgeId)>,
    /// Where the creator keeps control, and uses a channel before it gives it up.
    pub(super) in_control: Option<Span>,
}

/// Finds the processes of a network.
pub(super) fn start(network: &Network, limits: &Limits) -> Result<Start, NotExpressible> {
    if network.uses_priorities {
        return NotExpressible::new(Span::NONE, "priorities depend on what other processes can do");
    }
    let mut start = Start {
        processes: Vec::new(),
        globals: global_values(network)?,
        queues: Vec::new(),
        queue_names: Vec::new(),
        prologue: Vec::new(),
        exposed: Vec::new(),
        in_control: None,
    };
    start.add_queues(&network.variables, "");
    for instance in &network.instances {
        start.create(network, instance.machine, &[], network.machine(instance.machine).span)?;
    }
    let creators: Vec<(usize, Span)> = creators(network, &start.processes).collect();
    match creators.as_slice() {
        [] => {}
        [(creator, _)] => Prologue::new(network, &mut start, *creator).run(limits)?,
        [_, (_, span), ..] => return NotExpressible::new(*span, "processes are created by more than one process"),
    }
    if start.processes.is_empty() {
        return NotExpressible::new(Span::NONE, "there is no process");
    }
    Ok(start)
}

fn global_values(network: &Network) -> Result<Vec<i32>, NotExpressible> {
    let span = network.variables.first().map_or(Span::NONE, |variable| variable.span);
    let seer = Seer { network, machine: MachineId(0), process: 0, created: 0, span };
    let mut store = Store { globals: vec![0; size(&network.variables)], locals: Vec::new() };
    settle(seer.initialise(Scope::Global, 0, 0, &mut store), span)?;
    Ok(store.globals)
}

fn size(variables: &[Variable]) -> usize {
    variables.iter().map(Variable::len).sum()
}

fn settle<T>(value: Result<T, Trouble>, span: Span) -> Result<T, NotExpressible> {
    value.or_else(|trouble| match trouble {
        Trouble::Refused(reason) => Err(reason),
        Trouble::Fault => NotExpressible::new(span, "an error at run time, before the processes are there"),
    })
}

/// Processes that may create others, with where they do.
fn creators<'a>(network: &'a Network, processes: &'a [Process]) -> impl Iterator<Item = (usize, Span)> + 'a {
    processes.iter().enumerate().filter_map(|(index, process)| {
        let machine = network.machine(process.machine);
        let run = reachable_edges(machine, process.start).find(|edge| is_run(edge))?;
        Some((index, run.span))
    })
}

fn is_run(edge: &Edge) -> bool {
    matches!(edge.action, Action::Run { .. })
}

impl Start {
    /// Adds the queues that variables bring along.
    fn add_queues(&mut self, variables: &[Variable], prefix: &str) {
        for variable in variables {
            if let Initial::NewChannel(kind) = variable.initial {
                for element in 0..variable.len() {
                    self.queues.push(kind);
                    self.queue_names.push((format!("{prefix}{}", variable.element_name(element)), variable.span));
                }
            }
        }
    }

    /// Adds a process and returns its number.
    fn create(
        &mut self,
        network: &Network,
        machine: MachineId,
        arguments: &[i32],
        span: Span,
    ) -> Result<u32, NotExpressible> {
        let number = self.processes.len() as u32;
        let declared = network.machine(machine);
        check(declared, number)?;
        let mut store = Store { globals: self.globals.clone(), locals: vec![0; size(&declared.variables)] };
        for ((value, variable), &argument) in store.locals.iter_mut().zip(&declared.variables).zip(arguments) {
            *value = variable.ty.truncate(argument);
        }
        let seer = Seer { network, machine, process: number, created: 0, span };
        let queues = i32::try_from(self.queues.len()).unwrap_or(i32::MAX);
        settle(seer.initialise(Scope::Local, declared.parameters, queues, &mut store), span)?;
        self.add_queues(&declared.variables, &format!("{}[{number}]:", declared.name));
        self.processes.push(Process { number, machine, start: declared.initial, locals: store.locals });
        Ok(number)
    }
}

/// Whether a process of this number can be folded. Its own channels live as long as it does, and the oldest process
/// outlives all others.
fn check(machine: &Machine, number: u32) -> Result<(), NotExpressible> {
    if machine.provided.is_some() {
        let why = format!("`{}` moves only while a condition holds (`provided`)", machine.name);
        return NotExpressible::new(machine.span, why);
    }
    let own = machine.variables.iter().find(|variable| matches!(variable.initial, Initial::NewChannel(_)));
    let ends = || reachable_edges(machine, machine.initial).any(|edge| matches!(edge.action, Action::End));
    match own {
        Some(variable) if number > 0 && ends() => {
            let why = format!("the channel `{}` comes and goes with its process; declare it outside", variable.name);
            NotExpressible::new(variable.span, why)
        }
        _ => Ok(()),
    }
}

/// What the creator does up to its last creation.
struct Prologue<'n, 's> {
    network: &'n Network,
    start: &'s mut Start,
    creator: usize,
    /// No other process can have moved so far.
    exclusive: bool,
    /// No other process can move next, as long as the creator can.
    in_control: bool,
}

impl<'n, 's> Prologue<'n, 's> {
    fn new(network: &'n Network, start: &'s mut Start, creator: usize) -> Self {
        let exclusive = start.processes.len() == 1;
        Prologue { network, start, creator, exclusive, in_control: false }
    }

    fn run(&mut self, limits: &Limits) -> Result<(), NotExpressible> {
        let creating = self.creating();
        let mut steps = 0;
        while creating[self.location().index()] || self.goes_on()? {
            steps += 1;
            if steps > limits.steps.min(100_000) {
                return NotExpressible::new(self.run_span(), "it is not known how many processes are created");
            }
            self.step()?;
        }
        if !self.start.exposed.is_empty() && self.uses_numbers() {
            return NotExpressible::new(self.run_span(), "numbers of processes (`_pid`) depend on who ends before");
        }
        Ok(())
    }

    /// Whether the creator, with control, has just one way to go, and uses no channel on it.
    fn goes_on(&mut self) -> Result<bool, NotExpressible> {
        if !self.in_control {
            return Ok(false);
        }
        let offer = self.offer()?;
        let uses = offer.outcomes.iter().any(|outcome| outcome.label != Label::Internal || outcome.fault.is_some());
        let goes_on = offer.outcomes.len() == 1 && offer.awaited.is_empty() && !uses;
        let blocked = offer.outcomes.is_empty() && offer.awaited.is_empty();
        if !goes_on && !blocked {
            let edges = &self.machine().locations[self.location().index()].edges;
            self.start.in_control = edges.first().map(|edge| self.machine().edges[edge.index()].span);
        }
        Ok(goes_on)
    }

    fn offer(&self) -> Result<Offer, NotExpressible> {
        let sent = Sent::new(self.start.queues.len());
        let walker = Walker { seer: self.seer(self.run_span()), queues: &self.start.queues, sent: &sent };
        walker.offer(self.location(), &self.store())
    }

    fn location(&self) -> LocationId {
        self.start.processes[self.creator].start
    }

    fn machine(&self) -> &Machine {
        self.network.machine(self.start.processes[self.creator].machine)
    }

    fn run_span(&self) -> Span {
        self.machine().edges.iter().find(|edge| is_run(edge)).map_or(Span::NONE, |edge| edge.span)
    }

    /// Per location: whether a creation can follow.
    fn creating(&self) -> Vec<bool> {
        let machine = self.machine();
        let mut creating = vec![false; machine.locations.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for edge in &machine.edges {
                if !creating[edge.from.index()] && (is_run(edge) || creating[edge.to.index()]) {
                    creating[edge.from.index()] = true;
                    changed = true;
                }
            }
        }
        creating
    }

    fn uses_numbers(&self) -> bool {
        let machines = self.start.processes.iter().map(|process| self.network.machine(process.machine));
        let mut found = false;
        for machine in machines {
            machine.edges.iter().for_each(|edge| edge.action.walk(&mut |e| found |= matches!(e, Expr::Pid)));
        }
        found
    }

    /// Takes the one step that there is.
    fn step(&mut self) -> Result<(), NotExpressible> {
        let location = self.location();
        let network = self.network;
        let machine = network.machine(self.start.processes[self.creator].machine);
        let runs: Vec<EdgeId> = machine.locations[location.index()]
            .edges
            .iter()
            .copied()
            .filter(|e| is_run(&machine.edges[e.index()]))
            .collect();
        match (runs.as_slice(), machine.locations[location.index()].edges.len()) {
            ([run], 1) => self.create(*run, &machine.edges[run.index()]),
            ([run, ..], _) => {
                NotExpressible::new(machine.edges[run.index()].span, "whether this process is created is open")
            }
            ([], _) => self.prepare(),
        }
    }

    fn seer(&self, span: Span) -> Seer<'_> {
        let process = &self.start.processes[self.creator];
        Seer { network: self.network, machine: process.machine, process: process.number, created: 0, span }
    }

    fn store(&self) -> Store {
        Store { globals: self.start.globals.clone(), locals: self.start.processes[self.creator].locals.clone() }
    }

    /// A step between creations: one way to go, and no channel.
    fn prepare(&mut self) -> Result<(), NotExpressible> {
        let mut offer = self.offer()?;
        let only = offer.outcomes.pop().filter(|outcome| {
            offer.outcomes.is_empty()
                && offer.awaited.is_empty()
                && outcome.label == Label::Internal
                && outcome.fault.is_none()
        });
        let Some(only) = only else {
            return NotExpressible::new(self.run_span(), "this process is created in the course of the run");
        };
        let edge = only.edges.first().copied().unwrap_or(EdgeId(0));
        if !self.exclusive && only.store.globals != self.start.globals {
            let span = self.machine().edges[edge.index()].span;
            return NotExpressible::new(span, "a shared variable is set while other processes may be running");
        }
        self.start.globals = only.store.globals;
        self.start.processes[self.creator].locals = only.store.locals;
        self.moved(edge, only.to, only.atomic);
        Ok(())
    }

    fn create(&mut self, id: EdgeId, edge: &Edge) -> Result<(), NotExpressible> {
        let Action::Run { machine, arguments, then, .. } = &edge.action else { return Ok(()) };
        let created = self.network.machine(*machine);
        if let Some(run) = reachable_edges(created, created.initial).find(|edge| is_run(edge)) {
            return NotExpressible::new(run.span, "a process that was created creates others");
        }
        let mut store = self.store();
        let seer = self.seer(edge.span);
        let values: Result<Vec<i32>, Trouble> = arguments.iter().map(|e| seer.eval(e, &store)).collect();
        let values = settle(values, edge.span)?;
        let number = self.start.create(self.network, *machine, &values, edge.span)?;
        if let Some((place, e)) = then {
            self.keep_number(place, e, number, edge.span, &mut store)?;
        }
        self.moved(id, edge.to, edge.atomic);
        Ok(())
    }

    fn keep_number(
        &mut self,
        place: &Place,
        e: &Expr,
        number: u32,
        span: Span,
        store: &mut Store,
    ) -> Result<(), NotExpressible> {
        if place.scope == Scope::Global {
            return NotExpressible::new(span, "the number of a process is kept in a shared variable");
        }
        let seer = Seer { created: number as i32, ..self.seer(span) };
        let value = settle(seer.eval(e, store), span)?;
        settle(seer.assign(place, value, store), span)?;
        self.start.processes[self.creator].locals.clone_from(&store.locals);
        Ok(())
    }

    fn moved(&mut self, edge: EdgeId, to: LocationId, atomic: bool) {
        let process = &mut self.start.processes[self.creator];
        process.start = to;
        self.start.prologue.push(Step::Edge { process: process.number, edge });
        // As long as it is alone no process can come in between; after that it must keep control.
        if !self.exclusive {
            self.start.exposed.push((self.creator, edge));
        }
        self.in_control = atomic;
        self.exclusive &= self.start.processes.len() == 1 || atomic;
    }
}

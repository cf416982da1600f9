//! Claims: automata that watch a run, step by step.
//!
//! A [`Claim`] is a Büchi automaton over the atoms of [`crate::formula`]: at each position of a run it takes an edge whose
//! guard is true there. It stands for what must *not* happen: a run that it can follow forever, through accepting
//! states again and again, is a counterexample, and so is one on which it comes to its end. A `never` claim is one as it
//! is written ([`Claim::of_machine`]); a formula becomes one by translation of its negation, elsewhere.
//!
//! As in SPIN, the claim moves first: in the state `s` with the claim at `q`, an edge of `q` that is true in `s`
//! (and of what happens on the way to `s'`) leads to the claim's next state at `s'`. States in the middle of an
//! atomic sequence are not seen. An atomic sequence of the claim itself looks at one state only.

use crate::code::{Code, Compiler};
use crate::evaluate::{CLAIM, View};
use crate::event::Event;
use crate::expr::Expr;
use crate::fault::FaultAt;
use crate::formula::Atom;
use crate::ids::{LocationId, MachineId};
use crate::network::{Action, Edge, Machine};
use crate::semantics::{Exchange, Semantics, Step, Stepper, Successor};
use crate::source::Span;

/// A set of atoms, a bit for each.
pub type AtomSet = u128;

/// No more different atoms than bits.
pub const MOST_ATOMS: usize = AtomSet::BITS as usize;

/// An automaton over atoms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// What its guards speak of.
    pub atoms: Vec<Atom>,
    /// Its states.
    pub states: Vec<ClaimState>,
    /// Where it starts.
    pub initial: u32,
}

/// A state of a claim.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClaimState {
    /// Being here again and again is accepting.
    pub accepting: bool,
    /// Its edges.
    pub edges: Vec<ClaimEdge>,
    /// What it means, for people: a label, or what is still to come.
    pub words: String,
}

/// An edge of a claim: a conjunction of atoms, some of them negated.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClaimEdge {
    /// Atoms that must hold.
    pub holds: AtomSet,
    /// Atoms that must not.
    pub fails: AtomSet,
    /// The next state; `None` at the end of the claim, and then the run so far is a counterexample.
    pub to: Option<u32>,
    /// The claim's own assertion that fails, if one does.
    pub assertion: Option<Span>,
}

/// Why something cannot be watched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unwatchable {
    /// Where.
    pub span: Span,
    /// Why.
    pub why: String,
}

impl ClaimEdge {
    /// Whether the guard is true where exactly these atoms hold.
    pub fn is_open(&self, atoms: AtomSet) -> bool {
        self.holds & !atoms == 0 && self.fails & atoms == 0
    }
}

impl Claim {
    /// The atoms that are events.
    pub fn events(&self) -> AtomSet {
        let is_event = |(_, atom): &(usize, &Atom)| matches!(atom, Atom::Event(_));
        self.atoms.iter().enumerate().filter(is_event).fold(0, |set, (index, _)| set | 1 << index)
    }

    /// Whether it accepts everything that may come after this state.
    pub fn accepts_all_from(&self, state: u32) -> bool {
        let stays = |edge: &ClaimEdge| edge.holds | edge.fails == 0 && edge.to == Some(state);
        let state = self.states.get(state as usize);
        state.is_some_and(|state| state.accepting && state.edges.iter().any(stays))
    }

    /// A `never` claim as it is written.
    pub fn of_machine(machine: &Machine) -> Result<Claim, Unwatchable> {
        if let Some(variable) = machine.variables.first() {
            let why = String::from("a claim with variables of its own");
            return Err(Unwatchable { span: variable.span, why });
        }
        let mut reading =
            Reading { machine, claim: Claim { atoms: Vec::new(), states: Vec::new(), initial: machine.initial.0 } };
        let mut seen = vec![false; machine.locations.len()];
        let mut work = vec![machine.initial];
        reading.claim.states.resize(machine.locations.len(), ClaimState::default());
        while let Some(location) = work.pop().filter(|l| l.index() < seen.len()) {
            if std::mem::replace(&mut seen[location.index()], true) {
                continue;
            }
            let state = reading.state(location)?;
            work.extend(state.edges.iter().filter_map(|edge| edge.to).map(LocationId));
            reading.claim.states[location.index()] = state;
        }
        Ok(reading.claim)
    }
}

// --- a never claim ------------------------------------------------------------------------------------

/// Reads a `never` claim: location *n* becomes state *n*.
struct Reading<'m> {
    machine: &'m Machine,
    claim: Claim,
}

impl Reading<'_> {
    fn state(&mut self, location: LocationId) -> Result<ClaimState, Unwatchable> {
        let mut edges = Vec::new();
        self.follow(location, ClaimEdge::default(), &mut Vec::new(), &mut edges)?;
        let location = &self.machine.locations[location.index()];
        Ok(ClaimState { accepting: location.accept, edges, words: location.labels.join(", ") })
    }

    /// The edges of a location, after what was true on the way through an atomic sequence.
    fn follow(
        &mut self,
        location: LocationId,
        so_far: ClaimEdge,
        passed: &mut Vec<LocationId>,
        edges: &mut Vec<ClaimEdge>,
    ) -> Result<(), Unwatchable> {
        if passed.contains(&location) {
            return Ok(());
        }
        passed.push(location);
        let machine = self.machine;
        for edge in machine.edges_from(location) {
            for mut next in self.guarded(location, edge, &so_far)? {
                if edge.atomic && next.to.is_some() && next.assertion.is_none() {
                    self.follow(edge.to, next, passed, edges)?;
                } else if next.holds & next.fails == 0 {
                    let ends = machine.edges_from(edge.to).all(|e| matches!(e.action, Action::End));
                    next.to = next.to.filter(|_| !ends);
                    edges.push(next);
                }
            }
        }
        passed.pop();
        Ok(())
    }

    /// What is true when an edge is taken: one possibility, two for an assertion, none if it can never be taken.
    fn guarded(
        &mut self,
        location: LocationId,
        edge: &Edge,
        so_far: &ClaimEdge,
    ) -> Result<Vec<ClaimEdge>, Unwatchable> {
        let mut next = ClaimEdge { to: Some(edge.to.0), ..so_far.clone() };
        let refuse = |what: &str| Err(Unwatchable { span: edge.span, why: format!("a claim with {what}") });
        match &edge.action {
            Action::Skip | Action::Print { .. } => {}
            Action::Condition(e) => match e.constant() {
                Some(0) => return Ok(Vec::new()),
                Some(_) => {}
                None => next.holds |= self.atom(e, edge.span)?,
            },
            Action::Assert(e) => {
                let atom = match e.constant() {
                    Some(0) => return Ok(vec![ClaimEdge { to: None, assertion: Some(edge.span), ..next }]),
                    Some(_) => return Ok(vec![next]),
                    None => self.atom(e, edge.span)?,
                };
                let failed =
                    ClaimEdge { fails: next.fails | atom, to: None, assertion: Some(edge.span), ..next.clone() };
                next.holds |= atom;
                return Ok(vec![next, failed]);
            }
            Action::Else => {
                for other in self.machine.edges_from(location) {
                    match &other.action {
                        Action::Else => {}
                        Action::Condition(e) => match e.constant() {
                            Some(0) => {}
                            Some(_) => return Ok(Vec::new()),
                            None => next.fails |= self.atom(e, other.span)?,
                        },
                        _ => return Ok(Vec::new()),
                    }
                }
            }
            Action::End => return Ok(Vec::new()),
            Action::Deterministic(_) => return refuse("`d_step`"),
            _ => return refuse("statements that do something"),
        }
        if edge.escape != 0 {
            return refuse("`unless`");
        }
        Ok(vec![next])
    }

    /// The bit of a condition.
    fn atom(&mut self, e: &Expr, span: Span) -> Result<AtomSet, Unwatchable> {
        let atom = Atom::State(e.clone().without_places());
        let known = self.claim.atoms.iter().position(|a| *a == atom);
        let index = known.unwrap_or(self.claim.atoms.len());
        if index >= MOST_ATOMS {
            return Err(Unwatchable { span, why: format!("a claim with more than {MOST_ATOMS} different conditions") });
        }
        if known.is_none() {
            self.claim.atoms.push(atom);
        }
        Ok(1 << index)
    }
}

// --- watching -----------------------------------------------------------------------------------------

/// Atoms made ready to be asked.
#[derive(Debug)]
pub struct Watcher<'s> {
    semantics: &'s Semantics<'s>,
    /// The code of a state atom; none for an event.
    states: Vec<Option<Code>>,
    /// The bit, the event, and its queue if it is a message.
    events: Vec<(AtomSet, Event, Option<u32>)>,
}

impl<'s> Watcher<'s> {
    /// Watches atoms in the runs of a model.
    pub fn new(semantics: &'s Semantics<'s>, atoms: &[Atom]) -> Self {
        let compiler = Compiler { network: semantics.network, layout: &semantics.layout, machine: MachineId(0) };
        let (mut states, mut events) = (Vec::new(), Vec::new());
        for (index, atom) in atoms.iter().enumerate() {
            match atom {
                Atom::State(e) => states.push(Some(compiler.expr(e))),
                Atom::Event(event) => {
                    states.push(None);
                    events.push((1 << index, event.clone(), queue_of(semantics, event)));
                }
            }
        }
        Watcher { semantics, states, events }
    }

    /// Whether some atom is an event: then the stepper has to listen.
    pub fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// The state atoms among `wanted` that hold in a state; `stuck` if nothing can move there. An error if a value is not
    /// defined.
    pub fn in_state(
        &self,
        stepper: &mut Stepper<'_>,
        state: &[u8],
        wanted: AtomSet,
        stuck: bool,
    ) -> Result<AtomSet, FaultAt> {
        let configuration = stepper.configuration(state);
        let view = View {
            semantics: self.semantics,
            state: configuration,
            process: 0,
            base: 0,
            timeout: stuck,
            asked: CLAIM,
            run_result: 0,
        };
        let mut set = 0;
        for (index, code) in self.states.iter().enumerate().filter(|(index, _)| wanted >> index & 1 == 1) {
            let Some(code) = code else { continue };
            if view.holds(code).map_err(|fault| FaultAt { fault: *fault, span: Span::NONE })? {
                set |= 1 << index;
            }
        }
        Ok(set)
    }

    /// The events that happen in a step that is taken in a state.
    pub fn in_step(&self, stepper: &mut Stepper<'_>, state: &[u8], successor: &Successor<'_>) -> AtomSet {
        let mut set = 0;
        for (bit, event, queue) in &self.events {
            let happens = match event {
                Event::Message { sent, fields, .. } => {
                    successor.exchanges.iter().any(|exchange| fits(exchange, *queue, *sent, fields))
                }
                Event::Reaches { machine, locations } => {
                    halves(successor.step).into_iter().flatten().any(|(process, edge)| {
                        let id = stepper.machine_of(state, process);
                        let to = id.map(|id| self.semantics.network.machine(id).edges[edge.index()].to);
                        id == Some(*machine) && to.is_some_and(|to| locations.contains(&to))
                    })
                }
            };
            if happens {
                set |= bit;
            }
        }
        set
    }
}

fn fits(exchange: &Exchange, queue: Option<u32>, sent: bool, fields: &[Option<i32>]) -> bool {
    let same = |(wanted, value): (&Option<i32>, &i32)| wanted.is_none() || wanted.as_ref() == Some(value);
    Some(exchange.queue) == queue
        && exchange.sent == sent
        && fields.len() <= exchange.fields.len()
        && fields.iter().zip(&exchange.fields).all(same)
}

/// The digest of a product state, given that of the state of the model.
pub fn product_digest(state: u128, claim: u32) -> u128 {
    let mut bytes = [0; 20];
    bytes[..16].copy_from_slice(&state.to_le_bytes());
    bytes[16..].copy_from_slice(&claim.to_le_bytes());
    crate::digest::digest(&bytes)
}

/// The processes that take part in a step, with their edges.
pub fn halves(step: Step) -> [Option<(u32, crate::ids::EdgeId)>; 2] {
    match step {
        Step::Edge { process, edge } => [Some((process, edge)), None],
        Step::Rendezvous { sender, receiver } => [Some(sender), Some(receiver)],
        Step::Loss { .. } => [None, None],
    }
}

/// The number of the global queue that an event names.
fn queue_of(semantics: &Semantics<'_>, event: &Event) -> Option<u32> {
    let Event::Message { channel, .. } = event else { return None };
    let variables = &semantics.network.variables;
    let named =
        |own: &crate::layout::OwnQueue| variables[own.variable as usize].element_name(own.element as usize) == *channel;
    semantics.layout.globals.queues.iter().position(named).map(|index| index as u32)
}

//! What a component can do, step by step: its control-flow graph with the specification put in.
//!
//! A [`Step`] has a guard over the variables and some inputs, an update, and the event that others see; [`TAU`] if they
//! see none. Events are the calls of routines. A routine that the specification describes by structures is put in place:
//! the call is a silent step into the structure whose guard holds, each of its actions is a step of the component, and
//! `return {c}` is a silent step out of it, which gives the result a value for which `c` holds. A call that no guard covers
//! is an error. A return of the procedure leads to an end, and so do `exit` and `abort`, which end their component only.
//!
//! # Why deadlock can be read off the graph
//!
//! The abstraction of section 8 of the paper must not lose refusals. Here they are exact by construction: whether a state
//! is ready for an *event* depends on its node alone, because calls and actions of structures have no guard. Guards are on
//! silent steps only. A concrete state whose node has a silent step with a guard that holds can move by itself; so it is
//! enough that no concrete state waits at a node where the abstraction shows a silent step and the program has none. At a
//! branch one of the conditions holds, always. Where that is not so (an assumption of the author), the graph gets a silent
//! step to a *blocked* node under the opposite condition. A run that fails an assumption is no run of the program, so it
//! must not be called a deadlock whatever the others do: the blocked node has a silent step to itself. A return whose condition speaks of
//! arguments could be impossible as well: deadlock is not asked of such specifications, unless the condition defines the
//! result, as in `$0 == $1 + 1`.
//!
//! An access to a shared variable is a step with an event, one for each class of values, with a guard that says to which
//! class the value belongs. This is the one guard on events, and it does no harm to refusals: the part that holds the
//! variable is always ready for a store of any class, and for a load of the class that it is in, so a component that waits
//! for an access is never stuck, neither here nor in the abstraction. Where two parts are at accesses to one variable and one
//! of them is a store, both have a step into a *race*. It is enough to look for accesses next to each other: a run in
//! which two such accesses are not ordered by events can be reordered, up to the first such pair, until they are neighbours.
//!
//! The first assignments of globals happen before the first state. A variable that is not declared yet counts as 0.
//!
//! Guards and updates are expressions of C, as they are in the program. An input is a variable of its own, with a number
//! behind those of the component.

mod build;

pub(crate) use build::{Accessed, Source, build};

use crate::expression::Expression;
use cfront::program::{EdgeId, LocationId, VariableId};
use cfront::term::{TermId, Terms};
use model::ids::EventId;
use model::source::Span;
use model::structure::Ending;
#[cfg(doc)]
use model::structure::TAU;
use std::collections::HashSet;

/// What a routine does, for the others.
#[derive(Clone, Debug)]
pub enum Behaviour {
    /// The call is an event; the result can be anything.
    Event(EventId),
    /// Under a guard over the arguments, it does what a structure does.
    Structures(Vec<(Expression, RoutineStructure)>),
}

/// A structure in place of a routine.
#[derive(Clone, Debug)]
pub struct RoutineStructure {
    /// Its name in the specification.
    pub name: String,
    /// Where it begins.
    pub initial: u32,
    /// Its states.
    pub states: Vec<RoutineState>,
    /// The conditions of the returns in its alphabet, whether it can do them or not.
    pub returns: Vec<Expression>,
}

/// A state of such a structure.
#[derive(Clone, Debug, Default)]
pub struct RoutineState {
    /// Its steps.
    pub moves: Vec<(Action, u32)>,
    /// Whether something is wrong here.
    pub error: bool,
}

/// What a step of such a structure is.
#[derive(Clone, Debug)]
pub enum Action {
    /// An event, or [`TAU`].
    Event(EventId),
    /// The routine returns, and this holds.
    Return(Expression),
}

/// Returns of a procedure, or of a routine that it calls, as events: one for each combination of these conditions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Returns {
    /// The part.
    pub(crate) part: String,
    /// The routine; if there is none, the procedure itself returns.
    pub(crate) routine: Option<String>,
    pub(crate) conditions: Vec<Expression>,
    /// By the truth of the conditions as bits.
    pub(crate) events: Vec<EventId>,
}

/// In place of a structure: the event of the call has happened, and the routine returns.
pub const RETURNING: u32 = u32::MAX;

/// Where a component can be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// At a location of its graph.
    Location(LocationId),
    /// In a call, in a state of a structure.
    Inside {
        /// The call.
        call: EdgeId,
        /// Which of the routine's structures; [`RETURNING`] if it has none and its event has happened.
        structure: u32,
        /// Which state.
        state: u32,
    },
    /// At an assumption that does not hold.
    Blocked(LocationId),
    /// It has returned or stopped.
    Done,
    /// Something is wrong: at this edge.
    Wrong(EdgeId),
    /// At an access to a shared variable, while another part is at one, too, and one of the two is a store.
    Racing(EdgeId),
}

impl Place {
    /// How a run ends here, if it does. Where errors are ends like others, that is quiet.
    pub fn ending(self, quiet: bool) -> Ending {
        match self {
            Place::Done => Ending::Done,
            Place::Wrong(_) if quiet => Ending::Done,
            Place::Wrong(_) | Place::Racing(_) => Ending::Error,
            _ => Ending::None,
        }
    }
}

/// A node of the graph.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where the component is.
    pub place: Place,
    /// The steps from here.
    pub leaving: Vec<u32>,
    /// The text.
    pub span: Span,
}

/// A step from one node to another. Its expressions are `T`s.
#[derive(Clone, Debug)]
pub struct Step<T = TermId> {
    /// From this node.
    pub source: u32,
    /// To this one.
    pub target: u32,
    /// Told apart from other steps with the same nodes and event by this number.
    pub via: u32,
    /// What the others see.
    pub event: EventId,
    /// When it is possible, over variables and inputs.
    pub guard: T,
    /// New values, over variables and inputs.
    pub update: Vec<(VariableId, T)>,
    /// What is left open: the inputs that the interpreter asks for, in its order.
    pub inputs: Vec<(VariableId, T)>,
    /// All inputs, those that the interpreter does not ask for included.
    pub open: Vec<T>,
    /// The edge of the program that is executed, if one is.
    pub edge: Option<EdgeId>,
    /// The shared variable that it accesses, if it does.
    pub access: Option<Access>,
    /// Its number in the graph in which the values of shared variables have one class only.
    pub plain: u32,
    /// The text.
    pub span: Span,
}

/// A load or store of a shared variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// The value of a variable of the specification goes to one of the component.
    Load(usize, VariableId),
    /// The other way round.
    Store(usize, VariableId),
}

impl<T: Copy> Step<T> {
    /// The same step with other expressions.
    pub fn map<U>(&self, mut image: impl FnMut(T) -> U) -> Step<U> {
        Step {
            source: self.source,
            target: self.target,
            via: self.via,
            event: self.event,
            guard: image(self.guard),
            update: self.update.iter().map(|&(variable, value)| (variable, image(value))).collect(),
            inputs: self.inputs.iter().map(|&(variable, input)| (variable, image(input))).collect(),
            open: self.open.iter().map(|&input| image(input)).collect(),
            edge: self.edge,
            access: self.access,
            plain: self.plain,
            span: self.span,
        }
    }
}

/// A component as nodes and steps.
#[derive(Debug)]
pub struct Graph {
    /// The pool of all terms here: those of the component, and more.
    pub terms: Terms,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The steps.
    pub steps: Vec<Step>,
    /// Where it begins.
    pub start: u32,
    /// The values of the variables there, over the inputs of the beginning.
    pub first: Vec<TermId>,
    /// The inputs of the beginning, as the interpreter asks for them.
    pub first_inputs: Vec<(VariableId, TermId)>,
    /// The edges that are executed before the beginning.
    pub before: Vec<EdgeId>,
    /// The propositions that formulas ask for.
    pub propositions: Vec<TermId>,
    /// Hints of the specification.
    pub hints: Vec<TermId>,
    /// The variables on which guards and propositions depend.
    pub relevant: Vec<bool>,
    /// Errors of the component are ends like others: what is asked is only what it does.
    pub quiet: bool,
    /// The place of a return whose condition speaks of arguments.
    pub conditional_return: Option<Span>,
}

impl Graph {
    /// How a run ends at a node, if it does.
    pub fn ending(&self, node: u32) -> Ending {
        self.nodes[node as usize].place.ending(self.quiet)
    }

    /// The variables that decide what happens and what holds: those in guards and propositions, and what their values
    /// are made of.
    fn mark_relevant(&mut self) {
        let mut seen = HashSet::new();
        let roots = self.steps.iter().map(|step| step.guard).chain(self.propositions.iter().copied());
        let mut todo: Vec<VariableId> = roots.flat_map(|root| self.terms.new_variables(root, &mut seen)).collect();
        while let Some(variable) = todo.pop() {
            // An input has no place in the list.
            let Some(relevant) = self.relevant.get_mut(variable.0 as usize) else { continue };
            if std::mem::replace(relevant, true) {
                continue;
            }
            let values = self.steps.iter().flat_map(|step| &step.update).filter(|(written, _)| *written == variable);
            todo.extend(values.flat_map(|&(_, value)| self.terms.new_variables(value, &mut seen)));
        }
    }
}

//! Shared variables as parts of the program.
//!
//! A variable is a component of its own that holds the value. Its states are classes of values, neighbouring intervals
//! that begin at *cuts*; with every load by a part it tells its class, and with every store it gets into that of the new
//! value. So each access is an event of the part and the variable, one for each class. With one class there is nothing to
//! tell: accesses are silent, but for whoever follows a run, and knows the value itself.

use crate::graph::{Access, Accessed};
use crate::specification::{Procedure, SharedVariable, Specification};
use cfront::program::VariableId;
use cfront::term::Scalar;
use model::composition::{Component, Named};
use model::ids::EventId;
use model::reason::Reason;
use model::structure::{Ending, Move, StateParts, Structure, TAU};

/// More classes of the values of one variable than this are not tried.
const MOST_CUTS: usize = 500;

/// The events of all accesses.
#[derive(Clone, Debug)]
pub(crate) struct Accesses {
    variables: Vec<Layout>,
    first: u32,
}

/// The events of one variable: for each part that uses it its loads by class and its stores by class, then the races.
#[derive(Clone, Debug)]
struct Layout {
    variable: SharedVariable,
    cuts: Vec<u64>,
    first: u32,
    /// Its first event where all values are one class.
    plain: u32,
    /// Whether accesses are events.
    seen: bool,
}

impl Layout {
    fn classes(&self) -> u32 {
        self.cuts.len() as u32 + 1
    }

    fn users(&self) -> u32 {
        self.variable.users.len() as u32
    }

    /// The loads of a user, or its stores.
    fn accesses(&self, user: u32, stores: bool) -> u32 {
        self.first + (2 * user + u32::from(stores)) * self.classes()
    }

    /// A part stores while another one accesses.
    fn race(&self, writer: u32, other: u32) -> EventId {
        EventId(self.first + 2 * self.users() * self.classes() + writer * self.users() + other)
    }

    fn end(&self) -> u32 {
        self.first + 2 * self.users() * self.classes() + self.users() * self.users()
    }

    /// What the others see of a user.
    fn of(&self, number: usize, user: u32, races: bool) -> Accessed {
        let others = |event: &dyn Fn(u32) -> EventId| -> Vec<EventId> {
            (0..self.users()).filter(|&other| races && other != user).map(event).collect()
        };
        let load_races = others(&|other| self.race(other, user));
        let mut store_races = others(&|other| self.race(user, other));
        store_races.extend(&load_races);
        let event = |stores: bool| if self.seen { EventId(self.accesses(user, stores)) } else { TAU };
        Accessed {
            variable: number,
            cuts: self.cuts.clone(),
            load: event(false),
            store: event(true),
            load_races,
            store_races,
        }
    }

    /// The variable as a component.
    fn component(&self) -> Component {
        let SharedVariable { name, scalar, initial, span, .. } = &self.variable;
        let (classes, users) = (self.classes(), if self.seen { self.users() } else { 0 });
        let state = |at: u32| {
            let loads = (0..users).map(|user| Move { event: EventId(self.accesses(user, false) + at), to: at });
            let stores = (0..users).flat_map(|user| {
                (0..classes).map(move |to| Move { event: EventId(self.accesses(user, true) + to), to })
            });
            // A variable may stay as it is when all parts have ended.
            StateParts { moves: loads.chain(stores).collect(), labels: Vec::new(), ending: Ending::Done }
        };
        let first = self.cuts.iter().filter(|&&cut| value(*scalar, cut) <= value(*scalar, *initial)).count() as u32;
        let alphabet = (self.first..self.first + 2 * users * classes).map(EventId);
        Component {
            name: name.clone(),
            structure: Structure::new(alphabet, vec![first], (0..classes).map(state).collect()),
            state_names: (0..self.cuts.len() + 1).map(|class| self.class_name(class)).collect(),
            state_spans: vec![*span; self.cuts.len() + 1],
            span: *span,
        }
    }

    fn class_name(&self, class: usize) -> String {
        let SharedVariable { name, scalar, .. } = &self.variable;
        let low = class.checked_sub(1).and_then(|below| self.cuts.get(below)).map(|&cut| value(*scalar, cut));
        let high = self.cuts.get(class).map(|&cut| value(*scalar, cut) - 1);
        match (low, high) {
            (Some(low), Some(high)) if low == high => format!("{name} == {low}"),
            (Some(low), Some(high)) => format!("{low} <= {name} <= {high}"),
            (Some(low), None) => format!("{low} <= {name}"),
            (None, Some(high)) => format!("{name} <= {high}"),
            (None, None) => name.clone(),
        }
    }
}

/// Bits as a number.
fn value(scalar: Scalar, bits: u64) -> i128 {
    scalar.value(u128::from(bits))
}

impl Accesses {
    /// The events with these cuts, one list for each variable; with none, there are no variables. Where all values are one
    /// class, the order of accesses tells nothing, and they are events only if all are to be seen.
    pub(crate) fn new(specification: &Specification, cuts: &[Vec<u64>], all_seen: bool) -> Result<Accesses, Reason> {
        let malformed = |what: &str| Reason::NotSupported(format!("{what} of a shared variable"));
        if !cuts.is_empty() && cuts.len() != specification.shared.len() {
            return Err(malformed("there are not the values"));
        }
        let first = specification.events.len() as u32;
        let (mut at, mut plain, mut variables) = (first, first, Vec::new());
        for (variable, cuts) in specification.shared.iter().zip(cuts) {
            let values: Vec<i128> = cuts.iter().map(|&cut| value(variable.scalar, cut)).collect();
            let fits = cuts.iter().all(|&cut| variable.scalar.truncate(u128::from(cut)) == u128::from(cut));
            if !fits || !values.is_sorted_by(|a, b| a < b) {
                return Err(malformed("the classes are not in order"));
            }
            if cuts.len() > MOST_CUTS {
                return Err(Reason::NotProvable(format!("`{}` has too many classes of values", variable.name)));
            }
            let seen = all_seen || !cuts.is_empty();
            let layout = Layout { variable: variable.clone(), cuts: cuts.clone(), first: at, plain, seen };
            at = layout.end();
            plain += layout.users() * (2 + layout.users());
            variables.push(layout);
        }
        Ok(Accesses { variables, first })
    }

    /// The variables as components.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Component> + '_ {
        self.variables.iter().map(Layout::component)
    }

    /// What the others see of a procedure, with a number among the parts.
    pub(crate) fn of<'a>(
        &'a self,
        procedure: &'a Procedure,
        part: usize,
        races: bool,
    ) -> impl Iterator<Item = (VariableId, Accessed)> + 'a {
        procedure.shared.iter().map(move |&(variable, number)| {
            let layout = self.variables.get(number);
            let user = layout.and_then(|layout| layout.variable.users.iter().position(|&user| user == part));
            let accessed = match (layout, user) {
                (Some(layout), Some(user)) => layout.of(number, user as u32, races),
                _ => Accessed::unseen(number),
            };
            (variable, accessed)
        })
    }

    /// The events of accesses.
    pub(crate) fn seen(accessed: &Accessed) -> Vec<EventId> {
        let classes = accessed.cuts.len() as u32 + 1;
        let each = |first: EventId| (first.0..first.0 + classes).map(EventId);
        let mut seen = accessed.store_races.clone();
        if accessed.load != TAU {
            seen.extend(each(accessed.load).chain(each(accessed.store)));
        }
        seen
    }

    /// The event of an access with one class of values only.
    pub(crate) fn plain_access(&self, part: usize, access: Access) -> Option<EventId> {
        let (Access::Load(number, _) | Access::Store(number, _)) = access;
        let layout = self.variables.get(number)?;
        let user = layout.variable.users.iter().position(|&user| user == part)? as u32;
        Some(EventId(layout.plain + 2 * user + u32::from(matches!(access, Access::Store(..)))))
    }

    /// The same of a race.
    pub(crate) fn plain(&self, event: EventId) -> EventId {
        let Some(layout) = self.variables.iter().rev().find(|layout| layout.first <= event.0) else { return event };
        let (offset, accesses) = (event.0 - layout.first, 2 * layout.users() * layout.classes());
        let other = if offset < accesses { offset / layout.classes() } else { offset - accesses + 2 * layout.users() };
        EventId(layout.plain + other)
    }

    /// The names of these events.
    pub(crate) fn events(&self, specification: &Specification) -> Vec<Named> {
        let mut events = Vec::new();
        for layout in &self.variables {
            let SharedVariable { name, users, span, .. } = &layout.variable;
            let part = |user: &usize| specification.parts.get(*user).map_or("", |part| part.name());
            let mut add = |name: String| events.push(Named { name, span: *span });
            for user in users {
                for does in ["loads", "stores"] {
                    for class in 0..layout.cuts.len() + 1 {
                        let class = if layout.cuts.is_empty() { name } else { &layout.class_name(class) };
                        add(format!("{} {does} {class}", part(user)));
                    }
                }
            }
            for writer in users {
                users
                    .iter()
                    .for_each(|other| add(format!("{} stores {name} while {} uses it", part(writer), part(other))));
            }
        }
        debug_assert_eq!(
            self.first as usize + events.len(),
            self.variables.last().map_or(self.first, Layout::end) as usize
        );
        events
    }
}

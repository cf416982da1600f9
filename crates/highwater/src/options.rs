//! Which option applies to which kind of model: one table, which the book shows and `check` enforces.
//!
//! An option that would be ignored is bad usage. Whether it applies depends on the kind of model first, and for some also on
//! the channel semantics, on the engine, and on the properties that are checked.

use crate::choice::Choice;
use crate::error::Error;
use crate::model::{Model, System};
use crate::settings::{Abstraction, Channels, Engine, Method, Reduction, SearchOrder, Settings};
use model::verdict::Property;

/// The kinds of models that options and properties tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Promela.
    Promela,
    /// Communicating machines, `.scm`.
    Machines,
    /// Compositions of labelled transition systems, `.fsp` and `.aut`.
    Composition,
    /// A C program, `.c`.
    Program,
    /// C components, `.spec`.
    Components,
}

impl Kind {
    /// All kinds, in the order of the table.
    pub const ALL: [Kind; 5] = [Kind::Promela, Kind::Machines, Kind::Composition, Kind::Program, Kind::Components];

    /// The name in messages and in the book.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Promela => "Promela",
            Kind::Machines => "communicating machines (.scm)",
            Kind::Composition => "compositions (.fsp, .aut)",
            Kind::Program => "C programs (.c)",
            Kind::Components => "C components (.spec)",
        }
    }

    pub(crate) fn of(model: &Model) -> Kind {
        match &model.system {
            System::Network(network) if network.is_machines() => Kind::Machines,
            System::Network(_) => Kind::Promela,
            System::Composition(_) => Kind::Composition,
            System::Program(_) => Kind::Program,
            System::Components(_) => Kind::Components,
        }
    }
}

/// Where an option applies.
enum Where {
    /// To these kinds.
    Kinds(&'static [Kind]),
    /// To Promela with unbounded channels, and to these kinds.
    Unbounded(&'static [Kind]),
    /// To networks, if one of these properties is checked, and to these kinds.
    If(Applies, &'static str, &'static [Kind]),
}

type Applies = fn(Kind, &Property) -> bool;

/// An option of `check` that does not apply everywhere.
pub struct OptionRule {
    /// The option.
    pub name: &'static str,
    given: fn(&Settings) -> bool,
    place: Where,
}

const fn rule(name: &'static str, given: fn(&Settings) -> bool, place: Where) -> OptionRule {
    OptionRule { name, given, place }
}

/// Every option of `check` that does not apply everywhere.
pub const RULES: [OptionRule; 22] = [
    rule("--channels drop", |s| s.channels == Channels::Drop, Where::Kinds(&[Kind::Promela])),
    rule("--channels unbounded", |s| s.channels == Channels::Unbounded, Where::Kinds(&[Kind::Promela, Kind::Machines])),
    rule("--bitstate", |s| s.bitstate, SEARCHES),
    rule("--unpacked", |s| s.unpacked, SEARCHES),
    rule("--keep-going", |s| s.keep_going, SEARCHES),
    rule("--search", |s| s.search != SearchOrder::Breadth, SEARCHES),
    rule("--reduction", |s| s.reduction != Reduction::Auto, EXPLORES),
    rule(
        "--max-states",
        |s| s.max_states.is_some(),
        Where::If(explores, EXPLORED, &[Kind::Composition, Kind::Components]),
    ),
    rule("--max-depth", |s| s.max_depth.is_some(), EXPLORES),
    rule("--progress", |s| !s.progress.is_empty(), Where::If(is_livelock, "livelock", &[])),
    rule("--fair", |s| s.fair, Where::If(is_liveness, "ltl, never, acceptance and livelock", &[])),
    rule("--abstraction", |s| s.abstraction != Abstraction::Flow, Where::Kinds(&[Kind::Promela, Kind::Machines])),
    rule("--bad", |s| !s.bad.is_empty(), Where::Kinds(&[Kind::Machines])),
    rule("--plain", |s| s.plain, Where::Kinds(&[Kind::Composition, Kind::Components])),
    rule("--method", |s| s.method != Method::Auto && !is_of_compositions(s), Where::Unbounded(&[Kind::Machines])),
    rule("--method", is_of_compositions, Where::Kinds(&[Kind::Composition, Kind::Components])),
    rule("--path-invariant", |s| s.path_invariant.is_some(), Where::Unbounded(&[Kind::Machines])),
    rule("--extrapolation", |s| s.extrapolation.is_some(), Where::Unbounded(&[Kind::Machines])),
    rule(
        "--trace-refinement",
        |s| s.trace_refinement,
        Where::Unbounded(&[Kind::Machines, Kind::Composition, Kind::Components]),
    ),
    rule("--c-faults", |s| s.c_faults, Where::Kinds(&[Kind::Program])),
    rule("--c-test", |s| s.c_test.is_some(), Where::Kinds(&[Kind::Program, Kind::Components])),
    rule("--cross-check", |s| s.cross_check, Where::Kinds(&[Kind::Program, Kind::Components])),
];

const SEARCHES: Where = Where::If(searches, "safety and deadlock of Promela models by explicit-state search", &[]);
const EXPLORES: Where = Where::If(explores, EXPLORED, &[]);
const EXPLORED: &str = "properties that are answered by explicit-state search";

fn is_of_compositions(settings: &Settings) -> bool {
    matches!(settings.method, Method::Paper | Method::Refine | Method::Minimise)
}

fn searches(kind: Kind, property: &Property) -> bool {
    kind == Kind::Promela && matches!(property, Property::Safety | Property::Deadlock)
}

fn explores(kind: Kind, property: &Property) -> bool {
    kind == Kind::Promela || matches!(property, Property::Boundedness | Property::Livelock | Property::Ltl(_))
}

fn is_livelock(_: Kind, property: &Property) -> bool {
    *property == Property::Livelock
}

fn is_liveness(_: Kind, property: &Property) -> bool {
    matches!(property, Property::Livelock | Property::Ltl(_) | Property::Never(_) | Property::Acceptance)
}

impl OptionRule {
    /// Whether the option can apply to a kind of model at all.
    pub fn can_apply(&self, kind: Kind) -> bool {
        let is_network = matches!(kind, Kind::Promela | Kind::Machines);
        match &self.place {
            Where::Kinds(kinds) => kinds.contains(&kind),
            Where::Unbounded(kinds) => kinds.contains(&kind) || kind == Kind::Promela,
            Where::If(applies, _, kinds) => {
                let any = [Property::Safety, Property::Livelock, Property::Ltl(String::new())];
                kinds.contains(&kind) || is_network && any.iter().any(|property| applies(kind, property))
            }
        }
    }

    /// Why the option does not apply, if it does not.
    fn inapplicable(&self, kind: Kind, settings: &Settings, properties: &[Property]) -> Option<String> {
        let kinds = || {
            let names: Vec<&str> = Kind::ALL.into_iter().filter(|kind| self.can_apply(*kind)).map(Kind::name).collect();
            format!("{} does not apply to {}; it is for {}", self.name, kind.name(), names.join(" and "))
        };
        if !self.can_apply(kind) {
            return Some(kinds());
        }
        match &self.place {
            Where::Unbounded(_) if kind == Kind::Promela => {
                let fits =
                    settings.channels == Channels::Unbounded && matches!(settings.engine, Engine::Auto | Engine::Fifo);
                (!fits)
                    .then(|| format!("{} is for the engine `fifo`: for Promela, add --channels unbounded", self.name))
            }
            Where::If(applies, what, more) if !more.contains(&kind) => {
                let fits = properties.iter().any(|property| applies(kind, property));
                (!fits).then(|| format!("{} is for {what}, and none of them is checked", self.name))
            }
            _ => None,
        }
    }
}

/// Rejects an option that would be ignored.
pub(crate) fn refuse_inapplicable(model: &Model, settings: &Settings, properties: &[Property]) -> Result<(), Error> {
    let kind = Kind::of(model);
    let mut given = RULES.iter().filter(|rule| (rule.given)(settings));
    match given.find_map(|rule| rule.inapplicable(kind, settings, properties)) {
        Some(why) => Err(Error::Usage(why)),
        None => Ok(()),
    }
}

/// The names of a choice, for messages.
pub fn names<C: Choice>() -> Vec<&'static str> {
    C::ALL.iter().map(|(_, name, _)| *name).collect()
}

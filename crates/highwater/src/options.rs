//! Which option applies to which kind of model: one table, which the book shows and `check` enforces.
//!
//! An option that would be ignored is bad usage. Whether it applies depends on the kind of model first, and then on what is
//! used: which engine answers which property. The table is that of the book, `docs/src/applicability.md`; a test compares
//! them.

use crate::error::Error;
use crate::model::{Model, System};
use crate::settings::{Abstraction, Channels, Device, Engine, Method, Reduction, SearchOrder, Settings};
use input::Choice;
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

/// A property that is checked, and an engine that may answer it.
pub(crate) struct Use {
    pub(crate) property: Property,
    pub(crate) engine: Engine,
}

/// An option of `check` that does not apply everywhere.
pub struct OptionRule {
    /// The option.
    pub name: &'static str,
    /// The kinds of models that it can apply to.
    pub kinds: &'static [Kind],
    /// What it is for, within these kinds; empty if it applies to all that is checked.
    pub what: &'static str,
    given: fn(&Settings) -> bool,
    uses: fn(&Settings, &Use) -> bool,
}

const NETWORKS: &[Kind] = &[Kind::Promela, Kind::Machines];
const STRUCTURES: &[Kind] = &[Kind::Composition, Kind::Components];
const C: &[Kind] = &[Kind::Program, Kind::Components];
const SEARCH: &str = "safety and deadlock by the engine `explore`";
const STORED: &str = "safety and deadlock by the engine `explore`, without `--bitstate`";
const IN_MEMORY: &str = "safety and deadlock by the engine `explore`, without `--bitstate` and not on disk";
const DEVICE: &str = "safety and deadlock by the engine `explore`, breadth-first, with bounded channels, in memory, without `--bitstate`, `--unpacked` and \
                      `--reduction order`";
const FIFO: &str = "the engine `fifo`; for Promela, with `--channels unbounded`";

/// Every option of `check` that does not apply everywhere.
pub const RULES: [OptionRule; 27] = [
    OptionRule {
        name: "--channels drop",
        kinds: &[Kind::Promela],
        what: "properties other than boundedness, which is about channels without bounds",
        given: |s| s.channels == Channels::Drop,
        uses: |_, u| u.property != Property::Boundedness,
    },
    OptionRule {
        name: "--channels unbounded",
        kinds: NETWORKS,
        what: "",
        given: |s| s.channels == Channels::Unbounded,
        uses: |_, _| true,
    },
    OptionRule {
        name: "--fair",
        kinds: NETWORKS,
        what: "ltl, never, acceptance and livelock by the engine `explore`",
        given: |s| s.fair,
        uses: |_, u| explores(u) && is_liveness(&u.property),
    },
    OptionRule {
        name: "--progress",
        kinds: NETWORKS,
        what: "livelock",
        given: |s| !s.progress.is_empty(),
        uses: |_, u| u.property == Property::Livelock,
    },
    OptionRule {
        name: "--bad",
        kinds: &[Kind::Machines],
        what: "safety",
        given: |s| !s.bad.is_empty(),
        uses: |_, u| u.property == Property::Safety,
    },
    OptionRule {
        name: "--c-faults",
        kinds: &[Kind::Program],
        what: "the engine `pdr`",
        given: |s| s.c_faults,
        uses: |_, u| u.engine == Engine::Pdr,
    },
    OptionRule {
        name: "--search",
        kinds: &[Kind::Promela],
        what: IN_MEMORY,
        given: |s| s.search != SearchOrder::Breadth,
        uses: |s, u| searches(u) && !s.bitstate && !s.on_disk(),
    },
    OptionRule {
        name: "--reduction",
        kinds: NETWORKS,
        what: "safety, deadlock, boundedness and livelock by the engine `explore`; without `--fair` also ltl and acceptance",
        given: |s| s.reduction != Reduction::Auto,
        uses: |s, u| explores(u) && reduces(s, &u.property),
    },
    of_search("--keep-going", |s| s.keep_going),
    of_search("--bitstate", |s| s.bitstate),
    OptionRule {
        name: "--unpacked",
        kinds: &[Kind::Promela],
        what: IN_MEMORY,
        given: |s| s.unpacked,
        uses: |s, u| searches(u) && !s.bitstate && !s.on_disk(),
    },
    on_disk("--spill", |s| s.spill.is_some()),
    on_disk("--checkpoint", |s| s.checkpoint.is_some()),
    on_disk("--resume", |s| s.resume.is_some()),
    OptionRule {
        name: "--device",
        kinds: &[Kind::Promela],
        what: DEVICE,
        given: |s| s.device != Device::Cpu,
        uses: |s, u| searches(u) && is_plain_search(s),
    },
    of_search("--emit-cuda", |s| s.emit_cuda.is_some()),
    OptionRule {
        name: "--max-states",
        kinds: &[Kind::Promela, Kind::Machines, Kind::Composition, Kind::Components],
        what: "the engines `explore`, `compose` and `cegar`",
        given: |s| s.max_states.is_some(),
        uses: |_, u| matches!(u.engine, Engine::Explore | Engine::Compose | Engine::Cegar),
    },
    OptionRule {
        name: "--max-depth",
        kinds: NETWORKS,
        what: "the engine `explore`, but not for trace and notrace",
        given: |s| s.max_depth.is_some(),
        uses: |_, u| explores(u) && !matches!(u.property, Property::Trace(_)),
    },
    OptionRule {
        name: "--method",
        kinds: NETWORKS,
        what: FIFO,
        given: |s| s.method != Method::Auto && !is_of_structures(s),
        uses: |_, u| u.engine == Engine::Fifo,
    },
    OptionRule {
        name: "--method",
        kinds: STRUCTURES,
        what: "the engines `compose` and `cegar`",
        given: is_of_structures,
        uses: |_, u| composes(u),
    },
    OptionRule {
        name: "--plain",
        kinds: STRUCTURES,
        what: "the engines `compose` and `cegar`",
        given: |s| s.plain,
        uses: |_, u| composes(u),
    },
    OptionRule {
        name: "--path-invariant",
        kinds: NETWORKS,
        what: FIFO,
        given: |s| s.path_invariant.is_some(),
        uses: |_, u| u.engine == Engine::Fifo,
    },
    OptionRule {
        name: "--extrapolation",
        kinds: NETWORKS,
        what: FIFO,
        given: |s| s.extrapolation.is_some(),
        uses: |_, u| u.engine == Engine::Fifo,
    },
    OptionRule {
        name: "--abstraction",
        kinds: NETWORKS,
        what: "boundedness and livelock by the engine `flow`",
        given: |s| s.abstraction != Abstraction::Flow,
        uses: |_, u| u.engine == Engine::Flow,
    },
    OptionRule {
        name: "--trace-refinement",
        kinds: &[Kind::Promela, Kind::Machines, Kind::Composition, Kind::Components],
        what: "the engines `fifo` (not `--method search`), `compose` (not `--plain`) and `cegar`",
        given: |s| s.trace_refinement,
        uses: refines,
    },
    OptionRule {
        name: "--cross-check",
        kinds: C,
        what: "the engines `pdr` and `cegar`",
        given: |s| s.cross_check,
        uses: |_, u| reads_c(u),
    },
    OptionRule {
        name: "--c-test",
        kinds: C,
        what: "the engines `pdr` and `cegar`",
        given: |s| s.c_test.is_some(),
        uses: |_, u| reads_c(u),
    },
];

/// An option of every search.
const fn of_search(name: &'static str, given: fn(&Settings) -> bool) -> OptionRule {
    OptionRule { name, kinds: &[Kind::Promela], what: SEARCH, given, uses: |_, u| searches(u) }
}

/// An option of the search on disk.
const fn on_disk(name: &'static str, given: fn(&Settings) -> bool) -> OptionRule {
    OptionRule { name, kinds: &[Kind::Promela], what: STORED, given, uses: |s, u| searches(u) && !s.bitstate }
}

fn is_of_structures(settings: &Settings) -> bool {
    matches!(settings.method, Method::Paper | Method::Refine | Method::Minimise)
}

fn explores(what: &Use) -> bool {
    what.engine == Engine::Explore
}

fn searches(what: &Use) -> bool {
    explores(what) && matches!(what.property, Property::Safety | Property::Deadlock)
}

/// The search is one that a device does too.
fn is_plain_search(s: &Settings) -> bool {
    let whole = s.search == SearchOrder::Breadth && s.reduction != Reduction::Order;
    whole && !s.bitstate && !s.unpacked && !s.on_disk() && s.channels != Channels::Unbounded
}

fn composes(what: &Use) -> bool {
    matches!(what.engine, Engine::Compose | Engine::Cegar)
}

fn reads_c(what: &Use) -> bool {
    matches!(what.engine, Engine::Pdr | Engine::Cegar)
}

fn is_liveness(property: &Property) -> bool {
    matches!(property, Property::Livelock | Property::Ltl(_) | Property::Never(_) | Property::Acceptance)
}

/// Whether the search for a violation may leave out states. A claim may count the steps in a state, and a fair run needs
/// them all; livelock is first searched without fairness.
fn reduces(settings: &Settings, property: &Property) -> bool {
    match property {
        Property::Safety | Property::Deadlock | Property::Boundedness | Property::Livelock => true,
        Property::Ltl(_) | Property::Acceptance => !settings.fair,
        _ => false,
    }
}

fn refines(settings: &Settings, what: &Use) -> bool {
    match what.engine {
        Engine::Fifo => settings.method != Method::Search,
        Engine::Compose => !settings.plain,
        Engine::Cegar => true,
        _ => false,
    }
}

impl OptionRule {
    /// Why the option does not apply, if it does not.
    fn inapplicable(&self, kind: Kind, settings: &Settings, uses: &[Use]) -> Option<String> {
        let OptionRule { name, what, .. } = self;
        if !self.kinds.contains(&kind) {
            let names: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
            return Some(format!("{name} does not apply to {}; it is for {}", kind.name(), names.join(" and ")));
        }
        if what.is_empty() || uses.iter().any(|u| (self.uses)(settings, u)) {
            return None;
        }
        let used: Vec<String> = uses.iter().map(|u| format!("{} by `{}`", u.property, u.engine.name())).collect();
        let used = if used.is_empty() { String::from("nothing") } else { used.join(", ") };
        Some(format!("{name} is for {what}; it would have no effect here, where {used} is checked"))
    }
}

/// Rejects an option that would be ignored.
pub(crate) fn refuse_inapplicable(kind: Kind, settings: &Settings, uses: &[Use]) -> Result<(), Error> {
    let kinds = answers_for(settings.engine);
    if !kinds.contains(&kind) {
        let (engine, kinds) = (settings.engine.name(), kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>());
        let why = format!("--engine {engine} is for {}; this model is one of {}", kinds.join(" and "), kind.name());
        return Err(Error::Usage(why));
    }
    let mut given = RULES.iter().filter(|rule| (rule.given)(settings));
    match given.find_map(|rule| rule.inapplicable(kind, settings, uses)) {
        Some(why) => Err(Error::Usage(why)),
        None => Ok(()),
    }
}

/// The kinds of models that an engine can be chosen for.
fn answers_for(engine: Engine) -> &'static [Kind] {
    match engine {
        Engine::Auto => &Kind::ALL,
        Engine::Flow | Engine::Explore | Engine::Fifo => NETWORKS,
        Engine::Compose => &[Kind::Composition],
        Engine::Pdr => &[Kind::Program],
        Engine::Cegar => &[Kind::Components],
    }
}

/// The names of a choice, for messages.
pub fn names<C: Choice>() -> Vec<&'static str> {
    C::ALL.iter().map(|(_, name, _)| *name).collect()
}

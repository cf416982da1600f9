//! Which option applies to which kind of model: one table, which the book shows and `check` enforces.
//!
//! An option that would be ignored is bad usage. Whether it applies depends on the kind of model first, and then on what is
//! used: which engine answers which property. The table is that of the book, `docs/src/applicability.md`; a test compares
//! them.

use crate::error::Error;
use crate::model::{Model, System};
use crate::settings::{Abstraction, Channels, Device, Engine, Fairness, Method, Reduction, SearchOrder, Settings};
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

const PROMELA: &[Kind] = &[Kind::Promela];
const NETWORKS: &[Kind] = &[Kind::Promela, Kind::Machines];
const STRUCTURES: &[Kind] = &[Kind::Composition, Kind::Components];
const C: &[Kind] = &[Kind::Program, Kind::Components];
const SEARCH: &str = "safety and deadlock by the engine `explore`";
const STORED: &str =
    "safety, deadlock, ltl, never, acceptance and livelock by the engine `explore`, without `--bitstate`";
const IN_MEMORY: &str = "safety and deadlock by the engine `explore`, without `--bitstate` and not on disk";
const DEVICE: &str = "safety and deadlock by the engine `explore`, breadth-first, with bounded channels, in memory, in one process, without `--bitstate`, \
                      `--unpacked`, `--symmetry` and `--reduction order`";
const SHARED: &str =
    "safety and deadlock by the engine `explore`, breadth-first, without `--bitstate` and `--spill`, on the CPU";
const FIFO: &str = "the engine `fifo`; for Promela, with `--channels unbounded`";

/// Every option of `check` that does not apply everywhere.
pub const RULES: [OptionRule; 30] = [
    rule(
        "--channels drop",
        PROMELA,
        "properties other than boundedness, which is about channels without bounds",
        |s| s.channels == Channels::Drop,
        |_, u| u.property != Property::Boundedness,
    ),
    rule("--channels unbounded", NETWORKS, "", |s| s.channels == Channels::Unbounded, |_, _| true),
    rule(
        "--fair",
        &[Kind::Promela, Kind::Machines, Kind::Composition],
        "ltl, never, acceptance and livelock by the engine `explore`, ltl and progress by `compose`",
        |s| matches!(s.fair, Fairness::Weak | Fairness::Strong),
        is_liveness,
    ),
    rule("--fair choice", &[Kind::Composition], "ltl and progress", |s| s.fair == Fairness::Choice, is_liveness),
    rule("--progress", NETWORKS, "livelock", |s| !s.progress.is_empty(), |_, u| u.property == Property::Livelock),
    rule("--bad", &[Kind::Machines], "safety", |s| !s.bad.is_empty(), |_, u| u.property == Property::Safety),
    rule("--c-faults", &[Kind::Program], "the engine `pdr`", |s| s.c_faults, |_, u| u.engine == Engine::Pdr),
    rule(
        "--search",
        PROMELA,
        IN_MEMORY,
        |s| s.search != SearchOrder::Breadth,
        |s, u| searches(u) && !s.bitstate && !s.on_disk(),
    ),
    rule(
        "--reduction",
        NETWORKS,
        "safety, deadlock, boundedness and livelock by the engine `explore`; without `--fair` also ltl and acceptance",
        |s| s.reduction != Reduction::Auto,
        |s, u| explores(u) && reduces(s, &u.property),
    ),
    rule(
        "--symmetry",
        PROMELA,
        "safety and deadlock by the engine `explore`, with bounded channels, on the CPU",
        |s| s.symmetry,
        |s, u| searches(u) && s.channels != Channels::Unbounded && s.device == Device::Cpu,
    ),
    of_search("--keep-going", |s| s.keep_going),
    of_search("--bitstate", |s| s.bitstate),
    rule("--unpacked", PROMELA, IN_MEMORY, |s| s.unpacked, |s, u| searches(u) && !s.bitstate && !s.on_disk()),
    on_disk("--spill", |s| s.spill.is_some()),
    on_disk("--checkpoint", |s| s.checkpoint.is_some()),
    on_disk("--resume", |s| s.resume.is_some()),
    rule("--device", PROMELA, DEVICE, |s| s.device != Device::Cpu, |s, u| searches(u) && is_plain_search(s)),
    rule("--cluster", PROMELA, SHARED, |s| s.cluster.is_some(), |s, u| searches(u) && is_shared_search(s)),
    of_search("--emit-cuda", |s| s.emit_cuda.is_some()),
    rule(
        "--max-states",
        &[Kind::Promela, Kind::Machines, Kind::Composition, Kind::Components],
        "the engines `explore`, `compose` and `cegar`",
        |s| s.max_states.is_some(),
        |_, u| matches!(u.engine, Engine::Explore | Engine::Compose | Engine::Cegar),
    ),
    rule(
        "--max-depth",
        NETWORKS,
        "the engine `explore`, but not for trace and notrace",
        |s| s.max_depth.is_some(),
        |_, u| explores(u) && !matches!(u.property, Property::Trace(_)),
    ),
    rule(
        "--method",
        NETWORKS,
        FIFO,
        |s| s.method != Method::Auto && !is_of_structures(s),
        |_, u| u.engine == Engine::Fifo,
    ),
    rule("--method", STRUCTURES, "the engines `compose` and `cegar`", is_of_structures, |_, u| composes(u)),
    rule("--plain", STRUCTURES, "the engines `compose` and `cegar`", |s| s.plain, |_, u| composes(u)),
    rule("--path-invariant", NETWORKS, FIFO, |s| s.path_invariant.is_some(), |_, u| u.engine == Engine::Fifo),
    rule("--extrapolation", NETWORKS, FIFO, |s| s.extrapolation.is_some(), |_, u| u.engine == Engine::Fifo),
    rule(
        "--abstraction",
        NETWORKS,
        "boundedness and livelock by the engine `flow`",
        |s| s.abstraction != Abstraction::Flow,
        |_, u| u.engine == Engine::Flow,
    ),
    rule(
        "--trace-refinement",
        &[Kind::Promela, Kind::Machines, Kind::Composition, Kind::Components],
        "the engines `fifo` (not `--method search`), `compose` (not `--plain`) and `cegar`",
        |s| s.trace_refinement,
        refines,
    ),
    rule("--cross-check", C, "the engines `pdr` and `cegar`", |s| s.cross_check, |_, u| reads_c(u)),
    rule("--c-test", C, "the engines `pdr` and `cegar`", |s| s.c_test.is_some(), |_, u| reads_c(u)),
];

const fn rule(
    name: &'static str,
    kinds: &'static [Kind],
    what: &'static str,
    given: fn(&Settings) -> bool,
    uses: fn(&Settings, &Use) -> bool,
) -> OptionRule {
    OptionRule { name, kinds, what, given, uses }
}

/// An option of every search.
const fn of_search(name: &'static str, given: fn(&Settings) -> bool) -> OptionRule {
    rule(name, PROMELA, SEARCH, given, |_, u| searches(u))
}

/// An option of the search on disk.
const fn on_disk(name: &'static str, given: fn(&Settings) -> bool) -> OptionRule {
    rule(name, PROMELA, STORED, given, |s, u| (searches(u) || explores(u) && is_liveness(s, u)) && !s.bitstate)
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
    let whole = s.search == SearchOrder::Breadth && s.reduction != Reduction::Order && !s.symmetry;
    whole && !s.bitstate && !s.unpacked && !s.on_disk() && s.cluster.is_none() && s.channels != Channels::Unbounded
}

/// The search is one that processes can share.
fn is_shared_search(s: &Settings) -> bool {
    s.search == SearchOrder::Breadth && !s.bitstate && s.spill.is_none() && s.device == Device::Cpu
}

fn composes(what: &Use) -> bool {
    matches!(what.engine, Engine::Compose | Engine::Cegar)
}

fn reads_c(what: &Use) -> bool {
    matches!(what.engine, Engine::Pdr | Engine::Cegar)
}

fn is_liveness(_: &Settings, what: &Use) -> bool {
    use Property::{Acceptance, Livelock, Ltl, Never, Progress, Question};
    let is_live = matches!(what.property, Livelock | Ltl(_) | Question(_) | Never(_) | Acceptance | Progress(_));
    is_live && matches!(what.engine, Engine::Explore | Engine::Compose)
}

/// Whether the search for a violation may leave out states. A claim may count the steps in a state, and a fair run needs
/// them all; livelock is first searched without fairness.
fn reduces(settings: &Settings, property: &Property) -> bool {
    match property {
        Property::Safety | Property::Deadlock | Property::Boundedness | Property::Livelock => true,
        Property::Ltl(_) | Property::Question(_) | Property::Acceptance => settings.fair == Fairness::None,
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

//! Networks: which properties apply to one, which engines answer each, and how they share the time.
//!
//! Safety, deadlock, reception and orphans are for one explicit search, or for `fifo` where channels have no bounds;
//! boundedness and livelock are for `flow`, with a search for a run beside it; formulas and claims are for the search of
//! infinite runs, one after the other.

use crate::error::Error;
use crate::evidence::{Answer, Checked, Claim};
use crate::machines::{self, Machines};
use crate::model::{Model, NetworkModel};
use crate::portfolio::{Engines, Portfolio, has_buffered_channel};
use crate::settings::{Abstraction, Engine, Reduction, SearchOrder, Settings};
use crate::strategy::{Strategy, not_applicable, not_supported};
use cluster::Member;
use explore::disk::{Checkpoint, Disk};
use explore::liveness::Setting;
use explore::symmetry::Symmetry;
use explore::{Options, Order, Packing};
use gpu::Place;
use model::budget::{Budget, Stopwatch};
use model::context::Context;
use model::formula::Ltl;
use model::info::ModelInfo;
use model::network::{Formula, MachineKind, Network};
use model::semantics::{Reading, Semantics};
use model::source::SourceMap;
use model::verdict::{Property, Reason};
use scm::Specification;
use std::fmt::Display;

/// So many states of a model with queues of any length are searched for a run that breaks a formula, before it is proved.
const FIRST_STATES: u64 = 1 << 14;

/// The memory for `--bitstate` where there is no limit on it.
const DEFAULT_BITS: u64 = 4 << 30;

/// The order of visits, and when states are left out.
type Way = (SearchOrder, Reduction);

/// A network, ready to be checked.
pub(crate) struct Networks<'a> {
    model: &'a NetworkModel,
    network: &'a Network,
    sources: &'a SourceMap,
    settings: &'a Settings,
    /// What a checkpoint belongs to.
    info: &'a ModelInfo,
    /// The bad configurations: those that were given, or those of the model.
    bad: Specification,
    reading: Reading,
}

impl<'a> Networks<'a> {
    /// Reads the settings.
    pub(crate) fn new(
        model: &'a NetworkModel,
        whole: &'a Model,
        settings: &'a Settings,
    ) -> Result<Networks<'a>, Error> {
        let (network, sources, info) = (&model.network, &whole.sources, &whole.info);
        machines::method(settings)?;
        // Promela models have none; for them, `--bad` is bad usage.
        let bad = match &model.bad {
            Some(own) => machines::chosen(own.clone(), network, &settings.bad)?,
            None => Specification::default(),
        };
        // Queues of communicating machines have no capacity that could be read otherwise.
        let reading = if model.is_machines() { Reading::Unbounded } else { settings.channels.into() };
        Ok(Networks { model, network, sources, settings, info, bad, reading })
    }

    /// Whether some configuration is bad, or some step can fail.
    fn has_bad(&self) -> bool {
        !self.model.is_machines() || !self.bad.bad.is_empty() || !fifo::translation::is_plain(self.network)
    }

    fn portfolio<'c>(&'c self, cx: &'c Context<'_>, advisory: bool) -> Portfolio<'c> {
        let (network, sources, engines, settings) = (self.network, self.sources, self.static_engines(), self.settings);
        let (cx, fair, options) = (*cx, settings.fair.into(), settings.search());
        let enumerate_cycles = settings.abstraction == Abstraction::Cycles;
        Portfolio { network, sources, engines, cx, fair, options, advisory, enumerate_cycles }
    }

    /// What answers boundedness and livelock.
    fn static_engines(&self) -> Engines {
        match self.settings.engine {
            Engine::Flow => Engines::Flow,
            Engine::Explore => Engines::Explore,
            // The papers' method answers alone, so that it can be measured.
            _ if self.settings.abstraction == Abstraction::Cycles => Engines::Flow,
            _ => Engines::Both,
        }
    }

    /// What one explicit search answers, or `fifo`.
    fn reachability(&self, properties: Vec<Property>, cx: &Context<'_>) -> Result<Vec<Answer>, Error> {
        if properties.is_empty() {
            return Ok(Vec::new());
        }
        if self.model.is_machines() {
            return self.machines(cx.budget)?.check(&properties, cx);
        }
        match (self.reading, self.settings.engine) {
            (Reading::Unbounded, Engine::Auto | Engine::Fifo) => self.unbounded(properties, cx),
            _ => self.search(properties, (self.settings.search, self.settings.reduction), cx),
        }
    }

    /// The engine `fifo`, with the network that it is about.
    pub(crate) fn machines(&self, budget: &Budget) -> Result<Machines<'_>, Error> {
        let original = (!self.model.is_machines(), self.bad.clone());
        Machines::new(self.network, self.sources, self.settings, original, budget)
    }

    pub(crate) fn network(&self) -> &'a Network {
        self.network
    }

    pub(crate) fn settings(&self) -> &'a Settings {
        self.settings
    }

    /// What a search is, for those who share it and for a checkpoint of it: names and values.
    fn identity(&self, properties: &[Property]) -> Vec<(String, String)> {
        let Settings { keep_going, reduction, symmetry, fair, progress, .. } = self.settings;
        let of = |name: &str, value: String| (name.to_owned(), value);
        vec![
            of("version", env!("CARGO_PKG_VERSION").to_owned()),
            of("model", self.info.sha256.clone()),
            of("defines", format!("{:?}", self.info.defines)),
            of("properties", properties.iter().map(Property::to_string).collect::<Vec<_>>().join(",")),
            of("channels", format!("{:?}", self.reading).to_lowercase()),
            of("keep-going", keep_going.to_string()),
            of("reduction", (*reduction == Reduction::Order).to_string()),
            of("symmetry", symmetry.to_string()),
            of("fairness", format!("{fair:?}").to_lowercase()),
            of("progress", progress.join(",")),
        ]
    }

    /// Where the states of a search are kept: safety and deadlock are for one, and every other property for one of its own.
    fn disk(&self, of: &[Property]) -> Result<(Option<Checkpoint>, Option<Disk>), Error> {
        let Settings { spill, checkpoint, resume, cluster, .. } = self.settings;
        let all = Checkpoint::of(checkpoint.as_deref(), resume.as_deref(), spill.as_deref()).map_err(usage)?;
        let own = of.iter().find(|property| !machines::answers(property));
        let kept = own.and_then(|own| Some(all.as_ref()?.part(&own.to_string()))).or(all);
        let disk = Disk::of(kept.as_ref().filter(|_| cluster.is_none()), spill.as_deref(), self.identity(of));
        Ok((kept, disk.map_err(usage)?))
    }

    /// What one explicit search answers.
    pub(crate) fn search(&self, of: Vec<Property>, way: Way, cx: &Context<'_>) -> Result<Vec<Answer>, Error> {
        let settings = self.settings;
        let identity = &self.identity(&of);
        let (checkpoint, disk) = self.disk(&of)?;
        let order = match way.0 {
            SearchOrder::Breadth => Order::Breadth,
            SearchOrder::Depth => Order::Depth,
        };
        let options = Options {
            order,
            keep_going: settings.keep_going,
            properties: of,
            packing: if settings.unpacked { Packing::Never } else { Packing::Auto },
            disk,
            symmetry: settings.symmetry,
            reduction: way.1.into(),
            bitstate: settings.bitstate.then_some(cx.budget.most_memory().unwrap_or(DEFAULT_BITS) / 2),
            ..settings.search()
        };
        let semantics = Semantics::new(self.network, self.reading);
        if settings.symmetry {
            let reason = |why| usage(format!("`--symmetry`: no two processes can be exchanged: {why}"));
            Symmetry::new(&semantics).map_err(reason)?;
        }
        let place = Place { device: settings.device, emit: settings.emit_cuda.clone() };
        let outcomes = match &settings.cluster {
            None => gpu::check(&place, &semantics, self.sources, &options, cx),
            Some(cluster) => {
                let member = Member { cluster, identity, checkpoint };
                member.check(&semantics, self.sources, &options, cx).map_err(usage)?
            }
        };
        Ok(outcomes.into_iter().map(|outcome| Answer::searched(outcome, &semantics, cx)).collect())
    }

    /// A formula that says where no process ever is, by the static engine, if that proves it.
    fn never_there(&self, property: &Property, formula: &Ltl, cx: &Context<'_>) -> Option<Answer> {
        let start = Stopwatch::start();
        let counted = |histories: &[_]| certify::arrivals::counted(self.network, formula, self.reading, histories);
        let share = cx.budget.share(4);
        let proof = flow::history::prove(self.network, &counted, &cx.with(&share))?;
        let checked = Checked::arrivals(self.network, property, self.reading, proof, cx).ok()?;
        let mut outcome = Answer::blank(property, self.reading, flow::ENGINE);
        outcome.time = start.elapsed();
        Some(Answer { outcome, claim: Claim::Proved(checked) })
    }

    /// A formula that says what never happens, for queues of any length, if that is proved.
    fn always(&self, property: &Property, cx: &Context<'_>) -> Option<Answer> {
        let original = (!self.model.is_machines(), self.bad.clone());
        Machines::untranslated(self.network, self.sources, self.settings, original).ok()?.always(property, cx)
    }

    /// A formula, a claim or acceptance labels; `None` if there is no such formula or claim.
    fn infinite_runs(&self, property: &Property, disk: Option<Disk>, cx: &Context<'_>) -> Option<Answer> {
        let semantics = Semantics::new(self.network, self.reading);
        let (sources, fair) = (self.sources, self.settings.fair.into());
        let options = &Options { disk, ..self.settings.search() };
        let setting = Setting { semantics: &semantics, sources, fair, options, cx: *cx };
        let claim = |name: &String| self.network.claims.iter().find(|claim| claim.name == *name);
        let outcome = match property {
            Property::Ltl(name) | Property::Question(name) => {
                let formula = &self.network.formulas.iter().find(|formula| formula.name == *name)?.formula;
                let is_free = self.settings.engine == Engine::Auto && !one_search(self.settings);
                if let Some(answer) = is_free.then(|| self.never_there(property, formula, cx)).flatten() {
                    return Some(answer);
                }
                // What is near is found by a search, and what holds of queues of any length proved without one.
                if is_free && self.reading == Reading::Unbounded && formula.is_safety() {
                    let near = cx.budget.slice(25).states(FIRST_STATES);
                    let first = Setting { cx: cx.with(&near), ..setting }.formula(property, formula);
                    let first = Answer::searched(first, &semantics, cx);
                    if !first.is_open() {
                        return Some(first);
                    }
                    if let Some(answer) = self.always(property, &cx.with(&cx.budget.slice(50))) {
                        return Some(answer);
                    }
                }
                Some(setting.formula(property, formula))
            }
            Property::Never(name) => claim(name).map(|claim| setting.never(claim)),
            Property::Trace(name) => claim(name).map(|claim| setting.trace(claim)),
            _ => Some(setting.acceptance()),
        };
        outcome.map(|outcome| Answer::searched(outcome, &semantics, cx))
    }

    /// Why an engine that was chosen does not answer.
    fn other_engine(&self, property: &Property) -> Option<Reason> {
        let is_static = matches!(property, Property::Boundedness | Property::Livelock);
        match self.settings.engine {
            Engine::Auto => None,
            Engine::Flow if is_static => None,
            Engine::Flow => not_supported("the engine `flow` answers boundedness and livelock only"),
            Engine::Explore if !self.model.is_machines() || is_static || is_formula(property) => None,
            Engine::Explore => {
                not_supported(format!("{property} of communicating machines is answered by the engine `fifo`"))
            }
            Engine::Fifo if !machines::answers(property) => {
                not_supported(format!("the engine `fifo` does not answer {property}"))
            }
            Engine::Fifo if self.reading != Reading::Unbounded => {
                not_supported("the engine `fifo` answers for queues of any length: add --channels unbounded")
            }
            Engine::Fifo => None,
            // They are refused for networks before a property is looked at.
            Engine::Compose | Engine::Pdr | Engine::Cegar => not_supported("the engine does not answer for networks"),
        }
    }

    /// Why a property does not apply to the model, if it does not.
    fn inapplicable(&self, property: &Property) -> Option<Reason> {
        let network = self.network;
        let has_claim = |name: &String| network.claims.iter().any(|claim| claim.name == *name);
        match property {
            Property::Boundedness if !has_buffered_channel(network) => {
                not_applicable("no channel of the model holds messages")
            }
            Property::Livelock if self.settings.progress.is_empty() && !has_progress_label(network) => {
                not_applicable("the model has no progress label, and no --progress is given")
            }
            Property::Safety if !self.has_bad() => {
                not_applicable("the model has no bad configurations, and no --bad is given")
            }
            Property::Never(name) if !has_claim(name) => not_applicable("the model has no never claim"),
            Property::Trace(name) if !has_claim(name) => not_applicable(format!("the model has no `{name}` assertion")),
            Property::Acceptance if self.model.is_machines() || !has_acceptance_label(network) => {
                not_applicable("the model has no acceptance label")
            }
            Property::PartialDeadlock | Property::EventualReception if !self.model.is_machines() => {
                not_applicable(format!("{property} is for communicating machines (.scm, .cfsm)"))
            }
            Property::Conformance(_) => not_applicable("conformance is for C components (.spec)"),
            Property::Progress(_) => not_applicable("`progress` sets are for compositions (.fsp)"),
            _ => None,
        }
    }
}

impl Strategy for Networks<'_> {
    fn stated(&self) -> Vec<Property> {
        if self.model.is_machines() {
            return machines::properties().into_iter().filter(|p| *p != Property::Safety || self.has_bad()).collect();
        }
        let network = self.network;
        let mut properties = vec![Property::Safety, Property::Deadlock];
        if !self.settings.progress.is_empty() || has_progress_label(network) {
            properties.push(Property::Livelock);
        }
        properties.extend(network.formulas.iter().map(Formula::property));
        properties.extend(network.claims.iter().map(|claim| match claim.kind {
            MachineKind::Trace | MachineKind::NoTrace => Property::Trace(claim.name.clone()),
            _ => Property::Never(claim.name.clone()),
        }));
        if has_acceptance_label(network) && never_claims(network).next().is_none() {
            properties.push(Property::Acceptance);
        }
        properties
    }

    fn all(&self) -> Vec<Property> {
        let boundedness = has_buffered_channel(self.network).then_some(Property::Boundedness);
        self.stated().into_iter().chain(boundedness).collect()
    }

    fn named(&self, property: &Property) -> Result<Vec<Property>, Error> {
        // `never` is all claims of the model.
        let claims: Vec<Property> = match property {
            Property::Never(name) if name.is_empty() => never_claims(self.network).map(Property::Never).collect(),
            _ => Vec::new(),
        };
        Ok(if claims.is_empty() { vec![property.clone()] } else { claims })
    }

    fn unsupported(&self, property: &Property) -> Option<Reason> {
        if let Some(reason) = self.inapplicable(property).or_else(|| self.other_engine(property)) {
            return Some(reason);
        }
        let of_queues = matches!(property, Property::Reception | Property::Orphan);
        match property {
            _ if self.model.is_machines() => None,
            _ if of_queues && self.settings.engine == Engine::Explore => {
                not_supported(format!("{property} is answered by the engine `fifo`"))
            }
            _ if of_queues && self.reading != Reading::Unbounded => {
                not_supported(format!("{property} is checked for queues of any length: add --channels unbounded"))
            }
            _ => None,
        }
    }

    fn engines(&self, property: &Property) -> Vec<Engine> {
        if self.other_engine(property).is_some() {
            return Vec::new();
        }
        let settings = self.settings;
        match property {
            Property::Boundedness | Property::Livelock => match self.static_engines() {
                Engines::Both => vec![Engine::Flow, Engine::Explore],
                Engines::Flow => vec![Engine::Flow],
                Engines::Explore => vec![Engine::Explore],
            },
            Property::Reception | Property::Orphan if self.reading != Reading::Unbounded => Vec::new(),
            Property::Reception | Property::Orphan => vec![Engine::Fifo],
            Property::PartialDeadlock | Property::EventualReception if !self.model.is_machines() => Vec::new(),
            Property::PartialDeadlock | Property::EventualReception => vec![Engine::Fifo],
            Property::Safety | Property::Deadlock if self.model.is_machines() => vec![Engine::Fifo],
            Property::Safety | Property::Deadlock => match (self.reading, settings.engine) {
                (Reading::Unbounded, Engine::Fifo) => vec![Engine::Fifo],
                (Reading::Unbounded, Engine::Auto) if !one_search(settings) => vec![Engine::Explore, Engine::Fifo],
                _ => vec![Engine::Explore],
            },
            Property::Ltl(_) | Property::Question(_) => vec![Engine::Explore],
            Property::Never(_) | Property::Acceptance | Property::Trace(_) if !self.model.is_machines() => {
                vec![Engine::Explore]
            }
            _ => Vec::new(),
        }
    }

    fn solve(&self, properties: &[Property], cx: &Context<'_>) -> Result<Vec<Answer>, Error> {
        let mut answers = Vec::new();
        if properties.contains(&Property::Boundedness) {
            answers.push(self.portfolio(cx, false).boundedness());
        }
        if properties.contains(&Property::Livelock) {
            let options = Options { disk: self.disk(&[Property::Livelock])?.1, ..self.settings.search() };
            let portfolio = Portfolio { options, ..self.portfolio(cx, false) };
            let found = portfolio.livelock(&self.settings.progress, self.reading);
            answers.push(found.map_err(Error::Usage)?);
        }
        let infinite: Vec<&Property> = properties.iter().filter(|p| is_about_infinite_runs(p)).collect();
        let searched = properties.iter().filter(|p| machines::answers(p)).cloned().collect();
        // Some of the time is left for formulas and claims.
        let budget = cx.budget.share(1 + infinite.len().min(3));
        answers.extend(self.reachability(searched, &cx.with(&budget))?);
        for (index, property) in infinite.iter().enumerate() {
            let budget = cx.budget.share(infinite.len() - index);
            let disk = self.disk(std::slice::from_ref(property))?.1;
            answers.extend(self.infinite_runs(property, disk, &cx.with(&budget)));
        }
        let position = |answer: &Answer| properties.iter().position(|p| *p == answer.outcome.property);
        answers.sort_by_key(|answer| position(answer).unwrap_or(usize::MAX));
        Ok(answers)
    }

    fn advised(&self) -> Option<Property> {
        let wanted = matches!(self.settings.engine, Engine::Auto | Engine::Flow) && has_buffered_channel(self.network);
        wanted.then_some(Property::Boundedness)
    }

    fn advise(&self, cx: &Context<'_>) -> Vec<Answer> {
        self.advised().map(|_| self.portfolio(cx, true).boundedness()).into_iter().collect()
    }

    fn reading(&self) -> Reading {
        self.reading
    }
}

/// Whether the settings are about one explicit search, which then answers alone.
pub(crate) fn one_search(settings: &Settings) -> bool {
    settings.keep_going
        || settings.bitstate
        || settings.max_states.is_some()
        || settings.on_disk()
        || settings.cluster.is_some()
}

fn usage(refused: impl Display) -> Error {
    Error::Usage(refused.to_string())
}

fn is_about_infinite_runs(property: &Property) -> bool {
    is_formula(property) || matches!(property, Property::Never(_) | Property::Acceptance | Property::Trace(_))
}

fn is_formula(property: &Property) -> bool {
    matches!(property, Property::Ltl(_) | Property::Question(_))
}

/// The names of the never claims.
fn never_claims(network: &Network) -> impl Iterator<Item = String> {
    network.claims.iter().filter(|claim| claim.kind == MachineKind::Never).map(|claim| claim.name.clone())
}

/// Whether some place counts as progress.
fn has_progress_label(network: &Network) -> bool {
    network.machines.iter().flat_map(|m| &m.locations).any(|l| l.progress)
}

fn has_acceptance_label(network: &Network) -> bool {
    network.machines.iter().flat_map(|m| &m.locations).any(|l| l.accept)
}

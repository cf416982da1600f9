//! The properties of a network, each by the engines that answer it.

use super::plan::{Plan, has_progress_label};
use crate::arguments::{AbstractionKind, CheckArgs, Engine, SearchOrder};
use crate::asking::{Asking, Engines, has_buffered_channel};
use crate::failure::Failure;
use crate::machines::{self, Machines};
use crate::model_file::ModelFile;
use explore::liveness::Setting;
use explore::{Options, Order, Packing};
use model::budget::Budget;
use model::context::Context;
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::verdict::{Outcome, Property};

/// Every property of the plan, each by the engines that answer it.
pub fn answer(
    plan: &Plan,
    network: &Network,
    file: &ModelFile,
    machines: Option<&Machines<'_>>,
    args: &CheckArgs,
    cx: &Context<'_>,
) -> Result<Vec<Outcome>, Failure> {
    let asking = Asking {
        network,
        sources: &file.sources,
        engines: match args.engine {
            Engine::Flow => Engines::Flow,
            Engine::Explore => Engines::Explore,
            // The papers' method answers alone, so that it can be measured.
            _ if args.abstraction == AbstractionKind::Cycles => Engines::Flow,
            _ => Engines::Both,
        },
        cx: *cx,
        fair: args.fair,
        reduction: args.reduction.into(),
        advisory: false,
        enumerate_cycles: args.abstraction == AbstractionKind::Cycles,
    };
    let mut outcomes = Vec::new();
    // Receptions and orphans are questions for the engine of queues; they get there with the others.
    let searched: Vec<Property> = plan.properties.iter().filter(|p| machines::answers(p)).cloned().collect();
    // Advice first: it is quick, and a search may take all the time there is.
    let advised =
        (plan.advise && has_buffered_channel(network)).then(|| Asking { advisory: true, ..asking }.boundedness());
    let asked_bounds = plan.properties.contains(&Property::Boundedness) && has_buffered_channel(network);
    let asking = Asking { advisory: false, ..asking };
    if asked_bounds {
        outcomes.push(asking.boundedness());
    }
    if plan.properties.contains(&Property::Livelock) && (!args.progress.is_empty() || has_progress_label(network)) {
        outcomes.push(asking.livelock(&args.progress, plan.reading).map_err(Failure::Usage)?);
    }
    let mut all = match machines {
        Some(machines) => machines.check(&plan.properties, cx),
        None => {
            let budget = before_infinite_runs(plan, cx.budget);
            let cx = &cx.with(&budget);
            let search = |properties: Vec<Property>, budget: &Budget| {
                search(properties, plan.reading, network, file, args, &cx.with(budget))
            };
            match (plan.reading, args.engine) {
                (Reading::Unbounded, Engine::Auto | Engine::Fifo) => {
                    machines::unbounded(searched, (file, network), args, cx, &search)?
                }
                _ => search(searched, cx.budget),
            }
        }
    };
    all.extend(outcomes);
    all.extend(infinite_runs(plan, network, file, args, cx));
    let position = |outcome: &Outcome| plan.properties.iter().position(|p| *p == outcome.property);
    all.sort_by_key(|outcome| position(outcome).unwrap_or(usize::MAX));
    all.extend(advised);
    Ok(all)
}

/// The budget of what comes before formulas and claims: some of the time is left for these.
fn before_infinite_runs(plan: &Plan, budget: &Budget) -> Budget {
    budget.share(1 + plan.properties.iter().filter(|p| is_about_infinite_runs(p)).count().min(3))
}

fn is_about_infinite_runs(property: &Property) -> bool {
    matches!(property, Property::Ltl(_) | Property::Never(_) | Property::Acceptance | Property::Trace(_))
}

/// Formulas, claims and acceptance labels, one after the other; each has its share of the time that is left.
fn infinite_runs(plan: &Plan, network: &Network, file: &ModelFile, args: &CheckArgs, cx: &Context<'_>) -> Vec<Outcome> {
    let asked: Vec<&Property> = plan.properties.iter().filter(|p| is_about_infinite_runs(p)).collect();
    let semantics = Semantics::new(network, plan.reading);
    let mut outcomes = Vec::new();
    for (index, property) in asked.iter().enumerate() {
        let budget = cx.budget.share(asked.len() - index);
        let (sources, fair, reduction) = (&file.sources, args.fair, args.reduction.into());
        let limits = (&budget).into();
        let setting = Setting { semantics: &semantics, sources, fair, reduction, limits, observer: cx };
        let outcome = match property {
            Property::Ltl(name) => {
                let formula = network.formulas.iter().find(|formula| formula.name == *name);
                formula.map(|formula| setting.formula(name, &formula.formula))
            }
            Property::Never(name) => {
                network.claims.iter().find(|claim| claim.name == *name).map(|claim| setting.never(claim))
            }
            Property::Trace(name) => {
                network.claims.iter().find(|claim| claim.name == *name).map(|claim| setting.trace(claim))
            }
            _ => Some(setting.acceptance()),
        };
        outcomes.extend(outcome);
    }
    outcomes
}

/// The memory for `--bitstate` where there is no limit on it.
const DEFAULT_BITS: u64 = 4 << 30;

/// What one explicit search answers.
fn search(
    properties: Vec<Property>,
    reading: Reading,
    network: &Network,
    file: &ModelFile,
    args: &CheckArgs,
    cx: &Context<'_>,
) -> Vec<Outcome> {
    if properties.is_empty() {
        return Vec::new();
    }
    let order = match args.search {
        SearchOrder::Breadth => Order::Breadth,
        SearchOrder::Depth => Order::Depth,
    };
    let semantics = Semantics::new(network, reading);
    let options = Options {
        order,
        keep_going: args.keep_going,
        properties,
        limits: cx.limits(),
        jobs: args.jobs,
        packing: if args.unpacked { Packing::Never } else { Packing::Auto },
        reduction: args.reduction.into(),
        bitstate: args.bitstate.then_some(cx.budget.most_memory().unwrap_or(DEFAULT_BITS) / 2),
        ..Options::default()
    };
    explore::check(&semantics, &file.sources, &options, cx)
}

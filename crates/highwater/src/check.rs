//! One check of one model: which properties, by which strategy; a result for each of them.

use crate::error::Error;
use crate::evidence::Finding;
use crate::model::Model;
use crate::options::{self, Use};
use crate::property::Wanted;
use crate::settings::{Engine, Settings};
use crate::strategy::{self, Strategy};
use model::context::Context;
use model::semantics::Reading;
use model::verdict::{Property, Reason};
use report::document::NotChecked;

/// The results of a check.
pub(crate) struct Results {
    /// One for each property that was checked, in order; then those that are shown as advice.
    pub(crate) findings: Vec<Finding>,
    /// One for each property that was named and cannot be checked.
    pub(crate) not_checked: Vec<NotChecked>,
}

/// Checks a model. Every property that is wanted gets exactly one result.
pub(crate) fn run(model: &Model, wanted: &Wanted, settings: &Settings, cx: &Context<'_>) -> Result<Results, Error> {
    let strategy = strategy::of(model, settings)?;
    let mut properties = match wanted {
        Wanted::Everything => strategy.stated(),
        Wanted::Listed(_) => Vec::new(),
        Wanted::All(_) => strategy.all(),
    };
    for property in wanted.named() {
        properties.extend(strategy.named(property)?);
    }
    let mut seen = std::collections::HashSet::new();
    properties.retain(|property| seen.insert(property.clone()));
    options::refuse_inapplicable(model.kind(), settings, &uses(&*strategy, &properties, wanted))?;
    // A limit of the settings goes for this check only.
    let states = settings.max_states.or(cx.budget.most_states());
    let depth = settings.max_depth.or(cx.budget.most_depth());
    let budget = cx.budget.clone().states(states).depth(depth);
    let cx = &cx.with(&budget);
    let mut results = Results { findings: Vec::new(), not_checked: Vec::new() };
    let mut checked = Vec::new();
    for property in properties {
        match strategy.unsupported(&property) {
            None => checked.push(property),
            Some(reason) => results.not_checked.push(not_checked(&property, reason, strategy.reading())),
        }
    }
    // Advice first: it is quick, and a search may take all the time there is.
    let advice = if matches!(wanted, Wanted::Everything) { strategy.advise(cx) } else { Vec::new() };
    let answers = strategy.solve(&checked, cx)?;
    if answers.iter().map(|answer| &answer.outcome.property).ne(&checked) {
        return Err(Error::Internal("a strategy left out a property"));
    }
    results.findings = answers.into_iter().chain(advice).map(Finding::conclude).collect();
    Ok(results)
}

/// Which engine may answer which property; of what is only advice, that the static engine does.
fn uses(strategy: &dyn Strategy, properties: &[Property], wanted: &Wanted) -> Vec<Use> {
    let of = |property: &Property| {
        let property = property.clone();
        strategy.engines(&property).into_iter().map(move |engine| Use { property: property.clone(), engine })
    };
    let mut uses: Vec<Use> = properties.iter().flat_map(of).collect();
    if let (Wanted::Everything, Some(property)) = (wanted, strategy.advised()) {
        uses.push(Use { property, engine: Engine::Flow });
    }
    uses
}

fn not_checked(property: &Property, reason: Reason, reading: Reading) -> NotChecked {
    NotChecked { property: property.to_string(), reason, reading, asked: true }
}

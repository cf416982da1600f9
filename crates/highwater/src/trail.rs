//! SPIN's trails: runs of Promela models as SPIN's verifier writes them and `spin -t -p` replays them.

use crate::error::Error;
use crate::model::{Model, System};
use model::network::Network;
use model::semantics::Reading;
use model::verdict::{Outcome, Property, Verdict};

/// The first run of a Promela model with channels as declared, as a trail; none if there is no run, or it is too long to have
/// all its steps.
pub fn write(model: &Model, outcomes: &[Outcome]) -> Result<Option<String>, Error> {
    let network = network(model)?;
    let shown = |o: &&Outcome| o.verdict == Verdict::Violated && o.reading != Reading::Unbounded;
    let first = outcomes.iter().filter(shown).find_map(|outcome| Some((outcome, outcome.witness.as_ref()?)));
    Ok(first.and_then(|(outcome, chart)| {
        let claim = if let Property::Never(name) = &outcome.property { Some(name.as_str()) } else { None };
        promela::trail::write(network, chart, outcome.reading, claim)
    }))
}

/// The network of a Promela model.
pub(crate) fn network(model: &Model) -> Result<&Network, Error> {
    match &model.system {
        System::Network(network) if model.language() == "promela" => Ok(&network.network),
        _ => Err(Error::Usage(String::from("trails are for Promela"))),
    }
}

//! SPIN's trails: runs of Promela models as SPIN's verifier writes them and `spin -t -p` replays them.

use crate::error::Error;
use crate::model::{Model, System};
use model::chart::Chart;
use model::network::Network;

/// A run of a Promela model as a trail; none if the run is too long to have all its steps.
pub fn write(model: &Model, chart: &Chart) -> Result<Option<String>, Error> {
    Ok(promela::trail::write(network(model)?, chart))
}

/// The network of a Promela model.
pub(crate) fn network(model: &Model) -> Result<&Network, Error> {
    match &model.system {
        System::Network(network) if model.language() == "promela" => Ok(&network.network),
        _ => Err(Error::Usage(String::from("trails are for Promela"))),
    }
}

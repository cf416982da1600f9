//! `convert`: a model in another language.
//!
//! To communicating machines: plain machines are printed as they are; finite data are folded into states first. What does
//! not fit is refused, with the place and the reason. Where the result can do more than the model (an atomic sequence with
//! several uses of channels), that is said on stderr.
//!
//! To FSP, and to the format of Aldebaran: compositions.

use crate::error::Error;
use crate::model::{Model, NetworkModel, System};
use input::choices;
use model::budget::Budget;
use model::composition::Composition;
use model::diagnostic::Diagnostic;
use scm::{NotExpressible, fold};

choices! {
    /// The language that a model is translated to.
    Target {
        Scm = "scm": "Communicating machines, in the published format of .scm",
        Fsp = "fsp": "A composition, as FSP",
        Aut = "aut": "One labelled transition system, in the Aldebaran format",
    }
}

/// A model in another language, with warnings where it does more than the model.
pub fn convert(model: &Model, to: Target, budget: &Budget) -> Result<(String, Vec<Diagnostic>), Error> {
    let refused = |why: &str| Err(Error::Usage(format!("{}: {why}", model.info.file)));
    match (&model.system, to) {
        (System::Composition(composition), _) => Ok((structures(composition, model, to)?, Vec::new())),
        (System::Program(_) | System::Components(_), _) => refused("C programs are not translated to other languages"),
        (System::Network(_), Target::Fsp | Target::Aut) => {
            refused("only compositions (.fsp, .aut) are translated to FSP and to the Aldebaran format")
        }
        (System::Network(network), Target::Scm) => machines(network, budget).map_err(|refusal| {
            let error = Diagnostic::error("not-expressible", refusal.span, refusal.why);
            let message = format!("{} does not fit into communicating machines", model.info.file);
            Error::argument(message, vec![error], (*model.sources).clone())
        }),
    }
}

/// A composition: as FSP all of it, in the Aldebaran format one component.
fn structures(composition: &Composition, model: &Model, to: Target) -> Result<String, Error> {
    let refused = |why: &str| Error::Usage(format!("{}: {why}", model.info.file));
    let printed = match (to, composition.components.as_slice()) {
        (Target::Fsp, _) => fsp::print(composition),
        (Target::Aut, [only]) => fsp::print_aut(&only.structure, &|event| composition.event_name(event).to_owned()),
        (Target::Aut, several) => {
            let why =
                format!("an .aut file has one structure, and these are {}: choose one by --system", several.len());
            return Err(refused(&why));
        }
        (Target::Scm, _) => return Err(refused("compositions have no queues")),
    };
    printed.map_err(|why| refused(&why.0))
}

/// The text, and where it does more than the model.
fn machines(model: &NetworkModel, budget: &Budget) -> Result<(String, Vec<Diagnostic>), NotExpressible> {
    let network = &model.network;
    let own = model.bad.clone().unwrap_or_default();
    let conditions = own.bad.iter().flat_map(|bad| bad.machines.iter().flatten().flatten());
    let plain = conditions.into_iter().all(|allowed| allowed.condition.is_none());
    if plain && let Ok(text) = scm::print(network, &own) {
        return Ok((text, Vec::new()));
    }
    let folded = fold(network, &fold::Limits { budget: budget.clone(), ..fold::Limits::default() })?;
    let mut specification = folded.specification(network, &own);
    specification.bad.extend(folded.errors().bad);
    let text = scm::print(&folded.network, &specification)?;
    let warning = |place: &fold::Approximation| Diagnostic::warning("approximated", place.span, place.why.clone());
    Ok((text, folded.approximations.iter().map(warning).collect()))
}

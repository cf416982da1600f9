//! `convert`: a model in another language.
//!
//! To communicating machines: plain machines are printed as they are; finite data are folded into states first. What does
//! not fit is refused, with the place and the reason. Where the result can do more than the model (an atomic sequence with
//! several uses of channels), that is said on stderr.
//!
//! To FSP, and to the format of Aldebaran: structures side by side.

use crate::arguments::{ConvertArgs, Target};
use crate::failure::Failure;
use crate::model_file::{self, ModelFile};
use crate::terminal;
use model::budget::{Budget, Cancel};
use model::composition::Composition;
use model::diagnostic::Diagnostic;
use model::network::Network;
use report::diagnostics;
use scm::{NotExpressible, fold};
use std::io::Write;

/// Prints a model in another language.
pub fn run(args: &ConvertArgs, stop: &Cancel) -> Result<i32, Failure> {
    let budget = args.limits.budget(stop);
    let file = model_file::read(&args.file, &args.read, &budget)?;
    show(&file.diagnostics, &file, args)?;
    if let Some(composition) = &file.composition {
        return structures(composition, &file, args);
    }
    if file.program.is_some() || file.components.is_some() {
        return Err(Failure::Usage(format!("{}: C programs are not translated to other languages", file.info.file)));
    }
    let Some(network) = &file.network else { return Err(Failure::Model) };
    let converted = match args.to {
        Target::Scm => machines(&file, network, &budget),
        Target::Fsp | Target::Aut => {
            let why = "only structures side by side (.fsp, .aut) are translated to FSP and Aldebaran's format";
            return Err(Failure::Usage(String::from(why)));
        }
    };
    match converted {
        Ok((text, approximations)) => {
            show(&approximations, &file, args)?;
            std::io::stdout().write_all(text.as_bytes())?;
            Ok(0)
        }
        Err(refusal) => {
            let error = Diagnostic::error("not-expressible", refusal.span, refusal.why);
            show(&[error], &file, args)?;
            Err(Failure::Usage(format!("{} does not fit into communicating machines", file.info.file)))
        }
    }
}

/// Structures side by side: as FSP all of them, in the format of Aldebaran one.
fn structures(composition: &Composition, file: &ModelFile, args: &ConvertArgs) -> Result<i32, Failure> {
    let refused = |why: &str| Failure::Usage(format!("{}: {why}", file.info.file));
    let printed = match (args.to, composition.components.as_slice()) {
        (Target::Fsp, _) => fsp::print(composition),
        (Target::Aut, [only]) => fsp::print_aut(&only.structure, &|event| composition.event_name(event).to_owned()),
        (Target::Aut, several) => {
            let why =
                format!("an .aut file has one structure, and these are {}: choose one by --system", several.len());
            return Err(refused(&why));
        }
        (Target::Scm, _) => return Err(refused("structures side by side have no queues")),
    };
    let text = printed.map_err(|why| refused(&why.0))?;
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(0)
}

/// The text, and where it does more than the model.
fn machines(file: &ModelFile, network: &Network, budget: &Budget) -> Result<(String, Vec<Diagnostic>), NotExpressible> {
    let own = file.specification.clone().unwrap_or_default();
    let conditions = own.bad.iter().flat_map(|bad| bad.machines.iter().flatten().flatten());
    let plain = conditions.into_iter().all(|allowed| allowed.condition.is_none());
    if plain && let Ok(text) = scm::print(network, &own) {
        return Ok((text, Vec::new()));
    }
    let deadline = model::verdict::Limits::from(budget).deadline;
    let folded = fold(network, &fold::Limits { deadline, ..fold::Limits::default() })?;
    let mut specification = folded.specification(network, &own);
    specification.bad.extend(folded.errors().bad);
    let text = scm::print(&folded.network, &specification)?;
    let warning = |place: &fold::Approximation| Diagnostic::warning("approximated", place.span, place.why.clone());
    Ok((text, folded.approximations.iter().map(warning).collect()))
}

fn show(list: &[Diagnostic], file: &ModelFile, args: &ConvertArgs) -> Result<(), Failure> {
    if list.is_empty() {
        return Ok(());
    }
    let text = diagnostics::render(list, &file.sources, terminal::error_style(&args.style));
    std::io::stderr().write_all(text.as_bytes())?;
    Ok(())
}

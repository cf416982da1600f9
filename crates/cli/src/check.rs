//! `check`: which properties, which engine, which limits; the verdicts of one file after the other.

mod answer;
mod kinds;
mod plan;
mod wanted;
mod writing;

use crate::arguments::{CheckArgs, Format};
use crate::capacities;
use crate::components::Components;
use crate::compositions::Compositions;
use crate::failure::Failure;
use crate::machines::Machines;
use crate::model_file::{self, ModelFile};
use crate::programs::{Programs, only_for_c};
use model::budget::{Budget, Cancel, Stopwatch};
use model::context::Context;
use model::diagnostic::nearest;
use model::verdict::Property;
use plan::Plan;
use report::document::combined_exit_code;
use report::progress::TerminalObserver;
use std::path::Path;
use wanted::Wanted;
use writing::{report_failure, report_outcomes, show_diagnostics, write_unreadable};

/// Checks every file and returns the exit code.
pub fn run(args: &CheckArgs, stop: &Cancel) -> Result<i32, Failure> {
    let wanted = Wanted::parse(&args.properties)?;
    if args.certificate.is_some() && args.files.len() > 1 {
        return Err(Failure::Usage(String::from("--certificate is for one file at a time")));
    }
    if args.c_test.is_some() && args.files.len() > 1 {
        return Err(Failure::Usage(String::from("--c-test is for one file at a time")));
    }
    let mut codes = Vec::new();
    let mut traced = false;
    for path in &args.files {
        let code = match check_file(path, args, &wanted, stop, &mut traced) {
            Ok(code) => code,
            // Bad input in one file does not keep the others from being checked.
            Err(failure @ (Failure::Unreadable { .. } | Failure::Language { .. })) => {
                report_failure(path, args, &failure)?;
                failure.exit_code()
            }
            Err(failure) => return Err(failure),
        };
        codes.push(code);
    }
    Ok(combined_exit_code(codes))
}

fn check_file(
    path: &Path,
    args: &CheckArgs,
    wanted: &Wanted,
    stop: &Cancel,
    traced: &mut bool,
) -> Result<i32, Failure> {
    let start = Stopwatch::start();
    let budget = args.limits.budget(stop).states(args.max_states).depth(args.max_depth);
    if let Some(flag) = only_for_c(args).filter(|_| !model_file::is_program(path) && !model_file::is_components(path)) {
        return Err(Failure::Usage(format!("{flag} is for C (.c, .spec)")));
    }
    let file = read_asked(path, args, wanted, &budget)?;
    show_diagnostics(&file, args)?;
    let observer = TerminalObserver::new(!args.style.ascii, args.trace_refinement);
    let cx = &Context::new(&budget, &observer);
    let answered = match (&file.composition, &file.program, &file.components) {
        (Some(composition), ..) => Some(kinds::composition(&Compositions::new(composition, args)?, wanted, cx)),
        (_, Some(program), _) => {
            let programs = Programs::new(program, &file.sources, args)?;
            Some(kinds::program(&programs, wanted, cx))
        }
        (.., Some(components)) => {
            let components = Components::new(components, &file.sources, args)?;
            Some(kinds::components(&components, wanted, cx))
        }
        (None, None, None) => None,
    };
    drop(observer);
    if let Some(answered) = answered {
        let (outcomes, not_checked) = answered?;
        return report_outcomes(&file, outcomes, not_checked, start, args, traced);
    }
    let Some(network) = &file.network else {
        if args.format == Format::Json {
            write_unreadable(&file)?;
        }
        return Ok(Failure::Model.exit_code());
    };
    let machines = match file.specification {
        Some(_) if args.apply_bounds => {
            return Err(Failure::Usage(String::from("--apply-bounds is for Promela: these queues have no capacity")));
        }
        Some(_) => Some(Machines::new(&file, network, args, &budget)?),
        None => machines_only(args)?,
    };
    let plan = Plan::new(network, machines.as_ref(), wanted, args);
    plan::note_left_out(&plan, network, wanted, args)?;
    let observer = TerminalObserver::new(!args.style.ascii, args.trace_refinement);
    let cx = &Context::new(&budget, &observer);
    let answered = answer::answer(&plan, network, &file, machines.as_ref(), args, cx);
    drop(observer);
    let outcomes = answered?;
    if args.apply_bounds {
        return capacities::print(&outcomes, &file);
    }
    report_outcomes(&file, outcomes, plan.not_checked, start, args, traced)
}

/// What is for communicating machines, or for structures side by side, is bad usage elsewhere.
fn machines_only<'a>(args: &CheckArgs) -> Result<Option<Machines<'a>>, Failure> {
    if !args.bad.is_empty() {
        return Err(Failure::Usage(String::from("--bad is for communicating machines (.scm)")));
    }
    if args.plain {
        return Err(Failure::Usage(String::from("--plain is for structures side by side (.fsp, .aut)")));
    }
    Ok(None)
}

/// Reads a model, with the formulas of the command line that are none of its own.
fn read_asked(path: &Path, args: &CheckArgs, wanted: &Wanted, budget: &Budget) -> Result<ModelFile, Failure> {
    let file = model_file::read(path, &args.read, budget)?;
    let Wanted::Listed(properties) = wanted else { return Ok(file) };
    if file.network.is_none() && file.composition.is_none() && file.components.is_none() {
        return Ok(file);
    }
    let formulas: Vec<String> = properties
        .iter()
        .filter_map(|property| match property {
            Property::Ltl(text) if !file.has_formula(text) => Some(text.clone()),
            _ => None,
        })
        .collect();
    if formulas.is_empty() {
        return Ok(file);
    }
    if let Some(components) = &file.components {
        formulas.iter().try_for_each(|text| no_misspelt_name(text, components))?;
    }
    model_file::read_with_formulas(path, &args.read, &formulas, budget)
}

/// A formula that is one word and no event is most likely a name that is not spelt as in the specification.
fn no_misspelt_name(text: &str, components: &crate::components::ComponentsFile) -> Result<(), Failure> {
    let specification = &components.specification;
    let known = specification.events.iter().chain(&specification.propositions).any(|named| named.name == text);
    let word = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match nearest(text, specification.formulas.iter().map(|formula| formula.name.as_str())) {
        Some(near) if word && !known => {
            Err(Failure::Usage(format!("-p ltl:{text}: there is no such formula; did you mean `{near}`?")))
        }
        _ => Ok(()),
    }
}

//! `check`: which properties, which engine, which limits; the verdicts of one file after the other.

use crate::arguments::{AbstractionKind, CheckArgs, Engine, Format, SearchOrder};
use crate::asking::{Asking, Engines, has_buffered_channel};
use crate::capacities;
use crate::compositions::Compositions;
use crate::failure::Failure;
use crate::machines::{self, Machines};
use crate::model_file::{self, ModelFile};
use crate::programs::{Programs, only_for_programs};
use crate::terminal;
use explore::liveness::Setting;
use explore::{Options, Order, Packing};
use model::diagnostic::Diagnostic;
use model::network::{MachineKind, Network};
use model::semantics::{Reading, Semantics};
use model::source::Span;
use model::verdict::{Limits, Observer, Outcome, Property};
use report::diagnostics;
use report::document::{Document, NotChecked, combined_exit_code};
use report::json::{self, Unreadable};
use report::progress::TerminalObserver;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Checks every file and returns the exit code.
pub fn run(args: &CheckArgs, stop: &Arc<AtomicBool>) -> Result<i32, Failure> {
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

/// What the user asked for.
enum Wanted {
    /// Nothing in particular: what the model has.
    Everything,
    /// These.
    Listed(Vec<Property>),
}

impl Wanted {
    fn parse(lists: &[String]) -> Result<Wanted, Failure> {
        let mut properties = Vec::new();
        for item in lists.iter().flat_map(|list| split_list(list)) {
            match item.as_str() {
                "all" => return Ok(Wanted::Everything),
                "safety" => properties.push(Property::Safety),
                "deadlock" => properties.push(Property::Deadlock),
                "boundedness" => properties.push(Property::Boundedness),
                "livelock" => properties.push(Property::Livelock),
                "reception" => properties.push(Property::Reception),
                "orphan" => properties.push(Property::Orphan),
                "never" => properties.push(Property::Never(String::new())),
                "acceptance" => properties.push(Property::Acceptance),
                "trace" | "notrace" => properties.push(Property::Trace(item.clone())),
                other => match other.strip_prefix("ltl:") {
                    Some(formula) if !formula.is_empty() => properties.push(Property::Ltl(formula.to_owned())),
                    _ => {
                        let known = "safety, deadlock, boundedness, livelock, reception, orphan, ltl:NAME, ltl:'FORMULA', never, acceptance, trace, notrace, all";
                        return Err(Failure::Usage(format!(
                            "-p {other}: there is no such property; there are {known}"
                        )));
                    }
                },
            }
        }
        let mut seen = std::collections::HashSet::new();
        properties.retain(|property| seen.insert(property.clone()));
        Ok(if properties.is_empty() { Wanted::Everything } else { Wanted::Listed(properties) })
    }
}

/// Splits at commas that are not inside parentheses: a formula may have some.
fn split_list(list: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut level = 0i32;
    for c in list.chars() {
        match c {
            '(' | '[' | '{' => level += 1,
            ')' | ']' | '}' => level -= 1,
            _ => {}
        }
        if c == ',' && level == 0 {
            items.push(String::new());
        } else if let Some(last) = items.last_mut() {
            last.push(c);
        }
    }
    items.into_iter().map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()).collect()
}

fn check_file(
    path: &Path,
    args: &CheckArgs,
    wanted: &Wanted,
    stop: &Arc<AtomicBool>,
    traced: &mut bool,
) -> Result<i32, Failure> {
    let start = Instant::now();
    let deadline = start.checked_add(args.limits.timeout);
    if let Some(flag) = only_for_programs(args).filter(|_| !model_file::is_program(path)) {
        return Err(Failure::Usage(format!("{flag} is for C programs (.c)")));
    }
    let file = read_asked(path, args, wanted, deadline)?;
    show_diagnostics(&file, args)?;
    let limits = Limits {
        deadline,
        memory: Some(args.limits.memory).filter(|&m| m != u64::MAX),
        states: args.max_states,
        depth: args.max_depth,
    };
    if let Some(composition) = &file.composition {
        let plan = Joint { compositions: Compositions::new(composition, args)?, wanted };
        let observer = TerminalObserver::new(Arc::clone(stop), !args.style.ascii);
        let (outcomes, not_checked) = plan.answer(&limits, &observer)?;
        drop(observer);
        return report_outcomes(&file, outcomes, not_checked, start, args, traced);
    }
    if let Some(program) = &file.program {
        let programs = Programs::new(program, &file.sources, args)?;
        let observer = TerminalObserver::new(Arc::clone(stop), !args.style.ascii);
        let answered = answer_program(&programs, wanted, &limits, &observer);
        drop(observer);
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
        Some(_) => Some(Machines::new(&file, network, args, deadline, stop)?),
        None => machines_only(args)?,
    };
    let plan = Plan::new(network, machines.as_ref(), wanted, args);
    note_left_out(&plan, network, wanted, args)?;
    let observer = TerminalObserver::new(Arc::clone(stop), !args.style.ascii);
    let answered = answer(&plan, network, &file, machines.as_ref(), args, limits, (&observer, stop));
    drop(observer);
    let outcomes = answered?;
    if args.apply_bounds {
        return capacities::print(&outcomes, &file);
    }
    report_outcomes(&file, outcomes, plan.not_checked, start, args, traced)
}

/// Prints what was found, writes what is to be written, and returns the exit code.
fn report_outcomes(
    file: &ModelFile,
    outcomes: Vec<Outcome>,
    not_checked: Vec<NotChecked>,
    start: Instant,
    args: &CheckArgs,
    traced: &mut bool,
) -> Result<i32, Failure> {
    let document = Document {
        model: file.info.clone(),
        outcomes,
        not_checked,
        warnings: file.diagnostics.iter().filter(|d| !d.is_error()).count(),
        sources: &file.sources,
        time: start.elapsed(),
    };
    write_document(&document, args)?;
    write_files(&document, args, traced)?;
    Ok(document.exit_code())
}

/// Which properties of structures side by side are checked, and which are not.
struct Joint<'a> {
    compositions: Compositions<'a>,
    wanted: &'a Wanted,
}

impl Joint<'_> {
    fn answer(&self, limits: &Limits, observer: &dyn Observer) -> Result<(Vec<Outcome>, Vec<NotChecked>), Failure> {
        let asked = match self.wanted {
            Wanted::Everything => self.compositions.properties(),
            Wanted::Listed(properties) => properties.clone(),
        };
        let (mut properties, mut not_checked) = (Vec::new(), Vec::new());
        for property in asked {
            match self.compositions.unsupported(&property) {
                Some(reason) => {
                    let (property, reading) = (property.to_string(), Reading::Declared);
                    not_checked.push(NotChecked { property, reason, reading, asked: true });
                }
                None if property == Property::Safety && !self.compositions.has_error() => {
                    writeln!(std::io::stderr(), "note: safety is left out: no component has an error state")?;
                }
                None => properties.push(property),
            }
        }
        Ok((self.compositions.check(&properties, limits, observer), not_checked))
    }
}

/// Safety of a C program; what else is asked is not checked.
fn answer_program(
    programs: &Programs<'_>,
    wanted: &Wanted,
    limits: &Limits,
    observer: &dyn Observer,
) -> Result<(Vec<Outcome>, Vec<NotChecked>), Failure> {
    let asked = match wanted {
        Wanted::Everything => vec![Property::Safety],
        Wanted::Listed(properties) => properties.clone(),
    };
    let (mut outcomes, mut not_checked) = (Vec::new(), Vec::new());
    for property in asked {
        match programs.unsupported(&property) {
            None => outcomes.push(programs.safety(limits, observer)?),
            Some(reason) => {
                let (property, reading) = (property.to_string(), Reading::Declared);
                not_checked.push(NotChecked { property, reason, reading, asked: true });
            }
        }
    }
    Ok((outcomes, not_checked))
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
fn read_asked(path: &Path, args: &CheckArgs, wanted: &Wanted, deadline: Option<Instant>) -> Result<ModelFile, Failure> {
    let file = model_file::read(path, &args.read, deadline, args.limits.memory)?;
    let Wanted::Listed(properties) = wanted else { return Ok(file) };
    if file.network.is_none() && file.composition.is_none() {
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
    if file.specification.is_some() {
        return Err(Failure::Usage(String::from("temporal formulas are for Promela models in this version")));
    }
    model_file::read_with_formulas(path, &args.read, &formulas, deadline, args.limits.memory)
}

/// A property that does not apply is left out; who asked for it is told why.
fn note_left_out(plan: &Plan, network: &Network, wanted: &Wanted, args: &CheckArgs) -> Result<(), Failure> {
    let asked = |property: &Property| plan.properties.contains(property);
    if plan.without_bad {
        writeln!(std::io::stderr(), "note: safety is left out: the model has no bad states, and no --bad is given")?;
    }
    if asked(&Property::Boundedness) && !has_buffered_channel(network) {
        writeln!(std::io::stderr(), "note: boundedness is left out: no channel of the model holds messages")?;
    }
    if matches!(wanted, Wanted::Listed(list) if list.contains(&Property::Never(String::new())))
        && network.claims.iter().all(|claim| claim.kind != MachineKind::Never)
    {
        writeln!(std::io::stderr(), "note: never is left out: the model has no never claim")?;
    }
    if asked(&Property::Livelock) && args.progress.is_empty() && !has_progress_label(network) {
        writeln!(
            std::io::stderr(),
            "note: livelock is left out: the model has no progress label, and no --progress is given"
        )?;
    }
    Ok(())
}

/// Which properties are checked, and which are not.
struct Plan {
    properties: Vec<Property>,
    /// Boundedness is shown although nobody asked.
    advise: bool,
    not_checked: Vec<NotChecked>,
    reading: Reading,
    /// Safety is left out, since nothing is bad.
    without_bad: bool,
}

impl Plan {
    fn new(network: &Network, machines: Option<&Machines<'_>>, wanted: &Wanted, args: &CheckArgs) -> Plan {
        // Queues of communicating machines have no capacity that could be read otherwise.
        let reading = if machines.is_some() { Reading::Unbounded } else { args.channels.into() };
        let without_bad = machines.is_some_and(|machines| !machines.has_bad());
        let mut plan = Plan { properties: Vec::new(), advise: false, not_checked: Vec::new(), reading, without_bad };
        let asked = match wanted {
            _ if args.apply_bounds => vec![Property::Boundedness],
            Wanted::Everything if machines.is_some() => machines::properties(),
            Wanted::Everything => properties_of(network, !args.progress.is_empty()),
            Wanted::Listed(properties) => properties.iter().flat_map(|p| named(p, network)).collect(),
        };
        let searches_only = args.engine == Engine::Explore;
        plan.advise = matches!(wanted, Wanted::Everything) && !args.apply_bounds && !searches_only;
        plan.without_bad &= asked.contains(&Property::Safety);
        for property in asked.into_iter().filter(|p| !(without_bad && *p == Property::Safety)) {
            let unsupported = match machines {
                Some(_) => unsupported_of_machines(&property, args.engine),
                None => unsupported(&property, args.engine, reading),
            };
            match unsupported {
                None => plan.properties.push(property),
                Some(reason) => {
                    let property = property.to_string();
                    plan.not_checked.push(NotChecked { property, reason, reading, asked: true });
                }
            }
        }
        plan
    }
}

/// A property by its full name: `never` is all claims of the model.
fn named(property: &Property, network: &Network) -> Vec<Property> {
    match property {
        Property::Never(name) if name.is_empty() => {
            let claims = network.claims.iter().filter(|claim| claim.kind == MachineKind::Never);
            claims.map(|claim| Property::Never(claim.name.clone())).collect()
        }
        _ => vec![property.clone()],
    }
}

/// What a model is checked for when nothing is asked.
fn properties_of(network: &Network, events: bool) -> Vec<Property> {
    let mut properties = vec![Property::Safety, Property::Deadlock];
    if events || has_progress_label(network) {
        properties.push(Property::Livelock);
    }
    properties.extend(network.formulas.iter().map(|f| Property::Ltl(f.name.clone())));
    properties.extend(network.claims.iter().map(|claim| match claim.kind {
        MachineKind::Trace | MachineKind::NoTrace => Property::Trace(claim.name.clone()),
        _ => Property::Never(claim.name.clone()),
    }));
    if has_acceptance_label(network) && network.claims.iter().all(|claim| claim.kind != MachineKind::Never) {
        properties.push(Property::Acceptance);
    }
    properties
}

fn has_progress_label(network: &Network) -> bool {
    network.machines.iter().flat_map(|m| &m.locations).any(|l| l.progress)
}

fn has_acceptance_label(network: &Network) -> bool {
    network.machines.iter().flat_map(|m| &m.locations).any(|l| l.accept)
}

/// Why a property cannot be checked by this version, if it cannot.
fn unsupported(property: &Property, engine: Engine, reading: Reading) -> Option<String> {
    let static_question = matches!(property, Property::Boundedness | Property::Livelock);
    match engine {
        Engine::Auto | Engine::Explore => {}
        Engine::Flow if static_question => {}
        Engine::Flow => return Some(String::from("the engine `flow` answers boundedness and livelock only")),
        Engine::Fifo if !matches!(property, Property::Safety | Property::Deadlock) => {
            return Some(format!("the engine `fifo` does not answer {property} of Promela models"));
        }
        Engine::Fifo if reading != Reading::Unbounded => {
            return Some(String::from("the engine `fifo` answers for queues of any length: add --channels unbounded"));
        }
        Engine::Fifo => {}
        Engine::Compose => {
            return Some(String::from("the engine `compose` answers for structures side by side (.fsp, .aut)"));
        }
        Engine::Predicates => return Some(String::from("the engine `predicates` answers for C programs (.c)")),
    }
    match property {
        Property::Safety | Property::Deadlock | Property::Boundedness | Property::Livelock => None,
        Property::Ltl(_) | Property::Never(_) | Property::Acceptance | Property::Trace(_) => None,
        Property::Reception | Property::Orphan => {
            Some(format!("{property} is checked for communicating machines (.scm) in this version"))
        }
    }
}

/// Why a property of communicating machines cannot be checked by this version, if it cannot.
fn unsupported_of_machines(property: &Property, engine: Engine) -> Option<String> {
    let is_static = matches!(property, Property::Boundedness | Property::Livelock);
    match engine {
        _ if !is_static && !machines::answers(property) => {
            Some(format!("{property} is not checked for communicating machines by this version"))
        }
        Engine::Compose => Some(String::from("the engine `compose` answers for structures side by side (.fsp, .aut)")),
        Engine::Predicates => Some(String::from("the engine `predicates` answers for C programs (.c)")),
        Engine::Fifo if is_static => Some(format!("the engine `fifo` does not answer {property}; `flow` does")),
        Engine::Flow | Engine::Explore if !is_static => {
            Some(format!("{property} of communicating machines is answered by the engine `fifo`"))
        }
        _ => None,
    }
}

/// Every property of the plan, each by the engines that answer it.
fn answer(
    plan: &Plan,
    network: &Network,
    file: &ModelFile,
    machines: Option<&Machines<'_>>,
    args: &CheckArgs,
    limits: Limits,
    (observer, stop): (&dyn Observer, &Arc<AtomicBool>),
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
        limits,
        observer,
        fair: args.fair,
        reduction: args.reduction.into(),
        advisory: false,
        enumerate_cycles: args.abstraction == AbstractionKind::Cycles,
    };
    let mut outcomes = Vec::new();
    let searched: Vec<Property> =
        plan.properties.iter().filter(|p| matches!(p, Property::Safety | Property::Deadlock)).cloned().collect();
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
        Some(machines) => machines.check(&plan.properties, &limits, observer),
        None => {
            let limits = before_infinite_runs(plan, limits);
            let search = |properties: Vec<Property>, limits: Limits| {
                search(properties, plan.reading, network, file, args, limits, observer)
            };
            match (plan.reading, args.engine) {
                (Reading::Unbounded, Engine::Auto | Engine::Fifo) => {
                    machines::unbounded(searched, (file, network), args, limits, (observer, stop), &search)?
                }
                _ => search(searched, limits),
            }
        }
    };
    all.extend(outcomes);
    all.extend(infinite_runs(plan, network, file, args, limits, observer));
    let position = |outcome: &Outcome| plan.properties.iter().position(|p| *p == outcome.property);
    all.sort_by_key(|outcome| position(outcome).unwrap_or(usize::MAX));
    all.extend(advised);
    Ok(all)
}

/// The limits of what comes before formulas and claims: some of the time is left for these.
fn before_infinite_runs(plan: &Plan, limits: Limits) -> Limits {
    let (now, shares) = (Instant::now(), plan.properties.iter().filter(|p| is_about_infinite_runs(p)).count().min(3));
    let share = |deadline: Instant| now + deadline.saturating_duration_since(now) / (1 + shares as u32);
    Limits { deadline: limits.deadline.map(share), ..limits }
}

fn is_about_infinite_runs(property: &Property) -> bool {
    matches!(property, Property::Ltl(_) | Property::Never(_) | Property::Acceptance | Property::Trace(_))
}

/// Formulas, claims and acceptance labels, one after the other; each has its share of the time that is left.
fn infinite_runs(
    plan: &Plan,
    network: &Network,
    file: &ModelFile,
    args: &CheckArgs,
    limits: Limits,
    observer: &dyn Observer,
) -> Vec<Outcome> {
    let asked: Vec<&Property> = plan.properties.iter().filter(|p| is_about_infinite_runs(p)).collect();
    let semantics = Semantics::new(network, plan.reading);
    let mut outcomes = Vec::new();
    for (index, property) in asked.iter().enumerate() {
        let now = Instant::now();
        let share = |deadline: Instant| now + deadline.saturating_duration_since(now) / (asked.len() - index) as u32;
        let limits = Limits { deadline: limits.deadline.map(share), ..limits };
        let (sources, fair, reduction) = (&file.sources, args.fair, args.reduction.into());
        let setting = Setting { semantics: &semantics, sources, fair, reduction, limits, observer };
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
    limits: Limits,
    observer: &dyn Observer,
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
        limits,
        jobs: args.jobs,
        packing: if args.unpacked { Packing::Never } else { Packing::Auto },
        reduction: args.reduction.into(),
        bitstate: args.bitstate.then_some(limits.memory.unwrap_or(DEFAULT_BITS) / 2),
        ..Options::default()
    };
    explore::check(&semantics, &file.sources, &options, observer)
}

fn show_diagnostics(file: &ModelFile, args: &CheckArgs) -> Result<(), Failure> {
    if file.diagnostics.is_empty() {
        return Ok(());
    }
    let text = diagnostics::render(&file.diagnostics, &file.sources, terminal::error_style(&args.style));
    std::io::stderr().write_all(text.as_bytes())?;
    Ok(())
}

fn write_unreadable(file: &ModelFile) -> Result<(), Failure> {
    let unreadable = Unreadable {
        file: &file.info.file,
        language: Some(file.info.language),
        sha256: Some(&file.info.sha256),
        defines: &file.info.defines,
        diagnostics: &file.diagnostics,
        sources: &file.sources,
    };
    json::write_unreadable(&mut std::io::stdout().lock(), &unreadable)?;
    Ok(())
}

/// A file that is not there, or of another language.
fn report_failure(path: &Path, args: &CheckArgs, failure: &Failure) -> Result<(), Failure> {
    writeln!(std::io::stderr(), "error: {failure}")?;
    if args.format == Format::Json {
        let file = path.display().to_string();
        let sources = model::source::SourceMap::new();
        let diagnostic = Diagnostic::error("unreadable", Span::NONE, failure.to_string());
        let unreadable = Unreadable {
            file: &file,
            language: None,
            sha256: None,
            defines: &args.read.define,
            diagnostics: &[diagnostic],
            sources: &sources,
        };
        json::write_unreadable(&mut std::io::stdout().lock(), &unreadable)?;
    }
    Ok(())
}

fn write_document(document: &Document<'_>, args: &CheckArgs) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match args.format {
        Format::Json => json::write_check(&mut out, document)?,
        Format::Human => {
            let text = report::human::render(document, args.stats, terminal::style(&args.style));
            out.write_all(text.as_bytes())?;
        }
    }
    Ok(())
}

/// `--trace` and `--certificate`
fn write_files(document: &Document<'_>, args: &CheckArgs, traced: &mut bool) -> Result<(), Failure> {
    if let Some(path) = &args.trace
        && !*traced
        && let Some(outcome) = document.outcomes.iter().find(|o| has_run(o) && !o.details.advisory)
    {
        let mut out = create(path)?;
        json::write_trace(&mut out, &document.model, outcome, document.sources)?;
        out.flush()?;
        *traced = true;
    }
    if let Some(path) = &args.certificate {
        let mut out = create(path)?;
        json::write_certificates(&mut out, &document.model, &document.outcomes)?;
        out.flush()?;
    }
    Ok(())
}

fn has_run(outcome: &Outcome) -> bool {
    outcome.witness.is_some() || outcome.details.joint.is_some() || outcome.details.program_run.is_some()
}

fn create(path: &Path) -> Result<BufWriter<File>, Failure> {
    let unwritable =
        |e: std::io::Error| Failure::Unwritable { file: path.display().to_string(), reason: e.to_string() };
    Ok(BufWriter::new(File::create(path).map_err(unwritable)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_with_commas_in_parentheses_is_one_item() {
        assert_eq!(split_list("safety, ltl:G(a(1,2) -> F b),deadlock"), ["safety", "ltl:G(a(1,2) -> F b)", "deadlock"]);
    }

    #[test]
    fn an_unknown_property_is_bad_usage() {
        assert!(matches!(Wanted::parse(&[String::from("speed")]), Err(Failure::Usage(_))));
    }
}

//! `simulate`: one run of a model, at random, chosen by hand, or along a trace.
//!
//! The simulator takes its steps from the same semantics as the engines, so a trace that an engine
//! wrote replays here, step by step.

use crate::certificate::{belongs, property_named};
use crate::error::Error;
use crate::model::{Model, NetworkModel, System};
use crate::property::split_list;
use crate::settings::{Channels, ReadOptions};
use crate::trail;
use crate::walk::walk;
use crate::{components, compositions, machines, programs};
use cfront::term::Scalar;
use model::budget::Budget;
use model::chart::{Change, Chart, ChartStep, StepKey};
use model::expr::Expr;
use model::fault::FaultAt;
use model::formula::{Atom, Ltl, Modality};
use model::random::Random;
use model::semantics::{Reading, Semantics, Step};
use model::source::SourceMap;
use model::trace::{Narrator, ReplayError, Snapshot};
use model::verdict::Property;
use promela::trail::Trail;
use report::chart;
use report::parse::{self, Trace};
use report::style::Style;
use std::io::{BufRead, Write};
use std::path::Path;

/// How a simulation goes.
#[derive(Clone, Debug)]
pub struct SimulateOptions {
    /// The seed of the random choices; `None` to choose every step by hand.
    pub seed: Option<u64>,
    /// The most steps.
    pub steps: usize,
    /// The channel semantics.
    pub channels: Channels,
    /// The bad configurations that a run was found for, where they are not those of the file.
    pub bad: Vec<String>,
    /// Expressions over shared variables, whose values a run that is replayed shows.
    pub columns: Vec<String>,
    /// How output looks.
    pub style: Style,
}

/// Runs a model once; returns the exit code.
pub fn run(model: &Model, options: &SimulateOptions, out: &mut dyn Write) -> Result<i32, Error> {
    let mut chooser = options.seed.map_or(Chooser::Hand, |seed| Chooser::Random(Random::new(seed)));
    let (sources, steps) = (&model.sources, options.steps);
    match &model.system {
        System::Composition(composition) => compositions::run(composition, steps, &mut chooser, out),
        System::Program(program) => programs::run(program, sources, steps, &mut chooser, out),
        System::Components(components) => components::run(components, sources, steps, &mut chooser, out),
        System::Network(network) => {
            // Queues of communicating machines have no capacity that could be read otherwise.
            let reading = if network.is_machines() { Reading::Unbounded } else { options.channels.into() };
            let semantics = Semantics::new(&network.network, reading);
            let mut simulation = Simulation::new(&semantics, sources)?;
            match &mut chooser {
                Chooser::Random(random) => simulation.at_random(steps, random, out),
                Chooser::Hand => simulation.by_hand(steps, &|taken| saved(model, options.channels, taken), out),
            }
        }
    }
}

/// Follows a trace that `check` wrote for the model in a file; it must end in the problem it was written for.
pub fn replay(
    path: &Path,
    trace: &str,
    read: &ReadOptions,
    options: &SimulateOptions,
    out: &mut dyn Write,
) -> Result<i32, Error> {
    if promela::trail::is_trail(trace) {
        return replay_trail(path, trace, read, options, out);
    }
    let trace = parse::parse_trace(trace).map_err(|e| Error::Mismatch(e.to_string()))?;
    let mut read = read.clone();
    read.define.clone_from(&trace.defines);
    read.system.clone_from(&trace.system);
    if let Some(reading) = &trace.c {
        let unknown = || Error::Mismatch(format!("there is no data model `{}`", reading.data_model));
        read.c = input::options_named(&reading.data_model, reading.signed_overflow).ok_or_else(unknown)?;
        read.c.entry.clone_from(&reading.entry);
    }
    let model = Model::read_with(path, &read, &Budget::unlimited())?;
    belongs(&trace.sha256, &model)?;
    let model = match &trace.problem_code {
        Some(code) if code == "formula" => {
            model.with_formulas(&[property_named(&trace.property)?], &Budget::unlimited())?
        }
        _ => model,
    };
    let columns = columns(&model, options)?;
    let (sources, style) = (&model.sources, options.style);
    match &model.system {
        System::Network(network) => replay_network(network, sources, &trace, (options, columns), out),
        System::Program(program) => programs::replay(program, sources, &trace, style, out),
        System::Composition(_) | System::Components(_) => replay_joint(model, &trace, style, out),
    }
}

/// The expressions of a list, which are separated by commas.
pub fn split_columns(list: &str) -> Vec<String> {
    split_list(list)
}

/// Follows a trail of SPIN, which names no problem: it ends wherever it leads.
fn replay_trail(
    path: &Path,
    text: &str,
    read: &ReadOptions,
    options: &SimulateOptions,
    out: &mut dyn Write,
) -> Result<i32, Error> {
    let model = Model::read_with(path, read, &Budget::unlimited())?;
    let reading = options.channels.into();
    let network = trail::network(&model)?;
    let Trail { steps, loop_from } = promela::trail::read(network, text, reading).map_err(Error::Mismatch)?;
    let columns = columns(&model, options)?;
    let semantics = Semantics::new(network, reading);
    let mut narrator = Narrator::new(&semantics, &model.sources).with_columns(columns);
    let replayed = narrator.replay(&steps).map_err(not_replayed)?;
    let stuck = replayed.fault.is_none()
        && nothing_moves(&semantics, &replayed.state, replayed.control)
        && !semantics.stepper().is_valid_end(&replayed.state);
    let problem = match &replayed.fault {
        Some(fault) => fault.fault.code(),
        None if stuck => "invalid-end-state",
        None => "no problem",
    };
    let chart = Chart { loop_from, stuck, ..narrator.chart(replayed) };
    out.write_all(chart::whole(&chart, &model.sources, options.style).as_bytes())?;
    writeln!(out, "replayed {} steps of a trail: {problem} (channels {})", steps.len(), reading.name())?;
    Ok(0)
}

/// The expressions of `--columns`: what stands in a formula as an atom.
fn columns(model: &Model, options: &SimulateOptions) -> Result<Vec<(String, Expr)>, Error> {
    let formula = |text: &String| format!("[] ({text})");
    let properties: Vec<Property> = options.columns.iter().map(|text| Property::Ltl(formula(text))).collect();
    if properties.is_empty() {
        return Ok(Vec::new());
    }
    if model.language() != "promela" {
        return Err(Error::Usage(String::from("--columns is for Promela")));
    }
    let extended = model.extended(&properties, &Budget::unlimited()).map_err(|error| match &error {
        Error::Model(found) if !found.diagnostics.is_empty() => {
            Error::Usage(format!("--columns {}: {}", options.columns.join(", "), found.diagnostics[0].message))
        }
        _ => error,
    })?;
    let System::Network(network) = &extended.as_ref().unwrap_or(model).system else {
        return Err(Error::Internal("the kind of a model depends on its formulas"));
    };
    let column = |text: &String| {
        let known = network.network.formulas.iter().find(|known| known.name == formula(text));
        match known.map(|known| &known.formula) {
            Some(Ltl::Unary(Modality::Always, inner)) => match &**inner {
                Ltl::Atom(atom, _) => match &**atom {
                    Atom::State(e) => Ok((text.clone(), e.clone())),
                    Atom::Event(_) => Err(Error::Usage(format!("--columns {text}: an event has no value"))),
                },
                _ => Err(Error::Usage(format!("--columns {text}: this is a formula, not an expression"))),
            },
            _ => Err(Error::Usage(format!("--columns {text}: this is not an expression over shared variables"))),
        }
    };
    options.columns.iter().map(column).collect()
}

/// What is wrong at the end of a run of communicating machines that was written for a property.
fn end_of_machines(
    semantics: &Semantics<'_>,
    model: &NetworkModel,
    sources: &SourceMap,
    options: &SimulateOptions,
    property: &str,
    state: &[u8],
) -> Result<Option<&'static str>, Error> {
    let own = model.bad.clone().unwrap_or_default();
    let specification = machines::chosen(own, semantics.network(), &options.bad)?;
    let known = property_named(property).ok().filter(machines::answers);
    let end = known.and_then(|known| replay::ending(semantics, sources, &specification, &known, state));
    Ok(end.map(|end| end.code))
}

fn replay_network(
    model: &NetworkModel,
    sources: &SourceMap,
    trace: &Trace,
    (options, columns): (&SimulateOptions, Vec<(String, Expr)>),
    out: &mut dyn Write,
) -> Result<i32, Error> {
    let semantics = Semantics::new(&model.network, trace.reading);
    let mut narrator = Narrator::new(&semantics, sources).with_columns(columns);
    let steps = network_steps(trace).map_err(|error| Error::Mismatch(error.to_string()))?;
    let replayed = match narrator.replay(&steps) {
        Ok(replayed) => replayed,
        Err(ReplayError::Initial(fault)) if trace.problem_code.as_deref() == Some(fault.fault.code()) => {
            let place = sources.describe(fault.span);
            writeln!(out, "replayed 0 steps: {} at {place}, in the first state", fault.fault)?;
            return Ok(0);
        }
        Err(error) => return Err(not_replayed(error)),
    };
    let stuck = replayed.fault.is_none() && nothing_moves(&semantics, &replayed.state, replayed.control);
    let of_queues = matches!(trace.property.as_str(), "reception" | "orphan");
    let machines = (model.is_machines() || of_queues) && trace.loop_from.is_none();
    let is_prefix = trace.loop_from.is_none() && trace.problem_code.as_deref() == Some("formula");
    let problem = match &replayed.fault {
        _ if is_prefix => broken_formula(&semantics, &trace.property, &steps),
        // After a failed assertion a run goes on, and may end with another problem.
        Some(fault) if !of_queues => Some(fault.fault.code()),
        _ if machines => end_of_machines(&semantics, model, sources, options, &trace.property, &replayed.state)?,
        None if trace.loop_from.is_none() && is_assertion(&trace.property) => {
            broken_assertion(&semantics, sources, &trace.property, &steps)
        }
        None if stuck && trace.loop_from.is_none() => Some("invalid-end-state"),
        _ => None,
    };
    // A run with a loop has no problem at its end: its loop is the problem.
    let looping = trace.loop_from.is_some() && problem.is_none();
    if looping && !is_closed(&semantics, sources, trace, &steps, &replayed.state, stuck)? {
        return Err(Error::Mismatch(String::from("the run does not come back to where its loop begins")));
    }
    if trace.problem_code.is_some() && trace.problem_code.as_deref() != problem && !looping {
        let (expected, found) = (trace.problem_code.as_deref().unwrap_or_default(), problem.unwrap_or("no problem"));
        return Err(Error::Mismatch(format!("the run ends with {found}, not with {expected}")));
    }
    let chart = Chart { loop_from: trace.loop_from, stuck, ..narrator.chart(replayed) };
    out.write_all(chart::whole(&chart, sources, options.style).as_bytes())?;
    let end = problem.or(trace.problem_code.as_deref().filter(|_| looping)).unwrap_or("no problem");
    let (steps, property, reading) = (chart.steps.len(), &trace.property, trace.reading.name());
    writeln!(out, "replayed {steps} steps: {end} ({property}, channels {reading})")?;
    Ok(0)
}

/// Whether the loop of a run can be repeated: it ends where it begins, or nothing can move where it is empty. What a loop that
/// fills channels leads to is more than where it begins.
fn is_closed(
    semantics: &Semantics<'_>,
    sources: &SourceMap,
    trace: &Trace,
    steps: &[Step],
    last: &[u8],
    stuck: bool,
) -> Result<bool, Error> {
    match trace.loop_from {
        Some(from) if from >= steps.len() => Ok(stuck),
        Some(from) if trace.property != "boundedness" => {
            let mut narrator = Narrator::new(semantics, sources);
            let start = narrator.replay(&steps[..from]).map_err(not_replayed)?;
            Ok(start.state == last)
        }
        _ => Ok(true),
    }
}

/// A trace of a composition or of C components, with the formula that it is about if that is none of theirs.
fn replay_joint(model: Model, trace: &Trace, style: Style, out: &mut dyn Write) -> Result<i32, Error> {
    let model = model.with_formulas(&[property_named(&trace.property)?], &Budget::unlimited())?;
    match &model.system {
        System::Composition(composition) => compositions::follow(composition, &model.sources, trace, style, out),
        System::Components(components) => components::replay(components, &model.sources, trace, style, out),
        _ => Err(Error::Internal("the kind of a model depends on its formulas")),
    }
}

/// Shows a run that was replayed, with the number of its steps.
pub(crate) fn replayed(
    out: &mut dyn Write,
    run: &Chart,
    steps: usize,
    trace: &Trace,
    sources: &SourceMap,
    style: Style,
) -> Result<i32, Error> {
    out.write_all(chart::whole(run, sources, style).as_bytes())?;
    writeln!(out, "replayed {steps} steps: {} ({})", run.problem_code, trace.property)?;
    Ok(0)
}

/// The steps of a trace of processes.
fn network_steps(trace: &Trace) -> Result<Vec<Step>, parse::DocumentError> {
    trace.keys(|key| match key {
        StepKey::Network(key) => Some(Step::from(*key)),
        _ => None,
    })
}

fn is_assertion(property: &str) -> bool {
    property == "trace" || property == "notrace"
}

/// What is wrong with the messages of a run, by the assertion of the model.
fn broken_assertion(
    semantics: &Semantics<'_>,
    sources: &SourceMap,
    property: &str,
    steps: &[Step],
) -> Option<&'static str> {
    let machine = semantics.network().claims.iter().find(|claim| claim.name == property)?;
    explore::traced::witness(semantics, sources, machine, steps).map(|witness| witness.problem_code)
}

fn broken_formula(semantics: &Semantics<'_>, property: &str, steps: &[Step]) -> Option<&'static str> {
    let known = |name: &str| semantics.network().formulas.iter().find(|formula| formula.name == name);
    let formula = known(property.strip_prefix("ltl:").unwrap_or(property))?;
    explore::accept::is_bad_prefix(semantics, &formula.formula, steps).then_some("formula")
}

fn nothing_moves(semantics: &Semantics<'_>, state: &[u8], control: Option<u32>) -> bool {
    let mut stepper = semantics.stepper();
    let control = control.filter(|&process| stepper.keeps_control(state, process) == Ok(true));
    stepper.expand(state, control, &mut |_| ()) == Ok(0)
}

/// Why steps are none of a model.
pub(crate) fn not_replayed(error: ReplayError) -> Error {
    Error::Mismatch(match error {
        ReplayError::NoSuchStep(position) => {
            format!("step {} of the trace is not possible in this model", position + 1)
        }
        ReplayError::Initial(fault) => format!("the first state has a fault: {}", fault.fault),
        ReplayError::Overflow(overflow) => overflow.to_string(),
        ReplayError::Unfinished(reason) => reason.to_string(),
    })
}

/// Who chooses the next step.
pub enum Chooser {
    /// The dice.
    Random(Random),
    /// The user.
    Hand,
}

impl Chooser {
    /// One of some steps; nothing at the end of the input, or for `q`.
    pub fn choose(&mut self, out: &mut dyn Write, options: &[String]) -> Result<Option<usize>, Error> {
        match self {
            Chooser::Random(random) => Ok(Some(random.scaled(options.len()))),
            Chooser::Hand => ask(out, options),
        }
    }

    /// A value that comes from outside, as the bits of its type; nothing at the end of the input, or for `q`.
    pub fn number(&mut self, out: &mut dyn Write, what: &str, scalar: Scalar) -> Result<Option<u64>, Error> {
        let number = match self {
            Chooser::Random(random) => Some(i128::from(DRAWN[random.scaled(DRAWN.len())])),
            Chooser::Hand => read_number(out, &format!("{what} (a number, or q): "), "a number", |_: &i128| true)?,
        };
        let mask = u64::MAX >> (64 - u32::from(scalar.width.clamp(1, 64)));
        Ok(number.map(|number| number as u64 & mask))
    }
}

/// Numbers that are drawn for what comes from outside: mostly small ones, on which most programs decide.
const DRAWN: [i64; 12] = [0, 0, 1, 1, 2, 3, 4, 7, 10, 100, -1, -2];

/// Reads a number that fits; nothing at the end of the input, or for `q`.
fn read_number<T: std::str::FromStr>(
    out: &mut dyn Write,
    prompt: &str,
    please: &str,
    fits: impl Fn(&T) -> bool,
) -> Result<Option<T>, Error> {
    loop {
        write!(out, "{prompt}")?;
        out.flush()?;
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line)? == 0 || line.trim() == "q" {
            writeln!(out)?;
            return Ok(None);
        }
        match line.trim().parse::<T>() {
            Ok(number) if fits(&number) => return Ok(Some(number)),
            _ => writeln!(out, "please give {please}")?,
        }
    }
}

/// A step that can be taken now.
struct Candidate {
    step: Step,
    state: Option<Vec<u8>>,
    control: Option<u32>,
    fault: Option<FaultAt>,
}

struct Simulation<'a> {
    narrator: Narrator<'a>,
    semantics: &'a Semantics<'a>,
    sources: &'a SourceMap,
    state: Vec<u8>,
    control: Option<u32>,
    snapshot: Snapshot,
}

impl<'a> Simulation<'a> {
    fn new(semantics: &'a Semantics<'a>, sources: &'a SourceMap) -> Result<Self, Error> {
        let state = match semantics.stepper().initial() {
            Ok(Ok(state)) => state,
            Ok(Err(fault)) => return Err(Error::Mismatch(format!("the first state has a fault: {}", fault.fault))),
            Err(overflow) => return Err(Error::Mismatch(overflow.to_string())),
        };
        let mut narrator = Narrator::new(semantics, sources);
        let snapshot = narrator.snapshot(&state);
        Ok(Simulation { narrator, semantics, sources, state, control: None, snapshot })
    }

    fn at_random(&mut self, most: usize, random: &mut Random, out: &mut dyn Write) -> Result<i32, Error> {
        for number in 1..=most {
            let candidates = self.candidates()?;
            let index = random.scaled(candidates.len().max(1));
            let Some(chosen) = candidates.into_iter().nth(index) else { return self.stopped(out, number - 1) };
            if let Some(code) = self.take(out, number, chosen)? {
                return Ok(code);
            }
        }
        writeln!(out, "stopped after {most} steps (--steps)")?;
        Ok(0)
    }

    /// The user chooses, and may go back. The states that were seen are kept, so going there takes no step again.
    fn by_hand(
        &mut self,
        most: usize,
        save: &dyn Fn(&[Step]) -> Result<String, Error>,
        out: &mut dyn Write,
    ) -> Result<i32, Error> {
        let mut seen = vec![Seen { state: self.state.clone(), control: None, ended: None }];
        let (mut steps, mut at) = (Vec::new(), 0);
        loop {
            if at == most {
                writeln!(out, "stopped after {most} steps (--steps)")?;
                return Ok(0);
            }
            let candidates = if seen[at].ended.is_some() { Vec::new() } else { self.candidates()? };
            if candidates.is_empty() && seen[at].ended.is_none() {
                seen[at].ended = Some(self.stopped(out, at)?);
            }
            match command(out, &self.lines(&candidates))? {
                Command::Quit => return Ok(seen[at].ended.unwrap_or(0)),
                Command::Take(index) => {
                    let Some(chosen) = candidates.into_iter().nth(index) else { continue };
                    steps.truncate(at);
                    seen.truncate(at + 1);
                    steps.push(chosen.step);
                    at += 1;
                    let ended = self.take(out, at, chosen)?;
                    seen.push(Seen { state: self.state.clone(), control: self.control, ended });
                }
                Command::Undo(count) => at = self.go(&seen, at.saturating_sub(count), out)?,
                Command::Goto(step) if step < seen.len() => at = self.go(&seen, step, out)?,
                Command::Goto(_) => writeln!(out, "the run has {} steps so far", steps.len())?,
                Command::Values => self.values(out)?,
                Command::Save(file) => match save(&steps[..at]).map(|text| std::fs::write(&file, text)) {
                    Ok(Ok(())) => writeln!(out, "{at} steps are in {file}")?,
                    Ok(Err(error)) => writeln!(out, "cannot write {file}: {error}")?,
                    Err(error) => writeln!(out, "{error}")?,
                },
            }
        }
    }

    /// Goes to a state that was seen.
    fn go(&mut self, seen: &[Seen], step: usize, out: &mut dyn Write) -> Result<usize, Error> {
        let there = &seen[step];
        (self.state, self.control) = (there.state.clone(), there.control);
        self.snapshot = self.narrator.snapshot(&self.state);
        writeln!(out, "after step {step}")?;
        Ok(step)
    }

    fn values(&self, out: &mut dyn Write) -> Result<(), Error> {
        for Change { name, value } in &self.snapshot.variables {
            writeln!(out, "      {name} = {value}")?;
        }
        for contents in &self.snapshot.channels {
            writeln!(out, "      {} = [{}]", contents.channel, contents.messages.join(" "))?;
        }
        Ok(())
    }

    fn candidates(&mut self) -> Result<Vec<Candidate>, Error> {
        let mut stepper = self.semantics.stepper();
        let bound = |o: model::fault::Overflow| Error::Mismatch(o.to_string());
        let control = match self.control {
            Some(process) if stepper.keeps_control(&self.state, process).map_err(bound)? => Some(process),
            _ => None,
        };
        let mut candidates = Vec::new();
        stepper
            .expand(&self.state, control, &mut |s| {
                let (step, state, control) = (s.step, s.state.map(<[u8]>::to_vec), s.control);
                candidates.push(Candidate { step, state, control, fault: s.fault });
            })
            .map_err(bound)?;
        Ok(candidates)
    }

    /// Takes a step and prints it; returns an exit code if the run cannot go on.
    fn take(&mut self, out: &mut dyn Write, number: usize, chosen: Candidate) -> Result<Option<i32>, Error> {
        let words = self.narrator.describe(&self.state, chosen.step);
        if let Some(text) = self.narrator.output(&self.state, chosen.step) {
            writeln!(out, "      {}", text.trim_end_matches('\n'))?;
        }
        let (who, place) = self.mover(&words, 0);
        let partner = Some(self.mover(&words, 1).0).filter(|who| !who.is_empty());
        let partner = partner.map(|who| format!(" -> {who}")).unwrap_or_default();
        write!(out, "{number:5} {place:<20} {who:<16} {}{partner}", words.event.unwrap_or_default())?;
        let Some(next) = chosen.state else {
            writeln!(out)?;
            return self.fault(out, chosen.fault);
        };
        let after = self.narrator.snapshot(&next);
        for change in model::trace::changes(&self.snapshot, &after) {
            write!(out, "  {}={}", change.name, change.value)?;
        }
        for contents in model::trace::touched(&self.snapshot, &after) {
            write!(out, "  {}=[{}]", contents.channel, contents.messages.join(" "))?;
        }
        writeln!(out)?;
        (self.state, self.control, self.snapshot) = (next, chosen.control, after);
        self.fault(out, chosen.fault)
    }

    /// Who moves in a step, and where; nothing if there is no such mover.
    fn mover(&self, words: &ChartStep, index: usize) -> (String, String) {
        let Some(mover) = words.moves.get(index) else { return Default::default() };
        let who = self.narrator.lane(mover.lane).map(ToString::to_string);
        (who.unwrap_or_default(), mover.span.map(|span| self.sources.short(span)).unwrap_or_default())
    }

    fn fault(&self, out: &mut dyn Write, fault: Option<FaultAt>) -> Result<Option<i32>, Error> {
        let Some(FaultAt { fault, span }) = fault else { return Ok(None) };
        writeln!(out, "violated: {fault} at {}", self.sources.describe(span))?;
        Ok(Some(1))
    }

    /// Nothing can move.
    fn stopped(&mut self, out: &mut dyn Write, steps: usize) -> Result<i32, Error> {
        if self.semantics.stepper().is_valid_end(&self.state) {
            writeln!(out, "the run ends after {steps} steps: nothing can move, and every process may stop")?;
            return Ok(0);
        }
        writeln!(out, "violated: invalid end state after {steps} steps: nothing can move")?;
        for waits in self.narrator.waiting(&self.state).iter().filter(|waits| !waits.done) {
            let who = self.narrator.lane(waits.lane).map(ToString::to_string).unwrap_or_default();
            let place = waits.span.map(|span| self.sources.describe(span)).unwrap_or_default();
            writeln!(out, "  {who} waits at {place}")?;
        }
        Ok(1)
    }

    /// The candidates, a line for each.
    fn lines(&mut self, candidates: &[Candidate]) -> Vec<String> {
        let line = |candidate: &Candidate| {
            let words = self.narrator.describe(&self.state, candidate.step);
            let (who, place) = self.mover(&words, 0);
            format!("{who:<16} {place:<20} {}", words.event.unwrap_or_default())
        };
        candidates.iter().map(line).collect()
    }
}

/// A state that was seen; if the run cannot go on there, with the exit code.
struct Seen {
    state: Vec<u8>,
    control: Option<u32>,
    ended: Option<i32>,
}

/// A run as a document that `--replay` follows.
fn saved(model: &Model, channels: Channels, steps: &[Step]) -> Result<String, Error> {
    let keys: Vec<StepKey> = steps.iter().map(|&step| StepKey::Network(step.into())).collect();
    Ok(walk(model, channels, &keys)?.trace(model))
}

/// What the user wants next.
enum Command {
    Take(usize),
    Undo(usize),
    Goto(usize),
    Values,
    Save(String),
    Quit,
}

/// Shows options and reads a command.
fn command(out: &mut dyn Write, options: &[String]) -> Result<Command, Error> {
    for (index, option) in options.iter().enumerate() {
        writeln!(out, "  {:>3}) {option}", index + 1)?;
    }
    let last = options.len();
    loop {
        match last {
            0 => write!(out, "u, g N, v, s FILE, or q: ")?,
            last => write!(out, "step 1-{last}, or q: ")?,
        }
        out.flush()?;
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line)? == 0 {
            writeln!(out)?;
            return Ok(Command::Quit);
        }
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let number = rest.trim().parse::<usize>();
        match (word, number) {
            ("q", _) => return Ok(Command::Quit),
            ("u", Ok(count)) => return Ok(Command::Undo(count)),
            ("u", _) if rest.is_empty() => return Ok(Command::Undo(1)),
            ("g", Ok(step)) => return Ok(Command::Goto(step)),
            ("v", _) => return Ok(Command::Values),
            ("s", _) if !rest.trim().is_empty() => return Ok(Command::Save(rest.trim().to_owned())),
            _ => {}
        }
        match word.parse::<usize>() {
            Ok(number) if (1..=last).contains(&number) && rest.is_empty() => return Ok(Command::Take(number - 1)),
            _ => writeln!(out, "please give a number from 1 to {last}, or u, g N, v, s FILE")?,
        }
    }
}

/// Shows options and reads a number; nothing at the end of the input, or for `q`.
fn ask(out: &mut dyn Write, options: &[String]) -> Result<Option<usize>, Error> {
    for (index, option) in options.iter().enumerate() {
        writeln!(out, "  {:>3}) {option}", index + 1)?;
    }
    let last = options.len();
    let (prompt, please) = (format!("step 1-{last}, or q: "), format!("a number from 1 to {last}"));
    let number = read_number(out, &prompt, &please, |number| (1..=last).contains(number))?;
    Ok(number.map(|number| number - 1))
}

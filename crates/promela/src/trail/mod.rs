//! SPIN's trails: runs as SPIN's verifier writes them and `spin -t -p` replays them.
//!
//! A line `depth:process:statement` is a step. Statements are numbered through the whole model: those of the first process
//! type come first, from 0, in the order in which SPIN's parser makes them, jumps and joins included; the front end builds the
//! same elements in the same order ([`model::network::Location::executes`]). A rendezvous is two lines, sender first. Lines
//! with a negative depth are marks: -1 is the start of a loop, -2 says that process 0 is a claim, and -4 that *statement
//! merging* was on: then a line may stand for several steps, and only the first is named. What is written here has no
//! merged steps. A run that was found for a `never` claim has the claim's moves (`claim.rs`); SPIN's own claim for a formula is
//! another one than ours, so a run that was found for a formula has none.

mod claim;

use claim::Claimed;
use model::chart::{Chart, ChartStep, StepKey};
use model::ids::EdgeId;
use model::network::{Machine, Network};
use model::semantics::{Reading, Semantics, Step, Stepper};
use std::collections::{HashSet, VecDeque};
use std::fmt::Write as _;

/// More merged steps than this are not looked for.
const MOST_MERGED: usize = 256;

/// The mark before the first step of a loop.
const LOOP: &str = "-1:-1:-1\n";

/// A trail that was read: its steps in the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trail {
    /// The steps.
    pub steps: Vec<Step>,
    /// The first step of the loop, if there is one.
    pub loop_from: Option<usize>,
}

/// Why a trail is not one of the model.
type Mismatch = String;

/// Whether a text is a trail, and not a document.
pub fn is_trail(text: &str) -> bool {
    text.lines().next().is_some_and(|line| numbers(line).is_some())
}

/// A run as a trail; none if the run is too long to have all its steps, or a message is lost in it. A run that was found for
/// a claim has the moves of the claim, too.
pub fn write(network: &Network, chart: &Chart, reading: Reading, claim: Option<&str>) -> Option<String> {
    if chart.gap.is_some() {
        return None;
    }
    let key = |step: &ChartStep| match &step.key {
        Some(StepKey::Network(key)) => Some(Step::from(*key)),
        _ => None,
    };
    let steps = chart.steps.iter().map(key).collect::<Option<Vec<Step>>>()?;
    let claim = claim.and_then(|name| network.claims.iter().position(|claim| claim.name == name));
    let claimed = claim.and_then(|claim| {
        let semantics = Semantics::new(network, reading);
        Some((claim, claim::follow(&semantics, &network.claims[claim], &steps, chart.loop_from)?))
    });
    let mut writer = Writer { network, chart, steps: &steps, depth: 0, first: 0, text: String::new() };
    match &claimed {
        Some((claim, claimed)) => writer.with_claim(*claim, claimed)?,
        None => writer.alone()?,
    }
    Some(writer.text)
}

struct Writer<'a> {
    network: &'a Network,
    chart: &'a Chart,
    steps: &'a [Step],
    depth: usize,
    /// The number of the first process: a claim is process 0, and comes before it.
    first: u32,
    text: String,
}

impl Writer<'_> {
    fn alone(&mut self) -> Option<()> {
        // A run that ends goes on with nothing forever.
        for position in 0..=self.steps.len() {
            if self.chart.loop_from == Some(position) {
                self.text += LOOP;
            }
            if position < self.steps.len() {
                self.step(position)?;
            }
        }
        Some(())
    }

    fn with_claim(&mut self, claim: usize, claimed: &Claimed) -> Option<()> {
        let _ = writeln!(self.text, "-2:{}:-2", type_of_claim(self.network, claim));
        self.first = 1;
        for (index, (position, moves)) in claimed.stem.iter().chain(&claimed.cycle).enumerate() {
            if index == claimed.stem.len() {
                self.text += LOOP;
            }
            for edge in moves {
                self.line(0, statement(&self.network.claims[claim], *edge)?);
            }
            // The claim comes to its end before the next step.
            let ends = claimed.cycle.is_empty() && index + 1 == claimed.stem.len();
            let steps = claimed.steps[*position].clone();
            steps.filter(|_| !ends).try_for_each(|step| self.step(step))?;
        }
        Some(())
    }

    fn step(&mut self, position: usize) -> Option<()> {
        let moves = match self.steps[position] {
            Step::Edge { process, edge } => vec![(process, edge)],
            Step::Rendezvous { sender, receiver } => vec![sender, receiver],
            Step::Loss { .. } => return None,
        };
        for ((process, edge), mover) in moves.into_iter().zip(&self.chart.steps[position].moves) {
            let lane = self.chart.lanes.get(mover.lane);
            let machine =
                self.network.machines.iter().find(|machine| lane.is_some_and(|lane| lane.name == machine.name));
            self.line(self.first + process, statement(machine?, edge)?);
        }
        Some(())
    }

    fn line(&mut self, process: u32, statement: u32) {
        self.depth += 1;
        let _ = writeln!(self.text, "{}:{process}:{statement}", self.depth);
    }
}

/// The number of a claim among the process types and claims: it is counted where it is written.
fn type_of_claim(network: &Network, claim: usize) -> usize {
    let own = network.claims[claim].span;
    let before = |machine: &&Machine| machine.span.file != own.file || machine.span.start < own.start;
    claim + network.machines.iter().filter(before).count()
}

/// The number of the statement that an edge executes.
fn statement(machine: &Machine, edge: EdgeId) -> Option<u32> {
    let location = &machine.locations[machine.edges.get(edge.index())?.from.index()];
    let position = location.edges.iter().position(|other| *other == edge)?;
    location.executes.get(position).copied()
}

/// Whether some location of a process type offers a statement; jumps and joins are offered nowhere.
fn is_step(machine: &Machine, statement: u32) -> bool {
    machine.locations.iter().any(|location| location.executes.contains(&statement))
}

/// Reads a trail, and takes its steps in a model.
pub fn read(network: &Network, text: &str, reading: Reading) -> Result<Trail, Mismatch> {
    let (lines, loop_line) = lines(text)?;
    let semantics = Semantics::new(network, reading);
    let mut stepper = semantics.stepper();
    let state = match stepper.initial() {
        Ok(Ok(state)) => state,
        Ok(Err(fault)) => return Err(format!("the first state has a fault: {}", fault.fault)),
        Err(overflow) => return Err(overflow.to_string()),
    };
    let here = Here { state, control: None, failed: false };
    let mut follower = Follower { stepper, network, here, steps: Vec::new() };
    let (mut position, mut loop_from) = (0, None);
    while position < lines.len() {
        if loop_line == Some(position) {
            loop_from = Some(follower.steps.len());
        }
        position += follower.follow(&lines[position..])?;
    }
    let ends = loop_line == Some(lines.len());
    if loop_line.is_none() || ends {
        follower.finish(lines.last().map(|line| line.process))?;
    }
    if ends {
        loop_from = Some(follower.steps.len());
    }
    Ok(Trail { steps: follower.steps, loop_from })
}

/// A step of a trail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Line {
    number: usize,
    process: u32,
    statement: u32,
}

fn numbers(line: &str) -> Option<[i64; 3]> {
    let mut numbers = line.trim().split(':').map(|number| number.parse::<i64>().ok());
    match (numbers.next()??, numbers.next()??, numbers.next()??, numbers.next()) {
        (depth, process, statement, None) => Some([depth, process, statement]),
        _ => None,
    }
}

/// The steps of a trail without those of its claim, and which of them is the first of the loop.
fn lines(text: &str) -> Result<(Vec<Line>, Option<usize>), Mismatch> {
    let (mut lines, mut loop_line, mut claim) = (Vec::new(), None, 0);
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = || format!("line {} is not that of a trail: `{line}`", index + 1);
        let [depth, process, statement] = numbers(line).ok_or_else(wrong)?;
        match depth {
            -1 => loop_line = Some(lines.len()),
            -2 => claim = 1,
            ..=-5 => {
                return Err(String::from("the search was permuted: only `pan -r` replays this trail"));
            }
            -4 | -3 => {}
            _ if process < claim => {}
            _ => {
                let process = u32::try_from(process - claim).map_err(|_| wrong())?;
                let statement = u32::try_from(statement).map_err(|_| wrong())?;
                lines.push(Line { number: index + 1, process, statement });
            }
        }
    }
    Ok((lines, loop_line))
}

/// A state of a run.
#[derive(Clone)]
struct Here {
    state: Vec<u8>,
    control: Option<u32>,
    failed: bool,
}

struct Follower<'s> {
    stepper: Stepper<'s>,
    network: &'s Network,
    here: Here,
    steps: Vec<Step>,
}

impl Follower<'_> {
    /// Takes the step of the first of some lines, and what was merged with it; returns how many lines that were.
    fn follow(&mut self, lines: &[Line]) -> Result<usize, Mismatch> {
        let Line { number, process, statement } = lines[0];
        let impossible =
            || format!("line {number} of the trail: process {process} cannot take statement {statement} here");
        let (machine, _) = self.stepper.place(&self.here.state, process).ok_or_else(impossible)?;
        if self.here.failed {
            return Err(impossible());
        }
        if !is_step(self.network.machine(machine), statement) {
            return Ok(1);
        }
        let mut found = self.matching(&self.here.clone(), lines)?;
        // A process without further lines may have merged steps left, for which this one waits: `timeout` does.
        for idle in
            (0..).take_while(|&process| self.stepper.place(&self.here.state, process).is_some()).collect::<Vec<_>>()
        {
            if found.is_none() && lines.iter().all(|line| line.process != idle) {
                self.run_until(idle, |follower, here| matches!(follower.matching(here, lines), Ok(Some(_))))?;
                found = self.matching(&self.here.clone(), lines)?;
            }
        }
        let (step, next, taken) = found.ok_or_else(impossible)?;
        self.steps.push(step);
        self.here = next;
        for mover in &lines[..taken] {
            self.merged(mover.process, &lines[taken..])?;
        }
        Ok(taken)
    }

    /// The step of the first of some lines, where it leads, and how many lines it is.
    fn matching(&mut self, here: &Here, lines: &[Line]) -> Result<Option<(Step, Here, usize)>, Mismatch> {
        let fits = |follower: &mut Self, (who, edge): (u32, EdgeId), line: &Line| {
            who == line.process && follower.number(here, who, edge) == Some(line.statement)
        };
        for (step, next) in self.successors(here)? {
            let taken = match step {
                Step::Edge { process, edge } => fits(self, (process, edge), &lines[0]).then_some(1),
                Step::Rendezvous { sender, receiver } => {
                    let both =
                        fits(self, sender, &lines[0]) && lines.get(1).is_some_and(|line| fits(self, receiver, line));
                    both.then_some(2)
                }
                Step::Loss { .. } => None,
            };
            if let Some(taken) = taken {
                return Ok(Some((step, next, taken)));
            }
        }
        Ok(None)
    }

    fn number(&mut self, here: &Here, process: u32, edge: EdgeId) -> Option<u32> {
        let (machine, _) = self.stepper.place(&here.state, process)?;
        statement(self.network.machine(machine), edge)
    }

    fn successors(&mut self, from: &Here) -> Result<Vec<(Step, Here)>, Mismatch> {
        let bound = |overflow: model::fault::Overflow| overflow.to_string();
        let control = match from.control {
            Some(process) if self.stepper.keeps_control(&from.state, process).map_err(bound)? => Some(process),
            _ => None,
        };
        let mut found = Vec::new();
        let each = &mut |s: model::semantics::Successor<'_>| {
            let state = s.state.map_or_else(|| from.state.clone(), <[u8]>::to_vec);
            found.push((s.step, Here { state, control: s.control, failed: s.fault.is_some() || s.state.is_none() }));
        };
        self.stepper.expand(&from.state, control, each).map_err(bound)?;
        Ok(found)
    }

    /// The steps that a process took together with that of the last line: until it is where its next line is possible, or,
    /// if it has control and another process is next, until it gives it up.
    fn merged(&mut self, process: u32, rest: &[Line]) -> Result<(), Mismatch> {
        let Some((machine, _)) = self.stepper.place(&self.here.state, process) else { return Ok(()) };
        let next =
            rest.iter().find(|line| line.process == process && is_step(self.network.machine(machine), line.statement));
        match (next, rest.first()) {
            (Some(next), _) => self.run_until(process, |follower, here| {
                let place = follower.stepper.place(&here.state, process);
                place.is_none_or(|(machine, at)| {
                    let location = &follower.network.machine(machine).locations[at.index()];
                    location.executes.contains(&next.statement)
                })
            }),
            (None, Some(_)) => self.run_until(process, |_, here| here.control != Some(process)),
            (None, None) => Ok(()),
        }
    }

    /// Takes the fewest steps of a process alone to a state that is wanted; none if there is no such state.
    fn run_until(&mut self, process: u32, wanted: impl Fn(&mut Self, &Here) -> bool) -> Result<(), Mismatch> {
        let mut open = VecDeque::from([(self.here.clone(), Vec::new())]);
        let mut seen = HashSet::from([self.here.state.clone()]);
        while let Some((here, path)) = open.pop_front() {
            if wanted(self, &here) {
                self.steps.extend(path);
                self.here = here;
                return Ok(());
            }
            if here.failed || seen.len() > MOST_MERGED {
                continue;
            }
            for (step, next) in self.successors(&here)? {
                if matches!(step, Step::Edge { process: mover, .. } if mover == process)
                    && seen.insert(next.state.clone())
                {
                    open.push_back((next, [path.as_slice(), &[step]].concat()));
                }
            }
        }
        Ok(())
    }

    /// What was merged with the last lines: up to a fault of the process that moved last, or until nothing can move.
    fn finish(&mut self, last: Option<u32>) -> Result<(), Mismatch> {
        let Some(last) = last.filter(|_| !self.here.failed) else { return Ok(()) };
        self.run_until(last, |_, here| here.failed)?;
        if self.here.failed {
            return Ok(());
        }
        let (before, steps) = (self.here.clone(), self.steps.len());
        for _ in 0..MOST_MERGED {
            let Some((step, next)) = self.successors(&self.here.clone())?.into_iter().next() else { return Ok(()) };
            self.steps.push(step);
            self.here = next;
        }
        // Not a run that ends: the trail is all there is.
        self.steps.truncate(steps);
        self.here = before;
        Ok(())
    }
}

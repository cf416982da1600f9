//! `trace` and `notrace` assertions: all states, each with the place of the automaton that watches messages.
//!
//! The automaton is deterministic, so it adds a number to a state and nothing else. Here states in the middle of an atomic
//! sequence count as well: the order of messages inside of one matters. The search is breadth-first, so that the
//! run that is shown is a shortest one; it is replayed with the automaton beside it before it counts.

use crate::ENGINE;
use crate::clock::Clock;
use crate::liveness::Setting;
use crate::table::{Lookup, NO_PARENT, StateId, StateTable};
use model::budget::Stopwatch;
use model::chart::Chart;
use model::event_trace::{EventTrace, Reaction};
use model::fairness::Fairness;
use model::fault::Overflow;
use model::network::Machine;
use model::semantics::{Semantics, Step, Stepper};
use model::source::{SourceMap, Span};
use model::trace::Narrator;
use model::verdict::{Certificate, Outcome, Progress, Property, Reason, SearchStats, Verdict};

impl Setting<'_> {
    /// Whether every run keeps a `trace` or `notrace` assertion.
    pub fn trace(&self, machine: &Machine) -> Outcome {
        let start = Stopwatch::start();
        let property = Property::Trace(machine.name.clone());
        let mut outcome = match EventTrace::of_machine(self.semantics, machine) {
            Ok(trace) => self.follow(property, &trace),
            Err(refused) => {
                let why = format!("{} is not supported: {}", refused.why, self.sources.short(refused.span));
                Outcome::open(property, self.semantics.reading(), ENGINE, Reason::NotSupported(why))
            }
        };
        outcome.time = start.elapsed();
        outcome
    }

    fn follow(&self, property: Property, trace: &EventTrace) -> Outcome {
        let mut search = Search {
            trace,
            stepper: self.semantics.stepper(),
            table: StateTable::default(),
            clock: Clock::new(self.cx),
            transitions: 0,
            crashed: None,
        };
        search.stepper.listen();
        let ended = search.run();
        let reason = String::from("a violation was found, but its run did not replay");
        let mut outcome = Outcome::open(property, self.semantics.reading(), ENGINE, Reason::Internal(reason));
        outcome.stats = Some(search.stats(matches!(ended, Err(Ended::Violated { .. }))));
        match (ended, search.crashed.take()) {
            (Ok(()), None) => outcome.prove(Certificate::Searched { fair: Fairness::None, events: Vec::new() }),
            (Ok(()), Some(crash)) => outcome.verdict = Verdict::Inconclusive(Reason::Crash(crash)),
            (Err(Ended::Stopped(reason)), _) => outcome.verdict = Verdict::Inconclusive(reason),
            (Err(Ended::Ambiguous(span)), _) => {
                outcome.verdict = Verdict::Inconclusive(Reason::NotSupported(format!(
                    "the assertion is not deterministic: two of its statements fit the same message ({})",
                    self.sources.short(span)
                )));
            }
            (Err(Ended::Violated { state, last }), _) => {
                outcome.witness = shown(self.semantics, self.sources, trace, &search.steps_to(state, last));
                if outcome.witness.is_some() {
                    outcome.verdict = Verdict::Violated;
                }
            }
        }
        outcome
    }
}

/// A run put into words, if it shows that an assertion of the model is violated.
pub fn witness(semantics: &Semantics<'_>, sources: &SourceMap, machine: &Machine, steps: &[Step]) -> Option<Chart> {
    let trace = EventTrace::of_machine(semantics, machine).ok()?;
    shown(semantics, sources, &trace, steps)
}

/// Replays a run with the automaton beside it; `None` if it shows no violation.
fn shown(semantics: &Semantics<'_>, sources: &SourceMap, trace: &EventTrace, steps: &[Step]) -> Option<Chart> {
    let mut stepper = semantics.stepper();
    stepper.listen();
    let mut at = Point { state: stepper.initial().ok()?.ok()?, control: None, trace: trace.initial };
    let mut broken = false;
    for &step in steps {
        if broken {
            return None;
        }
        if at.control.is_some() && stepper.expand(&at.state, at.control, &mut |_| ()).ok()? == 0 {
            at.control = None;
        }
        let mut next = None;
        let visited = stepper.expand(&at.state, at.control, &mut |successor| {
            if successor.step == step {
                let reaction = trace.react_to_all(at.trace, successor.exchanges);
                next = Some((successor.state.map(<[u8]>::to_vec), successor.control, reaction));
            }
        });
        visited.ok()?;
        match next? {
            (Some(state), control, Reaction::At(trace)) => at = Point { state, control, trace },
            (_, _, Reaction::Violated) => broken = true,
            _ => return None,
        }
    }
    let may_stop = |stepper: &mut Stepper<'_>| {
        stepper.expand(&at.state, at.control, &mut |_| ()) == Ok(0)
            && stepper.expand(&at.state, None, &mut |_| ()) == Ok(0)
            && stepper.is_valid_end(&at.state)
    };
    let (problem, problem_code) = match (broken, trace.negated) {
        (true, true) => (String::from("the messages of this run are those that must not be"), "trace-matched"),
        (true, false) => (String::from("the last message is none that the assertion allows here"), "trace-broken"),
        (false, false) if may_stop(&mut stepper) && !trace.may_end(at.trace) => {
            (String::from("the run ends, and the assertion waits for more messages"), "trace-incomplete")
        }
        _ => return None,
    };
    let mut narrator = Narrator::new(semantics, sources);
    let replayed = narrator.replay(steps).ok()?;
    let problem_span = trace.awaited(at.trace);
    Some(Chart { problem, problem_code, problem_span, ..narrator.chart(replayed) })
}

/// A state, the process that keeps control in it, and where the automaton is.
struct Point {
    state: Vec<u8>,
    control: Option<u32>,
    trace: u32,
}

impl Point {
    fn bytes(state: &[u8], control: Option<u32>, trace: u32, into: &mut Vec<u8>) {
        into.clear();
        into.extend_from_slice(state);
        into.extend(control.map_or(u32::MAX, |process| process).to_le_bytes());
        into.extend(trace.to_le_bytes());
    }

    fn of(bytes: &[u8]) -> Option<Point> {
        let (rest, trace) = bytes.split_last_chunk::<4>()?;
        let (state, control) = rest.split_last_chunk::<4>()?;
        let control = Some(u32::from_le_bytes(*control)).filter(|&process| process != u32::MAX);
        Some(Point { state: state.to_vec(), control, trace: u32::from_le_bytes(*trace) })
    }
}

/// Why the search ended before all states were visited.
enum Ended {
    Stopped(Reason),
    Ambiguous(Span),
    /// In a state, or in a step from it.
    Violated {
        state: StateId,
        last: Option<Step>,
    },
}

impl From<Overflow> for Ended {
    fn from(overflow: Overflow) -> Ended {
        Ended::Stopped(Reason::from(overflow))
    }
}

struct Search<'a> {
    trace: &'a EventTrace,
    stepper: Stepper<'a>,
    table: StateTable,
    clock: Clock<'a>,
    transitions: u64,
    crashed: Option<String>,
}

impl Search<'_> {
    fn run(&mut self) -> Result<(), Ended> {
        let initial = self.stepper.initial()?.map_err(|fault| {
            Ended::Stopped(Reason::NotSupported(format!("there is no first state: {}", fault.fault)))
        })?;
        let mut bytes = Vec::new();
        Point::bytes(&initial, None, self.trace.initial, &mut bytes);
        self.table.insert(&bytes, NO_PARENT);
        let mut next: StateId = 0;
        while (next as usize) < self.table.len() {
            self.check_limits(next)?;
            let Some(point) = Point::of(self.table.state(next)) else { break };
            self.expand(next, &point, &mut bytes)?;
            next += 1;
        }
        Ok(())
    }

    fn expand(&mut self, id: StateId, point: &Point, bytes: &mut Vec<u8>) -> Result<(), Ended> {
        let (trace, table, crashed) = (self.trace, &mut self.table, &mut self.crashed);
        let mut ended = None;
        let count = self.stepper.expand(&point.state, point.control, &mut |successor| {
            let Some(state) = successor.state else {
                let fault = successor.fault.map(|fault| fault.fault.to_string());
                *crashed = crashed.take().or(fault);
                return;
            };
            match trace.react_to_all(point.trace, successor.exchanges) {
                _ if ended.is_some() => {}
                Reaction::At(at) => {
                    Point::bytes(state, successor.control, at, bytes);
                    if matches!(table.insert(bytes, id), Lookup::Full) {
                        ended = Some(Ended::from(Overflow::States));
                    }
                }
                Reaction::Violated => ended = Some(Ended::Violated { state: id, last: Some(successor.step) }),
                Reaction::Ambiguous(span) => ended = Some(Ended::Ambiguous(span)),
            }
        })?;
        self.transitions += count as u64;
        if let Some(ended) = ended {
            return Err(ended);
        }
        if count > 0 {
            return Ok(());
        }
        if point.control.is_some() {
            // The process is blocked and loses control.
            Point::bytes(&point.state, None, point.trace, bytes);
            return match self.table.insert(bytes, id) {
                Lookup::Full => Err(Overflow::States.into()),
                _ => Ok(()),
            };
        }
        match self.trace.may_end(point.trace) || !self.stepper.is_valid_end(&point.state) {
            true => Ok(()),
            false => Err(Ended::Violated { state: id, last: None }),
        }
    }

    /// The steps that lead to a state, and then one more.
    fn steps_to(&mut self, state: StateId, last: Option<Step>) -> Vec<Step> {
        let mut way = vec![state];
        while let Some(parent) = way.last().and_then(|&id| self.table.parent(id)) {
            way.push(parent);
        }
        way.reverse();
        let mut steps = Vec::with_capacity(way.len());
        for pair in way.windows(2) {
            let (Some(from), to) = (Point::of(self.table.state(pair[0])), self.table.state(pair[1])) else { continue };
            let (mut found, mut bytes) = (None, Vec::new());
            // What was expanded once can be expanded again.
            let _ = self.stepper.expand(&from.state, from.control, &mut |successor| {
                let reaction = self.trace.react_to_all(from.trace, successor.exchanges);
                if let (Some(state), Reaction::At(at), None) = (successor.state, reaction, found) {
                    Point::bytes(state, successor.control, at, &mut bytes);
                    found = (bytes == to).then_some(successor.step);
                }
            });
            steps.extend(found);
        }
        steps.extend(last);
        steps
    }

    fn check_limits(&mut self, at: StateId) -> Result<(), Ended> {
        let table = &self.table;
        if self.clock.cx.budget.most_states().is_some_and(|limit| table.len() as u64 > limit) {
            return Err(Ended::Stopped(Reason::States));
        }
        let (states, transitions) = (table.len() as u64, self.transitions);
        let waiting = states - u64::from(at);
        let progress =
            || Progress { engine: ENGINE, states, waiting, transitions, depth: 0, memory_bytes: table.memory_bytes() };
        self.clock.tick(table.growth_bytes(), progress).map_or(Ok(()), |reason| Err(Ended::Stopped(reason)))
    }

    fn stats(&self, violated: bool) -> SearchStats {
        SearchStats {
            states: self.table.len() as u64,
            transitions: self.transitions,
            depth: 0,
            state_bytes: self.table.state_bytes(),
            memory_bytes: self.table.memory_bytes(),
            violations: u64::from(violated),
        }
    }
}

//! Runs of networks.

use crate::Replayed;
use model::chart::{Chart, ChartStep, StepKey};
use model::context::Context;
use model::fault::Fault;
use model::reason::Reason;
use model::semantics::{Semantics, Step, Stepper};

impl Replayed {
    /// A run of a network: every step is possible, and it ends as the witness says.
    pub fn network(semantics: &Semantics<'_>, witness: &Chart, cx: &Context<'_>) -> Result<Replayed, Reason> {
        let stuck = |stepper: &mut Stepper<'_>, state: &[u8]| stays(stepper, state) && !stepper.is_valid_end(state);
        Replayed::ending(semantics, witness, &stuck, cx)
    }

    /// A run of communicating machines, which have no valid ends: a message that is left is a deadlock, too.
    pub fn machines(semantics: &Semantics<'_>, witness: &Chart, cx: &Context<'_>) -> Result<Replayed, Reason> {
        Replayed::ending(semantics, witness, &stays, cx)
    }

    fn ending(
        semantics: &Semantics<'_>,
        witness: &Chart,
        stuck: &Stuck<'_>,
        cx: &Context<'_>,
    ) -> Result<Replayed, Reason> {
        let step = |step: &ChartStep| match step.key {
            Some(StepKey::Network(key)) => Some(Step::from(key)),
            _ => None,
        };
        let steps: Option<Vec<Step>> = witness.steps.iter().map(step).collect();
        let steps = steps.ok_or_else(|| Reason::Internal(String::from("a run is not one of a network")))?;
        match replay(semantics, &steps, witness, stuck, cx)? {
            End::AsSaid => Ok(Replayed { steps: steps.len() }),
            End::Guessed => Err(Reason::NotProvable(String::from(
                "the run is possible, not certain: it depends on code or data that is not modelled",
            ))),
            End::Other => Err(Reason::Internal(String::from("a run does not end as it should"))),
        }
    }
}

/// How a run ends.
#[derive(PartialEq, Eq)]
enum End {
    AsSaid,
    /// As the witness says, but a step guesses: the run may be none of the model.
    Guessed,
    Other,
}

impl From<bool> for End {
    fn from(as_said: bool) -> End {
        if as_said { End::AsSaid } else { End::Other }
    }
}

/// Takes the steps of a run again. Whether it ends as the witness says: with its fault, in a state where nothing can move,
/// or where its loop starts. What a loop adds to channels is decided elsewhere.
fn replay(
    semantics: &Semantics<'_>,
    steps: &[Step],
    witness: &Chart,
    stuck: &Stuck<'_>,
    cx: &Context<'_>,
) -> Result<End, Reason> {
    let none = || Reason::Internal(String::from("a run is not one of the model"));
    let mut stepper = semantics.stepper();
    let mut state = match stepper.initial()? {
        Ok(state) => state,
        Err(fault) => return Ok((steps.is_empty() && fault.fault.code() == witness.problem_code).into()),
    };
    let mut guessed = false;
    let (mut control, mut fault, mut start) = (None, None, None);
    for (position, &wanted) in steps.iter().enumerate() {
        cx.spend(state.len())?;
        if witness.loop_from == Some(position) {
            start = Some(state.clone());
        }
        let owner = match control {
            Some(process) if stepper.keeps_control(&state, process)? => Some(process),
            _ => None,
        };
        guessed |= guesses(semantics, &mut stepper, &state, wanted);
        let mut found = None;
        let taken = stepper.expand(&state, owner, &mut |successor| {
            if successor.step == wanted && found.is_none() {
                found = Some((successor.state.map(<[u8]>::to_vec), successor.control, successor.fault));
            }
        });
        taken?;
        let (next, next_control, next_fault) = found.ok_or_else(none)?;
        (control, fault) = (next_control, next_fault);
        match next {
            Some(next) => state = next,
            None if position + 1 < steps.len() => return Err(none()),
            None => {}
        }
    }
    let as_said = match start {
        Some(start) if witness.gains.is_empty() => start == state,
        Some(_) => true,
        None if Fault::CODES.contains(&witness.problem_code) => {
            fault.is_some_and(|found| found.fault.code() == witness.problem_code)
        }
        None if witness.problem_code == "invalid-end-state" => stuck(&mut stepper, &state),
        None => fault.is_none_or(|found| found.fault == Fault::Assertion),
    };
    Ok(if as_said && guessed { End::Guessed } else { as_said.into() })
}

/// Whether a step takes an edge that guesses.
fn guesses(semantics: &Semantics<'_>, stepper: &mut Stepper<'_>, state: &[u8], step: Step) -> bool {
    let havoc = &semantics.network().havoc;
    let taken = match step {
        _ if havoc.is_empty() => return false,
        Step::Edge { process, edge } => vec![(process, edge)],
        Step::Rendezvous { sender, receiver } => vec![sender, receiver],
        Step::Loss { .. } => Vec::new(),
    };
    let guess = |(process, edge)| stepper.machine_of(state, process).is_none_or(|m| havoc.contains(&(m, edge)));
    taken.into_iter().any(guess)
}

/// Whether a state is a deadlock.
type Stuck<'a> = dyn Fn(&mut Stepper<'_>, &[u8]) -> bool + 'a;

/// Whether nothing can move; that a message can be lost is no way out.
fn stays(stepper: &mut Stepper<'_>, state: &[u8]) -> bool {
    let mut moves = false;
    let expanded = stepper.expand(state, None, &mut |next| moves |= !matches!(next.step, Step::Loss { .. }));
    expanded.is_ok() && !moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::semantics::Reading;
    use model::trace::Narrator;

    /// Whether the run of this only process, said to end with this problem, counts.
    fn counts(body: &str, problem_code: &'static str) -> bool {
        let read = promela::read(
            "test.pml",
            &format!("active proctype p() {{ {body} }}"),
            &promela::preprocess::Options::default(),
        );
        let network = read.network.expect("a model");
        let semantics = Semantics::new(&network, Reading::Declared);
        let (mut stepper, mut steps) = (semantics.stepper(), Vec::new());
        let mut state = Some(stepper.initial().expect("no limit").expect("no fault"));
        while let Some(here) = state.take() {
            let mut next = |successor: model::semantics::Successor<'_>| {
                steps.push(successor.step);
                state = successor.state.filter(|_| successor.fault.is_none()).map(<[u8]>::to_vec);
            };
            stepper.expand(&here, None, &mut next).expect("no limit");
        }
        let mut narrator = Narrator::new(&semantics, &read.sources);
        let replayed = narrator.replay(&steps).expect("a run");
        let chart = Chart { problem_code, ..narrator.chart(replayed) };
        Replayed::network(&semantics, &chart, &Context::unlimited()).is_ok()
    }

    #[test]
    fn a_run_that_ends_with_another_problem_does_not_count() {
        for (body, problem) in [
            ("int x; assert(x)", "assertion"),
            ("int x; x = 1 / x", "division-by-zero"),
            ("int x; x == 1", "invalid-end-state"),
        ] {
            for code in Fault::CODES.iter().chain(&["invalid-end-state"]) {
                assert_eq!(counts(body, code), *code == problem, "{body} {code}");
            }
        }
        assert!(!counts("skip", "invalid-end-state"), "a process that has ended is not stuck");
    }
}

//! `trace` and `notrace` assertions: all points once more, each with the place of the automaton.

use crate::{Refusal, overflow, pause};
use model::context::Context;
use model::event_trace::{EventTrace, Reaction};
use model::semantics::Semantics;
use std::collections::HashSet;

/// Whether every run keeps the assertion with this name.
pub(crate) fn verify(semantics: &Semantics<'_>, name: &str, cx: &Context<'_>) -> Result<(), Refusal> {
    let machine = semantics.network().claims.iter().find(|claim| claim.name == name);
    let machine = machine.ok_or_else(|| Refusal::Malformed(format!("the model has no assertion `{name}`")))?;
    let trace = EventTrace::of_machine(semantics, machine).map_err(|refused| Refusal::Unfinished(refused.why))?;
    let mut stepper = semantics.stepper();
    stepper.listen();
    let initial = stepper.initial().map_err(overflow)?.map_err(|fault| Refusal::Unfinished(fault.fault.to_string()))?;
    let first = (initial, None, trace.initial);
    let mut seen = HashSet::from([first.clone()]);
    let mut work = vec![first];
    let mut looked_at = 0;
    while let Some((state, control, at)) = work.pop() {
        let (mut next, mut refusal) = (Vec::new(), None);
        let count = stepper.expand(&state, control, &mut |successor| {
            let Some(after) = successor.state else {
                let reason = successor.fault.map(|fault| fault.fault.to_string()).unwrap_or_default();
                refusal = Some(Refusal::Crash(reason));
                return;
            };
            match trace.react_to_all(at, successor.exchanges) {
                Reaction::At(at) => next.push((after.to_vec(), successor.control, at)),
                Reaction::Violated => refusal = Some(Refusal::Violated(String::from("a message breaks the assertion"))),
                Reaction::Ambiguous(_) => {
                    refusal = Some(Refusal::Unfinished(String::from("the assertion is not deterministic")));
                }
            }
        });
        let count = count.map_err(overflow)?;
        if let Some(refusal) = refusal {
            return Err(refusal);
        }
        match control {
            Some(_) if count == 0 => next.push((state, None, at)),
            None if count == 0 && stepper.is_valid_end(&state) && !trace.may_end(at) => {
                return Err(Refusal::Violated(String::from("a run ends before the assertion does")));
            }
            _ => {}
        }
        work.extend(next.into_iter().filter(|point| seen.insert(point.clone())));
        looked_at += 1;
        pause(looked_at, seen.len() as u64, cx)?;
    }
    Ok(())
}

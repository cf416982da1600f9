//! `highwater explain CODE`: what a verdict, a reason or an error at run time means.
//!
//! The texts are in `explanations`; this file finds and lays them out. Codes of front ends
//! (such as `P0101`) are explained by the front ends.

use crate::explanations::all;
use crate::style::{Ink, Style};
use model::diagnostic::nearest;
use model::explanation::Explanation;

/// The explanation of a code; upper and lower case are the same.
pub fn explain(code: &str) -> Option<&'static Explanation> {
    all().find(|explanation| explanation.code.eq_ignore_ascii_case(code))
}

/// The code that looks most like one that does not exist.
pub fn similar(code: &str) -> Option<&'static str> {
    nearest(code, all().map(|explanation| explanation.code))
}

/// All explanations: verdicts, then questions and engines, then reasons, then what is wrong with runs.
pub fn list() -> impl Iterator<Item = &'static Explanation> {
    all()
}

/// The whole explanation, as `highwater explain` shows it.
pub fn render(explanation: &Explanation, style: Style) -> String {
    let heading = style.paint(Ink::Strong, &format!("{}: {}", explanation.code, explanation.title));
    let mut text = format!("{heading}\n\n{}\n\n", explanation.text);
    for line in explanation.example.lines() {
        text += format!("    {line}").trim_end();
        text += "\n";
    }
    text + &format!("\nWhat to do: {}\n", explanation.advice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::fault::Fault;
    use model::verdict::{ChannelState, Reason, Verdict};
    use std::collections::HashSet;

    /// Every fault. The match makes the compiler ask for an explanation when there is a new one.
    fn faults() -> Vec<Fault> {
        let faults = vec![
            Fault::Assertion,
            Fault::Index { variable: String::new(), index: 0, len: 0 },
            Fault::DivisionByZero,
            Fault::NoChannel,
            Fault::DeadChannel,
            Fault::FieldCount { given: 0, expected: 0 },
            Fault::PollRendezvous,
            Fault::BlockedStep,
            Fault::EndlessStep,
            Fault::RendezvousInStep,
            Fault::EnabledSelf,
        ];
        match faults[0] {
            Fault::Assertion | Fault::Index { .. } | Fault::DivisionByZero | Fault::NoChannel => {}
            Fault::DeadChannel
            | Fault::FieldCount { .. }
            | Fault::PollRendezvous
            | Fault::BlockedStep
            | Fault::EndlessStep => {}
            Fault::RendezvousInStep | Fault::EnabledSelf => {}
        }
        faults
    }

    /// Every reason, in the same way.
    fn reasons() -> Vec<Reason> {
        let reasons = vec![
            Reason::Timeout,
            Reason::Memory,
            Reason::States,
            Reason::Depth,
            Reason::Bitstate,
            Reason::Disk(String::new()),
            Reason::Worker(String::new()),
            Reason::Numbers(String::new()),
            Reason::Limit(String::new()),
            Reason::Interrupted,
            Reason::StoppedEarly,
            Reason::Crash(String::new()),
            Reason::NotApplicable(String::new()),
            Reason::NotSupported(String::new()),
            Reason::NotProvable(String::new()),
            Reason::Internal(String::new()),
        ];
        match reasons[0] {
            Reason::Timeout | Reason::Memory | Reason::States | Reason::Depth | Reason::Interrupted => {}
            Reason::Disk(_) | Reason::Worker(_) | Reason::Numbers(_) | Reason::Limit(_) => {}
            Reason::StoppedEarly | Reason::Bitstate | Reason::Crash(_) | Reason::Internal(_) => {}
            Reason::NotApplicable(_) | Reason::NotSupported(_) | Reason::NotProvable(_) => {}
        }
        reasons
    }

    #[test]
    fn every_verdict_reason_and_fault_is_explained() {
        let verdicts = [
            Verdict::Proved,
            Verdict::Violated,
            Verdict::Inconclusive(Reason::Timeout),
            Verdict::Vacuous(String::new()),
        ];
        let mut codes: Vec<&str> = verdicts.iter().map(Verdict::name).collect();
        codes.extend(reasons().iter().map(Reason::code));
        codes.extend(faults().iter().map(Fault::code));
        codes.extend(
            [ChannelState::Bounded, ChannelState::Unbounded, ChannelState::Inconclusive].map(ChannelState::name),
        );
        codes.extend([
            "invalid-end-state",
            "non-progress-cycle",
            "boundedness",
            "livelock",
            "flow",
            "compose",
            "pdr",
            "cegar",
            "conformance",
            "not-allowed",
            "uncovered-call",
            "data-race",
            "error-call",
            "error-label",
            "division-overflow",
            "shift-out-of-range",
            "invalid-pointer",
            "pointer-arithmetic",
            "signed-overflow",
            "deadlock",
            "error-state",
        ]);
        for code in codes {
            assert!(explain(code).is_some(), "`{code}` is not explained");
        }
    }

    #[test]
    fn no_code_is_explained_twice_and_no_part_is_empty() {
        let mut seen = HashSet::new();
        for explanation in list() {
            let Explanation { code, title, text, example, advice } = *explanation;
            assert!(seen.insert(code), "`{code}` is explained twice");
            assert!([code, title, text, example, advice].iter().all(|part| !part.trim().is_empty()), "{code}");
        }
    }

    #[test]
    fn an_explanation_has_text_example_and_advice() {
        let text = explain("Division-By-Zero").map(|explanation| render(explanation, Style::PLAIN));
        insta::assert_snapshot!(text.unwrap_or_default(), @"
        division-by-zero: division, or remainder, by zero

        The right-hand side of `/` or `%` is 0 when the expression is evaluated. The run cannot go on.

            byte n;
            active proctype P() { byte share; share = 12 / n }

        What to do: guard the expression: `if :: n > 0 -> share = 12 / n :: else fi`.
        ");
    }

    #[test]
    fn a_code_that_does_not_exist_has_a_neighbour() {
        assert_eq!(explain("assertoin"), None);
        assert_eq!(similar("assertoin"), Some("assertion"));
        assert_eq!(similar("zzzz"), None);
    }
}

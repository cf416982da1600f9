//! The MAGIC paper's examples of formulas about states *and* events, written in Promela.
//!
//! Section 4: a structure of two states. Section 5: the surge protector, for several ranges, with its specification in three
//! styles: by states and events, by states alone, by events alone.

use explore::Options;
use explore::liveness::{Setting, negation};
use explore::reduction::Mode;
use model::context::Context;
use model::fairness::Fairness;
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::source::SourceMap;
use model::verdict::{Outcome, Verdict};
use std::fmt::Write;

fn read(text: &str, formulas: &[String]) -> (Network, SourceMap) {
    let options =
        promela::preprocess::Options { formulas: formulas.to_vec(), ..promela::preprocess::Options::default() };
    let read = promela::read("model.pml", text, &options);
    (read.network.unwrap_or_else(|| panic!("{:?}\n{text}", read.diagnostics)), read.sources)
}

fn check(text: &str, formulas: &[String]) -> Vec<Outcome> {
    let (network, sources) = read(text, formulas);
    let semantics = Semantics::new(&network, Reading::Declared);
    let setting = Setting {
        semantics: &semantics,
        sources: &sources,
        fair: Fairness::None,
        options: &Options::reducing(Mode::On),
        cx: Context::unlimited(),
    };
    network.formulas.iter().map(|formula| setting.formula(&formula.property(), &formula.formula)).collect()
}

/// The left state has `p` and `q`, the right one `q` and `r`. An event is a message to somebody who takes everything.
const TWO_STATES: &str = "
mtype = { a, b, c, d };
chan event = [0] of { mtype };
bit r;
active proctype M() {
left:
  if
  :: event!a -> goto left
  :: event!b -> goto left
  :: d_step { event!c; r = 1 }
  fi;
right:
  event!d;
  r = 0;
  goto left
}
active proctype Everyone() { do :: event?_ od }
";

#[test]
fn section_4_two_states() {
    // A rendezvous cannot be inside of a deterministic step: what `c` does is done by its receiver.
    let text =
        TWO_STATES.replace("d_step { event!c; r = 1 }", "event!c").replace("event!d;\n  r = 0;", "event!d;").replace(
            "do :: event?_ od",
            "do :: event?a :: event?b :: atomic { event?c; r = 1 } :: atomic { event?d; r = 0 } od",
        );
    let ask = |formula: &str| check(&text, &[formula.to_owned()]).remove(0).verdict;
    assert_eq!(ask("G (event!c -> F r)"), Verdict::Proved);
    assert_eq!(ask("G (event!b -> F r)"), Verdict::Violated);
    assert_eq!(ask("G (event!d -> F r)"), Verdict::Proved);
    assert_eq!(ask("G (event!d -> X F r)"), Verdict::Violated);
}

/// The current may be changed to at most `m`; with `mistaken`, to one more.
fn protector(range: u32, mistaken: bool) -> String {
    let mut text = String::from("byte m, c;\nchan set = [0] of { byte };\nchan current = [0] of { byte };\n");
    text += "active proctype Protector() {\n  do\n  :: set?m\n";
    for value in 0..=range {
        let needed = if mistaken { value.saturating_sub(1) } else { value };
        let _ = writeln!(text, "  :: m >= {needed} -> current?c");
        // What is taken is what was meant: the guard and the value belong together.
        text = text.replace("current?c", &format!("current?{value}; c = {value}"));
    }
    text += "  od\n}\nactive proctype Environment() {\n  do\n";
    for value in 0..=range {
        let _ = writeln!(text, "  :: set!{value}\n  :: current!{value}");
    }
    // The current is stored in the step in which it is taken.
    (text + "  od\n}\n").lines().map(atomically).collect::<Vec<_>>().join("\n")
}

fn atomically(line: &str) -> String {
    match line.split_once(" -> current?") {
        Some((guard, rest)) => format!("{guard} -> atomic {{ current?{rest} }}"),
        None => line.to_owned(),
    }
}

/// A change to `i` needs a threshold of at least `i`.
fn by_states_and_events(range: u32) -> String {
    let conjunct = |i: u32| {
        let enough: Vec<String> = (i..=range).map(|j| format!("m == {j}")).collect();
        format!("(current!{i} -> ({}))", enough.join(" || "))
    };
    format!("[] ({})", (1..=range).map(conjunct).collect::<Vec<_>>().join(" && "))
}

fn by_states(range: u32) -> String {
    let conjunct = |i: u32| {
        let others: Vec<String> = (0..=range).filter(|j| *j != i).map(|j| format!("c == {j}")).collect();
        let enough: Vec<String> = (i..=range).map(|j| format!("m == {j}")).collect();
        format!("([] ((({}) && X (c == {i})) -> ({})))", others.join(" || "), enough.join(" || "))
    };
    (1..=range).map(conjunct).collect::<Vec<_>>().join(" && ")
}

fn by_events(range: u32) -> String {
    let mut conjuncts = Vec::new();
    for low in 0..range {
        for high in low + 1..=range {
            let enough: Vec<String> = (high..=range).map(|j| format!("set!{j}")).collect();
            conjuncts.push(format!("([] (set!{low} -> ((! current!{high}) W ({}))))", enough.join(" || ")));
        }
    }
    conjuncts.join(" && ")
}

#[test]
fn section_5_the_three_styles_agree_on_the_surge_protector() {
    for range in 1..=3 {
        let formulas = [by_states_and_events(range), by_states(range), by_events(range)];
        for (mistaken, expected) in [(false, "proved"), (true, "violated")] {
            for outcome in check(&protector(range, mistaken), &formulas) {
                assert_eq!(outcome.verdict.name(), expected, "range {range}: {}", outcome.property);
                assert_eq!(outcome.witness.is_some(), mistaken);
            }
        }
    }
}

#[test]
fn section_5_the_automaton_of_states_and_events_grows_linearly() {
    let size = |formula: String| {
        let (network, _) = read(&protector(8, false), &[formula]);
        negation(&network.formulas[0].formula, Context::unlimited().budget)
            .map(|(claim, _)| claim.states.len())
            .unwrap_or(usize::MAX)
    };
    let sizes: Vec<usize> = (1..=8).map(|range| size(by_states_and_events(range))).collect();
    assert!(sizes.iter().zip(1..).all(|(&size, range)| size <= range + 1), "{sizes:?}");
    assert_eq!(size(by_states(3)).max(size(by_events(3))), size(by_states(3)), "states alone need the most");
}

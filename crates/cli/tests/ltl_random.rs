//! The search for infinite runs against a plain twin, on thousands of random systems.
//!
//! The twin is what the checker of certificates does: a tableau without any simplification, a list of all pairs, and
//! Tarjan's components. It shares the steps of the model with the search, and nothing else: neither the translation of
//! formulas, nor atomic sequences, nor what a run owes, nor the partial-order reduction. For every model, with weak
//! fairness and without:
//!
//! * a formula is violated for both, or for none, with every state visited and with some left out;
//! * what is violated comes with a run, which was replayed; what is proved comes with a certificate that is accepted;
//! * a formula is vacuous just if a stronger one of `model::vacuity` holds;
//! * the same for `never` claims and for acceptance labels;
//! * all that in one thread and in several.
//!
//! Seeds are printed with every failure; `HIGHWATER_SEEDS=N` tries N systems, `HIGHWATER_FIRST=S` starts at a seed, and
//! `HIGHWATER_ALL=1` goes on after a disagreement and counts them.

#![allow(clippy::print_stderr)]

use crate::ltl_models;
use model::budget::Budget;
use model::context::Context;
use model::fairness::Fairness;

use crate::ltl_models::Style;
use certify::Refusal;
use certify::temporal::{decide, decide_claim};
use explore::Options;
use explore::liveness::{Setting, anything};
use explore::reduction::Mode;
use model::claim::Claim;
use model::formula::Ltl;
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::source::SourceMap;
use model::verdict::{Outcome, Property, Reason, Verdict};
use std::collections::BTreeMap;

/// Pairs of a state of the model and one of the tableau: no more than this.
const MOST_STATES: u64 = 1_500;
const STYLE: Style = Style { own: true };

fn few() -> Budget {
    Budget::unlimited().states(MOST_STATES)
}

/// With every state visited and with some left out, in one thread and in several; these pack states or do not, and work off narrow
/// layers together or not.
fn ways(seed: u64) -> [Options; 4] {
    let alone = [0, 3, 12][(seed % 3) as usize];
    let room = if seed.is_multiple_of(2) { 0 } else { u64::MAX };
    let threads = |mode| Options { jobs: 2 + (seed % 5 / 4) as usize, alone, long: 0, room, ..Options::reducing(mode) };
    let modes = [Mode::Off, Mode::On];
    [Options::reducing(modes[0]), Options::reducing(modes[1]), threads(modes[0]), threads(modes[1])]
}

fn named(options: &Options) -> String {
    format!("{} threads {:?}", options.jobs, options.reduction)
}

/// One system, and what was seen in it.
struct System<'a> {
    text: &'a str,
    network: &'a Network,
    sources: &'a SourceMap,
    seed: u64,
    tally: &'a mut Tally,
}

/// What came out, so that the test can be seen not to be empty.
#[derive(Default)]
struct Tally {
    counts: BTreeMap<String, u64>,
    disagreements: Vec<String>,
}

impl Tally {
    fn count(&mut self, what: &str) {
        *self.counts.entry(what.to_owned()).or_default() += 1;
    }
}

impl System<'_> {
    fn disagree(&mut self, what: &str) {
        let text = format!("seed {}: {what}\n{}", self.seed, self.text);
        assert!(std::env::var("HIGHWATER_ALL").is_ok(), "{text}");
        self.tally.disagreements.push(text);
    }

    fn formula(&mut self, formula: &Ltl) {
        let few = few();
        let few = Context::silent(&few);
        let readings = [Reading::Declared, Reading::Drop];
        for reading in readings.into_iter().take(if self.seed.is_multiple_of(4) { 2 } else { 1 }) {
            let semantics = Semantics::new(self.network, reading);
            for fair in [Fairness::None, Fairness::Weak, Fairness::Strong] {
                let expected = decide(&semantics, formula, fair, &few);
                if matches!(expected, Err(Refusal::Unfinished(_))) {
                    self.tally.count("too large");
                    continue;
                }
                let stronger = formula.strengthened();
                let judged: Vec<_> = stronger.iter().map(|s| decide(&semantics, &s.formula, fair, &few)).collect();
                for options in ways(self.seed).iter().filter(|way| !fair.is_assumed() || way.reduction == Mode::Off) {
                    let outcome =
                        self.setting(&semantics, fair, options).formula(&Property::Ltl(String::from("f")), formula);
                    let what = format!("{formula} {} fair {fair:?} {}", reading.name(), named(options));
                    self.compare(&what, &expected, &outcome, &semantics);
                    let vacuous = matches!(outcome.verdict, Verdict::Vacuous(_));
                    let is_known = outcome.certificate.is_some() && judged.iter().all(Result::is_ok);
                    if is_known && vacuous != judged.contains(&Ok(true)) {
                        self.disagree(&format!("{what}: vacuous {vacuous}, but {judged:?}"));
                    }
                }
            }
        }
    }

    fn setting<'s>(&'s self, semantics: &'s Semantics<'s>, fair: Fairness, options: &'s Options) -> Setting<'s> {
        Setting { semantics, sources: self.sources, fair, options, cx: Context::unlimited() }
    }

    fn claims(&mut self) {
        let few = few();
        let few = Context::silent(&few);
        let semantics = Semantics::new(self.network, Reading::Declared);
        for fair in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            for machine in &self.network.claims {
                let claim = Claim::of_machine(machine).unwrap_or_else(|e| panic!("{e:?}\n{}", self.text));
                let expected = decide_claim(&semantics, &claim, true, fair, &few);
                if matches!(expected, Err(Refusal::Unfinished(_))) {
                    self.tally.count("too large");
                    continue;
                }
                for options in ways(self.seed).iter().filter(|way| way.reduction == Mode::Off) {
                    let outcome = self.setting(&semantics, fair, options).never(machine);
                    self.compare(&format!("never, fair {fair:?} {}", named(options)), &expected, &outcome, &semantics);
                }
            }
            let expected = decide_claim(&semantics, &anything(), true, fair, &few);
            if matches!(expected, Err(Refusal::Unfinished(_))) {
                self.tally.count("too large");
                continue;
            }
            for options in &ways(self.seed) {
                let outcome = self.setting(&semantics, fair, options).acceptance();
                self.compare(&format!("acceptance, fair {fair:?} {}", named(options)), &expected, &outcome, &semantics);
            }
        }
    }

    fn compare(&mut self, what: &str, expected: &Result<bool, Refusal>, outcome: &Outcome, semantics: &Semantics<'_>) {
        let kind = what.split(' ').next_back().unwrap_or_default();
        let threads = if what.contains(" 1 threads ") { "one thread" } else { "threads" };
        self.tally.count(&format!("{} {kind} {threads}", outcome.verdict.name()));
        let agrees = match expected {
            Ok(true) => matches!(outcome.verdict, Verdict::Proved | Verdict::Vacuous(_)),
            Ok(false) => outcome.verdict == Verdict::Violated && outcome.witness.is_some(),
            Err(Refusal::Crash(_)) => matches!(outcome.verdict, Verdict::Inconclusive(Reason::Crash(_))),
            // A condition without a value.
            Err(_) => matches!(outcome.verdict, Verdict::Inconclusive(_)),
        };
        if !agrees {
            self.disagree(&format!("{what}: {:?}, but the twin says {expected:?}", outcome.verdict));
        }
        if let Some(certificate) = &outcome.certificate {
            let answer = certify::verify(semantics, &outcome.property, certificate, &Context::unlimited());
            if answer != Ok(()) {
                self.disagree(&format!("{what}: the certificate is refused: {answer:?}"));
            }
        }
    }
}

fn run(seed: u64, text: &str, tally: &mut Tally, ask: impl FnOnce(&mut System<'_>)) {
    let read = promela::read("random.pml", text, &promela::preprocess::Options::default());
    // Such as a loop that does nothing.
    let Some(network) = read.network else { return tally.count("unreadable") };
    ask(&mut System { text, network: &network, sources: &read.sources, seed, tally });
}

fn report(tally: &Tally, systems: u64) {
    eprintln!("{systems} systems: {:?}", tally.counts);
    for text in &tally.disagreements {
        eprintln!("{text}");
    }
    assert!(tally.disagreements.is_empty(), "{} disagreements", tally.disagreements.len());
    let of = |prefix: &str| tally.counts.iter().filter(|(k, _)| k.starts_with(prefix)).map(|(_, n)| n).sum::<u64>();
    assert!(of("violated") * 8 > systems && of("proved") * 8 > systems, "both verdicts occur often");
    assert!(of("too large") < systems, "most systems are small enough to be compared");
}

#[test]
fn formulas_agree_with_the_plain_tableau() {
    let (first, seeds) = (testing::first(0), testing::seeds(300));
    let mut tally = Tally::default();
    for seed in first..first + seeds {
        let (model, formula) = (ltl_models::model(seed, STYLE), ltl_models::formula(seed, STYLE));
        run(seed, &format!("{model}ltl f {{ {formula} }}\n"), &mut tally, |system| {
            let formula = system.network.formulas[0].formula.clone();
            system.formula(&formula);
        });
    }
    report(&tally, seeds);
}

#[test]
fn claims_and_labels_agree_with_the_plain_product() {
    let (first, seeds) = (testing::first(0), testing::seeds(300));
    let mut tally = Tally::default();
    for seed in first..first + seeds {
        let text = ltl_models::model(seed, STYLE) + &ltl_models::never(seed, STYLE);
        run(seed, &text, &mut tally, |system| system.claims());
    }
    report(&tally, seeds);
}

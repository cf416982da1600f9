//! Certificates about infinite runs: `check --certificate` writes them, `verify-certificate` accepts them, and nothing
//! else.
//!
//! Every way to damage one is tried that makes it say something else: other numbers, another automaton, another
//! property. An automaton that follows too little would prove too much; it is refused even where its numbers are right.

use certify::{Refusal, verify};
use model::claim::{Claim, ClaimEdge, ClaimState};
use model::context::Context;
use model::fairness::Fairness;
use model::semantics::{Reading, Semantics};
use model::verdict::{Certificate, Property};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Two processes that take turns.
const TURNS: &str = "bit turn, in;
active proctype P() { do :: atomic { turn == 0 -> in = 1 } work: in = 0; turn = 1 od }
active proctype Q() { do :: turn == 1 -> turn = 0 od }
ltl respond { [] (in -> <> !in) }
ltl never_two { [] (turn < 2) }
";

/// A process that counts while another one may go round forever: only fair runs get anywhere.
const COUNTER: &str = "byte x; bit b;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> break od }
active proctype Q() { do :: b = 1 - b od }
ltl arrives { <> (x == 3) }
";

/// A claim that needs `a` after `b`, and a label that is passed once only.
const CLAIMED: &str = "bit a, b;
active proctype P() { accept_start: a = 1; b = 1; do :: a = 1 od }
never { wait: do :: !b :: b -> goto accept_bad od; accept_bad: do :: !a od }
";
const LABELLED: &str = "bit a, b;
active proctype P() { accept_start: a = 1; do :: b = 1 - b od }
";

fn highwater(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_highwater")).args(arguments).output().expect("the tool runs")
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a path of letters")
}

/// A model on disk, with its certificate.
struct Proved {
    model: PathBuf,
    certificate: PathBuf,
    document: Value,
}

impl Proved {
    #[track_caller]
    fn new(name: &str, text: &str, arguments: &[&str]) -> Proved {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("product-certificates");
        std::fs::create_dir_all(&folder).expect("a folder");
        let (model, certificate) = (folder.join(format!("{name}.pml")), folder.join(format!("{name}.json")));
        std::fs::write(&model, text).expect("a model");
        let checked = highwater(&[&["check", path(&model), "--certificate", path(&certificate)], arguments].concat());
        let said = String::from_utf8_lossy(&checked.stdout).into_owned();
        assert!(said.contains("proved") || said.contains("vacuous"), "{said}");
        let written = std::fs::read_to_string(&certificate).expect("a certificate");
        Proved { model, certificate, document: serde_json::from_str(&written).expect("a document") }
    }

    fn verify(&self) -> (Option<i32>, String) {
        let output = highwater(&["verify-certificate", path(&self.model), path(&self.certificate)]);
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8_lossy(&said).into_owned())
    }

    #[track_caller]
    fn accepted(&self, property: &str) {
        let (code, said) = self.verify();
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains(&format!("accepted  {property}  channels: declared")), "{said}");
    }

    /// After a change of its only claim, the certificate is refused for this reason.
    #[track_caller]
    fn refused(&self, change: impl FnOnce(&mut Value), reason: &str) {
        let mut damaged = self.document.clone();
        change(&mut damaged["certificates"][0]);
        assert_ne!(damaged, self.document, "nothing was changed");
        std::fs::write(&self.certificate, damaged.to_string()).expect("a certificate");
        let (code, said) = self.verify();
        assert!(code == Some(1) || code == Some(2), "{code:?}: {said}");
        assert!(said.contains(reason), "not for this reason: {reason}\n{said}");
        std::fs::write(&self.certificate, self.document.to_string()).expect("a certificate");
    }
}

fn add(value: &mut Value, more: i64) {
    *value = json!(value.as_i64().expect("a number") + more);
}

#[test]
fn certificates_of_formulas_are_accepted() {
    Proved::new("respond", TURNS, &["-p", "ltl:respond"]).accepted("ltl:respond");
    Proved::new("both", TURNS, &["-p", "ltl:respond,ltl:never_two"]).accepted("ltl:never_two");
    Proved::new("fair", COUNTER, &["-p", "ltl:arrives", "--fair"]).accepted("ltl:arrives");
}

#[test]
fn a_formula_of_the_command_line_is_its_own_name() {
    let formula = "ltl:[] (P@work -> <> (turn == 1))";
    Proved::new("text", TURNS, &["-p", formula]).accepted(formula);
}

#[test]
fn a_vacuous_answer_has_its_certificate_too() {
    let formula = "ltl:[] ((turn > 1) -> <> in)";
    Proved::new("vacuous", TURNS, &["-p", formula]).accepted(formula);
}

#[test]
fn certificates_of_claims_and_labels_are_accepted() {
    Proved::new("never", CLAIMED, &["-p", "never"]).accepted("never:never_0");
    Proved::new("labels", LABELLED, &["-p", "acceptance"]).accepted("acceptance");
}

#[test]
fn other_numbers_are_refused() {
    let proved = Proved::new("numbers", TURNS, &["-p", "ltl:respond"]);
    proved.refused(|claim| add(&mut claim["states"], 1), "states, but there are");
    proved.refused(|claim| add(&mut claim["states"], -1), "states, but there are");
    proved.refused(|claim| claim["digest"] = json!("0".repeat(32)), "their digests differ");
}

#[test]
fn another_automaton_is_refused() {
    let proved = Proved::new("automaton", TURNS, &["-p", "ltl:respond"]);
    let first_edge = |claim: &mut Value| {
        let initial = claim["automaton"]["initial"].as_u64().expect("a number") as usize;
        let edges = claim["automaton"]["states"][initial]["edges"].as_array_mut();
        edges.expect("edges").remove(0);
    };
    proved.refused(first_edge, "states, but there are");
    let accepting = |claim: &mut Value| {
        for state in claim["automaton"]["states"].as_array_mut().expect("states") {
            state["accepting"] = json!(true);
        }
    };
    proved.refused(accepting, "the property does not hold");
    let atom = |claim: &mut Value| claim["automaton"]["states"][0]["edges"][0]["holds"] = json!([7]);
    proved.refused(atom, "the automaton speaks of condition 7 of");
    let never = Proved::new("never-automaton", CLAIMED, &["-p", "never"]);
    never.refused(first_edge, "is not that of `never:");
    let labels = Proved::new("labels-automaton", LABELLED, &["-p", "acceptance"]);
    labels.refused(first_edge, "is not that of `acceptance`");
}

#[test]
fn another_property_is_refused() {
    let proved = Proved::new("property", TURNS, &["-p", "ltl:never_two"]);
    proved.refused(|claim| claim["property"] = json!("ltl:[] (turn < 1)"), "states, but there are");
    proved.refused(|claim| claim["property"] = json!("ltl:no_such_name"), "no_such_name");
    proved.refused(|claim| claim["property"] = json!("never:never_0"), "the model has no never claim `never_0`");
    proved.refused(|claim| claim["property"] = json!("acceptance"), "is not that of `acceptance`");
    proved.refused(|claim| claim["property"] = json!("safety"), "proves nothing about `safety`");
    proved.refused(|claim| claim["property"] = json!("speed"), "`speed` is not declared");
}

#[test]
fn what_holds_of_fair_runs_is_refused_for_all_runs() {
    let proved = Proved::new("unfair", COUNTER, &["-p", "ltl:arrives", "--fair"]);
    proved.refused(|claim| claim["fair"] = json!(false), "the property does not hold");
}

/// An automaton that follows nothing, with the right numbers: the formula is translated again, and does not hold.
#[test]
fn an_automaton_that_follows_too_little_proves_nothing() {
    let read = promela::read("counter.pml", COUNTER, &promela::preprocess::Options::default());
    let network = read.network.expect("a model");
    let semantics = Semantics::new(&network, Reading::Declared);
    let edge = ClaimEdge { to: Some(0), ..ClaimEdge::default() };
    let state = ClaimState { edges: vec![edge], ..ClaimState::default() };
    let claim = Box::new(Claim { atoms: Vec::new(), states: vec![state], initial: 0 });
    let check = |states: u64, digest: u128| {
        let certificate = Certificate::Product { states, digest, claim: claim.clone(), fair: Fairness::None };
        let property = Property::Ltl(String::from("arrives"));
        verify(&semantics, &property, &certificate, &Context::unlimited())
    };
    let Err(Refusal::StateCount { found, .. }) = check(0, 0) else { panic!("no states are too few") };
    assert_eq!(check(found, 0), Err(Refusal::Digest));
    let digest = product_digest(&semantics);
    assert!(matches!(check(found, digest), Err(Refusal::Violated(_))));
}

/// The digest of all states, each with state 0 of a claim.
fn product_digest(semantics: &Semantics<'_>) -> u128 {
    let mut stepper = semantics.stepper();
    let mut states = vec![stepper.initial().expect("small").expect("a first state")];
    let mut next = 0;
    while let Some(state) = states.get(next).cloned() {
        let found = &mut states;
        let visit = &mut |successor: model::semantics::Successor<'_>| {
            let after = successor.state.expect("no errors").to_vec();
            if !found.contains(&after) {
                found.push(after);
            }
        };
        stepper.expand(&state, None, visit).expect("small");
        next += 1;
    }
    states.iter().fold(0, |sum, state| sum.wrapping_add(model::claim::product_digest(stepper.digest(state), 0)))
}

//! Infinite runs: acceptance labels, progress labels and formulas, against `pan -a` and `pan -l`.

use super::judge::{compile, confirmed, execute};
use super::random::Random;
use super::tree::Node;
use explore::Options;
use explore::liveness::Setting;
use explore::progress::ProgressOf;
use explore::reduction::Mode;
use model::budget::Budget;
use model::context::Context;
use model::fairness::Fairness;
use model::semantics::{Reading, Semantics};
use model::verdict::{Property, Verdict};
use std::path::Path;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Question {
    Acceptance,
    Progress,
    Formula,
}

/// A question that can be put to a model, which question first depends on the seed; and the text for it.
pub fn question(seed: u64, model: &[Node], text: &str) -> Option<(Question, String)> {
    // SPIN's verifier counts a claim as a process, also as the last one that moved, and cannot have whole priorities here.
    if text.contains("priority") || text.contains("hidden") {
        return None;
    }
    let observed = ["_nr_pr", "_last", "enabled("].iter().any(|word| text.contains(word));
    (seed..seed + 3).find_map(|number| match number % 3 {
        0 if text.contains("accept_") => Some((Question::Acceptance, text.to_owned())),
        1 if text.contains("progress_") && !observed => Some((Question::Progress, text.to_owned())),
        2 if !observed => {
            let formula = formula(seed, model)?;
            // For SPIN, acceptance labels of processes count beside a formula, too.
            Some((Question::Formula, format!("{}ltl p {{ {formula} }}\n", text.replace("accept_", "other_"))))
        }
        _ => None,
    })
}

/// A formula over global scalars.
fn formula(seed: u64, model: &[Node]) -> Option<String> {
    let global = |node: &Node| {
        let name = node.head.trim_end_matches(';').split(' ').find(|w| w.starts_with('g'))?.to_owned();
        (node.blocks.is_empty() && !node.head.contains(['[', '(', '{'])).then_some(name)
    };
    let globals: Vec<String> = model.iter().filter_map(global).collect();
    if globals.is_empty() {
        return None;
    }
    let mut random = Random::new(seed ^ 0x5eed);
    let mut atom = || {
        let operator = *random.pick(&["==", "!=", "<"]);
        format!("({} {operator} {})", random.pick(&globals).clone(), random.below(3))
    };
    let (a, b) = (atom(), atom());
    let shapes = [
        format!("[] {a}"),
        format!("<> {a}"),
        format!("[] <> {a}"),
        format!("<> [] {a}"),
        format!("[] ({a} -> <> {b})"),
        format!("({a} U {b})"),
        format!("([] <> {a}) -> ([] <> {b})"),
    ];
    Some(random.pick(&shapes).clone())
}

/// Whether SPIN's verifier finds a run; `None` if it did not finish.
fn spin(folder: &Path, compiler: &str, question: Question, text: &str) -> Option<bool> {
    let (flags, how): (&[&str], &str) = match question {
        Question::Acceptance => (&["-DNOCLAIM"], "-a"),
        Question::Progress => (&["-DNP", "-DNOCLAIM"], "-l"),
        Question::Formula => (&[], "-a"),
    };
    compile(folder, compiler, text, flags).ok()?;
    let (_, said) = execute(folder, 60, "./pan", &["-m20000", "-w18", "-A", "-E", "-n", how]);
    let finished = !said.contains("Search not completed") && !said.contains("depth too small");
    match said.split("errors: ").nth(1)?.split_whitespace().next()?.parse::<u64>().ok()? {
        0 if !finished => None,
        // SPIN puts an assertion into the claim of an invariant, which -A hides.
        0 if question == Question::Formula => {
            let (_, said) = execute(folder, 60, "./pan", &["-m20000", "-w18", "-E", "-n", "-c0", how]);
            let failed = |assertion: &String| said.contains(&format!("assertion violated {assertion} (at"));
            Some(claimed(folder).iter().any(failed))
        }
        errors => Some(errors > 0),
    }
}

/// The assertions of the claim, as the verifier prints them.
fn claimed(folder: &Path) -> Vec<String> {
    let bytes = std::fs::read(folder.join("pan.m")).expect("the verifier is there");
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let of_claim = text.split("\tcase ").filter(|case| case.contains("_spin_nvr.tmp:"));
    let assertion = |case: &str| {
        let line = case.lines().find(|line| line.contains("spin_assert("))?;
        Some(line.split('"').nth(1)?.to_owned())
    };
    of_claim.filter_map(assertion).collect()
}

/// Whether Highwater finds a run.
fn ours(question: Question, text: &str) -> Option<bool> {
    let read = promela::read("model.pml", text, &promela::preprocess::Options::default());
    let network = read.network?;
    let semantics = Semantics::new(&network, Reading::Declared);
    let few = Budget::unlimited().states(300_000);
    let setting = Setting {
        semantics: &semantics,
        sources: &read.sources,
        fair: Fairness::None,
        options: &Options::reducing(Mode::Off),
        cx: Context::silent(&few),
    };
    let outcome = match question {
        Question::Acceptance => setting.acceptance(),
        Question::Progress => setting.livelock(&ProgressOf::Labels),
        Question::Formula => setting.formula(&Property::Ltl(String::from("p")), &network.formulas.first()?.formula),
    };
    match outcome.verdict {
        Verdict::Violated => Some(true),
        Verdict::Inconclusive(_) => None,
        _ => Some(false),
    }
}

/// Both answers, if both checkers have one.
pub fn compare(folder: &Path, question: Question, text: &str) -> Option<(bool, bool)> {
    let ours = ours(question, text)?;
    let theirs = confirmed(|compiler| spin(folder, compiler, question, text), |theirs| *theirs != Some(ours));
    theirs.map(|theirs| (ours, theirs))
}

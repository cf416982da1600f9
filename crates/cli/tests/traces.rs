//! `trace` and `notrace` assertions: by hand, and random ones against SPIN where it and a C compiler are installed.
//!
//! `HIGHWATER_SPIN=N` compares N random models; without it a handful is tried.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use testing::{Random, judge};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn check(folder: &Path, text: &str, more: &[&str]) -> Output {
    std::fs::write(folder.join("model.pml"), text).expect("the model is written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_highwater"));
    command.current_dir(folder).args(["check", "model.pml", "--timeout", "20s"]).args(more);
    command.output().expect("the tool runs")
}

/// What the tool says about the assertion of a model: 0 proved, 1 violated, 3 no answer.
fn code(folder: &Path, text: &str) -> Option<i32> {
    let property = if text.contains("notrace") { "notrace" } else { "trace" };
    check(folder, text, &["-p", property]).status.code()
}

/// Sends `a` and `b` in turn on a channel; somebody takes them.
fn model(assertion: &str) -> String {
    format!(
        "mtype = {{ a, b }};
chan q = [2] of {{ mtype, byte }};
chan r = [0] of {{ mtype }};
active proctype P() {{ q!a,1; r!b; q!b,2 }}
active proctype Q() {{ mtype m; byte x; q?m,x; r?m; q?m,x }}
{assertion}\n"
    )
}

#[test]
fn messages_in_scope_move_the_automaton_and_others_do_not() {
    let folder = folder("traces-scope");
    let cases = [
        ("trace { q!a,1; q!b,2 }", 0),
        ("trace { q!a,_; q!b,_ }", 0),
        ("trace { q!a,2; q!b,_ }", 1),
        ("trace { q!b,_; q!a,_ }", 1),
        // The end of the body is the end of what is allowed.
        ("trace { q!a,_ }", 1),
        // Receives are not in scope of an assertion about sends.
        ("trace { q?a,_; q?b,_ }", 0),
        ("trace { q?b,_ }", 1),
        // Both halves of a rendezvous are events, the send first.
        ("trace { r!b; r?b }", 0),
        ("trace { r?b; r!b }", 1),
        ("trace { q!a,_; r!b; r?b; q!b,_ }", 0),
        ("trace { q!a,_; q!b,_; r!b; r?b }", 1),
        // A run may not end in the middle, unless at a label.
        ("trace { q!a,_; q!b,_; q!a,_ }", 1),
        ("trace { q!a,_; q!b,_; end: q!a,_ }", 0),
        ("trace { do :: q!a,_ :: q!b,_ od }", 1),
        ("trace { end: do :: q!a,_ :: q!b,_ od }", 0),
        ("notrace { q!a,_; q!b,_ }", 1),
        ("notrace { q!b,_; q!a,_ }", 0),
        // The first message that does not fit makes it hold forever.
        ("notrace { q!b,_ }", 0),
        ("notrace { q!a,_; q!b,_; q!a,_ }", 0),
        ("notrace { q!a,_; r!b; q!b,2 }", 1),
    ];
    for (assertion, expected) in cases {
        assert_eq!(code(&folder, &model(assertion)), Some(expected), "{assertion}");
    }
}

#[test]
fn a_channel_is_known_under_any_name_and_inside_atomic_steps() {
    let folder = folder("traces-names");
    let by_parameter = "chan q = [2] of { byte }; proctype P(chan c) { c!1; c!2 } init { run P(q) } trace { q!1; q!2 }";
    assert_eq!(code(&folder, by_parameter), Some(0));
    assert_eq!(code(&folder, &by_parameter.replace("q!1; q!2", "q!2; q!1")), Some(1));
    for block in ["atomic", "d_step"] {
        let text = format!("chan q = [2] of {{ byte }}; init {{ {block} {{ q!1; q!2 }} }} trace {{ q!1; q!2 }}");
        assert_eq!(code(&folder, &text), Some(0), "{text}");
        assert_eq!(code(&folder, &text.replace("{ q!1; q!2 }\n", "").replace("trace { q!1;", "trace { q!2;")), Some(1));
    }
}

#[test]
fn what_the_automaton_cannot_be_is_said() {
    let folder = folder("traces-refused");
    for (assertion, words) in [
        ("trace { q!a,_; q!b,_; do :: q!a,1 :: q!a,_ od }", None),
        ("trace { do :: q!a,1 :: q!a,_ :: q!b,_ od }", Some("not deterministic")),
        ("trace { skip; q!a,_ }", Some("statements other than sends and receives")),
    ] {
        let output = check(&folder, &model(assertion), &["-p", "trace"]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        match words {
            Some(words) => assert!(output.status.code() == Some(3) && said.contains(words), "{assertion}: {said}"),
            // Never got there; the run ends in the middle.
            None => assert_eq!(output.status.code(), Some(1), "{assertion}: {said}"),
        }
    }
}

#[test]
fn a_proof_is_checked_and_a_run_replays() {
    let folder = folder("traces-proofs");
    let holds = model("trace { q!a,1; q!b,2 }");
    let output = check(&folder, &holds, &["-p", "trace", "--certificate", "proof.json"]);
    assert_eq!(output.status.code(), Some(0));
    let tool = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_highwater"));
        command.current_dir(&folder).args(arguments).output().expect("the tool runs").status.code()
    };
    assert_eq!(tool(&["verify-certificate", "model.pml", "proof.json"]), Some(0));
    let broken = model("trace { q!a,1; q!b,3 }");
    let output = check(&folder, &broken, &["-p", "trace", "--trace", "run.json"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("none that the assertion allows"), "{said}");
    assert_eq!(tool(&["simulate", "model.pml", "--replay", "run.json"]), Some(0));
}

/// After its last step nothing happens, forever; a loop that does not come back to its beginning is refused.
#[test]
fn the_run_of_a_formula_replays_and_its_loop_is_closed() {
    let folder = folder("traces-formulas");
    let text = "byte x; active proctype P() { x = 2; x = 3 } ltl p { <> (x == 1) }";
    let output = check(&folder, text, &["-p", "ltl:p", "--trace", "run.json"]);
    assert_eq!(output.status.code(), Some(1));
    let replay = |trace: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_highwater"));
        command.current_dir(&folder).args(["simulate", "model.pml", "--replay", trace]).output().expect("the tool runs")
    };
    assert_eq!(replay("run.json").status.code(), Some(0));
    let run = std::fs::read_to_string(folder.join("run.json")).expect("a trace");
    let mut document: serde_json::Value = serde_json::from_str(&run).expect("a document");
    let from = document.pointer_mut("/witness/loop_from").expect("a loop");
    assert_eq!(*from, 3);
    *from = 1.into();
    std::fs::write(folder.join("edited.json"), document.to_string()).expect("a file");
    let refused = replay("edited.json");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("does not come back"));
}

// --- against SPIN -------------------------------------------------------------------------------------

/// A few processes that send and take constants, and an assertion about some of it.
fn random_model(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::from("chan q = [2] of { byte };\nchan s = [1] of { byte };\n");
    for process in 0..1 + random.below(2) {
        let _ = write!(text, "active proctype P{process}() {{\n  end: ");
        let atomic = random.below(4) == 0;
        text += if atomic { "atomic { " } else { "" };
        for _ in 0..1 + random.below(3) {
            let _ = write!(text, "{}!{}; ", ["q", "s"][random.below(2) as usize], random.below(2));
        }
        text += if atomic { "skip }\n}\n" } else { "skip\n}\n" };
    }
    text += "active proctype R() {\n  byte x;\n  end: do :: q?x :: s?x od\n}\n";
    text += if random.below(2) == 0 { "trace {\n" } else { "notrace {\n" };
    let event = |random: &mut Random| {
        let field = ["0", "1", "_"][random.below(3) as usize];
        format!("{}{}{field}", ["q", "s"][random.below(2) as usize], ["!", "!", "?"][random.below(3) as usize])
    };
    for _ in 0..1 + random.below(3) {
        if random.below(3) == 0 {
            let (a, b) = (event(&mut random), event(&mut random));
            let _ = writeln!(text, "  do :: {a} :: {b}; break od;");
        } else {
            let _ = writeln!(text, "  {};", event(&mut random));
        }
    }
    let last = event(&mut random);
    let _ = write!(text, "  {last}\n}}\n");
    text
}

/// Whether SPIN's verifier finds the assertion broken; `None` if it has no answer that can be compared.
fn spin(folder: &Path) -> Option<bool> {
    if !judge::make_verifier(folder, &["-DSAFETY"]) {
        return None;
    }
    let text = judge::verify(folder, &["-n", "-c0"])?.0;
    if text.contains("non-determinism") {
        return None;
    }
    let is_trace = !std::fs::read_to_string(folder.join("model.pml")).ok()?.contains("notrace");
    Some(text.contains("event_trace error") || is_trace && text.contains("event_trace not completed"))
}

#[test]
fn random_assertions_have_the_verdicts_of_spin() {
    if !judge::has_spin() {
        println!("skipped: SPIN or a C compiler is not installed");
        return;
    }
    let count = judge::models_for_spin(6);
    let first = testing::first(1);
    let folder = folder("traces-spin");
    let (mut compared, mut violated) = (0, 0);
    for seed in first..first + count {
        let text = random_model(seed);
        let ours = match code(&folder, &text) {
            Some(0) => false,
            Some(1) => true,
            _ => continue,
        };
        let Some(theirs) = spin(&folder) else { continue };
        assert_eq!(ours, theirs, "seed {seed}: violated here: {ours}, for SPIN: {theirs}\n{text}");
        (compared, violated) = (compared + 1, violated + u64::from(ours));
    }
    println!("{compared} of {count} compared, {violated} violated");
}

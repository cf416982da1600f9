//! Promela with channels of any length, and communicating machines with data: verdicts, runs and certificates, through
//! the binary.
//!
//! The examples are those of `examples/unbounded`. Small models at random are asked of the engine for queues and of the
//! search, which must not contradict each other; what is proved must pass the checker. `HIGHWATER_SEEDS=N` takes more.

#![allow(clippy::print_stdout)]

use crate::binary;
use testing::Random;

use crate::binary::{highwater, of, path, scratch, written};
use model::network::{Action, Network};
use model::semantics::{Reading, Semantics, Step, Stepper, Successor};
use serde_json::Value;
use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether a formula fails where a queue has these messages.
type Fails<'f> = dyn Fn(&[Vec<i32>]) -> bool + 'f;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/unbounded")
}

/// The exit code, the results, and what stood on stderr.
fn check(file: &Path, more: &[&str]) -> (i32, Vec<Value>, String) {
    binary::check(file, &[&["-p", "safety,deadlock"], more].concat())
}

const UNBOUNDED: [&str; 4] = ["--channels", "unbounded", "--engine", "fifo"];

fn accepted(file: &Path, certificate: &Path) -> bool {
    highwater(&["verify-certificate", path(file), path(certificate)]).status.code() == Some(0)
}

/// The rows of the table: the file, the macro of the mutant, and both verdicts of each.
fn table() -> Vec<(String, String, [String; 4])> {
    let text = std::fs::read_to_string(examples().join("README.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| [")).map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let name = cells[0].split(['[', ']']).nth(1).unwrap().to_owned();
        let verdicts = [cells[2], cells[3], cells[5], cells[6]].map(str::to_owned);
        (name, cells[4].trim_matches('`').to_owned(), verdicts)
    });
    rows.collect()
}

#[test]
fn every_example_has_the_verdicts_of_the_table() {
    let files = std::fs::read_dir(examples()).unwrap().map(|entry| entry.unwrap().path());
    assert_eq!(files.filter(|file| file.extension().is_some_and(|e| e == "pml")).count(), table().len());
    for (name, mutant, verdicts) in table() {
        let file = examples().join(format!("{name}.pml"));
        for (define, expected) in [("RIGHT", &verdicts[..2]), (mutant.as_str(), &verdicts[2..])] {
            let (certificate, trace) = (scratch(&format!("{name}.cert.json")), scratch(&format!("{name}.trace.json")));
            let _ = std::fs::remove_file(&trace);
            let mut arguments = UNBOUNDED.to_vec();
            arguments.extend(["-D", define, "--certificate", path(&certificate), "--trace", path(&trace)]);
            let (_, results, said) = check(&file, &arguments);
            for (property, expected) in ["safety", "deadlock"].iter().zip(expected) {
                let result = of(&results, property);
                assert_eq!(result["verdict"], expected.as_str(), "{name} -D {define} {property}: {said} {result}");
                assert_eq!((&result["engine"], &result["reading"]), (&"fifo".into(), &"unbounded".into()), "{name}");
            }
            if expected.iter().any(|verdict| verdict == "proved") {
                assert!(accepted(&file, &certificate), "{name} -D {define}");
            }
            if trace.exists() {
                let replay = highwater(&["simulate", path(&file), "-D", define, "--replay", path(&trace)]);
                assert_eq!(replay.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&replay.stderr));
            }
        }
    }
}

#[test]
fn a_search_that_does_not_end_is_followed_by_a_proof() {
    let file = examples().join("alternating-bit.pml");
    let certificate = scratch("auto.json");
    let (code, results, said) =
        check(&file, &["--channels", "unbounded", "--certificate", path(&certificate), "--timeout", "60s"]);
    assert_eq!(code, 0, "{said}");
    for property in ["safety", "deadlock"] {
        assert_eq!(of(&results, property)["engine"], "fifo");
    }
    assert!(accepted(&file, &certificate));
    let output = highwater(&["check", path(&file), "--channels", "unbounded", "-p", "safety", "--stats"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("for channels of any length") && said.contains("the invariant that proves safety"), "{said}");
}

#[test]
fn what_does_not_fold_is_said_only_to_who_asks_for_the_engine() {
    let asks = "chan c = [1] of { byte }; chan d = [1] of { byte };
        active proctype P() { do :: len(c) < len(d) -> c!1 :: d!1 od }
        active proctype Q() { do :: c?_ od }";
    let file = written("asks.pml", asks);
    let (code, results, _) = check(&file, &UNBOUNDED);
    let safety = of(&results, "safety");
    assert_eq!((code, &safety["verdict"], &safety["reason"]), (3, &"inconclusive".into(), &"not-supported".into()));
    assert!(safety["detail"].as_str().unwrap().contains("the length of a channel"), "{safety}");
    let (_, results, said) = check(&file, &["--channels", "unbounded", "--timeout", "2s"]);
    assert_eq!(of(&results, "safety")["engine"], "explore", "{said}");
    let (_, results, _) = check(&file, &["--engine", "fifo"]);
    assert!(of(&results, "safety")["detail"].as_str().unwrap().contains("--channels unbounded"));
}

/// Takes the certificate of a proof apart, in all ways that change what it says.
#[test]
fn a_certificate_that_was_changed_is_refused() {
    let file = examples().join("connection.pml");
    let certificate = scratch("whole.json");
    let mut arguments = UNBOUNDED.to_vec();
    arguments.extend(["--certificate", path(&certificate)]);
    check(&file, &arguments);
    assert!(accepted(&file, &certificate));
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&certificate).unwrap()).unwrap();
    let refuse = |document: &Value, what: &str| {
        let changed = written("changed.json", &document.to_string());
        assert!(!accepted(&file, &changed), "{what} is accepted");
    };
    let certificates = document["certificates"].as_array().unwrap().len();
    for one in 0..certificates {
        let invariant = &document["certificates"][one]["invariant"];
        for entry in 0..invariant["entries"].as_array().unwrap().len() {
            let mut changed = document.clone();
            changed["certificates"][one]["invariant"]["entries"].as_array_mut().unwrap().remove(entry);
            refuse(&changed, "a control state that is missing");
            let mut changed = document.clone();
            let state = &mut changed["certificates"][one]["invariant"]["data"]["controls"][entry]["state"];
            let other = format!("{}00", state.as_str().unwrap());
            *state = other.into();
            refuse(&changed, "another state");
        }
        let mut changed = document.clone();
        let messages = changed["certificates"][one]["invariant"]["data"]["messages"].as_array_mut().unwrap();
        messages.swap(0, 1);
        refuse(&changed, "another alphabet");
        let mut changed = document.clone();
        changed["certificates"][one]["invariant"]["data"]["queues"] = 3.into();
        refuse(&changed, "another number of queues");
        let mut changed = document.clone();
        changed["certificates"][one]["reading"] = "declared".into();
        refuse(&changed, "another reading");
    }
}

/// Variables that are shared, messages that are handed over, processes that come and go: one machine stands for all.
#[test]
fn processes_that_share_variables_are_looked_at_together() {
    let text = "bit busy; byte inside; mtype = { go, done }; chan c = [1] of { mtype }; chan r = [0] of { bit };
        proctype Worker() {
          do
          :: atomic { !busy -> busy = 1 }; inside++; assert(inside == 1); c!done; inside--; busy = 0
          :: c?done
          :: r?1 -> break
          od
        }
        init { run Worker(); run Worker(); do :: c!go; c?go :: r!1; break od }";
    let file = written("together.pml", text);
    let certificate = scratch("together.json");
    let mut arguments = UNBOUNDED.to_vec();
    arguments.extend(["--certificate", path(&certificate)]);
    let (_, results, said) = check(&file, &arguments);
    assert_eq!(of(&results, "safety")["verdict"], "proved", "{said} {results:?}");
    assert!(accepted(&file, &certificate));
    let broken = written("broken.pml", &text.replace("atomic { !busy -> busy = 1 }", "!busy; busy = 1"));
    let trace = scratch("broken.json");
    let mut arguments = UNBOUNDED.to_vec();
    arguments.extend(["--trace", path(&trace)]);
    let (_, results, said) = check(&broken, &arguments);
    assert_eq!(of(&results, "safety")["verdict"], "violated", "{said} {results:?}");
    assert_eq!(highwater(&["simulate", path(&broken), "--replay", path(&trace)]).status.code(), Some(0));
}

const COUNTING: &str = "scm counting :\nnb_channels = 1 ;\nparameters : int a ; int b ;
automaton sender :\nint n = 0 ;\ninitial : 0\nstate 0 : to 0 : when n < 3 , 0 ! a with n = n + 1 ;
to 1 : when n == 3 , 0 ! b with n = 0 ;\nstate 1 : to 0 : when true ;
automaton receiver :\nint got = 0 ;\ninitial : 0\nstate 0 : to 0 : when got < 5 , 0 ? a with got = got + 1 ;
to 1 : when true , 0 ? b ;\nstate 1 : to 0 : when true with got = 0 ;
bad_states : (automaton receiver : in 1 : got != 3)\n";

#[test]
fn machines_with_data_are_proved_too() {
    let file = written("counting.scm", COUNTING);
    let certificate = scratch("counting.json");
    let (code, results, said) = check(&file, &["--certificate", path(&certificate)]);
    assert_eq!(code, 0, "{said} {results:?}");
    assert!(accepted(&file, &certificate));
    // The proof is for this file: with another bad configuration it is none.
    let other = written("other.scm", &COUNTING.replace("got != 3", "got == 3"));
    let (code, results, _) = check(&other, &[]);
    assert_eq!((code, &of(&results, "safety")["verdict"]), (1, &"violated".into()));
    let bad = "receiver@0 with b.b.(a|b)^*";
    let (code, results, said) = check(&file, &["--bad", bad, "--certificate", path(&certificate)]);
    assert_eq!((code, &of(&results, "safety")["verdict"]), (0, &"proved".into()), "{said}");
    assert!(accepted(&file, &certificate));
    let text = std::fs::read_to_string(&certificate).unwrap().replace(bad, "receiver@0 with a.(a|b)^*");
    assert!(!accepted(&file, &written("forged.json", &text)));
}

/// Whatever the engine says of a random model, the search does not contradict it, and the checker accepts it.
#[test]
fn what_the_engine_says_of_random_models_is_confirmed() {
    let seeds: u64 = testing::seeds(MODELS);
    let first: u64 = testing::first(0);
    let mut tally = Tally::default();
    for seed in first..first + seeds {
        tally.add(seed);
    }
    println!("{tally:?}");
    let least = seeds as usize / 8;
    assert!(tally.proved > least && tally.violated > least && tally.folded > seeds as usize / 3, "{tally:?}");
    assert!(tally.refused * 200 <= tally.proved, "{tally:?}");
    assert!(tally.receptions > least && tally.orphans > 0, "{tally:?}");
}

const MODELS: u64 = 60;

#[derive(Default, Debug)]
struct Tally {
    folded: usize,
    proved: usize,
    /// Of those, where the search did not come to an end.
    proved_beyond: usize,
    violated: usize,
    open: usize,
    split: usize,
    refused: usize,
    receptions: usize,
    orphans: usize,
}

/// What a search of a few thousand states sees, by the plain definitions.
#[derive(Default)]
struct Naive {
    reception: bool,
    orphan: bool,
}

impl Naive {
    fn search(text: &str) -> Naive {
        let network = promela::read("random.pml", text, &promela::preprocess::Options::default()).network.unwrap();
        let semantics = Semantics::new(&network, Reading::Unbounded);
        let mut stepper = semantics.stepper();
        let mut found = Naive::default();
        let Ok(Ok(first)) = stepper.initial() else { return found };
        let mut seen = HashSet::from([first.clone()]);
        let mut work = VecDeque::from([(first, None)]);
        while let Some((state, control)) = work.pop_front().filter(|_| seen.len() < 3000) {
            let owner = control.filter(|&process| stepper.keeps_control(&state, process) == Ok(true));
            let (mut movers, mut next) = (HashSet::new(), Vec::new());
            let expanded = stepper.expand(&state, owner, &mut |successor| {
                if let Step::Edge { process, .. } = successor.step {
                    movers.insert(process as usize);
                }
                next.extend(successor.state.map(|state| (state.to_vec(), successor.control)));
            });
            if expanded.is_err() {
                break;
            }
            if owner.is_none() {
                found.look(&network, &mut stepper, &state, &movers);
            }
            work.extend(next.into_iter().filter(|(state, _)| seen.insert(state.clone())));
        }
        found
    }

    fn look(&mut self, network: &Network, stepper: &mut Stepper<'_>, state: &[u8], movers: &HashSet<usize>) {
        let messages = stepper.messages(state);
        stepper.load(state);
        let processes = 0..stepper.loaded_processes();
        let edges = |process: usize| {
            let (machine, at) = stepper.loaded_place(process);
            network.machine(machine).edges_from(at)
        };
        let ended = |process: usize| edges(process).all(|edge| matches!(edge.action, Action::End));
        self.orphan |= processes.clone().all(ended) && messages.iter().any(|queue| !queue.is_empty());
        let full = |process: usize, action: &Action| match action {
            Action::Receive { channel, .. } => {
                let queue = stepper.loaded_value(process, channel).unwrap_or(0) as usize;
                queue > 0 && !messages[queue - 1].is_empty()
            }
            _ => false,
        };
        let waits =
            |process: usize| edges(process).count() > 0 && edges(process).all(|edge| full(process, &edge.action));
        self.reception |= processes.into_iter().any(|process| waits(process) && !movers.contains(&process));
    }
}

impl Tally {
    fn add(&mut self, seed: u64) {
        let text = random_model(seed);
        let (file, certificate) = (written("random.pml", &text), scratch("random.json"));
        let mut arguments = UNBOUNDED.to_vec();
        arguments.extend(["--timeout", "5s", "--certificate", path(&certificate)]);
        let (_, by_fifo, said) = check(&file, &arguments);
        let safety = of(&by_fifo, "safety");
        if safety["reason"] == "not-supported" {
            return;
        }
        self.folded += 1;
        let search = ["--channels", "unbounded", "--engine", "explore", "--keep-going", "--max-states", "20000"];
        let (_, by_search, _) = check(&file, &search);
        let mut proved = 0;
        for property in ["safety", "deadlock"] {
            let (fifo, search) = (of(&by_fifo, property), of(&by_search, property));
            let (verdict, other) = (fifo["verdict"].as_str().unwrap(), search["verdict"].as_str().unwrap());
            let contradiction = matches!((verdict, other), ("proved", "violated") | ("violated", "proved"));
            assert!(!contradiction, "seed {seed}: {property} is {verdict} by fifo, {other} by search\n{text}");
            let detail = fifo["detail"].as_str().unwrap_or("");
            if detail.contains("please report") || detail.contains("not for the model itself") {
                println!("seed {seed}: {property}: {detail}");
                self.refused += 1;
            }
            assert!(!detail.contains("not confirmed"), "seed {seed}: {property}: {detail}\n{said}\n{text}");
            self.split += usize::from(detail.contains("a run was found that the model cannot take"));
            self.violated += usize::from(verdict == "violated");
            self.proved_beyond += usize::from(verdict == "proved" && other == "inconclusive");
            self.open += usize::from(verdict == "inconclusive");
            proved += usize::from(verdict == "proved");
        }
        self.proved += proved;
        assert!(proved == 0 || accepted(&file, &certificate), "seed {seed}: refused\n{text}");
        self.add_queues(seed, &file, &text);
    }

    /// Receptions and orphans, which no other engine knows: a small search of this test does.
    fn add_queues(&mut self, seed: u64, file: &Path, text: &str) {
        let (certificate, trace) = (scratch("queues.json"), scratch("queues.trace.json"));
        let _ = std::fs::remove_file(&trace);
        let more = ["--timeout", "5s", "--certificate", path(&certificate), "--trace", path(&trace)];
        let arguments = [&["-p", "reception,orphan"][..], &UNBOUNDED, &more].concat();
        let (_, results, said) = binary::check(file, &arguments);
        let found = Naive::search(text);
        for (property, found) in [("reception", found.reception), ("orphan", found.orphan)] {
            let result = of(&results, property);
            let detail = result["detail"].as_str().unwrap_or("");
            assert!(!detail.contains("not confirmed"), "seed {seed}: {property}: {detail}\n{said}\n{text}");
            assert!(!detail.contains("refuses"), "seed {seed}: {property}: {detail}\n{said}\n{text}");
            let verdict = result["verdict"].as_str().unwrap();
            assert!(!(verdict == "proved" && found), "seed {seed}: {property} is proved, and is violated\n{text}");
            self.receptions += usize::from(verdict != "inconclusive" && property == "reception");
            self.orphans += usize::from(verdict == "violated" && property == "orphan");
        }
        if results.iter().any(|result| result["verdict"] == "proved") {
            assert!(accepted(file, &certificate), "seed {seed}: refused\n{text}");
        }
        if trace.exists() {
            let replay = highwater(&["simulate", path(file), "--replay", path(&trace)]);
            assert_eq!(
                replay.status.code(),
                Some(0),
                "seed {seed}: {}\n{text}",
                String::from_utf8_lossy(&replay.stderr)
            );
        }
    }
}

/// Whether some state of a small search, outside of atomic sequences, has a first queue that a formula is about.
fn is_reached(text: &str, fails: &dyn Fn(&[Vec<i32>]) -> bool) -> bool {
    let network = promela::read("random.pml", text, &promela::preprocess::Options::default()).network.unwrap();
    let semantics = Semantics::new(&network, Reading::Unbounded);
    let mut stepper = semantics.stepper();
    let Ok(Ok(first)) = stepper.initial() else { return false };
    let mut seen = HashSet::from([(first.clone(), None)]);
    let mut work = VecDeque::from([(first, None)]);
    while let Some((state, control)) = work.pop_front().filter(|_| seen.len() < 3000) {
        let owner = control.filter(|&process| stepper.keeps_control(&state, process) == Ok(true));
        if owner.is_none() && fails(&stepper.messages(&state)[0]) {
            return true;
        }
        let mut next = Vec::new();
        let visit = &mut |successor: Successor<'_>| {
            next.extend(successor.state.map(|state| (state.to_vec(), successor.control)));
        };
        if stepper.expand(&state, owner, visit).is_err() {
            return false;
        }
        work.extend(next.into_iter().filter(|point| seen.insert(point.clone())));
    }
    false
}

/// `[] p` over lengths and heads: what is proved is not reached by a search, and a proof of one formula is none of
/// another that fails.
#[test]
fn formulas_about_queues_of_any_length_are_proved() {
    let (mut proved, mut by_fifo, mut violated, mut forged) = (0, 0, 0, 0);
    let first: u64 = testing::first(0);
    for seed in first..first + testing::seeds(MODELS) {
        let text = random_model(seed);
        let (file, certificate) = (written("always.pml", &text), scratch("always.json"));
        let one_field = text.contains("chan c0 = [1] of { byte }") || text.contains("chan c0 = [2] of { byte }");
        let most = (seed % 3) as usize + 1;
        let head = if one_field { "[] !(c0?[1])" } else { "[] !(c0?[1,1])" };
        let wanted = if one_field { vec![1] } else { vec![1, 1] };
        let short = format!("[] (len(c0) < {most})");
        let is_long = |queue: &[Vec<i32>]| queue.len() >= most;
        let is_wanted = |queue: &[Vec<i32>]| queue.first() == Some(&wanted);
        let formulas: [(&str, &Fails<'_>); 2] = [(&short, &is_long), (head, &is_wanted)];
        for (formula, fails) in formulas {
            let property = format!("ltl:{formula}");
            let more = ["--channels", "unbounded", "--timeout", "5s", "--certificate", path(&certificate)];
            let (_, results, said) = binary::check(&file, &[&["-p", &property][..], &more].concat());
            let result = &results[0];
            let fault = is_reached(&text, fails);
            violated += usize::from(result["verdict"] == "violated");
            if result["verdict"] != "proved" {
                continue;
            }
            assert!(!fault, "seed {seed}: {formula} is proved\n{said}\n{text}");
            assert!(accepted(&file, &certificate), "seed {seed}: {formula} is refused\n{text}");
            proved += 1;
            by_fifo += usize::from(result["engine"] == "fifo");
            // The same proof, said to be one of shorter queues.
            for less in (1..most).filter(|_| formula == short) {
                let is_long = |queue: &[Vec<i32>]| queue.len() >= less;
                if is_reached(&text, &is_long) {
                    let document = std::fs::read_to_string(&certificate).unwrap();
                    let claim = document.replace(&format!("len(c0) < {most}"), &format!("len(c0) < {less}"));
                    assert!(!accepted(&file, &written("forged.json", &claim)), "seed {seed}: forged\n{text}");
                    forged += 1;
                }
            }
        }
    }
    println!("{proved} proved, {by_fifo} of them by fifo, {violated} violated, {forged} forged");
    assert!(proved > 10 && by_fifo > 3 && violated > 10, "{proved} {by_fifo} {violated} {forged}");
}

#[test]
fn what_always_holds_of_machines_is_proved_for_queues_of_any_length() {
    let text = "scm order :\nnb_channels = 2 ;\nparameters : int a ; int b ;
automaton p :\ninitial : 0\nstate 0 : to 0 : when true , 0 ! a ; to 1 : when true , 0 ! b ;
state 1 : to 0 : when true , 1 ? b ;
automaton q :\ninitial : 0\nstate 0 : to 0 : when true , 0 ? a ; to 1 : when true , 0 ? b ;
state 1 : to 0 : when true , 1 ! b ;\n";
    let (file, certificate) = (written("order.scm", text), scratch("order.json"));
    let formula = ["-p", "ltl:[] (q@1 -> p@1)", "--certificate", path(&certificate)];
    let (exit, results, said) = binary::check(&file, &formula);
    assert_eq!((exit, &results[0]["engine"]), (0, &"fifo".into()), "{said} {results:?}");
    assert!(accepted(&file, &certificate));
    let (exit, results, said) = binary::check(&file, &["-p", "ltl:[] (p@1 -> q@1)"]);
    assert_eq!(exit, 1, "{said} {results:?}");
}

#[test]
fn formulas_that_promise_nothing_are_proved_for_queues_of_any_length() {
    let text = "mtype = { req, ack }; chan c = [1] of { mtype }; chan d = [1] of { mtype };
        active proctype P() { do :: c!req :: d?ack od }
        active proctype Q() { do :: c?req -> busy: d!ack od }";
    let (file, certificate) = (written("answers.pml", text), scratch("answers.json"));
    let formulas = [
        ("[] (c?req -> X (d!ack V !c?req))", true),
        ("!d?ack W c!req", true),
        ("[] (len(c) > 1 -> X (len(c) > 0))", true),
        ("[] (c?req -> X (!c?req W d?ack))", false),
        ("!c?req W d!ack", false),
    ];
    for (formula, holds) in formulas {
        let _ = std::fs::remove_file(&certificate);
        let asks = ["-p", &format!("ltl:{formula}"), "--channels", "unbounded", "--certificate", path(&certificate)];
        let (exit, results, said) = binary::check(&file, &asks);
        assert_eq!(exit == 0, holds, "{formula}: {said} {results:?}");
        if holds {
            // What a search of few states decides is decided by it.
            assert_eq!(results[0]["engine"], if formula.contains(" W ") { "explore" } else { "fifo" }, "{formula}");
            assert!(accepted(&file, &certificate), "{formula}");
            let document = std::fs::read_to_string(&certificate).unwrap();
            let (right, wrong) = (json_text(formula), json_text("!c?req W d!ack"));
            assert!(document.contains(&right));
            assert!(!accepted(&file, &written("forged.json", &document.replace(&right, &wrong))), "{formula}");
        }
    }
}

/// A text as it stands in JSON, without quotes.
fn json_text(text: &str) -> String {
    serde_json::to_string(text).unwrap().trim_matches('"').to_owned()
}

/// Writes the book's table of the public models, if they are on the machine: `cargo test -- --ignored`.
#[test]
#[ignore = "takes many minutes; writes a page of the book"]
fn the_table_of_the_public_models_is_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/promela");
    let Ok(table) = std::fs::read_to_string(folder.join("spin-results.tsv")) else { return };
    let files: Vec<&str> = table.lines().skip(1).filter_map(|line| line.split('\t').next()).collect();
    let mut rows: Vec<String> = Vec::new();
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    let (mut buffered, mut open) = (0, 0);
    for name in files {
        let Some(both) = Both::of(&folder.join(name)) else { continue };
        buffered += 1;
        let words = ["safety", "deadlock"].map(|property| both.word(property));
        for (property, word) in ["safety", "deadlock"].iter().zip(&words) {
            let kind = word.split([':', '(']).next().unwrap_or("").trim().trim_matches('*').to_owned();
            *counts.entry(format!("{property}: {kind}")).or_default() += 1;
        }
        open += usize::from(words.iter().all(|word| word.starts_with("unknown")));
        println!("{name}: {words:?}");
        rows.push(format!("| `{name}` | {} | {} |", words[0], words[1]));
    }
    let mut page = String::from(PAGE);
    page += &format!("{buffered} models have buffered channels; {open} of them are undecided.\n\n");
    for (what, count) in counts {
        page += &format!("* {what}: {count}\n");
    }
    page += "\n| model | safety | deadlock |\n| --- | --- | --- |\n";
    page += &(rows.join("\n") + "\n");
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/queues-corpus.md");
    std::fs::write(book, page).unwrap();
}

/// For each property, on the page.
const SECONDS: &str = "20s";

const PAGE: &str = "# The public models with unbounded channels

The results for the public models with buffered channels when these are unbounded: `--channels unbounded` against the
declared capacities, with a limit of twenty seconds for each property, on a machine under load. *Safe for any capacity*
is a proof (`fifo`: an invariant over the queues; `explore`: no channel grows without end, and all states were visited).
*Broken by a longer channel* means that the property holds as declared and is violated with unbounded channels;
*repaired by a longer channel* is the opposite. A model that is violated in both cases is *violated*. For *unknown* the
table gives the reason: an operation that the method does not support, or too many states.

An ignored test of `crates/cli/tests/fifo_promela.rs` writes this page.

";

/// What is known of a model with declared and with unbounded channels.
struct Both {
    declared: Vec<Value>,
    unbounded: Vec<Value>,
    /// Why something is not known.
    why: String,
}

impl Both {
    /// Nothing if no channel holds messages.
    fn of(file: &Path) -> Option<Both> {
        let run = |more: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_highwater"));
            command.current_dir(file.parent()?).arg("check").arg(file.file_name()?);
            let output = command.args(["--format", "json", "--memory", "2GiB"]).args(more).output().ok()?;
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let document: Value = serde_json::from_slice(&output.stdout).ok()?;
            Some((document["results"].as_array()?.clone(), said))
        };
        let (bounds, said) = run(&["-p", "boundedness", "--timeout", "3s"])?;
        if bounds.is_empty() || said.contains("boundedness is left out") {
            return None;
        }
        let mut unbounded = Vec::new();
        for property in ["safety", "deadlock"] {
            let found = run(&["-p", property, "--channels", "unbounded", "--timeout", SECONDS]);
            unbounded.extend(found.map_or_else(Vec::new, |(results, _)| results));
        }
        let is_open = |result: &Value| result["verdict"] == "inconclusive";
        let mut declared = Vec::new();
        if !unbounded.iter().all(is_open) {
            let asked = ["-p", "safety,deadlock", "--engine", "explore", "--keep-going", "--timeout", SECONDS];
            declared = run(&asked)?.0;
        }
        let mut why = String::new();
        if unbounded.iter().any(is_open) {
            let asked = ["-p", "safety", "--channels", "unbounded", "--engine", "fifo", "--timeout", "1s"];
            let machines = run(&asked).map_or_else(Vec::new, |(results, _)| results);
            let is_bounded = bounds.iter().any(|result| result["verdict"] == "proved");
            why = reason(is_bounded, machines.first().and_then(|result| result["detail"].as_str()).unwrap_or(""));
        }
        Some(Both { declared, unbounded, why })
    }

    fn word(&self, property: &str) -> String {
        let find = |results: &[Value], what: &str| {
            let of = results.iter().find(|result| result["property"] == property);
            of.and_then(|result| result[what].as_str()).unwrap_or("").to_owned()
        };
        let engine = find(&self.unbounded, "engine");
        let (declared, unbounded) = (find(&self.declared, "verdict"), find(&self.unbounded, "verdict"));
        match (declared.as_str(), unbounded.as_str()) {
            ("proved", "violated") => String::from("**broken by a longer channel**"),
            ("violated", "proved") => format!("repaired by a longer channel ({engine})"),
            (_, "proved") => format!("safe for any capacity ({engine})"),
            (_, "violated") => String::from("violated"),
            _ => format!("unknown: {}", self.why),
        }
    }
}

/// Why a model is undecided.
fn reason(is_bounded: bool, detail: &str) -> String {
    let looks = [
        ("length of a", "the model tests the length of a channel"),
        ("looked into", "the model polls a channel (`c?[..]`)"),
        ("behind the head", "a receive takes a message from the middle of a channel (`??`)"),
        ("sorts", "a send inserts a message into the middle of a channel (`!!`)"),
        ("come and go", "channels are created and destroyed with processes"),
        ("something else can move", "the model tests which steps are enabled"),
        ("priorit", "the model uses priorities"),
        ("more than once", "a step uses channels more than once"),
        ("rendezvous and `unless`", "the model combines rendezvous with `unless`"),
    ];
    let found = looks.iter().find(|(word, _)| detail.contains(word)).map(|(_, why)| *why);
    match (is_bounded, found) {
        (true, _) => String::from("channels are bounded, but there are too many states"),
        (false, Some(why)) => format!("channels may grow, and {why}"),
        (false, None) => String::from("channels may grow, and there are too many control states"),
    }
}

/// Two or three processes with a few data, one to three channels, atomic sequences, deterministic steps and assertions.
fn random_model(seed: u64) -> String {
    let mut random = Random::new(seed);
    let channels = 1 + random.below(3);
    let fields: Vec<u64> = (0..channels).map(|_| 1 + random.below(2)).collect();
    let mut text = String::from("byte own = 1;\n");
    for (channel, &count) in fields.iter().enumerate() {
        let types = if count == 1 { "byte" } else { "bit, byte" };
        text += &format!("chan c{channel} = [{}] of {{ {types} }};\n", 1 + random.below(2));
    }
    let processes = 2 + random.below(2);
    let (created, shared) = (random.below(3) == 0, random.below(3) == 0);
    for process in 0..processes {
        let head = if created { "proctype" } else { "active proctype" };
        let parameter = if created { "byte p" } else { "" };
        text += &format!("{head} P{process}({parameter}) {{\n  byte x; bit y;\n");
        let owner = process == 0 || shared;
        let mut body = Body { random: &mut random, fields: &fields, owner, process, processes };
        text += &body.process();
        text += "}\n";
    }
    if created {
        let runs: Vec<String> = (0..processes).map(|p| format!("run P{p}({})", p % 3)).collect();
        let runs = runs.join("; ");
        text += &if random.below(2) == 0 {
            format!("init {{ atomic {{ {runs} }} }}\n")
        } else {
            format!("init {{ {runs} }}\n")
        };
    }
    text
}

struct Body<'a> {
    random: &'a mut Random,
    fields: &'a [u64],
    /// The process uses the global variable.
    owner: bool,
    process: u64,
    processes: u64,
}

impl Body<'_> {
    fn process(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.random.below(3) {
            text += &format!("  {};\n", self.statement(1));
        }
        if self.random.below(4) > 0 {
            let label = if self.random.below(2) == 0 { "end: " } else { "" };
            text += &format!("{label}  do\n");
            for _ in 0..1 + self.random.below(3) {
                text += &format!("  :: {};\n", self.option());
            }
            if self.random.below(3) == 0 {
                text += "  :: break\n";
            }
            if self.random.below(6) == 0 {
                text += &format!("  :: timeout -> {}\n", self.statement(0));
            }
            text += "  od;\n";
        }
        for _ in 0..self.random.below(2) {
            text += &format!("  {};\n", self.statement(1));
        }
        text + "  skip\n"
    }

    fn option(&mut self) -> String {
        let first = match self.random.below(4) {
            0 => self.condition(),
            1 => self.send(),
            _ => self.receive(),
        };
        match self.random.below(3) {
            0 => first,
            _ => format!("{first}; {}", self.statement(1)),
        }
    }

    fn statement(&mut self, depth: u64) -> String {
        match self.random.below(if depth == 0 { 7 } else { 11 }) {
            0 | 1 => self.send(),
            2 | 3 => self.receive(),
            4 | 5 => self.assignment(),
            6 => match self.random.below(3) {
                0 => format!("assert({})", self.condition()),
                _ => String::from("skip"),
            },
            7 => format!("atomic {{ {}; {} }}", self.statement(0), self.statement(0)),
            8 => format!("d_step {{ {}; {}; {} }}", self.channel_use(), self.assignment(), self.assignment()),
            9 => format!("if :: {} -> {} :: else -> {} fi", self.condition(), self.statement(0), self.statement(0)),
            _ => format!("if :: {} :: {} fi", self.option_of(), self.option_of()),
        }
    }

    fn option_of(&mut self) -> String {
        format!("{}; {}", self.receive(), self.statement(0))
    }

    fn channel_use(&mut self) -> String {
        match self.random.below(3) {
            0 => self.assignment(),
            1 => self.send(),
            _ => self.receive(),
        }
    }

    fn channel(&mut self) -> (u64, u64) {
        let channel = self.random.below(self.fields.len() as u64);
        // Some order in who sends where, so that not all is noise.
        let channel = if self.random.below(2) == 0 { self.process % self.fields.len() as u64 } else { channel };
        (channel, self.fields[channel as usize])
    }

    fn send(&mut self) -> String {
        let (channel, fields) = self.channel();
        let value = self.random.pick(&["1", "2", "x", "y", "_pid"]);
        let value = if value == "_pid" && self.processes == 3 { "x" } else { value };
        if fields == 1 {
            format!("c{channel}!{value}")
        } else {
            format!("c{channel}!{},{value}", self.random.pick(&["0", "1", "y"]))
        }
    }

    fn receive(&mut self) -> String {
        let channel = self.random.below(self.fields.len() as u64);
        let value = self.random.pick(&["1", "2", "x", "x", "eval(x)", "_"]);
        match self.fields[channel as usize] {
            1 => format!("c{channel}?{value}"),
            _ => format!("c{channel}?{},{value}", self.random.pick(&["0", "1", "y", "y", "_"])),
        }
    }

    fn assignment(&mut self) -> String {
        let own = ["own = (own + 1) % 2", "x = own"];
        match self.random.below(6) {
            0 if self.owner => own[self.random.below(2) as usize].to_owned(),
            0 | 1 => String::from("x = (x + 1) % 3"),
            2 => String::from("y = 1 - y"),
            3 => String::from("x = 0"),
            4 => String::from("x = y"),
            _ => format!("x = {}", self.random.below(3)),
        }
    }

    fn condition(&mut self) -> String {
        self.random.pick(&["x == 0", "x != 1", "y == 1", "x < 2", "x == y"]).to_owned()
    }
}

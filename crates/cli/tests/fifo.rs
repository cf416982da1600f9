//! Communicating machines as a user sees them: verdicts, runs and certificates, through the binary.
//!
//! The examples are those of `examples/scm`, and the table in its README says what is safe and how many steps the shortest
//! way to something bad has.

use crate::binary::{check, highwater, of, path, scratch, written};
use serde_json::Value;
use std::path::{Path, PathBuf};
use testing::Random;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/scm")
}

/// The rows of the table: the name of a file, and for unsafe ones the length of the shortest run.
fn table() -> Vec<(String, Option<usize>)> {
    let text = std::fs::read_to_string(examples().join("README.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| [")).map(|line| {
        let name = line.split(['[', ']']).nth(1).unwrap().to_owned();
        let verdict = line.trim_end_matches('|').rsplit('|').next().unwrap();
        let steps = verdict.split_once("**unsafe**, ").map(|(_, steps)| steps.split(' ').next().unwrap());
        (name, steps.map(|steps| steps.parse().unwrap()))
    });
    rows.collect()
}

#[test]
fn every_example_has_the_verdict_of_the_table() {
    let table = table();
    let files = std::fs::read_dir(examples()).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|e| e == "scm")).collect();
    assert_eq!(files.len(), table.len(), "every file is in the table");
    for (name, steps) in table {
        let file = examples().join(format!("{name}.scm"));
        let (certificate, trace) = (scratch(&format!("{name}.cert.json")), scratch(&format!("{name}.trace.json")));
        let _ = std::fs::remove_file(&trace);
        let (code, results, said) = check(&file, &["--certificate", path(&certificate), "--trace", path(&trace)]);
        let safety = of(&results, "safety");
        assert_eq!(safety["verdict"], if steps.is_some() { "violated" } else { "proved" }, "{name}: {said}");
        assert_eq!((&safety["engine"], &safety["reading"]), (&"fifo".into(), &"unbounded".into()), "{name}");
        for property in ["deadlock", "reception", "orphan"] {
            let verdict = of(&results, property)["verdict"].as_str().unwrap().to_owned();
            assert!(["proved", "violated"].contains(&verdict.as_str()), "{name}: {property} is {verdict}");
        }
        if let Some(steps) = steps {
            assert_eq!(code, 1, "{name}");
            assert_eq!(safety["witness"]["problem_code"], "bad-configuration", "{name}");
            assert!(safety["witness"]["steps"].as_array().unwrap().len() >= steps, "{name}: shorter than the shortest");
        }
        let asked = results.iter().filter(|result| result["advisory"] != true);
        let proved = asked.clone().filter(|result| result["verdict"] == "proved").count();
        if proved > 0 {
            let output = highwater(&["verify-certificate", path(&file), path(&certificate)]);
            let accepted = String::from_utf8(output.stdout).unwrap();
            assert_eq!(output.status.code(), Some(verified(&accepted)), "{name}: {accepted}");
            assert!(accepted.matches("accepted").count() >= proved, "{name}: {accepted}");
        }
        if trace.exists() {
            let output = highwater(&["simulate", path(&file), "--replay", path(&trace)]);
            assert_eq!(output.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn methods_agree_and_search_finds_the_shortest_run() {
    for (name, steps) in table().into_iter().filter(|(name, _)| name.starts_with("nested") || name == "cd") {
        let file = examples().join(format!("{name}.scm"));
        let settings: [&[&str]; 4] = [
            &["--method", "absint"],
            &["--method", "cegar", "--path-invariant", "apinv-bwd", "--extrapolation", "rho-forward"],
            &["--path-invariant", "upinv-fwd", "--extrapolation", "rho''-forward"],
            &["--method", "search"],
        ];
        for setting in settings {
            // A search does not come to an end where queues grow, and widening finds no runs.
            let for_unsafe = setting.contains(&"search");
            let for_safe = setting.contains(&"absint");
            if (for_unsafe && steps.is_none()) || (for_safe && steps.is_some()) {
                continue;
            }
            let mut arguments = vec!["-p", "safety"];
            arguments.extend(setting);
            let (_, results, said) = check(&file, &arguments);
            let safety = of(&results, "safety");
            assert_eq!(
                safety["verdict"],
                if steps.is_some() { "violated" } else { "proved" },
                "{name} {setting:?} {said}"
            );
            if let (Some(steps), true) = (steps, setting.contains(&"search")) {
                assert_eq!(safety["witness"]["steps"].as_array().unwrap().len(), steps, "{name}");
            }
        }
    }
}

#[test]
fn a_certificate_that_was_changed_is_refused() {
    let file = examples().join("nested.scm");
    let certificate = scratch("changed.json");
    check(&file, &["-p", "safety", "--certificate", path(&certificate)]);
    let text = std::fs::read_to_string(&certificate).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["certificates"][0]["kind"], "queue-invariant");
    let entries = document["certificates"][0]["invariant"]["entries"].as_array().unwrap().len();
    for entry in 0..entries {
        let mut changed = document.clone();
        changed["certificates"][0]["invariant"]["entries"].as_array_mut().unwrap().remove(entry);
        let changed = written("changed.json", &changed.to_string());
        let output = highwater(&["verify-certificate", path(&file), path(&changed)]);
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
    }
    let other = written("other.json", &text.replace("\"safety\"", "\"livelock\""));
    assert_eq!(highwater(&["verify-certificate", path(&file), path(&other)]).status.code(), Some(1));
}

#[test]
fn bad_configurations_can_be_given_in_a_line() {
    let file = examples().join("nested.scm");
    let (bad, good) = ("client@0 && server@1 with m.m.(m|c)^*", "server@1 with o.o.(o|c|m)^*");
    let trace = scratch("given.trace.json");
    let (code, results, _) = check(&file, &["-p", "safety", "--bad", bad, "--trace", path(&trace)]);
    assert_eq!((code, &of(&results, "safety")["verdict"]), (1, &"violated".into()));
    let replayed = |more: &[&str]| {
        let mut arguments = vec!["simulate", path(&file), "--replay", path(&trace)];
        arguments.extend(more);
        highwater(&arguments).status.code()
    };
    assert_eq!((replayed(&["--bad", bad]), replayed(&[])), (Some(0), Some(2)));
    let certificate = scratch("given.cert.json");
    let (code, ..) = check(&file, &["-p", "safety", "--bad", good, "--certificate", path(&certificate)]);
    assert_eq!(code, 0);
    let output = highwater(&["verify-certificate", path(&file), path(&certificate)]);
    let accepted = String::from_utf8(output.stdout).unwrap();
    assert!(accepted.contains(&format!("--bad '{good}'")), "{accepted}");
    // The proof is one of what it names, not of anything else.
    let text = std::fs::read_to_string(&certificate).unwrap().replace(good, bad);
    let forged = written("forged.json", &text);
    assert_eq!(highwater(&["verify-certificate", path(&file), path(&forged)]).status.code(), Some(1));
    let output = highwater(&["check", path(&file), "--bad", "client@9"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("S0105"));
}

const ORPHAN: &str = "scm orphan :\nnb_channels = 1 ;\nparameters : int a ; int b ;
automaton sender :\ninitial : 0\nstate 0 : to 1 : when true , 0 ! a ;\nstate 1 :
automaton other :\ninitial : 0\nstate 0 : to 1 : when true ;\nstate 1 :\n";

#[test]
fn faults_have_names_and_are_explained() {
    let file = written("orphan.scm", ORPHAN);
    let (code, results, said) = check(&file, &[]);
    assert_eq!(code, 1);
    assert_eq!(said, "");
    assert!(results.iter().all(|result| result["property"] != "safety"));
    assert_eq!(of(&results, "reception")["verdict"], "proved");
    for (property, problem) in [("deadlock", "invalid-end-state"), ("orphan", "orphan-message")] {
        assert_eq!(of(&results, property)["witness"]["problem_code"], problem);
    }
    let waits = ORPHAN.replace("when true ;", "when true , 0 ? b ;");
    let (_, results, _) = check(&written("waits.scm", &waits), &["-p", "reception"]);
    assert_eq!(of(&results, "reception")["witness"]["problem_code"], "unspecified-reception");
    for code in ["bad-configuration", "unspecified-reception", "orphan-message", "not-expressible", "S0101"] {
        assert_eq!(highwater(&["explain", code]).status.code(), Some(0), "{code}");
    }
}

/// Two that go on forever, one that waits, and a queue that fills.
const PARTIAL: &str = "scm partial :\nchannels : up, down, never ;\nparameters : int a ; int b ;
automaton p :\ninitial : 0\nstate 0 : to 0 : when true , up ! a ; to 0 : when true , down ? a ;
automaton q :\ninitial : 0\nstate 0 : to 0 : when true , up ? a ; to 1 : when true , never ? b ;\nstate 1 :
automaton r :\ninitial : 0\nstate 0 : to 1 : when true , down ! b ;\nstate 1 : to 2 : when true , never ? b ;\nstate 2 :\n";

#[test]
fn what_can_never_happen_again_is_a_run_and_a_closed_set() {
    let file = written("partial.scm", PARTIAL);
    let (trace, certificate) = (scratch("partial.json"), scratch("partial.cert.json"));
    for (property, code) in [("partial-deadlock", "partial-deadlock"), ("eventual-reception", "stuck-message")] {
        let (exit, results, said) = check(&file, &["-p", property, "--trace", path(&trace)]);
        let witness = &of(&results, property)["witness"];
        assert_eq!((exit, &witness["problem_code"]), (1, &code.into()), "{said} {results:?}");
        assert_eq!(witness["steps"].as_array().unwrap().len(), 1);
        assert_eq!(highwater(&["simulate", path(&file), "--replay", path(&trace)]).status.code(), Some(0));
        // With its last step taken away the run is none.
        let text = std::fs::read_to_string(&trace).unwrap();
        let mut document: Value = serde_json::from_str(&text).unwrap();
        document.pointer_mut("/witness/steps").and_then(Value::as_array_mut).unwrap().pop();
        let shorter = written("partial-shorter.json", &document.to_string());
        assert_ne!(highwater(&["simulate", path(&file), "--replay", path(&shorter)]).status.code(), Some(0));
        assert_eq!(highwater(&["explain", code]).status.code(), Some(0), "{code}");
    }
    // Somebody takes the message, and somebody sends what is waited for: a queue of any length is drained first.
    let fair = PARTIAL
        .replace("down ? a", "down ? b")
        .replace(
            "to 1 : when true , never ? b ;\nstate 1 :\nautomaton r",
            "to 0 : when true , never ! b ;\nautomaton r",
        )
        .replace("state 2 :\n", "state 2 : to 2 : when true , never ? b ;\n");
    let file = written("not-partial.scm", &fair);
    let properties = "partial-deadlock,eventual-reception";
    let (exit, results, said) = check(&file, &["-p", properties, "--certificate", path(&certificate)]);
    assert_eq!(exit, 0, "{said} {results:?}");
    assert_eq!(of(&results, "partial-deadlock")["certificate"]["kind"], "queue-ranking", "{results:?}");
    assert_eq!(highwater(&["verify-certificate", path(&file), path(&certificate)]).status.code(), Some(0));
    let mut forged: Value = serde_json::from_str(&std::fs::read_to_string(&certificate).unwrap()).unwrap();
    let region = forged.pointer_mut("/certificates/0/ranking/obligations/0/0/regions/0/transition").unwrap();
    *region = 7.into();
    let forged = written("not-partial-forged.json", &forged.to_string());
    assert_eq!(highwater(&["verify-certificate", path(&file), path(&forged)]).status.code(), Some(1));
}

#[test]
fn queues_that_are_equally_long_are_proved_so() {
    for (k, modulus) in [(2, None), (3, None), (5, None), (2, Some(2)), (2, Some(3)), (3, Some(4))] {
        let file = written(&format!("equal-{k}-{modulus:?}.scm"), &scm::families::equal_queues(k, modulus));
        let certificate = scratch("equal.cert.json");
        let (exit, results, said) = check(&file, &["-p", "safety", "--certificate", path(&certificate)]);
        assert_eq!((exit, &of(&results, "safety")["verdict"]), (0, &"proved".into()), "{k} {modulus:?}: {said}");
        assert_eq!(highwater(&["verify-certificate", path(&file), path(&certificate)]).status.code(), Some(0));
        let kind = &of(&results, "safety")["certificate"]["kind"];
        assert!(modulus.is_some() || *kind == "queue-counts", "{k}: {kind}");
    }
}

#[test]
fn many_machines_are_proved_in_parts() {
    let families = [scm::families::pipeline(12), scm::families::lock_server(8)];
    for (number, text) in families.iter().enumerate() {
        let file = written(&format!("many-{number}.scm"), text);
        let certificate = scratch("many.json");
        let properties = ["-p", "safety,deadlock,reception,orphan", "--certificate", path(&certificate)];
        let (exit, results, said) = check(&file, &properties);
        assert_eq!((exit, &of(&results, "safety")["certificate"]["kind"]), (0, &"queue-parts".into()), "{said}");
        assert_eq!(highwater(&["verify-certificate", path(&file), path(&certificate)]).status.code(), Some(0));
    }
}

#[test]
fn finitely_many_configurations_are_listed_by_the_checker() {
    let file = written("ring.scm", &scm::families::token_ring(24));
    let certificate = scratch("ring.json");
    let (exit, results, said) = check(&file, &["-p", "safety", "--certificate", path(&certificate)]);
    assert_eq!((exit, &of(&results, "safety")["certificate"]["kind"]), (0, &"explored-states".into()), "{said}");
    assert_eq!(highwater(&["verify-certificate", path(&file), path(&certificate)]).status.code(), Some(0));
    // The same states, if it is bad to have one token.
    let worse = scm::families::token_ring(24).replace(": in 4 : true", ": in 1 : true");
    let worse = written("worse-ring.scm", &worse);
    let other = scratch("worse-ring.json");
    check(&worse, &["-p", "orphan", "--certificate", path(&other)]);
    let document = |file: &Path| -> Value { serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap() };
    let mut forged = document(&certificate);
    forged["model"] = document(&other)["model"].clone();
    let forged = written("ring-forged.json", &forged.to_string());
    assert_eq!(highwater(&["verify-certificate", path(&worse), path(&forged)]).status.code(), Some(1));
}

#[test]
fn what_is_bad_near_the_beginning_is_found_where_data_do_not_fold() {
    let text = "scm far :\nnb_channels = 1 ;\nparameters : int a ;
automaton p :\nint x = 0 ;\ninitial : 0\nstate 0 : to 0 : when true with x = x + 1 ;
bad_states : (automaton p : in 0 : x == 2)\n";
    let file = written("far.scm", text);
    let trace = scratch("far.json");
    let (exit, results, said) = check(&file, &["-p", "safety", "--trace", path(&trace)]);
    assert_eq!((exit, &of(&results, "safety")["verdict"]), (1, &"violated".into()), "{said}");
    assert_eq!(of(&results, "safety")["witness"]["steps"].as_array().unwrap().len(), 2);
    assert_eq!(highwater(&["simulate", path(&file), "--replay", path(&trace)]).status.code(), Some(0));
    let (exit, ..) = check(&written("farther.scm", &text.replace("x == 2", "x == -2")), &["-p", "safety"]);
    assert_eq!(exit, 3);
}

const COUNTING: &str = "scm counting :\nnb_channels = 1 ;\nparameters : int a ; int b ;
automaton sender :\nint n = 0 ;\ninitial : 0\nstate 0 : to 0 : when n < 3 , 0 ! a with n = n + 1 ;
to 1 : when n == 3 , 0 ! b ;\nstate 1 :
automaton receiver :\nint got = 0 ;\ninitial : 0\nstate 0 : to 0 : when got < 5 , 0 ? a with got = got + 1 ;
to 1 : when true , 0 ? b ;\nstate 1 :
bad_states : (automaton receiver : in 1 : got == 3)\n";

#[test]
fn data_are_folded_and_runs_and_proofs_are_those_of_the_file() {
    let file = written("counting.scm", COUNTING);
    let trace = scratch("counting.json");
    let (code, results, _) = check(&file, &["-p", "safety", "--trace", path(&trace)]);
    assert_eq!(code, 1);
    assert_eq!(of(&results, "safety")["witness"]["steps"].as_array().unwrap().len(), 8);
    assert_eq!(highwater(&["simulate", path(&file), "--replay", path(&trace)]).status.code(), Some(0));
    let safe = written("counted.scm", &COUNTING.replace("got == 3", "got != 3"));
    let certificate = scratch("counted.json");
    let (code, results, _) = check(&safe, &["-p", "safety", "--certificate", path(&certificate)]);
    assert_eq!((code, &of(&results, "safety")["verdict"]), (0, &"proved".into()));
    assert_eq!(highwater(&["verify-certificate", path(&safe), path(&certificate)]).status.code(), Some(0));
    // The last message is taken for good, so that no one is stuck before one; that is proved for the file, too.
    let (code, results, _) = check(&safe, &["-p", "reception,orphan", "--certificate", path(&certificate)]);
    assert_eq!((code, &of(&results, "reception")["verdict"]), (0, &"proved".into()), "{results:?}");
    assert_eq!(highwater(&["verify-certificate", path(&safe), path(&certificate)]).status.code(), Some(0));
    // A receiver that counts to two is stuck before the third.
    let stuck = written("stuck.scm", &COUNTING.replace("got < 5", "got < 2"));
    let (code, results, _) = check(&stuck, &["-p", "reception", "--trace", path(&trace)]);
    assert_eq!((code, &of(&results, "reception")["verdict"]), (1, &"violated".into()), "{results:?}");
    assert_eq!(highwater(&["simulate", path(&stuck), "--replay", path(&trace)]).status.code(), Some(0));
}

/// Waiting for what no one sends is waiting all the same.
#[test]
fn a_message_that_nobody_waits_for_is_seen_behind_data() {
    let text = "scm odd :\nnb_channels = 1 ;\nparameters : int a ; int b ;
automaton sender :\nint n = 0 ;\ninitial : 0\nstate 0 : to 1 : when n == 0 , 0 ! a with n = 1 ;\nstate 1 :
automaton receiver :\nint m = 0 ;\ninitial : 0\nstate 0 : to 1 : when m == 0 , 0 ? b with m = 1 ;\nstate 1 :\n";
    let file = written("odd.scm", text);
    let (_, results, _) = check(&file, &["-p", "reception,orphan,deadlock"]);
    let verdicts = ["reception", "orphan", "deadlock"].map(|property| of(&results, property)["verdict"].clone());
    assert_eq!(verdicts, ["violated", "proved", "violated"], "{results:?}");
}

#[test]
fn several_initial_states_are_tried_all() {
    let text = ORPHAN.replacen("initial : 0", "initial : 0, 1", 1);
    let file = written("several.scm", &text);
    let (certificate, trace) = (scratch("several.cert.json"), scratch("several.trace.json"));
    let files = ["--certificate", path(&certificate), "--trace", path(&trace)];
    let asked = [&["-p", "safety,reception,orphan", "--bad", "sender@1 && other@0 with a.a"][..], &files].concat();
    let (code, results, said) = check(&file, &asked);
    assert_eq!((code, &of(&results, "safety")["verdict"]), (1, &"proved".into()), "{said}");
    assert_eq!(of(&results, "orphan")["verdict"], "violated");
    assert_eq!(highwater(&["verify-certificate", path(&file), path(&certificate)]).status.code(), Some(0));
    assert_eq!(highwater(&["simulate", path(&file), "--replay", path(&trace)]).status.code(), Some(0));
    // Only who begins in the other state gets there without a message.
    for (bad, verdict) in [("sender@1 && other@1 with _", "violated"), ("sender@0 with a", "proved")] {
        let (_, results, _) = check(&file, &["-p", "safety", "--bad", bad]);
        assert_eq!(of(&results, "safety")["verdict"], verdict, "{bad}");
    }
}

#[test]
fn formulas_about_machines_are_answered_by_a_search() {
    let file = examples().join("token-ring.scm");
    let (certificate, trace) = (scratch("ltl.cert.json"), scratch("ltl.trace.json"));
    let holds = "ltl:[] <> process0@1";
    let (code, results, said) = check(&file, &["-p", holds, "--certificate", path(&certificate)]);
    assert_eq!((code, &of(&results, holds)["engine"]), (0, &"explore".into()), "{said}");
    assert_eq!(highwater(&["verify-certificate", path(&file), path(&certificate)]).status.code(), Some(0));
    for formula in ["ltl:[] process0@1", "ltl:[] (\"0!a\" -> process0@3)"] {
        let (code, results, said) = check(&file, &["-p", formula, "--trace", path(&trace)]);
        assert_eq!((code, &of(&results, formula)["verdict"]), (1, &"violated".into()), "{said}");
        assert_eq!(highwater(&["simulate", path(&file), "--replay", path(&trace)]).status.code(), Some(0), "{formula}");
    }
    for wrong in ["ltl:<> process9@1", "ltl:<> process0@9", "ltl:<> token", "ltl:<> (", "ltl:<> \"7!a\""] {
        assert_eq!(highwater(&["check", path(&file), "-p", wrong]).status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn what_is_converted_is_read_again() {
    let promela = "chan c = [2] of { byte };
        active proctype P() { byte n; do :: n < 3 -> c!n; n++ :: n == 3 -> break od }
        active proctype Q() { byte m; do :: c?m od }";
    for file in [written("convert.pml", promela), written("convert-data.scm", COUNTING), examples().join("tcp.scm")] {
        let output = highwater(&["convert", path(&file), "--to", "scm"]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let again = written("converted.scm", &String::from_utf8(output.stdout).unwrap());
        let (code, results, said) = check(&again, &["-p", "reception"]);
        assert!(code <= 1 && !results.is_empty(), "{}: {said}", file.display());
    }
    let shared = "byte x; chan c = [1] of { byte };
        active proctype P() { x++; c!1 }
        active proctype Q() { x++; c?_ }";
    let output = highwater(&["convert", path(&written("shared.pml", shared)), "--to", "scm"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("not-expressible") && said.contains("shared.pml:2"), "{said}");
}

#[test]
fn bad_usage_is_said_to_be_so() {
    let file = examples().join("cd.scm");
    let usages: [&[&str]; 5] = [
        &["--apply-bounds"],
        &["--extrapolation", "magic"],
        &["--method", "absint", "--path-invariant", "upinv-fwd"],
        &["--method", "search", "--extrapolation", "xi"],
        &["-p", "ltl:G x"],
    ];
    for usage in usages {
        let mut arguments = vec!["check", path(&file)];
        arguments.extend(usage);
        assert_eq!(highwater(&arguments).status.code(), Some(2), "{usage:?}");
    }
    let (code, results, _) = check(&written("not-bad.scm", ORPHAN), &["-p", "safety"]);
    assert_eq!((code, &of(&results, "safety")["reason"]), (3, &"not-applicable".into()));
    let promela = written("plain.pml", "active proctype P() { skip }");
    assert_eq!(highwater(&["check", path(&promela), "--bad", "P@0"]).status.code(), Some(2));
}

#[test]
fn limits_hold_and_the_story_is_told() {
    let file = examples().join("nested.scm");
    let (_, _, said) = check(&file, &["-p", "safety", "--trace-refinement", "--method", "cegar"]);
    for word in ["iteration 0: an abstract run", "spurious", "path invariant, k = ", "split (0, 0)"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    let (code, results, _) = check(&file, &["-p", "safety", "--method", "search", "--timeout", "300ms"]);
    let safety = of(&results, "safety");
    assert_eq!((code, &safety["verdict"], &safety["reason"]), (3, &"inconclusive".into(), &"timeout".into()));
    let output = highwater(&["check", path(&file), "-p", "safety", "--stats"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("the invariant that proves safety") && said.contains("(o.m^*.c)^*"), "{said}");
}

/// Small systems at random, some with lossy channels: whatever the engine says, the replay and the checker agree.
#[test]
fn what_the_engine_says_of_random_systems_is_confirmed() {
    let (mut proved, mut violated) = (0, 0);
    let systems = testing::seeds(SYSTEMS);
    for seed in 0..systems {
        let text = random_system(seed);
        let file = written("random.scm", &text);
        let certificate = scratch("random.json");
        let (_, results, said) = check(&file, &["--timeout", "4s", "--certificate", path(&certificate)]);
        for result in results.iter().filter(|result| result["advisory"] != true) {
            let detail = result["detail"].as_str().unwrap_or("");
            assert!(!detail.contains("please report"), "system {seed}: {detail}\n{said}\n{text}");
            proved += usize::from(result["verdict"] == "proved");
            violated += usize::from(result["verdict"] == "violated");
        }
        let document: Value = serde_json::from_str(&std::fs::read_to_string(&certificate).unwrap()).unwrap();
        if !document["certificates"].as_array().unwrap().is_empty() {
            let output = highwater(&["verify-certificate", path(&file), path(&certificate)]);
            let accepted = String::from_utf8(output.stdout).unwrap();
            assert_eq!(output.status.code(), Some(verified(&accepted)), "system {seed}:\n{accepted}\n{text}");
        }
    }
    let least = systems as usize / 2;
    assert!(proved > least && violated > least, "{proved} proved, {violated} violated");
}

/// The exit code for certificates that are all accepted: a proof of boundedness may leave out channels that grow.
fn verified(lines: &str) -> i32 {
    if lines.lines().any(|line| line.starts_with("partial ")) { 3 } else { 0 }
}

const SYSTEMS: u64 = 60;

/// Two or three machines with a few states, one or two channels, two messages, and something bad.
fn random_system(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut below = |bound: u64| random.below(bound);
    let (channels, machines) = (1 + below(2), 2 + below(2));
    let lossy = if below(3) == 0 { "lossy : 0" } else { "" };
    let mut text = format!("scm random :\nnb_channels = {channels} ; {lossy}\nparameters : int a ; int b ;\n");
    for machine in 0..machines {
        let states = 2 + below(2);
        let initial = if below(5) == 0 { "0, 1" } else { "0" };
        let counts = below(5) == 0;
        let data = if counts { "int n = 0 ;\n" } else { "" };
        text += &format!("automaton m{machine} :\n{data}initial : {initial}\n");
        for from in 0..states {
            text += &format!("state {from} :\n");
            for _ in 0..below(3) {
                let (to, channel, message) = (below(states), below(channels), ["a", "b"][below(2) as usize]);
                let when = if counts { ["true", "n < 2", "n == 1"][below(3) as usize] } else { "true" };
                let with = if counts && below(2) == 0 { "with n = (n + 1) % 3 " } else { "" };
                text += &match below(7) {
                    0 => format!("to {to} : when {when} {with};\n"),
                    1..=3 => format!("to {to} : when {when} , {channel} ! {message} {with};\n"),
                    _ => format!("to {to} : when {when} , {channel} ? {message} {with};\n"),
                };
            }
        }
    }
    let queues = if channels == 1 { "a.b.(a|b)^*" } else { "(a|b)^*.#.a.(a|b)^*" };
    text + &format!("bad_states : (automaton m0 : in 1 : true automaton m1 : in 1 : true with {queues})\n")
}

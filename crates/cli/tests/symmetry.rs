//! `--symmetry` through the binary: fewer states with the same verdicts, runs that replay, and refusals with their reason.

use crate::binary::{check, highwater, of, path, said, scratch, written};
use std::path::Path;

/// Clients of one server. The fault lets two of them be granted.
fn clients(count: usize, fault: &str) -> String {
    let run: String = (0..count).map(|number| format!("run Client({number}); ")).collect();
    format!(
        "chan requests = [{count}] of {{ byte }}; chan grants[{count}] = [1] of {{ bit }}; chan done = [{count}] of {{ byte }};
byte inside;
proctype Client(byte id) {{
    do :: requests!id; grants[id]?_; inside++; assert(inside == 1); inside--; done!id od
}}
active proctype Server() {{ byte who; do :: requests?who; grants[who]!1; {fault} od }}
init {{ atomic {{ {run}}} }}
"
    )
}

/// The verdict, the exit code and the number of states of safety.
fn safety(file: &Path, more: &[&str]) -> (i32, String, u64) {
    let (code, results, errors) = check(file, &[&["-p", "safety", "--engine", "explore"], more].concat());
    let result = of(&results, "safety");
    let states = result["stats"]["states"].as_u64().unwrap_or_else(|| panic!("{errors}"));
    (code, result["verdict"].as_str().expect("a verdict").to_owned(), states)
}

#[test]
fn clients_of_one_server_are_alike() {
    let good = written("clients.pml", &clients(4, "done?eval(who)"));
    let (code, verdict, all) = safety(&good, &[]);
    assert_eq!((code, verdict.as_str()), (0, "proved"));
    let ways: [&[&str]; 3] = [&[], &["--reduction", "none"], &["--reduction", "order", "--jobs", "2"]];
    for more in ways {
        let (code, verdict, states) = safety(&good, &[&["--symmetry"], more].concat());
        assert_eq!((code, verdict.as_str()), (0, "proved"));
        assert!(states * 12 < all, "{states} of {all}");
    }
}

#[test]
fn a_run_through_exchanged_states_is_one_of_the_model() {
    let bad = written("careless.pml", &clients(4, "if :: done?eval(who) :: skip fi"));
    let trail = scratch("careless.json");
    for more in [&["--symmetry"][..], &["--symmetry", "--search", "depth"], &["--symmetry", "--bitstate"]] {
        let (code, verdict, _) = safety(&bad, more);
        assert_eq!((code, verdict.as_str()), (1, "violated"), "{more:?}");
    }
    let written = highwater(&["check", path(&bad), "-p", "safety", "--symmetry", "--trace", path(&trail)]);
    assert_eq!(written.status.code(), Some(1), "{}", said(&written));
    let replayed = highwater(&["simulate", path(&bad), "--replay", path(&trail)]);
    assert!(replayed.status.success() && said(&replayed).contains("inside = 2"), "{}", said(&replayed));
}

#[test]
fn where_nothing_can_be_exchanged_the_reason_is_said() {
    let order = written("order.pml", "byte x; active [2] proctype P() { do :: x < _pid -> x = 0 :: x = 1 od }\n");
    let output = highwater(&["check", path(&order), "-p", "safety", "--symmetry"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("`P`: something is computed from their numbers"), "{}", said(&output));
    let ending = written("ending.pml", "byte x; active [2] proctype P() { x = 1 }\n");
    let output = highwater(&["check", path(&ending), "-p", "deadlock", "--symmetry"]);
    assert!(output.status.code() == Some(2) && said(&output).contains("`P`: they can end"), "{}", said(&output));
    let output = highwater(&["check", path(&order), "-p", "livelock", "--symmetry"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
}

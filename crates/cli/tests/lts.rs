//! `highwater lts`: what it prints about small transition systems, and how it ends.

use std::path::PathBuf;
use std::process::Command;

fn file(name: &str, text: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lts");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path.display().to_string()
}

fn lts(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_highwater")).arg("lts").args(arguments).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

/// A coin, then tea or coffee: the machine or the customer chooses.
fn machines(test: &str) -> [String; 2] {
    let early = "des (0, 5, 4)\n(0, coin, 1)\n(0, coin, 2)\n(1, \"tea\", 3)\n(2, \"coffee\", 3)\n(3, i, 0)\n";
    let late = "des (0, 3, 2)\n(0, \"coin\", 1)\n(1, tea, 0)\n(1, coffee, 0)\n";
    [file(&format!("{test}-early.aut"), early), file(&format!("{test}-late.aut"), late)]
}

#[test]
fn sizes_and_facts_are_printed() {
    let [early, late] = machines("info");
    let (code, text, _) = lts(&["info", &early]);
    let expected = "4 states, 5 transitions, 1 of them without a name, 3 events\n0 states without a transition; not deterministic\n";
    assert_eq!((code, text), (0, format!("{early}: {expected}")));
    assert!(lts(&["info", &late]).1.ends_with("; deterministic\n"));
}

#[test]
fn a_quotient_is_an_aut_file_that_is_equivalent() {
    let [early, _] = machines("quotient");
    for (equivalence, header) in
        [("strong", "des (0, 5, 4)"), ("branching", "des (0, 4, 3)"), ("trace", "des (0, 3, 2)")]
    {
        let (code, text, _) = lts(&["minimise", &early, "--equivalence", equivalence]);
        assert_eq!((code, text.lines().next()), (0, Some(header)), "{equivalence}: {text}");
        let smallest = file(&format!("{equivalence}.aut"), &text);
        assert_eq!(lts(&["compare", &early, &smallest, "--equivalence", equivalence]).0, 0, "{equivalence}");
    }
}

#[test]
fn two_that_differ_are_told_apart() {
    let [early, late] = machines("compare");
    let (code, text, _) = lts(&["compare", &early, &late]);
    assert_eq!(code, 1);
    assert!(text.starts_with("different (branching bisimulation)\n"), "{text}");
    assert!(text.contains("does `coin`, and") && text.contains(&format!("then {late} can do `")), "{text}");
    let (code, text, _) = lts(&["compare", &early, &late, "--equivalence", "trace"]);
    assert_eq!((code, text.as_str()), (0, "equivalent (trace equivalence)\n"));
}

#[test]
fn what_is_no_transition_system_is_refused() {
    let [early, _] = machines("refused");
    let promela = file("m.pml", "init { skip }");
    let several = file("two.fsp", "P = (a -> P). Q = (b -> Q). ||S = (P || Q).");
    for arguments in
        [&["info", &promela][..], &["minimise", &several], &["compare", &early], &["compare", &early, &promela]]
    {
        assert_eq!(lts(arguments).0, 2, "{arguments:?}");
    }
    assert!(lts(&["info", &several]).2.contains("a composition of several"));
}

//! What is said about bad models: every code has an example that gets it and no other, and bad input of every size has an
//! error at its place.

use capsules::{Dialect, Read, Text, codes, read};
use std::collections::BTreeSet;

fn art(text: &str) -> Read {
    read(Dialect::Art, &Text { name: "m.art".into(), text: text.into() }, &[], None)
}

fn said(read: &Read) -> Vec<String> {
    let one = |d: &model::diagnostic::Diagnostic| {
        format!("{} {} {}", d.code, read.sources.describe(d.primary.span), d.message)
    };
    read.diagnostics.iter().map(one).collect()
}

#[test]
fn every_example_gets_its_message_and_no_other() {
    for entry in codes::ALL.iter() {
        let read = art(entry.example);
        let codes: BTreeSet<&str> = read.diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(codes, BTreeSet::from([entry.code]), "{:#?}", said(&read));
        assert_eq!(read.network.is_some(), entry.code.starts_with("U03"), "{}", entry.code);
    }
}

#[test]
fn errors_are_at_their_places() {
    let cases = [
        ("capsule Top {\n part a : Missing;\n};", "U0101 m.art:2:11 there is no capsule `Missing`"),
        ("capsule A : B {};\ncapsule B : A {};", "U0104 m.art:1:13 capsule `B` inherits from itself"),
        (
            "capsule Top { statemachine {\n state S;\n initial -> S;\n initial -> S;\n}; };",
            "U0114 m.art:4:2 a state machine has one initial transition",
        ),
        (
            "protocol P { out a(); };\ncapsule Top {\n behavior port p : P, q : P;\n connect p with q;\n};",
            "U0111 m.art:4:2 both ends of this connector see `P` the same way round",
        ),
        (
            "protocol P { out a(); };\nprotocol Q { out b(); };\ncapsule Top {\n behavior port p : P; behavior port q~ : Q;\n connect p with q;\n};",
            "U0112 m.art:5:2 `P` and `Q` do not fit together",
        ),
        (
            "capsule Top { statemachine {\n state S;\n initial -> S\n `int x = 0;\n  x.run();`;\n}; };",
            "U0202 m.art:5:3 the call of `run` is not in the subset of action code that is checked",
        ),
    ];
    for (text, expected) in cases {
        let read = art(text);
        assert!(said(&read).iter().any(|line| line == expected), "{expected}: {:#?}", said(&read));
    }
}

#[test]
fn several_errors_are_shown_in_one_reading() {
    let text = "capsule A { behavior port p Timing; part x y; };\nprotocol P { in a; out b(); };\ncapsule { };\ncapsule B { sm };";
    let read = art(text);
    assert!(read.diagnostics.len() >= 4, "{:#?}", said(&read));
}

#[test]
fn large_and_deep_texts_end_with_an_error_or_a_model() {
    let deep = format!("capsule Top {{ statemachine {{ {}", "state S { ".repeat(300));
    assert_eq!(art(&deep).diagnostics[0].code, "U0007");
    let deep = format!("capsule Top {{ statemachine {{ state S; initial -> S `x = {};`; }}; }};", "(".repeat(3000));
    assert_eq!(art(&deep).diagnostics[0].code, "U0202");
    let wide: String = (0..200_000).map(|n| format!("capsule C{n} {{ behavior port p : Timing; }};\n")).collect();
    assert!(wide.len() > 8_000_000 && art(&wide).diagnostics.len() == 1);
    let chain = |nodes: usize| {
        let names: String = (0..nodes).map(|n| format!("choice c{n}; c{n} -> c{}; ", n + 1)).collect();
        format!(
            "capsule Top {{ statemachine {{ state S; {names} choice c{nodes}; c{nodes} -> S; initial -> c0; }}; }};"
        )
    };
    assert!(art(&chain(250)).network.is_some());
    assert_eq!(art(&chain(5000)).diagnostics[0].code, "U0201");
}

#[test]
fn the_top_capsule_is_read_from_a_build_file() {
    assert_eq!(capsules::top_capsule("let tc = 1;\n// tc.topCapsule = 'A';\ntc.topCapsule = 'Main';"), Some("Main"));
    assert_eq!(capsules::top_capsule("tc.sources = ['a.art'];"), None);
}

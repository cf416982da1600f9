//! What is said about bad and dubious texts.
//!
//! The messages of the front end are part of its interface, so their wording and the places that they underline are
//! kept in snapshots and reviewed like code: one for each example of `fsp::codes`, and a few more.
//!
//! `INSTA_UPDATE=always cargo test -p highwater-fsp --test all messages` writes the snapshots again.

use crate::common::{none, rendered};
use fsp::codes;
use std::collections::BTreeSet;

fn read(text: &str) -> fsp::Read {
    fsp::read("example.fsp", text, &fsp::Options::default(), &none)
}

#[test]
fn every_example_gets_its_message_and_no_other() {
    for entry in codes::ALL.iter() {
        let read = if entry.code.starts_with("F04") {
            fsp::read_aut("example.aut", entry.example, &fsp::Options::default())
        } else if entry.code == "F0506" {
            let options = fsp::Options { system: Some(String::from("P")), ..fsp::Options::default() };
            fsp::read("example.fsp", entry.example, &options, &none)
        } else {
            read(entry.example)
        };
        let said: BTreeSet<&str> = read.diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(said, BTreeSet::from([entry.code]), "{}", rendered(&read));
        assert_eq!(read.composition.is_some(), entry.code.starts_with("F05"), "{}", entry.code);
        insta::assert_snapshot!(entry.code, rendered(&read));
    }
}

#[test]
fn several_errors_are_shown_in_one_reading() {
    let text = "\
cosnt N = 3
P = a -> P.
Q = (a -> Q | when (1) -> Q).
range R = 0.3
R = (a -> STOP
S = (b[i:R -> S).
||SYS = (P | Q).
";
    insta::assert_snapshot!("several_syntax_errors", rendered(&read(text)));
}

#[test]
fn names_that_do_not_exist_are_all_shown_with_what_is_near() {
    let text = "\
const MAX = 2
P = (up[i:0..MXA] -> P).
Q = (a -> WAIT), WIAT = (b -> Q).
R = COUNT[0], COUNT[i:0..MAX] = (inc -> COUNT[i+1]).
||SYS = (P || Q || R).
";
    insta::assert_snapshot!("unknown_names", rendered(&read(text)));
}

#[test]
fn formulas_are_all_checked() {
    let text = "\
PHIL{thinking} = (eat -> PHIL).
||S = (phil[i:1..2]:PHIL).
ltl A { [] (phil.1.eat -> <> phil[2].eat) }
ltl B { [] phil[3].eat }
ltl C { <> phil[1].thiking }
ltl D { [] ( }
assert E = [] phil[1].eats
";
    insta::assert_snapshot!("formulas", rendered(&read(text)));
}

#[test]
fn an_import_with_an_error_shows_the_place_in_its_file() {
    let load = |_: &str| Ok("des (0, 1, 1)\n(0, a, 7)\n".to_owned());
    let read = fsp::read("main.fsp", "P = \"part.aut\".", &fsp::Options::default(), &load);
    insta::assert_snapshot!("import", rendered(&read));
}

#[test]
fn a_system_that_is_not_there_is_an_error() {
    let options = fsp::Options { system: Some("CLEINT".into()), ..Default::default() };
    let read = fsp::read("main.fsp", "CLIENT = (a -> CLIENT).", &options, &none);
    insta::assert_snapshot!("system", rendered(&read));
}

#[test]
fn a_text_with_many_errors_does_not_show_them_all() {
    let mut text = String::new();
    (0..5000).for_each(|n| text += &format!("P{n} = (a -> Q{n} | ).\n"));
    assert!((1..=60).contains(&read(&text).diagnostics.len()));
    let mut text = String::new();
    (0..500).for_each(|n| text += &format!("P{n} = (a -> Q{n}).\n"));
    assert!((1..=60).contains(&read(&text).diagnostics.len()));
}

#[test]
fn an_empty_file_is_an_error_with_a_place() {
    let read = read("");
    assert_eq!(read.diagnostics.len(), 1);
    assert_eq!(read.sources.describe(read.diagnostics[0].primary.span), "example.fsp:1:1");
}

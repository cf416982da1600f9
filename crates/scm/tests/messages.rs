//! What is said about bad and dubious models.
//!
//! The messages of the front end are part of its interface, so their wording and the places that they underline are
//! kept in snapshots and reviewed like code: one for each example of `scm::codes`, and a few for models with several
//! errors.
//!
//! `INSTA_UPDATE=always cargo test -p highwater-scm --test all messages` writes the snapshots again.

use report::style::Style;
use scm::codes;
use std::collections::BTreeSet;

fn rendered(read: &scm::Read) -> String {
    report::diagnostics::render(&read.diagnostics, &read.sources, Style::PLAIN)
}

#[test]
fn every_example_gets_its_message_and_no_other() {
    for entry in codes::ALL.iter() {
        let read = scm::read("example.scm", entry.example);
        let said: BTreeSet<&str> = read.diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(said, BTreeSet::from([entry.code]), "{}", rendered(&read));
        assert_eq!(read.model.is_some(), entry.code.starts_with("S03"), "{}", entry.code);
        insta::assert_snapshot!(entry.code, rendered(&read));
    }
}

#[test]
fn several_errors_are_shown_in_one_reading() {
    let text = "\
scm model :
nb_channels = 2 ;
parameters :
int request ; int reply ;
automaton client :
initial : 0
state 0 :
to 1 when true , 0 ! request ;
to 1 : when true , 0 ! request ;
state 1
to 0 : when true , 1 ? reply ;
state 2 :
to 0 : whn true , 1 ? reply ;
automaton server :
initial : 0
state 0 :
to 0 : when true 0 ? request ;
bad_states :
(automaton client : in)
(automaton server : in 0 : true with request..#)
";
    insta::assert_snapshot!("several_syntax_errors", rendered(&scm::read("model.scm", text)));
}

#[test]
fn names_that_do_not_exist_are_all_shown_with_what_is_near() {
    let text = "\
scm model :
channels : up, down ;
parameters :
int request ; int reply ;
automaton client :
initial : idle
state idle :
to waitng : upp ! reqest ;
state waiting :
to idle : 2 ? reply ;
bad_states :
(automaton cliant : in idle)
(automaton client : in waiting with request.#.rply|_)
";
    insta::assert_snapshot!("unknown_names", rendered(&scm::read("model.scm", text)));
}

#[test]
fn an_empty_file_is_an_error_with_a_place() {
    let read = scm::read("empty.scm", "");
    assert_eq!(read.diagnostics.len(), 1);
    assert_eq!(read.sources.describe(read.diagnostics[0].primary.span), "empty.scm:1:1");
}

#[test]
fn a_model_with_many_errors_does_not_show_them_all() {
    let mut text = String::from("scm m : nb_channels = 1 ; parameters : automaton p : initial : 0 state 0 :\n");
    (0..5000).for_each(|n| text += &format!("to x{n} : when true , {n} ! unknown{n} ;\n"));
    let read = scm::read("m.scm", &text);
    assert!((1..=60).contains(&read.diagnostics.len()) && read.model.is_none());
}

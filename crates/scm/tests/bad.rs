//! Bad configurations in a line, as they are given on the command line.

use crate::common::{examples, load};
use model::ids::LocationId;
use promela::preprocess::Options;
use scm::fold::{Limits, fold};
use scm::read_bad;

#[test]
fn the_short_form_means_what_a_file_says() {
    let model = load(&examples().join("cd.scm"));
    let read = read_bad("--bad", "server@0 with c.(o|c|d)^*.#.(o|c|d)^*", &model.network);
    let (short, long) = (read.bad.unwrap(), &model.specification.bad[0]);
    assert_eq!(short.queues.unwrap().regex, long.queues.as_ref().unwrap().regex);
    assert_eq!(short.machines[0], None);
    assert_eq!(short.machines[1].as_ref().unwrap()[0].location, LocationId(0));
}

#[test]
fn alternatives_conjunctions_and_languages_of_one_channel() {
    let model = load(&examples().join("tcp.scm"));
    let read = read_bad("--bad", "client@closed|syn_sent && server@established with up : fin", &model.network);
    let bad = read.bad.unwrap();
    assert_eq!(bad.machines.iter().map(|m| m.as_ref().map(Vec::len)).collect::<Vec<_>>(), [Some(2), Some(1)]);
    assert!(bad.queues.is_some());
    assert!(read_bad("--bad", "with up : fin", &model.network).bad.is_some());
}

#[test]
fn errors_have_a_place_and_a_hint() {
    let model = load(&examples().join("tcp.scm"));
    let cases = [
        ("clint@closed", "S0106", 1, "client"),
        ("client@closd", "S0105", 8, "closed"),
        ("client@closed && client@closed", "S0204", 18, "or"),
        ("client closed", "S0003", 8, ""),
        ("client@closed with fin", "S0201", 20, "#"),
        ("client@closed with upp : fin", "S0103", 20, "up"),
        ("client@closed with up : fi", "S0104", 25, "fin"),
        ("", "S0003", 1, ""),
    ];
    for (text, code, column, hint) in cases {
        let read = read_bad("--bad", text, &model.network);
        let error = read.diagnostics.first().unwrap_or_else(|| panic!("{text}"));
        assert_eq!((error.code, read.sources.position(error.primary.span).column), (code, column), "{text}");
        assert!(read.bad.is_none() && error.help.concat().contains(hint), "{text}: {:?}", error.help);
    }
}

#[test]
fn labels_of_a_folded_model_mean_all_states_that_lie_there() {
    let text = "chan c = [1] of { bit };
        active proctype P() { bit b; do :: c!b; again: b = 1 - b od }";
    let network = promela::read("m.pml", text, &Options::default()).network.unwrap();
    let folded = fold(&network, &Limits::default()).unwrap();
    let bad = read_bad("--bad", "P@again with c : m0.m1", &folded.network).bad.unwrap();
    assert_eq!(bad.machines[0].as_ref().unwrap().len(), 2);
}

//! KMC's format: the same machines as in `.scm`, and every error at its place.

use testing::Random;

/// A client that asks until it is told to stop; comments and blanks as published files have them.
const MODEL: &str = "-- client = 0\n\
                     .outputs \n\
                     .state graph\n\
                     idle 1 ! ask wait\n\
                     wait 1 ? no idle -- again\n\
                     wait 1?yes done\n\
                     .marking idle\n\
                     .end\n\n\
                     .outputs\n\
                     .state graph\n\
                     q0 0 ? ask q1\n\
                     q1 0 ! no q0\n\
                     q1 0 ! yes q0\n\
                     .marking q0 -- <-- initial state\n\
                     .end\n";

const SAME: &str = "scm m : channels : M0_M1, M1_M0 ; parameters : int ask ; int no ; int yes ;
    automaton M0 : initial : idle
    state idle : to wait : M0_M1 ! ask ;
    state wait : to idle : M1_M0 ? no ; to done : M1_M0 ? yes ;
    state done :
    automaton M1 : initial : q0
    state q0 : to q1 : M0_M1 ? ask ;
    state q1 : to q0 : M1_M0 ! no ; to q0 : M1_M0 ! yes ;";

#[test]
fn the_machines_are_those_of_the_other_format() {
    let printed = [scm::read_cfsm("m.cfsm", MODEL), scm::read("m.scm", SAME)].map(|read| {
        assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
        let model = read.model.expect("a model");
        scm::print(&model.network, &model.specification).expect("plain machines")
    });
    assert_eq!(printed[0], printed[1]);
}

#[test]
fn every_error_has_its_place() {
    let cases = [
        ("", "S0003", (1, 1)),
        ("q0 1 ! a q1\n", "S0003", (1, 1)),
        (".outputs\n.outputs\n", "S0003", (2, 1)),
        (".outputs\nq0 0 ! a\n.marking q0\n.end\n", "S0003", (2, 1)),
        (".outputs\nq0 0 a ! q0\n.marking q0\n.end\n", "S0003", (2, 6)),
        (".outputs\nq0 7 ! a q0\n.marking q0\n.end\n", "S0106", (2, 4)),
        (".outputs\nq0 x ! a q0\n.marking q0\n.end\n", "S0106", (2, 4)),
        (".outputs\nq0 0 ! a q0\n.end\n", "S0003", (3, 1)),
        (".outputs\nq0 0 ! a q0\n.marking q0\n.marking q0\n.end\n", "S0003", (4, 1)),
        (".outputs\nq0 0 ! a q0\n.marking q0\n", "S0003", (4, 1)),
        (".outputs\nq0 0 ? a q0\n.marking q0\n.end\n", "S0301", (2, 8)),
    ];
    for (text, code, place) in cases {
        let read = scm::read_cfsm("m.cfsm", text);
        let [error] = &read.diagnostics[..] else { panic!("{text}: {:?}", read.diagnostics) };
        let found = read.sources.position(error.primary.span);
        assert_eq!((error.code, (found.line, found.column)), (code, place), "{text}");
    }
}

#[test]
fn nothing_panics_on_mutated_texts() {
    let pieces = ["!", "?", " ", "\n", "--", ".end", ".outputs", ".marking", "99", "é", "q0 0 ! a q0\n", "\0"];
    for seed in 0..testing::rounds(2_000) {
        let mut random = Random::new(seed);
        let mut text = MODEL.to_owned();
        for _ in 0..1 + random.below(5) {
            let boundary = |at: usize| (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let at = boundary(random.below(text.len()));
            let front = boundary(at.min(40));
            match random.below(3) {
                0 => text.truncate(at.max(1)),
                1 => text.insert_str(at, pieces[random.below(pieces.len())]),
                _ => drop(text.drain(..front)),
            }
            text.push(' ');
        }
        let read = scm::read_cfsm("fuzz.cfsm", &text);
        assert_eq!(read.model.is_none(), read.diagnostics.iter().any(|d| d.is_error()), "{text}");
        for diagnostic in &read.diagnostics {
            read.sources.describe(diagnostic.primary.span);
            assert!(scm::codes::explain(diagnostic.code).is_some(), "{}", diagnostic.code);
        }
    }
}

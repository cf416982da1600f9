//! What is said about bad models: every code has an example that gets it and no other, and bad input of every size has an
//! error at its place.

use capsules::{Dialect, Read, Text, Threads, codes, read};
use std::collections::BTreeSet;

fn art(text: &str) -> Read {
    read(Dialect::Art, &Text { name: "m.art".into(), text: text.into() }, &[], None, &Threads::Any)
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
            "capsule Top { statemachine {\n state S;\n initial -> S\n `int x = 0;\n  run(x, this);`;\n}; };",
            "U0202 m.art:5:3 this code, which could send because of `this`, is not in the subset of action code that is checked",
        ),
        (
            "protocol P { out a(); };\ncapsule C { service behavior port p~ : P; };\ncapsule Top {\n behavior port p : P;\n part c : C;\n connect p with d.p;\n};",
            "U0106 m.art:6:17 there is no part `d`",
        ),
        (
            "capsule Top { behavior port t : Timing; statemachine {\n state S;\n initial -> S `t.informIn(1, 0, System);`;\n}; };",
            "U0202 m.art:3:33 this priority is not in the subset of action code that is checked",
        ),
        (
            "capsule Top { behavior port t : Timing; [[rt::decl]] `int n = 3; RTTimerId id;` statemachine {\n state S;\n initial -> S `id = t.informIn(1, 0, 0, n); t.cancelTimer(id);`;\n}; };",
            "U0202 m.art:3:41 this priority is not in the subset of action code that is checked",
        ),
        (
            "protocol P { out a(); };\ncapsule Top { behavior port p : P; behavior port q~ : P; connect p with q; statemachine {\n state S;\n initial -> S `p.a().send(High);`;\n S -> S on q.a `msg->defer(); q.a().recallAll(1);`;\n}; };",
            "U0202 m.art:5:31 a recall of all messages to the front, where they have priorities, is not in the subset of action code that is checked",
        ),
        (
            "protocol P { out a(); };\ncapsule Top { behavior port p : P; behavior port q~ : P; connect p with q; statemachine {\n state S;\n initial -> S;\n S -> S on q.a `msg->defer(); q.a().recallAt(1);`;\n}; };",
            "U0202 m.art:5:31 `recallAt` is not in the subset of action code that is checked",
        ),
        (
            "protocol P { out a(); };\ncapsule Top { behavior port p : P; behavior port q~ : P; connect p with q; statemachine {\n state S;\n initial -> S;\n S -> S on q.a `msg->defer(); q.recallAt(0);`;\n}; };",
            "U0202 m.art:5:31 the call of `recallAt` on a port of `P` is not in the subset of action code that is checked",
        ),
    ];
    for (text, expected) in cases {
        let read = art(text);
        assert!(said(&read).iter().any(|line| line == expected), "{expected}: {:#?}", said(&read));
    }
}

#[test]
fn equal_conjugations_are_found_in_either_direction() {
    for direction in ["in", "out"] {
        let read = art(&format!(
            "protocol P {{ {direction} a(); }};\ncapsule C {{ service behavior port p : P; statemachine {{ state S; initial -> S; }}; }};\ncapsule Top {{ behavior port q : P; part c : C;\nconnect q with c.p; statemachine {{ state S; initial -> S; }}; }};"
        ));
        assert_eq!(said(&read), ["U0111 m.art:4:1 both ends of this connector see `P` the same way round"]);
    }
}

#[test]
fn two_variants_in_one_folder_are_told_from_a_slip() {
    let file = |name: &str| Text { name: name.into(), text: "capsule Top {};".into() };
    let read = read(Dialect::Art, &file("a.art"), &[file("b.art")], None, &Threads::Any);
    assert_eq!(said(&read), ["U0102 b.art:1:9 capsule `Top` is declared twice"]);
    assert!(read.diagnostics[0].help.iter().any(|help| help.contains("are one model")), "{:?}", read.diagnostics[0]);
}

/// A capsule that sends itself a message with data, and decides by what it carries.
fn decides(declarations: &str, receiver: &str, code: &str) -> Read {
    art(&format!(
        "{declarations} capsule Top {{ behavior port p : P; behavior port q{receiver}; connect p with q; \
         statemachine {{ state S, T; initial -> S `{code}`; S -> T on q.a when `*rtdata == 1`; }}; }};"
    ))
}

#[test]
fn data_is_exact_where_all_senders_and_the_declaration_are() {
    let guesses = |read: Read| !read.network.expect("a model").havoc.is_empty();
    let one = "protocol P { out a(`int`); };";
    assert!(!guesses(decides(one, "~ : P", "p.a(1).send();")));
    assert!(guesses(decides(one, "~ : P", "p.a(1).send(); p.a(measure()).send();")));
    assert!(guesses(decides(one, "~ : P", "p.a().send();")));
    let two = "protocol P { out a(`int`); }; protocol Q { in a(`int`); };";
    assert!(guesses(decides(two, " : Q", "p.a(1).send();")), "two declarations need not agree");
}

#[test]
fn what_code_that_is_not_modelled_may_write_is_a_guess() {
    let guesses = |code: &str| {
        let read = art(&format!(
            "capsule W {{ statemachine {{ state S; initial -> S; }}; }};
             capsule Top {{ [[rt::decl]] `bool f(int x) {{ scan(&x); return x > 0; }}` optional part w : W;
             behavior port frame : Frame; statemachine {{ state S; initial -> S `{code}`; }}; }};"
        ));
        !read.network.expect("a model").havoc.is_empty()
    };
    assert!(guesses("if (f(0)) { frame.incarnate(w); }"), "a parameter");
    assert!(guesses("RTActorId id = frame.incarnate(w); scan(&id); if (id.isValid()) { int x = 1; }"), "a part");
    assert!(!guesses("RTActorId id = frame.incarnate(w); if (id.isValid()) { int x = 1; }"));
}

#[test]
fn code_that_could_send_is_rejected() {
    for code in ["helper(rtport);", "helper(this);", "helper(p);", "later(&time);", "std::thread t([this] { p.a(); });"]
    {
        let read = art(&format!(
            "protocol P {{ out a(); }}; capsule Top {{ [[rt::decl]] `int time() {{ p.a().send(); return 1; }}` \
             behavior port p : P; behavior port q~ : P; connect p with q; \
             statemachine {{ state S; initial -> S `{code}`; }}; }};"
        ));
        assert!(read.network.is_none(), "{code}");
        assert!(read.diagnostics.iter().any(|d| d.code == "U0202"), "{code}: {:#?}", said(&read));
    }
}

#[test]
fn what_may_know_the_capsule_may_send() {
    let sends = |decl: &str, code: &str| {
        let read = art(&format!(
            "protocol P {{ out a(); }}; capsule Top {{ [[rt::decl]] `{decl}` behavior port p : P; behavior port q~ : P; \
             connect p with q; statemachine {{ state S; initial -> S `{code}`; }}; }};"
        ));
        let guesses = read.network.is_some_and(|network| !network.havoc.is_empty());
        guesses || read.diagnostics.iter().any(|d| d.code == "U0202")
    };
    for decl in
        ["Helper h{this};", "Helper * h = new Helper(this);", "Helper h = Helper(&p);", "Top(int x) : h(this) {}"]
    {
        assert!(sends(decl, "h.go();"), "{decl}");
        assert!(sends(decl, "int y = h.go(); if (y > 0) { y = 1; }"), "{decl}");
    }
    assert!(sends("", "SEND_ALL(3);"), "a macro of a file that is not known");
    assert!(sends("", "int x = NEXT(); if (x > 1) { x = 2; }"));
    assert!(!sends("Helper h;", "h.go(); helper(3);"), "what knows nothing");
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
    assert!(art(&deep).network.is_some(), "code that is not modelled");
    let wide: String = (0..240_000).map(|n| format!("capsule C{n} {{ behavior port p : Timing; }};\n")).collect();
    assert!(wide.len() > 10_000_000 && art(&wide).diagnostics.len() == 1);
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
    let text = "let tc = 1;\n// tc.topCapsule = 'A';\ntc.topCapsule = 'Main';";
    assert_eq!(capsules::top_capsule(Dialect::Art, text), Some("Main"));
    assert_eq!(capsules::top_capsule(Dialect::Art, "tc.sources = ['a.art'];"), None);
    let text = "MappingModel M {\n import A.LogSys\n Mapping LogSys -> PhysSys {\n SubSystemMapping main -> n {} } }";
    assert_eq!(capsules::top_capsule(Dialect::Room, text), Some("LogSys"));
}

//! Models that are built in Rust, each against its twin in Promela.

use crate::twins::compare;
use highwater::Check;
use highwater::Verdict::{Inconclusive, Proved, Violated};
use highwater::builder::{
    Edge, Process, System, Type, any, at, equal_to, is_empty, is_full, length, name, pid, timeout,
};

const SAFE: [&str; 2] = ["safety", "deadlock"];

#[test]
fn ping_pong_is_bounded_and_free_of_deadlocks() {
    let system = System::new("ping-pong")
        .channel("ping", 4, [Type::Byte])
        .channel("pong", 4, [Type::Byte])
        .process(
            Process::new("Client")
                .initial("idle")
                .edge(Edge::new("idle", "waiting").send("ping", [1]))
                .edge(Edge::new("waiting", "idle").receive("pong", [any()])),
        )
        .process(
            Process::new("Server")
                .initial("ready")
                .edge(Edge::new("ready", "busy").receive("ping", [any()]))
                .edge(Edge::new("busy", "ready").send("pong", [1])),
        );
    let text = "chan ping = [4] of { byte }; chan pong = [4] of { byte };
        active proctype Client() { idle: ping!1; waiting: pong?_; goto idle }
        active proctype Server() { ready: ping?_; busy: pong!1; goto ready }";
    assert_eq!(compare(&system, text, &["safety", "deadlock", "boundedness"]), [Proved, Proved, Proved]);
}

#[test]
fn a_sender_without_receiver_fills_its_channel() {
    let system = System::new("flood")
        .channel("c", 2, [Type::Bit])
        .process(Process::new("P").initial("go").edge(Edge::new("go", "go").send("c", [1])));
    let text = "chan c = [2] of { bit }; active proctype P() { go: c!1; goto go }";
    assert_eq!(compare(&system, text, &["deadlock", "boundedness"]), [Violated, Violated]);
}

#[test]
fn two_processes_that_wait_for_each_other_are_stuck() {
    let wait = |name: &str, from: &str, to: &str| {
        Process::new(name)
            .initial("wait")
            .edge(Edge::new("wait", "answer").receive(from, [any()]))
            .edge(Edge::new("answer", "done").send(to, [1]))
            .location("done")
    };
    let system = System::new("stuck")
        .channel("a", 1, [Type::Byte])
        .channel("b", 1, [Type::Byte])
        .process(wait("P", "a", "b"))
        .process(wait("Q", "b", "a"));
    let text = "chan a = [1] of { byte }; chan b = [1] of { byte };
        active proctype P() { wait: a?_; answer: b!1; end_done: false }
        active proctype Q() { wait: b?_; answer: a!1; end_done: false }";
    assert_eq!(compare(&system, text, &SAFE), [Proved, Violated]);
}

#[test]
fn an_assertion_over_shared_and_own_variables_fails() {
    let system = System::new("race").variable("x", Type::Byte, 0).process(
        Process::new("P")
            .instances(2)
            .variable("t", Type::Byte, 0)
            .initial("read")
            .edge(Edge::new("read", "write").assign("t", "x"))
            .edge(Edge::new("write", "check").assign("x", name("t") + 1))
            .edge(Edge::new("check", "done").assert(name("x").equals(name("t") + 1)))
            .location("done"),
    );
    let text = "byte x; active [2] proctype P() { byte t; read: t = x; write: x = t + 1;
        check: assert(x == t + 1); end_done: false }";
    assert_eq!(compare(&system, text, &SAFE), [Violated, Proved]);
}

#[test]
fn statements_of_one_edge_are_atomic() {
    let system = System::new("atomic").variable("x", Type::Byte, 0).process(
        Process::new("P")
            .instances(2)
            .variable("t", Type::Byte, 0)
            .initial("go")
            .edge(
                Edge::new("go", "done")
                    .assign("t", "x")
                    .assign("x", name("t") + 1)
                    .assert(name("x").equals(name("t") + 1)),
            )
            .location("done"),
    );
    let text = "byte x; active [2] proctype P() { byte t;
        go: atomic { t = x; x = t + 1; assert(x == t + 1) }; end_done: false }";
    assert_eq!(compare(&system, text, &SAFE), [Proved, Proved]);
}

#[test]
fn a_rendezvous_hands_over_several_fields() {
    let system = System::new("rendezvous")
        .symbols(["red", "green"])
        .channel("c", 0, [Type::Symbol, Type::Byte])
        .process(
            Process::new("Sender")
                .initial("a")
                .edge(Edge::new("a", "b").send("c", [name("red"), 3.into()]))
                .edge(Edge::new("b", "done").send("c", [name("green"), 4.into()]))
                .location("done"),
        )
        .process(
            Process::new("Receiver")
                .variable("v", Type::Byte, 0)
                .initial("a")
                .end("b")
                .edge(Edge::new("a", "b").receive("c", ["red", "v"]))
                .edge(Edge::new("b", "b").receive("c", ["green", "v"]).assert(name("v").equals(4))),
        );
    let text = "mtype = { green, red }; chan c = [0] of { mtype, byte };
        active proctype Sender() { a: c!red,3; b: c!green,4; end_done: false }
        active proctype Receiver() { byte v; a: c?red,v; end_b: atomic { c?green,v; assert(v == 4) }; goto end_b }";
    assert_eq!(compare(&system, text, &SAFE), [Proved, Proved]);
}

#[test]
fn otherwise_is_taken_when_nothing_else_is() {
    let system = System::new("else").variable("x", Type::Unsigned(2), 0).process(
        Process::new("P")
            .initial("go")
            .edge(Edge::new("go", "reset").otherwise())
            .edge(Edge::new("go", "go").guard(name("x").less(2)).assign("x", name("x") + 1))
            .edge(Edge::new("reset", "go").assign("x", 0)),
    );
    let text = "unsigned x : 2; active proctype P() {
        go: if :: atomic { x < 2 -> x = x + 1 }; goto go :: else; goto reset fi; reset: x = 0; goto go }";
    assert_eq!(compare(&system, text, &SAFE), [Proved, Proved]);
}

#[test]
fn a_message_is_taken_from_the_middle_of_a_queue() {
    let system = System::new("anywhere")
        .channel("c", 3, [Type::Byte])
        .process(
            Process::new("P")
                .initial("a")
                .edge(Edge::new("a", "b").send("c", [1]).send("c", [2]).send("c", [3]))
                .location("b"),
        )
        .process(
            Process::new("Q")
                .variable("want", Type::Byte, 3)
                .initial("a")
                .edge(Edge::new("a", "b").receive_anywhere("c", [2]))
                .edge(Edge::new("b", "d").receive_anywhere("c", [equal_to(name("want"))]))
                .edge(Edge::new("d", "done").receive("c", [1]))
                .location("done"),
        );
    let text = "chan c = [3] of { byte };
        active proctype P() { a: atomic { c!1; c!2; c!3 }; end_b: false }
        active proctype Q() { byte want = 3; a: c??2; b: c??eval(want); d: c?1; end_done: false }";
    assert_eq!(compare(&system, text, &SAFE), [Proved, Proved]);
}

#[test]
fn guards_ask_for_the_length_of_a_channel() {
    let system = System::new("length")
        .channel("c", 2, [Type::Byte])
        .process(
            Process::new("P")
                .initial("a")
                .edge(Edge::new("a", "a").guard(!is_full("c")).send("c", [7]))
                .edge(Edge::new("a", "a").guard(length("c").at_least(2).and(is_full("c"))).receive("c", [7])),
        )
        .process(
            Process::new("Q")
                .initial("a")
                .end("a")
                .edge(Edge::new("a", "a").guard(!is_empty("c")).receive("c", [any()])),
        );
    let text = "chan c = [2] of { byte };
        active proctype P() { a: if :: atomic { nfull(c) -> c!7 }; goto a
            :: atomic { len(c) >= 2 && full(c) -> c?7 }; goto a fi }
        active proctype Q() { end_a: atomic { nempty(c) -> c?_ }; goto end_a }";
    assert_eq!(compare(&system, text, &SAFE), [Proved, Proved]);
}

#[test]
fn a_loop_without_progress_is_a_livelock() {
    let system = |progress: &str| {
        System::new("livelock").variable("x", Type::Bit, 0).process(
            Process::new("P")
                .initial("a")
                .progress(progress)
                .edge(Edge::new("a", "b").assign("x", name("x") + 1))
                .edge(Edge::new("b", "a"))
                .edge(Edge::new("b", "c").guard("x"))
                .edge(Edge::new("c", "a")),
        )
    };
    let text = |a: &str, c: &str| {
        format!(
            "bit x; active proctype P() {{ {a}: x = x + 1;
             b: if :: skip; goto {a} :: x; goto {c} fi; {c}: skip; goto {a} }}"
        )
    };
    assert_eq!(compare(&system("a"), &text("progress_a", "c"), &["livelock"]), [Proved]);
    assert_eq!(compare(&system("c"), &text("a", "progress_c"), &["livelock"]), [Violated]);
}

#[test]
fn an_accepting_location_is_not_visited_infinitely_often() {
    let system = System::new("accept").variable("x", Type::Byte, 0).process(
        Process::new("P")
            .initial("a")
            .accept("b")
            .edge(Edge::new("a", "b").guard(name("x").less(3)).assign("x", name("x") + 1))
            .edge(Edge::new("b", "a"))
            .edge(Edge::new("a", "a").guard(name("x").equals(3))),
    );
    let text = "byte x; active proctype P() {
        a: if :: atomic { x < 3 -> x = x + 1 }; goto accept_b :: x == 3; goto a fi; accept_b: skip; goto a }";
    assert_eq!(compare(&system, text, &["acceptance", "safety"]), [Proved, Proved]);
}

#[test]
fn formulas_are_about_variables_and_locations() {
    let system = System::new("formulas")
        .variable("x", Type::Byte, 0)
        .formula("grows", "<> big", [("big", name("x").greater(1))])
        .formula("stays", "[] !big", [("big", name("x").greater(1))])
        .formula("ends", "<> [] end", [("end", at("P", "done"))])
        .process(
            Process::new("P")
                .initial("go")
                .edge(Edge::new("go", "go").guard(name("x").less(2)).assign("x", name("x") + 1))
                .edge(Edge::new("go", "done").guard(name("x").equals(2)))
                .location("done"),
        );
    let text = "byte x; ltl grows { <> (x > 1) } ltl stays { [] !(x > 1) } ltl ends { <> [] P@end_done }
        active proctype P() { go: if :: atomic { x < 2 -> x = x + 1 }; goto go :: x == 2; goto end_done fi;
        end_done: false }";
    let verdicts = compare(&system, text, &["ltl:grows", "ltl:stays", "ltl:ends"]);
    assert_eq!(verdicts, [Proved, Violated, Proved]);
    // A formula that comes with the check is about locations and messages.
    let model = system.build().unwrap();
    let report = Check::new(&model).property("ltl:<> P@done").unwrap().run().unwrap();
    report.assert_proved();
    assert!(model.verify(&report.certificates()).unwrap().is_accepted());
}

#[test]
fn processes_know_their_numbers_and_timeouts() {
    let system = System::new("pids")
        .channel("c", 1, [Type::Byte])
        .process(
            Process::new("P")
                .instances(2)
                .initial("a")
                .edge(Edge::new("a", "done").send("c", [pid()]))
                .location("done"),
        )
        .process(
            Process::new("Watch")
                .variable("v", Type::Byte, 9)
                .initial("a")
                .edge(Edge::new("a", "b").guard(timeout()))
                .edge(Edge::new("b", "done").receive("c", ["v"]).assert(name("v").less(2)))
                .location("done"),
        );
    let text = "chan c = [1] of { byte };
        active [2] proctype P() { a: c!_pid; end_done: false }
        active proctype Watch() { byte v = 9; a: timeout; b: atomic { c?v; assert(v < 2) }; end_done: false }";
    assert_eq!(compare(&system, text, &SAFE), [Proved, Proved]);
}

#[test]
fn a_run_names_processes_and_locations() {
    let system = System::new("stuck").channel("c", 1, [Type::Byte]).process(
        Process::new("Sender")
            .initial("first")
            .edge(Edge::new("first", "second").send("c", [1]))
            .edge(Edge::new("second", "first").guard(length("c").equals(0))),
    );
    let model = system.build().unwrap();
    let report = Check::new(&model).property("deadlock").unwrap().run().unwrap();
    let chart = report.finding("deadlock").unwrap().chart().unwrap();
    assert_eq!(report.finding("deadlock").unwrap().verdict(), Violated);
    assert!(chart.contains("Sender@first") && chart.contains("Sender@second"), "{chart}");
    assert!(chart.contains("len(c) == 0") && !chart.contains("Sender@second:"), "{chart}");
    assert!(report.to_text().starts_with("stuck: built in Rust, 1 process type, 1 process, 1 channel"));
    assert!(report.to_json().contains("\"language\":\"rust\""));
}

#[test]
fn a_certificate_belongs_to_what_was_built() {
    let system = |capacity: u32, first: i32, end: &str| {
        System::new("loop").channel("c", capacity, [Type::Byte]).variable("x", Type::Byte, first).process(
            Process::new("P")
                .initial("a")
                .end(end)
                .edge(Edge::new("a", "b").send("c", ["x"]))
                .edge(Edge::new("b", "a").receive("c", [any()])),
        )
    };
    let model = system(2, 0, "a").build().unwrap();
    let report = Check::new(&model).property("boundedness,deadlock").unwrap().run().unwrap();
    report.assert_proved();
    let certificate = report.certificates();
    assert!(system(2, 0, "a").build().unwrap().verify(&certificate).unwrap().is_accepted());
    for other in [system(3, 0, "a"), system(2, 1, "a"), system(2, 0, "b")] {
        assert!(other.build().unwrap().verify(&certificate).is_err());
    }
}

#[test]
fn a_channel_without_a_limit_has_a_bound_where_it_is_bounded() {
    let system = |drain: bool| {
        let process = Process::new("P").initial("a").edge(Edge::new("a", "b").send("c", [1]));
        let process = match drain {
            true => process.edge(Edge::new("b", "a").receive("c", [any()])),
            false => process.edge(Edge::new("b", "a")),
        };
        System::new("unbounded").channel("c", None, [Type::Byte]).process(process).build().unwrap()
    };
    let verdict = |drain: bool, property: &str| {
        let model = system(drain);
        let check = Check::new(&model).property(property).unwrap().timeout(std::time::Duration::from_secs(2));
        let report = check.run().unwrap();
        (report.findings().next().unwrap().verdict(), report.findings().next().unwrap().channels())
    };
    let (bounded, channels) = verdict(true, "boundedness");
    assert_eq!((bounded, channels[0].declared, channels[0].at_most), (Proved, None, Some(1)));
    assert_eq!(verdict(false, "boundedness").0, Violated);
    assert_eq!(verdict(true, "deadlock").0, Proved);
    // The states of a channel without end are never all of them.
    assert_eq!(verdict(false, "deadlock").0, Inconclusive);
}

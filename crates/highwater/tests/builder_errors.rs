//! What is wrong with a system that is built in Rust is said with its place.

use highwater::builder::{Edge, Expr, Process, System, Type, at, name};

fn error(system: System) -> String {
    system.build().err().map(|error| error.to_string()).expect("it cannot be built")
}

/// A system with one process, which has this edge.
fn with(edge: Edge) -> System {
    System::new("s")
        .symbols(["go"])
        .channel("data", 1, [Type::Byte, Type::Byte])
        .variable("total", Type::Byte, 0)
        .process(Process::new("P").initial("idle").edge(edge))
}

#[test]
fn names_that_are_not_there() {
    let edge = || Edge::new("idle", "idle");
    let cases = [
        (edge().send("dota", [1, 2]), "P@idle: there is no channel `dota`; did you mean `data`?"),
        (edge().guard(name("totel").less(2)), "P@idle: there is no variable or symbol `totel`; did you mean `total`?"),
        (edge().assign("go", 1), "P@idle: the symbol `go` cannot be assigned"),
        (edge().guard(at("Q", "idle")), "P@idle: there is no process `Q`"),
        (
            Edge::new("idle", "idel"),
            "P@idle: there is no location `idel`; did you mean `idle`?: no edge starts there; a location without edges is \
             declared by `.location(..)`",
        ),
    ];
    for (edge, message) in cases {
        assert_eq!(error(with(edge)), message);
    }
}

#[test]
fn fields_are_counted() {
    let message = "P@idle: messages of channel `data` have 2 fields, and here are 1";
    assert_eq!(error(with(Edge::new("idle", "idle").send("data", [1]))), message);
    assert_eq!(error(with(Edge::new("idle", "idle").receive("data", ["total"]))), message);
    let large = System::new("s").channel("c", 65_536, [Type::Bit]).process(Process::new("P").initial("a"));
    assert_eq!(error(large), "channel c: a channel holds at most 65535 messages");
    let empty = System::new("s").channel("c", 1, []).process(Process::new("P").initial("a"));
    assert_eq!(error(empty), "channel c: a message has at least one field");
}

#[test]
fn a_process_starts_somewhere() {
    let nowhere = System::new("s").process(Process::new("P").location("a"));
    assert_eq!(error(nowhere), "process P: there is no initial location; add `.initial(..)`");
    assert_eq!(error(System::new("s")), "s: there are 0 processes; a system has 1 to 255");
    let many = System::new("s").process(Process::new("P").instances(256).initial("a"));
    assert_eq!(error(many), "s: there are 256 processes; a system has 1 to 255");
}

#[test]
fn names_are_identifiers_and_declared_once() {
    let plain = || System::new("s").process(Process::new("P").initial("a"));
    assert_eq!(
        error(plain().variable("x", Type::Byte, 0).channel("x", 1, [Type::Bit])),
        "s: the name `x` is declared twice"
    );
    assert_eq!(error(plain().process(Process::new("P").initial("a"))), "s: the name `P` is declared twice");
    let reserved = "s: the variable `timeout` needs another name: this one is reserved";
    assert_eq!(error(plain().variable("timeout", Type::Byte, 0)), reserved);
    let message = "s: the variable \"a b\" needs a name of letters, digits and underscores";
    assert_eq!(error(plain().variable("a b", Type::Byte, 0)), message);
}

#[test]
fn first_values_fit_their_types() {
    let first = |ty: Type, value: Expr| {
        error(System::new("s").variable("x", ty, value).process(Process::new("P").initial("a")))
    };
    assert_eq!(first(Type::Bit, 2.into()), "variable x: the first value 2 does not fit into bit");
    assert_eq!(first(Type::Byte, (-1).into()), "variable x: the first value -1 does not fit into byte");
    assert_eq!(first(Type::Byte, "y".into()), "variable x: the first value `y` is neither a number nor a symbol");
    assert_eq!(first(Type::Byte, Expr::from(1) + 1), "variable x: the first value `1 + 1` is no constant");
    assert_eq!(first(Type::Unsigned(0), 0.into()), "variable x: an unsigned value has 1 to 31 bits, not 0");
}

#[test]
fn otherwise_comes_first_and_once() {
    let twice =
        Process::new("P").initial("a").edge(Edge::new("a", "a").otherwise()).edge(Edge::new("a", "a").otherwise());
    assert_eq!(error(System::new("s").process(twice)), "P@a: there are two edges with `otherwise`");
    let late = Edge::new("idle", "idle").guard("total").otherwise();
    assert_eq!(error(with(late)), "P@idle: `otherwise` is only for the start of an edge");
}

#[test]
fn propositions_have_conditions() {
    let system = |formula: &str| {
        let process = Process::new("P").initial("a");
        System::new("s").formula("f", formula, [("p", Expr::from(1))]).process(process)
    };
    assert_eq!(error(system("[] (p -> q)")), "formula f: the proposition `q` has no condition");
    assert!(error(system("[] (")).starts_with("formula f: "));
}

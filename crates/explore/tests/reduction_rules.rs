//! Where a simpler reduction is wrong, by name: each model fails, and a rule that is a little bolder would not see it.

use explore::Options;
use explore::liveness::Setting;
use explore::reduction::Mode;
use model::context::Context;
use model::fairness::Fairness;
use model::semantics::{Reading, Semantics};
use model::verdict::{Property, Verdict};

/// Two processes that are never alone, and fail if they ever move.
const OBSERVED: &str = "byte x; active proctype C() { x = 1 } active proctype D() { (x == 1) -> assert(false) }\n";

/// What each model is about, whether it needs `OBSERVED`, and the model.
const MODELS: [(&str, bool, &str); 26] = [
    (
        "a shared variable is not local",
        false,
        "byte g; active proctype P() { g = 1; g = 2; g = 3 } active proctype Q() { (g == 2) -> assert(false) }",
    ),
    (
        "an atomic sequence is not local because its first statement is",
        false,
        "byte g; active proctype P() { byte l; g = 1; atomic { l = 0; g = 2 } }
         active proctype Q() { (g == 1) -> assert(false) }",
    ),
    (
        "a channel that is empty may be filled",
        false,
        "chan a = [1] of { byte }; chan b = [1] of { byte }; active proctype I() { a!1 }
         active proctype P() { byte l; if :: a?l :: b?l -> assert(false) fi } active proctype Q() { b!1 }",
    ),
    (
        "a channel that is full may be emptied",
        false,
        "chan a = [1] of { byte }; chan b = [1] of { byte };
         active proctype P() { b!1; if :: a!1 :: b!2 -> assert(false) fi } active proctype Q() { byte l; b?l }",
    ),
    (
        "a message may come behind others",
        false,
        "chan a = [2] of { byte }; chan b = [1] of { byte };
         active proctype P() { byte l; if :: a??1 -> assert(false) :: b?l fi }
         active proctype I() { a!0; b!1; a!1 }",
    ),
    (
        "an empty channel decides about an else",
        false,
        "chan a = [1] of { byte }; active proctype P() { byte l; if :: a?l -> assert(false) :: else fi }
         active proctype Q() { a!1 }",
    ),
    (
        "a partner that is not there yet decides about an else",
        false,
        "chan r = [0] of { bit }; active proctype Q() { byte l; l = 1; r?1 }
         active proctype P() { if :: r!1 :: else -> assert(false) fi }",
    ),
    (
        "a partner over a parameter decides about an else",
        false,
        "chan r = [0] of { bit }; proctype Q(chan c) { byte l; l = 1; c?1 }
         proctype P(chan c) { if :: c!1 :: else -> assert(false) fi } init { atomic { run Q(r); run P(r) } }",
    ),
    (
        "a partner that is not there yet decides about an escape",
        false,
        "chan r = [0] of { bit }; active proctype Q() { byte l; l = 1; r?1 }
         active proctype P() { { assert(false) } unless { r!1 } }",
    ),
    (
        "a message that is not there yet interrupts an atomic sequence",
        false,
        "chan c = [1] of { bit }; byte x; active proctype P() { c!0 }
         active proctype Q() { atomic { x = 1; c?0; x = 2 } } active proctype R() { (x == 1) -> assert(false) }",
    ),
    (
        "a partner that is not there yet interrupts an atomic sequence",
        false,
        "chan r = [0] of { bit }; byte x, y; active proctype P() { byte l; l = 1; atomic { r?1; y = 1 } }
         active proctype Q() { atomic { x = 1; r!1 } } active proctype R() { (x == 1 && y == 0) -> assert(false) }",
    ),
    (
        "a partner that is gone decides about an else",
        false,
        "chan r = [0] of { bit }; byte y; active proctype Q() { byte l; if :: r?1 -> y = 1 :: l = 1; l = 2 fi }
         active proctype P() { byte l; l = 1; if :: r!1 :: else -> assert(false) fi }",
    ),
    (
        "a partner that a run creates decides about an else",
        false,
        "chan r = [0] of { bit }; proctype Q() { r?1 } active proctype P() { if :: r!1 :: else -> assert(false) fi }
         init { run Q() }",
    ),
    (
        "a partner waits for a value that others write",
        false,
        "chan r = [0] of { bit }; byte v; active proctype Q() { r?eval(v) } active proctype W() { v = 1 }
         active proctype P() { if :: r!1 :: else -> assert(false) fi }",
    ),
    (
        "what an atomic sequence does before a message that is not a partner's is seen",
        false,
        "chan r = [0] of { bit }; byte x; active proctype P() { byte l; l = 1; r?1 }
         active proctype Q() { byte l; atomic { l = 1; x = 1; r!1; x = 2 } } active proctype R() { (x == 1) -> assert(false) }",
    ),
    (
        "both wait for a partner, and neither is one any more",
        false,
        "chan r = [0] of { bit }; chan s = [0] of { bit }; byte x, y;
         active proctype P() { byte l; l = 1; if :: atomic { l = 2; r!1 } :: s?1 fi }
         active proctype Q() { byte l; if :: atomic { x = 1; s!1 } :: r?1 fi; y = 1 }
         active proctype R() { (x == 1 && y == 0) -> assert(false) }",
    ),
    (
        "what comes before a rendezvous in an atomic sequence sees others",
        false,
        "chan r = [0] of { byte }; byte x; active proctype P() { byte l; l = 1; if :: r?0 :: r?1 -> assert(false) fi }
         active proctype Q() { atomic { (x == 0); r!x } } active proctype R() { x = 1 }",
    ),
    (
        "the first value of a variable may be the length of a queue",
        false,
        "chan q = [1] of { byte }; proctype P() { byte n = len(q); assert(n == 1) } active proctype A() { q!1 }
         init { run P() }",
    ),
    (
        "the first value of a variable may be the length of a queue in an array",
        false,
        "chan q[2] = [1] of { byte }; proctype P(byte i) { byte n = len(q[i]); assert(n == 1) }
         active proctype A() { q[1]!1 } init { byte i; run P(1 - i) }",
    ),
    (
        "a ring does not put others off",
        true,
        "chan a = [1] of { byte }; chan b = [1] of { byte };
         active proctype A() { byte l; a!1; do :: b?l; a!l od } active proctype B() { byte l; do :: a?l; b!l od }",
    ),
    (
        "a ring of processes of one type does not put others off",
        true,
        "chan r[3] = [1] of { byte }; proctype N(chan in, out) { byte l; do :: in?l; out!l od }
         init { atomic { r[0]!1; run N(r[0], r[1]); run N(r[1], r[2]); run N(r[2], r[0]) } }",
    ),
    ("a loop of local steps does not put others off", true, "active proctype A() { byte l; do :: l = 1 - l od }"),
    (
        "a loop round an atomic sequence does not put others off",
        true,
        "active proctype A() { byte l, m; do :: atomic { l = 1 - l; m = l }; m = 0 od }",
    ),
    (
        "a variable that two processes of a type touch is shared",
        false,
        "byte g; active [2] proctype P() { atomic { g = g + 1; assert(g != 2) } }",
    ),
    (
        "an element that may be another is not written",
        false,
        "byte g; active proctype P() { byte a[2], l; a[1] = 1; l = g; a[l] = 0; l = 0; assert(a[1] == 0) }",
    ),
    (
        "a message field that a pattern looks at is live",
        false,
        "chan a = [2] of { byte, byte }; active proctype P() { byte l; l = 1; a!l,2; l = 0; a!l,1 }
         active proctype Q() { byte l; if :: a??1,l -> assert(l != 2) fi }",
    ),
];

#[test]
fn failures_that_a_bolder_reduction_would_not_see_are_found() {
    for (name, observed, text) in MODELS {
        let text = format!("{}{text}\n", if observed { OBSERVED } else { "" });
        let read = promela::read("rules.pml", &text, &promela::preprocess::Options::default());
        let network = read.network.unwrap_or_else(|| panic!("{name}: {:?}", read.diagnostics));
        let semantics = Semantics::new(&network, Reading::Declared);
        for reduction in [Mode::Off, Mode::Trimmed, Mode::On] {
            let options = Options { properties: vec![Property::Safety], reduction, ..Options::default() };
            let outcome = explore::check(&semantics, &read.sources, &options, &Context::unlimited()).remove(0);
            assert_eq!(outcome.verdict, Verdict::Violated, "{name}, {reduction:?}\n{text}");
        }
    }
}

/// What each model is about, the model, and a formula that a run does not keep.
const FORMULAS: [(&str, &str, &str); 5] = [
    ("a variable that a formula reads is live", "active proctype P() { byte l; l = 1; g = 1 }", "[] (P:l == 0)"),
    (
        "a label that a formula names is not passed over",
        "active proctype P() { byte l; g = 1; L: l = 1; g = 2 }",
        "[] !P@L",
    ),
    (
        "a shared variable that a formula reads is live",
        "byte own; active proctype P() { own = 1; own = 2; g = 1 }",
        "[] (own != 1)",
    ),
    (
        "a cycle closes though a variable that nothing reads is different",
        "active proctype P() { byte l; do :: l = g; g = 1 - g; l = g :: l = 0; g = 1 - g od }",
        "<> [] (g == 0)",
    ),
    (
        "a loop of local steps is a run",
        "active proctype P() { byte l; do :: l = 1 - l od } active proctype Q() { g = 1 }",
        "<> (g == 1)",
    ),
];

#[test]
fn runs_that_a_bolder_reduction_would_not_see_are_found() {
    for (name, text, formula) in FORMULAS {
        let text = format!("byte g; {text}\n");
        let formulas = vec![formula.to_owned()];
        let options = promela::preprocess::Options { formulas, ..promela::preprocess::Options::default() };
        let read = promela::read("rules.pml", &text, &options);
        let network = read.network.unwrap_or_else(|| panic!("{name}: {:?}", read.diagnostics));
        let semantics = Semantics::new(&network, Reading::Declared);
        for reduction in [Mode::Off, Mode::Trimmed, Mode::On] {
            let cx = Context::unlimited();
            let setting = Setting {
                semantics: &semantics,
                sources: &read.sources,
                fair: Fairness::None,
                options: &Options::reducing(reduction),
                cx,
            };
            let outcome = setting.formula(&network.formulas[0].property(), &network.formulas[0].formula);
            assert_eq!(outcome.verdict, Verdict::Violated, "{name}, {reduction:?}\n{text}");
        }
    }
}

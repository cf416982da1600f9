//! Automata as other tools read them.

use crate::support::patterns;
use std::process::Command;
use temporal::{Automaton, Limits, automaton, parse};

fn response() -> (Automaton, Vec<String>) {
    let parsed = parse("[] (a -> <> b)").unwrap();
    (automaton(&parsed.formula, &Limits::default()).unwrap(), parsed.atoms)
}

#[test]
fn hoa() {
    let (automaton, names) = response();
    let expected = r#"HOA: v1
States: 2
Start: 0
AP: 2 "a" "b"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels state-acc
--BODY--
State: 0 "G (F b || !a)" {0}
[!0 | 1] 0
[0&!1] 1
State: 1 "F b && G (F b || !a)"
[1] 0
[!1] 1
--END--
"#;
    assert_eq!(automaton.to_hoa(&names), expected);
}

#[test]
fn never_claim() {
    let (automaton, names) = response();
    let expected = "never {
accept_init:
\tdo
\t:: (!(a) || (b)) -> goto accept_init
\t:: ((a) && !(b)) -> goto T0_S1
\tod;
T0_S1:
\tdo
\t:: ((b)) -> goto accept_init
\t:: (!(b)) -> goto T0_S1
\tod;
}
";
    assert_eq!(automaton.to_never(&names), expected);
}

#[test]
fn dot() {
    let (automaton, names) = response();
    let expected = r#"digraph {
	rankdir=LR
	start [shape=point]
	start -> 0
	0 [shape=doublecircle, tooltip="G (F b || !a)"]
	0 -> 0 [label="!a || b"]
	0 -> 1 [label="a && !b"]
	1 [shape=circle, tooltip="F b && G (F b || !a)"]
	1 -> 0 [label="b"]
	1 -> 1 [label="!b"]
}
"#;
    assert_eq!(automaton.to_dot(&names), expected);
}

/// SPIN takes our claims: all patterns, and the automata of `true` and `false`, in one model each.
#[test]
fn spin_accepts_our_claims() {
    if testing::judge::asked_for_spin().is_none() || !testing::judge::has_spin() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("highwater-temporal-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let constants =
        ["true", "false", "a U false", "X X a"].map(|text| (parse(text).unwrap().formula, vec!["p".to_string()]));
    for (formula, names) in patterns::all().into_iter().chain(constants) {
        let claim = automaton(&formula, &Limits::default()).unwrap().to_never(&names);
        let model = format!("bool p, q, r, s, t, z;\nactive proctype P() {{ do :: p = !p od }}\n{claim}");
        std::fs::write(folder.join("model.pml"), &model).unwrap();
        let output = Command::new("spin").args(["-a", "model.pml"]).current_dir(&folder).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).to_string();
        assert!(output.status.success() && !said.contains("rror"), "{said}\n{model}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

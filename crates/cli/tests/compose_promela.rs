//! The same systems twice: as labelled structures for `compose`, and in Promela for `explore`; equal verdicts.
//!
//! Two components that meet in some events and have steps of their own. In Promela a meeting is a rendezvous, a step of one's own
//! is an assignment that changes nothing, and a proposition is a label. Formulas about infinite runs are compared where nothing gets stuck, since a
//! Promela run that ends goes on in its last state. `HIGHWATER_SEEDS=N` compares N systems.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use testing::Random;

const EVENTS: u64 = 3;

/// Per component and state: what happens (an event, or none) and where it leads.
type Machine = Vec<Vec<(Option<u64>, u64)>>;

fn machine(random: &mut Random) -> Machine {
    let states = 2 + random.below(3);
    let step = |random: &mut Random| {
        let event = (random.below(3) > 0).then(|| random.below(EVENTS));
        (event, random.below(states))
    };
    (0..states).map(|_| (0..1 + random.below(2)).map(|_| step(random)).collect()).collect()
}

fn fsp(machines: &[Machine; 2], formula: &str) -> String {
    let mut text = String::new();
    for (name, machine) in ["A", "B"].iter().zip(machines) {
        let definitions: Vec<String> = machine
            .iter()
            .enumerate()
            .map(|(state, steps)| {
                let steps = steps.iter().map(|(event, to)| match event {
                    Some(event) => format!("e{event} -> S[{to}]"),
                    None => format!("own{name} -> S[{to}]"),
                });
                format!("S[{state}]{{at{name}[{state}]}} = ({})", steps.collect::<Vec<_>>().join(" | "))
            })
            .collect();
        let _ = writeln!(text, "{name} = S[0],\n{} + {{e0, e1, e2}} \\ {{own{name}}}.", definitions.join(",\n"));
    }
    let _ = write!(text, "||SYSTEM = (A || B).\nltl f {{ {} }}\n", formula);
    text
}

fn promela(machines: &[Machine; 2], formula: &str) -> String {
    let mut text = String::new();
    for event in 0..EVENTS {
        let _ = writeln!(text, "chan e{event} = [0] of {{ bit }};");
    }
    for (name, machine) in ["A", "B"].iter().zip(machines) {
        let _ = writeln!(text, "active proctype {name}() {{\n  bit x;\n  goto S0;");
        for (state, steps) in machine.iter().enumerate() {
            let _ = write!(text, "S{state}: if");
            for (event, to) in steps {
                let _ = match event {
                    Some(event) if *name == "A" => write!(text, " :: e{event}!0 -> goto S{to}"),
                    Some(event) => write!(text, " :: e{event}?0 -> goto S{to}"),
                    None => write!(text, " :: x = 0 -> goto S{to}"),
                };
            }
            text += " fi;\n";
        }
        text += "}\n";
    }
    let _ = writeln!(text, "ltl f {{ {formula} }}");
    text
}

/// A formula for both: `(FSP, Promela)`.
fn formula(random: &mut Random, depth: u64, states: [u64; 2]) -> (String, String) {
    if depth == 0 || random.below(5) == 0 {
        if random.below(2) == 0 {
            let event = random.below(EVENTS);
            return (format!("e{event}"), format!("e{event}!0"));
        }
        let who = random.below(2) as usize;
        let (name, state) = (["A", "B"][who], random.below(states[who]));
        return (format!("at{name}[{state}]"), format!("{name}@S{state}"));
    }
    let (a, p) = formula(random, depth - 1, states);
    match random.below(6) {
        0 => (format!("!({a})"), format!("!({p})")),
        1 => (format!("[] ({a})"), format!("[] ({p})")),
        2 => (format!("<> ({a})"), format!("<> ({p})")),
        choice => {
            let operator = ["U", "->", "&&"][choice as usize - 3];
            let (b, q) = formula(random, depth - 1, states);
            (format!("({a}) {operator} ({b})"), format!("({p}) {operator} ({q})"))
        }
    }
}

fn verdict(file: &Path, property: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_highwater"));
    command.args(["check", "-p", property, "--format", "json", "--timeout", "20s"]).args(arguments).arg(file);
    let output = command.output().expect("the tool runs");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let verdict = document["results"][0]["verdict"].as_str().unwrap_or("none").to_owned();
    assert_ne!(verdict, "none", "{}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
    if verdict == "vacuous" { String::from("proved") } else { verdict }
}

#[test]
fn the_same_system_has_the_same_verdicts_as_structures_and_in_promela() {
    let count = testing::seeds(40);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compose-promela");
    std::fs::create_dir_all(&folder).expect("a folder");
    let (structures, model) = (folder.join("system.fsp"), folder.join("system.pml"));
    let (mut compared, mut violated) = (0, 0);
    for seed in 0..count {
        let mut random = Random::new(seed);
        let machines = [machine(&mut random), machine(&mut random)];
        let (own, theirs) = formula(&mut random, 3, [machines[0].len() as u64, machines[1].len() as u64]);
        std::fs::write(&structures, fsp(&machines, &own)).expect("the model is written");
        std::fs::write(&model, promela(&machines, &theirs)).expect("the model is written");
        let stuck = verdict(&structures, "deadlock", &[]);
        let text = format!("seed {seed}\n{}\n{}", fsp(&machines, &own), promela(&machines, &theirs));
        assert_eq!(stuck, verdict(&model, "deadlock", &[]), "{text}");
        if stuck != "proved" {
            continue;
        }
        let expected = verdict(&model, "ltl:f", &[]);
        for arguments in [&[][..], &["--plain"], &["--method", "paper"], &["--method", "minimise"]] {
            assert_eq!(verdict(&structures, "ltl:f", arguments), expected, "{arguments:?} {text}");
        }
        compared += 1;
        violated += u64::from(expected == "violated");
    }
    assert!(compared > count / 5 && violated > 0 && violated < compared, "{compared} compared, {violated} violated");
}

//! Random models whose processes look whether a partner is ready for a rendezvous: sends in the middle of atomic
//! sequences, beside an `else`, in an `unless`; and whose partners get ready, or stop being it, by steps that look as if
//! they mattered to no one else.
//!
//! They have the shared variables that formulas of the other random models name (`reduction.rs`).

use crate::Random;
use std::fmt::Write;

/// A model.
pub fn model(random: &mut Random) -> String {
    let mut text = String::from(
        "byte x, y; bit flag[3]; byte count[3];\nchan q = [1] of { byte }; chan ring[3] = [1] of { byte };\n\
         chan r[2] = [0] of { byte }; chan s = [0] of { byte }; chan names = [1] of { chan };\n\
         proctype W(chan c) { byte l = len(q), m = len(ring[x % 3]); assert(l + m < 2 || !flag[1]); c?l }\n",
    );
    let processes = 3 + random.below(2);
    for process in 0..processes {
        let statements: Vec<String> = (0..1 + random.below(3)).map(|_| statement(random)).collect();
        let body = match random.below(4) {
            0 => format!("do :: {} :: {} od", statements.join("; "), statement(random)),
            1 => format!("do :: {} :: break od", statements.join("; ")),
            _ => statements.join("; "),
        };
        let label = if process == 0 { "L: " } else { ["", "", "progress: ", "accept: "][random.below(4)] };
        let last = ["run W(s)", "x = 1", "x == 1 && y == 0 -> assert(false)", "assert(l < 3)"][random.below(4)];
        let parameter = ["r[0]", "r[1]", "s", "q"][random.below(4)];
        let own = format!("byte l, m; chan c = {parameter};");
        let own = if random.below(3) == 0 { format!("chan c = [0] of {{ byte }}; {}", &own[..10]) } else { own };
        let _ = writeln!(text, "active proctype P{process}() {{ {own} {label}{body}; {last} }}");
    }
    if random.below(4) > 0 {
        text += "active proctype O() { (x == 1 && y == 0) -> count[0] = 1; assert(!flag[0]) }\n";
    }
    text
}

fn one(random: &mut Random, items: &[&str]) -> String {
    items[random.below(items.len())].to_owned()
}

/// A send that may need a partner.
fn send(random: &mut Random) -> String {
    one(random, &["r[0]!1", "r[0]!l", "r[1]!0", "s!1", "s!m", "s!x", "r[l % 2]!1", "c!1", "c!l", "q!1"])
}

fn receive(random: &mut Random) -> String {
    one(random, &["r[0]?l", "r[0]?1", "r[1]?_", "s?1", "s?m", "s?eval(l)", "s?eval(y)", "r[m % 2]?l", "c?l", "q?l"])
}

/// Something before a send, which others may see or not.
fn before(random: &mut Random) -> String {
    let local = ["l = 1", "m = l", "l = 0", "(l == 0)", "(l < 2)", "l = 1 - l", "m = (m + 1) % 3", "c = s"];
    let seen = [
        "x = 1",
        "l = x",
        "(x == 0)",
        "(_nr_pr < 4)",
        "flag[0] = 1",
        "q?l",
        "s?l",
        "r[0]!0",
        "d_step { l = 0; y = 1 }",
        "names?c",
    ];
    if random.below(3) > 0 { one(random, &local) } else { one(random, &seen) }
}

/// Something that others may see.
fn after(random: &mut Random) -> String {
    one(
        random,
        &[
            "x = 0",
            "x = 1",
            "y = 1",
            "y = x",
            "flag[l % 2] = 1",
            "l = 0",
            "ring[1]!m",
            "q!m",
            "(y == 1)",
            "x = 2",
            "names!c",
            "x = _nr_pr",
        ],
    )
}

fn statement(random: &mut Random) -> String {
    let (first, second) = (send(random), send(random));
    let (another, receive) = (receive(random), receive(random));
    let (before, other, after) = (before(random), before(random), after(random));
    match random.below(20) {
        0..=2 => format!("atomic {{ {before}; {first}; {after} }}"),
        3 => format!("{after}; atomic {{ {before}; {first} }}"),
        4 => format!("atomic {{ {before}; {other}; {first}; {after} }}"),
        5 => format!("if :: atomic {{ (l == 0); {first} }} :: atomic {{ (l != 0); {second}; {after} }} fi"),
        6 => format!("if :: atomic {{ {before}; {first} }} :: {receive} -> {after} fi"),
        7 => format!("atomic {{ {before}; if :: {first} :: {receive} fi }}"),
        8 => format!("atomic {{ {before}; if :: {first} :: {second} -> {after} fi }}"),
        9 => format!("atomic {{ {before}; if :: {first} :: {other} fi }}; {after}"),
        10 => format!("if :: {first} :: else -> {after} fi"),
        11 => format!("{{ {before}; {after} }} unless {{ {first} }}"),
        12 => format!("{{ {first} }} unless {{ {other} }}"),
        13 => format!("if :: {receive} :: timeout -> {after} fi"),
        14 => format!("d_step {{ if :: {receive} :: {another} fi; l = 1 }}"),
        15 => format!("atomic {{ {receive}; {before}; {first} }}"),
        16 => format!("{before}; {after}; {receive}"),
        17 => format!("{before}; {receive}; {before}"),
        18 => first,
        _ => receive,
    }
}

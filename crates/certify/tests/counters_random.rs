//! Random systems that count: windows, credits, semaphores and what becomes of them when a statement is moved, left out or
//! put in. Whatever linear invariants prove of them is accepted, and what is accepted is true.
//!
//! Counters of one, two and three bits wrap within the reach of a search. One model for every 4 of `HIGHWATER_SEEDS`, 400
//! without it.

use crate::support::{Case, Truth};
use testing::Random;

struct Dice(Random);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0.below(below)
    }

    fn rarely(&mut self) -> bool {
        self.roll(8) == 0
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.roll(from.len())]
    }

    fn declaration(&mut self, name: &str) -> String {
        let first = if self.roll(3) == 0 { format!(" = {}", self.roll(4)) } else { String::new() };
        match self.roll(9) {
            0 => format!("bit {name}{}", first.replace(['2', '3'], "1")),
            1..=2 => format!("unsigned {name} : 2{first}"),
            3..=4 => format!("unsigned {name} : 3{first}"),
            5 => format!("byte {name}{first}"),
            6 => format!("short {name}{first}"),
            _ => format!("int {name}{first}"),
        }
    }

    fn guard(&mut self) -> String {
        let limit = self.roll(4);
        let down = self.roll(2) == 0;
        match self.roll(14) {
            0..=3 if !down => format!("n < {limit}"),
            0..=3 => "n > 0".to_owned(),
            4 => format!("n <= {limit}"),
            5 => format!("!(n >= {limit})"),
            6 => format!("{limit} > n"),
            7 => format!("n != {limit}"),
            8 => "n".to_owned(),
            9 => format!("n - m < {limit}"),
            10 => format!("n + 1 < {}", limit + 1),
            11 => format!("n < {limit} && {}", self.pick(&["m == 0", "n >= 0", "m < 2", "true"])),
            12 => format!("{} || n < {limit}", self.pick(&["n == 0", "m == 0", "n + 1 < m", "n < 1", "len(c) < 2"])),
            _ => format!("m - n > -{limit}"),
        }
    }

    fn send(&mut self) -> &'static str {
        if self.rarely() { self.pick(&["c!n", "c!0", "d!1", "c!1; c!1", "c!!1"]) } else { "c!1" }
    }

    fn take(&mut self) -> &'static str {
        if self.rarely() { self.pick(&["d?n", "d?m", "d?<1>", "c?1", "d??1", "skip"]) } else { "d?1" }
    }

    fn up(&mut self) -> &'static str {
        if self.rarely() {
            self.pick(&["n = n + 2", "m = n; n = m + 1", "n = n + 3; n = n - 2", "n = 1", "n = m + 1", "skip"])
        } else {
            self.pick(&["n++", "n++", "n = n + 1", "n = 1 + n", "m++"])
        }
    }

    fn down(&mut self) -> &'static str {
        if self.rarely() {
            self.pick(&["n = n - 2", "m = n; n = m - 1", "n = n - 3; n = n + 2", "n = 0", "n = m", "skip"])
        } else {
            self.pick(&["n--", "n--", "n = n - 1", "n = -1 + n", "m++"])
        }
    }

    /// Statements in one of several kinds of steps; the first one may wait.
    fn wrapped(&mut self, first: &str, rest: [&str; 2]) -> String {
        let [a, b] = rest;
        match self.roll(8) {
            0 => format!("atomic {{ {first} -> {a} }}; {b}"),
            1 => format!("atomic {{ {first} -> {a}; {b} }}"),
            2 => format!("d_step {{ {first} -> {a}; {b} }}"),
            3 => format!("{first} -> atomic {{ {a}; {b} }}"),
            4 => format!("{first} -> d_step {{ {a}; {b} }}"),
            _ => format!("{first} -> {a}; {b}"),
        }
    }

    fn option(&mut self) -> String {
        let (up, down, send, take) = (self.up(), self.down(), self.send(), self.take());
        match self.roll(12) {
            0..=2 => {
                let guard = self.guard();
                self.wrapped(&guard, [send, up])
            }
            3..=4 => {
                let guard = self.guard();
                let change = if self.roll(2) == 0 { up } else { down };
                self.wrapped(&guard, [change, send])
            }
            5..=7 => self.wrapped(take, [down, "skip"]),
            8 => format!("if :: {} -> {send}; {up} :: else -> {take}; {down} fi", self.guard()),
            9 => {
                let change = if self.roll(2) == 0 { up } else { down };
                self.wrapped("c?1", [change, "skip"])
            }
            _ => {
                self.pick(&["n = 0", "m = n", "n = m", "m = 0", "n--", "n++", "n == 0 -> n = m", "m++; m--"]).to_owned()
            }
        }
    }

    fn sender(&mut self) -> String {
        let count = 1 + self.roll(3);
        let mut options: Vec<String> = (0..count).map(|_| self.option()).collect();
        if self.roll(3) > 0 {
            let (take, down) = (self.take(), self.down());
            options.push(self.wrapped(take, [down, "skip"]));
        }
        let end = self.pick(&["", "", "", ":: break", ":: n == 0 -> break", ":: goto out"]);
        let options: Vec<String> = options.iter().map(|option| format!(":: {option}")).collect();
        format!("do {} {end} od; out: skip", options.join(" "))
    }

    fn receiver(&mut self) -> String {
        let first = match self.roll(8) {
            0 => self.wrapped("c?1", ["d!1", "d!1"]),
            1 => "c?1".to_owned(),
            2 => format!("atomic {{ c?1; {} }}", self.down()),
            3 => format!("c?1 -> {}", self.up()),
            _ => self.pick(&["c?1 -> d!1", "c?_ -> d!1", "atomic { c?1 -> d!1 }", "d_step { c?1 -> d!1 }"]).to_owned(),
        };
        let second = if self.rarely() { format!(":: {}", self.option()) } else { String::new() };
        format!("do :: {first} {second} od")
    }

    /// A window or credits, with one thing changed at the most.
    fn pattern(&mut self) -> String {
        let ty = self.pick(&["unsigned n : 2", "unsigned n : 3", "byte n", "short n", "int n"]);
        let limit = 1 + self.roll(3);
        let guard = match self.roll(6) {
            0 => format!("n != {limit}"),
            1 => format!("n <= {}", limit - 1),
            2 => format!("{limit} > n"),
            3 => format!("!(n >= {limit})"),
            _ => format!("n < {limit}"),
        };
        let (take, back) = ("n > 0", format!("{ty} = {limit}"));
        let mut parts: Vec<String> = Vec::new();
        let credits = self.roll(3) == 0;
        let (test, count, uncount) = if credits { (take, "n--", "n++") } else { (guard.as_str(), "n++", "n--") };
        let send = match self.roll(3) {
            0 => ["c!1", count],
            _ => [count, "c!1"],
        };
        parts.push(self.wrapped(test, send));
        parts.push(self.wrapped("d?1", [uncount, "skip"]));
        let mut receiver =
            self.pick(&["c?1 -> d!1", "c?_ -> d!1", "atomic { c?1 -> d!1 }", "c?1 -> skip; d!1"]).to_owned();
        let mut extra = String::new();
        match self.roll(10) {
            0 => parts.push(self.option()),
            1 => receiver = self.receiver().replacen("do ::", "", 1).replacen(" od", "", 1),
            2 => extra = format!("active proctype Z() {{ {} }}", self.option()),
            3 => parts[0] = self.option(),
            4 => parts[1] = self.option(),
            _ => {}
        }
        let apart = self.roll(3) == 0;
        let shared = apart || credits || !extra.is_empty() || self.roll(2) == 0;
        let declared = if credits { back } else { ty.to_owned() };
        let (global, local) =
            if shared { (format!("{declared}; int m;"), "") } else { (String::new(), declared.as_str()) };
        let local = if shared { String::new() } else { format!("{local}; int m; ") };
        let other = if shared { "" } else { "int n, m; " };
        let many = self.pick(&["", "", "", "[2]", "[3]"]);
        let capacities = [("1", "1"), ("1", "1"), ("1", "1"), ("1", "0"), ("0", "1")][self.roll(5)];
        let senders = if apart {
            format!(
                "active {many} proctype S() {{ {local}do :: {} od }} active proctype A() {{ do :: {} od }}",
                parts[0], parts[1]
            )
        } else {
            let all: Vec<String> = parts.iter().map(|part| format!(":: {part}")).collect();
            format!("active {many} proctype S() {{ {local}do {} od }}", all.join(" "))
        };
        format!(
            "chan c = [{}] of {{ byte }}, d = [{}] of {{ byte }};\n{global}\n{senders}\n\
             active proctype R() {{ {other}do :: {receiver} od }}\n{extra}\n",
            capacities.0, capacities.1
        )
    }

    fn model(&mut self) -> String {
        if self.roll(3) > 0 {
            return self.pattern();
        }
        let (shared, local) = match self.roll(3) {
            0 => (String::new(), format!("{}; {}; ", self.declaration("n"), self.declaration("m"))),
            _ => (format!("{}; {};", self.declaration("n"), self.declaration("m")), String::new()),
        };
        // What counts in a process has its counters there.
        let other = if shared.is_empty() { "int n, m; " } else { "" };
        let many = self.pick(&["", "", "", "[2]", "[3]"]);
        let capacities = [("1", "1"), ("1", "1"), ("1", "0"), ("0", "1")][self.roll(4)];
        let third = match self.roll(5) {
            0 => format!("active proctype A() {{ {other}do :: {} od }}", self.option()),
            1 => format!("active proctype Z() {{ {other}{} }}", self.option()),
            _ => String::new(),
        };
        let (sender, receiver) = (self.sender(), self.receiver());
        let processes = match self.roll(6) {
            0 => format!(
                "proctype S() {{ {local}{sender} }}
                 proctype R() {{ {other}{receiver} }}
                 init {{ {} }}",
                self.pick(&[
                    "run S(); run R()",
                    "atomic { run S(); run R() }",
                    "run R(); run S(); run S()",
                    "run R(); do :: run S() od"
                ])
            ),
            _ => format!(
                "active {many} proctype S() {{ {local}{sender} }}
                 active proctype R() {{ {other}{receiver} }}"
            ),
        };
        format!(
            "chan c = [{}] of {{ byte }}, d = [{}] of {{ byte }};\n{shared}\n{processes}\n{third}\n",
            capacities.0, capacities.1
        )
    }
}

#[test]
fn what_is_proved_of_systems_that_count_is_accepted_and_true() {
    let asked: Option<u64> = testing::long();
    let seeds = asked.map_or(400, |seeds| seeds.div_ceil(4));
    let from: u64 = testing::first(0);
    let (mut proved, mut linear, mut wrong) = (0u64, 0u64, Vec::new());
    let case = Case { name: "random", text: "", variants: ["", ""], live: false, events: &[] };
    for seed in from..from + seeds {
        let text = Dice(Random::new(seed)).model();
        let read = promela::read("model.pml", &text, &promela::preprocess::Options::default());
        let Some(network) = read.network else { continue };
        let Some(proof) = case.prove(&network) else { continue };
        proved += 1;
        linear += u64::from(!proof.abstraction.linear.is_empty());
        match case.verify(&network, &proof) {
            Err(refusal) => wrong.push(format!("seed {seed}, refused: {refusal}\n{text}")),
            // What weights prove is the business of another test.
            Ok(_) if proof.abstraction.linear.is_empty() => {}
            Ok(accepted) => {
                let truth = Truth::of(&case, &network);
                let what = truth.contradicts(&network, &proof, &accepted);
                wrong.extend(what.map(|what| format!("seed {seed}: {what}\n{text}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {proved}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(linear > seeds / 40, "only {linear} proofs of {proved} have linear invariants");
}

//! Random systems whose senders look first: at what is in a queue, whose turn it is, whether a flag is set. What is proved of
//! them is accepted, and what is accepted is true.
//!
//! Tests and sends are one step or several; polls are of the head or of the whole queue, with one field or two; flags are
//! copied, cleared by others, or by no process; the second channel is a rendezvous now and then. One model for every 4 of
//! `HIGHWATER_SEEDS`, 200 without it.

use crate::support::{Case, Truth};
use testing::Random;

struct Dice {
    random: Random,
    /// Messages have a second field.
    pairs: bool,
}

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.random.below(below)
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.roll(from.len())]
    }

    fn message(&mut self) -> String {
        let first = self.pick(&["1", "1", "1", "2", "turn"]);
        if self.pairs { format!("{first}, {}", self.pick(&["0", "0", "1"])) } else { first.to_owned() }
    }

    fn pattern(&mut self, poll: bool) -> String {
        let first = self.pick(&["1", "1", "1", "2", "_", "eval(turn)"]);
        let second = self.pick(&["0", "0", "1", "_"]);
        // A poll may leave out the last fields.
        let short = self.roll(3) == 0 && poll;
        if self.pairs && !short { format!("{first}, {second}") } else { first.to_owned() }
    }

    fn guard(&mut self) -> String {
        let (one, other) = (self.pattern(true), self.pattern(true));
        let turn = self.roll(3);
        match self.roll(22) {
            0..=5 => format!("!(q??[{one}])"),
            6 => format!("!(q??[{one}]) && !(q??[{other}])"),
            7 => format!("!(q??[{one}] || q??[{other}])"),
            8 => format!("(!(q??[{one}]) || turn == {turn})"),
            9 | 20 | 21 => format!("!(q?[{one}])"),
            10 => format!("q??[{one}] == 0"),
            11 => format!("(q?[{one}] -> turn == {turn} : true)"),
            12 => self.pick(&["empty(q)", "nfull(q)", "len(q) < 2", "!nempty(q)", "len(d) == 0"]).to_owned(),
            13..=15 => format!("turn == {turn}"),
            16 => "flag == 0".to_owned(),
            17 => "f[_pid % 2] == 0".to_owned(),
            18 => format!("nempty(q) || turn == {turn}"),
            _ => format!("turn != {turn}"),
        }
    }

    fn set(&mut self) -> String {
        match self.roll(10) {
            0..=3 => format!("turn = {}", self.roll(3)),
            4 => "flag = 1".to_owned(),
            5 => "flag = 0".to_owned(),
            6 => "f[_pid % 2] = 1".to_owned(),
            7 => "f[turn % 2] = 0".to_owned(),
            8 => "turn = (turn + 1) % 3".to_owned(),
            _ => "skip".to_owned(),
        }
    }

    fn send(&mut self) -> String {
        let to = self.pick(&["q", "q", "q", "q!", "d"]);
        if to == "d" { self.pick(&["d!1", "d!1", "d!turn"]).to_owned() } else { format!("{to}!{}", self.message()) }
    }

    fn take(&mut self) -> String {
        let how = self.pick(&["q?", "q?", "q??", "d"]);
        if how == "d" {
            return self.pick(&["d?1", "d?1", "d?b", "d?turn", "d?eval(turn)"]).to_owned();
        }
        format!("{how}{}", self.pattern(false))
    }

    /// The capacity of the second channel.
    fn capacity(&mut self) -> &'static str {
        self.pick(&["0", "1", "1"])
    }

    /// Statements in one of several kinds of steps; the first one may wait.
    fn wrapped(&mut self, first: &str, a: &str, b: &str) -> String {
        match self.roll(8) {
            0 => format!("atomic {{ {first} -> {a} }}; {b}"),
            1 => format!("atomic {{ {first} -> {a}; {b} }}"),
            2 => format!("d_step {{ {first} -> {a}; {b} }}"),
            3 => format!("{first} -> atomic {{ {a}; {b} }}"),
            _ => format!("{first} -> {a}; {b}"),
        }
    }

    fn option(&mut self) -> String {
        let (send, take, set) = (self.send(), self.take(), self.set());
        match self.roll(12) {
            0..=4 => {
                let guard = self.guard();
                let (a, b) = if self.roll(2) == 0 { (&send, &set) } else { (&set, &send) };
                self.wrapped(&guard, a, b)
            }
            5..=7 => self.wrapped(&take, &set, "skip"),
            8 => {
                let pattern = self.pattern(true);
                let poll = self.pick(&["??", "?"]);
                format!("if :: q{poll}[{pattern}] -> {set} :: else -> {send} fi")
            }
            9 => format!("b = flag; if :: b == 0 -> flag = 1; {send} :: else fi"),
            10 => format!("b = turn; {}; b == turn -> {send}", self.set()),
            _ => {
                let guard = self.guard();
                self.wrapped(&guard, &take, &send)
            }
        }
    }

    fn process(&mut self) -> String {
        let count = 1 + self.roll(2);
        let options: Vec<String> = (0..count).map(|_| format!(":: {}", self.option())).collect();
        let end = self.pick(&["", "", "", "", ":: break"]);
        format!("byte b; do {} {end} od", options.join(" "))
    }

    /// A driver whose senders each look for the kind of message that they send, with one thing changed at the most.
    fn driver(&mut self) -> String {
        let kinds = 1 + self.roll(3);
        let wrong = self.roll(2 * kinds + 1);
        let mut options = Vec::new();
        for kind in 1..=kinds {
            let head = format!("q?[{kind}]");
            let changed = [&head, &head, "q?[1]", "q??[1] && turn == 1", "q??[2]", "full(q)", "false"];
            let poll = if kind == wrong { self.pick(&changed).to_owned() } else { format!("q??[{kind}]") };
            let more = self.pick(&["skip", "skip", "d!1", "turn = 1"]);
            let option = self.wrapped(&format!("!({poll})"), &format!("q!{kind}"), more);
            options.push(format!(":: {option}"));
        }
        let many = self.pick(&["", "", "[2]", "[3]"]);
        let take = self.pick(&["q?_", "q?1", "q??2", "q?_ -> q?_", "q?1 -> q!2"]);
        let back = self.pick(&["", ":: d?1", ":: d?1 -> turn = 0"]);
        let senders = if self.roll(2) == 0 {
            format!("active {many} proctype S() {{ do {} od }}", options.join(" "))
        } else {
            let each =
                options.iter().enumerate().map(|(i, option)| format!("active proctype S{i}() {{ do {option} od }}"));
            each.collect::<Vec<_>>().join("\n")
        };
        let capacity = self.capacity();
        format!(
            "chan q = [2] of {{ byte }}, d = [{capacity}] of {{ byte }};\nbyte turn;\n{senders}\nactive proctype R() {{ do :: {take} {back} od }}\n"
        )
    }

    fn model(&mut self) -> String {
        if self.roll(3) == 0 {
            return self.driver();
        }
        let fields = if self.pairs { "byte, bit" } else { "byte" };
        let (sender, receiver) = (self.process(), self.process());
        let take = self.take();
        let set = self.set();
        let receiver = if self.roll(2) == 0 { format!("byte b; do :: {take} -> {set} od") } else { receiver };
        let third =
            if self.roll(4) == 0 { format!("active proctype T() {{ {} }}", self.process()) } else { String::new() };
        let many = self.pick(&["", "", "", "[2]", "[3]"]);
        let processes = match self.roll(8) {
            0 => format!(
                "proctype S() {{ {sender} }} active proctype R() {{ {receiver} }} init {{ {} }}",
                self.pick(&["run S()", "run S(); run S()", "do :: run S() od", "turn = 1; run S()"])
            ),
            _ => format!("active {many} proctype S() {{ {sender} }} active proctype R() {{ {receiver} }}"),
        };
        let capacity = self.capacity();
        format!(
            "chan q = [2] of {{ {fields} }}, d = [{capacity}] of {{ byte }};\nbyte turn; bit flag; bit f[2];\n{processes}\n{third}\n"
        )
    }
}

#[test]
fn what_is_proved_of_systems_that_look_first_is_accepted_and_true() {
    let asked: Option<u64> = testing::long();
    let seeds = asked.map_or(200, |seeds| seeds.div_ceil(4));
    let from: u64 = testing::first(0);
    let (mut proved, mut parts, mut wrong) = (0u64, 0u64, Vec::new());
    let case = Case { name: "random", text: "", variants: ["", ""], live: false, events: &[] };
    for seed in from..from + seeds {
        let mut random = Random::new(seed);
        let pairs = random.below(3) == 0;
        let text = Dice { random, pairs }.model();
        let read = promela::read("model.pml", &text, &promela::preprocess::Options::default());
        let Some(network) = read.network else { continue };
        let Some(proof) = case.prove(&network) else { continue };
        proved += 1;
        parts += u64::from(proof.bounds.iter().any(|bound| !bound.atoms.is_empty()));
        match case.verify(&network, &proof) {
            Err(refusal) => wrong.push(format!("seed {seed}, refused: {refusal}\n{text}")),
            Ok(accepted) => {
                let truth = Truth::of(&case, &network);
                let what = truth.contradicts(&network, &proof, &accepted);
                wrong.extend(what.map(|what| format!("seed {seed}: {what}\n{text}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {proved}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(parts > seeds / 100, "only {parts} proofs of {proved} count atoms apart");
}

//! Random systems that create processes without end: a worker for each request, pools with tokens, sessions with channels of
//! their own, and what becomes of them when a statement is moved, left out or put in. Whatever is proved of them is accepted,
//! and what is accepted is true.
//!
//! One model for every 200 of `HIGHWATER_SEEDS`, 12 without it: most take the engine all the time that it has.

use crate::support::{Case, Truth};
use testing::Random;

struct Dice(Random);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0.below(below)
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.roll(from.len())]
    }

    /// A statement of a process that is created; some hand its channel on.
    fn work(&mut self) -> String {
        match self.roll(20) {
            0..=2 => self.pick(&["rep!1", "rep!2", "rep!x"]).to_owned(),
            3..=6 => self.pick(&["mine!1", "mine?_", "mine?1", "mine!x", "mine!1; mine?_"]).to_owned(),
            7 => self.pick(&["tok!1", "req?_", "req!1", "tok?_"]).to_owned(),
            8 => format!("do :: {} :: break od", self.pick(&["mine!1; mine?_", "mine?_", "mine!1", "rep!1", "tok?_"])),
            9 => format!("if :: {} :: {} fi", self.work(), self.work()),
            10 => format!("atomic {{ {}; {} }}", self.work(), self.work()),
            11 => self.pick(&["x == 1", "x = 1", "x = 0", "x != 1", "nfull(mine)", "l++", "l < 2"]).to_owned(),
            12 => self.pick(&["ref!mine", "run V(mine)", "x = mine", "h = mine", "ref!mine; mine?_"]).to_owned(),
            13 => self.pick(&["c!1", "c?_", "run W(c)", "run W(mine)", "mine = c"]).to_owned(),
            14..=16 => self.pick(&["run V(mine)", "run V(mine)", "h = mine", "x = mine", "ref!mine"]).to_owned(),
            _ => self.pick(&["rep!1", "mine!1", "mine?_", "tok!1"]).to_owned(),
        }
    }

    fn works(&mut self, most: usize) -> String {
        let count = 1 + self.roll(most);
        (0..count).map(|_| self.work()).collect::<Vec<_>>().join("; ")
    }

    /// A round of the process that creates.
    fn creation(&mut self) -> String {
        let run = self.pick(&["run W(0)", "run W(0)", "run W(0)", "run W(a)", "run W(own)"]);
        match self.roll(8) {
            0..=2 => format!("req?_ -> {run}"),
            3..=4 => format!("tok?_ -> {run}"),
            5 => format!("{run}; rep?_"),
            6 => format!("ref?a -> {}", self.pick(&["a!1", "skip", "a?_", "a!1; req?_"])),
            _ => self.pick(&["run W(0)", "own?_", "own!1; own?_", "rep?_ -> tok!1"]).to_owned(),
        }
    }

    fn client(&mut self) -> String {
        self.pick(&[
            "req!1; rep?_",
            "req!1; rep?_",
            "rep?_ -> tok!1",
            "rep?_",
            "tok!1; rep?_",
            "req!1; if :: rep?_ :: skip fi",
            "h != 0 -> h!1",
            "x != 0 -> x!1",
        ])
        .to_owned()
    }

    fn model(&mut self) -> String {
        let tokens = "tok!1; ".repeat(self.roll(3));
        let second = if self.roll(2) == 0 { format!(":: {}", self.creation()) } else { String::new() };
        let other = if self.roll(3) == 0 { format!(":: {}", self.client()) } else { String::new() };
        format!(
            "chan req = [1] of {{ byte }}, rep = [1] of {{ byte }}, tok = [1] of {{ byte }}, ref = [1] of {{ chan }};
             byte x; chan h;
             proctype V(chan c) {{ {} }}
             proctype W(chan c) {{ chan mine = [1] of {{ byte }}; byte l; {} }}
             active proctype S() {{ chan own = [1] of {{ byte }}; chan a; {tokens}do :: {} {second} od }}
             active {} proctype C() {{ do :: {} {other} od }}",
            self.pick(&["c!1", "c!1", "c?_", "c!1; c?_", "do :: c!1 od", "rep!1"]),
            self.works(4),
            self.creation(),
            self.pick(&["", "", "[2]"]),
            self.client(),
        )
    }
}

#[test]
fn what_is_proved_of_systems_that_create_processes_is_accepted_and_true() {
    let asked: Option<u64> = testing::long();
    let seeds = asked.map_or(12, |seeds| seeds.div_ceil(200));
    let from: u64 = testing::first(0);
    let (mut proved, mut private, mut wrong) = (0, 0, Vec::new());
    for seed in from..from + seeds {
        let text = Dice(Random::new(seed)).model();
        let read = promela::read("model.pml", &text, &promela::preprocess::Options::default());
        let Some(network) = read.network else { panic!("seed {seed}: {:?}\n{text}", read.diagnostics) };
        let case = Case { name: "random", text: "", variants: ["", ""], live: false, events: &[] };
        let Some(proof) = case.prove(&network) else { continue };
        match case.verify(&network, &proof) {
            Err(refusal) => wrong.push(format!("seed {seed}, refused: {refusal}\n{text}")),
            Ok(accepted) => {
                let of_many = |key: &model::flow_proof::QueueKey| {
                    key.instance.is_some_and(|id| proof.abstraction.instances[id as usize].many)
                };
                private += accepted.bounded.iter().filter(|(key, _)| of_many(key)).count() as u64;
                proved += accepted.bounded.len() as u64;
                let what = Truth::of(&case, &network).contradicts(&network, &proof, &accepted);
                wrong.extend(what.map(|what| format!("seed {seed}: {what}\n{text}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {proved}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(proved > seeds && private > 0, "only {proved} bounds, {private} of them private");
}

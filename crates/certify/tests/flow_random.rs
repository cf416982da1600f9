//! Random models: whatever the engine proves of them is accepted, and what is accepted is true.
//!
//! One model for every 16 of `HIGHWATER_SEEDS`, 60 without it: each is proved, checked and searched. A seed that fails is printed with its model.

use crate::support::{Case, Truth, seconds};
use model::context::Context;
use testing::Random;

/// A small generator of numbers that look random.
struct Dice(Random);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0.below(below)
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.roll(from.len())]
    }

    fn channel(&mut self) -> &'static str {
        self.pick(&["q", "p", "r", "a[0]", "a[x]", "a[l]"])
    }

    fn value(&mut self) -> &'static str {
        self.pick(&["0", "1", "2", "x", "l", "g", "x + 1", "2 - l", "(x -> 1 : l)", "_pid"])
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.value(), self.value());
        let simple = format!("{a} {} {b}", self.pick(&["==", "!=", "<", ">", "<=", ">="]));
        match self.roll(8) {
            0 => format!("{simple} && {}", self.pick(&["x", "l < 2", "g == 1", "len(q) < 2"])),
            1 => format!("!({simple})"),
            2 => format!("{simple} || {}", self.pick(&["x == 1", "l", "empty(p)"])),
            _ => simple,
        }
    }

    fn statement(&mut self) -> String {
        match self.roll(14) {
            0..=2 => format!("{}!{}", self.channel(), self.value()),
            3..=5 => format!("{}?{}", self.channel(), self.pick(&["l", "_", "1", "0", "eval(l)", "x", "eval(x)"])),
            6 => format!("x = {}", self.value()),
            7 => format!("l = {}", self.value()),
            8 => self.pick(&["g = 1 - g", "g = 0", "l++", "l--", "x++", "g = 1"]).to_owned(),
            9 => self.condition(),
            10 => self.pick(&["run W(1)", "run W(l)", "p??1", "q!!l", "p?<l>", "g = 1"]).to_owned(),
            11 => format!("if :: {} :: {} fi", self.sequence(2), self.sequence(2)),
            12 => format!("if :: {} -> {} :: else -> {} fi", self.condition(), self.sequence(2), self.sequence(1)),
            _ => format!("if :: {} -> {} :: else fi", self.condition(), self.sequence(2)),
        }
    }

    fn sequence(&mut self, most: usize) -> String {
        let count = 1 + self.roll(most);
        (0..count).map(|_| self.statement()).collect::<Vec<_>>().join("; ")
    }

    fn block(&mut self) -> String {
        let inner = self.sequence(3);
        let label = self.pick(&["", "", "", "progress: ", "progress1: "]);
        match self.roll(6) {
            0 => format!("{label}atomic {{ {inner} }}"),
            // The last statement fails, after messages were sent.
            5 => {
                let (one, two) = (self.pick(&["q!1", "p!1", "r!1"]), self.pick(&["q!1", "p!1", "r!1", "l = 1"]));
                format!(
                    "{label}atomic {{ {one}; {two}; {one}; {} }}",
                    self.pick(&["a[l + 2]!0", "x = 1 / 0", inner.as_str()])
                )
            }
            1 => format!("d_step {{ {} }}", inner.replace("run W(1)", "g = 0").replace("run W(l)", "g = 0")),
            _ => format!("{label}{inner}"),
        }
    }

    fn body(&mut self) -> String {
        let options: Vec<String> = (0..1 + self.roll(3)).map(|_| format!(":: {}", self.block())).collect();
        let start = if self.roll(2) == 0 { format!("{}; ", self.sequence(2)) } else { String::new() };
        let end = self.pick(&["", ":: break", ":: l > 1 -> break"]);
        format!("{start}do {} {end} od", unlabelled(&options.join(" ")))
    }

    fn model(&mut self) -> String {
        let kinds = [["1", "1", "1"], ["1", "0", "2"], ["2", "1", "0"]][self.roll(3)];
        format!(
            "chan q = [{}] of {{ byte }}, p = [{}] of {{ byte }}, r = [{}] of {{ byte }}, a[2] = [1] of {{ byte }};
             byte x; bit g;
             proctype W(byte l) {{ {} }}
             active {} proctype A() {{ byte l; {} }}
             active proctype B() {{ byte l = 1; {} }}",
            kinds[0],
            kinds[1],
            kinds[2],
            self.sequence(2),
            self.pick(&["", "", "[2]"]),
            self.body(),
            self.body(),
        )
    }
}

/// Labels of one process have different names.
fn unlabelled(text: &str) -> String {
    let mut parts = text.split("progress");
    let mut found = parts.next().unwrap_or_default().to_owned();
    for (index, part) in parts.enumerate() {
        let rest = part.split_once(':').map_or(part, |(_, rest)| rest);
        found += &format!("progress_{index}:{rest}");
    }
    found
}

#[test]
fn what_is_proved_of_random_models_is_accepted_and_true() {
    let asked: Option<u64> = testing::long();
    let seeds = asked.map_or(60, |seeds| seeds.div_ceil(16));
    let from: u64 = testing::first(0);
    let (mut proved, mut wrong) = (0, Vec::new());
    for seed in from..from + seeds {
        let text = Dice(Random::new(seed)).model();
        let options = promela::preprocess::Options::default();
        let Some(network) = promela::read("model.pml", &text, &options).network else { continue };
        for live in [false, true] {
            let case = Case { name: "random", text: "", variants: ["", ""], live, events: &[] };
            let Some(proof) = case.prove(&network) else { continue };
            proved += 1;
            match case.verify(&network, &proof) {
                Err(refusal) => wrong.push(format!("seed {seed}, livelock {live}, refused: {refusal}\n{text}")),
                Ok(accepted) => {
                    let truth = Truth::of(&case, &network);
                    let what = truth.contradicts(&network, &proof, &accepted);
                    wrong.extend(what.map(|what| format!("seed {seed}, livelock {live}: {what}\n{text}")));
                }
            }
        }
    }
    assert!(proved as u64 > seeds / 20, "only {proved} proofs");
    assert!(wrong.is_empty(), "{} of {proved}:\n{}", wrong.len(), wrong.join("\n"));
}

/// What is proved of the queues of a network, by name: whether they are bounded.
fn bounded(text: &str) -> Option<std::collections::BTreeMap<String, bool>> {
    let network = promela::read("model.pml", text, &promela::preprocess::Options::default()).network?;
    let report = flow::check(&network, &flow::Question::Boundedness, &Context::silent(&seconds(5)));
    Some(report.queues.into_iter().map(|queue| (queue.name, queue.bounded)).collect())
}

#[test]
fn a_flood_takes_no_bound_from_its_neighbours() {
    let seeds = testing::long().map_or(60, |seeds: u64| seeds.div_ceil(16));
    let from: u64 = testing::first(0);
    let mut kept = 0;
    for seed in from..from + seeds {
        let alone = Dice(Random::new(seed)).model();
        let flooded = format!("{alone} chan flood = [1] of {{ byte }}; active proctype F() {{ do :: flood!1 od }}");
        let (Some(before), Some(after)) = (bounded(&alone), bounded(&flooded)) else { continue };
        for (name, _) in before.iter().filter(|(_, bounded)| **bounded) {
            assert!(after[name], "seed {seed}: `{name}` is bounded without the flood only\n{flooded}");
            kept += 1;
        }
    }
    assert!(kept as u64 > seeds / 4, "only {kept} bounds");
}

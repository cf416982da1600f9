//! With and without partial-order reduction: the same verdicts, on random models made to tempt it.
//!
//! Processes have parameters (channels, numbers), elements of arrays of their own, local variables and channels, atomic sequences
//! and deterministic steps, so that most of their steps look independent of the others and some are not; chains of local
//! statements, loops of them, local arrays, variables that one process only touches, messages with fields that nothing reads, escapes
//! and labels, so that much looks as if nothing could tell. A third of them is of another kind (`testing::models::meetings`). Seeds are printed with every failure; `HIGHWATER_SEEDS=N` tries
//! N models instead of the usual few hundred.

#![allow(clippy::print_stdout)]

use explore::liveness::Setting;
use explore::progress::ProgressOf;
use explore::reduction::{Labels, Mode};
use explore::{Options, Order, Packing};
use model::budget::Budget;
use model::context::Context;
use model::fairness::Fairness;
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::source::SourceMap;
use model::verdict::{Outcome, Property, Reason, Verdict};
use std::fmt::Write;
use testing::Random;
use testing::models::meetings;

const MOST_STATES: u64 = 5_000;

/// Makes the models.
struct Maker(Random);

impl Maker {
    fn one<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.0.below(items.len() as u64) as usize]
    }

    /// Processes in a ring or around a shared queue, started by `init` or from the start.
    fn model(&mut self) -> String {
        let processes = 2 + self.0.below(2);
        let capacity = 1 + self.0.below(2);
        let mut text = format!(
            "byte x, y; bit flag[3]; byte count[3];\nchan q = [{capacity}] of {{ byte }};\n\
             chan ring[3] = [{capacity}] of {{ byte }};\nchan meet = [0] of {{ byte }};\n\
             chan names = [1] of {{ chan }};\nchan pair = [{capacity}] of {{ byte, byte }};\nbyte mine, own[2];\n"
        );
        let types = 1 + self.0.below(2);
        for index in 0..types {
            let _ = writeln!(text, "proctype P{index}(chan in, out; byte k) {{ byte l, m, a[2]; chan other;");
            let own = if self.0.below(4) == 0 { "chan own = [1] of { byte };\n" } else { "" };
            text += own;
            let body = self.body(!own.is_empty());
            let _ = writeln!(text, "{body}}}");
        }
        text += "init { atomic {\n";
        for index in 0..processes {
            let next = (index + 1) % processes;
            let (input, output) = match self.0.below(5) {
                0 => (String::from("q"), String::from("q")),
                1 => (format!("ring[{index}]"), String::from("q")),
                _ => (format!("ring[{index}]"), format!("ring[{next}]")),
            };
            let _ = writeln!(text, "run P{}({input}, {output}, {index});", self.0.below(types));
        }
        let more = if self.0.below(3) == 0 { "x = x + 1" } else { "skip" };
        text += &format!("}}; {more} }}\n");
        if self.0.below(3) == 0 {
            let monitor = self.monitor();
            text += &monitor;
        }
        text
    }

    /// A process of a type of its own, with shared variables that no other process touches.
    fn monitor(&mut self) -> String {
        let steps = [
            "mine = (mine + 1) % 3",
            "mine = own[0]",
            "own[0] = mine",
            "own[1] = x",
            "x = own[1] % 3",
            "assert(mine < 3)",
            "own[mine % 2] = 1",
            "if :: mine == 1 -> q!mine :: else -> mine = 0 fi",
        ];
        let mut step = || self.one(&steps);
        format!("active proctype M() {{ {}; do :: {}; {} :: {}; {} od }}\n", step(), step(), step(), step(), step())
    }

    fn body(&mut self, own: bool) -> String {
        let mut text = String::new();
        for _ in 0..self.0.below(3) {
            text += &(self.statement(own) + ";\n");
        }
        let forever = self.0.below(4) > 0;
        if forever {
            text += "do\n";
            for option in 0..1 + self.0.below(3) {
                let label = if option == 0 { "L: " } else { "" };
                let second = match self.0.below(8) {
                    0 => format!("progress{option}: "),
                    1 => format!("accept{option}: "),
                    2 => format!("end{option}: "),
                    _ => String::new(),
                };
                let (first, next, last) = (self.statement(own), self.statement(own), self.statement(own));
                let _ = writeln!(text, ":: {label}{first}; {second}{next}; {last}");
            }
            text += &format!("{}od\n", if self.0.below(4) == 0 { ":: break\n" } else { "" });
        } else {
            text += &format!("L: {};\n{}", self.statement(own), self.statement(own));
        }
        text
    }

    fn statement(&mut self, own: bool) -> String {
        match self.0.below(16) {
            12 => format!("{}; atomic {{ {}; {} }}", self.local(), self.local(), self.step(own)),
            13 => format!("{}; {}; {}", self.local(), self.local(), self.local()),
            14 => format!("{{ {}; {} }} unless {{ {} }}", self.step(own), self.local(), self.condition()),
            15 => format!("if :: {} :: {} :: else -> {} fi", self.step(own), self.condition(), self.local()),
            0 => format!("atomic {{ {}; {} }}", self.step(own), self.step(own)),
            1 => format!("d_step {{ {}; {} }}", self.quiet(), self.quiet()),
            2 => format!("if :: {} :: {} fi", self.step(own), self.step(own)),
            3 => format!("if :: {} -> {} :: else -> {} fi", self.condition(), self.step(own), self.quiet()),
            _ => self.step(own),
        }
    }

    /// A statement that touches nothing but variables of its process.
    fn local(&mut self) -> String {
        let steps = [
            "l = 1 - l",
            "m = l",
            "a[0] = m",
            "a[1] = l % 2",
            "l = a[0] % 2",
            "m = a[l % 2] % 3",
            "a[l % 2] = 1",
            "if :: l = 0 :: l = 1 fi",
            "if :: l == 0 -> m = 1 :: else -> m = 0 fi",
            "do :: l == 0 -> l = 1 :: else -> break od",
            "printf(\"%d\", x + m)",
            "assert(m < 3)",
            "(l == 0)",
        ];
        self.one(&steps).into()
    }

    fn step(&mut self, own: bool) -> String {
        let owned = ["own!l", "own?l"];
        if own && self.0.below(4) == 0 {
            return self.one(&owned).into();
        }
        let steps = [
            "in?l",
            "out!l",
            "in?l",
            "out!m",
            "in?1",
            "in?0",
            "q!k",
            "q?m",
            "q!!l",
            "q??1",
            "meet!k",
            "meet?l",
            "names!in",
            "names?other",
            "other!1",
            "in?<l>",
            "pair!l,m",
            "pair?m,l",
            "pair?l,_",
            "pair?1,m",
            "pair!!l,k",
            "pair??l,0",
        ];
        if self.0.below(2) == 0 { self.one(&steps).into() } else { self.quiet() }
    }

    fn quiet(&mut self) -> String {
        let steps = [
            "l = 1 - l",
            "m = (m + 1) % 3",
            "l = k",
            "flag[_pid % 3] = 1 - flag[_pid % 3]",
            "flag[k] = 1",
            "flag[k] = 0",
            "count[k] = (count[k] + 1) % 2",
            "x = (x + 1) % 3",
            "y = l",
            "l = x % 2",
            "skip",
            "flag[l] = m % 2",
            "l = flag[k]",
            "assert(x < 3)",
            "m = len(q) % 3",
        ];
        self.one(&steps).into()
    }

    fn condition(&mut self) -> String {
        let conditions = [
            "l == 0",
            "m > 0",
            "flag[k]",
            "flag[0]",
            "x == 1",
            "nempty(in)",
            "nfull(out)",
            "empty(q)",
            "full(q)",
            "q?[1]",
            "pair?[0,m]",
            "len(in) == 1",
            "_nr_pr > 2",
            "count[k] == 0",
            "timeout",
        ];
        self.one(&conditions).into()
    }

    fn formula(&mut self, depth: u64) -> String {
        let atoms = [
            "x == 1",
            "y == 0",
            "flag[0]",
            "flag[1] == 0",
            "count[0] > 0",
            "len(q) > 0",
            "empty(ring[0])",
            "P0@L",
            "q!1",
            "ring[0]?_",
            "q?_",
            "P0:l == 1",
        ];
        if depth == 0 {
            return format!("({})", self.one(&atoms));
        }
        match self.0.below(7) {
            0 => format!("([] {})", self.formula(depth - 1)),
            1 => format!("(<> {})", self.formula(depth - 1)),
            2 => format!("(! {})", self.formula(depth - 1)),
            3 => format!("({} U {})", self.formula(depth - 1), self.formula(depth - 1)),
            4 => format!("({} -> {})", self.formula(depth - 1), self.formula(depth - 1)),
            5 => format!("({} && {})", self.formula(depth - 1), self.formula(depth - 1)),
            _ => format!("([] <> {})", self.formula(depth - 1)),
        }
    }
}

/// The model and its formula; `None` for the few that are refused (two `else` at the same place).
pub fn read(seed: u64) -> Option<(Network, SourceMap, String)> {
    let mut maker = Maker(Random::new(seed));
    let text = if maker.0.below(3) == 0 { meetings::model(&mut maker.0) } else { maker.model() };
    let depth = 1 + maker.0.below(3);
    let formula = maker.formula(depth);
    let options =
        promela::preprocess::Options { formulas: vec![formula.clone()], ..promela::preprocess::Options::default() };
    let read = promela::read("random.pml", &text, &options);
    let text = format!("{text}\nltl {{ {formula} }}");
    let refused = |d: &model::diagnostic::Diagnostic| d.is_error() && d.code != "P0223";
    assert!(!read.diagnostics.iter().any(refused), "seed {seed}: {:?}\n{text}", read.diagnostics);
    Some((read.network?, read.sources, text))
}

/// What a comparison saw.
#[derive(Default, Debug)]
struct Tally {
    compared: u64,
    violated: u64,
    /// Models of which states were left out.
    smaller: u64,
    all: u64,
    visited: u64,
}

impl Tally {
    fn add(&mut self, whole: &Outcome, reduced: &Outcome) {
        let states = |outcome: &Outcome| outcome.stats.as_ref().map_or(0, |stats| stats.states);
        self.compared += 1;
        self.violated += u64::from(whole.verdict == Verdict::Violated);
        self.smaller += u64::from(states(reduced) < states(whole));
        self.all += states(whole);
        self.visited += states(reduced);
    }
}

/// Verdicts agree, unless one of them did not come to an end.
fn agree(seed: u64, whole: &Outcome, reduced: &Outcome, text: &str) -> bool {
    let open = |outcome: &Outcome| matches!(outcome.verdict, Verdict::Inconclusive(_));
    if open(whole) || open(reduced) {
        let limit = |outcome: &Outcome| {
            matches!(outcome.verdict, Verdict::Inconclusive(Reason::States | Reason::Crash(_) | Reason::StoppedEarly))
        };
        assert!(limit(whole) || limit(reduced), "seed {seed}: {:?}, {:?}\n{text}", whole.verdict, reduced.verdict);
        return false;
    }
    // Whether a formula holds vacuously is another search, with the same limit.
    let unexamined = |outcome: &Outcome| outcome.details.advice.iter().any(|note| note.contains("was not examined"));
    if unexamined(whole) || unexamined(reduced) {
        return false;
    }
    assert_eq!(whole.verdict, reduced.verdict, "seed {seed}: {}\n{text}", whole.property);
    assert_eq!(whole.details.unreached, reduced.details.unreached, "seed {seed}: {}\n{text}", whole.property);
    true
}

fn seeds(otherwise: u64) -> u64 {
    testing::seeds(otherwise)
}

#[test]
fn formulas_hold_with_reduction_where_they_hold_without() {
    let mut tally = Tally::default();
    for seed in 0..seeds(400) {
        let Some((network, sources, text)) = read(seed) else { continue };
        let reading = if seed % 3 == 0 { Reading::Unbounded } else { Reading::Declared };
        let semantics = Semantics::new(&network, reading);
        let limits = Budget::unlimited().states(MOST_STATES);
        let ask = |reduction: Mode| {
            let (semantics, sources, cx) = (&semantics, &sources, Context::silent(&limits));
            let setting =
                Setting { semantics, sources, fair: Fairness::None, options: &Options::reducing(reduction), cx };
            setting.formula(&network.formulas[0].property(), &network.formulas[0].formula)
        };
        let (whole, reduced) = (ask(Mode::Off), ask(Mode::On));
        if agree(seed, &whole, &reduced, &text) {
            tally.add(&whole, &reduced);
        }
    }
    println!("{tally:?}");
    assert!(tally.compared * 2 > seeds(400), "{tally:?}");
    assert!(tally.smaller * 8 > tally.compared && tally.violated > 0, "{tally:?}");
}

#[test]
fn errors_and_deadlocks_are_found_with_reduction_where_they_are_without() {
    let mut tally = Tally::default();
    for seed in 0..seeds(400) {
        let Some((network, sources, text)) = read(seed) else { continue };
        let reading = if seed % 3 == 0 { Reading::Unbounded } else { Reading::Declared };
        let semantics = Semantics::new(&network, reading);
        let order = if seed % 2 == 0 { Order::Breadth } else { Order::Depth };
        let limits = Budget::unlimited().states(MOST_STATES);
        let ask = |property: &Property, reduction: Mode| {
            let properties = vec![property.clone()];
            let options = Options { order, properties, reduction, ..Options::default() };
            explore::check(&semantics, &sources, &options, &Context::silent(&limits)).remove(0)
        };
        for property in [Property::Safety, Property::Deadlock] {
            let (whole, reduced) = (ask(&property, Mode::Off), ask(&property, Mode::On));
            if agree(seed, &whole, &reduced, &text) {
                tally.add(&whole, &reduced);
            }
        }
    }
    println!("{tally:?}");
    assert!(tally.compared > seeds(400), "{tally:?}");
    assert!(tally.smaller * 8 > tally.compared && tally.violated > 0, "{tally:?}");
}

#[test]
fn cycles_are_found_with_reduction_where_they_are_without() {
    let mut tally = Tally::default();
    for seed in 0..seeds(200) {
        let Some((network, sources, text)) = read(seed + 50_000) else { continue };
        let reading = [Reading::Unbounded, Reading::Declared, Reading::Drop][seed as usize % 3];
        let semantics = Semantics::new(&network, reading);
        let limits = Budget::unlimited().states(MOST_STATES);
        let ask = |reduction: Mode| {
            let (semantics, sources, cx) = (&semantics, &sources, Context::silent(&limits));
            let setting =
                Setting { semantics, sources, fair: Fairness::None, options: &Options::reducing(reduction), cx };
            [setting.livelock(&ProgressOf::Labels), setting.acceptance()]
        };
        for (whole, reduced) in ask(Mode::Off).iter().zip(&ask(Mode::On)) {
            if agree(seed, whole, reduced, &text) {
                tally.add(whole, reduced);
            }
        }
    }
    println!("{tally:?}");
    assert!(tally.compared * 2 > seeds(200), "{tally:?}");
    assert!(tally.smaller * 8 > tally.compared && tally.violated > 0, "{tally:?}");
}

#[test]
fn a_reduced_search_visits_the_same_states_in_any_order() {
    let mut left_out = 0;
    for seed in 0..seeds(100) {
        let Some((network, _, text)) = read(seed + 90_000) else { continue };
        let semantics = Semantics::new(&network, Reading::Declared);
        let Some(trimmed) = explore::reduction::trimmed(&semantics, &[], Labels::None) else { continue };
        let limits = Budget::unlimited().states(MOST_STATES);
        let found = |options: &Options| {
            let found = explore::search::search(&trimmed, options, &Context::silent(&limits));
            found.stopped.is_none().then_some((found.stats.states, found.digest))
        };
        let properties = vec![Property::Safety, Property::Deadlock];
        let options = Options { keep_going: true, reduction: Mode::On, properties, ..Options::default() };
        let threads = Options { jobs: 2, alone: 8, ..options.clone() };
        let packed = Options { packing: Packing::Always, ..options.clone() };
        let depth = Options { order: Order::Depth, ..options.clone() };
        let Some(breadth) = found(&options) else { continue };
        for other in [threads, packed, depth] {
            assert_eq!(Some(breadth), found(&other), "seed {seed}: {other:?}\n{text}");
        }
        left_out += 1;
    }
    assert!(left_out * 3 > seeds(100), "{left_out}");
}

//! Random small models that run forever, and formulas and `never` claims about them.
//!
//! The models of `testing::models::ends` come to their ends; here, most processes go round and round over a few bits, a counter
//! modulo 3, a short queue and a rendezvous. Formulas speak of all of these, of labels, and of messages. The same seed gives
//! the same model, formula and claim on every machine.

#![allow(dead_code)]

use std::fmt::Write;

use testing::Random;
use testing::models::ends;

/// What may occur.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Events and `X` in formulas, and other things that SPIN has not, or has otherwise.
    pub own: bool,
}

/// A model that runs forever, or one of those that end.
pub fn model(seed: u64, style: Style) -> String {
    if style.own && seed % 8 == 7 {
        return ends::model(seed);
    }
    Maker { random: Random::new(seed), style, labels: 0, goal: 0, inside: false, in_loop: false }.model()
}

/// A formula about the model of a seed.
pub fn formula(seed: u64, style: Style) -> String {
    let mut asker = Asker { random: Random::new(seed ^ 0x5eed_0001), style, ends: style.own && seed % 8 == 7 };
    // SPIN translates large formulas for hours.
    let depth = 1 + asker.random.below(if style.own { 4 } else { 2 }) as u32;
    asker.formula(depth)
}

/// A formula that assumes something of what occurs again and again.
pub fn assuming(seed: u64, style: Style) -> String {
    let mut asker = Asker { random: Random::new(seed ^ 0x5eed_0003), style, ends: style.own && seed % 8 == 7 };
    let assumed: Vec<String> = (0..1 + asker.random.below(3)).map(|_| asker.assumption()).collect();
    let (assumed, depth) = (assumed.join(" && "), 1 + asker.random.below(2) as u32);
    let formula = asker.formula(depth);
    match asker.random.below(4) {
        0 => format!("({formula} || !({assumed}))"),
        1 => format!("(!{formula} -> !({assumed}))"),
        _ => format!("(({assumed}) -> {formula})"),
    }
}

/// A `never` claim about the model of a seed.
pub fn never(seed: u64, style: Style) -> String {
    let mut asker = Asker { random: Random::new(seed ^ 0x5eed_0002), style, ends: style.own && seed % 8 == 7 };
    asker.never()
}

// --- models -------------------------------------------------------------------------------------------

struct Maker {
    random: Random,
    style: Style,
    /// Labels of the process so far.
    labels: u32,
    /// Jumps of the process that lead forward, to a label that is still to come.
    goal: u32,
    /// Inside of an atomic sequence.
    inside: bool,
    in_loop: bool,
}

impl Maker {
    fn model(&mut self) -> String {
        let mut text = String::from("mtype = { red, green };\nbit a, b; byte x, y;\n");
        let capacity = 1 + self.random.below(2);
        let _ = writeln!(text, "chan q = [{capacity}] of {{ mtype, bit }};\nchan r = [0] of {{ bit }};");
        // For SPIN, `_nr_pr` counts the claim, too.
        let child = self.random.one_in(6) && self.style.own;
        if child {
            let _ = writeln!(text, "proctype Child() {{ bit l; {}; {} }}", self.simple(), self.simple());
        }
        for index in 0..2 + self.random.below(2) {
            self.labels = 0;
            let provided =
                if self.random.one_in(16) { format!(" provided ({})", self.shared()) } else { String::new() };
            let body = self.body(child && index == 0);
            let _ = writeln!(text, "active proctype P{index}(){provided} {{\n  bit l;\n{body}}}");
        }
        text
    }

    fn body(&mut self, starts: bool) -> String {
        let mut text = String::from("L0:\n");
        if starts {
            text += "  if :: _nr_pr < 4 -> run Child() :: else fi;\n";
        }
        text += &self.sequence(2);
        match self.random.below(5) {
            0 => text + "L1: skip\n",
            1 => {
                let label = self.random.pick(&["L1", "accept_1", "progress_1", "end_1"]);
                let other = if label == "L1" { "" } else { "L1: skip;\n" };
                let inner = self.sequence(1);
                format!("{text}{other}{label}:\n{inner}  goto L0\n")
            }
            _ => {
                let looped = self.choice(2, "do", "od");
                format!("{text}L1:\n  {looped};\n  {}goto L0\n", if self.random.one_in(2) { "accept_2: " } else { "" })
            }
        }
    }

    fn sequence(&mut self, depth: u32) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.random.below(2) {
            let _ = writeln!(text, "  {};", self.statement(depth));
        }
        text
    }

    fn statement(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.one_in(3) {
            return self.simple();
        }
        match self.random.below(9) {
            0..=2 => self.choice(depth, "if", "fi"),
            3 if !self.inside => self.choice(depth, "do", "od"),
            4 | 5 if !self.inside => {
                self.inside = true;
                let body = self.sequence(depth - 1);
                self.inside = false;
                format!("atomic {{\n{body}  }}")
            }
            6 => format!("d_step {{ {}; {}; {} }}", self.shared(), self.assignment(), self.assignment()),
            7 if self.style.own && self.random.one_in(3) => {
                format!("{{\n{}  }} unless {{ {} -> {} }}", self.sequence(depth - 1), self.condition(), self.simple())
            }
            8 if !self.inside => format!("if :: {} -> goto L0 :: {} fi", self.condition(), self.guard()),
            _ => self.simple(),
        }
    }

    fn choice(&mut self, depth: u32, open: &str, close: &str) -> String {
        let mut text = format!("{open}\n");
        let outer = std::mem::replace(&mut self.in_loop, open == "do");
        for _ in 0..1 + self.random.below(3) {
            let _ = writeln!(text, "  :: {} ->\n{}", self.guard(), self.sequence(depth - 1));
        }
        if self.random.one_in(3) {
            let _ = writeln!(text, "  :: {} -> {}", self.random.pick(&["else", "timeout"]), self.simple());
        }
        if open == "do" && self.random.one_in(3) {
            let _ = writeln!(text, "  :: {} -> break", self.guard());
        }
        self.in_loop = outer;
        text + "  " + close
    }

    fn simple(&mut self) -> String {
        match self.random.below(8) {
            0..=3 => self.assignment(),
            4 | 5 => self.io(),
            6 => self.condition(),
            _ => String::from("skip"),
        }
    }

    fn guard(&mut self) -> String {
        match self.random.below(4) {
            0 => self.io(),
            1 => self.assignment(),
            _ => self.condition(),
        }
    }

    fn assignment(&mut self) -> String {
        let all = ["a = 1", "a = 0", "b = 1 - b", "b = a", "a = l", "l = 1 - l", "l = b"];
        let more = ["x = (x + 1) % 3", "x = 0", "x = y", "y = x", "y = 1 - a"];
        if self.random.one_in(2) { self.random.pick(&all).to_owned() } else { self.random.pick(&more).to_owned() }
    }

    fn io(&mut self) -> String {
        let all = [
            "q!red,1",
            "q!green,0",
            "q!red,l",
            "q!green,b",
            "q?red,l",
            "q?_,_",
            "q?green,_",
            "q??red,_",
            "q?_,eval(l)",
            "r!1",
            "r!l",
            "r!a",
            "r?l",
            "r?1",
            "r?a",
            "r?_",
        ];
        self.random.pick(&all).to_owned()
    }

    /// A condition on shared variables.
    fn shared(&mut self) -> String {
        self.random.pick(&["a", "!a", "b", "x == 1", "x != 2", "y < 2", "x == y", "1"]).to_owned()
    }

    fn condition(&mut self) -> String {
        if self.random.one_in(4) {
            return self.random.pick(&["l", "!l", "nempty(q)", "nfull(q)", "q?[red,_]", "len(q) == 1"]).to_owned();
        }
        self.shared()
    }
}

// --- formulas and claims ------------------------------------------------------------------------------

struct Asker {
    random: Random,
    style: Style,
    /// The model is one of those that end: it has other channels.
    ends: bool,
}

impl Asker {
    fn formula(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.one_in(8) {
            return self.atom();
        }
        match self.random.below(12) {
            0 | 1 => format!("([] {})", self.formula(depth - 1)),
            2 | 3 => format!("(<> {})", self.formula(depth - 1)),
            4 => format!("(! {})", self.formula(depth - 1)),
            5 if self.style.own => format!("(X {})", self.formula(depth - 1)),
            6 => format!("([] (<> {}))", self.formula(depth - 1)),
            7 => format!("([] ({} -> {}))", self.formula(depth.saturating_sub(2)), self.formula(depth - 1)),
            _ => {
                let operators = ["&&", "||", "->", "<->", "U", "U", "V", "W"];
                let operator = self.random.pick(&operators);
                format!("({} {operator} {})", self.formula(depth - 1), self.formula(depth - 1))
            }
        }
    }

    fn assumption(&mut self) -> String {
        let (asked, given) = (self.boolean(), self.boolean());
        match self.random.below(8) {
            0 => format!("([] <> {given})"),
            1 => format!("(<> [] {asked} -> [] <> {given})"),
            2 => format!("([] <> {given} || <> [] !{asked})"),
            3 => format!("!([] <> {asked} && <> [] {given})"),
            _ => format!("([] <> {asked} -> [] <> {given})"),
        }
    }

    fn boolean(&mut self) -> String {
        match self.random.below(5) {
            0 => format!("({} && {})", self.atom(), self.atom()),
            1 => format!("({} -> {})", self.atom(), self.atom()),
            2 => format!("(!{})", self.atom()),
            _ => self.atom(),
        }
    }

    fn atom(&mut self) -> String {
        if self.style.own && self.random.one_in(3) {
            return self.event();
        }
        self.condition()
    }

    fn event(&mut self) -> String {
        let own = ["q!red", "q?red", "q?green(1)", "q!_", "q?_(0)", "r!1", "r?0", "r?_", "r!_"];
        let other = ["q!1", "q?_(red)", "q!_", "r!_", "r?1", "w[0]!_", "w[1]?0"];
        let text = self.random.pick(if self.ends { &other } else { &own }).to_owned();
        format!("({text})")
    }

    fn condition(&mut self) -> String {
        let shared = ["(x == 1)", "(x == 0)", "(y != 0)", "(x > y)", "b", "(!b)", "(nempty(q))", "(len(q) < 1)"];
        let own = ["a", "(a != b)", "(P0@L1)", "(P1@L0)", "(P1@L1)", "(P0@L0)", "(P0:l == 1)"];
        if self.style.own && self.random.one_in(12) {
            return String::from("timeout");
        }
        if self.ends || self.random.one_in(2) { self.random.pick(&shared) } else { self.random.pick(&own) }.to_owned()
    }

    fn never(&mut self) -> String {
        let states = 1 + self.random.below(4);
        let accepting: Vec<bool> = (0..states).map(|_| self.random.one_in(2)).collect();
        let name = |state: u64| format!("{}N{state}", if accepting[state as usize] { "accept_" } else { "" });
        let mut text = String::from("never {\n");
        for state in 0..states {
            let _ = writeln!(text, "{}:", name(state));
            let (open, close) = if self.random.one_in(2) { ("if", "fi") } else { ("do", "od") };
            let _ = writeln!(text, "  {open}");
            for _ in 0..1 + self.random.below(3) {
                let condition = self.random.pick(&["1", "", "", ""]);
                let condition = if condition.is_empty() { self.literal() } else { format!("({condition})") };
                let to = name(self.random.below(states));
                let option = match self.random.below(12) {
                    0 if open == "do" => format!("{condition} -> break"),
                    1 => format!("atomic {{ {condition} -> assert(!{condition}) }}"),
                    2 => format!("atomic {{ {condition} -> {} -> goto {to} }}", self.literal()),
                    3 => condition,
                    _ => format!("{condition} -> goto {to}"),
                };
                let _ = writeln!(text, "  :: {option}");
            }
            if self.random.one_in(4) {
                let _ = writeln!(text, "  :: else -> goto {}", name(self.random.below(states)));
            }
            let _ = writeln!(text, "  {close};");
        }
        // Most claims do not come to their ends.
        text += if self.random.one_in(4) { "  skip\n}\n" } else { "  (0)\n}\n" };
        text
    }

    fn literal(&mut self) -> String {
        let condition = self.condition();
        if self.random.one_in(2) { format!("(!({condition}))") } else { format!("({condition})") }
    }
}

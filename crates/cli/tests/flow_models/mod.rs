//! Random systems that may grow: the same seed gives the same model on every machine.
//!
//! Uniform noise is nearly always unbounded, and says nothing about a prover. So every model has a style that decides
//! which statements are likely: *reactive* loops that answer one message with another (token passing, credits), *counted*
//! loops whose counters are reset, wrap or are shared, *creation* of processes in loops and by themselves, with channels as
//! parameters, in messages and in variables, *atomic* sequences and deterministic steps, *progress* labels, and a soup of
//! everything. Seeds from [`LIMITED`] on give models that ask how long a queue is before they send, rightly or wrongly. Receive patterns overlap on purpose, and indices and flags are read where they may have just changed.

use std::fmt::Write;
use testing::Random;

/// What a model is mostly about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    Soup,
    Reactive,
    Counted,
    Creation,
    Atomic,
    Progress,
    Limited,
}

/// Seeds from here on are of models that ask before they send.
pub const LIMITED: u64 = 1 << 32;

const STYLES: [Style; 6] =
    [Style::Soup, Style::Reactive, Style::Counted, Style::Creation, Style::Atomic, Style::Progress];

/// The style of a seed.
pub fn style(seed: u64) -> Style {
    if seed >= LIMITED {
        return Style::Limited;
    }
    STYLES[(seed % STYLES.len() as u64) as usize]
}

/// The model of a seed.
pub fn model(seed: u64) -> String {
    let mut random = Random::new(seed);
    let style = style(seed);
    let rendezvous = random.chance(30);
    let passes = random.chance(if style == Style::Creation { 60 } else { 12 });
    Generator { random, style, rendezvous, passes, child: false, labels: 0, atomic: false, step: false, unless: false }
        .model()
}

struct Generator {
    random: Random,
    style: Style,
    /// There is a rendezvous channel.
    rendezvous: bool,
    /// Channels are passed in messages, and assigned.
    passes: bool,
    /// The process has parameters.
    child: bool,
    labels: u32,
    atomic: bool,
    step: bool,
    unless: bool,
}

impl Generator {
    fn pick(&mut self, from: &[&str]) -> String {
        from[self.random.below(from.len())].to_owned()
    }

    fn model(&mut self) -> String {
        let mut text = String::from("mtype = { red, green, blue };\nbyte g; byte n; bit f; byte a[2];\n");
        text += "chan c = [1] of { mtype };\nchan d = [2] of { byte };\nchan v[2] = [1] of { byte };\n";
        text += "chan t = [1] of { mtype, byte };\n";
        if self.rendezvous {
            text += "chan r = [0] of { byte };\n";
        }
        if self.passes {
            text += "chan k = [1] of { chan };\nchan h;\n";
        }
        let creates = self.style == Style::Creation || self.random.chance(15);
        for child in 0..if creates { 1 + self.random.below(2) } else { 0 } {
            self.child = true;
            let body = if self.random.chance(25) { self.short_life() } else { self.body() };
            let _ = write!(text, "proctype Q{child}(chan p; byte e) {{\n{body}}}\n");
        }
        self.child = false;
        for process in 0..1 + self.random.below(3) {
            let body = self.body();
            let body = if creates { body.replacen("//run", &self.run(), 1) } else { body };
            let copies = if self.random.chance(15) { "[2] " } else { "" };
            let _ = write!(text, "active {copies}proctype P{process}() {{\n{body}}}\n");
        }
        // What was to be created by a process without such a type is left out.
        text.replace("//run", "").replace("Q1(", if text.contains("proctype Q1(") { "Q1(" } else { "Q0(" })
    }

    fn body(&mut self) -> String {
        self.labels = 0;
        let mut text = format!("  byte i = {}; byte j; mtype m; bit b;\n", self.random.below(3));
        if self.passes {
            text += "  chan x;\n";
        }
        if self.has_own() {
            text += "  chan o = [1] of { byte };\n";
        }
        text += "  //run\n";
        match self.style {
            Style::Reactive if self.random.chance(85) => {
                for _ in 0..self.random.below(3) {
                    let _ = writeln!(text, "  {};", self.send());
                }
                text += &self.reactive();
            }
            Style::Counted if self.random.chance(75) => {
                for _ in 0..1 + self.random.below(2) {
                    text += &self.counted(2);
                }
            }
            Style::Limited if self.random.chance(85) => {
                for _ in 0..self.random.below(2) {
                    let _ = writeln!(text, "  {};", self.send());
                }
                text += &self.limited();
            }
            _ => text += &self.sequence(3),
        }
        text
    }

    /// A loop that asks before it sends, takes, and moves messages from one queue to another.
    fn limited(&mut self) -> String {
        let mut text = String::from("  do\n");
        for _ in 0..1 + self.random.below(4) {
            let asks = self.random.chance(60);
            let option = match self.random.below(6) {
                _ if asks => self.asked(),
                0 | 1 => format!("{} -> {}", self.receive(), self.send()),
                2 => format!("{} -> {}", self.condition(), self.assignment()),
                3 => format!("{} -> break", self.condition()),
                _ => format!("{} -> {}", self.receive(), self.assignment()),
            };
            let (open, close) = match self.random.below(8) {
                0..=2 => ("atomic { ", " }"),
                3 if asks => ("d_step { ", " }"),
                _ => ("", ""),
            };
            let _ = writeln!(text, "  :: {open}{option}{close}");
        }
        text + "  od;\n"
    }

    /// Asks for the length of a queue and sends: mostly to that queue, and mostly not too much.
    fn asked(&mut self) -> String {
        const QUEUES: [&str; 6] = ["c", "d", "d", "v[0]", "v[i % 2]", "v[j % 2]"];
        let asked = self.pick(&QUEUES);
        let to = if self.random.chance(80) { asked.clone() } else { self.pick(&QUEUES) };
        let most = self.random.below(3);
        let test = match self.random.below(12) {
            0..=3 => format!("nfull({asked})"),
            4 => format!("!full({asked})"),
            5 => format!("len({asked}) <= {most}"),
            6 => format!("{most} >= len({asked})"),
            7 => format!("empty({asked})"),
            8 => format!("(nfull({asked}) && {})", self.comparison()),
            9 => format!("(nfull({asked}) || {})", self.comparison()),
            10 => format!("len({asked}) < {}", self.pick(&["len(d)", "i", "n", "g + 1"])),
            _ => format!("!(len({asked}) > {most} || {})", self.comparison()),
        };
        let between = self.pick(&["", "", "skip; ", "i++; ", "j++; ", "n++; ", "g = 0; ", "f = 1 - f; "]);
        let message = if to == "c" { self.pick(&["red", "green", "m"]) } else { self.pick(&["0", "1", "i"]) };
        let send = format!("{to}!{message}");
        let sends = if self.random.chance(15) { format!("{send}; {send}") } else { send };
        match self.random.below(5) {
            0 => {
                // Without a statement before it, there can be no other `else` in the loop.
                let first = self.pick(&["skip; ", "skip; ", "skip; ", ""]);
                format!("{first}if :: full({asked}) -> skip :: else -> {between}{sends} fi")
            }
            _ => format!("{test} -> {between}{sends}"),
        }
    }

    /// A process that ends soon, and may leave a reference to its channel behind.
    fn short_life(&mut self) -> String {
        let mut text = String::from("  byte i; byte j; mtype m; bit b; chan x;\n");
        let own = if self.has_own() { "  chan o = [1] of { byte };\n" } else { "" };
        text += own;
        if self.passes && self.has_own() {
            text += &format!("  {};\n", self.pick(&["h = o", "k!o", "h = o; k!o"]));
        }
        for _ in 0..1 + self.random.below(2) {
            text += &format!("  {};\n", self.send());
        }
        text
    }

    /// Whether processes have a channel of their own: the same answer for all of a model.
    fn has_own(&self) -> bool {
        self.style == Style::Creation || self.passes
    }

    /// A loop that answers messages.
    fn reactive(&mut self) -> String {
        let mut text = String::from("  do\n");
        for _ in 0..1 + self.random.below(3) {
            let guard = match self.random.below(6) {
                0 => format!("{} -> {}", self.condition(), self.receive()),
                1 => self.condition(),
                _ => self.receive(),
            };
            let mut answer = String::new();
            for _ in 0..self.random.below(3) {
                let _ = write!(answer, "{}; ", self.assignment());
            }
            let sends = match self.random.below(8) {
                0 => 2,
                1 | 2 => 0,
                _ => 1,
            };
            for _ in 0..sends {
                let _ = write!(answer, "{}; ", self.send());
            }
            if self.random.chance(10) {
                answer += "break; ";
            }
            let (open, close) = if self.random.chance(25) { ("atomic { ", " }") } else { ("", "") };
            let _ = writeln!(text, "  :: {open}{guard} -> {answer}skip{close}");
        }
        text + "  od;\n"
    }

    /// A loop with a counter.
    fn counted(&mut self, depth: u32) -> String {
        let counter = self.pick(&["i", "i", "j", "n", "g", "a[0]", "e"]);
        let counter = if counter == "e" && !self.child { String::from("i") } else { counter };
        let limit = 1 + self.random.below(4);
        let reset = match self.random.below(4) {
            0 => format!("  :: {} -> {counter} = {};\n", self.guard(), self.random.below(3)),
            1 => format!("  :: {} -> {counter}--;\n", self.receive()),
            _ => String::new(),
        };
        let work = if depth > 0 && self.random.chance(20) { self.counted(depth - 1) } else { self.sequence(1) };
        let step = self.pick(&["++", "++", "--", " = _ + 1", " = _ + 2"]).replace('_', &counter);
        match self.random.below(4) {
            0 => format!("  do\n  :: {counter} > 0 -> {counter}--;\n{work}{reset}  :: else -> break\n  od;\n"),
            1 => format!(
                "  do\n  :: {counter} < {limit} ->\n{work}  {counter}{step};\n{reset}  :: else -> break\n  od;\n"
            ),
            2 => format!("  do\n  :: {counter} != {limit} -> {counter}{step};\n{work}{reset}  od;\n"),
            _ => format!(
                "  do\n  :: {counter} < {limit} -> {counter}++;\n{work}{reset}  :: {counter} >= {limit} -> break\n  od;\n"
            ),
        }
    }

    fn sequence(&mut self, depth: u32) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.random.below(3) {
            let statement = self.statement(depth);
            let labelled = self.random.chance(if self.style == Style::Progress { 25 } else { 2 });
            if labelled && !self.step && !statement.trim_start().starts_with("//") {
                self.labels += 1;
                let _ = writeln!(text, "  progress{}: {};", self.labels, statement.trim().trim_end_matches(';'));
            } else {
                let _ = writeln!(text, "  {};", statement.trim().trim_end_matches(';'));
            }
        }
        text
    }

    fn statement(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.chance(30) {
            return self.simple();
        }
        let sequences = if self.style == Style::Atomic { 5 } else { 1 };
        match self.random.below(10 + 2 * sequences) {
            0 | 1 => self.choice(depth, "if", "fi"),
            2..=5 if self.step => self.small_loop(),
            2..=4 => self.looping(depth),
            5 => self.counted(depth - 1),
            6 if !self.step => self.reactive(),
            7 if !self.step && !self.unless && !self.atomic => self.escaped(depth),
            8 if !self.step => self.jump(depth),
            9 => self.nested(depth),
            other if other % 2 == 0 && !self.step => self.enclosed(depth, "atomic"),
            _ if !self.step && !self.atomic => self.enclosed(depth, "d_step"),
            _ => self.simple(),
        }
    }

    fn choice(&mut self, depth: u32, open: &str, close: &str) -> String {
        let mut options = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            options.push(format!("  :: {} ->\n{}", self.guard(), self.sequence(depth.saturating_sub(1))));
        }
        if self.random.chance(45) {
            let option = format!("  :: else -> {};\n", self.simple());
            let place = if self.random.chance(20) { 0 } else { options.len() };
            options.insert(place, option);
        }
        format!("{open}\n{}  {close}", options.concat())
    }

    /// A choice as an option of a choice: what its `else` says depends on where it stands.
    fn nested(&mut self, depth: u32) -> String {
        let (inner, guard, other) = (self.choice(depth - 1, "if", "fi"), self.guard(), self.simple());
        if self.random.chance(50) {
            format!("if :: {inner} :: {guard} -> {other} fi")
        } else {
            format!("if :: {guard} -> {other} :: {inner} fi")
        }
    }

    fn looping(&mut self, depth: u32) -> String {
        let inner = self.choice(depth, "do", "od");
        if self.random.chance(50) {
            inner.replacen("do\n", &format!("do\n  :: {} -> break;\n", self.guard()), 1)
        } else {
            inner
        }
    }

    /// A loop that ends, for deterministic steps: one that does not would be a fault after a million statements.
    fn small_loop(&mut self) -> String {
        format!("do :: j < {} -> j++; {} :: else -> break od; j = 0", 1 + self.random.below(3), self.send())
    }

    fn enclosed(&mut self, depth: u32, keyword: &str) -> String {
        let before = (self.atomic, self.step);
        if keyword == "atomic" {
            self.atomic = true
        } else {
            self.step = true
        }
        let mut body = String::new();
        if self.step && self.rendezvous && self.random.chance(50) {
            // It may be handed a message, whatever stands before.
            let (condition, pattern, answer) = (self.condition(), self.pattern(), self.send());
            let _ = writeln!(body, "  if :: {condition} -> skip :: r?{pattern} -> {answer} fi;");
        } else if self.random.chance(60) {
            let _ = writeln!(body, "  {};", self.guard());
        }
        body += &self.sequence(depth - 1);
        (self.atomic, self.step) = before;
        format!("{keyword} {{\n{body}  }}")
    }

    fn escaped(&mut self, depth: u32) -> String {
        self.unless = true;
        let main = self.sequence(depth - 1);
        self.unless = false;
        format!("{{\n{main}  }} unless {{ {}; {} }}", self.guard(), self.simple())
    }

    fn jump(&mut self, depth: u32) -> String {
        self.labels += 1;
        let label = format!("L{}", self.labels);
        let (first, guard, other) = (self.simple(), self.guard(), self.statement(depth - 1));
        let other = other.trim().trim_end_matches(';').to_owned();
        format!("{label}: {first}; if :: {guard} -> {other}; goto {label} :: {} fi", self.simple())
    }

    fn guard(&mut self) -> String {
        match self.random.below(5) {
            0 | 1 => self.condition(),
            2 => self.send(),
            _ => self.receive(),
        }
    }

    fn simple(&mut self) -> String {
        match self.random.below(14) {
            0..=2 => self.assignment(),
            3..=5 => self.send(),
            6..=8 => self.receive(),
            9 => self.condition(),
            10 => String::from("skip"),
            11 if self.passes => self.reference(),
            12 if self.style == Style::Creation && !self.step => self.run(),
            13 if self.random.chance(20) => String::from("timeout"),
            _ => self.assignment(),
        }
    }

    fn run(&mut self) -> String {
        let child = self.random.below(2);
        let channel = self.bytes();
        let argument = self.pick(&["0", "1", "2", "i", "g"]);
        let run = format!("run Q{child}({channel}, {argument})");
        match self.random.below(8) {
            0 | 1 => format!("do :: j < {} -> {run}; j++ :: else -> break od; j = 0", 1 + self.random.below(3)),
            2 => format!("atomic {{ {run}; {} }}", self.send()),
            3 => format!("do :: {run} :: {} -> break od", self.guard()),
            4 if !self.atomic => format!("atomic {{ {run}; run Q{}(d, 1) }}", self.random.below(2)),
            _ => run,
        }
    }

    /// A statement about references to channels.
    fn reference(&mut self) -> String {
        match self.random.below(6) {
            0 => format!("k!{}", self.bytes()),
            1 => String::from("k?x"),
            2 => String::from("k?h"),
            3 => format!("h = {}", self.bytes()),
            4 => format!("x = {}", self.bytes()),
            _ => String::from("x = h"),
        }
    }

    /// A channel of bytes.
    fn bytes(&mut self) -> String {
        loop {
            let name = self.pick(&[
                "d",
                "d",
                "d",
                "v[0]",
                "v[1]",
                "v[f]",
                "v[b]",
                "v[i % 2]",
                "v[_pid % 2]",
                "p",
                "p",
                "o",
                "r",
                "r",
                "x",
                "h",
            ]);
            let there = match name.as_str() {
                "p" => self.child,
                "o" => self.has_own(),
                "r" => self.rendezvous && !self.step,
                "x" | "h" => self.passes && self.random.chance(70),
                _ => true,
            };
            if there {
                return name;
            }
        }
    }

    fn send(&mut self) -> String {
        let operator = if self.random.chance(8) { "!!" } else { "!" };
        match self.random.below(4) {
            0 => format!("c{operator}{}", self.symbol()),
            1 => format!("t{operator}{},{}", self.symbol(), self.value()),
            _ => {
                let channel = self.bytes();
                let operator = if channel == "d" { operator } else { "!" };
                format!("{channel}{operator}{}", self.value())
            }
        }
    }

    fn receive(&mut self) -> String {
        let keep = self.random.chance(6);
        let operator = if self.random.chance(10) { "??" } else { "?" };
        let (channel, pattern) = match self.random.below(4) {
            0 => (String::from("c"), self.symbol_pattern()),
            1 => (String::from("t"), format!("{},{}", self.symbol_pattern(), self.pattern())),
            _ => (self.bytes(), self.pattern()),
        };
        let plain = ["r", "x", "h", "p"].contains(&channel.as_str());
        match (keep, plain) {
            (true, false) => format!("{channel}{operator}<{pattern}>"),
            (_, false) => format!("{channel}{operator}{pattern}"),
            _ => format!("{channel}?{pattern}"),
        }
    }

    fn symbol(&mut self) -> String {
        self.pick(&["red", "red", "green", "blue", "m"])
    }

    fn symbol_pattern(&mut self) -> String {
        self.pick(&["red", "red", "green", "blue", "m", "m", "_", "eval(m)"])
    }

    fn pattern(&mut self) -> String {
        self.pick(&["0", "1", "2", "i", "j", "g", "n", "_", "_", "eval(i)", "eval(g)", "a[f]", "b", "f"])
    }

    fn value(&mut self) -> String {
        self.pick(&[
            "0",
            "1",
            "1",
            "2",
            "i",
            "j",
            "g",
            "n",
            "b",
            "1 - b",
            "a[f]",
            "i + 1",
            "g - 1",
            "(f -> 1 : i)",
            "a[i % 2]",
        ])
    }

    fn place(&mut self) -> String {
        self.pick(&["i", "i", "j", "g", "g", "n", "f", "f", "b", "b", "a[0]", "a[1]", "a[f]", "a[b]"])
    }

    fn assignment(&mut self) -> String {
        let place = self.place();
        match self.random.below(6) {
            0 => format!("{place}++"),
            1 => format!("{place}--"),
            2 => format!("{place} = 0"),
            3 => format!("{place} = 1 - {place}"),
            4 => format!("m = {}", self.pick(&["red", "green", "blue"])),
            _ => format!("{place} = {}", self.expression()),
        }
    }

    fn expression(&mut self) -> String {
        match self.random.below(5) {
            0 => format!("({} && {})", self.condition(), self.comparison()),
            1 => format!("({} % 3)", self.value()),
            2 => format!("(i < 2 && a[i] == {})", self.random.below(2)),
            _ => self.value(),
        }
    }

    fn comparison(&mut self) -> String {
        let operator = self.pick(&["==", "!=", "<", ">", "<=", ">=", "=="]);
        format!("{} {operator} {}", self.place(), self.random.below(4))
    }

    fn condition(&mut self) -> String {
        match self.random.below(14) {
            0 => format!("({} || {})", self.comparison(), self.comparison()),
            1 => format!("!({} && {})", self.comparison(), self.comparison()),
            2 => {
                self.pick(&["empty(c)", "empty(d)", "nempty(d)", "nfull(c)", "full(d)", "len(d) < 2", "len(v[0]) == 0"])
            }
            3 => self.pick(&["d?[1]", "c?[red]", "d??[0]", "t?[red,1]"]),
            4 => format!("m == {}", self.pick(&["red", "green"])),
            5 => self.pick(&["f", "b", "!f", "!b", "f == b", "i == j", "_pid == 0", "_nr_pr < 4"]),
            _ => self.comparison(),
        }
    }
}

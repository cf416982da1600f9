//! Random small models: the same seed gives the same model on every machine.
//!
//! A model has a few shared variables, buffered and rendezvous channels, and two or three processes
//! whose bodies are drawn from the statements of the language. Loops are bounded by a shared counter
//! in their guards, so that most models have a few hundred to a few thousand states.

use crate::Random;
use std::fmt::Write;

/// A model for a seed.
pub fn model(seed: u64) -> String {
    let mut generator = Generator { random: Random::new(seed), labels: 0, in_atomic: false };
    generator.model()
}

struct Generator {
    random: Random,
    labels: u32,
    in_atomic: bool,
}

impl Generator {
    fn model(&mut self) -> String {
        let mut text = String::from("mtype = { red, green };\nbyte x, y; bit b; short s; byte a[2];\n");
        let capacity = 1 + self.random.below(2);
        let _ = writeln!(text, "chan q = [{capacity}] of {{ byte, mtype }};\nchan r = [0] of {{ byte }};");
        let _ = writeln!(text, "chan w[2] = [1] of {{ byte }};");
        let _ = writeln!(text, "proctype Child(byte n) {{ byte l, m; x = n; {} }}", self.statement(1));
        let processes = 2 + self.random.below(2);
        for index in 0..processes {
            self.labels = 0;
            let body = self.sequence(3);
            let _ =
                writeln!(text, "active proctype P{index}() {{\n  byte l; byte m = {};\n{body}}}", self.random.below(4));
        }
        text
    }

    fn sequence(&mut self, depth: u32) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.random.below(3) {
            let _ = writeln!(text, "  {};", self.statement(depth));
        }
        text
    }

    fn statement(&mut self, depth: u32) -> String {
        let compound = depth > 0 && self.random.below(3) > 0;
        if !compound {
            return self.simple();
        }
        match self.random.below(8) {
            0 | 1 => self.choice(depth, "if", "fi"),
            2 => self.bounded_loop(depth),
            3 if !self.in_atomic => {
                self.in_atomic = true;
                let body = self.sequence(depth - 1);
                self.in_atomic = false;
                format!("atomic {{\n{body}  }}")
            }
            4 => {
                let variable = self.variable();
                format!(
                    "d_step {{ {variable} = 1; if :: b -> x++ :: else -> y = l fi; {variable} = {} }}",
                    self.expr(1)
                )
            }
            5 => format!("{{\n{}  }} unless {{ {} -> {} }}", self.sequence(depth - 1), self.condition(), self.simple()),
            6 => format!("{{ byte t = {}; t++; {} }}", self.random.below(3), self.assignment()),
            _ => self.jump(depth),
        }
    }

    fn choice(&mut self, depth: u32, open: &str, close: &str) -> String {
        let mut text = format!("{open}\n");
        for _ in 0..1 + self.random.below(2) {
            let _ = writeln!(text, "  :: {} ->\n{}", self.guard(), self.sequence(depth - 1));
        }
        if self.random.below(2) == 0 {
            let _ = writeln!(text, "  :: else -> {}", self.simple());
        }
        text + "  " + close
    }

    fn bounded_loop(&mut self, depth: u32) -> String {
        let limit = 1 + self.random.below(3);
        let body = self.sequence(depth - 1);
        format!("do\n  :: m < {limit} -> m++;\n{body}  :: m >= {limit} -> break\n  od")
    }

    fn jump(&mut self, depth: u32) -> String {
        self.labels += 1;
        let label = format!("L{}", self.labels);
        let inner = self.simple();
        let other = self.statement(depth - 1);
        format!("if :: l < 2 -> l++; goto {label} :: {} fi; {other}; {label}: {inner}", self.guard())
    }

    fn guard(&mut self) -> String {
        if self.random.below(2) == 0 { self.condition() } else { self.io() }
    }

    fn simple(&mut self) -> String {
        match self.random.below(9) {
            0..=2 => self.assignment(),
            3 | 4 => self.io(),
            5 => self.condition(),
            6 => String::from("skip"),
            7 if !self.in_atomic => format!("if :: _nr_pr < 5 -> run Child({}) :: else fi", self.random.below(3)),
            7 => String::from("y++"),
            _ => format!("assert({} || {})", self.condition(), self.condition()),
        }
    }

    fn assignment(&mut self) -> String {
        let variable = self.variable();
        let value = self.expr(2);
        format!("{variable} = {value}")
    }

    fn variable(&mut self) -> String {
        self.random.pick(&["x", "y", "b", "s", "l", "a[0]", "a[1]", "a[b]"]).to_owned()
    }

    fn io(&mut self) -> String {
        match self.random.below(10) {
            0 | 1 => format!("q!{},{}", self.expr(1), self.random.pick(&["red", "green"])),
            2 => format!("q!!{},{}", self.random.below(3), self.random.pick(&["red", "green"])),
            3 => format!(
                "q?{},{}",
                self.random.pick(&["x", "l", "_", "eval(y)", "1"]),
                self.random.pick(&["_", "red", "green"])
            ),
            4 => format!("q??{},green", self.random.pick(&["l", "1", "_"])),
            5 => format!("r!{}", self.expr(1)),
            6 => format!("r?{}", self.random.pick(&["x", "l", "2", "eval(l)"])),
            7 => format!("w[{}]!{}", self.random.pick(&["0", "b"]), self.expr(1)),
            8 => format!("w[{}]?{}", self.random.pick(&["0", "b"]), self.random.pick(&["y", "a[1]", "0"])),
            _ => format!("q?<{},_>", self.random.pick(&["l", "x"])),
        }
    }

    fn condition(&mut self) -> String {
        match self.random.below(8) {
            0 => format!("x > {}", self.random.below(3)),
            1 => String::from("b"),
            2 => format!("y == {}", self.random.below(3)),
            3 => String::from("nempty(q)"),
            4 => String::from("len(w[0]) == 0"),
            5 => format!("q?[_,{}]", self.random.pick(&["red", "green"])),
            6 => String::from("timeout"),
            _ => format!("l < {}", 1 + self.random.below(3)),
        }
    }

    fn expr(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.below(2) == 0 {
            return self.random.pick(&["0", "1", "2", "x", "y", "l", "b", "a[0]", "_pid"]).to_owned();
        }
        let operator = self.random.pick(&["+", "-", "*", "&", "|", "^", "<", "=="]);
        format!("({} {operator} {}) % 3", self.expr(depth - 1), self.expr(depth - 1))
    }
}

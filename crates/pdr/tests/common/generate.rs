//! Small random C programs: loops with few rounds, inputs with few values, all widths and signs.

use std::fmt::Write;
use testing::Random;

/// Inputs are below this.
pub const DOMAIN: u64 = 4;

/// The text of a program.
pub fn program(seed: u64) -> String {
    let mut writer = Writer { numbers: Random::new(seed), text: String::new(), loops: 0, inputs: 0 };
    writer.text.push_str("int a[3];\nint main(void) {\n");
    for name in VARIABLES {
        let kind = writer.numbers.pick(&["unsigned char", "signed char", "unsigned short", "short", "int", "unsigned"]);
        let value = writer.numbers.below(5);
        let _ = writeln!(writer.text, "  {kind} {name} = {value};");
    }
    for number in 0..4 {
        let _ = writeln!(writer.text, "  unsigned char i{number};");
    }
    let count = 2 + writer.numbers.below(3);
    writer.statements(count, 0);
    writer.assertion(1);
    writer.text.push_str("  return 0;\n}\n");
    writer.text
}

const VARIABLES: [&str; 3] = ["x", "y", "z"];

struct Writer {
    numbers: Random,
    text: String,
    loops: u64,
    inputs: u64,
}

impl Writer {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "  ".repeat(depth + 1));
    }

    fn statements(&mut self, count: u64, depth: usize) {
        for _ in 0..count {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.numbers.below(if depth < 3 { 12 } else { 6 }) {
            0..=2 => self.assignment(depth),
            3 if self.inputs < 4 => self.input(depth),
            4 => {
                let (name, value) = (self.numbers.pick(&VARIABLES), self.atom());
                self.line(depth, &format!("a[{name} & 1] = {value};"));
            }
            3 | 5 => self.assertion(depth),
            6..=8 => self.branch(depth),
            9 | 10 if self.loops < 4 => self.counted(depth),
            11 if self.loops < 4 => self.conditional(depth),
            _ => self.assignment(depth),
        }
    }

    fn assignment(&mut self, depth: usize) {
        let (name, value) = (self.numbers.pick(&VARIABLES), self.expression(2));
        let operator = self.numbers.pick(&["=", "=", "=", "+=", "-=", "^="]);
        self.line(depth, &format!("{name} {operator} {value};"));
    }

    fn input(&mut self, depth: usize) {
        self.inputs += 1;
        let name = self.numbers.pick(&VARIABLES);
        self.line(depth, &format!("{name} = __VERIFIER_nondet_uchar() & {};", DOMAIN - 1));
    }

    fn assertion(&mut self, depth: usize) {
        let condition = self.condition();
        // Most would fail at once: a second chance makes more programs safe.
        let other = self.condition();
        self.line(depth, &format!("check({condition} || {other});"));
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.condition();
        self.line(depth, &format!("if ({condition}) {{"));
        self.statements(1, depth + 1);
        if self.numbers.below(2) == 0 {
            self.line(depth, "} else {");
            self.statements(1, depth + 1);
        }
        self.line(depth, "}");
    }

    fn counted(&mut self, depth: usize) {
        let (name, end) = (format!("i{}", self.loops), 1 + self.numbers.below(5));
        self.loops += 1;
        self.line(depth, &format!("for ({name} = 0; {name} < {end}; {name}++) {{"));
        let count = 1 + self.numbers.below(2);
        self.statements(count, depth + 1);
        if self.numbers.below(4) == 0 {
            let condition = self.condition();
            let jump = self.numbers.pick(&["break", "continue"]);
            self.line(depth + 1, &format!("if ({condition}) {jump};"));
        }
        self.line(depth, "}");
    }

    /// A loop that a condition may end early, and a counter ends in any case.
    fn conditional(&mut self, depth: usize) {
        let name = format!("i{}", self.loops);
        self.loops += 1;
        let condition = self.condition();
        self.line(depth, &format!("{name} = 0;"));
        self.line(depth, &format!("while ({condition} && {name}++ < 6) {{"));
        self.statements(1, depth + 1);
        self.line(depth, "}");
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.expression(1), self.atom());
        let operator = self.numbers.pick(&["==", "!=", "<", "<=", ">", ">="]);
        match self.numbers.below(5) {
            0 => {
                let (c, d) = (self.atom(), self.atom());
                format!("({a} {operator} {b} && {c} != {d})")
            }
            1 => format!("!({a} {operator} {b})"),
            _ => format!("({a} {operator} {b})"),
        }
    }

    fn expression(&mut self, depth: u64) -> String {
        if depth == 0 || self.numbers.below(3) == 0 {
            return self.atom();
        }
        let (a, b) = (self.expression(depth - 1), self.atom());
        match self.numbers.below(12) {
            0..=3 => format!("({a} + {b})"),
            4 | 5 => format!("({a} - {b})"),
            6 => format!("({a} * {b})"),
            7 => format!("({a} & {b})"),
            8 => format!("({a} ^ {b})"),
            9 => format!("({a} {} {b})", self.numbers.pick(&["/", "%", "<<", ">>"])),
            10 => format!("(unsigned char)({a} + {b})"),
            _ => format!("({a} < {b} ? {b} : {a})"),
        }
    }

    fn atom(&mut self) -> String {
        match self.numbers.below(8) {
            0..=4 => self.numbers.pick(&VARIABLES).to_owned(),
            5 => format!("a[{}]", self.numbers.pick(&["0", "1", "x & 1", "y % 3"])),
            _ => self.numbers.below(7).to_string(),
        }
    }
}

//! Random C programs whose runs are defined: arithmetic of all widths, conversions, arrays, structs, pointers, loops,
//! jumps and calls. Indices and shifts are kept in range, divisors are not.

use super::Random;
use std::fmt::Write;

const TYPES: [&str; 11] = [
    "signed char",
    "unsigned char",
    "char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "_Bool",
];
const NONDET: [&str; 9] = ["int", "uint", "char", "uchar", "short", "ushort", "long", "ulong", "bool"];

/// One procedure `test_N` with its globals and helpers.
pub struct Generator<'r> {
    random: &'r mut Random,
    number: usize,
    /// Scalars that can be read and written.
    scalars: Vec<String>,
    /// Arrays with their lengths.
    arrays: Vec<(String, usize)>,
    /// Pointers to `int` that always point to one.
    pointers: Vec<String>,
    /// What has type `int` and an address.
    targets: Vec<String>,
    /// Variables of `struct S_N`.
    structs: Vec<String>,
    helpers: usize,
    loops: usize,
    labels: usize,
    text: String,
    depth: usize,
}

/// The text of a test.
pub fn generate(random: &mut Random, number: usize) -> String {
    let mut generator = Generator {
        random,
        number,
        scalars: Vec::new(),
        arrays: Vec::new(),
        pointers: Vec::new(),
        targets: Vec::new(),
        structs: Vec::new(),
        helpers: 0,
        loops: 0,
        labels: 0,
        text: String::new(),
        depth: 1,
    };
    generator.unit();
    generator.text
}

impl Generator<'_> {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "  ".repeat(self.depth));
    }

    fn unit(&mut self) {
        let n = self.number;
        self.depth = 0;
        let (a, b) = (self.random.pick(&TYPES), self.random.pick(&TYPES));
        self.line(&format!("struct S_{n} {{ {a} f; int g; {b} h[3]; struct {{ short k; int m; }} in; }};"));
        let value = self.random.below(9) as i64 - 4;
        self.line(&format!("enum E_{n} {{ A_{n}, B_{n} = {value}, C_{n} }};"));
        for global in 0..2 {
            let ty = self.random.pick(&TYPES);
            let value = self.literal();
            self.line(&format!("{ty} g{n}_{global} = {value};"));
            self.scalars.push(format!("g{n}_{global}"));
        }
        let value = self.random.below(100);
        self.line(&format!("static int ga{n}[4] = {{1, [2] = {value}}};"));
        self.arrays.push((format!("ga{n}"), 4));
        self.targets.push(format!("ga{n}[2]"));
        self.line(&format!("static short gl{n}[270];"));
        let globals = self.scalars.clone();
        self.helpers(n);
        self.scalars = globals;
        self.line(&format!("long long test_{n}(void) {{"));
        self.depth = 1;
        self.locals(n);
        for _ in 0..4 + self.random.below(6) {
            self.statement(2);
        }
        self.checksum();
        self.line("return (long long)sum;");
        self.depth = 0;
        self.line("}");
    }

    fn helpers(&mut self, n: usize) {
        let globals = self.scalars.clone();
        for helper in 0..2 {
            let (result, a, b) = (self.random.pick(&TYPES), self.random.pick(&TYPES), self.random.pick(&TYPES));
            self.depth = 0;
            self.line(&format!("static {result} h{n}_{helper}({a} p, {b} q) {{"));
            self.depth = 1;
            self.scalars = globals.clone();
            self.scalars.extend(["p", "q"].map(String::from));
            let condition = self.expression(2);
            let value = self.expression(2);
            self.line(&format!("if ({condition}) return {value};"));
            let value = self.expression(3);
            self.line(&format!("p += 3; return {value};"));
            self.depth = 0;
            self.line("}");
            self.helpers += 1;
        }
        self.line(&format!("static void set{n}(int *t, int v) {{ static int count = 3; count++; if (v & 1) *t = v; else *t += v + count; }}"));
        self.line(&format!("static struct S_{n} make{n}(struct S_{n} s, int v) {{ s.g = v; s.h[1] = v; return s; }}"));
        let (add, factor) = (self.literal(), self.random.below(9));
        self.line(&format!("static int fa{n}(int x) {{ return x + {add}; }}"));
        self.line(&format!("static int fb{n}(int x) {{ return x * {factor}; }}"));
        self.line(&format!("static int (*const table{n}[3])(int) = {{fb{n}, fa{n}, &fb{n}}};"));
        self.line(&format!(
            "static int total{n}(int *p, int count) {{ int t = 0; while (count-- > 0) t += *p++; return t; }}"
        ));
    }

    fn locals(&mut self, n: usize) {
        for local in 0..3 + self.random.below(3) {
            let ty = self.random.pick(&TYPES);
            let kind = self.random.pick(&NONDET);
            self.line(&format!("{ty} v{local} = __VERIFIER_nondet_{kind}();"));
            self.scalars.push(format!("v{local}"));
        }
        self.line("int i0 = __VERIFIER_nondet_int(), i1 = 5;");
        self.scalars.extend(["i0", "i1"].map(String::from));
        self.targets.extend(["i0", "i1"].map(String::from));
        let ty = self.random.pick(&TYPES);
        let first = self.literal();
        self.line(&format!("{ty} a0[3] = {{{first}, 2}}; int a1[2][2] = {{{{1, 2}}, 3}};"));
        self.arrays.push((String::from("a0"), 3));
        self.scalars.extend(["a0[1]", "a1[1][0]"].map(String::from));
        self.targets.push(String::from("a1[0][1]"));
        let value = self.expression(1);
        self.line(&format!("struct S_{n} s0 = {{{value}, 7, {{1, 2}}, .in = {{3}}}}, s1 = {{0}};"));
        for one in ["s0", "s1"] {
            self.scalars.extend(["f", "g", "h[2]", "in.k", "in.m"].map(|field| format!("{one}.{field}")));
            self.targets.push(format!("{one}.in.m"));
            self.arrays.push((format!("{one}.h"), 3));
            self.structs.push(String::from(one));
        }
        self.line("int *p0 = &i0, *p1 = &a1[1][1];");
        self.line(&format!("struct S_{n} *sp = &s0; int *pa = ga{n}; int (*fp)(int) = fa{n};"));
        self.pointers.extend(["p0", "p1"].map(String::from));
        self.scalars.extend(["(*p0)", "sp->g", "sp->in.k"].map(String::from));
        self.line("unsigned long long sum = 0;");
    }

    fn literal(&mut self) -> String {
        let n = self.random.below(10);
        match n {
            0 => String::from("2147483647"),
            1 => String::from("0x80000000"),
            2 => format!("{}L", self.random.below(1000)),
            3 => format!("{}u", self.random.below(300)),
            4 => format!("'{}'", (b'a' + self.random.below(26) as u8) as char),
            5 => format!("0x{:x}ULL", self.random.bits() >> self.random.below(60)),
            6 => String::from("(-2147483647 - 1)"),
            7 => format!("(-{})", self.random.below(200)),
            _ => format!("{}", self.random.below(12)),
        }
    }

    fn scalar(&mut self) -> String {
        let chosen = self.random.below(self.scalars.len());
        self.scalars[chosen].clone()
    }

    /// Something that can be assigned.
    fn place(&mut self) -> String {
        if self.random.chance(25) && !self.arrays.is_empty() {
            let chosen = self.random.below(self.arrays.len());
            let (array, length) = self.arrays[chosen].clone();
            let index = self.expression(1);
            let narrow = self.random.pick(&["", "(unsigned char)", "(signed char)", "(short)", "(long long)"]);
            return match self.random.below(8) {
                0 => format!("{array}[(_Bool)({index})]"),
                1 if !self.structs.is_empty() => format!("gl{}[(unsigned char)({index})]", self.number),
                2 => format!("{array}[(unsigned){array}[(unsigned)({index}) % {length}] % {length}]"),
                _ => format!("{array}[{narrow}((unsigned)({index}) % {length})]"),
            };
        }
        self.scalar()
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(15) {
            return if self.random.chance(35) { self.literal() } else { self.scalar() };
        }
        let d = depth - 1;
        match self.random.below(20) {
            0 => format!("({})({})", self.random.pick(&TYPES), self.expression(d)),
            1 => format!("{}({})", self.random.pick(&["-", "~", "!", "+"]), self.expression(d)),
            2 => format!("({} ? {} : {})", self.expression(d), self.expression(d), self.expression(d)),
            3 => format!("({} {} {})", self.expression(d), self.random.pick(&["&&", "||"]), self.expression(d)),
            4 => {
                format!("(({}) {} (({}) & 7))", self.expression(d), self.random.pick(&["<<", ">>"]), self.expression(d))
            }
            5 if self.helpers > 0 => {
                // No operand beside the call can be changed by it: a helper changes only what it owns.
                let helper = self.random.below(self.helpers);
                let (number, first, second) = (self.number, self.scalar(), self.literal());
                format!("h{number}_{helper}({first}, {second})")
            }
            6 => format!("({} {} {})", self.expression(d), self.random.pick(&["/", "%"]), self.expression(d)),
            7 => format!("({} {} ({} | 1))", self.expression(d), self.random.pick(&["/", "%"]), self.expression(d)),
            8 => format!("((int)sizeof({}) - {})", self.scalar(), self.expression(d)),
            9 if !self.structs.is_empty() && self.random.chance(40) => {
                let (number, argument) = (self.number, self.scalar());
                let index = self.expression(d);
                match self.random.below(3) {
                    0 => format!("fp({argument})"),
                    1 => format!("table{number}[(unsigned)({index}) % 3]({argument})"),
                    _ => format!("make{number}(*sp, {argument}).h[(unsigned)({index}) % 3]"),
                }
            }
            9 if !self.arrays.is_empty() => self.place(),
            10..=13 => {
                let operator = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({} {operator} {})", self.expression(d), self.expression(d))
            }
            _ => {
                let operator = self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {operator} {})", self.expression(d), self.expression(d))
            }
        }
    }

    fn statement(&mut self, nesting: usize) {
        let n = self.number;
        match self.random.below(if nesting > 0 { 18 } else { 10 }) {
            0 => {
                let (place, operator, value) =
                    (self.place(), self.random.pick(&["+=", "-=", "*=", "&=", "|=", "^="]), self.expression(2));
                self.line(&format!("{place} {operator} {value};"));
            }
            1 => {
                let (place, operator) = (self.place(), self.random.pick(&["++", "--"]));
                let (to, value) = (self.scalar(), self.expression(1));
                let which = self.random.below(4);
                self.line(&match which {
                    0 => format!("sum = {operator}{place}; {to} = sum;"),
                    1 => format!("sum = {place}{operator}; {to} = sum;"),
                    2 => format!("sum = ({place} = {value}); {to} = sum;"),
                    _ => format!("{place}{operator};"),
                });
                if !self.structs.is_empty() {
                    let condition = self.expression(1);
                    self.line(&format!("if ({condition}) fp = ({to}) ? fa{n} : fb{n};"));
                }
            }
            2 => {
                let (to, from) = (self.scalar(), self.random.pick(&["i0++", "--i1", "i1--", "++i0"]));
                self.line(&format!("sum = {from}; {to} = sum;"));
            }
            3 if !self.pointers.is_empty() => {
                let pointer = self.random.below(self.pointers.len());
                let target = self.random.below(self.targets.len());
                let (pointer, target) = (self.pointers[pointer].clone(), self.targets[target].clone());
                let condition = self.expression(1);
                self.line(&format!("if ({condition}) {pointer} = &{target};"));
                let value = self.random.below(64);
                self.line(&format!("*{pointer} ^= {value};"));
            }
            4 if !self.structs.is_empty() => {
                let which = self.random.below(4);
                let value = self.expression(1);
                self.line(&match which {
                    0 => String::from("s1 = s0;"),
                    1 => format!("sp = ({value}) ? &s0 : &s1;"),
                    2 => format!("s0 = make{n}(*sp, {value});"),
                    _ => format!("s1 = make{n}(s0, {value});"),
                });
            }
            5 => {
                let target = self.random.below(self.targets.len());
                let target = self.targets[target].clone();
                let value = self.expression(1);
                self.line(&format!("set{n}(&{target}, {value});"));
            }
            6 => {
                let condition = self.expression(2);
                let value = self.random.below(4);
                self.line(&format!("if (({condition}) == {value}) reach_error();"));
            }
            7 => {
                let index = self.expression(1);
                let to = self.scalar();
                self.line(&format!("pa = &ga{n}[({index}) & 1] + 1; *(pa + 1) += 1; i1 = pa - ga{n};"));
                self.line(&format!("i1 += total{n}(pa, 2) + (pa >= ga{n} + 1) + pa[-1]; {to} = i1;"));
            }
            8 | 9 => {
                let (place, value) = (self.place(), self.expression(3));
                self.line(&format!("{place} = {value};"));
            }
            10 | 11 => {
                let condition = self.expression(2);
                self.line(&format!("if ({condition}) {{"));
                self.nested(nesting);
                if self.random.chance(50) {
                    self.line("} else {");
                    self.nested(nesting);
                }
                self.line("}");
            }
            12 | 13 => self.looped(nesting),
            14 | 15 => {
                let value = self.expression(2);
                self.line(&format!("switch ({value}) {{"));
                for case in [format!("case {}:", self.random.below(3)), format!("case -{}:", 1 + self.random.below(3))]
                {
                    self.line(&case);
                    self.nested(nesting);
                    if self.random.chance(60) {
                        self.line("break;");
                    }
                }
                self.line(&format!("case C_{n} + 40: case 'x' ... 'z': default:"));
                self.nested(nesting);
                self.line("}");
            }
            16 => {
                let label = self.labels;
                self.labels += 1;
                let condition = self.expression(2);
                self.line(&format!("if ({condition}) goto L{label};"));
                self.nested(nesting);
                self.line(&format!("L{label}:;"));
            }
            _ => {
                let (to, from) = (self.scalar(), self.expression(1));
                let then = self.expression(2);
                self.line(&format!("sum = (i1 = {from}, {then}); {to} = sum;"));
            }
        }
    }

    fn looped(&mut self, nesting: usize) {
        let counter = self.loops;
        self.loops += 1;
        let bound = 1 + self.random.below(4);
        match self.random.below(3) {
            0 => self.line(&format!("for (int c{counter} = 0; c{counter} < {bound}; c{counter}++) {{")),
            1 => self.line(&format!("{{ unsigned char c{counter} = {bound}; while (c{counter}--) {{")),
            _ => self.line(&format!("{{ long c{counter} = {bound}; do {{")),
        }
        let shape = self.text.trim_end().ends_with("do {");
        let braces = self.text.lines().last().is_some_and(|line| line.trim_start().starts_with('{'));
        if self.random.chance(40) {
            let condition = self.expression(1);
            let word = self.random.pick(&["break", "continue"]);
            self.line(&format!("if ({condition}) {word};"));
        }
        self.nested(nesting);
        match (shape, braces) {
            (true, _) => self.line(&format!("}} while (--c{counter} > 0); }}")),
            (false, true) => self.line("} }"),
            (false, false) => self.line("}"),
        }
    }

    fn nested(&mut self, nesting: usize) {
        self.depth += 1;
        for _ in 0..1 + self.random.below(2) {
            self.statement(nesting - 1);
        }
        self.depth -= 1;
    }

    fn checksum(&mut self) {
        self.line("sum = 17;");
        for scalar in self.scalars.clone() {
            self.line(&format!("sum = sum * 31 + (unsigned long long)({scalar});"));
        }
        self.arrays.push((format!("gl{}", self.number), 270));
        for (array, length) in self.arrays.clone() {
            self.line(&format!("for (int x = 0; x < {length}; x++) sum = sum * 31 + (unsigned long long){array}[x];"));
        }
        self.line("sum = sum * 31 + (p0 == p1) + 2 * (sp == &s0) + 4 * (p0 == &i0);");
    }
}

//! Random C programs over all of the language that is read: every integer type, mixed signs, conversions, arrays of
//! structs, pointers that alias, jumps, calls with effects, statics, tables, uninitialised locals.
//!
//! What a compiler may do in any order has no effects here that can be distinguished, and every loop has a counter that
//! nothing else writes. So the only way in which a compiled run may differ from the reading is one that is undefined.

use crate::Random;
use std::fmt::Write;

const TYPES: [&str; 13] = [
    "int",
    "unsigned int",
    "signed char",
    "unsigned char",
    "char",
    "short",
    "unsigned short",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "_Bool",
    "int",
];
const NONDET: [&str; 9] = ["int", "uint", "char", "uchar", "short", "ushort", "long", "ulong", "bool"];
/// What a program declares of its surroundings.
pub const DECLARATIONS: &str = "\
int __VERIFIER_nondet_int(void); unsigned int __VERIFIER_nondet_uint(void);
char __VERIFIER_nondet_char(void); unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void); unsigned short __VERIFIER_nondet_ushort(void);
long __VERIFIER_nondet_long(void); unsigned long __VERIFIER_nondet_ulong(void);
_Bool __VERIFIER_nondet_bool(void); void __VERIFIER_assume(int);
void reach_error(void);
";
/// Stands for the last assertion, which is chosen when the program has been run.
pub const LAST: &str = "@LAST@";

/// A procedure `test_N` with what it needs; the last assertion is [`LAST`].
pub fn unit(seed: u64) -> String {
    written(seed, false)
}

fn written(seed: u64, initialised: bool) -> String {
    let mut writer = Writer { numbers: Random::new(seed ^ 0x77aa), n: seed, initialised, ..Writer::default() };
    writer.unit();
    writer.text
}

/// The same with a single input of 16 bits, from which the procedure takes two or three whenever it asks for one: a compiled
/// program can be run on all inputs that there are.
pub fn narrow_unit(seed: u64) -> String {
    let mut unit = written(seed, true);
    for kind in NONDET {
        unit = unit.replace(&format!("__VERIFIER_nondet_{kind}()"), &format!("take_{seed}()"));
    }
    let (mask, width) = if seed.is_multiple_of(2) { (3, 2) } else { (7, 3) };
    let begin = format!("long long test_{seed}(void) {{");
    let with_input = format!("{begin}\n  word_{seed} = __VERIFIER_nondet_ushort();");
    format!(
        "static unsigned short word_{seed};\n\
         static int take_{seed}(void) {{ int taken = word_{seed} & {mask}; word_{seed} >>= {width}; return taken - 1; }}\n{}",
        unit.replace(&begin, &with_input)
    )
}

#[derive(Default)]
struct Writer {
    numbers: Random,
    n: u64,
    text: String,
    depth: usize,
    /// Locals whose address is not taken.
    locals: Vec<String>,
    /// Everything that can be read and written.
    places: Vec<String>,
    /// Objects of type `int` with an address.
    targets: Vec<String>,
    arrays: Vec<(String, u64)>,
    loops: u64,
    labels: u64,
    in_loop: bool,
    /// Every local is: what it holds otherwise is one more input.
    initialised: bool,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "  ".repeat(self.depth));
    }

    fn below(&mut self, end: u64) -> u64 {
        self.numbers.below(end)
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.below(list.len() as u64) as usize]
    }

    fn any(&mut self, list: fn(&Self) -> &[String]) -> String {
        let chosen = self.numbers.below(list(self).len() as u64) as usize;
        list(self)[chosen].clone()
    }

    fn place(&mut self) -> String {
        if self.chance(20) {
            let (array, length) = self.arrays[self.numbers.below(self.arrays.len() as u64) as usize].clone();
            let index = self.index(length);
            return format!("{array}[{index}]");
        }
        self.any(|w| &w.places)
    }

    /// An index that is in range, but for a few.
    fn index(&mut self, length: u64) -> String {
        let value = self.any(|w| &w.locals);
        match self.below(12) {
            0 => value,
            1..=4 => self.below(length).to_string(),
            5..=7 => format!("(unsigned){value} % {length}"),
            _ => format!("{value} & {}", if length > 3 { 3 } else { 1 }),
        }
    }

    fn literal(&mut self) -> String {
        match self.below(14) {
            0 => self.pick(&["2147483647", "0x80000000", "(-2147483647 - 1)", "255", "256", "65535", "-1"]).to_owned(),
            1 => format!("{}u", self.below(20)),
            2 => format!("{}L", self.below(20)),
            3 => format!("'{}'", self.pick(&["a", "0", "\\n", "\\x7f", "\\377"])),
            4 => format!("0{}", self.below(8)),
            5 => format!("(-{})", 1 + self.below(9)),
            6 => self.pick(&["0xffULL", "1ULL << 33", "0x7fffffffffffffffLL"]).to_owned(),
            7 => format!("{}_{}", self.pick(&["A", "B", "C"]), self.n),
            _ => self.below(10).to_string(),
        }
    }

    fn expression(&mut self, depth: u64) -> String {
        if depth == 0 || self.chance(25) {
            return if self.chance(35) { format!("({})", self.literal()) } else { self.any(|w| &w.places) };
        }
        let (d, n) = (depth - 1, self.n);
        match self.below(26) {
            0 | 1 => format!("({})({})", self.pick(&TYPES), self.expression(d)),
            2 => format!("{}({})", self.pick(&["-", "~", "!", "+"]), self.expression(d)),
            3 => format!("({} ? {} : {})", self.condition(0), self.expression(d), self.expression(d)),
            4 => format!("({} {} {})", self.expression(d), self.pick(&["&&", "||"]), self.expression(d)),
            5 | 6 => format!("({} {} ({} & 7))", self.expression(d), self.pick(&["<<", ">>"]), self.expression(0)),
            7 => format!("({} {} {})", self.expression(d), self.pick(&["<<", ">>"]), self.expression(0)),
            8 => format!("({} {} ({} | 1))", self.expression(0), self.pick(&["/", "%"]), self.expression(0)),
            9 => {
                let value = 1 + self.below(9);
                format!("({} {} {value})", self.expression(d), self.pick(&["/", "%"]))
            }
            10 if self.chance(30) => {
                format!("({} {} {})", self.expression(0), self.pick(&["/", "%"]), self.expression(0))
            }
            11 => format!("({} * {})", self.expression(d), self.below(9)),
            12 if self.chance(20) => format!("({} * {})", self.expression(0), self.expression(0)),
            13 => format!("((int)sizeof({}) - {})", self.any(|w| &w.locals), self.expression(d)),
            14 => format!("table_{n}[{} & 3]", self.expression(0)),
            15 => format!("pure_{n}({}, {})", self.expression(0), self.expression(0)),
            16 => self.place(),
            17..=20 => self.condition(d),
            _ => {
                let operator = self.pick(&["+", "-", "+", "-", "&", "|", "^"]);
                format!("({} {operator} {})", self.expression(d), self.expression(d))
            }
        }
    }

    fn condition(&mut self, depth: u64) -> String {
        let operator = self.pick(&["==", "!=", "<", "<=", ">", ">="]);
        format!("({} {operator} {})", self.expression(depth), self.expression(depth.saturating_sub(1)))
    }

    fn unit(&mut self) {
        let n = self.n;
        let (a, b) = (self.pick(&TYPES), self.pick(&TYPES));
        self.line(&format!("struct S_{n} {{ {a} f; int g; {b} h[2]; struct {{ short k; int m; }} in; }};"));
        let value = self.below(9) as i64 - 4;
        self.line(&format!("enum E_{n} {{ A_{n}, B_{n} = {value}, C_{n} }};"));
        let (ty, x, y) = (self.pick(&TYPES), self.below(7), self.below(300));
        self.line(&format!("static const {ty} table_{n}[4] = {{{x}, [2] = {y}, -1}};"));
        let (ty, value) = (self.pick(&TYPES), self.literal());
        self.line(&format!("{ty} g_{n} = {}; static int ga_{n}[4] = {{1, [2] = 7}};", global(&value)));
        self.helpers();
        self.line(&format!("long long test_{n}(void) {{"));
        self.depth = 1;
        self.declarations();
        let count = 2 + self.below(5);
        self.statements(count, 2);
        let value = self.expression(2);
        self.line(&format!("{{ long long last = {value}; check_{n}({LAST}); return last; }}"));
        self.depth = 0;
        self.line("}");
    }

    fn helpers(&mut self) {
        let n = self.n;
        self.line(&format!("static void check_{n}(int holds) {{ if (!holds) reach_error(); }}"));
        let types = [0; 4].map(|_| self.pick(&TYPES));
        let [result, p, q, kept] = types;
        self.places = vec![String::from("p"), String::from("q"), String::from("3")];
        self.locals = vec![String::from("p"), String::from("q")];
        self.arrays = vec![(format!("table_{n}"), 4)];
        self.line(&format!("static {result} pure_{n}({p} p, {q} q) {{"));
        // It must not call itself.
        let (condition, first, second) = (self.simple(), self.simple(), self.simple());
        self.line(&format!("  if ({condition}) return {first}; p += 3; return {second}; }}"));
        let step = 1 + self.below(3);
        self.line(&format!(
            "static {kept} bump_{n}(int by) {{ static {kept} kept = {step}; kept += by; return kept++; }}"
        ));
        self.line(&format!("static void set_{n}(int *t, int v) {{ if (v & 1) *t = v; else *t += v; }}"));
        self.line(&format!("static void swap_{n}(int *s, int *t) {{ int old = *s; *s = *t; *t = old; }}"));
        self.line(&format!("static int null_{n}(int *t) {{ if (!t) return -1; return *t & 15; }}"));
        self.line(&format!("static struct S_{n} make_{n}(struct S_{n} s, int v) {{ s.g = v; s.h[1] = v; return s; }}"));
        self.line(&format!(
            "static int total_{n}(const int *p, int count) {{ int t = 0; while (count-- > 0) t += *p++; return t; }}"
        ));
    }

    fn simple(&mut self) -> String {
        let operator = self.pick(&["+", "-", "&", "|", "^", "<", "==", ">="]);
        let value = self.literal();
        let (a, b) = (self.pick(&["p", "q"]), self.pick(&["p", "q", "(p + q)"]));
        if self.chance(50) { format!("({a} {operator} {b})") } else { format!("({a} {operator} {value})") }
    }

    fn declarations(&mut self) {
        let n = self.n;
        self.places.clear();
        self.locals.clear();
        for number in 0..2 + self.below(3) {
            let (ty, kind) = (self.pick(&TYPES), self.pick(&NONDET));
            let value = match self.below(8) {
                0..=2 => format!(" = __VERIFIER_nondet_{kind}()"),
                3 | 4 => format!(" = __VERIFIER_nondet_{kind}() & 3"),
                // Memory that holds neither 0 nor 1 is no `_Bool`, and reading it as one is undefined.
                5 if self.chance(40) && ty != "_Bool" && !self.initialised => String::new(),
                _ => format!(" = {}", self.literal()),
            };
            self.line(&format!("{ty} v{number}{value};"));
            self.locals.push(format!("v{number}"));
        }
        self.places = self.locals.clone();
        self.places.push(format!("g_{n}"));
        let (x, y) = (self.literal(), self.below(5));
        self.line(&format!("int t0 = {x}, t1 = {y}, *p = &t0, *q = &ga_{n}[2];"));
        self.targets = ["t0", "t1"].map(String::from).to_vec();
        self.targets.push(format!("ga_{n}[1]"));
        let ty = self.pick(&TYPES);
        self.line(&format!("{ty} a[3] = {{{y}, 2}};"));
        self.arrays = vec![(String::from("a"), 3), (format!("ga_{n}"), 4)];
        self.places.extend(["t0", "t1", "(*p)", "a[1]"].map(String::from));
        if self.chance(50) {
            self.line(&format!(
                "struct S_{n} s = {{{y}, 7, {{1, 2}}, .in = {{3}}}}, sa[2] = {{{{0}}, {{.g = 5}}}}, *sp = &s;"
            ));
            self.places.extend(["s.f", "s.in.k", "sp->g", "sa[1].g", "sp->h[1]"].map(String::from));
            self.targets.extend(["s.g", "sa[1].in.m", "sa[0].g"].map(String::from));
            self.arrays.push((String::from("s.h"), 2));
        }
    }

    fn statements(&mut self, count: u64, nesting: u64) {
        for _ in 0..count {
            self.statement(nesting);
        }
    }

    fn nested(&mut self, nesting: u64) {
        self.depth += 1;
        let count = 1 + self.below(2);
        self.statements(count, nesting - 1);
        self.depth -= 1;
    }

    fn statement(&mut self, nesting: u64) {
        let n = self.n;
        match self.below(if nesting > 0 { 28 } else { 16 }) {
            0..=2 => {
                let (place, value) = (self.place(), self.expression(2));
                self.line(&format!("{place} = {value};"));
            }
            3 => self.compound(),
            4 => self.stepped(),
            5 => self.input(),
            6 => self.assumption(),
            7 | 8 => self.pointer(),
            9 if self.text.contains("*sp = &s;") => self.structure(),
            9 | 10 => {
                let (s, t, value) = (self.any(|w| &w.targets), self.any(|w| &w.targets), self.expression(1));
                let call = match self.below(4) {
                    0 => format!("set_{n}(&{s}, {value});"),
                    1 => format!("swap_{n}(&{s}, &{t});"),
                    2 => format!("set_{n}(p, {value});"),
                    _ => format!("swap_{n}(p, q);"),
                };
                self.line(&call);
            }
            11 => {
                let (place, by) = (self.any(|w| &w.locals), self.below(5));
                self.line(&format!("{place} = bump_{n}({by});"));
            }
            12 => {
                let (a, b) = (self.condition(1), self.condition(1));
                let value = self.expression(2);
                let claim = match self.below(6) {
                    0 => format!("({value} & 7) <= 7"),
                    1 => format!("(unsigned char)({value}) < 256"),
                    2 => format!("!!({value}) < 2"),
                    3 => a,
                    _ => format!("{a} || {b}"),
                };
                self.line(&format!("check_{n}({claim});"));
            }
            13 => self.walk(),
            14 => {
                let (first, second) = (self.any(|w| &w.locals), self.expression(1));
                let to = self.place();
                self.line(&format!("{to} = ({first} += 2, {second});"));
            }
            15 => {
                let (left, right) = (self.condition(1), self.any(|w| &w.locals));
                let operator = self.pick(&["&&", "||"]);
                self.line(&format!("if ({left} {operator} {right}++) t1 = t1 ^ 1;"));
            }
            16..=18 => self.branch(nesting),
            19..=22 => self.looped(nesting),
            23 | 24 => self.switch(nesting),
            25 => self.jump(nesting),
            26 => {
                let (condition, value) = (self.condition(1), self.expression(1));
                self.line(&format!("if ({condition}) return {value};"));
            }
            _ => {
                // A name that hides another.
                let (hidden, ty, value) = (self.any(|w| &w.locals), self.pick(&TYPES), self.expression(1));
                self.line(&format!("{{ {ty} fresh = {value}; {ty} {hidden} = fresh;"));
                self.nested(nesting);
                self.line(&format!("g_{n} = {hidden}; }}"));
            }
        }
    }

    fn compound(&mut self) {
        let (place, value) = (self.place(), self.expression(1));
        let shift = self.chance(20);
        let line = match self.below(5) {
            0 if shift => format!("{place} <<= {value} & 7;"),
            1 if shift => format!("{place} >>= {value} & 7;"),
            2 => format!("{place} {} 1 + ({value} & 3);", self.pick(&["/=", "%="])),
            _ => format!("{place} {} {value};", self.pick(&["+=", "-=", "&=", "|=", "^=", "*="])),
        };
        self.line(&line);
    }

    fn stepped(&mut self) {
        let (place, operator) = (self.place(), self.pick(&["++", "--"]));
        let first = self.locals[0].clone();
        let last = self.locals[self.locals.len() - 1].clone();
        let line = match self.below(4) {
            0 => format!("{place}{operator};"),
            1 => format!("{operator}{place};"),
            2 if first != last => format!("{first} = {last}{operator};"),
            _ if first != last => format!("{last} = {operator}{first};"),
            _ => format!("{operator}{place};"),
        };
        self.line(&line);
    }

    fn input(&mut self) {
        let (place, kind) = (self.place(), self.pick(&NONDET));
        let mask = self.pick(&["", " & 3", " & 1", " % 5"]);
        self.line(&format!("{place} = __VERIFIER_nondet_{kind}(){mask};"));
    }

    fn assumption(&mut self) {
        let place = self.any(|w| &w.places);
        let (low, high) = (self.below(3), 3 + self.below(200));
        let claim = match self.below(3) {
            0 => format!("{place} >= {low} && {place} <= {high}"),
            1 => format!("{place} < {high}"),
            _ => format!("{place} != {low}"),
        };
        self.line(&format!("__VERIFIER_assume({claim});"));
    }

    fn pointer(&mut self) {
        let (target, condition, value) = (self.any(|w| &w.targets), self.condition(1), self.expression(1));
        let (p, n, to) = (self.pick(&["p", "q"]), self.n, self.any(|w| &w.locals));
        let line = match self.below(8) {
            0 => format!("if ({condition}) {p} = &{target};"),
            1 => format!("{p} = {condition} ? &{target} : &t1;"),
            2 => format!("*{p} = {value};"),
            3 => format!("*{p} += {value};"),
            4 => format!("{{ int **pp = {condition} ? &p : &q; *pp = &{target}; **pp ^= 5; }}"),
            5 => format!("{{ int *z = {condition} ? 0 : {p}; if (z) *z = {value}; else {to} = null_{n}(z); }}"),
            6 => format!("{to} = (p == q) + 2 * (*p == *q);"),
            _ => format!("{{ int *z = {condition} ? 0 : &{target}; *z = {value}; }}"),
        };
        self.line(&line);
    }

    fn structure(&mut self) {
        let (n, value, condition) = (self.n, self.expression(1), self.condition(1));
        let to = self.any(|w| &w.locals);
        let line = match self.below(7) {
            0 => String::from("sa[0] = s;"),
            1 => format!("sp = {condition} ? &s : &sa[1];"),
            2 => format!("s = make_{n}(*sp, {value});"),
            3 => format!("sp = &sa[{to} & 1]; sp->in.m = {value};"),
            4 => format!("sa[{to} & 1].h[1] += {value};"),
            5 => format!("{to} = make_{n}(s, {value}).g;"),
            _ => format!("*sp = sa[{to} & 1]; p = &sp->in.m;"),
        };
        self.line(&line);
    }

    fn walk(&mut self) {
        let (n, to, value) = (self.n, self.any(|w| &w.locals), self.expression(1));
        let line = match self.below(4) {
            0 => format!("{{ int *w = &ga_{n}[{to} & 1] + 1; *(w + 1) += 1; {to} = w - ga_{n}; t1 += w[-1]; }}"),
            1 => format!("t1 = total_{n}(ga_{n} + 1, 2);"),
            2 => format!("for (int *w = ga_{n}; w < ga_{n} + 4; w++) *w = {value};"),
            _ => format!("{{ int *w = ga_{n} + 3; while (w > ga_{n}) *w-- = {value}; q = w; }}"),
        };
        self.line(&line);
    }

    fn branch(&mut self, nesting: u64) {
        let condition = self.condition(1);
        self.line(&format!("if ({condition}) {{"));
        self.nested(nesting);
        if self.chance(50) {
            self.line("} else {");
            self.nested(nesting);
        }
        self.line("}");
    }

    fn looped(&mut self, nesting: u64) {
        let (c, bound) = (format!("c{}", self.loops), 1 + self.below(5));
        self.loops += 1;
        let (condition, ty) = (self.condition(1), self.pick(&TYPES[..10]));
        let (head, tail) = match self.below(6) {
            0 | 1 => (format!("for ({ty} {c} = 0; {c} < {bound}; {c}++) {{"), String::from("}")),
            2 => (format!("{{ unsigned char {c} = {bound}; while ({c}--) {{"), String::from("} }")),
            3 => (format!("{{ long {c} = {bound}; do {{"), format!("}} while (--{c} > 0); }}")),
            4 => (format!("{{ int {c} = 0; while ({condition} && {c}++ < {bound}) {{"), String::from("} }")),
            _ => (format!("{{ short {c} = 0; for (;;) {{ if ({c}++ == {bound}) break;"), String::from("} }")),
        };
        self.line(&head);
        let outer = std::mem::replace(&mut self.in_loop, true);
        if self.chance(30) {
            let (condition, word) = (self.condition(1), self.pick(&["break", "continue"]));
            self.line(&format!("if ({condition}) {word};"));
        }
        self.places.push(c);
        self.nested_reading(nesting);
        self.places.pop();
        self.in_loop = outer;
        self.line(&tail);
    }

    /// The counter of a loop is read, and not written.
    fn nested_reading(&mut self, nesting: u64) {
        if let Some(counter) = self.places.pop() {
            let to = self.any(|w| &w.locals);
            if self.chance(60) {
                let operator = self.pick(&["=", "+=", "^="]);
                self.line(&format!("{to} {operator} {counter};"));
            }
            self.nested(nesting);
            self.places.push(counter);
        }
    }

    fn switch(&mut self, nesting: u64) {
        let (n, value) = (self.n, self.expression(1));
        self.line(&format!("switch ({value}) {{"));
        let first = self.below(3);
        let second = 1 + self.below(3);
        for case in [format!("case {first}:"), format!("case -{second}:")] {
            self.line(&case);
            self.nested(nesting);
            if self.chance(50) {
                let word = if self.in_loop { self.pick(&["break;", "break;", "continue;"]) } else { "break;" };
                self.line(word);
            }
        }
        if self.chance(70) {
            self.line(&format!("case C_{n} + 40: case 'x' ... 'z': default:"));
            self.nested(nesting);
        }
        self.line("}");
    }

    fn jump(&mut self, nesting: u64) {
        let label = self.labels;
        self.labels += 1;
        let condition = self.condition(1);
        if self.chance(50) {
            self.line(&format!("if ({condition}) goto L{label};"));
            self.nested(nesting);
            self.line(&format!("L{label}:;"));
        } else {
            self.line(&format!("{{ int back = 0; L{label}: back++;"));
            self.nested(nesting);
            self.line(&format!("if (back < 4 && {condition}) goto L{label}; }}"));
        }
    }
}

/// What may initialise a global: an enumerator of the unit may, so may any literal.
fn global(literal: &str) -> String {
    format!("({literal})")
}

//! Random models of processes of one type that look alike, and some that only seem to.

use crate::Random;
use std::fmt::Write;

/// A model. The front end rejects a few, with two `else` at one place.
pub fn model(seed: u64) -> String {
    let mut random = Random::new(seed);
    let (me, least) = if random.below(2) == 0 { ("_pid", 0) } else { ("id", random.below(2)) };
    let processes = 2 + random.below(2);
    let tame = random.below(2) == 0;
    Writer { random, processes, me, least, tame }.model().replace("ME", me)
}

/// Makes the models.
struct Writer {
    random: Random,
    processes: u64,
    /// How a process calls itself, and the least of these names.
    me: &'static str,
    least: u64,
    /// Nothing is computed from names, but they may meet constants.
    tame: bool,
}

impl Writer {
    fn one(&mut self, items: &[&str]) -> String {
        let me = self.me;
        items[self.random.below(items.len() as u64) as usize].replace("ME", me)
    }

    /// Something that names a process.
    fn name(&mut self) -> String {
        self.one(&["ME", "ME", "ME", "turn", "other", "next[ME]", "next[other]", "next[turn]"])
    }

    fn condition(&mut self) -> String {
        let name = self.name();
        let any = self.random.below(24);
        let tame = [0, 4, 6, 9, 10, 11, 11, 13, 14, 15, 17, 20, 21, 22];
        match if self.tame { tame[any as usize % tame.len()] } else { any } {
            0..4 => format!("turn == {name}"),
            4..6 => format!("turn != {name}"),
            6..9 => format!("flag[{name}] == {}", self.random.below(2)),
            9 => format!("!flag[{name}]"),
            10 => format!("seen[{name}] < 2"),
            11 => format!("turn == {}", self.random.below(5)),
            12 => format!("{name} < 1"),
            13 => String::from("count < 2"),
            14 => format!("nempty(box[{name}])"),
            15 => String::from("nfull(q)"),
            16 => format!("q?[{name}, _]")
                .replace("q?[", if self.random.below(2) == 0 { "q?[eval(" } else { "q??[eval(" })
                .replace(", _]", "), _]"),
            17 => format!("W[{name}]@work"),
            18 => format!("!(W[{name}]:mine == {name})"),
            19 => String::from("other == turn && count == 1"),
            20 => format!("(turn == {name} -> flag[turn] : count == 0)"),
            21 => String::from("timeout"),
            22 => format!("matrix[{name}].with[turn] == 0"),
            _ => String::from("true"),
        }
    }

    fn statement(&mut self) -> String {
        let (name, other) = (self.name(), self.name());
        let any = self.random.below(44);
        let tame = [0, 1, 4, 6, 8, 12, 15, 19, 22, 23, 25, 27, 28, 29, 30, 33, 34, 35, 35, 37, 38, 39, 41, 42, 43];
        match if self.tame { tame[any as usize % tame.len()] } else { any } {
            0..4 => format!("turn = {name}"),
            4..6 => format!("other = {name}"),
            6..8 => format!("next[{name}] = {other}"),
            8..12 => format!("flag[{name}] = {}", self.random.below(2)),
            12 => format!("seen[{name}] = (seen[{name}] + 1) % 3"),
            13..15 => format!("count = (count + {}) % 3", self.one(&["1", "flag[ME]", "len(q)"])),
            15..18 => format!("q!{name}, {}", self.random.below(2)),
            18 => format!("q!!{name}, 1"),
            19..22 => format!("q?{}", self.one(&["other, _", "turn, bit1", "eval(ME), _", "_, bit1", "next[ME], 1"])),
            22 => String::from("q??other, 1"),
            23..25 => format!("box[{name}]!{other}"),
            25..27 => format!("box[ME]?{}", self.one(&["other", "turn", "eval(other)", "_"])),
            27 => format!("meet!{name}"),
            28 => String::from("meet?other"),
            29 => String::from("own!ME"),
            30 => String::from("own?other"),
            31 => String::from("names!own"),
            32 => String::from("names?peer"),
            33 => format!("nfull(peer) -> peer!{name}"),
            34 => format!("peer = box[{name}]"),
            35 => format!("turn = {}", self.random.below(5)),
            36 => format!("other = {name} + 1"),
            37 => format!("matrix[{name}].with[{other}] = 1 - matrix[{name}].with[{other}]"),
            38 => format!("mine = {name}"),
            39 => format!("assert({})", self.condition()),
            40 => format!("assert(!(flag[ME] && {}))", self.condition()).replace("ME", self.me),
            41 => format!("printf(\"%d\", {name})"),
            42 => format!("d_step {{ {} -> flag[{name}] = 0; other = {other} }}", self.condition()),
            _ => self.condition(),
        }
    }

    fn body(&mut self) -> String {
        let mut text = String::from("do\n");
        for _ in 0..1 + self.random.below(3) {
            let mut sequence: Vec<String> = (0..1 + self.random.below(3)).map(|_| self.statement()).collect();
            if self.random.below(2) == 0 {
                sequence.insert(0, self.condition());
            }
            let mut sequence = sequence.join("; ");
            if self.random.below(4) == 0 {
                sequence = format!("atomic {{ {sequence} }}");
            }
            let label = if self.random.below(3) == 0 { "skip; " } else { "" };
            let _ = writeln!(text, "  :: {label}{sequence}");
        }
        if self.random.below(3) == 0 {
            let _ = writeln!(text, "  :: else -> {}", self.one(&["skip", "turn = ME", "flag[ME] = 0"]));
        }
        if self.random.below(6) == 0 {
            // Without a way back, a process that stays does not end any more.
            text += &self.one(&[
                "  :: count == 2 -> break\n",
                "  :: count == 2 -> goto gone\n",
                "  :: goto stay\n  :: goto gone\n",
            ]);
        }
        text += "od";
        if self.random.below(5) == 0 {
            format!("{{ {text} }} unless {{ flag[ME] && count == 1; flag[ME] = 0 }}").replace("ME", self.me)
        } else {
            text
        }
    }

    fn model(&mut self) -> String {
        let (count, places) = (self.processes, self.least + self.processes + self.random.below(2));
        let first = if self.random.below(2) == 0 { self.least } else { 77 };
        let mut text = format!(
            "typedef Row {{ bit with[{places}] }}\nbyte turn = {first}, count; bit bit1; bit flag[{places}]; byte seen[{places}];\n\
             byte next[{places}] = {first};\nRow matrix[{places}];\nchan q = [2] of {{ byte, bit }};\n\
             chan box[{places}] = [1] of {{ byte }};\nchan meet = [0] of {{ byte }};\nchan names = [1] of {{ chan }};\n"
        );
        let own = if self.random.below(2) == 0 { "[1] of { byte }" } else { "[2] of { byte }" };
        let locals = format!("byte other = {first}, mine; chan own = {own}; chan peer;");
        let (body, label) = (self.body(), self.one(&["work: ", "end: work: ", "progress: work: "]));
        let provided = if self.random.below(8) == 0 {
            format!(" provided (turn != {})", self.one(&["ME", "77", "1"]))
        } else {
            String::new()
        };
        let stay = format!("stay: do :: {} :: {} od", self.statement(), self.statement());
        let started = self.me == "_pid";
        let head = if started {
            format!("active [{count}] proctype W(){provided}")
        } else {
            format!("proctype W(byte id){provided}")
        };
        let _ = writeln!(text, "{head} {{ {locals} {label}{body}; goto gone; {stay}; gone: skip }}");
        if !started {
            let mut run = String::new();
            for number in 0..count {
                let name = if self.random.below(12) == 0 { self.least } else { self.least + number };
                let _ = write!(run, "run W({name}); ");
            }
            let after =
                self.one(&["", "", "turn = 77", "do :: turn != 77 -> turn = 77 od", "q?turn, _", "do :: q?turn, _ od"]);
            let order = self.random.below(3) == 0;
            let run = if order { run } else { format!("atomic {{ {run} }} ") };
            let _ = writeln!(text, "init {{ {run}{after} }}");
        }
        if self.random.below(3) == 0 {
            let watcher = self.one(&[
                "do :: turn = 77 od",
                "do :: q?turn, bit1 -> flag[turn] = 1 od",
                "byte i; do :: atomic { q?i, _ -> box[i]!i } od",
                "assert(!(flag[1] && flag[2]))",
                "end: meet?turn; meet!turn",
                "byte i; atomic { do :: i < 2 -> flag[i] = 1; i = i + 1 :: else -> break od }; do :: q?turn, _ od",
                "do :: run V(turn) :: turn = 77 od",
            ]);
            let _ = writeln!(text, "proctype V(byte x) {{ turn = x }}\nactive proctype M() {{ {watcher} }}");
        }
        text
    }
}

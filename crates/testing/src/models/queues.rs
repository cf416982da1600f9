//! Tiny random models that look at their queues in every way there is: lengths, heads, searches, order, and what had to be
//! impossible (`else`, `timeout`, `unless`, priorities, atomic control); and that create processes.

use crate::Random;

struct Generator {
    random: Random,
    channels: u64,
    creates: bool,
    rendezvous: bool,
}

/// The text of a model. With `creates`, processes may multiply.
pub fn model(seed: u64, creates: bool) -> String {
    let mut random = Random::new(seed ^ 0x9d0e);
    let (channels, processes) = (1 + random.below(2), 1 + random.below(3));
    let rendezvous = random.chance(20);
    let mut generator = Generator { random, channels, creates, rendezvous };
    let mut text = String::from("byte x, y;\nchan r = [0] of { byte };\n");
    for channel in 0..channels {
        text += &format!("chan c{channel} = [{}] of {{ byte }};\n", 1 + generator.random.below(3));
    }
    let priorities = generator.random.chance(25);
    for process in 0..processes {
        let priority = match priorities {
            true => format!(" priority {}", 1 + generator.random.below(3)),
            false => String::new(),
        };
        text += &format!("active proctype P{process}(){priority} {{\n{}}}\n", generator.body());
    }
    if creates {
        let simple: Vec<String> = (0..1 + generator.random.below(2)).map(|_| generator.statement()).collect();
        let wait = if generator.random.chance(60) { "; x == 7" } else { "" };
        text += &format!("proctype Q() {{ {}{wait} }}\n", simple.join("; "));
    }
    text
}

impl Generator {
    fn body(&mut self) -> String {
        let mut body = String::from("    byte z;\n");
        for _ in 0..self.random.below(3) {
            body += &format!("    {};\n", self.statement());
        }
        if self.random.chance(30) {
            // Many of one kind: a loop may run for a while before it meets anything else.
            let send = format!("    {}!{};\n", self.channel(), self.random.below(3));
            body += &send.repeat(2 + self.random.below(8) as usize);
        }
        if self.random.chance(20) {
            body += &self.repeat(true);
        }
        let leave = self.random.chance(15);
        body += &self.repeat(leave);
        if self.random.chance(12) {
            let guard = if self.random.chance(50) { self.guard() } else { format!("{}?2", self.channel()) };
            body = format!("    {{\n{body}    x = 0 }} unless {{ {guard} }}\n");
        } else if self.random.chance(6) {
            body = format!("    atomic {{\n{body}    skip }}\n");
        }
        body
    }

    fn repeat(&mut self, leave: bool) -> String {
        let mut text = String::from("    do\n");
        for _ in 0..1 + self.random.below(3) {
            text += &format!("    :: {}\n", self.option());
        }
        if leave {
            text += "    :: break\n";
        } else if self.random.chance(35) {
            text += &format!("    :: else -> {}\n", self.statement());
        }
        text + "    od;\n"
    }

    fn option(&mut self) -> String {
        let mut parts = Vec::new();
        if self.random.chance(55) {
            parts.push(self.guard());
        }
        for _ in 0..1 + self.random.below(3) {
            parts.push(self.statement());
        }
        if self.random.chance(8) {
            let (channel, other) = (self.channel(), self.random.below(3));
            parts =
                vec![format!("{channel}?z -> {channel}!z; {channel}!{}; z = 0", if other == 0 { "z" } else { "1" })];
        }
        let sequence = parts.join("; ");
        match self.random.below(10) {
            0 | 1 => format!("atomic {{ {sequence} }}"),
            2 | 3 if !sequence.contains("run") && !sequence.contains("r!") && !sequence.contains("r?") => {
                format!("d_step {{ {} }}", self.chosen(&sequence))
            }
            _ => sequence,
        }
    }

    /// Sometimes a choice inside of a deterministic step.
    fn chosen(&mut self, sequence: &str) -> String {
        if !self.random.chance(40) {
            return String::from(sequence);
        }
        let (guard, one, other) = (self.guard(), self.statement(), self.statement());
        let quiet = |text: &str| !text.contains("run") && !text.contains("r!") && !text.contains("r?");
        if guard == "timeout" || !quiet(&one) || !quiet(&other) || !quiet(&guard) {
            return String::from(sequence);
        }
        format!("if :: {guard} -> {one} :: else -> {other} fi")
    }

    fn channel(&mut self) -> String {
        format!("c{}", self.random.below(self.channels))
    }

    fn guard(&mut self) -> String {
        let (channel, other, letter) = (self.channel(), self.channel(), self.random.below(3));
        let number = self.random.below(14);
        match self.random.below(19) {
            0 => format!("empty({channel})"),
            1 => format!("nempty({channel})"),
            2 => format!("full({channel})"),
            3 => format!("nfull({channel})"),
            4 => format!("len({channel}) < {number}"),
            5 | 6 => format!("len({channel}) > {number}"),
            7 => format!("{number} >= len({channel})"),
            8 => format!("len({channel}) != {number}"),
            9 => format!("len({channel}) <= len({other}) + {letter}"),
            10 => format!("{channel}?[{letter}]"),
            11 => format!("!({channel}?[{letter}])"),
            12 => format!("{channel}??[{letter}]"),
            13 => format!("!({channel}??[{letter}])"),
            14 => String::from("timeout"),
            15 => format!("x == {letter}"),
            16 => format!("(nempty({channel}) && x == 0)"),
            17 => format!("(len({channel}) -> 1 : y == 0)"),
            _ => String::from("z != 1"),
        }
    }

    fn statement(&mut self) -> String {
        let (channel, letter) = (self.channel(), self.random.below(3));
        match self.random.below(24) {
            0..=6 => format!("{channel}!{letter}"),
            7..=9 => format!("{channel}?{letter}"),
            10 => format!("{channel}?x; x = 0"),
            11 => format!("{channel}!x"),
            12 => format!("{channel}!!{letter}"),
            13 => format!("{channel}??{letter}"),
            14 => format!("{channel}?<x>; x = 0"),
            15 => format!("x = {letter}"),
            16 => String::from("y = 1 - y"),
            17 => format!("y = len({channel}) % 2"),
            18 => format!("x = (len({channel}) > {} -> 1 : 0)", self.random.below(12)),
            19 if self.creates => String::from("run Q()"),
            20 if self.creates => String::from("run Q()"),
            21 if self.rendezvous => format!("r!{letter}"),
            22 if self.rendezvous => String::from("r?y"),
            _ => String::from("y = 1 - y"),
        }
    }
}

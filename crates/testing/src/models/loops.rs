//! Tiny random models: a few processes that loop over sends, receives and tests.

use crate::Random;

struct Generator {
    random: Random,
    channels: u64,
    labels: bool,
    next_label: u64,
}

/// The text of a model; with `labels`, some statements are progress.
pub fn model(seed: u64, labels: bool) -> String {
    let mut random = Random::new(seed);
    let channels = 1 + random.below(3);
    let processes = 1 + random.below(3);
    let mut generator = Generator { random, channels, labels, next_label: 0 };
    let mut text = String::from("byte x, y;\n");
    for channel in 0..channels {
        let capacity = if generator.random.chance(10) { 0 } else { 1 + generator.random.below(2) };
        text += &format!("chan c{channel} = [{capacity}] of {{ byte }};\n");
    }
    for process in 0..processes {
        text += &generator.process(process);
    }
    text
}

impl Generator {
    fn process(&mut self, process: u64) -> String {
        let mut body = String::from("    byte z;\n");
        for _ in 0..self.random.below(3) {
            body += &format!("    {};\n", self.statement());
        }
        if self.random.chance(30) {
            // Many of one kind: a loop may run for a while before it meets anything else.
            let send = format!("    {}!{};\n", self.channel(), self.random.below(2));
            body += &send.repeat(4 + self.random.below(5) as usize);
        }
        if self.random.chance(25) {
            body += &self.repeat(true);
        }
        let leave = self.random.chance(20);
        body += &self.repeat(leave);
        if self.random.chance(8) {
            let channel = self.channel();
            body = format!("    {{\n{body}    x = 0 }} unless {{ {channel}?1 }}\n");
        }
        format!("active proctype P{process}() {{\n{body}}}\n")
    }

    fn repeat(&mut self, leave: bool) -> String {
        let mut text = String::from("    do\n");
        for _ in 0..1 + self.random.below(3) {
            text += &format!("    :: {}\n", self.option());
        }
        if leave {
            text += "    :: break\n";
        } else if self.random.chance(20) {
            text += &format!("    :: else -> {}\n", self.statement());
        }
        text + "    od;\n"
    }

    fn option(&mut self) -> String {
        let mut parts = Vec::new();
        if self.random.chance(35) {
            parts.push(self.guard());
        }
        for _ in 0..1 + self.random.below(3) {
            let label = self.labels && !parts.is_empty() && self.random.chance(20);
            let name = if label { format!("progress{}: ", self.next_label) } else { String::new() };
            self.next_label += u64::from(label);
            parts.push(name + &self.statement());
        }
        let sequence = parts.join("; ");
        match self.random.below(12) {
            0 | 1 => format!("atomic {{ {sequence} }}"),
            2 if !sequence.contains("c0?") => format!("d_step {{ {sequence} }}"),
            _ => sequence,
        }
    }

    fn channel(&mut self) -> String {
        format!("c{}", self.random.below(self.channels))
    }

    fn guard(&mut self) -> String {
        let channel = self.channel();
        match self.random.below(9) {
            0 => format!("empty({channel})"),
            1 => format!("nempty({channel})"),
            2 => format!("len({channel}) < {}", 2 + self.random.below(14)),
            3 => format!("{channel}?[{}]", self.random.below(2)),
            4 => String::from("timeout"),
            5 => String::from("x == y"),
            6 => format!("x == {}", self.random.below(3)),
            7 => format!("nfull({channel})"),
            _ => String::from("z != 1"),
        }
    }

    fn statement(&mut self) -> String {
        let (channel, letter) = (self.channel(), self.random.below(2));
        match self.random.below(14) {
            0..=4 => format!("{channel}!{letter}"),
            5..=7 => format!("{channel}?{letter}"),
            8 => format!("{channel}?z"),
            9 => format!("{channel}!z"),
            10 => format!("x = {letter}"),
            11 => String::from("y = 1 - y"),
            12 if self.random.chance(30) => format!("{channel}!!{letter}"),
            12 if self.random.chance(30) => format!("{channel}??{letter}"),
            _ => String::from("z = 1 - z"),
        }
    }
}

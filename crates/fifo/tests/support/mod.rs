//! Systems for tests: small ones by hand, random ones, and a reader for published files that knows just enough.

#![allow(dead_code)]

pub mod naive;

use fifo::{Bad, Machine, Op, System, Transition};
use queues::Regex;
use std::path::PathBuf;
pub use testing::{Random, seeds};

/// A machine of transitions `(from, op, to)`, beginning in state 0.
pub fn machine(name: &str, states: usize, transitions: &[(usize, Op, usize)]) -> Machine {
    let transition =
        |(at, &(from, op, to)): (usize, &(usize, Op, usize))| Transition { from, op, to, origin: at as u32 };
    Machine {
        name: name.into(),
        initial: vec![0],
        states: (0..states).map(|state| state.to_string()).collect(),
        transitions: transitions.iter().enumerate().map(transition).collect(),
    }
}

pub fn alphabet(names: &str) -> Vec<String> {
    names.chars().map(String::from).collect()
}

/// The published models, where they are at hand.
pub fn published() -> Vec<(String, System)> {
    let names =
        ["ABP_safe", "ABP_unsafe_cexample_len1", "ABP_unsafe_cexample_len2", "cd", "nested", "nonreg", "peterson"];
    models("../../../shared/models/scm", &names)
}

/// The protocols of figure 10, as this project has them, and unsafe variants.
pub fn examples() -> Vec<(String, System)> {
    let protocols = [
        "alternating-bit",
        "brp",
        "nested",
        "non-regular",
        "peterson",
        "pop3",
        "server-two-clients",
        "sliding-window",
        "tcp",
        "token-ring",
    ];
    let mut all = models("../../examples/scm", &["cd", "alternating-bit-lossy"]);
    all.extend(models("../../examples/scm", &protocols));
    all.extend(models("../../examples/scm", &protocols.map(|name| format!("{name}-unsafe"))));
    all
}

/// Those of the named models that are in the folder.
fn models<S: AsRef<str>>(folder: &str, names: &[S]) -> Vec<(String, System)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder);
    let model = |name: &S| {
        let text = std::fs::read_to_string(folder.join(format!("{}.scm", name.as_ref()))).ok()?;
        Some((name.as_ref().to_string(), read(&text)))
    };
    names.iter().filter_map(model).collect()
}

/// Reads a model in the notation of the published files.
pub fn read(text: &str) -> System {
    Reader { words: words(text), at: 0, system: System::default(), labels: Vec::new(), channels: Vec::new() }.model()
}

fn words(text: &str) -> Vec<String> {
    let mut clean = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("/*") {
        clean.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
    }
    clean.push_str(rest);
    let mut words: Vec<String> = Vec::new();
    for line in clean.lines() {
        let line = line.split("//").next().unwrap_or("");
        let mut glued = false;
        for c in line.chars() {
            if c.is_alphanumeric() || c == '_' {
                match words.last_mut() {
                    Some(word) if glued => word.push(c),
                    _ => words.push(c.to_string()),
                }
                glued = true;
            } else {
                if !c.is_whitespace() {
                    words.push(c.to_string());
                }
                glued = false;
            }
        }
    }
    words
}

struct Reader {
    words: Vec<String>,
    at: usize,
    system: System,
    /// By machine, the names of its states in order of appearance.
    labels: Vec<Vec<String>>,
    /// The names of channels.
    channels: Vec<String>,
}

impl Reader {
    fn peek(&self) -> &str {
        self.words.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.words.get(self.at - 1).cloned().unwrap_or_default()
    }

    fn takes(&mut self, word: &str) -> bool {
        let is = self.peek() == word;
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, word: &str) {
        let found = self.next();
        assert_eq!(found, word, "at word {}", self.at);
    }

    fn model(mut self) -> System {
        self.at = 3;
        if self.takes("channels") {
            self.named_channels();
        } else {
            self.numbered_channels();
        }
        self.expect("parameters");
        self.expect(":");
        while self.takes("real") || self.takes("int") {
            let name = self.next();
            self.system.alphabet.push(name);
            self.expect(";");
        }
        while self.takes("automaton") {
            self.automaton();
        }
        if self.takes("bad_states") {
            self.expect(":");
            while self.takes("(") {
                self.bad();
            }
        }
        for (machine, labels) in self.system.machines.iter_mut().zip(&self.labels) {
            machine.states.clone_from(labels);
        }
        self.system
    }

    fn numbered_channels(&mut self) {
        self.expect("nb_channels");
        self.expect("=");
        self.system.channels = self.next().parse().expect("a number");
        self.channels = (0..self.system.channels).map(|channel| channel.to_string()).collect();
        self.expect(";");
        self.system.lossy = vec![false; self.system.channels];
        if self.takes("lossy") {
            self.expect(":");
            loop {
                let channel = self.channel();
                self.system.lossy[channel] = true;
                if !self.takes(",") {
                    break;
                }
            }
        }
    }

    fn named_channels(&mut self) {
        self.expect(":");
        while !self.takes(";") {
            let lossy = self.takes("lossy");
            self.system.lossy.push(lossy);
            let name = self.next();
            self.channels.push(name);
            self.system.channels += 1;
            self.takes(",");
        }
    }

    fn channel(&mut self) -> usize {
        let name = self.next();
        self.channels.iter().position(|channel| *channel == name).expect("a channel")
    }

    fn state(&mut self, machine: usize) -> usize {
        let name = self.next();
        let labels = &mut self.labels[machine];
        labels.iter().position(|label| *label == name).unwrap_or_else(|| {
            labels.push(name);
            labels.len() - 1
        })
    }

    fn message(&mut self) -> u32 {
        let name = self.next();
        self.system.alphabet.iter().position(|letter| *letter == name).expect("a message") as u32
    }

    fn automaton(&mut self) {
        let number = self.system.machines.len();
        self.labels.push(Vec::new());
        let mut machine = Machine { name: self.next(), ..Machine::default() };
        for word in [":", "initial", ":"] {
            self.expect(word);
        }
        machine.initial.push(self.state(number));
        while self.takes("state") {
            let from = self.state(number);
            self.expect(":");
            while self.takes("to") {
                let to = self.state(number);
                self.expect(":");
                if self.takes("when") {
                    self.expect("true");
                    self.takes(",");
                }
                let mut op = Op::Internal;
                if self.peek() != ";" {
                    let channel = self.channel();
                    let sends = self.next() == "!";
                    let message = self.message();
                    op = if sends { Op::Send(channel, message) } else { Op::Receive(channel, message) };
                }
                self.expect(";");
                machine.transitions.push(Transition { from, op, to, origin: 0 });
            }
        }
        self.system.machines.push(machine);
    }

    fn bad(&mut self) {
        let mut bad = Bad { states: vec![None; self.system.machines.len()], queues: None };
        while self.takes("automaton") {
            let name = self.next();
            let machine = self.system.machines.iter().position(|machine| machine.name == name).expect("a machine");
            self.expect(":");
            while self.takes("in") {
                let state = self.state(machine);
                bad.states[machine].get_or_insert_default().push(state);
                if self.takes(":") {
                    self.expect("true");
                }
            }
        }
        if self.takes("with") {
            let named = self.words.get(self.at + 1).is_some_and(|word| word == ":");
            bad.queues = Some(if named { self.by_channel() } else { self.alternatives() });
        }
        self.expect(")");
        self.system.bad.push(bad);
    }

    fn by_channel(&mut self) -> Regex {
        let letters = self.system.alphabet.len() as u32;
        let mut parts = vec![Regex::any(0..letters); self.system.channels];
        loop {
            let channel = self.channel();
            self.expect(":");
            parts[channel] = self.alternatives();
            if !self.takes(",") {
                break;
            }
        }
        let separated = parts.into_iter().flat_map(|part| [Regex::Separator, part]).skip(1);
        Regex::Concat(separated.collect())
    }

    fn alternatives(&mut self) -> Regex {
        let mut parts = vec![self.sequence()];
        while self.takes("|") {
            parts.push(self.sequence());
        }
        Regex::Alt(parts)
    }

    fn sequence(&mut self) -> Regex {
        let mut parts = vec![self.repetition()];
        while self.takes(".") {
            parts.push(self.repetition());
        }
        Regex::Concat(parts)
    }

    fn repetition(&mut self) -> Regex {
        let mut part = if self.takes("(") {
            let inner = self.alternatives();
            self.expect(")");
            inner
        } else if self.takes("#") {
            Regex::Separator
        } else if self.takes("_") {
            Regex::Epsilon
        } else {
            Regex::Letter(self.message())
        };
        while self.takes("^") {
            part = if self.next() == "*" { Regex::Star(Box::new(part)) } else { Regex::Plus(Box::new(part)) };
        }
        part
    }
}

//! Sends, receives and polls.

use super::{Chan, Generator, Kind, Var};
use crate::spin::tree::Node;

impl Generator {
    pub(super) fn channel(&mut self, fits: impl Fn(&Chan) -> bool) -> Option<String> {
        self.typed_channel(fits).map(|chan| chan.path)
    }

    /// A visible channel; its features count as used.
    pub(super) fn typed_channel(&mut self, fits: impl Fn(&Chan) -> bool) -> Option<Chan> {
        let all: Vec<Chan> = self.scope.chans.iter().filter(|c| fits(c)).cloned().collect();
        let wanted: Vec<Chan> = all.iter().filter(|c| c.features.iter().any(|f| self.wants(f))).cloned().collect();
        let from = if !wanted.is_empty() && self.random.chance(60) { &wanted } else { &all };
        if from.is_empty() {
            return None;
        }
        let mut chan = self.random.pick(from).clone();
        self.used.push(chan.path.split(['[', '.']).next().unwrap_or_default().to_owned());
        if chan.path.ends_with("[0]") && self.on("array-computed-index") && self.random.chance(40) {
            let bits: Vec<String> = self
                .scope
                .vars
                .iter()
                .filter(|v| !v.computed && !v.path.contains(['[', '.']))
                .map(|v| v.path.clone())
                .collect();
            if !bits.is_empty() {
                let index = self.random.pick(&bits).clone();
                chan.path = chan.path.replace("[0]", &format!("[{index} & 1]"));
                self.uses("array-computed-index");
            }
        }
        for feature in chan.features.clone() {
            self.uses(feature);
        }
        if self.messages[chan.messages].len() > 1 {
            self.uses("multi-field");
        }
        for feature in self.message_features(chan.messages) {
            self.uses(feature);
        }
        Some(chan)
    }

    fn message_features(&self, messages: usize) -> Vec<&'static str> {
        self.messages[messages]
            .iter()
            .filter_map(|kind| match kind {
                Kind::Chan(_) => Some("channel-of-channels"),
                Kind::Struct(_) => Some("channel-of-typedef"),
                _ => None,
            })
            .collect()
    }

    /// What is sent in a field.
    fn argument(&mut self, kind: Kind, sorted: bool) -> Option<String> {
        match kind {
            Kind::Chan(messages) => self.channel(|c| c.messages == messages),
            Kind::Struct(typedef) => {
                let vars: Vec<_> = self.scope.structs.iter().filter(|s| s.typedef == typedef).cloned().collect();
                let var = (!vars.is_empty()).then(|| self.random.pick(&vars).clone())?;
                var.features.iter().for_each(|f| self.uses(f));
                Some(var.path)
            }
            _ if sorted => Some(self.fitting(kind)),
            // SPIN's verifier stores a field of this type in a byte.
            Kind::Bit | Kind::Bool => Some(self.condition(1)),
            _ => Some(self.value(kind)),
        }
    }

    pub(super) fn send(&mut self) -> Option<Node> {
        let d_step = self.place.d_step;
        if d_step && self.random.chance(60) {
            return None;
        }
        let chan = self.typed_channel(|c| !d_step || c.capacity != Some(0))?;
        let fields = self.messages[chan.messages].clone();
        let plain = fields.iter().all(|k| !matches!(k, Kind::Chan(_) | Kind::Struct(_)));
        let sorted = plain && self.maybe("send-sorted", 20);
        let arguments: Option<Vec<String>> = fields.iter().map(|k| self.argument(*k, sorted)).collect();
        let arguments = arguments?;
        self.uses(if sorted { "send-sorted" } else { "send" });
        let operator = if sorted { "!!" } else { "!" };
        let text = self.message(&chan.path, operator, &arguments);
        Some(self.node(text))
    }

    /// `c!a,b` or `c!a(b)`.
    fn message(&mut self, chan: &str, operator: &str, arguments: &[String]) -> String {
        if arguments.len() > 1 && self.maybe("send-paren", 30) {
            self.uses("send-paren");
            return format!("{chan}{operator}{}({})", arguments[0], arguments[1..].join(","));
        }
        format!("{chan}{operator}{}", arguments.join(","))
    }

    pub(super) fn receive(&mut self) -> Option<Node> {
        let d_step = self.place.d_step;
        if d_step && self.random.chance(60) {
            return None;
        }
        let chan = self.typed_channel(|c| !d_step || c.capacity != Some(0))?;
        let buffered = chan.capacity.is_some_and(|c| c > 0);
        let forms = ["receive", "receive-random", "receive-peek", "receive-random-peek"];
        let form = if self.random.chance(50) { "receive" } else { *self.random.pick(&forms) };
        let form = self.wanted_of(&forms, form);
        let form = if buffered && self.on(form) { form } else { "receive" };
        let mut taken = Vec::new();
        let fields = self.messages[chan.messages].clone();
        let arguments: Vec<String> = fields.iter().map(|k| self.target(*k, &mut taken)).collect();
        if Self::entangled(&chan, &arguments, &taken) {
            return None;
        }
        self.uses(form);
        let text = match form {
            "receive" => self.message(&chan.path, "?", &arguments),
            "receive-random" => self.message(&chan.path, "??", &arguments),
            "receive-peek" => format!("{}?<{}>", chan.path, arguments.join(",")),
            _ => format!("{}??<{}>", chan.path, arguments.join(",")),
        };
        Some(self.node(text))
    }

    /// Whether SPIN's verifier takes the step, or takes it back, with values that are not those before it: it undoes a receive
    /// with the new values of the channel's index and of what it compares, and it compares in the middle of a rendezvous.
    fn entangled(chan: &Chan, arguments: &[String], taken: &[String]) -> bool {
        const CHANGING: [&str; 7] = ["_last", "len", "full", "nfull", "empty", "nempty", "enabled"];
        let names = |text: &str| -> Vec<String> {
            text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect()
        };
        let received: Vec<String> = taken.iter().filter_map(|path| names(path).into_iter().next()).collect();
        let compared = arguments.iter().filter(|a| a.starts_with("eval(")).flat_map(|a| names(a));
        let compared: Vec<String> = compared.collect();
        let polls = arguments.iter().any(|a| a.starts_with("eval(") && a.contains(['?', '@']));
        let changes = |name: &String| received.contains(name) || CHANGING.contains(&name.as_str());
        polls || names(&chan.path).iter().any(|name| received.contains(name)) || compared.iter().any(changes)
    }

    /// What a field is received into, or compared with.
    fn target(&mut self, kind: Kind, taken: &mut Vec<String>) -> String {
        if !matches!(kind, Kind::Struct(_)) && self.maybe("receive-wildcard", 15) {
            self.uses("receive-wildcard");
            return "_".to_owned();
        }
        match kind {
            Kind::Chan(messages) => {
                let vars: Vec<Chan> =
                    self.scope.chans.iter().filter(|c| Self::assignable(c, messages)).cloned().collect();
                self.chosen(vars.into_iter().map(|c| (c.path, c.features)).collect(), taken)
            }
            Kind::Struct(typedef) => {
                let vars = self.scope.structs.iter().filter(|s| s.typedef == typedef);
                let vars = vars.map(|s| (s.path.clone(), s.features.clone())).collect();
                match self.chosen(vars, taken).as_str() {
                    "_" => vec!["_"; self.typedefs[typedef].fields.len()].join(","),
                    path => path.to_owned(),
                }
            }
            _ => match self.random.below(4) {
                0 if self.on("receive-constant") => {
                    self.uses("receive-constant");
                    self.fitting_constant(kind)
                }
                1 if self.on("receive-eval") => {
                    self.uses("receive-eval");
                    let value = self.value(kind);
                    format!("eval({value})")
                }
                _ => {
                    let vars: Vec<Var> =
                        self.scope.vars.iter().filter(|v| v.kind == kind && !v.fixed && !v.computed).cloned().collect();
                    self.chosen(vars.into_iter().map(|v| (v.path, v.features)).collect(), taken)
                }
            },
        }
    }

    /// Only variables take another channel; the names of channels are constants by convention.
    pub(super) fn assignable(chan: &Chan, messages: usize) -> bool {
        chan.messages == messages && chan.features.contains(&"chan-variable")
    }

    fn chosen(&mut self, vars: Vec<(String, Vec<&'static str>)>, taken: &mut Vec<String>) -> String {
        let free: Vec<_> = vars.into_iter().filter(|(path, _)| !taken.contains(path)).collect();
        if free.is_empty() {
            self.uses("receive-wildcard");
            return "_".to_owned();
        }
        let (path, features) = self.random.pick(&free).clone();
        features.into_iter().for_each(|f| self.uses(f));
        taken.push(path.clone());
        path
    }

    fn fitting_constant(&mut self, kind: Kind) -> String {
        match kind {
            Kind::Mtype => (*self.random.pick(&["red", "green", "blue"])).to_owned(),
            Kind::Named => (*self.random.pick(&["up", "down"])).to_owned(),
            _ => self.fitting(kind),
        }
    }

    /// `c?[..]`; on a buffered channel.
    pub(super) fn poll(&mut self, form: &'static str) -> Option<String> {
        let messages = self.messages.clone();
        let plain = |c: &Chan| messages[c.messages].iter().all(|k| !matches!(k, Kind::Chan(_) | Kind::Struct(_)));
        let chan = self.typed_channel(|c| c.capacity.is_some_and(|n| n > 0) && plain(c))?;
        let mut arguments = Vec::new();
        for kind in self.messages[chan.messages].clone() {
            arguments.push(if self.random.chance(30) { "_".to_owned() } else { self.fitting_constant(kind) });
        }
        let operator = if form == "poll" { "?" } else { "??" };
        Some(format!("{}{operator}[{}]", chan.path, arguments.join(",")))
    }
}

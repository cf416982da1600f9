//! Statements in a row, and those without statements in them.

use super::{Generator, Kind, Runnable, Var};
use crate::spin::tree::{Feature, Node};

type Make = fn(&mut Generator, usize) -> Option<Node>;

/// What a statement can be, and how often.
const SIMPLE: &[(Feature, usize, Make)] = &[
    ("assign", 14, |g, _| g.assign()),
    ("hidden", 3, |g, _| g.assign_hidden()),
    ("increment", 3, |g, _| g.step("increment", "++")),
    ("decrement", 3, |g, _| g.step("decrement", "--")),
    ("expression", 6, |g, _| g.guard()),
    ("assert", 3, |g, _| g.assertion()),
    ("printf", 2, |g, _| g.printf()),
    ("skip", 2, |g, _| g.skip()),
    ("send", 14, |g, _| g.send()),
    ("send-sorted", 2, |g, _| g.send()),
    ("receive", 12, |g, _| g.receive()),
    ("receive-random", 2, |g, _| g.receive()),
    ("receive-peek", 2, |g, _| g.receive()),
    ("receive-random-peek", 2, |g, _| g.receive()),
    ("chan-variable", 4, |g, _| g.redirect()),
    ("run", 5, |g, _| g.run()),
    ("run-expression", 4, |g, _| g.run_expression()),
    ("select", 2, |g, _| g.select()),
    ("timeout", 1, |g, _| g.timeout()),
    ("goto", 2, |g, _| g.jump()),
    ("goto-back", 1, |g, _| g.jump_back()),
    ("break", 2, |g, _| g.leave()),
    ("set-priority", 4, |g, _| g.set_priority()),
];

const COMPOUND: &[(Feature, usize, Make)] = &[
    ("if", 6, Generator::choice),
    ("do", 4, Generator::repetition),
    ("atomic", 5, Generator::atomic),
    ("d_step", 4, Generator::d_step),
    ("block", 2, Generator::block),
    ("unless", 4, Generator::unless),
    ("for-range", 2, Generator::for_range),
    ("for-array", 1, Generator::for_array),
    ("for-channel", 2, Generator::for_channel),
    ("inline", 3, Generator::inline),
    ("run-in-loop", 2, Generator::run_in_loop),
];

impl Generator {
    pub(super) fn sequence(&mut self, length: usize, depth: usize) -> Vec<Node> {
        let mut items = Vec::new();
        for index in 0..length {
            let unlabelled = index == 0 && self.place.nested;
            let node = if unlabelled { self.statement(depth) } else { self.labelled_statement(depth) };
            // SPIN refuses a jump to a d_step, also from the end of a loop.
            let after_compound = items.last().is_none_or(|n: &Node| !n.blocks.is_empty());
            if node.head.starts_with("d_step") && after_compound {
                items.push(Node::leaf("skip"));
            }
            items.push(node);
        }
        items
    }

    pub(super) fn statement(&mut self, depth: usize) -> Node {
        for _ in 0..8 {
            let mut table: Vec<(Feature, usize, Make)> = SIMPLE.to_vec();
            if depth > 0 {
                table.extend_from_slice(COMPOUND);
            }
            table.retain(|(feature, _, _)| self.on(feature));
            for row in &mut table {
                row.1 *= if self.wants(row.0) { 8 } else { 1 };
            }
            let total = table.iter().map(|t| t.1).sum::<usize>();
            let mut at = self.random.below(total);
            let chosen = table.iter().find(|row| {
                let here = at < row.1;
                at = at.wrapping_sub(row.1);
                here
            });
            self.features.clear();
            self.used.clear();
            if let Some(node) = chosen.and_then(|row| (row.2)(self, depth)) {
                return node;
            }
        }
        Node::leaf("skip")
    }

    /// Outside of blocks that run in one step, a label before the statement.
    fn labelled_statement(&mut self, depth: usize) -> Node {
        let labels = ["label", "label-end", "label-progress", "label-accept"];
        let feature = *self.random.pick(&labels);
        let feature = self.wanted_of(&labels, feature);
        if self.place.d_step || self.place.atomic || self.place.inline || !self.maybe(feature, 12) {
            return self.statement(depth);
        }
        let prefix = match feature {
            "label" => "L",
            "label-end" => "end_",
            "label-progress" => "progress_",
            _ => "accept_",
        };
        let label = self.name(prefix);
        let jump_target = feature == "label" && !self.place.unless;
        let mut node = self.statement(depth);
        // A labelled d_step loses its escape in SPIN, and jumps to one are refused.
        if node.head.starts_with("d_step") || node.features.contains(&"inline") {
            return node;
        }
        if jump_target {
            self.labels.push(label.clone());
        }
        node.head = format!("{label}: {}", node.head);
        node.features.push(feature);
        node
    }

    /// A variable that may be assigned.
    fn assigned(&mut self) -> Option<Var> {
        let vars: Vec<Var> = self.scope.vars.iter().filter(|v| !v.fixed).cloned().collect();
        let wanted: Vec<Var> = vars.iter().filter(|v| v.features.iter().any(|f| self.wants(f))).cloned().collect();
        let from = if !wanted.is_empty() && self.random.chance(60) { wanted } else { vars };
        if from.is_empty() {
            return None;
        }
        let var = self.random.pick(&from).clone();
        var.features.iter().for_each(|f| self.uses(f));
        Some(var)
    }

    fn assign(&mut self) -> Option<Node> {
        let var = self.assigned()?;
        let value = if var.wide_bit { self.condition(1) } else { self.value(var.kind) };
        self.uses("assign");
        Some(self.node(format!("{} = {value}", var.path)))
    }

    fn assign_hidden(&mut self) -> Option<Node> {
        let name = (!self.hidden.is_empty()).then(|| self.random.pick(&self.hidden).clone())?;
        let value = self.value(Kind::Byte);
        self.uses("hidden");
        Some(self.node(format!("{name} = {value}")))
    }

    fn step(&mut self, feature: Feature, operator: &str) -> Option<Node> {
        let var = self.assigned()?;
        if var.wide_bit {
            return None;
        }
        let wide = matches!(var.kind, Kind::Short | Kind::Int | Kind::Byte | Kind::Pid);
        if matches!(var.kind, Kind::Mtype | Kind::Named) || (wide && self.place.in_loop) {
            return None;
        }
        self.uses(feature);
        Some(self.node(format!("{}{operator}", var.path)))
    }

    /// A condition that may block, which it must not in the middle of a d_step.
    pub(super) fn guard(&mut self) -> Option<Node> {
        let condition = self.test_of(2);
        self.uses("expression");
        let passes = self.place.d_step || self.random.chance(35);
        let text = if passes { format!("({condition} || true)") } else { condition };
        Some(self.node(text))
    }

    fn assertion(&mut self) -> Option<Node> {
        let condition = self.test_of(2);
        self.uses("assert");
        Some(self.node(format!("assert({condition})")))
    }

    fn printf(&mut self) -> Option<Node> {
        let value = self.expression(2);
        self.uses("printf");
        Some(self.node(format!("printf(\"%d\\n\", {value})")))
    }

    fn skip(&mut self) -> Option<Node> {
        self.uses("skip");
        Some(self.node("skip"))
    }

    /// Another channel for a variable that has one.
    fn redirect(&mut self) -> Option<Node> {
        let vars: Vec<_> = self
            .scope
            .chans
            .iter()
            .filter(|c| Self::assignable(c, c.messages))
            .map(|c| (c.path.clone(), c.messages))
            .collect();
        let (path, messages) = (!vars.is_empty()).then(|| self.random.pick(&vars).clone())?;
        let other = self.channel(|c| c.messages == messages && c.path != path)?;
        self.uses("chan-variable");
        self.uses("assign");
        Some(self.node(format!("{path} = {other}")))
    }

    /// `run P(..)` for a process type that can be run.
    pub(super) fn call(&mut self) -> Option<String> {
        if self.runnables.is_empty()
            || self.runs >= 3
            || self.place.d_step
            || (self.place.in_loop && !self.wants("run"))
        {
            return None;
        }
        let Runnable { name, parameters } = self.random.pick(&self.runnables).clone();
        let mut arguments = Vec::new();
        for kind in parameters {
            arguments.push(match kind {
                Kind::Chan(messages) => self.channel(|c| c.messages == messages)?,
                Kind::Struct(typedef) => {
                    let vars: Vec<_> = self.scope.structs.iter().filter(|s| s.typedef == typedef).cloned().collect();
                    let var = (!vars.is_empty()).then(|| self.random.pick(&vars).clone())?;
                    var.features.iter().for_each(|f| self.uses(f));
                    var.path
                }
                // A variable for a symbolic name is refused.
                Kind::Mtype => "red".to_owned(),
                Kind::Named => "up".to_owned(),
                _ => self.value(kind),
            });
        }
        self.runs += 1;
        let mut text = format!("run {name}({})", arguments.join(", "));
        if self.maybe("run-priority", 40) {
            self.uses("run-priority");
            text += &format!(" priority {}", 1 + self.random.below(3));
        }
        Some(text)
    }

    pub(super) fn run(&mut self) -> Option<Node> {
        let call = self.call()?;
        self.uses("run");
        Some(self.node(call))
    }

    pub(super) fn run_expression(&mut self) -> Option<Node> {
        let call = self.call()?;
        self.uses("run-expression");
        let vars: Vec<Var> = self
            .scope
            .vars
            .iter()
            .filter(|v| matches!(v.kind, Kind::Pid | Kind::Byte | Kind::Int) && !v.fixed)
            .cloned()
            .collect();
        if vars.is_empty() || self.random.chance(30) {
            return Some(self.node(format!("({call})")));
        }
        let var = self.random.pick(&vars).clone();
        var.features.iter().for_each(|f| self.uses(f));
        Some(self.node(format!("{} = {call}", var.path)))
    }

    fn select(&mut self) -> Option<Node> {
        let vars: Vec<Var> = self
            .scope
            .vars
            .iter()
            .filter(|v| {
                matches!(v.kind, Kind::Byte | Kind::Short | Kind::Int) && !v.fixed && !v.path.contains(['[', '.'])
            })
            .cloned()
            .collect();
        let var = (!vars.is_empty() && !self.place.d_step).then(|| self.random.pick(&vars).clone())?;
        var.features.iter().for_each(|f| self.uses(f));
        self.uses("select");
        let from = self.random.below(2);
        let to = from + 1 + self.random.below(2);
        Some(self.node(format!("select({} : {from} .. {to})", var.path)))
    }

    fn timeout(&mut self) -> Option<Node> {
        if self.place.d_step {
            return None;
        }
        self.uses("timeout");
        Some(self.node("timeout"))
    }

    /// A jump to a label at the end of the process.
    fn jump(&mut self) -> Option<Node> {
        if self.place.d_step || self.place.inline {
            return None;
        }
        if self.forward.is_empty() {
            let label = self.name("F");
            self.forward.push(label);
        }
        let label = self.random.pick(&self.forward.clone()).clone();
        self.uses("goto");
        if self.place.atomic {
            self.uses("goto-out-of-atomic");
        }
        Some(self.node(format!("goto {label}")))
    }

    /// A jump to a label before this statement.
    fn jump_back(&mut self) -> Option<Node> {
        if self.place.d_step || self.place.inline || self.place.atomic || self.labels.is_empty() {
            return None;
        }
        let label = self.random.pick(&self.labels.clone()).clone();
        self.uses("goto-back");
        Some(self.node(format!("goto {label}")))
    }

    fn leave(&mut self) -> Option<Node> {
        if !self.place.breakable {
            return None;
        }
        self.uses("break");
        Some(self.node("break"))
    }

    /// Of a process that there is: SPIN's verifier cannot undo another one. Older active processes die later.
    fn set_priority(&mut self) -> Option<Node> {
        self.uses("set-priority");
        let oldest = self.random.below(self.own.map_or(1, |own| own + 1));
        let who = if self.random.chance(60) { "_pid".to_owned() } else { oldest.to_string() };
        let priority = 1 + self.random.below(3);
        Some(self.node(format!("set_priority({who}, {priority})")))
    }
}

//! Expressions, without side effects and without errors at run time.

use super::{Generator, Kind, Var};

const LIMITS: &[&str] = &[
    "127",
    "128",
    "255",
    "256",
    "32767",
    "32768",
    "65535",
    "2147483647",
    "-1",
    "-127",
    "-128",
    "-129",
    "-32768",
    "-2147483647",
];

impl Generator {
    /// A variable of any integer type.
    pub(super) fn variable(&mut self) -> Option<Var> {
        let vars: Vec<Var> = self.scope.vars.clone();
        (!vars.is_empty()).then(|| self.random.pick(&vars).clone())
    }

    fn read(&mut self, var: &Var) -> String {
        for feature in var.features.clone() {
            self.uses(feature);
        }
        var.path.clone()
    }

    pub(super) fn constant(&mut self) -> String {
        if self.maybe("limit-value", 20) {
            self.uses("limit-value");
            return (*self.random.pick(LIMITS)).to_owned();
        }
        self.random.below(4).to_string()
    }

    pub(super) fn expression(&mut self, depth: usize) -> String {
        let probes = std::mem::replace(&mut self.probes, false);
        let text = self.arithmetic(depth);
        self.probes = probes;
        text
    }

    fn arithmetic(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(30) {
            return self.operand();
        }
        match self.random.below(10) {
            0 if self.on("conditional") => {
                self.uses("conditional");
                let (test, yes, no) =
                    (self.condition(depth - 1), self.expression(depth - 1), self.expression(depth - 1));
                format!("({test} -> {yes} : {no})")
            }
            1 if self.on("shift") => {
                self.uses("shift");
                let operator = *self.random.pick(&["<<", ">>"]);
                format!("({} {operator} {})", self.expression(depth - 1), self.random.below(9))
            }
            2 if self.on("division") => {
                self.uses("division");
                let operator = *self.random.pick(&["/", "%"]);
                format!("({} {operator} {})", self.expression(depth - 1), 2 + self.random.below(4))
            }
            3 if self.on("bitwise") => {
                self.uses("bitwise");
                let operator = *self.random.pick(&["&", "|", "^"]);
                format!("({} {operator} {})", self.expression(depth - 1), self.expression(depth - 1))
            }
            4 if self.on("bitwise") => {
                self.uses("bitwise");
                format!("(~{})", self.expression(depth - 1))
            }
            5 => format!("(- {})", self.operand()),
            6 => self.condition(depth - 1),
            _ => {
                let operator = *self.random.pick(&["+", "-", "*"]);
                format!("({} {operator} {})", self.expression(depth - 1), self.expression(depth - 1))
            }
        }
    }

    fn operand(&mut self) -> String {
        if self.random.chance(25)
            && let Some(special) = self.special()
        {
            return special;
        }
        match self.variable() {
            Some(var) if self.random.chance(70) => self.read(&var),
            _ => self.constant(),
        }
    }

    /// Something that only a model of processes and channels has.
    fn special(&mut self) -> Option<String> {
        let choice = *self.random.pick(&["_pid", "_nr_pr", "len", "remote-variable", "get-priority", "_last"]);
        let choice = self.wanted_of(&["_pid", "_nr_pr", "len", "remote-variable", "get-priority", "_last"], choice);
        if !self.on(choice) {
            return None;
        }
        let text = match choice {
            "_pid" | "_nr_pr" | "_last" => choice.to_owned(),
            "len" => {
                let chan = self.channel(|_| true)?;
                format!("len({chan})")
            }
            "remote-variable" => {
                let (process, variables, _) = self.first.clone().filter(|_| !self.place.d_step)?;
                if variables.is_empty() {
                    return None;
                }
                let variable = self.random.pick(&variables).clone();
                format!("{process}[0]:{variable}")
            }
            _ => "get_priority(_pid)".to_owned(),
        };
        self.uses(choice);
        Some(text)
    }

    /// A wanted feature among the choices, most of the time.
    pub(super) fn wanted_of(&mut self, choices: &[&'static str], otherwise: &'static str) -> &'static str {
        let wanted: Vec<_> = choices.iter().copied().filter(|c| self.wants(c)).collect();
        if wanted.is_empty() || self.random.chance(30) {
            return otherwise;
        }
        wanted[self.random.below(wanted.len())]
    }

    /// A condition that stands alone.
    pub(super) fn test_of(&mut self, depth: usize) -> String {
        self.probes = true;
        let text = self.condition(depth);
        self.probes = false;
        text
    }

    /// An expression that is 0 or 1.
    pub(super) fn condition(&mut self, depth: usize) -> String {
        let choices = ["full", "empty", "nfull", "nempty", "poll", "poll-random", "remote-label", "enabled"];
        let special = *self.random.pick(&choices);
        let special = self.wanted_of(&choices, special);
        if self.random.chance(30)
            && self.on(special)
            && let Some(text) = self.test(special)
        {
            self.uses(special);
            return text;
        }
        if depth > 0 && self.random.chance(25) {
            let operator = *self.random.pick(&["&&", "||"]);
            return format!("({} {operator} {})", self.condition(depth - 1), self.condition(depth - 1));
        }
        if self.maybe("macro", 5) {
            self.uses("macro");
            return format!("LOW({})", self.operand());
        }
        if self.random.chance(8) {
            let inner = self.operand();
            return format!("(!{inner})");
        }
        let operator = *self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
        let left = if depth > 0 && self.random.chance(30) { self.expression(depth - 1) } else { self.operand() };
        let right = if self.random.chance(70) { self.constant() } else { self.operand() };
        format!("({left} {operator} {right})")
    }

    fn test(&mut self, special: &'static str) -> Option<String> {
        match special {
            "poll" | "poll-random" => self.poll(special),
            "remote-label" => {
                let (process, _, labels) = self.first.clone().filter(|_| !self.place.d_step)?;
                if labels.is_empty() {
                    return None;
                }
                let label = self.random.pick(&labels).clone();
                Some(format!("({process}[0]@{label})"))
            }
            "enabled" => {
                // It must not ask for itself; a process whose number is not known is not the first.
                let other = if self.own.is_some() { self.random.below(3) } else { 0 };
                (Some(other) != self.own).then(|| format!("enabled({other})"))
            }
            _ if !self.probes => None,
            _ => {
                let chan = self.channel(|c| c.capacity != Some(0))?;
                Some(format!("{special}({chan})"))
            }
        }
    }

    /// A value for a variable or a field of this type; small where states would become too many.
    pub(super) fn value(&mut self, kind: Kind) -> String {
        match kind {
            Kind::Mtype | Kind::Named => self.symbol(kind),
            Kind::Bit | Kind::Bool if self.random.chance(50) => self.condition(1),
            _ if self.place.in_loop || self.random.chance(40) => match self.random.below(3) {
                0 => format!("({} & 1)", self.expression(1)),
                1 => self.random.below(3).to_string(),
                _ => self.constant(),
            },
            _ => self.expression(2),
        }
    }

    pub(super) fn symbol(&mut self, kind: Kind) -> String {
        let vars: Vec<Var> = self.scope.vars.iter().filter(|v| v.kind == kind).cloned().collect();
        if !vars.is_empty() && self.random.chance(40) {
            let var = self.random.pick(&vars).clone();
            return self.read(&var);
        }
        let names: &[&str] = if kind == Kind::Named { &["up", "down"] } else { &["red", "green", "blue"] };
        (*self.random.pick(names)).to_owned()
    }

    /// A value that fits the type: sorted sends compare what was cut in one tool, and what was not in the other.
    pub(super) fn fitting(&mut self, kind: Kind) -> String {
        match kind {
            Kind::Mtype | Kind::Named => self.symbol(kind),
            Kind::Bit | Kind::Bool => self.random.below(2).to_string(),
            _ => self.random.below(4).to_string(),
        }
    }
}

//! Expressions and actions as text, for statements that do not stand in the source as such: the
//! steps of a `for` loop, the value of a late declaration, what a macro stands for.

use crate::expr::{ChannelTest, Expr, Pattern, Place, UnaryOp};
use crate::ids::MachineId;
use crate::network::{Action, Initial, Network, ScalarType};

/// Writes expressions of one machine.
pub struct Display<'a> {
    /// The network whose names are used.
    pub network: &'a Network,
    /// The machine whose local names are used.
    pub machine: MachineId,
}

impl Display<'_> {
    /// An action as a statement.
    pub fn action(&self, action: &Action) -> String {
        match action {
            Action::Skip => String::from("skip"),
            Action::Condition(e) => self.expr(e),
            Action::Assert(e) => format!("assert({})", self.expr(e)),
            Action::Else => String::from("else"),
            Action::Assign(place, e) => format!("{} = {}", self.place(place), self.expr(e)),
            Action::Send { channel, message, sorted } => {
                let mark = if *sorted { "!!" } else { "!" };
                format!("{}{mark}{}", self.expr(channel), self.message(channel, message))
            }
            Action::Receive { channel, pattern, mode } => {
                let mark = if mode.anywhere { "??" } else { "?" };
                let fields = self.fields(channel, pattern);
                if mode.keep {
                    format!("{}{mark}<{fields}>", self.expr(channel))
                } else {
                    format!("{}{mark}{fields}", self.expr(channel))
                }
            }
            Action::Observe { channel, sent, pattern } => {
                let mark = if *sent { "!" } else { "?" };
                format!("{}{mark}{}", self.expr(channel), self.fields(channel, pattern))
            }
            Action::Print { format, .. } => format!("printf(\"{format}\")"),
            Action::Run { machine, arguments, then, .. } => {
                let run = format!("run {}({})", self.network.machine(*machine).name, self.list(arguments));
                match then {
                    Some((place, _)) => format!("{} = {run}", self.place(place)),
                    None => run,
                }
            }
            Action::SetPriority(a, b) => format!("set_priority({}, {})", self.expr(a), self.expr(b)),
            Action::End => String::from("-end-"),
            Action::Deterministic(_) => String::from("d_step"),
        }
    }

    fn list(&self, expressions: &[Expr]) -> String {
        expressions.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(",")
    }

    /// The types of the fields of a channel, as far as its declaration says them.
    fn types(&self, channel: &Expr) -> impl Iterator<Item = Option<ScalarType>> {
        let declared = match channel {
            Expr::Read(place) => self.network.variable(place, self.machine).initial.clone(),
            _ => Initial::Zero,
        };
        let types = match declared {
            Initial::NewChannel(ty) => self.network.channel_types[ty.index()].fields.clone(),
            _ => Vec::new(),
        };
        types.into_iter().map(Some).chain(std::iter::repeat(None))
    }

    fn message(&self, channel: &Expr, message: &[Expr]) -> String {
        let field = |(e, ty): (&Expr, _)| e.constant().map_or_else(|| self.expr(e), |value| self.value(ty, value));
        message.iter().zip(self.types(channel)).map(field).collect::<Vec<_>>().join(",")
    }

    fn fields(&self, channel: &Expr, patterns: &[Pattern]) -> String {
        let field = |(pattern, ty): (&Pattern, _)| self.pattern(pattern, ty);
        patterns.iter().zip(self.types(channel)).map(field).collect::<Vec<_>>().join(",")
    }

    fn value(&self, ty: Option<ScalarType>, value: i32) -> String {
        ty.map_or_else(|| value.to_string(), |ty| self.network.show_value(ty, value))
    }

    fn pattern(&self, pattern: &Pattern, ty: Option<ScalarType>) -> String {
        match pattern {
            Pattern::Match(Expr::Const(value)) => self.value(ty, *value),
            Pattern::Match(e) => format!("eval({})", self.expr(e)),
            Pattern::Bind(place) => self.place(place),
            Pattern::Any => String::from("_"),
        }
    }

    fn place(&self, place: &Place) -> String {
        let variable = self.network.variable(place, self.machine);
        self.indexed(&variable.name, variable.dimensions.iter().map(|d| d.name_end as usize), &place.indices)
    }

    /// A name with its indices where they belong: `a[i].b[j]`.
    fn indexed(&self, name: &str, ends: impl Iterator<Item = usize>, indices: &[Expr]) -> String {
        let mut text = String::new();
        let mut from = 0;
        for (end, index) in ends.zip(indices) {
            let end = end.min(name.len());
            text += &name[from..end];
            text += &format!("[{}]", self.expr(index));
            from = end;
        }
        text + &name[from..]
    }

    /// An expression, with parentheses around inner operators.
    pub fn expr(&self, e: &Expr) -> String {
        match e {
            Expr::Const(value) => value.to_string(),
            Expr::Read(place) => self.place(place),
            Expr::Unary(op, e) => {
                let mark = match op {
                    UnaryOp::Not => "!",
                    UnaryOp::Negate => "-",
                    UnaryOp::Complement => "~",
                };
                format!("{mark}{}", self.inner(e))
            }
            Expr::Binary(op, a, b) => format!("{} {} {}", self.inner(a), op.symbol(), self.inner(b)),
            Expr::Conditional(c, a, b) => format!("({} -> {} : {})", self.expr(c), self.expr(a), self.expr(b)),
            Expr::Channel(test, channel) => {
                let name = match test {
                    ChannelTest::Len => "len",
                    ChannelTest::Full => "full",
                    ChannelTest::Empty => "empty",
                    ChannelTest::NotFull => "nfull",
                    ChannelTest::NotEmpty => "nempty",
                };
                format!("{name}({})", self.expr(channel))
            }
            Expr::Poll { channel, pattern, anywhere } => {
                let mark = if *anywhere { "??" } else { "?" };
                format!("{}{mark}[{}]", self.expr(channel), self.fields(channel, pattern))
            }
            Expr::Timeout => String::from("timeout"),
            Expr::Pid => String::from("_pid"),
            Expr::ProcessCount => String::from("_nr_pr"),
            Expr::LastMover => String::from("_last"),
            Expr::RunResult => String::from("run"),
            Expr::Enabled(pid) => format!("enabled({})", self.expr(pid)),
            Expr::ProgramCounter(pid) => format!("pc_value({})", self.expr(pid)),
            Expr::Priority(pid) => format!("get_priority({})", self.expr(pid)),
            Expr::NonProgress => String::from("np_"),
            Expr::At { machine, pid, location } => {
                let machine = self.network.machine(*machine);
                let label = machine.locations[location.index()].labels.first();
                let label = label.cloned().unwrap_or_else(|| location.0.to_string());
                format!("{}{}@{label}", machine.name, self.process(pid))
            }
            Expr::Remote { machine, pid, variable, indices, .. } => {
                let machine = self.network.machine(*machine);
                let declared = &machine.variables[variable.index()];
                let ends = declared.dimensions.iter().map(|d| d.name_end as usize);
                format!("{}{}:{}", machine.name, self.process(pid), self.indexed(&declared.name, ends, indices))
            }
        }
    }

    fn process(&self, pid: &Option<Box<Expr>>) -> String {
        pid.as_ref().map(|e| format!("[{}]", self.expr(e))).unwrap_or_default()
    }

    fn inner(&self, e: &Expr) -> String {
        match e {
            Expr::Binary(..) => format!("({})", self.expr(e)),
            _ => self.expr(e),
        }
    }
}

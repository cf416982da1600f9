//! A canonical description of a system: what reports show in place of a source text, and what certificates belong to.
//!
//! Everything that the meaning of a system depends on is in it, and all names are identifiers, so that two systems with the
//! same description are the same model.

use super::expression::{Field, Term, Wanted};
use super::{Channel, Process, Statement, System, Type, Variable};
use model::expr::{ChannelTest, UnaryOp};
use std::fmt::Write as _;

impl Type {
    pub(super) fn text(self) -> String {
        match self {
            Type::Bit => String::from("bit"),
            Type::Byte => String::from("byte"),
            Type::Short => String::from("short"),
            Type::Int => String::from("int"),
            Type::Unsigned(bits) => format!("unsigned:{bits}"),
            Type::Symbol => String::from("symbol"),
        }
    }
}

/// What is declared for the whole system, and where each channel is in it.
pub(super) fn declarations(system: &System) -> (String, Vec<(usize, usize)>) {
    let mut text = format!("system {:?}\n", system.name);
    if !system.symbols.is_empty() {
        text += &format!("symbols {}\n", system.symbols.join(", "));
    }
    let mut places = Vec::new();
    for declared in &system.channels {
        let start = text.len();
        text += &channel(declared);
        places.push((start, text.len()));
        text += "\n";
    }
    for declared in &system.variables {
        text += &variable(declared);
    }
    for (name, formula, propositions) in &system.formulas {
        text += &format!("formula {name}: {formula:?}\n");
        for (name, condition) in propositions {
            text += &format!("  {name:?} is {}\n", condition.0.text());
        }
    }
    (text, places)
}

fn channel(channel: &Channel) -> String {
    let capacity = channel.capacity.map_or_else(|| String::from("unbounded"), |capacity| capacity.to_string());
    let fields: Vec<String> = channel.fields.iter().map(|field| field.text()).collect();
    format!("channel {} [{capacity}] {{ {} }}", channel.name, fields.join(", "))
}

fn variable(variable: &Variable) -> String {
    format!("variable {} {} = {}\n", variable.ty.text(), variable.name, variable.first.0.text())
}

/// What is declared for a process, without its edges.
pub(super) fn process(process: &Process) -> String {
    let initial = process.initial.as_deref().unwrap_or("");
    let mut text = format!("process {} x {} starts at {initial}\n", process.name, process.count);
    for declared in &process.variables {
        text += &variable(declared);
    }
    for location in &process.locations {
        let _ = write!(text, "location {}", location.name);
        for (is, label) in [(location.end, " end"), (location.progress, " progress"), (location.accept, " accept")] {
            text += if is { label } else { "" };
        }
        text += "\n";
    }
    text
}

impl Statement {
    pub(super) fn text(&self) -> String {
        match self {
            Statement::Guard(condition) => condition.text(),
            Statement::Otherwise => String::from("else"),
            Statement::Assign(variable, value) => format!("{variable} = {}", value.text()),
            Statement::Send { channel, message } => {
                let fields: Vec<String> = message.iter().map(|value| value.0.text()).collect();
                format!("{channel}!{}", fields.join(","))
            }
            Statement::Receive { channel, fields, anywhere } => {
                let fields: Vec<String> = fields.iter().map(Field::text).collect();
                format!("{channel}{}{}", if *anywhere { "??" } else { "?" }, fields.join(","))
            }
            Statement::Assert(condition) => format!("assert({})", condition.text()),
        }
    }
}

impl Field {
    fn text(&self) -> String {
        match &self.0 {
            Wanted::Any => String::from("_"),
            Wanted::Name(name) => name.clone(),
            Wanted::Equal(Term::Int(value)) => value.to_string(),
            Wanted::Equal(value) => format!("eval({})", value.text()),
        }
    }
}

impl Term {
    pub(super) fn text(&self) -> String {
        let inner = |term: &Term| match term {
            Term::Binary(..) => format!("({})", term.text()),
            _ => term.text(),
        };
        match self {
            Term::Int(value) => value.to_string(),
            Term::Name(name) => name.clone(),
            Term::Unary(UnaryOp::Not, term) => format!("!{}", inner(term)),
            Term::Unary(UnaryOp::Negate, term) => format!("-({})", term.text()),
            Term::Unary(UnaryOp::Complement, term) => format!("~{}", inner(term)),
            Term::Binary(op, left, right) => format!("{} {} {}", inner(left), op.symbol(), inner(right)),
            Term::Channel(test, channel) => {
                let test = match test {
                    ChannelTest::Len => "len",
                    ChannelTest::Full => "full",
                    ChannelTest::Empty => "empty",
                    ChannelTest::NotFull => "nfull",
                    ChannelTest::NotEmpty => "nempty",
                };
                format!("{test}({channel})")
            }
            Term::At { process, location } => format!("{process}@{location}"),
            Term::Timeout => String::from("timeout"),
            Term::Pid => String::from("_pid"),
        }
    }
}

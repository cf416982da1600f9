//! From a description to a network: names are looked up, and an edge with several statements becomes an atomic sequence.

use super::description;
use super::expression::{Field, Term, Wanted};
use super::{BuildError, Edge, Expr, Process, Statement, System, Type, Variable};
use crate::model::{self as models, Model, NetworkModel};
use input::{hash, sizes};
use model::diagnostic::nearest;
use model::expr::{self, Pattern, Place, Scope};
use model::formula::{Atom, Ltl};
use model::ids::{EdgeId, LocationId, MachineId, SymbolSetId, VariableId};
use model::network::{
    self, Action, ChannelType, Formula, Initial, Instance, Machine, MachineKind, Network, ReceiveMode, ScalarType,
    SymbolSet,
};
use model::source::{FileId, SourceMap, Span};
use report::document::ModelInfo;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// The language of such a model in reports.
const LANGUAGE: &str = "rust";
/// The most symbols: what a byte can count.
const MOST_SYMBOLS: usize = 255;
/// The largest capacity: what two bytes can count.
const LARGEST_CAPACITY: u32 = 65_535;
/// The most processes that run from the start.
const MOST_PROCESSES: usize = 255;

pub(super) fn build(system: &System) -> Result<Model, BuildError> {
    let mut lowering = Lowering { system, network: Network::default(), sources: SourceMap::new() };
    lowering.declare()?;
    for index in 0..system.processes.len() {
        let machine = lowering.machine(index)?;
        lowering.network.machines.push(machine);
    }
    lowering.formulas()?;
    let Lowering { network, sources, .. } = lowering;
    let mut parts: Vec<&str> = Vec::new();
    for file in sources.files() {
        parts.extend([file.name.as_str(), "\n", file.text.as_str(), "\n"]);
    }
    let info = ModelInfo {
        file: system.name.clone(),
        language: LANGUAGE,
        sha256: hash(b"", &parts),
        defines: Vec::new(),
        processes: 0,
        machines: 0,
        channels: 0,
        composition: None,
        program: None,
        components: None,
    };
    let info = sizes(info, Some(&network));
    let system = models::System::Network(NetworkModel { network, bad: None });
    let (sources, warnings, read_time) = (Arc::new(sources), Vec::new(), Duration::ZERO);
    Ok(Model { system, sources, warnings, info, origin: None, read_time })
}

struct Lowering<'s> {
    system: &'s System,
    network: Network,
    sources: SourceMap,
}

/// Where a name is looked up: in a process or, for formulas, in the system alone.
#[derive(Clone, Copy)]
struct Names<'s> {
    process: Option<&'s Process>,
    /// What messages call the place.
    place: &'s str,
    span: Span,
}

/// What a name stands for.
enum Named {
    Variable(Place),
    Symbol(i32),
}

fn wrong<T>(place: &str, problem: impl Into<String>) -> Result<T, BuildError> {
    Err(BuildError { place: place.to_owned(), problem: problem.into() })
}

/// `; did you mean ...?`, if some name is near.
fn hint<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// What stands for something else in a description.
const RESERVED: [&str; 7] = ["_", "_pid", "assert", "else", "eval", "skip", "timeout"];

/// Names are identifiers, and one name is one thing.
fn distinct<'n>(place: &str, names: impl Iterator<Item = (&'static str, &'n str)>) -> Result<(), BuildError> {
    let mut seen = HashSet::new();
    for (what, name) in names {
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !starts || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return wrong(place, format!("the {what} {name:?} needs a name of letters, digits and underscores"));
        }
        if RESERVED.contains(&name) {
            return wrong(place, format!("the {what} `{name}` needs another name: this one is reserved"));
        }
        if !seen.insert(name) {
            return wrong(place, format!("the name `{name}` is declared twice"));
        }
    }
    Ok(())
}

impl<'s> Lowering<'s> {
    /// Symbols, channels and shared variables.
    fn declare(&mut self) -> Result<(), BuildError> {
        let system = self.system;
        let whole = system.name.as_str();
        let symbols = system.symbols.iter().map(|name| ("symbol", name.as_str()));
        let channels = system.channels.iter().map(|channel| ("channel", channel.name.as_str()));
        let variables = system.variables.iter().map(|variable| ("variable", variable.name.as_str()));
        distinct(whole, symbols.chain(channels).chain(variables))?;
        distinct(whole, system.processes.iter().map(|process| ("process", process.name.as_str())))?;
        distinct(whole, system.formulas.iter().map(|(name, ..)| ("formula", name.as_str())))?;
        if system.symbols.len() > MOST_SYMBOLS {
            return wrong(whole, format!("there are more than {MOST_SYMBOLS} symbols"));
        }
        let count: usize = system.processes.iter().map(|process| process.count).sum();
        if count == 0 || count > MOST_PROCESSES {
            return wrong(whole, format!("there are {count} processes; a system has 1 to {MOST_PROCESSES}"));
        }
        self.network.symbol_sets = vec![SymbolSet { name: String::new(), symbols: system.symbols.clone() }];
        let (text, places) = description::declarations(system);
        let file = self.sources.add(system.name.clone(), text);
        for (channel, (start, end)) in system.channels.iter().zip(places) {
            let place = format!("channel {}", channel.name);
            if channel.capacity.is_some_and(|capacity| capacity > LARGEST_CAPACITY) {
                return wrong(&place, format!("a channel holds at most {LARGEST_CAPACITY} messages"));
            }
            if channel.fields.is_empty() {
                return wrong(&place, "a message has at least one field");
            }
            let fields = channel.fields.iter().map(|ty| scalar(&place, *ty)).collect::<Result<_, _>>()?;
            let span = Span::new(file, start, end);
            let kind = self.network.channel_types.len();
            self.network.channel_types.push(ChannelType { capacity: channel.capacity, fields, lossy: false, span });
            self.network.variables.push(network::Variable {
                name: channel.name.clone(),
                ty: ScalarType::Channel,
                dimensions: Vec::new(),
                initial: Initial::NewChannel(kind.into()),
                span,
            });
        }
        for variable in &system.variables {
            let lowered = self.variable(variable, Span::new(file, 0, 0))?;
            self.network.variables.push(lowered);
        }
        for (index, process) in system.processes.iter().enumerate() {
            let instance = Instance { machine: index.into(), priority: 1 };
            self.network.instances.extend(std::iter::repeat_n(instance, process.count));
        }
        Ok(())
    }

    fn variable(&self, variable: &Variable, span: Span) -> Result<network::Variable, BuildError> {
        let place = format!("variable {}", variable.name);
        let ty = scalar(&place, variable.ty)?;
        let first = match &variable.first.0 {
            Term::Int(value) => *value,
            Term::Name(name) => match self.symbol(name) {
                Some(symbol) => symbol,
                None => return wrong(&place, format!("the first value `{name}` is neither a number nor a symbol")),
            },
            other => return wrong(&place, format!("the first value `{}` is no constant", other.text())),
        };
        if ty.truncate(first) != first {
            return wrong(&place, format!("the first value {first} does not fit into {}", variable.ty.text()));
        }
        let initial = if first == 0 { Initial::Zero } else { Initial::Value(expr::Expr::Const(first)) };
        Ok(network::Variable { name: variable.name.clone(), ty, dimensions: Vec::new(), initial, span })
    }

    fn symbol(&self, name: &str) -> Option<i32> {
        let found = self.system.symbols.iter().position(|symbol| symbol == name);
        found.map(|index| index as i32 + 1)
    }

    fn machine(&mut self, index: usize) -> Result<Machine, BuildError> {
        let process = &self.system.processes[index];
        let whole = format!("process {}", process.name);
        distinct(&whole, process.variables.iter().map(|variable| ("variable", variable.name.as_str())))?;
        distinct(&whole, process.locations.iter().map(|location| ("location", location.name.as_str())))?;
        let Some(initial) = &process.initial else {
            return wrong(&whole, "there is no initial location; add `.initial(..)`");
        };
        let file = self.sources.add_place(process.name.clone(), description::process(process));
        let span = Span::new(file, 0, process.name.len());
        let variables = process.variables.iter().map(|variable| self.variable(variable, span));
        let mut machine = Machine {
            name: process.name.clone(),
            kind: MachineKind::Process,
            parameters: 0,
            variables: variables.collect::<Result<_, _>>()?,
            locations: Vec::new(),
            edges: Vec::new(),
            initial: LocationId(0),
            provided: None,
            span,
        };
        machine.locations = process.locations.iter().map(|location| location_of(location, process)).collect();
        machine.initial = self.location(process, initial, &whole)?;
        for (from, location) in process.locations.iter().enumerate() {
            self.edges_from(&mut machine, process, from, &location.name)?;
        }
        Ok(machine)
    }

    /// The edges of a location, with their statements as the text of its place.
    fn edges_from(
        &mut self,
        machine: &mut Machine,
        process: &'s Process,
        from: usize,
        name: &str,
    ) -> Result<(), BuildError> {
        let place = format!("{}@{name}", process.name);
        let is_else = |edge: &&&Edge| matches!(edge.statements.first(), Some(Statement::Otherwise));
        let edges: Vec<&Edge> = process.edges.iter().filter(|edge| edge.from == name).collect();
        let last: Vec<&&Edge> = edges.iter().filter(is_else).collect();
        if last.len() > 1 {
            return wrong(&place, "there are two edges with `otherwise`");
        }
        // An `else` is tried last.
        let ordered: Vec<&Edge> = edges.iter().filter(|edge| !is_else(edge)).chain(last).copied().collect();
        let mut text = String::new();
        let mut written: Vec<Vec<(usize, usize)>> = Vec::new();
        for edge in &ordered {
            let mut places = Vec::new();
            let statements: Vec<String> = edge.statements.iter().map(Statement::text).collect();
            let statements = if statements.is_empty() { vec![String::from("skip")] } else { statements };
            for (index, statement) in statements.iter().enumerate() {
                text += if index == 0 { "" } else { "; " };
                places.push((text.len(), text.len() + statement.len()));
                text += statement;
            }
            text += &format!(" -> {}\n", edge.to);
            written.push(places);
        }
        let file = self.sources.add_place(place.clone(), text);
        machine.locations[from].span = Some(Span::new(file, 0, 0));
        for (edge, places) in ordered.into_iter().zip(written) {
            let to = self.location(process, &edge.to, &place)?;
            let span = |index: usize| span_of(file, places[index]);
            let mut at = LocationId::from(from);
            let count = edge.statements.len().max(1);
            for index in 0..count {
                let names = Names { process: Some(process), place: &place, span: span(index) };
                let action = match edge.statements.get(index) {
                    None => Action::Skip,
                    Some(Statement::Otherwise) if index > 0 => {
                        return wrong(&place, "`otherwise` is only for the start of an edge");
                    }
                    Some(statement) => self.action(statement, names)?,
                };
                let next = match index + 1 == count {
                    true => to,
                    false => {
                        let span = Some(span(index + 1));
                        machine.locations.push(network::Location { span, ..network::Location::default() });
                        LocationId::from(machine.locations.len() - 1)
                    }
                };
                machine.locations[at.index()].edges.push(EdgeId::from(machine.edges.len()));
                let atomic = index + 1 < count;
                machine.edges.push(network::Edge { from: at, to: next, action, atomic, escape: 0, span: span(index) });
                at = next;
            }
        }
        Ok(())
    }

    fn location(&self, process: &Process, name: &str, place: &str) -> Result<LocationId, BuildError> {
        let known = || process.locations.iter().map(|location| location.name.as_str());
        match known().position(|location| location == name) {
            Some(index) => Ok(index.into()),
            None => {
                let help = "no edge starts there; a location without edges is declared by `.location(..)`";
                wrong(place, format!("there is no location `{name}`{}: {help}", hint(name, known())))
            }
        }
    }

    fn action(&self, statement: &Statement, names: Names<'_>) -> Result<Action, BuildError> {
        Ok(match statement {
            Statement::Guard(condition) => Action::Condition(self.expression(condition, names)?),
            Statement::Otherwise => Action::Else,
            Statement::Assert(condition) => Action::Assert(self.expression(condition, names)?),
            Statement::Assign(variable, value) => match self.named(variable, names)? {
                Named::Variable(place) => Action::Assign(place, self.expression(value, names)?),
                Named::Symbol(_) => return wrong(names.place, format!("the symbol `{variable}` cannot be assigned")),
            },
            Statement::Send { channel, message } => {
                let message = message.iter().map(|Expr(value)| self.expression(value, names));
                let message = message.collect::<Result<Vec<_>, _>>()?;
                let channel = self.channel(channel, Some(message.len()), names)?;
                Action::Send { channel, message, sorted: false }
            }
            Statement::Receive { channel, fields, anywhere } => {
                let pattern = fields.iter().map(|field| self.pattern(field, names)).collect::<Result<Vec<_>, _>>()?;
                let channel = self.channel(channel, Some(pattern.len()), names)?;
                Action::Receive { channel, pattern, mode: ReceiveMode { anywhere: *anywhere, keep: false } }
            }
        })
    }

    fn pattern(&self, field: &Field, names: Names<'_>) -> Result<Pattern, BuildError> {
        Ok(match &field.0 {
            Wanted::Any => Pattern::Any,
            Wanted::Equal(value) => Pattern::Match(self.expression(value, names)?),
            Wanted::Name(name) => match self.named(name, names)? {
                Named::Variable(place) => Pattern::Bind(place),
                Named::Symbol(value) => Pattern::Match(expr::Expr::Const(value)),
            },
        })
    }

    /// A channel, with the number of fields that it is used with.
    fn channel(&self, name: &str, fields: Option<usize>, names: Names<'_>) -> Result<expr::Expr, BuildError> {
        let channels = &self.system.channels;
        let Some(index) = channels.iter().position(|channel| channel.name == name) else {
            let near = hint(name, channels.iter().map(|channel| channel.name.as_str()));
            return wrong(names.place, format!("there is no channel `{name}`{near}"));
        };
        let declared = channels[index].fields.len();
        if let Some(fields) = fields.filter(|fields| *fields != declared) {
            let problem = format!("messages of channel `{name}` have {declared} fields, and here are {fields}");
            return wrong(names.place, problem);
        }
        // Channels come before the other variables.
        Ok(expr::Expr::Read(variable(Scope::Global, index, names.span)))
    }

    fn named(&self, name: &str, names: Names<'_>) -> Result<Named, BuildError> {
        let at = |variables: &[Variable]| variables.iter().position(|variable| variable.name == name);
        let system = self.system;
        if let Some(index) = names.process.and_then(|process| at(&process.variables)) {
            return Ok(Named::Variable(variable(Scope::Local, index, names.span)));
        }
        if let Some(index) = at(&system.variables) {
            return Ok(Named::Variable(variable(Scope::Global, system.channels.len() + index, names.span)));
        }
        if let Some(symbol) = self.symbol(name) {
            return Ok(Named::Symbol(symbol));
        }
        let own = names.process.map_or(&[][..], |process| &process.variables);
        let variables = own.iter().chain(&system.variables).map(|variable| variable.name.as_str());
        let known = variables.chain(system.symbols.iter().map(String::as_str));
        wrong(names.place, format!("there is no variable or symbol `{name}`{}", hint(name, known)))
    }

    fn expression(&self, term: &Term, names: Names<'_>) -> Result<expr::Expr, BuildError> {
        Ok(match term {
            Term::Int(value) => expr::Expr::Const(*value),
            Term::Name(name) => match self.named(name, names)? {
                Named::Variable(place) => expr::Expr::Read(place),
                Named::Symbol(value) => expr::Expr::Const(value),
            },
            Term::Unary(op, term) => expr::Expr::Unary(*op, Box::new(self.expression(term, names)?)),
            Term::Binary(op, left, right) => {
                let (left, right) = (self.expression(left, names)?, self.expression(right, names)?);
                expr::Expr::Binary(*op, Box::new(left), Box::new(right))
            }
            Term::Channel(test, channel) => expr::Expr::Channel(*test, Box::new(self.channel(channel, None, names)?)),
            Term::At { process, location } => {
                let processes = &self.system.processes;
                let Some(index) = processes.iter().position(|known| known.name == *process) else {
                    let near = hint(process, processes.iter().map(|process| process.name.as_str()));
                    return wrong(names.place, format!("there is no process `{process}`{near}"));
                };
                let location = self.location(&processes[index], location, names.place)?;
                expr::Expr::At { machine: MachineId::from(index), pid: None, location }
            }
            Term::Timeout => expr::Expr::Timeout,
            Term::Pid => expr::Expr::Pid,
        })
    }

    /// Formulas, with conditions for their propositions.
    fn formulas(&mut self) -> Result<(), BuildError> {
        for (name, text, propositions) in &self.system.formulas {
            let place = format!("formula {name}");
            let parsed = match temporal::parse(text) {
                Ok(parsed) => parsed,
                Err(error) => return wrong(&place, error.message),
            };
            let names = Names { process: None, place: &place, span: Span::NONE };
            let mut atoms = Vec::new();
            for atom in &parsed.atoms {
                let Some((_, condition)) = propositions.iter().find(|(name, _)| name == atom.trim()) else {
                    let near = hint(atom, propositions.iter().map(|(name, _)| name.as_str()));
                    return wrong(&place, format!("the proposition `{atom}` has no condition{near}"));
                };
                let condition = self.expression(&condition.0, names)?;
                atoms.push(Ltl::Atom(Box::new(Atom::State(condition)), atom.clone()));
            }
            let formula = temporal::with_atoms(&parsed.formula, &atoms);
            let (name, text, is_question) = (name.clone(), text.clone(), false);
            self.network.formulas.push(Formula { name, text, formula, is_question, span: Span::NONE });
        }
        Ok(())
    }
}

fn location_of(location: &super::Location, process: &Process) -> network::Location {
    let is_left = process.edges.iter().any(|edge| edge.from == location.name);
    network::Location {
        labels: vec![location.name.clone()],
        end: location.end || !is_left,
        progress: location.progress,
        accept: location.accept,
        ..network::Location::default()
    }
}

fn variable(scope: Scope, index: usize, span: Span) -> Place {
    Place { scope, variable: VariableId::from(index), indices: Vec::new(), span }
}

fn span_of(file: FileId, (start, end): (usize, usize)) -> Span {
    Span::new(file, start, end)
}

fn scalar(place: &str, ty: Type) -> Result<ScalarType, BuildError> {
    Ok(match ty {
        Type::Bit => ScalarType::Bit,
        Type::Byte => ScalarType::Byte,
        Type::Short => ScalarType::Short,
        Type::Int => ScalarType::Int,
        Type::Unsigned(bits @ 1..=31) => ScalarType::Unsigned(bits),
        Type::Unsigned(bits) => return wrong(place, format!("an unsigned value has 1 to 31 bits, not {bits}")),
        Type::Symbol => ScalarType::Symbol(SymbolSetId(0)),
    })
}

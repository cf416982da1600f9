//! From a network of communicating machines to a text.
//!
//! What is written keeps to the published grammar, so that other tools read it too: states and channels are numbers. A
//! state whose label is a number keeps it; other names stand in comments. Names of automata and messages are made of
//! what the grammar allows, and made different where that makes two of them the same.
//!
//! A network fits when its machines share nothing but global channels without a limit, and every edge is an internal
//! step, or sends or takes one constant. Anything else is refused, with the place and the reason. Data that are finite
//! are folded into the states first: [`crate::fold()`].

use crate::specification::{Allowed, Bad, Regex, Specification};
use model::expr::{Expr, Pattern, Scope};
use model::ids::LocationId;
use model::network::{Action, Initial, Location, Machine, Network, ReceiveMode};
use model::source::Span;
use std::collections::HashSet;
use std::fmt;

/// Why a network cannot be written as communicating machines, and where it says so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotExpressible {
    /// The place in the source of the network.
    pub span: Span,
    /// What stands in the way.
    pub why: String,
}

impl NotExpressible {
    /// A reason at a place.
    pub(crate) fn new<T>(span: Span, why: impl Into<String>) -> Result<T, NotExpressible> {
        Err(NotExpressible { span, why: why.into() })
    }
}

impl fmt::Display for NotExpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for NotExpressible {}

/// Writes a network and its bad configurations as a text that [`crate::read`] reads.
pub fn print(network: &Network, specification: &Specification) -> Result<String, NotExpressible> {
    let printer = Printer::new(network)?;
    let mut text = printer.header()?;
    for (index, instance) in network.instances.iter().enumerate() {
        text += &printer.automaton(index, network.machine(instance.machine))?;
    }
    text += &printer.bad_states(specification)?;
    Ok(text)
}

/// What an edge does to a channel: its number, whether it sends, and the message.
type Use = Option<(usize, bool, i32)>;

struct Printer<'n> {
    network: &'n Network,
    /// Names of the automata, by process.
    automata: Vec<String>,
    /// Names of the messages; the value `v` has the name at `v - 1`.
    messages: Vec<String>,
}

impl<'n> Printer<'n> {
    fn new(network: &'n Network) -> Result<Self, NotExpressible> {
        let mut taken: HashSet<String> = crate::lexer::KEYWORDS.iter().map(|word| (*word).to_owned()).collect();
        let mut automata = Vec::new();
        for instance in &network.instances {
            let machine = network.machine(instance.machine);
            check_machine(machine)?;
            automata.push(different(&machine.name, &mut taken));
        }
        let greatest = greatest_message(network)?;
        let known = network.symbol_sets.first().map_or(&[][..], |set| set.symbols.as_slice());
        let count = greatest.max(known.len());
        let mut taken: HashSet<String> = crate::lexer::KEYWORDS.iter().map(|word| (*word).to_owned()).collect();
        let name = |index: usize| known.get(index).cloned().unwrap_or_else(|| format!("m{}", index + 1));
        let messages = (0..count).map(|index| different(&name(index), &mut taken)).collect();
        Ok(Printer { network, automata, messages })
    }

    fn header(&self) -> Result<String, NotExpressible> {
        let network = self.network;
        for variable in &network.variables {
            if !matches!(variable.initial, Initial::NewChannel(_)) || !variable.dimensions.is_empty() {
                let why = format!("`{}` is a shared variable; machines share nothing but channels", variable.name);
                return NotExpressible::new(variable.span, why);
            }
        }
        if network.variables.is_empty() {
            return NotExpressible::new(Span::NONE, "there is no channel");
        }
        let mut text = format!("scm model :\n\nnb_channels = {} ;\n", network.variables.len());
        let mut lossy = Vec::new();
        for (index, variable) in network.variables.iter().enumerate() {
            let Initial::NewChannel(kind) = variable.initial else { continue };
            let kind = &network.channel_types[kind.index()];
            if kind.capacity == Some(0) {
                return NotExpressible::new(variable.span, "a rendezvous channel holds no message");
            }
            if kind.capacity.is_some() {
                let why = "this channel has a limit; read the model with unbounded channels";
                return NotExpressible::new(variable.span, why);
            }
            if kind.fields.len() != 1 {
                return NotExpressible::new(variable.span, "a message of this channel is not one constant");
            }
            lossy.extend(kind.lossy.then(|| index.to_string()));
            if variable.name != index.to_string() {
                text += &format!("// channel {index} is {}\n", one_line(&variable.name));
            }
        }
        if !lossy.is_empty() {
            text += &format!("lossy : {}\n", lossy.join(", "));
        }
        text += "parameters :\n";
        self.messages.iter().for_each(|message| text += &format!("int {message} ;\n"));
        Ok(text)
    }

    fn automaton(&self, index: usize, machine: &Machine) -> Result<String, NotExpressible> {
        let numbers = state_numbers(machine);
        let number = |location: usize| numbers.get(location).copied().unwrap_or(location as u32);
        let name = &self.automata[index];
        let first: Vec<String> = initial_states(machine).iter().map(|at| number(at.index()).to_string()).collect();
        let mut text = format!("\nautomaton {name} :\ninitial : {}\n", first.join(", "));
        for (at, location) in machine.locations.iter().enumerate().filter(|(_, location)| !is_start(location)) {
            text += &format!("state {} :", number(at));
            if let Some(label) = location.labels.first().filter(|label| **label != number(at).to_string()) {
                text += &format!(" // {}", one_line(label));
            }
            text.push('\n');
            for edge in machine.edges_from(at.into()) {
                let action = match channel_use(self.network, &edge.action, edge.span)? {
                    None => String::new(),
                    Some((channel, send, message)) => {
                        format!(" , {channel} {} {}", if send { '!' } else { '?' }, self.message(message))
                    }
                };
                text += &format!("to {} : when true{action} ;\n", number(edge.to.index()));
            }
        }
        Ok(text)
    }

    fn message(&self, value: i32) -> &str {
        let index = usize::try_from(value).unwrap_or(0).saturating_sub(1);
        self.messages.get(index).map_or("_", String::as_str)
    }

    fn bad_states(&self, specification: &Specification) -> Result<String, NotExpressible> {
        if specification.bad.is_empty() {
            return Ok(String::new());
        }
        let possible = specification.bad.iter().filter(|bad| bad.queues.as_ref().is_none_or(|q| !q.regex.is_void()));
        let parts: Result<Vec<String>, _> = possible.map(|bad| self.bad(bad)).collect();
        Ok(format!("\nbad_states :\n{}\n", parts?.join("\n")))
    }

    fn bad(&self, bad: &Bad) -> Result<String, NotExpressible> {
        let mut parts = Vec::new();
        for (process, instance) in self.network.instances.iter().enumerate() {
            let Some(Some(allowed)) = bad.machines.get(instance.machine.index()) else { continue };
            if allowed.is_empty() {
                return NotExpressible::new(bad.span, "an automaton that may be nowhere: these are no configurations");
            }
            let numbers = state_numbers(self.network.machine(instance.machine));
            let states: Result<Vec<String>, _> = allowed.iter().map(|state| in_state(state, &numbers)).collect();
            parts.push(format!("automaton {} : {}", self.automata[process], states?.join(" ")));
        }
        if let Some(regex) = bad.queues.as_ref().and_then(|language| language.regex.without_void()) {
            parts.push(format!("with {}", self.regex(&regex, 0)));
        }
        Ok(format!("({})", parts.join("\n ")))
    }

    /// A regular expression, in parentheses if it binds looser than `level`: 0 anywhere, 1 under `.`, 2 under `^*`.
    fn regex(&self, regex: &Regex, level: u8) -> String {
        let join = |parts: &[Regex], mark: &str, own: u8, inner: u8| {
            let text: Vec<String> = parts.iter().map(|part| self.regex(part, inner)).collect();
            if level > own { format!("({})", text.join(mark)) } else { text.join(mark) }
        };
        match regex {
            Regex::Empty => String::from("_"),
            Regex::Message(value) => self.message(*value).to_owned(),
            Regex::Separator => String::from("#"),
            Regex::Concat(parts) if parts.is_empty() => String::from("_"),
            Regex::Concat(parts) => join(parts, ".", 1, 2),
            Regex::Union(parts) => join(parts, "|", 0, 1),
            Regex::Star(inner) => format!("{}^*", self.regex(inner, 2)),
            Regex::Plus(inner) => format!("{}^+", self.regex(inner, 2)),
        }
    }
}

fn in_state(state: &Allowed, numbers: &[u32]) -> Result<String, NotExpressible> {
    if state.condition.is_some() {
        return NotExpressible::new(state.span, "a condition on data; fold the data first");
    }
    let number = numbers.get(state.location.index()).copied().unwrap_or(state.location.0);
    Ok(format!("in {number} : true"))
}

fn check_machine(machine: &Machine) -> Result<(), NotExpressible> {
    if let Some(variable) = machine.variables.first() {
        let why = format!("`{}` has the variable `{}`; fold its data first", machine.name, variable.name);
        return NotExpressible::new(variable.span, why);
    }
    if machine.provided.is_some() {
        return NotExpressible::new(machine.span, format!("`{}` moves only when a condition holds", machine.name));
    }
    Ok(())
}

/// The greatest value that is sent or received.
fn greatest_message(network: &Network) -> Result<usize, NotExpressible> {
    let mut greatest = 0;
    for machine in &network.machines {
        for edge in &machine.edges {
            if let Some((_, _, message)) = channel_use(network, &edge.action, edge.span)? {
                let index = usize::try_from(message).ok().filter(|&value| (1..=0xffff).contains(&value));
                let Some(index) = index else {
                    return NotExpressible::new(edge.span, format!("the message {message} has no name"));
                };
                greatest = greatest.max(index);
            }
        }
    }
    Ok(greatest)
}

/// What an action does to a channel, if it is one that a transition can do.
pub(crate) fn channel_use(network: &Network, action: &Action, span: Span) -> Result<Use, NotExpressible> {
    let used = match action {
        Action::Skip => return Ok(None),
        Action::Condition(Expr::Const(value)) if *value != 0 => return Ok(None),
        Action::Send { channel, message, sorted: false } => match message.as_slice() {
            [Expr::Const(value)] => Some((channel, true, *value)),
            _ => None,
        },
        Action::Receive { channel, pattern, mode } if *mode == ReceiveMode::default() => match pattern.as_slice() {
            [Pattern::Match(Expr::Const(value))] => Some((channel, false, *value)),
            _ => None,
        },
        _ => None,
    };
    let Some((channel, send, message)) = used else {
        return NotExpressible::new(span, "a transition sends or takes one constant, or does nothing");
    };
    match channel {
        Expr::Read(place) if place.scope == Scope::Global && place.indices.is_empty() => {
            let index = place.variable.index();
            if index < network.variables.len() {
                return Ok(Some((index, send, message)));
            }
        }
        _ => {}
    }
    NotExpressible::new(span, "which channel this is depends on data")
}

/// Whether a location is not a state but the choice of the first one.
fn is_start(location: &Location) -> bool {
    location.labels.iter().any(|label| label == crate::START)
}

/// Where a machine can begin.
fn initial_states(machine: &Machine) -> Vec<LocationId> {
    match machine.locations.get(machine.initial.index()) {
        Some(location) if is_start(location) => machine.edges_from(machine.initial).map(|edge| edge.to).collect(),
        _ => vec![machine.initial],
    }
}

/// Numbers for the states of a machine: their labels, if all of those are numbers and different. The place where the first
/// state is chosen is never written, and has a number that no label can be.
fn state_numbers(machine: &Machine) -> Vec<u32> {
    let labels = machine.locations.iter().map(|location| {
        if is_start(location) {
            return Some(u32::MAX);
        }
        let label = location.labels.first()?;
        let number: u32 = label.parse().ok()?;
        (number.to_string() == *label && i32::try_from(number).is_ok()).then_some(number)
    });
    let labels: Option<Vec<u32>> = labels.collect();
    let different = |numbers: &Vec<u32>| numbers.iter().collect::<HashSet<_>>().len() == numbers.len();
    labels.filter(different).unwrap_or_else(|| (0..machine.locations.len() as u32).collect())
}

/// A name that the grammar allows, and that is not taken yet.
pub(crate) fn different(name: &str, taken: &mut HashSet<String>) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let cleaned: String = name.chars().map(allowed).collect();
    let cleaned = cleaned.trim_matches('_');
    let letter = cleaned.chars().next().is_some_and(|c| c.is_ascii_alphabetic());
    let base = if letter { cleaned.to_owned() } else { format!("m{cleaned}") };
    let mut candidate = base.clone();
    let mut number = 1;
    while !taken.insert(candidate.clone()) {
        number += 1;
        candidate = format!("{base}_{number}");
    }
    candidate
}

/// A text that stays in its comment.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

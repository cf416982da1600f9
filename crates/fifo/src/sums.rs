//! Sums that no step raises, for the bad configurations of many machines and for formulas about lengths and
//! counters: see [`model::queue_parts::Weights`].
//!
//! The weights are unknown. Each edge is a row of a linear program: what its process weighs behind it, with what it
//! sends and creates, is at most what it weighs before, with what it takes. Each thing that must not be is another
//! row: with it, the sum is more than in the beginning. Light weights are preferred, and made whole numbers. (In Petri
//! nets these are sub-invariants of places; the order of messages plays no part.)

use linear::{Outcome, Problem, Rational, Variable, common_denominator};
use model::context::Context;
use model::expr::{BinaryOp, ChannelTest, Expr, Pattern, Place, Scope, UnaryOp};
use model::formula::{Atom, Connective, Ltl, Modality};
use model::network::{Action, Initial, Network};
use model::queue_parts::{QueueParts, Weights};
use model::verdict::Property;
use scm::Specification;
use std::collections::{BTreeMap, BTreeSet};

/// With more unknown weights than this, none are looked for.
const MOST_WEIGHTS: usize = 1 << 12;
/// And none that take longer to find.
const MOST_PIVOTS: u32 = 1 << 14;
/// If no sum excludes everything, so many are looked for, each for one thing.
const MOST_SUMS: usize = 64;

/// What must not be.
#[derive(Clone, Debug)]
enum Fault {
    /// Each of these machines at one of its locations.
    Places(Vec<(usize, Vec<usize>)>),
    /// A channel with more messages than this.
    Length(usize, i64),
    /// A shared variable that is more than this.
    Value(usize, i64),
}

/// A proof with sums alone for the bad configurations of machines, if there are any such sums.
pub fn of_bad(network: &Network, bad: (&Specification, &[String]), cx: &Context<'_>) -> Option<QueueParts> {
    let fault = |bad: &scm::Bad| {
        let named = bad.machines.iter().enumerate();
        let named = named.filter_map(|(machine, allowed)| Some((machine, allowed.as_ref()?)));
        Fault::Places(named.map(|(m, at)| (m, at.iter().map(|one| one.location.index()).collect())).collect())
    };
    let sums = of_faults(network, &bad.0.bad.iter().map(fault).collect::<Vec<_>>(), cx);
    (!sums.is_empty()).then(|| QueueParts { bad: bad.1.to_vec(), sums, ..QueueParts::default() })
}

/// A proof of a formula `[] p` that says that lengths of channels, or shared variables, are at most some numbers.
pub fn of_formula(network: &Network, property: &Property, cx: &Context<'_>) -> Option<QueueParts> {
    let formula = &network.formulas.iter().find(|formula| formula.property() == *property)?.formula;
    let Ltl::Unary(Modality::Always, body) = formula else { return None };
    let mut faults = Vec::new();
    in_formula(body, true, &mut faults)?;
    let sums = of_faults(network, &faults, cx);
    (!sums.is_empty()).then(|| QueueParts { sums, ..QueueParts::default() })
}

fn of_faults(network: &Network, faults: &[Fault], cx: &Context<'_>) -> Vec<Weights> {
    let find = |faults: &[Fault]| Unknown::of(network, faults).solve(faults, cx);
    match find(faults) {
        _ if faults.is_empty() => Vec::new(),
        Some(weights) => vec![weights],
        None if faults.len() == 1 => Vec::new(),
        None => {
            let mut sums: Vec<Weights> = Vec::new();
            for one in faults.iter().take(MOST_SUMS) {
                let Some(weights) = find(std::slice::from_ref(one)) else { continue };
                if !sums.contains(&weights) {
                    sums.push(weights);
                }
            }
            sums
        }
    }
}

/// A linear form over unknown weights.
type Form = Vec<(Variable, Rational)>;

/// The unknown weights.
struct Unknown<'a> {
    network: &'a Network,
    problem: Problem,
    locations: Vec<Vec<Variable>>,
    messages: BTreeMap<(usize, i32), Variable>,
    counters: BTreeMap<usize, Variable>,
    /// By channel, whether all messages that are sent there are known.
    known: BTreeMap<usize, bool>,
}

impl<'a> Unknown<'a> {
    fn of(network: &'a Network, faults: &[Fault]) -> Unknown<'a> {
        let mut problem = Problem::new();
        let mut fresh = || problem.add_variable(Rational::from(1i64));
        let locations = network.machines.iter().map(|m| m.locations.iter().map(|_| fresh()).collect()).collect();
        let (mut letters, mut known) = (BTreeSet::new(), BTreeMap::new());
        for action in network.machines.iter().flat_map(|machine| &machine.edges).map(|edge| &edge.action) {
            let Action::Send { channel, message, .. } = action else { continue };
            let Some(channel) = shared_channel(network, channel) else { continue };
            match message.first() {
                Some(Expr::Const(value)) => _ = letters.insert((channel, stored(network, channel, *value))),
                _ => _ = known.insert(channel, false),
            }
            known.entry(channel).or_insert(true);
        }
        let messages = letters.into_iter().map(|letter| (letter, fresh())).collect();
        let counters = faults.iter().filter_map(|fault| match fault {
            Fault::Value(variable, _) => Some(*variable),
            _ => None,
        });
        let counters: BTreeSet<usize> = counters.collect();
        let counters = counters.into_iter().map(|variable| (variable, fresh())).collect();
        Unknown { network, problem, locations, messages, counters, known }
    }

    fn solve(mut self, faults: &[Fault], cx: &Context<'_>) -> Option<Weights> {
        if self.problem.variable_count() > MOST_WEIGHTS {
            return None;
        }
        self.steps();
        for fault in faults {
            self.exclude(fault)?;
        }
        let mut pivots = 0;
        let mut keep_going = || {
            pivots += 1;
            pivots < MOST_PIVOTS && cx.budget.check().is_ok()
        };
        let Outcome::Optimal(solution) = self.problem.solve(&mut keep_going) else { return None };
        let times = common_denominator(&solution.values);
        let whole = |variable: &Variable| {
            let value = &solution.values[variable.0 as usize] * &times;
            value.to_i128().and_then(|value| u32::try_from(value).ok())
        };
        let locations = self.locations.iter().map(|of| of.iter().map(whole).collect()).collect::<Option<_>>()?;
        let message = |(&(channel, letter), variable): (&(usize, i32), &Variable)| {
            Some((channel as u32, letter, whole(variable)?))
        };
        let messages = self.messages.iter().map(message).collect::<Option<Vec<_>>>()?;
        let counter = |(&counter, variable): (&usize, &Variable)| Some((counter as u32, whole(variable)?));
        Some(Weights {
            locations,
            messages: messages.into_iter().filter(|&(.., weight)| weight > 0).collect(),
            counters: self.counters.iter().map(counter).collect::<Option<_>>()?,
        })
    }

    /// No edge raises the sum.
    fn steps(&mut self) {
        let network = self.network;
        for (machine, of) in network.machines.iter().enumerate() {
            for (from, location) in of.locations.iter().enumerate() {
                for edge in location.edges.iter().map(|id| &of.edges[id.index()]) {
                    let places = &self.locations[machine];
                    let moved = [(places[edge.to.index()], one()), (places[from], -one())];
                    for mut form in self.added(&edge.action) {
                        form.extend(moved.iter().cloned());
                        self.problem.add_row(&form, Rational::from(0i64));
                    }
                }
            }
        }
    }

    /// What an action may add, beside what it does to the place of its process: one of these.
    fn added(&self, action: &Action) -> Vec<Form> {
        let nothing = || vec![Vec::new()];
        let all = |channel: usize, sign: Rational| {
            self.messages.range((channel, i32::MIN)..=(channel, i32::MAX)).map(move |(_, &m)| vec![(m, sign.clone())])
        };
        match action {
            Action::Send { channel, message, .. } => match (shared_channel(self.network, channel), message.first()) {
                (Some(channel), Some(Expr::Const(value))) => {
                    let letter = (channel, stored(self.network, channel, *value));
                    vec![self.messages.get(&letter).map(|&m| (m, one())).into_iter().collect()]
                }
                (Some(channel), _) => all(channel, one()).chain(nothing()).collect(),
                (None, _) => self.messages.values().map(|&m| vec![(m, one())]).chain(nothing()).collect(),
            },
            Action::Receive { channel, pattern, mode } if !mode.keep => {
                match (shared_channel(self.network, channel), pattern.first()) {
                    (Some(channel), Some(Pattern::Match(Expr::Const(value)))) => {
                        vec![self.messages.get(&(channel, *value)).map(|&m| (m, -one())).into_iter().collect()]
                    }
                    (Some(channel), _) if self.known.get(&channel) == Some(&true) => all(channel, -one()).collect(),
                    _ => nothing(),
                }
            }
            Action::Assign(Place { scope: Scope::Global, variable, .. }, value) => {
                let by = match value {
                    Expr::Binary(BinaryOp::Add, _, by) => by.constant(),
                    Expr::Binary(BinaryOp::Sub, _, by) => by.constant().and_then(i32::checked_neg),
                    _ => None,
                };
                let counter = self.counters.get(&variable.index());
                vec![
                    counter
                        .zip(by)
                        .map(|(&counter, by)| (counter, Rational::from(i64::from(by))))
                        .into_iter()
                        .collect(),
                ]
            }
            Action::Run { machine, .. } => {
                let initial = self.network.machine(*machine).initial.index();
                vec![vec![(self.locations[machine.index()][initial], one())]]
            }
            _ => nothing(),
        }
    }

    /// With the fault, the sum is more than in the beginning.
    fn exclude(&mut self, fault: &Fault) -> Option<()> {
        let network = self.network;
        let initial = network.instances.iter().map(|instance| instance.machine);
        let mut total: Form =
            initial.map(|m| (self.locations[m.index()][network.machine(m).initial.index()], one())).collect();
        for (&variable, &counter) in &self.counters {
            let first = match network.variables.get(variable)?.initial {
                Initial::Value(Expr::Const(value)) => value,
                _ => 0,
            };
            total.push((counter, Rational::from(i64::from(first))));
        }
        let heavy: Vec<Form> = match fault {
            Fault::Places(places) => {
                let mut form = Form::new();
                for (machine, at) in places {
                    let of = &self.locations[*machine];
                    let least = match at.as_slice() {
                        [one] => of[*one],
                        several => {
                            let least = self.problem.add_variable(Rational::from(0i64));
                            for &at in several {
                                self.problem.add_row(&[(least, one()), (of[at], -one())], Rational::from(0i64));
                            }
                            least
                        }
                    };
                    form.push((least, -one()));
                }
                vec![form]
            }
            Fault::Length(channel, most) => {
                let of = self.messages.range((*channel, i32::MIN)..=(*channel, i32::MAX));
                of.map(|(_, &m)| vec![(m, Rational::from(-(most + 1)))]).collect()
            }
            Fault::Value(variable, most) => vec![vec![(self.counters[variable], Rational::from(-(most + 1)))]],
        };
        for mut form in heavy {
            form.extend(total.iter().cloned());
            self.problem.add_row(&form, -one());
        }
        Some(())
    }
}

fn one() -> Rational {
    Rational::from(1i64)
}

/// The shared variable that an expression reads, if it is a channel of its own.
fn shared_channel(network: &Network, e: &Expr) -> Option<usize> {
    let is_channel = |variable: &usize| {
        let declared = &network.variables[*variable];
        declared.dimensions.is_empty() && matches!(declared.initial, Initial::NewChannel(_))
    };
    shared(e).filter(is_channel)
}

fn shared(e: &Expr) -> Option<usize> {
    match e {
        Expr::Read(place) if place.scope == Scope::Global && place.indices.is_empty() => Some(place.variable.index()),
        _ => None,
    }
}

/// A value as the first field of a message.
fn stored(network: &Network, channel: usize, value: i32) -> i32 {
    match network.variables[channel].initial {
        Initial::NewChannel(ty) => {
            network.channel_types[ty.index()].fields.first().map_or(value, |field| field.truncate(value))
        }
        _ => value,
    }
}

/// What must not be for a formula, or its negation, to hold.
fn in_formula(formula: &Ltl, holds: bool, faults: &mut Vec<Fault>) -> Option<()> {
    match (formula, holds) {
        (Ltl::Unary(Modality::Not, inner), _) => in_formula(inner, !holds, faults),
        (Ltl::Binary(Connective::And, left, right), true) | (Ltl::Binary(Connective::Or, left, right), false) => {
            in_formula(left, holds, faults)?;
            in_formula(right, holds, faults)
        }
        (Ltl::Atom(atom, _), _) => match &**atom {
            Atom::State(e) => in_expression(e, holds, faults),
            Atom::Event(_) => None,
        },
        _ => None,
    }
}

fn in_expression(e: &Expr, holds: bool, faults: &mut Vec<Fault>) -> Option<()> {
    let (what, most) = match (e, holds) {
        (Expr::Unary(UnaryOp::Not, inner), _) => return in_expression(inner, !holds, faults),
        (Expr::Binary(BinaryOp::And, left, right), true) | (Expr::Binary(BinaryOp::Or, left, right), false) => {
            in_expression(left, holds, faults)?;
            return in_expression(right, holds, faults);
        }
        (Expr::Binary(op, what, most), _) => {
            let most = i64::from(most.constant()?);
            let most = match (op, holds) {
                (BinaryOp::LessEqual, true) | (BinaryOp::Greater, false) => most,
                (BinaryOp::Less, true) | (BinaryOp::GreaterEqual, false) => most - 1,
                (BinaryOp::Equal, true) | (BinaryOp::NotEqual, false) if most == 0 => 0,
                _ => return None,
            };
            (&**what, most)
        }
        (Expr::Channel(ChannelTest::Empty, _), true) | (Expr::Channel(ChannelTest::NotEmpty, _), false) => (e, 0),
        _ => return None,
    };
    faults.push(match what {
        Expr::Channel(_, channel) => Fault::Length(shared(channel)?, most),
        what => Fault::Value(shared(what)?, most),
    });
    Some(())
}

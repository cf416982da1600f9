//! What a formula `[] p` says of a control state: `p` may ask where processes are, for data, for lengths of queues and for
//! the messages at their heads.
//!
//! Lengths are compared with constants only, alone or as sums. So contents are alike if each queue has the same head, and the
//! same length up to the largest constant: longer queues differ from shorter ones, but not from each other. Of each such
//! class one member is made a state, in which the semantics says whether `p` holds; if it does not, the set of the proof
//! must have no word of the class.

use crate::Refusal;
use crate::pace::Pace;
use crate::queues::data::Listed;
use crate::queues::pattern::Pattern;
use model::claim::{MOST_ATOMS, Watcher};
use model::expr::{BinaryOp, ChannelTest, Expr, Pattern as Field, Scope, UnaryOp};
use model::formula::{Atom, Ltl, Modality};
use model::network::Network;
use model::semantics::{Semantics, Stepper};
use model::verdict::Property;
use scm::Regex;
use std::collections::{BTreeMap, BTreeSet};

/// Larger constants are in no formula that is looked at, and more contents of one control state are not.
const LONGEST: usize = 64;
const MOST_CONTENTS: usize = 1 << 14;

/// A formula `[] p`, ready to be asked of control states.
pub(crate) struct Always<'a> {
    body: &'a Ltl,
    atoms: Vec<Atom>,
    watcher: Watcher<'a>,
    /// The largest number that a length is compared with.
    longest: usize,
    /// It asks for heads.
    heads: bool,
    /// The channels that it asks about.
    channels: Vec<Expr>,
}

/// What a queue holds: how many messages, `None` for more than the longest length that matters, and the first of them, or
/// any if heads do not matter.
type Content = (Option<usize>, Option<u32>);

impl<'a> Always<'a> {
    /// The formula that a property is about.
    pub(crate) fn of(semantics: &'a Semantics<'a>, property: &Property) -> Result<Option<Always<'a>>, Refusal> {
        let network = semantics.network();
        let (Property::Ltl(name) | Property::Question(name)) = property else { return Ok(None) };
        let formula = network.formulas.iter().find(|formula| formula.name == *name);
        let Some(Ltl::Unary(Modality::Always, body)) = formula.map(|formula| &formula.formula) else {
            return Err(Refusal::WrongKind(property.to_string()));
        };
        if !body.is_propositional() || body.has_events() {
            return Err(Refusal::WrongKind(property.to_string()));
        }
        let atoms: Vec<Atom> = body.atoms().into_iter().map(|(atom, _)| atom).collect();
        if atoms.len() > MOST_ATOMS {
            return Err(Refusal::WrongKind(property.to_string()));
        }
        let mut seen = Seen { network, longest: 0, heads: false, channels: Vec::new() };
        for atom in &atoms {
            if let Atom::State(e) = atom {
                seen.condition(e)?;
            }
        }
        let watcher = Watcher::new(semantics, &atoms);
        let Seen { longest, heads, channels, .. } = seen;
        Ok(Some(Always { body, atoms, watcher, longest, heads, channels }))
    }

    /// Whether `p` fails with some contents of a control state.
    pub(crate) fn fails(
        &self,
        stepper: &mut Stepper<'_>,
        state: &[u8],
        (listed, here): (&Listed, usize),
        pace: &Pace<'_>,
    ) -> Result<bool, Refusal> {
        let words = &listed.automata[here];
        let (present, queues) = (stepper.queue_count(state), self.queues(stepper, state));
        let mut choices: Vec<(usize, Vec<Content>)> = Vec::new();
        for (queue, heads) in words.heads(pace)? {
            if queue < present && queues.as_ref().is_none_or(|queues| queues.contains(&queue)) {
                choices.push((queue, self.contents(&heads)));
            }
        }
        let count = choices.iter().try_fold(1usize, |count, (_, of)| count.checked_mul(of.len()));
        if count.is_none_or(|count| count > MOST_CONTENTS) {
            return Err(Refusal::Unfinished(String::from("a formula asks for too many contents of queues")));
        }
        let mut digits = vec![0; choices.len()];
        loop {
            pace.spend(0)?;
            let chosen: BTreeMap<usize, Content> =
                choices.iter().zip(&digits).map(|((queue, of), &digit)| (*queue, of[digit])).collect();
            if !self.holds(stepper, state, listed, &chosen)? {
                let pattern = Some(Pattern::new(&language(&chosen, listed, self.longest)));
                if words.meets(&pattern, &[], pace)? {
                    return Ok(true);
                }
            }
            let Some(place) = (0..digits.len()).find(|&place| digits[place] + 1 < choices[place].1.len()) else {
                return Ok(false);
            };
            digits[place] += 1;
            digits[..place].fill(0);
        }
    }

    /// The queues that the formula asks about in a control state; `None` if not all of them are known.
    fn queues(&self, stepper: &mut Stepper<'_>, state: &[u8]) -> Option<BTreeSet<usize>> {
        stepper.load(state);
        if stepper.loaded_processes() == 0 {
            return None;
        }
        let queue = |e: &Expr| {
            let shared = matches!(e, Expr::Read(place) if place.scope == Scope::Global && place.indices.is_empty());
            let handle = shared.then(|| stepper.loaded_value(0, e)).flatten()?;
            usize::try_from(handle).ok()?.checked_sub(1)
        };
        self.channels.iter().map(queue).collect()
    }

    /// What a queue with these heads may hold.
    fn contents(&self, heads: &BTreeSet<u32>) -> Vec<Content> {
        let lengths = (1..=self.longest).map(Some).chain([None]);
        let heads: Vec<Option<u32>> = match self.heads {
            true => heads.iter().copied().map(Some).collect(),
            false => vec![None],
        };
        let some = lengths.flat_map(|length| heads.iter().map(move |&head| (length, head)));
        std::iter::once((Some(0), None)).chain(some).collect()
    }

    fn holds(
        &self,
        stepper: &mut Stepper<'_>,
        state: &[u8],
        listed: &Listed,
        chosen: &BTreeMap<usize, Content>,
    ) -> Result<bool, Refusal> {
        let mut sample = vec![Vec::new(); chosen.keys().next_back().map_or(0, |&last| last + 1)];
        for (&queue, &(length, head)) in chosen {
            let length = length.unwrap_or(self.longest + 1);
            let mut fits = |message: &&Vec<i32>| {
                let mut alone = vec![Vec::new(); queue];
                alone.push(vec![message.to_vec()]);
                stepper.with_messages(state, &alone).is_some()
            };
            let message = match head {
                Some(letter) => listed.messages.get(letter as usize - 1).filter(&mut fits),
                None if length > 0 => listed.messages.iter().find(&mut fits),
                None => continue,
            };
            // A queue that cannot hold the message never does.
            let Some(message) = message else { return Ok(true) };
            sample[queue] = vec![message.clone(); length];
        }
        let Some(state) = stepper.with_messages(state, &sample) else { return Ok(true) };
        let all = self.watcher.in_state(stepper, &state, !0, false);
        let all = all.map_err(|fault| Refusal::Crash(fault.fault.to_string()))?;
        let is_true =
            |atom: &Atom| self.atoms.iter().position(|other| other == atom).is_some_and(|at| all >> at & 1 == 1);
        Ok(self.body.holds(&is_true))
    }
}

/// All words with such contents.
fn language(chosen: &BTreeMap<usize, Content>, listed: &Listed, longest: usize) -> Regex {
    let letters = || (1..=listed.messages.len() as i32).map(Regex::Message);
    let one = || Regex::Union(letters().collect());
    let mut parts = Vec::new();
    for queue in 0..listed.queues {
        parts.extend((queue > 0).then_some(Regex::Separator));
        let Some(&(length, head)) = chosen.get(&queue) else {
            parts.push(Regex::Star(Box::new(one())));
            continue;
        };
        let count = length.unwrap_or(longest + 1);
        let first = head.map_or_else(one, |letter| Regex::Message(letter as i32));
        parts.extend((0..count).map(|at| if at == 0 { first.clone() } else { one() }));
        parts.extend(length.is_none().then(|| Regex::Star(Box::new(one()))));
    }
    Regex::Concat(parts)
}

/// What expressions ask about queues.
struct Seen<'a> {
    network: &'a Network,
    longest: usize,
    heads: bool,
    channels: Vec<Expr>,
}

impl Seen<'_> {
    /// An expression that is true or false.
    fn condition(&mut self, e: &Expr) -> Result<(), Refusal> {
        match e {
            Expr::Unary(UnaryOp::Not, inner) => self.condition(inner),
            Expr::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                self.condition(a)?;
                self.condition(b)
            }
            Expr::Conditional(c, a, b) => [c, a, b].into_iter().try_for_each(|e| self.condition(e)),
            Expr::Binary(op, a, b) if is_comparison(*op) && looks(e) => match (&**a, &**b) {
                (sum, Expr::Const(value)) | (Expr::Const(value), sum) => {
                    self.up_to(usize::try_from(*value).unwrap_or(0))?;
                    self.sum(sum)
                }
                _ => refused("a length is compared with something else than a constant"),
            },
            Expr::Channel(test, channel) => {
                if !matches!(test, ChannelTest::Len) {
                    let capacities = self.network.channel_types.iter().filter_map(|ty| ty.capacity);
                    self.up_to(capacities.max().map_or(0, |most| most as usize))?;
                }
                self.channel(channel)
            }
            Expr::Poll { channel, pattern, anywhere: false } => {
                self.heads = true;
                pattern.iter().try_for_each(|field| match field {
                    Field::Match(e) => plain(e),
                    Field::Any => Ok(()),
                    Field::Bind(_) => refused("it receives"),
                })?;
                self.channel(channel)
            }
            e => plain(e),
        }
    }

    /// A sum of lengths.
    fn sum(&mut self, e: &Expr) -> Result<(), Refusal> {
        match e {
            Expr::Binary(BinaryOp::Add, a, b) => {
                self.sum(a)?;
                self.sum(b)
            }
            Expr::Channel(ChannelTest::Len, channel) => self.channel(channel),
            _ => refused("a length is counted with"),
        }
    }

    fn up_to(&mut self, length: usize) -> Result<(), Refusal> {
        self.longest = self.longest.max(length);
        if self.longest > LONGEST { refused("it asks for long queues") } else { Ok(()) }
    }

    fn channel(&mut self, e: &Expr) -> Result<(), Refusal> {
        self.channels.push(e.clone());
        plain(e)
    }
}

fn refused<T>(why: &str) -> Result<T, Refusal> {
    Err(Refusal::Malformed(format!("the formula is not one for sets of contents: {why}")))
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
    )
}

/// Whether an expression looks at queues.
fn looks(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |part| found |= matches!(part, Expr::Channel(..) | Expr::Poll { .. }));
    found
}

/// An expression that asks for nothing but data and places.
fn plain(e: &Expr) -> Result<(), Refusal> {
    let mut checked = Ok(());
    e.walk(&mut |part| match part {
        Expr::Channel(..) | Expr::Poll { .. } => checked = refused("a length or a head is part of a computation"),
        Expr::Timeout | Expr::Enabled(_) | Expr::Priority(_) | Expr::LastMover | Expr::RunResult => {
            checked = refused("it asks for more than a state");
        }
        _ => {}
    });
    checked
}

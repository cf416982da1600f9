//! Contents of queues that statements and formulas tell apart: by lengths and by heads.
//!
//! Lengths are compared with constants only, alone or as sums, and a poll asks for the head. So for whoever asks,
//! contents are alike if each queue that is asked about has the same head, and the same length up to the largest
//! constant: longer queues differ from shorter ones, but not from each other. Such contents are a [`Class`]. One member
//! of it is a state, in which the semantics says what statements can do and what is true; the others are those words of
//! a set that have its lengths and heads ([`Words::within`](super::words::Words::within)).

use crate::Refusal;
use model::expr::{BinaryOp, ChannelTest, Expr, Pattern as Field, UnaryOp};
use model::network::Network;
use model::semantics::Stepper;
use std::collections::{BTreeMap, BTreeSet};

/// Larger constants are not looked at, nor more classes of one control state.
const LONGEST: usize = 64;
const MOST_CLASSES: usize = 1 << 14;

/// Nothing, or the first message and how many there are; no number is more than the longest length that matters.
pub(crate) type Content = Option<(u32, Option<usize>)>;

/// What the queues that are asked about hold; the others hold anything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Class {
    pub(crate) contents: BTreeMap<usize, Content>,
    /// The longest length that matters.
    pub(crate) longest: usize,
}

impl Class {
    /// Nothing is asked.
    pub(crate) fn is_everything(&self) -> bool {
        self.contents.is_empty()
    }

    /// The messages of one member, queue by queue; the queues that are not asked about are empty.
    pub(crate) fn member(&self, messages: &[Vec<i32>]) -> Vec<Vec<Vec<i32>>> {
        let mut member = vec![Vec::new(); self.contents.keys().next_back().map_or(0, |&last| last + 1)];
        for (&queue, content) in &self.contents {
            let Some((head, length)) = content else { continue };
            let message = messages.get(*head as usize - 1).cloned().unwrap_or_default();
            member[queue] = vec![message; length.unwrap_or(self.longest + 1)];
        }
        member
    }
}

/// The queues that an expression asks about, and how far it counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    channels: Vec<Expr>,
    longest: usize,
}

impl Asked {
    pub(crate) fn nothing(&self) -> bool {
        self.channels.is_empty()
    }

    /// An expression that is true or false. Refuses what classes do not decide.
    pub(crate) fn condition(&mut self, network: &Network, e: &Expr) -> Result<(), Refusal> {
        match e {
            Expr::Unary(UnaryOp::Not, inner) => self.condition(network, inner),
            Expr::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                self.condition(network, a)?;
                self.condition(network, b)
            }
            Expr::Conditional(c, a, b) => [c, a, b].into_iter().try_for_each(|e| self.condition(network, e)),
            Expr::Binary(op, a, b) if is_comparison(*op) && looks(e) => match (&**a, &**b) {
                (sum, Expr::Const(value)) | (Expr::Const(value), sum) => {
                    self.up_to(usize::try_from(*value).unwrap_or(0))?;
                    self.sum(sum)
                }
                _ => refused("the length of a queue is compared with something else than a constant"),
            },
            Expr::Channel(test, channel) => {
                if matches!(test, ChannelTest::Full | ChannelTest::NotFull) {
                    let capacities = network.channel_types.iter().filter_map(|ty| ty.capacity);
                    self.up_to(capacities.max().map_or(0, |most| most as usize))?;
                }
                self.channel(channel)
            }
            Expr::Poll { channel, pattern, anywhere: false } => {
                pattern.iter().try_for_each(|field| match field {
                    Field::Match(e) => plain(e),
                    // Where a receive would store something, a poll takes anything.
                    Field::Bind(place) => place.indices.iter().try_for_each(plain),
                    Field::Any => Ok(()),
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
            _ => refused("it is computed with the length of a queue"),
        }
    }

    fn up_to(&mut self, length: usize) -> Result<(), Refusal> {
        self.longest = self.longest.max(length);
        if self.longest > LONGEST { refused("the length of a queue is compared with a large number") } else { Ok(()) }
    }

    fn channel(&mut self, e: &Expr) -> Result<(), Refusal> {
        self.channels.push(e.clone());
        plain(e)
    }

    /// The queues that are meant in the loaded state, as a process sees them; `None` if not all of them are known.
    fn queues(&self, stepper: &Stepper<'_>, process: usize) -> Option<BTreeSet<usize>> {
        if !self.nothing() && process >= stepper.loaded_processes() {
            return None;
        }
        let queue = |e: &Expr| usize::try_from(stepper.loaded_value(process, e)?).ok()?.checked_sub(1);
        self.channels.iter().map(queue).collect()
    }
}

/// All classes of the contents with these heads that some of those who ask tell apart, each asking for a process.
pub(crate) fn classes(
    stepper: &mut Stepper<'_>,
    state: &[u8],
    asked: &[(usize, &Asked)],
    heads: &BTreeMap<usize, BTreeSet<u32>>,
) -> Result<Vec<Class>, Refusal> {
    let present = stepper.queue_count(state);
    let longest = asked.iter().map(|(_, asked)| asked.longest).max().unwrap_or(0);
    let known: Option<Vec<BTreeSet<usize>>> =
        asked.iter().map(|(process, asked)| asked.queues(stepper, *process)).collect();
    let queues: BTreeSet<usize> = match known {
        Some(queues) => queues.into_iter().flatten().filter(|&queue| queue < present).collect(),
        None => (0..present).collect(),
    };
    let mut classes = vec![Class { contents: BTreeMap::new(), longest }];
    for queue in queues {
        let heads = heads.get(&queue).into_iter().flatten();
        let lengths = || (1..=longest).map(Some).chain([None]);
        let some = heads.flat_map(|&head| lengths().map(move |length| Some((head, length))));
        let contents: Vec<Content> = std::iter::once(None).chain(some).collect();
        if classes.len().saturating_mul(contents.len()) > MOST_CLASSES {
            return Err(Refusal::Unfinished(String::from("too many contents of queues are distinguished")));
        }
        let with = |class: &Class, content: &Content| {
            let mut class = class.clone();
            class.contents.insert(queue, *content);
            class
        };
        classes = classes.iter().flat_map(|class| contents.iter().map(move |content| with(class, content))).collect();
    }
    Ok(classes)
}

fn refused<T>(why: &str) -> Result<T, Refusal> {
    Err(Refusal::Malformed(format!("no invariant of this kind is one of the model: {why}")))
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}

/// Whether an expression looks at queues.
pub(crate) fn looks(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |part| found |= matches!(part, Expr::Channel(..) | Expr::Poll { .. }));
    found
}

/// An expression that asks for nothing but data and places.
fn plain(e: &Expr) -> Result<(), Refusal> {
    let mut checked = Ok(());
    e.walk(&mut |part| match part {
        Expr::Channel(..) => checked = refused("the length of a queue is used in a computation"),
        Expr::Poll { .. } => checked = refused("a queue is looked into without a receive in a computation"),
        Expr::Enabled(_) => checked = refused("it is asked whether something else can move"),
        Expr::Priority(_) => checked = refused("priorities depend on what other processes can do"),
        _ => {}
    });
    checked
}

//! Which contents of queues are distinguished in a control state, because a statement or the formula asks for lengths or
//! heads.
//!
//! Whoever asks compares lengths with constants, and looks at heads. So a set is cut into the contents with the same
//! head and the same length up to the largest constant, in each queue that is asked about where the processes are. The
//! checker makes sure that no condition reads more, and cuts its own way.

use model::expr::{ChannelTest, Expr};
use model::network::{Action, Network};
use model::semantics::Stepper;
use queues::Regex;
use std::collections::BTreeSet;

/// Nothing, or the first message and how many there are; no number is more than the longest length that matters.
pub(super) type Content = Option<(u32, Option<usize>)>;

/// What the queues that are asked about hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Class {
    pub(super) contents: Vec<(usize, Content)>,
    pub(super) longest: usize,
}

impl Class {
    /// Whether a queue is asked about.
    pub(super) fn has(&self, queue: usize) -> bool {
        self.contents.iter().any(|(asked, _)| *asked == queue)
    }

    /// The messages of one member, queue by queue.
    pub(super) fn member(&self, messages: &[Vec<i32>]) -> Vec<Vec<Vec<i32>>> {
        let mut member: Vec<Vec<Vec<i32>>> = Vec::new();
        for &(queue, content) in &self.contents {
            member.resize(member.len().max(queue + 1), Vec::new());
            if let Some((letter, length)) = content {
                member[queue] = vec![messages[letter as usize].clone(); length.unwrap_or(self.longest + 1)];
            }
        }
        member
    }
}

/// The contents of a queue with one of these heads, as far as they are distinguished.
pub(super) fn contents(heads: &BTreeSet<u32>, longest: usize) -> Vec<Content> {
    let lengths = || (1..=longest).map(Some).chain([None]);
    let some = heads.iter().flat_map(|&head| lengths().map(move |length| Some((head, length))));
    std::iter::once(None).chain(some).collect()
}

/// All contents of all queues in which one of them is like this.
pub(super) fn only(queues: usize, letters: u32, queue: usize, content: Content, longest: usize) -> Regex {
    let one = || Regex::Alt((0..letters).map(Regex::Letter).collect());
    let mut parts = Vec::new();
    for channel in 0..queues {
        parts.extend((channel > 0).then_some(Regex::Separator));
        if channel != queue {
            parts.push(Regex::any(0..letters));
            continue;
        }
        let Some((head, length)) = content else { continue };
        parts.push(Regex::Letter(head));
        parts.extend((1..length.unwrap_or(longest + 1)).map(|_| one()));
        parts.extend(length.is_none().then(|| Regex::any(0..letters)));
    }
    Regex::Concat(parts)
}

/// The queues that an expression asks about, and the largest number in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    channels: Vec<Expr>,
    longest: usize,
}

impl Asked {
    /// What the conditions of each location ask, by machine.
    pub(super) fn of(network: &Network) -> Vec<Vec<Asked>> {
        let machine = |machine: &model::network::Machine| {
            let mut all = vec![Asked::default(); machine.locations.len()];
            for edge in &machine.edges {
                if let Action::Condition(e) | Action::Assert(e) = &edge.action {
                    all[edge.from.index()].add(network, e);
                }
            }
            all
        };
        network.machines.iter().map(machine).collect()
    }

    pub(super) fn add(&mut self, network: &Network, e: &Expr) {
        let (mut numbers, mut counts) = (Vec::new(), false);
        e.walk(&mut |part| match part {
            Expr::Const(value) => numbers.extend(usize::try_from(*value)),
            Expr::Poll { channel, .. } => self.channels.push((**channel).clone()),
            Expr::Channel(test, channel) => {
                self.channels.push((**channel).clone());
                counts |= *test == ChannelTest::Len;
                if matches!(test, ChannelTest::Full | ChannelTest::NotFull) {
                    let capacities = network.channel_types.iter().filter_map(|ty| ty.capacity);
                    self.longest = self.longest.max(capacities.max().map_or(0, |most| most as usize));
                }
            }
            _ => {}
        });
        if counts {
            self.longest = numbers.into_iter().fold(self.longest, usize::max);
        }
    }

    /// The queues that are meant in the loaded state, as a process sees them, and the longest length that matters;
    /// `None` if not all of them are known.
    fn queues(&self, stepper: &Stepper<'_>, process: usize) -> Option<BTreeSet<usize>> {
        let queue = |e: &Expr| usize::try_from(stepper.loaded_value(process, e)?).ok()?.checked_sub(1);
        self.channels.iter().map(queue).collect()
    }
}

/// The queues that are asked about in a state, by the processes where they are and by a formula, and the longest
/// length.
pub(super) fn asked_in(
    stepper: &mut Stepper<'_>,
    state: &[u8],
    statements: &[Vec<Asked>],
    formula: Option<&Asked>,
) -> (Vec<usize>, usize) {
    let present = stepper.queue_count(state);
    let places: Vec<_> = stepper.loaded_places().collect();
    let by = |(process, (machine, at)): (usize, &(model::ids::MachineId, model::ids::LocationId))| {
        (process, &statements[machine.index()][at.index()])
    };
    let all: Vec<(usize, &Asked)> = places.iter().enumerate().map(by).chain(formula.map(|asked| (0, asked))).collect();
    let longest = all.iter().map(|(_, asked)| asked.longest).max().unwrap_or(0);
    let nobody = |asked: &Asked, process: usize| !asked.channels.is_empty() && process >= places.len();
    let mut queues = BTreeSet::new();
    for (process, asked) in all {
        let named = if nobody(asked, process) { None } else { asked.queues(stepper, process) };
        queues.extend(named.unwrap_or_else(|| (0..present).collect()));
    }
    (queues.into_iter().filter(|&queue| queue < present).collect(), longest)
}

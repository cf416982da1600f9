//! The arrows of a chart: which step sent the message that a step receives.
//!
//! A chart says what a channel holds after each step that touched it. So a message is followed by its place in the queue,
//! whether it was sorted in, taken from the middle, or overtaken.

use super::{Chart, Contents, Fate, Message};
use std::collections::HashMap;

/// A message of a step, and the step at its other end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arrow {
    /// The message.
    pub message: Message,
    /// The step that receives what this one sends, or that sent what this one receives.
    pub other: Option<usize>,
}

/// The message of each step, if there is one. One that is taken from the middle of a queue is a message as well.
pub fn arrows(chart: &Chart) -> Vec<Option<Arrow>> {
    let mut queues = Queues::default();
    let mut arrows: Vec<Option<Arrow>> = Vec::with_capacity(chart.steps.len());
    for (position, step) in chart.steps.iter().enumerate() {
        let mut taken = None;
        for contents in &step.channels {
            let channel = queues.number(&contents.channel);
            let change = queues.change(channel, contents, position).filter(|change| change.inserted == 0);
            taken = taken.or(change.and_then(|change| Some((contents.channel.clone(), change.taken?))));
        }
        let arrow = match (&step.message, taken) {
            (None, Some((channel, (text, sent)))) if step.moves.len() == 1 => {
                Some(Arrow { message: Message { fate: Fate::Received, channel, text }, other: Some(sent) })
            }
            (Some(message), taken) if message.fate == Fate::Received => {
                let channel = queues.number(&message.channel);
                let other = taken.map(|(_, (_, sent))| sent).or_else(|| queues.first(channel, &message.text));
                Some(Arrow { message: message.clone(), other })
            }
            (message, _) => message.clone().map(|message| Arrow { message, other: None }),
        };
        let sender = arrow.as_ref().and_then(|arrow| arrows.get_mut(arrow.other?)?.as_mut());
        if let Some(sender) = sender {
            // A message that stays in the queue may be read several times: the first time is its arrow.
            sender.other = sender.other.or(Some(position));
        }
        arrows.push(arrow);
    }
    arrows
}

/// The queues of a run: what they hold, and which step sent it.
#[derive(Default, Debug)]
pub struct Queues {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    held: Vec<Vec<(String, usize)>>,
}

/// Some messages leave a queue, others get into it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueueChange {
    /// Where, from the head on.
    pub at: usize,
    /// How many leave it.
    pub removed: usize,
    /// How many get into it, at the same place.
    pub inserted: usize,
    /// The first message that leaves it, and the step that sent it.
    pub taken: Option<(String, usize)>,
}

impl Queues {
    /// The channels that were named so far, in this order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of a channel.
    pub fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.names.push(name.to_owned());
        self.held.push(Vec::new());
        self.numbers.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }

    /// Takes over what a queue holds after a step. Of equal messages in a row the first one leaves.
    pub fn change(&mut self, channel: usize, contents: &Contents, step: usize) -> Option<QueueChange> {
        let (old, new) = (&mut self.held[channel], &contents.messages);
        let mut at = old.iter().zip(new).take_while(|((was, _), is)| was == *is).count();
        let rest = old.len().min(new.len()) - at;
        let behind = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|((was, _), is)| was == *is).count();
        let (removed, inserted) = (old.len() - behind - at, new.len() - behind - at);
        if (removed, inserted) == (0, 0) {
            return None;
        }
        while inserted == 0 && at > 0 && old[at - 1].0 == old[at + removed - 1].0 {
            at -= 1;
        }
        let put = new[at..at + inserted].iter().map(|text| (text.clone(), step));
        let taken = old.splice(at..at + removed, put).next();
        Some(QueueChange { at, removed, inserted, taken })
    }

    /// Which step sent the first such message that is in a queue.
    pub fn first(&self, channel: usize, text: &str) -> Option<usize> {
        self.held[channel].iter().find(|(held, _)| held == text).map(|(_, sent)| *sent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(queues: &mut Queues, messages: &[&str], step: usize) -> Option<(usize, usize, usize, Option<usize>)> {
        let messages = messages.iter().map(|text| String::from(*text)).collect();
        let contents = Contents { channel: String::from("q"), messages };
        let number = queues.number("q");
        queues.change(number, &contents, step).map(|c| (c.at, c.removed, c.inserted, c.taken.map(|(_, sent)| sent)))
    }

    #[test]
    fn equal_messages_leave_a_queue_in_the_order_in_which_they_came() {
        let mut queues = Queues::default();
        assert_eq!(held(&mut queues, &["a"], 0), Some((0, 0, 1, None)));
        assert_eq!(held(&mut queues, &["a", "a"], 1), Some((1, 0, 1, None)));
        assert_eq!(held(&mut queues, &["a", "a", "b"], 2), Some((2, 0, 1, None)));
        assert_eq!(held(&mut queues, &["a", "b"], 3), Some((0, 1, 0, Some(0))));
        assert_eq!(held(&mut queues, &["a"], 4), Some((1, 1, 0, Some(2))));
        assert_eq!(held(&mut queues, &[], 5), Some((0, 1, 0, Some(1))));
        assert_eq!(held(&mut queues, &[], 6), None);
    }

    #[test]
    fn a_message_that_is_sorted_into_a_queue_is_put_where_it_belongs() {
        let mut queues = Queues::default();
        held(&mut queues, &["1"], 0);
        held(&mut queues, &["1", "3"], 1);
        assert_eq!(held(&mut queues, &["1", "2", "3"], 2), Some((1, 0, 1, None)));
        assert_eq!(held(&mut queues, &["1", "3"], 3), Some((1, 1, 0, Some(2))));
        assert_eq!(held(&mut queues, &["1", "4"], 4), Some((1, 1, 1, Some(1))));
    }
}

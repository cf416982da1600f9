//! From sets of queue contents along a path to one run.
//!
//! The methods that work with sets know a path of moves and, for each place on it, contents that come from the start. A
//! member of the last set is chosen, then one before it that leads there, and so on back. Where a channel is lossy, the
//! step between two members may have lost messages; which ones is found by fitting one word into the other.

use crate::space::{Control, Move, Space};
use crate::system::Op;
use crate::verdict::{Run, Step};
use queues::{Language, Limit};

/// A run along `moves`, through members of `sets` (one more than moves). `None` if the sets do not belong together.
pub(crate) fn along(
    space: &mut Space<'_>,
    initial: Control,
    moves: &[Move],
    sets: &[Language],
) -> Result<Option<Run>, Limit> {
    let Some(last) = sets.last().and_then(|&set| space.languages.shortest(set)) else { return Ok(None) };
    let mut members = vec![last];
    for (step, &set) in moves.iter().zip(sets).rev() {
        let there = space.languages.singleton(&members[members.len() - 1])?;
        let before = space.pre(step.op, there)?;
        let before = space.languages.intersection(before, set)?;
        let Some(member) = space.languages.shortest(before) else { return Ok(None) };
        members.push(member);
    }
    members.reverse();
    let mut steps = Vec::new();
    for (at, step) in moves.iter().enumerate() {
        steps.push(Step::Move { machine: step.machine as usize, transition: step.transition as usize });
        let Some(lost) = lost_between(step.op, &members[at], &members[at + 1]) else { return Ok(None) };
        steps.extend(lost);
    }
    Ok(Some(Run { initial: space.states(initial).to_vec(), steps }))
}

/// The losses after a move that explain the contents. `None` if nothing does.
fn lost_between(op: Op, before: &[Vec<u32>], after: &[Vec<u32>]) -> Option<Vec<Step>> {
    let mut queues = before.to_vec();
    match op {
        Op::Internal => {}
        Op::Send(channel, message) => queues.get_mut(channel)?.push(message),
        Op::Receive(channel, message) => {
            let queue = queues.get_mut(channel)?;
            if queue.first() != Some(&message) {
                return None;
            }
            queue.remove(0);
        }
    }
    let mut steps = Vec::new();
    for (channel, (all, kept)) in queues.iter().zip(after).enumerate() {
        let lost = missing(all, kept)?;
        // The last one first: the positions of the others stay the same.
        steps.extend(lost.into_iter().rev().map(|position| Step::Loss { channel, position }));
    }
    Some(steps)
}

/// The positions in a word that are not in its subword.
fn missing(word: &[u32], subword: &[u32]) -> Option<Vec<usize>> {
    let mut rest = subword.iter().peekable();
    let positions = (0..word.len()).filter(|&at| rest.next_if(|&&letter| letter == word[at]).is_none()).collect();
    rest.next().is_none().then_some(positions)
}

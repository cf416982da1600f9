//! What is known of everything that processes share: what variables can hold, and what is in each queue.
//!
//! The messages of a queue are split into *atoms* by the constants that receives compare with, field by field. All that is
//! known of a message is the atom that it belongs to, and what the fields of that atom can hold.

use crate::values;
use model::flow_proof::{QueueKey, Values};
use model::ids::ChannelTypeId;
use std::collections::HashMap;

/// What is known of everything that processes share.
#[derive(Default)]
pub struct Facts {
    /// What each global slot can hold.
    pub globals: Vec<Values>,
    /// The queues.
    pub queues: Vec<QueueFacts>,
    /// Where each queue is.
    pub index: HashMap<QueueKey, u32>,
}

/// What is known of a queue.
pub struct QueueFacts {
    /// Whose it is.
    pub key: QueueKey,
    /// Its type.
    pub channel_type: ChannelTypeId,
    /// Per field: the constants that are distinguished.
    pub constants: Vec<Vec<i32>>,
    /// Its messages: the class of each field, and what the fields can hold.
    pub atoms: Vec<(Vec<u32>, Vec<Values>)>,
}

impl QueueFacts {
    /// The atoms that a message can belong to, each with the part of the message's values that does.
    pub fn split(&self, message: &[Values]) -> Vec<(Vec<u32>, Vec<Values>)> {
        let mut found: Vec<(Vec<u32>, Vec<Values>)> = vec![(Vec::new(), Vec::new())];
        for (field, constants) in message.iter().zip(&self.constants) {
            let pieces = pieces(field, constants);
            let combine = |(classes, values): &(Vec<u32>, Vec<Values>)| {
                let (classes, values) = (classes.clone(), values.clone());
                let extended = pieces.iter().map(move |(class, piece)| {
                    ([&classes[..], &[*class]].concat(), [&values[..], std::slice::from_ref(piece)].concat())
                });
                extended.collect::<Vec<_>>()
            };
            found = found.iter().flat_map(combine).collect();
        }
        found
    }

    /// The number of an atom.
    pub fn atom(&self, classes: &[u32]) -> Option<u32> {
        self.atoms.iter().position(|(c, _)| c == classes).map(|i| i as u32)
    }
}

/// A field cut into its classes.
fn pieces(field: &Values, constants: &[i32]) -> Vec<(u32, Values)> {
    let mut pieces = Vec::new();
    if matches!(field, Values::Queues(_) | Values::AnyQueue) {
        return vec![(constants.len() as u32, field.clone())];
    }
    for (class, &constant) in constants.iter().enumerate() {
        if values::contains(field, constant) {
            pieces.push((class as u32, values::single(constant)));
        }
    }
    let others = match field {
        Values::Set(numbers) => {
            Values::Set(numbers.iter().copied().filter(|n| constants.binary_search(n).is_err()).collect())
        }
        other => other.clone(),
    };
    if !values::is_empty(&others) {
        pieces.push((constants.len() as u32, others));
    }
    pieces
}

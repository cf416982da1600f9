//! A single instance is one process, ever.
//!
//! It is there from the start, or one `run` at one node of a single instance before it in the list creates it. No step of
//! that instance leads to a lower level, and every step from the node leads to a higher one: so its process is at the node
//! at most once. By induction over the list, nothing single is created twice.

use super::invariant::Step;
use super::shape::Ground;
use crate::Refusal;
use model::flow_proof::Origin;
use std::collections::HashSet;

/// Checks where single instances come from.
pub(super) fn check(ground: &Ground<'_>, steps: &[Step]) -> Result<(), Refusal> {
    let (mut places, mut created) = (HashSet::new(), HashSet::new());
    for creation in &ground.abstraction.creations {
        let (id, creator) = (creation.instance, creation.creator);
        if ground.instance(id).many {
            continue;
        }
        let wrong = if ground.instance(id).origin != Origin::Run {
            "is there from the start and created, too"
        } else if ground.instance(creator).many {
            "any number of processes create it"
        } else if creator >= id {
            "stands before the one that creates it"
        } else if !created.insert(id) {
            "is created at several places"
        } else {
            places.insert((creator, creation.node));
            continue;
        };
        let name = &ground.machine(id).name;
        return Err(Refusal::Creation(format!("instance {id} ({name}) is a single one, but {wrong}")));
    }
    for step in steps {
        let level = |node: u32| ground.instance(step.instance).levels.get(node);
        let (from, to) = (level(step.from), level(step.to));
        if from > to || from == to && places.contains(&(step.instance, step.from)) {
            let place = ground.place(step.instance, step.from);
            return Err(Refusal::Creation(format!("a step from {place} leads to no higher level")));
        }
    }
    Ok(())
}

//! Systems all of whose runs end: then they have finitely many states, and no queue grows.
//!
//! Persistent sets keep endless runs. Let a run go on forever from a state, and let a set of processes be persistent there. If
//! one of the set moves in the run, its first step can be taken first, and the rest of the run follows; if none does, any step of the
//! set that ends can be taken, and all of the run follows. So a successor that is not left out has an endless run, too. A search that
//! leaves out the others and finds finitely many states and no cycle shows that there is none; and with finitely many successors
//! for each state, there are finitely many states (Kőnig). No step needs to be looked after on a cycle, because there is none,
//! and queues may be shorter than in what is left out: how long they get is not shown.

use crate::clock::Clock;
use crate::expansion::Expander;
use crate::table::{Lookup, NO_PARENT, StateId, StateTable};
use model::context::Context;
use model::fault::Overflow;
use model::semantics::Semantics;
use model::verdict::Reason;

/// What a search says about endless runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// There is none; so many states were visited.
    Ends(u64),
    /// There is a cycle, or a run that cannot go on because of a fault.
    Unknown,
    /// A limit.
    Stopped(Reason),
}

/// Of so many states without a choice one is kept at least.
const CHAIN: usize = 32;

/// A state on the way, and the successors that are still to be visited.
struct Frame {
    id: StateId,
    successors: Vec<Vec<u8>>,
}

/// Looks for an endless run, depth-first, among so many states at most.
/// The semantics may be one that leaves out what nothing can tell.
pub fn ending(semantics: &Semantics<'_>, cx: &Context<'_>, most: u64) -> Ending {
    let (mut expander, mut clock) = (Expander::new(semantics).persistent(), Clock::new(*cx));
    let (mut table, mut open) = (StateTable::default(), Vec::new());
    let Ok(Ok(initial)) = expander.stepper.initial() else { return Ending::Unknown };
    let mut stack: Vec<Frame> = Vec::new();
    let mut next = Some(initial);
    loop {
        if let Some(state) = next {
            let parent = stack.last().map_or(NO_PARENT, |frame| frame.id);
            match table.insert(&state, parent) {
                Lookup::New(id) => {
                    let successors = match beyond(&mut expander, state) {
                        Ok(successors) => successors,
                        Err(ending) => return ending,
                    };
                    open.push(true);
                    stack.push(Frame { id, successors });
                }
                Lookup::Known(id) if open[id as usize] => return Ending::Unknown,
                Lookup::Known(_) => {}
                Lookup::Full => return Ending::Stopped(Reason::from(Overflow::States)),
            }
            let stopped = clock.tick_deep(&table, stack.len(), stack.len() as u64, expander.transitions);
            if let Some(reason) = stopped.or_else(|| (table.len() as u64 > most).then_some(Reason::States)) {
                return Ending::Stopped(reason);
            }
        }
        let Some(frame) = stack.last_mut() else { return Ending::Ends(table.len() as u64) };
        next = frame.successors.pop();
        if next.is_none() {
            open[frame.id as usize] = false;
            stack.pop();
        }
    }
}

/// The states after a state, or after those that follow it where there is no choice: not every one of these is kept.
fn beyond(expander: &mut Expander<'_>, mut state: Vec<u8>) -> Result<Vec<Vec<u8>>, Ending> {
    let mut successors: Vec<Vec<u8>> = Vec::new();
    for _ in 0..CHAIN {
        successors.clear();
        let transitions = expander.transitions;
        let mut endless = || Some(Reason::Limit(String::from("an atomic sequence does not end")));
        let expanded = expander.expand(&state, &mut |s: &[u8]| successors.push(s.to_vec()), &mut endless);
        match expanded {
            Ok(()) if expander.crashed.is_none() => {}
            Ok(()) => return Err(Ending::Unknown),
            Err(unfinished) => return Err(Ending::Stopped(unfinished.reason())),
        }
        match successors.as_mut_slice() {
            [only] => std::mem::swap(only, &mut state),
            // An atomic sequence goes round forever: no other process comes after it.
            [] if expander.transitions > transitions => return Err(Ending::Unknown),
            _ => return Ok(successors),
        }
    }
    Ok(vec![state])
}

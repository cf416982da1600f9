//! Components that count: linear invariants of the states of all components, and a search for a state that they allow.
//!
//! A butler, a semaphore or a pool knows what all others do, so that nothing can be hidden from it and no two of its states
//! are alike; what it knows is a *number*. This method finds such numbers without looking for them: every weighting of
//! local states under which each event changes the sum of weights by nothing (`flows`) gives an equation that holds in all
//! states of the system. A state in which it is stuck, or wrong, and that keeps these equations is a question about one choice
//! of a state for each component, which a SAT solver answers (`clauses`): if there is none, the equations are the proof.
//! If there is one, it is where a search goes (`toward`); whether it can be reached is not known.
//!
//! The equations are the place invariants of the Petri net of the components, and the method that of D-Finder (Bensalem and
//! others, *D-Finder: a tool for compositional deadlock detection and verification*, 2009), with equations in place of traps.

mod clauses;
mod flows;
mod toward;

use crate::lts::Leaf;
use crate::meter::Meter;
use crate::problem::Problem;
use crate::{Question, Verdict};
use clauses::States;
use flows::Weights;
use model::composition_proof::{CompositionProof, Invariant};
use model::verdict::Reason;

/// So many states that the equations allow are looked for, one after the other.
const CANDIDATES: usize = 6;
/// So many states are stored on the way to each of them.
const SEARCHED: u64 = 20_000;

/// Answers by linear invariants.
pub(crate) fn count(problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Verdict, Reason> {
    if !matches!(problem.question, Question::Deadlock | Question::Safety) || problem.leaves.is_empty() {
        return Err(Reason::NotSupported(String::from("linear invariants are for deadlock and safety")));
    }
    let is_wrong = |leaf: &Leaf| leaf.lts.initial.iter().any(|&state| leaf.lts.wrong[state as usize]);
    if problem.leaves.iter().any(is_wrong) {
        return Err(Reason::NotProvable(String::from("a component begins in an error")));
    }
    let invariants = flows::invariants(problem, meter)?;
    let mut states = States::new(problem, &invariants, meter)?;
    for number in 0..CANDIDATES {
        let Some(candidate) = states.next(meter)? else {
            let nothing_left = || Reason::NotProvable(String::from("what the invariants allow was not reached"));
            return if number == 0 {
                Ok(Verdict::Holds(Box::new(proof(problem, &invariants))))
            } else {
                Err(nothing_left())
            };
        };
        match toward::search(problem, &candidate, &meter.slice(SEARCHED)) {
            Ok(Some(path)) => return Ok(Verdict::Fails(Box::new(problem.run(&path)))),
            Ok(None) | Err(Reason::States) => states.exclude(&candidate),
            Err(reason) => return Err(reason),
        }
    }
    Err(Reason::NotProvable(String::from("the linear invariants do not exclude it")))
}

fn proof(problem: &Problem<'_>, invariants: &[Weights]) -> CompositionProof {
    let listed = |weights: &Weights| {
        let of = |(component, own): &(usize, Vec<i64>)| {
            let leaf = &problem.leaves[*component];
            let states = problem.composition.components[*component].structure.states();
            let mut all = vec![0; states];
            leaf.original.iter().zip(own).for_each(|(&state, &weight)| all[state as usize] = weight);
            (*component as u32, all)
        };
        Invariant { weights: weights.iter().map(of).collect() }
    };
    CompositionProof { invariants: invariants.iter().map(listed).collect(), ..problem.trivial_proof() }
}

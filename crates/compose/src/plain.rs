//! The product of all components, on the fly: the baseline that the paper compares with.
//!
//! For deadlock and safety the run is a shortest one. The proof says nothing but that every state was looked at.

use crate::Verdict;
use crate::lasso::accepted_lasso;
use crate::meter::Meter;
use crate::problem::Problem;
use crate::search::breadth_first;
use crate::stubborn;
use model::verdict::Reason;

/// The same, and whether the checker's work is within the budget, too. It goes through all states; the search stops where
/// the automaton of a formula does.
pub(crate) fn plain_and_checkable(problem: &Problem<'_>, meter: &Meter<'_>) -> Result<(Verdict, bool), Reason> {
    let found = plain(problem, meter)?;
    if problem.watch.is_none() || matches!(found, Verdict::Fails(_)) {
        return Ok((found, true));
    }
    match breadth_first(&problem.product(), meter, |_, _| false) {
        Ok(_) => Ok((found, true)),
        Err(Reason::States) => Ok((found, false)),
        Err(reason) => Err(reason),
    }
}

/// Answers by looking at every state.
pub(crate) fn plain(problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Verdict, Reason> {
    let product = problem.product();
    let path = match &problem.watch {
        Some(watch) => accepted_lasso(&product, watch, meter)?,
        None if problem.is_deadlock() => breadth_first(&product, meter, |state, moves| {
            !moves && !product.is_wrong(state) && !problem.is_done(state)
        })?,
        None => breadth_first(&product, meter, |state, _| product.is_wrong(state))?,
    };
    Ok(match path {
        Some(path) => Verdict::Fails(Box::new(problem.run(&path))),
        None => Verdict::Holds(Box::new(problem.trivial_proof())),
    })
}

/// A run into a deadlock, by stubborn sets. That there is none is for others to prove.
pub(crate) fn deadlock(problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Verdict, Reason> {
    if !problem.is_deadlock() {
        return Err(Reason::NotSupported(String::from("stubborn sets find deadlocks only")));
    }
    match stubborn::find(&problem.product(), meter, |state| problem.is_done(state))? {
        Some(path) => Ok(Verdict::Fails(Box::new(problem.run(&path)))),
        None => Err(Reason::NotProvable(String::from("stubborn sets found no deadlock, which is no proof"))),
    }
}

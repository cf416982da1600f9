//! A log of what the SAT solver derived, and a plain checker for it.
//!
//! The format is DRUP (Heule, Hunt and Wetzler: *Trimming while checking clausal proofs*): a lemma is accepted when the
//! assumption that all its literals are false leads to a contradiction by unit propagation alone. The solver logs its
//! input too, because clauses come in between queries. Unsatisfiable under assumptions is logged as the lemma that one
//! of the failed assumptions is false.
//!
//! The checker shares nothing with the solver but the literals. It looks at every clause again and again until nothing
//! changes: slow, and easy to believe.

use super::literal::Lit;

/// One line of the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProofStep {
    /// A clause that was given.
    Input(Vec<Lit>),
    /// A clause that follows from those before by unit propagation.
    Lemma(Vec<Lit>),
    /// A clause that is no longer used.
    Delete(Vec<Lit>),
}

/// Checks a log. The number of lemmas, or the first step that does not follow.
pub fn check_proof(steps: &[ProofStep]) -> Result<usize, usize> {
    let mut clauses: Vec<Vec<Lit>> = Vec::new();
    let mut lemmas = 0;
    for (number, step) in steps.iter().enumerate() {
        match step {
            ProofStep::Input(clause) => clauses.push(clause.clone()),
            ProofStep::Lemma(lemma) => {
                if !follows(&clauses, lemma) {
                    return Err(number);
                }
                lemmas += 1;
                clauses.push(lemma.clone());
            }
            ProofStep::Delete(clause) => {
                let wanted = sorted(clause);
                if let Some(place) = clauses.iter().rposition(|other| sorted(other) == wanted) {
                    clauses.swap_remove(place);
                }
            }
        }
    }
    Ok(lemmas)
}

fn sorted(clause: &[Lit]) -> Vec<Lit> {
    let mut clause = clause.to_vec();
    clause.sort_unstable();
    clause
}

/// Does unit propagation refute that all literals of the lemma are false?
fn follows(clauses: &[Vec<Lit>], lemma: &[Lit]) -> bool {
    let variables = clauses.iter().flatten().chain(lemma).map(|literal| literal.var().index() + 1).max().unwrap_or(0);
    let mut truth = vec![false; 2 * variables];
    for &literal in lemma {
        truth[(!literal).index()] = true;
        if truth[literal.index()] {
            return true;
        }
    }
    loop {
        let mut changed = false;
        for clause in clauses {
            match unit(clause, &truth) {
                Unit::Conflict => return true,
                Unit::Forces(literal) => {
                    truth[literal.index()] = true;
                    changed = true;
                }
                Unit::Nothing => {}
            }
        }
        if !changed {
            return false;
        }
    }
}

enum Unit {
    Conflict,
    Forces(Lit),
    Nothing,
}

fn unit(clause: &[Lit], truth: &[bool]) -> Unit {
    let mut open = None;
    for &literal in clause {
        if truth[literal.index()] {
            return Unit::Nothing;
        }
        if !truth[(!literal).index()] {
            match open {
                None => open = Some(literal),
                Some(other) if other == literal => {}
                Some(_) => return Unit::Nothing,
            }
        }
    }
    open.map_or(Unit::Conflict, Unit::Forces)
}

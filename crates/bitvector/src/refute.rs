//! The SAT solver as a [`Refuter`]: a fresh one for every question, and its log as an LRAT proof without what is not used.

use crate::effort::Effort;
use crate::sat::{Answer, Lit, ProofStep, Sat, Var};
use model::budget::Budget;
use model::reason::Reason;
use model::refutation::{Cnf, Literal, Lrat, LratStep, Refuter};

/// The embedded SAT solver.
#[derive(Clone, Copy, Default, Debug)]
pub struct SatRefuter;

impl Refuter for SatRefuter {
    fn refute(&mut self, cnf: &Cnf, budget: &Budget) -> Result<Lrat, Reason> {
        let mut sat = Sat::new();
        sat.log_proof();
        let variables: Vec<Var> = (0..cnf.variables()).map(|_| sat.new_variable()).collect();
        for clause in cnf.clauses() {
            budget.spend(clause.len() + 1)?;
            let literal = |literal: &Literal| variables[literal.variable() as usize].literal(!literal.is_negative());
            let clause: Vec<Lit> = clause.iter().map(literal).collect();
            sat.add_clause(&clause);
        }
        match sat.solve(&[], None, &Effort::from(budget)) {
            Answer::Unsat => Ok(trimmed(sat.proof(), cnf.len())),
            Answer::Sat => Err(Reason::NotProvable(String::from("the clauses can hold together"))),
            Answer::Unknown(reason) => Err(reason),
        }
    }
}

/// The lemmas that the empty clause needs, with the numbers of LRAT: first all inputs, then the lemmas that are left.
fn trimmed(log: &[ProofStep], inputs: usize) -> Lrat {
    let clauses: Vec<&ProofStep> = log.iter().filter(|step| !matches!(step, ProofStep::Delete(_))).collect();
    let mut needed = vec![false; clauses.len()];
    for (number, step) in clauses.iter().enumerate().rev() {
        if let ProofStep::Lemma { clause, hints } = step
            && (clause.is_empty() || needed[number])
        {
            needed[number] = true;
            hints.iter().for_each(|&hint| needed[hint as usize] = true);
        }
    }
    let (mut numbers, mut steps) = (Vec::with_capacity(clauses.len()), Vec::new());
    let (mut given, mut derived) = (0, inputs as u32);
    for step in log {
        match step {
            ProofStep::Input(_) => {
                numbers.push(given);
                given += 1;
            }
            ProofStep::Lemma { clause, hints } => {
                let is_needed = needed[numbers.len()];
                numbers.push(derived);
                if is_needed {
                    let literals = clause.iter().map(|&literal| exported(literal)).collect();
                    let hints = hints.iter().map(|&hint| numbers[hint as usize]).collect();
                    steps.push(LratStep::Lemma { literals, hints });
                    derived += 1;
                }
            }
            ProofStep::Delete(number) if needed[*number as usize] => {
                steps.push(LratStep::Delete(vec![numbers[*number as usize]]));
            }
            ProofStep::Delete(_) => {}
        }
    }
    Lrat { steps }
}

fn exported(literal: Lit) -> Literal {
    let positive = Literal::positive(literal.var().index() as u32);
    if literal.is_positive() { positive } else { !positive }
}

//! From one state that leads to a cube, to a cube all of whose states lead there: predicates come from here.
//!
//! A model of a block is a start, inputs, and with them one path through the block. Executed symbolically along that
//! path with these inputs, the conditions on the way and the literals of the target become conditions over the start
//! alone: the weakest precondition of the path. Split into literals as the model decides them, they are a cube that
//! contains the start, and from each of its states the same inputs lead into the target. So every chain of such cubes
//! that begins at the entry is a run of the program, not of an abstraction.
//!
//! Most of the literals are not needed; an unsatisfiable core says which are (Chockler, Ivrii, Matsliah, Moran and Nevo,
//! *Incremental formal verification of hardware*, 2011, section IV).

use crate::bounds::as_bounds;
use crate::search::{Cube, Search};
use crate::system::Step;
use bitvector::{Evaluation, Model, Op, Sort, TermId, Terms};
use model::verdict::Reason;
use std::collections::{HashMap, HashSet};

/// A core is made smaller by single literals only if it has no more than this.
const FEW: usize = 24;
/// Conflicts that the search for a smaller core may cost.
const CONFLICTS: u64 = 2_000;

impl Search<'_, '_> {
    /// The states that lead into the cube through the block as this model does.
    pub(crate) fn predecessor(&mut self, block: usize, cube: &[TermId], model: &Model) -> Result<Cube, Reason> {
        let all = self.path_conditions(block, cube, model)?;
        let mut evaluation = Evaluation::new(model.clone());
        let bounded = bounded(&mut self.system.terms, all, &mut evaluation);
        let literals = simplified(&mut self.system.terms, bounded, &mut evaluation);
        self.needed(block, cube, model, literals)
    }

    /// The weakest precondition of the path that the model takes, as literals that hold in the model.
    fn path_conditions(&mut self, block: usize, cube: &[TermId], model: &Model) -> Result<Vec<TermId>, Reason> {
        let system = &mut self.system;
        let (source, target) = (system.blocks[block].source, system.blocks[block].target);
        let mut evaluation = Evaluation::new(model.clone());
        let mut values = system.state.clone();
        let mut location = system.cuts[source];
        let mut conditions = Vec::new();
        loop {
            let mut taken = None;
            for &edge in &system.slice.leaving[location.0 as usize].clone() {
                let chosen =
                    system.choices.get(&edge).is_none_or(|&choice| evaluation.bits(&system.terms, choice) == 1);
                if !chosen {
                    continue;
                }
                if let Step::Assume(condition) = system.steps[edge.0 as usize] {
                    let condition = system.at(condition, &values);
                    if evaluation.bits(&system.terms, condition) == 1 {
                        conditions.push(condition);
                        taken = Some(edge);
                        break;
                    }
                } else {
                    taken = Some(edge);
                    break;
                }
            }
            let Some(edge) = taken else { return Err(lost()) };
            match system.steps[edge.0 as usize].clone() {
                Step::Assign(list) => {
                    let terms: Vec<TermId> = list.iter().map(|&(_, value)| value).collect();
                    let new = system.all_at(&terms, &values);
                    for (&(at, _), value) in list.iter().zip(new) {
                        values[at] = value;
                    }
                }
                Step::Input(list) => {
                    for (at, input) in list {
                        let bits = model.get(input);
                        let sort = system.terms.sort(input);
                        values[at] = system.terms.constant_of(sort, bits);
                    }
                }
                Step::Error if target == system.error() => break,
                Step::Error => return Err(lost()),
                Step::Pass | Step::Assume(_) => {}
            }
            location = system.component.edge(edge).target;
            if let Some(cut) = system.cut_at[location.0 as usize] {
                if cut != target {
                    return Err(lost());
                }
                break;
            }
        }
        for &literal in cube {
            conditions.push(system.at(literal, &values));
        }
        Ok(literals(&mut system.terms, conditions, &mut evaluation))
    }

    /// The literals without which some state would not lead into the cube with these inputs.
    fn needed(&mut self, block: usize, cube: &[TermId], model: &Model, literals: Cube) -> Result<Cube, Reason> {
        let mut fixed = Vec::new();
        for input in self.system.blocks[block].inputs.clone() {
            let sort = self.system.terms.sort(input);
            let value = self.system.terms.constant_of(sort, model.get(input));
            fixed.push(self.system.terms.eq(input, value));
        }
        let mut parts = vec![self.system.blocks[block].guard];
        for &literal in cube {
            parts.push(self.through(block, literal));
        }
        let arrives = self.system.terms.and_all(&parts);
        fixed.push(self.system.terms.not(arrives));
        let Some(mut kept) = self.core_of(&literals, &fixed)? else { return Ok(literals) };
        let mut at = 0;
        while kept.len() <= FEW && at < kept.len() {
            let mut fewer = kept.clone();
            fewer.remove(at);
            match self.core_of(&fewer, &fixed)? {
                Some(core) => {
                    at = kept.iter().take(at).filter(|literal| core.contains(literal)).count();
                    kept = core;
                }
                None => at += 1,
            }
        }
        Ok(kept)
    }

    /// Those of the literals that cannot hold together with the rest; nothing if they can, or if that is hard to say.
    fn core_of(&mut self, literals: &[TermId], rest: &[TermId]) -> Result<Option<Cube>, Reason> {
        let mut question = literals.to_vec();
        question.extend_from_slice(rest);
        let core = self.ask(&question, Some(CONFLICTS))?.core();
        Ok(core.map(|core| literals.iter().copied().filter(|literal| core.contains(literal)).collect()))
    }
}

fn lost() -> Reason {
    Reason::NotProvable(String::from("a path of the program does not follow its formula"))
}

/// Splits conditions that hold in a model into literals that hold in it and imply them.
fn literals(terms: &mut Terms, conditions: Vec<TermId>, evaluation: &mut Evaluation) -> Cube {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    // Each is to be true.
    let mut pending: Vec<TermId> = conditions.into_iter().rev().collect();
    while let Some(condition) = pending.pop() {
        if !seen.insert(condition) {
            continue;
        }
        let (positive, inner) = polarity(terms, condition);
        let node = terms.node(inner);
        let arguments = node.arguments().to_vec();
        match (node.op(), positive) {
            (Op::Const(_), _) => {}
            (Op::And, true) | (Op::Or, false) => {
                for argument in arguments {
                    pending.push(with_polarity(terms, argument, positive));
                }
            }
            (Op::And, false) | (Op::Or, true) => {
                let wanted = u128::from(positive);
                let holds = arguments.into_iter().find(|&argument| evaluation.bits(terms, argument) == wanted);
                pending.extend(holds.map(|argument| with_polarity(terms, argument, positive)));
            }
            (Op::Eq, _) if terms.sort(arguments[0]) == Sort::Bool => {
                for argument in arguments {
                    let value = evaluation.bits(terms, argument) == 1;
                    pending.push(with_polarity(terms, argument, value));
                }
            }
            _ => {
                let before = pending.len();
                let resolved = without_choices(terms, condition, evaluation, &mut pending);
                if pending.len() > before || resolved != condition {
                    pending.push(resolved);
                } else {
                    found.push(condition);
                }
            }
        }
    }
    found
}

fn polarity(terms: &Terms, term: TermId) -> (bool, TermId) {
    let node = terms.node(term);
    match (node.op(), node.arguments()) {
        (Op::Not, &[inner]) => (false, inner),
        _ => (true, term),
    }
}

fn with_polarity(terms: &mut Terms, term: TermId, positive: bool) -> TermId {
    if positive { term } else { terms.not(term) }
}

/// The term with every selection replaced by what the model selects; the reasons go to `pending`.
fn without_choices(terms: &mut Terms, term: TermId, evaluation: &mut Evaluation, pending: &mut Vec<TermId>) -> TermId {
    let parts = terms.parts(&[term]);
    if !parts.iter().any(|&part| terms.node(part).op() == Op::Ite) {
        return term;
    }
    // From the root, so that only choices that count are made.
    let mut images: HashMap<TermId, TermId> = HashMap::new();
    let mut stack = vec![term];
    while let Some(&top) = stack.last() {
        if images.contains_key(&top) {
            stack.pop();
            continue;
        }
        let node = terms.node(top);
        let arguments = node.arguments().to_vec();
        let needed = match (node.op(), &arguments[..]) {
            (Op::Ite, &[condition, then, other]) => {
                let holds = evaluation.bits(terms, condition) == 1;
                vec![if holds { then } else { other }]
            }
            _ => arguments.clone(),
        };
        let missing: Vec<TermId> = needed.iter().copied().filter(|part| !images.contains_key(part)).collect();
        if !missing.is_empty() {
            stack.extend(missing);
            continue;
        }
        let changed: Vec<TermId> = needed.iter().map(|part| images[part]).collect();
        let image = match node.op() {
            Op::Ite => {
                let condition = arguments[0];
                let holds = evaluation.bits(terms, condition) == 1;
                pending.push(with_polarity(terms, condition, holds));
                changed[0]
            }
            _ if changed == arguments => top,
            op => terms.make(op, node.sort(), &changed),
        };
        images.insert(top, image);
        stack.pop();
    }
    images[&term]
}

/// Comparisons of sums as bounds.
fn bounded(terms: &mut Terms, literals: Cube, evaluation: &mut Evaluation) -> Cube {
    let truth = terms.bool(true);
    let mut found = Vec::new();
    for literal in literals {
        match as_bounds(terms, literal, evaluation) {
            Some(bounds) => found.extend(bounds.into_iter().filter(|&bound| bound != truth)),
            None => found.push(literal),
        }
    }
    found
}

/// Leaves out what an equation with a constant implies: `x == 3` makes `x != 5` and `x < 7` superfluous.
fn simplified(terms: &mut Terms, literals: Cube, evaluation: &mut Evaluation) -> Cube {
    let mut known: HashMap<TermId, TermId> = HashMap::new();
    for &literal in &literals {
        if let Some((variable, _)) = equation(terms, literal) {
            let bits = evaluation.bits(terms, variable);
            let sort = terms.sort(variable);
            known.insert(variable, terms.constant_of(sort, bits));
        }
    }
    let truth = terms.bool(true);
    let mut kept: Cube = Vec::new();
    for literal in literals {
        let keep = equation(terms, literal).is_some() || {
            let read = terms.free_variables(&[literal]);
            let map: HashMap<TermId, TermId> =
                read.into_iter().filter_map(|variable| Some((variable, *known.get(&variable)?))).collect();
            map.is_empty() || terms.substitute(literal, &map) != truth
        };
        if keep && !kept.contains(&literal) {
            kept.push(literal);
        }
    }
    kept
}

/// The variable and the constant of a literal that says that they are equal.
fn equation(terms: &Terms, literal: TermId) -> Option<(TermId, TermId)> {
    let (positive, inner) = polarity(terms, literal);
    let node = terms.node(inner);
    match (node.op(), node.arguments()) {
        (Op::Eq, &[a, b]) if positive => {
            let variable = |term: TermId| matches!(terms.node(term).op(), Op::Var(_));
            if variable(a) && terms.as_const(b).is_some() {
                Some((a, b))
            } else if variable(b) && terms.as_const(a).is_some() {
                Some((b, a))
            } else {
                None
            }
        }
        _ => None,
    }
}

//! Making a cube that is not reached larger: fewer literals, and weaker ones.
//!
//! First the literals that no core needed go, then single ones are tried. Then each literal that is left is tried in a
//! weaker form: an equation as an inequality, or an atom of the *vocabulary* that it implies. The vocabulary is what the
//! program itself compares and assigns; it is how a fact about the fifth round of a loop becomes one about all rounds.
//! `joint.rs` does the same for several cut points at once.

use crate::search::{Cube, Reached, Search};
use crate::system::{Cut, Step, System};
use bitvector::{Evaluation, Op, Sort, TermId};
use model::verdict::Reason;
use std::collections::{HashMap, HashSet};

/// Conflicts that one attempt may cost.
const CONFLICTS: u64 = 3_000;
/// Attempts with weaker literals for one cube.
const ATTEMPTS: usize = 12;

/// Bits that may replace an equation, at first and at last.
const SOME_BITS: usize = 8;
const FEW_BITS: usize = 2;

/// The atoms that the program is about.
pub(crate) struct Vocabulary {
    /// Atoms of conditions, and equations with assigned constants, with the variables that they read.
    atoms: Vec<(TermId, Vec<TermId>)>,
    /// Whether the weaker one is implied.
    implied: HashMap<(TermId, TermId), bool>,
    used: HashSet<TermId>,
}

impl Vocabulary {
    pub(crate) fn new(system: &mut System<'_>) -> Self {
        let mut found: Vec<TermId> = Vec::new();
        for (number, step) in system.steps.clone().into_iter().enumerate() {
            match step {
                Step::Assume(condition) if system.slice.live[number] => atoms_of(system, condition, &mut found),
                Step::Assign(list) => {
                    for (at, value) in list {
                        let variable = system.state[at];
                        if system.terms.as_const(value).is_some() && system.terms.sort(variable) != Sort::Bool {
                            found.push(system.terms.eq(variable, value));
                        }
                    }
                }
                _ => {}
            }
        }
        let mut seen = HashSet::new();
        found.retain(|atom| seen.insert(*atom) && system.terms.as_const(*atom).is_none());
        let atoms = found.into_iter().map(|atom| (atom, system.terms.free_variables(&[atom]))).collect();
        Vocabulary { atoms, implied: HashMap::new(), used: HashSet::new() }
    }

    /// The atoms over these variables only.
    pub(crate) fn over(&self, variables: &[TermId]) -> Vec<TermId> {
        let within = |read: &[TermId]| read.iter().all(|variable| variables.contains(variable));
        self.atoms.iter().filter(|(_, read)| within(read)).map(|(atom, _)| *atom).collect()
    }

    /// These literals are in a clause.
    pub(crate) fn note(&mut self, cube: &[TermId]) {
        self.used.extend(cube);
    }
}

/// The word and the bits of a literal that says that they are equal.
fn word_equation(terms: &bitvector::Terms, literal: TermId) -> Option<(TermId, u128)> {
    let node = terms.node(literal);
    match (node.op(), node.arguments()) {
        (Op::Eq, &[a, b]) if terms.sort(a) != Sort::Bool && terms.width(a) > 1 => {
            terms.as_const(b).map(|bits| (a, bits)).or_else(|| terms.as_const(a).map(|bits| (b, bits)))
        }
        _ => None,
    }
}

/// The parts of a condition that are not made of conditions.
fn atoms_of(system: &System<'_>, condition: TermId, found: &mut Vec<TermId>) {
    let terms = &system.terms;
    let mut pending = vec![condition];
    let mut seen = HashSet::new();
    while let Some(part) = pending.pop() {
        let node = terms.node(part);
        if !seen.insert(part) {
            continue;
        }
        match node.op() {
            Op::Not | Op::And | Op::Or => pending.extend_from_slice(node.arguments()),
            _ if node.sort() == Sort::Bool => found.push(part),
            _ => {}
        }
    }
}

impl Search<'_, '_> {
    /// The cube is not reached at the level, and the core says why: learns a clause, and says up to which level.
    ///
    /// The question had the negation of the whole cube before the block. The core's own negation is stronger, so the
    /// core alone is not reached either.
    pub(crate) fn generalise(&mut self, cut: Cut, core: Cube, level: usize) -> Result<usize, Reason> {
        let kept = self.fewer(cut, core, level)?;
        let kept = self.bits(cut, kept, level)?;
        let kept = self.weaker(cut, kept, level)?;
        let kept = self.fewer_jointly(cut, kept, level)?;
        let mut reached = level;
        while reached < self.top {
            match self.reached(cut, &kept, reached + 1, Some(CONFLICTS))? {
                Reached::Never(_) => reached += 1,
                _ => break,
            }
        }
        self.learn(cut, kept, reached);
        Ok(reached)
    }

    fn fewer(&mut self, cut: Cut, mut kept: Cube, level: usize) -> Result<Cube, Reason> {
        // What is largest, and least the program's own, goes first.
        let own: HashSet<TermId> = self.vocabulary.atoms.iter().map(|(atom, _)| *atom).collect();
        let terms = &self.system.terms;
        kept.sort_by_key(|&literal| (own.contains(&literal), std::cmp::Reverse(terms.parts(&[literal]).len())));
        let mut at = 0;
        while at < kept.len() {
            self.cx.budget.check()?;
            let mut tried = kept.clone();
            tried.remove(at);
            match self.unreached_part(cut, tried, level)? {
                Some(core) => {
                    at = kept.iter().take(at).filter(|literal| core.contains(literal)).count();
                    kept = core;
                }
                None => at += 1,
            }
        }
        Ok(kept)
    }

    /// Literals of a cube that are not reached. When a state outside of the cube leads into it, and stays at the cut
    /// point, literals that do not hold in that state go: then it is inside.
    pub(crate) fn unreached_part(&mut self, cut: Cut, mut cube: Cube, level: usize) -> Result<Option<Cube>, Reason> {
        loop {
            match self.reached(cut, &cube, level, Some(CONFLICTS))? {
                Reached::Never(core) => return Ok(Some(core)),
                Reached::By(block, model) if self.system.blocks[block].source == cut => {
                    let mut evaluation = Evaluation::new(model);
                    let before = cube.len();
                    cube.retain(|&literal| evaluation.bits(&self.system.terms, literal) == 1);
                    if cube.is_empty() || cube.len() == before {
                        return Ok(None);
                    }
                }
                _ => return Ok(None),
            }
        }
    }

    fn weaker(&mut self, cut: Cut, mut kept: Cube, level: usize) -> Result<Cube, Reason> {
        let mut attempts = 0;
        let mut at = 0;
        'literals: while at < kept.len() {
            for candidate in self.weaker_literals(kept[at])? {
                if attempts == ATTEMPTS {
                    break 'literals;
                }
                attempts += 1;
                let mut tried = kept.clone();
                tried[at] = candidate;
                if let Reached::Never(_) = self.reached(cut, &tried, level, Some(CONFLICTS))? {
                    kept = tried;
                    continue 'literals;
                }
            }
            at += 1;
        }
        Ok(kept)
    }

    /// Equations that are not the program's own, as single bits: what is needed may be that a number is odd.
    fn bits(&mut self, cut: Cut, mut kept: Cube, level: usize) -> Result<Cube, Reason> {
        for literal in kept.clone() {
            let Some((word, value)) = word_equation(&self.system.terms, literal) else { continue };
            if self.vocabulary.atoms.iter().any(|(atom, _)| *atom == literal) {
                continue;
            }
            let mut tried: Cube = kept.iter().copied().filter(|&other| other != literal).collect();
            for place in 0..self.system.terms.width(word) {
                let terms = &mut self.system.terms;
                let bit = terms.extract(word, place, place);
                let wanted = terms.constant(1, value >> place & 1);
                tried.push(terms.eq(bit, wanted));
            }
            let truth = self.system.terms.bool(true);
            tried.retain(|&bit| bit != truth);
            if let Reached::Never(core) = self.reached(cut, &tried, level, Some(CONFLICTS))?
                && core.len() < kept.len() + SOME_BITS
            {
                let fewer = self.fewer(cut, core, level)?;
                if fewer.len() < kept.len() + FEW_BITS {
                    kept = fewer;
                }
            }
        }
        Ok(kept)
    }

    /// Literals that this one implies, the weakest first.
    fn weaker_literals(&mut self, literal: TermId) -> Result<Vec<TermId>, Reason> {
        let mut found = Vec::new();
        let read = self.system.terms.free_variables(&[literal]);
        let near: Vec<TermId> = self
            .vocabulary
            .atoms
            .iter()
            .filter(|(_, variables)| variables.iter().all(|variable| read.contains(variable)))
            .map(|(atom, _)| *atom)
            .collect();
        for atom in near {
            let opposite = self.system.terms.not(atom);
            for candidate in [opposite, atom] {
                if candidate != literal && self.implies(literal, candidate)? {
                    found.push(candidate);
                }
            }
        }
        if let Some((variable, bits)) = word_equation(&self.system.terms, literal) {
            let terms = &mut self.system.terms;
            let value = terms.constant(terms.width(variable), bits);
            for candidate in [
                terms.sle(variable, value),
                terms.sle(value, variable),
                terms.ule(variable, value),
                terms.ule(value, variable),
            ] {
                if terms.as_const(candidate).is_none() && candidate != literal {
                    found.push(candidate);
                }
            }
        }
        Ok(found)
    }

    fn implies(&mut self, stronger: TermId, weaker: TermId) -> Result<bool, Reason> {
        if let Some(&known) = self.vocabulary.implied.get(&(stronger, weaker)) {
            return Ok(known);
        }
        let opposite = self.system.terms.not(weaker);
        let known = self.ask(&[stronger, opposite], Some(CONFLICTS))?.core().is_some();
        // Two that imply each other would be exchanged forever.
        let strict = known && {
            let negated = self.system.terms.not(stronger);
            matches!(self.ask(&[weaker, negated], Some(CONFLICTS))?, crate::search::Said::Yes(_))
        };
        self.vocabulary.implied.insert((stronger, weaker), strict);
        Ok(strict)
    }
}

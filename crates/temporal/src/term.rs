//! Terms: formulas in negation normal form, shared, and kept simple from birth.
//!
//! A term is a Boolean function of atoms, a conjunction, a disjunction, or one of X, U and R; `F a` is `true U a` and
//! `G a` is `false R a`. All that is Boolean is one guard, so Boolean laws need no rules. Equal terms are equal
//! numbers. Terms are made by the constructors of [`crate::simplify`] only, which rewrite on the way.
//!
//! The rules there are closed under duality: the negation of a simple term is simple, and [`Terms::negate`] just
//! swaps operators.

use crate::guard::{Diagrams, Guard};
use ltl::Formula;
use model::budget::Budget;
use rustc_hash::FxHashMap as Map;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct TermId(u32);

impl TermId {
    pub(crate) const FALSE: TermId = TermId(0);
    pub(crate) const TRUE: TermId = TermId(1);

    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Term {
    Boolean(Guard),
    /// Sorted, at least two, no conjunction among them, at most one Boolean. Likewise `Or`.
    And(Vec<TermId>),
    Or(Vec<TermId>),
    Next(TermId),
    Until(TermId, TermId),
    Release(TermId, TermId),
}

/// What is known of a term beside its structure (Etessami & Holzmann 2000, *Optimizing Büchi automata*, section 3).
#[derive(Clone, Copy)]
struct Class {
    /// If it holds somewhere, it holds everywhere before.
    eventual: bool,
    /// If it holds somewhere, it holds everywhere after.
    universal: bool,
}

/// Where laws could be used from left to right or from right to left, and neither is always better.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Style {
    /// F a ∨ e = F (a ∨ e) for a pure eventuality e: gather under F, or take e out.
    pub(crate) gather: bool,
    /// F (a R b) = F (G b ∨ (a ∧ b)): unfold, or leave alone.
    pub(crate) unfold: bool,
}

pub(crate) struct Terms {
    pub(crate) style: Style,
    pub(crate) guards: Diagrams,
    terms: Vec<Term>,
    classes: Vec<Class>,
    index: Map<Term, TermId>,
    negations: Map<TermId, TermId>,
    pub(crate) implications: Map<(TermId, TermId), bool>,
}

impl Terms {
    pub(crate) fn new(steps: u64, budget: &Budget) -> Terms {
        let mut terms = Terms {
            style: Style { gather: true, unfold: false },
            guards: Diagrams::new(steps, budget),
            terms: Vec::new(),
            classes: Vec::new(),
            index: Map::default(),
            negations: Map::default(),
            implications: Map::default(),
        };
        terms.intern(Term::Boolean(Guard::FALSE));
        terms.intern(Term::Boolean(Guard::TRUE));
        terms
    }

    pub(crate) fn get(&self, id: TermId) -> &Term {
        &self.terms[id.0 as usize]
    }

    pub(crate) fn eventual(&self, id: TermId) -> bool {
        self.classes[id.0 as usize].eventual
    }

    pub(crate) fn universal(&self, id: TermId) -> bool {
        self.classes[id.0 as usize].universal
    }

    /// Holds everywhere or nowhere, like `G F a`.
    pub(crate) fn suspendable(&self, id: TermId) -> bool {
        self.eventual(id) && self.universal(id)
    }

    /// The number of the term; the caller has applied the rules.
    pub(crate) fn intern(&mut self, term: Term) -> TermId {
        if let Some(&id) = self.index.get(&term) {
            return id;
        }
        self.guards.spend(1);
        let id = TermId(self.terms.len() as u32);
        self.classes.push(self.classify(&term));
        self.index.insert(term.clone(), id);
        self.terms.push(term);
        id
    }

    fn classify(&self, term: &Term) -> Class {
        let of = |id: &TermId| self.classes[id.0 as usize];
        match term {
            Term::Boolean(guard) => Class { eventual: guard.is_constant(), universal: guard.is_constant() },
            Term::And(parts) | Term::Or(parts) => Class {
                eventual: parts.iter().all(|part| of(part).eventual),
                universal: parts.iter().all(|part| of(part).universal),
            },
            Term::Next(a) => of(a),
            Term::Until(a, b) => Class {
                eventual: *a == TermId::TRUE || of(a).eventual && of(b).eventual,
                universal: of(a).universal && of(b).universal,
            },
            Term::Release(a, b) => Class {
                eventual: of(a).eventual && of(b).eventual,
                universal: *a == TermId::FALSE || of(a).universal && of(b).universal,
            },
        }
    }

    pub(crate) fn negate(&mut self, id: TermId) -> TermId {
        if let Some(&known) = self.negations.get(&id) {
            return known;
        }
        let dual = match self.get(id).clone() {
            Term::Boolean(guard) => Term::Boolean(self.guards.not(guard)),
            Term::And(parts) => Term::Or(self.negate_all(&parts)),
            Term::Or(parts) => Term::And(self.negate_all(&parts)),
            Term::Next(a) => Term::Next(self.negate(a)),
            Term::Until(a, b) => Term::Release(self.negate(a), self.negate(b)),
            Term::Release(a, b) => Term::Until(self.negate(a), self.negate(b)),
        };
        let dual = self.intern(dual);
        if !self.guards.exhausted() {
            self.negations.insert(id, dual);
            self.negations.insert(dual, id);
        }
        dual
    }

    fn negate_all(&mut self, parts: &[TermId]) -> Vec<TermId> {
        let mut parts: Vec<TermId> = parts.iter().map(|&part| self.negate(part)).collect();
        parts.sort_unstable();
        parts
    }

    /// The term of a formula.
    pub(crate) fn of_formula(&mut self, formula: &Formula) -> TermId {
        match formula {
            Formula::True => TermId::TRUE,
            Formula::False => TermId::FALSE,
            Formula::Atom(atom) => {
                let guard = self.guards.atom(*atom);
                self.boolean(guard)
            }
            Formula::Not(a) => {
                let a = self.of_formula(a);
                self.negate(a)
            }
            Formula::Next(a) => {
                let a = self.of_formula(a);
                self.next(a)
            }
            Formula::Globally(a) => {
                let a = self.of_formula(a);
                self.globally(a)
            }
            Formula::Finally(a) => {
                let a = self.of_formula(a);
                self.finally(a)
            }
            Formula::And(a, b)
            | Formula::Or(a, b)
            | Formula::Implies(a, b)
            | Formula::Iff(a, b)
            | Formula::Until(a, b)
            | Formula::Release(a, b)
            | Formula::WeakUntil(a, b) => {
                let (a, b) = (self.of_formula(a), self.of_formula(b));
                self.of_binary(formula, a, b)
            }
        }
    }

    fn of_binary(&mut self, formula: &Formula, a: TermId, b: TermId) -> TermId {
        match formula {
            Formula::And(..) => self.and(vec![a, b]),
            Formula::Or(..) => self.or(vec![a, b]),
            Formula::Implies(..) => {
                let not_a = self.negate(a);
                self.or(vec![not_a, b])
            }
            Formula::Iff(..) => {
                let (not_a, not_b) = (self.negate(a), self.negate(b));
                let (both, neither) = (self.and(vec![a, b]), self.and(vec![not_a, not_b]));
                self.or(vec![both, neither])
            }
            Formula::Until(..) => self.until(a, b),
            Formula::Release(..) => self.release(a, b),
            // a W b = b R (a ∨ b).
            _ => {
                let either = self.or(vec![a, b]);
                self.release(b, either)
            }
        }
    }

    /// Back to a formula, with F and G where they fit, to be read by people.
    pub(crate) fn formula_of(&mut self, id: TermId) -> Formula {
        match self.get(id).clone() {
            Term::Boolean(guard) => self.boolean_formula(guard),
            Term::And(parts) => self.join(&parts, Formula::and),
            Term::Or(parts) => self.join(&parts, Formula::or),
            Term::Next(a) => self.formula_of(a).next(),
            Term::Until(TermId::TRUE, b) => self.formula_of(b).finally(),
            Term::Release(TermId::FALSE, b) => self.formula_of(b).globally(),
            Term::Until(a, b) => self.formula_of(a).until(self.formula_of(b)),
            Term::Release(a, b) => self.formula_of(a).release(self.formula_of(b)),
        }
    }

    fn join(&mut self, parts: &[TermId], operator: fn(Formula, Formula) -> Formula) -> Formula {
        let parts: Vec<Formula> = parts.iter().map(|&part| self.formula_of(part)).collect();
        parts.into_iter().reduce(operator).unwrap_or(Formula::True)
    }

    fn boolean_formula(&mut self, guard: Guard) -> Formula {
        let cube = |cube: crate::automaton::Cube| {
            let positive = cube.positive.into_iter().map(Formula::Atom);
            let negative = cube.negative.into_iter().map(|atom| Formula::Atom(atom).not());
            positive.chain(negative).reduce(Formula::and).unwrap_or(Formula::True)
        };
        self.guards.cubes(guard).into_iter().map(cube).reduce(Formula::or).unwrap_or(Formula::False)
    }

    pub(crate) fn boolean(&mut self, guard: Guard) -> TermId {
        self.intern(Term::Boolean(guard))
    }
}

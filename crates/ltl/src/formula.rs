//! Formulas of state/event linear temporal logic, over numbered atoms.
//!
//! SE-LTL (Chaki, Clarke, Ouaknine, Sharygina, Sinha: *State/event-based software model checking*, 2004, section 3) is
//! linear temporal logic in which an atom may be a proposition of a state or an event of the step that leaves it. Which
//! of the two an atom is does not matter here: a formula is about infinite words of sets of atoms.

/// A formula over numbered atoms.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Formula {
    /// Holds everywhere.
    True,
    /// Holds nowhere.
    False,
    /// Atom n holds now.
    Atom(u32),
    /// Negation.
    Not(Box<Formula>),
    /// Conjunction.
    And(Box<Formula>, Box<Formula>),
    /// Disjunction.
    Or(Box<Formula>, Box<Formula>),
    /// Implication.
    Implies(Box<Formula>, Box<Formula>),
    /// Equivalence.
    Iff(Box<Formula>, Box<Formula>),
    /// In the next position.
    Next(Box<Formula>),
    /// From now on.
    Globally(Box<Formula>),
    /// Now or later.
    Finally(Box<Formula>),
    /// The second holds now or later, and the first in all positions before.
    Until(Box<Formula>, Box<Formula>),
    /// The second holds up to and including the first position in which the first holds, or forever.
    Release(Box<Formula>, Box<Formula>),
    /// Until, or the first holds forever.
    WeakUntil(Box<Formula>, Box<Formula>),
}

/// Building blocks that box their parts.
impl Formula {
    /// Negation; `!` in front of a formula.
    #[allow(clippy::should_implement_trait)]
    pub fn not(self) -> Formula {
        Formula::Not(Box::new(self))
    }

    /// Conjunction.
    pub fn and(self, right: Formula) -> Formula {
        Formula::And(Box::new(self), Box::new(right))
    }

    /// Disjunction.
    pub fn or(self, right: Formula) -> Formula {
        Formula::Or(Box::new(self), Box::new(right))
    }

    /// Implication.
    pub fn implies(self, right: Formula) -> Formula {
        Formula::Implies(Box::new(self), Box::new(right))
    }

    /// Equivalence.
    pub fn iff(self, right: Formula) -> Formula {
        Formula::Iff(Box::new(self), Box::new(right))
    }

    /// In the next position.
    pub fn next(self) -> Formula {
        Formula::Next(Box::new(self))
    }

    /// From now on.
    pub fn globally(self) -> Formula {
        Formula::Globally(Box::new(self))
    }

    /// Now or later.
    pub fn finally(self) -> Formula {
        Formula::Finally(Box::new(self))
    }

    /// Until `right`, which comes.
    pub fn until(self, right: Formula) -> Formula {
        Formula::Until(Box::new(self), Box::new(right))
    }

    /// Releases `right`.
    pub fn release(self, right: Formula) -> Formula {
        Formula::Release(Box::new(self), Box::new(right))
    }

    /// Until `right`, which need not come.
    pub fn weak_until(self, right: Formula) -> Formula {
        Formula::WeakUntil(Box::new(self), Box::new(right))
    }

    /// The formula that holds where this one does not.
    pub fn negated(&self) -> Formula {
        match self {
            Formula::True => Formula::False,
            Formula::False => Formula::True,
            Formula::Not(inner) => (**inner).clone(),
            other => other.clone().not(),
        }
    }
}

/// Measures.
impl Formula {
    /// Whether the syntax alone shows that repeating a letter changes nothing: there is no `Next`.
    pub fn is_stutter_invariant_syntactically(&self) -> bool {
        !self.parts().any(|(part, _)| matches!(part, Formula::Next(_)))
    }

    /// The number of operators, constants and atoms, each occurrence counted.
    pub fn size(&self) -> usize {
        self.parts().count()
    }

    /// The length of the longest path from the top to an atom; 1 for an atom.
    pub fn depth(&self) -> usize {
        self.parts().map(|(_, depth)| depth).max().unwrap_or(0)
    }

    /// One more than the largest number of an atom, 0 without atoms.
    pub fn atoms(&self) -> u32 {
        let number = |part: &Formula| if let Formula::Atom(atom) = part { atom.saturating_add(1) } else { 0 };
        self.parts().map(|(part, _)| number(part)).max().unwrap_or(0)
    }

    /// Every part with its depth, the whole first. The stack is explicit, so that no formula is too deep.
    fn parts(&self) -> impl Iterator<Item = (&Formula, usize)> {
        let mut waiting = vec![(self, 1)];
        std::iter::from_fn(move || {
            let (formula, depth) = waiting.pop()?;
            waiting.extend(formula.operands().into_iter().rev().flatten().map(|part| (part, depth + 1)));
            Some((formula, depth))
        })
    }

    fn operands(&self) -> [Option<&Formula>; 2] {
        match self {
            Formula::True | Formula::False | Formula::Atom(_) => [None, None],
            Formula::Not(a) | Formula::Next(a) | Formula::Globally(a) | Formula::Finally(a) => [Some(a), None],
            Formula::And(a, b)
            | Formula::Or(a, b)
            | Formula::Implies(a, b)
            | Formula::Iff(a, b)
            | Formula::Until(a, b)
            | Formula::Release(a, b)
            | Formula::WeakUntil(a, b) => [Some(a), Some(b)],
        }
    }
}

//! Walks over terms: all parts in order, the variables, and substitution.
//!
//! No walk is recursive, because the depth of a term is the length of somebody's program.

use super::{Op, TermId, Terms};
use std::collections::HashMap;

impl Terms {
    /// All parts of the roots, each once, arguments first.
    pub fn parts(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut seen = rustc_hash::FxHashMap::default();
        let mut pending = roots.to_vec();
        let mut parts = Vec::new();
        while let Some(term) = pending.pop() {
            if seen.insert(term, ()).is_none() {
                parts.push(term);
                pending.extend_from_slice(self.node(term).arguments());
            }
        }
        // Arguments have smaller numbers.
        parts.sort_unstable();
        parts
    }

    /// The variables that occur in the roots, by rising number.
    pub fn free_variables(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut variables = self.parts(roots);
        variables.retain(|&term| matches!(self.node(term).op, Op::Var(_)));
        variables
    }

    /// The term with variables replaced, all at once. This is what an assignment does to a weakest precondition.
    pub fn substitute(&mut self, term: TermId, replacements: &HashMap<TermId, TermId>) -> TermId {
        self.substitute_all(&[term], replacements).pop().unwrap_or(term)
    }

    /// The same for many terms: what they share is looked at once.
    pub fn substitute_all(&mut self, roots: &[TermId], replacements: &HashMap<TermId, TermId>) -> Vec<TermId> {
        for (&variable, &replacement) in replacements {
            assert_eq!(self.sort(variable), self.sort(replacement), "a variable is replaced by a term of its sort");
        }
        let mut images: HashMap<TermId, TermId> = HashMap::new();
        for part in self.parts(roots) {
            let image = match replacements.get(&part) {
                Some(&replacement) => replacement,
                None => self.image(part, &images),
            };
            images.insert(part, image);
        }
        roots.iter().map(|root| images.get(root).copied().unwrap_or(*root)).collect()
    }

    /// The term with the images of its arguments; itself when they did not change.
    fn image(&mut self, term: TermId, images: &HashMap<TermId, TermId>) -> TermId {
        let node = self.node(term);
        let mut arguments = node.arguments;
        for argument in arguments.iter_mut().take(node.op.arity()) {
            *argument = images.get(argument).copied().unwrap_or(*argument);
        }
        if arguments == node.arguments {
            return term;
        }
        self.make(node.op, node.sort, &arguments[..node.op.arity()])
    }
}

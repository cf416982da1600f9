//! Events and propositions beyond what was reached, and the names of nameless states.
//!
//! A proposition of a state that cannot be reached is one all the same: that it never holds is what a formula may ask.

use super::{Builder, Sequence};
use crate::ast::{Body, Clause};
use crate::context::{Env, Refused};

/// Names of nameless states tell at most so many of the last events.
const LONGEST_PATH: usize = 3;

impl<'f> Builder<'_, 'f, '_> {
    /// The events and propositions of a clause for all its indices, as far as they were not met on the way.
    pub(super) fn alphabet_of(&mut self, clause: &'f Clause) -> Result<(), Refused> {
        let mut all = Vec::new();
        self.context().for_all(&clause.indices, &Env::new(), &mut |_, env| {
            all.push(env.clone());
            Ok(())
        })?;
        for env in all {
            if let Some(set) = &clause.labels {
                for label in self.context().set(set, &env)? {
                    self.proposition(label, set.span);
                }
            }
            self.alphabet_inside(&clause.body, &env)?;
        }
        Ok(())
    }

    fn alphabet_inside(&mut self, body: &'f Body, env: &Env<'f>) -> Result<(), Refused> {
        match body {
            Body::Use(..) => Ok(()),
            Body::If(condition, then, otherwise) => {
                let span = condition.span().unwrap_or(self.process.name.span);
                let holds = self.context().integer(condition, env, span)? != 0;
                self.alphabet_inside(if holds { then } else { otherwise }, env)
            }
            Body::Sequence(before, last) => {
                let sequence = self.sequence(before, last, env.clone())?;
                self.alphabet_of_sequence(&sequence)
            }
            Body::Choice(choice) => {
                if self.numbers.contains_key(&(choice.place, super::values(env))) {
                    return Ok(());
                }
                for alternative in &choice.alternatives {
                    if !self.is_open(alternative, env)? {
                        continue;
                    }
                    let mut envs = vec![env.clone()];
                    for label in &alternative.actions {
                        let mut longer = Vec::new();
                        for env in &envs {
                            for (name, env) in self.lowering.context.label(label, env)? {
                                self.event(&name, label.span)?;
                                longer.push(env);
                            }
                        }
                        envs = longer;
                    }
                    for env in &envs {
                        self.alphabet_inside(&alternative.then, env)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// The events of the processes and of what follows them, whether they end or not.
    pub(super) fn alphabet_of_sequence(&mut self, sequence: &Sequence<'f>) -> Result<(), Refused> {
        for part in &sequence.parts {
            for &symbol in part.events.iter().flatten() {
                self.own(symbol);
            }
            for (name, span) in &part.raw.propositions {
                self.proposition(name.clone(), *span);
            }
        }
        self.alphabet_inside(sequence.last, &sequence.env)
    }

    /// Nameless states are called by what happened since the last one with a name. A state is reached from an earlier one.
    pub(super) fn name_states(&mut self) {
        let mut paths: Vec<(u32, bool, Vec<u32>)> = Vec::with_capacity(self.states.len());
        for number in 0..self.states.len() {
            let Some((from, event)) = self.reached[number] else {
                paths.push((number as u32, false, Vec::new()));
                continue;
            };
            let (base, mut longer, mut path) = paths[from as usize].clone();
            path.push(event);
            if path.len() > LONGEST_PATH {
                path.remove(0);
                longer = true;
            }
            let symbols = &self.lowering.context.symbols;
            let name =
                |event: u32| self.alphabet.get(event as usize).map_or("tau", |&e| symbols.entry(e).name.as_str());
            let names: Vec<&str> = path.iter().map(|&e| name(e)).collect();
            let dots = if longer { ".. " } else { "" };
            self.states[number].name = format!("{} after {dots}{}", self.states[base as usize].name, names.join(", "));
            paths.push((base, longer, path));
        }
    }
}

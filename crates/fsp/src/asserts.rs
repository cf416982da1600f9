//! The formulas of `assert`: quantifiers written out, names replaced by what they stand for.
//!
//! A name is another `assert`, a fluent or a set of labels. With an index that has several values, `RED[ID]`, it is true if one
//! of them is.

use crate::ast::{Assert, File, Formula, Index, Name};
use crate::context::{Context, Env, Refused};
use crate::formula::{Kind, Names, binary, one_of};
use crate::names::joined;
use model::composition::{Atom, Composition, Requirement};
use model::formula::{Connective, Ltl};
use model::source::Span;
use std::collections::HashMap;

/// Formulas of one text, about one composition.
pub(crate) struct Asserts<'f, 'c> {
    asserts: HashMap<&'f str, &'f Assert>,
    context: Context<'f>,
    names: &'c mut Names,
    composition: &'c mut Composition,
}

impl<'f, 'c> Asserts<'f, 'c> {
    pub(crate) fn new(file: &'f File, names: &'c mut Names, composition: &'c mut Composition) -> Self {
        let asserts = file.asserts.iter().map(|assert| (assert.name.text.as_str(), assert)).collect();
        Asserts { asserts, context: Context::new(file), names, composition }
    }

    pub(crate) fn requirement(&mut self, assert: &'f Assert) -> Result<Requirement, Refused> {
        let formula = self.formula(&assert.formula, &Env::new(), assert.span)?;
        Ok(Requirement { name: assert.name.text.clone(), formula, span: assert.span })
    }

    fn formula(&mut self, formula: &'f Formula, env: &Env<'f>, place: Span) -> Result<Ltl<Atom>, Refused> {
        self.context.charge(1, place)?;
        match formula {
            Formula::Constant(value) => Ok(Ltl::Constant(*value)),
            Formula::Unary(modality, inner) => Ok(Ltl::Unary(*modality, Box::new(self.formula(inner, env, place)?))),
            Formula::Binary(operator, left, right) => {
                Ok(binary(*operator, self.formula(left, env, place)?, self.formula(right, env, place)?))
            }
            Formula::Chain(operator, all) => {
                let all: Result<Vec<_>, _> = all.iter().map(|inner| self.formula(inner, env, place)).collect();
                Ok(joined_by(*operator, all?))
            }
            Formula::Quantified(operator, indices, inner) => {
                let mut all = Vec::new();
                self.context.for_all(indices, env, &mut |_, env| {
                    all.push(env.clone());
                    Ok(())
                })?;
                let all: Result<Vec<_>, _> = all.iter().map(|env| self.formula(inner, env, place)).collect();
                Ok(joined_by(*operator, all?))
            }
            Formula::Named(name, indices) => self.named(name, indices, env),
            Formula::Labels(set) => {
                let names = self.context.set(set, env)?;
                self.any_of(names, Kind::Either, set.span)
            }
        }
    }

    fn named(&mut self, name: &'f Name, indices: &'f [Index], env: &Env<'f>) -> Result<Ltl<Atom>, Refused> {
        if let (Some(assert), []) = (self.asserts.get(name.text.as_str()).copied(), indices) {
            self.context.enter(name.span)?;
            let formula = self.formula(&assert.formula, &Env::new(), name.span);
            self.context.leave();
            return formula;
        }
        if indices.is_empty() && !self.names.is_known(&name.text) && self.context.is_set(&name.text) {
            let names = self.context.named_set(name)?;
            return self.any_of(names, Kind::Either, name.span);
        }
        let mut names = vec![name.text.clone()];
        for index in indices {
            let values = self.context.values(index, env)?;
            self.context.charge((names.len() * values.len()) as u64, index.span)?;
            let longer = |name: &String| values.iter().map(|value| joined(name, &value.part())).collect::<Vec<_>>();
            names = names.iter().flat_map(longer).collect();
        }
        self.any_of(names, Kind::Proposition, name.span)
    }

    fn any_of(&mut self, names: Vec<String>, kind: Kind, place: Span) -> Result<Ltl<Atom>, Refused> {
        let mut atoms = Vec::new();
        for name in names {
            self.context.charge(1, place)?;
            atoms.push(self.names.one(&name, kind, place, true, self.composition)?);
        }
        Ok(one_of(atoms).unwrap_or(Ltl::Constant(false)))
    }
}

fn joined_by(operator: Connective, all: Vec<Ltl<Atom>>) -> Ltl<Atom> {
    let none = operator == Connective::And;
    all.into_iter().reduce(|a, b| binary(operator, a, b)).unwrap_or(Ltl::Constant(none))
}

//! Local processes: which clause is meant by a name and its indices.

use super::Builder;
use crate::ast::{Clause, Expr, Name};
use crate::context::{Env, Refused, Value};
use model::diagnostic::{Diagnostic, nearest};
use std::collections::HashMap;

/// A local process by its index values.
#[derive(Default)]
pub(super) struct Local<'f> {
    pub(super) single: HashMap<Vec<Value>, &'f Clause>,
    pub(super) ranged: Vec<(Vec<Vec<Value>>, &'f Clause)>,
}

impl<'f> Builder<'_, 'f, '_> {
    /// Sorts the clauses by name and index.
    pub(super) fn declare(&mut self) -> Result<(), Refused> {
        for clause in &self.process.clauses {
            let mut values = Vec::new();
            let mut single = true;
            for index in &clause.indices {
                single &= self.lowering.context.is_single(index);
                values.push(self.lowering.context.values(index, &Env::new())?);
            }
            let local = self.locals.entry(clause.name.text.as_str()).or_default();
            let compared = values.iter().map(Vec::len).max().unwrap_or(0).max(1) * local.ranged.len().max(1);
            let singles = if single { 0 } else { local.single.len() };
            self.lowering.context.charge((compared + singles) as u64, clause.name.span)?;
            let clash = local.ranged.iter().find(|(other, _)| overlap(other, &values)).map(|(_, clause)| *clause);
            let clash = if single {
                let key = values.iter().filter_map(|values| values.first().cloned()).collect();
                clash.or(local.single.insert(key, clause))
            } else {
                let inside = local.single.iter().find(|(key, _)| covers(&values, key)).map(|(_, clause)| *clause);
                local.ranged.push((values, clause));
                clash.or(inside)
            };
            if let Some(other) = clash {
                let message = format!("`{}` is defined twice", clause.name.text);
                let error = Diagnostic::error("F0101", clause.name.span, message).label("defined again");
                return Err(Box::new(error.also(other.name.span, "defined here")));
            }
        }
        Ok(())
    }

    /// The clause of a local process, and what its indices bind; nothing where there is none with these indices.
    pub(super) fn local(
        &mut self,
        used: &'f Name,
        indices: &'f [Expr],
        env: &Env<'f>,
    ) -> Result<Option<(&'f Clause, Env<'f>, String)>, Refused> {
        let mut values = Vec::new();
        for index in indices {
            values.push(self.lowering.context.value(index, env, used.span)?);
        }
        let shown = || values.iter().fold(used.text.clone(), |name, value| name + &shown_index(value));
        let Some(local) = self.locals.get(used.text.as_str()) else { return Err(self.undefined(used)) };
        self.lowering.context.charge(1 + local.ranged.len() as u64 / 4, used.span)?;
        let single = local.single.get(&values).copied();
        let found = single
            .or_else(|| local.ranged.iter().find(|(ranges, _)| covers(ranges, &values)).map(|(_, clause)| *clause));
        let Some(clause) = found else {
            let shown = shown();
            self.lowering.out_of_range.entry(used.span).or_insert(shown);
            return Ok(None);
        };
        let variables = clause.indices.iter().map(|index| index.variable.as_ref());
        let bound = variables.zip(&values).filter_map(|(name, value)| Some((name?.text.as_str(), value.clone())));
        Ok(Some((clause, bound.collect(), shown())))
    }

    fn undefined(&self, used: &Name) -> Refused {
        let message = format!("`{}` has no local process `{}`", self.process.name.text, used.text);
        let error = Diagnostic::error("F0104", used.span, message);
        let error = if self.lowering.is_process(&used.text) {
            error.help("another process of the file cannot be used here, only in a composition or in front of `;`")
        } else {
            let known = self.locals.keys().copied().chain(["STOP", "END", "ERROR"]);
            match nearest(&used.text, known) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error.help("local processes follow the first one, with commas between them"),
            }
        };
        Box::new(error.also(self.process.name.span, "in this process"))
    }
}

fn shown_index(value: &Value) -> String {
    match value {
        Value::Int(number) => format!("[{number}]"),
        Value::Label(label) => format!("[{label}]"),
    }
}

fn covers(ranges: &[Vec<Value>], values: &[Value]) -> bool {
    ranges.len() == values.len() && ranges.iter().zip(values).all(|(range, value)| contains(range, value))
}

/// Ranges are in order; sets of labels need not be, and are short.
fn contains(range: &[Value], value: &Value) -> bool {
    match (range.first(), range.last(), value) {
        (Some(Value::Int(low)), Some(Value::Int(high)), Value::Int(number))
            if *high - *low == range.len() as i64 - 1 =>
        {
            (low..=high).contains(&number)
        }
        _ => range.contains(value),
    }
}

fn overlap(a: &[Vec<Value>], b: &[Vec<Value>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.iter().any(|value| contains(b, value)))
}

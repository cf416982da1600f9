//! What names mean: constants, ranges, sets, parameters and variables, and the values of expressions and labels.
//!
//! Variables are integers, or labels if they range over a set. Everything that can multiply is counted
//! ([`Context::charge`]). A label with ranges and sets in it is written out part by part, so that only the number of
//! its values matters and not their nesting.

use crate::ast::{Bounds, Expr, File, Index, Label, Name, Operator, Part, SetExpr, Values};
use crate::limits::{DEEPEST_USE, MOST_EVENTS, MOST_VALUES, MOST_WORK};
use crate::names::Symbols;
use model::diagnostic::{Diagnostic, nearest};
use model::source::Span;
use std::collections::HashMap;
use std::rc::Rc;

/// Why something has no value.
pub(crate) type Refused = Box<Diagnostic>;

/// What a variable is.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) enum Value {
    Int(i64),
    Label(Rc<str>),
}

impl Value {
    /// As a part of a label.
    pub(crate) fn part(&self) -> String {
        match self {
            Value::Int(number) => format!("[{number}]"),
            Value::Label(label) => label.to_string(),
        }
    }
}

/// Variables in scope, the innermost last.
pub(crate) type Env<'f> = Vec<(&'f str, Value)>;

/// A part of a label, and what it binds.
type Next<'f> = (String, Option<(&'f str, Value)>);

/// Names longer than this come from sets that multiply each other.
const LONGEST: usize = 10_000;

/// What the whole text says, and how much has been done for it.
pub(crate) struct Context<'f> {
    constants: HashMap<&'f str, &'f Expr>,
    ranges: HashMap<&'f str, &'f Bounds>,
    sets: HashMap<&'f str, &'f SetExpr>,
    known: HashMap<&'f str, Value>,
    /// The parameters of the process at hand.
    pub(crate) parameters: Env<'f>,
    pub(crate) symbols: Symbols,
    work: u64,
    depth: usize,
}

impl<'f> Context<'f> {
    pub(crate) fn new(file: &'f File) -> Self {
        Context {
            constants: file.constants.iter().map(|(name, value)| (name.text.as_str(), value)).collect(),
            ranges: file.ranges.iter().map(|(name, value)| (name.text.as_str(), value)).collect(),
            sets: file.sets.iter().map(|(name, value)| (name.text.as_str(), value)).collect(),
            known: HashMap::new(),
            parameters: Vec::new(),
            symbols: Symbols::default(),
            work: 0,
            depth: 0,
        }
    }

    /// Counts something that was done.
    pub(crate) fn charge(&mut self, work: u64, span: Span) -> Result<(), Refused> {
        self.work = self.work.saturating_add(work);
        if self.work <= MOST_WORK {
            return Ok(());
        }
        let error = Diagnostic::error("F0201", span, "the model is too large to be written out");
        Err(Box::new(error.label("here it became too much").help("make the ranges smaller")))
    }

    /// Goes one level deeper into what uses what.
    pub(crate) fn enter(&mut self, span: Span) -> Result<(), Refused> {
        if self.depth < 2 * DEEPEST_USE {
            self.depth += 1;
            return Ok(());
        }
        let error = Diagnostic::error("F0202", span, "this is defined by itself, without an end");
        Err(Box::new(error.help("a process or composition that uses itself needs a condition that stops it")))
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The value of an expression that must be an integer.
    pub(crate) fn integer(&mut self, expr: &'f Expr, env: &Env<'f>, span: Span) -> Result<i64, Refused> {
        match self.value(expr, env, span)? {
            Value::Int(number) => Ok(number),
            Value::Label(label) => {
                let message = format!("`{label}` is a label and not a number");
                let error = Diagnostic::error("F0107", expr.span().unwrap_or(span), message);
                Err(Box::new(error.help("a variable that ranges over a set can only be a part of labels")))
            }
        }
    }

    pub(crate) fn value(&mut self, expr: &'f Expr, env: &Env<'f>, span: Span) -> Result<Value, Refused> {
        self.enter(span)?;
        let value = self.value_inside(expr, env);
        self.leave();
        value
    }

    fn value_inside(&mut self, expr: &'f Expr, env: &Env<'f>) -> Result<Value, Refused> {
        Ok(Value::Int(match expr {
            Expr::Number(number) => *number,
            Expr::Name(name) => return self.variable(name, env),
            Expr::Label(label) => {
                let names = self.label(label, env)?;
                let [(name, _)] = &names[..] else {
                    let message = format!("this stands for {} labels, where one is needed", names.len());
                    return Err(Box::new(Diagnostic::error("F0107", label.span, message)));
                };
                return Ok(as_value(name));
            }
            Expr::Not(inner, span) => i64::from(self.integer(inner, env, *span)? == 0),
            Expr::Minus(inner, span) => {
                self.integer(inner, env, *span)?.checked_neg().ok_or_else(|| overflow(*span))?
            }
            Expr::Chain(first, rest, span) => {
                // `==` is the one thing that labels can be asked.
                if let [(operator @ (Operator::Equal | Operator::Different), second)] = &rest[..] {
                    let equal = self.value(first, env, *span)? == self.value(second, env, *span)?;
                    return Ok(Value::Int(i64::from(equal == (*operator == Operator::Equal))));
                }
                let mut sum = self.integer(first, env, *span)?;
                for (operator, next) in rest {
                    // The second operand of `&&` and `||` may make sense only if the first does not decide.
                    sum = match (operator, sum) {
                        (Operator::And, 0) => 0,
                        (Operator::Or, 1..) | (Operator::Or, ..=-1) => 1,
                        _ => {
                            let next = self.integer(next, env, *span)?;
                            calculate(*operator, sum, next, *span)?
                        }
                    };
                }
                sum
            }
        }))
    }

    fn variable(&mut self, name: &'f Name, env: &Env<'f>) -> Result<Value, Refused> {
        let text = name.text.as_str();
        let found = env.iter().rev().chain(self.parameters.iter().rev()).find(|(known, _)| *known == text);
        if let Some((_, value)) = found {
            return Ok(value.clone());
        }
        if let Some(value) = self.known.get(text) {
            return Ok(value.clone());
        }
        if let Some(expr) = self.constants.get(text).copied() {
            let parameters = std::mem::take(&mut self.parameters);
            let value = self.value(expr, &Vec::new(), name.span);
            self.parameters = parameters;
            let value = value?;
            self.known.insert(text, value.clone());
            return Ok(value);
        }
        Err(Box::new(self.unknown(name, env)))
    }

    fn unknown(&self, name: &Name, env: &Env<'f>) -> Diagnostic {
        let text = name.text.as_str();
        let upper = text.starts_with(|c: char| c.is_ascii_uppercase());
        let what = if upper { "constant" } else { "variable" };
        let error = Diagnostic::error("F0102", name.span, format!("there is no {what} `{text}`"));
        if self.ranges.contains_key(text) || self.sets.contains_key(text) {
            return error.label("a range or a set, where one value is needed");
        }
        let mut names: Vec<&str> = self.constants.keys().copied().collect();
        names.extend(env.iter().chain(&self.parameters).map(|(known, _)| *known));
        names.sort_unstable();
        match nearest(text, names) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None if upper => error.help("constants are defined by `const N = 3`"),
            None => error.help("variables are bound by an index: `a[i:0..2]`"),
        }
    }

    /// All values that an index can have.
    pub(crate) fn values(&mut self, index: &'f Index, env: &Env<'f>) -> Result<Vec<Value>, Refused> {
        match &index.values {
            Values::Bounds(bounds) => self.all_of(bounds, env),
            Values::Set(set) => self.labels_as_values(set, env),
            Values::Expr(Expr::Name(name)) if !self.is_value(&name.text, env) => {
                let text = name.text.as_str();
                if let Some(bounds) = self.ranges.get(text).copied() {
                    return self.all_of(bounds, &Vec::new());
                }
                if let Some(set) = self.sets.get(text).copied() {
                    return self.labels_as_values(set, &Vec::new());
                }
                let ranges = self.ranges.keys().chain(self.sets.keys()).copied().filter(|_| index.variable.is_some());
                match nearest(text, ranges) {
                    Some(near) => {
                        let error = Diagnostic::error("F0102", name.span, format!("there is no range `{text}`"));
                        Err(Box::new(error.help(format!("did you mean `{near}`?"))))
                    }
                    None => Err(Box::new(self.unknown(name, env))),
                }
            }
            Values::Expr(expr) => Ok(vec![self.value(expr, env, index.span)?]),
        }
    }

    /// Whether a name is a value and not a range or a set.
    fn is_value(&self, text: &str, env: &Env<'f>) -> bool {
        env.iter().chain(&self.parameters).any(|(known, _)| *known == text) || self.constants.contains_key(text)
    }

    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.sets.contains_key(name)
    }

    /// Whether an index is one value, so that it says which clause is meant.
    pub(crate) fn is_single(&self, index: &Index) -> bool {
        let range = |text: &str| {
            !self.is_value(text, &Vec::new()) && (self.ranges.contains_key(text) || self.sets.contains_key(text))
        };
        match &index.values {
            Values::Expr(Expr::Name(name)) => index.variable.is_none() && !range(&name.text),
            Values::Expr(_) => index.variable.is_none(),
            _ => false,
        }
    }

    fn all_of(&mut self, bounds: &'f Bounds, env: &Env<'f>) -> Result<Vec<Value>, Refused> {
        let low = self.integer(&bounds.low, env, bounds.span)?;
        let high = self.integer(&bounds.high, env, bounds.span)?;
        if high < low {
            return Ok(Vec::new());
        }
        let count = high.abs_diff(low).saturating_add(1);
        if count > MOST_VALUES {
            let error = Diagnostic::error("F0201", bounds.span, format!("this range has {count} values"));
            return Err(Box::new(error.label(format!("at most {MOST_VALUES} are possible"))));
        }
        self.charge(1 + count / 8, bounds.span)?;
        Ok((low..=high).map(Value::Int).collect())
    }

    fn labels_as_values(&mut self, set: &'f SetExpr, env: &Env<'f>) -> Result<Vec<Value>, Refused> {
        let names = self.set(set, env)?;
        Ok(names.into_iter().map(|name| as_value(&name)).collect())
    }

    /// The labels of a set, in order, each once.
    pub(crate) fn set(&mut self, set: &'f SetExpr, env: &Env<'f>) -> Result<Vec<String>, Refused> {
        let mut names = Vec::new();
        for label in &set.labels {
            names.extend(self.label(label, env)?.into_iter().map(|(name, _)| name));
        }
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        Ok(names)
    }

    /// Every label that is meant, with the variables that it binds.
    pub(crate) fn label(&mut self, label: &'f Label, env: &Env<'f>) -> Result<Vec<(String, Env<'f>)>, Refused> {
        let mut found = vec![(String::new(), env.clone())];
        for part in &label.parts {
            match part {
                Part::Name(text) => {
                    for (front, _) in &mut found {
                        self.append(front, text, label.span)?;
                    }
                }
                Part::Set(set) => {
                    found = self.longer(found, label.span, |context, env| {
                        Ok(context.set(set, env)?.into_iter().map(|name| (name, None)).collect())
                    })?;
                }
                Part::Without(all, less) => {
                    found = self.longer(found, label.span, |context, env| {
                        let (mut all, less) = (context.set(all, env)?, context.set(less, env)?);
                        let less: std::collections::HashSet<String> = less.into_iter().collect();
                        all.retain(|name| !less.contains(name));
                        Ok(all.into_iter().map(|name| (name, None)).collect())
                    })?;
                }
                Part::Named(name) => {
                    let names: Vec<_> = self.named_set(name)?.into_iter().map(|name| (name, None)).collect();
                    found = self.longer(found, label.span, |_, _| Ok(names.clone()))?;
                }
                Part::Index(index) => {
                    found = self.longer(found, label.span, |context, env| {
                        let bound = index.variable.as_ref().map(|name| name.text.as_str());
                        let values = context.values(index, env)?;
                        Ok(values.into_iter().map(|value| (value.part(), bound.map(|name| (name, value)))).collect())
                    })?;
                }
            }
        }
        Ok(found)
    }

    /// Makes a name longer by a part.
    fn append(&mut self, name: &mut String, part: &str, span: Span) -> Result<(), Refused> {
        if !name.is_empty() && !part.is_empty() && !part.starts_with('[') {
            name.push('.');
        }
        name.push_str(part);
        if name.len() > LONGEST {
            let error = Diagnostic::error("F0201", span, "this label is too long when it is written out");
            return Err(Box::new(error.label(format!("more than {LONGEST} characters"))));
        }
        self.charge(1 + name.len() as u64 / 32, span)
    }

    /// Each label so far with each next part.
    fn longer(
        &mut self,
        found: Vec<(String, Env<'f>)>,
        span: Span,
        mut next: impl FnMut(&mut Self, &Env<'f>) -> Result<Vec<Next<'f>>, Refused>,
    ) -> Result<Vec<(String, Env<'f>)>, Refused> {
        let mut longer = Vec::new();
        for (front, env) in found {
            let parts = next(self, &env)?;
            if longer.len() + parts.len() > MOST_EVENTS {
                let error = Diagnostic::error("F0201", span, "this label stands for too many events");
                return Err(Box::new(error.label(format!("at most {MOST_EVENTS} are possible"))));
            }
            for (part, bound) in parts {
                let (mut name, mut env) = (front.clone(), env.clone());
                self.append(&mut name, &part, span)?;
                env.extend(bound);
                longer.push((name, env));
            }
        }
        Ok(longer)
    }

    /// The labels of a set that has a name.
    pub(crate) fn named_set(&mut self, name: &'f Name) -> Result<Vec<String>, Refused> {
        let text = name.text.as_str();
        let Some(set) = self.sets.get(text).copied() else {
            let error = Diagnostic::error("F0102", name.span, format!("there is no set `{text}`"));
            let near = nearest(text, self.sets.keys().copied());
            return Err(Box::new(match near {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error.help("labels begin with a small letter; sets are defined by `set S = {a, b}`"),
            }));
        };
        self.enter(name.span)?;
        let names = self.set(set, &Vec::new());
        self.leave();
        names
    }

    /// Runs `inner` for every choice of values for some indices, with the variables that they bind.
    pub(crate) fn for_all(
        &mut self,
        indices: &'f [Index],
        env: &Env<'f>,
        inner: &mut dyn FnMut(&mut Self, &Env<'f>) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        let Some((first, rest)) = indices.split_first() else { return inner(self, env) };
        for value in self.values(first, env)? {
            self.charge(1, first.span)?;
            let mut env = env.clone();
            env.extend(first.variable.as_ref().map(|name| (name.text.as_str(), value)));
            self.for_all(rest, &env, inner)?;
        }
        Ok(())
    }
}

/// A label as a value: `[3]` is a number.
fn as_value(name: &str) -> Value {
    let number = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).and_then(|rest| rest.parse().ok());
    number.map_or_else(|| Value::Label(Rc::from(name)), Value::Int)
}

fn overflow(span: Span) -> Refused {
    Box::new(Diagnostic::error("F0108", span, "this number is too large").label("the result does not fit 64 bits"))
}

fn calculate(operator: Operator, a: i64, b: i64, span: Span) -> Result<i64, Refused> {
    let shift = u32::try_from(b).ok().filter(|&by| by < 63);
    let result = match operator {
        Operator::Or => Some(i64::from(a != 0 || b != 0)),
        Operator::And => Some(i64::from(a != 0 && b != 0)),
        Operator::BitOr => Some(a | b),
        Operator::BitXor => Some(a ^ b),
        Operator::BitAnd => Some(a & b),
        Operator::Equal => Some(i64::from(a == b)),
        Operator::Different => Some(i64::from(a != b)),
        Operator::Less => Some(i64::from(a < b)),
        Operator::LessEqual => Some(i64::from(a <= b)),
        Operator::Greater => Some(i64::from(a > b)),
        Operator::GreaterEqual => Some(i64::from(a >= b)),
        Operator::ShiftLeft => shift.and_then(|by| a.checked_mul(1 << by)),
        Operator::ShiftRight => shift.map(|by| a >> by),
        Operator::Plus => a.checked_add(b),
        Operator::Minus => a.checked_sub(b),
        Operator::Times => a.checked_mul(b),
        Operator::Divide | Operator::Remainder if b == 0 => {
            return Err(Box::new(Diagnostic::error("F0108", span, "this divides by zero")));
        }
        Operator::Divide => a.checked_div(b),
        Operator::Remainder => a.checked_rem(b),
    };
    result.ok_or_else(|| overflow(span))
}

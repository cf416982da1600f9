//! Names of constants in expressions: enumerators and macros of the C file.
//!
//! A name that is no variable can be an enumerator, or a macro without arguments. The value of an enumerator, the C reader
//! knows best: the file is read once more, with a procedure behind it that returns the enumerator, and the interpreter runs
//! that. The text of a macro is an expression again, whose names are looked up in the same way. A macro is what the
//! preprocessor says, those of the command line included; one that is defined in two ways has no meaning here.

use super::Reader;
use super::units::words;
use crate::expression::{Expression, Kind, parse, variable};
use cfront::Component;
use cfront::interpret::{Outcome, run};
use cfront::term::Scalar;
use model::source::Span;

/// The procedure that is put behind a file.
const PROBE: &str = "highwater_constant";
/// More steps than a constant needs.
const STEPS: usize = 100_000;
/// Macros in macros, and the size that they may come to.
const DEEPEST: usize = 30;
const LARGEST: usize = 1_000;

impl Reader<'_> {
    /// Puts the values of constants in the place of their names. What is neither a variable nor a constant stays.
    pub(super) fn with_constants(&mut self, expression: &mut Expression, unit: usize, component: &Component) {
        let known = |name: &str| variable(component, name, Span::NONE).is_ok();
        self.substitute(expression, unit, &known, DEEPEST);
    }

    fn substitute(&mut self, expression: &mut Expression, unit: usize, known: &dyn Fn(&str) -> bool, depth: usize) {
        match &mut expression.kind {
            Kind::Name(name) => {
                if !known(name)
                    && let Some(kind) = self.constant(name, unit, known, depth)
                {
                    expression.kind = kind;
                }
            }
            Kind::Number(..) | Kind::Dollar(_) => {}
            Kind::Not(a) | Kind::Minus(a) | Kind::Complement(a) => self.substitute(a, unit, known, depth),
            Kind::Binary(_, a, b) => {
                self.substitute(a, unit, known, depth);
                self.substitute(b, unit, known, depth);
            }
        }
    }

    fn constant(&mut self, name: &str, unit: usize, known: &dyn Fn(&str) -> bool, depth: usize) -> Option<Kind> {
        let word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !word || depth == 0 {
            return None;
        }
        let unit_read = self.units.get_mut(unit)?;
        if let Some(text) = unit_read.input.macros.get(name) {
            let mut meaning = parse(&format!("({text})"), Span::NONE).ok()?;
            self.substitute(&mut meaning, unit, known, depth - 1);
            return Some(meaning.kind).filter(|kind| size(kind) <= LARGEST);
        }
        let value = match unit_read.enumerators.get(name) {
            Some(value) => *value,
            None => {
                let value = enumerator(&unit_read.input, name);
                unit_read.enumerators.insert(name.to_owned(), value);
                value
            }
        };
        value.map(number)
    }
}

/// An enumerator is an `int`.
fn number(value: i128) -> Kind {
    let bits = Kind::Number(value.unsigned_abs() as u64, Scalar::signed(32));
    if value < 0 { Kind::Minus(Box::new(Expression { kind: bits, span: Span::NONE })) } else { bits }
}

/// How many parts it has.
fn size(kind: &Kind) -> usize {
    match kind {
        Kind::Number(..) | Kind::Name(_) | Kind::Dollar(_) => 1,
        Kind::Not(a) | Kind::Minus(a) | Kind::Complement(a) => 1 + size(&a.kind),
        Kind::Binary(_, a, b) => 1 + size(&a.kind) + size(&b.kind),
    }
}

/// The value of an enumerator.
fn enumerator(input: &cfront::Input, name: &str) -> Option<i128> {
    let text = input.preprocessed.as_ref().unwrap_or(&input.text);
    if !words(text).any(|word| word == name) && name.len() > 1 {
        return None;
    }
    let probe = format!("\nint {PROBE}(void) {{ enum {{ {PROBE}_value = {name} }}; return {PROBE}_value; }}\n");
    let mut input = input.clone();
    match &mut input.preprocessed {
        Some(text) => text.push_str(&probe),
        None => input.text.push_str(&probe),
    }
    let options = cfront::Options { entries: vec![PROBE.to_owned()], ..cfront::Options::default() };
    let component = cfront::read(&input, &options).program?.components.into_iter().next()?;
    match run(&component, &mut |_| 0, STEPS).outcome {
        Outcome::Returned(value) => value,
        _ => None,
    }
}

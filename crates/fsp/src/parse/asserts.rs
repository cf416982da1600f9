//! LTSA's `assert` and `progress`: formulas with quantifiers, in LTSA's order of strength, and sets of events.
//!
//! Strongest are `!`, `[]`, `<>`, `X` and the quantifiers, then `&&`, then `||`; weakest are `->`, `<->`, `U`, `W` and `R`,
//! of which one can stand without parentheses. No sign ends a formula: it ends where it cannot go on.

use super::{Parsed, Parser};
use crate::ast::{Assert, File, Formula, Name, Progress};
use crate::lexer::TokenKind;
use model::formula::{Connective, Modality};

impl Parser<'_> {
    /// `progress NAME[i:R] = {a, b}`, `progress NAME = if {a} then {b}`
    pub(super) fn progress(&mut self, file: &mut File) -> Parsed<()> {
        let name = self.upper("a progress property")?;
        let indices = self.indices()?;
        self.expect("=")?;
        let mut condition = None;
        if self.eat("if") {
            condition = Some(self.label_set()?);
            self.expect("then")?;
        }
        let events = self.label_set()?;
        self.eat(".");
        file.progress.push(Progress { name, indices, condition, events });
        Ok(())
    }

    /// `assert NAME = FORMULA`
    pub(super) fn assert(&mut self, file: &mut File) -> Parsed<()> {
        let name = self.upper("a formula")?;
        self.expect("=")?;
        let start = self.peek().span;
        let formula = self.implication()?;
        let span = start.to(self.last_span());
        self.eat(".");
        file.asserts.push(Assert { name, formula, span });
        Ok(())
    }

    fn implication(&mut self) -> Parsed<Formula> {
        let left = self.deeper(Self::disjunction)?;
        let Some(operator) = self.weakest() else { return Ok(left) };
        self.next();
        let right = self.deeper(Self::disjunction)?;
        if self.weakest().is_some() {
            let error = self.unexpected_error("the end of the formula");
            return Err(self.report(error.help("set parentheses: `->`, `<->`, `U`, `W` and `R` bind equally")));
        }
        Ok(Formula::Binary(operator, Box::new(left), Box::new(right)))
    }

    fn weakest(&self) -> Option<Connective> {
        let token = self.peek();
        let word = |text: &str| token.kind == TokenKind::Upper && token.text == text && !self.begins_definition();
        [("->", Connective::Implies), ("<->", Connective::Iff)]
            .into_iter()
            .find(|(mark, _)| self.is(mark))
            .or_else(|| {
                let words = [("U", Connective::Until), ("W", Connective::WeakUntil), ("R", Connective::Release)];
                words.into_iter().find(|(text, _)| word(text))
            })
            .map(|(_, operator)| operator)
    }

    fn disjunction(&mut self) -> Parsed<Formula> {
        self.formulas(Connective::Or, ["||", "|"], Self::conjunction)
    }

    fn conjunction(&mut self) -> Parsed<Formula> {
        self.formulas(Connective::And, ["&&", "&"], Self::unary_formula)
    }

    /// Formulas with one of two signs between them. `||S =` is no disjunction.
    fn formulas(
        &mut self,
        operator: Connective,
        signs: [&str; 2],
        inner: impl Fn(&mut Self) -> Parsed<Formula>,
    ) -> Parsed<Formula> {
        let mut all = vec![inner(self)?];
        while signs.iter().any(|sign| self.is(sign)) && !self.begins_definition() {
            self.next();
            all.push(inner(self)?);
        }
        Ok(match all.pop() {
            Some(only) if all.is_empty() => only,
            last => {
                all.extend(last);
                Formula::Chain(operator, all)
            }
        })
    }

    fn unary_formula(&mut self) -> Parsed<Formula> {
        self.deeper(|parser| {
            let token = parser.peek();
            if let Some(modality) = parser.modality() {
                return Ok(Formula::Unary(modality, Box::new(parser.unary_formula()?)));
            }
            let exists = token.kind == TokenKind::Lower && token.text == "exists" && parser.is_at(1, "[");
            if exists || parser.is("forall") {
                parser.next();
                let indices = parser.indices()?;
                let inner = Box::new(parser.unary_formula()?);
                let joined = if exists { Connective::Or } else { Connective::And };
                return Ok(Formula::Quantified(joined, indices, inner));
            }
            if parser.eat("(") {
                let inner = parser.implication()?;
                parser.expect(")")?;
                return Ok(inner);
            }
            parser.atom()
        })
    }

    /// `!`, `[]`, `<>`, `X`
    fn modality(&mut self) -> Option<Modality> {
        let token = self.peek();
        let (modality, tokens) = if self.is("!") {
            (Modality::Not, 1)
        } else if self.is("<>") {
            (Modality::Eventually, 1)
        } else if self.is("[") && self.is_at(1, "]") {
            (Modality::Always, 2)
        } else if token.kind == TokenKind::Upper && token.text == "X" {
            (Modality::Next, 1)
        } else {
            return None;
        };
        (0..tokens).for_each(|_| {
            self.next();
        });
        Some(modality)
    }

    fn atom(&mut self) -> Parsed<Formula> {
        let token = self.peek();
        match (token.kind, token.text) {
            (TokenKind::Lower, "true") | (TokenKind::Upper, "True") => {
                self.next();
                Ok(Formula::Constant(true))
            }
            (TokenKind::Lower, "false") | (TokenKind::Upper, "False") => {
                self.next();
                Ok(Formula::Constant(false))
            }
            (TokenKind::Upper, _) if !self.begins_label() || self.is_at(1, "->") => {
                self.next();
                let name = Name { text: token.text.to_owned(), span: token.span };
                Ok(Formula::Named(name, self.indices()?))
            }
            _ if self.begins_label() => Ok(Formula::Labels(self.label_set()?)),
            _ => Err(self.unexpected("a formula")),
        }
    }
}

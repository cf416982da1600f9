//! Formulas and fluents. A formula is only cut out here: `temporal` reads its text later.

use super::{Parsed, Parser};
use crate::ast::{File, Fluent, FormulaText, Name};
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// `ltl NAME { FORMULA }`
    pub(super) fn ltl(&mut self, file: &mut File) -> Parsed<()> {
        let token = self.peek();
        if !matches!(token.kind, TokenKind::Upper | TokenKind::Lower) {
            return Err(self.unexpected("a name for a formula"));
        }
        self.next();
        let name = Name { text: token.text.to_owned(), span: token.span };
        self.expect("{")?;
        let first = self.at;
        let mut open = 0usize;
        while open > 0 || !self.is("}") {
            if self.peek().kind == TokenKind::End {
                return Err(self.unexpected("`}`"));
            }
            open = open + usize::from(self.is("{")) - usize::from(self.is("}"));
            self.next();
        }
        let last = self.at;
        self.next();
        self.eat(".");
        self.formula(file, name, first, last)
    }

    /// The tokens of a formula as a text: comments are blank, and everything stays in its place.
    fn formula(&mut self, file: &mut File, name: Name, first: usize, last: usize) -> Parsed<()> {
        let tokens = &self.tokens[first..last];
        if let Some(quantifier) = tokens.iter().find(|token| token.text == "forall" && token.kind == TokenKind::Keyword)
        {
            let help = "write an `assert`, or join one formula for each value with `&&`";
            return Err(self.unsupported(quantifier.span, "`forall` in a formula", help));
        }
        let start = tokens.first().map_or(name.span.end, |token| token.span.start) as usize;
        let mut text = String::new();
        for token in tokens {
            let from = token.span.start as usize - start;
            (text.len()..from).for_each(|_| text.push(' '));
            match token.kind {
                TokenKind::Quoted => {
                    text.push('"');
                    text.push_str(token.text);
                    text.push('"');
                }
                _ => text.push_str(token.text),
            }
        }
        file.formulas.push(FormulaText { name, text, start });
        Ok(())
    }

    /// `fluent NAME[i:R] = <{a}, {b}> initially 1`
    pub(super) fn fluent(&mut self, file: &mut File) -> Parsed<()> {
        let name = self.upper("a fluent")?;
        let indices = self.indices()?;
        self.expect("=")?;
        // `<>` cannot be: there are two sets.
        self.expect("<")?;
        let begins = self.label_set()?;
        self.expect(",")?;
        let ends = self.label_set()?;
        self.expect(">")?;
        let initially = if self.eat("initially") { Some(self.initial_value()?) } else { None };
        self.eat(".");
        file.fluents.push(Fluent { name, indices, begins, ends, initially });
        Ok(())
    }

    /// `0`, `1`, `True`, `False`, or a constant.
    fn initial_value(&mut self) -> Parsed<crate::ast::Expr> {
        let token = self.peek();
        match token.text {
            "True" | "true" | "False" | "false" => {
                self.next();
                Ok(crate::ast::Expr::Number(i64::from(token.text.eq_ignore_ascii_case("true"))))
            }
            _ => self.operand(),
        }
    }

    /// A set, or one label.
    pub(super) fn label_set(&mut self) -> Parsed<crate::ast::SetExpr> {
        if self.is("{") || self.peek().kind == TokenKind::Upper && !self.is_at(1, ".") {
            return self.set();
        }
        let label = self.label()?;
        Ok(crate::ast::SetExpr { span: label.span, labels: vec![label] })
    }
}

//! Declarations: variables, channels, structures, symbolic constants.

use super::{Parsed, Parser};
use crate::ast::{Declaration, Declarator, Initializer, TypeName, Unit, Visibility};
use crate::token::{Name, TokenKind, kw};
use model::source::Span;

impl Parser<'_> {
    /// Whether a declaration starts here: a visibility, a type, or two names in a row.
    pub(super) fn at_declaration(&mut self) -> bool {
        match self.peek().kind {
            TokenKind::Name(kw::HIDDEN | kw::SHOW | kw::LOCAL) => true,
            TokenKind::Name(word) if basic_type(word).is_some() => true,
            TokenKind::Name(word) if !kw::is_reserved(word) => {
                let next = self.peek_at(1);
                matches!(next.kind, TokenKind::Name(name) if !kw::is_reserved(name) && !next.newline_before)
            }
            _ => false,
        }
    }

    pub(super) fn declaration(&mut self) -> Parsed<Declaration> {
        let visibility = match self.peek().kind {
            TokenKind::Name(kw::HIDDEN) => Some(Visibility::Hidden),
            TokenKind::Name(kw::SHOW) => Some(Visibility::Show),
            TokenKind::Name(kw::LOCAL) => Some(Visibility::Local),
            _ => None,
        };
        if visibility.is_some() {
            self.advance();
        }
        let (ty, ty_span) = self.type_name()?;
        let mut variables = Vec::new();
        loop {
            variables.push(self.declarator()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        Ok(Declaration { visibility, ty, ty_span, variables })
    }

    /// After a declaration at the top level: a separator, the end of a line or of the file.
    pub(super) fn end_of_declaration(&mut self) -> Parsed<()> {
        let next = self.peek();
        if matches!(next.kind, TokenKind::Semi | TokenKind::Arrow) {
            self.advance();
            return Ok(());
        }
        if next.kind == TokenKind::Eof || next.newline_before || self.last_kind == TokenKind::RBrace {
            return Ok(());
        }
        Err(self.expected("`;` after the declaration"))
    }

    fn type_name(&mut self) -> Parsed<(TypeName, Span)> {
        let token = self.peek();
        let TokenKind::Name(word) = token.kind else { return Err(self.expected("a type")) };
        if let Some(ty) = basic_type(word) {
            self.advance();
            if ty == TypeName::Mtype(None) && self.eat(TokenKind::Colon) {
                let (set, _) = self.name("the name of a set of symbolic constants")?;
                return Ok((TypeName::Mtype(Some(set)), token.span.to(self.last)));
            }
            return Ok((ty, token.span));
        }
        if kw::is_reserved(word) {
            return Err(self.expected("a type"));
        }
        self.advance();
        Ok((TypeName::User(word), token.span))
    }

    fn declarator(&mut self) -> Parsed<Declarator> {
        let (name, span) = self.name("a variable name")?;
        let (mut width, mut len, mut initial) = (None, None, None);
        if self.eat(TokenKind::Colon) {
            let token = self.peek();
            let TokenKind::Number(bits) = token.kind else { return Err(self.expected("a number of bits")) };
            self.advance();
            width = Some((bits, token.span));
        }
        if self.eat(TokenKind::LBracket) {
            len = Some(self.expr()?);
            self.expect(TokenKind::RBracket, "after the number of elements")?;
        }
        if self.eat(TokenKind::Assign) {
            initial = Some(self.initializer()?);
        }
        Ok(Declarator { name, span, width, len, initial })
    }

    fn initializer(&mut self) -> Parsed<Initializer> {
        let open = self.peek();
        match open.kind {
            TokenKind::LBrace => {
                self.advance();
                let mut values = Vec::new();
                loop {
                    let e = self.expr()?;
                    let crate::ast::ExprKind::Number(value) = e.kind else {
                        return Err(self.error("P0107", e.span, "a list of first values has constants only", |d| d));
                    };
                    values.push(value);
                    if !self.eat(TokenKind::Comma) {
                        break;
                    }
                }
                self.close(TokenKind::RBrace, open.span, "this list of values")?;
                Ok(Initializer::List(values, open.span.to(self.last)))
            }
            TokenKind::LBracket => {
                self.advance();
                let capacity = self.expr()?;
                self.expect(TokenKind::RBracket, "after the capacity of a channel")?;
                if !self.eat_word(kw::OF) {
                    return Err(self.expected("`of` and the types of the fields, as in `[2] of { byte }`"));
                }
                let brace = self.peek().span;
                self.expect(TokenKind::LBrace, "before the types of the fields")?;
                let mut fields = Vec::new();
                loop {
                    fields.push(self.type_name()?);
                    if !self.eat(TokenKind::Comma) {
                        break;
                    }
                }
                self.close(TokenKind::RBrace, brace, "this list of types")?;
                Ok(Initializer::Channel { capacity, fields, span: open.span.to(self.last) })
            }
            _ => Ok(Initializer::Value(self.expr()?)),
        }
    }

    /// `mtype = {`, `mtype {`, `mtype : name = {`
    pub(super) fn is_symbol_list(&mut self) -> bool {
        let kinds = [1, 2, 3, 4].map(|ahead| self.peek_at(ahead).kind);
        matches!(
            kinds,
            [TokenKind::LBrace, ..]
                | [TokenKind::Assign, TokenKind::LBrace, ..]
                | [TokenKind::Colon, TokenKind::Name(_), TokenKind::Assign, TokenKind::LBrace]
        )
    }

    pub(super) fn symbols(&mut self) -> Parsed<Unit> {
        self.advance();
        let mut set = None;
        if self.eat(TokenKind::Colon) {
            set = Some(self.name("the name of the set")?.0);
        }
        self.eat(TokenKind::Assign);
        let open = self.peek().span;
        self.advance();
        let mut symbols = Vec::new();
        while self.peek().kind != TokenKind::RBrace {
            symbols.push(self.name("a symbolic constant")?);
            self.eat(TokenKind::Comma);
        }
        self.close(TokenKind::RBrace, open, "this list of symbolic constants")?;
        Ok(Unit::Symbols { set, symbols })
    }

    pub(super) fn typedef(&mut self) -> Parsed<Unit> {
        self.advance();
        let (name, span) = self.name("the name of the type")?;
        let open = self.peek().span;
        self.expect(TokenKind::LBrace, "before the fields")?;
        let mut fields = Vec::new();
        while self.peek().kind != TokenKind::RBrace {
            fields.push(self.declaration()?);
            let mut separated = false;
            while self.eat(TokenKind::Semi) || self.eat(TokenKind::Comma) {
                separated = true;
            }
            let next = self.peek();
            if !separated && next.kind != TokenKind::RBrace && !next.newline_before {
                return Err(self.expected("`;` after the field"));
            }
        }
        self.close(TokenKind::RBrace, open, "this type")?;
        Ok(Unit::Typedef { name, span, fields })
    }
}

fn basic_type(word: Name) -> Option<TypeName> {
    Some(match word {
        kw::BIT | kw::BOOL => TypeName::Bit,
        kw::BYTE => TypeName::Byte,
        kw::PID => TypeName::Pid,
        kw::SHORT => TypeName::Short,
        kw::INT => TypeName::Int,
        kw::UNSIGNED => TypeName::Unsigned,
        kw::MTYPE => TypeName::Mtype(None),
        kw::CHAN => TypeName::Chan,
        _ => return None,
    })
}

//! Primitive processes: `P(N=3){p} = (a -> Q), Q[i:R] = (..) + {b} /{new/old} \{c}.`

use super::{Parsed, Parser};
use crate::ast::{
    Alternative, Body, Changes, Choice, Clause, Expr, File, Modifiers, Name, Place, Priority, Process, Relabel,
};
use crate::lexer::TokenKind;
use model::source::Span;

impl Parser<'_> {
    pub(super) fn process(&mut self, file: &mut File, modifiers: Modifiers) -> Parsed<()> {
        let name = self.upper("a process")?;
        let parameters = self.parameters()?;
        let (mut clauses, mut import) = (Vec::new(), None);
        if self.is("=") && self.ahead(1).kind == TokenKind::Quoted {
            if modifiers.property {
                let help = "write the property as a process, or compose the file as it is";
                return Err(self.unsupported(name.span, "a property that is read from a file", help));
            }
            self.next();
            import = Some(self.file_name()?);
        } else {
            clauses.push(self.clause(name.clone())?);
            while self.eat(",") {
                let name = self.upper("a local process")?;
                clauses.push(self.clause(name)?);
            }
        }
        let mut extension = None;
        if self.eat("+") {
            extension = Some(self.set()?);
        }
        let changes = self.changes(false)?;
        self.full_stop(&name)?;
        file.last_process = Some(name.clone());
        file.processes.push(Process { name, modifiers, parameters, clauses, import, extension, changes });
        Ok(())
    }

    /// `(N=3, M=N)`
    pub(super) fn parameters(&mut self) -> Parsed<Vec<(Name, Expr)>> {
        if !self.eat("(") {
            return Ok(Vec::new());
        }
        let parameters = self.list(|parser| {
            let name = parser.upper("a parameter")?;
            parser.expect("=")?;
            Ok((name, parser.expression()?))
        })?;
        self.expect(")")?;
        Ok(parameters)
    }

    pub(super) fn full_stop(&mut self, of: &Name) -> Parsed<()> {
        if self.eat(".") {
            return Ok(());
        }
        let mut error = self.unexpected_error("`,` or `.`");
        error = error.also(of.span, "in this definition");
        if self.begins_definition() {
            error = error.help("a definition ends with `.`");
        } else if self.is("->") {
            error = error.help("put parentheses around what a process does: `P = (a -> P).`");
        }
        Err(self.report(error))
    }

    /// `[i:R]{p, q} = body`, after the name.
    fn clause(&mut self, name: Name) -> Parsed<Clause> {
        let place = self.place();
        let indices = self.indices()?;
        let labels = if self.is("{") { Some(self.set()?) } else { None };
        self.expect("=")?;
        let body = self.body()?;
        Ok(Clause { place, name, indices, labels, body })
    }

    fn body(&mut self) -> Parsed<Body> {
        self.deeper(|parser| {
            if parser.is("(") {
                parser.parenthesised()
            } else if parser.eat("if") {
                parser.condition()
            } else if parser.peek().kind == TokenKind::Upper {
                parser.used()
            } else {
                let mut error = parser.unexpected_error("a process or `(`");
                if parser.begins_label() {
                    error = error.help("put parentheses around what a process does: `P = (a -> P).`");
                }
                Err(parser.report(error))
            }
        })
    }

    fn parenthesised(&mut self) -> Parsed<Body> {
        let start = self.expect("(")?.span;
        if !self.is("when") && !self.begins_label() {
            let body = self.body()?;
            self.expect(")")?;
            return Ok(body);
        }
        let place = self.place();
        let mut alternatives = vec![self.alternative()?];
        while self.eat("|") {
            alternatives.push(self.alternative()?);
        }
        if !self.is(")") {
            return Err(self.unexpected("`|`, `->` or `)`"));
        }
        self.next();
        Ok(Body::Choice(Choice { place, alternatives, span: start.to(self.last_span()) }))
    }

    fn alternative(&mut self) -> Parsed<Alternative> {
        let mut guard = None;
        if self.eat("when") {
            guard = Some(self.expression()?);
        }
        let first = self.place();
        let mut actions = vec![self.label()?];
        self.expect("->")?;
        while self.begins_label() {
            self.place();
            actions.push(self.label()?);
            self.expect("->")?;
        }
        let then = self.body()?;
        Ok(Alternative { guard, first, actions, then })
    }

    /// `expr then body [else body]`
    fn condition(&mut self) -> Parsed<Body> {
        let condition = self.expression()?;
        self.expect("then")?;
        let then = self.body()?;
        let otherwise = if self.eat("else") { self.body()? } else { stop(self.last_span()) };
        Ok(Body::If(condition, Box::new(then), Box::new(otherwise)))
    }

    /// `Q[i + 1]`, `P(3);Q`
    fn used(&mut self) -> Parsed<Body> {
        let mut before: Vec<(Place, Name, Vec<Expr>)> = Vec::new();
        loop {
            let name = self.upper("a process")?;
            let arguments = self.arguments()?;
            if !arguments.is_empty() && !self.is(";") {
                let help = "a process of the file can be used in front of `;`, or in a composition";
                return Err(self.unsupported(name.span, "a process with arguments as a local process", help));
            }
            let mut indices = Vec::new();
            while self.is("[") {
                self.next();
                indices.push(self.expression()?);
                self.expect("]")?;
            }
            if !self.eat(";") {
                let last = Body::Use(name, indices);
                return Ok(if before.is_empty() { last } else { Body::Sequence(before, Box::new(last)) });
            }
            if !indices.is_empty() {
                let help = "in front of `;` stands a process of the file, and its arguments in parentheses";
                return Err(self.unsupported(name.span, "a local process in front of `;`", help));
            }
            before.push((self.place(), name, arguments));
            if self.peek().kind != TokenKind::Upper {
                let last = self.body()?;
                return Ok(Body::Sequence(before, Box::new(last)));
            }
        }
    }

    /// `(3, N - 1)`
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        if !self.eat("(") {
            return Ok(Vec::new());
        }
        let arguments = self.list(Self::expression)?;
        self.expect(")")?;
        Ok(arguments)
    }

    /// `/{new/old} >>{low} \{a}` or `@{a}`; only compositions have priorities.
    pub(super) fn changes(&mut self, composition: bool) -> Parsed<Changes> {
        let relabel = self.relabelling()?;
        let mut priority = None;
        if self.is("<<") || self.is(">>") {
            if !composition {
                let span = self.peek().span;
                let help = "only compositions have priorities: write `||S = P >>{a}.`";
                return Err(self.unsupported(span, "the priority of a process", help));
            }
            let low = self.next().text == ">>";
            priority = Some(Priority { labels: self.set()?, low });
        }
        let mut hide = None;
        if self.is("\\") || self.is("@") {
            let interface = self.next().text == "@";
            hide = Some((self.set()?, interface));
        }
        Ok(Changes { relabel, priority, hide })
    }

    pub(super) fn relabelling(&mut self) -> Parsed<Vec<Relabel>> {
        if !self.eat("/") {
            return Ok(Vec::new());
        }
        self.relabels()
    }

    fn relabels(&mut self) -> Parsed<Vec<Relabel>> {
        self.expect("{")?;
        let mut relabels = Vec::new();
        if !self.is("}") {
            relabels = self.deeper(|parser| parser.list(Self::relabel))?;
        }
        self.expect("}")?;
        Ok(relabels)
    }

    fn relabel(&mut self) -> Parsed<Relabel> {
        if self.eat("forall") {
            let indices = self.indices()?;
            let inner = if self.is("{") { self.relabels()? } else { vec![self.deeper(Self::relabel)?] };
            return Ok(Relabel::Forall(indices, inner));
        }
        let start = self.peek().span;
        let new = self.label()?;
        self.expect("/")?;
        let old = self.label()?;
        Ok(Relabel::Pair(new, old, start.to(self.last_span())))
    }
}

fn stop(span: Span) -> Body {
    Body::Use(Name { text: "STOP".into(), span }, Vec::new())
}

//! Definitions of macros.
//!
//! A body is prepared once, when it is defined: which of its pieces are parameters, and what `#` and
//! `##` apply to. Besides the macros of `#define` there are two that are built in, and those of the
//! command line, which are read as if they stood in files of one line before the model.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use model::diagnostic::Diagnostic;
use model::source::Span;

use super::Preprocessor;
use super::directives::Directive;
use super::reading::OpenFile;
use super::report::{also_if, shorten};
use crate::lexer::{Piece, PieceKind};
use crate::token::{Name, TokenKind};

/// What a name is replaced by.
pub(super) struct Macro {
    /// Where its name is defined; `None` if it is built in.
    pub defined_at: Option<Span>,
    /// The parameters; `None` if it is used without parentheses.
    pub parameters: Option<Vec<Name>>,
    /// Whether the last parameter takes all the arguments that are left.
    pub variadic: bool,
    pub body: Body,
    /// Its expansion is being read.
    pub busy: Cell<bool>,
}

/// What a macro stands for.
pub(super) enum Body {
    Parts(Vec<Part>),
    /// `__LINE__`
    Line,
    /// `__FILE__`
    File,
}

/// A piece of the body of a macro.
#[derive(Copy, Clone)]
pub(super) struct Part {
    pub piece: Piece,
    pub role: Role,
    /// A `##` stands before it.
    pub pasted: bool,
}

/// What becomes of a [`Part`] when the macro is used.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Role {
    /// It stays.
    Plain,
    /// It is replaced by an argument.
    Argument(usize),
    /// It is replaced by a string that holds an argument.
    Quoted(usize),
}

impl Macro {
    /// How many parameters it has.
    pub fn arity(&self) -> usize {
        self.parameters.as_ref().map_or(0, Vec::len)
    }

    /// Whether two definitions say the same; how much space stands between two pieces does not matter.
    fn same_as(&self, other: &Macro) -> bool {
        let (Body::Parts(mine), Body::Parts(theirs)) = (&self.body, &other.body) else { return false };
        let same_part = |(index, (a, b)): (usize, (&Part, &Part))| {
            let same_space = index == 0 || a.piece.space_before == b.piece.space_before;
            a.piece.kind == b.piece.kind && a.role == b.role && a.pasted == b.pasted && same_space
        };
        self.parameters == other.parameters
            && self.variadic == other.variadic
            && mine.len() == theirs.len()
            && mine.iter().zip(theirs).enumerate().all(same_part)
    }
}

impl Preprocessor<'_> {
    pub(super) fn define_builtins(&mut self) {
        for (name, body) in [("__LINE__", Body::Line), ("__FILE__", Body::File)] {
            let name = self.names.intern(name);
            let built_in = Macro { defined_at: None, parameters: None, variadic: false, body, busy: Cell::new(false) };
            self.install(name, built_in);
        }
    }

    /// Opens the macros of the command line as little files, to be read before the model.
    pub(super) fn open_command_line(&mut self) {
        for (name, body) in self.options.defines.iter().rev() {
            let text = format!("#define {name} {body}").replace(['\n', '\r'], " ");
            let file = self.sources.add("<command line>", text.as_str());
            self.files.push(OpenFile::new(file, Rc::from(text)));
        }
    }

    /// `#define`.
    pub(super) fn define(&mut self, span: Span) {
        let pieces = self.rest_of_line(span);
        let Some((head, rest)) = pieces.split_first() else { return self.lacks_name(Directive::Define, span) };
        let Some(name) = head.name().filter(|&name| name != self.defined) else {
            return self.lacks_name(Directive::Define, span.to(head.span));
        };
        match self.parse_macro(head.span, rest) {
            Ok(new) => self.install(name, new),
            Err(report) => self.report(*report),
        }
    }

    /// `#undef`.
    pub(super) fn undef(&mut self, span: Span) {
        let Some(name) = self.next_on_line().and_then(|piece| piece.name()) else {
            return self.lacks_name(Directive::Undef, span);
        };
        if let Some(slot) = self.macros.get_mut(name.0 as usize) {
            *slot = None;
        }
    }

    /// Enters a macro, with a warning if it was another one before.
    fn install(&mut self, name: Name, new: Macro) {
        let index = name.0 as usize;
        if index >= self.macros.len() {
            self.macros.resize(index + 1, None);
        }
        let new = Rc::new(new);
        let old = self.macros[index].replace(Rc::clone(&new));
        if let Some(old) = old.filter(|old| !old.same_as(&new)) {
            self.redefined(name, &old, &new);
        }
    }

    fn redefined(&mut self, name: Name, old: &Macro, new: &Macro) {
        let message = format!("the macro `{}` is defined again, with another body", shorten(self.names.text(name)));
        let report = Diagnostic::warning("P0012", new.defined_at.unwrap_or(Span::NONE), message)
            .label("this one counts from here on");
        let report = also_if(report, old.defined_at, "the first definition");
        self.report(report.help("remove one of them, or put `#undef` between them"));
    }

    /// Reads what stands after the name in a `#define`.
    fn parse_macro(&self, name: Span, rest: &[Piece]) -> Result<Macro, Box<Diagnostic>> {
        let takes_arguments = rest.first().is_some_and(|piece| piece.is(TokenKind::LParen) && !piece.space_before);
        let (parameters, variadic, body) = if takes_arguments {
            let (parameters, variadic, length) = self.parse_parameters(name, &rest[1..])?;
            (Some(parameters), variadic, &rest[1 + length..])
        } else {
            (None, false, rest)
        };
        let parts = parse_body(name, parameters.as_deref(), body)?;
        Ok(Macro { defined_at: Some(name), parameters, variadic, body: Body::Parts(parts), busy: Cell::new(false) })
    }

    /// Reads parameters up to the `)`: their names, whether the last one takes all that is left, and
    /// how many pieces they are.
    fn parse_parameters(&self, name: Span, pieces: &[Piece]) -> Result<(Vec<Name>, bool, usize), Box<Diagnostic>> {
        let is = |at: usize, mark| pieces.get(at).is_some_and(|piece: &Piece| piece.is(mark));
        let ellipsis = |at: usize| is(at, TokenKind::DotDot) && is(at + 1, TokenKind::Dot);
        let mut parameters = Vec::new();
        let mut variadic = false;
        if is(0, TokenKind::RParen) {
            return Ok((parameters, variadic, 1));
        }
        let mut at = 0;
        loop {
            let parameter = pieces.get(at).and_then(|piece| piece.name());
            at += usize::from(parameter.is_some());
            if ellipsis(at) {
                variadic = true;
                at += 2;
            }
            match parameter {
                Some(parameter) => parameters.push(parameter),
                None if variadic => parameters.push(self.variadic),
                None => break,
            }
            if is(at, TokenKind::RParen) {
                return Ok((parameters, variadic, at + 1));
            }
            if variadic || !is(at, TokenKind::Comma) {
                break;
            }
            at += 1;
        }
        let place = pieces.get(at).or(pieces.last()).map_or(name, |piece| piece.span);
        let report = Diagnostic::error("P0010", place, "the parameters of this macro are malformed");
        let help = "parameters are names with commas between them: `#define NAME(a, b) body`; \
                    a blank before the `(` makes it part of the body";
        Err(Box::new(report.label("not expected here").also(name, "the macro").help(help)))
    }
}

/// Reads the body of a macro: finds the parameters in it, and what `#` and `##` apply to.
fn parse_body(name: Span, parameters: Option<&[Name]>, pieces: &[Piece]) -> Result<Vec<Part>, Box<Diagnostic>> {
    let names = parameters.unwrap_or(&[]);
    let numbers: HashMap<Name, usize> = names.iter().enumerate().map(|(number, &name)| (name, number)).collect();
    if numbers.len() < names.len() {
        let report = Diagnostic::error("P0010", name, "two parameters of this macro have the same name");
        return Err(Box::new(report.label("this macro").help("give each parameter a name of its own")));
    }
    let number = |piece: &Piece| piece.name().and_then(|name| numbers.get(&name).copied());
    let mut parts = Vec::with_capacity(pieces.len());
    let mut pasted = false;
    let mut pieces_left = pieces.iter();
    while let Some(&piece) = pieces_left.next() {
        let mut part = Part { piece, role: number(&piece).map_or(Role::Plain, Role::Argument), pasted };
        if piece.kind == PieceKind::HashHash {
            if parts.is_empty() || pieces_left.as_slice().is_empty() {
                return Err(Box::new(lonely_operator(piece, "##", "two pieces of the body, one on each side")));
            }
            pasted = true;
            continue;
        }
        if piece.kind == PieceKind::Hash && parameters.is_some() {
            let Some((operand, number)) = pieces_left.next().and_then(|next| Some((next, number(next)?))) else {
                return Err(Box::new(lonely_operator(piece, "#", "a parameter of the macro after it")));
            };
            part.piece.spelled = piece.spelled.to(operand.spelled);
            part.role = Role::Quoted(number);
        }
        pasted = false;
        parts.push(part);
    }
    Ok(parts)
}

fn lonely_operator(piece: Piece, operator: &str, needs: &str) -> Diagnostic {
    Diagnostic::error("P0010", piece.span, format!("`{operator}` needs {needs}"))
        .label("nothing to apply it to")
        .help("`a ## b` makes one word of two, `#a` makes a string of the argument for the parameter `a`")
}

#[cfg(test)]
mod tests {
    use model::source::{FileId, Span};

    use crate::preprocess::Options;
    use crate::preprocess::testing::{check, read, read_with};

    #[test]
    fn undef_forgets_a_macro() {
        check("#define N 1\n#undef N\n#undef M\nN", "N");
    }

    #[test]
    fn the_command_line_defines_macros() {
        let mut options = Options::default();
        for argument in ["N=3", "FLAG", "NONE=", "F(x)=x+1", "TAIL=a\\"] {
            options.define(argument);
        }
        let reading = read_with("N FLAG NONE F(2) TAIL", &options, &[]);
        assert_eq!(reading.words(), "3 1 2 + 1 a \\");
        assert!(reading.diagnostics.is_empty());
        assert_eq!(reading.sources.describe(reading.tokens[0].spelled), "<command line>:1:11");
        assert_eq!(reading.sources.describe(reading.tokens[0].span), "main.pml:1:1");
    }

    #[test]
    fn what_is_wrong_in_an_unused_macro_does_not_matter() {
        check("#define A 0x10 'b é `\n#define B \"open\n#if 0\ndon't 0x1 é \"\n/*\n#endif */\n#endif\nok", "ok");
    }

    #[test]
    fn a_second_definition_is_warned_about_if_it_differs() {
        let reading = read("#define N 1\n#define N 2\nN");
        assert_eq!(reading.words(), "2");
        let (report, place) = reading.only("P0012");
        assert_eq!((report.is_error(), place), (false, "N"));
        assert_eq!(report.secondary[0].span, Span::new(FileId(0), 8, 9));
        check("#define N(a)  a /* x */ + 1\n#define N(a) a   + 1\n", "");
        read("#define N(a) a\n#define N(b) b").only("P0012");
        read("#define N a+1\n#define N a +1").only("P0012");
        read("#define __LINE__ 1").only("P0012");
    }

    #[test]
    fn malformed_definitions_are_errors() {
        for text in [
            "#define",
            "#define 3",
            "#define defined",
            "#define F(",
            "#define F(a",
            "#define F(a,)",
            "#define F(1) x",
            "#define F(a b) x",
            "#define F(..., a) x",
            "#define F(a) #b",
            "#define F(a) #",
            "#define A ## b",
            "#define F(a, a) a",
            "#define A b ##",
            "#undef",
            "#undef 3",
        ] {
            read(text).only("P0010");
        }
        check("#define A # b\n", "");
    }
}

//! Calls of macros: a name that has a macro, and the arguments behind it.
//!
//! The arguments are read as they stand, up to the closing parenthesis, and cut at the commas. If
//! there are as many as there must be, the body with the arguments put in is pushed onto the stack of
//! sources. If not, there is a message, and the name stays.

use std::mem;
use std::rc::Rc;

use model::diagnostic::Diagnostic;

use super::Preprocessor;
use super::definition::{Body, Macro};
use super::reading::{Expansion, Origin};
use super::report::{also_if, error_at, shown, warning_at};
use super::substitution::{Argument, escape};
use crate::lexer::{Piece, PieceKind};
use crate::token::TokenKind;

impl Preprocessor<'_> {
    /// Replaces a name by its macro; `false` if that macro wants arguments and none follow.
    pub(super) fn expand(&mut self, found: Rc<Macro>, call: Piece) -> bool {
        let pieces = match &found.body {
            Body::Line => vec![self.line_number(call)],
            Body::File => vec![self.file_name(call)],
            Body::Parts(parts) if found.parameters.is_none() => self.substitute(&found, parts, Vec::new(), call),
            Body::Parts(_) if !self.enter_parentheses() => return false,
            Body::Parts(parts) => match self.arguments(&found, call) {
                Some(arguments) => self.substitute(&found, parts, arguments, call),
                // The name alone comes closest to what was meant. It is read while its macro is
                // busy, and so it is painted.
                None => vec![call],
            },
        };
        if call.glued {
            self.macro_next_to_range(call);
        }
        self.charge(1, call.span);
        found.busy.set(true);
        self.expansions.push(Expansion { pieces, at: 0, source: Origin::Macro(found) });
        true
    }

    /// Reads the arguments of a call and checks that there are as many as there must be.
    fn arguments(&mut self, found: &Macro, call: Piece) -> Option<Vec<Argument>> {
        let outer = mem::replace(&mut self.collecting, true);
        let collected = self.collect_arguments(found, call);
        self.collecting = outer;
        let Some(mut arguments) = collected else {
            self.unterminated_call(found, call);
            return None;
        };
        if found.variadic && arguments.len() + 1 == found.arity() {
            arguments.push(Vec::new());
        }
        // `F()` gives one empty argument or none, whichever is wanted.
        let given = if arguments.len() == 1 && arguments[0].is_empty() { 0 } else { arguments.len() };
        if arguments.len() != found.arity() && given != found.arity() {
            self.wrong_count(found, given, call);
            return None;
        }
        Some(arguments.into_iter().map(|raw| Argument { raw, expanded: None }).collect())
    }

    /// The pieces up to the closing parenthesis, cut at the commas; `None` if there is none.
    fn collect_arguments(&mut self, found: &Macro, call: Piece) -> Option<Vec<Vec<Piece>>> {
        let mut arguments = Vec::new();
        let mut argument = Vec::new();
        let mut depth = 0usize;
        loop {
            let piece = self.next_piece()?;
            self.charge(1, call.span);
            match piece.kind {
                PieceKind::Mark(TokenKind::LParen) => depth += 1,
                PieceKind::Mark(TokenKind::RParen) if depth == 0 => break,
                PieceKind::Mark(TokenKind::RParen) => depth -= 1,
                PieceKind::Mark(TokenKind::Comma) if depth == 0 => {
                    let takes_rest = found.variadic && arguments.len() + 1 == found.arity();
                    if !takes_rest {
                        arguments.push(mem::take(&mut argument));
                        continue;
                    }
                }
                _ => {}
            }
            argument.push(piece);
        }
        arguments.push(argument);
        Some(arguments)
    }

    /// `__LINE__`: the line of the outermost macro call.
    fn line_number(&mut self, call: Piece) -> Piece {
        let file = call.span.file;
        let ends = self.line_ends.entry(file).or_insert_with(|| {
            let text = self.sources.file(file).text.bytes().enumerate();
            text.filter(|&(_, byte)| byte == b'\n').map(|(offset, _)| offset as u32).collect()
        });
        let line = 1 + ends.partition_point(|&end| end < call.span.start);
        let text = self.names.intern(&line.to_string());
        Piece { kind: PieceKind::Number(text), ..call }
    }

    /// `__FILE__`: the name of the file of the outermost macro call.
    fn file_name(&mut self, call: Piece) -> Piece {
        let name = escape(&self.sources.file(call.span.file).name);
        let text = self.names.intern(&name);
        Piece { kind: PieceKind::Str(text), ..call }
    }

    fn unterminated_call(&mut self, found: &Macro, call: Piece) {
        let name = shown(call, self.names);
        let report = error_at("P0014", call, format!("the arguments of the macro `{name}` have no end"));
        self.report(with_definition(report.label("the call begins here"), found).help("close it with `)`"));
    }

    fn wrong_count(&mut self, found: &Macro, given: usize, call: Piece) {
        let name = shown(call, self.names);
        let at_least = if found.variadic { "at least " } else { "" };
        let wanted = found.arity() - usize::from(found.variadic);
        let plural = if wanted == 1 { "" } else { "s" };
        let message = format!("the macro `{name}` takes {at_least}{wanted} argument{plural}, but is given {given}");
        let report = error_at("P0013", call, message).label("wrong number of arguments");
        let help = "a comma separates two arguments unless it stands in parentheses of its own";
        self.report(with_definition(report, found).help(help));
    }

    fn macro_next_to_range(&mut self, call: Piece) {
        let name = shown(call, self.names);
        let message = format!("SPIN does not expand the macro `{name}` here");
        let report = warning_at("P0011", call, message)
            .label("expanded here, but to a C preprocessor part of the number before it")
            .help(format!("put blanks around the dots: `1 .. {name}`"));
        self.report(report);
    }
}

fn with_definition(report: Diagnostic, found: &Macro) -> Diagnostic {
    also_if(report, found.defined_at, "the macro is defined here")
}

#[cfg(test)]
mod tests {
    use model::source::{FileId, Span};

    use crate::preprocess::Options;
    use crate::preprocess::testing::{check, read, read_with};

    #[test]
    fn a_name_with_parameters_but_without_parentheses_is_left_alone() {
        check("#define F(x) x\nF; F\n(1) F", "F ; 1 F");
        check("#define F(x) x\nF\n#define G\n(1)", "F ( 1 )");
        check("#define NOT_F (x) y\nNOT_F", "( x ) y");
    }

    #[test]
    fn a_macro_can_take_the_rest_of_the_arguments() {
        check("#define P(f, ...) printf(f, __VA_ARGS__)\nP(\"x\", 1, 2)", "printf ( \"x\" , 1 , 2 )");
        check(
            "#define P(f, ...) printf(f, ## __VA_ARGS__)\nP(\"x\") P(\"x\", 1)",
            "printf ( \"x\" ) printf ( \"x\" , 1 )",
        );
        check("#define P(all...) [all]\nP() P(1, 2)", "[ ] [ 1 , 2 ]");
    }

    #[test]
    fn a_directive_may_stand_inside_a_call() {
        check("#define F(x) [x]\nF(a\n#if 1\nb\n#else\nc\n#endif\nd)", "[ a b d ]");
    }

    #[test]
    fn line_and_file_are_those_of_the_outermost_call() {
        check("#define L __LINE__\n\n__LINE__ L __FILE__", "3 3 \"main.pml\"");
        check("#ifdef __LINE__\nyes\n#endif", "yes");
    }

    #[test]
    fn a_macro_next_to_a_range_is_expanded_with_a_warning() {
        let reading = read("#define N 5\nfor (i : 1..N)");
        assert_eq!(reading.words(), "for ( i : 1 .. 5 )");
        let (report, place) = reading.only("P0011");
        assert_eq!((report.is_error(), place), (false, "N"));
        check("#define N 5\n1 .. N 0 ..N", "1 .. 5 0 .. 5");
    }

    #[test]
    fn a_call_with_the_wrong_number_of_arguments_is_an_error() {
        for (text, words) in [("F(1)", "F"), ("F(1,2,3)", "F"), ("F()", "F")] {
            let reading = read(&format!("#define F(a,b) a b\n{text} end"));
            let (report, place) = reading.only("P0013");
            assert_eq!((place, reading.words()), ("F", format!("{words} end")));
            assert_eq!(report.secondary[0].span, Span::new(FileId(0), 8, 9));
        }
        assert!(read("#define F() x\nF(1)").only("P0013").0.message.contains("takes 0 arguments, but is given 1"));
        assert!(read("#define F(a,b,...) x\nF(1)").only("P0013").0.message.contains("at least 2"));
    }

    #[test]
    fn a_call_without_end_is_an_error() {
        let reading = read("#define F(a) a\nx F(1, (2)");
        assert_eq!(reading.only("P0014").1, "F");
        assert_eq!(reading.words(), "x F");
        let reading = read_with("#define F(a) a\n#include \"half\"\n1) y", &Options::default(), &[("half", "F(")]);
        assert_eq!(reading.codes(), ["P0014"]);
        assert_eq!(reading.words(), "F 1 ) y");
    }
}

//! What a macro call is replaced by: the body of the macro with the arguments put in.
//!
//! A parameter is replaced by its argument after that has been expanded; next to `#` and `##` by the
//! argument as it was written. Every piece that comes out of the body gets the place of the call as
//! its span, while the pieces of an argument keep theirs.

use std::mem;

use model::diagnostic::Diagnostic;
use model::source::Span;

use super::Preprocessor;
use super::definition::{Macro, Part, Role};
use super::report::shown;
use crate::lexer::{Piece, PieceKind, single_piece};
use crate::token::{Name, TokenKind};

/// An argument of a macro call, in both the forms that a body can ask for.
pub(super) struct Argument {
    pub raw: Vec<Piece>,
    /// With its macros expanded; worked out when it is first needed.
    pub expanded: Option<Vec<Piece>>,
}

impl Preprocessor<'_> {
    /// The body of a macro with the arguments put in.
    pub(super) fn substitute(
        &mut self,
        found: &Macro,
        parts: &[Part],
        mut arguments: Vec<Argument>,
        call: Piece,
    ) -> Vec<Piece> {
        let mut out: Vec<Piece> = Vec::with_capacity(parts.len());
        let mut before = call.spelled;
        let mut space = false;
        for (index, &(mut part)) in parts.iter().enumerate() {
            let joint = out.len();
            part.piece.space_before |= mem::take(&mut space);
            let pastes = part.pasted || parts.get(index + 1).is_some_and(|next| next.pasted);
            self.append(&mut out, part, pastes, &mut arguments, call);
            if part.pasted {
                let takes_rest = found.variadic && part.role == Role::Argument(arguments.len() - 1);
                self.paste(&mut out, joint, takes_rest, before.to(part.piece.spelled), call);
            }
            before = part.piece.spelled;
            space = part.piece.space_before && !part.pasted && out.len() == joint;
            if self.stopped {
                break;
            }
        }
        out.retain(|piece| piece.kind != PieceKind::Nothing);
        if let Some(first) = out.first_mut() {
            first.newline_before = call.newline_before;
            first.space_before = call.space_before;
        }
        out
    }

    /// Appends what a part of a body becomes. Next to a `##` that is the argument as it was written.
    fn append(&mut self, out: &mut Vec<Piece>, part: Part, pastes: bool, arguments: &mut [Argument], call: Piece) {
        match part.role {
            Role::Plain => {
                self.charge(1, call.span);
                out.push(Piece { span: call.span, ..part.piece });
            }
            Role::Quoted(number) => {
                let kind = PieceKind::Str(self.quote(&arguments[number].raw, call));
                out.push(Piece { kind, span: call.span, ..part.piece });
            }
            Role::Argument(number) if pastes && arguments[number].raw.is_empty() => {
                out.push(Piece { kind: PieceKind::Nothing, ..part.piece });
            }
            Role::Argument(number) if pastes => self.insert(out, &arguments[number].raw, part, call),
            Role::Argument(number) => {
                let Argument { raw, expanded } = &mut arguments[number];
                let expanded = expanded.get_or_insert_with(|| self.expand_isolated(raw.clone(), call.span));
                self.insert(out, expanded, part, call);
            }
        }
    }

    /// Appends an argument in the place of its parameter.
    fn insert(&mut self, out: &mut Vec<Piece>, argument: &[Piece], parameter: Part, call: Piece) {
        self.charge(argument.len(), call.span);
        let joint = out.len();
        self.limit_length(joint + argument.len(), call.span);
        if self.stopped {
            return;
        }
        out.extend_from_slice(argument);
        if let Some(first) = out.get_mut(joint) {
            first.newline_before = false;
            first.space_before = parameter.piece.space_before;
        }
    }

    /// `#`: the text of an argument as the text of a string.
    fn quote(&mut self, argument: &[Piece], call: Piece) -> Name {
        let mut text = String::new();
        let mut spelled = String::new();
        for (index, piece) in argument.iter().enumerate() {
            if index > 0 && piece.space_before {
                text.push(' ');
            }
            spelled.clear();
            piece.kind.spell(self.names, &mut spelled);
            self.charge(spelled.len(), call.span);
            if self.stopped {
                break;
            }
            if piece.kind.is_quotation() {
                spelled = escape(&spelled);
            }
            text.push_str(&spelled);
        }
        self.names.intern(&text)
    }

    /// `##`: makes one piece of those before and after the joint.
    ///
    /// A comma before the rest of the arguments is not pasted to them, as in gcc: it stays if there
    /// are any, and goes if there are none.
    fn paste(&mut self, out: &mut Vec<Piece>, joint: usize, takes_rest: bool, spelled: Span, call: Piece) {
        let Some(before) = joint.checked_sub(1) else { return };
        let (Some(&left), Some(&right)) = (out.get(before), out.get(joint)) else { return };
        let comma = takes_rest && left.is(TokenKind::Comma);
        if right.kind == PieceKind::Nothing {
            out.truncate(if comma { before } else { joint });
        } else if left.kind == PieceKind::Nothing {
            out.remove(before);
        } else if !comma {
            let mut text = String::new();
            left.kind.spell(self.names, &mut text);
            right.kind.spell(self.names, &mut text);
            self.charge(1 + text.len(), call.span);
            match single_piece(&text, self.names) {
                Some(kind) => {
                    out[before] = Piece { kind, span: call.span, spelled, painted: false, glued: false, ..left };
                    out.remove(joint);
                }
                None => self.bad_paste(left, right, spelled, call),
            }
        }
    }

    fn bad_paste(&mut self, left: Piece, right: Piece, spelled: Span, call: Piece) {
        let (left, right) = (shown(left, self.names), shown(right, self.names));
        let report = Diagnostic::error("P0015", call.span, format!("`{left}` and `{right}` do not make one word"))
            .label("in the expansion of this macro")
            .also(spelled, "pasted here")
            .help("`##` joins what makes a single name, number or operator; without it both stay as they are");
        self.report(report);
    }
}

/// A text as it stands between the quotes of a string.
pub(super) fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use crate::preprocess::testing::{check, read};
    use crate::token::Token;

    #[test]
    fn a_macro_is_replaced_by_its_body() {
        check("#define N 3\n#define M (N + 1)\nx = M; N;", "x = ( 3 + 1 ) ; 3 ;");
        check("#define EMPTY\na EMPTY b", "a b");
        check("#define N 1 // one\n#define M 2 /* two\n lines */ + 3\nN M", "1 2 + 3");
    }

    #[test]
    fn arguments_are_put_in_the_place_of_parameters() {
        check(
            "#define MAX(a, b) ((a) > (b) -> (a) : (b))\nMAX(x, f(y, z))",
            "( ( x ) > ( f ( y , z ) ) -> ( x ) : ( f ( y , z ) ) )",
        );
        check("#define F(x) x + 1\nF(F(F(0)))", "0 + 1 + 1 + 1");
        check("#define F(x) [x]\nF()", "[ ]");
        check("#define F() done\nF() F( )", "done done");
        check("#define F(a,b) a b\nF(1,\n  2)\nF ( 3 , )", "1 2 3");
    }

    #[test]
    fn pasting_makes_names_numbers_and_marks() {
        check("#define J(a, b) a ## b\nJ(x, 1) J(1, 2) J(-, >) J(un, less)", "x1 12 -> unless");
        check("#define J(a, b) a ## b\n#define xy ok\nJ(x, y)", "ok");
        check("#define P(n) p_ ## n ## _end\nP(3) P(3rd)", "p_3_end p_3rd_end");
    }

    #[test]
    fn an_argument_is_expanded_unless_it_is_pasted_or_quoted() {
        check("#define N 5\n#define A(x) x x##1 #x\nA(N)", "5 N1 \"N\"");
        check("#define N 5\n#define A(x) #x\n#define B(x) A(x)\nB(N)", "\"5\"");
    }

    #[test]
    fn spans_lead_to_the_use_and_to_the_body() {
        let text = "#define INC(v) v = v + ONE\n#define ONE 1\n  INC(count);\n";
        let reading = read(text);
        assert_eq!(reading.words(), "count = count + 1 ;");
        let place = |index: usize| {
            let token = &reading.tokens[index];
            (reading.sources.describe(token.span), reading.sources.describe(token.spelled))
        };
        let both = |span: &str, spelled: &str| (format!("main.pml:{span}"), format!("main.pml:{spelled}"));
        assert_eq!(place(0), both("3:7", "3:7"), "an argument is where it was written");
        assert_eq!(place(1), both("3:3", "1:18"), "the body of the macro");
        assert_eq!(place(4), both("3:3", "2:13"), "the body of a macro in the body of the macro");
        assert_eq!(place(5), both("3:13", "3:13"), "after the call");
        assert_eq!(reading.sources.text(reading.tokens[1].span), "INC");
    }

    #[test]
    fn spans_of_pasted_and_quoted_tokens_lead_to_the_operators() {
        let reading = read("#define M(a) a ## 1 #a\nM(x)");
        let texts = |token: &Token| (reading.sources.text(token.span), reading.sources.text(token.spelled));
        assert_eq!(texts(&reading.tokens[0]), ("M", "a ## 1"));
        assert_eq!(texts(&reading.tokens[1]), ("M", "#a"));
    }

    #[test]
    fn spans_are_right_after_spliced_lines() {
        let reading = read("#define M a \\\n  bb\nM \\\n c");
        assert_eq!(reading.sources.text(reading.tokens[1].spelled), "bb");
        assert_eq!(reading.sources.describe(reading.tokens[1].spelled), "main.pml:2:3");
        assert_eq!(reading.sources.describe(reading.tokens[2].span), "main.pml:4:2");
    }

    #[test]
    fn pieces_that_do_not_make_one_word_are_not_pasted() {
        let reading = read("#define J(a, b) a ## b\nJ(+, x)");
        assert_eq!(reading.only("P0015").1, "J");
        assert_eq!(reading.words(), "+ x");
        read("#define J(a, b) a ## b\nJ(/, /)").only("P0015");
    }
}

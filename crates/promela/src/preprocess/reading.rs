//! Where the next piece comes from: a stack of sources.
//!
//! On top lie the expansions of macros that are being read, below them the files, each included
//! file above the one that includes it. A name that has a macro is replaced by pushing the expansion
//! onto that stack, so the result is read again and may contain further macros. As long as its
//! expansion is on the stack a macro is *busy*; its own name, met at that time, is painted and stays
//! as it is forever. That is the rule of C, and it makes every expansion end.
//!
//! An argument of a macro and the line of a directive are expanded for themselves. For that they go
//! onto the stack like an expansion, but as one behind which nothing may be read. No function calls
//! itself to a depth that the input chooses: the one recursion, a macro in the argument of a macro,
//! is limited.

use std::rc::Rc;

use model::diagnostic::Diagnostic;
use model::source::{FileId, Span};

use super::Preprocessor;
use super::definition::Macro;
use super::groups::OpenIf;
use crate::lexer::{Piece, PieceKind, Scanner};
use crate::token::{Name, TokenKind};

/// How many macro calls may stand in each other's arguments.
const MAX_NESTED_CALLS: usize = 200;

/// A file that is being read.
pub(super) struct OpenFile {
    pub scanner: Scanner,
    /// The `#if`s that are open, the innermost last.
    pub open_ifs: Vec<OpenIf>,
}

impl OpenFile {
    pub fn new(file: FileId, text: Rc<str>) -> Self {
        OpenFile { scanner: Scanner::new(file, text), open_ifs: Vec::new() }
    }
}

/// The pieces that a macro call was replaced by, while they are being read.
pub(super) struct Expansion {
    pub pieces: Vec<Piece>,
    pub at: usize,
    pub source: Origin,
}

/// Where the pieces of an [`Expansion`] come from.
pub(super) enum Origin {
    /// A macro, which is busy for so long.
    Macro(Rc<Macro>),
    /// An argument or a line that is expanded for itself: nothing behind it may be read.
    Isolated,
}

impl Preprocessor<'_> {
    /// The next piece that is no macro call.
    pub(super) fn next_expanded(&mut self) -> Option<Piece> {
        // The space before a macro call remains, even if nothing else does.
        let (mut newline, mut space) = (false, false);
        loop {
            let mut piece = self.next_piece()?;
            piece.newline_before |= newline;
            piece.space_before |= space;
            let PieceKind::Name(name) = piece.kind else { return Some(piece) };
            if piece.painted {
                return Some(piece);
            }
            if self.in_condition && name == self.defined {
                return Some(self.eval_defined(piece));
            }
            let Some(found) = self.macro_named(name).cloned() else { return Some(piece) };
            if !self.expand(found, piece) {
                return Some(piece);
            }
            (newline, space) = (piece.newline_before, piece.space_before);
        }
    }

    /// The next piece as it stands. `None` at the end of what may be read now.
    pub(super) fn next_piece(&mut self) -> Option<Piece> {
        if self.stopped {
            return None;
        }
        while let Some(expansion) = self.expansions.last_mut() {
            if let Some(&piece) = expansion.pieces.get(expansion.at) {
                expansion.at += 1;
                return Some(self.paint(piece));
            }
            if !self.leave_expansion() {
                return None;
            }
        }
        self.next_from_file()
    }

    /// Marks the name of a macro that is busy.
    fn paint(&self, mut piece: Piece) -> Piece {
        if let PieceKind::Name(name) = piece.kind {
            piece.painted |= self.macro_named(name).is_some_and(|found| found.busy.get());
        }
        piece
    }

    /// Drops the top expansion, which has been read; `false` if nothing behind it may be read.
    fn leave_expansion(&mut self) -> bool {
        match self.expansions.last().map(|expansion| &expansion.source) {
            Some(Origin::Isolated) => return false,
            Some(Origin::Macro(done)) => done.busy.set(false),
            None => {}
        }
        self.expansions.pop();
        true
    }

    /// The next piece of the files; directives are obeyed on the way.
    fn next_from_file(&mut self) -> Option<Piece> {
        loop {
            let file = self.files.last_mut()?;
            match file.scanner.next(self.names) {
                Some(piece) if piece.opens_directive() => self.directive(piece),
                Some(piece) => return Some(piece),
                None if self.collecting => return None,
                None => self.close_file(),
            }
        }
    }

    fn close_file(&mut self) {
        let Some(file) = self.files.pop() else { return };
        if let Some(span) = file.scanner.unclosed_comment {
            let message = "this comment has no end";
            self.report(Diagnostic::error("P0002", span, message).label("begins here").help("close it with `*/`"));
        }
        for open in file.open_ifs {
            self.lacks_endif(open);
        }
    }

    pub(super) fn macro_named(&self, name: Name) -> Option<&Rc<Macro>> {
        self.macros.get(name.0 as usize)?.as_ref()
    }

    /// Moves past a `(` if it is the next piece, on this line or a later one.
    pub(super) fn enter_parentheses(&mut self) -> bool {
        while let Some(expansion) = self.expansions.last_mut() {
            if let Some(piece) = expansion.pieces.get(expansion.at) {
                let opens = piece.is(TokenKind::LParen);
                expansion.at += usize::from(opens);
                return opens;
            }
            if !self.leave_expansion() {
                return false;
            }
        }
        let Some(file) = self.files.last_mut() else { return false };
        let before = file.scanner.clone();
        let opens = file.scanner.next(self.names).is_some_and(|piece| piece.is(TokenKind::LParen));
        if !opens {
            file.scanner = before;
        }
        opens
    }

    /// Expands pieces for themselves, as if nothing came after them.
    pub(super) fn expand_isolated(&mut self, pieces: Vec<Piece>, span: Span) -> Vec<Piece> {
        if !pieces.iter().any(|piece| matches!(piece.kind, PieceKind::Name(_))) {
            return pieces;
        }
        if self.nested_calls >= MAX_NESTED_CALLS {
            let message = format!("macro calls stand in each other more than {MAX_NESTED_CALLS} deep");
            self.stop(span, message, "give the inner calls a macro of their own");
            return Vec::new();
        }
        self.nested_calls += 1;
        self.expansions.push(Expansion { pieces, at: 0, source: Origin::Isolated });
        let mut expanded = Vec::new();
        while let Some(piece) = self.next_expanded() {
            self.charge(1, span);
            self.limit_length(expanded.len(), span);
            expanded.push(piece);
        }
        self.expansions.pop();
        self.nested_calls -= 1;
        expanded
    }
}

#[cfg(test)]
mod tests {
    use crate::preprocess::testing::check;

    #[test]
    fn a_macro_is_not_expanded_inside_itself() {
        check("#define x x + 1\nx", "x + 1");
        check("#define a b\n#define b a\na b", "a b");
        check("#define f(x) f(x) + 1\nf(f(0))", "f ( f ( 0 ) + 1 ) + 1");
        check("#define f(x) x f\nf(1)(2)", "1 f ( 2 )");
        check("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2 * 9 * g");
    }

    #[test]
    fn the_examples_of_the_c_standard_come_out_as_it_says() {
        let macros = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
                      #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n\
                      #define q(x) x\n#define r(x,y) x ## y\n#define str(x) # x\n";
        check(
            &format!("{macros}f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);"),
            "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ;",
        );
        check(
            &format!("{macros}g(x+(3,4)-w) | h 5) & m\n(f)^m(m);"),
            "f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;",
        );
        check(
            &format!("{macros}p() i[q()] = {{ q(1), r(2,3), r(4,), r(,5), r(,) }};"),
            "int i [ ] = { 1 , 23 , 4 , 5 , } ;",
        );
        check(&format!("{macros}str(hello) str(  a  \"b\\n\"  'c' )"), r#""hello" "a \"b\\n\" 'c'""#);
    }
}

//! The C preprocessor, built in: from the text of a model to its tokens.
//!
//! SPIN sends every model through `gcc -E -x c` before it reads it. Doing the same work here makes
//! the checker independent of a compiler, and it keeps what the detour loses: each token still knows
//! where it was written, even if it comes out of a macro that another macro called.
//!
//! [`tokenize`] pulls one piece after the other, and each piece takes this way:
//!
//! * `reading` finds the next piece, in the files and in the expansions of macros.
//! * `directives` obeys the lines that begin with `#`: `definition` enters macros, `include` opens
//!   files, `groups` leaves out what an `#if` does not want, `condition` decides what it wants, with
//!   the arithmetic of `value`.
//! * `call` replaces a name that has a macro, `substitution` puts the arguments into its body.
//! * `emit` makes a token of the piece that remains, or refuses it.
//!
//! All of them work on one `Preprocessor`, whose fields are listed below. What they complain about
//! goes through `report`; how much they may do is counted by `limits`, because thirty short lines
//! can expand to a billion tokens.
//!
//! # Messages
//!
//! | Code  | Title                         | Meaning |
//! |-------|-------------------------------|---------|
//! | P0001 | stray character               | a character that no word of Promela contains, outside of comments and strings |
//! | P0002 | unterminated comment          | a `/*` without `*/` |
//! | P0003 | unterminated quotation        | a `"` or `'` that is not closed on its line |
//! | P0004 | bad character constant        | not exactly one character between single quotes, or (a warning) an escape that SPIN does not know |
//! | P0005 | not a decimal number          | a number in another base, or with letters in it |
//! | P0006 | number out of range           | a number that does not fit into 64 bits |
//! | P0007 | unterminated `#if`            | an `#if`, `#ifdef` or `#ifndef` without its `#endif` |
//! | P0008 | misplaced `#else` or `#endif` | an `#elif`, `#else` or `#endif` that belongs to no `#if`, or follows its `#else` |
//! | P0009 | bad `#if` expression          | the condition is not a constant expression of whole numbers |
//! | P0010 | bad directive                 | a directive that does not exist or lacks what it needs |
//! | P0011 | macro next to a range         | (a warning) SPIN does not expand the macro `N` in `1..N`, because to C all of that is one number |
//! | P0012 | macro redefined               | (a warning) a second `#define` says something else than the first |
//! | P0013 | wrong number of arguments     | a macro is called with too few or too many arguments |
//! | P0014 | unterminated macro call       | the file ends inside the arguments of a macro |
//! | P0015 | bad `##`                      | two pieces that are pasted do not make one word |
//! | P0016 | file not found                | an `#include` names a file that cannot be read |
//! | P0017 | endless `#include`            | files include each other more than 64 deep |
//! | P0018 | limit reached                 | too many tokens, too much macro expansion, too deep a nesting, or no time left |
//! | P0019 | `#error` or `#warning`        | the model itself says that something is wrong |
//! | P0020 | number cut to 32 bits         | warning: a number that does not fit into an `int` |

mod call;
mod condition;
mod definition;
mod directives;
mod emit;
mod groups;
mod include;
mod limits;
mod reading;
mod report;
mod substitution;
#[cfg(test)]
mod testing;
mod value;

pub use include::DiskLoader;

use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use model::budget::Budget;
use model::diagnostic::Diagnostic;
use model::source::{FileId, SourceMap, Span};

use crate::token::{Name, Names, Token, TokenKind, kw};
use definition::Macro;
use reading::{Expansion, OpenFile};
use report::Reports;

/// Reads a file of `sources` and everything it includes, and returns the tokens that remain.
///
/// The last token is always [`TokenKind::Eof`]. Whatever is wrong is said in `diagnostics`; the
/// tokens are then the best guess at what was meant.
pub fn tokenize(
    sources: &mut SourceMap,
    main: FileId,
    options: &Options,
    loader: &mut dyn Loader,
    names: &mut Names,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Token> {
    let text: Rc<str> = Rc::from(sources.file(main).text.as_str());
    let end = Span::new(main, text.len(), text.len());
    let mut preprocessor = Preprocessor {
        defined: names.intern("defined"),
        variadic: names.intern("__VA_ARGS__"),
        sources,
        options,
        loader,
        names,
        reports: Reports::new(diagnostics),
        out: Vec::with_capacity((text.len() / 8).min(options.max_tokens)),
        files: vec![OpenFile::new(main, text)],
        expansions: Vec::new(),
        macros: Vec::new(),
        collecting: false,
        in_condition: false,
        nested_calls: 0,
        included: HashMap::new(),
        line_ends: HashMap::new(),
        work: 0,
        next_look: 0,
        stopped: false,
    };
    preprocessor.define_builtins();
    preprocessor.open_command_line();
    while let Some(piece) = preprocessor.next_expanded() {
        preprocessor.emit(piece);
    }
    options.formulas.iter().for_each(|formula| preprocessor.add_formula(formula));
    let eof = Token { kind: TokenKind::Eof, span: end, spelled: end, newline_before: true, space_before: true };
    preprocessor.out.push(eof);
    preprocessor.out
}

/// What the command line says about reading a model.
#[derive(Clone, Debug)]
pub struct Options {
    /// Macros that are defined before the model begins, with their bodies.
    pub defines: Vec<(String, String)>,
    /// Where included files are looked for; a [`DiskLoader`] is made from it.
    pub include_dirs: Vec<PathBuf>,
    /// How many tokens a model may have, also while its macros are being expanded. The work of the
    /// expansion is limited to a small multiple of it.
    pub max_tokens: usize,
    /// The time, and who may stop it.
    pub budget: Budget,
    /// Temporal formulas that are requested beside those of the model; its macros can be used in them. The text is the
    /// name, too.
    pub formulas: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            defines: Vec::new(),
            include_dirs: Vec::new(),
            max_tokens: 10_000_000,
            budget: Budget::unlimited(),
            formulas: Vec::new(),
        }
    }
}

impl Options {
    /// Adds a macro as `-D` gives it: `NAME=BODY`, or `NAME` alone, which stands for 1.
    pub fn define(&mut self, argument: &str) {
        let (name, body) = argument.split_once('=').unwrap_or((argument, "1"));
        self.defines.push((name.to_owned(), body.to_owned()));
    }
}

/// Finds the files that a model includes.
pub trait Loader {
    /// The name to show and the text of an included file, or why there is none.
    ///
    /// A name in double quotes (`quoted`) is first looked for where the including file lies, then in
    /// the include directories; a name in angle brackets only in the latter.
    fn load(&mut self, name: &str, quoted: bool, including_file_name: &str) -> Result<(String, String), String>;
}

/// Everything that reading a model needs.
struct Preprocessor<'a> {
    sources: &'a mut SourceMap,
    options: &'a Options,
    loader: &'a mut dyn Loader,
    names: &'a mut Names,
    reports: Reports<'a>,
    /// What has been read.
    out: Vec<Token>,
    /// The files that are being read; the last one is included by the one before it.
    files: Vec<OpenFile>,
    /// The expansions that are being read; the last one comes first, and all of them before the files.
    expansions: Vec<Expansion>,
    /// The macros, each at the number of its name.
    macros: Vec<Option<Rc<Macro>>>,
    /// The arguments of a macro are being read, and must end in the file in which they began.
    collecting: bool,
    /// The condition of an `#if` is being expanded, where `defined` means something.
    in_condition: bool,
    /// How many macro calls are around the argument that is being expanded.
    nested_calls: usize,
    /// The files that were included before, by what their `#include` said and where it stood.
    included: HashMap<(String, bool, FileId), (FileId, Rc<str>)>,
    /// Where the lines end, for the files in which `__LINE__` occurs.
    line_ends: HashMap<FileId, Vec<u32>>,
    /// How much has been moved so far.
    work: usize,
    /// How much work may be done until the next look at the clock.
    next_look: usize,
    /// A limit was reached; there is nothing more to read.
    stopped: bool,
    /// The name `defined`.
    defined: Name,
    /// The name `__VA_ARGS__`.
    variadic: Name,
}

impl Preprocessor<'_> {
    /// Reads a formula after the model, as if it stood there in an `ltl` block.
    fn add_formula(&mut self, formula: &str) {
        let file = self.sources.add("<formula>", formula);
        let name = self.names.intern(formula);
        let token = |kind, at| {
            let span = Span::new(file, at, at);
            Token { kind, span, spelled: span, newline_before: false, space_before: true }
        };
        let before = [TokenKind::Name(kw::LTL), TokenKind::Name(name), TokenKind::LBrace];
        self.out.extend(before.map(|kind| token(kind, 0)));
        self.files.push(OpenFile::new(file, Rc::from(formula)));
        while let Some(piece) = self.next_expanded() {
            self.emit(piece);
        }
        self.out.push(token(TokenKind::RBrace, formula.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{check, read, read_with};
    use super::*;

    #[test]
    fn plain_promela_comes_through_unchanged() {
        check("do :: q?x,_ -> x++ :: else -> break od", "do :: q ? x , _ -> x ++ :: else -> break od");
        check("", "");
        check("x", "x");
    }

    #[test]
    fn line_ends_of_any_kind_and_none_at_the_end_are_fine() {
        check("\u{feff}#define N 1\r\n#if N\r\nN\r\n#endif", "1");
        check("#define N", "");
        check("#define N 1 \\\r\n + 2\r\nN", "1 + 2");
        check("#", "");
        check("x\\", "x \\");
    }

    #[test]
    fn tokens_know_what_stands_before_them() {
        let reading = read("a b/**/c\n  d(EMPTY)\n#define EMPTY\nEMPTY e\nEMPTY\nf");
        let flags: Vec<_> = reading.tokens.iter().map(|token| (token.newline_before, token.space_before)).collect();
        let (line, space, nothing) = ((true, true), (false, true), (false, false));
        // a b c d ( EMPTY ) e f
        assert_eq!(flags, [line, space, space, line, nothing, nothing, nothing, line, line, line]);
    }

    #[test]
    fn no_input_makes_it_panic() {
        let bits = [
            "#define ",
            "F(x)",
            "A",
            " ## ",
            "#",
            "x",
            "\n",
            "\\\n",
            "\\",
            "\"",
            "'",
            "/*",
            "*/",
            "//",
            "#if ",
            "#else\n",
            "#endif\n",
            "#include \"main.pml\"\n",
            "(",
            ")",
            ",",
            "1..",
            "0x",
            "é",
            "\0",
            "__VA_ARGS__",
            "...",
            "defined",
            "__LINE__",
            "?",
            ":",
            "<",
            ">",
            "\r\n",
            "\u{feff}",
            "#undef A\n",
            "#elif ",
            "#error ",
            " ",
        ];
        let mut random = ::testing::Random::new(1);
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..24 {
                text.push_str(random.pick(&bits));
            }
            let options = Options { max_tokens: 2_000, ..Options::default() };
            let reading = read_with(&text, &options, &[("main.pml", &text)]);
            for report in &reading.diagnostics {
                reading.sources.describe(report.primary.span);
            }
        }
    }
}

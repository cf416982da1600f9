//! The C preprocessor, built in: from the text of a model to its tokens.
//!
//! SPIN sends every model through `gcc -E -x c` before it reads it. Doing the same work here makes
//! the checker independent of a compiler, and it keeps what the detour loses: each token still knows
//! where it was written, even if it comes out of a macro that another macro called.
//!
//! [`tokenize`] pulls one piece after the other. Pieces come from a stack of sources: on top the
//! expansions of macros that are being read, below them the files, each included file above the one
//! that includes it. A name that has a macro is replaced by pushing the expansion onto that stack,
//! so the result is read again and may contain further macros. As long as its expansion is on the
//! stack a macro is *busy*; its own name, met at that time, is painted and stays as it is forever.
//! That is the rule of C, and it makes every expansion end.
//!
//! Ending is not enough, though: thirty short lines can expand to a billion tokens. Whatever a macro
//! moves is therefore counted, and reading stops with an error when the count passes the limit. No
//! function here calls itself to a depth that the input chooses; the one recursion, a macro in the
//! argument of a macro, is limited.
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
//! | P0006 | number out of range           | a number that does not fit into an `int` of 32 bits |
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

use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;
use std::{fs, mem};

use model::diagnostic::{Diagnostic, nearest};
use model::source::{FileId, SourceMap, Span};

use crate::lexer::{Piece, PieceKind, Scanner, single_piece};
use crate::token::{Name, Names, Token, TokenKind};

/// How many files may include each other.
const MAX_INCLUDES: usize = 64;

/// How many macro calls may stand in each other's arguments.
const MAX_NESTED_CALLS: usize = 200;

/// How many messages of one kind are worth reading.
const MAX_REPORTS: usize = 20;

/// How many characters of a text a message shows.
const MAX_SHOWN: usize = 120;

/// How often, on the average, macros may move each of the tokens that a model may have.
const MOVES_PER_TOKEN: usize = 4;

/// What it costs to open a file, compared to moving a token.
const WORK_PER_INCLUDE: usize = 32;

/// How much work is done between two looks at the clock.
const WORK_PER_LOOK: usize = 1 << 14;

/// The largest file that is included.
const MAX_FILE_BYTES: u64 = 256 << 20;

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
        reports: Reports { diagnostics, counts: HashMap::new() },
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
    preprocessor.run();
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
    /// When to give up.
    pub deadline: Option<Instant>,
}

impl Default for Options {
    fn default() -> Self {
        Options { defines: Vec::new(), include_dirs: Vec::new(), max_tokens: 10_000_000, deadline: None }
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

/// Finds included files on the disk.
#[derive(Clone, Debug, Default)]
pub struct DiskLoader {
    /// The directories to look in, in this order.
    pub include_dirs: Vec<PathBuf>,
}

impl DiskLoader {
    /// A loader that looks in these directories.
    pub fn new(include_dirs: Vec<PathBuf>) -> Self {
        DiskLoader { include_dirs }
    }
}

impl Loader for DiskLoader {
    fn load(&mut self, name: &str, quoted: bool, including_file_name: &str) -> Result<(String, String), String> {
        let own = Path::new(including_file_name).parent().filter(|_| quoted);
        let directories = own.into_iter().chain(self.include_dirs.iter().map(PathBuf::as_path));
        let candidates: Vec<PathBuf> = directories.map(|directory| directory.join(name)).collect();
        let Some(path) = candidates.iter().find(|path| path.exists() && !path.is_dir()) else {
            let looked: Vec<String> = candidates.iter().map(|path| format!("`{}`", path.display())).collect();
            return Err(match looked.is_empty() {
                true => String::from("no include directory was given"),
                false => format!("there is no {}", looked.join(", ")),
            });
        };
        read_regular_file(path).map(|text| (path.display().to_string(), text))
    }
}

/// Reads a file that has an end: a device or a pipe may have none.
fn read_regular_file(path: &Path) -> Result<String, String> {
    let why = |problem: &dyn Display| format!("`{}`: {problem}", path.display());
    let data = fs::metadata(path).map_err(|error| why(&error))?;
    if !data.is_file() {
        return Err(why(&"not a regular file"));
    }
    if data.len() > MAX_FILE_BYTES {
        return Err(why(&"too large"));
    }
    let bytes = fs::read(path).map_err(|error| why(&error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
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

/// A file that is being read.
struct OpenFile {
    scanner: Scanner,
    /// The `#if`s that are open, the innermost last.
    conditions: Vec<Condition>,
}

/// An `#if` that waits for its `#endif`.
struct Condition {
    /// Where the `#if` stands.
    opened: Span,
    /// Whether one of its groups has been read already.
    taken: bool,
    /// Where its `#else` stands.
    otherwise: Option<Span>,
}

/// The pieces that a macro call was replaced by, while they are being read.
struct Expansion {
    pieces: Vec<Piece>,
    at: usize,
    source: Origin,
}

/// Where the pieces of an [`Expansion`] come from.
enum Origin {
    /// A macro, which is busy for so long.
    Macro(Rc<Macro>),
    /// An argument or a line that is expanded for itself: nothing behind it may be read.
    Isolated,
}

/// What a name is replaced by.
struct Macro {
    /// Where its name is defined; `None` if it is built in.
    defined_at: Option<Span>,
    /// The parameters; `None` if it is used without parentheses.
    parameters: Option<Vec<Name>>,
    /// Whether the last parameter takes all the arguments that are left.
    variadic: bool,
    body: Body,
    /// Its expansion is being read.
    busy: Cell<bool>,
}

/// What a macro stands for.
enum Body {
    Parts(Vec<Part>),
    /// `__LINE__`
    Line,
    /// `__FILE__`
    File,
}

/// A piece of the body of a macro.
#[derive(Copy, Clone)]
struct Part {
    piece: Piece,
    role: Role,
    /// A `##` stands before it.
    pasted: bool,
}

/// What becomes of a [`Part`] when the macro is used.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Role {
    /// It stays.
    Plain,
    /// It is replaced by an argument.
    Argument(usize),
    /// It is replaced by a string that holds an argument.
    Quoted(usize),
}

impl OpenFile {
    fn new(file: FileId, text: Rc<str>) -> Self {
        OpenFile { scanner: Scanner::new(file, text), conditions: Vec::new() }
    }
}

/// Reading: from files and expansions to tokens.
impl Preprocessor<'_> {
    fn run(&mut self) {
        while let Some(piece) = self.next_expanded() {
            self.emit(piece);
        }
    }

    /// The next piece that is no macro call.
    fn next_expanded(&mut self) -> Option<Piece> {
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
    fn next_piece(&mut self) -> Option<Piece> {
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
        for condition in file.conditions {
            let message = "this `#if` has no `#endif`";
            let report = Diagnostic::error("P0007", condition.opened, message).label("begins here");
            let report = match condition.otherwise {
                Some(span) => report.also(span, "its `#else`"),
                None => report,
            };
            self.report(report.help("add `#endif` where the optional part ends, in the same file"));
        }
    }

    fn macro_named(&self, name: Name) -> Option<&Rc<Macro>> {
        self.macros.get(name.0 as usize)?.as_ref()
    }
}

/// From pieces to tokens: what is not Promela is refused here.
impl Preprocessor<'_> {
    fn emit(&mut self, piece: Piece) {
        let kind = match piece.kind {
            PieceKind::Name(name) => TokenKind::Name(name),
            PieceKind::Mark(mark) => mark,
            PieceKind::Str(text) => TokenKind::Str(text),
            PieceKind::Number(text) => TokenKind::Number(self.number(piece, text)),
            PieceKind::Char(text) => TokenKind::Number(self.character(piece, text)),
            PieceKind::OpenStr(text) => {
                self.open_quote(piece, '"');
                TokenKind::Str(text)
            }
            PieceKind::OpenChar(_) => {
                self.open_quote(piece, '\'');
                TokenKind::Number(0)
            }
            PieceKind::Hash | PieceKind::HashHash => return self.stray(piece, '#'),
            PieceKind::Stray(character) => return self.stray(piece, character),
            PieceKind::Nothing => return,
        };
        if self.out.len() >= self.options.max_tokens {
            let message = format!("the model has more than {} tokens", self.options.max_tokens);
            return self.stop(piece.span, message, "make the model smaller, or raise the limit");
        }
        if self.out.len() % WORK_PER_LOOK == 0 {
            self.look_at_clock(piece.span);
        }
        let Piece { span, spelled, newline_before, space_before, .. } = piece;
        self.out.push(Token { kind, span, spelled, newline_before, space_before });
    }

    fn number(&mut self, piece: Piece, text: Name) -> i32 {
        let text = self.names.text(text);
        if let Ok(value) = text.parse() {
            return value;
        }
        let report = if text.bytes().all(|byte| byte.is_ascii_digit()) {
            let message = format!("the number `{}` does not fit into an `int`", shorten(text));
            error_at("P0006", piece, message)
                .label("too large")
                .help(format!("the largest number is {}", i32::MAX))
                .help("the smallest one, -2147483648, can be written as `(-2147483647 - 1)`")
        } else {
            let help = match hexadecimal(text) {
                Some(value) => format!("write `{value}`"),
                None => String::from("write it with the digits 0 to 9; a name must not begin with a digit"),
            };
            let message = format!("`{}` is not a number: Promela has decimal numbers only", shorten(text));
            error_at("P0005", piece, message).label("not a decimal number").help(help)
        };
        self.report(report);
        0
    }

    /// The value of a character constant. As in SPIN, a backslash before any other character than
    /// `n`, `r`, `t` or `f` means nothing, not even in `'\0'`, whose value is that of the digit.
    fn character(&mut self, piece: Piece, text: Name) -> i32 {
        let value = match *self.names.text(text).as_bytes() {
            [single] if single.is_ascii() => return i32::from(single),
            [b'\\', b'n'] => return i32::from(b'\n'),
            [b'\\', b'r'] => return i32::from(b'\r'),
            [b'\\', b't'] => return i32::from(b'\t'),
            [b'\\', b'f'] => return 12,
            [b'\\', quote @ (b'\\' | b'\'' | b'"')] => return i32::from(quote),
            [b'\\', other] if other.is_ascii() => other,
            _ => {
                let message = "a character constant holds exactly one character";
                let help = "write a string with double quotes, or a single ASCII character such as `'a'` or `'\\n'`";
                self.report(error_at("P0004", piece, message).label("not one ASCII character").help(help));
                return 0;
            }
        };
        let shown = char::from(value);
        let report = warning_at("P0004", piece, format!("SPIN does not know the escape `\\{shown}`"));
        let label = format!("the same as `'{shown}'`, which is {value}");
        self.report(report.label(label).help(format!("write `'{shown}'` if you mean the character, or a number")));
        i32::from(value)
    }

    fn open_quote(&mut self, piece: Piece, quote: char) {
        let what = if quote == '"' { "string" } else { "character constant" };
        let report = error_at("P0003", piece, format!("this {what} is not closed"));
        self.report(report.label("begins here").help(format!("close it with `{quote}` on the same line")));
    }

    fn stray(&mut self, piece: Piece, character: char) {
        if self.reports.is_full("P0001") {
            return;
        }
        let shown = if character.is_control() || character.is_whitespace() {
            format!("the character U+{:04X}", u32::from(character))
        } else {
            format!("the character `{character}`")
        };
        let report = error_at("P0001", piece, format!("{shown} means nothing here")).label("stray character");
        self.report(report.help(match character {
            '#' => "a directive must be the first thing on its line",
            '\u{201c}' | '\u{201d}' | '\u{ab}' | '\u{bb}' => "strings are written with the plain quote `\"`",
            '\u{2018}' | '\u{2019}' | '`' => "characters are written with the plain quote `'`",
            '\u{2013}' | '\u{2014}' | '\u{2212}' => "the minus sign is the plain `-`",
            '\u{2192}' => "the arrow is written `->`",
            '\0' => "remove it; is this a text file?",
            blank if blank.is_whitespace() => "replace it by a plain blank",
            other if other.is_alphabetic() => "names consist of the letters a to z and A to Z, digits and `_`",
            _ => "remove it, or put it into a comment or a string",
        }));
    }
}

/// The value of `0x…`, to tell the user what to write instead.
fn hexadecimal(text: &str) -> Option<i32> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    i32::from_str_radix(digits, 16).ok()
}

/// An error about a piece.
fn error_at(code: &'static str, piece: Piece, message: impl Into<String>) -> Diagnostic {
    with_body(Diagnostic::error(code, piece.span, message), piece)
}

/// A warning about a piece.
fn warning_at(code: &'static str, piece: Piece, message: impl Into<String>) -> Diagnostic {
    with_body(Diagnostic::warning(code, piece.span, message), piece)
}

/// Adds where the characters of a piece stand, if that is not where it was written.
fn with_body(report: Diagnostic, piece: Piece) -> Diagnostic {
    if piece.span == piece.spelled { report } else { report.also(piece.spelled, "comes out of this macro") }
}

/// A directive, by its word.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Directive {
    Define,
    Undef,
    Include,
    If,
    Ifdef,
    Ifndef,
    Elif,
    Elifdef,
    Elifndef,
    Else,
    Endif,
    Error,
    Warning,
    /// `#line`, `#pragma` and the like, which say nothing about the model.
    Ignored,
}

const DIRECTIVES: [(&str, Directive); 16] = [
    ("define", Directive::Define),
    ("undef", Directive::Undef),
    ("include", Directive::Include),
    ("if", Directive::If),
    ("ifdef", Directive::Ifdef),
    ("ifndef", Directive::Ifndef),
    ("elif", Directive::Elif),
    ("elifdef", Directive::Elifdef),
    ("elifndef", Directive::Elifndef),
    ("else", Directive::Else),
    ("endif", Directive::Endif),
    ("error", Directive::Error),
    ("warning", Directive::Warning),
    ("line", Directive::Ignored),
    ("pragma", Directive::Ignored),
    ("ident", Directive::Ignored),
];

impl Directive {
    /// Whether it begins a conditional part.
    fn opens(self) -> bool {
        matches!(self, Directive::If | Directive::Ifdef | Directive::Ifndef)
    }

    /// Whether it begins a further group of a conditional part.
    fn continues(self) -> bool {
        matches!(self, Directive::Elif | Directive::Elifdef | Directive::Elifndef | Directive::Else)
    }
}

/// Directives.
impl Preprocessor<'_> {
    /// Obeys the directive that begins with this `#`, up to the end of its line.
    fn directive(&mut self, hash: Piece) {
        self.charge(1, hash.span);
        let Some(word) = self.next_on_line() else { return };
        let span = hash.span.to(word.span);
        let file = self.files.len() - 1;
        match self.directive_of(word) {
            Some(directive) => self.obey(directive, span),
            None => self.unknown_directive(word, span),
        }
        // An `#include` has opened another file meanwhile; the line belongs to this one.
        if let Some(file) = self.files.get_mut(file) {
            file.scanner.skip_line();
        }
    }

    fn directive_of(&self, word: Piece) -> Option<Directive> {
        match word.kind {
            PieceKind::Name(name) => {
                let text = self.names.text(name);
                DIRECTIVES.iter().find(|(known, _)| *known == text).map(|&(_, directive)| directive)
            }
            // `# 12 "file"` is what a preprocessor that ran before leaves.
            PieceKind::Number(_) => Some(Directive::Ignored),
            _ => None,
        }
    }

    fn obey(&mut self, directive: Directive, span: Span) {
        match directive {
            Directive::Define => self.define(span),
            Directive::Undef => self.undef(span),
            Directive::Include => self.include(span),
            Directive::If | Directive::Ifdef | Directive::Ifndef => {
                let taken = self.condition(directive, span);
                self.open_condition(Condition { opened: span, taken, otherwise: None });
            }
            Directive::Elif | Directive::Elifdef | Directive::Elifndef | Directive::Else => {
                // The group before it was read, so nothing up to the `#endif` is.
                if self.next_group(directive, span) {
                    self.skip_groups();
                }
            }
            Directive::Endif => self.close_condition(span),
            Directive::Error | Directive::Warning => self.message(directive, span),
            Directive::Ignored => {}
        }
    }

    fn unknown_directive(&mut self, word: Piece, span: Span) {
        let text = self.shown(word);
        let help = match nearest(&text, DIRECTIVES.iter().map(|&(known, _)| known)) {
            Some(known) => format!("did you mean `#{known}`?"),
            None => String::from("a line that begins with `#` must hold a directive, such as `#define`"),
        };
        let report = Diagnostic::error("P0010", span, format!("there is no directive `#{text}`"));
        self.report(report.label("unknown directive").help(help));
    }

    /// `#error` and `#warning`.
    fn message(&mut self, directive: Directive, span: Span) {
        let pieces = self.rest_of_line(span);
        let text = self.spelling(&pieces);
        let text = shorten(&text);
        let place = pieces.last().map_or(span, |last| span.to(last.span));
        let report = if directive == Directive::Error {
            Diagnostic::error("P0019", place, format!("#error {text}")).label("the model refuses to be read like this")
        } else {
            Diagnostic::warning("P0019", place, format!("#warning {text}")).label("the model warns")
        };
        self.report(report.help("if the line should not be reached, look at the `#if` around it and at `-D`"));
    }

    fn undef(&mut self, span: Span) {
        let Some(name) = self.next_on_line().and_then(|piece| piece.name()) else {
            return self.lacks_name("#undef", span);
        };
        if let Some(slot) = self.macros.get_mut(name.0 as usize) {
            *slot = None;
        }
    }

    fn lacks_name(&mut self, directive: &str, span: Span) {
        let report = Diagnostic::error("P0010", span, format!("`{directive}` needs the name of a macro"));
        self.report(report.label("no name follows").help(format!("write `{directive} NAME`")));
    }

    /// The pieces up to the end of the line.
    fn rest_of_line(&mut self, span: Span) -> Vec<Piece> {
        let mut pieces = Vec::new();
        while let Some(piece) = self.next_on_line() {
            pieces.push(piece);
        }
        self.charge(pieces.len(), span);
        pieces
    }

    fn next_on_line(&mut self) -> Option<Piece> {
        self.files.last_mut()?.scanner.next_on_line(self.names)
    }
}

/// Conditions: which groups of lines are read.
impl Preprocessor<'_> {
    fn open_condition(&mut self, condition: Condition) {
        let Some(file) = self.files.last_mut() else { return };
        let taken = condition.taken;
        file.conditions.push(condition);
        if !taken {
            self.skip_groups();
        }
    }

    fn close_condition(&mut self, span: Span) {
        let closed = self.files.last_mut().and_then(|file| file.conditions.pop());
        if closed.is_none() {
            self.lacks_if("#endif", span);
        }
    }

    /// Leaves out groups until one is to be read or the `#endif` has come.
    fn skip_groups(&mut self) {
        let mut depth = 0usize;
        while let Some(hash) = self.files.last_mut().and_then(|file| file.scanner.skip_to_directive(self.names)) {
            self.charge(1, hash.span);
            let Some(word) = self.next_on_line() else { continue };
            let span = hash.span.to(word.span);
            match self.directive_of(word) {
                Some(directive) if directive.opens() => depth += 1,
                Some(Directive::Endif) if depth > 0 => depth -= 1,
                Some(Directive::Endif) => return self.close_condition(span),
                Some(directive) if directive.continues() && depth == 0 && self.takes_group(directive, span) => return,
                _ => {}
            }
        }
    }

    /// Notes an `#elif` or `#else`; `false` if it has no business here.
    fn next_group(&mut self, directive: Directive, span: Span) -> bool {
        let word = if directive == Directive::Else { "#else" } else { "#elif" };
        let Some(condition) = self.innermost() else {
            self.lacks_if(word, span);
            return false;
        };
        if let Some(otherwise) = condition.otherwise {
            let opened = condition.opened;
            let report = Diagnostic::error("P0008", span, format!("`{word}` after `#else`"))
                .label("the `#else` has been before")
                .also(otherwise, "the `#else`")
                .also(opened, "of this `#if`")
                .help("an `#if` has any number of `#elif` and then at most one `#else`");
            self.report(report);
        } else if directive == Directive::Else {
            condition.otherwise = Some(span);
        }
        true
    }

    /// Whether the group after this `#elif` or `#else` is the one that is read.
    fn takes_group(&mut self, directive: Directive, span: Span) -> bool {
        let open = self.next_group(directive, span) && self.innermost().is_some_and(|condition| !condition.taken);
        let takes = open && (directive == Directive::Else || self.condition(directive, span));
        if let Some(condition) = self.innermost() {
            condition.taken |= takes;
        }
        takes
    }

    /// The `#if` that is being read.
    fn innermost(&mut self) -> Option<&mut Condition> {
        self.files.last_mut()?.conditions.last_mut()
    }

    fn lacks_if(&mut self, word: &str, span: Span) {
        let report = Diagnostic::error("P0008", span, format!("`{word}` without `#if`"));
        self.report(report.label("no `#if` is open in this file").help("remove it, or add the `#if` that it ends"));
    }

    /// Whether what stands after `#if`, `#ifdef` and the like holds.
    fn condition(&mut self, directive: Directive, span: Span) -> bool {
        let (word, holds_if_defined) = match directive {
            Directive::Ifdef => ("#ifdef", true),
            Directive::Ifndef => ("#ifndef", false),
            Directive::Elifdef => ("#elifdef", true),
            Directive::Elifndef => ("#elifndef", false),
            _ => return self.expression(span),
        };
        match self.next_on_line().and_then(|piece| piece.name()) {
            Some(name) => self.macro_named(name).is_some() == holds_if_defined,
            None => {
                self.lacks_name(word, span);
                false
            }
        }
    }

    fn expression(&mut self, span: Span) -> bool {
        let pieces = self.rest_of_line(span);
        let outer = mem::replace(&mut self.in_condition, true);
        let pieces = self.expand_isolated(pieces, span);
        self.in_condition = outer;
        let problem = match evaluate(&pieces, self.names) {
            Ok(value) => return value,
            Err(problem) => problem,
        };
        let report = match problem.piece {
            Some(piece) => error_at("P0009", piece, problem.message),
            None => Diagnostic::error("P0009", span, problem.message),
        };
        let help = "a condition consists of whole numbers, `defined(NAME)`, parentheses and the operators of C; \
                    a name without a macro counts as 0";
        self.report(report.label(problem.label).help(help));
        false
    }

    /// `defined NAME` and `defined(NAME)`, which become 1 or 0.
    fn eval_defined(&mut self, operator: Piece) -> Piece {
        let mut operand = self.next_piece();
        let in_parentheses = operand.is_some_and(|piece| piece.is(TokenKind::LParen));
        if in_parentheses {
            operand = self.next_piece();
        }
        let name = operand.and_then(|piece| piece.name());
        let closed = !in_parentheses || self.next_piece().is_some_and(|piece| piece.is(TokenKind::RParen));
        if name.is_none() || !closed {
            let report = error_at("P0009", operator, "`defined` needs the name of a macro");
            self.report(report.label("no name follows").help("write `defined(NAME)`"));
        }
        let value = name.is_some_and(|name| self.macro_named(name).is_some());
        let text = self.names.intern(if value { "1" } else { "0" });
        Piece { kind: PieceKind::Number(text), ..operator }
    }
}

/// Included files.
impl Preprocessor<'_> {
    /// Opens the macros of the command line as little files, to be read before the model.
    fn open_command_line(&mut self) {
        for (name, body) in self.options.defines.iter().rev() {
            let text = format!("#define {name} {body}").replace(['\n', '\r'], " ");
            let file = self.sources.add("<command line>", text.as_str());
            self.files.push(OpenFile::new(file, Rc::from(text)));
        }
    }

    fn include(&mut self, span: Span) {
        let Some((name, quoted, place)) = self.header(span).filter(|(name, ..)| !name.is_empty()) else {
            let report = Diagnostic::error("P0010", span, "`#include` needs the name of a file");
            return self.report(report.label("no name follows").help("write `#include \"file\"` or `#include <file>`"));
        };
        if self.files.len() > MAX_INCLUDES {
            return self.endless_include(&name, place);
        }
        match self.load(&name, quoted) {
            Ok((file, text)) => {
                self.charge(WORK_PER_INCLUDE + text.len() / 8, place);
                if !self.stopped {
                    self.files.push(OpenFile::new(file, text));
                }
            }
            Err(why) => {
                let report = Diagnostic::error("P0016", place, format!("cannot include `{}`: {why}", shorten(&name)));
                let help = if quoted {
                    "the name is relative to the file that includes it; `-I` adds directories"
                } else {
                    "files in angle brackets are looked for in the directories of `-I` only"
                };
                self.report(report.label("cannot be read").help(help));
            }
        }
    }

    /// The file name of an `#include`, which may come out of a macro.
    fn header(&mut self, span: Span) -> Option<(String, bool, Span)> {
        if let Some(header) = self.files.last_mut()?.scanner.header() {
            return Some(header);
        }
        let pieces = self.rest_of_line(span);
        let pieces = self.expand_isolated(pieces, span);
        let first = pieces.first()?;
        if let PieceKind::Str(text) = first.kind {
            return Some((self.names.text(text).to_owned(), true, first.span));
        }
        let length = pieces.iter().position(|piece| piece.is(TokenKind::Gt)).filter(|_| first.is(TokenKind::Lt))?;
        Some((self.spelling(&pieces[1..length]), false, first.span))
    }

    /// The file of an `#include`; one that was included before is not read again.
    fn load(&mut self, name: &str, quoted: bool) -> Result<(FileId, Rc<str>), String> {
        let includer = self.files.last().map_or(Span::NONE.file, |file| file.scanner.file());
        let key = (name.to_owned(), quoted, includer);
        if let Some((file, text)) = self.included.get(&key) {
            return Ok((*file, Rc::clone(text)));
        }
        let (shown, text) = self.loader.load(name, quoted, &self.sources.file(includer).name)?;
        let known = self.sources.files().iter().position(|file| file.name == shown && file.text == text);
        let text: Rc<str> = Rc::from(text);
        let file = match known {
            Some(index) => FileId(index as u32),
            None => self.sources.add(shown, &*text),
        };
        self.included.insert(key, (file, Rc::clone(&text)));
        Ok((file, text))
    }

    fn endless_include(&mut self, name: &str, span: Span) {
        let message = format!("files include each other more than {MAX_INCLUDES} deep");
        let report =
            Diagnostic::error("P0017", span, message).label(format!("`{}` would be one too many", shorten(name))).help(
                "begin a file that may be included twice with `#ifndef NAME` and `#define NAME`, end it with `#endif`",
            );
        self.report(report);
        self.give_up();
    }
}

/// Definitions of macros.
impl Preprocessor<'_> {
    fn define_builtins(&mut self) {
        for (name, body) in [("__LINE__", Body::Line), ("__FILE__", Body::File)] {
            let name = self.names.intern(name);
            let built_in = Macro { defined_at: None, parameters: None, variadic: false, body, busy: Cell::new(false) };
            self.install(name, built_in);
        }
    }

    fn define(&mut self, span: Span) {
        let pieces = self.rest_of_line(span);
        let Some((head, rest)) = pieces.split_first() else { return self.lacks_name("#define", span) };
        let Some(name) = head.name().filter(|&name| name != self.defined) else {
            return self.lacks_name("#define", span.to(head.span));
        };
        match self.parse_macro(head.span, rest) {
            Ok(new) => self.install(name, new),
            Err(report) => self.report(*report),
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
        let report = match old.defined_at {
            Some(before) => report.also(before, "the first definition"),
            None => report,
        };
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

impl Macro {
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

/// An argument of a macro call, in both the forms that a body can ask for.
struct Argument {
    raw: Vec<Piece>,
    /// With its macros expanded; worked out when it is first needed.
    expanded: Option<Vec<Piece>>,
}

/// Uses of macros.
impl Preprocessor<'_> {
    /// Replaces a name by its macro; `false` if that macro wants arguments and none follow.
    fn expand(&mut self, found: Rc<Macro>, call: Piece) -> bool {
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

    /// Moves past a `(` if it is the next piece, on this line or a later one.
    fn enter_parentheses(&mut self) -> bool {
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

    /// Reads the arguments of a call and checks that there are as many as there must be.
    fn arguments(&mut self, found: &Macro, call: Piece) -> Option<Vec<Argument>> {
        let outer = mem::replace(&mut self.collecting, true);
        let collected = self.collect_arguments(found, call);
        self.collecting = outer;
        let wanted = found.parameters.as_ref().map_or(0, Vec::len);
        let Some(mut arguments) = collected else {
            self.unterminated_call(found, call);
            return None;
        };
        if found.variadic && arguments.len() + 1 == wanted {
            arguments.push(Vec::new());
        }
        let none = wanted == 0 && arguments.len() == 1 && arguments[0].is_empty();
        if arguments.len() != wanted && !none {
            self.wrong_count(found, wanted, &arguments, call);
            return None;
        }
        Some(arguments.into_iter().map(|raw| Argument { raw, expanded: None }).collect())
    }

    /// The pieces up to the closing parenthesis, cut at the commas; `None` if there is none.
    fn collect_arguments(&mut self, found: &Macro, call: Piece) -> Option<Vec<Vec<Piece>>> {
        let wanted = found.parameters.as_ref().map_or(0, Vec::len);
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
                    let takes_rest = found.variadic && arguments.len() + 1 == wanted;
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

    /// The body of a macro with the arguments put in.
    fn substitute(&mut self, found: &Macro, parts: &[Part], mut arguments: Vec<Argument>, call: Piece) -> Vec<Piece> {
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

    /// Expands pieces for themselves, as if nothing came after them.
    fn expand_isolated(&mut self, pieces: Vec<Piece>, span: Span) -> Vec<Piece> {
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

    /// Pieces as text, with one blank wherever there is space between them.
    fn spelling(&self, pieces: &[Piece]) -> String {
        let mut text = String::new();
        for (index, piece) in pieces.iter().enumerate() {
            if index > 0 && piece.space_before {
                text.push(' ');
            }
            piece.kind.spell(self.names, &mut text);
        }
        text
    }

    /// A piece as a message shows it.
    fn shown(&self, piece: Piece) -> String {
        shorten(&self.spelling(&[piece])).into_owned()
    }
}

/// A text as it stands between the quotes of a string.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// As much of a text as a message can hold.
fn shorten(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// What can be wrong with the use of a macro.
impl Preprocessor<'_> {
    fn unterminated_call(&mut self, found: &Macro, call: Piece) {
        let name = self.shown(call);
        let report = error_at("P0014", call, format!("the arguments of the macro `{name}` have no end"));
        self.report(with_definition(report.label("the call begins here"), found).help("close it with `)`"));
    }

    fn wrong_count(&mut self, found: &Macro, wanted: usize, arguments: &[Vec<Piece>], call: Piece) {
        let name = self.shown(call);
        let given = if arguments.len() == 1 && arguments[0].is_empty() { 0 } else { arguments.len() };
        let at_least = if found.variadic { "at least " } else { "" };
        let wanted = wanted - usize::from(found.variadic);
        let plural = if wanted == 1 { "" } else { "s" };
        let message = format!("the macro `{name}` takes {at_least}{wanted} argument{plural}, but is given {given}");
        let report = error_at("P0013", call, message).label("wrong number of arguments");
        let help = "a comma separates two arguments unless it stands in parentheses of its own";
        self.report(with_definition(report, found).help(help));
    }

    fn bad_paste(&mut self, left: Piece, right: Piece, spelled: Span, call: Piece) {
        let (left, right) = (self.shown(left), self.shown(right));
        let report = Diagnostic::error("P0015", call.span, format!("`{left}` and `{right}` do not make one word"))
            .label("in the expansion of this macro")
            .also(spelled, "pasted here")
            .help("`##` joins what makes a single name, number or operator; without it both stay as they are");
        self.report(report);
    }

    fn macro_next_to_range(&mut self, call: Piece) {
        let name = self.shown(call);
        let message = format!("SPIN does not expand the macro `{name}` here");
        let report = warning_at("P0011", call, message)
            .label("expanded here, but to a C preprocessor part of the number before it")
            .help(format!("put blanks around the dots: `1 .. {name}`"));
        self.report(report);
    }
}

fn with_definition(report: Diagnostic, found: &Macro) -> Diagnostic {
    match found.defined_at {
        Some(span) => report.also(span, "the macro is defined here"),
        None => report,
    }
}

/// Limits and messages.
impl Preprocessor<'_> {
    /// Counts work, and stops when it becomes too much.
    fn charge(&mut self, amount: usize, span: Span) {
        self.work = self.work.saturating_add(amount);
        if self.work / MOVES_PER_TOKEN > self.options.max_tokens {
            self.stop_expansion(span);
        }
        if self.work >= self.next_look {
            self.next_look = self.work.saturating_add(WORK_PER_LOOK);
            self.look_at_clock(span);
        }
    }

    /// Stops when a list of pieces is longer than any model may be.
    fn limit_length(&mut self, length: usize, span: Span) {
        if length > self.options.max_tokens {
            self.stop_expansion(span);
        }
    }

    fn stop_expansion(&mut self, span: Span) {
        let message = format!("macros and included files expand to far more than {} tokens", self.options.max_tokens);
        self.stop(span, message, "look for macros that use each other more than once, or raise the limit");
    }

    fn look_at_clock(&mut self, span: Span) {
        if self.options.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            let message = String::from("the time is over before the model is read");
            self.stop(span, message, "give it more time");
        }
    }

    fn stop(&mut self, span: Span, message: String, help: &str) {
        self.report(Diagnostic::error("P0018", span, message).label("reading stops here").help(help));
        self.give_up();
    }

    fn give_up(&mut self) {
        self.stopped = true;
        self.files.clear();
        self.expansions.clear();
    }

    /// Takes a message down, unless reading has stopped: what is wrong then is just that it stopped.
    fn report(&mut self, report: Diagnostic) {
        if !self.stopped {
            self.reports.add(report);
        }
    }
}

/// The messages so far, of which there are only so many of each kind.
struct Reports<'a> {
    diagnostics: &'a mut Vec<Diagnostic>,
    counts: HashMap<&'static str, usize>,
}

impl Reports<'_> {
    fn add(&mut self, report: Diagnostic) {
        let count = self.counts.entry(report.code).or_insert(0);
        *count += 1;
        match (*count).cmp(&MAX_REPORTS) {
            Ordering::Less => self.diagnostics.push(report),
            Ordering::Equal => self.diagnostics.push(report.help("further messages of this kind are left out")),
            Ordering::Greater => {}
        }
    }

    fn is_full(&self, code: &str) -> bool {
        self.counts.get(code).is_some_and(|&count| count >= MAX_REPORTS)
    }
}

/// Whether the condition of an `#if` holds, after its macros have been expanded.
///
/// The condition is read from left to right with two stacks, one for values and one for operators
/// that wait for their right operand, so that its depth costs no stack of the machine.
fn evaluate(pieces: &[Piece], names: &Names) -> Result<bool, Problem> {
    let mut evaluator = Evaluator { names, values: Vec::new(), operators: Vec::new() };
    let mut wants_operand = true;
    for &piece in pieces {
        wants_operand = if wants_operand { evaluator.operand(piece)? } else { evaluator.operator(piece)? };
    }
    if wants_operand {
        let message = if pieces.is_empty() { "the condition is empty" } else { "the condition ends too early" };
        return Err(problem(pieces.last().copied(), message, "a value must follow"));
    }
    evaluator.finish()
}

/// What is wrong with a condition, and which piece of it.
struct Problem {
    piece: Option<Piece>,
    message: String,
    label: &'static str,
}

fn problem(piece: Option<Piece>, message: impl Into<String>, label: &'static str) -> Problem {
    Problem { piece, message: message.into(), label }
}

/// A value of a condition: 64 bits, as wide as C can count.
#[derive(Copy, Clone)]
struct Value {
    bits: i64,
    unsigned: bool,
    /// A division by zero that went into it. It matters only if the value does: not on the side
    /// of `&&`, `||` or `?:` that is not looked at.
    fault: Option<Piece>,
}

/// An operator that waits for its right operand.
#[derive(Copy, Clone)]
enum Waiting {
    Parenthesis(Piece),
    Unary(TokenKind),
    Binary(TokenKind, Piece),
    /// The `?` of a choice whose `:` has not come yet.
    Question(Piece),
    /// `?` and `:` together.
    Choice,
}

struct Evaluator<'a> {
    names: &'a Names,
    values: Vec<Value>,
    operators: Vec<Waiting>,
}

/// How tightly `?:` binds.
const CHOICE: u8 = 2;

impl Evaluator<'_> {
    /// Takes a piece where a value must begin; tells whether a value is still wanted after it.
    fn operand(&mut self, piece: Piece) -> Result<bool, Problem> {
        match piece.kind {
            PieceKind::Name(_) => self.values.push(Value::signed(0)),
            PieceKind::Number(text) => match c_integer(self.names.text(text)) {
                Some(value) => self.values.push(value),
                None => return Err(problem(Some(piece), "this is not a whole number of C", "not a whole number")),
            },
            PieceKind::Char(text) => match c_character(self.names.text(text)) {
                Some(value) => self.values.push(Value::signed(value)),
                None => return Err(problem(Some(piece), "this is not a single character", "not a character")),
            },
            PieceKind::Mark(TokenKind::LParen) => self.operators.push(Waiting::Parenthesis(piece)),
            PieceKind::Mark(TokenKind::BangBang) => {
                self.operators.extend([Waiting::Unary(TokenKind::Bang), Waiting::Unary(TokenKind::Bang)]);
            }
            PieceKind::Mark(mark @ (TokenKind::Bang | TokenKind::Tilde | TokenKind::Plus | TokenKind::Minus)) => {
                self.operators.push(Waiting::Unary(mark));
            }
            _ => {
                let message = format!("{} cannot stand here in a condition", self.describe(piece));
                return Err(problem(Some(piece), message, "a value must stand here"));
            }
        }
        Ok(!matches!(piece.kind, PieceKind::Name(_) | PieceKind::Number(_) | PieceKind::Char(_)))
    }

    /// Takes a piece after a value; tells whether a value must follow.
    fn operator(&mut self, piece: Piece) -> Result<bool, Problem> {
        match piece.kind {
            PieceKind::Mark(TokenKind::RParen) => {
                self.reduce(0);
                match self.operators.pop() {
                    Some(Waiting::Parenthesis(_)) => return Ok(false),
                    Some(Waiting::Question(question)) => return Err(lacks_colon(question)),
                    _ => return Err(problem(Some(piece), "this `)` closes nothing", "no `(` is open")),
                }
            }
            PieceKind::Mark(TokenKind::Question) => {
                self.reduce(CHOICE + 1);
                self.operators.push(Waiting::Question(piece));
            }
            PieceKind::Mark(TokenKind::Colon) => {
                self.reduce(0);
                match self.operators.last_mut() {
                    Some(last @ Waiting::Question(_)) => *last = Waiting::Choice,
                    _ => return Err(problem(Some(piece), "this `:` belongs to no `?`", "no `?` is open")),
                }
            }
            PieceKind::Mark(mark) if binding(mark).is_some() => {
                self.reduce(binding(mark).unwrap_or(0));
                self.operators.push(Waiting::Binary(mark, piece));
            }
            _ => {
                let message = format!("{} cannot follow a value in a condition", self.describe(piece));
                return Err(problem(Some(piece), message, "an operator must stand here"));
            }
        }
        Ok(true)
    }

    fn finish(mut self) -> Result<bool, Problem> {
        self.reduce(0);
        match self.operators.pop() {
            Some(Waiting::Parenthesis(open)) => Err(problem(Some(open), "this `(` is not closed", "opened here")),
            Some(Waiting::Question(question)) => Err(lacks_colon(question)),
            _ => match self.values.pop() {
                Some(Value { fault: Some(piece), .. }) => {
                    Err(problem(Some(piece), "the condition divides by zero", "the right side is 0"))
                }
                value => Ok(value.is_some_and(|value| value.bits != 0)),
            },
        }
    }

    /// Applies the waiting operators that bind at least as tightly as `least`.
    fn reduce(&mut self, least: u8) {
        while let Some(&waiting) = self.operators.last() {
            let tightness = match waiting {
                Waiting::Parenthesis(_) | Waiting::Question(_) => return,
                Waiting::Unary(_) => u8::MAX,
                Waiting::Binary(mark, _) => binding(mark).unwrap_or(0),
                Waiting::Choice => CHOICE,
            };
            if tightness < least {
                return;
            }
            self.operators.pop();
            self.apply(waiting);
        }
    }

    fn apply(&mut self, operator: Waiting) {
        let Some(last) = self.values.pop() else { return };
        let result = match operator {
            Waiting::Unary(mark) => last.unary(mark),
            Waiting::Binary(mark, piece) => match self.values.pop() {
                Some(left) => left.binary(mark, last, piece),
                None => last,
            },
            Waiting::Choice => match (self.values.pop(), self.values.pop()) {
                (Some(yes), Some(condition)) => condition.choose(yes, last),
                _ => last,
            },
            Waiting::Parenthesis(_) | Waiting::Question(_) => last,
        };
        self.values.push(result);
    }

    fn describe(&self, piece: Piece) -> String {
        let mut text = String::new();
        piece.kind.spell(self.names, &mut text);
        format!("`{}`", shorten(&text))
    }
}

fn lacks_colon(question: Piece) -> Problem {
    problem(Some(question), "this `?` lacks its `:`", "no `:` follows")
}

/// How tightly a binary operator binds; `None` if a condition does not have it.
fn binding(mark: TokenKind) -> Option<u8> {
    Some(match mark {
        TokenKind::Comma => 1,
        // 2 is `CHOICE`
        TokenKind::PipePipe => 3,
        TokenKind::AmpAmp => 4,
        TokenKind::Pipe => 5,
        TokenKind::Caret => 6,
        TokenKind::Amp => 7,
        TokenKind::EqEq | TokenKind::BangEq => 8,
        TokenKind::Lt | TokenKind::LtEq | TokenKind::Gt | TokenKind::GtEq => 9,
        TokenKind::Shl | TokenKind::Shr => 10,
        TokenKind::Plus | TokenKind::Minus => 11,
        TokenKind::Star | TokenKind::Slash | TokenKind::Percent => 12,
        _ => return None,
    })
}

impl Value {
    fn signed(bits: i64) -> Value {
        Value { bits, unsigned: false, fault: None }
    }

    fn truth(condition: bool, fault: Option<Piece>) -> Value {
        Value { bits: i64::from(condition), unsigned: false, fault }
    }

    fn unary(self, mark: TokenKind) -> Value {
        match mark {
            TokenKind::Bang => Value::truth(self.bits == 0, self.fault),
            TokenKind::Tilde => Value { bits: !self.bits, ..self },
            TokenKind::Minus => Value { bits: self.bits.wrapping_neg(), ..self },
            _ => self,
        }
    }

    fn binary(self, mark: TokenKind, right: Value, piece: Piece) -> Value {
        let fault = self.fault.or(right.fault);
        let (a, b) = (self.bits, right.bits);
        let unsigned = self.unsigned || right.unsigned;
        let order = if unsigned { (a as u64).cmp(&(b as u64)) } else { a.cmp(&b) };
        let number = |bits: i64| Value { bits, unsigned, fault };
        match mark {
            TokenKind::Comma => Value { fault, ..right },
            TokenKind::PipePipe if a != 0 => Value::truth(true, self.fault),
            TokenKind::PipePipe => Value::truth(b != 0, fault),
            TokenKind::AmpAmp if a == 0 => Value::truth(false, self.fault),
            TokenKind::AmpAmp => Value::truth(b != 0, fault),
            TokenKind::Pipe => number(a | b),
            TokenKind::Caret => number(a ^ b),
            TokenKind::Amp => number(a & b),
            TokenKind::EqEq => Value::truth(order.is_eq(), fault),
            TokenKind::BangEq => Value::truth(order.is_ne(), fault),
            TokenKind::Lt => Value::truth(order.is_lt(), fault),
            TokenKind::LtEq => Value::truth(order.is_le(), fault),
            TokenKind::Gt => Value::truth(order.is_gt(), fault),
            TokenKind::GtEq => Value::truth(order.is_ge(), fault),
            TokenKind::Shl => Value { fault, ..self.shifted(right, true) },
            TokenKind::Shr => Value { fault, ..self.shifted(right, false) },
            TokenKind::Plus => number(a.wrapping_add(b)),
            TokenKind::Minus => number(a.wrapping_sub(b)),
            TokenKind::Star => number(a.wrapping_mul(b)),
            TokenKind::Slash | TokenKind::Percent if b == 0 => Value { fault: fault.or(Some(piece)), ..number(0) },
            TokenKind::Slash if unsigned => number((a as u64 / b as u64) as i64),
            TokenKind::Slash => number(a.wrapping_div(b)),
            _ if unsigned => number((a as u64 % b as u64) as i64),
            _ => number(a.wrapping_rem(b)),
        }
    }

    /// A shift by any count; a negative one goes the other way.
    fn shifted(self, count: Value, left: bool) -> Value {
        let backwards = !count.unsigned && count.bits < 0;
        let count = if backwards { count.bits.unsigned_abs() } else { count.bits as u64 };
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let bits = if left != backwards {
            self.bits.checked_shl(count).unwrap_or(0)
        } else if self.unsigned {
            (self.bits as u64).checked_shr(count).unwrap_or(0) as i64
        } else {
            self.bits >> count.min(63)
        };
        Value { bits, ..self }
    }

    fn choose(self, yes: Value, no: Value) -> Value {
        let chosen = if self.bits != 0 { yes } else { no };
        Value { unsigned: yes.unsigned || no.unsigned, fault: self.fault.or(chosen.fault), ..chosen }
    }
}

/// A whole number as C writes it: decimal, octal, hexadecimal or binary, with `u` and `l` behind it.
fn c_integer(text: &str) -> Option<Value> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let suffix = text[digits.len()..].to_ascii_lowercase();
    if !matches!(suffix.as_str(), "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu") {
        return None;
    }
    let digits = digits.to_ascii_lowercase();
    let value = if let Some(digits) = digits.strip_prefix("0x") {
        u64::from_str_radix(digits, 16)
    } else if let Some(digits) = digits.strip_prefix("0b") {
        u64::from_str_radix(digits, 2)
    } else if digits.starts_with('0') {
        u64::from_str_radix(&digits, 8)
    } else {
        digits.parse()
    };
    let value = value.ok()?;
    Some(Value { bits: value as i64, unsigned: suffix.contains('u') || value > i64::MAX as u64, fault: None })
}

/// The value of a character constant of C.
fn c_character(text: &str) -> Option<i64> {
    let mut characters = text.chars();
    let first = characters.next()?;
    let rest = characters.as_str();
    let value = match (first, rest) {
        ('\\', "n") => 10,
        ('\\', "t") => 9,
        ('\\', "r") => 13,
        ('\\', "f") => 12,
        ('\\', "v") => 11,
        ('\\', "b") => 8,
        ('\\', "a") => 7,
        ('\\', "\\" | "'" | "\"" | "?") => i64::from(rest.as_bytes()[0]),
        ('\\', octal) if octal.len() <= 3 => i64::from_str_radix(octal, 8).ok()?,
        (single, "") if single.is_ascii() => i64::from(u32::from(single)),
        _ => return None,
    };
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Files that exist in the test only.
    struct Shelf<'a>(&'a [(&'a str, &'a str)]);

    impl Loader for Shelf<'_> {
        fn load(&mut self, name: &str, _: bool, _: &str) -> Result<(String, String), String> {
            let found = self.0.iter().find(|(known, _)| *known == name);
            found.map(|&(name, text)| (name.to_owned(), text.to_owned())).ok_or_else(|| String::from("no such file"))
        }
    }

    /// What became of a model.
    struct Reading {
        sources: SourceMap,
        names: Names,
        tokens: Vec<Token>,
        diagnostics: Vec<Diagnostic>,
    }

    fn read_with(text: &str, options: &Options, files: &[(&str, &str)]) -> Reading {
        let mut sources = SourceMap::new();
        let main = sources.add("main.pml", text);
        let (mut names, mut diagnostics) = (Names::new(), Vec::new());
        let tokens = tokenize(&mut sources, main, options, &mut Shelf(files), &mut names, &mut diagnostics);
        assert!(matches!(tokens.last(), Some(Token { kind: TokenKind::Eof, .. })));
        Reading { sources, names, tokens, diagnostics }
    }

    fn read(text: &str) -> Reading {
        read_with(text, &Options::default(), &[])
    }

    impl Reading {
        /// The tokens without the last, with blanks between them.
        fn words(&self) -> String {
            let word = |token: &Token| match token.kind {
                TokenKind::Name(name) => self.names.text(name).to_owned(),
                TokenKind::Number(value) => value.to_string(),
                TokenKind::Str(text) => format!("\"{}\"", self.names.text(text)),
                mark => mark.mark().unwrap_or_default().to_owned(),
            };
            self.tokens[..self.tokens.len() - 1].iter().map(word).collect::<Vec<_>>().join(" ")
        }

        fn codes(&self) -> Vec<&str> {
            self.diagnostics.iter().map(|report| report.code).collect()
        }

        /// Everything that the only message says and points at.
        fn only(&self, code: &str) -> (&Diagnostic, &str) {
            assert_eq!(self.codes(), [code], "{:?}", self.diagnostics);
            let report = &self.diagnostics[0];
            assert!(!report.primary.text.is_empty() && !report.help.is_empty(), "{report:?}");
            (report, self.sources.text(report.primary.span))
        }
    }

    /// A model that is fine, and the words it comes to.
    #[track_caller]
    fn check(text: &str, words: &str) {
        let reading = read(text);
        assert_eq!(reading.words(), words);
        assert!(reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
    }

    // Tokens

    #[test]
    fn plain_promela_comes_through_unchanged() {
        check("do :: q?x,_ -> x++ :: else -> break od", "do :: q ? x , _ -> x ++ :: else -> break od");
        check("", "");
        check("x", "x");
    }

    #[test]
    fn character_constants_are_numbers_with_the_values_of_spin() {
        check(r"'a' '\n' '\r' '\t' '\f' '\\' '\'' '0' '\\'", "97 10 13 9 12 92 39 48 92");
    }

    #[test]
    fn an_escape_that_spin_does_not_know_is_warned_about() {
        let reading = read(r"'\0'");
        assert_eq!(reading.words(), "48");
        assert!(!reading.only("P0004").0.is_error());
    }

    #[test]
    fn a_character_constant_of_more_or_less_than_one_character_is_an_error() {
        for text in ["''", "'ab'", "'é'", r"'\ab'"] {
            assert_eq!(read(text).only("P0004").1, text);
        }
    }

    #[test]
    fn numbers_are_decimal_even_with_leading_zeros() {
        check("0 7 010 2147483647", "0 7 10 2147483647");
    }

    #[test]
    fn a_hexadecimal_number_is_an_error_that_says_what_to_write() {
        let reading = read("x = 0x1F;");
        let (report, place) = reading.only("P0005");
        assert_eq!(place, "0x1F");
        assert!(report.message.contains("decimal") && report.help[0].contains("`31`"));
        assert_eq!(reading.words(), "x = 0 ;");
        assert_eq!(read("3rd").only("P0005").1, "3rd");
    }

    #[test]
    fn a_number_that_does_not_fit_is_an_error() {
        assert_eq!(read("2147483648").only("P0006").1, "2147483648");
        read("99999999999999999999999").only("P0006");
    }

    #[test]
    fn strings_keep_their_escapes_and_lose_their_splices() {
        check("printf(\"a\\n\\\"é\\\n b\")", "printf ( \"a\\n\\\"é b\" )");
    }

    #[test]
    fn open_quotes_and_comments_are_errors_where_they_begin() {
        let reading = read("a \"bc\nd");
        assert_eq!(reading.only("P0003").1, "\"bc");
        assert_eq!(reading.words(), "a \"bc\" d");
        assert_eq!(read("x = 'a;\n").only("P0003").1, "'a;");
        assert_eq!(read("a /* b").only("P0002").1, "/*");
    }

    #[test]
    fn stray_characters_are_errors_of_their_own() {
        for text in ["`", "é", "\0", "\u{a0}", "\u{1}", "“"] {
            let reading = read(&format!("a {text} b"));
            assert_eq!(reading.only("P0001").1, text);
            assert_eq!(reading.words(), "a b");
        }
        check("/* é → \0 */ \"é\0\" // é", "\"é\0\"");
    }

    #[test]
    fn at_most_twenty_messages_of_a_kind_are_given() {
        let reading = read(&"é".repeat(1000));
        assert_eq!(reading.diagnostics.len(), 20);
        assert!(reading.diagnostics[19].help[1].contains("left out"));
    }

    #[test]
    fn a_hash_inside_a_line_is_an_error() {
        assert_eq!(read("x; #define N 1").only("P0001").1, "#");
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

    // Macros

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
    fn a_name_with_parameters_but_without_parentheses_is_left_alone() {
        check("#define F(x) x\nF; F\n(1) F", "F ; 1 F");
        check("#define F(x) x\nF\n#define G\n(1)", "F ( 1 )");
        check("#define NOT_F (x) y\nNOT_F", "( x ) y");
    }

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
    fn an_error_out_of_a_macro_shows_the_use_and_the_body() {
        let reading = read("#define BIG 0xFF\nx = BIG;");
        let (report, place) = reading.only("P0005");
        assert_eq!(place, "BIG");
        assert_eq!(reading.sources.text(report.secondary[0].span), "0xFF");
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

    #[test]
    fn pieces_that_do_not_make_one_word_are_not_pasted() {
        let reading = read("#define J(a, b) a ## b\nJ(+, x)");
        assert_eq!(reading.only("P0015").1, "J");
        assert_eq!(reading.words(), "+ x");
        read("#define J(a, b) a ## b\nJ(/, /)").only("P0015");
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

    // Directives

    #[test]
    fn conditions_choose_what_is_read() {
        check("#if 1\na\n#else\nb\n#endif\nc", "a c");
        check("#if 0\na\n#elif 0\nb\n#elif 1\nc\n#elif 1\nd\n#else\ne\n#endif", "c");
        check("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif", "c");
        check("#ifdef N\na\n#endif\n#ifndef N\nb\n#endif", "b");
        check("#define N\n#ifdef N\na\n#else\nb\n#endif", "a");
        check("#ifdef N\na\n#elifndef N\nb\n#endif", "b");
        check("#if 1\n#elif 1 / 0\n#endif", "");
        check("  #  if /* c */ 1 // d\na\n # endif N", "a");
    }

    #[test]
    fn a_comment_or_a_string_hides_directives_from_a_group_that_is_left_out() {
        check("#if 0\n/*\n#endif\n*/ \"/*\" // /*\n#else\nyes\n#endif", "yes");
    }

    #[test]
    fn conditions_are_expressions_of_c() {
        for (condition, holds) in [
            ("1 + 2 * 3 == 7", true),
            ("(1 + 2) * 3 == 9", true),
            ("-7 / 2 == -3 && -7 % 2 == -1", true),
            ("1 << 4 >> 2 == 4", true),
            ("-1 > 0u", true),
            ("-1 < 0", true),
            ("!0 && !!3 && ~0 == -1", true),
            ("1 ? 0 : 1", false),
            ("0 ? 1 : 0 ? 1 : 2", true),
            ("1 ? 2, 0 : 1", false),
            ("0x1F == 31 && 010 == 8 && 0b11 == 3 && 10uLL == 10", true),
            ("'a' == 97 && '\\n' == 10 && '\\0' == 0 && '\\101' == 65", true),
            ("6 & 3 | 8 ^ 1", true),
            ("true", false),
            ("0 && 1 / 0", false),
            ("1 || 1 % 0", true),
            ("1 ? 1 : 1 / 0", true),
            ("(0 && 1 / 0) == 0", true),
            ("9223372036854775807 + 1 < 0", true),
            ("(-9223372036854775807 - 1) / -1 != 0", true),
            ("1 << 200 || -1 >> 200 == -1", true),
            ("defined N && !defined(M) && defined ( N )", true),
            ("N == 5 && F(2) == 4 && M == 0", true),
            ("HAS", true),
        ] {
            let reading =
                read(&format!("#define N 5\n#define F(x) x * x\n#define HAS defined(N)\n#if {condition}\nyes\n#endif"));
            assert_eq!(
                (reading.words().as_str(), reading.codes()),
                (if holds { "yes" } else { "" }, vec![]),
                "{condition}"
            );
        }
    }

    #[test]
    fn a_condition_that_is_no_expression_is_an_error_and_does_not_hold() {
        for condition in [
            "",
            "1 +",
            "+",
            "1 2",
            "(1",
            "1)",
            "1 ? 2",
            "1 : 2",
            "(1 ? 2)",
            "1 / 0",
            "1 % 0",
            "\"s\"",
            "1.5",
            "0x",
            "1ux",
            "x = 1",
            "'ab'",
            "defined",
            "defined(",
            "defined(1)",
            "99999999999999999999",
            "1 -> 2",
            "--1",
            "@",
            "é",
        ] {
            let reading = read(&format!("#if {condition}\nyes\n#else\nno\n#endif"));
            assert!(reading.codes().contains(&"P0009"), "{condition}");
            assert!(["no", "yes"].contains(&reading.words().as_str()), "{condition}");
        }
    }

    #[test]
    fn an_error_in_a_condition_points_at_its_piece() {
        let reading = read("#define Z 0\n#if 1 + 4 / Z\n#endif");
        assert_eq!(reading.only("P0009").1, "/");
        assert_eq!(read("#if\n#endif").only("P0009").1, "#if");
    }

    #[test]
    fn an_if_without_endif_is_an_error_where_it_begins() {
        let reading = read("#if 1\na\n#else\nb");
        let (report, place) = reading.only("P0007");
        assert_eq!((place, reading.words().as_str()), ("#if", "a"));
        assert_eq!(reading.sources.text(report.secondary[0].span), "#else");
        assert_eq!(read("#if 0\n#if 1\n#endif").codes(), ["P0007"]);
        let reading = read_with("#include \"x\"\nb\n#endif", &Options::default(), &[("x", "#ifndef N\na\n")]);
        assert_eq!((reading.words().as_str(), reading.codes()), ("a b", vec!["P0007", "P0008"]));
    }

    #[test]
    fn an_else_or_endif_without_if_is_an_error() {
        for text in ["#else", "#elif 1", "#endif"] {
            let reading = read(&format!("a\n{text}\nb"));
            assert_eq!(reading.words(), "a b");
            reading.only("P0008");
        }
        for text in ["#if 1\na\n#else\n#else\nb\n#endif", "#if 0\n#else\na\n#elif 1\nb\n#endif"] {
            let reading = read(text);
            let (report, _) = reading.only("P0008");
            assert_eq!((report.secondary.len(), reading.words().as_str()), (2, "a"));
        }
    }

    #[test]
    fn error_and_warning_are_messages_of_the_model() {
        let reading = read("#error never  do \"this\"\nx");
        let (report, place) = reading.only("P0019");
        assert_eq!((report.message.as_str(), place), ("#error never do \"this\"", "#error never  do \"this\""));
        assert!(report.is_error());
        assert_eq!(reading.words(), "x");
        assert!(!read("#warning careful").only("P0019").0.is_error());
        check("#if 0\n#error no\n#endif", "");
    }

    #[test]
    fn directives_that_say_nothing_about_the_model_are_ignored() {
        check("#\n#line 3 \"x\"\n#pragma once\n# 12 \"file\" 1\n#ident \"x\"\na", "a");
    }

    #[test]
    fn an_unknown_directive_is_an_error_with_a_suggestion() {
        let reading = read("#defin N 1\nx");
        let (report, place) = reading.only("P0010");
        assert_eq!((place, reading.words().as_str()), ("#defin", "x"));
        assert_eq!(report.help[0], "did you mean `#define`?");
        read("#!").only("P0010");
        check("#if 0\n#nonsense\n#endif", "");
    }

    // Included files

    #[test]
    fn included_files_are_read_in_place() {
        let files = [("a.h", "#define N 3\ninner\n"), ("b.h", "#include <a.h>\nN")];
        let reading =
            read_with("#define B <b.h>\nx\n#include B\ny N\n#include \"a.h\" z\n", &Options::default(), &files);
        assert_eq!(reading.words(), "x inner 3 y 3 inner");
        assert!(reading.diagnostics.is_empty());
        assert_eq!(reading.sources.describe(reading.tokens[1].span), "a.h:2:1");
        assert_eq!(reading.sources.describe(reading.tokens[4].spelled), "a.h:1:11");
        assert_eq!(reading.sources.files().len(), 3, "a file that is included twice is stored once");
    }

    #[test]
    fn a_file_that_cannot_be_included_is_an_error() {
        let reading = read("#include \"gone.h\"\nx");
        assert_eq!(reading.only("P0016").1, "\"gone.h\"");
        assert_eq!(reading.words(), "x");
        for text in ["#include", "#include gone", "#include \"", "#include \"\"", "#include <a"] {
            read(text).only("P0010");
        }
    }

    #[test]
    fn endless_inclusion_stops_with_one_error() {
        let twice = "x\n#include \"main.pml\"\n#include \"main.pml\"\n";
        let reading = read_with(twice, &Options::default(), &[("main.pml", twice)]);
        reading.only("P0017");
        assert_eq!(reading.tokens.len(), 1 + 1 + MAX_INCLUDES);
        let guarded = "#ifndef G\n#define G\n#include \"g.h\"\nonce\n#endif\n";
        let reading = read_with("#include \"g.h\"\n", &Options::default(), &[("g.h", guarded)]);
        assert_eq!((reading.words().as_str(), reading.codes()), ("once", vec![]));
    }

    #[test]
    fn inclusion_that_ends_but_takes_too_long_is_stopped() {
        let names: Vec<String> = (0..=60).map(|n| format!("f{n}")).collect();
        let texts: Vec<String> = (1..=61).map(|n| format!("#include \"f{n}\"\n#include \"f{n}\"\n")).collect();
        let mut files: Vec<(&str, &str)> = names.iter().zip(&texts).map(|(n, t)| (n.as_str(), t.as_str())).collect();
        files.push(("f61", ""));
        let options = Options { max_tokens: 100_000, ..Options::default() };
        read_with("#include \"f0\"", &options, &files).only("P0018");
    }

    #[test]
    fn the_disk_loader_looks_next_to_the_file_and_then_in_the_directories() {
        let root = std::env::temp_dir().join(format!("highwater-includes-{}", std::process::id()));
        let (here, there) = (root.join("here"), root.join("there"));
        fs::create_dir_all(&here).unwrap();
        fs::create_dir_all(&there).unwrap();
        fs::write(here.join("a.h"), "here").unwrap();
        fs::write(there.join("a.h"), "there").unwrap();
        fs::write(there.join("b.h"), b"b\xff").unwrap();
        let mut loader = DiskLoader::new(vec![there.clone()]);
        let main = here.join("main.pml").display().to_string();
        let mut load = |name: &str, quoted: bool| loader.load(name, quoted, &main);
        assert_eq!(load("a.h", true), Ok((here.join("a.h").display().to_string(), String::from("here"))));
        assert_eq!(load("a.h", false).unwrap().1, "there");
        assert_eq!(load("b.h", true).unwrap().1, "b\u{fffd}");
        assert!(load("gone.h", true).unwrap_err().contains("gone.h"));
        assert!(load("../there", true).is_err(), "a directory is no file");
        assert!(DiskLoader::default().load("a.h", false, &main).is_err());
        fs::remove_dir_all(&root).unwrap();
    }

    // Limits

    /// Doubles its body sixty times.
    fn bomb(first: &str) -> String {
        let lines = (0..60).map(|n| format!("#define A{} A{n} A{n}\n", n + 1));
        format!("#define A0 {first}\n{}", lines.collect::<String>())
    }

    /// Calls a macro in its own argument.
    fn nested(open: &str, depth: usize, inside: &str) -> String {
        format!("{}{inside}{}", open.repeat(depth), ")".repeat(depth))
    }

    #[test]
    fn macro_bombs_are_stopped_with_one_error() {
        let wide = format!("#define F(x) {}\nF({})", "x ".repeat(10_000), "y ".repeat(10_000));
        for text in [
            format!("{}A60", bomb("x")),
            format!("{}A60", bomb("")),
            format!("{}#if A60\n#endif", bomb("0 +")),
            format!("#define F(x) x x\n{}", nested("F(", 60, "y")),
            format!("#define J(x) x ## x\n#define F(x) J(x)\n{}", nested("F(", 60, "y")),
            format!("#define Q(x) #x\n#define F(x) Q(x)\n{}", nested("F(", 60, "\"\"")),
            format!("#define N {}\n#define Q(x) #x\n#define F(x) Q(x)\nF({})", "n".repeat(10_000), "N ".repeat(10_000)),
            wide,
        ] {
            let options = Options { max_tokens: 100_000, ..Options::default() };
            let reading = read_with(&text, &options, &[]);
            reading.only("P0018");
            assert!(reading.tokens.len() <= 100_001);
        }
    }

    #[test]
    fn a_model_with_too_many_tokens_is_refused() {
        let options = Options { max_tokens: 3, ..Options::default() };
        assert_eq!(read_with("a b c", &options, &[]).codes(), Vec::<&str>::new());
        let reading = read_with("a b c d e", &options, &[]);
        assert_eq!((reading.only("P0018").1, reading.words().as_str()), ("d", "a b c"));
    }

    #[test]
    fn reading_stops_at_the_deadline() {
        let deadline = Instant::now().checked_sub(Duration::from_millis(1)).or(Some(Instant::now()));
        let options = Options { deadline, ..Options::default() };
        read_with("a b c", &options, &[]).only("P0018");
        read_with(&format!("{}A60", bomb("")), &options, &[]).only("P0018");
    }

    #[test]
    fn a_message_shows_only_the_beginning_of_a_long_text() {
        let long = "9".repeat(100_000);
        for text in
            [long.clone(), format!("{long}x"), format!("#{long}"), format!("#error {long}"), format!("#if {long}")]
        {
            let reading = read(&text);
            assert!(reading.diagnostics.iter().all(|report| report.message.len() < 300), "{:?}", reading.diagnostics);
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = format!("#if {}\nyes\n#endif", nested("(", 20_000, "1"));
        check(&deep, "yes");
        check(&format!("#if {}1\nyes\n#endif", "!!".repeat(20_000)), "yes");
        check(&format!("#if {}1{}\nyes\n#endif", "1 ? ".repeat(20_000), " : 0".repeat(20_000)), "yes");
        check(&format!("{}{}", "#if 0\n".repeat(20_000), "#endif\n".repeat(20_000)), "");
        check(&format!("{}x{}", "#if 1\n".repeat(20_000), "\n#endif".repeat(20_000)), "x");
        let chain: String = (0..20_000).map(|n| format!("#define A{n} A{}\n", n + 1)).collect();
        check(&format!("{chain}A0"), "A20000");
        check(&format!("#define F(x) x\n{}", nested("F(", 150, "1")), "1");
        read(&format!("#define F(x) x\n{}", nested("F(", 20_000, "y"))).only("P0018");
        read(&format!("#define F(x) x\n{}", "F(".repeat(20_000))).only("P0014");
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
        let mut random = 1u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..24 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(bits[(random >> 33) as usize % bits.len()]);
            }
            let options = Options { max_tokens: 2_000, ..Options::default() };
            let reading = read_with(&text, &options, &[("main.pml", &text)]);
            for report in &reading.diagnostics {
                reading.sources.describe(report.primary.span);
            }
        }
    }
}

//! Parsing, on a stack that is deep enough.
//!
//! The parser is a recursive descent with a dozen frames for each level of nesting, and the lowering recurses with the
//! tree. Each runs on a thread of its own whose stack holds the deepest text that `text` lets through. The parser cannot be
//! interrupted: when the time is over, its thread is left to itself, and ends in time that is linear in the text.

use crate::codes::Say;
use crate::dollars::Renamed;
use crate::places::Places;
use crate::text::blank;
use crate::{Input, Options, Program, lower};
use lang_c::ast::TranslationUnit;
use lang_c::driver::{Config, Flavor, SyntaxError, parse_preprocessed};
use lang_c::span::Span as Place;
use model::budget::Budget;
use model::diagnostic::Diagnostic;
use model::reason::Reason;
use model::source::Span;
use std::mem::ManuallyDrop;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// Bytes of stack; the system gives them only as they are used.
const STACK: usize = 1 << 30;
/// How often the budget is looked at beside the parser.
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);
/// What is said where the system has no room for it.
pub(crate) const NO_ROOM: &str = "there is no room for the parser's stack";

/// Runs something on a deep stack; `None` if there is no room for one.
pub(crate) fn with_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok()?;
        match thread.join() {
            Ok(result) => Some(result),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// A unit that was parsed. Dropping the tree needs a deep stack, too: only [`lower_unit`] does that.
pub(crate) struct Parsed {
    unit: ManuallyDrop<TranslationUnit>,
    facts: lower::Facts,
    renamed: Renamed,
}

/// Parses a unit.
pub(crate) fn parse_unit(input: &Input, places: &Places, budget: &Budget) -> Result<Parsed, Box<Diagnostic>> {
    let parsed = input.preprocessed.as_ref().unwrap_or(&input.text);
    let blanked = blank(parsed);
    let place = |start: usize, end: usize| places.span(Place::span(start, end));
    if let Some(at) = blanked.absurd {
        return Err(Box::new(Say::Nesting.at(place(at, at + 1), "this text is nested too deeply")));
    }
    if let Some(at) = blanked.directive {
        let diagnostic = Say::NoCompiler.at(place(at, at + 1), "this text needs a preprocessor");
        return Err(Box::new(diagnostic.help("install a C compiler: `cc`, `gcc` or `clang`")));
    }
    if let Some((at, name)) = strange_attribute(&blanked.text) {
        let message = format!("the attribute `{name}` changes what the program does, and is not modelled");
        return Err(Box::new(Say::Construct.at(place(at, at + name.len()), message)));
    }
    let names = |words: &[&str]| words.iter().any(|word| blanked.text.contains(word));
    let odd_layouts = names(&["packed", "__mode__", "_Alignas"])
        || ["aligned", "#pragma pack"].iter().any(|w| input.text.contains(w));
    let has_error_call = names(&["__VERIFIER_error", "reach_error"]);
    let facts = lower::Facts { has_error_call, odd_layouts, has_volatile: names(&["volatile"]) };
    match parse_within(blanked.text, budget) {
        Ok(Ok(unit)) => Ok(Parsed { unit, facts, renamed: blanked.renamed }),
        Ok(Err(error)) => Err(Box::new(syntax_error(&error, places))),
        Err(stopped) => Err(Box::new(match stopped {
            Some(reason) => Say::Limit.at(place(0, 1), format!("reading stopped here: {reason}")),
            None => Say::Nesting.at(Span::NONE, NO_ROOM),
        })),
    }
}

/// The tree of a text, or what is wrong with the text.
type Tree = Result<ManuallyDrop<TranslationUnit>, SyntaxError>;

/// Parses a text, unless a limit is reached first; `None` if there is no room for the stack.
fn parse_within(text: String, budget: &Budget) -> Result<Tree, Option<Reason>> {
    let (sender, receiver) = std::sync::mpsc::channel();
    let parse = move || {
        let config = Config { cpp_command: String::new(), cpp_options: Vec::new(), flavor: Flavor::GnuC11 };
        let tree = parse_preprocessed(&config, text).map(|parsed| ManuallyDrop::new(parsed.unit));
        if let Err(unheard) = sender.send(tree) {
            drop(unheard.0.map(ManuallyDrop::into_inner));
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(parse).map_err(|_| None)?;
    loop {
        match receiver.recv_timeout(BETWEEN_LOOKS) {
            Ok(tree) => return Ok(tree),
            Err(RecvTimeoutError::Timeout) => budget.check().map_err(Some)?,
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    match thread.join() {
        Err(panic) => std::panic::resume_unwind(panic),
        Ok(()) => Err(Some(Reason::Internal(String::from("the parser has no result")))),
    }
}

/// Lowers a unit, on a deep stack; `None` if there is no room for one.
pub(crate) fn lower_unit(parsed: Parsed, places: &Places, options: &Options) -> Option<Parts> {
    with_deep_stack(move || {
        let Parsed { unit, facts, renamed } = parsed;
        let unit = ManuallyDrop::into_inner(unit);
        let seen = |names: &[String]| names.iter().map(|name| renamed.seen(name)).collect();
        let options = Options {
            entries: seen(&options.entries),
            external: seen(&options.external),
            error_labels: seen(&options.error_labels),
            ..options.clone()
        };
        let (mut program, mut diagnostics) = lower::lower(&unit, places, &options, facts);
        renamed.restore(&mut program, &mut diagnostics);
        (program, diagnostics)
    })
}

/// What reading gives: a program unless there was an error, and what there is to say.
type Parts = (Option<Program>, Vec<Diagnostic>);

/// Attributes that make something happen, or that make a type another one. All others are hints.
/// An argument for a transparent union is refused where it stands.
const STRANGE: [&str; 7] = ["vector_size", "ext_vector_type", "cleanup", "constructor", "destructor", "alias", "ifunc"];

/// The first such attribute of a text: its place and its name.
fn strange_attribute(text: &str) -> Option<(usize, &str)> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices("__attribute").find_map(|(start, _)| {
        let rest = &text[start..];
        let (mut depth, mut end) = (0_usize, rest.len());
        for (at, c) in rest.char_indices() {
            match c {
                '(' => depth += 1,
                ')' if depth <= 1 => {
                    end = at;
                    break;
                }
                ')' => depth -= 1,
                ';' | '{' => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        let list = &rest[..end];
        let words = list.match_indices(word).filter(|(at, _)| !list[..*at].ends_with(word));
        words
            .map(|(at, _)| (at, list[at..].split(|c| !word(c)).next().unwrap_or("")))
            .find(|(_, name)| STRANGE.contains(&name.trim_matches('_')))
            .map(|(at, name)| (start + at, name))
    })
}

fn syntax_error(error: &SyntaxError, places: &Places) -> Diagnostic {
    let rest = error.source.get(error.offset..).unwrap_or("");
    let blanks = rest.len() - rest.trim_start().len();
    let rest = rest.trim_start();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let length = match rest.chars().next() {
        Some(c) if word(c) => rest.find(|c: char| !word(c)).unwrap_or(rest.len()),
        Some(c) => c.len_utf8(),
        None => 0,
    };
    let start = error.offset + blanks;
    let found = rest.get(..length).unwrap_or("");
    let message = match found {
        "" => String::from("the text ends too early"),
        found => format!("unexpected `{found}`"),
    };
    let mut expected: Vec<&str> = error.expected.iter().copied().filter(|word| !word.contains('[')).collect();
    expected.sort_unstable();
    let diagnostic = Say::Syntax.at(places.span(Place::span(start, start + length.max(1))), message);
    match expected.len() {
        1..=6 => diagnostic.label(format!("expected {}", expected.join(", "))),
        _ => diagnostic,
    }
}

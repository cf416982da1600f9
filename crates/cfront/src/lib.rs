//! Concurrent C: source text to typed control-flow graphs, and an interpreter for them.
//!
//! * In: a translation unit, preprocessed where it needs to be ([`preprocess`]), and [`Options`].
//! * Out: [`read`] gives a [`Program`]: for each component, a procedure with all that it calls, one flat graph over scalar
//!   variables ([`program`]), whose expressions are bit vectors without side effects ([`term`]); or diagnostics.
//!   [`interpret`] runs a component on given inputs: what it does is the meaning of the graph. [`witness`] writes a C file
//!   that does the same run when it is compiled.
//!
//! The way through: `text` (blank comments), `parse` (lang-c), `lower` (statements and expressions to a graph with
//! symbolic memory), `resolve` (pointers to case splits), `simplify` (the graph gets small). Only [`preprocess`] starts a
//! process or reads a file; nothing here prints.
//!
//! # The reading
//!
//! * Integers are the machine's: two's complement, widths by [`DataModel`], unsigned and signed arithmetic wraps. With
//!   [`Options::signed_overflow_is_error`] a signed result that does not fit is an error of the program. Conversion to a
//!   smaller type wraps. `char` is signed. Division by zero, the lowest number divided by -1, and shifts by as many bits
//!   as there are, are errors.
//! * Operands are evaluated from left to right, the right-hand side of an assignment before its left.
//! * A local without a value has any value. So has a parameter of the component's own procedure, but a pointer there
//!   points to an object of its own, which holds any values.
//! * A pointer is null or an address of a known object. Access through any other is an error, and so is arithmetic that
//!   leaves the object. When the lifetime of an object ends, every pointer to it gets any value. An address has no value as
//!   an integer: such conversions are refused.
//! * A routine without a body is an event. Its result and everything that its pointer arguments reach get any values, and so
//!   does at each later call of such a routine what addresses have been given away (`resolve/escapes`); it does not touch
//!   other variables, nor numbers that its prototype says are constant. One that
//!   is declared not to return ends the run. A run in which a routine of the C library does what it never does is none
//!   ([`standard`]).
//! * Every read of a volatile variable has a value of its own.
//! * `__VERIFIER_error` and `reach_error` are errors by name; the label `ERROR` is one in a unit that has neither.
//!
//! * A call through a pointer is one of a function of this unit whose address is taken, or an error.
//! * A jump over a declaration leaves its variable with any value.
//!
//! What cannot be modelled is refused with its place: floating-point values in use, unions, bit-fields, the heap, recursion,
//! procedures that a routine without a body could call, threads, inline assembler.

mod build;
pub mod codes;
pub mod display;
mod dollars;
pub mod interpret;
mod lower;
mod parse;
mod patience;
mod places;
pub mod preprocess;
mod process;
pub mod program;
mod resolve;
mod simplify;
pub mod standard;
pub mod term;
mod text;
mod types;
pub mod witness;

pub use program::{Component, Program};
pub use types::DataModel;

use model::budget::Budget;
use model::diagnostic::Diagnostic;
use model::source::SourceMap;
use std::collections::BTreeMap;

/// How a unit is read.
#[derive(Clone, Debug)]
pub struct Options {
    /// The widths of the integer types.
    pub data_model: DataModel,
    /// Whether a signed result that its type cannot hold is an error of the program.
    pub signed_overflow_is_error: bool,
    /// The procedures that become components.
    pub entries: Vec<String>,
    /// Routines that are events even if they have a body.
    pub external: Vec<String>,
    /// Variables outside of procedures that other components use, too. Each load of one is an edge of its own, which puts
    /// [any value](program::Cause::Shared) into a temporary, and each store is an edge of its own.
    pub shared: Vec<String>,
    /// Whether [`program::Object::loaded`] tells what loads through pointers may load.
    pub marks_loads: bool,
    /// Labels that must not be reached, in a unit that calls no error routine.
    pub error_labels: Vec<String>,
    /// How many calls of a procedure inside of its own calls are followed; deeper ones are [`ErrorKind::Recursion`]. With
    /// 0 recursion is refused. Fewer are followed where the graph would get too large.
    ///
    /// [`ErrorKind::Recursion`]: program::ErrorKind::Recursion
    pub recursion: usize,
    /// When to give up, with the message C0005. States and depth mean nothing here.
    pub budget: Budget,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            data_model: DataModel::Ilp32,
            signed_overflow_is_error: false,
            entries: vec![String::from("main")],
            external: Vec::new(),
            shared: Vec::new(),
            marks_loads: false,
            error_labels: vec![String::from("ERROR")],
            recursion: 0,
            budget: Budget::unlimited(),
        }
    }
}

/// A translation unit: the text as its author wrote it, and as the preprocessor left it.
#[derive(Clone, Debug)]
pub struct Input {
    /// The name of the file.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The text after the preprocessor, with line markers; `None` if it needs none.
    pub preprocessed: Option<String>,
    /// The files that the markers name, with their texts.
    pub included: Vec<(String, String)>,
    /// The macros without arguments that have one meaning, as the preprocessor says.
    pub macros: BTreeMap<String, String>,
}

impl Input {
    /// A text that needs no preprocessor.
    pub fn plain(name: impl Into<String>, text: impl Into<String>) -> Self {
        Input {
            name: name.into(),
            text: text.into(),
            preprocessed: None,
            included: Vec::new(),
            macros: BTreeMap::new(),
        }
    }
}

/// A unit that was read, with what there is to say about it.
#[derive(Debug)]
pub struct Read {
    /// The program; `None` if there was an error.
    pub program: Option<Program>,
    /// The texts that it was read from.
    pub sources: SourceMap,
    /// Errors, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// More diagnostics than this are not shown.
const SHOWN: usize = 50;

/// Reads a translation unit.
pub fn read(input: &Input, options: &Options) -> Read {
    let (places, sources) = places::Places::new(input);
    let (program, mut diagnostics) = match parse::parse_unit(input, &places, &options.budget) {
        Err(diagnostic) => (None, vec![*diagnostic]),
        Ok(parsed) => parse::lower_unit(parsed, &places, options)
            .unwrap_or_else(|| (None, vec![codes::Say::Nesting.at(model::source::Span::NONE, parse::NO_ROOM)])),
    };
    diagnostics.sort_by_key(|d| (d.primary.span.file, d.primary.span.start));
    diagnostics.dedup();
    diagnostics.truncate(SHOWN);
    let program = program.filter(|_| !diagnostics.iter().any(Diagnostic::is_error));
    Read { program, sources, diagnostics }
}

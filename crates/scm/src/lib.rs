//! Communicating machines (`.scm`, `.cfsm`) → model, and back.
//!
//! * In: a text in the format of McScM or of KMC, or a network whose data are finite.
//! * Out: [`read`] and [`read_cfsm`] give a [`model::network::Network`] and the [`Specification`] of its bad configurations, with
//!   diagnostics; [`read_bad`] reads more of those from a line; [`print()`] writes such a network as a text; [`fold()`]
//!   turns a network with finite local data, such as one read from Promela, into plain communicating machines;
//!   [`families`] writes well-known protocols of any size.
//!
//! The way through: `lexer`, `parse`, `lower`; `cfsm` parses KMC's format into the same tree. This crate never reads a file and never prints, and the semantics of
//! what it builds is that of [`model::semantics`].
//!
//! # The language
//!
//! ```text
//! model     := "scm" ID ":" channels "parameters" ":" {("real"|"int") ID ["=" expr] ";"}
//!              automaton+ ["bad_states" ":" bad*]
//! channels  := "nb_channels" "=" INT ";" ["lossy" ":" CHANNEL {"," CHANNEL}]
//!            | "channels" ":" ["lossy"] ID {"," ["lossy"] ID} ";"                  (ours)
//! automaton := "automaton" ID ":" {"int" ID ["=" expr] ";"} "initial" ":" STATE {"," STATE} state*
//! state     := "state" STATE ":" trans*
//! trans     := "to" STATE ":" ["when" expr] [","] [CHANNEL ("!"|"?") ID] ["with" ID "=" expr {"," ID "=" expr}] ";"
//! bad       := "(" ("automaton" ID ":" ("in" STATE [":" expr])+)* ["with" language] ")"
//! language  := re | CHANNEL ":" re {"," CHANNEL ":" re}                            (the second is ours)
//! re        := ID | "_" | "#" | re "." re | re "|" re | re "^*" | re "^+" | "(" re ")"
//! STATE     := INT | ID (ours)          CHANNEL := INT | ID (ours)
//! ```
//!
//! The parameters are the messages. A transition does at most one thing to one channel; `when true ;` is an internal
//! step. In a bad configuration, several `in` of one automaton mean *or*, several automata *and*, several parentheses a
//! union; an automaton that is not named is free. A regular expression speaks of all queues at once and has one
//! separator `#` less than there are channels; `.` binds tighter than `|`; a blank side is the empty word. Comments are
//! `/* */` and `//`.
//!
//! What we added, all of it optional: names for states and channels; `channels : up, lossy down ;`; leaving out
//! `when true ,` in a transition and `: true` in a bad state; a language for some of the channels, `with up : c.c^*`,
//! where the others may hold anything; bad queues without naming an automaton.
//!
//! # Data
//!
//! Variables of an automaton are 32-bit integers (`int`), and start with 0 unless a constant is given; guards and
//! assignments are C's. A parameter with a value is a constant in expressions. `real` variables are refused, since
//! their values are not finitely many. When one transition assigns a variable and a later assignment of the same
//! transition reads it, it is refused as well: whether it reads the old or the new value is nowhere written down.
//!
//! # Several initial states
//!
//! A network has one initial state. An automaton with several begins in a location of its own, [`START`], from which an
//! internal step leads to each of them. So a run says which one it begins with, and has a step more for each such automaton.
//! What is asked of the file has the same answer: in `START` an automaton can move, and can do so whatever the others do. A
//! configuration with one there is no deadlock and no end; if it is bad, then so is the one after the step, since no
//! bad state names `START`; and what another machine waits for does not depend on it.

mod ast;
mod cfsm;
pub mod codes;
pub mod families;
pub mod fold;
mod lexer;
mod lower;
mod parse;
mod print;
mod specification;

pub use fold::{Folded, fold};
pub use print::{NotExpressible, print};
pub use specification::{Allowed, Bad, QueueLanguage, Regex, Specification};

use model::diagnostic::Diagnostic;
use model::network::Network;
use model::source::{FileId, SourceMap};

/// What a file says: the system, and what must not happen to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Model {
    /// The system.
    pub network: Network,
    /// The bad configurations.
    pub specification: Specification,
}

/// The label of the location in which an automaton with several initial states begins. No state of a file can have it.
pub const START: &str = "(start)";

/// A model that was read, with what there is to say about it.
#[derive(Debug)]
pub struct Read {
    /// The model; `None` if there was an error.
    pub model: Option<Model>,
    /// The text it was read from.
    pub sources: SourceMap,
    /// Errors and warnings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a model from a text in McScM's format (`.scm`).
pub fn read(name: &str, text: &str) -> Read {
    read_by(name, text, |file, text, diagnostics| {
        let tokens = lexer::tokenize(file, text, diagnostics);
        if has_errors(diagnostics) { ast::File::default() } else { parse::parse(&tokens, diagnostics) }
    })
}

/// Reads a model from a text in KMC's format (`.cfsm`).
pub fn read_cfsm(name: &str, text: &str) -> Read {
    read_by(name, text, cfsm::parse)
}

fn read_by(name: &str, text: &str, parse: impl FnOnce(FileId, &str, &mut Vec<Diagnostic>) -> ast::File) -> Read {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let mut diagnostics = Vec::new();
    let tree = parse(file, text, &mut diagnostics);
    let model = if has_errors(&diagnostics) { None } else { lower::lower(&tree, &mut diagnostics) };
    diagnostics.sort_by_key(|d| (d.primary.span.file, d.primary.span.start));
    Read { model, sources, diagnostics }
}

/// A set of bad configurations that was read, with what there is to say about it.
#[derive(Debug)]
pub struct ReadBad {
    /// The bad configurations; `None` if there was an error.
    pub bad: Option<Bad>,
    /// The text it was read from; the spans of the configurations lie in it.
    pub sources: SourceMap,
    /// Errors, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a set of bad configurations in a line, for a network of plain machines: `client@1|2 && server@idle`, and
/// after `with` a language of queues as in a file. States are labels of locations; those of a folded network are the
/// labels of the original as well.
pub fn read_bad(name: &str, text: &str, network: &Network) -> ReadBad {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let mut diagnostics = Vec::new();
    let tokens = lexer::tokenize(file, text, &mut diagnostics);
    let mut bad = None;
    if !has_errors(&diagnostics) {
        let tree = parse::parse_bad(&tokens, &mut diagnostics);
        bad = tree.and_then(|tree| lower::lower_short(&tree, network, &mut diagnostics));
    }
    diagnostics.sort_by_key(|d| d.primary.span.start);
    ReadBad { bad, sources, diagnostics }
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

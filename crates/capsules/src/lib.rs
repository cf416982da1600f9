//! UML-RT: capsules with ports, protocols and state machines (`.art`, `.room`) → model.
//!
//! * In: the text of a file in Art or ROOM, with those beside it that belong to the same model.
//! * Out: [`read`] gives a [`model::network::Network`], with diagnostics.
//!
//! Stages: `lexer`, `parse` (one parser per language, one tree), `resolve` (names, inheritance, instances and connectors),
//! `lower`. This crate never reads a file and never prints; the semantics of what it builds is that of [`model::semantics`].
//!
//! # Art
//!
//! ```text
//! file     := {snippet | ["abstract"] [template] ("capsule" | "class") class | "protocol" protocol | ";"}
//! protocol := ID [props] [":" ID] "{" {snippet | ("in" | "out") ["redefine"] ID "(" [code] ")" ,.. ";"} "}" [";"]
//! class    := ID [props] [":" (ID | code) ,..] "{" {snippet | port | part | connect | machine} "}" [";"]
//! port     := {service | behavior | notify | unwired | publish | subscribe} "port"
//!             ["redefine" | "exclude"] ID ["~"] [props] [":" ID ["[" n "]"]] ,.. ";"
//! part     := {fixed | optional | plugin} "part" ["redefine" | "exclude"] ID [props] [":" ID ["[" n [".." n] "]"]] ,.. ";"
//! connect  := "connect" [ID "."] ID "with" [ID "."] ID ,.. ";"
//! machine  := "statemachine" "{" region "}" [";"]
//! region   := {"state" ["redefine" | "exclude"] ID [props] ["{" region "}"] ,.. ";" | ("entry" | "exit") code ";"
//!             | ("choice" | "junction" | "entrypoint" | "exitpoint") ID ,.. ";" | "exclude" ID ";" | trans}
//! trans    := ["redefine"] [ID ":"] [vertex "->" vertex] ["on" trigger ,..] ["when" code] [code] ";"
//! trigger  := ID "." (ID | "*") ["[" code "]"] | ID "(" {code [ID]} ")"
//! vertex   := "initial" | "history" ["*"] | ID {"." ID}
//! code     := "`" .. "`"        props := "[[rt::properties(" .. ")]]"        snippet := "[[rt::" ID "]]" code
//! ```
//!
//! ROOM has the grammar that eTrice publishes (`Room.xtext`, `FSM.xtext`). No word is reserved in either language.

mod action;
mod ast;
pub mod codes;
mod lexer;
mod lower;
mod parse;
mod questions;
mod resolve;
mod threads;

pub use lexer::Dialect;
pub use questions::{is_question, question};
pub use threads::{Controller, Threads, configured};

use ast::File;
use model::diagnostic::Diagnostic;
use model::network::Network;
use model::source::{FileId, SourceMap, Span};
use resolve::{Instances, Library, Messages};

/// What Art knows without a declaration.
const PREDEFINED: &str = "
protocol Timing { in timeout(); };
protocol External { in event(); };
protocol Log {};
protocol Frame {};
protocol Exception { in error(); in arithmeticError(); in userError(); };
";

/// A text with the name of its file.
#[derive(Clone, Debug)]
pub struct Text {
    /// The name of the file.
    pub name: String,
    /// What it contains.
    pub text: String,
}

/// A model that was read, with what there is to say about it.
#[derive(Debug)]
pub struct Read {
    /// The model; `None` if there was an error.
    pub network: Option<Network>,
    /// The texts it was read from.
    pub sources: SourceMap,
    /// Errors and warnings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a model: a file, those beside it, the name of the top capsule if it is known, and which threads run it.
///
/// In Art all of them belong to the model. In ROOM those do that the file imports, or that an imported file imports.
pub fn read(dialect: Dialect, own: &Text, beside: &[Text], top: Option<&str>, threads: &Threads) -> Read {
    let mut reader = Reader { dialect, sources: SourceMap::new(), diagnostics: Vec::new() };
    let mut files = vec![reader.parse(&own.name, &own.text)];
    match dialect {
        Dialect::Art => files.extend(beside.iter().map(|text| reader.parse(&text.name, &text.text))),
        Dialect::Room => reader.imports(&mut files, beside),
    }
    if dialect == Dialect::Art {
        files.push(reader.parse("<predefined>", PREDEFINED));
    }
    let Reader { sources, mut diagnostics, .. } = reader;
    let mut network = None;
    if !has_errors(&diagnostics) {
        network = lowered(&files, top, threads, &mut diagnostics);
    }
    if has_errors(&diagnostics) {
        network = None;
    }
    diagnostics.sort_by_key(|d| (d.primary.span.file, d.primary.span.start));
    Read { network, sources, diagnostics }
}

fn lowered(files: &[File], top: Option<&str>, threads: &Threads, diagnostics: &mut Vec<Diagnostic>) -> Option<Network> {
    let mut messages = Messages::new(diagnostics);
    let library = Library::new(files, &mut messages);
    resolve::check(&library, FileId(0), &mut messages);
    if messages.any() {
        return None;
    }
    let top = resolve::top(&library, top, Span::NONE, &mut messages)?;
    let instances = Instances::new(&library, top, &mut messages);
    instances.classes.iter().for_each(|class| lower::reject(class, &mut messages));
    if messages.any() {
        return None;
    }
    lower::lower(&library, &instances, threads, &mut messages)
}

struct Reader {
    dialect: Dialect,
    sources: SourceMap,
    diagnostics: Vec<Diagnostic>,
}

impl Reader {
    fn parse(&mut self, name: &str, text: &str) -> File {
        let file = self.sources.add(name, text);
        let before = self.diagnostics.len();
        let tokens = lexer::tokenize(self.dialect, file, text, &mut self.diagnostics);
        // What follows an unclosed string or unknown characters is noise.
        if self.diagnostics.len() > before {
            return File::default();
        }
        parse::parse(self.dialect, &tokens, &mut self.diagnostics)
    }

    /// Adds the files that are imported, as long as there are new ones.
    fn imports(&mut self, files: &mut Vec<File>, beside: &[Text]) {
        let mut left: Vec<&Text> = beside.iter().collect();
        loop {
            let wanted: Vec<String> = files.iter().flat_map(|file| file.imports.clone()).collect();
            let is_wanted = |text: &&Text| {
                model_name(&text.text).is_some_and(|name| {
                    let prefix = format!("{name}.");
                    wanted.iter().any(|import| import.starts_with(&prefix))
                })
            };
            let Some(next) = left.iter().position(is_wanted) else { return };
            let text = left.remove(next);
            files.push(self.parse(&text.name, &text.text));
        }
    }
}

/// The name of the model in a text of ROOM, without reading the rest.
fn model_name(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("RoomModel")?;
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
    Some(&rest[..end])
}

/// The top capsule that a build file names: the `topCapsule` of a `.tcjs` of Art, the logical system of a mapping (`.etmap`) of ROOM.
pub fn top_capsule(dialect: Dialect, build_file: &str) -> Option<&str> {
    if dialect == Dialect::Room {
        let mut words = build_file.split_whitespace().skip_while(|word| *word != "Mapping");
        return words.nth(1).filter(|_| words.next() == Some("->"));
    }
    let line = build_file.lines().find(|line| {
        let line = line.trim_start();
        !line.starts_with("//") && line.split('=').next().is_some_and(|left| left.trim_end().ends_with(".topCapsule"))
    })?;
    let (_, value) = line.split_once('=')?;
    let quote = value.chars().find(|c| matches!(c, '\'' | '"'))?;
    value.split(quote).nth(1)
}

/// Whether a build file of Art lets C++ create the capsules (`capsuleFactory`): which classes there are is not known then.
pub fn has_factory(build_file: &str) -> bool {
    let sets = |line: &&str| line.split('=').next().is_some_and(|left| left.trim_end().ends_with(".capsuleFactory"));
    build_file.lines().map(str::trim_start).filter(|line| !line.starts_with("//")).any(|line| sets(&line))
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

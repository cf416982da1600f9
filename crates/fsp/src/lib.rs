//! Labelled Kripke structures from text: FSP with propositions on states, and Aldebaran's `.aut`.
//!
//! * In: a text, and a way to read the files that it names ([`read`]), or one `.aut` file ([`read_aut`]).
//! * Out: a [`Composition`], with diagnostics. [`print()`] and [`print_aut`] are the way back, [`show`] is for people.
//!
//! FSP is Magee and Kramer's notation (*Concurrency: State Models and Java Programs*), read as their tool LTSA does:
//!
//! ```text
//! file      := { const | range | set | process | composite | fluent | formula | progress }
//! const     := "const" N "=" expr        range := "range" R "=" expr ".." expr        set := "set" S "=" labels
//! process   := {word} P ["(" N "=" expr {"," N "=" expr} ")"] clause {"," Q clause}
//!              ["+" labels] ["/" relabels] [("\" | "@") labels] "."
//!            | P "=" "file.aut" ..  "."                                                (ours)
//! clause    := {index} ["{" labels "}"] "=" body                                       (propositions are ours)
//! body      := "(" choice {"|" choice} ")" | "if" expr "then" body ["else" body]
//!            | Q {"[" expr "]"} | "STOP" | "END" | "ERROR" | P [args] ";" body
//! choice    := ["when" expr] label "->" {label "->"} body
//! composite := {word} "||" S [params] "=" system ["/" relabels] [("<<" | ">>") labels] [("\" | "@") labels] "."
//! word      := "property" | "deterministic" | "minimal" | "compose"
//! system    := "(" system {"||" system} ")" | "forall" {index} system | "if" expr "then" system ["else" system]
//!            | [label "::"] [label ":"] (P [args] | "(" .. ")") ["/" relabels]
//! relabels  := "{" relabel {"," relabel} "}"    relabel := label "/" label | "forall" {index} relabels
//! label     := part {"." part | index}          part := name | number | "{" labels "}" | S | index | "quoted"
//! labels    := "{" label ["\" labels] {"," ..} "}" | S          expr has "'" label: a label as a value
//! index     := "[" expr "]" | "[" [i ":"] (expr ".." expr | R | S | "{" labels "}") "]"
//! fluent    := "fluent" F {index} "=" "<" labels "," labels ">" ["initially" (0 | 1)]
//! formula   := "assert" NAME "=" FORMULA | "ltl" NAME "{" FORMULA "}"
//! progress  := "progress" NAME {index} "=" ["if" labels "then"] labels
//! ```
//!
//! * `a[1]` and `a.1` are one label; it is shown as `a[1]`.
//! * The alphabet of a process has the events of all its local processes, reachable or not, and those after `+`. An index
//!   that leaves its range in a state that can be reached is `ERROR`, with a warning.
//! * Relabelling and hiding apply to a label and to everything that begins with it.
//! * A composition of compositions is one flat list of components; a hidden event gets a number of its own, and is
//!   shown in parentheses.
//! * A `property` has a step to an error for every event of its alphabet that it does not allow.
//! * `Q[i:R]{m[i], hot} = ..` says what holds in the state `Q[i]`. With `a:P` propositions get the prefix `a.`, too.
//!   Components share no propositions (section 3.3 of the MAGIC paper).
//! * What the text means is its last composition; without one, its last process.
//! * Priorities and `deterministic` need the whole composition in front of them, which is made (`product`, `determinise`).
//! * `menu`, `minimal` and `compose` are passed over: the first is for animation, and LTSA's minimisation keeps all that is
//!   checked here (but for steps without a name that go on forever, which it drops).
//!
//! What can get large has a limit: see [`limits`]. Formulas are read by `temporal`; `formula.rs` says what atoms are.

mod asserts;
mod ast;
mod aut;
pub mod codes;
mod context;
mod determinise;
pub mod families;
mod formula;
mod group;
mod lexer;
pub mod limits;
mod lower;
mod names;
mod number;
mod parse;
mod print;
mod process;
mod product;
mod progress;
mod raw;
pub mod show;

pub use print::{NotExpressible, print, print_aut};

use ast::{File, FormulaText, Name};
use context::{Context, Refused};
use group::Part;
use lower::Lowering;
use model::composition::Composition;
use model::diagnostic::{Diagnostic, nearest};
use model::source::{FileId, SourceMap, Span};
use std::rc::Rc;

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Formulas that are not in the text: their names are their texts.
    pub formulas: Vec<String>,
    /// Which composition of the text is meant; the last one if none is named.
    pub system: Option<String>,
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Read {
    /// The composition; `None` if there was an error.
    pub composition: Option<Composition>,
    /// The texts.
    pub sources: SourceMap,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads FSP. `load` reads a file that the text names.
pub fn read(name: &str, text: &str, options: &Options, load: &dyn Fn(&str) -> Result<String, String>) -> Read {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let mut diagnostics = Vec::new();
    let tokens = lexer::tokenize(file, text, &mut diagnostics);
    let mut composition = None;
    if !has_errors(&diagnostics) {
        let tree = parse::parse(&tokens, &mut diagnostics);
        if !has_errors(&diagnostics) {
            composition = composed(&tree, options, load, &mut sources, &mut diagnostics);
        }
    }
    finished(composition, sources, diagnostics)
}

/// Reads one `.aut` file, as a composition of one component.
pub fn read_aut(name: &str, text: &str, options: &Options) -> Read {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let mut diagnostics = Vec::new();
    let tree = File::default();
    let mut context = Context::new(&tree);
    let stem = std::path::Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or(name);
    let read = aut::parse(file, text, &mut context).and_then(|raw| {
        let part = Part::new(Rc::new(raw), stem.to_owned(), Span::new(file, 0, 0));
        number::composition(stem, &[part], &mut context)
    });
    let composition = kept(read, &mut diagnostics).map(|mut composition| {
        let extra = extra_formulas(options, &mut sources);
        formula::add(&mut composition, &tree, &extra, options, &mut diagnostics);
        composition
    });
    finished(composition, sources, diagnostics)
}

fn finished(composition: Option<Composition>, sources: SourceMap, mut diagnostics: Vec<Diagnostic>) -> Read {
    diagnostics.sort_by_key(|d| (d.primary.span.file, d.primary.span.start));
    diagnostics.dedup();
    let composition = composition.filter(|_| !has_errors(&diagnostics));
    Read { composition, sources, diagnostics }
}

fn composed(
    tree: &File,
    options: &Options,
    load: &dyn Fn(&str) -> Result<String, String>,
    sources: &mut SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Composition> {
    Lowering::check_names(tree, diagnostics);
    let system = kept(chosen(tree, options), diagnostics)?;
    if has_errors(diagnostics) {
        return None;
    }
    let extra = extra_formulas(options, sources);
    let mut lowering = Lowering::new(tree, load, sources);
    let parts = lowering.system(system);
    let Some(parts) = kept(parts, diagnostics) else {
        other_errors(tree, &mut lowering, diagnostics);
        return None;
    };
    if parts.is_empty() {
        let error = Diagnostic::error("F0111", system.span, format!("`{}` is made of no process", system.text));
        diagnostics.push(error.help("look at the ranges of its `forall`"));
        return None;
    }
    unused(&lowering, diagnostics);
    let mut composition = kept(number::composition(&system.text, &parts, &mut lowering.context), diagnostics)?;
    formula::add(&mut composition, tree, &extra, options, diagnostics);
    Some(composition)
}

/// The process or composition that is meant.
fn chosen<'t>(tree: &'t File, options: &Options) -> Result<&'t Name, Refused> {
    let mut names = tree.processes.iter().map(|p| &p.name).chain(tree.composites.iter().map(|c| &c.name));
    match &options.system {
        Some(wanted) => names.find(|name| name.text == *wanted).ok_or_else(|| {
            let mut known = tree.processes.iter().map(|p| &p.name).chain(tree.composites.iter().map(|c| &c.name));
            let near = nearest(wanted, known.by_ref().map(|name| name.text.as_str()));
            let error = Diagnostic::error("F0111", Span::NONE, format!("there is no process `{wanted}` in this file"));
            Box::new(match near {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error.help("name one of its processes or compositions"),
            })
        }),
        None => tree.composites.last().map(|c| &c.name).or(tree.last_process.as_ref()).ok_or_else(|| {
            let error = Diagnostic::error("F0111", Span::NONE, "this file has no process");
            Box::new(error.help("an example: `P = (tick -> P).`"))
        }),
    }
}

/// What else is wrong, when the system has an error.
fn other_errors<'t>(tree: &'t File, lowering: &mut Lowering<'t, '_>, diagnostics: &mut Vec<Diagnostic>) {
    if diagnostics.iter().any(|d| d.code.starts_with("F02")) {
        return;
    }
    for process in tree.processes.iter().filter(|process| process.import.is_none()) {
        if let Err(error) = lowering.system(&process.name)
            && diagnostics.len() < limits::MOST_ERRORS
            && !diagnostics.iter().any(|known| known.primary == error.primary)
        {
            diagnostics.push(*error);
        }
    }
}

/// Relabelling and hiding that did nothing, anywhere.
fn unused(lowering: &Lowering<'_, '_>, diagnostics: &mut Vec<Diagnostic>) {
    for (span, _) in lowering.relabels.iter().filter(|(_, used)| !**used) {
        let warning = Diagnostic::warning("F0501", *span, "this relabelling does nothing");
        diagnostics.push(warning.label("no process in front of it has such an event").help("it is `new/old`"));
    }
    for (span, _) in lowering.hides.iter().filter(|(_, used)| !**used) {
        let warning = Diagnostic::warning("F0502", *span, "there is no such event here");
        diagnostics.push(warning.label("nothing in front of it has it"));
    }
    for (span, shown) in &lowering.out_of_range {
        let message = format!("there is no `{shown}`: it is not defined for these indices");
        let warning = Diagnostic::warning("F0507", *span, message).label("this is `ERROR`");
        diagnostics.push(warning.help("a guard such as `when (i < N)` keeps an index in its range"));
    }
}

/// Formulas of the command line, each as a text of its own.
fn extra_formulas(options: &Options, sources: &mut SourceMap) -> Vec<FormulaText> {
    let formula = |text: &String| {
        let file: FileId = sources.add("formula", text.as_str());
        let name = Name { text: text.clone(), span: Span::new(file, 0, text.len()) };
        FormulaText { name, text: text.clone(), start: 0 }
    };
    options.formulas.iter().map(formula).collect()
}

fn kept<T>(result: Result<T, Refused>, diagnostics: &mut Vec<Diagnostic>) -> Option<T> {
    result.map_err(|error| diagnostics.push(*error)).ok()
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

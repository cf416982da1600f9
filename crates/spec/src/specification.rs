//! Specifications: C files, what their routines do, the program, and the properties to check.
//!
//! [`read`] reads the text, the C files and the processes, and puts names together: routines and events, procedures and
//! parts, expressions and variables. What comes out needs no text any more. See `outline` for the language.
//!
//! * A part of the program is a procedure of C or a process of FSP; `a:p` is a copy whose events have the prefix `a.`, and
//!   `/{new/old}` gives events other names, after that.
//! * A routine without a body is an event of its own name, unless `cproc` says which process it behaves like.
//! * An atom of a formula is an event, a proposition of a process, or an expression of C in braces over the variables of
//!   one part: `{server.state == 3}`. The name of the part can be left out if there is only one procedure. The return of a
//!   procedure or of a routine is an event for formulas that speak of it; see `returns`.
//! * In expressions, enumerators and macros without arguments of the procedure's file are known; see `constants`.

mod constants;
mod formulas;
mod processes;
mod returns;
pub(crate) mod sharing;
mod units;

use crate::expression::{Expression, parse};
use crate::graph::{Accessed, Action, Behaviour, Returns, Source, build};
use crate::outline::{Outline, PartText, Piece, outline, with_values};
use cfront::Component;
use cfront::program::VariableId;
use model::composition::{Component as Process, Named, Requirement};
use model::diagnostic::{Diagnostic, nearest};
use model::ids::{EventId, PropositionId};
use model::source::{SourceMap, Span};
use model::structure::TAU;
pub use sharing::SharedVariable;
use std::collections::{BTreeMap, HashMap};

/// A specification that was read.
#[derive(Clone, Debug)]
pub struct Specification {
    /// The name of its file.
    pub name: String,
    /// The events, by number.
    pub events: Vec<Named>,
    /// The propositions, by number.
    pub propositions: Vec<Named>,
    /// The parts of the program.
    pub parts: Vec<Part>,
    /// The variables that parts share, each a part of its own behind these.
    pub shared: Vec<SharedVariable>,
    /// The properties of the program.
    pub formulas: Vec<Requirement>,
    /// What procedures conform to.
    pub conformances: Vec<Conformance>,
    /// The returns of which each formula speaks.
    pub(crate) returns: Vec<Vec<Returns>>,
}

/// A part of the program.
#[derive(Clone, Debug)]
pub enum Part {
    /// A procedure of C.
    Procedure(Box<Procedure>),
    /// A process of FSP.
    Process(Box<Process>),
}

impl Part {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Part::Procedure(procedure) => &procedure.name,
            Part::Process(process) => &process.name,
        }
    }

    /// Whether it takes part in an event.
    fn takes_part(&self, event: EventId) -> bool {
        match self {
            Part::Procedure(procedure) => procedure.alphabet.contains(&event),
            Part::Process(process) => process.structure.alphabet().contains(&event),
        }
    }
}

/// A procedure that runs beside others.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name, or that of the copy.
    pub name: String,
    /// Its graph.
    pub component: Component,
    /// What the routines do that it calls.
    pub routines: BTreeMap<String, Behaviour>,
    /// The events in which it takes part.
    pub alphabet: Vec<EventId>,
    /// The propositions that speak of it.
    pub propositions: Vec<(PropositionId, Expression)>,
    /// Predicates that may help.
    pub hints: Vec<Expression>,
    /// Its copies of shared variables, and which these are.
    pub shared: Vec<(VariableId, usize)>,
    /// Where the specification names it.
    pub span: Span,
}

/// A procedure does nothing that a process does not allow.
#[derive(Clone, Debug)]
pub struct Conformance {
    /// As text.
    pub name: String,
    /// The procedure.
    pub procedure: Box<Procedure>,
    /// Accepts what the process does; anything else is an error.
    pub watcher: Process,
    pub(crate) returns: Returns,
    /// Where it is written.
    pub span: Span,
}

impl Conformance {
    /// The returns that the process tells apart; a process without `return` does not look at them.
    pub(crate) fn returns(&self) -> &[Returns] {
        if self.returns.conditions.is_empty() { &[] } else { std::slice::from_ref(&self.returns) }
    }
}

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How C is read; its `entries` and `external` are chosen here.
    pub c: cfront::Options,
    /// Formulas that are not in the text: their names are their texts.
    pub formulas: Vec<String>,
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Read {
    /// The specification; `None` if there was an error.
    pub specification: Option<Specification>,
    /// The texts: the specification first, then the C files.
    pub sources: SourceMap,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Gives a file that the specification names; a C file ready for [`cfront::read`].
pub type Load<'l> = &'l dyn Fn(&str) -> Result<cfront::Input, String>;

type Refused<T> = Result<T, Box<Diagnostic>>;

/// Reads a specification.
pub fn read(name: &str, text: &str, options: &Options, load: Load<'_>) -> Read {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let mut diagnostics = Vec::new();
    let mut reader = match outline(file, text) {
        Ok(outline) => Reader::new(outline, options, load, &mut sources, &mut diagnostics),
        Err(error) => return Read { specification: None, sources, diagnostics: vec![*error] },
    };
    let specification = reader.specification(name);
    if let Err(error) = &specification {
        diagnostics.push((**error).clone());
    }
    diagnostics.sort_by_key(|d| (d.primary.span.file, d.primary.span.start));
    diagnostics.dedup();
    let specification = specification.ok().filter(|_| !diagnostics.iter().any(Diagnostic::is_error));
    Read { specification, sources, diagnostics }
}

struct Reader<'r> {
    outline: Outline,
    options: &'r Options,
    load: Load<'r>,
    sources: &'r mut SourceMap,
    diagnostics: &'r mut Vec<Diagnostic>,
    /// The conditions of `return` actions.
    returns: Vec<Expression>,
    events: Vec<Named>,
    event_numbers: HashMap<String, EventId>,
    propositions: Vec<Named>,
    proposition_numbers: HashMap<String, PropositionId>,
    units: Vec<units::Unit>,
    /// The shared variables of the procedure that is read.
    shared_names: Vec<String>,
}

impl<'r> Reader<'r> {
    fn new(
        outline: Outline,
        options: &'r Options,
        load: Load<'r>,
        sources: &'r mut SourceMap,
        diagnostics: &'r mut Vec<Diagnostic>,
    ) -> Self {
        Reader {
            outline,
            options,
            load,
            sources,
            diagnostics,
            returns: Vec::new(),
            events: Vec::new(),
            event_numbers: HashMap::new(),
            propositions: Vec::new(),
            proposition_numbers: HashMap::new(),
            units: Vec::new(),
            shared_names: Vec::new(),
        }
    }

    fn specification(&mut self, name: &str) -> Refused<Specification> {
        for condition in &self.outline.returns {
            self.returns.push(parse(&condition.0.text, condition.0.span)?);
        }
        self.read_units()?;
        self.check_names()?;
        let Some(program) = self.outline.program.clone() else {
            if self.outline.conforms.is_empty() {
                let error = Diagnostic::error("M0101", Span::NONE, "this specification has no program");
                return Err(Box::new(error.help("an example: `program = (server || client)`")));
            }
            return self.without_program(name);
        };
        let (mut parts, mut texts) = (Vec::new(), Vec::new());
        for part in &program {
            self.part(part, &mut parts)?;
            texts.resize(parts.len(), part.clone());
        }
        let (mut seen, mut again) = (Vec::new(), None);
        for (part, text) in parts.iter().map(Part::name).zip(&program) {
            if seen.contains(&part) {
                again = Some((part.to_owned(), text.whole.span));
            }
            seen.push(part);
        }
        if let Some((name, span)) = again {
            let error = Diagnostic::error("M0101", span, format!("there are two parts with the name `{name}`"));
            return Err(Box::new(error.help(format!("name the copies: `first:{name} || second:{name}`"))));
        }
        let shared = self.share(&mut parts, &texts)?;
        let conformances = self.conformances()?;
        let (formulas, returns) = self.formulas(&mut parts)?.into_iter().unzip();
        let empty = self.empty(name);
        self.finished(Specification { parts, shared, formulas, conformances, returns, ..empty })
    }

    fn without_program(&mut self, name: &str) -> Refused<Specification> {
        if let Some((formula, _)) = self.outline.formulas.first() {
            let error = Diagnostic::error("M0101", formula.span, "a formula needs a program to speak of");
            return Err(Box::new(error.help("an example: `program = (server || client)`")));
        }
        let conformances = self.conformances()?;
        let empty = self.empty(name);
        self.finished(Specification { conformances, ..empty })
    }

    /// The events and propositions, and nothing else.
    fn empty(&mut self, name: &str) -> Specification {
        Specification {
            name: name.to_owned(),
            events: std::mem::take(&mut self.events),
            propositions: std::mem::take(&mut self.propositions),
            parts: Vec::new(),
            shared: Vec::new(),
            formulas: Vec::new(),
            conformances: Vec::new(),
            returns: Vec::new(),
        }
    }

    fn finished(&self, specification: Specification) -> Refused<Specification> {
        specification.check_isolated()?;
        let parts = specification.parts.iter().filter_map(|part| match part {
            Part::Procedure(procedure) => Some(&**procedure),
            Part::Process(_) => None,
        });
        for procedure in parts {
            self.check_procedure(procedure, &[])?;
            let watched = |returns: &&Vec<Returns>| returns.iter().any(|one| one.part == procedure.name);
            for returns in specification.returns.iter().filter(watched) {
                self.check_procedure(procedure, returns)?;
            }
        }
        for conformance in &specification.conformances {
            self.check_procedure(&conformance.procedure, conformance.returns())?;
        }
        Ok(specification)
    }

    /// Names and conditions that do not fit show now, with their places.
    fn check_procedure(&self, procedure: &Procedure, returns: &[Returns]) -> Refused<()> {
        let returns: Vec<&Returns> = returns.iter().filter(|returns| returns.part == procedure.name).collect();
        let propositions: Vec<Expression> = procedure.propositions.iter().map(|(_, e)| e.clone()).collect();
        let (component, routines, hints) = (&procedure.component, &procedure.routines, &procedure.hints[..]);
        let (propositions, returns) = (&propositions[..], &returns[..]);
        let shared = procedure.shared.iter().map(|&(variable, number)| (variable, Accessed::unseen(number))).collect();
        build(&Source { component, routines, propositions, hints, returns, shared, blocks: true, quiet: false })?;
        Ok(())
    }

    fn event(&mut self, name: &str, span: Span) -> EventId {
        if let Some(&known) = self.event_numbers.get(name) {
            return known;
        }
        let id = EventId::from(self.events.len());
        self.events.push(Named { name: name.to_owned(), span });
        self.event_numbers.insert(name.to_owned(), id);
        id
    }

    fn proposition(&mut self, name: &str, span: Span) -> PropositionId {
        if let Some(&known) = self.proposition_numbers.get(name) {
            return known;
        }
        let id = PropositionId::from(self.propositions.len());
        self.propositions.push(Named { name: name.to_owned(), span });
        self.proposition_numbers.insert(name.to_owned(), id);
        id
    }

    fn part(&mut self, text: &PartText, parts: &mut Vec<Part>) -> Refused<()> {
        if self.unit_with(&text.name.text).is_some() {
            if text.is_final {
                let error = Diagnostic::error("M0108", text.whole.span, "a procedure cannot be final");
                return Err(Box::new(error.help("it has done its work when it returns; `final` is for processes")));
            }
            let procedure = self.procedure(text)?;
            parts.push(Part::Procedure(Box::new(procedure)));
            return Ok(());
        }
        if self.outline.fsp.contains(&text.name.text) {
            parts.extend(self.processes(text)?.into_iter().map(|process| Part::Process(Box::new(process))));
            return Ok(());
        }
        Err(self.no_procedure(&text.name, "procedure or process"))
    }

    fn no_procedure(&self, name: &Piece, what: &str) -> Box<Diagnostic> {
        let error = Diagnostic::error("M0103", name.span, format!("there is no {what} `{}`", name.text));
        let known = self.units.iter().flat_map(|unit| unit.procedures.iter().map(String::as_str));
        Box::new(match nearest(&name.text, known) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None if self.units.is_empty() => error.help("name its file: `file \"server.c\";`"),
            None => error.help("procedures are defined in the C files, processes here: `P = (a -> P).`"),
        })
    }

    /// A procedure of C with what its routines do.
    fn procedure(&mut self, text: &PartText) -> Refused<Procedure> {
        let component = self.component(&text.name)?;
        let name = text.label.as_ref().unwrap_or(&text.name).text.clone();
        let (mut routines, mut alphabet) = (BTreeMap::new(), Vec::new());
        for routine in component.routines.clone() {
            let behaviour = match self.outline.about.iter().find(|about| about.name.text == routine) {
                Some(about) if !about.abstracts.is_empty() => {
                    let abstracts = about.abstracts.clone();
                    let mut structures = Vec::new();
                    for (guard, process) in abstracts {
                        let structure = self.routine_structure(&process, text, &component, &mut alphabet)?;
                        structures.push((self.expression(&guard, text, &component)?, structure));
                    }
                    Behaviour::Structures(structures)
                }
                _ => {
                    let event = self.event(&seen_as(&routine, text), text.name.span);
                    alphabet.push(event);
                    Behaviour::Event(event)
                }
            };
            routines.insert(routine, behaviour);
        }
        alphabet.retain(|&event| event != TAU);
        alphabet.sort_unstable();
        alphabet.dedup();
        let mut hints = Vec::new();
        for about in self.outline.about.clone().iter().filter(|about| about.name.text == text.name.text) {
            for predicate in &about.predicates {
                hints.push(self.expression(predicate, text, &component)?);
            }
        }
        self.check_relabelling(text, &alphabet)?;
        let (propositions, shared) = Default::default();
        Ok(Procedure { name, component, routines, alphabet, propositions, hints, shared, span: text.whole.span })
    }

    /// An expression about a procedure.
    fn expression(&mut self, piece: &Piece, text: &PartText, component: &Component) -> Refused<Expression> {
        let mut expression = parse(&piece.text, piece.span)?;
        if let Some(unit) = self.unit_with(&text.name.text) {
            self.with_constants(&mut expression, unit, component);
        }
        Ok(expression)
    }

    fn check_relabelling(&mut self, text: &PartText, alphabet: &[EventId]) -> Refused<()> {
        for (new, old) in &text.relabel {
            let known = self.event_numbers.get(&new.text).is_some_and(|event| alphabet.contains(event));
            if !known {
                let error =
                    Diagnostic::error("M0107", old.span, format!("`{}` has no event `{}`", text.name.text, old.text));
                return Err(Box::new(error.help("it is `new/old`, and old names have the prefix of the copy")));
            }
        }
        Ok(())
    }

    fn conformances(&mut self) -> Refused<Vec<Conformance>> {
        let mut conformances = Vec::new();
        for (name, process) in self.outline.conforms.clone() {
            if self.unit_with(&name.text).is_none() {
                return Err(self.no_procedure(&name, "procedure"));
            }
            let text =
                PartText { label: None, whole: name.clone(), name: name.clone(), relabel: Vec::new(), is_final: false };
            let procedure = Box::new(self.procedure(&text)?);
            let allowed = self.routine_structure(&process, &text, &procedure.component, &mut Vec::new())?;
            let span = name.span.to(process.span);
            let (returns, watcher) = self.watcher(&allowed, &procedure.alphabet, &procedure.name, span)?;
            let name = format!("{} conforms to {}", name.text, process.text);
            conformances.push(Conformance { name, procedure, watcher, returns, span });
        }
        Ok(conformances)
    }
}

/// The name under which an event of a part is seen.
fn seen_as(event: &str, part: &PartText) -> String {
    let prefixed = part.label.as_ref().map_or(event.to_owned(), |label| format!("{}.{event}", label.text));
    match part.relabel.iter().find(|(_, old)| old.text == prefixed) {
        Some((new, _)) => new.text.clone(),
        None => prefixed,
    }
}

/// The number of a `return` action, if a label is one.
fn return_number(label: &str) -> Option<usize> {
    label.strip_prefix('#')?.split('[').next()?.trim().parse().ok()
}

/// The condition of a `return` action with the values that the indices have in its label.
fn condition(reader: &Reader<'_>, number: usize, label: &str) -> Option<Refused<Expression>> {
    let (condition, indices) = reader.outline.returns.get(number)?;
    if indices.is_empty() {
        return reader.returns.get(number).cloned().map(Ok);
    }
    let values: Option<Vec<i64>> =
        label.split('[').skip(1).map(|part| part.trim_end_matches(']').parse().ok()).collect();
    let values = values.filter(|values| values.len() == indices.len());
    let missing = || Box::new(Diagnostic::error("M0108", condition.span, "an index in a return is no number"));
    Some(
        values
            .ok_or_else(missing)
            .and_then(|values| parse(&with_values(&condition.text, indices, &values), condition.span)),
    )
}

/// The action of a label.
fn action(reader: &mut Reader<'_>, label: &str, part: &PartText, component: &Component, span: Span) -> Refused<Action> {
    match return_number(label) {
        Some(number) => match condition(reader, number, label).transpose()? {
            Some(mut condition) => {
                if let Some(unit) = reader.unit_with(&part.name.text) {
                    reader.with_constants(&mut condition, unit, component);
                }
                Ok(Action::Return(condition))
            }
            None => Err(Box::new(Diagnostic::error("M0001", span, "there are too many `return` actions"))),
        },
        None => Ok(Action::Event(reader.event(&seen_as(label, part), span))),
    }
}

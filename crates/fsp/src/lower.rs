//! From a tree to a composition: processes and compositions are put together, then everything gets its number.
//!
//! What a text means by itself is what its last composition says, or its last process if there is none. Only what that
//! uses is run. When it has an error, the other processes are run as well, so that one reading shows more than one error.

use crate::ast::{Changes, Composite, Expr, File, Modifiers, Name, Process, Relabel, SetExpr, System};
use crate::aut;
use crate::context::{Context, Env, Refused, Value};
use crate::group::{self, Part, Renaming, Used};
use crate::limits::{MOST_COMPONENTS, MOST_ERRORS};
use crate::process::{self, property};
use crate::raw::Raw;
use crate::{determinise, product};
use model::diagnostic::{Diagnostic, nearest};
use model::source::{SourceMap, Span};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Everything that is known while a text is put together.
pub(crate) struct Lowering<'f, 'a> {
    pub(crate) context: Context<'f>,
    processes: HashMap<&'f str, &'f Process>,
    composites: HashMap<&'f str, &'f Composite>,
    instances: HashMap<(&'f str, Vec<Value>), Rc<Raw>>,
    /// Pairs and labels that should do something.
    pub(crate) relabels: Used,
    pub(crate) hides: Used,
    /// Uses of local processes with an index out of range, as they are shown.
    pub(crate) out_of_range: BTreeMap<Span, String>,
    seals: u32,
    parts: usize,
    load: &'a dyn Fn(&str) -> Result<String, String>,
    sources: &'a mut SourceMap,
}

impl<'f, 'a> Lowering<'f, 'a> {
    pub(crate) fn new(
        file: &'f File,
        load: &'a dyn Fn(&str) -> Result<String, String>,
        sources: &'a mut SourceMap,
    ) -> Self {
        Lowering {
            context: Context::new(file),
            processes: file.processes.iter().map(|process| (process.name.text.as_str(), process)).collect(),
            composites: file.composites.iter().map(|composite| (composite.name.text.as_str(), composite)).collect(),
            instances: HashMap::new(),
            relabels: Used::new(),
            hides: Used::new(),
            out_of_range: BTreeMap::new(),
            seals: 0,
            parts: 0,
            load,
            sources,
        }
    }

    pub(crate) fn is_process(&self, name: &str) -> bool {
        self.processes.contains_key(name) || self.composites.contains_key(name)
    }

    /// Two definitions with one name, for each kind of names.
    pub(crate) fn check_names(file: &File, diagnostics: &mut Vec<Diagnostic>) {
        let values = file.constants.iter().map(|(name, _)| name);
        let values = values.chain(file.ranges.iter().map(|(name, _)| name)).chain(file.sets.iter().map(|(n, _)| n));
        twice(values, diagnostics);
        let processes = file.processes.iter().map(|process| &process.name);
        twice(processes.chain(file.composites.iter().map(|composite| &composite.name)), diagnostics);
        let fluents = file.fluents.iter().map(|fluent| &fluent.name);
        let asserts = file.asserts.iter().map(|assert| &assert.name);
        twice(fluents.chain(file.formulas.iter().map(|formula| &formula.name)).chain(asserts), diagnostics);
        twice(file.progress.iter().map(|progress| &progress.name), diagnostics);
        for process in &file.processes {
            twice(process.parameters.iter().map(|(name, _)| name), diagnostics);
        }
        for composite in &file.composites {
            twice(composite.parameters.iter().map(|(name, _)| name), diagnostics);
        }
        let clauses = file.processes.iter().flat_map(|process| process.clauses.iter().map(|clause| &clause.name));
        for name in clauses.chain(file.composites.iter().map(|composite| &composite.name)) {
            if ["STOP", "END", "ERROR"].contains(&name.text.as_str()) {
                let error = Diagnostic::error("F0101", name.span, format!("`{}` cannot be defined", name.text));
                diagnostics.push(error.label("a word of the language").help("choose another name"));
            }
        }
        diagnostics.truncate(MOST_ERRORS);
    }

    /// The parts of a process or composition with its own parameters.
    pub(crate) fn system(&mut self, name: &'f Name) -> Result<Vec<Part>, Refused> {
        self.used(name, None)
    }

    /// A process in front of `;`.
    pub(crate) fn sequential(&mut self, name: &'f Name, arguments: Vec<Value>) -> Result<Part, Refused> {
        let Some(process) = self.processes.get(name.text.as_str()).copied() else { return Err(self.undefined(name)) };
        if process.modifiers.property {
            let error = Diagnostic::error("F0006", name.span, "a property in front of `;` is not supported");
            return Err(Box::new(error.help("a property watches from the outside: put it into a composition")));
        }
        self.context.enter(name.span)?;
        let part = self.process(process, name, (!arguments.is_empty()).then_some(arguments));
        self.context.leave();
        part
    }

    fn used(&mut self, name: &'f Name, arguments: Option<Vec<Value>>) -> Result<Vec<Part>, Refused> {
        self.context.enter(name.span)?;
        let parts = if let Some(process) = self.processes.get(name.text.as_str()).copied() {
            self.process(process, name, arguments).map(|part| vec![part])
        } else if let Some(composite) = self.composites.get(name.text.as_str()).copied() {
            self.composite(composite, name, arguments)
        } else {
            Err(self.undefined(name))
        };
        self.context.leave();
        parts
    }

    fn undefined(&self, name: &Name) -> Refused {
        let error = Diagnostic::error("F0103", name.span, format!("there is no process `{}`", name.text));
        let mut known: Vec<&str> = self.processes.keys().chain(self.composites.keys()).copied().collect();
        known.sort_unstable();
        Box::new(match nearest(&name.text, known) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help("processes are defined by `P = (a -> P).`, compositions by `||S = (P || Q).`"),
        })
    }

    /// Sets the parameters of what is used; gives back those that were set before.
    fn bind(
        &mut self,
        parameters: &'f [(Name, Expr)],
        used: &Name,
        arguments: Option<Vec<Value>>,
    ) -> Result<(Env<'f>, Vec<Value>), Refused> {
        if let Some(arguments) = &arguments
            && arguments.len() != parameters.len()
        {
            let (given, wanted) = (arguments.len(), parameters.len());
            let message = format!("`{}` has {wanted} parameters, and {given} arguments are given", used.text);
            let error = Diagnostic::error("F0106", used.span, message);
            return Err(Box::new(match parameters.first() {
                Some((first, _)) => error.also(first.span, "the parameters"),
                None => error.help("parameters have a value for when none is given: `P(N=3) = ..`"),
            }));
        }
        let before = std::mem::take(&mut self.context.parameters);
        let mut values = Vec::new();
        for (at, (name, default)) in parameters.iter().enumerate() {
            let value = match &arguments {
                Some(arguments) => arguments[at].clone(),
                None => match self.context.value(default, &Env::new(), name.span) {
                    Ok(value) => value,
                    Err(refused) => {
                        self.context.parameters = before;
                        return Err(refused);
                    }
                },
            };
            values.push(value.clone());
            self.context.parameters.push((name.text.as_str(), value));
        }
        Ok((before, values))
    }

    fn process(
        &mut self,
        process: &'f Process,
        used: &'f Name,
        arguments: Option<Vec<Value>>,
    ) -> Result<Part, Refused> {
        let shown = shown(&used.text, arguments.as_deref());
        let (before, values) = self.bind(&process.parameters, used, arguments)?;
        let part = self.process_inside(process, values, shown, used.span);
        self.context.parameters = before;
        part
    }

    fn process_inside(
        &mut self,
        process: &'f Process,
        values: Vec<Value>,
        shown: String,
        span: Span,
    ) -> Result<Part, Refused> {
        let key = (process.name.text.as_str(), values);
        let raw = match self.instances.get(&key) {
            Some(raw) => raw.clone(),
            None => {
                let raw = Rc::new(match &process.import {
                    Some(file) => self.imported(process, file)?,
                    None => process::run(self, process)?,
                });
                self.instances.insert(key, raw.clone());
                raw
            }
        };
        let mut parts = vec![Part::new(raw, shown, span)];
        if let (true, Some((set, _))) = (process.modifiers.property, &process.changes.hide) {
            let error = Diagnostic::error("F0110", set.span, "a property cannot hide what it watches");
            return Err(Box::new(error.help("leave out what the property does not speak of")));
        }
        self.change(&mut parts, &process.changes, &process.name, false)?;
        if process.modifiers.deterministic && !process.modifiers.property {
            self.modified(&mut parts, process.modifiers, &process.name)?;
        }
        let Some(part) = parts.pop() else { return Err(self.undefined(&process.name)) };
        if process.modifiers.property && part.merges() {
            let message = format!("relabelling gives two events of the property `{}` one name", process.name.text);
            let error = Diagnostic::error("F0110", process.name.span, message);
            return Err(Box::new(error.help("write the property with the new names")));
        }
        Ok(part)
    }

    fn imported(&mut self, process: &'f Process, name: &Name) -> Result<Raw, Refused> {
        let text = (self.load)(&name.text).map_err(|reason| {
            let error = Diagnostic::error("F0114", name.span, format!("`{}` cannot be read", name.text));
            Box::new(error.label(reason).help("the name of a file is relative to the model that names it"))
        })?;
        let file = self.sources.add(name.text.as_str(), text.as_str());
        let mut raw = aut::parse(file, &text, &mut self.context)?;
        if let Some(set) = &process.extension {
            for label in self.context.set(set, &Env::new())? {
                let symbol = self.context.symbols.intern(&label, set.span)?;
                if !raw.events.contains(&symbol) {
                    raw.events.push(symbol);
                }
            }
        }
        Ok(raw)
    }

    fn composite(
        &mut self,
        composite: &'f Composite,
        used: &Name,
        arguments: Option<Vec<Value>>,
    ) -> Result<Vec<Part>, Refused> {
        let (before, _) = self.bind(&composite.parameters, used, arguments)?;
        let mut parts = Vec::new();
        let result = self
            .parts_of(&composite.body, &Env::new(), &mut parts)
            .and_then(|()| self.change(&mut parts, &composite.changes, &composite.name, true))
            .and_then(|()| self.modified(&mut parts, composite.modifiers, &composite.name));
        self.context.parameters = before;
        result.map(|()| parts)
    }

    /// What the words in front of a definition make of it: one part.
    fn modified(&mut self, parts: &mut Vec<Part>, words: Modifiers, name: &Name) -> Result<(), Refused> {
        let Modifiers { property, deterministic } = words;
        if !property && !deterministic {
            return Ok(());
        }
        let whole = product::product(&mut self.context, parts, None, name)?;
        let mut raw = determinise::determinise(&whole.raw, &mut self.context, name.span)?;
        if property {
            property::complete(&mut raw, name)?;
        }
        *parts = vec![Part::new(Rc::new(raw), name.text.clone(), name.span)];
        Ok(())
    }

    fn parts_of(&mut self, system: &'f System, env: &Env<'f>, into: &mut Vec<Part>) -> Result<(), Refused> {
        match system {
            System::All(parts) => parts.iter().try_for_each(|part| self.parts_of(part, env, into)),
            System::Forall(indices, body) => {
                let mut all = Vec::new();
                self.context.for_all(indices, env, &mut |_, env| {
                    all.push(env.clone());
                    Ok(())
                })?;
                all.iter().try_for_each(|env| self.parts_of(body, env, into))
            }
            System::If(condition, then, otherwise) => {
                let holds = self.context.integer(condition, env, condition.span().unwrap_or(Span::NONE))? != 0;
                match (holds, otherwise) {
                    (true, _) => self.parts_of(then, env, into),
                    (false, Some(otherwise)) => self.parts_of(otherwise, env, into),
                    (false, None) => Ok(()),
                }
            }
            System::Process(name, arguments) => {
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.context.value(argument, env, name.span)?);
                }
                let parts = self.used(name, (!values.is_empty()).then_some(values))?;
                self.parts += parts.len();
                if self.parts > MOST_COMPONENTS || into.len() > MOST_COMPONENTS {
                    let message = format!("there are more than {MOST_COMPONENTS} components");
                    return Err(Box::new(Diagnostic::error("F0201", name.span, message)));
                }
                into.extend(parts);
                Ok(())
            }
            System::One { sharing, label, body, relabel } => {
                let mut parts = Vec::new();
                match label {
                    None => self.parts_of(body, env, &mut parts)?,
                    Some(label) => {
                        for (name, env) in self.context.label(label, env)? {
                            let mut one = Vec::new();
                            self.parts_of(body, &env, &mut one)?;
                            group::prefix(&mut self.context, &mut one, &name, label.span)?;
                            parts.extend(one);
                        }
                    }
                }
                if let Some(label) = sharing {
                    let names: Vec<String> =
                        self.context.label(label, env)?.into_iter().map(|(name, _)| name).collect();
                    group::share(&mut self.context, &mut parts, &names, label.span)?;
                }
                self.relabel(&mut parts, relabel, env)?;
                into.extend(parts);
                Ok(())
            }
        }
    }

    fn change(&mut self, parts: &mut Vec<Part>, changes: &'f Changes, name: &Name, seals: bool) -> Result<(), Refused> {
        self.relabel(parts, &changes.relabel, &Env::new())?;
        if let Some(priority) = &changes.priority {
            let labels = self.hidden(&priority.labels)?;
            let order = product::Order { labels: &labels, low: priority.low, used: &mut self.hides };
            *parts = vec![product::product(&mut self.context, parts, Some(order), name)?];
        }
        let Some((set, interface)) = &changes.hide else { return Ok(()) };
        let labels = self.hidden(set)?;
        self.seals += 1;
        let seal = seals.then_some(self.seals);
        group::hide(&mut self.context, parts, &labels, *interface, &mut self.hides, seal, name.span)
    }

    fn hidden(&mut self, set: &'f SetExpr) -> Result<HashMap<String, Span>, Refused> {
        let mut labels = HashMap::new();
        for label in &set.labels {
            self.hides.entry(label.span).or_insert(false);
            for (name, _) in self.context.label(label, &Env::new())? {
                labels.insert(name, label.span);
            }
        }
        Ok(labels)
    }

    fn relabel(&mut self, parts: &mut Vec<Part>, relabels: &'f [Relabel], env: &Env<'f>) -> Result<(), Refused> {
        if relabels.is_empty() {
            return Ok(());
        }
        let mut renaming = Renaming::new();
        let mut span = None;
        for relabel in relabels {
            self.written_out(relabel, env, &mut renaming, &mut span)?;
        }
        let Some(span) = span else { return Ok(()) };
        group::relabel(&mut self.context, parts, &renaming, &mut self.relabels, span)
    }

    fn written_out(
        &mut self,
        relabel: &'f Relabel,
        env: &Env<'f>,
        renaming: &mut Renaming,
        first: &mut Option<Span>,
    ) -> Result<(), Refused> {
        match relabel {
            Relabel::Forall(indices, inner) => {
                let mut all = Vec::new();
                self.context.for_all(indices, env, &mut |_, env| {
                    all.push(env.clone());
                    Ok(())
                })?;
                for env in &all {
                    for relabel in inner {
                        self.written_out(relabel, env, renaming, first)?;
                    }
                }
                Ok(())
            }
            Relabel::Pair(new, old, span) => {
                first.get_or_insert(*span);
                self.relabels.entry(*span).or_insert(false);
                // An index that one label binds may be used in the other.
                let (outer, inner, swapped) = if new.binds() { (new, old, true) } else { (old, new, false) };
                for (outer, env) in self.context.label(outer, env)? {
                    for (inner, _) in self.context.label(inner, &env)? {
                        let (old, new) = if swapped { (inner, outer.clone()) } else { (outer.clone(), inner) };
                        renaming.entry(old).or_default().push((new, *span));
                    }
                }
                Ok(())
            }
        }
    }
}

/// `P(3)`, as a user writes it.
fn shown(name: &str, arguments: Option<&[Value]>) -> String {
    let Some(arguments) = arguments else { return name.to_owned() };
    let texts: Vec<String> = arguments
        .iter()
        .map(|value| match value {
            Value::Int(number) => number.to_string(),
            Value::Label(label) => label.to_string(),
        })
        .collect();
    format!("{name}({})", texts.join(","))
}

/// Reports names that are there twice.
fn twice<'n>(names: impl Iterator<Item = &'n Name>, diagnostics: &mut Vec<Diagnostic>) {
    let mut known: HashMap<&str, Span> = HashMap::new();
    for name in names {
        if let Some(first) = known.get(name.text.as_str()) {
            let error = Diagnostic::error("F0101", name.span, format!("`{}` is defined twice", name.text));
            diagnostics.push(error.label("defined again").also(*first, "defined here"));
        } else {
            known.insert(&name.text, name.span);
        }
    }
}

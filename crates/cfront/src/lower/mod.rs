//! From the tree to a graph: names, types, statements, expressions, calls.
//!
//! One [`Lowering`] makes one component. It walks the statements of the entry procedure and, at each call, those of the
//! procedure that is called, and adds edges behind the location where it stands. The variables of a procedure are the
//! same at each of its calls: without recursion no two calls are active at once, and what holds of a variable at one
//! call may hold at the others.
//!
//! * `declare` and `types_of`: declarations, and the types in them
//! * `initialise`: initial values, with braces left out and designators
//! * `expression`, `choice`, `operators`, `pointers`, `place`, `literal`: values and places
//! * `statement`, `call`, `indirect`, `known`, `skipped`, `lifetimes`: control flow
//! * `effects`: what an expression changes, seen without types
//!
//! An expression that is evaluated without edges stays one term. `&&`, `||` and `?:` try that first, and become control
//! flow only if an operand does something or can fail.

mod call;
mod choice;
mod declare;
mod effects;
mod expression;
pub(crate) mod graph;
mod indirect;
mod initialise;
mod known;
mod lifetimes;
mod literal;
mod operators;
mod place;
mod pointers;
mod scope;
mod skipped;
mod statement;
mod types_of;

use crate::codes::Say;
use crate::patience::Patience;
use crate::places::Places;
use crate::program::{Cause, Component, ErrorKind, Instruction, LocationId, Procedure, Program};
use crate::term::{Scalar, TermId};
use crate::types::{Type, Types};
use crate::{Options, resolve, simplify};
use graph::{Graph, Step};
use lang_c::ast::{ExternalDeclaration, FunctionDefinition, TranslationUnit};
use lang_c::span::{Node, Span as Parsed};
use model::diagnostic::{Diagnostic, nearest};
use model::source::Span;
use scope::{Binding, Frame, Global, Scope};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// A step that may end with a message.
pub(crate) type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// More edges than this are refused.
const EDGES: usize = 1_000_000;
/// More edges than this are refused where recursion is followed: it is followed less deeply then.
const UNROLLED: usize = 20_000;
/// More variables than this are refused.
const VARIABLES: usize = 500_000;
/// More assignments of single variables than this are refused: a step may copy a struct.
const ASSIGNMENTS: usize = 4_000_000;
/// More scalars than this in one object are refused.
const SCALARS: usize = 4_096;
/// Deeper terms than this are refused, so that whoever comes later may recurse.
const DEPTH: u32 = 2_000;
/// Messages that are kept; the rest follows from them more often than not.
const MESSAGES: usize = 200;

/// What is known about a text before it is parsed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// It names an error routine, so labels are only labels.
    pub has_error_call: bool,
    /// It has attributes that change how structs lie in memory.
    pub odd_layouts: bool,
    /// It has volatile variables.
    pub has_volatile: bool,
}

/// Makes components of a unit.
pub(crate) fn lower(
    unit: &TranslationUnit,
    places: &Places,
    options: &Options,
    facts: Facts,
) -> (Option<Program>, Vec<Diagnostic>) {
    let mut program = Program { data_model: options.data_model, components: Vec::new(), procedures: Vec::new() };
    let mut diagnostics = Vec::new();
    for definition in definitions(unit) {
        let name = scope::declared_name(&definition.node.declarator.node).unwrap_or_default();
        let span = places.span(definition.node.declarator.span);
        program.procedures.push(Procedure { name: name.to_string(), span });
    }
    let budget = Patience::new(options);
    for entry in &options.entries {
        let attempt = |recursion: usize, edges: usize| {
            let mut lowering = Lowering::new(places, options, &budget, facts);
            (lowering.recursion, lowering.edges) = (recursion, edges);
            lowering.declare_unit(unit);
            let lowered = lowering.component(entry);
            let mut found = lowering.diagnostics;
            let component = lowered.map_err(|diagnostic| found.push(*diagnostic)).ok();
            (component, found)
        };
        let (mut component, mut found) = attempt(0, EDGES);
        // Half as deep each time, until it fits.
        let mut recursion = options.recursion;
        while recursion > 0 && found.iter().any(|diagnostic| diagnostic.code == Say::Recursion.code()) {
            let (deep, said) = attempt(recursion, UNROLLED);
            let is_too_large = said.iter().any(|diagnostic| diagnostic.code == Say::TooLarge.code());
            recursion /= 2;
            if !is_too_large || recursion == 0 {
                (component, found) = (deep, said);
            }
        }
        program.components.extend(component);
        diagnostics.append(&mut found);
    }
    // Whatever else is wrong follows from a limit, if there is one.
    if let Some(limit) = diagnostics.iter().position(|diagnostic| diagnostic.code == Say::Limit.code()) {
        diagnostics = vec![diagnostics.swap_remove(limit)];
    }
    let complete = program.components.len() == options.entries.len() && diagnostics.is_empty();
    (complete.then_some(program), diagnostics)
}

fn definitions(unit: &TranslationUnit) -> impl Iterator<Item = &Node<FunctionDefinition>> {
    unit.0.iter().filter_map(|external| match &external.node {
        ExternalDeclaration::FunctionDefinition(definition) => Some(definition),
        _ => None,
    })
}

/// The making of one component.
pub(crate) struct Lowering<'a> {
    places: &'a Places,
    options: &'a Options,
    budget: &'a Patience<'a>,
    has_error_call: bool,
    has_volatile: bool,
    diagnostics: Vec<Diagnostic>,
    types: Types,
    file: Scope,
    globals: Vec<Global<'a>>,
    functions: HashMap<&'a str, &'a Node<FunctionDefinition>>,
    /// The procedures that are being inlined; the last one is where we are.
    frames: Vec<Frame>,
    /// How many calls of a procedure inside of itself are followed, and how many edges there may be.
    recursion: usize,
    edges: usize,
    /// The objects of declarations inside of procedures, by the place of the declaration, their size (the length of an
    /// array may depend on a constant argument of the call), and how many calls of the procedure are around.
    locals: HashMap<((usize, usize), u64, usize), crate::program::ObjectId>,
    /// The scalars of structs that were requested.
    parts: HashMap<usize, Rc<[(u64, Type)]>>,
    /// What the jumps of each procedure skip.
    skipped: HashMap<String, Rc<skipped::Skipped>>,
    /// Names that are used as values: functions among them can be called through pointers.
    taken: BTreeSet<&'a str>,
    /// Routines that never return.
    endless: HashSet<&'a str>,
    literals: HashMap<(usize, usize), crate::program::ObjectId>,
    graph: Graph,
    /// What globals and statics hold at the start.
    initial: Vec<(crate::program::VariableId, TermId)>,
    /// What is defined elsewhere, and holds any value at the start.
    unknown: Vec<crate::program::VariableId>,
    /// Where we are.
    here: LocationId,
    /// Where runs end.
    end: LocationId,
    temporaries: usize,
    /// The number of the last scope.
    scopes: usize,
    routines: Vec<String>,
}

impl<'a> Lowering<'a> {
    fn new(places: &'a Places, options: &'a Options, budget: &'a Patience<'a>, facts: Facts) -> Self {
        let mut graph = Graph::default();
        let end = graph.location("", Span::NONE);
        let types = Types { model: options.data_model, records: Vec::new(), odd_layouts: facts.odd_layouts };
        Lowering {
            places,
            options,
            budget,
            has_error_call: facts.has_error_call,
            has_volatile: facts.has_volatile,
            diagnostics: Vec::new(),
            types,
            file: Scope::default(),
            globals: Vec::new(),
            functions: HashMap::new(),
            frames: Vec::new(),
            recursion: 0,
            edges: EDGES,
            locals: HashMap::new(),
            parts: HashMap::new(),
            skipped: HashMap::new(),
            taken: BTreeSet::new(),
            endless: HashSet::new(),
            literals: HashMap::new(),
            graph,
            initial: Vec::new(),
            unknown: Vec::new(),
            here: end,
            end,
            temporaries: 0,
            scopes: 0,
            routines: Vec::new(),
        }
    }

    /// The component of an entry procedure.
    fn component(&mut self, entry: &str) -> Result<Component> {
        let Some(&definition) = self.functions.get(entry) else {
            let near = nearest(entry, self.functions.keys().copied()).map(|near| format!("did you mean `{near}`?"));
            let diagnostic = Say::NoProcedure.at(Span::NONE, format!("there is no procedure `{entry}` in this unit"));
            return Err(Box::new(near.into_iter().fold(diagnostic, Diagnostic::help)));
        };
        let span = self.span(definition.declarator_span());
        let start = self.graph.location(entry, span);
        let begin = self.graph.location(entry, span);
        self.here = begin;
        let result = self.enter_component(entry, definition)?;
        self.check_size(span)?;
        if !self.diagnostics.is_empty() {
            // What is wrong has been said; there is nothing to resolve.
            return Err(Box::new(self.diagnostics.remove(0)));
        }
        let initial = std::mem::take(&mut self.initial);
        let unknown = std::mem::take(&mut self.unknown);
        let middle = self.graph.location(entry, span);
        self.graph.edge(start, middle, Step::Plain(Instruction::Assign(initial)), span);
        self.graph.edge(middle, begin, Step::Plain(Instruction::Havoc(unknown, Cause::Elsewhere)), span);
        let graph = std::mem::take(&mut self.graph);
        let has_body =
            |name: &str| self.functions.contains_key(name) && !self.options.external.iter().any(|e| e == name);
        let resolved = resolve::resolve(graph, start, self.types.model, &has_body, self.budget)?;
        let mut component = simplify::simplify(resolved, start, entry, self.budget)?;
        component.result = result;
        component.routines = std::mem::take(&mut self.routines);
        Ok(component)
    }

    fn span(&self, parsed: Parsed) -> Span {
        self.places.span(parsed)
    }

    /// A message about what was parsed.
    fn error<T>(&self, say: Say, parsed: Parsed, message: impl Into<String>) -> Result<T> {
        Err(Box::new(say.at(self.span(parsed), message)))
    }

    /// Keeps a message and goes on.
    fn record<T>(&mut self, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(diagnostic) => {
                if self.diagnostics.len() < MESSAGES && !self.diagnostics.contains(&diagnostic) {
                    self.diagnostics.push(*diagnostic);
                }
                None
            }
        }
    }

    fn check_size(&self, span: Span) -> Result<()> {
        self.budget.check(|| span)?;
        if self.graph.edges.len() > self.edges || self.graph.assignments > ASSIGNMENTS {
            return Err(Box::new(Say::TooLarge.at(span, "the graph of this component gets too large")));
        }
        Ok(())
    }

    /// How many calls of a procedure are active.
    fn active(&self, name: &str) -> usize {
        self.frames.iter().filter(|frame| frame.name == name).count()
    }

    /// How many calls of this procedure are active around this one.
    fn level(&self) -> usize {
        self.frames.last().map_or(0, |frame| self.active(&frame.name).saturating_sub(1))
    }

    fn procedure(&self) -> String {
        self.frames.last().map(|frame| frame.name.clone()).unwrap_or_default()
    }

    /// A location that nothing leads to yet.
    fn fresh(&mut self, parsed: Parsed) -> LocationId {
        let (procedure, span) = (self.procedure(), self.span(parsed));
        self.graph.location(&procedure, span)
    }

    /// Does a step, and stands behind it.
    fn emit(&mut self, step: Step, parsed: Parsed) {
        let target = self.fresh(parsed);
        let span = self.span(parsed);
        self.graph.edge(self.here, target, step, span);
        self.here = target;
    }

    fn plain(&mut self, instruction: Instruction, parsed: Parsed) {
        self.emit(Step::Plain(instruction), parsed);
    }

    fn jump(&mut self, target: LocationId, parsed: Parsed) {
        let span = self.span(parsed);
        self.graph.edge(self.here, target, Step::Plain(Instruction::Nop), span);
    }

    /// The run ends here; what is lowered next is reached by jumps only.
    fn stop(&mut self, instruction: Instruction, parsed: Parsed) {
        let span = self.span(parsed);
        self.graph.edge(self.here, self.end, Step::Plain(instruction), span);
        self.here = self.fresh(parsed);
    }

    /// Two ways on, by a condition of one bit.
    fn fork(&mut self, condition: TermId, yes: LocationId, no: LocationId, parsed: Parsed) {
        let span = self.span(parsed);
        let not = self.graph.terms.not(condition);
        self.graph.edge(self.here, yes, Step::Plain(Instruction::Assume(condition)), span);
        self.graph.edge(self.here, no, Step::Plain(Instruction::Assume(not)), span);
    }

    /// An error unless a condition holds.
    fn check(&mut self, condition: TermId, kind: ErrorKind, parsed: Parsed) {
        if self.graph.terms.constant_bits(condition) == Some(1) {
            return;
        }
        let (good, bad) = (self.fresh(parsed), self.fresh(parsed));
        self.fork(condition, good, bad, parsed);
        self.here = bad;
        self.stop(Instruction::Error(kind), parsed);
        self.here = good;
    }

    fn pointer(&self) -> Scalar {
        self.types.model.pointer()
    }

    fn scalar(&self, ty: &Type, parsed: Parsed) -> Result<Scalar> {
        match self.types.scalar(ty) {
            Some(scalar) => Ok(scalar),
            None => self.refuse_type(ty, parsed),
        }
    }

    /// Why a type has no value that can be computed with.
    fn refuse_type<T>(&self, ty: &Type, parsed: Parsed) -> Result<T> {
        match ty {
            Type::Float(_) => self.error(Say::Float, parsed, "a floating-point value is used"),
            Type::Record(number) if self.types.records.get(*number).is_some_and(|record| !record.is_plain()) => {
                self.error(Say::Union, parsed, format!("a value of `{}` is used", self.types.describe(ty)))
            }
            Type::Opaque => self.error(Say::Construct, parsed, "a value of a type of the compiler is used"),
            _ => {
                let described = self.types.describe(ty);
                self.error(Say::Operands, parsed, format!("a number or a pointer is needed, and this is `{described}`"))
            }
        }
    }

    fn binding(&self, name: &str) -> Option<&Binding> {
        let frame = self.frames.last();
        let inner = frame.and_then(|frame| frame.scopes.iter().rev().find_map(|scope| scope.names.get(name)));
        inner.or_else(|| self.file.names.get(name))
    }
}

/// Where the declarator of a definition stands.
trait DeclaratorSpan {
    fn declarator_span(&self) -> Parsed;
}

impl DeclaratorSpan for Node<FunctionDefinition> {
    fn declarator_span(&self) -> Parsed {
        self.node.declarator.span
    }
}

//! Bodies: statements to elements of the control flow.
//!
//! Two habits of SPIN matter for the states of a model. A variable that is declared after the first
//! statement of a body, or inside another statement, gets its first value by an assignment, which is a step; before that, it has it
//! from the creation of the process. And all variables of a body exist as long as the process does,
//! whatever braces they are declared in.
//!
//! Statements that are one action are in `simple`, `for` and `select` in `loops`, and `unless` has a file of its own.

mod loops;
mod simple;
mod unless;

use super::flow::{ElKind, Graph, Jump, LabelUse, ScopeId, SeqId};
use super::types::{EntityKind, Type};
use super::{Declared, Lowering};
use crate::ast::{Declaration, Declarator, Expr, ExprKind, Initializer, Sequence, Stmt, StmtKind};
use crate::token::Name;
use model::expr::{ChannelTest, Expr as Lowered, Place, Scope};
use model::ids::VariableId;
use model::network::{Action, Initial, ScalarType, Variable};
use model::source::Span;
use simple::no_effect;
use std::collections::HashMap;

/// A body while it is being lowered.
pub(super) struct Body {
    pub(super) graph: Graph,
    pub(super) variables: Vec<Variable>,
    pub(super) parameters: usize,
    scopes: Vec<(ScopeId, HashMap<Name, Declared>)>,
    /// Where `break` leads, innermost last.
    breaks: Vec<u32>,
    /// No statement has come yet, and we are not inside one.
    initialising: bool,
    /// The first assignment of the loop that comes next has been made already.
    hoisted: bool,
    /// How many variables of each name there are, whatever braces they are in.
    same_names: HashMap<String, u32>,
    /// The counter of loops over channels in each pair of braces: as in SPIN, they share one.
    counts: HashMap<ScopeId, VariableId>,
}

impl Body {
    pub(super) fn new() -> Self {
        Body {
            graph: Graph::new(),
            variables: Vec::new(),
            parameters: 0,
            scopes: vec![(ScopeId(0), HashMap::new())],
            breaks: Vec::new(),
            initialising: true,
            hoisted: false,
            same_names: HashMap::new(),
            counts: HashMap::new(),
        }
    }

    /// The counter of a loop over a channel.
    fn count(&mut self, span: Span) -> VariableId {
        let scope = self.scopes.last().map_or(ScopeId(0), |(scope, _)| *scope);
        let next = VariableId::from(self.variables.len());
        let count = *self.counts.entry(scope).or_insert(next);
        if count == next {
            let (ty, initial, dimensions) = (ScalarType::Byte, Initial::Zero, Vec::new());
            self.variables.push(Variable { name: String::from("for.count"), ty, dimensions, initial, span });
        }
        count
    }

    pub(super) fn lookup(&self, name: Name) -> Option<&Declared> {
        self.scopes.iter().rev().find_map(|(_, names)| names.get(&name))
    }

    /// All names that can be seen.
    pub(super) fn visible(&self) -> impl Iterator<Item = Name> + '_ {
        self.scopes.iter().flat_map(|(_, names)| names.keys().copied())
    }

    pub(super) fn declared_here(&self, name: Name) -> Option<Span> {
        self.scopes.last()?.1.get(&name).map(|d| d.span)
    }

    pub(super) fn declare(&mut self, name: Name, declared: Declared) {
        if let Some((_, names)) = self.scopes.last_mut() {
            names.insert(name, declared);
        }
    }

    fn scope(&self) -> ScopeId {
        self.scopes.last().map_or(ScopeId(0), |(id, _)| *id)
    }

    fn open_scope(&mut self) {
        let id = self.graph.scope(self.scope());
        self.scopes.push((id, HashMap::new()));
    }

    fn close_scope(&mut self) {
        self.scopes.pop();
    }

    fn action(&mut self, action: Action, span: Span, labels: &[LabelUse]) {
        self.graph.simple(ElKind::Action(action), span, labels);
    }
}

impl Lowering<'_> {
    /// The whole body of a process, with its end.
    pub(super) fn body(&mut self, body: &mut Body, statements: &Sequence, end: Span) -> Option<SeqId> {
        body.graph.open_sequence();
        self.statements(body, statements);
        body.graph.simple(ElKind::Stop, end, &[]);
        let sequence = body.graph.close_sequence();
        self.check_labels(body);
        sequence
    }

    fn check_labels(&mut self, body: &Body) {
        let mut seen: HashMap<(Name, ScopeId), Span> = HashMap::new();
        for label in &body.graph.labels {
            if let Some(earlier) = seen.insert((label.name, label.scope), label.span) {
                let text = self.text(label.name);
                let error = self.error("P0240", label.span, format!("label `{text}` is defined twice"));
                *error = error.clone().also(earlier, "first defined here");
            }
        }
    }

    fn statements(&mut self, body: &mut Body, statements: &Sequence) {
        for statement in statements {
            self.statement(body, statement, Vec::new());
        }
    }

    /// A sequence of its own; `None` if it has no statement, which is reported.
    fn sequence(&mut self, body: &mut Body, statements: &Sequence, span: Span) -> Option<SeqId> {
        body.graph.open_sequence();
        body.initialising = false;
        let reported = self.diagnostics.len();
        self.statements(body, statements);
        let sequence = body.graph.close_sequence();
        if sequence.is_none() && self.diagnostics.len() == reported {
            let error = self.error("P0111", span, "at least one statement is needed here");
            *error = error.clone().help("write `skip` if nothing is to be done");
        }
        sequence
    }

    fn scoped(&mut self, body: &mut Body, statements: &Sequence, span: Span) -> Option<SeqId> {
        body.open_scope();
        let sequence = self.sequence(body, statements, span);
        body.close_scope();
        sequence
    }

    fn statement(&mut self, body: &mut Body, statement: &Stmt, labels: Vec<LabelUse>) {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Declaration(declaration) => return self.local(body, declaration),
            StmtKind::ChannelClaim(channels) => {
                for channel in channels {
                    self.channel(channel, Some(body));
                }
                return;
            }
            StmtKind::Labelled((name, place), inner) => {
                let text = self.text(*name);
                let mut labels = labels;
                labels.push(LabelUse { name: *name, text, scope: body.scope(), span: *place });
                return self.statement(body, inner, labels);
            }
            StmtKind::If(options) => self.if_statement(body, options, span, &labels),
            StmtKind::Do(options) => self.do_statement(body, options, span, &labels),
            StmtKind::For { variable, from, to, body: inner } => {
                self.for_statement(body, variable, from, to, inner, span, &labels);
            }
            StmtKind::ForIn { variable, container, body: inner } => {
                self.for_in_statement(body, variable, container, inner, span, &labels);
            }
            StmtKind::Select { variable, from, to, literal } => {
                self.select(body, variable, from, to, *literal, span, &labels);
            }
            StmtKind::Break => match body.breaks.last() {
                Some(&target) => body.graph.simple(ElKind::Goto(Jump::Break(target)), span, &labels),
                None => {
                    let error = self.error("P0241", span, "`break` outside a loop");
                    *error = error.clone().help("`break` leaves a `do` or a `for`");
                }
            },
            StmtKind::Goto(label, place) => {
                let jump = Jump::Label(*label, body.scope());
                body.graph.simple(ElKind::Goto(jump), *place, &labels);
            }
            StmtKind::Atomic(inner) => {
                if let Some(sequence) = self.scoped(body, inner, span) {
                    body.graph.make_atomic(sequence, false);
                    body.graph.simple(ElKind::Atomic(sequence), span, &labels);
                }
            }
            StmtKind::DStep(inner) => {
                if let Some(sequence) = self.scoped(body, inner, span) {
                    body.graph.make_atomic(sequence, true);
                    body.graph.simple(ElKind::DStep(sequence), span, &labels);
                }
            }
            StmtKind::Block(inner) => {
                if let Some(sequence) = self.scoped(body, inner, span) {
                    body.graph.simple(ElKind::Block(sequence), span, &labels);
                }
            }
            StmtKind::Inline(inner) => {
                body.initialising = false;
                if let Some(sequence) = self.scoped(body, inner, span) {
                    body.graph.simple(ElKind::Block(sequence), span, &labels);
                }
            }
            StmtKind::Unless(main, escape) => self.unless(body, main, escape, span, &labels),
            _ => {
                if let Some(action) = self.simple(body, statement) {
                    body.action(action, span, &labels);
                }
            }
        }
        body.initialising = false;
    }

    fn local(&mut self, body: &mut Body, declaration: &Declaration) {
        let Some(ty) = self.resolve_type(declaration.ty, declaration.ty_span) else { return };
        for declarator in &declaration.variables {
            if let Some(earlier) = body.declared_here(declarator.name) {
                self.redeclared(declarator, earlier);
                continue;
            }
            if self.clashes_with_constant(declarator) {
                continue;
            }
            self.local_variable(body, declarator, &ty);
        }
    }

    fn local_variable(&mut self, body: &mut Body, declarator: &Declarator, ty: &Type) {
        let Some((ty, len)) = self.declared_type(ty, declarator) else { return };
        let mut initial = self.initial(declarator, &ty, len, Some(body));
        // After the first statement a scalar gets its value by a step, and is 0 before.
        let late = !body.initialising;
        let mut late_value = None;
        if late {
            match (&initial, &declarator.initial) {
                (Initial::Zero, None) => late_value = Some(Lowered::Const(0)),
                (Initial::Value(e), Some(Initializer::Value(_))) => {
                    late_value = Some(e.clone());
                    initial = Initial::Zero;
                }
                (Initial::List(values), _) => late_value = values.first().map(|&v| Lowered::Const(v)),
                _ => {}
            }
        }
        let mut variables = std::mem::take(&mut body.variables);
        let first = variables.len();
        let entity = self.flatten(declarator, &ty, len, &initial, &mut variables);
        make_unique(&mut variables[first..], &mut body.same_names);
        body.variables = variables;
        let Some(entity) = entity else { return };
        if let Some(value) = late_value {
            let action = match &entity.kind {
                EntityKind::Leaf { variable, .. } => {
                    let indices = if len.is_some() { vec![Lowered::Const(0)] } else { Vec::new() };
                    let place = Place { scope: Scope::Local, variable: *variable, indices, span: declarator.span };
                    Action::Assign(place, value)
                }
                // The declaration of a structure is a step that does nothing.
                EntityKind::Struct { .. } => no_effect(),
            };
            body.action(action, declarator.span, &[]);
        }
        self.declared.push((declarator.name, declarator.span));
        body.declare(declarator.name, Declared { entity, span: declarator.span, local: true });
    }

    fn options(&mut self, body: &mut Body, options: &[Sequence], span: Span) -> Vec<SeqId> {
        let sequences: Vec<SeqId> = options.iter().filter_map(|o| self.sequence(body, o, span)).collect();
        for &sequence in &sequences {
            body.graph.prune_skips(sequence);
        }
        if body.graph.has_else(&sequences) && options.iter().any(|o| o.first().is_some_and(asks_channel)) {
            let warning = self.warning("P0253", span, "`else` beside a send, a receive or a test of a channel");
            *warning = warning
                .clone()
                .label("`else` can be taken whenever the others cannot, at this very moment")
                .help("a rendezvous partner that is ready does not keep `else` from being taken");
        }
        if let Some(extra) = options.iter().filter(|o| o.first().is_some_and(is_else)).nth(1) {
            let place = extra.first().map_or(span, |s| s.span);
            self.error("P0223", place, "a second `else` in the same choice");
        }
        sequences
    }

    fn if_statement(&mut self, body: &mut Body, options: &[Sequence], span: Span, labels: &[LabelUse]) {
        let sequences = self.options(body, options, span);
        if !sequences.is_empty() {
            body.graph.choice(sequences, None, span, labels);
        }
    }

    fn do_statement(&mut self, body: &mut Body, options: &[Sequence], span: Span, labels: &[LabelUse]) {
        let target = body.graph.new_break_target();
        body.breaks.push(target);
        let sequences = self.options(body, options, span);
        body.breaks.pop();
        if !sequences.is_empty() {
            body.graph.choice(sequences, Some(target), span, labels);
        }
    }
}

/// Gives variables that hide, or come after, others of the same name in the body a name of their own: `x#2`.
fn make_unique(variables: &mut [Variable], same_names: &mut HashMap<String, u32>) {
    for variable in variables {
        let count = same_names.entry(variable.name.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            variable.name = format!("{}#{count}", variable.name);
        }
    }
}

fn is_else(statement: &Stmt) -> bool {
    matches!(statement.kind, StmtKind::Else)
}

/// Whether a guard sends, receives, or asks whether a channel is full or empty.
fn asks_channel(statement: &Stmt) -> bool {
    fn in_expr(e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Channel(test, _) => *test != ChannelTest::Len,
            ExprKind::Unary(_, a) => in_expr(a),
            ExprKind::Binary(_, a, b) => in_expr(a) || in_expr(b),
            _ => false,
        }
    }
    match &statement.kind {
        StmtKind::Send { .. } | StmtKind::Receive { .. } => true,
        StmtKind::Condition(e) => in_expr(e),
        _ => false,
    }
}

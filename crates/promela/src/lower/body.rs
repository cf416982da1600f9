//! Bodies: statements to elements of the control flow.
//!
//! Two habits of SPIN matter for the states of a model. A variable that is declared after the first
//! statement of a body, or inside another statement, gets its first value by an assignment, which is a step; before that, it has it
//! from the creation of the process. And all variables of a body exist as long as the process does,
//! whatever braces they are declared in.

use super::flow::{ElKind, Graph, Jump, LabelUse, ScopeId, SeqId};
use super::types::{EntityKind, Type};
use super::{Declared, Lowering};
use crate::ast::{Declaration, Declarator, Expr, ExprKind, Initializer, Run, Sequence, Stmt, StmtKind, VarRef};
use crate::token::{Name, kw};
use model::expr::{BinaryOp, ChannelTest, Expr as Lowered, Place, Scope};
use model::ids::VariableId;
use model::network::{Action, Initial, ReceiveMode, ScalarType, Variable};
use model::source::Span;
use std::collections::HashMap;

/// A range this long or shorter makes `select` a choice between assignments, else it is a loop.
const LONGEST_SELECT: i32 = 32;

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
        }
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

    // --- simple statements ------------------------------------------------------------------------

    /// The action of a statement that is a single step.
    fn simple(&mut self, body: &mut Body, statement: &Stmt) -> Option<Action> {
        let span = statement.span;
        Some(match &statement.kind {
            StmtKind::Condition(e) => match &e.kind {
                ExprKind::Number(1) => Action::Skip,
                ExprKind::Run(run) => self.run(body, run, e.span, None)?,
                _ => Action::Condition(self.expr(e, Some(body))?),
            },
            StmtKind::Else => Action::Else,
            StmtKind::Assign(target, value) => self.assign(body, target, value)?,
            StmtKind::Send { channel, message, .. } if self.in_trace => {
                let channel = self.channel(channel, Some(body));
                let pattern = self.observed(message, Some(body));
                let ((channel, declared), pattern) = (channel?, pattern?);
                self.check_fields(declared, pattern.len(), span, "send");
                Action::Observe { channel, sent: true, pattern }
            }
            StmtKind::Send { channel, message, sorted } => {
                let channel = self.channel(channel, Some(body));
                let message = self.message(message, Some(body));
                let ((channel, declared), message) = (channel?, message?);
                self.check_fields(declared, message.len(), span, "send");
                Action::Send { channel, message, sorted: *sorted }
            }
            StmtKind::Receive { channel, pattern, anywhere, keep } => {
                let channel = self.channel(channel, Some(body));
                let pattern = self.pattern(pattern, Some(body));
                let ((channel, declared), pattern) = (channel?, pattern?);
                self.check_fields(declared, pattern.len(), span, "receive");
                if self.in_trace && !keep {
                    return Some(Action::Observe { channel, sent: false, pattern });
                }
                Action::Receive { channel, pattern, mode: ReceiveMode { anywhere: *anywhere, keep: *keep } }
            }
            StmtKind::Assert(e) => Action::Assert(self.expr(e, Some(body))?),
            StmtKind::Print { format, arguments } => {
                let arguments = self.message(arguments, Some(body))?;
                Action::Print { format: format.clone(), arguments }
            }
            StmtKind::SetPriority(process, priority) => {
                self.network.uses_priorities = true;
                let (process, priority) = (self.expr(process, Some(body)), self.expr(priority, Some(body)));
                Action::SetPriority(process?, priority?)
            }
            _ => return None,
        })
    }

    fn assign(&mut self, body: &mut Body, target: &VarRef, value: &Expr) -> Option<Action> {
        match target.name {
            kw::UNDERSCORE => {
                self.expr(value, Some(body))?;
                return Some(no_effect());
            }
            kw::UNDER_PRIORITY => {
                self.network.uses_priorities = true;
                return Some(Action::SetPriority(Lowered::Pid, self.expr(value, Some(body))?));
            }
            kw::UNDER_PID | kw::UNDER_NR_PR | kw::UNDER_LAST => {
                let text = self.text(target.name);
                self.error("P0236", target.span, format!("`{text}` cannot be assigned"));
                return None;
            }
            name if self.symbols.contains_key(&name) => {
                let text = self.text(name);
                let error =
                    self.error("P0242", target.span, format!("`{text}` is a symbolic constant, not a variable"));
                *error = error.clone().help("assign to a variable of type `mtype`");
                return None;
            }
            _ => {}
        }
        let resolved = self.scalar(target, Some(body))?;
        if let Some(run) = only_run(value) {
            return self.run(body, run, value.span, Some((resolved.place, value)));
        }
        let value = self.expr(value, Some(body))?;
        self.check_range(target.span, &Type::Scalar(resolved.ty), &value);
        Some(Action::Assign(resolved.place, value))
    }

    /// The creation of a process, and what is done with its number.
    fn run(&mut self, body: &Body, run: &Run, span: Span, then: Option<(Place, &Expr)>) -> Option<Action> {
        let machine = self.machine(run.process.0, run.process.1)?;
        let arguments = self.message(&run.arguments, Some(body))?;
        let priority = self.priority(run.priority, span);
        if run.priority.is_some() {
            self.network.uses_priorities = true;
        }
        let then = match then {
            Some((place, value)) => Some((place, self.expr_with_run(value, body)?)),
            None => None,
        };
        self.runs.push((machine, arguments.len(), span));
        Some(Action::Run { machine, arguments, priority, then })
    }

    /// An expression whose one `run` stands for the number of the new process.
    fn expr_with_run(&mut self, e: &Expr, body: &Body) -> Option<Lowered> {
        Some(match &e.kind {
            ExprKind::Run(_) => Lowered::RunResult,
            ExprKind::Unary(op, a) => Lowered::Unary(*op, Box::new(self.expr_with_run(a, body)?)),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr_with_run(a, body)?, self.expr_with_run(b, body)?);
                Lowered::Binary(*op, Box::new(a), Box::new(b))
            }
            _ => self.expr(e, Some(body))?,
        })
    }

    // --- declarations -----------------------------------------------------------------------------

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

    // --- compound statements ----------------------------------------------------------------------

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

    #[allow(clippy::too_many_arguments)]
    fn for_statement(
        &mut self,
        body: &mut Body,
        variable: &VarRef,
        from: &Expr,
        to: &Expr,
        inner: &Sequence,
        span: Span,
        labels: &[LabelUse],
    ) {
        let place = self.counter(variable, body, "for");
        let bounds = (self.expr(from, Some(body)), self.expr(to, Some(body)));
        let (Some(place), (Some(from), Some(to))) = (place, bounds) else { return };
        self.counting_loop(body, Range::closed(place, from, to), inner, span, labels);
    }

    /// `x = from; do :: x <= to -> ..; x++ :: else -> break od`
    fn counting_loop(&mut self, body: &mut Body, range: Range, inner: &Sequence, span: Span, labels: &[LabelUse]) {
        let Range { place, from, test, to, prologue } = range;
        let hoisted = std::mem::take(&mut body.hoisted);
        let variable = Lowered::Read(place.clone());
        let head = place.span;
        if !hoisted {
            body.action(Action::Assign(place.clone(), from), head, &[]);
        }
        let target = body.graph.new_break_target();
        body.breaks.push(target);
        body.graph.open_sequence();
        let within = Lowered::Binary(test, Box::new(variable.clone()), Box::new(to));
        body.action(Action::Condition(within), head, &[]);
        for action in prologue {
            body.action(action, head, &[]);
        }
        body.initialising = false;
        body.open_scope();
        self.statements(body, inner);
        body.close_scope();
        let next = Lowered::Binary(BinaryOp::Add, Box::new(variable), Box::new(Lowered::Const(1)));
        body.action(Action::Assign(place, next), head, &[]);
        let again = body.graph.close_sequence();
        body.graph.open_sequence();
        body.action(Action::Else, head, &[]);
        body.graph.simple(ElKind::Goto(Jump::Break(target)), head, &[]);
        let done = body.graph.close_sequence();
        body.breaks.pop();
        if let (Some(again), Some(done)) = (again, done) {
            body.graph.choice(vec![done, again], Some(target), span, labels);
        }
    }

    /// The variable of `for` or `select`: a scalar that is not a channel.
    fn counter(&mut self, variable: &VarRef, body: &Body, what: &str) -> Option<Place> {
        let resolved = self.scalar(variable, Some(body))?;
        if resolved.ty == ScalarType::Channel {
            self.error("P0243", variable.span, format!("a channel cannot count in `{what}`"));
            return None;
        }
        Some(resolved.place)
    }

    /// `for (i in array)` counts over its indices; `for (m in channel)` turns its messages over once.
    fn for_in_statement(
        &mut self,
        body: &mut Body,
        variable: &VarRef,
        container: &VarRef,
        inner: &Sequence,
        span: Span,
        labels: &[LabelUse],
    ) {
        if let Some(len) = self.array_len(container, body) {
            let whole = VarRef { index: None, field: None, ..container.clone() };
            self.lookup(&whole, Some(body));
            let Some(place) = self.counter(variable, body, "for") else { return };
            let last = Lowered::Const(len as i32 - 1);
            self.counting_loop(body, Range::closed(place, Lowered::Const(0), last), inner, span, labels);
            return;
        }
        let Some((channel, declared)) = self.channel(container, Some(body)) else { return };
        let Some(places) = self.scalars(variable, Some(body)) else { return };
        self.check_fields(declared, places.len(), variable.span, "loop variable");
        let count = VariableId::from(body.variables.len());
        let (ty, initial, dimensions) = (ScalarType::Byte, Initial::Zero, Vec::new());
        body.variables.push(Variable { name: String::from("for.count"), ty, dimensions, initial, span });
        let place = Place { scope: Scope::Local, variable: count, indices: Vec::new(), span: variable.span };
        let rotate = rotation(channel.clone(), places);
        let length = Lowered::Channel(ChannelTest::Len, Box::new(channel));
        let range = Range { place, from: Lowered::Const(0), test: BinaryOp::Less, to: length, prologue: rotate.into() };
        self.counting_loop(body, range, inner, span, labels);
    }

    /// The number of elements, if the reference means a whole array.
    fn array_len(&self, reference: &VarRef, body: &Body) -> Option<u32> {
        let declared = body.lookup(reference.name).or_else(|| self.globals.get(&reference.name))?;
        let mut entity = &declared.entity;
        let mut reference = reference;
        while let (Some(field), EntityKind::Struct { members, .. }) = (&reference.field, &entity.kind) {
            entity = &members.iter().find(|(name, _)| *name == field.name)?.1;
            reference = field;
        }
        if reference.index.is_some() { None } else { entity.len }
    }

    /// `select (x : a .. b)`: a choice between assignments, or for a wide range a loop that may stop anywhere.
    #[allow(clippy::too_many_arguments)]
    fn select(
        &mut self,
        body: &mut Body,
        variable: &VarRef,
        from: &Expr,
        to: &Expr,
        literal: bool,
        span: Span,
        labels: &[LabelUse],
    ) {
        let place = self.counter(variable, body, "select");
        let bounds = (self.expr(from, Some(body)), self.expr(to, Some(body)));
        let (Some(place), (Some(low), Some(high))) = (place, bounds) else { return };
        if let (Some(a), Some(b)) = (low.constant(), high.constant())
            && a > b
        {
            self.error("P0244", span, format!("the range from {a} to {b} is empty"));
            return;
        }
        let plain = variable.index.is_none()
            && variable.field.is_none()
            && self.names.text(variable.name).chars().all(|c| c.is_ascii_alphanumeric());
        match (&from.kind, &to.kind) {
            (&ExprKind::Number(a), &ExprKind::Number(b)) if plain && literal && a >= 0 && b - a <= LONGEST_SELECT => {
                let mut options = Vec::new();
                for value in a..=b {
                    body.graph.open_sequence();
                    body.action(Action::Assign(place.clone(), Lowered::Const(value)), span, &[]);
                    options.extend(body.graph.close_sequence());
                }
                body.graph.choice(options, None, span, labels);
            }
            _ => self.selecting_loop(body, place, low, high, span, labels),
        }
    }

    fn selecting_loop(
        &mut self,
        body: &mut Body,
        place: Place,
        low: Lowered,
        high: Lowered,
        span: Span,
        labels: &[LabelUse],
    ) {
        let variable = Lowered::Read(place.clone());
        if !std::mem::take(&mut body.hoisted) {
            body.action(Action::Assign(place.clone(), low), span, &[]);
        }
        let target = body.graph.new_break_target();
        body.graph.open_sequence();
        let below = Lowered::Binary(BinaryOp::Less, Box::new(variable.clone()), Box::new(high));
        body.action(Action::Condition(below), span, &[]);
        let next = Lowered::Binary(BinaryOp::Add, Box::new(variable), Box::new(Lowered::Const(1)));
        body.action(Action::Assign(place, next), span, &[]);
        let again = body.graph.close_sequence();
        body.graph.open_sequence();
        body.graph.simple(ElKind::Goto(Jump::Break(target)), span, &[]);
        let done = body.graph.close_sequence();
        if let (Some(again), Some(done)) = (again, done) {
            body.graph.choice(vec![done, again], Some(target), span, labels);
        }
    }

    fn unless(&mut self, body: &mut Body, main: &Stmt, escape: &Stmt, span: Span, labels: &[LabelUse]) {
        // `L: { .. } unless ..` labels the whole.
        if let StmtKind::Labelled((name, place), inner) = &main.kind {
            let text = self.text(*name);
            let is_loop = matches!(
                inner.kind,
                StmtKind::Do(_)
                    | StmtKind::For { .. }
                    | StmtKind::ForIn { .. }
                    | StmtKind::Select { literal: false, .. }
            );
            if is_loop {
                return self.unless_parts(body, main, escape, span, labels);
            }
            if !matches!(inner.kind, StmtKind::Block(_) | StmtKind::Atomic(_) | StmtKind::DStep(_)) {
                let error =
                    self.error("P0245", *place, format!("label `{text}` stands before one part of an `unless`"));
                *error = error.clone().help(format!("write `{text}: {{ .. unless .. }}`"));
                return;
            }
            let mut labels = labels.to_vec();
            labels.push(LabelUse { name: *name, text, scope: body.scope(), span: *place });
            body.graph.open_sequence();
            self.unless(body, inner, escape, span, &[]);
            if let Some(sequence) = body.graph.close_sequence() {
                body.graph.simple(ElKind::Block(sequence), span, &labels);
            }
            return;
        }
        self.unless_parts(body, main, escape, span, labels);
    }

    fn unless_parts(&mut self, body: &mut Body, main: &Stmt, escape: &Stmt, span: Span, labels: &[LabelUse]) {
        let hoisted = (self.hoist(body, main), self.hoist(body, escape));
        body.hoisted = hoisted.0;
        let main = self.part(body, main);
        body.hoisted = hoisted.1;
        let escape = self.part(body, escape);
        body.hoisted = false;
        if let (Some(main), Some(escape)) = (main, escape) {
            body.graph.unless(main, escape, span, labels);
        }
    }

    /// The first assignment of a `for`, or of a `select` that is a loop, comes before the `unless` it is a part of.
    fn hoist(&mut self, body: &mut Body, statement: &Stmt) -> bool {
        let (variable, from) = match &statement.kind {
            StmtKind::Labelled(_, inner) => return self.hoist(body, inner),
            StmtKind::For { variable, from, .. } => (variable, from),
            StmtKind::Select { variable, from, literal: false, .. } => (variable, from),
            _ => return false,
        };
        let (place, from) = (self.counter(variable, body, "for"), self.expr(from, Some(body)));
        let (Some(place), Some(from)) = (place, from) else { return false };
        let head = place.span;
        body.action(Action::Assign(place, from), head, &[]);
        true
    }

    /// One side of an `unless`: the inside of a block, or the statement alone.
    fn part(&mut self, body: &mut Body, statement: &Stmt) -> Option<SeqId> {
        match &statement.kind {
            StmtKind::Block(inner) | StmtKind::Inline(inner) => self.scoped(body, inner, statement.span),
            _ => {
                body.graph.open_sequence();
                self.statement(body, statement, Vec::new());
                body.graph.close_sequence()
            }
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

/// A step that changes nothing, but is not a `skip` that could be left out.
fn no_effect() -> Action {
    Action::Condition(Lowered::Const(1))
}

/// What a counting loop counts over.
struct Range {
    place: Place,
    from: Lowered,
    test: BinaryOp,
    to: Lowered,
    /// What is done before the body, each time.
    prologue: Vec<Action>,
}

impl Range {
    /// From one value to another, both included.
    fn closed(place: Place, from: Lowered, to: Lowered) -> Self {
        Range { place, from, test: BinaryOp::LessEqual, to, prologue: Vec::new() }
    }
}

/// Takes the head of a channel into variables and puts it back at its end.
fn rotation(channel: Lowered, places: Vec<Place>) -> [Action; 2] {
    let message = places.iter().cloned().map(Lowered::Read).collect();
    let pattern = places.into_iter().map(model::expr::Pattern::Bind).collect();
    [
        Action::Receive { channel: channel.clone(), pattern, mode: ReceiveMode::default() },
        Action::Send { channel, message, sorted: false },
    ]
}

/// The one `run` of an expression.
fn only_run(e: &Expr) -> Option<&Run> {
    match &e.kind {
        ExprKind::Run(run) => Some(run),
        ExprKind::Unary(_, a) => only_run(a),
        ExprKind::Binary(_, a, b) => match (only_run(a), only_run(b)) {
            (Some(run), None) | (None, Some(run)) => Some(run),
            _ => None,
        },
        _ => None,
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

//! `for` and `select`, as the loops and choices that SPIN makes of them.
//!
//! A counting loop is an assignment, a `do` with a comparison, and a step. A loop over a channel looks at every message by turning
//! the queue around once. `select` over a short range is a choice between assignments, over a long one a loop that may stop at any
//! number.

use super::Body;
use crate::ast::{Expr, ExprKind, Sequence, VarRef};
use crate::lower::Lowering;
use crate::lower::flow::{ElKind, Jump, LabelUse};
use crate::lower::types::EntityKind;
use model::expr::{BinaryOp, ChannelTest, Expr as Lowered, Place, Scope};
use model::network::{Action, ReceiveMode, ScalarType};
use model::source::Span;

/// A range this long or shorter makes `select` a choice between assignments, else it is a loop.
const LONGEST_SELECT: i32 = 32;

impl Lowering<'_> {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn for_statement(
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
    pub(super) fn counter(&mut self, variable: &VarRef, body: &Body, what: &str) -> Option<Place> {
        let resolved = self.scalar(variable, Some(body))?;
        if resolved.ty == ScalarType::Channel {
            self.error("P0243", variable.span, format!("a channel cannot count in `{what}`"));
            return None;
        }
        Some(resolved.place)
    }

    /// `for (i in array)` counts over its indices; `for (m in channel)` turns its messages over once.
    pub(super) fn for_in_statement(
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
        let place = Place { scope: Scope::Local, variable: body.count(span), indices: Vec::new(), span: variable.span };
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
    pub(super) fn select(
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

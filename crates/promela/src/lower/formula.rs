//! Temporal formulas: the tree of an `ltl` block as a formula over conditions and events.
//!
//! Boolean operators belong to the logic, so that equal conditions are one atom and an automaton can use what it knows
//! of them. An exception are operators whose right side may fail where the left side decides: `i < N && a[i]` stays one
//! condition, which is evaluated from the left as in a statement.

use super::Lowering;
use crate::ast::{Expr, ExprKind, PatternItem, VarRef};
use crate::token::kw;
use model::event::Event;
use model::expr::{BinaryOp, UnaryOp};
use model::formula::{Atom, Connective, Ltl, Modality};
use model::network::Initial;

impl Lowering<'_> {
    /// A formula; `None` if something in it is wrong, which has been reported.
    pub(super) fn formula(&mut self, e: &Expr) -> Option<Ltl> {
        Some(match &e.kind {
            ExprKind::Number(value) => Ltl::Constant(*value != 0),
            ExprKind::Temporal(op, inner) => Ltl::Unary(*op, Box::new(self.formula(inner)?)),
            ExprKind::Unary(UnaryOp::Not, inner) => Ltl::Unary(Modality::Not, Box::new(self.formula(inner)?)),
            ExprKind::Temporal2(op, a, b) => self.connected(*op, a, b)?,
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b)
                if is_temporal(a) || is_temporal(b) || !is_partial(b) =>
            {
                let op = if *op == BinaryOp::And { Connective::And } else { Connective::Or };
                self.connected(op, a, b)?
            }
            // `[] x == 1` means `[] (x == 1)`: a temporal operator has no value to compare.
            ExprKind::Binary(op, a, b) if matches!(a.kind, ExprKind::Temporal(..)) => {
                let ExprKind::Temporal(modality, inner) = &a.kind else { return None };
                let (span, depth) = (inner.span.to(b.span), e.depth);
                let compared = Expr { kind: ExprKind::Binary(*op, inner.clone(), b.clone()), span, depth };
                Ltl::Unary(*modality, Box::new(self.formula(&compared)?))
            }
            ExprKind::Event { channel, sent, fields } => {
                let event = self.event(channel, *sent, fields, e)?;
                Ltl::Atom(Box::new(Atom::Event(event)), self.atom_text(e))
            }
            _ => {
                let value = self.expr(e, None)?;
                match value.constant() {
                    Some(value) => Ltl::Constant(value != 0),
                    None => Ltl::Atom(Box::new(Atom::State(value.without_places())), self.atom_text(e)),
                }
            }
        })
    }

    fn connected(&mut self, op: Connective, a: &Expr, b: &Expr) -> Option<Ltl> {
        let (a, b) = (self.formula(a), self.formula(b));
        Some(Ltl::Binary(op, Box::new(a?), Box::new(b?)))
    }

    /// An atom as it is written, on one line.
    fn atom_text(&self, e: &Expr) -> String {
        let text = self.sources.text(e.span).split_whitespace().collect::<Vec<_>>().join(" ");
        unparenthesised(&text).to_owned()
    }

    /// `ch!msg`, `ch?msg(1,_)` on a channel that is declared for the whole model.
    fn event(&mut self, channel: &VarRef, sent: bool, fields: &[PatternItem], e: &Expr) -> Option<Event> {
        let place = self.scalar(channel, None)?.place;
        let variable = &self.network.variables[place.variable.index()];
        let mut element = 0;
        for (index, dimension) in place.indices.iter().zip(&variable.dimensions) {
            let index = index.constant().filter(|&i| i >= 0 && (i as u32) < dimension.len);
            let Some(index) = index else {
                let error = self.error("P0247", place.span, "an event names one channel");
                *error = error.clone().help("write a constant index that is within the array");
                return None;
            };
            element = element * dimension.len as usize + index as usize;
        }
        if !matches!(variable.initial, Initial::NewChannel(_)) {
            let error = self.error("P0247", place.span, "an event names a channel that is declared with its capacity");
            *error = error.clone().help("such as `c` of `chan c = [2] of { byte };`");
            return None;
        }
        let name = variable.element_name(element);
        let mut values = Vec::with_capacity(fields.len());
        for field in fields {
            values.push(self.event_field(field, e)?);
        }
        Some(Event::Message { channel: name, sent, fields: values })
    }

    /// A constant, or `None` for `_`.
    fn event_field(&mut self, field: &PatternItem, e: &Expr) -> Option<Option<i32>> {
        let value = match field {
            PatternItem::Number(value) => return Some(Some(*value)),
            PatternItem::Eval(inner) => self.expr(inner, None)?.constant(),
            PatternItem::Reference(reference) if reference.name == kw::UNDERSCORE => return Some(None),
            PatternItem::Reference(reference) => {
                let plain = reference.index.is_none() && reference.field.is_none();
                self.symbols.get(&reference.name).filter(|_| plain).map(|&(_, value, _)| value)
            }
        };
        if value.is_none() {
            let error = self.error("P0247", e.span, "a field of an event is a constant or `_`");
            *error = error.clone().help("`c!msg(_,3)`: the first field is `msg`, the second anything, the third 3");
        }
        value.map(Some)
    }
}

/// A text without parentheses around all of it.
fn unparenthesised(text: &str) -> &str {
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let Some(inner) = inner else { return text };
    let mut level = 0;
    for c in inner.chars() {
        match c {
            '(' => level += 1,
            ')' => level -= 1,
            _ => {}
        }
        if level < 0 {
            return text;
        }
    }
    unparenthesised(inner.trim())
}

/// There is a temporal operator or an event in it.
fn is_temporal(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Temporal(..) | ExprKind::Temporal2(..) | ExprKind::Event { .. } => true,
        ExprKind::Unary(_, inner) => is_temporal(inner),
        ExprKind::Binary(_, a, b) => is_temporal(a) || is_temporal(b),
        _ => false,
    }
}

/// The value may be undefined: an index that is computed, or a division.
fn is_partial(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Number(_) | ExprKind::Timeout | ExprKind::NonProgress => false,
        ExprKind::Name(reference) => is_partial_reference(reference),
        ExprKind::Unary(_, inner) => is_partial(inner),
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, ..) => true,
        ExprKind::Binary(_, a, b) => is_partial(a) || is_partial(b),
        ExprKind::RemoteLabel { pid, .. } => pid.as_ref().is_some_and(|pid| is_partial(pid)),
        ExprKind::Channel(_, reference) => is_partial_reference(reference),
        _ => true,
    }
}

fn is_partial_reference(reference: &VarRef) -> bool {
    let computed = reference.index.as_ref().is_some_and(|index| !matches!(index.kind, ExprKind::Number(_)));
    computed || reference.field.as_ref().is_some_and(|field| is_partial_reference(field))
}

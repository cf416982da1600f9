//! `unless`: a sequence that another one may interrupt before each of its statements.
//!
//! A label before a block belongs to the whole, as in SPIN; before another statement it would belong to one part, and is refused.
//! The first assignment of a loop comes before the `unless` that the loop is a part of: it cannot be interrupted.

use super::Body;
use crate::ast::{Stmt, StmtKind};
use crate::lower::Lowering;
use crate::lower::flow::{ElKind, LabelUse, SeqId};
use model::network::Action;
use model::source::Span;

impl Lowering<'_> {
    pub(super) fn unless(&mut self, body: &mut Body, main: &Stmt, escape: &Stmt, span: Span, labels: &[LabelUse]) {
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

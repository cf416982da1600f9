//! Statements: blocks, choices, loops, jumps.

use super::expression::{Content, Value};
use super::scope::{LabelState, Left, Switch};
use super::{Lowering, Result};
use crate::codes::Say;
use crate::program::{Cause, ErrorKind, Instruction, LocationId, ObjectId, VariableId};
use crate::term::{Operation, TermId};
use crate::types::{Integer, Type};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Parsed};

impl Lowering<'_> {
    /// A statement. What is wrong with it is recorded, and the next one is looked at.
    pub(super) fn statement(&mut self, statement: &Node<Statement>) {
        let place = statement.span;
        if let Some(location) = self.graph.locations.get_mut(self.here.0 as usize) {
            location.span = self.places.span(place);
        }
        let result = match &statement.node {
            Statement::Labeled(labeled) => self.labeled(labeled),
            Statement::Compound(items) => {
                self.block(items, place);
                Ok(())
            }
            Statement::Expression(None) => Ok(()),
            Statement::Expression(Some(expression)) => self.discard(expression),
            Statement::If(choice) => self.choice(choice),
            Statement::Switch(switch) => self.switch(switch),
            Statement::While(looped) => self.while_loop(&looped.node, place),
            Statement::DoWhile(looped) => self.do_loop(&looped.node, place),
            Statement::For(looped) => self.for_loop(&looped.node, place),
            Statement::Goto(name) => {
                let target = self.label(&name.node.name, name.span);
                let left = Left::Goto(name.node.name.clone(), self.scopes_around());
                self.leave(target, Some(left), place);
                self.remember_skip(place);
                Ok(())
            }
            Statement::Continue => self.leave_loop(|frame| frame.continues.last().copied(), "continue", place),
            Statement::Break => self.leave_loop(|frame| frame.breaks.last().copied(), "break", place),
            Statement::Return(value) => self.return_statement(value.as_deref(), place),
            Statement::Asm(assembler) if does_nothing(&assembler.node) => Ok(()),
            Statement::Asm(_) => self.error(Say::Assembler, place, "inline assembler"),
        };
        let sized = result.and_then(|()| self.check_size(self.span(place)));
        self.record(sized);
    }

    /// The last edge is that of a jump.
    fn remember_skip(&mut self, place: Parsed) {
        let (edge, key) = (self.graph.edges.len() - 1, (place.start, place.end));
        if let Some(frame) = self.frames.last_mut()
            && frame.skipped.contains_key(&key)
        {
            frame.skips.push((edge, key));
        }
    }

    /// What a jump skips has any value after it. The objects are known when the procedure is.
    pub(super) fn forget_skipped(&mut self) {
        let skips = self.frames.last_mut().map(|frame| std::mem::take(&mut frame.skips)).unwrap_or_default();
        for (edge, jump) in skips {
            let variables = self.skipped_by(jump);
            if let Some(edge) = self.graph.edges.get_mut(edge).filter(|_| !variables.is_empty()) {
                edge.step = super::Step::Plain(Instruction::Havoc(variables, Cause::Uninitialised));
            }
        }
    }

    fn skipped_by(&self, jump: (usize, usize)) -> Vec<VariableId> {
        let Some(skipped) = self.frames.last().and_then(|frame| frame.skipped.get(&jump)) else { return Vec::new() };
        let level = self.level();
        let mut objects: Vec<ObjectId> = skipped
            .iter()
            .flat_map(|place| self.locals.iter().filter(move |((known, _, at), _)| known == place && *at == level))
            .map(|(_, &object)| object)
            .collect();
        objects.sort_unstable();
        objects.iter().flat_map(|object| self.graph.objects[object.0 as usize].variables.iter().copied()).collect()
    }

    fn leave_loop(
        &mut self,
        target: impl Fn(&super::scope::Frame) -> Option<(LocationId, usize)>,
        word: &str,
        place: Parsed,
    ) -> Result<()> {
        match self.frames.last().and_then(target) {
            Some((target, around)) => {
                let left = self.scopes_around().split_off(around);
                self.leave(target, Some(Left::Scopes(left)), place);
                Ok(())
            }
            None => self.error(Say::Misplaced, place, format!("there is nothing that this `{word}` could leave")),
        }
    }

    pub(super) fn block(&mut self, items: &[Node<BlockItem>], place: Parsed) {
        self.scoped(place, |lowering| items.iter().for_each(|item| lowering.block_item(item)));
    }

    fn block_item(&mut self, item: &Node<BlockItem>) {
        match &item.node {
            BlockItem::Declaration(declaration) => {
                let result = self.declare_inside(declaration);
                self.record(result);
            }
            BlockItem::StaticAssert(_) => {}
            BlockItem::Statement(statement) => self.statement(statement),
        }
    }

    /// `({ … })`: its value is that of the last statement.
    pub(super) fn statement_expression(&mut self, statement: &Node<Statement>) -> Result<Value> {
        let Statement::Compound(items) = &statement.node else {
            return self.error(Say::Construct, statement.span, "this kind of expression is not modelled");
        };
        if self.frames.is_empty() {
            return self.error(Say::NotConstant, statement.span, "this is not a constant");
        }
        let mut result = Ok(Value::nothing(Type::Void));
        self.scoped(statement.span, |lowering| {
            for (number, item) in items.iter().enumerate() {
                if number + 1 == items.len()
                    && let BlockItem::Statement(last) = &item.node
                    && let Statement::Expression(Some(expression)) = &last.node
                {
                    result = lowering.value(expression).and_then(|value| lowering.save(value, expression.span));
                    return;
                }
                lowering.block_item(item);
            }
        });
        result
    }

    /// The location of a label of this procedure.
    fn label(&mut self, name: &str, place: Parsed) -> LocationId {
        if let Some(known) = self.frames.last().and_then(|frame| frame.labels.get(name)) {
            return known.location;
        }
        let location = self.fresh(place);
        if let Some(frame) = self.frames.last_mut() {
            frame.labels.insert(name.to_string(), LabelState { location, defined: false, place, scopes: Vec::new() });
        }
        location
    }

    /// Labels that were used and never defined.
    pub(super) fn check_labels(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        let missing: Vec<(String, Parsed)> = frame
            .labels
            .iter()
            .filter(|(_, label)| !label.defined)
            .map(|(name, label)| (name.clone(), label.place))
            .collect();
        for (name, place) in missing {
            let result = self.error::<()>(Say::UnknownLabel, place, format!("there is no label `{name}`"));
            self.record(result);
        }
    }

    fn labeled(&mut self, labeled: &Node<LabeledStatement>) -> Result<()> {
        let label = &labeled.node.label;
        let location = match &label.node {
            Label::Identifier(name) => {
                let location = self.label(&name.node.name, name.span);
                let around = self.scopes_around();
                let frame = self.frames.last_mut();
                let state = frame.and_then(|frame| frame.labels.get_mut(&name.node.name));
                let twice = state.is_some_and(|state| {
                    state.scopes = around;
                    std::mem::replace(&mut state.defined, true)
                });
                if twice {
                    return self.error(
                        Say::Misplaced,
                        name.span,
                        format!("the label `{}` is there twice", name.node.name),
                    );
                }
                let raw = &mut self.graph.locations[location.0 as usize];
                (raw.label, raw.span) = (Some(name.node.name.clone()), self.places.span(name.span));
                location
            }
            Label::Case(value) => {
                let (value, _) = self.constant(value)?;
                self.case(Some((value, value)), label.span)?
            }
            Label::CaseRange(range) => {
                let ((low, _), (high, _)) = (self.constant(&range.node.low)?, self.constant(&range.node.high)?);
                self.case(Some((low, high)), label.span)?
            }
            Label::Default => self.case(None, label.span)?,
        };
        self.jump(location, label.span);
        self.here = location;
        if let Label::Identifier(name) = &label.node
            && !self.has_error_call
            && self.options.error_labels.contains(&name.node.name)
        {
            self.stop(Instruction::Error(ErrorKind::ErrorLabel), label.span);
        }
        self.statement(&labeled.node.statement);
        Ok(())
    }

    /// A new case of the innermost `switch`; `None` is the default.
    fn case(&mut self, range: Option<(i128, i128)>, place: Parsed) -> Result<LocationId> {
        let location = self.fresh(place);
        let model = self.types.model;
        let Some(switch) = self.frames.last_mut().and_then(|frame| frame.switches.last_mut()) else {
            return self.error(Say::Misplaced, place, "there is no `switch` around this");
        };
        let twice = match range {
            None => switch.default.replace(location).is_some(),
            Some((low, high)) => {
                let scalar = switch.ty.scalar(model);
                let wrap = |value: i128| scalar.value(value as u128);
                let (low, high) = (wrap(low), wrap(high));
                let twice = switch.cases.iter().any(|&(from, to, _)| low <= to && from <= high);
                switch.cases.push((low, high, location));
                twice
            }
        };
        if twice {
            return self.error(Say::Misplaced, place, "this case is there twice");
        }
        Ok(location)
    }

    fn choice(&mut self, choice: &Node<IfStatement>) -> Result<()> {
        let place = choice.span;
        let (yes, no) = (self.fresh(place), self.fresh(place));
        let branched = self.branch(&choice.node.condition, yes, no);
        self.record(branched);
        self.here = yes;
        self.scoped(place, |lowering| lowering.statement(&choice.node.then_statement));
        match &choice.node.else_statement {
            None => {
                self.jump(no, place);
                self.here = no;
            }
            Some(other) => {
                let join = self.fresh(place);
                self.jump(join, place);
                self.here = no;
                self.scoped(place, |lowering| lowering.statement(other));
                self.jump(join, place);
                self.here = join;
            }
        }
        Ok(())
    }

    fn switch(&mut self, switch: &Node<SwitchStatement>) -> Result<()> {
        let (term, ty) = self.scalar_value(&switch.node.expression)?;
        let Type::Integer(ty) = ty else {
            return self.error(Say::Operands, switch.node.expression.span, "a `switch` takes a number");
        };
        let ty = ty.promoted();
        let term = self.graph.terms.convert(term, ty.scalar(self.types.model));
        let dispatch = self.here;
        let end = self.fresh(switch.span);
        if let Some(frame) = self.frames.last_mut() {
            frame.breaks.push((end, frame.scopes.len()));
            frame.switches.push(Switch { ty, cases: Vec::new(), default: None });
        }
        self.here = self.fresh(switch.span);
        self.scoped(switch.span, |lowering| lowering.statement(&switch.node.statement));
        self.jump(end, switch.span);
        let frame = self.frames.last_mut();
        let met = frame.and_then(|frame| {
            frame.breaks.pop();
            frame.switches.pop()
        });
        let Some(Switch { cases, default, .. }) = met else { return Ok(()) };
        let mut dispatch = dispatch;
        let skipped = self.skipped_by((switch.span.start, switch.span.end));
        if !skipped.is_empty() {
            self.here = dispatch;
            self.havoc(skipped, Cause::Uninitialised, switch.node.expression.span);
            dispatch = self.here;
        }
        let mut others = Vec::new();
        for (low, high, target) in cases {
            let matches = self.in_range(term, low, high, ty);
            others.push(self.graph.terms.not(matches));
            self.assume_from(dispatch, matches, target, switch.node.expression.span);
        }
        let none = self.graph.terms.balanced(Operation::And, &others);
        self.assume_from(dispatch, none, default.unwrap_or(end), switch.node.expression.span);
        self.here = end;
        Ok(())
    }

    fn in_range(&mut self, term: TermId, low: i128, high: i128, ty: Integer) -> TermId {
        let scalar = ty.scalar(self.types.model);
        let (from, to) = (self.graph.terms.constant(low, scalar), self.graph.terms.constant(high, scalar));
        if low == high {
            return self.graph.terms.equal(term, from);
        }
        let above = self.graph.terms.binary(Operation::LessEqual, from, term);
        let below = self.graph.terms.binary(Operation::LessEqual, term, to);
        self.graph.terms.and(above, below)
    }

    fn assume_from(&mut self, source: LocationId, condition: TermId, target: LocationId, place: Parsed) {
        let span = self.span(place);
        self.graph.edge(source, target, super::Step::Plain(Instruction::Assume(condition)), span);
    }

    fn looped(&mut self, body: &Node<Statement>, end: LocationId, again: LocationId) {
        if let Some(frame) = self.frames.last_mut() {
            frame.breaks.push((end, frame.scopes.len()));
            frame.continues.push((again, frame.scopes.len()));
        }
        self.scoped(body.span, |lowering| lowering.statement(body));
        if let Some(frame) = self.frames.last_mut() {
            frame.breaks.pop();
            frame.continues.pop();
        }
    }

    fn while_loop(&mut self, looped: &WhileStatement, place: Parsed) -> Result<()> {
        let (head, body, end) = (self.fresh(looped.expression.span), self.fresh(place), self.fresh(place));
        self.jump(head, place);
        self.here = head;
        let branched = self.branch(&looped.expression, body, end);
        self.record(branched);
        self.here = body;
        self.looped(&looped.statement, end, head);
        self.jump(head, place);
        self.here = end;
        Ok(())
    }

    fn do_loop(&mut self, looped: &DoWhileStatement, place: Parsed) -> Result<()> {
        let (body, test, end) = (self.fresh(place), self.fresh(looped.expression.span), self.fresh(place));
        self.jump(body, place);
        self.here = body;
        self.looped(&looped.statement, end, test);
        self.jump(test, place);
        self.here = test;
        let branched = self.branch(&looped.expression, body, end);
        self.record(branched);
        self.here = end;
        Ok(())
    }

    fn for_loop(&mut self, looped: &ForStatement, place: Parsed) -> Result<()> {
        self.scoped(place, |lowering| {
            let started = match &looped.initializer.node {
                ForInitializer::Empty | ForInitializer::StaticAssert(_) => Ok(()),
                ForInitializer::Expression(expression) => lowering.discard(expression),
                ForInitializer::Declaration(declaration) => lowering.declare_inside(declaration),
            };
            lowering.record(started);
            let condition = looped.condition.as_ref().map_or(place, |condition| condition.span);
            let (head, body) = (lowering.fresh(condition), lowering.fresh(place));
            let (next, end) = (lowering.fresh(place), lowering.fresh(place));
            lowering.jump(head, place);
            lowering.here = head;
            match &looped.condition {
                Some(condition) => {
                    let branched = lowering.branch(condition, body, end);
                    lowering.record(branched);
                }
                None => lowering.jump(body, place),
            }
            lowering.here = body;
            lowering.looped(&looped.statement, end, next);
            lowering.jump(next, place);
            lowering.here = next;
            let stepped = looped.step.as_ref().map_or(Ok(()), |step| lowering.discard(step));
            lowering.record(stepped);
            lowering.jump(head, place);
            lowering.here = end;
        });
        Ok(())
    }

    fn return_statement(&mut self, value: Option<&Node<Expression>>, place: Parsed) -> Result<()> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let (exit, result, ty) = (frame.exit, frame.result, frame.result_type.clone());
        let returned = match value {
            None => None,
            Some(expression) if ty == Type::Void => {
                self.discard(expression)?;
                None
            }
            Some(expression) => {
                let value = self.value(expression)?;
                Some(self.convert_to(value, &ty, expression.span)?)
            }
        };
        match exit {
            None => {
                let term = returned.and_then(|value| match value.content {
                    Content::Scalar(term) => Some(term),
                    _ => None,
                });
                self.stop(Instruction::Return(term), place);
            }
            Some(exit) => {
                if let (Some(value), Some(object)) = (returned, result) {
                    let address = self.graph.terms.address(object, 0, self.pointer());
                    let target = super::place::Place { address, ty, safe: true };
                    self.store(&target, &value, place)?;
                }
                self.leave(exit, None, place);
            }
        }
        Ok(())
    }
}

/// Whether an assembler statement is only a barrier for the compiler: no text, and nothing that it writes.
fn does_nothing(assembler: &AsmStatement) -> bool {
    let is_empty = |template: &Node<StringLiteral>| template.node.iter().all(|part| part == "\"\"");
    match assembler {
        AsmStatement::GnuBasic(template) => is_empty(template),
        AsmStatement::GnuExtended(extended) => is_empty(&extended.template) && extended.outputs.is_empty(),
    }
}

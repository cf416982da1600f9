//! Calls inside expressions, operations of the capsule, and inherited code: each is run where it is called.

use super::actions::{Lowered, Scopes, no};
use super::build::place;
use super::handlers::Handlers;
use super::reach::words_of;
use super::variables::{Meaning, Type, scalar};
use crate::action::{self, Expr as Syntax, ExprKind, Function};
use crate::resolve::{Class, simple};
use model::expr::Expr;
use model::ids::{LocationId, VariableId};
use model::network::Action;
use model::source::Span;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// How deep operations may call each other.
const DEEPEST: usize = 8;

/// The operations of a class whose code is known, by name. One that is overloaded is left out; an override replaces.
pub(super) fn operations(class: &Class<'_>) -> HashMap<String, Rc<Function>> {
    let mut all = HashMap::new();
    for capsule in &class.lineage {
        let mut own: HashMap<String, Option<Rc<Function>>> = HashMap::new();
        for snippet in &capsule.snippets {
            let found = match snippet.kind.text.as_str() {
                "decl" | "impl" => action::functions(&snippet.code),
                kind => match kind.strip_prefix("operation ") {
                    Some(name) => {
                        let function = snippet.signature.as_ref().and_then(|(parameters, returns)| {
                            action::operation(name, parameters, simple(returns), &snippet.code)
                        });
                        function.into_iter().collect()
                    }
                    None => Vec::new(),
                },
            };
            for function in found {
                own.entry(function.name.clone()).and_modify(|f| *f = None).or_insert(Some(Rc::new(function)));
            }
        }
        for (name, function) in own {
            match function {
                Some(function) => drop(all.insert(name, function)),
                None => drop(all.remove(&name)),
            }
        }
    }
    all
}

impl<'a> Handlers<'_, '_, 'a, '_> {
    /// A variable for a value in the middle of an expression.
    pub(super) fn temporary(&mut self, what: &str, ty: Type, span: Span, scopes: &mut Scopes<'a>) -> VariableId {
        let local = self.build.variable(format!("{what} (local)"), scalar(ty), 0, span);
        scopes.locals.push(place(local, span));
        local
    }

    /// Whether an expression is a call that does something, and that is understood.
    pub(super) fn acts(&self, e: &Syntax, scopes: &Scopes<'a>) -> bool {
        if self.is_effect(e, scopes) {
            return true;
        }
        let ExprKind::Call(function, _) = &e.kind else { return false };
        match &function.kind {
            ExprKind::Name(name) => self.operations.contains_key(name) && self.meaning(name, scopes).is_none(),
            ExprKind::Member(inner, _) => self.message_of(inner, scopes).is_some(),
            _ => false,
        }
    }

    /// Runs the calls in an expression that do something; what is left has their results in their places. Calls whose
    /// evaluation depends on other parts of the expression stay.
    pub(super) fn prepared(
        &mut self,
        at: LocationId,
        e: &Syntax,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<(LocationId, Syntax)> {
        if self.acts(e, scopes) {
            let (at, kind) = self.result(at, e, scopes)?;
            return Ok((at, Syntax { kind, span: e.span }));
        }
        let (at, kind) = match &e.kind {
            ExprKind::Binary(op, left, right) if !matches!(*op, "&&" | "||") && !super::reach::is_assignment(op) => {
                self.independent(left, right, scopes)?;
                let (at, left) = self.prepared(at, left, scopes)?;
                let (at, right) = self.prepared(at, right, scopes)?;
                (at, ExprKind::Binary(op, Box::new(left), Box::new(right)))
            }
            ExprKind::Unary(op, inner) if !matches!(*op, "++" | "--" | "&") => {
                let (at, inner) = self.prepared(at, inner, scopes)?;
                (at, ExprKind::Unary(op, Box::new(inner)))
            }
            ExprKind::Cast(ty, inner) => {
                let (at, inner) = self.prepared(at, inner, scopes)?;
                (at, ExprKind::Cast(ty.clone(), Box::new(inner)))
            }
            kind => (at, kind.clone()),
        };
        Ok((at, Syntax { kind, span: e.span }))
    }

    /// The order in which two operands are evaluated is left open: it must not matter.
    fn independent(&self, left: &Syntax, right: &Syntax, scopes: &Scopes<'a>) -> Lowered<()> {
        for (call, other) in [(left, right), (right, left)] {
            if !self.acts(call, scopes) {
                continue;
            }
            let ExprKind::Call(function, _) = &call.kind else { continue };
            let ExprKind::Name(name) = &function.kind else { continue };
            let mut words = HashSet::new();
            words_of(other, &mut words);
            if self.operations.get(name).is_some_and(|f| !f.words.is_disjoint(&words)) || self.acts(other, scopes) {
                return no(call.span, "a call whose order of evaluation matters");
            }
        }
        Ok(())
    }

    /// Runs a call for its result.
    fn result(&mut self, at: LocationId, e: &Syntax, scopes: &mut Scopes<'a>) -> Lowered<(LocationId, ExprKind)> {
        let ExprKind::Call(function, arguments) = &e.kind else { return no(e.span, "this call") };
        match &function.kind {
            ExprKind::Name(name) => {
                let operation = Rc::clone(&self.operations[name]);
                let Some(ty) = self.names.exact(&operation.returns) else {
                    if self.names.may_point(&operation.returns) {
                        let mut words = operation.words.clone();
                        arguments.iter().for_each(|argument| words_of(argument, &mut words));
                        self.reach.close(&mut words);
                        self.forget_words(&words, scopes);
                    }
                    let at = self.inline(at, &operation, arguments, None, e.span, scopes)?;
                    return Ok((at, ExprKind::Literal));
                };
                let result = self.temporary("result", ty, e.span, scopes);
                let at = self.inline(at, &operation, arguments, Some((result, ty)), e.span, scopes)?;
                Ok((at, self.named(result, ty, scopes)))
            }
            ExprKind::Member(inner, method) => match (self.port_named(inner, scopes), method.as_str()) {
                (Some(_), "destroy") => {
                    let [part] = &arguments[..] else { return no(e.span, "this call") };
                    let (at, done) = self.destroy(at, part, scopes)?;
                    Ok((at, self.named(done, Type::Bool, scopes)))
                }
                (Some(_), _) => Ok((self.effect_of(at, e, scopes)?, ExprKind::Literal)),
                (None, _) => {
                    let sent = match self.message_of(inner, scopes) {
                        Some((target, event, _)) if *method == "send" => self.receivers(target, event, scopes),
                        _ => None,
                    };
                    let at = self.effect_of(at, e, scopes)?;
                    Ok((at, sent.map_or(ExprKind::Literal, ExprKind::Number)))
                }
            },
            _ => no(e.span, "this call"),
        }
    }

    /// A name for a variable in expressions.
    pub(super) fn named(&mut self, variable: VariableId, ty: Type, scopes: &mut Scopes<'a>) -> ExprKind {
        let declared = &self.build.variables[variable.index()];
        if self.is_forgotten(&declared.name, declared.span) {
            return ExprKind::Literal;
        }
        let name = format!("{} {}", declared.name, variable.index());
        scopes.declare(&name, Meaning::Variable(variable, ty));
        ExprKind::Name(name)
    }

    /// Runs an operation with arguments; its result goes to a variable.
    pub(super) fn inline(
        &mut self,
        at: LocationId,
        operation: &Function,
        arguments: &[Syntax],
        result: Option<(VariableId, Type)>,
        span: Span,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        if arguments.len() != operation.parameters.len() || scopes.depth >= DEEPEST {
            return no(span, format!("the call of `{}`", operation.name));
        }
        let mut frame = HashMap::new();
        let mut at = at;
        for ((ty, name), argument) in operation.parameters.iter().zip(arguments) {
            let (next, argument) = self.prepared(at, argument, scopes)?;
            at = next;
            scopes.frames.push(HashMap::new());
            let object = self.declare_object(at, (ty, name), Some(&argument), &operation.body, span, scopes);
            let declared = scopes.frames.pop();
            if let Some(next) = object? {
                at = next;
                frame.extend(declared.into_iter().flatten());
                continue;
            }
            // Code that is not modelled may have changed it.
            let exact = self.names.exact(ty).filter(|_| !self.is_forgotten(&format!("{name} (local)"), span));
            let meaning = match exact {
                Some(ty) => match self.value_of(&argument, scopes)? {
                    Some(given) => {
                        let local = self.temporary(name, ty, span, scopes);
                        let given = super::values::of_type(ty, given);
                        at = self.build.then(at, Action::Assign(place(local, span), given), span);
                        Meaning::Variable(local, ty)
                    }
                    None => Meaning::Opaque,
                },
                None => {
                    self.ignored(&argument, scopes)?;
                    if self.names.may_point(ty) {
                        self.forget_all(&argument, scopes);
                    }
                    Meaning::Opaque
                }
            };
            frame.insert(name.clone(), meaning);
        }
        let body: Rc<[action::Stmt]> = operation.body.clone().into();
        self.called(at, &body, vec![frame], result, scopes)
    }

    /// Runs the body of something that is called.
    fn called(
        &mut self,
        at: LocationId,
        body: &[action::Stmt],
        frames: Vec<HashMap<String, Meaning>>,
        result: Option<(VariableId, Type)>,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        let end = self.build.location();
        let outer = std::mem::replace(&mut scopes.frames, frames);
        let loops = std::mem::take(&mut scopes.loops);
        let (old_end, old_result) = (std::mem::replace(&mut scopes.end, end), scopes.result.take());
        scopes.result = result;
        scopes.depth += 1;
        let done = self.block(at, body, scopes);
        scopes.depth -= 1;
        (scopes.end, scopes.result) = (old_end, old_result);
        scopes.frames = outer;
        scopes.loops = loops;
        let span = body.first().map_or(Span::NONE, |statement| statement.span);
        self.build.edge(done?, end, Action::Skip, span);
        Ok(end)
    }

    /// `CALLSUPER` or `SUPERMETHOD(rtdata, rtport)`: the code that this transition redefines.
    pub(super) fn call_super(&mut self, at: LocationId, span: Span, scopes: &mut Scopes<'a>) -> Lowered<LocationId> {
        let Some(code) = scopes.supers.pop() else { return no(span, "a call of code that is not inherited") };
        let text = action::preprocessed(code, !scopes.supers.is_empty());
        let done =
            action::statements(&text).and_then(|body| self.called(at, &body, vec![HashMap::new()], None, scopes));
        scopes.supers.push(code);
        done
    }

    /// Gives back a value from an operation.
    pub(super) fn give_back(&mut self, at: LocationId, e: &Syntax, scopes: &mut Scopes<'a>) -> Lowered<LocationId> {
        let (at, e) = self.prepared(at, e, scopes)?;
        let Some((result, ty)) = scopes.result else {
            self.ignored(&e, scopes)?;
            return Ok(at);
        };
        self.assign(at, (place(result, e.span), ty), &e, e.span, scopes)
    }

    /// How many receivers a message has, if that is always the same.
    fn receivers(&self, target: &Syntax, event: &str, scopes: &Scopes<'a>) -> Option<i64> {
        let port = self.target(target, scopes).ok()?;
        let mut found = 0;
        for index in 0..self.ends(port) {
            let slot = crate::resolve::Slot { instance: self.instance, port, index };
            if let Some((receiver, ..)) = self.lowering.receiver(slot, event) {
                if self.lowering.alive_of(receiver).is_some() {
                    return None;
                }
                found += 1;
            }
        }
        Some(found)
    }

    /// The index of this instance in its part.
    pub(super) fn own_index(&self) -> Expr {
        let path = &self.lowering.instances.instances[self.instance].path;
        let index = path.strip_suffix(']').and_then(|path| path.rsplit_once('[')).and_then(|(_, n)| n.parse().ok());
        Expr::Const(index.unwrap_or(0))
    }
}

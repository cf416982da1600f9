//! Action code as edges.
//!
//! Exact are `int`, `bool` and enumerations, assignments, `if`, `switch`, loops, sends and timers. Code that only computes or only
//! writes, such as `std::cout << x`, does nothing. A value that is not exact, such as a string, is unknown: a decision that
//! depends on it is a guess. Whatever could send, set a timer or create a part is either understood or an error; nothing of
//! that kind is skipped (`reach`).

use super::build::place;
use super::guard::Guard;
use super::handlers::{Cause, Handlers, unreadable};
use super::reach::{Reach, could_write, is_assignment, is_set_first, words_of};
use super::structures::Shape;
use super::timers::wish;
use super::values::{binary, of_type, random};
use super::variables::{Meaning, Type, scalar};
use crate::action::{Arm, Expr as Syntax, ExprKind, Stmt, StmtKind, Unreadable};
use crate::ast::Code;
use model::diagnostic::Diagnostic;
use model::expr::{BinaryOp, Expr, Place};
use model::ids::{LocationId, VariableId};
use model::network::{Action, Telling};
use model::source::Span;
use std::collections::{HashMap, HashSet};

/// What is in scope.
pub(super) struct Scopes<'a> {
    pub(super) cause: Cause<'a>,
    pub(super) frames: Vec<HashMap<String, Meaning>>,
    /// Variables that are declared in the code: they are 0 when it is left.
    pub(super) locals: Vec<Place>,
    /// Per loop: behind it, and where it continues.
    pub(super) loops: Vec<(LocationId, LocationId)>,
    pub(super) end: LocationId,
    /// Where the operation that is run puts its result.
    pub(super) result: Option<(VariableId, Type)>,
    /// How many operations call each other here.
    pub(super) depth: usize,
    /// Code that this code redefines, the most general first.
    pub(super) supers: Vec<&'a Code>,
}

impl<'a> Scopes<'a> {
    pub(super) fn new(cause: Cause<'a>) -> Self {
        Scopes {
            cause,
            frames: Vec::new(),
            locals: Vec::new(),
            loops: Vec::new(),
            end: 0.into(),
            result: None,
            depth: 0,
            supers: Vec::new(),
        }
    }

    pub(super) fn declare(&mut self, name: &str, meaning: Meaning) {
        if let Some(frame) = self.frames.last_mut() {
            frame.insert(name.to_owned(), meaning);
        }
    }
}

pub(super) type Lowered<T> = Result<T, Unreadable>;

pub(super) fn no<T>(span: Span, what: impl Into<String>) -> Lowered<T> {
    Err(Unreadable { span, what: what.into(), sends: None })
}

impl<'a> Handlers<'_, '_, 'a, '_> {
    /// Runs statements; what is rejected is reported.
    pub(super) fn run(
        &mut self,
        from: LocationId,
        statements: &[Stmt],
        span: Span,
        scopes: &mut Scopes<'a>,
    ) -> LocationId {
        scopes.end = self.build.location();
        let at = match self.block(from, statements, scopes) {
            Ok(at) => at,
            Err(error) => {
                self.messages.report(unreadable(&error));
                from
            }
        };
        self.build.edge(at, scopes.end, Action::Skip, span);
        let mut at = scopes.end;
        for local in std::mem::take(&mut scopes.locals) {
            at = self.build.then(at, Action::Assign(local, Expr::Const(0)), span);
            self.build.tell(Telling::Silent);
        }
        at
    }

    pub(super) fn block(
        &mut self,
        from: LocationId,
        statements: &[Stmt],
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        scopes.frames.push(HashMap::new());
        let mut at = from;
        for (position, statement) in statements.iter().enumerate() {
            let mark = self.build.mark();
            let (frames, loops) = (scopes.frames.len(), scopes.loops.len());
            at = match self.one(at, statement, &statements[position + 1..], scopes) {
                Ok(at) => at,
                Err(error) if self.may_do_anything(&error, statement) => {
                    self.build.back_to(&mark);
                    scopes.frames.truncate(frames);
                    scopes.loops.truncate(loops);
                    self.not_understood(&error);
                    if let StmtKind::Declare(_, names) = &statement.kind {
                        names.iter().for_each(|(name, _)| scopes.declare(name, Meaning::Opaque));
                    }
                    self.anything(at, statement.span)
                }
                Err(error) => return Err(error),
            };
            at = self.failure(at, statement.span);
        }
        scopes.frames.pop();
        Ok(at)
    }

    fn one(&mut self, at: LocationId, statement: &Stmt, rest: &[Stmt], scopes: &mut Scopes<'a>) -> Lowered<LocationId> {
        let StmtKind::Declare(ty, names) = &statement.kind else { return self.statement(at, statement, scopes) };
        let mut at = at;
        for (name, first) in names {
            let later = first.is_some() || is_set_first(name, rest, &HashSet::new());
            if let Some(after) = self.declare_object(at, (ty, name), first.as_ref(), rest, statement.span, scopes)? {
                at = after;
                continue;
            }
            if let Some(after) = self.declare_argument(at, (ty, name), first.as_ref(), rest, statement.span, scopes) {
                at = after;
                continue;
            }
            // `int x{1}`
            let first = match first.as_ref().map(|e| (&e.kind, e)) {
                Some((ExprKind::List(inside), _)) if inside.len() == 1 => inside.first(),
                first => first.map(|(_, e)| e),
            };
            at = self.declare(at, ty, name, (first, later), statement.span, scopes)?;
        }
        Ok(at)
    }

    fn statement(&mut self, at: LocationId, statement: &Stmt, scopes: &mut Scopes<'a>) -> Lowered<LocationId> {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Block(inner) => self.block(at, inner, scopes),
            StmtKind::Declare(ty, names) => {
                let mut at = at;
                for (name, first) in names {
                    at = self.declare(at, ty, name, (first.as_ref(), first.is_some()), span, scopes)?;
                }
                Ok(at)
            }
            StmtKind::Expr(e) => self.effect_of(at, e, scopes),
            StmtKind::If(condition, then, other) => {
                let (at, condition) = self.prepared(at, condition, scopes)?;
                let written = condition.span;
                let condition = self.decision(&condition, scopes)?;
                let yes = self.condition(at, &condition, written);
                let no = self.otherwise(at, condition, written);
                let after = self.build.location();
                let yes = self.block(yes, std::slice::from_ref(&**then), scopes)?;
                self.build.edge(yes, after, Action::Skip, span);
                let no = match other {
                    Some(other) => self.block(no, std::slice::from_ref(&**other), scopes)?,
                    None => no,
                };
                self.build.edge(no, after, Action::Skip, span);
                Ok(after)
            }
            StmtKind::While(condition, body) => self.repeat(at, None, Some(condition), None, body, span, scopes),
            StmtKind::DoWhile(body, condition) => {
                let (start, test, after) = (self.build.location(), self.build.location(), self.build.location());
                self.build.edge(at, start, Action::Skip, span);
                scopes.loops.push((after, test));
                let end = self.block(start, std::slice::from_ref(&**body), scopes)?;
                scopes.loops.pop();
                self.build.edge(end, test, Action::Skip, span);
                let written = condition.span;
                let condition = self.decision(condition, scopes)?;
                let again = self.condition(test, &condition, written);
                let done = self.otherwise(test, condition, written);
                self.build.edge(again, start, Action::Skip, span);
                self.build.edge(done, after, Action::Skip, span);
                Ok(after)
            }
            StmtKind::For(first, condition, step, body) => {
                self.repeat(at, first.as_deref(), condition.as_ref(), step.as_ref(), body, span, scopes)
            }
            StmtKind::Switch(e, arms) => self.switch(at, e, arms, span, scopes),
            StmtKind::Return(e) => {
                let at = match e {
                    Some(e) => self.give_back(at, e, scopes)?,
                    None => at,
                };
                Ok(self.jump(at, scopes.end, span))
            }
            StmtKind::Break | StmtKind::Continue => {
                let Some(&(after, next)) = scopes.loops.last() else { return no(span, "a jump outside a loop") };
                Ok(self.jump(at, if statement.kind == StmtKind::Break { after } else { next }, span))
            }
        }
    }

    /// If code that is not modelled could have failed an assertion, or ended the program, it may have.
    pub(super) fn failure(&mut self, at: LocationId, span: Span) -> LocationId {
        let at = if std::mem::take(&mut self.may_end) { self.condition(at, &Guard::unknown(), span) } else { at };
        if !std::mem::take(&mut self.may_fail) {
            return at;
        }
        let fails = self.condition(at, &Guard::unknown(), span);
        let holds = self.condition(at, &Guard::unknown(), span);
        self.build.edge(fails, holds, Action::Assert(Expr::Const(0)), span);
        holds
    }

    /// Where a condition is false.
    fn otherwise(&mut self, at: LocationId, condition: Guard, span: Span) -> LocationId {
        let after = self.condition(at, &condition.not(), span);
        self.build.tell(Telling::Fails);
        after
    }

    /// Goes somewhere; what follows in the text is not reached from here.
    fn jump(&mut self, at: LocationId, to: LocationId, span: Span) -> LocationId {
        self.build.edge(at, to, Action::Skip, span);
        self.build.location()
    }

    #[allow(clippy::too_many_arguments)]
    fn repeat(
        &mut self,
        at: LocationId,
        first: Option<&Stmt>,
        condition: Option<&Syntax>,
        step: Option<&Syntax>,
        body: &Stmt,
        span: Span,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        scopes.frames.push(HashMap::new());
        let at = match first {
            Some(first) => self.statement(at, first, scopes)?,
            None => at,
        };
        let (test, next, after) = (self.build.location(), self.build.location(), self.build.location());
        self.build.edge(at, test, Action::Skip, span);
        let written = condition.map_or(span, |condition| condition.span);
        let condition = match condition {
            Some(condition) => self.decision(condition, scopes)?,
            None => Guard::always(),
        };
        let start = self.condition(test, &condition, written);
        let done = self.otherwise(test, condition, written);
        self.build.edge(done, after, Action::Skip, span);
        scopes.loops.push((after, next));
        let end = self.block(start, std::slice::from_ref(body), scopes)?;
        scopes.loops.pop();
        self.build.edge(end, next, Action::Skip, span);
        let stepped = match step {
            Some(step) => self.effect_of(next, step, scopes)?,
            None => next,
        };
        self.build.edge(stepped, test, Action::Skip, span);
        scopes.frames.pop();
        Ok(after)
    }

    fn switch(
        &mut self,
        at: LocationId,
        e: &Syntax,
        arms: &[Arm],
        span: Span,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        let (at, e) = self.prepared(at, e, scopes)?;
        let chosen = self.value_of(&e, scopes)?;
        let is = |this: &mut Self, label: &Syntax| match (&chosen, this.exact(label, scopes)) {
            (Some(chosen), Ok(label)) => {
                Guard::exact(Expr::Binary(BinaryOp::Equal, Box::new(chosen.clone()), Box::new(label)))
            }
            _ => Guard::unknown(),
        };
        let cases = arms.iter().flat_map(|arm| &arm.labels).flatten();
        let named = cases.map(|label| is(self, label)).fold(Guard::never(), Guard::or);
        let mut starts = Vec::new();
        for arm in arms {
            let labels = arm.labels.iter().map(|label| match label {
                Some(label) => is(self, label),
                None => named.clone().not(),
            });
            let guard = labels.fold(Guard::never(), Guard::or);
            starts.push(self.condition(at, &guard, span));
        }
        let after = self.build.location();
        if !arms.iter().any(|arm| arm.labels.contains(&None)) {
            let none = self.condition(at, &named.not(), span);
            self.build.edge(none, after, Action::Skip, span);
        }
        let outer = scopes.loops.last().map_or(after, |(_, next)| *next);
        scopes.loops.push((after, outer));
        scopes.frames.push(HashMap::new());
        let mut before = None;
        for (arm, start) in arms.iter().zip(starts) {
            if let Some(before) = before {
                self.build.edge(before, start, Action::Skip, span);
            }
            before = Some(self.block(start, &arm.body, scopes)?);
        }
        scopes.frames.pop();
        scopes.loops.pop();
        if let Some(last) = before {
            self.build.edge(last, after, Action::Skip, span);
        }
        Ok(after)
    }

    /// Declares a variable with its first value, or one that gets it later.
    fn declare(
        &mut self,
        at: LocationId,
        ty: &str,
        name: &str,
        (first, has_value): (Option<&Syntax>, bool),
        span: Span,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        if ty == "RTMessage" && first.is_none() {
            let meaning = self.reply_variable(span, scopes);
            scopes.declare(name, meaning);
            return Ok(at);
        }
        let prepared = match first {
            Some(first) if !self.is_effect(first, scopes) => Some(self.prepared(at, first, scopes)?),
            _ => None,
        };
        let (at, first) = match &prepared {
            Some((at, first)) => (*at, Some(first)),
            None => (at, first),
        };
        let exact = self.names.exact(ty).filter(|_| has_value && !self.is_forgotten(&format!("{name} (local)"), span));
        if let Some(ty) = exact {
            let local = self.build.variable(format!("{name} (local)"), scalar(ty), 0, span);
            scopes.locals.push(place(local, span));
            let at = match first {
                Some(first) => self.assign(at, (place(local, first.span), ty), first, span, scopes)?,
                None => at,
            };
            scopes.declare(name, Meaning::Variable(local, ty));
            return Ok(at);
        }
        let mut at = at;
        let mut meaning = Meaning::Opaque;
        match first {
            Some(first) if is_sender(first) => meaning = Meaning::Sender,
            Some(first) if self.is_effect(first, scopes) => {
                let (after, valid) = self.handle(at, first, scopes)?;
                (at, meaning) = match valid {
                    Some(valid) => self.declare_handle(after, name, valid, span, scopes),
                    None => (after, Meaning::Opaque),
                };
            }
            None if ty == "RTActorId" => {
                (at, meaning) = self.declare_handle(at, name, Expr::Const(0), span, scopes);
            }
            Some(first) => {
                self.ignored(first, scopes)?;
                if self.names.may_point(ty) {
                    self.forget_all(first, scopes);
                }
            }
            None => {}
        }
        scopes.declare(name, meaning);
        Ok(at)
    }

    /// What identifies a part or a timer, with whether it is valid.
    fn declare_handle(
        &mut self,
        at: LocationId,
        name: &str,
        valid: Expr,
        span: Span,
        scopes: &mut Scopes<'a>,
    ) -> (LocationId, Meaning) {
        if self.is_forgotten(&format!("{name} (local)"), span) {
            return (at, Meaning::Opaque);
        }
        let held = self.temporary(name, Type::Bool, span, scopes);
        (self.build.then(at, Action::Assign(place(held, span), valid), span), Meaning::Handle(held))
    }

    pub(super) fn assign(
        &mut self,
        at: LocationId,
        (target, ty): (Place, Type),
        e: &Syntax,
        span: Span,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        let own = self.lowering.library.is_room() || self.reach.is_own("rand");
        if let Some(values) = random(e).filter(|_| !own) {
            let after = self.build.location();
            for value in 0..values {
                let value = if ty == Type::Bool { i32::from(value != 0) } else { value };
                self.build.edge(at, after, Action::Assign(target.clone(), Expr::Const(value)), span);
            }
            return Ok(after);
        }
        match self.value_of(e, scopes)? {
            Some(value) => Ok(self.build.then(at, Action::Assign(target, of_type(ty, value)), span)),
            None => {
                self.forget(target.variable);
                Ok(at)
            }
        }
    }

    /// An expression as a statement.
    pub(super) fn effect_of(&mut self, at: LocationId, e: &Syntax, scopes: &mut Scopes<'a>) -> Lowered<LocationId> {
        match &e.kind {
            ExprKind::Binary(op, left, right) if is_assignment(op) => self.assignment(at, op, left, right, e, scopes),
            ExprKind::Unary(op @ ("++" | "--"), inner) | ExprKind::Postfix(op, inner) => {
                let one = Syntax { kind: ExprKind::Number(1), span: e.span };
                self.assignment(at, if *op == "++" { "+=" } else { "-=" }, inner, &one, e, scopes)
            }
            ExprKind::Call(function, _) if is_super(function) => self.call_super(at, e.span, scopes),
            ExprKind::Call(function, arguments) => self.call(at, function, arguments, e, scopes),
            ExprKind::Name(_) if is_super(e) => self.call_super(at, e.span, scopes),
            // A macro.
            ExprKind::Name(_) => no(e.span, "this statement"),
            _ => self.ignored(e, scopes).map(|()| at),
        }
    }

    fn assignment(
        &mut self,
        at: LocationId,
        op: &str,
        left: &Syntax,
        right: &Syntax,
        whole: &Syntax,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        let meaning = match &left.kind {
            ExprKind::Name(name) => self.meaning(name, scopes),
            _ => None,
        };
        if let (Some(Meaning::Timer), "=", Some((port, _))) = (&meaning, op, self.inform(right, scopes)) {
            let Some(member) = self.member_of(left, scopes) else { return no(left.span, "this timer") };
            self.named_priority(right, scopes)?;
            return Ok(self.set_member(at, member, (port, wish(right)), whole.span));
        }
        if let (Some(Meaning::Handle(held)), "=", true) = (&meaning, op, self.is_effect(right, scopes)) {
            let (at, valid) = self.handle(at, right, scopes)?;
            let Some(valid) = valid else {
                self.forget(*held);
                return Ok(at);
            };
            return Ok(self.build.then(at, Action::Assign(place(*held, left.span), valid), whole.span));
        }
        let object = self.object(left, scopes);
        if let Some(object) = object.as_ref().filter(|object| !object.shape.is_scalar() && op == "=") {
            return self.copy(at, object, right, scopes);
        }
        if object.as_ref().is_some_and(|object| object.shape == Shape::Opaque) {
            return self.ignored(right, scopes).map(|()| at);
        }
        let number = object.and_then(|object| object.place(left.span));
        let target = match &meaning {
            Some(Meaning::Variable(variable, ty)) => Some((place(*variable, left.span), *ty)),
            _ => number,
        };
        let prepared = match meaning {
            _ if target.is_some() => Some(self.prepared(at, right, scopes)?),
            Some(Meaning::Opaque) if !self.is_effect(right, scopes) => Some(self.prepared(at, right, scopes)?),
            _ => None,
        };
        let (at, right) = match &prepared {
            Some((at, right)) => (*at, right),
            None => (at, right),
        };
        if let Some((place, ty)) = target {
            if op == "=" {
                return self.assign(at, (place, ty), right, whole.span, scopes);
            }
            let op = op.strip_suffix('=').and_then(binary);
            let (Some(right), Some(op)) = (self.value_of(right, scopes)?, op) else {
                self.forget(place.variable);
                return Ok(at);
            };
            let old = Box::new(Expr::Read(place.clone()));
            let new = of_type(ty, Expr::Binary(op, old, Box::new(right)));
            return Ok(self.build.then(at, Action::Assign(place, new), whole.span));
        }
        match meaning {
            Some(Meaning::Timer) => no(whole.span, "a timer that is assigned"),
            // The identity of a timer or a part is not kept.
            Some(Meaning::Opaque) if op == "=" && self.is_effect(right, scopes) => self.effect_of(at, right, scopes),
            Some(Meaning::Opaque) => {
                self.ignored(right, scopes)?;
                self.forget_pointed(right, scopes);
                Ok(at)
            }
            _ => self.ignored(whole, scopes).map(|()| at),
        }
    }

    pub(super) fn meaning(&self, name: &str, scopes: &Scopes<'a>) -> Option<Meaning> {
        let local = scopes.frames.iter().rev().find_map(|frame| frame.get(name));
        local.or_else(|| self.names.known.get(name)).cloned()
    }

    /// Code whose value does not matter, and that cannot reach a port. What it mentions is unknown from now on if it could be
    /// changed.
    pub(super) fn ignored(&mut self, e: &Syntax, scopes: &mut Scopes<'a>) -> Lowered<()> {
        if self.harmless(e) || !could_write(e) {
            return Ok(());
        }
        let mut words = HashSet::new();
        words_of(e, &mut words);
        self.unknown(words, true, &Unreadable { span: e.span, what: String::from("this code"), sends: None }, scopes)
    }

    /// Code that is not understood, given by its words.
    pub(super) fn unknown(
        &mut self,
        mut words: HashSet<String>,
        writes: bool,
        error: &Unreadable,
        scopes: &Scopes<'a>,
    ) -> Lowered<()> {
        let locals: Vec<String> =
            words.iter().filter(|w| matches!(self.meaning(w, scopes), Some(Meaning::Sender))).cloned().collect();
        if let Some(word) = locals.into_iter().next().or_else(|| self.reach.close(&mut words)) {
            let what = format!("{}, which could send because of `{word}`,", error.what);
            return Err(Unreadable { span: error.span, what, sends: Some(word) });
        }
        let is_timer = |word: &&String| matches!(self.meaning(word, scopes), Some(Meaning::Timer));
        if let Some(word) = words.iter().find(is_timer).filter(|_| writes) {
            return no(error.span, format!("{}, which could change the timer `{word}`,", error.what));
        }
        self.may_fail |= Reach::could_fail(&words);
        self.may_end |= self.lowering.ended.is_some() && Reach::could_end(&words);
        if writes {
            self.forget_words(&words, scopes);
        }
        Ok(())
    }

    /// A decision that depends on what is not modelled.
    pub(super) fn guess(&mut self, error: &Unreadable) {
        let text = format!("{} is not modelled", error.what);
        self.messages.report(Diagnostic::warning("U0302", error.span, text).label("any value is possible here"));
    }

    pub(super) fn forget_all(&mut self, e: &Syntax, scopes: &Scopes<'a>) {
        let mut words = HashSet::new();
        words_of(e, &mut words);
        self.forget_words(&words, scopes);
    }

    /// What these names stand for is unknown.
    pub(super) fn forget_words(&mut self, words: &HashSet<String>, scopes: &Scopes<'a>) {
        for word in words {
            // An operation that is called there means the member.
            let member = self.names.known.get(word).cloned();
            for meaning in self.meaning(word, scopes).into_iter().chain(member) {
                match meaning {
                    Meaning::Variable(variable, _) | Meaning::Handle(variable) => self.forget(variable),
                    Meaning::Object(object) => object.variables().for_each(|variable| self.forget(variable)),
                    Meaning::Reply(data, valid) => data.into_iter().chain([valid]).for_each(|v| self.forget(v)),
                    _ => {}
                }
            }
        }
    }

    /// From the next round of the lowering on, the value of a variable is unknown.
    pub(super) fn forget(&mut self, variable: VariableId) {
        let variable = &self.build.variables[variable.index()];
        self.lowering.forgotten.borrow_mut().insert(super::key(&variable.name, variable.span));
    }

    pub(super) fn is_forgotten(&self, name: &str, span: Span) -> bool {
        self.lowering.forgotten.borrow().contains(&super::key(name, span))
    }

    /// The decision of an `if` or a loop.
    fn decision(&mut self, e: &Syntax, scopes: &mut Scopes<'a>) -> Lowered<Guard> {
        Ok(self.value_of(e, scopes)?.map_or_else(Guard::unknown, Guard::exact))
    }

    /// An assertion.
    pub(super) fn assertion(
        &mut self,
        at: LocationId,
        arguments: &[Syntax],
        span: Span,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        for argument in &arguments[1..] {
            self.ignored(argument, scopes)?;
        }
        let (at, condition) = self.prepared(at, &arguments[0], scopes)?;
        match self.value_of(&condition, scopes)? {
            Some(condition) => Ok(self.build.then(at, Action::Assert(condition), span)),
            None => {
                self.may_fail = true;
                Ok(self.failure(at, span))
            }
        }
    }
}

/// `CALLSUPER`, or the function `SUPERMETHOD`
fn is_super(e: &Syntax) -> bool {
    matches!(&e.kind, ExprKind::Name(name) if name == "CALLSUPER" || name == "SUPERMETHOD")
}

/// `msg->sap()`
pub(super) fn is_sender(e: &Syntax) -> bool {
    let ExprKind::Call(function, arguments) = &e.kind else { return false };
    let ExprKind::Member(message, method) = &function.kind else { return false };
    arguments.is_empty() && method == "sap" && message.kind == ExprKind::Name(String::from("msg"))
}

//! Action code as edges: the exact subset, and an error at its place for everything else.
//!
//! Exact are `int`, `bool` and enumerations. Code that only writes, such as `std::cout << x`, does nothing if no part of it can
//! have an effect. A value that is not exact, such as a string, is opaque: no exact expression may read it. Whatever could
//! send, set a timer or change a variable is either understood or an error; nothing is skipped.

use super::build::{place, value};
use super::handlers::{Cause, Handlers, not, unreadable};
use super::variables::{Meaning, Type, is_plain, scalar};
use crate::action::{Expr as Syntax, ExprKind, Stmt, StmtKind, Unreadable};
use crate::resolve::Slot;
use model::diagnostic::Diagnostic;
use model::expr::{BinaryOp, Expr, UnaryOp};
use model::ids::{LocationId, VariableId};
use model::network::Action;
use model::source::Span;
use std::collections::HashMap;

/// The most values that a random number may have.
const MOST_VALUES: i64 = 256;
/// Functions that only compute, or only write.
const HARMLESS: [&str; 12] = [
    "getName",
    "getIndex",
    "RTTimespec",
    "time",
    "rand",
    "srand",
    "printf",
    "puts",
    "std::to_string",
    "std::chrono::milliseconds",
    "std::chrono::seconds",
    "std::chrono::microseconds",
];

/// What is in scope.
pub(super) struct Scopes<'a> {
    pub(super) cause: Cause<'a>,
    frames: Vec<HashMap<String, Meaning>>,
    /// Variables that are declared in the code: they are 0 when it is left.
    locals: Vec<VariableId>,
    /// Per loop: behind it, and where it continues.
    loops: Vec<(LocationId, LocationId)>,
    end: LocationId,
}

impl<'a> Scopes<'a> {
    pub(super) fn new(cause: Cause<'a>) -> Self {
        Scopes { cause, frames: Vec::new(), locals: Vec::new(), loops: Vec::new(), end: 0.into() }
    }

    fn declare(&mut self, name: &str, meaning: Meaning) {
        if let Some(frame) = self.frames.last_mut() {
            frame.insert(name.to_owned(), meaning);
        }
    }
}

type Lowered<T> = Result<T, Unreadable>;

fn no<T>(span: Span, what: impl Into<String>) -> Lowered<T> {
    Err(Unreadable { span, what: what.into() })
}

impl<'a> Handlers<'_, '_, 'a, '_> {
    /// Runs statements; what is not understood is reported.
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
            at = self.build.then(at, Action::Assign(place(local, span), Expr::Const(0)), span);
        }
        at
    }

    fn block(&mut self, from: LocationId, statements: &[Stmt], scopes: &mut Scopes<'a>) -> Lowered<LocationId> {
        scopes.frames.push(HashMap::new());
        let mut at = from;
        for statement in statements {
            at = self.statement(at, statement, scopes)?;
        }
        scopes.frames.pop();
        Ok(at)
    }

    fn statement(&mut self, at: LocationId, statement: &Stmt, scopes: &mut Scopes<'a>) -> Lowered<LocationId> {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Block(inner) => self.block(at, inner, scopes),
            StmtKind::Declare(ty, names) => {
                let mut at = at;
                for (name, first) in names {
                    at = self.declare(at, ty, name, first.as_ref(), span, scopes)?;
                }
                Ok(at)
            }
            StmtKind::Expr(e) => self.effect_of(at, e, scopes),
            StmtKind::If(condition, then, other) => {
                let condition = self.exact(condition, scopes)?;
                let yes = self.build.then(at, Action::Condition(condition.clone()), span);
                let no = self.build.then(at, Action::Condition(not(condition)), span);
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
                let condition = self.exact(condition, scopes)?;
                self.build.edge(test, start, Action::Condition(condition.clone()), span);
                self.build.edge(test, after, Action::Condition(not(condition)), span);
                Ok(after)
            }
            StmtKind::For(first, condition, step, body) => {
                self.repeat(at, first.as_deref(), condition.as_ref(), step.as_ref(), body, span, scopes)
            }
            StmtKind::Return(None) => Ok(self.jump(at, scopes.end, span)),
            StmtKind::Return(Some(e)) => no(e.span, "a value that is returned"),
            StmtKind::Break | StmtKind::Continue => {
                let Some(&(after, next)) = scopes.loops.last() else { return no(span, "a jump outside a loop") };
                Ok(self.jump(at, if statement.kind == StmtKind::Break { after } else { next }, span))
            }
        }
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
        let condition = match condition {
            Some(condition) => self.exact(condition, scopes)?,
            None => Expr::Const(1),
        };
        let start = self.build.then(test, Action::Condition(condition.clone()), span);
        self.build.edge(test, after, Action::Condition(not(condition)), span);
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

    fn declare(
        &mut self,
        at: LocationId,
        ty: &str,
        name: &str,
        first: Option<&Syntax>,
        span: Span,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        if let Some(ty) = self.names.exact(ty) {
            let local = self.build.variable(format!("{name} (local)"), scalar(ty), 0, span);
            scopes.locals.push(local);
            let at = match first {
                Some(first) => self.assign(at, local, ty, first, scopes)?,
                None => at,
            };
            let meaning = if first.is_some() { Meaning::Variable(local, ty) } else { Meaning::Unset };
            scopes.declare(name, meaning);
            return Ok(at);
        }
        if !is_plain(ty) {
            return no(span, format!("a variable of the type `{ty}`"));
        }
        let mut at = at;
        let mut meaning = Meaning::Opaque;
        if let Some(first) = first {
            if is_sender(first) {
                meaning = Meaning::Sender;
            } else if self.timer(first, scopes)?.is_some() {
                at = self.effect_of(at, first, scopes)?;
            } else {
                self.harmless(first, scopes)?;
            }
        }
        scopes.declare(name, meaning);
        Ok(at)
    }

    fn assign(
        &mut self,
        at: LocationId,
        variable: VariableId,
        ty: Type,
        e: &Syntax,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        let target = || place(variable, e.span);
        let own = self.lowering.library.is_room() || self.meaning("rand", scopes).is_some();
        if let Some(values) = random(e).filter(|_| !own) {
            let after = self.build.location();
            for value in 0..values {
                let value = if ty == Type::Bool { i32::from(value != 0) } else { value };
                self.build.edge(at, after, Action::Assign(target(), Expr::Const(value)), e.span);
            }
            return Ok(after);
        }
        let value = self.exact(e, scopes)?;
        Ok(self.build.then(at, Action::Assign(target(), of_type(ty, value)), e.span))
    }

    /// An expression as a statement.
    fn effect_of(&mut self, at: LocationId, e: &Syntax, scopes: &mut Scopes<'a>) -> Lowered<LocationId> {
        match &e.kind {
            ExprKind::Binary(op, left, right) if op.ends_with('=') && !["==", "!=", "<=", ">="].contains(op) => {
                self.assignment(at, op, left, right, e, scopes)
            }
            ExprKind::Unary(op @ ("++" | "--"), inner) | ExprKind::Postfix(op, inner) => {
                let one = Syntax { kind: ExprKind::Number(1), span: e.span };
                self.assignment(at, if *op == "++" { "+=" } else { "-=" }, inner, &one, e, scopes)
            }
            ExprKind::Call(function, arguments) => self.call(at, function, arguments, e, scopes),
            ExprKind::Binary("<<", left, _) if is_output(left) => self.harmless(e, scopes).map(|()| at),
            _ => no(e.span, "this statement"),
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
        let ExprKind::Name(name) = &left.kind else { return no(left.span, "an assignment to this") };
        match self.meaning(name, scopes) {
            Some(Meaning::Variable(variable, ty)) if op == "=" => self.assign(at, variable, ty, right, scopes),
            Some(Meaning::Variable(variable, ty)) => {
                let right = self.exact(right, scopes)?;
                let Some(op) = op.strip_suffix('=').and_then(binary) else { return no(whole.span, "this operator") };
                let old = value(variable, left.span);
                let new = of_type(ty, Expr::Binary(op, Box::new(old), Box::new(right)));
                Ok(self.build.then(at, Action::Assign(place(variable, left.span), new), whole.span))
            }
            Some(Meaning::Opaque) if op == "=" => self.harmless(right, scopes).map(|()| at),
            Some(Meaning::Unset) => no(left.span, format!("`{name}`, which has no value at first,")),
            _ => no(left.span, format!("an assignment to `{name}`")),
        }
    }

    fn meaning(&self, name: &str, scopes: &Scopes<'a>) -> Option<Meaning> {
        let local = scopes.frames.iter().rev().find_map(|frame| frame.get(name));
        local.or_else(|| self.names.known.get(name)).cloned()
    }

    fn call(
        &mut self,
        at: LocationId,
        function: &Syntax,
        arguments: &[Syntax],
        whole: &Syntax,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        if let Some(port) = self.timer(whole, scopes)? {
            let pending = self.lowering.timers[&(self.instance, port)];
            let name = &self.class.ports[port].name.text;
            let symbol = self.lowering.symbols[&(name.clone(), String::from("timeout"))];
            return Ok(self.build.then(at, super::send(pending, symbol, whole.span), whole.span));
        }
        match &function.kind {
            ExprKind::Name(name)
                if matches!(name.as_str(), "assert" | "ASSERT")
                    && !arguments.is_empty()
                    && !self.lowering.library.is_room()
                    && self.meaning(name, scopes).is_none() =>
            {
                for argument in &arguments[1..] {
                    self.harmless(argument, scopes)?;
                }
                let condition = self.exact(&arguments[0], scopes)?;
                Ok(self.build.then(at, Action::Assert(condition), whole.span))
            }
            ExprKind::Member(inner, method) => {
                if let ExprKind::Name(port) = &inner.kind {
                    return self.port_call(at, port, method, arguments, whole, scopes);
                }
                let ExprKind::Call(event, data) = &inner.kind else { return no(whole.span, "this call") };
                let ExprKind::Member(target, event) = &event.kind else { return no(whole.span, "this call") };
                let only = match (method.as_str(), arguments) {
                    ("send", []) => None,
                    ("sendAt", [index]) => match index.kind {
                        ExprKind::Number(index) => Some(index),
                        _ => return no(index.span, "an index that is not a number"),
                    },
                    _ => return no(whole.span, format!("`{method}`")),
                };
                let port = self.target(target, scopes)?;
                self.send(at, port, event, data, only, whole, scopes)
            }
            _ => self.harmless(whole, scopes).map(|()| at),
        }
    }

    /// The port that a message is sent to: by name, or the one that the message came from.
    fn target(&self, e: &Syntax, scopes: &Scopes<'a>) -> Lowered<usize> {
        let name = match &e.kind {
            ExprKind::Name(name) => name,
            ExprKind::Cast(_, inner) => match &inner.kind {
                ExprKind::Name(name) => name,
                _ => return no(e.span, "this port"),
            },
            _ => return no(e.span, "this port"),
        };
        match (self.meaning(name, scopes), scopes.cause) {
            (Some(Meaning::Sender), Some((port, _))) => Ok(port),
            (None, _) if matches!(e.kind, ExprKind::Name(_)) => match self.class.port(name) {
                Some(port) => Ok(port),
                None => no(e.span, format!("`{name}`, which is not a port,")),
            },
            _ => no(e.span, format!("`{name}`")),
        }
    }

    /// A call of something of a port: a message in ROOM, a line of a log in Art.
    fn port_call(
        &mut self,
        at: LocationId,
        port: &str,
        method: &str,
        arguments: &[Syntax],
        whole: &Syntax,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        let found = self.class.port(port).filter(|_| self.meaning(port, scopes).is_none());
        let Some(index) = found else { return no(whole.span, format!("the call of `{method}`")) };
        let protocol = self.class.ports[index].protocol.text.as_str();
        if self.lowering.library.is_room() {
            return self.send(at, index, method, arguments, None, whole, scopes);
        }
        if protocol == "Log" && matches!(method, "log" | "show" | "commit" | "open" | "close" | "cr" | "crtab") {
            for argument in arguments {
                self.harmless(argument, scopes)?;
            }
            return Ok(at);
        }
        no(whole.span, format!("the call of `{method}` on a port of `{protocol}`"))
    }

    #[allow(clippy::too_many_arguments)]
    fn send(
        &mut self,
        at: LocationId,
        port: usize,
        event: &str,
        data: &[Syntax],
        only: Option<i64>,
        whole: &Syntax,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        // No code reads what a message carries: such code is rejected.
        for value in data {
            self.harmless(value, scopes)?;
        }
        let declared = &self.class.ports[port];
        if !declared.behavior {
            return no(whole.span, format!("a send by `{}`, which is not a behaviour port,", declared.name.text));
        }
        if !declared.alphabet.outgoing.iter().any(|known| known.text == event) {
            let text = format!("port `{}` does not send `{event}`", declared.name.text);
            self.messages.report(Diagnostic::error("U0203", whole.span, text).also(declared.name.span, "the port"));
            return Ok(at);
        }
        let ends = self.ends(port);
        if only.is_some_and(|only| usize::try_from(only).map_or(true, |only| only >= ends)) {
            return no(whole.span, "an index that the port does not have");
        }
        let mut at = at;
        let mut sent = false;
        for index in (0..ends).filter(|&index| only.is_none_or(|only| only == index as i64)) {
            let slot = Slot { instance: self.instance, port, index };
            if let Some((queue, symbol)) = self.lowering.receiver(slot, event) {
                sent = true;
                at = self.build.then(at, super::send(queue, symbol, whole.span), whole.span);
            }
        }
        if !sent {
            let text = format!("port `{}` is not connected here: the message is lost", declared.name.text);
            let of = if self.lowering.instances.instances[self.instance].path.is_empty() {
                String::from("in the top capsule")
            } else {
                format!("in `{}`", self.lowering.instances.instances[self.instance].path)
            };
            self.messages.report(Diagnostic::warning("U0301", whole.span, text).label(of));
        }
        Ok(at)
    }

    /// How many ends a port has; the connectors were made with the same number.
    fn ends(&self, port: usize) -> usize {
        match self.class.ports[port].multiplicity {
            crate::ast::Multiplicity::Number(number, _) => *number as usize,
            crate::ast::Multiplicity::Range(_, high, _) => *high as usize,
            crate::ast::Multiplicity::Code(code) => code.text.trim().parse().unwrap_or(0),
            crate::ast::Multiplicity::One => 1,
        }
    }

    /// The timing port, if this sets a timer.
    fn timer(&self, e: &Syntax, scopes: &Scopes<'a>) -> Lowered<Option<usize>> {
        let ExprKind::Call(function, arguments) = &e.kind else { return Ok(None) };
        let ExprKind::Member(port, method) = &function.kind else { return Ok(None) };
        let ExprKind::Name(name) = &port.kind else { return Ok(None) };
        let Some(index) = self.class.port(name).filter(|_| self.meaning(name, scopes).is_none()) else {
            return Ok(None);
        };
        if !self.lowering.timers.contains_key(&(self.instance, index)) {
            return Ok(None);
        }
        match (method.as_str(), arguments.as_slice()) {
            ("informIn" | "informAt", [when]) => self.harmless(when, scopes).map(|()| Some(index)),
            _ => no(e.span, format!("the call of `{method}` on a timing port")),
        }
    }

    /// Whether an expression has no effect and its value does not matter.
    fn harmless(&self, e: &Syntax, scopes: &Scopes<'a>) -> Lowered<()> {
        match &e.kind {
            ExprKind::Number(_) | ExprKind::Literal | ExprKind::Name(_) => Ok(()),
            ExprKind::Unary(op, inner) if !matches!(*op, "++" | "--" | "&") => self.harmless(inner, scopes),
            ExprKind::Binary(op, left, right) if ["==", "!=", "<=", ">="].contains(op) || !op.ends_with('=') => {
                self.harmless(left, scopes)?;
                self.harmless(right, scopes)
            }
            ExprKind::Conditional(condition, then, other) => {
                [condition, then, other].into_iter().try_for_each(|e| self.harmless(e, scopes))
            }
            ExprKind::Cast(_, inner) => self.harmless(inner, scopes),
            ExprKind::Call(function, arguments) => {
                let ExprKind::Name(name) = &function.kind else { return no(e.span, "this call") };
                // An operation of a ROOM class may have any name.
                let own = self.lowering.library.is_room() || self.meaning(name, scopes).is_some();
                if own || !HARMLESS.contains(&name.as_str()) {
                    return no(e.span, format!("the call of `{name}`"));
                }
                arguments.iter().try_for_each(|argument| self.harmless(argument, scopes))
            }
            _ => no(e.span, "this expression"),
        }
    }

    /// A guard; an error is reported.
    pub(super) fn exact_guard(&mut self, e: &Syntax, cause: Cause<'a>) -> Expr {
        match self.exact(e, &Scopes::new(cause)) {
            Ok(e) => e,
            Err(error) => {
                self.messages.report(unreadable(&error));
                Expr::Const(0)
            }
        }
    }

    /// An exact expression.
    fn exact(&self, e: &Syntax, scopes: &Scopes<'a>) -> Lowered<Expr> {
        match &e.kind {
            ExprKind::Number(number) => match i32::try_from(*number) {
                Ok(number) => Ok(Expr::Const(number)),
                Err(_) => no(e.span, "this number"),
            },
            ExprKind::Name(name) if name == "true" => Ok(Expr::Const(1)),
            ExprKind::Name(name) if name == "false" => Ok(Expr::Const(0)),
            ExprKind::Name(name) => match self.meaning(name, scopes) {
                Some(Meaning::Variable(variable, _)) => Ok(value(variable, e.span)),
                Some(Meaning::Constant(number)) => Ok(Expr::Const(number)),
                Some(Meaning::Sender) if scopes.cause.is_some() => Ok(Expr::Const(1)),
                Some(Meaning::Unset) => no(e.span, format!("`{name}`, which has no value at first,")),
                Some(_) => no(e.span, format!("the value of `{name}`")),
                None => no(e.span, format!("`{name}`, which is not declared as int, bool or an enumeration,")),
            },
            ExprKind::Unary(op, inner) => {
                let op = match *op {
                    "!" => UnaryOp::Not,
                    "-" => UnaryOp::Negate,
                    "~" => UnaryOp::Complement,
                    _ => return no(e.span, "this expression"),
                };
                Ok(Expr::Unary(op, Box::new(self.exact(inner, scopes)?)))
            }
            ExprKind::Binary(op, left, right) => {
                // `port != (RTProtocol *) 0`: a message that came has a port.
                if let (Expr::Const(1), true, "!=" | "==") = (self.sender(left, scopes), is_null(right), *op) {
                    return Ok(Expr::Const(i32::from(*op == "!=")));
                }
                let Some(op) = binary(op) else { return no(e.span, format!("`{op}`")) };
                let (left, right) = (self.exact(left, scopes)?, self.exact(right, scopes)?);
                Ok(Expr::Binary(op, Box::new(left), Box::new(right)))
            }
            ExprKind::Conditional(condition, then, other) => Ok(Expr::Conditional(
                Box::new(self.exact(condition, scopes)?),
                Box::new(self.exact(then, scopes)?),
                Box::new(self.exact(other, scopes)?),
            )),
            ExprKind::Cast(ty, inner) if ty == "int" => self.exact(inner, scopes),
            ExprKind::Cast(ty, inner) if ty == "bool" => Ok(of_type(Type::Bool, self.exact(inner, scopes)?)),
            _ => no(e.span, "this expression"),
        }
    }

    /// 1 if the expression is the port that the message came from.
    fn sender(&self, e: &Syntax, scopes: &Scopes<'a>) -> Expr {
        let is = matches!(&e.kind, ExprKind::Name(name)
            if matches!(self.meaning(name, scopes), Some(Meaning::Sender)) && scopes.cause.is_some());
        Expr::Const(i32::from(is))
    }
}

/// `std::cout << a << b`
fn is_output(e: &Syntax) -> bool {
    match &e.kind {
        ExprKind::Binary("<<", left, _) => is_output(left),
        ExprKind::Name(name) => matches!(name.as_str(), "std::cout" | "cout" | "std::cerr" | "cerr"),
        _ => false,
    }
}

/// `msg->sap()`
fn is_sender(e: &Syntax) -> bool {
    let ExprKind::Call(function, arguments) = &e.kind else { return false };
    let ExprKind::Member(message, method) = &function.kind else { return false };
    arguments.is_empty() && method == "sap" && message.kind == ExprKind::Name(String::from("msg"))
}

fn is_null(e: &Syntax) -> bool {
    match &e.kind {
        ExprKind::Cast(_, inner) => is_null(inner),
        ExprKind::Number(number) => *number == 0,
        ExprKind::Name(name) => name == "nullptr" || name == "NULL",
        _ => false,
    }
}

/// `rand() % n`: how many values it has.
fn random(e: &Syntax) -> Option<i32> {
    let ExprKind::Binary("%", left, right) = &e.kind else { return None };
    let ExprKind::Call(function, arguments) = &left.kind else { return None };
    let is_rand = matches!(&function.kind, ExprKind::Name(name) if name == "rand" || name == "std::rand");
    match right.kind {
        ExprKind::Number(values) if is_rand && arguments.is_empty() && (1..=MOST_VALUES).contains(&values) => {
            i32::try_from(values).ok()
        }
        _ => None,
    }
}

/// A value as a variable of a type holds it.
fn of_type(ty: Type, e: Expr) -> Expr {
    match ty {
        Type::Int => e,
        Type::Bool => Expr::Binary(BinaryOp::NotEqual, Box::new(e), Box::new(Expr::Const(0))),
    }
}

/// Shifts are left out: what C++ does with most of them is undefined.
fn binary(op: &str) -> Option<BinaryOp> {
    Some(match op {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "%" => BinaryOp::Rem,
        "&" => BinaryOp::BitAnd,
        "|" => BinaryOp::BitOr,
        "^" => BinaryOp::BitXor,
        "<" => BinaryOp::Less,
        "<=" => BinaryOp::LessEqual,
        ">" => BinaryOp::Greater,
        ">=" => BinaryOp::GreaterEqual,
        "==" => BinaryOp::Equal,
        "!=" => BinaryOp::NotEqual,
        "&&" => BinaryOp::And,
        "||" => BinaryOp::Or,
        _ => return None,
    })
}

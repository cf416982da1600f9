//! What code that is not understood could do.
//!
//! It may give any value to the variables that it mentions. It cannot send, set a timer or create a part unless it mentions a port,
//! the capsule itself, the message that is handled, or an operation of the capsule that does. Such code is rejected.

use crate::action::{self, Expr, ExprKind, Stmt, StmtKind};
use crate::resolve::{Class, Library};
use std::collections::HashSet;

/// Words with which code could reach a port without naming it.
const REACHING: [&str; 28] = [
    "this",
    "self",
    "msg",
    "getMsg",
    "rtport",
    "context",
    "CALLSUPER",
    "SUPERMETHOD",
    "send",
    "sendAt",
    "invoke",
    "invokeAt",
    "reply",
    "forward",
    "sap",
    "defer",
    "recall",
    "recallAll",
    "purge",
    "incarnate",
    "incarnateAt",
    "destroy",
    "import",
    "deport",
    "informIn",
    "informAt",
    "informEvery",
    "cancelTimer",
];

/// Words with which code could fail.
const FAILING: [&str; 3] = ["assert", "ASSERT", "FAIL"];

/// What a class has that code could reach.
pub(super) struct Reach {
    forbidden: HashSet<String>,
    /// Own code and macros: what can be called there, and all words of it.
    bodies: Vec<(HashSet<String>, HashSet<String>)>,
}

impl Reach {
    pub(super) fn new(library: &Library<'_>, class: &Class<'_>) -> Reach {
        // A log only writes.
        let is_log = |name: &str| class.port(name).is_some_and(|port| class.ports[port].protocol.text == "Log");
        let ports = class.lineage.iter().flat_map(|c| &c.ports).map(|port| port.name.text.clone());
        let ports = ports.filter(|name| library.is_room() || !is_log(name));
        let parts = class.lineage.iter().flat_map(|c| &c.parts).map(|part| part.name.text.clone());
        // In ROOM `msg` is the name of data.
        let reaching = REACHING.iter().filter(|word| !(library.is_room() && **word == "msg"));
        let forbidden = reaching.map(|word| (*word).to_owned()).chain(ports).chain(parts).collect();
        let own = class.lineage.iter().flat_map(|capsule| &capsule.snippets);
        let macros = library.snippets.iter().copied().filter(|snippet| snippet.code.text.contains("#define"));
        let mut bodies = Vec::new();
        for snippet in own.chain(macros) {
            let mut called = action::called(&snippet.code);
            called.extend(snippet.kind.text.strip_prefix("operation ").map(str::to_owned));
            let mut words = action::words(&snippet.code);
            // A function stands for itself; what is left stands for everything that is called in it.
            let functions = action::functions(&snippet.code);
            if matches!(snippet.kind.text.as_str(), "decl" | "impl") && !functions.is_empty() {
                words = action::members(&snippet.code).1;
                for function in functions {
                    called.remove(&function.name);
                    bodies.push((HashSet::from([function.name]), function.words));
                }
            }
            bodies.push((called, words));
        }
        Reach { forbidden, bodies }
    }

    /// Whether a function may be one of the class, or a macro.
    pub(super) fn is_own(&self, function: &str) -> bool {
        self.bodies.iter().any(|(called, _)| called.contains(function))
    }

    /// Whether a word could reach a port.
    pub(super) fn forbids(&self, word: &str) -> bool {
        self.forbidden.contains(word)
    }

    /// Whether words, closed under calls, could fail an assertion.
    pub(super) fn could_fail(words: &HashSet<String>) -> bool {
        FAILING.iter().any(|word| words.contains(*word))
    }

    /// Adds what the operations mention that some words call; then a word that could reach a port, if there is one.
    pub(super) fn close(&self, words: &mut HashSet<String>) -> Option<String> {
        let mut left: Vec<&(HashSet<String>, HashSet<String>)> = self.bodies.iter().collect();
        while let Some(next) = left.iter().position(|(called, _)| !called.is_disjoint(words)) {
            words.extend(left.remove(next).1.iter().cloned());
        }
        let mut found: Vec<&String> = words.intersection(&self.forbidden).collect();
        found.sort();
        found.first().map(|word| (*word).clone())
    }
}

/// The words of an expression.
pub(super) fn words_of(e: &Expr, words: &mut HashSet<String>) {
    match &e.kind {
        ExprKind::Number(_) | ExprKind::Literal | ExprKind::Text(_) => {}
        ExprKind::Name(name) => words.extend(name.split("::").map(str::to_owned)),
        ExprKind::Member(inner, name) => {
            words.insert(name.clone());
            if !only_tells(inner, name) {
                words_of(inner, words);
            }
        }
        ExprKind::Call(function, arguments) => {
            words_of(function, words);
            arguments.iter().for_each(|argument| words_of(argument, words));
        }
        ExprKind::New(ty, arguments) => {
            words.extend(ty.split("::").map(str::to_owned));
            arguments.iter().for_each(|argument| words_of(argument, words));
        }
        ExprKind::Unary(_, inner) | ExprKind::Postfix(_, inner) | ExprKind::Cast(_, inner) => words_of(inner, words),
        ExprKind::Binary(_, left, right) | ExprKind::Index(left, right) => {
            words_of(left, words);
            words_of(right, words);
        }
        ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| words_of(e, words)),
    }
}

/// `msg->getType()`, `context()->perror`: neither sends, nor gives access to something that could.
fn only_tells(object: &Expr, method: &str) -> bool {
    match &object.kind {
        ExprKind::Name(name) => {
            name == "msg"
                && ["getType", "getData", "getSignalName", "sapIndex0", "sapIndex", "getPriority"].contains(&method)
        }
        ExprKind::Call(function, arguments) => {
            arguments.is_empty()
                && function.kind == ExprKind::Name(String::from("context"))
                && ["perror", "printStats", "error", "debug"].contains(&method)
        }
        _ => false,
    }
}

/// A call that ends the program: `exit(0)`, `context()->abort()`.
pub(super) fn ends_program(function: &Expr) -> bool {
    match &function.kind {
        ExprKind::Name(name) => ["exit", "abort", "std::exit", "std::abort", "_exit"].contains(&name.as_str()),
        ExprKind::Member(object, method) => {
            let is_context = |e: &Expr| e.kind == ExprKind::Name(String::from("context"));
            method == "abort" && matches!(&object.kind, ExprKind::Call(function, _) if is_context(function))
        }
        _ => false,
    }
}

/// Whether an expression could change what it mentions: it assigns, calls, or takes an address.
pub(super) fn could_write(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Number(_) | ExprKind::Literal | ExprKind::Text(_) | ExprKind::Name(_) => false,
        ExprKind::Call(..) | ExprKind::Postfix(..) | ExprKind::New(..) => true,
        ExprKind::Unary(op, inner) => matches!(*op, "++" | "--" | "&") || could_write(inner),
        // `stream >> x` and `object << x` are calls.
        ExprKind::Binary("<<" | ">>", left, right) => {
            let computes = |e: &Expr| matches!(e.kind, ExprKind::Number(_));
            !(is_output(e) || computes(left) || computes(right)) || could_write(left) || could_write(right)
        }
        ExprKind::Binary(op, left, right) => is_assignment(op) || could_write(left) || could_write(right),
        ExprKind::Index(left, right) => could_write(left) || could_write(right),
        ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().any(|e| could_write(e)),
        ExprKind::Member(inner, _) | ExprKind::Cast(_, inner) => could_write(inner),
    }
}

/// `std::cout << a << b`
fn is_output(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary("<<", left, _) => is_output(left),
        ExprKind::Name(name) => matches!(name.as_str(), "std::cout" | "cout" | "std::cerr" | "cerr"),
        _ => false,
    }
}

pub(super) fn is_assignment(op: &str) -> bool {
    op.ends_with('=') && !["==", "!=", "<=", ">="].contains(&op)
}

/// Whether a variable without a value gets one before anything reads it: the first statement that mentions it assigns it.
pub(super) fn is_set_first(name: &str, statements: &[Stmt]) -> bool {
    for statement in statements {
        if let StmtKind::Expr(Expr { kind: ExprKind::Binary("=", left, right), .. }) = &statement.kind
            && left.kind == ExprKind::Name(name.to_owned())
        {
            let mut words = HashSet::new();
            words_of(right, &mut words);
            return !words.contains(name);
        }
        let mut words = HashSet::new();
        words_of_statement(statement, &mut words);
        if words.contains(name) || leaves(statement) {
            return false;
        }
    }
    false
}

/// Whether a statement may leave the list that it is in.
fn leaves(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => true,
        StmtKind::Block(inner) => inner.iter().any(leaves),
        StmtKind::If(_, then, other) => leaves(then) || other.as_ref().is_some_and(|other| leaves(other)),
        StmtKind::While(_, body) | StmtKind::DoWhile(body, _) | StmtKind::For(_, _, _, body) => leaves(body),
        StmtKind::Switch(_, arms) => arms.iter().flat_map(|arm| &arm.body).any(leaves),
        StmtKind::Declare(..) | StmtKind::Expr(_) => false,
    }
}

/// Calls `visit` for an expression and everything in it.
pub(super) fn expressions_in(e: &Expr, visit: &mut dyn FnMut(&Expr)) {
    visit(e);
    match &e.kind {
        ExprKind::Number(_) | ExprKind::Literal | ExprKind::Text(_) | ExprKind::Name(_) => {}
        ExprKind::Member(inner, _) | ExprKind::Unary(_, inner) | ExprKind::Postfix(_, inner) => {
            expressions_in(inner, visit);
        }
        ExprKind::Cast(_, inner) => expressions_in(inner, visit),
        ExprKind::Call(function, arguments) => {
            expressions_in(function, visit);
            arguments.iter().for_each(|e| expressions_in(e, visit));
        }
        ExprKind::New(_, arguments) => arguments.iter().for_each(|e| expressions_in(e, visit)),
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => [a, b].into_iter().for_each(|e| expressions_in(e, visit)),
        ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| expressions_in(e, visit)),
    }
}

/// Calls `visit` for the expressions of a statement.
pub(super) fn expressions(statement: &Stmt, visit: &mut dyn FnMut(&Expr)) {
    match &statement.kind {
        StmtKind::Block(inner) => inner.iter().for_each(|s| expressions(s, visit)),
        StmtKind::Declare(_, names) => names.iter().filter_map(|(_, value)| value.as_ref()).for_each(visit),
        StmtKind::Expr(e) => visit(e),
        StmtKind::If(condition, then, other) => {
            visit(condition);
            expressions(then, visit);
            other.iter().for_each(|s| expressions(s, visit));
        }
        StmtKind::While(condition, body) | StmtKind::DoWhile(body, condition) => {
            visit(condition);
            expressions(body, visit);
        }
        StmtKind::For(first, condition, step, body) => {
            first.iter().for_each(|s| expressions(s, visit));
            condition.iter().chain(step).for_each(&mut *visit);
            expressions(body, visit);
        }
        StmtKind::Switch(e, arms) => {
            visit(e);
            arms.iter().flat_map(|arm| &arm.body).for_each(|s| expressions(s, visit));
        }
        StmtKind::Return(value) => value.iter().for_each(visit),
        StmtKind::Break | StmtKind::Continue => {}
    }
}

pub(super) fn words_of_statement(statement: &Stmt, words: &mut HashSet<String>) {
    match &statement.kind {
        StmtKind::Block(inner) => inner.iter().for_each(|s| words_of_statement(s, words)),
        StmtKind::Declare(_, names) => {
            for (name, value) in names {
                words.insert(name.clone());
                value.iter().for_each(|e| words_of(e, words));
            }
        }
        StmtKind::Expr(e) => words_of(e, words),
        StmtKind::If(condition, then, other) => {
            words_of(condition, words);
            words_of_statement(then, words);
            other.iter().for_each(|s| words_of_statement(s, words));
        }
        StmtKind::While(condition, body) | StmtKind::DoWhile(body, condition) => {
            words_of(condition, words);
            words_of_statement(body, words);
        }
        StmtKind::For(first, condition, step, body) => {
            first.iter().for_each(|s| words_of_statement(s, words));
            condition.iter().chain(step).for_each(|e| words_of(e, words));
            words_of_statement(body, words);
        }
        StmtKind::Switch(e, arms) => {
            words_of(e, words);
            arms.iter().flat_map(|arm| &arm.body).for_each(|s| words_of_statement(s, words));
        }
        StmtKind::Return(value) => value.iter().for_each(|e| words_of(e, words)),
        StmtKind::Break | StmtKind::Continue => {}
    }
}

//! What code that is not understood could do.
//!
//! It may give any value to the variables that it mentions. It cannot send, set a timer or create a part unless it mentions a port,
//! the capsule itself, the message that is handled, an operation of the capsule that does, something that got one of these when the
//! capsule was made, or what looks like a macro of a file that is not known. Such code is rejected.

use crate::action::{self, Expr, ExprKind, Stmt, StmtKind};
use crate::ast::Code;
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

/// Macros that neither send nor give access to something that could.
const KNOWN_MACROS: [&str; 3] = ["PASS", "FAIL", "ASSERT"];

/// How a call is marked among words that looks like one of a macro, which may be replaced by any code.
fn macro_mark(name: &str) -> Option<String> {
    let is_upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    (name.len() > 1 && name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(is_upper))
        .then(|| format!("{name}()"))
}

/// All words of code that cannot be parsed.
pub(super) fn words_of_text(code: &Code) -> HashSet<String> {
    let macros: Vec<String> = action::called(code).iter().filter_map(|name| macro_mark(name)).collect();
    action::words(code).into_iter().chain(macros).collect()
}

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
        let given: HashSet<String> = ports.clone().chain(["this", "self"].map(String::from)).collect();
        let mut forbidden: HashSet<String> =
            reaching.map(|word| (*word).to_owned()).chain(ports).chain(parts).collect();
        // What knows the capsule or a port from the start can send later.
        for snippet in class.lineage.iter().flat_map(|capsule| &capsule.snippets) {
            forbidden.extend(action::given_away(&snippet.code, |word| given.contains(word)));
        }
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

    /// Whether they could end the program.
    pub(super) fn could_end(words: &HashSet<String>) -> bool {
        ENDING.iter().any(|word| words.contains(*word))
    }

    /// Adds what the operations mention that some words call; then a word that could reach a port, if there is one.
    pub(super) fn close(&self, words: &mut HashSet<String>) -> Option<String> {
        let mut left: Vec<&(HashSet<String>, HashSet<String>)> = self.bodies.iter().collect();
        while let Some(next) = left.iter().position(|(called, _)| !called.is_disjoint(words)) {
            words.extend(left.remove(next).1.iter().cloned());
        }
        let mut found: Vec<&String> = words.intersection(&self.forbidden).collect();
        let is_unknown = |word: &&str| !KNOWN_MACROS.contains(word) && !self.is_own(word);
        let macros = words.iter().filter_map(|word| word.strip_suffix("()")).filter(is_unknown);
        let mut found: Vec<String> = found.drain(..).cloned().chain(macros.map(str::to_owned)).collect();
        found.sort();
        found.into_iter().next()
    }
}

/// The words of an expression.
pub(super) fn words_of(e: &Expr, words: &mut HashSet<String>) {
    match &e.kind {
        ExprKind::Name(name) | ExprKind::New(name, _) => words.extend(name.split("::").map(str::to_owned)),
        ExprKind::Member(_, name) => drop(words.insert(name.clone())),
        ExprKind::Call(function, _) => {
            if let ExprKind::Name(name) = &function.kind {
                words.extend(macro_mark(name));
            }
        }
        _ => {}
    }
    if !matches!(&e.kind, ExprKind::Member(inner, name) if only_tells(inner, name)) {
        children(e).into_iter().for_each(|inner| words_of(inner, words));
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

/// What a call ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    Program,
    Thread,
}

/// Words in calls that end something.
pub(super) const ENDING: [&str; 3] = ["exit", "_exit", "abort"];

/// A call that ends the program, or the thread: `exit(0)`, `context()->abort()`.
pub(super) fn ends(function: &Expr) -> Option<Ends> {
    match &function.kind {
        ExprKind::Name(name) => {
            let name = name.strip_prefix("std::").unwrap_or(name);
            ENDING.contains(&name).then_some(Ends::Program)
        }
        ExprKind::Member(object, method) => {
            let is_context = |e: &Expr| e.kind == ExprKind::Name(String::from("context"));
            let ends = method == "abort" && matches!(&object.kind, ExprKind::Call(function, _) if is_context(function));
            ends.then_some(Ends::Thread)
        }
        _ => None,
    }
}

/// Whether an expression could change what it mentions: it assigns, calls, or takes an address.
pub(super) fn could_write(e: &Expr) -> bool {
    let writes = match &e.kind {
        ExprKind::Call(..) | ExprKind::Postfix(..) | ExprKind::New(..) => true,
        ExprKind::Unary(op, _) => matches!(*op, "++" | "--" | "&"),
        // `stream >> x` and `object << x` are calls.
        ExprKind::Binary("<<" | ">>", left, right) => {
            let computes = |e: &Expr| matches!(e.kind, ExprKind::Number(_));
            !(is_output(e) || computes(left) || computes(right))
        }
        ExprKind::Binary(op, ..) => is_assignment(op),
        _ => false,
    };
    writes || children(e).into_iter().any(could_write)
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

/// Whether a variable without a value gets one before anything reads it: the first statement that mentions it assigns it. Functions
/// that could read it are given.
pub(super) fn is_set_first(name: &str, statements: &[Stmt], functions: &HashSet<String>) -> bool {
    for statement in statements {
        if let StmtKind::Expr(Expr { kind: ExprKind::Binary("=", left, right), .. }) = &statement.kind
            && left.kind == ExprKind::Name(name.to_owned())
        {
            let mut words = HashSet::new();
            words_of(right, &mut words);
            return !reads(right, name) && words.is_disjoint(functions);
        }
        let mut words = HashSet::new();
        words_of_statement(statement, &mut words);
        if words.contains(name) || leaves(statement) || !words.is_disjoint(functions) {
            return false;
        }
    }
    false
}

/// Whether an expression mentions a variable, which a field of the same name does not.
pub(super) fn reads(e: &Expr, name: &str) -> bool {
    match &e.kind {
        ExprKind::Name(known) => known == name,
        ExprKind::Member(inner, field) if inner.kind == ExprKind::Name(String::from("this")) => field == name,
        // What is called may read it.
        ExprKind::Call(..) => {
            let mut words = HashSet::new();
            words_of(e, &mut words);
            words.contains(name) || children(e).into_iter().any(|inner| reads(inner, name))
        }
        _ => children(e).into_iter().any(|inner| reads(inner, name)),
    }
}

/// Whether a statement may leave the list that it is in.
pub(super) fn leaves(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => true,
        StmtKind::Block(inner) => inner.iter().any(leaves),
        StmtKind::If(_, then, other) => leaves(then) || other.as_ref().is_some_and(|other| leaves(other)),
        StmtKind::While(_, body) | StmtKind::DoWhile(body, _) | StmtKind::For(_, _, _, body) => leaves(body),
        StmtKind::Switch(_, arms) => arms.iter().flat_map(|arm| &arm.body).any(leaves),
        StmtKind::Declare(..) | StmtKind::Expr(_) => false,
    }
}

/// The operands of an expression.
pub(super) fn children(e: &Expr) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::Number(_) | ExprKind::Character(_) | ExprKind::Literal => Vec::new(),
        ExprKind::Text(_) | ExprKind::Name(_) => Vec::new(),
        ExprKind::Member(inner, _) | ExprKind::Unary(_, inner) | ExprKind::Postfix(_, inner) => vec![inner],
        ExprKind::Cast(_, inner) => vec![inner],
        ExprKind::Call(function, arguments) => std::iter::once(&**function).chain(arguments).collect(),
        ExprKind::New(_, inside) | ExprKind::List(inside) => inside.iter().collect(),
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => vec![a, b],
        ExprKind::Conditional(a, b, c) => vec![a, b, c],
    }
}

/// Calls `visit` for an expression and everything in it.
pub(super) fn expressions_in(e: &Expr, visit: &mut dyn FnMut(&Expr)) {
    visit(e);
    children(e).into_iter().for_each(|inner| expressions_in(inner, visit));
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

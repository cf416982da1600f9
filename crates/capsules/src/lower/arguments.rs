//! What the user writes behind the name of the program: `RTMain::argCount()` and `RTMain::argStrings()`.
//!
//! They are chosen, which is exact: of a number that code only compares with constants, and of characters that it only
//! compares with characters, those and what lies between them stand for all. This is so where only the initial
//! transition of one capsule that always exists asks for them, once for each; elsewhere they are unknown.

use super::actions::Scopes;
use super::build::place;
use super::handlers::Handlers;
use super::reach::{children, expressions, expressions_in};
use super::timers::codes;
use super::variables::{Meaning, Type};
use crate::action::{self, Expr as Syntax, ExprKind, Stmt};
use crate::ast::Code;
use model::expr::Expr;
use model::ids::{LocationId, VariableId};
use model::network::Action;
use model::source::Span;
use std::collections::{BTreeMap, BTreeSet};

const NUMBER: &str = "argCount";
const TEXTS: &str = "argStrings";
/// More values than this are not distinguished.
const MOST: i32 = 64;

/// `RTMain::argCount()`, `RTMain::argStrings()`
fn asks(e: &Syntax, name: &str) -> bool {
    let ExprKind::Call(function, arguments) = &e.kind else { return false };
    arguments.is_empty() && function.kind == ExprKind::Name(format!("RTMain::{name}"))
}

/// `RTMain::argStrings()[1]`
fn is_text(e: &Syntax) -> bool {
    matches!(&e.kind, ExprKind::Index(all, index) if asks(all, TEXTS) && matches!(index.kind, ExprKind::Number(_)))
}

/// `std::cout << a << b`
fn is_output(e: &Syntax) -> bool {
    match &e.kind {
        ExprKind::Binary("<<", left, _) => is_output(left),
        kind => *kind == ExprKind::Name(String::from("std::cout")),
    }
}

/// How something is used.
#[derive(Default)]
struct Uses {
    /// The numbers that it is compared with.
    numbers: BTreeSet<i64>,
    /// How often it is mentioned elsewhere, other than to be shown.
    others: usize,
}

impl Uses {
    fn add(&mut self, e: &Syntax, is_it: &dyn Fn(&Syntax) -> bool) {
        if is_it(e) {
            self.others += 1;
        } else if let ExprKind::Binary("<<", left, right) = &e.kind
            && is_output(left)
            && is_it(right)
        {
            self.add(left, is_it);
        } else if let ExprKind::Binary("==" | "!=" | "<" | "<=" | ">" | ">=", left, right) = &e.kind
            && let Some(other) = if is_it(left) { Some(right) } else { is_it(right).then_some(left) }
            && let ExprKind::Number(number) | ExprKind::Character(number) = &other.kind
        {
            self.numbers.insert(*number);
        } else {
            children(e).into_iter().for_each(|inner| self.add(inner, is_it));
        }
    }

    fn of(statements: &[Stmt], is_it: &dyn Fn(&Syntax) -> bool) -> Uses {
        let mut uses = Uses::default();
        statements.iter().for_each(|statement| expressions(statement, &mut |e| uses.add(e, is_it)));
        uses
    }
}

impl<'a> Handlers<'_, '_, 'a, '_> {
    /// The code that asks for arguments, if it is run once only.
    fn asking(&self) -> Option<Vec<Stmt>> {
        let all = &self.lowering.instances;
        let is_asking = |code: &&Code| [NUMBER, TEXTS].iter().any(|name| code.text.contains(name));
        let asking =
            all.classes.iter().flat_map(codes).filter(is_asking).map(|code| code.span).collect::<BTreeSet<_>>();
        let outside = self.lowering.library.snippets.iter().any(|snippet| is_asking(&&snippet.code));
        let effect = self.machine.initial(None).and_then(|first| self.machine.transitions[first].effect)?;
        let own = (0..all.instances.len()).filter(|&i| codes(all.class(i)).any(|code| is_asking(&code))).count();
        let once = own == 1 && all.instances[self.instance].optional.is_none();
        let only = once && !outside && asking.len() == 1 && asking.contains(&effect.span);
        action::statements(effect).ok().filter(|_| only)
    }

    /// `int n = RTMain::argCount();` and `const char * text = RTMain::argStrings()[1];`; `None` for anything else.
    pub(super) fn declare_argument(
        &mut self,
        at: LocationId,
        (ty, name): (&str, &str),
        first: Option<&Syntax>,
        rest: &[Stmt],
        span: Span,
        scopes: &mut Scopes<'a>,
    ) -> Option<LocationId> {
        first.filter(|e| (ty == "int" && asks(e, NUMBER)) || (ty == "char*" && is_text(e)))?;
        if scopes.cause.is_some() || scopes.depth > 0 || !scopes.loops.is_empty() {
            return None;
        }
        let all = self.asking()?;
        let asked = |e: &Syntax| if ty == "int" { asks(e, NUMBER) } else { asks(e, TEXTS) };
        // Once here, and nowhere else but where it is shown.
        let shown = |e: &Syntax| asked(e) || is_text(e) && ty != "int";
        if Uses::of(&all, &shown).others != 1 {
            return None;
        }
        if ty == "int" {
            let Uses { numbers, others: 0 } = Uses::of(rest, &|e| e.kind == ExprKind::Name(name.to_owned())) else {
                return None;
            };
            let most = i32::try_from(numbers.last().copied().unwrap_or(1).max(1)).ok().filter(|most| *most < MOST)?;
            let (at, chosen) = self.chosen(at, name, 1..=most + 1, span, scopes);
            scopes.declare(name, Meaning::Variable(chosen, Type::Int));
            return Some(at);
        }
        self.declare_text(at, name, rest, span, scopes)
    }

    fn declare_text(
        &mut self,
        at: LocationId,
        name: &str,
        rest: &[Stmt],
        span: Span,
        scopes: &mut Scopes<'a>,
    ) -> Option<LocationId> {
        let is_it = |e: &Syntax| e.kind == ExprKind::Name(name.to_owned());
        let is_character = |e: &Syntax| matches!(&e.kind, ExprKind::Index(text, _) if is_it(text));
        let mut positions = BTreeSet::new();
        let mut plain = true;
        for statement in rest {
            expressions(statement, &mut |e| {
                expressions_in(e, &mut |e| {
                    if let ExprKind::Index(text, index) = &e.kind
                        && is_it(text)
                    {
                        match index.kind {
                            ExprKind::Number(index) if index >= 0 => drop(positions.insert(index)),
                            _ => plain = false,
                        }
                    }
                });
            });
        }
        let Uses { numbers, others: 0 } = Uses::of(rest, &|e| is_character(e) || is_it(e)) else { return None };
        let len = positions.last().map_or(0, |last| last + 1);
        if !plain || len > i64::from(MOST) || numbers.iter().any(|number| !(0..128).contains(number)) {
            return None;
        }
        // Each of them, and what lies between them.
        let near = numbers.iter().flat_map(|number| number - 1..=number + 1).chain([0]);
        let known: BTreeSet<i32> = near.filter(|n| *n < 128).filter_map(|n| i32::try_from(n).ok()).collect();
        let mut at = at;
        let mut characters = BTreeMap::new();
        for position in positions {
            let (after, chosen) = self.chosen(at, &format!("{name}[{position}]"), known.iter().copied(), span, scopes);
            characters.insert(position, chosen);
            at = after;
        }
        scopes.declare(name, Meaning::Text(characters));
        Some(at)
    }

    /// A variable with any of some values.
    fn chosen(
        &mut self,
        at: LocationId,
        name: &str,
        values: impl Iterator<Item = i32>,
        span: Span,
        scopes: &mut Scopes<'a>,
    ) -> (LocationId, VariableId) {
        let chosen = self.temporary(name, Type::Int, span, scopes);
        let after = self.build.location();
        for value in values {
            self.build.edge(at, after, Action::Assign(place(chosen, span), Expr::Const(value)), span);
        }
        (after, chosen)
    }
}

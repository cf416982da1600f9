//! What an expression changes, seen from its text alone, without types.

use lang_c::ast::*;
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use std::collections::HashSet;

/// Whether the evaluation of an expression can change a variable that another operand reads.
pub(super) fn has_effects(expression: &Node<Expression>) -> bool {
    let mut effects = Effects { found: false };
    effects.visit_expression(&expression.node, &expression.span);
    effects.found
}

/// The same of an initializer.
pub(super) fn initializer_has_effects(initializer: &Node<Initializer>) -> bool {
    let mut effects = Effects { found: false };
    effects.visit_initializer(&initializer.node, &initializer.span);
    effects.found
}

/// Whether a routine gives any value and does nothing else.
pub(super) fn is_nondet(name: &str) -> bool {
    name.starts_with("__VERIFIER_nondet")
}

struct Effects {
    found: bool,
}

impl<'ast> Visit<'ast> for Effects {
    fn visit_call_expression(&mut self, call: &'ast CallExpression, span: &'ast Span) {
        match &call.callee.node {
            Expression::Identifier(name) if is_nondet(&name.node.name) => {}
            _ => self.found = true,
        }
        visit::visit_call_expression(self, call, span);
    }

    fn visit_unary_operator(&mut self, operator: &'ast UnaryOperator, _: &'ast Span) {
        self.found |= is_step(operator);
    }

    fn visit_binary_operator(&mut self, operator: &'ast BinaryOperator, _: &'ast Span) {
        self.found |= is_assignment(operator);
    }

    fn visit_statement(&mut self, _: &'ast Statement, _: &'ast Span) {
        self.found = true;
    }
}

fn is_step(operator: &UnaryOperator) -> bool {
    use UnaryOperator::*;
    matches!(operator, PostIncrement | PostDecrement | PreIncrement | PreDecrement)
}

fn is_assignment(operator: &BinaryOperator) -> bool {
    use BinaryOperator::*;
    matches!(operator, Assign) || super::operators::compound(operator).is_some()
}

/// The names that a procedure assigns, takes the address of, or declares.
pub(super) fn changed_names(definition: &FunctionDefinition) -> HashSet<&str> {
    let mut changes = Changes { names: HashSet::new() };
    changes.visit_statement(&definition.statement.node, &definition.statement.span);
    changes.names
}

struct Changes<'ast> {
    names: HashSet<&'ast str>,
}

impl<'ast> Changes<'ast> {
    fn change(&mut self, place: &'ast Expression) {
        match place {
            Expression::Identifier(name) => {
                self.names.insert(&name.node.name);
            }
            Expression::Member(member) if member.node.operator.node == MemberOperator::Direct => {
                self.change(&member.node.expression.node);
            }
            // An element of what a name points to is not the name; one of an array inside of a struct is.
            Expression::BinaryOperator(index)
                if index.node.operator.node == BinaryOperator::Index
                    && !matches!(index.node.lhs.node, Expression::Identifier(_)) =>
            {
                self.change(&index.node.lhs.node);
            }
            Expression::Cast(cast) => self.change(&cast.node.expression.node),
            Expression::Comma(list) => list.iter().for_each(|one| self.change(&one.node)),
            Expression::Conditional(conditional) => {
                self.change(&conditional.node.then_expression.node);
                self.change(&conditional.node.else_expression.node);
            }
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Changes<'ast> {
    fn visit_unary_operator_expression(&mut self, unary: &'ast UnaryOperatorExpression, span: &'ast Span) {
        if is_step(&unary.operator.node) || unary.operator.node == UnaryOperator::Address {
            self.change(&unary.operand.node);
        }
        visit::visit_unary_operator_expression(self, unary, span);
    }

    fn visit_binary_operator_expression(&mut self, binary: &'ast BinaryOperatorExpression, span: &'ast Span) {
        if is_assignment(&binary.operator.node) {
            self.change(&binary.lhs.node);
        }
        visit::visit_binary_operator_expression(self, binary, span);
    }

    fn visit_declarator(&mut self, declarator: &'ast Declarator, span: &'ast Span) {
        if let Some(name) = super::scope::declared_name(declarator) {
            self.names.insert(name);
        }
        visit::visit_declarator(self, declarator, span);
    }
}

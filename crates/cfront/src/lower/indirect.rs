//! Calls through pointers: a choice among the functions whose address is taken.
//!
//! Which of them a pointer can hold is known only when the whole graph is (`resolve`), so every function of a fitting type
//! gets a branch here, behind the question whether it is the one ([`Memory::Is`]); `resolve` answers it with no where the
//! pointer cannot hold that address, and what is behind goes away. A branch that cannot be lowered, because the function
//! would call itself, is refused only if the answer is not no. A pointer to none of them is an error of the program.

use super::effects::has_effects;
use super::expression::Value;
use super::graph::Step;
use super::known::is_known;
use super::place::Place;
use super::scope::Binding;
use super::{Lowering, Result};
use crate::codes::Say;
use crate::program::{ErrorKind, Instruction};
use crate::term::{Memory, Scalar, TermId};
use crate::types::{FunctionType, Type};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Parsed};
use lang_c::visit::{self, Visit};
use std::collections::BTreeSet;
use std::sync::Arc;

impl<'a> Lowering<'a> {
    pub(super) fn call_through(
        &mut self,
        address: TermId,
        function: &Arc<FunctionType>,
        arguments: &[Node<Expression>],
        place: Parsed,
    ) -> Result<Value> {
        let mut target = Value::scalar(address, Type::pointer_to(Type::Function(function.clone())));
        if arguments.iter().any(has_effects) {
            target = self.save(target, place)?;
        }
        let (address, _) = self.as_scalar(target, place)?;
        let values = self.argument_values(arguments)?;
        let result = match function.result {
            Type::Void | Type::Float(_) | Type::Opaque => None,
            _ => Some(self.temporary(&function.result, "call", place)?),
        };
        let result = result.map(|object| {
            let address = self.graph.terms.address(object, 0, self.types.model.pointer());
            Place { address, ty: function.result.clone(), safe: true }
        });
        let join = self.fresh(place);
        for (name, candidate) in self.fitting(function, &values) {
            let object = self.graph.function(&self.types, &name, self.places.span(place));
            let is = self.graph.terms.memory(Memory::Is(address, object), Scalar::BOOL);
            let (yes, no) = (self.fresh(place), self.fresh(place));
            self.fork(is, yes, no, place);
            self.here = yes;
            if let Some(diagnostic) = self.unlowerable(&name, place) {
                self.emit(Step::Refused(address, object, diagnostic), place);
            } else {
                let value = self.call_with(&name, &candidate, values.clone(), arguments, place)?;
                if let Some(result) = &result {
                    let value = self.convert_to(value, &result.ty, place)?;
                    self.store(result, &value, place)?;
                }
            }
            self.jump(join, place);
            self.here = no;
        }
        self.stop(Instruction::Error(ErrorKind::Pointer), place);
        self.here = join;
        match result {
            Some(result) => self.load(&result, place),
            None => Ok(Value::nothing(function.result.clone())),
        }
    }

    /// Why a function cannot be called from here, if it cannot.
    fn unlowerable(&self, name: &str, place: Parsed) -> Option<Box<model::diagnostic::Diagnostic>> {
        if self.recursion == 0 && self.active(name) > 0 {
            let message = format!("`{name}` may call itself here, through a pointer");
            return Some(Box::new(Say::Recursion.at(self.span(place), message)));
        }
        let message = format!("this may call `{name}`, which is known by name only");
        let is_error = ["__VERIFIER_error", "reach_error"].contains(&name);
        let known = is_known(name) && (is_error || !self.functions.contains_key(name));
        known.then(|| Box::new(Say::FunctionPointer.at(self.span(place), message)))
    }

    /// The functions whose address is taken and that can be called like that.
    fn fitting(&mut self, function: &FunctionType, values: &[Value]) -> Vec<(String, Arc<FunctionType>)> {
        let mut found = Vec::new();
        for &name in &self.taken {
            if let Some(Binding::Function(candidate)) = self.file.names.get(name)
                && self.fits(function, candidate, values)
            {
                found.push((name.to_string(), candidate.clone()));
            }
        }
        found
    }

    fn fits(&self, function: &FunctionType, candidate: &FunctionType, values: &[Value]) -> bool {
        let parameters = match (&function.parameters, &candidate.parameters) {
            (Some(a), Some(b)) => {
                a.len() == b.len()
                    && function.variadic == candidate.variadic
                    && a.iter().zip(b).all(|(a, b)| self.is_alike(a, b))
            }
            (None, Some(b)) => b.len() == values.len() && b.iter().zip(values).all(|(b, v)| self.is_alike(b, &v.ty)),
            (_, None) => true,
        };
        parameters && (function.result == Type::Void || self.is_alike(&function.result, &candidate.result))
    }

    /// Whether a machine takes one for the other.
    fn is_alike(&self, a: &Type, b: &Type) -> bool {
        match (a, b) {
            (Type::Integer(a), Type::Integer(b)) => {
                a.scalar(self.types.model).width == b.scalar(self.types.model).width
            }
            (Type::Pointer { .. }, Type::Pointer { .. }) => true,
            _ => a == b,
        }
    }
}

/// The names of a unit that stand where a value is needed, and not only where something is called.
pub(super) fn used_as_values(unit: &TranslationUnit) -> BTreeSet<&str> {
    let mut names = Names { found: BTreeSet::new() };
    names.visit_translation_unit(unit);
    names.found
}

struct Names<'ast> {
    found: BTreeSet<&'ast str>,
}

impl<'ast> Visit<'ast> for Names<'ast> {
    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast lang_c::span::Span) {
        match expression {
            Expression::Identifier(name) => {
                self.found.insert(&name.node.name);
            }
            Expression::Call(call) => {
                if !matches!(call.node.callee.node, Expression::Identifier(_)) {
                    visit::visit_expression(self, &call.node.callee.node, &call.node.callee.span);
                }
                for argument in &call.node.arguments {
                    self.visit_expression(&argument.node, &argument.span);
                }
            }
            _ => visit::visit_expression(self, expression, span),
        }
    }
}

//! Calls: inlined if there is a body, an event if there is none.

use super::effects::{changed_names, has_effects};
use super::expression::{Content, Operand, Value};
use super::graph::Step;
use super::place::Place;
use super::scope::{Binding, Frame, declared_name};
use super::skipped::skipped;
use super::types_of::Specifiers;
use super::{Lowering, Result};
use crate::codes::Say;
use crate::program::{Cause, ErrorKind, Instruction, ObjectId, VariableKind};
use crate::term::{Memory, Operation, Scalar, Term, TermId};
use crate::types::{FunctionType, Type};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Parsed};
use std::rc::Rc;
use std::sync::Arc;

/// What is called: a function by its name, or whatever lies at an address.
enum Callee {
    Named(String),
    At(TermId),
}

/// A parameter of a procedure with a body.
struct Parameter {
    name: Option<String>,
    ty: Type,
    place: Parsed,
    volatile: bool,
    /// What it points to is volatile.
    to_volatile: bool,
}

impl<'a> Lowering<'a> {
    pub(super) fn call(&mut self, call: &Node<CallExpression>) -> Result<Value> {
        let CallExpression { callee, arguments } = &call.node;
        let (name, function) = match self.callee(callee)? {
            (Callee::Named(name), function) => (name, function),
            (Callee::At(address), function) => return self.call_through(address, &function, arguments, call.span),
        };
        if let Some(value) = self.known_routine(&name, &function, call)? {
            return Ok(value);
        }
        let values = self.argument_values(arguments)?;
        self.call_with(&name, &function, values, arguments, call.span)
    }

    /// Calls a function with values for its arguments.
    pub(super) fn call_with(
        &mut self,
        name: &str,
        function: &FunctionType,
        values: Vec<Value>,
        arguments: &[Node<Expression>],
        place: Parsed,
    ) -> Result<Value> {
        match self.functions.get(name).copied() {
            Some(definition) if !self.options.external.iter().any(|external| external == name) => {
                self.inline(name, definition, values, arguments, place)
            }
            _ => self.event(name, function, values, arguments, place),
        }
    }

    /// What is called, and its type.
    fn callee(&mut self, callee: &Node<Expression>) -> Result<(Callee, Arc<FunctionType>)> {
        if let Expression::Identifier(identifier) = &callee.node
            && self.binding(&identifier.node.name).is_none()
        {
            // Old C: a routine that is not declared returns an `int`.
            let unknown = FunctionType { result: Type::INT, parameters: None, variadic: false };
            return Ok((Callee::Named(identifier.node.name.clone()), Arc::new(unknown)));
        }
        let value = match self.operand(callee)? {
            Operand::Place(place) => self.load(&place, callee.span)?,
            Operand::Value(value) => value,
        };
        match (&value.content, &value.ty) {
            (Content::Function(name), Type::Function(function)) => Ok((Callee::Named(name.clone()), function.clone())),
            (Content::Scalar(address), Type::Pointer { to, .. }) => match (&**to, self.function_at(*address)) {
                (Type::Function(function), Some(name)) => Ok((Callee::Named(name), function.clone())),
                (Type::Function(function), None) => Ok((Callee::At(*address), function.clone())),
                _ => self.error(Say::Operands, callee.span, "this is no function"),
            },
            _ => self.error(Say::Operands, callee.span, "this is no function"),
        }
    }

    /// The values of arguments, from left to right.
    pub(super) fn argument_values(&mut self, arguments: &[Node<Expression>]) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        for (number, argument) in arguments.iter().enumerate() {
            let mut value = self.value(argument)?;
            if arguments[number + 1..].iter().any(has_effects) {
                value = self.save(value, argument.span)?;
            }
            values.push(value);
        }
        Ok(values)
    }

    /// The parameters of a definition, in either style.
    fn parameters(&mut self, definition: &'a Node<FunctionDefinition>) -> Result<Vec<Parameter>> {
        let mut declarator = &definition.node.declarator.node;
        // `int (*f(int x))(void)` has its parameters further inside.
        while let DeclaratorKind::Declarator(inner) = &declarator.kind.node {
            declarator = &inner.node;
        }
        let mut parameters = Vec::new();
        for derived in &declarator.derived {
            match &derived.node {
                DerivedDeclarator::Function(function) => {
                    for declared in &function.node.parameters {
                        let specifiers = Specifiers::of_declaration(&declared.node.specifiers);
                        let base = self.base_type(&specifiers, declared.span)?;
                        let (name, ty) = match &declared.node.declarator {
                            Some(declarator) => (
                                declared_name(&declarator.node).map(String::from),
                                self.parameter_type(base, specifiers.constant, declarator)?,
                            ),
                            None => (None, base),
                        };
                        if ty != Type::Void {
                            let (is, to) = self.volatility(&specifiers, declared.node.declarator.as_ref());
                            let (place, ty) = (declared.span, ty.adjusted());
                            parameters.push(Parameter { name, ty, place, volatile: is, to_volatile: to });
                        }
                    }
                    break;
                }
                DerivedDeclarator::KRFunction(names) => {
                    for name in names {
                        let ty = self.old_parameter(&name.node.name, definition)?;
                        let (place, name) = (name.span, Some(name.node.name.clone()));
                        parameters.push(Parameter { name, ty, place, volatile: false, to_volatile: false });
                    }
                    break;
                }
                _ => {}
            }
        }
        Ok(parameters)
    }

    /// Whether a parameter is volatile, and whether what it points to is.
    fn volatility(&self, specifiers: &Specifiers<'_>, declarator: Option<&Node<Declarator>>) -> (bool, bool) {
        let declarator = declarator.map(|declarator| &declarator.node);
        let is = self.is_volatile(specifiers, declarator);
        let derived = declarator.map_or(0, |declarator| declarator.derived.len());
        let is_array = declarator
            .and_then(|declarator| declarator.derived.last())
            .is_some_and(|last| matches!(last.node, DerivedDeclarator::Array(_)));
        (is && !is_array, derived == 1 && self.is_base_volatile(specifiers))
    }

    fn old_parameter(&mut self, name: &str, definition: &'a Node<FunctionDefinition>) -> Result<Type> {
        for declaration in &definition.node.declarations {
            for declared in &declaration.node.declarators {
                if declared_name(&declared.node.declarator.node) == Some(name) {
                    let specifiers = Specifiers::of_declaration(&declaration.node.specifiers);
                    let base = self.base_type(&specifiers, declaration.span)?;
                    return Ok(self.parameter_type(base, specifiers.constant, &declared.node.declarator)?.adjusted());
                }
            }
        }
        Ok(Type::INT)
    }

    /// The result type of a definition.
    fn result_type(&mut self, definition: &'a Node<FunctionDefinition>) -> Result<Type> {
        let name = declared_name(&definition.node.declarator.node).unwrap_or_default();
        match self.file.names.get(name) {
            Some(Binding::Function(function)) => Ok(function.result.clone()),
            Some(Binding::Broken(diagnostic)) => Err(diagnostic.clone()),
            _ => Ok(Type::INT),
        }
    }

    fn inline(
        &mut self,
        name: &str,
        definition: &'a Node<FunctionDefinition>,
        values: Vec<Value>,
        arguments: &[Node<Expression>],
        place: Parsed,
    ) -> Result<Value> {
        if self.active(name) > self.recursion {
            return self.too_deep(name, definition, place);
        }
        self.check_size(self.span(place))?;
        let ty = self.result_type(definition)?;
        let has_result = !matches!(ty, Type::Void | Type::Float(_) | Type::Opaque);
        let result = if has_result { Some(self.temporary(&ty, name, place)?) } else { None };
        let exit = self.fresh(place);
        // Types and parameters are those of the unit, so the frame comes first.
        let frame = Frame::new(name, Some(exit), result, ty.clone());
        self.frames.push(frame);
        let bound = self.bind_parameters(definition, values, arguments, place);
        if bound.is_ok() {
            self.body(definition);
            if let Some(object) = result {
                let variables = self.graph.objects[object.0 as usize].variables.clone();
                self.havoc(variables, Cause::Uninitialised, place);
            }
            self.jump(exit, place);
        }
        let ended = self.frames.pop().map(|frame| frame.objects.into_values().flatten().collect()).unwrap_or_default();
        bound?;
        self.here = exit;
        self.end_procedure(ended, place);
        match result {
            Some(object) => {
                let address = self.graph.terms.address(object, 0, self.pointer());
                self.load(&Place { address, ty, safe: true }, place)
            }
            None => Ok(Value::nothing(ty)),
        }
    }

    /// A call of a procedure inside of itself that is not followed.
    fn too_deep(&mut self, name: &str, definition: &'a Node<FunctionDefinition>, place: Parsed) -> Result<Value> {
        if self.recursion == 0 {
            let depth = self.frames.iter().position(|frame| frame.name == name).unwrap_or(0);
            let chain: Vec<&str> = self.frames[depth..].iter().map(|frame| frame.name.as_str()).collect();
            let chain = format!("{} → {name}", chain.join(" → "));
            return self.error(Say::Recursion, place, format!("`{name}` calls itself: {chain}"));
        }
        self.stop(Instruction::Error(ErrorKind::Recursion), place);
        let ty = self.result_type(definition)?;
        if matches!(ty, Type::Void | Type::Float(_) | Type::Opaque) {
            return Ok(Value::nothing(ty));
        }
        let object = self.temporary(&ty, name, place)?;
        let address = self.graph.terms.address(object, 0, self.pointer());
        self.load(&Place { address, ty, safe: true }, place)
    }

    fn body(&mut self, definition: &'a Node<FunctionDefinition>) {
        let name = self.procedure();
        let found = self.skipped.entry(name).or_insert_with(|| Rc::new(skipped(&definition.node))).clone();
        if let Some(frame) = self.frames.last_mut() {
            frame.skipped = found;
        }
        // The body is a block in the scope of its parameters.
        self.statement(&definition.node.statement);
        self.check_labels();
        self.forget_skipped();
        self.end_lifetimes();
    }

    /// Gives parameters their values, all at once. A constant stands for a parameter that is never changed.
    fn bind_parameters(
        &mut self,
        definition: &'a Node<FunctionDefinition>,
        values: Vec<Value>,
        arguments: &[Node<Expression>],
        place: Parsed,
    ) -> Result<()> {
        let parameters = self.parameters(definition)?;
        let unspecified = parameters.is_empty() && !values.is_empty();
        let name = self.procedure();
        let variadic = matches!(self.file.names.get(&name), Some(Binding::Function(f)) if f.variadic);
        if values.len() < parameters.len() || (values.len() > parameters.len() && !variadic && !unspecified) {
            let message = format!("`{name}` takes {} arguments, and gets {}", parameters.len(), values.len());
            return self.error(Say::Arguments, place, message);
        }
        let changed = changed_names(&definition.node);
        let mut assignments = Vec::new();
        for ((parameter, value), argument) in parameters.into_iter().zip(values).zip(arguments) {
            let value = self.convert_to(value, &parameter.ty, argument.span)?;
            let Some(name) = parameter.name else { continue };
            if let Content::Scalar(term) = value.content
                && self.is_constant(term)
                && !parameter.volatile
                && !changed.contains(name.as_str())
            {
                self.innermost().names.insert(name, Binding::Value(term, parameter.ty));
                continue;
            }
            let object = self.local_object(&parameter.ty, &name, VariableKind::Parameter, parameter.place)?;
            if parameter.volatile {
                self.graph.make_volatile(object);
            }
            self.innermost().names.insert(name, Binding::Object(object, parameter.ty));
            let terms = match value.content {
                Content::Scalar(term) => vec![term],
                Content::Aggregate(terms) => terms,
                _ => Vec::new(),
            };
            let variables = self.graph.objects[object.0 as usize].variables.clone();
            assignments.extend(variables.into_iter().zip(terms));
        }
        if !assignments.is_empty() {
            self.plain(Instruction::Assign(assignments), place);
        }
        Ok(())
    }

    fn is_constant(&self, term: TermId) -> bool {
        matches!(self.graph.terms.get(term), Term::Constant(_) | Term::Memory(Memory::Address(..)))
    }

    /// The procedure of the component itself: its parameters hold any values, and pointers point to objects of their own.
    pub(super) fn enter_component(
        &mut self,
        entry: &str,
        definition: &'a Node<FunctionDefinition>,
    ) -> Result<Option<Scalar>> {
        let ty = self.result_type(definition)?;
        self.frames.push(Frame::new(entry, None, None, ty.clone()));
        for parameter in self.parameters(definition)? {
            let name = parameter.name.unwrap_or_else(|| String::from("parameter"));
            let object = self.local_object(&parameter.ty, &name, VariableKind::Parameter, parameter.place)?;
            if parameter.volatile {
                self.graph.make_volatile(object);
            }
            self.innermost().names.insert(name.clone(), Binding::Object(object, parameter.ty.clone()));
            let variables = self.graph.objects[object.0 as usize].variables.clone();
            let target = match &parameter.ty {
                Type::Pointer { to, .. } if entry != "main" && self.types.size(to).is_some_and(|size| size > 0) => {
                    Some((**to).clone()).filter(|to| !matches!(to, Type::Void | Type::Function(_)))
                }
                _ => None,
            };
            match (target, variables.first()) {
                (Some(target), Some(&pointer)) => {
                    let owner = (Some(entry), VariableKind::Parameter);
                    let object = self.object(&target, &format!("*{name}"), owner, parameter.place)?;
                    if parameter.to_volatile {
                        self.graph.make_volatile(object);
                    }
                    let address = self.graph.terms.address(object, 0, self.pointer());
                    self.plain(Instruction::Assign(vec![(pointer, address)]), parameter.place);
                    let inside = self.graph.objects[object.0 as usize].variables.clone();
                    self.havoc(inside, Cause::Parameter, parameter.place);
                }
                _ => self.havoc(variables, Cause::Parameter, parameter.place),
            }
            if entry == "main" && parameter.ty == Type::INT {
                self.assume_not_negative(object, parameter.place);
            }
        }
        self.body(definition);
        // C11 5.1.2.2.3: the end of `main` returns 0; otherwise there is no value.
        let scalar = self.types.scalar(&ty);
        let value = scalar.filter(|_| entry == "main").map(|scalar| self.graph.terms.constant(0, scalar));
        self.stop(Instruction::Return(value), definition.span);
        self.frames.pop();
        Ok(scalar)
    }

    /// C11 5.1.2.2.1: the number of arguments of a program is not negative.
    fn assume_not_negative(&mut self, object: ObjectId, place: Parsed) {
        let Some(variable) = self.graph.at(object, 0) else { return };
        let value = self.graph.read(variable);
        let zero = self.graph.terms.constant(0, self.graph.scalar_of(variable));
        let holds = self.graph.terms.binary(Operation::LessEqual, zero, value);
        self.plain(Instruction::Assume(holds), place);
    }

    /// A routine without a body.
    fn event(
        &mut self,
        name: &str,
        function: &FunctionType,
        values: Vec<Value>,
        arguments: &[Node<Expression>],
        place: Parsed,
    ) -> Result<Value> {
        if let Some(parameters) = &function.parameters
            && (values.len() < parameters.len() || (values.len() > parameters.len() && !function.variadic))
        {
            let message = format!("`{name}` takes {} arguments, and gets {}", parameters.len(), values.len());
            return self.error(Say::Arguments, place, message);
        }
        let (mut terms, mut reach, mut looks) = (Vec::new(), Vec::new(), Vec::new());
        for (number, (value, argument)) in values.into_iter().zip(arguments).enumerate() {
            let declared = function.parameters.as_ref().and_then(|parameters| parameters.get(number));
            let value = match declared {
                Some(ty) => self.convert_to(value, ty, argument.span)?,
                None => value,
            };
            match value.content {
                Content::Scalar(term) => {
                    terms.push(term);
                    let written = match &value.ty {
                        // Constant numbers stay; what a constant struct points to may be written.
                        Type::Pointer { to, constant: true } => !matches!(**to, Type::Integer(_)),
                        _ => true,
                    };
                    if let Type::Pointer { .. } = value.ty {
                        if written { reach.push(term) } else { looks.push(term) }
                    }
                }
                Content::Aggregate(parts) => reach.extend(parts),
                Content::Function(_) | Content::Nothing => {}
            }
        }
        let ty = function.result.clone();
        let object = match ty {
            Type::Void | Type::Float(_) | Type::Opaque => None,
            _ => Some(self.temporary(&ty, name, place)?),
        };
        let variables = object.map(|object| self.graph.objects[object.0 as usize].variables.clone());
        let result = match variables.as_deref() {
            Some([one]) => Some(*one),
            _ => None,
        };
        self.emit(Step::Call { routine: name.to_string(), arguments: terms, result, reach, looks }, place);
        if !self.routines.iter().any(|known| known == name) {
            self.routines.push(name.to_string());
        }
        if self.endless.contains(name) {
            self.stop(Instruction::Stop(None), place);
        }
        match (object, variables) {
            (Some(object), Some(variables)) => {
                if result.is_none() {
                    self.havoc(variables, Cause::Elsewhere, place);
                }
                let address = self.graph.terms.address(object, 0, self.pointer());
                self.load(&Place { address, ty, safe: true }, place)
            }
            _ => Ok(Value::nothing(ty)),
        }
    }
}

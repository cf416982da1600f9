//! Declarations: of the unit, and inside of procedures.

use super::graph::Step;
use super::indirect::used_as_values;
use super::scope::{Binding, Global, declared_name};
use super::types_of::{Specifiers, never_returns};
use super::{Lowering, Result, SCALARS, VARIABLES};
use crate::codes::Say;
use crate::program::{Cause, Instruction, Linkage, ObjectId, VariableId, VariableKind};
use crate::term::TermId;
use crate::types::Type;
use lang_c::ast::*;
use lang_c::span::{Node, Span as Parsed};
use std::sync::Arc;

impl<'a> Lowering<'a> {
    /// Everything that stands outside of procedures. What is wrong with a declaration is said when it is used: headers
    /// declare much that no one needs.
    pub(super) fn declare_unit(&mut self, unit: &'a TranslationUnit) {
        self.taken = used_as_values(unit);
        for external in &unit.0 {
            match &external.node {
                ExternalDeclaration::Declaration(declaration) => self.declare_outside(declaration),
                ExternalDeclaration::StaticAssert(_) => {}
                ExternalDeclaration::FunctionDefinition(definition) => self.declare_function(definition),
            }
        }
    }

    fn declare_function(&mut self, definition: &'a Node<FunctionDefinition>) {
        let Some(name) = declared_name(&definition.node.declarator.node) else { return };
        let specifiers = Specifiers::of_declaration(&definition.node.specifiers);
        let known = self.functions.insert(name, definition);
        // GCC: an `extern inline` procedure may be defined again.
        if known.is_some_and(|known| {
            Specifiers::of_declaration(&known.node.specifiers).storage != Some(StorageClassSpecifier::Extern)
        }) {
            let message = format!("`{name}` is defined twice");
            let result = self.error::<()>(Say::Redeclared, definition.node.declarator.span, message);
            self.record(result);
        }
        let ty = self.base_or_int(&specifiers, definition.span);
        let ty = ty.and_then(|base| self.declared_type(base, false, &definition.node.declarator.node));
        let binding = match ty {
            Ok(Type::Function(function)) => Binding::Function(function),
            Ok(_) => return,
            Err(diagnostic) => Binding::Broken(diagnostic),
        };
        self.file.names.insert(name.to_string(), binding);
    }

    /// Old C: without a type it is `int`.
    fn base_or_int(&mut self, specifiers: &Specifiers<'_>, place: Parsed) -> Result<Type> {
        if specifiers.types.is_empty() { Ok(Type::INT) } else { self.base_type(specifiers, place) }
    }

    fn declare_outside(&mut self, declaration: &'a Node<Declaration>) {
        let specifiers = Specifiers::of_declaration(&declaration.node.specifiers);
        let base = self.base_or_int(&specifiers, declaration.span);
        for declared in &declaration.node.declarators {
            let declarator = &declared.node.declarator;
            let Some(name) = declared_name(&declarator.node) else { continue };
            if specifiers.endless || never_returns(&declarator.node.extensions) {
                self.endless.insert(name);
            }
            let ty = match &base {
                Ok(base) => self.declared_type(base.clone(), specifiers.constant, &declarator.node),
                Err(diagnostic) => Err(diagnostic.clone()),
            };
            let binding = match ty {
                Err(diagnostic) => Binding::Broken(diagnostic),
                Ok(ty) if specifiers.storage == Some(StorageClassSpecifier::Typedef) => {
                    Binding::Typedef(ty, self.is_volatile(&specifiers, Some(&declarator.node)))
                }
                Ok(Type::Function(function)) => Binding::Function(self.better_prototype(name, function)),
                Ok(ty) => {
                    let external = specifiers.storage == Some(StorageClassSpecifier::Extern);
                    let binding = self.global(name, ty, declared.node.initializer.as_ref(), external, declarator.span);
                    if let Binding::Global(number) = binding {
                        self.globals[number].volatile |= self.is_volatile(&specifiers, Some(&declarator.node));
                        self.globals[number].linkage = self.linkage(&specifiers);
                    }
                    binding
                }
            };
            self.file.names.insert(name.to_string(), binding);
        }
    }

    /// Of two declarations of a function, the one that names its parameters.
    fn better_prototype(&self, name: &str, new: Arc<crate::types::FunctionType>) -> Arc<crate::types::FunctionType> {
        match self.file.names.get(name) {
            Some(Binding::Function(known)) if new.parameters.is_none() => known.clone(),
            _ => new,
        }
    }

    /// A variable outside of procedures; it may be declared several times.
    fn global(
        &mut self,
        name: &str,
        ty: Type,
        initializer: Option<&'a Node<Initializer>>,
        external: bool,
        place: Parsed,
    ) -> Binding {
        if let Some(&Binding::Global(number)) = self.file.names.get(name) {
            let known = &self.globals[number];
            let sizes = (self.types.size(&known.ty), self.types.size(&ty));
            let differ = match (&known.ty, &ty) {
                (Type::Integer(a), Type::Integer(b)) => a != b,
                _ => matches!(sizes, (Some(a), Some(b)) if a != b),
            };
            if differ || (known.initializer.is_some() && initializer.is_some()) {
                let message = format!("`{name}` is declared again, in another way");
                return Binding::Broken(Box::new(Say::Redeclared.at(self.span(place), message)));
            }
            let known = &mut self.globals[number];
            known.initializer = known.initializer.or(initializer);
            known.elsewhere &= external && initializer.is_none();
            if !matches!(ty, Type::Array(_, None)) {
                known.ty = ty;
            }
            return Binding::Global(number);
        }
        let elsewhere = external && initializer.is_none();
        let linkage = Linkage::External;
        self.globals.push(Global {
            name: name.to_string(),
            ty,
            initializer,
            elsewhere,
            volatile: false,
            linkage,
            place,
            object: None,
        });
        Binding::Global(self.globals.len() - 1)
    }

    /// The object of a global. It is made when it is first used.
    pub(super) fn global_object(&mut self, number: usize) -> Result<(ObjectId, Type)> {
        if let Some(object) = self.globals[number].object {
            return Ok((object, self.globals[number].ty.clone()));
        }
        // Its initial value sees the names of the unit, not those of the procedure that uses it first.
        let frames = std::mem::take(&mut self.frames);
        let made = self.make_global(number);
        self.frames = frames;
        made
    }

    fn make_global(&mut self, number: usize) -> Result<(ObjectId, Type)> {
        let global = self.globals[number].clone();
        // Its initial value may name itself, so the object comes first where its size is known.
        let mut ty = global.ty.clone();
        let mut values = None;
        if matches!(ty, Type::Array(_, None)) {
            match global.initializer {
                Some(initializer) => {
                    let (complete, found) = self.static_values(&ty, initializer)?;
                    (ty, values) = (complete, Some(found));
                }
                None if global.elsewhere => {
                    let message = format!("the length of `{}` is not known here", global.name);
                    return self.error(Say::Incomplete, global.place, message);
                }
                None => ty = self.with_length(ty, 1),
            }
        }
        let object = self.object(&ty, &global.name, (None, VariableKind::Global), global.place)?;
        self.globals[number].object = Some(object);
        self.graph.objects[object.0 as usize].linkage = match global.linkage {
            Linkage::External if global.elsewhere => Linkage::Elsewhere,
            linkage => linkage,
        };
        if global.volatile {
            self.graph.make_volatile(object);
        }
        if self.options.shared.contains(&global.name) {
            self.graph.make_shared(object);
        }
        self.globals[number].ty = ty.clone();
        if let (None, Some(initializer)) = (&values, global.initializer) {
            values = Some(self.static_values(&ty, initializer)?.1);
        }
        if global.elsewhere {
            let variables = self.graph.objects[object.0 as usize].variables.clone();
            self.unknown.extend(variables);
        } else {
            self.set_initial(object, values.unwrap_or_default());
        }
        Ok((object, ty))
    }

    fn with_length(&self, ty: Type, length: u64) -> Type {
        match ty {
            Type::Array(element, None) => Type::Array(element, Some(length)),
            other => other,
        }
    }

    /// Zero, except for what is given.
    fn set_initial(&mut self, object: ObjectId, values: Vec<(u64, TermId)>) {
        for variable in self.graph.objects[object.0 as usize].variables.clone() {
            let at = self.graph.variables[variable.0 as usize].offset;
            let scalar = self.graph.scalar_of(variable);
            let value = values.iter().rev().find(|(offset, _)| *offset == at).map(|&(_, value)| value);
            let value = value.unwrap_or_else(|| self.graph.terms.constant(0, scalar));
            self.initial.push((variable, value));
        }
    }

    /// A new object.
    pub(super) fn object(
        &mut self,
        ty: &Type,
        name: &str,
        owner: (Option<&str>, VariableKind),
        place: Parsed,
    ) -> Result<ObjectId> {
        let span = self.span(place);
        if self.types.size(ty).is_none() {
            if let Type::Array(element, Some(_)) = ty
                && self.types.size(element).is_some()
            {
                return self.error(Say::TooLarge, place, format!("`{name}` is larger than any memory"));
            }
            let described = self.types.describe(ty);
            return self.error(Say::Incomplete, place, format!("the size of `{described}` is not known here"));
        }
        self.budget.check(|| span)?;
        if self.graph.variables.len() > VARIABLES {
            return self.error(Say::TooLarge, place, "this component gets too many variables");
        }
        match self.graph.object(&self.types, ty, name, owner, span, SCALARS) {
            Some(object) => Ok(object),
            None => {
                let message = format!("`{name}` has more than {SCALARS} elements");
                self.error(Say::TooLarge, place, message)
            }
        }
    }

    /// An intermediate value of its own.
    pub(super) fn temporary(&mut self, ty: &Type, name: &str, place: Parsed) -> Result<ObjectId> {
        self.temporaries += 1;
        let (name, procedure) = (format!("{name}#{}", self.temporaries), self.procedure());
        self.object(ty, &name, (Some(&procedure), VariableKind::Temporary), place)
    }

    /// A declaration inside of a procedure.
    pub(super) fn declare_inside(&mut self, declaration: &Node<Declaration>) -> Result<()> {
        let specifiers = Specifiers::of_declaration(&declaration.node.specifiers);
        let base = self.base_or_int(&specifiers, declaration.span);
        if declaration.node.declarators.is_empty() {
            return base.map(|_| ());
        }
        for declared in &declaration.node.declarators {
            let result = base.clone().and_then(|base| self.declare_name(base, &specifiers, declared));
            let Err(diagnostic) = result else { continue };
            // Whoever uses the name gets the same message, and no other.
            if let Some(name) = declared_name(&declared.node.declarator.node) {
                self.innermost().names.insert(name.to_string(), Binding::Broken(diagnostic.clone()));
            }
            self.record::<()>(Err(diagnostic));
        }
        Ok(())
    }

    fn declare_name(&mut self, base: Type, specifiers: &Specifiers<'_>, declared: &Node<InitDeclarator>) -> Result<()> {
        let declarator = &declared.node.declarator;
        let ty = self.declared_type(base, specifiers.constant, &declarator.node)?;
        let Some(name) = declared_name(&declarator.node) else { return Ok(()) };
        let initializer = declared.node.initializer.as_ref();
        let repeated = matches!(self.innermost().names.get(name), Some(Binding::Object(..)));
        if repeated && specifiers.storage != Some(StorageClassSpecifier::Extern) {
            return self.error(Say::Redeclared, declarator.span, format!("`{name}` is declared twice in this block"));
        }
        match (&specifiers.storage, ty) {
            (Some(StorageClassSpecifier::Typedef), ty) => {
                let volatile = self.is_volatile(specifiers, Some(&declarator.node));
                self.innermost().names.insert(name.to_string(), Binding::Typedef(ty, volatile));
            }
            (_, Type::Function(function)) => {
                let function = self.better_prototype(name, function);
                self.innermost().names.insert(name.to_string(), Binding::Function(function));
            }
            (Some(StorageClassSpecifier::Extern), ty) => {
                let volatile = self.is_volatile(specifiers, Some(&declarator.node));
                self.declare_extern(name, ty, volatile, declarator.span);
            }
            (Some(StorageClassSpecifier::Static), ty) => self.declare_static(name, ty, initializer, declared.span)?,
            (_, ty) => self.declare_local(name, ty, initializer, declared.span)?,
        }
        if let Some(&Binding::Object(object, _)) = self.innermost().names.get(name) {
            if specifiers.storage == Some(StorageClassSpecifier::Static) {
                self.graph.objects[object.0 as usize].linkage = self.linkage(specifiers);
            }
            if self.is_volatile(specifiers, Some(&declarator.node)) {
                self.graph.make_volatile(object);
            }
        }
        Ok(())
    }

    fn declare_extern(&mut self, name: &str, ty: Type, volatile: bool, place: Parsed) {
        let binding = match self.file.names.get(name) {
            Some(known) => known.clone(),
            None => {
                let binding = self.global(name, ty, None, true, place);
                if let Binding::Global(number) = binding {
                    self.globals[number].volatile |= volatile;
                }
                self.file.names.insert(name.to_string(), binding.clone());
                binding
            }
        };
        self.innermost().names.insert(name.to_string(), binding);
    }

    fn declare_static(
        &mut self,
        name: &str,
        ty: Type,
        initializer: Option<&Node<Initializer>>,
        place: Parsed,
    ) -> Result<()> {
        let (ty, values) = match initializer {
            Some(initializer) => self.static_values(&ty, initializer)?,
            None => (ty, Vec::new()),
        };
        let key = ((place.start, place.end), self.types.size(&ty).unwrap_or(0), 0);
        let object = match self.locals.get(&key) {
            Some(&object) => object,
            None => {
                let procedure = self.procedure();
                let object = self.object(&ty, name, (Some(&procedure), VariableKind::Static), place)?;
                self.locals.insert(key, object);
                self.set_initial(object, values);
                object
            }
        };
        self.innermost().names.insert(name.to_string(), Binding::Object(object, ty));
        Ok(())
    }

    fn declare_local(
        &mut self,
        name: &str,
        ty: Type,
        initializer: Option<&Node<Initializer>>,
        place: Parsed,
    ) -> Result<()> {
        let unknown_length = matches!(ty, Type::Array(_, None));
        if let (true, Some(initializer)) = (unknown_length, initializer) {
            let (ty, values) = self.initial_values(&ty, initializer)?;
            let object = self.local_object(&ty, name, VariableKind::Local, place)?;
            self.innermost().names.insert(name.to_string(), Binding::Object(object, ty));
            self.assign_initial(object, values, place);
            return Ok(());
        }
        let object = self.local_object(&ty, name, VariableKind::Local, place)?;
        self.innermost().names.insert(name.to_string(), Binding::Object(object, ty.clone()));
        match initializer {
            Some(initializer) => {
                if let (Type::Float(_), Initializer::Expression(expression)) = (&ty, &initializer.node) {
                    self.value(expression)?;
                    return Ok(());
                }
                let (_, values) = self.initial_values(&ty, initializer)?;
                self.assign_initial(object, values, place);
            }
            None => {
                let variables = self.graph.objects[object.0 as usize].variables.clone();
                self.havoc(variables, Cause::Uninitialised, place);
            }
        }
        Ok(())
    }

    /// The object of a declaration in a procedure: the same at each call.
    pub(super) fn local_object(
        &mut self,
        ty: &Type,
        name: &str,
        kind: VariableKind,
        place: Parsed,
    ) -> Result<ObjectId> {
        let level = self.level();
        let key = ((place.start, place.end), self.types.size(ty).unwrap_or(0), level);
        let object = match self.locals.get(&key) {
            Some(&object) => object,
            None => {
                let procedure = self.procedure();
                let name = if level == 0 { name.to_string() } else { format!("{name}@{level}") };
                let object = self.object(ty, &name, (Some(&procedure), kind), place)?;
                self.locals.insert(key, object);
                object
            }
        };
        self.born(object);
        Ok(object)
    }

    pub(super) fn havoc(&mut self, variables: Vec<VariableId>, cause: Cause, place: Parsed) {
        if !variables.is_empty() {
            self.plain(Instruction::Havoc(variables, cause), place);
        }
    }

    /// All elements at once: what is not given is zero.
    fn assign_initial(&mut self, object: ObjectId, values: Vec<(u64, TermId)>, place: Parsed) {
        let variables = self.graph.objects[object.0 as usize].variables.clone();
        let mut assignments = Vec::with_capacity(variables.len());
        for variable in variables {
            let at = self.graph.variables[variable.0 as usize].offset;
            let scalar = self.graph.scalar_of(variable);
            let value = values.iter().rev().find(|(offset, _)| *offset == at).map(|&(_, value)| value);
            assignments.push((variable, value.unwrap_or_else(|| self.graph.terms.constant(0, scalar))));
        }
        if !assignments.is_empty() {
            self.emit(Step::Plain(Instruction::Assign(assignments)), place);
        }
    }
}

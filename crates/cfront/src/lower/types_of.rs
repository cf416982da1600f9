//! Types: from specifiers and declarators.

use super::scope::{Binding, Tag};
use super::{Lowering, Result};
use crate::codes::Say;
use crate::program::Linkage;
use crate::types::{Field, FunctionType, Integer, Rank, Record, Type};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Parsed};
use std::sync::Arc;

/// The specifiers of a declaration, sorted.
#[derive(Default)]
pub(super) struct Specifiers<'a> {
    pub types: Vec<&'a Node<TypeSpecifier>>,
    pub constant: bool,
    pub volatile: bool,
    pub storage: Option<StorageClassSpecifier>,
    /// Each thread has one of its own.
    pub thread_local: bool,
    /// What is declared never returns.
    pub endless: bool,
}

impl<'a> Specifiers<'a> {
    pub fn of_declaration(specifiers: &'a [Node<DeclarationSpecifier>]) -> Self {
        let mut sorted = Specifiers::default();
        for specifier in specifiers {
            match &specifier.node {
                DeclarationSpecifier::TypeSpecifier(ty) => sorted.types.push(ty),
                DeclarationSpecifier::TypeQualifier(qualifier) => sorted.qualify(&qualifier.node),
                DeclarationSpecifier::StorageClass(storage) if storage.node == StorageClassSpecifier::ThreadLocal => {
                    sorted.thread_local = true;
                }
                DeclarationSpecifier::StorageClass(storage) => sorted.storage = Some(storage.node.clone()),
                DeclarationSpecifier::Function(function) => {
                    sorted.endless |= function.node == FunctionSpecifier::Noreturn;
                }
                DeclarationSpecifier::Extension(extensions) => sorted.endless |= never_returns(extensions),
                DeclarationSpecifier::Alignment(_) => {}
            }
        }
        sorted
    }

    pub fn of_type(specifiers: &'a [Node<SpecifierQualifier>]) -> Self {
        let mut sorted = Specifiers::default();
        for specifier in specifiers {
            match &specifier.node {
                SpecifierQualifier::TypeSpecifier(ty) => sorted.types.push(ty),
                SpecifierQualifier::TypeQualifier(qualifier) => sorted.qualify(&qualifier.node),
                SpecifierQualifier::Extension(_) => {}
            }
        }
        sorted
    }

    fn qualify(&mut self, qualifier: &TypeQualifier) {
        self.constant |= *qualifier == TypeQualifier::Const;
        self.volatile |= *qualifier == TypeQualifier::Volatile;
    }
}

/// Whether attributes say that a routine does not return.
pub(super) fn never_returns(extensions: &[Node<Extension>]) -> bool {
    extensions.iter().any(|extension| match &extension.node {
        Extension::Attribute(attribute) => attribute.name.node.trim_matches('_') == "noreturn",
        _ => false,
    })
}

impl<'a> Lowering<'a> {
    /// The type that specifiers mean, before the declarator adds to it.
    pub(super) fn base_type(&mut self, specifiers: &Specifiers<'_>, place: Parsed) -> Result<Type> {
        if let [one] = specifiers.types[..] {
            match &one.node {
                TypeSpecifier::Void => return Ok(Type::Void),
                TypeSpecifier::Bool => return Ok(Type::Integer(Integer::BOOL)),
                TypeSpecifier::Struct(record) => return self.record_type(record),
                TypeSpecifier::Enum(enumeration) => return self.enum_type(enumeration),
                TypeSpecifier::TypedefName(name) => return self.typedef(name),
                TypeSpecifier::Atomic(name) => return self.type_name(name),
                TypeSpecifier::TypeOf(of) => {
                    return match &of.node {
                        TypeOf::Expression(expression) => self.type_of(expression),
                        TypeOf::Type(name) => self.type_name(name),
                    };
                }
                TypeSpecifier::TS18661Float(_) => return Ok(Type::Float(16)),
                _ => {}
            }
        }
        self.arithmetic_type(&specifiers.types, place)
    }

    /// `unsigned long int` and the like, in any order.
    fn arithmetic_type(&self, specifiers: &[&Node<TypeSpecifier>], place: Parsed) -> Result<Type> {
        let count = |wanted: &TypeSpecifier| specifiers.iter().filter(|given| given.node == *wanted).count();
        use TypeSpecifier::{Char, Complex, Double, Float, Int, Long, Short, Signed, Unsigned};
        let words = [&Char, &Short, &Int, &Long, &Float, &Double, &Signed, &Unsigned, &Complex].map(count);
        let [char, short, int, long, float, double, signed, unsigned, complex] = words;
        if words.iter().sum::<usize>() != specifiers.len() || signed + unsigned > 1 || int > 1 {
            return self.error(Say::Redeclared, place, "these specifiers do not make a type");
        }
        let rank = match (char, short, long, float, double) {
            (0, 0, 0, 1, 0) if signed + unsigned + int == 0 => return Ok(Type::Float(4)),
            (0, 0, 0, 0, 1) if signed + unsigned + int == 0 => return Ok(Type::Float(8)),
            (0, 0, 1, 0, 1) if signed + unsigned + int == 0 => {
                return Ok(Type::Float(if self.pointer().width == 32 { 12 } else { 16 }));
            }
            _ if complex > 0 => return Ok(Type::Opaque),
            (1, 0, 0, 0, 0) if int == 0 => Rank::Char,
            (0, 1, 0, 0, 0) => Rank::Short,
            (0, 0, 0, 0, 0) => Rank::Int,
            (0, 0, 1, 0, 0) => Rank::Long,
            (0, 0, 2, 0, 0) => Rank::LongLong,
            _ => return self.error(Say::Redeclared, place, "these specifiers do not make a type"),
        };
        Ok(Type::Integer(Integer { rank, signed: unsigned == 0 }))
    }

    fn typedef(&mut self, name: &Node<Identifier>) -> Result<Type> {
        match self.binding(&name.node.name) {
            Some(Binding::Typedef(ty, _)) => Ok(ty.clone()),
            Some(Binding::Broken(diagnostic)) => Err(diagnostic.clone()),
            _ if name.node.name == "__builtin_va_list" => Ok(Type::Opaque),
            _ => self.error(Say::UnknownName, name.span, format!("`{}` is no type", name.node.name)),
        }
    }

    /// Whether what is declared is volatile itself, as opposed to what it points to.
    pub(super) fn is_volatile(&self, specifiers: &Specifiers<'_>, declarator: Option<&Declarator>) -> bool {
        let nested = std::iter::successors(declarator, |declarator| match &declarator.kind.node {
            DeclaratorKind::Declarator(inner) => Some(&inner.node),
            _ => None,
        });
        let mut outside_in: Vec<&Declarator> = nested.collect();
        outside_in.reverse();
        let pointers = outside_in.into_iter().flat_map(|declarator| declarator.derived.iter().rev());
        let mut pointers = pointers.filter_map(|derived| match &derived.node {
            DerivedDeclarator::Pointer(qualifiers) => Some(qualifiers),
            _ => None,
        });
        match pointers.next() {
            Some(qualifiers) => qualifiers.iter().any(|qualifier| {
                matches!(&qualifier.node, PointerQualifier::TypeQualifier(q) if q.node == TypeQualifier::Volatile)
            }),
            None => self.is_base_volatile(specifiers),
        }
    }

    /// Whether what specifiers mean is volatile.
    pub(super) fn is_base_volatile(&self, specifiers: &Specifiers<'_>) -> bool {
        let by_name = specifiers.types.iter().any(|ty| match &ty.node {
            TypeSpecifier::TypedefName(name) => {
                matches!(self.binding(&name.node.name), Some(Binding::Typedef(_, true)))
            }
            _ => false,
        });
        specifiers.volatile || by_name
    }

    /// Who else can mean a variable with static storage that is declared like this.
    pub(super) fn linkage(&self, specifiers: &Specifiers<'_>) -> Linkage {
        match specifiers.storage {
            _ if specifiers.thread_local => Linkage::None,
            Some(StorageClassSpecifier::Static) => Linkage::Internal,
            _ => Linkage::External,
        }
    }

    /// The tag in the innermost scope, or in any.
    fn tag(&self, name: &str, innermost: bool) -> Option<Tag> {
        let Some(frame) = self.frames.last() else { return self.file.tags.get(name).cloned() };
        if innermost {
            return frame.scopes.last().and_then(|scope| scope.tags.get(name)).cloned();
        }
        let inner = frame.scopes.iter().rev().find_map(|scope| scope.tags.get(name));
        inner.or_else(|| self.file.tags.get(name)).cloned()
    }

    fn record_type(&mut self, record: &Node<StructType>) -> Result<Type> {
        let name = record.node.identifier.as_ref().map(|identifier| identifier.node.name.clone());
        let union = record.node.kind.node == StructKind::Union;
        let known = name.as_ref().and_then(|name| self.tag(name, record.node.declarations.is_some()));
        let number = match known {
            Some(Tag::Record(number)) => number,
            Some(Tag::Enumeration(_)) => {
                return self.error(Say::Redeclared, record.span, "this tag is that of an enumeration");
            }
            None => {
                let number = self.types.records.len();
                let shown = name.clone().unwrap_or_else(|| String::from("{…}"));
                self.types.records.push(Record { name: shown, union, fields: None, size: 0, align: 1 });
                if let Some(name) = name {
                    self.innermost().tags.insert(name, Tag::Record(number));
                }
                number
            }
        };
        if let Some(declarations) = &record.node.declarations {
            let mut fields = Vec::new();
            for declaration in declarations {
                if let StructDeclaration::Field(field) = &declaration.node {
                    self.fields(field, &mut fields)?;
                }
            }
            let Some((size, align)) = self.types.lay_out(union, &mut fields) else {
                return self.error(Say::Incomplete, record.span, "a member of this type has no size");
            };
            let record = &mut self.types.records[number];
            (record.fields, record.size, record.align) = (Some(fields), size, align);
        }
        Ok(Type::Record(number))
    }

    fn fields(&mut self, declared: &Node<StructField>, fields: &mut Vec<Field>) -> Result<()> {
        let specifiers = Specifiers::of_type(&declared.node.specifiers);
        let base = self.base_type(&specifiers, declared.span)?;
        if declared.node.declarators.is_empty() {
            let volatile = self.is_volatile(&specifiers, None);
            fields.push(Field { name: String::new(), ty: base, offset: 0, bits: false, volatile });
            return Ok(());
        }
        for declarator in &declared.node.declarators {
            let bits = declarator.node.bit_width.is_some();
            let (name, ty) = match &declarator.node.declarator {
                Some(declarator) => {
                    let ty = self.declared_type(base.clone(), specifiers.constant, &declarator.node)?;
                    (super::scope::declared_name(&declarator.node).unwrap_or_default().to_string(), ty)
                }
                None => (String::from(":"), base.clone()),
            };
            let declarator = declarator.node.declarator.as_ref().map(|declarator| &declarator.node);
            let volatile = self.is_volatile(&specifiers, declarator);
            fields.push(Field { name, ty, offset: 0, bits, volatile });
        }
        Ok(())
    }

    fn enum_type(&mut self, enumeration: &Node<EnumType>) -> Result<Type> {
        let name = enumeration.node.identifier.as_ref().map(|identifier| identifier.node.name.clone());
        if enumeration.node.enumerators.is_empty() {
            return match name.and_then(|name| self.tag(&name, false)) {
                Some(Tag::Enumeration(integer)) => Ok(Type::Integer(integer)),
                _ => self.error(Say::Incomplete, enumeration.span, "this enumeration is not defined"),
            };
        }
        let (mut next, mut negative, mut large) = (0_i128, false, false);
        for enumerator in &enumeration.node.enumerators {
            if let Some(expression) = &enumerator.node.expression {
                next = self.constant(expression)?.0;
            }
            if !(i128::from(i32::MIN)..=i128::from(u32::MAX)).contains(&next) {
                return self.error(Say::Construct, enumerator.span, "an enumerator that does not fit into an `int`");
            }
            negative |= next < 0;
            let beyond = next > i128::from(i32::MAX);
            large |= beyond;
            if negative && large {
                return self.error(Say::Construct, enumerator.span, "no `int` holds all these enumerators");
            }
            let ty = if beyond { Integer::UNSIGNED } else { Integer::INT };
            let name = enumerator.node.identifier.node.name.clone();
            self.innermost().names.insert(name, Binding::Constant(next, ty));
            next += 1;
        }
        let integer = if negative { Integer::INT } else { Integer::UNSIGNED };
        if let Some(name) = name {
            self.innermost().tags.insert(name, Tag::Enumeration(integer));
        }
        Ok(Type::Integer(integer))
    }

    pub(super) fn innermost(&mut self) -> &mut super::scope::Scope {
        match self.frames.last_mut().and_then(|frame| frame.scopes.last_mut()) {
            Some(scope) => scope,
            None => &mut self.file,
        }
    }

    /// The type of a cast, a `sizeof` or a compound literal.
    pub(super) fn type_name(&mut self, name: &Node<TypeName>) -> Result<Type> {
        let specifiers = Specifiers::of_type(&name.node.specifiers);
        let base = self.base_type(&specifiers, name.span)?;
        match &name.node.declarator {
            Some(declarator) => self.declared_type(base, specifiers.constant, &declarator.node),
            None => Ok(base),
        }
    }

    /// What a declarator makes of a type. Pointers come first in the list, in order; what follows the name comes after
    /// them and binds from the inside out.
    pub(super) fn declared_type(&mut self, base: Type, constant: bool, declarator: &Declarator) -> Result<Type> {
        let (mut ty, mut constant) = (base, constant);
        let derived = &declarator.derived;
        for pointer in derived {
            if let DerivedDeclarator::Pointer(qualifiers) = &pointer.node {
                ty = Type::Pointer { to: Arc::new(ty), constant };
                constant = qualifiers.iter().any(|qualifier| {
                    matches!(&qualifier.node, PointerQualifier::TypeQualifier(q) if q.node == TypeQualifier::Const)
                });
            }
        }
        for suffix in derived.iter().rev() {
            ty = match &suffix.node {
                DerivedDeclarator::Pointer(_) => continue,
                DerivedDeclarator::Array(array) => Type::Array(Arc::new(ty), self.array_length(array)?),
                DerivedDeclarator::Function(function) => self.function_type(ty, function)?,
                DerivedDeclarator::KRFunction(_) => {
                    Type::Function(Arc::new(FunctionType { result: ty, parameters: None, variadic: false }))
                }
                DerivedDeclarator::Block(_) => {
                    return self.error(Say::Construct, suffix.span, "blocks are not modelled");
                }
            };
        }
        match &declarator.kind.node {
            DeclaratorKind::Declarator(inner) => self.declared_type(ty, constant, &inner.node),
            _ => Ok(ty),
        }
    }

    fn array_length(&mut self, array: &Node<ArrayDeclarator>) -> Result<Option<u64>> {
        match &array.node.size {
            ArraySize::Unknown => Ok(None),
            ArraySize::VariableUnknown => self.error(Say::VariableLength, array.span, "the length is not constant"),
            ArraySize::VariableExpression(length) | ArraySize::StaticExpression(length) => {
                let (value, _) = self.constant(length).map_err(|mut diagnostic| {
                    if diagnostic.code == Say::NotConstant.code() {
                        let message = "the length of this array is not a constant";
                        *diagnostic = Say::VariableLength.at(self.span(length.span), message);
                    }
                    diagnostic
                })?;
                match u64::try_from(value) {
                    Ok(length) => Ok(Some(length)),
                    Err(_) => self.error(Say::Incomplete, length.span, "the length of this array is negative"),
                }
            }
        }
    }

    fn function_type(&mut self, result: Type, function: &Node<FunctionDeclarator>) -> Result<Type> {
        let mut parameters = Vec::new();
        for parameter in &function.node.parameters {
            let specifiers = Specifiers::of_declaration(&parameter.node.specifiers);
            let base = self.base_type(&specifiers, parameter.span)?;
            let ty = match &parameter.node.declarator {
                Some(declarator) => self.parameter_type(base, specifiers.constant, declarator)?,
                None => base,
            };
            parameters.push(ty.adjusted());
        }
        let variadic = function.node.ellipsis == Ellipsis::Some;
        let parameters = match parameters[..] {
            [] => None,
            [Type::Void] => Some(Vec::new()),
            _ => Some(parameters),
        };
        Ok(Type::Function(Arc::new(FunctionType { result, parameters, variadic })))
    }

    /// An array parameter is a pointer, so its outermost length does not matter.
    pub(super) fn parameter_type(&mut self, base: Type, constant: bool, declarator: &Node<Declarator>) -> Result<Type> {
        let is_plain = matches!(declarator.node.kind.node, DeclaratorKind::Identifier(_) | DeclaratorKind::Abstract);
        let first_suffix = declarator.node.derived.iter().position(|d| matches!(d.node, DerivedDeclarator::Array(_)));
        match first_suffix {
            Some(index) if is_plain => {
                let mut inner = declarator.node.clone();
                inner.derived.remove(index);
                let element = self.declared_type(base, constant, &inner)?;
                Ok(Type::Pointer { to: Arc::new(element), constant: false })
            }
            _ => self.declared_type(base, constant, &declarator.node),
        }
    }
}

//! The variables of a capsule: those of `rt::decl` in Art, attributes in ROOM.

use super::build::Build;
use crate::action::{self, ExprKind, Member};
use crate::ast::Code;
use crate::resolve::{Class, Library, simple};
use model::ids::VariableId;
use model::network::ScalarType;
use std::collections::{HashMap, HashSet};

/// What a variable holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Int,
    Bool,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    Variable(VariableId, Type),
    Constant(i32),
    /// A value that no exact expression may read, such as a string.
    Opaque,
    /// A value of a class, whose operators may do anything.
    Foreign,
    /// A member that is declared without a first value.
    Unset,
    /// The port on which the message came (`msg->sap()`).
    Sender,
}

/// The names of a capsule.
pub(super) struct Names {
    pub(super) known: HashMap<String, Meaning>,
    pub(super) enumerations: HashSet<String>,
}

impl Names {
    /// The type of an exact variable.
    pub(super) fn exact(&self, ty: &str) -> Option<Type> {
        match ty {
            "int" | "int32" => Some(Type::Int),
            "bool" | "boolean" => Some(Type::Bool),
            ty if self.enumerations.contains(ty.rsplit("::").next().unwrap_or(ty)) => Some(Type::Int),
            _ => None,
        }
    }
}

/// Declares the variables and constants of a capsule.
pub(super) fn names(library: &Library<'_>, class: &Class<'_>, build: &mut Build) -> Names {
    let mut names = Names { known: HashMap::new(), enumerations: HashSet::new() };
    for enumeration in &library.enumerations {
        let literals = enumeration.literals.iter().map(|(name, value)| (name.text.clone(), *value));
        names.enumeration(&enumeration.name.text, literals);
    }
    let own: Vec<_> = class.lineage.iter().flat_map(|capsule| &capsule.snippets).collect();
    let mut hidden = HashSet::new();
    for (snippet, own) in library.snippets.iter().map(|s| (*s, false)).chain(own.into_iter().map(|s| (s, true))) {
        if snippet.kind.text != "decl" {
            if own || snippet.code.text.contains("#define") {
                hidden.extend(action::words(&snippet.code));
            }
            continue;
        }
        let (members, others) = action::members(&snippet.code);
        members.into_iter().for_each(|member| names.member(member, own, build));
        hidden.extend(others);
    }
    for (name, meaning) in &mut names.known {
        if hidden.contains(name) {
            *meaning = Meaning::Opaque;
        }
    }
    for capsule in &class.lineage {
        for attribute in &capsule.attributes {
            let initial = attribute.initial.as_ref().and_then(|code| names.constant(code));
            let exact = names.exact(simple(&attribute.ty.text)).filter(|_| attribute.size.is_none());
            let meaning = match (exact, initial) {
                (Some(ty), Some(first)) => Meaning::Variable(
                    build.variable(attribute.name.text.clone(), scalar(ty), first, attribute.name.span),
                    ty,
                ),
                (Some(_), None) => Meaning::Unset,
                (None, _) => Meaning::Foreign,
            };
            names.known.insert(attribute.name.text.clone(), meaning);
        }
    }
    names
}

impl Names {
    fn enumeration(&mut self, name: &str, literals: impl Iterator<Item = (String, Option<i64>)>) {
        self.enumerations.insert(name.to_owned());
        let mut next = 0i64;
        for (literal, value) in literals {
            let value = value.unwrap_or(next);
            let meaning = i32::try_from(value).map_or(Meaning::Opaque, Meaning::Constant);
            self.set(format!("{name}::{literal}"), meaning.clone());
            self.set(literal, meaning);
            next = value.saturating_add(1);
        }
    }

    fn member(&mut self, member: Member, own: bool, build: &mut Build) {
        match member {
            Member::Enumeration(name, literals) => {
                let values: Vec<(String, Option<i64>)> = literals
                    .into_iter()
                    .map(|(literal, value)| (literal, value.map(|e| self.fold(&e).map_or(i64::MAX, i64::from))))
                    .collect();
                self.enumeration(&name, values.into_iter());
            }
            Member::Variables(ty, declared, span) => {
                for (name, initial) in declared {
                    let first = initial.as_ref().and_then(|e| self.fold(e));
                    let meaning = match (self.exact(&ty).filter(|_| own), first) {
                        (Some(ty), Some(first)) => {
                            let first = if ty == Type::Bool { i32::from(first != 0) } else { first };
                            Meaning::Variable(build.variable(name.clone(), scalar(ty), first, span), ty)
                        }
                        (Some(_), None) => Meaning::Unset,
                        (None, _) if is_plain(&ty) => Meaning::Opaque,
                        (None, _) => Meaning::Foreign,
                    };
                    self.set(name, meaning);
                }
            }
        }
    }

    /// A name that is declared twice means neither.
    fn set(&mut self, name: String, meaning: Meaning) {
        self.known.entry(name).and_modify(|known| *known = Meaning::Opaque).or_insert(meaning);
    }

    /// The value of a constant expression.
    fn fold(&self, e: &action::Expr) -> Option<i32> {
        match &e.kind {
            ExprKind::Number(value) => i32::try_from(*value).ok(),
            ExprKind::Name(name) if name == "true" => Some(1),
            ExprKind::Name(name) if name == "false" => Some(0),
            ExprKind::Name(name) => match self.known.get(name) {
                Some(Meaning::Constant(value)) => Some(*value),
                _ => None,
            },
            ExprKind::Unary("-", inner) => self.fold(inner)?.checked_neg(),
            _ => None,
        }
    }

    fn constant(&self, code: &Code) -> Option<i32> {
        action::condition(code).ok().and_then(|e| self.fold(&e))
    }
}

/// Types whose values can be copied without any effect.
pub(super) fn is_plain(ty: &str) -> bool {
    const PLAIN: [&str; 9] =
        ["int", "bool", "char", "float", "double", "std::string", "RTTimespec", "RTTimerId", "unsigned int"];
    ty.ends_with('*') || PLAIN.contains(&ty)
}

pub(super) fn scalar(ty: Type) -> ScalarType {
    match ty {
        Type::Int => ScalarType::Int,
        Type::Bool => ScalarType::Bit,
    }
}

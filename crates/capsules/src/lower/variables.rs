//! The variables of a capsule: those of `rt::decl` in Art, attributes in ROOM.

use super::Forgotten;
use super::build::Build;
use super::reach::is_set_first;
use super::timers::{self, Identity};
use crate::action::{self, ExprKind, Member, Stmt};
use crate::ast::{Code, Name};
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
    /// A value that is unknown, such as a string.
    Opaque,
    /// The port on which the message came (`msg->sap()`).
    Sender,
    /// A member that identifies a timer.
    Timer,
    /// Something that is valid if the variable says so.
    Handle(VariableId),
    /// A reply to a call: what it carries, and whether there is one.
    Reply(Option<VariableId>, VariableId),
}

/// The names of a capsule.
pub(super) struct Names {
    pub(super) known: HashMap<String, Meaning>,
    pub(super) enumerations: HashSet<String>,
    pub(super) timers: Vec<Identity>,
}

impl Names {
    /// The type of an exact variable.
    pub(super) fn exact(&self, ty: &str) -> Option<Type> {
        match ty {
            "int" | "int32" | "int32_t" => Some(Type::Int),
            "bool" | "boolean" => Some(Type::Bool),
            ty if self.enumerations.contains(ty.rsplit("::").next().unwrap_or(ty)) => Some(Type::Int),
            _ => None,
        }
    }
}

/// Declares the variables and constants of a capsule.
pub(super) fn names(library: &Library<'_>, class: &Class<'_>, forgotten: &Forgotten, build: &mut Build) -> Names {
    let first = first_statements(class);
    let mut names = Names { known: HashMap::new(), enumerations: HashSet::new(), timers: Vec::new() };
    for enumeration in &library.enumerations {
        let literals = enumeration.literals.iter().map(|(name, value)| (name.text.clone(), *value));
        names.enumeration(&enumeration.name.text, literals);
    }
    let own: Vec<_> = class.lineage.iter().flat_map(|capsule| &capsule.snippets).collect();
    let mut hidden = HashSet::new();
    for (snippet, own) in library.snippets.iter().map(|s| (*s, false)).chain(own.into_iter().map(|s| (s, true))) {
        if snippet.kind.text != "decl" {
            // The code of operations and constructors is run where it belongs.
            let is_run = snippet.kind.text == "ctor" || snippet.kind.text.starts_with("operation ");
            if snippet.kind.text == "impl" && own && !snippet.code.text.contains("#define") {
                hidden.extend(action::members(&snippet.code).1);
            } else if (own && !is_run) || snippet.code.text.contains("#define") {
                hidden.extend(action::words(&snippet.code));
            }
            continue;
        }
        let (members, others) = action::members(&snippet.code);
        members.into_iter().for_each(|member| names.member(member, own.then_some(&first), build));
        hidden.extend(others);
    }
    for (name, meaning) in &mut names.known {
        if hidden.contains(name) {
            *meaning = Meaning::Opaque;
        }
    }
    for attribute in class.lineage.iter().flat_map(|capsule| &capsule.attributes) {
        let Name { text, span } = &attribute.name;
        let initial = attribute.initial.as_ref().and_then(|code| names.constant(code));
        let exact = names.exact(simple(&attribute.ty.text)).filter(|_| attribute.size.is_none());
        let meaning = match (exact, initial) {
            (Some(ty), Some(first)) if !hidden.contains(text) => {
                Meaning::Variable(build.variable(text.clone(), scalar(ty), first, *span), ty)
            }
            _ => Meaning::Opaque,
        };
        names.known.insert(text.clone(), meaning);
    }
    for name in timers::members(class) {
        names.timers.push(timers::identity(name.clone(), build, class.capsule.name.span));
        names.known.insert(name, Meaning::Timer);
    }
    for meaning in names.known.values_mut() {
        if let Meaning::Variable(variable, _) = meaning {
            let declared = &build.variables[variable.index()];
            if forgotten.contains(&super::key(&declared.name, declared.span)) {
                *meaning = Meaning::Opaque;
            }
        }
    }
    names
}

/// The code of the initial transition of the whole.
fn first_statements(class: &Class<'_>) -> Vec<Stmt> {
    let Some(machine) = &class.machine else { return Vec::new() };
    let code = machine.initial(None).and_then(|first| machine.transitions[first].effect);
    code.and_then(|code| action::statements(code).ok()).unwrap_or_default()
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

    /// A member of the capsule, with what its first transition does; or a declaration outside.
    fn member(&mut self, member: Member, own: Option<&Vec<Stmt>>, build: &mut Build) {
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
                    let mut first = initial.as_ref().and_then(|e| self.fold(e));
                    // No code runs before that of the initial transition.
                    if initial.is_none() && own.is_some_and(|statements| is_set_first(&name, statements)) {
                        first = Some(0);
                    }
                    let meaning = match (self.exact(&ty).filter(|_| own.is_some()), first) {
                        (Some(ty), Some(first)) => {
                            let first = if ty == Type::Bool { i32::from(first != 0) } else { first };
                            Meaning::Variable(build.variable(name.clone(), scalar(ty), first, span), ty)
                        }
                        _ => Meaning::Opaque,
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
        action::condition(code).ok().and_then(|(_, e)| self.fold(&e))
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

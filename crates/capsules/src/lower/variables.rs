//! The variables of a capsule: those of `rt::decl` in Art, attributes in ROOM.

use super::Forgotten;
use super::build::Build;
use super::reach::{is_set_first, words_of};
use super::structures::{self, First, Object, Shape, unset};
use super::timers::{self, Identity};
use crate::action::{self, ExprKind, Member, Stmt};
use crate::ast::{Code, Name};
use crate::resolve::{Class, Library, simple};
use model::ids::VariableId;
use model::network::ScalarType;
use model::source::Span;
use std::collections::{BTreeMap, HashMap, HashSet};

/// What a variable holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Int,
    Bool,
}

impl Type {
    /// A number as a variable of the type holds it.
    pub(super) fn holds(self, value: i32) -> i32 {
        if self == Type::Bool { i32::from(value != 0) } else { value }
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    Variable(VariableId, Type),
    /// A structure or an array, or another name for one.
    Object(Object),
    Constant(i32),
    /// A string, of which these characters are known.
    Text(BTreeMap<i64, VariableId>),
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
    /// Structures by name; `None` for those whose values are not kept.
    pub(super) structures: HashMap<String, Option<Shape>>,
    pub(super) timers: Vec<Identity>,
    /// Numbers in objects that have no value at first, each with the name of its object.
    unset: Vec<(VariableId, String)>,
    /// What members may point to from the start.
    pointed: HashSet<String>,
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

    /// Whether a value of a type may be another name for something: a pointer, a reference, or what has one in it.
    pub(super) fn may_point(&self, ty: &str) -> bool {
        ty.ends_with('*') || !(is_plain(ty) || self.exact(ty).is_some() || self.shape(ty).is_some())
    }
}

/// The types that are declared outside of capsules.
pub(super) fn types(library: &Library<'_>) -> Names {
    let mut names = Names::new(library);
    let snippets = library.snippets.iter().filter(|snippet| snippet.kind.text == "decl");
    names.members(
        snippets.flat_map(|snippet| action::members(&snippet.code).0).collect(),
        None,
        &mut Build::new(Span::NONE),
    );
    names
}

/// Declares the variables and constants of a capsule.
pub(super) fn names(library: &Library<'_>, class: &Class<'_>, forgotten: &mut Forgotten, build: &mut Build) -> Names {
    let first = Start { statements: first_statements(class), functions: functions(library, class) };
    let mut names = Names::new(library);
    let own: Vec<_> = class.lineage.iter().flat_map(|capsule| &capsule.snippets).collect();
    let mut hidden = HashSet::new();
    let (mut outside, mut inside) = (Vec::new(), Vec::new());
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
        if own { &mut inside } else { &mut outside }.extend(members);
        hidden.extend(others);
    }
    names.members(outside, None, build);
    names.members(inside, Some(&first), build);
    hidden.extend(std::mem::take(&mut names.pointed));
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
    for (variable, name) in std::mem::take(&mut names.unset) {
        if matches!(names.known.get(&name), Some(Meaning::Object(_))) {
            let declared = &build.variables[variable.index()];
            forgotten.insert(super::key(&declared.name, declared.span));
        }
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

/// What runs first: the code of the initial transition, and the functions that it could call.
struct Start {
    statements: Vec<Stmt>,
    functions: HashSet<String>,
}

/// The names of functions and macros that code of a class may call.
fn functions(library: &Library<'_>, class: &Class<'_>) -> HashSet<String> {
    let own = class.lineage.iter().flat_map(|capsule| &capsule.snippets);
    let all = own.chain(library.snippets.iter().copied());
    let inherited = ["CALLSUPER", "SUPERMETHOD"].map(String::from);
    let named = |snippet: &crate::ast::Snippet| {
        let operation = snippet.kind.text.strip_prefix("operation ").map(str::to_owned);
        let declared = action::functions(&snippet.code).into_iter().map(|function| function.name);
        let macros = if snippet.code.text.contains("#define") { action::words(&snippet.code) } else { HashSet::new() };
        declared.chain(operation).chain(macros).collect::<Vec<_>>()
    };
    all.flat_map(named).chain(inherited).collect()
}

/// The code of the initial transition of the whole.
fn first_statements(class: &Class<'_>) -> Vec<Stmt> {
    let Some(machine) = &class.machine else { return Vec::new() };
    let code = machine.initial(None).and_then(|first| machine.transitions[first].effect);
    code.and_then(|code| action::statements(code).ok()).unwrap_or_default()
}

impl Names {
    fn new(library: &Library<'_>) -> Names {
        let mut names = Names {
            known: HashMap::new(),
            enumerations: HashSet::new(),
            structures: HashMap::new(),
            timers: Vec::new(),
            unset: Vec::new(),
            pointed: HashSet::new(),
        };
        for enumeration in &library.enumerations {
            let literals = enumeration.literals.iter().map(|(name, value)| (name.text.clone(), *value));
            names.enumeration(&enumeration.name.text, literals);
        }
        names
    }

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

    /// Members of the capsule, with what its first transition does; or declarations outside. Files have no order: enumerations come
    /// first, then structures, those that others consist of before these.
    fn members(&mut self, members: Vec<Member>, own: Option<&Start>, build: &mut Build) {
        let (types, variables): (Vec<_>, Vec<_>) =
            members.into_iter().partition(|member| !matches!(member, Member::Variables(..)));
        let (mut structures, enumerations): (Vec<_>, Vec<_>) =
            types.into_iter().partition(|member| matches!(member, Member::Structure(..)));
        enumerations.into_iter().for_each(|member| self.member(member, own, build));
        for _ in 0..structures.len() {
            let waits = |member: &Member, all: &[Member]| {
                let Member::Structure(_, fields) = member else { return false };
                let is_used = |name: &str| fields.iter().any(|(ty, _)| ty.split('[').next() == Some(name));
                all.iter().any(|other| matches!(other, Member::Structure(name, _) if is_used(name)))
            };
            let next = (0..structures.len()).find(|&at| !waits(&structures[at], &structures)).unwrap_or(0);
            self.member(structures.remove(next), own, build);
        }
        variables.into_iter().for_each(|member| self.member(member, own, build));
    }

    /// A member of the capsule, with what its first transition does; or a declaration outside.
    fn member(&mut self, member: Member, own: Option<&Start>, build: &mut Build) {
        match member {
            Member::Enumeration(name, literals) => {
                let values: Vec<(String, Option<i64>)> = literals
                    .into_iter()
                    .map(|(literal, value)| (literal, value.map(|e| self.fold(&e).map_or(i64::MAX, i64::from))))
                    .collect();
                self.enumeration(&name, values.into_iter());
            }
            Member::Structure(name, fields) => self.structure(&name, &fields),
            Member::Variables(ty, declared, span) => {
                for (name, initial) in declared {
                    let shape = self.shape(&ty).filter(|shape| !shape.is_scalar());
                    let firsts = shape.as_ref().and_then(|shape| self.constants(shape, initial.as_ref()));
                    if let (Some(shape), Some(firsts), Some(start)) = (shape, firsts, own) {
                        let (object, open) = structures::declare((&name, ""), &shape, &firsts, span, build);
                        let open = unset(&name, &object, &open, &start.statements, &start.functions);
                        self.unset.extend(open.into_iter().map(|variable| (variable, name.clone())));
                        self.set(name, Meaning::Object(object));
                        continue;
                    }
                    let mut first = initial.as_ref().and_then(|e| self.fold(e));
                    // No code runs before that of the initial transition.
                    if initial.is_none()
                        && own.is_some_and(|start| is_set_first(&name, &start.statements, &start.functions))
                    {
                        first = Some(0);
                    }
                    let meaning = match (self.exact(&ty).filter(|_| own.is_some()), first) {
                        (Some(ty), Some(first)) => {
                            let first = if ty == Type::Bool { i32::from(first != 0) } else { first };
                            Meaning::Variable(build.variable(name.clone(), scalar(ty), first, span), ty)
                        }
                        _ => {
                            if let Some(e) = initial.as_ref().filter(|_| self.may_point(&ty)) {
                                words_of(e, &mut self.pointed);
                            }
                            Meaning::Opaque
                        }
                    };
                    self.set(name, meaning);
                }
            }
        }
    }

    /// What the numbers of a member hold at first; `None` stands for nothing, and is given if that is unknown.
    fn constants(&self, shape: &Shape, initial: Option<&action::Expr>) -> Option<Vec<Option<i32>>> {
        let one = |first: First<'_>| match first {
            First::Unset => Some(None),
            First::Number(value) => Some(Some(value)),
            First::Code(e) => self.fold(e).map(Some),
        };
        shape.firsts(initial)?.into_iter().map(one).collect()
    }

    /// A name that is declared twice means neither.
    fn set(&mut self, name: String, meaning: Meaning) {
        self.known.entry(name).and_modify(|known| *known = Meaning::Opaque).or_insert(meaning);
    }

    /// The value of a constant expression.
    pub(super) fn fold(&self, e: &action::Expr) -> Option<i32> {
        match &e.kind {
            ExprKind::Number(value) => i32::try_from(*value).ok(),
            ExprKind::Name(name) if name == "true" => Some(1),
            ExprKind::Name(name) if name == "false" => Some(0),
            ExprKind::Name(name) => match self.known.get(name) {
                Some(Meaning::Constant(value)) => Some(*value),
                _ => None,
            },
            ExprKind::Unary("-", inner) => self.fold(inner)?.checked_neg(),
            ExprKind::List(inside) => match &inside[..] {
                [] => Some(0),
                [only] => self.fold(only),
                _ => None,
            },
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

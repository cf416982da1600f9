//! Names and what they mean: scopes, the procedures that are being inlined, globals.

use super::skipped::Skipped;
use crate::program::{Linkage, LocationId, ObjectId};
use crate::term::TermId;
use crate::types::{FunctionType, Integer, Type};
use lang_c::ast::{Declarator, DeclaratorKind, Initializer};
use lang_c::span::{Node, Span as Parsed};
use model::diagnostic::Diagnostic;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// What an ordinary name means.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    /// A type, and whether it is volatile.
    Typedef(Type, bool),
    Object(ObjectId, Type),
    /// A variable outside of procedures; it becomes an object when it is used.
    Global(usize),
    Function(Arc<FunctionType>),
    Constant(i128, Integer),
    /// A parameter that is never changed, at a call with a constant.
    Value(TermId, Type),
    /// A declaration that could not be read, which matters only if it is used.
    Broken(Box<Diagnostic>),
}

/// What a tag means.
#[derive(Clone, Debug)]
pub(crate) enum Tag {
    Record(usize),
    Enumeration(Integer),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub names: HashMap<String, Binding>,
    pub tags: HashMap<String, Tag>,
    /// Its number among the scopes of the component.
    pub number: usize,
}

/// A variable outside of procedures.
#[derive(Clone, Debug)]
pub(crate) struct Global<'a> {
    pub name: String,
    pub ty: Type,
    pub initializer: Option<&'a Node<Initializer>>,
    /// Declared `extern` only: it is defined elsewhere, and its value is not known.
    pub elsewhere: bool,
    pub volatile: bool,
    pub linkage: Linkage,
    pub place: Parsed,
    pub object: Option<ObjectId>,
}

/// A label of a procedure.
#[derive(Clone, Debug)]
pub(crate) struct LabelState {
    pub location: LocationId,
    pub defined: bool,
    pub place: Parsed,
    /// The scopes around it, once it is defined.
    pub scopes: Vec<usize>,
}

/// The cases of a `switch` as they are met.
#[derive(Clone, Debug)]
pub(crate) struct Switch {
    pub ty: Integer,
    /// From and to, both included.
    pub cases: Vec<(i128, i128, LocationId)>,
    pub default: Option<LocationId>,
}

/// A procedure that is being inlined.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub name: String,
    pub scopes: Vec<Scope>,
    pub labels: HashMap<String, LabelState>,
    /// Where to go, and how many scopes are around.
    pub breaks: Vec<(LocationId, usize)>,
    pub continues: Vec<(LocationId, usize)>,
    pub switches: Vec<Switch>,
    /// Where `return` goes; `None` in the procedure of the component.
    pub exit: Option<LocationId>,
    /// What `return` assigns.
    pub result: Option<ObjectId>,
    pub result_type: Type,
    /// The declarations that its jumps skip.
    pub skipped: Rc<Skipped>,
    /// The edges of jumps that skip some: where each leads, and the jump.
    pub skips: Vec<(usize, (usize, usize))>,
    /// The edges of jumps that leave scopes: those scopes, or where a `goto` leads and the scopes around it.
    pub exits: Vec<(usize, Left)>,
    /// By number of a scope, the objects whose lifetimes end with it.
    pub objects: HashMap<usize, Vec<ObjectId>>,
}

/// What a jump leaves.
#[derive(Clone, Debug)]
pub(crate) enum Left {
    Scopes(Vec<usize>),
    /// The scopes around a `goto` that are not around this label.
    Goto(String, Vec<usize>),
}

impl Frame {
    pub fn new(name: &str, exit: Option<LocationId>, result: Option<ObjectId>, result_type: Type) -> Self {
        Frame {
            name: name.to_string(),
            scopes: vec![Scope::default()],
            labels: HashMap::new(),
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            exit,
            result,
            result_type,
            skipped: Rc::default(),
            skips: Vec::new(),
            exits: Vec::new(),
            objects: HashMap::new(),
        }
    }
}

/// The name that a declarator declares.
pub(crate) fn declared_name(declarator: &Declarator) -> Option<&str> {
    match &declarator.kind.node {
        DeclaratorKind::Abstract => None,
        DeclaratorKind::Identifier(identifier) => Some(&identifier.node.name),
        DeclaratorKind::Declarator(inner) => declared_name(&inner.node),
    }
}

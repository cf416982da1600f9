//! Structures and arrays: what they consist of, and what an expression of such a type names.
//!
//! An object is one variable per field that is an `int`, a `bool` or an enumeration, and nothing for a string or the
//! like; where it lies in an array, that variable has a dimension. A pointer or a reference that is given an object
//! when it is declared, and never another one, is another name for it. A field that is read before it is set is
//! unknown.

use super::actions::{Lowered, Scopes, no};
use super::build::Build;
use super::handlers::{Handlers, Message};
use super::reach::{
    children, could_write, expressions, expressions_in, is_assignment, leaves, reads, words_of, words_of_statement,
};
use super::values::of_type;
use super::variables::{Meaning, Names, Type, is_plain, scalar};
use crate::action::{Declared, Expr as Syntax, ExprKind, Stmt, StmtKind};
use model::expr::{Expr, Place, Scope};
use model::ids::{LocationId, VariableId};
use model::network::{Action, Dimension, Initial, Variable};
use model::source::Span;
use std::collections::HashSet;
use std::rc::Rc;

/// As many numbers an object may consist of, to be kept.
const MOST_CELLS: usize = 64;

/// What a type looks like whose values are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Scalar(Type),
    /// A structure with its name, and its fields with the values that they have at first.
    Structure(String, Rc<Vec<Field>>),
    Array(Box<Shape>, u32),
    /// A field of a type whose values are not kept, such as a string.
    Opaque,
}

/// A field of a structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Field {
    name: String,
    shape: Shape,
    first: Option<i32>,
}

/// A variable of a shape: its path, and the arrays that it lies in.
struct Leaf {
    path: String,
    dimensions: Vec<Dimension>,
    ty: Type,
}

/// What a number holds at first.
#[derive(Clone, Copy, Debug)]
pub(super) enum First<'e> {
    Unset,
    Number(i32),
    Code(&'e Syntax),
}

/// Something of a type whose values are known: the variables of its numbers lie one after the other.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) shape: Shape,
    pub(super) first: VariableId,
    pub(super) indices: Vec<Expr>,
}

impl Shape {
    fn leaves(&self) -> Vec<Leaf> {
        match self {
            Shape::Scalar(ty) => vec![Leaf { path: String::new(), dimensions: Vec::new(), ty: *ty }],
            Shape::Opaque => Vec::new(),
            Shape::Structure(_, fields) => fields.iter().flat_map(Field::leaves).collect(),
            Shape::Array(inner, len) => {
                let mut leaves = inner.leaves();
                for leaf in &mut leaves {
                    leaf.dimensions.insert(0, Dimension { len: *len, name_end: 0 });
                }
                leaves
            }
        }
    }

    /// How many numbers it consists of.
    pub(super) fn cells(&self) -> usize {
        match self {
            Shape::Opaque => 0,
            Shape::Scalar(_) => 1,
            Shape::Structure(_, fields) => fields.iter().map(|field| field.shape.cells()).sum(),
            Shape::Array(inner, len) => inner.cells().saturating_mul(*len as usize),
        }
    }

    /// The paths of its numbers, each with its variable.
    fn paths(&self, before: &mut String, first: VariableId, found: &mut Vec<(String, VariableId)>) {
        let len = before.len();
        match self {
            Shape::Opaque => {}
            Shape::Scalar(_) => found.push((before.clone(), first)),
            Shape::Structure(_, fields) => {
                let mut next = first.index();
                for field in fields.iter() {
                    before.push_str(&format!(".{}", field.name));
                    field.shape.paths(before, next.into(), found);
                    before.truncate(len);
                    next += field.shape.variables();
                }
            }
            Shape::Array(inner, size) => {
                for at in 0..*size {
                    before.push_str(&format!("[{at}]"));
                    inner.paths(before, first, found);
                    before.truncate(len);
                }
            }
        }
    }

    /// How many variables it consists of.
    fn variables(&self) -> usize {
        match self {
            Shape::Opaque => 0,
            Shape::Scalar(_) => 1,
            Shape::Structure(_, fields) => fields.iter().map(|field| field.shape.variables()).sum(),
            Shape::Array(inner, _) => inner.variables(),
        }
    }

    /// What its numbers hold at first, in their order, where a list gives some of them. `None` if the list does not
    /// fit.
    pub(super) fn firsts<'e>(&self, list: Option<&'e Syntax>) -> Option<Vec<First<'e>>> {
        let mut found = Vec::new();
        let whole = if list.is_some() { First::Number(0) } else { First::Unset };
        self.add_firsts(list, whole, &mut found).then_some(found)
    }

    fn add_firsts<'e>(&self, given: Option<&'e Syntax>, otherwise: First<'e>, found: &mut Vec<First<'e>>) -> bool {
        let inside: &[Syntax] = match given.map(|e| &e.kind) {
            Some(ExprKind::List(inside)) => inside,
            Some(_) if *self == Shape::Opaque => return !given.is_some_and(could_write),
            Some(_) if !self.is_scalar() => return false,
            _ => &[],
        };
        match self {
            Shape::Opaque => true,
            Shape::Scalar(_) => {
                found.push(match given {
                    Some(Syntax { kind: ExprKind::List(_), .. }) => match inside {
                        [] => First::Number(0),
                        [only] => First::Code(only),
                        _ => return false,
                    },
                    Some(e) => First::Code(e),
                    None => otherwise,
                });
                true
            }
            Shape::Structure(_, fields) => {
                let one = |(at, field): (usize, &Field)| {
                    let first = field.first.map_or(otherwise, First::Number);
                    field.shape.add_firsts(inside.get(at), first, found)
                };
                inside.len() <= fields.len() && fields.iter().enumerate().all(one)
            }
            Shape::Array(inner, len) => {
                inside.len() <= *len as usize
                    && (0..*len as usize).all(|at| inner.add_firsts(inside.get(at), otherwise, found))
            }
        }
    }

    pub(super) fn is_scalar(&self) -> bool {
        matches!(self, Shape::Scalar(_))
    }
}

impl Field {
    fn leaves(&self) -> Vec<Leaf> {
        let mut leaves = self.shape.leaves();
        let before = self.name.len() as u32 + 1;
        for leaf in &mut leaves {
            leaf.path = format!(".{}{}", self.name, leaf.path);
            leaf.dimensions.iter_mut().for_each(|dimension| dimension.name_end += before);
        }
        leaves
    }
}

impl Names {
    /// What a type looks like; `None` if its values are not kept.
    pub(super) fn shape(&self, ty: &str) -> Option<Shape> {
        let (element, sizes) = ty.find('[').map_or((ty, ""), |at| ty.split_at(at));
        let element = ["struct ", "class "].iter().find_map(|word| element.strip_prefix(word)).unwrap_or(element);
        let mut shape = match self.exact(element) {
            Some(ty) => Shape::Scalar(ty),
            None => self.structures.get(element)?.clone()?,
        };
        for size in sizes.split_terminator(']').rev() {
            let size = size.strip_prefix('[')?;
            let len = size.parse().ok().or_else(|| match self.known.get(size) {
                Some(Meaning::Constant(value)) => u32::try_from(*value).ok(),
                _ => None,
            });
            shape = Shape::Array(Box::new(shape), len.filter(|len| *len > 0)?);
        }
        (shape.cells() <= MOST_CELLS).then_some(shape)
    }

    /// Declares a structure. One with a name that is known already means neither.
    pub(super) fn structure(&mut self, name: &str, members: &[(String, Declared)]) {
        let mut fields = Vec::new();
        let mut is_known = true;
        for (ty, declared) in members {
            for (name, initial) in declared {
                let first = initial.as_ref().map(|e| self.fold(e));
                match (self.shape(ty), first) {
                    (Some(Shape::Scalar(Type::Bool)), Some(Some(first))) => {
                        let (shape, first) = (Shape::Scalar(Type::Bool), Some(i32::from(first != 0)));
                        fields.push(Field { name: name.clone(), shape, first });
                    }
                    (Some(shape), first) if first.is_none() || (shape.is_scalar() && first != Some(None)) => {
                        fields.push(Field { name: name.clone(), shape, first: first.flatten() });
                    }
                    (None, _) if is_plain(ty) && !ty.ends_with('*') => {
                        fields.push(Field { name: name.clone(), shape: Shape::Opaque, first: None });
                    }
                    _ => is_known = false,
                }
            }
        }
        let shape =
            is_known.then(|| Shape::Structure(name.to_owned(), Rc::new(fields))).filter(|shape| shape.cells() > 0);
        self.structures.entry(name.to_owned()).and_modify(|known| *known = None).or_insert(shape);
    }
}

/// Declares the variables of an object, with what its numbers hold at first. Given are also those that are unset.
pub(super) fn declare(
    (name, suffix): (&str, &str),
    shape: &Shape,
    firsts: &[Option<i32>],
    span: Span,
    build: &mut Build,
) -> (Object, Vec<VariableId>) {
    let object = Object { shape: shape.clone(), first: VariableId::from(build.variables.len()), indices: Vec::new() };
    let cells = object.cells(span);
    let mut unset = Vec::new();
    for leaf in shape.leaves() {
        let id = VariableId::from(build.variables.len());
        let of_leaf = cells.iter().zip(firsts).filter(|((place, _), _)| place.variable == id);
        let values: Vec<Option<i32>> = of_leaf.map(|((_, ty), first)| first.map(|value| ty.holds(value))).collect();
        if values.contains(&None) {
            unset.push(id);
        }
        let values: Vec<i32> = values.into_iter().map(Option::unwrap_or_default).collect();
        let initial = match values[..] {
            [value] if value != 0 => Initial::Value(Expr::Const(value)),
            _ if values.iter().any(|value| *value != 0) => Initial::List(values),
            _ => Initial::Zero,
        };
        let mut dimensions = leaf.dimensions;
        dimensions.iter_mut().for_each(|dimension| dimension.name_end += name.len() as u32);
        let name = format!("{name}{}{suffix}", leaf.path);
        build.variables.push(Variable { name, ty: scalar(leaf.ty), dimensions, initial, span });
    }
    (object, unset)
}

/// Which variables of an object, of those given, may be read before they are set: what the first statements that
/// mention it assign is set.
pub(super) fn unset(
    name: &str,
    object: &Object,
    open: &[VariableId],
    statements: &[Stmt],
    functions: &HashSet<String>,
) -> Vec<VariableId> {
    let mut set: Vec<String> = Vec::new();
    for statement in statements {
        let mut words = HashSet::new();
        if let StmtKind::Expr(Syntax { kind: ExprKind::Binary("=", left, right), .. }) = &statement.kind
            && let Some(path) = path(name, left)
        {
            words_of(right, &mut words);
            if !reads(right, name) && words.is_disjoint(functions) {
                set.push(path);
                continue;
            }
        }
        words_of_statement(statement, &mut words);
        if words.contains(name) || leaves(statement) || !words.is_disjoint(functions) {
            break;
        }
    }
    let inside = |cell: &str, path: &String| {
        cell.strip_prefix(path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let mut cells = Vec::new();
    object.shape.paths(&mut String::new(), object.first, &mut cells);
    let is_open = |variable: &VariableId| {
        cells.iter().any(|(cell, of)| of == variable && !set.iter().any(|path| inside(cell, path)))
    };
    open.iter().copied().filter(is_open).collect()
}

/// `name.a[1].b` as `.a[1].b`
fn path(name: &str, e: &Syntax) -> Option<String> {
    match &e.kind {
        ExprKind::Name(known) => (known == name).then(String::new),
        ExprKind::Member(inner, field) => Some(format!("{}.{field}", path(name, inner)?)),
        ExprKind::Index(inner, index) => match index.kind {
            ExprKind::Number(index) => Some(format!("{}[{index}]", path(name, inner)?)),
            _ => None,
        },
        _ => None,
    }
}

impl Object {
    pub(super) fn variables(&self) -> impl Iterator<Item = VariableId> + use<> {
        let first = self.first.index();
        (first..first + self.shape.variables()).map(VariableId::from)
    }

    fn field(&self, name: &str) -> Option<Object> {
        let Shape::Structure(_, fields) = &self.shape else { return None };
        let at = fields.iter().position(|field| field.name == *name)?;
        let before: usize = fields[..at].iter().map(|field| field.shape.variables()).sum();
        let first = VariableId::from(self.first.index() + before);
        Some(Object { shape: fields[at].shape.clone(), first, indices: self.indices.clone() })
    }

    fn element(&self, index: Expr) -> Option<Object> {
        let Shape::Array(inner, _) = &self.shape else { return None };
        let indices = self.indices.iter().cloned().chain([index]).collect();
        Some(Object { shape: (**inner).clone(), first: self.first, indices })
    }

    /// The place of a number.
    pub(super) fn place(&self, span: Span) -> Option<(Place, Type)> {
        let Shape::Scalar(ty) = self.shape else { return None };
        let indices = self.indices.clone();
        Some((Place { scope: Scope::Local, variable: self.first, indices, span }, ty))
    }

    /// The places of all its numbers. Those of two objects of one shape are in the same order.
    pub(super) fn cells(&self, span: Span) -> Vec<(Place, Type)> {
        match &self.shape {
            Shape::Opaque => Vec::new(),
            Shape::Scalar(_) => self.place(span).into_iter().collect(),
            Shape::Structure(_, fields) => {
                fields.iter().filter_map(|field| self.field(&field.name)).flat_map(|field| field.cells(span)).collect()
            }
            Shape::Array(_, len) => (0..*len)
                .filter_map(|at| self.element(Expr::Const(at as i32)))
                .flat_map(|one| one.cells(span))
                .collect(),
        }
    }
}

/// A type without what makes it a pointer.
fn pointed(ty: &str) -> &str {
    let ty = ty.trim_end_matches(['*', '&']);
    ty.strip_prefix("const").or_else(|| ty.strip_suffix("const")).unwrap_or(ty)
}

impl<'a> Handlers<'_, '_, 'a, '_> {
    /// What an expression names, or points to: an object whose values are kept, or a number in it.
    pub(super) fn object(&self, e: &Syntax, scopes: &Scopes<'a>) -> Option<Object> {
        let of_type = |inner: &Syntax, ty: &str| {
            self.object(inner, scopes).filter(|found| matches!(&found.shape, Shape::Structure(name, _) if name == ty))
        };
        let is_whole = |found: &Object| !found.shape.is_scalar();
        match &e.kind {
            ExprKind::Name(name) => match self.meaning(name, scopes) {
                Some(Meaning::Object(object)) => Some(object),
                _ => self.carried_object(e, scopes).filter(is_whole),
            },
            ExprKind::Member(inner, field) => self.object(inner, scopes)?.field(field),
            ExprKind::Index(inner, index) => self.object(inner, scopes)?.element(self.exact(index, scopes).ok()?),
            ExprKind::Unary("&", inner) => self.object(inner, scopes).filter(is_whole),
            ExprKind::Unary("*", inner) => {
                let found =
                    self.carried_object(inner, scopes).or_else(|| self.object(inner, scopes).filter(is_whole))?;
                if matches!(found.shape, Shape::Array(..)) { found.element(Expr::Const(0)) } else { Some(found) }
            }
            ExprKind::Cast(ty, inner) => match self.carried_object(e, scopes) {
                Some(found) => Some(found).filter(is_whole),
                None => of_type(inner, pointed(ty)),
            },
            ExprKind::Call(ty, arguments) => match (&ty.kind, &arguments[..]) {
                (ExprKind::Name(ty), [inner]) if self.is_structure(ty, scopes) => of_type(inner, ty),
                _ => None,
            },
            // `(T) *pointer` reads like a product.
            ExprKind::Binary("*", ty, inner) => match &ty.kind {
                ExprKind::Name(ty) if self.is_structure(ty, scopes) => {
                    let whole = Syntax { kind: ExprKind::Unary("*", inner.clone()), span: e.span };
                    of_type(&whole, ty)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn is_structure(&self, name: &str, scopes: &Scopes<'a>) -> bool {
        matches!(self.names.structures.get(name), Some(Some(_)))
            && self.meaning(name, scopes).is_none()
            && !self.reach.is_own(name)
    }

    /// `rtdata`, or a cast of it to the type that it has: what the message carries, or what was given to the part that
    /// starts.
    fn carried_object(&self, pointer: &Syntax, scopes: &Scopes<'a>) -> Option<Object> {
        let (cast, name) = match &pointer.kind {
            ExprKind::Cast(ty, inner) if ty.ends_with('*') => (Some(pointed(ty)), &inner.kind),
            kind => (None, kind),
        };
        if *name != ExprKind::Name(String::from("rtdata")) || self.meaning("rtdata", scopes).is_some() {
            return None;
        }
        match scopes.cause {
            Some(Message { port, event, .. }) => {
                let ty = self.lowering.data_type(&self.class.ports[port], event)?;
                if cast.is_some_and(|cast| cast != ty) {
                    return None;
                }
                self.data_of(port, event)
            }
            None => self
                .given
                .clone()
                .filter(|given| cast.and_then(|ty| self.names.shape(ty)).as_ref() == Some(&given.shape)),
        }
    }

    /// What a message carries, if that is known.
    pub(super) fn data_shape(&self, port: usize, event: &str) -> Option<Shape> {
        let ty = self.lowering.data_type(&self.class.ports[port], event)?;
        self.names.shape(ty).filter(|shape| shape.cells() <= self.lowering.width)
    }

    /// Where it is kept while the message is handled.
    pub(super) fn data_of(&self, port: usize, event: &str) -> Option<Object> {
        let shape = self.data_shape(port, event)?;
        let kept =
            self.data.iter().find(|kept| kept.shape == shape || (kept.shape.is_scalar() && shape.is_scalar()))?;
        Some(Object { shape, ..kept.clone() })
    }

    /// Declares where the data of messages is kept.
    pub(super) fn declare_data(&mut self) {
        let span = self.class.capsule.name.span;
        for port in 0..self.class.ports.len() {
            for event in &self.class.ports[port].alphabet.incoming {
                let Some(shape) = self.data_shape(port, &event.text) else { continue };
                if self.data_of(port, &event.text).is_none() {
                    let name = if shape.is_scalar() { "data of the message" } else { "data of the message," };
                    // One variable for all of them.
                    let shape = if shape.is_scalar() { Shape::Scalar(Type::Int) } else { shape };
                    let firsts = vec![Some(0); shape.cells()];
                    let object = declare((name, ""), &shape, &firsts, span, &mut self.build).0;
                    self.data.push(object);
                }
            }
        }
    }

    /// Whether the values of all numbers of an object are known.
    fn is_known(&self, variable: VariableId) -> bool {
        let declared = &self.build.variables[variable.index()];
        !self.is_forgotten(&declared.name, declared.span)
    }

    /// The value of a number in an object.
    pub(super) fn number(&self, e: &Syntax, scopes: &Scopes<'a>) -> Option<Expr> {
        if matches!(e.kind, ExprKind::Name(_)) {
            return None;
        }
        let (place, _) = self.object(e, scopes)?.place(e.span)?;
        self.is_known(place.variable).then_some(Expr::Read(place))
    }

    /// The values of all numbers of an object, or the one of an expression; `None` stands for a value that is unknown.
    pub(super) fn values(&self, shape: &Shape, e: &Syntax, scopes: &Scopes<'a>) -> Option<Vec<Option<Expr>>> {
        if let ExprKind::Call(ty, list) = &e.kind
            && let (ExprKind::Name(ty), [Syntax { kind: ExprKind::List(_), .. }]) = (&ty.kind, &list[..])
        {
            let is_it = self.is_structure(ty, scopes) && self.names.shape(ty).as_ref() == Some(shape);
            let firsts = shape.firsts(Some(&list[0])).filter(|_| is_it)?;
            // What unknown code does matters.
            let acts =
                |first: &First<'_>| matches!(first, First::Code(e) if could_write(e) && self.exact(e, scopes).is_err());
            if firsts.iter().any(acts) {
                return None;
            }
            let cells = Object { shape: shape.clone(), first: 0.into(), indices: Vec::new() }.cells(e.span);
            let value = |(first, (_, ty)): (First<'_>, (Place, Type))| match first {
                First::Unset => None,
                First::Number(value) => Some(Expr::Const(ty.holds(value))),
                First::Code(e) => self.exact(e, scopes).ok().map(|e| of_type(ty, e)),
            };
            return Some(firsts.into_iter().zip(cells).map(value).collect());
        }
        let object = self.object(e, scopes).filter(|object| object.shape == *shape && !shape.is_scalar())?;
        let value = |(place, _): (Place, Type)| self.is_known(place.variable).then_some(Expr::Read(place));
        Some(object.cells(e.span).into_iter().map(value).collect())
    }

    /// Copies an object to another one of its shape.
    pub(super) fn copy(
        &mut self,
        at: LocationId,
        object: &Object,
        e: &Syntax,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        let Some(values) = self.values(&object.shape, e, scopes) else {
            self.ignored(e, scopes)?;
            object.variables().for_each(|variable| self.forget(variable));
            return Ok(at);
        };
        // An index may be what is copied.
        if object.indices.iter().any(|index| index.constant().is_none()) {
            return no(e.span, "a copy to an element whose index is computed");
        }
        let targets: Vec<VariableId> = object.variables().collect();
        let (mut at, mut kept) = (at, Vec::new());
        for ((place, ty), value) in object.cells(e.span).into_iter().zip(values) {
            match value {
                // All values are read before the first is changed.
                Some(value) if reads_any(&value, &targets) => {
                    let old = self.temporary("old value", ty, e.span, scopes);
                    at = self.build.then(at, Action::Assign(super::build::place(old, e.span), value), e.span);
                    kept.push((place, super::build::value(old, e.span)));
                }
                Some(value) => kept.push((place, value)),
                None => self.forget(place.variable),
            }
        }
        for (place, value) in kept {
            at = self.build.then(at, Action::Assign(place, value), e.span);
        }
        Ok(at)
    }

    /// The objects that an expression of an unknown type may point to are unknown from now on.
    pub(super) fn forget_pointed(&mut self, e: &Syntax, scopes: &Scopes<'a>) {
        if self.exact(e, scopes).is_ok() {
            return;
        }
        match self.object(e, scopes) {
            Some(object) => object.variables().for_each(|variable| self.forget(variable)),
            None => children(e).into_iter().for_each(|inner| self.forget_pointed(inner, scopes)),
        }
    }

    /// Declares an object in the code, or another name for one.
    pub(super) fn declare_object(
        &mut self,
        at: LocationId,
        (ty, name): (&str, &str),
        first: Option<&Syntax>,
        rest: &[Stmt],
        span: Span,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<Option<LocationId>> {
        if ty.ends_with(['*', '&']) && !ty.contains('[') {
            let Some(object) = first.and_then(|e| self.object(e, scopes)).filter(|object| !object.shape.is_scalar())
            else {
                return Ok(None);
            };
            let is_it = match &object.shape {
                Shape::Array(inner, _) => self.names.shape(pointed(ty)).as_ref() == Some(inner),
                shape => self.names.shape(pointed(ty)).as_ref() == Some(shape),
            };
            let moves = object.indices.iter().any(|index| index.constant().is_none());
            if !is_it || moves || rest.iter().any(|statement| changes(name, statement)) {
                return Ok(None);
            }
            scopes.declare(name, Meaning::Object(object));
            return Ok(Some(at));
        }
        let Some(shape) = self.names.shape(ty).filter(|shape| !shape.is_scalar()) else { return Ok(None) };
        let copied = first.filter(|e| !matches!(e.kind, ExprKind::List(_)));
        if copied.is_some_and(|e| self.values(&shape, e, scopes).is_none()) {
            return Ok(None);
        }
        let Some(firsts) = shape.firsts(first.filter(|_| copied.is_none())) else { return Ok(None) };
        let (object, _) = declare((name, " (local)"), &shape, &vec![Some(0); shape.cells()], span, &mut self.build);
        scopes.locals.extend(object.cells(span).into_iter().map(|(place, _)| place));
        let mut at = at;
        if let Some(e) = copied {
            at = self.copy(at, &object, e, scopes)?;
        } else {
            let open: Vec<VariableId> = object.variables().collect();
            let open = if first.is_none() { unset(name, &object, &open, rest, &HashSet::new()) } else { open };
            for ((place, ty), first) in object.cells(span).into_iter().zip(firsts) {
                at = match first {
                    First::Unset if open.contains(&place.variable) => {
                        self.forget(place.variable);
                        at
                    }
                    First::Unset => at,
                    First::Number(value) => {
                        self.build.then(at, Action::Assign(place, Expr::Const(ty.holds(value))), span)
                    }
                    First::Code(e) => self.assign(at, (place, ty), e, span, scopes)?,
                };
            }
        }
        scopes.declare(name, Meaning::Object(object));
        Ok(Some(at))
    }

    /// What is given to a part that is created: an object, or a variable.
    pub(super) fn give(
        &mut self,
        at: LocationId,
        instance: usize,
        given: Option<&Syntax>,
        scopes: &mut Scopes<'a>,
    ) -> LocationId {
        let Some(cells) = self.lowering.arguments.get(&instance).cloned() else { return at };
        let found = given.and_then(|e| self.given_values(e, scopes)).filter(|(_, values)| values.len() <= cells.len());
        let shape = found.as_ref().map(|(shape, _)| shape.clone());
        let mut all = self.lowering.given.borrow_mut();
        let known = all.entry(instance).or_insert_with(|| shape.clone());
        if *known != shape {
            *known = None;
        }
        drop(all);
        let Some((shape, values)) = found else { return at };
        let span = given.map_or(Span::NONE, |e| e.span);
        let class = self.lowering.instances.class(instance);
        let mut unknown = Build::new(span);
        let (target, _) = declare(GIVEN, &shape, &vec![Some(0); values.len()], class.capsule.name.span, &mut unknown);
        let mut at = at;
        for ((cell, value), (place, _)) in cells.into_iter().zip(values).zip(target.cells(span)) {
            match value {
                Some(value) => {
                    at = self.build.then(at, Action::Assign(super::global_place(cell, span), value), span);
                }
                None => {
                    let declared = &unknown.variables[place.variable.index()];
                    self.lowering.forgotten.borrow_mut().insert(super::key(&declared.name, declared.span));
                }
            }
        }
        at
    }

    fn given_values(&self, e: &Syntax, scopes: &Scopes<'a>) -> Option<(Shape, Vec<Option<Expr>>)> {
        let ExprKind::Unary("&", inner) = &e.kind else { return None };
        if let ExprKind::Name(name) = &inner.kind
            && let Some(Meaning::Variable(variable, ty)) = self.meaning(name, scopes)
        {
            return Some((Shape::Scalar(ty), vec![Some(super::build::value(variable, e.span))]));
        }
        let object = self.object(inner, scopes)?;
        match object.place(e.span) {
            Some((place, ty)) => {
                let value = self.is_known(place.variable).then_some(Expr::Read(place));
                Some((Shape::Scalar(ty), vec![value]))
            }
            None => Some((object.shape.clone(), self.values(&object.shape, inner, scopes)?)),
        }
    }

    /// Takes what was given to this part when it starts.
    pub(super) fn take_given(&mut self, at: LocationId, span: Span) -> LocationId {
        let known = self.lowering.given.borrow().get(&self.instance).cloned().flatten();
        let (Some(cells), Some(shape)) = (self.lowering.arguments.get(&self.instance), known) else { return at };
        let declared = self.class.capsule.name.span;
        let (object, _) = declare(GIVEN, &shape, &vec![Some(0); shape.cells()], declared, &mut self.build);
        let mut at = at;
        for ((place, ty), &cell) in object.cells(span).into_iter().zip(cells) {
            let taken = of_type(ty, super::global(cell, span));
            at = self.build.then(at, Action::Assign(place, taken), span);
            at = self.build.then(at, Action::Assign(super::global_place(cell, span), Expr::Const(0)), span);
        }
        self.given = Some(object);
        at
    }
}

/// Whether a value depends on one of some variables of the machine.
fn reads_any(value: &Expr, variables: &[VariableId]) -> bool {
    let mut found = false;
    value.walk(&mut |e| {
        found |= matches!(e, Expr::Read(place) if place.scope == Scope::Local && variables.contains(&place.variable));
    });
    found
}

/// What was given to a part, and how its variables are marked.
const GIVEN: (&str, &str) = ("rtdata", " (given)");

/// Whether a statement may let a pointer point to something else.
fn changes(name: &str, statement: &Stmt) -> bool {
    let is_it = |e: &Syntax| e.kind == ExprKind::Name(name.to_owned());
    let mut found = false;
    expressions(statement, &mut |e| {
        expressions_in(e, &mut |e| {
            found |= match &e.kind {
                ExprKind::Binary(op, left, _) => is_assignment(op) && is_it(left),
                ExprKind::Unary("++" | "--" | "&", inner) | ExprKind::Postfix(_, inner) => is_it(inner),
                _ => false,
            };
        });
    });
    found
}

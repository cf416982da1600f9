//! Types and the variables declared with them.
//!
//! The model has scalars and arrays of scalars only. A structure is flattened: each of its scalar
//! fields, over all the arrays on the way to it, becomes a variable of the model. An [`Entity`]
//! remembers how the fields hang together, so that `a[i].b[j]` finds its variable and its indices.

use crate::token::Name;
use model::ids::{ChannelTypeId, VariableId};
use model::network::{Dimension, Initial, ScalarType, Variable};
use model::source::Span;

/// A resolved type.
#[derive(Clone, Debug)]
pub(super) enum Type {
    Scalar(ScalarType),
    /// Index into the table of structures.
    Struct(usize),
}

/// A field of a structure.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: Name,
    pub(super) ty: Type,
    pub(super) len: Option<u32>,
    pub(super) initial: Initial,
    pub(super) span: Span,
}

/// A structure.
#[derive(Clone, Debug)]
pub(super) struct Structure {
    pub(super) name: Name,
    pub(super) fields: Vec<Field>,
}

/// A declared thing: a scalar or a structure, possibly an array of it.
#[derive(Clone, Debug)]
pub(super) struct Entity {
    pub(super) len: Option<u32>,
    pub(super) kind: EntityKind,
}

#[derive(Clone, Debug)]
pub(super) enum EntityKind {
    /// A variable of the model; for a channel that is declared with one, its type.
    Leaf {
        variable: VariableId,
        ty: ScalarType,
        channel: Option<ChannelTypeId>,
    },
    Struct {
        structure: usize,
        members: Vec<(Name, Entity)>,
    },
}

/// What [`flatten`] needs to know.
pub(super) struct Flatten<'a> {
    pub(super) structures: &'a [Structure],
    pub(super) text: &'a dyn Fn(Name) -> String,
    pub(super) variables: &'a mut Vec<Variable>,
    /// The number of elements over all variables must stay below this.
    pub(super) limit: usize,
}

/// A declaration made too many variables.
pub(super) struct TooLarge;

/// Adds the variables of a declaration.
pub(super) fn flatten(
    to: &mut Flatten<'_>,
    name: &str,
    ty: &Type,
    len: Option<u32>,
    initial: &Initial,
    outer: &[Dimension],
    span: Span,
) -> Result<Entity, TooLarge> {
    let mut dimensions = outer.to_vec();
    if let Some(len) = len {
        dimensions.push(Dimension { len, name_end: name.len() as u32 });
    }
    let elements = dimensions.iter().try_fold(1usize, |n, d| n.checked_mul(d.len as usize));
    match elements {
        Some(elements) if elements <= to.limit && to.variables.len() < to.limit => {}
        _ => return Err(TooLarge),
    }
    let kind = match ty {
        Type::Scalar(scalar) => {
            let variable = VariableId::from(to.variables.len());
            let channel = match initial {
                Initial::NewChannel(id) => Some(*id),
                _ => None,
            };
            to.variables.push(Variable {
                name: name.to_owned(),
                ty: *scalar,
                dimensions,
                initial: initial.clone(),
                span,
            });
            EntityKind::Leaf { variable, ty: *scalar, channel }
        }
        Type::Struct(structure) => {
            let fields = to.structures[*structure].fields.clone();
            let mut members = Vec::with_capacity(fields.len());
            for field in &fields {
                let path = format!("{name}.{}", (to.text)(field.name));
                let member = flatten(to, &path, &field.ty, field.len, &field.initial, &dimensions, span)?;
                members.push((field.name, member));
            }
            EntityKind::Struct { structure: *structure, members }
        }
    };
    Ok(Entity { len, kind })
}

/// More fields than this are no message.
const MOST_FIELDS: usize = 1 << 10;

/// The scalar types of a message field: one, or those of all fields of a structure; `None` for an array of
/// structures, and for too many fields.
pub(super) fn scalars(structures: &[Structure], ty: &Type, len: Option<u32>, into: &mut Vec<ScalarType>) -> Option<()> {
    match ty {
        Type::Scalar(scalar) => {
            let count = len.unwrap_or(1) as usize;
            if into.len() + count > MOST_FIELDS {
                return None;
            }
            into.extend(std::iter::repeat_n(*scalar, count));
            Some(())
        }
        Type::Struct(_) if len.is_some() => None,
        Type::Struct(structure) => {
            for field in &structures[*structure].fields {
                scalars(structures, &field.ty, field.len, into)?;
            }
            Some(())
        }
    }
}

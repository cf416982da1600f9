//! The graph while it is built: locations, steps, objects and their variables.
//!
//! Memory is still symbolic here: a [`Step::Store`] writes to an address, a term may load from one. `resolve` turns both
//! into plain assignments when it is known what pointers point to.

use crate::program::{Instruction, Linkage, LocationId, Object, ObjectId, Variable, VariableId, VariableKind};
use crate::term::{Scalar, TermId, Terms};
use crate::types::{Type, Types};
use model::diagnostic::Diagnostic;
use model::source::Span;

/// What an edge will do.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Plain(Instruction),
    /// Addresses and what is stored there, all at once.
    Store(Vec<(TermId, TermId)>),
    /// A routine without a body; it can write whatever the pointers reach.
    Call {
        routine: String,
        arguments: Vec<TermId>,
        result: Option<VariableId>,
        reach: Vec<TermId>,
        /// Pointers through which it reads only.
        looks: Vec<TermId>,
    },
    /// The lifetimes of these objects end.
    Dies(Vec<ObjectId>),
    /// What is volatile among the things that an address can mean gets any value.
    Refresh(TermId, Scalar),
    /// A call that is refused if the address can be that of the function.
    Refused(TermId, ObjectId, Box<Diagnostic>),
}

#[derive(Clone, Debug)]
pub(crate) struct RawEdge {
    pub source: LocationId,
    pub target: LocationId,
    pub step: Step,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct RawLocation {
    pub procedure: String,
    pub span: Span,
    pub label: Option<String>,
}

/// The first address that an object gets.
const FIRST_ADDRESS: u64 = 0x1000;
/// Objects begin at multiples of this, with a gap of at least as much between them.
const ALIGNMENT: u64 = 16;

#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub terms: Terms,
    pub variables: Vec<Variable>,
    pub objects: Vec<Object>,
    pub locations: Vec<RawLocation>,
    pub edges: Vec<RawEdge>,
    /// How many variables the edges assign, all in all.
    pub assignments: usize,
    /// Constant objects: no routine writes to them.
    pub constant: Vec<bool>,
    /// By variable: every read of it gives any value.
    pub volatile: Vec<bool>,
    /// By variable: other components use it, too.
    pub shared: Vec<bool>,
    next_address: u64,
}

impl Graph {
    pub fn location(&mut self, procedure: &str, span: Span) -> LocationId {
        self.locations.push(RawLocation { procedure: procedure.to_string(), span, label: None });
        LocationId(self.locations.len() as u32 - 1)
    }

    /// A location that leads to another one.
    pub fn fresh_before(&mut self, target: LocationId) -> LocationId {
        let RawLocation { procedure, span, .. } = self.locations[target.0 as usize].clone();
        self.location(&procedure, span)
    }

    pub fn edge(&mut self, source: LocationId, target: LocationId, step: Step, span: Span) {
        self.assignments += match &step {
            Step::Plain(Instruction::Assign(list)) => list.len(),
            Step::Plain(Instruction::Havoc(list, _)) => list.len(),
            Step::Store(list) => list.len(),
            _ => 0,
        };
        self.edges.push(RawEdge { source, target, step, span });
    }

    /// A new object; `None` if it has more than `limit` scalars or no size.
    pub fn object(
        &mut self,
        types: &Types,
        ty: &Type,
        name: &str,
        owner: (Option<&str>, VariableKind),
        span: Span,
        limit: usize,
    ) -> Option<ObjectId> {
        let (procedure, kind) = owner;
        let size = types.size(ty)?;
        let leaves = types.leaves(ty, limit)?;
        let id = ObjectId(self.objects.len() as u32);
        let mut variables = Vec::with_capacity(leaves.len());
        let volatile = leaves.iter().any(|leaf| leaf.volatile);
        for leaf in leaves {
            let Some(scalar) = types.scalar(&leaf.ty) else { continue };
            variables.push(VariableId(self.variables.len() as u32));
            self.variables.push(Variable {
                name: format!("{name}{}", leaf.path),
                procedure: procedure.map(String::from),
                scalar,
                pointer: matches!(leaf.ty, Type::Pointer { .. }),
                kind,
                object: id,
                offset: leaf.offset,
            });
            self.volatile.push(leaf.volatile);
            self.shared.push(false);
        }
        let address = self.next_address.max(FIRST_ADDRESS);
        self.next_address = address.checked_add(size)?.checked_add(ALIGNMENT)?.next_multiple_of(ALIGNMENT);
        self.objects.push(Object {
            name: name.to_string(),
            span,
            address,
            size,
            variables,
            function: None,
            linkage: Linkage::None,
            volatile,
            loaded: false,
        });
        self.constant.push(false);
        Some(id)
    }

    /// The object of a function whose address is taken.
    pub fn function(&mut self, types: &Types, name: &str, span: Span) -> ObjectId {
        if let Some(known) = self.objects.iter().position(|object| object.function.as_deref() == Some(name)) {
            return ObjectId(known as u32);
        }
        let owner = (None, VariableKind::Global);
        let id = self.object(types, &Type::Void, name, owner, span, 1).unwrap_or(ObjectId(0));
        if let Some(object) = self.objects.get_mut(id.0 as usize) {
            object.function = Some(name.to_string());
        }
        id
    }

    /// Every read of the object gives any value.
    pub fn make_volatile(&mut self, object: ObjectId) {
        if let Some(object) = self.objects.get_mut(object.0 as usize) {
            object.volatile = true;
            object.variables.iter().for_each(|variable| self.volatile[variable.0 as usize] = true);
        }
    }

    /// Other components use the object, too.
    pub fn make_shared(&mut self, object: ObjectId) {
        if let Some(object) = self.objects.get(object.0 as usize) {
            object.variables.iter().for_each(|variable| self.shared[variable.0 as usize] = true);
        }
    }

    /// The object of a variable is loaded.
    pub fn mark_loaded(&mut self, variable: VariableId) {
        let object = self.variables[variable.0 as usize].object;
        self.objects[object.0 as usize].loaded = true;
    }

    /// A variable of the front end's own, which no text names.
    pub fn temporary(&mut self, name: String, procedure: Option<String>, scalar: Scalar, pointer: bool) -> VariableId {
        let (object, variable) = (ObjectId(self.objects.len() as u32), VariableId(self.variables.len() as u32));
        let kind = VariableKind::Temporary;
        self.variables.push(Variable { name: name.clone(), procedure, scalar, pointer, kind, object, offset: 0 });
        self.volatile.push(false);
        self.shared.push(false);
        let (address, size) = (self.next_address.max(FIRST_ADDRESS), u64::from(scalar.width).div_ceil(8));
        self.next_address = (address + size + ALIGNMENT).next_multiple_of(ALIGNMENT);
        let variables = vec![variable];
        self.objects.push(Object {
            name,
            span: Span::NONE,
            address,
            size,
            variables,
            function: None,
            linkage: Linkage::None,
            volatile: false,
            loaded: false,
        });
        self.constant.push(false);
        variable
    }

    /// The variable of an object that begins at an offset.
    pub fn at(&self, object: ObjectId, offset: u64) -> Option<VariableId> {
        let variables = &self.objects.get(object.0 as usize)?.variables;
        let found = variables.binary_search_by_key(&offset, |variable| self.variables[variable.0 as usize].offset);
        found.ok().map(|index| variables[index])
    }

    /// Whether bytes lie inside of an object; `None` if some of them belong to a variable.
    pub fn is_unseen(&self, object: ObjectId, offset: u64, size: u64) -> Option<bool> {
        let object = self.objects.get(object.0 as usize)?;
        let end = offset.saturating_add(size);
        let overlaps = object.variables.iter().any(|variable| {
            let Variable { offset: start, scalar, .. } = self.variables[variable.0 as usize];
            start < end && offset < start + u64::from(scalar.width).div_ceil(8)
        });
        (!overlaps).then_some(end <= object.size)
    }

    pub fn scalar_of(&self, variable: VariableId) -> Scalar {
        self.variables[variable.0 as usize].scalar
    }

    /// The value of a variable.
    pub fn read(&mut self, variable: VariableId) -> TermId {
        let scalar = self.scalar_of(variable);
        self.terms.variable(variable, scalar)
    }
}

//! Variables that several parts of a program share.
//!
//! A global that one part writes and another one uses is one variable, whatever the number of graphs. The parts that use it
//! are read again, with a step for each access, and the variable becomes a part of its own ([`SharedVariable`]), which
//! synchronises with each load and store. A variable that is declared `_Thread_local` belongs to each part by itself.

use super::{Part, Procedure, Reader, Refused, Specification};
use crate::outline::PartText;
use cfront::program::{Cause, Component, Edge, Instruction, Linkage, Object, ObjectId, VariableId};
use cfront::term::Scalar;
use model::diagnostic::Diagnostic;
use model::source::Span;
use std::collections::BTreeMap;

/// A scalar that several parts share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedVariable {
    /// As in C: `x`, `table[2]`.
    pub name: String,
    /// Width and sign.
    pub scalar: Scalar,
    /// The bits of its initial value.
    pub initial: u64,
    /// The parts that use it, by number.
    pub users: Vec<usize>,
    /// Where it is declared.
    pub span: Span,
}

/// Where a part uses an object.
#[derive(Clone, Copy, Default)]
struct Use {
    used: Option<Span>,
    written: Option<Span>,
    /// A routine without a body gets its address, and may use it then and later.
    lent: Option<Span>,
}

/// An object that several parts use, and one of them writes.
struct Group {
    name: String,
    /// Parts and their objects.
    members: Vec<(usize, ObjectId)>,
}

/// Whether two objects of different graphs are one variable. Files that define the same name belong to different programs:
/// no linker takes both.
fn is_same(a: &Object, b: &Object) -> bool {
    use Linkage::{Elsewhere, External};
    match (a.linkage, b.linkage) {
        (Linkage::None, _) | (_, Linkage::None) => false,
        (External | Elsewhere, Elsewhere) | (Elsewhere, External) => a.name == b.name,
        _ => a.span == b.span,
    }
}

fn procedure(parts: &[Part], number: usize) -> Option<&Procedure> {
    match parts.get(number) {
        Some(Part::Procedure(procedure)) => Some(procedure),
        _ => None,
    }
}

fn object(parts: &[Part], (part, id): (usize, ObjectId)) -> Option<&Object> {
    procedure(parts, part).and_then(|procedure| procedure.component.objects.get(id.0 as usize))
}

impl Reader<'_> {
    /// Reads the parts that share variables again, with a step for each access; gives the variables.
    pub(super) fn share(&mut self, parts: &mut [Part], texts: &[PartText]) -> Refused<Vec<SharedVariable>> {
        let groups = groups(parts)?;
        let mut names: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for group in &groups {
            for &(part, _) in &group.members {
                names.entry(part).or_default().push(group.name.clone());
            }
        }
        for (part, names) in names {
            self.shared_names = names;
            let again = self.procedure(&texts[part]);
            self.shared_names.clear();
            parts[part] = Part::Procedure(Box::new(again?));
        }
        let mut variables = Vec::new();
        for group in &groups {
            variables_of(group, parts, &mut variables)?;
        }
        for (number, variable) in variables.iter().enumerate() {
            for &user in &variable.users {
                if let Some(Part::Procedure(procedure)) = parts.get_mut(user) {
                    let found = in_component(&procedure.component, &variable.name);
                    procedure.shared.extend(found.map(|here| (here, number)));
                }
            }
        }
        Ok(variables)
    }
}

impl Specification {
    /// What a procedure conforms to, it does in isolation; one that shares variables has no such behaviour.
    pub(super) fn check_isolated(&self) -> Refused<()> {
        let parts = &self.parts;
        for conformance in &self.conformances {
            for (id, here) in uses(&conformance.procedure.component) {
                let own = &conformance.procedure.component.objects[id.0 as usize];
                let shared = parts.iter().filter_map(|part| match part {
                    Part::Procedure(procedure) => Some(procedure),
                    Part::Process(_) => None,
                });
                let is_shared = shared.flat_map(|procedure| {
                    procedure.shared.iter().map(|&(variable, _)| {
                        let id = procedure.component.variable(variable).object;
                        &procedure.component.objects[id.0 as usize]
                    })
                });
                if is_shared.into_iter().any(|other| is_same(own, other)) {
                    let name = &conformance.procedure.name;
                    let message = format!("`{name}` shares `{}`: what it does in isolation is not known", own.name);
                    let error = Diagnostic::error("M0109", conformance.span, message);
                    return Err(Box::new(error.also(here.used.unwrap_or(own.span), "it is used here")));
                }
            }
        }
        Ok(())
    }
}

/// The objects that one part writes and another one uses.
fn groups(parts: &[Part]) -> Refused<Vec<Group>> {
    let mut known: Vec<(Group, Vec<Use>)> = Vec::new();
    for number in 0..parts.len() {
        let Some(procedure) = procedure(parts, number) else { continue };
        for (id, here) in uses(&procedure.component) {
            let own = &procedure.component.objects[id.0 as usize];
            let same = |(group, _): &&mut (Group, Vec<Use>)| {
                group.members.iter().filter_map(|&member| object(parts, member)).any(|other| is_same(own, other))
            };
            match known.iter_mut().find(same) {
                Some((group, uses)) => {
                    group.members.push((number, id));
                    uses.push(here);
                }
                None => {
                    known.push((Group { name: own.name.clone(), members: vec![(number, id)] }, vec![here]));
                }
            }
        }
    }
    known.retain(|(group, uses)| group.members.len() > 1 && uses.iter().any(|here| here.written.is_some()));
    for (group, uses) in &known {
        check(parts, group, uses)?;
    }
    Ok(known.into_iter().map(|(group, _)| group).collect())
}

/// What cannot be shared.
fn check(parts: &[Part], group: &Group, uses: &[Use]) -> Refused<()> {
    let Some(written) = uses.iter().find_map(|here| here.written) else { return Ok(()) };
    let refuse = |place: Span, what: &str| {
        let message = format!("`{}` is used by several parts, {what}", group.name);
        let error = Diagnostic::error("M0109", place, message).also(written, "it is written here");
        Err(Box::new(error.help("declare it `_Thread_local` if each part has a variable of its own")))
    };
    if let Some(lent) = uses.iter().find_map(|here| here.lent) {
        return refuse(lent, "and a routine without a body gets its address: that is not supported");
    }
    let objects: Vec<&Object> = group.members.iter().filter_map(|&member| object(parts, member)).collect();
    let Some(first) = objects.first() else { return Ok(()) };
    let component = procedure(parts, group.members[0].0).map(|procedure| &procedure.component);
    let variables = component.into_iter().flat_map(|component| first.variables.iter().map(|&v| component.variable(v)));
    for variable in variables {
        if variable.pointer {
            return refuse(first.span, "and holds an address: that is not supported");
        }
        if variable.procedure.is_some() {
            return refuse(first.span, "and declared inside of a procedure: that is not supported");
        }
    }
    if objects.iter().all(|object| object.linkage == Linkage::Elsewhere) {
        return refuse(first.span, "and none of their files defines it");
    }
    Ok(())
}

/// The scalars of a group that are used.
fn variables_of(group: &Group, parts: &[Part], variables: &mut Vec<SharedVariable>) -> Refused<()> {
    // By name: what is known of the scalar, and who uses it.
    let mut found: Vec<SharedVariable> = Vec::new();
    let mut values: BTreeMap<String, u64> = BTreeMap::new();
    for &(part, _) in &group.members {
        let Some(procedure) = procedure(parts, part) else { continue };
        let component = &procedure.component;
        let global = |object: &&Object| object.name == group.name && object.linkage != Linkage::None;
        let Some(object) = component.objects.iter().find(global) else { continue };
        for &id in &object.variables {
            let variable = component.variable(id);
            if object.linkage != Linkage::Elsewhere {
                values.extend(initial(component, id).map(|bits| (variable.name.clone(), bits)));
            }
            if !component.edges.iter().any(|edge| accessed(component, edge) == Some(id)) {
                continue;
            }
            match found.iter_mut().find(|known| known.name == variable.name) {
                Some(known) if known.scalar != variable.scalar => {
                    let message = format!("`{}` has another type in another file", variable.name);
                    return Err(Box::new(Diagnostic::error("M0109", object.span, message)));
                }
                Some(known) => known.users.push(part),
                None => found.push(SharedVariable {
                    name: variable.name.clone(),
                    scalar: variable.scalar,
                    initial: 0,
                    users: vec![part],
                    span: object.span,
                }),
            }
        }
    }
    for mut variable in found {
        let Some(&bits) = values.get(&variable.name) else {
            let message = format!("the initial value of `{}` is not known", variable.name);
            return Err(Box::new(Diagnostic::error("M0109", variable.span, message)));
        };
        variable.initial = bits;
        variables.push(variable);
    }
    Ok(())
}

/// The variable of a component with the name of a shared one.
fn in_component(component: &Component, name: &str) -> Option<VariableId> {
    let mut numbered = component.variables.iter().enumerate();
    let found = numbered.find(|(_, variable)| {
        let linkage = component.objects[variable.object.0 as usize].linkage;
        variable.name == name && variable.procedure.is_none() && linkage != Linkage::None
    });
    found.map(|(number, _)| VariableId(number as u32))
}

/// The initial value of a global.
fn initial(component: &Component, wanted: VariableId) -> Option<u64> {
    let start = component.location(component.entry).span;
    let lists = component.edges.iter().filter(|edge| edge.span == start).filter_map(|edge| match &edge.instruction {
        Instruction::Assign(list) => Some(list),
        _ => None,
    });
    let value = lists.flatten().find(|(variable, _)| *variable == wanted)?.1;
    component.terms.constant_bits(value).map(|bits| bits as u64)
}

/// The global that an edge loads or stores after the start, in a component whose accesses are steps of their own.
fn accessed(component: &Component, edge: &Edge) -> Option<VariableId> {
    match &edge.instruction {
        Instruction::Havoc(_, Cause::Shared(variable)) => Some(*variable),
        Instruction::Assign(list) if edge.span != component.location(component.entry).span => match list[..] {
            [(variable, _)] => Some(variable),
            _ => None,
        },
        _ => None,
    }
}

/// The objects that a component uses after its start, with the first place of each kind. A load counts even if nothing
/// depends on the value, so that no edge is left of it: the second reading, with a step for each access, shows it.
fn uses(component: &Component) -> BTreeMap<ObjectId, Use> {
    let start = component.location(component.entry).span;
    let mut uses: BTreeMap<ObjectId, Use> = BTreeMap::new();
    let object = |variable: VariableId| component.variable(variable).object;
    // Reads of volatile variables leave no name behind.
    let volatile = component.objects.iter().enumerate().filter(|(_, object)| object.volatile);
    uses.extend(
        volatile.map(|(number, object)| (ObjectId(number as u32), Use { used: Some(object.span), ..Use::default() })),
    );
    let loaded = component.objects.iter().enumerate().filter(|(_, object)| object.loaded);
    uses.extend(
        loaded.map(|(number, object)| (ObjectId(number as u32), Use { used: Some(object.span), ..Use::default() })),
    );
    for edge in component.edges.iter().filter(|edge| edge.span != start) {
        let (mut read, mut written) = (Vec::new(), Vec::new());
        match &edge.instruction {
            Instruction::Assign(list) => {
                for &(variable, term) in list {
                    read.extend(component.terms.variables(term));
                    written.push(variable);
                }
            }
            Instruction::Assume(term) => read.extend(component.terms.variables(*term)),
            Instruction::Havoc(_, Cause::Shared(variable)) => read.push(*variable),
            // A read is no write.
            Instruction::Havoc(list, Cause::Volatile) => read.extend(list),
            Instruction::Havoc(list, _) => written.extend(list),
            Instruction::Call { arguments, writes, result, lent, .. } => {
                arguments.iter().for_each(|&term| read.extend(component.terms.variables(term)));
                written.extend(writes.iter().chain(result));
                for &object in lent {
                    let here = uses.entry(object).or_default();
                    here.lent.get_or_insert(edge.span);
                    here.used.get_or_insert(edge.span);
                }
            }
            Instruction::Return(term) | Instruction::Stop(term) => {
                term.iter().for_each(|&term| read.extend(component.terms.variables(term)));
            }
            Instruction::Nop | Instruction::Error(_) => {}
        }
        for &variable in &written {
            uses.entry(object(variable)).or_default().written.get_or_insert(edge.span);
        }
        for variable in read.into_iter().chain(written) {
            uses.entry(object(variable)).or_default().used.get_or_insert(edge.span);
        }
    }
    uses
}

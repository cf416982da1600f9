//! Variables that several parts of a program would share.
//!
//! Each part has its own graph with its own variables, so a global that one part writes and another one uses would be two
//! variables, and what is proved of them would not hold of the program. Such programs are rejected. A variable that is
//! declared `_Thread_local` belongs to each part by itself.

use super::{Part, Procedure, Refused};
use cfront::program::{Component, Instruction, Linkage, Object, ObjectId, VariableId};
use model::diagnostic::Diagnostic;
use model::source::Span;
use std::collections::HashMap;

/// Where a part uses an object, and where it writes it.
#[derive(Clone, Copy, Default)]
struct Use {
    used: Option<Span>,
    written: Option<Span>,
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

/// Rejects a program in which one part writes a variable that another one uses.
pub(super) fn check(parts: &[Part]) -> Refused<()> {
    let mut known: HashMap<&str, Vec<(&Procedure, &Object, Use)>> = HashMap::new();
    for part in parts {
        let Part::Procedure(procedure) = part else { continue };
        let mut uses: Vec<(ObjectId, Use)> = uses(&procedure.component).into_iter().collect();
        uses.sort_by_key(|(object, _)| *object);
        for (object, here) in uses {
            let object = &procedure.component.objects[object.0 as usize];
            let before = known.entry(&object.name).or_default();
            let same = before.iter().filter(|(_, other, _)| is_same(object, other));
            for (other, _, there) in same {
                if let Some(refused) = conflict((procedure, here), (other, *there), &object.name) {
                    return Err(Box::new(refused));
                }
            }
            before.push((procedure, object, here));
        }
    }
    Ok(())
}

/// What is wrong with two uses of one variable.
fn conflict(a: (&Procedure, Use), b: (&Procedure, Use), name: &str) -> Option<Diagnostic> {
    let ((writer, written), (reader, used)) = match (a.1.written, b.1.written) {
        (Some(written), _) => ((a.0, written), (b.0, b.1.used?)),
        (None, Some(written)) => ((b.0, written), (a.0, a.1.used?)),
        (None, None) => return None,
    };
    let message =
        format!("`{}` writes `{name}`, which `{}` uses: shared variables are not supported", writer.name, reader.name);
    let error = Diagnostic::error("M0109", written, message);
    let error = error.label(format!("`{}` writes it here", writer.name));
    let error = error.also(used, format!("`{}` uses it here", reader.name));
    Some(error.help("declare it `_Thread_local` if each part has a variable of its own"))
}

/// The objects that a component uses after its start, with the first place of each kind.
fn uses(component: &Component) -> HashMap<ObjectId, Use> {
    let start = component.location(component.entry).span;
    let mut uses: HashMap<ObjectId, Use> = HashMap::new();
    let object = |variable: VariableId| component.variable(variable).object;
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
            Instruction::Havoc(list, _) => written.extend(list),
            Instruction::Call { arguments, writes, result, .. } => {
                arguments.iter().for_each(|&term| read.extend(component.terms.variables(term)));
                written.extend(writes.iter().chain(result));
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

//! What variables hold at first: shared ones before anything happens, those of a process when it is created.
//!
//! Values are given in the order of declaration, and a first value may read those before it.

use crate::flow::knowledge::{Knowledge, Reader};
use crate::flow::shape::{Ground, Table};
use crate::flow::values;
use model::flow_proof::{QueueKey, Values, is_smashed};
use model::network::{Initial, ScalarType};

/// What the shared slots hold before anything happens. A first value may read those before it.
pub(in crate::flow) fn first_globals(ground: &Ground<'_>) -> Vec<Values> {
    let reader = Reader::new(ground, None);
    let mut known = Knowledge { shared: (0u32..).zip(zeros(&ground.globals)).collect(), ..Knowledge::default() };
    for variable in 0..ground.globals.variables.len() {
        initialise(&reader, &mut known, &ground.globals, variable);
    }
    known.shared.into_values().collect()
}

/// What the slots of a process hold at first: its arguments, then the first values of its variables, in order.
pub(in crate::flow) fn first_locals(ground: &Ground<'_>, instance: u32, arguments: &[Values]) -> Vec<Values> {
    let table = &ground.locals[ground.instance(instance).machine as usize];
    let reader = Reader::new(ground, Some(instance));
    let mut known = Knowledge { locals: zeros(table).collect(), ..Knowledge::default() };
    for (variable, argument) in arguments.iter().enumerate().take(table.variables.len()) {
        let slot = table.slots.slot(table.variables, variable, 0);
        if let Some(held) = known.locals.get_mut(slot) {
            *held = values::stored(table.variables[variable].ty, argument.clone());
        }
    }
    for variable in ground.machine(instance).parameters..table.variables.len() {
        initialise(&reader, &mut known, table, variable);
    }
    known.locals
}

fn zeros(table: &Table<'_>) -> impl Iterator<Item = Values> {
    table.types.iter().map(|&ty: &ScalarType| values::stored(ty, values::number(0)))
}

/// Gives a variable its first value, element by element.
fn initialise(reader: &Reader<'_>, known: &mut Knowledge, table: &Table<'_>, index: usize) {
    let variable = &table.variables[index];
    let mut all = values::none();
    for element in 0..variable.len() {
        let value = match &variable.initial {
            Initial::Zero => return,
            Initial::Value(e) => reader.eval(known, e),
            Initial::List(list) => values::number(list.get(element).or(list.last()).copied().unwrap_or(0)),
            Initial::NewChannel(_) => {
                let key = QueueKey { instance: reader.instance, variable: index as u32, element: element as u32 };
                Values::Queues(reader.ground.queues.get(&key).copied().into_iter().collect())
            }
        };
        let value = if values::is_none(&value) { value } else { values::stored(variable.ty, value) };
        all = values::join(&all, &value);
        let slot = table.slots.slot(table.variables, index, element);
        let last = element + 1 == variable.len();
        let held = match reader.instance {
            Some(_) => known.locals.get_mut(slot),
            None => known.shared.get_mut(&(slot as u32)),
        };
        let Some(held) = held else { return };
        // One slot for a whole array: until the last element has its value, some are still zero.
        *held = match is_smashed(variable) {
            true if last => all.clone(),
            true => values::join(held, &value),
            false => value,
        };
    }
}

//! Which shared variables are followed, and which numbers are counted, as far as the analysis knows enough of them.
//!
//! A variable that is followed has few values and a first one; each value is a counter. A number that is counted has a finite
//! range, and two distances: to its upper end and to its lower one.

use crate::analysis::{Analysis, Config};
use crate::values;
use crate::world::World;
use model::flow_proof::{Followed, Number, Point, Values, is_smashed};

/// Followed slots have few values.
pub(super) fn followed(world: &World<'_>, analysis: &Analysis, config: &Config) -> Vec<Followed> {
    let mut found = Vec::new();
    for &slot in &config.followed {
        let Values::Set(values) = &analysis.facts.globals[slot as usize] else { continue };
        if is_whole_array(world, slot) {
            continue;
        }
        if let Some(first) = first_value(world, slot) {
            found.push(Followed { slot, values: values.clone(), first });
        }
    }
    found
}

/// The slot stands for a whole array.
fn is_whole_array(world: &World<'_>, slot: u32) -> bool {
    is_smashed(&world.network.variables[world.globals.element(slot as usize).0])
}

/// The first value of a global slot, where it is a plain number.
pub(crate) fn first_value(world: &World<'_>, slot: u32) -> Option<i32> {
    let (variable, element) = world.globals.element(slot as usize);
    let variable = &world.network.variables[variable];
    let value = match &variable.initial {
        model::network::Initial::Zero => 0,
        model::network::Initial::Value(e) => e.constant()?,
        model::network::Initial::List(list) => *list.get(element).or(list.last())?,
        model::network::Initial::NewChannel(_) => return None,
    };
    Some(variable.ty.truncate(value))
}

/// Both distances of every number with a finite range.
pub(super) fn numbers(world: &World<'_>, analysis: &Analysis, config: &Config) -> Vec<Number> {
    let mut found = Vec::new();
    for &(machine, slot) in &config.numbers {
        match machine {
            None => {
                let values = &analysis.facts.globals[slot as usize];
                if let (Some((low, high)), Some(_)) = (values::bounds(values), first_value(world, slot))
                    && !is_whole_array(world, slot)
                {
                    found.push(Number { instance: None, slot, upwards: true, limit: high });
                    found.push(Number { instance: None, slot, upwards: false, limit: low });
                }
            }
            Some(machine) => {
                let variables = &world.network.machines[machine as usize].variables;
                let (variable, _) = world.machines[machine as usize].slots.element(slot as usize);
                if is_smashed(&variables[variable]) {
                    continue;
                }
                for (id, instance) in analysis.instances.iter().enumerate() {
                    if instance.machine.0 != machine || instance.many {
                        continue;
                    }
                    let nodes = instance.nodes.iter().filter(|n| n.at != Point::Gone);
                    let ranges: Option<Vec<(i32, i32)>> =
                        nodes.map(|n| values::bounds(&n.values[slot as usize])).collect();
                    let Some(ranges) = ranges.filter(|r| !r.is_empty()) else { continue };
                    let low = ranges.iter().map(|r| r.0).min().unwrap_or(0);
                    let high = ranges.iter().map(|r| r.1).max().unwrap_or(0);
                    let instance = Some(id as u32);
                    found.push(Number { instance, slot, upwards: true, limit: high });
                    found.push(Number { instance, slot, upwards: false, limit: low });
                }
            }
        }
    }
    found
}

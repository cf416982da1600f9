//! What shared variables hold while a run is followed.

use super::Walker;
use spec::Specification;
use spec::graph::Access;

/// The values of shared variables, by number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Memory {
    values: Vec<u64>,
}

impl Memory {
    /// The values at the beginning.
    pub fn new(specification: &Specification) -> Memory {
        Memory { values: specification.shared.iter().map(|variable| variable.initial).collect() }
    }

    /// The value that a step of a part will load, if it does.
    pub fn loaded(&self, walker: &Walker<'_>, code: u32) -> Option<u64> {
        match access(walker, code)? {
            Access::Load(variable, _) => self.values.get(variable).copied(),
            Access::Store(..) => None,
        }
    }

    /// A part has taken a step: what it loaded is what was there, and what it stored is there now.
    pub fn after(&mut self, walker: &Walker<'_>, code: u32) -> Result<(), String> {
        let (Walker::Procedure(walking), Some(access)) = (walker, access(walker, code)) else { return Ok(()) };
        let (Access::Load(variable, own) | Access::Store(variable, own)) = access;
        let value = walking.machine.bits(own);
        match (access, self.values.get_mut(variable)) {
            (Access::Store(..), Some(slot)) => *slot = value,
            (Access::Load(..), Some(slot)) if *slot == value => {}
            _ => return Err(format!("`{}` loads another value than was stored", walking.procedure.name)),
        }
        Ok(())
    }
}

fn access(walker: &Walker<'_>, code: u32) -> Option<Access> {
    match walker {
        Walker::Procedure(walking) => walking.graph.steps.get(code as usize)?.access,
        Walker::Process(..) => None,
    }
}

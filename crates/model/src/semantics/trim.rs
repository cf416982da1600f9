//! A semantics with fewer states, for a search that leaves states out.
//!
//! A search may know that nothing reads a variable any more before it is written, and that nothing can tell whether others move
//! between two steps of a process. Then the variable may as well be zero, and the process keep control. [`Trim`] says so of an
//! edge. Whether that is true is for the search to prove; here it is carried out, so that there is still one code only that takes
//! steps. The steps of a run of the trimmed semantics are a run of the plain one: keeping control only takes runs away, and
//! what nothing reads decides nothing.

use super::{MachineCode, Reading, Semantics};
use crate::code::{Compiler, PlaceCode, ScalarCode};
use crate::expr::{Expr, Place, Scope};
use crate::ids::{EdgeId, MachineId, VariableId};
use crate::layout::{Slot, Storage};
use crate::network::Network;
use crate::source::Span;

/// What is different about an edge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trim {
    /// The process keeps control after it, as in an atomic sequence.
    pub keeps_control: bool,
    /// Elements of variables that are set to zero after it.
    pub dead: Vec<(Scope, VariableId, usize)>,
}

impl<'n> Semantics<'n> {
    /// Makes a network ready to run with edges trimmed, per machine and edge.
    pub fn trimmed(network: &'n Network, reading: Reading, trims: &[Vec<Trim>]) -> Self {
        let mut semantics = Semantics::new(network, reading);
        for (index, (machine, trims)) in semantics.machines.iter_mut().zip(trims).enumerate() {
            let compiler = Compiler { network, layout: &semantics.layout, machine: MachineId::from(index) };
            machine.trim(&compiler, trims);
        }
        semantics
    }

    /// Whether a process of a machine keeps control after an edge.
    pub fn keeps_control_after(&self, machine: MachineId, edge: EdgeId) -> bool {
        self.machines[machine.index()].edges.iter().any(|known| known.id == edge && known.atomic)
    }
}

impl MachineCode {
    fn trim(&mut self, compiler: &Compiler<'_>, trims: &[Trim]) {
        for edge in &mut self.edges {
            let Some(trim) = trims.get(edge.id.index()) else { continue };
            edge.atomic |= trim.keeps_control;
            edge.dead = trim
                .dead
                .iter()
                .map(|&(scope, variable, element)| scalar(compiler, scope, variable, element))
                .collect();
        }
    }
}

/// The place of an element of a variable.
fn scalar(compiler: &Compiler<'_>, scope: Scope, variable: VariableId, element: usize) -> ScalarCode {
    let whole = Place { scope, variable, indices: Vec::<Expr>::new(), span: Span::NONE };
    let scalar = match compiler.place(&whole) {
        PlaceCode::Scalar(scalar) => scalar,
        PlaceCode::Element(element) => element.scalar,
    };
    let step = if scalar.slot.storage == Storage::Bit { 1 } else { scalar.slot.storage.bytes() };
    let address = scalar.slot.address + (element * step) as u32;
    ScalarCode { slot: Slot { address, ..scalar.slot }, ..scalar }
}

//! The proof object of the engine `pdr`: what holds at which location of a C program.
//!
//! An invariant is a table of expressions, arguments before what uses them, and for some locations of the control-flow graph
//! the conditions that hold whenever a run is there. It proves that no error is reached if every cycle of the graph passes
//! through such a location, if the conditions hold at each of them whenever they held at the one before (or at the entry,
//! where nothing is known), and if no error lies on a way between two of them.
//!
//! Numbers of locations and variables mean something only for a text that was read in the same way, so how it was read
//! comes along. The operations are named as in SMT-LIB, and mean the same; an index such as that of `extract` is a field of
//! its own. Whoever reads this checks every arity and every width again.

use serde::{Deserialize, Serialize};

/// An invariant of a C program, and how the program was read.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ProgramProof {
    /// The procedure that a run starts with.
    pub entry: String,
    /// The widths of the integer types: `ilp32` or `lp64`.
    pub data_model: String,
    /// A signed result that its type cannot hold is an error.
    pub signed_overflow: bool,
    /// Faults at run time were requested, and not only the errors that the author stated. The invariant excludes both in
    /// any case: what comes after a fault is not known.
    pub faults: bool,
    /// The table of expressions.
    pub nodes: Vec<ProofNode>,
    /// Locations, and entries of the table all of which hold there.
    pub conditions: Vec<(u32, Vec<u32>)>,
}

/// An expression whose arguments are earlier entries of the table. A width of 0 is a truth value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ProofNode {
    /// A variable of the program, by number.
    Variable {
        /// Its number.
        variable: u32,
    },
    /// A number, or a truth value.
    Constant {
        /// Its bits, in hexadecimal.
        constant: String,
        /// How many bits.
        width: u32,
    },
    /// An operation.
    Apply {
        /// Its name.
        op: String,
        /// The lowest bit that is taken, for `extract`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        low: Option<u32>,
        /// How many bits come out.
        width: u32,
        /// Earlier entries.
        arguments: Vec<u32>,
    },
}

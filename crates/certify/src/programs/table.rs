//! The table of a proof: whether it is one of terms, and its conditions under given values of the variables.
//!
//! The table can come from anywhere. Every argument must stand before what uses it, and every arity and width is checked
//! before a term is made, because the arena of terms believes what it is told.

use super::Refusal;
use bitvector::{MAX_WIDTH, Op, Sort, TermId, Terms};
use cfront::Component;
use cfront::program::LocationId;
use model::program_proof::{ProgramProof, ProofNode};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A table that was checked.
pub(super) struct Table<'p> {
    nodes: &'p [ProofNode],
    /// For each location of the proof: the entries that hold there.
    held: BTreeMap<LocationId, Vec<u32>>,
}

impl<'p> Table<'p> {
    /// Checks a proof against the variables of a component, given by terms.
    pub(super) fn new(
        component: &Component,
        proof: &'p ProgramProof,
        terms: &mut Terms,
        variables: &[TermId],
    ) -> Result<Table<'p>, Refusal> {
        let mut made: HashMap<u32, TermId> = HashMap::new();
        for (number, node) in proof.nodes.iter().enumerate() {
            let term = entry(terms, node, variables, &made)
                .ok_or_else(|| Refusal::Malformed(format!("entry {number} of the invariant is not a term")))?;
            made.insert(number as u32, term);
        }
        let mut held: BTreeMap<LocationId, Vec<u32>> = BTreeMap::new();
        for (location, conditions) in &proof.conditions {
            if *location as usize >= component.locations.len() {
                return Err(Refusal::Malformed(format!("there is no location {location}")));
            }
            let of_conditions = conditions.iter().map(|number| (number, made.get(number)));
            for (number, term) in of_conditions {
                if term.is_none_or(|&term| terms.sort(term) != Sort::Bool) {
                    return Err(Refusal::Malformed(format!("entry {number} of the invariant is not a condition")));
                }
            }
            held.entry(LocationId(*location)).or_default().extend(conditions);
        }
        Ok(Table { nodes: &proof.nodes, held })
    }

    /// Whether the proof says something about a location, if only that it cuts cycles.
    pub(super) fn has(&self, location: LocationId) -> bool {
        self.held.contains_key(&location)
    }

    /// The locations of the proof, in order.
    pub(super) fn locations(&self) -> Vec<LocationId> {
        self.held.keys().copied().collect()
    }

    /// All that holds at a location, under these values of the variables.
    pub(super) fn conditions(
        &self,
        terms: &mut Terms,
        location: LocationId,
        values: &[TermId],
    ) -> Result<TermId, Refusal> {
        let all = self.each_condition(terms, location, values)?;
        Ok(terms.and_all(&all))
    }

    /// The same, condition by condition.
    pub(super) fn each_condition(
        &self,
        terms: &mut Terms,
        location: LocationId,
        values: &[TermId],
    ) -> Result<Vec<TermId>, Refusal> {
        let conditions = self.held.get(&location).map_or(&[][..], Vec::as_slice);
        let mut made: HashMap<u32, TermId> = HashMap::new();
        for number in self.below(conditions) {
            let node = self.nodes.get(number as usize);
            let term = node.and_then(|node| entry(terms, node, values, &made));
            let wrong = || Refusal::Malformed(format!("entry {number} of the invariant is not a term"));
            made.insert(number, term.ok_or_else(wrong)?);
        }
        Ok(conditions.iter().filter_map(|number| made.get(number).copied()).collect())
    }

    /// These entries and all that they use, arguments first.
    fn below(&self, roots: &[u32]) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        let mut waiting = roots.to_vec();
        while let Some(next) = waiting.pop() {
            if found.insert(next)
                && let Some(ProofNode::Apply { arguments, .. }) = self.nodes.get(next as usize)
            {
                waiting.extend(arguments);
            }
        }
        found
    }
}

/// The term of an entry whose arguments were made before; `None` if it is none.
pub(crate) fn entry(
    terms: &mut Terms,
    node: &ProofNode,
    values: &[TermId],
    made: &HashMap<u32, TermId>,
) -> Option<TermId> {
    match node {
        ProofNode::Variable { variable } => values.get(*variable as usize).copied(),
        ProofNode::Constant { constant, width } => {
            let (sort, bits) = (sort(*width)?, u128::from_str_radix(constant, 16).ok()?);
            // More bits than fit would be another number.
            let bits_of_sort = (*width).max(1);
            (bits_of_sort >= 128 || bits >> bits_of_sort == 0).then(|| terms.constant_of(sort, bits))
        }
        ProofNode::Apply { op, low, width, arguments } => {
            let sort = sort(*width)?;
            let op = operation(op, *low)?;
            let arguments: Vec<TermId> =
                arguments.iter().map(|argument| made.get(argument).copied()).collect::<Option<_>>()?;
            let sorts: Vec<Sort> = arguments.iter().map(|&argument| terms.sort(argument)).collect();
            fits(op, sort, &sorts).then(|| terms.make(op, sort, &arguments))
        }
    }
}

fn sort(width: u32) -> Option<Sort> {
    match width {
        0 => Some(Sort::Bool),
        1..=MAX_WIDTH => Some(Sort::Bv(width)),
        _ => None,
    }
}

/// Names of SMT-LIB. `extract` alone has an index.
fn operation(name: &str, low: Option<u32>) -> Option<Op> {
    if name == "extract" {
        return low.map(Op::Extract);
    }
    let op = match name {
        "not" => Op::Not,
        "and" => Op::And,
        "or" => Op::Or,
        "=" => Op::Eq,
        "ite" => Op::Ite,
        "bvnot" => Op::BvNot,
        "bvneg" => Op::BvNeg,
        "bvand" => Op::BvAnd,
        "bvor" => Op::BvOr,
        "bvxor" => Op::BvXor,
        "bvadd" => Op::Add,
        "bvsub" => Op::Sub,
        "bvmul" => Op::Mul,
        "bvudiv" => Op::Udiv,
        "bvurem" => Op::Urem,
        "bvsdiv" => Op::Sdiv,
        "bvsrem" => Op::Srem,
        "bvshl" => Op::Shl,
        "bvlshr" => Op::Lshr,
        "bvashr" => Op::Ashr,
        "bvult" => Op::Ult,
        "bvslt" => Op::Slt,
        "concat" => Op::Concat,
        "zero_extend" => Op::Zext,
        "sign_extend" => Op::Sext,
        _ => return None,
    };
    low.is_none().then_some(op)
}

/// Whether an operation takes arguments of these sorts, and gives this one.
fn fits(op: Op, sort: Sort, arguments: &[Sort]) -> bool {
    if arguments.len() != op.arity() {
        return false;
    }
    let word = |sort: Sort| sort != Sort::Bool;
    match (op, arguments) {
        (Op::Const(_) | Op::Var(_), _) => false,
        (Op::Not | Op::And | Op::Or, all) => sort == Sort::Bool && all.iter().all(|&each| each == Sort::Bool),
        (Op::Eq, &[a, b]) => sort == Sort::Bool && a == b,
        (Op::Ult | Op::Slt, &[a, b]) => sort == Sort::Bool && word(a) && a == b,
        (Op::Ite, &[condition, a, b]) => condition == Sort::Bool && a == b && a == sort,
        (Op::Concat, &[a, b]) => word(sort) && word(a) && word(b) && a.width() + b.width() == sort.width(),
        (Op::Extract(low), &[a]) => {
            word(sort) && word(a) && low.checked_add(sort.width()).is_some_and(|end| end <= a.width())
        }
        (Op::Zext | Op::Sext, &[a]) => word(sort) && word(a) && a.width() <= sort.width(),
        (_, all) => word(sort) && all.iter().all(|&each| each == sort),
    }
}

//! Proofs about C components to and from documents.
//!
//! Of a predicate, a document has the table of its expressions; whoever reads it checks every arity and every width, since
//! a document may come from anywhere. That the predicates and structures are good for anything is for the checker to see.

use crate::programs::proof::{read_node, written_node};
use bitvector::{Op, Sort, TermId, Terms};
use cegar::abstraction::{Extract, Predicates, State};
use cegar::{Holds, Part, PartProof};
use model::components_proof::{AbstractState, ComponentsAbstraction, ComponentsProof, ProcedureStructure};
use model::structure::Structure;
use pdr::invariant::{Node, fits, valid};
use std::collections::HashMap;

/// What a document says about one procedure, in the terms of the checker.
pub struct Claim {
    /// Its number among the parts.
    pub part: usize,
    /// The pool of the predicates.
    pub terms: Terms,
    /// The predicates.
    pub predicates: Predicates,
    /// The structure.
    pub extract: Extract,
}

/// The proof of a document.
pub fn written(holds: &Holds, data_model: &str, signed_overflow: bool) -> ComponentsProof {
    let abstraction = ComponentsAbstraction {
        data_model: String::from(data_model),
        signed_overflow,
        procedures: holds.parts.iter().map(structure).collect(),
    };
    ComponentsProof { abstraction, composition: holds.proof.clone() }
}

fn structure(proof: &PartProof) -> ProcedureStructure {
    let PartProof { part, graph, predicates, extract } = proof;
    let variables: HashMap<TermId, u32> = graph.variables.iter().copied().zip(0..).collect();
    let roots: Vec<TermId> = predicates.at.iter().flatten().copied().collect();
    let (mut number, mut nodes): (HashMap<TermId, u32>, Vec<Node>) = (HashMap::new(), Vec::new());
    for term in graph.terms.parts(&roots) {
        let node = graph.terms.node(term);
        let written = match (variables.get(&term), node.op()) {
            (Some(&variable), _) => Node::Variable(cfront::program::VariableId(variable)),
            (None, Op::Const(bits)) => Node::Constant { sort: node.sort(), bits },
            (None, op) => {
                let arguments = node.arguments().iter().filter_map(|argument| number.get(argument).copied());
                Node::Apply { op, sort: node.sort(), arguments: arguments.collect() }
            }
        };
        number.insert(term, nodes.len() as u32);
        nodes.push(written);
    }
    let numbers = |at: &Vec<TermId>| at.iter().filter_map(|term| number.get(term).copied()).collect();
    let digit = |&truth: &bool| if truth { '1' } else { '0' };
    let state = |state: &State| AbstractState {
        place: state.node,
        via: state.via,
        truths: state.values.iter().map(digit).collect(),
    };
    ProcedureStructure {
        part: *part as u32,
        nodes: nodes.iter().map(written_node).collect(),
        predicates: predicates.at.iter().map(numbers).collect(),
        states: extract.states.iter().map(state).collect(),
        initial: extract.initial.clone(),
        moves: extract.moves.clone(),
    }
}

/// The claims of a document about parts of a program, or what is wrong with it.
pub fn read(abstraction: &ComponentsAbstraction, parts: &[Part]) -> Result<Vec<Claim>, String> {
    abstraction.procedures.iter().map(|procedure| claim(procedure, parts)).collect()
}

fn claim(written: &ProcedureStructure, parts: &[Part]) -> Result<Claim, String> {
    let part = written.part as usize;
    let Some(Part::Procedure(procedure)) = parts.get(part) else {
        return Err(format!("part {part} is not a procedure"));
    };
    let mut terms = Terms::new();
    let variables = cegar::variables(&procedure.component, &mut terms);
    let mut made: Vec<TermId> = Vec::with_capacity(written.nodes.len());
    for (number, node) in written.nodes.iter().enumerate() {
        let term = read_node(node).and_then(|node| term(&node, &mut terms, &variables, &made));
        made.push(term.ok_or_else(|| format!("entry {number} of the table of `{}` is not a term", procedure.name))?);
    }
    let predicate = |&number: &u32| {
        let term = made.get(number as usize).copied().filter(|&term| terms.sort(term) == Sort::Bool);
        term.ok_or_else(|| format!("entry {number} of the table of `{}` is not a predicate", procedure.name))
    };
    let at = written.predicates.iter().map(|at| at.iter().map(predicate).collect::<Result<Vec<_>, _>>());
    let predicates = Predicates { at: at.collect::<Result<Vec<_>, _>>()? };
    let states = written.states.iter().map(|found| {
        let truth = |digit: char| match digit {
            '0' => Some(false),
            '1' => Some(true),
            _ => None,
        };
        let values: Option<Vec<bool>> = found.truths.chars().map(truth).collect();
        let values = values.ok_or_else(|| format!("`{}` are no truths", found.truths))?;
        Ok(State { node: found.place, via: found.via, values })
    });
    let extract = Extract {
        states: states.collect::<Result<Vec<_>, String>>()?,
        initial: written.initial.clone(),
        moves: written.moves.clone(),
        structure: Structure::default(),
    };
    Ok(Claim { part, terms, predicates, extract })
}

fn term(node: &Node, terms: &mut Terms, variables: &[TermId], made: &[TermId]) -> Option<TermId> {
    match node {
        Node::Variable(variable) => variables.get(variable.0 as usize).copied(),
        Node::Constant { sort, bits } => valid(*sort).then(|| terms.constant_of(*sort, *bits)),
        Node::Apply { op, sort, arguments } => {
            let arguments: Option<Vec<TermId>> =
                arguments.iter().map(|&number| made.get(number as usize).copied()).collect();
            let arguments = arguments.filter(|arguments| fits(terms, *op, *sort, arguments))?;
            Some(terms.make(*op, *sort, &arguments))
        }
    }
}

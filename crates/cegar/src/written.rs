//! A proof as plain data, for documents and for the checker.

use crate::abstraction::State;
use crate::check::{Holds, PartProof};
use crate::ranking::Effect;
use bitvector::TermId;
use bitvector::table::table;
use model::components_proof::{AbstractState, ComponentsAbstraction, ComponentsProof, ProcedureStructure, Rank};
use std::collections::HashMap;

impl Holds {
    /// The proof, with how C was read.
    pub fn written(&self, data_model: &str, signed_overflow: bool) -> ComponentsProof {
        let procedures = self.parts.iter().map(structure).collect();
        let (data, shared) = (String::from(data_model), self.cuts.clone());
        let abstraction = ComponentsAbstraction { data_model: data, signed_overflow, procedures, shared };
        let races = self.races.as_ref().map(|races| Box::new(races.written(data_model, signed_overflow)));
        ComponentsProof { abstraction, composition: self.proof.clone(), races }
    }
}

fn structure(proof: &PartProof) -> ProcedureStructure {
    let PartProof { part, graph, predicates, extract, ranks, effects } = proof;
    let variables: HashMap<TermId, u32> = graph.variables.iter().copied().zip(0..).collect();
    let terms = ranks.iter().flat_map(|rank| &rank.at);
    let roots: Vec<TermId> = predicates.at.iter().flatten().chain(terms).copied().collect();
    let (nodes, places) = table(&graph.terms, &variables, &roots);
    let numbers = |at: &Vec<TermId>| at.iter().filter_map(|term| places.get(term).copied()).collect();
    let moves = |number: usize, bits: fn(&Effect) -> u32| {
        let own = effects.iter().enumerate().flat_map(move |(state, effects)| {
            let marked = effects.iter().enumerate().filter(move |(_, effect)| bits(effect) >> number & 1 == 1);
            marked.map(move |(at, _)| (state as u32, at as u32))
        });
        own.collect()
    };
    let rank = |(number, rank): (usize, &crate::ranking::Rank)| Rank {
        terms: numbers(&rank.at),
        falls: moves(number, |effect| effect.falls),
        rises: moves(number, |effect| effect.rises),
    };
    let digit = |&truth: &bool| if truth { '1' } else { '0' };
    let state = |state: &State| AbstractState {
        place: state.node,
        via: state.via,
        truths: state.values.iter().map(digit).collect(),
    };
    ProcedureStructure {
        part: *part as u32,
        nodes,
        predicates: predicates.at.iter().map(numbers).collect(),
        states: extract.states.iter().map(state).collect(),
        initial: extract.initial.clone(),
        moves: extract.moves.clone(),
        ranks: ranks.iter().enumerate().map(rank).filter(|rank| !rank.falls.is_empty()).collect(),
    }
}

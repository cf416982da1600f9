//! Numbers that do not fall forever: what a proof says of them, and the assumption that follows.
//!
//! That the moves of a structure do to its ranks what is claimed is one more part of the obligation of their step. What
//! follows is an assumption about events: each kind of effect on ranks has an event of its own, which silent moves of that
//! kind get.

use crate::clauses::circuit::Circuit;
use crate::clauses::words::Word;
use crate::programs::table::{TRUTH, Table};
use cfront::term::Operation;
use model::components_proof::{ProcedureStructure, Rank};
use model::composition::{Atom, Named};
use model::formula::{Connective, Ltl, Modality};
use model::ids::EventId;
use model::refutation::Literal;
use model::structure::TAU;
use spec::graph::Graph;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A rank, with its claims to be looked up.
pub(super) struct Claims<'p> {
    rank: &'p Rank,
    falls: HashSet<(u32, u32)>,
    rises: HashSet<(u32, u32)>,
}

/// All ranks of a structure, if they fit it.
pub(super) fn claims<'p>(
    claimed: &'p ProcedureStructure,
    graph: &Graph,
    table: &Table,
) -> Result<Vec<Claims<'p>>, &'static str> {
    let step = |&(state, number): &(u32, u32)| {
        let moves = claimed.moves.get(state as usize)?;
        graph.steps.get(moves.get(number as usize)?.0 as usize)
    };
    let claims = claimed.ranks.iter().map(|rank| {
        let widths: HashSet<_> = rank.terms.iter().map(|&term| table.sort(term)).collect();
        if rank.terms.len() != graph.nodes.len() || widths.len() > 1 || widths.contains(&None) {
            return Err("a rank is not one number for each place");
        }
        if widths.contains(&Some(TRUTH)) {
            return Err("a rank is a condition");
        }
        if !rank.falls.iter().chain(&rank.rises).all(|at| step(at).is_some()) {
            return Err("a rank speaks of a move that there is not");
        }
        if !rank.falls.iter().all(|at| step(at).is_some_and(|step| step.event == TAU)) {
            return Err("a rank falls by a move that others see");
        }
        let set = |moves: &[(u32, u32)]| moves.iter().copied().collect();
        Ok(Claims { rank, falls: set(&rank.falls), rises: set(&rank.rises) })
    });
    claims.collect()
}

impl Claims<'_> {
    /// The terms at two places.
    pub(super) fn terms(&self, source: u32, target: u32) -> (u32, u32) {
        (self.rank.terms[source as usize], self.rank.terms[target as usize])
    }

    /// Whether what a move does to the rank, from one value to another, is not what is claimed of it.
    pub(super) fn misjudged(
        &self,
        circuit: &mut Circuit<'_>,
        at: (u32, u32),
        old: &Word,
        new: &Word,
    ) -> Option<Literal> {
        if self.falls.contains(&at) {
            return Some(!circuit.apply(Operation::Less, false, new, old).lowest());
        }
        (!self.rises.contains(&at)).then(|| circuit.apply(Operation::Less, false, old, new).lowest())
    }
}

/// The events of all effects, and what is assumed of them.
pub(super) struct Marks {
    /// All events, those of the effects behind the others.
    pub(super) events: Vec<Named>,
    /// For each rank, by which events it falls, and by which it may rise.
    assumptions: Vec<[BTreeSet<EventId>; 2]>,
}

impl Marks {
    pub(super) fn new(events: Vec<Named>) -> Marks {
        Marks { events, assumptions: Vec::new() }
    }

    /// The events of a structure's moves, by state; those of the steps where nothing is claimed.
    pub(super) fn events_of(
        &mut self,
        claimed: &ProcedureStructure,
        claims: &[Claims<'_>],
        graph: &Graph,
    ) -> Vec<Vec<EventId>> {
        let mut own: Vec<[BTreeSet<EventId>; 2]> = vec![Default::default(); claims.len()];
        let mut effects: BTreeMap<[Vec<usize>; 2], EventId> = BTreeMap::new();
        let mut all = Vec::new();
        for (state, moves) in (0..).zip(&claimed.moves) {
            let each = (0..).zip(moves).map(|(number, &(step, _))| {
                let by = |claimed: &dyn Fn(&Claims<'_>) -> bool| {
                    (0..claims.len()).filter(|&rank| claimed(&claims[rank])).collect::<Vec<usize>>()
                };
                let at = (state, number);
                let effect = [by(&|claims| claims.falls.contains(&at)), by(&|claims| claims.rises.contains(&at))];
                let event = match graph.steps[step as usize].event {
                    TAU if effect.iter().any(|ranks| !ranks.is_empty()) => {
                        *effects.entry(effect.clone()).or_insert_with(|| self.fresh(claimed.part, graph, &effect))
                    }
                    event => event,
                };
                for (events, ranks) in [0, 1].map(|side| (side, &effect[side])) {
                    own.iter_mut().enumerate().filter(|(rank, _)| ranks.contains(rank)).for_each(|(_, own)| {
                        own[events].insert(event);
                    });
                }
                event
            });
            all.push(each.collect());
        }
        self.assumptions.extend(own);
        all
    }

    fn fresh(&mut self, part: u32, graph: &Graph, effect: &[Vec<usize>; 2]) -> EventId {
        let name = format!("effect of part {part} on ranks: {effect:?}");
        self.events.push(Named { name, span: graph.nodes[0].span });
        EventId::from(self.events.len() - 1)
    }

    /// The formula under the assumptions: what makes a rank fall occurs again and again only if what makes it rise does.
    pub(super) fn assumed(&self, formula: &Ltl<Atom>) -> Ltl<Atom> {
        let two = |op, a, b| Ltl::Binary(op, Box::new(a), Box::new(b));
        let again = |events: &BTreeSet<EventId>| {
            let name =
                |event: EventId| self.events.get(event.index()).map_or_else(String::new, |event| event.name.clone());
            let atoms = events.iter().map(|&event| Ltl::Atom(Box::new(Atom::Event(event)), name(event)));
            let some = atoms.reduce(|a, b| two(Connective::Or, a, b)).unwrap_or(Ltl::Constant(false));
            Ltl::Unary(Modality::Always, Box::new(Ltl::Unary(Modality::Eventually, Box::new(some))))
        };
        self.assumptions.iter().fold(formula.clone(), |formula, [falls, rises]| {
            two(Connective::Implies, two(Connective::Implies, again(falls), again(rises)), formula)
        })
    }
}

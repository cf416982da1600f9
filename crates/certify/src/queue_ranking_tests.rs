//! A ranking by hand, and what happens to it when it is tampered with.

use super::*;
use model::queue_proof::{QueueAutomaton, QueueEntry, QueueProof};

/// A machine that sends until it stops, and one that takes what is there and waits for the end.
fn model() -> scm::Model {
    let text = "scm drain :\nnb_channels = 1 ;\nparameters : int a ; int e ;
automaton p :\ninitial : 0\nstate 0 : to 0 : when true , 0 ! a ; to 1 : when true , 0 ! e ;\nstate 1 :
automaton q :\ninitial : 0\nstate 0 : to 0 : when true , 0 ? a ; to 1 : when true , 0 ? e ;\nstate 1 :\n";
    scm::read("drain.scm", text).model.unwrap()
}

/// `a^*`, `a^*.e`, the empty queue, `a.a^*`, `e`, `a.a^*.e`.
fn automata() -> Vec<QueueAutomaton> {
    let automaton = |accepting: &[u32], edges: &[&[(u32, u32)]]| QueueAutomaton {
        accepting: accepting.to_vec(),
        edges: edges.iter().map(|edges| edges.to_vec()).collect(),
    };
    vec![
        automaton(&[0], &[&[(1, 0)]]),
        automaton(&[1], &[&[(1, 0), (2, 1)], &[]]),
        automaton(&[0], &[&[]]),
        automaton(&[1], &[&[(1, 1)], &[(1, 1)]]),
        automaton(&[1], &[&[(2, 1)], &[]]),
        automaton(&[2], &[&[(1, 1)], &[(1, 1), (2, 2)], &[]]),
    ]
}

fn invariant() -> QueueProof {
    let entry = |control: [u32; 2], automaton| QueueEntry { control: control.to_vec(), automaton };
    let entries = vec![entry([0, 0], 0), entry([1, 0], 1), entry([1, 1], 2)];
    QueueProof { automata: automata(), entries, ..QueueProof::default() }
}

fn region(control: [u32; 2], automaton: u32, machine: u32, transition: u32) -> Region {
    Region { control: control.to_vec(), automaton, machine, transition, layer: 0 }
}

/// That the machine which waits for the end comes to it is not asked; that it can move is.
fn moves() -> QueueRanking {
    let p = Stage { drains: None, regions: vec![region([0, 0], 0, 0, 0)] };
    let now = Stage {
        drains: None,
        regions: vec![region([0, 0], 3, 1, 0), region([1, 0], 5, 1, 0), region([1, 0], 4, 1, 1)],
    };
    let soon = Stage { drains: None, regions: vec![region([0, 0], 2, 0, 0)] };
    QueueRanking { invariant: invariant(), obligations: vec![vec![p], vec![now, soon]] }
}

/// The head of the queue is always taken at once. A longer way: first the queue is drained.
fn received() -> QueueRanking {
    let now = Stage { drains: None, regions: moves().obligations[1][0].regions.clone() };
    QueueRanking { invariant: invariant(), obligations: vec![vec![now]] }
}

fn check(property: &Property, proof: &QueueRanking) -> Result<(), Refusal> {
    verify(&model().network, property, proof, &Context::unlimited())
}

#[test]
fn a_ranking_proves_that_machines_move_and_heads_are_taken() {
    assert_eq!(check(&Property::PartialDeadlock, &moves()), Ok(()));
    assert_eq!(check(&Property::EventualReception, &received()), Ok(()));
    assert!(check(&Property::PartialDeadlock, &received()).is_err());
    assert!(check(&Property::EventualReception, &moves()).is_err());
    assert!(matches!(check(&Property::Deadlock, &moves()), Err(Refusal::WrongKind(_))));
}

/// A machine that must take all of a queue before it answers, and one that waits for the answer.
#[test]
fn what_drains_a_queue_lowers_the_rank() {
    let text = "scm answer :\nnb_channels = 2 ;\nparameters : int a ; int e ;
automaton p :\ninitial : 0\nstate 0 : to 0 : when true , 0 ! a ; to 1 : when true , 0 ! e ;
state 1 : to 2 : when true , 1 ? a ;\nstate 2 :
automaton q :\ninitial : 0\nstate 0 : to 0 : when true , 0 ? a ; to 1 : when true , 0 ? e ;
state 1 : to 2 : when true , 1 ! a ;\nstate 2 :\n";
    let model = scm::read("answer.scm", text).model.unwrap();
    let automaton = |accepting: u32, edges: &[&[(u32, u32)]]| QueueAutomaton {
        accepting: vec![accepting],
        edges: edges.iter().map(|edges| edges.to_vec()).collect(),
    };
    // a^*.# , a^*.e.# , # , #.a
    let automata = vec![
        automaton(1, &[&[(1, 0), (0, 1)], &[]]),
        automaton(2, &[&[(1, 0), (2, 1)], &[(0, 2)], &[]]),
        automaton(1, &[&[(0, 1)], &[]]),
        automaton(2, &[&[(0, 1)], &[(1, 2)], &[]]),
    ];
    let entry = |control: [u32; 2], automaton| QueueEntry { control: control.to_vec(), automaton };
    let entries = vec![entry([0, 0], 0), entry([1, 0], 1), entry([1, 1], 2), entry([1, 2], 3), entry([2, 2], 2)];
    // e.# and a.a^*.e.#
    let mut automata = automata;
    automata.push(automaton(2, &[&[(2, 1)], &[(0, 2)], &[]]));
    automata.push(automaton(3, &[&[(1, 1)], &[(1, 1), (2, 2)], &[(0, 3)], &[]]));
    let invariant = QueueProof { automata, entries, ..QueueProof::default() };
    let p = vec![
        Stage { drains: None, regions: vec![region([0, 0], 0, 0, 0), region([1, 2], 3, 0, 0)] },
        Stage { drains: None, regions: vec![region([1, 1], 2, 1, 0)] },
        Stage { drains: Some(0), regions: vec![region([1, 0], 4, 1, 1), region([1, 0], 5, 1, 0)] },
    ];
    // The other one is stuck only if nothing is sent to it, and then p can send.
    let mut q = moves().obligations.remove(1);
    let heads = QueueAutomaton { accepting: vec![2], edges: vec![vec![(1, 1)], vec![(1, 1), (0, 2)], vec![]] };
    let mut invariant = invariant;
    invariant.automata.push(heads);
    q[0].regions =
        vec![region([0, 0], 6, 1, 0), region([1, 0], 5, 1, 0), region([1, 0], 4, 1, 1), region([1, 1], 2, 1, 0)];
    let proof = QueueRanking { invariant, obligations: vec![p, q] };
    let check = |proof: &QueueRanking| verify(&model.network, &Property::PartialDeadlock, proof, &Context::unlimited());
    assert_eq!(check(&proof), Ok(()));
    for drains in [None, Some(1), Some(7)] {
        let mut wrong = proof.clone();
        wrong.obligations[0][2].drains = drains;
        assert!(matches!(check(&wrong), Err(Refusal::Ranking(_))), "{drains:?}");
    }
    let mut wrong = proof.clone();
    wrong.obligations[0].swap(0, 2);
    assert!(check(&wrong).is_err());
    let mut wrong = proof;
    wrong.obligations[0][2].regions[0].layer = 3;
    assert_eq!(check(&wrong), Ok(()), "layers do not matter where the queue is drained");
}

#[test]
fn every_corruption_is_refused() {
    let good = moves();
    let refuse = |proof: &QueueRanking, what: &str| {
        assert!(check(&Property::PartialDeadlock, proof).is_err(), "{what} is accepted: {proof:?}");
    };
    for at in 0..good.invariant.entries.len() {
        let mut proof = good.clone();
        proof.invariant.entries.remove(at);
        refuse(&proof, "an invariant with a hole");
    }
    for machine in 0..2 {
        let mut proof = good.clone();
        proof.obligations.remove(machine);
        refuse(&proof, "an obligation that is missing");
        let mut proof = good.clone();
        proof.obligations[machine].clear();
        refuse(&proof, "an obligation without regions");
        for stage in 0..good.obligations[machine].len() {
            for at in 0..good.obligations[machine][stage].regions.len() {
                let change = |what: &str, change: &dyn Fn(&mut Region)| {
                    let mut proof = good.clone();
                    change(&mut proof.obligations[machine][stage].regions[at]);
                    refuse(&proof, what);
                };
                let region = &good.obligations[machine][stage].regions[at];
                let mut proof = good.clone();
                proof.obligations[machine][stage].regions.remove(at);
                refuse(&proof, "a region that is missing");
                change("a machine that does not exist", &|region| region.machine = 2);
                change("a transition that does not exist", &|region| region.transition = 2);
                change("a control state that does not exist", &|region| region.control.push(0));
                change("an automaton that does not exist", &|region| region.automaton = 6);
                // The other transition of a machine that sends does as well.
                if region.machine == 1 {
                    change("a transition that is not enabled", &|region| region.transition = 1 - region.transition);
                }
                if machine == 1 && stage == 0 {
                    change("a machine that does not discharge it", &|region| region.machine = 0);
                }
            }
        }
    }
    let mut proof = good.clone();
    proof.obligations[1].swap(0, 1);
    refuse(&proof, "stages in another order");
    let mut proof = good.clone();
    proof.obligations[1][0].regions.extend(good.obligations[1][1].regions.clone());
    proof.obligations[1].pop();
    refuse(&proof, "a layer that does not get lower");
    let mut proof = good.clone();
    proof.invariant.bad.push(String::from("p@0"));
    refuse(&proof, "bad configurations that say nothing");
}

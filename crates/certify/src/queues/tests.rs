//! Proofs by hand, and what happens to them when they are tampered with.

use super::*;
use model::context::Context;
use model::queue_proof::{QueueAutomaton, QueueEntry};

/// A client that opens and closes sessions, a server that follows. `loss` makes the channel lossy.
fn sessions(loss: &str, bad: &str) -> scm::Model {
    let text = format!(
        "scm sessions :\nnb_channels = 1 ; {loss}\nparameters : int o ; int c ;
automaton client :\ninitial : 0\nstate 0 : to 1 : when true , 0 ! o ;\nstate 1 : to 0 : when true , 0 ! c ;
automaton server :\ninitial : 0\nstate 0 : to 1 : when true , 0 ? o ;\nstate 1 : to 0 : when true , 0 ? c ;
bad_states : {bad}\n"
    );
    scm::read("sessions.scm", &text).model.unwrap()
}

/// `(o.c)^*`, and the words that begin with `c`, or end with `o`.
fn alternating() -> QueueProof {
    let automaton = |first: u32, accepting: &[u32]| {
        let second = 3 - first;
        QueueAutomaton { accepting: accepting.to_vec(), edges: vec![vec![(first, 1)], vec![(second, 0)]] }
    };
    let automata = vec![automaton(1, &[0]), automaton(2, &[1]), automaton(1, &[1]), automaton(2, &[0])];
    let entry = |control: [u32; 2], automaton| QueueEntry { control: control.to_vec(), automaton };
    let entries = vec![entry([0, 0], 0), entry([0, 1], 1), entry([1, 0], 2), entry([1, 1], 3)];
    QueueProof { automata, entries, ..QueueProof::default() }
}

fn check(model: &scm::Model, property: &Property, proof: &QueueProof) -> Result<(), Refusal> {
    verify(&model.network, &model.specification, property, proof, &Context::unlimited())
}

const CLOSED_EARLY: &str = "(automaton server : in 0 : true with c.(o|c)^*)";

#[test]
fn an_invariant_proves_what_it_excludes() {
    let model = sessions("", CLOSED_EARLY);
    for property in [Property::Safety, Property::Deadlock, Property::Reception, Property::Orphan] {
        assert_eq!(check(&model, &property, &alternating()), Ok(()), "{property}");
    }
    let refused = check(&model, &Property::Livelock, &alternating());
    assert_eq!(refused, Err(Refusal::WrongKind(String::from("livelock"))));
}

#[test]
fn an_invariant_with_something_bad_in_it_is_none() {
    for bad in ["(automaton server : in 0 : true with o.c.o)", "(automaton client : in 1 : true)"] {
        let refused = check(&sessions("", bad), &Property::Safety, &alternating());
        assert!(matches!(refused, Err(Refusal::Violated(_))), "{bad}: {refused:?}");
    }
    assert_eq!(
        check(&sessions("", "(automaton client : in 1 : true with _)"), &Property::Safety, &{
            let mut proof = alternating();
            proof.entries.remove(0);
            proof
        }),
        Err(Refusal::NotInvariant(String::from("the first configuration is not in it")))
    );
}

#[test]
fn a_channel_that_loses_messages_needs_more() {
    let refused = check(&sessions("lossy : 0", CLOSED_EARLY), &Property::Safety, &alternating());
    assert!(matches!(refused, Err(Refusal::NotInvariant(_))), "{refused:?}");
    // Everything everywhere is always an invariant.
    let mut all = alternating();
    all.automata.iter_mut().for_each(|one| *one = anything());
    assert_eq!(
        check(&sessions("lossy : 0", "(automaton server : in 1 : true with c)"), &Property::Orphan, &all),
        Ok(())
    );
    let refused = check(&sessions("lossy : 0", CLOSED_EARLY), &Property::Reception, &all);
    assert!(matches!(refused, Err(Refusal::Violated(_))), "{refused:?}");
}

fn anything() -> QueueAutomaton {
    QueueAutomaton { accepting: vec![0], edges: vec![vec![(1, 0), (2, 0)]] }
}

/// The invariant is the least one, so that nothing can be taken away from it, and nothing can lead elsewhere.
#[test]
fn every_corruption_is_refused() {
    let model = sessions("", CLOSED_EARLY);
    let good = alternating();
    let refuse = |proof: &QueueProof, what: &str| {
        assert!(check(&model, &Property::Safety, proof).is_err(), "{what} is accepted: {proof:?}");
    };
    for at in 0..4 {
        let mut proof = good.clone();
        proof.entries.remove(at);
        refuse(&proof, "a control state that is missing");
        let mut proof = good.clone();
        proof.entries.push(good.entries[at].clone());
        refuse(&proof, "a control state that is listed twice");
        for automaton in (0..6).filter(|&other| other != good.entries[at].automaton) {
            let mut proof = good.clone();
            proof.entries[at].automaton = automaton;
            refuse(&proof, "another set");
        }
        for control in [vec![0], vec![0, 2], vec![0, 0, 0]] {
            let mut proof = good.clone();
            proof.entries[at].control = control;
            refuse(&proof, "a control state that does not exist");
        }
        let mut proof = good.clone();
        proof.automata[at].accepting.clear();
        refuse(&proof, "a set without a word");
        let mut proof = good.clone();
        proof.automata[at].accepting.push(2);
        refuse(&proof, "a state that does not exist");
        for state in 0..2 {
            for letter in 0..4 {
                let mut proof = good.clone();
                let (was, target) = proof.automata[at].edges[state][0];
                if was != letter {
                    proof.automata[at].edges[state][0] = (letter, target);
                    refuse(&proof, "another letter");
                }
            }
            let mut proof = good.clone();
            proof.automata[at].edges[state][0].1 = 5;
            refuse(&proof, "a transition to nowhere");
            let mut proof = good.clone();
            proof.automata[at].edges[state].clear();
            refuse(&proof, "a transition that is missing");
            let mut proof = good.clone();
            let (letter, target) = proof.automata[at].edges[state][0];
            proof.automata[at].edges[state].push((letter, 1 - target));
            refuse(&proof, "an automaton that is not deterministic");
        }
    }
}

#[test]
fn two_channels_are_told_apart() {
    let text = "scm two :\nnb_channels = 2 ;\nparameters : int a ;
automaton p :\ninitial : 0\nstate 0 : to 1 : when true , 0 ! a ;\nstate 1 : to 2 : when true , 1 ? a ;\nstate 2 :
automaton q :\ninitial : 0\nstate 0 : to 1 : when true , 0 ? a ;\nstate 1 : to 2 : when true , 1 ! a ;\nstate 2 :
bad_states : (automaton p : in 0, 1, 2 : true with a.#)\n";
    let text = text.replace("in 0, 1, 2 : true", "in 2 : true");
    let model = scm::read("two.scm", &text).model.unwrap();
    let word = |letters: &[u32]| {
        let edges = letters.iter().enumerate().map(|(at, &letter)| vec![(letter, at as u32 + 1)]);
        QueueAutomaton { accepting: vec![letters.len() as u32], edges: edges.chain([Vec::new()]).collect() }
    };
    let entry = |control: [u32; 2], automaton| QueueEntry { control: control.to_vec(), automaton };
    let entries = vec![entry([0, 0], 0), entry([1, 0], 1), entry([1, 1], 0), entry([1, 2], 2), entry([2, 2], 0)];
    let proof =
        QueueProof { automata: vec![word(&[0]), word(&[1, 0]), word(&[0, 1])], entries, ..QueueProof::default() };
    for property in [Property::Safety, Property::Deadlock, Property::Reception, Property::Orphan] {
        assert_eq!(check(&model, &property, &proof), Ok(()), "{property}");
    }
    let mut swapped = proof.clone();
    swapped.automata.swap(1, 2);
    assert!(check(&model, &Property::Safety, &swapped).is_err());
    let mut left = proof.clone();
    left.automata[0] = QueueAutomaton { accepting: vec![1], edges: vec![vec![(0, 1), (1, 0)], Vec::new()] };
    assert!(check(&model, &Property::Orphan, &left).is_err());
}

#[test]
fn models_with_data_are_refused() {
    let text = "scm data :\nnb_channels = 1 ;\nparameters : int a ;\nautomaton p :\nint n = 0 ;\ninitial : 0
state 0 : to 0 : when n < 2 , 0 ! a with n = n + 1 ;\n";
    let model = scm::read("data.scm", text).model.unwrap();
    let refused = check(&model, &Property::Deadlock, &QueueProof::default());
    assert!(matches!(refused, Err(Refusal::Malformed(_))), "{refused:?}");
}

#[test]
fn an_automaton_with_any_number_of_queues_is_refused_at_once() {
    let model = sessions("", CLOSED_EARLY);
    for list in [vec![vec![(0, 0), (1, 0)]], vec![vec![(1, 1)], vec![(0, 2)], vec![(2, 0)]]] {
        let mut proof = alternating();
        proof.automata[0] = QueueAutomaton { accepting: vec![0], edges: list };
        let refused = check(&model, &Property::Safety, &proof);
        assert!(matches!(&refused, Err(Refusal::Malformed(why)) if why.contains("any number")), "{refused:?}");
    }
}

#[test]
fn a_proof_with_two_faults_is_always_refused_for_the_same_one() {
    let model = sessions("", "(automaton client : in 1 : true) (automaton server : in 1 : true)");
    let refused: BTreeSet<String> =
        (0..30).map(|_| format!("{:?}", check(&model, &Property::Safety, &alternating()))).collect();
    assert_eq!(refused.len(), 1, "{refused:?}");
}

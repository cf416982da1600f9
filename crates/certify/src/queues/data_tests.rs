//! Networks with data: what an invariant must have in it, and what no invariant can be about.

use super::*;
use model::context::Context;
use model::queue_proof::{QueueAutomaton, QueueControl, QueueData, QueueEntry, SEPARATOR, Watched};
use model::semantics::{Reading, Semantics};
use std::collections::HashSet;

fn network(text: &str) -> Network {
    let read = promela::read("model.pml", text, &promela::preprocess::Options::default());
    read.network.unwrap_or_else(|| panic!("{:?}", read.diagnostics))
}

fn check(network: &Network, property: &Property, proof: &QueueProof) -> Result<(), Refusal> {
    verify_promela(network, property, proof, &Context::unlimited())
}

/// Every word of messages with the right number of separators, everywhere: control states are found by trying all heads.
fn everything(network: &Network, queues: usize, messages: &[Vec<i32>]) -> QueueProof {
    let semantics = Semantics::new(network, Reading::Unbounded);
    let mut stepper = semantics.stepper();
    let first = stepper.initial().unwrap().unwrap();
    let mut seen = HashSet::from([(first.clone(), None)]);
    let mut work: Vec<(Vec<u8>, Option<u32>)> = vec![(first, None)];
    let mut data = QueueData { queues: queues as u32, messages: messages.to_vec(), controls: Vec::new() };
    while let Some((state, owner)) = work.pop() {
        let digits = stepper.portable(&state).iter().map(|byte| format!("{byte:02x}")).collect();
        data.controls.push(QueueControl { state: digits, owner, watched: Watched::default() });
        let mut samples = vec![state.clone()];
        for queue in 0..queues {
            for message in messages {
                let mut contents = vec![Vec::new(); queue];
                contents.push(vec![message.clone()]);
                samples.extend(stepper.with_messages(&state, &contents));
            }
        }
        let mut next: Vec<(Vec<u8>, Option<u32>)> = Vec::new();
        if owner.is_some_and(|owner| !stepper.keeps_control(&state, owner).unwrap()) {
            next.push((state, None));
        }
        for sample in samples {
            let visit = &mut |s: model::semantics::Successor<'_>| next.extend(s.state.map(|n| (n.to_vec(), s.control)));
            stepper.expand(&sample, owner, visit).unwrap();
        }
        for (state, owner) in next {
            let control = (stepper.without_messages(&state), owner);
            if seen.insert(control.clone()) {
                work.push(control);
            }
        }
    }
    let letters = 1..=messages.len() as u32;
    let loops = |state: u32| letters.clone().map(move |letter| (letter, state));
    let onward = |state: u32| ((state as usize) + 1 < queues).then_some((SEPARATOR, state + 1));
    let edges = (0..queues.max(1) as u32).map(|state| loops(state).chain(onward(state)).collect()).collect();
    let automaton = QueueAutomaton { accepting: vec![queues.max(1) as u32 - 1], edges };
    let entry = |number: usize| QueueEntry { control: vec![number as u32], automaton: 0 };
    let entries = (0..data.controls.len()).map(entry).collect();
    QueueProof { automata: vec![automaton], entries, data: Some(data), ..QueueProof::default() }
}

const COUNTER: &str = "chan c = [1] of { byte, bit }; chan d = [1] of { bit };
    active proctype P() { byte n; do :: atomic { c!n,1; n = (n + 1) % 3; d!0 } od }
    active proctype Q() { byte m; bit b; do :: c?m,b -> assert(m < 3) :: d?b od }";

fn messages() -> Vec<Vec<i32>> {
    vec![vec![0, 1], vec![1, 1], vec![2, 1], vec![0]]
}

#[test]
fn everything_everywhere_is_an_invariant_and_proves_what_holds_whatever_is_in_the_queues() {
    let model = network(COUNTER);
    let proof = everything(&model, 2, &messages());
    assert_eq!(check(&model, &Property::Safety, &proof), Ok(()));
    assert_eq!(check(&model, &Property::Deadlock, &proof), Ok(()));
    assert_eq!(check(&model, &Property::Orphan, &proof), Ok(()));
    assert!(matches!(check(&model, &Property::Livelock, &proof), Err(Refusal::WrongKind(_))));
    let model = network(&COUNTER.replace("m < 3", "m < 2"));
    let refused = check(&model, &Property::Safety, &everything(&model, 2, &messages()));
    assert!(matches!(refused, Err(Refusal::Violated(_))), "{refused:?}");
    // A process that may wait forever with what could be there.
    let model = network(&COUNTER.replace("do :: atomic", "atomic").replace("d!0 } od }", "d!0 } }"));
    let proof = everything(&model, 2, &messages());
    assert_eq!(check(&model, &Property::Safety, &proof), Ok(()));
    let refused = check(&model, &Property::Deadlock, &proof);
    assert!(matches!(refused, Err(Refusal::Violated(_))), "{refused:?}");
}

#[test]
fn a_timeout_comes_when_nothing_else_can_move() {
    let text = "chan c = [1] of { byte };
        active proctype P() { do :: c!1 :: timeout -> assert(false) od }
        active proctype Q() { do :: c?_ od }";
    let model = network(text);
    let proof = everything(&model, 1, &[vec![1]]);
    assert_eq!(check(&model, &Property::Safety, &proof), Ok(()));
    assert_eq!(check(&model, &Property::Deadlock, &proof), Ok(()));
    let model = network(&text.replace("do :: c!1 ::", "c!1; do ::"));
    let refused = check(&model, &Property::Safety, &everything(&model, 1, &[vec![1]]));
    assert!(matches!(refused, Err(Refusal::Violated(_))), "{refused:?}");
    let model = network(&text.replace("P() {", "P() provided (timeout) {"));
    assert!(matches!(check(&model, &Property::Safety, &proof), Err(Refusal::Malformed(_))));
}

#[test]
fn a_process_before_a_message_that_it_does_not_take_is_stuck() {
    let text = "chan c = [1] of { byte }; bit shared;
        active proctype P() { do :: c!1 :: c!2 od }
        active proctype Q() { bit own; do :: c?1 :: c?2 :: own -> skip od }";
    let verdict = |text: &str| {
        let model = network(text);
        check(&model, &Property::Reception, &everything(&model, 1, &[vec![1], vec![2]]))
    };
    assert_eq!(verdict(text), Ok(()));
    let stuck = verdict(&text.replace(":: c?2", ""));
    assert!(matches!(stuck, Err(Refusal::Violated(_))), "{stuck:?}");
    // Somebody else may help, or the process itself.
    assert_eq!(verdict(&text.replace(":: c?2 :: own", ":: shared")), Ok(()));
    assert_eq!(verdict(&text.replace(":: c?2 :: own", ":: !own")), Ok(()));
}

#[test]
fn a_message_that_is_left_when_all_have_ended_is_an_orphan() {
    let text = "chan c = [1] of { byte };
        active proctype P() { c!1 }
        active proctype Q() { c?1 }";
    let model = network(text);
    let everything = everything(&model, 1, &[vec![1]]);
    let refused = check(&model, &Property::Orphan, &everything);
    assert!(matches!(refused, Err(Refusal::Violated(_))), "{refused:?}");
}

#[test]
fn every_part_of_it_is_needed() {
    let model = network(COUNTER);
    let good = everything(&model, 2, &messages());
    let refuse = |change: &dyn Fn(&mut QueueProof), what: &str| {
        let mut proof = good.clone();
        change(&mut proof);
        assert!(check(&model, &Property::Safety, &proof).is_err(), "{what} is accepted");
    };
    for at in 0..good.entries.len() {
        refuse(&|proof| drop(proof.entries.remove(at)), "a control state that is missing");
        refuse(&|proof| proof.entries.push(proof.entries[at].clone()), "one that is listed twice");
        refuse(&|proof| proof.entries[at].control = vec![1000], "one that does not exist");
        refuse(&|proof| proof.entries[at].automaton = 1, "a set that does not exist");
        refuse(&|proof| proof.data.as_mut().unwrap().controls[at].owner = Some(7), "another owner");
        refuse(&|proof| proof.data.as_mut().unwrap().controls[at].state = String::from("0g"), "no digits");
    }
    for at in 0..messages().len() {
        refuse(&|proof| proof.data.as_mut().unwrap().messages[at] = vec![9, 1], "a message with another value");
        refuse(&|proof| proof.data.as_mut().unwrap().messages[at] = vec![0; 3], "a message with more fields");
    }
    refuse(&|proof| proof.data.as_mut().unwrap().messages.push(vec![0]), "a message with two letters");
    refuse(&|proof| proof.data.as_mut().unwrap().queues = 1, "a queue too few");
    refuse(&|proof| proof.data.as_mut().unwrap().queues = 3, "a queue too many");
    refuse(&|proof| proof.data = None, "no data");
    for state in 0..2 {
        for letter in 1..=4 {
            // What is sent into a queue must be in its words; 2-field messages go to the first, the others to the second.
            if (letter == 4) == (state == 1) {
                let remove = |proof: &mut QueueProof| proof.automata[0].edges[state].retain(|edge| edge.0 != letter);
                refuse(&remove, "a set without a message that is sent");
            }
        }
    }
    refuse(&|proof| proof.automata[0].accepting.clear(), "a set without a word");
}

#[test]
fn a_process_that_is_blocked_in_an_atomic_sequence_lets_others_move() {
    // The owner of control waits for `d`; without the control state that it leaves to others, the assertion is not seen.
    let text = "chan c = [1] of { bit }; chan d = [1] of { bit };
        active proctype P() { bit b; atomic { c!1; d?b } }
        active proctype Q() { bit b; c?b; assert(b == 0) }";
    let model = network(text);
    let mut proof = everything(&model, 2, &[vec![0], vec![1]]);
    assert!(matches!(check(&model, &Property::Safety, &proof), Err(Refusal::Violated(_))));
    // Nothing in the queues at first, then a message that is sent: all that there is until the owner is blocked.
    let word = |letters: &[u32]| {
        let edges = letters.iter().zip(1..).map(|(&letter, to)| vec![(letter, to)]);
        QueueAutomaton { accepting: vec![letters.len() as u32], edges: edges.chain([Vec::new()]).collect() }
    };
    proof.automata = vec![word(&[SEPARATOR]), word(&[2, SEPARATOR])];
    let owned: Vec<bool> = proof.data.iter().flat_map(|data| &data.controls).map(|one| one.owner.is_some()).collect();
    proof.entries.retain(|entry| entry.control == [0] || owned[entry.control[0] as usize]);
    proof.entries.iter_mut().for_each(|entry| entry.automaton = u32::from(entry.control != [0]));
    let refused = check(&model, &Property::Safety, &proof);
    assert!(matches!(refused, Err(Refusal::NotInvariant(_))), "{refused:?}");
}

#[test]
fn who_looks_further_than_at_one_head_is_refused() {
    let bodies = [
        "x = len(c)",
        "len(c) < len(d) -> c!1",
        "len(c) - 1 < 2 -> c!1",
        "d_step { empty(c); c!1 }",
        "c!(len(c))",
        "c??1",
        "c!!1",
        "c?<x>",
        "c??[1] -> c!1",
        "enabled(1) -> c!1",
        "d_step { c?x; c?x }",
        "d_step { x = 1; c?x }",
        "d_step { c!1; c!1 }",
        "d_step { c?x; c!x }",
        "d_step { if :: c?x :: d?x fi; x = 0 }",
        "d_step { do :: c?x :: c?2 -> break od }",
        "d_step { r?x; c!x }",
    ];
    for body in bodies {
        let text = format!(
            "chan c = [2] of {{ byte }}; chan d = [2] of {{ byte }}; chan r = [0] of {{ byte }};
             active proctype P() {{ byte x; do :: {body} od }}
             active proctype Q() {{ byte x; do :: c!1 :: c?x :: r!1 od }}"
        );
        let model = network(&text);
        let refused = check(&model, &Property::Safety, &everything(&model, 3, &[vec![0], vec![1], vec![2]]));
        assert!(matches!(refused, Err(Refusal::Malformed(_))), "{body}: {refused:?}");
    }
    for body in [
        "d_step { c?x; x = 0 }",
        "d_step { x = 1; c!x }",
        "d_step { if :: c?1 -> x = 2 :: c?2 fi }",
        "c!x; c?eval(x); printf(\"%d\", len(c))",
    ] {
        let text = format!("chan c = [2] of {{ byte }}; active proctype P() {{ byte x; do :: c!1 :: {body} od }}");
        let model = network(&text);
        let proof = everything(&model, 1, &[vec![0], vec![1], vec![2]]);
        assert_eq!(check(&model, &Property::Safety, &proof), Ok(()), "{body}");
    }
}

#[test]
fn conditions_on_lengths_and_heads_are_checked_by_classes_of_contents() {
    let check_body = |body: &str| {
        let text = format!("chan c = [2] of {{ byte }}; active proctype P() {{ byte x; do :: c!1 :: {body} od }}");
        let model = network(&text);
        check(&model, &Property::Safety, &everything(&model, 1, &[vec![0], vec![1], vec![2]]))
    };
    for body in [
        "len(c) < 2 -> c!1",
        "nfull(c) -> c!1",
        "empty(c) -> c!1",
        "nempty(c) -> c?_",
        "c?[1] -> c?_",
        "assert(empty(c) || len(c) > 0)",
        "assert(!c?[1] || nempty(c))",
    ] {
        assert_eq!(check_body(body), Ok(()), "{body}");
    }
    for body in ["assert(len(c) < 3)", "assert(empty(c))", "assert(!c?[2])", "assert(nfull(c))", "assert(len(c) != 2)"]
    {
        let refused = check_body(body);
        assert!(matches!(refused, Err(Refusal::Violated(_))), "{body}: {refused:?}");
    }
}

#[test]
fn messages_that_are_handed_over_are_in_no_queue() {
    let text = "chan c = [1] of { bit }; chan r = [0] of { bit }; byte shared;
        active proctype P() { do :: r!1; c!1 od }
        active proctype Q() { bit b; do :: r?b -> shared = b; assert(shared < 2) :: c?b od }";
    let model = network(text);
    let proof = everything(&model, 2, &[vec![0], vec![1]]);
    assert_eq!(check(&model, &Property::Safety, &proof), Ok(()));
    let model = network(&text.replace("shared < 2", "shared == 0"));
    let refused = check(&model, &Property::Safety, &everything(&model, 2, &[vec![0], vec![1]]));
    assert!(matches!(refused, Err(Refusal::Violated(_))), "{refused:?}");
}

#[test]
fn queues_come_and_go_with_processes_and_come_empty() {
    let stays = "proctype P() { chan own = [1] of { bit }; bit b; do :: own!1 :: own?b od } init { run P(); run P() }";
    let model = network(stays);
    let refused = check(&model, &Property::Safety, &everything(&model, 2, &[vec![1]]));
    assert!(matches!(refused, Err(Refusal::NotInvariant(_))), "{refused:?}");
    let goes = "chan c = [1] of { bit }; active proctype P() { chan own = [1] of { bit }; own!1; c!1 }";
    let model = network(goes);
    let proof = everything(&model, 2, &[vec![1]]);
    assert_eq!(check(&model, &Property::Safety, &proof), Ok(()));
    assert_eq!(check(&model, &Property::Deadlock, &proof), Ok(()));
    // The second process must not find what the first has left: with a stale message the assertion would fail.
    let comes_again = "proctype P() { chan own = [1] of { bit }; bit b; own!1; b = 1 }
        init { run P(); (_nr_pr == 1); run P() }";
    let model = network(comes_again);
    let refused = check(&model, &Property::Safety, &everything(&model, 1, &[vec![1]]));
    assert!(matches!(refused, Err(Refusal::NotInvariant(_))), "{refused:?}");
}

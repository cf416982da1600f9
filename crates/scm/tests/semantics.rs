//! The networks of `.scm` files run in `model::semantics`, and do there what Definition 2.3 says.

use crate::common;

use crate::common::{Configuration, Random, examples, files, initial, load, successors, valid};
use model::ids::LocationId;
use model::network::{Network, ScalarType};
use model::semantics::{Reading, Semantics, Step};
use model::source::SourceMap;
use model::trace::Narrator;
use std::collections::BTreeSet;

/// A packed state as a configuration: locations by their places in the text, messages by their names.
fn unpacked(network: &Network, narrator: &mut Narrator<'_>, state: &[u8]) -> Configuration {
    let (snapshot, processes) = (narrator.snapshot(state), narrator.waiting(state));
    let location = |(process, standing): (usize, &model::chart::Waits)| {
        let machine = network.machine(network.instances[process].machine);
        let position = machine.locations.iter().position(|location| location.span == standing.span);
        LocationId::from(position.unwrap())
    };
    let symbol = |name: &String| network.symbol_sets[0].symbols.iter().position(|s| s == name).unwrap() as i32 + 1;
    Configuration {
        locations: processes.iter().enumerate().map(location).collect(),
        queues: snapshot.channels.iter().map(|channel| channel.messages.iter().map(symbol).collect()).collect(),
    }
}

/// Walks at random, and compares all successors of every state on the way.
fn walk(network: &Network, reading: Reading, seed: u64) {
    let (semantics, sources) = (Semantics::new(network, reading), SourceMap::new());
    let mut narrator = Narrator::new(&semantics, &sources);
    let mut stepper = semantics.stepper();
    let mut state = stepper.initial().unwrap().unwrap();
    assert_eq!(unpacked(network, &mut narrator, &state), initial(network));
    let mut random = Random::new(seed);
    for _ in 0..60 {
        let mut next = Vec::new();
        stepper
            .expand(&state, None, &mut |successor| {
                assert!(successor.fault.is_none() && successor.control.is_none() && !successor.timeout);
                next.push(successor.state.unwrap().to_vec());
            })
            .unwrap();
        let here = unpacked(network, &mut narrator, &state);
        let packed: Vec<Configuration> = next.iter().map(|s| unpacked(network, &mut narrator, s)).collect();
        let naive = successors(network, &here);
        assert_eq!(packed.len(), naive.len(), "seed {seed}");
        assert_eq!(packed.into_iter().collect::<BTreeSet<_>>(), naive.into_iter().collect(), "seed {seed}");
        if next.is_empty() {
            return;
        }
        state = next.swap_remove(random.below(next.len()));
    }
}

#[test]
fn successors_of_examples_are_those_of_the_definition() {
    for path in files(&examples()) {
        let model = load(&path);
        for seed in 1..=10 {
            walk(&model.network, Reading::Unbounded, seed * 0x9e37_79b9);
            walk(&model.network, Reading::Declared, seed * 0x85eb_ca6b);
        }
    }
}

#[test]
fn a_send_never_blocks_in_any_reading() {
    let model = valid(
        "m",
        "scm m : nb_channels = 1 ; parameters : int a ; automaton p : initial : 0 state 0 : to 0 : when true , 0 ! a ;",
    );
    for reading in [Reading::Declared, Reading::Unbounded, Reading::Drop] {
        let semantics = Semantics::new(&model.network, reading);
        let mut stepper = semantics.stepper();
        let mut state = stepper.initial().unwrap().unwrap();
        for sent in 1..=400 {
            let mut next = None;
            stepper.expand(&state, None, &mut |s| next = s.state.map(<[u8]>::to_vec)).unwrap();
            state = next.unwrap();
            let sources = SourceMap::new();
            let snapshot = Narrator::new(&semantics, &sources).snapshot(&state);
            assert_eq!(snapshot.channels[0].messages.len(), sent, "{reading:?}");
        }
    }
}

#[test]
fn a_lossy_channel_loses_messages_and_a_reliable_one_does_not() {
    let text = "scm m : nb_channels = 2 ; lossy : 1 parameters : int a ; automaton p : initial : 0
        state 0 : to 1 : when true , 0 ! a ; state 1 : to 2 : when true , 1 ! a ; state 2 :";
    let model = valid("m", text);
    let semantics = Semantics::new(&model.network, Reading::Unbounded);
    let mut stepper = semantics.stepper();
    let mut state = stepper.initial().unwrap().unwrap();
    for _ in 0..2 {
        let mut next = None;
        stepper.expand(&state, None, &mut |s| next = s.state.map(<[u8]>::to_vec)).unwrap();
        state = next.unwrap();
    }
    let mut steps = Vec::new();
    stepper.expand(&state, None, &mut |s| steps.push(s.step)).unwrap();
    assert_eq!(steps, [Step::Loss { queue: 1, position: 0 }]);
}

#[test]
fn channels_and_messages_have_their_names() {
    let named =
        valid("m", "scm m : channels : up, lossy down ; parameters : int a ; automaton p : initial : s state s :");
    let names: Vec<&str> = named.network.variables.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["up", "down"]);
    let lossy: Vec<bool> = named.network.channel_types.iter().map(|c| c.lossy).collect();
    assert_eq!(lossy, [false, true]);
    assert!(named.network.channel_types.iter().all(|c| c.capacity.is_none()));
    let numbered = valid("m", "scm m : nb_channels = 2 ; parameters : automaton p : initial : 0 state 0 :");
    let names: Vec<&str> = numbered.network.variables.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["0", "1"]);
}

#[test]
fn more_messages_than_a_byte_counts_still_differ() {
    let mut text = String::from("scm m : nb_channels = 1 ; parameters : ");
    (0..600).for_each(|n| text += &format!("int m{n} ; "));
    text += "automaton p : initial : 0 state 0 : to 1 : when true , 0 ! m299 ; state 1 :
        automaton q : initial : 0 state 0 : to 0 : when true , 0 ? m43 ; to 1 : when true , 0 ? m299 ; state 1 :";
    let model = valid("m", &text);
    assert_eq!(model.network.channel_types[0].fields, [ScalarType::Unsigned(16)]);
    let semantics = Semantics::new(&model.network, Reading::Unbounded);
    let mut stepper = semantics.stepper();
    let first = stepper.initial().unwrap().unwrap();
    let mut next = Vec::new();
    stepper.expand(&first, None, &mut |s| next.push(s.state.unwrap().to_vec())).unwrap();
    let mut steps = Vec::new();
    stepper.expand(&next[0], None, &mut |s| steps.push(s.step)).unwrap();
    assert_eq!(steps, [Step::Edge { process: 1, edge: model::ids::EdgeId(1) }]);
}

#[test]
fn several_initial_states_are_a_choice_before_anything_else() {
    let text = "scm m : nb_channels = 1 ; parameters : int a ;
        automaton p : initial : 0, 1 state 0 : to 1 : when true , 0 ! a ; state 1 :
        automaton q : initial : 2, 0, 2 state 0 : state 1 : state 2 : bad_states : (automaton p : in 1 automaton q : in 0)";
    let model = valid("m", text);
    let first = |machine: &model::network::Machine| machine.edges_from(machine.initial).map(|e| e.to.0).collect();
    let starts: Vec<BTreeSet<u32>> = model.network.machines.iter().map(first).collect();
    assert_eq!(starts, [BTreeSet::from([0, 1]), BTreeSet::from([0, 2])]);
    assert!(model.network.machines.iter().all(|m| m.locations[m.initial.index()].labels == [scm::START]));
    assert_eq!(common::search(&model, 2, 100), common::Found::Bad(2));
    let text = scm::print(&model.network, &model.specification).unwrap();
    assert!(
        text.contains("initial : 0, 1\n") && text.contains("initial : 2, 0\n") && !text.contains("start"),
        "{text}"
    );
    assert_eq!(common::search(&valid("m", &text), 2, 100), common::Found::Bad(2));
}

#[test]
fn the_choice_of_initial_states_survives_the_folding_of_data() {
    let text = "scm m : nb_channels = 1 ; parameters : int a ;
        automaton p : int n = 0 ; initial : 5, 7 state 5 : to 7 : when n < 2 , 0 ! a with n = n + 1 ; state 7 :";
    let model = valid("m", text);
    let folded = scm::fold(&model.network, &scm::fold::Limits::default()).unwrap();
    let text = scm::print(&folded.network, &folded.errors()).unwrap();
    let again = valid("m", &text);
    assert_eq!(again.network.machines[0].edges_from(again.network.machines[0].initial).count(), 2, "{text}");
}

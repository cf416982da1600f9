//! Runs are told in the words of UML-RT: a lane for each capsule instance, messages by port and event, the states that are reached.

use capsules::{Controller, Dialect, Text, Threads, read};
use model::semantics::{Reading, Semantics};
use model::trace::Narrator;
use std::collections::{HashMap, VecDeque};

const MODEL: &str = "
protocol P { out ask(`int`); in told(); };
capsule Server {
    service behavior port p~ : P;
    [[rt::decl]] `int n = 0;`
    statemachine { state Idle { state Low, High; initial -> Low; }; choice c; initial -> Idle;
        again: Idle -> c on p.ask; c -> Idle when `*rtdata == 1` `n = *rtdata; p.told().send();`; c -> Idle when `else`; };
};
capsule Top {
    behavior port p : P;
    behavior port timer : Timing;
    part server : Server;
    connect p with server.p;
    statemachine { state Wait, Done; initial -> Wait `timer.informIn(1);`; Wait -> Done on timer.timeout `p.ask(1).send();`; };
};";

/// The lanes, and the steps of a shortest run to a message that is lost, each with its lane.
fn run(threads: &Threads) -> (Vec<String>, Vec<String>) {
    let read = read(Dialect::Art, &Text { name: "m.art".into(), text: MODEL.into() }, &[], None, threads);
    let network = read.network.expect("a model");
    let semantics = Semantics::new(&network, Reading::Unbounded);
    let mut stepper = semantics.stepper();
    let first = (stepper.initial().unwrap().unwrap(), None);
    let mut known = HashMap::from([(first.clone(), None)]);
    let mut left = VecDeque::from([first]);
    let lost = loop {
        let (state, control) = left.pop_front().expect("a message is lost");
        stepper.load(&state);
        let is_lost = |(machine, location): (model::ids::MachineId, model::ids::LocationId)| {
            network.machine(machine).locations[location.index()].labels.iter().any(|l| l == "unexpected message")
        };
        if (0..stepper.loaded_processes()).any(|process| is_lost(stepper.loaded_place(process))) {
            break (state, control);
        }
        stepper
            .expand(&state, control, &mut |successor| {
                let next = (successor.state.unwrap().to_vec(), successor.control);
                if !known.contains_key(&next) {
                    known.insert(next.clone(), Some(((state.clone(), control), successor.step)));
                    left.push_back(next);
                }
            })
            .unwrap();
    };
    let before = |(at, _): &((Vec<u8>, Option<u32>), _)| known[at].clone();
    let mut steps: Vec<_> = std::iter::successors(known[&lost].clone(), before).map(|(_, step)| step).collect();
    steps.reverse();
    let mut narrator = Narrator::new(&semantics, &read.sources);
    let replayed = narrator.replay(&steps).unwrap();
    let chart = narrator.chart(replayed);
    let told = chart.steps.iter().filter_map(|step| {
        let remarks: String = step.remarks.iter().map(|remark| format!(" ({remark})")).collect();
        Some(format!("{}: {}{remarks}", chart.lane_name(step.moves[0].lane), step.event.as_ref()?))
    });
    (chart.lanes.iter().map(ToString::to_string).collect(), told.collect())
}

#[test]
fn a_run_is_told_in_the_words_of_uml_rt() {
    let (lanes, steps) = run(&Threads::Any);
    assert_eq!(lanes, ["Top", "server"]);
    let expected = [
        "Top: starts",
        "Top: sets timer → Wait",
        "Top: timer expires",
        "Top: takes timer.timeout",
        "Top: sends p.ask(1) → Done",
        "server: starts",
        "server: → Idle.Low",
        "server: takes p.ask(1)",
        "server: c -> Idle",
        "server: n = *rtdata",
        "server: sends p.told",
        "server: → Idle.Low",
        "Top: takes p.told (nothing reacts to p.told in Done: the message is lost)",
    ];
    assert_eq!(steps, expected);
}

#[test]
fn a_controller_says_nothing_of_its_lock() {
    let main = Controller { name: String::from("Main"), logical: Vec::new() };
    let (lanes, steps) = run(&Threads::Configured(vec![main]));
    assert_eq!(lanes, ["Top", "server"]);
    let expected = [
        "Top: sets timer",
        "Top: → Wait",
        "Top: timer expires",
        "server: → Idle.Low",
        "Top: takes timer.timeout",
        "Top: sends p.ask(1)",
        "Top: → Done",
        "server: takes p.ask(1)",
        "server: c -> Idle",
        "server: n = *rtdata",
        "server: sends p.told",
        "server: → Idle.Low",
        "Top: takes p.told (nothing reacts to p.told in Done: the message is lost)",
    ];
    assert_eq!(steps, expected);
}

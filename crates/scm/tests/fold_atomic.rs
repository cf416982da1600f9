//! Atomic sequences fold into single transitions, and nothing is lost or gained.
//!
//! The states of the network between atomic sequences, with short queues, are compared with all states of the
//! machines: as many, and the same places, values and queues. Models are random; each sequence uses one channel, so
//! that folding is exact, or stops where a receive is not first, and then says so.

use crate::common;

use crate::common::Random;
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::source::{SourceMap, Span};
use model::trace::Narrator;
use promela::preprocess::Options;
use scm::fold::{Folded, Limits, fold};
use std::collections::{BTreeSet, HashSet};

/// No queue is looked at when it is longer than this.
const LONGEST: usize = 2;

/// Where the processes are, the values of their variables, and the messages in the queues.
type Shape = (Vec<Span>, Vec<String>, Vec<Vec<String>>);

/// The states of a network that are not in the middle of an atomic sequence.
fn stable(network: &Network) -> BTreeSet<Shape> {
    let (semantics, sources) = (Semantics::new(network, Reading::Unbounded), SourceMap::new());
    let (mut stepper, mut narrator) = (semantics.stepper(), Narrator::new(&semantics, &sources));
    let first = (stepper.initial().unwrap().unwrap(), None);
    let mut seen = HashSet::from([first.clone()]);
    let mut waiting = vec![first];
    let mut shapes = BTreeSet::new();
    while let Some((state, control)) = waiting.pop() {
        if control.is_none() {
            let snapshot = narrator.snapshot(&state);
            let queues: Vec<Vec<String>> = snapshot.channels.into_iter().map(|c| c.messages).collect();
            if queues.iter().any(|queue| queue.len() > LONGEST) {
                continue;
            }
            let values = snapshot.variables.iter().filter(|v| v.name.contains(':')).map(|v| v.value.clone());
            let places = narrator.waiting(&state).into_iter().map(|waits| waits.span.unwrap());
            shapes.insert((places.collect(), values.collect(), queues));
        }
        let mut next = Vec::new();
        stepper.expand(&state, control, &mut |s| next.push((s.state.unwrap().to_vec(), s.control))).unwrap();
        for (state, control) in next {
            let control = control.filter(|&process| stepper.keeps_control(&state, process).unwrap());
            if seen.insert((state.clone(), control)) {
                waiting.push((state, control));
            }
        }
    }
    shapes
}

/// The states of the machines, in the words of the network.
fn unfolded(network: &Network, folded: &Folded) -> BTreeSet<Shape> {
    let mut seen = HashSet::from([common::initial(&folded.network)]);
    let mut waiting: Vec<_> = seen.iter().cloned().collect();
    let mut shapes = BTreeSet::new();
    while let Some(configuration) = waiting.pop() {
        if configuration.queues.iter().any(|queue| queue.len() > LONGEST) {
            continue;
        }
        let (mut places, mut values) = (Vec::new(), Vec::new());
        for (process, location) in folded.processes.iter().zip(&configuration.locations) {
            let (machine, state) = (network.machine(process.machine), &process.states[location.index()]);
            places.push(machine.locations[state.location.index()].span.unwrap_or(machine.span));
            let types = machine.variables.iter().flat_map(|v| std::iter::repeat_n(v.ty, v.len()));
            values.extend(types.zip(&state.values).map(|(ty, &value)| network.show_value(ty, value)));
        }
        let queues =
            configuration.queues.iter().map(|queue| queue.iter().map(|&m| message(network, folded, m)).collect());
        shapes.insert((places, values, queues.collect()));
        for next in common::successors(&folded.network, &configuration) {
            if seen.insert(next.clone()) {
                waiting.push(next);
            }
        }
    }
    shapes
}

/// A message in the words of the network: the first field, and the second in parentheses.
fn message(network: &Network, folded: &Folded, symbol: i32) -> String {
    let message = &folded.messages[symbol as usize - 1];
    let fields = message.fields.iter().zip(&message.values);
    let fields: Vec<String> = fields.map(|(&ty, &value)| network.show_value(ty, value)).collect();
    format!("{}({})", fields[0], fields[1])
}

/// Two processes that loop over random atomic sequences.
fn random_model(random: &mut Random) -> String {
    let mut text = String::from("mtype = { go, stop };\nchan c[2] = [2] of { mtype, byte };\n");
    for process in 0..2 {
        text += &format!("active proctype P{process}() {{ byte x = {process}; byte y; mtype m = go;\n  do\n");
        for _ in 0..2 + random.below(3) {
            let (queue, value) = (random.below(2), random.below(3));
            let statement = match random.below(9) {
                0 => format!("atomic {{ c[{queue}]?m,x; x = x % 2; y = x }}"),
                1 => format!("atomic {{ x < {value} -> x++; c[{queue}]!m,x }}"),
                2 => {
                    format!("atomic {{ y = 1; if :: x = 0 :: x = 1 :: x == 1 -> m = stop fi; c[{queue}]!m,y; y = 0 }}")
                }
                3 => format!("atomic {{ x == {value} -> y = x; y == 1; x = 0 }}"),
                4 => format!("c[{queue}]!m,{value}"),
                5 => format!("atomic {{ c[{queue}]?stop,_ -> if :: x > 0 -> x-- :: else -> m = go fi }}"),
                6 => format!("atomic {{ c[{queue}]?m,eval(x); do :: y > 0 -> y-- :: else -> break od }}"),
                7 => format!("atomic {{ x = 0; if :: c[{queue}]!go,0 :: c[{queue}]!stop,1 fi; y = 0 }}"),
                _ => format!("d_step {{ c[{queue}]?m,x; x = x % 2; if :: x == 0 -> y = 1 :: else fi }}"),
            };
            text += &format!("  :: {statement}\n");
        }
        text += "  od }\n";
    }
    text
}

#[test]
fn random_atomic_models_reach_the_same_states() {
    let rounds = testing::seeds(60);
    for seed in 1..=rounds {
        let text = random_model(&mut Random::new(seed));
        let network = promela::read("model.pml", &text, &Options::default()).network.unwrap();
        let folded =
            fold(&network, &Limits::default()).unwrap_or_else(|reason| panic!("seed {seed}: {reason}\n{text}"));
        assert!(folded.is_exact(), "seed {seed}: {:?}\n{text}", folded.approximations);
        let (ours, theirs) = (unfolded(&network, &folded), stable(&network));
        let (more, less) = (ours.difference(&theirs).next(), theirs.difference(&ours).next());
        assert!(more.is_none() && less.is_none(), "seed {seed}: more {more:?}, less {less:?}\n{text}");
    }
}

//! The plain machines that the engine is asked about: those of the model, what its data were folded into, or one machine for
//! the whole of it.
//!
//! An engine for machines knows one kind of proper end: all machines in states without transitions, all queues empty. A
//! model with data has its own. In Promela every process must be at a place where it may stop, and messages may be left; in
//! a file of machines a state that has transitions is none to end in, even if no guard holds. So of folded machines it is
//! asked whether they get stuck in a configuration that is no proper end of the model.

use super::system;
use super::whole::{Whole, whole};
use fifo::System;
use model::network::Network;
use queues::Regex;
use scm::{Folded, Specification};
use std::time::Instant;

/// Plain machines, and what they were made of.
pub struct Target {
    pub system: System,
    /// The bad configurations of the plain machines.
    pub specification: Specification,
    pub origin: Origin,
}

/// What plain machines were made of.
pub enum Origin {
    /// They are those of the model.
    Model,
    /// Each stands for a process with its data.
    Folded(Box<Folding>),
    /// There is one, for all processes together.
    Whole(Box<Whole>),
}

/// The way back to a model with data.
pub struct Folding {
    pub folded: Folded,
    /// The bad configurations of the model itself.
    pub original: Specification,
    /// The same machines, where what is bad is to be stuck there.
    pub stuck: System,
}

impl Target {
    /// The machines of a network without data.
    pub fn plain(network: &Network, specification: Specification) -> Result<Target, String> {
        let system = made(network, &specification)?;
        Ok(Target { system, specification, origin: Origin::Model })
    }

    /// One machine for all processes of a network together.
    pub fn whole(network: &Network, deadline: Option<Instant>) -> Result<Target, String> {
        let whole = whole(network, deadline)?;
        let (system, specification) = (whole.system.clone(), Specification::default());
        Ok(Target { system, specification, origin: Origin::Whole(Box::new(whole)) })
    }

    /// The machines that a network was folded into. `promela` says which ends are proper ones.
    pub fn folded(network: &Network, folded: Folded, original: Specification, promela: bool) -> Result<Target, String> {
        let mut specification = folded.specification(network, &original);
        specification.bad.extend(folded.errors().bad);
        let system = made(&folded.network, &specification)?;
        let ends = if promela { valid_ends(&folded) } else { without_transitions(network, &folded) };
        let mut bad = improper(&folded, &ends);
        if !promela {
            bad.extend(left_over(&folded, &ends, system.alphabet.len()));
        }
        let stuck = System { bad, ..system.clone() };
        let origin = Origin::Folded(Box::new(Folding { folded, original, stuck }));
        Ok(Target { system, specification, origin })
    }
}

fn made(network: &Network, specification: &Specification) -> Result<System, String> {
    system::system(network, specification)
        .map_err(|system::HasData| String::from("the model has data that cannot be folded into states"))
}

/// By machine, the states that are no errors.
fn real_states(folded: &Folded) -> impl Iterator<Item = Vec<usize>> + '_ {
    folded.processes.iter().map(|process| {
        let real = process.states.iter().enumerate().filter(|(_, state)| !state.fault);
        real.map(|(index, _)| index).collect()
    })
}

/// By machine and state: whether a process may stop there for ever.
fn valid_ends(folded: &Folded) -> Vec<Vec<bool>> {
    let machines = folded.network.machines.iter();
    machines.map(|machine| machine.locations.iter().map(|location| location.end).collect()).collect()
}

/// By machine and state: whether the state of the file has no transitions.
fn without_transitions(network: &Network, folded: &Folded) -> Vec<Vec<bool>> {
    let processes = folded.processes.iter().map(|process| {
        let locations = &network.machine(process.machine).locations;
        process.states.iter().map(|state| locations[state.location.index()].edges.is_empty()).collect()
    });
    processes.collect()
}

/// Configurations of the model in which some process is where it must not stop.
fn improper(folded: &Folded, ends: &[Vec<bool>]) -> Vec<fifo::Bad> {
    let real: Vec<Vec<usize>> = real_states(folded).collect();
    let bad = (0..real.len()).map(|machine| {
        let mut states: Vec<Option<Vec<usize>>> = real.iter().cloned().map(Some).collect();
        states[machine] = Some(real[machine].iter().copied().filter(|&state| !ends[machine][state]).collect());
        fifo::Bad { states, queues: None }
    });
    bad.collect()
}

/// Configurations in which all machines are where they may stop, and a queue holds something.
fn left_over(folded: &Folded, ends: &[Vec<bool>], letters: usize) -> Vec<fifo::Bad> {
    let stopped = real_states(folded).zip(ends);
    let stopped = stopped.map(|(real, ends)| Some(real.into_iter().filter(|&state| ends[state]).collect()));
    let states: Vec<Option<Vec<usize>>> = stopped.collect();
    let any = || Box::new(Regex::Alt((0..letters as u32).map(Regex::Letter).collect()));
    let bad = (0..folded.queues.len()).map(|full| {
        let mut parts = Vec::new();
        for queue in 0..folded.queues.len() {
            if queue > 0 {
                parts.push(Regex::Separator);
            }
            parts.push(if queue == full { Regex::Plus(any()) } else { Regex::Star(any()) });
        }
        fifo::Bad { states: states.clone(), queues: Some(Regex::Concat(parts)) }
    });
    bad.collect()
}

//! Which control states of folded machines a state of the network stands for.
//!
//! A machine is one process, and its states are the places and values of that process. Two things make it more than a
//! lookup. The network creates its processes one after the other, while all machines are there from the start: until the
//! creator is done, it is taken to stand at its beginning, and so are those that it has not created yet. And processes
//! vanish when they have ended, while machines stay in their last state: what values they had then makes no difference to
//! anybody, so that all last states are one here, and stand for a process that is gone, too.

use model::ids::LocationId;
use model::network::{Action, Network};
use model::semantics::{Semantics, Step, Stepper};
use scm::{Folded, fold::FoldedState};
use std::collections::HashMap;

/// Stands for all last states of a machine.
const ENDED: u32 = u32::MAX;
/// More paths to assign processes to machines than this are not looked at.
const MOST_WAYS: usize = 1000;

/// Where a process is, and what it can see of its own: its variables, and the global ones that belong to it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Standing {
    location: LocationId,
    locals: Vec<i32>,
}

/// The path from states of the network to control states of the machines.
pub struct Correspondence<'a> {
    network: &'a Network,
    folded: &'a Folded,
    /// Where each element of a global variable stands: variable and element.
    globals: Vec<(usize, usize)>,
    /// By machine: its states, by what they stand for.
    states: Vec<HashMap<(Standing, Vec<i32>), u32>>,
    /// The creator before each step of the prologue, and how many processes there are then.
    prologue: Vec<(Standing, usize)>,
    creator: Option<usize>,
}

impl<'a> Correspondence<'a> {
    /// For a network and what it was folded into.
    pub fn new(semantics: &'a Semantics<'a>, folded: &'a Folded) -> Self {
        let network = semantics.network();
        let elements = |(index, variable): (usize, &model::network::Variable)| {
            (0..variable.len()).map(move |element| (index, element))
        };
        let globals = network.variables.iter().enumerate().flat_map(elements).collect();
        let states = folded.processes.iter().map(|process| {
            let real = process.states.iter().enumerate().filter(|(_, state)| !state.fault);
            real.map(|(index, state)| ((standing(state), owned(state, &process.owned)), index as u32)).collect()
        });
        let creator = folded.prologue.first().and_then(|step| match step {
            Step::Edge { process, .. } => Some(*process as usize),
            _ => None,
        });
        let states = states.collect();
        let mut made = Correspondence { network, folded, globals, states, prologue: Vec::new(), creator };
        made.prologue = made.follow_prologue(&mut semantics.stepper()).unwrap_or_default();
        made
    }

    /// The states of the creator while it creates.
    fn follow_prologue(&self, stepper: &mut Stepper<'_>) -> Option<Vec<(Standing, usize)>> {
        let mut passed = Vec::new();
        let mut state = stepper.initial().ok()?.ok()?;
        for &wanted in &self.folded.prologue {
            stepper.load(&state);
            passed.push((self.standing_of(stepper, self.creator?), stepper.loaded_processes()));
            let mut next = None;
            stepper
                .expand_loaded(None, &mut |successor| {
                    if successor.step == wanted && next.is_none() {
                        next = successor.state.map(<[u8]>::to_vec);
                    }
                })
                .ok()?;
            state = next?;
        }
        Some(passed)
    }

    fn standing_of(&self, stepper: &Stepper<'_>, process: usize) -> Standing {
        let (machine, location) = stepper.loaded_place(process);
        let variables = self.network.machine(machine).variables.iter().enumerate();
        let locals = variables.flat_map(|(variable, declared)| {
            (0..declared.len()).map(move |element| stepper.loaded_local(process, variable.into(), element))
        });
        Standing { location, locals: locals.collect() }
    }

    /// Whether a machine stays in a state forever because its process has ended.
    fn is_last(&self, machine: usize, state: u32) -> bool {
        let process = &self.folded.processes[machine];
        let at = process.states[state as usize].location;
        self.network.machine(process.machine).edges_from(at).any(|edge| matches!(edge.action, Action::End))
    }

    /// A state of a machine, where all last ones are the same.
    fn merged(&self, machine: usize, state: u32) -> u32 {
        if self.is_last(machine, state) { ENDED } else { state }
    }

    /// The name of a control state of the machines; `None` if it is one of errors, which the network does not have.
    pub fn name(&self, control: &[u32]) -> Option<Vec<u32>> {
        let mut name = Vec::with_capacity(control.len());
        for (machine, &state) in control.iter().enumerate() {
            if self.folded.processes.get(machine)?.states.get(state as usize)?.fault {
                return None;
            }
            name.push(self.merged(machine, state));
        }
        Some(name)
    }

    /// The names of the control states that a state of the network stands for.
    pub fn names(&self, stepper: &mut Stepper<'_>, state: &[u8]) -> Vec<Vec<u32>> {
        stepper.load(state);
        let mut names = Vec::new();
        self.paths(stepper, self.folded.processes.len(), false, &mut names);
        if let Some(creator) = self.creator.filter(|&creator| creator < stepper.loaded_processes()) {
            let standing = self.standing_of(stepper, creator);
            for &(_, created) in self.prologue.iter().filter(|(passed, _)| *passed == standing) {
                self.paths(stepper, created, true, &mut names);
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Every path to take the processes of the loaded state, in their order, for some of the first `created` machines. The
    /// others of those have ended; those that were not created yet stand at their beginning, as does a creator at work.
    fn paths(&self, stepper: &Stepper<'_>, created: usize, creating: bool, names: &mut Vec<Vec<u32>>) {
        let living = stepper.loaded_processes();
        if living > created {
            return;
        }
        let mut partial: Vec<(usize, Vec<u32>)> = vec![(0, Vec::new())];
        for machine in 0..self.folded.processes.len() {
            let mut next = Vec::new();
            for (process, name) in partial {
                let mut go_on = |process: usize, state: u32| {
                    let mut name = name.clone();
                    name.push(state);
                    next.push((process, name));
                };
                if machine >= created {
                    go_on(process, self.merged(machine, 0));
                    continue;
                }
                // There must be machines enough for the processes that are left.
                if created - machine > living - process {
                    go_on(process, ENDED);
                }
                if process < living {
                    let state = if creating && Some(process) == self.creator {
                        (Some(machine) == self.creator).then(|| self.merged(machine, 0))
                    } else {
                        self.state_of(stepper, process, machine).map(|state| self.merged(machine, state))
                    };
                    state.into_iter().for_each(|state| go_on(process + 1, state));
                }
            }
            next.truncate(MOST_WAYS);
            partial = next;
        }
        names.extend(partial.into_iter().filter(|(process, _)| *process == living).map(|(_, name)| name));
    }

    /// The state of a machine that a process of the loaded state is in.
    fn state_of(&self, stepper: &Stepper<'_>, process: usize, machine: usize) -> Option<u32> {
        let folded = &self.folded.processes[machine];
        if stepper.loaded_place(process).0 != folded.machine {
            return None;
        }
        let owned = folded.owned.iter().filter_map(|&position| self.globals.get(position));
        let owned = owned.map(|&(variable, element)| stepper.loaded_global(variable.into(), element)).collect();
        self.states[machine].get(&(self.standing_of(stepper, process), owned)).copied()
    }
}

fn standing(state: &FoldedState) -> Standing {
    Standing { location: state.location, locals: state.values.clone() }
}

fn owned(state: &FoldedState, positions: &[usize]) -> Vec<i32> {
    positions.iter().filter_map(|&position| state.globals.get(position).copied()).collect()
}

//! The properties and the search once more, slowly and from their definitions.

use fifo::{Op, Property, System};
use queues::Regex;
use std::collections::BTreeSet;

/// The state of each machine, and the content of each channel.
pub type Configuration = (Vec<usize>, Vec<Vec<u32>>);

/// Whether the configuration is a fault.
pub fn is_fault(system: &System, property: Property, (control, queues): &Configuration) -> bool {
    let leaving = |machine: usize| {
        let transitions = system.machines[machine].transitions.iter();
        transitions.filter(|transition| transition.from == control[machine]).collect::<Vec<_>>()
    };
    let machines = 0..system.machines.len();
    let all_ended = machines.clone().all(|machine| leaving(machine).is_empty());
    let messages_left = queues.iter().any(|queue| !queue.is_empty());
    let possible = |op: Op| match op {
        Op::Receive(channel, message) => queues[channel].first() == Some(&message),
        _ => true,
    };
    let stuck = || machines.clone().all(|machine| !leaving(machine).iter().any(|t| possible(t.op)));
    match property {
        Property::Deadlock => stuck() && (messages_left || !all_ended),
        Property::Stuck => stuck() && is_fault(system, Property::BadStates, &(control.clone(), queues.clone())),
        Property::Orphan => all_ended && messages_left,
        Property::Reception => machines.clone().any(|machine| {
            let leaving = leaving(machine);
            let waits = |op: Op| matches!(op, Op::Receive(channel, _) if !queues[channel].is_empty());
            !leaving.is_empty() && leaving.iter().all(|t| waits(t.op) && !possible(t.op))
        }),
        Property::BadStates => system.bad.iter().any(|bad| {
            let there = |(states, state): (&Option<Vec<usize>>, &usize)| {
                states.as_ref().is_none_or(|states| states.contains(state))
            };
            let encoded: Vec<Option<u32>> = queues
                .iter()
                .map(|queue| queue.iter().map(|&m| Some(m)).collect())
                .collect::<Vec<Vec<_>>>()
                .join(&None);
            bad.states.iter().zip(control).all(there)
                && bad.queues.as_ref().is_none_or(|regex| matches(regex, &encoded))
        }),
    }
}

/// Whether the word is one of the expression; `None` is the separator.
fn matches(regex: &Regex, word: &[Option<u32>]) -> bool {
    match regex {
        Regex::Empty => false,
        Regex::Epsilon => word.is_empty(),
        Regex::Letter(letter) => word == [Some(*letter)],
        Regex::Separator => word == [None],
        Regex::Concat(parts) => match parts.split_first() {
            None => word.is_empty(),
            Some((first, rest)) => (0..=word.len())
                .any(|cut| matches(first, &word[..cut]) && matches(&Regex::Concat(rest.to_vec()), &word[cut..])),
        },
        Regex::Alt(parts) => parts.iter().any(|part| matches(part, word)),
        Regex::Star(part) => word.is_empty() || matches(&Regex::Plus(part.clone()), word),
        Regex::Plus(part) => (0..=word.len()).any(|cut| {
            let rest = &word[cut..];
            matches(part, &word[..cut]) && (rest.is_empty() || cut > 0 && matches(&Regex::Plus(part.clone()), rest))
        }),
    }
}

/// Everything that one step leads to.
fn successors(system: &System, (control, queues): &Configuration) -> Vec<Configuration> {
    let mut all = Vec::new();
    for (machine, at) in control.iter().enumerate() {
        for transition in system.machines[machine].transitions.iter().filter(|t| t.from == *at) {
            let (mut control, mut queues) = (control.clone(), queues.clone());
            control[machine] = transition.to;
            match transition.op {
                Op::Internal => {}
                Op::Send(channel, message) => queues[channel].push(message),
                Op::Receive(channel, message) if queues[channel].first() == Some(&message) => {
                    queues[channel].remove(0);
                }
                Op::Receive(..) => continue,
            }
            all.push((control, queues));
        }
    }
    for channel in (0..queues.len()).filter(|&channel| system.is_lossy(channel)) {
        for position in 0..queues[channel].len() {
            let mut queues = queues.clone();
            queues[channel].remove(position);
            all.push((control.clone(), queues));
        }
    }
    all
}

/// `Some(true)` if a fault is reached, `Some(false)` if none is, `None` if there are too many configurations to know.
pub fn reaches_fault(system: &System, property: Property, most: usize) -> Option<bool> {
    let mut seen = BTreeSet::new();
    let mut starts: Vec<Vec<usize>> = vec![Vec::new()];
    for machine in &system.machines {
        let longer = |start: &Vec<usize>| {
            let start = start.clone();
            machine.initial.iter().map(move |&state| start.iter().copied().chain([state]).collect::<Vec<usize>>())
        };
        starts = starts.iter().flat_map(longer).collect();
    }
    let empty = vec![Vec::new(); system.channels.max(1)];
    let mut level: Vec<Configuration> = starts.into_iter().map(|start| (start, empty.clone())).collect();
    while !level.is_empty() {
        if level.iter().any(|configuration| is_fault(system, property, configuration)) {
            return Some(true);
        }
        let next = level.iter().flat_map(|configuration| successors(system, configuration));
        let next: BTreeSet<Configuration> = next.filter(|configuration| !seen.contains(configuration)).collect();
        seen.extend(next.iter().cloned());
        level = next.into_iter().collect();
        if seen.len() > most {
            return None;
        }
    }
    Some(false)
}

/// Whether a fault is reached with queues up to a length, among so many configurations.
pub fn reaches_fault_within(system: &System, property: Property, length: usize, most: usize) -> bool {
    let start = system.machines.iter().map(|machine| machine.initial[0]).collect();
    let mut work: std::collections::VecDeque<Configuration> =
        std::collections::VecDeque::from([(start, vec![Vec::new(); system.channels.max(1)])]);
    let mut seen: BTreeSet<Configuration> = work.iter().cloned().collect();
    while let Some(configuration) = work.pop_front() {
        if is_fault(system, property, &configuration) {
            return true;
        }
        let short = |(_, queues): &Configuration| queues.iter().all(|queue| queue.len() <= length);
        for next in successors(system, &configuration).into_iter().filter(short) {
            if seen.len() < most && seen.insert(next.clone()) {
                work.push_back(next);
            }
        }
    }
    false
}

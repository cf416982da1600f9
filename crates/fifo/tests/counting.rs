//! Relations between numbers of messages, on random systems: no step of a random walk changes one, and small ones that a naive
//! search over all weights finds follow from them.

use crate::support::{Random, alphabet, machine, seeds};
use fifo::counting::relations;
use fifo::{Configuration, Op, Run, Step, System, replay};
use model::queue_counts::Relation;

/// Few messages, and cycles that balance them more often than chance does.
fn system(random: &mut Random) -> System {
    let channels = 1 + random.below(3) as usize;
    let letters = 1 + random.below(2) as u32;
    let mut system = System {
        channels,
        alphabet: alphabet(&"ab"[..letters as usize]),
        lossy: (0..channels).map(|_| random.below(6) == 0).collect(),
        ..System::default()
    };
    for number in 0..1 + random.below(3) {
        let states = 1 + random.below(4) as usize;
        let mut transitions = Vec::new();
        for from in 0..states {
            for round in 0..1 + usize::from(random.below(3) == 0) {
                let (channel, message) =
                    (random.below(channels as u64) as usize, random.below(u64::from(letters)) as u32);
                let op = match random.below(5) {
                    0 => Op::Internal,
                    1 | 2 => Op::Receive(channel, message),
                    _ => Op::Send(channel, message),
                };
                let to = if round == 0 { (from + 1) % states } else { random.below(states as u64) as usize };
                transitions.push((from, op, to));
            }
        }
        system.machines.push(machine(&format!("m{number}"), states, &transitions));
    }
    system
}

/// The sum of a relation in a configuration.
fn sum(relation: &Relation, at: &Configuration) -> i64 {
    let places = relation.potentials.iter().zip(&at.control).map(|(of, &state)| of[state as usize]);
    let count = |channel: u32, letter: u32| {
        at.queues[channel as usize].iter().filter(|&&message| message + 1 == letter).count() as i64
    };
    let messages = relation.weights.iter().map(|&(channel, letter, weight)| weight * count(channel, letter));
    let sum: i64 = places.chain(messages).sum();
    relation.modulus.map_or(sum, |modulus| sum.rem_euclid(modulus.into()))
}

fn walk(system: &System, random: &mut Random) -> Vec<Configuration> {
    let initial = system.machines.iter().map(|machine| machine.initial[0] as u32).collect();
    let mut run = Run { initial, steps: Vec::new() };
    for _ in 0..60 {
        let mut steps: Vec<Step> = Vec::new();
        for (machine, of) in system.machines.iter().enumerate() {
            steps.extend((0..of.transitions.len()).map(|transition| Step::Move { machine, transition }));
        }
        steps.extend((0..system.channels).map(|channel| Step::Loss { channel, position: 0 }));
        let possible: Vec<Run> = steps
            .into_iter()
            .map(|step| Run { steps: run.steps.iter().copied().chain([step]).collect(), ..run.clone() })
            .filter(|longer| replay(system, longer).is_ok())
            .collect();
        if possible.is_empty() {
            break;
        }
        run = possible[random.below(possible.len() as u64) as usize].clone();
    }
    replay(system, &run).expect("a run")
}

/// Whether weights are those of a relation: each machine comes back to a location with what it had before, whatever it did.
fn is_kept(system: &System, weights: &[(usize, u32, i64)], modulus: Option<i64>) -> bool {
    let weight = |op: Op| match op {
        Op::Internal => 0,
        Op::Send(channel, message) => of(weights, channel, message),
        Op::Receive(channel, message) => -of(weights, channel, message),
    };
    let is_zero = |value: i64| modulus.map_or(value == 0, |modulus| value.rem_euclid(modulus) == 0);
    system.machines.iter().all(|machine| {
        let mut potentials: Vec<Option<i64>> = vec![None; machine.states.len()];
        for root in 0..machine.states.len() {
            potentials[root].get_or_insert(0);
            // As often as it takes: each pass gives one more location its potential.
            for _ in 0..machine.states.len() {
                for step in &machine.transitions {
                    match (potentials[step.from], potentials[step.to]) {
                        (Some(from), None) => potentials[step.to] = Some(from - weight(step.op)),
                        (None, Some(to)) => potentials[step.from] = Some(to + weight(step.op)),
                        _ => {}
                    }
                }
            }
        }
        machine.transitions.iter().all(|step| {
            let at = |state: usize| potentials[state].unwrap_or(0);
            is_zero(at(step.to) - at(step.from) + weight(step.op))
        })
    })
}

fn of(weights: &[(usize, u32, i64)], channel: usize, message: u32) -> i64 {
    weights.iter().find(|known| (known.0, known.1) == (channel, message)).map_or(0, |known| known.2)
}

/// The rank of a list of vectors modulo a prime.
fn rank(mut rows: Vec<Vec<i64>>, prime: i64) -> usize {
    let mut rank = 0;
    for column in 0..rows.first().map_or(0, Vec::len) {
        let Some(pivot) = (rank..rows.len()).find(|&row| rows[row][column].rem_euclid(prime) != 0) else { continue };
        rows.swap(rank, pivot);
        for row in rank + 1..rows.len() {
            while rows[row][column].rem_euclid(prime) != 0 {
                let above = rows[rank].clone();
                rows[row].iter_mut().zip(above).for_each(|(value, other)| *value = (*value + other).rem_euclid(prime));
            }
        }
        rank += 1;
    }
    rank
}

#[test]
fn relations_are_kept_and_complete() {
    let (mut exact, mut modular, mut missing) = (0, 0, 0);
    for seed in 0..seeds(300) {
        let mut random = Random::new(seed);
        let system = system(&mut random);
        let found = relations(&system);
        let configurations = walk(&system, &mut random);
        for relation in &found {
            let sums: Vec<i64> = configurations.iter().map(|at| sum(relation, at)).collect();
            assert!(sums.iter().all(|&value| value == sums[0]), "seed {seed}: {relation:?}\n{system:?}");
        }
        exact += found.iter().filter(|relation| relation.modulus.is_none()).count();
        modular += found.iter().filter(|relation| relation.modulus.is_some()).count();
        // Every exact relation with weights -1, 0, 1 follows from those that were found.
        let used = |op: Op| match op {
            Op::Send(channel, message) | Op::Receive(channel, message) => Some((channel, message)),
            Op::Internal => None,
        };
        let ops = system.machines.iter().flat_map(|machine| &machine.transitions).filter_map(|step| used(step.op));
        let mut names: Vec<(usize, u32)> = ops.filter(|&(channel, _)| !system.is_lossy(channel)).collect();
        names.sort_unstable();
        names.dedup();
        if names.len() > 5 {
            continue;
        }
        let vector = |relation: &Relation| -> Vec<i64> {
            let weight = |&(channel, message): &(usize, u32)| {
                let here = |known: &&(u32, u32, i64)| known.0 as usize == channel && known.1 == message + 1;
                relation.weights.iter().find(here).map_or(0, |known| known.2)
            };
            names.iter().map(weight).collect()
        };
        let basis: Vec<Vec<i64>> = found.iter().filter(|one| one.modulus.is_none()).map(vector).collect();
        for number in 0..3usize.pow(names.len() as u32) {
            let digits = (0..names.len()).map(|at| (number / 3usize.pow(at as u32)) as i64 % 3 - 1);
            let weights: Vec<(usize, u32, i64)> =
                names.iter().zip(digits).map(|(name, w)| (name.0, name.1, w)).collect();
            if !is_kept(&system, &weights, None) {
                continue;
            }
            let longer = basis.iter().cloned().chain([weights.iter().map(|weight| weight.2).collect()]).collect();
            missing += usize::from(rank(longer, 1_009) > rank(basis.clone(), 1_009));
        }
    }
    assert_eq!(missing, 0);
    assert!(exact > 50 && modular > 10, "{exact} exact, {modular} modular");
}

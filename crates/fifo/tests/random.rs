//! Random systems: all methods agree where they know, and none contradicts plain search.

#![allow(clippy::print_stdout)]

use crate::support::{Random, alphabet, machine, naive, seeds};
use fifo::{Bad, CegarSettings, Generator, Limits, Method, Op, Pass, Property, System, Verdict, check, replay};
use model::context::Context;
use model::reason::Reason;
use queues::{Apart, Bisimulation, BoundedLanguages, Direction, Extrapolation, Regex};
use std::sync::Arc;

/// 2 to 4 machines, 1 to 3 channels, 1 to 3 messages, reliable and lossy.
fn system(random: &mut Random) -> System {
    let channels = 1 + random.below(3) as usize;
    let letters = 1 + random.below(3) as u32;
    let machines = 2 + random.below(3) as usize;
    let mut system = System {
        channels,
        alphabet: alphabet(&"abc"[..letters as usize]),
        lossy: (0..channels).map(|_| random.below(3) == 0).collect(),
        machines: Vec::new(),
        bad: Vec::new(),
    };
    for number in 0..machines {
        let states = 2 + random.below(3) as usize;
        let count = states as u64 + random.below(3);
        let transitions: Vec<(usize, Op, usize)> = (0..count)
            .map(|at| {
                let from = if at < states as u64 { at as usize } else { random.below(states as u64) as usize };
                let to = random.below(states as u64) as usize;
                let (channel, message) =
                    (random.below(channels as u64) as usize, random.below(u64::from(letters)) as u32);
                let op = match random.below(9) {
                    0 => Op::Internal,
                    1..=3 => Op::Send(channel, message),
                    _ => Op::Receive(channel, message),
                };
                (from, op, to)
            })
            .collect();
        let mut machine = machine(&format!("m{number}"), states, &transitions);
        if random.below(5) == 0 {
            machine.initial.push(random.below(states as u64) as usize);
        }
        system.machines.push(machine);
    }
    let states = |random: &mut Random, machine: usize| {
        let count = system.machines[machine].states.len() as u64;
        (random.below(2) == 0).then(|| vec![random.below(count) as usize])
    };
    let states = (0..machines).map(|machine| states(random, machine)).collect();
    let queues = (random.below(2) == 0).then(|| queues(random, channels, letters));
    system.bad.push(Bad { states, queues });
    system
}

fn queues(random: &mut Random, channels: usize, letters: u32) -> Regex {
    let mut parts = Vec::new();
    for channel in 0..channels {
        parts.extend((channel > 0).then_some(Regex::Separator));
        match random.below(3) {
            0 => parts.push(Regex::Letter(random.below(u64::from(letters)) as u32)),
            1 => {}
            _ => {
                parts.push(Regex::Letter(random.below(u64::from(letters)) as u32));
                parts.push(Regex::any(0..letters));
            }
        }
    }
    Regex::Concat(parts)
}

fn methods() -> Vec<Method> {
    let rho = |direction| Arc::new(Bisimulation::rho(direction)) as Arc<dyn Extrapolation>;
    let cegar = |generator, pass, extrapolation| {
        Method::Cegar(CegarSettings { generator, pass, extrapolation, iterations: Some(60) })
    };
    vec![
        Method::Search,
        Method::AbsInt(rho(Direction::Forward)),
        Method::AbsInt(Arc::new(BoundedLanguages)),
        Method::AbsInt(Arc::new(Apart(rho(Direction::Both)))),
        cegar(Generator::Uniform, Pass::Forward, Arc::new(Bisimulation::rho_second(Direction::Forward))),
        cegar(Generator::Uniform, Pass::Backward, rho(Direction::Backward)),
        cegar(Generator::Adaptive, Pass::Forward, rho(Direction::Both)),
        cegar(Generator::Adaptive, Pass::Backward, rho(Direction::Forward)),
        Method::Armc(rho(Direction::Forward)),
        Method::Auto,
    ]
}

#[derive(Default, Debug)]
struct Tally {
    safe: usize,
    safe_but_not_finite: usize,
    violated: usize,
    open: usize,
    lossy: usize,
}

#[test]
fn all_methods_agree() {
    let mut tally = Tally::default();
    let properties = [
        Property::BadStates,
        Property::BadStates,
        Property::Deadlock,
        Property::Stuck,
        Property::Reception,
        Property::Orphan,
    ];
    for seed in testing::first(0)..testing::first(0) + seeds(400) {
        let mut random = Random::new(seed);
        let system = system(&mut random);
        let property = properties[random.below(properties.len() as u64) as usize];
        let naive = naive::reaches_fault(&system, property, 300);
        let mut known: Option<(bool, String)> = naive.map(|faulty| (!faulty, "a naive search".into()));
        let mut by_search = false;
        for method in methods() {
            let limits = Limits { steps: Some(150_000), ..Limits::default() };
            let report = check(&system, property, &method, &limits, &Context::unlimited());
            let answer = match &report.verdict {
                Verdict::Safe(_) | Verdict::Finite => Some(true),
                Verdict::Unsafe(run) => {
                    let last = replay(&system, run).expect("a run").pop().expect("a configuration");
                    let last = (last.control.iter().map(|&state| state as usize).collect(), last.contents());
                    assert!(naive::is_fault(&system, property, &last), "seed {seed} {property:?} {method:?}: {last:?}");
                    Some(false)
                }
                Verdict::Inconclusive(Reason::Limit(_) | Reason::States | Reason::Memory | Reason::NotProvable(_)) => {
                    None
                }
                Verdict::Inconclusive(reason) => panic!("seed {seed} {property:?} {method:?}: {reason}"),
            };
            let Some(answer) = answer else { continue };
            by_search |= matches!(method, Method::Search);
            match &known {
                None => known = Some((answer, format!("{method:?}"))),
                Some((before, by)) => {
                    assert_eq!(*before, answer, "seed {seed} {property:?}: {by} against {method:?}\n{system:?}");
                }
            }
        }
        tally.lossy += usize::from(system.lossy.contains(&true));
        match known {
            Some((true, _)) => tally.safe += 1,
            Some((false, _)) => tally.violated += 1,
            None => tally.open += 1,
        }
        tally.safe_but_not_finite += usize::from(matches!(known, Some((true, _))) && !by_search);
    }
    println!("{tally:?}");
    assert!(tally.safe > 0 && tally.violated > 0);
}

/// Numbers of states, channels and messages that may or may not exist.
#[test]
fn odd_systems_are_refused_or_answered() {
    for seed in testing::first(0)..testing::first(0) + seeds(300) {
        let mut random = Random::new(seed);
        let mut odd = system(&mut random);
        let machine = random.below(odd.machines.len() as u64) as usize;
        let number = random.below(6) as usize;
        match random.below(7) {
            0 => odd.channels = number,
            1 => odd.alphabet.truncate(number),
            2 => odd.machines[machine].states.truncate(number),
            3 => odd.machines[machine].initial = vec![number; number],
            4 => odd.bad[0].states.truncate(number),
            5 => odd.lossy = vec![true; number],
            _ => odd.bad[0].queues = Some(Regex::Alt(vec![Regex::Separator; number])),
        }
        for method in methods() {
            let limits = Limits { steps: Some(20_000), ..Limits::default() };
            let report = check(&odd, Property::BadStates, &method, &limits, &Context::unlimited());
            let unconfirmed = matches!(report.verdict, Verdict::Inconclusive(Reason::Internal(_)));
            assert!(!unconfirmed, "seed {seed} {method:?}: {:?}", report.verdict);
        }
    }
}

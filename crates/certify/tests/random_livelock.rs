//! Livelock, fair or not, with states left out or not, against the checker's own decision on random models.
//!
//! The checker visits everything with the plainest code, and knows no reduction. `HIGHWATER_SEEDS=N` tries N models.

use certify::Refusal;
use explore::Options;
use explore::liveness::Setting;
use explore::progress::ProgressOf;
use explore::reduction::Mode;
use model::budget::Budget;
use model::context::Context;
use model::event::Event;
use model::fairness::Fairness;
use model::semantics::{Reading, Semantics};
use model::verdict::{Certificate, Property, Reason, Verdict};
use testing::models::loops;

/// Larger models are left to others.
const MOST_STATES: u64 = 3_000;

/// What was compared: violated, proved, proved although states were left out, proved for fair runs only, weakly or
/// strongly.
type Counts = [usize; 5];

fn compare(seed: u64, events: &[&str], counts: &mut Counts) {
    let text = loops::model(seed, events.is_empty());
    let read = promela::read("random.pml", &text, &promela::preprocess::Options::default());
    let Some(network) = read.network else { return };
    let semantics = Semantics::new(&network, Reading::Declared);
    let Ok(named) =
        events.iter().map(|e| Ok((e.to_string(), Event::parse(e, &network)?))).collect::<Result<Vec<_>, String>>()
    else {
        return;
    };
    let progress = if named.is_empty() { ProgressOf::Labels } else { ProgressOf::Named(&named) };
    let names: Vec<String> = events.iter().map(|e| e.to_string()).collect();
    let few = Budget::unlimited().states(MOST_STATES);
    let small = explore::progress::search(&semantics, &ProgressOf::Labels, &Context::silent(&few));
    if small.stopped == Some(Reason::States) {
        return;
    }
    for fair in [Fairness::None, Fairness::Weak, Fairness::Strong] {
        let twin = Certificate::Searched { fair, events: names.clone() };
        let twin = certify::verify(&semantics, &Property::Livelock, &twin, &Context::unlimited());
        for (reduction, jobs) in [(Mode::Off, 1), (Mode::On, 1), (Mode::Off, 2), (Mode::On, 3)] {
            // Several threads work from the first state on or from the thirteenth; they pack states or do not.
            let (alone, room) = ((seed % 2 * 12) as usize, if seed.is_multiple_of(3) { 0 } else { u64::MAX });
            let options = &Options { jobs, alone, long: 0, room, ..Options::reducing(reduction) };
            let (sources, cx) = (&read.sources, Context::unlimited());
            let outcome = Setting { semantics: &semantics, sources, fair, options, cx }.livelock(&progress);
            let context = || format!("seed {seed}, fair {fair:?}, {reduction:?}, {jobs}, {events:?}: {twin:?}\n{text}");
            match (&outcome.verdict, &twin) {
                (Verdict::Proved, Ok(())) => {
                    let certificate = outcome.certificate.expect("a proof has a certificate");
                    let accepted =
                        certify::verify(&semantics, &Property::Livelock, &certificate, &Context::unlimited());
                    assert_eq!(accepted, Ok(()), "{}", context());
                    counts[1] += 1;
                    match certificate {
                        Certificate::Searched { fair: Fairness::Strong, .. } => counts[4] += 1,
                        Certificate::Searched { fair: Fairness::Weak, .. } => counts[3] += 1,
                        Certificate::Searched { .. } => counts[2] += 1,
                        _ => {}
                    }
                }
                (Verdict::Violated, Err(Refusal::Violated(_))) => {
                    assert!(outcome.witness.is_some_and(|run| run.loop_from.is_some()), "{}", context());
                    counts[0] += 1;
                }
                (Verdict::Inconclusive(Reason::Crash(_)), Err(_)) => {}
                (other, _) => panic!("{other:?} {}", context()),
            }
        }
    }
}

fn seeds() -> u64 {
    testing::seeds(400)
}

#[test]
fn livelock_is_what_the_checker_says() {
    let mut counts = Counts::default();
    for seed in 0..seeds() {
        compare(seed, &[], &mut counts);
        compare(seed + 500_000, &["c0!0"], &mut counts);
        compare(seed + 700_000, &["c0?1", "c0!_"], &mut counts);
    }
    assert!(counts.iter().all(|&count| count > 5), "too few of a kind: {counts:?}");
}

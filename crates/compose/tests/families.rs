//! The families of Fig. 10, for sizes that the paper did not reach.

use crate::support::{METHODS, ask_within, butler, philosophers, readers_writers, verdict};
use compose::{Method, Question, Verdict};
use model::budget::Budget;
use model::composition::Composition;
use std::time::{Duration, Instant};

#[test]
fn small_ones_by_every_method() {
    for method in METHODS {
        assert_eq!(verdict(&philosophers(4, true), Question::Deadlock, method), Ok(false));
        assert_eq!(verdict(&philosophers(4, false), Question::Deadlock, method), Ok(true));
        assert_eq!(verdict(&readers_writers(3), Question::Deadlock, method), Ok(true));
        assert_eq!(verdict(&butler(3), Question::Deadlock, method), Ok(true));
    }
}

#[test]
fn fifty_of_each_by_default() {
    assert_eq!(verdict(&philosophers(50, true), Question::Deadlock, Method::Auto), Ok(false));
    assert_eq!(verdict(&philosophers(50, false), Question::Deadlock, Method::Auto), Ok(true));
    assert_eq!(verdict(&readers_writers(50), Question::Deadlock, Method::Auto), Ok(true));
}

/// A table of times and states, for `cargo test --release -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
#[allow(clippy::print_stdout)]
fn growth() {
    let families: [(&str, &dyn Fn(u32) -> Composition); 4] = [
        ("DPD", &|n| philosophers(n, true)),
        ("DPN", &|n| philosophers(n, false)),
        ("RW", &readers_writers),
        ("butler", &butler),
    ];
    for (name, family) in families {
        for count in [5, 6, 7, 8, 10, 20, 50, 100] {
            let composition = family(count);
            for method in METHODS {
                let start = Instant::now();
                let limits = Budget::unlimited().timeout(Duration::from_secs(10)).memory(3 << 30);
                let answer = ask_within(&composition, Question::Deadlock, method, &limits);
                let what = match answer.verdict {
                    Verdict::Holds(_) => String::from("holds"),
                    Verdict::Fails(run) => format!("fails after {}", run.steps.len()),
                    Verdict::Inconclusive(reason) => reason.code().to_owned(),
                };
                let statistics = answer.statistics;
                println!(
                    "{name}-{count} {method:?} {what} {:.3}s states {} iterations {} by {}, {} kB",
                    start.elapsed().as_secs_f64(),
                    statistics.abstract_states,
                    statistics.iterations,
                    statistics.method,
                    statistics.memory_bytes / 1000,
                );
            }
        }
    }
}

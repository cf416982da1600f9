#![allow(clippy::print_stdout)]
mod support;
use fifo::*;
use queues::*;
use std::sync::Arc;
fn loops(system: &System, settings: CegarSettings) -> (usize, usize, usize) {
    let limits = Limits { steps: Some(200_000_000), ..Limits::default() };
    let mut cegar = Cegar::new(system, Property::BadStates, settings, &limits).expect("a system");
    let mut count = 0;
    loop {
        match cegar.iterate(&mut Silent) {
            Ok(cegar::Progress::Refined) => count += 1,
            Ok(_) => break,
            Err(_) => return (count, 0, 0),
        }
    }
    let (s, t) = cegar.whole_size().unwrap_or_default();
    (count, s, t)
}
#[test]
fn variants() {
    let base = |g, p, d| (g, p, d);
    let targets = [
        ("ABP_safe", base(Generator::Adaptive, Pass::Backward, Direction::Forward), "47 90/526"),
        ("nested", base(Generator::Adaptive, Pass::Backward, Direction::Forward), "65 81/313"),
        ("nested", base(Generator::Adaptive, Pass::Forward, Direction::Forward), "244 261/1173"),
        ("nonreg", base(Generator::Adaptive, Pass::Backward, Direction::Forward), "8 21/47"),
        ("peterson", base(Generator::Adaptive, Pass::Forward, Direction::Backward), "33 10689/56802"),
        ("cd", base(Generator::Adaptive, Pass::Backward, Direction::Forward), "6 11/34"),
    ];
    for (name, (generator, pass, direction), goal) in targets {
        let Some(system) = support::published_model(name) else { return };
        for colouring in [Colouring::Standard, Colouring::BeginsAndEnds] {
            for start in [Start::Coloured, Start::MergedThenColoured, Start::Merged] {
                for order in 0..4 {
                    let mut sys = system.clone();
                    if order & 1 == 1 {
                        for m in &mut sys.machines {
                            m.transitions.reverse();
                        }
                    }
                    if order & 2 == 2 {
                        sys.machines.reverse();
                        for b in &mut sys.bad {
                            b.states.reverse();
                        }
                    }
                    let e = Arc::new(Bisimulation { direction, colouring, start });
                    let r = loops(&sys, CegarSettings { generator, pass, extrapolation: e, iterations: None });
                    println!("{name:10} goal {goal:15} {colouring:?} {start:?} {order} -> {r:?}");
                }
            }
        }
    }
}

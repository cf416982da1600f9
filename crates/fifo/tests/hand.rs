//! Small systems by hand: properties by name, losses, limits, and what is not a system.

use crate::support::{alphabet, machine};
use fifo::{
    Bad, CegarSettings, Generator, Limits, Method, Op, Pass, Property, Run, Step, System, Transition, Verdict, check,
    replay,
};
use model::budget::Budget;
use model::context::Context;
use model::observer::{Event, Observer, Topic};
use model::reason::Reason;
use queues::{Bisimulation, Direction, Regex};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const A: u32 = 0;
const B: u32 = 1;

fn pair(channels: usize, one: &[(usize, Op, usize)], other: &[(usize, Op, usize)]) -> System {
    let states = |transitions: &[(usize, Op, usize)]| {
        transitions.iter().map(|&(from, _, to)| from.max(to) + 1).max().unwrap_or(1)
    };
    System {
        channels,
        alphabet: alphabet("ab"),
        lossy: vec![],
        machines: vec![machine("one", states(one), one), machine("other", states(other), other)],
        bad: vec![],
    }
}

fn ask(system: &System, property: Property) -> Verdict {
    check(system, property, &Method::Auto, &Limits::default(), &Context::unlimited()).verdict
}

fn run(verdict: Verdict) -> Run {
    match verdict {
        Verdict::Unsafe(run) => run,
        other => panic!("{other:?}"),
    }
}

fn is_safe(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Safe(_))
}

#[test]
fn deadlock_is_waiting_for_what_does_not_come() {
    let both_wait = pair(2, &[(0, Op::Receive(0, A), 1)], &[(0, Op::Receive(1, A), 1)]);
    assert_eq!(run(ask(&both_wait, Property::Deadlock)).steps, []);
    let one_starts = pair(
        2,
        &[(0, Op::Send(1, A), 1), (1, Op::Receive(0, A), 0)],
        &[(0, Op::Receive(1, A), 1), (1, Op::Send(0, A), 0)],
    );
    assert!(is_safe(&ask(&one_starts, Property::Deadlock)));
    // The end of everything is no deadlock, unless a message is left.
    let ends = pair(1, &[(0, Op::Send(0, A), 1)], &[(0, Op::Receive(0, A), 1)]);
    assert!(is_safe(&ask(&ends, Property::Deadlock)));
    let leaves = pair(1, &[(0, Op::Send(0, A), 1), (1, Op::Send(0, A), 2)], &[(0, Op::Receive(0, A), 1)]);
    assert_eq!(run(ask(&leaves, Property::Deadlock)).steps.len(), 3);
}

#[test]
fn reception_is_about_heads_that_nobody_takes() {
    let unexpected = pair(1, &[(0, Op::Send(0, B), 1)], &[(0, Op::Receive(0, A), 1)]);
    assert_eq!(run(ask(&unexpected, Property::Reception)).steps.len(), 1);
    // A machine that may also send, or waits at a channel that is still empty, can go on.
    let may_send = pair(1, &[(0, Op::Send(0, B), 1)], &[(0, Op::Receive(0, A), 1), (0, Op::Send(0, A), 1)]);
    assert!(is_safe(&ask(&may_send, Property::Reception)));
    let waits = pair(2, &[(0, Op::Send(0, B), 1)], &[(0, Op::Receive(0, A), 1), (0, Op::Receive(1, A), 1)]);
    assert!(is_safe(&ask(&waits, Property::Reception)));
    // Machines without transitions receive nothing and miss nothing.
    let ended = pair(1, &[(0, Op::Send(0, B), 1)], &[]);
    assert!(is_safe(&ask(&ended, Property::Reception)));
}

#[test]
fn an_orphan_is_left_when_all_have_ended() {
    let left = pair(1, &[(0, Op::Send(0, A), 1), (1, Op::Send(0, B), 2)], &[(0, Op::Receive(0, A), 1)]);
    assert_eq!(run(ask(&left, Property::Orphan)).steps.len(), 3);
    let goes_on = pair(1, &[(0, Op::Send(0, A), 0)], &[(0, Op::Receive(0, A), 1)]);
    assert!(is_safe(&ask(&goes_on, Property::Orphan)));
}

/// A sender of `ab`, and a receiver that is bad when it gets `b` first.
fn overtaking(lossy: bool) -> System {
    let mut system = pair(
        1,
        &[(0, Op::Send(0, A), 1), (1, Op::Send(0, B), 0)],
        &[(0, Op::Receive(0, A), 1), (1, Op::Receive(0, B), 0), (0, Op::Receive(0, B), 2)],
    );
    system.lossy = vec![lossy];
    system.bad = vec![Bad { states: vec![None, Some(vec![2])], queues: None }];
    system
}

fn methods() -> Vec<Method> {
    let rho = || Arc::new(Bisimulation::rho(Direction::Forward));
    let cegar =
        |generator, pass| Method::Cegar(CegarSettings { generator, pass, extrapolation: rho(), iterations: None });
    vec![
        Method::Search,
        Method::Armc(rho()),
        cegar(Generator::Uniform, Pass::Forward),
        cegar(Generator::Uniform, Pass::Backward),
        cegar(Generator::Adaptive, Pass::Forward),
        cegar(Generator::Adaptive, Pass::Backward),
        Method::Auto,
    ]
}

#[test]
fn losses_are_steps_of_the_run() {
    assert!(is_safe(&ask(&overtaking(false), Property::BadStates)));
    let lossy = overtaking(true);
    for method in methods() {
        let report = check(&lossy, Property::BadStates, &method, &Limits::default(), &Context::unlimited());
        let run = run(report.verdict);
        assert_eq!(run.steps.len(), 4, "{method:?}: {run:?}");
        assert!(run.steps.contains(&Step::Loss { channel: 0, position: 0 }), "{method:?}: {run:?}");
        assert_eq!(replay(&lossy, &run).expect("a run").len(), 5);
    }
}

#[test]
fn every_method_proves_what_needs_no_bound() {
    let rho = Arc::new(Bisimulation::rho(Direction::Forward));
    for method in methods().into_iter().skip(1).chain([Method::AbsInt(rho)]) {
        let report = check(&overtaking(false), Property::BadStates, &method, &Limits::default(), &Context::unlimited());
        let Verdict::Safe(invariant) = report.verdict else { panic!("{method:?}") };
        assert_eq!(invariant.reached.len(), 4, "{method:?}");
    }
}

#[test]
fn the_invariant_can_be_read() {
    let rho = Arc::new(Bisimulation::rho(Direction::Forward));
    let verdict =
        check(&overtaking(false), Property::BadStates, &Method::AbsInt(rho), &Limits::default(), &Context::unlimited())
            .verdict;
    let Verdict::Safe(mut invariant) = verdict else { panic!("{verdict:?}") };
    let table = invariant.table(&overtaking(false)).expect("no limit");
    let row = |states: [&str; 2], queues: &str| (states.map(String::from).to_vec(), queues.to_string());
    assert_eq!(table[0], row(["0", "0"], "(a.b)^*"));
    assert_eq!(table.len(), 4);
}

/// Can be neither proved by counting up nor refuted: the queue has as many `a` as the other has `b`.
fn endless() -> System {
    let mut system = pair(2, &[(0, Op::Send(0, A), 1), (1, Op::Send(1, B), 0)], &[(0, Op::Receive(0, B), 1)]);
    system.bad = vec![Bad { states: vec![None, Some(vec![1])], queues: None }];
    system
}

#[test]
fn limits_are_kept_and_named() {
    let endless_search = |limits: &Limits, budget: &Budget| match check(
        &endless(),
        Property::BadStates,
        &Method::Search,
        limits,
        &Context::silent(budget),
    )
    .verdict
    {
        Verdict::Inconclusive(reason) => reason,
        other => panic!("{other:?}"),
    };
    let begun = Instant::now();
    let soon = Budget::unlimited().timeout(Duration::from_millis(50));
    assert_eq!(endless_search(&Limits::default(), &soon), Reason::Timeout);
    assert!(begun.elapsed() < Duration::from_secs(2));
    let memory = Limits { memory: Some(100_000), ..Limits::default() };
    assert_eq!(endless_search(&memory, &Budget::unlimited()), Reason::Memory);
    let (budget, stop) = Budget::unlimited().linked();
    let stopped = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            stop.cancel();
        });
        endless_search(&Limits::default(), &budget)
    });
    assert_eq!(stopped, Reason::Interrupted);
    assert!(is_safe(&ask(&endless(), Property::BadStates)));
}

#[test]
fn several_threads_give_the_same_verdicts() {
    let limits = Limits { threads: Some(3), ..Limits::default() };
    let ask =
        |system: &System| check(system, Property::BadStates, &Method::Auto, &limits, &Context::unlimited()).verdict;
    assert!(is_safe(&ask(&overtaking(false))) && is_safe(&ask(&endless())));
    assert_eq!(run(ask(&overtaking(true))).steps.len(), 4);
    let Verdict::Safe(mut invariant) = ask(&overtaking(false)) else { panic!("safe before") };
    let (_, language) = invariant.reached[0];
    assert!(invariant.languages.describe(language, &|letter| letter.to_string()).is_ok(), "nothing stops a reader");
}

#[test]
fn when_memory_is_full_search_makes_room() {
    // Without slices, the search alone fills any memory; in the portfolio, others go on.
    let limits = Limits { memory: Some(60_000), ..Limits::default() };
    let verdict = check(&endless(), Property::BadStates, &Method::Auto, &limits, &Context::unlimited()).verdict;
    assert!(is_safe(&verdict), "{verdict:?}");
}

/// Ten machines of a hundred states each: the product must not be unfolded.
#[test]
fn the_product_is_unfolded_on_the_way() {
    let chain: Vec<(usize, Op, usize)> = (0..99).map(|state| (state, Op::Send(0, A), state + 1)).collect();
    let machines = (0..10).map(|number| machine(&format!("m{number}"), 100, &chain)).collect();
    let bad = Bad { states: vec![Some(vec![1]), Some(vec![2])], queues: None };
    let system = System { channels: 1, alphabet: alphabet("a"), lossy: vec![], machines, bad: vec![bad] };
    for method in methods() {
        let report = check(&system, Property::BadStates, &method, &Limits::default(), &Context::unlimited());
        assert!(report.statistics.controls < 5_000, "{method:?} unfolds {}", report.statistics.controls);
        assert_eq!(run(report.verdict).steps.len(), 3);
    }
}

#[test]
fn what_is_not_a_system_is_refused() {
    let refused = |system: &System| match ask(system, Property::BadStates) {
        Verdict::Inconclusive(Reason::NotSupported(why)) => why,
        other => panic!("{other:?}"),
    };
    let mut system = endless();
    system.machines[0].initial = vec![7];
    assert_eq!(refused(&system), "machine 'one' has no state 7");
    let mut system = endless();
    system.machines[0].transitions.push(Transition { from: 0, op: Op::Send(5, A), to: 0, origin: 0 });
    assert_eq!(refused(&system), "there is no channel 5");
    let mut system = endless();
    system.machines[1].transitions.push(Transition { from: 0, op: Op::Send(0, 9), to: 0, origin: 0 });
    assert_eq!(refused(&system), "there is no message 9");
    let mut system = endless();
    system.bad.push(Bad { states: vec![], queues: Some(Regex::Letter(A)) });
    assert_eq!(refused(&system), "bad configuration 1: the number of '#' in every word of the expression must be 1");
}

#[test]
fn too_many_initial_states_are_a_limit() {
    let mut many = endless();
    let mut chain = machine("many", 100, &[]);
    chain.initial = (0..100).collect();
    many.machines = vec![chain; 30];
    many.bad.clear();
    let limits = Limits { memory: Some(1 << 20), ..Limits::default() };
    let verdict = check(&many, Property::BadStates, &Method::Auto, &limits, &Context::unlimited()).verdict;
    assert!(matches!(verdict, Verdict::Inconclusive(Reason::States)), "{verdict:?}");
}

#[test]
fn nothing_at_all_is_safe() {
    let nothing = System::default();
    assert!(is_safe(&ask(&nothing, Property::BadStates)));
    let nowhere_to_begin = System { machines: vec![fifo::Machine::default()], ..System::default() };
    assert!(is_safe(&ask(&nowhere_to_begin, Property::Deadlock)));
}

#[test]
fn the_story_is_told_in_order() {
    #[derive(Default)]
    struct Words(Mutex<Vec<String>>);
    impl Observer for Words {
        fn wants(&self, topic: Topic) -> bool {
            topic == Topic::Refinement
        }
        fn event(&self, event: &Event<'_>) {
            if let Event::Refinement(line) = event {
                self.0.lock().unwrap().push((*line).to_owned());
            }
        }
    }
    let words = Words::default();
    let extrapolation = Arc::new(Bisimulation::rho_second(Direction::Forward));
    let settings =
        CegarSettings { generator: Generator::Uniform, pass: Pass::Forward, extrapolation, iterations: None };
    let system = overtaking(false);
    let cx = Context::new(Context::unlimited().budget, &words);
    let report = check(&system, Property::BadStates, &Method::Cegar(settings), &Limits::default(), &cx);
    assert!(is_safe(&report.verdict));
    let lines = words.0.lock().unwrap();
    assert_eq!(lines[0], "iteration 0: an abstract run of 1 steps, spurious", "{lines:#?}");
    let first = lines.iter().find(|line| line.trim_start().starts_with("split")).expect("a class is split");
    assert!(first.starts_with("  split (0, 0): _  |"), "{first}");
}

//! Why processes wait, on random walks through random models: a statement that is taken was not called blocked, and one
//! that was blocked is executable later only if a process has moved that was said to be able to unblock it.

use model::chart::{Blocked, Waits};
use model::semantics::{Reading, Semantics, Step};
use model::trace::Narrator;
use testing::Random;
use testing::models::{ends, loops};

const STEPS: usize = 60;

/// A process that waits since an earlier position of the walk.
struct Waiting {
    process: usize,
    /// The alternatives, as they were then.
    events: Vec<Option<Blocked>>,
    /// The lanes that have moved since.
    moved: Vec<usize>,
    /// A process was created since, which is in no reason.
    created: bool,
}

/// The processes that take part in a step.
fn movers(step: Step) -> Vec<usize> {
    match step {
        Step::Edge { process, .. } => vec![process as usize],
        Step::Rendezvous { sender, receiver } => vec![sender.0 as usize, receiver.0 as usize],
        Step::Loss { .. } => Vec::new(),
    }
}

/// Walks through a model; returns how many times a statement was unblocked.
fn walk(seed: u64, text: &str, reading: Reading) -> usize {
    let read = promela::read("random.pml", text, &promela::preprocess::Options::default());
    let network = read.network.unwrap_or_else(|| panic!("seed {seed}: {:?}\n{text}", read.diagnostics));
    let semantics = Semantics::new(&network, reading);
    let (mut stepper, mut narrator) = (semantics.stepper(), Narrator::new(&semantics, &read.sources));
    let mut random = Random::new(seed);
    let Ok(Ok(mut state)) = stepper.initial() else { return 0 };
    let (mut control, mut earlier, mut unblocked): (_, Vec<Waiting>, _) = (None, Vec::new(), 0);
    for _ in 0..STEPS {
        let now = narrator.waiting(&state);
        let owner = control.filter(|&process| stepper.keeps_control(&state, process) == Ok(true));
        let mut successors = Vec::new();
        let expanded = stepper.expand(&state, owner, &mut |next| {
            successors.push((next.step, next.state.map(<[u8]>::to_vec), next.control));
        });
        if expanded.is_err() || successors.is_empty() {
            break;
        }
        for (step, ..) in &successors {
            if let Step::Edge { process, edge } = step {
                let at = stepper_place(&semantics, &state, *process as usize);
                let number = network.machine(at.0).locations[at.1.index()].edges.iter().position(|e| e == edge);
                let awaited = number.map(|number| &now[*process as usize].events[number]);
                assert!(
                    awaited.is_none_or(|awaited| awaited.blocked.is_none()),
                    "seed {seed}: {awaited:?} is taken\n{text}"
                );
            }
        }
        let (step, next, next_control) = successors.swap_remove(random.below(successors.len()));
        let Some(next) = next else { break };
        let moved = movers(step);
        let after = narrator.waiting(&next);
        earlier.retain(|waiting| !moved.contains(&waiting.process) && waiting.process < after.len());
        for (process, waits) in now.iter().enumerate() {
            let known = earlier.iter().any(|waiting| waiting.process == process);
            if !known && !moved.contains(&process) && process < after.len() {
                earlier.push(Waiting { process, events: blocks(waits), moved: Vec::new(), created: false });
            }
        }
        for waiting in &mut earlier {
            waiting.created |= after.len() > now.len();
            waiting.moved.extend(moved.iter().map(|&process| now[process].lane));
            for (then, now) in waiting.events.iter_mut().zip(&after[waiting.process].events) {
                let Some(blocked) = then.take_if(|_| now.blocked.is_none()) else { continue };
                let able = waiting.moved.iter().any(|lane| blocked.lanes.contains(lane));
                assert!(
                    able || waiting.created,
                    "seed {seed}: {step:?} unblocks {now:?}, which was {blocked:?}\n{text}"
                );
                unblocked += 1;
            }
        }
        (state, control) = (next, next_control);
    }
    unblocked
}

fn blocks(waits: &Waits) -> Vec<Option<Blocked>> {
    waits.events.iter().map(|awaited| awaited.blocked.clone()).collect()
}

fn stepper_place(
    semantics: &Semantics<'_>,
    state: &[u8],
    process: usize,
) -> (model::ids::MachineId, model::ids::LocationId) {
    let mut stepper = semantics.stepper();
    stepper.load(state);
    stepper.loaded_place(process)
}

#[test]
fn what_unblocks_a_statement_was_said_to_be_able_to() {
    let mut unblocked = 0;
    for seed in 0..testing::seeds(400) {
        let reading = if seed % 4 == 0 { Reading::Unbounded } else { Reading::Declared };
        unblocked += walk(seed, &ends::model(seed), reading) + walk(seed, &loops::model(seed, false), reading);
    }
    assert!(unblocked > 200, "{unblocked}");
}

/// The reasons for which the first process waits in the only state without successors, and who could unblock it.
fn reasons(text: &str) -> Vec<String> {
    let read = promela::read("test.pml", text, &promela::preprocess::Options::default());
    let network = read.network.unwrap_or_else(|| panic!("{:?}\n{text}", read.diagnostics));
    let semantics = Semantics::new(&network, Reading::Declared);
    let (mut stepper, mut steps) = (semantics.stepper(), Vec::new());
    let mut next = stepper.initial().expect("no limit").ok();
    while let Some(state) = next.take() {
        let mut taken = |successor: model::semantics::Successor<'_>| {
            if next.is_none() {
                steps.push(successor.step);
                next = successor.state.map(<[u8]>::to_vec);
            }
        };
        stepper.expand(&state, None, &mut taken).expect("no limit");
    }
    let mut narrator = Narrator::new(&semantics, &read.sources);
    let replayed = narrator.replay(&steps).expect("a run");
    let chart = narrator.chart(replayed);
    let words = |blocked: &Blocked| {
        let lanes: Vec<String> = blocked.lanes.iter().map(|&lane| chart.lane_name(lane)).collect();
        format!("{} [{}]", blocked.why, lanes.join(" "))
    };
    chart.waiting[0].events.iter().map(|awaited| awaited.blocked.as_ref().map_or_else(String::new, words)).collect()
}

#[test]
fn reasons_have_values_and_who_could_change_them() {
    let channels = "chan a = [1] of { byte }; chan b = [1] of { byte }; chan r = [0] of { byte }; byte x, y;\n";
    for (first, others, expected) in [
        ("a!1; a!2", "", vec!["`a` is full (1 of 1) []"]),
        ("a!1; a!2", "active proctype Q() { x == 1; a?_ }", vec!["`a` is full (1 of 1) [Q:1]"]),
        ("a?1", "active proctype Q() { x == 1; a!2 }", vec!["`a` is empty []"]),
        ("a?1", "active proctype Q() { x == 1; a!x }", vec!["`a` is empty [Q:1]"]),
        ("a!1; a?2", "active proctype Q() { x == 1; a!2 }", vec!["the message at the head of `a` is `1` []"]),
        ("r!1", "active proctype Q() { x == 1; r?_ }", vec!["no process is ready to receive from `r` [Q:1]"]),
        ("x == y && x == 3 && y < 7", "active proctype Q() { r!1; x = 3 }", vec!["`x == 3` is false: x = 0 [Q:1]"]),
        ("byte z; z == 1", "active proctype Q() { byte z; r!1; z = 1 }", vec!["`z == 1` is false: z = 0 []"]),
        // A channel variable may get another channel, an index another value, and a process may be created.
        ("b?1", "active proctype Q() { chan c = a; x == 1; c = b; c!1 }", vec!["`b` is empty [Q:1]"]),
        ("b?1", "active proctype Q() { chan c = a; x == 1; c!1 }", vec!["`b` is empty []"]),
        ("b?1", "proctype C(chan c) { c!1 } active proctype Q() { x == 1; run C(b) }", vec!["`b` is empty [Q:1]"]),
        ("nempty(a)", "active proctype Q() { x == 1; a!1 }", vec!["`nempty(a)` is false: nempty(a) = 0 [Q:1]"]),
        ("if :: a?1 :: x == 2 fi", "", vec!["`a` is empty []", "`x == 2` is false: x = 0 []"]),
        ("d_step { x == 1; y = 1 }", "active proctype Q() { r!1; x = 1 }", vec!["`x == 1` is false: x = 0 [Q:1]"]),
    ] {
        let text = format!("{channels}active proctype P() {{ {first} }}\n{others}");
        assert_eq!(reasons(&text), expected, "{text}");
    }
    let indexed = |index: &str| {
        let other = format!("active proctype Q() {{ byte i; x == 1; {index}; w[i]!1 }}");
        reasons(&format!("chan w[2] = [1] of {{ byte }}; byte x; active proctype P() {{ w[1]?1 }}\n{other}"))
    };
    assert_eq!(
        (indexed("i = 1"), indexed("skip")),
        (vec!["`w[1]` is empty [Q:1]".into()], vec!["`w[1]` is empty []".into()])
    );
}

#[test]
fn a_failed_assertion_names_the_part_that_is_false_with_its_values() {
    let text = "byte x = 1, y = 7; active proctype P() { x++; assert(x == 2 && y < 3 && x < y) }";
    let read = promela::read("test.pml", text, &promela::preprocess::Options::default());
    let network = read.network.expect("a model");
    let semantics = Semantics::new(&network, Reading::Declared);
    let budget = model::budget::Budget::unlimited();
    let context = model::context::Context::silent(&budget);
    let options =
        explore::Options { properties: vec![model::verdict::Property::Safety], ..explore::Options::default() };
    let outcomes = explore::check(&semantics, &read.sources, &options, &context);
    let run = outcomes.iter().find_map(|outcome| outcome.witness.as_ref()).expect("a run");
    let remarks: Vec<&[String]> = run.steps.iter().map(|step| step.remarks.as_slice()).collect();
    assert_eq!(remarks, [&[][..], &[String::from("`y < 3` is false: y = 7")]]);
}

//! Random programs over all of C that is read, against their compiled runs: no proof that a run contradicts, no violation
//! whose C test does not fail.
//!
//! The last assertion of each program is made after it was run: what was seen of a value is claimed of all runs, exactly,
//! a little more, or a little less. So about half of the programs are safe for a reason, and many of the others fail for few
//! inputs. `HIGHWATER_SEEDS=N` makes more of them, from `HIGHWATER_FIRST` on.

use crate::common;
use model::budget::Budget;
use model::context::Context;

use cfront::interpret::{Outcome, Request, Run, run};
use cfront::program::ErrorKind;
use cfront::{Component, DataModel, Input, Options, witness};
use model::verdict::Reason;
use pdr::{Answer, First};
use std::time::Duration;
use testing::c::compiler::{End, Ends, Flags, KEPT, Runs, input_seed, run_all, status};
use testing::c::inputs::Inputs;
use testing::c::wide::{DECLARATIONS, LAST, unit};

const BATCH: u64 = 40;
/// How long the check of a proof may take.
const CHECKING: Duration = Duration::from_secs(10);
const STEPS: usize = 20_000;

/// What is asked, and of which reading.
#[derive(Clone, Copy, Debug)]
struct Mode {
    flags: Flags,
    faults: bool,
}

impl Mode {
    fn of(batch: u64) -> Mode {
        let flags = Flags { signed_overflow: batch % 5 == 3, short_long: batch % 4 == 1 };
        Mode { flags, faults: batch % 5 == 2 }
    }

    fn options(self) -> Options {
        let data_model = if self.flags.short_long { DataModel::Ilp32 } else { DataModel::Lp64 };
        Options { data_model, signed_overflow_is_error: self.flags.signed_overflow, ..Options::default() }
    }

    fn asks(self, kind: &ErrorKind) -> bool {
        kind.is_stated() || self.faults || *kind == ErrorKind::SignedOverflow
    }
}

#[derive(Debug, Default)]
struct Counts {
    programs: u64,
    safe: u64,
    unchecked: u64,
    violated: u64,
    tests: u64,
    untrapped: u64,
    crash: u64,
    open: u64,
    runs: u64,
}

#[test]
fn no_answer_contradicts_a_compiled_run() {
    if cfront::preprocess::compiler().is_none() {
        show("there is no C compiler here: nothing was compared");
        return;
    }
    let mut counts = Counts::default();
    let first: u64 = testing::first(0);
    let end = first + common::seeds(BATCH);
    let mut at = first;
    while at < end {
        let next = ((at / BATCH + 1) * BATCH).min(end);
        attack(at..next, Mode::of(at / BATCH), &mut counts);
        at = next;
        if counts.programs % (BATCH * 25) == 0 {
            show(&format!("{counts:?}"));
        }
    }
    show(&format!("{counts:?}"));
    assert!(counts.safe > 0 && counts.violated > 0, "too few answers: {counts:?}");
    assert!(counts.unchecked * 50 <= counts.safe, "too many proofs that take long to check: {counts:?}");
    assert!(counts.untrapped * 50 <= counts.runs + counts.tests, "too many faults that do not trap: {counts:?}");
}

#[allow(clippy::print_stderr)]
fn show(text: &str) {
    eprintln!("{text}");
}

/// A program that was read.
struct Subject {
    seed: u64,
    unit: String,
    input: Input,
    component: Component,
}

fn attack(seeds: std::ops::Range<u64>, mode: Mode, counts: &mut Counts) {
    let name = seeds.start.to_string();
    let subjects: Vec<Subject> = seeds.map(|seed| subject(seed, mode)).collect();
    let units: Vec<(u64, String)> = subjects.iter().map(|subject| (subject.seed, subject.unit.clone())).collect();
    let Some(ends) = run_all(&units, Runs::Random(400), mode.flags, &name) else { return };
    for (subject, ends) in subjects.iter().zip(&ends) {
        counts.programs += 1;
        same_runs(subject, ends, counts);
        answer(subject, mode, ends, counts);
    }
}

fn subject(seed: u64, mode: Mode) -> Subject {
    let draft = unit(seed);
    let trial = read(seed, &draft.replace(LAST, "1"), mode);
    let last = last_assertion(&trial.component, seed);
    read(seed, &draft.replace(LAST, &last), mode)
}

fn read(seed: u64, unit: &str, mode: Mode) -> Subject {
    let text = format!("{DECLARATIONS}{unit}int main(void) {{ test_{seed}(); return 0; }}\n");
    let input = Input::plain("test.c", text);
    let read = cfront::read(&input, &mode.options());
    match read.program {
        Some(mut program) => Subject { seed, unit: unit.to_owned(), input, component: program.components.remove(0) },
        None => panic!("seed {seed}: {:?}\n{}", read.diagnostics, input.text),
    }
}

/// Runs a component, and gives the value that the variable `last` has at its end.
fn observed(component: &Component, seed: u64) -> Option<i64> {
    let last = component.variables.iter().position(|variable| variable.name == "last")?;
    let mut inputs = Inputs(seed);
    let mut machine = cfront::interpret::Machine::new(component);
    let mut run = Run { outcome: Outcome::StepLimit, edges: Vec::new(), inputs: Vec::new(), events: Vec::new() };
    while run.edges.len() < STEPS {
        if let Some(outcome) = machine.step(&mut |_: &Request| inputs.next(), &mut run) {
            let value = machine.value(cfront::program::VariableId(last as u32)) as i64;
            return matches!(outcome, Outcome::Returned(_)).then_some(value);
        }
    }
    None
}

/// What was seen in a few runs, claimed of all.
fn last_assertion(component: &Component, seed: u64) -> String {
    let seen: Vec<i64> = (0..30).filter_map(|number| observed(component, input_seed(seed, 7_000 + number))).collect();
    let (Some(&low), Some(&high)) = (seen.iter().min(), seen.iter().max()) else { return String::from("1") };
    let same = seen.iter().fold(u64::MAX, |same, &value| same & !(value ^ low) as u64);
    let number = |value: i64| match value {
        i64::MIN => String::from("(-9223372036854775807LL - 1)"),
        value => format!("{value}LL"),
    };
    let range = |low: i64, high: i64| format!("last >= {} && last <= {}", number(low), number(high));
    match seed % 8 {
        0..=2 => range(low, high),
        3 => range(low.saturating_sub(1), high.saturating_add(1)),
        4 => range(low, high.saturating_sub(1)),
        5 => format!("last != {}", number(high.wrapping_add(1))),
        6 => format!("((unsigned long long)last & {same}ULL) == {}ULL", same & low as u64),
        _ => format!("last != {}", number(low)),
    }
}

/// The interpreter and the compiled program do the same on the same inputs.
fn same_runs(subject: &Subject, ends: &Ends, counts: &mut Counts) {
    for (number, end) in (0..KEPT).zip(&ends.kept) {
        let mut inputs = Inputs(input_seed(subject.seed, number));
        let ours = run(&subject.component, &mut |_: &Request| inputs.next(), STEPS);
        let open = |input: &cfront::interpret::Input| {
            !matches!(&input.request.purpose, cfront::interpret::Purpose::Havoc(cfront::program::Cause::Nondet(_)))
        };
        if ours.inputs.iter().any(open) || *end == End::TooLong {
            continue;
        }
        let same = match ours.outcome {
            Outcome::Returned(_) => matches!(end, End::Returned(_)),
            Outcome::Error(kind, _) if kind.is_stated() => *end == End::Error,
            // A compiler need not compute what is undefined, even if it does not optimise: it may see that `c[3] != 256`
            // holds whatever is there.
            Outcome::Error(..) => {
                counts.untrapped += u64::from(*end != End::Fault);
                true
            }
            Outcome::Blocked => *end == End::Blocked,
            _ => false,
        };
        counts.runs += 1;
        let (seed, text) = (subject.seed, &subject.input.text);
        assert!(same, "seed {seed}, run {number}: {:?} here, {end:?} when compiled\n{text}", ours.outcome);
    }
}

fn answer(subject: &Subject, mode: Mode, ends: &Ends, counts: &mut Counts) {
    let Subject { seed, component, .. } = subject;
    let text = &subject.input.text;
    let limits = Budget::unlimited().timeout(Duration::from_millis(400));
    let asked = |kind: &ErrorKind| mode.asks(kind);
    let first = if seed % 3 == 1 { First::States } else { First::Sets };
    let (answer, _) = pdr::check_with(component, &asked, first, &Context::silent(&limits));
    match answer {
        Answer::Safe(invariant) => {
            counts.safe += 1;
            let limits = Budget::unlimited().timeout(CHECKING);
            match certify::programs::verify(component, &invariant.proof(), &mut bitvector::SatRefuter, &limits) {
                // Who has no proof that was checked in time does not say `proved`.
                Err(certify::programs::Refusal::Undecided(..)) => counts.unchecked += 1,
                checked => assert!(checked.is_ok(), "{checked:?}: seed {seed}, {mode:?}\n{text}"),
            }
            assert_eq!((ends.error, ends.fault), (None, None), "seed {seed}, {mode:?}: a run contradicts\n{text}");
        }
        Answer::Inconclusive(Reason::Crash(fault)) => {
            counts.crash += 1;
            assert_eq!(ends.error, None, "seed {seed}, {mode:?}: no error but {fault}: a run contradicts\n{text}");
        }
        Answer::Unsafe(run) => {
            counts.violated += 1;
            fails(subject, mode, &run, counts);
        }
        Answer::Inconclusive(Reason::Timeout) => counts.open += 1,
        Answer::Inconclusive(reason) => panic!("seed {seed}, {mode:?}: {reason:?}\n{text}"),
    }
}

/// The C test of a violation, compiled, fails.
fn fails(subject: &Subject, mode: Mode, run: &Run, counts: &mut Counts) {
    let Outcome::Error(kind, _) = run.outcome else { panic!("seed {}: {:?}", subject.seed, run.outcome) };
    let test = witness::test(&subject.input, &subject.component, run, mode.options().data_model);
    if kind == ErrorKind::PointerArithmetic {
        return;
    }
    assert!(test.missing.is_empty(), "seed {}: {:?}\n{}", subject.seed, test.missing, test.text);
    let ended = status(&test.text, mode.flags, !test.exits, &format!("w{}", subject.seed));
    let wanted = if test.exits { Ok(witness::STATUS) } else { Err(()) };
    if !test.exits && ended != Some(wanted) {
        counts.untrapped += 1;
        return;
    }
    assert_eq!(ended, Some(wanted), "seed {}, {mode:?}, {kind}\n{}", subject.seed, test.text);
    counts.tests += 1;
}

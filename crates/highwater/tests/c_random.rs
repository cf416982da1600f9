//! Random C programs with one input of 16 bits, compiled and run on every input: the verdict is known, and the last assertion
//! of each program is one that holds for a reason, or fails for few inputs.

use highwater::{Check, Model, Verdict};
use std::time::Duration;
use testing::c::compiler::{Ends, Flags, Runs, run_all};
use testing::c::wide::{DECLARATIONS, LAST, narrow_unit};

const BATCH: u64 = 20;
/// The data model that a C file has without options.
const FLAGS: Flags = Flags { signed_overflow: false, short_long: true };

/// What the compiled runs saw of the last value, claimed exactly, or a little too strongly.
fn last_assertion(seed: u64, ends: &Ends) -> String {
    let Some((low, high)) = ends.range else { return String::from("1") };
    let number = |value: i64| match value {
        i64::MIN => String::from("(-9223372036854775807LL - 1)"),
        value => format!("{value}LL"),
    };
    match seed % 6 {
        0 | 1 => format!("last >= {} && last <= {}", number(low), number(high)),
        2 if low < high => format!("last <= {}", number(high - 1)),
        3 if low < high => format!("last >= {}", number(low + 1)),
        4 => format!("last != {}", number(high)),
        _ => format!("last != {}", number(high.wrapping_add(1))),
    }
}

/// Two programs of three have no check but the last: all that can go wrong in them is what was seeded.
fn draft(seed: u64) -> String {
    let unit = narrow_unit(seed);
    let other = |line: &str| line.trim_start().starts_with("check_");
    let without = |line: &str| if other(line) { ";\n".to_owned() } else { format!("{line}\n") };
    if seed.is_multiple_of(3) { unit } else { unit.lines().map(without).collect() }
}

/// Programs of these seeds with their last assertions, and what they do on all inputs.
fn programs(seeds: std::ops::Range<u64>) -> Option<Vec<(u64, String, Ends)>> {
    let drafts: Vec<(u64, String)> = seeds.clone().map(|seed| (seed, draft(seed))).collect();
    let trial: Vec<(u64, String)> = drafts.iter().map(|(seed, unit)| (*seed, unit.replace(LAST, "1"))).collect();
    let seen = run_all(&trial, Runs::Every, FLAGS, &format!("trial-{}", seeds.start))?;
    let with_last =
        |((seed, unit), ends): (&(u64, String), &Ends)| (*seed, unit.replace(LAST, &last_assertion(*seed, ends)));
    let units: Vec<(u64, String)> = drafts.iter().zip(&seen).map(with_last).collect();
    let ends = run_all(&units, Runs::Every, FLAGS, &format!("every-{}", seeds.start))?;
    Some(units.into_iter().zip(ends).map(|((seed, unit), ends)| (seed, unit, ends)).collect())
}

#[test]
fn verdicts_are_those_of_all_compiled_runs() {
    let (mut proved, mut violated, mut open) = (0, 0, 0);
    let (first, end) = (testing::first(0), testing::first(0) + testing::seeds(40));
    for start in (first..end).step_by(BATCH as usize) {
        let Some(programs) = programs(start..(start + BATCH).min(end)) else { return };
        for (seed, unit, ends) in programs {
            let text = format!("{DECLARATIONS}{unit}int main(void) {{ test_{seed}(); return 0; }}\n");
            let model =
                Model::from_text("random.c", &text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
            let check = Check::new(&model).property("safety").unwrap().timeout(Duration::from_millis(700));
            let report = check.run().unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
            match report.finding("safety").map(|finding| finding.verdict()) {
                Some(Verdict::Proved) => {
                    proved += 1;
                    assert_eq!(ends.error, None, "seed {seed}: proved, and a run fails\n{text}");
                }
                Some(Verdict::Violated) => {
                    violated += 1;
                    assert!(ends.error.is_some(), "seed {seed}: violated, and no run fails\n{text}");
                }
                _ => open += 1,
            }
        }
    }
    let figures = format!("{proved} proved, {violated} violated, {open} open");
    #[allow(clippy::print_stdout)]
    {
        println!("{figures}");
    }
    assert!(proved > 0 && violated > 0, "{figures}");
}

//! The measurements in README and book are those of the files in `benches`, which the benches write.
//!
//! A figure is found by the text before it, or by its cell in a table. A bench that is run again, or a sentence that is
//! rewritten, fails here until both sides agree.

use std::path::Path;

const README: &str = "README.md";
const BOOK: &str = "docs/src/capabilities.md";
const LARGE: &str = "docs/src/large-models.md";

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The number that follows `before`, which must occur exactly once; line breaks and bold type are ignored.
fn after(file: &str, before: &str) -> String {
    let text = read(file).split_whitespace().collect::<Vec<_>>().join(" ");
    let parts: Vec<&str> = text.split(before).collect();
    assert_eq!(parts.len(), 2, "{file}: `{before}` must occur exactly once");
    let number = parts[1].trim_start_matches('*');
    let end = number.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(number.len());
    let number = number[..end].trim_end_matches('.');
    assert!(!number.is_empty(), "{file}: no number after `{before}`");
    number.to_owned()
}

/// The rows of the table in the section that starts with `heading`.
fn rows(file: &str, heading: &str) -> Vec<Vec<String>> {
    let text = read(file);
    let section = text.split(heading).nth(1).unwrap_or_else(|| panic!("{file}: no section `{heading}`"));
    let lines = section.split("\n## ").next().unwrap_or("").lines().filter(|line| line.starts_with('|')).skip(2);
    lines.map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// A cell of the row whose first cell is `first`.
fn cell(file: &str, heading: &str, first: &str, column: usize) -> String {
    let row = rows(file, heading).into_iter().find(|row| row[0] == first);
    row.unwrap_or_else(|| panic!("{file}: no row {first} in `{heading}`"))[column].clone()
}

fn assert_shown(measured: &str, shown: &[(&str, &str)]) {
    for (page, before) in shown {
        assert_eq!(after(page, before), measured, "{page}: the figure after `{before}` is not the measured one");
    }
}

#[test]
fn comparisons_with_spin_are_those_of_the_benches() {
    let results = |before: &str| after("benches/RESULTS.md", before);
    let liveness = |before: &str| after("benches/LIVENESS.md", before);
    assert_shown(
        &results("geometric mean over 10 models: "),
        &[(BOOK, "safety and deadlock, 10 large models, geometric mean | ")],
    );
    assert_shown(
        &results("on 10 large models (0.4 million states or more), geometric mean: "),
        &[
            (BOOK, "against `pan -DSAFETY -DNOREDUCE`, 10 large models, geometric mean | "),
            (README, "on 10 large models, one thread explores "),
        ],
    );
    assert_shown(
        &results("Two threads against one, geometric mean: "),
        &[
            (BOOK, "two threads against one, geometric mean | "),
            (LARGE, "two threads against one, safety and deadlock, large models, geometric mean | "),
        ],
    );
    assert_shown(
        &results("with `-DCOLLAPSE` against Highwater's, geometric mean: "),
        &[
            (BOOK, "of `pan -DCOLLAPSE` against Highwater's, geometric mean | "),
            (LARGE, "of `pan -DCOLLAPSE` against those here, geometric mean | "),
        ],
    );
    assert_shown(&liveness("Geometric mean over 59 rows: "), &[(BOOK, "59 properties, geometric mean | ")]);
    assert_shown(&liveness("Geometric means over 58 models: "), &[(BOOK, "58 models, geometric mean | ")]);
    assert_shown(&liveness("of the states are left, "), &[(BOOK, "of all; `pan` ")]);
}

#[test]
fn comparisons_with_the_defaults_of_spin_are_those_of_the_bench() {
    for (measured, shown) in [
        ("`--reduction order`: no more than `pan`'s on ", "(`spin -a`, `cc -O2`, `./pan`), models | "),
        ("models without errors that have more than 200000 raw states: ", "and no errors, CPU time, geometric mean | "),
        ("models that have more than 200000 raw states: ", "more than 200,000 states, CPU time, geometric mean | "),
        ("`--reduction order` takes ", "less than a twentieth of the states, CPU time, geometric mean | "),
    ] {
        assert_shown(&after("benches/RESULTS.md", measured), &[(LARGE, shown)]);
    }
}

#[test]
fn times_for_philosophers_and_elections_are_those_of_the_benches() {
    let compose = |heading: &str| cell("benches/COMPOSE.md", heading, "200", 2);
    assert_shown(
        &compose("## DPD:"),
        &[
            (BOOK, "deadlock of 200 dining philosophers | found in "),
            (README, "deadlock of 200 dining philosophers takes "),
        ],
    );
    assert_shown(&compose("## DPN:"), &[(BOOK, "excluded in "), (README, "to find and ")]);
    let election = |column: usize| cell("benches/FLOW.md", "## Leader election in a ring", "50", column);
    assert_shown(&election(3), &[(BOOK, "of a leader election with 50 processes | ")]);
    assert_shown(&election(10), &[(BOOK, "Ciclo reports ")]);
}

#[test]
fn no_protocol_of_the_mcscm_paper_takes_longer_than_readme_and_book_say() {
    let seconds: Vec<f64> =
        rows("benches/FIFO.md", "## The protocols of Fig. 10").iter().map(|row| row[2].parse().unwrap()).collect();
    assert_eq!(seconds.len(), 11, "the protocols of the figure");
    let longest = seconds.iter().copied().fold(0.0, f64::max);
    for (page, before) in
        [(README, "each protocol of the McScM paper takes at most "), (BOOK, "(Fig. 10), each | at most ")]
    {
        let shown: f64 = after(page, before).parse().unwrap();
        assert!((shown - longest).abs() < 1e-9, "{page}: {shown}, measured {longest}");
    }
}

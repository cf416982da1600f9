//! Every row of the table in `examples/c/README.md` is asked, and every proof is checked. Rows that take longer than some
//! seconds are asked only if `HIGHWATER_SEEDS` asks for longer tests.

use crate::common::{ask, checked, specification};
use cegar::{Options, Outcome, Question, Specification};
use std::path::PathBuf;

/// Rows that take longer.
const LONG: [(&str, &str); 2] = [("ipc.spec", "safety"), ("ipc.spec", "OneAnswer")];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/c")
}

fn example(name: &str) -> Specification {
    let text = std::fs::read_to_string(folder().join(name)).expect(name);
    let load = |wanted: &str| {
        let text = std::fs::read_to_string(folder().join(wanted)).map_err(|error| error.to_string())?;
        Ok(cfront::Input::plain(wanted, text))
    };
    specification(cegar::read(name, &text, &Options::default(), &load))
}

fn question(specification: &Specification, text: &str) -> Question {
    match text {
        "deadlock" => Question::Deadlock,
        "safety" => Question::Safety,
        _ => {
            let formula = specification.formulas.iter().position(|formula| formula.name == text);
            let conformance = specification.conformances.iter().position(|c| c.name == text);
            formula.map(Question::Formula).or(conformance.map(Question::Conformance)).expect(text)
        }
    }
}

#[test]
fn the_examples_answer_what_their_table_says() {
    let table = std::fs::read_to_string(folder().join("README.md")).expect("the table");
    let only = std::env::var("HIGHWATER_ONLY").unwrap_or_default();
    let (mut rows, mut wrong) = (0, Vec::new());
    for row in table.lines().filter(|line| line.contains(".spec |") && line.contains(&only)) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        if LONG.contains(&(cells[0], cells[1])) && testing::long().is_none() && only.is_empty() {
            continue;
        }
        let specification = example(cells[0]);
        let question = question(&specification, cells[1]);
        let start = std::time::Instant::now();
        let answer = ask(&specification, question, 60);
        let (said, more) = match &answer.verdict {
            Outcome::Holds(holds) => {
                let checked = checked(&specification, holds);
                ("holds", format!("{checked:?}"))
            }
            Outcome::Fails(violation) => ("fails", format!("{} steps", violation.steps.len())),
            Outcome::Inconclusive(reason) => ("open", format!("{reason:?}")),
        };
        if std::env::var_os("HIGHWATER_TELL").is_some() {
            #[allow(clippy::print_stderr)]
            {
                eprintln!("{} {}: {said} {more} {:?} {:?}", cells[0], cells[1], start.elapsed(), answer.statistics);
            }
        }
        // What no infinite run puts to the test holds.
        let expected = if cells[2] == "vacuous" { "holds" } else { cells[2] };
        if said != expected || said == "holds" && more.starts_with("Err") {
            wrong.push(format!("{} {}: {said}, {more}", cells[0], cells[1]));
        }
        rows += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rows > 0);
}

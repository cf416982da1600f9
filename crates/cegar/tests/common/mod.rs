//! What the tests share.

use cegar::{Answer, Options, Question, Read, Specification};
use model::verdict::{Limits, Silent};
use std::time::{Duration, Instant};

#[allow(dead_code, reason = "not every test needs it")]
/// Reads a specification whose files are given by name.
pub fn read_with(name: &str, text: &str, files: &[(&str, &str)]) -> Read {
    let load = |wanted: &str| {
        let found = files.iter().find(|(name, _)| *name == wanted);
        found
            .map(|(name, text)| cfront::Input::plain(*name, *text))
            .ok_or_else(|| String::from("there is no such file"))
    };
    cegar::read(name, text, &Options::default(), &load)
}

/// Its specification; errors are shown.
pub fn specification(read: Read) -> Specification {
    let messages: Vec<String> = read
        .diagnostics
        .iter()
        .map(|d| format!("{}: {} {} {:?}", read.sources.describe(d.primary.span), d.code, d.message, d.help))
        .collect();
    read.specification.unwrap_or_else(|| panic!("{}", messages.join("\n")))
}

/// Asks, for at most so many seconds.
pub fn ask(specification: &Specification, question: Question, seconds: u64) -> Answer {
    let limits = Limits { deadline: Some(Instant::now() + Duration::from_secs(seconds)), ..Limits::default() };
    let mut listener = Tell;
    let listener: Option<&mut dyn compose::Listener> =
        if std::env::var_os("HIGHWATER_TELL").is_some() { Some(&mut listener) } else { None };
    cegar::check(specification, question, compose::Method::Auto, &limits, &Silent::default(), listener)
}

/// Checks a proof: the structures with a solver, and what the compose engine made of them.
#[allow(dead_code, reason = "not every test has proofs")]
pub fn checked(specification: &Specification, holds: &cegar::Holds) -> Result<u64, String> {
    let mut solver = bitvector::Embedded::without_memory();
    let count = cegar::verify(specification, holds, &mut solver, &bitvector::Limits::none())?;
    let question = match holds.question {
        Question::Deadlock => certify::composition::Question::Deadlock,
        Question::Safety | Question::Conformance(_) => certify::composition::Question::Safety,
        Question::Formula(number) => certify::composition::Question::Formula(&specification.formulas[number].formula),
    };
    let (limits, observer) = (Limits::default(), Silent::default());
    certify::composition::verify(&holds.composition, question, &holds.proof, &limits, &observer)
        .map_err(|refusal| refusal.to_string())?;
    Ok(count)
}

struct Tell;

impl compose::Listener for Tell {
    #[allow(clippy::print_stderr)]
    fn tell(&mut self, line: &str) {
        eprintln!("{line}");
    }
}

//! What the tests share.

use cegar::{Answer, Options, Question, Read, Specification};
use model::budget::Budget;
use model::context::Context;
use model::observer::{Event, Observer, Topic};
use std::time::Duration;

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
    let limits = Budget::unlimited().timeout(Duration::from_secs(seconds));
    cegar::check(specification, question, compose::Method::Auto, &Context::new(&limits, &Tell))
}

/// Checks a proof: the structures by refutations, and what the compose engine made of them.
#[allow(dead_code, reason = "not every test has proofs")]
pub fn checked(specification: &Specification, holds: &cegar::Holds) -> Result<u64, String> {
    let proof = holds.written("ilp32", false);
    certify::components::verify(
        specification,
        holds.question,
        &proof,
        &mut bitvector::SatRefuter,
        &Context::unlimited(),
    )
    .map_err(|refusal| refusal.to_string())
}

/// Shows refinements with `HIGHWATER_TELL`.
struct Tell;

impl Observer for Tell {
    fn wants(&self, topic: Topic) -> bool {
        topic == Topic::Refinement && std::env::var_os("HIGHWATER_TELL").is_some()
    }

    #[allow(clippy::print_stderr)]
    fn event(&self, event: &Event<'_>) {
        eprintln!("{event:?}");
    }
}

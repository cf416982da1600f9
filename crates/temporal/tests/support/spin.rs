//! `spin -f`, where it is installed, and programs that are called like it: the sizes of their never claims.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use temporal::Formula;

/// States and edges of the claim; nothing if the program takes longer than `seconds`, or if there is an X, which SPIN
/// knows only if it was built so.
pub fn claim_size(program: &str, formula: &Formula, names: &[String], seconds: u64) -> Option<(usize, usize)> {
    if program == "spin" && !formula.is_stutter_invariant_syntactically() {
        return None;
    }
    let text = spelled(formula).to_promela(names);
    let mut child = Command::new(program)
        .args(["-f", &text])
        .current_dir(std::env::temp_dir())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut pipe = child.stdout.take()?;
    let reader = std::thread::spawn(move || {
        let mut claim = String::new();
        pipe.read_to_string(&mut claim).map(|_| claim)
    });
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let finished = loop {
        if let Some(status) = child.try_wait().ok()? {
            break status.success();
        }
        if Instant::now() > deadline {
            child.kill().ok()?;
            child.wait().ok()?;
            break false;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let claim = reader.join().ok()?.ok()?;
    (finished && claim.trim_end().ends_with('}')).then(|| measure(&claim))
}

/// Labels that follow each other name one state; every option is an edge, and so is `skip`.
fn measure(claim: &str) -> (usize, usize) {
    let (mut states, mut edges, mut after_label) = (0, 0, false);
    for line in claim.lines() {
        let label = line.ends_with(':') && !line.starts_with(char::is_whitespace);
        states += usize::from(label && !after_label);
        let line = line.trim_start();
        edges += usize::from(line.starts_with("::") && !line.contains("false ->") || line.starts_with("skip"));
        after_label = label;
    }
    (states, edges)
}

/// SPIN's `-f` has no weak until.
fn spelled(formula: &Formula) -> Formula {
    let two = |a: &Formula, b: &Formula, f: fn(Formula, Formula) -> Formula| f(spelled(a), spelled(b));
    match formula {
        Formula::True | Formula::False | Formula::Atom(_) => formula.clone(),
        Formula::Not(a) => spelled(a).not(),
        Formula::Next(a) => spelled(a).next(),
        Formula::Globally(a) => spelled(a).globally(),
        Formula::Finally(a) => spelled(a).finally(),
        Formula::And(a, b) => two(a, b, Formula::and),
        Formula::Or(a, b) => two(a, b, Formula::or),
        Formula::Implies(a, b) => two(a, b, Formula::implies),
        Formula::Iff(a, b) => two(a, b, Formula::iff),
        Formula::Until(a, b) => two(a, b, Formula::until),
        Formula::Release(a, b) => two(a, b, Formula::release),
        Formula::WeakUntil(a, b) => two(a, b, |a, b| b.clone().release(a.or(b))),
    }
}

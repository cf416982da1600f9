//! One line on the terminal that says what is going on now.
//!
//! [`TerminalObserver`] receives the events of engines: progress, and the lines of `--trace-refinement`.
//! It draws on stderr, and only if that is a terminal: nothing of it ends up in a file or a pipe. A
//! run that is over before a person would look up draws nothing, and when the observer is finished
//! or dropped the line is gone.

use crate::style::{bytes, grouped};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::observer::{Event, Observer, Progress, Topic};
use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Work that is done sooner than this is not shown.
const PATIENCE: Duration = Duration::from_millis(300);

/// Shows progress on the terminal, and refinements if they are wanted.
pub struct TerminalObserver {
    visible: bool,
    refinements: bool,
    unicode: bool,
    shown: Mutex<Shown>,
}

/// What is on the terminal now.
struct Shown {
    bar: Option<ProgressBar>,
    pace: Pace,
}

impl TerminalObserver {
    /// Draws progress on stderr if that is a terminal; writes refinements to stderr, line by line, if they are wanted.
    pub fn new(unicode: bool, refinements: bool) -> Self {
        let visible = std::io::stderr().is_terminal();
        let shown = Mutex::new(Shown { bar: None, pace: Pace::new(Instant::now()) });
        TerminalObserver { visible, refinements, unicode, shown }
    }

    fn progress(&self, progress: &Progress) {
        if !self.visible {
            return;
        }
        let Ok(mut shown) = self.shown.lock() else { return };
        let now = Instant::now();
        let rate = shown.pace.rate(progress, now);
        if now.duration_since(shown.pace.start) >= PATIENCE {
            let bar = shown.bar.get_or_insert_with(|| spinner(self.unicode));
            bar.set_message(line(progress, rate));
            bar.tick();
        }
    }

    /// Clears the line and starts to count again. Further progress draws it again.
    pub fn clear(&self) {
        let Ok(mut shown) = self.shown.lock() else { return };
        if let Some(bar) = shown.bar.take() {
            bar.finish_and_clear();
        }
        shown.pace = Pace::new(Instant::now());
    }
}

impl Drop for TerminalObserver {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Observer for TerminalObserver {
    fn wants(&self, topic: Topic) -> bool {
        match topic {
            Topic::Progress => self.visible,
            Topic::Refinement => self.refinements,
        }
    }

    fn event(&self, event: &Event<'_>) {
        match event {
            Event::Progress(progress) => self.progress(progress),
            Event::Refinement(line) if self.refinements => {
                // A closed stderr has no reader: the line is lost, the answer is not.
                let _ = writeln!(std::io::stderr(), "{line}");
            }
            Event::Refinement(_) => {}
        }
    }
}

/// A turning mark and a message that is cut at the edge of the terminal.
fn spinner(unicode: bool) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        bar.set_style(style.tick_chars(if unicode { "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ " } else { "-\\|/ " }));
    }
    bar
}

/// How fast states come.
struct Pace {
    /// When the observer started.
    start: Instant,
    engine: &'static str,
    /// When this engine started, and how many states there were then.
    since: Instant,
    base: u64,
    /// States at the last call.
    last: u64,
}

impl Pace {
    fn new(now: Instant) -> Self {
        Pace { start: now, engine: "", since: now, base: 0, last: 0 }
    }

    /// States per second since the engine started. Another engine, or fewer states than before, is a new start.
    fn rate(&mut self, progress: &Progress, now: Instant) -> u64 {
        let first = self.engine.is_empty();
        if progress.engine != self.engine || progress.states < self.last {
            (self.since, self.base) = if first { (self.start, 0) } else { (now, progress.states) };
            self.engine = progress.engine;
        }
        self.last = progress.states;
        let seconds = now.duration_since(self.since).as_secs_f64();
        if seconds > 0.0 { ((progress.states - self.base) as f64 / seconds) as u64 } else { 0 }
    }
}

/// The engine for C programs. It looks at no states: what it counts in their place are lemmas, obligations in place of
/// states that wait, questions to the solver in place of steps, and iterations in place of the depth.
pub const PDR: &str = "pdr";

/// The engine for C components. It counts states of the structure that it extracts; predicates in place of states that
/// wait, questions to the solver in place of steps, and rounds of new predicates in place of the depth.
pub const CEGAR: &str = "cegar";

/// What is going on, in one line.
fn line(progress: &Progress, rate: u64) -> String {
    let Progress { engine, states, waiting, depth, memory_bytes, transitions } = *progress;
    if engine == PDR {
        let (states, waiting, transitions) = (grouped(states), grouped(waiting), grouped(transitions));
        return format!(
            "{engine}: iteration {}, {states} lemmas, {waiting} obligations, {transitions} solver calls",
            grouped(depth)
        );
    }
    if engine == CEGAR {
        let (states, waiting, transitions) = (grouped(states), grouped(waiting), grouped(transitions));
        return format!(
            "{engine}: round {}, {waiting} predicates, {states} abstract states, {transitions} solver calls",
            grouped(depth)
        );
    }
    format!(
        "{engine}: {} states, {}/s, {} waiting, depth {}, {}",
        grouped(states),
        grouped(rate),
        grouped(waiting),
        grouped(depth),
        bytes(memory_bytes)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: Progress = Progress {
        engine: "explore",
        states: 1_203_004,
        waiting: 20_123,
        transitions: 4_000_000,
        depth: 312,
        memory_bytes: 126_248_550,
    };

    #[test]
    fn the_line_names_engine_states_rate_waiting_depth_and_memory() {
        let lemmas = Progress { engine: PDR, states: 40, waiting: 7, transitions: 1_300, depth: 3, memory_bytes: 0 };
        let rounds = Progress { engine: CEGAR, ..lemmas };
        assert_eq!(line(&rounds, 0), "cegar: round 3, 7 predicates, 40 abstract states, 1 300 solver calls");
        assert_eq!(line(&lemmas, 0), "pdr: iteration 3, 40 lemmas, 7 obligations, 1 300 solver calls");
        assert_eq!(line(&SEEN, 401_002), "explore: 1 203 004 states, 401 002/s, 20 123 waiting, depth 312, 120.4 MiB");
    }

    #[test]
    fn the_rate_starts_anew_with_another_engine() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        let second = |n| start + Duration::from_secs(n);
        assert_eq!(pace.rate(&SEEN, second(2)), 601_502);
        let other = Progress { engine: "flow", states: 10, ..SEEN };
        assert_eq!(pace.rate(&other, second(3)), 0);
        assert_eq!(pace.rate(&Progress { states: 110, ..other }, second(5)), 50);
    }

    #[test]
    fn refinements_are_wanted_only_with_their_option() {
        let wants = |refinements| TerminalObserver::new(false, refinements).wants(Topic::Refinement);
        assert!(wants(true) && !wants(false));
        let observer = TerminalObserver::new(false, false);
        observer.event(&Event::Progress(SEEN));
        observer.clear();
    }
}

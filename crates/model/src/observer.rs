//! What an engine says while it works: one stream of events for every display.
//!
//! Progress feeds the line on the terminal, refinements feed `--trace-refinement`. An engine asks [`Observer::wants`]
//! before it makes a line that nothing reads. Whether to stop is not the observer's: see [`crate::budget`].

/// What an event is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topic {
    /// How far the work is.
    Progress,
    /// How an abstraction is refined.
    Refinement,
}

/// Something that happened in an engine.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// How far the work is. Comes now and then, about as often as the budget is looked at.
    Progress(Progress),
    /// A line about a step of a refinement, without its end of line.
    Refinement(&'a str),
}

impl Event<'_> {
    /// What it is about.
    pub fn topic(&self) -> Topic {
        match self {
            Event::Progress(_) => Topic::Progress,
            Event::Refinement(_) => Topic::Refinement,
        }
    }
}

/// A snapshot of work that goes on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// The engine.
    pub engine: &'static str,
    /// States so far.
    pub states: u64,
    /// States that are known but not yet looked at.
    pub waiting: u64,
    /// Steps so far.
    pub transitions: u64,
    /// How deep.
    pub depth: u64,
    /// Bytes for states and tables.
    pub memory_bytes: u64,
}

/// Receives the events of engines, from several threads at a time.
pub trait Observer: Sync {
    /// Whether events about this are of any use.
    fn wants(&self, topic: Topic) -> bool;

    /// Something happened.
    fn event(&self, event: &Event<'_>);
}

/// An observer that wants nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn wants(&self, _: Topic) -> bool {
        false
    }

    fn event(&self, _: &Event<'_>) {}
}

/// Passes on progress, and nothing else: for a question within another one.
pub struct ProgressOnly<'a>(pub &'a dyn Observer);

impl Observer for ProgressOnly<'_> {
    fn wants(&self, topic: Topic) -> bool {
        topic == Topic::Progress && self.0.wants(topic)
    }

    fn event(&self, event: &Event<'_>) {
        if event.topic() == Topic::Progress {
            self.0.event(event);
        }
    }
}

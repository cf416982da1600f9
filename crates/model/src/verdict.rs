//! What an engine is asked and what it answers: one set of types for all engines.
//!
//! An engine takes a model, properties and a [`crate::context::Context`], and returns one [`Outcome`] per
//! property. It never prints. A limit that is hit is a [`Reason`], not an error: "not finished" is a
//! value of its own and can never be taken for "no error".

mod certificate;
mod channels;

pub use crate::observer::Progress;
pub use crate::reason::Reason;
pub use certificate::Certificate;
pub use channels::{ChannelState, ChannelVerdict, CycleVerdict};

use crate::chart::Chart;
use crate::semantics::Reading;
use crate::source::Span;
use crate::stats::{Exhibit, Sheet, Value};
use std::fmt;
use std::time::Duration;

/// A question about a model.
#[derive(Clone, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Property {
    /// Assertions, bad states, errors at run time.
    Safety,
    /// No reachable state in which nothing can move, other than valid end states.
    Deadlock,
    /// Every channel stays finite.
    Boundedness,
    /// No infinite run without progress.
    Livelock,
    /// No machine is stuck before a message that it does not take.
    Reception,
    /// No message is left over at the end.
    Orphan,
    /// No machine that has not ended can never move again.
    PartialDeadlock,
    /// No message at the head of a queue can never be received.
    EventualReception,
    /// A temporal formula, by name or by text.
    Ltl(String),
    /// A question of a modelling language, by its name there: the front end writes the formula.
    Question(String),
    /// A `never` claim.
    Never(String),
    /// No infinite run through acceptance labels of processes.
    Acceptance,
    /// A `trace` or `notrace` assertion.
    Trace(String),
    /// A procedure of C does only what a process allows: `save to ALLOWED`.
    Conformance(String),
    /// A progress property of FSP, by name; without one: every event happens again and again.
    Progress(String),
}

impl Property {
    /// What holds where it is proved.
    pub fn statement(&self) -> &'static str {
        match self {
            Property::Safety => "no assertion fails, no run-time error",
            Property::Deadlock => "no invalid end state",
            Property::Boundedness => "every channel is bounded",
            Property::Livelock => "no endless run without progress",
            Property::Reception => "no machine is stuck before a message that it does not take",
            Property::Orphan => "no message is left over at the end",
            Property::PartialDeadlock => {
                "from every configuration, each machine that has not ended has a run without losses in which it moves"
            }
            Property::EventualReception => {
                "from every configuration, each queue that is not empty has a run without losses in which its head is received"
            }
            Property::Ltl(_) | Property::Question(_) => "the formula holds on every run",
            Property::Never(_) => "no run matches the claim",
            Property::Acceptance => "no run passes through acceptance labels forever",
            Property::Trace(_) => "every run conforms",
            Property::Conformance(_) => "the procedure does nothing else",
            Property::Progress(_) => "the events happen again and again",
        }
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Property::Safety => write!(f, "safety"),
            Property::Deadlock => write!(f, "deadlock"),
            Property::Boundedness => write!(f, "boundedness"),
            Property::Livelock => write!(f, "livelock"),
            Property::Reception => write!(f, "reception"),
            Property::Orphan => write!(f, "orphan"),
            Property::PartialDeadlock => write!(f, "partial-deadlock"),
            Property::EventualReception => write!(f, "eventual-reception"),
            Property::Ltl(name) => write!(f, "ltl:{name}"),
            Property::Question(name) => write!(f, "{name}"),
            Property::Never(name) if name.is_empty() => write!(f, "never"),
            Property::Never(name) => write!(f, "never:{name}"),
            Property::Acceptance => write!(f, "acceptance"),
            Property::Trace(name) => write!(f, "{name}"),
            Property::Conformance(name) if name.is_empty() => write!(f, "conformance"),
            Property::Conformance(name) => write!(f, "conformance:{name}"),
            Property::Progress(name) if name.is_empty() => write!(f, "progress"),
            Property::Progress(name) => write!(f, "progress:{name}"),
        }
    }
}

/// The answer to a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It holds, and there is a certificate.
    Proved,
    /// It does not hold, and there is a run.
    Violated,
    /// There is no answer, for this reason.
    Inconclusive(Reason),
    /// It holds for an empty reason.
    Vacuous(String),
}

impl Verdict {
    /// The name in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Violated => "violated",
            Verdict::Inconclusive(_) => "inconclusive",
            Verdict::Vacuous(_) => "vacuous",
        }
    }
}

/// What an exhaustive search counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SearchStats {
    /// States stored.
    pub states: u64,
    /// Steps taken between them, inner steps of atomic sequences included.
    pub transitions: u64,
    /// The longest of the shortest ways to a state; for depth-first, the longest way that was taken.
    pub depth: u64,
    /// Bytes of the packed states.
    pub state_bytes: u64,
    /// Bytes for states and tables together.
    pub memory_bytes: u64,
    /// How often the property was violated; more than one only when the search goes on.
    pub violations: u64,
}

impl SearchStats {
    /// The figures of a search.
    pub fn sheet(&self) -> Sheet {
        Sheet::new("search for")
            .with("states", "states", self.states)
            .with("transitions", "transitions", self.transitions)
            .with("depth", "depth", self.depth)
            .with("state_bytes", "", Value::Bytes(self.state_bytes))
            .with("", "bytes/state", Value::Ratio(self.state_bytes, self.states))
            .with("memory_bytes", "memory", Value::Bytes(self.memory_bytes))
            .with("violations", "", self.violations)
            .with("", "states/s", Value::Rate(self.states))
    }
}

/// A statement that no run reaches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnreachedStatement {
    /// The process type.
    pub process: String,
    /// The number of its location, which is SPIN's number of the state.
    pub state: u32,
    /// Where it is.
    pub span: Span,
    /// Its text, or `-end-` for the end of the process.
    pub text: String,
}

/// More about an answer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Details {
    /// Channels, for boundedness.
    pub channels: Vec<ChannelVerdict>,
    /// The unrefuted combination of cycles, where there is no answer.
    pub cycles: Vec<CycleVerdict>,
    /// What that combination would add to.
    pub grows: Vec<String>,
    /// What to do about it, as text.
    pub advice: Vec<String>,
    /// What the engines counted, a search over states apart.
    pub sheets: Vec<Sheet>,
    /// What they have to show.
    pub exhibits: Vec<Exhibit>,
    /// What a proof looked at, as text, if the certificate does not say it.
    pub scope: String,
    /// Statements that no run reaches, where all were searched.
    pub unreached: Vec<UnreachedStatement>,
    /// Runs to other failures than that of the witness: another statement fails, or processes are elsewhere.
    pub others: Vec<Chart>,
    /// How many different failures were found, those without a run included.
    pub failures: u64,
    /// The answer is shown, but does not count for the exit code: it was not requested.
    pub advisory: bool,
}

/// The answer to one property, with what supports it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The question.
    pub property: Property,
    /// The answer.
    pub verdict: Verdict,
    /// How capacities were read.
    pub reading: Reading,
    /// Who answered.
    pub engine: &'static str,
    /// How long it took.
    pub time: Duration,
    /// What was counted, where a search was made.
    pub stats: Option<SearchStats>,
    /// The run, for a violation.
    pub witness: Option<Chart>,
    /// The proof.
    pub certificate: Option<Certificate>,
    /// Channels, cycles, advice.
    pub details: Details,
}

impl Outcome {
    /// No answer yet: it is open for this reason until an engine says otherwise.
    pub fn open(property: Property, reading: Reading, engine: &'static str, reason: Reason) -> Outcome {
        Outcome {
            property,
            verdict: Verdict::Inconclusive(reason),
            reading,
            engine,
            time: Duration::ZERO,
            stats: None,
            witness: None,
            certificate: None,
            details: Details::default(),
        }
    }

    /// The property holds, by this proof.
    pub fn prove(&mut self, certificate: Certificate) {
        self.verdict = Verdict::Proved;
        self.certificate = Some(certificate);
    }
}

//! What an engine is asked and what it answers: one set of types for all engines.
//!
//! An engine takes a model, properties, [`Limits`] and an [`Observer`], and returns one [`Outcome`] per
//! property. It never prints. A limit that is hit is a [`Reason`], not an error: "not finished" is a
//! value of its own and can never be taken for "no error".

use crate::claim::Claim;
use crate::composition::Run;
use crate::composition_proof::CompositionProof;
use crate::fault::Overflow;
use crate::flow_proof::FlowProof;
use crate::program_proof::ProgramProof;
use crate::queue_proof::QueueProof;
use crate::semantics::{Reading, Step};
use crate::source::Span;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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
    /// A temporal formula, by name or by text.
    Ltl(String),
    /// A `never` claim.
    Never(String),
    /// No infinite run through acceptance labels of processes.
    Acceptance,
    /// A `trace` or `notrace` assertion.
    Trace(String),
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
            Property::Ltl(name) => write!(f, "ltl:{name}"),
            Property::Never(name) => write!(f, "never:{name}"),
            Property::Acceptance => write!(f, "acceptance"),
            Property::Trace(name) => write!(f, "{name}"),
        }
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The time is up.
    Timeout,
    /// The memory is used up.
    Memory,
    /// As many states as were allowed.
    States,
    /// Deeper than was allowed.
    Depth,
    /// States were remembered by a few bits each, and some may have been missed.
    Bitstate,
    /// The user stopped it.
    Interrupted,
    /// The search ended at a violation of another property.
    StoppedEarly,
    /// A run ends in an error, and what would come after it is not known.
    Crash(String),
    /// One of the tool's own bounds.
    Overflow(Overflow),
    /// Not possible yet, or not for this model.
    NotSupported(String),
    /// No proof was found, and no run that shows the opposite.
    NotProvable(String),
}

impl Reason {
    /// A short name for JSON.
    pub fn code(&self) -> &'static str {
        match self {
            Reason::Timeout => "timeout",
            Reason::Memory => "memory",
            Reason::States => "states",
            Reason::Depth => "depth",
            Reason::Bitstate => "bitstate",
            Reason::Interrupted => "interrupted",
            Reason::StoppedEarly => "stopped-early",
            Reason::Crash(_) => "crash",
            Reason::Overflow(_) => "overflow",
            Reason::NotSupported(_) => "not-supported",
            Reason::NotProvable(_) => "not-provable",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Timeout => write!(f, "the time limit was reached (--timeout)"),
            Reason::Memory => write!(f, "the memory limit was reached (--memory)"),
            Reason::States => write!(f, "the limit on states was reached (--max-states)"),
            Reason::Depth => write!(f, "the limit on depth was reached (--max-depth)"),
            Reason::Bitstate => {
                write!(f, "states were remembered by a few bits each (--bitstate): some may have been missed")
            }
            Reason::Interrupted => write!(f, "interrupted"),
            Reason::StoppedEarly => {
                write!(f, "the search stopped at a violation of another property (--keep-going goes on)")
            }
            Reason::Crash(fault) => write!(f, "a run ends in an error, and what would follow is not known: {fault}"),
            Reason::Overflow(overflow) => write!(f, "{overflow}"),
            Reason::NotSupported(what) | Reason::NotProvable(what) => write!(f, "{what}"),
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

/// What a `proved` rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Certificate {
    /// All reachable states were visited: so many, and this is the digest of their set.
    Explored {
        /// The number of states.
        states: u64,
        /// The sum of the states' fingerprints modulo 2^128: it does not depend on the order.
        digest: u128,
        /// For boundedness: the longest that each channel got, by name.
        longest: Vec<(String, u64)>,
        /// For livelock: the events that are progress; none for labels.
        events: Vec<String>,
    },
    /// All states of the product of the model with a claim were visited, and none of its cycles is accepting.
    Product {
        /// The number of product states.
        states: u64,
        /// The sum of their fingerprints modulo 2^128.
        digest: u128,
        /// The claim that was watched: an automaton for the negation of a formula, or a `never` claim as it is
        /// written.
        claim: Box<Claim>,
        /// Only for runs in which every process that can always move does move.
        fair: bool,
    },
    /// A search that left out states where the order of steps does not matter. The checker leaves out none.
    Searched {
        /// Only for runs in which every process that can always move does move.
        fair: bool,
        /// For livelock: the events that are progress; none for labels.
        events: Vec<String>,
    },
    /// Weights and potentials under which nothing gains.
    Flow(Box<FlowProof>),
    /// What the queues can hold, wherever the machines are.
    Queues(Box<QueueProof>),
    /// Which states of components, and of groups of them, are alike.
    Composition(Box<CompositionProof>),
    /// What holds at which location of a C program.
    Program(Box<ProgramProof>),
}

/// What is known of how long a channel gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChannelState {
    /// It stays finite.
    Bounded,
    /// A run fills it without end.
    Unbounded,
    /// Neither is known.
    Inconclusive,
}

impl ChannelState {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            ChannelState::Bounded => "bounded",
            ChannelState::Unbounded => "unbounded",
            ChannelState::Inconclusive => "inconclusive",
        }
    }
}

/// A channel and how long it gets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelVerdict {
    /// Its name in the source: `ts[0]`, `P[2]:c`, `P[*]:c`.
    pub name: String,
    /// Whether it stays finite.
    pub state: ChannelState,
    /// The declared capacity; none if there is no limit by nature.
    pub declared: Option<u32>,
    /// It never holds more than this.
    pub proved_at_most: Option<u64>,
    /// What weights alone prove, where a search over all states proved less.
    pub weights_at_most: Option<u64>,
    /// A run fills it so far.
    pub reached: Option<u64>,
    /// What one round of the growing run adds, where it is unbounded.
    pub gain: Option<i64>,
    /// The kinds of messages that can be in it.
    pub messages: Vec<String>,
    /// Process types that send to it.
    pub senders: Vec<String>,
    /// Process types that take from it.
    pub receivers: Vec<String>,
    /// Where it is declared.
    pub span: Span,
}

impl ChannelVerdict {
    /// The bound is reached: no smaller one holds.
    pub fn is_exact(&self) -> bool {
        self.proved_at_most.is_some() && self.proved_at_most == self.reached
    }
}

/// A cycle of one process in a combination that nothing forbids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CycleVerdict {
    /// The process: `P[1]`, or `P[*]` for any number.
    pub process: String,
    /// How often it is taken, relative to the others.
    pub times: String,
    /// Its statements, in order, with their places.
    pub statements: Vec<(String, Span)>,
    /// What one round adds to, or takes from, channels.
    pub effects: Vec<(String, i64)>,
}

/// What became of one combination of cycles on the way to a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refinement {
    /// The processes whose cycles it combines.
    pub processes: Vec<String>,
    /// How many cycles.
    pub cycles: usize,
    /// What it would add to.
    pub grows: Vec<String>,
    /// What was looked at more closely because of it; empty if there was nothing left.
    pub refined: Vec<String>,
}

/// What the static engine counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FlowStats {
    /// Processes, or groups of them.
    pub instances: u64,
    /// Points with their values.
    pub nodes: u64,
    /// Abstract transitions.
    pub transitions: u64,
    /// Kinds of messages.
    pub message_types: u64,
    /// Counterexamples that were found.
    pub counterexamples: u64,
    /// Those that were refuted.
    pub spurious: u64,
    /// Elementary cycles, where they were enumerated.
    pub cycles: Option<u64>,
    /// Different effect vectors, where cycles were enumerated.
    pub effect_vectors: Option<u64>,
    /// Linear problems that were solved.
    pub problems: u64,
}

/// What the engine for unbounded queues counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct QueueStats {
    /// The method that answered, in words.
    pub method: String,
    /// Refinements of the abstraction, or the precision that was enough.
    pub iterations: u64,
    /// Abstract states at the end.
    pub abstract_states: u64,
    /// Abstract transitions between them.
    pub abstract_transitions: u64,
    /// Configurations that were visited one by one.
    pub configurations: u64,
    /// Control states that were looked at.
    pub controls: u64,
    /// Different sets of queue contents.
    pub languages: u64,
    /// Bytes for them.
    pub memory_bytes: u64,
    /// The invariant for people: a control state, and what the queues can hold there.
    pub invariant: Vec<(String, String)>,
}

/// What the engine for compositions counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CompositionStats {
    /// The method that answered, in words.
    pub method: String,
    /// Refinements of the partitions.
    pub iterations: u64,
    /// The most abstract states that were looked at at once.
    pub abstract_states: u64,
    /// Components, and how many classes their states are in at the end.
    pub classes: Vec<(String, u64)>,
    /// States of the automaton of the negated formula.
    pub automaton_states: u64,
    /// Bytes, estimated.
    pub memory_bytes: u64,
    /// How long the engine took to find its answer.
    pub search_time: Duration,
    /// How long the checker took to accept the proof.
    pub check_time: Duration,
}

/// What the engine for C programs counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProgramStats {
    /// Levels of the search.
    pub iterations: u64,
    /// Locations at which control was looked at.
    pub cut_points: u64,
    /// Variables that matter.
    pub variables: u64,
    /// Clauses over predicates, of all levels.
    pub lemmas: u64,
    /// Questions to the solver.
    pub solver_calls: u64,
    /// The predicates that the proof needs, as C.
    pub predicates: Vec<String>,
    /// The invariant for people: where, and what holds there.
    pub invariant: Vec<(Span, Vec<String>)>,
    /// Who accepted the proof.
    pub checked_by: String,
    /// How long the engine took to find its answer.
    pub search_time: Duration,
    /// How long the checker took to accept the proof.
    pub check_time: Duration,
}

/// A run of a C program that shows a violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramRun {
    /// Its steps, in words. Steps that show nothing are left out.
    pub steps: Vec<ProgramStep>,
    /// Of a very long run the middle is not told: behind how many steps, and how many are missing there.
    pub gap: Option<(usize, u64)>,
    /// What the program was given, in order.
    pub inputs: Vec<ProgramInput>,
    /// What is wrong at its end.
    pub problem: String,
    /// A short name of the problem: `assertion`, `error-label`, ..
    pub problem_code: &'static str,
    /// The statement that is to blame.
    pub problem_span: Span,
}

/// A step of a C program, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramStep {
    /// The statement.
    pub span: Span,
    /// The procedure that it belongs to.
    pub procedure: String,
    /// What is executed, as it is written.
    pub statement: String,
    /// The variables that changed.
    pub changes: Vec<Change>,
    /// What came from outside.
    pub remarks: Vec<String>,
}

/// A value that a program takes from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramInput {
    /// Where it comes from, for programs: `nondet`, `result`, `written`, `uninitialised`, `parameter`, `elsewhere`.
    pub kind: &'static str,
    /// The routine that gave it, if one did.
    pub routine: Option<String>,
    /// The variable that got it, as the source names it.
    pub variable: Option<String>,
    /// The value.
    pub value: String,
    /// The statement that asked for it.
    pub span: Span,
}

/// A run of a composition that shows a violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JointRun {
    /// The run itself, for replay.
    pub run: Run,
    /// Its steps, in words.
    pub steps: Vec<JointStep>,
    /// What there is to say before the first step.
    pub remarks: Vec<String>,
    /// What is wrong with it.
    pub problem: String,
    /// A short name of the problem: `deadlock`, `error-state`, `formula`.
    pub problem_code: &'static str,
    /// What in the source is to blame, if something is.
    pub problem_span: Option<Span>,
    /// For a deadlock: what each component waits for.
    pub waiting: Vec<Waiting>,
    /// Components each of which waits for the next, and the last for the first.
    pub circle: Vec<String>,
}

/// A step of a composition, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JointStep {
    /// What happens.
    pub event: String,
    /// Who takes part.
    pub participants: Vec<Participant>,
    /// What this means for the property.
    pub remarks: Vec<String>,
}

/// A component that takes part in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Participant {
    /// Its name.
    pub component: String,
    /// Where it was.
    pub from: String,
    /// Where it is then.
    pub to: String,
}

/// A component in a state in which nothing can happen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// Its name.
    pub component: String,
    /// Where it is.
    pub state: String,
    /// Where that is written.
    pub span: Span,
    /// It has done its work, and may stop there.
    pub done: bool,
    /// What it is ready for.
    pub events: Vec<Refused>,
}

/// An event that somebody is ready for, and others are not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The event.
    pub event: String,
    /// Components that refuse it, and where they are.
    pub by: Vec<(String, String)>,
}

/// More about an answer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Details {
    /// Channels, for boundedness.
    pub channels: Vec<ChannelVerdict>,
    /// The combination of cycles that nothing forbids, where there is no answer.
    pub cycles: Vec<CycleVerdict>,
    /// What that combination would add to.
    pub grows: Vec<String>,
    /// What was refuted on the way.
    pub refinements: Vec<Refinement>,
    /// What to do about it, in words.
    pub advice: Vec<String>,
    /// What was counted.
    pub flow: Option<FlowStats>,
    /// What the engine for unbounded queues counted.
    pub queues: Option<QueueStats>,
    /// What the engine for compositions counted.
    pub composition: Option<CompositionStats>,
    /// The run, for a violation by a composition.
    pub joint: Option<Box<JointRun>>,
    /// What the engine for C programs counted.
    pub program: Option<ProgramStats>,
    /// The run, for a violation by a C program.
    pub program_run: Option<Box<ProgramRun>>,
    /// The answer is shown, but does not count for the exit code: nobody asked for it.
    pub advisory: bool,
}

/// The name of a thing and its value, both as a user would write them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The variable, such as `x` or `P[1]:x`.
    pub name: String,
    /// Its new value.
    pub value: String,
}

/// A channel and the messages in it, head first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    /// The channel, as in the source.
    pub channel: String,
    /// Its messages.
    pub messages: Vec<String>,
}

/// A process that takes part in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Actor {
    /// The name of its type.
    pub name: String,
    /// Its number.
    pub instance: u32,
    /// The statement.
    pub span: Span,
}

/// One step of a run, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WitnessStep {
    /// Who moved: the sender of a rendezvous; nobody when a message is lost.
    pub actor: Option<Actor>,
    /// The receiver of a rendezvous.
    pub partner: Option<Actor>,
    /// What happened: `ch!msg(1)`, `ch?msg(1)`, a loss, or the statement.
    pub event: String,
    /// The variables that changed.
    pub changes: Vec<Change>,
    /// The channels that were touched, with what is in them now.
    pub channels: Vec<Contents>,
    /// Control stays with the process: the next step is part of the same atomic sequence.
    pub atomic: bool,
    /// What this means for the property: a condition that becomes true, a promise that is not kept.
    pub remarks: Vec<String>,
    /// The step itself, for replay.
    pub step: Step,
}

/// A process at the end of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// Which process.
    pub actor: Actor,
    /// It may stop there.
    pub valid_end: bool,
    /// The statements that it could take next, if they were executable.
    pub options: Vec<String>,
}

/// A run that shows a violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// Its steps.
    pub steps: Vec<WitnessStep>,
    /// Where the loop starts, if the run is infinite.
    pub loop_from: Option<usize>,
    /// What one round of the loop adds to channels, by name.
    pub gains: Vec<(String, i64)>,
    /// What there is to say before the first step.
    pub remarks: Vec<String>,
    /// What is wrong at its end.
    pub problem: String,
    /// A short name of the problem: `assertion`, `invalid-end-state`, ..
    pub problem_code: &'static str,
    /// The statement that is to blame, if one is.
    pub problem_span: Option<Span>,
    /// Where the processes are at the end.
    pub standing: Vec<Standing>,
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
    pub witness: Option<Witness>,
    /// The proof.
    pub certificate: Option<Certificate>,
    /// Channels, cycles, advice.
    pub details: Details,
}

/// When to stop.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Not later than this.
    pub deadline: Option<Instant>,
    /// The resident size of the process may not exceed so many bytes.
    pub memory: Option<u64>,
    /// Not more states than this.
    pub states: Option<u64>,
    /// Not deeper than this.
    pub depth: Option<u64>,
}

/// A snapshot of work that goes on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Who is working.
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

/// Whom an engine tells what it is doing; and who can stop it.
pub trait Observer: Sync {
    /// Work goes on. Called now and then, never more than a few times per second's worth of work.
    fn progress(&self, progress: Progress);

    /// The user wants it to stop.
    fn cancelled(&self) -> bool;
}

/// An observer that shows nothing and stops when its flag is set.
#[derive(Debug, Default)]
pub struct Silent {
    /// Set to stop.
    pub stop: AtomicBool,
}

impl Observer for Silent {
    fn progress(&self, _: Progress) {}

    fn cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

//! The tree of a file, one for both languages.
//!
//! Art's words are used: an actor class of ROOM is a capsule, an `ActorRef` a part, a `Binding` a connector. What one language
//! has and the other has not is a field that the other leaves empty.

use model::source::Span;

/// A name and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// Action code as it is written: a byte of `text` stands at the same distance from the start of `span`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Code {
    pub(crate) text: String,
    pub(crate) span: Span,
}

impl Code {
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// What a file declares.
#[derive(Default, Debug)]
pub(crate) struct File {
    /// ROOM: the name of the model.
    pub(crate) model: Option<Name>,
    /// ROOM: the qualified names that are imported; the last segment may be `*`.
    pub(crate) imports: Vec<String>,
    pub(crate) protocols: Vec<Protocol>,
    pub(crate) capsules: Vec<Capsule>,
    /// Enumerations of ROOM.
    pub(crate) enumerations: Vec<Enumeration>,
    /// Names of other data types of ROOM.
    pub(crate) data_types: Vec<Name>,
    /// C++ at the level of the file.
    pub(crate) snippets: Vec<Snippet>,
}

/// An enumeration: its literals with their values.
#[derive(Debug)]
pub(crate) struct Enumeration {
    pub(crate) name: Name,
    pub(crate) literals: Vec<(Name, Option<i64>)>,
}

/// C++ for a place in the generated code, such as `rt::decl`.
#[derive(Debug)]
pub(crate) struct Snippet {
    pub(crate) kind: Name,
    pub(crate) code: Code,
    /// ROOM: types and names of the parameters of an operation, and its result.
    pub(crate) signature: Option<Signature>,
}

/// Types and names of parameters, and the type of a result.
pub(crate) type Signature = (Vec<(String, String)>, String);

/// A protocol, as a port that is not conjugated sees it.
#[derive(Debug)]
pub(crate) struct Protocol {
    pub(crate) name: Name,
    pub(crate) base: Option<Name>,
    pub(crate) incoming: Vec<Event>,
    pub(crate) outgoing: Vec<Event>,
    /// ROOM: code that runs when a message passes a port, or a protocol without queues.
    pub(crate) special: Option<(Span, &'static str)>,
}

/// A message of a protocol.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) name: Name,
    /// The type of what it carries.
    pub(crate) data: Option<String>,
    pub(crate) redefine: bool,
}

/// What is done to an inherited element.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Change {
    #[default]
    None,
    Redefine,
    Exclude,
}

/// What kind of class it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClassKind {
    Capsule,
    /// A passive class with a state machine: its operations are the triggers.
    Passive,
    /// ROOM: a subsystem or a logical system, which has parts and no behaviour.
    System,
}

/// A capsule, a passive class, or a system.
#[derive(Debug)]
pub(crate) struct Capsule {
    pub(crate) name: Name,
    pub(crate) kind: ClassKind,
    pub(crate) is_abstract: bool,
    /// The superclasses that are names.
    pub(crate) bases: Vec<Name>,
    pub(crate) ports: Vec<Port>,
    pub(crate) parts: Vec<Part>,
    pub(crate) connectors: Vec<Connector>,
    pub(crate) machine: Option<(Span, Region)>,
    pub(crate) snippets: Vec<Snippet>,
    /// ROOM: paths of parts, each with the thread that runs it.
    pub(crate) threads: Vec<(Vec<String>, String)>,
    /// ROOM: variables.
    pub(crate) attributes: Vec<Attribute>,
    /// What has no place in a static structure, such as a layer connection, with words for it.
    pub(crate) special: Vec<(Span, &'static str)>,
}

/// A variable of a ROOM class.
#[derive(Debug)]
pub(crate) struct Attribute {
    pub(crate) name: Name,
    pub(crate) size: Option<Name>,
    pub(crate) ty: Name,
    pub(crate) initial: Option<Code>,
}

/// How many there are of a port or a part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Multiplicity {
    One,
    Number(u64, Span),
    /// From one number to another.
    Range(u64, u64, Span),
    /// An expression of C++, or `*`.
    Code(Code),
}

/// A port.
#[derive(Debug)]
pub(crate) struct Port {
    pub(crate) name: Name,
    pub(crate) change: Change,
    /// It can be connected from outside.
    pub(crate) service: bool,
    /// The state machine uses it.
    pub(crate) behavior: bool,
    /// `notify`, `unwired`, `publish`, `subscribe`, or a service access point.
    pub(crate) special: Option<(Span, &'static str)>,
    pub(crate) conjugated: bool,
    pub(crate) protocol: Option<Name>,
    pub(crate) multiplicity: Multiplicity,
}

/// When a part comes into being.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PartKind {
    Fixed,
    Optional,
    Plugin,
}

/// A part: another capsule inside.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) name: Name,
    pub(crate) change: Change,
    pub(crate) kind: PartKind,
    pub(crate) class: Option<Name>,
    pub(crate) multiplicity: Multiplicity,
    pub(crate) snippets: Vec<Snippet>,
}

/// One end of a connector: a port of the capsule itself or of a part.
#[derive(Debug, Clone)]
pub(crate) struct End {
    pub(crate) part: Option<Name>,
    pub(crate) port: Name,
}

/// A connector.
#[derive(Debug)]
pub(crate) struct Connector {
    pub(crate) ends: [End; 2],
    pub(crate) span: Span,
}

/// What a pseudo state is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NodeKind {
    Choice,
    Junction,
    EntryPoint,
    ExitPoint,
    /// ROOM: a point for transitions from any substate.
    TransitionPoint,
}

/// A pseudo state.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) name: Name,
    pub(crate) kind: NodeKind,
}

/// What a state, or a state machine, contains.
#[derive(Default, Debug)]
pub(crate) struct Region {
    pub(crate) states: Vec<State>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) transitions: Vec<Transition>,
    pub(crate) entry: Vec<Code>,
    pub(crate) exit: Vec<Code>,
    /// Names of inherited transitions that are left out.
    pub(crate) excluded: Vec<Name>,
    /// ROOM: code of data-driven actors that runs with every step of its thread.
    pub(crate) polled: Option<Code>,
}

/// A state.
#[derive(Debug)]
pub(crate) struct State {
    /// A path where an inherited state is refined (ROOM).
    pub(crate) path: Vec<Name>,
    pub(crate) change: Change,
    pub(crate) region: Option<Region>,
}

/// Where a transition begins or ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Vertex {
    Initial(Span),
    History {
        deep: bool,
        span: Span,
    },
    /// A vertex of the region, or a point of a state of the region.
    Path(Vec<Name>),
}

/// What a transition waits for.
#[derive(Debug)]
pub(crate) struct Trigger {
    pub(crate) kind: TriggerKind,
    pub(crate) guard: Option<Code>,
}

/// A message, or the call of an operation of a passive class.
#[derive(Debug)]
pub(crate) enum TriggerKind {
    /// An event, or every event, of a port.
    Message {
        port: Name,
        event: Option<Name>,
    },
    Call,
}

/// A transition.
#[derive(Debug)]
pub(crate) struct Transition {
    pub(crate) name: Option<Name>,
    pub(crate) redefine: bool,
    /// Both ends; an internal transition has none.
    pub(crate) ends: Option<(Vertex, Vertex)>,
    pub(crate) triggers: Vec<Trigger>,
    pub(crate) guard: Option<Code>,
    pub(crate) effect: Option<Code>,
    pub(crate) span: Span,
}

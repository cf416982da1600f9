//! The control flow of a process: statements as elements, elements to locations and edges.
//!
//! Which locations a process has decides how many states are counted, so this file builds exactly the
//! control-flow graph of SPIN's verifier (without its optimisations): every statement is an element
//! with a number, and the number is the location *before* the statement. A transition leads to the
//! next element that is a real one: [`Graph::hunt`] passes over `goto`, `break`, the joins after `if`
//! and `do`, and the frame of an `unless`, but stops at a block, whose location then offers what the
//! first statement of the block offers. Inside `atomic` it does not pass over a jump that leaves the
//! sequence, so that control is kept up to that jump.
//!
//! An escape (`unless`) is attached to every element of the main sequence; its transitions are put
//! before those of the element.

mod finish;
mod reported;
mod step;

use crate::token::Name;
use model::ids::LocationId;
use model::network::{Action, Edge, Location};
use model::source::Span;

/// An element: its index in the graph. Location `n` of the machine is element `n`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub(super) struct El(pub(super) u32);

/// A sequence of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SeqId(u32);

#[derive(Clone, Debug)]
struct Seq {
    first: Option<El>,
    last: Option<El>,
    /// The last element when the sequence was closed, before a join was appended.
    extent: Option<El>,
}

/// Where a jump goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Jump {
    /// A label, as seen from a scope.
    Label(Name, ScopeId),
    /// Out of a loop: the number of the `break` target.
    Break(u32),
}

/// A pair of braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(pub(super) u32);

#[derive(Clone, Debug)]
pub(super) enum ElKind {
    Action(Action),
    Goto(Jump),
    /// The join after `if`, `do` or `unless`.
    Join,
    /// Where `break` leads.
    BreakTarget,
    Choice,
    Loop,
    Unless,
    Block(SeqId),
    Atomic(SeqId),
    DStep(SeqId),
    /// The end of the process.
    Stop,
}

#[derive(Clone, Debug)]
struct Element {
    kind: ElKind,
    span: Span,
    next: Option<El>,
    options: Vec<SeqId>,
    /// Outermost first.
    escapes: Vec<SeqId>,
    labels: Vec<Name>,
    /// Inside an atomic sequence, and not its last statement.
    atomic: bool,
    /// The last statement of an atomic sequence.
    last_atomic: bool,
    /// Inside a deterministic step.
    in_d_step: bool,
    special: SpecialLabels,
}

#[derive(Clone, Copy, Debug, Default)]
struct SpecialLabels {
    end: bool,
    progress: bool,
    accept: bool,
}

impl SpecialLabels {
    fn any(self) -> bool {
        self.end || self.progress || self.accept
    }

    fn join(&mut self, other: SpecialLabels) {
        self.end |= other.end;
        self.progress |= other.progress;
        self.accept |= other.accept;
    }
}

/// A label of the process.
#[derive(Clone, Debug)]
pub(super) struct LabelEntry {
    pub(super) name: Name,
    pub(super) scope: ScopeId,
    pub(super) element: El,
    pub(super) span: Span,
}

/// What is wrong with the control flow.
#[derive(Clone, Debug)]
pub(super) enum FlowError {
    /// A `goto` to a label that does not exist, and the labels that do.
    NoLabel(Name, Span, Vec<Name>),
    /// Jumps that lead to themselves.
    EndlessJump(Span),
    /// A jump into or out of a deterministic step.
    CrossesDStep(Span),
    /// The creation of a process in a deterministic step.
    RunInDStep(Span),
    /// Two `else` at one place.
    TwoElse(Span),
    /// A statement that always can be taken and leads to itself.
    SelfLoop(Span),
}

/// The control flow of one process, while it is being built.
#[derive(Debug)]
pub(super) struct Graph {
    elements: Vec<Element>,
    sequences: Vec<Seq>,
    open: Vec<SeqId>,
    pub(super) labels: Vec<LabelEntry>,
    break_targets: Vec<Option<El>>,
    /// Parent of each scope.
    scopes: Vec<Option<ScopeId>>,
}

/// The locations and edges of a process.
pub(super) struct Finished {
    pub(super) locations: Vec<Location>,
    pub(super) edges: Vec<Edge>,
    pub(super) initial: LocationId,
}

/// Chains of jumps longer than this lead nowhere.
const LONGEST_HUNT: usize = 500;

impl Graph {
    pub(super) fn new() -> Self {
        // Elements count from 1, as SPIN's states do; element 0 is never used.
        let mut graph = Graph {
            elements: Vec::new(),
            sequences: Vec::new(),
            open: Vec::new(),
            labels: Vec::new(),
            break_targets: Vec::new(),
            scopes: vec![None],
        };
        graph.element(ElKind::Join, Span::NONE);
        graph
    }

    pub(super) fn scope(&mut self, parent: ScopeId) -> ScopeId {
        self.scopes.push(Some(parent));
        ScopeId(self.scopes.len() as u32 - 1)
    }

    // --- building -------------------------------------------------------------------------------

    pub(super) fn open_sequence(&mut self) {
        self.sequences.push(Seq { first: None, last: None, extent: None });
        self.open.push(SeqId(self.sequences.len() as u32 - 1));
    }

    /// Closes the innermost sequence; `None` if nothing is in it.
    pub(super) fn close_sequence(&mut self) -> Option<SeqId> {
        let id = self.open.pop()?;
        let sequence = &mut self.sequences[id.0 as usize];
        sequence.extent = sequence.last;
        sequence.first.map(|_| id)
    }

    /// How many elements there are.
    pub(super) fn count(&self) -> usize {
        self.elements.len() - 1
    }

    fn element(&mut self, kind: ElKind, span: Span) -> El {
        self.elements.push(Element {
            kind,
            span,
            next: None,
            options: Vec::new(),
            escapes: Vec::new(),
            labels: Vec::new(),
            atomic: false,
            last_atomic: false,
            in_d_step: false,
            special: SpecialLabels::default(),
        });
        El(self.elements.len() as u32 - 1)
    }

    fn at(&self, e: El) -> &Element {
        &self.elements[e.0 as usize]
    }

    fn at_mut(&mut self, e: El) -> &mut Element {
        &mut self.elements[e.0 as usize]
    }

    fn seq(&self, s: SeqId) -> &Seq {
        &self.sequences[s.0 as usize]
    }

    fn append(&mut self, e: El) {
        let Some(&sequence) = self.open.last() else { return };
        if matches!(self.at(e).kind, ElKind::Goto(_)) && self.at(e).special.any() {
            // A jump is passed over; its end, progress or accept label needs a state of its own.
            let skip = self.element(ElKind::Action(Action::Skip), self.at(e).span);
            let special = std::mem::take(&mut self.at_mut(e).special);
            let labels = std::mem::take(&mut self.at_mut(e).labels);
            for entry in self.labels.iter_mut().filter(|l| l.element == e) {
                entry.element = skip;
            }
            self.at_mut(skip).special = special;
            self.at_mut(skip).labels = labels;
            self.link(sequence, skip);
        }
        self.link(sequence, e);
    }

    fn link(&mut self, sequence: SeqId, e: El) {
        match self.seq(sequence).last {
            None => self.sequences[sequence.0 as usize].first = Some(e),
            Some(last) => self.at_mut(last).next = Some(e),
        }
        self.sequences[sequence.0 as usize].last = Some(e);
    }

    /// A statement without inner statements, with its labels.
    pub(super) fn simple(&mut self, kind: ElKind, span: Span, labels: &[LabelUse]) {
        let e = self.element(kind, span);
        self.attach_labels(e, labels);
        self.append(e);
    }

    /// `if` or `do` with its options; `break_target` for `do`.
    pub(super) fn choice(
        &mut self,
        mut options: Vec<SeqId>,
        break_target: Option<u32>,
        span: Span,
        labels: &[LabelUse],
    ) {
        let kind = if break_target.is_some() { ElKind::Loop } else { ElKind::Choice };
        let e = self.element(kind, span);
        let join = self.element(ElKind::Join, span);
        if let Some(position) = options.iter().position(|&o| self.is_else(o)) {
            let option = options.remove(position);
            options.push(option);
        }
        for &option in &options {
            self.link(option, join);
        }
        self.at_mut(e).options = options;
        self.attach_labels(e, labels);
        match break_target {
            None => {
                self.append(e);
                self.append(join);
            }
            Some(target) => {
                self.append(join);
                let exit = self.element(ElKind::BreakTarget, span);
                self.break_targets[target as usize] = Some(exit);
                self.append(e);
                self.append(exit);
            }
        }
    }

    fn is_else(&self, option: SeqId) -> bool {
        let first = self.seq(option).first.map(|e| &self.at(e).kind);
        matches!(first, Some(ElKind::Action(Action::Else)))
    }

    /// Whether some option starts with `else`.
    pub(super) fn has_else(&self, options: &[SeqId]) -> bool {
        options.iter().any(|&o| self.is_else(o))
    }

    /// Takes out a `skip` that follows another one in an option: SPIN does so, and it is a state less.
    pub(super) fn prune_skips(&mut self, option: SeqId) {
        let Seq { first, last, .. } = *self.seq(option);
        let (mut previous, mut skips, mut current) = (None, 0, first);
        while let Some(e) = current {
            let element = self.at(e);
            let (skip, print) = match &element.kind {
                ElKind::Action(Action::Skip) => (true, false),
                ElKind::Action(Action::Print { .. }) => (true, true),
                _ => (false, false),
            };
            current = if Some(e) == last { None } else { element.next };
            if skip && element.labels.is_empty() {
                skips += 1;
                if skips > 1 && !print && Some(e) != first && Some(e) != last {
                    let next = element.next;
                    if let Some(p) = previous {
                        self.at_mut(p).next = next;
                        continue;
                    }
                }
            } else {
                skips = 0;
            }
            previous = Some(e);
        }
    }

    pub(super) fn new_break_target(&mut self) -> u32 {
        self.break_targets.push(None);
        self.break_targets.len() as u32 - 1
    }

    /// `main unless escape`
    pub(super) fn unless(&mut self, main: SeqId, escape: SeqId, span: Span, labels: &[LabelUse]) {
        let e = self.element(ElKind::Unless, span);
        let join = self.element(ElKind::Join, span);
        self.link(main, join);
        self.link(escape, join);
        self.at_mut(e).options = vec![main, escape];
        self.attach_escape(main, escape);
        self.attach_labels(e, labels);
        self.append(e);
        self.append(join);
    }

    fn attach_escape(&mut self, main: SeqId, escape: SeqId) {
        let extent = self.seq(main).extent;
        let mut current = self.seq(main).first;
        while let Some(e) = current {
            self.escape_element(e, escape);
            current = if Some(e) == extent { None } else { self.at(e).next };
        }
    }

    fn escape_element(&mut self, e: El, escape: SeqId) {
        if self.at(e).escapes.contains(&escape) {
            return;
        }
        // An escape of an inner unless can itself be escaped from.
        for inner in self.at(e).escapes.clone() {
            self.attach_escape(inner, escape);
        }
        self.at_mut(e).escapes.insert(0, escape);
        match self.at(e).kind.clone() {
            ElKind::Unless => {
                if let Some(&main) = self.at(e).options.first() {
                    self.attach_escape(main, escape);
                }
            }
            ElKind::Choice | ElKind::Loop => {
                for option in self.at(e).options.clone() {
                    self.attach_escape(option, escape);
                }
            }
            ElKind::DStep(body) => {
                if let Some(first) = self.seq(body).first {
                    self.escape_element(first, escape);
                }
            }
            ElKind::Atomic(body) | ElKind::Block(body) => self.attach_escape(body, escape),
            _ => {}
        }
    }

    fn attach_labels(&mut self, e: El, labels: &[LabelUse]) {
        for label in labels {
            self.labels.push(LabelEntry { name: label.name, scope: label.scope, element: e, span: label.span });
            self.at_mut(e).labels.push(label.name);
            let special =
                SpecialLabels { end: label.is("end"), progress: label.is("progress"), accept: label.is("accept") };
            self.at_mut(e).special.join(special);
        }
    }

    /// Marks the elements of an atomic sequence, or of a deterministic step.
    pub(super) fn make_atomic(&mut self, body: SeqId, d_step: bool) {
        self.walk_atomic(body, d_step);
        let Some(last) = self.seq(body).last else { return };
        match self.at(last).kind {
            ElKind::Block(inner) | ElKind::Atomic(inner) => self.make_atomic(inner, d_step),
            ElKind::Unless => {
                if let Some(&main) = self.at(last).options.first() {
                    self.make_atomic(main, d_step);
                }
            }
            _ => {
                let last = self.at_mut(last);
                last.atomic = false;
                last.last_atomic = true;
            }
        }
    }

    fn walk_atomic(&mut self, body: SeqId, d_step: bool) {
        let last = self.seq(body).last;
        let mut current = self.seq(body).first;
        while let Some(e) = current {
            let element = self.at_mut(e);
            element.atomic = true;
            element.in_d_step |= d_step;
            match element.kind {
                ElKind::DStep(inner) if d_step => element.kind = ElKind::Block(inner),
                ElKind::Atomic(inner) => element.kind = ElKind::Block(inner),
                _ => {}
            }
            if let ElKind::Block(inner) = element.kind {
                self.walk_atomic(inner, d_step);
            }
            for option in self.at(e).options.clone() {
                self.walk_atomic(option, d_step);
            }
            current = if Some(e) == last { None } else { self.at(e).next };
        }
    }

    /// A label that another process asks about must not be on a jump: it gets a state of its own.
    pub(super) fn keep_label(&mut self, e: El) -> bool {
        if !matches!(self.at(e).kind, ElKind::Goto(_)) {
            return false;
        }
        let jump = self.elements[e.0 as usize].clone();
        let moved = self.element(jump.kind.clone(), jump.span);
        let target = self.at_mut(moved);
        target.next = jump.next;
        target.escapes = jump.escapes;
        target.atomic = jump.atomic;
        target.last_atomic = jump.last_atomic;
        target.in_d_step = jump.in_d_step;
        let element = self.at_mut(e);
        element.kind = ElKind::Action(Action::Skip);
        element.next = Some(moved);
        true
    }

    /// The label that a name means, seen from a scope: in the same braces, else around them, else anywhere.
    pub(super) fn find_label(&self, name: Name, from: ScopeId) -> Option<&LabelEntry> {
        let candidates = || self.labels.iter().filter(|l| l.name == name);
        candidates()
            .find(|l| l.scope == from)
            .or_else(|| candidates().find(|l| self.encloses(l.scope, from)))
            .or_else(|| candidates().next_back())
    }

    /// The label of a name that another process asks about: the first one.
    pub(super) fn first_label(&self, name: Name) -> Option<&LabelEntry> {
        self.labels
            .iter()
            .find(|l| l.name == name && l.scope == ScopeId(0))
            .or_else(|| self.labels.iter().find(|l| l.name == name))
    }

    fn encloses(&self, outer: ScopeId, mut inner: ScopeId) -> bool {
        while let Some(parent) = self.scopes[inner.0 as usize] {
            if parent == outer {
                return true;
            }
            inner = parent;
        }
        false
    }
}

/// A label as it is used: its text decides what it means.
#[derive(Clone, Debug)]
pub(super) struct LabelUse {
    pub(super) name: Name,
    pub(super) text: String,
    pub(super) scope: ScopeId,
    pub(super) span: Span,
}

impl LabelUse {
    fn is(&self, prefix: &str) -> bool {
        self.text.starts_with(prefix)
    }
}

//! A state machine after inheritance: states, pseudo states and transitions in tables, their ends looked up.

use super::Messages;
use super::classes::{PortData, nothing_inherited};
use crate::ast::{
    Capsule, Change, ClassKind, Code, Name, NodeKind, Region, State, Transition, Trigger, TriggerKind, Vertex,
};
use model::diagnostic::Diagnostic;
use model::source::Span;
use std::collections::HashMap;

/// A state machine.
#[derive(Debug)]
pub(crate) struct MachineData<'a> {
    pub(crate) states: Vec<StateData<'a>>,
    pub(crate) nodes: Vec<NodeData<'a>>,
    pub(crate) transitions: Vec<TransitionData<'a>>,
    pub(crate) span: Span,
    room: bool,
}

/// A state.
#[derive(Debug)]
pub(crate) struct StateData<'a> {
    pub(crate) name: &'a Name,
    pub(crate) parent: Option<usize>,
    pub(crate) entry: Vec<&'a Code>,
    pub(crate) exit: Vec<&'a Code>,
    pub(crate) polled: Option<&'a Code>,
    /// It is left out by a derived capsule.
    excluded: bool,
}

/// A pseudo state.
#[derive(Debug)]
pub(crate) struct NodeData<'a> {
    pub(crate) name: &'a Name,
    pub(crate) kind: NodeKind,
    pub(crate) parent: Option<usize>,
}

/// A transition.
#[derive(Debug)]
pub(crate) struct TransitionData<'a> {
    pub(crate) name: Option<&'a Name>,
    /// The state whose region it lies in.
    pub(crate) owner: Option<usize>,
    ends: Option<&'a (Vertex, Vertex)>,
    /// Where it begins and ends; `None` for an internal transition.
    pub(crate) vertices: Option<(VertexId, VertexId)>,
    pub(crate) triggers: &'a [Trigger],
    pub(crate) guard: Option<&'a Code>,
    pub(crate) effect: Option<&'a Code>,
    /// Effects of the capsules it is inherited from, the most general first: ROOM runs them before its own, in Art its own may
    /// call the last of them.
    pub(crate) earlier: Vec<&'a Code>,
    /// A redefinition in Art leaves out the effect or the guard; whether it is inherited then is not documented.
    pub(crate) unclear_effect: bool,
    pub(crate) unclear_guard: bool,
    /// It redefines an inherited one.
    pub(crate) redefined: bool,
    pub(crate) span: Span,
    /// It is left out by a derived capsule, unless a capsule that is derived from that one redefines it.
    excluded: bool,
}

/// A vertex of a state machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub(crate) enum VertexId {
    Initial,
    History { deep: bool },
    State(usize),
    Node(usize),
}

impl<'a> MachineData<'a> {
    /// The state machine that a capsule has with what it inherits; `None` if there is none.
    pub(super) fn new(
        lineage: &[&'a Capsule],
        ports: &[PortData<'a>],
        room: bool,
        messages: &mut Messages<'_>,
    ) -> Option<MachineData<'a>> {
        let (span, _) = lineage.iter().rev().find_map(|capsule| capsule.machine.as_ref())?;
        let (states, nodes, transitions) = (Vec::new(), Vec::new(), Vec::new());
        let mut machine = MachineData { states, nodes, transitions, span: *span, room };
        for (_, region) in lineage.iter().filter_map(|capsule| capsule.machine.as_ref()) {
            machine.merge(region, None, messages);
        }
        machine.drop_excluded();
        machine.connect(messages);
        machine.check_initial(messages);
        let passive = lineage.last().is_some_and(|capsule| capsule.kind == ClassKind::Passive);
        machine.check_triggers(ports, passive, messages);
        Some(machine)
    }

    /// Adds a region to what was inherited.
    fn merge(&mut self, region: &'a Region, owner: Option<usize>, messages: &mut Messages<'_>) {
        for state in &region.states {
            self.merge_state(state, owner, messages);
        }
        for node in &region.nodes {
            if let Some(first) = self.named(&node.name.text, owner) {
                messages.twice("vertex", &node.name, first);
                continue;
            }
            self.nodes.push(NodeData { name: &node.name, kind: node.kind, parent: owner });
        }
        for transition in &region.transitions {
            self.merge_transition(transition, owner, messages);
        }
        for name in &region.excluded {
            let named = |t: &&mut TransitionData<'_>| t.owner == owner && t.name.is_some_and(|n| n.text == name.text);
            match self.transitions.iter_mut().find(named) {
                Some(transition) => transition.excluded = true,
                None => nothing_inherited("transition", name, messages),
            }
        }
    }

    fn merge_state(&mut self, state: &'a State, owner: Option<usize>, messages: &mut Messages<'_>) {
        let name = &state.path[state.path.len() - 1];
        let index = if state.change == Change::None {
            if let Some(first) = self.named(&name.text, owner) {
                messages.twice("vertex", name, first);
                return;
            }
            let (entry, exit) = (Vec::new(), Vec::new());
            self.states.push(StateData { name, parent: owner, entry, exit, polled: None, excluded: false });
            self.states.len() - 1
        } else {
            let mut found = owner;
            for step in &state.path {
                let next = self.states.iter().position(|s| s.name.text == step.text && s.parent == found);
                if next.is_none() {
                    nothing_inherited("state", step, messages);
                    return;
                }
                found = next;
            }
            let Some(found) = found else { return };
            if state.change == Change::Exclude {
                self.states[found].excluded = true;
                return;
            }
            found
        };
        if let Some(region) = &state.region {
            let data = &mut self.states[index];
            // Code of a redefinition replaces what is inherited in Art, and follows it in ROOM.
            for (code, own) in [(&mut data.entry, &region.entry), (&mut data.exit, &region.exit)] {
                if !own.is_empty() && state.change == Change::Redefine && !self.room {
                    code.clear();
                }
                code.extend(own);
            }
            data.polled = data.polled.or(region.polled.as_ref());
            self.merge(region, Some(index), messages);
        }
    }

    fn merge_transition(&mut self, transition: &'a Transition, owner: Option<usize>, messages: &mut Messages<'_>) {
        let name = transition.name.as_ref();
        let same = |t: &TransitionData<'_>| {
            let known = t.name.map(|n| n.text.as_str());
            known.is_some() && known == name.map(|n| super::simple(&n.text))
        };
        let qualified = name.is_some_and(|n| n.text.contains('.'));
        let known = self.transitions.iter().position(|t| same(t) && (t.owner == owner || qualified));
        if transition.redefine {
            let (Some(known), Some(_)) = (known, name) else {
                let nowhere = Name { text: String::new(), span: transition.span };
                nothing_inherited("transition", name.unwrap_or(&nowhere), messages);
                return;
            };
            let room = self.room;
            let data = &mut self.transitions[known];
            data.ends = transition.ends.as_ref().or(data.ends);
            match &transition.effect {
                Some(effect) => {
                    data.earlier.extend(data.effect.replace(effect));
                    data.unclear_effect = false;
                }
                None => data.unclear_effect |= !room && data.effect.is_some_and(|code| !code.is_blank()),
            }
            match &transition.guard {
                Some(guard) => (data.guard, data.unclear_guard) = (Some(guard), false),
                None => data.unclear_guard |= !room && data.guard.is_some_and(|code| code.text.trim() != "true"),
            }
            // A transition that waits for nothing would be wrong, so triggers are inherited.
            if !transition.triggers.is_empty() {
                data.triggers = &transition.triggers;
            }
            data.excluded = false;
            data.redefined = true;
            return;
        }
        if let (Some(known), Some(name)) = (known, name) {
            let first = self.transitions[known].name.map_or(name.span, |n| n.span);
            messages.twice("transition", name, first);
        }
        self.transitions.push(TransitionData {
            name,
            owner,
            ends: transition.ends.as_ref(),
            vertices: None,
            triggers: &transition.triggers,
            guard: transition.guard.as_ref(),
            effect: transition.effect.as_ref(),
            earlier: Vec::new(),
            unclear_effect: false,
            unclear_guard: false,
            redefined: false,
            span: transition.span,
            excluded: false,
        });
    }

    /// The place of the vertex of a name in a region.
    fn named(&self, name: &str, owner: Option<usize>) -> Option<Span> {
        let state = self.states.iter().find(|s| s.parent == owner && s.name.text == name).map(|s| s.name.span);
        let node = || self.nodes.iter().find(|n| n.parent == owner && n.name.text == name).map(|n| n.name.span);
        state.or_else(node)
    }

    /// Whether a state or one around it is left out.
    fn is_excluded(&self, state: Option<usize>) -> bool {
        let mut next = state;
        while let Some(state) = next {
            if self.states[state].excluded {
                return true;
            }
            next = self.states[state].parent;
        }
        false
    }

    /// A transition is left out with the state in which it lies, begins or ends.
    fn drop_excluded(&mut self) {
        // Names that do not exist are reported later.
        let mut quiet = Vec::new();
        let mut ignored = Messages::new(&mut quiet);
        let kept: Vec<bool> = self
            .transitions
            .iter()
            .map(|t| {
                let gone = |vertex: &Vertex, ignored: &mut Messages<'_>| match self.vertex(vertex, t.owner, ignored) {
                    Some(VertexId::State(state)) => self.is_excluded(Some(state)),
                    Some(VertexId::Node(node)) => self.is_excluded(self.nodes[node].parent),
                    _ => false,
                };
                let ends = t.ends.is_some_and(|(a, b)| gone(a, &mut ignored) || gone(b, &mut ignored));
                !ends && !t.excluded && !self.is_excluded(t.owner)
            })
            .collect();
        let mut kept = kept.into_iter();
        self.transitions.retain(|_| kept.next().unwrap_or(true));
    }

    fn connect(&mut self, messages: &mut Messages<'_>) {
        for index in 0..self.transitions.len() {
            let (owner, ends) = (self.transitions[index].owner, self.transitions[index].ends);
            let Some((from, to)) = ends else { continue };
            let (from, to) = (self.vertex(from, owner, messages), self.vertex(to, owner, messages));
            self.transitions[index].vertices = from.zip(to);
            if to == Some(VertexId::Initial) || matches!(from, Some(VertexId::History { .. })) {
                let span = self.transitions[index].span;
                let error = Diagnostic::error("U0115", span, "a transition begins at `initial` or ends at `history`");
                messages.report(error.label("not the other way round"));
            }
        }
    }

    /// The vertex that an end of a transition in the region of `owner` names.
    fn vertex(&self, vertex: &Vertex, owner: Option<usize>, messages: &mut Messages<'_>) -> Option<VertexId> {
        let path = match vertex {
            Vertex::Initial(_) => return Some(VertexId::Initial),
            Vertex::History { deep, .. } => return Some(VertexId::History { deep: *deep }),
            Vertex::Path(path) => path,
        };
        let mut within = owner;
        for (step, name) in path.iter().enumerate() {
            let state = self.states.iter().position(|s| s.parent == within && s.name.text == name.text);
            if let Some(state) = state {
                if step + 1 == path.len() {
                    return Some(VertexId::State(state));
                }
                within = Some(state);
                continue;
            }
            let node = self.nodes.iter().position(|n| n.parent == within && n.name.text == name.text);
            if let Some(node) = node.filter(|_| step + 1 == path.len()) {
                return Some(VertexId::Node(node));
            }
            let states = self.states.iter().filter(|s| s.parent == within).map(|s| s.name.text.as_str());
            let nodes = self.nodes.iter().filter(|n| n.parent == within).map(|n| n.name.text.as_str());
            messages.unknown("U0113", "state or pseudo state", name, states.chain(nodes));
            return None;
        }
        None
    }

    /// At most one initial transition per region.
    fn check_initial(&self, messages: &mut Messages<'_>) {
        let mut first: HashMap<Option<usize>, Span> = HashMap::new();
        for transition in &self.transitions {
            if !matches!(transition.vertices, Some((VertexId::Initial, _))) {
                continue;
            }
            if let Some(first) = first.insert(transition.owner, transition.span) {
                let error = Diagnostic::error("U0114", transition.span, "a state machine has one initial transition");
                messages.report(error.label("this is another one").also(first, "first here"));
            }
        }
    }

    /// Whether the region of a state, or of the whole, has an initial transition.
    pub(crate) fn initial(&self, owner: Option<usize>) -> Option<usize> {
        let is_initial =
            |t: &TransitionData<'_>| t.owner == owner && matches!(t.vertices, Some((VertexId::Initial, _)));
        self.transitions.iter().position(is_initial)
    }

    /// Triggers name behaviour ports and messages that they receive.
    fn check_triggers(&self, ports: &[PortData<'a>], passive: bool, messages: &mut Messages<'_>) {
        for trigger in self.transitions.iter().flat_map(|t| t.triggers) {
            let TriggerKind::Message { port, event } = &trigger.kind else {
                continue;
            };
            if passive {
                continue;
            }
            let Some(data) = ports.iter().find(|p| p.name.text == port.text) else {
                messages.unknown("U0105", "port", port, ports.iter().map(|p| p.name.text.as_str()));
                continue;
            };
            let Some(event) = event else { continue };
            // Those of a port that is told about its connections.
            let built_in = ["rtBound", "rtUnbound"].contains(&event.text.as_str());
            if !built_in && !data.alphabet.incoming.iter().any(|known| known.text == event.text) {
                let sent = data.alphabet.outgoing.iter().any(|known| known.text == event.text);
                let known = data.alphabet.incoming.iter().map(|name| name.text.as_str());
                if sent {
                    let text = format!("port `{}` sends `{}` and never receives it", port.text, event.text);
                    let error = Diagnostic::error("U0117", event.span, text).also(data.name.span, "the port");
                    messages.report(error.help("if it is meant to receive it, the port or its protocol is the wrong way round: `~` conjugates a port"));
                } else {
                    messages.unknown("U0117", "message that this port receives,", event, known);
                }
            }
        }
    }
}

//! ROOM: state graphs, with their transitions and triggers.

use super::super::{Parsed, Parser};
use crate::ast::{Change, Node, NodeKind, Region, State, Transition, Trigger, TriggerKind, Vertex};
use crate::lexer::TokenKind;

const GRAPH_WORDS: [&str; 10] = [
    "State",
    "RefinedState",
    "Transition",
    "RefinedTransition",
    "ChoicePoint",
    "TransitionPoint",
    "handler",
    "EntryPoint",
    "ExitPoint",
    "subgraph",
];

impl Parser<'_> {
    /// `"{" {state | point | choice | transition} "}"`
    pub(super) fn graph(&mut self) -> Parsed<Region> {
        self.deeper(|parser| {
            let mut region = Region::default();
            let item = |parser: &mut Self| parser.graph_item(&mut region);
            parser.block(item, |parser| parser.resume_at_word(&GRAPH_WORDS))?;
            Ok(region)
        })
    }

    pub(super) fn graph_item(&mut self, region: &mut Region) -> Parsed<()> {
        let word = self.peek();
        let kind = match word.text {
            "State" | "RefinedState" => {
                region.states.push(self.room_state()?);
                return Ok(());
            }
            "Transition" => {
                region.transitions.push(self.room_transition()?);
                return Ok(());
            }
            "RefinedTransition" => {
                region.transitions.push(self.refined_transition()?);
                return Ok(());
            }
            "handler" | "TransitionPoint" => NodeKind::TransitionPoint,
            "EntryPoint" => NodeKind::EntryPoint,
            "ExitPoint" => NodeKind::ExitPoint,
            "ChoicePoint" => NodeKind::Choice,
            _ => return Err(self.unexpected("a state, a point or a transition")),
        };
        self.eat("handler");
        if kind == NodeKind::TransitionPoint && !self.is("TransitionPoint") {
            return Err(self.unexpected("`TransitionPoint`"));
        }
        self.next();
        let name = self.room_name("a point")?;
        self.documentation()?;
        region.nodes.push(Node { name, kind });
        Ok(())
    }

    pub(super) fn room_state(&mut self) -> Parsed<State> {
        let refined = self.next().text == "RefinedState";
        let mut path = vec![self.room_name("a state")?];
        while refined && self.eat(".") {
            path.push(self.room_name("a state")?);
        }
        self.documentation()?;
        let change = if refined { Change::Redefine } else { Change::None };
        if !self.eat("{") {
            return Ok(State { path, change, region: None });
        }
        self.annotations()?;
        let mut entry = Vec::new();
        let mut exit = Vec::new();
        let mut polled = None;
        while self.is("entry") || self.is("exit") || self.is("do") {
            match self.next().text {
                "entry" => entry.push(self.detail_code()?),
                "exit" => exit.push(self.detail_code()?),
                _ => polled = Some(self.detail_code()?),
            }
        }
        let mut region = if self.eat("subgraph") { self.graph()? } else { Region::default() };
        self.expect("}")?;
        (region.entry, region.exit, region.polled) = (entry, exit, polled);
        Ok(State { path, change, region: Some(region) })
    }

    /// `"Transition" [ID] ":" terminal "->" terminal [docu] ["{" [triggers | guard | cond] ["action" code] "}"]`
    pub(super) fn room_transition(&mut self) -> Parsed<Transition> {
        let start = self.next().span;
        let name = if self.is(":") { None } else { Some(self.room_name("a transition")?) };
        self.expect(":")?;
        let initial = self.peek().span;
        let from = if self.is("initial") && self.is_ahead(1, "->") {
            self.next();
            Vertex::Initial(initial)
        } else {
            self.terminal()?
        };
        self.expect("->")?;
        let to = self.terminal()?;
        let mut span = start.to(self.tokens[self.at - 1].span);
        self.documentation()?;
        let (mut triggers, mut guard, mut effect) = (Vec::new(), None, None);
        if self.eat("{") {
            self.annotations()?;
            if self.eat("triggers") {
                self.expect("{")?;
                self.annotations()?;
                loop {
                    self.room_trigger(&mut triggers)?;
                    if !self.eat("or") {
                        break;
                    }
                }
                self.expect("}")?;
            } else if self.is("guard") || self.is("cond") {
                self.next();
                guard = Some(self.detail_code()?);
            }
            if self.eat("action") {
                effect = Some(self.detail_code()?);
            }
            span = span.to(self.expect("}")?.span);
        }
        Ok(Transition { name, redefine: false, ends: Some((from, to)), triggers, guard, effect, span })
    }

    /// `"RefinedTransition" FQN "{" "action" code "}"`
    pub(super) fn refined_transition(&mut self) -> Parsed<Transition> {
        let start = self.next().span;
        let name = self.qualified_name("a transition")?;
        self.documentation()?;
        self.expect("{")?;
        self.annotations()?;
        self.expect("action")?;
        let effect = Some(self.detail_code()?);
        let span = start.to(self.expect("}")?.span);
        let (triggers, guard) = (Vec::new(), None);
        Ok(Transition { name: Some(name), redefine: true, ends: None, triggers, guard, effect, span })
    }

    /// `ID`, `"my" ID`, `ID "of" ID`, `"cp" ID`
    pub(super) fn terminal(&mut self) -> Parsed<Vertex> {
        let named = self.ahead(1).kind == TokenKind::Name;
        if named && (self.is("my") || self.is("cp")) && !self.is_ahead(1, "of") {
            self.next();
            return Ok(Vertex::Path(vec![self.room_name("a point")?]));
        }
        let first = self.room_name("a state or a point")?;
        if self.eat("of") {
            return Ok(Vertex::Path(vec![self.room_name("a state")?, first]));
        }
        Ok(Vertex::Path(vec![first]))
    }

    /// `"<" ID ":" ID {"|" ID ":" ID} ["guard" code] ">"`
    pub(super) fn room_trigger(&mut self, triggers: &mut Vec<Trigger>) -> Parsed<()> {
        self.expect("<")?;
        let mut messages = Vec::new();
        loop {
            let event = self.room_name("a message")?;
            self.expect(":")?;
            messages.push((self.room_name("a port")?, event));
            if !self.eat("|") {
                break;
            }
        }
        let guard = if self.eat("guard") { Some(self.detail_code()?) } else { None };
        self.expect(">")?;
        triggers.extend(messages.into_iter().map(|(port, event)| Trigger {
            kind: TriggerKind::Message { port, event: Some(event) },
            guard: guard.clone(),
        }));
        Ok(())
    }
}

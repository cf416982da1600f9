//! Statements that have statements in them.

use super::{Generator, Kind, Place, Var};
use crate::spin::tree::{Block, Feature, Node};

impl Generator {
    /// Builds in another place.
    fn placed<T>(&mut self, place: Place, build: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.place, Place { nested: true, ..place });
        let built = self.scoped(build);
        self.place = before;
        built
    }

    fn block_of(&mut self, open: &str, place: Place, length: usize, depth: usize) -> Block {
        let items = self.placed(place, |g| g.sequence(length, depth));
        Block { open: open.to_owned(), items }
    }

    fn compound(head: &str, blocks: Vec<Block>, tail: &str, features: Vec<Feature>) -> Node {
        Node { head: head.to_owned(), blocks, tail: tail.to_owned(), features, ..Node::default() }
    }

    /// A first statement of an option: a guard, or a statement that can block, or any.
    fn option(&mut self, place: Place, depth: usize) -> Block {
        self.placed(place, |g| {
            let mut first = match g.random.below(4) {
                0 => g.send(),
                1 => g.receive(),
                2 if !g.place.d_step && !g.place.in_loop => Some(g.statement(0)),
                _ => None,
            };
            g.features.clear();
            g.used.clear();
            if first.is_none() {
                let condition = g.test_of(1);
                g.uses("expression");
                first = Some(g.node(condition));
            }
            let mut items = Vec::new();
            items.extend(first);
            if g.maybe("arrow", 60) {
                items[0].arrow = true;
                items[0].features.push("arrow");
            }
            let length = g.random.below(2) + usize::from(g.random.chance(20));
            items.extend(g.sequence(length, depth - 1));
            Block { open: ":: ".to_owned(), items }
        })
    }

    pub(super) fn choice(&mut self, depth: usize) -> Option<Node> {
        let place = self.place;
        let count = 1 + self.random.below(3);
        let mut blocks: Vec<Block> = (0..count).map(|_| self.option(place, depth)).collect();
        let mut features = vec!["if"];
        let asks = blocks.iter().any(first_has_a_message);
        if place.d_step || (self.maybe("else", 50) && !asks) {
            if asks {
                blocks.retain(|b| !first_has_a_message(b));
            }
            features.push("else");
            blocks.push(self.block_of(":: else -> ", place, 1, depth - 1));
        }
        Some(Self::compound("if", blocks, "fi", features))
    }

    /// Inside of one step the loop is bounded by a counter of its own.
    pub(super) fn repetition(&mut self, depth: usize) -> Option<Node> {
        if self.place.d_step || self.place.atomic || self.place.inline {
            return self.bounded(depth);
        }
        let place = Place { in_loop: true, breakable: true, ..self.place };
        let count = 1 + self.random.below(3);
        let mut blocks: Vec<Block> = (0..count).map(|_| self.option(place, depth)).collect();
        let mut features = vec!["do"];
        let asks = blocks.iter().any(first_has_a_message);
        if self.random.chance(70) {
            let mut leave = Node::leaf("break");
            leave.features.push("break");
            let otherwise = self.maybe("else", 50) && !asks;
            if otherwise {
                features.push("else");
            }
            let condition = if otherwise { "else".to_owned() } else { self.test_of(1) };
            self.features.clear();
            self.used.clear();
            blocks.push(Block { open: format!(":: {condition} -> "), items: vec![leave] });
        }
        Some(Self::compound("do", blocks, "od", features))
    }

    /// `do :: i < 2 -> ..; i++ :: else -> break od` over a counter that nothing else changes.
    fn bounded(&mut self, depth: usize) -> Option<Node> {
        let counter = self.counter()?;
        let place = Place { in_loop: true, breakable: false, ..self.place };
        let mut block = self.block_of(&format!(":: {counter} < 2 -> "), place, 1, depth - 1);
        block.items.push(Node::leaf(format!("{counter}++")));
        let leave = Block {
            open: ":: else -> ".to_owned(),
            items: vec![Node::leaf(format!("{counter} = 0")), Node::leaf("break")],
        };
        Some(Self::compound("do", vec![block, leave], "od", vec!["do", "else", "break"]))
    }

    pub(super) fn counter(&mut self) -> Option<String> {
        if self.place.inline {
            return None;
        }
        let name = self.name("i");
        self.counters.push(name.clone());
        Some(name)
    }

    pub(super) fn atomic(&mut self, depth: usize) -> Option<Node> {
        let mut features = vec!["atomic"];
        if self.place.d_step {
            features.push("atomic-in-d_step");
        } else if self.place.atomic {
            features.push("atomic-in-atomic");
        }
        if self.place.unless {
            features.push("atomic-in-unless");
        }
        let place = Place { atomic: true, breakable: false, ..self.place };
        let length = 1 + self.random.below(3);
        let block = self.block_of("", place, length, depth - 1);
        Some(Self::compound("atomic {", vec![block], "}", features))
    }

    pub(super) fn d_step(&mut self, depth: usize) -> Option<Node> {
        let mut features = vec!["d_step"];
        if self.place.d_step {
            return None;
        }
        if self.place.atomic {
            features.push("d_step-in-atomic");
        }
        if self.place.unless {
            features.push("d_step-in-unless");
        }
        let place = Place { d_step: true, breakable: false, ..self.place };
        let mut block = self.block_of("", place, 1, depth - 1);
        if self.random.chance(50) {
            let guard = self.placed(place, |g| g.test_of(1));
            self.uses("expression");
            block.items.insert(0, Node::leaf(""));
            block.items[0] = self.node(guard);
        }
        let more = self.block_of("", place, 1 + self.place.atomic as usize, depth - 1);
        block.items.extend(more.items);
        Some(Self::compound("d_step {", vec![block], "}", features))
    }

    pub(super) fn block(&mut self, depth: usize) -> Option<Node> {
        let mut features = vec!["block"];
        let declares = self.maybe("block-declaration", 60);
        let channel = self.maybe("channel-in-block", 30);
        let place = self.place;
        let length = 1 + self.random.below(2);
        let items = self.placed(place, |g| {
            let mut items = Vec::new();
            if declares {
                items.push(g.declare_variable(false));
                features.push("block-declaration");
            }
            if channel {
                items.push(g.declare_channel("channel-in-block"));
            }
            items.extend(g.sequence(length, depth - 1));
            items
        });
        Some(Self::compound("{", vec![Block { open: String::new(), items }], "}", features))
    }

    pub(super) fn unless(&mut self, depth: usize) -> Option<Node> {
        if self.place.d_step {
            return None;
        }
        let mut features = vec!["unless"];
        if self.place.atomic {
            features.push("unless-in-atomic");
        }
        if self.place.unless {
            features.push("unless-in-unless");
        }
        let place = Place { unless: true, breakable: false, ..self.place };
        let length = 1 + self.random.below(2);
        let mut main = self.block_of("", place, length, depth - 1);
        // SPIN's verifier gets stuck at an escape around a jump out of an atomic sequence.
        if place.atomic && main.items[0].features.contains(&"goto") {
            main.items.insert(0, Node::leaf("skip"));
        }
        let mut escape = self.option(place, depth);
        escape.open = "} unless {".to_owned();
        Some(Self::compound("{", vec![main, escape], "}", features))
    }

    fn loop_variable(&mut self) -> Option<String> {
        self.counter()
    }

    pub(super) fn for_range(&mut self, depth: usize) -> Option<Node> {
        let variable = self.loop_variable()?;
        let place = Place { in_loop: true, breakable: false, ..self.place };
        let from = self.random.below(2);
        let to = from + self.random.below(2);
        let mut block = self.for_block(&variable, place, depth);
        block.open = String::new();
        Some(Self::compound(&format!("for ({variable} : {from} .. {to}) {{"), vec![block], "}", vec!["for-range"]))
    }

    fn for_block(&mut self, variable: &str, place: Place, depth: usize) -> Block {
        let items = self.placed(place, |g| {
            let kind = Kind::Byte;
            g.scope.vars.push(Var {
                path: variable.to_owned(),
                kind,
                features: vec!["byte"],
                fixed: true,
                wide_bit: false,
                computed: false,
            });
            g.sequence(1, depth - 1)
        });
        Block { open: String::new(), items }
    }

    pub(super) fn for_array(&mut self, depth: usize) -> Option<Node> {
        let arrays = self.scope.arrays.clone();
        let (array, _) = (!arrays.is_empty()).then(|| self.random.pick(&arrays).clone())?;
        let variable = self.loop_variable()?;
        let place = Place { in_loop: true, breakable: false, ..self.place };
        let block = self.for_block(&variable, place, depth);
        Some(Self::compound(&format!("for ({variable} in {array}) {{"), vec![block], "}", vec!["for-array", "array"]))
    }

    /// Over the messages of a channel, which are of a typedef; there is one.
    pub(super) fn for_channel(&mut self, depth: usize) -> Option<Node> {
        let messages = self.messages.iter().position(|m| matches!(m[0], Kind::Struct(_)) && m.len() == 1)?;
        let Kind::Struct(typedef) = self.messages[messages][0] else { return None };
        let vars: Vec<_> = self
            .scope
            .structs
            .iter()
            .filter(|s| s.typedef == typedef && !s.path.contains(['[', '.']))
            .cloned()
            .collect();
        let var = (!vars.is_empty()).then(|| self.random.pick(&vars).clone())?;
        let chan = self.channel(|c| c.messages == messages && c.capacity.is_some_and(|n| n > 0))?;
        self.uses("for-channel");
        let path = var.path;
        let filled = format!("if :: nfull({chan}) -> {chan}!{path} :: full({chan}) fi");
        let mut node = self.node(format!("{filled}; for ({path} in {chan}) {{"));
        let place = Place { in_loop: true, breakable: false, ..self.place };
        node.blocks.push(self.block_of("", place, 1, depth - 1));
        node.tail = "}".to_owned();
        Some(node)
    }

    /// `do :: _nr_pr < 4 -> run P() :: .. -> break od`: processes die, and their numbers are used again.
    pub(super) fn run_in_loop(&mut self, _depth: usize) -> Option<Node> {
        if self.place.d_step || self.place.atomic || self.place.inline {
            return None;
        }
        let call = self.placed(Place { in_loop: false, ..self.place }, Self::call)?;
        self.uses("run-in-loop");
        self.uses("_nr_pr");
        self.uses("run");
        let run = self.node(call);
        let first = Block { open: format!(":: _nr_pr < {} -> ", 3 + self.random.below(2)), items: vec![run] };
        let leave = Block { open: ":: true -> ".to_owned(), items: vec![Node::leaf("break")] };
        Some(Self::compound("do", vec![first, leave], "od", vec!["do", "break"]))
    }

    /// A call of an inline that is defined for this place.
    pub(super) fn inline(&mut self, depth: usize) -> Option<Node> {
        if self.inlines.len() > 2 {
            return None;
        }
        let vars: Vec<Var> =
            self.scope.vars.iter().filter(|v| !v.fixed && v.kind == Kind::Byte && !v.computed).cloned().collect();
        let nested = self.place.inline;
        let name = self.name("call");
        let mut features = vec!["inline"];
        if nested {
            features.push("inline-nested");
        }
        let channel = self.maybe("channel-in-inline", 40);
        let place = Place { inline: true, breakable: false, ..self.place };
        let items = self.placed(place, |g| {
            let mut items = Vec::new();
            if channel {
                items.push(g.declare_channel("channel-in-inline"));
            }
            if !vars.is_empty() {
                items.push(Node::leaf("x = x ^ 1"));
            }
            items.extend(g.sequence(2, depth - 1));
            items
        });
        let parameter = if vars.is_empty() { "" } else { "x" };
        let mut definition = Self::compound(
            &format!("inline {name}({parameter}) {{"),
            vec![Block { open: String::new(), items }],
            "}",
            vec![],
        );
        definition.process = Some(self.process.clone());
        self.inlines.push(definition);
        let argument = if vars.is_empty() { String::new() } else { self.random.pick(&vars).path.clone() };
        let mut node = Node::leaf(format!("{name}({argument})"));
        node.features = features;
        Some(node)
    }
}

fn first_has_a_message(block: &Block) -> bool {
    block.items.first().is_some_and(|n| {
        let f = &n.features;
        f.iter().any(|f| f.starts_with("send") || f.starts_with("receive"))
    })
}

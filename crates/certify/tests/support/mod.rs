//! Small models, what the flow engine proves of them, and what is true of them by explicit search.

#![allow(dead_code)]

pub mod known;

use certify::Refusal;
use certify::flow::Accepted;
use explore::growth::{GrowthOptions, growth};
use explore::progress::{ProgressOf, search};
use flow::Question;
use model::budget::Budget;
use model::context::Context;
use model::event::Event;
use model::flow_proof::{FlowProof, Origin};
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::verdict::Property;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A model, and a question about it.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// A name for messages.
    pub name: &'static str,
    /// The model. `GOOD` stands for the first, or the second of the two texts.
    pub text: &'static str,
    /// With the first text the property holds and is proved, with the second it does not hold (or differs).
    pub variants: [&'static str; 2],
    /// Livelock; else boundedness.
    pub live: bool,
    /// What progress is; labels if empty.
    pub events: &'static [&'static str],
}

const fn bounded(name: &'static str, text: &'static str, variants: [&'static str; 2]) -> Case {
    Case { name, text, variants, live: false, events: &[] }
}

const fn live(name: &'static str, text: &'static str, variants: [&'static str; 2]) -> Case {
    Case { name, text, variants, live: true, events: &[] }
}

/// Models for the flow engine: what holds of the first variant does not hold of the second.
pub const CASES: &[Case] = &[
    bounded(
        "client and server",
        "mtype = { req, rsp }; chan in = [1] of { mtype }, out = [1] of { mtype };
         active proctype Client() { do :: in!req; GOOD od }
         active proctype Server() { do :: in?req -> out!rsp od }",
        ["out?rsp", "if :: out?rsp :: skip fi"],
    ),
    bounded(
        "ring",
        "chan c[3] = [1] of { byte };
         active [3] proctype P() { byte m; if :: _pid == 0 -> c[1]!7 :: else fi; do :: c[_pid]?m -> c[(_pid + 1) % 3]!m GOOD od }",
        ["", "; c[0]!m"],
    ),
    bounded(
        "a process with a count",
        "chan q = [1] of { byte }; active proctype P() { byte i; do :: i < GOOD -> q!i; i++ :: else -> break od }",
        ["7", "9"],
    ),
    bounded(
        "a queue that limits itself",
        "chan q = [2] of { byte }; byte n;
         active [2] proctype P() { do :: GOOD -> q!1 od }
         active proctype C() { do :: q?_ -> n = 1 od }",
        ["nfull(q)", "n < 2"],
    ),
    bounded(
        "two queues that limit themselves",
        "chan c = [1] of { byte }, d = [2] of { byte };
         active proctype P() { do :: atomic { empty(c) -> c!1 } :: atomic { c?_; len(GOOD) < 2 -> d!1 } :: d?_ od }",
        ["d", "c"],
    ),
    bounded(
        "a flag",
        "chan q = [1] of { byte }; bit taken;
         active proctype P() { do :: atomic { taken == 0 -> GOOD q!1 } od }
         active proctype C() { byte m; do :: q?m -> taken = 0 od }",
        ["taken = 1;", ""],
    ),
    bounded(
        "a shared counter in deterministic steps",
        "chan q = [1] of { byte }; byte n;
         active proctype P() { do :: d_step { n < GOOD -> n++; q!1 } od }
         active proctype C() { byte m; do :: d_step { q?m; if :: n > 0 -> n-- :: else fi } od }",
        ["3", "4"],
    ),
    bounded(
        "atomic",
        "chan q = [1] of { byte }; bit free = 1; byte x;
         active [2] proctype P() { do :: atomic { free == 1 -> free = GOOD; x = 1; q!x } od }
         active proctype C() { byte m; do :: atomic { q?m; free = 1 } od }",
        ["0", "1"],
    ),
    bounded(
        "processes that are created once",
        "chan q = [1] of { byte };
         proctype W(byte k) { byte i; do :: i < k -> q!k; i++ :: else -> break od }
         init { byte j; do :: j < GOOD -> run W(2); j++ :: else -> break od }",
        ["2", "3"],
    ),
    bounded(
        "processes that are created in a loop",
        "chan tickets = [2] of { bit }, q = [1] of { byte };
         proctype W(byte k) { q!k GOOD }
         init { tickets!1; tickets!1; do :: tickets?_ -> run W(5) od }",
        ["", "; tickets!1"],
    ),
    bounded(
        "any number of processes",
        "chan token = [1] of { byte }; chan done = [1] of { bit };
         proctype W() { atomic { token?_; done!1 GOOD } }
         init { token!1; do :: run W() :: done?_ -> token!1 od }",
        ["", "; done!1"],
    ),
    bounded(
        "rendezvous",
        "chan r = [0] of { byte }; chan q = [2] of { byte }, back = [0] of { bit };
         active proctype A() { do :: r!1; GOOD od }
         active proctype B() { byte m; do :: r?m -> q!m; back!1 od }
         active proctype C() { byte m; do :: q?m -> r!2; back?_ od }",
        ["back?_; q?_", "back?_"],
    ),
    bounded(
        "channels in an array, chosen by a variable",
        "chan c[2] = [1] of { byte }; byte i;
         active proctype P() { byte k; do :: c[k]!1; c[k]?_; k = 1 - k GOOD od }",
        ["", "; c[i]!1"],
    ),
    bounded(
        "channels in messages",
        "chan server = [1] of { chan, byte };
         active [2] proctype Client() { chan me = [1] of { byte }; byte m; do :: server!me,1; GOOD od }
         active proctype Server() { chan who; byte m; do :: server?who,m -> who!m od }",
        ["me?m", "if :: me?m :: skip fi"],
    ),
    bounded(
        "channels that are handed to a child",
        "proctype Child(chan out) { out!1; out!2 GOOD }
         init { chan mine = [1] of { byte }; run Child(mine); do :: mine?_ od }",
        ["", "; out!3"],
    ),
    bounded(
        "some channels of a system that grows",
        "chan a = [1] of { byte }, b = [1] of { byte }, k = [1] of { byte };
         active proctype P() { do :: a!1 od }
         active proctype Q() { do :: b!1; b?_ od }
         active proctype R() { do :: k!1; GOOD od }",
        ["k?_", "a?_"],
    ),
    bounded(
        "message kinds",
        "mtype = { ping, pong, halt }; chan x = [1] of { mtype, byte }, y = [1] of { mtype, byte };
         active proctype A() { byte n; x!ping,0; do :: y?pong,n -> x!ping,n :: y?halt,_ -> break od }
         active proctype B() { byte n; do :: x?ping,n -> if :: y!pong,n GOOD :: y!halt,0; break fi od }",
        ["", "; y!pong,3"],
    ),
    bounded(
        "loss",
        "mtype = { m, ack }; chan q = [1] of { mtype, bit }, back = [1] of { mtype, bit };
         active proctype S() { bit b; do :: q!m,b; GOOD; b = 1 - b od }
         active proctype R() { bit b; do :: q?m,b -> back!ack,b od }",
        ["back?ack,eval(b)", "skip"],
    ),
    bounded(
        "a window",
        "chan c = [1] of { byte }, d = [1] of { byte };
         active proctype S() { unsigned n : 3; do :: n < GOOD -> c!1; n++ :: d?1 -> n-- od }
         active proctype R() { do :: c?1 -> d!1 od }",
        ["3", "4"],
    ),
    bounded(
        "credits that are tested and taken in one step",
        "chan c = [1] of { byte }; unsigned k : 2 = 2;
         active [3] proctype P() { do :: GOOD; c!1 od }
         active proctype R() { do :: c?1 -> k++ od }",
        ["atomic { k > 0 -> k-- }", "k > 0 -> k--"],
    ),
    bounded(
        "a message for each acknowledgement that is handed over",
        "chan c = [1] of { byte }, d = [0] of { byte };
         active proctype S() { unsigned n : 2; do :: n != 2 -> c!1; n++ :: d?1 -> n-- od }
         active proctype R() { do :: GOOD -> d!1 od }",
        ["c?1", "true"],
    ),
    bounded(
        "a difference of numbers that wrap",
        "chan c = [1] of { byte }, d = [1] of { byte };
         proctype S(byte w) { int sent, acked; do :: sent - acked < w -> c!1; GOOD :: d?1 -> acked++ od }
         active proctype R() { do :: c?1 -> d!1 od }
         init { run S(2) }",
        ["sent++", "sent = sent"],
    ),
    bounded(
        "a process for each request",
        "chan req = [1] of { byte }, rep = [1] of { byte }; proctype W() { rep!1 GOOD }
         active [2] proctype C() { do :: req!1; rep?_ od }
         active proctype S() { do :: req?_ -> run W() od }",
        ["", "; rep!2"],
    ),
    bounded(
        "a session with a channel of its own",
        "chan req = [1] of { byte }; proctype W() { chan mine = [1] of { byte }; mine!1; mine?_; GOOD; mine?_; req!1 }
         active proctype S() { req!1; do :: req?_ -> run W() od }",
        ["mine!2", "mine!2; mine!3"],
    ),
    live(
        "progress labels",
        "chan q = [1] of { byte }, ack = [1] of { bit };
         active proctype P() { do :: q!1; ack?_ od }
         active proctype C() { do :: q?_; GOOD ack!1 od }",
        ["progress:", ""],
    ),
    live(
        "loops that end",
        "byte g; active proctype P() { byte i; GOOD do :: i > 0 -> i-- :: else -> g = 1; break od }",
        ["i = 5;", "do :: i = 5 :: break od;"],
    ),
    live(
        "progress in an atomic sequence is not seen",
        "byte x; active proctype P() { do :: GOOD od }",
        ["x = 1; progress: x = 0", "atomic { x = 1; progress: x = 0; x = 1 }"],
    ),
    Case {
        name: "events",
        text: "mtype = { a, b }; chan q = [2] of { mtype }, ack = [1] of { bit };
               active proctype P() { do :: q!a; ack?_; q!GOOD; ack?_ od }
               active proctype C() { do :: q?a -> ack!1 :: q?b -> ack!1 od }",
        variants: ["b", "a"],
        live: true,
        events: &["q?b"],
    },
];

/// The wrong proofs that an engine made once: each claims that `q` stays empty, or that there is progress.
pub const OLD_MISTAKES: &[Case] = &[
    // A message that is handed over does not wait for the condition before its receive.
    bounded(
        "a rendezvous into a deterministic step",
        "chan r = [0] of { byte }; chan q = [1] of { byte };
         active proctype A() { byte x = 1; byte m; do :: d_step { if :: GOOD -> x = 1 :: r?m -> q!m fi } od }
         active proctype B() { do :: r!1 od }",
        ["x > 0", "x > 0"],
    ),
    // A constant that is sent as a channel is received as a constant.
    bounded(
        "symbols in channels of channels",
        "mtype = { go }; chan c = [0] of { chan }, q = [1] of { byte };
         active proctype A() { do :: c!go od }
         active proctype B() { do :: c?GOOD -> q!1 od }",
        ["go", "go"],
    ),
    // The right side of `&&` is not evaluated, and so does not fail.
    bounded(
        "a division that is not done",
        "chan q = [1] of { byte };
         active proctype A() { byte x = 0; bool y; do :: y = (x != 0 && 10 / x > GOOD); q!1 od }",
        ["1", "1"],
    ),
    // What is sent in a step can be looked at in the same step.
    bounded(
        "a message that the step that sends it looks at",
        "chan q = [1] of { byte }; active proctype A() { byte l; do :: d_step { q!GOOD; q?<l> } od }",
        ["1", "1"],
    ),
    // Edges are tried in order, and `else` need not be the last one.
    bounded(
        "an `else` that is not last",
        "chan q = [1] of { byte };
         active proctype A() { byte l = 2; do :: if :: l < GOOD -> l = 2 :: else -> q!1 fi :: l > 1 -> l = 2 od }",
        ["1", "1"],
    ),
    // Before a run fails in the middle of an atomic sequence, there is a moment at which its messages are there.
    bounded(
        "an atomic sequence that fails",
        "chan q = [1] of { byte }, a[2] = [1] of { byte };
         active proctype A() { byte x; do :: atomic { x = 2; q!GOOD; a[x]!1 } od }",
        ["1", "1"],
    ),
    live(
        "a label in an atomic sequence",
        "byte x; active proctype P() { do :: atomic { x = 1; progress: x = GOOD; x = 1 } od }",
        ["0", "0"],
    ),
];

impl Case {
    /// The model, as it should be (0), or as it should not (1).
    pub fn network(&self, variant: usize) -> Network {
        let text = self.text.replace("GOOD", self.variants[variant]);
        let read = promela::read("model.pml", &text, &promela::preprocess::Options::default());
        read.network.unwrap_or_else(|| panic!("{}: {:?}\n{text}", self.name, read.diagnostics))
    }

    /// The property.
    pub fn property(&self) -> Property {
        if self.live { Property::Livelock } else { Property::Boundedness }
    }

    /// What the engine proves.
    pub fn prove(&self, network: &Network) -> Option<FlowProof> {
        let events = self.events.iter().map(|e| ((*e).to_owned(), Event::parse(e, network).unwrap())).collect();
        let question = if self.live { Question::Livelock { events } } else { Question::Boundedness };
        flow::check(network, &question, &Context::silent(&seconds(3))).proof
    }

    /// What the checker says to a proof.
    pub fn verify(&self, network: &Network, proof: &FlowProof) -> Result<Accepted, Refusal> {
        certify::flow::verify(network, &self.property(), proof, &Context::silent(&seconds(20)))
    }
}

/// So much time.
pub fn seconds(count: u64) -> Budget {
    Budget::unlimited().timeout(Duration::from_secs(count))
}

/// What is true of a model, as far as a search sees.
#[derive(Debug)]
pub struct Truth {
    longest: BTreeMap<String, u64>,
    growing: BTreeSet<String>,
    livelock: bool,
}

impl Truth {
    /// Searches.
    pub fn of(case: &Case, network: &Network) -> Self {
        let limits = seconds(5).states(1_500);
        let semantics = Semantics::new(network, Reading::Unbounded);
        if case.live {
            let events: Vec<Event> = case.events.iter().map(|e| Event::parse(e, network).unwrap()).collect();
            let happens = |taken: &explore::progress::Taken<'_>| is_event(network, &events, taken);
            let progress = if events.is_empty() { ProgressOf::Labels } else { ProgressOf::Events(&happens) };
            let semantics = Semantics::new(network, Reading::Declared);
            let found = search(&semantics, &progress, &Context::silent(&limits));
            return Truth { longest: BTreeMap::new(), growing: BTreeSet::new(), livelock: found.lasso.is_some() };
        }
        let report = growth(&semantics, &GrowthOptions::default(), &Context::silent(&limits));
        let longest = report.longest.iter().map(|q| (q.channel.clone(), u64::from(q.length))).collect();
        Truth { longest, growing: report.channels(), livelock: false }
    }

    /// Whether a channel is ever used.
    pub fn is_used(&self, channel: &str) -> bool {
        self.growing.contains(channel) || self.longest.get(channel).is_some_and(|&longest| longest > 0)
    }

    /// Whether a run makes no progress.
    pub fn has_livelock(&self) -> bool {
        self.livelock
    }

    /// What is wrong with an accepted claim, if anything is.
    pub fn contradicts(&self, network: &Network, proof: &FlowProof, accepted: &Accepted) -> Option<String> {
        if self.livelock {
            return Some(String::from("there is a livelock"));
        }
        for (key, bound) in &accepted.bounded {
            for name in self.names(network, proof, *key) {
                if self.growing.contains(&name) {
                    return Some(format!("{name} grows without end"));
                }
                if let Some(longest) = self.longest.get(&name).filter(|&longest| bound.is_some_and(|b| b < *longest)) {
                    return Some(format!("{name} holds {longest}, more than {bound:?}"));
                }
            }
        }
        None
    }

    /// The names of the channels that surely belong to a queue.
    fn names(&self, network: &Network, proof: &FlowProof, key: model::flow_proof::QueueKey) -> Vec<String> {
        let Some(id) = key.instance else {
            return vec![network.variables[key.variable as usize].element_name(key.element as usize)];
        };
        let instances = &proof.abstraction.instances;
        let instance = &instances[id as usize];
        let machine = &network.machines[instance.machine as usize];
        let name = machine.variables[key.variable as usize].element_name(key.element as usize);
        let alone = instances.iter().filter(|i| i.machine == instance.machine).count() == 1;
        let (start, end) = (format!("{}[", machine.name), format!("]:{name}"));
        match instance.origin {
            Origin::Initial(number) if !instance.many => vec![format!("{start}{number}{end}")],
            _ if alone => self.longest.keys().filter(|n| n.starts_with(&start) && n.ends_with(&end)).cloned().collect(),
            _ => Vec::new(),
        }
    }
}

/// Receives and sends that are not in deterministic steps, by the text of their event.
fn is_event(network: &Network, events: &[Event], taken: &explore::progress::Taken<'_>) -> bool {
    use model::expr::{Expr, Pattern};
    use model::network::Action;
    let edge = &network.machine(taken.machine).edges[taken.edge.index()];
    let name = |channel: &Expr| match channel {
        Expr::Read(place) => network.variables[place.variable.index()].name.clone(),
        _ => String::new(),
    };
    events.iter().any(|event| match (event, &edge.action) {
        (Event::Message { channel, sent: false, fields }, Action::Receive { channel: from, pattern, .. }) => {
            let constants = pattern.iter().map(|p| match p {
                Pattern::Match(Expr::Const(n)) => Some(*n),
                _ => None,
            });
            name(from) == *channel && fields.iter().zip(constants).all(|(f, c)| f.is_none() || *f == c)
        }
        _ => false,
    })
}

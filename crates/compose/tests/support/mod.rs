//! Compositions by hand, the families of Fig. 10 for any size, and random ones.

#![allow(dead_code)]

use compose::{Answer, Method, Question, Verdict, check};
use model::budget::Budget;
use model::composition::{Atom, Component, Composition, Named};
use model::context::Context;
use model::formula::{Connective, Ltl, Modality};
use model::ids::{EventId, PropositionId};
use model::source::{FileId, Span};
use model::structure::{Ending, Move, StateParts, Structure, TAU};
pub use testing::{Random, seeds};

pub const METHODS: [Method; 5] = [Method::Plain, Method::Paper, Method::Refine, Method::Minimise, Method::Auto];

pub fn span() -> Span {
    Span::new(FileId(0), 0, 0)
}

/// Makes compositions from names.
#[derive(Default)]
pub struct Builder {
    composition: Composition,
}

/// A component being made.
pub struct Part {
    pub name: String,
    pub alphabet: Vec<u32>,
    pub initial: Vec<u32>,
    pub states: Vec<StateParts>,
}

impl Part {
    pub fn new(name: &str, states: usize) -> Part {
        Part { name: name.into(), alphabet: Vec::new(), initial: vec![0], states: vec![StateParts::default(); states] }
    }

    pub fn step(&mut self, from: u32, event: u32, to: u32) -> &mut Part {
        self.states[from as usize].moves.push(Move { event: EventId(event), to });
        self
    }

    pub fn silent(&mut self, from: u32, to: u32) -> &mut Part {
        self.step(from, TAU.0, to)
    }

    pub fn label(&mut self, state: u32, proposition: u32) -> &mut Part {
        self.states[state as usize].labels.push(PropositionId(proposition));
        self
    }

    pub fn ends(&mut self, state: u32, ending: Ending) -> &mut Part {
        self.states[state as usize].ending = ending;
        self
    }
}

fn number(names: &mut Vec<Named>, name: &str) -> u32 {
    if let Some(known) = names.iter().position(|known| known.name == name) {
        return known as u32;
    }
    names.push(Named { name: name.into(), span: span() });
    names.len() as u32 - 1
}

impl Builder {
    pub fn event(&mut self, name: &str) -> u32 {
        number(&mut self.composition.events, name)
    }

    pub fn proposition(&mut self, name: &str) -> u32 {
        number(&mut self.composition.propositions, name)
    }

    pub fn add(&mut self, part: Part) -> &mut Builder {
        let structure = Structure::new(part.alphabet.into_iter().map(EventId), part.initial, part.states);
        let (state_names, state_spans) = (Vec::new(), Vec::new());
        self.composition.components.push(Component {
            name: part.name,
            structure,
            state_names,
            state_spans,
            span: span(),
        });
        self
    }

    pub fn build(self) -> Composition {
        self.composition
    }
}

/// Dining philosophers. Everybody takes the left fork first, and gets stuck; unless the last one is left-handed.
pub fn philosophers(count: u32, stuck: bool) -> Composition {
    let mut builder = Builder::default();
    let mut event = |what: &str, philosopher: u32, fork: u32| builder.event(&format!("{what}.{philosopher}.{fork}"));
    let mut parts = Vec::new();
    for philosopher in 0..count {
        let (mut first, mut second) = (philosopher, (philosopher + 1) % count);
        if !stuck && philosopher + 1 == count {
            std::mem::swap(&mut first, &mut second);
        }
        let mut part = Part::new(&format!("phil[{philosopher}]"), 6);
        part.step(0, event("think", philosopher, 0), 1)
            .step(1, event("take", philosopher, first), 2)
            .step(2, event("take", philosopher, second), 3)
            .step(3, event("eat", philosopher, 0), 4)
            .step(4, event("put", philosopher, first), 5)
            .step(5, event("put", philosopher, second), 0);
        parts.push(part);
    }
    for fork in 0..count {
        let (one, other) = (fork, (fork + count - 1) % count);
        let mut part = Part::new(&format!("fork[{fork}]"), 3);
        part.step(0, event("take", one, fork), 1).step(1, event("put", one, fork), 0);
        part.step(0, event("take", other, fork), 2).step(2, event("put", other, fork), 0);
        parts.push(part);
    }
    for part in parts {
        builder.add(part);
    }
    builder.build()
}

/// Readers and writers with a controller that counts the readers.
pub fn readers_writers(count: u32) -> Composition {
    let mut builder = Builder::default();
    let writing = count + 1;
    let mut controller = Part::new("controller", count as usize + 2);
    let mut clients = Vec::new();
    for client in 0..2 * count {
        let kind = if client < count { "reader" } else { "writer" };
        let name = format!("{kind}[{}]", client % count);
        let (start, end) = (builder.event(&format!("{name}.start")), builder.event(&format!("{name}.end")));
        let mut part = Part::new(&name, 3);
        part.step(0, builder.event(&format!("{name}.think")), 1).step(1, start, 2).step(2, end, 0);
        clients.push(part);
        if client < count {
            for readers in 0..count {
                controller.step(readers, start, readers + 1).step(readers + 1, end, readers);
            }
        } else {
            controller.step(0, start, writing).step(writing, end, 0);
        }
    }
    builder.add(controller);
    for client in clients {
        builder.add(client);
    }
    builder.build()
}

/// Philosophers with a butler who lets all but one sit down.
pub fn butler(count: u32) -> Composition {
    let mut builder = Builder::default();
    let mut parts = Vec::new();
    let mut butler = Part::new("butler", count as usize);
    for philosopher in 0..count {
        let mut event = |what: &str, fork: u32| builder.event(&format!("{what}.{philosopher}.{fork}"));
        let (first, second) = (philosopher, (philosopher + 1) % count);
        let mut part = Part::new(&format!("phil[{philosopher}]"), 6);
        let (sit, leave) = (event("sit", 0), event("leave", 0));
        part.step(0, sit, 1)
            .step(1, event("take", first), 2)
            .step(2, event("take", second), 3)
            .step(3, event("put", first), 4)
            .step(4, event("put", second), 5)
            .step(5, leave, 0);
        for seated in 0..count - 1 {
            butler.step(seated, sit, seated + 1).step(seated + 1, leave, seated);
        }
        parts.push(part);
    }
    for fork in 0..count {
        let (one, other) = (fork, (fork + count - 1) % count);
        let mut event = |what: &str, who: u32| builder.event(&format!("{what}.{who}.{fork}"));
        let mut part = Part::new(&format!("fork[{fork}]"), 3);
        part.step(0, event("take", one), 1).step(1, event("put", one), 0);
        part.step(0, event("take", other), 2).step(2, event("put", other), 0);
        parts.push(part);
    }
    parts.push(butler);
    for part in parts {
        builder.add(part);
    }
    builder.build()
}

/// A few small components over a few events.
pub fn random_composition(random: &mut Random) -> Composition {
    random_composition_with(random, 6)
}

/// The same, where one step in so many has no name.
pub fn random_composition_with(random: &mut Random, silent: u32) -> Composition {
    let mut builder = Builder::default();
    let events = 2 + random.below(4);
    (0..events).for_each(|event| {
        builder.event(&format!("e{event}"));
    });
    (0..3).for_each(|p| {
        builder.proposition(&format!("p{p}"));
    });
    for component in 0..2 + random.below(3) {
        let states = 1 + random.below(5);
        let mut part = Part::new(&format!("C{component}"), states as usize);
        part.alphabet = (0..events).filter(|_| random.one_in(3)).collect();
        let own: Vec<u32> = (0..events).filter(|_| !random.one_in(3)).collect();
        part.initial = (0..states).filter(|&state| state == 0 || random.one_in(5)).collect();
        for state in 0..states {
            for _ in 0..random.below(4) {
                let event = match own.len() {
                    0 => TAU.0,
                    _ if random.one_in(silent) => TAU.0,
                    known => own[random.below(known as u32) as usize],
                };
                part.step(state, event, random.below(states));
            }
            if random.one_in(2) {
                part.label(state, random.below(3));
            }
            match random.below(12) {
                0 => part.ends(state, Ending::Done),
                1 => part.ends(state, Ending::Error),
                _ => &mut part,
            };
        }
        builder.add(part);
    }
    builder.build()
}

pub fn event(event: u32) -> Ltl<Atom> {
    Ltl::Atom(Box::new(Atom::Event(EventId(event))), format!("e{event}"))
}

pub fn proposition(proposition: u32) -> Ltl<Atom> {
    Ltl::Atom(Box::new(Atom::Proposition(PropositionId(proposition))), format!("p{proposition}"))
}

pub fn unary(op: Modality, inner: Ltl<Atom>) -> Ltl<Atom> {
    Ltl::Unary(op, Box::new(inner))
}

pub fn binary(op: Connective, a: Ltl<Atom>, b: Ltl<Atom>) -> Ltl<Atom> {
    Ltl::Binary(op, Box::new(a), Box::new(b))
}

pub fn random_formula(random: &mut Random, depth: u32) -> Ltl<Atom> {
    use Connective::{And, Iff, Implies, Or, Release, Until, WeakUntil};
    use Modality::{Always, Eventually, Next, Not};
    if depth == 0 || random.one_in(6) {
        return match random.below(9) {
            0 => Ltl::Constant(random.one_in(2)),
            1..=4 => event(random.below(5)),
            _ => proposition(random.below(3)),
        };
    }
    if random.one_in(2) {
        let op = [Not, Next, Always, Always, Eventually, Eventually][random.below(6) as usize];
        unary(op, random_formula(random, depth - 1))
    } else {
        let op = [And, Or, Implies, Implies, Iff, Until, Release, WeakUntil][random.below(8) as usize];
        binary(op, random_formula(random, depth - 1), random_formula(random, depth - 1))
    }
}

/// What people ask for, with random conditions: most of it cannot hear silent steps.
pub fn random_response(random: &mut Random) -> Ltl<Atom> {
    use Connective::{And, Implies, Or, Release, Until, WeakUntil};
    use Modality::{Always, Eventually, Not};
    let mut atom = || {
        let one =
            |random: &mut Random| if random.one_in(3) { proposition(random.below(3)) } else { event(random.below(4)) };
        let first = one(random);
        match random.below(8) {
            0 => binary(And, first, one(random)),
            1 => binary(Or, first, one(random)),
            _ => first,
        }
    };
    let (a, b, c) = (atom(), atom(), atom());
    let comes = |what| unary(Eventually, what);
    let always = |what| unary(Always, what);
    let not = |what| unary(Not, what);
    match random.below(12) {
        0 | 1 => always(binary(Implies, a, comes(b))),
        2 => binary(Until, not(a), b),
        3 => binary(WeakUntil, not(a), b),
        4 => always(comes(a)),
        5 => comes(always(not(a))),
        6 => binary(Implies, always(comes(a)), always(comes(b))),
        7 => always(binary(Implies, a, binary(Until, not(b), c))),
        8 => always(binary(Implies, a, binary(WeakUntil, not(b), c))),
        9 => binary(Release, a, not(b)),
        10 => always(binary(Implies, a, comes(binary(And, b, comes(c))))),
        _ => always(not(a)),
    }
}

/// An answer without limits.
pub fn ask(composition: &Composition, question: Question<'_>, method: Method) -> Answer {
    ask_within(composition, question, method, &Budget::unlimited())
}

pub fn ask_within(composition: &Composition, question: Question<'_>, method: Method, limits: &Budget) -> Answer {
    check(composition, question, method, &Context::silent(limits))
}

/// Yes with a proof that the checker accepts, or no with a run that shows it.
pub fn verdict(composition: &Composition, question: Question<'_>, method: Method) -> Result<bool, String> {
    let answer = ask(composition, question, method);
    match answer.verdict {
        Verdict::Holds(proof) => {
            let checked = certify::composition::verify(
                composition,
                question,
                &proof,
                &mut bitvector::SatRefuter,
                &Context::unlimited(),
            );
            checked.map(|()| true).map_err(|refusal| format!("{method:?}: the proof is refused: {refusal}\n{proof:?}"))
        }
        Verdict::Fails(run) => {
            let shows = run.replays(composition) && shows(composition, question, &run);
            if shows { Ok(false) } else { Err(format!("{method:?}: the run shows nothing: {run:?}")) }
        }
        Verdict::Inconclusive(reason) => Err(format!("{method:?}: {reason}")),
    }
}

fn shows(composition: &Composition, question: Question<'_>, run: &model::composition::Run) -> bool {
    let last = run.states.last().expect("a run has states");
    match question {
        Question::Deadlock => run.loop_from.is_none() && model::composition::Stepper::new(composition).is_stuck(last),
        Question::Safety => run.loop_from.is_none() && composition.is_wrong(last),
        Question::Progress(progress, fair) => run.misses(composition, progress, fair),
        Question::Formula(formula) | Question::Fair(formula, _) => {
            let Some(from) = run.loop_from.filter(|_| run.is_fair(composition, question.fair())) else { return false };
            !formula.holds_on(run.steps.len(), from, &|atom, at| {
                composition.holds(*atom, &run.states[at], run.steps[at].event())
            })
        }
    }
}

/// A composition in a few lines.
pub fn describe(composition: &Composition) -> String {
    let mut text = String::new();
    for component in &composition.components {
        let structure = &component.structure;
        let (alphabet, initial) = (structure.alphabet(), structure.initial());
        text += &format!("{} alphabet {alphabet:?} initial {initial:?}\n", component.name);
        for state in 0..structure.states() as u32 {
            let steps: Vec<String> = structure
                .moves(state)
                .iter()
                .map(|step| format!("{}->{}", composition.event_name(step.event), step.to))
                .collect();
            let (labels, ending) = (structure.labels(state), structure.ending(state));
            text += &format!("  {state}: {} {labels:?} {ending:?}\n", steps.join(" "));
        }
    }
    text
}

//! Random models with channels of any length, and random questions about them: formulas whose violations show after
//! finitely many steps, assertions, deadlocks. What is proved is accepted by the checker, and a plain search finds
//! nothing against it.
//!
//! The twin knows no automaton: it takes a formula apart position by position (progression), beside a breadth-first
//! search. Models have data, atomic sequences, deterministic steps, `timeout`, conditions on lengths and heads, several
//! readers of a channel, a rendezvous now and then; formulas speak of places, data, lengths, heads, and of events.

#![allow(clippy::print_stdout)]

use fifo::network::{Unproved, prove};
use model::budget::Budget;
use model::claim::{AtomSet, Watcher};
use model::context::Context;
use model::fairness::Fairness;
use model::formula::{Atom, Connective, Ltl, Modality};
use model::network::{Formula, Network};
use model::queue_proof::QueueProof;
use model::semantics::{Reading, Semantics, Stepper};
use model::verdict::Property;
use std::collections::{BTreeMap, HashSet, VecDeque};
use testing::Random;

/// The twin looks at no more.
const MOST: usize = 2_000;
const LONGEST: usize = 3_000;

#[test]
fn what_is_proved_of_random_models_is_accepted_and_no_search_contradicts() {
    let mut tally = Tally::default();
    let (first, seeds) = (testing::first(0), testing::seeds(400));
    for seed in first..first + seeds {
        tally.add(seed);
    }
    println!("{tally:?}");
    let least = seeds as usize / 20;
    assert!(tally.proved > least && tally.violated > least && tally.beyond > least / 4, "{tally:?}");
    assert!(tally.forged > least && tally.renamed > least && tally.decided > least, "{tally:?}");
}

#[derive(Default, Debug)]
struct Tally {
    /// Formulas, and other questions, that were proved.
    proved: usize,
    others: usize,
    /// Proved where the twin did not come to an end.
    beyond: usize,
    /// Found to be violated by the twin.
    violated: usize,
    lost: usize,
    unfit: BTreeMap<String, usize>,
    /// Decided by the product with a tableau, too, which is another judge.
    decided: usize,
    /// Proofs that were said to be of a formula that is violated.
    forged: usize,
    /// Proofs that were said to be of a violated formula of the same shape.
    renamed: usize,
    /// Changed monitors that are refused.
    changed: usize,
}

impl Tally {
    fn add(&mut self, seed: u64) {
        let mut random = Random::new(seed);
        let text = Model { random: &mut random }.text();
        let read = promela::read("random.pml", &text, &promela::preprocess::Options::default());
        let Some(mut network) = read.network else { panic!("seed {seed}: {:?}\n{text}", read.diagnostics) };
        let atoms = network.formulas[0].formula.atoms();
        assert_eq!(atoms.len(), CONDITIONS.len());
        network.formulas.clear();
        for number in 0..6 {
            let formula = safety(&mut random, &atoms, 3);
            let (name, span) = (format!("f{number}"), model::source::Span::NONE);
            network.formulas.push(Formula { name, formula, text: String::new(), is_question: false, span });
        }
        let semantics = Semantics::new(&network, Reading::Unbounded);
        let found: Vec<Seen> = network.formulas.iter().map(|one| Twin::new(&semantics).formula(&one.formula)).collect();
        let (mut proofs, mut proved) = (Vec::new(), Vec::new());
        for (one, seen) in network.formulas.iter().zip(&found) {
            assert!(one.formula.is_safety(), "seed {seed}: {}", one.formula);
            self.violated += usize::from(*seen == Seen::Broken);
            let most = Budget::unlimited().states(MOST as u64);
            let decided = certify::temporal::decide(&semantics, &one.formula, Fairness::None, &Context::silent(&most));
            self.decided += usize::from(decided.is_ok());
            assert!(*seen != Seen::Broken || decided != Ok(true), "seed {seed}: {}\n{text}", one.formula);
            let property = Property::Ltl(one.name.clone());
            let Some(proof) = self.ask(&network, &property, seed, &text) else { continue };
            assert!(*seen != Seen::Broken, "seed {seed}: {} is proved\n{text}", one.formula);
            assert_ne!(decided, Ok(false), "seed {seed}: {} is proved\n{text}", one.formula);
            self.proved += 1;
            self.beyond += usize::from(*seen == Seen::More);
            self.change(&network, &property, &proof, &mut random);
            proofs.push(proof);
            proved.push(one.formula.clone());
        }
        let broken = || network.formulas.iter().zip(&found).filter(|(_, seen)| **seen == Seen::Broken);
        for proof in &proofs {
            for (one, _) in broken() {
                let accepted = verify(&network, &Property::Ltl(one.name.clone()), proof);
                assert!(!accepted, "seed {seed}: {} by the proof of another\n{text}", one.formula);
                self.forged += 1;
            }
        }
        self.rename(&mut network, proofs.iter().zip(&proved), &atoms, &mut random);
        // Nothing is proved of what must come: no prefix breaks it.
        let (atom, text) = &atoms[random.below(atoms.len())];
        let atom = Ltl::Atom(Box::new(atom.clone()), text.clone());
        let changes = both(Connective::And, atom.clone(), Ltl::Unary(Modality::Next, Box::new(not(atom))));
        network.formulas[0].formula = Ltl::Unary(Modality::Eventually, Box::new(changes));
        let coming = Property::Ltl(network.formulas[0].name.clone());
        assert!(proofs.iter().all(|proof| !verify(&network, &coming, proof)), "seed {seed}: what never comes\n{text}");
        let semantics = Semantics::new(&network, Reading::Unbounded);
        for property in [Property::Safety, Property::Deadlock] {
            let seen = Twin::new(&semantics).question(&property);
            if self.ask(&network, &property, seed, text).is_some() {
                assert!(seen != Seen::Broken, "seed {seed}: {property} is proved\n{text}");
                self.others += 1;
            }
        }
    }

    fn ask(&mut self, network: &Network, property: &Property, seed: u64, text: &str) -> Option<QueueProof> {
        let limits = queues::Limits { states: 4_000, steps: 2_000_000, ..queues::Limits::default() };
        if certify::queues::can_be_asked(network).is_err() {
            *self.unfit.entry(String::from("asked")).or_default() += 1;
            return None;
        }
        match prove(network, property, &limits) {
            Ok(found) => {
                let what =
                    || network.formulas.iter().map(|f| format!("{}: {}\n", f.name, f.formula)).collect::<String>();
                let checked = certify::queues::verify_promela(network, property, &found.proof, &Context::unlimited());
                assert!(checked.is_ok(), "seed {seed}: {property} {checked:?}\n{}{text}", what());
                Some(found.proof)
            }
            Err(Unproved::Unfit(why)) => {
                *self.unfit.entry(why).or_default() += 1;
                None
            }
            Err(_) => {
                self.lost += 1;
                None
            }
        }
    }

    /// The monitor of a formula is that of all formulas of its shape: with another atom the rest of the proof must not fit,
    /// if that formula is violated.
    fn rename<'p>(
        &mut self,
        network: &mut Network,
        proofs: impl Iterator<Item = (&'p QueueProof, &'p Ltl)>,
        atoms: &[(Atom, String)],
        random: &mut Random,
    ) {
        for (proof, formula) in proofs {
            let own = formula.atoms();
            let others: Vec<_> = atoms.iter().filter(|atom| !own.contains(atom)).collect();
            for _ in 0..if own.is_empty() { 0 } else { 3 } {
                let (from, to) = (&own[random.below(own.len())].0, others[random.below(others.len())]);
                network.formulas[0].formula = renamed(formula, from, to);
                let semantics = Semantics::new(network, Reading::Unbounded);
                if Twin::new(&semantics).formula(&network.formulas[0].formula) == Seen::Broken {
                    let property = Property::Ltl(network.formulas[0].name.clone());
                    assert!(
                        !verify(network, &property, proof),
                        "{} by the proof of {formula}",
                        network.formulas[0].formula
                    );
                    self.renamed += 1;
                }
            }
        }
    }

    /// A monitor that forgives something is refused, or forgives nothing that matters: then the twin of it is accepted
    /// as well.
    fn change(&mut self, network: &Network, property: &Property, proof: &QueueProof, random: &mut Random) {
        let mut other = proof.clone();
        let at = random.below(other.monitor.len());
        let Some(edge) = other.monitor[at].iter_mut().find(|edge| edge.to.is_none()) else { return };
        edge.to = Some(at as u32);
        self.changed += usize::from(!verify(network, property, &other));
    }
}

fn verify(network: &Network, property: &Property, proof: &QueueProof) -> bool {
    certify::queues::verify_promela(network, property, proof, &Context::unlimited()).is_ok()
}

/// What a search saw.
#[derive(PartialEq, Eq, Debug)]
enum Seen {
    Broken,
    /// Nothing, and there is more to see.
    More,
    /// Nothing, in all that there is.
    Nothing,
}

/// Breadth-first search with a formula that is taken apart on the way.
struct Twin<'s> {
    semantics: &'s Semantics<'s>,
    stepper: Stepper<'s>,
    asker: Stepper<'s>,
}

/// A state outside of an atomic sequence, or inside of one with the process in control, and the events so far.
type Inner = (Vec<u8>, Option<u32>, AtomSet);

impl<'s> Twin<'s> {
    fn new(semantics: &'s Semantics<'s>) -> Self {
        let mut stepper = semantics.stepper();
        stepper.listen();
        Twin { semantics, stepper, asker: semantics.stepper() }
    }

    /// The steps of a state; `true` if some step has no next state.
    fn steps(&mut self, (state, owner, events): &Inner, watcher: &Watcher<'_>) -> (Vec<Inner>, usize, bool) {
        let (mut next, mut crashed) = (Vec::new(), false);
        let asker = &mut self.asker;
        let visit = &mut |step: model::semantics::Successor<'_>| {
            crashed |= step.fault.is_some();
            let more = watcher.in_step(asker, state, &step);
            next.extend(step.state.map(|state| (state.to_vec(), step.control, events | more)));
        };
        let count = self.stepper.expand(state, *owner, visit).unwrap_or(0);
        (next, count, crashed)
    }

    /// Where the moves of a state end, with their events: a move is an atomic sequence up to where control is lost.
    fn moves(&mut self, state: &[u8], watcher: &Watcher<'_>) -> Vec<(Vec<u8>, AtomSet)> {
        let (first, count, _) = self.steps(&(state.to_vec(), None, 0), watcher);
        if count == 0 {
            return vec![(state.to_vec(), 0)];
        }
        let mut seen: HashSet<Inner> = first.iter().cloned().collect();
        let (mut work, mut ends) = (first, Vec::new());
        while let Some(inner) = work.pop().filter(|_| seen.len() < MOST) {
            let (next, count, _) = if inner.1.is_some() { self.steps(&inner, watcher) } else { (Vec::new(), 0, false) };
            if count == 0 {
                ends.push((inner.0, inner.2));
            }
            work.extend(next.into_iter().filter(|next| seen.insert(next.clone())));
        }
        ends
    }

    fn formula(&mut self, formula: &Ltl) -> Seen {
        let atoms: Vec<Atom> = formula.atoms().into_iter().map(|(atom, _)| atom).collect();
        let semantics = self.semantics;
        let watcher = Watcher::new(semantics, &atoms);
        let Ok(Ok(first)) = self.stepper.initial() else { return Seen::More };
        let mut seen = HashSet::from([(first.clone(), format!("{formula:?}"))]);
        let mut work = VecDeque::from([(first, formula.clone())]);
        while let Some((state, formula)) = work.pop_front() {
            if seen.len() > MOST {
                return Seen::More;
            }
            let Ok(here) = watcher.in_state(&mut self.asker, &state, !0, false) else { return Seen::More };
            for (next, events) in self.moves(&state, &watcher) {
                let holds = |atom: &Atom| {
                    atoms.iter().position(|known| known == atom).is_some_and(|at| (here | events) >> at & 1 == 1)
                };
                let rest = progress(&formula, &holds);
                if rest == Ltl::Constant(false) {
                    return Seen::Broken;
                }
                let key = format!("{rest:?}");
                if key.len() < LONGEST && rest != Ltl::Constant(true) && seen.insert((next.clone(), key)) {
                    work.push_back((next, rest));
                }
            }
        }
        Seen::Nothing
    }

    /// Faults, or states in which nothing can move that are no valid ends.
    fn question(&mut self, property: &Property) -> Seen {
        let semantics = self.semantics;
        let watcher = Watcher::new(semantics, &[]);
        let Ok(Ok(first)) = self.stepper.initial() else { return Seen::More };
        let mut seen = HashSet::from([(first.clone(), None, 0)]);
        let mut work = VecDeque::from([(first, None, 0)]);
        while let Some(inner) = work.pop_front() {
            if seen.len() > MOST {
                return Seen::More;
            }
            let (mut next, count, fault) = self.steps(&inner, &watcher);
            if fault && *property == Property::Safety {
                return Seen::Broken;
            }
            let (state, owner, _) = inner;
            if count == 0 && owner.is_some() {
                next.push((state, None, 0));
            } else if count == 0 && *property == Property::Deadlock && !self.stepper.is_valid_end(&state) {
                return Seen::Broken;
            }
            work.extend(next.into_iter().filter(|next| seen.insert(next.clone())));
        }
        Seen::Nothing
    }
}

/// What is left of a formula behind a position.
fn progress(formula: &Ltl, holds: &dyn Fn(&Atom) -> bool) -> Ltl {
    use Connective::{And, Iff, Implies, Or, Release, Until, WeakUntil};
    match formula {
        Ltl::Constant(_) => formula.clone(),
        Ltl::Atom(atom, _) => Ltl::Constant(holds(atom)),
        Ltl::Unary(op, inner) => match op {
            Modality::Not => not(progress(inner, holds)),
            Modality::Next => (**inner).clone(),
            Modality::Always => both(And, progress(inner, holds), formula.clone()),
            Modality::Eventually => both(Or, progress(inner, holds), formula.clone()),
        },
        Ltl::Binary(op, a, b) => {
            let (a, b) = (progress(a, holds), progress(b, holds));
            match op {
                And | Or => both(*op, a, b),
                Implies => both(Or, not(a), b),
                Iff => both(Or, both(And, a.clone(), b.clone()), both(And, not(a), not(b))),
                Until | WeakUntil => both(Or, b, both(And, a, formula.clone())),
                Release => both(And, b, both(Or, a, formula.clone())),
            }
        }
    }
}

/// The formula with one atom instead of another.
fn renamed(formula: &Ltl, from: &Atom, to: &(Atom, String)) -> Ltl {
    let sub = |inner: &Ltl| Box::new(renamed(inner, from, to));
    match formula {
        Ltl::Constant(_) => formula.clone(),
        Ltl::Atom(atom, _) if **atom == *from => Ltl::Atom(Box::new(to.0.clone()), to.1.clone()),
        Ltl::Atom(..) => formula.clone(),
        Ltl::Unary(op, inner) => Ltl::Unary(*op, sub(inner)),
        Ltl::Binary(op, a, b) => Ltl::Binary(*op, sub(a), sub(b)),
    }
}

fn not(formula: Ltl) -> Ltl {
    match formula {
        Ltl::Constant(value) => Ltl::Constant(!value),
        Ltl::Unary(Modality::Not, inner) => *inner,
        other => Ltl::Unary(Modality::Not, Box::new(other)),
    }
}

/// A conjunction or a disjunction without what is superfluous.
fn both(op: Connective, a: Ltl, b: Ltl) -> Ltl {
    let absorbs = Ltl::Constant(op == Connective::Or);
    let idle = Ltl::Constant(op == Connective::And);
    let has =
        |whole: &Ltl, part: &Ltl| matches!(whole, Ltl::Binary(o, x, y) if *o == op && (**x == *part || **y == *part));
    if a == absorbs || b == absorbs {
        absorbs
    } else if a == idle || a == b || has(&b, &a) {
        b
    } else if b == idle || has(&a, &b) {
        a
    } else {
        Ltl::Binary(op, Box::new(a), Box::new(b))
    }
}

/// A formula that promises nothing, by its form.
fn safety(random: &mut Random, atoms: &[(Atom, String)], depth: usize) -> Ltl {
    let inner = form(random, atoms, depth, true);
    if random.below(3) == 0 { inner } else { Ltl::Unary(Modality::Always, Box::new(inner)) }
}

fn form(random: &mut Random, atoms: &[(Atom, String)], depth: usize, as_it_is: bool) -> Ltl {
    use Connective::{And, Iff, Implies, Or, Release, Until, WeakUntil};
    let one = |random: &mut Random| {
        let (atom, text) = &atoms[random.below(atoms.len())];
        Ltl::Atom(Box::new(atom.clone()), text.clone())
    };
    if depth == 0 || random.below(6) == 0 {
        let atom = one(random);
        return if random.below(2) == 0 { atom } else { not(atom) };
    }
    let sub = |random: &mut Random, as_it_is: bool| Box::new(form(random, atoms, depth - 1, as_it_is));
    match random.below(10) {
        0 => Ltl::Unary(Modality::Not, sub(random, !as_it_is)),
        1 | 2 => Ltl::Unary(Modality::Next, sub(random, as_it_is)),
        3 => Ltl::Unary(if as_it_is { Modality::Always } else { Modality::Eventually }, sub(random, as_it_is)),
        4 => Ltl::Binary(And, sub(random, as_it_is), sub(random, as_it_is)),
        5 | 6 => Ltl::Binary(Or, sub(random, as_it_is), sub(random, as_it_is)),
        7 => Ltl::Binary(Implies, sub(random, !as_it_is), sub(random, as_it_is)),
        8 if random.below(3) == 0 => Ltl::Binary(Iff, Box::new(one(random)), Box::new(one(random))),
        _ => {
            let strong = random.below(2) == 0;
            let op = match (as_it_is, strong) {
                (true, true) => Release,
                (true, false) => WeakUntil,
                (false, _) => Until,
            };
            Ltl::Binary(op, sub(random, as_it_is), sub(random, as_it_is))
        }
    }
}

/// What formulas speak of.
const CONDITIONS: [&str; 16] = [
    "own == 1",
    "own == 0",
    "len(c0) < 2",
    "len(c0) == 2",
    "len(c1) == 0",
    "len(c1) <= 2",
    "nempty(c0)",
    "c0?[1]",
    "c0?[2]",
    "c1?[2]",
    "len(c0) + len(c1) < 3",
    "P0@here",
    "P1:x == 1",
    "c0!1",
    "c1?2",
    "r!1",
];

/// A small model.
struct Model<'r> {
    random: &'r mut Random,
}

impl Model<'_> {
    fn text(&mut self) -> String {
        let mut text = String::from("byte own; chan c0 = [1] of { byte }; chan c1 = [2] of { byte };\n");
        text += if self.random.below(4) == 0 { "chan r = [0] of { byte };\n" } else { "chan r = [1] of { byte };\n" };
        for process in 0..2 + self.random.below(2) {
            let options: Vec<String> = (0..1 + self.random.below(3)).map(|_| self.option(process)).collect();
            let first = if self.random.below(3) == 0 { self.statement(process) + "; " } else { String::new() };
            let (label, leave) = (self.pick(&["", "end: "]), self.pick(&["", "", ":: break "]));
            text += &format!("active proctype P{process}() {{ byte x; {first}\n{label}do\n");
            text += &format!(":: {} {leave}od; here: skip }}\n", options.join("\n:: "));
        }
        // Joined by `||` they would be one condition.
        text + &format!("ltl f {{ ({}) }}\n", CONDITIONS.join(") U ("))
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.random.below(from.len())]
    }

    fn option(&mut self, process: u64) -> String {
        let first = self.statement(process);
        let rest = self.statement(process);
        match self.random.below(7) {
            0 => format!("{} -> {rest}", self.condition()),
            1 => format!("atomic {{ {first}; {rest} }}"),
            2 => format!("{first}; {rest}"),
            3 => format!("{} -> atomic {{ {first}; {rest} }}", self.condition()),
            4 if self.random.below(3) == 0 => format!("timeout -> {first}"),
            _ => first,
        }
    }

    fn condition(&mut self) -> String {
        self.pick(&[
            "len(c0) < 2",
            "empty(c0)",
            "nempty(c1)",
            "c0?[1]",
            "c1?[eval(x)]",
            "len(c0) + len(c1) < 2",
            "x == 0",
            "own == 1",
            "own != x",
            "nfull(c1)",
            "c0?[2] && len(c1) < 1",
            "!(c1?[1])",
        ])
        .to_owned()
    }

    fn statement(&mut self, process: u64) -> String {
        let channel = match self.random.below(4) {
            0 => "r",
            1 | 2 if process == 0 => "c0",
            1 => "c1",
            _ => self.pick(&["c0", "c1"]),
        };
        match self.random.below(12) {
            0..=2 => format!("{channel}!{}", self.pick(&["1", "2", "x"])),
            3..=6 => format!("{channel}?{}", self.pick(&["1", "2", "x", "_", "eval(x)"])),
            7 => self.pick(&["own = 1 - own", "own = x % 2", "x = own"]).to_owned(),
            8 => self.pick(&["x = 1 - x", "x = (x + 1) % 3", "x = 2"]).to_owned(),
            9 => format!("d_step {{ {channel}!1; x = 1 }}"),
            10 => format!("assert({})", self.condition()),
            _ => String::from("x = 0"),
        }
    }
}

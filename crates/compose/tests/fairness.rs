//! Fair runs: by hand, and at random against a twin that knows no fairness. The twin is one structure that goes through the
//! states of the composition and remembers who moved last; that a run is fair is an assumption of the formula there.

use crate::support::{
    Builder, Part, Random, binary, butler, describe, event, proposition, random_composition_with, random_formula,
    random_response, seeds, unary, verdict,
};
use certify::composition::decide;
use compose::{Method, Question};
use model::composition::{Atom, Component, Composition, Progress, StepLabel, Stepper};
use model::context::Context;
use model::fairness::Fairness;
use model::formula::{Connective, Ltl, Modality};
use model::ids::{EventId, PropositionId};
use model::source::Span;
use model::structure::{Move, StateParts, Structure};
use std::collections::BTreeMap;

const METHODS: [Method; 4] = [Method::Plain, Method::Refine, Method::Minimise, Method::Auto];
const KINDS: [Fairness; 3] = [Fairness::Weak, Fairness::Strong, Fairness::Choice];
/// Propositions of the twin: who can move or where it is, and who moved or what happened.
const ABLE: u32 = 100;
const MOVED: u32 = 1_000;
/// More alternatives than this make the twin's formula too large.
const MOST_ALTERNATIVES: usize = 5;

fn infinitely_often(what: Ltl<Atom>) -> Ltl<Atom> {
    unary(Modality::Always, unary(Modality::Eventually, what))
}

fn not(what: Ltl<Atom>) -> Ltl<Atom> {
    unary(Modality::Not, what)
}

fn implies(a: Ltl<Atom>, b: Ltl<Atom>) -> Ltl<Atom> {
    binary(Connective::Implies, a, b)
}

/// A state of the composition and the marks of the step before.
type Marked = (Vec<u32>, Vec<u32>);

/// The one structure, and what fairness assumes of its runs; nothing if that is too much.
fn twin(composition: &Composition, fair: Fairness) -> Option<(Composition, Vec<Ltl<Atom>>)> {
    let mut stepper = Stepper::new(composition);
    let firsts: Vec<Marked> = composition.initial_states().into_iter().map(|state| (state, Vec::new())).collect();
    let mut number: BTreeMap<Marked, u32> = firsts.iter().cloned().zip(0..).collect();
    let mut waiting = firsts.clone();
    let mut alternatives: BTreeMap<(Vec<u32>, StepLabel, Vec<u32>), u32> = BTreeMap::new();
    let mut places: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    let (mut states, mut asked) = (Vec::new(), Vec::new());
    while let Some((state, marks)) = waiting.get(states.len()).cloned() {
        let mut steps = Vec::new();
        stepper.steps(&state, &mut |step, to| steps.push((step, to.to_vec())));
        let movers = |step: StepLabel| match step {
            StepLabel::Event(event) => stepper.participants(event).to_vec(),
            StepLabel::Silent { component } => vec![component],
        };
        let mut labels: Vec<u32> = marks.iter().map(|mark| MOVED + mark).collect();
        match fair {
            Fairness::Choice => {
                let known = places.len() as u32;
                let place = *places.entry(state.clone()).or_insert(known);
                labels.push(ABLE + place);
                for (step, to) in steps.iter().filter(|_| steps.len() > 1) {
                    let next = alternatives.len() as u32;
                    alternatives.entry((state.clone(), *step, to.clone())).or_insert_with(|| {
                        asked.push((ABLE + place, MOVED + next));
                        next
                    });
                }
            }
            _ => labels.extend(steps.iter().flat_map(|(step, _)| movers(*step)).map(|mover| ABLE + mover)),
        }
        let mut parts = StateParts::default();
        for (component, &at) in composition.components.iter().zip(&state) {
            parts.labels.extend_from_slice(component.structure.labels(at));
        }
        parts.labels.extend(labels.into_iter().map(PropositionId));
        for (step, to) in steps {
            let marks = match fair {
                Fairness::Choice => alternatives.get(&(state.clone(), step, to.clone())).copied().into_iter().collect(),
                _ => movers(step),
            };
            let next = (to, marks);
            let known = number.len() as u32;
            let to = *number.entry(next.clone()).or_insert_with(|| {
                waiting.push(next);
                known
            });
            parts.moves.push(Move { event: step.event(), to });
        }
        states.push(parts);
    }
    if fair != Fairness::Choice {
        asked = (0..composition.components.len() as u32).map(|who| (ABLE + who, MOVED + who)).collect();
    }
    let assumed = asked.iter().map(|&(able, moved)| match fair {
        Fairness::Weak => infinitely_often(binary(Connective::Or, not(proposition(able)), proposition(moved))),
        _ => implies(infinitely_often(proposition(able)), infinitely_often(proposition(moved))),
    });
    let assumed: Vec<Ltl<Atom>> = assumed.collect();
    let alphabet = (0..composition.events.len()).map(EventId::from);
    let structure = Structure::new(alphabet, (0..firsts.len() as u32).collect(), states);
    let component = Component {
        name: String::from("twin"),
        structure,
        state_names: Vec::new(),
        state_spans: Vec::new(),
        span: Span::NONE,
    };
    let one = Composition { components: vec![component], ..composition.clone() };
    (fair != Fairness::Choice || asked.len() <= MOST_ALTERNATIVES).then_some((one, assumed))
}

fn truth(composition: &Composition, question: Question<'_>) -> bool {
    decide(composition, question, &Context::unlimited()).expect("no limit")
}

/// What the twin says of a formula.
fn expected((one, assumed): &(Composition, Vec<Ltl<Atom>>), formula: &Ltl<Atom>) -> bool {
    let assumed = assumed.iter().cloned().reduce(|a, b| binary(Connective::And, a, b));
    let formula = assumed.map_or(formula.clone(), |assumed| implies(assumed, formula.clone()));
    truth(one, Question::Formula(&formula))
}

fn agree(seed: u64, composition: &Composition, question: Question<'_>, expected: bool, methods: &[Method]) {
    let whole = || format!("seed {seed}, {question:?}\n{}", describe(composition));
    assert_eq!(truth(composition, question), expected, "the checker: {}", whole());
    for &method in methods {
        match verdict(composition, question, method) {
            Ok(found) => assert_eq!(found, expected, "{method:?}, {}", whole()),
            Err(problem) => panic!("{problem}, {}", whole()),
        }
    }
}

#[test]
fn formulas_of_fair_runs_are_what_the_twin_says() {
    // Of each kind: what holds, what does not, and what holds because only fair runs count.
    let mut counts = [[0; 3]; 3];
    let (first, count) = (testing::first(0), seeds(400));
    for seed in first..first + count {
        let mut random = Random::new(seed ^ 0xfa17_0000);
        let silent = 2 + random.below(5);
        let composition = random_composition_with(&mut random, silent);
        let formula = if random.one_in(3) { random_formula(&mut random, 2) } else { random_response(&mut random) };
        let all = truth(&composition, Question::Formula(&formula));
        for (fair, counts) in KINDS.into_iter().zip(&mut counts) {
            let Some(twin) = twin(&composition, fair) else { continue };
            let holds = expected(&twin, &formula);
            agree(seed, &composition, Question::Fair(&formula, fair), holds, &METHODS);
            counts[usize::from(!holds)] += 1;
            counts[2] += u32::from(holds && !all);
        }
    }
    assert!(
        testing::long().is_some() || counts.iter().flatten().all(|&some| u64::from(some) > count / 100),
        "{counts:?}"
    );
}

fn random_progress(random: &mut Random, events: u32) -> Progress {
    let mut set = || -> Vec<EventId> { (0..1 + random.below(2)).map(|_| EventId(random.below(events))).collect() };
    let (sets, condition) = (vec![set(), set()], set());
    let sets = sets[..1 + random.below(2) as usize].to_vec();
    Progress {
        name: String::from("P"),
        span: Span::NONE,
        condition: Some(condition).filter(|_| random.one_in(2)),
        sets,
    }
}

#[test]
fn progress_of_fair_runs_is_what_the_twin_says() {
    let mut counts = [[0; 2]; 2];
    let (first, count) = (testing::first(0), seeds(400));
    let any = |events: &[EventId]| {
        let events = events.iter().map(|id| event(id.0));
        events.reduce(|a, b| binary(Connective::Or, a, b)).expect("an event")
    };
    for seed in first..first + count {
        let mut random = Random::new(seed ^ 0xfa18_0000);
        let composition = random_composition_with(&mut random, 6);
        let progress = random_progress(&mut random, composition.events.len() as u32);
        let ends = progress.is_missed(&|_| false)
            && !(truth(&composition, Question::Deadlock) && truth(&composition, Question::Safety));
        for (fair, counts) in KINDS.into_iter().zip(&mut counts) {
            let twin = twin(&composition, fair).expect("few components");
            let keeps = |set: &Vec<EventId>| {
                let often = infinitely_often(any(set));
                let condition = progress.condition.as_ref().map(|condition| infinitely_often(any(condition)));
                expected(&twin, &condition.map_or(often.clone(), |condition| implies(condition, often)))
            };
            let holds = !ends && progress.sets.iter().all(keeps);
            let question = Question::Progress(&progress, fair);
            agree(seed, &composition, question, holds, &[Method::Plain, Method::Auto]);
            counts[usize::from(holds)] += 1;
        }
    }
    assert!(testing::long().is_some() || counts.iter().flatten().all(|&some| some > count / 100), "{counts:?}");
}

/// A client that works or asks, beside one that only works: `work.0`, `ask.0`, `work.1`.
fn workers() -> Composition {
    let mut builder = Builder::default();
    let [work, ask, other] = ["work.0", "ask.0", "work.1"].map(|name| builder.event(name));
    let mut first = Part::new("first", 1);
    first.step(0, work, 0).step(0, ask, 0);
    let mut second = Part::new("second", 1);
    second.step(0, other, 0);
    builder.add(first).add(second);
    builder.build()
}

#[test]
fn each_kind_of_fairness_proves_more() {
    // A lock that two take in turn or not; one that is only sometimes free is enabled again and again, but not always.
    let mut builder = Builder::default();
    let [take0, give0, take1, give1] = ["take.0", "give.0", "take.1", "give.1"].map(|name| builder.event(name));
    let mut lock = Part::new("lock", 3);
    lock.step(0, take0, 1).step(1, give0, 0).step(0, take1, 2).step(2, give1, 0);
    let mut clients = [Part::new("zero", 2), Part::new("one", 2)];
    clients[0].step(0, take0, 1).step(1, give0, 0);
    clients[1].step(0, take1, 1).step(1, give1, 0);
    builder.add(lock);
    clients.into_iter().for_each(|client| {
        builder.add(client);
    });
    let composition = builder.build();
    let served = infinitely_often(event(take1));
    let holds = |fair: Fairness| verdict(&composition, Question::Fair(&served, fair), Method::Auto).expect("an answer");
    assert_eq!(KINDS.map(holds), [false, true, true]);
    let workers = workers();
    for (wanted, expected) in [(2, [true, true, true]), (1, [false, false, true])] {
        let often = infinitely_often(event(wanted));
        let holds = |fair: Fairness| verdict(&workers, Question::Fair(&often, fair), Method::Auto).expect("an answer");
        assert_eq!(KINDS.map(holds), expected);
        assert!(!verdict(&workers, Question::Formula(&often), Method::Auto).expect("an answer"));
    }
}

/// Fair choice takes each step of a state again and again, but not in every order.
#[test]
fn fair_choice_says_nothing_of_orders() {
    let workers = workers();
    let twice = infinitely_often(binary(Connective::And, event(1), unary(Modality::Next, event(1))));
    let question = Question::Fair(&twice, Fairness::Choice);
    assert!(!verdict(&workers, question, Method::Auto).expect("an answer"));
}

#[test]
fn who_is_let_in_by_a_butler_eats_in_the_end() {
    let composition = butler(4);
    let name = |name: &str| {
        let found = composition.events.iter().position(|event| event.name == name);
        event(found.expect("an event") as u32)
    };
    let eats = infinitely_often(name("take.0.1"));
    let holds = |fair: Fairness| verdict(&composition, Question::Fair(&eats, fair), Method::Auto).expect("an answer");
    assert_eq!(KINDS.map(holds), [false, true, true]);
}

/// A proof about fair runs is none about all.
#[test]
fn a_proof_is_refused_for_more_runs() {
    let (workers, often) = (workers(), infinitely_often(event(2)));
    let answer = crate::support::ask(&workers, Question::Fair(&often, Fairness::Weak), Method::Plain);
    let compose::Verdict::Holds(proof) = answer.verdict else { panic!("it holds") };
    let verify = |question: Question<'_>, fair: Fairness| {
        let proof = model::composition_proof::CompositionProof { fair, ..(*proof).clone() };
        certify::composition::verify(&workers, question, &proof, &mut bitvector::SatRefuter, &Context::unlimited())
    };
    assert!(verify(Question::Fair(&often, Fairness::Weak), Fairness::Weak).is_ok());
    for (question, fair) in [
        (Question::Formula(&often), Fairness::Weak),
        (Question::Formula(&often), Fairness::None),
        (Question::Fair(&often, Fairness::Weak), Fairness::Strong),
        (Question::Fair(&often, Fairness::Weak), Fairness::None),
        (Question::Deadlock, Fairness::Weak),
    ] {
        assert!(verify(question, fair).is_err(), "{question:?} {fair:?}");
    }
}

//! Hand-made proofs, corrupted ones, and random compositions with random partitions.

use super::*;
use model::budget::Budget;
use model::composition::{Component, Named};
use model::context::Context;
use model::formula::{Connective, Modality};
use model::ids::PropositionId;
use model::source::Span;
use model::structure::{Ending, Move, StateParts, Structure, TAU};

/// SplitMix64.
use testing::Random;

/// No proof here needs one.
struct NoRefuter;

impl Refuter for NoRefuter {
    fn refute(
        &mut self,
        _: &model::refutation::Cnf,
        _: &Budget,
    ) -> Result<model::refutation::Lrat, model::reason::Reason> {
        Err(model::reason::Reason::NotProvable(String::from("it was not tried")))
    }
}

fn check(composition: &Composition, question: Question<'_>, root: Node) -> Result<(), Refusal> {
    let proof = CompositionProof { root, invariants: Vec::new(), fair: question.fair() };
    verify(composition, question, &proof, &mut NoRefuter, &Context::unlimited())
}

fn truth(composition: &Composition, question: Question<'_>) -> bool {
    decide(composition, question, &Context::unlimited()).expect("no limit")
}

fn composition(structures: Vec<Structure>, events: u32, propositions: u32) -> Composition {
    let named = |letter: char, count: u32| -> Vec<Named> {
        (0..count).map(|number| Named { name: format!("{letter}{number}"), span: Span::NONE }).collect()
    };
    let component = |(number, structure)| Component {
        name: format!("C{number}"),
        structure,
        state_names: Vec::new(),
        state_spans: Vec::new(),
        span: Span::NONE,
    };
    Composition {
        components: structures.into_iter().enumerate().map(component).collect(),
        events: named('e', events),
        propositions: named('p', propositions),
        ..Composition::default()
    }
}

/// A structure that goes round through these events.
fn ring(events: &[u32]) -> Structure {
    let next = |at: usize| ((at + 1) % events.len()) as u32;
    let state = |(at, &event): (usize, &u32)| StateParts {
        moves: vec![Move { event: EventId(event), to: next(at) }],
        ..StateParts::default()
    };
    Structure::new([], vec![0], events.iter().enumerate().map(state).collect())
}

fn leaf(component: u32, hidden: &[u32], classes: &[(u32, u32)]) -> Node {
    let classes = classes.iter().map(|&(state, class)| (vec![state], class)).collect();
    Node { parts: Parts::Component(component), hidden: hidden.to_vec(), classes }
}

fn inner(parts: Vec<Node>, hidden: &[u32], classes: &[(&[u32], u32)]) -> Node {
    let classes = classes.iter().map(|&(state, class)| (state.to_vec(), class)).collect();
    Node { parts: Parts::Nodes(parts), hidden: hidden.to_vec(), classes }
}

/// The tree of all components in parallel, each state a class of its own.
fn trivial(composition: &Composition) -> Node {
    let count = composition.components.len() as u32;
    if count == 1 { leaf(0, &[], &[]) } else { inner((0..count).map(|c| leaf(c, &[], &[])).collect(), &[], &[]) }
}

fn event(number: u32) -> Ltl<Atom> {
    Ltl::Atom(Box::new(Atom::Event(EventId(number))), format!("e{number}"))
}

fn unary(op: Modality, inner: Ltl<Atom>) -> Ltl<Atom> {
    Ltl::Unary(op, Box::new(inner))
}

/// One process that repeats 0, 1 and one that repeats 1, 2: they meet in 1.
fn relay() -> Composition {
    composition(vec![ring(&[0, 1]), ring(&[1, 2])], 3, 0)
}

#[test]
fn a_proof_that_composes_hides_and_joins_states_is_accepted() {
    // Inside, 0 is internal, and the two are seen as one state that does 2 or something without a name.
    let first = leaf(0, &[0], &[(0, 7), (1, 8)]);
    let second = leaf(1, &[], &[]);
    let tree = || inner(vec![first.clone(), second.clone()], &[1, 2], &[]);
    check(&relay(), Question::Deadlock, tree()).expect("it is a proof");
    check(&relay(), Question::Safety, tree()).expect("it is a proof");
    let three = composition(vec![ring(&[0, 1]), ring(&[1, 2]), ring(&[2, 3])], 4, 0);
    // The states of the pair, in the order 0 · 1: (7,0), (8,0), (7,1), (8,1).
    let pair =
        inner(vec![first.clone(), second.clone()], &[1], &[(&[7, 0], 0), (&[8, 0], 1), (&[7, 1], 2), (&[8, 1], 2)]);
    let tree = inner(vec![pair, leaf(2, &[3], &[])], &[], &[]);
    check(&three, Question::Deadlock, tree).expect("it is a proof");
}

#[test]
fn a_formula_is_checked_on_the_abstraction_of_the_root() {
    let again = unary(Modality::Always, unary(Modality::Eventually, event(1)));
    let tree = inner(vec![leaf(0, &[0], &[]), leaf(1, &[2], &[])], &[], &[]);
    check(&relay(), Question::Formula(&again), tree).expect("every run meets in 1 again and again");
    let first = unary(Modality::Always, unary(Modality::Eventually, event(0)));
    let joined = inner(vec![leaf(0, &[], &[(0, 0), (1, 0)]), leaf(1, &[2], &[])], &[], &[]);
    assert!(truth(&relay(), Question::Formula(&first)));
    let refused = check(&relay(), Question::Formula(&first), joined);
    assert!(matches!(refused, Err(Refusal::TooCoarse(_))), "{refused:?}");
}

#[test]
fn a_class_of_states_that_wait_for_different_things_may_be_stuck() {
    let tree = inner(vec![leaf(0, &[], &[(0, 0), (1, 0)]), leaf(1, &[], &[(0, 0), (1, 0)])], &[], &[]);
    let refused = check(&composition(vec![ring(&[0, 1]), ring(&[0, 1])], 2, 0), Question::Deadlock, tree);
    assert!(matches!(refused, Err(Refusal::TooCoarse(_))), "{refused:?}");
}

/// Does 0, then something silent, and so on.
fn breathes(forever: bool) -> Composition {
    let step = |event: EventId, to| Move { event, to };
    let mut moves = [vec![step(EventId(0), 1)], vec![step(TAU, 2)], vec![step(EventId(0), 0)]];
    if forever {
        moves[2].push(step(TAU, 1));
    }
    let states = moves.into_iter().map(|moves| StateParts { moves, ..StateParts::default() }).collect();
    composition(vec![Structure::new([], vec![0], states)], 1, 0)
}

#[test]
fn a_silent_step_inside_of_a_class_counts_for_formulas_that_hear_it() {
    let again = unary(Modality::Always, unary(Modality::Eventually, event(0)));
    let joined = || leaf(0, &[], &[(0, 0), (1, 1), (2, 1)]);
    assert_eq!(check(&breathes(false), Question::Formula(&again), joined()), Ok(()));
    // The same with `X`: true, but not by these classes.
    let next = unary(Modality::Next, unary(Modality::Next, event(0)));
    let soon = unary(Modality::Always, Ltl::Binary(Connective::Or, Box::new(event(0)), Box::new(next)));
    let heard = Ltl::Binary(Connective::And, Box::new(again), Box::new(soon));
    assert!(truth(&breathes(false), Question::Formula(&heard)));
    let refused = check(&breathes(false), Question::Formula(&heard), joined());
    assert!(matches!(refused, Err(Refusal::TooCoarse(_))), "{refused:?}");
}

#[test]
fn a_class_that_can_be_silent_forever_is_not_hurried_on() {
    let again = unary(Modality::Always, unary(Modality::Eventually, event(0)));
    let question = Question::Formula(&again);
    assert!(!truth(&breathes(true), question));
    let refused = check(&breathes(true), question, leaf(0, &[], &[(0, 0), (1, 1), (2, 1)]));
    assert!(matches!(refused, Err(Refusal::TooCoarse(_))), "{refused:?}");
    // No component is silent alone, but two are together: 1 and 2 are hidden where they meet.
    let pair =
        |hidden: &[u32]| inner(vec![leaf(0, &[], &[]), leaf(1, &[], &[])], hidden, &[(&[0, 0], 0), (&[1, 1], 0)]);
    let three = composition(vec![ring(&[1, 2]), ring(&[1, 2]), ring(&[0])], 3, 0);
    assert!(!truth(&three, question));
    for hidden in [&[1, 2][..], &[1], &[]] {
        let refused = check(&three, question, inner(vec![pair(hidden), leaf(2, &[], &[])], &[], &[]));
        assert!(matches!(refused, Err(Refusal::TooCoarse(_))), "{refused:?}");
    }
    // A class without a cycle whose state is part of one above: 1 leads out of the first class, and 2 back.
    let halves = inner(vec![leaf(0, &[1, 2], &[(0, 0), (1, 1)]), leaf(1, &[], &[])], &[], &[]);
    let two = composition(vec![ring(&[1, 2]), ring(&[0])], 3, 0);
    assert!(matches!(check(&two, question, halves), Err(Refusal::TooCoarse(_))));
}

#[test]
fn a_component_that_is_missing_or_stands_twice_is_refused() {
    let words = |root| check(&relay(), Question::Deadlock, root).expect_err("no proof").to_string();
    assert!(words(leaf(0, &[], &[])).ends_with("`C1` is missing"));
    let twice = inner(vec![leaf(0, &[], &[]), leaf(0, &[], &[]), leaf(1, &[], &[])], &[], &[]);
    assert!(words(twice).ends_with("`C0` stands in it twice"));
    let third = inner(vec![leaf(0, &[], &[]), leaf(1, &[], &[]), leaf(2, &[], &[])], &[], &[]);
    assert!(words(third).ends_with("there is no component 2"));
    let single = inner(vec![inner(vec![leaf(0, &[], &[])], &[], &[]), leaf(1, &[], &[])], &[], &[]);
    assert!(words(single).ends_with("less than two parts"));
}

#[test]
fn an_event_that_somebody_knows_cannot_be_hidden() {
    let words = |question, hidden: &[u32]| {
        let root = inner(vec![leaf(0, hidden, &[]), leaf(1, &[], &[])], &[], &[]);
        check(&relay(), question, root).expect_err("no proof").to_string()
    };
    assert!(words(Question::Deadlock, &[1]).ends_with("it hides `e1`, but `C1` outside knows it"));
    assert!(words(Question::Deadlock, &[9]).ends_with("it hides event 9, which there is not"));
    let speaks = unary(Modality::Eventually, event(0));
    assert!(words(Question::Formula(&speaks), &[0]).ends_with("it hides `e0`, of which the formula speaks"));
}

#[test]
fn a_state_needs_one_class() {
    let words = |classes: &[(u32, u32)]| {
        let root = inner(vec![leaf(0, &[], classes), leaf(1, &[], &[])], &[], &[]);
        check(&relay(), Question::Deadlock, root).expect_err("no proof").to_string()
    };
    assert!(words(&[(0, 0)]).ends_with("state [1] can be reached, and has no class"));
    assert!(words(&[(0, 0), (1, 1), (0, 1)]).ends_with("state [0] stands in two classes"));
    let three = composition(vec![ring(&[0, 1]), ring(&[1, 2]), ring(&[2, 3])], 4, 0);
    let pair = inner(vec![leaf(0, &[], &[]), leaf(1, &[], &[])], &[], &[]);
    let refused = check(&three, Question::Deadlock, inner(vec![pair, leaf(2, &[], &[])], &[], &[]));
    assert!(refused.is_err_and(|why| why.to_string().ends_with("an inner node has no classes")));
}

#[test]
fn states_of_a_class_agree_in_propositions_and_in_being_wrong() {
    let step = |to| vec![Move { event: EventId(0), to }];
    let labelled = StateParts { moves: step(1), labels: vec![PropositionId(0)], ..StateParts::default() };
    let wrong = StateParts { ending: Ending::Error, ..StateParts::default() };
    let one = composition(vec![Structure::new([], vec![0], vec![labelled, wrong])], 1, 1);
    let joined = || leaf(0, &[], &[(0, 0), (1, 0)]);
    let holds = Ltl::Atom(Box::new(Atom::Proposition(PropositionId(0))), String::from("p0"));
    let words = |question| check(&one, question, joined()).expect_err("no proof").to_string();
    assert!(words(Question::Formula(&holds)).ends_with("class 0 differ in the propositions that hold"));
    let other = Ltl::Constant(true);
    assert!(words(Question::Formula(&other)).ends_with("some states of class 0 are errors, and some are not"));
    assert!(matches!(check(&one, Question::Safety, leaf(0, &[], &[])), Err(Refusal::TooCoarse(_))));
}

#[test]
fn a_deep_tree_needs_no_deep_stack() {
    let depth = 2000;
    let silent = || Structure::new([], vec![0], vec![StateParts { ending: Ending::Done, ..StateParts::default() }]);
    let many = composition((0..depth).map(|_| silent()).collect(), 0, 0);
    let mut root = leaf(0, &[], &[]);
    for component in 1..depth {
        root = inner(vec![root, leaf(component, &[], &[])], &[], &[(&[0, 0], 0)]);
    }
    assert_eq!(check(&many, Question::Deadlock, root), Ok(()));
}

/// Each of many pairs may be ready for one thing or the other: the choices are as many as there are subsets.
#[test]
fn choices_are_not_listed_one_by_one() {
    let pairs = 200;
    let toggle = |n: u32| ring(&[2 * (n % pairs), 2 * (n % pairs) + 1]);
    // Somebody beside them can always go on.
    let free = ring(&[2 * pairs]);
    let many = composition((0..2 * pairs).map(toggle).chain([free]).collect(), 2 * pairs + 1, 0);
    let joined = (0..2 * pairs).map(|component| leaf(component, &[], &[(0, 0), (1, 0)]));
    let root = inner(joined.chain([leaf(2 * pairs, &[], &[])]).collect(), &[], &[]);
    assert_eq!(check(&many, Question::Deadlock, root), Ok(()));
}

#[test]
fn a_limit_is_not_an_answer() {
    let limits = Budget::unlimited().timeout(std::time::Duration::ZERO);
    let many = composition((0..16).map(|n| ring(&[2 * n, 2 * n + 1])).collect(), 32, 0);
    let proof =
        CompositionProof { root: trivial(&many), invariants: Vec::new(), fair: model::fairness::Fairness::None };
    let checked = verify(&many, Question::Deadlock, &proof, &mut NoRefuter, &Context::silent(&limits));
    assert!(matches!(checked, Err(Refusal::Unfinished(_))), "{checked:?}");
}

fn random_structure(random: &mut Random, events: u32, propositions: u32) -> Structure {
    let count = 1 + random.below(4);
    let state = |random: &mut Random| StateParts {
        moves: (0..random.below(4))
            .map(|_| Move {
                event: if random.one_in(5) { TAU } else { EventId(random.below(events)) },
                to: random.below(count),
            })
            .collect(),
        labels: (0..propositions).filter(|_| random.one_in(3)).map(PropositionId).collect(),
        ending: [Ending::Done, Ending::Error].get(random.below(12) as usize).copied().unwrap_or_default(),
    };
    let states = (0..count).map(|_| state(random)).collect();
    let initial = if random.one_in(6) { vec![0, random.below(count)] } else { vec![0] };
    let known: Vec<EventId> = (0..events).filter(|_| random.one_in(6)).map(EventId).collect();
    Structure::new(known, initial, states)
}

fn random_formula(random: &mut Random, depth: u32, events: u32, propositions: u32) -> Ltl<Atom> {
    use Connective::{And, Implies, Or, Release, Until, WeakUntil};
    use Modality::{Always, Eventually, Next, Not};
    if depth == 0 || random.one_in(6) {
        let number = random.below(events + propositions);
        let atom = match number.checked_sub(events) {
            Some(number) => Atom::Proposition(PropositionId(number)),
            None => Atom::Event(EventId(number)),
        };
        return Ltl::Atom(Box::new(atom), format!("a{number}"));
    }
    let mut part = || Box::new(random_formula(random, depth - 1, events, propositions));
    let (a, b) = (part(), part());
    match random.below(10) {
        0 => Ltl::Unary(Not, a),
        1 => Ltl::Unary(Next, a),
        2 | 3 => Ltl::Unary(Always, a),
        4 | 5 => Ltl::Unary(Eventually, a),
        choice => {
            let op = [And, Or, Implies, Until, Release, WeakUntil];
            Ltl::Binary(op[(choice as usize + random.below(6) as usize) % 6], a, b)
        }
    }
}

/// A random tree: components in any order, grouped in any way, any events hidden that may be, states joined at random.
fn random_tree(random: &mut Random, composition: &Composition, question: Question<'_>) -> Node {
    let atoms = atoms_of(question).expect("few atoms");
    let mut nodes: Vec<(Node, Vec<u32>)> = (0..composition.components.len() as u32)
        .map(|component| {
            let states = composition.components[component as usize].structure.states() as u32;
            let coarse = 1 + random.below(states);
            let classes: Vec<(u32, u32)> = (0..states).map(|state| (state, random.below(coarse))).collect();
            let classes = if random.one_in(2) { Vec::new() } else { classes };
            (leaf(component, &[], &classes), vec![component])
        })
        .collect();
    let knows =
        |component: u32, event: u32| composition.components[component as usize].structure.takes_part(EventId(event));
    let hide = |random: &mut Random, (node, below): &mut (Node, Vec<u32>)| {
        for event in 0..composition.events.len() as u32 {
            let outside = |c: &u32| !below.contains(c) && knows(*c, event);
            let known = (0..composition.components.len() as u32).any(|c| outside(&c));
            if !known && !atoms.contains(&Atom::Event(EventId(event))) && random.one_in(2) {
                node.hidden.push(event);
            }
        }
    };
    nodes.iter_mut().for_each(|node| hide(random, node));
    while nodes.len() > 1 {
        let take = 2 + random.below(nodes.len() as u32 - 1) as usize;
        let mut parts = Vec::new();
        for _ in 0..take {
            parts.push(nodes.swap_remove(random.below(nodes.len() as u32) as usize));
        }
        let below = parts.iter().flat_map(|(_, below)| below).copied().collect();
        let mut node = (inner(parts.into_iter().map(|(node, _)| node).collect(), &[], &[]), below);
        hide(random, &mut node);
        if !nodes.is_empty() {
            node.0.classes = random_classes(random, &node.0);
        }
        nodes.push(node);
    }
    nodes.pop().expect("one is left").0
}

/// Every tuple of small class numbers, joined at random; often hardly at all.
fn random_classes(random: &mut Random, node: &Node) -> Vec<(Vec<u32>, u32)> {
    let Parts::Nodes(parts) = &node.parts else { return Vec::new() };
    let mut tuples: Vec<Vec<u32>> = vec![Vec::new()];
    for part in parts {
        let most = part.classes.iter().map(|(_, class)| class + 1).max().unwrap_or(4);
        tuples = tuples.iter().flat_map(|t| (0..most).map(move |c| [t.as_slice(), &[c]].concat())).collect();
    }
    let coarse = random.one_in(3);
    let fresh = |(number, tuple): (usize, Vec<u32>)| {
        let joined = if coarse { random.one_in(2) } else { random.one_in(12) };
        (tuple, if joined { random.below(1 + number as u32) } else { number as u32 })
    };
    tuples.into_iter().enumerate().map(fresh).collect()
}

/// What is accepted holds; the tree that joins nothing is accepted exactly if the property holds.
#[test]
fn nothing_false_is_accepted_and_the_trivial_tree_decides() {
    let seeds = testing::seeds(3000);
    // For each question: how often it holds, and how often a random tree that is not trivial is accepted.
    let mut counts = [(0, 0); 3];
    for seed in 0..seeds {
        let mut random = Random::new(seed);
        let (events, propositions) = (2 + random.below(4), random.below(3));
        let count = 1 + random.below(4);
        let structures = (0..count).map(|_| random_structure(&mut random, events, propositions)).collect();
        let composition = composition(structures, events, propositions);
        let mut formula = random_formula(&mut random, 3, events, propositions);
        // Half of them are invariant under stuttering, as far as that is to be had.
        for _ in 0..20 {
            if seed % 2 == 0 || stuttering::is_invariant(&formula) && !formula.is_propositional() {
                break;
            }
            formula = random_formula(&mut random, 3, events, propositions);
        }
        let questions = [Question::Deadlock, Question::Safety, Question::Formula(&formula)];
        for (question, (held, accepted)) in questions.into_iter().zip(&mut counts) {
            let holds = truth(&composition, question);
            *held += u64::from(holds);
            let plain = check(&composition, question, trivial(&composition));
            assert_eq!(plain.is_ok(), holds, "seed {seed}, {question:?}: {plain:?}");
            let tree = random_tree(&mut random, &composition, question);
            if check(&composition, question, tree.clone()).is_ok() {
                *accepted += u64::from(tree != trivial(&composition));
                assert!(holds, "seed {seed}, {question:?}: accepted, but it does not hold\n{tree:?}");
            }
        }
    }
    // The test is worth something only if proofs that join states are accepted now and then.
    assert!(counts.iter().all(|(_, accepted)| accepted * 50 > seeds), "{counts:?}");
}

//! Attacks on the checker of flow proofs: corrupted proofs, and proofs that were forged with thought.
//!
//! A corrupted proof need not be refused: a set of values that is wider than necessary, or weights that still rank, make
//! another good proof. But what is accepted must be true, and explicit search knows what is true of these models.
//! `HIGHWATER_SEEDS` is the number of corrupted proofs per model.

use crate::support::{CASES, Case, Truth, seconds};
use certify::Refusal;
use model::context::Context;
use model::flow_proof::{Bound, FlowProof, Origin, Part, Point, Ranking, Values, Weights};
use model::network::Network;
use model::verdict::Property;
use serde_json::Value;
use testing::Random;

/// A small generator of numbers that look random.
struct Dice(Random);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0.below(below)
    }

    /// A place in a document: goes down until it stops.
    fn place<'v>(&mut self, document: &'v mut Value) -> &'v mut Value {
        let mut at = document;
        loop {
            let count = match &*at {
                Value::Array(items) => items.len(),
                Value::Object(fields) => fields.len(),
                _ => 0,
            };
            if count == 0 || self.roll(12) == 0 {
                return at;
            }
            let index = self.roll(count);
            at = match at {
                Value::Array(items) => &mut items[index],
                Value::Object(fields) => fields.values_mut().nth(index).expect("there are so many"),
                _ => unreachable!("it has parts"),
            };
        }
    }

    /// Changes something.
    fn corrupt(&mut self, document: &mut Value) {
        let donor = self.place(document).clone();
        let kind = self.roll(8);
        let (one, other) = (self.roll(64), self.roll(64));
        match self.place(document) {
            Value::Number(number) => {
                let n = number.as_i64().unwrap_or(i64::MAX);
                let (more, less) = (n.saturating_add(1), n.saturating_sub(1));
                let choices = [more, less, more, less, 0, n.saturating_neg(), i64::MAX, i64::MIN];
                *number = choices[kind].into();
            }
            Value::Bool(flag) => *flag = !*flag,
            Value::Array(items) if !items.is_empty() => {
                let (one, other) = (one % items.len(), other % items.len());
                match kind {
                    0 | 1 => drop(items.remove(one)),
                    2 => items.push(items[one].clone()),
                    3 => items.swap(one, other),
                    4 => items[one] = items[other].clone(),
                    5 => items.clear(),
                    6 => items.insert(one, items[other].clone()),
                    _ => items[one] = donor,
                }
            }
            place @ (Value::Null | Value::Array(_)) => *place = donor,
            place => {
                let widened = ["set", "range"].iter().find_map(|key| place.get(*key).cloned());
                match widened.and_then(|ends| Some((ends.get(0)?.as_i64()?, ends.as_array()?.last()?.as_i64()?))) {
                    Some((low, high)) if kind < 4 => {
                        let (low, high) = (low - (one % 2) as i64, high + (other % 2) as i64);
                        *place = serde_json::json!({ "range": [low, high] });
                    }
                    _ => *place = donor,
                }
            }
        }
    }
}

fn corrupted(proof: &Value, seed: u64) -> Option<FlowProof> {
    let mut dice = Dice(Random::new(seed));
    let mut document = proof.clone();
    for _ in 0..=dice.roll(3) {
        // Half of the time in one part, so that small parts are not spared.
        let part = ["abstraction", "ranking", "bounds", "bound_weights"][dice.roll(4)];
        match document.get_mut(part).filter(|_| dice.roll(2) == 0) {
            Some(part) => dice.corrupt(part),
            None => dice.corrupt(&mut document),
        }
    }
    serde_json::from_value(document).ok()
}

#[test]
fn corrupted_proofs_are_refused_or_true() {
    let seeds: u64 = testing::seeds(600);
    for case in CASES {
        let networks = [case.network(0), case.network(1)];
        let truths = [0, 1].map(|variant| Truth::of(case, &networks[variant]));
        let proof = case.prove(&networks[0]).unwrap_or_else(|| panic!("{}: no proof", case.name));
        let document = serde_json::to_value(&proof).expect("a proof can be written");
        let (mut tried, mut refused) = (0, 0);
        for seed in 0..seeds {
            let Some(mutant) = corrupted(&document, seed).filter(|mutant| *mutant != proof) else { continue };
            for (network, truth) in networks.iter().zip(&truths) {
                tried += 1;
                match case.verify(network, &mutant) {
                    Ok(accepted) => {
                        let wrong = truth.contradicts(network, &mutant, &accepted);
                        assert_eq!(wrong, None, "{}, seed {seed}", case.name);
                    }
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(2 * refused > tried && tried > 0, "{}: only {refused} of {tried} refused", case.name);
    }
}

/// The proof that the engine makes for a model.
fn proved(text: &'static str, live: bool) -> (Network, FlowProof) {
    let case = Case { name: "forged", text, variants: ["", ""], live, events: &[] };
    let network = case.network(0);
    let proof = case.prove(&network).expect("the engine proves something");
    assert!(case.verify(&network, &proof).is_ok(), "{:?}", case.verify(&network, &proof));
    (network, proof)
}

fn refusal(network: &Network, proof: &FlowProof) -> Refusal {
    let property = if proof.progress.is_some() { Property::Livelock } else { Property::Boundedness };
    certify::flow::verify(network, &property, proof, &Context::silent(&seconds(20))).expect_err("it is wrong")
}

fn queue(network: &Network, proof: &FlowProof, name: &str) -> u32 {
    let variable = network.variables.iter().position(|v| v.name == name).expect("there is such a channel");
    let named = |key: model::flow_proof::QueueKey| key.instance.is_none() && key.variable as usize == variable;
    proof.abstraction.queues.iter().position(|q| named(q.key)).expect("there is such a queue") as u32
}

/// Weights of zero for everything.
fn nothing(proof: &FlowProof) -> Weights {
    let abstraction = &proof.abstraction;
    Weights {
        messages: (0..).zip(abstraction.queues.iter().map(|q| vec![0; q.atoms.len()])).collect(),
        nodes: (0..).zip(abstraction.instances.iter().map(|i| vec![0; i.nodes.len()].into_iter().collect())).collect(),
        values: (0..).zip(abstraction.followed.iter().map(|f| vec![0; f.values.len()])).collect(),
        numbers: (0..abstraction.numbers.len() as u32).map(|number| (number, 0)).collect(),
    }
}

/// The weights of a proof without cases.
fn leaf(proof: &mut FlowProof) -> &mut Weights {
    match &mut proof.ranking {
        Ranking::Bounded(weights) => weights,
        other => panic!("a leaf is expected: {other:?}"),
    }
}

/// IBOC, figure 9: if processes of any number could have negative potentials, each new one would pay for its message.
#[test]
fn processes_of_any_number_have_no_debts() {
    let (network, mut proof) = proved(
        "chan q = [1] of { byte }, b = [1] of { byte };
         active proctype Bystander() { do :: b!1; b?_ od }
         proctype W() { q!1 } init { do :: run W() od }",
        false,
    );
    let q = queue(&network, &proof, "q");
    assert!(!proof.abstraction.queues[q as usize].claimed);
    proof.abstraction.queues[q as usize].claimed = true;
    let many = proof.abstraction.instances.iter().position(|i| i.many).expect("W is many");
    let first = proof.abstraction.instances[many].first.clone();
    let atoms = proof.abstraction.queues[q as usize].atoms.len();
    let nodes = proof.abstraction.instances[many].nodes.len() as u32;
    proof.bounds.clear();
    proof.bound_weights.clear();
    let weights = leaf(&mut proof);
    weights.messages.insert(q, vec![1; atoms]);
    let potentials = (0..nodes).map(|n| if first.contains(&n) { 0 } else { -1 });
    weights.nodes.insert(many as u32, potentials.collect());
    let refused = refusal(&network, &proof);
    assert!(matches!(&refused, Refusal::Ranking(why) if why.contains("negative weight")), "{refused}");
}

#[test]
fn what_is_claimed_weighs_something() {
    let (network, mut proof) = proved(
        "chan q = [1] of { byte }, b = [1] of { byte };
         active proctype Bystander() { do :: b!1; b?_ od } active proctype P() { do :: q!1 od }",
        false,
    );
    let q = queue(&network, &proof, "q");
    proof.abstraction.queues[q as usize].claimed = true;
    proof.bounds.clear();
    proof.bound_weights.clear();
    let refused = refusal(&network, &proof);
    assert!(matches!(&refused, Refusal::Ranking(why) if why.contains("weighs nothing")), "{refused}");
    let atoms = proof.abstraction.queues[q as usize].atoms.len();
    leaf(&mut proof).messages.insert(q, vec![1; atoms]);
    let refused = refusal(&network, &proof);
    assert!(matches!(&refused, Refusal::Ranking(why) if why.contains("gains 1")), "{refused}");
}

/// `a` fills up in a first stage and is turned into `k` in a second one. No step gains if `k` weighs less than `a`; but if
/// nothing is known of how much is in `a`, it must not pay for anything.
#[test]
fn what_is_not_claimed_pays_for_nothing() {
    let (network, mut proof) = proved(
        "chan a = [1] of { byte }, k = [1] of { byte }, b = [1] of { byte };
         active proctype Bystander() { do :: b!1; b?_ od }
         active proctype P() { do :: a!1 :: break od; do :: a?1 -> k!1 od }",
        false,
    );
    let (a, k) = (queue(&network, &proof, "a"), queue(&network, &proof, "k"));
    assert!(!proof.abstraction.queues[a as usize].claimed && !proof.abstraction.queues[k as usize].claimed);
    proof.abstraction.queues[k as usize].claimed = true;
    proof.bounds.clear();
    proof.bound_weights.clear();
    let mut weights = nothing(&proof);
    weights.messages.get_mut(&k).expect("it is there").fill(1);
    weights.messages.get_mut(&queue(&network, &proof, "b")).expect("it is there").fill(1);
    proof.ranking = Ranking::Bounded(weights);
    assert!(matches!(refusal(&network, &proof), Refusal::Ranking(why) if why.contains("gains 1")));
    leaf(&mut proof).messages.get_mut(&a).expect("it is there").fill(1);
    assert!(matches!(refusal(&network, &proof), Refusal::Ranking(why) if why.contains("not claimed")));
}

/// A weak inequality would certify `do :: skip od`.
#[test]
fn what_does_not_lose_is_not_left_out() {
    let (network, mut proof) = proved("byte x; active proctype P() { do :: x = 1; progress: x = 0 od }", true);
    let spinning = Case {
        name: "spinning",
        text: "byte x; active proctype P() { do :: x = 1; x = 0 od }",
        variants: ["", ""],
        live: true,
        events: &[],
    }
    .network(0);
    let zero = nothing(&proof);
    for ranking in [
        Ranking::Empty,
        Ranking::Lose(zero.clone(), Box::new(Ranking::Empty)),
        Ranking::Bounded(zero.clone()),
        Ranking::Split { part: Part::Instance(0), groups: Vec::new(), cases: Vec::new() },
        Ranking::Split { part: Part::Instance(9), groups: Vec::new(), cases: vec![Ranking::Empty] },
    ] {
        proof.ranking = ranking;
        assert!(matches!(refusal(&spinning, &proof), Refusal::Ranking(_) | Refusal::Malformed(_)));
    }
    // What is bounded may still spin.
    proof.ranking = Ranking::Bounded(zero);
    assert!(matches!(refusal(&network, &proof), Refusal::Ranking(_)));
}

/// A part that does not exist has no groups, so there would be no case to look at.
#[test]
fn a_split_has_cases() {
    let (network, mut proof) = proved(
        "chan q = [1] of { byte }, b = [1] of { byte };
         active proctype Bystander() { do :: b!1; b?_ od } active proctype P() { do :: q!1 od }",
        false,
    );
    let mut ghost = proof.abstraction.instances[0].clone();
    (ghost.origin, ghost.nodes, ghost.first) = (Origin::Run, Vec::new(), Vec::new());
    proof.abstraction.instances.push(ghost);
    proof.abstraction.queues.iter_mut().for_each(|queue| queue.claimed = true);
    proof.bounds.clear();
    let part = Part::Instance(proof.abstraction.instances.len() as u32 - 1);
    proof.ranking = Ranking::Split { part, groups: Vec::new(), cases: Vec::new() };
    assert!(matches!(refusal(&network, &proof), Refusal::Malformed(_)));
}

/// Processes whose number pays in one stage and is forgotten in the next.
#[test]
fn processes_count_everywhere_or_nowhere() {
    let (network, proof) = proved(
        "chan tickets = [2] of { bit }, q = [1] of { byte };
         proctype W(byte k) { q!k }
         init { tickets!1; tickets!1; do :: tickets?_ -> run W(5) od }",
        false,
    );
    let many = proof.abstraction.instances.iter().position(|i| i.many).expect("W is many");
    let Ranking::Bounded(weights) = &proof.ranking else { panic!("a leaf is expected") };
    let mut forgetful = weights.clone();
    forgetful.nodes.remove(&(many as u32));
    let mut forged = proof.clone();
    forged.ranking = Ranking::Lose(weights.clone(), Box::new(Ranking::Bounded(forgetful)));
    forged.bounds.clear();
    assert!(matches!(refusal(&network, &forged), Refusal::Ranking(_)));
}

#[test]
fn what_is_created_again_and_again_is_not_single() {
    let (network, proof) = proved(
        "chan tickets = [2] of { bit }, q = [1] of { byte };
         proctype W(byte k) { q!k }
         init { tickets!1; tickets!1; do :: tickets?_ -> run W(5) od }",
        false,
    );
    let mut forged = proof.clone();
    for instance in &mut forged.abstraction.instances {
        (instance.many, instance.origin) = (false, if instance.many { Origin::Run } else { instance.origin });
    }
    assert!(matches!(refusal(&network, &forged), Refusal::Creation(_)));
    let mut forged = proof.clone();
    forged.abstraction.creations.clear();
    assert!(matches!(refusal(&network, &forged), Refusal::Creation(_)));
}

/// Whatever levels a proof gives to the nodes of the creator: where its process comes back, none of them prove that it creates
/// one process only.
#[test]
fn no_levels_make_a_process_single_that_is_created_in_a_loop() {
    let (network, proof) = proved(
        "chan tickets = [2] of { bit }, q = [1] of { byte };
         proctype W() { q!5 }
         init { tickets!1; tickets!1; do :: tickets?_ -> run W() od }",
        false,
    );
    let mut forged = proof.clone();
    for instance in &mut forged.abstraction.instances {
        (instance.many, instance.origin) = (false, if instance.many { Origin::Run } else { instance.origin });
    }
    let creator = forged.abstraction.creations[0].creator as usize;
    let nodes = forged.abstraction.instances[creator].nodes.len();
    let mut dice = Dice(Random::new(1));
    for _ in 0..200 {
        let levels = (0..nodes).map(|_| dice.roll(nodes) as i64);
        forged.abstraction.instances[creator].levels = levels.collect();
        assert!(matches!(refusal(&network, &forged), Refusal::Creation(_)));
    }
}

/// The same model with `||` for `&&` in its condition: what one side says is not known then.
#[test]
fn a_condition_of_which_one_side_is_enough_says_less() {
    for condition in ["n < 3 && n + go >= 0", "n + go >= 0 && n < 3"] {
        let text = |condition: &str| -> &'static str {
            let text = format!(
                "chan c = [1] of {{ bit }}, d = [1] of {{ bit }}; int n, go;
                 active proctype S() {{ do :: {condition} -> c!1; n++ :: d?1 -> n-- od }}
                 active proctype R() {{ do :: c?1 -> d!1 od }}"
            );
            Box::leak(text.into_boxed_str())
        };
        let (_, proof) = proved(text(condition), false);
        assert!(!proof.abstraction.linear.bounds.is_empty());
        let either = condition.replace("&&", "||");
        let case = Case { name: "either", text: text(&either), variants: ["", ""], live: false, events: &[] };
        let refused = refusal(&case.network(0), &proof);
        assert!(matches!(refused, Refusal::NotInvariant(_)), "{refused}");
    }
}

/// A number of 16 bits is credit for messages, as long as it does not wrap.
#[test]
fn a_number_that_wraps_is_no_credit() {
    let text = |limit: i32| -> &'static str {
        let process = format!("short n; do :: n < {limit} -> q!1; n++ :: else -> break od");
        Box::leak(format!("chan q = [1] of {{ bit }}; active proctype P() {{ {process} }}").into_boxed_str())
    };
    let (_, mut proof) = proved(text(32767), false);
    assert!(!proof.abstraction.numbers.is_empty(), "the engine counts");
    // With all values of the type, it is an abstraction of the other model, too.
    for node in proof.abstraction.instances.iter_mut().flat_map(|instance| &mut instance.nodes) {
        node.values.iter_mut().for_each(|values| *values = Values::Range(-32768, 32767));
    }
    for number in &mut proof.abstraction.numbers {
        number.limit = if number.upwards { 32767 } else { -32768 };
    }
    proof.abstraction.linear = Default::default();
    (proof.bounds, proof.bound_weights) = (Vec::new(), Vec::new());
    let case = Case { name: "wraps", text: text(32768), variants: ["", ""], live: false, events: &[] };
    let refused = refusal(&case.network(0), &proof);
    assert!(matches!(&refused, Refusal::Ranking(why) if why.contains("gains")), "{refused}");
}

/// The same for lengths.
#[test]
fn a_length_that_one_side_limits_is_not_known() {
    for condition in ["len(q) < 3 && go >= 0", "go >= 0 && len(q) < 3"] {
        let text = |condition: &str| -> &'static str {
            let text = format!(
                "chan q = [1] of {{ bit }}; int go; active [2] proctype S() {{ do :: go = 1 - go :: {condition} -> q!1 od }}"
            );
            Box::leak(text.into_boxed_str())
        };
        let (_, proof) = proved(text(condition), false);
        assert!(!proof.bounds.is_empty());
        let either = condition.replace("&&", "||");
        let case = Case { name: "either", text: text(&either), variants: ["", ""], live: false, events: &[] };
        let refused = refusal(&case.network(0), &proof);
        assert!(matches!(refused, Refusal::Bound(_)), "{refused}");
    }
}

#[test]
fn bounds_are_not_a_unit_too_small() {
    for case in CASES.iter().filter(|case| !case.live) {
        let network = case.network(0);
        let mut proof = case.prove(&network).expect("the engine proves something");
        let truth = Truth::of(case, &network);
        for index in 0..proof.bounds.len() {
            let honest = proof.bounds[index].clone();
            proof.bounds[index].unit = 0;
            assert!(case.verify(&network, &proof).is_err(), "{}: a unit of 0", case.name);
            proof.bounds[index] = honest.clone();
            for less in 1..=honest.at_most {
                proof.bounds[index].at_most = honest.at_most - less;
                if let Ok(accepted) = case.verify(&network, &proof) {
                    assert_eq!(truth.contradicts(&network, &proof, &accepted), None, "{}", case.name);
                }
            }
            proof.bounds[index] = honest;
        }
    }
}

/// The weights of a queue alone, and a bound that rests on them.
fn rest_on(proof: &mut FlowProof, queues: &[u32], bounded: u32) {
    let mut weights = Weights::default();
    for &queue in queues {
        weights.messages.insert(queue, vec![1; proof.abstraction.queues[queue as usize].atoms.len()]);
    }
    proof.abstraction.queues[bounded as usize].claimed = true;
    proof.bounds = vec![Bound { queue: bounded, atoms: Vec::new(), at_most: 1000, weights: 0, unit: 1 }];
    proof.bound_weights = vec![weights];
}

/// Bounds of atoms bound a queue only together, and each only what it weighs.
#[test]
fn a_bound_of_atoms_is_for_these_alone() {
    let text = "chan q = [1] of { byte };
         active proctype S() { do :: !(q??[1]) -> q!1 :: !(q??[2]) -> q!2 od }
         active proctype R() { do :: q?1 :: q?2 od }";
    let case = Case { name: "atoms", text: "", variants: ["", ""], live: false, events: &[] };
    let network = promela::read("model.pml", text, &promela::preprocess::Options::default()).network.unwrap();
    let honest = case.prove(&network).unwrap();
    let parts = honest.bounds.iter().filter(|bound| !bound.atoms.is_empty()).count();
    assert_eq!((parts, honest.bounds.len()), (2, 2));
    let bound = |proof: &FlowProof| case.verify(&network, proof).ok().map(|all| all.bounded[0].1);
    assert_eq!(bound(&honest), Some(Some(2)));
    let mut forged = honest.clone();
    forged.bounds.pop();
    assert_eq!(bound(&forged), None, "one of two");
    let mut forged = honest.clone();
    forged.bounds[0].atoms = vec![0, 1];
    assert_eq!(bound(&forged), None, "an atom that weighs nothing");
    let mut forged = honest.clone();
    forged.bounds[0].atoms.clear();
    assert_eq!(bound(&forged), None, "all atoms");
    let mut forged = honest;
    forged.bounds[1].at_most = 0;
    assert_eq!(bound(&forged), None, "less than the one that was tested for");
}

/// A queue that limits itself needs its bound, and the bound counts those who have asked and not yet sent.
#[test]
fn a_limit_is_shown_by_its_bound() {
    let text = "chan q = [2] of { byte }; active [2] proctype P() { do :: nfull(q) -> q!1 od }";
    let (network, proof) = proved(text, false);
    let most = proof.bounds.iter().map(|bound| bound.at_most).max();
    assert_eq!(most, Some(3));
    let mut forged = proof.clone();
    forged.bounds.iter_mut().for_each(|bound| bound.at_most = 2);
    assert!(matches!(refusal(&network, &forged), Refusal::Bound(why) if why.contains("more than 2")));
    let mut forged = proof;
    forged.bounds.clear();
    forged.bound_weights.clear();
    leaf(&mut forged).messages.clear();
    assert!(matches!(refusal(&network, &forged), Refusal::Ranking(why) if why.contains("weighs nothing")));
}

/// That one queue is short says nothing of another, nor of both together.
#[test]
fn a_limit_is_of_one_queue() {
    let (network, proof) = proved(
        "chan c = [1] of { byte }, d = [1] of { byte }, b = [1] of { byte };
         active proctype Bystander() { do :: b!1; b?_ od }
         active proctype P() { do :: atomic { nfull(c) -> d!1 } :: atomic { d?_; c!1 } :: c?_ od }",
        false,
    );
    let (c, d) = (queue(&network, &proof, "c"), queue(&network, &proof, "d"));
    for weigh in [&[d][..], &[c, d], &[d, c]] {
        let mut forged = proof.clone();
        rest_on(&mut forged, weigh, d);
        forged.abstraction.queues[c as usize].claimed = true;
        assert!(matches!(refusal(&network, &forged), Refusal::Bound(why) if why.contains("gains 1")));
    }
}

/// Queues of any number of processes are not one queue.
#[test]
fn a_limit_is_not_of_many_queues() {
    let (network, mut proof) = proved(
        "chan b = [1] of { byte };
         active proctype Bystander() { do :: b!1; b?_ od }
         proctype W() { chan o = [1] of { byte }; do :: atomic { nfull(o) -> o!1 } od } init { do :: run W() od }",
        false,
    );
    let own = proof.abstraction.queues.iter().position(|q| q.key.instance.is_some()).expect("W has a queue") as u32;
    rest_on(&mut proof, &[own], own);
    assert!(matches!(refusal(&network, &proof), Refusal::Bound(why) if why.contains("gains 1")));
}

/// Each node is needed: without it, some step leads nowhere.
#[test]
fn an_abstraction_without_a_node_is_refused() {
    for case in CASES {
        let network = case.network(0);
        let proof = case.prove(&network).expect("the engine proves something");
        for id in 0..proof.abstraction.instances.len() {
            let instance = &proof.abstraction.instances[id];
            for node in (0..instance.nodes.len() as u32).filter(|n| !instance.first.contains(n)) {
                let mut forged = proof.clone();
                // It is still there, but is not found: the same point with a value that is never reached.
                let nodes = &mut forged.abstraction.instances[id].nodes;
                if nodes[node as usize].at == Point::Gone || nodes[node as usize].values.is_empty() {
                    continue;
                }
                let Some(slot) = nodes[node as usize].values.iter().position(|v| !matches!(v, Values::AnyQueue)) else {
                    continue;
                };
                nodes[node as usize].values[slot] = match &nodes[node as usize].values[slot] {
                    Values::Queues(queues) if queues.is_empty() => continue,
                    Values::Queues(_) => Values::Queues(Vec::new()),
                    _ => Values::Set(vec![77]),
                };
                if let Ok(accepted) = case.verify(&network, &forged) {
                    let truth = Truth::of(case, &network);
                    assert_eq!(truth.contradicts(&network, &forged, &accepted), None, "{}", case.name);
                }
            }
        }
    }
}

/// A tree of ten thousand cases, one in the other, is a long proof but no reason to fall over.
#[test]
fn deep_rankings_are_walked() {
    let (network, mut proof) = proved("byte x; active proctype P() { do :: x = 1; progress: x = 0 od }", true);
    let zero = nothing(&proof);
    let mut ranking = std::mem::replace(&mut proof.ranking, Ranking::Empty);
    for _ in 0..10_000 {
        ranking = Ranking::Lose(zero.clone(), Box::new(ranking));
    }
    proof.ranking = ranking;
    let answer = certify::flow::verify(&network, &Property::Livelock, &proof, &Context::silent(&seconds(20)));
    assert!(answer.is_ok(), "{answer:?}");
    // Letting go of it is not the checker's business.
    let mut ranking = proof.ranking;
    while let Ranking::Lose(_, rest) = ranking {
        ranking = *rest;
    }
}

#[test]
fn a_proof_is_for_its_property_only() {
    let (network, proof) = proved("chan q = [1] of { byte }; active proctype P() { do :: q!1; q?_ od }", false);
    for property in [Property::Livelock, Property::Safety, Property::Deadlock] {
        let answer = certify::flow::verify(&network, &property, &proof, &Context::silent(&seconds(20)));
        assert!(matches!(answer, Err(Refusal::WrongKind(_))));
    }
}

/// Whether some potentials of 0 and 1 bound the queue of each process of a type by 1.
fn is_forged(network: &Network, proof: &FlowProof) -> bool {
    let mine = proof.abstraction.queues.iter().position(|queue| queue.key.instance.is_some()).expect("a local queue");
    let queue = &proof.abstraction.queues[mine];
    let owner = queue.key.instance.expect("it is local");
    let nodes = proof.abstraction.instances[owner as usize].nodes.len();
    let atoms = queue.atoms.len();
    (0u32..1 << nodes).any(|choice| {
        let mut forged = proof.clone();
        let mut weights = Weights::default();
        weights.messages.insert(mine as u32, vec![1; atoms]);
        weights.nodes.insert(owner, (0..nodes).map(|node| i64::from(choice >> node & 1)).collect());
        let index = forged.bound_weights.len() as u32;
        forged.bound_weights.push(weights);
        forged.bounds.push(Bound { queue: mine as u32, atoms: Vec::new(), at_most: 1, weights: index, unit: 1 });
        certify::flow::verify(network, &Property::Boundedness, &forged, &Context::silent(&seconds(20))).is_ok()
    })
}

/// A bound for each process holds only where no other process can name the queue.
#[test]
fn a_private_queue_is_named_by_its_process_only() {
    let model = |leak: &str, flood: &str| {
        format!(
            "chan b = [1] of {{ byte }}, k = [0] of {{ chan }}; byte x; chan h;
             proctype W() {{ chan mine = [1] of {{ byte }}; {leak} mine!1; mine?_; x == 9 }}
             proctype V(chan c) {{ do :: c!1 od }}
             active proctype S() {{ do :: run W() od }}
             active proctype B() {{ do :: b!1; b?_ od }} {flood}"
        )
    };
    let honest = |text: String| proved(text.leak(), false);
    let (network, proof) = honest(model("", ""));
    assert!(is_forged(&network, &proof), "the honest one is accepted");
    for (leak, flood) in [
        ("run V(mine);", ""),
        ("h = mine;", "active proctype F() { do :: h != 0 -> h!1 od }"),
        ("x = mine;", "active proctype F() { do :: x != 0 -> x!1 od }"),
        ("k!mine;", "active proctype F() { chan c; do :: k?c -> c!1; c!1 od }"),
    ] {
        let (network, proof) = honest(model(leak, flood));
        assert!(!is_forged(&network, &proof), "{leak}");
    }
}

/// What is claimed in a ranking is finite for all processes together; a bound for each of them is not.
#[test]
fn a_bound_for_each_process_is_not_one_for_all() {
    let text = "proctype W() { chan mine = [1] of { byte }; mine!1 } active proctype S() { do :: run W() od }";
    let (network, mut proof) = proved(text, false);
    assert!(!proof.abstraction.queues[0].claimed && proof.bounds.len() == 1);
    proof.abstraction.queues[0].claimed = true;
    refusal(&network, &proof);
}

/// Where a server waits, whom it answered last does not matter: its nodes there do not say, and have to allow every process.
#[test]
fn an_open_slot_holds_whatever_a_step_leaves_in_it() {
    let (network, proof) = proved(
        "chan ask = [1] of { byte }, answer[3] = [1] of { bit };
         active [3] proctype Client() { do :: ask!_pid; answer[_pid]?_ od }
         active proctype Server() { byte who; do :: ask?who -> answer[who]!1 od }",
        false,
    );
    let server = proof.abstraction.instances.iter().position(|i| !i.folded.is_empty()).expect("`who` is folded");
    let slot = proof.abstraction.instances[server].folded[0] as usize;
    let open = |node: &model::flow_proof::Node| matches!(&node.values[slot], Values::Range(..));
    let waiting = proof.abstraction.instances[server].nodes.iter().position(open).expect("it is open somewhere");
    assert!(certify::flow::verify(&network, &Property::Boundedness, &proof, &Context::silent(&seconds(5))).is_ok());
    let with = |values: Values| {
        let mut forged = proof.clone();
        forged.abstraction.instances[server].nodes[waiting].values[slot] = values;
        refusal(&network, &forged)
    };
    for few in [Values::Set(vec![0, 1]), Values::Range(1, 255), Values::Set(vec![0]), Values::Set(Vec::new())] {
        let refused = with(few.clone());
        let as_expected = matches!(refused, Refusal::NotInvariant(_) | Refusal::Malformed(_));
        assert!(as_expected, "{few:?}: {refused}");
    }
    let mut forged = proof.clone();
    let mut twin = forged.abstraction.instances[server].nodes[waiting].clone();
    twin.values[slot] = Values::Set(vec![2]);
    forged.abstraction.instances[server].nodes.push(twin);
    let refused = refusal(&network, &forged);
    assert!(matches!(&refused, Refusal::Malformed(why) if why.contains("told apart")), "{refused}");
}

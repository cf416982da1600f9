//! Sums that no step raises: lock servers of any size, any number of clients, and random models on which what the
//! checker accepts must be true of all states that a search finds, also where weights were changed.

use crate::support::{Random, naive, seeds};
use fifo::Property;
use fifo::sums::{of_bad, of_formula};
use fifo::translation::{Source, Translation};
use model::budget::Budget;
use model::context::Context;
use model::expr::Expr;
use model::formula::{Atom, Ltl};
use model::network::Network;
use model::queue_parts::{QueueParts, Weights};
use model::semantics::{Reading, Semantics};
use model::verdict;
use std::collections::{HashSet, VecDeque};
use std::fmt::Write;

/// More states than this are not looked at.
const MOST_STATES: usize = 2_000;

fn machines(text: &str) -> (scm::Model, scm::Read) {
    let mut read = scm::read("sums.scm", text);
    let model = read.model.take().unwrap_or_else(|| panic!("{text}\n{:?}", read.diagnostics));
    (model, read)
}

fn of_machines(model: &scm::Model) -> Option<QueueParts> {
    of_bad(&model.network, (&model.specification, &[]), &Context::unlimited())
}

fn is_accepted(model: &scm::Model, proof: &QueueParts) -> bool {
    let (safety, cx) = (verdict::Property::Safety, Context::unlimited());
    certify::queue_parts::verify(&model.network, &model.specification, &safety, proof, &cx) == Ok(())
}

fn promela(text: &str) -> Option<Network> {
    promela::read("sums.pml", text, &promela::preprocess::Options::default()).network
}

fn formula(network: &Network) -> verdict::Property {
    network.formulas[0].property()
}

fn proves(network: &Network) -> bool {
    let property = formula(network);
    let proof = of_formula(network, &property, &Context::unlimited());
    proof.is_some_and(|proof| certify::queue_parts::verify_formula(network, &property, &proof) == Ok(()))
}

#[test]
fn a_lock_is_lent_to_one_client_whether_clients_wait_or_not() {
    for n in [2, 3, 8] {
        for text in [scm::families::lock_server(n), scm::families::impatient_lock_server(n)] {
            let (model, _) = machines(&text);
            let proof = of_machines(&model).expect("sums");
            assert!(is_accepted(&model, &proof), "{text}");
        }
    }
    // A server that forgets whom it lent the lock, one that believes any release, and one that lends it twice.
    let right = scm::families::impatient_lock_server(2);
    for (was, is) in [
        ("to 3 : when true , 1 ! g ;", "to 0 : when true , 1 ! g ;"),
        ("to 0 : when true , 0 ? e1 ;", "to 0 : when true , 0 ? r2 ;"),
        ("to 3 : when true , 0 ? r1 ;", "to 1 : when true , 0 ? r1 ;"),
    ] {
        let text = right.replace(was, is);
        assert_ne!(text, right);
        let (model, read) = machines(&text);
        let source = Source {
            network: &model.network,
            sources: &read.sources,
            bad: model.specification.clone(),
            promela: false,
            product: Err(String::new()),
        };
        let system = Translation::new(source, &Budget::unlimited()).expect("plain machines").system;
        let faulty = naive::reaches_fault_within(&system, Property::BadStates, 4, 5000);
        let accepted = of_machines(&model).is_some_and(|proof| is_accepted(&model, &proof));
        assert!(!accepted && (faulty || was.contains("! g") || was.contains("r1")), "{text}");
    }
}

/// Clients are created without end; each uses the one mailbox, and asks again while it waits.
const ANY_NUMBER: &str = "mtype = { req, rel, grant, deny };
chan mail = [1] of { mtype }; chan out = [1] of { mtype }; chan inside = [1] of { bit };
byte lent;
proctype client() {
  do :: mail!req;
     do
     :: mail!req
     :: out?grant -> lent++; inside!1; inside?1; lent--; mail!rel; break
     :: out?deny -> break
     od
  od }
active proctype server() { do :: mail?req -> out!grant; do :: mail?req -> out!deny :: mail?rel -> break od od }
init { do :: run client() :: break od }
";

#[test]
fn any_number_of_clients_have_one_lock() {
    let with = |text: &str, formula: &str| promela(&format!("{text}ltl p {{ {formula} }}\n")).expect(formula);
    for holds in [
        "[] (lent <= 1)",
        "[] (len(inside) <= 1)",
        "[] (len(inside) < 2 && !(lent > 1))",
        "[] !(lent >= 2 || len(inside) > 1)",
    ] {
        assert!(proves(&with(ANY_NUMBER, holds)), "{holds}");
    }
    for other in ["[] (lent <= 0)", "[] (len(mail) <= 9)", "[] (len(out) <= 1)", "[] (lent == 1)", "[] empty(inside)"] {
        assert!(!proves(&with(ANY_NUMBER, other)), "{other}");
    }
    for (was, is) in [
        ("mail?req -> out!deny", "mail?req -> out!grant"),
        ("mail!rel; break", "mail!rel; mail!rel; break"),
        ("lent--", "lent = lent"),
        ("lent--", "skip"),
        ("lent++; ", "lent++; lent++; "),
        ("out?deny -> break", "out?deny -> lent--; lent++; break"),
        ("byte lent", "byte lent = 1"),
        ("init {", "init { out!grant;"),
    ] {
        let text = ANY_NUMBER.replace(was, is);
        assert_ne!(text, ANY_NUMBER);
        assert!(!proves(&with(&text, "[] (lent <= 1)")), "{text}");
    }
}

/// One token, which clients use in turn, and a process that does something odd in the end.
const ONE_TOKEN: &str = "mtype = { token };
chan out = [1] of { mtype }; chan other = [1] of { mtype };
byte used;
proctype lender() { out!token }
active [2] proctype client() { do :: out?token -> used++; used--; out!token od }
active proctype first() { out!token }
active proctype again() { bit x; out?token -> used++; do :: x = 1 - x :: break od; used--; out!token }
active proctype odd() { chan c; other!token; skip; skip }
ltl f { [] (used <= 1) }
";

/// Each change makes a second token, and leaves all locations where they are: the weights fit, and prove nothing.
#[test]
fn weights_of_one_model_are_none_of_another_with_a_second_token() {
    let right = promela(ONE_TOKEN).expect("a model");
    let proof = of_formula(&right, &formula(&right), &Context::unlimited()).expect("sums");
    assert_eq!(certify::queue_parts::verify_formula(&right, &formula(&right), &proof), Ok(()));
    for (was, is) in [
        ("skip; skip", "out!token; skip"),
        ("skip; skip", "c = out; c!token"),
        ("skip; skip", "out = other; skip"),
        ("skip; skip", "run lender(); skip"),
        ("skip; skip", "used++; skip"),
        ("x = 1 - x", "used--"),
        ("out?token", "out?<token>"),
        ("other!token", "out!token"),
    ] {
        let wrong = promela(&ONE_TOKEN.replace(was, is)).expect(is);
        let locations = |network: &Network| network.machines.iter().map(|m| m.locations.len()).collect::<Vec<_>>();
        assert_eq!(locations(&wrong), locations(&right), "{is}");
        assert!(fails(&wrong), "{is}");
        assert!(certify::queue_parts::verify_formula(&wrong, &formula(&wrong), &proof).is_err(), "{is}");
    }
}

/// Tokens in channels, which processes take and give back, and count; and now and then something else.
fn random_text(random: &mut Random) -> String {
    let mut text = String::from(
        "mtype = { m, n };\nchan p = [1] of { mtype }; chan q = [1] of { mtype, byte }; chan r = [0] of { mtype };\n",
    );
    let (ty, first) = (["byte", "bit", "short"][random.below(3_usize)], ["", " = 1"][usize::from(random.chance(15))]);
    let _ = writeln!(text, "{ty} x{first};");
    let types = 1 + random.below(3_usize);
    for number in 0..types {
        let copies = ["active ", "active [2] ", ""][random.below(3_usize)];
        let body = body(random, types, 2);
        let _ = writeln!(text, "{copies}proctype P{number}() {{ mtype e; chan c; do :: {body} od }}");
    }
    let start = ["skip", "p!m", "p!m; q!n,1", "q!m,0"][random.below(4_usize)];
    let created = random.below(types);
    let _ = writeln!(text, "init {{ {start}; do :: run P{created}() :: break od }}");
    let most = random.below(3_u32);
    let asked = match random.below(7_u32) {
        0 | 1 => format!("x <= {most}"),
        2 | 3 => format!("len(p) <= {most}"),
        4 => format!("len(q) < {}", most + 1),
        5 => format!("!(len(p) > {most} || x > {most})"),
        _ => String::from("empty(p) && x <= 1"),
    };
    text + &format!("ltl f {{ [] ({asked}) }}\n")
}

fn body(random: &mut Random, types: usize, depth: usize) -> String {
    let inner = |random: &mut Random| if depth == 0 { String::from("skip") } else { body(random, types, depth - 1) };
    let simple = |random: &mut Random| String::from(SIMPLE[random.below(SIMPLE.len())]);
    match random.below(14_u32) {
        0..=2 => format!("p?m -> {}; p!m", inner(random)),
        3 => format!("q?n,_ -> {}; q!n,2", inner(random)),
        4 | 5 => format!("x++; {}; x--", inner(random)),
        6 => format!("p?m -> x++; {}; x--; p!m", inner(random)),
        7 => format!("p?m -> q!n,1; {}; q?n,_; p!m", inner(random)),
        8 => format!("if :: {} :: {} fi", inner(random), simple(random)),
        9 => format!("atomic {{ {}; {} }}", inner(random), simple(random)),
        10 => match random.below(3_u32) {
            0 => format!("p?m -> x++; {}; x--; c = p; c!m", inner(random)),
            1 => format!("p?<m> -> x++; {}; x--", inner(random)),
            _ => format!("c = p; c?m; {}; p!m", inner(random)),
        },
        11 if depth == 2 => format!("run P{}(); {}", random.below(types), inner(random)),
        _ => format!("{}; {}", inner(random), simple(random)),
    }
}

const SIMPLE: [&str; 26] = [
    "skip",
    "skip",
    "p!m",
    "p!n",
    "p?m",
    "p?n",
    "p?e",
    "p?eval(e)",
    "q!m,1",
    "q!n,x",
    "q?m,_",
    "q?e,_",
    "p??m",
    "p?<m>",
    "r!m",
    "r?m",
    "x++",
    "x--",
    "x = x + 2",
    "d_step { p!m; x++ }",
    "d_step { x = 0; p!n }",
    "c = p; c!m",
    "p!e",
    "q?m,x",
    "c = p; c!n",
    "d_step { p?m; e = n }",
];

/// Whether the formula fails in a state that is found.
fn fails(network: &Network) -> bool {
    let Ltl::Unary(_, body) = &network.formulas[0].formula else { return false };
    let semantics = Semantics::new(network, Reading::Unbounded);
    let (mut stepper, mut asker) = (semantics.stepper(), semantics.stepper());
    let Ok(Ok(initial)) = stepper.initial() else { return false };
    let mut seen = HashSet::from([(initial.clone(), None)]);
    let mut work = VecDeque::from([(initial, None)]);
    while let Some((state, control)) = work.pop_front().filter(|_| seen.len() < MOST_STATES) {
        if control.is_none() {
            asker.load(&state);
            let value = |e: &Expr| asker.loaded_value(0, e);
            let atom = |atom: &Atom| matches!(atom, Atom::State(e) if value(e).is_none_or(|value| value != 0));
            if asker.loaded_processes() > 0 && !body.holds(&atom) {
                return true;
            }
        }
        let mut next = Vec::new();
        let expanded = stepper.expand(&state, control, &mut |successor| {
            next.extend(successor.state.map(|after| (after.to_vec(), successor.control)));
        });
        if expanded.is_ok() && next.is_empty() && control.is_some() {
            next.push((state, None));
        }
        work.extend(next.into_iter().filter(|point| seen.insert(point.clone())));
    }
    false
}

fn corrupt(random: &mut Random, weights: &mut Weights) {
    let other = random.below(3_u32);
    match random.below(4_u32) {
        0 if !weights.messages.is_empty() => {
            let at = random.below(weights.messages.len());
            weights.messages[at].2 = other;
        }
        1 if !weights.messages.is_empty() => {
            let at = random.below(weights.messages.len());
            weights.messages[at].0 = random.below(4_u32);
        }
        2 => weights.counters.push((random.below(4_u32), 1)),
        _ => {
            let machine = random.below(weights.locations.len());
            let at = random.below(weights.locations[machine].len());
            weights.locations[machine][at] = other;
        }
    }
}

#[test]
fn what_sums_prove_holds_in_all_states_that_are_found() {
    let (mut proved, mut faulty, mut forged, mut created) = (0, 0, 0, 0);
    let first = testing::first(0);
    for seed in first..first + seeds(600) {
        let mut random = Random::new(seed);
        let text = random_text(&mut random);
        // Some loops do nothing, and are refused.
        let Some(network) = promela(&text) else { continue };
        let property = formula(&network);
        let fails = fails(&network);
        faulty += u32::from(fails);
        let found = of_formula(&network, &property, &Context::unlimited());
        let accepts = |proof: &QueueParts| certify::queue_parts::verify_formula(&network, &property, proof) == Ok(());
        let mut proof = found.clone().unwrap_or_default();
        let accepted = accepts(&proof);
        assert!(!(fails && accepted), "seed {seed}\n{proof:?}\n{text}");
        proved += u32::from(accepted);
        created += u32::from(accepted && text.contains("run P"));
        // Weights of a model whose formula is a weaker one.
        if fails && proof.sums.is_empty() {
            let weaker = text.replace("<= 0", "<= 9").replace("> 0", "> 9").replace("< 1)", "< 10)");
            let weaker = promela(&weaker).expect("it differs in a number");
            proof = of_formula(&weaker, &formula(&weaker), &Context::unlimited()).unwrap_or_default();
        }
        for _ in 0..8 {
            if let Some(weights) = proof.sums.first_mut() {
                corrupt(&mut random, weights);
                assert!(!(fails && accepts(&proof)), "seed {seed}: forged\n{proof:?}\n{text}");
                forged += u32::from(fails);
            }
        }
    }
    assert!(
        proved > 30 && created > 10 && faulty > 100 && forged > 50,
        "{proved} proved, {created} of them with processes that are created, {faulty} faulty, {forged} forged"
    );
}

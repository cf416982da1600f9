//! The figures of the papers, and a machine with too many cycles.

use super::*;
use model::event::Event;
use std::time::{Duration, Instant};

/// Ciclo, Fig. 1.
const CLIENT_SERVER: &str = "mtype = { req, ack, rel };
chan ts[2] = [1] of { mtype };
chan tc[2] = [1] of { mtype };
init { byte i; do :: i < 2 -> run client(i); i++ :: else -> break od; run server() }
proctype client(byte id) { do :: ts[id]!req; tc[id]?ack -> ts[id]!rel od }
proctype server() { do :: ts[0]?req -> tc[0]!ack; ts[0]?rel :: ts[1]?req -> tc[1]!ack; ts[1]?rel od }";

/// IBOC, Fig. 11.
const TWO_PROCTYPES: &str = "mtype = { c, b, a };
chan AB = [25] of { mtype };
chan BA = [25] of { mtype };
active proctype A() {
s1: if :: BA?c -> AB!b; AB!b; goto s2 :: BA?c -> AB!b; AB!b; AB!b; AB!b; AB!b; goto s3 fi;
s2: if :: BA?c -> AB!a; AB!a; AB!b; goto s3 fi;
s3: if :: BA?c -> AB!a; AB!a; goto s2 fi
}
active proctype B() {
  BA!c; BA!c; goto s4;
s4: if :: AB?a -> goto s5 fi;
s5: if :: AB?b -> BA!c; goto s4 fi
}";

fn network(text: &str) -> Network {
    let read = promela::read("test.pml", text, &promela::preprocess::Options::default());
    read.network.unwrap_or_else(|| panic!("{:?}", read.diagnostics))
}

fn limits(seconds: u64) -> Budget {
    Budget::unlimited().timeout(Duration::from_secs(seconds))
}

fn boundedness(text: &str) -> Report {
    check(&network(text), &Question::Boundedness, &Context::silent(&limits(60)))
}

fn livelock(text: &str, event: &str) -> Report {
    let network = network(text);
    let events = vec![(event.to_owned(), Event::parse(event, &network).unwrap())];
    check(&network, &Question::Livelock { events }, &Context::silent(&limits(60)))
}

fn bounds(report: &Report) -> Vec<(&str, u64)> {
    report.queues.iter().filter_map(|q| Some((q.name.as_str(), q.at_most?))).collect()
}

/// A machine with two ways at each of so many places.
fn diamonds(count: usize) -> String {
    let diamond = "if :: x = 1; x = 2 :: x = 3; x = 4 fi; ";
    format!(
        "chan c = [1] of {{ byte }};\nactive proctype P() {{ byte x; do :: c!0; {} c?_ od }}",
        diamond.repeat(count)
    )
}

#[test]
fn ciclo_figure_1_has_five_cycles_and_the_bound_of_the_paper() {
    let report = boundedness(CLIENT_SERVER);
    assert!(report.complete, "{report:?}");
    assert_eq!(bounds(&report), [("ts[0]", 3), ("ts[1]", 3), ("tc[0]", 1), ("tc[1]", 1)]);
    // The fifth cycle of the paper is that of `init`, which is unrolled here.
    assert_eq!((report.sizes.cycles, report.sizes.effect_vectors), (Some(4), Some(4)));
    assert_eq!((report.sizes.messages, report.sizes.problems), (6, 5));
    assert_eq!(report.proof.map(|proof| proof.bounds.len()), Some(4));
}

#[test]
fn iboc_figure_11_has_the_bounds_20_and_6() {
    let report = boundedness(TWO_PROCTYPES);
    assert!(report.complete, "{report:?}");
    assert_eq!(bounds(&report), [("AB", 20), ("BA", 6)]);
    assert_eq!((report.sizes.cycles, report.sizes.effect_vectors), (Some(2), Some(2)));
}

#[test]
fn a_bound_is_never_less_than_what_the_default_proves() {
    for text in [CLIENT_SERVER, TWO_PROCTYPES] {
        let default = crate::check(&network(text), &Question::Boundedness, &Context::silent(&limits(60)));
        let ours = boundedness(text);
        for (better, worse) in bounds(&default).into_iter().zip(bounds(&ours)) {
            assert!(better.0 == worse.0 && better.1 <= worse.1, "{better:?}, {worse:?}");
        }
    }
}

#[test]
fn a_flag_is_unknown_without_refinement_and_the_cycle_is_shown() {
    let report = boundedness(
        "chan c = [1] of { bit };
         active proctype P() { bit more; do :: more == 1 -> c!0 :: else -> break od }",
    );
    // Values are analysed, as they are for the default; but without `more == 1` nothing is left to grow.
    assert!(report.complete);
    let report = boundedness(
        "chan c = [1] of { bit };
         active proctype P() { bit more = 1; do :: more == 1 -> c!0; more = 0 :: else -> more = 0 od }",
    );
    assert!(!report.complete && report.proof.is_none());
    assert_eq!(report.grows, ["c"]);
    assert_eq!((report.cycles.len(), report.combinations.len()), (1, 1));
    assert_eq!(report.cycles[0].edges.len(), 3);
}

#[test]
fn ciclo_section_v_proves_progress_and_finds_cycles_without_it() {
    let pair = "mtype = { ping, pong };
        chan there = [1] of { mtype };
        chan back = [1] of { mtype };
        active proctype A() { there!ping; do :: back?pong -> there!ping od }
        active proctype B() { do :: there?ping -> back!pong od }";
    let free = livelock(pair, "back?pong");
    assert!(free.complete, "{free:?}");
    assert!(matches!(free.proof.map(|p| p.ranking), Some(Ranking::Lose(..))));
    // Inequalities (29) to (37): the second client and the server go on forever.
    let unknown = livelock(CLIENT_SERVER, "tc[0]?ack");
    assert!(!unknown.complete);
    assert_eq!(unknown.cycles.len(), 2);
}

#[test]
fn a_rendezvous_has_to_balance() {
    let text = |times: usize| {
        format!(
            "chan meet = [0] of {{ bit }};
             chan c = [1] of {{ bit }};
             active proctype A() {{ do :: meet!0 -> {} od }}
             active proctype B() {{ do :: meet?_ -> c?_ od }}",
            "c!0; ".repeat(times)
        )
    };
    assert!(boundedness(&text(1)).complete);
    assert_eq!(boundedness(&text(2)).grows, ["c"]);
}

#[test]
fn a_chain_of_40_diamonds_is_proved_by_default_and_refused_in_time_by_cycles() {
    let network = network(&diamonds(40));
    let default = crate::check(&network, &Question::Boundedness, &Context::silent(&limits(60)));
    assert!(default.complete);
    let report = check_with(&network, &Question::Boundedness, &Context::silent(&limits(60)), 20_000);
    assert!(!report.complete);
    let reason = String::from("the model has more than 20000 elementary cycles");
    assert_eq!(report.reason, Some(Reason::NotProvable(reason)));
    assert_eq!((report.sizes.cycles, report.sizes.problems), (Some(20_000), 0));
}

#[test]
fn a_deadline_ends_the_enumeration() {
    let limits = Budget::unlimited().timeout(Duration::from_millis(200));
    let begin = Instant::now();
    let network = network(&diamonds(40));
    let report = check_with(&network, &Question::Boundedness, &Context::silent(&limits), usize::MAX);
    assert_eq!(report.reason, Some(Reason::Timeout));
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn every_diamond_doubles_the_cycles() {
    for count in 1..=8 {
        let report = boundedness(&diamonds(count));
        assert!(report.complete);
        assert_eq!((report.sizes.cycles, report.sizes.effect_vectors), (Some(1 << count), Some(1)));
        assert_eq!(bounds(&report), [("c", 1)]);
    }
}

#[test]
fn processes_of_one_type_share_a_cycle_in_the_list() {
    let types = list(&network(CLIENT_SERVER), 100, &Context::silent(&limits(60))).unwrap();
    let cycles: Vec<(usize, usize)> = types.iter().map(|t| (t.processes.len(), t.cycles.len())).collect();
    assert_eq!(cycles, [(1, 0), (2, 1), (1, 2)]);
    let effect = |name: &str, change| (name.to_owned(), change);
    let (process, effects) = &types[1].cycles[0].takers[1];
    assert_eq!(process, "client[2]");
    assert_eq!(*effects, [vec![effect("tc[1]: ack", -1), effect("ts[1]: rel", 1), effect("ts[1]: req", 1)]]);
    let few = list(&network(&diamonds(10)), 100, &Context::silent(&limits(60))).unwrap();
    assert!(few[0].more && few[0].cycles.len() == 100);
}

//! Systems whose bounds are known (`data/known_bounds.txt`): what the flow engine proves of them is accepted, is never less
//! than the truth, and is the truth for most.

use crate::support::known::{Known, Outcome};
use crate::support::seconds;
use explore::growth::{GrowthOptions, growth};
use flow::Question;
use model::context::Context;
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::verdict::Reason;

fn systems() -> Vec<Known> {
    let mut found: Vec<Known> = Vec::new();
    for line in include_str!("data/known_bounds.txt").lines() {
        match (line.strip_prefix("=== "), found.last_mut()) {
            (Some(head), _) => {
                let (name, truth) = head.split_once(" | ").unwrap();
                let (large, truth) = truth.strip_prefix("large ").map_or((false, truth), |truth| (true, truth));
                let truth = truth.split(", ").map(|entry| entry.rsplit_once(' ').unwrap());
                found.push(Known::new(name, large, truth));
            }
            (None, Some(system)) => system.text += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    found
}

#[test]
fn a_search_confirms_what_is_known() {
    let small = systems().into_iter().filter(|system| !system.large);
    let different: Vec<String> = small.flat_map(|system| system.unconfirmed()).collect();
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// Bounded systems whose bounds are not proved exactly yet.
const OPEN: &[&str] = &[
    "count that is copied",
    "a deterministic step that goes through 256",
    "pid reuse with the flag of the predecessor",
    "a writer that takes it back",
    "service: fan-out and fan-in",
    "service: fan-in that counts",
    "service: the first reply wins, the other is taken later",
    "service: clients created one after the other",
    "service: alternating bit that sends again on a timeout",
    "service: barrier of three with one arrival queue",
    "service: two-phase commit",
    "service: a quorum of two, the third vote is taken too",
    "service: a tree of sums",
    "service: a leader by the greatest number",
    "service: publish to two subscribers that acknowledge",
    "service: data and the end of the stream",
    "growth: a drain of higher priority",
    "flag: a turn of three",
    "flag: a mode that one process writes",
    "service: a balancer that takes turns",
];

/// What flow does not prove of a system, as text.
fn missing(system: &Known) -> Option<String> {
    match system.by_flow() {
        Outcome::Open => Some(String::from("no proof")),
        Outcome::Proved(missing) => (!missing.is_empty()).then(|| missing.join(", ")),
    }
}

#[test]
fn known_bounds_are_proved_and_none_is_wrong() {
    let mut different = Vec::new();
    for system in &systems() {
        let what = missing(system).filter(|_| system.is_bounded());
        if what.is_some() != OPEN.contains(&system.name.as_str()) {
            different.push(format!("{}: {}", system.name, what.unwrap_or_else(|| String::from("proved"))));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn bounds_near_a_large_process_are_exact() {
    let init = "init { int i; do :: i < N -> run P(i); i++ :: else -> break od }";
    let barrier = "chan go[N] = [1] of { bit }; chan here[N] = [1] of { bit };
        proctype P(int id) { do :: here[id]!1; go[id]?1 od }
        active proctype M() { int i; do :: for (i : 0 .. N - 1) { here[i]?1 }; for (i : 0 .. N - 1) { go[i]!1 } od }";
    let replies = "chan ask = [1] of { int }; chan reply[N] = [1] of { bit };
        proctype P(int id) { do :: ask!id; reply[id]?1 od }
        active proctype S() { int who; do :: ask?who -> reply[who]!1 od }";
    let each = |name: &'static str, n: u64| (0..n).map(move |i| (format!("{name}[{i}]"), Some(1)));
    let answers = each("reply", 30).chain([(String::from("ask"), Some(30))]);
    for (name, text, n, truth) in [
        ("barrier", barrier, 100, each("go", 100).chain(each("here", 100)).collect()),
        ("replies", replies, 30, answers.collect()),
    ] {
        let text = format!("#define N {n}\n{text}\n{init}");
        let system = Known { name: name.to_owned(), text, large: true, truth };
        assert_eq!(missing(&system), None, "{name}");
    }
}

/// Each stage sends two messages for one: the last channel of `n` stages holds `2^n`.
fn doubling_chain(n: usize) -> Network {
    let text = format!(
        "#define N {n}\nchan c[N + 1] = [1] of {{ bit }};\n\
         proctype stage(byte i) {{ do :: c[i]?1 -> c[i + 1]!1; c[i + 1]!1 od }}\n\
         init {{ byte i; c[0]!1; do :: i < N -> run stage(i); i++ :: else -> break od }}\n"
    );
    promela::read("doubling.pml", &text, &promela::preprocess::Options::default()).network.expect("a model")
}

#[test]
fn numbers_that_become_too_large_are_the_reason() {
    let asked = |n: usize| flow::check(&doubling_chain(n), &Question::Boundedness, &Context::silent(&seconds(60)));
    let last = |n: usize| asked(n).queues.last().and_then(|queue| queue.at_most);
    assert_eq!((last(8), last(40)), (Some(1 << 8), Some(1 << 40)));
    for n in [64, 100] {
        let report = asked(n);
        assert!(matches!(report.reason, Some(Reason::Numbers(_))) && !report.complete, "{n}: {:?}", report.reason);
    }
}

/// A system of a family; a search may not come to an end.
fn member(name: String, text: String, truth: Vec<(String, u64)>) -> Known {
    let truth = truth.into_iter().map(|(channel, most)| (channel, Some(most))).collect();
    Known { name, text, large: true, truth }
}

/// The same bound for the elements of an array of channels.
fn each(name: &str, n: u64, most: u64) -> impl Iterator<Item = (String, u64)> {
    (0..n).map(move |i| (format!("{name}[{i}]"), most))
}

fn pairs<'p>(a: &'p [u64], b: &'p [u64]) -> impl Iterator<Item = (u64, u64)> + 'p {
    a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b)))
}

const BUFFERS: &str = "chan c = [1] of { byte }, d = [1] of { byte };";

/// Patterns of back-pressure of several sizes; what each channel holds at the most follows from the sizes.
fn families() -> Vec<Known> {
    let of = |channels: &[(&str, u64)]| channels.iter().map(|&(name, most)| (name.to_owned(), most)).collect();
    let mut all = Vec::new();
    for (w, s) in pairs(&[1, 2, 3, 4, 5, 8, 13, 21, 50, 100, 200], &[1, 2, 3, 6]) {
        let text = format!(
            "chan c = [1] of {{ byte }}, d[{s}] = [1] of {{ byte }};
             active [{s}] proctype S() {{ byte n; do :: n < {w} -> c!_pid; n++ :: d[_pid]?_ -> n-- od }}
             active proctype R() {{ byte i; do :: c?i -> d[i]!1 od }}"
        );
        let truth = each("d", s, w).chain([(String::from("c"), s * w)]).collect();
        all.push(member(format!("{s} windows of {w}"), text, truth));
    }
    for (k, p) in pairs(&[1, 2, 3, 7, 40, 250, 5_000], &[1, 2, 4, 8]) {
        let text = format!(
            "chan c = [1] of {{ byte }}; int credits = {k};
             active [{p}] proctype P() {{ do :: atomic {{ credits > 0 -> credits-- }}; c!1 od }}
             active proctype R() {{ do :: c?1 -> credits++ od }}"
        );
        all.push(member(format!("{k} credits of {p}"), text, of(&[("c", k)])));
    }
    for (k, p) in pairs(&[1, 2, 3, 6], &[1, 2, 4, 7]) {
        let text = format!(
            "chan q = [1] of {{ byte }}; byte s = {k};
             active [{p}] proctype P() {{ do :: atomic {{ s > 0 -> s-- }}; q!1; q?1; s++ od }}"
        );
        all.push(member(format!("a semaphore of {k} for {p}"), text, of(&[("q", k.min(p))])));
    }
    for (w, b) in pairs(&[1, 2, 3, 9], &[1, 2, 3, 4]) {
        let (sends, takes) = ("c!1; ".repeat(b as usize), "c?1; ".repeat(b as usize));
        let text = format!(
            "{BUFFERS} active proctype S() {{ byte n; do :: n < {w} -> {sends}n++ :: d?1 -> n-- od }}
             active proctype R() {{ do :: {takes}d!1 od }}"
        );
        all.push(member(format!("a window of {w} batches of {b}"), text, of(&[("c", w * b), ("d", w)])));
    }
    for (w, v) in pairs(&[1, 2, 4, 7], &[1, 2, 3, 9]) {
        let text = format!(
            "{BUFFERS} chan e = [1] of {{ bit }}, f = [1] of {{ bit }};
             active proctype S() {{ byte n; do :: n < {w} -> c!1; n++ :: d?1 -> n-- od }}
             active proctype P() {{ byte n; do :: n < {v} -> c?1; e!1; n++ :: f?1 -> n--; d!1 od }}
             active proctype R() {{ do :: e?1 -> f!1 od }}"
        );
        let least = w.min(v);
        all.push(member(
            format!("a proxy between {w} and {v}"),
            text,
            of(&[("c", w), ("d", w), ("e", least), ("f", least)]),
        ));
    }
    for (n, b) in pairs(&[2, 3, 5, 9], &[1, 2, 4, 7]) {
        let balls: String = (0..b).map(|ball| format!("r[{}]!1; ", ball % n)).collect();
        let text = format!(
            "chan r[{n}] = [1] of {{ bit }}; init {{ {balls}skip }}
             active [{n}] proctype P() {{ do :: r[_pid - 1]?1 -> r[_pid % {n}]!1 od }}"
        );
        all.push(member(format!("{b} balls in a ring of {n}"), text, each("r", n, b).collect()));
    }
    for (k, p) in pairs(&[1, 2, 3, 8], &[1, 2, 5]) {
        let filled = "credit!1; ".repeat(k as usize);
        let text = format!(
            "chan credit = [{k}] of {{ byte }}, q = [1] of {{ byte }}; init {{ {filled}skip }}
             active [{p}] proctype P() {{ do :: credit?1 -> q!1 od }}
             active proctype C() {{ do :: q?1 -> credit!1 od }}"
        );
        all.push(member(format!("{k} tokens for {p}"), text, of(&[("credit", k), ("q", k)])));
    }
    for (w, relays) in pairs(&[1, 3, 9], &[1, 2, 3]) {
        let relay = |i: u64| format!("active proctype M{i}() {{ do :: m[{i}]?1 -> m[{}]!1 od }}\n", i + 1);
        let between: String = (0..relays).map(relay).collect();
        let text = format!(
            "chan m[{}] = [1] of {{ bit }}, d = [1] of {{ bit }};
             active proctype S() {{ byte n; do :: n < {w} -> m[0]!1; n++ :: d?1 -> n-- od }}
             active proctype R() {{ do :: m[{relays}]?1 -> d!1 od }}\n{between}",
            relays + 1
        );
        let truth = each("m", relays + 1, w).chain([(String::from("d"), w)]).collect();
        all.push(member(format!("a window of {w} through {relays} relays"), text, truth));
    }
    for w in [1, 2, 8, 90, 3_000] {
        let text = format!(
            "{BUFFERS} active proctype R() {{ do :: c?1 -> d!1 od }} active proctype S() {{ int sent, acked;
             do :: sent - acked < {w} -> c!1; sent++ :: d?1 -> acked++ od }}"
        );
        all.push(member(format!("a difference of {w}"), text, of(&[("c", w), ("d", w)])));
    }
    for k in [1, 2, 5, 30, 500] {
        let text = format!(
            "chan pool = [1] of {{ byte }}, work = [1] of {{ byte }};
             active proctype Fill() {{ int i; do :: i < {k} -> pool!1; i++ :: else -> break od }}
             active proctype C() {{ do :: pool?1 -> work!1 od }} active proctype W() {{ do :: work?1 -> pool!1 od }}"
        );
        all.push(member(format!("a pool of {k}"), text, of(&[("pool", k), ("work", k)])));
        let text = format!(
            "chan q = [1] of {{ byte }};
             active proctype P() {{ int i; do :: i < {k} -> q!1; i++ :: else -> break od }}"
        );
        all.push(member(format!("a loop of {k}"), text, of(&[("q", k)])));
        let text = format!(
            "chan q = [{k}] of {{ byte }}; active proctype S() {{ do :: len(q) < {k} -> q!1 od }}
             active proctype R() {{ do :: q?1 od }}"
        );
        all.push(member(format!("a length below {k}"), text, of(&[("q", k)])));
    }
    for n in [1, 2, 3, 5, 9, 20] {
        let text = format!(
            "chan req = [1] of {{ byte }}; chan rep[{n}] = [1] of {{ byte }};
             active [{n}] proctype C() {{ do :: req!_pid; rep[_pid]?1 od }}
             active proctype S() {{ byte i; do :: req?i -> rep[i]!1 od }}"
        );
        let truth = each("rep", n, 1).chain([(String::from("req"), n)]).collect();
        all.push(member(format!("{n} clients and their replies"), text, truth));
        let text = format!(
            "chan req = [1] of {{ byte }}; bool busy[{n}];
             active [{n}] proctype C() {{ do :: busy[_pid] == 0 -> busy[_pid] = 1; req!_pid od }}
             active proctype Srv() {{ byte i; do :: req?i -> busy[i] = 0 od }}"
        );
        all.push(member(format!("{n} clients with a flag each"), text, of(&[("req", n)])));
        let (takes, sends) = ("in?1; ".repeat(n as usize), "done!1; ".repeat(n as usize));
        let text = format!(
            "chan in = [1] of {{ bit }}, batch = [1] of {{ bit }}, done = [1] of {{ bit }};
             active [{n}] proctype C() {{ do :: in!1; done?1 od }}
             active proctype B() {{ do :: {takes}batch!1 od }} active proctype W() {{ do :: batch?1 -> {sends}skip od }}"
        );
        all.push(member(format!("batches of {n}"), text, of(&[("in", n), ("batch", 1), ("done", n)])));
        let stage =
            |i: u64| format!("active proctype P{i}() {{ do :: f[{i}]?1 -> b[{i}]!1; f[{0}]!1; b[{0}]?1 od }}\n", i + 1);
        let stages: String = (0..n).map(stage).collect();
        let text = format!(
            "chan f[{0}] = [1] of {{ bit }}, b[{0}] = [1] of {{ bit }};
             active proctype First() {{ do :: f[0]!1; b[0]?1 od }} active proctype Last() {{ do :: f[{n}]?1 -> b[{n}]!1 od }}\n{stages}",
            n + 1
        );
        all.push(member(format!("{n} stages"), text, each("f", n + 1, 1).chain(each("b", n + 1, 1)).collect()));
    }
    all
}

#[test]
fn families_of_patterns_are_proved_exactly() {
    let (families, mut open) = (families(), Vec::new());
    for system in &families {
        let network = system.network();
        let semantics = Semantics::new(&network, Reading::Unbounded);
        let limits = seconds(10).states(2_000);
        let report = growth(&semantics, &GrowthOptions::default(), &Context::silent(&limits));
        assert!(report.growing.is_empty(), "{} grows", system.name);
        for (channel, most) in &system.truth {
            let longest = report.longest.iter().find(|q| q.channel == *channel).map(|q| u64::from(q.length));
            let right = if report.complete { longest == *most } else { longest <= *most };
            assert!(right, "{}: {channel} {longest:?} for {most:?}", system.name);
        }
        open.extend(missing(system).map(|what| format!("{}: {what}", system.name)));
    }
    assert!(families.len() >= 200 && open.is_empty(), "{} of {}:\n{}", open.len(), families.len(), open.join("\n"));
}

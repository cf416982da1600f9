//! The examples are what they say: shapes, verdicts as far as a naive search can tell, and the families they belong to.
//!
//! A naive search proves no system with unbounded queues safe. It looks at all configurations with short queues, so an
//! example that calls itself safe has at least no short run to a bad one, and one that calls itself unsafe has a
//! shortest run of just this length.

use crate::common::{Found, action, examples, files, initial, load, name, published, search, successors, valid};
use model::ids::LocationId;
use model::network::Network;
use scm::families;
use std::collections::{BTreeMap, HashSet};

/// What the examples do: the length of the shortest run of the unsafe ones.
const UNSAFE: &[(&str, usize)] = &[
    ("alternating-bit-unsafe", 3),
    ("brp-unsafe", 3),
    ("cd", 4),
    ("nested-unsafe", 5),
    ("non-regular-unsafe", 5),
    ("peterson-unsafe", 5),
    ("pop3-unsafe", 7),
    ("server-two-clients-unsafe", 5),
    ("sliding-window-unsafe", 6),
    ("tcp-unsafe", 9),
    ("token-ring-unsafe", 4),
];

#[test]
fn every_example_has_the_verdict_that_its_essay_states() {
    let unsafe_ones: BTreeMap<&str, usize> = UNSAFE.iter().copied().collect();
    let all = files(&examples());
    assert!(all.len() >= 21, "there are {} examples", all.len());
    let mut wrong = Vec::new();
    for path in all {
        let text = std::fs::read_to_string(&path).unwrap();
        let found = search(&load(&path), 3, 60_000);
        let name = name(&path);
        let first = text.lines().next().unwrap();
        match (&found, unsafe_ones.get(name.as_str())) {
            (Found::Bad(steps), Some(expected)) if steps == expected && first.ends_with(": UNSAFE.") => {}
            (Found::Nothing(_), None) if first.ends_with(": SAFE.") => {}
            _ => wrong.push(format!("{name}: {found:?}, and the first line is `{first}`")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// States and transitions of the asynchronous product, as Fig. 10 counts them.
fn product(network: &Network) -> (usize, usize) {
    let states: usize = network.machines.iter().map(|machine| machine.locations.len()).product();
    let transitions = network.machines.iter().map(|m| m.edges.len() * states / m.locations.len()).sum();
    (states, transitions)
}

#[test]
fn fig_10_sizes_where_the_protocol_is_given_in_full() {
    let size = |name: &str| product(&load(&examples().join(name)).network);
    assert_eq!(size("alternating-bit.scm"), (16, 64));
    assert_eq!(size("nested.scm"), (6, 17));
    assert_eq!(size("non-regular.scm"), (9, 18));
    assert_eq!(size("token-ring.scm"), (625, 4500));
}

/// What a machine does, without places in the text.
type Transitions = Vec<(String, LocationId, LocationId, Option<(usize, bool, i32)>)>;

fn transitions(network: &Network) -> Transitions {
    let edges = network.machines.iter().flat_map(|m| m.edges.iter().map(|edge| (m.name.clone(), edge)));
    edges.map(|(name, edge)| (name, edge.from, edge.to, action(&edge.action))).collect()
}

#[test]
fn members_of_families_are_what_their_generators_write() {
    let members = [
        ("token-ring.scm", families::token_ring(4)),
        ("sliding-window.scm", families::sliding_window(10, 2)),
        ("peterson.scm", families::peterson(3)),
    ];
    for (name, text) in members {
        let (example, written) = (load(&examples().join(name)), valid(name, &text));
        assert_eq!(transitions(&example.network), transitions(&written.network), "{name}");
        let starts = |network: &Network| network.machines.iter().map(|m| m.initial).collect::<Vec<_>>();
        assert_eq!(starts(&example.network), starts(&written.network), "{name}");
        assert_eq!(example.specification.bad.len(), written.specification.bad.len(), "{name}");
    }
}

#[test]
fn small_members_of_families_are_safe() {
    for n in 1..=5 {
        assert!(matches!(search(&valid("ring", &families::token_ring(n)), 4, 60_000), Found::Nothing(_)), "{n}");
        assert!(matches!(search(&valid("peterson", &families::peterson(n)), 6, 60_000), Found::Nothing(_)), "{n}");
        let window = valid("window", &families::sliding_window(2 * n, n));
        assert!(matches!(search(&window, 6, 60_000), Found::Nothing(_)), "{n}");
    }
}

#[test]
fn families_of_any_size_can_be_read() {
    for n in [0, 1, 2, 30] {
        valid("ring", &families::token_ring(n));
        valid("window", &families::sliding_window(n, n));
    }
    valid("ring", &families::token_ring(usize::MAX));
    valid("peterson", &families::peterson(12));
}

#[test]
fn published_files_are_valid_and_have_their_verdicts() {
    for path in published() {
        let read = scm::read("file", &std::fs::read_to_string(&path).unwrap());
        assert!(read.diagnostics.is_empty(), "{}: {:?}", path.display(), read.diagnostics);
        let found = search(&read.model.unwrap(), 4, 60_000);
        match name(&path).as_str() {
            "cd" => assert_eq!(found, Found::Bad(4)),
            name if name.contains("unsafe") => assert!(matches!(found, Found::Bad(_)), "{name}: {found:?}"),
            name => assert!(matches!(found, Found::Nothing(_)), "{name}: {found:?}"),
        }
    }
}

#[test]
fn bounded_protocols_are_searched_to_the_end() {
    for name in ["peterson.scm", "pop3.scm", "sliding-window.scm", "token-ring.scm"] {
        let model = load(&examples().join(name));
        let (short, long) = (search(&model, 6, 200_000), search(&model, 12, 200_000));
        assert!(matches!(short, Found::Nothing(states) if states < 200_000), "{name}: {short:?}");
        assert_eq!(short, long, "{name}: longer queues make no difference");
    }
}

/// The states that no run with short queues reaches, as `automaton@state`.
fn unreached(network: &Network) -> Vec<String> {
    let mut seen = HashSet::from([initial(network)]);
    let mut waiting: Vec<_> = seen.iter().cloned().collect();
    let mut reached: HashSet<(usize, LocationId)> = HashSet::new();
    while let Some(configuration) = waiting.pop() {
        reached.extend(configuration.locations.iter().copied().enumerate());
        for next in successors(network, &configuration) {
            if next.queues.iter().all(|queue| queue.len() <= 4) && seen.insert(next.clone()) {
                waiting.push(next);
            }
        }
    }
    let states = network.machines.iter().enumerate().flat_map(|(m, machine)| {
        machine
            .locations
            .iter()
            .enumerate()
            .map(move |(l, location)| (m, l, format!("{}@{}", machine.name, location.labels[0])))
    });
    states.filter(|(m, l, _)| !reached.contains(&(*m, (*l).into()))).map(|(_, _, name)| name).collect()
}

#[test]
fn safe_examples_do_something_before_they_are_called_safe() {
    let rest = |name: &str| unreached(&load(&examples().join(name)).network);
    let whole = [
        "alternating-bit",
        "alternating-bit-lossy",
        "non-regular",
        "tcp",
        "server-two-clients",
        "server-two-clients-handshake",
        "brp",
        "pop3",
    ];
    for name in whole {
        assert_eq!(rest(&format!("{name}.scm")), Vec::<String>::new(), "{name}");
    }
    assert_eq!(rest("nested.scm"), ["server@2"]);
    assert_eq!(rest("token-ring.scm"), ["process0@4", "process1@4", "process2@4", "process3@4"]);
    assert_eq!(rest("sliding-window.scm"), ["sender@33", "receiver@21"]);
    // With names in this order just one process becomes the leader.
    let leaders = rest("peterson.scm").into_iter().filter(|state| state.ends_with("@28"));
    assert_eq!(leaders.count(), 2);
}

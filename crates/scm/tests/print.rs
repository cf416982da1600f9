//! What is printed is read again as the same system.

use crate::common::{action, examples, files, load, published, search, valid};
use model::network::Network;
use scm::{Model, print};

/// From where, to where, and what is done to which channel.
type Transition = (u32, u32, Option<(usize, bool, i32)>);

fn transitions(network: &Network) -> Vec<Transition> {
    let edges = network.machines.iter().flat_map(|machine| &machine.edges);
    edges.map(|edge| (edge.from.0, edge.to.0, action(&edge.action))).collect()
}

fn round_trip(name: &str, model: &Model) {
    let text = print(&model.network, &model.specification).unwrap_or_else(|reason| panic!("{name}: {reason}"));
    let again = valid(name, &text);
    assert_eq!(transitions(&again.network), transitions(&model.network), "{name}:\n{text}");
    let starts = |network: &Network| network.machines.iter().map(|m| m.initial).collect::<Vec<_>>();
    assert_eq!(starts(&again.network), starts(&model.network), "{name}");
    let lossy = |network: &Network| network.channel_types.iter().map(|c| c.lossy).collect::<Vec<_>>();
    assert_eq!(lossy(&again.network), lossy(&model.network), "{name}");
    let languages = |model: &Model| {
        let bad = model.specification.bad.iter();
        bad.map(|bad| {
            (
                bad.machines.iter().map(|m| m.as_ref().map(Vec::len)).collect::<Vec<_>>(),
                bad.queues.as_ref().map(|q| q.regex.clone()),
            )
        })
        .collect::<Vec<_>>()
    };
    assert_eq!(languages(&again), languages(model), "{name}:\n{text}");
    assert_eq!(search(&again, 2, 2000), search(model, 2, 2000), "{name}");
    assert_eq!(print(&again.network, &again.specification).unwrap(), without_comments(&text), "{name}");
}

/// Names in comments are not read back.
fn without_comments(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("//"));
    lines.map(|line| line.split(" //").next().unwrap_or("").to_owned() + "\n").collect()
}

#[test]
fn examples_and_published_files_survive_printing() {
    for path in files(&examples()).into_iter().chain(published()) {
        round_trip(&path.display().to_string(), &load(&path));
    }
}

#[test]
fn names_that_the_grammar_does_not_allow_are_changed() {
    let mut model = load(&examples().join("nested.scm"));
    model.network.symbol_sets[0].symbols = vec!["state".into(), "data(1,2)".into(), "data[1,2]".into()];
    model.network.machines[0].name = "3 clients".into();
    model.network.machines[1].name = "m3_clients".into();
    round_trip("nested", &model);
}

#[test]
fn printing_keeps_to_the_published_grammar() {
    let model = load(&examples().join("tcp.scm"));
    let text = print(&model.network, &model.specification).unwrap();
    assert!(text.contains("nb_channels = 2 ;") && text.contains("// channel 0 is up"), "{text}");
    let transitions = text.lines().filter(|line| line.starts_with("to "));
    assert_eq!(transitions.clone().count(), model.network.machines.iter().map(|m| m.edges.len()).sum::<usize>());
    assert!(transitions.into_iter().all(|line| line.contains(": when true")), "{text}");
}

#![allow(missing_docs, clippy::print_stdout)]
use model::verdict::{Limits, Silent};
use std::time::{Duration, Instant};
fn main() {
    let file = std::env::args().nth(1).unwrap();
    let inst: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let read = promela::read(&file, &text, &Default::default());
    let network = read.network.unwrap();
    let limits = Limits { deadline: Some(Instant::now() + Duration::from_secs(10)), ..Default::default() };
    let q = if std::env::var("LIVE").is_ok() {
        flow::Question::Livelock { events: vec![] }
    } else {
        flow::Question::Boundedness
    };
    let report = flow::check(&network, &q, &limits, &Silent::default());
    let proof = report.proof.unwrap();
    println!("globals {:?}", proof.abstraction.globals);
    println!("followed {:?} numbers {:?}", proof.abstraction.followed, proof.abstraction.numbers);
    for q in &proof.abstraction.queues {
        println!("queue {:?} {:?} {:?}", q.key, q.constants, q.atoms);
    }
    let i = &proof.abstraction.instances[inst];
    println!("instance machine {} {:?} many {} folded {:?} first {:?}", i.machine, i.origin, i.many, i.folded, i.first);
    for (k, n) in i.nodes.iter().enumerate() {
        println!("  node {k} {:?} {:?}", n.at, n.values);
    }
    let m = &network.machines[i.machine as usize];
    println!("initial {:?}", m.initial);
    for (k, e) in m.edges.iter().enumerate() {
        println!(
            "  edge {k} {:?}->{:?} atomic {} escape {} {}",
            e.from,
            e.to,
            e.atomic,
            e.escape,
            text.get(e.span.start as usize..e.span.end as usize).unwrap_or("")
        );
    }
    for (k, l) in m.locations.iter().enumerate() {
        if !l.edges.is_empty() {
            println!("  loc {k} {:?} progress {}", l.edges, l.progress);
        }
    }
    println!(
        "{:?}",
        certify::flow::verify(
            &network,
            &if std::env::var("LIVE").is_ok() {
                model::verdict::Property::Livelock
            } else {
                model::verdict::Property::Boundedness
            },
            &proof,
            &limits,
            &Silent::default()
        )
    );
}

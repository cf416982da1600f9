#![allow(missing_docs, clippy::print_stdout)]
use model::verdict::{Limits, Silent};
fn main() {
    for file in std::env::args().skip(1) {
        let live = std::env::var("LIVE").is_ok();
        let text = std::fs::read(&file).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap();
        let dir = std::path::Path::new(&file).parent().unwrap().to_path_buf();
        let options = promela::preprocess::Options { include_dirs: vec![dir], ..Default::default() };
        let read = promela::read(&file, &text, &options);
        let Some(network) = read.network else {
            println!("{file}: unreadable");
            continue;
        };
        let start = std::time::Instant::now();
        let limits = Limits { deadline: Some(start + std::time::Duration::from_secs(20)), ..Default::default() };
        let q = if live { flow::Question::Livelock { events: vec![] } } else { flow::Question::Boundedness };
        let report = flow::check(&network, &q, &limits, &Silent::default());
        let time = start.elapsed();
        println!(
            "{file}: {} {:?} {:?} {:?}",
            if report.complete { "PROVED" } else { "unknown" },
            time,
            report.reason.as_ref().map(|r| r.to_string()),
            report.sizes
        );
        if std::env::var("V").is_ok() {
            for q in &report.queues {
                println!(
                    "   {} bounded={} at_most={:?} {:?} {:?}->{:?}",
                    q.name, q.bounded, q.at_most, q.messages, q.senders, q.receivers
                );
            }
            for s in &report.story {
                println!("   story {:?}", s);
            }
            for c in &report.cycles {
                println!("   {} x{} {:?}", c.process, c.times, c.effects);
                for e in &c.edges {
                    let edge = &network.machine(c.machine).edges[e.index()];
                    let line = text.get(..edge.span.start as usize).map(|s| s.lines().count()).unwrap_or(0);
                    println!("        line~{line} {:?}", e);
                }
            }
        }
    }
}

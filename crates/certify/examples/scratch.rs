#![allow(missing_docs, clippy::print_stdout)]
use model::verdict::{Limits, Property, Silent};
use std::time::{Duration, Instant};
fn main() {
    let seconds: u64 = std::env::var("SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(5);
    for file in std::env::args().skip(1) {
        let text = std::fs::read(&file).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap();
        let dir = std::path::Path::new(&file).parent().unwrap().to_path_buf();
        let options = promela::preprocess::Options { include_dirs: vec![dir], ..Default::default() };
        let read = promela::read(&file, &text, &options);
        let Some(network) = read.network else {
            println!("UNREADABLE {file} {:?}", if std::env::var("V").is_ok() { Some(read.diagnostics) } else { None });
            continue;
        };
        for live in [false, true] {
            let start = Instant::now();
            let limits = Limits { deadline: Some(start + Duration::from_secs(seconds)), ..Default::default() };
            let q = if live { flow::Question::Livelock { events: vec![] } } else { flow::Question::Boundedness };
            let report = flow::check(&network, &q, &limits, &Silent::default());
            let time = start.elapsed();
            let Some(proof) = report.proof else {
                println!("NOPROOF {file} live={live} {time:?}");
                continue;
            };
            let property = if live { Property::Livelock } else { Property::Boundedness };
            let start = Instant::now();
            let limits = Limits { deadline: Some(start + Duration::from_secs(60)), ..Default::default() };
            let answer = certify::flow::verify(&network, &property, &proof, &limits, &Silent::default());
            match answer {
                Ok(a) => println!(
                    "ACCEPTED {file} live={live} complete={} engine {time:?} checker {:?} {:?}",
                    report.complete,
                    start.elapsed(),
                    a.bounded.iter().map(|(_, b)| *b).take(8).collect::<Vec<_>>()
                ),
                Err(e) => println!("REFUSED {file} live={live} engine {time:?} checker {:?}: {e}", start.elapsed()),
            }
        }
    }
}

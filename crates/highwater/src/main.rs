//! scratch
use model::semantics::*; use model::verdict::*;
#[allow(clippy::print_stdout)]
fn main() {
    std::thread::Builder::new().stack_size(1<<29).spawn(|| {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let text = String::from_utf8_lossy(&std::fs::read(&a[0]).unwrap()).into_owned();
    let options = promela::preprocess::Options::default();
    let r = promela::read(&a[0], &text, &options);
    for d in &r.diagnostics { if d.is_error() {println!("{} {}: {}", r.sources.describe(d.primary.span), d.code, d.message);} }
    let Some(net) = r.network else { std::process::exit(2) };
    let sem = Semantics::new(&net, Reading::Declared);
    let dl = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let o = explore::Options { order: explore::Order::Breadth, keep_going: true, properties: vec![Property::Safety, Property::Deadlock], limits: Limits{deadline: Some(dl), memory: Some(8<<30), ..Default::default()} };
    for out in explore::check(&sem, &r.sources, &o, &Silent::default()) {
        let s = out.stats.unwrap();
        println!("{} {:?} states {} trans {} depth {} viol {} {:?} bytes/state {} mem {}", out.property, out.verdict, s.states, s.transitions, s.depth, s.violations, out.time, s.state_bytes/s.states.max(1), s.memory_bytes);
        if a.len()>1 { if let Some(w) = out.witness { println!("{}", w.problem); for st in w.steps { println!("  {:?} {} {:?}", st.actor.map(|a| (a.name,a.instance)), st.event, st.changes); } } }
    }}).unwrap().join().unwrap();
}

//! Models that each have one thing that the text does.

use crate::campaign;
use crate::compare::{Compared, compare, compiler, read};
use model::semantics::Reading;

/// Models, and how many percent of their states may go back to the CPU.
const MODELS: &[(&str, f64, &str)] = &[
    (
        "shared variables and arrays",
        0.0,
        "bool want[2]; byte turn, inside;\n\
         active [2] proctype P() { byte me = _pid; do :: want[me] = 1; turn = 1 - me;\n\
         (want[1 - me] == 0 || turn == me) -> inside++; assert(inside == 1); inside--; want[me] = 0 od }",
    ),
    (
        "queues",
        0.0,
        "mtype = { data, ack }; chan to = [2] of { mtype, byte }; chan from = [3] of { mtype, short };\n\
         active proctype S() { byte n; short m; do :: to!data(n) -> n = (n + 1) % 4 :: from?ack(m) :: from??ack(m) od }\n\
         active proctype R() { byte n; do :: to?data(n) -> from!ack(n - 2) :: atomic { to?<data,n> -> to?data(n) } od }",
    ),
    (
        "rendezvous and channels as parameters",
        1.0,
        "chan link = [0] of { byte, chan };\n\
         proctype P(chan own; byte id) { byte x; chan reply; do :: link!id(own) :: own?x :: link?x(reply) ->\n\
         if :: len(reply) < 2 -> reply!x :: else fi od }\n\
         init { chan a = [2] of { byte }; chan b = [1] of { byte }; atomic { run P(a, 1); run P(b, 2) } }",
    ),
    (
        "deterministic steps and else",
        0.0,
        "byte a[3]; active [2] proctype P() { byte i; do :: d_step { i = 0; do :: i < 3 && a[i] > 1 -> i++ :: else -> break od;\n\
         if :: i < 3 -> a[i]++ :: else -> a[0] = 0 fi } :: a[1] > 0 -> a[1]-- :: else -> skip od }",
    ),
    (
        "processes that come and go",
        10.0,
        "byte live; proctype C(byte n) { n < 3 -> n++; live-- }\n\
         active [2] proctype P() { do :: atomic { _nr_pr < 6 -> live++; run C(live % 3) } od }",
    ),
    (
        "values that do not fit",
        100.0,
        "pid p; active proctype P() { do :: p < 90 -> p = p + 1 od } active proctype Q() { do :: p = 0 od }",
    ),
    (
        "errors",
        100.0,
        "byte x; active [2] proctype P() { do :: x < 9 -> x++ :: assert(x != 5) :: x > 7 -> x = 3 / (x - 8) :: x == 6 -> break od; false }",
    ),
    (
        "unless, timeout and provided",
        0.0,
        "byte x; bool go = true; active proctype P() provided (go) { do :: { x < 6 -> x++ } unless { x == 4 -> x = 0; go = false } od }\n\
         active proctype Q() { do :: timeout -> go = true; x = 1 od }",
    ),
];

#[test]
fn the_text_says_what_the_semantics_says() {
    let Some(compiler) = compiler() else { return };
    for (name, most, text) in MODELS {
        let model = read(name, text).unwrap_or_else(|| panic!("{name}: not read"));
        for reading in [Reading::Declared, Reading::Drop] {
            match compare(&model, reading, &[30, 4, 2, 1], 1 << 20, compiler.as_ref()) {
                Ok(Compared::Same(_, share)) => assert!(100.0 * share <= *most, "{name}: {share}"),
                Ok(Compared::Left(why)) => assert!(name.contains("rendezvous"), "{name}, {}: {why}", reading.name()),
                Err(difference) => panic!("{name}, {}: {difference}", reading.name()),
            }
        }
    }
}

/// Public models, where they are present: `HIGHWATER_GPU_MODELS` names a folder, `HIGHWATER_SEEDS` the most states.
#[test]
#[allow(clippy::print_stdout)]
fn public_models() {
    let (Some(compiler), Ok(folder)) = (compiler(), std::env::var("HIGHWATER_GPU_MODELS")) else { return };
    let rows = campaign::below(folder.as_ref(), testing::long().unwrap_or(200_000), compiler.as_ref());
    rows.iter().for_each(|row| println!("{row}"));
    println!("{}", campaign::Tally::of(&rows).text());
    let different: Vec<_> = rows.iter().filter(|row| row.result.is_err()).collect();
    assert!(different.is_empty(), "{different:#?}");
}

#[test]
fn uml_rt_has_the_same_states() {
    let Some(compiler) = compiler() else { return };
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/capsules");
    let rows = campaign::below(&folder, 200_000, compiler.as_ref());
    let same = rows.iter().filter(|row| matches!(row.result, Ok(Compared::Same(..)))).count();
    // Some of them have a queue that grows without end.
    let endless = |row: &&campaign::Row| matches!(&row.result, Ok(Compared::Left(why)) if why.starts_with("more than"));
    assert!(same + rows.iter().filter(endless).count() == rows.len() && same >= 6, "{rows:#?}");
}

/// Up to seven messages in a queue without a capacity, which has room for two, four or more of them on a device.
#[test]
fn queues_without_a_capacity_outgrow_their_room() {
    let Some(compiler) = compiler() else { return };
    let text = "chan q = [9] of { byte, short }; byte out; active [2] proctype P() { do :: atomic { out < 7 -> out++; q!out % 2, 0 - (out % 2) } od }\n\
                active proctype R() { byte x; short y; do :: atomic { q?x, y -> out-- } :: atomic { q??0, y -> out-- } od }";
    let mut model = read("outgrow.pml", text).expect("the model is read");
    model.0.channel_types.iter_mut().for_each(|kind| kind.capacity = None);
    for (wide, share) in [(1, 0.1..1.0), (40, 0.0..0.9)] {
        for reading in [Reading::Declared, Reading::Drop] {
            match compare(&model, reading, &[wide], 1 << 20, compiler.as_ref()) {
                Ok(Compared::Same(_, by_the_cpu)) => assert!(share.contains(&by_the_cpu), "{wide}: {by_the_cpu}"),
                other => panic!("{wide}, {}: {other:?}", reading.name()),
            }
        }
    }
}

/// How fast models are searched: `HIGHWATER_GPU_SPEED` names files, each with definitions after commas: `a.pml,N=5:b.pml`.
#[test]
#[allow(clippy::print_stdout)]
fn speed() {
    let (Some(compiler), Ok(list)) = (compiler(), std::env::var("HIGHWATER_GPU_SPEED")) else { return };
    for entry in list.split(':') {
        let mut parts = entry.split(',');
        let path = parts.next().unwrap_or_default();
        let head: String = parts.map(|d| format!("#define {}\n", d.replace('=', " "))).collect();
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let Some((network, sources)) = read(path, &(head + &text)) else {
            println!("{entry}: not read");
            continue;
        };
        let semantics = model::semantics::Semantics::new(&network, Reading::Declared);
        let properties = vec![model::verdict::Property::Safety, model::verdict::Property::Deadlock];
        let options = explore::Options { properties, keep_going: true, ..explore::Options::default() };
        let budget = model::budget::Budget::default().timeout(std::time::Duration::from_secs(40));
        let start = std::time::Instant::now();
        let cx = model::context::Context::silent(&budget);
        match gpu::search((&semantics, &sources), &options, 2000, compiler.as_ref(), &cx) {
            Err(refused) => println!("{entry}: {refused:?}"),
            Ok((found, report)) => {
                let (stats, device) = (&found.stats, report.seconds);
                println!(
                    "{entry}: {} states, {} transitions, depth {}, {:?} errors, {:?}, {:.2} s, compiled in {:.2} s, on the device {:.3} s, {:.1} M/s, fallback {}, {} bits, {:.1} bytes/state",
                    stats.states,
                    stats.transitions,
                    stats.depth,
                    found.counts,
                    found.stopped,
                    start.elapsed().as_secs_f64(),
                    report.compilation,
                    device,
                    stats.states as f64 / device / 1e6,
                    report.fallback,
                    report.bits,
                    stats.memory_bytes as f64 / stats.states as f64
                );
            }
        }
    }
}

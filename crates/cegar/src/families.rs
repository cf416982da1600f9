//! Specifications for any number of components, to measure how the engines grow.
//!
//! The C procedures are always the same ones, from `examples/c`; only the specifications differ. Dining philosophers (DPD-n,
//! DPN-n) and readers and writers (RW-n) are families of Fig. 10 of the MAGIC paper; the surge protector is section 5's, in
//! the three styles of specification that the paper compares.

use std::fmt::Write as _;

/// `n` philosophers and `n` forks, from `philosophers.c`. If one of them is left-handed, no component gets stuck.
pub fn philosophers(n: usize, one_is_left_handed: bool) -> String {
    let n = n.max(2);
    let mut text = String::from("file \"philosophers.c\";\n\n// The left fork of one is the right fork of the next.\n");
    for fork in 0..n {
        let next = (fork + 1) % n;
        let _ = writeln!(
            text,
            "FORK{fork} = (p{fork}.take_left -> p{fork}.put_left -> FORK{fork} \
             | p{next}.take_right -> p{next}.put_right -> FORK{fork})."
        );
    }
    let mut parts: Vec<String> = (0..n).map(|i| format!("p{i}:philosopher")).collect();
    if one_is_left_handed {
        parts[0] = String::from("p0:left_handed_philosopher");
    }
    parts.extend((0..n).map(|fork| format!("FORK{fork}")));
    let _ = writeln!(text, "\nprogram = ({})", parts.join(" || "));
    text
}

/// `n` tasks of the kernel in `rtos.c`, at most six, with a lock for each resource. If they delete tasks hastily, two of them
/// can wait for each other (UCOSD-n and UCOSN-n of the paper's Fig. 10 are of that kind).
pub fn kernel(n: usize, hasty: bool) -> String {
    let n = n.clamp(2, 6);
    let what = match hasty {
        true => "two tasks can take two locks in opposite orders",
        false => "every access is under a lock, and locks are taken in one order",
    };
    let mut text = format!("// The kernel with {n} tasks: {what}.\nfile \"rtos.c\";\n\nconst N = {n}\n\n");
    for lock in 0..LOCKS {
        let _ = writeln!(text, "TAKE{lock} = (take[{lock}] -> return -> STOP).");
        let _ = writeln!(text, "GIVE{lock} = (give[{lock}] -> return -> STOP).");
    }
    for (routine, process) in [("lock", "TAKE"), ("unlock", "GIVE")] {
        let _ = writeln!(text, "\ncproc {routine} {{");
        for lock in 0..LOCKS {
            let _ = writeln!(text, "    abstract {{ Lock{lock}, ($1 == {lock}), {process}{lock} }};");
        }
        text += "}\n";
    }
    text += "\nLOCK(R=0) = (t[i:0..N-1].take[R] -> t[i].give[R] -> LOCK).\n";
    let locks: Vec<String> = (0..LOCKS).map(|lock| format!("LOCK({lock})")).collect();
    let _ = writeln!(text, "||LOCKS = ({}).", locks.join(" || "));
    let consumes = |i: usize| i == 0 || i == 2;
    let task = |i: usize| format!("t[{i}]:{}_{i}", if hasty && consumes(i) { "hasty" } else { "task" });
    let tasks: Vec<String> = (0..n).map(task).collect();
    let _ = writeln!(text, "\nprogram = ({} || LOCKS)", tasks.join(" || "));
    text
}

/// The locks of the kernel.
const LOCKS: usize = 8;

/// `n` readers, `n` writers and a controller, from `readers-writers.c`.
pub fn readers_writers(n: usize) -> String {
    let n = n.max(1);
    let each = |name: &str, event: &str, value: usize| {
        let moves = (1..=n).map(|i| format!("{name}{i}.{event} -> return {{$0 == {value}}} -> STOP"));
        moves.collect::<Vec<_>>().join(" | ")
    };
    let mut text = format!("file \"readers-writers.c\";\n\nROOM = (return {{$0 == {n}}} -> STOP).\n");
    let routines = [
        ("FIRST", "wait_first", format!("{}\n  | {}", each("r", "enter", 0), each("w", "enter", 1))),
        ("READER", "wait_reader", format!("{}\n  | {}", each("r", "enter", 0), each("r", "leave", 1))),
        ("LAST", "wait_last", each("r", "leave", 0)),
        ("WRITER", "wait_writer", each("w", "leave", 0)),
    ];
    for (process, _, moves) in &routines {
        let _ = writeln!(text, "{process} = ({moves}).");
    }
    let _ = writeln!(text, "\ncproc room {{ abstract {{ Says, (1), ROOM }}; }}");
    for (process, routine, _) in &routines {
        let _ = writeln!(text, "cproc {routine} {{ abstract {{ Waits, (1), {process} }}; }}");
    }
    let people = (1..=n).flat_map(|i| [format!("r{i}:reader"), format!("w{i}:writer")]);
    let parts: Vec<String> = people.chain([String::from("controller")]).collect();
    let _ = writeln!(text, "\nprogram = ({})", parts.join(" || "));
    text
}

/// How the surge protector is specified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// The threshold is a variable, changes of the current are events.
    StatesAndEvents,
    /// Threshold and current are variables, and there are no events.
    States,
    /// Everything is an event.
    Events,
}

/// A protector for currents `0..range` and thresholds `0..range`, from `surge-styles.c`, with the formula `Protected`, which
/// holds.
pub fn surge_protector(range: usize, style: Style) -> String {
    let range = range.max(1);
    let mut text = format!("file \"surge-styles.c\";\n\nRANGE = (return {{$0 == {range}}} -> STOP).\n");
    let procedure = match style {
        Style::StatesAndEvents => "protector",
        Style::States => "silent_protector",
        Style::Events => "telling_protector",
    };
    let routines: &[(&str, &str)] = match style {
        Style::StatesAndEvents => &[("current", "c")],
        Style::States => &[],
        Style::Events => &[("current", "c"), ("limit", "m")],
    };
    for (_, event) in routines {
        for value in 0..=range {
            let _ = writeln!(text, "{}{value} = ({event}{value} -> return -> STOP).", event.to_uppercase());
        }
    }
    let _ = writeln!(text, "\ncproc range {{ abstract {{ Says, (1), RANGE }}; }}");
    for (routine, event) in routines {
        let each = (0..=range)
            .map(|value| format!("    abstract {{ Tells, ($1 == {value}), {}{value} }};", event.to_uppercase()))
            .collect::<Vec<_>>();
        let _ = writeln!(text, "cproc {routine} {{\n{}\n}}", each.join("\n"));
    }
    let _ = writeln!(text, "\nprogram = ({procedure})\n\nltl Protected {{ {} }}", protected(range, style));
    text
}

fn protected(range: usize, style: Style) -> String {
    let all = |parts: Vec<String>| parts.join("\n  && ");
    match style {
        Style::StatesAndEvents => {
            format!("[] ({})", all((1..=range).map(|j| format!("(c{j} -> {{threshold >= {j}}})")).collect()))
        }
        Style::States => all((1..=range)
            .map(|j| format!("[] ((!{{flowing == {j}}} && X {{flowing == {j}}}) -> {{threshold >= {j}}})"))
            .collect()),
        Style::Events => {
            let pairs = (0..=range).flat_map(|i| (i + 1..=range).map(move |j| (i, j)));
            let higher = |j: usize| (j..=range).map(|k| format!("m{k}")).collect::<Vec<_>>().join(" || ");
            all(pairs.map(|(i, j)| format!("[] (m{i} -> (!c{j} W ({})))", higher(j))).collect())
        }
    }
}

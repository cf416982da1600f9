//! Systems of any size, as texts: families for measuring how an engine grows.
//!
//! The first three are those of Fig. 10 of the MAGIC paper, written again: dining philosophers with and without a deadlock
//! (DPD-n, DPN-n), readers and writers (RW-n). The surge protector is section 5's, in the three styles of specification that
//! the paper compares.

/// `n` philosophers and `n` forks; every component takes the left fork first, so that all of them can wait for the right one.
///
/// A philosopher has five states, a fork two.
pub fn dining_deadlock(n: usize) -> String {
    let n = n.max(2);
    format!(
        "\
// {n} dining philosophers, each with the left fork first: a deadlock.
const N = {n}

PHIL = (left.get -> right.get -> EATING),
EATING{{eating}} = (eat -> left.put -> right.put -> PHIL).

{FORKS}"
    )
}

/// As [`dining_deadlock`], but philosopher 0 takes the right fork first: no deadlock.
pub fn dining(n: usize) -> String {
    let n = n.max(2);
    format!(
        "\
// {n} dining philosophers, of whom one takes the right fork first: no deadlock.
const N = {n}

PHIL(I=1) = if (I == 0) then (right.get -> left.get -> EATING) else (left.get -> right.get -> EATING),
EATING{{eating}} = (eat -> left.put -> right.put -> PHIL).

{}",
        FORKS.replace(":PHIL", ":PHIL(i)")
    )
}

/// The right fork of a philosopher is the left one of the next.
const FORKS: &str = "\
FORK = (get -> put -> FORK).

||DINERS = forall[i:0..N-1] (phil[i]:PHIL || {phil[i].right, phil[(i+1)%N].left}::FORK).

// Neighbours never eat at the same time.
ltl Exclusive { [] !(phil[0].eating && phil[1].eating) }
";

/// `n` readers, `n` writers, and a controller that lets in readers, or one writer.
///
/// The controller counts readers: it has `n + 2` states, and the whole `2^n + n`.
pub fn readers_writers(n: usize) -> String {
    let n = n.max(1);
    format!(
        "\
// {n} readers and {n} writers: no deadlock, and a writer is always alone.
const N = {n}
range I = 1..N

READER = (acquire -> READING), READING{{reading}} = (release -> READER).
WRITER = (acquire -> WRITING), WRITING{{writing}} = (release -> WRITER).

CONTROLLER = INSIDE[0],
INSIDE[k:0..N] = ( when (k < N) reader[I].acquire -> INSIDE[k+1]
                 | when (k > 0) reader[I].release -> INSIDE[k-1]
                 | when (k == 0) writer[I].acquire -> BUSY ),
BUSY = (writer[I].release -> INSIDE[0]).

||RW = (reader[i:I]:READER || writer[i:I]:WRITER || CONTROLLER).

// No reader is in with a writer.
ltl Exclusive {{ [] !(reader[1].reading && writer[1].writing) }}
"
    )
}

/// How the surge protector is specified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Thresholds are states, changes of the current are events (Fig. 1, φse).
    StatesAndEvents,
    /// Thresholds and currents are states, and events say nothing (Fig. 2, φs).
    States,
    /// Everything is an event (φe).
    Events,
}

/// A protector for currents `0..range` and thresholds `0..range`, with the paper's formula for it, which holds.
///
/// With a range of 2 the structure has 3 states, or 9 if only states count.
pub fn surge_protector(range: usize, style: Style) -> String {
    let head = format!("const R = {range}\nrange C = 0..R\n\n");
    let (words, process, formula) = match style {
        Style::StatesAndEvents => (
            "states and events",
            "PROTECTOR = LIMIT[0],\nLIMIT[i:C]{threshold[i]} = (m[k:C] -> LIMIT[k] | c[0..i] -> LIMIT[i]) + {c[C]}.\n",
            all(1..=range, |j| format!("(c[{j}] -> {{threshold[{j}..R]}})"), "[] "),
        ),
        Style::States => (
            "states alone",
            "PROTECTOR = LIMIT[0][0],\n\
             LIMIT[i:C][j:C]{threshold[i], current[j]} = (m[k:C] -> LIMIT[k][j] | c[l:0..i] -> LIMIT[i][l])\n\
             /{step/{m[C], c[C]}}.\n",
            all(
                1..=range,
                |j| {
                    let others: Vec<String> =
                        (0..=range).filter(|&k| k != j).map(|k| format!("current[{k}]")).collect();
                    let others = others.join(", ");
                    format!("[] (({{{others}}} && X current[{j}]) -> {{threshold[{j}..R]}})")
                },
                "",
            ),
        ),
        Style::Events => (
            "events alone",
            "PROTECTOR = LIMIT[0],\nLIMIT[i:C] = (m[k:C] -> LIMIT[k] | c[0..i] -> LIMIT[i]) + {c[C]}.\n",
            all(
                (0..=range).flat_map(|i| (i + 1..=range).map(move |j| (i, j))),
                |(i, j)| format!("[] (m[{i}] -> (!c[{j}] W {{m[{j}..R]}}))"),
                "",
            ),
        ),
    };
    format!(
        "// A surge protector for currents up to {range}, specified by {words}.\n{head}{process}\n\
         // The current never rises above the threshold.\nltl Protected {{ {formula} }}\n"
    )
}

/// All of some formulas.
fn all<T>(items: impl Iterator<Item = T>, formula: impl Fn(T) -> String, front: &str) -> String {
    let formulas: Vec<String> = items.map(formula).collect();
    match &formulas[..] {
        [] => "true".into(),
        _ => format!("{front}({})", formulas.join(" && ")),
    }
}

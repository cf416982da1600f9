//! Pairs of features that no model has which SPIN accepts.

use super::pairs::Pair;
use super::tree::Feature;

/// A feature, others that it cannot be together with, why, and the smallest model that has two of them: SPIN refuses it.
pub struct Row {
    one: Feature,
    others: &'static [Feature],
    why: &'static str,
    pub refused: &'static str,
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row {
        one: "init",
        others: &["active", "active-many"],
        why: "`init` is a process type of its own",
        refused: "active init { skip }",
    },
    Row {
        one: "init",
        others: &[
            "active-parameter", "param-bit", "param-bool", "param-byte", "param-short", "param-int", "param-mtype",
            "param-pid", "param-chan", "param-typedef", "param-typedef-channel",
        ],
        why: "`init` has no parameters",
        refused: "init(byte x) { skip }",
    },
    Row {
        one: "init",
        others: &["provided"],
        why: "the grammar has no `provided` for `init`",
        refused: "byte g; init provided (g == 0) { g = 1 }",
    },
    Row {
        one: "rendezvous",
        others: &["priority", "run-priority", "set-priority", "get-priority"],
        why: "a verifier with priorities and a rendezvous does not compile",
        refused: "chan c = [0] of { byte }; active proctype P() priority 2 { c!1 } active proctype Q() { c?1 }",
    },
    Row {
        one: "rendezvous",
        others: &["enabled"],
        why: "`enabled` is refused beside a rendezvous",
        refused: "chan c = [0] of { byte }; active proctype P() { enabled(1); c!1 } active proctype Q() { c?1 }",
    },
];

/// Why no model has a pair.
pub fn why((a, b): Pair) -> Option<&'static str> {
    let has = |row: &&Row| (row.one == a && row.others.contains(&b)) || (row.one == b && row.others.contains(&a));
    ROWS.iter().find(has).map(|row| row.why)
}

#[test]
fn spin_refuses_what_the_table_calls_impossible() {
    if !testing::judge::has_spin() {
        return;
    }
    let folder = super::folder("impossible");
    for row in ROWS {
        let made = super::judge::compile(&folder, "cc", row.refused, &["-DSAFETY", "-DNOCLAIM"]);
        assert!(made.is_err(), "{}: SPIN accepts {}", row.why, row.refused);
    }
    let _ = std::fs::remove_dir_all(&folder);
}

//! `TRUST.md`: what each kind of proof rests on, and how many lines of code that is. The page is written by this test; it
//! fails if the page was another one, so that a change of what is trusted is seen in a review.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A kind of proof: its name, what it proves, the files of `certify` that check it, and the most lines that these may have.
struct Kind {
    name: &'static str,
    proves: &'static str,
    files: &'static [&'static str],
    /// The kinds of a proof inside of it, which is checked as such.
    inner: &'static [&'static str],
    semantics: &'static [&'static str],
    most: usize,
}

const KINDS: [Kind; 18] = [
    Kind {
        name: "`explored-states`, `searched`",
        proves: "safety, deadlock, boundedness, livelock, `trace`: the checker searches all states again",
        files: &["lib.rs", "searched.rs", "traces.rs", "temporal/components.rs", "temporal/settled.rs"],
        inner: &[],
        semantics: NETWORKS,
        most: 1300,
    },
    Kind {
        name: "`explored-product`",
        proves: "formulas, `never` claims, acceptance: own translation, own product",
        files: &["temporal.rs", "temporal"],
        inner: &[],
        semantics: NETWORKS,
        most: 1300,
    },
    Kind {
        name: "`flow-weights`",
        proves: "boundedness and livelock: an invariant and a ranking by weights",
        files: &[
            "flow/mod.rs",
            "flow/creation.rs",
            "flow/invariant.rs",
            "flow/invariant",
            "flow/knowledge.rs",
            "flow/known.rs",
            "flow/paths.rs",
            "flow/progress.rs",
            "flow/ranking.rs",
            "flow/shape.rs",
            "flow/shape",
            "flow/values.rs",
        ],
        inner: &[],
        semantics: NETWORKS,
        most: 2000,
    },
    Kind {
        name: "`flow-weights` that count",
        proves: "how much queues hold; boundedness of systems that count: sums that no step raises, linear invariants",
        files: &["flow/counting.rs", "flow/counting"],
        inner: &["`flow-weights`"],
        semantics: NETWORKS,
        most: 1300,
    },
    Kind {
        name: "`flow-weights` of a formula",
        proves: "`[] !P@l`: a proof that the queue in which a network counts arrivals at these places is always empty",
        files: &["arrivals.rs", "histories.rs"],
        inner: &["`flow-weights`", "`flow-weights` that count"],
        semantics: NETWORKS,
        most: 1300,
    },
    Kind {
        name: "`queue-invariant`",
        proves: "safety, deadlock, reception, orphans with channels of any length: automata over queue contents",
        files: &["queues.rs", "queues/machines.rs", "queues/pattern.rs", "queues/words.rs", "temporal/components.rs"],
        inner: &[],
        semantics: NETWORKS,
        most: 1300,
    },
    Kind {
        name: "`queue-invariant` with data",
        proves: "the same for models with data: steps of the semantics, with samples of what queues hold",
        files: &["queues/data.rs", "queues/contents.rs", "queues/looks.rs"],
        inner: &["`queue-invariant`"],
        semantics: NETWORKS,
        most: 1300,
    },
    Kind {
        name: "`queue-invariant` of a formula",
        proves: "formulas that promise nothing, with channels of any length: a monitor, compared with the own tableau",
        files: &["queue_formulas.rs", "temporal/finite.rs", "temporal/product.rs", "temporal/tableau.rs"],
        inner: &["`queue-invariant`", "`queue-invariant` with data"],
        semantics: NETWORKS,
        most: 1300,
    },
    Kind {
        name: "`queue-counts`",
        proves: "the same, with sums of numbers of messages that no step changes",
        files: &["queue_counts.rs"],
        inner: &["`queue-invariant`"],
        semantics: NETWORKS,
        most: 1300,
    },
    Kind {
        name: "`queue-parts`",
        proves: "the same for many machines: invariants of few machines each, what is ever written to channels, sums that no \
                 step raises; formulas that bound channels and counters",
        files: &["queue_parts.rs", "queue_parts"],
        inner: &["`queue-invariant`"],
        semantics: NETWORKS,
        most: 1300,
    },
    Kind {
        name: "`explored-states` of machines",
        proves: "the same for plain machines with finitely many configurations: the checker lists them again",
        files: &["queue_search.rs"],
        inner: &["`queue-invariant`"],
        semantics: NETWORKS,
        most: 1300,
    },
    Kind {
        name: "`queue-ranking`",
        proves: "partial deadlock and eventual reception with channels of any length: an invariant and ranks",
        files: &["queue_ranking.rs"],
        inner: &["`queue-invariant`"],
        semantics: NETWORKS,
        most: 1300,
    },
    Kind {
        name: "`explored-states` of what stays possible",
        proves: "partial deadlock and eventual reception: the checker searches all states again, and backwards",
        files: &["eventually.rs"],
        inner: &[],
        semantics: NETWORKS,
        most: 1300,
    },
    Kind {
        name: "`partitions`",
        proves: "deadlock, safety and formulas of compositions: a tree of abstractions",
        files: &[
            "composition.rs",
            "composition/classes.rs",
            "composition/ready.rs",
            "composition/stuttering.rs",
            "composition/states.rs",
            "temporal/components.rs",
            "temporal/product.rs",
            "temporal/settled.rs",
            "temporal/tableau.rs",
        ],
        inner: &[],
        semantics: &["fsp", "ltl"],
        most: 1300,
    },
    Kind {
        name: "`partitions` with `invariants`",
        proves: "deadlock and safety of components that count: sums of weights that no step changes; own clauses, LRAT proofs",
        files: &["composition.rs", "composition/invariants.rs", "clauses.rs", "clauses/lrat.rs"],
        inner: &[],
        semantics: &["fsp"],
        most: 1300,
    },
    Kind {
        name: "`partitions` of fair runs",
        proves: "progress and formulas of compositions for fair runs: the checker searches all states again",
        files: &[
            "composition.rs",
            "composition/plain.rs",
            "composition/progress.rs",
            "temporal/components.rs",
            "temporal/product.rs",
            "temporal/settled.rs",
            "temporal/tableau.rs",
        ],
        inner: &[],
        semantics: &["fsp", "ltl"],
        most: 1300,
    },
    Kind {
        name: "`program-invariant`",
        proves: "no error of a C program is reached: an invariant over cut points; own encoder to clauses, LRAT proofs",
        files: &["programs.rs", "programs", "clauses.rs", "clauses"],
        inner: &[],
        semantics: &["cfront"],
        most: 1300,
    },
    Kind {
        name: "`predicate-abstraction`",
        proves: "properties of C components: structures that over-approximate procedures, by the same encoder and LRAT \
                 proofs, and a proof about these structures",
        files: &["components.rs", "components", "programs/table.rs", "programs/words.rs", "clauses.rs", "clauses"],
        inner: &["`partitions`", "`partitions` with `invariants`"],
        semantics: &["cfront", "spec", "fsp", "ltl"],
        most: 1300,
    },
];

/// Stands for the front ends of networks; a model is read by one of them.
const NETWORKS: &[&str] = &["front ends of networks"];
/// What every kind needs: the claims of the document, the dispatch, the front ends' common part, the semantics of models.
const COMMON: [&str; 4] = ["certificate", "checker", "input", "model"];
const DISPATCH: [&str; 3] = ["check.rs", "lib.rs", "pace.rs"];

/// The crates that give a model its meaning. A front end that no other kind names reads networks.
fn needed_by(kind: &Kind) -> Vec<String> {
    if kind.semantics != NETWORKS {
        return kind.semantics.iter().map(|name| String::from(*name)).collect();
    }
    let others: Vec<&str> =
        KINDS.iter().flat_map(|kind| kind.semantics).copied().filter(|name| *name != "ltl").collect();
    let manifest = std::fs::read_to_string(root().join("crates/input/Cargo.toml")).expect("a manifest");
    let (_, dependencies) = manifest.split_once("[dependencies]").expect("dependencies");
    let names = dependencies.lines().filter_map(|line| line.strip_suffix(".workspace = true"));
    let is_front_end = |name: &&str| root().join("crates").join(name).is_dir() && !COMMON.contains(name);
    names.filter(is_front_end).filter(|name| !others.contains(name)).map(String::from).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Lines of code of a file or folder: no comments, no empty lines, no tests.
fn lines(path: &Path) -> usize {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).expect("a folder").map(|entry| entry.expect("readable").path());
        return entries.map(|entry| lines(&entry)).sum();
    }
    let is_test = path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"));
    if is_test || path.extension().is_none_or(|extension| extension != "rs") {
        return 0;
    }
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    testing::code_lines(&text)
}

fn of_certify(files: &[&str]) -> usize {
    files.iter().map(|file| lines(&root().join("crates/certify/src").join(file))).sum()
}

/// Lines of crates, or of parts of them, in thousands and halves, so that the page does not change with every commit.
fn about(names: &[&str]) -> String {
    let folder = |name: &str| root().join("crates").join(name);
    let source = |name: &str| if name.contains('/') { folder(name) } else { folder(name).join("src") };
    let lines: usize = names.iter().map(|name| lines(&source(name))).sum();
    match lines {
        0..1000 => format!("about {}", lines.div_ceil(100) * 100),
        _ => format!("about {}", (lines + 250) / 500 * 500),
    }
}

fn page() -> String {
    let mut page = String::from(
        "# What is trusted\n\n\
         A proof counts after a checker has accepted it. `highwater-check MODEL CERTIFICATE` is that checker and nothing\n\
         else: no engine is linked into it. What must be right for its answer to be right is listed here, in lines of Rust\n\
         without comments, empty lines and tests. This page is written by `crates/checker/tests/trust.rs`.\n\n\
         ## Checkers\n\n\
         | certificate | what it proves | checked in `crates/certify/src` | lines |\n| --- | --- | --- | --- |\n",
    );
    for kind in &KINDS {
        let files: Vec<String> = kind.files.iter().map(|file| format!("`{file}`")).collect();
        let mut lines = of_certify(kind.files).to_string();
        for inner in KINDS.iter().filter(|other| kind.inner.contains(&other.name)) {
            let _ = write!(lines, ", and the {} of {}", of_certify(inner.files), inner.name);
        }
        let _ = writeln!(page, "| {} | {} | {} | {lines} |", kind.name, kind.proves, files.join(", "));
    }
    let dispatch = DISPATCH.map(|file| format!("`{file}`")).join(", ");
    let _ = writeln!(page, "\nEvery kind also passes through {dispatch}: {} lines.\n", of_certify(&DISPATCH));
    page += "## What they rest on\n\n\
             The text of the model is read by its front end, whose meaning of the text is trusted (it is compared with SPIN,\n\
             gcc and naive interpreters by random tests). Every kind needs the crates in the first row.\n\n\
             | crate | lines | for |\n| --- | --- | --- |\n";
    let _ = writeln!(
        page,
        "| {} | {} | every kind: documents, dispatch, reading, semantics |",
        COMMON.map(|name| format!("`{name}`")).join(", "),
        about(&COMMON)
    );
    let mut others: Vec<String> = KINDS.iter().flat_map(needed_by).collect();
    others.sort_unstable();
    others.dedup();
    for name in others {
        let needed = KINDS.iter().filter(|kind| needed_by(kind).contains(&name)).map(|kind| kind.name);
        let _ = writeln!(page, "| `{name}` | {} | {} |", about(&[&name]), needed.collect::<Vec<_>>().join(", "));
    }
    page += "\nFor C, `certify` makes the clauses of each obligation itself, gate by gate from the operators of the program, and\n\
             checks an LRAT proof that they cannot hold together. The SAT solver of `bitvector` that finds these proofs is linked\n\
             into the checker and not trusted: a wrong proof is rejected; `certify` depends on nothing of it. The steps of a C\n\
             component (`spec`) are expressions of the program itself, as `cfront` reads them. Beyond this workspace the checker\n\
             links `serde_json`, `sha2`, `lang-c`, `thiserror`, `rustc-hash` and `memory-stats`, and it runs on the Rust\n\
             compiler, its standard library and the operating system.\n";
    page
}

#[test]
fn the_page_on_trust_is_true() {
    let (path, page) = (root().join("TRUST.md"), page());
    let was = std::fs::read_to_string(&path).unwrap_or_default();
    if was != page {
        std::fs::write(&path, &page).expect("the page is written");
    }
    assert_eq!(was, page, "TRUST.md was out of date and has been written: read the difference and commit it");
}

#[test]
fn the_checkers_are_small() {
    for kind in &KINDS {
        let lines = of_certify(kind.files);
        assert!(lines > 50 && lines <= kind.most, "{}: {lines} lines, at most {}", kind.name, kind.most);
    }
}

/// A file of `certify` that no kind names would be in no count.
#[test]
fn every_file_of_the_checker_belongs_to_a_kind() {
    let named = KINDS.iter().flat_map(|kind| kind.files).chain(&DISPATCH);
    let named: Vec<PathBuf> = named.map(PathBuf::from).collect();
    let folder = root().join("crates/certify/src");
    let mut work = vec![folder.clone()];
    while let Some(path) = work.pop() {
        let name = path.strip_prefix(&folder).expect("a path in the folder");
        if named.iter().any(|named| named == name) {
            continue;
        }
        if path.is_dir() {
            work.extend(std::fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("readable").path()));
        } else {
            assert_eq!(lines(&path), 0, "{} belongs to no kind", name.display());
        }
    }
}

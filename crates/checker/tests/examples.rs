//! Every certificate that a check of an example writes is accepted by `highwater-check` and by the library, for every kind of
//! certificate that there is.

use highwater::settings::{Channels, Fairness, Settings};
use highwater::{Check, Model, Report, Verdict};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The kinds of certificates that `check` writes.
const KINDS: [&str; 8] = [
    "explored-states",
    "explored-product",
    "searched",
    "flow-weights",
    "queue-invariant",
    "partitions",
    "program-invariant",
    "predicate-abstraction",
];

const LANGUAGES: [&str; 6] = ["pml", "scm", "fsp", "aut", "c", "spec"];

fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|extension| LANGUAGES.iter().any(|known| *known == extension)) {
            found.push(path);
        }
    }
}

/// Longer documents are checked with `HIGHWATER_CORPUS=full` only.
const LONGEST: usize = 100_000;

/// The certificates of a model: of what it states, with channels of any length, of fair runs, and of a formula.
fn certificates(model: &Model) -> Vec<String> {
    let checks = [
        (Settings::default(), ""),
        (Settings { channels: Channels::Unbounded, ..Settings::default() }, "safety,deadlock"),
        (Settings { fair: Fairness::Weak, ..Settings::default() }, "livelock"),
        (Settings::default(), "ltl:[] true,livelock"),
    ];
    // The product of the checker visits all states, even for a formula that holds in every system.
    let open = |report: &Report| {
        let safety = report.finding("safety");
        safety.is_some_and(|f| f.verdict() == Verdict::Inconclusive || f.engine() == Some("fifo"))
    };
    let infinite = Check::new(model).timeout(Duration::from_secs(5)).run().is_ok_and(|report| open(&report));
    let asked = checks.into_iter().filter(|(_, properties)| !(infinite && properties.contains("ltl")));
    let reports = asked.filter_map(|(settings, properties)| {
        let mut check = Check::new(model).settings(settings).timeout(Duration::from_secs(5));
        if !properties.is_empty() {
            check = check.property(properties).ok()?;
        }
        check.run().ok()
    });
    reports.map(|report| report.certificates()).collect()
}

fn checked(model: &Path, certificate: &Path) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_highwater-check"))
        .args(["--timeout", "600"])
        .args([model, certificate])
        .output();
    let output = output.expect("the checker runs");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (output.status.code(), text.concat())
}

/// Checks every certificate of some models; the kinds that there were, and how many claims were accepted.
fn accepted(paths: &[&PathBuf], scratch: &Path) -> (BTreeSet<String>, usize) {
    let (mut kinds, mut accepted) = (BTreeSet::new(), 0);
    for path in paths {
        // Some C files are parts of a specification.
        let Ok(model) = Model::read(path) else { continue };
        for text in certificates(&model) {
            if text.len() > LONGEST && !testing::full_corpus() {
                continue;
            }
            let document: serde_json::Value = serde_json::from_str(&text).expect("a document is JSON");
            let claims = document["certificates"].as_array().expect("a list");
            kinds.extend(claims.iter().map(|claim| claim["kind"].as_str().expect("a kind").to_owned()));
            std::fs::write(scratch, &text).expect("a scratch file");
            let (code, said) = checked(path, scratch);
            let partial = said.lines().any(|line| line.starts_with("partial"));
            let expected = if claims.is_empty() { 2 } else { 3 * i32::from(partial) };
            assert_eq!(code, Some(expected), "{}: {said}", path.display());
            if !claims.is_empty() {
                let verified = highwater::verify(path, &text).expect("the library reads it, too");
                assert_eq!(verified.to_string(), said, "{}", path.display());
                assert_eq!(verified.claims().len(), claims.len());
                accepted += claims.len();
            }
        }
    }
    (kinds, accepted)
}

/// It is the longest test of its executable, so two threads share the models.
#[test]
fn both_programs_accept_every_certificate_of_every_example() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut paths = Vec::new();
    models(&folder, &mut paths);
    let share = &|first: usize| {
        let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("examples-{first}.json"));
        accepted(&paths.iter().skip(first).step_by(2).collect::<Vec<_>>(), &scratch)
    };
    let [(mut kinds, one), (others, two)] = std::thread::scope(|scope| {
        let spawn = |first| std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, move || share(first));
        [0, 1].map(|first| spawn(first).expect("a thread")).map(|thread| thread.join().expect("all are accepted"))
    });
    kinds.extend(others);
    assert_eq!(kinds, KINDS.map(String::from).into(), "{} claims were accepted", one + two);
    assert!(one + two > 150, "{} claims were accepted", one + two);
}

#[test]
fn exit_codes_are_those_of_verify_certificate() {
    let scratch = |name: &str, text: &str| {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, text).expect("a scratch file");
        path
    };
    let text = "chan c = [2] of { byte }; active proctype P() { do :: c!1; c?_ od }";
    let model = scratch("loop.pml", text);
    let report = Check::new(&Model::read(&model).unwrap()).run().unwrap();
    let certificate = report.certificates();
    let code = |model: &Path, certificate: &str| checked(model, &scratch("loop.json", certificate)).0;
    assert_eq!(code(&model, &certificate), Some(0));
    assert_eq!(code(&model, &certificate.replacen("\"states\": ", "\"states\": 1", 1)), Some(1));
    assert_eq!(code(&model, "{}"), Some(2));
    assert_eq!(code(&scratch("other.pml", &text.replace("[2]", "[3]")), &certificate), Some(2));
    assert_eq!(code(&scratch("wrong.pml", "active proctype P() {"), &certificate), Some(2));
    assert_eq!(code(Path::new("missing.pml"), &certificate), Some(2));
    let many = scratch("many.pml", "active [8] proctype P() { byte x; do :: x < 40 -> x++ od }");
    let claim = r#"{"schema":"highwater-certificate/1","model":{"file":"many.pml","sha256":"HASH","defines":[]},
        "certificates":[{"property":"safety","reading":"declared","kind":"searched"}]}"#;
    let claim = claim.replace("HASH", Model::read(&many).unwrap().sha256());
    let output = Command::new(env!("CARGO_BIN_EXE_highwater-check"))
        .args(["--timeout", "1"].map(AsRef::<std::ffi::OsStr>::as_ref))
        .args([&many, &scratch("many.json", &claim)])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stdout));
    for arguments in [&[][..], &["a"], &["a", "b", "c"], &["--sunny", "a", "b"], &["--timeout", "soon", "a", "b"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_highwater-check")).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

//! The examples are tests: every folder of `examples/` says in `expected.toml` what `check` must
//! answer, and the binary is held to it.
//!
//! Each `[[run]]` is called twice. With `--keep-going` every state is seen, so both verdicts and the
//! number of states are facts about the model; where SPIN can read the model, the number is SPIN's. The
//! plain call is what a user types: it stops at the first violation and must come to the same exit code.
//! What the calls leave behind is not taken on trust: a trace must replay, a certificate must be
//! accepted by the checker. Boundedness is requested on its own, where a run expects something of it.
//!
//! A folder without expectations is a failure, not a folder to skip; only the papers' models, communicating machines, labelled
//! structures, C, UML-RT and what is asked of channels of any length have tests of their own (`papers.rs`, `fifo.rs`, `compose.rs`,
//! `programs.rs`, `fifo_promela.rs`, `tables.rs`).

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[test]
fn every_example_has_its_expected_verdicts_and_number_of_states() {
    for run in all_runs() {
        let (code, results) = run.check(&["--engine", "explore", "--reduction", "none", "--keep-going"]);
        assert_eq!(code, run.exit_code, "{run}: exit code");
        for (property, verdict) in [("safety", &run.safety), ("deadlock", &run.deadlock)] {
            let result = result(&results, property);
            assert_eq!(result["verdict"], **verdict, "{run}: {property}");
            if *verdict == "inconclusive" {
                assert_eq!(result["reason"].as_str(), run.reason.as_deref(), "{run}: {property}: why");
            }
            if let Some(states) = run.states {
                assert_eq!(result["stats"]["states"], states, "{run}: {property}: states");
            }
        }
    }
}

#[test]
fn every_example_has_its_expected_bounds() {
    let runs = all_runs();
    for run in runs.iter().filter(|run| !run.boundedness.is_empty()) {
        let (_, results) = run.check(&["-p", "boundedness"]);
        let result = result(&results, "boundedness");
        assert_eq!(result["verdict"], *run.boundedness, "{run}: boundedness");
        let channels = result["channels"].as_array().unwrap();
        let exact = channels.iter().filter(|channel| channel["exact"] == true);
        let exact: Vec<String> =
            exact.map(|channel| format!("{} {}", channel["name"].as_str().unwrap(), channel["reached"])).collect();
        let missing = run.exact.iter().find(|expected| !exact.contains(expected));
        assert_eq!(missing, None, "{run}: channels with an exact bound: {exact:?}");
        let grows = channels.iter().filter(|channel| channel["verdict"] == "unbounded");
        let grows: Vec<&str> = grows.map(|channel| channel["name"].as_str().unwrap()).collect();
        assert_eq!(grows, run.grows, "{run}: channels that grow");
    }
    for run in runs.iter().filter(|run| run.number == 0) {
        assert!(!run.boundedness.is_empty(), "{run}: `boundedness` is missing");
    }
}

#[test]
fn every_violation_of_an_example_is_a_run_that_replays() {
    let mut replayed = 0;
    for run in all_runs() {
        let trace = run.scratch("trace.json");
        let (code, results) = run.check(&["--trace", path(&trace)]);
        assert_eq!(code, run.exit_code, "{run}: exit code of a plain check");
        let mut asked = results.iter().filter(|r| r["advisory"] != true);
        let violated = asked.find(|r| r["verdict"] == "violated").map(|r| r["property"].as_str().unwrap());
        assert_eq!(violated, run.violates.as_deref(), "{run}: what is found first");
        assert_eq!(trace.exists(), violated.is_some(), "{run}: a trace is written for a violation, and only then");
        let Some(property) = violated else { continue };

        let witness = &result(&results, property)["witness"];
        let (steps, problem) = (witness["steps"].as_array().unwrap().len(), witness["problem_code"].as_str().unwrap());
        assert_eq!(Some(steps as u64), run.steps, "{run}: steps of the run");
        let output = highwater(&["simulate", path(&run.model), "--replay", path(&trace)]);
        let said = succeeded(&output, &run);
        assert!(said.contains(&format!("replayed {steps} steps: {problem} ({property},")), "{run}: {said}");
        replayed += 1;
    }
    assert!(replayed > 0, "no example violates anything");
}

#[test]
fn every_proof_of_an_example_is_accepted_by_the_checker() {
    let mut accepted = 0;
    for run in all_runs() {
        let certificate = run.scratch("certificate.json");
        let (_, results) = run.check(&["--keep-going", "--certificate", path(&certificate)]);
        let proved: Vec<&str> =
            results.iter().filter(|r| r["verdict"] == "proved").map(|r| r["property"].as_str().unwrap()).collect();
        let output = highwater(&["verify-certificate", path(&run.model), path(&certificate)]);
        if proved.is_empty() {
            assert_eq!(output.status.code(), Some(2), "{run}: a document without a proof is not accepted");
            continue;
        }
        let said = succeeded(&output, &run);
        for property in proved {
            let line = said.lines().find(|line| line.split_whitespace().nth(1) == Some(property));
            assert!(line.is_some_and(|line| line.starts_with("accepted ")), "{run}: {property}: {said}");
            accepted += 1;
        }
    }
    assert!(accepted > 0, "no example proves anything");
}

#[test]
fn a_certificate_with_another_number_of_states_is_refused() {
    let run = all_runs().remove(0);
    let certificate = run.scratch("tampered.json");
    run.check(&["--keep-going", "--certificate", path(&certificate)]);
    let states = run.states.expect("the first run has a finite state space");
    let text = std::fs::read_to_string(&certificate).unwrap();
    let tampered = text.replace(&format!("\"states\": {states}"), &format!("\"states\": {}", states + 1));
    assert_ne!(tampered, text);
    std::fs::write(&certificate, tampered).unwrap();
    let output = highwater(&["verify-certificate", path(&run.model), path(&certificate)]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn a_trace_is_refused_for_another_model() {
    let runs = all_runs();
    let run = runs.iter().find(|run| run.violates.is_some()).unwrap();
    let other = runs.iter().find(|other| other.model != run.model).unwrap();
    let trace = run.scratch("foreign.json");
    run.check(&["--trace", path(&trace)]);
    let output = highwater(&["simulate", path(&other.model), "--replay", path(&trace)]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn missing_or_empty_expectations_are_an_error() {
    let model = Path::new("m.pml");
    let good = "[[run]]\noptions = [\"-D\", \"N=3\"]  # a comment\nexit_code = 0\nsafety = \"proved\"\ndeadlock = \"proved\"\nstates = 7\n";
    let runs = parse(good, model).unwrap();
    assert_eq!((runs[0].options.len(), runs[0].states, runs[0].safety.as_str()), (2, Some(7), "proved"));

    let refused = |text: &str| parse(text, model).unwrap_err();
    assert_eq!(refused(""), "no [[run]]");
    assert_eq!(refused("# nothing expected\n"), "no [[run]]");
    assert_eq!(refused("[[run]]\n"), "`exit_code` is missing");
    assert_eq!(refused(&good.replace("safety", "savety")), "line 4: unknown key `savety`");
    assert_eq!(refused(&good.replace("states = 7\n", "")), "`states` is missing");
    assert_eq!(refused(&good.replace("states = 7", "states = many")), "line 6: `many` is not a number");
    assert_eq!(refused(&good.replace("safety = \"proved\"", "safety = \"violated\"")), "`violates` is missing");
    assert!(expectations(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-such-example")).is_err());
}

/// One call of `check`, and what must come of it.
#[derive(Debug, Default)]
struct Run {
    model: PathBuf,
    number: usize,
    options: Vec<String>,
    exit_code: i32,
    safety: String,
    deadlock: String,
    states: Option<u64>,
    violates: Option<String>,
    steps: Option<u64>,
    reason: Option<String>,
    boundedness: String,
    exact: Vec<String>,
    grows: Vec<String>,
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.model.display(), self.options.join(" "))
    }
}

impl Run {
    /// Calls `check` with JSON as output; returns the exit code and the results.
    fn check(&self, more: &[&str]) -> (i32, Vec<Value>) {
        let mut arguments = vec!["check", path(&self.model), "--format", "json"];
        arguments.extend(self.options.iter().map(String::as_str));
        arguments.extend(more);
        let output = highwater(&arguments);
        let stdout = String::from_utf8(output.stdout).unwrap();
        let document: Value = serde_json::from_str(&stdout)
            .unwrap_or_else(|e| panic!("{self}: {e}: {stdout}{}", String::from_utf8_lossy(&output.stderr)));
        let code = output.status.code().expect("it was not killed");
        assert_eq!(document["exit_code"], code, "{self}: the document and the process agree");
        (code, document["results"].as_array().unwrap().clone())
    }

    /// A file of this run that does not exist yet.
    fn scratch(&self, name: &str) -> PathBuf {
        let example = self.model.file_stem().unwrap().to_str().unwrap();
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{example}-{}-{name}", self.number));
        let _ = std::fs::remove_file(&file);
        file
    }
}

/// The runs of all examples; a folder that has none is a failure.
fn all_runs() -> Vec<Run> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let entries = std::fs::read_dir(&examples).unwrap().map(|entry| entry.unwrap().path());
    let own_test = |path: &PathBuf| {
        ["papers", "scm", "cfsm", "capsules", "fsp", "unbounded", "c", "programs", "embed"]
            .iter()
            .any(|name| path.ends_with(name))
    };
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir() && !own_test(path)).collect();
    folders.sort();
    assert!(folders.len() >= 8, "there are {} examples in {}", folders.len(), examples.display());
    let of = |folder: PathBuf| expectations(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    folders.into_iter().flat_map(of).collect()
}

/// What a folder expects: it has a model of its own name, a README and `expected.toml`.
fn expectations(folder: &Path) -> Result<Vec<Run>, String> {
    let name = folder.file_name().and_then(|name| name.to_str()).ok_or("a folder without a name")?;
    let model = folder.join(format!("{name}.pml"));
    for file in [&model, &folder.join("README.md")] {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        if text.trim().is_empty() {
            return Err(format!("{} is empty", file.display()));
        }
    }
    let text = std::fs::read_to_string(folder.join("expected.toml")).map_err(|e| format!("expected.toml: {e}"))?;
    parse(&text, &model)
}

/// Reads the part of TOML that expectations need: `[[run]]`, and keys with one value on one line.
fn parse(text: &str, model: &Path) -> Result<Vec<Run>, String> {
    let mut runs: Vec<Run> = Vec::new();
    let mut given: Vec<Vec<String>> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        let wrong = |what: String| format!("line {}: {what}", number + 1);
        if line.is_empty() {
            continue;
        } else if line == "[[run]]" {
            runs.push(Run { model: model.to_owned(), number: runs.len(), ..Run::default() });
            given.push(Vec::new());
            continue;
        }
        let (key, value) = line.split_once('=').ok_or_else(|| wrong(format!("`{line}` is not a key with a value")))?;
        let (run, keys) = runs.last_mut().zip(given.last_mut()).ok_or_else(|| wrong("before [[run]]".into()))?;
        set(run, key.trim(), value.trim()).map_err(wrong)?;
        keys.push(key.trim().to_owned());
    }
    if runs.is_empty() {
        return Err(String::from("no [[run]]"));
    }
    for (run, keys) in runs.iter().zip(&given) {
        let verdicts = [run.safety.as_str(), run.deadlock.as_str()];
        let mut needed = vec!["exit_code", "safety", "deadlock"];
        needed.push(if verdicts.contains(&"inconclusive") { "reason" } else { "states" });
        if verdicts.contains(&"violated") {
            needed.extend(["violates", "steps"]);
        }
        if let Some(missing) = needed.into_iter().find(|needed| !keys.iter().any(|key| key == needed)) {
            return Err(format!("`{missing}` is missing"));
        }
    }
    Ok(runs)
}

fn set(run: &mut Run, key: &str, value: &str) -> Result<(), String> {
    let word = value.trim_matches('"').to_owned();
    let number = value.parse::<u64>().map_err(|_| format!("`{value}` is not a number"));
    match key {
        "options" => run.options = words(key, value)?,
        "exact" => run.exact = words(key, value)?,
        "grows" => run.grows = words(key, value)?,
        "boundedness" => run.boundedness = word,
        "exit_code" => run.exit_code = number? as i32,
        "states" => run.states = Some(number?),
        "steps" => run.steps = Some(number?),
        "safety" => run.safety = word,
        "deadlock" => run.deadlock = word,
        "violates" => run.violates = Some(word),
        "reason" => run.reason = Some(word),
        other => return Err(format!("unknown key `{other}`")),
    }
    Ok(())
}

/// A list of words.
fn words(key: &str, value: &str) -> Result<Vec<String>, String> {
    let list = value.strip_prefix('[').and_then(|v| v.strip_suffix(']')).ok_or(format!("`{key}` is a list"))?;
    let words = list.split(',').map(|word| word.trim().trim_matches('"').to_owned());
    Ok(words.filter(|word| !word.is_empty()).collect())
}

/// The result for a property.
fn result<'a>(results: &'a [Value], property: &str) -> &'a Value {
    results.iter().find(|r| r["property"] == property).unwrap_or_else(|| panic!("there is no answer for {property}"))
}

fn highwater(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_highwater")).args(arguments).output().unwrap()
}

/// The output of a call that must succeed.
fn succeeded(output: &Output, run: &Run) -> String {
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{run}: {said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

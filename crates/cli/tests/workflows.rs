//! Highwater in the workflows of others: the step of GitHub's action, and the hook of pre-commit.

use crate::binary::{path, said, scratch, written};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const GOOD: &str = "active proctype P() { skip }\n";
const BAD: &str = "chan q = [1] of { byte };\nactive proctype P() { q!1; q!2 }\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A command of a shell that finds the tool by its name.
fn shell(script: &str, variables: &[(&str, &str)]) -> Output {
    let tool = Path::new(env!("CARGO_BIN_EXE_highwater")).parent().unwrap();
    let search = format!("{}:{}", path(tool), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.args(["-c", script]).env("PATH", search).envs(variables.iter().copied()).output().unwrap()
}

#[test]
fn the_action_annotates_violations_and_fails_with_their_exit_code() {
    let (good, bad) = (written("action-good.pml", GOOD), written("action-bad.pml", BAD));
    let (report, outputs) = (scratch("action.html"), scratch("action.outputs"));
    let _ = std::fs::remove_file(&outputs);
    let step = format!("bash {}", path(&root().join("action/run.sh")));
    let models = format!("{} {}", path(&good), path(&bad));
    let variables = [
        ("MODELS", models.as_str()),
        ("OPTIONS", "-p deadlock"),
        ("REPORT", path(&report)),
        ("GITHUB_OUTPUT", path(&outputs)),
    ];
    let output = shell(&step, &variables);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("::error file="), "{}", said(&output));
    assert!(std::fs::read_to_string(&report).unwrap().contains("<!doctype html>"));
    assert_eq!(std::fs::read_to_string(&outputs).unwrap(), "exit-code=1\n");
    let variables = [("MODELS", path(&good)), ("GITHUB_OUTPUT", path(&outputs))];
    assert_eq!(shell(&step, &variables).status.code(), Some(0));
    // A list of models may have a line for each.
    let lines = format!("{}\n{}\n", path(&good), path(&bad));
    let output = shell(&step, &[("MODELS", lines.as_str()), ("OPTIONS", "-p\ndeadlock\n")]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
}

#[test]
fn without_models_the_action_tests_what_is_expected() {
    let folder = scratch("action-folder");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("m.pml"), BAD).unwrap();
    let step = format!("bash {}", path(&root().join("action/run.sh")));
    for (verdict, code) in [("violated", 0), ("proved", 1)] {
        let expected = format!("[[model]]\nfile = \"m.pml\"\nexpect = {{ deadlock = \"{verdict}\" }}\n");
        std::fs::write(folder.join("highwater.toml"), expected).unwrap();
        let output = shell(&step, &[("FOLDER", path(&folder))]);
        assert_eq!(output.status.code(), Some(code), "{}", said(&output));
    }
}

#[test]
fn the_hook_refuses_a_model_with_a_violation_and_says_nothing_of_others() {
    let hooks = std::fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let entry = hooks.lines().find_map(|line| line.trim().strip_prefix("entry: ")).unwrap();
    let (good, bad) = (written("hook-good.pml", GOOD), written("hook-bad.pml", BAD));
    let output = shell(&format!("{entry} {}", path(&good)), &[]);
    assert_eq!((output.status.code(), said(&output).as_str()), (Some(0), ""));
    assert_eq!(shell(&format!("{entry} {} {}", path(&good), path(&bad)), &[]).status.code(), Some(1));
}

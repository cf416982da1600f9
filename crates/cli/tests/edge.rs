//! The edge of the command line: standard input, folders, `--quiet`, `--watch`, `test`, and simulation by hand.

use crate::binary::{highwater, path, said, scratch, written};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const GOOD: &str = "byte x;\nactive proctype P() { x = 1; assert(x == 1) }\n";
const BAD: &str = "byte x;\nactive proctype P() { x = 1; assert(x == 2) }\n";

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = scratch(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn save(folder: &Path, name: &str, text: &str) {
    let file = folder.join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

/// Runs the tool with a text on standard input.
fn typed(arguments: &[&str], text: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_highwater"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that is refused does not read what is typed.
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    child.wait_with_output().unwrap()
}

#[test]
fn standard_input_is_a_model_of_the_language_that_is_named() {
    let output = typed(&["check", "-", "--language", "promela", "--format", "json"], BAD);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["model"]["file"], "<stdin>");
    assert_eq!(document["results"][0]["witness"]["problem_at"]["file"], "<stdin>");
    let output = typed(&["show", "-", "--language", "fsp"], "P = (a -> P).\n||S = P.\n");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let program = "int main(void) { int x = 1; if (x != 1) { __VERIFIER_error(); } return 0; }";
    let output = typed(&["check", "-", "--language", "c"], program);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let refused = typed(&["check", "-"], GOOD);
    assert!(refused.status.code() == Some(2) && said(&refused).contains("--language"), "{}", said(&refused));
    let twice = typed(&["check", "-", "-", "--language", "promela"], GOOD);
    assert!(twice.status.code() == Some(2) && said(&twice).contains("once only"), "{}", said(&twice));
}

#[test]
fn a_folder_is_all_models_below_it() {
    let folder = folder("folder");
    save(&folder, "b.pml", GOOD);
    save(&folder, "a/deep/x.pml", BAD);
    save(&folder, "a/one.fsp", "P = (a -> P).\n||S = P.\n");
    save(&folder, "a/part.c", "int f(void);");
    save(&folder, ".hidden/y.pml", BAD);
    save(&folder, "README", "no model");
    let output = highwater(&["check", path(&folder), "--format", "json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let files: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let files: Vec<&str> = files.iter().map(|document| document["model"]["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["a/deep/x.pml", "a/one.fsp", "b.pml"].map(|file| path(&folder.join(file)).to_owned()));
    assert_eq!(output.status.code(), Some(1));
    let empty = self::folder("folder-without-models");
    assert_eq!(highwater(&["check", path(&empty)]).status.code(), Some(2));
    let language = highwater(&["check", path(&folder), "--language", "promela"]);
    assert_eq!(language.status.code(), Some(2), "{}", said(&language));
}

#[test]
fn quiet_prints_what_is_not_proved_and_nothing_else() {
    let (good, bad) = (written("quiet-good.pml", GOOD), written("quiet-bad.pml", BAD));
    let output = highwater(&["check", path(&good), "--quiet"]);
    assert_eq!((output.status.code(), said(&output)), (Some(0), String::new()));
    let output = highwater(&["check", path(&good), path(&bad), "-q", "--max-states", "1"]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.lines().count() == 4 && text.lines().all(|line| line.contains(": ? inconclusive")), "{text}");
    let output = highwater(&["check", path(&bad), "--quiet", "-p", "safety"]);
    let text = said(&output);
    assert_eq!((output.status.code(), text.lines().count()), (Some(1), 1), "{text}");
    assert!(text.starts_with(&format!("{}: ✘ violated safety: ", path(&bad))), "{text}");
    let both = highwater(&["check", path(&bad), "--quiet", "--format", "json"]);
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn models_are_tested_against_the_verdicts_that_are_expected() {
    let folder = folder("expected");
    save(&folder, "good.pml", GOOD);
    save(&folder, "models/bad.pml", &format!("{BAD}\n#ifdef MORE\nltl p {{ [] (x < 3) }}\n#endif\n"));
    let expected = "[[model]]\nfile = \"good.pml\"\n\n[[model]]\nfile = \"models/bad.pml\"\noptions = [\"-D\", \"MORE\"]\n\
                    expect = { safety = \"violated\", \"ltl:[] (x < 1)\" = \"violated\" }\n";
    save(&folder, "highwater.toml", expected);
    let junit = scratch("expected.xml");
    let output = highwater(&["test", path(&folder), "--output", &format!("junit={}", path(&junit))]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("✔ models/bad.pml -D MORE  safety, deadlock, ltl:p, ltl:[] (x < 1)"), "{text}");
    assert!(text.contains("2 models: all as expected"), "{text}");
    let xml = std::fs::read_to_string(&junit).unwrap();
    assert!(xml.contains("tests=\"6\" failures=\"0\" errors=\"0\""), "{xml}");
    assert_eq!(said(&highwater(&["test", path(&folder), "-q"])), "");

    // What is not mentioned is expected to be proved, and what is mentioned must be there.
    save(&folder, "highwater.toml", &expected.replace("safety = \"violated\", ", "livelock = \"proved\", "));
    let output = highwater(&["test", path(&folder), "--quiet", "--output", &format!("junit={}", path(&junit))]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("    safety: expected proved, found violated\n"), "{text}");
    assert!(text.contains("    livelock: expected proved, found inconclusive(not-applicable)\n"), "{text}");
    let xml = std::fs::read_to_string(&junit).unwrap();
    assert!(xml.contains("failures=\"2\"") && xml.contains("expected proved, found violated"), "{xml}");
    save(&folder, "highwater.toml", &expected.replace("safety = \"violated\"", "safety = \"inconclusive(timeout)\""));
    assert!(said(&highwater(&["test", path(&folder)])).contains("expected inconclusive(timeout), found violated"));
}

#[test]
fn expectations_that_make_no_sense_are_no_tests() {
    let folder = folder("senseless");
    save(&folder, "good.pml", GOOD);
    let model = "[[model]]\nfile = \"good.pml\"\n";
    let wrong = [
        ("", "it names no model"),
        ("[[model]]\n", "missing field `file`"),
        ("[[model]]\nfile = \"good.pml\"\nexpected = {}\n", "unknown field `expected`"),
        (&format!("{model}expect = {{ safety = \"provd\" }}\n"), "`provd` is none of"),
        (&format!("{model}expect = {{ savety = \"proved\" }}\n"), "there is no such property"),
        (&format!("{model}options = [\"-p\", \"safety\"]\n"), "properties are those of `expect`"),
        (&format!("{model}options = [\"--watch\"]\n"), "nothing is written"),
        (&format!("{model}options = [\"--nonsense\"]\n"), "unexpected argument"),
        ("[[model]]\nfile = \"missing.pml\"\n", "cannot read missing.pml"),
    ];
    for (text, expected) in wrong {
        save(&folder, "highwater.toml", text);
        let output = highwater(&["test", path(&folder)]);
        assert!(output.status.code() == Some(2) && said(&output).contains(expected), "{text}: {}", said(&output));
    }
    std::fs::remove_file(folder.join("highwater.toml")).unwrap();
    let none = highwater(&["test", path(&folder)]);
    assert!(none.status.code() == Some(2) && said(&none).contains("highwater.toml"), "{}", said(&none));
    let form = highwater(&["test", path(&folder), "--output", "html=x.html"]);
    assert_eq!(form.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn a_model_that_is_watched_is_checked_again_when_it_is_written() {
    let folder = folder("watched");
    save(&folder, "part.h", "#define VALUE 1\n");
    save(&folder, "m.pml", "#include \"part.h\"\nbyte x;\nactive proctype P() { x = 1; assert(x == VALUE) }\n");
    let mut child = Command::new(env!("CARGO_BIN_EXE_highwater"))
        .args(["check", "--watch", path(&folder.join("m.pml"))])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut verdict = || lines.find(|line| line.as_ref().is_ok_and(|line| line.contains(" safety "))).unwrap().unwrap();
    assert!(verdict().contains("proved"));
    std::thread::sleep(std::time::Duration::from_millis(300));
    // An included file counts as well.
    save(&folder, "part.h", "#define VALUE 27\n");
    assert!(verdict().contains("violated"));
    std::thread::sleep(std::time::Duration::from_millis(300));
    save(&folder, "m.pml", "active proctype P() { skip; skip }\n");
    assert!(verdict().contains("proved"));
    let ended = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(ended.success());
    let mut rest = String::new();
    lines.for_each(|line| rest += &line.unwrap_or_default());
    assert_eq!(child.wait().unwrap().code(), Some(0), "{rest}");
    let input = typed(&["check", "-", "--language", "promela", "--watch"], GOOD);
    assert_eq!(input.status.code(), Some(2));
}

#[test]
fn a_simulation_by_hand_goes_back_and_saves() {
    let text = "byte x;\nactive proctype P() { do :: x < 2 -> x++ :: x == 2 -> break od; x = 9 }\n";
    let (file, trace) = (written("hand.pml", text), scratch("hand.json"));
    let _ = std::fs::remove_file(&trace);
    let save = format!("s {}\n", path(&trace));
    let commands = format!("1\n1\nv\nu\nu 1\ng 2\ng 7\n1\n1\nu\nnonsense\n{save}q\n");
    let output = typed(&["simulate", path(&file), "--interactive"], &commands);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    for expected in
        ["x = 1", "after step 1", "after step 0", "after step 2", "the run has 2 steps so far", "3 steps are in"]
    {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert!(said.contains("please give a number from 1 to"), "{said}");
    let mut document = String::new();
    std::fs::File::open(&trace).unwrap().read_to_string(&mut document).unwrap();
    let replayed = highwater(&["simulate", path(&file), "--replay", path(&trace)]);
    let text = self::said(&replayed);
    assert!(replayed.status.code() == Some(0) && text.contains("replayed 3 steps"), "{text}");
}

#[test]
fn columns_show_the_values_of_expressions() {
    let text = "mtype = { low, high }\nmtype level = low;\nbyte x, y = 2;\nchan q = [2] of { byte };\n\
                active proctype P() { x = 1; q!3; level = high; assert(x + y < 3) }\n";
    let (file, trace) = (written("columns.pml", text), scratch("columns.json"));
    highwater(&["check", path(&file), "--trace", path(&trace)]);
    let replay = |columns: &str| highwater(&["simulate", path(&file), "--replay", path(&trace), "--columns", columns]);
    let output = replay("len(q), x + y, level");
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let row = |number: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(number)).unwrap();
        line.split_whitespace().rev().take(3).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("1 "), ["low", "3", "0"], "{text}");
    assert_eq!(row("3 "), ["high", "3", "1"], "{text}");
    assert!(text.lines().next().unwrap().contains("len(q)  x + y  level"), "{text}");
    assert_eq!(replay("nonsense").status.code(), Some(2));
    assert_eq!(replay("<> x").status.code(), Some(2));
}

#[test]
fn a_column_that_cannot_be_read_is_named_and_the_model_is_not_to_blame() {
    let file = written("columns.pml", "chan q = [1] of { byte };\nactive proctype P() { q!1; q!2 }\n");
    let trace = scratch("columns.json");
    highwater(&["check", path(&file), "-p", "deadlock", "--trace", path(&trace)]);
    for (columns, expected) in
        [("len(q), nope", "`nope` is not declared"), ("[] q", "--columns [] q: "), ("(", "--columns (: ")]
    {
        let output = highwater(&["simulate", path(&file), "--replay", path(&trace), "--columns", columns]);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("--columns") && said.contains(expected) && !said.contains("cannot be read"), "{said}");
    }
}

#[test]
fn the_explorer_says_what_else_walks_a_composition() {
    let file = written("composition.fsp", "P = (a -> STOP).\n||S = P.\n");
    let output = highwater(&["view", path(&file)]);
    assert!(output.status.code() == Some(2) && said(&output).contains("simulate --interactive"), "{}", said(&output));
}

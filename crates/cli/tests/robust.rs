//! Input that is meant to hurt: everything ends cleanly, with exit code 2 or 3, inside its limits.

use std::path::PathBuf;
use std::process::{Command, Output};

fn write(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("robust");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

fn check(name: &str, text: &str, arguments: &[&str]) -> Output {
    let path = write(name, text);
    Command::new(env!("CARGO_BIN_EXE_highwater"))
        .arg("check")
        .arg(path)
        .args(arguments)
        .output()
        .expect("the tool runs")
}

/// Exit code 2, and a message with this code and a place.
#[track_caller]
fn refused(name: &str, text: &str, code: &str) {
    let output = check(name, text, &["--timeout", "30s"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{name}: {said}");
    assert!(said.contains(&format!("error[{code}]")), "{name}: {said}");
    assert!(said.contains(&format!("{name}:")), "{name} is named with a line: {said}");
}

#[test]
fn twenty_thousand_nested_parentheses_are_refused() {
    let text = format!("byte x;\ninit {{ x = {}1{} }}\n", "(".repeat(20_000), ")".repeat(20_000));
    refused("parentheses.pml", &text, "P0105");
}

#[test]
fn nested_blocks_and_choices_are_refused() {
    let blocks = format!("init {{ {}skip{} }}\n", "{ ".repeat(20_000), " }".repeat(20_000));
    refused("blocks.pml", &blocks, "P0105");
    let choices = format!("init {{ {}skip{} }}\n", "if :: ".repeat(20_000), " fi".repeat(20_000));
    refused("choices.pml", &choices, "P0105");
}

#[test]
fn a_sum_of_many_terms_is_refused() {
    refused("sum.pml", &format!("int x;\ninit {{ x = {} }}\n", vec!["1"; 100_000].join(" + ")), "P0105");
    refused("negations.pml", &format!("int x;\ninit {{ x = {}1 }}\n", "!".repeat(100_000)), "P0105");
}

#[test]
fn a_macro_bomb_is_refused() {
    let mut text = String::from("#define A0 x x x x x x x x\n");
    for i in 1..14 {
        text += &format!("#define A{i} {}\n", vec![format!("A{}", i - 1); 8].join(" "));
    }
    refused("bomb.pml", &(text + "init { A13 }\n"), "P0018");
}

#[test]
fn a_file_that_includes_itself_is_refused() {
    refused("recursive.pml", "#include \"recursive.pml\"\ninit { skip }\n", "P0017");
}

#[test]
fn an_inline_that_calls_itself_and_inlines_that_double_are_refused() {
    refused("inline.pml", "inline f(x) { f(x) }\ninit { f(1) }\n", "P0114");
    let mut text = String::from("inline f0(x) { skip; skip }\n");
    for i in 1..40 {
        text += &format!("inline f{i}(x) {{ f{p}(x); f{p}(x) }}\n", p = i - 1);
    }
    let output = check("doubling.pml", &(text + "init { f39(1) }\n"), &["--timeout", "30s", "--memory", "500MiB"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn ten_megabytes_end_inside_the_limits() {
    let text = format!("byte x;\nactive proctype P() {{\n{}}}\n", "  x = (x + 1) % 7;\n".repeat(550_000));
    assert!(text.len() > 10_000_000);
    let output = check("large.pml", &text, &["--timeout", "20s", "--memory", "300MiB"]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    let output = check("large.pml", &text, &["--timeout", "1ms"]);
    assert!(matches!(output.status.code(), Some(2 | 3)));
}

#[test]
fn an_infinite_state_space_is_inconclusive() {
    let text = "chan c = [4] of { int };\n\
                active proctype P() { int n; do :: c!n; n++ od }\n\
                active proctype Q() { int a; do :: c?a od }\n";
    let output = check("infinite.pml", text, &["--timeout", "1s", "--memory", "500MiB", "-p", "safety,deadlock"]);
    assert_eq!(output.status.code(), Some(3));
    let unbounded = ["--channels", "unbounded", "--timeout", "20s", "--memory", "100MiB", "-p", "safety,deadlock"];
    let output = check("infinite.pml", text, &unbounded);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stdout).contains("inconclusive"));
}

#[test]
fn endless_atomic_and_deterministic_sequences_end() {
    let output = check("atomic.pml", "int x; init { atomic { do :: x++ od } }\n", &["--timeout", "500ms"]);
    assert_eq!(output.status.code(), Some(3));
    let output = check("closed.pml", "bit x; init { atomic { do :: x = 1 - x od } }\n", &["--timeout", "20s"]);
    assert_eq!(output.status.code(), Some(0), "a loop inside atomic that repeats itself is finite");
    let output = check("d_step.pml", "int x; init { d_step { do :: x++ od } }\n", &["--timeout", "20s"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join("bytes.pml");
    std::fs::write(&path, (0..=255u8).cycle().take(5000).collect::<Vec<u8>>()).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_highwater")).arg("check").arg(path).output().expect("the tool runs");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_missing_file_and_a_folder_are_refused() {
    for path in ["no-such-file.pml", env!("CARGO_TARGET_TMPDIR")] {
        let output =
            Command::new(env!("CARGO_BIN_EXE_highwater")).args(["check", path]).output().expect("the tool runs");
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("cannot read"));
    }
}

#[test]
fn a_jump_that_goes_nowhere_inside_a_step_is_refused() {
    refused("circle.pml", "byte x;\ninit { d_step { x = 1; L: goto L } }\n", "P0221");
    // Too many joins in a row to follow are refused, too: the step must not seem to end before its last statement.
    let text =
        format!("byte x;\ninit {{ d_step {{ {}x = 1{}; x = 2 }} }}\n", "if :: true -> ".repeat(600), " fi".repeat(600));
    refused("joins.pml", &text, "P0221");
}

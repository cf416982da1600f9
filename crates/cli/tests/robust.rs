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
    let folder = env!("CARGO_TARGET_TMPDIR");
    for arguments in [["check", "no-such-file.pml"], ["show", folder], ["simulate", folder]] {
        let output = Command::new(env!("CARGO_BIN_EXE_highwater")).args(arguments).output().expect("the tool runs");
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

/// The document of a check.
fn document(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

#[test]
fn a_limit_while_reading_is_a_result_for_every_property() {
    let text = format!("byte x;\nactive proctype P() {{\n{}}}\n", "x = 1;\n".repeat(100_000));
    let code = format!("int main(void) {{ int x = 0;\n{} return x; }}\n", "if (x) x = 1;\n".repeat(20_000));
    let named = ["boundedness", "ltl:[] (x < 2)"];
    for (file, text, list, expected) in [
        ("long.pml", &text, None, &["safety", "deadlock"][..]),
        ("long.pml", &text, Some("boundedness,ltl:[] (x < 2)"), &named[..]),
        ("long.c", &code, None, &["safety"][..]),
    ] {
        let mut arguments = vec!["--timeout", "1ms", "--format", "json"];
        arguments.extend(list.iter().flat_map(|list| ["-p", list]));
        let output = check(file, text, &arguments);
        assert_eq!(output.status.code(), Some(3), "{file}");
        let document = document(&output);
        let results = document["results"].as_array().cloned().unwrap_or_default();
        let properties: Vec<&str> = results.iter().filter_map(|result| result["property"].as_str()).collect();
        assert_eq!(properties, expected, "{document}");
        let open = |result: &serde_json::Value| result["verdict"] == "inconclusive" && result["reason"] == "timeout";
        assert!(results.iter().all(open), "{document}");
    }
}

#[test]
fn many_statements_of_c_in_a_row_or_in_a_chain_are_read_within_the_time() {
    let chain: String = (0..20_000).map(|i| format!("else if (x == {i}) y = 1;\n")).collect();
    let row = "if (x) y = 1;\n".repeat(50_000);
    for (name, body) in [("chain.c", format!("if (x < 0) y = 2;\n{chain}")), ("row.c", row)] {
        let text = format!("int nd(void);\nint main(void) {{ int x = nd(), y = 0;\n{body} return y; }}\n");
        let start = std::time::Instant::now();
        let output = check(name, &text, &["--timeout", "2s"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 3)), "{name}: {said}");
        assert!(!said.contains("nested"), "{name}: {said}");
        assert!(start.elapsed().as_secs() < 20, "{name}: {:?}", start.elapsed());
    }
}

/// A producer that never waits.
const GROWS: &str = "chan c = [2] of { byte };
active proctype P() { do :: c!1 od }
active proctype Q() { do :: c?1 od }\n";

#[test]
fn all_names_boundedness_and_an_empty_list_names_nothing() {
    let code = |arguments: &[&str]| check("grows.pml", GROWS, arguments).status.code();
    assert_eq!(code(&[]), Some(0), "advice does not count");
    assert_eq!(code(&["-p", "all"]), Some(1));
    assert_eq!(code(&["-p", "all", "--engine", "explore"]), Some(1));
    for list in ["", ","] {
        assert_eq!(code(&["-p", list]), Some(2), "{list}");
    }
    let output = check("grows.pml", GROWS, &["-p", "all,ltl:[] (len(c) < 3)", "--format", "json"]);
    let results = document(&output)["results"].as_array().cloned().unwrap_or_default();
    let properties: Vec<&str> = results.iter().filter_map(|result| result["property"].as_str()).collect();
    assert_eq!(properties, ["safety", "deadlock", "ltl:[] (len(c) < 3)", "boundedness"]);
}

const MACHINES: &str = "scm m : nb_channels = 1 ; parameters : int a ;
automaton p : initial : 0 state 0 : to 0 : when true , 0 ! a ;
automaton q : initial : 0 state 0 : to 0 : when true , 0 ? a ;\n";

#[test]
fn a_limit_on_memory_and_an_engine_go_for_boundedness_of_machines() {
    let output = check("m.scm", MACHINES, &["-p", "boundedness", "--memory", "0", "--format", "json"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(document(&output)["results"][0]["reason"], "memory");
    let output = check("m.scm", MACHINES, &["-p", "boundedness", "--engine", "explore", "--format", "json"]);
    assert_eq!(document(&output)["results"][0]["engine"], "explore");
    let output = check("m.scm", MACHINES, &["-p", "boundedness", "--engine", "fifo", "--format", "json"]);
    assert_eq!((output.status.code(), &document(&output)["results"][0]["reason"]), (Some(3), &"not-supported".into()));
    // What is only advice is not given by an engine that was not chosen.
    let output = check("m.scm", MACHINES, &["--engine", "fifo", "--format", "json"]);
    assert!(!String::from_utf8_lossy(&output.stdout).contains("boundedness"));
}

#[test]
fn a_file_that_cannot_be_written_is_seen_before_the_work() {
    let endless = "int x; active proctype P() { do :: x++ od }\n";
    for option in ["--trace", "--certificate", "--c-test"] {
        for path in ["/nonexistent/file", "/"] {
            let start = std::time::Instant::now();
            let output = check("endless.pml", endless, &[option, path, "--timeout", "60s"]);
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{option} {path}: {said}");
            assert!(said.contains(&format!("cannot write {path}")), "{said}");
            assert!(start.elapsed().as_secs() < 30, "{option} {path}");
        }
    }
}

#[test]
fn what_is_no_formula_is_bad_usage_for_c_too() {
    let text = "int main(void) { int x = 1; if (x == 2) reach_error(); return 0; }\n";
    assert_eq!(check("f.c", text, &["-p", "ltl:[]("]).status.code(), Some(2));
    assert_eq!(check("f.c", text, &["-p", "ltl:[] p"]).status.code(), Some(3));
}

#[test]
fn a_message_that_no_process_sends_is_named() {
    let text = "mtype = { a, b }; chan c = [2] of { mtype, byte }, d = [1] of { mtype, byte }; byte n;
active proctype P() { c!a,n; d!b,1 }
active proctype Q() { do :: c?a,_ :: c?b,_ :: d?b,2 :: d?b,_ od }\n";
    let output = check("unsent.pml", text, &[]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let hint = said.lines().find(|line| line.contains("no process sends")).unwrap_or_default();
    assert!(hint.contains("`c?b,_`") && hint.contains("`d?b,2`"), "{said}");
    assert!(!hint.contains("`c?a,_`") && !hint.contains("`d?b,_`"), "{said}");
    // A channel that has another name where it is sent to.
    let aliased = "mtype = { a, b }; chan c = [2] of { mtype };
proctype P(chan p) { p!b } init { run P(c); c?b }\n";
    let output = check("aliased.pml", aliased, &[]);
    assert!(!String::from_utf8_lossy(&output.stdout).contains("no process sends"));
}

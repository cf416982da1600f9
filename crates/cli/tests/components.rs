//! C components as a user sees them: verdicts, runs, tests, certificates and refusals, through the binary.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use testing::judge;

fn highwater(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_highwater")).args(arguments).output().unwrap()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap() + &String::from_utf8(output.stderr.clone()).unwrap()
}

/// A folder of its own for each test, with these files; the first is the specification.
fn written(folder: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("components").join(folder);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    folder.join(files[0].0)
}

/// The exit code and the document.
fn check(file: &Path, more: &[&str]) -> (i32, Value) {
    let mut arguments = vec!["check", path(file), "--format", "json"];
    arguments.extend(more);
    let output = highwater(&arguments);
    let document = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", said(&output)));
    (output.status.code().unwrap(), document)
}

/// Compiles a test and runs it; its status.
fn status_of(test: &Path) -> Option<i32> {
    judge::exit_code_of_c(test, &test.with_extension("out"))
}

/// `save conforms to ALLOWED` is asked as `conformance:save to ALLOWED`, and a name as a formula.
fn property(question: &str) -> String {
    match question {
        "deadlock" | "safety" => String::from(question),
        _ if question.contains(" conforms to ") => format!("conformance:{}", question.replace(" conforms to ", " to ")),
        _ => format!("ltl:{question}"),
    }
}

/// More lines of C than this are looked at only with `HIGHWATER_CORPUS=full`.
const FEW_LINES: usize = 300;

/// How many lines the C files of a specification have.
fn lines_of_c(file: &Path) -> usize {
    let text = std::fs::read_to_string(file).unwrap();
    let named = text.split('"').filter(|name| name.ends_with(".c"));
    let texts = named.map(|name| std::fs::read_to_string(file.with_file_name(name)).unwrap_or_default());
    texts.map(|text| text.lines().count()).sum()
}

#[test]
fn the_examples_answer_what_their_table_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c");
    let table = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let full = testing::full_corpus();
    let scratch = written("table", &[("empty", "")]);
    let document = scratch.with_file_name("document.json");
    let mut rows = 0;
    for row in table.lines().filter(|line| line.contains(".spec |")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let (file, property, expected) = (folder.join(cells[0]), property(cells[1]), cells[2]);
        if !full && lines_of_c(&file) > FEW_LINES {
            continue;
        }
        let option = if expected == "fails" { "--trace" } else { "--certificate" };
        let _ = std::fs::remove_file(&document);
        let (code, found) = check(&file, &["-p", &property, option, path(&document), "--timeout", "5m"]);
        let result = &found["results"][0];
        assert_eq!(result["property"], property.as_str(), "{row}");
        match (expected, result["verdict"].as_str()) {
            ("holds", Some("proved")) => {
                assert_eq!(code, 0, "{row}");
                let verified = highwater(&["verify-certificate", path(&file), path(&document)]);
                assert_eq!(verified.status.code(), Some(0), "{row}: {}", said(&verified));
                assert!(said(&verified).contains("refuted"), "{}", said(&verified));
            }
            ("vacuous", Some("vacuous")) => assert_eq!(code, 3, "{row}"),
            ("fails", Some("violated")) => {
                assert_eq!(code, 1, "{row}");
                let replayed = highwater(&["simulate", path(&file), "--replay", path(&document)]);
                assert_eq!(replayed.status.code(), Some(0), "{row}: {}", said(&replayed));
                assert!(said(&replayed).contains("replayed "), "{}", said(&replayed));
            }
            (_, found) => panic!("{row}: {found:?}, {}", result["reason"]),
        }
        rows += 1;
    }
    assert!(rows > 20, "{rows}");
}

const PAIR: &str = "\
int __VERIFIER_nondet_int(void);
void assert(int holds);
void take(void);
void give(void);
int level = 0;
void first(void) {
  while (1) {
    int wanted = __VERIFIER_nondet_int();
    if (wanted < 0 || wanted > 3) continue;
    take();
    level = wanted;
    assert(level <= 3);
    give();
  }
}
void second(void) {
  while (1) {
    take();
    give();
  }
}
void careless(int start) {
  int wanted = __VERIFIER_nondet_int();
  if (start == 7 && wanted == start + 2) {
    take();
    level = wanted;
  }
  assert(level <= 8);
}
";

const PAIR_SPEC: &str = "\
file \"pair.c\";
program = (first || second)
ltl Low { [] {first.level <= 3} }
ltl Ends { [] (take -> <> give) }
ltl Five { [] {first.level != 2} }
";

fn pair(folder: &str) -> PathBuf {
    written(folder, &[("pair.spec", PAIR_SPEC), ("pair.c", PAIR)])
}

#[test]
fn everything_that_a_specification_has_is_checked() {
    let (code, document) = check(&pair("everything"), &[]);
    let verdicts: Vec<(String, String)> = document["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| (result["property"].as_str().unwrap().into(), result["verdict"].as_str().unwrap().into()))
        .collect();
    let expected = [
        ("deadlock", "proved"),
        ("safety", "proved"),
        ("ltl:Low", "proved"),
        ("ltl:Ends", "proved"),
        ("ltl:Five", "violated"),
    ];
    let expected: Vec<(String, String)> = expected.iter().map(|&(p, v)| (p.into(), v.into())).collect();
    assert_eq!((code, verdicts), (1, expected), "{document}");
    assert_eq!(document["model"]["language"], "spec");
    let stats = &document["results"][1]["stats"];
    assert!(stats["obligations"].as_u64().unwrap() > 0 && stats["solver_calls"].as_u64().unwrap() > 0, "{stats}");
    assert_eq!(stats["checked_by"], "LRAT proofs");
    let witness = &document["results"][4]["witness"];
    assert_eq!((&witness["kind"], &witness["problem_code"]), (&"components-run".into(), &"formula".into()));
    assert!(witness["loop_from"].is_u64(), "{witness}");
}

#[test]
fn a_formula_of_the_command_line_is_asked() {
    let file = pair("asked");
    let (code, document) = check(&file, &["-p", "ltl:[] {first.level >= 0}"]);
    assert_eq!((code, &document["results"][0]["verdict"]), (0, &"proved".into()), "{document}");
    let written = file.with_extension("json");
    for (formula, option, code) in [("[] {first.level >= 0}", "--certificate", 0), ("[] !give", "--trace", 1)] {
        let output = highwater(&["check", path(&file), "-p", &format!("ltl:{formula}"), option, path(&written)]);
        assert_eq!(output.status.code(), Some(code), "{}", said(&output));
        let again = match option {
            "--trace" => highwater(&["simulate", path(&file), "--replay", path(&written)]),
            _ => highwater(&["verify-certificate", path(&file), path(&written)]),
        };
        assert_eq!(again.status.code(), Some(0), "{formula}: {}", said(&again));
    }
    // Both parts have a variable `level`.
    let output = highwater(&["check", path(&file), "-p", "ltl:[] {level >= 0}"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("M0203"), "{}", said(&output));
}

#[test]
fn questions_that_are_not_answered_say_why() {
    let file = pair("unanswered");
    let (code, document) = check(&file, &["-p", "boundedness,reception"]);
    assert_eq!(code, 3);
    assert_eq!(document["results"][0]["detail"], "C components have no channels");
    let (code, document) = check(&file, &["-p", "conformance"]);
    assert_eq!((code, &document["results"][0]["reason"]), (3, &"not-applicable".into()));
    for (flags, words) in [
        (&["-p", "safty"][..], "did you mean `safety`?"),
        (&["-p", "ltl:Lwo"][..], "did you mean `Low`?"),
        (&["--channels", "unbounded"][..], "does not apply to C components"),
        (&["--system", "P"][..], "one `program`"),
        (&["--entry", "first"][..], "names its procedures"),
        (&["--c-faults"][..], "does not apply to C components"),
        (&["--method", "cegar"][..], "paper, refine and minimise"),
    ] {
        let output = highwater(&[&["check", path(&file)], flags].concat());
        assert_eq!(output.status.code(), Some(2), "{flags:?}: {}", said(&output));
        assert!(said(&output).contains(words), "{flags:?}: {}", said(&output));
    }
    let conforms = written(
        "conforms",
        &[
            ("a.spec", "file \"a.c\";\nS = (x -> S).\nconforms serve to S;\n"),
            ("a.c", "void x(void);\nvoid serve(void) { x(); }\n"),
        ],
    );
    let simulated = highwater(&["simulate", path(&conforms)]);
    assert_eq!(simulated.status.code(), Some(2), "{}", said(&simulated));
    assert!(said(&simulated).contains("has no program"), "{}", said(&simulated));
    let output = highwater(&["check", path(&conforms), "-p", "conformance:sreve"]);
    assert!(said(&output).contains("did you mean `serve`?"), "{}", said(&output));
    for name in ["conformance", "conformance:serve", "conformance:serve to S"] {
        let (code, document) = check(&conforms, &["-p", name]);
        assert_eq!((code, &document["results"][0]["property"]), (0, &"conformance:serve to S".into()), "{document}");
    }
    let (code, document) = check(&conforms, &["-p", "deadlock"]);
    assert_eq!((code, &document["results"][0]["detail"]), (3, &"the specification has no program".into()));
}

#[test]
fn what_cannot_be_read_is_named_with_its_place() {
    let spec = "file \"a.c\";\nprogram = (p)\n";
    // Folder and files; the code, and the file and line that it points at.
    type Case<'c> = (&'c str, &'c [(&'c str, &'c str)], &'c str, &'c str, Option<u64>);
    let cases: [Case<'_>; 7] = [
        ("missing", &[("a.spec", spec)], "M0003", "a.spec", Some(1)),
        ("broken", &[("a.spec", spec), ("a.c", "void p(void) {\n  int x = ;\n}\n")], "C0001", "a.c", Some(2)),
        ("include", &[("a.spec", spec), ("a.c", "int x;\n#include \"nowhere.h\"\n")], "C0003", "a.c", Some(2)),
        (
            "unsupported",
            &[("a.spec", spec), ("a.c", "double y;\nvoid p(void) {\n  y = y + 0.5;\n}\n")],
            "C0201",
            "a.c",
            Some(3),
        ),
        (
            "routine",
            &[
                ("a.spec", "file \"a.c\";\nL = (x -> STOP).\ncproc lokc { abstract { A, (1), L }; }\nprogram = (p)\n"),
                ("a.c", "int lock(void);\nvoid p(void) { lock(); }\n"),
            ],
            "M0102",
            "a.spec",
            Some(3),
        ),
        (
            "procedure",
            &[("a.spec", "file \"a.c\";\nprogram = (q)\n"), ("a.c", "void p(void) { }\n")],
            "M0103",
            "a.spec",
            Some(2),
        ),
        (
            "syntax",
            &[("a.spec", "file \"a.c\"\nprogram = (p)\n"), ("a.c", "void p(void) { }\n")],
            "M0001",
            "a.spec",
            Some(2),
        ),
    ];
    for (folder, files, code, place, line) in cases {
        if folder == "include" && !judge::has_compiler() {
            continue;
        }
        let file = written(folder, files);
        let (exit, document) = check(&file, &[]);
        let errors = document["errors"].as_array().unwrap();
        let error = errors.iter().find(|error| error["severity"] == "error").unwrap();
        assert_eq!((exit, error["code"].as_str()), (2, Some(code)), "{folder}: {document}");
        assert!(error["at"]["file"].as_str().unwrap().ends_with(place), "{folder}: {document}");
        assert_eq!(error["at"]["line"].as_u64(), line, "{folder}: {document}");
        let explained = highwater(&["explain", code]);
        assert!(explained.status.success() && said(&explained).starts_with(code), "{}", said(&explained));
        assert_eq!(highwater(&["check", path(&file)]).status.code(), Some(2));
    }
}

#[test]
fn messages_show_the_line_and_what_to_do() {
    let files = [("a.spec", "file \"a.c\";\nprogram = (sever)\n"), ("a.c", "void server(void) { }\n")];
    let file = written("golden", &files);
    let output = Command::new(env!("CARGO_BIN_EXE_highwater"))
        .args(["check", "a.spec", "--ascii"])
        .current_dir(file.parent().unwrap())
        .output()
        .unwrap();
    insta::assert_snapshot!(said(&output), @"
    error[M0103]: there is no procedure or process `sever`
     --> a.spec:2:12
      |
    2 | program = (sever)
      |            ^^^^^
      |
      = help: did you mean `server`?

    for more: highwater explain M0103
    ");
}

/// A run as C programs, each of which ends with its status.
#[test]
fn a_run_is_written_as_c_programs_that_do_it() {
    let careless = "file \"pair.c\";\nS = (take -> S).\nprogram = (careless || S)\nconforms first to S;\n";
    let file = written("tested", &[("pair.spec", careless), ("pair.c", PAIR)]);
    let test = file.with_extension("test.c");
    let (code, document) = check(&file, &["-p", "safety", "--c-test", path(&test)]);
    let witness = &document["results"][0]["witness"];
    assert_eq!((code, &witness["problem_code"]), (1, &"assertion".into()), "{document}");
    assert!(witness["problem_at"]["file"].as_str().unwrap().ends_with("pair.c"), "{witness}");
    assert_eq!(witness["parts"][0]["inputs"].as_array().unwrap().len(), 2, "{witness}");
    if !judge::has_compiler() {
        return;
    }
    assert_eq!(status_of(&test), Some(97));

    let (code, document) = check(&file, &["-p", "conformance", "--c-test", path(&test)]);
    let witness = &document["results"][0]["witness"];
    assert_eq!((code, &witness["problem_code"]), (1, &"not-allowed".into()), "{document}");
    assert_eq!(status_of(&test), Some(97));

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c");
    let (code, document) = check(&folder.join("philosophers.spec"), &["-p", "deadlock", "--c-test", path(&test)]);
    assert_eq!(code, 1, "{document}");
    for part in ["a", "b"] {
        assert_eq!(status_of(&test.with_extension(format!("{part}.c"))), Some(97), "{part}");
    }
    let (_, document) = check(&folder.join("left-handed.spec"), &["-p", "ltl:EverybodyEats", "--c-test", path(&test)]);
    let notes = document["results"][0]["advice"].to_string();
    assert!(notes.contains("around its loop twice"), "{notes}");
    assert_eq!(status_of(&test), Some(97), "the one who eats forever");
    let (_, document) = check(&folder.join("session.spec"), &["-p", "ltl:DataAgain", "--c-test", path(&test)]);
    assert_eq!(document["results"][0]["verdict"], "violated", "{document}");
    for part in ["client", "server"] {
        assert_eq!(status_of(&test.with_extension(format!("{part}.c"))), Some(97), "{part}");
    }
}

/// The kernel is the file that is checked, not a simplified copy: it compiles and does what its services say.
#[test]
fn the_kernel_passes_its_own_test() {
    let test = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c/rtos-test.c");
    let folder = written("kernel", &[("empty", "")]);
    assert_eq!(judge::exit_code_of_c(&test, &folder.with_file_name("rtos-test")), Some(0));
}

#[test]
fn a_deadlock_says_who_waits_for_what() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c");
    let (_, document) = check(&folder.join("philosophers.spec"), &["-p", "deadlock"]);
    let witness = &document["results"][0]["witness"];
    assert_eq!(witness["waiting"].as_array().unwrap().len(), 4, "{witness}");
    assert_eq!(witness["circle"].as_array().unwrap().len(), 4, "{witness}");
    let first = &witness["waiting"][0];
    assert_eq!((&first["component"], &first["events"][0]["event"]), (&"a".into(), &"a.take_right".into()), "{first}");
    assert_eq!(first["events"][0]["refused_by"][0]["component"], "TWO", "{first}");
}

#[test]
fn a_certificate_is_accepted_for_its_program_and_for_no_other() {
    let file = pair("certified");
    let certificate = file.with_extension("json");
    let options = ["-p", "safety,deadlock,ltl:Low", "--c-data-model", "lp64"];
    let output = highwater(&[&["check", path(&file), "--certificate", path(&certificate)], &options[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    // How the program is read is in the document.
    let accepted = highwater(&["verify-certificate", path(&file), path(&certificate)]);
    assert_eq!(accepted.status.code(), Some(0), "{}", said(&accepted));
    assert_eq!(said(&accepted).matches("accepted  ").count(), 3, "{}", said(&accepted));
    let other = written("other", &[("pair.spec", PAIR_SPEC), ("pair.c", &PAIR.replace("wanted > 3", "wanted > 4"))]);
    assert_eq!(highwater(&["verify-certificate", path(&other), path(&certificate)]).status.code(), Some(2));
}

#[test]
fn a_corrupted_certificate_is_refused() {
    let file = pair("corrupted");
    let certificate = file.with_extension("json");
    let output = highwater(&["check", path(&file), "-p", "ltl:Low", "--certificate", path(&certificate)]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&certificate).unwrap()).unwrap();
    let change = |what: &str, edit: &dyn Fn(&mut Value)| {
        let mut changed = document.clone();
        edit(&mut changed["certificates"][0]);
        assert_ne!(changed, document, "{what}");
        std::fs::write(&certificate, changed.to_string()).unwrap();
        let output = highwater(&["verify-certificate", path(&file), path(&certificate)]);
        assert_eq!(output.status.code(), Some(1), "{what}: {}", said(&output));
        let said = said(&output);
        assert!(said.contains("refused") || said.contains("there is no data model"), "{what}: {said}");
    };
    fn procedure(claim: &mut Value) -> &mut Value {
        &mut claim["abstraction"]["procedures"][0]
    }
    change("another predicate", &|claim| {
        let nodes = procedure(claim)["nodes"].as_array_mut().unwrap();
        nodes.iter_mut().filter(|node| node.get("constant").is_some()).for_each(|node| node["constant"] = "1".into());
    });
    change("an operation that is not there", &|claim| {
        let nodes = procedure(claim)["nodes"].as_array_mut().unwrap();
        nodes.iter_mut().filter(|node| node.get("op").is_some()).for_each(|node| node["op"] = "bvfoo".into());
    });
    change("a variable that is not there", &|claim| {
        let nodes = procedure(claim)["nodes"].as_array_mut().unwrap();
        nodes.iter_mut().filter(|node| node.get("variable").is_some()).for_each(|node| node["variable"] = 999.into());
    });
    change("a predicate that is no predicate", &|claim| {
        procedure(claim)["predicates"][0] = serde_json::json!([100_000]);
    });
    change("other truths", &|claim| {
        for state in procedure(claim)["states"].as_array_mut().unwrap() {
            let truths: String =
                state["truths"].as_str().unwrap().chars().map(|c| if c == '0' { '1' } else { '0' }).collect();
            state["truths"] = truths.into();
        }
    });
    change("no first state", &|claim| procedure(claim)["initial"] = serde_json::json!([]));
    change("a step less", &|claim| {
        let moves = procedure(claim)["moves"].as_array_mut().unwrap();
        moves.iter_mut().find(|moves| !moves.as_array().unwrap().is_empty()).unwrap().as_array_mut().unwrap().pop();
    });
    change("a step to nowhere", &|claim| {
        let moves = procedure(claim)["moves"].as_array_mut().unwrap();
        moves.iter_mut().find(|moves| !moves.as_array().unwrap().is_empty()).unwrap()[0][1] = 100_000.into();
    });
    change("a procedure less", &|claim| claim["abstraction"]["procedures"] = serde_json::json!([]));
    change("another part", &|claim| procedure(claim)["part"] = 7.into());
    change("a reading that there is not", &|claim| claim["abstraction"]["data_model"] = "ilp16".into());
    change("a component less", &|claim| claim["partitions"] = serde_json::json!([{ "component": 0 }]));
    change("other classes", &|claim| {
        let one = |component: u32| serde_json::json!({ "component": component, "classes": [[0, 0], [1, 0], [2, 0]] });
        claim["partitions"] = serde_json::json!([one(0), one(1), { "parts": [0, 1] }]);
    });
    change("another question", &|claim| claim["property"] = "ltl:Five".into());
    change("a question about runs that end", &|claim| claim["property"] = "conformance:first to S".into());
}

#[test]
fn a_run_is_replayed_for_its_program_and_for_no_other() {
    let file = pair("replayed");
    let trace = file.with_extension("json");
    let output = highwater(&["check", path(&file), "-p", "ltl:Five", "--trace", path(&trace)]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let replay = |file: &Path| highwater(&["simulate", path(file), "--replay", path(&trace)]);
    assert_eq!(replay(&file).status.code(), Some(0), "{}", said(&replay(&file)));
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&trace).unwrap()).unwrap();
    let change = |what: &str, edit: &dyn Fn(&mut Value)| {
        let mut changed = document.clone();
        edit(&mut changed);
        assert_ne!(changed, document, "{what}");
        std::fs::write(&trace, changed.to_string()).unwrap();
        let output = replay(&file);
        assert_eq!(output.status.code(), Some(2), "{what}: {}", said(&output));
    };
    change("other inputs", &|trace| {
        let bits = trace["witness"]["parts"][0]["bits"].as_array_mut().unwrap();
        bits.iter_mut().for_each(|bit| *bit = 1.into());
    });
    change("no inputs", &|trace| trace["witness"]["parts"][0]["bits"] = serde_json::json!([]));
    change("a step less", &|trace| {
        trace["witness"]["steps"].as_array_mut().unwrap().pop();
    });
    change("an event alone", &|trace| {
        let steps = trace["witness"]["steps"].as_array_mut().unwrap();
        let event = steps.iter_mut().find(|step| step["event"].is_string()).unwrap();
        event["step"]["moves"].as_array_mut().unwrap().pop();
    });
    change("events without one of the parts", &|trace| {
        for step in trace["witness"]["steps"].as_array_mut().unwrap() {
            step["step"]["moves"].as_array_mut().unwrap().retain(|one| one[0] == 0);
        }
    });
    change("an event that there is not", &|trace| {
        let steps = trace["witness"]["steps"].as_array_mut().unwrap();
        steps.iter_mut().find(|step| step["event"].is_string()).unwrap()["event"] = "fly".into();
    });
    change("another property", &|trace| trace["property"] = "ltl:Low".into());
    std::fs::write(&trace, document.to_string()).unwrap();
    let other =
        written("not-replayed", &[("pair.spec", PAIR_SPEC), ("pair.c", &PAIR.replace("level = 0", "level = 1"))]);
    assert_eq!(replay(&other).status.code(), Some(2));
}

#[test]
fn a_routine_returns_only_what_its_process_says() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c/writer.spec");
    let trace = written("returned", &[("trace.json", "")]);
    let output = highwater(&["check", path(&file), "-p", "conformance:save_carelessly", "--trace", path(&trace)]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let mut document: Value = serde_json::from_str(&std::fs::read_to_string(&trace).unwrap()).unwrap();
    // The value of `take` after `refused` is not 0; the procedure would go the same way all the same.
    document["witness"]["parts"][0]["bits"][1] = 0.into();
    std::fs::write(&trace, document.to_string()).unwrap();
    let output = highwater(&["simulate", path(&file), "--replay", path(&trace)]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("not possible with these values"), "{}", said(&output));
}

/// A solver that does as a script says, first on the search path.
#[cfg(unix)]
fn with_solver(folder: &str, script: &str, arguments: &[&str]) -> (Output, Duration) {
    use std::os::unix::fs::PermissionsExt;
    let solver = written(folder, &[("z3", script)]);
    std::fs::set_permissions(&solver, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", solver.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_highwater")).args(arguments).env("PATH", path).output().unwrap();
    (output, start.elapsed())
}

#[cfg(unix)]
#[test]
fn a_solver_that_dies_or_hangs_is_no_cross_check() {
    let (dies, hangs) = ("#!/bin/sh\nexit 3\n", "#!/bin/sh\nexec sleep 1000\n");
    let lies = "#!/bin/sh\nwhile read line; do case \"$line\" in *check-sat*) echo sat;; *echo*) echo \"$line\" | sed 's/.*echo \"\\(.*\\)\").*/\\1/';; esac; done\n";
    let program = written(
        "crossed",
        &[("p.c", "void assert(int);\nint main(void) { int i = 0; while (i < 9) i++; assert(i == 9); }\n")],
    );
    for file in [pair("cross-checked"), program] {
        let arguments = ["check", path(&file), "-p", "safety", "--cross-check", "--timeout", "3s"];
        for (name, script) in [("dies", dies), ("hangs", hangs), ("lies", lies)] {
            let (output, time) = with_solver(name, script, &arguments);
            assert_eq!(output.status.code(), Some(3), "{name}: {}", said(&output));
            assert!(said(&output).contains("inconclusive"), "{name}: {}", said(&output));
            assert!(time < Duration::from_secs(30), "{name}: {time:?}");
        }
        let certificate = file.with_extension("json");
        let (output, _) =
            with_solver("unasked", dies, &["check", path(&file), "-p", "safety", "--certificate", path(&certificate)]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        // The checker needs no other solver.
        let (output, _) = with_solver("dies-again", dies, &["verify-certificate", path(&file), path(&certificate)]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(said(&output).contains("refuted"), "{}", said(&output));
    }
}

#[test]
fn limits_are_reasons() {
    let file = pair("limits");
    let (code, document) = check(&file, &["-p", "safety", "--max-states", "2"]);
    assert_eq!((code, &document["results"][0]["reason"]), (3, &"states".into()), "{document}");
    // There is no time to read the files.
    let (code, document) = check(&file, &["-p", "safety", "--timeout", "0s"]);
    assert_eq!((code, &document["errors"][0]["code"]), (3, &"C0005".into()), "{document}");
}

#[test]
fn the_story_of_the_two_levels_is_told() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c");
    let file = folder.join("writer.spec");
    let output = highwater(&["check", path(&file), "-p", "conformance:save", "--trace-refinement", "--stats"]);
    let (lines, shown) = (String::from_utf8(output.stderr).unwrap(), String::from_utf8(output.stdout).unwrap());
    assert!(lines.contains("round 1"), "{lines}");
    assert!(shown.contains("the predicates that conformance:save to ALLOWED needs"), "{shown}");
    assert!(shown.contains("solver calls") && shown.contains("LRAT proofs"), "{shown}");
}

#[test]
fn the_parts_are_shown_as_they_were_understood() {
    let file = pair("shown");
    let text = said(&highwater(&["show", path(&file)]));
    assert!(text.contains("first: ") && text.contains("take → "), "{text}");
    let dot = said(&highwater(&["show", path(&file), "--format", "dot"]));
    assert!(dot.starts_with("digraph") && dot.contains("pair.c:"), "{dot}");
    assert_eq!(highwater(&["show", path(&file), "--what", "channels"]).status.code(), Some(2));
}

#[test]
fn a_formula_without_infinite_runs_is_vacuous() {
    let files = [
        ("a.spec", "file \"a.c\";\nprogram = (p)\nltl Never { [] !x }\n"),
        ("a.c", "void x(void);\nvoid p(void) { x(); }\n"),
    ];
    let (code, document) = check(&written("vacuous", &files), &["-p", "ltl:Never"]);
    assert_eq!((code, &document["results"][0]["verdict"]), (3, &"vacuous".into()), "{document}");
}

/// That `foo` is never called needs a predicate, which the proof of the formula did not.
#[test]
fn a_condition_that_the_program_never_meets_is_vacuous() {
    let text = "void foo(void);\nvoid bar(void);\nint z = 0;\n\
                void p(void) { while (1) { if (z) foo(); bar(); } }\n";
    let spec = "file \"a.c\";\nprogram = (p)\nltl A { [] (foo -> <> bar) }\nltl B { [] (bar -> X <> bar) }\n";
    let file = written("never-met", &[("a.spec", spec), ("a.c", text)]);
    let verdict = |name: &str| check(&file, &["-p", name]).1["results"][0]["verdict"].clone();
    assert_eq!((verdict("ltl:A"), verdict("ltl:B")), ("vacuous".into(), "proved".into()));
}

#[test]
fn a_certificate_holds_for_the_reading_that_it_was_written_for() {
    let file = pair("other-reading");
    let certificate = file.with_file_name("proof.json");
    let (code, document) = check(&file, &["-p", "safety", "--certificate", path(&certificate)]);
    assert_eq!(code, 0, "{document}");
    let verify = |more: &[&str]| highwater(&[&["verify-certificate", path(&file), path(&certificate)], more].concat());
    assert_eq!(verify(&["--c-data-model", "ilp32"]).status.code(), Some(0));
    for other in [&["--c-data-model", "lp64"][..], &["--c-signed-overflow"][..]] {
        let output = verify(other);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(other[0]), "{}", said(&output));
    }
}

/// What the specification says of a routine counts, not its body; in the test as well.
#[test]
fn the_test_of_a_run_sets_the_body_of_a_routine_aside() {
    if !judge::has_compiler() {
        return;
    }
    let text = "void assert(int holds);\nint f(int k) { return k; }\nvoid p(void) { int r = f(1); assert(r == 1); }\n";
    let spec =
        "file \"a.c\";\nS = (a -> return {$0 == 2} -> STOP).\ncproc f { abstract { F, (1), S }; }\nprogram = (p)\n";
    let file = written("set-aside", &[("a.spec", spec), ("a.c", text)]);
    let test = file.with_file_name("test.c");
    let (code, document) = check(&file, &["-p", "safety", "--c-test", path(&test)]);
    assert_eq!(code, 1, "{document}");
    assert_eq!(status_of(&test), Some(97));
}

#[test]
fn files_are_preprocessed_and_belong_to_the_hash() {
    if !judge::has_compiler() {
        return;
    }
    let files = [
        ("a.spec", "file \"a.c\";\nprogram = (p)\n"),
        (
            "a.c",
            "#include \"a.h\"\nvoid assert(int);\nvoid x(void);\nint n = LEVEL;\nvoid p(void) { x(); assert(n < LIMIT); }\n",
        ),
        ("a.h", "#define LEVEL 3\n"),
    ];
    let file = written("hashed", &files);
    let (code, before) = check(&file, &["-p", "safety", "-D", "LIMIT=4"]);
    assert_eq!(code, 0, "{before}");
    assert_eq!(check(&file, &["-p", "safety", "-D", "LIMIT=3"]).0, 1);
    std::fs::write(file.with_file_name("a.h"), "#define LEVEL 4\n").unwrap();
    let (code, after) = check(&file, &["-p", "safety", "-D", "LIMIT=4"]);
    assert_eq!(code, 1);
    assert_ne!(before["model"]["sha256"], after["model"]["sha256"]);
}

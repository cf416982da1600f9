//! C programs as a user sees them: verdicts, runs, tests, certificates and refusals, through the binary.

use crate::binary;
use testing::judge;

use crate::binary::{highwater, path, said, written};
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

/// The exit code and the document.
fn check(file: &Path, more: &[&str]) -> (i32, Value) {
    let (code, document, _) = binary::document(file, more);
    (code, document)
}

const SAFE: &str = "\
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  unsigned i = 0, twice = 0;
  while (i < n) {
    i = i + 1;
    twice = twice + 2;
  }
  if (twice != 2 * i) reach_error();
  return 0;
}
";

const UNSAFE: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int sum = 0, last = 1;
  for (int i = 0; i < 3; i++) {
    int x = __VERIFIER_nondet_int();
    if (x <= last || x > 9) return 0;
    sum += x;
    last = x;
  }
  if (sum == 24) reach_error();
  return 0;
}
";

const LABEL: &str = "\
int main(void) {
  int x;
  if (x > 5 && x < 7) goto ERROR;
  return 0;
ERROR:
  return 1;
}
";

#[test]
fn a_failed_assertion_names_the_part_that_is_false_and_its_values() {
    let text = "extern int __VERIFIER_nondet_int(void);\n#include <assert.h>\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n\
        if (x < 3 || x > 4) return 0;\n  int y = x + 1;\n  assert(x > 0 && !(y > 5 || y * 2 == 10) && x < 9);\n  return 0;\n}\n";
    let output = said(&highwater(&["check", path(&written("parts.c", text))]));
    assert!(output.contains("is true: y = 5"), "{output}");
    let text = text.replace("x > 0 && !(y > 5 || y * 2 == 10) && x < 9", "y > 1 && x < 3");
    let output = said(&highwater(&["check", path(&written("parts.c", &text))]));
    assert!(output.contains("`x < 3` is false: x = "), "{output}");
}

#[test]
fn a_loop_is_proved_safe_by_an_invariant() {
    let file = written("safe.c", SAFE);
    let (code, document) = check(&file, &["-p", "safety"]);
    let result = &document["results"][0];
    assert_eq!((code, result["verdict"].as_str()), (0, Some("proved")), "{document}");
    assert_eq!(document["model"]["language"], "c");
    assert_eq!(document["model"]["data_model"], "ilp32");
    assert_eq!((&document["model"]["entry"], &document["model"]["signed_overflow"]), (&"main".into(), &false.into()));
    assert_eq!((&result["engine"], &result["certificate"]["kind"]), (&"pdr".into(), &"program-invariant".into()));
    let stats = &result["stats"];
    assert!(stats["solver_calls"].as_u64() > Some(0) && stats["iterations"].as_u64() > Some(0), "{stats}");
    assert!(!stats["predicates"].as_array().unwrap().is_empty(), "{stats}");
    assert_eq!(stats["checked_by"], "LRAT proofs");
    let held = stats["invariant"].as_array().unwrap();
    assert!(held.iter().any(|held| held["at"]["line"] == 6 && !held["conditions"].as_array().unwrap().is_empty()));
    assert!(result.get("reading").is_none(), "there are no channels to be read");

    let text = said(&highwater(&["check", path(&file), "--stats", "--ascii"]));
    for part in
        ["C, main(), ilp32, signed overflow wraps", "no error is reached", "that the proof needs", "the invariant"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("channels"), "{text}");
}

#[test]
fn a_violation_is_a_run_with_its_inputs_and_its_place() {
    let (code, document) = check(&written("unsafe.c", UNSAFE), &[]);
    let result = &document["results"][0];
    assert_eq!((code, result["verdict"].as_str()), (1, Some("violated")), "{document}");
    let witness = &result["witness"];
    assert_eq!((&witness["kind"], &witness["problem_code"]), (&"program-run".into(), &"error-call".into()));
    assert_eq!(witness["problem_at"]["line"], 11);
    let inputs = witness["inputs"].as_array().unwrap();
    let inputs = inputs.iter().filter(|input| input["routine"] == "__VERIFIER_nondet_int");
    let values: Vec<&str> = inputs.map(|input| input["value"].as_str().unwrap()).collect();
    assert_eq!(values, ["7", "8", "9"]);
    let steps = witness["steps"].as_array().unwrap();
    assert!(steps.iter().all(|step| step["at"]["line"].is_u64() && step["statement"].is_string()), "{witness}");
    assert!(steps.iter().any(|step| step["at"]["line"] == 8 && step["changed"]["sum"] == "24"), "{witness}");
    assert_eq!(steps.last().unwrap()["statement"], "reach_error()");

    let text = said(&highwater(&["check", path(&written("shown.c", UNSAFE)), "--ascii"]));
    for part in ["sum += x", "sum = 24", "`__VERIFIER_nondet_int` returned 9", "shown.c:11", "violated[error-call]"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn the_test_of_a_violation_fails_when_it_is_compiled() {
    for (name, program, needs) in [("call", UNSAFE, true), ("label", LABEL, true), ("assertion", ASSERTION, false)] {
        let file = written(&format!("{name}.c"), program);
        let (test, binary) = (file.with_extension("test.c"), file.with_extension("test"));
        let _ = std::fs::remove_file(&test);
        let output = highwater(&["check", path(&file), "--c-test", path(&test)]);
        if !needs && !judge::has_compiler() {
            continue;
        }
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(said(&output).contains("it ends with status 97"), "{}", said(&output));
        if !judge::has_compiler() {
            continue;
        }
        // The compiler may have no 32-bit libraries; nothing in these programs depends on the width of `long`.
        assert_eq!(judge::exit_code_of_c(&test, &binary), Some(97), "{name}");
    }
}

const ASSERTION: &str = "\
#include <assert.h>
#define LIMIT 10
int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  assert(x < LIMIT || x > LIMIT + 2);
  return 0;
}
";

#[test]
fn a_text_with_directives_is_preprocessed_and_keeps_its_places() {
    let file = written("include.c", ASSERTION);
    let (code, document) = check(&file, &[]);
    if !judge::has_compiler() {
        assert_eq!((code, &document["errors"][0]["code"]), (2, &"C0002".into()));
        return;
    }
    let witness = &document["results"][0]["witness"];
    assert_eq!((code, &witness["problem_code"]), (1, &"assertion".into()), "{document}");
    assert_eq!((&witness["problem_at"]["line"], &witness["problem_at"]["file"]), (&6.into(), &path(&file).into()));
    // A macro of the command line, and what is included, belong to the model.
    let plain = written("macro.c", "int main(void) { int a[2]; a[N] = 1; return 0; }\n");
    assert_eq!(check(&plain, &["-D", "N=1"]).0, 0);
    assert_eq!(check(&plain, &["-D", "N=2"]).0, 1);
    let header = written("limit.h", "#define LIMIT 3\n");
    let user = written("user.c", "#include \"limit.h\"\nvoid assert(int);\nint main(void) { assert(LIMIT == 3); }\n");
    let (_, before) = check(&user, &[]);
    std::fs::write(&header, "#define LIMIT 4\n").unwrap();
    let (code, after) = check(&user, &[]);
    assert_eq!((&before["results"][0]["verdict"], code), (&"proved".into(), 1));
    assert_ne!(before["model"]["sha256"], after["model"]["sha256"]);
}

#[test]
fn an_error_label_is_an_error() {
    let (code, document) = check(&written("only-label.c", LABEL), &[]);
    let witness = &document["results"][0]["witness"];
    assert_eq!((code, &witness["problem_code"]), (1, &"error-label".into()), "{document}");
    assert_eq!((&witness["inputs"][0]["kind"], &witness["inputs"][0]["value"]), (&"uninitialised".into(), &"6".into()));
}

#[test]
fn what_cannot_be_read_is_named_with_its_place() {
    let cases = [
        ("float.c", "int main(void) {\n  double x = 0.5;\n  return x > 1.0;\n}\n", "C0201", Some(3)),
        ("broken.c", "int main(void) {\n  int x = ;\n}\n", "C0001", Some(2)),
        ("nothing.c", "int mian(void) { return 0; }\n", "C0107", None),
    ];
    for (name, text, code, line) in cases {
        let file = written(name, text);
        let (exit, document) = check(&file, &[]);
        let error = &document["errors"][0];
        assert_eq!((exit, error["code"].as_str()), (2, Some(code)), "{document}");
        if let Some(line) = line {
            assert_eq!(error["at"]["line"], line, "{document}");
        }
        let explained = highwater(&["explain", code]);
        assert!(explained.status.success() && said(&explained).starts_with(code), "{}", said(&explained));
    }
    let (_, document) = check(&written("hint.c", "int mian(void) { return 0; }\n"), &[]);
    assert!(document["errors"][0]["help"][0].as_str().unwrap().contains("mian"), "{document}");
    assert_eq!(check(&written("entry.c", "int mian(void) { return 0; }\n"), &["--entry", "mian"]).0, 0);
}

#[test]
fn faults_count_if_they_are_asked_for_or_if_nothing_is_stated() {
    let text = "int __VERIFIER_nondet_int(void);\nvoid reach_error(void);\nint main(void) {\n  int a[3] = {1, 2, 3};\n  int i = __VERIFIER_nondet_int();\n  int x = a[i];\n  if (x > 3) reach_error();\n  return x;\n}\n";
    let stated = written("stated.c", text);
    let (code, document) = check(&stated, &[]);
    assert_eq!((code, &document["results"][0]["reason"]), (3, &"crash".into()), "{document}");
    let (code, document) = check(&stated, &["--c-faults"]);
    assert_eq!((code, &document["results"][0]["witness"]["problem_code"]), (1, &"index-out-of-range".into()));
    let unstated = written(
        "unstated.c",
        &text.replace("  if (x > 3) reach_error();\n", "").replace("void reach_error(void);\n", ""),
    );
    assert_eq!(check(&unstated, &[]).0, 1);

    let wraps =
        written("wraps.c", "void assert(int);\nint main(void) { int x = 2147483647; x = x + 1; assert(x < 0); }\n");
    assert_eq!(check(&wraps, &[]).0, 0);
    let (code, document) = check(&wraps, &["--c-signed-overflow"]);
    assert_eq!((code, &document["results"][0]["witness"]["problem_code"]), (1, &"signed-overflow".into()));
    let long = written("long.c", "void assert(int);\nint main(void) { assert(sizeof(long) == 4); }\n");
    assert_eq!((check(&long, &[]).0, check(&long, &["--c-data-model", "lp64"]).0), (0, 1));
}

#[test]
fn an_error_that_only_a_fault_hides_is_stated_all_the_same() {
    // Nothing behind the fault is reached, so nothing behind it is in the graph.
    let text = "void reach_error(void);\nint main(void) {\n  int *p = 0;\n  if (*p) reach_error();\n  return 0;\n}\n";
    let file = written("hidden.c", text);
    let (code, document) = check(&file, &[]);
    assert_eq!((code, &document["results"][0]["reason"]), (3, &"crash".into()), "{document}");
    assert_eq!(check(&file, &["--c-faults"]).0, 1);
}

#[test]
fn a_test_has_the_routines_that_the_run_does_not_call() {
    let text = "int __VERIFIER_nondet_int(void);\n_Bool __VERIFIER_nondet_bool(void);\nvoid log_it(int);\nvoid reach_error(void);\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x == 3) reach_error();\n  if (__VERIFIER_nondet_bool()) log_it(x);\n  return 0;\n}\n";
    let file = written("uncalled.c", text);
    let (test, binary) = (file.with_extension("test.c"), file.with_extension("test"));
    assert_eq!(highwater(&["check", path(&file), "--c-test", path(&test)]).status.code(), Some(1));
    if judge::has_compiler() {
        assert_eq!(judge::exit_code_of_c(&test, &binary), Some(97));
    }
}

#[test]
fn old_names_of_engines_are_aliases() {
    let file = written("aliases.c", SAFE);
    for name in ["pdr", "predicates"] {
        let (code, document) = check(&file, &["--engine", name]);
        assert_eq!((code, &document["results"][0]["engine"]), (0, &"pdr".into()), "{name}: {document}");
    }
    for (old, new) in [("predicates", "pdr: "), ("concurrent", "cegar: "), ("Pdr", "pdr: "), ("cegar", "cegar: ")] {
        let text = said(&highwater(&["explain", old]));
        assert!(text.starts_with(new), "{old}: {text}");
    }
}

#[test]
fn what_is_not_for_c_is_said() {
    let file = written("questions.c", SAFE);
    let (code, document) = check(&file, &["-p", "deadlock,ltl:<>p"]);
    assert_eq!(code, 3);
    for (result, reason) in document["results"].as_array().unwrap().iter().zip(["not-applicable", "not-supported"]) {
        assert_eq!(result["reason"], reason, "{result}");
        assert!(result["detail"].as_str().unwrap().contains("C programs"), "{result}");
    }
    let promela = written("model.pml", "active proctype P() { skip }\n");
    for (file, flags) in [
        (&file, &["--channels", "unbounded"][..]),
        (&file, &["--plain"][..]),
        (&promela, &["--c-faults"][..]),
        (&promela, &["--entry", "main"][..]),
    ] {
        let output = highwater(&[&["check", path(file)], flags].concat());
        assert_eq!(output.status.code(), Some(2), "{flags:?}: {}", said(&output));
    }
    assert_eq!(highwater(&["convert", path(&file), "--to", "scm"]).status.code(), Some(2));
    assert!(said(&highwater(&["show", path(&file)])).contains("i := "));
}

#[test]
fn a_certificate_is_accepted_for_its_program_and_for_no_other() {
    let file = written("certified.c", SAFE);
    let certificate = file.with_extension("json");
    let options = ["--c-data-model", "lp64"];
    let output = highwater(&[&["check", path(&file), "--certificate", path(&certificate)], &options[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    // How the program is read is in the document.
    let verify = |file: &Path, certificate: &Path| highwater(&["verify-certificate", path(file), path(certificate)]);
    let accepted = verify(&file, &certificate);
    assert_eq!(accepted.status.code(), Some(0), "{}", said(&accepted));
    assert!(said(&accepted).starts_with("accepted  safety  3 obligations refuted"), "{}", said(&accepted));
    let other = written("other.c", &SAFE.replace("twice + 2", "twice + 3"));
    assert_eq!(verify(&other, &certificate).status.code(), Some(2));
}

#[test]
fn a_corrupted_certificate_is_refused() {
    let file = written("corrupted.c", SAFE);
    let certificate = file.with_extension("json");
    highwater(&["check", path(&file), "--certificate", path(&certificate)]);
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&certificate).unwrap()).unwrap();
    let program = &document["certificates"][0]["program"];
    assert!(!program["nodes"].as_array().unwrap().is_empty(), "{document}");
    let change = |what: &str, edit: &dyn Fn(&mut Value)| {
        let mut changed = document.clone();
        edit(&mut changed["certificates"][0]["program"]);
        assert_ne!(changed, document, "{what}");
        std::fs::write(&certificate, changed.to_string()).unwrap();
        let output = highwater(&["verify-certificate", path(&file), path(&certificate)]);
        assert_eq!(output.status.code(), Some(1), "{what}: {}", said(&output));
        assert!(said(&output).contains("refused"), "{what}: {}", said(&output));
    };
    change("no invariant", &|program| program["conditions"] = Value::Array(Vec::new()));
    change("no conditions", &|program| {
        for held in program["conditions"].as_array_mut().unwrap() {
            held[1] = Value::Array(Vec::new());
        }
    });
    change("a location that is not there", &|program| program["conditions"][0][0] = 100_000.into());
    change("a term that is not there", &|program| {
        program["conditions"].as_array_mut().unwrap().iter_mut().for_each(|held| held[1] = serde_json::json!([100_000]))
    });
    change("a variable that is not there", &|program| {
        let nodes = program["nodes"].as_array_mut().unwrap();
        nodes.iter_mut().filter(|node| node.get("variable").is_some()).for_each(|node| node["variable"] = 999.into());
    });
    change("an operation that is not there", &|program| {
        let nodes = program["nodes"].as_array_mut().unwrap();
        nodes.iter_mut().filter(|node| node.get("op").is_some()).for_each(|node| node["op"] = "bvfoo".into());
    });
    change("a width that does not fit", &|program| {
        let nodes = program["nodes"].as_array_mut().unwrap();
        nodes.iter_mut().filter(|node| node.get("constant").is_some()).for_each(|node| node["width"] = 7.into());
    });
}

/// Reaches its error only with the two factors of a number of 63 bits.
const FACTORS: &str = "\
unsigned __VERIFIER_nondet_uint(void);
void reach_error(void);
int main(void) {
  unsigned long long a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
  if (a < b && a * b == 9633832748884915969ull) reach_error();
  return 0;
}
";

#[test]
fn a_run_that_was_written_is_executed_again() {
    let file = written("replayed.c", UNSAFE);
    let trace = file.with_extension("json");
    assert_eq!(highwater(&["check", path(&file), "--trace", path(&trace)]).status.code(), Some(1));
    let replay = || highwater(&["simulate", path(&file), "--replay", path(&trace)]);
    let output = replay();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("error-call (safety)"), "{}", said(&output));
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&trace).unwrap()).unwrap();
    for bits in [serde_json::json!([]), serde_json::json!([2, 3, 4])] {
        let mut changed = document.clone();
        changed["witness"]["bits"] = bits;
        std::fs::write(&trace, changed.to_string()).unwrap();
        assert_eq!(replay().status.code(), Some(2), "{}", said(&replay()));
    }
    std::fs::write(&trace, document.to_string()).unwrap();
    std::fs::write(&file, UNSAFE.replace("24", "23")).unwrap();
    assert_eq!(replay().status.code(), Some(2));
}

#[test]
fn what_takes_too_long_has_no_answer() {
    let start = Instant::now();
    let (code, document) = check(&written("factors.c", FACTORS), &["--timeout", "1s"]);
    assert_eq!((code, &document["results"][0]["reason"]), (3, &"timeout".into()), "{document}");
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn the_examples_have_the_answers_that_their_table_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/programs");
    let table = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `")).collect::<Vec<_>>();
    let files = std::fs::read_dir(&folder)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|e| e == "c"));
    assert_eq!(files.count(), rows.len());
    for row in rows {
        let (name, rest) = row.split_once("` | ").unwrap();
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        if text.contains("#define") && !judge::has_compiler() {
            continue;
        }
        let (code, document) = check(&folder.join(name), &[]);
        let result = &document["results"][0];
        match rest.strip_prefix("violated: `") {
            Some(problem) => {
                assert_eq!(
                    (code, result["witness"]["problem_code"].as_str()),
                    (1, problem.split('`').next()),
                    "{name}"
                );
            }
            None => assert_eq!((code, result["verdict"].as_str()), (0, rest.split(' ').next()), "{name}"),
        }
    }
}

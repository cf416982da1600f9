//! What surrounds the tool does not change what it says: the stack that the shell gives, the locale, and which other tools
//! are installed.

use crate::binary::{path, written};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROMELA: &str = "chan c = [2] of { byte }; byte x;
active proctype P() { do :: c!1 :: x = 1 - x; assert(x < 2) od }
active proctype Q() { do :: c?_ od }
ltl again { []<> (x == 1) }\n";

/// One message at a time.
const MACHINES: &str = "scm m : nb_channels = 2 ; parameters : int a ;
automaton p : initial : 0 state 0 : to 1 : when true , 0 ! a ; state 1 : to 0 : when true , 1 ? a ;
automaton q : initial : 0 state 0 : to 1 : when true , 0 ? a ; state 1 : to 0 : when true , 1 ! a ;
bad_states : (automaton p : in 0 : true automaton q : in 1 : true)\n";

fn examples(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// A file of every language, none of which needs another tool.
fn files(suite: &str) -> Vec<PathBuf> {
    vec![
        written(&format!("{suite}.pml"), PROMELA),
        written(&format!("{suite}-wrong.pml"), "byte I;\nactive proctype P() { i = 1; İ = 2 }\n"),
        written(&format!("{suite}.c"), "int main(void) { int i = 0; while (i < 9) i++; if (i != 9) reach_error(); }\n"),
        written(&format!("{suite}.scm"), MACHINES),
        examples("fsp/dining-deadlock.fsp"),
        examples("c/handshake.spec"),
    ]
}

fn check(file: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_highwater"));
    command.args(["check", path(file), "--format", "json"]);
    command
}

/// The properties with their verdicts, and what stood on stderr.
fn said(output: &Output) -> String {
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let results = document["results"].as_array().into_iter().flatten();
    let verdicts: Vec<String> = results.map(|r| format!("{} {}\n", r["property"], r["verdict"])).collect();
    verdicts.concat() + &String::from_utf8_lossy(&output.stderr)
}

#[track_caller]
fn same(file: &Path, change: impl Fn(&mut Command)) {
    let usual = check(file).output().unwrap();
    let mut command = check(file);
    change(&mut command);
    let changed = command.output().unwrap();
    assert_eq!(changed.status.code(), usual.status.code(), "{}: {}", file.display(), said(&changed));
    assert_eq!(said(&changed), said(&usual), "{}", file.display());
}

#[test]
fn no_locale_changes_what_is_said() {
    for file in files("locale") {
        for locale in ["C", "POSIX", "tr_TR.UTF-8", "de_DE.UTF-8", "nonsense"] {
            same(&file, |command| {
                command.env("LC_ALL", locale).env("LANG", locale).env("LANGUAGE", "tr:de");
            });
        }
    }
}

#[test]
fn no_other_tool_is_needed_for_a_text_without_directives() {
    for file in files("tools") {
        same(&file, |command| {
            command.env("PATH", "");
        });
    }
}

#[test]
fn a_missing_preprocessor_is_named() {
    let file = written("directive.c", "#define N 3\nint main(void) { return N; }\n");
    let output = check(&file).env("PATH", "").output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("preprocessor"), "{}", said(&output));
}

/// Models that nest as deeply as they may.
fn deep(suite: &str) -> Vec<PathBuf> {
    let nested =
        |open: &str, inner: &str, close: &str, n: usize| format!("{}{inner}{}", open.repeat(n), close.repeat(n));
    vec![
        written(&format!("{suite}-deep.pml"), &format!("byte x;\ninit {{ x = {} }}\n", nested("(", "1", ")", 190))),
        written(&format!("{suite}-if.pml"), &format!("init {{ {} }}\n", nested("if :: ", "skip", " fi", 60))),
        written(
            &format!("{suite}-parentheses.pml"),
            &format!("byte x;\ninit {{ x = {} }}\n", nested("(", "1", ")", 20_000)),
        ),
        written(&format!("{suite}-deep.fsp"), &format!("P = {}.\n", nested("(a -> ", "STOP", ")", 95))),
        written(&format!("{suite}-deep.c"), &format!("int main(void) {{ return {}; }}\n", nested("(", "1", ")", 200))),
        written(
            &format!("{suite}-blocks.c"),
            &format!("int main(void) {{ {} return 0; }}\n", nested("{", ";", "}", 200)),
        ),
    ]
}

#[test]
#[cfg(unix)]
fn a_small_stack_is_enough() {
    for file in files("stack").into_iter().chain(deep("stack")) {
        let usual = check(&file).output().unwrap();
        for kilobytes in [256, 1024] {
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("ulimit -s {kilobytes}; exec \"$@\""), "sh"]);
            shell.arg(env!("CARGO_BIN_EXE_highwater")).args(["check", path(&file), "--format", "json"]);
            let output = shell.env("RUST_MIN_STACK", "65536").output().unwrap();
            let name = format!("{} with a stack of {kilobytes} KiB", file.display());
            assert_eq!(output.status.code(), usual.status.code(), "{name}: {}", said(&output));
            assert_eq!(said(&output), said(&usual), "{name}");
        }
    }
}

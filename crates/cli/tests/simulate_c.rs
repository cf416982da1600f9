//! `simulate` for C: runs at random and by hand, of programs and of components.

use crate::binary;

use crate::binary::{highwater, path, said, written};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c").join(name)
}

/// The exit code and what is printed, with these lines typed.
fn by_hand(file: &Path, lines: &str) -> (i32, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_highwater"))
        .args(["simulate", path(file), "--interactive"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap(), said(&output))
}

const GUESS: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int holds);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  __VERIFIER_assume(x != 12);
  if (x == 123456) reach_error();
  return x;
}
";

#[test]
fn a_program_runs_on_numbers_that_are_typed() {
    let file = written("guess.c", GUESS);
    let (code, text) = by_hand(&file, "123456\n");
    assert!(code == 1 && text.contains("`__VERIFIER_nondet_int` returned 123456"), "{text}");
    assert!(text.contains("violated: ") && text.contains("guess.c:7:"), "{text}");
    let (code, text) = by_hand(&file, "-5\n");
    assert!(code == 0 && text.contains("it returns -5"), "{text}");
    let (code, text) = by_hand(&file, "12\n");
    assert!(code == 0 && text.contains("an assumption does not hold"), "{text}");
    let (code, text) = by_hand(&file, "twelve\nq\n");
    assert!(code == 0 && text.contains("please give a number"), "{text}");
}

#[test]
fn the_same_seed_gives_the_same_run() {
    for file in [written("seed.c", GUESS), example("left-handed.spec")] {
        let run = |seed: &str| said(&highwater(&["simulate", path(&file), "--seed", seed, "--steps", "300"]));
        assert_eq!(run("3"), run("3"));
        let all: std::collections::BTreeSet<String> = (1..30).map(|seed| run(&seed.to_string())).collect();
        assert!(all.len() > 3, "{}", file.display());
    }
}

#[test]
fn components_get_stuck_where_they_can_and_nowhere_else() {
    let stuck = |name: &str, seed: u32| {
        let output = highwater(&["simulate", path(&example(name)), "--seed", &seed.to_string(), "--steps", "2000"]);
        let text = said(&output);
        match output.status.code() {
            Some(1) => text.contains("violated: deadlock") && text.contains("waits at"),
            Some(0) if text.contains("stopped after 2000 steps") => false,
            other => panic!("{other:?}: {text}"),
        }
    };
    assert!((1..20).any(|seed| stuck("philosophers.spec", seed)));
    assert!(!(1..20).any(|seed| stuck("left-handed.spec", seed)));
}

#[test]
fn steps_of_components_are_chosen_by_hand() {
    let (code, text) = by_hand(&example("philosophers.spec"), "1\n1\nq\n");
    assert!(code == 0 && text.contains("  1) ") && text.contains("step 1-"), "{text}");
    let (code, text) = by_hand(&example("philosophers.spec"), "99\nq\n");
    assert!(code == 0 && text.contains("please give a number from 1 to "), "{text}");
}

/// The condition of a return allows one number of four billion: it is found all the same.
#[test]
fn inputs_fit_what_the_specification_says() {
    let folder = binary::scratch("fitting");
    std::fs::create_dir_all(&folder).unwrap();
    let spec = folder.join("fit.spec");
    std::fs::write(
        &spec,
        "file \"fit.c\";\nR = (ask -> return {$0 == 987654 + $1} -> STOP).\ncproc r { abstract { A, (1), R }; }\n\
         program = (p)\n",
    )
    .unwrap();
    std::fs::write(
        folder.join("fit.c"),
        "int r(int n);\nvoid assert(int holds);\nint x;\nvoid p(void) { x = r(3); assert(x == 987657); }\n",
    )
    .unwrap();
    let output = highwater(&["simulate", path(&spec)]);
    let text = said(&output);
    assert!(output.status.code() == Some(0) && text.contains("`r` returned 987657"), "{text}");
    assert!(text.contains("every part has done its work"), "{text}");
    let (code, text) = by_hand(&spec, "1\n1\n1\n5\n987657\nq\n");
    assert!(code == 0 && text.contains("the specification does not allow that"), "{text}");
}

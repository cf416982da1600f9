//! What a procedure must do to conform to a process, and which programs are rejected because their parts share variables.

use crate::common::{ask, checked, read_with, specification};
use cegar::{Outcome, Question};

/// Whether the procedure `p` conforms to `AL`.
#[track_caller]
fn conforms(procedure: &str, process: &str) -> bool {
    let text = format!("void a(void);\nvoid b(void);\n{procedure}\n");
    let spec = format!("file \"p.c\";\n{process}\nconforms p to AL;\nprogram = (p)\n");
    let specification = specification(read_with("test.spec", &spec, &[("p.c", &text)]));
    match ask(&specification, Question::Conformance(0), 20).verdict {
        Outcome::Holds(holds) => {
            checked(&specification, &holds).expect("the proof is accepted");
            true
        }
        Outcome::Fails(violation) => {
            let moves = violation.steps.last().map(|step| &step.moves);
            assert!(moves.is_some_and(|moves| moves.iter().any(|moved| moved.part == 0)), "{violation:?}");
            false
        }
        Outcome::Inconclusive(reason) => panic!("{reason:?}"),
    }
}

#[test]
fn what_the_procedure_never_does_the_process_does_not_do_for_it() {
    assert!(conforms("void p(void) { a(); }", "AL = (a -> AL1 | b -> AL1), AL1 = (a -> STOP)."));
    assert!(conforms("void p(void) { a(); }", "AL = (a -> AL1), AL1 = (b -> STOP)."));
    assert!(!conforms("void p(void) { a(); a(); }", "AL = (a -> AL1), AL1 = (b -> STOP)."));
    assert!(!conforms("void p(void) { a(); b(); }", "AL = (a -> AL1 | b -> AL1), AL1 = (a -> STOP)."));
}

#[test]
fn a_return_that_the_process_only_names_is_not_allowed() {
    let unused = "AL = (b -> AL), UNUSED = (return {$0 == 0} -> STOP).";
    assert!(!conforms("int p(void) { b(); return 7; }", unused));
    assert!(!conforms("int p(void) { b(); return 0; }", unused));
    assert!(conforms("int p(void) { while (1) b(); }", unused));
    assert!(conforms("int p(void) { b(); return 7; }", "AL = (b -> AL)."));
    assert!(conforms("int p(void) { b(); return 0; }", "AL = (b -> AL | return {$0 == 0} -> STOP)."));
    assert!(!conforms("int p(void) { b(); return 7; }", "AL = (b -> AL | return {$0 == 0} -> STOP)."));
}

/// The first error of a program, with the texts of its places.
fn refused(files: &[(&str, &str)], program: &str) -> Option<(String, Vec<String>)> {
    let names: String = files.iter().map(|(name, _)| format!("file \"{name}\";\n")).collect();
    let read = read_with("test.spec", &format!("{names}program = ({program})\n"), files);
    let found = read.diagnostics.iter().find(|diagnostic| diagnostic.is_error())?;
    let spans = std::iter::once(found.primary.span).chain(found.secondary.iter().map(|label| label.span));
    Some((found.code.to_owned(), spans.map(|span| read.sources.text(span).to_owned()).collect()))
}

const WORKERS: &str = "void assert(int); void enter(void); void leave(void);
int count; static int quiet; const int limit = 3; _Thread_local int own;
static int next(void) { static int last; return last++; }
void one(void) { while (1) { enter(); count++; assert(count <= 1); count--; leave(); } }
void two(void) { while (1) { enter(); if (count == 2) leave(); } }
void three(void) { own++; if (limit) enter(); }
void four(void) { quiet = 1; enter(); }
void five(void) { if (quiet) enter(); }
void six(void) { if (next()) enter(); }
";

#[test]
fn what_cannot_be_shared_is_rejected() {
    let workers = |program: &str| refused(&[("w.c", WORKERS)], program);
    assert_eq!(workers("a:six || b:six").map(|(code, _)| code), Some(String::from("M0109")));
    for fine in ["one", "one || four", "one || two", "four || five", "a:one || b:one", "a:three || b:three"] {
        assert_eq!(workers(fine), None, "{fine}");
    }
}

#[test]
fn files_share_what_one_defines_and_another_declares() {
    let (a, b) =
        ("int x; void go(void); void f(void) { x = 1; go(); }", "void go(void); void g(void) { if (x) go(); }");
    let shared = |declared: &str| {
        let files = [("a.c", a), ("b.c", &format!("{declared} {b}"))];
        let text = "file \"a.c\", \"b.c\";\nprogram = (f || g)\n";
        let specification = specification(read_with("s.spec", text, &files));
        specification.shared.iter().map(|variable| variable.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(shared("extern int x;"), ["x"]);
    // No linker puts these together: they are two programs.
    assert!(shared("int x;").is_empty());
    assert!(shared("static int x;").is_empty());
}

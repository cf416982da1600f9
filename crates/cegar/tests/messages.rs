//! What is said about specifications that are wrong: the code, the place, the nearest name.

use crate::common::{ask, read_with, specification};
use cegar::{Outcome, Question};
use model::budget::Budget;
use model::context::Context;
use model::verdict::Reason;

const SERVER: &str = "
int __VERIFIER_nondet_int(void);
void request(void);
void reply(void);
int lock(int which); /* its counterpart is unlock */
_Thread_local struct { int level; } s;
_Thread_local int state = 1;
_Thread_local int table[2];
int shared;
void writer(void) { shared = 1; reply(); }
void reader(void) { if (shared) reply(); }
static void twice(int x) { int inner = x; if (inner) reply(); }
void server(void) { while (1) { request(); state = lock(state); s.level++; table[1] = s.level; twice(table[1]); reply(); } }
void client(void) { while (1) { request(); reply(); } }
";

/// Code, the text at its place, message and hints of the first error.
fn error(spec: &str) -> (String, String, String) {
    let read = read_with("test.spec", spec, &[("server.c", SERVER)]);
    assert!(read.specification.is_none(), "{spec}");
    let found = read.diagnostics.iter().find(|d| d.is_error()).expect("an error");
    let place = read.sources.text(found.primary.span).to_owned();
    (found.code.to_owned(), place, format!("{} / {}", found.message, found.help.join(" / ")))
}

#[track_caller]
fn expect(spec: &str, code: &str, place: &str, words: &str) {
    let (found, at, said) = error(spec);
    assert_eq!((found.as_str(), at.as_str()), (code, place), "{said}");
    assert!(said.contains(words), "{said}");
}

#[test]
fn names_that_are_not_there_are_told_with_the_nearest_ones() {
    expect("file \"server.c\";\nprogram = (sever || client)\n", "M0103", "sever", "`server`");
    expect("file \"server.c\";\nprogram = (server)\nltl A { [] reqest }\n", "M0203", "reqest", "`request`");
    expect("file \"server.c\";\nprogram = (server)\nltl A { [] {sate == 1} }\n", "M0104", "sate", "`state`");
    expect(
        "file \"server.c\";\nL = (a -> L).\ncproc lokc { abstract { A, (1), L }; }\nprogram = (server)\n",
        "M0102",
        "lokc",
        "`lock`",
    );
    expect(
        "file \"server.c\";\ncproc lock { abstract { A, (1), MISSING }; }\nprogram = (server)\n",
        "F0111",
        "MISSING",
        "no process",
    );
    expect(
        "file \"server.c\";\nL = (a -> L).\ncproc unlock { abstract { A, (1), L }; }\nprogram = (server)\n",
        "M0102",
        "unlock",
        "`lock`",
    );
    expect("file \"other.c\";\nprogram = (server)\n", "M0003", "other.c", "no such file");
    expect("file \"server.c\";\nprogram = (server)\nconforms servr to S;\n", "M0103", "servr", "`server`");
    expect("file \"server.c\";\nprogram = (a:server/{x/a.reqest})\n", "M0107", "a.reqest", "prefix");
}

#[test]
fn texts_that_are_not_complete_are_told_with_their_place() {
    expect("file \"server.c\"\nprogram = (server)\n", "M0001", "p", "`;`");
    expect("file \"server.c\";\nprogram = (server\n", "M0001", "", "`)`");
    expect("file \"server.c\";\nprogram = (server)\nltl A { [] request \n", "M0001", "{", "not closed");
    expect("file \"server.c\";\nprogram = (server)\nltl A { [] request && }\n", "M0201", "", "");
    expect(
        "file \"server.c\";\ncproc server { predicte (state == 1); }\nprogram = (server)\n",
        "M0001",
        "predicte",
        "`predicate`",
    );
    expect(
        "file \"server.c\";\ncproc server { predicate (state == ); }\nprogram = (server)\n",
        "M0002",
        "",
        "variable",
    );
    expect("file \"server.c\";\n", "M0101", "", "program");
    expect("file \"server.c\";\nprogram = (server || server)\n", "M0101", "server", "copies");
    expect("program = (server)\nprogram = (server)\n", "M0001", "program", "another");
}

#[test]
fn expressions_that_mean_nothing_are_refused() {
    let with = |guard: &str, condition: &str| {
        format!(
            "file \"server.c\";\nL = (take -> return {{{condition}}} -> STOP).\n\
             cproc lock {{ abstract {{ A, ({guard}), L }}; }}\nprogram = (server)\n"
        )
    };
    expect(&with("$2 == 1", "1"), "M0105", "$2", "1 arguments");
    expect(&with("$0 == 1", "1"), "M0105", "$0", "");
    expect(&with("1", "$0 < $0"), "M0106", "$0 < $0", "no value");
    expect("file \"server.c\";\nprogram = (server)\nltl A { [] {$1 == 2} }\n", "M0105", "$1", "");
    let both = "file \"server.c\";\nprogram = (server || b:server)\nltl A { [] {server.state == b.state} }\n";
    expect(both, "M0204", "{server.state == b.state}", "share no variables");
    let looks = "file \"server.c\";\nprogram = (reader || writer)\nltl A { [] {writer.shared == 1} }\n";
    expect(looks, "M0109", "writer.shared == 1", "assertion");
}

#[test]
fn what_is_not_supported_is_named() {
    let conforms = |condition: &str| {
        format!("file \"server.c\";\nL = (take -> return {{{condition}}} -> STOP).\nconforms server to L;\n")
    };
    expect(&conforms("$1 == 1"), "M0004", "$1 == 1", "`$0`");
    let many: Vec<String> = (0..8).map(|n| format!("return {{$0 == {n}}} -> STOP")).collect();
    let many = format!("file \"server.c\";\nL = ({}).\nconforms server to L;\n", many.join(" | "));
    expect(&many, "M0004", "server to L", "conditions of returns");
}

#[test]
fn processes_that_do_not_fit_are_named() {
    let routine = "file \"server.c\";\nA = (a -> A).\n||B = (A || b:A).\n\
                   cproc lock { abstract { X, (1), B }; }\nprogram = (server)\n";
    expect(routine, "M0108", "B", "single process");
    let part = "file \"server.c\";\nL = (take -> return -> STOP).\nprogram = (server || L)\n";
    expect(part, "M0108", "L", "stand for routines");
    expect("file \"server.c\";\nprogram = (final server)\n", "M0108", "server", "cannot be final");
}

#[test]
fn a_formula_with_two_readings_is_read_with_a_warning() {
    let spec = "file \"server.c\";\nprogram = (server)\nltl A { request || reply && request }\n";
    let read = read_with("test.spec", spec, &[("server.c", SERVER)]);
    assert!(read.specification.is_some());
    assert_eq!(read.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), ["M0202"]);
}

#[test]
fn every_code_has_a_test_and_an_explanation() {
    let tests = include_str!("messages.rs");
    for entry in cegar::codes::ALL.iter() {
        assert!(tests.contains(&format!("\"{}\"", entry.code)), "{}", entry.code);
        assert!(!entry.text.is_empty() && cegar::codes::explain(entry.code) == Some(entry));
    }
}

const LEVELS: &str = "
#define LOW 1
#define HIGH (LOW + 2)
#define WIDE 0xffffffffu
#define TWICE 1
#undef TWICE
#define TWICE 2
enum { CLOSED, OPEN = 5, SHUT = -2 };
enum { LAST = OPEN + 1 };
void request(void);
int level(int which);
_Thread_local int state = CLOSED;
_Thread_local unsigned mask = 0;
void server(void) {
    int OPEN = 7;
    request();
    state = SHUT;
    mask = OPEN;
    level(3);
}
void other(void) { request(); state = LAST; mask = 0xffffffffu; }
";

/// The preprocessor's work on the text above: directives are gone.
fn levels() -> cfront::Input {
    let lines: Vec<&str> = LEVELS.lines().map(|line| if line.starts_with('#') { "" } else { line }).collect();
    let definitions = LEVELS
        .lines()
        .filter_map(|line| line.strip_prefix("#define ")?.split_once(' '))
        .filter(|(name, _)| *name != "TWICE");
    let macros = definitions.map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    cfront::Input { preprocessed: Some(lines.join("\n")), macros, ..cfront::Input::plain("levels.c", LEVELS) }
}

#[test]
fn enumerators_and_macros_of_the_file_are_known_in_expressions() {
    let load = |_: &str| Ok(levels());
    let spec = "file \"levels.c\";\nL = (take -> return {$0 == OPEN} -> STOP).\n\
                cproc level { abstract { A, ($1 == HIGH), L }; }\nprogram = (server || b:other)\n\
                ltl A { [] ({server.state == CLOSED} || {server.state == SHUT}) }\n\
                ltl B { [] ({b.state == CLOSED} || {b.state == LAST && LAST == 6}) }\n\
                ltl C { [] ({b.mask == 0} || {b.mask == WIDE && WIDE > 0 && -1 < 0}) }\n\
                ltl D { [] ({server.mask == 0} || {server.mask == OPEN}) }\n";
    let read = |text: &str| cegar::read("test.spec", text, &cegar::Options::default(), &load);
    let specification = specification(read(spec));
    for number in 0..specification.formulas.len() {
        assert!(matches!(ask(&specification, Question::Formula(number), 20).verdict, Outcome::Holds(_)), "{number}");
    }
    assert!(
        matches!(ask(&specification, Question::Safety, 20).verdict, Outcome::Holds(_)),
        "`$1 == HIGH` covers the call"
    );
    let wrong = read(&spec.replace("state == LAST", "state == LATS"));
    assert_eq!(wrong.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), ["M0104"]);
    let twice = read(&spec.replace("state == LAST", "state == TWICE"));
    assert_eq!(twice.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), ["M0104"], "it has two meanings");
}

#[test]
fn members_elements_and_variables_of_called_procedures_have_names() {
    let spec = "file \"server.c\";\nprogram = (server)\n\
                ltl A { [] ({s.level >= 0} || {server.table[1] != 2} || {twice::inner == 0} || true) }\n";
    let specification = specification(read_with("test.spec", spec, &[("server.c", SERVER)]));
    assert_eq!(specification.propositions.len(), 3);
    assert!(matches!(ask(&specification, Question::Formula(0), 20).verdict, Outcome::Holds(_)));
}

#[test]
fn deadlock_is_refused_where_a_return_depends_on_arguments() {
    let spec = "file \"server.c\";\nL = (take -> return {$1 > 3} -> STOP).\n\
                cproc lock { abstract { A, (1), L }; }\nprogram = (server)\n";
    let specification = specification(read_with("test.spec", spec, &[("server.c", SERVER)]));
    let answer = ask(&specification, Question::Deadlock, 20);
    assert!(matches!(answer.verdict, Outcome::Inconclusive(Reason::NotSupported(_))));
    assert!(matches!(ask(&specification, Question::Formula(7), 20).verdict, Outcome::Inconclusive(_)));
}

#[test]
fn limits_are_reasons() {
    let spec = "file \"server.c\";\nprogram = (server || client)\n";
    let specification = specification(read_with("test.spec", spec, &[("server.c", SERVER)]));
    let ask = |budget: &Budget| {
        let method = compose::Method::Auto;
        match cegar::check(&specification, Question::Deadlock, method, &Context::silent(budget)).verdict {
            Outcome::Inconclusive(reason) => reason,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(ask(&Budget::unlimited().timeout(std::time::Duration::ZERO)), Reason::Timeout);
    assert_eq!(ask(&Budget::unlimited().states(2)), Reason::States);
    let (stopped, stop) = Budget::unlimited().linked();
    stop.cancel();
    assert_eq!(ask(&stopped), Reason::Interrupted);
}

#[test]
fn an_error_of_the_c_file_is_shown_in_the_c_file() {
    let read = read_with("test.spec", "file \"p.c\";\nprogram = (p)\n", &[("p.c", "void p(void) { x = 1; }\n")]);
    assert!(read.specification.is_none());
    let found = &read.diagnostics.iter().find(|d| d.code.starts_with('C')).expect("an error of C");
    assert_eq!(read.sources.describe(found.primary.span), "p.c:1:16");
}

#[test]
fn no_text_makes_the_reader_panic() {
    let whole = "file \"server.c\";\nL = (take -> return {$0 == 1} -> STOP).\ncproc lock { abstract { A, ($1 > 0), L }; }\n\
                 cproc server { predicate (state == 1), (s.level < 3); }\nprogram = (a:server/{x/a.request} || client)\n\
                 ltl A { [] ({a.state == 1} -> <> x) }\nconforms client to L;\n";
    for end in 0..whole.len() {
        read_with("test.spec", &whole[..end], &[("server.c", SERVER)]);
        let without: String = whole.chars().enumerate().filter(|(at, _)| *at != end).map(|(_, c)| c).collect();
        read_with("test.spec", &without, &[("server.c", SERVER)]);
    }
}

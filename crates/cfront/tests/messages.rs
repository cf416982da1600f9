//! What is said about units that cannot be read.
//!
//! The messages are part of the interface, so their wording and the places that they underline are kept in snapshots:
//! one for each example of `cfront::codes`, and a few for units with several errors.
//!
//! `INSTA_UPDATE=always cargo test -p highwater-cfront --test all messages` writes the snapshots again.

use crate::common;

use cfront::codes;
use cfront::{Input, Options, Read};
use model::budget::Budget;
use report::style::Style;
use std::collections::BTreeSet;
use std::path::Path;

fn rendered(read: &Read) -> String {
    report::diagnostics::render(&read.diagnostics, &read.sources, Style::PLAIN)
}

#[test]
fn every_example_gets_its_message_and_no_other() {
    // The preprocessor's own complaint needs one; it has a test below.
    for entry in codes::ALL.iter().filter(|entry| entry.code != "C0003") {
        let late = Budget::unlimited().timeout(std::time::Duration::ZERO);
        let budget = if entry.code == "C0005" { late } else { Budget::unlimited() };
        let options = Options { budget, ..Options::default() };
        let read = cfront::read(&Input::plain("example.c", entry.example), &options);
        let said: BTreeSet<&str> = read.diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(said, BTreeSet::from([entry.code]), "{}", rendered(&read));
        assert!(read.program.is_none(), "{}", entry.code);
        insta::assert_snapshot!(entry.code, rendered(&read));
    }
}

#[test]
fn several_errors_are_shown_in_one_reading() {
    let text = "\
struct point { int x; int y; };
float speed(int a);
int helper(struct point *p) {
    return p->z + undefined_name;
}
int main(void) {
    struct point p = {1, 2, 3};
    union { int i; char c; } u;
    u.i = 3;
    int *q = (int *)4096;
    goto nowhere;
    if (speed(1) > 2.0) return 1;
    return helper(&p) + helper(&p);
}
";
    let read = cfront::read(&Input::plain("several.c", text), &Options::default());
    insta::assert_snapshot!("several_errors", rendered(&read));
}

#[test]
fn what_is_declared_and_not_used_is_not_refused() {
    let text = "
        typedef union { int i; float f; } mixed; double ratio; struct flags { unsigned a : 3; int b; };
        struct node { struct node *next; mixed m; int v; }; int recursive(int n) { return recursive(n - 1); }
        void *malloc(unsigned); int table[100000];
        int main(void) { struct node n; double unused = 0.5; struct flags f; n.v = 3; f.b = 1; return n.v; }";
    common::program(text, &Options::default());
}

#[test]
fn the_preprocessor_complains_with_a_place() {
    if cfront::preprocess::compiler().is_none() {
        return;
    }
    let Some(entry) = codes::explain("C0003") else { panic!("no explanation") };
    let failure = cfront::preprocess::preprocess(Path::new("example.c"), entry.example, cfront::DataModel::Lp64, &[])
        .unwrap_err();
    assert_eq!(failure.diagnostic.code, "C0003");
    assert_eq!(failure.sources.describe(failure.diagnostic.primary.span), "example.c:1:10");
}

#[test]
fn places_are_those_of_the_original_text() {
    if cfront::preprocess::compiler().is_none() {
        return;
    }
    let text = "#include <assert.h>\n#define DOUBLE(x) ((x) + (x))\n#line 700 \"generated.y\"\nint main(void) {\n    \
                /* one */ int x = DOUBLE(2);\n    assert(x == 4); return   missing;\n}\n";
    let input = cfront::preprocess::preprocess(Path::new("macros.c"), text, cfront::DataModel::Lp64, &[]).unwrap();
    let read = cfront::read(&input, &Options { data_model: cfront::DataModel::Lp64, ..Options::default() });
    assert_eq!(read.diagnostics.len(), 1, "{}", rendered(&read));
    let span = read.diagnostics[0].primary.span;
    assert_eq!(read.sources.describe(span), "macros.c:6:30");
    assert_eq!(read.sources.text(span), "missing");
}

#[test]
fn an_unknown_entry_is_named() {
    let options = Options { entries: vec![String::from("strt")], ..Options::default() };
    let read = cfront::read(&Input::plain("a.c", "int start(void) { return 0; }"), &options);
    assert_eq!(read.diagnostics[0].code, "C0107");
    assert_eq!(read.diagnostics[0].help, ["did you mean `start`?"]);
}

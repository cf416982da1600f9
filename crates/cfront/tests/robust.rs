//! Texts that no one writes: absurdly deep, long, wide. Each is read or refused with a place, in seconds.

use cfront::{Input, Options};
use model::budget::Budget;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// What is said about a text: the code of the first error, or `read`.
fn said(text: &str) -> String {
    let start = Instant::now();
    let read = cfront::read(&Input::plain("huge.c", text), &Options::default());
    assert!(start.elapsed() < Duration::from_secs(30), "it took {:?}", start.elapsed());
    match read.diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
        Some(first) => {
            let span = first.primary.span;
            assert!(span.end > span.start && (span.start as usize) <= text.len(), "{first:?}");
            String::from(first.code)
        }
        None => {
            assert!(read.program.is_some());
            String::from("read")
        }
    }
}

fn main_with(body: &str) -> String {
    format!("int main(void) {{ int x = 0;\n{body}\nreturn x; }}\n")
}

#[test]
fn deep_nesting_is_refused_or_read() {
    let many = 100_000;
    for (open, middle, close) in
        [("(", "x", ")"), ("{", "", "}"), ("if (x) ", ";", ""), ("-", "x", ""), ("x ? x : ", "x", "")]
    {
        let body = format!("{}{middle}{};", open.repeat(many), close.repeat(many));
        assert_eq!(said(&main_with(&body)), "C0004", "{open}");
    }
    for depth in [10, 60, 200] {
        assert_eq!(said(&main_with(&format!("x = {}1{};", "(1 + ".repeat(depth), ")".repeat(depth)))), "read");
        assert_eq!(said(&main_with(&format!("{}x++;{}", "{ if (x) ".repeat(depth), "}".repeat(depth)))), "read");
    }
    assert_eq!(said(&"(".repeat(1_000_000)), "C0004");
    assert_eq!(said(&format!("int {}x;", "*".repeat(1_000_000))), "C0004");
    assert!(["C0004", "read"].contains(&said(&main_with(&format!("int y{};", "[1]".repeat(1_000)))).as_str()));
}

#[test]
fn a_file_of_a_hundred_thousand_lines_is_read() {
    let mut procedures = String::new();
    for number in 0..33_000 {
        let _ = writeln!(procedures, "int f{number}(int a) {{\n  return a + {number};\n}}");
    }
    assert_eq!(said(&format!("{procedures}{}", main_with("x = f7(x) + f32999(1);"))), "read");
}

#[test]
fn a_procedure_of_many_statements_is_read() {
    let lines: String = (0..20_000).map(|number| format!("x = x + {number};\n")).collect();
    assert_eq!(said(&main_with(&lines)), "read");
    let branches: String = (0..5_000).map(|number| format!("if (x == {number}) x = {};\n", number + 7)).collect();
    assert_eq!(said(&main_with(&branches)), "read");
}

#[test]
fn giant_objects_are_refused() {
    for text in [
        "int a[1000000000];\nint main(void) { return a[3]; }",
        "long long a[100000][100000][100000][100000];\nint main(void) { return a[1][2][3][4]; }",
        "struct a { int x[4000]; }; struct b { struct a x[4000]; }; struct c { struct b x[4000]; };
         struct d { struct c x[4000]; }; struct e { struct d x[4000]; }; struct e v; int main(void) { return v.x[1].x[2].x[3].x[4].x[5]; }",
    ] {
        assert!(["C0209", "C0102"].contains(&said(text).as_str()), "{text}: {}", said(text));
    }
    let values = vec!["1"; 100_000].join(", ");
    assert_eq!(said(&format!("int a[] = {{{values}}};\n{}", main_with("x = a[5];"))), "C0209");
    assert_eq!(said(&format!("int a[4000] = {{{}}};\n{}", vec!["1"; 4000].join(", "), main_with("x = a[5];"))), "read");
    assert_eq!(said(&main_with(&format!("x = \"{}\"[3];", "s".repeat(1_000_000)))), "C0209");
}

#[test]
fn long_names_and_long_lists_are_read() {
    let name = "n".repeat(1_000_000);
    assert_eq!(said(&main_with(&format!("int {name} = 3; x = {name};"))), "read");
    let locals: String = (0..3_000).map(|number| format!("int v{number} = {number};\n")).collect();
    assert_eq!(said(&main_with(&locals)), "read");
    let cases: String = (0..3_000).map(|number| format!("case {number}: x = {}; break;\n", number * 7)).collect();
    assert_eq!(said(&main_with(&format!("switch (x) {{ {cases} }}"))), "read");
    assert_eq!(said(&main_with("switch (x) { case 0 ... 2000000000: x = 1; }")), "read");
}

#[test]
fn calls_that_double_each_time_are_refused() {
    let mut text = String::from("int f0(int a) { return a + 1; }\n");
    for number in 1..40 {
        let _ = writeln!(text, "int f{number}(int a) {{ return f{0}(a) + f{0}(a + 1); }}", number - 1);
    }
    assert_eq!(said(&format!("{text}{}", main_with("x = f39(x);"))), "C0209");
}

#[test]
fn accesses_that_can_mean_thousands_of_variables_are_read_or_refused() {
    let lines: String = (0..400).map(|_| "a[x & 4095] = a[(x + 1) & 4095] + 1; x = a[x & 4095];\n").collect();
    assert!(["C0209", "read"].contains(&said(&format!("int a[4096];\n{}", main_with(&lines))).as_str()));
    let targets: String =
        (0..500).map(|number| format!("int v{number}; if (x == {number}) p = &v{number};\n")).collect();
    let body = format!("int *p = &x;\n{targets}{}", "*p = *p + 1;\n".repeat(500));
    assert!(["C0209", "read"].contains(&said(&main_with(&body)).as_str()));
}

/// Units that are much larger inside than they look.
fn large_inside() -> [String; 3] {
    let mut structs = String::from("struct s { int v[4000]; };\nstruct s f0(struct s a) { a.v[1]++; return a; }\n");
    for number in 1..12 {
        let _ = writeln!(structs, "struct s f{number}(struct s a) {{ return f{0}(f{0}(a)); }}", number - 1);
    }
    let walk = "p->next = &n[x % 1000]; p = p->next;\n".repeat(300);
    [
        structs + "int main(void) { struct s v = {0}; v = f11(v); return v.v[1]; }\n",
        format!("struct n {{ struct n *next; int v; }} n[1000];\n{}", main_with(&format!("struct n *p = n;\n{walk}"))),
        format!("struct s {{ int v[4000]; }} a, b;\n{}", main_with(&"a = b;\n".repeat(3_000))),
    ]
}

#[test]
fn reading_stops_when_its_time_is_up() {
    for text in large_inside() {
        let start = Instant::now();
        let budget = Budget::unlimited().timeout(Duration::from_millis(300));
        let read = cfront::read(&Input::plain("large.c", text), &Options { budget, ..Options::default() });
        assert!(start.elapsed() < Duration::from_secs(8), "it took {:?}", start.elapsed());
        let codes: Vec<&str> = read.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        assert!(read.program.is_none() && (codes == ["C0005"] || codes[0] == "C0209"), "{codes:?}");
    }
}

#[test]
fn reading_stops_when_it_is_told_to_or_memory_is_up() {
    let [text, ..] = large_inside();
    let (budget, stop) = Budget::unlimited().linked();
    stop.cancel();
    let stopped = Options { budget, ..Options::default() };
    let small = Options { budget: Budget::unlimited().memory(1), ..Options::default() };
    for (options, words) in [(stopped, "interrupted"), (small, "memory")] {
        let read = cfront::read(&Input::plain("large.c", text.clone()), &options);
        let [only] = &read.diagnostics[..] else { panic!("{:?}", read.diagnostics) };
        assert!(only.code == "C0005" && only.message.contains(words), "{only:?}");
    }
}

#[test]
fn fifty_thousand_statements_in_a_row_are_not_nested() {
    for statement in ["if (x) x = 0;\n", "if (x) { x = 0; } else x = 1;\n", "do x++; while (x < 1);\n"] {
        assert_eq!(said(&main_with(&statement.repeat(50_000))), "read", "{statement}");
    }
}

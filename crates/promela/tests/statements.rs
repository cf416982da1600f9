//! Statements are shown as they are executed: with the arguments of inlines in place of parameters, and with what macros
//! stand for.

use model::trace::statement;

fn statements(text: &str) -> Vec<String> {
    let read = promela::read("test.pml", text, &promela::preprocess::Options::default());
    let network = read.network.unwrap_or_else(|| panic!("{:?}", read.diagnostics));
    let edges = network.machines[0].edges.iter();
    let texts = edges.map(|edge| statement(&network, 0.into(), edge, &read.sources));
    let mut texts: Vec<String> = texts.filter(|text| text != "-end-").collect();
    texts.sort();
    texts
}

#[test]
fn arguments_stand_where_parameters_are_written() {
    let text = "inline bump(v) { v++; v = v + 1; assert(v < 2) }\n\
                inline twice(v, w) { bump(v); w = v }\n\
                byte x;\n\
                active proctype P() { byte a[2]; twice(a[1], x); a[0] = 3 }";
    assert_eq!(statements(text), ["a[0] = 3", "a[1] = a[1] + 1", "a[1] = a[1] + 1", "assert(a[1] < 2)", "x = a[1]"]);
}

#[test]
fn an_inline_without_parameters_is_shown_as_it_is_written() {
    assert_eq!(statements("byte x;\ninline go() { x  =  1 }\nactive proctype P() { go() }"), ["x = 1"]);
}

#[test]
fn macros_are_shown_by_what_they_stand_for() {
    let text = "#define ready (x == 1 && y == 2)\n#define SEND(c, v) c!v; x = v\n\
                byte x, y; chan q = [1] of { byte };\n\
                active proctype P() { ready; SEND(q, 3); y = 2 }";
    assert_eq!(statements(text), ["(x == 1) && (y == 2)", "q!3", "x = 3", "y = 2"]);
    let text = "#define W 3\n#define FULL(n) (n >= W)\nbyte x;\nactive proctype P() { x < W; FULL(x); x = 2 * W }";
    assert_eq!(statements(text), ["x < W", "x = 2 * W", "x >= 3"], "a name for a value is shown as it is written");
}

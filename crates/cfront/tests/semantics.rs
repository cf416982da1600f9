//! What each construct does, by small programs whose result is known.

use crate::common;

use crate::common::{result, result_with};
use cfront::interpret::Outcome::{Aborted, Blocked, Error, Exited, Returned};
use cfront::program::ErrorKind;
use cfront::{DataModel, Options};

fn returns(text: &str, inputs: &[i64], value: i128) {
    assert_eq!(result(text, inputs), Returned(Some(value)), "{text}");
}

fn main_returns(body: &str, value: i128) {
    returns(&format!("int main(void) {{ {body} }}"), &[], value);
}

fn fails(body: &str, inputs: &[i64], kind: ErrorKind) {
    let text = format!("int __VERIFIER_nondet_int(void);\nint main(void) {{ {body} }}");
    match result(&text, inputs) {
        Error(found, _) => assert_eq!(found, kind, "{text}"),
        other => panic!("{other:?}\n{text}"),
    }
}

#[test]
fn integers_are_promoted_and_converted_as_c11_says() {
    main_returns("unsigned char a = 255; return a + 1;", 256);
    main_returns("signed char a = 200; return a;", -56);
    main_returns("return -1 < 0u;", 0);
    main_returns("unsigned short a = 65535; return a * a < 0;", 1);
    main_returns("_Bool b = 256; return b + b;", 2);
    main_returns("return (char)300 + sizeof(short);", 46);
    main_returns("unsigned x = 3; return -x > 5;", 1);
    main_returns("long long big = 1LL << 40; return big >> 38;", 4);
    main_returns("return -7 / 2 * 10 + -7 % 2;", -31);
    main_returns("return (-8 >> 1) + (int)(0x80000000u >> 31);", -3);
    main_returns("return '\\x41' + '\\n' + 'a';", 172);
}

#[test]
fn long_has_the_width_of_the_data_model() {
    let text = "int main(void) { return sizeof(long) * 10 + sizeof(int *); }";
    returns(text, &[], 44);
    let options = Options { data_model: DataModel::Lp64, ..Options::default() };
    assert_eq!(result_with(text, &[], &options), Returned(Some(88)));
    let text = "struct s { char c; long long x; }; int main(void) { return sizeof(struct s); }";
    returns(text, &[], 12);
    assert_eq!(result_with(text, &[], &options), Returned(Some(16)));
}

#[test]
fn operands_on_the_right_are_evaluated_only_if_they_are_needed() {
    main_returns("int x = 0, y = 5; if (x && (y = 1)) ; return y;", 5);
    main_returns("int x = 0; return x == 0 || 10 / x > 1;", 1);
    main_returns("int x = 0; return x ? 10 / x : 7;", 7);
    main_returns("int x = 0, y = 0; x || y++; x && y++; return y;", 1);
    main_returns("int *p = 0; if (p && *p) return 1; return 2;", 2);
}

#[test]
fn increments_and_assignments_have_values() {
    main_returns("int x = 3; int y = x++ * 10; return y + x;", 34);
    main_returns("int x = 3; int y = --x; return y * 10 + x;", 22);
    main_returns("int x, y; x = y = 4; x += y *= 2; return x * 100 + y;", 1208);
    main_returns("unsigned char c = 250; c += 10; return c;", 4);
    main_returns("int a[3] = {1, 2, 3}; int i = 0; a[i++] = 9; return a[0] * 10 + i;", 91);
    main_returns("return (1, 2, 3);", 3);
}

#[test]
fn an_index_is_used_as_it_was_checked() {
    let text = "int i = 0; int f(void) { i = 7; return 1; }
        int main(void) { int a[2][2] = {1, 2, 3, 4}; return a[i][f()] * 10 + (i == 7); }";
    returns(text, &[], 21);
    let text = "int i = 0; int f(void) { i = 7; return 1; }
        int main(void) { int a[2] = {1, 2}; return a[i] + f(); }";
    returns(text, &[], 2);
}

#[test]
fn structs_and_arrays_are_copied_and_initialised() {
    let text = "struct p { int x; int y; }; struct q { struct p a[2]; char s[4]; };
        static struct q g = { { {1, 2}, {.y = 4} }, \"ab\" };
        struct p swap(struct p v) { struct p r = { v.y, v.x }; return r; }
        int main(void) { struct q l = g; l.a[0] = swap(l.a[0]);
        return l.a[0].x * 1000 + l.a[1].y * 100 + g.a[0].x * 10 + (l.s[1] == 'b') + swap(g.a[0]).x; }";
    returns(text, &[], 2413);
    main_returns("int a[] = {1, [4] = 2, 3}; return sizeof a / sizeof a[0] * 10 + a[5];", 63);
    main_returns("int a[2][3] = {1, 2, 3, 4}; return a[1][0] * 10 + a[1][1];", 40);
    main_returns("char s[] = \"hi\"; return sizeof s * 10 + (\"xyz\"[1] == 'y');", 31);
}

#[test]
fn pointers_reach_what_they_point_to() {
    main_returns("int x = 1, y = 2; int *p = &x; int **q = &p; *q = &y; *p = 7; return x * 10 + y;", 17);
    main_returns("int a[4] = {1, 2, 3, 4}; int *p = a + 1; p++; return *p * 10 + (p - a);", 32);
    main_returns("int a[4] = {1, 2, 3, 4}, s = 0; for (int *p = a; p < a + 4; p++) s += *p; return s;", 10);
    main_returns("int a[4] = {1, 2, 3, 4}, s = 0; for (int *p = a; p != &a[4]; p++) s += *p; return s;", 10);
    let text = "int __VERIFIER_nondet_int(void); int main(void) { int a[5] = {1, 2, 3, 4, 5};
        int *p = a + 3, k = __VERIFIER_nondet_int(); return p[k] * 10 + *(p - 2); }";
    returns(text, &[-2], 22);
    returns(text, &[1], 52);
    let text = "struct n { int v; struct n *next; };
        int main(void) { struct n c = {3, 0}, b = {2, &c}, a = {1, &b}; int s = 0;
        for (struct n *p = &a; p; p = p->next) s = s * 10 + p->v; return s; }";
    returns(text, &[], 123);
    returns("void set(int *p, int v) { *p = v; } int main(void) { int x = 0; set(&x, 5); return x; }", &[], 5);
    returns(
        "int one(void) { return 1; } int two(void) { return 2; } int app(int (*f)(void)) { return f(); }
         int main(void) { return app(one) * 10 + app(&two); }",
        &[],
        12,
    );
}

#[test]
fn control_flow_is_that_of_c() {
    main_returns(
        "int s = 0; for (int i = 0; i < 10; i++) { if (i == 3) continue; if (i == 6) break; s += i; } return s;",
        12,
    );
    main_returns(
        "int x = 2, r = 0; switch (x) { case 1: r = 1; case 2: r += 2; case 3: r += 4; break; default: r = 9; } return r;",
        6,
    );
    main_returns("int x = 9, r = 0; switch (x) { case 1: r = 1; break; default: r = 5; case 2: r++; } return r;", 6);
    main_returns("int i = 0; again: if (++i < 5) goto again; return i;", 5);
    main_returns("int i = 0; do i++; while (i < 0); return i;", 1);
    main_returns("int x = ({ int y = 3; y + 1; }); return x;", 4);
    returns(
        "int count(void) { static int n = 5; return n++; } int main(void) { count(); count(); return count(); }",
        &[],
        7,
    );
    returns("enum e { A, B = 7, C }; int main(void) { enum e x = C; return x + A; }", &[], 8);
    returns("int f(a, b) int a; char b; { return a + b; } int main(void) { return f(1, 2); }", &[], 3);
    main_returns("", 0);
}

#[test]
fn errors_of_the_program_are_found_at_run_time() {
    fails("int x = 0; return 1 / x;", &[], ErrorKind::DivisionByZero);
    fails("int x = -2147483647 - 1; return x / -1;", &[], ErrorKind::DivisionOverflow);
    fails("int a[3]; int i = __VERIFIER_nondet_int(); return a[i];", &[0, 0, 0, 3], ErrorKind::Index);
    fails("int a[3]; int i = __VERIFIER_nondet_int(); return a[i];", &[0, 0, 0, -1], ErrorKind::Index);
    fails("int *p = 0; return *p;", &[], ErrorKind::Pointer);
    fails("int *p; return *p;", &[77], ErrorKind::Pointer);
    fails("int a[2]; int *p = a + 2; return *p;", &[], ErrorKind::Pointer);
    fails("int a[2]; int *p = a + 3; return 0;", &[], ErrorKind::PointerArithmetic);
    fails("int n = 32; return 1 << n;", &[], ErrorKind::Shift);
    fails("int n = -1; return 1 >> n;", &[], ErrorKind::Shift);
    fails("assert(1 + 1 == 3);", &[], ErrorKind::Assertion);
    fails("ERROR: return 0;", &[], ErrorKind::ErrorLabel);
    fails("reach_error();", &[], ErrorKind::ErrorCall);
}

#[test]
fn signed_overflow_wraps_unless_it_is_an_error() {
    let text = "int main(void) { int x = 2147483647; x = x + 1; return x < 0; }";
    returns(text, &[], 1);
    let options = Options { signed_overflow_is_error: true, ..Options::default() };
    for body in ["x + 1", "-2 - x", "x * 2", "-(-x - 1)", "x++"] {
        let text = format!("int main(void) {{ int x = 2147483647; return {body}; }}");
        assert!(matches!(result_with(&text, &[], &options), Error(ErrorKind::SignedOverflow, _)), "{body}");
    }
    let text = "int main(void) { unsigned x = 4294967295u; char c = 127; c++; return x + 1 + (c < 0) + 2147483646; }";
    assert_eq!(result_with(text, &[], &options), Returned(Some(2147483647)));
}

#[test]
fn programs_stop_where_they_say() {
    returns("void exit(int); int main(void) { return 1; }", &[], 1);
    assert_eq!(result("void exit(int); int main(void) { exit(3); return 1; }", &[]), Exited(3));
    assert_eq!(result("void abort(void); int main(void) { abort(); }", &[]), Aborted);
    let text = "void __VERIFIER_assume(int); int __VERIFIER_nondet_int(void);
        int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 3); return x; }";
    assert_eq!(result(text, &[2]), Blocked);
    returns(text, &[4], 4);
}

#[test]
fn routines_without_a_body_are_events() {
    let text = "int ext(int, int *, const int *); int main(void) { int a = 1, b = 2;
        int r = ext(5, &a, &b); return r * 100 + a * 10 + b; }";
    let program = common::program(text, &Options::default());
    let run = common::run_on(&program.components[0], &[7, 3]);
    assert_eq!(run.outcome, Returned(Some(372)));
    assert_eq!(program.components[0].routines, ["ext"]);
    assert!(matches!(&run.events[0].1, cfront::interpret::Event::Call { routine, arguments, result: Some(3) }
        if routine == "ext" && arguments[0] == 5));
}

#[test]
fn a_routine_can_write_what_it_can_reach() {
    let text = "struct s { int *p; int k; }; void ext(const struct s *); int use(void *);
        int main(void) { int a = 1, b = 2; struct s v = {&a, 3}; int *q = &b; ext(&v); use(&q); return a * 10 + b; }";
    let program = common::program(text, &Options::default());
    let run = common::run_on(&program.components[0], &[8, 4096, 3, 9, 4112, 5]);
    let names: Vec<&str> =
        run.inputs.iter().map(|input| program.components[0].variable(input.request.variable).name.as_str()).collect();
    assert!(["a", "v.p", "v.k", "b", "q"].iter().all(|name| names.contains(name)), "{names:?}");
}

#[test]
fn a_jump_over_a_declaration_leaves_any_value() {
    let text = "int main(void) { goto in; { int x = 3; in: return x; } }";
    returns(text, &[42], 42);
}

#[test]
fn the_parameters_of_a_component_have_any_values() {
    let text = "struct s { int a; int b; }; int check(int n, struct s *p) { p->a += n; return p->a * 10 + p->b; }";
    let options = Options { entries: vec![String::from("check")], ..Options::default() };
    assert_eq!(result_with(text, &[2, 5, 6], &options), Returned(Some(76)));
}

#[test]
fn names_may_have_dollars() {
    let text = "int $a = 3; int aS = 5; struct $s { int f$; }; int b$(int $p) { struct $s s = {$p}; return s.f$ * 2; }
        int main(void) { return $a + b$($a) + aS; }";
    returns(text, &[], 14);
    let read = common::read(text, &Options::default());
    let component = &read.program.expect("it is read").components[0];
    assert!(component.variables.iter().any(|variable| variable.name == "$a"), "{:?}", component.variables);
}

#[test]
fn a_global_may_begin_with_a_place_inside_of_an_array() {
    let globals = "int a[4] = {1, 2, 3, 4}; int *p = a + 1, *q = &a[3] - 1, *r = 2 + a; char *s = \"abc\" + 1;";
    returns(&format!("{globals} int main(void) {{ return *p * 1000 + *q * 100 + *r * 10 + (*s == 'b'); }}"), &[], 2331);
    let text = "int a[2]; int *p = a + 3; int main(void) { return 0; } int use(void) { return *p; }";
    assert_eq!(result(text, &[]), Returned(Some(0)));
}

#[test]
fn words_of_compilers_are_read() {
    main_returns(
        "typedef struct { long long l __attribute__((__aligned__(__alignof__(long long)))); __float128 f; } T; return 1;",
        1,
    );
    main_returns("return __alignof(int);", 4);
}

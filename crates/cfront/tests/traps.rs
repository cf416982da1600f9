//! Programs on which a simpler reading of C gives a wrong answer. Each returns 1 on a machine.

use crate::common::{program, read, run_on};
use cfront::interpret::Outcome::{self, Error, Returned};
use cfront::interpret::{Input, Request, Run};
use cfront::program::ErrorKind;
use cfront::{Component, Options};

/// The preludes that several need.
const NONDET: &str = "int __VERIFIER_nondet_int(void); unsigned char __VERIFIER_nondet_uchar(void);
    char __VERIFIER_nondet_char(void); _Bool __VERIFIER_nondet_bool(void);\n";

/// What it is about, what stands outside of `main`, the body of `main`, and inputs.
type Trap = (&'static str, &'static str, &'static str, &'static [i64]);

const TRAPS: &[Trap] = &[
    (
        "an assignment is not read again from an address that it changed",
        "",
        "int a[4] = {0, 3, 0, 0}; int v = ++a[a[0]]; int w = (a[a[0]] += 2); return v == 1 && w == 5;",
        &[],
    ),
    (
        "nor through a pointer that it changed",
        "struct n { struct n *next; int v; };",
        "struct n b = {0, 2}, c = {&b, 3}, a = {&a, 1}; struct n *r = (a.next->next = &c); return r == &c;",
        &[],
    ),
    (
        "an index of one byte does not mean an element 256 further",
        "int a[600];",
        "unsigned char i = __VERIFIER_nondet_uchar(); a[i] = 5; a[230] = 7;
         return a[262] == 0 && a[518] == 0 && a[i] == 5 && a[(unsigned char)230] == 7;",
        &[6],
    ),
    (
        "an index of one byte with a sign reaches the elements that it can",
        "int a[200];",
        "char i = __VERIFIER_nondet_char(); a[120] = 7; return a[i] == 7;",
        &[120],
    ),
    (
        "a truth value is an index of two elements",
        "",
        "_Bool b = __VERIFIER_nondet_bool(); int a[4] = {1, 1, 1, 1}; a[b] = 7; return a[2] == 1 && a[3] == 1;",
        &[0],
    ),
    (
        "an array has the length that each call gives it",
        "int last(int n) { int a[n]; int i; for (i = 0; i < n; i++) a[i] = i; return a[n - 1] * 10 + sizeof a / 4; }",
        "return last(3) == 23 && last(5) == 45;",
        &[],
    ),
    (
        "a struct argument is what it was when it was evaluated",
        "struct s { int a, b; } g = {1, 2}; int change(void) { g.a = 10; return 0; } int first(struct s v, int k) { return v.a; }",
        "return first(g, change()) == 1 && g.a == 10;",
        &[],
    ),
    (
        "an array inside of a result can be indexed",
        "struct s { int a[2]; }; struct s make(int k) { struct s r = {{k, k + 1}}; return r; }",
        "return make(3).a[1] == 4;",
        &[],
    ),
    (
        "a member that is designated again forgets all of its first value",
        "struct in { int a, b; }; struct out { struct in s; int t; };",
        "struct out v = {.s = {1, 2}, .s = {3}}; return v.s.a == 3 && v.s.b == 0;",
        &[],
    ),
    (
        "the offset of a member by way of a null pointer is a number",
        "struct s { int a; int b; };",
        "struct s v = {1, 2}; int *p = &v.b;
         struct s *q = (struct s *)((char *)p - (unsigned long)(&((struct s *)0)->b)); return q->a == 1;",
        &[],
    ),
    (
        "a call through a pointer calls what the pointer holds then",
        "int one(void) { return 1; } int two(void) { return 2; } int (*const table[2])(void) = {one, two};",
        "int (*f)(void) = one; int a = f(); f = two; int i = __VERIFIER_nondet_int();
         return a == 1 && f() == 2 && table[i & 1]() == 2;",
        &[3],
    ),
    (
        "the target of a call is evaluated before its arguments",
        "int c = 0; int one(int x) { return x + c; } int two(int x) { return x * 10 + c; } int bump(void) { c = 5; return 1; }",
        "int (*t[2])(int) = {one, two}; return t[c](bump()) == 6;",
        &[],
    ),
    (
        "a function that a pointer cannot hold does not make a call recursive",
        "int f(int); int (*h)(int); int f(int x) { if (x <= 0) return 0; return h(x - 1); } int z(int x) { return x; }
         int (*unused)(int) = f;",
        "h = z; return f(3) == 2;",
        &[],
    ),
    (
        "handlers are registered and called",
        "typedef void (*h)(int); static h table[4]; static int got[4]; void a(int i) { got[i] = 1; } void b(int i) { got[i] = 2; }
         void reg(int i, h f) { if (i >= 0 && i < 4) table[i] = f; }
         void fire(int i) { if (i >= 0 && i < 4 && table[i]) table[i](i); }",
        "reg(1, a); reg(2, b); fire(1); fire(2); fire(3); return got[1] == 1 && got[2] == 2 && got[3] == 0;",
        &[],
    ),
    (
        "an empty assembler statement is a barrier for the compiler",
        "",
        "int x = 1; __asm__ volatile(\"\" ::: \"memory\"); return x;",
        &[],
    ),
];

fn component(outside: &str, body: &str) -> Component {
    let text = format!("{NONDET}{outside}\nint main(void) {{ {body} }}\n");
    program(&text, &Options::default()).components.remove(0)
}

#[test]
fn programs_that_trap_a_simple_reading_return_what_they_return_on_a_machine() {
    for (about, outside, body, inputs) in TRAPS {
        assert_eq!(run_on(&component(outside, body), inputs).outcome, Returned(Some(1)), "{about}");
    }
}

/// How a run ends whose open values are all this number.
fn with_all(component: &Component, value: u64) -> Run {
    cfront::interpret::run(component, &mut |_: &Request| value, 100_000)
}

#[test]
fn what_a_jump_skips_has_any_value_each_time() {
    let second_call =
        "int f(int k, int v) { switch (k) { int y; case 0: y = v; return 0; case 1: return y; } return 0; }";
    let component = component(second_call, "f(0, 5); return f(1, 0);");
    assert_eq!(with_all(&component, 3).outcome, Returned(Some(3)));
    let by_goto = self::component(
        "int f(int k) { if (k) goto on; { int y = 5; on: return y; } }",
        "f(0); return f(1) * 10 + f(0);",
    );
    assert_eq!(with_all(&by_goto, 3).outcome, Returned(Some(35)));
}

#[test]
fn a_routine_that_never_returns_ends_the_run() {
    for declared in ["void die(void) __attribute__((noreturn));", "_Noreturn void die(void);"] {
        let component = component(declared, "die(); return 1;");
        assert_eq!(with_all(&component, 0).outcome, Outcome::Aborted, "{declared}");
    }
}

#[test]
fn the_first_parameter_of_main_is_not_negative() {
    let text = "int main(int argc, char **argv) { return argc < 0; }";
    let component = program(text, &Options::default()).components.remove(0);
    assert_eq!(run_on(&component, &[-3]).outcome, Outcome::Blocked);
    assert_eq!(run_on(&component, &[2]).outcome, Returned(Some(0)));
}

#[test]
fn access_that_a_machine_does_not_survive_is_an_error() {
    for body in [
        "char *s = \"abc\"; s[0] = 'x'; return s[0];",
        "int (*f)(void) = 0; return f();",
        "float *p = 0; *p = 1.0f; return 1;",
        "double *p = 0; double d = *p; return 1;",
    ] {
        let outcome = run_on(&component("", body), &[]).outcome;
        assert!(matches!(outcome, Error(ErrorKind::Pointer, _)), "{body}: {outcome:?}");
    }
}

/// What must not be read, and the code of the message.
const REFUSED: &[(&str, &str)] = &[
    // A value that is not modelled is written over one that is.
    ("int main(void) { int x = 0; *(float *)&x = 1.0f; return x; }", "C0208"),
    (
        "struct f { float f; int y; }; struct i { int x; int y; };
      int main(void) { struct i v = {0, 0}; struct f w; w.y = 1; *(struct f *)&v = w; return v.x; }",
        "C0208",
    ),
    (
        "int k(void); int main(void) { int x = 0; float f; float *p = k() ? &f : (float *)&x; *p = 1.0f; return x; }",
        "C0208",
    ),
    // A routine without a body could call what it gets.
    ("void run(void (*f)(void)); int x; void set(void) { x = 1; } int main(void) { run(set); return x; }", "C0203"),
    (
        "struct o { void (*f)(void); }; void reg(const struct o *); int x; void set(void) { x = 1; }
      int main(void) { struct o o = {set}; reg(&o); return x; }",
        "C0203",
    ),
    ("void exit(int); int main(void) { void (*e)(int) = exit; e(0); return 1; }", "C0203"),
    ("int (*h)(int); int f(int x) { return x > 0 ? h(x - 1) : 0; } int main(void) { h = f; return f(3); }", "C0202"),
    // What a compiler does not take, or takes in another way.
    ("int main(void) { return 0; } int main(void) { return 1; }", "C0110"),
    ("int f(void) { return 1; } int f(void) { return 2; } int main(void) { return f(); }", "C0110"),
    ("int x = 1; int x = 2; int main(void) { return x; }", "C0110"),
    ("int x; char x; int main(void) { return x; }", "C0110"),
    ("int main(void) { int x = 1; int x = 2; return x; }", "C0110"),
    ("enum e { P = -1, Q = 3000000000u } v; int main(void) { return sizeof v; }", "C0212"),
    ("int main(void) { return __alignof__(long long); }", "C0212"),
    ("extern int a[]; int main(void) { return a[3]; }", "C0102"),
];

#[test]
fn what_would_be_read_wrongly_is_refused() {
    for (text, code) in REFUSED {
        let read = read(text, &Options::default());
        assert!(read.program.is_none(), "{text}");
        assert_eq!(read.diagnostics.first().map(|first| first.code), Some(*code), "{text}");
    }
}

#[test]
fn declarations_may_be_repeated_where_c_allows_it() {
    let text = "int x; int x = 3; extern int x; int x; static int f(void); static int f(void) { return x; }
        extern inline int g(void) { return 1; } int g(void) { return 2; } extern int a[]; int a[2] = {4, 5};
        int main(void) { extern int x; return x * 100 + f() * 10 + a[1]; }";
    let component = program(text, &Options::default()).components.remove(0);
    assert_eq!(run_on(&component, &[]).outcome, Returned(Some(335)));
}

/// Whether a run with these answers is one of the program.
fn believed(text: &str, inputs: &[i64]) -> bool {
    let component = program(text, &Options::default()).components.remove(0);
    let run = run_on(&component, inputs);
    assert!(matches!(run.outcome, Error(..)), "{text}: {:?} {:?}", run.outcome, run.inputs as Vec<Input>);
    cfront::standard::relied_on(&run).is_none()
}

#[test]
fn a_run_does_not_choose_what_it_may_not() {
    let random =
        "int rand(void); int main(void) { int x = rand(); if (x == -1 || x == 5) __VERIFIER_error(); return 0; }";
    assert!(believed(random, &[5]));
    assert!(!believed(random, &[-1]));
    let from_outside = "int *get(void); int main(void) { return *get(); }";
    assert!(believed(from_outside, &[0]));
    assert!(!believed(from_outside, &[77]));
    assert!(!believed("int main(int argc, char **argv) { return argc > 1 ? argv[1][0] : 0; }", &[2, 4096]));
    assert!(believed("int main(void) { int *p; return *p; }", &[77]));
}

/// Programs with recursion, which return 1.
const RECURSIVE: &[&str] = &[
    "int f(int n) { return n <= 1 ? 1 : n * f(n - 1); } int main(void) { return f(5) == 120; }",
    "int fib(int n) { if (n < 2) return n; return fib(n - 1) + fib(n - 2); } int main(void) { return fib(6) == 8; }",
    "int even(int n); int odd(int n) { return n == 0 ? 0 : even(n - 1); } int even(int n) { return n == 0 ? 1 : odd(n - 1); }
     int main(void) { return even(4) && odd(5) && !even(3); }",
    // Every call has its own variables, and they stay what they are during the calls inside.
    "int f(int n) { int x = n; int *p = &x; if (n > 0) f(n - 1); return *p; } int main(void) { return f(4) == 4; }",
    "int g(int *p, int n) { int x = n; if (n == 0) return *p; return g(&x, n - 1) * 10 + *p; }
     int main(void) { int z = 7; return g(&z, 2) == 127; }",
    "int f(int n) { int a[2] = {n, n + 1}; if (n > 0 && !f(n - 1)) return 0; return a[0] == n && a[1] == n + 1; }
     int main(void) { return f(5); }",
    // But what is static is the same in all of them.
    "int c; void f(int n) { static int d; d++; for (int i = 0; i < 2 && n > 0; i++) f(n - 1); c = d; }
     int main(void) { f(2); return c == 7; }",
    "struct s { int v; struct s *up; }; int sum(struct s *p) { return p ? p->v + sum(p->up) : 0; }
     int go(struct s *up, int n) { struct s me = {n, up}; return n == 0 ? sum(&me) : go(&me, n - 1); }
     int main(void) { return go(0, 3) == 6; }",
    "int (*h)(int); int f(int x) { return x > 0 ? h(x - 1) + 1 : 0; } int main(void) { h = f; return f(3) == 3; }",
];

#[test]
fn recursion_is_followed_as_deeply_as_is_asked() {
    let options = Options { recursion: 16, ..Options::default() };
    for text in RECURSIVE {
        assert_eq!(run_on(&program(text, &options).components[0], &[]).outcome, Returned(Some(1)), "{text}");
    }
    let text = "int f(int n) { return n == 0 ? 0 : f(n - 1); } int __VERIFIER_nondet_int(void);
        int main(void) { return f(__VERIFIER_nondet_int()); }";
    let component = program(text, &options).components.remove(0);
    assert_eq!(run_on(&component, &[16]).outcome, Returned(Some(0)));
    assert!(matches!(run_on(&component, &[17]).outcome, Error(ErrorKind::Recursion, _)));
    assert!(!ErrorKind::Recursion.is_stated());
}

#[test]
fn recursion_that_doubles_is_followed_less_deeply() {
    let text = "int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); } int main(void) { return f(25); }";
    let options = Options { recursion: 32, ..Options::default() };
    let component = program(text, &options).components.remove(0);
    assert!(component.edges.len() < 40_000);
    assert!(matches!(run_on(&component, &[]).outcome, Error(ErrorKind::Recursion, _)));
}

//! Values that a text seems to know and a machine does not: objects that are gone, volatile ones, and those whose address
//! is known outside.

use crate::common::{component, verified};
use cfront::interpret::Outcome;
use cfront::program::ErrorKind;
use model::budget::Budget;
use model::context::Context;
use model::verdict::Reason;
use pdr::Answer;
use std::time::Duration;

const ROUTINES: &str = "void take(int *p); void take_all(int **p); void other(void); int printf(const char *, ...);\n";

fn ask(text: &str, faults: bool) -> Answer {
    let component = component(&format!("{ROUTINES}{text}"));
    let asked = |kind: &ErrorKind| faults || kind.is_stated();
    let limits = Budget::unlimited().timeout(Duration::from_secs(20));
    let (answer, _) = pdr::check(&component, &asked, &Context::silent(&limits));
    if let Answer::Safe(invariant) = &answer {
        assert_eq!(verified(&component, invariant), Ok(()));
    }
    answer
}

fn assert_safe(text: &str) {
    let answer = ask(text, true);
    assert!(matches!(answer, Answer::Safe(_)), "{answer:?} for {text}");
}

fn assert_unsafe(text: &str) {
    let answer = ask(text, false);
    assert!(matches!(answer, Answer::Unsafe(_)), "{answer:?} for {text}");
}

/// A pointer is used after its object: a violation where faults count, and otherwise no proof.
fn assert_dangling(text: &str) {
    match ask(text, true) {
        Answer::Unsafe(run) => assert!(matches!(run.outcome, Outcome::Error(ErrorKind::Pointer, _)), "{run:?}"),
        other => panic!("{other:?} for {text}"),
    }
    let answer = ask(text, false);
    assert!(matches!(answer, Answer::Unsafe(_) | Answer::Inconclusive(Reason::Crash(_))), "{answer:?} for {text}");
}

#[test]
fn a_pointer_to_a_local_of_a_procedure_that_returned_is_invalid() {
    assert_dangling(
        "int *f(void) { int x = 5; return &x; } int main(void) { int *p = f(); check(*p == 5); return 0; }",
    );
    assert_dangling("int *g; void f(int a) { g = &a; } int main(void) { f(3); return *g; }");
    assert_dangling("int *g; void f(void) { int a[3]; g = a + 2; } int main(void) { f(); *g = 1; return 0; }");
    assert_dangling(
        "struct s { int *p; }; struct s f(void) { int x = 1; struct s s; s.p = &x; return s; }
         int main(void) { struct s s = f(); return *s.p; }",
    );
    // The new local has the place of the old one, and is another one.
    assert_dangling(
        "int *g; int seen; void f(void) { int x = 1; if (g) { seen = *g; } g = &x; } int main(void) { f(); f(); return 0; }",
    );
}

#[test]
fn a_pointer_to_a_local_of_a_block_that_was_left_is_invalid() {
    assert_dangling("int main(void) { int *p; { int x = 5; p = &x; } return *p; }");
    assert_dangling(
        "int main(void) { int *p = 0; for (int i = 0; i < 2; i++) { if (p) return *p; int x = 1; p = &x; } return 0; }",
    );
    assert_dangling("int main(void) { int *p; while (1) { int x = 1; p = &x; break; } return *p; }");
    assert_dangling("int main(void) { int *p; do { int x = 1; p = &x; if (x) continue; } while (*p); return 0; }");
    assert_dangling("int main(void) { int *p; { int x = 1; p = &x; goto out; } out: return *p; }");
    assert_dangling("int main(void) { int *p; switch (1) { case 1: { int x = 1; p = &x; break; } } return *p; }");
    assert_dangling("int main(void) { int *p; if (1) { p = &(int){7}; } return *p; }");
    assert_dangling("int main(void) { int *p = ({ int x = 5; &x; }); return *p; }");
    assert_dangling(
        "int main(void) { int c = 0; int *p; { again: if (c) goto out; int x = 1; p = &x; c = 1; goto again; } out: return *p; }",
    );
}

#[test]
fn a_pointer_to_what_is_alive_is_valid() {
    assert_safe(
        "int get(int *p) { return *p; } int main(void) { int x = 5; { int y = 6; check(get(&y) == 6); } return get(&x) - 5; }",
    );
    assert_safe("int main(void) { int x = 5; int *p; { int y = 6; p = &y; p = &x; } check(*p == 5); return 0; }");
    assert_safe("int *f(void) { static int x = 5; return &x; } int main(void) { check(*f() == 5); return 0; }");
    assert_safe("int g; int *f(void) { return &g; } int main(void) { *f() = 3; check(g == 3); return 0; }");
    assert_safe(
        "int main(void) { int i = 0, n = 0; again: { int x = 1; int *p = &x; n += *p; } if (i++ < 3) goto again; check(n == 4); return 0; }",
    );
    assert_safe(
        "void put(int **p, int *q) { *p = q; } int main(void) { int x = 2, *p; put(&p, &x); check(*p == 2); return 0; }",
    );
    // Jumping back does not leave the block.
    assert_safe(
        "int main(void) { int *p = 0; int c = 0; { again: if (p) c += *p; int x = 2; p = &x; if (c < 1) goto again; } check(c == 2); return 0; }",
    );
}

#[test]
fn a_value_of_a_pointer_that_is_gone_is_no_value() {
    // What the compiler makes of it: null.
    assert_unsafe("int *f(void) { int x = 5; return &x; } int main(void) { int *p = f(); check(p != 0); return 0; }");
}

#[test]
fn every_read_of_a_volatile_variable_has_a_value_of_its_own() {
    assert_unsafe("int main(void) { volatile int x = 5; check(x == 5); return 0; }");
    assert_unsafe("volatile int x; int main(void) { check(x == x); return 0; }");
    assert_unsafe("typedef volatile int port; port x; int main(void) { x = 1; check(x == 1); return 0; }");
    assert_unsafe("extern volatile int x; int main(void) { int a = x, b = x; check(a == b); return 0; }");
    assert_unsafe("int x; int *volatile p = &x; int main(void) { p = &x; check(p == &x); return 0; }");
    assert_unsafe("struct s { volatile int a; int b; } s; int main(void) { s.a = 1; check(s.a == 1); return 0; }");
    assert_unsafe(
        "volatile int a[2]; int main(void) { int i = __VERIFIER_nondet_int() & 1; a[i] = 1; check(a[i] == 1); return 0; }",
    );
    assert_unsafe("volatile int x; int main(void) { volatile int *p = &x; *p = 1; check(*p == 1); return 0; }");
    assert_unsafe("static int f(volatile int v) { return v; } int main(void) { check(f(1) == 1); return 0; }");
    assert_unsafe("int main(void) { static volatile int x; x = 2; check(x == 2); return 0; }");
    assert_unsafe("volatile struct { int a; } s; int main(void) { s.a = 1; check(s.a == 1); return 0; }");
}

#[test]
fn what_is_beside_a_volatile_variable_keeps_its_value() {
    assert_safe("struct s { volatile int a; int b; } s; int main(void) { s.b = 1; check(s.b == 1); return 0; }");
    assert_safe("int main(void) { int x = 5; volatile int *p = &x; check(*p == 5); return 0; }");
    assert_safe("volatile int v; int main(void) { int x = v; check(x == x); return 0; }");
    assert_safe("int x; int main(void) { volatile int v = 1; x = 3; int *p = v ? &x : &x; check(*p == 3); return 0; }");
}

#[test]
fn what_a_routine_was_given_it_may_write_later() {
    assert_unsafe("int main(void) { int x = 1; take(&x); x = 2; other(); check(x == 2); return 0; }");
    assert_unsafe("int g; int main(void) { take(&g); g = 2; other(); check(g == 2); return 0; }");
    assert_unsafe(
        "int main(void) { int x = 1, y = 1, *p = &x; take_all(&p); p = &y; other(); check(y == 1); return 0; }",
    );
    assert_unsafe(
        "int main(void) { int x = 1; for (int i = 0; i < 2; i++) { x = 1; other(); check(x == 1); take(&x); } return 0; }",
    );
    assert_unsafe(
        "struct s { int a; int *p; }; void keep(struct s *s); int main(void) { int x = 1; struct s s; s.p = &x; keep(&s); x = 1; other(); check(x == 1); return 0; }",
    );
}

#[test]
fn what_no_routine_was_given_keeps_its_value() {
    assert_safe("int main(void) { int x = 1; other(); check(x == 1); take(&x); x = 2; check(x == 2); return 0; }");
    assert_safe("int main(void) { int x = 1, y = 1; take(&x); other(); check(y == 1); return 0; }");
    // The pointer means one of them when the call is made.
    assert_safe("int main(void) { int x = 1, y = 1, *p = &x; take(p); p = &y; check(y == 1); *p = 2; return 0; }");
    assert_safe(
        "int main(void) { int c = __VERIFIER_nondet_int(), x = 1; if (c) take(&x); else { other(); check(x == 1); } return 0; }",
    );
    assert_safe(
        "int main(void) { int c = __VERIFIER_nondet_int(), x = 1; if (c) take(&x); other(); if (!c) check(x == 1); return 0; }",
    );
    // The next call has a variable of its own.
    assert_safe(
        "void f(int give) { int x = 1; other(); check(x == 1); if (give) take(&x); } int main(void) { f(1); f(0); return 0; }",
    );
    // The C library keeps nothing.
    assert_safe(
        "int scanf(const char *, ...); int main(void) { int x; scanf(\"%d\", &x); x = 2; printf(\"%d\", x); check(x == 2); return 0; }",
    );
}

//! Every construct that is not modelled is named with its place, and those beside them are read: one golden text.
//!
//! `INSTA_UPDATE=always cargo test -p highwater-cfront --test all constructs` writes it again.

use cfront::{Input, Options};
use report::style::Style;

const CONSTRUCTS: &[(&str, &str)] = &[
    ("arguments without names", "int f(int n, ...) { return n; }\nint main(void) {\n    return f(1, 2, 3); }\n"),
    (
        "arguments without names, used",
        "typedef __builtin_va_list va_list; int f(int n, ...) { va_list l; __builtin_va_start(l, n); int r = __builtin_va_arg(l, int); return r; }\nint main(void) {\n    return f(1, 2); }\n",
    ),
    (
        "jumps out of procedures",
        "typedef int jmp_buf[8]; int setjmp(jmp_buf); void longjmp(jmp_buf, int); jmp_buf b; int main(void) {\n    if (setjmp(b)) return 1; longjmp(b, 1); return 0; }\n",
    ),
    ("array of variable length", "int main(void) {\n    int n = 3; int a[n]; return a[0]; }\n"),
    ("union", "union u { int a; char b[4]; }; int main(void) {\n    union u x; x.a = 1; return x.b[0]; }\n"),
    ("bit-field", "struct f { unsigned a : 3; }; int main(void) {\n    struct f x; x.a = 9; return x.a; }\n"),
    ("floating-point value", "int main(void) {\n    float f = 1; return f + 0.5f > 1; }\n"),
    (
        "call through a pointer",
        "int one(void) { return 1; }\nint two(void) { return 2; }\nint n(void); int main(void) {\n    int (*f)(void) = n() ? one : two; return f(); }\n",
    ),
    ("recursion", "int f(int n) { return n ? f(n-1) : 0; }\nint main(void) {\n    return f(3); }\n"),
    (
        "recursion of two procedures",
        "int g(int); int f(int n) { return n ? g(n-1) : 0; }\nint g(int n) { return f(n); }\nint main(void) {\n    return f(3); }\n",
    ),
    ("computed jump", "int main(void) {\n    void *p = &&L; goto *p; L: return 0; }\n"),
    ("statements in an expression", "int main(void) {\n    int x = ({ int y = 3; y + 1; }); return x; }\n"),
    ("nested procedure", "int main(void) {\n    int f(int a) { return a; } return f(3); }\n"),
    ("integer of 128 bits", "int main(void) {\n    __int128 x = 1; return x; }\n"),
    ("complex number", "int main(void) {\n    _Complex double z = 1; return z == 1; }\n"),
    ("atomic variable", "int main(void) {\n    _Atomic int x = 1; x++; return x; }\n"),
    ("variable of a thread", "_Thread_local int x; int main(void) {\n    return x; }\n"),
    ("memory of the stack", "int main(void) {\n    int *p = __builtin_alloca(8); return *p; }\n"),
    ("long double", "int main(void) {\n    long double d = 1; return d > 0; }\n"),
    (
        "compound literal",
        "struct s { int a; }; int f(struct s *p) { return p->a; }\nint main(void) {\n    return f(&(struct s){3}); }\n",
    ),
    ("flexible member", "struct s { int n; int d[]; }; int main(void) {\n    struct s x; return x.d[0]; }\n"),
    ("address as a number", "int main(void) {\n    int x; long p = (long)&x; return p == 0; }\n"),
    ("part of a value", "int main(void) {\n    int x = 1; return *(char *)&x; }\n"),
    ("vector", "typedef int v4 __attribute__((vector_size(16))); int main(void) {\n    v4 a = {1}; return a[0]; }\n"),
    (
        "routine that runs before the others",
        "int g;\n__attribute__((constructor)) void init(void) { g = 1; }\nint main(void) {\n    return g; }\n",
    ),
    (
        "routine that runs behind a block",
        "void f(int *p);\nint main(void) {\n    int x __attribute__((__cleanup__(f))) = 3; return x; }\n",
    ),
    ("harmless attribute", "void f(int) __attribute__((noreturn, unused));\nint main(void) {\n    return 0; }\n"),
    (
        "table of procedures",
        "int a(void) { return 1; }\nint (*t[2])(void) = {a, a}; int main(void) {\n    int i = 1; return t[i](); }\n",
    ),
    ("order of two objects", "int main(void) {\n    int a, b; return &a < &b; }\n"),
    ("offset of a member", "struct s { int a, b; }; int main(void) {\n    return __builtin_offsetof(struct s, b); }\n"),
    ("type of an expression", "int main(void) {\n    int x = 3; __typeof__(x) y = x; return y; }\n"),
    ("generic selection", "int main(void) {\n    return _Generic(1, int: 2, default: 3); }\n"),
    ("static assertion", "_Static_assert(sizeof(int) == 4, \"x\"); int main(void) {\n    return 0; }\n"),
    (
        "copy of memory",
        "void *memcpy(void *, const void *, unsigned); int main(void) {\n    int a[2] = {1, 2}, b[2]; memcpy(b, a, 8); return b[0]; }\n",
    ),
    ("hint for the compiler", "int main(void) {\n    return __builtin_expect(3, 1); }\n"),
    ("arguments of the program", "int main(int argc, char **argv) { return argv[0][0]; }\n"),
    ("pointer to anything", "int main(void) {\n    int x = 3; void *p = &x; return *(int *)p; }\n"),
    ("parameters in the old style", "int f(a) int a; { return a; }\nint main(void) {\n    return f(3); }\n"),
    (
        "signal handler",
        "void (*signal(int, void (*)(int)))(int); void h(int s) {} int main(void) {\n    signal(2, h); return 0; }\n",
    ),
    ("range of cases", "int main(void) {\n    switch (3) { case 1 ... 5: return 1; } return 0; }\n"),
    ("conditional without its middle", "int main(void) {\n    int x = 3; return x ?: 4; }\n"),
];

#[test]
fn what_is_not_modelled_is_named_with_its_place() {
    let mut all = String::new();
    for (name, text) in CONSTRUCTS {
        let read = cfront::read(&Input::plain("construct.c", *text), &Options::default());
        let said = report::diagnostics::render(&read.diagnostics, &read.sources, Style::PLAIN);
        assert_eq!(
            read.program.is_none(),
            read.diagnostics.iter().any(model::diagnostic::Diagnostic::is_error),
            "{name}"
        );
        all += &format!("## {name}\n\n{}\n\n", if said.is_empty() { "read" } else { said.trim_end() });
    }
    insta::assert_snapshot!("constructs", all);
}

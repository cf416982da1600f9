//! C0201 to C0213: C that is not modelled.

use super::Explanation;

/// The codes about what is not modelled, in order.
pub(super) const CODES: &[Explanation] = &[
    Explanation {
        code: "C0201",
        title: "floating-point value",
        text: "\
Values of `float` and `double` are not modelled. They may be declared, but not computed with. Use
integers, or leave the routine that computes with them without a body: then its result is any value.",
        example: "int main(void) {\n    double x = 0.5;\n    return x > 0.25;\n}\n",
    },
    Explanation {
        code: "C0202",
        title: "recursion",
        text: "\
Calls are inlined, so a procedure cannot call itself, directly or through others. Rewrite it as a
loop, or treat the routine as an event.",
        example: "int f(int n) { return n ? f(n - 1) : 0; }\nint main(void) { return f(3); }\n",
    },
    Explanation {
        code: "C0203",
        title: "address of a procedure",
        text: "\
A routine without a body gets the address of a procedure, itself or in a struct, and could call it
at any time. Or a pointer may hold the address of a routine that is known by its name only, such as
`exit`. Give the routine a body, or call the procedure by its name.",
        example: "void run(void (*f)(void));\nint x;\nvoid set(void) { x = 1; }\n\
                  int main(void) {\n    run(set);\n    return x;\n}\n",
    },
    Explanation {
        code: "C0204",
        title: "heap",
        text: "\
Memory of the heap is not modelled. Use objects that are declared: locals, globals, arrays of fixed
length.",
        example: "void *malloc(unsigned n);\nint main(void) {\n    int *p = malloc(4);\n    return *p;\n}\n",
    },
    Explanation {
        code: "C0205",
        title: "union",
        text: "\
Members of a union that lie on top of each other are not modelled. A union with one member is. Use a
struct, if the members are not used to read the same bytes in two ways.",
        example: "union u { int a; char b; };\nint main(void) {\n    union u x;\n    x.a = 1;\n    return 0;\n}\n",
    },
    Explanation {
        code: "C0206",
        title: "bit-field or flexible member",
        text: "Bit-fields and arrays without a length at the end of a struct are not modelled.",
        example: "struct flags { unsigned a : 3; };\nint main(void) {\n    struct flags f;\n    f.a = 1;\n    return 0;\n}\n",
    },
    Explanation {
        code: "C0207",
        title: "address as a number",
        text: "\
An address has no value as an integer here, and an integer other than 0 is no address: what a
program does with such a value depends on where the linker puts things.",
        example: "int main(void) {\n    int x;\n    return (int)&x;\n}\n",
    },
    Explanation {
        code: "C0208",
        title: "access to a part of a value, or as another type",
        text: "\
The pointer may point to something of another size than what is read or written through it: to a
byte of an integer, or to the members of a union. Such accesses are not modelled.",
        example: "int main(void) {\n    int x = 1;\n    char *p = (char *)&x;\n    return *p;\n}\n",
    },
    Explanation {
        code: "C0209",
        title: "too large",
        text: "\
Every element of an array is a variable of its own, and every call is inlined. The object has too
many elements, an expression too many operators, or the procedure too many calls of calls.",
        example: "int a[1000000];\nint main(void) { return a[3]; }\n",
    },
    Explanation {
        code: "C0210",
        title: "inline assembler",
        text: "What an `asm` statement does is not known.",
        example: "int main(void) {\n    __asm__(\"nop\");\n    return 0;\n}\n",
    },
    Explanation {
        code: "C0211",
        title: "array of variable length",
        text: "The length of an array must be a constant.",
        example: "int main(void) {\n    int n = 3;\n    int a[n];\n    return 0;\n}\n",
    },
    Explanation {
        code: "C0212",
        title: "construct that is not modelled",
        text: "The construct is C, or an extension of it, but it is not modelled.",
        example: "int main(void) {\n    return _Generic(1, int: 2, default: 3);\n}\n",
    },
    Explanation {
        code: "C0213",
        title: "threads and jumps out of procedures",
        text: "\
Threads, signals and `longjmp` are not modelled. Concurrency is between components, which a
specification names.",
        example: "int pthread_create();\nint main(void) {\n    pthread_create();\n    return 0;\n}\n",
    },
];

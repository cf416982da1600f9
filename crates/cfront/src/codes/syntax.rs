//! C0001 to C0005: the text.

use super::Explanation;

/// The codes about the text, in order.
pub(super) const CODES: &[Explanation] = &[
    Explanation {
        code: "C0001",
        title: "syntax error",
        text: "\
The text is not C11 with the usual extensions of GCC, from this place on. If a compiler accepts it,
a macro or an attribute may be in the way.",
        example: "int main(void) {\n    int x = 1\n    return x;\n}\n",
    },
    Explanation {
        code: "C0002",
        title: "no preprocessor",
        text: "\
The text has directives such as `#include` or `#define`, and no C compiler was found that could
preprocess it. Install one (`cc`, `gcc` or `clang`), or give the preprocessed text. Texts without
directives need no compiler.",
        example: "#define N 3\nint main(void) { return N; }\n",
    },
    Explanation {
        code: "C0003",
        title: "the preprocessor stops",
        text: "\
The compiler's preprocessor says that something is wrong, such as a file that is not there. Give the
directories of headers with `-I`. For 32-bit integers the headers of the 32-bit system are needed.",
        example: "#include \"not_there.h\"\nint main(void) { return 0; }\n",
    },
    Explanation {
        code: "C0004",
        title: "nested too deeply",
        text: "\
Brackets, operators or statements are nested more deeply than anyone writes; C promises 63 levels of
parentheses and 127 of blocks. Generated code of that kind can often be made flat.",
        example: "int x = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((\
                  ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((\
                  ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((\
                  ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1;\n",
    },
    Explanation {
        code: "C0005",
        title: "no time or memory to read it",
        text: "\
The limit on time or memory was reached while the text was read. Calls are inlined, structs are
copied member by member, and pointers become cases, so a short text can be a large program. Give it
more (`--timeout`, `--memory`), or leave procedures without a body that do not matter.",
        example: "struct s { int a[4000]; };\nstruct s f(struct s x) { return x; }\n\
                  int main(void) {\n    struct s v = {0};\n    v = f(f(f(f(v))));\n    return v.a[0];\n}\n",
    },
];

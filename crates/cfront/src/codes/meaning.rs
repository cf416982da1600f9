//! C0101 to C0110: what is not C.

use super::Explanation;

/// The codes about meaning, in order.
pub(super) const CODES: &[Explanation] = &[
    Explanation {
        code: "C0101",
        title: "unknown name",
        text: "The name is not declared where it is used. Declare it, or correct its spelling.",
        example: "int main(void) {\n    int counter = 0;\n    return countr;\n}\n",
    },
    Explanation {
        code: "C0102",
        title: "incomplete type",
        text: "\
The size of the type is not known here: a struct that is only declared, an array without a length,
or `void`.",
        example: "struct node;\nint main(void) {\n    struct node n;\n    return 0;\n}\n",
    },
    Explanation {
        code: "C0103",
        title: "operands of the wrong type",
        text: "The operator, the call or the assignment does not go with operands of these types.",
        example: "struct pair { int a; int b; };\nint main(void) {\n    struct pair p;\n    return p + 1;\n}\n",
    },
    Explanation {
        code: "C0104",
        title: "not a constant",
        text: "\
The length of an array, a `case`, the value of an enumerator and the initial value of a global or
static variable are constant expressions: numbers, `sizeof`, addresses of globals, and operators.",
        example: "int f(void);\nint x = f();\nint main(void) { return x; }\n",
    },
    Explanation {
        code: "C0105",
        title: "unknown label",
        text: "A `goto` names a label that its procedure does not have.",
        example: "int main(void) {\n    goto end;\n    return 0;\n}\n",
    },
    Explanation {
        code: "C0106",
        title: "unknown member",
        text: "The struct or union has no member of that name, or the operand is neither.",
        example: "struct pair { int first; int second; };\nint main(void) {\n    struct pair p;\n    return p.frst;\n}\n",
    },
    Explanation {
        code: "C0107",
        title: "no such procedure",
        text: "\
The procedure that was asked for is not defined in this unit. A plain program starts with `main`;
name another procedure if it has none.",
        example: "int start(void) { return 0; }\n",
    },
    Explanation {
        code: "C0108",
        title: "wrong number of arguments",
        text: "The call has more or fewer arguments than the procedure has parameters.",
        example: "int add(int a, int b) { return a + b; }\nint main(void) { return add(1); }\n",
    },
    Explanation {
        code: "C0109",
        title: "statement in the wrong place",
        text: "\
A `break` or `continue` stands outside of a loop, a `case` outside of a `switch`, two cases are the
same, or a label is there twice.",
        example: "int main(void) {\n    break;\n    return 0;\n}\n",
    },
    Explanation {
        code: "C0110",
        title: "declaration that cannot be",
        text: "\
The specifiers of a declaration do not make a type, or a name is declared again as something else.",
        example: "int main(void) {\n    short char x = 0;\n    return x;\n}\n",
    },
];

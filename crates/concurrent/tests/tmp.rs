#![allow(missing_docs)]
mod common;
use common::*;
use concurrent::Question;
#[test]
fn many() {
    let text = std::fs::read_to_string("../../examples/c/philosophers.c").unwrap();
    for n in [4usize, 8, 20] {
        let mut spec = String::from("file \"p.c\";\n");
        for i in 0..n {
            let (a, b) = (format!("p{i}"), format!("p{}", (i + 1) % n));
            spec +=
                &format!("F{i} = ({a}.take_right -> {a}.put_right -> F{i} | {b}.take_left -> {b}.put_left -> F{i}).\n");
        }
        let parts: Vec<String> = (0..n)
            .map(|i| if i == 0 { format!("p{i}:left_handed_philosopher") } else { format!("p{i}:philosopher") })
            .chain((0..n).map(|i| format!("F{i}")))
            .collect();
        spec += &format!("program = ({})\n", parts.join(" || "));
        let s = specification(read_with("t.spec", &spec, &[("p.c", &text)]));
        let start = std::time::Instant::now();
        let a = ask(&s, Question::Deadlock, 40);
        eprintln!(
            "{n}: {} {:?} {:?}",
            format!("{:?}", a.verdict).chars().take(30).collect::<String>(),
            start.elapsed(),
            a.statistics
        );
        let spec = spec.replace("left_handed_", "");
        let s = specification(read_with("t.spec", &spec, &[("p.c", &text)]));
        let start = std::time::Instant::now();
        let a = ask(&s, Question::Deadlock, 40);
        eprintln!(
            "{n} bad: {} {:?} {:?}",
            format!("{:?}", a.verdict).chars().take(30).collect::<String>(),
            start.elapsed(),
            a.statistics
        );
    }
}
#[test]
fn long() {
    let mut text = String::from(
        "int __VERIFIER_nondet_int(void); void assert(int x); void a(void); void b(void); void p(void) { int x = 0; int y = 0; int held = 0;\nwhile (1) {\n",
    );
    for i in 0..750 {
        text += &format!(
            "x = __VERIFIER_nondet_int();\nif (x == {i}) {{ assert(!held); a(); held = 1; y = {i}; }}\nelse y = y + 1;\nif (held) {{ b(); held = 0; }}\n"
        );
    }
    text += "}}\n";
    let s = specification(read_with(
        "t.spec",
        "file \"p.c\";\nS = (a -> b -> S).\nprogram = (p || S)\nconforms p to S;",
        &[("p.c", &text)],
    ));
    for q in [Question::Deadlock, Question::Safety, Question::Conformance(0)] {
        let start = std::time::Instant::now();
        let a = ask(&s, q, 15);
        eprintln!(
            "long {q:?} {} {:?} {:?}",
            format!("{:?}", a.verdict).chars().take(60).collect::<String>(),
            start.elapsed(),
            a.statistics
        );
    }
}

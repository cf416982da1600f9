//! Another solver as the judge of terms: a random tree, written down without our terms, means the same as the term that is
//! made of it, for all values of its variables. All operations, widths up to 128.

use crate::support;

use crate::support::Operation::*;
use crate::support::{ARITHMETIC, CHEAP, Garden, Random, Tree, build, declare, seeds, width_of};
use bitvector::smtlib::obligation;
use bitvector::{Program, Sort, Terms};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// A tree in SMT-LIB.
fn text(tree: &Tree) -> String {
    match tree {
        Tree::Variable(which, _) => format!("|v{which}|"),
        Tree::Constant(bits, width) => format!("(_ bv{bits} {width})"),
        Tree::Boolean(truth) => truth.to_string(),
        Tree::Node(operation, width, arguments) => {
            let from = width_of(&arguments[0]);
            let head = match operation {
                Not => "not",
                And => "and",
                Or => "or",
                Implies => "=>",
                Xor => "xor",
                Eq => "=",
                Ne => "distinct",
                Ite => "ite",
                BvNot => "bvnot",
                BvNeg => "bvneg",
                BvAnd => "bvand",
                BvOr => "bvor",
                BvXor => "bvxor",
                Add => "bvadd",
                Sub => "bvsub",
                Mul => "bvmul",
                Udiv => "bvudiv",
                Urem => "bvurem",
                Sdiv => "bvsdiv",
                Srem => "bvsrem",
                Shl => "bvshl",
                Lshr => "bvlshr",
                Ashr => "bvashr",
                Ult => "bvult",
                Ule => "bvule",
                Slt => "bvslt",
                Sle => "bvsle",
                Concat => "concat",
                Extract(low) => &format!("(_ extract {} {low})", low + width - 1),
                Zext => &format!("(_ zero_extend {})", width - from),
                Sext => &format!("(_ sign_extend {})", width - from),
            };
            let arguments: Vec<String> = arguments.iter().map(text).collect();
            format!("({head} {})", arguments.join(" "))
        }
    }
}

/// Is there a value of the variables for which the term and the tree differ?
fn question(seed: u64) -> String {
    let mut random = Random::new(seed);
    let widest = [1, 3, 8, 16, 32, 64, 128][random.below(7) as usize];
    let widths = [0, widest, widest, 1 + random.below(u64::from(widest)) as u32];
    let operations: &[support::Operation] = if widest > 8 { &CHEAP } else { &ARITHMETIC };
    let tree = Garden { widths: &widths, operations, widest }.tree(&mut random, 0, 4);
    let mut terms = Terms::new();
    let variables = declare(&mut terms, &widths);
    let term = build(&mut terms, &tree, &variables);
    let other = terms.var("other", Sort::Bool);
    let same = terms.eq(term, other);
    let script = obligation(&terms, &[same]);
    let mut whole = String::from("(reset)\n(set-option :timeout 2000)\n");
    let Some(script) = script.strip_suffix("(check-sat)\n") else { panic!("{script}") };
    whole += script;
    for (which, width) in widths.iter().enumerate() {
        if !script.contains(&format!("(declare-const |v{which}| ")) {
            let sort = if *width == 0 { String::from("Bool") } else { format!("(_ BitVec {width})") };
            let _ = writeln!(whole, "(declare-const |v{which}| {sort})");
        }
    }
    let _ = writeln!(whole, "(assert (not (= |other| {})))\n(check-sat)", text(&tree));
    whole
}

#[test]
#[allow(clippy::print_stderr, reason = "says what was compared")]
fn terms_mean_what_another_solver_takes_them_for() {
    let Some(program) = Program::find_named("z3") else {
        eprintln!("skipped: z3 is not installed");
        return;
    };
    let questions: Vec<String> = (0..seeds(300)).map(question).collect();
    let mut child = Command::new(&program.path)
        .args(&program.arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{error}"));
    let (all, stdin) = (questions.concat(), child.stdin.take());
    let writer = std::thread::spawn(move || stdin.map(|mut pipe| pipe.write_all(all.as_bytes())));
    let output = child.wait_with_output().unwrap_or_else(|error| panic!("{error}"));
    drop(writer.join());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let answers: Vec<&str> = said.lines().collect();
    assert_eq!(answers.len(), questions.len(), "{said}");
    for (seed, answer) in answers.iter().enumerate() {
        assert!(["unsat", "unknown"].contains(answer), "seed {seed}: {answer}\n{}", questions[seed]);
    }
    let open = answers.iter().filter(|answer| **answer == "unknown").count();
    eprintln!("{} terms, {open} not decided", answers.len());
    assert!(open * 5 <= answers.len(), "{open} of {} are open", answers.len());
}

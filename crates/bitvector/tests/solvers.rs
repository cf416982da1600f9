//! The solvers through their common face: cores, memory, limits, processes that misbehave.

use crate::support;

use crate::support::{ARITHMETIC, Garden, Random, Tree, build, declare, seeds};
use bitvector::sat::check_proof;
use bitvector::{
    CrossChecked, Effort, Embedded, External, Model, Outcome, Program, Solver, Sort, TermId, Terms, minimal_core,
};
use model::budget::Budget;
use model::reason::Reason;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A number that is the product of two large primes, to be factored.
fn hard(terms: &mut Terms) -> Vec<TermId> {
    let [p, q] = ["p", "q"].map(|name| terms.var(name, Sort::Bv(64)));
    let product = terms.mul(p, q);
    let number = terms.constant(64, 2_971_215_073 * 3_037_000_493);
    let bound = terms.constant(64, 1 << 32);
    let one = terms.constant(64, 1);
    vec![terms.eq(product, number), terms.ult(p, bound), terms.ult(q, bound), terms.ult(one, p), terms.ult(p, q)]
}

#[test]
fn the_deadline_is_respected_on_a_hard_question() {
    let mut terms = Terms::new();
    let question = hard(&mut terms);
    let start = Instant::now();
    let budget = Budget::unlimited().timeout(Duration::from_millis(200));
    let limits = Effort::from(&budget);
    assert_eq!(Embedded::new().check(&terms, &question, &limits), Outcome::Unknown(Reason::Timeout));
    assert!(start.elapsed() < Duration::from_millis(1000), "{:?}", start.elapsed());
}

#[test]
fn a_wish_to_stop_and_a_bound_of_memory_are_respected() {
    let mut terms = Terms::new();
    let question = hard(&mut terms);
    let (budget, stop) = Budget::unlimited().linked();
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            stop.cancel();
        });
        Embedded::new().check(&terms, &question, &Effort::from(&budget))
    });
    assert_eq!(outcome, Outcome::Unknown(Reason::Interrupted));
    let limits = Effort { tables: Some(100_000), ..Effort::unlimited() };
    assert_eq!(Embedded::new().check(&terms, &question, &limits), Outcome::Unknown(Reason::Memory));
}

#[test]
fn memory_that_other_questions_filled_is_given_back() {
    let mut terms = Terms::new();
    let question = hard(&mut terms);
    let mut solver = Embedded::new();
    let limits = Effort { tables: Some(100_000), ..Effort::unlimited() };
    assert_eq!(solver.check(&terms, &question, &limits), Outcome::Unknown(Reason::Memory));
    assert!(solver.check(&terms, &question[1..], &limits).is_sat());
}

#[test]
fn after_an_unfinished_question_others_are_answered() {
    let mut terms = Terms::new();
    let question = hard(&mut terms);
    let mut solver = Embedded::new();
    let limits = Effort { conflicts: Some(500), ..Effort::unlimited() };
    assert!(matches!(solver.check(&terms, &question, &limits), Outcome::Unknown(Reason::Limit(_))));
    assert!(solver.check(&terms, &question[1..], &limits).is_sat());
    let p = terms.var("p", Sort::Bv(64));
    let q = terms.var("q", Sort::Bv(64));
    let reversed = terms.ult(q, p);
    let mut both = question[1..].to_vec();
    both.push(reversed);
    assert!(solver.check(&terms, &both, &limits).is_unsat());
}

#[test]
fn a_minimal_core_is_unsatisfiable_and_loses_it_with_any_part() {
    for seed in 0..seeds(60) {
        let mut random = Random::new(seed);
        let widths = [8, 8, 8];
        let garden = Garden { widths: &widths, operations: &support::CHEAP, widest: 8 };
        let mut terms = Terms::new();
        let variables = declare(&mut terms, &widths);
        let trees: Vec<Tree> = (0..12).map(|_| garden.tree(&mut random, 0, 2)).collect();
        let question: Vec<TermId> = trees.iter().map(|tree| build(&mut terms, tree, &variables)).collect();
        let mut solver = Embedded::new();
        let Outcome::Unsat(core) = solver.check(&terms, &question, &Effort::unlimited()) else { continue };
        let minimal = minimal_core(&mut solver, &terms, &core, &Effort::unlimited());
        assert!(minimal.iter().all(|part| core.contains(part)), "seed {seed}");
        let mut fresh = Embedded::without_memory();
        assert!(fresh.check(&terms, &minimal, &Effort::unlimited()).is_unsat(), "seed {seed}");
        for place in 0..minimal.len() {
            let mut smaller = minimal.clone();
            smaller.remove(place);
            assert!(fresh.check(&terms, &smaller, &Effort::unlimited()).is_sat(), "seed {seed}");
        }
    }
}

#[test]
fn memory_changes_no_answer_and_cores_hold_by_themselves() {
    for seed in 0..seeds(15) {
        let mut random = Random::new(seed);
        let widths = [0, 8, 8];
        let garden = Garden { widths: &widths, operations: &support::CHEAP, widest: 8 };
        let mut terms = Terms::new();
        let variables = declare(&mut terms, &widths);
        let mut pool = Vec::new();
        for _ in 0..20 {
            let tree = garden.tree(&mut random, 0, 3);
            let term = build(&mut terms, &tree, &variables);
            pool.extend([term, terms.not(term)]);
        }
        let mut remembering = Embedded::new();
        let mut logging = Embedded::with_proof();
        for _ in 0..80 {
            let question: Vec<TermId> =
                (0..1 + random.below(6)).map(|_| pool[random.below(pool.len() as u64) as usize]).collect();
            let first = remembering.check(&terms, &question, &Effort::unlimited());
            let mut fresh = Embedded::without_memory();
            let second = fresh.check(&terms, &question, &Effort::unlimited());
            let third = logging.check(&terms, &question, &Effort::unlimited());
            assert_eq!((first.is_sat(), first.is_unsat()), (second.is_sat(), second.is_unsat()), "seed {seed}");
            assert_eq!((third.is_sat(), third.is_unsat()), (second.is_sat(), second.is_unsat()), "seed {seed}");
            match first {
                Outcome::Sat(model) => assert!(question.iter().all(|&part| model.satisfies(&terms, part))),
                Outcome::Unsat(core) => {
                    assert!(core.iter().all(|part| question.contains(part)), "seed {seed}");
                    assert!(fresh.check(&terms, &core, &Effort::unlimited()).is_unsat(), "seed {seed}");
                }
                Outcome::Unknown(reason) => panic!("seed {seed}: {reason}"),
            }
        }
        if seed < 3 {
            assert!(check_proof(logging.proof()).is_ok(), "seed {seed}");
        }
    }
}

#[test]
fn another_arena_is_another_world() {
    let mut solver = Embedded::new();
    for (width, bits) in [(8, 3), (8, 4), (16, 5)] {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::Bv(width));
        let constant = terms.constant(width, bits);
        let equal = terms.eq(x, constant);
        let outcome = solver.check(&terms, &[equal], &Effort::unlimited());
        assert_eq!(outcome, Outcome::Sat(Model::new(vec![(x, bits)])));
    }
}

fn simple(terms: &mut Terms) -> Vec<TermId> {
    let x = terms.var("and", Sort::Bv(32));
    let three = terms.constant(32, 3);
    vec![terms.eq(x, three)]
}

fn shell(command: &str) -> External {
    External::new(Program {
        name: "shell".to_owned(),
        path: PathBuf::from("/bin/sh"),
        arguments: vec!["-c".to_owned(), command.to_owned()],
    })
}

#[test]
fn a_process_that_dies_hangs_or_babbles_is_unknown_with_words() {
    let mut terms = Terms::new();
    let question = simple(&mut terms);
    let late = Budget::unlimited().timeout(Duration::from_secs(20));
    let long = Effort::from(&late);
    for (command, wanted) in [("exit 1", "ended"), ("echo '(error \"x\")'; echo end-1; exec sleep 100", "replied")] {
        match shell(command).check(&terms, &question, &long) {
            Outcome::Unknown(Reason::Worker(words)) => assert!(words.contains(wanted), "{words}"),
            other => panic!("{command}: {other:?}"),
        }
    }
    let soon = Budget::unlimited().timeout(Duration::from_millis(300));
    let hanging = shell("exec sleep 100").check(&terms, &question, &Effort::from(&soon));
    assert_eq!(hanging, Outcome::Unknown(Reason::Timeout));
    let missing = Program { name: "none".to_owned(), path: PathBuf::from("/nowhere/none"), arguments: Vec::new() };
    assert!(matches!(External::new(missing).check(&terms, &question, &Effort::unlimited()), Outcome::Unknown(_)));
}

#[test]
fn a_process_that_says_what_it_should_not_is_unknown_with_words() {
    let mut terms = Terms::new();
    let question = simple(&mut terms);
    let late = Budget::unlimited().timeout(Duration::from_secs(60));
    let long = Effort::from(&late);
    for (command, wanted) in [
        ("echo sat; echo end-1; exit 0", "ended without an answer"),
        ("echo sat; echo end-1; echo '((x #x01))'; echo end-2; exec sleep 100", "gives no value that fits"),
        ("echo unsat; echo end-1; echo '(zebra)'; echo end-2; exec sleep 100", "names no assumption"),
        ("echo unknown; echo end-1; exec sleep 100", "says unknown"),
        ("echo '((('; echo end-1; exec sleep 100", "replied"),
        ("printf '\\377\\001\\n'; echo end-1; exec sleep 100", "says"),
        ("echo end-1; exec sleep 100", "says nothing"),
        ("yes", "prints without end"),
        ("yes | tr -d '\\n'", "prints without end"),
        ("kill -9 $$", "ended without an answer"),
    ] {
        match shell(command).check(&terms, &question, &long) {
            Outcome::Unknown(Reason::Worker(words)) => assert!(words.contains(wanted), "{command}: {words}"),
            other => panic!("{command}: {other:?}"),
        }
    }
}

#[test]
fn a_wrong_model_is_never_believed() {
    let mut terms = Terms::new();
    let question = simple(&mut terms);
    let command = "echo sat; echo end-1; echo '((v!0 #x00000004))'; echo end-2; exec sleep 100";
    let outcome = shell(command).check(&terms, &question, &Effort::unlimited());
    assert!(matches!(outcome, Outcome::Unknown(Reason::Internal(_))), "{outcome:?}");
}

#[test]
fn a_file_that_is_no_program_is_unknown_with_words() {
    let mut terms = Terms::new();
    let question = simple(&mut terms);
    let file = std::env::temp_dir().join(format!("highwater-solver-{}", std::process::id()));
    std::fs::write(&file, "no program").unwrap();
    let program = Program { name: "text".to_owned(), path: file.clone(), arguments: Vec::new() };
    let outcome = External::new(program).check(&terms, &question, &Effort::unlimited());
    let _ = std::fs::remove_file(&file);
    assert!(
        matches!(&outcome, Outcome::Unknown(Reason::Worker(words)) if words.contains("cannot be started")),
        "{outcome:?}"
    );
}

struct Liar(Outcome);

impl Solver for Liar {
    fn check(&mut self, _: &Terms, _: &[TermId], _: &Effort<'_>) -> Outcome {
        self.0.clone()
    }

    fn name(&self) -> &str {
        "liar"
    }
}

#[test]
fn a_disagreement_is_an_unknown_that_names_both() {
    let mut terms = Terms::new();
    let question = simple(&mut terms);
    let mut both = CrossChecked::new(Embedded::new(), Liar(Outcome::Unsat(question.clone())));
    match both.check(&terms, &question, &Effort::unlimited()) {
        Outcome::Unknown(Reason::Internal(words)) => {
            assert!(words.contains("embedded says satisfiable, liar says unsatisfiable"), "{words}");
        }
        other => panic!("{other:?}"),
    }
    let silent = Liar(Outcome::Unknown(Reason::Timeout));
    assert!(CrossChecked::new(silent, Embedded::new()).check(&terms, &question, &Effort::unlimited()).is_sat());
}

#[test]
#[allow(clippy::print_stderr, reason = "says that the test did nothing")]
fn an_external_solver_agrees_on_random_questions() {
    let Some(program) = Program::find() else {
        eprintln!("skipped: neither z3 nor cvc5 is installed");
        return;
    };
    let mut both = CrossChecked::new(Embedded::new(), External::new(program));
    let mut asked = 0;
    for seed in 0..seeds(120) {
        let mut random = Random::new(seed);
        let widest = [4, 8, 16, 32, 64, 128][random.below(6) as usize];
        let widths = [0, widest, widest, 1 + random.below(u64::from(widest)) as u32];
        let operations: &[support::Operation] = if widest > 8 { &support::CHEAP } else { &ARITHMETIC };
        let garden = Garden { widths: &widths, operations, widest };
        let mut terms = Terms::new();
        let variables = declare(&mut terms, &widths);
        let pool: Vec<TermId> = (0..8)
            .map(|_| {
                let tree = garden.tree(&mut random, 0, 3);
                build(&mut terms, &tree, &variables)
            })
            .collect();
        for _ in 0..4 {
            let question: Vec<TermId> = (0..1 + random.below(5)).map(|_| pool[random.below(8) as usize]).collect();
            let budget = Budget::unlimited().timeout(Duration::from_secs(5));
            let limits = Effort { conflicts: Some(20_000), ..Effort::from(&budget) };
            asked += 1;
            let outcome = both.check(&terms, &question, &limits);
            if let Outcome::Unknown(reason) = outcome {
                assert!(matches!(reason, Reason::Timeout | Reason::Limit(_)), "seed {seed}: {reason}");
            }
        }
    }
    assert!(both.agreed() * 10 >= asked * 9, "{} of {asked}", both.agreed());
}

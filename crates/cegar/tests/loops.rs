//! Loops that end, and loops that only look as if they did.

use crate::common::{ask, checked, read_with, specification};
use crate::generate::{self, Kind};
use crate::random::{How, Watched, keeps, side_by_side};
use cegar::{Holds, Outcome, Question, Specification};
use model::components_proof::ComponentsProof;
use model::context::Context;
use testing::Random;

const HEAD: &str = "int __VERIFIER_nondet_int(void);\nvoid request(void);\nvoid reply(void);\nvoid tick(void);\n";
const SPEC: &str = "file \"p.c\";\nprogram = (server)\nltl Answered { [] (request -> <> reply) }\n";

/// A server that requests, goes around a loop, and replies.
fn server(declared: &str, body: &str) -> String {
    format!("{HEAD}{declared}\nvoid server(void) {{\nwhile (1) {{\nrequest();\n{body}\nreply();\n}}\n}}\n")
}

fn read(program: &str) -> Specification {
    specification(read_with("test.spec", SPEC, &[("p.c", program)]))
}

/// The proof, which was checked.
fn proof(specification: &Specification, what: &str) -> Holds {
    match ask(specification, Question::Formula(0), 60).verdict {
        Outcome::Holds(holds) => {
            let checked = checked(specification, &holds);
            assert!(checked.is_ok(), "{what}: {checked:?}");
            *holds
        }
        other => panic!("{what}: {other:?}"),
    }
}

fn proved(declared: &str, body: &str) {
    proof(&read(&server(declared, body)), body);
}

/// It does not hold, or that is too hard to see: there is no proof.
fn not_proved(declared: &str, body: &str) {
    let verdict = ask(&read(&server(declared, body)), Question::Formula(0), 10).verdict;
    assert!(!matches!(verdict, Outcome::Holds(_)), "{body}");
}

fn violated(declared: &str, body: &str) {
    let verdict = ask(&read(&server(declared, body)), Question::Formula(0), 20).verdict;
    assert!(matches!(verdict, Outcome::Fails(_)), "{body}: {verdict:?}");
}

#[test]
fn a_loop_that_counts_up_or_down_ends() {
    proved("int i;", "for (i = 0; i < 100; i++) tick();");
    proved("int i;", "for (i = 0; i < 100; i++) {}");
    proved("unsigned i;", "for (i = 1000000; i > 0; i--) {}");
    proved("unsigned char i;", "for (i = 200; i; i--) {}");
    proved("int i;", "for (i = 100; i >= 0; i--) {}");
    proved("int i;", "for (i = -100; i < 100; i += 3) {}");
    proved("long long i;", "for (i = 0; i < 10000000000LL; i++) {}");
    proved("int i, n;", "n = __VERIFIER_nondet_int(); for (i = 0; i < n; i++) {}");
    proved("unsigned i;", "i = 0; do { i++; } while (i < 1000);");
    proved("unsigned i;", "i = 100; while (i-- > 0) tick();");
}

#[test]
fn a_loop_whose_numbers_are_no_counters_ends() {
    proved("unsigned i;", "i = __VERIFIER_nondet_int(); while (i) i >>= 1;");
    proved("unsigned i;", "i = __VERIFIER_nondet_int(); while (i) i &= i - 1;");
    proved("unsigned x, y;", "x = __VERIFIER_nondet_int(); y = __VERIFIER_nondet_int(); while (x != y) x++;");
    proved("int lo, hi;", "lo = 0; hi = 1000; while (lo < hi) { if (__VERIFIER_nondet_int()) lo++; else hi--; }");
    proved("int i, s;", "s = 2; for (i = 0; i < 100; i += s) {}");
    proved("int i;", "i = 0; while (i < 1000) { i += 3; tick(); i -= 1; tick(); i--; }");
    let euclid = "a = __VERIFIER_nondet_int(); b = __VERIFIER_nondet_int(); while (b) { t = a % b; a = b; b = t; }";
    proved("unsigned char a, b, t;", euclid);
    // It wraps, and ends because of that.
    proved("unsigned char i;", "i = 0; while (++i) tick();");
    proved("int i;", "i = 1; while (i > 0) { i = i * 2; if (i == 0) i = 1; }");
}

#[test]
fn loops_in_loops_and_ranks_that_fall_one_after_the_other_end() {
    proved("int i, j;", "for (i = 0; i < 100; i++) for (j = 0; j < 50; j++) tick();");
    proved("int i, j;", "i = 0; j = 0; while (i < 10) { if (j < 10) j++; else { j = 0; i++; } }");
    let two = "if (__VERIFIER_nondet_int()) { x--; y = __VERIFIER_nondet_int(); } else y--;";
    let any = "x = __VERIFIER_nondet_int(); y = __VERIFIER_nondet_int();";
    proved("unsigned x, y;", &format!("{any} while (x && y) {{ {two} }}"));
    proved("int x, y;", &format!("{any} y = 0; while (x > 0) {{ x = x - 1; y = y + 2; }} while (y > 0) y--;"));
}

#[test]
fn a_loop_that_is_left_by_a_break_or_a_flag_ends() {
    proved("int i;", "for (i = 0; ; i++) { if (i == 70) break; tick(); }");
    proved("unsigned char i;", "i = 0; while (i < 200) { if (__VERIFIER_nondet_int()) break; i++; }");
    proved("int i, done;", "done = 0; i = 0; while (!done) { i++; if (i > 500) done = 1; }");
}

#[test]
fn a_number_that_wraps_before_the_end_is_no_rank() {
    not_proved("unsigned i;", "for (i = 10; i >= 0; i--) tick();");
    not_proved("unsigned char i;", "for (i = 0; i < 256; i++) tick();");
    not_proved("signed char i;", "for (i = 0; i <= 127; i++) tick();");
    not_proved("int i;", "for (i = 0; i <= 2147483647; i++) {}");
    not_proved("unsigned char i;", "i = 1; while (i) i += 254;");
}

#[test]
fn steps_that_jump_over_the_limit_do_not_end() {
    not_proved("int i;", "for (i = 1; i != 100; i += 2) tick();");
    not_proved("unsigned char i;", "for (i = 0; i != 101; i += 2) tick();");
    proved("int i;", "for (i = 0; i != 100; i += 2) {}");
}

#[test]
fn a_loop_whose_counter_is_reset_does_not_end() {
    violated("int i, j;", "for (i = 0; i < 10; i++) for (j = 0; j < 10; j++) i = 0;");
    violated("int i;", "i = 5; while (i > 0) { if (__VERIFIER_nondet_int()) i--; else i++; }");
    violated("int i;", "i = 0; while (i < 3) { tick(); if (__VERIFIER_nondet_int()) i++; }");
    violated("int i;", "while (1) tick();");
    not_proved("int i, j;", "for (i = 0; i < 50; i++) { for (j = 0; j < 50; j++) {} if (i == 40) i = 0; }");
}

/// A return that a formula speaks of is an event of its own, with which a variable changes.
#[test]
fn an_event_with_which_a_number_becomes_larger_counts() {
    let answered = |body: &str| {
        let program = format!(
            "void request(void);\nvoid reply(void);\nint get(void);\nvoid server(void) {{\nint i, j;\nwhile (1) {{\nrequest();
i = 5;\nwhile (i > 0) {{ i--; {body} }}\nreply();\n}}\n}}\n"
        );
        let formula = "[] (request -> <> reply) || <> server.get.return {$0 == 77}";
        let spec = format!("file \"p.c\";\nprogram = (server)\nltl Answered {{ {formula} }}\n");
        let specification = specification(read_with("test.spec", &spec, &[("p.c", &program)]));
        match ask(&specification, Question::Formula(0), 30).verdict {
            Outcome::Holds(proof) => checked(&specification, &proof).is_ok(),
            Outcome::Fails(_) => false,
            other => panic!("{body}: {other:?}"),
        }
    };
    assert!(answered("j = get();"));
    assert!(!answered("if (i == 0) i = get();"));
}

/// A server that counts to 50 with a shared variable under a lock, while another one does something to it.
fn beside(counter: &str, other: &str) -> Specification {
    let program = format!(
        "void request(void);\nvoid reply(void);\nvoid lock(void);\nvoid unlock(void);\nint x;\nint other_x;
void server(void) {{\nint go, i;\nwhile (1) {{\nrequest();\ngo = 1;\ni = 0;\nlock(); x = 0; unlock();\nwhile (go) {{\nlock();
{counter}\nunlock();\n}}\nreply();\n}}\n}}
void other(void) {{\nwhile (1) {{\nlock();\n{other}\nunlock();\n}}\n}}\n"
    );
    let spec = "file \"p.c\";\nLOCK = (a.lock -> a.unlock -> LOCK | b.lock -> b.unlock -> LOCK).
program = (a:server || b:other || LOCK)\nltl Counts { <> [] !b.lock -> [] (a.request -> <> a.reply) }\n
ltl Even { [] (a.request -> <> a.reply) }\n";
    specification(read_with("test.spec", spec, &[("p.c", &program)]))
}

#[test]
fn another_component_that_resets_a_shared_counter_counts() {
    let local = "i++; other_x = x; if (i > 50) go = 0;";
    let shared = "x = x + 1; if (x > 50) go = 0;";
    for (counter, other) in [(shared, "x = 0;"), (shared, "x = x - 1;"), (local, "x = 0;")] {
        let specification = beside(counter, other);
        // Nothing keeps the other one from taking the lock forever.
        let verdict = ask(&specification, Question::Formula(1), 20).verdict;
        assert!(!matches!(verdict, Outcome::Holds(_)), "{counter} {other}");
    }
    let verdict = ask(&beside(local, "x = 0;"), Question::Formula(0), 60).verdict;
    let Outcome::Holds(holds) = verdict else { panic!("{verdict:?}") };
    checked(&beside(local, "x = 0;"), &holds).unwrap();
}

#[test]
fn the_reply_of_a_process_beside_a_loop_is_waited_for() {
    let program = server("int i;", "for (i = 0; i < 100; i++) tick();");
    let spec = |process: &str| {
        format!("file \"p.c\";\n{process}\nprogram = (server || S)\nltl Answered {{ [] (request -> <> reply) }}\n")
    };
    for (process, holds) in [
        ("S = (tick -> S).", true),
        ("S = (request -> T), T = (tick -> T | reply -> S).", true),
        // The other one goes on without the server, forever.
        ("S = (tick -> S | idle -> S).", false),
        // Both stop: there is no infinite run with a request.
        ("S = (tick -> tick -> tick -> STOP).", true),
    ] {
        let specification = specification(read_with("test.spec", &spec(process), &[("p.c", &program)]));
        let verdict = ask(&specification, Question::Formula(0), 30).verdict;
        match verdict {
            Outcome::Holds(proof) => assert!(holds && checked(&specification, &proof).is_ok(), "{process}"),
            Outcome::Fails(_) => assert!(!holds, "{process}"),
            other => panic!("{process}: {other:?}"),
        }
    }
}

fn accepted(specification: &Specification, proof: &ComponentsProof) -> bool {
    let cx = Context::unlimited();
    certify::components::verify(specification, Question::Formula(0), proof, &mut bitvector::SatRefuter, &cx).is_ok()
}

/// Every claim about a rank is needed, or changing it is noticed.
#[test]
fn a_proof_that_says_something_else_of_a_rank_is_refused() {
    claims_are_needed("int i, j;", "for (i = 0; i < 100; i++) for (j = 0; j < 50; j++) tick();", 2);
    let two = "if (__VERIFIER_nondet_int()) { x--; y = __VERIFIER_nondet_int(); } else y--;";
    claims_are_needed("unsigned x, y;", &format!("y = 9; x = 9; while (x && y) {{ {two} }}"), 2);
}

fn claims_are_needed(declared: &str, body: &str, ranks: usize) {
    let specification = read(&server(declared, body));
    let written = proof(&specification, body).written("ilp32", false);
    assert!(accepted(&specification, &written));
    let change = |what: &str, change: &dyn Fn(&mut ComponentsProof)| {
        let mut changed = written.clone();
        change(&mut changed);
        assert!(!accepted(&specification, &changed), "{what}");
    };
    let own = &written.abstraction.procedures[0];
    assert!(!own.ranks.is_empty() && own.ranks.len() <= ranks, "{} ranks", own.ranks.len());
    let all: Vec<(u32, u32)> =
        (0..).zip(&own.moves).flat_map(|(state, moves)| (0..moves.len() as u32).map(move |at| (state, at))).collect();
    for (number, rank) in own.ranks.iter().enumerate() {
        for at in 0..rank.rises.len() {
            change("a move that rises", &|proof| {
                proof.abstraction.procedures[0].ranks[number].rises.remove(at);
            });
        }
        for &at in all.iter().filter(|at| !rank.falls.contains(at)) {
            change("a move that does not fall", &|proof| proof.abstraction.procedures[0].ranks[number].falls.push(at));
        }
        change("a move that there is not", &|proof| {
            proof.abstraction.procedures[0].ranks[number].rises.push((9999, 0))
        });
        change("too few places", &|proof| {
            proof.abstraction.procedures[0].ranks[number].terms.pop();
        });
        change("no term", &|proof| proof.abstraction.procedures[0].ranks[number].terms[0] = 9999);
        for place in 0..rank.terms.len() {
            let others = (0..own.nodes.len() as u32).filter(|term| *term != rank.terms[place]).step_by(3);
            for other in others {
                let mut changed = written.clone();
                changed.abstraction.procedures[0].ranks[number].terms[place] = other;
                // A place that is not passed on a way round can have any number.
                let inner = rank.falls.iter().any(|&(state, _)| own.states[state as usize].place as usize == place);
                assert!(!inner || !accepted(&specification, &changed), "place {place}, entry {other}");
            }
        }
    }
    // Of questions that are not about infinite runs, ranks say nothing.
    let safe = ask(&specification, Question::Safety, 20).verdict;
    let Outcome::Holds(safe) = safe else { panic!("{safe:?}") };
    let mut safe = safe.written("ilp32", false);
    let cx = Context::unlimited();
    let verify = |proof: &ComponentsProof| {
        certify::components::verify(&specification, Question::Safety, proof, &mut bitvector::SatRefuter, &cx)
    };
    assert!(verify(&safe).is_ok());
    safe.abstraction.procedures[0].nodes.clone_from(&own.nodes);
    safe.abstraction.procedures[0].ranks.push(model::components_proof::Rank {
        terms: vec![own.ranks[0].terms[0]; own.predicates.len()],
        ..Default::default()
    });
    assert!(verify(&safe).is_err_and(|refusal| refusal.to_string().contains("only formulas")));
}

// Random loops.

const NUMBERS: [i32; 14] = [0, 1, 2, 3, 4, 5, 9, 10, 64, 100, 127, 128, 200, 255];
const EVENTS: [&str; 3] = ["a", "b", "d"];

/// Writes loops over two variables.
struct Writer<'r> {
    random: &'r mut Random,
    text: String,
}

impl Writer<'_> {
    fn number(&mut self) -> i32 {
        let few = if self.random.chance(60) { 8 } else { NUMBERS.len() as u32 };
        NUMBERS[self.random.below(few) as usize]
    }

    fn condition(&mut self, x: &str, y: &str) -> String {
        let sign = self.random.pick(&["<", "<=", ">", ">=", "!=", "<", ">", "!=", "=="]);
        let number = self.number();
        match self.random.below(10u32) {
            0 | 1 => format!("{x} {sign} {y}"),
            2 => format!("({x} & {number}) != 0"),
            3 => format!("{x} {sign} {number} && {y} {sign} {}", self.number()),
            4 => format!("{x} {sign} {number} || {y} == {}", self.number()),
            5 => format!("{x} + {y} {sign} {number}"),
            _ => format!("{x} {sign} {number}"),
        }
    }

    fn change(&mut self, x: &str, y: &str) -> String {
        let number = self.number();
        match self.random.below(16u32) {
            0..=3 => format!("{x}++;"),
            4..=7 => format!("{x}--;"),
            8 => format!("{x} += {};", number % 6),
            9 => format!("{x} -= {};", number % 6),
            10 => format!("{x} >>= 1;"),
            11 => format!("{x} = {x} * 2;"),
            12 => format!("{x} &= {x} - 1;"),
            13 => format!("{x} = {y};"),
            14 => format!("{x} = __VERIFIER_nondet_int() & 3;"),
            _ => format!("{x} = {number};"),
        }
    }

    fn statement(&mut self, x: &str, y: &str, depth: u32) {
        let text = match self.random.below(12u32) {
            0 => format!("{}();\n", self.random.pick(&EVENTS)),
            1 | 2 => format!("{}\n", self.change(y, x)),
            3 => format!("if ({}) break;\n", self.condition(x, y)),
            4 => String::from("if (__VERIFIER_nondet_int() & 1) break;\n"),
            5 | 6 => format!("if (__VERIFIER_nondet_int() & 1) {} else {}\n", self.change(x, y), self.change(y, x)),
            7 => format!("if ({}) {}\n", self.condition(y, x), self.change(x, y)),
            8 | 9 if depth > 0 => return self.turns(y, x, depth - 1),
            _ => String::new(),
        };
        self.text += &text;
    }

    fn turns(&mut self, x: &str, y: &str, depth: u32) {
        let (condition, change) = (self.condition(x, y), self.change(x, y));
        let first = if self.random.chance(80) { format!("{x} = {};\n", self.number()) } else { String::new() };
        let loops = self.random.below(3u32);
        self.text += &first;
        self.text += &match loops {
            0 => format!("while ({condition}) {{\n{change}\n"),
            1 => format!("while ({condition}) {{\n"),
            _ => format!("do {{\n{change}\n"),
        };
        for _ in 0..self.random.below(3u32) {
            self.statement(x, y, depth);
        }
        self.text += &match loops {
            0 => String::from("}\n"),
            1 => format!("{change}\n}}\n"),
            _ => format!("}} while ({condition});\n"),
        };
    }
}

/// Procedures that go around loops between events.
fn procedures(random: &mut Random, count: usize) -> String {
    let kinds = ["unsigned char", "signed char", "unsigned char", "signed char", "unsigned short"];
    let (x, y) = (random.pick(&kinds[..4]), random.pick(&kinds));
    let mut text = format!("{}_Thread_local {x} x;\n_Thread_local {y} y;\n", generate::HEAD);
    for name in generate::NAMES.into_iter().take(count) {
        // The first assignment is a statement of its own, as the twin wants it.
        text += &format!("void {name}(void) {{\nx = x + y;\n");
        let forever = random.chance(80);
        text += if forever { "while (1) {\n" } else { "" };
        let mut writer = Writer { random, text: String::new() };
        for _ in 0..1 + writer.random.below(2u32) {
            writer.text += &format!("{}();\n", writer.random.pick(&EVENTS));
            writer.turns("x", "y", 1);
            if writer.random.chance(30) {
                let change = writer.change("x", "y");
                writer.text += &format!("{change}\n");
            }
        }
        writer.text += &format!("{}();\n", writer.random.pick(&EVENTS));
        text += &writer.text;
        text += if forever { "}\n" } else { "" };
        text += "}\n";
    }
    text
}

const FORMULAS: [&str; 6] =
    ["[] (a -> <> b)", "[] <> b", "[] (a -> <> (b || d))", "<> [] !d", "[] <> a || <> [] !b", "[] (d -> X <> a)"];

#[derive(Default, Debug)]
struct Count {
    holds: u32,
    ranked: u32,
    fails: u32,
    open: u32,
}

#[test]
fn answers_about_random_loops_agree_with_the_interpreter() {
    let (first, seeds) = (testing::first(1), testing::seeds(120));
    let mut count = Count::default();
    for seed in first..first + seeds {
        one(seed, &mut count);
    }
    if std::env::var_os("HIGHWATER_TELL").is_some() {
        #[allow(clippy::print_stderr)]
        {
            eprintln!("{count:?}");
        }
    }
    assert!(testing::long().is_some() || count.ranked >= 5 && count.fails >= 10, "{count:?}");
}

fn one(seed: u64, count: &mut Count) {
    let mut random = Random::new(seed);
    let procedures_count = if random.chance(75) { 1 } else { 2 };
    let text = procedures(&mut random, procedures_count);
    let body = &text[generate::HEAD.len()..];
    let mut spec = format!("file \"p.c\";\nprogram = ({})\n", generate::NAMES[..procedures_count].join(" || "));
    let speaks = |formula: &str, event: &str| formula.split(|c: char| !c.is_alphanumeric()).any(|word| word == event);
    let known =
        |formula: &&&str| EVENTS.iter().all(|event| !speaks(formula, event) || body.contains(&format!("{event}()")));
    let formulas: Vec<&&str> = FORMULAS.iter().filter(known).collect();
    let Some(formula) = formulas.get(random.below(FORMULAS.len() as u32) as usize % formulas.len().max(1)) else {
        return;
    };
    spec += &format!("ltl F {{ {formula} }}\n");
    let whole = format!("seed {seed}\n{text}\n{spec}");
    let specification = specification(read_with("test.spec", &spec, &[("p.c", &text)]));
    let kind = Kind { procedures: procedures_count, rich: false, returns: false };
    let how = How { kind, spin: false, returns: Watched::Nobody, most: 30_000 };
    let Some(concrete) = side_by_side(&specification, &specification.parts, &text, how) else { return };
    for (number, requirement) in specification.formulas.iter().enumerate() {
        let expected = keeps(&concrete, &requirement.formula);
        match ask(&specification, Question::Formula(number), 2).verdict {
            Outcome::Holds(holds) => {
                count.holds += 1;
                let falls = |part: &cegar::PartProof| part.effects.iter().flatten().any(|effect| effect.falls > 0);
                count.ranked += u32::from(holds.parts.iter().any(falls));
                assert!(expected, "it holds, but not in the interpreter: {whole}");
                let checked = checked(&specification, &holds);
                assert!(checked.is_ok(), "{checked:?}: {whole}");
            }
            Outcome::Fails(_) => {
                count.fails += 1;
                assert!(!expected, "it fails, but not in the interpreter: {whole}");
            }
            Outcome::Inconclusive(reason) => {
                count.open += 1;
                assert!(!format!("{reason:?}").contains("report"), "{reason:?}: {whole}");
                if std::env::var_os("HIGHWATER_TELL").is_some() {
                    #[allow(clippy::print_stderr)]
                    {
                        eprintln!("seed {seed} {expected}: {reason:?}");
                    }
                }
            }
        }
    }
}

//! The examples of the paper, by number.

use crate::support::{alphabet, machine};
use fifo::Progress;
use fifo::{
    Bad, Cegar, CegarSettings, Generator, Limits, Machine, Method, Op, Pass, Property, Run, Step, System, Verdict,
    check, replay,
};
use model::context::Context;
use model::reason::Reason;
use queues::{Bisimulation, Direction, Extrapolation, Language, Languages, Limit, Regex};
use std::sync::Arc;

const O: u32 = 0;
const C: u32 = 1;
const D: u32 = 2;

fn letter(letter: u32) -> Regex {
    Regex::Letter(letter)
}

fn star(regex: Regex) -> Regex {
    Regex::Star(Box::new(regex))
}

fn plus(regex: Regex) -> Regex {
    Regex::Plus(Box::new(regex))
}

/// `first × second`.
fn times(first: Regex, second: Regex) -> Regex {
    Regex::Concat(vec![first, Regex::Separator, second])
}

/// The connection/disconnection protocol as one machine, like figure 3: states 00, 10, 01, 11. The bad configurations are
/// those of example 2.4. The order of transitions decides which of the shortest counterexamples comes first; this one
/// gives those of example 5.2.
fn connection() -> System {
    let (open, close, disconnect) = (Op::Send(0, O), Op::Send(0, C), Op::Receive(1, D));
    let (opened, closed, disconnected) = (Op::Receive(0, O), Op::Receive(0, C), Op::Send(1, D));
    let transitions = [
        (S00, open, S10),
        (S00, opened, S01),
        (S10, close, S00),
        (S10, disconnect, S00),
        (S10, opened, S11),
        (S01, open, S11),
        (S01, disconnected, S00),
        (S01, closed, S00),
        (S11, close, S01),
        (S11, disconnect, S01),
        (S11, closed, S10),
        (S11, disconnected, S10),
    ];
    let any = || Regex::any([O, C, D]);
    let queues = times(Regex::Concat(vec![letter(C), any()]), any());
    System {
        channels: 2,
        alphabet: alphabet("ocd"),
        lossy: vec![],
        machines: vec![machine("protocol", 4, &transitions)],
        bad: vec![Bad { states: vec![Some(vec![S00, S10])], queues: Some(queues) }],
    }
}

const S00: usize = 0;
const S10: usize = 1;
const S01: usize = 2;
const S11: usize = 3;

/// The two machines of figure 2.
fn client_and_server() -> System {
    let client = [(0, Op::Send(0, O), 1), (1, Op::Send(0, C), 0), (1, Op::Receive(1, D), 0)];
    let server = [(0, Op::Receive(0, O), 1), (1, Op::Receive(0, C), 0), (1, Op::Send(1, D), 0)];
    let any = || Regex::any([O, C, D]);
    System {
        channels: 2,
        alphabet: alphabet("ocd"),
        lossy: vec![],
        machines: vec![machine("client", 2, &client), machine("server", 2, &server)],
        bad: vec![Bad {
            states: vec![None, Some(vec![0])],
            queues: Some(times(Regex::Concat(vec![letter(C), any()]), any())),
        }],
    }
}

fn rho_second() -> Arc<dyn Extrapolation> {
    Arc::new(Bisimulation::rho_second(Direction::Forward))
}

fn uniform(extrapolation: Arc<dyn Extrapolation>) -> CegarSettings {
    CegarSettings { generator: Generator::Uniform, pass: Pass::Forward, extrapolation, iterations: None }
}

/// The rest of a partition: everything that is not in the classes given.
fn with_rest(languages: &mut Languages, classes: &[Regex]) -> Vec<Language> {
    let mut partition: Vec<Language> = classes.iter().map(|class| languages.regex(class).unwrap()).collect();
    let union = partition.iter().fold(languages.empty(), |sum, &class| languages.union(sum, class).unwrap());
    partition.push(languages.complement(union).unwrap());
    partition.sort();
    partition
}

fn partition_at(cegar: &Cegar<'_>, state: usize) -> Vec<Language> {
    let map = cegar.partition_map();
    let mut classes = map.into_iter().find(|(control, _)| control[0] as usize == state).map(|found| found.1);
    classes.as_mut().into_iter().for_each(|classes| classes.sort());
    classes.unwrap_or_default()
}

/// One iteration of example 5.2.
struct Expected {
    ops: Vec<Op>,
    /// Control states of the counterexample.
    controls: Vec<usize>,
    /// The candidates of `UPInv`, `k = 0` first.
    candidates: Vec<Vec<Regex>>,
    /// The partitions after it, for 00, 10 and 11, each without its last class: the rest.
    partitions: [Vec<Regex>; 3],
}

fn example_5_2() -> Vec<Expected> {
    let e = || Regex::Epsilon;
    let only = |first: Regex| times(first, Regex::Epsilon);
    let none = || only(e());
    let (open, close, opened, closed) = (Op::Send(0, O), Op::Send(0, C), Op::Receive(0, O), Op::Receive(0, C));
    let disconnected = Op::Send(1, D);
    let o_star = || only(star(letter(O)));
    let oc_star = || only(star(Regex::Alt(vec![letter(O), letter(C)])));
    let word = |letters: &[u32]| only(Regex::word(letters));
    let few_o = || only(Regex::Alt(vec![e(), Regex::Concat(vec![letter(O), plus(letter(O))])]));
    let at_10 = || vec![word(&[O]), few_o(), word(&[O, C, O])];
    let d_plus = || times(e(), plus(letter(D)));
    let with_d = || vec![word(&[O]), few_o(), word(&[O, C, O]), d_plus()];
    let at_00 = || vec![none(), word(&[O, C])];
    let oc_plus = || only(plus(Regex::word(&[O, C])));
    let oc_more = only(Regex::Concat(vec![Regex::word(&[O, C]), plus(Regex::word(&[O, C]))]));
    vec![
        Expected {
            ops: vec![],
            controls: vec![S00],
            candidates: vec![vec![none()]],
            partitions: [vec![none()], vec![], vec![]],
        },
        Expected {
            ops: vec![open],
            controls: vec![S00, S10],
            candidates: vec![vec![none(), o_star()]],
            partitions: [vec![none()], vec![o_star()], vec![]],
        },
        Expected {
            ops: vec![open, close],
            controls: vec![S00, S10, S00],
            candidates: vec![vec![none(), o_star(), oc_star()], vec![none(), word(&[O]), word(&[O, C])]],
            partitions: [at_00(), vec![word(&[O]), few_o()], vec![]],
        },
        Expected {
            ops: vec![open, close, open],
            controls: vec![S00, S10, S00, S10],
            candidates: vec![
                vec![none(), o_star(), oc_star(), oc_star()],
                vec![none(), word(&[O]), word(&[O, C]), word(&[O, C, O])],
            ],
            partitions: [at_00(), at_10(), vec![]],
        },
        Expected {
            ops: vec![open, opened, closed],
            controls: vec![S00, S10, S11, S10],
            candidates: vec![vec![none(), o_star(), none(), Regex::Empty]],
            partitions: [at_00(), at_10(), vec![none()]],
        },
        Expected {
            ops: vec![open, opened, disconnected],
            controls: vec![S00, S10, S11, S10],
            candidates: vec![vec![none(), o_star(), none(), times(e(), star(letter(D)))]],
            partitions: [at_00(), with_d(), vec![none()]],
        },
        Expected {
            ops: vec![open, close, open, close],
            controls: vec![S00, S10, S00, S10, S00],
            candidates: vec![
                vec![none(), o_star(), oc_star(), oc_star(), oc_star()],
                vec![none(), word(&[O]), word(&[O, C]), word(&[O, C, O]), oc_plus()],
            ],
            partitions: [vec![none(), word(&[O, C]), oc_more], with_d(), vec![none()]],
        },
    ]
}

#[test]
fn example_5_2_iteration_by_iteration() {
    let system = connection();
    let mut cegar =
        Cegar::new(&system, Property::BadStates, uniform(rho_second()), &Limits::default()).expect("a system");
    for (number, expected) in example_5_2().into_iter().enumerate() {
        assert_eq!(cegar.iterate(), Ok(Progress::Refined), "iteration {number}");
        let refined = cegar.last().clone();
        assert_eq!(refined.ops, expected.ops, "iteration {number}");
        let controls: Vec<usize> = refined.path.iter().map(|state| state.control[0] as usize).collect();
        assert_eq!(controls, expected.controls, "iteration {number}");
        let candidates: Vec<Vec<Language>> = expected
            .candidates
            .iter()
            .map(|candidate| candidate.iter().map(|regex| cegar.languages().regex(regex).unwrap()).collect())
            .collect();
        assert_eq!(refined.candidates, candidates, "iteration {number}");
        for (state, classes) in [S00, S10, S11].into_iter().zip(&expected.partitions) {
            let expected = with_rest(cegar.languages(), classes);
            let found = partition_at(&cegar, state);
            // A control state that was not reached has no partition yet: all contents in one class.
            assert!(found == expected || found.is_empty() && classes.is_empty(), "iteration {number}, state {state}");
        }
        assert!(partition_at(&cegar, S01).len() <= 1, "01 is never split");
    }
    let Ok(Progress::Unsafe(run)) = cegar.iterate() else { panic!("iteration 7 is feasible") };
    let refined = cegar.last().clone();
    assert_eq!(refined.ops, [Op::Send(0, O), Op::Send(0, C), Op::Receive(0, O), Op::Send(1, D)]);
    let last = replay(&system, &run).expect("a run").pop().expect("a configuration");
    assert_eq!((last.control.clone(), last.contents()), (vec![S00 as u32], vec![vec![C], vec![D]]));
}

#[test]
fn example_3_5_is_the_abstraction_after_iteration_1_and_its_counterexample_is_spurious() {
    let system = connection();
    let mut cegar =
        Cegar::new(&system, Property::BadStates, uniform(rho_second()), &Limits::default()).expect("a system");
    for _ in 0..2 {
        assert_eq!(cegar.iterate(), Ok(Progress::Refined));
    }
    // Figure 5, with its arrows counted by definition 3.1 (several actions share a line there): from (00, ε) one, from
    // (00, rest) three, from (10, o*) two, from (10, rest) four, from 01 four, from 11 five.
    assert_eq!(cegar.whole_size(), Ok((6, 19)));
    assert_eq!(cegar.iterate(), Ok(Progress::Refined));
    let refined = cegar.last().clone();
    assert_eq!(refined.ops, [Op::Send(0, O), Op::Send(0, C)]);
}

#[test]
fn example_4_10_takes_two_rounds_of_upinv() {
    let system = connection();
    let mut cegar =
        Cegar::new(&system, Property::BadStates, uniform(rho_second()), &Limits::default()).expect("a system");
    for _ in 0..3 {
        assert_eq!(cegar.iterate(), Ok(Progress::Refined));
    }
    let refined = cegar.last().clone();
    let words = [&[][..], &[O], &[O, C]].map(|word| cegar.languages().singleton(&[word.to_vec(), vec![]]).unwrap());
    assert_eq!(refined.candidates.len(), 2);
    assert_eq!(refined.candidates[1], words);
}

#[test]
fn example_2_4_no_counterexample_is_shorter_than_four() {
    for method in [Method::Auto, Method::Search, Method::Cegar(uniform(rho_second()))] {
        let report =
            check(&client_and_server(), Property::BadStates, &method, &Limits::default(), &Context::unlimited());
        let Verdict::Unsafe(Run { steps, .. }) = report.verdict else { panic!("{method:?}") };
        assert_eq!(steps.len(), 4, "{method:?}");
        assert!(steps.iter().all(|step| matches!(step, Step::Move { .. })));
    }
}

/// Example 6.9's extrapolation: `∇₀({ε}) = {ε, aa}`, and nothing else changes.
struct AddsTwo;

impl Extrapolation for AddsTwo {
    fn apply(&self, k: u32, language: Language, languages: &mut Languages) -> Result<Language, Limit> {
        if k > 0 || language != languages.all_empty()? {
            return Ok(language);
        }
        languages.finite([vec![vec![]], vec![vec![0, 0]]])
    }

    fn name(&self) -> String {
        "example 6.9".into()
    }
}

fn example_6_9() -> System {
    let (take, put) = (Op::Receive(0, 0), Op::Send(0, 0));
    let cycle: Machine = machine("cycle", 4, &[(0, take, 1), (1, put, 2), (2, put, 3), (3, put, 0)]);
    let odd = Regex::Concat(vec![letter(0), star(Regex::word(&[0, 0]))]);
    System {
        channels: 1,
        alphabet: alphabet("a"),
        lossy: vec![],
        machines: vec![cycle],
        bad: vec![Bad { states: vec![Some(vec![0])], queues: Some(odd) }],
    }
}

#[test]
fn example_6_9_does_not_terminate_and_says_so() {
    let system = example_6_9();
    let settings = CegarSettings { iterations: Some(20), ..uniform(Arc::new(AddsTwo)) };
    let report =
        check(&system, Property::BadStates, &Method::Cegar(settings), &Limits::default(), &Context::unlimited());
    assert!(
        matches!(report.verdict, Verdict::Inconclusive(Reason::NotProvable(ref why)) if why.contains("after 20 refinements")),
        "{:?}",
        report.verdict
    );
    let limits = Limits { steps: Some(1_000_000), ..Limits::default() };
    let endless = Method::Cegar(uniform(Arc::new(AddsTwo)));
    let report = check(&system, Property::BadStates, &endless, &limits, &Context::unlimited());
    assert!(matches!(report.verdict, Verdict::Inconclusive(Reason::Limit(_))), "{:?}", report.verdict);
}

#[test]
fn example_6_9_has_the_path_invariants_of_the_paper() {
    let system = example_6_9();
    let mut cegar =
        Cegar::new(&system, Property::BadStates, uniform(Arc::new(AddsTwo)), &Limits::default()).expect("a system");
    let words = |languages: &mut Languages, lengths: &[usize]| {
        languages.finite(lengths.iter().map(|&length| vec![vec![0; length]])).unwrap()
    };
    for expected in [
        vec![vec![0, 2]],
        vec![vec![0, 2], vec![1], vec![2], vec![3], vec![4]],
        vec![vec![0, 2], vec![1], vec![2], vec![3], vec![4], vec![3], vec![4], vec![5], vec![6]],
    ] {
        assert_eq!(cegar.iterate(), Ok(Progress::Refined));
        let refined = cegar.last().clone();
        let expected: Vec<Language> = expected.iter().map(|lengths| words(cegar.languages(), lengths)).collect();
        assert_eq!(refined.candidates, [expected]);
    }
}

#[test]
fn example_6_9_is_solved_by_the_portfolio_and_by_restricted_extrapolations() {
    for method in [
        Method::Auto,
        Method::Cegar(uniform(rho_second())),
        Method::AbsInt(Arc::new(Bisimulation::rho(Direction::Forward))),
        Method::Armc(Arc::new(Bisimulation::rho(Direction::Forward))),
    ] {
        let report = check(&example_6_9(), Property::BadStates, &method, &Limits::default(), &Context::unlimited());
        assert!(matches!(report.verdict, Verdict::Safe(_)), "{method:?}: {:?}", report.verdict);
    }
}

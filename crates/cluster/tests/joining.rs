//! Who may join: the same key, the same search; and what happens when somebody does not come.

use crate::{Case, hosts, options};
use cluster::{Cluster, Identity, Member, Refused};
use model::budget::Budget;
use model::semantics::Reading;
use model::verdict::{Outcome, Reason, Verdict};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

fn small() -> Case {
    Case::new("small", "byte x; active proctype P() { do :: x < 5 -> x++ :: else -> break od }", Reading::Declared)
}

fn identity(model: &str) -> Identity {
    vec![(String::from("version"), String::from("1")), (String::from("model"), model.to_owned())]
}

/// Two processes, each with a key and a model.
fn two(one: (&str, &str), other: (&str, &str), budget: &Budget) -> [Result<Vec<Outcome>, Refused>; 2] {
    let (case, hosts) = (small(), hosts(2));
    thread::scope(|scope| {
        let join = |process: usize, (key, model): (&str, &str)| {
            let (hosts, key, identity) = (hosts.clone(), key.to_owned(), identity(model));
            let cluster = Cluster { hosts, process, key };
            let case = &case;
            scope.spawn(move || {
                case.process(&Member { cluster: &cluster, identity: &identity, checkpoint: None }, &options(), budget)
            })
        };
        [join(0, one), join(1, other)].map(|process| process.join().expect("a process panics"))
    })
}

#[test]
fn another_key_is_refused() {
    let budget = Budget::unlimited().timeout(Duration::from_secs(2));
    let [one, other] = two(("a", "m"), ("b", "m"), &budget);
    assert!(matches!(other, Err(Refused::WrongKey(_))), "{other:?}");
    // Who listens cannot tell a process of the cluster from a stranger, and waits.
    let open = |outcome: &Outcome| outcome.verdict == Verdict::Inconclusive(Reason::Timeout);
    assert!(one.is_ok_and(|found| found.iter().all(open)));
}

#[test]
fn another_model_is_refused_by_both() {
    let budget = Budget::unlimited().timeout(Duration::from_secs(10));
    for end in two(("a", "m"), ("a", "n"), &budget) {
        let Err(Refused::Foreign(_, name, there, here)) = &end else { panic!("{end:?}") };
        assert!(name == "model" && there != here, "{end:?}");
    }
}

#[test]
fn without_a_key_or_with_wrong_numbers_nothing_is_opened() {
    let (case, budget) = (small(), Budget::unlimited());
    let run = |hosts: &[&str], process, key: &str| {
        let cluster =
            Cluster { hosts: hosts.iter().map(|&host| host.to_owned()).collect(), process, key: String::from(key) };
        case.process(&Member { cluster: &cluster, identity: &identity("m"), checkpoint: None }, &options(), &budget)
    };
    let two = ["127.0.0.1:1", "127.0.0.1:2"];
    assert!(matches!(run(&two, 0, ""), Err(Refused::NoKey)));
    assert!(matches!(run(&two, 2, "a"), Err(Refused::Hosts(_))));
    assert!(matches!(run(&two[..1], 0, "a"), Err(Refused::Hosts(_))));
    assert!(matches!(run(&["nowhere", "127.0.0.1:2"], 0, "a"), Err(Refused::Address(..))));
}

#[test]
fn a_stranger_does_not_disturb_processes_that_join() {
    let (case, hosts) = (small(), hosts(2));
    let budget = Budget::unlimited().timeout(Duration::from_secs(20));
    thread::scope(|scope| {
        let join = |process: usize| {
            let cluster = Cluster { hosts: hosts.clone(), process, key: String::from("a") };
            let (case, budget) = (&case, &budget);
            scope.spawn(move || {
                case.process(
                    &Member { cluster: &cluster, identity: &identity("m"), checkpoint: None },
                    &options(),
                    budget,
                )
            })
        };
        let first = join(0);
        let mut stranger = loop {
            match TcpStream::connect(&hosts[0]) {
                Ok(stranger) => break stranger,
                Err(_) => thread::sleep(Duration::from_millis(5)),
            }
        };
        stranger.write_all(&[b'x'; 200]).expect("it is read");
        let mut answer = Vec::new();
        let _ = stranger.read_to_end(&mut answer);
        assert!(answer.is_empty(), "a stranger learns nothing");
        for process in [first, join(1)] {
            let found = process.join().expect("a process panics").expect("it takes part");
            assert!(found.iter().all(|outcome| outcome.verdict == Verdict::Proved), "{found:?}");
        }
    });
}

#[test]
fn who_waits_alone_keeps_its_time_limit() {
    let cluster = Cluster { hosts: hosts(2), process: 0, key: String::from("a") };
    let budget = Budget::unlimited().timeout(Duration::from_millis(200));
    let found = small()
        .process(&Member { cluster: &cluster, identity: &identity("m"), checkpoint: None }, &options(), &budget)
        .expect("it is not refused");
    assert!(found.iter().all(|outcome| outcome.verdict == Verdict::Inconclusive(Reason::Timeout)));
}

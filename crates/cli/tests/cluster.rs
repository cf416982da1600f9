//! Several processes share a search, through the binary: the same verdicts and counts as one; killed, stopped and slow ones.

use crate::binary::{check, highwater, path, said, written};
use serde_json::Value;
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

const BIN: &str = env!("CARGO_BIN_EXE_highwater");
const KEY: &str = "HIGHWATER_CLUSTER_KEY";
const ALL: [&str; 6] = ["-p", "safety,deadlock", "--keep-going", "--reduction", "none", "--stats"];

/// Far more states than are visited before the test ends.
fn endless() -> PathBuf {
    let process = |n: u32| format!("active proctype P{n}() {{ do :: a[{n}]++ :: a[{n}] = 3 * a[{n}] od }}\n");
    written("shared-endless.pml", &format!("int a[4];\n{}", (0..4).map(process).collect::<String>()))
}

/// Addresses on this machine where nobody listens.
fn hosts(count: usize) -> String {
    let listeners: Vec<TcpListener> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let hosts: Vec<String> = listeners.iter().map(|l| l.local_addr().unwrap().to_string()).collect();
    hosts.join(",")
}

fn process(file: &Path, hosts: &str, number: usize, key: &str, more: &[&str]) -> Command {
    let mut command = Command::new(BIN);
    command.args(["check", path(file), "--format", "json", "--cluster", hosts, "--process", &number.to_string()]);
    command.args(more).env(KEY, key).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What must be the same for any number of processes.
fn essence(results: &[Value]) -> Vec<Value> {
    let keep = |result: &Value| {
        let stats = &result["stats"];
        let steps = result["witness"]["steps"].as_array().map(Vec::len);
        let counts = [&stats["states"], &stats["transitions"], &stats["depth"]];
        serde_json::json!([result["property"], result["verdict"], counts, result["certificate"], steps])
    };
    results.iter().map(keep).collect()
}

fn results(output: &Output) -> Vec<Value> {
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", said(output)));
    document["results"].as_array().unwrap().clone()
}

#[test]
fn several_processes_find_what_one_finds() {
    let broken = "byte x, y; chan c = [2] of { byte };
        active [3] proctype P() { byte i; do :: i < 4 -> i++; c!i :: c?x :: y < 9 -> y++ od }
        active proctype Q() { x == 3 && y == 7; assert(false) }";
    let fine = "byte n; active [4] proctype P() { byte i; do :: i < 9 -> i++; n++ :: else -> break od }";
    for (name, text) in [("shared-broken.pml", broken), ("shared-fine.pml", fine)] {
        let file = written(name, text);
        let (code, alone, _) = check(&file, &ALL);
        for count in ["2", "3"] {
            let command = ["cluster", "run", "-n", count, "--", "check", path(&file), "--format", "json"];
            let output = highwater(&[&command[..], &ALL].concat());
            assert_eq!(output.status.code(), Some(code), "{}", said(&output));
            assert_eq!(essence(&results(&output)), essence(&alone), "{name}, {count} processes");
        }
    }
}

#[test]
fn what_cannot_be_shared_is_refused() {
    let (one, other) = (written("shared-one.pml", "init { skip }"), written("shared-other.pml", "init { skip; skip }"));
    let ends = |hosts: &str, files: [&Path; 2], keys: [&str; 2], limit: &str| {
        let start =
            |n: usize| process(files[n], hosts, n, keys[n], &["-p", "safety", "--timeout", limit]).spawn().unwrap();
        [start(0), start(1)].map(|child| child.wait_with_output().unwrap())
    };
    let two = hosts(2);
    for output in ends(&two, [&one, &other], ["k", "k"], "20s") {
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains("another search: its model is"), "{}", said(&output));
    }
    let [first, second] = ends(&hosts(2), [&one, &one], ["k", "other"], "2s");
    assert!(first.status.code() == Some(3) && second.status.code() == Some(2), "{}{}", said(&first), said(&second));
    assert!(said(&second).contains("has another key"), "{}", said(&second));
    let output = process(&one, &two, 0, "", &["-p", "safety"]).output().unwrap();
    assert!(output.status.code() == Some(2) && said(&output).contains(KEY), "{}", said(&output));
    for (more, why) in [
        (&["--process", "0", "--cluster", "localhost:1"][..], "2 to 1024 processes"),
        (&["--cluster", &two], "--process"),
        (&["--cluster", &two, "--process", "0", "--jobs", "2"], "--jobs"),
        (&["--cluster", &two, "--process", "0", "--bitstate"], "--cluster is for"),
        (&["--cluster", &two, "--process", "0", "-p", "boundedness"], "--cluster is for"),
    ] {
        let output = Command::new(BIN).args(["check", path(&one)]).args(more).env(KEY, "k").output().unwrap();
        assert!(output.status.code() == Some(2) && said(&output).contains(why), "{more:?}: {}", said(&output));
    }
    let output = highwater(&["cluster", "run", "--", "show", path(&one)]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
}

/// Signals a process and returns how the others end; they must do so soon, or the test waits for long.
fn without(signal: &str) -> Vec<Output> {
    let (file, hosts) = (endless(), hosts(3));
    let start = |n: usize| process(&file, &hosts, n, "k", &["-p", "safety", "--timeout", "100s"]).spawn().unwrap();
    let mut children: Vec<Child> = (0..3).map(start).collect();
    thread::sleep(Duration::from_millis(1_500));
    let mut lost = children.remove(1);
    assert!(Command::new("kill").args([signal, &lost.id().to_string()]).status().unwrap().success());
    let ends = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    lost.kill().unwrap();
    lost.wait().unwrap();
    ends
}

#[cfg(unix)]
#[test]
fn a_process_that_is_killed_or_stopped_makes_the_others_inconclusive() {
    for signal in ["-KILL", "-STOP"] {
        for output in without(signal) {
            assert_eq!(output.status.code(), Some(3), "{signal}: {}", said(&output));
            let found = results(&output);
            assert!(found.iter().all(|result| result["reason"] == "worker"), "{signal}: {found:?}");
            assert!(found.iter().any(|result| result.to_string().contains("process 1 (")), "{signal}: {found:?}");
        }
    }
}

/// Processes are killed in the middle, one after the other, and all go on from the last layer that they have in common.
#[cfg(unix)]
#[test]
fn a_search_whose_processes_are_killed_goes_on_from_its_checkpoint() {
    let counter = |n: u32| format!("active proctype P{n}() {{ do :: a[{n}] < 50 -> a[{n}]++ od }}\n");
    let text = format!("byte a[3];\n{}", (0..3).map(counter).collect::<String>());
    let file = written("shared-resumed.pml", &text);
    let (code, alone, _) = check(&file, &ALL);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shared-resumed");
    let _ = std::fs::remove_dir_all(&folder);
    for killed in [0, 1] {
        let hosts = hosts(2);
        let option = ["--resume", "--checkpoint"][usize::from(killed == 0)];
        let start =
            |n: usize| process(&file, &hosts, n, "k", &[&ALL[..], &[option, path(&folder)]].concat()).spawn().unwrap();
        let mut children = [start(0), start(1)];
        thread::sleep(Duration::from_millis(300));
        children[killed].kill().unwrap();
        for child in children {
            // It may have ended before.
            let code = child.wait_with_output().unwrap().status.code();
            assert!([None, Some(3), Some(0)].contains(&code), "{code:?}");
        }
    }
    let command =
        ["cluster", "run", "-n", "2", "--", "check", path(&file), "--format", "json", "--resume", path(&folder)];
    let output = highwater(&[&command[..], &ALL].concat());
    assert_eq!(output.status.code(), Some(code), "{}", said(&output));
    assert_eq!(essence(&results(&output)), essence(&alone));
}

/// Two network namespaces joined by a cable; they go with the value.
struct Hosts;

impl Hosts {
    fn ip(command: &str) -> bool {
        let output = Command::new("ip").args(command.split_whitespace()).output();
        output.is_ok_and(|output| output.status.success())
    }

    fn new() -> Option<Hosts> {
        let hosts = Hosts;
        let commands = [
            "netns add highwater-a",
            "netns add highwater-b",
            "link add highwater-a netns highwater-a type veth peer name highwater-b netns highwater-b",
            "-n highwater-a addr add 10.97.0.1/24 dev highwater-a",
            "-n highwater-b addr add 10.97.0.2/24 dev highwater-b",
            "-n highwater-a link set highwater-a up",
            "-n highwater-b link set highwater-b up",
        ];
        commands.iter().all(|command| Hosts::ip(command)).then_some(hosts)
    }

    /// Packets are delayed, and some are lost.
    fn slow_down() -> bool {
        let qdisc = "netns exec highwater-a tc qdisc add dev highwater-a root netem delay 3ms loss 1%";
        Hosts::ip(qdisc)
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        Hosts::ip("netns del highwater-a");
        Hosts::ip("netns del highwater-b");
    }
}

#[test]
fn two_machines_find_what_one_finds() {
    let mut console = std::io::stderr();
    let Some(_hosts) = Hosts::new() else {
        writeln!(console, "SKIPPED: no network namespaces: two machines are not tried out").unwrap();
        return;
    };
    if !Hosts::slow_down() {
        writeln!(console, "SKIPPED: no `tc`: the network is neither slow nor lossy").unwrap();
    }
    let text = "byte a, b, c; active proctype A() { do :: a++ :: a > 9 -> a = 0 od }
        active proctype B() { do :: b < 20 -> b++ :: c = a od }";
    let file = written("shared-machines.pml", text);
    let (code, alone, _) = check(&file, &ALL);
    let start = |n: usize, name: &str| {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", name, BIN, "check", path(&file), "--format", "json", "--process"]);
        command.args([&n.to_string(), "--cluster", "10.97.0.1:4100,10.97.0.2:4100"]).args(ALL).env(KEY, "k");
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    for child in [start(0, "highwater-a"), start(1, "highwater-b")] {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", said(&output));
        assert_eq!(essence(&results(&output)), essence(&alone));
    }
}

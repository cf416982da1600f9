//! Trails: what is written here replays in SPIN, and what SPIN's verifier wrote replays here.
//!
//! SPIN and a C compiler must be installed; without them, or without the public models, the tests say so. By default a few
//! models are compared, with `HIGHWATER_CORPUS=full` all that have an error: a failed assertion, an invalid end state, a
//! violated formula or claim, a cycle without progress.

#![allow(clippy::print_stdout)]

use crate::binary::{highwater, path, said, scratch, written};
use crate::corpus;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use testing::{Random, judge};

const MODEL: &str = "mtype = { stick, ball };\nchan table = [2] of { mtype };\nchan left = [0] of { mtype };\n\
    chan right = [1] of { mtype };\nbyte g;\ninline up(x) { x = x + 1; if :: x > 3 -> x = 2 :: else fi }\n\
    active proctype Ann() { table!stick; atomic { g++; up(g) } d_step { g = 3; g = 4 } left!ball; right?ball; left!ball }\n\
    active [2] proctype Bob() { byte k; do :: table?stick :: left?ball; break :: k < 1 -> k++ od; left?ball; right!ball }\n\
    init { run Carl(3) }\nproctype Carl(byte n) { n = 2; assert(n == 2); for (n : 1 .. 2) { skip } }\n";

const SAFETY: &str = "safety,deadlock";

/// What SPIN makes of a trail.
fn spin_says(folder: &Path, model: &str, trail: &str) -> String {
    let output = Command::new("spin").args(["-t", "-p", "-k", trail, model]).current_dir(folder).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A copy of the folder of a model, since SPIN writes beside it.
fn copied(model: &Path, name: &str) -> PathBuf {
    let folder = scratch(&format!("trail-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for entry in std::fs::read_dir(model.parent().unwrap()).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        std::fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
    }
    folder
}

/// What SPIN's verifier, which executes every statement again, makes of a trail: its last lines, without the depth of each.
/// An error if a statement cannot be executed where it stands; none if the verifier cannot be compiled.
fn verifier_says(folder: &Path, model: &str, trail: &str) -> Result<Option<Vec<String>>, String> {
    let text = std::fs::read_to_string(folder.join(trail)).unwrap();
    let verifier = if text.starts_with("-2:") { "follows-claims" } else { "follows" };
    let run = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).current_dir(folder).output().map_err(|e| e.to_string())
    };
    if !folder.join(verifier).exists() {
        run("spin", &["-o1", "-o2", "-o3", "-a", model])?;
        let claims = if verifier == "follows" { "-DNOCLAIM" } else { "-DCLAIMS" };
        let compiled = run(judge::verifier_compiler(), &["-w", "-DVECTORSZ=8192", claims, "-o", verifier, "pan.c"])?;
        if !compiled.status.success() {
            println!("{model}: no verifier: {}", String::from_utf8_lossy(&compiled.stderr).trim());
            return Ok(None);
        }
    }
    let said = run(&format!("./{verifier}"), &["-v", "-r", trail])?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    if let Some(wrong) = ["UNEXECUTABLE", "Recovered at", "not found", "invalid pid"].iter().find(|w| said.contains(*w))
    {
        return Err(format!("the verifier says {wrong}: {}", said.chars().take(2000).collect::<String>()));
    }
    let end = said.split_once("trail ends after").ok_or_else(|| format!("the trail does not end: {said}"))?.1;
    let without_depth = |line: &str| line.split_once(":\tproc").map_or(line, |(_, rest)| rest).trim().to_owned();
    Ok(Some(end.lines().skip(1).map(without_depth).collect()))
}

/// Whether the verifier is in the same state at the beginning and at the end of the loop of a trail; if the claim moves, also
/// whether a statement of the loop leaves a state that is accepting for the verifier.
fn loop_closes(folder: &Path, model: &str, trail: &str) -> Result<Judged, String> {
    let (stem, cycle) = trail.split_once("-1:-1:-1\n").ok_or("no mark of a loop")?;
    std::fs::write(folder.join("stem.trail"), stem).unwrap();
    let (first, last) = (verifier_says(folder, model, "stem.trail")?, verifier_says(folder, model, "ours.trail")?);
    if first.is_none() {
        return Ok(Judged::Steps);
    }
    if trail.starts_with("-2:") {
        let listed = Command::new("./follows-claims").arg("-d").current_dir(folder).output().unwrap();
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        // `state 8 -(tr 6)-> state 8 [id 14 tp 2] [-a--G] n.pml:3 => ((x!=0))`
        let accepting = |line: &str| {
            let (_, rest) = line.split_once("[id")?;
            let (number, rest) = rest.trim_start().split_once(' ')?;
            let (_, labels) = rest.split_once('[')?;
            labels.split(']').next()?.contains('a').then(|| format!(":{number}"))
        };
        let accepting: Vec<String> = listed.lines().filter_map(accepting).collect();
        if !cycle.lines().any(|line| accepting.iter().any(|number| line.ends_with(number.as_str()))) {
            return Err(format!("nothing in the loop is accepting: {cycle}"));
        }
    }
    if first == last { Ok(Judged::Loop) } else { Err(format!("the loop does not close: {first:?} and {last:?}")) }
}

/// Whether a condition that must always hold does not hold at the end of a trail: a claim that executes its negation there
/// can move. The number of that statement is taken from the trail of a `never` claim that waits for it.
fn invariant_fails(folder: &Path, model: &str, formula: &str, trail: &str) -> Result<Judged, String> {
    let invariant = formula.strip_prefix("[] ").ok_or_else(|| format!("`{formula}` is no invariant"))?;
    let mut text = without_comments(&std::fs::read_to_string(folder.join(model)).unwrap());
    while let Some(start) = text.find("ltl ") {
        let end = start + text[start..].find('}').ok_or("no end of a formula")?;
        text.replace_range(start..=end, "");
    }
    text += &format!("\nnever {{ do :: !({}) -> break :: else od }}\n", without_implication(invariant));
    let claimed = folder.join("claimed");
    std::fs::create_dir_all(&claimed).unwrap();
    std::fs::write(claimed.join(model), text).unwrap();
    let arguments = ["check", model, "-p", "never", "--quiet", "--output", "trail=ours.trail"];
    let output = Command::new(env!("CARGO_BIN_EXE_highwater")).current_dir(&claimed).args(arguments).output().unwrap();
    let never = std::fs::read_to_string(claimed.join("ours.trail")).map_err(|_| said(&output))?;
    let (head, last) = (never.lines().next().unwrap(), never.lines().last().unwrap());
    let shifted = trail.lines().map(|line| {
        let cells: Vec<i64> = line.split(':').map(|cell| cell.parse().unwrap()).collect();
        format!("{}:{}:{}\n", cells[0], cells[1] + 1, cells[2])
    });
    let steps: String = shifted.collect();
    let (_, last) = last.split_once(':').unwrap();
    std::fs::write(claimed.join("ended.trail"), format!("{head}\n{steps}{}:{last}\n", trail.lines().count() + 1))
        .unwrap();
    let judged = verifier_says(&claimed, model, "ended.trail")?;
    Ok(if judged.is_some() { Judged::Invariant } else { Judged::Steps })
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut parts = text.split("/*");
    kept += parts.next().unwrap_or_default();
    parts.for_each(|part| kept += part.split_once("*/").map_or("", |(_, rest)| rest));
    kept.lines().map(|line| line.split("//").next().unwrap_or_default().to_owned() + "\n").collect()
}

/// A propositional formula as a condition of Promela, where an arrow is none.
fn without_implication(formula: &str) -> String {
    let inner = formula.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(formula);
    let mut depth = 0;
    for (at, letter) in inner.char_indices() {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        if depth == 0 && inner[at..].starts_with("->") {
            let (left, right) = (inner[..at].trim(), inner[at + 2..].trim());
            return format!("(!({}) || ({}))", without_implication(left), without_implication(right));
        }
    }
    formula.to_owned()
}

/// What was judged at the end of a trail.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Judged {
    Assertion,
    EndState,
    Loop,
    ClaimEnds,
    Invariant,
    /// The steps only.
    Steps,
}

/// What was judged in our trail by SPIN, or what is wrong with it; `None` if there is none.
fn ours_in_spin(folder: &Path, model: &str, property: &str) -> Result<Option<Judged>, String> {
    let trail = folder.join("ours.trail");
    let _ = std::fs::remove_file(&trail);
    let properties = match property {
        "progress" => "livelock",
        other => other,
    };
    let output = Command::new(env!("CARGO_BIN_EXE_highwater"))
        .current_dir(folder)
        .args(["check", model, "-p", properties, "--format", "json", "--timeout", "30s"])
        .args(["--output", "trail=ours.trail"])
        .output()
        .unwrap();
    if !trail.exists() {
        return Ok(None);
    }
    let document: Value = serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())?;
    let violated = document["results"].as_array().unwrap().iter().find(|result| result["verdict"] == "violated");
    let witness = &violated.ok_or("a trail without a violation")?["witness"];
    let says = spin_says(folder, model, "ours.trail");
    let text = std::fs::read_to_string(&trail).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('-')).count();
    let claimed = violated.is_some_and(|result| result["property"].as_str().unwrap().starts_with("never"));
    if claimed != text.starts_with("-2:")
        || claimed && !text.lines().nth(1).is_some_and(|line| line.starts_with("1:0:"))
    {
        return Err(format!("only a claim has moves, and it has the first: {text}"));
    }
    if witness["problem_code"] == "assertion" {
        // The line that SPIN names is the one its scanner had come to, so it is the step that counts: the last one.
        let (before, after) = says.split_once("assertion violated").unwrap_or((&says, ""));
        let failed =
            !after.is_empty() && !before.contains("trail ends") && after.contains(&format!("after {lines} steps"));
        return match failed {
            true => Ok(Some(Judged::Assertion)),
            false => Err(format!("SPIN sees no failed assertion in the last step: {says}")),
        };
    }
    // After a loop of nothing, SPIN counts the mark of the loop, which has the number -1.
    let followed = match text.ends_with("-1:-1:-1\n") {
        true => {
            says.contains("ends after -1 steps") && says.lines().any(|l| l.trim().starts_with(&format!("{lines}:")))
        }
        false => says.contains(&format!("trail ends after {lines} steps")),
    };
    if !followed {
        return Err(format!("SPIN does not follow all {lines} lines: {says}"));
    }
    if witness["loop_from"].is_u64() != says.contains("START OF CYCLE") {
        return Err(format!("SPIN sees another loop: {says}"));
    }
    verifier_says(folder, model, "ours.trail")?;
    if witness["loop_from"].is_u64() {
        return loop_closes(folder, model, &text).map(Some);
    }
    let end = says.split("trail ends after").nth(1).unwrap_or_default();
    match witness["problem_code"].as_str().unwrap() {
        "claim-violated" => {
            let at_end = |line: &str| line.contains("proc  - (") && line.ends_with("<valid end state>");
            let ends = end.lines().any(at_end);
            if ends { Ok(Some(Judged::ClaimEnds)) } else { Err(format!("the claim has no end for SPIN: {end}")) }
        }
        "formula" => {
            let formula = witness["problem"].as_str().unwrap().split('`').nth(1).unwrap();
            invariant_fails(folder, model, formula, &text).map(Some)
        }
        "invalid-end-state" => {
            // SPIN has the same processes at the end, at the same lines.
            let mut spins: Vec<String> = end.lines().filter_map(place_of_process).collect();
            let ours = witness["waiting"].as_array().ok_or("no waiting processes")?.iter();
            let mut ours: Vec<String> = ours
                .map(|waits| format!("{} {}", waits["instance"], waits["process"].as_str().unwrap_or("")))
                .collect();
            spins.sort();
            ours.sort();
            match spins == ours {
                true => Ok(Some(Judged::EndState)),
                false => Err(format!("at the end SPIN has {spins:?}, we have {ours:?}")),
            }
        }
        _ => Ok(Some(Judged::Steps)),
    }
}

/// `2 Bob` of the line ` 20: proc  2 (Bob:1) t1.pml:22 (state 9)`.
fn place_of_process(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("proc")?;
    let (number, rest) = rest.trim_start().split_once(' ')?;
    let name = rest.split_once('(')?.1.rsplit_once(") ").map_or(rest, |(name, _)| name);
    let name = name.split(')').next()?.rsplit_once(':').map_or(name, |(name, _)| name);
    line.contains("(state ").then(|| format!("{number} {}", name.trim_start_matches('(')))
}

/// What is wrong with the trail of SPIN's verifier in our eyes; `Ok(false)` if there is none.
fn spins_in_ours(folder: &Path, model: &str, property: &str) -> Result<bool, String> {
    let run = |program: &str, arguments: &[&str]| Command::new(program).args(arguments).current_dir(folder).output();
    run("spin", &["-a", model]).map_err(|e| e.to_string())?;
    let (defined, options): (&[&str], Vec<&str>) = match property {
        "progress" => (&["-DNP"], vec!["-l"]),
        "never" => (&[], vec!["-a"]),
        _ => match property.strip_prefix("ltl:") {
            Some(name) => (&[], vec!["-a", "-N", name]),
            None => (&["-DSAFETY", "-DNOCLAIM"], Vec::new()),
        },
    };
    let compile = [&["-w", "-DVECTORSZ=8192"], defined, &["-o", "pan", "pan.c"]].concat();
    let compiled = run(judge::verifier_compiler(), &compile);
    if !compiled.is_ok_and(|output| output.status.success()) {
        return Ok(false);
    }
    // At most a minute.
    let report = run("./pan", &[&["-m100000", "-Q1"], options.as_slice()].concat()).map_err(|e| e.to_string())?;
    let report = String::from_utf8_lossy(&report.stdout).into_owned();
    let trail = folder.join(format!("{model}.trail"));
    let Some(error) = report.lines().find_map(|line| line.strip_prefix("pan:1: ")) else { return Ok(false) };
    if !trail.exists() {
        return Ok(false);
    }
    let output = highwater(&["simulate", path(&folder.join(model)), "--replay", path(&trail)]);
    let text = said(&output);
    // A claim is no part of the model, and its assertions are none of the model's.
    let claimed = std::fs::read_to_string(&trail).unwrap_or_default().lines().any(|line| line.starts_with("-2:"));
    let expected = if claimed {
        ""
    } else if error.starts_with("assertion violated") {
        "assertion ("
    } else if error.starts_with("invalid end state") {
        "invalid-end-state ("
    } else {
        ""
    };
    let last = text.lines().last().unwrap_or_default();
    let follows = output.status.code() == Some(0) && last.contains("steps of a trail: ") && last.contains(expected);
    if follows { Ok(true) } else { Err(format!("{error}: {last}")) }
}

#[test]
fn trails_go_both_ways_for_a_model_with_all_kinds_of_statements() {
    if !judge::has_spin() {
        println!("skipped: SPIN is not installed");
        return;
    }
    let file = written("trail-model.pml", MODEL);
    let folder = copied(&file, "model");
    let name = "trail-model.pml";
    assert_eq!(ours_in_spin(&folder, name, SAFETY), Ok(Some(Judged::EndState)));
    assert_eq!(spins_in_ours(&folder, name, SAFETY), Ok(true));
    // One that does not fit is refused, at the line that is not possible.
    std::fs::write(folder.join("wrong.trail"), "1:0:0\n2:0:0\n").unwrap();
    let wrong = highwater(&["simulate", path(&folder.join(name)), "--replay", path(&folder.join("wrong.trail"))]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(said(&wrong).contains("line 2 of the trail: process 0 cannot take statement 0 here"), "{}", said(&wrong));
}

#[test]
fn trails_of_runs_that_end_have_a_loop_of_nothing() {
    if !judge::has_spin() {
        println!("skipped: SPIN is not installed");
        return;
    }
    let text = "byte x;\nactive proctype P() { x = 1; x = 2 }\nltl f { <> (x == 3) }\n";
    let name = "trail-ends.pml";
    let folder = copied(&written(name, text), "ends");
    assert_eq!(ours_in_spin(&folder, name, "ltl:f"), Ok(Some(Judged::Loop)));
    assert_eq!(std::fs::read_to_string(folder.join("ours.trail")).unwrap(), "1:0:0\n2:0:1\n3:0:2\n-1:-1:-1\n");
    assert_eq!(spins_in_ours(&folder, name, "ltl:f"), Ok(true));
    let replayed = highwater(&["simulate", path(&folder.join(name)), "--replay", path(&folder.join("ours.trail"))]);
    assert!(said(&replayed).contains("replayed 3 steps of a trail: no problem"), "{}", said(&replayed));
}

#[test]
fn trails_are_for_promela_and_for_one_model_at_a_time() {
    let good = written("trail-good.pml", "active proctype P() { skip }");
    let trail = scratch("none.trail");
    let _ = std::fs::remove_file(&trail);
    let output = format!("trail={}", path(&trail));
    assert_eq!(highwater(&["check", path(&good), "--output", &output]).status.code(), Some(0));
    assert!(!trail.exists(), "there is no run to write");
    assert_eq!(highwater(&["check", path(&good), path(&good), "--output", &output]).status.code(), Some(2));
    let fsp = written("trail.fsp", "P = (a -> STOP).\n||S = P.\n");
    assert_eq!(highwater(&["check", path(&fsp), "--output", &output]).status.code(), Some(2));
}

/// Public models and properties for which SPIN found an error, or did not finish; those that it found quickly come first.
fn cases(folder: &Path) -> Vec<(String, String)> {
    let mut rows = corpus::rows(folder);
    rows.retain(|row| row.accepted && (row.errors > 0 || !row.complete));
    rows.retain(|row| !corpus::REFUSED.contains(&row.file.as_str()));
    rows.sort_by_key(|row| row.stored.filter(|_| row.complete).map_or(u64::MAX, |states| states / 300_000));
    let mut cases: Vec<_> = rows.into_iter().map(|row| (row.file, String::from(SAFETY))).collect();
    for table in ["spin-ltl.tsv", "spin-progress.tsv"] {
        let table = std::fs::read_to_string(folder.join(table)).unwrap();
        let cells = table.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
        let violated = cells.filter(|cells| cells[2] == "yes");
        cases.extend(violated.map(|cells| (cells[0].to_owned(), cells[1].to_owned())));
    }
    cases
}

#[test]
fn trails_of_public_models_go_both_ways() {
    let folder = corpus::folder();
    if !judge::has_spin() || !folder.join("spin-results.tsv").exists() {
        println!("skipped: no SPIN, or no public models beside the project");
        return;
    }
    let full = testing::full_corpus();
    let mut cases = cases(&folder);
    if !full {
        // Four with safety errors, two with violated formulas, two with cycles without progress.
        let quick = [0, 1, 2, 3, cases.len() - 15, cases.len() - 14, cases.len() - 2, cases.len() - 1];
        cases = quick.map(|index| cases[index].clone()).to_vec();
    }
    let (mut written, mut read, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    let mut judged: BTreeMap<Judged, usize> = BTreeMap::new();
    for (file, property) in &cases {
        let model = folder.join(file);
        let name = model.file_name().unwrap().to_str().unwrap();
        let copy = copied(&model, "public");
        let mut differs =
            |why: String| wrong.push(format!("{file} {property}: {}", why.chars().take(600).collect::<String>()));
        match ours_in_spin(&copy, name, property) {
            Ok(Some(kind)) => {
                *judged.entry(kind).or_default() += 1;
                written.push(file);
            }
            Ok(None) => {}
            Err(why) => differs(why),
        }
        match spins_in_ours(&copy, name, property) {
            Ok(true) => read.push(file),
            Ok(false) => {}
            Err(why) => differs(why),
        }
    }
    let models = |files: &[&String]| files.iter().collect::<BTreeSet<_>>().len();
    let (ours, spins) = (models(&written), models(&read));
    println!(
        "{} trails of {ours} models replay in SPIN, {judged:?}; {} of SPIN, of {spins} models, here",
        written.len(),
        read.len()
    );
    assert!(wrong.is_empty(), "{} trails differ:\n{}", wrong.len(), wrong.join("\n"));
    let least = if full { 100 } else { cases.len() };
    assert!(ours >= least && spins >= least, "trails of {ours} models were written, of {spins} read");
}

/// A claim with three states at random, some of them accepting; it may end.
fn random_claim(random: &mut Random) -> String {
    let guards = ["true", "x == 0", "x > 1", "x != 2", "x == 3 || y == 1", "timeout", "R@wait", "len(c) == 0"];
    let labels: Vec<String> =
        (0..3).map(|state| format!("{}{state}", if random.one_in(2) { "accept_" } else { "S" })).collect();
    let mut claim = String::from("never {\n");
    for label in &labels {
        let mut options = String::new();
        for _ in 0..=random.below(3_usize) {
            let target = if random.one_in(8) { "done" } else { &labels[random.below(3_usize)] };
            options += &format!(" :: {} -> goto {target}", random.pick(&guards));
        }
        if random.one_in(3) {
            options += &format!(" :: else -> goto {}", labels[random.below(3_usize)]);
        }
        claim += &format!("{label}: if{options} fi;\n");
    }
    claim + "done: skip }\n"
}

#[test]
fn trails_of_random_claims_are_those_of_runs_that_spin_accepts() {
    if !judge::has_spin() {
        println!("skipped: SPIN is not installed");
        return;
    }
    let model = "byte x, y;\nchan c = [1] of { byte };\n\
        active proctype P() { do :: x < 3 -> x++ :: atomic { x == 3 -> x = 1; y = 1 - y } :: c!x -> break od }\n\
        active proctype R() { byte z; wait: c?z; if :: z > 1 -> goto wait :: else fi }\n";
    let mut violated = 0;
    let (first, count) = (testing::first(1), testing::seeds(12));
    for seed in first..first + count {
        let claim = random_claim(&mut Random::new(seed));
        let file = "trail-random.pml";
        let folder = copied(&written(file, &format!("{model}{claim}")), "random");
        match ours_in_spin(&folder, file, "never") {
            Ok(judged) => violated += u64::from(judged.is_some_and(|judged| judged != Judged::Steps)),
            Err(why) => panic!("seed {seed}: {claim}{why}"),
        }
    }
    println!("{violated} of {count} claims are violated");
    assert!(count < 12 || violated * 4 > count, "{violated} of {count} claims are violated");
}

/// Claims with an end, with a loop of steps, with a loop of nothing, with an atomic sequence, with an assertion, between the
/// processes and behind them; which of their moves fit is for SPIN's verifier to say.
#[test]
fn the_moves_of_claims_are_in_their_trails() {
    if !judge::has_spin() {
        println!("skipped: SPIN is not installed");
        return;
    }
    let counter = "active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 1 od }";
    let twice = "active proctype P() { atomic { x = 1; x = 2 } x = 3 }";
    let models = [
        ("end", twice, "never { do :: x == 2 -> break :: else od }", Judged::ClaimEnds),
        (
            "loop",
            counter,
            "never { do :: x == 3 -> goto accept_A :: true od; accept_A: do :: x != 0 od }",
            Judged::Loop,
        ),
        (
            "rounds",
            counter,
            "never { do :: true :: x > 1 -> goto accept_A od; accept_A: true; T: if :: x == 1 -> goto accept_A :: x != 1 -> goto T fi }",
            Judged::Loop,
        ),
        ("nothing", twice, "never { do :: x == 3 -> goto accept :: true od; accept: do :: true od }", Judged::Loop),
        (
            "turns",
            twice,
            "never { do :: x == 3 -> goto accept :: true od; accept: x == 3; x > 2; goto accept }",
            Judged::Loop,
        ),
        // The label is one of a jump, for which SPIN makes another statement in the middle of the claim.
        (
            "label",
            counter,
            "never { do :: true :: x == 2 -> goto accept_A od; accept_A: do :: !(R@P1) || x > 0 od }",
            Judged::Loop,
        ),
        (
            "atomic",
            counter,
            "never { do :: true :: atomic { x == 2; x < 3 -> goto accept_A } od; accept_A: do :: true od }",
            Judged::Loop,
        ),
    ];
    let mut judged = 0;
    for (name, process, claim, expected) in models {
        let others = "chan c = [0] of { byte };\nactive proctype Q() { c!x }\nactive proctype R() { byte y; again: c?y; end: do :: false od; P1: goto again }";
        // A label must be declared before it is referred to.
        let orders = [format!("{process}\n{claim}\n{others}"), format!("{others}\n{process}\n{claim}")];
        for text in orders.iter().skip(usize::from(name == "label")) {
            let file = format!("trail-claim-{name}.pml");
            let folder = copied(&written(&file, &format!("byte x;\n{text}\n")), &format!("claim-{name}"));
            let ours = ours_in_spin(&folder, &file, "never");
            assert_eq!(ours, Ok(Some(expected)), "{text}");
            let replayed =
                highwater(&["simulate", path(&folder.join(&file)), "--replay", path(&folder.join("ours.trail"))]);
            assert_eq!(replayed.status.code(), Some(0), "{}", said(&replayed));
            judged += 1;
        }
    }
    assert_eq!(judged, 13);
}

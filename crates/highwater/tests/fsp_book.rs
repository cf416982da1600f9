//! The examples of Magee and Kramer's book, where they are at hand: every file is read, and deadlock, safety and progress are
//! what LTSA says. Its table has no asserts; those expected here were worked out by hand, for all runs (LTSA's *fair choice* off) and
//! for runs with fair choices only.

use highwater::settings::{Fairness, ReadOptions, Settings};
use highwater::{Budget, Check, Model, Verdict};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/fsp-book");
    folder.join("ltsa-results.tsv").is_file().then_some(folder)
}

fn verdict(model: &Model, property: &str) -> (Verdict, String) {
    verdict_of(model, property, Fairness::None)
}

fn verdict_of(model: &Model, property: &str, fair: Fairness) -> (Verdict, String) {
    let settings = Settings { fair, ..Settings::default() };
    let check =
        Check::new(model).settings(settings).property(property).expect(property).timeout(Duration::from_secs(60));
    let report = check.run().expect(property);
    let finding = report.finding(property).expect(property);
    (finding.verdict(), report.to_text())
}

#[test]
fn every_file_is_read() {
    let Some(folder) = folder() else { return };
    let mut refused = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|extension| extension == "fsp")
            && let Err(error) = Model::read(&path)
        {
            refused.push(format!("{}: {error}", path.display()));
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn verdicts_are_those_of_ltsa() {
    let Some(folder) = folder() else { return };
    let table = std::fs::read_to_string(folder.join("ltsa-results.tsv")).expect("a table");
    let mut wrong = Vec::new();
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [file, system, _, deadlock, violation, progress] = cells[..] else { panic!("{row}") };
        let system = (system != "DEFAULT").then(|| system.to_owned());
        let options = ReadOptions { system, ..ReadOptions::default() };
        let model = match Model::read_with(&folder.join(file), &options, &Budget::default()) {
            Ok(model) => model,
            Err(error) => {
                wrong.push(format!("{row}: {error}"));
                continue;
            }
        };
        let mut expect = |property: &str, violated: bool| {
            let (found, text) = verdict(&model, property);
            let expected = if violated { Verdict::Violated } else { Verdict::Proved };
            if found != expected {
                wrong.push(format!("{row}\n{property}: {text}"));
            }
        };
        // LTSA looks for one error at a time: where something is violated it says nothing of deadlock.
        if violation == "-" || deadlock == "yes" {
            expect("deadlock", deadlock == "yes");
        }
        if violation != "-" {
            expect("safety", true);
        }
        let declared: Vec<String> = model.stated().expect("properties").iter().map(ToString::to_string).collect();
        let declared: Vec<&String> = declared.iter().filter(|name| name.starts_with("progress:")).collect();
        let missed = progress.strip_prefix("violated").map(str::trim);
        match missed {
            _ if declared.is_empty() => expect("progress", missed.is_some()),
            None => declared.iter().for_each(|name| expect(name, false)),
            Some(missed) => {
                let name = match missed.split_once('.') {
                    Some((name, index)) => format!("progress:{name}[{index}]"),
                    None => format!("progress:{missed}"),
                };
                expect(if violation == "-" { &name } else { "progress" }, true);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn asserts_hold_or_do_not() {
    let Some(folder) = folder() else { return };
    let ring = [("SAFE", true), ("LIVE", false), ("WITNESS_LIVE", false), ("WITNESS_SAFE", false)];
    let bridge = [
        ("ONEWAY", true),
        ("ONEWAY_", true),
        ("FIRSTRED", false),
        ("REDCROSS", false),
        ("BLUECROSS", false),
        ("CROSS", false),
        ("STRONGRED", false),
        // Who may not overtake is soon waiting for the first car, and no blue car enters before.
        ("REDEXIT", true),
    ];
    let files = [
        ("chapter14_lts_DatabaseRing.fsp", "DATABASE_RING_ONE", &ring[..]),
        ("chapter14_lts_SingleLaneBridge_fluent.fsp", "SingleLaneBridge", &bridge[..]),
    ];
    for (file, system, expected) in files {
        let options = ReadOptions { system: Some(system.to_owned()), ..ReadOptions::default() };
        let model = Model::read_with(&folder.join(file), &options, &Budget::default()).expect(file);
        for (name, holds) in expected {
            let (found, text) = verdict(&model, &format!("ltl:{name}"));
            assert_eq!(found == Verdict::Violated, !holds, "{file} {name}: {text}");
        }
    }
}

#[test]
fn asserts_under_fair_choice() {
    let Some(folder) = folder() else { return };
    let [ring, bridge] = ["chapter14_lts_DatabaseRing.fsp", "chapter14_lts_SingleLaneBridge_fluent.fsp"];
    // The bridge can always be emptied and entered from either side; when it is congested, those who may enter go first.
    let crossing =
        ["FIRSTRED", "REDCROSS", "BLUECROSS", "CROSS", "STRONGRED", "ONEWAY", "REDEXIT"].map(|name| (name, true));
    let congested = [("REDCROSS", false), ("BLUECROSS", false), ("CROSS", false), ("ONEWAY", true)];
    let database = [("SAFE", true), ("LIVE", true), ("WITNESS_LIVE", false), ("WITNESS_SAFE", false)];
    for (file, system, expected) in [
        (ring, "DATABASE_RING_ONE", &database[..]),
        (bridge, "SingleLaneBridge", &crossing[..]),
        (bridge, "CongestedBridge", &congested[..]),
    ] {
        let options = ReadOptions { system: Some(system.to_owned()), ..ReadOptions::default() };
        let model = Model::read_with(&folder.join(file), &options, &Budget::default()).expect(file);
        for &(name, holds) in expected {
            let (found, text) = verdict_of(&model, &format!("ltl:{name}"), Fairness::Choice);
            assert_eq!(found == Verdict::Proved, holds, "{system} {name}: {text}");
        }
    }
}

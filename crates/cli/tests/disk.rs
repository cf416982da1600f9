//! The search on disk through the binary: killed and resumed, refused where it must be, and clear where the disk fails.

use crate::binary::{check, highwater, of, path, said, scratch, written};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Some ten thousand states in some dozen layers.
const MODEL: &str = "byte x, y, z, w;
    active proctype A() { do :: x < 15 -> x++ :: x > 9 -> x = x - 3 od }
    active proctype B() { do :: y < 15 -> y++ :: y > 9 -> y = y - 3 od }
    active proctype C() { do :: z < 15 -> z++ :: z > 9 -> z = z - 3 od }
    active proctype D() { do :: w < LAST -> w++ :: else -> break od; assert(x != 15 || y != 15 || z != 14) }
";

fn model(name: &str, last: u32) -> PathBuf {
    written(name, &MODEL.replace("LAST", &last.to_string()))
}

fn fresh(name: &str) -> PathBuf {
    let folder = scratch(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

const ALL: [&str; 8] =
    ["--engine", "explore", "-p", "safety,deadlock", "--keep-going", "--reduction", "none", "--stats"];

/// What must be the same whichever way a model was searched.
fn essence(results: &[Value]) -> Vec<Value> {
    let keep = |result: &Value| {
        let stats = &result["stats"];
        let steps = result["witness"]["steps"].as_array().map(Vec::len);
        serde_json::json!([
            result["property"],
            result["verdict"],
            stats["states"],
            stats["transitions"],
            stats["depth"],
            result["certificate"],
            steps
        ])
    };
    results.iter().map(keep).collect()
}

#[test]
fn a_search_that_is_killed_again_and_again_ends_as_if_it_was_not() {
    let (file, at) = (model("killed.pml", 9), fresh("killed"));
    let (code, whole, _) = check(&file, &ALL);
    let mut random = testing::Random::new(7);
    let rounds = testing::seeds(3);
    for round in 0..rounds {
        let _ = std::fs::remove_dir_all(&at);
        for kill in 0..6 {
            let begun = at.join("checkpoint").exists();
            let how = if begun { "--resume" } else { "--checkpoint" };
            if !begun {
                let _ = std::fs::remove_dir_all(&at);
            }
            let mut run = Command::new(env!("CARGO_BIN_EXE_highwater"))
                .args(["check", path(&file), how, path(&at)])
                .args(ALL)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(random.below(40 + 30 * kill)));
            run.kill().unwrap();
            run.wait().unwrap();
        }
        let how = if at.join("checkpoint").exists() { "--resume" } else { "--checkpoint" };
        let (again, results, errors) = check(&file, &[&ALL[..], &[how, path(&at)]].concat());
        assert_eq!((code, essence(&whole)), (again, essence(&results)), "round {round}: {errors}");
    }
}

#[test]
fn another_model_another_option_and_a_damaged_file_are_refused() {
    let (file, other, at) = (model("resumed.pml", 2), model("resumed-other.pml", 3), fresh("resumed"));
    let folder = path(&at);
    let run = |file: &Path, more: &[&str]| highwater(&[&["check", path(file)], &ALL[..], more].concat());
    let refused = |file: &Path, more: &[&str], why: &str| {
        let output = run(file, more);
        assert_eq!(output.status.code(), Some(2), "{more:?}: {}", said(&output));
        assert!(said(&output).contains(why), "{more:?}: {}", said(&output));
    };
    refused(&file, &["--resume", folder], "the checkpoint cannot be read");
    assert_eq!(run(&file, &["--checkpoint", folder]).status.code(), Some(1));
    refused(&file, &["--checkpoint", folder], "has a checkpoint already");
    refused(&other, &["--resume", folder], "its model is");
    refused(&file, &["--resume", folder, "--channels", "unbounded"], "its channels is declared");
    refused(&file, &["--resume", folder, "--spill", folder], "would be ignored");
    refused(&file, &["--resume", folder, "--search", "depth"], "--search is for");
    assert_eq!(run(&file, &["--resume", folder]).status.code(), Some(1), "a search that ended ends again");
    let layers = at.join("layers");
    let mut bytes = std::fs::read(&layers).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&layers, bytes).unwrap();
    refused(&file, &["--resume", folder], "checksum");
    let text = std::fs::read_to_string(at.join("checkpoint")).unwrap().replace("of version 0", "of version 9");
    std::fs::write(at.join("checkpoint"), text).unwrap();
    refused(&file, &["--resume", folder], "damaged");
}

/// A file must not grow beyond a limit, which is what a full disk looks like.
#[cfg(unix)]
#[test]
fn a_full_disk_is_inconclusive_and_the_checkpoint_before_it_is_whole() {
    let (file, at) = (model("full.pml", 9), fresh("full"));
    let limited = |blocks: u32, option: &str| {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_highwater"), "check", path(&file), "--format", "json"]);
        let output = command.args(ALL).args([option, path(&at)]).output().unwrap();
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), document["results"].as_array().unwrap().clone())
    };
    let (code, results) = limited(64, "--spill");
    assert_eq!((code, &of(&results, "deadlock")["reason"]), (Some(3), &Value::from("disk")), "{results:?}");
    let (code, results) = limited(1000, "--checkpoint");
    assert_eq!((code, &of(&results, "deadlock")["reason"]), (Some(3), &Value::from("disk")), "{results:?}");
    let (_, whole, _) = check(&file, &ALL);
    let (_, resumed, errors) = check(&file, &[&ALL[..], &["--resume", path(&at)]].concat());
    assert_eq!(essence(&whole), essence(&resumed), "{errors}");
}

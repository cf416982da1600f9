//! Examples whose README has a table of verdicts: each row is asked of the binary. A proof must be accepted by the checker, and
//! the run of a violation must replay.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders of `examples/` with such a table.
const FOLDERS: [&str; 2] = ["capsules", "cfsm"];

struct Row {
    model: PathBuf,
    property: String,
    verdict: String,
    /// `NAME BOUND`
    queues: Vec<String>,
}

fn rows(folder: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(folder.join("README.md")).expect("a README");
    let lines = text.lines().skip_while(|line| !line.starts_with("| ---")).skip(1);
    let rows = lines.take_while(|line| line.starts_with('|')).map(|line| {
        let cells: Vec<String> = line.trim_matches('|').split('|').map(|cell| cell.replace('`', "")).collect();
        let [model, property, verdict, queues] = &cells[..] else { panic!("{line}: four cells") };
        let queues = queues.split(',').map(str::trim).filter(|queue| !queue.is_empty());
        Row {
            model: folder.join(model.trim()),
            property: property.trim().to_owned(),
            verdict: verdict.trim().to_owned(),
            queues: queues.map(String::from).collect(),
        }
    });
    rows.collect()
}

fn highwater(arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_highwater")).args(arguments).output().expect("it runs");
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn every_row_of_a_table_holds() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tables");
    std::fs::create_dir_all(&scratch).expect("a folder");
    let [trace, certificate] = ["trace.json", "certificate.json"].map(|name| scratch.join(name).display().to_string());
    for row in FOLDERS.iter().flat_map(|folder| rows(&examples.join(folder))) {
        let model = row.model.display().to_string();
        let ask = ["check", &model, "-p", &row.property, "--format", "json", "--trace", &trace];
        let (_, printed) = highwater(&[&ask[..], &["--certificate", &certificate]].concat());
        let document: Value = serde_json::from_str(&printed).expect("a document");
        let result = &document["results"][0];
        assert_eq!(result["verdict"], *row.verdict, "{model}: {}", row.property);
        let channels = result["channels"].as_array().map_or(&[][..], Vec::as_slice);
        let exact = channels.iter().filter(|channel| channel["exact"] == true);
        let exact: Vec<String> =
            exact.map(|channel| format!("{} {}", channel["name"].as_str().unwrap_or(""), channel["reached"])).collect();
        let missing = row.queues.iter().find(|queue| !exact.contains(queue));
        assert_eq!(missing, None, "{model}: exact bounds are {exact:?}");
        let confirmed = match row.verdict.as_str() {
            "proved" => highwater(&["verify-certificate", &model, &certificate]),
            _ => highwater(&["simulate", &model, "--replay", &trace]),
        };
        assert_eq!(confirmed.0, 0, "{model}: {}: {}", row.property, confirmed.1);
    }
}

#[test]
fn every_model_of_the_folders_is_in_a_table() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for folder in FOLDERS.map(|folder| examples.join(folder)) {
        let named: Vec<PathBuf> = rows(&folder).into_iter().map(|row| row.model).collect();
        let mut folders = vec![folder];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("readable").path()) {
                if entry.is_dir() {
                    folders.push(entry);
                } else if entry.extension().is_some_and(|extension| extension != "md") {
                    assert!(named.contains(&entry), "{} is in no table", entry.display());
                }
            }
        }
    }
}

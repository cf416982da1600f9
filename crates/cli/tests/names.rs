//! A channel has one name, whoever speaks of it: tables, notes and cycles of the static engine, runs of the search, the text, the
//! JSON, the page, the annotations, the picture.
//!
//! The channel of a process that is there from the start has the `_pid` of the process, everywhere. A process that `run`
//! creates has its `_pid` in a run only: there its channel is `P[2]:c`, and what holds for all such channels is said of `P[*]:c`.

use crate::binary::{document, highwater, path, scratch, written};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Processes from the start and created ones; a creator that comes late, so that numbers and the order of `run`s differ.
const MODELS: &[(&str, &str)] = &[
    (
        "grows",
        "proctype A() { skip }\nproctype C(byte n) { chan k = [2] of { byte }; do :: k!n :: k?_ od }\n\
         active [2] proctype P() { chan own = [1] of { byte }; own!1; own?_ }\n\
         init { chan m[2] = [1] of { byte }; m[1]!1; run A(); run C(1); run C(2) }\n",
    ),
    (
        "stuck",
        "mtype = { a };\nproctype B(byte n) { skip }\n\
         proctype C(byte n) { chan k = [2] of { mtype }; run B(n); k!a; k!a; k!a }\n\
         active proctype P() { chan own = [1] of { byte }; own!1; own!2 }\ninit { run B(0); run C(1); run C(2) }\n",
    ),
    (
        "answers",
        "chan server = [2] of { chan };\nproctype Client() { chan mine = [1] of { byte }; server!mine; mine?_ }\n\
         active proctype Server() { chan c; end: do :: server?c -> c!1 od }\n\
         active proctype Start() { atomic { run Client(); run Client() } }\n",
    ),
];

/// Names of local channels and processes in a text: `P[2]:c` and `P[2]`, with what is between the brackets.
fn named(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (open, _) in text.match_indices('[') {
        let start =
            text[..open].rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != ':').map_or(0, |at| at + 1);
        let Some(close) = text[open..].find(']') else { continue };
        let (process, number) = (text[start..open].trim_matches(':'), &text[open + 1..open + close]);
        if !process.is_empty() && (number == "*" || number.parse::<u32>().is_ok()) {
            names.entry(process.to_owned()).or_default().insert(number.to_owned());
        }
    }
    names
}

/// The processes of the runs of a document, by name, with their numbers.
fn movers(document: &Value, names: &mut BTreeMap<String, BTreeSet<String>>) {
    match document {
        Value::Object(fields) => {
            if let (Some(Value::String(process)), Some(Value::Number(instance))) =
                (fields.get("process"), fields.get("instance"))
            {
                names.entry(process.trim_matches(':').to_owned()).or_default().insert(instance.to_string());
            }
            fields.values().for_each(|value| movers(value, names));
        }
        Value::Array(values) => values.iter().for_each(|value| movers(value, names)),
        _ => {}
    }
}

#[test]
fn a_channel_has_one_name_in_every_form() {
    for (name, text) in MODELS {
        let file = written(&format!("names-{name}.pml"), text);
        let (_, mut json, _) = document(&file, &["-p", "boundedness,deadlock"]);
        // A certificate of a search has the numbers of the search.
        for result in json["results"].as_array_mut().unwrap() {
            result.as_object_mut().unwrap().remove("certificate");
        }
        let initial: BTreeMap<&str, BTreeSet<&str>> = match *name {
            "grows" => BTreeMap::from([("P", BTreeSet::from(["0", "1"])), ("init", BTreeSet::from(["2"]))]),
            "stuck" => BTreeMap::from([("P", BTreeSet::from(["0"])), ("init", BTreeSet::from(["1"]))]),
            _ => BTreeMap::from([("Server", BTreeSet::from(["0"])), ("Start", BTreeSet::from(["1"]))]),
        };
        let is_created = |process: &str| ["A", "B", "C", "Client"].contains(&process);
        // Tables, notes and cycles.
        let mut rows = 0;
        for result in json["results"].as_array().unwrap() {
            let said = [&result["channels"], &result["advice"], &result["cycles"], &result["grows"]];
            rows += result["channels"].as_array().map_or(0, Vec::len);
            for (process, numbers) in said.iter().flat_map(|said| named(&said.to_string())) {
                match initial.get(process.as_str()) {
                    Some(known) => {
                        assert!(numbers.iter().all(|one| known.contains(one.as_str())), "{process} {numbers:?}")
                    }
                    None if is_created(&process) => assert_eq!(numbers, BTreeSet::from(["*".to_owned()]), "{process}"),
                    // An array.
                    None => assert!(["m", "k"].contains(&process.as_str()), "{process}"),
                }
            }
        }
        assert!(rows > 1, "{json}");
        // Runs: a created process has a number that moves, or that a step creates.
        let mut moving = BTreeMap::new();
        movers(&json, &mut moving);
        let (html, svg) = (scratch(&format!("names-{name}.html")), scratch(&format!("names-{name}.svg")));
        let (html_output, svg_output) = (format!("html={}", path(&html)), format!("svg={}", path(&svg)));
        let arguments = ["check", path(&file), "-p", "boundedness,deadlock"];
        let human = highwater(&[&arguments[..], &["--output", &html_output, "--output", &svg_output]].concat());
        let github = highwater(&[&arguments[..], &["--format", "github"]].concat());
        let page = std::fs::read_to_string(&html).unwrap();
        let data = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
        let forms = [
            json.to_string(),
            String::from_utf8(human.stdout).unwrap(),
            String::from_utf8(github.stdout).unwrap(),
            data.to_owned(),
            std::fs::read_to_string(&svg).unwrap(),
        ];
        let mut told = 0;
        for form in forms {
            for (process, numbers) in named(&form).iter().filter(|(process, _)| is_created(process)) {
                let known = moving.get(process.as_str());
                let fits = |one: &String| one == "*" || known.is_some_and(|known| known.contains(one));
                assert!(numbers.iter().all(fits), "{process} {numbers:?}, moving {known:?}: {form}");
                told += 1;
            }
        }
        assert!(told > 2, "{name}");
    }
}

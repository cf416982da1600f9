//! Structures in parallel as a user sees them: verdicts, runs, explanations and certificates, through the binary.

use crate::binary;

use crate::binary::{document as check, highwater, path, said, written};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn of<'a>(document: &'a Value, property: &str) -> &'a Value {
    binary::of(document["results"].as_array().unwrap(), property)
}

const PHILOSOPHERS: &str = "\
PHIL = THINK,
THINK = (right.get -> HUNGRY),
HUNGRY = (left.get -> EAT),
EAT = (eat -> left.put -> right.put -> THINK).
FORK = FREE,
FREE = (get -> TAKEN),
TAKEN = (put -> FREE).
||DINERS(N=3) = forall [i:0..N-1] (phil[i]:PHIL || {phil[i].left, phil[(i+N-1)%N].right}::FORK).
";

const CHAIN: &str = "\
P = (in -> mid -> P).
Q = (mid -> out -> Q).
||CHAIN = (P || Q).
assert OUT = [] (in -> <> out)
";

#[test]
fn a_deadlock_is_explained_component_by_component() {
    let file = written("philosophers.fsp", PHILOSOPHERS);
    let output = highwater(&["check", path(&file), "--color", "never"]);
    assert_eq!(output.status.code(), Some(1));
    let text = said(&output);
    let shown: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("the run that violates")).collect();
    let shown = shown[..shown.iter().position(|line| line.starts_with("for more")).unwrap()].join("\n");
    insta::assert_snapshot!(shown, @"
    the run that violates deadlock
      step  event              who takes part
         1  phil[0].right.get  phil[0]: PHIL → HUNGRY; FORK#2: FORK → TAKEN
         2  phil[1].right.get  phil[1]: PHIL → HUNGRY; FORK#3: FORK → TAKEN
         3  phil[2].right.get  FORK: FORK → TAKEN; phil[2]: PHIL → HUNGRY

    why nothing can happen
      `phil[0]` in `HUNGRY` waits for `phil[0].left.get`, which `FORK` refuses in `TAKEN`
      `FORK` in `TAKEN` waits for `phil[0].left.put`, which `phil[0]` refuses in `HUNGRY`; or for `phil[2].right.put`, which `phil[2]` refuses in `HUNGRY`
      `phil[1]` in `HUNGRY` waits for `phil[1].left.get`, which `FORK#2` refuses in `TAKEN`
      `FORK#2` in `TAKEN` waits for `phil[0].right.put`, which `phil[0]` refuses in `HUNGRY`; or for `phil[1].left.put`, which `phil[1]` refuses in `HUNGRY`
      `phil[2]` in `HUNGRY` waits for `phil[2].left.get`, which `FORK#3` refuses in `TAKEN`
      `FORK#3` in `TAKEN` waits for `phil[1].right.put`, which `phil[1]` refuses in `HUNGRY`; or for `phil[2].left.put`, which `phil[2]` refuses in `HUNGRY`
      they wait in a circle: phil[0] → FORK → phil[2] → FORK#3 → phil[1] → FORK#2 → phil[0]

    violated[deadlock]: all 6 components are stuck
    ");
}

#[test]
fn the_document_has_events_participants_and_who_refuses_what() {
    let file = written("document.fsp", PHILOSOPHERS);
    let (code, document, _) = check(&file, &[]);
    assert_eq!((code, &document["model"]["language"]), (1, &Value::from("fsp")));
    let result = of(&document, "deadlock");
    assert_eq!((&result["verdict"], &result["engine"]), (&Value::from("violated"), &Value::from("compose")));
    assert!(result.get("reading").is_none(), "there are no channels to be read: {result}");
    let witness = &result["witness"];
    assert_eq!((&witness["kind"], &witness["loop_from"]), (&Value::from("joint-run"), &Value::Null));
    let step = &witness["steps"][0];
    assert!(step["event"].as_str().unwrap().ends_with("right.get"), "{step}");
    assert_eq!(step["participants"].as_array().unwrap().len(), 2);
    assert_eq!(witness["waiting"].as_array().unwrap().len(), 6);
    let waits = &witness["waiting"][0];
    assert_eq!((&waits["component"], &waits["state"]), (&Value::from("phil[0]"), &Value::from("HUNGRY")));
    assert_eq!(waits["events"][0]["event"], "phil[0].left.get");
    assert_eq!(waits["events"][0]["refused_by"][0]["state"], "TAKEN");
    assert_eq!(witness["circle"].as_array().unwrap().len(), 6);
    assert!(result["stats"]["abstract_states"].as_u64().unwrap() > 0);
}

#[test]
fn each_method_proves_and_its_certificate_is_accepted() {
    let file = written("chain.fsp", CHAIN);
    for method in [&["--plain"][..], &["--method", "paper"], &["--method", "refine"], &["--method", "minimise"], &[]] {
        let certificate = written("chain.json", "");
        let mut more = vec!["--certificate", path(&certificate)];
        more.extend(method);
        let (code, document, errors) = check(&file, &more);
        assert_eq!(code, 0, "{method:?}: {document} {errors}");
        assert_eq!(of(&document, "ltl:OUT")["certificate"]["kind"], "partitions");
        let verified = highwater(&["verify-certificate", path(&file), path(&certificate)]);
        assert_eq!(verified.status.code(), Some(0), "{method:?}: {}", said(&verified));
        assert!(said(&verified).starts_with("accepted  deadlock"), "{}", said(&verified));
    }
}

#[test]
fn a_corrupted_certificate_is_refused() {
    let file = written("corrupted.fsp", CHAIN);
    let certificate = written("corrupted.json", "");
    let (code, _, _) = check(&file, &["--certificate", path(&certificate), "--plain"]);
    assert_eq!(code, 0);
    let good: Value = serde_json::from_str(&std::fs::read_to_string(&certificate).unwrap()).unwrap();
    let verify = |document: &Value| {
        std::fs::write(&certificate, document.to_string()).unwrap();
        let output = highwater(&["verify-certificate", path(&file), path(&certificate)]);
        (output.status.code().unwrap(), said(&output))
    };
    assert_eq!(verify(&good).0, 0);
    let tree = |claim: usize, nodes: Value| {
        let mut bad = good.clone();
        bad["certificates"][claim]["partitions"] = nodes;
        bad
    };
    for (claim, nodes, code, words) in [
        // One class for each: then `in` may happen forever.
        (
            1,
            r#"[{"component":0,"classes":[[0,0],[1,0]]},{"component":1,"classes":[[0,0],[1,0]]},{"parts":[0,1]}]"#,
            1,
            "the abstraction does not prove it",
        ),
        (0, r#"[{"component":0}]"#, 1, "`Q` is missing"),
        (0, r#"[{"component":0},{"component":0},{"component":1},{"parts":[0,1,2]}]"#, 1, "`P` stands in it twice"),
        (0, r#"[{"component":0,"hidden":[1]},{"component":1},{"parts":[0,1]}]"#, 1, "outside knows it"),
        (1, r#"[{"component":0,"hidden":[0]},{"component":1},{"parts":[0,1]}]"#, 1, "of which the formula speaks"),
        (0, r#"[{"component":0,"classes":[[0,0]]},{"component":1},{"parts":[0,1]}]"#, 1, "has no class"),
        (0, r#"[{"component":0},{"component":1},{"parts":[0]}]"#, 2, "unused"),
        (0, r#"[{"component":0},{"component":1},{"parts":[0,7]}]"#, 2, "earlier node"),
    ] {
        let (found, text) = verify(&tree(claim, serde_json::from_str(nodes).unwrap()));
        assert_eq!(found, code, "{nodes}: {text}");
        assert!(text.contains(words), "{nodes}: {text}");
    }
    let mut other = good.clone();
    other["certificates"][1]["property"] = Value::from("ltl:[] !out");
    assert_eq!(verify(&other).0, 1, "the proof of one formula is none of another");
    std::fs::write(&file, CHAIN.replace("P = (in", "P = (in -> in")).unwrap();
    assert_eq!(verify(&good).0, 2, "the proof is for another text");
}

#[test]
fn a_run_is_written_and_replayed() {
    let file = written("replayed.fsp", PHILOSOPHERS);
    let trace = written("replayed.json", "");
    check(&file, &["-p", "deadlock", "--trace", path(&trace)]);
    let replayed = highwater(&["simulate", path(&file), "--replay", path(&trace)]);
    assert_eq!(replayed.status.code(), Some(0), "{}", said(&replayed));
    assert!(said(&replayed).ends_with("replayed 3 steps: deadlock (deadlock)\n"), "{}", said(&replayed));
    let document = highwater(&["check", path(&file), "--format", "json"]);
    let document = written("replayed-document.json", &String::from_utf8(document.stdout).unwrap());
    let again = highwater(&["simulate", path(&file), "--replay", path(&document)]);
    assert_eq!(said(&again), said(&replayed));
    let good = std::fs::read_to_string(&trace).unwrap();
    for (from, to, words) in [
        ("\"problem_code\": \"deadlock\"", "\"problem_code\": \"deadlock\", \"loop_from\": 0", ""),
        ("\"to\":[[0,1]", "\"to\":[[0,2]", "the run is none of the components"),
        ("\"to\":[[0,1]", "\"to\":[[0,99]", "the run is none of the components"),
        ("\"to\":[[0,1]", "\"to\":[[77,1]", "expected a step of such a run"),
        ("\"property\": \"deadlock\"", "\"property\": \"safety\"", "does not end in an error"),
    ] {
        assert!(good.contains(from), "{from} in {good}");
        std::fs::write(&trace, good.replacen(from, to, 1)).unwrap();
        let replayed = highwater(&["simulate", path(&file), "--replay", path(&trace)]);
        assert_eq!(replayed.status.code(), Some(2), "{to}: {}", said(&replayed));
        assert!(said(&replayed).contains(words), "{to}: {}", said(&replayed));
    }
}

#[test]
fn a_formula_of_the_command_line_has_a_lasso_that_replays() {
    let file = written("lasso.fsp", PHILOSOPHERS);
    let trace = written("lasso.json", "");
    let formula = "ltl:[] (phil[0].right.get -> <> phil[0].eat)";
    let (code, document, errors) = check(&file, &["-p", formula, "--trace", path(&trace)]);
    assert_eq!(code, 1, "{document} {errors}");
    let witness = &of(&document, formula)["witness"];
    assert!(witness["loop_from"].is_u64(), "{witness}");
    assert!(witness.to_string().contains("from here on `phil[0].eat` never happens"), "{witness}");
    let replayed = highwater(&["simulate", path(&file), "--replay", path(&trace)]);
    assert_eq!(replayed.status.code(), Some(0), "{}", said(&replayed));
    assert!(said(&replayed).contains("repeats from step"), "{}", said(&replayed));
}

#[test]
fn an_error_state_is_a_violation_of_safety() {
    let text = "property POLITE = (knock -> enter -> POLITE).
GUEST = (knock -> enter -> enter -> GUEST).
||HOUSE = (GUEST || POLITE).";
    let (code, document, _) = check(&written("error.fsp", text), &[]);
    assert_eq!(code, 1);
    assert_eq!(of(&document, "deadlock")["verdict"], "proved");
    let safety = of(&document, "safety");
    assert_eq!(safety["witness"]["problem_code"], "error-state");
    assert_eq!(safety["witness"]["problem"], "`POLITE` gets into an error");
    assert_eq!(safety["witness"]["steps"].as_array().unwrap().len(), 3);
    let (code, document, _) = check(&written("no-error.fsp", CHAIN), &["-p", "safety"]);
    let safety = of(&document, "safety");
    assert_eq!((code, &safety["reason"]), (3, &"not-applicable".into()));
    assert_eq!(safety["detail"], "no component has an error state");
}

#[test]
fn formulas_speak_of_infinite_runs_and_the_others_are_mentioned() {
    let text = "P = (a -> Q | c -> STOP), Q = (b -> Q).
assert SAYS = [] (a -> <> b)
assert NEVER = [] (c -> <> b)";
    let file = written("vacuous.fsp", text);
    let (code, document, _) = check(&file, &["-p", "ltl:SAYS,ltl:NEVER"]);
    assert_eq!(code, 3);
    let says = of(&document, "ltl:SAYS");
    assert_eq!(says["verdict"], "proved");
    assert!(says["advice"][0].as_str().unwrap().starts_with("the composition can get stuck, after 1 step"), "{says}");
    let never = of(&document, "ltl:NEVER");
    assert_eq!(
        (&never["verdict"], &never["detail"]),
        (&Value::from("vacuous"), &Value::from("`c` never holds on an infinite run"))
    );
    assert!(never.get("certificate").is_none());
    let ends = written("ends.fsp", "P = (a -> b -> END).\nassert ONE = [] (a -> <> b)");
    let (code, document, _) = check(&ends, &[]);
    assert_eq!((code, &of(&document, "deadlock")["verdict"]), (3, &Value::from("proved")));
    let words = of(&document, "ltl:ONE")["detail"].as_str().unwrap().to_owned();
    assert_eq!(words, "there is no infinite run, and formulas speak of no other");
}

#[test]
fn a_syntax_error_has_its_place_and_an_unknown_event_its_neighbour() {
    let file = written("syntax.fsp", "P = (a -> -> P).");
    let (code, document, errors) = check(&file, &[]);
    assert_eq!((code, &document["exit_code"]), (2, &Value::from(2)));
    assert_eq!(document["errors"][0]["at"]["line"], 1);
    assert_eq!(document["errors"][0]["at"]["column"], 11);
    assert!(errors.contains("syntax.fsp:1:11"), "{errors}");
    let file = written("unknown.fsp", CHAIN);
    let (code, _, errors) = check(&file, &["-p", "ltl:[] (inn -> <> out)"]);
    assert_eq!(code, 2);
    assert!(errors.contains("did you mean `in`?"), "{errors}");
    let code = document["errors"][0]["code"].as_str().unwrap();
    assert_eq!(highwater(&["explain", code]).status.code(), Some(0));
}

#[test]
fn a_system_is_chosen_by_name_and_certificates_remember_it() {
    let text = "P = (a -> b -> P).\nQ = (b -> a -> Q).\n||STUCK = (P || Q).\n||FREE = (x:P || y:Q).";
    let file = written("systems.fsp", text);
    let certificate = written("systems.json", "");
    assert_eq!(check(&file, &["--system", "STUCK"]).0, 1);
    let (code, _, _) = check(&file, &["--system", "P", "--certificate", path(&certificate)]);
    assert_eq!(code, 0);
    let verified = highwater(&["verify-certificate", path(&file), path(&certificate)]);
    assert_eq!(said(&verified), "accepted  deadlock  1 component\n");
    let (code, _, errors) = check(&file, &["--system", "STUKC"]);
    assert_eq!(code, 2);
    assert!(errors.contains("did you mean `STUCK`?"), "{errors}");
}

#[test]
fn an_aut_file_is_a_structure_alone_or_a_part_of_a_text() {
    let ring = "des (0, 2, 2)\n(0, \"a\", 1)\n(1, \"b\", 0)\n";
    let alone = written("ring.aut", ring);
    let (code, document, _) = check(&alone, &["-p", "deadlock,ltl:[] <> a"]);
    assert_eq!((code, &document["model"]["language"]), (0, &Value::from("aut")));
    let text = written("with-ring.fsp", "R = \"ring.aut\".\nP = (b -> a -> P).\n||S = (R || P).");
    let (code, document, errors) = check(&text, &[]);
    assert_eq!(code, 1, "{document} {errors}");
    // The hash is that of both files.
    let before = document["model"]["sha256"].clone();
    written("ring.aut", &ring.replace("(1, \"b\", 0)", "(1, \"c\", 0)"));
    assert_ne!(check(&text, &[]).1["model"]["sha256"], before);
    std::fs::remove_file(&alone).unwrap();
    let (code, _, errors) = check(&text, &[]);
    assert_eq!(code, 2);
    assert!(errors.contains("there is no such file"), "{errors}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let file = written("usage.fsp", CHAIN);
    for flags in [
        &["--fair", "-p", "deadlock"][..],
        &["--channels", "drop"],
        &["--apply-bounds"],
        &["--bad", "x"],
        &["--method", "cegar"],
        &["--plain", "--method", "paper"],
        &["-D", "N=3"],
        &["-p", "deadlock", "--engine", "explore"],
    ] {
        let mut arguments = vec!["check", path(&file)];
        arguments.extend(flags);
        assert_eq!(highwater(&arguments).status.code(), Some(2), "{flags:?}");
    }
    let promela = written("usage.pml", "active proctype P() { skip }");
    for flags in [&["--plain"][..], &["--system", "P"], &["--engine", "compose"], &["--engine", "pdr"]] {
        let mut arguments = vec!["check", path(&promela)];
        arguments.extend(flags);
        assert_eq!(highwater(&arguments).status.code(), Some(2), "{flags:?}");
    }
    let (code, document, _) = check(&file, &["-p", "boundedness"]);
    assert_eq!((code, &of(&document, "boundedness")["reason"]), (3, &Value::from("not-applicable")));
}

#[test]
fn not_finished_is_no_answer() {
    let file = written("large.fsp", &fsp::families::dining(12));
    let (code, document, _) = check(&file, &["--plain", "-p", "deadlock", "--timeout", "100ms"]);
    assert_eq!((code, &of(&document, "deadlock")["reason"]), (3, &Value::from("timeout")));
    let (code, document, _) = check(&file, &["-p", "deadlock"]);
    assert_eq!(code, 0, "{document}");
}

#[test]
fn a_refinement_is_traced_on_stderr() {
    let file = written("refinement.fsp", CHAIN);
    let output = highwater(&["check", path(&file), "-p", "deadlock", "--method", "paper", "--trace-refinement"]);
    let trace = String::from_utf8(output.stderr).unwrap();
    assert!(trace.starts_with("iteration 1"), "{trace}");
}

/// A row of the table of `examples/fsp`: the file, and which of its properties hold.
fn table() -> Vec<(PathBuf, Vec<(String, bool)>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/fsp");
    let text = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| `")).map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let formulas = |cell: usize, holds: bool| {
            let names = cells[cell].split(", ").filter(|name| name.starts_with('`'));
            names.map(move |name| (format!("ltl:{}", name.trim_matches('`')), holds))
        };
        let mut expected = vec![(String::from("deadlock"), cells[1] == "no")];
        if cells[2] == "yes" {
            expected.push((String::from("safety"), false));
        }
        expected.extend(formulas(3, true).chain(formulas(4, false)));
        (folder.join(cells[0].trim_matches('`')), expected)
    });
    rows.collect()
}

#[test]
fn every_example_has_its_verdicts_by_every_method() {
    let rows = table();
    assert!(rows.len() >= 10);
    let certificate = written("example.json", "");
    for method in [&["--plain"][..], &["--method", "paper"], &["--method", "refine"], &["--method", "minimise"], &[]] {
        for (file, expected) in &rows {
            let mut more = vec!["--certificate", path(&certificate)];
            more.extend(method);
            let (code, document, errors) = check(file, &more);
            assert_eq!(document["results"].as_array().unwrap().len(), expected.len(), "{file:?}: {document} {errors}");
            for (property, holds) in expected {
                let verdict = if *holds { "proved" } else { "violated" };
                assert_eq!(of(&document, property)["verdict"], verdict, "{file:?}, {property}, {method:?}");
            }
            assert_eq!(code, i32::from(expected.iter().any(|(_, holds)| !holds)), "{file:?}");
            if expected.iter().any(|(_, holds)| *holds) {
                let verified = highwater(&["verify-certificate", path(file), path(&certificate)]);
                assert_eq!(verified.status.code(), Some(0), "{file:?}, {method:?}: {}", said(&verified));
            }
        }
    }
}

#[test]
fn what_is_printed_as_fsp_has_the_same_verdicts() {
    for (name, text) in [("printed-1.fsp", CHAIN), ("printed-2.fsp", PHILOSOPHERS)] {
        let file = written(name, text);
        let printed = highwater(&["convert", path(&file), "--to", "fsp"]);
        assert_eq!(printed.status.code(), Some(0), "{}", said(&printed));
        let again = written(&format!("again-{name}"), &said(&printed));
        let deadlock = |file: &Path| of(&check(file, &["-p", "deadlock"]).1, "deadlock")["verdict"].clone();
        assert_eq!(deadlock(&file), deadlock(&again));
    }
    let file = written("printed.fsp", "P = (a -> b -> P).");
    let printed = highwater(&["convert", path(&file), "--to", "aut"]);
    assert!(
        said(&printed).starts_with("des (0, 2, 2)") || said(&printed).starts_with("des (0,2,2)"),
        "{}",
        said(&printed)
    );
}

#[test]
fn components_are_shown_as_text_and_as_a_graph() {
    let file = written("shown.fsp", CHAIN);
    let text = said(&highwater(&["show", path(&file)]));
    assert!(text.starts_with("P: 2 states, 2 steps\n  alphabet {in, mid}\n"), "{text}");
    let dot = said(&highwater(&["show", path(&file), "--format", "dot"]));
    assert!(dot.starts_with("digraph") && dot.contains("[label=\"mid\"]"), "{dot}");
    assert_eq!(highwater(&["show", path(&file), "--what", "channels"]).status.code(), Some(2));
}

#[test]
fn a_random_run_gets_stuck_where_it_must() {
    let file = written("random.fsp", "P = (a -> b -> STOP).\nQ = (a -> b -> END).\n||S = (P || Q).");
    let output = highwater(&["simulate", path(&file)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).ends_with("violated: deadlock after 2 steps: nothing can happen\n"), "{}", said(&output));
}

#[test]
fn a_progress_property_is_decided_and_one_that_is_not_there_is_not_green() {
    let file = written("progress.fsp", "P = (a -> P | b -> P).\nprogress LIVE = {a}\n");
    let (code, document, _) = check(&file, &[]);
    assert_eq!(code, 0, "{document}");
    assert_eq!(of(&document, "progress:LIVE")["verdict"], "proved");
    assert_eq!(of(&document, "deadlock")["verdict"], "proved");
    assert_eq!(check(&file, &["-p", "progress:DEAD"]).0, 3);
    // After `a` there is only `b`.
    let file = written("starved.fsp", "P = (a -> Q | b -> P), Q = (b -> Q).\nprogress LIVE = {a}\n");
    let (code, document, _) = check(&file, &[]);
    assert_eq!(code, 1, "{document}");
    assert_eq!(of(&document, "progress:LIVE")["verdict"], "violated");
    // Who names another property is answered that one.
    assert_eq!(check(&file, &["-p", "deadlock"]).0, 0);
    assert_eq!(check(&file, &["-p", "progress:LIVE"]).0, 1);
}

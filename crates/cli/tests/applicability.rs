//! Thirty cells of the tables of `docs/src/applicability.md` through the binary, and that each named property has one result.
//! The tables as a whole are compared with the library in its own tests.

use crate::binary::{document, highwater, path, said, written};
use serde_json::Value;
use std::path::PathBuf;

const PROMELA: &str = "byte x; chan c = [1] of { byte };
active proctype P() { do :: progress: c!1 -> c?1 od }
";
const BARE: &str = "byte x; active proctype P() { x = 0 }\n";
const MACHINES: &str = "scm turns :\nnb_channels = 1 ;\nparameters : int a ;
automaton one :\ninitial : 0\nstate 0 : to 1 : when true , 0 ! a ;\nstate 1 : to 0 : when true , 0 ? a ;\n";
const COMPOSITION: &str = "P = (a -> P).\nQ = (a -> Q).\n||S = (P || Q).\n";
const PROGRAM: &str = "int main(void) { int x = 1; return x; }\n";
const COMPONENTS: &str = "file \"applies-parts.c\";\nS = (x -> S).\nconforms serve to S;\n";

fn model(name: &str) -> PathBuf {
    let text = match name {
        "applies.pml" => PROMELA,
        "bare.pml" => BARE,
        "applies.scm" => MACHINES,
        "applies.fsp" => COMPOSITION,
        "applies.c" => PROGRAM,
        _ => {
            written("applies-parts.c", "void x(void);\nvoid serve(void) { while (1) { x(); } }\n");
            COMPONENTS
        }
    };
    // Tests run at the same time, and a file is not written twice under the same name.
    written(name, text)
}

/// A model, options, the exit code, and words of the output.
const CELLS: [(&str, &[&str], i32, &str); 30] = [
    ("applies.pml", &["-p", "safety"], 0, "proved"),
    ("applies.pml", &["-p", "boundedness"], 0, "proved"),
    ("bare.pml", &["-p", "boundedness"], 3, "no channel of the model holds messages"),
    ("applies.pml", &["-p", "livelock"], 0, "proved"),
    ("bare.pml", &["-p", "livelock"], 3, "no progress label"),
    ("bare.pml", &["-p", "never"], 3, "no never claim"),
    ("bare.pml", &["-p", "trace"], 3, "no `trace` assertion"),
    ("bare.pml", &["-p", "acceptance"], 3, "no acceptance label"),
    ("bare.pml", &["-p", "conformance"], 3, "C components"),
    ("applies.pml", &["-p", "reception"], 3, "add --channels unbounded"),
    ("applies.pml", &["-p", "reception", "--channels", "unbounded"], 0, "proved"),
    ("applies.scm", &["-p", "deadlock"], 0, "proved"),
    ("applies.scm", &["-p", "safety"], 3, "no bad configurations"),
    ("applies.fsp", &["-p", "deadlock"], 0, "proved"),
    ("applies.fsp", &["-p", "safety"], 3, "no component has an error state"),
    ("applies.c", &["-p", "safety"], 0, "proved"),
    ("applies.c", &["-p", "ltl:[] a"], 3, "not checked for C programs"),
    ("applies.spec", &["-p", "conformance"], 0, "proved"),
    ("applies.spec", &["-p", "deadlock"], 3, "the specification has no program"),
    ("applies.pml", &["-p", "boundedness", "--engine", "flow", "--search", "depth"], 2, "--search is for safety"),
    ("applies.pml", &["-p", "safety", "--fair"], 2, "--fair is for ltl"),
    ("applies.pml", &["--plain"], 2, "does not apply to Promela; it is for compositions"),
    ("applies.scm", &["--channels", "drop"], 2, "does not apply to communicating machines"),
    ("applies.scm", &["-p", "deadlock", "--bad", "one@0"], 2, "--bad is for safety"),
    ("applies.scm", &["-I", "."], 2, "-I does not apply"),
    ("applies.fsp", &["--reduction", "none"], 2, "does not apply to compositions"),
    ("applies.c", &["--keep-going"], 2, "does not apply to C programs"),
    ("applies.c", &["--max-states", "5"], 2, "does not apply to C programs"),
    ("applies.spec", &["--search", "depth"], 2, "does not apply to C components"),
    ("applies.pml", &["--apply-bounds", "-p", "safety"], 2, "cannot be used with"),
];

#[test]
fn thirty_cells_of_the_tables_hold_for_the_binary() {
    for (name, options, code, words) in CELLS {
        let output = highwater(&[&["check", path(&model(name))], options].concat());
        let text = said(&output);
        assert_eq!(output.status.code(), Some(code), "{name} {options:?}: {text}");
        assert!(text.contains(words), "{name} {options:?}: {text}");
    }
}

#[test]
fn every_named_property_has_exactly_one_result() {
    let named =
        ["never", "trace", "notrace", "acceptance", "livelock", "boundedness", "conformance", "reception", "orphan"];
    for name in ["bare.pml", "applies.fsp", "applies.c"] {
        let (code, document, _) = document(&model(name), &["-p", &named.join(",")]);
        assert_eq!(code, 3, "{document}");
        let results = document["results"].as_array().expect("results");
        let properties: Vec<&Value> = results.iter().map(|result| &result["property"]).collect();
        assert_eq!(properties, named.map(Value::from).iter().collect::<Vec<_>>(), "{name}");
        assert!(results.iter().all(|result| result["verdict"] == "inconclusive"), "{name}: {document}");
    }
}

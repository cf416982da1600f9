//! What `--output` and `--format github` write: valid in the form they claim, and never greener than the exit code.

use crate::binary::{highwater, path, scratch, written};
use crate::schema::{Fields, errors};
use serde_json::Value;
use std::path::{Path, PathBuf};

const SARIF: &str = include_str!("data/sarif-2.1.0.json");

/// The smaller examples, of every kind of model.
fn models() -> Vec<PathBuf> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut models = Vec::new();
    for folder in std::fs::read_dir(examples).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for file in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let small = ["handshake.spec", "philosophers.spec", "writer.spec"].contains(&name.as_str());
            if name.ends_with(".pml") || name.ends_with(".fsp") || name.ends_with(".scm") || small {
                models.push(file);
            }
        }
    }
    models.sort();
    models
}

/// What `check` writes in every form.
struct Written {
    code: i32,
    json: Vec<Value>,
    sarif: Value,
    junit: Element,
    mermaid: String,
    html: String,
}

fn check(name: &str, files: &[&Path], more: &[&str]) -> Written {
    let file = |form: &str| scratch(&format!("{name}.{form}"));
    let forms = ["json", "sarif", "junit", "mermaid", "html"];
    let outputs: Vec<String> = forms.iter().map(|form| format!("--output={form}={}", file(form).display())).collect();
    let mut arguments = vec!["check", "--timeout", "20s"];
    arguments.extend(files.iter().map(|file| path(file)));
    arguments.extend(outputs.iter().map(String::as_str));
    let output = highwater(&[&arguments, more].concat());
    let read = |form: &str| std::fs::read_to_string(file(form)).unwrap();
    Written {
        code: output.status.code().unwrap(),
        json: read("json").lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        sarif: serde_json::from_str(&read("sarif")).unwrap(),
        junit: Element::parse(&read("junit")),
        mermaid: read("mermaid"),
        html: read("html"),
    }
}

#[test]
fn every_form_is_valid_for_every_example_and_says_the_same() {
    let schema: Value = serde_json::from_str(formats::SCHEMA).unwrap();
    let sarif: Value = serde_json::from_str(SARIF).unwrap();
    let models = models();
    assert!(models.len() > 40, "{} models", models.len());
    let files: Vec<&Path> = models.iter().map(PathBuf::as_path).collect();
    for (position, some) in files.chunks(8).enumerate() {
        let written = check(&format!("examples-{position}"), some, &[]);
        assert_eq!(written.json.len(), some.len());
        for document in &written.json {
            assert_eq!(errors(&schema, document, Fields::Named), Vec::<String>::new(), "{}", document["model"]["file"]);
        }
        assert_eq!(errors(&sarif, &written.sarif, Fields::Open), Vec::<String>::new());
        let verdicts = Verdicts::of(&written.json);
        let results = written.sarif["runs"][0]["results"].as_array().unwrap();
        let kind = |kind: &str| results.iter().filter(|result| result["kind"] == kind).count();
        assert_eq!((kind("fail"), kind("pass")), (verdicts.violated, verdicts.proved));
        assert_eq!(kind("open") + kind("notApplicable"), verdicts.open);
        for result in results.iter().filter(|result| result["kind"] == "fail") {
            assert!(result["locations"][0]["physicalLocation"]["region"]["startLine"].is_u64(), "{result}");
        }
        let count = |name: &str| written.junit.attribute(name).parse::<usize>().unwrap();
        let unreadable = written.json.iter().filter(|document| document["errors"].is_array()).count();
        assert_eq!((count("failures"), count("errors")), (verdicts.violated, verdicts.open + unreadable));
        let decided = verdicts.violated + verdicts.proved;
        assert_eq!(count("tests"), decided + verdicts.open + verdicts.advice + unreadable);
        for suite in &written.junit.children {
            let tests = suite.children.len();
            assert_eq!(suite.attribute("tests"), tests.to_string());
            let with =
                |name: &str| suite.children.iter().filter(|case| case.children.iter().any(|c| c.name == name)).count();
            assert_eq!(suite.attribute("failures"), with("failure").to_string());
            assert_eq!(suite.attribute("errors"), with("error").to_string());
            assert_eq!(suite.attribute("skipped"), with("skipped").to_string());
        }
        assert!(written.mermaid.starts_with("sequenceDiagram\n") && written.html.contains("</html>"));
    }
}

#[derive(Default)]
struct Verdicts {
    violated: usize,
    proved: usize,
    open: usize,
    advice: usize,
}

impl Verdicts {
    fn of(documents: &[Value]) -> Verdicts {
        let mut verdicts = Verdicts::default();
        for result in documents.iter().flat_map(|document| document["results"].as_array().unwrap()) {
            let counter = match result["verdict"].as_str().unwrap() {
                _ if result["advisory"] == true || result["asked"] == false => &mut verdicts.advice,
                "violated" => &mut verdicts.violated,
                "proved" => &mut verdicts.proved,
                _ => &mut verdicts.open,
            };
            *counter += 1;
        }
        verdicts
    }
}

#[test]
fn what_is_not_finished_is_green_in_no_form() {
    let text = "int x; active proctype P() { do :: x < 1000 -> x++ od }";
    let file = written("unfinished.pml", text);
    let limit = ["-p", "safety", "--max-states", "5"];
    let written = check("unfinished", &[&file], &limit);
    assert_eq!(written.code, 3);
    assert_eq!(written.junit.attribute("errors"), "1");
    assert_eq!(written.sarif["runs"][0]["results"][0]["kind"], "open");
    assert_eq!(written.sarif["runs"][0]["invocations"][0]["exitCode"], 3);
    let output = highwater(&[&["check", path(&file), "--format", "github"], &limit[..]].concat());
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("::warning file="));
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_in_every_form_and_the_others_are_there() {
    let (bad, good) =
        (written("bad <&>.pml", "active proctype P() { x = }"), written("good.pml", "active proctype P() { skip }"));
    let missing = scratch("missing.pml");
    let all = check("unreadable", &[&bad, &missing, &good], &["-p", "safety"]);
    assert_eq!(all.code, 2);
    assert_eq!((all.junit.children.len(), all.junit.attribute("errors")), (3, String::from("2")));
    assert_eq!(all.junit.children[0].attribute("name"), path(&bad));
    let sarif: Value = serde_json::from_str(SARIF).unwrap();
    assert_eq!(errors(&sarif, &all.sarif, Fields::Open), Vec::<String>::new());
    let results = all.sarif["runs"][0]["results"].as_array().unwrap();
    assert!(results.iter().filter(|result| result["level"] == "error").count() >= 2, "{results:?}");
    assert_eq!(all.sarif["runs"][0]["invocations"][0]["executionSuccessful"], false);
    assert_eq!(results.last().unwrap()["kind"], "pass");
    assert_eq!(all.json.len(), 3);
}

#[test]
fn annotations_name_the_place_and_the_reason() {
    let text = "chan a = [1] of { byte }, b = [1] of { byte };\n\
                active proctype P() {\n  a?_; b!1\n}\nactive proctype Q() {\n  b?_; a!1\n}\n";
    let file = written("an,no:ta%te.pml", text);
    let output = highwater(&["check", path(&file), "-p", "deadlock", "--format", "github"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    let name = path(&file).replace('%', "%25").replace(':', "%3A").replace(',', "%2C");
    let expected = format!(
        "::error file={name},line=3,endLine=3,col=3,endColumn=6,title=deadlock violated::invalid end state: nothing can \
         move%0AP:0 waits at `a?_`: `a` is empty, until Q:1 sends%0AQ:1 waits at `b?_`: `b` is empty, until P:0 sends"
    );
    assert_eq!(printed.lines().next(), Some(expected.as_str()));
    assert_eq!(printed.lines().count(), 2);
}

#[test]
fn a_sequence_diagram_has_an_arrow_for_every_message() {
    let text = "chan q = [2] of { byte }, r = [0] of { byte }; byte x;\n\
                active proctype P() { q!1; r!7; x = 1 }\nactive proctype Q() { q?_; r?_; x == 1; assert(false) }\n";
    let file = written("diagram.pml", text);
    let diagram = check("diagram", &[&file], &["-p", "safety"]).mermaid;
    let lines: Vec<&str> = diagram.lines().map(str::trim).filter(|line| !line.starts_with("%%")).collect();
    let expected = [
        "sequenceDiagram",
        "participant L0 as P:0",
        "participant L1 as Q:1",
        "Note right of L0: q!1",
        "L0-)L1: q: 1",
        "L0->>L1: r: 7",
        "Note right of L0: x = 1",
        "Note right of L1: x == 1",
        "Note right of L1: assert(false)",
        "Note over L0,L1: assertion violated",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn an_output_that_is_misspelt_or_cannot_be_written_is_an_error() {
    let file = written("fine.pml", "active proctype P() { skip }");
    for (output, expected) in [("pdf=x", "there is no form `pdf`"), ("html", "FORM=FILE"), ("html=", "name of a file")]
    {
        let result = highwater(&["check", path(&file), "--output", output]);
        assert_eq!(result.status.code(), Some(2));
        let said = String::from_utf8(result.stderr).unwrap();
        assert!(said.contains(expected), "{said}");
    }
    let nowhere = format!("html={}", scratch("no/such/folder/x.html").display());
    assert_eq!(highwater(&["check", path(&file), "--output", &nowhere]).status.code(), Some(2));
}

#[test]
fn the_schema_is_printed() {
    let output = highwater(&["schema"]);
    let schema: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(schema["title"], "highwater/1");
}

/// An element of XML.
#[derive(Default, Debug)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<Element>,
}

impl Element {
    /// The root of a document; panics if it is not well-formed.
    fn parse(text: &str) -> Element {
        let text = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").expect("a declaration");
        let mut open = vec![Element::default()];
        let mut rest = text;
        while let Some(start) = rest.find('<') {
            assert!(entities(&rest[..start]).is_some(), "{}", &rest[..start]);
            let end = start + rest[start..].find('>').expect("an end of a tag");
            let tag = &rest[start + 1..end];
            rest = &rest[end + 1..];
            if let Some(name) = tag.strip_prefix('/') {
                let element = open.pop().unwrap();
                assert_eq!(element.name, name);
                open.last_mut().expect("an open element").children.push(element);
            } else {
                let element = Element::tag(tag.trim_end_matches('/'));
                match tag.ends_with('/') {
                    true => open.last_mut().unwrap().children.push(element),
                    false => open.push(element),
                }
            }
        }
        assert_eq!((open.len(), open[0].children.len(), rest.trim()), (1, 1, ""));
        let root = open.pop().unwrap().children.pop().unwrap();
        root.conforms();
        root
    }

    fn tag(text: &str) -> Element {
        let (name, mut rest) = text.split_once(' ').unwrap_or((text, ""));
        let mut attributes = Vec::new();
        while !rest.trim().is_empty() {
            let (name, value) = rest.trim_start().split_once("=\"").expect("an attribute");
            let (value, behind) = value.split_once('"').expect("an end of an attribute");
            attributes.push((name.to_owned(), entities(value).expect("entities")));
            rest = behind;
        }
        Element { name: name.to_owned(), attributes, children: Vec::new() }
    }

    fn attribute(&self, name: &str) -> String {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone()).expect("the attribute")
    }

    /// The elements and attributes that the schema of the Surefire and Jenkins reports knows, those that it requires (marked),
    /// and the form of a time.
    fn conforms(&self) {
        let (attributes, children): (&[&str], &[&str]) = match self.name.as_str() {
            "testsuites" => (&["name", "tests", "failures", "errors", "time"], &["testsuite"]),
            "testsuite" => (&["name!", "tests!", "failures!", "errors!", "skipped", "time"], &["testcase"]),
            "testcase" => (&["name!", "classname", "time"], &["skipped", "error", "failure"]),
            "error" | "failure" => (&["message", "type"], &[]),
            "skipped" => (&["message"], &[]),
            other => panic!("<{other}>"),
        };
        let has = |name: &str| self.attributes.iter().any(|(own, _)| own == name);
        let known = |name: &str| attributes.iter().any(|known| known.trim_end_matches('!') == name);
        assert!(self.attributes.iter().all(|(name, _)| known(name)), "{self:?}");
        assert!(attributes.iter().filter_map(|name| name.strip_suffix('!')).all(has), "{self:?}");
        let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
        for (name, value) in &self.attributes {
            let (whole, rest) = value.split_once('.').unwrap_or((value, ""));
            let is_number = digits(whole) && digits(rest) && !value.is_empty();
            assert!(name != "time" || is_number, "{name} {value}");
            assert!(
                !["tests", "failures", "errors", "skipped"].contains(&name.as_str()) || digits(value),
                "{name} {value}"
            );
        }
        assert!(self.children.iter().all(|child| children.contains(&child.name.as_str())), "{self:?}");
        assert!(self.name != "testcase" || self.children.len() <= 1, "{self:?}");
        self.children.iter().for_each(Element::conforms);
    }
}

/// A text with its entities replaced; none if something stands in it that must not.
fn entities(text: &str) -> Option<String> {
    let mut parts = text.split('&');
    let mut plain = parts.next()?.to_owned();
    for part in parts {
        let (entity, rest) = part.split_once(';')?;
        let known = [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("#10", '\n'), ("#9", '\t')];
        plain.push(known.iter().find(|(name, _)| *name == entity)?.1);
        plain += rest;
    }
    (!text.contains(['<', '>', '"'])).then_some(plain)
}

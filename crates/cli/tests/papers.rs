//! The papers' examples are tests: every model of `examples/papers/expected.toml` is checked, and the table in
//! `docs/src/papers.md` is what came out.
//!
//! Each model is asked three times. The plain call is what a user types: its verdict is expected, its run must replay, its
//! certificate must be accepted. `--engine flow` says what weights alone can prove. `--engine explore` visits all states
//! where there are finitely many, so that the table can put the exact length of a channel beside the one that was proved.
//!
//! After a deliberate change, `HIGHWATER_BLESS=1 cargo test -p highwater-cli --test all papers` writes the table again; read the
//! difference before you keep it. A verdict is never blessed: `expected.toml` has to be changed by hand.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const BEGIN: &str = "<!-- This table is written by crates/cli/tests/papers.rs. -->\n";
const END: &str = "<!-- The table ends here. -->\n";

#[test]
fn the_book_shows_what_the_papers_say_and_what_is_found() {
    let models = models(&read(&folder().join("expected.toml"))).unwrap_or_else(|e| panic!("expected.toml: {e}"));
    assert!(models.len() >= 28, "there are {} models", models.len());
    let head = "| model | figure | the paper | its bounds | ours | proved | exact | by |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n";
    let rows: String = models.iter().map(Model::row).collect();
    let table = format!("{BEGIN}\n{head}{rows}\n{END}");

    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/papers.md");
    let text = read(&page);
    let begin = text.find(BEGIN).expect("the page has a place for the table");
    let end = text.find(END).expect("the table has an end") + END.len();
    if std::env::var_os("HIGHWATER_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&page, format!("{}{table}{}", &text[..begin], &text[end..])).unwrap();
        return;
    }
    let differs = text[begin..end].lines().zip(table.lines()).find(|(shown, found)| shown != found);
    assert_eq!(differs, None, "the page and what is found (HIGHWATER_BLESS=1 writes it anew)");
    assert_eq!(text[begin..end].lines().count(), table.lines().count());
}

#[test]
fn every_model_of_the_folder_is_in_the_table() {
    let models = models(&read(&folder().join("expected.toml"))).unwrap();
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    for file in files.filter(|name| name.ends_with(".pml")) {
        assert!(models.iter().any(|model| model.file == file), "{file} has no expectations");
    }
}

#[test]
fn every_growing_run_of_a_paper_replays() {
    for model in all().filter(|model| ["unbounded", "livelock"].contains(&model.verdict.as_str())) {
        let trace = model.scratch("trace.json");
        model.check(&["--trace", path(&trace)]);
        let output = highwater(&["simulate", path(&model.path()), "--replay", path(&trace)]);
        assert_eq!(output.status.code(), Some(0), "{model}: {}", text_of(&output));
    }
}

#[test]
fn every_proof_of_a_paper_is_accepted_by_the_checker() {
    for model in all().filter(|model| ["bounded", "livelock-free"].contains(&model.verdict.as_str())) {
        let certificate = model.scratch("certificate.json");
        model.check(&["--certificate", path(&certificate)]);
        let output = highwater(&["verify-certificate", path(&model.path()), path(&certificate)]);
        assert_eq!(output.status.code(), Some(0), "{model}: {}", text_of(&output));
    }
}

#[test]
fn expectations_that_say_too_little_are_an_error() {
    let good = "[[model]]\nfile = \"a.pml\"\nfigure = \"Fig. 1\"\npaper = \"BOUNDED\"\nverdict = \"bounded\"\nengine = \"flow\"\n";
    assert_eq!(models(good).unwrap()[0].property, "boundedness");
    let refused = |text: &str| models(text).unwrap_err();
    assert_eq!(refused(""), "no [[model]]");
    assert_eq!(refused(&good.replace("figure", "picture")), "line 3: unknown key `picture`");
    assert_eq!(refused(&good.replace("engine = \"flow\"\n", "")), "a.pml: `engine` is missing");
    assert_eq!(refused(&good.replace("\"bounded\"", "\"maybe\"")), "a.pml: there is no verdict `maybe`");
}

/// A model, what its paper says, and what must come out.
#[derive(Debug, Default)]
struct Model {
    number: usize,
    file: String,
    options: Vec<String>,
    figure: String,
    property: String,
    paper: String,
    paper_bounds: String,
    verdict: String,
    engine: String,
}

impl std::fmt::Display for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.file, self.options.join(" "))
    }
}

impl Model {
    fn path(&self) -> PathBuf {
        folder().join(&self.file)
    }

    fn scratch(&self, name: &str) -> PathBuf {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("papers-{}-{name}", self.number));
        let _ = std::fs::remove_file(&file);
        file
    }

    /// Calls `check`; returns the exit code and the result, which is null if the model is refused.
    fn check(&self, more: &[&str]) -> (i32, Value) {
        let file = self.path();
        let mut arguments = vec!["check", path(&file), "-p", &self.property, "--format", "json"];
        arguments.extend(self.options.iter().map(String::as_str));
        arguments.extend(more);
        let output = highwater(&arguments);
        let document: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{self}: {e}: {}", text_of(&output)));
        (output.status.code().expect("it was not killed"), document["results"][0].clone())
    }

    /// The verdict in the words of the question.
    fn found(&self, code: i32, result: &Value) -> &'static str {
        match (result["verdict"].as_str(), self.property.as_str()) {
            (None, _) if code == 2 => "refused",
            (Some("proved"), "boundedness") => "bounded",
            (Some("violated"), "boundedness") => "unbounded",
            (Some("proved"), _) => "livelock-free",
            (Some("violated"), _) => "livelock",
            _ => "inconclusive",
        }
    }

    /// The row of the table; fails if the verdict is not the expected one.
    fn row(&self) -> String {
        let (code, result) = self.check(&[]);
        let found = self.found(code, &result);
        assert_eq!(found, self.verdict, "{self}: {result}");
        let (engine, proved) = self.proved(&result);
        assert_eq!(engine, self.engine, "{self}: who can answer");
        let expected = match found {
            "refused" => 2,
            "bounded" | "livelock-free" => 0,
            _ => 1,
        };
        assert_eq!(code, expected, "{self}: exit code");

        let exact = if found == "bounded" { self.exact() } else { String::new() };
        let name = Path::new(&self.file).file_stem().unwrap().to_str().unwrap();
        let options: String = self.options.chunks(2).map(|option| format!(" `{}`", option.join(" "))).collect();
        let cells = [
            format!("{name}{options}"),
            self.figure.clone(),
            self.paper.clone(),
            self.paper_bounds.clone(),
            format!("**{found}**"),
            proved,
            exact,
            engine,
        ];
        let cell = |text: String| if text.is_empty() { String::from("–") } else { text };
        format!("| {} |\n", cells.map(cell).join(" | "))
    }

    /// Who has the verdict, weights if they can, and what is proved of each channel.
    fn proved(&self, plain: &Value) -> (String, String) {
        let (_, weights) = self.check(&["--engine", "flow"]);
        let result = if weights["verdict"] == "proved" { &weights } else { plain };
        (result["engine"].as_str().unwrap_or_default().to_owned(), channels(result, proved))
    }

    /// The lengths that channels really get, where a search through all states ends.
    fn exact(&self) -> String {
        let (_, result) = self.check(&["--engine", "explore"]);
        assert_ne!(result["verdict"], "violated", "{self}: a proof and a run contradict each other");
        if result["verdict"] != "proved" {
            return String::new();
        }
        channels(&result, |channel| channel["reached"].to_string())
    }
}

/// What is known of each channel, channels of which the same is known together.
fn channels(result: &Value, known: impl Fn(&Value) -> String) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    let mut listed: Vec<&Value> = result["channels"].as_array().into_iter().flatten().collect();
    listed.sort_by_key(|channel| channel["name"].as_str());
    for channel in listed {
        let (name, known) = (format!("`{}`", channel["name"].as_str().unwrap()), known(channel));
        match groups.iter_mut().find(|(same, _)| *same == known) {
            Some((_, names)) => names.push(name),
            None => groups.push((known, vec![name])),
        }
    }
    let groups: Vec<String> = groups.into_iter().map(|(known, names)| format!("{} {known}", names.join(" "))).collect();
    groups.join(", ")
}

/// What was proved of a channel: a bound, or that there is none.
fn proved(channel: &Value) -> String {
    match (channel["verdict"].as_str(), channel["proved_at_most"].as_u64(), channel["gain"].as_i64()) {
        (Some("bounded"), Some(bound), _) => bound.to_string(),
        (Some("bounded"), None, _) => String::from("finite"),
        (Some("unbounded"), _, Some(_)) => String::from("∞"),
        _ => String::from("?"),
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/papers")
}

fn all() -> impl Iterator<Item = Model> {
    models(&read(&folder().join("expected.toml"))).unwrap().into_iter()
}

/// Reads the part of TOML that expectations need: `[[model]]`, and keys with one value on one line.
fn models(text: &str) -> Result<Vec<Model>, String> {
    let mut models: Vec<Model> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        let wrong = |what: String| format!("line {}: {what}", number + 1);
        if line.is_empty() || line.starts_with('#') {
            continue;
        } else if line == "[[model]]" {
            models.push(Model { number: models.len(), property: String::from("boundedness"), ..Model::default() });
            continue;
        }
        let (key, value) = line.split_once('=').ok_or_else(|| wrong(format!("`{line}` is not a key with a value")))?;
        let model = models.last_mut().ok_or_else(|| wrong(String::from("before [[model]]")))?;
        set(model, key.trim(), value.trim()).map_err(wrong)?;
    }
    if models.is_empty() {
        return Err(String::from("no [[model]]"));
    }
    models.iter().try_for_each(complete)?;
    Ok(models)
}

fn set(model: &mut Model, key: &str, value: &str) -> Result<(), String> {
    let word = value.trim_matches('"').to_owned();
    match key {
        "options" => {
            let list = value.strip_prefix('[').and_then(|v| v.strip_suffix(']')).ok_or("`options` is a list")?;
            model.options = list.split(", ").map(|word| word.trim_matches('"').to_owned()).collect();
        }
        "file" => model.file = word,
        "figure" => model.figure = word,
        "property" => model.property = word,
        "paper" => model.paper = word,
        "paper_bounds" => model.paper_bounds = word,
        "verdict" => model.verdict = word,
        "engine" => model.engine = word,
        other => return Err(format!("unknown key `{other}`")),
    }
    Ok(())
}

/// Nothing that is needed is missing.
fn complete(model: &Model) -> Result<(), String> {
    let Model { file, figure, paper, verdict, engine, .. } = model;
    let verdicts = ["bounded", "unbounded", "livelock", "livelock-free", "inconclusive", "refused"];
    let needed = [("file", file), ("figure", figure), ("paper", paper), ("verdict", verdict), ("engine", engine)];
    for (key, value) in needed {
        if value.is_empty() && !(key == "engine" && verdict == "refused") {
            return Err(format!("{file}: `{key}` is missing"));
        }
    }
    if !verdicts.contains(&verdict.as_str()) {
        return Err(format!("{file}: there is no verdict `{verdict}`"));
    }
    Ok(())
}

fn highwater(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_highwater")).args(arguments).output().unwrap()
}

fn text_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

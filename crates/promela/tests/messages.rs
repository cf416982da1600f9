//! What is said about bad and dubious models.
//!
//! The messages of the front end are part of its interface, so their wording and the places that
//! they underline are kept in snapshots and reviewed like code. Two kinds of models are read here:
//!
//! * the examples of `promela::codes`, one for each code; their snapshots have the code as a name;
//! * the models in `messages/`, each with what a beginner or a larger model gets wrong: several
//!   errors, errors in macros and in included files. Their snapshots have the name of the model.
//!
//! `INSTA_UPDATE=always cargo test -p highwater-promela --test all messages` writes the snapshots again.

use model::diagnostic::{Diagnostic, Severity};
use promela::codes::{self, Explanation};
use promela::preprocess::{DiskLoader, Loader, Options};
use promela::{Read, read, read_with};
use report::style::Style;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The name under which the examples are read; one of them includes itself.
const EXAMPLE: &str = "example.pml";

/// The code of an example that is fine, but takes too long; where it is stopped is a matter of luck.
const OUT_OF_TIME: &str = "P0116";

/// Gives an example its own text when it asks for it, and all else from the disk, as `promela::read` does.
struct Itself<'t> {
    text: &'t str,
    disk: DiskLoader,
}

impl Loader for Itself<'_> {
    fn load(&mut self, name: &str, quoted: bool, including_file_name: &str) -> Result<(String, String), String> {
        if name == EXAMPLE {
            return Ok((String::from(name), String::from(self.text)));
        }
        self.disk.load(name, quoted, including_file_name)
    }
}

fn read_example(entry: &Explanation) -> Read {
    // Small enough for an example that is too large to be read not to take long.
    let options = Options { max_tokens: 20_000, ..Options::default() };
    if entry.code != OUT_OF_TIME {
        return read_limited(entry, &options);
    }
    // The preprocessor needs some time, no one knows how much; the parser would need a lot more.
    let mut time = Duration::from_millis(20);
    loop {
        let options = Options { budget: model::budget::Budget::unlimited().timeout(time), ..Options::default() };
        let read = read_limited(entry, &options);
        if codes(&read) != ["P0018"] {
            return read;
        }
        time *= 2;
    }
}

fn read_limited(entry: &Explanation, options: &Options) -> Read {
    let mut loader = Itself { text: entry.example, disk: DiskLoader::default() };
    read_with(EXAMPLE, entry.example, options, &mut loader)
}

/// A model of `messages/`, by its name without the ending.
fn read_model(name: &str) -> Read {
    let path = format!("tests/messages/{name}.pml");
    let text = fs::read_to_string(crate_path(&path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    read(&path, &text, &Options::default())
}

fn crate_path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn rendered(read: &Read) -> String {
    report::diagnostics::render(&read.diagnostics, &read.sources, Style::PLAIN)
}

/// The codes of the messages about a model, in order.
fn codes(read: &Read) -> Vec<&'static str> {
    read.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

/// Compares what is said about a model with its snapshot.
fn check_snapshot(name: &str, text: &str, read: &Read) {
    insta::with_settings!({ description => text, omit_expression => true }, {
        insta::assert_snapshot!(name, rendered(read));
    });
}

/// The names of the models in `messages/`, in order.
fn model_names() -> BTreeSet<String> {
    let files = fs::read_dir(crate_path("tests/messages")).expect("the folder of the models can be read");
    let paths = files.map(|file| file.expect("a model can be read").path());
    let models = paths.filter(|path| path.extension().is_some_and(|ending| ending == "pml"));
    models.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect()
}

// --- the table ------------------------------------------------------------------------------------

/// All `"P0123"` in the sources of this crate, the table itself left out.
fn codes_in_sources() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![crate_path("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the sources can be read") {
            let path = entry.expect("a source can be read").path();
            if path.file_stem().is_some_and(|name| name == "codes") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = fs::read_to_string(&path).expect("a source is a text");
                found.extend(text.split('"').filter(|word| is_code(word)).map(String::from));
            }
        }
    }
    found
}

fn is_code(word: &str) -> bool {
    word.len() == 5 && word.starts_with("P0") && word[1..].bytes().all(|byte| byte.is_ascii_digit())
}

#[test]
fn every_code_is_explained_and_every_explained_code_is_used() {
    let used = codes_in_sources();
    let explained: BTreeSet<String> = codes::ALL.iter().map(|entry| String::from(entry.code)).collect();
    let missing: Vec<_> = used.difference(&explained).collect();
    let unused: Vec<_> = explained.difference(&used).collect();
    assert!(missing.is_empty(), "in the sources, but not in `promela::codes`: {missing:?}");
    assert!(unused.is_empty(), "in `promela::codes`, but not in the sources: {unused:?}");
}

#[test]
fn every_example_gets_its_code_and_no_other() {
    for entry in codes::ALL.iter() {
        let read = read_example(entry);
        let codes = codes(&read);
        assert!(!codes.is_empty() && codes.iter().all(|&code| code == entry.code), "{}: {codes:?}", entry.code);
    }
}

#[test]
fn a_model_with_warnings_only_is_read_and_one_with_an_error_is_not() {
    for entry in codes::ALL.iter() {
        let read = read_example(entry);
        let has_error = read.diagnostics.iter().any(Diagnostic::is_error);
        assert_eq!(read.network.is_none(), has_error, "{}", entry.code);
    }
}

// --- the messages ---------------------------------------------------------------------------------

#[test]
fn the_message_of_every_code_is_as_reviewed() {
    for entry in codes::ALL.iter().filter(|entry| entry.code != OUT_OF_TIME) {
        check_snapshot(entry.code, entry.example, &read_example(entry));
    }
}

#[test]
fn the_messages_about_every_model_are_as_reviewed() {
    for name in model_names() {
        check_snapshot(&name, "", &read_model(&name));
    }
}

#[test]
fn every_snapshot_belongs_to_a_model() {
    let models = model_names();
    for file in fs::read_dir(crate_path("tests/snapshots")).expect("the snapshots can be read") {
        let file = file.expect("a snapshot can be read").file_name();
        // What a failed comparison leaves behind ends with `.snap.new`.
        let Some(name) = file.to_str().and_then(|name| name.strip_suffix(".snap")) else { continue };
        let name = name.trim_start_matches("all__messages__");
        assert!(models.contains(name) || codes::explain(name).is_some(), "there is no model for {file:?}");
    }
}

#[test]
fn every_message_has_a_place_that_can_be_shown_and_says_what_is_wrong_there() {
    let examples = codes::ALL.iter().map(read_example);
    let models = model_names().into_iter().map(|name| read_model(&name));
    for read in examples.chain(models) {
        for diagnostic in &read.diagnostics {
            let places = diagnostic.secondary.iter().chain([&diagnostic.primary]);
            for span in places.map(|label| label.span) {
                assert!((span.file.0 as usize) < read.sources.files().len(), "{diagnostic:?}");
                assert!(span.end as usize <= read.sources.file(span.file).text.len(), "{diagnostic:?}");
            }
            assert!(!diagnostic.message.ends_with('.') && diagnostic.message.lines().count() == 1, "{diagnostic:?}");
        }
    }
}

/// What the message about a model must contain: the place, the line, and what would be right.
fn check_message(name: &str, code: &str, contains: &[&str]) {
    let read = read_model(name);
    assert_eq!(codes(&read), [code]);
    let text = rendered(&read);
    for part in contains {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
}

#[test]
fn a_missing_value_is_shown_at_its_place() {
    let place = "--> tests/messages/missing_value.pml:2:10\n";
    check_message("missing_value", "P0101", &[place, "2 | byte x = ;\n", "         ^ expected an expression"]);
}

#[test]
fn an_undeclared_name_is_shown_at_its_place_with_a_name_that_exists() {
    let place = "--> tests/messages/undeclared.pml:7:5\n";
    check_message("undeclared", "P0225", &[place, "7 |     recieved++\n", "did you mean `received`?"]);
}

#[test]
fn a_wrong_number_of_fields_is_shown_with_the_declaration_of_the_channel() {
    let place = "--> tests/messages/fields.pml:8:5\n";
    let line = "8 |     to_server!request,7,3\n";
    check_message("fields", "P0237", &[place, line, "declared with 2 fields", "{ mtype, byte }"]);
}

#[test]
fn a_missing_od_is_shown_with_the_do_that_lacks_it() {
    let place = "--> tests/messages/missing_od.pml:10:1\n";
    check_message("missing_od", "P0103", &[place, "10 | }\n", " 6 |     do\n", "`od` is missing before this"]);
}

#[test]
fn a_goto_to_nowhere_is_shown_with_a_label_that_exists() {
    let place = "--> tests/messages/goto_nowhere.pml:8:10\n";
    check_message("goto_nowhere", "P0220", &[place, "8 |     goto agian\n", "did you mean `again`?"]);
}

#[test]
fn several_errors_are_found_in_one_run() {
    let read = read_model("several_errors");
    assert!(read.diagnostics.len() >= 4, "{:?}", codes(&read));
    assert!(read.diagnostics.iter().all(|diagnostic| diagnostic.severity == Severity::Error));
    let lines: BTreeSet<_> = read.diagnostics.iter().map(|d| read.sources.describe(d.primary.span)).collect();
    assert_eq!(lines.len(), read.diagnostics.len(), "each at a place of its own");
}

#[test]
fn an_error_in_a_macro_points_at_its_use_and_at_its_body() {
    for name in ["macro_syntax", "macro_number", "macro_argument"] {
        let text = rendered(&read_model(name));
        assert!(text.contains("#define") && text.contains("init {"), "{text}");
    }
}

#[test]
fn an_error_in_an_included_file_names_that_file() {
    check_message("include_syntax", "P0101", &["--> tests/messages/include/half.pml:2:10"]);
    let both = ["--> tests/messages/include_twice.pml:3:6", "::: tests/messages/include/counter.pml:2:6"];
    check_message("include_twice", "P0204", &both);
}

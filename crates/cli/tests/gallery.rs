//! The pictures of the book's gallery are those that the tool draws of the examples.
//!
//! After a deliberate change, `HIGHWATER_BLESS=1 cargo test -p highwater-cli --test all gallery` draws them again.

use crate::binary::{highwater, path, said, scratch};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares a picture with that of the book, or draws it there.
fn compare(name: &str, drawn: &str) {
    let file = root().join("docs/src/gallery").join(name);
    if std::env::var_os("HIGHWATER_BLESS").is_some_and(|value| value == "1") {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, drawn).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(kept == drawn, "{name} is not what is drawn now");
    let is_picture = drawn.starts_with("<svg ") && drawn.ends_with("</svg>\n") && !drawn.contains("<script");
    assert!(is_picture || name == "report.html", "{name}");
    let page = std::fs::read_to_string(root().join("docs/src/gallery.md")).unwrap();
    assert!(page.contains(&format!("gallery/{name}")), "{name} is on no page");
}

#[test]
fn systems_are_drawn_with_the_bounds_of_their_channels() {
    for (example, expected) in [
        ("client-server", "≤ 2, declared [1]"),
        ("two-phase-commit", "≤ 3, declared [3]"),
        ("flooding-producer", "no bound"),
    ] {
        let model = root().join(format!("examples/{example}/{example}.pml"));
        let output = highwater(&["show", path(&model), "--format", "svg"]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let drawn = String::from_utf8(output.stdout).unwrap();
        assert!(drawn.contains(expected), "{example}: {drawn}");
        compare(&format!("{example}.svg"), &drawn);
    }
}

#[test]
fn runs_are_drawn_as_sequence_charts() {
    let drawn = |name: &str, example: &str, options: &[&str]| {
        let (model, file) = (root().join(format!("examples/{example}/{example}.pml")), scratch(name));
        let output = format!("svg={}", path(&file));
        let arguments = [&["check", path(&model), "--quiet", "--output", &output], options].concat();
        assert_eq!(highwater(&arguments).status.code(), Some(1));
        let drawn = std::fs::read_to_string(&file).unwrap();
        compare(name, &drawn);
        drawn
    };
    let deadlock = drawn("deadlock.svg", "real-deadlock", &["-p", "deadlock"]);
    assert!(deadlock.contains("Exchange:0 waits at line[me]?busy: the message at the head of"), "{deadlock}");
    let livelock = drawn("livelock.svg", "client-server", &["-p", "livelock", "--progress", "tc[0]?ack"]);
    assert!(livelock.contains("⟲ forever") && livelock.matches("class=\"arrow\"").count() == 3, "{livelock}");
}

/// The report of the deadlock, with another time than it took.
#[test]
fn the_report_is_the_page_that_check_writes() {
    let file = scratch("gallery-report.html");
    let model = "examples/real-deadlock/real-deadlock.pml";
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_highwater"))
        .current_dir(root())
        .args(["check", model, "-p", "deadlock,boundedness", "--quiet", "--output", &format!("html={}", path(&file))])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let page = std::fs::read_to_string(&file).unwrap();
    let (before, data) = page.split_once("id=\"data\">").unwrap();
    let (data, behind) = data.split_once("</script>").unwrap();
    let mut words: Vec<String> = data.split(' ').map(str::to_owned).collect();
    for position in 1..words.len() {
        let unit = words[position].split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        let number = words[position - 1].rfind(|c: char| !c.is_ascii_digit() && c != '.').map_or(0, |at| at + 1);
        if ["ms", "s", "µs"].contains(&unit) && number < words[position - 1].len() {
            words[position] = words[position].replacen(unit, "ms", 1);
            words[position - 1].replace_range(number.., "1");
        }
    }
    let data = words.join(" ").replace(path(&file), "report.html");
    compare("report.html", &format!("{before}id=\"data\">{data}</script>{behind}"));
    assert!(data.contains("Exchange") && data.contains("the message at the head of"));
}

#[test]
fn what_has_no_channels_has_no_picture_and_machines_are_no_picture() {
    let model = crate::binary::written("no-channels.pml", "active proctype P() { skip }");
    let output = highwater(&["show", path(&model), "--format", "svg"]);
    assert!(output.status.code() == Some(2) && said(&output).contains("no channels to draw"), "{}", said(&output));
    let output = highwater(&["show", path(&model), "--format", "svg", "--what", "machines"]);
    assert!(output.status.code() == Some(2) && said(&output).contains("--what channels"), "{}", said(&output));
    let rendezvous = "chan c = [0] of { byte };\nactive proctype P() { c!1 }\nactive proctype Q() { c?_ }\n";
    let model = crate::binary::written("rendezvous.pml", rendezvous);
    let output = highwater(&["show", path(&model), "--format", "svg"]);
    assert!(String::from_utf8(output.stdout).unwrap().contains(">rendezvous</text>"));
}

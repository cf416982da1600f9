//! The two tables of `docs/src/applicability.md`, read from the page and compared with the library cell by cell.

use highwater::options::{Kind, RULES};
use highwater::settings::{
    Abstraction, Channels, Cluster, DataModel, Device, Engine, Fairness, Language, Method, PathInvariant, ReadOptions,
    Reduction, SearchOrder, Settings,
};
use highwater::{Budget, Check, Error, Model, Reason, Report};
use std::path::{Path, PathBuf};
use std::time::Duration;

const PAGE: &str = include_str!("../../../docs/src/applicability.md");

/// The rows of the table under a heading, without its head.
fn table(heading: &str) -> Vec<Vec<String>> {
    let (_, text) = PAGE.split_once(heading).expect("the heading");
    let lines = text.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    lines.skip(2).map(cells).collect()
}

/// Models of one kind: one that has nothing but a behaviour, and one that has what properties are about.
struct Sample {
    kind: Kind,
    bare: &'static str,
    rich: &'static str,
    formula: &'static str,
    event: &'static str,
}

const SAMPLES: [Sample; 5] = [
    Sample {
        kind: Kind::Promela,
        bare: "byte x; chan r = [0] of { byte }; active proctype P() { x = 0 }",
        rich: "byte x; chan c = [1] of { byte };
               active proctype P() { do :: x == 0 -> progress: c!1; accept: c?1 od }
               never { do :: x == 0 :: x == 1 -> break od }",
        formula: "[] (x == 0)",
        event: "c!1",
    },
    Sample {
        kind: Kind::Machines,
        bare: "scm bare :\nnb_channels = 1 ;\nparameters : int a ;
               automaton one :\ninitial : 0\nstate 0 : to 0 : when true ;\n",
        rich: "scm rich :\nnb_channels = 1 ;\nparameters : int a ;
               automaton one :\ninitial : 0\nstate 0 : to 1 : when true , 0 ! a ;\nstate 1 : to 0 : when true , 0 ? a ;
               bad_states :\n(automaton one : in 1 : true)\n",
        formula: "<> one@0",
        event: "0!a",
    },
    Sample {
        kind: Kind::Composition,
        bare: "P = (a -> P).\n||S = (P).\n",
        rich: "P = (a -> P | b -> ERROR).\nQ = (a -> Q).\nprogress A = {a}\n||S = (P || Q).\n",
        formula: "[] a",
        event: "a",
    },
    Sample {
        kind: Kind::Program,
        bare: "int main(void) { int x = 1; return x; }\n",
        rich: "extern void reach_error(void);\nint main(void) { int x = 1; if (x != 1) reach_error(); return x; }\n",
        formula: "[] a",
        event: "a",
    },
    Sample {
        kind: Kind::Components,
        bare: "file \"parts.c\";\nS = (x -> S).\nconforms serve to S;\n",
        rich: "file \"parts.c\";\nS = (x -> S).\nprogram = (serve || other)\nconforms serve to S;\n",
        formula: "[] x",
        event: "x",
    },
];

fn extension(kind: Kind) -> &'static str {
    match kind {
        Kind::Promela => "pml",
        Kind::Machines => "scm",
        Kind::Composition => "fsp",
        Kind::Program => "c",
        Kind::Components => "spec",
    }
}

/// A file in a folder of this test.
fn written(folder: &str, name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("applicability").join(folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(
        folder.join("parts.c"),
        "void x(void);\nvoid serve(void) { while (1) { x(); } }\nvoid other(void) { while (1) { x(); } }\n",
    )
    .expect("C");
    let file = folder.join(name);
    std::fs::write(&file, text).expect("the model is written");
    file
}

fn checked(file: &Path, list: Option<&str>, settings: &Settings, read: &ReadOptions) -> Result<Report, Error> {
    let budget = Budget::unlimited().timeout(Duration::from_secs(20));
    let model = Model::read_with(file, read, &budget)?;
    let check = Check::new(&model).settings(settings.clone()).budget(budget);
    match list {
        Some(list) => check.property(list)?.run(),
        None => check.run(),
    }
}

/// What became of one property: `answered`, `not-applicable` or `not-supported`. There must be exactly one result.
fn fate(file: &Path, property: &str, settings: &Settings) -> &'static str {
    let report = checked(file, Some(property), settings, &ReadOptions::default())
        .unwrap_or_else(|error| panic!("{}, {property}: {error}", file.display()));
    let findings: Vec<_> = report.findings().collect();
    assert_eq!(findings.len(), 1, "{}, {property}: {report}", file.display());
    match findings[0].reason() {
        None => "answered",
        Some(Reason::NotApplicable(_)) => "not-applicable",
        Some(Reason::NotSupported(_)) => "not-supported",
        Some(other) => panic!("{}, {property}: {other}", file.display()),
    }
}

/// The model that has nothing that a property is about.
fn lacking(sample: &Sample, property: &str) -> String {
    match (sample.kind, property) {
        (Kind::Components, "conformance") => String::from("file \"parts.c\";\nprogram = (serve || other)\n"),
        _ => sample.bare.to_owned(),
    }
}

/// The model that has what a property is about, and the settings that it needs.
fn having(sample: &Sample, property: &str) -> (String, Settings) {
    let mut settings = Settings::default();
    let text = match (sample.kind, property) {
        (Kind::Promela, "trace" | "notrace") => {
            format!("chan c = [1] of {{ byte }}; active proctype P() {{ c!1; c?1 }} {property} {{ c!1 }}")
        }
        _ => sample.rich.to_owned(),
    };
    if property == "livelock" && sample.kind == Kind::Machines {
        settings.progress = vec![String::from(sample.event)];
    }
    (text, settings)
}

#[test]
fn every_property_is_answered_or_not_as_the_table_says() {
    let rows = table("## Properties");
    assert_eq!(rows.len(), 14);
    let mut cells = 0;
    for row in &rows {
        for (sample, cell) in SAMPLES.iter().zip(&row[1..]) {
            let name = row[0].trim_matches('`');
            let property = if name.starts_with("ltl") { format!("ltl:{}", sample.formula) } else { name.to_owned() };
            let extension = extension(sample.kind);
            let bare = written("bare", &format!("model.{extension}"), &lacking(sample, &property));
            let (text, mut settings) = having(sample, &property);
            let rich = written("rich", &format!("model.{extension}"), &text);
            let without = fate(&bare, &property, &Settings::default());
            let with = fate(&rich, &property, &settings);
            let said = format!("{property} of {}: {cell}", sample.kind.name());
            let (one, other) = match cell.as_str() {
                "yes" => ("answered", "answered"),
                "not applicable" => ("not-applicable", "not-applicable"),
                "not supported" => ("not-supported", "not-supported"),
                "with `--channels unbounded`" => {
                    settings.channels = Channels::Unbounded;
                    assert_eq!(fate(&rich, &property, &settings), "answered", "{said}");
                    ("not-supported", "not-supported")
                }
                _ if cell.starts_with("if ") => ("not-applicable", "answered"),
                _ => panic!("{said}: no such cell"),
            };
            assert_eq!((without, with), (one, other), "{said}");
            cells += 1;
        }
    }
    assert_eq!(cells, 70);
}

/// A folder that is not there.
fn fresh(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("applicability").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// Gives an option; with two rows for `--method`, one value stands for each of its engines.
fn give(option: &str, sample: &Sample, settings: &mut Settings, read: &mut ReadOptions) {
    match option {
        "--channels drop" => settings.channels = Channels::Drop,
        "--channels unbounded" => settings.channels = Channels::Unbounded,
        "--fair" => settings.fair = Fairness::Weak,
        "--fair choice" => settings.fair = Fairness::Choice,
        "--progress" => settings.progress = vec![String::from(sample.event)],
        "--bad" => settings.bad = vec![String::from("one@0")],
        "--c-faults" => settings.c_faults = true,
        "-D" => read.define = vec![String::from("N=1")],
        "-I" => read.include = vec![PathBuf::from(env!("CARGO_TARGET_TMPDIR"))],
        "--system" => read.system = Some(String::from("S")),
        "--entry" => read.c.entry = Some(String::from("main")),
        "--c-data-model" => read.c.data_model = Some(DataModel::Lp64),
        "--c-signed-overflow" => read.c.signed_overflow = true,
        "--language" => {
            read.language = Some(match sample.kind {
                Kind::Promela => Language::Promela,
                Kind::Machines => Language::Scm,
                Kind::Composition => Language::Fsp,
                Kind::Program => Language::C,
                Kind::Components => Language::Spec,
            });
        }
        "--jobs" => settings.jobs = Some(1),
        "--search" => settings.search = SearchOrder::Depth,
        "--reduction" => settings.reduction = Reduction::None,
        "--symmetry" => settings.symmetry = true,
        "--keep-going" => settings.keep_going = true,
        "--device" => settings.device = Device::Auto,
        "--cluster" | "--process" => {
            let hosts = vec![String::from("192.0.2.1:1"); 2];
            settings.cluster = Some(Cluster { hosts, process: 0, key: String::from("key") });
        }
        "--emit-cuda" => settings.emit_cuda = Some(written("emit", "model.cu", "")),
        "--bitstate" => settings.bitstate = true,
        "--unpacked" => settings.unpacked = true,
        "--spill" => settings.spill = Some(fresh("spill")),
        "--checkpoint" => settings.checkpoint = Some(fresh("checkpoint")),
        "--resume" => {
            settings.resume = Some(fresh("resume"));
            // There is a checkpoint of the search for one of the properties.
            let first = Settings { checkpoint: settings.resume.clone(), ..Settings::default() };
            let file = written("options", &format!("model.{}", extension(sample.kind)), sample.rich);
            let _ = checked(&file, Some("safety"), &first, read);
        }
        "--max-states" => settings.max_states = Some(1000),
        "--max-depth" => settings.max_depth = Some(1000),
        "--method cegar" => settings.method = Method::Cegar,
        "--method paper" => settings.method = Method::Paper,
        "--plain" => settings.plain = true,
        "--path-invariant" => settings.path_invariant = Some(PathInvariant::UpinvFwd),
        "--extrapolation" => settings.extrapolation = Some(String::from("rho-forward")),
        "--abstraction" => settings.abstraction = Abstraction::Cycles,
        "--cross-check" => settings.cross_check = true,
        "--trace-refinement" => settings.trace_refinement = true,
        "--stats" => settings.stats = true,
        "--c-test" => settings.c_test = Some(written("test", "test.c", "")),
        // What the command line does itself, and what is tested with every engine below.
        "--property" | "--engine" | "--timeout" | "--memory" | "--format" | "--trace" | "--certificate" | "--color"
        | "--ascii" | "--apply-bounds" | "--output" | "--quiet" | "--watch" | "--columns" => {}
        _ => panic!("{option} is in the table, and this test does not know it"),
    }
}

/// What can be checked of any model; the formula is left out, since each kind has its own.
const LISTS: [Option<&str>; 7] =
    [None, Some("safety"), Some("deadlock"), Some("livelock"), Some("boundedness"), Some("never"), Some("conformance")];

/// Whether the option is rejected, with each list of properties and each channel semantics.
fn rejections<'a>(option: &'a str, sample: &'a Sample, file: &'a Path) -> impl Iterator<Item = Option<String>> + 'a {
    let of_channels = option.starts_with("--channels") || sample.kind != Kind::Promela;
    let semantics: &[Channels] =
        if of_channels { &[Channels::Declared] } else { &[Channels::Declared, Channels::Unbounded] };
    LISTS.iter().flat_map(move |list| semantics.iter().map(move |channels| (*list, *channels))).map(
        move |(list, channels)| {
            let (mut settings, mut read) = (Settings { channels, ..Settings::default() }, ReadOptions::default());
            give(option, sample, &mut settings, &mut read);
            match checked(file, list, &settings, &read) {
                // The address of the cluster is none of this machine's: the option was accepted.
                Err(Error::Usage(why)) if why.starts_with("--cluster: cannot listen") => None,
                // The processes of the sample are not alike: it was accepted, too.
                Err(Error::Usage(why)) if why.starts_with("`--symmetry`: no two processes") => None,
                Err(Error::Usage(why)) => Some(why),
                Err(error) => panic!("{option} of {}: {error}", sample.kind.name()),
                Ok(_) => None,
            }
        },
    )
}

#[test]
fn every_option_is_accepted_or_rejected_as_the_table_says() {
    let rows = table("## Options of `check`");
    assert!(rows.len() > 35, "{} rows", rows.len());
    for row in &rows {
        let option = row[0].trim_matches('`');
        if option == "--apply-bounds" {
            continue;
        }
        for (sample, cell) in SAMPLES.iter().zip(&row[1..]) {
            let file = written("options", &format!("model.{}", extension(sample.kind)), sample.rich);
            let said = format!("{option} of {}: {cell}", sample.kind.name());
            let mut rejected = rejections(option, sample, &file);
            match cell.as_str() {
                "yes" => assert!(rejected.any(|why| why.is_none()), "{said}"),
                "no" => rejected.for_each(|why| {
                    let why = why.unwrap_or_else(|| panic!("{said}, and it was accepted"));
                    assert!(why.contains(" for "), "{said}: {why}");
                }),
                _ => panic!("{said}: no such cell"),
            }
        }
    }
}

#[test]
fn the_rules_of_the_library_are_those_of_the_table() {
    let rows = table("## Options of `check`");
    let mut known = 0;
    for rule in &RULES {
        let same = |row: &&Vec<String>| {
            let name = row[0].trim_matches('`');
            name == rule.name || name.strip_prefix(rule.name).is_some_and(|rest| rest.starts_with(' '))
        };
        let kinds = |row: &Vec<String>| -> Vec<Kind> {
            let each = Kind::ALL.into_iter().zip(&row[1..]);
            each.filter(|(_, cell)| *cell == "yes").map(|(kind, _)| kind).collect()
        };
        let found: Vec<_> =
            rows.iter().filter(same).filter(|row| row[6] == rule.what && kinds(row) == rule.kinds).collect();
        assert_eq!(found.len(), 1, "{}: {:?}, {}", rule.name, rule.kinds, rule.what);
        known += found.len();
    }
    assert_eq!(known, RULES.len());
}

/// An option that has no effect for this engine, these properties or another option.
const NO_EFFECT: [(Kind, &str, Engine, &str, &str); 38] = [
    (Kind::Promela, "--search", Engine::Flow, "boundedness", ""),
    (Kind::Promela, "--search", Engine::Auto, "boundedness,livelock", ""),
    (Kind::Promela, "--search", Engine::Auto, "safety", "--bitstate"),
    (Kind::Promela, "--search", Engine::Fifo, "safety", "--channels unbounded"),
    (Kind::Promela, "--unpacked", Engine::Auto, "safety", "--bitstate"),
    (Kind::Promela, "--device", Engine::Auto, "safety", "--bitstate"),
    (Kind::Promela, "--device", Engine::Auto, "livelock", ""),
    (Kind::Promela, "--cluster", Engine::Auto, "livelock", ""),
    (Kind::Promela, "--cluster", Engine::Auto, "safety", "--bitstate"),
    (Kind::Promela, "--cluster", Engine::Auto, "safety", "--spill"),
    (Kind::Promela, "--cluster", Engine::Flow, "boundedness", ""),
    (Kind::Promela, "--spill", Engine::Flow, "livelock", ""),
    (Kind::Promela, "--spill", Engine::Auto, "trace", ""),
    (Kind::Promela, "--emit-cuda", Engine::Flow, "boundedness", ""),
    (Kind::Promela, "--bitstate", Engine::Flow, "boundedness", ""),
    (Kind::Promela, "--bitstate", Engine::Fifo, "safety", "--channels unbounded"),
    (Kind::Promela, "--keep-going", Engine::Fifo, "deadlock", "--channels unbounded"),
    (Kind::Promela, "--keep-going", Engine::Flow, "livelock", ""),
    (Kind::Promela, "--max-states", Engine::Fifo, "safety", "--channels unbounded"),
    (Kind::Promela, "--max-states", Engine::Flow, "boundedness", ""),
    (Kind::Promela, "--max-depth", Engine::Flow, "boundedness", ""),
    (Kind::Promela, "--max-depth", Engine::Auto, "trace", ""),
    (Kind::Promela, "--fair", Engine::Flow, "livelock", ""),
    (Kind::Promela, "--fair", Engine::Auto, "safety,trace", ""),
    (Kind::Promela, "--reduction", Engine::Flow, "boundedness", ""),
    (Kind::Promela, "--reduction", Engine::Auto, "never", ""),
    (Kind::Promela, "--reduction", Engine::Auto, "acceptance", "--fair"),
    (Kind::Promela, "--abstraction", Engine::Explore, "boundedness", ""),
    (Kind::Promela, "--abstraction", Engine::Auto, "safety", ""),
    (Kind::Promela, "--channels drop", Engine::Auto, "boundedness", ""),
    (Kind::Promela, "--method cegar", Engine::Auto, "safety", "--keep-going"),
    (Kind::Promela, "--max-states", Engine::Auto, "boundedness", "--abstraction"),
    (Kind::Machines, "--bad", Engine::Auto, "deadlock", ""),
    (Kind::Machines, "--method cegar", Engine::Auto, "boundedness", ""),
    (Kind::Machines, "--max-states", Engine::Auto, "safety,deadlock", ""),
    (Kind::Composition, "--fair", Engine::Auto, "deadlock", ""),
    (Kind::Composition, "--fair choice", Engine::Auto, "safety,deadlock", ""),
    (Kind::Composition, "--trace-refinement", Engine::Auto, "deadlock", "--plain"),
];

#[test]
fn an_option_without_effect_is_bad_usage_that_says_where_it_applies() {
    for (kind, option, engine, list, also) in NO_EFFECT {
        let sample = SAMPLES.iter().find(|sample| sample.kind == kind).expect("a sample");
        let file = written("effects", &format!("model.{}", extension(kind)), sample.rich);
        let (mut settings, mut read) = (Settings { engine, ..Settings::default() }, ReadOptions::default());
        give(option, sample, &mut settings, &mut read);
        if !also.is_empty() {
            give(also, sample, &mut settings, &mut read);
        }
        match checked(&file, Some(list), &settings, &read) {
            Err(Error::Usage(why)) => {
                let name = option.split(' ').next().unwrap_or(option);
                assert!(why.starts_with(name) && why.contains(" is for "), "{option} {also}: {why}");
            }
            Err(error) => panic!("{option} {also} with -p {list}: {error}"),
            Ok(_) => panic!("{option} {also} with -p {list} is accepted"),
        }
    }
}

#[test]
fn the_limits_of_the_settings_are_limits_of_the_check() {
    let file = written("limits", "model.pml", "byte x; active proctype P() { do :: x++ od }");
    let settings = Settings { max_states: Some(5), ..Settings::default() };
    let results = checked(&file, Some("safety"), &settings, &ReadOptions::default()).expect("results");
    assert_eq!(results.findings().next().and_then(|finding| finding.reason()), Some(&Reason::States));
    let settings = Settings { max_depth: Some(5), ..Settings::default() };
    let results = checked(&file, Some("safety"), &settings, &ReadOptions::default()).expect("results");
    assert_eq!(results.findings().next().and_then(|finding| finding.reason()), Some(&Reason::Depth));
}

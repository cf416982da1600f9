//! Every example does what the table in `examples/fsp/README.md` says, by naive search.

use crate::common::{deadlocks, examples, holds, load, product, rendered, valid};
use fsp::families::{self, Style};

/// The rows of the table: file, deadlock, error, formulas that hold, formulas that do not.
fn rows() -> Vec<[String; 5]> {
    let readme = std::fs::read_to_string(examples().join("README.md")).unwrap();
    let rows = readme.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<String> = row.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect();
        cells.try_into().unwrap_or_else(|cells| panic!("{cells:?}"))
    })
    .collect()
}

#[test]
fn every_example_does_what_the_table_says() {
    let mut listed = Vec::new();
    for [file, deadlock, error, holding, failing] in rows() {
        let options = fsp::Options::default();
        let read = fsp::read(&file, &load(&file).unwrap(), &options, &load);
        assert!(read.diagnostics.is_empty(), "{}", rendered(&read));
        let composition = read.composition.unwrap();
        let product = product(&composition);
        assert_eq!(!product.stuck.is_empty(), deadlock == "yes", "{file}: deadlock");
        assert_eq!(!product.wrong.is_empty(), error == "yes", "{file}: error");
        let names = |cell: &str| cell.split(", ").filter(|n| *n != "–").map(str::to_owned).collect::<Vec<_>>();
        let (yes, no): (Vec<_>, Vec<_>) =
            composition.formulas.iter().partition(|requirement| holds(&composition, &requirement.formula));
        assert_eq!(yes.iter().map(|r| r.name.clone()).collect::<Vec<_>>(), names(&holding), "{file}: holds");
        assert_eq!(no.iter().map(|r| r.name.clone()).collect::<Vec<_>>(), names(&failing), "{file}: does not");
        listed.push(file);
    }
    let entries = std::fs::read_dir(examples()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut files: Vec<String> = entries.filter(|name| name.ends_with(".fsp")).collect();
    files.sort();
    listed.sort();
    assert_eq!(files, listed);
}

#[test]
fn the_generated_examples_are_what_the_families_write() {
    let generated = [
        ("dining-deadlock.fsp", families::dining_deadlock(3)),
        ("dining.fsp", families::dining(3)),
        ("readers-writers.fsp", families::readers_writers(3)),
        ("surge-protector.fsp", families::surge_protector(2, Style::StatesAndEvents)),
        ("surge-protector-states.fsp", families::surge_protector(2, Style::States)),
        ("surge-protector-events.fsp", families::surge_protector(2, Style::Events)),
    ];
    for (file, text) in generated {
        if std::env::var_os("HIGHWATER_WRITE_EXAMPLES").is_some() {
            std::fs::write(examples().join(file), &text).unwrap();
        }
        assert_eq!(load(file).unwrap(), text, "{file}");
    }
}

#[test]
fn every_aut_example_is_read_by_itself() {
    for file in ["sender.aut", "receiver.aut"] {
        let read = fsp::read_aut(file, &load(file).unwrap(), &fsp::Options::default());
        let composition = read.composition.unwrap();
        assert_eq!((composition.components.len(), composition.components[0].structure.states()), (1, 3));
    }
}

#[test]
fn philosophers_get_stuck_unless_one_is_left_handed() {
    for n in 2..=5 {
        assert!(deadlocks(&valid(&families::dining_deadlock(n))), "{n}");
        assert!(!deadlocks(&valid(&families::dining(n))), "{n}");
    }
}

#[test]
fn the_families_have_the_states_that_they_should() {
    for n in 2..=4 {
        let dining = valid(&families::dining(n));
        assert_eq!(dining.components.len(), 2 * n);
        let states: Vec<usize> = dining.components.iter().map(|c| c.structure.states()).collect();
        assert_eq!(states, [5, 2].repeat(n));
        let writers = valid(&families::readers_writers(n));
        let states: Vec<usize> = writers.components.iter().map(|c| c.structure.states()).collect();
        assert_eq!(states, [vec![2; 2 * n], vec![n + 2]].concat());
        let product = product(&writers);
        assert_eq!((product.states.len(), product.stuck.len()), ((1 << n) + n, 0));
        assert!(holds(&writers, &writers.formulas[0].formula));
        assert!(holds(&dining, &dining.formulas[0].formula));
    }
}

#[test]
fn section_5_the_surge_protector_is_right_in_all_three_styles_and_a_wrong_one_in_none() {
    for range in 1..=4 {
        for style in [Style::StatesAndEvents, Style::States, Style::Events] {
            let text = families::surge_protector(range, style);
            let right = valid(&text);
            let states = if style == Style::States { (range + 1) * (range + 1) } else { range + 1 };
            assert_eq!(right.components[0].structure.states(), states);
            assert!(holds(&right, &right.formulas[0].formula), "{style:?} {range}");
            let wrong = match style {
                Style::States => text.replace("c[l:0..i] ->", "c[l:C] ->"),
                _ => text.replace("c[0..i] ->", "c[C] ->"),
            };
            let wrong = valid(&wrong);
            assert!(!holds(&wrong, &wrong.formulas[0].formula), "{style:?} {range}");
        }
    }
}

#[test]
fn fig_2_has_9_states_and_39_steps() {
    let protector = valid(&families::surge_protector(2, Style::States));
    let structure = &protector.components[0].structure;
    assert_eq!((structure.states(), structure.steps(), structure.alphabet().len()), (9, 39, 1));
}

#[test]
fn large_families_are_read_quickly() {
    let start = std::time::Instant::now();
    assert_eq!(valid(&families::dining(200)).components.len(), 400);
    assert_eq!(valid(&families::readers_writers(200)).components.len(), 401);
    assert!(start.elapsed().as_secs() < 20);
}

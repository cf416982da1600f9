//! Certificates that were tampered with, field by field.
//!
//! Each certificate of a few small models, of every kind, is changed in one place, or in a few: numbers, strings, lists,
//! references, hashes, parts of automata and of trees. Whatever the checker accepts must be true: what it states follows from
//! what the unchanged certificate states (the same property under the same channel semantics, bounds that are not
//! smaller), or an engine proves it on its own. The checker says the same about the same document every time, and what it
//! does is counted in steps, not in seconds: a document of a few kilobytes must not keep it busy.
//!
//! `HIGHWATER_SEEDS` is the number of mutants of each certificate.

use certify::Facts;
use checker::{ClaimResult, Document, Verification};
use highwater::settings::{Channels, Engine, Fairness, ReadOptions, Reduction, Settings};
use highwater::{Check, Choice, Model, Property, Reading, Verdict};
use input::{System, Text};
use model::budget::{Budget, Cancel};
use model::context::Context;
use model::observer::{Event, Observer, Topic};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use testing::Random;

/// Steps that a check may take, and states that it may look at: less than a machine does in a second, and not too much for the
/// queues of a system that grows.
const WORK: u64 = 5_000_000;
const STATES: u64 = 20_000;

/// Counts what the checker does, and ends it when that is too much: a limit that does not depend on the machine.
struct Meter(Cancel);

impl Observer for Meter {
    fn wants(&self, topic: Topic) -> bool {
        topic == Topic::Progress
    }

    fn event(&self, event: &Event<'_>) {
        if let Event::Progress(progress) = event
            && (progress.transitions > WORK || progress.states > STATES)
        {
            self.0.cancel();
        }
    }
}

/// A model of this test alone.
macro_rules! data {
    ($name:literal) => {
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/", $name)
    };
}

/// The models, what is asked of them, and how.
fn subjects() -> Vec<(&'static str, &'static str, Settings)> {
    let plain = Settings::default;
    let unbounded = || Settings { channels: Channels::Unbounded, ..plain() };
    let explore = || Settings { engine: Engine::Explore, ..plain() };
    let reduced = || Settings { reduction: Reduction::Order, ..explore() };
    vec![
        ("client-server/client-server.pml", "safety,deadlock,boundedness", plain()),
        ("client-server/client-server.pml", "boundedness,livelock", explore()),
        ("client-server/client-server.pml", "livelock", Settings { fair: Fairness::Weak, ..plain() }),
        ("client-server/client-server.pml", "livelock", Settings { fair: Fairness::Strong, ..plain() }),
        ("client-server/client-server.pml", "ltl:[] true", plain()),
        ("client-server/client-server.pml", "safety,deadlock", reduced()),
        ("client-server/client-server.pml", "livelock,ltl:[] true", reduced()),
        ("alternating-bit/alternating-bit.pml", "livelock", plain()),
        ("papers/iboc-03-message-types.pml", "boundedness", plain()),
        ("papers/refinement-01-a-flag.pml", "boundedness", plain()),
        ("papers/refinement-04-counted-loop.pml", "boundedness", plain()),
        ("papers/iboc-08-creation-in-a-loop.pml", "boundedness", plain()),
        (data!("either.pml"), "ltl:asked", unbounded()),
        (data!("clients.pml"), "ltl:one_lock", unbounded()),
        (data!("questions.pml"), "ltl:answered", unbounded()),
        ("unbounded/mailbox.pml", "safety,deadlock", unbounded()),
        ("unbounded/connection.pml", "safety", unbounded()),
        ("scm/", "", plain()),
        ("scm/nested.scm", "partial-deadlock,eventual-reception", plain()),
        ("scm/peterson.scm", "eventual-reception", plain()),
        (data!("equal.scm"), "safety", plain()),
        (data!("pipeline.scm"), "deadlock", plain()),
        (data!("lock-server.scm"), "deadlock", plain()),
        (data!("impatient.scm"), "safety", plain()),
        ("fsp/", "", plain()),
        (data!("butler.fsp"), "deadlock", plain()),
        (data!("turns.fsp"), "", plain()),
        ("programs/lock.c", "", plain()),
        ("programs/saturating.c", "", plain()),
        ("c/counter.spec", "", plain()),
        ("c/writer.spec", "", plain()),
        ("c/surge.spec", "", plain()),
        ("c/turns.spec", "", plain()),
    ]
}

/// A model with a certificate, and what that states.
struct Subject {
    name: String,
    model: Model,
    system: System,
    original: Document,
    document: Value,
    facts: Vec<Facts>,
}

fn files(entry: &str) -> Vec<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(entry);
    if !path.is_dir() {
        return vec![path];
    }
    let entries = std::fs::read_dir(path).expect("a folder").map(|entry| entry.expect("readable").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e != "md")).collect();
    // The small ones.
    files.sort_by_key(|path| std::fs::metadata(path).map_or(u64::MAX, |about| about.len()));
    files.truncate(4);
    files
}

fn read(path: &Path, properties: &[Property]) -> System {
    let options = ReadOptions::default();
    let formulas: Vec<String> = properties
        .iter()
        .filter_map(|property| if let Property::Ltl(text) = property { Some(text.clone()) } else { None })
        .collect();
    let front_end = input::of(path, None).expect("a language");
    let text = Text::load(path).expect("a file");
    let parse = |formulas: &[String]| {
        let parsed = front_end.read(&text, &options, formulas, &Budget::unlimited()).expect("it is read");
        parsed.system.expect("there is no error")
    };
    let own = parse(&[]);
    let unknown: Vec<String> = formulas.into_iter().filter(|name| !own.has_formula(name)).collect();
    if unknown.is_empty() { own } else { parse(&unknown) }
}

/// The kinds that are checked by a search.
const SEARCHES: [&str; 3] = ["explored-states", "explored-product", "searched"];

/// Fields of kinds that few models have.
const RARE: [&str; 7] = ["histories", "relations", "obligations", "invariants", "sums", "monitor", "watched"];

/// What is said of a check that takes too many steps.
const BUSY: &str = "the checker is busy";

/// Checks a document for a model that was read already, with the hash and the options of `original`.
fn verified(text: &str, original: &Document, sha256: &str, system: &System) -> Result<Verification, String> {
    let document = Document::parse(text).map_err(|error| error.to_string())?;
    document.belongs("the model", sha256).map_err(|error| error.to_string())?;
    if document.origin() != original.origin() {
        return Err(String::from("the model is read under other options"));
    }
    let meter = Meter(Cancel::default());
    let budget = Budget::unlimited().until(&meter.0);
    let verification = document.verify(system, &Context::new(&budget, &meter));
    match meter.0.is_cancelled() {
        true => Err(String::from(BUSY)),
        false => Ok(verification),
    }
}

fn subject(path: &Path, properties: &str, settings: Settings) -> Option<Subject> {
    let name = format!("{} {properties}", path.file_name().map_or("".into(), |name| name.to_string_lossy()));
    let model = Model::read(path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut check = Check::new(&model).settings(settings);
    if !properties.is_empty() {
        check = check.property(properties).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let text = check.run().unwrap_or_else(|error| panic!("{name}: {error}")).certificates();
    let document: Value = serde_json::from_str(&text).expect("JSON");
    if document["certificates"].as_array().is_none_or(Vec::is_empty) {
        return None;
    }
    let parsed = Document::parse(&text).expect("a document");
    let system = read(path, parsed.properties());
    let verification =
        verified(&text, &parsed, model.sha256(), &system).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(verification.claims().iter().all(|claim| claim.facts.is_some()), "{name}: {verification}");
    let facts = verification.claims().iter().map(|claim| claim.facts.clone().expect("accepted")).collect();
    Some(Subject { name, model, system, original: parsed, document, facts })
}

/// All places of a document, by the field that they belong to: positions in lists do not count.
fn sites(value: &Value, pointer: &str, field: &str, found: &mut BTreeMap<String, Vec<String>>) {
    found.entry(field.to_owned()).or_default().push(pointer.to_owned());
    match value {
        Value::Array(list) => {
            for (number, each) in list.iter().enumerate() {
                sites(each, &format!("{pointer}/{number}"), &format!("{field}/*"), found);
            }
        }
        Value::Object(fields) => {
            // Keys that are numbers or names of channels are positions, too.
            for (key, each) in fields {
                let escaped = key.replace('~', "~0").replace('/', "~1");
                let is_position = key.chars().any(|c| !c.is_ascii_lowercase() && c != '_' && c != '-');
                let part = if is_position { "*" } else { key.as_str() };
                sites(each, &format!("{pointer}/{escaped}"), &format!("{field}/{part}"), found);
            }
        }
        _ => {}
    }
}

/// Words that mean something somewhere.
const WORDS: [&str; 14] = [
    "",
    "0",
    "declared",
    "unbounded",
    "drop",
    "safety",
    "deadlock",
    "boundedness",
    "livelock",
    "searched",
    "explored-states",
    "lp64",
    "gone",
    "0000",
];

fn changed(random: &mut Random, value: &Value, alike: &Value) -> Value {
    match value {
        // Something that stands in the same field elsewhere.
        _ if alike != value && random.chance(25) => alike.clone(),
        Value::Number(number) => {
            let number = number.as_i64().unwrap_or(i64::MAX);
            Value::from(match random.below(9) {
                0 => 0,
                1 => 1,
                2 | 3 => number.saturating_add(1),
                4 | 5 => number.saturating_sub(1),
                6 => number.saturating_mul(2),
                7 => [i64::MAX, i64::MIN, -1, i64::from(u32::MAX), i64::from(i32::MAX)][random.below(5)],
                _ => random.below(8),
            })
        }
        Value::String(text) => {
            let mut characters: Vec<char> = text.chars().collect();
            let place = random.below(characters.len().max(1));
            match random.below(4) {
                0 => return Value::from(WORDS[random.below(WORDS.len())]),
                1 if !characters.is_empty() => characters[place] = if characters[place] == '0' { '1' } else { '0' },
                2 if !characters.is_empty() => drop(characters.remove(place)),
                _ => characters.insert(place.min(characters.len()), ['0', '1', 'a', '!'][random.below(4)]),
            }
            Value::from(characters.into_iter().collect::<String>())
        }
        Value::Bool(truth) => Value::from(!truth),
        Value::Null => Value::from(random.below(3u64)),
        Value::Array(list) => {
            let mut list = list.clone();
            let count = list.len();
            match random.below(5) {
                _ if count == 0 => list.push(Value::from(random.below(4u64))),
                0 => drop(list.remove(random.below(count))),
                1 => list.push(list[random.below(count)].clone()),
                2 => list.swap(random.below(count), random.below(count)),
                3 => list.truncate(random.below(count)),
                _ => list.insert(0, list[random.below(count)].clone()),
            }
            Value::from(list)
        }
        Value::Object(fields) => {
            let mut fields = fields.clone();
            let keys: Vec<String> = fields.keys().cloned().collect();
            if let Some(key) = keys.get(random.below(keys.len().max(1))) {
                fields.remove(key);
            }
            Value::Object(fields)
        }
    }
}

/// A document with a change or two, and the fields that were changed.
fn mutant(random: &mut Random, document: &Value) -> (Value, Vec<String>) {
    let (mut mutant, mut fields) = (document.clone(), Vec::new());
    for _ in 0..if random.chance(15) { 2 } else { 1 } {
        let mut places = BTreeMap::new();
        sites(&mutant, "", "", &mut places);
        let groups: Vec<(&String, &Vec<String>)> = places.iter().collect();
        let (field, pointers) = groups[random.below(groups.len())];
        let (pointer, other) = (&pointers[random.below(pointers.len())], &pointers[random.below(pointers.len())]);
        let alike = mutant.pointer(other).cloned().unwrap_or_default();
        let (pointer, field) = (pointer.clone(), field.clone());
        if let Some(value) = mutant.pointer_mut(&pointer) {
            *value = changed(random, value, &alike);
            fields.push(field);
        }
    }
    (mutant, fields)
}

/// Whether facts follow from others.
fn implied(fact: &Facts, by: &Facts) -> bool {
    let bounded = |(name, bound): &(String, Option<u64>)| {
        by.channels
            .iter()
            .any(|(known, most)| known == name && bound.is_none_or(|bound| most.is_some_and(|most| most <= bound)))
    };
    // A proof of channels one by one says nothing about those that it does not name.
    let is_part = |facts: &Facts| facts.buffered.is_some_and(|buffered| facts.channels.len() < buffered);
    fact.property == by.property
        && fact.reading == by.reading
        && fact.fair >= by.fair
        && fact.progress == by.progress
        && fact.bad == by.bad
        && fact.channels.iter().all(bounded)
        && (is_part(fact) || !is_part(by))
}

/// Whether an engine proves what a claim states. Bounds must be those of the original: no engine is requested them. What no
/// engine is asked of this model, such as livelock without progress labels, only the checker's own search can have proved.
fn is_true(subject: &Subject, fact: &Facts, searched: bool, known: &mut HashMap<String, bool>) -> bool {
    if fact.property == Property::Boundedness || !fact.channels.is_empty() {
        return false;
    }
    let key =
        format!("{searched} {} {:?} {:?} {:?} {:?}", fact.property, fact.reading, fact.fair, fact.progress, fact.bad);
    *known.entry(key).or_insert_with(|| {
        let channels = match fact.reading {
            Some(Reading::Unbounded) => Channels::Unbounded,
            Some(Reading::Drop) => Channels::Drop,
            _ => Channels::Declared,
        };
        let (progress, bad) = (fact.progress.clone(), fact.bad.clone());
        let settings = Settings { channels, fair: fairness(fact.fair), progress, bad, ..Settings::default() };
        let report = Check::new(&subject.model).settings(settings).properties([fact.property.clone()]).run();
        report.is_ok_and(|report| {
            let found = report.finding(&fact.property.to_string());
            found.is_some_and(|found| {
                let why = found.reason().map(ToString::to_string).unwrap_or_default();
                let not_asked = searched && why.contains("no progress label");
                found.verdict() == Verdict::Proved || not_asked || why.contains("no component has an error state")
            })
        })
    })
}

#[test]
fn an_accepted_mutant_of_a_certificate_states_what_is_true() {
    let rounds = testing::seeds(60);
    let (mut kinds, mut counts): (BTreeMap<String, u64>, BTreeMap<&str, u64>) = Default::default();
    let mut fields: BTreeMap<String, u64> = BTreeMap::new();
    for (entry, properties, settings) in subjects() {
        for path in files(entry) {
            let Some(subject) = subject(&path, properties, settings.clone()) else { continue };
            for claim in subject.document["certificates"].as_array().expect("a list") {
                *kinds.entry(claim["kind"].as_str().expect("a kind").to_owned()).or_default() += rounds;
            }
            let mut known = HashMap::new();
            for seed in testing::first(0)..testing::first(0) + rounds {
                let mut random = Random::new(seed);
                let (mutant, changed) = mutant(&mut random, &subject.document);
                let what = format!("{}, seed {seed}: {changed:?}", subject.name);
                for field in changed {
                    *fields.entry(field).or_default() += 1;
                }
                let text = mutant.to_string();
                let check = || verified(&text, &subject.original, subject.model.sha256(), &subject.system);
                let first = check();
                *counts.entry("mutants").or_default() += 1;
                if seed % 8 == 0 {
                    let again = check();
                    assert_eq!(
                        first.as_ref().map(ToString::to_string),
                        again.as_ref().map(ToString::to_string),
                        "{what}: the checker is not deterministic"
                    );
                }
                // A claim that is checked by a search takes as long as the search: it ends at the limits of the caller. So does the
                // product of all components, without what was said of them.
                let searches = |kind: &Value| SEARCHES.iter().any(|known| kind == known);
                let claims = mutant["certificates"].as_array().map_or(&[][..], Vec::as_slice);
                if first.as_ref().err().is_some_and(|said| said == BUSY) {
                    let is_product = what.contains("/invariants");
                    let searched = claims.iter().any(|claim| searches(&claim["kind"]));
                    assert!(searched || is_product, "{what}: {BUSY}\n{text}");
                }
                let Ok(verification) = first else {
                    *counts.entry("unreadable").or_default() += 1;
                    continue;
                };
                for (number, claim) in verification.claims().iter().enumerate() {
                    let searched = claims.get(number).is_some_and(|claim| searches(&claim["kind"]));
                    match (claim.result, &claim.facts) {
                        (ClaimResult::Unfinished, _) => *counts.entry("unfinished").or_default() += 1,
                        (ClaimResult::Accepted | ClaimResult::Partial, Some(fact)) => {
                            let follows = subject.facts.iter().any(|original| implied(fact, original));
                            assert!(
                                follows || is_true(&subject, fact, searched, &mut known),
                                "{what}: accepted{} although it does not follow from {:?}\n{text}",
                                claim.detail,
                                subject.facts
                            );
                            *counts
                                .entry(if follows { "accepted, implied" } else { "accepted, proved" })
                                .or_default() += 1;
                        }
                        _ => *counts.entry("refused").or_default() += 1,
                    }
                }
            }
        }
    }
    assert_eq!(kinds.len(), 11, "{kinds:?}");
    assert!(counts["refused"] * 4 > counts["mutants"], "{counts:?}");
    let changes = |what: &str| fields.keys().any(|field| field.contains(what));
    assert!(fields.len() > 60 && RARE.map(changes) == [true; RARE.len()], "{fields:?}");
    let figures = format!("{counts:?}\n{kinds:?}\n{fields:#?}\n");
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants.txt"), figures).expect("a scratch file");
}

/// What is assumed of the scheduler, as a setting.
fn fairness(fair: model::fairness::Fairness) -> Fairness {
    let same = |(fairness, ..): &&(Fairness, &str, &str)| model::fairness::Fairness::from(*fairness) == fair;
    Fairness::ALL.iter().find(same).map_or(Fairness::None, |(fairness, ..)| *fairness)
}

//! The report in a browser: what it shows, that it can be used, that it is inert.

#![allow(clippy::print_stdout)]

use crate::browser::Browser;
use highwater::settings::Settings;
use highwater::{Check, Model, Report};
use model::chart::{Chart, ChartStep, Contents, Fate, Form, Lane, Message, Move};
use model::info::ModelInfo;
use model::semantics::Reading;
use model::source::{SourceMap, Span};
use model::verdict::{Details, Outcome, Property, Verdict};
use report::document::{Document, Entry};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn checked(name: &str, text: &str, properties: &str) -> Report {
    let model = Model::from_text(name, text).unwrap();
    Check::new(&model).property(properties).unwrap().run().unwrap()
}

fn page(report: &Report) -> String {
    web::page(&[Entry::Checked(Box::new(report.document()))], "highwater check")
}

/// The arrows that can be seen: step and lane of the sender, of the receiver, channel, message.
fn arrows(browser: &mut Browser) -> Value {
    browser.value(
        "[...document.querySelectorAll('.arrow')].map(({dataset: d}) => [+d.from, d.sender, d.to ? +d.to : null, \
         d.receiver ?? null, d.channel, d.text]).sort((a, b) => a[0] - b[0])",
    )
}

/// What the channels hold after a step, as its row says.
fn held(browser: &mut Browser, step: usize) -> Value {
    browser.value(&format!(
        "[...document.querySelectorAll('#step-{step} .row-queue')].map(q => [q.dataset.channel, \
         ...[...q.querySelectorAll('.chip')].map(c => c.textContent)])"
    ))
}

#[test]
fn messages_are_arrows_from_the_send_to_the_receive() {
    let Some(mut browser) = Browser::start() else { return };
    let text = "mtype = { a, b }; chan q = [3] of { mtype };
        active proctype P() { q!a; q!b; q!a }
        active proctype Q() { q?a; q?b; assert(false) }";
    browser.show("queue.html", &page(&checked("queue.pml", text, "safety")));
    assert_eq!(arrows(&mut browser), json!([[1, "P:0", 3, "Q:1", "q", "a"], [2, "P:0", 4, "Q:1", "q", "b"]]));
    assert_eq!(held(&mut browser, 1), json!([["q", "a"]]));
    assert_eq!(held(&mut browser, 2), json!([["q", "a", "b"]]));
    assert_eq!(held(&mut browser, 4), json!([["q"]]));
}

#[test]
fn every_different_failure_has_a_button_and_a_run() {
    let Some(mut browser) = Browser::start() else { return };
    let text = "byte x; active proctype P() { x = 1; assert(x == 0); x = 2; assert(x == 1) } active proctype Q() { assert(x < 2) }";
    let model = Model::from_text("three.pml", text).unwrap();
    let settings = Settings { keep_going: true, ..Settings::default() };
    let report = Check::new(&model).settings(settings).property("safety").unwrap().run().unwrap();
    browser.show("three.html", &page(&report));
    let failing = "[...document.querySelectorAll('.failure code')].map(c => c.textContent)";
    let all = browser.value(failing);
    assert!(all.as_array().unwrap().len() > 3, "{all}");
    for index in 0..all.as_array().unwrap().len() {
        browser.value(&format!("document.querySelectorAll('.failure')[{index}].click()"));
        browser.settle();
        let last = browser.value("[...document.querySelectorAll('.chart .label')].pop().textContent");
        assert_eq!(last, all[index], "{all}");
        let pressed = browser.value(
            "[...document.querySelectorAll('.failure')].map(b => b.getAttribute('aria-pressed')).indexOf('true')",
        );
        assert_eq!(pressed, json!(index));
    }
}

#[test]
fn a_message_that_overtakes_another_has_its_own_arrow() {
    let Some(mut browser) = Browser::start() else { return };
    let text = "mtype = { a, b }; chan q = [3] of { mtype }; bool sent;
        active proctype P() { q!a; q!b; q!a; sent = true }
        active proctype Q() { sent; q??b; assert(false) }";
    browser.show("random.html", &page(&checked("random.pml", text, "safety")));
    let expected =
        json!([[1, "P:0", null, null, "q", "a"], [2, "P:0", 6, "Q:1", "q", "b"], [3, "P:0", null, null, "q", "a"]]);
    assert_eq!(arrows(&mut browser), expected);
    assert_eq!(held(&mut browser, 3), json!([["q", "a", "b", "a"]]));
    assert_eq!(held(&mut browser, 6), json!([["q", "a", "a"]]));
}

#[test]
fn a_rendezvous_is_a_level_arrow_and_a_deadlock_says_why() {
    let Some(mut browser) = Browser::start() else { return };
    let text = "chan c = [0] of { byte }, d = [1] of { byte };
        active proctype P() { c!1; d!1; d!2; c!3 }
        active proctype Q() { byte x; c?x; c?eval(x) }";
    browser.show("stuck.html", &page(&checked("stuck.pml", text, "deadlock")));
    assert_eq!(arrows(&mut browser)[0], json!([1, "P:0", 1, "Q:1", "c", "1"]));
    let why = browser.value("[...document.querySelectorAll('.waits')].map(w => [w.dataset.lane, w.querySelector('.statement').textContent, w.querySelector('.why').textContent])");
    let expected = json!([
        ["P:0", "d!2", "d is full (1 of 1), and no process can change that"],
        ["Q:1", "c?eval(x)", "no process is ready to send to c, until P:0 sends"]
    ]);
    assert_eq!(why, expected);
    let marks = browser.value("[...document.querySelectorAll('.end.stuck')].map(e => e.dataset.lane)");
    assert_eq!(marks, json!(["P:0", "Q:1"]));
}

#[test]
fn a_growing_run_has_a_frame_around_its_loop_and_a_red_channel() {
    let Some(mut browser) = Browser::start() else { return };
    let text = "chan q = [2] of { byte }; active proctype P() { do :: q!1 od } active proctype Q() { do :: q?_ od }";
    browser.show("growth.html", &page(&checked("growth.pml", text, "boundedness")));
    assert_eq!(browser.value("document.querySelectorAll('rect.loop').length"), json!(1));
    assert_eq!(browser.value("document.querySelector('.node.unbounded text').textContent"), json!("q"));
    assert_eq!(browser.value("document.querySelectorAll('.edge.unbounded').length"), json!(2));
    assert!(
        browser
            .value("document.querySelector('.bounds .unbounded .bound').textContent")
            .as_str()
            .unwrap()
            .contains("no bound")
    );
}

#[test]
fn an_event_of_several_components_joins_their_lanes() {
    let Some(mut browser) = Browser::start() else { return };
    let text = "A = (go -> a -> STOP). B = (go -> b -> STOP). ||S = (A || B).";
    browser.show("joint.html", &page(&checked("joint.fsp", text, "deadlock")));
    assert_eq!(browser.value("document.querySelectorAll('.shared').length"), json!(1));
    let heads = browser.value("[...document.querySelectorAll('.head')].map(h => h.textContent)");
    assert_eq!(heads, json!(["A", "B"]));
    let why = browser.value("[...document.querySelectorAll('.waits .status')].map(w => w.textContent)");
    assert_eq!(why, json!(["can do nothing any more", "can do nothing any more"]));
}

#[test]
fn a_page_without_results_is_small_and_names_no_other_place() {
    let page = web::page(&[], "highwater check");
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    let without_namespace = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!without_namespace.contains("://"), "it names an address");
    assert!(page.contains("default-src 'none'"), "the page may ask the network");
}

#[test]
fn the_keyboard_is_enough() {
    let Some(mut browser) = Browser::start() else { return };
    let text = "chan q = [2] of { byte }; byte x;
        active proctype P() { x = 1; q!7; x = 2; q!8 }
        active proctype Q() { byte y; q?y; q?y; assert(y == 7) }";
    browser.show("keys.html", &page(&checked("keys.pml", text, "safety,deadlock")));
    let current = "[document.querySelector('.row.now')?.id ?? '', document.querySelector('.source mark')?.textContent ?? '', \
                   [...document.querySelectorAll('.stack .chip:not(.slot)')].map(c => c.textContent).join(' ')]";
    let end = browser.value("document.querySelectorAll('.row').length").as_u64().unwrap();
    assert_eq!(browser.value(current)[0], json!(format!("step-{end}")));
    browser.press("Home");
    assert_eq!(browser.value(current)[0], json!(""));
    browser.press("ArrowDown");
    assert_eq!(browser.value(current), json!(["step-1", "x = 1", ""]));
    browser.press("j");
    assert_eq!(browser.value(current), json!(["step-2", "q!7", "7"]));
    browser.press("m");
    assert_eq!(browser.value(current), json!(["step-5", "q?y", "8"]));
    browser.press("m");
    assert_eq!(browser.value(current)[0], json!("step-2"));
    browser.press("ArrowUp");
    assert_eq!(browser.value(current)[0], json!("step-1"));
    let theme = browser.value("getComputedStyle(document.body).backgroundColor");
    browser.press("t");
    assert_ne!(browser.value("getComputedStyle(document.body).backgroundColor"), theme);
    browser.press("n");
    assert_eq!(browser.value("document.querySelector('[aria-current] .property').textContent"), json!("deadlock"));
    browser.press("p");
    assert_eq!(browser.value("document.querySelector('[aria-current] .property').textContent"), json!("safety"));
    let named = browser.value("document.activeElement.getAttribute('aria-activedescendant')");
    assert_eq!(browser.value(&format!("document.getElementById({named}) !== null")), json!(true));
}

#[test]
fn a_run_of_a_hundred_thousand_steps_is_usable_within_a_second() {
    let Some(mut browser) = Browser::start() else { return };
    let text = "chan q = [4] of { byte, int }; int n;
        active proctype P() { byte i; do :: q!i(n); i = (i + 1) % 200; n++; q!i(n); q?_, _; q?_, _; assert(n < 20000) od }";
    let page = page(&checked("long.pml", text, "safety"));
    assert!(page.len() < 15_000_000, "{} bytes", page.len());
    browser.call("Performance.enable", json!({ "timeDomain": "threadTicks" }));
    let start = Instant::now();
    browser.show("long.html", &page);
    let shown = start.elapsed();
    let steps = browser.value("+document.querySelector('.position').textContent.split('/')[1]").as_u64().unwrap();
    assert!(steps >= 100_000, "{steps} steps");
    assert!(browser.value("document.querySelectorAll('.row').length").as_u64().unwrap() < 100);
    // The first steps are far away from the end, where the page opens.
    browser.press("Home");
    for _ in 0..5 {
        browser.press("ArrowDown");
    }
    assert_eq!(browser.value("document.querySelector('.row.now').id"), json!("step-5"));
    browser.press("End");
    browser.press("PageUp");
    // Processor time of the page's thread: loading, drawing, and nine jumps.
    let seconds = browser.metric("TaskDuration");
    println!("{steps} steps: drawn after {shown:.2?}, {seconds:.2} s of processor time with nine jumps");
    assert!(seconds > 0.0 && seconds < 1.0, "{seconds} s");
}

/// A run whose every text is hostile.
fn hostile(text: &str, sources: &mut SourceMap) -> Outcome {
    let file = sources.add(text, format!("{text}\n{text}\n/* {} */ x = 1", "y".repeat(1_000_000)));
    let span = Span::new(file, 0, text.len());
    let lane = |instance| Lane { name: text.to_owned(), instance: Some(instance), ..Lane::default() };
    let message = Message { fate: Fate::Sent, channel: text.to_owned(), text: text.to_owned() };
    let moves = vec![Move { lane: 0, span: Some(span), ..Move::default() }];
    let channels = vec![Contents { channel: text.to_owned(), messages: vec![text.to_owned()] }];
    let (event, remarks) = (Some(text.to_owned()), vec![text.to_owned()]);
    let step = ChartStep { event, moves, message: Some(message), channels, remarks, ..ChartStep::default() };
    let chart = Chart {
        steps: vec![step],
        problem: text.to_owned(),
        problem_code: "assertion",
        problem_span: Some(span),
        ..Chart::new(&Form::RUN, vec![lane(0), lane(1)])
    };
    let advice = vec![text.to_owned()];
    Outcome {
        property: Property::Ltl(text.to_owned()),
        verdict: Verdict::Violated,
        reading: Reading::Declared,
        engine: "explore",
        time: Duration::ZERO,
        stats: None,
        witness: Some(chart),
        certificate: None,
        details: Details { advice, ..Details::default() },
    }
}

#[test]
fn texts_of_a_hostile_model_are_inert() {
    let Some(mut browser) = Browser::start() else { return };
    let texts = [
        String::from("</script><script>window.hacked = 1</script>"),
        String::from("<img src=x onerror=\"window.hacked = 1\">"),
        String::from("\"'`><svg onload=window.hacked=1> {{script}} {{data}} <!--"),
        String::from("\u{202e}gnp.exe\u{2066} \u{200f}\u{2028}\u{0} \\u003cscript>"),
        format!("<b>{}", "z".repeat(1_000_000)),
    ];
    let mut sources = SourceMap::new();
    let outcomes: Vec<Outcome> = texts.iter().map(|text| hostile(text, &mut sources)).collect();
    let model = ModelInfo {
        file: texts[0].clone(),
        language: "promela",
        sha256: String::new(),
        defines: vec![texts[1].clone()],
        processes: 2,
        machines: 1,
        channels: 1,
        composition: None,
        program: None,
        components: None,
    };
    let document = Document {
        model,
        outcomes: outcomes.into(),
        not_checked: Vec::new().into(),
        warnings: Vec::new().into(),
        sources: &sources,
        time: Duration::ZERO,
    };
    browser.show("hostile.html", &web::page(&[Entry::Checked(Box::new(document))], &texts[2]));
    for _ in &texts {
        let seen = browser.value(
            "[window.hacked ?? null, document.scripts.length, document.images.length, \
             document.querySelectorAll('b > b, svg svg, #page img, #page script').length, \
             /[\\u202e\\u2066\\u200f\\u2028]/.test(document.getElementById('page').textContent)]",
        );
        assert_eq!(seen, json!([null, 2, 0, 0, false]));
        let wide = browser.value("document.documentElement.scrollWidth <= innerWidth");
        assert_eq!(wide, json!(true));
        browser.press("n");
    }
    let asked: Vec<&Value> =
        browser.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent").collect();
    let other = |event: &&&Value| {
        let address = event["params"]["request"]["url"].as_str().unwrap();
        !address.starts_with("file:///") && !address.starts_with("data:") && address != "about:blank"
    };
    assert_eq!(asked.iter().filter(other).count(), 0, "{asked:?}");
    let complaints: Vec<&Value> = browser
        .events
        .iter()
        .filter(|event| event["method"] == "Runtime.exceptionThrown" || event["method"] == "Log.entryAdded")
        .collect();
    assert_eq!(complaints.len(), 0, "{complaints:?}");
}

#[test]
fn a_phone_shows_everything_without_scrolling_sideways() {
    let Some(mut browser) = Browser::start() else { return };
    browser.resize(390, 800);
    let text =
        "chan q = [2] of { byte }; active proctype P() { do :: q!1 od } active proctype Q() { q?_; assert(false) }";
    browser.show("phone.html", &page(&checked("phone.pml", text, "safety,boundedness")));
    for _ in 0..2 {
        assert_eq!(browser.value("document.documentElement.scrollWidth"), json!(390));
        browser.press("n");
    }
}

//! The public API: reading, checking, reports, certificates.

use highwater::settings::{Channels, ReadOptions, Settings};
use highwater::{
    Budget, Cancel, ChannelState, Check, ClaimResult, Error, Event, Model, Observer, Property, Reading, Reason, Topic,
    Verdict,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

const PING: &str = "chan ping = [4] of { byte }, pong = [4] of { byte };
    active proctype Client() { do :: ping!1; pong?_ od }
    active proctype Server() { do :: ping?_; pong!1 od }";
const STUCK: &str = "chan a = [1] of { byte }, b = [1] of { byte };
    active proctype P() { a?_; b!1 } active proctype Q() { b?_; a!1 }";

fn read(text: &str) -> Model {
    Model::from_text("model.pml", text).unwrap()
}

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("highwater-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_model_lists_what_can_be_checked() {
    let names =
        |text: &str| -> Vec<String> { read(text).properties().unwrap().iter().map(Property::to_string).collect() };
    assert_eq!(names(PING), ["safety", "deadlock", "boundedness", "reception", "orphan"]);
    let formula = "byte x; ltl small { [] (x < 2) } active proctype P() { progress: x = 1 }";
    assert_eq!(names(formula), ["safety", "deadlock", "livelock", "ltl:small", "reception", "orphan"]);
    assert_eq!(read(formula).stated().unwrap().len(), 4);
    let program = Model::from_text("p.c", "int main(void) { return 0; }").unwrap();
    assert_eq!(program.properties().unwrap(), [Property::Safety]);
}

#[test]
fn a_report_has_a_finding_for_each_property() {
    let model = read(STUCK);
    let report = Check::new(&model).property("safety,deadlock").unwrap().property("ltl:[] (len(a) < 2)").unwrap();
    let report = report.property("never").unwrap().run().unwrap();
    let found: Vec<(String, Verdict)> = report.findings().map(|f| (f.property(), f.verdict())).collect();
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(matches!(report.finding("never").unwrap().reason(), Some(Reason::NotApplicable(_))));
    let deadlock = report.finding("deadlock").unwrap();
    assert_eq!(
        (deadlock.verdict(), deadlock.reading(), deadlock.engine()),
        (Verdict::Violated, Reading::Declared, Some("explore"))
    );
    assert!(deadlock.chart().unwrap().contains("where it ends"));
    assert!(deadlock.certificate().is_none() && deadlock.trace().is_some());
    assert_eq!((deadlock.checked_by(), deadlock.replayed_steps()), (None, Some(0)));
    let proved = Check::new(&read(PING)).property("safety").unwrap().run().unwrap();
    assert_eq!(proved.finding("safety").unwrap().checked_by(), Some(highwater::By::Search));
    assert_eq!((report.exit_code(), report.is_proved()), (1, false));
    assert_eq!(report.trace(), deadlock.trace());
}

#[test]
fn a_formula_asks_whether_any_process_is_enabled() {
    let model = read(
        "byte x; active proctype P() { do :: x = 1 - x od } active proctype Q() { x == 1 }
        ltl first { [] enabled(0) } ltl second { [] enabled(1) }",
    );
    let report = Check::new(&model).property("ltl:first,ltl:second").unwrap().run().unwrap();
    let verdicts: Vec<Verdict> = report.findings().map(|finding| finding.verdict()).collect();
    assert_eq!(verdicts, [Verdict::Proved, Verdict::Violated]);
}

#[test]
fn bounds_come_with_boundedness() {
    let report = Check::new(&read(PING)).property("boundedness").unwrap().run().unwrap();
    let channels = report.finding("boundedness").unwrap().channels();
    let seen: Vec<_> =
        channels.iter().map(|c| (c.name.as_str(), c.state, c.declared, c.at_most, c.is_exact())).collect();
    let bounded = ChannelState::Bounded;
    assert_eq!(seen, [("ping", bounded, Some(4), Some(1), true), ("pong", bounded, Some(4), Some(1), true)]);
}

#[test]
fn advice_is_shown_and_does_not_count() {
    let report =
        Check::new(&read("chan c = [1] of { byte }; active proctype P() { end: do :: c!1 od }")).run().unwrap();
    let boundedness = report.finding("boundedness").unwrap();
    assert!(boundedness.is_advice() && boundedness.verdict() == Verdict::Violated);
    assert!(report.is_proved() && report.exit_code() == 0);
}

#[test]
fn nothing_checked_is_not_proved() {
    let model = Model::from_text(
        "m.scm",
        "scm m :\nnb_channels = 1 ;\nparameters : int a ;\nautomaton P :\ninitial : 0\nstate 0 :\n to 0 : when true , 0 ! a ;\n",
    );
    let model = model.unwrap();
    let inconclusive = Check::new(&model).property("conformance").unwrap().run().unwrap();
    assert_eq!((inconclusive.is_proved(), inconclusive.exit_code()), (false, 3));
}

#[test]
#[should_panic(expected = "violates deadlock")]
fn assert_proved_fails_with_the_readable_report() {
    Check::new(&read(STUCK)).run().unwrap().assert_proved();
}

#[test]
fn a_file_is_checked_and_its_certificate_verified() {
    let folder = folder("facade");
    let path = folder.join("ping.pml");
    std::fs::write(&path, PING).unwrap();
    let report = highwater::check(&path).unwrap();
    report.assert_proved();
    let certificates = report.certificates();
    let verification = highwater::verify(&path, &certificates).unwrap();
    assert!(verification.is_accepted() && verification.exit_code() == 0);
    assert_eq!(verification.claims().len(), report.findings().filter(|f| f.verdict() == Verdict::Proved).count());
    std::fs::write(&path, PING.replace("[4]", "[5]")).unwrap();
    assert!(matches!(highwater::verify(&path, &certificates), Err(Error::Mismatch(_))));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_wrong_certificate_is_refused() {
    let model = read(PING);
    let report = Check::new(&model).property("deadlock").unwrap().run().unwrap();
    let certificate = report.certificates();
    let states = report.finding("deadlock").unwrap().states().unwrap();
    let wrong = certificate.replace(&format!("\"states\": {states}"), &format!("\"states\": {}", states + 1));
    assert_ne!(wrong, certificate);
    let verification = model.verify(&wrong).unwrap();
    assert_eq!(verification.claims()[0].result, ClaimResult::Refused);
    assert!(verification.exit_code() == 1 && verification.refused().is_some());
    let late =
        model.verify_with(&certificate, &Budget::unlimited().timeout(std::time::Duration::ZERO), &highwater::Silent);
    // A small model may be done before the clock is looked at.
    assert_ne!(late.unwrap().claims()[0].result, ClaimResult::Refused);
}

#[test]
fn a_proof_for_some_channels_is_no_proof_of_the_property() {
    let text = "chan a = [1] of { byte }; chan k = [1] of { byte };
        active proctype P() { byte n; do :: n != 9 -> a!n; n = n * 3 :: k!1; k?_ od }";
    let model = read(text);
    let report = Check::new(&model).property("boundedness").unwrap().run().unwrap();
    assert_ne!(report.finding("boundedness").unwrap().verdict(), Verdict::Proved);
    let verification = model.verify(&report.certificates()).unwrap();
    assert_eq!(verification.claims()[0].result, ClaimResult::Partial, "{verification}");
    assert!(!verification.is_accepted() && verification.exit_code() == 3);
    assert!(verification.to_string().starts_with("partial"), "{verification}");
}

#[test]
fn a_certificate_for_other_macros_is_refused() {
    let folder = folder("macros");
    let path = folder.join("m.pml");
    std::fs::write(&path, "byte x; active proctype P() { assert(N < 3) }").unwrap();
    let with = |value: &str| {
        let options = ReadOptions { define: vec![format!("N={value}")], ..ReadOptions::default() };
        Model::read_with(&path, &options, &Budget::unlimited()).unwrap()
    };
    let report = Check::new(&with("2")).property("safety").unwrap().run().unwrap();
    report.assert_proved();
    assert!(with("2").verify(&report.certificates()).unwrap().is_accepted());
    assert!(matches!(with("4").verify(&report.certificates()), Err(Error::Mismatch(_))));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_makes_no_sense_is_an_error() {
    assert!(matches!(Check::new(&read(PING)).property("speed"), Err(Error::Usage(_))));
    assert!(matches!(Model::from_text("m.pml", "active proctype P() { x = 1 }"), Err(Error::Model(_))));
    assert!(matches!(Model::from_text("m.xyz", ""), Err(Error::Language { .. })));
    assert!(matches!(highwater::check(Path::new("no such file.pml")), Err(Error::Unreadable { .. })));
    let plain = Settings { plain: true, ..Settings::default() };
    assert!(matches!(Check::new(&read(PING)).settings(plain).run(), Err(Error::Usage(_))));
}

struct Counter(AtomicUsize);

impl Observer for Counter {
    fn wants(&self, topic: Topic) -> bool {
        topic == Topic::Progress
    }

    fn event(&self, event: &Event<'_>) {
        assert!(matches!(event, Event::Progress(_)));
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn an_observer_hears_of_progress_and_a_cancelled_check_is_inconclusive() {
    let model = read("int x; active [2] proctype P() { do :: x++ od }");
    let (counter, cancel) = (Counter(AtomicUsize::new(0)), Cancel::default());
    let check = Check::new(&model).property("safety").unwrap().observer(&counter);
    let check = check.settings(Settings { max_states: Some(200_000), ..Settings::default() });
    let report = check.run().unwrap();
    assert_eq!(report.finding("safety").unwrap().reason(), Some(&Reason::States));
    assert!(counter.0.load(Ordering::Relaxed) > 0);
    cancel.cancel();
    let report = check.until(&cancel).run().unwrap();
    assert_eq!(report.finding("safety").unwrap().reason(), Some(&Reason::Interrupted));
}

#[test]
fn findings_name_their_reading() {
    let unbounded = Settings { channels: Channels::Unbounded, ..Settings::default() };
    let report = Check::new(&read(PING)).property("deadlock").unwrap().settings(unbounded).run().unwrap();
    assert_eq!(report.finding("deadlock").unwrap().reading(), Reading::Unbounded);
    report.assert_proved();
}

#[test]
fn a_deep_model_is_read_on_a_small_stack() {
    let depth = 20_000;
    let text = format!("byte x; active proctype P() {{ x = {}1{} }}", "(".repeat(depth), ")".repeat(depth));
    // An answer or an error, and no overflow of the stack.
    let _ = Model::from_text("deep.pml", &text).map(|model| Check::new(&model).run());
}

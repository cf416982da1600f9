//! The protocols of this crate, checked by `cargo test`.

use highwater::{Check, Verdict};

#[test]
fn stop_and_wait_delivers_each_message_once() {
    let model = highwater_embed::stop_and_wait(1).unwrap();
    Check::new(&model).property("safety").unwrap().run().unwrap().assert_proved();
}

#[test]
fn stop_and_wait_has_a_certificate() {
    let model = highwater_embed::stop_and_wait(1).unwrap();
    let report = Check::new(&model).property("safety").unwrap().run().unwrap();
    let certificate = report.certificates();
    assert!(model.verify(&certificate).unwrap().is_accepted());
    // Longer channels are another protocol.
    assert!(highwater_embed::stop_and_wait(2).unwrap().verify(&certificate).is_err());
}

#[test]
fn requests_never_fill_their_channels() {
    highwater::check(concat!(env!("CARGO_MANIFEST_DIR"), "/models/requests.pml")).unwrap().assert_proved();
    let lengths = highwater_embed::lengths_of_requests().unwrap();
    assert_eq!(lengths, [(String::from("requests"), Some(1)), (String::from("replies"), Some(1))]);
}

#[test]
fn a_lossy_channel_can_keep_the_sender_from_progress() {
    let model = highwater_embed::stop_and_wait(1).unwrap();
    let report = Check::new(&model).property("livelock").unwrap().run().unwrap();
    let livelock = report.finding("livelock").unwrap();
    assert_eq!(livelock.verdict(), Verdict::Violated);
    assert!(livelock.chart().unwrap().contains("Sender@waiting"));
}

//! A model that is built in Rust and the same model in Promela: they have the same states and the same verdicts.

use highwater::builder::System;
use highwater::settings::{Channels, Engine, Reduction, Settings};
use highwater::{ChannelState, Check, Model, Verdict};

/// What is compared of a finding: verdict, states, and the bounds of channels.
type Seen = (String, Verdict, Option<u64>, Vec<(String, ChannelState, Option<u64>)>);

fn seen(model: &Model, property: &str, settings: &Settings) -> Vec<Seen> {
    let check = Check::new(model).property(property).unwrap().settings(settings.clone());
    let report = check.run().unwrap_or_else(|error| panic!("{property}: {error}"));
    if let Some(finding) = report.findings().find(|finding| finding.verdict() == Verdict::Proved) {
        let certificate = finding.certificate().expect("a proof has a certificate");
        let verification = model.verify(&certificate).unwrap();
        assert!(verification.is_accepted(), "{property}: {verification}");
    }
    let channels = |finding: &highwater::Finding<'_>| {
        finding.channels().into_iter().map(|channel| (channel.name, channel.state, channel.at_most)).collect()
    };
    let all = report.findings().map(|f| (f.property(), f.verdict(), f.states(), channels(&f)));
    all.collect()
}

/// The verdicts of the properties, after comparing both models.
pub fn compare(system: &System, text: &str, properties: &[&str]) -> Vec<Verdict> {
    let built = system.build().unwrap_or_else(|error| panic!("{error}"));
    let read = Model::from_text("twin.pml", text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let whole = Settings { reduction: Reduction::None, engine: Engine::Explore, ..Settings::default() };
    let searched = Settings { keep_going: true, ..whole.clone() };
    let dropping = Settings { channels: Channels::Drop, ..searched.clone() };
    for settings in [&searched, &dropping] {
        let (one, other) = (seen(&built, "safety,deadlock", settings), seen(&read, "safety,deadlock", settings));
        assert_eq!(one, other, "{text}");
        assert!(one.iter().all(|(.., states, _)| states.is_some()), "{one:?}");
    }
    let mut verdicts = Vec::new();
    for property in properties {
        let (one, other) = (seen(&built, property, &Settings::default()), seen(&read, property, &Settings::default()));
        assert_eq!(one, other, "{property}\n{text}");
        verdicts.extend(one.into_iter().map(|(_, verdict, ..)| verdict));
    }
    verdicts
}

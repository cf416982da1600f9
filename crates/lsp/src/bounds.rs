//! The bounds of channels, from a check in the background that an edit cancels.

use crate::server::Event;
use highwater::settings::{Language, ReadOptions};
use highwater::{Budget, Cancel, ChannelState, Check, Model};
use std::collections::BTreeMap;
use std::sync::mpsc::Sender;
use std::time::Duration;

/// How long a check may take, and how much memory.
const TIME: Duration = Duration::from_secs(10);
const MEMORY: u64 = 2 << 30;

/// What is known of the channels of one version of a text: by name, in words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounds {
    pub(crate) version: i64,
    pub(crate) channels: BTreeMap<String, String>,
}

/// Checks a text in a thread of its own; what is found comes back as an event.
pub(crate) fn start(uri: String, path: String, text: String, version: i64, cancel: Cancel, events: Sender<Event>) {
    std::thread::spawn(move || {
        let options = ReadOptions { language: Some(Language::Promela), ..ReadOptions::default() };
        let budget = Budget::unlimited().timeout(TIME).memory(MEMORY).until(&cancel);
        let Ok(model) = Model::from_reader(&path, &mut text.as_bytes(), &options, &budget) else { return };
        let Ok(check) = Check::new(&model).property("boundedness") else { return };
        let Ok(report) = check.budget(budget).run() else { return };
        let mut channels = BTreeMap::new();
        for bound in report.findings().flat_map(|finding| finding.channels()) {
            let words = match (bound.state, bound.at_most) {
                (ChannelState::Bounded, Some(at_most)) => format!("≤ {at_most}"),
                (ChannelState::Bounded, None) => String::from("bounded"),
                (ChannelState::Unbounded, _) => String::from("no bound"),
                (ChannelState::Inconclusive, _) => continue,
            };
            channels.insert(bound.name, words);
        }
        if !cancel.is_cancelled() {
            let _ = events.send(Event::Bounds(uri, Bounds { version, channels }));
        }
    });
}

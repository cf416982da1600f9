//! Checks in the background, which an edit cancels: the bounds of channels, and what was found where it was asked for.

use crate::server::Event;
use highwater::settings::{Language, ReadOptions};
use highwater::{Budget, Cancel, ChannelState, Check, Model, Report};
use model::source::Span;
use std::collections::BTreeMap;
use std::sync::mpsc::Sender;
use std::time::Duration;

/// How long a check may take, and how much memory.
const TIME: Duration = Duration::from_secs(10);
const MEMORY: u64 = 2 << 30;

/// What is known of one version of a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounds {
    pub(crate) version: i64,
    /// How long channels get, by name.
    pub(crate) channels: BTreeMap<String, String>,
    /// The properties and their verdicts, where they were asked for.
    pub(crate) verdicts: Vec<(String, &'static str)>,
    /// Where properties are violated, and how.
    pub(crate) violations: Vec<(Span, String)>,
}

/// What is to be checked.
pub(crate) struct Job {
    pub(crate) uri: String,
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) version: i64,
    pub(crate) language: Option<Language>,
    /// Every property that the model states, and not the bounds alone.
    pub(crate) whole: bool,
}

/// Checks a text in a thread of its own; what is found comes back as an event.
pub(crate) fn start(job: Job, cancel: Cancel, events: Sender<Event>) {
    std::thread::spawn(move || {
        let options = ReadOptions { language: job.language, ..ReadOptions::default() };
        let budget = Budget::unlimited().timeout(TIME).memory(MEMORY).until(&cancel);
        let Ok(model) = Model::from_reader(&job.path, &mut job.text.as_bytes(), &options, &budget) else { return };
        let check = Check::new(&model);
        let Ok(check) = (if job.whole { Ok(check) } else { check.property("boundedness") }) else { return };
        let Ok(report) = check.budget(budget).run() else { return };
        if !cancel.is_cancelled() {
            let found = Bounds { version: job.version, channels: channels(&report), ..Bounds::default() };
            let found = if job.whole { with_verdicts(found, &report) } else { found };
            let _ = events.send(Event::Bounds(job.uri, found));
        }
    });
}

fn channels(report: &Report) -> BTreeMap<String, String> {
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
    channels
}

fn with_verdicts(mut found: Bounds, report: &Report) -> Bounds {
    let counted = report.findings().filter(|finding| !finding.is_advice());
    found.verdicts = counted.map(|finding| (finding.property(), finding.verdict().name())).collect();
    for outcome in report.document().outcomes.iter().filter(|outcome| !outcome.details.advisory) {
        for chart in outcome.witness.iter().chain(&outcome.details.others) {
            let violation = chart.place().map(|span| (span, format!("{}: {}", outcome.property, chart.problem)));
            found.violations.extend(violation);
        }
    }
    found
}

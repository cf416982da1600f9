//! Livelock: is there an infinite run without progress?
//!
//! A proof by weights holds for channels of any length, so for every reading. A run is one of the reading that was asked.

use crate::asking::{Asking, Engines};
use explore::liveness::Setting;
use explore::progress::ProgressOf;
use flow::{Question, Report};
use model::budget::Stopwatch;
use model::context::Context;
use model::event::Event;
use model::semantics::{Reading, Semantics};
use model::verdict::{Certificate, Outcome, Property, Reason, Verdict};

impl Asking<'_> {
    /// Is there an infinite run without progress?
    pub fn livelock(&self, events: &[String], reading: Reading) -> Result<Outcome, String> {
        let start = Stopwatch::start();
        let parsed = events.iter().map(|text| Ok((text.clone(), Event::parse(text, self.network)?)));
        let parsed = parsed.collect::<Result<Vec<(String, Event)>, String>>()?;
        let question = Question::Livelock { events: parsed.clone() };
        let search = |cx: &Context<'_>| self.spin(&parsed, reading, cx);
        let decided = |outcome: &Outcome| !matches!(outcome.verdict, Verdict::Inconclusive(_));
        let (report, found) = match self.engines {
            Engines::Explore => (Report::empty(), Some(search(&self.cx))),
            Engines::Flow => (self.flow(&question, &self.cx), None),
            Engines::Both => {
                let first = self.first_attempt(&question);
                if first.complete {
                    (first, None)
                } else if matches!(first.reason, Some(Reason::Timeout)) {
                    let (report, found) = self.beside(&question, search, decided);
                    (report, Some(found))
                } else {
                    (first, Some(search(&self.cx)))
                }
            }
        };
        let mut details = self.details(&report);
        details.channels.clear();
        let mut outcome = match found {
            Some(found) if !report.complete => found,
            _ => self.outcome(Property::Livelock, reading, start),
        };
        if report.complete {
            outcome.certificate = report.proof.map(|proof| Certificate::Flow(Box::new(proof)));
        } else if outcome.engine == flow::ENGINE {
            let reason = report.reason.unwrap_or(Reason::NotProvable(String::from("no proof was found")));
            outcome.verdict = Verdict::Inconclusive(reason);
        }
        if decided(&outcome) {
            details.cycles.clear();
        }
        outcome.details = details;
        outcome.time = start.elapsed();
        Ok(outcome)
    }

    /// The search for a cycle without progress.
    fn spin(&self, events: &[(String, Event)], reading: Reading, cx: &Context<'_>) -> Outcome {
        let semantics = Semantics::new(self.network, reading);
        let progress = if events.is_empty() { ProgressOf::Labels } else { ProgressOf::Named(events) };
        let (sources, fair, reduction) = (self.sources, self.fair, self.reduction);
        Setting { semantics: &semantics, sources, fair, reduction, limits: cx.limits(), observer: cx }
            .livelock(&progress)
    }
}

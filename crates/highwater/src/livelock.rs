//! Livelock: is there an infinite run without progress?
//!
//! A proof by weights holds for channels of any length, so for every reading. A run is one of the requested reading.

use crate::evidence::{Answer, Claim};
use crate::portfolio::{Engines, Portfolio, Proved};
use explore::liveness::Setting;
use explore::progress::ProgressOf;
use flow::Question;
use model::budget::Stopwatch;
use model::context::Context;
use model::event::Event;
use model::semantics::{Reading, Semantics};
use model::verdict::{Property, Reason};

impl Portfolio<'_> {
    /// Is there an infinite run without progress?
    pub fn livelock(&self, events: &[String], reading: Reading) -> Result<Answer, String> {
        let start = Stopwatch::start();
        let parsed = events.iter().map(|text| Ok((text.clone(), Event::parse(text, self.network)?)));
        let parsed = parsed.collect::<Result<Vec<(String, Event)>, String>>()?;
        let question = Question::Livelock { events: parsed.clone() };
        let search = |cx: &Context<'_>| self.spin(&parsed, reading, cx);
        let (Proved { report, checked }, found) = match self.engines {
            Engines::Explore => (Proved::nothing(), Some(search(&self.cx))),
            Engines::Flow => (self.flow(&question, &self.cx), None),
            Engines::Both => {
                let first = self.first_attempt(&question);
                if first.report.complete {
                    (first, None)
                } else if matches!(first.report.reason, Some(Reason::Timeout)) {
                    let (proved, found) = self.beside(&question, search, |found| !found.is_open());
                    (proved, Some(found))
                } else {
                    (first, Some(search(&self.cx)))
                }
            }
        };
        let mut details = self.details(&report);
        details.channels.clear();
        let mut answer = match (checked.filter(|_| report.complete), found) {
            (Some(checked), _) => {
                let outcome = self.outcome(Property::Livelock, reading, start);
                Answer { outcome, claim: Claim::Proved(checked) }
            }
            (None, Some(found)) => found,
            (None, None) => {
                let reason = report.reason.unwrap_or(Reason::NotProvable(String::from("no proof was found")));
                Answer { outcome: self.outcome(Property::Livelock, reading, start), claim: Claim::Open(reason) }
            }
        };
        if !answer.is_open() {
            details.cycles.clear();
        }
        answer.outcome.details = details;
        answer.outcome.time = start.elapsed();
        Ok(answer)
    }

    /// The search for a cycle without progress.
    fn spin(&self, events: &[(String, Event)], reading: Reading, cx: &Context<'_>) -> Answer {
        let semantics = Semantics::new(self.network, reading);
        let progress = if events.is_empty() { ProgressOf::Labels } else { ProgressOf::Named(events) };
        let (sources, fair, options) = (self.sources, self.fair, &self.options);
        let setting = Setting { semantics: &semantics, sources, fair, options, cx: *cx };
        Answer::searched(setting.livelock(&progress), &semantics, &self.cx)
    }
}

//! What a check found: a report with a finding for each property.

use crate::capacities::{self, Applied, Capacities};
use crate::check::Results;
use crate::evidence::{self, By, Checked};
use crate::model::Model;
use model::budget::Budget;
use model::diagnostic::Diagnostic;
use model::semantics::Reading;
use model::source::SourceMap;
use model::verdict::{self, ChannelState, Outcome, Reason};
use replay::Replayed;
use report::document::{Document, ModelInfo, NotChecked};
use report::style::Style;
use report::{human, json};
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// What a check found.
///
/// "Not finished" is never "no error": [`Report::is_proved`] is true only if every property that counts is proved.
#[derive(Clone, Debug)]
pub struct Report {
    model: ModelInfo,
    outcomes: Vec<Outcome>,
    /// For each outcome, who checked its proof, and how many steps of its run were replayed.
    evidence: Vec<(Option<By>, Option<usize>)>,
    not_checked: Vec<NotChecked>,
    warnings: Vec<Diagnostic>,
    sources: Arc<SourceMap>,
    time: Duration,
}

impl Report {
    pub(crate) fn new(model: &Model, results: Results, time: Duration) -> Report {
        let Results { findings, not_checked } = results;
        let evidence = findings.iter().map(|f| (f.proof().map(Checked::by), f.run().map(Replayed::steps))).collect();
        let outcomes = findings.into_iter().map(evidence::Finding::into_outcome).collect();
        let (sources, warnings) = (Arc::clone(&model.sources), model.warnings.clone());
        Report { model: model.info.clone(), outcomes, evidence, not_checked, warnings, sources, time }
    }

    /// What renderers show of it: `html`, SARIF and others are made of this.
    pub fn document(&self) -> Document<'_> {
        Document {
            model: self.model.clone(),
            outcomes: self.outcomes.as_slice().into(),
            not_checked: self.not_checked.as_slice().into(),
            warnings: self.warnings.as_slice().into(),
            sources: &self.sources,
            time: self.time,
        }
    }

    /// One finding for each property: those that were checked, those that are advice, those that could not be checked.
    pub fn findings(&self) -> impl Iterator<Item = Finding<'_>> {
        let found = self.outcomes.iter().enumerate();
        let found = found.map(|(index, outcome)| Finding { report: self, found: Found::Checked(index, outcome) });
        found.chain(self.not_checked.iter().map(|not| Finding { report: self, found: Found::NotChecked(not) }))
    }

    /// The finding for a property, such as `deadlock` or `ltl:p1`.
    pub fn finding(&self, property: &str) -> Option<Finding<'_>> {
        self.findings().find(|finding| finding.property() == property)
    }

    /// 1 if a property is violated, 101 if a part of the tool contradicts another, 3 if a property has no answer, else 0.
    pub fn exit_code(&self) -> i32 {
        self.document().exit_code()
    }

    /// Whether every property that counts is proved, and at least one is.
    pub fn is_proved(&self) -> bool {
        let proved = |finding: Finding<'_>| finding.verdict() == Verdict::Proved && !finding.is_advice();
        self.exit_code() == 0 && self.findings().any(proved)
    }

    /// Panics with the readable report unless every property that counts is proved: for a `#[test]`.
    #[track_caller]
    pub fn assert_proved(&self) {
        assert!(self.is_proved(), "not everything is proved\n\n{}", self.to_text());
    }

    /// The report as the terminal shows it, without colours.
    pub fn to_text(&self) -> String {
        self.render(Style::PLAIN, false)
    }

    /// The report in a style; with tables of counts if `with_stats` is set.
    pub fn render(&self, style: Style, with_stats: bool) -> String {
        human::render(&self.document(), with_stats, style)
    }

    /// The report as JSON, in one line: schema `highwater/1`.
    pub fn to_json(&self) -> String {
        written(|out| json::write_check(out, &self.document()))
    }

    /// All certificates as one JSON document, which [`verify`](crate::verify) and `highwater verify-certificate` check.
    pub fn certificates(&self) -> String {
        written(|out| json::write_certificates(out, &self.model, &self.outcomes))
    }

    /// The first run as a JSON document, which `highwater simulate --replay` follows.
    pub fn trace(&self) -> Option<String> {
        self.findings().filter(|finding| !finding.is_advice()).find_map(|finding| finding.trace())
    }

    /// The wall time, with that of reading the model.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// The model with other capacities, by the bounds that were found; looking for the smallest ones takes searches.
    pub fn apply_bounds(&self, model: &Model, wanted: Capacities, budget: &Budget) -> Applied {
        capacities::applied(&self.outcomes, model, wanted, budget)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

/// Whether a property holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It holds, and there is a certificate.
    Proved,
    /// It does not hold, and there is a run that shows it.
    Violated,
    /// There is no answer, for a [`Reason`].
    Inconclusive,
    /// It holds vacuously.
    Vacuous,
}

impl Verdict {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Violated => "violated",
            Verdict::Inconclusive => "inconclusive",
            Verdict::Vacuous => "vacuous",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What was found about one property.
#[derive(Clone, Copy, Debug)]
pub struct Finding<'r> {
    report: &'r Report,
    found: Found<'r>,
}

#[derive(Clone, Copy, Debug)]
enum Found<'r> {
    Checked(usize, &'r Outcome),
    NotChecked(&'r NotChecked),
}

/// How long a channel gets.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ChannelBound {
    /// Its name: `ts[0]`, `P[2]:c`.
    pub name: String,
    /// Whether it stays finite.
    pub state: ChannelState,
    /// The declared capacity; none if there is no limit by nature.
    pub declared: Option<u32>,
    /// It never holds more than this.
    pub at_most: Option<u64>,
    /// A run fills it so far.
    pub reached: Option<u64>,
}

impl ChannelBound {
    /// The bound is reached: no smaller one holds.
    pub fn is_exact(&self) -> bool {
        self.at_most.is_some() && self.at_most == self.reached
    }
}

impl<'r> Finding<'r> {
    fn outcome(&self) -> Option<&'r Outcome> {
        match self.found {
            Found::Checked(_, outcome) => Some(outcome),
            Found::NotChecked(_) => None,
        }
    }

    /// The property, as `-p` names it: `deadlock`, `ltl:p1`.
    pub fn property(&self) -> String {
        match self.found {
            Found::Checked(_, outcome) => outcome.property.to_string(),
            Found::NotChecked(not) => not.property.clone(),
        }
    }

    /// Whether it holds.
    pub fn verdict(&self) -> Verdict {
        match self.outcome().map(|outcome| &outcome.verdict) {
            Some(verdict::Verdict::Proved) => Verdict::Proved,
            Some(verdict::Verdict::Violated) => Verdict::Violated,
            Some(verdict::Verdict::Vacuous(_)) => Verdict::Vacuous,
            Some(verdict::Verdict::Inconclusive(_)) | None => Verdict::Inconclusive,
        }
    }

    /// Why there is no answer, where there is none.
    pub fn reason(&self) -> Option<&'r Reason> {
        match self.found {
            Found::NotChecked(not) => Some(&not.reason),
            Found::Checked(_, Outcome { verdict: verdict::Verdict::Inconclusive(reason), .. }) => Some(reason),
            Found::Checked(..) => None,
        }
    }

    /// Why it holds vacuously, where it does.
    pub fn vacuity(&self) -> Option<&'r str> {
        match self.outcome().map(|outcome| &outcome.verdict) {
            Some(verdict::Verdict::Vacuous(why)) => Some(why),
            _ => None,
        }
    }

    /// It is shown although it was not requested, and does not count for [`Report::exit_code`].
    pub fn is_advice(&self) -> bool {
        self.outcome().is_some_and(|outcome| outcome.details.advisory)
    }

    /// The channel semantics that it holds for; of no importance where the model has no channels.
    pub fn reading(&self) -> Reading {
        match self.found {
            Found::Checked(_, outcome) => outcome.reading,
            Found::NotChecked(not) => not.reading,
        }
    }

    fn evidence(&self) -> (Option<By>, Option<usize>) {
        match self.found {
            Found::Checked(index, _) => self.report.evidence[index],
            Found::NotChecked(_) => (None, None),
        }
    }

    /// Who checked the proof, where there is one.
    pub fn checked_by(&self) -> Option<By> {
        self.evidence().0
    }

    /// How many steps the run has that shows a violation: each was taken again in the model's own semantics.
    pub fn replayed_steps(&self) -> Option<usize> {
        self.evidence().1
    }

    /// The engine that answered.
    pub fn engine(&self) -> Option<&'static str> {
        self.outcome().map(|outcome| outcome.engine)
    }

    /// The number of states that a search visited, where one was made.
    pub fn states(&self) -> Option<u64> {
        self.outcome().and_then(|outcome| outcome.stats.as_ref()).map(|stats| stats.states)
    }

    /// For boundedness: how long each channel gets.
    pub fn channels(&self) -> Vec<ChannelBound> {
        let channels = self.outcome().map_or(&[][..], |outcome| &outcome.details.channels);
        let bound = |channel: &verdict::ChannelVerdict| ChannelBound {
            name: channel.name.clone(),
            state: channel.state,
            declared: channel.declared,
            at_most: channel.proved_at_most,
            reached: channel.reached,
        };
        channels.iter().map(bound).collect()
    }

    /// The run that violates the property, as a chart with what is wrong at its end.
    pub fn chart(&self) -> Option<String> {
        let text = human::run(self.outcome()?, &self.report.sources, Style::PLAIN);
        (!text.is_empty()).then_some(text)
    }

    /// The run as a JSON document, which `highwater simulate --replay` follows.
    pub fn trace(&self) -> Option<String> {
        let (outcome, report) = (self.outcome()?, self.report);
        let text = written(|out| json::write_trace(out, &report.model, outcome, &report.sources).map(drop));
        (!text.is_empty()).then_some(text)
    }

    /// The certificate of a proof as a JSON document, which [`verify`](crate::verify) checks.
    pub fn certificate(&self) -> Option<String> {
        let outcome = self.outcome().filter(|outcome| outcome.certificate.is_some())?;
        let outcomes = std::slice::from_ref(outcome);
        Some(written(|out| json::write_certificates(out, &self.report.model, outcomes)))
    }

    /// What to do about it.
    pub fn notes(&self) -> &'r [String] {
        self.outcome().map_or(&[], |outcome| &outcome.details.advice)
    }

    /// How long it took.
    pub fn time(&self) -> Duration {
        self.outcome().map_or(Duration::ZERO, |outcome| outcome.time)
    }
}

/// What is written to a string: that cannot fail.
fn written(write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> String {
    let mut bytes = Vec::new();
    match write(&mut bytes) {
        Ok(()) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => String::new(),
    }
}

//! `view`: the explorer of a model, in a browser on this machine.

use crate::arguments::ViewArgs;
use crate::files;
use crate::terminal;
use highwater::settings::{Channels, Settings};
use highwater::walk::{Enabled, Walk, around, walk};
use highwater::{Budget, Cancel, Check, Error, Model, with_deep_stack};
use model::around::Around;
use model::chart::StepKey;
use model::source::SourceMap;
use model::verdict::{Outcome, Verdict};
use std::time::Duration;
use web::explorer::{Explored, Here, Server};

/// How long the explorer looks for violations.
const LOOK: Duration = Duration::from_secs(20);

struct Viewed {
    model: Model,
    channels: Channels,
    stop: Cancel,
}

impl Viewed {
    fn walked(&self, steps: &[StepKey]) -> Result<Walk, String> {
        with_deep_stack(|| walk(&self.model, self.channels, steps)).map_err(|error| error.to_string())
    }
}

impl Explored for Viewed {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn sources(&self) -> &SourceMap {
        self.model.sources()
    }

    fn walk(&self, steps: &[StepKey]) -> Result<Here, String> {
        let Walk { chart, enabled, variables, channels, .. } = self.walked(steps)?;
        let enabled = enabled.into_iter().map(|Enabled { key, words, fault }| (key, words, fault)).collect();
        Ok(Here { chart, enabled, variables, channels })
    }

    fn violations(&self) -> Result<Vec<(String, Vec<StepKey>)>, String> {
        let reading = self.walked(&[])?.reading();
        let settings = Settings { channels: self.channels, ..Settings::default() };
        let check = Check::new(&self.model).settings(settings).timeout(LOOK).until(&self.stop);
        let report = check.run().map_err(|error| error.to_string())?;
        let runs = |outcome: &Outcome| {
            let charts = outcome.witness.iter().chain(&outcome.details.others);
            let steps = charts.filter_map(|chart| chart.steps.iter().map(|step| step.key.clone()).collect());
            steps.map(|steps| (outcome.property.to_string(), steps)).collect::<Vec<(String, Vec<StepKey>)>>()
        };
        let shown = |outcome: &&Outcome| outcome.verdict == Verdict::Violated && outcome.reading == reading;
        Ok(report.document().outcomes.iter().filter(shown).flat_map(runs).collect())
    }

    fn around(&self, steps: &[StepKey]) -> Result<Around, String> {
        with_deep_stack(|| around(&self.model, self.channels, steps)).map_err(|error| error.to_string())
    }

    fn trace(&self, steps: &[StepKey]) -> Result<String, String> {
        Ok(self.walked(steps)?.trace(&self.model))
    }
}

/// Serves the explorer until Ctrl-C.
pub fn run(args: &ViewArgs, stop: &Cancel) -> Result<i32, Error> {
    let budget = Budget::unlimited().until(stop);
    let model = files::read(&args.file, &args.read, &budget).inspect_err(|error| {
        let _ = terminal::explain_error(error, &args.style);
    })?;
    terminal::diagnose(&model, model.warnings(), &args.style)?;
    let viewed = Viewed { model, channels: args.channels, stop: stop.clone() };
    viewed.walked(&[]).map_err(Error::Usage)?;
    let server = Server::new(args.port)?;
    let text = format!("{} (Ctrl-C ends)\n", server.address());
    terminal::print(text.as_bytes())?;
    let ended = stop.clone();
    std::thread::spawn(move || {
        while !ended.is_cancelled() {
            std::thread::sleep(Duration::from_millis(50));
        }
        std::process::exit(0);
    });
    server.serve(&viewed)?;
    Ok(0)
}

//! A check that is to be made: a model, properties, limits, settings, an observer.

use crate::error::Error;
use crate::findings::Report;
use crate::model::Model;
use crate::property::Wanted;
use crate::settings::Settings;
use input::with_deep_stack;
use model::budget::{Budget, Cancel, Stopwatch};
use model::context::Context;
use model::observer::{Observer, Silent};
use model::verdict::Property;
use std::path::Path;
use std::time::Duration;

/// The time that a check may take, unless it is given another limit.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// The resident size that the process may have during a check, unless it is given another limit.
pub const DEFAULT_MEMORY: u64 = 4 << 30;

/// A check of a model: what is checked, how, and within which limits.
///
/// ```
/// use highwater::{Check, Model};
/// use std::time::Duration;
///
/// let model = Model::from_text("m.pml", "byte x; active proctype P() { x = 1; assert(x == 1) }")?;
/// let report = Check::new(&model)
///     .property("safety")?
///     .property("deadlock")?
///     .timeout(Duration::from_secs(10))
///     .run()?;
/// assert_eq!(report.findings().count(), 2);
/// assert!(report.is_proved());
/// # Ok::<(), highwater::Error>(())
/// ```
#[derive(Clone)]
pub struct Check<'a> {
    model: &'a Model,
    /// No property stands for all that the model states.
    properties: Vec<Property>,
    /// `all` was named.
    all: bool,
    settings: Settings,
    timeout: Option<Duration>,
    memory: Option<u64>,
    budget: Budget,
    observer: &'a dyn Observer,
}

impl<'a> Check<'a> {
    /// A check of all that the model states, within [`DEFAULT_TIMEOUT`] and [`DEFAULT_MEMORY`].
    pub fn new(model: &'a Model) -> Check<'a> {
        Check {
            model,
            properties: Vec::new(),
            all: false,
            settings: Settings::default(),
            timeout: Some(DEFAULT_TIMEOUT),
            memory: Some(DEFAULT_MEMORY),
            budget: Budget::unlimited(),
            observer: &Silent,
        }
    }

    /// Checks this property as well, and only those that are named: `deadlock`, `ltl:NAME`, `ltl:[] (x < 3)`, or a list of
    /// them. `all` stands for what the model states, and boundedness where channels hold messages.
    pub fn property(self, list: &str) -> Result<Check<'a>, Error> {
        Ok(self.wanted(&Wanted::parse(&[list.to_owned()])?))
    }

    /// Checks what is wanted as well.
    #[must_use]
    pub fn wanted(self, wanted: &Wanted) -> Check<'a> {
        let all = self.all || matches!(wanted, Wanted::All(_));
        Check { all, ..self }.properties(wanted.named().iter().cloned())
    }

    /// Checks these properties as well, and only those that are named.
    #[must_use]
    pub fn properties(mut self, properties: impl IntoIterator<Item = Property>) -> Check<'a> {
        self.properties.extend(properties);
        self
    }

    /// The wall time that [`Check::run`] may take; no limit for `None`.
    #[must_use]
    pub fn timeout(self, time: impl Into<Option<Duration>>) -> Check<'a> {
        Check { timeout: time.into(), ..self }
    }

    /// The resident size of the process, in bytes; no limit for `None`.
    #[must_use]
    pub fn memory(self, bytes: impl Into<Option<u64>>) -> Check<'a> {
        Check { memory: bytes.into(), ..self }
    }

    /// Ends with [`Reason::Interrupted`](crate::Reason::Interrupted) when this is cancelled.
    #[must_use]
    pub fn until(self, cancel: &Cancel) -> Check<'a> {
        Check { budget: self.budget.until(cancel), ..self }
    }

    /// What is left of a budget that was used before, for reading the model: it replaces every other limit.
    #[must_use]
    pub fn budget(self, budget: Budget) -> Check<'a> {
        Check { budget, timeout: None, memory: None, ..self }
    }

    /// The channel semantics, the engine and its options.
    #[must_use]
    pub fn settings(self, settings: Settings) -> Check<'a> {
        Check { settings, ..self }
    }

    /// Who hears of progress and of refinements.
    #[must_use]
    pub fn observer(self, observer: &'a dyn Observer) -> Check<'a> {
        Check { observer, ..self }
    }

    /// Makes the check. A violation or a limit is no error: see [`Report`].
    pub fn run(&self) -> Result<Report, Error> {
        let start = Stopwatch::start();
        let mut budget = self.budget.clone();
        if let Some(time) = self.timeout {
            budget = budget.timeout(time);
        }
        if let Some(bytes) = self.memory {
            budget = budget.memory(bytes);
        }
        let budget = budget.states(self.settings.max_states).depth(self.settings.max_depth);
        with_deep_stack(|| {
            let extended = self.model.extended(&self.properties, &budget)?;
            let model = extended.as_ref().unwrap_or(self.model);
            let wanted = match (self.all, self.properties.is_empty()) {
                (true, _) => Wanted::All(self.properties.clone()),
                (false, true) => Wanted::Everything,
                (false, false) => Wanted::Listed(self.properties.clone()),
            };
            let results = crate::check::run(model, &wanted, &self.settings, &Context::new(&budget, self.observer))?;
            Ok(Report::new(model, results, model.read_time + start.elapsed()))
        })
    }
}

/// Reads a model and checks all that it states, within [`DEFAULT_TIMEOUT`] and [`DEFAULT_MEMORY`].
///
/// `highwater::check("model.pml")?.assert_proved()` is a test of a model.
pub fn check(path: impl AsRef<Path>) -> Result<Report, Error> {
    let budget = Budget::unlimited().timeout(DEFAULT_TIMEOUT).memory(DEFAULT_MEMORY);
    let model = Model::read_with(path.as_ref(), &crate::settings::ReadOptions::default(), &budget)?;
    Check::new(&model).budget(budget).run()
}

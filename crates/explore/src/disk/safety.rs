//! What is wrong with the states on disk: safety and deadlock.

use super::blocks::{NO_REFERENCE, Reference};
use super::layers::{Folder, Layers, Work};
use super::manifest::Manifest;
use super::runs::Run;
use super::stage::{Place, Worker};
use super::{Disk, Stop};
use crate::expansion::{Expander, Problem};
use crate::search::{Found, Violations, Watch};
use model::fault::FaultAt;
use model::semantics::{Reached, Semantics};
use model::verdict::{Property, Reason, SearchStats};
use std::io;
use std::sync::Arc;

/// Searches with the states on disk.
pub(crate) fn search<'a>(semantics: &'a Semantics<'a>, watch: Watch<'a>, disk: &Disk) -> Found {
    let nothing = |reason: Reason| {
        Violations::<Reference>::default().found(Some(reason), SearchStats::default(), None, None, |_, _| Vec::new())
    };
    let folder = match Folder::make(disk) {
        Ok(folder) => Arc::new(folder),
        Err(reason) => return nothing(reason),
    };
    let opened = Layers::open(semantics, watch, disk, &folder);
    match opened.and_then(|(layers, earlier)| Ok((Safety::new(&layers, earlier)?, layers))) {
        Ok((mut safety, mut layers)) => {
            let end = layers.run(&mut safety);
            let stopped = end.err().map(|stop| folder.reason(stop));
            safety.finish(layers, stopped)
        }
        Err(stop) => nothing(folder.reason(stop)),
    }
}

/// The search.
struct Safety<'a> {
    semantics: &'a Semantics<'a>,
    watch: Watch<'a>,
    worker: Looker<'a>,
    reached: Reached,
    violations: Violations<Reference>,
}

impl<'a> Safety<'a> {
    fn new(layers: &Layers<'a>, earlier: Option<Manifest>) -> Result<Self, Stop> {
        let (semantics, watch) = (layers.semantics, layers.watch);
        let worker = Looker::new(semantics, watch);
        let reached = worker.expander.stepper.reached().clone();
        let mut safety = Safety { semantics, watch, worker, reached, violations: Violations::default() };
        let damaged = || io::Error::other("the checkpoint is damaged");
        if let Some(earlier) = earlier {
            safety.reached = Reached::restore(semantics, earlier.reached).ok_or_else(damaged)?;
            for (property, count, at) in earlier.violations {
                let mut problems = safety.problems_at(layers, at)?.0.into_iter();
                let problem = problems.find(|problem| problem.property == property && !safety.violations.has(problem));
                safety.violations.put(problem.ok_or_else(damaged)?, count, at);
            }
        }
        Ok(safety)
    }

    /// What is wrong in a state that was expanded before, and the fault after which it cannot go on.
    fn problems_at(&self, layers: &Layers<'a>, at: Reference) -> Result<(Vec<Problem>, Option<FaultAt>), Stop> {
        let mut expander = Expander::of(self.semantics, self.watch.options);
        let (state, _) = layers.state(at)?;
        let watch = self.watch;
        let expanded = expander.expand(&state, &mut |_: &[u8]| (), &mut || watch.must_stop(0, 0));
        expanded.map_err(|unfinished| unfinished.reason())?;
        Ok((std::mem::take(&mut expander.problems), expander.crashed.take()))
    }

    fn finish(mut self, mut layers: Layers<'a>, stopped: Option<Reason>) -> Found {
        let mut stopped = layers.close(stopped);
        let crashed = match layers.total.crash.map(|at| self.problems_at(&layers, at)) {
            Some(Ok((_, crashed))) => crashed,
            Some(Err(stop)) => {
                stopped = stopped.or(Some(layers.folder.reason(stop)));
                None
            }
            None => None,
        };
        let digest = stopped.is_none().then_some(layers.total.digest);
        let reached = stopped.is_none().then(|| self.reached.clone());
        let violations = std::mem::take(&mut self.violations);
        let (mut expander, mut lost) = (Expander::of(self.semantics, self.watch.options), None);
        let mut found =
            violations.found(stopped, layers.stats(), digest, crashed, |&at, last| match layers.chain(at) {
                Ok(chain) => expander.run_along(&chain, last),
                Err(error) => {
                    lost = Some(layers.folder.reason(Stop::Disk(error)));
                    Vec::new()
                }
            });
        if lost.is_some() {
            (found.stopped, found.digest) = (lost, None);
            found.violations.clear();
            found.runs.clear();
        }
        Found { alone: layers.total.alone, reached, ..found }
    }
}

impl<'a> Work<'a> for Safety<'a> {
    /// The first state; or says why there is none.
    fn first(&mut self) -> Result<Vec<u8>, Stop> {
        self.worker.expander.stepper.initial().map_err(Reason::from)?.map_err(|fault| {
            let reason = format!("there is no first state: {}", fault.fault);
            let (last_steps, fault) = (Vec::new(), Some(fault));
            let problem = Problem { property: Property::Safety, last_steps, fault, same: 0 };
            self.violations.add(self.watch.options, problem, NO_REFERENCE);
            Reason::NotSupported(reason).into()
        })
    }

    fn expand(&mut self, layers: &mut Layers<'a>, layer: &Run) -> Result<(), Stop> {
        let (semantics, watch) = (self.semantics, self.watch);
        let (counted, least, end) = layers.expand(layer, &mut self.worker, &|| Looker::new(semantics, watch));
        let total = &mut layers.total;
        for part in &counted {
            total.transitions += part.transitions;
            total.alone += part.alone;
            total.digest = total.digest.wrapping_add(part.digest);
            self.reached.join(&part.reached);
        }
        total.crash = total.crash.or(counted.iter().filter_map(|part| part.crash).min());
        self.violations.extend(counted.into_iter().map(|part| part.violations), |at| at);
        end?;
        if least != NO_REFERENCE {
            for problem in self.problems_at(layers, least)?.0 {
                self.violations.add(self.watch.options, problem, least);
            }
            return Err(Reason::StoppedEarly.into());
        }
        Ok(())
    }

    fn complete(&mut self, _: &mut Layers<'a>) -> Result<(), Stop> {
        Ok(())
    }

    fn note(&mut self, manifest: &mut Manifest) -> io::Result<()> {
        manifest.reached = self.reached.places().to_vec();
        let tallies = self.violations.tallies();
        manifest.violations = tallies.map(|(property, count, &at)| (property.clone(), count, at)).collect();
        Ok(())
    }
}

/// A thread that looks for violations.
struct Looker<'a> {
    expander: Expander<'a>,
    watch: Watch<'a>,
    violations: Violations<Reference>,
    /// The first state after which a run cannot go on.
    crash: Option<Reference>,
}

/// What a thread has counted in a layer.
struct Counted {
    transitions: u64,
    alone: u64,
    digest: u128,
    crash: Option<Reference>,
    violations: Violations<Reference>,
    reached: Reached,
}

impl<'a> Looker<'a> {
    fn new(semantics: &'a Semantics<'a>, watch: Watch<'a>) -> Self {
        let expander = Expander::of(semantics, watch.options);
        Looker { expander, watch, violations: Violations::default(), crash: None }
    }
}

impl Worker for Looker<'_> {
    type Counted = Counted;

    fn visit(&mut self, state: &[u8], place: Place, sink: &mut impl FnMut(&[u8])) -> Result<bool, Stop> {
        let (watch, expander, at) = (self.watch, &mut self.expander, place.reference);
        let expanded = expander.expand(state, &mut |next: &[u8]| sink(next), &mut || watch.must_stop(0, 0));
        if self.crash.is_none() && expander.crashed.is_some() {
            self.crash = Some(at);
        }
        let mut ends = false;
        for problem in expander.problems.drain(..) {
            if watch.options.keep_going {
                self.violations.add(watch.options, problem, at);
            } else {
                ends |= watch.options.properties.contains(&problem.property);
            }
        }
        expanded.map_err(|unfinished| unfinished.reason())?;
        Ok(ends)
    }

    fn transitions(&self) -> u64 {
        self.expander.transitions
    }

    fn counted(&mut self) -> Counted {
        let expander = &mut self.expander;
        expander.crashed = None;
        Counted {
            transitions: std::mem::take(&mut expander.transitions),
            alone: std::mem::take(&mut expander.alone),
            digest: std::mem::take(&mut expander.digest),
            crash: self.crash.take(),
            violations: std::mem::take(&mut self.violations),
            reached: expander.stepper.reached().clone(),
        }
    }
}

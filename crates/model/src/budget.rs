//! How much may be used: time, memory, states, depth; and who may stop the work.
//!
//! A [`Budget`] is the only thing in engines and front ends that looks at the clock, at the resident size of the process
//! or at a stop flag. Loops call [`Budget::spend`], which is a subtraction and a comparison until enough work has been
//! done to look again; [`Budget::check`] looks at once. What is used up is a [`Reason`], never a proof.
//!
//! A clone, a slice and a linked child share the limits and the flags of their origin, and count their work for
//! themselves: give every thread its own.

use crate::reason::Reason;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Work between two looks. A unit is an elementary step, some nanoseconds.
const WORK_PER_LOOK: i64 = 1 << 12;
/// The resident size is measured at most once in so many microseconds: that takes a few of them itself.
const MICROSECONDS_PER_MEASURE: u64 = 1_000;

/// Time, memory, states and depth that may be used, and the flags that end it all.
#[derive(Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    memory: Option<u64>,
    states: Option<u64>,
    depth: Option<u64>,
    flags: Vec<Cancel>,
    /// Work that is left to this budget, and to those that it is a part of.
    work: Vec<Arc<AtomicI64>>,
    /// Work until the next look.
    credit: AtomicI64,
    /// When the memory was measured last and found small enough: microseconds since [`START`], 0 for never.
    measured: AtomicU64,
}

/// A budget without limits, for [`crate::context::Context::unlimited`].
pub(crate) static UNLIMITED: Budget = Budget::unlimited();

/// When the first budget looked at the clock.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

impl Clone for Budget {
    fn clone(&self) -> Self {
        let Budget { deadline, memory, states, depth, .. } = *self;
        let (flags, work) = (self.flags.clone(), self.work.clone());
        Budget { deadline, memory, states, depth, flags, work, ..Budget::unlimited() }
    }
}

impl Budget {
    /// No limit at all.
    pub const fn unlimited() -> Self {
        Budget {
            deadline: None,
            memory: None,
            states: None,
            depth: None,
            flags: Vec::new(),
            work: Vec::new(),
            credit: AtomicI64::new(0),
            measured: AtomicU64::new(0),
        }
    }

    /// The time from now on; a time too long to add to the clock is no limit.
    #[must_use]
    pub fn timeout(self, time: Duration) -> Self {
        Budget { deadline: Instant::now().checked_add(time), ..self }
    }

    /// The resident size of the process, in bytes.
    #[must_use]
    pub fn memory(self, bytes: u64) -> Self {
        Budget { memory: Some(bytes), ..self }
    }

    /// States that may be stored; no limit for `None`.
    #[must_use]
    pub fn states(self, states: impl Into<Option<u64>>) -> Self {
        Budget { states: states.into(), ..self }
    }

    /// Steps that a path may have; no limit for `None`.
    #[must_use]
    pub fn depth(self, depth: impl Into<Option<u64>>) -> Self {
        Budget { depth: depth.into(), ..self }
    }

    /// Ends when this is cancelled.
    #[must_use]
    pub fn until(mut self, cancel: &Cancel) -> Self {
        self.flags.push(cancel.clone());
        self
    }

    /// The same budget, with so many percent of the time that is left.
    #[must_use]
    pub fn slice(&self, percent: u32) -> Budget {
        self.within(self.left().map(|left| left / 100 * percent.min(100)))
    }

    /// The same budget, with the share of one of several that have the time that is left together.
    #[must_use]
    pub fn share(&self, parts: usize) -> Budget {
        let parts = u32::try_from(parts).unwrap_or(u32::MAX).max(1);
        self.within(self.left().map(|left| left / parts))
    }

    /// The same budget, and not more time from now on than this.
    #[must_use]
    pub fn at_most(&self, time: Duration) -> Budget {
        self.within(Some(self.left().map_or(time, |left| left.min(time))))
    }

    /// The same budget, and not more work than this: unlike time, it does not depend on what else the machine does. Work counts when
    /// there is a look.
    #[must_use]
    pub fn at_most_work(&self, units: i64) -> Budget {
        let mut less = self.clone();
        less.work.push(Arc::new(AtomicI64::new(units)));
        less
    }

    fn within(&self, time: Option<Duration>) -> Budget {
        let sooner = time.and_then(|time| Instant::now().checked_add(time));
        Budget { deadline: sooner.or(self.deadline), ..self.clone() }
    }

    /// A child that ends with this budget, and can be cancelled before.
    #[must_use]
    pub fn linked(&self) -> (Budget, Cancel) {
        let cancel = Cancel::default();
        (self.clone().until(&cancel), cancel)
    }

    /// Some work is done. Looks at the flags, the clock and the memory now and then.
    #[inline]
    pub fn spend(&self, work: usize) -> Result<(), Reason> {
        // Two threads that share a budget may lose some of each other's work: the next look comes a little later.
        let credit = self.credit.load(Ordering::Relaxed).saturating_sub_unsigned(work as u64);
        self.credit.store(credit, Ordering::Relaxed);
        if credit >= 0 { Ok(()) } else { self.look() }
    }

    #[cold]
    fn look(&self) -> Result<(), Reason> {
        let done = -self.credit.load(Ordering::Relaxed) + WORK_PER_LOOK;
        self.credit.store(WORK_PER_LOOK, Ordering::Relaxed);
        for left in &self.work {
            left.fetch_sub(done, Ordering::Relaxed);
        }
        self.check()
    }

    /// The next [`Budget::spend`] looks, however little it spends.
    pub fn look_soon(&self) {
        self.credit.store(0, Ordering::Relaxed);
    }

    /// Looks at the flags, the clock and the work that is left.
    pub fn in_time(&self) -> Result<(), Reason> {
        if self.is_cancelled() {
            return Err(Reason::Interrupted);
        }
        let is_done = self.work.iter().any(|left| left.load(Ordering::Relaxed) <= 0);
        if is_done || self.is_late() { Err(Reason::Timeout) } else { Ok(()) }
    }

    /// Looks at the flags, the clock and the memory.
    pub fn check(&self) -> Result<(), Reason> {
        self.in_time()?;
        match self.memory {
            Some(most) => self.measure(most),
            None => Ok(()),
        }
    }

    /// Measures the memory, unless it was small enough a moment ago.
    fn measure(&self, most: u64) -> Result<(), Reason> {
        let now = START.elapsed().as_micros() as u64 + MICROSECONDS_PER_MEASURE;
        if now < self.measured.load(Ordering::Relaxed) + MICROSECONDS_PER_MEASURE {
            return Ok(());
        }
        if resident_bytes().is_some_and(|bytes| bytes > most) {
            return Err(Reason::Memory);
        }
        self.measured.store(now, Ordering::Relaxed);
        Ok(())
    }

    /// Looks at everything now, with so many bytes `more` than the process has. Where the system does not tell its size,
    /// `used` bytes are known to be used.
    pub fn room(&self, used: u64, more: u64) -> Result<(), Reason> {
        self.in_time()?;
        match self.memory {
            Some(most) if resident_bytes().unwrap_or(used).saturating_add(more) > most => Err(Reason::Memory),
            _ => Ok(()),
        }
    }

    /// How many bytes more the process may take, with `default` bytes in all where there is no limit.
    pub fn memory_left(&self, default: u64) -> u64 {
        self.memory.unwrap_or(default).saturating_sub(resident_bytes().unwrap_or(0))
    }

    /// Holds a number of states against its limit.
    #[inline]
    pub fn fits_states(&self, states: u64) -> Result<(), Reason> {
        if self.states.is_some_and(|most| states > most) { Err(Reason::States) } else { Ok(()) }
    }

    /// Holds the length of a path against its limit.
    #[inline]
    pub fn fits_depth(&self, depth: u64) -> Result<(), Reason> {
        if self.depth.is_some_and(|most| depth > most) { Err(Reason::Depth) } else { Ok(()) }
    }

    /// Whether somebody has cancelled it.
    pub fn is_cancelled(&self) -> bool {
        self.flags.iter().any(Cancel::is_cancelled)
    }

    /// Whether the time is up.
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The time that is left, if it is limited.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The most bytes that the process may have, if they are limited.
    pub fn most_memory(&self) -> Option<u64> {
        self.memory
    }

    /// The most states, if they are limited.
    pub fn most_states(&self) -> Option<u64> {
        self.states
    }

    /// The greatest depth, if it is limited.
    pub fn most_depth(&self) -> Option<u64> {
        self.depth
    }
}

/// Ends the budgets that it is linked to.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Ends them.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether they have ended.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How long something takes: for statistics, and for taking turns. It is no limit.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Self {
        Stopwatch(Instant::now())
    }

    /// The time since then.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The resident size of this process in bytes, where the system tells it.
pub fn resident_bytes() -> Option<u64> {
    memory_stats::memory_stats().map(|stats| stats.physical_mem as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks until there is a reason to stop.
    fn spent(budget: &Budget) -> Option<Reason> {
        (0..100 * WORK_PER_LOOK).find_map(|_| budget.spend(1).err())
    }

    #[test]
    fn without_limits_work_goes_on() {
        let budget = Budget::unlimited();
        assert_eq!((spent(&budget), budget.check(), budget.left()), (None, Ok(()), None));
        assert_eq!((budget.slice(10).left(), budget.share(3).left()), (None, None));
        let (states, depth) = (budget.fits_states(u64::MAX), budget.fits_depth(u64::MAX));
        assert_eq!((states, depth, budget.room(0, u64::MAX)), (Ok(()), Ok(()), Ok(())));
    }

    #[test]
    fn the_time_is_up_at_the_next_look() {
        let budget = Budget::unlimited().timeout(Duration::ZERO);
        assert_eq!(budget.check(), Err(Reason::Timeout));
        assert_eq!(spent(&budget), Some(Reason::Timeout));
        assert_eq!(budget.left(), Some(Duration::ZERO));
    }

    #[test]
    fn a_slice_has_less_time_and_never_more() {
        let budget = Budget::unlimited().timeout(Duration::from_secs(1_000));
        let seconds = |budget: Budget| budget.left().map(|left| left.as_secs_f64().round());
        assert_eq!(seconds(budget.slice(25)), Some(250.0));
        assert_eq!(seconds(budget.slice(400)), Some(1_000.0));
        assert_eq!(seconds(budget.share(4)), Some(250.0));
        assert_eq!(seconds(budget.share(0)), Some(1_000.0));
        assert_eq!(seconds(budget.at_most(Duration::from_secs(10))), Some(10.0));
        assert_eq!(seconds(budget.at_most(Duration::MAX)), Some(1_000.0));
        assert_eq!(seconds(Budget::unlimited().at_most(Duration::from_secs(10))), Some(10.0));
        assert_eq!(seconds(Budget::unlimited().timeout(Duration::MAX)), None);
    }

    #[test]
    fn a_child_ends_with_its_parent_and_not_the_other_way_round() {
        let (parent, stop) = Budget::unlimited().linked();
        let (first, stop_first) = parent.linked();
        let (second, _) = parent.linked();
        stop_first.cancel();
        assert_eq!(first.check(), Err(Reason::Interrupted));
        assert_eq!((parent.check(), second.check()), (Ok(()), Ok(())));
        stop.cancel();
        assert_eq!((spent(&parent), spent(&second)), (Some(Reason::Interrupted), Some(Reason::Interrupted)));
        assert!(second.slice(50).is_cancelled());
    }

    #[test]
    fn the_memory_of_the_process_is_measured() {
        let most = resident_bytes().map_or(u64::MAX, |bytes| bytes + (1 << 30));
        let small = Budget::unlimited().memory(1);
        let large = Budget::unlimited().memory(most);
        if cfg!(any(target_os = "linux", target_os = "macos", target_os = "windows")) {
            assert_eq!((small.check(), spent(&small)), (Err(Reason::Memory), Some(Reason::Memory)));
            assert_eq!((large.check(), large.room(0, 0)), (Ok(()), Ok(())));
            assert_eq!(large.room(0, 4 << 30), Err(Reason::Memory));
        }
    }

    #[test]
    fn work_is_limited_whatever_the_time() {
        let whole = Budget::unlimited().at_most_work(100 * WORK_PER_LOOK);
        let part = whole.at_most_work(10 * WORK_PER_LOOK);
        let rounds = |budget: &Budget| (0..1_000).take_while(|_| budget.spend(WORK_PER_LOOK as usize).is_ok()).count();
        let first = rounds(&part);
        assert!((4..10).contains(&first), "{first}");
        assert_eq!((part.check(), whole.check()), (Err(Reason::Timeout), Ok(())));
        assert!((80..100).contains(&(first + rounds(&whole.clone()))));
        assert_eq!((rounds(&part.share(2)), whole.is_late()), (0, false));
    }

    #[test]
    fn a_look_comes_soon_when_it_is_wanted() {
        let (budget, stop) = Budget::unlimited().linked();
        assert_eq!(budget.spend(1), Ok(()));
        stop.cancel();
        assert_eq!(budget.spend(1), Ok(()), "the next look is far");
        budget.look_soon();
        assert_eq!(budget.spend(1), Err(Reason::Interrupted));
    }
}

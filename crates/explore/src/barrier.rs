//! Where threads wait for each other.
//!
//! Like [`std::sync::Barrier`], except that no thread waits for one that has panicked: when one
//! unwinds, the barrier is off, and all others are told. Who comes early looks around for some microseconds before
//! it sleeps: most barriers of a search are passed by then, and waking up takes longer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How often somebody who waits looks around before sleeping.
const LOOKS: u32 = 2_000;

#[derive(Debug)]
pub(crate) struct Barrier {
    members: usize,
    state: Mutex<State>,
    all_here: Condvar,
    /// Counts rounds, and that the barrier is off: who looks around sees that something has changed.
    changes: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    here: usize,
    asleep: usize,
    round: u64,
    off: bool,
}

/// Calls the barrier off if its thread unwinds.
pub(crate) struct Member<'a>(&'a Barrier);

impl Barrier {
    pub(crate) fn new(members: usize) -> Self {
        Barrier { members, state: Mutex::default(), all_here: Condvar::new(), changes: AtomicU64::new(0) }
    }

    pub(crate) fn join(&self) -> Member<'_> {
        Member(self)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something has changed for all who wait.
    fn wake(&self, state: &State) {
        self.changes.fetch_add(1, Ordering::Relaxed);
        if state.asleep > 0 {
            self.all_here.notify_all();
        }
    }
}

impl Member<'_> {
    /// Waits until all are here; `false` if that will never be. The last one to come does what is to be done while
    /// all others wait.
    pub(crate) fn wait(&self, meanwhile: impl FnOnce()) -> bool {
        let barrier = self.0;
        let mut state = barrier.lock();
        state.here += 1;
        if state.here == barrier.members {
            meanwhile();
            state.here = 0;
            state.round += 1;
            barrier.wake(&state);
            return !state.off;
        }
        let (round, changes) = (state.round, barrier.changes.load(Ordering::Relaxed));
        drop(state);
        for _ in 0..LOOKS {
            if barrier.changes.load(Ordering::Relaxed) != changes {
                break;
            }
            std::hint::spin_loop();
        }
        let mut state = barrier.lock();
        while state.round == round && !state.off {
            state.asleep += 1;
            state = barrier.all_here.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.asleep -= 1;
        }
        !state.off
    }
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut state = self.0.lock();
            state.off = true;
            self.0.wake(&state);
        }
    }
}

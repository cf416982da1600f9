//! Where threads wait for each other.
//!
//! Like [`std::sync::Barrier`], except that nobody waits for a thread that has come to grief: when one
//! unwinds, the meeting is off, and all others are told.

use std::sync::{Condvar, Mutex, PoisonError};

#[derive(Debug)]
pub(crate) struct Meeting {
    members: usize,
    state: Mutex<State>,
    all_here: Condvar,
}

#[derive(Debug, Default)]
struct State {
    here: usize,
    round: u64,
    off: bool,
}

/// Calls the meeting off if its thread unwinds.
pub(crate) struct Member<'a>(&'a Meeting);

impl Meeting {
    pub(crate) fn new(members: usize) -> Self {
        Meeting { members, state: Mutex::default(), all_here: Condvar::new() }
    }

    pub(crate) fn join(&self) -> Member<'_> {
        Member(self)
    }
}

impl Member<'_> {
    /// Waits until all are here; `false` if that will never be. The last one to come does what is to be done while
    /// all others wait.
    pub(crate) fn wait(&self, meanwhile: impl FnOnce()) -> bool {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.here += 1;
        if state.here == self.0.members {
            meanwhile();
            state.here = 0;
            state.round += 1;
            self.0.all_here.notify_all();
            return !state.off;
        }
        let round = state.round;
        while state.round == round && !state.off {
            state = self.0.all_here.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.off
    }
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.state.lock().unwrap_or_else(PoisonError::into_inner).off = true;
            self.0.all_here.notify_all();
        }
    }
}

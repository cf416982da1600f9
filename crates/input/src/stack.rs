//! Room for recursion: deep models are walked by recursion of a bounded depth, which the stack of a test thread is too
//! small for.

use std::cell::Cell;

/// Enough for every bounded recursion. It is reserved, not used.
const STACK: usize = 1 << 29;

thread_local! {
    static IS_DEEP: Cell<bool> = const { Cell::new(false) };
}

/// Does some work on a stack that is large enough for reading and checking deep models.
///
/// The library and the checker do so themselves.
/// Where no such thread can be started, the work is done on the stack of the caller. A panic goes on in the caller.
pub fn with_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if IS_DEEP.get() {
        return work();
    }
    // The work is taken by whoever can do it: the new thread, or this one if there is none.
    let work = std::sync::Mutex::new(Some(work));
    let take = || work.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
    let run = || {
        IS_DEEP.set(true);
        take().map(|work| work())
    };
    let done = std::thread::scope(|scope| {
        let started = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run);
        started.ok().and_then(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    match done {
        Some(done) => done,
        None => match take() {
            Some(work) => work(),
            None => unreachable!("the thread that took the work has returned it"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deep_stack_is_reserved_once() {
        let outer = with_deep_stack(|| (std::thread::current().id(), with_deep_stack(|| std::thread::current().id())));
        assert_eq!(outer.0, outer.1);
        assert_ne!(outer.0, std::thread::current().id());
    }

    #[test]
    fn a_panic_goes_on_in_the_caller() {
        let panic = std::panic::catch_unwind(|| with_deep_stack(|| panic!("here")));
        assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"here"));
    }
}

//! Devices that have too little memory, or that are lost in the middle.

use crate::compare::{compiler, read};
use explore::Options;
use explore::search::Found;
use gpu::{Args, Backend, Compile, Failure, Kernel, Refused, Report};
use model::budget::Budget;
use model::context::Context;
use model::semantics::{Reading, Semantics};
use model::verdict::{Property, Reason};
use std::cell::Cell;
use std::rc::Rc;

const MODEL: &str =
    "byte a, b, c; active [2] proctype P() { do :: a = (a + 1) % 20 :: b = (b + 1) % 20 :: c = (c + 1) % 60 od }";
const STATES: u64 = 20 * 20 * 60;

/// A device that is lost after so many commands.
struct Lost<'a> {
    compiler: &'a dyn Compile,
    left: Rc<Cell<u32>>,
}

struct Losing {
    inner: Box<dyn Backend>,
    left: Rc<Cell<u32>>,
}

impl Losing {
    fn command(&self) -> Result<(), Failure> {
        match self.left.get().checked_sub(1) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => Err(Failure(String::from("the GPU was lost"))),
        }
    }
}

impl Compile for Lost<'_> {
    fn compile(&self, text: &str) -> Result<Box<dyn Backend>, Failure> {
        Ok(Box::new(Losing { inner: self.compiler.compile(text)?, left: Rc::clone(&self.left) }))
    }
}

impl Backend for Losing {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn available(&self) -> u64 {
        self.inner.available()
    }

    fn threads(&self) -> u64 {
        self.inner.threads()
    }

    fn allocate(&mut self, bytes: u64) -> Result<Option<u64>, Failure> {
        self.command().and_then(|()| self.inner.allocate(bytes))
    }

    fn free(&mut self, address: u64) {
        self.inner.free(address);
    }

    fn clear(&mut self, address: u64, bytes: u64) -> Result<(), Failure> {
        self.command().and_then(|()| self.inner.clear(address, bytes))
    }

    fn upload(&mut self, address: u64, bytes: &[u8]) -> Result<(), Failure> {
        self.command().and_then(|()| self.inner.upload(address, bytes))
    }

    fn download(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Failure> {
        self.command().and_then(|()| self.inner.download(address, bytes))
    }

    fn launch(&mut self, kernel: Kernel, args: &Args, work: u64) -> Result<(), Failure> {
        self.command().and_then(|()| self.inner.launch(kernel, args, work))
    }
}

fn search(compiler: &dyn Compile, budget: &Budget) -> Result<(Found, Report), Refused> {
    let (network, sources) = read("failures.pml", MODEL).expect("the model is read");
    let semantics = Semantics::new(&network, Reading::Declared);
    let options =
        Options { keep_going: true, properties: vec![Property::Safety, Property::Deadlock], ..Options::default() };
    gpu::search((&semantics, &sources), &options, 20, compiler, &Context::silent(budget))
}

#[test]
fn a_device_that_is_lost_gives_no_answer() {
    let Some(compiler) = compiler() else { return };
    let (mut commands, mut failures) = (0, 0);
    loop {
        let lost = Lost { compiler: compiler.as_ref(), left: Rc::new(Cell::new(commands)) };
        match search(&lost, &Budget::default()) {
            Err(Refused::Failed(failure)) => assert_eq!(failure.0, "the GPU was lost", "after {commands} commands"),
            Err(refused) => panic!("after {commands} commands: {refused}"),
            Ok((found, report)) => {
                assert_eq!((found.stats.states, found.stopped), (STATES, None));
                assert!(!report.device.is_empty(), "the search is not on the device");
                break;
            }
        }
        (commands, failures) = (commands + 1 + commands / 4, failures + 1);
    }
    assert!(failures > 10, "{failures} failures");
}

#[test]
fn too_little_memory_is_said() {
    let Some(compiler) = compiler() else { return };
    let mut reasons = Vec::new();
    for kilobytes in [1, 1 << 10, 8 << 10, 9 << 10, 10 << 10, 12 << 10, 1 << 20] {
        match search(compiler.as_ref(), &Budget::default().memory(kilobytes << 10)) {
            Err(Refused::Failed(failure)) => assert_eq!(failure.0, "too little memory on the device"),
            Err(refused) => panic!("{kilobytes} KiB: {refused}"),
            Ok((found, _)) => {
                let all = found.stats.states == STATES;
                assert!(all == found.stopped.is_none() && found.stats.states <= STATES, "{:?}", found.stats);
                reasons.push(found.stopped);
            }
        }
    }
    assert!(reasons.contains(&None), "{reasons:?}");
    assert!(reasons.iter().flatten().all(|reason| *reason == Reason::Memory), "{reasons:?}");
}

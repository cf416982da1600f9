//! The dataflow: parcels go in here and come out at their targets; rounds end when all parcels of a round have arrived.
//!
//! The dataflow is one exchange. Its timestamps are rounds, and the frontier at its end says which rounds are over
//! everywhere: that is the barrier between two layers of the search, with no message of our own for it.

use crate::peers::{Control, Peers};
use crate::wire::Reader;
use model::verdict::Reason;
use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, Thread};
use std::time::Duration;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::communication::{Hooks, Push};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::ProbeHandle;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};
use timely::dataflow::operators::core::input::{Handle, Input};
use timely::dataflow::operators::{Operator, Probe};
use timely::execute::execute_from;
use timely::worker::Worker;
use timely::{Accountable, WorkerConfig};

/// How long a process sleeps at most while it waits for others.
const NAP: Duration = Duration::from_millis(20);

/// Bytes for one process.
#[derive(Clone, Default)]
struct Parcel {
    target: usize,
    bytes: Vec<u8>,
}

impl Accountable for Parcel {
    fn record_count(&self) -> i64 {
        i64::from(!self.bytes.is_empty())
    }
}

impl ContainerBytes for Parcel {
    fn from_bytes(bytes: timely::bytes::arc::Bytes) -> Self {
        Parcel { target: 0, bytes: bytes.to_vec() }
    }

    fn length_in_bytes(&self) -> usize {
        self.bytes.len()
    }

    fn into_bytes<W: io::Write>(&self, writer: &mut W) {
        // It is written to memory.
        let _ = writer.write_all(&self.bytes);
    }
}

/// Every parcel goes to its target as a whole.
struct ByTarget;

impl Distributor<Parcel> for ByTarget {
    fn partition<T: Clone, P: Push<Message<T, Parcel>>>(&mut self, parcel: &mut Parcel, time: &T, pushers: &mut [P]) {
        let target = parcel.target;
        Message::push_at(parcel, time.clone(), &mut pushers[target]);
    }

    fn flush<T: Clone, P: Push<Message<T, Parcel>>>(&mut self, _time: &T, _pushers: &mut [P]) {}
}

/// What the search tells the thread of the dataflow.
enum Order {
    Send(Parcel),
    /// Nothing more is sent in the rounds before this one.
    Advance(u64),
    /// Nothing more is sent at all.
    Close,
}

/// What the thread of the dataflow tells the search.
enum Event {
    Parcel(Vec<u8>),
    /// All that was sent before this round has arrived everywhere.
    Over(u64),
}

/// The search's end of the dataflow, which runs in a thread of its own.
pub(crate) struct Exchange {
    orders: Sender<Order>,
    events: Receiver<Event>,
    courier: Thread,
    /// Parcels of this round that have arrived.
    inbox: VecDeque<Vec<u8>>,
    /// Parcels of the next round: other processes may be ahead by one.
    early: VecDeque<Vec<u8>>,
    /// All rounds before this one are over.
    over: u64,
    pub(crate) round: u64,
    pub(crate) process: usize,
    pub(crate) count: usize,
    pub(crate) control: Arc<Control>,
}

impl Exchange {
    pub(crate) fn new(peers: Peers) -> Result<Self, Reason> {
        let Peers { process, count, data, control } = peers;
        let failed = |why: String| Reason::Worker(format!("the dataflow could not be set up: {why}"));
        let hooks = Hooks::default();
        let inside = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), hooks.spill.clone());
        let network = initialize_networking_from_sockets(inside, data, process, 1, hooks);
        let (builders, guard) = network.map_err(|error| failed(error.to_string()))?;
        let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
        let (orders, incoming) = channel();
        let (outgoing, events) = channel();
        let (hello, courier) = channel();
        let ends = Mutex::new(Some((incoming, outgoing, hello)));
        let run = move |worker: &mut Worker| {
            if let Some((orders, events, hello)) = ends.lock().ok().and_then(|mut ends| ends.take()) {
                // Who does not wait for it does not need it.
                let _ = hello.send(thread::current());
                carry(worker, &orders, &events);
            }
        };
        let guards = execute_from(builders, Box::new(guard), WorkerConfig::default(), run).map_err(failed)?;
        // A guard waits for its threads, which a lost process would keep waiting.
        std::mem::forget(guards);
        let courier = courier.recv().map_err(|error| failed(error.to_string()))?;
        let (inbox, early) = Default::default();
        Ok(Exchange { orders, events, courier, inbox, early, over: 0, round: 0, process, count, control })
    }

    fn order(&self, order: Order) {
        // A thread that has ended is noticed by who waits for its events.
        let _ = self.orders.send(order);
        self.courier.unpark();
    }

    /// Sends bytes to a process in this round.
    pub(crate) fn send(&self, target: usize, bytes: Vec<u8>) {
        self.order(Order::Send(Parcel { target, bytes }));
    }

    /// Sends bytes to every process, this one included.
    pub(crate) fn broadcast(&self, bytes: &[u8]) {
        for target in 0..self.count {
            self.send(target, bytes.to_vec());
        }
    }

    /// A parcel of this round, if one has arrived.
    pub(crate) fn receive(&mut self) -> Result<Option<Vec<u8>>, Reason> {
        while self.inbox.is_empty() {
            match self.events.try_recv() {
                Ok(event) => self.sort(event)?,
                Err(_) => return Ok(None),
            }
        }
        Ok(self.inbox.pop_front())
    }

    fn sort(&mut self, event: Event) -> Result<(), Reason> {
        match event {
            Event::Over(round) => self.over = round,
            Event::Parcel(bytes) => {
                let (head, _) = Reader::open(&bytes).ok_or_else(garbled)?;
                match head.round.checked_sub(self.round) {
                    Some(0) => self.inbox.push_back(bytes),
                    Some(1) => self.early.push_back(bytes),
                    _ => return Err(garbled()),
                }
            }
        }
        Ok(())
    }

    /// Nothing more is sent in this round.
    pub(crate) fn end_round(&self) {
        self.order(Order::Advance(self.round + 1));
    }

    /// Waits for a parcel of this round; `None` when it is over, which begins the next one.
    pub(crate) fn next(&mut self) -> Result<Option<Vec<u8>>, Reason> {
        loop {
            if let Some(bytes) = self.receive()? {
                return Ok(Some(bytes));
            }
            if self.over > self.round {
                self.round += 1;
                self.inbox.append(&mut self.early);
                return Ok(None);
            }
            self.control.check()?;
            match self.events.recv_timeout(NAP) {
                Ok(event) => self.sort(event)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(garbled()),
            }
        }
    }

    /// Waits until all processes have all that they need.
    pub(crate) fn close(self) {
        self.order(Order::Close);
        self.control.done();
        while !self.control.are_done(self.count) {
            thread::sleep(NAP);
        }
        self.control.end();
    }
}

/// The thread of the dataflow: takes parcels in, and hands out those that arrive.
fn carry(worker: &mut Worker, orders: &Receiver<Order>, events: &Sender<Event>) {
    let mut input: Handle<u64, CapacityContainerBuilder<Parcel>> = Handle::new_with_builder();
    let arrivals = events.clone();
    let probe: ProbeHandle<u64> = worker.dataflow(|scope| {
        let parcels = scope.input_from(&mut input);
        let pact = DistributorPact(|_| ByTarget);
        let arrived = parcels.unary::<CapacityContainerBuilder<Parcel>, _, _, _>(pact, "parcels", move |_, _| {
            move |input, _output| {
                input.for_each(|_, parcel| {
                    let _ = arrivals.send(Event::Parcel(std::mem::take(&mut parcel.bytes)));
                });
            }
        });
        arrived.probe().0
    });
    let mut ends = 0;
    loop {
        match orders.try_recv() {
            Ok(Order::Send(mut parcel)) => input.send_batch(&mut parcel),
            Ok(Order::Advance(round)) => {
                ends = round;
                input.advance_to(round);
            }
            Ok(Order::Close) | Err(TryRecvError::Disconnected) => return,
            Err(TryRecvError::Empty) => {
                worker.step_or_park(Some(NAP));
                if ends > 0 && !probe.less_than(&ends) {
                    let _ = events.send(Event::Over(std::mem::take(&mut ends)));
                }
            }
        }
    }
}

/// A message that no process of this version sends.
pub(crate) fn garbled() -> Reason {
    Reason::Worker(String::from("a process has sent what makes no sense"))
}

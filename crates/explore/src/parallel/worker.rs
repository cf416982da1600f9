//! One thread of a parallel search.
//!
//! It owns the states whose hashes fall to it. A layer is worked through in rounds: expand some of its own states, send what belongs
//! to others, take what came in. All meet at the end of a layer; a layer of few states is left to one of them.

use super::{
    At, Mail, NARROW, Partition, Report, STATE_BYTES, Shared, Sum, Visitor, insert, lock, name, narrow, owner,
};
use crate::barrier::Member;
use crate::search::is_crowded;
use crate::share::{Kind, States};
use crate::table::StateId;
use model::fault::Overflow;
use model::verdict::{Progress, Reason};
use std::sync::MutexGuard;
use std::sync::atomic::Ordering;

/// One thread at work.
pub(super) struct Worker<'a, 'w, K: Kind, V: Visitor<'a>> {
    shared: &'w Shared<'a, K, V>,
    member: Member<'w>,
    index: usize,
    visitor: V,
    kind: K,
    state: Vec<u8>,
    /// Successors for each owner, and what is said of the steps to them.
    out: Vec<K::Letters>,
    labels: Vec<Vec<V::Label>>,
    depth: u64,
    /// The number of barriers so far.
    round: usize,
    stopped: Option<Reason>,
    crowded: bool,
    paused: bool,
}

impl<'a, 'w, K: Kind, V: Visitor<'a>> Worker<'a, 'w, K, V> {
    pub(super) fn new(shared: &'w Shared<'a, K, V>, index: usize, visitor: V) -> Self {
        Worker {
            shared,
            member: shared.barrier.join(),
            index,
            visitor,
            kind: K::new(&shared.common),
            state: Vec::new(),
            out: (0..shared.jobs()).map(|_| K::Letters::default()).collect(),
            labels: (0..shared.jobs()).map(|_| Vec::new()).collect(),
            depth: shared.depth.load(Ordering::Relaxed),
            round: 0,
            stopped: None,
            crowded: false,
            paused: false,
        }
    }

    pub(super) fn run(mut self) -> Report<V::Report> {
        self.all_layers();
        Report {
            seen: self.visitor.report(),
            stopped: self.stopped,
            crowded: self.crowded,
            paused: self.paused,
            depth: self.depth,
        }
    }

    /// Layer after layer; whether all were completed.
    fn all_layers(&mut self) -> bool {
        loop {
            if self.shared.watch.cx.budget.most_depth().is_some_and(|limit| self.depth >= limit) {
                self.stopped = Some(Reason::Depth);
                return false;
            }
            if !self.layer() {
                return false;
            }
            let mut sum = self.shared.sum(self.round);
            if (1..narrow(self.shared.watch.options)).contains(&sum.left) {
                sum = match self.let_one_work() {
                    Some(sum) => sum,
                    None => return false,
                };
            }
            if sum.left == 0 || sum.stop {
                return !sum.stop;
            }
            self.depth = sum.depth;
            self.crowded = !K::PACKED && is_crowded(&self.shared.watch, sum.states, sum.bytes);
            self.paused = self.is_pause(sum.states);
            if self.crowded || self.paused {
                return false;
            }
        }
    }

    fn is_pause(&self, states: u64) -> bool {
        states >= self.shared.pause_at.load(Ordering::Relaxed)
    }

    /// Publishes, meets the others, and hears what they have published; `None` if the barrier is off.
    fn meet(&mut self, left: u64, partition: &Partition<K::Table, V::Notes>) -> Option<Sum> {
        self.publish(self.index, left, partition);
        self.wait()
    }

    fn publish(&self, owner: usize, left: u64, partition: &Partition<K::Table, V::Notes>) {
        let published = &self.shared.published[(self.round + 1) % 2][owner];
        published.left.store(left, Ordering::Relaxed);
        published.states.store(partition.table.len() as u64, Ordering::Relaxed);
        published.bytes.store(partition.table.state_bytes(), Ordering::Relaxed);
        let transitions = if owner == self.index { self.visitor.transitions() } else { 0 };
        published.transitions.store(transitions, Ordering::Relaxed);
        published.depth.store(self.depth, Ordering::Relaxed);
        published.stop.store(self.stopped.is_some(), Ordering::Relaxed);
    }

    fn wait(&mut self) -> Option<Sum> {
        let met = self.member.wait(|| K::grow(&self.shared.common));
        self.round += 1;
        self.kind.refresh();
        let sum = self.shared.sum(self.round);
        if !met {
            self.stopped = Some(Reason::Interrupted);
            return None;
        }
        Some(sum)
    }

    // --- a wide layer -----------------------------------------------------------------------------

    /// Works off a layer together with the others; `false` if the search is to end.
    fn layer(&mut self) -> bool {
        let shared = self.shared;
        let mut partition = shared.partition(self.index);
        let mut states = shared.sum(self.round).states;
        loop {
            if let Err(reason) = self.round(&mut partition, shared.quota(states)) {
                self.stopped = Some(reason);
            }
            let left = u64::from(partition.layer_end - partition.next);
            let Some(sum) = self.meet(left, &partition) else { return false };
            if sum.stop {
                return false;
            }
            self.tell(&sum);
            if sum.left == 0 {
                break;
            }
            states = sum.states;
        }
        if let Err(reason) = self.take_mail(&mut partition) {
            self.stopped = Some(reason);
        }
        self.start_layer(&mut partition);
        let left = u64::from(partition.layer_end - partition.next);
        if left > 0 {
            self.depth += 1;
        }
        self.meet(left, &partition).is_some_and(|sum| !sum.stop)
    }

    /// The next layer is what was found since this one started.
    fn start_layer(&self, partition: &mut Partition<K::Table, V::Notes>) {
        partition.next = partition.layer_end;
        partition.layer_end = partition.table.len() as StateId;
    }

    /// Inserts what came, expands some states, and sends the successors.
    fn round(&mut self, partition: &mut Partition<K::Table, V::Notes>, quota: u64) -> Result<(), Reason> {
        self.take_mail(partition)?;
        self.look_at_limits(partition)?;
        self.expand_some(partition, self.index, quota)?;
        let jobs = self.shared.jobs();
        for (to, (out, labels)) in self.out.iter_mut().zip(&mut self.labels).enumerate() {
            let mut mail = lock(&self.shared.mail[(self.round + 1) % 2][self.index * jobs + to]);
            std::mem::swap(&mut mail.letters, out);
            std::mem::swap(&mut mail.labels, labels);
        }
        Ok(())
    }

    fn take_mail(&self, partition: &mut Partition<K::Table, V::Notes>) -> Result<(), Reason> {
        let jobs = self.shared.jobs();
        for from in 0..jobs {
            let mut mail = lock(&self.shared.mail[self.round % 2][from * jobs + self.index]);
            insert::<K, V>(partition, &mut mail, jobs)?;
        }
        Ok(())
    }

    fn look_at_limits(&self, partition: &Partition<K::Table, V::Notes>) -> Result<(), Reason> {
        let more = partition.table.growth_bytes();
        if self.index != 0 && more == 0 {
            return Ok(());
        }
        let watch = self.shared.watch;
        let states = self.shared.sum(self.round).states;
        if watch.cx.budget.most_states().is_some_and(|limit| states >= limit) {
            return Err(Reason::States);
        }
        watch.must_stop(partition.table.memory_bytes(), more).map_or(Ok(()), Err)
    }

    /// Tells the observer how far the work is.
    fn tell(&self, sum: &Sum) {
        if self.index == 0 {
            self.shared.watch.cx.progress(|| Progress {
                engine: crate::ENGINE,
                states: sum.states,
                waiting: sum.left,
                transitions: sum.transitions,
                depth: self.depth,
                memory_bytes: sum.states * STATE_BYTES + K::common_bytes(&self.shared.common),
            });
        }
    }

    // --- a narrow layer ---------------------------------------------------------------------------

    /// The first thread works off narrow layers, while the others wait.
    fn let_one_work(&mut self) -> Option<Sum> {
        if self.index == 0 {
            self.work_alone();
        }
        self.wait()
    }

    fn work_alone(&mut self) {
        let shared = self.shared;
        let mut partitions: Vec<_> = (0..shared.jobs()).map(|owner| shared.partition(owner)).collect();
        let left = loop {
            if let Err(reason) = self.narrow_layer(&mut partitions) {
                self.stopped = Some(reason);
                break 0;
            }
            let left: u64 = partitions.iter().map(|p| u64::from(p.layer_end - p.next)).sum();
            let states = partitions.iter().map(|p| p.table.len() as u64).sum();
            self.depth += u64::from(left > 0);
            if left == 0 || left >= narrow(self.shared.watch.options) || self.is_pause(states) {
                break left;
            }
        };
        for (owner, partition) in partitions.iter().enumerate() {
            self.publish(owner, if owner == 0 { left } else { 0 }, partition);
        }
    }

    /// One layer of all partitions, in the order in which all threads would do it together.
    fn narrow_layer(&mut self, partitions: &mut [MutexGuard<'_, Partition<K::Table, V::Notes>>]) -> Result<(), Reason> {
        let jobs = partitions.len();
        let budget = self.shared.watch.cx.budget;
        if budget.most_depth().is_some_and(|limit| self.depth >= limit) {
            return Err(Reason::Depth);
        }
        let states: usize = partitions.iter().map(|p| p.table.len()).sum();
        if budget.most_states().is_some_and(|limit| states as u64 >= limit) {
            return Err(Reason::States);
        }
        let mut sent = Vec::with_capacity(jobs);
        for (owner, partition) in partitions.iter_mut().enumerate() {
            while partition.next < partition.layer_end {
                self.expand_some(partition, owner, NARROW)?;
                if self.kind.must_pause() {
                    K::grow(&self.shared.common);
                    self.kind.refresh();
                }
            }
            let out = self.out.iter_mut().zip(&mut self.labels);
            let mail =
                out.map(|(letters, labels)| Mail { letters: std::mem::take(letters), labels: std::mem::take(labels) });
            sent.push(mail.collect::<Vec<_>>());
        }
        for (owner, partition) in partitions.iter_mut().enumerate() {
            for out in &mut sent {
                insert::<K, V>(partition, &mut out[owner], jobs)?;
            }
            self.start_layer(partition);
        }
        self.shared.watch.must_stop(0, 0).map_or(Ok(()), Err)
    }

    // --- states -----------------------------------------------------------------------------------

    /// Visits some states of a partition; their successors are in `out` then, by owner.
    fn expand_some(
        &mut self,
        partition: &mut Partition<K::Table, V::Notes>,
        index: usize,
        quota: u64,
    ) -> Result<(), Reason> {
        let jobs = self.shared.jobs();
        let (kind, out, labels) = (&mut self.kind, &mut self.out, &mut self.labels);
        for _ in 0..quota.min(u64::from(partition.layer_end - partition.next)) {
            let id = partition.next;
            kind.open(&partition.table, id, partition.layer_end, &mut self.state);
            let parent = name(id, index, jobs);
            let mut full = false;
            let mut sink = |next: &[u8], label: V::Label| {
                let owner = owner(next, jobs);
                labels[owner].push(label);
                full |= !kind.send(next, owner, parent, out);
            };
            let at = At { depth: self.depth, owner: index, state: parent };
            self.visitor.visit(&self.state, at, &mut partition.notes, &mut sink)?;
            if full {
                return Err(Reason::from(Overflow::States));
            }
            partition.next += 1;
            if kind.must_pause() {
                break;
            }
        }
        if !kind.settle(out) {
            return Err(Reason::from(Overflow::States));
        }
        if self.visitor.must_end() { Err(Reason::StoppedEarly) } else { Ok(()) }
    }
}

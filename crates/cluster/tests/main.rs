//! The integration tests of `cluster`, one executable: each file is a module.

mod agreement;
mod checkpoints;
mod combinations;
mod joining;

use cluster::{Cluster, Member, Refused};
use explore::Options;
use explore::disk::Checkpoint;
use model::budget::Budget;
use model::context::Context;
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::source::SourceMap;
use model::verdict::{Outcome, Property};
use std::net::TcpListener;
use std::thread;

/// A model, and how its channels are read.
struct Case {
    name: String,
    network: Network,
    sources: SourceMap,
    reading: Reading,
}

impl Case {
    fn new(name: &str, text: &str, reading: Reading) -> Case {
        let read = promela::read("model.pml", text, &promela::preprocess::Options::default());
        let network = read.network.unwrap_or_else(|| panic!("{name}: {:?}\n{text}", read.diagnostics));
        Case { name: format!("{name}\n{text}"), network, sources: read.sources, reading }
    }

    /// One process searches alone.
    fn alone(&self, options: &Options, budget: &Budget) -> Vec<Outcome> {
        let semantics = Semantics::new(&self.network, self.reading);
        explore::check(&semantics, &self.sources, options, &Context::silent(budget))
    }

    /// A process of a cluster; as each process has, it has a semantics of its own.
    fn process(&self, member: &Member<'_>, options: &Options, budget: &Budget) -> Result<Vec<Outcome>, Refused> {
        let semantics = Semantics::new(&self.network, self.reading);
        member.check(&semantics, &self.sources, options, &Context::silent(budget))
    }

    /// So many processes search together: what each of them says.
    fn together(&self, count: usize, options: &Options, budget: &Budget) -> Vec<Vec<Outcome>> {
        let ends = self.each(&vec![budget.clone(); count], options, None);
        ends.into_iter().map(|end| end.unwrap_or_else(|why| panic!("{}: {why}", self.name))).collect()
    }

    /// The same for a process with each of these budgets, with a checkpoint if need be.
    fn each(
        &self,
        budgets: &[Budget],
        options: &Options,
        checkpoint: Option<&Checkpoint>,
    ) -> Vec<Result<Vec<Outcome>, Refused>> {
        let (hosts, identity) = (hosts(budgets.len()), vec![(String::from("model"), self.name.clone())]);
        thread::scope(|scope| {
            let join = |(process, budget)| {
                let cluster = Cluster { hosts: hosts.clone(), process, key: String::from("key") };
                let (identity, checkpoint) = (&identity, checkpoint.cloned());
                let run = move || self.process(&Member { cluster: &cluster, identity, checkpoint }, options, budget);
                scope.spawn(run)
            };
            let processes: Vec<_> = budgets.iter().enumerate().map(join).collect();
            processes.into_iter().map(|process| process.join().expect("a process panics")).collect()
        })
    }
}

/// Addresses on this machine where nobody listens.
fn hosts(count: usize) -> Vec<String> {
    let listeners: Vec<TcpListener> =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port is free")).collect();
    listeners.iter().map(|listener| listener.local_addr().expect("it has an address").to_string()).collect()
}

fn options() -> Options {
    Options { keep_going: true, properties: vec![Property::Safety, Property::Deadlock], ..Options::default() }
}

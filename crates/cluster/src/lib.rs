//! Explicit-state search by several processes, on one machine or on many.
//!
//! * In: a [`model::semantics::Semantics`], properties, a budget and an observer, as for [`explore`]; the addresses of all
//!   processes, and which of them this one is.
//! * Out: what [`explore`] returns, in every process: the same states, transitions, depth and digest.
//!
//! Every state belongs to one process, by a hash. Processes expand their own states, breadth-first, layer by layer, and send
//! successors to their owners. Messages travel over the crate `timely` (Murray et al., *Naiad: a timely dataflow system*,
//! 2013): its channels between processes, and its progress tracking, which tells when all messages of a layer have arrived.
//!
//! `peers` connects the processes, `wire` says what they send, `exchange` is the dataflow, `search` the search, `chains`
//! the runs to violations, `totals` what is counted, `journal` the checkpoint of a process; `local` starts the processes of
//! a cluster on this machine.

mod chains;
mod exchange;
mod journal;
mod local;
mod peers;
mod search;
mod totals;
mod wire;

pub use local::{Exit, run};
pub use peers::{Identity, Refused};

use explore::Options;
use explore::disk::Checkpoint;
use explore::search::{Found, Violations};
use journal::Journal;
use model::context::Context;
use model::semantics::Semantics;
use model::source::SourceMap;
use model::verdict::{Outcome, Reason, SearchStats};
use std::cell::RefCell;
use std::fmt;

/// The environment variable with the key that all processes share.
pub const KEY: &str = "HIGHWATER_CLUSTER_KEY";

/// The most processes of a cluster.
pub const MOST: usize = 1024;

/// The processes of a cluster, and which of them this one is.
#[derive(Clone, PartialEq, Eq)]
pub struct Cluster {
    /// Where each process listens: `host:port`.
    pub hosts: Vec<String>,
    /// The number of this process, from 0.
    pub process: usize,
    /// What all processes, and nobody else, know.
    pub key: String,
}

impl fmt::Debug for Cluster {
    /// The key is not shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("hosts", &self.hosts).field("process", &self.process).finish_non_exhaustive()
    }
}

/// A process of a search that others share.
pub struct Member<'a> {
    /// All processes.
    pub cluster: &'a Cluster,
    /// The same in every process: it names the model and all that a verdict depends on.
    pub identity: &'a Identity,
    /// The folder in which each process has a journal of the layers that are complete, if they are kept.
    pub checkpoint: Option<Checkpoint>,
}

impl Member<'_> {
    /// Answers all properties of `options` with one search that all processes share.
    pub fn check(
        &self,
        semantics: &Semantics<'_>,
        sources: &SourceMap,
        options: &Options,
        cx: &Context<'_>,
    ) -> Result<Vec<Outcome>, Refused> {
        let refused = RefCell::new(None);
        let search = |semantics: &Semantics<'_>, options: &Options, cx: &Context<'_>| {
            self.search(semantics, options, cx).unwrap_or_else(|why| {
                let reason = Reason::Worker(why.to_string());
                *refused.borrow_mut() = Some(why);
                nothing(reason)
            })
        };
        let outcomes = explore::check_by(&search, semantics, sources, options, cx);
        refused.into_inner().map_or(Ok(outcomes), Err)
    }

    /// Searches the states of a model together with the other processes.
    fn search(&self, semantics: &Semantics<'_>, options: &Options, cx: &Context<'_>) -> Result<Found, Refused> {
        let mut identity = self.identity.clone();
        let checkpoint = match self.checkpoint {
            None => "none",
            Some(Checkpoint::New(_)) => "new",
            Some(Checkpoint::Resume(_)) => "resumed",
        };
        identity.push(("processes".to_owned(), self.cluster.hosts.len().to_string()));
        let open = |checkpoint| Journal::open(checkpoint, self.cluster.process, &identity);
        let journal = self.checkpoint.as_ref().map(open).transpose()?;
        identity.push(("checkpoint".to_owned(), checkpoint.to_owned()));
        let peers = match peers::connect(self.cluster, &identity, cx.budget) {
            Ok(peers) => peers,
            Err(peers::Failed::Refused(why)) => return Err(why),
            Err(peers::Failed::Open(reason)) => return Ok(nothing(reason)),
        };
        Ok(search::search(semantics, options, cx, peers, journal).unwrap_or_else(nothing))
    }
}

/// Nothing was found, for this reason.
fn nothing(reason: Reason) -> Found {
    Violations::<()>::default().found(Some(reason), SearchStats::default(), None, None, |(), _| Vec::new())
}

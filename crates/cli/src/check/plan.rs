//! Which properties of a network are checked, and which are not.

use super::wanted::Wanted;
use crate::arguments::{CheckArgs, Engine};
use crate::asking::has_buffered_channel;
use crate::failure::Failure;
use crate::machines::{self, Machines};
use model::network::{MachineKind, Network};
use model::semantics::Reading;
use model::verdict::Property;
use report::document::NotChecked;
use std::io::Write;

/// Which properties are checked, and which are not.
pub struct Plan {
    /// Those that are.
    pub properties: Vec<Property>,
    /// Boundedness is shown although nobody asked.
    pub advise: bool,
    /// Those that are not.
    pub not_checked: Vec<NotChecked>,
    /// How capacities are read.
    pub reading: Reading,
    /// Safety is left out, since nothing is bad.
    pub without_bad: bool,
}

impl Plan {
    /// Looks at what is asked, and at what there is.
    pub fn new(network: &Network, machines: Option<&Machines<'_>>, wanted: &Wanted, args: &CheckArgs) -> Plan {
        // Queues of communicating machines have no capacity that could be read otherwise.
        let reading = if machines.is_some() { Reading::Unbounded } else { args.channels.into() };
        let without_bad = machines.is_some_and(|machines| !machines.has_bad());
        let mut plan = Plan { properties: Vec::new(), advise: false, not_checked: Vec::new(), reading, without_bad };
        let asked = match wanted {
            _ if args.apply_bounds => vec![Property::Boundedness],
            Wanted::Everything if machines.is_some() => machines::properties(),
            Wanted::Everything => properties_of(network, !args.progress.is_empty()),
            Wanted::Listed(properties) => properties.iter().flat_map(|p| named(p, network)).collect(),
        };
        let searches_only = args.engine == Engine::Explore;
        plan.advise = matches!(wanted, Wanted::Everything) && !args.apply_bounds && !searches_only;
        plan.without_bad &= asked.contains(&Property::Safety);
        for property in asked.into_iter().filter(|p| !(without_bad && *p == Property::Safety)) {
            let unsupported = match machines {
                Some(_) => unsupported_of_machines(&property, args.engine),
                None => unsupported(&property, args.engine, reading),
            };
            match unsupported {
                None => plan.properties.push(property),
                Some(reason) => {
                    let property = property.to_string();
                    plan.not_checked.push(NotChecked { property, reason, reading, asked: true });
                }
            }
        }
        plan
    }
}

/// A property that does not apply is left out; who asked for it is told why.
pub fn note_left_out(plan: &Plan, network: &Network, wanted: &Wanted, args: &CheckArgs) -> Result<(), Failure> {
    let asked = |property: &Property| plan.properties.contains(property);
    if plan.without_bad {
        writeln!(std::io::stderr(), "note: safety is left out: the model has no bad states, and no --bad is given")?;
    }
    if asked(&Property::Boundedness) && !has_buffered_channel(network) {
        writeln!(std::io::stderr(), "note: boundedness is left out: no channel of the model holds messages")?;
    }
    if matches!(wanted, Wanted::Listed(list) if list.contains(&Property::Never(String::new())))
        && network.claims.iter().all(|claim| claim.kind != MachineKind::Never)
    {
        writeln!(std::io::stderr(), "note: never is left out: the model has no never claim")?;
    }
    if asked(&Property::Livelock) && args.progress.is_empty() && !has_progress_label(network) {
        writeln!(
            std::io::stderr(),
            "note: livelock is left out: the model has no progress label, and no --progress is given"
        )?;
    }
    Ok(())
}

/// A property by its full name: `never` is all claims of the model.
fn named(property: &Property, network: &Network) -> Vec<Property> {
    match property {
        Property::Never(name) if name.is_empty() => {
            let claims = network.claims.iter().filter(|claim| claim.kind == MachineKind::Never);
            claims.map(|claim| Property::Never(claim.name.clone())).collect()
        }
        _ => vec![property.clone()],
    }
}

/// What a model is checked for when nothing is asked.
fn properties_of(network: &Network, events: bool) -> Vec<Property> {
    let mut properties = vec![Property::Safety, Property::Deadlock];
    if events || has_progress_label(network) {
        properties.push(Property::Livelock);
    }
    properties.extend(network.formulas.iter().map(|f| Property::Ltl(f.name.clone())));
    properties.extend(network.claims.iter().map(|claim| match claim.kind {
        MachineKind::Trace | MachineKind::NoTrace => Property::Trace(claim.name.clone()),
        _ => Property::Never(claim.name.clone()),
    }));
    if has_acceptance_label(network) && network.claims.iter().all(|claim| claim.kind != MachineKind::Never) {
        properties.push(Property::Acceptance);
    }
    properties
}

/// Whether some place counts as progress.
pub fn has_progress_label(network: &Network) -> bool {
    network.machines.iter().flat_map(|m| &m.locations).any(|l| l.progress)
}

fn has_acceptance_label(network: &Network) -> bool {
    network.machines.iter().flat_map(|m| &m.locations).any(|l| l.accept)
}

/// Why a property cannot be checked by this version, if it cannot.
fn unsupported(property: &Property, engine: Engine, reading: Reading) -> Option<String> {
    let static_question = matches!(property, Property::Boundedness | Property::Livelock);
    match engine {
        Engine::Auto | Engine::Explore => {}
        Engine::Flow if static_question => {}
        Engine::Flow => return Some(String::from("the engine `flow` answers boundedness and livelock only")),
        Engine::Fifo if !machines::answers(property) => {
            return Some(format!("the engine `fifo` does not answer {property} of Promela models"));
        }
        Engine::Fifo if reading != Reading::Unbounded => {
            return Some(String::from("the engine `fifo` answers for queues of any length: add --channels unbounded"));
        }
        Engine::Fifo => {}
        Engine::Compose => {
            return Some(String::from("the engine `compose` answers for structures side by side (.fsp, .aut)"));
        }
        Engine::Predicates => return Some(String::from("the engine `predicates` answers for C programs (.c)")),
        Engine::Concurrent => return Some(String::from("the engine `concurrent` answers for C components (.spec)")),
    }
    match property {
        Property::Safety | Property::Deadlock | Property::Boundedness | Property::Livelock => None,
        Property::Ltl(_) | Property::Never(_) | Property::Acceptance | Property::Trace(_) => None,
        Property::Reception | Property::Orphan if engine == Engine::Explore => {
            Some(format!("{property} is answered by the engine `fifo`"))
        }
        Property::Reception | Property::Orphan if reading == Reading::Unbounded => None,
        Property::Reception | Property::Orphan => {
            Some(format!("{property} is checked for queues of any length: add --channels unbounded"))
        }
        Property::Conformance(_) => Some(format!("{property} is checked for C components (.spec)")),
    }
}

/// Why a property of communicating machines cannot be checked by this version, if it cannot.
fn unsupported_of_machines(property: &Property, engine: Engine) -> Option<String> {
    let is_static = matches!(property, Property::Boundedness | Property::Livelock);
    match engine {
        Engine::Auto | Engine::Explore if matches!(property, Property::Ltl(_)) => None,
        _ if !is_static && !machines::answers(property) => {
            Some(format!("{property} is not checked for communicating machines by this version"))
        }
        Engine::Compose => Some(String::from("the engine `compose` answers for structures side by side (.fsp, .aut)")),
        Engine::Predicates => Some(String::from("the engine `predicates` answers for C programs (.c)")),
        Engine::Concurrent => Some(String::from("the engine `concurrent` answers for C components (.spec)")),
        Engine::Fifo if is_static => Some(format!("the engine `fifo` does not answer {property}; `flow` does")),
        Engine::Flow | Engine::Explore if !is_static => {
            Some(format!("{property} of communicating machines is answered by the engine `fifo`"))
        }
        _ => None,
    }
}

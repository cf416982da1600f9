//! Networks built by hand, the way a front end for communicating finite machines builds them: edges
//! that send or receive one constant, channels without a capacity, channels that lose messages.

use model::expr::{Expr, Pattern, Place, Scope};
use model::ids::{ChannelTypeId, EdgeId, LocationId, MachineId, VariableId};
use model::network::{
    Action, ChannelType, Edge, Initial, Instance, Location, Machine, MachineKind, Network, ReceiveMode, ScalarType,
    Variable,
};
use model::semantics::{Reading, Semantics, Step};
use model::source::Span;
use std::collections::HashSet;

/// The only channel.
fn channel() -> Expr {
    let place = Place { scope: Scope::Global, variable: VariableId(0), indices: Vec::new(), span: Span::NONE };
    Expr::Read(place)
}

fn send(message: i32) -> Action {
    Action::Send { channel: channel(), message: vec![Expr::Const(message)], sorted: false }
}

fn receive(message: i32) -> Action {
    let pattern = vec![Pattern::Match(Expr::Const(message))];
    Action::Receive { channel: channel(), pattern, mode: ReceiveMode::default() }
}

/// A machine from its transitions; it starts in location 0.
fn machine(name: &str, locations: usize, transitions: Vec<(u32, Action, u32)>) -> Machine {
    let mut machine = Machine {
        name: name.to_owned(),
        kind: MachineKind::Process,
        parameters: 0,
        variables: Vec::new(),
        locations: vec![Location::default(); locations],
        edges: Vec::new(),
        initial: LocationId(0),
        provided: None,
        span: Span::NONE,
    };
    for (from, action, to) in transitions {
        machine.locations[from as usize].edges.push(EdgeId::from(machine.edges.len()));
        let (from, to) = (LocationId(from), LocationId(to));
        machine.edges.push(Edge { from, to, action, atomic: false, escape: 0, span: Span::NONE });
    }
    machine
}

/// A sender of `messages` and a receiver that takes them in order, over a channel.
fn network(capacity: Option<u32>, lossy: bool, messages: &[i32]) -> Network {
    let count = messages.len();
    let sends = messages.iter().enumerate().map(|(i, &m)| (i as u32, send(m), i as u32 + 1)).collect();
    let receives = messages.iter().enumerate().map(|(i, &m)| (i as u32, receive(m), i as u32 + 1)).collect();
    let instance = |machine| Instance { machine: MachineId(machine), priority: 1 };
    Network {
        variables: vec![Variable {
            name: String::from("c"),
            ty: ScalarType::Channel,
            dimensions: Vec::new(),
            initial: Initial::NewChannel(ChannelTypeId(0)),
            span: Span::NONE,
        }],
        channel_types: vec![ChannelType { capacity, fields: vec![ScalarType::Int], lossy, span: Span::NONE }],
        machines: vec![machine("sender", count + 1, sends), machine("receiver", count + 1, receives)],
        instances: vec![instance(0), instance(1)],
        ..Network::default()
    }
}

/// All states, and all kinds of steps.
fn explore(network: &Network, reading: Reading) -> (usize, HashSet<Step>) {
    let semantics = Semantics::new(network, reading);
    let mut stepper = semantics.stepper();
    let initial = stepper.initial().expect("no bound").expect("no fault");
    let mut seen = HashSet::from([initial.clone()]);
    let (mut work, mut steps) = (vec![initial], HashSet::new());
    while let Some(state) = work.pop() {
        let mut next = Vec::new();
        let visited = stepper.expand(&state, None, &mut |successor| {
            assert_eq!(successor.fault, None);
            steps.insert(successor.step);
            next.extend(successor.state.map(<[u8]>::to_vec));
        });
        visited.expect("no bound");
        work.extend(next.into_iter().filter(|s| seen.insert(s.clone())));
    }
    (seen.len(), steps)
}

#[test]
fn a_channel_without_capacity_never_blocks_its_sender() {
    // States are pairs (sent, received) with received <= sent.
    let messages = [1, 2, 3, 4];
    assert_eq!(explore(&network(None, false, &messages), Reading::Declared).0, 15);
}

#[test]
fn a_capacity_blocks_in_one_reading_and_not_in_another() {
    let messages = [1, 2, 3, 4];
    let bounded = network(Some(1), false, &messages);
    // (sent, received) with sent - received at most 1.
    assert_eq!(explore(&bounded, Reading::Declared).0, 9);
    assert_eq!(explore(&bounded, Reading::Unbounded).0, 15);
}

#[test]
fn a_full_channel_drops_what_comes_if_asked_to() {
    let messages = [1, 2];
    // Nothing, 1 sent; then 2 is lost or follows the receipt of 1, and may be received.
    let (states, _) = explore(&network(Some(1), false, &messages), Reading::Drop);
    // (0,0,-) (1,0,1) (2,0,1) (1,1,-) (2,1,-) (2,1,2) (2,2,-)
    assert_eq!(states, 7);
}

#[test]
fn a_rendezvous_is_one_step_of_two_machines() {
    let (states, steps) = explore(&network(Some(0), false, &[7, 8]), Reading::Declared);
    assert_eq!(states, 3);
    assert!(steps.iter().all(|s| matches!(s, Step::Rendezvous { .. })));
}

#[test]
fn a_lossy_channel_may_lose_any_message_at_any_time() {
    let messages = [5, 6];
    let (states, steps) = explore(&network(None, true, &messages), Reading::Declared);
    // Contents are subwords of what was sent and not received: receiving 6 needs 5 to have been received.
    // sent 0: 1; sent 1: {-,5} not received, {-} received: 3; sent 2: not received {-,5,6,56}, received 5 {-,6}, both {-}: 7.
    assert_eq!(states, 11);
    assert!(steps.contains(&Step::Loss { queue: 0, position: 1 }), "not only the head can be lost");
}

//! The `stats` of a result in JSON: the counts of each engine under names of their own.

use crate::abstraction::{ComponentsStatsJson, components_json};
use crate::json::milliseconds;
use crate::places::Places;
use crate::predicates::{ProgramStatsJson, program_json};
use model::verdict::{CompositionStats, FlowStats, Outcome, QueueStats, SearchStats};
use serde::Serialize;

/// The `stats` of a result; `{}` where nothing was counted.
#[derive(Serialize)]
pub(crate) struct StatsJson<'a> {
    #[serde(flatten)]
    search: Option<SearchJson>,
    #[serde(flatten)]
    flow: Option<FlowJson>,
    #[serde(flatten)]
    queues: Option<QueuesJson>,
    #[serde(flatten)]
    composition: Option<CompositionJson>,
    #[serde(flatten)]
    program: Option<ProgramStatsJson<'a>>,
    #[serde(flatten)]
    components: Option<ComponentsStatsJson<'a>>,
}

#[derive(Serialize)]
struct CompositionJson {
    method: String,
    iterations: u64,
    abstract_states: u64,
    automaton_states: u64,
    classes: Vec<u64>,
    memory_bytes: u64,
    search_ms: f64,
    check_ms: f64,
}

fn composition_json(stats: &CompositionStats) -> CompositionJson {
    CompositionJson {
        method: stats.method.clone(),
        iterations: stats.iterations,
        abstract_states: stats.abstract_states,
        automaton_states: stats.automaton_states,
        classes: stats.classes.iter().map(|(_, count)| *count).collect(),
        memory_bytes: stats.memory_bytes,
        search_ms: milliseconds(stats.search_time),
        check_ms: milliseconds(stats.check_time),
    }
}

#[derive(Serialize)]
struct SearchJson {
    states: u64,
    transitions: u64,
    depth: u64,
    state_bytes: u64,
    memory_bytes: u64,
    violations: u64,
}

#[derive(Serialize)]
struct FlowJson {
    instances: u64,
    points: u64,
    abstract_transitions: u64,
    message_types: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycles: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effect_vectors: Option<u64>,
    counterexamples: u64,
    spurious: u64,
    linear_problems: u64,
}

#[derive(Serialize)]
struct QueuesJson {
    method: String,
    iterations: u64,
    abstract_states: u64,
    abstract_transitions: u64,
    configurations: u64,
    control_states: u64,
    queue_sets: u64,
    memory_bytes: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    invariant: Vec<InvariantJson>,
}

#[derive(Serialize)]
struct InvariantJson {
    control_state: String,
    queues: String,
}

fn queues_json(stats: &QueueStats) -> QueuesJson {
    let row = |(control, set): &(String, String)| InvariantJson { control_state: control.clone(), queues: set.clone() };
    QueuesJson {
        method: stats.method.clone(),
        iterations: stats.iterations,
        abstract_states: stats.abstract_states,
        abstract_transitions: stats.abstract_transitions,
        configurations: stats.configurations,
        control_states: stats.controls,
        queue_sets: stats.languages,
        memory_bytes: stats.memory_bytes,
        invariant: stats.invariant.iter().map(row).collect(),
    }
}

/// What was counted for an outcome.
pub(crate) fn stats_json<'a>(outcome: &'a Outcome, places: &Places<'a>) -> StatsJson<'a> {
    StatsJson {
        search: outcome.stats.as_ref().map(search_json),
        flow: outcome.details.flow.map(flow_json),
        queues: outcome.details.queues.as_ref().map(queues_json),
        composition: outcome.details.composition.as_ref().map(composition_json),
        program: outcome.details.program.as_ref().map(|stats| program_json(stats, places)),
        components: outcome.details.components.as_ref().map(|stats| components_json(stats, places)),
    }
}

fn search_json(stats: &SearchStats) -> SearchJson {
    let &SearchStats { states, transitions, depth, state_bytes, memory_bytes, violations } = stats;
    SearchJson { states, transitions, depth, state_bytes, memory_bytes, violations }
}

fn flow_json(stats: FlowStats) -> FlowJson {
    FlowJson {
        instances: stats.instances,
        points: stats.nodes,
        abstract_transitions: stats.transitions,
        message_types: stats.message_types,
        cycles: stats.cycles,
        effect_vectors: stats.effect_vectors,
        counterexamples: stats.counterexamples,
        spurious: stats.spurious,
        linear_problems: stats.problems,
    }
}

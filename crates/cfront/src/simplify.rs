//! The graph gets small: steps that do nothing and places that nothing reaches go away, and so do temporaries that only
//! carry a value to the next step.

use crate::lower::Result;
use crate::patience::Patience;
use crate::program::{Cause, Component, Edge, EdgeId, Instruction, Location, LocationId, VariableId, VariableKind};
use crate::resolve::Resolved;
use crate::term::{TermId, Terms};
use model::source::Span;
use std::collections::{HashMap, HashSet};

/// Terms that would get deeper than this are not put together.
const DEPTH: u32 = 500;
/// Rounds of carrying values forward; nested calls need one each.
const ROUNDS: usize = 8;

/// The component of a graph.
pub(crate) fn simplify(resolved: Resolved, start: LocationId, name: &str, budget: &Patience<'_>) -> Result<Component> {
    let Resolved { terms, variables, shared, objects, locations, edges } = resolved;
    let edges =
        edges.into_iter().map(|(source, target, instruction, span)| RawEdge { source, target, instruction, span });
    let mut flow = Flow { terms, edges: edges.collect(), start, shared, temporary: Vec::new() };
    flow.temporary = variables.iter().map(|variable| variable.kind == VariableKind::Temporary).collect();
    let mut labels: HashMap<LocationId, String> = HashMap::new();
    for (number, location) in locations.iter().enumerate() {
        if let Some(label) = &location.label {
            labels.insert(LocationId(number as u32), label.clone());
        }
    }
    flow.fold();
    flow.skip_nops(&mut labels);
    for _ in 0..ROUNDS {
        flow.keep_reachable();
        if !flow.carry_forward(budget)? {
            break;
        }
        flow.fold();
        flow.skip_nops(&mut labels);
    }
    flow.keep_reachable();
    let order = flow.order();
    let numbers: HashMap<LocationId, LocationId> =
        order.iter().enumerate().map(|(new, &old)| (old, LocationId(new as u32))).collect();
    let mut component = Component {
        name: name.to_string(),
        entry: LocationId(0),
        locations: Vec::with_capacity(order.len()),
        edges: Vec::with_capacity(flow.edges.len()),
        terms: flow.terms,
        variables,
        objects,
        result: None,
        routines: Vec::new(),
    };
    for &old in &order {
        let raw = &locations[old.0 as usize];
        component.locations.push(Location {
            procedure: raw.procedure.clone(),
            span: raw.span,
            label: labels.get(&old).cloned(),
            leaving: Vec::new(),
            loop_head: false,
        });
    }
    let mut edges: Vec<RawEdge> = flow.edges;
    edges.sort_by_key(|edge| numbers.get(&edge.source).copied());
    for edge in edges {
        let (Some(&source), Some(&target)) = (numbers.get(&edge.source), numbers.get(&edge.target)) else { continue };
        component.locations[source.0 as usize].leaving.push(EdgeId(component.edges.len() as u32));
        component.edges.push(Edge { source, target, instruction: edge.instruction, span: edge.span });
    }
    begin_with_unassigned(&mut component, budget)?;
    mark_loop_heads(&mut component);
    Ok(component)
}

/// What may be read before it is assigned, by a jump over its declaration, has any value from the start.
fn begin_with_unassigned(component: &mut Component, budget: &Patience<'_>) -> Result<()> {
    let unassigned = live_at_entry(component, budget)?;
    if unassigned.is_empty() {
        return Ok(());
    }
    let Location { procedure, span, .. } = component.location(component.entry).clone();
    let start = LocationId(component.locations.len() as u32);
    let edge = EdgeId(component.edges.len() as u32);
    let instruction = Instruction::Havoc(unassigned, Cause::Uninitialised);
    component.edges.push(Edge { source: start, target: component.entry, instruction, span });
    component.locations.push(Location { procedure, span, label: None, leaving: vec![edge], loop_head: false });
    component.entry = start;
    Ok(())
}

/// The variables whose first value can be read. Each is followed backwards on its own from where it is read: most are
/// assigned nearby, and a set of variables for each location would be too large for a large graph.
fn live_at_entry(component: &Component, budget: &Patience<'_>) -> Result<Vec<VariableId>> {
    let mut entering: Vec<Vec<EdgeId>> = vec![Vec::new(); component.locations.len()];
    let mut readers: Vec<Vec<EdgeId>> = vec![Vec::new(); component.variables.len()];
    let mut writers: Vec<Vec<EdgeId>> = vec![Vec::new(); component.variables.len()];
    for (number, edge) in component.edges.iter().enumerate() {
        let id = EdgeId(number as u32);
        budget.check(|| edge.span)?;
        entering[edge.target.0 as usize].push(id);
        read_by(&component.terms, &edge.instruction).iter().for_each(|v| readers[v.0 as usize].push(id));
        written_by(&edge.instruction).iter().for_each(|v| writers[v.0 as usize].push(id));
    }
    // What belongs to the variable of the moment has its number.
    let mut writes = vec![u32::MAX; component.edges.len()];
    let mut live = vec![u32::MAX; component.locations.len()];
    let mut found = Vec::new();
    for number in 0..component.variables.len() as u32 {
        let (readers, writers) = (&readers[number as usize], &writers[number as usize]);
        writers.iter().for_each(|edge| writes[edge.0 as usize] = number);
        let mut todo: Vec<LocationId> = readers.iter().map(|&edge| component.edge(edge).source).collect();
        while let Some(location) = todo.pop() {
            if std::mem::replace(&mut live[location.0 as usize], number) == number {
                continue;
            }
            if location == component.entry {
                found.push(VariableId(number));
                break;
            }
            budget.check(|| component.location(location).span)?;
            let passing = entering[location.0 as usize].iter().filter(|edge| writes[edge.0 as usize] != number);
            todo.extend(passing.map(|&edge| component.edge(edge).source));
        }
    }
    Ok(found)
}

struct RawEdge {
    source: LocationId,
    target: LocationId,
    instruction: Instruction,
    span: Span,
}

struct Flow {
    terms: Terms,
    edges: Vec<RawEdge>,
    start: LocationId,
    temporary: Vec<bool>,
    /// By variable: other components use it, too.
    shared: Vec<bool>,
}

impl Flow {
    /// Conditions that always hold do nothing; those that never hold lead nowhere.
    fn fold(&mut self) {
        let terms = &self.terms;
        self.edges.retain_mut(|edge| {
            match &edge.instruction {
                Instruction::Assume(condition) => match terms.constant_bits(*condition) {
                    Some(0) => return false,
                    Some(_) => edge.instruction = Instruction::Nop,
                    None => {}
                },
                Instruction::Assign(list) if list.is_empty() => edge.instruction = Instruction::Nop,
                Instruction::Havoc(list, _) if list.is_empty() => edge.instruction = Instruction::Nop,
                _ => {}
            }
            true
        });
    }

    fn leaving(&self) -> HashMap<LocationId, Vec<usize>> {
        let mut leaving: HashMap<LocationId, Vec<usize>> = HashMap::new();
        for (number, edge) in self.edges.iter().enumerate() {
            leaving.entry(edge.source).or_default().push(number);
        }
        leaving
    }

    /// A location whose only way on does nothing is the next location.
    fn skip_nops(&mut self, labels: &mut HashMap<LocationId, String>) {
        let leaving = self.leaving();
        let mut next: HashMap<LocationId, LocationId> = HashMap::new();
        for (&location, edges) in &leaving {
            if let [only] = edges[..]
                && self.edges[only].instruction == Instruction::Nop
            {
                next.insert(location, self.edges[only].target);
            }
        }
        let mut ends: HashMap<LocationId, LocationId> = HashMap::new();
        for &location in next.keys() {
            let (mut at, mut path) = (location, Vec::new());
            let mut on_path = HashSet::new();
            while let Some(&target) = next.get(&at) {
                if let Some(&end) = ends.get(&at) {
                    at = end;
                    break;
                }
                if !on_path.insert(at) {
                    break;
                }
                path.push(at);
                at = target;
            }
            // An empty loop ends at the smallest of its locations, whichever way it was entered.
            if on_path.contains(&at) && next.contains_key(&at) {
                let mut walk = next[&at];
                let mut least = at;
                while walk != at {
                    least = least.min(walk);
                    walk = next[&walk];
                }
                at = least;
            }
            for passed in path {
                ends.insert(passed, at);
            }
        }
        let end_of = |location: LocationId| ends.get(&location).copied().unwrap_or(location);
        for (&passed, &end) in &ends {
            if passed != end
                && let Some(label) = labels.get(&passed).cloned()
            {
                labels.entry(end).or_insert(label);
            }
        }
        self.edges.retain_mut(|edge| {
            let is_skipped = edge.instruction == Instruction::Nop && ends.contains_key(&edge.source);
            if is_skipped && end_of(edge.source) != edge.source {
                return false;
            }
            edge.target = end_of(edge.target);
            true
        });
        self.start = end_of(self.start);
    }

    fn keep_reachable(&mut self) {
        let reached: HashSet<LocationId> = self.order().into_iter().collect();
        self.edges.retain(|edge| reached.contains(&edge.source));
    }

    /// The locations that can be reached, in the order of a depth-first walk that takes edges in their order.
    fn order(&self) -> Vec<LocationId> {
        let leaving = self.leaving();
        let (mut order, mut seen, mut todo) = (Vec::new(), HashSet::new(), vec![self.start]);
        while let Some(location) = todo.pop() {
            if !seen.insert(location) {
                continue;
            }
            order.push(location);
            if let Some(edges) = leaving.get(&location) {
                todo.extend(edges.iter().rev().map(|&edge| self.edges[edge].target));
            }
        }
        order
    }

    /// `t := e; x := f(t)` becomes `x := f(e)` if `t` is a temporary that is used nowhere else.
    fn carry_forward(&mut self, budget: &Patience<'_>) -> Result<bool> {
        let leaving = self.leaving();
        let mut entering: HashMap<LocationId, usize> = HashMap::new();
        let mut uses: HashMap<VariableId, HashSet<usize>> = HashMap::new();
        let mut definitions: HashMap<VariableId, usize> = HashMap::new();
        for (number, edge) in self.edges.iter().enumerate() {
            budget.check(|| edge.span)?;
            *entering.entry(edge.target).or_default() += 1;
            for variable in read_by(&self.terms, &edge.instruction) {
                if self.temporary[variable.0 as usize] {
                    uses.entry(variable).or_default().insert(number);
                }
            }
            for variable in written_by(&edge.instruction) {
                *definitions.entry(variable).or_default() += 1;
            }
        }
        let mut changed = false;
        let mut touched: HashSet<usize> = HashSet::new();
        for number in 0..self.edges.len() {
            budget.check(|| self.edges[number].span)?;
            let Some(variable) = self.carried(number) else { continue };
            let target = self.edges[number].target;
            let next = leaving.get(&target).map_or(&[][..], |edges| &edges[..]);
            let users = uses.get(&variable);
            let only_here = definitions.get(&variable) == Some(&1)
                && entering.get(&target) == Some(&1)
                && target != self.start
                && users.is_none_or(|users| users.iter().all(|user| next.contains(user)));
            if !only_here || touched.contains(&number) || next.iter().any(|edge| touched.contains(edge)) {
                continue;
            }
            if self.carry(number, variable, next) {
                changed = true;
                touched.insert(number);
                touched.extend(next);
            }
        }
        Ok(changed)
    }

    /// The temporary that an edge defines, and nothing else.
    fn carried(&self, number: usize) -> Option<VariableId> {
        let variable = match &self.edges[number].instruction {
            Instruction::Assign(list) => match list[..] {
                [(variable, _)] => variable,
                _ => return None,
            },
            Instruction::Havoc(list, _) => match list[..] {
                [variable] => variable,
                _ => return None,
            },
            Instruction::Call { result: Some(variable), .. } => *variable,
            _ => return None,
        };
        self.temporary[variable.0 as usize].then_some(variable)
    }

    fn carry(&mut self, number: usize, variable: VariableId, next: &[usize]) -> bool {
        if let Instruction::Assign(list) = &self.edges[number].instruction {
            let Some(&(_, term)) = list.first() else { return false };
            return self.carry_term(number, variable, term, next);
        }
        let [only] = next[..] else { return false };
        let Instruction::Assign(list) = &self.edges[only].instruction else { return false };
        let [(place, value)] = list[..] else { return false };
        if self.terms.get(value) != crate::term::Term::Variable(variable) || only == number {
            return false;
        }
        // What is stored there is known before.
        if self.shared.get(place.0 as usize) == Some(&true) {
            return false;
        }
        let mut combined = self.edges[number].instruction.clone();
        match &mut combined {
            Instruction::Havoc(list, _) => *list = vec![place],
            Instruction::Call { result, writes, .. } if !writes.contains(&place) => *result = Some(place),
            _ => return false,
        }
        self.edges[only].instruction = combined;
        self.edges[number].instruction = Instruction::Nop;
        true
    }

    fn carry_term(&mut self, number: usize, variable: VariableId, term: TermId, next: &[usize]) -> bool {
        let replacements = HashMap::from([(variable, term)]);
        let (mut replaced, mut known) = (Vec::new(), HashMap::new());
        for &edge in next {
            if edge == number {
                return false;
            }
            let mut instruction = self.edges[edge].instruction.clone();
            for slot in terms_of(&mut instruction) {
                *slot = self.terms.substitute_below(*slot, &replacements, &mut known);
                if self.terms.depth(*slot) > DEPTH {
                    return false;
                }
            }
            replaced.push((edge, instruction));
        }
        for (edge, instruction) in replaced {
            self.edges[edge].instruction = instruction;
        }
        self.edges[number].instruction = Instruction::Nop;
        true
    }
}

/// The terms of an instruction.
fn terms_of(instruction: &mut Instruction) -> Vec<&mut TermId> {
    match instruction {
        Instruction::Assign(list) => list.iter_mut().map(|(_, term)| term).collect(),
        Instruction::Assume(term) => vec![term],
        Instruction::Call { arguments, .. } => arguments.iter_mut().collect(),
        Instruction::Return(term) | Instruction::Stop(term) => term.iter_mut().collect(),
        Instruction::Nop | Instruction::Havoc(..) | Instruction::Error(_) => Vec::new(),
    }
}

pub(crate) fn read_by(terms: &Terms, instruction: &Instruction) -> Vec<VariableId> {
    let mut instruction = instruction.clone();
    let mut seen = HashSet::new();
    terms_of(&mut instruction).into_iter().flat_map(|term| terms.new_variables(*term, &mut seen)).collect()
}

pub(crate) fn written_by(instruction: &Instruction) -> Vec<VariableId> {
    match instruction {
        Instruction::Assign(list) => list.iter().map(|&(variable, _)| variable).collect(),
        Instruction::Havoc(list, _) => list.clone(),
        Instruction::Call { result, writes, .. } => result.iter().chain(writes).copied().collect(),
        _ => Vec::new(),
    }
}

/// Targets of edges that close a cycle in a depth-first walk.
fn mark_loop_heads(component: &mut Component) {
    let count = component.locations.len();
    let (mut open, mut done) = (vec![false; count], vec![false; count]);
    let mut stack = vec![(component.entry, 0_usize)];
    while let Some((location, next)) = stack.pop() {
        let at = location.0 as usize;
        open[at] = true;
        let Some(&edge) = component.locations[at].leaving.get(next) else {
            open[at] = false;
            done[at] = true;
            continue;
        };
        stack.push((location, next + 1));
        let target = component.edges[edge.0 as usize].target;
        if open[target.0 as usize] {
            component.locations[target.0 as usize].loop_head = true;
        } else if !done[target.0 as usize] {
            stack.push((target, 0));
        }
    }
}

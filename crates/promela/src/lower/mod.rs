//! Syntax tree → model: names resolved, structures flattened, control flow laid out.
//!
//! [`lower`] goes through the parts of a model in order, because in Promela a name must be declared
//! before it is used. Bodies become [`flow::Graph`]s first; locations and edges are made at the end,
//! when it is known which labels other processes ask about.
//!
//! Declarations are in `declarations`, statements in `body`, and what is left for the end in `finish`.

mod body;
mod declarations;
mod expression;
mod finish;
mod flow;
mod formula;
mod types;

use crate::ast::{Claim, Declaration, Expr, Ltl, Proctype, Program, Unit};
use crate::token::{Name, Names};
use flow::{Graph, SeqId};
use model::diagnostic::Diagnostic;
use model::ids::{LocationId, MachineId, SymbolSetId};
use model::network::{Formula, Initial, Instance, Machine, MachineKind, Network, SymbolSet};
use model::source::{SourceMap, Span};
use std::collections::{HashMap, HashSet};
use types::{Entity, Structure};

/// Builds the model of a program. Errors and warnings go to `diagnostics`; with an error the model is incomplete.
pub fn lower(program: &Program, names: &Names, sources: &SourceMap, diagnostics: &mut Vec<Diagnostic>) -> Network {
    let mut lowering = Lowering {
        names,
        sources,
        diagnostics,
        network: Network { symbol_sets: vec![SymbolSet::default()], ..Network::default() },
        symbols: HashMap::new(),
        symbol_sets: HashMap::new(),
        symbol_order: Vec::new(),
        structures: Vec::new(),
        structure_names: HashMap::new(),
        globals: HashMap::new(),
        machine_names: HashMap::new(),
        inside: None,
        remote_labels: Vec::new(),
        bodies: Vec::new(),
        claims: Vec::new(),
        runs: Vec::new(),
        declared: Vec::new(),
        used: HashSet::new(),
        in_trace: false,
    };
    lowering.declare_symbols(program);
    lowering.declare_machines(program);
    // A formula may come before what it speaks of.
    let (formulas, others): (Vec<&Unit>, Vec<&Unit>) = program.units.iter().partition(|u| matches!(u, Unit::Ltl(_)));
    for unit in others.into_iter().chain(formulas) {
        lowering.unit(unit);
    }
    lowering.finish()
}

/// A variable that a name stands for.
#[derive(Clone, Debug)]
struct Declared {
    entity: Entity,
    span: Span,
    local: bool,
}

/// A body whose edges are not made yet.
struct Pending {
    machine: Option<MachineId>,
    claim: Option<usize>,
    graph: Graph,
    sequence: SeqId,
}

/// A question about where another process is, to be answered once locations are known.
struct RemoteLabel {
    machine: MachineId,
    label: Name,
    span: Span,
    /// Where the question stands: in which body, and behind how many of its elements.
    body: usize,
    elements: usize,
}

struct Lowering<'a> {
    names: &'a Names,
    sources: &'a SourceMap,
    diagnostics: &'a mut Vec<Diagnostic>,
    network: Network,
    /// Symbolic constants.
    symbols: HashMap<Name, (SymbolSetId, i32, Span)>,
    symbol_sets: HashMap<Name, SymbolSetId>,
    symbol_order: Vec<(Name, SymbolSetId)>,
    structures: Vec<Structure>,
    structure_names: HashMap<Name, usize>,
    globals: HashMap<Name, Declared>,
    machine_names: HashMap<Name, MachineId>,
    /// `P@label` in the order of their placeholders.
    /// The process type whose body is being lowered.
    inside: Option<MachineId>,
    remote_labels: Vec<RemoteLabel>,
    bodies: Vec<Pending>,
    claims: Vec<Machine>,
    /// Every `run`: the process type, the number of arguments, the place.
    runs: Vec<(MachineId, usize, Span)>,
    /// Every variable that was declared, and the declarations that something refers to.
    declared: Vec<(Name, Span)>,
    used: HashSet<Span>,
    /// Inside a `trace` assertion, where `_` may stand for any field of a send.
    in_trace: bool,
}

impl Lowering<'_> {
    fn text(&self, name: Name) -> String {
        self.names.text(name).to_owned()
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Diagnostic::error(code, span, message))
    }

    fn warning(&mut self, code: &'static str, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Diagnostic::warning(code, span, message))
    }

    fn push(&mut self, diagnostic: Diagnostic) -> &mut Diagnostic {
        self.diagnostics.push(diagnostic);
        let last = self.diagnostics.len() - 1;
        &mut self.diagnostics[last]
    }

    fn unit(&mut self, unit: &Unit) {
        match unit {
            Unit::Proctype(proctype) => self.proctype(proctype),
            Unit::Claim(claim) => self.claim(claim),
            Unit::Ltl(ltl) => self.ltl(ltl),
            Unit::Declaration(declaration) => self.global(declaration),
            Unit::Symbols { .. } => {}
            Unit::Typedef { name, span, fields } => self.typedef(*name, *span, fields),
        }
    }

    fn proctype(&mut self, proctype: &Proctype) {
        let Some(&id) = self.machine_names.get(&proctype.name) else { return };
        if self.network.machine(id).span != proctype.span {
            return; // declared twice
        }
        self.inside = Some(id);
        let mut body = body::Body::new();
        for declaration in &proctype.parameters {
            self.parameter(declaration, &mut body);
        }
        // A parameter holds its argument: what its type would start with is neither evaluated nor created.
        body.variables.iter_mut().for_each(|parameter| parameter.initial = Initial::Zero);
        body.parameters = body.variables.len();
        let provided = proctype.provided.as_ref().and_then(|e| self.expr(e, Some(&body)));
        let priority = self.priority(proctype.priority, proctype.span);
        if proctype.priority.is_some() {
            self.network.uses_priorities = true;
        }
        let sequence = self.body(&mut body, &proctype.body, proctype.end);
        self.inside = None;
        let machine = &mut self.network.machines[id.index()];
        machine.parameters = body.parameters;
        machine.variables = body.variables;
        machine.provided = provided;
        if let Some(sequence) = sequence {
            self.bodies.push(Pending { machine: Some(id), claim: None, graph: body.graph, sequence });
        }
        if let Some(active) = &proctype.active {
            self.instances(id, active, priority);
        }
    }

    fn instances(&mut self, machine: MachineId, count: &Expr, priority: u8) {
        let Some(count) = self.constant(count) else { return };
        if self.network.instances.len() as i64 + i64::from(count) > 100_000 {
            let span = self.network.machine(machine).span;
            self.error("P0216", span, "more than 100000 processes at the start");
            return;
        }
        for _ in 0..count {
            self.network.instances.push(Instance { machine, priority });
        }
    }

    fn priority(&mut self, priority: Option<i32>, span: Span) -> u8 {
        match priority {
            None => 1,
            Some(value @ 1..=255) => value as u8,
            Some(value) => {
                self.error("P0217", span, format!("a priority of {value} is not possible: it is from 1 to 255"));
                1
            }
        }
    }

    fn parameter(&mut self, declaration: &Declaration, body: &mut body::Body) {
        let Some(ty) = self.resolve_type(declaration.ty, declaration.ty_span) else { return };
        for declarator in &declaration.variables {
            if declarator.initial.is_some() {
                self.error("P0218", declarator.span, "a parameter cannot have a first value");
            }
            if declarator.len.is_some() {
                let error = self.error("P0219", declarator.span, "a parameter cannot be an array");
                *error = error.clone().help("make the array global, or pass its elements");
                continue;
            }
            if let Some(earlier) = body.declared_here(declarator.name) {
                self.redeclared(declarator, earlier);
                continue;
            }
            let Some((ty, len)) = self.declared_type(&ty, declarator) else { continue };
            let mut variables = std::mem::take(&mut body.variables);
            let entity = self.flatten(declarator, &ty, len, &Initial::Zero, &mut variables);
            body.variables = variables;
            if let Some(entity) = entity {
                body.declare(declarator.name, Declared { entity, span: declarator.span, local: true });
            }
        }
    }

    /// A claim is lowered like a process, so that its errors are found; it does not run.
    fn claim(&mut self, claim: &Claim) {
        let name = match (claim.name, claim.kind) {
            (Some(name), _) => self.text(name),
            (None, MachineKind::Trace) => String::from("trace"),
            (None, MachineKind::NoTrace) => String::from("notrace"),
            (None, _) => format!("never_{}", self.claims.iter().filter(|c| c.kind == MachineKind::Never).count()),
        };
        // Local variables of the claim are resolved against a machine that is never instantiated.
        self.network.machines.push(empty_machine(name, claim.kind, claim.span));
        let mut body = body::Body::new();
        self.in_trace = matches!(claim.kind, MachineKind::Trace | MachineKind::NoTrace);
        let sequence = self.body(&mut body, &claim.body, claim.end);
        self.in_trace = false;
        let Some(mut machine) = self.network.machines.pop() else { return };
        machine.variables = body.variables;
        self.claims.push(machine);
        if let Some(sequence) = sequence {
            let claim = Some(self.claims.len() - 1);
            self.bodies.push(Pending { machine: None, claim, graph: body.graph, sequence });
        }
    }

    fn ltl(&mut self, ltl: &Ltl) {
        let name = match ltl.name {
            Some(name) => self.text(name),
            None => format!("ltl_{}", self.network.formulas.len()),
        };
        let Some(formula) = self.formula(&ltl.formula) else { return };
        let text = self.sources.text(ltl.span).to_owned();
        self.network.formulas.push(Formula { name, text, formula, is_question: false, span: ltl.span });
    }
}

fn empty_machine(name: String, kind: MachineKind, span: Span) -> Machine {
    Machine {
        name,
        kind,
        parameters: 0,
        variables: Vec::new(),
        locations: vec![model::network::Location::default()],
        edges: Vec::new(),
        initial: LocationId(0),
        provided: None,
        span,
    }
}

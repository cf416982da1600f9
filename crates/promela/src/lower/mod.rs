//! Syntax tree → model: names resolved, structures flattened, control flow laid out.
//!
//! [`lower`] goes through the parts of a model in order, because in Promela a name must be declared
//! before it is used. Bodies become [`flow::Graph`]s first; locations and edges are made at the end,
//! when it is known which labels other processes ask about.

mod body;
mod expression;
mod flow;
mod formula;
mod types;

use crate::ast::{
    Claim, Declaration, Declarator, Expr, ExprKind, Initializer, Ltl, Proctype, Program, TypeName, Unit, Visibility,
};
use crate::token::{Name, Names};
use flow::{FlowError, Graph, SeqId};
use model::diagnostic::{Diagnostic, nearest};
use model::expr::{BinaryOp, UnaryOp};
use model::formula::Atom;
use model::ids::{ChannelTypeId, LocationId, MachineId, SymbolSetId};
use model::network::{
    ChannelType, Formula, Initial, Instance, Machine, MachineKind, Network, ScalarType, SymbolSet, Variable,
};
use model::source::{SourceMap, Span};
use std::collections::{HashMap, HashSet};
use types::{Entity, EntityKind, Field, Flatten, Structure, Type};

/// More unused variables than this are not listed.
const MOST_UNUSED: usize = 20;
/// More elements than this, over all variables of a scope, do not fit into a state.
const MOST_ELEMENTS: usize = 1 << 20;

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

    // --- what is known before anything is read ----------------------------------------------------

    /// Symbolic constants can be used before their declaration. Within a set, the last name of the
    /// first declaration is 1: SPIN counts each list from its end.
    fn declare_symbols(&mut self, program: &Program) {
        for unit in &program.units {
            let Unit::Symbols { set, symbols } = unit else { continue };
            let id = match set {
                None => SymbolSetId(0),
                Some(name) => self.symbol_set(*name),
            };
            for &(name, span) in symbols.iter().rev() {
                let text = self.text(name);
                if let Some(&(_, _, earlier)) = self.symbols.get(&name) {
                    let error = self.error("P0201", span, format!("symbolic constant `{text}` is declared twice"));
                    *error = error.clone().also(earlier, "first declared here");
                    continue;
                }
                let symbols = &mut self.network.symbol_sets[id.index()].symbols;
                symbols.push(text);
                let value = symbols.len() as i32;
                if value == 256 {
                    self.error("P0202", span, "more than 255 symbolic constants in one set");
                }
                self.symbols.insert(name, (id, value, span));
                self.symbol_order.push((name, id));
            }
        }
    }

    fn symbol_set(&mut self, name: Name) -> SymbolSetId {
        if let Some(&id) = self.symbol_sets.get(&name) {
            return id;
        }
        let id = SymbolSetId::from(self.network.symbol_sets.len());
        self.network.symbol_sets.push(SymbolSet { name: self.text(name), symbols: Vec::new() });
        self.symbol_sets.insert(name, id);
        id
    }

    /// Process types can be used before their declaration, too; parameters are checked at the end.
    fn declare_machines(&mut self, program: &Program) {
        for unit in &program.units {
            let Unit::Proctype(proctype) = unit else { continue };
            let text = self.text(proctype.name);
            if let Some(&earlier) = self.machine_names.get(&proctype.name) {
                let earlier = self.network.machine(earlier).span;
                let what = if text == ":init:" {
                    String::from("a second `init`")
                } else {
                    format!("process type `{text}` is declared twice")
                };
                let error = self.error("P0203", proctype.span, what);
                *error = error.clone().also(earlier, "first declared here");
                continue;
            }
            let id = MachineId::from(self.network.machines.len());
            self.machine_names.insert(proctype.name, id);
            self.network.machines.push(empty_machine(text, MachineKind::Process, proctype.span));
        }
    }

    // --- parts ------------------------------------------------------------------------------------

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

    fn global(&mut self, declaration: &Declaration) {
        let Some(ty) = self.resolve_type(declaration.ty, declaration.ty_span) else { return };
        for declarator in &declaration.variables {
            if let Some(earlier) = self.globals.get(&declarator.name).map(|d| d.span) {
                self.redeclared(declarator, earlier);
                continue;
            }
            if self.clashes_with_constant(declarator) {
                continue;
            }
            let Some((ty, len)) = self.declared_type(&ty, declarator) else { continue };
            let initial = self.initial(declarator, &ty, len, None);
            let mut variables = std::mem::take(&mut self.network.variables);
            let entity = self.flatten(declarator, &ty, len, &initial, &mut variables);
            self.network.variables = variables;
            if let Some(entity) = entity {
                if declaration.visibility == Some(Visibility::Hidden) {
                    self.hidden_warning(declarator.span);
                }
                self.declared.push((declarator.name, declarator.span));
                self.globals.insert(declarator.name, Declared { entity, span: declarator.span, local: false });
            }
        }
    }

    fn hidden_warning(&mut self, span: Span) {
        let warning = self.warning("P0251", span, "`hidden` is ignored: the variable is part of the state");
        *warning = warning.clone().help("SPIN leaves hidden variables out of its states; numbers of states can differ");
    }

    fn redeclared(&mut self, declarator: &Declarator, earlier: Span) {
        let text = self.text(declarator.name);
        let error = self.error("P0204", declarator.span, format!("`{text}` is declared twice in the same scope"));
        *error = error.clone().label("declared again here").also(earlier, "first declared here");
    }

    fn clashes_with_constant(&mut self, declarator: &Declarator) -> bool {
        let Some(&(_, _, earlier)) = self.symbols.get(&declarator.name) else { return false };
        let text = self.text(declarator.name);
        let error = self.error("P0205", declarator.span, format!("`{text}` is a symbolic constant already"));
        *error = error.clone().also(earlier, "declared here").help("choose another name for the variable");
        true
    }

    fn flatten(
        &mut self,
        declarator: &Declarator,
        ty: &Type,
        len: Option<u32>,
        initial: &Initial,
        variables: &mut Vec<Variable>,
    ) -> Option<Entity> {
        let names = self.names;
        let text = |name: Name| names.text(name).to_owned();
        let name = text(declarator.name);
        let mut to = Flatten { structures: &self.structures, text: &text, variables, limit: MOST_ELEMENTS };
        match types::flatten(&mut to, &name, ty, len, initial, &[], declarator.span) {
            Ok(entity) => Some(entity),
            Err(types::TooLarge) => {
                self.error("P0206", declarator.span, format!("`{name}` has too many elements"));
                None
            }
        }
    }

    fn resolve_type(&mut self, ty: TypeName, span: Span) -> Option<Type> {
        Some(Type::Scalar(match ty {
            TypeName::Bit => ScalarType::Bit,
            TypeName::Byte => ScalarType::Byte,
            TypeName::Pid => ScalarType::Pid,
            TypeName::Short => ScalarType::Short,
            TypeName::Int => ScalarType::Int,
            TypeName::Unsigned => ScalarType::Unsigned(32),
            TypeName::Mtype(None) => ScalarType::Symbol(SymbolSetId(0)),
            TypeName::Mtype(Some(set)) => ScalarType::Symbol(self.symbol_set(set)),
            TypeName::Chan => ScalarType::Channel,
            TypeName::User(name) => match self.structure_names.get(&name) {
                Some(&structure) => return Some(Type::Struct(structure)),
                None => {
                    let text = self.text(name);
                    let known: Vec<String> = self.structures.iter().map(|s| self.text(s.name)).collect();
                    let basic = ["bit", "bool", "byte", "short", "int", "unsigned", "chan", "mtype", "pid"];
                    let hint = nearest(&text, known.iter().map(String::as_str).chain(basic)).map(str::to_owned);
                    let error = self.error("P0207", span, format!("there is no type `{text}`"));
                    *error = error.clone().label("not a type");
                    if let Some(hint) = hint {
                        *error = error.clone().help(format!("did you mean `{hint}`?"));
                    }
                    return None;
                }
            },
        }))
    }

    /// The type and the number of elements of one declarator.
    fn declared_type(&mut self, ty: &Type, declarator: &Declarator) -> Option<(Type, Option<u32>)> {
        let mut ty = ty.clone();
        match declarator.width {
            Some((bits, span)) if !(1..=32).contains(&bits) => {
                self.error("P0208", span, format!("a width of {bits} bits is not possible"));
                return None;
            }
            Some((bits, _)) => match ty {
                Type::Scalar(ScalarType::Unsigned(_)) => ty = Type::Scalar(ScalarType::Unsigned(bits as u8)),
                // SPIN takes a width on any type, and uses it.
                Type::Scalar(ScalarType::Bit | ScalarType::Byte) => {
                    ty = Type::Scalar(ScalarType::Unsigned((bits as u8).min(8)));
                }
                _ => {}
            },
            None => {}
        }
        let len = match &declarator.len {
            None => None,
            Some(e) => {
                let value = self.constant(e)?;
                if value < 1 || value as usize > MOST_ELEMENTS {
                    let text = self.text(declarator.name);
                    let error = self.error("P0209", e.span, format!("`{text}` cannot have {value} elements"));
                    *error = error.clone().help("an array has at least one element");
                    return None;
                }
                Some(value as u32)
            }
        };
        Some((ty, len))
    }

    /// The value of an expression that must be constant; a global variable counts with its first value.
    fn constant(&mut self, e: &Expr) -> Option<i32> {
        let value = self.fold(e);
        if let ExprKind::Name(reference) = &e.kind
            && let Some(declared) = self.globals.get(&reference.name)
        {
            self.used.insert(declared.span);
        }
        if value.is_none() {
            let error = self.error("P0210", e.span, "a constant is needed here");
            *error = error.clone().help("use a number, or a macro that stands for one");
        }
        value
    }

    fn fold(&self, e: &Expr) -> Option<i32> {
        match &e.kind {
            ExprKind::Number(value) => Some(*value),
            ExprKind::Unary(op, e) => {
                let value = self.fold(e)?;
                Some(match op {
                    UnaryOp::Negate => value.wrapping_neg(),
                    UnaryOp::Not => i32::from(value == 0),
                    UnaryOp::Complement => !value,
                })
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.fold(a)?, self.fold(b)?);
                BinaryOp::apply(*op, a, b)
            }
            ExprKind::Name(reference) if reference.index.is_none() && reference.field.is_none() => {
                if let Some(&(_, value, _)) = self.symbols.get(&reference.name) {
                    return Some(value);
                }
                match &self.globals.get(&reference.name)?.entity {
                    Entity { len: None, kind: EntityKind::Leaf { variable, .. } } => {
                        match &self.network.global(*variable).initial {
                            Initial::Value(model::expr::Expr::Const(value)) => Some(*value),
                            _ => None,
                        }
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The first value of a declarator; `body` for a local one.
    fn initial(&mut self, declarator: &Declarator, ty: &Type, len: Option<u32>, body: Option<&body::Body>) -> Initial {
        match &declarator.initial {
            None => Initial::Zero,
            Some(Initializer::List(values, span)) => {
                if len.is_none() {
                    let text = self.text(declarator.name);
                    self.error("P0211", *span, format!("`{text}` is not an array, but has a list of first values"));
                }
                Initial::List(values.clone())
            }
            Some(Initializer::Channel { capacity, fields, span }) => {
                if !matches!(ty, Type::Scalar(ScalarType::Channel)) {
                    let text = self.text(declarator.name);
                    let error = self.error("P0212", *span, format!("`{text}` is not a channel"));
                    *error = error.clone().help("declare it with `chan`");
                    return Initial::Zero;
                }
                match self.channel_type(capacity, fields, *span) {
                    Some(id) => Initial::NewChannel(id),
                    None => Initial::Zero,
                }
            }
            Some(Initializer::Value(e)) => match self.expr(e, body) {
                Some(e) => {
                    self.check_range(declarator.span, ty, &e);
                    Initial::Value(e)
                }
                None => Initial::Zero,
            },
        }
    }

    /// Says so when a constant does not fit the variable it is assigned to.
    fn check_range(&mut self, span: Span, ty: &Type, e: &model::expr::Expr) {
        let (Type::Scalar(scalar), Some(value)) = (ty, e.constant()) else { return };
        let stored = scalar.truncate(value);
        if stored != value && !matches!(scalar, ScalarType::Channel) {
            let name = scalar.name();
            let warning = self.warning("P0252", span, format!("the value {value} does not fit into `{name}`"));
            *warning = warning.clone().label(format!("{stored} is stored instead"));
        }
    }

    fn channel_type(&mut self, capacity: &Expr, fields: &[(TypeName, Span)], span: Span) -> Option<ChannelTypeId> {
        let slots = self.constant(capacity)?;
        if !(0..=65_535).contains(&slots) {
            self.error("P0213", capacity.span, format!("a channel cannot hold {slots} messages"));
            return None;
        }
        let mut scalars = Vec::new();
        for &(ty, ty_span) in fields {
            let ty = self.resolve_type(ty, ty_span)?;
            if types::scalars(&self.structures, &ty, None, &mut scalars).is_none() {
                let error = self.error("P0214", ty_span, "this type cannot be a field of a message");
                *error = error.clone().help("a message has at most 1024 scalar fields, and no array of structures");
                return None;
            }
        }
        let capacity = Some(slots as u32);
        self.network.channel_types.push(ChannelType { capacity, fields: scalars, lossy: false, span });
        Some(ChannelTypeId::from(self.network.channel_types.len() - 1))
    }

    fn typedef(&mut self, name: Name, span: Span, declarations: &[Declaration]) {
        if self.structure_names.contains_key(&name) {
            let text = self.text(name);
            self.error("P0215", span, format!("type `{text}` is declared twice"));
            return;
        }
        let mut fields: Vec<Field> = Vec::new();
        for declaration in declarations {
            let Some(ty) = self.resolve_type(declaration.ty, declaration.ty_span) else { continue };
            for declarator in &declaration.variables {
                if let Some(earlier) = fields.iter().find(|f| f.name == declarator.name).map(|f| f.span) {
                    self.redeclared(declarator, earlier);
                    continue;
                }
                let Some((ty, len)) = self.declared_type(&ty, declarator) else { continue };
                let initial = self.initial(declarator, &ty, len, None);
                fields.push(Field { name: declarator.name, ty, len, initial, span: declarator.span });
            }
        }
        self.structure_names.insert(name, self.structures.len());
        self.structures.push(Structure { name, fields });
    }

    fn proctype(&mut self, proctype: &Proctype) {
        let Some(&id) = self.machine_names.get(&proctype.name) else { return };
        if self.network.machine(id).span != proctype.span {
            return; // declared twice
        }
        let mut body = body::Body::new();
        for declaration in &proctype.parameters {
            self.parameter(declaration, &mut body);
        }
        body.parameters = body.variables.len();
        let provided = proctype.provided.as_ref().and_then(|e| self.expr(e, Some(&body)));
        let priority = self.priority(proctype.priority, proctype.span);
        if proctype.priority.is_some() {
            self.network.uses_priorities = true;
        }
        let sequence = self.body(&mut body, &proctype.body, proctype.end);
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
        self.network.formulas.push(Formula { name, text, formula, span: ltl.span });
    }

    // --- the end ----------------------------------------------------------------------------------

    fn finish(mut self) -> Network {
        self.check_runs();
        self.check_unused();
        if self.network.instances.is_empty() {
            let error = self.error("P0246", Span::NONE, "no process runs");
            *error = error.clone().help("write `init { .. }`, or `active` before a process type");
        }
        let bodies = std::mem::take(&mut self.bodies);
        let mut graphs: HashMap<MachineId, usize> = HashMap::new();
        let mut pending: Vec<Pending> = bodies;
        for (index, body) in pending.iter().enumerate() {
            if let Some(machine) = body.machine {
                graphs.insert(machine, index);
            }
        }
        let locations = self.resolve_remote_labels(&graphs, &mut pending);
        for body in pending {
            let names = self.names;
            let text = |name: Name| names.text(name).to_owned();
            match body.graph.finish(body.sequence, body.claim.is_some(), &text) {
                Ok(finished) => {
                    let machine = match (body.machine, body.claim) {
                        (Some(id), _) => &mut self.network.machines[id.index()],
                        (None, Some(claim)) => &mut self.claims[claim],
                        (None, None) => continue,
                    };
                    machine.locations = finished.locations;
                    machine.edges = finished.edges;
                    machine.initial = finished.initial;
                }
                Err(errors) => errors.into_iter().for_each(|e| self.flow_error(e)),
            }
        }
        self.network.claims = std::mem::take(&mut self.claims);
        fix_remote_labels(&mut self.network, &locations);
        self.network
    }

    /// Says which variables nobody refers to, as SPIN does; with errors about, that would only be a consequence.
    fn check_unused(&mut self) {
        if self.diagnostics.iter().any(Diagnostic::is_error) {
            return;
        }
        let mut unused = std::mem::take(&mut self.declared);
        unused.retain(|(_, span)| !self.used.contains(span));
        unused.dedup();
        for (name, span) in unused.into_iter().take(MOST_UNUSED) {
            let text = self.text(name);
            let warning = self.warning("P0255", span, format!("variable `{text}` is never used"));
            *warning = warning.clone().label("declared here").help("leave it out: every variable makes states larger");
        }
    }

    fn check_runs(&mut self) {
        for (machine, given, span) in std::mem::take(&mut self.runs) {
            let machine = self.network.machine(machine);
            let (name, expected, place) = (machine.name.clone(), machine.parameters, machine.span);
            if given != expected {
                let message = format!("process type `{name}` has {expected} parameters, but {given} are given");
                let error = self.error("P0238", span, message);
                *error = error.clone().also(place, "declared here");
            }
        }
    }

    /// The locations of all `P@label`, in order of their placeholders.
    fn resolve_remote_labels(
        &mut self,
        graphs: &HashMap<MachineId, usize>,
        pending: &mut [Pending],
    ) -> Vec<LocationId> {
        let remote = std::mem::take(&mut self.remote_labels);
        let mut locations = Vec::with_capacity(remote.len());
        for RemoteLabel { machine, label, span } in remote {
            let graph = graphs.get(&machine).map(|&index| &mut pending[index].graph);
            let element = graph.as_ref().and_then(|g| g.first_label(label).map(|entry| entry.element));
            match (graph, element) {
                (Some(graph), Some(element)) => {
                    graph.keep_label(element);
                    locations.push(LocationId(element.0));
                }
                (graph, _) => {
                    let labels: Vec<Name> =
                        graph.map(|g| g.labels.iter().map(|l| l.name).collect()).unwrap_or_default();
                    self.unknown_label(label, span, &labels);
                    locations.push(LocationId(0));
                }
            }
        }
        locations
    }

    fn unknown_label(&mut self, label: Name, span: Span, labels: &[Name]) {
        let text = self.text(label);
        let known: Vec<&str> = labels.iter().map(|&name| self.names.text(name)).collect();
        let hint = nearest(&text, known.iter().copied()).map(str::to_owned);
        let error = self.error("P0220", span, format!("there is no label `{text}`"));
        *error = error.clone().label("this label is not defined in the process type");
        *error = match hint {
            Some(hint) => error.clone().help(format!("did you mean `{hint}`?")),
            None => error.clone().help(format!("write `{text}:` before the statement that is meant")),
        };
    }

    fn flow_error(&mut self, error: FlowError) {
        match error {
            FlowError::NoLabel(label, span, known) => self.unknown_label(label, span, &known),
            FlowError::EndlessJump(span) => {
                let error = self.error("P0221", span, "this jump leads back to itself");
                *error = error.clone().help("put a statement, such as `skip`, between the label and the jump");
            }
            FlowError::CrossesDStep(span) => {
                let error = self.error("P0222", span, "a jump cannot enter or leave a `d_step`");
                *error = error.clone().help("use `atomic` instead of `d_step`, or restructure the loop");
            }
            FlowError::TwoElse(span) => {
                let error = self.error("P0223", span, "two `else` can be reached at the same place");
                *error = error
                    .clone()
                    .help("an option that starts with an inner `if` brings its `else` along; put `skip` before one");
            }
            FlowError::SelfLoop(span) => {
                let error = self.error("P0224", span, "a loop that does nothing: `skip` leads to itself");
                *error = error.clone().help("let it do something, or wait for something");
            }
        }
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

/// Replaces the placeholders of `P@label`.
fn fix_remote_labels(network: &mut Network, locations: &[LocationId]) {
    let mut fix = |e: &mut model::expr::Expr| {
        if let model::expr::Expr::At { location, .. } = e
            && let Some(&known) = locations.get(location.index())
        {
            *location = known;
        }
    };
    for machine in network.machines.iter_mut().chain(&mut network.claims) {
        if let Some(provided) = &mut machine.provided {
            provided.walk_mut(&mut fix);
        }
        for edge in &mut machine.edges {
            edge.action.walk_mut(&mut fix);
        }
    }
    for formula in &mut network.formulas {
        formula.formula.walk_atoms_mut(&mut |atom| {
            if let Atom::State(e) = atom {
                e.walk_mut(&mut fix);
            }
        });
    }
}

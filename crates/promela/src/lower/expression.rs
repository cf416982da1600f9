//! Names and expressions resolved: what a reference means, and what a formula may contain.

use super::body::Body;
use super::types::{Entity, EntityKind};
use super::{Declared, Lowering, RemoteLabel};
use crate::ast::{Expr, ExprKind, PatternItem, VarRef};
use crate::token::{Name, kw};
use model::diagnostic::nearest;
use model::expr::{Expr as Lowered, Pattern, Place, Scope};
use model::ids::{ChannelTypeId, LocationId, MachineId, VariableId};
use model::network::ScalarType;
use model::source::Span;

/// A reference that means one scalar.
pub(super) struct Resolved {
    pub(super) place: Place,
    pub(super) ty: ScalarType,
    /// The type of the channel, if the variable is declared with one.
    pub(super) channel: Option<ChannelTypeId>,
}

impl Lowering<'_> {
    /// An expression; `None` if something in it is wrong, which has been reported.
    pub(super) fn expr(&mut self, e: &Expr, body: Option<&Body>) -> Option<Lowered> {
        Some(match &e.kind {
            ExprKind::Number(value) => Lowered::Const(*value),
            ExprKind::Name(reference) => self.name(reference, body)?,
            ExprKind::Unary(op, inner) => Lowered::Unary(*op, Box::new(self.expr(inner, body)?)),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(a, body), self.expr(b, body));
                Lowered::Binary(*op, Box::new(a?), Box::new(b?))
            }
            ExprKind::Conditional(c, a, b) => {
                let (c, a, b) = (self.expr(c, body), self.expr(a, body), self.expr(b, body));
                Lowered::Conditional(Box::new(c?), Box::new(a?), Box::new(b?))
            }
            ExprKind::Run(_) => {
                let error = self.error("P0230", e.span, "`run` is not supported inside a larger expression");
                *error = error.clone().help("assign it to a variable first: `p = run P()`");
                return None;
            }
            ExprKind::Channel(test, reference) => Lowered::Channel(*test, Box::new(self.channel(reference, body)?.0)),
            ExprKind::Poll { channel, pattern, anywhere } => {
                let (channel, channel_type) = self.channel(channel, body)?;
                let mut pattern = self.pattern(pattern, body)?;
                // A poll need not name all fields: those left out may be anything.
                if let Some(id) = channel_type {
                    let fields = self.network.channel_types[id.index()].fields.len();
                    pattern.resize(pattern.len().max(fields), Pattern::Any);
                }
                self.check_fields(channel_type, pattern.len(), e.span, "poll");
                Lowered::Poll { channel: Box::new(channel), pattern, anywhere: *anywhere }
            }
            ExprKind::Timeout => Lowered::Timeout,
            ExprKind::NonProgress => Lowered::NonProgress,
            ExprKind::Enabled(pid) => Lowered::Enabled(Box::new(self.expr(pid, body)?)),
            ExprKind::PcValue(pid) => Lowered::ProgramCounter(Box::new(self.expr(pid, body)?)),
            ExprKind::GetPriority(pid) => {
                self.network.uses_priorities = true;
                Lowered::Priority(Box::new(self.expr(pid, body)?))
            }
            ExprKind::RemoteLabel { process, pid, label } => {
                let machine = self.machine(process.0, process.1)?;
                let pid = self.optional(pid.as_deref(), body)?;
                let placeholder = LocationId::from(self.remote_labels.len());
                // SPIN reads formulas last.
                let (at, elements) = body.map_or((usize::MAX, 0), |body| (self.bodies.len(), body.graph.count()));
                self.remote_labels.push(RemoteLabel { machine, label: label.0, span: label.1, body: at, elements });
                Lowered::At { machine, pid, location: placeholder }
            }
            ExprKind::RemoteVariable { process, pid, variable } => {
                self.remote_variable(process, pid, variable, body)?
            }
            ExprKind::Temporal(..) | ExprKind::Temporal2(..) => {
                let error = self.error("P0231", e.span, "a temporal operator is no value");
                *error = error.clone().help("put parentheses around the condition that it speaks of: `[] (x == 1)`");
                return None;
            }
            ExprKind::Event { .. } => {
                let error = self.error("P0231", e.span, "an event is no value");
                *error = error.clone().help("join events with `&&`, `||`, `!`, `->` and temporal operators only");
                return None;
            }
        })
    }

    fn optional(&mut self, e: Option<&Expr>, body: Option<&Body>) -> Option<Option<Box<Lowered>>> {
        match e {
            None => Some(None),
            Some(e) => Some(Some(Box::new(self.expr(e, body)?))),
        }
    }

    /// A process type by its name.
    pub(super) fn machine(&mut self, name: Name, span: Span) -> Option<MachineId> {
        if let Some(&id) = self.machine_names.get(&name) {
            return Some(id);
        }
        let text = self.text(name);
        let known: Vec<String> = self.machine_names.keys().map(|&n| self.text(n)).collect();
        let hint = nearest(&text, known.iter().map(String::as_str)).map(str::to_owned);
        let error = self.error("P0232", span, format!("there is no process type `{text}`"));
        *error = error.clone().label("not a process type");
        if let Some(hint) = hint {
            *error = error.clone().help(format!("did you mean `{hint}`?"));
        }
        None
    }

    /// `P[pid]:x`. The process type must come before, so that its variables are known.
    fn remote_variable(
        &mut self,
        process: &(Name, Span),
        pid: &Option<Box<Expr>>,
        variable: &VarRef,
        body: Option<&Body>,
    ) -> Option<Lowered> {
        let machine = self.machine(process.0, process.1)?;
        let pid = self.optional(pid.as_deref(), body)?;
        let text = self.text(variable.name);
        // Inside of the process type itself, its variables are those declared so far.
        let known = match body.filter(|_| self.inside == Some(machine)) {
            Some(body) => &body.variables,
            None => &self.network.machine(machine).variables,
        };
        let found = known.iter().position(|v| v.name == text);
        let Some((index, declared, dimensions)) =
            found.map(|index| (index, known[index].span, known[index].dimensions.len()))
        else {
            let process = self.text(process.0);
            let error =
                self.error("P0233", variable.span, format!("process type `{process}` has no variable `{text}`"));
            *error = error.clone().help("a remote reference needs the process type to be declared before it");
            return None;
        };
        let indices = match &variable.index {
            Some(index) => vec![self.expr(index, body)?],
            None => Vec::new(),
        };
        self.used.insert(declared);
        if indices.len() != dimensions {
            self.error("P0226", variable.span, format!("`{text}` needs {dimensions} indices"));
            return None;
        }
        Some(Lowered::Remote { machine, pid, variable: VariableId::from(index), indices, span: variable.span })
    }

    /// A name in an expression: a symbolic constant, something predefined, or a variable.
    fn name(&mut self, reference: &VarRef, body: Option<&Body>) -> Option<Lowered> {
        let plain = reference.index.is_none() && reference.field.is_none();
        if plain {
            match reference.name {
                kw::UNDER_PID => return Some(Lowered::Pid),
                kw::UNDER_NR_PR => return Some(Lowered::ProcessCount),
                kw::UNDER_LAST => {
                    self.network.uses_last_mover = true;
                    return Some(Lowered::LastMover);
                }
                kw::UNDER_PRIORITY => {
                    self.network.uses_priorities = true;
                    return Some(Lowered::Priority(Box::new(Lowered::Pid)));
                }
                kw::UNDERSCORE => {
                    let error = self.error("P0234", reference.span, "`_` can be written only, not read");
                    *error = error.clone().help("use a variable");
                    return None;
                }
                _ => {}
            }
            if let Some(&(_, value, _)) = self.symbols.get(&reference.name) {
                return Some(Lowered::Const(value));
            }
        }
        Some(Lowered::Read(self.scalar(reference, body)?.place))
    }

    /// The channel that a reference means, and its type if the declaration says it.
    pub(super) fn channel(
        &mut self,
        reference: &VarRef,
        body: Option<&Body>,
    ) -> Option<(Lowered, Option<ChannelTypeId>)> {
        let resolved = self.scalar(reference, body)?;
        if resolved.ty != ScalarType::Channel {
            // SPIN lets a byte hold a channel; anything else cannot be one.
            if resolved.ty.bits() < 8 || matches!(resolved.ty, ScalarType::Symbol(_)) {
                let text = self.text(reference.name);
                let ty = resolved.ty.name();
                let error =
                    self.error("P0235", reference.span, format!("`{text}` is not a channel but of type `{ty}`"));
                *error = error.clone().help("declare it as `chan`");
                return None;
            }
        }
        Some((Lowered::Read(resolved.place), resolved.channel))
    }

    /// A reference that must mean one scalar.
    pub(super) fn scalar(&mut self, reference: &VarRef, body: Option<&Body>) -> Option<Resolved> {
        let declared = self.lookup(reference, body)?;
        let mut indices = Vec::new();
        let entity = self.walk(&declared.entity, reference, body, &mut indices)?;
        match entity.kind {
            EntityKind::Leaf { variable, ty, channel } => {
                let scope = if declared.local { Scope::Local } else { Scope::Global };
                let span = reference.full_span();
                Some(Resolved { place: Place { scope, variable, indices, span }, ty, channel })
            }
            EntityKind::Struct { members, .. } => {
                let text = self.sources.text(reference.full_span()).to_owned();
                let field = members.first().map(|(name, _)| self.text(*name)).unwrap_or_default();
                let error =
                    self.error("P0227", reference.full_span(), format!("`{text}` is a structure, a field is needed"));
                *error = error.clone().help(format!("such as `{text}.{field}`"));
                None
            }
        }
    }

    /// The declaration that a name means.
    pub(super) fn lookup(&mut self, reference: &VarRef, body: Option<&Body>) -> Option<Declared> {
        let name = reference.name;
        if let Some(found) = body.and_then(|b| b.lookup(name)).or_else(|| self.globals.get(&name)) {
            let found = found.clone();
            self.used.insert(found.span);
            return Some(found);
        }
        let text = self.text(name);
        let mut known: Vec<String> = self.globals.keys().chain(self.symbols.keys()).map(|&n| self.text(n)).collect();
        known.extend(body.iter().flat_map(|b| b.visible()).map(|n| self.text(n)));
        let hint = nearest(&text, known.iter().map(String::as_str)).map(str::to_owned);
        let error = self.error("P0225", reference.span, format!("`{text}` is not declared"));
        *error = error.clone().label("not found in this scope");
        *error = match hint {
            Some(hint) => error.clone().help(format!("did you mean `{hint}`?")),
            None => error.clone().help(format!("declare it before it is used, for instance `byte {text};`")),
        };
        None
    }

    /// Follows indices and fields from a declaration to what the reference means.
    fn walk(
        &mut self,
        entity: &Entity,
        reference: &VarRef,
        body: Option<&Body>,
        indices: &mut Vec<Lowered>,
    ) -> Option<Entity> {
        let text = self.text(reference.name);
        match (entity.len, &reference.index) {
            (Some(_), Some(index)) => indices.push(self.expr(index, body)?),
            (None, None) => {}
            (Some(len), None) => {
                let warning =
                    self.warning("P0254", reference.span, format!("`{text}` is an array: an index is missing"));
                *warning = warning
                    .clone()
                    .label("the first element is taken")
                    .help(format!("write `{text}[0]` to `{text}[{}]`", len - 1));
                indices.push(Lowered::Const(0));
            }
            (None, Some(index)) => {
                let error = self.error("P0228", index.span, format!("`{text}` is not an array"));
                *error = error.clone().help("leave the index out");
                return None;
            }
        }
        let Some(field) = &reference.field else {
            let kind = entity.kind.clone();
            return Some(Entity { len: None, kind });
        };
        match &entity.kind {
            EntityKind::Struct { structure, members } => match members.iter().find(|(name, _)| *name == field.name) {
                Some((_, member)) => self.walk(member, field, body, indices),
                None => {
                    let wanted = self.text(field.name);
                    let ty = self.text(self.structures[*structure].name);
                    let known: Vec<String> = members.iter().map(|(n, _)| self.text(*n)).collect();
                    let hint = nearest(&wanted, known.iter().map(String::as_str)).map(str::to_owned);
                    let error = self.error("P0229", field.span, format!("type `{ty}` has no field `{wanted}`"));
                    *error = error.clone().help(match hint {
                        Some(hint) => format!("did you mean `{hint}`?"),
                        None => format!("its fields are {}", known.join(", ")),
                    });
                    None
                }
            },
            EntityKind::Leaf { .. } => {
                self.error("P0229", field.span, format!("`{text}` is not a structure, it has no fields"));
                None
            }
        }
    }

    /// All scalars that a reference means: one, or all fields of a structure in order.
    pub(super) fn scalars(&mut self, reference: &VarRef, body: Option<&Body>) -> Option<Vec<Place>> {
        let declared = self.lookup(reference, body)?;
        let mut indices = Vec::new();
        let entity = self.walk(&declared.entity, reference, body, &mut indices)?;
        let scope = if declared.local { Scope::Local } else { Scope::Global };
        let mut places = Vec::new();
        spread(&entity, &indices, &mut |variable, indices| {
            places.push(Place { scope, variable, indices, span: reference.full_span() });
        });
        Some(places)
    }

    fn is_structure(&mut self, reference: &VarRef, body: Option<&Body>) -> bool {
        let declared = body.and_then(|b| b.lookup(reference.name)).or_else(|| self.globals.get(&reference.name));
        let Some(declared) = declared else { return false };
        let mut entity = &declared.entity;
        let mut reference = reference;
        while let (Some(field), EntityKind::Struct { members, .. }) = (&reference.field, &entity.kind) {
            let Some((_, member)) = members.iter().find(|(name, _)| *name == field.name) else { return false };
            entity = member;
            reference = field;
        }
        matches!(entity.kind, EntityKind::Struct { .. })
    }

    /// The fields of a message; a structure stands for all its fields.
    pub(super) fn message(&mut self, message: &[Expr], body: Option<&Body>) -> Option<Vec<Lowered>> {
        let mut lowered = Vec::with_capacity(message.len());
        for e in message {
            match &e.kind {
                ExprKind::Name(reference) if self.is_structure(reference, body) => {
                    lowered.extend(self.scalars(reference, body)?.into_iter().map(Lowered::Read));
                }
                _ => lowered.push(self.expr(e, body)?),
            }
        }
        Some(lowered)
    }

    /// The fields of a send in a `trace` assertion, where `_` is anything.
    pub(super) fn observed(&mut self, message: &[Expr], body: Option<&Body>) -> Option<Vec<Pattern>> {
        let mut pattern = Vec::with_capacity(message.len());
        for e in message {
            match &e.kind {
                ExprKind::Name(reference) if reference.name == kw::UNDERSCORE => pattern.push(Pattern::Any),
                _ => pattern.push(Pattern::Match(self.expr(e, body)?)),
            }
        }
        Some(pattern)
    }

    /// The fields of a receive.
    pub(super) fn pattern(&mut self, items: &[PatternItem], body: Option<&Body>) -> Option<Vec<Pattern>> {
        let mut pattern = Vec::with_capacity(items.len());
        for item in items {
            match item {
                PatternItem::Number(value) => pattern.push(Pattern::Match(Lowered::Const(*value))),
                PatternItem::Eval(e) => match &e.kind {
                    ExprKind::Name(reference) if self.is_structure(reference, body) => {
                        let places = self.scalars(reference, body)?;
                        pattern.extend(places.into_iter().map(|p| Pattern::Match(Lowered::Read(p))));
                    }
                    _ => pattern.push(Pattern::Match(self.expr(e, body)?)),
                },
                PatternItem::Reference(reference) => self.pattern_reference(reference, body, &mut pattern)?,
            }
        }
        Some(pattern)
    }

    fn pattern_reference(&mut self, reference: &VarRef, body: Option<&Body>, into: &mut Vec<Pattern>) -> Option<()> {
        let plain = reference.index.is_none() && reference.field.is_none();
        if plain {
            if reference.name == kw::UNDERSCORE {
                into.push(Pattern::Any);
                return Some(());
            }
            if let Some(&(_, value, _)) = self.symbols.get(&reference.name) {
                into.push(Pattern::Match(Lowered::Const(value)));
                return Some(());
            }
            if matches!(reference.name, kw::UNDER_PID | kw::UNDER_NR_PR | kw::UNDER_LAST) {
                let text = self.text(reference.name);
                let error = self.error("P0236", reference.span, format!("`{text}` cannot be assigned"));
                *error = error.clone().help(format!("to compare with it, write `eval({text})`"));
                return None;
            }
        }
        into.extend(self.scalars(reference, body)?.into_iter().map(Pattern::Bind));
        Some(())
    }

    /// A statement has as many fields as its channel was declared with.
    pub(super) fn check_fields(&mut self, channel: Option<ChannelTypeId>, given: usize, span: Span, what: &str) {
        let Some(declared) = channel.map(|id| &self.network.channel_types[id.index()]) else { return };
        let (expected, place) = (declared.fields.len(), declared.span);
        if given == expected {
            return;
        }
        let types: Vec<String> = declared.fields.iter().map(|f| f.name()).collect();
        let fields = |n: usize| if n == 1 { String::from("1 field") } else { format!("{n} fields") };
        let message =
            format!("this {what} has {}, but the channel's messages have {}", fields(given), fields(expected));
        let error = self.error("P0237", span, message);
        *error = error
            .clone()
            .label(fields(given))
            .also(place, format!("declared with {}", fields(expected)))
            .help(format!("the fields are {{ {} }}; `_` stands for one that does not matter", types.join(", ")));
    }
}

/// Visits every scalar of an entity; inner arrays element by element.
fn spread(entity: &Entity, indices: &[Lowered], visit: &mut dyn FnMut(VariableId, Vec<Lowered>)) {
    let elements: Vec<Vec<Lowered>> = match entity.len {
        None => vec![indices.to_vec()],
        Some(len) => (0..len as i32).map(|i| indices.iter().cloned().chain([Lowered::Const(i)]).collect()).collect(),
    };
    for indices in elements {
        match &entity.kind {
            EntityKind::Leaf { variable, .. } => visit(*variable, indices),
            EntityKind::Struct { members, .. } => members.iter().for_each(|(_, m)| spread(m, &indices, visit)),
        }
    }
}

//! Parts that are created and destroyed at run time.
//!
//! A variable says of each whether it exists (1), does not (0), or is being destroyed: then it is one more than the number of
//! machines in it that are still there. Each of them gets a request to leave, and ends when it has finished with its message, or at once if it
//! has not started: it empties its queue, drops its timers, and starts again when the part is created again. Whoever destroys a part
//! waits for that.

use super::actions::{Lowered, Scopes, no};
use super::build::{Build, place};
use super::guard::not;
use super::handlers::Handlers;
use super::variables::Type;
use super::{Lowering, global, global_place, timers};
use crate::action::{Expr as Syntax, ExprKind};
use crate::resolve::simple;
use model::expr::{BinaryOp, Expr, Pattern, Place};
use model::ids::{LocationId, VariableId};
use model::network::{Action, Initial};
use model::source::Span;

fn binary(op: BinaryOp, left: Expr, right: i32) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(Expr::Const(right)))
}

impl Lowering<'_, '_> {
    /// That an instance exists; `None` for one that always does.
    pub(super) fn exists(&self, instance: usize, span: Span) -> Option<Expr> {
        Some(self.is_there(self.alive_of(instance)?, span))
    }

    fn is_there(&self, alive: VariableId, span: Span) -> Expr {
        if self.destroys { binary(BinaryOp::Equal, global(alive, span), 1) } else { global(alive, span) }
    }

    /// The machine of a part: it waits until it exists, and ends when it is destroyed.
    pub(super) fn optional(&self, instance: usize, initial: LocationId, build: &mut Build, span: Span) -> LocationId {
        let Some(alive) = self.alive_of(instance) else { return initial };
        let rests: Vec<LocationId> = (0..build.locations.len())
            .filter(|&at| build.locations[at].end && !build.locations[at].labels.is_empty())
            .map(LocationId::from)
            .collect();
        let absent = build.location();
        build.label(absent, "not created", true);
        let there = build.then(absent, Action::Condition(self.is_there(alive, span)), span);
        build.edge(there, initial, Action::Skip, span);
        let Some(&leaving) = self.leaving.get(&instance) else { return absent };
        let ending = build.location();
        let leaves = || Action::Condition(global(leaving, span));
        rests.into_iter().for_each(|rest| build.edge(rest, ending, leaves(), span));
        let lock = self.lock(instance);
        // Who waits for its thread has not started either.
        for early in std::iter::once(absent).chain(lock.map(|_| initial)) {
            let mut at = build.then(early, leaves(), span);
            if let Some(starting) = lock.and_then(|lock| lock.starting) {
                at = self.count(at, starting, -1, build, span);
            }
            build.edge(at, ending, Action::Skip, span);
        }
        let class = self.instances.class(instance);
        let pending = (0..class.ports.len()).filter_map(|port| self.timers.get(&(instance, port)));
        let own = self.deferred.get(&instance);
        let mut at = ending;
        // Timers first: a pending one may become a message.
        for &channel in pending.chain(own).chain(&self.queues_of(instance)) {
            let pattern = self.pattern_of_any(instance);
            let channel = global(channel, span);
            let found = Expr::Poll { channel: Box::new(channel.clone()), pattern: pattern.clone(), anywhere: true };
            build.edge(at, at, Action::Receive { channel, pattern, mode: timers::anywhere() }, span);
            at = build.then(at, Action::Condition(not(found)), span);
        }
        for (place, first) in firsts(build, span) {
            at = build.then(at, Action::Assign(place, first), span);
        }
        at = build.then(at, Action::Assign(global_place(leaving, span), Expr::Const(0)), span);
        let two = binary(BinaryOp::Equal, global(alive, span), 2);
        let fewer = binary(BinaryOp::Sub, global(alive, span), 1);
        let left = Expr::Conditional(Box::new(two), Box::new(Expr::Const(0)), Box::new(fewer));
        build.edge(at, absent, Action::Assign(global_place(alive, span), left), span);
        absent
    }

    /// Every message to an instance.
    fn pattern_of_any(&self, instance: usize) -> Vec<Pattern> {
        let address = self.addressed.then(|| Pattern::Match(super::address(instance)));
        address.into_iter().chain([Pattern::Any]).chain(std::iter::repeat_n(Pattern::Any, self.carried())).collect()
    }

    /// How many machines there are in the part that is created with an instance.
    fn machines(&self, created: usize) -> i32 {
        let inside = |i: &usize| self.instances.instances[*i].optional == Some(created) && self.queues.contains_key(i);
        (0..self.instances.instances.len()).filter(inside).count() as i32
    }
}

/// All places of a machine, each with its first value.
fn firsts(build: &Build, span: Span) -> Vec<(Place, Expr)> {
    let mut found = Vec::new();
    for (id, variable) in build.variables.iter().enumerate() {
        let len: usize = variable.dimensions.iter().map(|dimension| dimension.len as usize).product();
        for at in 0..len {
            let mut rest = at;
            let mut indices: Vec<Expr> = Vec::new();
            for dimension in variable.dimensions.iter().rev() {
                indices.insert(0, Expr::Const((rest % dimension.len as usize) as i32));
                rest /= dimension.len as usize;
            }
            let first = match &variable.initial {
                Initial::Value(e) => e.clone(),
                Initial::List(values) => Expr::Const(values.get(at).or(values.last()).copied().unwrap_or(0)),
                _ => Expr::Const(0),
            };
            found.push((Place { indices, ..place(id.into(), span) }, first));
        }
    }
    found
}

/// Whether any code destroys parts.
pub(super) fn destroys(class: &crate::resolve::Class<'_>) -> bool {
    timers::mentions(class, "destroy")
}

impl<'a> Handlers<'_, '_, 'a, '_> {
    fn part_of(&self, part: &Syntax, scopes: &Scopes<'a>) -> Lowered<Vec<(usize, VariableId)>> {
        let found = match &part.kind {
            ExprKind::Name(name) if self.meaning(name, scopes).is_none() => self.class.part(name),
            _ => None,
        };
        let Some(found) = found else { return no(part.span, "this part") };
        let instances = &self.lowering.instances.instances[self.instance].parts[found];
        let alive = |&instance: &usize| Some((instance, *self.lowering.alive.get(&instance)?));
        match instances.iter().map(alive).collect::<Option<Vec<_>>>() {
            Some(found) => Ok(found),
            None => no(part.span, "a part that is fixed"),
        }
    }

    /// Creates the first instance of a part that does not exist yet, or the one with an index; nothing happens if there is none.
    /// The variable says whether there was one.
    pub(super) fn incarnate(
        &mut self,
        at: LocationId,
        (part, index): (&Syntax, Option<i64>),
        given: Option<&Syntax>,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<(LocationId, VariableId)> {
        let span = part.span;
        let mut instances = self.part_of(part, scopes)?;
        if let Some(index) = index {
            instances = instances.into_iter().skip(usize::try_from(index).unwrap_or(usize::MAX)).take(1).collect();
        }
        let done = self.temporary("result", Type::Bool, span, scopes);
        let after = self.build.location();
        let mut at = at;
        for (instance, alive) in instances {
            if self.lowering.destroys {
                // Until it is gone.
                let settled = binary(BinaryOp::LessEqual, global(alive, span), 1);
                at = self.build.then(at, Action::Condition(settled), span);
            }
            let exists = self.lowering.is_there(alive, span);
            let free = self.build.then(at, Action::Condition(not(exists.clone())), span);
            let free = self.give(free, instance, given, scopes);
            let mut made = self.build.then(free, Action::Assign(global_place(alive, span), Expr::Const(1)), span);
            self.build.says(format!("creates {}", self.lowering.path(instance)));
            let inside = |i: &usize| self.lowering.instances.instances[*i].optional == Some(instance);
            for inner in (0..self.lowering.instances.instances.len()).filter(inside) {
                let starting = self.lowering.lock(inner).and_then(|lock| lock.starting);
                if let Some(starting) = starting.filter(|_| self.lowering.queues.contains_key(&inner)) {
                    made = self.lowering.count(made, starting, 1, &mut self.build, span);
                }
            }
            self.build.edge(made, after, Action::Assign(place(done, span), Expr::Const(1)), span);
            at = self.build.then(at, Action::Condition(exists), span);
        }
        self.build.edge(at, after, Action::Assign(place(done, span), Expr::Const(0)), span);
        Ok((after, done))
    }

    /// Destroys all instances of a part. The variable says whether there was one.
    pub(super) fn destroy(
        &mut self,
        at: LocationId,
        part: &Syntax,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<(LocationId, VariableId)> {
        let span = part.span;
        let instances = self.part_of(part, scopes)?;
        let done = self.temporary("result", Type::Bool, span, scopes);
        let mut at = self.build.then(at, Action::Assign(place(done, span), Expr::Const(0)), span);
        for (instance, alive) in instances {
            let after = self.build.location();
            let is = |number| Action::Condition(binary(BinaryOp::Equal, global(alive, span), number));
            self.build.edge(at, after, is(0), span);
            let there = self.build.then(at, is(1), span);
            let machines = self.lowering.machines(instance);
            let ends = if machines == 0 { 0 } else { machines + 1 };
            let ends = Action::Assign(global_place(alive, span), Expr::Const(ends));
            let ending = self.build.then(there, ends, span);
            self.build.says(format!("destroys {}", self.lowering.path(instance)));
            let inside = |i: &usize| self.lowering.instances.instances[*i].optional == Some(instance);
            let mut told = ending;
            for inner in (0..self.lowering.instances.instances.len()).filter(inside) {
                if let Some(&leaving) = self.lowering.leaving.get(&inner) {
                    let leave = Action::Assign(global_place(leaving, span), Expr::Const(1));
                    told = self.build.then(told, leave, span);
                }
            }
            let gone = self.build.then(told, is(0), span);
            self.build.edge(gone, after, Action::Assign(place(done, span), Expr::Const(1)), span);
            at = after;
        }
        Ok((at, done))
    }

    /// `part.createOptionalActor("Class", thread)` and `part.destroyOptionalActor()` of ROOM.
    pub(super) fn room_part(
        &mut self,
        at: LocationId,
        part: &Syntax,
        (method, arguments): (&str, &[Syntax]),
        span: Span,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        match (method, arguments) {
            ("destroyOptionalActor", []) => Ok(self.destroy(at, part, scopes)?.0),
            ("createOptionalActor", [class, _]) => {
                let declared = match &part.kind {
                    ExprKind::Name(name) => {
                        self.class.part(name).and_then(|part| self.class.parts[part].class.as_ref())
                    }
                    _ => None,
                };
                let given = match &class.kind {
                    ExprKind::Text(text) => Some(text.as_str()),
                    _ => None,
                };
                if given.is_none() || given != declared.map(|name| simple(&name.text)) {
                    return no(span, "a part of another class");
                }
                Ok(self.incarnate(at, (part, None), None, scopes)?.0)
            }
            _ => no(span, format!("the call of `{method}` on a part")),
        }
    }
}

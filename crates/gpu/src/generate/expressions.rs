//! Expressions: each a text without side effects but for `c.bad`, evaluated where and only where the semantics evaluates it.

use super::{Generator, View, suffix};
use model::expr::{BinaryOp, ChannelTest, Expr, Pattern, Place, Scope, UnaryOp};
use model::ids::MachineId;
use model::network::{Initial, ScalarType};
use model::semantics::{ScalarPlace, Storage};
use std::fmt::Write;

/// What a store keeps of a value, where the bytes would keep more.
pub(super) fn truncated(ty: ScalarType, value: &str) -> String {
    match ty {
        ScalarType::Bit => format!("({value} & 1)"),
        ScalarType::Byte | ScalarType::Pid | ScalarType::Symbol(_) => format!("({value} & 255)"),
        ScalarType::Channel => format!("({value} & 0xffff)"),
        ScalarType::Short => format!("(i32)(short)({value})"),
        ScalarType::Int => value.to_owned(),
        ScalarType::Unsigned(bits) if bits >= 32 => value.to_owned(),
        ScalarType::Unsigned(bits) => format!("({value} & {})", (1i64 << bits) - 1),
    }
}

/// A channel as an expression names it.
pub(super) enum Channel {
    /// Always this queue.
    Fixed(usize),
    /// The queue with the number that this text computes.
    Computed(String),
}

impl Generator<'_> {
    /// The value of an expression as a process sees it.
    pub(super) fn expr(&self, e: &Expr, view: View) -> String {
        let own = |e: &Expr| self.expr(e, view);
        match e {
            Expr::Const(i32::MIN) => String::from("(-2147483647 - 1)"),
            Expr::Const(value) if *value < 0 => format!("({value})"),
            Expr::Const(value) => value.to_string(),
            Expr::Read(place) => {
                let (declared, address) = self.place(place, view);
                format!("get_{}(v, {address})", suffix(declared.storage))
            }
            Expr::Unary(UnaryOp::Not, e) => format!("(i32)({} == 0)", own(e)),
            Expr::Unary(UnaryOp::Negate, e) => format!("minus(0, {})", own(e)),
            Expr::Unary(UnaryOp::Complement, e) => format!("(~{})", own(e)),
            Expr::Binary(op, a, b) => binary(*op, &own(a), &own(b)),
            Expr::Conditional(c, a, b) => format!("({} != 0 ? {} : {})", own(c), own(a), own(b)),
            Expr::Channel(test, channel) => self.channel_test(*test, channel, view),
            Expr::Poll { channel, pattern, anywhere } => self.poll(channel, pattern, *anywhere, view),
            Expr::Timeout => String::from("c.timeout"),
            Expr::Pid => view.process.to_owned(),
            Expr::ProcessCount => String::from("processes(v)"),
            Expr::LastMover => match self.packing.anatomy.last_mover {
                Some(address) => format!("get_u8(v, {address})"),
                None => String::from("0"),
            },
            Expr::RunResult => String::from("c.run"),
            Expr::Enabled(_) | Expr::NonProgress => String::from("for_the_cpu(c)"),
            Expr::ProgramCounter(pid) => format!("place_of(v, {})", own(pid)),
            Expr::Priority(pid) => format!("(i32)((u32){} < (u32)processes(v))", own(pid)),
            Expr::At { machine, pid, location } => {
                let process = self.referred(*machine, pid.as_deref(), view);
                format!("is_at(v, {process}, {})", location.0)
            }
            Expr::Remote { machine, pid, variable, indices, .. } => {
                let place = self.packing.anatomy.locals[machine.index()][variable.index()];
                let lens = &self.network.machine(*machine).variables[variable.index()].dimensions;
                let element = self.element(indices, lens.iter().map(|d| d.len), view);
                let process = self.referred(*machine, pid.as_deref(), view);
                let offset = scaled(place.storage, &element);
                let base = if place.storage == Storage::Bit { "8 * BASE[o]" } else { "BASE[o]" };
                let get = format!("get_{}(v, {base} + {} + at)", suffix(place.storage), place.address);
                let known = format!("o >= 0 && MACHINE[o] == {}", machine.0);
                format!("[&]() -> i32 {{ int at = {offset}, o = {process}; return {known} ? {get} : 0; }}()")
            }
        }
    }

    /// The number of the process that a remote reference means, or less than zero.
    fn referred(&self, machine: MachineId, pid: Option<&Expr>, view: View) -> String {
        match pid {
            Some(pid) => format!("there_is(v, {})", self.expr(pid, view)),
            None => format!("first_of(v, {})", machine.0),
        }
    }

    /// The number of an element, each index checked.
    fn element(&self, indices: &[Expr], lens: impl Iterator<Item = u32>, view: View) -> String {
        let mut element = String::new();
        for (index, len) in indices.iter().zip(lens) {
            let index = match index.constant() {
                Some(value) if u32::try_from(value).is_ok_and(|value| value < len) => value.to_string(),
                _ => format!("checked(c, {}, {len})", self.expr(index, view)),
            };
            element = if element.is_empty() { index } else { format!("({element} * {len} + {index})") };
        }
        if element.is_empty() { String::from("0") } else { element }
    }

    /// What is declared at a place, and the address that the text computes.
    pub(super) fn place(&self, place: &Place, view: View) -> (ScalarPlace, String) {
        let variable = self.network.variable(place, view.machine);
        let anatomy = &self.packing.anatomy;
        let (declared, base) = match place.scope {
            Scope::Global => (anatomy.globals[place.variable.index()], ""),
            Scope::Local => (anatomy.locals[view.machine.index()][place.variable.index()], view.base),
        };
        let mut address = String::new();
        if !base.is_empty() {
            let _ = write!(address, "{}{base} + ", if declared.storage == Storage::Bit { "8 * " } else { "" });
        }
        let _ = write!(address, "{}", declared.address);
        if !place.indices.is_empty() {
            let element = self.element(&place.indices, variable.dimensions.iter().map(|d| d.len), view);
            let _ = write!(address, " + {}", scaled(declared.storage, &element));
        }
        (declared, address)
    }

    /// Stores a value at a place.
    pub(super) fn assign(&self, place: &Place, value: &str, view: View) -> String {
        let (declared, address) = self.place(place, view);
        let value = match declared.ty {
            ScalarType::Unsigned(_) => truncated(declared.ty, value),
            _ => value.to_owned(),
        };
        let checked = if place.indices.is_empty() { "" } else { "      if (c.bad) return FLAG;\n" };
        format!("      {{ int at = {address};\n{checked}      set_{}(v, at, {value}); }}\n", suffix(declared.storage))
    }

    /// The channel that an expression names.
    pub(super) fn channel(&self, e: &Expr, view: View) -> Channel {
        if let Expr::Read(place) = e
            && place.scope == Scope::Global
            && self.fixed.contains(&place.variable.index())
            && matches!(self.network.variables[place.variable.index()].initial, Initial::NewChannel(_))
        {
            let variable = &self.network.variables[place.variable.index()];
            let mut element = Some(0);
            for (index, dimension) in place.indices.iter().zip(&variable.dimensions) {
                let value = index.constant().and_then(|value| u32::try_from(value).ok());
                let value = value.filter(|value| *value < dimension.len);
                element = element.zip(value).map(|(element, value)| element * dimension.len + value);
            }
            let first = self.packing.anatomy.global_first_queues[place.variable.index()];
            if let Some(element) = element {
                return Channel::Fixed((first + element) as usize);
            }
        }
        Channel::Computed(format!("queue(c, v, {})", self.expr(e, view)))
    }

    fn channel_test(&self, test: ChannelTest, channel: &Expr, view: View) -> String {
        let number = match self.channel(channel, view) {
            Channel::Fixed(queue) => queue.to_string(),
            Channel::Computed(text) => text,
        };
        match test {
            ChannelTest::Len => format!("length(v, {number})"),
            ChannelTest::Full => format!("(i32)is_full(v, {number})"),
            ChannelTest::Empty => format!("(i32)(length(v, {number}) == 0)"),
            ChannelTest::NotFull => format!("(i32)!is_full(v, {number})"),
            ChannelTest::NotEmpty => format!("(i32)(length(v, {number}) > 0)"),
        }
    }

    fn poll(&self, channel: &Expr, pattern: &[Pattern], anywhere: bool, view: View) -> String {
        let cases = |queue: &str, kinds: Vec<usize>| {
            let mut text = String::new();
            for kind in kinds {
                let message = &self.packing.anatomy.messages[kind];
                let bad = message.capacity == 0 || pattern.len() > message.fields.len();
                let find = match bad {
                    true => String::from("for_the_cpu(c)"),
                    false => {
                        let (mask, values) = self.matches(pattern, message.fields.len(), view);
                        let find = format!("find_{kind}(v, {queue}, {anywhere}, {mask}{values}) >= 0");
                        format!("length(v, {queue}) > 0 && {find}")
                    }
                };
                let _ = write!(text, " case {kind}: return {find};");
            }
            text
        };
        match self.channel(channel, view) {
            Channel::Fixed(queue) => {
                let kind = self.packing.anatomy.queues[queue].channel_type.index();
                format!("[&]() -> i32 {{ switch ({kind}) {{{} }} return 0; }}()", cases(&queue.to_string(), vec![kind]))
            }
            Channel::Computed(text) => {
                let cases = cases("q", self.kinds());
                format!(
                    "[&]() -> i32 {{ int q = {text}; if (c.bad) return 0; switch (KIND[q]) {{{cases} }} return 0; }}()"
                )
            }
        }
    }

    /// Which fields a pattern compares, as bits, and with what: a list of arguments, one for each field.
    pub(super) fn matches(&self, pattern: &[Pattern], fields: usize, view: View) -> (u32, String) {
        let (mut mask, mut values) = (0, String::new());
        for field in 0..fields {
            match pattern.get(field) {
                Some(Pattern::Match(e)) => {
                    mask |= 1 << field;
                    let _ = write!(values, ", {}", self.expr(e, view));
                }
                _ => values += ", 0",
            }
        }
        (mask, values)
    }

    /// The channel types that queues have.
    pub(super) fn kinds(&self) -> Vec<usize> {
        let mut kinds: Vec<usize> = self.packing.anatomy.queues.iter().map(|q| q.channel_type.index()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}

/// The distance of an element from the first.
fn scaled(storage: Storage, element: &str) -> String {
    match storage.bytes() {
        0 | 1 => element.to_owned(),
        bytes => format!("{bytes} * {element}"),
    }
}

fn binary(op: BinaryOp, a: &str, b: &str) -> String {
    match op {
        BinaryOp::Add => format!("plus({a}, {b})"),
        BinaryOp::Sub => format!("minus({a}, {b})"),
        BinaryOp::Mul => format!("times({a}, {b})"),
        BinaryOp::Div => format!("quotient(c, {a}, {b})"),
        BinaryOp::Rem => format!("rest(c, {a}, {b})"),
        BinaryOp::ShiftLeft => format!("shift_left({a}, {b})"),
        BinaryOp::ShiftRight => format!("shift_right({a}, {b})"),
        BinaryOp::And => format!("(i32)({a} != 0 && {b} != 0)"),
        BinaryOp::Or => format!("(i32)({a} != 0 || {b} != 0)"),
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => format!("({a} {} {b})", op.symbol()),
        _ => format!("(i32)({a} {} {b})", op.symbol()),
    }
}

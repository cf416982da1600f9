//! Expressions: each a text without side effects but for `c.bad`, evaluated where and only where the semantics evaluates it.

use super::actions::check;
use super::queues::{on, stored};
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

/// Where a variable is.
enum At {
    /// Here.
    Known(Spot),
    /// In the field at this address.
    Address(String),
    /// An element of an array: the words that it may be in, the bit of the first one, which, and the bits of each.
    Element { words: String, first: String, element: String, width: u32 },
}

/// Where a value is, if that is known.
enum Spot {
    /// Nowhere: it is the same in all states.
    Constant(u32),
    /// So many bits from one on.
    Bits(usize, u32),
}

/// A channel as an expression names it.
pub(super) enum Channel {
    /// Always this queue.
    Fixed(usize),
    /// The queue with the number that this text computes, and its type where that is known.
    Computed(String, Option<usize>),
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
                let (declared, at) = self.place(place, view);
                let sign = if declared.storage == Storage::I16 { "(i32)(short)" } else { "(i32)" };
                match at {
                    At::Known(Spot::Constant(value)) => format!("{sign}{value}u"),
                    At::Known(Spot::Bits(at, width)) => format!("{sign}get<{at}, {width}>(v)"),
                    At::Address(address) => format!("get_{}(v, {address})", suffix(declared.storage)),
                    At::Element { words, first, element, width } => {
                        format!("{sign}get<{words}>(v, {first} + {width} * {element}, {width})")
                    }
                }
            }
            Expr::Unary(UnaryOp::Not, e) => format!("(i32)({} == 0)", own(e)),
            Expr::Unary(UnaryOp::Negate, e) => format!("minus(0, {})", own(e)),
            Expr::Unary(UnaryOp::Complement, e) => format!("(~{})", own(e)),
            Expr::Binary(op, a, b) => binary(*op, &own(a), &own(b)),
            Expr::Conditional(c, a, b) => format!("({} != 0 ? {} : {})", own(c), own(a), own(b)),
            Expr::Channel(test, channel) => self.channel_test(*test, channel, view),
            Expr::Poll { channel, pattern, anywhere } => self.poll(channel, pattern, *anywhere, view),
            Expr::Timeout => String::from("c.timeout"),
            Expr::Pid => self.process(view),
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

    /// The number of a process.
    pub(super) fn process(&self, view: View) -> String {
        view.slot.map_or_else(|| view.process.to_owned(), |slot| slot.to_string())
    }

    /// The value of an expression that has the same one in all states.
    fn known(&self, e: &Expr, view: View) -> Option<i32> {
        match e {
            Expr::Const(value) => Some(*value),
            Expr::Pid => view.slot.map(|slot| slot as i32),
            Expr::Read(place) => match self.place(place, view) {
                (declared, At::Known(Spot::Constant(value))) if declared.storage != Storage::I16 => Some(value as i32),
                _ => None,
            },
            Expr::Binary(BinaryOp::Add, a, b) => Some(self.known(a, view)?.wrapping_add(self.known(b, view)?)),
            Expr::Binary(BinaryOp::Sub, a, b) => Some(self.known(a, view)?.wrapping_sub(self.known(b, view)?)),
            _ => None,
        }
    }

    /// The number of an element whose indices are known.
    fn known_element(&self, indices: &[Expr], lens: impl Iterator<Item = u32>, view: View) -> Option<u32> {
        indices.iter().zip(lens).try_fold(0, |element, (index, len)| {
            let index = u32::try_from(self.known(index, view)?).ok().filter(|index| *index < len)?;
            Some(element * len + index)
        })
    }

    /// An element of a scalar, in the block that starts at an address.
    fn spot(&self, place: &ScalarPlace, base: u32, element: u32) -> Option<Spot> {
        let (address, inner) = match place.storage {
            Storage::Bit => (base + (place.address + element) / 8, (place.address + element) % 8),
            other => (base + place.address + element * other.bytes() as u32, 0),
        };
        let field = self.fields.get(&(address as usize))?;
        Some(match field.constant {
            Some(value) => Spot::Constant(value),
            None if place.storage == Storage::Bit => Spot::Bits(field.at + inner as usize, 1),
            None => Spot::Bits(field.at, field.bits),
        })
    }

    /// What is declared at a place, and where it is.
    fn place(&self, place: &Place, view: View) -> (ScalarPlace, At) {
        let variable = self.network.variable(place, view.machine);
        let anatomy = &self.packing.anatomy;
        let (declared, base, start) = match place.scope {
            Scope::Global => (anatomy.globals[place.variable.index()], "", Some(0)),
            Scope::Local => {
                let start = view.slot.map(|slot| anatomy.processes[slot].base);
                (anatomy.locals[view.machine.index()][place.variable.index()], view.base, start)
            }
        };
        let lens = || variable.dimensions.iter().map(|d| d.len);
        let element = self.known_element(&place.indices, lens(), view);
        if let Some(spot) = start.zip(element).and_then(|(start, element)| self.spot(&declared, start, element)) {
            return (declared, At::Known(spot));
        }
        let mut address = String::new();
        match start {
            Some(start) => {
                let _ = write!(address, "{} + ", if declared.storage == Storage::Bit { 8 * start } else { start });
            }
            None => {
                let _ = write!(address, "{}{base} + ", if declared.storage == Storage::Bit { "8 * " } else { "" });
            }
        }
        let _ = write!(address, "{}", declared.address);
        if !place.indices.is_empty() {
            let element = self.element(&place.indices, lens(), view);
            let machine = (place.scope == Scope::Local).then_some(view.machine);
            if let Some(width) = self.regular(&declared, machine) {
                let words = String::from("0, WORDS - 1");
                let (words, first) = match start.and_then(|start| self.spot(&declared, start, 0)) {
                    Some(Spot::Bits(at, _)) => {
                        let last = at + (declared.len * width) as usize - 1;
                        (format!("{}, {}", at / 32, last / 32), at.to_string())
                    }
                    _ if declared.storage == Storage::Bit => {
                        (words, format!("BIT[({address}) >> 3] + (({address}) & 7)"))
                    }
                    _ => (words, format!("BIT[{address}]")),
                };
                return (declared, At::Element { words, first, element, width });
            }
            let _ = write!(address, " + {}", scaled(declared.storage, &element));
        }
        (declared, At::Address(address))
    }

    /// The bits of each element of an array whose elements stand one after the other, in every process that has it.
    fn regular(&self, array: &ScalarPlace, machine: Option<MachineId>) -> Option<u32> {
        let processes = &self.packing.anatomy.processes;
        let bases: Vec<u32> = match machine {
            None => vec![0],
            Some(machine) => processes.iter().filter(|p| p.machine == machine).map(|p| p.base).collect(),
        };
        let bit = |base: u32, element: u32| match self.spot(array, base, element)? {
            Spot::Bits(at, width) => Some((at, width)),
            Spot::Constant(_) => None,
        };
        let width = bit(*bases.first()?, 0)?.1;
        let regular = bases.iter().all(|&base| {
            let first = bit(base, 0);
            (0..array.len).all(|element| {
                first.is_some_and(|(at, _)| bit(base, element) == Some((at + (element * width) as usize, width)))
            })
        });
        regular.then_some(width)
    }

    /// Stores a value at a place.
    pub(super) fn assign(&self, place: &Place, value: &str, view: View) -> String {
        let (declared, at) = self.place(place, view);
        let value = match declared.ty {
            ScalarType::Unsigned(_) => truncated(declared.ty, value),
            _ => value.to_owned(),
        };
        let bits = stored(declared.storage, &value);
        let (at, set) = match at {
            At::Known(Spot::Constant(constant)) => return format!("      v.bad |= {bits} != {constant}u;\n"),
            At::Known(Spot::Bits(at, width)) => return format!("      put<{at}, {width}>(v, {bits});\n"),
            At::Address(address) => (address, format!("set_{}(v, at, {value})", suffix(declared.storage))),
            At::Element { words, first, element, width } => {
                (element, format!("put<{words}>(v, {first} + {width} * at, {width}, {bits})"))
            }
        };
        format!("      {{ int at = {at};\n{}      {set}; }}\n", check(&at))
    }

    /// The channel that an expression names.
    pub(super) fn channel(&self, e: &Expr, view: View) -> Channel {
        let mut one_of = None;
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
            let kind = self.packing.anatomy.queues[first as usize].channel_type.index();
            let element = self.element(&place.indices, variable.dimensions.iter().map(|d| d.len), view);
            one_of = Some(Channel::Computed(format!("({first} + {element})"), Some(kind)));
        }
        let always = |queue: &usize| *queue < self.packing.anatomy.global_queues || !self.come_and_go();
        let known = self.known(e, view).and_then(|reference| usize::try_from(reference).ok()?.checked_sub(1));
        match known.filter(|queue| always(queue) && *queue < self.packing.anatomy.queues.len()) {
            Some(queue) => Channel::Fixed(queue),
            None => one_of.unwrap_or_else(|| Channel::Computed(format!("queue(c, v, {})", self.expr(e, view)), None)),
        }
    }

    fn channel_test(&self, test: ChannelTest, channel: &Expr, view: View) -> String {
        let number = match self.channel(channel, view) {
            Channel::Fixed(queue) => queue.to_string(),
            Channel::Computed(text, _) => text,
        };
        match test {
            ChannelTest::Len => self.length(&number),
            ChannelTest::Full => format!("(i32){}", self.is_full(&number)),
            ChannelTest::Empty => format!("(i32)({} == 0)", self.length(&number)),
            ChannelTest::NotFull => format!("(i32)!{}", self.is_full(&number)),
            ChannelTest::NotEmpty => format!("(i32)({} > 0)", self.length(&number)),
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
                        let find = if anywhere { "find" } else { "first" };
                        let find = format!("{}, {mask}{values}) >= 0", on(find, kind, queue));
                        format!("{} > 0 && {find}", self.length(queue))
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
            Channel::Computed(text, kind) => {
                let cases = cases("q", kind.map_or_else(|| self.kinds(), |kind| vec![kind]));
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

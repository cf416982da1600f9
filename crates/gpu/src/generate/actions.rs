//! Actions: whether one can be executed, and what it does. A test declares what the performance needs, in the same block.

use super::expressions::{Channel, truncated};
use super::queues::on;
use super::{Generator, View, line, suffix};
use model::expr::{Expr, Pattern, Place};
use model::ids::MachineId;
use model::network::{Action, Deterministic, Initial, ReceiveMode};
use model::semantics::{Reading, Storage};
use std::fmt::Write;

/// Statements of a deterministic step; beyond, it is the CPU that finds out whether the step ends.
const LONGEST_STEP: usize = 1000;

const CHECK: &str = "      if (c.bad) return FLAG;\n";

/// What follows a text: it may have found something for the CPU.
pub(super) fn check(text: &str) -> &'static str {
    if text.contains("(c,") || text.contains("(c)") { CHECK } else { "" }
}

/// Where an action stands.
#[derive(Clone, Copy, PartialEq)]
enum At {
    /// It is an edge.
    Edge,
    /// It is the guard of a deterministic step, or a choice in it.
    Step,
}

/// The text of an action.
struct Code {
    /// Declares what is needed and sets `ok`; nothing where it can always be executed.
    test: String,
    perform: String,
}

impl Code {
    fn always(perform: String) -> Code {
        Code { test: String::new(), perform }
    }

    /// Test and performance; `otherwise` where it cannot be executed.
    fn or(self, otherwise: &str) -> String {
        match self.test.is_empty() {
            true => self.perform,
            false => format!("{}{}      if (!ok) {otherwise};\n{}", self.test, check(&self.test), self.perform),
        }
    }
}

impl Generator<'_> {
    /// An edge: takes it, or returns.
    pub(super) fn edge(&mut self, action: &Action, view: View) -> String {
        match action {
            Action::Else => String::from("      if (moved) return NO;\n"),
            Action::Deterministic(step) => self.deterministic(step, view),
            action => self.code(action, view, At::Edge).or("return NO"),
        }
    }

    fn code(&mut self, action: &Action, view: View, at: At) -> Code {
        match action {
            Action::Skip | Action::Print { .. } | Action::Else => Code::always(String::new()),
            Action::Condition(Expr::Const(value)) if *value != 0 => Code::always(String::new()),
            Action::Condition(e) => {
                Code { test: format!("      bool ok = {} != 0;\n", self.expr(e, view)), perform: String::new() }
            }
            Action::Observe { .. } => Code { test: String::from("      bool ok = false;\n"), perform: String::new() },
            Action::Assign(place, e) => {
                let value = self.expr(e, view);
                let assign = self.assign(place, "x", view);
                Code::always(format!("      {{ i32 x = {value};\n{}{assign}      }}\n", check(&value)))
            }
            Action::Assert(e) => {
                Code::always(format!("      if ({} == 0 || c.bad) return FLAG;\n", self.expr(e, view)))
            }
            Action::Send { channel, message, sorted } => self.send(channel, message, *sorted, view, at),
            Action::Receive { channel, pattern, mode } => self.receive(channel, pattern, *mode, view),
            Action::Run { machine, arguments, then, .. } => {
                Code::always(self.run(*machine, arguments, then.as_ref(), view))
            }
            Action::SetPriority(..) | Action::Deterministic(_) => Code::always(String::from("      return FLAG;\n")),
            Action::End => self.end(view),
        }
    }

    /// The cases of a channel: of one type if it is known, else of every type that a queue has.
    fn cases(&mut self, channel: &Channel, case: &mut dyn FnMut(&mut Self, usize, &str) -> String) -> String {
        match channel {
            Channel::Fixed(queue) => {
                let kind = self.packing.anatomy.queues[*queue].channel_type.index();
                case(self, kind, &queue.to_string())
            }
            Channel::Computed(_, Some(kind)) => case(self, *kind, "q"),
            Channel::Computed(_, None) => {
                // Types with the same code are one case.
                let mut codes: Vec<(String, Vec<usize>)> = Vec::new();
                for kind in self.kinds() {
                    let code = case(self, kind, "q");
                    match codes.iter_mut().find(|(other, _)| *other == code) {
                        Some((_, kinds)) => kinds.push(kind),
                        None => codes.push((code, vec![kind])),
                    }
                }
                if let [(code, _)] = codes.as_slice() {
                    return code.clone();
                }
                let mut text = String::from("      switch (KIND[q]) {\n");
                for (code, kinds) in codes {
                    let cases: String = kinds.iter().map(|kind| format!("case {kind}: ")).collect();
                    line!(text, "      {cases}{{\n{code}      break; }}");
                }
                text + "      }\n"
            }
        }
    }

    fn declared(channel: &Channel) -> String {
        match channel {
            Channel::Fixed(_) => String::new(),
            Channel::Computed(text, _) => format!("      int q = {text};\n{CHECK}"),
        }
    }

    fn send(&mut self, channel: &Expr, message: &[Expr], sorted: bool, view: View, at: At) -> Code {
        let channel = self.channel(channel, view);
        let values: Vec<String> = message.iter().map(|e| self.expr(e, view)).collect();
        let mut test = Self::declared(&channel) + "      bool ok = true;\n";
        let declared = self.reading == Reading::Declared;
        test += &self.cases(&channel, &mut |own, kind, queue| {
            let message = &own.packing.anatomy.messages[kind];
            if message.capacity > 0 {
                return if declared { format!("      ok = !{};\n", own.is_full(queue)) } else { String::new() };
            }
            if at == At::Step || message.fields.len() != values.len() {
                return String::from("      return FLAG;\n");
            }
            // A message that is handed over knows of no timeout.
            let mut text = format!(
                "      int again = c.timeout; c.timeout = 0; c.queue = {queue}; c.fields = {};\n",
                values.len()
            );
            for (index, (value, &(_, _, ty))) in values.iter().zip(&message.fields).enumerate() {
                line!(text, "      c.message[{index}] = {};", truncated(ty, value));
            }
            text + "      c.timeout = again;\n" + CHECK + "      return MEETS;\n"
        });
        let perform = self.cases(&channel, &mut |own, kind, queue| {
            let message = &own.packing.anatomy.messages[kind];
            if message.capacity == 0 || message.fields.len() != values.len() {
                return String::from("      return FLAG;\n");
            }
            let mut text = String::from("      {\n");
            for (index, value) in values.iter().enumerate() {
                line!(text, "      i32 m{index} = {value};");
            }
            let list: String = (0..values.len()).map(|index| format!(", m{index}")).collect();
            let put = match sorted {
                true => format!("{}, {}{list}){list})", on("insert", kind, queue), on("sorted", kind, queue)),
                false => format!("{}, {}{list})", on("write", kind, queue), own.length(queue)),
            };
            if own.packing.open[kind] {
                line!(text, "      if ({} >= {}) return FLAG;", own.length(queue), message.capacity);
            }
            let room = if declared { String::new() } else { format!("if (!{}) ", own.is_full(queue)) };
            line!(text, "{}      {room}{put};\n      }}", check(&values.concat()));
            text
        });
        Code { test, perform }
    }

    fn receive(&mut self, channel: &Expr, pattern: &[Pattern], mode: ReceiveMode, view: View) -> Code {
        let channel = self.channel(channel, view);
        let mut test = Self::declared(&channel) + "      bool ok = false;\n      int position = 0;\n";
        test += &self.cases(&channel, &mut |own, kind, queue| {
            let message = &own.packing.anatomy.messages[kind];
            if message.capacity == 0 {
                return String::from(if mode.keep { "      return FLAG;\n" } else { "" });
            }
            if message.fields.len() != pattern.len() {
                return format!("      if ({} > 0) return FLAG;\n", own.length(queue));
            }
            let (mask, values) = own.matches(pattern, pattern.len(), view);
            let mut text = format!("      if ({} > 0) {{\n", own.length(queue));
            let find = on(if mode.anywhere { "find" } else { "first" }, kind, queue);
            let find = format!("{find}, {mask}{values})");
            line!(text, "        position = {find};\n        ok = position >= 0;\n      }}");
            text
        });
        let perform = self.cases(&channel, &mut |own, kind, queue| {
            let message = &own.packing.anatomy.messages[kind];
            if message.capacity == 0 || message.fields.len() != pattern.len() {
                return String::from("      return FLAG;\n");
            }
            let mut text = String::from("      {\n");
            for (index, pattern) in pattern.iter().enumerate() {
                if matches!(pattern, Pattern::Bind(_)) {
                    let field = match mode.anywhere {
                        true => format!("{}, position)", on(&format!("field{index}"), kind, queue)),
                        false => format!("{})", on(&format!("head{index}"), kind, queue)),
                    };
                    line!(text, "      i32 m{index} = {field};");
                }
            }
            if !mode.keep {
                let position = if mode.anywhere { "position" } else { "0" };
                line!(text, "      {}, {position});", on("drop", kind, queue));
            }
            text += &own.bind(pattern, view, &|index| format!("m{index}"));
            text + "      }\n"
        });
        Code { test, perform }
    }

    /// Stores fields one after the other, so that a later place may depend on an earlier field.
    fn bind(&self, pattern: &[Pattern], view: View, value: &dyn Fn(usize) -> String) -> String {
        let places = pattern.iter().enumerate().filter_map(|(index, pattern)| match pattern {
            Pattern::Bind(place) => Some((index, place)),
            _ => None,
        });
        places.map(|(index, place)| self.assign(place, &value(index), view)).collect()
    }

    /// A message that is handed over; `None` for an action that takes none.
    pub(super) fn acceptance(&mut self, action: &Action, view: View) -> Option<String> {
        match action {
            Action::Receive { channel, pattern, mode } if !mode.keep => {
                // The channel is looked at again once the sender has moved.
                let moves = |e: &Expr| matches!(e, Expr::At { .. } | Expr::ProgramCounter(_));
                let mut text = self.meets_on(channel, view);
                if channel.any(&moves) {
                    text += "      return FLAG;\n";
                }
                line!(text, "      if (c.fields != {}) return FLAG;", pattern.len());
                for (index, field) in pattern.iter().enumerate() {
                    if let Pattern::Match(e) = field {
                        let value = self.expr(e, view);
                        line!(
                            text,
                            "      {{ bool ok = {value} == c.message[{index}];\n{CHECK}      if (!ok) return NO; }}"
                        );
                    }
                }
                text += "      set_location(v, sender, leads);\n";
                text += &self.bind(pattern, view, &|index| format!("c.message[{index}]"));
                Some(text)
            }
            // What is handed over into a deterministic step is for the CPU, if it may be.
            Action::Deterministic(step) => {
                let mut text = String::new();
                for guard in &step.guard {
                    if let Action::Receive { channel, mode, .. } = guard
                        && !mode.keep
                    {
                        let same = self.same_queue(channel, view);
                        line!(text, "      if ({same}) return FLAG;\n      c.bad = 0;");
                    }
                }
                (!text.is_empty()).then(|| text + "      return NO;\n")
            }
            _ => None,
        }
    }

    /// Whether a channel is the one on which a message is handed over; it is not if it cannot be computed.
    fn same_queue(&self, channel: &Expr, view: View) -> String {
        match self.channel(channel, view) {
            Channel::Fixed(queue) => format!("{queue} == c.queue"),
            Channel::Computed(text, _) => format!("{text} == c.queue && !c.bad"),
        }
    }

    fn meets_on(&self, channel: &Expr, view: View) -> String {
        let same = self.same_queue(channel, view);
        format!("      {{ bool ok = {same};\n      c.bad = 0;\n      if (!ok) return NO; }}\n")
    }

    /// The process that has reached its end vanishes, with its queues.
    fn end(&mut self, view: View) -> Code {
        let process = self.process(view);
        let test = format!("      bool ok = {process} + 1 == processes(v);\n");
        let mut perform = String::new();
        for (index, name) in ["BLOCK", "MESSAGES"].into_iter().enumerate() {
            match view.slot.map(|slot| self.ranges(index == 1)[slot]) {
                Some((from, to)) if from == to => {}
                Some((from, to)) => {
                    line!(perform, "      clear<{}, {}>(v, {from}, {to});", from / 32, (to - 1) / 32);
                }
                None => {
                    line!(perform, "      clear<0, WORDS - 1>(v, {name}_FROM[{process}], {name}_TO[{process}]);");
                }
            }
        }
        line!(perform, "      {};", self.write(0, &process));
        Code { test, perform }
    }

    /// A process is created, if there is a slot for it.
    fn run(&mut self, machine: MachineId, arguments: &[Expr], then: Option<&(Place, Expr)>, view: View) -> String {
        let (created, anatomy) = (self.network.machine(machine), &self.packing.anatomy);
        let slots = anatomy.processes.len();
        let mut text = format!(
            "      int np = processes(v);\n      if (np >= {slots} || MACHINE[np] != {}) return FLAG;\n",
            machine.0
        );
        for (index, argument) in arguments.iter().enumerate() {
            let argument = self.expr(argument, view);
            line!(text, "      i32 a{index} = {argument};");
        }
        line!(text, "{CHECK}      int nb = BASE[np];\n      {};", self.write(0, "np + 1"));
        line!(text, "      set_location(v, np, {});", created.initial.0);
        let set = |variable: usize, element: usize, value: &str| {
            let place = anatomy.locals[machine.index()][variable];
            let address = place.address as usize + element * place.storage.bytes().max(1);
            let base = if place.storage == Storage::Bit { "8 * nb" } else { "nb" };
            format!("      set_{}(v, {base} + {address}, {});\n", suffix(place.storage), truncated(place.ty, value))
        };
        for index in 0..arguments.len().min(created.variables.len()) {
            text += &set(index, 0, &format!("a{index}"));
        }
        text += "      int again = c.timeout; c.timeout = 0;\n";
        let new = View { machine, slot: None, base: "nb", process: "np" };
        for (index, variable) in created.variables.iter().enumerate().skip(created.parameters) {
            for element in 0..variable.len() {
                let value = match &variable.initial {
                    Initial::Zero => break,
                    Initial::Value(e) => self.expr(e, new),
                    Initial::List(values) => values.get(element).or(values.last()).copied().unwrap_or(0).to_string(),
                    Initial::NewChannel(_) => {
                        let first = anatomy.first_queues[machine.index()][index] as usize;
                        format!("(QUEUES[np] + {})", first + element + 1)
                    }
                };
                text += &set(index, element, &value);
            }
        }
        text += "      c.timeout = again;\n";
        text += CHECK;
        if let Some((place, e)) = then {
            let value = self.expr(e, view);
            let assign = self.assign(place, "x", view);
            line!(text, "      c.run = np;\n      {{ i32 x = {value};\n      c.run = 0;\n{CHECK}{assign}      }}");
        }
        text
    }

    /// Several statements as one step: the first that can be executed at each node.
    fn deterministic(&mut self, step: &Deterministic, view: View) -> String {
        let mut text = self.guard(step, view);
        let chain = step.nodes.iter().enumerate().all(|(index, node)| match node.as_slice() {
            [choice] => choice.next.is_none_or(|next| next as usize == index + 1),
            _ => false,
        });
        if chain {
            for node in &step.nodes {
                let code = self.code(&node[0].action, view, At::Step).or("return FLAG");
                line!(text, "      {{\n{code}      }}");
                if node[0].next.is_none() {
                    break;
                }
            }
            return text;
        }
        let node = self.name("node");
        let (done, count) = (self.name("done"), self.name("count"));
        line!(text, "      {{ int {node} = 0, {count} = 0;\n      while (true) {{");
        line!(text, "      if (++{count} > {LONGEST_STEP}) return FLAG;\n      switch ({node}) {{");
        for (index, choices) in step.nodes.iter().enumerate() {
            line!(text, "      case {index}: {{");
            for choice in choices {
                let Code { test, perform } = self.code(&choice.action, view, At::Step);
                let next = match choice.next {
                    Some(next) => format!("      {node} = {next}; continue;\n"),
                    None => format!("      goto {done};\n"),
                };
                match test.is_empty() {
                    true => {
                        line!(text, "      {{\n{perform}{next}      }}");
                    }
                    false => {
                        let check = check(&test);
                        line!(text, "      {{\n{test}{check}      if (ok) {{\n{perform}{next}      }}\n      }}");
                    }
                }
            }
            line!(text, "      return FLAG; }}");
        }
        line!(text, "      default: goto {done};\n      }}\n      }}\n      {done}:; }}");
        text
    }

    /// Whether a deterministic step can be taken: one of its guards can be executed.
    fn guard(&mut self, step: &Deterministic, view: View) -> String {
        match step.guard.as_slice() {
            [] => String::new(),
            [Action::Else] => String::from("      if (moved) return NO;\n"),
            guards => {
                let mut text = String::from("      bool go = false;\n");
                for guard in guards {
                    let test = self.code(guard, view, At::Step).test;
                    match test.is_empty() {
                        true => text += "      go = true;\n",
                        false => {
                            line!(text, "      if (!go) {{\n{test}{}      go = ok;\n      }}", check(&test));
                        }
                    }
                }
                text + "      if (!go) return NO;\n"
            }
        }
    }
}

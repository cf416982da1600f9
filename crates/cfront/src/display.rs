//! Terms, instructions and components as text, for people and for tests.

use crate::program::{Cause, Component, Edge, Instruction, LocationId, VariableId};
use crate::term::{Operation, Scalar, Term, TermId};
use std::fmt::Write;

/// Deeper parts of a term are shown as dots.
const DEPTH: usize = 60;

/// A term as an expression, in the manner of C.
pub fn term(component: &Component, id: TermId) -> String {
    let mut text = String::new();
    write_term(component, id, DEPTH, &mut text);
    text
}

fn write_term(component: &Component, id: TermId, depth: usize, text: &mut String) {
    let terms = &component.terms;
    if depth == 0 {
        text.push('…');
        return;
    }
    let mut below = |prefix: &str, inner: TermId| {
        text.push_str(prefix);
        write_term(component, inner, depth - 1, text);
    };
    let scalar = terms.scalar(id);
    match terms.get(id) {
        Term::Constant(bits) => {
            let _ = write!(text, "{}", scalar.value(bits));
        }
        Term::Variable(variable) => text.push_str(&name(component, variable)),
        Term::Not(a) if scalar.width == 1 => match terms.get(a) {
            Term::Binary(Operation::Equal, x, y) => write_binary(component, (x, "!=", y), depth, text),
            Term::Binary(Operation::Less, x, y) => {
                write_binary(component, (x, sign(terms.scalar(x), ">="), y), depth, text)
            }
            Term::Binary(Operation::LessEqual, x, y) => {
                write_binary(component, (x, sign(terms.scalar(x), ">"), y), depth, text);
            }
            _ => below("!", a),
        },
        Term::Not(a) => below("~", a),
        Term::Negate(a) => below("-", a),
        Term::Convert(a) => below(&format!("({})", scalar_name(scalar)), a),
        Term::Binary(operation, a, b) => {
            write_binary(component, (a, symbol(operation, terms.scalar(a)), b), depth, text);
        }
        Term::Select(condition, a, b) => {
            below("(", condition);
            below(" ? ", a);
            below(" : ", b);
            text.push(')');
        }
        Term::Memory(memory) => {
            let _ = write!(text, "{memory:?}");
        }
    }
}

fn write_binary(component: &Component, (a, symbol, b): (TermId, &str, TermId), depth: usize, text: &mut String) {
    text.push('(');
    write_term(component, a, depth - 1, text);
    let _ = write!(text, " {symbol} ");
    write_term(component, b, depth - 1, text);
    text.push(')');
}

/// The name of a variable: qualified only if another procedure has one of the same name.
pub fn name(component: &Component, variable: VariableId) -> String {
    let found = component.variable(variable);
    if found.procedure.as_deref().is_none_or(|procedure| procedure == component.name) {
        found.name.clone()
    } else {
        found.qualified()
    }
}

/// `i32`, `u8`, `bit`.
pub fn scalar_name(scalar: Scalar) -> String {
    match scalar {
        Scalar::BOOL => String::from("bit"),
        Scalar { width, signed: true } => format!("i{width}"),
        Scalar { width, signed: false } => format!("u{width}"),
    }
}

fn sign(scalar: Scalar, symbol: &'static str) -> &'static str {
    match (scalar.signed, symbol) {
        (true, symbol) => symbol,
        (false, "<") => "<u",
        (false, "<=") => "<=u",
        (false, ">") => ">u",
        (false, ">=") => ">=u",
        (false, other) => other,
    }
}

fn symbol(operation: Operation, scalar: Scalar) -> &'static str {
    let bit = scalar.width == 1;
    match operation {
        Operation::Add => "+",
        Operation::Subtract => "-",
        Operation::Multiply => "*",
        Operation::Divide if scalar.signed => "/",
        Operation::Divide => "/u",
        Operation::Remainder if scalar.signed => "%",
        Operation::Remainder => "%u",
        Operation::And if bit => "&&",
        Operation::Or if bit => "||",
        Operation::And => "&",
        Operation::Or => "|",
        Operation::Xor => "^",
        Operation::ShiftLeft => "<<",
        Operation::ShiftRight if scalar.signed => ">>",
        Operation::ShiftRight => ">>u",
        Operation::Equal => "==",
        Operation::Less => sign(scalar, "<"),
        Operation::LessEqual => sign(scalar, "<="),
    }
}

/// What an edge does, in one line.
pub fn instruction(component: &Component, instruction: &Instruction) -> String {
    let list = |variables: &[VariableId]| {
        variables.iter().map(|&variable| name(component, variable)).collect::<Vec<_>>().join(", ")
    };
    match instruction {
        Instruction::Nop => String::from("nothing"),
        Instruction::Assign(assignments) => {
            let each = assignments.iter();
            let each =
                each.map(|&(variable, value)| format!("{} := {}", name(component, variable), term(component, value)));
            each.collect::<Vec<_>>().join("; ")
        }
        Instruction::Assume(condition) => format!("[{}]", term(component, *condition)),
        Instruction::Havoc(variables, cause) => match cause {
            Cause::Nondet(routine) => format!("{} := {routine}()", list(variables)),
            Cause::Shared(variable) => format!("{} := {}", list(variables), name(component, *variable)),
            _ => format!("{} := any", list(variables)),
        },
        Instruction::Call { routine, arguments, result, writes, .. } => {
            let arguments = arguments.iter().map(|&argument| term(component, argument)).collect::<Vec<_>>().join(", ");
            let result = result.map_or(String::new(), |result| format!("{} := ", name(component, result)));
            let writes = if writes.is_empty() { String::new() } else { format!(" writes {}", list(writes)) };
            format!("{result}call {routine}({arguments}){writes}")
        }
        Instruction::Return(value) => match value {
            Some(value) => format!("return {}", term(component, *value)),
            None => String::from("return"),
        },
        Instruction::Stop(Some(status)) => format!("exit {}", term(component, *status)),
        Instruction::Stop(None) => String::from("abort"),
        Instruction::Error(kind) => format!("error: {kind}"),
    }
}

/// The whole graph, one edge a line.
pub fn component(component: &Component) -> String {
    let mut text = String::new();
    for (number, location) in component.locations.iter().enumerate() {
        for &edge in &location.leaving {
            let Edge { target, instruction: done, .. } = component.edge(edge);
            let LocationId(target) = target;
            let label = location.label.as_ref().map_or(String::new(), |label| format!(" {label}"));
            let head = if location.loop_head { "*" } else { "" };
            let _ = writeln!(text, "{number}{head}{label} -> {target}: {}", instruction(component, done));
        }
    }
    text
}

//! Statements, values and inputs of C in the words of its text: for the runs of programs and of components.

use cfront::Component;
use cfront::display;
use cfront::interpret::{Input, Machine, Purpose};
use cfront::program::{Cause, Edge, ErrorKind, Instruction, VariableId, VariableKind};
use cfront::term::{Operation, Scalar, Term, TermId};
use model::chart::{self, Change};
use model::source::SourceMap;

/// A longer statement is cut.
const LONGEST_STATEMENT: usize = 200;

/// The variables that an edge has changed, with the values that are not known to the reader yet.
pub fn changes(component: &Component, machine: &Machine<'_>, edge: &Edge, known: &mut [Option<u64>]) -> Vec<Change> {
    let touched: Vec<VariableId> = match &edge.instruction {
        Instruction::Assign(list) => list.iter().map(|&(variable, _)| variable).collect(),
        Instruction::Havoc(variables, _) => variables.clone(),
        Instruction::Call { result, writes, .. } => writes.iter().copied().chain(*result).collect(),
        _ => Vec::new(),
    };
    let mut changes = Vec::new();
    for variable in touched {
        let bits = machine.bits(variable);
        let Some(known) = known.get_mut(variable.0 as usize) else { continue };
        if known.replace(bits) != Some(bits) && is_written(component, variable) {
            changes.push(Change { name: display::name(component, variable), value: value(component, variable, bits) });
        }
    }
    changes
}

/// Whether a step is of interest although it changes nothing.
pub fn is_shown(component: &Component, edge: &Edge) -> bool {
    match &edge.instruction {
        Instruction::Nop | Instruction::Assign(_) | Instruction::Havoc(..) => false,
        Instruction::Assume(_) => !is_fault_test(component, edge),
        Instruction::Call { .. } | Instruction::Return(_) | Instruction::Stop(_) | Instruction::Error(_) => true,
    }
}

/// Whether a condition only says that nothing is wrong.
fn is_fault_test(component: &Component, edge: &Edge) -> bool {
    let siblings = component.leaving(edge.source).map(|(_, sibling)| sibling.target);
    siblings.filter(|&target| target != edge.target).any(|target| {
        let mut next = component.leaving(target);
        next.any(|(_, edge)| matches!(&edge.instruction, Instruction::Error(kind) if !kind.is_stated()))
    })
}

/// The statement as it is written; a condition as it was found to be.
pub fn statement(component: &Component, sources: &SourceMap, edge: &Edge) -> String {
    let text = sources.text(edge.span);
    let text = match &edge.instruction {
        Instruction::Assume(condition) => format!("[{}]", bare(&display::term(component, *condition))),
        // At the closing brace, where nothing is written.
        Instruction::Return(_) if !text.trim_start().starts_with("return") => String::from("the procedure ends"),
        _ if text.trim().is_empty() => display::instruction(component, &edge.instruction),
        _ => text.split_whitespace().collect::<Vec<_>>().join(" "),
    };
    match text.char_indices().nth(LONGEST_STATEMENT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// What came from outside, as text.
pub fn remark(component: &Component, input: &Input) -> Option<String> {
    let Input { request, bits } = input;
    let value = value(component, request.variable, *bits);
    let name = display::name(component, request.variable);
    match &request.purpose {
        Purpose::Havoc(Cause::Nondet(routine)) | Purpose::Result(routine) => {
            Some(format!("`{routine}` returned {value}"))
        }
        Purpose::Written(routine) => Some(format!("`{routine}` left {value} in `{name}`")),
        Purpose::Havoc(Cause::Volatile) => Some(format!("the volatile `{name}` is {value}")),
        Purpose::Havoc(Cause::Shared(_)) => Some(format!("`{name}` is {value}")),
        Purpose::Havoc(Cause::Dead) => Some(format!("what `{name}` points to no longer exists")),
        // The change says it all.
        Purpose::Havoc(Cause::Uninitialised | Cause::Parameter | Cause::Elsewhere) => None,
    }
}

/// Why an assertion fails: the part of its condition that decides, with the values in it.
pub fn failed_assertion(component: &Component, machine: &Machine<'_>, edge: &Edge) -> Option<String> {
    let Instruction::Error(ErrorKind::Assertion) = edge.instruction else { return None };
    let mut tests = component.edges.iter().filter(|test| test.target == edge.source);
    let Some(&Edge { instruction: Instruction::Assume(condition), .. }) = tests.next() else { return None };
    let terms = &component.terms;
    let is_true = |term: TermId| terms.evaluate(term, &|variable| machine.bits(variable)) == 1;
    let (mut part, mut truth) = (condition, true);
    if tests.next().is_some() || !is_true(condition) {
        return None;
    }
    while terms.scalar(part) == Scalar::BOOL {
        (part, truth) = match terms.get(part) {
            Term::Not(inner) => (inner, !truth),
            Term::Binary(Operation::And, a, b) if !truth => (if is_true(a) { b } else { a }, false),
            Term::Binary(Operation::Or, a, b) if truth => (if is_true(a) { a } else { b }, true),
            _ => break,
        };
    }
    let written = terms.variables(part).into_iter().filter(|&variable| is_written(component, variable));
    let values = written.map(|variable| {
        format!("{} = {}", display::name(component, variable), value(component, variable, machine.bits(variable)))
    });
    let values = values.collect::<Vec<_>>().join(", ");
    (!values.is_empty()).then(|| format!("`{}` is {truth}: {values}", bare(&display::term(component, part))))
}

/// What came from outside, for documents.
pub fn input(component: &Component, Input { request, bits }: &Input) -> chart::Input {
    let (kind, routine) = match &request.purpose {
        Purpose::Havoc(Cause::Nondet(routine)) => ("nondet", Some(routine)),
        Purpose::Result(routine) => ("result", Some(routine)),
        Purpose::Written(routine) => ("written", Some(routine)),
        Purpose::Havoc(Cause::Uninitialised) => ("uninitialised", None),
        Purpose::Havoc(Cause::Parameter) => ("parameter", None),
        Purpose::Havoc(Cause::Elsewhere) => ("elsewhere", None),
        Purpose::Havoc(Cause::Dead) => ("dead", None),
        Purpose::Havoc(Cause::Volatile) => ("volatile", None),
        Purpose::Havoc(Cause::Shared(_)) => ("shared", None),
    };
    let variable = is_written(component, request.variable);
    chart::Input {
        kind,
        routine: routine.cloned(),
        variable: variable.then(|| display::name(component, request.variable)),
        value: value(component, request.variable, *bits),
        span: request.span,
    }
}

/// An expression without the parentheses around all of it.
fn bare(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return text };
    let mut open = 0_i32;
    for c in inner.chars() {
        open += i32::from(c == '(') - i32::from(c == ')');
        if open < 0 {
            return text;
        }
    }
    inner
}

/// Whether the author of the text knows a variable.
fn is_written(component: &Component, variable: VariableId) -> bool {
    !matches!(component.variable(variable).kind, VariableKind::Temporary | VariableKind::Literal)
}

/// A value as the author would write it: a number, or what a pointer points to.
fn value(component: &Component, variable: VariableId, bits: u64) -> String {
    let found = component.variable(variable);
    if !found.pointer {
        return found.scalar.value(u128::from(bits)).to_string();
    }
    if bits == 0 {
        return String::from("null");
    }
    let object =
        component.objects.iter().find(|object| (object.address..=object.address + object.size).contains(&bits));
    let Some(object) = object else { return format!("{bits:#x}, which is no address") };
    let offset = bits - object.address;
    let target = object.variables.iter().find(|&&part| component.variable(part).offset == offset);
    match target {
        Some(&part) => format!("&{}", display::name(component, part)),
        None if offset == 0 => format!("&{}", object.name),
        None => format!("&{} + {offset} bytes", object.name),
    }
}

#[cfg(test)]
mod tests {
    use super::bare;

    #[test]
    fn only_parentheses_around_all_of_it_are_taken_away() {
        assert_eq!(
            ["(a < b)", "(a) && (b)", "((a) && (b))", "!(a)", "x"].map(bare),
            ["a < b", "(a) && (b)", "(a) && (b)", "!(a)", "x"]
        );
    }
}

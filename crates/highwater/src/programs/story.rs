//! A run of a C program: executed once more, step by step, and told in the words of its text.
//!
//! The inputs of the run are all that is taken over. Where they lead is for the interpreter to say; a run that does not end
//! in an error that was asked for is none. What is told of it leaves out steps that show nothing: those that only move
//! intermediate values of the front end, and tests that nothing is wrong.

use super::code;
use c::Component;
use c::display;
use c::interpret::{Input, Machine, Outcome, Purpose, Request, Run};
use c::program::{Cause, Edge, ErrorKind, Instruction, VariableId, VariableKind};
use model::source::{SourceMap, Span};
use model::verdict::{Change, ProgramInput, ProgramRun, ProgramStep};
use std::collections::VecDeque;

/// Of a longer run so many steps at its beginning are told, and so many at its end.
const MOST_TOLD: usize = 10_000;
/// A longer statement is cut.
const LONGEST_STATEMENT: usize = 200;

/// The run in words, and itself, if it ends in an error that was asked for; how it ends, if not.
pub fn confirmed(
    component: &Component,
    sources: &SourceMap,
    asked: &dyn Fn(&ErrorKind) -> bool,
    found: &Run,
) -> Result<(ProgramRun, Run), Outcome> {
    let mut teller = Teller::new(component, sources);
    let run = teller.follow(found);
    match run.outcome {
        Outcome::Error(kind, span) if asked(&kind) => Ok((teller.told(&run, kind, span), run)),
        other => Err(other),
    }
}

struct Teller<'a> {
    component: &'a Component,
    sources: &'a SourceMap,
    /// The values that are known to the reader.
    known: Vec<Option<u64>>,
    first: Vec<ProgramStep>,
    last: VecDeque<ProgramStep>,
    left_out: u64,
}

impl<'a> Teller<'a> {
    fn new(component: &'a Component, sources: &'a SourceMap) -> Self {
        let known = vec![None; component.variables.len()];
        Teller { component, sources, known, first: Vec::new(), last: VecDeque::new(), left_out: 0 }
    }

    /// Executes the inputs of a run.
    fn follow(&mut self, found: &Run) -> Run {
        let mut machine = Machine::new(self.component);
        let mut run = Run { outcome: Outcome::StepLimit, edges: Vec::new(), inputs: Vec::new(), events: Vec::new() };
        let mut inputs = found.inputs.iter();
        let mut answer = |_: &Request| inputs.next().map_or(0, |input| input.bits);
        while run.edges.len() < found.edges.len() {
            let inputs_before = run.inputs.len();
            let end = machine.step(&mut answer, &mut run);
            if let Some(&edge) = run.edges.last().filter(|_| end != Some(Outcome::Blocked)) {
                self.tell(self.component.edge(edge), &machine, &run.inputs[inputs_before..]);
            }
            if let Some(outcome) = end {
                run.outcome = outcome;
                break;
            }
        }
        run
    }

    fn tell(&mut self, edge: &Edge, machine: &Machine<'_>, inputs: &[Input]) {
        let touched: Vec<VariableId> = match &edge.instruction {
            Instruction::Assign(list) => list.iter().map(|&(variable, _)| variable).collect(),
            Instruction::Havoc(variables, _) => variables.clone(),
            Instruction::Call { result, writes, .. } => writes.iter().copied().chain(*result).collect(),
            _ => Vec::new(),
        };
        let mut changes = Vec::new();
        for variable in touched {
            let bits = machine.bits(variable);
            let Some(known) = self.known.get_mut(variable.0 as usize) else { continue };
            if known.replace(bits) != Some(bits) && is_written(self.component, variable) {
                let name = display::name(self.component, variable);
                changes.push(Change { name, value: value(self.component, variable, bits) });
            }
        }
        let remarks: Vec<String> = inputs.iter().filter_map(|input| self.remark(input)).collect();
        if !changes.is_empty() || !remarks.is_empty() || self.is_shown(edge) {
            let procedure = self.component.location(edge.source).procedure.clone();
            self.push(ProgramStep { span: edge.span, procedure, statement: self.statement(edge), changes, remarks });
        }
    }

    /// Whether a step is of interest although it changes nothing.
    fn is_shown(&self, edge: &Edge) -> bool {
        match &edge.instruction {
            Instruction::Nop | Instruction::Assign(_) | Instruction::Havoc(..) => false,
            Instruction::Assume(_) => !self.is_fault_test(edge),
            Instruction::Call { .. } | Instruction::Return(_) | Instruction::Stop(_) | Instruction::Error(_) => true,
        }
    }

    /// Whether a condition only says that nothing is wrong.
    fn is_fault_test(&self, edge: &Edge) -> bool {
        let siblings = self.component.leaving(edge.source).map(|(_, sibling)| sibling.target);
        siblings.filter(|&target| target != edge.target).any(|target| {
            let mut next = self.component.leaving(target);
            next.any(|(_, edge)| matches!(&edge.instruction, Instruction::Error(kind) if !kind.is_stated()))
        })
    }

    /// The statement as it is written; a condition as it was found to be.
    fn statement(&self, edge: &Edge) -> String {
        let text = self.sources.text(edge.span);
        let text = match &edge.instruction {
            Instruction::Assume(condition) => format!("[{}]", bare(&display::term(self.component, *condition))),
            _ if text.trim().is_empty() => display::instruction(self.component, &edge.instruction),
            _ => text.split_whitespace().collect::<Vec<_>>().join(" "),
        };
        match text.char_indices().nth(LONGEST_STATEMENT) {
            Some((end, _)) => format!("{}...", &text[..end]),
            None => text,
        }
    }

    fn push(&mut self, step: ProgramStep) {
        if self.first.len() < MOST_TOLD {
            self.first.push(step);
            return;
        }
        self.last.push_back(step);
        if self.last.len() > MOST_TOLD {
            self.last.pop_front();
            self.left_out += 1;
        }
    }

    /// What came from outside, in words.
    fn remark(&self, input: &Input) -> Option<String> {
        let Input { request, bits } = input;
        let value = value(self.component, request.variable, *bits);
        let name = display::name(self.component, request.variable);
        match &request.purpose {
            Purpose::Havoc(Cause::Nondet(routine)) | Purpose::Result(routine) => {
                Some(format!("`{routine}` returned {value}"))
            }
            Purpose::Written(routine) => Some(format!("`{routine}` left {value} in `{name}`")),
            // The change says it all.
            Purpose::Havoc(Cause::Uninitialised | Cause::Parameter | Cause::Elsewhere) => None,
        }
    }

    fn input(&self, Input { request, bits }: &Input) -> ProgramInput {
        let (kind, routine) = match &request.purpose {
            Purpose::Havoc(Cause::Nondet(routine)) => ("nondet", Some(routine)),
            Purpose::Result(routine) => ("result", Some(routine)),
            Purpose::Written(routine) => ("written", Some(routine)),
            Purpose::Havoc(Cause::Uninitialised) => ("uninitialised", None),
            Purpose::Havoc(Cause::Parameter) => ("parameter", None),
            Purpose::Havoc(Cause::Elsewhere) => ("elsewhere", None),
        };
        let variable = is_written(self.component, request.variable);
        ProgramInput {
            kind,
            routine: routine.cloned(),
            variable: variable.then(|| display::name(self.component, request.variable)),
            value: value(self.component, request.variable, *bits),
            span: request.span,
        }
    }

    fn told(self, run: &Run, kind: ErrorKind, span: Span) -> ProgramRun {
        let inputs = run.inputs.iter().map(|input| self.input(input)).collect();
        let gap = (self.left_out > 0).then_some((self.first.len(), self.left_out));
        ProgramRun {
            steps: self.first.into_iter().chain(self.last).collect(),
            gap,
            inputs,
            problem: kind.to_string(),
            problem_code: code(kind),
            problem_span: span,
        }
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

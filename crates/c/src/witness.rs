//! A run as a C test: a file that a compiler takes and that does the same run.
//!
//! The text of the unit is kept as it is, but for two kinds of places: a variable that was not initialised gets the value
//! that it had in the run, and the call of an error routine, or the error label, that the run ends at stops the program
//! with a status of its own. Behind the text come definitions of the routines without a body, which return what they
//! returned in the run, one value for each call. They are defined under names of their own and bound to the routine by an
//! assembler label, so that they do not have to repeat its prototype.

use crate::interpret::{Outcome, Purpose, Run};
use crate::program::{Cause, Component, ErrorKind, Instruction};
use crate::{DataModel, Input};
use model::source::{FileId, Span};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The status with which a test ends at the violation that it shows.
pub const STATUS: i32 = 97;

/// A test, and what to expect of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    /// The C text.
    pub text: String,
    /// Whether the program ends with [`STATUS`]. Otherwise the fault is the machine's: it shows with a sanitizer.
    pub exits: bool,
    /// Parts of the run that the test cannot make happen.
    pub missing: Vec<String>,
}

/// Writes the test of a run that ends in an error. `data_model` is named in the text, for whoever compiles it.
pub fn test(input: &Input, component: &Component, run: &Run, data_model: DataModel) -> Test {
    let mut writer = Writer::default();
    writer.sort_inputs(component, run);
    let exits = writer.stop_at_error(input, run);
    let patched = writer.patched(&input.text);
    let mut text = String::new();
    let flag = if data_model == DataModel::Ilp32 { "-m32" } else { "-m64" };
    let _ = writeln!(text, "/* A run of `{}`. Compile with: cc {flag} -fwrapv -w", component.name);
    let _ = writeln!(text, "   It ends with status {STATUS} where the error is. */");
    text += "void highwater_error(void);\n";
    for number in 0..writer.sites.len() {
        let _ = writeln!(text, "unsigned long long highwater_site_{number}(void);");
    }
    let _ = writeln!(text, "#line 1 \"{}\"", input.name.replace(['"', '\\', '\n'], "_"));
    text += &patched;
    text += "\n/* What the environment did in this run. */\n";
    text += "void highwater_exit(int) __asm__(\"_exit\");\n";
    let _ = writeln!(text, "void highwater_error(void) {{ highwater_exit({STATUS}); }}");
    writer.define(&mut text, &input.text);
    Test { text, exits, missing: writer.missing }
}

#[derive(Default)]
struct Writer {
    /// What each routine returns, call by call.
    routines: BTreeMap<String, Vec<u64>>,
    /// Declarations that get values: where the text goes, and the values.
    sites: BTreeMap<u32, Vec<u64>>,
    /// Other changes of the text: from, to, and what comes there.
    changes: Vec<(u32, u32, String)>,
    missing: Vec<String>,
}

impl Writer {
    fn sort_inputs(&mut self, component: &Component, run: &Run) {
        // A routine that the run does not call must be there, too, when the test is linked.
        for edge in &component.edges {
            if let Instruction::Havoc(_, Cause::Nondet(routine)) | Instruction::Call { routine, .. } = &edge.instruction
            {
                self.routines.entry(routine.clone()).or_default();
            }
        }
        for input in &run.inputs {
            let variable = component.variable(input.request.variable);
            let span = input.request.span;
            match &input.request.purpose {
                Purpose::Havoc(Cause::Nondet(routine)) | Purpose::Result(routine) => {
                    self.routines.entry(routine.clone()).or_default().push(input.bits);
                }
                Purpose::Havoc(Cause::Uninitialised)
                    if is_whole(component, input.request.variable) && !variable.pointer =>
                {
                    if span.file == FileId(0) && span.start < span.end {
                        self.sites.entry(span.end).or_default().push(input.bits);
                    }
                }
                _ => self.missing.push(format!("`{}` is {} here", variable.qualified(), input.bits)),
            }
        }
    }

    /// Makes the error that the run ends at visible; says whether that works.
    fn stop_at_error(&mut self, input: &Input, run: &Run) -> bool {
        let Outcome::Error(kind, span) = run.outcome else { return false };
        let Span { file, start, end } = span;
        let place = input.text.get(start as usize..end as usize).unwrap_or("");
        match kind {
            ErrorKind::ErrorCall if file == FileId(0) && place.ends_with(')') => {
                self.changes.push((start, end, String::from("highwater_error()")));
                true
            }
            ErrorKind::ErrorLabel if file == FileId(0) => {
                let rest = input.text.get(start as usize..).unwrap_or("");
                let Some(colon) = rest.find(':') else { return false };
                let after = start + colon as u32 + 1;
                self.changes.push((after, after, String::from(" highwater_error();")));
                true
            }
            ErrorKind::Assertion => true,
            _ => false,
        }
    }

    fn patched(&self, text: &str) -> String {
        let sites = self.sites.keys().enumerate();
        let mut changes: Vec<(u32, u32, String)> =
            sites.map(|(number, &at)| (at, at, format!(" = highwater_site_{number}()"))).collect();
        changes.extend(self.changes.iter().cloned());
        changes.sort();
        let (mut patched, mut at) = (String::new(), 0_usize);
        for (from, to, new) in changes {
            let (from, to) = (from as usize, to as usize);
            let (Some(before), true) = (text.get(at..from), to >= from) else { continue };
            patched += before;
            patched += &new;
            at = to;
        }
        patched += text.get(at..).unwrap_or("");
        patched
    }

    fn define(&self, text: &mut String, unit: &str) {
        for (number, values) in self.sites.values().enumerate() {
            let _ = writeln!(text, "unsigned long long highwater_site_{number}(void) {{{}}}", queue(values));
        }
        for (number, (routine, values)) in self.routines.iter().enumerate() {
            let name = format!("highwater_routine_{number}");
            let _ = writeln!(text, "unsigned long long {name}() __asm__(\"{routine}\");");
            let _ = writeln!(text, "unsigned long long {name}() {{{}}}", queue(values));
        }
        let fails = [
            ("__VERIFIER_error", "highwater_error()"),
            ("__assert_fail", "highwater_error()"),
            ("__VERIFIER_assert", "if (!holds) highwater_error()"),
            ("assert", "if (!holds) highwater_error()"),
            ("__VERIFIER_assume", "if (!holds) highwater_exit(0)"),
        ];
        for (number, (routine, body)) in fails.into_iter().enumerate() {
            if !defines(unit, routine) {
                let _ = writeln!(text, "void highwater_known_{number}(int) __asm__(\"{routine}\");");
                let _ = writeln!(text, "void highwater_known_{number}(int holds) {{ {body}; }}");
            }
        }
    }
}

/// Values one after the other, and zeros after the last one.
fn queue(values: &[u64]) -> String {
    let list = values.iter().map(|value| format!("{value}ULL, ")).collect::<String>();
    format!(
        " static const unsigned long long v[] = {{{list}0}}; static int n; return n < {} ? v[n++] : 0; ",
        values.len()
    )
}

fn is_whole(component: &Component, variable: crate::program::VariableId) -> bool {
    let found = component.variable(variable);
    component.objects.get(found.object.0 as usize).is_some_and(|object| object.name == found.name)
}

/// Whether a unit has a body for a routine, seen from its text: a name, parentheses, and a brace.
fn defines(unit: &str, routine: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    unit.match_indices(routine).any(|(at, _)| {
        let before = unit.get(..at).and_then(|text| text.chars().next_back());
        let rest = unit.get(at + routine.len()..).unwrap_or("").trim_start();
        let Some(rest) = rest.strip_prefix('(') else { return false };
        let Some(close) = rest.find(')') else { return false };
        before.is_none_or(|c| !word(c)) && rest[close + 1..].trim_start().starts_with('{')
    })
}

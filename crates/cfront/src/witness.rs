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
use std::collections::{BTreeMap, BTreeSet};
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

/// Where a test ends.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Stop {
    /// At the error that the run ends in.
    #[default]
    Error,
    /// At a call of a routine without a body: its name, and which of its calls, from 1.
    Call(String, usize),
    /// When the procedure of the run has returned.
    Return,
}

/// Writes the test of a run that ends in an error. `data_model` is named in the text, for whoever compiles it.
pub fn test(input: &Input, component: &Component, run: &Run, data_model: DataModel) -> Test {
    test_until(input, component, run, data_model, &Stop::Error)
}

/// The same for a run that ends elsewhere.
pub fn test_until(input: &Input, component: &Component, run: &Run, data_model: DataModel, stop: &Stop) -> Test {
    let mut writer = Writer { stop: stop.clone(), ..Writer::default() };
    writer.sort_inputs(component, run);
    let exits = match stop {
        Stop::Error => writer.stop_at_error(input, run),
        Stop::Call(routine, _) => {
            writer.routines.entry(routine.clone()).or_default();
            true
        }
        Stop::Return => true,
    };
    writer.set_bodies_aside(&input.text);
    let patched = writer.patched(&input.text);
    let mut text = String::new();
    let flag = if data_model == DataModel::Ilp32 { "-m32" } else { "-m64" };
    let _ = writeln!(text, "/* A run of `{}`. Compile with: cc {flag} -fwrapv -w", component.name);
    let _ = match exits {
        true => writeln!(text, "   It ends with status {STATUS} {}. */", stop.place()),
        false => writeln!(text, "   A sanitizer shows the fault: -fsanitize=undefined,address */"),
    };
    text += "void highwater_error(void);\n";
    // Runs may start in any procedure, whether there is a `main` or not.
    let starts_elsewhere = component.name != MAIN;
    if starts_elsewhere {
        let _ = writeln!(text, "#define {MAIN} highwater_{MAIN}");
    }
    for number in 0..writer.sites.len() {
        let _ = writeln!(text, "unsigned long long highwater_site_{number}(void);");
    }
    let _ = writeln!(text, "#line 1 \"{}\"", input.name.replace(['"', '\\', '\n'], "_"));
    text += &patched;
    text += "\n/* What the environment did in this run. */\n";
    if starts_elsewhere {
        writer.start(&mut text, component, run);
    }
    text += "void highwater_exit(int) __asm__(\"_exit\");\n";
    let _ = writeln!(text, "void highwater_error(void) {{ highwater_exit({STATUS}); }}");
    writer.define(&mut text, &input.text);
    Test { text, exits, missing: writer.missing }
}

/// The procedure that a compiled program starts with.
const MAIN: &str = "main";

impl Stop {
    fn place(&self) -> String {
        match self {
            Stop::Error => String::from("where the error is"),
            Stop::Call(routine, number) => format!("in call {number} of `{routine}`"),
            Stop::Return => String::from("when the procedure has returned"),
        }
    }
}

#[derive(Default)]
struct Writer {
    stop: Stop,
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
                    if is_whole(component, input.request.variable)
                        && !variable.pointer
                        && is_declared_at(component, input.request.variable, span) =>
                {
                    if span.file == FileId(0) && span.start < span.end {
                        self.sites.entry(span.end).or_default().push(input.bits);
                    }
                }
                // What is behind a pointer to something that is gone shows by itself.
                Purpose::Havoc(Cause::Dead) if matches!(run.outcome, Outcome::Error(ErrorKind::Pointer, _)) => {}
                // They are arguments of the call.
                Purpose::Havoc(Cause::Parameter)
                    if component.name != MAIN && is_whole(component, input.request.variable) && !variable.pointer => {}
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

    /// A `main` that calls the procedure of the run with the arguments that it had.
    fn start(&self, text: &mut String, component: &Component, run: &Run) {
        let mut arguments: Vec<(u32, u64)> = Vec::new();
        for input in &run.inputs {
            let object = component.variable(input.request.variable).object.0;
            let is_new = arguments.iter().all(|&(known, _)| known != object);
            if input.request.purpose == Purpose::Havoc(Cause::Parameter) && is_new {
                arguments.push((object, input.bits));
            }
        }
        let list: Vec<String> = arguments.iter().map(|(_, bits)| format!("{bits}ULL")).collect();
        let end = if self.stop == Stop::Return { " highwater_error();" } else { "" };
        let call = format!("{}({});", component.name, list.join(", "));
        let _ = writeln!(text, "#undef {MAIN}\nint {MAIN}(void) {{ {call}{end} return 0; }}");
    }

    /// What a routine does first: it ends the test, if it is called for the last time.
    fn first(&self, routine: &str) -> String {
        match &self.stop {
            Stop::Call(last, number) if last == routine => {
                format!(" static int calls; if (++calls == {number}) highwater_error();")
            }
            _ => String::new(),
        }
    }

    /// A routine may have a body, and the run takes what the specification says instead: the body gets another name.
    fn set_bodies_aside(&mut self, unit: &str) {
        for routine in self.routines.keys() {
            if let Some(at) = definition(unit, routine) {
                let name = format!("highwater_body_{routine}");
                self.changes.push((at as u32, (at + routine.len()) as u32, name));
            }
        }
    }

    fn define(&self, text: &mut String, unit: &str) {
        for (number, values) in self.sites.values().enumerate() {
            let _ = writeln!(text, "unsigned long long highwater_site_{number}(void) {{{}}}", queue(values));
        }
        for (number, (routine, values)) in self.routines.iter().enumerate() {
            let name = format!("highwater_routine_{number}");
            let _ = writeln!(text, "unsigned long long {name}() __asm__(\"{routine}\");");
            let _ = writeln!(text, "unsigned long long {name}() {{{}{}}}", self.first(routine), queue(values));
        }
        let fails = [
            ("__VERIFIER_error", "highwater_error()"),
            ("reach_error", "highwater_error()"),
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
        // What the run does not call need not be there when the test is linked.
        let known = |name: &str| self.routines.contains_key(name) || fails.iter().any(|(routine, _)| *routine == name);
        for name in called(unit).into_iter().filter(|name| !known(name) && !defines(unit, name)) {
            let _ = writeln!(text, "#pragma weak {name}");
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

/// Whether a place is that of a variable's declaration: a jump may have skipped it.
fn is_declared_at(component: &Component, variable: crate::program::VariableId, span: Span) -> bool {
    let object = component.variable(variable).object;
    component.objects.get(object.0 as usize).is_some_and(|object| object.span == span)
}

/// Words of C that parentheses may follow.
const KEYWORDS: [&str; 24] = [
    "if", "while", "for", "switch", "return", "sizeof", "do", "else", "case", "goto", "void", "char", "short", "int",
    "long", "signed", "unsigned", "float", "double", "const", "volatile", "inline", "extern", "static",
];

/// Names that a unit may call, seen from its text: a word, and a parenthesis.
fn called(unit: &str) -> BTreeSet<&str> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let before = |at: usize| unit.get(..at).unwrap_or("").trim_end();
    let names = unit.match_indices('(').map(|(at, _)| {
        let text = before(at);
        let start = text
            .rfind(|c: char| !word(c))
            .map_or(0, |last| last + text[last..].chars().next().map_or(1, char::len_utf8));
        text.get(start..).unwrap_or("")
    });
    names
        .filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !KEYWORDS.contains(name))
        .filter(|name| !name.starts_with("__attribute") && !name.starts_with("__asm") && *name != "asm")
        .collect()
}

/// Whether a unit has a body for a routine, seen from its text: a name, parentheses, and a brace.
fn defines(unit: &str, routine: &str) -> bool {
    definition(unit, routine).is_some()
}

/// Where the name of a routine stands before its body.
fn definition(unit: &str, routine: &str) -> Option<usize> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut places = unit.match_indices(routine).map(|(at, _)| at);
    places.find(|&at| {
        let before = unit.get(..at).and_then(|text| text.chars().next_back());
        let rest = unit.get(at + routine.len()..).unwrap_or("").trim_start();
        let Some(rest) = rest.strip_prefix('(') else { return false };
        let Some(close) = rest.find(')') else { return false };
        before.is_none_or(|c| !word(c)) && rest[close + 1..].trim_start().starts_with('{')
    })
}

//! A solver in a process of its own: `z3` or `cvc5`, over a pipe, in SMT-LIB 2.
//!
//! Each question is one `push`, declarations and definitions, a check under assumption literals, the values or the
//! failed assumptions, and one `pop`. An `echo` ends every exchange, so replies cannot be taken for those of another
//! question. Two threads write and read, so that a process that hangs cannot hang us: at the deadline it is killed,
//! and the next question starts another. A process that dies, prints without end, or says what is not understood, is an
//! unknown with words.

use crate::effort::Effort;
use crate::evaluate::{Evaluation, Model};
use crate::smtlib::{Reply, parse_replies, parse_value, script};
use crate::solver::{Outcome, Solver, verify};
use crate::terms::{TermId, Terms};
use model::reason::Reason;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::time::Duration;

/// How long a question may take when the caller sets no deadline: a process can hang forever.
const LONGEST: Duration = Duration::from_secs(60);
/// How long to wait before the caller is asked again whether to stop.
const PATIENCE: Duration = Duration::from_millis(5);

/// A line or a reply that is longer is not one.
const MOST_REPLY: usize = 1 << 26;
/// Lines that wait to be looked at.
const MOST_WAITING: usize = 1024;

/// How to start a solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The name for messages.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// The arguments that make it read SMT-LIB 2 from its standard input.
    pub arguments: Vec<String>,
}

impl Program {
    /// The first of `z3` and `cvc5` that the search path has.
    pub fn find() -> Option<Program> {
        Program::find_named("z3").or_else(|| Program::find_named("cvc5"))
    }

    /// `z3` or `cvc5` on the search path.
    pub fn find_named(name: &str) -> Option<Program> {
        let arguments: &[&str] = match name {
            "z3" => &["-in", "-smt2"],
            "cvc5" => &["--lang=smt2", "--incremental"],
            _ => return None,
        };
        let directories = std::env::var_os("PATH")?;
        let path =
            std::env::split_paths(&directories).map(|directory| directory.join(name)).find(|path| is_file(path))?;
        Some(Program { name: name.to_owned(), path, arguments: arguments.iter().map(|&word| word.into()).collect() })
    }
}

fn is_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file())
}

/// A solver in another process.
pub struct External {
    program: Program,
    process: Option<Process>,
    exchanges: u64,
}

impl External {
    /// The process starts with the first question.
    pub fn new(program: Program) -> External {
        External { program, process: None, exchanges: 0 }
    }

    /// The first solver on the search path.
    pub fn find() -> Option<External> {
        Program::find().map(External::new)
    }

    fn ask(&mut self, text: &str, effort: &Effort<'_>) -> Result<Vec<Reply>, Reason> {
        self.exchanges += 1;
        let marker = format!("end-{}", self.exchanges);
        let process = match &mut self.process {
            Some(process) => process,
            none => none.insert(Process::start(&self.program)?),
        };
        let reply = process.exchange(format!("{text}(echo \"{marker}\")\n"), &marker, &self.program.name, effort);
        let reply = reply.inspect_err(|_| self.process = None)?;
        let understood = parse_replies(&reply).filter(|replies| !replies.iter().any(is_error));
        understood.ok_or_else(|| {
            self.process = None;
            Reason::Worker(format!("{} replied: {}", self.program.name, excerpt(&reply)))
        })
    }

    fn decide(&mut self, terms: &Terms, assumptions: &[TermId], effort: &Effort<'_>) -> Result<Outcome, Reason> {
        let script = script(terms, assumptions);
        let mut text = format!("(push 1)\n{}", script.preamble);
        let mut literals = String::new();
        for (number, root) in script.roots.iter().enumerate() {
            let _ = writeln!(text, "(declare-const a!{number} Bool)\n(assert (=> a!{number} {root}))");
            let _ = write!(literals, " a!{number}");
        }
        let _ = writeln!(text, "(check-sat-assuming ({}))", literals.trim_start());
        let replies = self.ask(&text, effort)?;
        let word = replies.first().and_then(Reply::atom).unwrap_or("nothing").to_owned();
        let outcome = match word.as_str() {
            "sat" => self.model(terms, assumptions, &script.variables, effort)?,
            "unsat" => self.core(assumptions, effort)?,
            _ => return Err(Reason::Worker(format!("{} says {word}", self.program.name))),
        };
        self.ask("(pop 1)\n", effort)?;
        Ok(outcome)
    }

    fn model(
        &mut self,
        terms: &Terms,
        assumptions: &[TermId],
        variables: &[(TermId, String)],
        effort: &Effort<'_>,
    ) -> Result<Outcome, Reason> {
        let mut values = Vec::new();
        if !variables.is_empty() {
            let symbols: Vec<&str> = variables.iter().map(|(_, symbol)| symbol.as_str()).collect();
            let replies = self.ask(&format!("(get-value ({}))\n", symbols.join(" ")), effort)?;
            let pairs = replies.first().and_then(Reply::list).unwrap_or(&[]);
            // The values come in the order in which they were requested.
            for ((variable, symbol), pair) in variables.iter().zip(pairs) {
                let value = pair.list().and_then(|pair| pair.get(1)).and_then(parse_value);
                let value = value.filter(|value| value.sort == terms.sort(*variable));
                let value = value.ok_or_else(|| {
                    Reason::Worker(format!("{} gives no value that fits {symbol}", self.program.name))
                })?;
                values.push((*variable, value.bits));
            }
        }
        let model = Model::new(values);
        verify(&self.program.name, terms, assumptions, &mut Evaluation::new(model.clone()))?;
        Ok(Outcome::Sat(model))
    }

    fn core(&mut self, assumptions: &[TermId], effort: &Effort<'_>) -> Result<Outcome, Reason> {
        let replies = self.ask("(get-unsat-assumptions)\n", effort)?;
        let failed = replies.first().and_then(Reply::list).unwrap_or(&[]);
        let mut core = Vec::new();
        for literal in failed {
            let number = literal.atom().map(|word| word.trim_matches('|'));
            let number = number.and_then(|word| word.strip_prefix("a!")).and_then(|digits| digits.parse().ok());
            let assumption = number.and_then(|number: usize| assumptions.get(number));
            match assumption {
                Some(&assumption) => core.push(assumption),
                None => return Err(Reason::Worker(format!("{} names no assumption as failed", self.program.name))),
            }
        }
        core.sort_unstable();
        core.dedup();
        Ok(Outcome::Unsat(core))
    }
}

impl Solver for External {
    fn check(&mut self, terms: &Terms, assumptions: &[TermId], effort: &Effort<'_>) -> Outcome {
        let limited = effort.budget.left().is_none().then(|| effort.budget.at_most(LONGEST));
        let effort = Effort { budget: limited.as_ref().unwrap_or(effort.budget), ..*effort };
        match self.decide(terms, assumptions, &effort) {
            Ok(outcome) => outcome,
            Err(reason) => {
                // Whatever went wrong, the next question finds a fresh process.
                self.process = None;
                Outcome::Unknown(reason)
            }
        }
    }

    fn name(&self) -> &str {
        &self.program.name
    }
}

fn is_error(reply: &Reply) -> bool {
    reply.list().and_then(|parts| parts.first()).and_then(Reply::atom) == Some("error")
}

fn excerpt(text: &str) -> String {
    text.trim().chars().take(300).collect()
}

/// A running process with its two threads.
struct Process {
    child: Child,
    input: Sender<String>,
    output: Receiver<String>,
}

const PRELUDE: &str = "(set-option :print-success false)\n(set-option :produce-models true)\n\
                       (set-option :produce-unsat-assumptions true)\n(set-logic QF_BV)\n";

impl Process {
    fn start(program: &Program) -> Result<Process, Reason> {
        let failed = |what: String| Reason::Worker(format!("{} cannot be started: {what}", program.name));
        let mut child = Command::new(&program.path)
            .args(&program.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("no pipes".to_owned()));
        };
        let (input, to_write) = channel::<String>();
        let (read, output) = sync_channel::<String>(MOST_WAITING);
        std::thread::spawn(move || {
            while let Ok(text) = to_write.recv() {
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
        std::thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            loop {
                let mut line = Vec::new();
                let length = reader.by_ref().take(MOST_REPLY as u64).read_until(b'\n', &mut line);
                if !length.is_ok_and(|length| length > 0) {
                    return;
                }
                let line = String::from_utf8_lossy(&line);
                if read.send(line.trim_end_matches(['\r', '\n']).to_owned()).is_err() {
                    return;
                }
            }
        });
        let process = Process { child, input, output };
        // A failure shows when the reply does not come.
        let _ = process.input.send(PRELUDE.to_owned());
        Ok(process)
    }

    /// Sends a text and collects what comes back before the marker.
    fn exchange(&mut self, text: String, marker: &str, name: &str, effort: &Effort<'_>) -> Result<String, Reason> {
        let died = || Reason::Worker(format!("{name} ended without an answer"));
        self.input.send(text).map_err(|_| died())?;
        let mut reply = String::new();
        loop {
            if let Some(reason) = effort.exceeded() {
                return Err(reason);
            }
            let patience = effort.budget.left().map_or(PATIENCE, |left| left.min(PATIENCE));
            match self.output.recv_timeout(patience) {
                Ok(line) if line.trim().trim_matches('"') == marker => return Ok(reply),
                Ok(line) => {
                    reply.push_str(&line);
                    reply.push('\n');
                    if reply.len() > MOST_REPLY {
                        return Err(Reason::Worker(format!("{name} prints without end")));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(died()),
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

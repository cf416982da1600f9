//! The command line: what can be asked, and how it is written.

use clap::{Args, Parser, Subcommand, ValueEnum};
use model::semantics::Reading;
use std::path::PathBuf;
use std::time::Duration;

/// Proves that the queues between concurrent components cannot overflow, get stuck or spin, or shows the run.
#[derive(Parser, Debug)]
#[command(name = "highwater", version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Check properties of models.
    Check(CheckArgs),
    /// Check a certificate with the small independent checker.
    VerifyCertificate(VerifyArgs),
    /// Run a model: at random, by hand, or along a trace.
    Simulate(SimulateArgs),
    /// Show a model as it was understood: machines, channels or cycles, as text or as a picture.
    Show(ShowArgs),
    /// Translate a model to another language.
    Convert(ConvertArgs),
    /// Translate a temporal formula to a Büchi automaton.
    Ltl(LtlArgs),
    /// Explain a diagnostic or a verdict.
    Explain {
        /// A code such as `P0101`, or a word such as `inconclusive`; without one, the list of all.
        code: Option<String>,
        /// How output looks.
        #[command(flatten)]
        style: StyleArgs,
    },
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// How a model is read.
#[derive(Args, Debug, Clone)]
pub struct ReadArgs {
    /// Define a macro; without a value it is 1.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Look for included files here, too.
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Which composition or process of an FSP text is meant; by default the last composition.
    #[arg(long, value_name = "NAME")]
    pub system: Option<String>,
    /// How C is read.
    #[command(flatten)]
    pub c: CReadArgs,
}

/// How C is read.
#[derive(Args, Debug, Clone)]
pub struct CReadArgs {
    /// For C: the procedure that a run starts with; by default `main`.
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    /// For C: how wide integers are. `int`, `long` and pointers have 32 bits, or `long` and pointers have 64; by default
    /// `ilp32`.
    #[arg(long, value_enum, value_name = "MODEL")]
    pub c_data_model: Option<DataModelName>,
    /// For C: a signed result that its type cannot hold is an error of the program.
    #[arg(long)]
    pub c_signed_overflow: bool,
}

impl CReadArgs {
    /// The first option that is given, if one is.
    pub fn given(&self) -> Option<&'static str> {
        let options = [
            (self.entry.is_some(), "--entry"),
            (self.c_data_model.is_some(), "--c-data-model"),
            (self.c_signed_overflow, "--c-signed-overflow"),
        ];
        options.into_iter().find(|(given, _)| *given).map(|(_, name)| name)
    }
}

/// How wide the integers of C are.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum DataModelName {
    Ilp32,
    Lp64,
}

/// How output looks.
#[derive(Args, Debug, Clone)]
pub struct StyleArgs {
    /// Colours: on a terminal, always or never.
    #[arg(long, value_enum, default_value_t = When::Auto, value_name = "WHEN")]
    pub color: When,
    /// Draw with ASCII characters only.
    #[arg(long)]
    pub ascii: bool,
}

/// When to use colours.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum When {
    Auto,
    Always,
    Never,
}

/// When to stop.
#[derive(Args, Debug, Clone)]
pub struct LimitArgs {
    /// Wall time for one file, reading it included: `90s`, `5m`, `500ms`, `none`.
    #[arg(long, default_value = "60s", value_parser = duration, value_name = "TIME")]
    pub timeout: Duration,
    /// The resident size of the process: `500MiB`, `4GiB`, `none`.
    #[arg(long, default_value = "4GiB", value_parser = size, value_name = "SIZE")]
    pub memory: u64,
}

/// `check`
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// The models.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// What to check: a list of `safety`, `deadlock`, `boundedness`, `livelock`, `reception`, `orphan`,
    /// `ltl:NAME`, `ltl:'FORMULA'`, `never`, `acceptance`, `trace`, `notrace`, `conformance`, `conformance:NAME`, `all`.
    #[arg(short = 'p', long = "property", value_name = "LIST")]
    pub properties: Vec<String>,
    /// Who is to answer.
    #[arg(long, value_enum, default_value_t = Engine::Auto)]
    pub engine: Engine,
    /// How capacities are read.
    #[arg(long, value_enum, default_value_t = Channels::Declared)]
    pub channels: Channels,
    /// Limits.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Threads for the search of states; by default as many as there are cores, up to 16.
    #[arg(long, default_value_t = default_jobs(), hide_default_value = true, value_name = "N", value_parser = jobs)]
    pub jobs: usize,
    /// Search for safety and deadlock with a few bits per state, in half of `--memory`: finds violations in what does
    /// not fit, proves nothing.
    #[arg(long)]
    pub bitstate: bool,
    /// Keep states as they are, not packed: more memory, less time. One thread.
    #[arg(long)]
    pub unpacked: bool,
    /// Macros and folders.
    #[command(flatten)]
    pub read: ReadArgs,
    /// What is printed.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// What counts as progress for `livelock`, instead of progress labels: `ch?msg`, `ch!msg`, `Process@label`.
    #[arg(long, value_name = "EVENT")]
    pub progress: Vec<String>,
    /// For `ltl`, `never`, `acceptance` and `livelock`: only runs in which every process that can always move does move.
    #[arg(long)]
    pub fair: bool,
    /// Print the model with capacities that suffice, instead of a report.
    #[arg(long)]
    pub apply_bounds: bool,
    /// How the static engine looks at cycles.
    #[arg(long, value_enum, default_value_t = AbstractionKind::Flow)]
    pub abstraction: AbstractionKind,
    /// Bad configurations of communicating machines, instead of those of the file: `client@1|2 && server@idle`, and
    /// after `with` what the queues hold.
    #[arg(long, value_name = "CONFIGURATIONS")]
    pub bad: Vec<String>,
    /// How the engines `fifo` (`search` to `armc`) and `compose` (`paper` to `minimise`) look for an answer; `auto` tries
    /// all in turn.
    #[arg(long, value_enum, default_value_t = MethodName::Auto)]
    pub method: MethodName,
    /// For structures and C components side by side: the product of all components, on the fly, with no abstraction.
    #[arg(long)]
    pub plain: bool,
    /// For `--method cegar`: where path invariants come from, and from which end they are computed.
    #[arg(long, value_enum, value_name = "KIND")]
    pub path_invariant: Option<PathInvariant>,
    /// For `--method absint`, `cegar` and `armc`: how sets of queue contents are made simpler, such as `rho-forward`.
    #[arg(long, value_name = "NAME")]
    pub extrapolation: Option<String>,
    /// Tell on stderr how the engines `fifo`, `compose` and `concurrent` come to their answers: abstract runs, why they are
    /// spurious, splits, new predicates.
    #[arg(long)]
    pub trace_refinement: bool,
    /// For C: faults at run time count, too, beside assertions, error calls and error labels: division by zero, indices
    /// and pointers that are out of bounds, shifts by too many bits.
    #[arg(long)]
    pub c_faults: bool,
    /// For C: write the run that shows the violation as a C program, which ends with status 97; for C components, one for each
    /// procedure that it is about.
    #[arg(long, value_name = "OUT.c")]
    pub c_test: Option<PathBuf>,
    /// For C: let another solver (z3 or cvc5) check the proof as well; if it does not answer, nothing is proved.
    #[arg(long)]
    pub cross_check: bool,
    /// Write the first run that shows a violation to a file.
    #[arg(long, value_name = "OUT.json")]
    pub trace: Option<PathBuf>,
    /// Write the certificates to a file.
    #[arg(long, value_name = "OUT.json")]
    pub certificate: Option<PathBuf>,
    /// Say what it cost.
    #[arg(long)]
    pub stats: bool,
    /// Go on after a violation, through all states.
    #[arg(long)]
    pub keep_going: bool,
    /// Which states may be left out without changing a verdict.
    #[arg(long, value_enum, default_value_t = Reduction::Auto)]
    pub reduction: Reduction,
    /// Breadth-first finds shortest runs; depth-first finds deep ones soon.
    #[arg(long, value_enum, default_value_t = SearchOrder::Breadth)]
    pub search: SearchOrder,
    /// Stop after so many states.
    #[arg(long, value_name = "N")]
    pub max_states: Option<u64>,
    /// Do not go deeper than so many states.
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u64>,
    /// How output looks.
    #[command(flatten)]
    pub style: StyleArgs,
}

/// `verify-certificate`
#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// The model.
    pub file: PathBuf,
    /// What `check --certificate` wrote.
    #[arg(value_name = "CERT.json")]
    pub certificate: PathBuf,
    /// Limits.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Macros and folders.
    #[command(flatten)]
    pub read: ReadArgs,
    /// How output looks.
    #[command(flatten)]
    pub style: StyleArgs,
}

/// `simulate`
#[derive(Args, Debug)]
pub struct SimulateArgs {
    /// The model.
    pub file: PathBuf,
    /// The seed of the random choices: the same seed gives the same run.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Choose every step yourself.
    #[arg(long, conflicts_with = "replay")]
    pub interactive: bool,
    /// Follow a run that `check` wrote.
    #[arg(long, value_name = "TRACE.json")]
    pub replay: Option<PathBuf>,
    /// The bad configurations that the run was found for, where they are not those of the file.
    #[arg(long, value_name = "CONFIGURATIONS", requires = "replay")]
    pub bad: Vec<String>,
    /// Stop after so many steps.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub steps: usize,
    /// How capacities are read.
    #[arg(long, value_enum, default_value_t = Channels::Declared)]
    pub channels: Channels,
    /// Macros and folders.
    #[command(flatten)]
    pub read: ReadArgs,
    /// How output looks.
    #[command(flatten)]
    pub style: StyleArgs,
}

/// `show`
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// The model.
    pub file: PathBuf,
    /// What to show.
    #[arg(long, value_enum, default_value_t = What::Machines)]
    pub what: What,
    /// As text, or as a graph for Graphviz.
    #[arg(long, value_enum, default_value_t = Picture::Text)]
    pub format: Picture,
    /// Macros and folders.
    #[command(flatten)]
    pub read: ReadArgs,
    /// How output looks.
    #[command(flatten)]
    pub style: StyleArgs,
}

/// `convert`
#[derive(Args, Debug)]
pub struct ConvertArgs {
    /// The model.
    pub file: PathBuf,
    /// The language.
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub to: Target,
    /// Limits.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Macros and folders.
    #[command(flatten)]
    pub read: ReadArgs,
    /// How output looks.
    #[command(flatten)]
    pub style: StyleArgs,
}

/// What a model is translated to.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Communicating machines, in the published format of `.scm`.
    Scm,
    /// Structures side by side, as FSP.
    Fsp,
    /// One structure, in the format of Aldebaran.
    Aut,
}

/// `ltl`
#[derive(Args, Debug)]
pub struct LtlArgs {
    /// The formula: `[] (a -> <> b)`, `G (a -> F b)`; anything else than a name stands in double quotes.
    pub formula: String,
    /// The automaton of the negation: what would be a counterexample.
    #[arg(long)]
    pub negate: bool,
    /// How the automaton is printed.
    #[arg(long, value_enum, default_value_t = AutomatonFormat::Text)]
    pub format: AutomatonFormat,
    /// How output looks.
    #[command(flatten)]
    pub style: StyleArgs,
}

/// How an automaton is printed.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutomatonFormat {
    /// For people.
    Text,
    /// As a `never` claim for SPIN.
    Never,
    /// In the Hanoi omega-automata format.
    Hoa,
    /// As a graph for Graphviz.
    Dot,
}

/// Who answers.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Engine {
    Auto,
    Flow,
    Fifo,
    Explore,
    Compose,
    Predicates,
    Concurrent,
}

/// How an engine with several methods looks for an answer.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodName {
    /// All of the engine's methods in turn.
    Auto,
    /// Configuration by configuration, breadth-first.
    Search,
    /// Abstract interpretation with widening.
    Absint,
    /// Refinement of abstractions by their spurious runs.
    Cegar,
    /// Abstract regular model checking.
    Armc,
    /// Refinement of partitions, component by component, as it is published: one split an iteration.
    Paper,
    /// The same with better first partitions, and several splits an iteration.
    Refine,
    /// Compose, hide, minimise, one component after the other.
    Minimise,
}

/// Where path invariants come from, and from which end they are computed.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathInvariant {
    /// One precision for the whole path, from its start.
    UpinvFwd,
    /// One precision for the whole path, from its end.
    UpinvBwd,
    /// A precision for each step, from the start.
    ApinvFwd,
    /// A precision for each step, from the end.
    ApinvBwd,
}

/// How the static engine looks at cycles.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbstractionKind {
    /// Cycles are generated as they are needed.
    Flow,
    /// All elementary cycles are enumerated, without refinement: the method of the papers, as a yardstick.
    Cycles,
}

/// How capacities are read.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channels {
    /// A full channel blocks the sender.
    Declared,
    /// A send never blocks.
    Unbounded,
    /// A full channel loses the message.
    Drop,
}

impl From<Channels> for Reading {
    fn from(channels: Channels) -> Reading {
        match channels {
            Channels::Declared => Reading::Declared,
            Channels::Unbounded => Reading::Unbounded,
            Channels::Drop => Reading::Drop,
        }
    }
}

/// What is printed.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Format {
    Human,
    Json,
}

/// Which states may be left out.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// None: every state is visited.
    None,
    /// Those that differ in the order of independent steps only, once there are many states.
    Auto,
    /// Those that differ in the order of independent steps only.
    Order,
}

impl From<Reduction> for explore::reduction::Mode {
    fn from(reduction: Reduction) -> explore::reduction::Mode {
        match reduction {
            Reduction::None => explore::reduction::Mode::Off,
            Reduction::Auto => explore::reduction::Mode::Auto,
            Reduction::Order => explore::reduction::Mode::On,
        }
    }
}

/// In which order states are visited.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SearchOrder {
    Breadth,
    Depth,
}

/// What `show` shows.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum What {
    Machines,
    Channels,
    Cycles,
}

/// How `show` shows it.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Picture {
    Text,
    Dot,
}

/// As many threads as there are cores, within reason.
fn default_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(16)
}

/// A number of threads.
fn jobs(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) | Err(_) => Err(format!("`{text}` is not a number of threads: use 1 or more")),
        Ok(jobs) => Ok(jobs),
    }
}

/// `90s`, `1.5m`, `500ms`, `2h`; a number alone is seconds; `none` is for ever.
pub fn duration(text: &str) -> Result<Duration, String> {
    if text == "none" {
        return Ok(Duration::MAX);
    }
    let (number, unit) = split_unit(text);
    let seconds = match unit {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("`{unit}` is not a unit of time: use ms, s, m or h")),
    };
    let value: f64 = number.parse().map_err(|_| format!("`{text}` is not a time: write it like `60s` or `5m`"))?;
    Duration::try_from_secs_f64(value * seconds).map_err(|_| format!("`{text}` is too long a time"))
}

/// `500MiB`, `4GiB`, `1GB`, bytes for a number alone; `none` is without a limit.
pub fn size(text: &str) -> Result<u64, String> {
    if text == "none" {
        return Ok(u64::MAX);
    }
    let (number, unit) = split_unit(text);
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        _ => return Err(format!("`{unit}` is not a unit of size: use KiB, MiB or GiB")),
    };
    let wrong = || format!("`{text}` is not a size: write it like `500MiB` or `4GiB`");
    match number.parse::<u64>() {
        Ok(value) => value.checked_mul(factor).ok_or_else(wrong),
        Err(_) => {
            let value: f64 = number.parse().map_err(|_| wrong())?;
            if !(0.0..=1e6).contains(&value) {
                return Err(wrong());
            }
            Ok((value * factor as f64) as u64)
        }
    }
}

fn split_unit(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    (text[..end].trim(), text[end..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_read_with_their_units() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert!(duration("5 parsecs").is_err());
        assert!(duration("-1s").is_err());
        assert_eq!(size("500MiB"), Ok(500 << 20));
        assert_eq!(size("0.5GiB"), Ok(512 << 20));
        assert!(size("lots").is_err());
    }

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}

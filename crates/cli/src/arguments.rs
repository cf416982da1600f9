//! The command line: what can be asked, and how it is written.

mod choices;
mod units;

pub use choices::{
    AbstractionKind, AutomatonFormat, Channels, DataModelName, Engine, Format, MethodName, PathInvariant, Picture,
    Reduction, SearchOrder, Target, What, When,
};
pub use units::{duration, size};

use clap::{Args, Parser, Subcommand};
use model::budget::{Budget, Cancel};
use std::path::PathBuf;
use std::time::Duration;
use units::{default_jobs, jobs};

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

impl LimitArgs {
    /// What may be used from now on.
    pub fn budget(&self, stop: &Cancel) -> Budget {
        let budget = Budget::unlimited().timeout(self.timeout).until(stop);
        if self.memory == u64::MAX { budget } else { budget.memory(self.memory) }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}

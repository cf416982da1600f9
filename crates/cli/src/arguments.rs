//! The command line: its commands and options.

mod units;

pub use units::{duration, size};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use highwater::convert::Target;
use highwater::lts::Equivalence;
use highwater::settings::{
    Abstraction, COptions, Channels, Cluster, DataModel, Device, Engine, Fairness, Language, Method, PathInvariant,
    ReadOptions, Reduction, SearchOrder, Settings,
};
use highwater::show::{Picture, What};
use highwater::{Budget, Cancel, Choice, OLD_NAMES};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use units::jobs;

/// One of the words of a setting.
fn choice<T: Choice + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let value = |&(_, name, help): &(T, &'static str, &'static str)| {
        let old = OLD_NAMES.iter().filter(|(_, new)| *new == name).map(|(old, _)| *old);
        PossibleValue::new(name).help(help).aliases(old)
    };
    let words: Vec<PossibleValue> = T::ALL.iter().map(value).collect();
    PossibleValuesParser::new(words).map(|name| T::named(&name).unwrap_or(T::ALL[0].0))
}

/// Proves that the queues between concurrent components cannot overflow, get stuck or spin, or shows the run.
#[derive(Parser, Debug)]
#[command(name = "highwater", version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The words of a command line. `--fair weak` is `--fair=weak`: the word may be missing, and what follows is a file
/// then.
pub fn words(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    for word in words {
        let is_kind = Fairness::ALL.iter().any(|(_, name, _)| word == *name);
        match joined.last_mut().filter(|last| is_kind && **last == "--fair") {
            Some(fair) => [OsString::from("="), word].iter().for_each(|part| fair.push(part)),
            None => joined.push(word),
        }
    }
    joined
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Check properties of models.
    Check(Box<CheckArgs>),
    /// Check every model of `highwater.toml`, and compare with the verdicts that are expected there.
    Test(TestArgs),
    /// Check a certificate with the small independent checker.
    VerifyCertificate(VerifyArgs),
    /// Run a model: at random, by hand, or along a trace.
    Simulate(SimulateArgs),
    /// Show a model as it was understood: machines, channels or cycles, as text or as a picture.
    Show(ShowArgs),
    /// Explore a model in a browser: a page on this machine that walks through it, step by step.
    View(ViewArgs),
    /// Translate a model to another language.
    Convert(ConvertArgs),
    /// Translate a temporal formula to a Büchi automaton.
    Ltl(LtlArgs),
    /// Size, quotient and comparison of labelled transition systems (.aut).
    #[command(subcommand)]
    Lts(LtsCommand),
    /// Searches that several processes share.
    #[command(subcommand)]
    Cluster(ClusterCommand),
    /// Explain a diagnostic or a verdict.
    Explain {
        /// A code such as `P0101`, or a word such as `inconclusive`; without one, the list of all.
        code: Option<String>,
        /// How output looks.
        #[command(flatten)]
        style: StyleArgs,
    },
    /// Answer an editor: a language server on standard input and output.
    Lsp,
    /// Print the JSON Schema of the documents that `check` writes.
    Schema,
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// How a model is read.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Reading the model")]
pub struct ReadArgs {
    /// The language, where the file's extension does not tell it.
    #[arg(long, value_parser = choice::<Language>(), value_name = "LANGUAGE", hide_possible_values = true)]
    pub language: Option<Language>,
    /// Define a macro; without a value it is 1.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Look for included files here, too.
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// FSP: the composition or process to check; by default the last composition.
    #[arg(long, value_name = "NAME")]
    pub system: Option<String>,
    /// C: the procedure that a run starts with; by default `main`.
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    /// C: the widths of integers; by default `ilp32`.
    #[arg(long, value_parser = choice::<DataModel>(), value_name = "MODEL")]
    pub c_data_model: Option<DataModel>,
    /// C: a signed result that its type cannot hold is an error of the program.
    #[arg(long)]
    pub c_signed_overflow: bool,
}

impl ReadArgs {
    /// The options of the library.
    pub fn options(&self) -> ReadOptions {
        ReadOptions {
            language: self.language,
            define: self.define.clone(),
            include: self.include.clone(),
            system: self.system.clone(),
            c: COptions {
                entry: self.entry.clone(),
                data_model: self.c_data_model,
                signed_overflow: self.c_signed_overflow,
            },
        }
    }
}

/// When to use colours.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum When {
    Auto,
    Always,
    Never,
}

/// What `check` prints.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Format {
    Human,
    Json,
    Github,
}

/// A file that `check` writes.
#[derive(Clone, Debug)]
pub struct Output {
    /// In which form.
    pub form: Form,
    /// Where.
    pub file: PathBuf,
}

/// The forms of such files.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Form {
    Html,
    Json,
    Junit,
    Mermaid,
    Sarif,
    Svg,
    Trail,
}

impl Output {
    fn parse(text: &str) -> Result<Output, String> {
        let forms = || Form::value_variants().iter().filter_map(Form::to_possible_value);
        let known = || forms().map(|form| form.get_name().to_owned()).collect::<Vec<_>>().join(", ");
        let (form, file) =
            text.split_once('=').ok_or_else(|| format!("FORM=FILE, where FORM is one of {}", known()))?;
        let form =
            Form::from_str(form, false).map_err(|_| format!("there is no form `{form}`; known are {}", known()))?;
        if file.is_empty() {
            return Err(String::from("the name of a file is missing behind the `=`"));
        }
        Ok(Output { form, file: PathBuf::from(file) })
    }
}

/// Which capacities `check --apply-bounds` writes.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capacities {
    /// What suffices so that no send ever waits.
    NeverWait,
    /// Capacities without deadlock and failing assertion, of which none can be lowered by one.
    Smallest,
}

/// How an automaton is printed.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
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

/// How output looks.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Output")]
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
#[command(next_help_heading = "Limits")]
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
    /// The models: files, folders of them, or `-` for standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The properties to check: a list of `safety`, `deadlock`, `boundedness`, `livelock`, `reception`, `orphan`, `partial-deadlock`, `eventual-reception`,
    /// `ltl:NAME`, `ltl:'FORMULA'`, `never`, `acceptance`, `trace`, `notrace`, `conformance`, `conformance:NAME`, `all`.
    #[arg(short = 'p', long = "property", value_name = "LIST")]
    pub properties: Vec<String>,
    /// The engine to use.
    #[arg(long, value_parser = choice::<Engine>(), default_value = "auto")]
    pub engine: Engine,
    /// The channel semantics.
    #[arg(long, value_parser = choice::<Channels>(), default_value = "declared")]
    pub channels: Channels,
    /// For `ltl`, `never`, `acceptance`, `livelock` and `progress`: which infinite runs count; without a word, those
    /// that are weakly fair.
    #[arg(long, value_parser = choice::<Fairness>(), default_value = "none", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "weak")]
    pub fair: Fairness,
    /// What counts as progress for `livelock`, instead of progress labels: `ch?msg`, `ch!msg`, `Process@label`.
    #[arg(long, value_name = "EVENT")]
    pub progress: Vec<String>,
    /// Bad configurations of communicating machines, instead of those of the file: `client@1|2 && server@idle`, and
    /// after `with` what the queues hold.
    #[arg(long, value_name = "CONFIGURATIONS")]
    pub bad: Vec<String>,
    /// C programs: faults at run time count, beside assertions, error calls and error labels: division by zero, indices
    /// and pointers out of bounds, shifts by too many bits.
    #[arg(long)]
    pub c_faults: bool,
    /// Limits.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Macros and folders.
    #[command(flatten)]
    pub read: ReadArgs,
    /// The explicit-state search.
    #[command(flatten)]
    pub search: SearchArgs,
    /// The methods of the other engines.
    #[command(flatten)]
    pub methods: MethodArgs,
    /// What is printed and written.
    #[command(flatten)]
    pub output: OutputArgs,
    /// How output looks.
    #[command(flatten)]
    pub style: StyleArgs,
}

/// The explicit-state search.
#[derive(Args, Debug)]
#[command(next_help_heading = "Explicit-state search")]
pub struct SearchArgs {
    /// Threads; by default as many as there are cores, up to 16.
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
    /// The order of visits: breadth-first finds shortest runs, depth-first finds deep violations soon.
    #[arg(long, value_parser = choice::<SearchOrder>(), default_value = "breadth", value_name = "ORDER")]
    pub search: SearchOrder,
    /// Partial-order reduction.
    #[arg(long, value_parser = choice::<Reduction>(), default_value = "auto")]
    pub reduction: Reduction,
    /// Leave out states that differ in which process is which: for processes of one type that do not compute with their numbers.
    #[arg(long)]
    pub symmetry: bool,
    /// Go on after a violation, through all states.
    #[arg(long)]
    pub keep_going: bool,
    /// Where safety and deadlock are searched: `cpu`, `auto`, `cuda` or `cuda:N`.
    #[arg(long, value_name = "DEVICE", default_value_t)]
    pub device: Device,
    /// Share the search for safety and deadlock with other processes: where each of them listens, `HOST:PORT,HOST:PORT,..`.
    /// Each runs the same command, with a key of all in `HIGHWATER_CLUSTER_KEY`.
    #[arg(long, value_name = "HOSTS", value_delimiter = ',', requires = "process", conflicts_with = "jobs")]
    pub cluster: Vec<String>,
    /// Which of the processes of `--cluster` this one is, from 0.
    #[arg(long, value_name = "N", requires = "cluster")]
    pub process: Option<usize>,
    /// Write the code that is generated for a device.
    #[arg(long, value_name = "OUT.cu")]
    pub emit_cuda: Option<PathBuf>,
    /// A few bits per state, in half of `--memory`, for safety and deadlock: finds violations in what does not fit,
    /// proves nothing.
    #[arg(long)]
    pub bitstate: bool,
    /// Keep states uncompressed, in one thread: more memory, less time.
    #[arg(long)]
    pub unpacked: bool,
    /// Keep states on disk, below a folder: for what does not fit into `--memory`.
    #[arg(long, value_name = "DIR")]
    pub spill: Option<PathBuf>,
    /// Keep states on disk in a folder, with checkpoints from which `--resume` goes on after an interruption.
    #[arg(long, value_name = "DIR")]
    pub checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint in a folder; the model and the options must be the same.
    #[arg(long, value_name = "DIR")]
    pub resume: Option<PathBuf>,
    /// Stop after so many states.
    #[arg(long, value_name = "N")]
    pub max_states: Option<u64>,
    /// Do not go deeper than so many states.
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u64>,
}

/// The methods of the other engines.
#[derive(Args, Debug)]
#[command(next_help_heading = "Methods of other engines")]
pub struct MethodArgs {
    /// The method of the engines `fifo` (`search` to `armc`), `compose` and `cegar` (`paper` to `minimise`); `auto` tries
    /// all in turn.
    #[arg(long, value_parser = choice::<Method>(), default_value = "auto")]
    pub method: Method,
    /// Compositions and C components: the product of all components, on the fly, without abstraction.
    #[arg(long)]
    pub plain: bool,
    /// For `--method cegar`: where path invariants come from, and from which end they are computed.
    #[arg(long, value_parser = choice::<PathInvariant>(), value_name = "KIND")]
    pub path_invariant: Option<PathInvariant>,
    /// For `--method absint`, `cegar` and `armc`: the extrapolation of sets of queue contents, such as `rho-forward`.
    #[arg(long, value_name = "NAME")]
    pub extrapolation: Option<String>,
    /// How the engine `flow` treats cycles.
    #[arg(long, value_parser = choice::<Abstraction>(), default_value = "flow")]
    pub abstraction: Abstraction,
    /// C: a second solver (z3 or cvc5) checks the proof as well; if it does not answer, nothing is proved.
    #[arg(long)]
    pub cross_check: bool,
    /// Report the abstraction refinement of the engines `fifo`, `compose` and `cegar` on stderr: abstract runs, why they
    /// are spurious, splits, new predicates.
    #[arg(long)]
    pub trace_refinement: bool,
}

/// What is printed and written.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// What is printed.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// Print a line for each property that is not proved, and nothing else.
    #[arg(long, short = 'q', conflicts_with_all = ["format", "stats"])]
    pub quiet: bool,
    /// Check again whenever a file of a model is written, until Ctrl-C.
    #[arg(long)]
    pub watch: bool,
    /// Print statistics.
    #[arg(long)]
    pub stats: bool,
    /// Write the first counterexample to a file.
    #[arg(long, value_name = "OUT.json")]
    pub trace: Option<PathBuf>,
    /// Write what was found to a file, in another form; several times, if several are wanted.
    #[arg(long, value_name = "FORM=FILE", value_parser = Output::parse)]
    pub output: Vec<Output>,
    /// Write the certificates to a file.
    #[arg(long, value_name = "OUT.json")]
    pub certificate: Option<PathBuf>,
    /// Print the model with other capacities, instead of a report.
    #[arg(long, value_enum, value_name = "CAPACITIES", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "never-wait")]
    #[arg(conflicts_with_all = ["properties", "format", "quiet", "watch", "stats", "trace", "output", "certificate"])]
    #[arg(conflicts_with_all = ["spill", "checkpoint", "resume", "cluster"])]
    pub apply_bounds: Option<Capacities>,
    /// C: write the counterexample as a C program, which ends with status 97; for C components, one for each procedure
    /// that it is about.
    #[arg(long, value_name = "OUT.c")]
    pub c_test: Option<PathBuf>,
}

impl CheckArgs {
    /// The settings of the library.
    pub fn settings(&self) -> Settings {
        let (search, methods, output) = (&self.search, &self.methods, &self.output);
        Settings {
            engine: self.engine,
            channels: self.channels,
            jobs: search.jobs,
            device: search.device,
            cluster: search.process.map(|process| Cluster {
                hosts: search.cluster.clone(),
                process,
                key: std::env::var(cluster::KEY).unwrap_or_default(),
            }),
            emit_cuda: search.emit_cuda.clone(),
            bitstate: search.bitstate,
            unpacked: search.unpacked,
            progress: self.progress.clone(),
            fair: self.fair,
            abstraction: methods.abstraction,
            bad: self.bad.clone(),
            method: methods.method,
            plain: methods.plain,
            path_invariant: methods.path_invariant,
            extrapolation: methods.extrapolation.clone(),
            trace_refinement: methods.trace_refinement,
            c_faults: self.c_faults,
            c_test: output.c_test.clone(),
            cross_check: methods.cross_check,
            stats: output.stats,
            keep_going: search.keep_going,
            reduction: search.reduction,
            symmetry: search.symmetry,
            search: search.search,
            max_states: search.max_states,
            max_depth: search.max_depth,
            spill: search.spill.clone(),
            checkpoint: search.checkpoint.clone(),
            resume: search.resume.clone(),
        }
    }
}

/// `test`
#[derive(Args, Debug)]
pub struct TestArgs {
    /// The folder of `highwater.toml`.
    #[arg(default_value = ".", value_name = "DIR")]
    pub folder: PathBuf,
    /// Write the results to a file: `junit=FILE`.
    #[arg(long, value_name = "junit=FILE", value_parser = Output::parse)]
    pub output: Vec<Output>,
    /// Print what is not as expected, and nothing else.
    #[arg(long, short = 'q')]
    pub quiet: bool,
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
    /// Follow a run that `check` wrote, or a trail of SPIN.
    #[arg(long, value_name = "TRACE")]
    pub replay: Option<PathBuf>,
    /// Show the values of these expressions after each step, such as `len(q), x + y`; they are over shared variables.
    #[arg(long, value_name = "LIST", requires = "replay")]
    pub columns: Option<String>,
    /// The bad configurations that the run was found for, where they are not those of the file.
    #[arg(long, value_name = "CONFIGURATIONS", requires = "replay")]
    pub bad: Vec<String>,
    /// Stop after so many steps.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub steps: usize,
    /// How capacities are read.
    #[arg(long, value_parser = choice::<Channels>(), default_value = "declared")]
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
    /// What to show; by default the machines, in a picture the channels.
    #[arg(long, value_parser = choice::<What>())]
    pub what: Option<What>,
    /// As text, as a graph for Graphviz, or as a picture.
    #[arg(long, value_parser = choice::<Picture>(), default_value = "text")]
    pub format: Picture,
    /// Macros and folders.
    #[command(flatten)]
    pub read: ReadArgs,
    /// How output looks.
    #[command(flatten)]
    pub style: StyleArgs,
}

/// `view`
#[derive(Args, Debug)]
pub struct ViewArgs {
    /// The model.
    pub file: PathBuf,
    /// The port, on 127.0.0.1; by default a free one.
    #[arg(long, default_value_t = 0, value_name = "N", hide_default_value = true)]
    pub port: u16,
    /// The channel semantics.
    #[arg(long, value_parser = choice::<Channels>(), default_value = "declared")]
    pub channels: Channels,
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
    #[arg(long, value_parser = choice::<Target>(), value_name = "LANGUAGE")]
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

/// `lts`
#[derive(Subcommand, Debug)]
pub enum LtsCommand {
    /// Print sizes, and whether it is deterministic.
    Info(LtsArgs<1>),
    /// Print the smallest equivalent one, as .aut.
    Minimise(LtsArgs<1>),
    /// Compare two: exit code 0 if they are equivalent; otherwise 1, with what one can do and the other cannot.
    Compare(LtsArgs<2>),
}

/// `cluster`
#[derive(Subcommand, Debug)]
pub enum ClusterCommand {
    /// Start a command as several processes on this machine: `cluster run -n 2 -- check FILE`.
    Run {
        /// The number of processes.
        #[arg(short = 'n', value_name = "N", default_value_t = 2)]
        processes: usize,
        /// The command, with its options.
        #[arg(last = true, required = true, value_name = "COMMAND")]
        command: Vec<OsString>,
    },
}

/// Some transition systems, an equivalence and limits.
#[derive(Args, Debug)]
pub struct LtsArgs<const FILES: usize> {
    /// The files.
    #[arg(required = true, num_args = FILES, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// When two states are equivalent.
    #[arg(long, value_parser = choice::<Equivalence>(), default_value = "branching")]
    pub equivalence: Equivalence,
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
    use std::collections::BTreeSet;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    /// The options in the first column of the second table of `docs/src/applicability.md`.
    fn documented() -> BTreeSet<String> {
        let page = include_str!("../../../docs/src/applicability.md");
        let (_, table) = page.split_once("## Options of `check`").expect("the heading of the table");
        let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
        rows.filter_map(|row| row.split(['`', ' ']).next()).map(str::to_owned).collect()
    }

    #[test]
    fn every_option_of_check_is_in_the_table_of_the_book() {
        let mut cli = Cli::command();
        cli.build();
        let check = cli.find_subcommand("check").expect("the command");
        let name = |option: &clap::Arg| match (option.get_long(), option.get_short()) {
            (Some(long), _) => Some(format!("--{long}")),
            (None, short) => short.map(|short| format!("-{short}")),
        };
        let options: BTreeSet<String> =
            check.get_arguments().filter_map(name).filter(|name| name != "--help").collect();
        assert!(options.len() > 35, "{options:?}");
        assert_eq!(options, documented());
    }
}

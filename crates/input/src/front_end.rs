//! Front ends: which language a file has, and what is read of it.

use crate::choice::Choice;
use crate::components::{self, How};
use crate::error::Error;
use crate::formulas::add_formulas;
use crate::options::{Language, ReadOptions};
use crate::programs;
use crate::system::{NetworkModel, Parsed, System};
use capsules::Dialect::{self, Art, Room};
use capsules::Threads;
use capsules::is_question;
use model::budget::Budget;
use model::explanation::{Explanation, Table};
use model::info::{CompositionInfo, ModelInfo};
use model::network::{Initial, MachineKind, Network};
use model::source::SourceFile;
use promela::preprocess::Options;
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Measured on models of 10 MB: 320 to 500.
const BYTES_PER_TOKEN: u64 = 500;

/// A text larger than this is not a model.
const LARGEST: u64 = 256 << 20;

/// Reads one language.
pub trait FrontEnd: Sync {
    /// The language.
    fn language(&self) -> Language;

    /// The extensions of its files.
    fn extensions(&self) -> &'static [&'static str];

    /// What its diagnostics mean.
    fn codes(&self) -> &'static Table;

    /// Reads a text together with formulas that are not in it: their names are their texts.
    fn read(&self, text: &Text, options: &ReadOptions, formulas: &[String], budget: &Budget) -> Result<Parsed, Error>;
}

/// All front ends.
static FRONT_ENDS: [&dyn FrontEnd; 9] = [&Promela, &SCM, &CFSM, &Fsp, &Aut, &C, &Spec, &Capsules(Art), &Capsules(Room)];

/// The front end for a file: by the language that is given, or else by its extension.
pub fn of(path: &Path, language: Option<Language>) -> Result<&'static dyn FrontEnd, Error> {
    let mut all = FRONT_ENDS.iter().copied();
    if let Some(language) = language {
        return all
            .find(|front_end| front_end.language() == language)
            .ok_or(Error::Internal("a language has no reader"));
    }
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("").to_ascii_lowercase();
    let found = all.find(|front_end| front_end.extensions().contains(&extension.as_str()));
    found.ok_or_else(|| Error::Language { file: path.display().to_string() })
}

/// The explanations of all diagnostics; front ends may share a table.
pub fn explanations() -> impl Iterator<Item = &'static Explanation> {
    let tables = FRONT_ENDS.iter().map(|front_end| front_end.codes()).enumerate();
    let is_first = |index: usize, table: &Table| !FRONT_ENDS[..index].iter().any(|f| std::ptr::eq(f.codes(), table));
    tables.filter(move |(index, table)| is_first(*index, table)).flat_map(|(_, table)| table.iter())
}

/// The extensions of all languages.
pub(crate) fn extensions() -> impl Iterator<Item = &'static str> {
    FRONT_ENDS.iter().flat_map(|front_end| front_end.extensions().iter().copied())
}

/// A text, with the place from which it refers to others.
#[derive(Clone)]
pub struct Text {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Text {
    /// The text of a file.
    pub fn load(path: &Path) -> Result<Text, Error> {
        let unreadable = |reason: String| Error::Unreadable { file: path.display().to_string(), reason };
        let metadata = std::fs::metadata(path).map_err(|e| unreadable(e.to_string()))?;
        if !metadata.is_file() {
            return Err(unreadable(String::from("it is not a file")));
        }
        if metadata.len() > LARGEST {
            return Err(unreadable(format!("it has more than {} MiB", LARGEST >> 20)));
        }
        let bytes = std::fs::read(path).map_err(|e| unreadable(e.to_string()))?;
        Ok(Text { path: path.to_path_buf(), bytes })
    }

    /// What a reader such as standard input has, under a name.
    pub fn from_reader(name: &str, reader: &mut dyn Read) -> Result<Text, Error> {
        let unreadable = |reason: String| Error::Unreadable { file: name.to_owned(), reason };
        let mut bytes = Vec::new();
        reader.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|e| unreadable(e.to_string()))?;
        if bytes.len() as u64 > LARGEST {
            return Err(unreadable(format!("it has more than {} MiB", LARGEST >> 20)));
        }
        Ok(Text { path: PathBuf::from(name), bytes })
    }

    /// A text that is in no file.
    pub fn named(name: &str, text: &str) -> Text {
        Text { path: PathBuf::from(name), bytes: text.as_bytes().to_vec() }
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn text(&self) -> std::borrow::Cow<'_, str> {
        without_mark(&self.bytes)
    }

    fn info(&self, language: Language, included: &[&str], options: &ReadOptions) -> ModelInfo {
        ModelInfo {
            file: self.name(),
            language: language.name(),
            sha256: hash(&self.bytes, included),
            defines: options.define.clone(),
            processes: 0,
            machines: 0,
            channels: 0,
            composition: None,
            program: None,
            components: None,
        }
    }
}

struct Promela;

impl FrontEnd for Promela {
    fn language(&self) -> Language {
        Language::Promela
    }

    fn extensions(&self) -> &'static [&'static str] {
        // Models without an extension, and with those of older collections, are Promela.
        &["pml", "prm", "promela", "pm", "pr", "prom", "spin", ""]
    }

    fn codes(&self) -> &'static Table {
        &promela::codes::ALL
    }

    fn read(&self, text: &Text, options: &ReadOptions, formulas: &[String], budget: &Budget) -> Result<Parsed, Error> {
        not_for("Promela", &[c_option(options), system_option(options)])?;
        let mut read = Options {
            include_dirs: options.include.clone(),
            budget: budget.clone(),
            formulas: formulas.to_vec(),
            ..Options::default()
        };
        // What is read must fit into memory, too: the tree and the model take some hundred bytes per token.
        let tokens = budget.most_memory().map_or(usize::MAX, |memory| (memory / BYTES_PER_TOKEN) as usize);
        read.max_tokens = read.max_tokens.min(tokens);
        for define in &options.define {
            read.defines.push(split_define(define)?);
        }
        let read = promela::read(&text.name(), &text.text(), &read);
        // What is included belongs to the model, too.
        let is_included = |file: &&SourceFile| !file.name.starts_with('<');
        let included = read.sources.files().iter().skip(1).filter(is_included).map(|file| file.text.as_str());
        let info = text.info(Language::Promela, &included.collect::<Vec<_>>(), options);
        let info = sizes(info, read.network.as_ref());
        let system = read.network.map(|network| System::Network(NetworkModel { network, bad: None }));
        Ok(Parsed { system, sources: read.sources, diagnostics: read.diagnostics, info })
    }
}

/// Communicating machines, in McScM's format or in KMC's.
struct Machines {
    language: Language,
    extensions: &'static [&'static str],
    read: fn(&str, &str) -> scm::Read,
}

static SCM: Machines = Machines { language: Language::Scm, extensions: &["scm"], read: scm::read };
static CFSM: Machines = Machines { language: Language::Cfsm, extensions: &["cfsm"], read: scm::read_cfsm };

impl FrontEnd for Machines {
    fn language(&self) -> Language {
        self.language
    }

    fn extensions(&self) -> &'static [&'static str] {
        self.extensions
    }

    fn codes(&self) -> &'static Table {
        &scm::codes::ALL
    }

    fn read(&self, text: &Text, options: &ReadOptions, formulas: &[String], _: &Budget) -> Result<Parsed, Error> {
        not_for(
            "communicating machines (.scm, .cfsm)",
            &[c_option(options), system_option(options), define_option(options), include_option(options)],
        )?;
        let mut read = (self.read)(&text.name(), &text.text());
        if let Some(model) = &mut read.model {
            add_formulas(&mut model.network, formulas)?;
        }
        let info = sizes(text.info(self.language, &[], options), read.model.as_ref().map(|model| &model.network));
        let system = read
            .model
            .map(|model| System::Network(NetworkModel { network: model.network, bad: Some(model.specification) }));
        Ok(Parsed { system, sources: read.sources, diagnostics: read.diagnostics, info })
    }
}

struct Fsp;

impl FrontEnd for Fsp {
    fn language(&self) -> Language {
        Language::Fsp
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["fsp", "lts"]
    }

    fn codes(&self) -> &'static Table {
        &fsp::codes::ALL
    }

    fn read(&self, text: &Text, options: &ReadOptions, formulas: &[String], _: &Budget) -> Result<Parsed, Error> {
        if let Some(define) = options.define.first() {
            return Err(Error::Usage(format!(
                "-D {define} is for Promela and C: FSP has no macros; a `const` is changed in the text"
            )));
        }
        not_for("FSP", &[c_option(options)])?;
        let fsp_options = fsp::Options { formulas: formulas.to_vec(), system: options.system.clone() };
        let loaded: RefCell<Vec<String>> = RefCell::default();
        let load = |name: &str| {
            let (_, text) = load(&text.path, &options.include, name)?;
            loaded.borrow_mut().push(text.clone());
            Ok(text)
        };
        let read = fsp::read(&text.name(), &text.text(), &fsp_options, &load);
        let loaded = loaded.into_inner();
        let included: Vec<&str> = loaded.iter().map(String::as_str).collect();
        Ok(composition(read, text.info(Language::Fsp, &included, options), options))
    }
}

struct Aut;

impl FrontEnd for Aut {
    fn language(&self) -> Language {
        Language::Aut
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["aut"]
    }

    fn codes(&self) -> &'static Table {
        &fsp::codes::ALL
    }

    fn read(&self, text: &Text, options: &ReadOptions, formulas: &[String], _: &Budget) -> Result<Parsed, Error> {
        if options.system.is_some() {
            return Err(Error::Usage(String::from("--system is for FSP: an .aut file has one structure")));
        }
        not_for("the Aldebaran format (.aut)", &[c_option(options), define_option(options), include_option(options)])?;
        let aut_options = fsp::Options { formulas: formulas.to_vec(), system: None };
        let read = fsp::read_aut(&text.name(), &text.text(), &aut_options);
        Ok(composition(read, text.info(Language::Aut, &[], options), options))
    }
}

fn composition(read: fsp::Read, info: ModelInfo, options: &ReadOptions) -> Parsed {
    let about = read.composition.as_ref().map(|composition| CompositionInfo {
        system: options.system.clone(),
        components: composition.components.len(),
        events: composition.events.len(),
    });
    let info = ModelInfo { composition: about, ..info };
    let system = read.composition.map(System::Composition);
    Parsed { system, sources: read.sources, diagnostics: read.diagnostics, info }
}

struct C;

impl FrontEnd for C {
    fn language(&self) -> Language {
        Language::C
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["c", "i"]
    }

    fn codes(&self) -> &'static Table {
        &cfront::codes::ALL
    }

    fn read(&self, text: &Text, options: &ReadOptions, formulas: &[String], budget: &Budget) -> Result<Parsed, Error> {
        not_for("C programs (.c)", &[system_option(options)])?;
        // No engine answers them for C programs, but a text that is no formula is bad usage everywhere.
        for text in formulas {
            ltl::parse(text).map_err(|error| Error::Usage(format!("-p ltl:'{text}': {}", error.message)))?;
        }
        let flags = preprocessor_flags(options)?;
        let read = programs::read(&text.path, &text.text(), &flags, &options.c, budget);
        let included: Vec<&str> = read.included.iter().map(String::as_str).collect();
        let (program, about) = read.program.unzip();
        let info = ModelInfo { program: about, ..text.info(Language::C, &included, options) };
        let system = program.map(System::Program);
        Ok(Parsed { system, sources: read.sources, diagnostics: read.diagnostics, info })
    }
}

struct Spec;

impl FrontEnd for Spec {
    fn language(&self) -> Language {
        Language::Spec
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["spec"]
    }

    fn codes(&self) -> &'static Table {
        &spec::codes::ALL
    }

    fn read(&self, text: &Text, options: &ReadOptions, formulas: &[String], budget: &Budget) -> Result<Parsed, Error> {
        if options.system.is_some() {
            return Err(Error::Usage(String::from("--system is for FSP: a specification has one `program`")));
        }
        if options.c.entry.is_some() {
            return Err(Error::Usage(String::from(
                "--entry is for C programs (.c): a specification names its procedures",
            )));
        }
        let how = How { c: &options.c, flags: preprocessor_flags(options)?, formulas, budget };
        let find = |name: &str| load(&text.path, &options.include, name);
        let read = components::read(&text.path, &text.text(), &how, &find);
        let included: Vec<&str> = read.included.iter().map(String::as_str).collect();
        let (file, about) = read.file.unzip();
        let info = ModelInfo { components: about, ..text.info(Language::Spec, &included, options) };
        let system = file.map(System::Components);
        Ok(Parsed { system, sources: read.sources, diagnostics: read.diagnostics, info })
    }
}

/// What UML-RT models can be told on the command line.
const THREADS: &str = "-D for UML-RT (.art, .room) is threads=any (each capsule has a queue) or threads=configured (each controller of the \
                       build file has a queue)";

struct Capsules(Dialect);

impl FrontEnd for Capsules {
    fn language(&self) -> Language {
        match self.0 {
            Art => Language::Art,
            Room => Language::Room,
        }
    }

    fn extensions(&self) -> &'static [&'static str] {
        match self.0 {
            Art => &["art"],
            Room => &["room"],
        }
    }

    fn codes(&self) -> &'static Table {
        &capsules::codes::ALL
    }

    fn read(&self, text: &Text, options: &ReadOptions, formulas: &[String], _: &Budget) -> Result<Parsed, Error> {
        not_for("UML-RT (.art, .room)", &[c_option(options)])?;
        let own = capsules::Text { name: text.name(), text: text.text().into_owned() };
        let beside = beside(text, &options.include, self.extensions()[0])?;
        let mut builds = beside_own(text, if self.0 == Art { "tcjs" } else { "etmap" })?;
        let tops = builds.iter().filter_map(|build| capsules::top_capsule(self.0, &build.text));
        let tops: BTreeSet<&str> = tops.collect();
        // Several build files with several top capsules leave it open.
        let built = tops.first().copied().filter(|_| tops.len() == 1);
        let built = built.map(str::to_owned);
        let top = options.system.as_deref().or(built.as_deref());
        // Of several build files, those count that name the top capsule.
        let named =
            |build: &capsules::Text| capsules::top_capsule(self.0, &build.text).is_none_or(|name| Some(name) == top);
        builds.retain(named);
        if self.0 == Room {
            builds.extend(beside_own(text, "etphys")?);
        }
        if builds.iter().any(|build| capsules::has_factory(&build.text)) {
            let why = "the build file beside the model sets `capsuleFactory`: capsules that C++ creates cannot be checked yet";
            return Err(Error::Usage(String::from(why)));
        }
        let texts = || builds.iter().map(|build| build.text.as_str());
        let threads = match &options.define[..] {
            [] => Threads::Any,
            [define] if define == "threads=any" => Threads::Any,
            [define] if define == "threads=configured" => Threads::Configured(capsules::configured(self.0, texts())),
            _ => return Err(Error::Usage(String::from(THREADS))),
        };
        let mut read = capsules::read(self.0, &own, &beside, top, &threads);
        if let Some(network) = &mut read.network {
            let (questions, formulas): (Vec<String>, _) = formulas.iter().cloned().partition(|t| is_question(t));
            for question in questions {
                let formula = capsules::question(network, &question).map_err(Error::Usage)?;
                network.formulas.push(formula);
            }
            add_formulas(network, &formulas)?;
        }
        let is_included = |file: &&SourceFile| !file.name.starts_with('<');
        let included = read.sources.files().iter().skip(1).filter(is_included).map(|file| file.text.as_str());
        let configured = texts().filter(|_| threads != Threads::Any);
        let included: Vec<&str> = included.chain(built.as_deref()).chain(configured).collect();
        let name = if threads == Threads::Any { "threads=any" } else { "threads=configured" };
        let options = ReadOptions { define: vec![name.to_owned()], ..options.clone() };
        let info = sizes(text.info(self.language(), &included, &options), read.network.as_ref());
        let system = read.network.map(|network| System::Network(NetworkModel { network, bad: None }));
        Ok(Parsed { system, sources: read.sources, diagnostics: read.diagnostics, info })
    }
}

/// The other files with an extension in the folder of a text and in those of `-I`, by name.
fn beside(text: &Text, folders: &[PathBuf], extension: &str) -> Result<Vec<capsules::Text>, Error> {
    let mut found = beside_own(text, extension)?;
    for folder in folders {
        found.extend(in_folder(folder, extension, &text.path)?);
    }
    Ok(found)
}

/// The other files with an extension in the folder of a text, by name; none for a text that is in no file.
fn beside_own(text: &Text, extension: &str) -> Result<Vec<capsules::Text>, Error> {
    let folder = text.path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    if text.path.is_file() { in_folder(folder, extension, &text.path) } else { Ok(Vec::new()) }
}

fn in_folder(folder: &Path, extension: &str, own: &Path) -> Result<Vec<capsules::Text>, Error> {
    let unreadable = |reason: String| Error::Unreadable { file: folder.display().to_string(), reason };
    let entries = std::fs::read_dir(folder).map_err(|e| unreadable(e.to_string()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == extension) && path.file_name() != own.file_name());
    paths.sort();
    let mut size = 0;
    let mut found = Vec::new();
    for path in paths.iter().filter(|path| path.is_file()) {
        let text = Text::load(path)?;
        size += text.bytes.len() as u64;
        if size > LARGEST {
            return Err(unreadable(format!("its files have more than {} MiB", LARGEST >> 20)));
        }
        found.push(capsules::Text { name: text.name(), text: text.text().into_owned() });
    }
    Ok(found)
}

/// Rejects options of other languages: each is its name and where it applies.
fn not_for(language: &str, options: &[Option<(&str, &str)>]) -> Result<(), Error> {
    match options.iter().flatten().next() {
        Some((option, meant)) => Err(Error::Usage(format!("{option} does not apply to {language}; it is for {meant}"))),
        None => Ok(()),
    }
}

fn c_option(options: &ReadOptions) -> Option<(&'static str, &'static str)> {
    options.c.given().map(|option| (option, "C (.c, .spec)"))
}

fn system_option(options: &ReadOptions) -> Option<(&'static str, &'static str)> {
    options.system.is_some().then_some(("--system", "compositions (.fsp) and UML-RT (.art, .room)"))
}

fn define_option(options: &ReadOptions) -> Option<(&'static str, &'static str)> {
    (!options.define.is_empty()).then_some(("-D", "Promela and C"))
}

fn include_option(options: &ReadOptions) -> Option<(&'static str, &'static str)> {
    (!options.include.is_empty()).then_some(("-I", "languages with included files: Promela, FSP and C"))
}

/// Macros and folders, as the compiler wants them.
fn preprocessor_flags(options: &ReadOptions) -> Result<Vec<String>, Error> {
    let mut flags = Vec::new();
    for define in &options.define {
        let (name, value) = split_define(define)?;
        flags.push(format!("-D{name}={value}"));
    }
    for folder in &options.include {
        flags.extend([String::from("-I"), folder.display().to_string()]);
    }
    Ok(flags)
}

/// A file that a text names, from the folder of the text or from one of those of `-I`.
fn load(path: &Path, folders: &[PathBuf], name: &str) -> Result<(PathBuf, String), String> {
    let own = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut candidates = [own].iter().chain(folders).map(|folder| folder.join(name)).collect::<Vec<_>>();
    candidates.retain(|candidate| candidate.is_file());
    let Some(found) = candidates.first() else { return Err(String::from("there is no such file")) };
    let metadata = std::fs::metadata(found).map_err(|e| e.to_string())?;
    if metadata.len() > LARGEST {
        return Err(format!("it has more than {} MiB", LARGEST >> 20));
    }
    let bytes = std::fs::read(found).map_err(|e| e.to_string())?;
    Ok((found.clone(), without_mark(&bytes).into_owned()))
}

/// A text without the byte order mark that some editors put in front of it.
fn without_mark(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes))
}

fn split_define(define: &str) -> Result<(String, String), Error> {
    let (name, value) = define.split_once('=').unwrap_or((define, "1"));
    let valid = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(valid) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(Error::Usage(format!("-D {define}: `{name}` is not a name for a macro")));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// Counts processes and channels of a network.
pub fn sizes(info: ModelInfo, network: Option<&Network>) -> ModelInfo {
    ModelInfo {
        processes: network.map_or(0, |n| n.instances.len()),
        machines: network.map_or(0, process_types),
        channels: network.map_or(0, channels),
        ..info
    }
}

fn process_types(network: &Network) -> usize {
    network.machines.iter().filter(|m| m.kind == MachineKind::Process).count()
}

/// The channels that exist from the start.
fn channels(network: &Network) -> usize {
    let of = |variables: &[model::network::Variable]| -> usize {
        variables.iter().filter(|v| matches!(v.initial, Initial::NewChannel(_))).map(|v| v.len()).sum()
    };
    let local: usize = network.instances.iter().map(|i| of(&network.machine(i.machine).variables)).sum();
    of(&network.variables) + local
}

/// The hash of a file and of the texts that it includes, in the order in which they were read.
pub fn hash(file: &[u8], included: &[&str]) -> String {
    let mut hasher = Sha256::new();
    hasher.update(file);
    for text in included {
        hasher.update(text.as_bytes());
    }
    hex(&hasher.finalize())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

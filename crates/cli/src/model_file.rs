//! A model on disk: found, hashed, read by the front end of its language.

use crate::arguments::ReadArgs;
use crate::components::{self, ComponentsFile};
use crate::failure::Failure;
use crate::machines;
use crate::programs::{self, ProgramFile};
use model::budget::Budget;
use model::composition::Composition;
use model::diagnostic::Diagnostic;
use model::network::{Initial, MachineKind, Network};
use model::source::{SourceFile, SourceMap};
use model::verdict::Limits;
use promela::preprocess::Options;
use report::document::{CompositionInfo, ModelInfo};
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A model that was read.
pub struct ModelFile {
    /// The model; `None` if there was an error.
    pub network: Option<Network>,
    /// Structures side by side, instead.
    pub composition: Option<Composition>,
    /// A C program, instead.
    pub program: Option<ProgramFile>,
    /// C components, instead.
    pub components: Option<ComponentsFile>,
    /// The bad configurations, for communicating machines.
    pub specification: Option<scm::Specification>,
    /// Its texts.
    pub sources: SourceMap,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// Name, hash and so on.
    pub info: ModelInfo,
}

impl ModelFile {
    /// Whether the model was read, and has a formula with this name.
    pub fn has_formula(&self, name: &str) -> bool {
        let network = self.network.iter().flat_map(|network| &network.formulas).any(|formula| formula.name == name);
        let composition = self.composition.iter().flat_map(|composition| &composition.formulas);
        let components = self.components.iter().flat_map(|components| &components.specification.formulas);
        network || composition.into_iter().chain(components).any(|formula| formula.name == name)
    }
}

/// Measured on models of 10 MB: 320 to 500.
const BYTES_PER_TOKEN: u64 = 500;

/// A text larger than this is not a model.
const LARGEST: u64 = 256 << 20;

/// Reads a model in the language that its name tells.
pub fn read(path: &Path, args: &ReadArgs, budget: &Budget) -> Result<ModelFile, Failure> {
    read_with_formulas(path, args, &[], budget)
}

/// Reads a model together with formulas that are not in it: their names are their texts.
pub fn read_with_formulas(
    path: &Path,
    args: &ReadArgs,
    formulas: &[String],
    budget: &Budget,
) -> Result<ModelFile, Failure> {
    let file = path.display().to_string();
    refuse_other_languages(path)?;
    if let Some(option) = args.c.given().filter(|_| !is_program(path) && !is_components(path)) {
        return Err(Failure::Usage(format!("{option} is for C (.c, .spec)")));
    }
    let unreadable = |reason: String| Failure::Unreadable { file: file.clone(), reason };
    let metadata = std::fs::metadata(path).map_err(|e| unreadable(e.to_string()))?;
    if !metadata.is_file() {
        return Err(unreadable(String::from("it is not a file")));
    }
    if metadata.len() > LARGEST {
        return Err(unreadable(format!("it has more than {} MiB", LARGEST >> 20)));
    }
    let bytes = std::fs::read(path).map_err(|e| unreadable(e.to_string()))?;
    let sha256 = hex(&Sha256::digest(&bytes));
    let text = String::from_utf8_lossy(&bytes);
    if is_machines(path) {
        return read_machines(file, &text, sha256, args, formulas);
    }
    if is_composition(path) {
        return read_composition(path, &bytes, &text, args, formulas);
    }
    if is_program(path) {
        return read_program(path, &bytes, &text, args, budget);
    }
    if is_components(path) {
        return read_components(path, &bytes, &text, args, (formulas, budget));
    }
    if args.system.is_some() {
        return Err(Failure::Usage(String::from("--system is for structures side by side (.fsp)")));
    }
    let mut options = Options {
        include_dirs: args.include.clone(),
        deadline: Limits::from(budget).deadline,
        formulas: formulas.to_vec(),
        ..Options::default()
    };
    // What is read must fit into memory, too: the tree and the model take some hundred bytes per token.
    if let Some(memory) = budget.most_memory() {
        options.max_tokens = options.max_tokens.min((memory / BYTES_PER_TOKEN) as usize);
    }
    for define in &args.define {
        options.defines.push(split_define(define)?);
    }
    let read = promela::read(&file, &text, &options);
    // What is included belongs to the model, too.
    let included: Vec<&SourceFile> = read.sources.files().iter().skip(1).filter(|f| !f.name.starts_with('<')).collect();
    let sha256 =
        if included.is_empty() { sha256 } else { hash_all(&bytes, included.iter().map(|file| file.text.as_str())) };
    let info = info(file, "promela", sha256, args, read.network.as_ref());
    let (network, sources, diagnostics) = (read.network, read.sources, read.diagnostics);
    Ok(ModelFile { network, ..nothing(sources, diagnostics, info) })
}

/// Texts of which nothing was made yet.
fn nothing(sources: SourceMap, diagnostics: Vec<Diagnostic>, info: ModelInfo) -> ModelFile {
    let (network, composition, program, components, specification) = Default::default();
    ModelFile { network, composition, program, components, specification, sources, diagnostics, info }
}

fn info(file: String, language: &'static str, sha256: String, args: &ReadArgs, network: Option<&Network>) -> ModelInfo {
    ModelInfo {
        file,
        language,
        sha256,
        defines: args.define.clone(),
        processes: network.map_or(0, |n| n.instances.len()),
        machines: network.map_or(0, process_types),
        channels: network.map_or(0, channels),
        composition: None,
        program: None,
        components: None,
    }
}

/// Whether a file is one of communicating machines, by its name.
pub fn is_machines(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "scm")
}

/// Communicating machines, with their bad configurations.
fn read_machines(
    file: String,
    text: &str,
    sha256: String,
    args: &ReadArgs,
    formulas: &[String],
) -> Result<ModelFile, Failure> {
    let mut read = scm::read(&file, text);
    if let Some(model) = &mut read.model {
        machines::add_formulas(&mut model.network, formulas)?;
    }
    let info = info(file, "scm", sha256, args, read.model.as_ref().map(|model| &model.network));
    let (network, specification) = read.model.map(|model| (model.network, model.specification)).unzip();
    let (sources, diagnostics) = (read.sources, read.diagnostics);
    Ok(ModelFile { network, specification, ..nothing(sources, diagnostics, info) })
}

/// Whether a file is one of structures side by side, by its name.
pub fn is_composition(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "fsp" || extension == "aut")
}

/// Structures side by side, with the files that they are loaded from.
fn read_composition(
    path: &Path,
    bytes: &[u8],
    text: &str,
    args: &ReadArgs,
    formulas: &[String],
) -> Result<ModelFile, Failure> {
    let file = path.display().to_string();
    if let Some(define) = args.define.first() {
        return Err(Failure::Usage(format!("-D {define}: FSP has no macros; a `const` is changed in the text")));
    }
    let is_aut = path.extension().is_some_and(|extension| extension == "aut");
    if is_aut && args.system.is_some() {
        return Err(Failure::Usage(String::from("--system is for FSP: an .aut file has one structure")));
    }
    let options = fsp::Options { formulas: formulas.to_vec(), system: args.system.clone() };
    let loaded: RefCell<Vec<String>> = RefCell::default();
    let load = |name: &str| {
        let text = load(path, &args.include, name)?;
        loaded.borrow_mut().push(text.clone());
        Ok(text)
    };
    let read = if is_aut { fsp::read_aut(&file, text, &options) } else { fsp::read(&file, text, &options, &load) };
    let composition = read.composition.as_ref().map(|composition| CompositionInfo {
        system: args.system.clone(),
        components: composition.components.len(),
        events: composition.events.len(),
    });
    let sha256 = hash_all(bytes, loaded.borrow().iter().map(String::as_str));
    let language = if is_aut { "aut" } else { "fsp" };
    let info = ModelInfo { composition, ..info(file, language, sha256, args, None) };
    let (composition, sources, diagnostics) = (read.composition, read.sources, read.diagnostics);
    Ok(ModelFile { composition, ..nothing(sources, diagnostics, info) })
}

/// Whether a file is a C program, by its name.
pub fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "c" || extension == "i")
}

/// A C program, with the files that it includes.
fn read_program(path: &Path, bytes: &[u8], text: &str, args: &ReadArgs, budget: &Budget) -> Result<ModelFile, Failure> {
    if args.system.is_some() {
        return Err(Failure::Usage(String::from("--system is for structures side by side (.fsp)")));
    }
    let read = programs::read(path, text, &preprocessor_flags(args)?, &args.c, budget);
    let sha256 = hash_all(bytes, read.included.iter().map(String::as_str));
    let info = info(path.display().to_string(), "c", sha256, args, None);
    let (program, about) = read.program.unzip();
    let info = ModelInfo { program: about, ..info };
    let (sources, diagnostics) = (read.sources, read.diagnostics);
    Ok(ModelFile { program, ..nothing(sources, diagnostics, info) })
}

/// Macros and folders, as the compiler wants them.
fn preprocessor_flags(args: &ReadArgs) -> Result<Vec<String>, Failure> {
    let mut flags = Vec::new();
    for define in &args.define {
        let (name, value) = split_define(define)?;
        flags.push(format!("-D{name}={value}"));
    }
    for folder in &args.include {
        flags.extend([String::from("-I"), folder.display().to_string()]);
    }
    Ok(flags)
}

/// Whether a file is a specification of C components, by its name.
pub fn is_components(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "spec")
}

/// C components, with the C files that they are in, and what these include.
fn read_components(
    path: &Path,
    bytes: &[u8],
    text: &str,
    args: &ReadArgs,
    (formulas, budget): (&[String], &Budget),
) -> Result<ModelFile, Failure> {
    if args.system.is_some() {
        return Err(Failure::Usage(String::from("--system is for FSP: a specification has one `program`")));
    }
    if args.c.entry.is_some() {
        return Err(Failure::Usage(String::from(
            "--entry is for C programs (.c): a specification names its procedures",
        )));
    }
    let how = components::How { c: &args.c, flags: preprocessor_flags(args)?, formulas, budget };
    let read = components::read(path, text, &how, &|name| load_with_path(path, &args.include, name));
    let sha256 = hash_all(bytes, read.included.iter().map(String::as_str));
    let info = info(path.display().to_string(), "spec", sha256, args, None);
    let (file, about) = read.file.unzip();
    let info = ModelInfo { components: about, ..info };
    let (sources, diagnostics) = (read.sources, read.diagnostics);
    Ok(ModelFile { components: file, ..nothing(sources, diagnostics, info) })
}

/// A file that a text names, from the folder of the text or from one of those of `-I`.
fn load(path: &Path, folders: &[PathBuf], name: &str) -> Result<String, String> {
    load_with_path(path, folders, name).map(|(_, text)| text)
}

fn load_with_path(path: &Path, folders: &[PathBuf], name: &str) -> Result<(PathBuf, String), String> {
    let own = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut candidates = [own].iter().chain(folders).map(|folder| folder.join(name)).collect::<Vec<_>>();
    candidates.retain(|candidate| candidate.is_file());
    let Some(found) = candidates.first() else { return Err(String::from("there is no such file")) };
    let metadata = std::fs::metadata(found).map_err(|e| e.to_string())?;
    if metadata.len() > LARGEST {
        return Err(format!("it has more than {} MiB", LARGEST >> 20));
    }
    let bytes = std::fs::read(found).map_err(|e| e.to_string())?;
    Ok((found.clone(), String::from_utf8_lossy(&bytes).into_owned()))
}

/// Languages that are planned are named; everything else is taken for Promela.
fn refuse_other_languages(path: &Path) -> Result<(), Failure> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let language = match extension {
        "art" => "UML-RT (.art)",
        _ => return Ok(()),
    };
    Err(Failure::Language { file: path.display().to_string(), language })
}

fn split_define(define: &str) -> Result<(String, String), Failure> {
    let (name, value) = define.split_once('=').unwrap_or((define, "1"));
    let valid = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(valid) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(Failure::Usage(format!("-D {define}: `{name}` is not a name for a macro")));
    }
    Ok((name.to_owned(), value.to_owned()))
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
fn hash_all<'t>(file: &[u8], included: impl Iterator<Item = &'t str>) -> String {
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

//! Where to search: on the CPU, on a device, or on a device if there is one.

use crate::cuda::Cuda;
use crate::search::{Refused, Report, search, text};
use explore::Options;
use model::budget::Stopwatch;
use model::context::Context;
use model::semantics::Semantics;
use model::source::SourceMap;
use model::verdict::{Outcome, Property, Reason};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The device begins with the first layer of so many states.
const WIDE: usize = 1000;

/// Where a search runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// On the CPU.
    #[default]
    Cpu,
    /// On a GPU if there is one that can, else on the CPU, with a note that says why.
    Auto,
    /// On the GPU of NVIDIA with this number, or not at all.
    Cuda(u32),
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Cpu => write!(f, "cpu"),
            Device::Auto => write!(f, "auto"),
            Device::Cuda(number) => write!(f, "cuda:{number}"),
        }
    }
}

impl FromStr for Device {
    type Err = String;

    fn from_str(text: &str) -> Result<Device, String> {
        match (text, text.strip_prefix("cuda:").map(str::parse)) {
            ("cpu", _) => Ok(Device::Cpu),
            ("auto", _) => Ok(Device::Auto),
            ("cuda", _) => Ok(Device::Cuda(0)),
            (_, Some(Ok(number))) => Ok(Device::Cuda(number)),
            _ => Err(String::from("a device is `cpu`, `auto`, `cuda` or `cuda:N`")),
        }
    }
}

/// Where a search runs, and where its text goes.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// Where it runs.
    pub device: Device,
    /// A file that the generated text is written to.
    pub emit: Option<PathBuf>,
}

/// Answers all properties of `options` with one search.
pub fn check(
    place: &Place,
    semantics: &Semantics<'_>,
    sources: &SourceMap,
    options: &Options,
    cx: &Context<'_>,
) -> Vec<Outcome> {
    if let Some(path) = &place.emit {
        let written = text(semantics, sources, WIDE, cx).map_err(|refused| refused.to_string());
        let written = written.and_then(|text| std::fs::write(path, text).map_err(|e| e.to_string()));
        if let Err(why) = written {
            return refused(options, semantics, &format!("--emit-cuda {}: {why}", path.display()));
        }
    }
    let number = match place.device {
        Device::Cpu => return explore::check(semantics, sources, options, cx),
        Device::Auto => 0,
        Device::Cuda(number) => number,
    };
    let start = Stopwatch::start();
    let found = Cuda::new(number, cache()).map_err(Refused::Failed);
    let found = found.and_then(|cuda| search((semantics, sources), options, WIDE, &cuda, cx));
    match found {
        Ok((found, report)) => {
            let mut outcomes = explore::conclude(&found, semantics, sources, options, start.elapsed());
            note(&mut outcomes, told(&report, found.stats.states));
            outcomes
        }
        Err(why) if place.device == Device::Auto => {
            let mut outcomes = explore::check(semantics, sources, options, cx);
            note(&mut outcomes, format!("searched on the CPU: {why}"));
            outcomes
        }
        Err(why) => refused(options, semantics, &why.to_string()),
    }
}

fn note(outcomes: &mut [Outcome], text: String) {
    if let Some(first) = outcomes.first_mut() {
        first.details.advice.push(text);
    }
}

/// What was where.
fn told(report: &Report, states: u64) -> String {
    let Report { device, fallback, bits, compilation, seconds } = report;
    if device.is_empty() {
        return String::from("searched on the CPU: no layer is wide enough for a device");
    }
    format!(
        "searched on {device} in {seconds:.4} s after {compilation:.1} s for the kernel: {bits} bits a state, {fallback} of \
         {states} states expanded by the CPU"
    )
}

/// No answer to any property.
fn refused(options: &Options, semantics: &Semantics<'_>, why: &str) -> Vec<Outcome> {
    let reason = || Reason::NotSupported(why.to_owned());
    let open = |property: &Property| Outcome::open(property.clone(), semantics.reading(), explore::ENGINE, reason());
    options.properties.iter().map(open).collect()
}

/// The folder of the user for what was compiled.
fn cache() -> Option<PathBuf> {
    let folder = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    folder.or_else(home).map(|folder| folder.join("highwater").join("kernels"))
}

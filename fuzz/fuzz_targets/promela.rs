//! Any text is read as a Promela model or refused, without looking for other files.
#![no_main]

use promela::preprocess::{Loader, Options};
use report::style::Style;

struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, name: &str, _quoted: bool, _including: &str) -> Result<(String, String), String> {
        Err(format!("no file {name}"))
    }
}

libfuzzer_sys::fuzz_target!(|text: &str| {
    // Macros can make a long model of a short text; the fuzzer looks for crashes, not for patience.
    let options = Options { max_tokens: 20_000, ..Options::default() };
    let read = promela::read_with("fuzz.pml", text, &options, &mut NoFiles);
    report::diagnostics::render(&read.diagnostics, &read.sources, Style::PLAIN);
});

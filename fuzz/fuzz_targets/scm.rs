//! Any text is read as a `.scm` model or refused; what is said about it can be shown.
#![no_main]

use report::style::Style;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let read = scm::read("fuzz.scm", text);
    report::diagnostics::render(&read.diagnostics, &read.sources, Style::PLAIN);
});

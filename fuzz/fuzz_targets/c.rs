//! Any text is read as a C unit or refused; no preprocessor is started.
#![no_main]

use cfront::{Input, Options};
use report::style::Style;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let read = cfront::read(&Input::plain("fuzz.c", text), &Options::default());
    report::diagnostics::render(&read.diagnostics, &read.sources, Style::PLAIN);
});

//! Any text is read as an `.fsp` model or refused; what is read can be printed and read again.
#![no_main]

use report::style::Style;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let no_file = |name: &str| Err(format!("no file {name}"));
    let read = fsp::read("fuzz.fsp", text, &fsp::Options::default(), &no_file);
    report::diagnostics::render(&read.diagnostics, &read.sources, Style::PLAIN);
    if let Some(Ok(printed)) = read.composition.map(|composition| fsp::print(&composition)) {
        let again = fsp::read("printed.fsp", &printed, &fsp::Options::default(), &no_file);
        assert!(again.composition.is_some(), "{printed}");
    }
});

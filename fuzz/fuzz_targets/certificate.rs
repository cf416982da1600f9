//! Any text is read as certificates or as a trace, or refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = report::parse::parse_certificate(text);
    let _ = report::parse::parse_trace(text);
});

//! The page: markup, style, script and data.

use crate::data::Data;
use model::source::SourceMap;
use report::document::Entry;
use serde_json::json;
use sha2::{Digest, Sha256};

const MARKUP: &str = include_str!("../assets/page.html");
const STYLE: &str = include_str!("../assets/page.css");
/// What both pages share.
const SHARED: &str = concat!(
    include_str!("../assets/elements.js"),
    include_str!("../assets/run.js"),
    include_str!("../assets/source.js"),
    include_str!("../assets/chart.js"),
    include_str!("../assets/panels.js"),
);

/// The page about some files; `command` is what it was made with, for those who want to make it again.
pub fn page(entries: &[Entry<'_>], command: &str) -> String {
    let json = serde_json::to_string(&Data::new(entries, command)).unwrap_or_default();
    filled(&[SHARED, include_str!("../assets/page.js")].concat(), &json)
}

/// The page of the explorer, which asks its own server only.
pub(crate) fn explorer_page(name: &str, sources: &SourceMap) -> String {
    let files: Vec<_> =
        sources.files().iter().map(|f| json!({ "name": f.name, "text": f.text, "place": f.is_place() })).collect();
    let data = json!({ "name": name, "files": files, "strings": [], "places": [] }).to_string();
    let script = [SHARED, include_str!("../assets/graph.js"), include_str!("../assets/explorer.js")].concat();
    filled(&script, &data).replacen("id=\"data\"", "id=\"model\"", 1).replacen(
        "default-src 'none';",
        "default-src 'none'; connect-src 'self';",
        1,
    )
}

/// The markup with a script and data.
fn filled(script: &str, json: &str) -> String {
    // No end of the element, no comment, and no line end that only JavaScript knows.
    let json = json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    let hash = |text: &str| format!("'sha256-{}'", base64(&Sha256::digest(text)));
    // What is replaced last is what others have written.
    MARKUP
        .replace("{{script-hash}}", &hash(script))
        .replace("{{style-hash}}", &hash(STYLE))
        .replace("{{style}}", STYLE)
        .replace("{{script}}", script)
        .replace("{{data}}", &json)
}

/// As the policy of a page names a hash.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= chunk.len() { letter as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        let known =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")];
        for (plain, encoded) in known {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
    }

    #[test]
    fn the_page_without_data_is_small_and_names_no_address() {
        let page = page(&[], "");
        assert!(page.len() < 100_000, "{} bytes", page.len());
        let named = page.replace("http://www.w3.org/", "");
        assert!(!named.contains("http:") && !named.contains("https:"), "an address");
    }
}

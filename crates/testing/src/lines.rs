//! How long a source is, for the tests that keep crates small.

/// The lines of a text without comments, blank lines and items that are compiled for tests only.
pub fn code_lines(text: &str) -> usize {
    let mut lines = text.lines().map(str::trim);
    let mut count = 0;
    while let Some(line) = lines.next() {
        if line.starts_with("#[cfg(test)]") {
            let mut open = 0;
            for line in lines.by_ref().skip_while(|line| line.starts_with("#[")) {
                open += line.matches('{').count() as i64 - line.matches('}').count() as i64;
                if open <= 0 {
                    break;
                }
            }
        } else if !line.is_empty() && !line.starts_with("//") {
            count += 1;
        }
    }
    count
}

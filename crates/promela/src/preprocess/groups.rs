//! Which groups of lines are read.
//!
//! `#if`, `#elif`, `#else` and `#endif` cut lines into groups, of which at most one is read. Each
//! file keeps a list of its open `#if`s, and an `#if` must be closed in the file that opened it. A
//! group that is not read is skipped without looking at anything but the words of its directives;
//! those of inner `#if`s are just counted.

use model::diagnostic::Diagnostic;
use model::source::Span;

use super::Preprocessor;
use super::directives::Directive;
use super::report::also_if;

/// An `#if` that waits for its `#endif`.
pub(super) struct OpenIf {
    /// Where the `#if` stands.
    opened: Span,
    /// Whether one of its groups has been read already.
    taken: bool,
    /// Where its `#else` stands.
    otherwise: Option<Span>,
}

impl Preprocessor<'_> {
    /// `#if`, `#ifdef` and `#ifndef`.
    pub(super) fn open_if(&mut self, directive: Directive, span: Span) {
        let taken = self.condition(directive, span);
        let Some(file) = self.files.last_mut() else { return };
        file.open_ifs.push(OpenIf { opened: span, taken, otherwise: None });
        if !taken {
            self.skip_groups();
        }
    }

    /// `#elif` and `#else` at the end of a group that was read: nothing more up to the `#endif` is.
    pub(super) fn end_group(&mut self, directive: Directive, span: Span) {
        if self.next_group(directive, span) {
            self.skip_groups();
        }
    }

    /// `#endif`.
    pub(super) fn close_if(&mut self, span: Span) {
        let closed = self.files.last_mut().and_then(|file| file.open_ifs.pop());
        if closed.is_none() {
            self.lacks_if("#endif", span);
        }
    }

    /// Leaves out groups until one is to be read or the `#endif` has come.
    fn skip_groups(&mut self) {
        let mut depth = 0usize;
        while let Some(hash) = self.files.last_mut().and_then(|file| file.scanner.skip_to_directive(self.names)) {
            let Some((word, span)) = self.directive_word(hash) else { continue };
            match self.directive_of(word) {
                Some(Directive::If(_)) => depth += 1,
                Some(Directive::Endif) if depth > 0 => depth -= 1,
                Some(Directive::Endif) => return self.close_if(span),
                Some(next @ (Directive::Elif(_) | Directive::Else)) if depth == 0 && self.takes_group(next, span) => {
                    return;
                }
                _ => {}
            }
        }
    }

    /// Notes an `#elif` or `#else`; `false` if it has no business here.
    fn next_group(&mut self, directive: Directive, span: Span) -> bool {
        let word = if directive == Directive::Else { "#else" } else { "#elif" };
        let Some(open) = self.innermost() else {
            self.lacks_if(word, span);
            return false;
        };
        if let Some(otherwise) = open.otherwise {
            let opened = open.opened;
            let report = Diagnostic::error("P0008", span, format!("`{word}` after `#else`"))
                .label("the `#else` has been before")
                .also(otherwise, "the `#else`")
                .also(opened, "of this `#if`")
                .help("an `#if` has any number of `#elif` and then at most one `#else`");
            self.report(report);
        } else if directive == Directive::Else {
            open.otherwise = Some(span);
        }
        true
    }

    /// Whether the group after this `#elif` or `#else` is the one that is read.
    fn takes_group(&mut self, directive: Directive, span: Span) -> bool {
        let free = self.next_group(directive, span) && self.innermost().is_some_and(|open| !open.taken);
        let takes = free && self.condition(directive, span);
        if let Some(open) = self.innermost() {
            open.taken |= takes;
        }
        takes
    }

    /// The `#if` that is being read.
    fn innermost(&mut self) -> Option<&mut OpenIf> {
        self.files.last_mut()?.open_ifs.last_mut()
    }

    pub(super) fn lacks_endif(&mut self, open: OpenIf) {
        let report = Diagnostic::error("P0007", open.opened, "this `#if` has no `#endif`").label("begins here");
        let report = also_if(report, open.otherwise, "its `#else`");
        self.report(report.help("add `#endif` where the optional part ends, in the same file"));
    }

    fn lacks_if(&mut self, word: &str, span: Span) {
        let report = Diagnostic::error("P0008", span, format!("`{word}` without `#if`"));
        self.report(report.label("no `#if` is open in this file").help("remove it, or add the `#if` that it ends"));
    }
}

#[cfg(test)]
mod tests {
    use crate::preprocess::Options;
    use crate::preprocess::testing::{check, read, read_with};

    #[test]
    fn conditions_choose_what_is_read() {
        check("#if 1\na\n#else\nb\n#endif\nc", "a c");
        check("#if 0\na\n#elif 0\nb\n#elif 1\nc\n#elif 1\nd\n#else\ne\n#endif", "c");
        check("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif", "c");
        check("#ifdef N\na\n#endif\n#ifndef N\nb\n#endif", "b");
        check("#define N\n#ifdef N\na\n#else\nb\n#endif", "a");
        check("#ifdef N\na\n#elifndef N\nb\n#endif", "b");
        check("#if 1\n#elif 1 / 0\n#endif", "");
        check("  #  if /* c */ 1 // d\na\n # endif N", "a");
    }

    #[test]
    fn a_comment_or_a_string_hides_directives_from_a_group_that_is_left_out() {
        check("#if 0\n/*\n#endif\n*/ \"/*\" // /*\n#else\nyes\n#endif", "yes");
    }

    #[test]
    fn an_if_without_endif_is_an_error_where_it_begins() {
        let reading = read("#if 1\na\n#else\nb");
        let (report, place) = reading.only("P0007");
        assert_eq!((place, reading.words().as_str()), ("#if", "a"));
        assert_eq!(reading.sources.text(report.secondary[0].span), "#else");
        assert_eq!(read("#if 0\n#if 1\n#endif").codes(), ["P0007"]);
        let reading = read_with("#include \"x\"\nb\n#endif", &Options::default(), &[("x", "#ifndef N\na\n")]);
        assert_eq!((reading.words().as_str(), reading.codes()), ("a b", vec!["P0007", "P0008"]));
    }

    #[test]
    fn an_else_or_endif_without_if_is_an_error() {
        for text in ["#else", "#elif 1", "#endif"] {
            let reading = read(&format!("a\n{text}\nb"));
            assert_eq!(reading.words(), "a b");
            reading.only("P0008");
        }
        for text in ["#if 1\na\n#else\n#else\nb\n#endif", "#if 0\n#else\na\n#elif 1\nb\n#endif"] {
            let reading = read(text);
            let (report, _) = reading.only("P0008");
            assert_eq!((report.secondary.len(), reading.words().as_str()), (2, "a"));
        }
    }
}

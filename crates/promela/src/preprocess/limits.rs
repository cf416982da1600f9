//! How much work reading a model may be.
//!
//! Every expansion ends, but that is not enough: macros that use each other twice double the tokens
//! with every line. Whatever a macro moves is therefore counted, and reading stops with an error when
//! the count passes the limit or the time is over. To stop means to forget all that is left to read,
//! so that everybody who asks for the next piece is told that there is none.

use model::diagnostic::Diagnostic;
use model::reason::Reason;
use model::source::Span;

use super::Preprocessor;

/// How often, on the average, macros may move each of the tokens that a model may have.
const MOVES_PER_TOKEN: usize = 4;

/// How much work is done between two looks at the clock.
pub(super) const WORK_PER_LOOK: usize = 1 << 14;

impl Preprocessor<'_> {
    /// Counts work, and stops when it becomes too much.
    pub(super) fn charge(&mut self, amount: usize, span: Span) {
        self.work = self.work.saturating_add(amount);
        if self.work / MOVES_PER_TOKEN > self.options.max_tokens {
            self.stop_expansion(span);
        }
        if self.work >= self.next_look {
            self.next_look = self.work.saturating_add(WORK_PER_LOOK);
            self.look_at_clock(span);
        }
    }

    /// Stops when a list of pieces is longer than any model may be.
    pub(super) fn limit_length(&mut self, length: usize, span: Span) {
        if length > self.options.max_tokens {
            self.stop_expansion(span);
        }
    }

    fn stop_expansion(&mut self, span: Span) {
        let message = format!("macros and included files expand to far more than {} tokens", self.options.max_tokens);
        self.stop(span, message, "look for macros that use each other more than once, or raise the limit");
    }

    pub(super) fn look_at_clock(&mut self, span: Span) {
        match self.options.budget.in_time() {
            Ok(()) => {}
            Err(Reason::Interrupted) => {
                self.stop(span, String::from("interrupted before the model is read"), "start it again");
            }
            Err(_) => self.stop(span, String::from("the time is over before the model is read"), "give it more time"),
        }
    }

    pub(super) fn stop(&mut self, span: Span, message: String, help: &str) {
        self.report(Diagnostic::error("P0018", span, message).label("reading stops here").help(help));
        self.give_up();
    }

    pub(super) fn give_up(&mut self) {
        self.stopped = true;
        self.files.clear();
        self.expansions.clear();
    }
}

#[cfg(test)]
mod tests {
    use model::budget::Budget;
    use std::time::Duration;

    use crate::preprocess::Options;
    use crate::preprocess::testing::{check, read, read_with};

    /// Doubles its body sixty times.
    fn bomb(first: &str) -> String {
        let lines = (0..60).map(|n| format!("#define A{} A{n} A{n}\n", n + 1));
        format!("#define A0 {first}\n{}", lines.collect::<String>())
    }

    /// Calls a macro in its own argument.
    fn nested(open: &str, depth: usize, inside: &str) -> String {
        format!("{}{inside}{}", open.repeat(depth), ")".repeat(depth))
    }

    #[test]
    fn macro_bombs_are_stopped_with_one_error() {
        let wide = format!("#define F(x) {}\nF({})", "x ".repeat(10_000), "y ".repeat(10_000));
        for text in [
            format!("{}A60", bomb("x")),
            format!("{}A60", bomb("")),
            format!("{}#if A60\n#endif", bomb("0 +")),
            format!("#define F(x) x x\n{}", nested("F(", 60, "y")),
            format!("#define J(x) x ## x\n#define F(x) J(x)\n{}", nested("F(", 60, "y")),
            format!("#define Q(x) #x\n#define F(x) Q(x)\n{}", nested("F(", 60, "\"\"")),
            format!("#define N {}\n#define Q(x) #x\n#define F(x) Q(x)\nF({})", "n".repeat(10_000), "N ".repeat(10_000)),
            wide,
        ] {
            let options = Options { max_tokens: 100_000, ..Options::default() };
            let reading = read_with(&text, &options, &[]);
            reading.only("P0018");
            assert!(reading.tokens.len() <= 100_001);
        }
    }

    #[test]
    fn a_model_with_too_many_tokens_is_refused() {
        let options = Options { max_tokens: 3, ..Options::default() };
        assert_eq!(read_with("a b c", &options, &[]).codes(), Vec::<&str>::new());
        let reading = read_with("a b c d e", &options, &[]);
        assert_eq!((reading.only("P0018").1, reading.words().as_str()), ("d", "a b c"));
    }

    #[test]
    fn reading_stops_at_the_deadline_and_when_it_is_cancelled() {
        let (stopped, stop) = Budget::unlimited().linked();
        stop.cancel();
        for budget in [Budget::unlimited().timeout(Duration::ZERO), stopped] {
            let options = Options { budget, ..Options::default() };
            read_with("a b c", &options, &[]).only("P0018");
            read_with(&format!("{}A60", bomb("")), &options, &[]).only("P0018");
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = format!("#if {}\nyes\n#endif", nested("(", 20_000, "1"));
        check(&deep, "yes");
        check(&format!("#if {}1\nyes\n#endif", "!!".repeat(20_000)), "yes");
        check(&format!("#if {}1{}\nyes\n#endif", "1 ? ".repeat(20_000), " : 0".repeat(20_000)), "yes");
        check(&format!("{}{}", "#if 0\n".repeat(20_000), "#endif\n".repeat(20_000)), "");
        check(&format!("{}x{}", "#if 1\n".repeat(20_000), "\n#endif".repeat(20_000)), "x");
        let chain: String = (0..20_000).map(|n| format!("#define A{n} A{}\n", n + 1)).collect();
        check(&format!("{chain}A0"), "A20000");
        check(&format!("#define F(x) x\n{}", nested("F(", 150, "1")), "1");
        read(&format!("#define F(x) x\n{}", nested("F(", 20_000, "y"))).only("P0018");
        read(&format!("#define F(x) x\n{}", "F(".repeat(20_000))).only("P0014");
    }
}

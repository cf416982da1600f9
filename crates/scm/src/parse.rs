//! From tokens to a tree.
//!
//! One function per line of the grammar, which the crate's documentation prints. After an error the parser goes on
//! behind the next semicolon, or at the next `to`, `state`, `automaton` or `bad_states`, so that one reading shows
//! several errors. Nesting is limited, because the parser and all that comes after it call themselves.

mod formula;
mod regex;

use crate::ast::{Action, Automaton, Bad, Channel, File, Formula, Language, Name, State, Transition, Variable};
use crate::lexer::{KEYWORDS, Token, TokenKind};
use model::diagnostic::{Diagnostic, nearest};
use model::source::Span;

/// How deep parentheses and operators may nest.
const DEEPEST: usize = 200;
/// The most channels, and the most automata: what a byte can count.
const MOST: u64 = 255;
/// After so many errors the rest is noise.
const MOST_ERRORS: usize = 30;

/// An error has been reported; the caller looks for a place to go on.
pub(crate) struct Reported;

type Parsed<T> = Result<T, Reported>;

/// Makes a tree of tokens; what is wrong goes to `diagnostics`.
pub(crate) fn parse<'t>(tokens: &'t [Token<'t>], diagnostics: &'t mut Vec<Diagnostic>) -> File {
    let mut parser = Parser { tokens, at: 0, depth: 0, diagnostics };
    let mut file = File::default();
    // What stands in front of the automata is short, and all that follows depends on it: one error ends it.
    if parser.header(&mut file).is_err() {
        return file;
    }
    parser.automata(&mut file);
    parser.bad_states(&mut file);
    file
}

/// Makes a tree of a set of bad configurations in the short form of the command line; `None` after an error.
pub(crate) fn parse_bad<'t>(tokens: &'t [Token<'t>], diagnostics: &'t mut Vec<Diagnostic>) -> Option<Bad> {
    Parser { tokens, at: 0, depth: 0, diagnostics }.short_bad().ok()
}

struct Parser<'t> {
    tokens: &'t [Token<'t>],
    at: usize,
    depth: usize,
    diagnostics: &'t mut Vec<Diagnostic>,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Token<'t> {
        self.ahead(0)
    }

    fn ahead(&self, by: usize) -> Token<'t> {
        self.tokens[(self.at + by).min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token<'t> {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Whether the next token is this word or mark. A number or a name never is.
    fn is(&self, text: &str) -> bool {
        let token = self.peek();
        matches!(token.kind, TokenKind::Keyword | TokenKind::Mark(_)) && token.text == text
    }

    /// Whether the next token is this word, which is not reserved.
    fn is_word(&self, text: &str) -> bool {
        self.peek().kind == TokenKind::Name && self.peek().text == text
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, text: &str) -> Parsed<Token<'t>> {
        if self.is(text) { Ok(self.next()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    fn report(&mut self, error: Diagnostic) -> Reported {
        self.diagnostics.push(error);
        Reported
    }

    fn unexpected(&mut self, wanted: &str) -> Reported {
        let token = self.peek();
        let found =
            if token.kind == TokenKind::End { "the end of the file".into() } else { format!("`{}`", token.text) };
        let error = Diagnostic::error("S0003", token.span, format!("expected {wanted}, found {found}"));
        let mut error = error.label(format!("expected {wanted}"));
        let word = wanted.trim_matches('`');
        if token.kind == TokenKind::Keyword && wanted.starts_with("a name") {
            error = error.help(format!("`{}` is a word of the language; choose another name", token.text));
        } else if token.kind == TokenKind::Name && KEYWORDS.contains(&word) && nearest(token.text, [word]).is_some() {
            error = error.help(format!("did you mean `{word}`?"));
        }
        self.report(error)
    }

    /// A name or a number, for something that has either.
    fn name_or_number(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        match token.kind {
            TokenKind::Name => self.name(what),
            TokenKind::Number => Ok(Name { text: self.number()?.to_string(), span: token.span }),
            _ => Err(self.unexpected(&format!("a name or a number for {what}"))),
        }
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        if self.peek().kind != TokenKind::Name {
            return Err(self.unexpected(&format!("a name for {what}")));
        }
        let token = self.next();
        Ok(Name { text: token.text.to_owned(), span: token.span })
    }

    fn number(&mut self) -> Parsed<u32> {
        let token = self.peek();
        if token.kind != TokenKind::Number {
            return Err(self.unexpected("a number"));
        }
        self.next();
        match token.text.parse::<u32>() {
            Ok(number) if i32::try_from(number).is_ok() => Ok(number),
            _ => {
                let error = Diagnostic::error("S0004", token.span, "this number is too large");
                Err(self.report(error.help(format!("the greatest number is {}", i32::MAX))))
            }
        }
    }

    /// Runs `inner` one level deeper, if that is not too deep.
    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            let error = Diagnostic::error("S0005", self.peek().span, "this is nested too deeply");
            return Err(self.report(error.label(format!("more than {DEEPEST} levels"))));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Items with commas between them.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// `scm ID : nb_channels = INT ; [lossy : INT, ..] parameters : {(real|int) ID ["=" expr] ;}`
    fn header(&mut self, file: &mut File) -> Parsed<()> {
        self.expect("scm")?;
        self.name_or_number("the model")?;
        self.expect(":")?;
        if self.is_word("channels") {
            self.named_channels(file)?
        } else {
            self.numbered_channels(file)?
        }
        self.expect("parameters")?;
        self.expect(":")?;
        file.messages = self.variables("a message")?;
        Ok(())
    }

    /// `nb_channels = INT ; [lossy : INT {, INT}]`
    fn numbered_channels(&mut self, file: &mut File) -> Parsed<()> {
        if !self.is("nb_channels") {
            return Err(self.unexpected("`nb_channels` or `channels`"));
        }
        self.next();
        self.expect("=")?;
        let span = self.peek().span;
        let count = self.number()?;
        self.check_count(u64::from(count), "channels", span)?;
        file.channels.extend((0..count).map(|number| Channel::numbered(number, span)));
        self.expect(";")?;
        if self.eat("lossy") {
            self.expect(":")?;
            file.lossy = self.list(|parser| parser.name_or_number("a channel"))?;
            self.eat(";");
        }
        Ok(())
    }

    /// Ours: `channels : [lossy] ID {, [lossy] ID} ;`
    fn named_channels(&mut self, file: &mut File) -> Parsed<()> {
        let word = self.next();
        self.expect(":")?;
        file.channels = self.list(|parser| {
            let lossy = parser.eat("lossy");
            Ok(Channel { name: parser.name("a channel")?, lossy })
        })?;
        self.check_count(file.channels.len() as u64, "channels", word.span)?;
        self.expect(";").map(drop)
    }

    fn check_count(&mut self, count: u64, what: &str, span: Span) -> Parsed<()> {
        if (1..=MOST).contains(&count) {
            return Ok(());
        }
        let message = format!("there can be 1 to {MOST} {what}, not {count}");
        Err(self.report(Diagnostic::error("S0101", span, message)))
    }

    /// `{(real|int) ID ["=" expr] ;}`
    fn variables(&mut self, what: &str) -> Parsed<Vec<Variable>> {
        let mut variables = Vec::new();
        while self.is("real") || self.is("int") {
            let real = self.next().text == "real";
            let name = self.name(what)?;
            let value = if self.eat("=") { Some(self.formula()?) } else { None };
            self.expect(";")?;
            variables.push(Variable { name, real, value });
        }
        Ok(variables)
    }

    fn automata(&mut self, file: &mut File) {
        while self.diagnostics.len() < MOST_ERRORS {
            if self.is("automaton") {
                let word = self.next().span;
                match self.automaton() {
                    Ok(automaton) => file.automata.push(automaton),
                    Err(Reported) => self.skip_to(&["automaton", "bad_states"]),
                }
                if file.automata.len() as u64 == MOST + 1 {
                    let _ = self.check_count(MOST + 1, "automata", word);
                }
            } else if self.is("bad_states") || self.peek().kind == TokenKind::End {
                return;
            } else {
                let wanted =
                    if file.automata.is_empty() { "`automaton`" } else { "`to`, `state`, `automaton` or `bad_states`" };
                self.unexpected(wanted);
                self.next();
                self.skip_to(&["automaton", "bad_states"]);
            }
        }
    }

    /// `ID : variables initial : INT {, INT} state*`
    fn automaton(&mut self) -> Parsed<Automaton> {
        let name = self.name("an automaton")?;
        self.expect(":")?;
        let variables = self.variables("a variable")?;
        self.expect("initial")?;
        self.expect(":")?;
        let initial = self.list(|parser| parser.name_or_number("a state"))?;
        self.eat(";");
        let mut automaton = Automaton { name, variables, initial, states: Vec::new() };
        while self.is("state") && self.diagnostics.len() < MOST_ERRORS {
            self.next();
            match self.state() {
                Ok(state) => automaton.states.push(state),
                Err(Reported) => self.skip_to(&["state", "automaton", "bad_states"]),
            }
        }
        Ok(automaton)
    }

    /// `INT : trans*`
    fn state(&mut self) -> Parsed<State> {
        let name = self.name_or_number("a state")?;
        self.expect(":")?;
        let mut transitions = Vec::new();
        while self.is("to") && self.diagnostics.len() < MOST_ERRORS {
            match self.transition() {
                Ok(transition) => transitions.push(transition),
                Err(Reported) => {
                    self.skip_to(&[";", "to", "state", "automaton", "bad_states"]);
                    self.eat(";");
                }
            }
        }
        Ok(State { name, transitions })
    }

    /// `to INT : when guard [, INT (!|?) ID] [with ID = expr {, ID = expr}] ;`
    fn transition(&mut self) -> Parsed<Transition> {
        let start = self.expect("to")?.span;
        let to = self.name_or_number("a state")?;
        self.expect(":")?;
        let guard = if self.eat("when") { Some(self.formula()?) } else { None };
        let action = match guard {
            Some(_) if !self.eat(",") => None,
            None if self.is("with") || self.is(";") => None,
            _ => Some(self.action()?),
        };
        let assignments = if self.eat("with") { self.list(Self::assignment)? } else { Vec::new() };
        if !self.is(";") {
            let wanted = if action.is_none() && assignments.is_empty() { "`,`, `with` or `;`" } else { "`;`" };
            return Err(self.unexpected(wanted));
        }
        let end = self.next().span;
        Ok(Transition { to, guard, action, assignments, span: start.to(end) })
    }

    fn action(&mut self) -> Parsed<Action> {
        let channel = self.name_or_number("a channel")?;
        if !self.is("!") && !self.is("?") {
            let reported = self.unexpected("`!` or `?`");
            if nearest(&channel.text, ["when"]).is_some()
                && let Some(error) = self.diagnostics.last_mut()
            {
                error.help.push(format!("`{}` was taken for a channel; did you mean `when`?", channel.text));
            }
            return Err(reported);
        }
        let send = self.next().text == "!";
        Ok(Action { channel, send, message: self.name("a message")? })
    }

    fn assignment(&mut self) -> Parsed<(Name, Formula)> {
        let name = self.name("a variable")?;
        if !self.eat(":=") {
            self.expect("=")?;
        }
        Ok((name, self.formula()?))
    }

    fn bad_states(&mut self, file: &mut File) {
        if !self.eat("bad_states") {
            return;
        }
        if self.expect(":").is_err() {
            return;
        }
        while self.is("(") && self.diagnostics.len() < MOST_ERRORS {
            match self.bad() {
                Ok(bad) => file.bad.push(bad),
                Err(Reported) => self.skip_bad(),
            }
        }
        if self.peek().kind != TokenKind::End && self.diagnostics.len() < MOST_ERRORS {
            self.unexpected("`(` or the end of the file");
        }
    }

    /// `( (automaton ID : (in INT : guard)+)+ [with re] )`
    fn bad(&mut self) -> Parsed<Bad> {
        let start = self.expect("(")?.span;
        let mut automata = Vec::new();
        while self.eat("automaton") {
            let name = self.name("an automaton")?;
            self.expect(":")?;
            let mut states = Vec::new();
            while states.is_empty() || self.is("in") {
                self.expect("in")?;
                let state = self.name_or_number("a state")?;
                let guard = if self.eat(":") { self.formula()? } else { Formula::Constant(1) };
                states.push((state, guard));
            }
            automata.push((name, states));
        }
        if automata.is_empty() && !self.is("with") {
            return Err(self.unexpected("`automaton`"));
        }
        let language = if self.eat("with") { Some(self.language()?) } else { None };
        let end = self.expect(")")?.span;
        Ok(Bad { automata, language, span: start.to(end) })
    }

    /// `ID @ STATE {"|" STATE} {"&&" ID @ STATE {"|" STATE}} [with re]`, or only `with re`
    fn short_bad(&mut self) -> Parsed<Bad> {
        let start = self.peek().span;
        let mut automata = Vec::new();
        while !self.is("with") {
            let name = self.name("an automaton")?;
            self.expect("@")?;
            let mut states = vec![self.name_or_number("a state")?];
            while self.eat("|") {
                states.push(self.name_or_number("a state")?);
            }
            automata.push((name, states.into_iter().map(|state| (state, Formula::Constant(1))).collect()));
            if !self.eat("&&") {
                break;
            }
        }
        let language = if self.eat("with") { Some(self.language()?) } else { None };
        if self.peek().kind != TokenKind::End {
            return Err(self.unexpected("`&&`, `with` or the end"));
        }
        Ok(Bad { automata, language, span: start.to(self.peek().span) })
    }

    /// `re`, or ours: `CHANNEL : re {, CHANNEL : re}`
    fn language(&mut self) -> Parsed<Language> {
        let per_channel = matches!(self.peek().kind, TokenKind::Name | TokenKind::Number)
            && self.ahead(1).kind == TokenKind::Mark(":");
        if !per_channel {
            return Ok(Language::Joined(self.regex()?));
        }
        let parts = self.list(|parser| {
            let channel = parser.name_or_number("a channel")?;
            parser.expect(":")?;
            Ok((channel, parser.regex()?))
        })?;
        Ok(Language::PerChannel(parts))
    }

    fn skip_to(&mut self, words: &[&str]) {
        while self.peek().kind != TokenKind::End && !words.iter().any(|word| self.is(word)) {
            self.next();
        }
    }

    /// To the next set of bad configurations.
    fn skip_bad(&mut self) {
        while self.peek().kind != TokenKind::End && !(self.is("(") && self.ahead(1).text == "automaton") {
            self.next();
        }
    }
}

impl Channel {
    fn numbered(number: u32, span: Span) -> Channel {
        Channel { name: Name { text: number.to_string(), span }, lossy: false }
    }
}

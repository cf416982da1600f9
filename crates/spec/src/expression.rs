//! C expressions in specifications: guards of routines, conditions of returns, hints and propositions.
//!
//! A small part of C's expressions, with C's precedences and C's conversions: names of variables (`x`, `s.f`, `a[3]`,
//! `procedure::x`), numbers, `$0` (the result of a routine) and `$1`… (its arguments), arithmetic, comparisons, and logic.
//! There are no side effects. [`parse`] looks at the text alone; [`Expression::term`] gives it the meaning that it has in
//! a component.

use cfront::program::{Component, VariableId};
use cfront::term::{Operation, Scalar, TermId, Terms};
use model::diagnostic::{Diagnostic, nearest};
use model::source::Span;

/// Deeper expressions are refused.
const DEEPEST: usize = 60;

/// An expression, and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expression {
    pub(crate) kind: Kind,
    /// Where it stands.
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Number(u64, Scalar),
    Name(String),
    /// `$0`, `$1`, …
    Dollar(usize),
    Not(Box<Expression>),
    Complement(Box<Expression>),
    Minus(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    Or,
    And,
    Different,
    Greater,
    GreaterEqual,
    Plain(Operation),
}

/// Operators with two operands, by strength from the weakest; longer signs come before their beginnings.
const LEVELS: [&[(&str, Operator)]; 9] = [
    &[("||", Operator::Or)],
    &[("&&", Operator::And)],
    &[("|", Operator::Plain(Operation::Or))],
    &[("^", Operator::Plain(Operation::Xor))],
    &[("&", Operator::Plain(Operation::And))],
    &[("==", Operator::Plain(Operation::Equal)), ("!=", Operator::Different)],
    &[
        ("<=", Operator::Plain(Operation::LessEqual)),
        (">=", Operator::GreaterEqual),
        ("<", Operator::Plain(Operation::Less)),
        (">", Operator::Greater),
    ],
    &[("+", Operator::Plain(Operation::Add)), ("-", Operator::Plain(Operation::Subtract))],
    &[("*", Operator::Plain(Operation::Multiply))],
];

type Parsed<T> = Result<T, Box<Diagnostic>>;

/// Reads an expression; `span` is where the text stands.
pub(crate) fn parse(text: &str, span: Span) -> Parsed<Expression> {
    let mut parser = Parser { text, at: 0, span, depth: 0 };
    let expression = parser.level(0)?;
    parser.blanks();
    if parser.at < text.len() {
        return Err(parser.error("an operator or the end of the expression"));
    }
    Ok(expression)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    span: Span,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn here(&self, from: usize, to: usize) -> Span {
        let start = self.span.start as usize;
        Span::new(self.span.file, start + from, start + to.max(from))
    }

    fn error(&self, wanted: &str) -> Box<Diagnostic> {
        let found = self.rest().chars().next();
        let length = found.map_or(0, char::len_utf8);
        let found = found.map_or(String::from("nothing more"), |c| format!("`{}`", c.escape_debug()));
        let place = self.here(self.at, self.at + length);
        let error = Diagnostic::error("M0002", place, format!("expected {wanted}, found {found}"));
        Box::new(error.label("in this expression of C"))
    }

    fn level(&mut self, level: usize) -> Parsed<Expression> {
        let Some(operators) = LEVELS.get(level) else { return self.prefixed() };
        let mut left = self.level(level + 1)?;
        let mut length = 0;
        while let Some(operator) = self.operator(operators) {
            length += 1;
            if length > 2 * DEEPEST {
                return Err(Box::new(Diagnostic::error("M0002", left.span, "this expression is too long")));
            }
            let right = self.level(level + 1)?;
            let span = left.span.to(right.span);
            left = Expression { kind: Kind::Binary(operator, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn operator(&mut self, operators: &[(&str, Operator)]) -> Option<Operator> {
        self.blanks();
        let rest = self.rest();
        let &(sign, operator) = operators.iter().find(|(sign, _)| rest.starts_with(sign))?;
        let doubled = ["|", "&"].contains(&sign) && rest.starts_with(if sign == "|" { "||" } else { "&&" });
        let shift = ["<", ">"].contains(&sign) && (rest.starts_with("<<") || rest.starts_with(">>"));
        if doubled || shift {
            return None;
        }
        self.at += sign.len();
        Some(operator)
    }

    fn prefixed(&mut self) -> Parsed<Expression> {
        self.blanks();
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Box::new(Diagnostic::error("M0002", self.span, "this expression nests too deeply")));
        }
        let start = self.at;
        let first = self.rest().chars().next();
        let make: Option<fn(Box<Expression>) -> Kind> = match first {
            Some('!') => Some(Kind::Not),
            Some('~') => Some(Kind::Complement),
            Some('-') => Some(Kind::Minus),
            _ => None,
        };
        let result = match make {
            Some(make) => {
                self.at += 1;
                let inner = self.prefixed()?;
                Expression { kind: make(Box::new(inner)), span: self.here(start, self.at) }
            }
            None => self.operand()?,
        };
        self.depth -= 1;
        Ok(result)
    }

    fn operand(&mut self) -> Parsed<Expression> {
        let start = self.at;
        let first = self.rest().chars().next();
        let kind = match first {
            Some('(') => {
                self.at += 1;
                let inner = self.level(0)?;
                self.blanks();
                if !self.rest().starts_with(')') {
                    return Err(self.error("`)`"));
                }
                self.at += 1;
                inner.kind
            }
            Some('$') => {
                self.at += 1;
                let digits = self.run(|c| c.is_ascii_digit());
                Kind::Dollar(digits.parse().map_err(|_| self.error("a number after `$`"))?)
            }
            Some(c) if c.is_ascii_digit() => self.number()?,
            Some(c) if c.is_ascii_alphabetic() || c == '_' => Kind::Name(self.name()),
            _ => return Err(self.error("a variable, a number, `$` or `(`")),
        };
        Ok(Expression { kind, span: self.here(start, self.at) })
    }

    fn run(&mut self, belongs: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn number(&mut self) -> Parsed<Kind> {
        let start = self.at;
        let text = self.run(|c| c.is_ascii_alphanumeric());
        let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
        let unsigned = text[digits.len()..].contains(['u', 'U']);
        let value = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None if digits.len() > 1 && digits.starts_with('0') => u64::from_str_radix(digits, 8).ok(),
            None => digits.parse::<u64>().ok(),
        };
        let Some(value) = value else {
            self.at = start;
            return Err(self.error("a whole number of at most 64 bits"));
        };
        let hex = digits.starts_with('0') && digits.len() > 1;
        let scalar = match value {
            _ if !unsigned && value <= i32::MAX as u64 => Scalar::signed(32),
            _ if (unsigned || hex) && value <= u64::from(u32::MAX) => Scalar::unsigned(32),
            _ if !unsigned && value <= i64::MAX as u64 => Scalar::signed(64),
            _ => Scalar::unsigned(64),
        };
        Ok(Kind::Number(value, scalar))
    }

    /// `x`, `s.f`, `a[3].g`, `f::x`, `component.x`.
    fn name(&mut self) -> String {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut name = self.run(word).to_owned();
        loop {
            let rest = self.rest();
            let begins = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if rest.starts_with("::") && begins(&rest[2..]) {
                self.at += 2;
                name.push_str("::");
            } else if rest.starts_with('.') && begins(&rest[1..]) {
                self.at += 1;
                name.push('.');
            } else if let Some(inner) = rest.strip_prefix('[')
                && let Some(end) = inner.find(']')
                && end > 0
                && inner[..end].chars().all(|c| c.is_ascii_digit())
            {
                name.push_str(&rest[..end + 2]);
                self.at += end + 2;
                continue;
            } else {
                return name;
            }
            name.push_str(self.run(word));
        }
    }
}

/// What `$0`, `$1`, … mean.
pub(crate) type Dollars<'d> = &'d [Option<TermId>];

/// The type of truth values when they are counted with, and of what is promoted.
const INT: Scalar = Scalar::signed(32);

impl Expression {
    /// The names that occur in it.
    pub(crate) fn names(&self) -> Vec<&str> {
        let (mut found, mut todo) = (Vec::new(), vec![self]);
        while let Some(next) = todo.pop() {
            match &next.kind {
                Kind::Name(name) => found.push(name.as_str()),
                Kind::Number(..) | Kind::Dollar(_) => {}
                Kind::Not(a) | Kind::Minus(a) | Kind::Complement(a) => todo.push(a),
                Kind::Binary(_, a, b) => todo.extend([&**b, &**a]),
            }
        }
        found
    }

    /// The largest number behind a `$`.
    pub(crate) fn dollars(&self) -> Option<usize> {
        match &self.kind {
            Kind::Dollar(number) => Some(*number),
            Kind::Name(_) | Kind::Number(..) => None,
            Kind::Not(a) | Kind::Minus(a) | Kind::Complement(a) => a.dollars(),
            Kind::Binary(_, a, b) => a.dollars().max(b.dollars()),
        }
    }

    /// Takes `component.` away from the front of names.
    pub(crate) fn without_prefix(&mut self, component: &str) {
        match &mut self.kind {
            Kind::Name(name) => {
                if let Some(rest) = name.strip_prefix(component).and_then(|rest| rest.strip_prefix('.')) {
                    *name = rest.to_owned();
                }
            }
            Kind::Number(..) | Kind::Dollar(_) => {}
            Kind::Not(a) | Kind::Minus(a) | Kind::Complement(a) => a.without_prefix(component),
            Kind::Binary(_, a, b) => {
                a.without_prefix(component);
                b.without_prefix(component);
            }
        }
    }

    /// Whether it is not zero, as a term over a component's variables.
    pub(crate) fn term(&self, component: &Component, dollars: Dollars<'_>, terms: &mut Terms) -> Parsed<TermId> {
        let value = self.value(component, dollars, terms)?;
        Ok(truth(terms, value))
    }

    fn value(&self, component: &Component, dollars: Dollars<'_>, terms: &mut Terms) -> Parsed<TermId> {
        let mut of = |inner: &Expression| inner.value(component, dollars, terms);
        match &self.kind {
            Kind::Number(value, scalar) => Ok(terms.constant(i128::from(*value), *scalar)),
            Kind::Name(name) => {
                let variable = variable(component, name, self.span)?;
                Ok(terms.variable(variable, component.variable(variable).scalar))
            }
            Kind::Dollar(number) => dollars.get(*number).copied().flatten().ok_or_else(|| {
                let message = match dollars.len() {
                    0 => String::from("`$` has no meaning here"),
                    _ => format!("`${number}` has no meaning here: there are {} arguments", dollars.len() - 1),
                };
                Box::new(Diagnostic::error("M0105", self.span, message))
            }),
            Kind::Not(a) => {
                let a = of(a)?;
                let a = truth(terms, a);
                Ok(terms.not(a))
            }
            Kind::Minus(a) => {
                let a = of(a)?;
                let a = promoted(terms, a);
                Ok(terms.negate(a))
            }
            Kind::Complement(a) => {
                let a = of(a)?;
                let a = promoted(terms, a);
                Ok(terms.not(a))
            }
            Kind::Binary(operator, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                Ok(combined(terms, *operator, a, b))
            }
        }
    }
}

/// One bit: whether a value is not zero.
fn truth(terms: &mut Terms, value: TermId) -> TermId {
    if terms.scalar(value).width == 1 { terms.convert(value, Scalar::BOOL) } else { terms.nonzero(value) }
}

/// C11 6.3.1.1: what is smaller than an `int` is one.
fn promoted(terms: &mut Terms, value: TermId) -> TermId {
    if terms.scalar(value).width >= 32 { value } else { terms.convert(value, INT) }
}

fn combined(terms: &mut Terms, operator: Operator, a: TermId, b: TermId) -> TermId {
    if matches!(operator, Operator::And | Operator::Or) {
        let (a, b) = (truth(terms, a), truth(terms, b));
        return if operator == Operator::And { terms.and(a, b) } else { terms.or(a, b) };
    }
    let (a, b) = (promoted(terms, a), promoted(terms, b));
    let (first, second) = (terms.scalar(a), terms.scalar(b));
    // C11 6.3.1.8: the wider one wins, and of two with one width the unsigned one.
    let common = match first.width.cmp(&second.width) {
        std::cmp::Ordering::Less => second,
        std::cmp::Ordering::Greater => first,
        std::cmp::Ordering::Equal => Scalar { width: first.width, signed: first.signed && second.signed },
    };
    let (a, b) = (terms.convert(a, common), terms.convert(b, common));
    match operator {
        Operator::Plain(operation) => terms.binary(operation, a, b),
        Operator::Different => {
            let equal = terms.equal(a, b);
            terms.not(equal)
        }
        Operator::Greater => terms.binary(Operation::Less, b, a),
        Operator::GreaterEqual => terms.binary(Operation::LessEqual, b, a),
        Operator::And | Operator::Or => a,
    }
}

/// The variable that a name means: a local of the component's procedure, a global, or what is qualified.
pub(crate) fn variable(component: &Component, name: &str, span: Span) -> Parsed<VariableId> {
    let numbered = || component.variables.iter().enumerate();
    let own = |procedure: &Option<String>| procedure.as_deref() == Some(component.name.as_str());
    let choices: [Vec<usize>; 2] = [
        numbered().filter(|(_, v)| v.name == name && own(&v.procedure)).map(|(number, _)| number).collect(),
        numbered()
            .filter(|(_, v)| v.qualified() == name || v.name == name && v.procedure.is_none())
            .map(|(number, _)| number)
            .collect(),
    ];
    let visible = |number: &&usize| component.variables[**number].kind != cfront::program::VariableKind::Temporary;
    for choice in &choices {
        let found: Vec<&usize> = choice.iter().filter(visible).collect();
        match found[..] {
            [] => {}
            [&one] => return Ok(VariableId(one as u32)),
            _ => {
                let message = format!("`{}` has several variables `{name}`", component.name);
                let error = Diagnostic::error("M0104", span, message);
                return Err(Box::new(error.help("give the one that is meant a name of its own")));
            }
        }
    }
    let error = Diagnostic::error("M0104", span, format!("`{}` has no variable `{name}`", component.name));
    let names: Vec<String> = component.variables.iter().flat_map(|v| [v.name.clone(), v.qualified()]).collect();
    Err(Box::new(match nearest(name, names.iter().map(String::as_str)) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help("variables of procedures that are called are written `procedure::x`"),
    }))
}

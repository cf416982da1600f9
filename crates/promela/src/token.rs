//! The words of a model: names, tokens and what to call them in a message.
//!
//! A [`Token`] is small and `Copy`. Every text in it — an identifier, a string — is a [`Name`], a
//! number that stands for the text in one table, [`Names`]; two names are equal exactly if their
//! texts are. Keywords are names, too: Promela uses some of them, such as `len` or `next`, only in
//! certain places, and which places these are is the parser's business. So that the parser can
//! match on them, [`Names::new`] enters them first and in a fixed order, and [`kw`] has a constant
//! for each.
//!
//! A token knows two places. `span` is where the author of the model wrote it, and `spelled` is
//! where its characters stand; they differ only for what comes out of the body of a macro.

use std::collections::HashMap;
use std::sync::Arc;

use model::source::Span;

/// One word of the model, after the preprocessor.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where the user wrote it. For a token out of the body of a macro this is the name of the
    /// macro in the outermost invocation.
    pub span: Span,
    /// Where its characters stand, for instance in the body of a `#define`.
    pub spelled: Span,
    /// Whether it is the first on its line.
    pub newline_before: bool,
    /// Whether blanks, a comment or a line end stand before it.
    pub space_before: bool,
}

/// An identifier, a keyword or the text of a string, as its number in [`Names`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Name(pub u32);

/// Declares [`TokenKind`] with its punctuation, and the spelling of each mark, from one list.
macro_rules! token_kinds {
    ($($variant:ident $spelling:literal)*) => {
        /// What a token is.
        #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
        pub enum TokenKind {
            /// An identifier or a keyword.
            Name(Name),
            /// A decimal number or a character constant.
            Number(i32),
            /// A string: the text between the quotes, with its escapes as they were written.
            Str(Name),
            $(#[doc = concat!("`", $spelling, "`")] $variant,)*
            /// The end of the model; always the last token.
            Eof,
        }

        impl TokenKind {
            /// How a punctuation mark is written; `None` for everything else.
            pub fn mark(self) -> Option<&'static str> {
                match self {
                    $(TokenKind::$variant => Some($spelling),)*
                    _ => None,
                }
            }
        }
    };
}

token_kinds! {
    LParen "(" RParen ")" LBrace "{" RBrace "}" LBracket "[" RBracket "]"
    Semi ";" Colon ":" ColonColon "::" Comma "," Dot "." DotDot ".."
    Arrow "->" MinusMinus "--" PlusPlus "++" Plus "+" Minus "-" Star "*" Slash "/" Percent "%"
    Amp "&" AmpAmp "&&" Pipe "|" PipePipe "||" Caret "^" Tilde "~"
    Bang "!" BangEq "!=" BangBang "!!" Question "?" QuestionQuestion "??"
    Lt "<" LtEq "<=" Shl "<<" Gt ">" GtEq ">=" Shr ">>" Assign "=" EqEq "=="
    At "@" Backslash "\\" Dollar "$"
}

impl TokenKind {
    /// What to call it in a message: `` `;` ``, ``name `x` ``, `end of file`.
    pub fn describe(self, names: &Names) -> String {
        match self {
            TokenKind::Name(name) if kw::is_reserved(name) => format!("`{}`", names.text(name)),
            TokenKind::Name(name) => format!("name `{}`", names.text(name)),
            TokenKind::Number(value) => format!("number `{value}`"),
            TokenKind::Str(text) => format!("string `\"{}\"`", names.text(text)),
            TokenKind::Eof => String::from("end of file"),
            mark => format!("`{}`", mark.mark().unwrap_or_default()),
        }
    }
}

/// The table that gives every text its [`Name`].
#[derive(Clone, Debug)]
pub struct Names {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, Name>,
}

impl Names {
    /// A table that holds the words of [`kw`], each at its fixed number.
    pub fn new() -> Self {
        let mut names = Names { texts: Vec::new(), numbers: HashMap::new() };
        for word in kw::ALL {
            names.intern(word);
        }
        names
    }

    /// The name of a text; a text that is not in the table yet is added.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(&name) = self.numbers.get(text) {
            return name;
        }
        let name = Name(self.texts.len() as u32);
        let text: Arc<str> = Arc::from(text);
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, name);
        name
    }

    /// The name of a text, if the table has it.
    pub fn get(&self, text: &str) -> Option<Name> {
        self.numbers.get(text).copied()
    }

    /// The text of a name; empty for a name of another table.
    pub fn text(&self, name: Name) -> &str {
        self.texts.get(name.0 as usize).map_or("", |text| text)
    }
}

impl Default for Names {
    fn default() -> Self {
        Self::new()
    }
}

/// Declares a constant for each word, and the list of the words in the same order.
macro_rules! keywords {
    ($($constant:ident $word:literal)*) => {
        /// The words that mean something in Promela, as constants.
        ///
        /// The words from [`kw::ALWAYS`] on mean something only inside an `ltl` formula; elsewhere they
        /// are free.
        pub mod kw {
            use super::Name;

            /// Counts the constants; their order is the order of the list.
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            #[repr(u32)]
            enum Index { $($constant,)* }

            /// All the words, each at the place that its constant names.
            pub const ALL: &[&str] = &[$($word,)*];

            $(#[doc = concat!("`", $word, "`")] pub const $constant: Name = Name(Index::$constant as u32);)*

            /// Whether a name is a keyword or a predefined variable everywhere, not just in a formula.
            pub fn is_reserved(name: Name) -> bool {
                name < ALWAYS
            }
        }
    };
}

keywords! {
    ACTIVE "active" ASSERT "assert" ATOMIC "atomic" BIT "bit" BOOL "bool" BREAK "break" BYTE "byte"
    C_CODE "c_code" C_DECL "c_decl" C_EXPR "c_expr" C_STATE "c_state" C_TRACK "c_track"
    D_STEP "d_step" D_PROCTYPE "D_proctype" DO "do" CHAN "chan" ELSE "else" EMPTY "empty"
    ENABLED "enabled" EVAL "eval" FALSE "false" FI "fi" FOR "for" FULL "full"
    GET_PRIORITY "get_priority" GOTO "goto" HIDDEN "hidden" IF "if" IN "in" INIT "init"
    INLINE "inline" INT "int" LEN "len" LOCAL "local" LTL "ltl" MTYPE "mtype" NEMPTY "nempty"
    NEVER "never" NFULL "nfull" NOTRACE "notrace" NP "np_" OD "od" OF "of" PC_VALUE "pc_value"
    PID "pid" PRINTF "printf" PRINTM "printm" PRIORITY "priority" PROCTYPE "proctype"
    PROVIDED "provided" RETURN "return" RUN "run" SELECT "select" SET_PRIORITY "set_priority"
    SHORT "short" SHOW "show" SKIP "skip" TIMEOUT "timeout" TRACE "trace" TRUE "true"
    TYPEDEF "typedef" UNLESS "unless" UNSIGNED "unsigned" XR "xr" XS "xs"
    UNDERSCORE "_" UNDER_PID "_pid" UNDER_LAST "_last" UNDER_NR_PR "_nr_pr" UNDER_PRIORITY "_priority"
    ALWAYS "always" EVENTUALLY "eventually" UNTIL "until" WEAKUNTIL "weakuntil"
    STRONGUNTIL "stronguntil" RELEASE "release" NEXT "next" IMPLIES "implies"
    EQUIVALENT "equivalent" F "F" G "G" R "R" U "U" V "V" W "W" X "X"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_constant_names_its_word() {
        let names = Names::new();
        for (index, word) in kw::ALL.iter().enumerate() {
            assert_eq!(names.get(word), Some(Name(index as u32)), "{word} stands twice in the list");
        }
        assert_eq!(names.text(kw::ACTIVE), "active");
        assert_eq!(names.text(kw::D_PROCTYPE), "D_proctype");
        assert_eq!(names.text(kw::UNDERSCORE), "_");
        assert_eq!(names.text(kw::X), "X");
    }

    #[test]
    fn equal_texts_have_equal_names_and_other_texts_other_names() {
        let mut names = Names::new();
        let a = names.intern("queue");
        let b = names.intern("queues");
        assert_ne!(a, b);
        assert_eq!(names.intern("queue"), a);
        assert_eq!(names.get("queues"), Some(b));
        assert_eq!(names.get("absent"), None);
        assert_eq!(names.text(a), "queue");
    }

    #[test]
    fn a_name_of_another_table_has_an_empty_text() {
        assert_eq!(Names::new().text(Name(u32::MAX)), "");
    }

    #[test]
    fn every_kind_has_a_description() {
        let mut names = Names::new();
        let x = names.intern("x");
        assert_eq!(TokenKind::Semi.describe(&names), "`;`");
        assert_eq!(TokenKind::Backslash.describe(&names), "`\\`");
        assert_eq!(TokenKind::Name(x).describe(&names), "name `x`");
        assert_eq!(TokenKind::Name(kw::DO).describe(&names), "`do`");
        assert_eq!(TokenKind::Name(kw::U).describe(&names), "name `U`");
        assert_eq!(TokenKind::Number(-3).describe(&names), "number `-3`");
        assert_eq!(TokenKind::Str(x).describe(&names), "string `\"x\"`");
        assert_eq!(TokenKind::Eof.describe(&names), "end of file");
    }

    #[test]
    fn a_token_stays_small() {
        assert!(size_of::<Token>() <= 36);
    }
}

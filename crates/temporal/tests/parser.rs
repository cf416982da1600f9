//! Reading and writing formulas.

use crate::support;
use crate::support::Random;
use temporal::{Formula, MAX_DEPTH, Precedence, parse, parse_with};
use testing::seeds;

fn paper(text: &str) -> String {
    let parsed = parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    parsed.formula.to_paper(&parsed.atoms)
}

#[test]
fn precedence_is_that_of_spin() {
    for (text, meaning) in [
        ("a U b U c", "(a U b) U c"),
        ("a U b V c", "(a U b) R c"),
        ("a && b U c", "a && (b U c)"),
        ("a U b && c", "(a U b) && c"),
        ("a -> b -> c", "(a -> b) -> c"),
        ("a || b && c", "(a || b) && c"),
        ("a && b || c", "(a && b) || c"),
        ("a <-> b -> c", "(a <-> b) -> c"),
        ("a <-> b <-> c", "(a <-> b) <-> c"),
        ("[] a U b", "G a U b"),
        ("! a U b", "!a U b"),
        ("X a && b", "X a && b"),
    ] {
        assert_eq!(paper(text), meaning, "{text}");
    }
}

#[test]
fn another_meaning_under_the_usual_precedence_is_told() {
    for (text, usual) in [
        ("a || b && c", Some("a || (b && c)")),
        ("a -> b -> c", Some("a -> (b -> c)")),
        ("a U b U c", Some("a U (b U c)")),
        ("a <-> b && c", Some("a <-> (b && c)")),
        ("a && b || c", None),
        ("[] (a -> <> b)", None),
        ("a && b && c -> d", None),
    ] {
        let parsed = parse(text).unwrap();
        assert_eq!(parsed.usual.as_ref().map(|formula| formula.to_paper(&parsed.atoms)).as_deref(), usual, "{text}");
        let other = parse_with(text, Precedence::Usual).unwrap();
        assert_eq!(other.formula, parsed.usual.unwrap_or(parsed.formula), "{text}");
    }
}

#[test]
fn every_spelling_is_known() {
    for (text, meaning) in [
        ("always eventually a", "G F a"),
        ("[]<>a", "G F a"),
        ("a until b", "a U b"),
        ("a stronguntil b", "a U b"),
        ("a release b", "a R b"),
        ("a V b", "a R b"),
        ("a weakuntil b", "a W b"),
        ("next not a", "X !a"),
        ("~a /\\ b", "!a && b"),
        ("a \\/ b", "a || b"),
        ("a and b", "a && b"),
        ("a or b", "a || b"),
        ("a implies b", "a -> b"),
        ("a equivalent b", "a <-> b"),
        ("true U false", "true U false"),
        ("((a))", "a"),
        ("Fa", "Fa"),
        ("F a", "F a"),
        ("F(a)", "F a"),
        ("F!a", "F !a"),
        ("a U!b", "a U !b"),
        ("!!a", "!!a"),
    ] {
        assert_eq!(paper(text), meaning, "{text}");
    }
}

#[test]
fn atoms_have_many_forms() {
    let text = "busy && buf[i+1].full[2] && ch!msg && q[1]?ack(1,_) && ch!!m && ch??m && P[0]@critical \
                && \"x > 3\" && {len(q) == {2}} && _pid.x && \"busy\" && c!(1,2) && größe";
    let parsed = parse(text).unwrap();
    let atoms = [
        "busy",
        "buf[i+1].full[2]",
        "ch!msg",
        "q[1]?ack(1,_)",
        "ch!!m",
        "ch??m",
        "P[0]@critical",
        "x > 3",
        "len(q) == {2}",
        "_pid.x",
        "c!(1,2)",
        "größe",
    ];
    assert_eq!(parsed.atoms, atoms);
    let words: Vec<&str> = parsed.places[0].iter().map(|place| &text[place.clone()]).collect();
    assert_eq!(words, ["busy", "\"busy\""]);
    assert_eq!(&text[parsed.places[7][0].clone()], "\"x > 3\"");
}

/// What is wrong, the words that are underlined, and what to do.
#[test]
fn errors_say_what_where_and_what_to_do() {
    for (text, underlined, message, hint) in [
        ("", "", "there is no formula", "an example: [] (request -> <> reply)"),
        ("a &&", "", "the formula ends where an operand was expected", ""),
        ("a b", "b", "an operator was expected here", "join formulas with `&&`, `||`, `->`, `U`"),
        ("(a", "(", "this `(` is not closed", ""),
        ("a)", ")", "this `)` closes nothing", ""),
        ("(a b)", "b", "an operator or `)` was expected here", ""),
        ("a U ()", "()", "there is nothing between these parentheses", ""),
        ("&& a", "&&", "an operand was expected here", ""),
        ("x > 3", ">", "`>` is not an operator of temporal logic", EXPRESSION),
        ("x!=3", "!=", "`!=` is not an operator of temporal logic", EXPRESSION),
        ("x == 3", "==", "`==` is not an operator of temporal logic", EXPRESSION),
        ("a => b", "=>", "`=>` is not an operator", "write `->`"),
        ("a <=> b", "<=>", "`<=>` is not an operator", "write `<->`"),
        ("a & b", "&", "`&` is not an operator", "write `&&`"),
        ("a | b", "|", "`|` is not an operator", "write `||`"),
        ("a! b", "!", "a message is missing after `!`", "write `ch!msg`, and a negation with a space before it"),
        ("P@ b", "@", "a label is missing after `@`", "write `P@label`"),
        ("\"x > 3", "\"", "this quote is not closed", ""),
        ("{x", "{", "this `{` is not closed", ""),
        ("a[1 && b", "[", "this `[` is not closed", ""),
        ("ch?m(1 && b", "(", "this `(` is not closed", ""),
        ("\" \"", "\" \"", "this atom is empty", ""),
        ("3 U a", "3", "`3` starts neither an operator nor an atom", DIGIT),
        ("a U §", "§", "`§` starts neither an operator nor an atom", ""),
    ] {
        let error = parse(text).expect_err(text);
        assert_eq!(error.message, message, "{text}");
        assert_eq!(&text[error.range.clone()], underlined, "{text}: {error:?}");
        assert_eq!(error.hint.as_deref().unwrap_or(""), hint, "{text}");
    }
}

const EXPRESSION: &str = "put an expression in quotes or braces, which makes it one atom: \"x > 3\" or {x > 3}";
const DIGIT: &str = "an atom starts with a letter; anything else goes in quotes";

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    for text in [
        "(".repeat(100_000),
        format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("{}a", "!".repeat(100_000)),
        format!("{}a", "[]<>X ".repeat(100_000)),
        format!("a{}", " && a".repeat(100_000)),
        format!("a{}", " -> (a".repeat(100_000)),
    ] {
        let error = parse(&text).expect_err("too deep");
        assert_eq!(error.message, format!("the formula is nested deeper than {MAX_DEPTH} operators"));
    }
    assert!(parse(&format!("{}a{}", "(".repeat(MAX_DEPTH), ")".repeat(MAX_DEPTH))).is_ok());
    assert!(parse(&format!("{}a", "a U (".repeat(400) + &"!".repeat(100))).is_err());
    assert!(parse(&format!("{}a", "!".repeat(MAX_DEPTH - 1))).is_ok());
}

#[test]
fn any_text_is_a_formula_or_an_error_within_it() {
    let pieces = [
        "a", "!", "(", ")", "[", "]", "[]", "<>", "U", " ", "\"", "{", "}", "ch!", "?", "@", "é", "->", "&&", "=", "1",
        ".",
    ];
    for seed in 0..seeds(3_000) {
        let mut random = Random::new(seed);
        let length = random.below(12);
        let text: String = (0..length).map(|_| pieces[random.below(pieces.len() as u64) as usize]).collect();
        if let Err(error) = parse(&text) {
            assert!(text.get(error.range.clone()).is_some(), "seed {seed}: {text:?}: {error:?}");
        }
    }
}

#[test]
fn what_is_written_is_read_back() {
    let names = ["a", "ch!msg(1)", "x > 3"];
    for seed in 0..seeds(1_000) {
        let mut random = Random::new(seed);
        let size = 1 + random.below(30) as usize;
        let formula = support::formula(&mut random, size, 3, true);
        for text in [formula.to_paper(&names), formula.to_promela(&names)] {
            for precedence in [Precedence::Spin, Precedence::Usual] {
                let parsed =
                    parse_with(&text, precedence).unwrap_or_else(|error| panic!("seed {seed}: {text}: {error:?}"));
                assert_eq!(parsed.formula.to_paper(&parsed.atoms), formula.to_paper(&names), "seed {seed}: {text}");
            }
        }
    }
}

#[test]
fn formulas_are_measured() {
    let formula = parse("[] (a -> <> b)").unwrap().formula;
    assert_eq!((formula.size(), formula.depth(), formula.atoms()), (5, 4, 2));
    assert!(formula.is_stutter_invariant_syntactically());
    assert!(!formula.clone().next().is_stutter_invariant_syntactically());
    assert_eq!(formula.negated().negated(), formula);
    assert_eq!(Formula::True.negated(), Formula::False);
    assert_eq!(formula.to_promela(&["p", "q"]), "[] (p -> <> q)");
    assert_eq!(formula.to_paper(&["p"]), "G (p -> F p1)");
}

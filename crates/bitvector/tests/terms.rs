//! Terms: sharing, simplification by example, substitution, printing, and values that come back.

use crate::support::{ARITHMETIC, Garden, Random, bits, build, declare, seeds};
use bitvector::smtlib::{Reply, obligation, parse_replies, parse_value};
use bitvector::{Model, Op, Sort, TermId, Terms, to_c};
use std::collections::HashMap;

fn two(terms: &mut Terms) -> (TermId, TermId) {
    (terms.var("x", Sort::Bv(32)), terms.var("y", Sort::Bv(32)))
}

#[test]
fn equal_terms_have_equal_numbers_and_simple_ones_vanish() {
    let mut terms = Terms::new();
    let (x, y) = two(&mut terms);
    let truth = terms.bool(true);
    assert_eq!(terms.add(x, y), terms.add(y, x));
    assert_eq!(terms.eq(x, x), truth);
    let less = terms.slt(x, y);
    let not_less = terms.not(less);
    assert_eq!(terms.sle(y, x), not_less);
    assert_eq!(terms.or(less, not_less), truth);
    assert_eq!(terms.ite(less, x, x), x);
    let five = terms.constant(32, 5);
    let seven = terms.constant(32, 7);
    let sum = terms.add(x, five);
    let shifted = terms.eq(sum, seven);
    let two = terms.constant(32, 2);
    assert_eq!(shifted, terms.eq(x, two));
    let above = terms.slt(five, x);
    let six = terms.constant(32, 6);
    let below = terms.slt(x, six);
    assert_eq!(terms.not(above), below);
}

#[test]
fn a_comparison_used_as_a_number_and_tested_again_is_the_comparison() {
    let mut terms = Terms::new();
    let (x, y) = two(&mut terms);
    let less = terms.slt(x, y);
    let number = terms.from_bool(less, 32);
    let zero = terms.constant(32, 0);
    assert_eq!(terms.ne(number, zero), less);
}

#[test]
fn substitution_is_simultaneous() {
    let mut terms = Terms::new();
    let (x, y) = two(&mut terms);
    let less = terms.slt(x, y);
    let swapped = terms.substitute(less, &HashMap::from([(x, y), (y, x)]));
    assert_eq!(swapped, terms.slt(y, x));
}

#[test]
fn substitution_means_evaluation_in_the_changed_state() {
    for seed in 0..seeds(300) {
        let mut random = Random::new(seed);
        let widths = [0, 8, 8, 8];
        let garden = Garden { widths: &widths, operations: &ARITHMETIC, widest: 8 };
        let mut terms = Terms::new();
        let variables = declare(&mut terms, &widths);
        let condition = garden.tree(&mut random, 0, 4);
        let condition = build(&mut terms, &condition, &variables);
        let mut replacements = HashMap::new();
        for (&variable, &width) in variables.iter().zip(&widths) {
            let tree = garden.tree(&mut random, width, 2);
            replacements.insert(variable, build(&mut terms, &tree, &variables));
        }
        let before = terms.substitute(condition, &replacements);
        let values = widths.iter().map(|&width| bits(&mut random, width.max(1)));
        let state = Model::new(variables.iter().copied().zip(values).collect());
        let next = variables.iter().map(|variable| (*variable, state.evaluate(&terms, replacements[variable]).bits));
        let next = Model::new(next.collect());
        assert_eq!(state.evaluate(&terms, before), next.evaluate(&terms, condition), "seed {seed}");
    }
}

#[test]
fn very_deep_terms_are_no_trouble() {
    let mut terms = Terms::new();
    let (x, y) = two(&mut terms);
    let (one, three) = (terms.constant(32, 1), terms.constant(32, 3));
    let mut deep = x;
    for _ in 0..50_000 {
        let sum = terms.add(deep, one);
        deep = terms.bv_xor(sum, three);
    }
    let solved = terms.eq(deep, three);
    assert!(matches!(terms.node(solved).op(), Op::Eq));
    assert_eq!(terms.node(solved).arguments()[0], x);
    let less = terms.ult(deep, y);
    assert!(to_c(&terms, less).contains('…'));
    assert!(!Model::default().satisfies(&terms, less));
    assert_eq!(terms.free_variables(&[less]), [x, y]);
    assert!(obligation(&terms, &[less]).lines().count() > 100);
    let moved = terms.substitute(less, &HashMap::from([(y, x)]));
    assert_ne!(moved, less);
}

#[test]
fn people_read_c() {
    let mut terms = Terms::new();
    let (x, y) = two(&mut terms);
    let five = terms.constant(32, 5);
    let minus = terms.signed(32, -1);
    let below = terms.add(x, minus);
    let product = terms.mul(below, y);
    let first = terms.slt(product, five);
    assert_eq!(to_c(&terms, first), "y * (x - 1) < 5");
    let second = terms.ule(y, x);
    assert_eq!(to_c(&terms, second), "(unsigned) x >= y");
    let third = terms.ne(x, minus);
    let all = terms.and(first, second);
    let all = terms.or(all, third);
    assert_eq!(to_c(&terms, all), "x != -1 || y * (x - 1) < 5 && (unsigned) x >= y");
    let byte = terms.extract(x, 7, 0);
    let wide = terms.sext(byte, 32);
    assert_eq!(to_c(&terms, wide), "(i32) (u8) x");
    let left = terms.sub(x, y);
    let nested = terms.sub(y, left);
    assert_eq!(to_c(&terms, nested), "y - (x - y)");
}

#[test]
fn obligations_are_smt_lib() {
    let mut terms = Terms::new();
    let x = terms.var("P::x", Sort::Bv(8));
    let same = terms.var("and", Sort::Bv(8));
    let sum = terms.add(x, same);
    let square = terms.mul(sum, sum);
    let three = terms.constant(8, 3);
    let term = terms.eq(square, three);
    let expected = "(set-logic QF_BV)\n(declare-const |P::x| (_ BitVec 8))\n(declare-const v!3 (_ BitVec 8))\n\
                    (define-fun t!4 () (_ BitVec 8) (bvadd |P::x| v!3))\n\
                    (assert (= (bvmul t!4 t!4) (_ bv3 8)))\n(check-sat)\n";
    assert_eq!(obligation(&terms, &[term]), expected);
}

#[test]
fn values_of_other_solvers_are_read() {
    let read = |text: &str| parse_replies(text).and_then(|replies| replies.first().and_then(parse_value));
    assert_eq!(read("#x0f").map(|value| (value.sort, value.bits)), Some((Sort::Bv(8), 15)));
    assert_eq!(read("#b101").map(|value| (value.sort, value.bits)), Some((Sort::Bv(3), 5)));
    assert_eq!(read("(_ bv7 32)").map(|value| (value.sort, value.bits)), Some((Sort::Bv(32), 7)));
    assert_eq!(read("true").map(|value| value.is_true()), Some(true));
    for wrong in ["#x", "#b2", "(_ bv9 3)", "(_ bv1 0)", "(_ bv1 999)", "5", "(bv1)", "#bé", "(", ")"] {
        assert_eq!(read(wrong), None, "{wrong}");
    }
    let deep = "(".repeat(1000) + &")".repeat(1000);
    assert_eq!(parse_replies(&deep), None);
    let pairs = parse_replies("((|a b| #x1)\n (c\ttrue))").unwrap_or_default();
    assert_eq!(pairs.first().and_then(Reply::list).map(<[Reply]>::len), Some(2));
}

#[test]
#[should_panic(expected = "one width")]
fn a_term_without_a_meaning_cannot_be_built() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::Bv(8));
    let y = terms.var("y", Sort::Bv(16));
    terms.add(x, y);
}

//! The simplifications of the builders, on all values of small widths.
//!
//! Random terms miss the corners of rules about constants: one bound among many is off by one. So all operations with
//! all constants are tried, one on top of another, and under all comparisons with all constants.

use crate::support::{ARITHMETIC, COMPARISONS, Operation, Tree, build, declare, ones, value, width_of};
use bitvector::{Evaluation, Model, Terms};

const WIDEST: u32 = 4;

/// All operations on one tree, with all constants where they take another.
fn shapes(tree: &Tree) -> Vec<Tree> {
    let width = width_of(tree);
    let one = |operation, result| Tree::Node(operation, result, vec![tree.clone()]);
    let mut all = vec![one(Operation::BvNot, width), one(Operation::BvNeg, width)];
    for outer in width..=WIDEST {
        all.extend([one(Operation::Zext, outer), one(Operation::Sext, outer)]);
    }
    for low in 0..width {
        all.extend((1..=width - low).map(|size| one(Operation::Extract(low), size)));
    }
    for bits in 0..=ones(width) {
        let constant = Tree::Constant(bits, width);
        let zero = Tree::Node(Operation::Eq, 0, vec![tree.clone(), Tree::Constant(0, width)]);
        let more = Tree::Constant((bits + 1) & ones(width), width);
        all.push(Tree::Node(Operation::Ite, width, vec![zero.clone(), constant.clone(), more]));
        all.push(Tree::Node(Operation::Ite, width, vec![zero, tree.clone(), constant.clone()]));
        for operation in ARITHMETIC {
            all.push(Tree::Node(operation, width, vec![tree.clone(), constant.clone()]));
            all.push(Tree::Node(operation, width, vec![constant.clone(), tree.clone()]));
        }
        if 2 * width <= WIDEST {
            all.push(Tree::Node(Operation::Concat, 2 * width, vec![tree.clone(), constant.clone()]));
            all.push(Tree::Node(Operation::Concat, 2 * width, vec![constant.clone(), tree.clone()]));
        }
    }
    all
}

/// The builders' term against the tree, for all values of the one variable.
struct Comparison {
    terms: Terms,
    variables: Vec<bitvector::TermId>,
    states: Vec<Evaluation>,
}

impl Comparison {
    fn new(width: u32) -> Comparison {
        let mut terms = Terms::new();
        let variables = declare(&mut terms, &[width]);
        let states = (0..=ones(width)).map(|bits| Evaluation::new(Model::new(vec![(variables[0], bits)]))).collect();
        Comparison { terms, variables, states }
    }

    fn check(&mut self, tree: &Tree) {
        let term = build(&mut self.terms, tree, &self.variables);
        for (bits, state) in self.states.iter_mut().enumerate() {
            assert_eq!(state.bits(&self.terms, term), value(tree, &[bits as u128]), "{tree:?} at {bits}");
        }
    }
}

#[test]
fn two_operations_with_constants_are_simplified_rightly() {
    for width in 1..=3 {
        let mut comparison = Comparison::new(width);
        for inner in shapes(&Tree::Variable(0, width)) {
            if width == 3 && width_of(&inner) == WIDEST {
                continue;
            }
            for outer in shapes(&inner) {
                comparison.check(&outer);
            }
        }
    }
}

#[test]
fn comparisons_with_constants_are_simplified_rightly() {
    for width in 1..=3 {
        let mut comparison = Comparison::new(width);
        let variable = Tree::Variable(0, width);
        for shape in shapes(&variable).into_iter().chain([variable]) {
            let size = width_of(&shape);
            for bits in 0..=ones(size) {
                let constant = Tree::Constant(bits, size);
                for operation in COMPARISONS {
                    comparison.check(&Tree::Node(operation, 0, vec![shape.clone(), constant.clone()]));
                    comparison.check(&Tree::Node(operation, 0, vec![constant.clone(), shape.clone()]));
                }
            }
        }
    }
}

#[test]
fn two_shapes_of_one_variable_are_compared_rightly() {
    for width in 1..=2 {
        let mut comparison = Comparison::new(width);
        let all = shapes(&Tree::Variable(0, width));
        for left in &all {
            for right in all.iter().filter(|right| width_of(right) == width_of(left)) {
                for operation in COMPARISONS.into_iter() {
                    comparison.check(&Tree::Node(operation, 0, vec![left.clone(), right.clone()]));
                }
                for operation in ARITHMETIC {
                    comparison.check(&Tree::Node(operation, width_of(left), vec![left.clone(), right.clone()]));
                }
            }
        }
    }
}

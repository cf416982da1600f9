//! Jumps into a block behind a declaration.
//!
//! A `goto` or a `switch` may enter a block in its middle. The variables that are declared before that point exist from
//! then on, and have any value (C11 6.2.4, paragraph 6): what they held when the block was left is gone. Here it is found
//! out which declarations each jump skips, from the text alone.

use lang_c::ast::*;
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use std::collections::HashMap;

/// For each jump, by the place of its statement, the places of the declarations that it skips.
pub(crate) type Skipped = HashMap<(usize, usize), Vec<(usize, usize)>>;

/// The jumps of a procedure that skip something.
pub(super) fn skipped(definition: &FunctionDefinition) -> Skipped {
    let mut seen = Seen::default();
    seen.visit_statement(&definition.statement.node, &definition.statement.span);
    let mut found = Skipped::new();
    for (jump, target) in seen.jumps() {
        for &(declaration, block_end) in &seen.declarations {
            let inside = |at: usize| declaration.1 <= at && at < block_end;
            if inside(target) && !inside(jump.0) {
                found.entry(jump).or_default().push(declaration);
            }
        }
    }
    found
}

#[derive(Default)]
struct Seen<'ast> {
    /// A declarator of a variable, and where its block ends.
    declarations: Vec<((usize, usize), usize)>,
    labels: HashMap<&'ast str, usize>,
    gotos: Vec<((usize, usize), &'ast str)>,
    /// A `switch`, and one of its cases.
    cases: Vec<((usize, usize), usize)>,
    /// The blocks and the switches around.
    block_ends: Vec<usize>,
    switches: Vec<(usize, usize)>,
}

impl Seen<'_> {
    /// From which statement, and to where.
    fn jumps(&self) -> impl Iterator<Item = ((usize, usize), usize)> {
        let gotos = self.gotos.iter().filter_map(|(from, label)| Some((*from, *self.labels.get(label)?)));
        gotos.chain(self.cases.iter().copied())
    }
}

impl<'ast> Visit<'ast> for Seen<'ast> {
    fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
        let place = (span.start, span.end);
        match statement {
            Statement::Goto(name) => self.gotos.push((place, &name.node.name)),
            Statement::Compound(_) | Statement::For(_) => {
                self.block_ends.push(span.end);
                visit::visit_statement(self, statement, span);
                self.block_ends.pop();
                return;
            }
            Statement::Switch(_) => {
                self.switches.push(place);
                visit::visit_statement(self, statement, span);
                self.switches.pop();
                return;
            }
            _ => {}
        }
        visit::visit_statement(self, statement, span);
    }

    fn visit_labeled_statement(&mut self, labeled: &'ast LabeledStatement, span: &'ast Span) {
        match (&labeled.label.node, self.switches.last()) {
            (Label::Identifier(name), _) => {
                self.labels.insert(&name.node.name, span.start);
            }
            (_, Some(&switch)) => self.cases.push((switch, span.start)),
            _ => {}
        }
        visit::visit_labeled_statement(self, labeled, span);
    }

    fn visit_declaration(&mut self, declaration: &'ast Declaration, span: &'ast Span) {
        let is_static = |specifier: &Node<DeclarationSpecifier>| {
            matches!(&specifier.node, DeclarationSpecifier::StorageClass(class)
                if class.node != StorageClassSpecifier::Auto && class.node != StorageClassSpecifier::Register)
        };
        if let Some(&end) = self.block_ends.last()
            && !declaration.specifiers.iter().any(is_static)
        {
            let places = declaration.declarators.iter().map(|declared| (declared.span.start, declared.span.end));
            self.declarations.extend(places.map(|place| (place, end)));
        }
        visit::visit_declaration(self, declaration, span);
    }
}

//! Cuts a model down while the two checkers go on to disagree about it.

use super::tree::{Block, Node};

/// A smaller model of which `fails` is still true.
pub fn shrink(model: &[Node], mut fails: impl FnMut(&[Node]) -> bool) -> Vec<Node> {
    let mut model = model.to_vec();
    loop {
        let mut smaller = false;
        let mut index = 0;
        // Candidates are numbered in the order of the text; a cut that is kept leaves its number to the next one.
        while let Some(candidate) = cut(&model, index) {
            if fails(&candidate) {
                model = candidate;
                smaller = true;
            } else {
                index += 1;
            }
        }
        if !smaller {
            return model;
        }
    }
}

/// The model after its cut number `index`; `None` if there are fewer.
fn cut(model: &[Node], index: usize) -> Option<Vec<Node>> {
    let mut left = index;
    let mut cut = model.to_vec();
    cut_list(&mut cut, &mut left).then_some(cut)
}

/// Removes an item, replaces it by what is in one of its blocks, or cuts inside of it.
fn cut_list(items: &mut Vec<Node>, left: &mut usize) -> bool {
    for at in 0..items.len() {
        if taken(left) {
            items.remove(at);
            return true;
        }
        if items[at].process.is_none() {
            for block in 0..items[at].blocks.len() {
                if taken(left) {
                    let inner = std::mem::take(&mut items[at].blocks[block].items);
                    items.splice(at..=at, inner);
                    return true;
                }
            }
        }
        if cut_blocks(&mut items[at].blocks, left) {
            return true;
        }
    }
    false
}

fn cut_blocks(blocks: &mut Vec<Block>, left: &mut usize) -> bool {
    for at in 0..blocks.len() {
        if blocks[at].open.starts_with("::") && blocks.len() > 1 && taken(left) {
            blocks.remove(at);
            return true;
        }
        if cut_list(&mut blocks[at].items, left) {
            return true;
        }
    }
    false
}

fn taken(left: &mut usize) -> bool {
    let here = *left == 0;
    *left = left.wrapping_sub(1);
    here
}

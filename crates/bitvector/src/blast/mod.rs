//! From terms to gates: every term becomes a word of literals, once.
//!
//! The circuit grows and is never taken back; a question picks outputs as assumptions. Words are kept in one pool by the
//! number of the term.

mod gates;
mod words;

pub use gates::Gates;

use crate::effort::Effort;
use crate::sat::{Lit, Sat};
use crate::terms::{Op, TermId, Terms};
use model::reason::Reason;
use words::{Word, flipped, sign};

/// Terms as circuits.
pub struct Blaster {
    gates: Gates,
    /// By term: where its literals start in the pool, if it has some.
    starts: Vec<Option<u32>>,
    pool: Vec<Lit>,
}

impl Blaster {
    /// A blaster into an empty solver.
    pub fn new(sat: Sat) -> Blaster {
        Blaster { gates: Gates::new(sat), starts: Vec::new(), pool: Vec::new() }
    }

    /// The circuit.
    pub fn gates(&self) -> &Gates {
        &self.gates
    }

    /// The circuit, to ask the solver.
    pub fn gates_mut(&mut self) -> &mut Gates {
        &mut self.gates
    }

    /// The literals of a term, the lowest bit first; nothing if it was not blasted.
    pub fn word(&self, terms: &Terms, term: TermId) -> Option<&[Lit]> {
        let start = (*self.starts.get(term.index())?)? as usize;
        self.pool.get(start..start + terms.width(term) as usize)
    }

    /// Makes sure that a term has its literals, and gives the lowest.
    pub fn blast(&mut self, terms: &Terms, term: TermId, effort: &Effort<'_>) -> Result<Lit, Reason> {
        if let Some(word) = self.word(terms, term) {
            return Ok(word[0]);
        }
        if self.starts.len() < terms.len() {
            self.starts.resize(terms.len(), None);
        }
        let mut pending = vec![term];
        while let Some(&top) = pending.last() {
            let node = terms.node(top);
            let before = pending.len();
            pending.extend(node.arguments().iter().filter(|&&argument| self.starts[argument.index()].is_none()));
            if pending.len() > before {
                continue;
            }
            pending.pop();
            if self.starts[top.index()].is_none() {
                self.check_limits(effort, top, node.op())?;
                let word = self.translate(terms, top);
                self.starts[top.index()] = Some(self.pool.len() as u32);
                self.pool.extend(word);
            }
        }
        Ok(self.word(terms, term).map_or(self.gates.constant(false), |word| word[0]))
    }

    fn check_limits(&self, effort: &Effort<'_>, term: TermId, op: Op) -> Result<(), Reason> {
        if effort.too_large(self.gates.memory()) {
            return Err(Reason::Memory);
        }
        // Only these take long by themselves; of others there may be many.
        let long = matches!(op, Op::Mul | Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem);
        if long || term.index().is_multiple_of(256) { effort.exceeded().map_or(Ok(()), Err) } else { Ok(()) }
    }

    fn argument(&self, terms: &Terms, term: TermId, which: usize) -> Word {
        let arguments = terms.node(term);
        let argument = arguments.arguments().get(which).copied();
        argument.and_then(|argument| self.word(terms, argument)).unwrap_or(&[]).to_vec()
    }

    /// The word of a term whose arguments have theirs.
    fn translate(&mut self, terms: &Terms, term: TermId) -> Word {
        let width = terms.width(term);
        let a = self.argument(terms, term, 0);
        let b = self.argument(terms, term, 1);
        let gates = &mut self.gates;
        match terms.node(term).op() {
            Op::Const(bits) => gates.word_constant(bits, width),
            Op::Var(_) => (0..width).map(|_| gates.input()).collect(),
            Op::Not | Op::BvNot => flipped(&a),
            Op::And | Op::BvAnd => gates.word_and(&a, &b),
            Op::Or | Op::BvOr => gates.word_or(&a, &b),
            Op::BvXor => gates.word_xor(&a, &b),
            Op::Eq => vec![gates.word_eq(&a, &b)],
            Op::Ite => {
                let c = self.argument(terms, term, 2);
                self.gates.word_choice(a[0], &b, &c)
            }
            Op::BvNeg => gates.word_neg(&a),
            Op::Add => gates.word_add(&a, &b),
            Op::Sub => gates.word_sub(&a, &b),
            Op::Mul => gates.word_mul(&a, &b),
            Op::Udiv => gates.word_divide(&a, &b).0,
            Op::Urem => gates.word_divide(&a, &b).1,
            Op::Sdiv => gates.word_divide_signed(&a, &b).0,
            Op::Srem => gates.word_divide_signed(&a, &b).1,
            Op::Shl => gates.word_shift_left(&a, &b),
            Op::Lshr => gates.word_shift_right(&a, &b, gates.constant(false)),
            Op::Ashr => gates.word_shift_right(&a, &b, sign(&a)),
            Op::Ult => vec![gates.word_ult(&a, &b)],
            Op::Slt => vec![gates.word_slt(&a, &b)],
            Op::Concat => b.into_iter().chain(a).collect(),
            Op::Extract(low) => a[low as usize..(low + width) as usize].to_vec(),
            Op::Zext => widened(a, width, gates.constant(false)),
            Op::Sext => {
                let fill = sign(&a);
                widened(a, width, fill)
            }
        }
    }
}

fn widened(mut word: Word, width: u32, fill: Lit) -> Word {
    word.resize(width as usize, fill);
    word
}

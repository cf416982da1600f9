//! Lengths: what tests say of the one queue that they mean.
//!
//! Also without limits, `full` means as long as was declared, or longer. A poll that fails says that no message fits: so there
//! is none of an atom all of whose messages fit. The head alone says something only if whatever could be there would fit.

use crate::flow::counting::Ledger;
use crate::flow::knowledge::{Knowledge, Reader};
use crate::flow::values;
use model::expr::{BinaryOp, ChannelTest, Expr, Pattern};
use model::flow_proof::Values;

/// A number above this is no limit of a length: it may come from one.
const GREATEST_LENGTH: i32 = 1 << 16;

impl Ledger {
    /// How much a queue holds at the most, all in all or of one atom, if that was seen.
    pub(super) fn length(&self, queue: u32, atom: Option<u32>) -> Option<u64> {
        self.lengths.get(&(queue, atom)).copied()
    }

    fn shorten(&mut self, queue: u32, atom: Option<u32>, most: u64) {
        let length = self.lengths.entry((queue, atom)).or_insert(most);
        *length = most.min(*length);
    }
}

impl Reader<'_> {
    /// A test, or a length, compares so with some of these numbers.
    pub(super) fn measure(&self, known: &mut Knowledge, e: &Expr, op: BinaryOp, (other, with): (&Expr, &Values)) {
        let zero = values::constant(with) == Some(0);
        let (holds, fails) = (zero && op == BinaryOp::NotEqual, zero && op == BinaryOp::Equal);
        let (test, channel) = match e {
            Expr::Channel(test, channel) => (test, channel),
            Expr::Poll { channel, pattern, anywhere } if fails => return self.miss(known, channel, pattern, *anywhere),
            _ => return,
        };
        let Some(queue) = self.one_queue(known, channel) else { return };
        let capacity = self.ground.kinds[queue as usize].capacity;
        let most = match test {
            ChannelTest::Empty if holds => Some(0),
            ChannelTest::NotEmpty if fails => Some(0),
            ChannelTest::NotFull if holds => capacity.and_then(|capacity| capacity.checked_sub(1)),
            ChannelTest::Full if fails => capacity.and_then(|capacity| capacity.checked_sub(1)),
            ChannelTest::Len => limit(op, other, with),
            _ => None,
        };
        if let Some(most) = most {
            known.ledger.shorten(queue, None, most.into());
        }
    }

    /// No message fits a pattern.
    fn miss(&self, known: &mut Knowledge, channel: &Expr, pattern: &[Pattern], anywhere: bool) {
        let Some(queue) = self.one_queue(known, channel) else { return };
        let wanted = |pattern: &Pattern| match pattern {
            Pattern::Match(e) => Some(values::constant(&self.eval(known, e))),
            Pattern::Bind(_) | Pattern::Any => None,
        };
        let wanted: Vec<Option<Option<i32>>> = pattern.iter().map(wanted).collect();
        let fits = |(held, wanted): (&Values, &Option<Option<i32>>)| {
            wanted.is_none_or(|n| n.is_some() && values::constant(held) == n)
        };
        let atoms = &self.ground.abstraction.queues[queue as usize].atoms;
        let fitting = (0u32..).zip(atoms).filter(|(_, atom)| atom.values.iter().zip(&wanted).all(fits));
        let fitting: Vec<u32> = fitting.map(|(index, _)| index).collect();
        if fitting.len() == atoms.len() {
            known.ledger.shorten(queue, None, 0);
        }
        for atom in fitting.into_iter().filter(|_| anywhere) {
            known.ledger.shorten(queue, Some(atom), 0);
        }
    }

    /// The one buffered queue that a channel expression means.
    fn one_queue(&self, known: &Knowledge, channel: &Expr) -> Option<u32> {
        match self.eval(known, channel) {
            Values::Queues(queues) if queues.len() == 1 => {
                queues.first().copied().filter(|&queue| self.ground.kinds[queue as usize].single)
            }
            _ => None,
        }
    }
}

/// The greatest length that compares so with some of these numbers, if nothing that can be arbitrarily much is in them.
fn limit(op: BinaryOp, other: &Expr, with: &Values) -> Option<u32> {
    let grows = |e: &Expr| matches!(e, Expr::Channel(..) | Expr::ProcessCount | Expr::RunResult);
    let (_, greatest) =
        values::extent(with).filter(|(_, greatest)| *greatest <= GREATEST_LENGTH && !other.any(&grows))?;
    match op {
        BinaryOp::Equal | BinaryOp::LessEqual => u32::try_from(greatest).ok(),
        BinaryOp::Less => u32::try_from(i64::from(greatest) - 1).ok(),
        _ => None,
    }
}

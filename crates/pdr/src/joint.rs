//! Excluding a cube at several cut points at once.
//!
//! With one loop in another, that a counter of the outer loop is not negative holds at both heads, and at neither because
//! of itself alone. So a cube is also tried under the assumption that it is excluded at every cut point that a block
//! comes from. The cores say at which of them the assumption was used, and there it has to hold in the same way. By
//! induction over the number of blocks, it is excluded at all of them.
//!
//! A state that stands in the way is often one that is not reached either. It is excluded first, if that is quick
//! (Hassan, Bradley and Somenzi, *Better generalization in IC3*, 2013).

use crate::search::{Cube, Said, Search};
use crate::system::Cut;
use bitvector::TermId;
use model::verdict::Reason;

/// Conflicts that one question may cost.
const CONFLICTS: u64 = 2_000;
/// States in the way that are excluded for one cube.
const IN_THE_WAY: usize = 3;

impl Search<'_, '_> {
    /// Leaves out literals of a cube that is not reached, with the help of other cut points.
    pub(crate) fn fewer_jointly(&mut self, cut: Cut, mut kept: Cube, level: usize) -> Result<Cube, Reason> {
        let alone = self.system.entering[cut].iter().all(|&block| [0, cut].contains(&self.system.blocks[block].source));
        if alone || level == 1 || self.aside || cut == self.system.error() {
            return Ok(kept);
        }
        let mut together: Vec<Cut> = Vec::new();
        let mut at = 0;
        while at < kept.len() && kept.len() > 1 {
            let mut tried = kept.clone();
            tried.remove(at);
            match self.excluded_jointly(cut, &tried, level)? {
                Some(cuts) => {
                    together = cuts;
                    kept = tried;
                }
                None => at += 1,
            }
        }
        for other in together {
            if other != cut {
                self.learn(other, kept.clone(), level);
            }
        }
        Ok(kept)
    }

    /// The cut points at which the cube is excluded together; nothing if it is not.
    fn excluded_jointly(&mut self, cut: Cut, cube: &[TermId], level: usize) -> Result<Option<Vec<Cut>>, Reason> {
        let mut cuts = vec![cut];
        let mut at = 0;
        let mut allowed = IN_THE_WAY;
        let assumption = self.negation(cube);
        while let Some(&target) = cuts.get(at) {
            for block in self.system.entering[target].clone() {
                let source = self.system.blocks[block].source;
                let uses = loop {
                    self.cx.budget.check()?;
                    let (mut question, _) = self.leads_to(block, cube, level);
                    if source != 0 {
                        question.push(assumption);
                    }
                    match self.ask(&question, Some(CONFLICTS))? {
                        Said::No(core) => break core.contains(&assumption),
                        Said::Yes(model) if source != 0 && level > 2 && allowed > 0 => {
                            allowed -= 1;
                            let before = self.predecessor(block, cube, &model)?;
                            if !self.exclude_aside(source, before, level - 1)? {
                                return Ok(None);
                            }
                        }
                        _ => return Ok(None),
                    }
                };
                if uses && source != 0 && !cuts.contains(&source) {
                    cuts.push(source);
                }
            }
            at += 1;
        }
        Ok(Some(cuts))
    }

    /// Excludes states that stand in the way, if no block leads there.
    fn exclude_aside(&mut self, cut: Cut, cube: Cube, level: usize) -> Result<bool, Reason> {
        let Some(core) = self.unreached_part(cut, cube, level)? else { return Ok(false) };
        self.aside = true;
        let learnt = self.generalise(cut, core, level);
        self.aside = false;
        learnt.map(|_| true)
    }
}

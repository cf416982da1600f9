//! One run of the components from a path of each of them (Theorem 1 of the paper).
//!
//! All follow the same sequence of events. Round the loop, each component repeats after some rounds of its own; all of them
//! do after as many as the least common multiple.

use crate::lts::Lts;
use crate::product::Path;
use crate::projection::{LocalPath, Projection, takes_part};

/// Longer runs are of no use to anyone.
const LONGEST: usize = 1 << 20;

/// The run, or none if it would be too long.
pub(crate) fn assemble(
    path: &Path,
    structures: &[&Lts],
    projections: &[Projection],
    locals: &[LocalPath],
) -> Option<Path> {
    let mut run = Path { states: vec![locals.iter().map(|local| local.at(0)).collect()], ..Path::default() };
    let mut taken = vec![0; locals.len()];
    let mut take = |run: &mut Path, at: usize| {
        let mut state = run.states[run.states.len() - 1].clone();
        for (part, lts) in structures.iter().enumerate() {
            if takes_part(path, at, part, lts) {
                taken[part] += 1;
                state[part] = locals[part].at(taken[part]);
            }
        }
        run.states.push(state);
        run.steps.push(path.steps[at]);
    };
    let stem = path.loop_from.unwrap_or(path.steps.len());
    (0..stem).for_each(|at| take(&mut run, at));
    if path.loop_from.is_none() {
        return Some(run);
    }
    let (lead, repeat) = rounds(projections, locals)?;
    if (lead.checked_add(repeat)?).checked_mul((path.steps.len() - stem) * locals.len().max(1))? > LONGEST {
        return None;
    }
    for round in 0..lead + repeat {
        if round == lead {
            run.loop_from = Some(run.steps.len());
        }
        (stem..path.steps.len()).for_each(|at| take(&mut run, at));
    }
    Some(run)
}

/// How many rounds come before all components repeat, and after how many they do.
fn rounds(projections: &[Projection], locals: &[LocalPath]) -> Option<(usize, usize)> {
    let (mut lead, mut repeat) = (0, 1usize);
    for (projection, local) in projections.iter().zip(locals) {
        if let (Some(loop_from), Some(cycle_from)) = (projection.loop_from, local.cycle_from) {
            lead = lead.max((cycle_from - loop_from).div_ceil(projection.round()));
            let own = local.period() / projection.round();
            repeat = (repeat / greatest_common_divisor(repeat, own)).checked_mul(own)?;
        }
    }
    Some((lead, repeat))
}

fn greatest_common_divisor(mut a: usize, mut b: usize) -> usize {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

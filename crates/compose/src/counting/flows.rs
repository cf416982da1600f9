//! Weights of local states under which no event changes the sum.
//!
//! The participants of an event choose their steps independently, so each must gain the same by all of its steps with that
//! event. The unknowns are these gains, one for each component and event. Around every cycle of a component they sum up to
//! nothing, and so they do over the participants of every event. The solutions of these equations are found by exact
//! elimination; each free unknown gives one of them.
//!
//! Steps into an error do not count, nor does what errors weigh: nothing happens after them.

use crate::lts::{Lts, TAU};
use crate::meter::Meter;
use crate::problem::Problem;
use model::verdict::Reason;
use std::collections::{BTreeMap, HashMap, HashSet};

/// By component, the weight of each of its states; components whose weights are all 0 are left out.
pub(crate) type Weights = Vec<(usize, Vec<i64>)>;

/// Larger numbers make too many sums.
const LARGEST: i128 = 1 << 20;

/// More than so many numbers are not calculated.
const MOST_WORK: usize = 50_000_000;

/// Unknowns with their factors; the sum is 0.
type Row = BTreeMap<u32, i128>;

/// A basis of all weightings that no event changes.
pub(crate) fn invariants(problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Vec<Weights>, Reason> {
    let mut unknowns: HashMap<(usize, u32), u32> = HashMap::new();
    let mut by_event: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut rows = Elimination::default();
    let mut trees = Vec::new();
    for (part, leaf) in problem.leaves.iter().enumerate() {
        let mut unknown = |event: u32| {
            let next = unknowns.len() as u32;
            *unknowns.entry((part, event)).or_insert_with(|| {
                by_event.entry(event).or_default().push(next);
                next
            })
        };
        trees.push(gains(&leaf.lts, &mut unknown, &mut rows, meter)?);
    }
    // What a component knows and never does without an error leads nowhere else.
    let mut dead: HashSet<u32> = HashSet::new();
    for (part, leaf) in problem.leaves.iter().enumerate() {
        dead.extend(leaf.lts.alphabet.iter().filter(|&&event| !unknowns.contains_key(&(part, event))));
    }
    for (_, all) in by_event.iter().filter(|(event, _)| !dead.contains(event)) {
        rows.insert(all.iter().map(|&unknown| (unknown, 1)).collect(), meter)?;
    }
    let mut found = Vec::new();
    for gains in rows.solutions(unknowns.len() as u32) {
        let mut weights = Weights::new();
        for (part, tree) in trees.iter().enumerate() {
            let mut own: Vec<i64> = vec![0; tree.len()];
            for (state, from) in tree.iter().enumerate().filter_map(|(state, from)| Some((state, (*from)?))) {
                let gain = from.1.and_then(|unknown| gains.get(&unknown)).map_or(0, |&gain| gain as i64);
                own[state] = own[from.0 as usize] + gain;
            }
            meter.spend(1)?;
            if own.iter().any(|&weight| weight != 0) {
                weights.push((part, own));
            }
        }
        if !weights.is_empty() {
            found.push(weights);
        }
    }
    Ok(found)
}

/// By state, the state from which it was found first, and the unknown gain of that step. States are numbered breadth-first, so
/// that a state comes after the one it was found from.
type Tree = Vec<Option<(u32, Option<u32>)>>;

/// Writes down that the gains of a component sum up to nothing around each of its cycles.
fn gains(
    lts: &Lts,
    unknown: &mut dyn FnMut(u32) -> u32,
    rows: &mut Elimination,
    meter: &Meter<'_>,
) -> Result<Tree, Reason> {
    let mut tree: Tree = vec![None; lts.states()];
    let mut known = vec![false; lts.states()];
    lts.initial.iter().for_each(|&state| known[state as usize] = true);
    // What each state weighs, as a sum of unknowns.
    let mut weight: Vec<Row> = vec![Row::new(); lts.states()];
    for state in 0..lts.states() {
        for &(event, to) in lts.moves[state].iter().filter(|step| !lts.wrong[step.1 as usize]) {
            let gain = (event != TAU).then(|| unknown(event));
            let mut after = weight[state].clone();
            if let Some(gain) = gain {
                add(&mut after, gain, 1);
            }
            if !std::mem::replace(&mut known[to as usize], true) {
                tree[to as usize] = Some((state as u32, gain));
                weight[to as usize] = after;
                continue;
            }
            for (&unknown, &factor) in &weight[to as usize] {
                add(&mut after, unknown, -factor);
            }
            rows.spend(1 + after.len(), meter)?;
            rows.insert(after, meter)?;
        }
    }
    Ok(tree)
}

fn add(row: &mut Row, unknown: u32, factor: i128) {
    let sum = row.entry(unknown).or_insert(0);
    *sum += factor;
    if *sum == 0 {
        row.remove(&unknown);
    }
}

/// Rows that are solved for one unknown each, which stands in no other row.
#[derive(Default)]
struct Elimination {
    rows: BTreeMap<u32, Row>,
    /// By unknown that is not solved for: the rows that it stands in.
    users: HashMap<u32, HashSet<u32>>,
    /// Numbers that were calculated.
    work: usize,
}

impl Elimination {
    fn spend(&mut self, numbers: usize, meter: &Meter<'_>) -> Result<(), Reason> {
        self.work += numbers;
        if self.work > MOST_WORK {
            return Err(Reason::NotProvable(String::from("the linear invariants take too long")));
        }
        meter.spend(numbers)
    }

    fn insert(&mut self, mut row: Row, meter: &Meter<'_>) -> Result<(), Reason> {
        let solved: Vec<u32> = row.keys().copied().filter(|unknown| self.rows.contains_key(unknown)).collect();
        for pivot in solved {
            row = eliminated(row, &self.rows[&pivot], pivot)?;
            self.spend(1 + row.len(), meter)?;
        }
        // One that few rows have to be changed for, with a factor of 1 if there is one.
        let uses = |unknown: &u32| self.users.get(unknown).map_or(0, HashSet::len);
        let best =
            row.iter().min_by_key(|(unknown, factor)| (factor.abs(), uses(unknown), std::cmp::Reverse(**unknown)));
        let Some((&pivot, _)) = best else { return Ok(()) };
        for user in self.users.remove(&pivot).unwrap_or_default() {
            let Some(old) = self.rows.remove(&user) else { continue };
            old.keys().filter(|&&unknown| unknown != user && unknown != pivot).for_each(|unknown| {
                if let Some(users) = self.users.get_mut(unknown) {
                    users.remove(&user);
                }
            });
            let new = eliminated(old, &row, pivot)?;
            self.spend(1 + new.len(), meter)?;
            self.store(user, new);
        }
        self.store(pivot, row);
        Ok(())
    }

    fn store(&mut self, pivot: u32, row: Row) {
        for &unknown in row.keys().filter(|&&unknown| unknown != pivot) {
            self.users.entry(unknown).or_default().insert(pivot);
        }
        self.rows.insert(pivot, row);
    }

    /// For each free unknown the solution in whole numbers where it is not 0 and the other free ones are; without those that
    /// need large numbers.
    fn solutions(&self, unknowns: u32) -> Vec<BTreeMap<u32, i128>> {
        let free = (0..unknowns).filter(|unknown| !self.rows.contains_key(unknown));
        let solution = |free: u32| {
            let users: Vec<u32> = self.users.get(&free).into_iter().flatten().copied().collect();
            let factors = |user: &u32| (self.rows[user][user], self.rows[user][&free]);
            let scale = users.iter().map(factors).try_fold(1i128, |scale, (own, other)| {
                let scale = scale / gcd(scale, own / gcd(own, other)) * (own / gcd(own, other)).abs();
                (scale.abs() <= LARGEST).then_some(scale.abs())
            })?;
            let mut found = BTreeMap::from([(free, scale)]);
            for user in &users {
                let (own, other) = factors(user);
                let gain = -other * scale / own;
                if gain.abs() > LARGEST {
                    return None;
                }
                found.insert(*user, gain);
            }
            Some(found)
        };
        free.filter_map(solution).collect()
    }
}

/// A row without an unknown, by a row that has it.
fn eliminated(row: Row, by: &Row, unknown: u32) -> Result<Row, Reason> {
    let too_large = || Reason::NotProvable(String::from("the linear invariants have large numbers"));
    let (Some(&own), Some(&other)) = (row.get(&unknown), by.get(&unknown)) else { return Ok(row) };
    let common = gcd(own, other);
    let (scale, factor) = (other / common, own / common);
    let mut sum = Row::new();
    for (unknown, value) in row {
        sum.insert(unknown, value.checked_mul(scale).ok_or_else(too_large)?);
    }
    for (&unknown, value) in by {
        let less = value.checked_mul(factor).ok_or_else(too_large)?;
        let entry = sum.entry(unknown).or_insert(0);
        *entry = entry.checked_sub(less).ok_or_else(too_large)?;
        if *entry == 0 {
            sum.remove(&unknown);
        }
    }
    let common = sum.values().fold(0, |common, &value| gcd(common, value));
    sum.values_mut().for_each(|value| *value /= common.max(1));
    if sum.values().any(|value| value.abs() > LARGEST) { Err(too_large()) } else { Ok(sum) }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

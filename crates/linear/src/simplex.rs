//! The simplex method, dual first.
//!
//! The rows become equations A·x + s = b with a slack s ≥ 0 each. Structural variables and slacks alike are *columns*,
//! numbered in order of creation. A *basis* holds one column for each row; the others are zero, which determines the
//! basic values. [`crate::basis`] keeps the inverse of the basis; this file keeps the basic values and the *reduced
//! costs* of the other columns, and changes both with each pivot.
//!
//! If no cost is negative, the basis of all slacks is *dual feasible* (no reduced cost is negative) from the start,
//! and the dual simplex method (Lemke 1954) keeps it so: a row with a negative value leaves, and the column whose
//! reduced cost would become negative first enters. A new row puts its slack into the basis and spoils nothing, so
//! the next solve continues there. A negative row in which no column can enter reads 0 ≤ … = negative, and its row
//! of the inverse is the multipliers of Farkas' lemma.
//!
//! If some reduced cost is negative, the dual method first runs with the magnitudes of the reduced costs in their
//! place, which reaches a solution if there is one, and the primal method then goes on with the real ones.
//!
//! Costs of zero would make most dual steps idle: they change the basis but not the objective, and there can be very
//! many. So costs are pairs, compared lexicographically: the real cost, and a *tie cost*, which is 1 where the real
//! cost is 0. The dual method keeps the pairs from becoming negative, hence also the real reduced costs. Tie costs may
//! be anything that is not negative, and are changed where they are. (Tried before, and dropped: perturbing the costs
//! when steps stay idle, and mending with the primal method. On 2,000 variables most of which cost nothing, it took
//! twenty seconds where tie costs take forty milliseconds; Bland's rule alone was not done by then.)
//!
//! Termination: steps that change neither objective can repeat a basis. After a long run of them, Bland's rule (1977:
//! always the smallest index) takes over until a step makes progress; no basis can then come back.
//!
//! Which negative row leaves is free. We take the largest violation relative to the *devex* weight of its row
//! (Forrest & Goldfarb 1992), a running estimate of how steep the edge is. It is the only use of floating point.

use crate::basis::{Entries, Factors};
use crate::rational::Rational;
use crate::sparse::Scattered;
use std::cmp::Ordering;

/// Why the pivoting stopped.
pub(crate) enum Stop {
    Optimal,
    /// The multipliers of the rows.
    Infeasible(Entries),
    /// A direction, by variable.
    Unbounded(Vec<Rational>),
    Requested,
}

/// One column of the equations: a variable of the problem, or the slack of a row.
#[derive(Clone, Debug)]
struct Column {
    cost: Rational,
    /// By row.
    entries: Entries,
    is_slack: bool,
    /// The row in the basis, if it is there.
    place: Option<u32>,
    /// 0 for a column in the basis.
    reduced_cost: Rational,
    /// 0 for a column in the basis.
    reduced_tie_cost: Rational,
}

/// One row of the equations.
#[derive(Clone, Debug)]
struct Equation {
    /// By column; the slack is the last.
    terms: Entries,
    slack: u32,
    /// The column that is in the basis for this row.
    basic: u32,
    value: Rational,
    /// The devex weight.
    weight: f64,
}

/// The state of the method between pivots.
#[derive(Clone, Debug, Default)]
pub(crate) struct Simplex {
    columns: Vec<Column>,
    rows: Vec<Equation>,
    /// The column of each variable.
    variables: Vec<u32>,
    factors: Factors,
    /// A row of the inverse of the basis.
    inverse_row: Scattered,
    /// The same row of the equations in terms of the basis, by column that is not in the basis.
    pivot_row: Scattered,
    /// The entering column in terms of the basis.
    pivot_column: Scattered,
    /// The reduced costs are for other costs than the real ones.
    costs_are_stale: bool,
    /// Found once; rows that come later cannot change it.
    infeasible: Option<Entries>,
    pivots: u64,
    idle_pivots: usize,
}

impl Simplex {
    pub(crate) fn add_variable(&mut self, cost: Rational) {
        let column = self.add_column(cost, false);
        self.variables.push(column);
    }

    /// Adds a row, with its slack in the basis. `terms` has no variable twice and no zero.
    pub(crate) fn add_row(&mut self, terms: &[(u32, Rational)], bound: Rational) {
        let row = self.rows.len() as u32;
        let mut terms: Entries =
            terms.iter().map(|(variable, value)| (self.variables[*variable as usize], value.clone())).collect();
        let slack = self.add_column(Rational::ZERO, true);
        let mut value = bound;
        let mut basic_terms = Vec::new();
        for (column, coefficient) in &terms {
            let column = &mut self.columns[*column as usize];
            column.entries.push((row, coefficient.clone()));
            if let Some(place) = column.place {
                value.subtract_product(coefficient, &self.rows[place as usize].value);
                basic_terms.push((place, coefficient.clone()));
            }
        }
        terms.push((slack, Rational::ONE));
        self.columns[slack as usize].entries.push((row, Rational::ONE));
        self.columns[slack as usize].place = Some(row);
        self.rows.push(Equation { terms, slack, basic: slack, value, weight: 1.0 });
        self.factors.append_row(row, basic_terms);
        self.inverse_row.grow();
        self.pivot_column.grow();
    }

    pub(crate) fn value(&self, variable: u32) -> Rational {
        let place = self.variables.get(variable as usize).and_then(|&column| self.columns[column as usize].place);
        place.map_or(Rational::ZERO, |row| self.rows[row as usize].value.clone())
    }

    /// The dual value of a row: the reduced cost of its slack.
    pub(crate) fn multiplier(&self, row: u32) -> Rational {
        self.columns[self.rows[row as usize].slack as usize].reduced_cost.clone()
    }

    pub(crate) fn pivots(&self) -> u64 {
        self.pivots
    }

    pub(crate) fn solve(&mut self, keep_going: &mut dyn FnMut() -> bool) -> Stop {
        if let Some(multipliers) = &self.infeasible {
            return Stop::Infeasible(multipliers.clone());
        }
        self.idle_pivots = 0;
        if self.costs_are_stale {
            self.price();
        }
        if self.rows.iter().any(|row| row.value.is_negative()) {
            self.make_dual_feasible();
            match self.dual(keep_going) {
                Stop::Optimal if self.costs_are_stale => self.price(),
                Stop::Optimal => return Stop::Optimal,
                stop => return stop,
            }
        }
        self.primal(keep_going)
    }

    /// Gives negative reduced costs their magnitudes.
    fn make_dual_feasible(&mut self) {
        for column in &mut self.columns {
            if column.reduced_cost.is_negative() {
                column.reduced_cost = -&column.reduced_cost;
                self.costs_are_stale = true;
            } else if column.reduced_cost.is_zero() && column.reduced_tie_cost.is_negative() {
                column.reduced_tie_cost = -&column.reduced_tie_cost;
            }
        }
    }

    /// From a dual feasible basis to one that is primal feasible as well.
    fn dual(&mut self, keep_going: &mut dyn FnMut() -> bool) -> Stop {
        while let Some(leaving) = self.leaving_by_violation() {
            if !keep_going() {
                return Stop::Requested;
            }
            self.expand_row(leaving);
            let Some(entering) = self.entering_by_ratio() else {
                let multipliers = self.inverse_row.sorted();
                self.infeasible = Some(multipliers.clone());
                return Stop::Infeasible(multipliers);
            };
            self.expand_column(entering);
            let column = &self.columns[entering as usize];
            self.count_progress(!column.reduced_cost.is_zero() || !column.reduced_tie_cost.is_zero());
            self.pivot(leaving, entering);
        }
        Stop::Optimal
    }

    /// From a primal feasible basis to one that is dual feasible as well.
    fn primal(&mut self, keep_going: &mut dyn FnMut() -> bool) -> Stop {
        while let Some(entering) = self.entering_by_cost() {
            if !keep_going() {
                return Stop::Requested;
            }
            self.expand_column(entering);
            let Some(leaving) = self.leaving_by_ratio() else {
                return Stop::Unbounded(self.direction(entering));
            };
            self.expand_row(leaving);
            self.count_progress(!self.rows[leaving as usize].value.is_zero());
            self.pivot(leaving, entering);
        }
        Stop::Optimal
    }

    /// Dual: a row whose value is negative.
    fn leaving_by_violation(&self) -> Option<u32> {
        let violated = (0..self.rows.len() as u32).filter(|&row| self.rows[row as usize].value.is_negative());
        if self.is_cautious() {
            return violated.min_by_key(|&row| self.rows[row as usize].basic);
        }
        let score = |row: u32| {
            let row = &self.rows[row as usize];
            row.value.estimate().powi(2) / row.weight
        };
        violated
            .map(|row| (score(row), row))
            .reduce(|best, next| if next.0 > best.0 { next } else { best })
            .map(|x| x.1)
    }

    /// Dual: the column that keeps all reduced costs from becoming negative.
    fn entering_by_ratio(&self) -> Option<u32> {
        let mut best: Option<(Rational, u32)> = None;
        for (column, entry) in self.pivot_row.iter().filter(|(_, entry)| entry.is_negative()) {
            let ratio = &self.columns[column as usize].reduced_cost / &-entry;
            let order =
                best.as_ref().map(|(least, first)| ratio.cmp(least).then_with(|| self.break_tie(column, *first)));
            if order.is_none_or(Ordering::is_lt) {
                best = Some((ratio, column));
            }
        }
        best.map(|(_, column)| column)
    }

    /// Dual: which of two columns enters if their ratios are the same.
    fn break_tie(&self, left: u32, right: u32) -> Ordering {
        let ratio = |column: u32| match &self.columns[column as usize].reduced_tie_cost {
            cost if cost.is_zero() => Rational::ZERO,
            cost => -cost / self.pivot_row.get(column),
        };
        ratio(left).cmp(&ratio(right)).then(left.cmp(&right))
    }

    /// Primal: a column whose reduced cost is negative.
    fn entering_by_cost(&self) -> Option<u32> {
        let cost = |column: u32| &self.columns[column as usize].reduced_cost;
        let mut negative = (0..self.columns.len() as u32).filter(|&column| cost(column).is_negative());
        if self.is_cautious() { negative.next() } else { negative.min_by_key(|&column| cost(column)) }
    }

    /// Primal: the row that keeps all values from becoming negative.
    fn leaving_by_ratio(&self) -> Option<u32> {
        let mut best: Option<(Rational, u32, u32)> = None;
        for (row, entry) in self.pivot_column.iter().filter(|(_, entry)| entry.is_positive()) {
            let Equation { value, basic, .. } = &self.rows[row as usize];
            let ratio = value / entry;
            if best.as_ref().is_none_or(|(least, first, _)| (&ratio, basic) < (least, first)) {
                best = Some((ratio, *basic, row));
            }
        }
        best.map(|(_, _, row)| row)
    }

    /// The direction in which an entering column goes if no row stops it.
    fn direction(&self, entering: u32) -> Vec<Rational> {
        let step = |column: u32| match self.columns[column as usize].place {
            Some(row) => -self.pivot_column.get(row),
            None if column == entering => Rational::ONE,
            None => Rational::ZERO,
        };
        self.variables.iter().map(|&column| step(column)).collect()
    }

    /// Whether Bland's rule is in force.
    fn is_cautious(&self) -> bool {
        self.idle_pivots > 200 + self.rows.len()
    }

    fn count_progress(&mut self, progress: bool) {
        self.idle_pivots = if progress { 0 } else { self.idle_pivots + 1 };
    }

    /// Computes a row of the inverse of the basis, and of the equations in terms of the basis, both up to a positive
    /// factor that makes integers of them. Their readers do not mind the factor, and big fractions are slow.
    fn expand_row(&mut self, row: u32) {
        self.inverse_row.clear();
        self.inverse_row.set(row, Rational::ONE);
        self.factors.backward(&mut self.inverse_row);
        self.inverse_row.make_integers();
        self.pivot_row.clear();
        for (row, multiplier) in self.inverse_row.iter() {
            let multiplier = -multiplier;
            for (column, coefficient) in &self.rows[row as usize].terms {
                if self.columns[*column as usize].place.is_none() {
                    self.pivot_row.subtract_product(*column, &multiplier, coefficient);
                }
            }
        }
    }

    /// Computes a column of the equations in terms of the basis.
    fn expand_column(&mut self, column: u32) {
        self.pivot_column.clear();
        for (row, entry) in &self.columns[column as usize].entries {
            self.pivot_column.set(*row, entry.clone());
        }
        self.factors.forward(&mut self.pivot_column);
    }

    /// Puts `entering` into the basis in the place of `leaving`; both were expanded.
    fn pivot(&mut self, leaving: u32, entering: u32) {
        self.pivots += 1;
        self.update_values(leaving);
        self.update_costs(leaving, entering);
        let left = std::mem::replace(&mut self.rows[leaving as usize].basic, entering);
        self.columns[left as usize].place = None;
        self.columns[entering as usize].place = Some(leaving);
        self.factors.replace(leaving, &self.pivot_column);
        if self.factors.is_long() {
            self.rebuild();
        }
    }

    fn update_values(&mut self, leaving: u32) {
        let pivot = self.pivot_column.get(leaving);
        let step = &self.rows[leaving as usize].value / pivot;
        let (pivot, weight) = (pivot.estimate(), self.rows[leaving as usize].weight);
        for (row, entry) in self.pivot_column.iter().filter(|(row, _)| *row != leaving) {
            let row = &mut self.rows[row as usize];
            row.value.subtract_product(&step, entry);
            row.weight = row.weight.max((entry.estimate() / pivot).powi(2) * weight);
        }
        self.rows[leaving as usize].value = step;
        self.rows[leaving as usize].weight = (weight / pivot.powi(2)).max(1.0);
    }

    fn update_costs(&mut self, leaving: u32, entering: u32) {
        let entered = &mut self.columns[entering as usize];
        let cost = std::mem::take(&mut entered.reduced_cost);
        let tie_cost = std::mem::take(&mut entered.reduced_tie_cost);
        let (step, tie_step) = (&cost / self.pivot_row.get(entering), &tie_cost / self.pivot_row.get(entering));
        let others = || self.pivot_row.iter().filter(|(column, _)| *column != entering);
        if !step.is_zero() {
            others().for_each(|(column, entry)| {
                self.columns[column as usize].reduced_cost.subtract_product(&step, entry);
            });
        }
        if !tie_step.is_zero() {
            others().for_each(|(column, entry)| {
                self.columns[column as usize].reduced_tie_cost.subtract_product(&tie_step, entry);
            });
        }
        let left = &mut self.columns[self.rows[leaving as usize].basic as usize];
        left.reduced_cost = -cost / self.pivot_column.get(leaving);
        left.reduced_tie_cost = -tie_cost / self.pivot_column.get(leaving);
    }

    /// Computes the reduced costs from the real costs.
    fn price(&mut self) {
        self.inverse_row.clear();
        for (row, equation) in self.rows.iter().enumerate() {
            let cost = &self.columns[equation.basic as usize].cost;
            if !cost.is_zero() {
                self.inverse_row.set(row as u32, cost.clone());
            }
        }
        self.factors.backward(&mut self.inverse_row);
        for column in &mut self.columns {
            column.reduced_cost = Rational::ZERO;
            if column.place.is_none() {
                column.reduced_cost = column.cost.clone();
                for (row, entry) in &column.entries {
                    column.reduced_cost.subtract_product(entry, self.inverse_row.get(*row));
                }
            }
        }
        self.costs_are_stale = false;
        self.idle_pivots = 0;
    }

    /// Factors the basis afresh, which may deal its columns to other rows.
    fn rebuild(&mut self) {
        let mut open = vec![true; self.rows.len()];
        let mut structural = Vec::new();
        for equation in &self.rows {
            let column = &self.columns[equation.basic as usize];
            match column.entries.first() {
                Some((home, _)) if column.is_slack => open[*home as usize] = false,
                _ => structural.push(equation.basic),
            }
        }
        let entries: Vec<&[_]> = structural.iter().map(|&c| self.columns[c as usize].entries.as_slice()).collect();
        let places = self.factors.rebuild(&entries, &open);
        let slacks = (0..open.len() as u32).filter(|&row| !open[row as usize]);
        let slacks = slacks.map(|row| (self.rows[row as usize].slack, row));
        let deal: Vec<(u32, u32)> = structural.iter().copied().zip(places).chain(slacks).collect();
        self.deal(&deal);
    }

    /// Moves basic columns, with their values and weights, to new rows.
    fn deal(&mut self, deal: &[(u32, u32)]) {
        let old: Vec<(Rational, f64)> =
            self.rows.iter_mut().map(|r| (std::mem::take(&mut r.value), r.weight)).collect();
        for &(column, row) in deal {
            let from = self.columns[column as usize].place.replace(row).unwrap_or(row);
            let (value, weight) = old[from as usize].clone();
            let equation = &mut self.rows[row as usize];
            (equation.basic, equation.value, equation.weight) = (column, value, weight);
        }
    }

    fn add_column(&mut self, cost: Rational, is_slack: bool) -> u32 {
        let column = self.columns.len() as u32;
        let has_tie_cost = cost.is_zero() && !is_slack;
        self.columns.push(Column {
            reduced_cost: cost.clone(),
            reduced_tie_cost: if has_tie_cost { Rational::ONE } else { Rational::ZERO },
            cost,
            entries: Vec::new(),
            is_slack,
            place: None,
        });
        self.pivot_row.grow();
        column
    }
}

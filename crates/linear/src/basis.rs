//! The inverse of the basis, as a product of elementary steps.
//!
//! A basis is a square matrix *B*: one column of the problem for each row. Its inverse would be dense, but it is a
//! product of steps that each change little, and the steps are sparse when the columns are. There are two kinds.
//! A *column step* eliminates one column with its pivot; a pivot of the simplex method appends one. A *row step*
//! appends a row of the problem: with its slack in the basis, the new matrix is (B 0; a 1), so that its inverse
//! first does what it did and then subtracts *a* from the last entry. Warm starts are that cheap.
//!
//! The file of steps grows with every pivot. When it has become long, [`Factors::rebuild`] starts afresh with a
//! sparse LU decomposition of the columns as they are (left-looking, Gilbert & Peierls 1988). Nearly all bases here
//! are triangular but for a few columns, so the order matters most: first rows that meet only one column, then the
//! core by number of entries, and last the columns that meet only one row, in reverse. Outside of the core no entry
//! changes. Arithmetic is exact, so rebuilding is only a matter of speed, and of small numbers.

use crate::rational::Rational;
use crate::sparse::Scattered;

/// A sparse column or row, by index.
pub(crate) type Entries = Vec<(u32, Rational)>;

#[derive(Clone, Debug)]
enum Step {
    /// `v[at] *= inverse`, then `v[i] -= entry * v[at]` for the other entries.
    Column { at: u32, inverse: Rational, others: Entries },
    /// `v[at] -= entry * v[i]` for all entries.
    Row { at: u32, entries: Entries },
}

impl Step {
    fn size(&self) -> usize {
        match self {
            Step::Column { others: entries, .. } | Step::Row { entries, .. } => 1 + entries.len(),
        }
    }

    fn forward(&self, vector: &mut Scattered) {
        match self {
            Step::Column { at, .. } if vector.get(*at).is_zero() => {}
            Step::Column { at, inverse, others } => {
                let pivot = vector.get(*at) * inverse;
                for (index, entry) in others {
                    vector.subtract_product(*index, entry, &pivot);
                }
                vector.set(*at, pivot);
            }
            Step::Row { at, entries } => {
                let total = dot(entries, vector, vector.get(*at).clone());
                if total != *vector.get(*at) {
                    vector.set(*at, total);
                }
            }
        }
    }

    fn backward(&self, vector: &mut Scattered) {
        match self {
            Step::Column { at, inverse, others } => {
                let total = dot(others, vector, vector.get(*at).clone());
                if !total.is_zero() || !vector.get(*at).is_zero() {
                    vector.set(*at, total * inverse);
                }
            }
            Step::Row { at, .. } if vector.get(*at).is_zero() => {}
            Step::Row { at, entries } => {
                let pivot = vector.get(*at).clone();
                for (index, entry) in entries {
                    vector.subtract_product(*index, entry, &pivot);
                }
            }
        }
    }
}

/// `start - entries · vector`.
fn dot(entries: &Entries, vector: &Scattered, start: Rational) -> Rational {
    let mut total = start;
    for (index, entry) in entries {
        let value = vector.get(*index);
        if !value.is_zero() {
            total.subtract_product(entry, value);
        }
    }
    total
}

/// The steps whose product is the inverse of the basis.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factors {
    steps: Vec<Step>,
    size: usize,
    size_when_rebuilt: usize,
    work: Scattered,
}

impl Factors {
    /// A row was added to the problem; `entries` are its coefficients by the rows of their basic columns.
    pub(crate) fn append_row(&mut self, at: u32, entries: Entries) {
        self.work.grow();
        if !entries.is_empty() {
            self.push(Step::Row { at, entries });
        }
    }

    /// The basic column of row `at` was replaced by one that is `column` in terms of the basis.
    pub(crate) fn replace(&mut self, at: u32, column: &Scattered) {
        self.push(column_step(at, column.sorted()));
    }

    /// `vector = B⁻¹ vector`.
    pub(crate) fn forward(&self, vector: &mut Scattered) {
        self.steps.iter().for_each(|step| step.forward(vector));
    }

    /// `vector = vector B⁻¹`.
    pub(crate) fn backward(&self, vector: &mut Scattered) {
        self.steps.iter().rev().for_each(|step| step.backward(vector));
    }

    /// Whether so many steps were appended that a rebuild pays.
    pub(crate) fn is_long(&self) -> bool {
        self.size > 3 * self.size_when_rebuilt + self.work.len() + 100
    }

    /// Decomposes the basis that consists of `columns` (none of them a slack) and the slacks of the rows that are not
    /// `open`. Returns the row that each of the columns takes.
    pub(crate) fn rebuild(&mut self, columns: &[&[(u32, Rational)]], open: &[bool]) -> Vec<u32> {
        self.steps.clear();
        self.size = 0;
        let plan = Plan::new(columns, open);
        let mut taken = vec![false; open.len()];
        let mut rows = vec![0; columns.len()];
        let mut upper = Vec::new();
        let mut vector = std::mem::take(&mut self.work);
        for &column in &plan.order {
            vector.clear();
            columns[column].iter().for_each(|(row, entry)| vector.set(*row, entry.clone()));
            self.forward(&mut vector);
            let Some(at) = plan.pivot(column, &vector, &taken) else { continue };
            let (above, below) = vector.sorted().into_iter().partition(|(row, _)| taken[*row as usize]);
            self.push(column_step(at, below));
            upper.push(Step::Column { at, inverse: Rational::ONE, others: above });
            taken[at as usize] = true;
            rows[column] = at;
        }
        vector.clear();
        self.work = vector;
        upper.into_iter().rev().filter(|step| step.size() > 1).for_each(|step| self.push(step));
        self.size_when_rebuilt = self.size;
        rows
    }

    fn push(&mut self, step: Step) {
        self.size += step.size();
        self.steps.push(step);
    }
}

/// The step that turns `column` into the unit vector of `at`, where it is not zero.
fn column_step(at: u32, mut column: Entries) -> Step {
    let pivot = column.iter().position(|(row, _)| *row == at).map(|place| column.remove(place).1);
    let inverse = pivot.and_then(|pivot| pivot.recip()).unwrap_or(Rational::ZERO);
    Step::Column { at, inverse, others: column }
}

/// In which order, and where, the columns of a basis are eliminated.
struct Plan {
    order: Vec<usize>,
    /// The pivot row of each column, where counting alone can tell.
    pivots: Vec<Option<u32>>,
    /// The rows for the other columns.
    core_row: Vec<bool>,
    /// How many columns meet each row.
    row_counts: Vec<u32>,
}

impl Plan {
    fn new(columns: &[&[(u32, Rational)]], open: &[bool]) -> Plan {
        let mut core = Core::new(columns, open);
        let row_counts = core.row_count.clone();
        let mut pivots = vec![None; columns.len()];
        let mut order = Vec::with_capacity(columns.len());
        while let Some((row, column)) = core.next_single_row() {
            pivots[column] = Some(row);
            order.push(column);
            core.remove(row, column);
        }
        let mut last = Vec::new();
        while let Some((row, column)) = core.next_single_column() {
            pivots[column] = Some(row);
            last.push(column);
            core.remove(row, column);
        }
        let mut middle: Vec<usize> = (0..columns.len()).filter(|&column| core.has_column[column]).collect();
        middle.sort_by_key(|&column| core.column_count[column]);
        order.extend(middle);
        order.extend(last.into_iter().rev());
        Plan { order, pivots, core_row: core.has_row, row_counts }
    }

    /// The pivot row of a column; in the core, an entry in a row that few columns meet.
    fn pivot(&self, column: usize, vector: &Scattered, taken: &[bool]) -> Option<u32> {
        let available = |row: u32| self.core_row[row as usize] && !taken[row as usize];
        let in_core = || {
            let candidates = vector.iter().map(|(row, _)| row).filter(|&row| available(row));
            candidates.min_by_key(|&row| (self.row_counts[row as usize], row))
        };
        self.pivots[column].or_else(in_core)
    }
}

/// The part of a basis that has not been put in order yet.
struct Core<'a> {
    columns: &'a [&'a [(u32, Rational)]],
    columns_of_row: Vec<Vec<u32>>,
    has_row: Vec<bool>,
    has_column: Vec<bool>,
    row_count: Vec<u32>,
    column_count: Vec<u32>,
    single_rows: Vec<u32>,
    single_columns: Vec<u32>,
}

impl<'a> Core<'a> {
    fn new(columns: &'a [&'a [(u32, Rational)]], open: &[bool]) -> Core<'a> {
        let mut columns_of_row = vec![Vec::new(); open.len()];
        let mut column_count = vec![0; columns.len()];
        for (column, entries) in columns.iter().enumerate() {
            for (row, _) in entries.iter().filter(|(row, _)| open[*row as usize]) {
                columns_of_row[*row as usize].push(column as u32);
                column_count[column] += 1;
            }
        }
        let row_count: Vec<u32> = columns_of_row.iter().map(|columns| columns.len() as u32).collect();
        let singles = |counts: &[u32]| (0..counts.len() as u32).filter(|&i| counts[i as usize] == 1).collect();
        Core {
            columns,
            columns_of_row,
            has_row: open.to_vec(),
            has_column: vec![true; columns.len()],
            single_rows: singles(&row_count),
            single_columns: singles(&column_count),
            row_count,
            column_count,
        }
    }

    /// A row that meets one column, and that column.
    fn next_single_row(&mut self) -> Option<(u32, usize)> {
        while let Some(row) = self.single_rows.pop() {
            let mut columns = self.columns_of_row[row as usize].iter().map(|&column| column as usize);
            if let Some(column) = columns.find(|&column| self.has_column[column]).filter(|_| self.has_row[row as usize])
            {
                return Some((row, column));
            }
        }
        None
    }

    /// A column that meets one row, and that row.
    fn next_single_column(&mut self) -> Option<(u32, usize)> {
        while let Some(column) = self.single_columns.pop() {
            let column = column as usize;
            let mut rows = self.columns[column].iter().map(|(row, _)| *row);
            if let Some(row) = rows.find(|&row| self.has_row[row as usize]).filter(|_| self.has_column[column]) {
                return Some((row, column));
            }
        }
        None
    }

    fn remove(&mut self, row: u32, column: usize) {
        self.has_row[row as usize] = false;
        self.has_column[column] = false;
        for (other, _) in self.columns[column].iter() {
            let count = &mut self.row_count[*other as usize];
            *count = count.saturating_sub(1);
            if *count == 1 && self.has_row[*other as usize] {
                self.single_rows.push(*other);
            }
        }
        for &other in &self.columns_of_row[row as usize] {
            let count = &mut self.column_count[other as usize];
            *count = count.saturating_sub(1);
            if *count == 1 && self.has_column[other as usize] {
                self.single_columns.push(other);
            }
        }
    }
}

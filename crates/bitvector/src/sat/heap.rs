//! The order of decisions: a binary heap of variables by activity (EVSIDS).
//!
//! Floating-point numbers live here only. They choose the order of the search, never an answer.

use super::literal::Var;

const ABSENT: u32 = u32::MAX;
const LARGE: f64 = 1e100;

pub(super) struct Order {
    heap: Vec<Var>,
    place: Vec<u32>,
    activity: Vec<f64>,
    bump: f64,
}

impl Order {
    pub(super) fn new() -> Order {
        Order { heap: Vec::new(), place: Vec::new(), activity: Vec::new(), bump: 1.0 }
    }

    pub(super) fn new_variable(&mut self) {
        self.place.push(ABSENT);
        self.activity.push(0.0);
    }

    /// Forgets which variables are to be decided, not how active they were.
    pub(super) fn clear(&mut self) {
        for var in self.heap.drain(..) {
            self.place[var.index()] = ABSENT;
        }
    }

    pub(super) fn insert(&mut self, var: Var) {
        if self.place[var.index()] == ABSENT {
            self.place[var.index()] = self.heap.len() as u32;
            self.heap.push(var);
            self.rise(self.heap.len() - 1);
        }
    }

    /// The most active variable, taken out.
    pub(super) fn pop(&mut self) -> Option<Var> {
        let top = *self.heap.first()?;
        let last = self.heap.pop()?;
        self.place[top.index()] = ABSENT;
        if last != top {
            self.heap[0] = last;
            self.place[last.index()] = 0;
            self.sink(0);
        }
        Some(top)
    }

    /// The variable took part in a conflict.
    pub(super) fn bump(&mut self, var: Var) {
        self.activity[var.index()] += self.bump;
        if self.activity[var.index()] > LARGE {
            self.rescale();
        }
        let place = self.place[var.index()];
        if place != ABSENT {
            self.rise(place as usize);
        }
    }

    /// Later conflicts count more.
    pub(super) fn decay(&mut self) {
        self.bump /= 0.95;
    }

    fn rescale(&mut self) {
        for activity in &mut self.activity {
            *activity /= LARGE;
        }
        self.bump /= LARGE;
    }

    fn before(&self, a: Var, b: Var) -> bool {
        self.activity[a.index()] > self.activity[b.index()]
    }

    fn rise(&mut self, mut at: usize) {
        let var = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            if !self.before(var, self.heap[parent]) {
                break;
            }
            self.put(self.heap[parent], at);
            at = parent;
        }
        self.put(var, at);
    }

    fn sink(&mut self, mut at: usize) {
        let var = self.heap[at];
        loop {
            let left = 2 * at + 1;
            let Some(&left_var) = self.heap.get(left) else { break };
            let (child, child_var) = match self.heap.get(left + 1) {
                Some(&right_var) if self.before(right_var, left_var) => (left + 1, right_var),
                _ => (left, left_var),
            };
            if !self.before(child_var, var) {
                break;
            }
            self.put(child_var, at);
            at = child;
        }
        self.put(var, at);
    }

    fn put(&mut self, var: Var, at: usize) {
        self.heap[at] = var;
        self.place[var.index()] = at as u32;
    }
}

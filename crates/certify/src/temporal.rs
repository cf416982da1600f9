//! Claims about infinite runs: formulas, `never` claims, acceptance labels.
//!
//! A certificate says: the model was run in parallel with this automaton, which follows the runs that must not be; there
//! were so many states of the two together, with this digest, and no cycle of them is accepting. Here all of it is done
//! again, by the plainest code: `moves` takes the moves of the model, `product` lists the states of both, and
//! `components` looks for a cycle on which nothing is left undone.
//!
//! Where the automaton comes from decides what it is worth. A `never` claim stands in the model, and acceptance labels need
//! an automaton that allows everything: the one in the certificate must be just that. For a formula it is the work of a
//! translator that is neither small nor plain, and an automaton that follows too little proves too much. So it is
//! believed in nothing: after its numbers were compared, the negated formula is translated once more, by a
//! tableau of two pages (`tableau`), and the model must have no counterexample there either. What is accepted holds
//! because of that second check alone; the first one only shows that the certificate is of this model and this search.
//! The automaton need not say what the formula assumes of runs: the tableau keeps that out of its states, too
//! (`assumptions`).
//!
//! The second check is a decision procedure of its own: [`decide`] and [`decide_claim`] are what tests compare the
//! engines with.

pub(crate) mod assumptions;
pub(crate) mod components;
mod finite;
pub(crate) mod moves;
pub(crate) mod product;
pub(crate) mod settled;
pub(crate) mod tableau;

use crate::Refusal;
use assumptions::{Assumptions, apart};
use model::claim::{Claim, ClaimEdge, ClaimState, MOST_ATOMS};
use model::context::Context;
use model::fairness::Fairness;
use model::formula::{Atom, Ltl};
use model::network::MachineKind;
use model::semantics::Semantics;
use model::verdict::{Certificate, Property};
use moves::Moves;
use product::{Atoms, Branches, Debt, Debts, Found, Place, Processes, Product, Watch};
use settled::Account;
use tableau::Tableau;

/// Where and how long to look.
#[derive(Clone, Copy)]
struct Setting<'a> {
    semantics: &'a Semantics<'a>,
    cx: &'a Context<'a>,
}

/// Checks a certificate of a product, or of a search that left states out and says no more than that it found nothing.
pub(crate) fn verify(
    semantics: &Semantics<'_>,
    property: &Property,
    certificate: &Certificate,
    cx: &Context<'_>,
) -> Result<(), Refusal> {
    let setting = Setting { semantics, cx };
    let (numbers, automaton, fair) = match certificate {
        Certificate::Product { states, digest, claim, fair } => (Some((*states, *digest)), Some(&**claim), *fair),
        Certificate::Searched { fair, .. } => (None, None, *fair),
        _ => return Err(Refusal::WrongKind(property.to_string())),
    };
    let written = match property {
        Property::Ltl(name) | Property::Question(name) => return setting.formula(name, automaton, numbers, fair),
        Property::Never(name) => never_claim(semantics, name)?,
        Property::Acceptance => anything(),
        _ => return Err(Refusal::WrongKind(property.to_string())),
    };
    if automaton.is_some_and(|automaton| !same_automaton(&written, automaton)) {
        return Err(Refusal::OtherAutomaton(property.to_string()));
    }
    setting.compare(&written, &Assumptions::default(), Rules { labels: true, fair }, numbers)
}

/// Whether every run keeps a formula; or every run that is fair.
pub fn decide(semantics: &Semantics<'_>, formula: &Ltl, fair: Fairness, cx: &Context<'_>) -> Result<bool, Refusal> {
    answer(Setting { semantics, cx }.keeps(formula, fair))
}

/// Whether a claim accepts no run. With `labels`, processes at a location labelled as accepting count as well.
pub fn decide_claim(
    semantics: &Semantics<'_>,
    claim: &Claim,
    labels: bool,
    fair: Fairness,
    cx: &Context<'_>,
) -> Result<bool, Refusal> {
    is_well_formed(claim, claim.atoms.len())?;
    let setting = Setting { semantics, cx };
    let found = setting.watch(&claim.atoms, &mut &*claim, &Assumptions::default(), Rules { labels, fair });
    answer(found.and_then(|found| found.is_empty()))
}

fn answer(checked: Result<(), Refusal>) -> Result<bool, Refusal> {
    match checked {
        Ok(()) => Ok(true),
        Err(Refusal::Violated(_)) => Ok(false),
        Err(refusal) => Err(refusal),
    }
}

impl Setting<'_> {
    /// The formula with a name holds; the automaton is of use for the numbers only.
    fn formula(
        &self,
        name: &str,
        automaton: Option<&Claim>,
        numbers: Option<(u64, u128)>,
        fair: Fairness,
    ) -> Result<(), Refusal> {
        let formula = self.semantics.network().formulas.iter().find(|formula| formula.name == name);
        let formula = formula.ok_or_else(|| Refusal::Malformed(format!("the model has no formula `{name}`")))?;
        if let Some(automaton) = automaton {
            let watched = with_atoms(automaton, &formula.formula)?;
            let (_, assumptions) = apart(Tableau::of_negation(&formula.formula, &watched.atoms));
            self.compare(&watched, &assumptions, Rules { labels: false, fair }, numbers)?;
        }
        self.keeps(&formula.formula, fair)
    }

    /// The product with a claim has so many states with this digest, and no run is accepted.
    fn compare(
        &self,
        claim: &Claim,
        assumptions: &Assumptions,
        rules: Rules,
        numbers: Option<(u64, u128)>,
    ) -> Result<(), Refusal> {
        let found = self.watch(&claim.atoms, &mut &*claim, assumptions, rules)?;
        found.ends()?;
        if let Some((claimed, _)) = numbers.filter(|(states, _)| *states != found.states()) {
            return Err(Refusal::StateCount { claimed, found: found.states() });
        }
        if numbers.is_some_and(|(_, digest)| digest != found.digest) {
            return Err(Refusal::Digest);
        }
        found.is_empty()
    }

    /// The product with the tableau of the negated formula has no accepting cycle.
    fn keeps(&self, formula: &Ltl, fair: Fairness) -> Result<(), Refusal> {
        let atoms = atoms_of(formula)?;
        let (mut tableau, assumptions) = apart(Tableau::of_negation(formula, &atoms));
        self.watch(&atoms, &mut tableau, &assumptions, Rules { labels: false, fair })?.is_empty()
    }

    fn watch(
        &self,
        atoms: &[Atom],
        watch: &mut dyn Watch,
        assumptions: &Assumptions,
        rules: Rules,
    ) -> Result<Found, Refusal> {
        let mut moves = Moves::new(self.semantics, atoms);
        Product::new(&mut moves, &mut Beside { watch, assumptions, rules }).search(self.cx)
    }
}

/// The atoms of a formula, each with a bit of its own.
fn atoms_of(formula: &Ltl) -> Result<Vec<Atom>, Refusal> {
    let atoms = formula.atoms();
    if atoms.len() > MOST_ATOMS {
        return Err(Refusal::Unfinished(format!("a formula with more than {MOST_ATOMS} different conditions")));
    }
    Ok(atoms.into_iter().map(|(atom, _)| atom).collect())
}

/// The automaton of a certificate, with the atoms of the formula: what it was written down without.
fn with_atoms(claim: &Claim, formula: &Ltl) -> Result<Claim, Refusal> {
    let atoms = atoms_of(formula)?;
    is_well_formed(claim, atoms.len())?;
    Ok(Claim { atoms, ..claim.clone() })
}

/// Every state and every atom that an automaton names is there.
fn is_well_formed(claim: &Claim, atoms: usize) -> Result<(), Refusal> {
    let beyond = |atom: u32| Refusal::Malformed(format!("the automaton speaks of condition {atom} of {atoms}"));
    let missing = |state: u32| Refusal::Malformed(format!("the automaton has no state {state}"));
    let exists = |state: u32| (state as usize) < claim.states.len();
    if !exists(claim.initial) {
        return Err(missing(claim.initial));
    }
    for edge in claim.states.iter().flat_map(|state| &state.edges) {
        let last = (edge.holds | edge.fails).checked_ilog2();
        if let Some(atom) = last.filter(|&atom| atom as usize >= atoms) {
            return Err(beyond(atom));
        }
        if let Some(state) = edge.to.filter(|&state| !exists(state)) {
            return Err(missing(state));
        }
    }
    Ok(())
}

fn never_claim(semantics: &Semantics<'_>, name: &str) -> Result<Claim, Refusal> {
    let mut claims = semantics.network().claims.iter().filter(|claim| claim.kind == MachineKind::Never);
    let machine = claims.find(|claim| claim.name == name);
    let machine = machine.ok_or_else(|| Refusal::Malformed(format!("the model has no never claim `{name}`")))?;
    Claim::of_machine(machine).map_err(|refused| Refusal::Unfinished(format!("{} is not supported", refused.why)))
}

/// The claim that allows everything and accepts nothing by itself.
fn anything() -> Claim {
    let edges = vec![ClaimEdge { to: Some(0), ..ClaimEdge::default() }];
    Claim { atoms: Vec::new(), states: vec![ClaimState { edges, ..ClaimState::default() }], initial: 0 }
}

/// The same automaton, but for what is not written down in a certificate: atoms, words and places.
fn same_automaton(one: &Claim, other: &Claim) -> bool {
    let same_edge = |(a, b): (&ClaimEdge, &ClaimEdge)| (a.holds, a.fails, a.to) == (b.holds, b.fails, b.to);
    let same_state = |(a, b): (&ClaimState, &ClaimState)| {
        a.accepting == b.accepting && a.edges.len() == b.edges.len() && a.edges.iter().zip(&b.edges).all(same_edge)
    };
    one.initial == other.initial
        && one.states.len() == other.states.len()
        && one.states.iter().zip(&other.states).all(same_state)
}

/// What counts.
#[derive(Clone, Copy)]
struct Rules {
    /// Processes at a location labelled as accepting count as well as the automaton.
    labels: bool,
    /// Which runs count.
    fair: Fairness,
}

/// An automaton, what is assumed beside it, and what counts.
struct Beside<'w> {
    watch: &'w mut dyn Watch,
    assumptions: &'w Assumptions,
    rules: Rules,
}

impl Watch for Beside<'_> {
    fn initial(&self) -> u32 {
        self.watch.initial()
    }

    fn steps(&mut self, at: u32, atoms: Atoms) -> Result<Branches, Refusal> {
        self.watch.steps(at, atoms)
    }

    fn also(&self, account: &mut Account<Debt>, atoms: Atoms, place: &Place, moved: &Processes) -> Result<(), Refusal> {
        (account.requested, account.granted) = self.assumptions.at(atoms)?;
        if self.rules.labels && place.accepting {
            account.owed.remove(&Debt::Acceptance);
        }
        place.give_turns(account, self.rules.fair, moved);
        Ok(())
    }

    fn ends(&self, at: u32, atoms: Atoms) -> Result<bool, Refusal> {
        self.watch.ends(at, atoms)
    }
}

impl Watch for &Claim {
    fn initial(&self) -> u32 {
        self.initial
    }

    fn steps(&mut self, at: u32, atoms: Atoms) -> Result<Branches, Refusal> {
        let state = &self.states[at as usize];
        let holds = atoms.ask(state.edges.iter().fold(0, |set, edge| set | edge.holds | edge.fails))?;
        let debts: Debts = (!state.accepting).then_some(Debt::Acceptance).into_iter().collect();
        Ok(state.edges.iter().filter(|edge| edge.is_open(holds)).map(|edge| (edge.to, debts.clone())).collect())
    }

    fn ends(&self, at: u32, atoms: Atoms) -> Result<bool, Refusal> {
        let events = self.events();
        let mut last = self.states[at as usize].edges.iter().filter(|edge| edge.to.is_none());
        last.try_fold(false, |ends, edge| {
            let wanted = edge.holds | edge.fails;
            Ok(ends || wanted & events == 0 && edge.is_open(atoms.ask(wanted)?))
        })
    }
}

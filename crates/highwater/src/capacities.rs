//! `--apply-bounds`: the model with other capacities, so that a finite model can be checked further.
//!
//! Only the number in `= [ … ] of` changes, nothing else in the text: comments, macros and layout stay. A capacity is never
//! 0, which would make a rendezvous of it. Nor does a capacity change that the model can see (`observed.rs`), since the model
//! would then do something else.
//!
//! *Never-wait* is what suffices so that no send ever waits: the proved bound. *Smallest* is a vector of capacities at which
//! the model has no deadlock and no failing assertion, while lowering any of them by one leads to such a run. Neither
//! property is monotone in capacities (there are models that deadlock at 2, not at 1 or 3), so every vector is searched by
//! itself; it is one minimal vector, not the minimum, and says nothing about what is in between, nor about livelock.

use crate::model::{Model, System};
use crate::observed::Observed;
use explore::search::{Options, search};
use model::budget::Budget;
use model::context::Context;
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::source::Span;
use model::verdict::{ChannelState, Outcome, Property};
use std::collections::BTreeMap;

/// Which capacities are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Capacities {
    /// So large that no send ever waits.
    NeverWait,
    /// So small that a smaller one leads to a deadlock or a failing assertion.
    Smallest,
}

/// A model with other capacities.
pub struct Applied {
    /// Its text.
    pub text: String,
    /// The declarations that stay as they are although another capacity was wanted, and why, for each reason.
    pub refused: BTreeMap<String, usize>,
    /// For people: the three numbers of each declaration that was changed.
    pub notes: Vec<String>,
}

const UNKNOWN: &str = "no bound is known for them";
const ELSEWHERE: &str = "they are not in the first file";
const UNFINISHED: &str = "the search for smaller capacities was not finished";

/// A declaration of channels.
struct Declaration {
    name: String,
    declared: Option<u32>,
    /// So that no send ever waits.
    never_wait: Option<u32>,
}

/// The model with the capacities that are wanted, by the bounds that were found.
pub(crate) fn applied(outcomes: &[Outcome], model: &Model, wanted: Capacities, budget: &Budget) -> Applied {
    let main = model.sources.files().first().map(|f| f.text.clone()).unwrap_or_default();
    let mut applied = Applied { text: main, refused: BTreeMap::new(), notes: Vec::new() };
    let System::Network(system) = &model.system else { return applied };
    let declarations = declarations(outcomes);
    let observed = Observed::new(&system.network);
    let mut chosen: BTreeMap<Span, u32> = BTreeMap::new();
    for (&span, declaration) in &declarations {
        let Declaration { declared, never_wait, .. } = *declaration;
        match (never_wait.or(declared.filter(|_| wanted == Capacities::Smallest)), observed.by(span)) {
            // It is left as it is; that is worth a word only where it is too small.
            (Some(capacity), Some(why)) => {
                if declared.is_none_or(|declared| declared < capacity) || wanted == Capacities::Smallest {
                    applied.refuse(why);
                }
            }
            (Some(capacity), None) => drop(chosen.insert(span, capacity)),
            (None, _) => applied.refuse(UNKNOWN),
        }
    }
    let raised = |(span, capacity): (&Span, &u32)| declarations[span].declared.is_none_or(|d| d < *capacity);
    if wanted == Capacities::Smallest {
        chosen = applied.smallest(&system.network, chosen, budget);
    } else if chosen.iter().any(raised) && keeps(&system.network, &chosen, budget) == Some(false) {
        let why = "with these capacities the model has a deadlock or a failing assertion: `check` shows the run";
        applied.notes.push(why.to_owned());
    }
    // From the end of the text on, so that places stay where they are.
    let mut numbers = Vec::new();
    for (&span, &capacity) in chosen.iter().rev() {
        let place = (span.file.0 == 0).then(|| capacity_place(&applied.text, span)).flatten();
        match place {
            Some((from, to)) => applied.text.replace_range(from..to, &capacity.to_string()),
            None => applied.refuse(ELSEWHERE),
        }
        let Declaration { name, declared, never_wait } = &declarations[&span];
        let number = |n: &Option<u32>| n.map_or_else(|| String::from("unknown"), |n| n.to_string());
        if wanted == Capacities::Smallest {
            numbers.push(format!(
                "`{name}`: declared {}, never waits with {}, smallest {capacity}",
                number(declared),
                number(never_wait)
            ));
        }
    }
    applied.notes.extend(numbers.into_iter().rev());
    applied
}

/// The declarations of channels, each with the largest bound of its channels.
fn declarations(outcomes: &[Outcome]) -> BTreeMap<Span, Declaration> {
    let mut found: BTreeMap<Span, Declaration> = BTreeMap::new();
    let bounded = outcomes.iter().filter(|o| o.property == Property::Boundedness);
    for channel in bounded.flat_map(|o| &o.details.channels) {
        let bound = channel.proved_at_most.filter(|_| channel.state == ChannelState::Bounded);
        let bound = bound.and_then(|bound| u32::try_from(bound.max(1)).ok());
        let name = channel.name.split('[').next().unwrap_or_default().to_owned();
        let first = || Declaration { name, declared: channel.declared, never_wait: Some(1) };
        let known = found.entry(channel.span).or_insert_with(first);
        known.never_wait = known.never_wait.zip(bound).map(|(a, b)| a.max(b));
    }
    found
}

impl Applied {
    fn refuse(&mut self, why: &str) {
        *self.refused.entry(why.to_owned()).or_default() += 1;
    }

    /// Lowers capacities one by one for as long as the model keeps its properties.
    fn smallest(&mut self, network: &Network, start: BTreeMap<Span, u32>, budget: &Budget) -> BTreeMap<Span, u32> {
        let mut chosen = start;
        let searched = |chosen: &BTreeMap<Span, u32>| keeps(network, chosen, budget);
        match searched(&chosen) {
            Some(true) => {}
            found => {
                let violated = "the model has a deadlock or a failing assertion also when no send waits";
                let why = if found.is_none() { UNFINISHED } else { violated };
                chosen.keys().for_each(|_| self.refuse(why));
                return BTreeMap::new();
            }
        }
        // After a round without a change each of them was tried, with the others as they are now.
        loop {
            let before = chosen.clone();
            for span in before.keys() {
                while chosen[span] > 1 {
                    let mut lower = chosen.clone();
                    lower.insert(*span, chosen[span] - 1);
                    match searched(&lower) {
                        Some(true) => chosen = lower,
                        Some(false) => break,
                        None => {
                            self.refuse(UNFINISHED);
                            return chosen;
                        }
                    }
                }
            }
            if chosen == before {
                return chosen;
            }
        }
    }
}

/// Whether a network with these capacities has neither a deadlock nor a failing assertion; `None` if that was not decided.
fn keeps(network: &Network, capacities: &BTreeMap<Span, u32>, budget: &Budget) -> Option<bool> {
    let mut network = network.clone();
    for kind in &mut network.channel_types {
        if let Some(&capacity) = capacities.get(&kind.span) {
            kind.capacity = Some(capacity);
        }
    }
    let options = Options { properties: vec![Property::Safety, Property::Deadlock], ..Options::default() };
    let found = search(&Semantics::new(&network, Reading::Declared), &options, &Context::silent(budget));
    match (found.violations.is_empty(), found.stopped) {
        (false, _) => Some(false),
        (true, None) => Some(true),
        (true, Some(_)) => None,
    }
}

/// Where the capacity of a declaration stands: between the brackets before `of`.
fn capacity_place(text: &str, span: Span) -> Option<(usize, usize)> {
    let start = span.start as usize;
    let declaration = text.get(start..)?;
    let mut search = 0;
    loop {
        let of = search + declaration.get(search..)?.find("of")?;
        let before = declaration[..of].trim_end();
        if let Some(inside) = before.strip_suffix(']') {
            let open = inside.rfind('[')?;
            return Some((start + open + 1, start + inside.len()));
        }
        search = of + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::{Applied, Capacities};
    use crate::{Check, Model, Report};
    use model::budget::Budget;

    fn bounded(text: &str) -> (Model, Report) {
        let model = Model::from_text("model.pml", text).unwrap_or_else(|_| panic!("a model: {text}"));
        let report = Check::new(&model).property("boundedness").and_then(|check| check.run()).expect("an answer");
        (model, report)
    }

    fn applied(text: &str, wanted: Capacities) -> Applied {
        let (model, report) = bounded(text);
        report.apply_bounds(&model, wanted, &Budget::unlimited())
    }

    fn sized(text: &str) -> Applied {
        applied(text, Capacities::NeverWait)
    }

    /// The capacities of a text with one-digit ones.
    fn capacities(text: &str) -> Vec<u32> {
        text.split("= [").skip(1).filter_map(|rest| rest.chars().next()?.to_digit(10)).collect()
    }

    const TESTED: &str = "chan q = [1] of { byte };
        active [2] proctype P() { byte n; do :: n < 2 && nfull(q) -> q!1; n++ :: n == 2 -> break od }";

    #[test]
    fn a_capacity_that_is_tested_stays() {
        let result = sized(TESTED);
        assert_eq!((result.text.as_str(), result.refused.values().sum::<usize>()), (TESTED, 1));
    }

    #[test]
    fn a_capacity_stays_if_the_tested_channel_may_be_any() {
        let text = "chan q = [1] of { byte };
            proctype P(chan c) { nfull(c) -> c!1 } init { run P(q); run P(q) }";
        assert_eq!(sized(text).text, text);
        let text = "chan q = [1] of { byte }; chan r = [1] of { byte };
            active [2] proctype P() { r = q; nfull(r) -> q!1 }";
        assert_eq!(sized(text).text, text);
    }

    #[test]
    fn other_capacities_suffice_and_the_next_advice_agrees() {
        let text = "chan q = [1] of { byte }; chan r = [1] of { byte };
            active [2] proctype P() { q!1; q!2; nfull(r) -> r!1 }";
        let once = sized(text);
        assert!(once.text.contains("q = [4]") && once.text.contains("r = [1]"), "{}", once.text);
        assert_eq!(sized(&once.text).text, once.text);
        let (_, report) = bounded(&once.text);
        let advice: Vec<&String> = report.findings().flat_map(|finding| finding.notes()).collect();
        assert!(advice.iter().all(|a| !a.contains("declare")), "{advice:?}");
    }

    #[test]
    fn the_smallest_capacities_are_those_below_which_something_breaks() {
        // Both send twice before they receive: with one slot each they wait for each other.
        let text = "chan a = [5] of { byte }; chan b = [5] of { byte };
            active proctype P() { a!1; a!2; b?_; b?_ } active proctype Q() { b!1; b!2; a?_; a?_ }";
        let result = applied(text, Capacities::Smallest);
        assert_eq!(result.refused.len(), 0);
        let found = capacities(&result.text);
        // One of the two may be smaller: then the other process goes first.
        assert!(found == [1, 2] || found == [2, 1], "{found:?}");
        assert!(result.notes[0].contains("declared 5, never waits with 2, smallest"), "{:?}", result.notes);
        assert_eq!(capacities(&sized(text).text), [2, 2]);
    }

    #[test]
    fn freedom_from_deadlock_is_not_monotone() {
        // With 2 slots the third send waits for R, which waits for what comes after it; with 1 slot R does not get there.
        let text = "chan c = [3] of { byte }; bit x, y;
            active proctype S() { c!1; c!1; x = 1; c!1; y = 1 }
            active proctype R() { if :: c?_ :: x == 1 -> y == 1; c?_ fi; c?_; c?_ }";
        let (model, _) = bounded(text);
        let crate::model::System::Network(system) = &model.system else { panic!("a network") };
        let kept = |capacity: u32| {
            let capacities = system.network.channel_types.iter().map(|kind| (kind.span, capacity)).collect();
            super::keeps(&system.network, &capacities, &Budget::unlimited())
        };
        assert_eq!([1, 2, 3].map(kept), [Some(true), Some(false), Some(true)]);
        assert_eq!(capacities(&applied(text, Capacities::Smallest).text), [3]);
    }

    #[test]
    fn what_sees_whether_a_send_waits_keeps_its_capacity() {
        let rest = "active proctype R() { byte n; do :: c?n od }";
        for sender in [
            "do :: n < 3 -> n++; if :: c!1 :: else fi :: n == 3 -> break od",
            "do :: n < 3 -> atomic { n++; c!1 } :: n == 3 -> break od",
            "do :: n < 3 -> d_step { n++; c!1 } :: n == 3 -> break od",
            "do :: n < 3 -> n++; { c!1 } unless { x == 1 } :: n == 3 -> break od",
            "do :: n < 3 -> n++; c!1 :: timeout -> break od",
            "do :: n < 3 && len(c) < 9 -> n++; c!1 :: n == 3 -> break od",
        ] {
            let text = format!("byte x; chan c = [1] of {{ byte }}; active proctype S() {{ byte n; {sender} }} {rest}");
            for wanted in [Capacities::NeverWait, Capacities::Smallest] {
                let result = applied(&text, wanted);
                assert_eq!((result.text.as_str(), result.refused.len()), (text.as_str(), 1), "{sender}");
            }
        }
    }

    #[test]
    fn a_model_that_deadlocks_anyway_has_no_smallest_capacities() {
        let text = "chan a = [3] of { byte }; active proctype P() { a!1; a?1; a?1 }";
        let result = applied(text, Capacities::Smallest);
        assert_eq!((result.text.as_str(), result.refused.len()), (text, 1));
    }
}

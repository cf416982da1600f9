//! `--apply-bounds`: the model with capacities that suffice, so that a finite model can be checked further.
//!
//! Only the number in `= [ … ] of` changes, nothing else in the text: comments, macros and layout stay. A declaration
//! whose channels are not all bounded, or are bounded without a known bound, stays as it is; a capacity is never 0, which
//! would make a rendezvous of it. Nor does a capacity change that `full` or `nfull` compare with, since the model would
//! then do something else.

use crate::model::{Model, System};
use crate::thresholds::Thresholds;
use model::source::Span;
use model::verdict::{ChannelState, Outcome, Property};
use std::collections::BTreeMap;

/// A model with other capacities.
pub struct Applied {
    /// Its text.
    pub text: String,
    /// How many declarations stay as they are because no bound is known for them.
    pub unknown: usize,
    /// How many stay too small because `full` or `nfull` compare with their capacity.
    pub tested: usize,
}

/// A model with capacities that suffice.
pub(crate) fn applied(outcomes: &[Outcome], model: &Model) -> Applied {
    let mut needed: BTreeMap<Span, Option<u64>> = BTreeMap::new();
    let mut declared: BTreeMap<Span, u64> = BTreeMap::new();
    let bounded = outcomes.iter().filter(|o| o.property == Property::Boundedness);
    for channel in bounded.flat_map(|o| &o.details.channels) {
        let bound = channel.proved_at_most.filter(|_| channel.state == ChannelState::Bounded);
        declared.insert(channel.span, channel.declared.map_or(u64::MAX, u64::from));
        let known = needed.entry(channel.span).or_insert(Some(0));
        *known = known.zip(bound).map(|(a, b)| a.max(b));
    }
    let main = model.sources.files().first().map(|f| f.text.clone()).unwrap_or_default();
    let thresholds = match &model.system {
        System::Network(model) => Thresholds::of(&model.network),
        _ => Thresholds::Any,
    };
    let mut applied = Applied { text: main.clone(), unknown: 0, tested: 0 };
    for (&span, bound) in needed.iter().rev() {
        let place = (span.file.0 == 0).then(|| capacity_place(&main, span)).flatten();
        match (bound, place) {
            (Some(bound), _) if thresholds.may_test(span) => {
                applied.tested += usize::from(*bound > declared.get(&span).copied().unwrap_or(0));
            }
            (Some(bound), Some((from, to))) => applied.text.replace_range(from..to, &bound.max(&1).to_string()),
            _ => applied.unknown += 1,
        }
    }
    applied
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
    use super::Applied;
    use crate::{Check, Model, Report};

    fn bounded(text: &str) -> (Model, Report) {
        let model = Model::from_text("model.pml", text).unwrap_or_else(|_| panic!("a model: {text}"));
        let report = Check::new(&model).property("boundedness").and_then(|check| check.run()).expect("an answer");
        (model, report)
    }

    fn sized(text: &str) -> Applied {
        let (model, report) = bounded(text);
        report.apply_bounds(&model)
    }

    const TESTED: &str = "chan q = [1] of { byte };
        active [2] proctype P() { byte n; do :: n < 2 && nfull(q) -> q!1; n++ :: n == 2 -> break od }";

    #[test]
    fn a_capacity_that_is_tested_stays() {
        let result = sized(TESTED);
        assert_eq!((result.text.as_str(), result.unknown, result.tested), (TESTED, 0, 1));
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
}

//! `--apply-bounds`: the model with capacities that suffice, so that a finite model can be checked further.
//!
//! Only the number in `= [ … ] of` changes, nothing else in the text: comments, macros and layout stay. A declaration
//! whose channels are not all bounded, or are bounded without a known bound, stays as it is; a capacity is never 0, which
//! would make a rendezvous of it.

use crate::evidence::Finding;
use crate::model::Model;
use model::source::Span;
use model::verdict::{ChannelState, Property};
use std::collections::BTreeMap;

/// The text of a model with capacities that suffice, and how many declarations stay as they are.
pub fn applied(findings: &[Finding], model: &Model) -> (String, usize) {
    let mut needed: BTreeMap<(u32, u32, u32), Option<u64>> = BTreeMap::new();
    let bounded = findings.iter().map(Finding::outcome).filter(|o| o.property == Property::Boundedness);
    for channel in bounded.flat_map(|o| &o.details.channels) {
        let key = (channel.span.file.0, channel.span.start, channel.span.end);
        let bound = channel.proved_at_most.filter(|_| channel.state == ChannelState::Bounded);
        let known = needed.entry(key).or_insert(Some(0));
        *known = known.zip(bound).map(|(a, b)| a.max(b));
    }
    let main = model.sources.files().first().map(|f| f.text.clone()).unwrap_or_default();
    let mut text = main.clone();
    let mut left = 0;
    for (&(of, start, end), bound) in needed.iter().rev() {
        let span = Span::new(model::source::FileId(of), start as usize, end as usize);
        let place = (of == 0).then(|| capacity_place(&main, span)).flatten();
        match (bound, place) {
            (Some(bound), Some((from, to))) => text.replace_range(from..to, &bound.max(&1).to_string()),
            _ => left += 1,
        }
    }
    (text, left)
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

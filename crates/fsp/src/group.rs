//! Structures that are put together: labelling, sharing, relabelling and hiding, without touching a step.
//!
//! A [`Part`] is a structure with a table of what its events are called; one event can have several names (`{a, b}::P`,
//! `{a, b}/c`), and two events can have the same. A composition of compositions is one flat list of parts, which is what
//! LTSA makes of it as well: relabelling applies to each part, so that two parts can be made to share an event.
//!
//! There is one exception. LTSA composes a part with hidden events first and relabels the result, where two events that get
//! one name do *not* synchronise. The parts of such a composition are *sealed*; where a relabelling makes a difference
//! there, they are composed into one part first (`product`).

use crate::ast::Name;
use crate::context::{Context, Refused};
use crate::names::{Symbol, joined, prefixes};
use crate::product;
use crate::raw::Raw;
use model::source::Span;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A structure and the names of its events.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) raw: Rc<Raw>,
    /// The names of each of its events; none if it was hidden away altogether.
    pub(crate) events: Vec<Vec<Symbol>>,
    /// The labels in front of it.
    pub(crate) label: String,
    /// The process.
    pub(crate) process: String,
    pub(crate) span: Span,
    /// Which composition with hidden events it is sealed in.
    sealed: Option<u32>,
}

impl Part {
    pub(crate) fn new(raw: Rc<Raw>, process: String, span: Span) -> Part {
        let events = raw.events.iter().map(|&symbol| vec![symbol]).collect();
        Part { raw, events, label: String::new(), process, span, sealed: None }
    }

    /// Whether two of its events have a name in common.
    pub(crate) fn merges(&self) -> bool {
        let mut known = HashSet::new();
        !self.events.iter().flatten().all(|symbol| known.insert(*symbol))
    }
}

/// A relabelling, written out: old names, and for each the new ones with the place of the pair.
pub(crate) type Renaming = HashMap<String, Vec<(String, Span)>>;

/// What was used of a text: places of pairs and of hidden labels.
pub(crate) type Used = HashMap<Span, bool>;

/// Gives every event of a group a prefix, and its propositions too.
pub(crate) fn prefix(context: &mut Context<'_>, parts: &mut Vec<Part>, label: &str, span: Span) -> Result<(), Refused> {
    rename(context, parts, span, &mut |context, symbol| {
        let entry = context.symbols.entry(symbol).clone();
        let name = joined(label, &entry.name);
        let new = if entry.hidden {
            context.symbols.hidden(&name, entry.span)?
        } else {
            context.symbols.intern(&name, entry.span)?
        };
        Ok(vec![new])
    })?;
    for part in parts.iter_mut() {
        part.label = joined(label, &part.label);
    }
    Ok(())
}

/// `{a, b}::P`: every event has every prefix.
pub(crate) fn share(
    context: &mut Context<'_>,
    parts: &mut Vec<Part>,
    labels: &[String],
    span: Span,
) -> Result<(), Refused> {
    rename(context, parts, span, &mut |context, symbol| {
        let entry = context.symbols.entry(symbol).clone();
        if entry.hidden {
            return Ok(vec![symbol]);
        }
        labels.iter().map(|label| context.symbols.intern(&joined(label, &entry.name), entry.span)).collect()
    })
}

/// `/{new/old}`: the whole name, or the longest prefix of it that has a new name.
pub(crate) fn relabel(
    context: &mut Context<'_>,
    parts: &mut Vec<Part>,
    renaming: &Renaming,
    used: &mut Used,
    span: Span,
) -> Result<(), Refused> {
    rename(context, parts, span, &mut |context, symbol| {
        let entry = context.symbols.entry(symbol);
        if entry.hidden {
            return Ok(vec![symbol]);
        }
        let name = entry.name.clone();
        let whole = renaming.get(&name).map(|new| (new, ""));
        let found = whole.or_else(|| prefixes(&name).find_map(|(front, rest)| Some((renaming.get(front)?, rest))));
        let Some((new, rest)) = found else { return Ok(vec![symbol]) };
        let mut symbols = Vec::new();
        for (front, pair) in new {
            used.insert(*pair, true);
            let symbol = context.symbols.intern(&format!("{front}{rest}"), *pair)?;
            if !symbols.contains(&symbol) {
                symbols.push(symbol);
            }
        }
        Ok(symbols)
    })
}

/// `\{..}` or `@{..}`: events become the group's own business. Each gets a number that no other component has.
pub(crate) fn hide(
    context: &mut Context<'_>,
    parts: &mut Vec<Part>,
    labels: &HashMap<String, Span>,
    interface: bool,
    used: &mut Used,
    seal: Option<u32>,
    span: Span,
) -> Result<(), Refused> {
    rename(context, parts, span, &mut |context, symbol| {
        let entry = context.symbols.entry(symbol);
        if entry.hidden {
            return Ok(vec![symbol]);
        }
        let name = entry.name.clone();
        let found = labels.get(&name).or_else(|| prefixes(&name).find_map(|(front, _)| labels.get(front)));
        if let Some(place) = found {
            used.insert(*place, true);
        }
        if found.is_some() == interface {
            return Ok(vec![symbol]);
        }
        let span = entry.span;
        Ok(vec![context.symbols.hidden(&name, span)?])
    })?;
    if seal.is_some() && parts.len() > 1 {
        parts.iter_mut().for_each(|part| part.sealed = seal);
    }
    Ok(())
}

/// What an event is called from now on.
type NewNames<'n> = dyn FnMut(&mut Context<'_>, Symbol) -> Result<Vec<Symbol>, Refused> + 'n;

/// Gives every event of a group new names, the same in all its parts.
fn rename(
    context: &mut Context<'_>,
    parts: &mut Vec<Part>,
    span: Span,
    new_names: &mut NewNames<'_>,
) -> Result<(), Refused> {
    let mut known: HashMap<Symbol, Vec<Symbol>> = HashMap::new();
    for symbol in parts.iter().flat_map(|part| part.events.iter().flatten()) {
        context.charge(1, span)?;
        if !known.contains_key(symbol) {
            let new = new_names(context, *symbol)?;
            context.charge(new.len() as u64, span)?;
            known.insert(*symbol, new);
        }
    }
    compose_merged(context, parts, &known, span)?;
    for names in parts.iter_mut().flat_map(|part| &mut part.events) {
        let mut new: Vec<Symbol> = names.iter().filter_map(|symbol| known.get(symbol)).flatten().copied().collect();
        context.charge(new.len() as u64, span)?;
        new.sort_unstable();
        new.dedup();
        *names = new;
    }
    Ok(())
}

/// Where two events of a sealed composition get one name and do not belong to one and the same part alone, the composition
/// becomes one part.
fn compose_merged(
    context: &mut Context<'_>,
    parts: &mut Vec<Part>,
    known: &HashMap<Symbol, Vec<Symbol>>,
    span: Span,
) -> Result<(), Refused> {
    // By seal and new name: the old names, and who has them.
    let mut merged: HashMap<(u32, Symbol), (HashSet<Symbol>, HashSet<usize>)> = HashMap::new();
    for (index, part) in parts.iter().enumerate() {
        let Some(seal) = part.sealed else { continue };
        for old in part.events.iter().flatten() {
            for &new in known.get(old).into_iter().flatten() {
                let (olds, owners) = merged.entry((seal, new)).or_default();
                olds.insert(*old);
                owners.insert(index);
            }
        }
    }
    let bad = merged.into_iter().filter(|(_, (olds, owners))| olds.len() > 1 && owners.len() > 1);
    let mut seals: Vec<u32> = bad.map(|((seal, _), _)| seal).collect();
    seals.sort_unstable();
    seals.dedup();
    for seal in seals {
        let at = parts.iter().position(|part| part.sealed == Some(seal)).unwrap_or(0);
        let (group, rest): (Vec<Part>, Vec<Part>) =
            std::mem::take(parts).into_iter().partition(|part| part.sealed == Some(seal));
        let text = group.iter().map(|part| part.process.as_str()).collect::<Vec<_>>().join("||");
        let whole = product::product(context, &group, None, &Name { text, span })?;
        *parts = rest;
        parts.insert(at.min(parts.len()), whole);
    }
    Ok(())
}

//! How long the channels get, as a table: what was declared, what was proved, what a run reached.
//!
//! ```text
//! channel   declared  at most  reached  exact  messages  from → to
//! q[0..999]        2        5        5  yes    req, ack  P, Q → R
//! ```
//! A model with a thousand channels has, most often, a thousand channels of a few kinds. So a long table is made shorter
//! twice: rows that differ only in an index of their name become one (`grouped_by_index`), and if many are left still,
//! the first ones are shown and the others counted. Channels without a bound, or without an answer, come first then:
//! what is left out must not be what matters.

use crate::style::{Ink, Style, clean, grouped};
use crate::table::{Cell, Row, Set, Table};
use model::verdict::{ChannelState, ChannelVerdict};
use std::collections::HashMap;

/// A table of more rows than this is made shorter ..
const MANY: usize = 40;
/// .. to so many, if grouping is not enough.
const SHOWN: usize = 20;
/// A list of more names than this is cut.
const LONG_LIST: usize = 4;
/// Indices with more gaps than this between them are cut.
const LONG_RANGES: usize = 4;

/// The table; nothing if there is no channel that can hold a message.
pub(crate) fn table(channels: &[ChannelVerdict], style: Style) -> String {
    let buffered = channels.iter().filter(|channel| channel.declared != Some(0));
    let mut entries: Vec<Entry> = buffered.map(|channel| Entry::new(channel, style)).collect();
    if entries.is_empty() {
        return String::new();
    }
    if entries.len() > MANY {
        entries = grouped_by_index(entries);
    }
    let left_out = if entries.len() > MANY { left_out(&mut entries) } else { Vec::new() };
    let mut table = Table::new(&[
        ("channel", Set::Left),
        ("declared", Set::Right),
        ("at most", Set::Right),
        ("reached", Set::Right),
        ("exact", Set::Left),
        ("messages", Set::Elastic),
        (style.choose("from → to", "from -> to"), Set::Elastic),
    ]);
    entries.into_iter().for_each(|entry| table.push(Row::Cells(entry.cells(style))));
    if !left_out.is_empty() {
        table.push(Row::Remark(remark(&left_out, style)));
    }
    style.paint(Ink::Strong, "how long the channels get") + "\n" + &table.render("  ", style)
}

/// A row: one channel, or several that differ in an index only.
struct Entry {
    name: Name,
    /// What stands in the other columns.
    facts: [String; 6],
    state: ChannelState,
    at_most: Option<u64>,
    channels: usize,
}

impl Entry {
    fn new(channel: &ChannelVerdict, style: Style) -> Self {
        let exact = if channel.is_exact() { "yes" } else { "" };
        let facts = [
            channel.declared.map_or_else(|| String::from(style.choose("–", "-")), |n| grouped(n.into())),
            bound(channel),
            channel.reached.map_or_else(String::new, grouped),
            String::from(exact),
            list(&channel.messages, style),
            format!("{} {} {}", side(&channel.senders, style), style.arrow(), side(&channel.receivers, style)),
        ];
        let (state, at_most) = (channel.state, channel.proved_at_most);
        Entry { name: Name::new(&clean(&channel.name)), facts, state, at_most, channels: 1 }
    }

    fn cells(self, style: Style) -> Vec<Cell> {
        let [declared, at_most, reached, exact, messages, ends] = self.facts;
        let at_most = match self.state {
            ChannelState::Bounded => Cell::from(at_most),
            ChannelState::Unbounded => Cell::inked(Ink::Bad, at_most),
            ChannelState::Inconclusive => Cell::inked(Ink::Doubt, at_most),
        };
        let [reached, exact, messages, ends] = [reached, exact, messages, ends].map(Cell::from);
        vec![Cell::from(self.name.shown(style)), Cell::from(declared), at_most, reached, exact, messages, ends]
    }
}

/// What is known of how long a channel gets, as text.
pub fn bound(channel: &ChannelVerdict) -> String {
    match (channel.state, channel.proved_at_most, channel.gain) {
        (ChannelState::Bounded, Some(at_most), _) => match channel.weights_at_most {
            Some(weights) => format!("{} (weights: {})", grouped(at_most), grouped(weights)),
            None => grouped(at_most),
        },
        (ChannelState::Bounded, None, _) => String::from("bounded"),
        (ChannelState::Unbounded, _, Some(gain)) => format!("no bound: {gain:+} a round"),
        (ChannelState::Unbounded, _, None) => String::from("no bound"),
        (ChannelState::Inconclusive, ..) => String::from("?"),
    }
}

/// Names, the first ones if there are many: `a, b, c, d, … (12)`.
fn list(names: &[String], style: Style) -> String {
    let mut shown: Vec<String> = names.iter().take(LONG_LIST).map(|name| clean(name)).collect();
    if names.len() > LONG_LIST {
        shown.push(format!("{} ({})", style.ellipsis(), grouped(names.len() as u64)));
    }
    shown.join(", ")
}

/// Those who send, or those who receive.
fn side(names: &[String], style: Style) -> String {
    if names.is_empty() { String::from("none") } else { list(names, style) }
}

/// A name with its indices taken out: `P[2]:c[7]` is `P`, 2, `:c`, 7 and nothing.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Name {
    /// What is before, between and after the indices.
    texts: Vec<String>,
    /// At each place one index, or all those of a group.
    indices: Vec<Vec<u64>>,
}

impl Name {
    fn new(name: &str) -> Self {
        let (mut texts, mut indices, mut rest) = (Vec::new(), Vec::new(), name);
        while let Some((before, index, after)) = first_index(rest) {
            texts.push(String::from(before));
            indices.push(vec![index]);
            rest = after;
        }
        texts.push(String::from(rest));
        Name { texts, indices }
    }

    fn shown(&self, style: Style) -> String {
        let mut text = self.texts.first().cloned().unwrap_or_default();
        for (indices, after) in self.indices.iter().zip(self.texts.iter().skip(1)) {
            text += &format!("[{}]{after}", ranges(indices, style));
        }
        text
    }
}

/// What is before the first index of a name, the index, and what is after it.
fn first_index(name: &str) -> Option<(&str, u64, &str)> {
    name.match_indices('[').find_map(|(open, _)| {
        let (index, after) = name[open + 1..].split_once(']')?;
        let number = index.parse().ok().filter(|number: &u64| number.to_string() == index)?;
        Some((&name[..open], number, after))
    })
}

/// Indices as a person writes them: `0..999`, or `0, 2..5, 9`.
fn ranges(indices: &[u64], style: Style) -> String {
    let mut sorted = indices.to_vec();
    sorted.sort_unstable();
    let ends: Vec<&[u64]> = sorted.chunk_by(|&one, &next| one.checked_add(1) == Some(next)).collect();
    let shown = ends.iter().take(LONG_RANGES).map(|range| match range {
        [first, .., last] => format!("{first}..{last}"),
        single => single.iter().map(u64::to_string).collect(),
    });
    let mut shown: Vec<String> = shown.collect();
    if ends.len() > LONG_RANGES {
        shown.push(format!("{} ({})", style.ellipsis(), grouped(indices.len() as u64)));
    }
    shown.join(", ")
}

/// Makes one row of rows that differ in one index only: first the last index of the names, then the one before it.
fn grouped_by_index(mut entries: Vec<Entry>) -> Vec<Entry> {
    let most = entries.iter().map(|entry| entry.name.indices.len()).max().unwrap_or(0);
    for from_the_end in 1..=most {
        let mut first_of: HashMap<(Name, [String; 6]), usize> = HashMap::new();
        let mut groups: Vec<Entry> = Vec::new();
        for entry in entries {
            let Some(place) = entry.name.indices.len().checked_sub(from_the_end) else {
                groups.push(entry);
                continue;
            };
            let mut without = entry.name.clone();
            without.indices[place].clear();
            let position = *first_of.entry((without, entry.facts.clone())).or_insert(groups.len());
            match groups.get_mut(position) {
                Some(group) => {
                    group.name.indices[place].extend(&entry.name.indices[place]);
                    group.channels += entry.channels;
                }
                None => groups.push(entry),
            }
        }
        entries = groups;
    }
    entries
}

/// Takes out what is too much, bounded channels first.
fn left_out(entries: &mut Vec<Entry>) -> Vec<Entry> {
    entries.sort_by_key(|entry| match entry.state {
        ChannelState::Unbounded => 0,
        ChannelState::Inconclusive => 1,
        ChannelState::Bounded => 2,
    });
    entries.split_off(SHOWN)
}

/// `980 more, all ≤ 5`; or how many of each kind there are.
fn remark(left_out: &[Entry], style: Style) -> String {
    let count = |wanted: fn(&Entry) -> bool| left_out.iter().filter(|e| wanted(e)).map(|e| e.channels).sum::<usize>();
    let highest = left_out.iter().map(|entry| entry.at_most).max().flatten();
    let (all, known) = (count(|_| true), count(|e| e.state == ChannelState::Bounded && e.at_most.is_some()));
    let kinds = match highest.filter(|_| all == known) {
        Some(highest) => format!(", all {} {}", style.choose("≤", "<="), grouped(highest)),
        None => {
            let bounded = count(|e| e.state == ChannelState::Bounded);
            let unbounded = count(|e| e.state == ChannelState::Unbounded);
            let kinds = [(unbounded, "without bound"), (all - bounded - unbounded, "not known"), (bounded, "bounded")];
            let kinds = kinds.iter().filter(|(count, _)| *count > 0);
            let kinds: Vec<_> = kinds.map(|&(count, kind)| format!("{} {kind}", grouped(count as u64))).collect();
            format!(": {}", kinds.join(", "))
        }
    };
    format!("{} {} more{kinds}; --format json has all", style.ellipsis(), grouped(all as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    const UNICODE: Style = Style { color: false, unicode: true, width: 100 };

    #[test]
    fn channels_have_a_row_each() {
        let mut channels = sample::bounded().details.channels;
        channels.extend([sample::unbounded_channel("r"), sample::unknown_channel("P[*]:c")]);
        channels.push(ChannelVerdict { declared: Some(0), ..sample::channel("rendezvous") });
        channels.push(ChannelVerdict { proved_at_most: None, reached: None, ..sample::channel("s") });
        insta::assert_snapshot!(table(&channels, UNICODE), @"
        how long the channels get
          channel  declared               at most  reached  exact  messages                      from → to
          q               2                     2        2  yes    req                           P → Q
          log             –                 1 200        7         req(1), req(2), req(3), req…  P, Q → none
          r               2  no bound: +2 a round        2         req                           P → Q
          P[*]:c          2                     ?        2         req                           P → Q
          s               2               bounded                  req                           P → Q
        ");
        let ascii = table(&channels, Style::PLAIN);
        assert!(ascii.is_ascii());
        insta::assert_snapshot!(ascii, @"
        how long the channels get
          channel  declared               at most  reached  exact  messages                                 from -> to
          q               2                     2        2  yes    req                                      P -> Q
          log             -                 1 200        7         req(1), req(2), req(3), req(4), ... (6)  P, Q -> none
          r               2  no bound: +2 a round        2         req                                      P -> Q
          P[*]:c          2                     ?        2         req                                      P -> Q
          s               2               bounded                  req                                      P -> Q
        ");
    }

    #[test]
    fn many_channels_that_differ_in_an_index_share_a_row() {
        let mut channels: Vec<_> = (0..1000).map(|n| sample::channel(&format!("q[{n}]"))).collect();
        channels[500] = sample::unbounded_channel("q[500]");
        channels.extend((0..60).map(|n| sample::channel(&format!("P[{}]:c[{}].d", n / 6, n % 6))));
        channels.push(sample::channel("P[*]:e"));
        insta::assert_snapshot!(table(&channels, UNICODE), @"
        how long the channels get
          channel              declared               at most  reached  exact  messages  from → to
          q[0..499, 501..999]         2                     2        2  yes    req       P → Q
          q[500]                      2  no bound: +2 a round        2         req       P → Q
          P[0..9]:c[0..5].d           2                     2        2  yes    req       P → Q
          P[*]:e                      2                     2        2  yes    req       P → Q
        ");
    }

    #[test]
    fn indices_with_many_gaps_are_cut() {
        let even: Vec<u64> = (0..10).map(|n| 2 * n).collect();
        assert_eq!(ranges(&even, UNICODE), "0, 2, 4, 6, … (10)");
        assert_eq!(ranges(&[3, 1, 2, 7, u64::MAX], UNICODE), "1..3, 7, 18446744073709551615");
    }

    #[test]
    fn many_channels_that_differ_in_more_are_counted() {
        let channel = |n: u64| {
            let proved_at_most = Some(n % 6);
            ChannelVerdict { proved_at_most, declared: Some(n as u32 + 1), ..sample::channel(&format!("q[{n}]")) }
        };
        let mut channels: Vec<_> = (0..1000).map(channel).collect();
        let last = |channels: &[ChannelVerdict]| table(channels, UNICODE).lines().last().map(String::from);
        assert_eq!(last(&channels).as_deref(), Some("  … 980 more, all ≤ 5; --format json has all"));
        channels[900].proved_at_most = None;
        assert_eq!(last(&channels).as_deref(), Some("  … 980 more: 980 bounded; --format json has all"));
    }

    #[test]
    fn what_is_left_out_is_not_what_matters() {
        let mut channels: Vec<_> = ('a'..='z').map(|c| sample::channel(&c.to_string())).collect();
        channels.extend(('a'..='z').map(|c| sample::channel(&format!("{c}{c}"))));
        channels.push(sample::unknown_channel("unknown"));
        channels.push(sample::unbounded_channel("unbounded"));
        let text = table(&channels, UNICODE);
        let names: Vec<_> = text.lines().skip(2).take(3).filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(names, ["unbounded", "unknown", "a"]);
        assert_eq!(text.lines().count(), 2 + SHOWN + 1);
    }

    #[test]
    fn a_name_cannot_send_escape_sequences_and_odd_indices_are_text() {
        assert!(!table(&[sample::channel("q\x1b[2J")], UNICODE).contains('\x1b'));
        for name in ["q[", "q]", "q[]", "q[[1]", "q[007]", "q[99999999999999999999]", "P[*]:c[3]", ""] {
            assert_eq!(Name::new(name).shown(UNICODE), name);
        }
    }

    #[test]
    fn without_channels_there_is_no_table() {
        assert_eq!(table(&[], UNICODE), "");
    }
}

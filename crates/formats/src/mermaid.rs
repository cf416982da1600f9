//! A run as a sequence diagram of Mermaid, which many pages and editors draw.
//!
//! A message is drawn when it is received; one that is never received is a note.

use crate::common::{answers, explanation};
use model::chart::arrows::{Arrow, arrows};
use model::chart::{Chart, ChartStep, Fate};
use report::document::Entry;
use std::fmt::Write as _;

/// Longer runs are drawn by their two ends.
const MANY_STEPS: usize = 200;
/// Longer texts are cut.
const LONG: usize = 80;

/// The first run that violates a property, as `--trace` writes it; a note if there is none.
pub fn diagram(entries: &[Entry<'_>]) -> String {
    for entry in entries {
        let Entry::Checked(document) = entry else { continue };
        let violated = |answer: &crate::common::Answer<'_>| answer.standing() == crate::common::Standing::Violated;
        if let Some(answer) = answers(document).find(|answer| violated(answer) && answer.chart().is_some()) {
            let title = format!("{}: {}", entry.file(), answer.property());
            return answer.chart().map(|chart| run(chart, &title)).unwrap_or_default();
        }
    }
    String::from("sequenceDiagram\n    participant highwater\n    Note over highwater: no run violates a property\n")
}

fn run(chart: &Chart, title: &str) -> String {
    let mut text = String::from("sequenceDiagram\n");
    let _ = writeln!(text, "    %% {}", title.replace(['\n', '\r'], " "));
    for lane in 0..chart.lanes.len() {
        let _ = writeln!(text, "    participant L{lane} as {}", plain(&chart.lane_name(lane)));
    }
    let arrows = arrows(chart);
    let count = chart.steps.len();
    let ends = |step: usize| count <= MANY_STEPS || step < MANY_STEPS / 2 || step >= count - MANY_STEPS / 2;
    let mut indent = "    ";
    for (position, step) in chart.steps.iter().enumerate() {
        if chart.loop_from == Some(position) {
            text += "    loop forever\n";
            indent = "        ";
        }
        if count > MANY_STEPS && position == MANY_STEPS / 2 {
            let _ = writeln!(text, "{indent}Note over L0: {} steps are left out", count - MANY_STEPS);
        }
        if ends(position)
            && let Some(line) = line(chart, step, arrows[position].as_ref())
        {
            let _ = writeln!(text, "{indent}{line}");
        }
    }
    if chart.loop_from.is_some_and(|from| from < count) {
        text += "    end\n";
    }
    for waits in chart.waiting.iter().filter(|waits| chart.stuck && !waits.done) {
        let events: Vec<&str> = waits.events.iter().map(|awaited| awaited.event.as_str()).collect();
        let _ = writeln!(text, "    Note over L{}: waits for {}", waits.lane, plain(&events.join(" or ")));
    }
    if !chart.lanes.is_empty() {
        let last = chart.lanes.len() - 1;
        let over = if last == 0 { String::from("L0") } else { format!("L0,L{last}") };
        let _ = writeln!(text, "    Note over {over}: {}", plain(&explanation(chart)[0]));
    }
    text
}

/// An arrow, or a note beside a lane.
fn line(chart: &Chart, step: &ChartStep, arrow: Option<&Arrow>) -> Option<String> {
    let first = step.moves.first()?;
    let label = plain(step.event.as_deref().unwrap_or(&first.does));
    let text = |arrow: &Arrow| plain(&format!("{}: {}", arrow.message.channel, arrow.message.text));
    Some(match (arrow.map(|arrow| (arrow.message.fate, arrow)), step.moves.as_slice()) {
        (Some((Fate::HandedOver, arrow)), [from, to, ..]) => format!("L{}->>L{}: {}", from.lane, to.lane, text(arrow)),
        (Some((Fate::Received, arrow @ Arrow { other: Some(sent), .. })), _) => {
            let from = chart.steps.get(*sent).and_then(|step| step.moves.first()).map_or(first.lane, |from| from.lane);
            format!("L{from}-)L{}: {}", first.lane, text(arrow))
        }
        (_, [_]) => format!("Note right of L{}: {label}", first.lane),
        (_, several) => {
            let lanes = || several.iter().map(|one| one.lane);
            format!("Note over L{},L{}: {label}", lanes().min()?, lanes().max()?)
        }
    })
}

/// A text that ends no line and no name, and begins no entity.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars().take(LONG) {
        match c {
            '#' => plain += "#35;",
            ';' => plain += "#59;",
            '<' => plain += "#lt;",
            '>' => plain += "#gt;",
            '&' => plain += "#amp;",
            '%' => plain += "#37;",
            c if c.is_control() => plain.push(' '),
            c => plain.push(c),
        }
    }
    if text.chars().nth(LONG).is_some() {
        plain.push('…');
    }
    if plain.trim().is_empty() { String::from("-") } else { plain }
}

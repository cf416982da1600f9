//! A run as a picture: a message sequence chart in SVG that needs no script.
//!
//! A lane for each process, a row for each step, an arrow from each send to its receive, what the touched channels hold at the
//! right, a frame around the loop, and below the chart what is wrong and why each process waits.

use model::chart::arrows::{Arrow, arrows};
use model::chart::{Chart, Fate};
use model::verdict::{Outcome, Verdict};
use report::chart::because;
use report::document::Entry;
use std::fmt::Write as _;

/// A longer run is shown by its end.
const LONG: usize = 80;
/// Longer texts are cut.
const LONG_TEXT: usize = 34;
const LEFT: f64 = 46.0;
const LANE: f64 = 190.0;
const TOP: f64 = 56.0;
const ROW: f64 = 30.0;
const QUEUES: f64 = 230.0;

const STYLE: &str = "text{font:12px system-ui,sans-serif;fill:#1d2733}.name{font-weight:600;text-anchor:middle}\
    .number,.queue{fill:#5b6773;font-size:11px}.number{text-anchor:end}.event{paint-order:stroke;stroke:#fff;stroke-width:4px}\
    .lane{stroke:#c3ccd5;stroke-width:1.2}.dot{fill:#1d2733}.arrow{stroke:#1f6feb;stroke-width:1.6;fill:none}\
    .lost{stroke-dasharray:4 4}.head{fill:#f3f6f9;stroke:#8796a5}.loop{fill:none;stroke:#b26a00;stroke-width:1.6;\
    stroke-dasharray:6 4}.again{fill:#b26a00;font-weight:600}.wrong{fill:#c62828;font-weight:600}\
    @media(prefers-color-scheme:dark){svg{background:#131b23}text{fill:#dfe6ee}.number,.queue{fill:#9aa7b4}\
    .event{stroke:#131b23}.lane{stroke:#3b4a58}.dot{fill:#dfe6ee}.arrow{stroke:#79b8ff}.head{fill:#22303d;stroke:#6d7f90}\
    .loop{stroke:#ffc766}.again{fill:#ffc766}.wrong{fill:#ff8a80}}";

/// The first run that violates a property, as a picture; one that says so if there is none.
pub fn first(entries: &[Entry<'_>]) -> String {
    for entry in entries {
        let Entry::Checked(document) = entry else { continue };
        let violated = |o: &&Outcome| o.verdict == Verdict::Violated && !o.details.advisory;
        if let Some(chart) = document.outcomes.iter().filter(violated).find_map(|outcome| outcome.witness.as_ref()) {
            return svg(chart);
        }
    }
    let problem = String::from("no run violates a property");
    svg(&Chart { problem, ..Chart::new(&model::chart::Form::RUN, Vec::new()) }).replace("✘ ", "")
}

/// The picture of a run.
pub fn svg(chart: &Chart) -> String {
    let first = chart.steps.len().saturating_sub(LONG);
    let mut drawing = Drawing { chart, first, body: String::new(), wide: 0.0 };
    drawing.lanes();
    drawing.loop_frame();
    for (position, arrow) in arrows(chart).iter().enumerate().skip(first) {
        drawing.step(position, arrow.as_ref());
    }
    let bottom = drawing.ending();
    let width = (drawing.right() + QUEUES).max(drawing.wide);
    let Drawing { body, .. } = drawing;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{bottom:.0}\" \
         viewBox=\"0 0 {width:.0} {bottom:.0}\">\n<style>{STYLE}</style>\n<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" \
         refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
         <path d=\"M0 0L8 4L0 8z\" style=\"fill:context-stroke;stroke:none\"/></marker></defs>\n{body}</svg>\n"
    )
}

struct Drawing<'a> {
    chart: &'a Chart,
    /// The first step that is shown.
    first: usize,
    body: String,
    /// The end of the longest line below the chart.
    wide: f64,
}

impl Drawing<'_> {
    fn x(&self, lane: usize) -> f64 {
        LEFT + (lane as f64 + 0.5) * LANE
    }

    fn y(&self, position: usize) -> f64 {
        TOP + (position.saturating_sub(self.first) as f64 + 0.7) * ROW
    }

    fn right(&self) -> f64 {
        LEFT + self.chart.lanes.len().max(1) as f64 * LANE
    }

    fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        let _ = writeln!(self.body, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(text));
    }

    fn lanes(&mut self) {
        let end = self.y(self.chart.steps.len());
        for lane in 0..self.chart.lanes.len() {
            let (x, name) = (self.x(lane), shortened(&self.chart.lane_name(lane), LONG_TEXT / 2));
            let _ = write!(
                self.body,
                "<line class=\"lane\" x1=\"{x:.1}\" y1=\"38\" x2=\"{x:.1}\" y2=\"{end:.1}\"/>\
                 <rect class=\"head\" x=\"{:.1}\" y=\"12\" width=\"120\" height=\"26\" rx=\"5\"/>",
                x - 60.0
            );
            self.text("name", x, 29.5, &name);
        }
        if self.first > 0 {
            let before = format!("… {} steps", self.first);
            self.text("queue", 4.0, TOP - 4.0, &before);
        }
    }

    fn loop_frame(&mut self) {
        let Some(from) = self.chart.loop_from.filter(|from| *from < self.chart.steps.len()) else { return };
        let (top, bottom) = (self.y(from.max(self.first)) - 0.6 * ROW, self.y(self.chart.steps.len()) - 0.6 * ROW);
        let _ = writeln!(
            self.body,
            "<rect class=\"loop\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"8\"/>",
            LEFT - 6.0,
            self.right() - LEFT + 12.0,
            bottom - top
        );
        self.text("again", LEFT + 4.0, top - 4.0, "⟲ forever");
    }

    fn step(&mut self, position: usize, arrow: Option<&Arrow>) {
        let (step, y) = (&self.chart.steps[position], self.y(position));
        self.text("number", LEFT - 12.0, y + 4.0, &self.chart.number(position).to_string());
        if let Some(arrow) = arrow {
            self.arrow(position, arrow);
        }
        for one in &step.moves {
            let x = self.x(one.lane);
            let _ = write!(self.body, "<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\"/>");
        }
        let event = step.event.as_deref().unwrap_or_default();
        if let Some(one) = step.moves.first() {
            self.text("event", self.x(one.lane) + 8.0, y - 5.0, &shortened(event, LONG_TEXT));
        } else {
            self.text("event", LEFT + 8.0, y, &shortened(event, LONG_TEXT));
        }
        let queues: Vec<String> =
            step.channels.iter().map(|now| format!("{} ▕ {}", now.channel, now.messages.join(" "))).collect();
        self.text("queue", self.right() + 12.0, y + 4.0, &shortened(&queues.join("   "), LONG_TEXT));
    }

    /// The arrow of a message, drawn where it arrives; of one that does not arrive, a short dashed one.
    fn arrow(&mut self, position: usize, arrow: &Arrow) {
        let moves = &self.chart.steps[position].moves;
        let Some(own) = moves.first().map(|one| one.lane) else { return };
        let (y, lane) = (self.y(position), |position: usize| Some(self.chart.steps[position].moves.first()?.lane));
        let line = match (arrow.message.fate, arrow.other) {
            (Fate::HandedOver, _) => moves.get(1).map(|partner| (own, y, partner.lane, y, "")),
            (Fate::Received, Some(sent)) => lane(sent).map(|from| (from, self.y(sent.max(self.first)), own, y, "")),
            (Fate::Sent, None) => Some((own, y, own, y, " lost")),
            _ => None,
        };
        let Some((from, y1, to, y2, kind)) = line else { return };
        let (x1, mut x2) = (self.x(from), self.x(to));
        if kind.is_empty() && from != to {
            x2 += if x2 > x1 { -5.0 } else { 5.0 };
        } else if from == to {
            x2 += 36.0;
        }
        let _ = writeln!(
            self.body,
            "<path class=\"arrow{kind}\" d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\" marker-end=\"url(#tip)\"/>"
        );
    }

    /// What is wrong, and why each lane waits; returns where the picture ends.
    fn ending(&mut self) -> f64 {
        let mut y = self.y(self.chart.steps.len()) + 8.0;
        if !self.chart.problem.is_empty() {
            self.text("wrong", LEFT - 36.0, y, &format!("✘ {}", self.chart.problem));
            y += 20.0;
        }
        for waits in self.chart.waiting.iter().filter(|waits| self.chart.stuck && !waits.done) {
            for awaited in &waits.events {
                let why = awaited.blocked.as_ref().map(|blocked| because(self.chart, blocked)).unwrap_or_default();
                let line = format!("{} waits at {}: {why}", self.chart.lane_name(waits.lane), awaited.event);
                let line = shortened(&line, 4 * LONG_TEXT);
                self.wide = self.wide.max(LEFT + 6.6 * line.chars().count() as f64);
                self.text("", LEFT - 20.0, y, &line);
                y += 18.0;
            }
        }
        y
    }
}

fn shortened(text: &str, longest: usize) -> String {
    let clean = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = clean.take(longest).collect();
    if text.chars().count() > longest {
        short.push('…');
    }
    short
}

/// As text; characters that would reorder it are left out.
pub(crate) fn escaped(text: &str) -> String {
    let reorders = |c: &char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let text: String = text.chars().filter(|c| !c.is_control() && !reorders(c)).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

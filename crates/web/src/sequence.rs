//! A run as a picture: a message sequence chart in SVG that needs no script.
//!
//! A lane for each process, a row for each step, an arrow from each send to its receive, what the touched channels hold at the
//! right, a frame around the loop, and below the chart what is wrong and why each process waits.

use model::chart::arrows::{Arrow, arrows};
use model::chart::{Chart, Fate};
use model::verdict::{Outcome, Verdict};
use report::chart::{because, sentence};
use report::document::Entry;
use std::fmt::Write as _;

/// A longer run is shown by its end.
const LONG: usize = 80;
/// Longer texts are cut.
const LONG_TEXT: usize = 34;
/// Where the numbers of steps end.
const NUMBERS: f64 = 40.0;
const TOP: f64 = 58.0;
const ROW: f64 = 28.0;
/// The width of a letter of code, and of prose.
const LETTER: f64 = 7.3;
const PROSE: f64 = 6.6;
/// How many colours lanes have.
const COLOURS: usize = 8;

const STYLE: &str = "text{font:12.5px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:#17212b}\
    .name{font-weight:650;text-anchor:middle;fill:currentColor}.number{fill:#5a6876;font-size:11.5px;text-anchor:end}\
    .event,.code,.chip text{font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}\
    .event{paint-order:stroke;stroke:#fff;stroke-width:5px;stroke-linejoin:round}.message{font-weight:600}.left{text-anchor:end}\
    .queue{font-weight:600;font-size:11.5px}.soft{fill:#5a6876;font-size:11.5px}.mouth{stroke:#5a6876;stroke-width:3;stroke-linecap:round}\
    .chip rect{fill:#0b6bcb;fill-opacity:.1;stroke:#0b6bcb;stroke-opacity:.4}.chip text{font-size:11px}\
    .lane{stroke:currentColor;stroke-opacity:.3;stroke-width:1.5}.dot{fill:#fff;stroke:currentColor;stroke-width:2.3}\
    .arrow{stroke:currentColor;stroke-width:1.6;fill:none}.tip{fill:currentColor}.lost{stroke-dasharray:4 3}.rest{fill:none;stroke:#5a6876;stroke-width:1.4}\
    .shared{stroke:#5a6876;stroke-width:2}.head{fill:currentColor;fill-opacity:.1;stroke:currentColor;stroke-opacity:.5}\
    .loop{fill:#9a5b00;fill-opacity:.05;stroke:#9a5b00;stroke-opacity:.7;stroke-width:1.4;stroke-dasharray:6 4}\
    .again{fill:#9a5b00;font-weight:600;font-size:12px}.wrong{fill:#c2261d;font-weight:650;font-size:13.5px}\
    .mark rect{fill:#fff;stroke:currentColor;stroke-width:1.5}.mark text{font-size:11px;font-weight:700;text-anchor:middle;fill:currentColor}\
    .mark{color:#5a6876}.done{color:#1b7f3b}.stuck{color:#c2261d}\
    .c0{color:#0b6bcb}.c1{color:#b4398f}.c2{color:#0f8a6c}.c3{color:#b25a00}.c4{color:#6c4fd0}.c5{color:#a3352b}.c6{color:#2f7a2f}.c7{color:#47617c}\
    @media(prefers-color-scheme:dark){svg{background:#161e27}text{fill:#e4ebf2}.number,.soft{fill:#98a7b6}.event{stroke:#161e27}\
    .dot,.mark rect{fill:#161e27}.mouth,.rest,.shared{stroke:#98a7b6}.chip rect{fill:#63b0ff;stroke:#63b0ff}\
    .loop{fill:#ffc766;stroke:#ffc766}.again{fill:#ffc766}.wrong{fill:#ff8a80}.mark{color:#98a7b6}.done{color:#6fd58c}.stuck{color:#ff8a80}\
    .c0{color:#63b0ff}.c1{color:#f08ccf}.c2{color:#57d3b1}.c3{color:#ffb35c}.c4{color:#ab98ff}.c5{color:#ff958a}.c6{color:#86d57f}.c7{color:#a9bed3}\
    .name,.mark text{fill:currentColor}}";

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
    let mut drawing = Drawing::new(chart, first);
    drawing.lanes();
    drawing.loop_frame();
    (first..chart.steps.len()).for_each(|position| drawing.arrow(position));
    (first..chart.steps.len()).for_each(|position| drawing.step(position));
    let (bottom, width) = (drawing.ending(), drawing.wide + 16.0);
    let Drawing { body, .. } = drawing;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{bottom:.0}\" \
         viewBox=\"0 0 {width:.0} {bottom:.0}\">\n<style>{STYLE}</style>\n{body}</svg>\n"
    )
}

struct Drawing<'a> {
    chart: &'a Chart,
    arrows: Vec<Option<Arrow>>,
    /// The first step that is shown.
    first: usize,
    /// Where the first lane begins, how wide lanes are, and where what channels hold begins.
    left: f64,
    lane: f64,
    queues: f64,
    body: String,
    /// How far the picture reaches.
    wide: f64,
}

impl<'a> Drawing<'a> {
    fn new(chart: &'a Chart, first: usize) -> Drawing<'a> {
        let long = |text: &str| text.chars().count().min(LONG_TEXT) as f64 * LETTER;
        let label = |position: usize| long(chart.steps[position].event.as_deref().unwrap_or_default());
        let shown = || first..chart.steps.len();
        let names = (0..chart.lanes.len()).map(|lane| long(&chart.lane_name(lane)) + 32.0);
        let lane = shown().map(|position| label(position) + 22.0).chain(names).fold(96.0, f64::max).min(190.0);
        let (arrows, body) = (arrows(chart), String::new());
        let mut drawing = Drawing { chart, arrows, first, left: NUMBERS + 12.0, lane, queues: 0.0, body, wide: 0.0 };
        // Labels have room on both sides.
        let own = |position: usize| chart.steps[position].moves.iter().map(|one| one.lane).min().unwrap_or(0);
        let middle = |position: usize| (own(position) as f64 + 0.5) * lane;
        let at_left = |position: &usize| drawing.is_at_left(*position);
        let before = shown().filter(at_left).map(|position| label(position) + 16.0 - middle(position));
        let before = before.fold(0.0, f64::max);
        let behind =
            shown().filter(|position| !at_left(position)).map(|position| middle(position) + label(position) + 11.0);
        let behind = behind.fold(chart.lanes.len().max(1) as f64 * lane, f64::max);
        drawing.left += before;
        drawing.queues = drawing.left + behind + 20.0;
        drawing.wide = drawing.queues;
        drawing
    }

    fn x(&self, lane: usize) -> f64 {
        self.left + (lane as f64 + 0.5) * self.lane
    }

    fn y(&self, position: usize) -> f64 {
        TOP + (position.saturating_sub(self.first) as f64 + 0.5) * ROW
    }

    fn lane_of(&self, position: usize) -> Option<usize> {
        Some(self.chart.steps[position].moves.first()?.lane)
    }

    /// A label stands at the side of its lane where no arrow is.
    fn is_at_left(&self, position: usize) -> bool {
        let other = self.arrows[position].as_ref().and_then(|arrow| arrow.other).and_then(|other| self.lane_of(other));
        self.chart.steps[position].moves.len() == 1 && other > self.lane_of(position)
    }

    fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        let _ = writeln!(self.body, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(text));
    }

    /// Something in the colour of a lane.
    fn coloured(&mut self, lane: usize, drawn: &str) {
        let _ = writeln!(self.body, "<g class=\"c{}\">{drawn}</g>", lane % COLOURS);
    }

    fn lanes(&mut self) {
        let end = self.y(self.chart.steps.len());
        for lane in 0..self.chart.lanes.len() {
            let (x, half, name) =
                (self.x(lane), self.lane / 2.0 - 6.0, shortened(&self.chart.lane_name(lane), LONG_TEXT / 2));
            let head = format!(
                "<line class=\"lane\" x1=\"{x:.1}\" y1=\"40\" x2=\"{x:.1}\" y2=\"{end:.1}\"/><rect class=\"head\" \
                 x=\"{:.1}\" y=\"12\" width=\"{:.1}\" height=\"28\" rx=\"8\"/>\
                 <text class=\"name\" x=\"{x:.1}\" y=\"30.5\">{}</text>",
                x - half,
                2.0 * half,
                escaped(&name)
            );
            self.coloured(lane, &head);
        }
        if self.chart.steps.iter().any(|step| !step.channels.is_empty()) {
            self.text("soft", self.queues, 30.5, "channels");
        }
        if self.first > 0 {
            let before = format!("… {} steps", self.first);
            self.text("soft", 4.0, TOP - 4.0, &before);
        }
    }

    fn loop_frame(&mut self) {
        let Some(from) = self.chart.loop_from.filter(|from| *from < self.chart.steps.len()) else { return };
        let (top, bottom) = (self.y(from.max(self.first)) - 0.5 * ROW, self.y(self.chart.steps.len()) - 0.5 * ROW);
        let _ = writeln!(
            self.body,
            "<rect class=\"loop\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"8\"/>",
            NUMBERS - 32.0,
            self.queues - NUMBERS + 22.0,
            bottom - top
        );
        self.text("again", NUMBERS - 24.0, bottom + 16.0, "⟲ forever");
    }

    fn step(&mut self, position: usize) {
        let (step, y) = (&self.chart.steps[position], self.y(position));
        self.text("number", NUMBERS, y + 4.0, &self.chart.number(position).to_string());
        let event = shortened(step.event.as_deref().unwrap_or_default(), LONG_TEXT);
        let lanes: Vec<usize> = step.moves.iter().map(|one| one.lane).collect();
        let Some(own) = lanes.iter().copied().min() else {
            return self.text("event", self.left + 8.0, y + 4.0, &event);
        };
        // The line of a step of several lanes is below its label.
        let line = if lanes.len() > 1 { y + 7.0 } else { y };
        let message = self.arrows[position].is_some();
        if lanes.len() > 1 && !message {
            let (x1, x2) = (self.x(own), self.x(lanes.iter().copied().max().unwrap_or(own)));
            let _ = writeln!(
                self.body,
                "<line class=\"shared\" x1=\"{x1:.1}\" y1=\"{line:.1}\" x2=\"{x2:.1}\" y2=\"{line:.1}\"/>"
            );
        }
        for &lane in &lanes {
            let x = self.x(lane);
            self.coloured(lane, &format!("<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{line:.1}\" r=\"4.2\"/>"));
        }
        let (x, class) = match self.is_at_left(position) {
            true => (self.x(own) - 11.0, "event left"),
            false => (self.x(own) + 11.0, "event"),
        };
        let class = if message { format!("{class} message") } else { class.to_owned() };
        self.text(&class, x, if lanes.len() > 1 { line - 6.0 } else { y + 4.0 }, &event);
        self.contents(position);
    }

    /// What the channels hold that a step touches.
    fn contents(&mut self, position: usize) {
        let (mut x, y) = (self.queues, self.y(position));
        for now in self.chart.steps[position].channels.iter().take(3) {
            let name = shortened(&now.channel, LONG_TEXT / 2);
            self.text("queue", x, y + 4.0, &name);
            x += name.chars().count() as f64 * LETTER + 8.0;
            let _ = writeln!(
                self.body,
                "<line class=\"mouth\" x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{:.1}\"/>",
                y - 7.0,
                y + 7.0
            );
            x += 6.0;
            if now.messages.is_empty() {
                self.text("soft", x, y + 4.0, "empty");
                x += 36.0;
            }
            for message in now.messages.iter().take(5) {
                let text = shortened(message, LONG_TEXT / 2);
                let width = text.chars().count() as f64 * 6.7 + 11.0;
                let _ = writeln!(
                    self.body,
                    "<g class=\"chip\"><rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"18\" rx=\"5\"/>\
                     <text x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
                    y - 9.0,
                    x + 5.5,
                    y + 4.0,
                    escaped(&text)
                );
                x += width + 4.0;
            }
            if now.messages.len() > 5 {
                self.text("soft", x, y + 4.0, &format!("+{}", now.messages.len() - 5));
                x += 26.0;
            }
            x += 10.0;
        }
        self.wide = self.wide.max(x);
    }

    /// The arrow of a message, drawn where it arrives; of one that does not arrive, a short dashed one.
    fn arrow(&mut self, position: usize) {
        let (Some(arrow), Some(own)) = (&self.arrows[position], self.lane_of(position)) else { return };
        let y = self.y(position);
        let (from, end, path) = match (arrow.message.fate, arrow.other) {
            (Fate::HandedOver, _) => {
                let Some(partner) = self.chart.steps[position].moves.get(1) else { return };
                let (x1, x2, y) = (self.x(own), self.x(partner.lane), y + 7.0);
                let side = if x2 > x1 { -1.0 } else { 1.0 };
                (own, (x2, y, side), format!("M{x1:.1} {y:.1}H{:.1}", x2 + side * 10.0))
            }
            (Fate::Received, Some(sent)) => {
                let Some(from) = self.lane_of(sent) else { return };
                let (x1, y1, x2) = (self.x(from), self.y(sent.max(self.first)), self.x(own));
                let side = if own > from { -1.0 } else { 1.0 };
                let path = match own == from {
                    true => format!(
                        "M{x1:.1} {y1:.1}C{0:.1} {1:.1} {0:.1} {2:.1} {3:.1} {y:.1}",
                        x1 - 46.0,
                        y1 + 6.0,
                        y - 6.0,
                        x2 - 10.0
                    ),
                    false => format!(
                        "M{x1:.1} {y1:.1}C{:.1} {y1:.1} {:.1} {y:.1} {:.1} {y:.1}",
                        x1 - side * 30.0,
                        x2 + side * 50.0,
                        x2 + side * 10.0
                    ),
                };
                (from, (x2, y, if own == from { -1.0 } else { side }), path)
            }
            (Fate::Sent, None) => {
                let x = self.x(own);
                let lost = format!(
                    "<path class=\"arrow lost\" d=\"M{x:.1} {y:.1}h-26\"/>\
                     <circle class=\"rest\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"3\"/>",
                    x - 29.0
                );
                return self.coloured(own, &lost);
            }
            _ => return,
        };
        // Every arrow arrives level.
        let (x, y, side) = end;
        let tip = format!("<path class=\"tip\" d=\"M{:.1} {y:.1}l{:.0} -4v8z\"/>", x + side * 5.0, side * 8.0);
        self.coloured(from, &format!("<path class=\"arrow\" d=\"{path}\"/>{tip}"));
    }

    /// Where the lanes are, what is wrong, and why each lane waits; returns where the picture ends.
    fn ending(&mut self) -> f64 {
        let mut y = self.y(self.chart.steps.len());
        for waits in &self.chart.waiting {
            let (kind, sign) = match (waits.done, self.chart.stuck) {
                (true, _) => (" done", "✓"),
                (false, true) => (" stuck", "!"),
                (false, false) => ("", "·"),
            };
            let x = self.x(waits.lane);
            let _ = writeln!(
                self.body,
                "<g class=\"mark{kind}\"><rect x=\"{:.1}\" y=\"{:.1}\" width=\"14\" height=\"14\" rx=\"{}\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\">{sign}</text></g>",
                x - 7.0,
                y - 7.0,
                if waits.done { 7 } else { 3 },
                y + 4.0
            );
        }
        y += 40.0;
        if !self.chart.problem.is_empty() {
            let problem = format!("✘ {}", self.chart.problem);
            self.line("wrong", NUMBERS - 24.0, y, &problem);
            y += 22.0;
        }
        for waits in self.chart.waiting.iter().filter(|waits| self.chart.stuck && !waits.done) {
            if !self.chart.form.processes {
                self.line("", NUMBERS - 6.0, y, &sentence(self.chart, waits));
                y += 19.0;
                continue;
            }
            for awaited in &waits.events {
                let why = awaited.blocked.as_ref().map(|blocked| because(self.chart, blocked)).unwrap_or_default();
                let line = format!("{} waits at {}: {why}", self.chart.lane_name(waits.lane), awaited.event);
                self.line("", NUMBERS - 6.0, y, &line);
                y += 19.0;
            }
        }
        y
    }

    /// A line of prose; what stands between backticks is code.
    fn line(&mut self, class: &str, x: f64, y: f64, text: &str) {
        let text = shortened(text, 4 * LONG_TEXT);
        let part = |(index, part): (usize, &str)| match index % 2 {
            0 => escaped(part),
            _ => format!("<tspan class=\"code\">{}</tspan>", escaped(part)),
        };
        let parts: String = text.split('`').enumerate().map(part).collect();
        let _ = writeln!(self.body, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{parts}</text>");
        self.wide = self.wide.max(x + PROSE * text.chars().count() as f64);
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

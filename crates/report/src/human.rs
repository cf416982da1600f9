//! What a user sees after `check`: the verdicts first, then channels and runs, then numbers.
//!
//! ```text
//! hand.pml: Promela, 2 process types, 2 processes, 2 channels
//!
//! ✔ proved        safety    no assertion fails, no run-time error — all 10 052 states, channels as declared (explore, 12 ms)
//! ✘ violated      deadlock  2 processes are stuck after 2 steps — channels as declared (explore, 3 ms)
//! ```
//! A verdict line says what was proved or violated, for which reading of the channels, by whom and
//! in what time. A mark, a word and a colour each tell the verdicts apart: "not finished" has its own
//! of all three, and the last line counts it separately.
//!
//! An answer that nobody asked for is *advice*: it has no colour of its own, its verdict is a word in the sentence, and
//! its run is not shown. Below the verdicts come, for each answer, what there is of: how long the channels get, the
//! cycles that nothing forbids, the run, and notes on what to do.

use crate::channels;
use crate::chart::{Fold, standing_table, steps_table};
use crate::cycles::{combination, enumerated};
use crate::diagnostics;
use crate::document::{CompositionInfo, Document, ModelInfo, NotChecked, ProgramInfo, counts};
use crate::joint;
use crate::places::Places;
use crate::predicates;
use crate::program;
use crate::stats;
use crate::style::{Ink, Style, clean, counted, duration, grouped};
use model::semantics::Reading;
use model::verdict::{
    Certificate, ChannelState, ChannelVerdict, CompositionStats, JointRun, Outcome, ProgramRun, Property, Reason,
    Verdict, Witness,
};
use std::collections::HashSet;

/// Everything about one file; with a table of counts if `with_stats` is set.
pub fn render(document: &Document<'_>, with_stats: bool, style: Style) -> String {
    let places = Places::new(document.sources);
    let mut text = header(&document.model, document.warnings, style);
    text += "\n";
    text += &verdict_lines(document, style);
    let counted = if with_stats { stats::tables(&document.outcomes, style) } else { String::new() };
    let predicates = if with_stats { predicates::tables(&document.outcomes, &places, style) } else { String::new() };
    let mut said = HashSet::new();
    let sections = document.outcomes.iter().flat_map(|outcome| sections(outcome, &mut said, &places, style));
    for section in sections.chain([counted, predicates, summary(document, style)]).filter(|section| !section.is_empty())
    {
        text += "\n";
        text += &section;
    }
    text
}

/// What is said about an answer below the verdicts; some of it may be empty.
fn sections(outcome: &Outcome, said: &mut HashSet<String>, places: &Places<'_>, style: Style) -> [String; 4] {
    let run = match (&outcome.verdict, &outcome.witness) {
        (Verdict::Violated, Some(witness)) if counts(outcome) => violation(outcome, witness, places, style),
        _ => String::new(),
    };
    let run = match (&outcome.details.joint, &outcome.details.program_run) {
        (Some(joint), _) => joint_violation(outcome, joint, places, style),
        (None, Some(run)) => program_violation(outcome, run, places, style),
        (None, None) => run,
    };
    let channels = channels::table(&outcome.details.channels, style);
    [channels, combination(outcome, places, style), run, notes(outcome, said, style)]
}

/// What to do, and where to read more. What was said of another answer is not said again.
fn notes(outcome: &Outcome, said: &mut HashSet<String>, style: Style) -> String {
    let mut notes = outcome.details.advice.clone();
    notes.retain(|note| said.insert(note.clone()));
    if !counts(outcome) && outcome.witness.is_some() {
        notes.push(format!("`-p {}` asks for this property, and shows the run", outcome.property));
    }
    let label = style.paint(Ink::Strong, "note");
    let note = |text: &String| format!("{label}: {}\n", clean(&text.replace('\n', " ")));
    let mut text: String = notes.iter().map(note).collect();
    if let Verdict::Inconclusive(reason @ Reason::NotProvable(_)) = &outcome.verdict {
        text += &diagnostics::for_more([reason.code()]);
    }
    text
}

/// The file, its language and its size.
fn header(model: &ModelInfo, warnings: usize, style: Style) -> String {
    let mut parts = vec![String::from(language(model.language))];
    match (&model.composition, &model.program) {
        (Some(CompositionInfo { system, components, events }), _) => {
            parts.extend(system.iter().map(|name| clean(name)));
            parts.push(counted(*components as u64, "component", "components"));
            parts.push(counted(*events as u64, "event", "events"));
        }
        (None, Some(ProgramInfo { entry, data_model, signed_overflow, procedures, variables, locations })) => parts
            .extend([
                format!("{}()", clean(entry)),
                String::from(*data_model),
                String::from(if *signed_overflow { "signed overflow is an error" } else { "signed overflow wraps" }),
                counted(*procedures as u64, "procedure", "procedures"),
                counted(*variables as u64, "variable", "variables"),
                counted(*locations as u64, "location", "locations"),
            ]),
        (None, None) => parts.extend([
            counted(model.machines as u64, "process type", "process types"),
            counted(model.processes as u64, "process", "processes"),
            counted(model.channels as u64, "channel", "channels"),
        ]),
    }
    parts.extend(model.defines.iter().map(|define| format!("-D {}", clean(define))));
    if warnings > 0 {
        parts.push(style.paint(Ink::Doubt, &counted(warnings as u64, "warning", "warnings")));
    }
    format!("{}: {}\n", style.paint(Ink::Strong, &clean(&model.file)), parts.join(", "))
}

fn language(name: &str) -> &str {
    match name {
        "promela" => "Promela",
        "scm" => "communicating machines",
        "fsp" => "FSP",
        "aut" => "Aldebaran",
        "c" => "C",
        other => other,
    }
}

/// A verdict line before its columns are aligned.
struct Line {
    mark: &'static str,
    ink: Ink,
    verdict: &'static str,
    property: String,
    sentence: String,
}

fn verdict_lines(document: &Document<'_>, style: Style) -> String {
    let answers = document.outcomes.iter().map(|outcome| verdict_line(outcome, &document.model, style));
    let lines: Vec<Line> = answers.chain(document.not_checked.iter().map(|n| not_checked_line(n, style))).collect();
    let width = lines.iter().map(|line| line.property.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for Line { mark, ink, verdict, property, sentence } in lines {
        let verdict = style.paint(ink, &format!("{mark} {verdict:12}"));
        text += &format!("{verdict}  {property:width$}  {sentence}\n");
    }
    text
}

fn verdict_line(outcome: &Outcome, model: &ModelInfo, style: Style) -> Line {
    let (mark, ink) = match outcome.verdict {
        Verdict::Proved => (style.choose("✔", "+"), Ink::Good),
        Verdict::Violated => (style.choose("✘", "x"), Ink::Bad),
        Verdict::Inconclusive(_) => ("?", Ink::Doubt),
        Verdict::Vacuous(_) => (style.choose("○", "o"), Ink::Doubt),
    };
    let verdict = outcome.verdict.name();
    let property = clean(&outcome.property.to_string());
    let sentence = sentence(outcome, model, style);
    if counts(outcome) {
        return Line { mark, ink, verdict, property, sentence };
    }
    let sentence = format!("{}: {sentence}", style.paint(ink, verdict));
    Line { mark: style.choose("•", "*"), ink: Ink::Strong, verdict: "advice", property, sentence }
}

fn not_checked_line(not_checked: &NotChecked, style: Style) -> Line {
    let (mark, property) = (style.choose("–", "-"), clean(&not_checked.property));
    let ink = if not_checked.asked { Ink::Doubt } else { Ink::Faint };
    Line { mark, ink, verdict: "not checked", property, sentence: clean(&not_checked.reason) }
}

/// What was found, for which reading, by whom, in what time. Where there are no channels, nothing is said of them.
fn sentence(outcome: &Outcome, model: &ModelInfo, style: Style) -> String {
    let reading = if model.has_channels() { reading(outcome.reading) } else { "" };
    let (found, scope) = match &outcome.verdict {
        Verdict::Proved => (String::from(claim(outcome)) + width(outcome), scope(outcome)),
        Verdict::Violated => (finding(outcome), String::new()),
        Verdict::Inconclusive(reason) => {
            let reached = outcome
                .stats
                .as_ref()
                .map_or_else(String::new, |stats| format!(" after {}", counted(stats.states, "state", "states")));
            let known = share(&outcome.details.channels);
            (format!("{}{known}{reached}", clean(&reason.to_string())), String::new())
        }
        Verdict::Vacuous(why) => (clean(why), String::new()),
    };
    let about: Vec<&str> = [scope.as_str(), reading].into_iter().filter(|part| !part.is_empty()).collect();
    let about = if about.is_empty() { String::new() } else { format!(" {} {}", style.dash(), about.join(", ")) };
    format!("{found}{about} ({}, {})", outcome.engine, duration(outcome.time))
}

/// What holds when a property is proved.
fn claim(outcome: &Outcome) -> &'static str {
    let over_queues = matches!(&outcome.certificate, Some(Certificate::Queues(proof)) if proof.data.is_none());
    let with_data = matches!(&outcome.certificate, Some(Certificate::Queues(proof)) if proof.data.is_some());
    let composed = matches!(outcome.certificate, Some(Certificate::Composition(_)));
    match &outcome.property {
        Property::Safety if matches!(outcome.certificate, Some(Certificate::Program(_))) => "no error is reached",
        Property::Safety if composed => "no component gets into an error",
        Property::Deadlock if composed => "nothing gets stuck",
        Property::Ltl(_) if composed => "the formula holds on every infinite run",
        Property::Safety if with_data => "no error is reached",
        Property::Deadlock if with_data => "nothing gets stuck",
        Property::Safety if over_queues => "no bad configuration is reached",
        Property::Deadlock if over_queues => "no machine waits in vain",
        Property::Safety => "no assertion fails, no run-time error",
        Property::Deadlock => "no invalid end state",
        Property::Boundedness => "every channel is bounded",
        Property::Livelock => "no endless run without progress",
        Property::Reception => "no machine is stuck before a message that it does not take",
        Property::Orphan => "no message is left over at the end",
        Property::Ltl(_) => "the formula holds on every run",
        Property::Never(_) => "no run matches the claim",
        Property::Acceptance => "no run passes through acceptance labels for ever",
        Property::Trace(_) => "every run conforms",
    }
}

/// A proof of the flow engine, or over the queues, is one for every capacity. (For boundedness that is what the question says already.)
fn width(outcome: &Outcome) -> &'static str {
    match (&outcome.property, &outcome.certificate) {
        (Property::Boundedness, _) => "",
        (_, Some(Certificate::Flow(_))) => ", for channels of any length",
        (_, Some(Certificate::Queues(proof))) if proof.data.is_some() => ", for channels of any length",
        _ => "",
    }
}

/// What a proof looked at.
fn scope(outcome: &Outcome) -> String {
    match &outcome.certificate {
        Some(Certificate::Explored { states: 1, .. }) => String::from("the only state"),
        Some(Certificate::Explored { states, .. }) => format!("all {}", counted(*states, "state", "states")),
        Some(Certificate::Product { states, fair, .. }) => {
            let fair = if *fair { "fair runs only, " } else { "" };
            format!("{fair}all {} with the claim", counted(*states, "state", "states"))
        }
        Some(Certificate::Searched { fair: true, .. }) => String::from("fair runs only, all states"),
        Some(Certificate::Searched { .. }) => String::from("all states up to the order of steps"),
        Some(Certificate::Queues(proof)) => counted(proof.entries.len() as u64, "control state", "control states"),
        Some(Certificate::Composition(_)) => outcome.details.composition.as_ref().map_or_else(String::new, method),
        Some(Certificate::Program(proof)) => {
            let held = proof.conditions.iter().filter(|(_, conditions)| !conditions.is_empty()).count();
            match held {
                0 => String::from("no invariant is needed"),
                held => format!("an invariant at {}", counted(held as u64, "location", "locations")),
            }
        }
        Some(Certificate::Flow(_)) | None => String::new(),
    }
}

/// How the engine for compositions came to a proof.
fn method(stats: &CompositionStats) -> String {
    match stats.method.as_str() {
        "plain" => String::from("the product of all components"),
        "minimise" => String::from("component by component"),
        "paper" | "refine" => counted(stats.iterations, "refinement", "refinements"),
        other => clean(other),
    }
}

/// How many of the channels are known to be bounded, where not all are.
fn share(channels: &[ChannelVerdict]) -> String {
    let bounded = channels.iter().filter(|channel| channel.state == ChannelState::Bounded).count();
    if bounded == 0 {
        return String::new();
    }
    let (bounded, all) = (grouped(bounded as u64), counted(channels.len() as u64, "channel", "channels"));
    format!("; {bounded} of {all} proved bounded")
}

fn reading(reading: Reading) -> &'static str {
    match reading {
        Reading::Declared => "channels as declared",
        Reading::Unbounded => "channels without bounds",
        Reading::Drop => "full channels lose messages",
    }
}

/// What was found when a property is violated.
fn finding(outcome: &Outcome) -> String {
    if let Some(joint) = &outcome.details.joint {
        return format!("{}, {}", clean(&joint.problem), joint::when(&joint.run));
    }
    if let Some(run) = &outcome.details.program_run {
        return format!("{}, {}", clean(&run.problem), program::when(run));
    }
    let Some(witness) = &outcome.witness else { return String::from("violated, without a run") };
    let what = match outcome.property {
        Property::Deadlock if !witness.standing.is_empty() => {
            let stuck = witness.standing.iter().filter(|process| !process.valid_end).count();
            if stuck == 0 {
                return format!("{}, {}", clean(&witness.problem), when(witness));
            }
            counted(stuck as u64, "process is stuck", "processes are stuck")
        }
        _ => clean(&witness.problem) + ",",
    };
    let more = outcome.stats.as_ref().map_or(0, |stats| stats.violations);
    let more = if more > 1 { format!(", {} in all", counted(more, "violation", "violations")) } else { String::new() };
    format!("{what} {}{more}", when(witness))
}

fn when(witness: &Witness) -> String {
    let steps = |count: usize| counted(count as u64, "step", "steps");
    let length = witness.steps.len();
    match witness.loop_from.filter(|&first| first < length) {
        Some(first) => format!("after {}, then {} for ever", steps(first), steps(length - first)),
        None if witness.loop_from.is_some() => format!("after {}, then nothing for ever", steps(length)),
        None if length == 0 => String::from("in the first state"),
        None => format!("after {}", steps(length)),
    }
}

/// The run, where it ended, and what is wrong there.
fn violation(outcome: &Outcome, witness: &Witness, places: &Places<'_>, style: Style) -> String {
    let title = format!("the run that violates {}", clean(&outcome.property.to_string()));
    let mut text = style.paint(Ink::Strong, &title) + "\n";
    for remark in &witness.remarks {
        text += &format!("  at the start: {}\n", clean(remark));
    }
    if !witness.steps.is_empty() {
        text += &steps_table(&witness.steps, witness.loop_from, Fold::Middle, places, style);
        text += &round(witness);
    }
    if !witness.standing.is_empty() {
        let stuck = outcome.property == Property::Deadlock;
        let title = if witness.loop_from.is_some() { "where a round ends" } else { "where it ends" };
        text += &format!("\n{}\n", style.paint(Ink::Strong, title));
        text += &standing_table(&witness.standing, stuck, places, style);
    }
    text += "\n";
    text += &diagnostics::problem(&witness.problem, witness.problem_code, witness.problem_span, places, style);
    text += "\n\n";
    text + &diagnostics::for_more([witness.problem_code])
}

/// The run of a composition, why nothing can happen at its end, and what is wrong.
fn joint_violation(outcome: &Outcome, run: &JointRun, places: &Places<'_>, style: Style) -> String {
    let title = match run.steps.is_empty() {
        true => format!("the first state violates {}", clean(&outcome.property.to_string())),
        false => format!("the run that violates {}", clean(&outcome.property.to_string())),
    };
    let mut text = style.paint(Ink::Strong, &title) + "\n";
    for remark in &run.remarks {
        text += &format!("  at the start: {}\n", clean(remark));
    }
    if !run.steps.is_empty() {
        text += &joint::chart(run, Fold::Middle, style);
    }
    for part in [
        joint::stuck(run, style),
        diagnostics::problem(&run.problem, run.problem_code, run.problem_span, places, style) + "\n",
    ] {
        if !part.is_empty() {
            text += &format!("\n{part}");
        }
    }
    text += "\n";
    text + &diagnostics::for_more([run.problem_code])
}

/// The run of a C program, and what is wrong at its end.
fn program_violation(outcome: &Outcome, run: &ProgramRun, places: &Places<'_>, style: Style) -> String {
    let title = format!("the run that violates {}", clean(&outcome.property.to_string()));
    let mut text = style.paint(Ink::Strong, &title) + "\n";
    if !run.steps.is_empty() {
        text += &program::chart(run, Fold::Middle, places, style);
    }
    text += "\n";
    text += &diagnostics::problem(&run.problem, run.problem_code, Some(run.problem_span), places, style);
    text += "\n\n";
    text + &diagnostics::for_more([run.problem_code])
}

/// What one round of a loop adds to the channels.
fn round(witness: &Witness) -> String {
    let gains: Vec<String> = witness.gains.iter().map(|(name, gain)| format!("{gain} to {}", clean(name))).collect();
    if witness.loop_from.is_none() || gains.is_empty() {
        return String::new();
    }
    format!("  each round adds {}\n", enumerated(gains))
}

/// How many of each verdict, and the time for the whole file.
fn summary(document: &Document<'_>, style: Style) -> String {
    let count = |wanted: &str| document.outcomes.iter().filter(|o| counts(o) && o.verdict.name() == wanted).count();
    let advice = document.outcomes.iter().filter(|outcome| !counts(outcome)).count();
    let verdicts = ["violated", "inconclusive", "vacuous", "proved"].map(|name| (name, count(name)));
    let all = verdicts.into_iter().chain([("not checked", document.not_checked.len()), ("as advice", advice)]);
    let parts: Vec<String> =
        all.filter(|&(_, count)| count > 0).map(|(name, count)| format!("{} {name}", grouped(count as u64))).collect();
    let parts = if parts.is_empty() { String::from("nothing to check") } else { parts.join(", ") };
    let ink = match document.exit_code() {
        0 => Ink::Good,
        1 => Ink::Bad,
        _ => Ink::Doubt,
    };
    format!("{} in {}\n", style.paint(ink, &parts), duration(document.time))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use model::verdict::SearchStats;

    const UNICODE: Style = Style { color: false, unicode: true, width: 100 };

    fn lines(outcomes: Vec<Outcome>, style: Style) -> String {
        let sources = sample::sources();
        let mut document = sample::document(&sources, outcomes);
        document.not_checked = vec![sample::not_checked(true)];
        verdict_lines(&document, style)
    }

    fn every_verdict() -> Vec<Outcome> {
        let late = Outcome {
            property: Property::Livelock,
            engine: "explore",
            time: std::time::Duration::from_secs(60),
            ..sample::outcome(Verdict::Inconclusive(Reason::Timeout))
        };
        let vacuous = Outcome {
            property: Property::Boundedness,
            reading: Reading::Unbounded,
            ..sample::outcome(Verdict::Vacuous(String::from("no statement sends")))
        };
        vec![sample::outcome(Verdict::Proved), sample::deadlock(), late, vacuous]
    }

    #[test]
    fn each_verdict_has_its_line() {
        insta::assert_snapshot!(lines(every_verdict(), UNICODE), @"
        ✔ proved        safety       no assertion fails, no run-time error — all 10 052 states, channels as declared (explore, 12 ms)
        ✘ violated      deadlock     2 processes are stuck after 2 steps — channels as declared (explore, 3 ms)
        ? inconclusive  livelock     the time limit was reached (--timeout) after 10 052 states — channels as declared (explore, 60.0 s)
        ○ vacuous       boundedness  no statement sends — channels without bounds (explore, 12 ms)
        – not checked   ltl:p1       temporal properties are not checked by this version
        ");
    }

    #[test]
    fn each_verdict_has_its_line_in_ascii() {
        let text = lines(every_verdict(), Style::PLAIN);
        assert!(text.is_ascii());
        insta::assert_snapshot!(text, @"
        + proved        safety       no assertion fails, no run-time error - all 10 052 states, channels as declared (explore, 12 ms)
        x violated      deadlock     2 processes are stuck after 2 steps - channels as declared (explore, 3 ms)
        ? inconclusive  livelock     the time limit was reached (--timeout) after 10 052 states - channels as declared (explore, 60.0 s)
        o vacuous       boundedness  no statement sends - channels without bounds (explore, 12 ms)
        - not checked   ltl:p1       temporal properties are not checked by this version
        ");
    }

    #[test]
    fn each_verdict_has_its_colour() {
        let text = lines(every_verdict(), Style { color: true, ..UNICODE });
        let codes: Vec<_> = text.lines().map(|line| line.split('m').next().unwrap_or("")).collect();
        assert_eq!(codes, ["\x1b[1;32", "\x1b[1;31", "\x1b[1;33", "\x1b[1;33", "\x1b[1;33"]);
    }

    #[test]
    fn a_violation_is_shown_with_its_run_its_end_and_its_place() {
        let sources = sample::sources();
        let document = sample::document(&sources, vec![sample::outcome(Verdict::Violated)]);
        insta::assert_snapshot!(render(&document, false, UNICODE), @"
        models/hand.pml: Promela, 2 process types, 2 processes, 2 channels, -D N=3

        ✘ violated      safety  assertion violated, after 6 steps — channels as declared (explore, 12 ms)

        the run that violates safety
          step     place        who  event                  changed  channels
             1  ┌  hand.pml:8   P:0  x = 1                  x = 1
             2  └  hand.pml:9   P:0  q!req(1)                        q ▕ req(1)
             3     hand.pml:11  P:0  c!ack → Q:1 (line 16)
             4     hand.pml:12  P:0  q!req(7)                        q ▕ req(1) req(7)
             5     hand.pml:17  Q:1  q?req(1)                        q ▕ req(7)
             6     hand.pml:18  Q:1  assert(x == 0)

        where it ends
          P:0  hand.pml:13  may stop here  }
          Q:1  hand.pml:18  is here        assert(x == 0)

        violated[assertion]: assertion violated
           ╭▸ models/hand.pml:18:3
           │
        18 │   assert(x == 0)
           ╰╴  ━━━━━━━━━━━━━━

        for more: highwater explain assertion

        1 violated in 15 ms
        ");
    }

    #[test]
    fn a_deadlock_in_ascii() {
        let sources = sample::sources();
        let mut document = sample::document(&sources, vec![sample::deadlock()]);
        document.warnings = 1;
        let text = render(&document, false, Style { width: 80, ..Style::PLAIN });
        assert!(text.is_ascii());
        insta::assert_snapshot!(text, @r"
        models/hand.pml: Promela, 2 process types, 2 processes, 2 channels, -D N=3, 1 warning

        x violated      deadlock  2 processes are stuck after 2 steps - channels as declared (explore, 3 ms)

        the run that violates deadlock
          step     place       who  event     changed  channels
             1  /  hand.pml:8  P:0  x = 1     x = 1
             2  \  hand.pml:9  P:0  q!req(1)           q | req(1)

        where it ends
          P:0  hand.pml:11  waits here  c!ack;
          Q:1  hand.pml:17  waits here  q?req(x);

        violated[invalid-end-state]: invalid end state: nothing can move

        for more: highwater explain invalid-end-state

        1 violated in 15 ms
        ");
    }

    fn rendered(outcome: Outcome, with_stats: bool, style: Style) -> String {
        render(&sample::document(&sample::sources(), vec![outcome]), with_stats, style)
    }

    #[test]
    fn bounded_channels_have_a_table_and_notes_and_their_stats() {
        insta::assert_snapshot!(rendered(sample::bounded(), true, Style { width: 120, ..UNICODE }), @"
        models/hand.pml: Promela, 2 process types, 2 processes, 2 channels, -D N=3

        ✔ proved        boundedness  every channel is bounded — channels without bounds (flow, 3 ms)

        how long the channels get
          channel  declared  at most  reached  exact  messages                               from → to
          q               2        2        2  yes    req                                    P → Q
          log             –    1 200        7         req(1), req(2), req(3), req(4), … (6)  P, Q → nobody

        note: `log` needs room for 1200 messages

        flow for     instances  points  transitions  message types  counterexamples  spurious  linear problems
        boundedness          2      41        1 077              4                2         2                9

        2 combinations of cycles on the way, for boundedness
             processes   cycles  would add to  looked at
          1  P[0], Q[1]       3  q             values of `x`
          2  P[0]             1  q, r          values of `y`, values of `P[0]:n`

        1 proved in 15 ms
        ");
    }

    #[test]
    fn a_channel_that_grows_is_shown_with_the_loop_and_what_a_round_adds() {
        insta::assert_snapshot!(rendered(sample::unbounded(), false, UNICODE), @"
        models/hand.pml: Promela, 2 process types, 2 processes, 2 channels, -D N=3

        ✘ violated      boundedness  `q` grows without end, after 2 steps, then 3 steps for ever — channels without bounds (explore, 3 ms)

        how long the channels get
          channel  declared               at most  reached  exact  messages  from → to
          q               2  no bound: +2 a round        2         req       P → Q
          r               2                     2        2  yes    req       P → Q

        the run that violates boundedness
          step        place        who  event                  changed  channels
             1     ┌  hand.pml:8   P:0  x = 1                  x = 1
             2     └  hand.pml:9   P:0  q!req(1)                        q ▕ req(1)
          from here on for ever:
             3  ╭     hand.pml:11  P:0  c!ack → Q:1 (line 16)
             4  │     hand.pml:12  P:0  q!req(7)                        q ▕ req(1) req(7)
             5  ╰     hand.pml:17  Q:1  q?req(1)                        q ▕ req(7)
          ⟲ repeats from step 3
          each round adds 2 to q

        violated[unbounded]: `q` grows without end
           ╭▸ models/hand.pml:12:3
           │
        12 │   q!req(7)
           ╰╴  ━━━━━━━━

        for more: highwater explain unbounded

        1 violated in 15 ms
        ");
    }

    #[test]
    fn what_cannot_be_proved_is_shown_with_the_cycles_that_nothing_forbids() {
        let text = rendered(sample::not_provable(), false, Style::PLAIN);
        assert!(text.is_ascii());
        insta::assert_snapshot!(text, @"
        models/hand.pml: Promela, 2 process types, 2 processes, 2 channels, -D N=3

        ? inconclusive  boundedness  no proof for `q`, and no run that fills it; 1 of 2 channels proved bounded - channels without bounds (flow, 3 ms)

        how long the channels get
          channel  declared  at most  reached  exact  messages  from -> to
          q               2        ?        2         req       P -> Q
          r               2        2        2  yes    req       P -> Q

        a combination of cycles that nothing forbids
          P[0], 2 times: +1 q: req
            hand.pml:11  c!ack
            hand.pml:12  q!req(7)
          Q[*], once: -1 q: req, +1 processes of R
            hand.pml:16  c?ack
            hand.pml:17  q?req(x)
          together they would add to processes of R and q

        note: a loop of P sends without waiting: let it wait for an answer
        for more: highwater explain not-provable

        1 inconclusive in 15 ms
        ");
    }

    #[test]
    fn advice_says_its_verdict_and_is_counted_apart() {
        let advice = [sample::bounded(), sample::unbounded(), sample::not_provable()].map(sample::advisory);
        let outcomes = [vec![sample::outcome(Verdict::Proved)], advice.to_vec()].concat();
        let sources = sample::sources();
        insta::assert_snapshot!(render(&sample::document(&sources, outcomes), false, UNICODE), @"
        models/hand.pml: Promela, 2 process types, 2 processes, 2 channels, -D N=3

        ✔ proved        safety       no assertion fails, no run-time error — all 10 052 states, channels as declared (explore, 12 ms)
        • advice        boundedness  proved: every channel is bounded — channels without bounds (flow, 3 ms)
        • advice        boundedness  violated: `q` grows without end, after 2 steps, then 3 steps for ever — channels without bounds (explore, 3 ms)
        • advice        boundedness  inconclusive: no proof for `q`, and no run that fills it; 1 of 2 channels proved bounded — channels without bounds (flow, 3 ms)

        how long the channels get
          channel  declared  at most  reached  exact  messages                               from → to
          q               2        2        2  yes    req                                    P → Q
          log             –    1 200        7         req(1), req(2), req(3), req(4), … (6)  P, Q → nobody

        note: `log` needs room for 1200 messages

        how long the channels get
          channel  declared               at most  reached  exact  messages  from → to
          q               2  no bound: +2 a round        2         req       P → Q
          r               2                     2        2  yes    req       P → Q

        note: `-p boundedness` asks for this property, and shows the run

        how long the channels get
          channel  declared  at most  reached  exact  messages  from → to
          q               2        ?        2         req       P → Q
          r               2        2        2  yes    req       P → Q

        a combination of cycles that nothing forbids
          P[0], 2 times: +1 q: req
            hand.pml:11  c!ack
            hand.pml:12  q!req(7)
          Q[*], once: -1 q: req, +1 processes of R
            hand.pml:16  c?ack
            hand.pml:17  q?req(x)
          together they would add to processes of R and q

        note: a loop of P sends without waiting: let it wait for an answer
        for more: highwater explain not-provable

        1 proved, 3 as advice in 15 ms
        ");
    }

    #[test]
    fn a_livelock_is_a_loop_and_its_absence_a_proof_for_channels_of_any_length() {
        insta::assert_snapshot!(rendered(sample::livelock(Verdict::Violated), false, UNICODE), @"
        models/hand.pml: Promela, 2 process types, 2 processes, 2 channels, -D N=3

        ✘ violated      livelock  a loop without progress, after 3 steps, then 3 steps for ever — channels as declared (flow, 3 ms)

        the run that violates livelock
          step        place        who  event                  changed  channels
             1     ┌  hand.pml:8   P:0  x = 1                  x = 1
             2     └  hand.pml:9   P:0  q!req(1)                        q ▕ req(1)
             3        hand.pml:11  P:0  c!ack → Q:1 (line 16)
          from here on for ever:
             4  ╭     hand.pml:12  P:0  q!req(7)                        q ▕ req(1) req(7)
             5  │     hand.pml:17  Q:1  q?req(1)                        q ▕ req(7)
             6  ╰     hand.pml:18  Q:1  assert(x == 0)
          ⟲ repeats from step 4

        violated[non-progress-cycle]: a loop without progress

        for more: highwater explain non-progress-cycle

        1 violated in 15 ms
        ");
        let outcomes = vec![sample::livelock(Verdict::Proved)];
        insta::assert_snapshot!(lines(outcomes, UNICODE).lines().next().unwrap_or(""), @"✔ proved        livelock  no endless run without progress, for channels of any length — channels as declared (flow, 3 ms)");
    }

    #[test]
    fn stats_come_after_the_runs() {
        let text = rendered(sample::outcome(Verdict::Proved), true, Style::PLAIN);
        let sections: Vec<_> = text.split("\n\n").filter_map(|section| section.split("  ").next()).collect();
        assert_eq!(sections.len(), 4, "{text}");
        assert_eq!(sections[2], "search for");
    }

    #[test]
    fn when_it_happens_is_said_in_words() {
        let mut witness = sample::witness();
        witness.loop_from = Some(4);
        assert_eq!(when(&witness), "after 4 steps, then 2 steps for ever");
        witness.loop_from = None;
        assert_eq!(when(&witness), "after 6 steps");
        witness.steps.truncate(1);
        assert_eq!(when(&witness), "after 1 step");
        witness.steps.clear();
        assert_eq!(when(&witness), "in the first state");
    }

    #[test]
    fn a_violation_in_the_first_state_needs_no_chart() {
        let sources = sample::sources();
        let mut outcome = sample::outcome(Verdict::Violated);
        if let Some(witness) = &mut outcome.witness {
            witness.steps.clear();
            witness.standing.clear();
        }
        let text = render(&sample::document(&sources, vec![outcome]), false, Style::PLAIN);
        assert!(text.contains("assertion violated, in the first state") && !text.contains("where it ends"), "{text}");
    }

    #[test]
    fn several_violations_are_counted() {
        let mut outcome = sample::deadlock();
        outcome.stats = Some(SearchStats { violations: 1200, ..sample::stats() });
        assert_eq!(finding(&outcome), "2 processes are stuck after 2 steps, 1 200 violations in all");
    }

    #[test]
    fn a_model_without_properties_says_so() {
        let sources = sample::sources();
        let text = render(&sample::document(&sources, Vec::new()), false, Style::PLAIN);
        assert!(text.ends_with("nothing to check in 15 ms\n"), "{text}");
    }
}

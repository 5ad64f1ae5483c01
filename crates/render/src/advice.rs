//! What is a model told when it is asked to look back on a run? The prompt is a file; the record is
//! made here: one line for each thing that is known, the most telling ones first until the room is
//! used up, then in the order in which they happened. Steps keep the numbers by which an answer
//! may cite them.

use hardwon_core::consult::money::tokens_at_most;
use hardwon_core::digest::sha256_of_bytes;
use std::collections::BTreeSet;

use hardwon_core::episode::{Step, StepKind, StepResult};
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::Lesson;
use hardwon_core::prompt::printed;
use hardwon_core::reflect::AUTHOR;
use hardwon_core::run::Run;
use serde_json::Value;

use crate::answer::Looked;

/// What a model is to do, as a file of its own: whoever changes it raises the number.
pub const PROMPT: &str = include_str!("../prompts/reflect.md");
pub const VERSION: u32 = 1;
const SHAPE: &str = include_str!("../prompts/reflect.schema.json");

/// Longest line of the record, in characters.
const MAX_LINE_CHARS: usize = 400;

/// Most lines of a progress file that are told.
const MAX_PROGRESS_LINES: usize = 40;

/// What it is asked about a session that it reads.
pub const READ: &str = include_str!("../prompts/read.md");
pub const READ_SHAPE: &str = include_str!("../prompts/read.schema.json");
pub const READ_VERSION: u32 = 1;

/// What it is asked about two lessons, and about a question.
pub const MERGE: &str = include_str!("../prompts/merge.md");
pub const MERGE_SHAPE: &str = include_str!("../prompts/merge.schema.json");
pub const ASK: &str = include_str!("../prompts/ask.md");
pub const ASK_SHAPE: &str = include_str!("../prompts/ask.schema.json");

/// The form of the answer.
pub fn shape() -> Value {
    shape_of(SHAPE)
}

/// A schema that is a file of ours.
pub fn shape_of(file: &str) -> Value {
    serde_json::from_str(file).expect("the file is JSON")
}

/// Known lessons by which a reader may name them, one a line.
pub fn listed(lessons: &[Lesson], told: &BTreeSet<LessonId>) -> String {
    let line = |it: &Lesson| {
        let told = if told.contains(&it.id) { ", told to this session" } else { "" };
        format!("- {} {}{told}: {}", it.id, it.state, printed(it.text.as_str()))
    };
    let lines: Vec<String> = lessons.iter().map(line).collect();
    if lines.is_empty() { "(none)".to_owned() } else { lines.join("\n") }
}

/// Anything else that a model is told, as data that cannot end where it says so itself.
pub fn data(value: &Value) -> String {
    let text = value.to_string();
    format!("<record>\n{}\n</record>\n", plain_to(&text, usize::MAX))
}

/// What a model is told about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub text: String,
    pub n_lines: usize,
    /// What there was no room for.
    pub n_left_out: usize,
}

/// Digest of what a model would be told of a run, without what it would change itself: the same is
/// not asked twice.
pub fn evidence(looked: &Looked) -> String {
    let runs = std::iter::once(&looked.run).chain(&looked.below);
    let mut parts = vec![format!("version {VERSION}")];
    for run in runs {
        let outcome = run.outcome.map(|outcome| outcome.word());
        parts.push(format!("{} {outcome:?} {:?}", run.id, run.episode.trail));
    }
    let findings = looked.findings.iter().filter(|finding| finding.author != AUTHOR);
    parts.extend(findings.map(|finding| format!("{} {}", finding.run, finding.text)));
    sha256_of_bytes(parts.join("\n").as_bytes())
}

/// The parts of a record, in the order in which they are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Run,
    Steps,
    Below,
    Findings,
    Related,
    Progress,
    Known,
}

impl Part {
    fn heading(self) -> &'static str {
        match self {
            Part::Run => "The run",
            Part::Steps => "What was done in it",
            Part::Below => "Runs that it started",
            Part::Findings => "What reviewers and tools found",
            Part::Related => "Earlier runs that have something in common with it",
            Part::Progress => "What the project notes about its progress",
            Part::Known => "Lessons that are known",
        }
    }
}

struct Line {
    part: Part,
    /// Higher is told first where there is little room.
    value: u32,
    text: String,
}

/// The record of a run in at most so many tokens.
pub fn record(looked: &Looked, max_tokens: u64) -> Record {
    let lines = lines(looked);
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|index| (std::cmp::Reverse(lines[*index].value), *index));
    let mut n_used = 0;
    let mut kept = Vec::new();
    for index in order {
        let needed = tokens_at_most(&lines[index].text) + 1;
        if n_used + needed <= max_tokens {
            n_used += needed;
            kept.push(index);
        }
    }
    kept.sort_unstable();
    let mut text = String::from("<record>\n");
    let mut part = None;
    for index in &kept {
        let line = &lines[*index];
        if part != Some(line.part) {
            text += &format!("## {}\n", line.part.heading());
            part = Some(line.part);
        }
        text += &line.text;
        text.push('\n');
    }
    text += "</record>\n";
    Record { text, n_lines: kept.len(), n_left_out: lines.len() - kept.len() }
}

/// Everything that could be told, in order.
fn lines(looked: &Looked) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut tell = |part, value, text: String| {
        lines.push(Line { part, value, text: plain_to(&text, MAX_LINE_CHARS) })
    };
    tell(Part::Run, 1000, head(&looked.run));
    tell(Part::Run, 1000, format!("looked back on because: {}", looked.scenario));
    if let Some(usage) = crate::archivist::usage_json(&looked.usage) {
        tell(Part::Run, 300, format!("it used {usage}"));
    }
    let values = values(&looked.run.episode.trail);
    for (index, (step, value)) in looked.run.episode.trail.iter().zip(values).enumerate() {
        tell(Part::Steps, value, step_line(index, step));
    }
    for run in &looked.below {
        tell(Part::Below, 500, head(run));
        let values = self::values(&run.episode.trail);
        for (index, (step, value)) in run.episode.trail.iter().zip(values).enumerate() {
            tell(Part::Below, value.saturating_sub(50), format!("  {}", step_line(index, step)));
        }
    }
    for finding in looked.findings.iter().filter(|finding| finding.author != AUTHOR) {
        let place = finding.place.as_ref().map(|place| format!(" at {}", place.path));
        let (author, severity, text) = (&finding.author, finding.severity, &finding.text);
        let place = place.unwrap_or_default();
        let run = &finding.run;
        tell(Part::Findings, 650, format!("- {author} in run {run}, {severity}{place}: {text}"));
    }
    for (run, reasons) in &looked.related {
        tell(Part::Related, 350, format!("{} ({})", head(run), reasons.join(", ")));
        let trail = &run.episode.trail;
        for (index, step) in trail.iter().enumerate().filter(|(_, step)| is_failed(step)) {
            tell(Part::Related, 250, format!("  {}", step_line(index, step)));
        }
    }
    let progress = looked.progress.iter().flat_map(|text| text.lines());
    for line in progress.filter(|line| !line.trim().is_empty()).take(MAX_PROGRESS_LINES) {
        tell(Part::Progress, 200, format!("| {line}"));
    }
    for (index, lesson) in looked.lessons.iter().enumerate() {
        let value = 600_u32.saturating_sub(u32::try_from(index).unwrap_or(u32::MAX) * 20);
        tell(Part::Known, value, known(lesson));
    }
    lines
}

/// What went wrong and what came right after it is worth most, then what a person said, what was
/// edited and tested; a step that went well says little.
fn values(trail: &[Step]) -> Vec<u32> {
    let mut values: Vec<u32> = trail
        .iter()
        .map(|step| match step.kind {
            _ if is_failed(step) => 900,
            StepKind::Correction => 850,
            StepKind::Edit | StepKind::Test => 400,
            StepKind::Command => 300,
            StepKind::Look => 100,
        })
        .collect();
    let failed: Vec<&Step> = trail.iter().filter(|step| is_failed(step)).collect();
    for (step, value) in trail.iter().zip(&mut values) {
        // The same program, with success, after it had failed: that is the repair.
        let program = |step: &Step| step.action.split_whitespace().next().map(str::to_owned);
        let repairs = |bad: &&&Step| bad.first < step.last && program(bad) == program(step);
        if step.result == StepResult::Ok && failed.iter().find(repairs).is_some() {
            *value = (*value).max(800);
        }
    }
    values
}

fn is_failed(step: &Step) -> bool {
    step.result == StepResult::Failed
}

fn head(run: &Run) -> String {
    let outcome = run.outcome.map_or("outcome unknown", |outcome| outcome.word());
    let mut head = format!("run {}: {}, {outcome}", run.id, run.kind);
    let episode = &run.episode;
    for (name, value) in [
        ("role", &run.role),
        ("agent", &run.agent),
        ("task", &run.task),
        ("error", &episode.error_class),
        ("summary", &episode.summary),
    ] {
        if let Some(value) = value {
            head += &format!("; {name}: {value}");
        }
    }
    head
}

fn step_line(index: usize, step: &Step) -> String {
    let times = if step.n > 1 { format!(" ({} times)", step.n) } else { String::new() };
    let error = step.error.as_ref().map(|error| format!(" -> {}", error.line));
    let (number, kind, result, action) = (index + 1, step.kind, step.result, &step.action);
    format!("{number}. {kind} {result}{times}: {action}{}", error.unwrap_or_default())
}

fn known(lesson: &Lesson) -> String {
    let rule = lesson.guidance.rule.as_deref().map(|rule| format!(" ({rule})"));
    format!("- {} {}: {}{}", lesson.id, lesson.state, lesson.text, rule.unwrap_or_default())
}

/// One line that can end neither the record nor look like a turn of somebody else.
fn plain_to(text: &str, max_chars: usize) -> String {
    let words: String = text.split(['\n', '\r']).map(str::trim_end).collect::<Vec<_>>().join(" ");
    let short: String = words.chars().take(max_chars).collect();
    printed(&short).replace("<record>", "< record>").replace("</record>", "< /record>")
}

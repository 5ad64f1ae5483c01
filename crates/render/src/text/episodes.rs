//! Runs for a person: `runs list`, `runs tree`, and everything about one on one page.

use hardwon_core::ended::CutBy;
use hardwon_core::episode::StepResult;
use hardwon_core::time::Timestamp;

use super::columns::{self, Side, cut, hanging, headed_table, padded};
use super::runs::effect_lines;
use crate::answer::{
    AccountShown, Done, Ended, Evidence, Lesson, Related, Run, RunLine, RunStory, Runs, Shown,
    Usage,
};
use crate::record::{after, counted};

/// Columns of the list, in this order for ever.
const COLUMNS: &str = "RUN WHEN KIND OUTCOME AGENT >FOUND >SHOWN ABOUT";
/// Longest name of a run or agent in a row.
const NAME_COLUMNS: usize = 28;
const FACT_COLUMNS: usize = 10;
/// Most steps, findings or runs that a section of a page names.
const MAX_LINES: usize = 12;

/// A table with a heading, newest first.
pub fn runs(runs: &Runs, width: usize) -> String {
    run_table(runs, width, |line| line.run.id.to_string(), |n| n.to_string())
}

/// The same as trees: each run below the one that contains it.
pub fn run_tree(runs: &Runs, width: usize) -> String {
    let name = |line: &RunLine| match line.depth {
        0 => line.run.id.to_string(),
        depth => format!("{}└ {}", "  ".repeat(depth as usize - 1), line.run.id),
    };
    run_table(runs, width, name, |n| counted(n, "root run"))
}

fn run_table(
    runs: &Runs,
    width: usize,
    name: impl Fn(&RunLine) -> String,
    more: impl Fn(u64) -> String,
) -> String {
    let rows = runs.runs.iter().map(|line| row(line, &name(line)));
    match (runs.runs.is_empty(), runs.n_more) {
        (true, 0) => "no runs; `hardwon learn` reads the record of one\n".to_owned(),
        (true, n) => format!("({} more: raise --limit)\n", more(n)),
        (false, 0) => headed_table(COLUMNS, rows, width),
        (false, n) => {
            headed_table(COLUMNS, rows, width) + &format!("({} more: raise --limit)\n", more(n))
        }
    }
}

fn row(line: &RunLine, name: &str) -> Vec<String> {
    let run = &line.run;
    vec![
        cut(name, NAME_COLUMNS),
        minute(run.started.or(run.finished).unwrap_or(run.recorded_at).0),
        run.kind.to_string(),
        run.outcome.map_or("-".to_owned(), |outcome| outcome.to_string()),
        cut(run.agent.as_deref().unwrap_or("-"), NAME_COLUMNS),
        line.n_findings.to_string(),
        line.n_shown.to_string(),
        about(run),
    ]
}

/// What a run was about: its task, then its own account.
fn about(run: &Run) -> String {
    let parts = [run.task.as_deref(), run.summary.as_deref()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(": ")
}

/// Everything about one run.
pub fn run_story(story: &RunStory, width: usize) -> String {
    let run = &story.run;
    let mut out = hanging("", &head(run), width);
    if !story.summary.is_empty() {
        out += &hanging("  ", &story.summary, width);
    }
    out += "\n";
    out += &columns::facts(&facts(run), FACT_COLUMNS, width);
    out += &section("steps", &story.steps, width, step_line);
    if let Some(account) = &story.reflection {
        let title = format!("looked back on by {}", account.by);
        out += &section(&title, &told(account), width, |line, width| hanging("  ", line, width));
    }
    out += &section("findings", &story.findings, width, finding_line);
    out += &section("runs below it", &story.children, width, child_line);
    out += &section("shown to it", &story.injections, width, shown_line);
    out += &section("what that did", &story.effects, width, effect_lines);
    out += &section("lessons seen in it", &story.lessons, width, lesson_line);
    out + &section("related runs", &story.related, width, related_line)
}

/// What worked, what failed and what was decided, each in a line.
fn told(account: &AccountShown) -> Vec<String> {
    let AccountShown { worked, failed, decisions, .. } = account;
    let parts = [("worked", worked), ("failed", failed), ("decided", decisions)];
    let lines = parts.into_iter().flat_map(|(what, all)| all.iter().map(move |it| (what, it)));
    lines.map(|(what, it)| format!("- {what}: {it}")).collect()
}

fn head(run: &Run) -> String {
    let outcome = run.outcome.map_or(String::new(), |outcome| format!("{outcome} "));
    let agent = after(" by ", run.agent.as_ref());
    let role = after(" as ", run.role.as_ref());
    let parent = after(" in ", run.parent.as_ref());
    let note = if run.is_learned { "" } else { "; its record was not learned" };
    format!("{}: {outcome}{} run{agent}{role}{parent}{note}", run.id, run.kind)
}

fn facts(run: &Run) -> [(&'static str, String); 15] {
    let words = |all: &[String]| all.join(", ");
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    [
        ("when", when(run)),
        ("ended", run.ended.as_ref().map(ended).unwrap_or_default()),
        ("task", text(&run.task)),
        ("subtask", text(&run.subtask)),
        ("session", text(&run.session)),
        ("phase", text(&run.phase)),
        ("error", text(&run.error_class)),
        ("commit", text(&run.commit)),
        ("tools", words(&run.tools)),
        ("paths", words(&run.paths)),
        ("tags", words(&run.tags)),
        ("looked", words(&run.detectors)),
        ("used", used(&run.usage)),
        ("records", words(&run.trajectories)),
        ("logs", words(&run.logs)),
    ]
}

fn when(run: &Run) -> String {
    match (run.started.map(|at| at.0), run.finished.map(|at| at.0)) {
        (Some(started), Some(finished)) => format!("{} to {}", minute(started), minute(finished)),
        (Some(at), None) => format!("since {}", minute(at)),
        (None, Some(at)) => format!("until {}", minute(at)),
        (None, None) => format!("recorded {}", minute(run.recorded_at.0)),
    }
}

/// `stopped by the user; last check red: cargo test; red tests: a, b`.
fn ended(ended: &Ended) -> String {
    let cut = ended.cut_by.map(|by| match by.0 {
        CutBy::User => "stopped by the user".to_owned(),
        CutBy::Host => "stopped by an error of the host".to_owned(),
    });
    let command = after(": ", ended.checked.as_ref());
    let check = match ended.check {
        Some(check) => format!("last check {check}{command}"),
        None => "nothing was checked".to_owned(),
    };
    let red = (!ended.red_tests.is_empty()).then(|| ended.red_tests.join(", "));
    let red = red.map(|names| format!("red tests: {names}"));
    [cut, Some(check), red].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn used(usage: &Usage) -> String {
    let Usage { tokens_in, tokens_out, tokens_cached, cost_usd, duration_s } = usage;
    let parts = [
        tokens_in.map(|n| format!("{n} tokens in")),
        tokens_out.map(|n| format!("{n} tokens out")),
        tokens_cached.map(|n| format!("{n} cached")),
        cost_usd.map(|usd| format!("{usd:.2} USD")),
        duration_s.map(|seconds| format!("{seconds:.0} s")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// `2026-04-03 14:00`.
fn minute(at: Timestamp) -> String {
    let text = at.to_string();
    format!("{} {}", at.date(), text.get(11..16).unwrap_or_default())
}

/// A heading and its lines, the first few.
fn section<T>(title: &str, all: &[T], width: usize, line: impl Fn(&T, usize) -> String) -> String {
    let mut lines: String = all.iter().take(MAX_LINES).map(|one| line(one, width)).collect();
    if all.len() > MAX_LINES {
        lines += &format!("  (and {} more; --json lists all)\n", all.len() - MAX_LINES);
    }
    columns::section(title, &lines)
}

fn step_line(step: &Done, width: usize) -> String {
    let times = if step.n > 1 { format!(" ({} times)", step.n) } else { String::new() };
    let error = match (step.result.0, &step.error) {
        (StepResult::Failed, Some(error)) => format!(": {error}"),
        (StepResult::Failed | StepResult::Ok | StepResult::Unknown, _) => String::new(),
    };
    let result = padded(step.result.word(), 7, Side::Left);
    let line = format!("  {result} {} {}{times}{error}", step.tool, step.action);
    cut(&line, width) + "\n"
}

fn finding_line(finding: &Evidence, width: usize) -> String {
    let place = after(" ", finding.place());
    let lesson = finding.lesson.as_ref().map_or(String::new(), |id| format!(" [{id}]"));
    let Evidence { author, severity, text, .. } = finding;
    hanging("  - ", &format!("{severity} by {author}{place}{lesson}: {text}"), width)
}

fn child_line(line: &RunLine, width: usize) -> String {
    let RunLine { run, n_findings, .. } = line;
    let outcome = run.outcome.map_or("no outcome", |outcome| outcome.word());
    let found = counted(*n_findings, "finding");
    let text = format!("  {}: {} {outcome}, {found}  {}", run.id, run.kind, about(run));
    cut(text.trim_end(), width) + "\n"
}

fn shown_line(injection: &Shown, width: usize) -> String {
    let ids: Vec<String> = injection.lessons.iter().map(ToString::to_string).collect();
    let role = after(" to ", injection.role.as_ref());
    hanging("  ", &format!("{}{role}: {}", minute(injection.at.0), ids.join(", ")), width)
}

fn lesson_line(lesson: &Lesson, width: usize) -> String {
    let Lesson { id, state, text, .. } = lesson;
    cut(&format!("  {id} ({state}): {text}"), width) + "\n"
}

fn related_line(related: &Related, width: usize) -> String {
    let Related { run, reasons } = related;
    let outcome = run.outcome.map_or(String::new(), |outcome| format!(" ({outcome})"));
    hanging("  ", &format!("{}{outcome}: {}", run.id, reasons.join(", ")), width)
}

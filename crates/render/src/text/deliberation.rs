//! What was answered, found and tried: `runs deliberations`, `findings`, `tried`.

use hardwon_core::finding::life::LifeEvent;
use hardwon_core::gate::harmless;

use super::columns::{facts, hanging, headed_table};
use crate::answer::{
    AttemptLine, DeliberationLine, DeliberationShown, Deliberations, FindingLine, FindingStep,
    FindingStory, FindingsListed, Repeat, Tried,
};
use crate::record::counted;

const FACT_COLUMNS: usize = 10;

pub fn deliberations(found: &Deliberations, width: usize) -> String {
    if found.deliberations.is_empty() {
        return "no deliberations\n".to_owned();
    }
    let row = |it: &DeliberationLine| {
        let verdict = it.verdict.clone().unwrap_or_else(|| "-".to_owned());
        let head = [it.id.clone(), it.at.date(), it.role.clone(), verdict, it.run.to_string()];
        let score = it.score.map(|score| format!("{:.2} ", score.0)).unwrap_or_default();
        head.into_iter().chain([score + &it.summary]).collect::<Vec<String>>()
    };
    let rows = found.deliberations.iter().map(row);
    let more = if found.has_more { "more with --limit\n" } else { "" };
    headed_table("ID DATE ROLE VERDICT RUN SUMMARY", rows, width) + more
}

/// One answer in full.
pub fn deliberation(shown: &DeliberationShown, width: usize) -> String {
    let it = &shown.deliberation;
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let number = |value: Option<u64>| value.map(|n| n.to_string()).unwrap_or_default();
    let mut out = hanging("", &format!("{}: {} in {}", it.id, it.role, it.run), width);
    out += &hanging("  ", &it.summary, width);
    out += "\n";
    let about = [
        ("when", it.at.to_string()),
        ("verdict", text(&it.verdict)),
        ("evidence", it.grade.map(|grade| grade.to_string()).unwrap_or_default()),
        ("issue", text(&it.issue)),
        ("model", text(&it.model)),
        ("tokens", number(it.tokens)),
        ("ms", number(it.duration_ms)),
    ];
    out += &facts(&about, FACT_COLUMNS, width);
    match &shown.response {
        Some(response) => out + "\n" + &harmless(response) + "\n",
        None => out + "\n(the response is not kept)\n",
    }
}

pub fn findings(found: &FindingsListed, width: usize) -> String {
    if found.findings.is_empty() {
        return "no findings\n".to_owned();
    }
    let row = |it: &FindingLine| {
        let place = place(it).map_or(String::new(), |place| place + " ");
        let head =
            [it.id.clone(), it.state.to_string(), it.severity.to_string(), it.author.clone()];
        head.into_iter().chain([it.run.to_string(), place + &it.text]).collect::<Vec<String>>()
    };
    let rows = found.findings.iter().map(row);
    let more = match found.n_more {
        0 => String::new(),
        n => format!("{n} more with --limit\n"),
    };
    headed_table("ID STATE SEVERITY AUTHOR RUN FINDING", rows, width) + &more
}

/// One finding, and what became of it.
pub fn finding_story(story: &FindingStory, width: usize) -> String {
    let it = &story.finding;
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let mut out = hanging("", &format!("{}: {}", it.id, it.text), width) + "\n";
    let about = [
        ("state", it.state.to_string()),
        ("severity", it.severity.to_string()),
        ("author", it.author.clone()),
        ("where", place(it).unwrap_or_default()),
        ("rule", text(&it.rule)),
        ("repair", text(&it.repair)),
        ("lesson", it.lesson.as_ref().map(ToString::to_string).unwrap_or_default()),
    ];
    out += &facts(&about, FACT_COLUMNS, width);
    out += "\n";
    out.extend(story.life.iter().map(|step| hanging("  ", &life_line(step), width)));
    out
}

fn place(it: &FindingLine) -> Option<String> {
    let path = it.path.as_ref()?;
    Some(it.line.map_or_else(|| path.clone(), |line| format!("{path}:{line}")))
}

fn life_line(step: &FindingStep) -> String {
    let FindingStep { event, run, at, by } = step;
    let what = match event.0 {
        LifeEvent::Opened => "opened",
        LifeEvent::Again => "reported again",
        LifeEvent::Closed => "closed",
        LifeEvent::CameBack => "came back",
        LifeEvent::Dismissed => "ruled false",
    };
    let by = by.as_ref().map_or(String::new(), |by| format!(" by {by}"));
    format!("{} {what} in {run}{by}", at.as_ref().map_or("?".to_owned(), |at| at.date()))
}

/// What was tried at an issue.
pub fn tried(tried: &Tried, width: usize) -> String {
    let Tried { issue, n_failed, n_worked, n_iterations, attempts, repeats } = tried;
    if attempts.is_empty() {
        return format!("{issue}: nothing was tried yet\n");
    }
    let n_other = attempts.len() as u64 - n_failed - n_worked;
    let other = if n_other > 0 { format!(", {n_other} open or partial") } else { String::new() };
    let iterations = counted(u64::from(*n_iterations), "iteration");
    let mut out =
        format!("{issue}: {n_failed} failed, {n_worked} worked{other}, over {iterations}\n");
    out.extend(attempts.iter().map(|it| attempt_lines(it, width)));
    out.extend(repeats.iter().map(repeat_line));
    out
}

fn attempt_lines(it: &AttemptLine, width: usize) -> String {
    let result = it.result.map_or("open".to_owned(), |result| result.to_string());
    let nth = it.iteration.map_or(String::new(), |n| format!(" #{n}"));
    let claimed = if it.is_claim { " (only an agent says so)" } else { "" };
    let head = format!("  {}{nth} {result}{claimed}: ", it.at.date());
    let mut out = hanging(&head, &it.approach, width);
    let more = [("why", &it.why), ("next", &it.next)];
    for (name, text) in more.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?))) {
        out += &hanging(&format!("      {name}: "), text, width);
    }
    if !it.files.is_empty() {
        out += &hanging("      files: ", &it.files.join(", "), width);
    }
    out
}

fn repeat_line(it: &Repeat) -> String {
    let ended = it.result.map_or(String::new(), |result| format!(", which {result}"));
    let how = if it.likeness.0 >= 1.0 { "the same as" } else { "nearly the same as" };
    format!("TRIED BEFORE: {how} {} ({:.2}){ended}\n", it.attempt, it.likeness.0)
}

//! Which other runs are related to a run, and why? The same task or session says most, then
//! the same error, the same files and, least, the same tools.

use crate::episode::StepKind;
use crate::run::Run;
use crate::vocabulary::vocabulary;
use crate::words::{jaccard, sorted_unique};

vocabulary! {
    /// What two runs have in common.
    Relation {
        Task = "task",
        Session = "session",
        ErrorClass = "error_class",
        Paths = "paths",
        Tools = "tools",
    }
}

/// A run that is related to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Related<'a> {
    pub run: &'a Run,
    /// What they have in common, most telling first; never empty.
    pub reasons: Vec<Relation>,
    /// 0..1.
    pub score: f64,
}

/// Runs that are related to this one, closest first; of equal ones the newer first, then
/// by id.
pub fn related<'a>(run: &Run, others: &'a [Run]) -> Vec<Related<'a>> {
    let others = others.iter().filter(|other| other.id != run.id);
    let mut all: Vec<Related<'a>> = others.filter_map(|other| relate(run, other)).collect();
    let when = |run: &Run| run.started.unwrap_or(run.recorded_at);
    all.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then(when(b.run).cmp(&when(a.run))).then(a.run.id.cmp(&b.run.id))
    });
    all
}

fn relate<'a>(run: &Run, other: &'a Run) -> Option<Related<'a>> {
    // How much each says, all of them together 1; and how far both have it in common, 0..1.
    let shares = [
        (Relation::Task, 0.4, same(&run.task, &other.task)),
        (Relation::Session, 0.2, same(&run.episode.session, &other.episode.session)),
        (Relation::ErrorClass, 0.15, same(&run.episode.error_class, &other.episode.error_class)),
        (Relation::Paths, 0.2, jaccard(&paths(run), &paths(other))),
        (Relation::Tools, 0.05, jaccard(&tools(run), &tools(other))),
    ];
    let shared = || shares.iter().filter(|(_, _, share)| *share > 0.0);
    let sum: f64 = shared().map(|(_, weight, share)| weight * share).sum();
    let score = (sum * 1000.0).round() / 1000.0;
    let reasons: Vec<Relation> = shared().map(|(relation, ..)| *relation).collect();
    (!reasons.is_empty()).then_some(Related { run: other, reasons, score })
}

/// The files that a run names or edited.
fn paths(run: &Run) -> Vec<String> {
    let edits = run.episode.trail.iter().filter(|step| step.kind == StepKind::Edit);
    sorted_unique(run.paths.iter().chain(edits.map(|step| &step.action)).cloned().collect())
}

/// The tools that a run names or used.
fn tools(run: &Run) -> Vec<String> {
    let used = run.episode.trail.iter().map(|step| &step.tool);
    sorted_unique(run.tools.iter().chain(used).cloned().collect())
}

fn same(a: &Option<String>, b: &Option<String>) -> f64 {
    let is_same = |a: &String| b.as_ref().is_some_and(|b| a.eq_ignore_ascii_case(b));
    let is_same = a.as_ref().is_some_and(|a| !a.trim().is_empty() && is_same(a));
    if is_same { 1.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::samples::run;
    use crate::time::Timestamp;

    #[test]
    fn the_nearest_come_first_with_their_reasons() {
        let set = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let mut own = run("own");
        own.task = Some("T-1".into());
        own.episode.session = Some("s1".into());
        own.episode.error_class = Some("type".into());
        own.paths = set(&["a.rs", "b.rs"]);
        own.tools = set(&["bash"]);
        let task = Run { task: Some("t-1".into()), ..run("task") };
        let mut files =
            Run { paths: set(&["b.rs"]), tools: set(&["bash", "edit"]), ..run("files") };
        files.episode.error_class = Some("type".into());
        let old = Run { tools: set(&["bash"]), ..run("old") };
        let new = Run { recorded_at: Timestamp(5), ..Run { id: run("new").id, ..old.clone() } };
        let twin = Run { id: run("oldtwin").id, ..old.clone() };
        let others = [run("none"), twin, old, new, files, task, own.clone()];
        let shown: Vec<String> = related(&own, &others)
            .iter()
            .map(|one| {
                let reasons: Vec<&str> = one.reasons.iter().map(|why| why.word()).collect();
                format!("{} {} {}", one.run.id, one.score, reasons.join("+"))
            })
            .collect();
        let expected = [
            "task 0.4 task",
            "files 0.275 error_class+paths+tools",
            "new 0.05 tools",
            "old 0.05 tools",
            "oldtwin 0.05 tools",
        ];
        assert_eq!(shown, expected);
    }
}

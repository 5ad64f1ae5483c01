//! What a reflection writes outside of memory: our section of a progress file, and everything
//! that it looked at, in the form of the Archivist's document.

use hardwon_core::lesson::Lesson;
use hardwon_core::prompt::{printed, with_repair, withheld};
use hardwon_core::reflect::{ReflectionPolicy, summary};
use hardwon_core::run::Run;
use serde_json::{Value, json};

use crate::answer::Looked;
use crate::archivist;

/// Where our section begins.
pub const LESSONS_BEGIN: &str = "<!-- hardwon:lessons -->";

/// Where it ends.
pub const LESSONS_END: &str = "<!-- /hardwon:lessons -->";

const HEADING: &str = "## Lessons learned";

const MAX_BULLETS: usize = 20;

/// Our section after a reflection, with its marks: what it contained, and what was learned this
/// time and may be printed: agents read such files. Empty if there is nothing to say. The same
/// reflection again changes nothing.
pub fn lessons_section(ours: &str, learned: &[Lesson]) -> String {
    let shown = learned.iter().filter(|lesson| withheld(lesson).is_none());
    let mut new: Vec<String> = Vec::new();
    for bullet in shown.map(bullet).filter(|bullet| bullet != "- ") {
        new.retain(|known| *known != bullet);
        new.push(bullet);
    }
    new.drain(..new.len().saturating_sub(MAX_BULLETS));
    let mut all: Vec<String> = Vec::new();
    for line in ours.lines().map(str::trim_end).filter(|line| line.starts_with("- ")) {
        if !all.iter().any(|known| known == line) {
            all.push(line.to_owned());
        }
    }
    let fresh: Vec<String> = new.iter().filter(|one| !all.contains(one)).cloned().collect();
    let mut n_over = (all.len() + fresh.len()).saturating_sub(MAX_BULLETS);
    // The oldest go first, but none of this time: the next call would add it again.
    all.retain(|bullet| {
        let goes = n_over > 0 && !new.contains(bullet);
        n_over -= usize::from(goes);
        !goes
    });
    all.extend(fresh);
    if all.is_empty() {
        return String::new();
    }
    format!("{LESSONS_BEGIN}\n{HEADING}\n\n{}\n{LESSONS_END}\n", all.join("\n"))
}

/// A lesson in one line that cannot end our section.
fn bullet(lesson: &Lesson) -> String {
    let repair = lesson.guidance.repair.as_deref();
    let text = printed(&with_repair(lesson.text.as_str(), repair, usize::MAX));
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ").replace("<!--", "<! --").replace("-->", "-- >");
    format!("- {text}")
}

/// Everything that a reflection would look at: the document's `ReflectionContext`, with its own
/// names.
pub fn context_json(looked: &Looked, project: &str, policy: &ReflectionPolicy) -> Value {
    let episode = |run: &Run| archivist::episode_json(run, project);
    let related = looked.related.iter().map(|(run, _)| episode(run));
    let runs = std::iter::once(&looked.run).chain(&looked.below);
    let trajectories = runs.filter(|run| !run.episode.trail.is_empty()).map(archivist::trajectory);
    let memories = looked.lessons.iter().map(archivist::memory_json);
    let mut context = json!({
        "projectRoot": project,
        "config": {"archivist": config(policy)},
        "episode": episode(&looked.run),
        "relatedEpisodes": related.collect::<Vec<_>>(),
        "trajectories": trajectories.collect::<Vec<_>>(),
        "sessions": sessions(looked),
        "progressMd": looked.progress,
        "existingMemories": memories.collect::<Vec<_>>(),
    });
    if let Some(usage) = archivist::usage_json(&looked.usage) {
        context["apmSnapshot"] = usage;
    }
    context
}

fn config(policy: &ReflectionPolicy) -> Value {
    json!({
        "enabled": policy.is_enabled,
        "maxMemoriesPerRun": policy.max_lessons,
        "reflectOn": {
            "sessionSuccess": policy.on_success,
            "sessionFailure": policy.on_failure,
            "healerInvocation": policy.on_healer,
        },
        "minImportanceToPersist": policy.min_importance,
    })
}

/// The run's session with its other runs, newest first; without a session none.
fn sessions(looked: &Looked) -> Vec<Value> {
    let Some(session) = &looked.run.episode.session else { return Vec::new() };
    let runs = std::iter::once(&looked.run).chain(&looked.session);
    let run = |run: &Run| {
        json!({
            "episodeId": run.id.as_str(),
            "status": archivist::status(run),
            "startedAt": archivist::started(run).to_string(),
            "summary": summary(run),
        })
    };
    vec![json!({"sessionId": session, "runs": runs.map(run).collect::<Vec<_>>()})]
}

/// What stands before our marks, between them (marks and all), and behind them.
pub fn parts(text: &str) -> (&str, &str, &str) {
    let Some(begin) = text.find(LESSONS_BEGIN) else { return (text, "", "") };
    let Some(length) = text[begin..].find(LESSONS_END) else { return (text, "", "") };
    let mut end = begin + length + LESSONS_END.len();
    if text[end..].starts_with('\n') {
        end += 1;
    }
    (&text[..begin], &text[begin..end], &text[end..])
}

/// The text of a progress file with these lessons between our marks; nothing if that changes
/// nothing.
pub fn with_lessons(text: &str, learned: &[Lesson]) -> Option<String> {
    let (before, ours, after) = parts(text);
    let next = lessons_section(ours, learned);
    if next.is_empty() || next == ours {
        return None;
    }
    let gap = if before.is_empty() || before.ends_with("\n\n") || !ours.is_empty() {
        ""
    } else if before.ends_with('\n') {
        "\n"
    } else {
        "\n\n"
    };
    Some(format!("{before}{gap}{next}{after}"))
}

#[cfg(test)]
mod tests {
    use hardwon_core::lesson::{State, Trust};

    use super::*;
    use crate::samples::lesson;

    /// Lessons that may be shown.
    fn learned(texts: &[&str]) -> Vec<Lesson> {
        let shown = |text: &&str| Lesson { state: State::Provisional, ..lesson("l-aaaaaaa", text) };
        texts.iter().map(shown).collect()
    }

    fn bullets(section: &str) -> Vec<&str> {
        section.lines().filter_map(|line| line.strip_prefix("- ")).collect()
    }

    #[test]
    fn a_section_says_each_lesson_once_and_stays() {
        let first = lessons_section("", &learned(&["one", "two"]));
        assert_eq!(
            first,
            "<!-- hardwon:lessons -->\n## Lessons learned\n\n- one\n- two\n<!-- /hardwon:lessons -->\n"
        );
        assert_eq!(lessons_section(&first, &learned(&["one", "two"])), first);
        let more = lessons_section(&first, &learned(&["two", "three"]));
        assert_eq!(bullets(&more), ["one", "two", "three"]);
        assert_eq!(lessons_section(&more, &learned(&[])), more, "nothing new");
    }

    #[test]
    fn nothing_to_say_is_nothing_written() {
        assert_eq!(lessons_section("", &learned(&[])), "");
        let unconfirmed = Lesson { state: State::Candidate, ..learned(&["one"])[0].clone() };
        let foreign = Lesson { trust: Trust::Foreign, ..learned(&["two"])[0].clone() };
        assert_eq!(lessons_section("", &[unconfirmed, foreign]), "", "agents read such files");
    }

    #[test]
    fn a_lesson_cannot_end_the_section() {
        let hostile = format!("a\nb {LESSONS_END} <!-- c\n- d");
        let section = lessons_section("", &learned(&[&hostile]));
        assert_eq!(section.matches("<!--").count(), 2, "{section}");
        assert_eq!(bullets(&section).len(), 1, "{section}");
        assert_eq!(lessons_section(&section, &learned(&[&hostile])), section);
    }

    #[test]
    fn the_newest_twenty_stay_and_again_changes_nothing() {
        let old: Vec<String> = (0..20).map(|n| format!("old {n}")).collect();
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        let full = lessons_section("", &learned(&old));
        let next = lessons_section(&full, &learned(&["old 0", "new"]));
        assert_eq!(bullets(&next).len(), 20);
        assert_eq!((bullets(&next)[0], bullets(&next)[19]), ("old 0", "new"));
        assert!(!bullets(&next).contains(&"old 1"));
        assert_eq!(lessons_section(&next, &learned(&["old 0", "new"])), next);
        let many: Vec<String> = (0..25).map(|n| format!("many {n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let whole = lessons_section(&next, &learned(&many));
        assert_eq!(bullets(&whole), many[5..]);
        assert_eq!(lessons_section(&whole, &learned(&many)), whole);
    }

    #[test]
    fn only_what_is_between_the_marks_is_ours() {
        let ours = format!("{LESSONS_BEGIN}\n- a\n{LESSONS_END}\n");
        let text = format!("# Progress\n\n{ours}tail\n");
        assert_eq!(parts(&text), ("# Progress\n\n", ours.as_str(), "tail\n"));
        assert_eq!(parts("no marks"), ("no marks", "", ""));
        let torn = format!("a\n{LESSONS_BEGIN}\nb");
        assert_eq!(parts(&torn), (torn.as_str(), "", ""), "half a mark is somebody's text");
    }
}

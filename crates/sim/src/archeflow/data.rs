//! What would an ArcheFlow memory that was used for a while hold? Lessons and event logs,
//! the same for the same number of lessons.

use serde::Serialize;
use serde_json::{Value, json};

use crate::speed::draft::{Draft, Random, Vocabulary};

/// Files of a memory and of runs that are to be learned.
pub struct Data {
    pub n_lessons: u64,
    /// `lessons.jsonl`.
    pub lessons: String,
    /// Times that the last lesson was seen.
    pub last_frequency: u64,
    /// A log with one finding, which nobody knows.
    pub new: String,
    /// A log with that finding and one that is the last lesson in other words.
    pub both: String,
}

/// Sets these texts apart from those of other benches.
const PROJECT: u64 = 7;
/// So long a text shares half of its words with another only if it is the same.
const N_WORDS_OF_LONG: usize = 14;
const LAST_FREQUENCY: u64 = 3;
/// Runs that this memory has seen; the run that is learned is none of them.
const N_RUNS: u64 = 60;
const RUN: &str = "run-coming";

const ARCHETYPES: &[&str] = &["guardian", "skeptic", "sage", "trickster"];
const SEVERITIES: &[&str] = &["warning", "warning", "bug", "critical"];
const DOMAINS: &[&str] = &["code", "code", "code", "general", "writing"];

impl Data {
    pub fn new(n_lessons: u64) -> Self {
        let vocabulary = Vocabulary::new();
        let last = long_number(&vocabulary, n_lessons);
        let unknown = vocabulary.draft(PROJECT, long_number(&vocabulary, last + 1));
        let mut lessons: String = (1..n_lessons)
            .map(|number| line(&lesson(number, &vocabulary.draft(PROJECT, number))))
            .collect();
        lessons.push_str(&line(&last_lesson(n_lessons, &vocabulary.draft(PROJECT, last))));
        let known = vocabulary.retold(PROJECT, last, 1);
        Data {
            n_lessons,
            lessons,
            last_frequency: LAST_FREQUENCY,
            new: log(&[&unknown]),
            both: log(&[&unknown, &known]),
        }
    }
}

/// The first draft from this number on that is long.
fn long_number(vocabulary: &Vocabulary, from: u64) -> u64 {
    let n_words = |number| vocabulary.draft(PROJECT, number).text.split(' ').count();
    (from..).find(|number| n_words(*number) >= N_WORDS_OF_LONG).expect("some draft is long")
}

/// One line of `lessons.jsonl`, with the fields in ArcheFlow's order.
#[derive(Serialize)]
struct Lesson<'a> {
    id: String,
    ts: String,
    run_id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    source: &'static str,
    description: String,
    frequency: u64,
    severity: &'static str,
    domain: &'static str,
    tags: Vec<&'a str>,
    archetype: Option<&'static str>,
    last_seen_run: String,
    runs_since_last_seen: u64,
}

/// There is no preference among them: the documents do not say what becomes of one that
/// stands behind ten frequent lessons.
fn lesson(number: u64, draft: &Draft) -> Lesson<'_> {
    let random = &mut Random::seeded(&[PROJECT, number, 1]);
    let source = random.pick(ARCHETYPES);
    let (kind, archetype) = match random.below(10) {
        0 => ("archetype_hint", Some(source)),
        1 => ("anti_pattern", None),
        _ => ("pattern", None),
    };
    let run = format!("run-{:03}", random.below(N_RUNS));
    Lesson {
        id: format!("m-{number:03}"),
        ts: format!("2026-03-{:02}T10:{:02}:00Z", 1 + random.below(28), random.below(60)),
        run_id: run.clone(),
        kind,
        source,
        description: sentence(&draft.text),
        frequency: frequency(random),
        severity: random.pick(SEVERITIES),
        domain: random.pick(DOMAINS),
        tags: tags(&draft.text),
        archetype,
        last_seen_run: run,
        runs_since_last_seen: random.below(10),
    }
}

/// The one that is seen again. Decay leaves it alone.
fn last_lesson(number: u64, draft: &Draft) -> Lesson<'_> {
    Lesson { frequency: LAST_FREQUENCY, runs_since_last_seen: 4, ..lesson(number, draft) }
}

/// Most lessons were seen once, few often.
fn frequency(random: &mut Random) -> u64 {
    match random.below(100) {
        0..60 => 1,
        60..93 => 2 + random.below(3),
        _ => 5 + random.below(8),
    }
}

/// As reviewers write: a capital first, a full stop last.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).chain(['.']).collect()
}

fn tags(text: &str) -> Vec<&str> {
    text.split(' ').filter(|word| word.len() >= 4).take(5).collect()
}

/// An event log of a run that found this.
fn log(drafts: &[&Draft]) -> String {
    let finding = |draft: &&Draft| {
        json!({
            "severity": "warning", "description": sentence(&draft.text),
            "category": draft.category, "location": format!("{}:12", draft.path),
            "fix_required": true,
        })
    };
    let findings: Vec<Value> = drafts.iter().map(finding).collect();
    let verdict = json!({ "archetype": "guardian", "verdict": "REJECTED", "findings": findings });
    [
        event(1, "run.start", "plan", json!({ "task": "a bench", "domain": "code" })),
        event(2, "review.verdict", "check", verdict),
        event(3, "run.complete", "act", json!({ "status": "completed" })),
    ]
    .iter()
    .map(line)
    .collect()
}

fn event(seq: u64, kind: &str, phase: &str, data: Value) -> Value {
    let parent: Vec<u64> = (1..seq).rev().take(1).collect();
    json!({
        "ts": format!("2026-04-01T10:00:{seq:02}Z"), "run_id": RUN, "seq": seq,
        "parent": parent, "type": kind, "phase": phase, "agent": null, "data": data,
    })
}

fn line(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).expect("plain data can be written");
    json + "\n"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn data_is_the_same_for_the_same_number() {
        let (a, b) = (Data::new(50), Data::new(50));
        assert_eq!((&a.lessons, &a.new, &a.both), (&b.lessons, &b.new, &b.both));
        assert_eq!(a.lessons.lines().count(), 50);
        assert!(a.lessons.starts_with("{\"id\":\"m-001\",\"ts\":"), "{}", a.lessons);
    }

    #[test]
    fn only_the_last_lesson_is_seen_again_and_the_other_finding_is_new() {
        let data = Data::new(1000);
        let lessons: Vec<BTreeSet<String>> =
            data.lessons.lines().map(|line| words(&parsed(line)["description"])).collect();
        let findings = parsed(data.both.lines().nth(1).unwrap())["data"]["findings"].clone();
        let alike = |finding: &Value| -> Vec<usize> {
            let sought = words(&finding["description"]);
            let is_alike =
                |known: &BTreeSet<String>| sought.intersection(known).count() * 2 >= sought.len();
            (0..lessons.len()).filter(|index| is_alike(&lessons[*index])).collect()
        };
        assert_eq!(alike(&findings[0]), Vec::<usize>::new());
        assert_eq!(alike(&findings[1]), [999]);
    }

    #[test]
    fn some_lessons_are_due_and_some_of_those_go() {
        let data = Data::new(100);
        let lessons: Vec<Value> = data.lessons.lines().map(parsed).collect();
        let due = lessons.iter().filter(|lesson| lesson["runs_since_last_seen"] == 9);
        let frequencies: BTreeSet<u64> = due.filter_map(|l| l["frequency"].as_u64()).collect();
        assert!(frequencies.contains(&1) && frequencies.len() > 1, "{frequencies:?}");
    }

    fn parsed(line: &str) -> Value {
        serde_json::from_str(line).expect("a line is JSON")
    }

    fn words(text: &Value) -> BTreeSet<String> {
        let text = text.as_str().unwrap_or_default().to_ascii_lowercase();
        let words = text.split(|c: char| !c.is_ascii_alphanumeric());
        words.filter(|word| word.len() >= 3).map(str::to_owned).collect()
    }
}

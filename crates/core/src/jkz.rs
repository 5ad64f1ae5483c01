//! jkz's words for what is kept here: whose pattern a lesson is, what counts for and against
//! it, which one a text speaks of, and what its number and its state are there.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::LessonId;
use crate::lesson::{Lesson, State};
use crate::need::Need;
use crate::policy::JkzRank;
use crate::run::{Judgement, Run};
use crate::scope::Dimension;
use crate::words::{jaccard, unique_words};

/// Shared words over all words of two texts from which a ruling is about a pattern. How alike
/// jkz wants them is not published: ours.
const SPEAKS_OF: f64 = 0.6;

/// A text shorter than this occurs in patterns by chance.
const MIN_PART_WORDS: usize = 3;

/// Our states by jkz's names for them. The others are unknown there.
const STATES: &[(State, &str)] = &[
    (State::Candidate, "observed"),
    (State::Provisional, "candidate"),
    (State::Stable, "verified"),
    (State::Canonical, "active"),
    (State::Decayed, "deprecated"),
];

/// What jkz calls a state.
pub fn state_word(state: State) -> Option<&'static str> {
    STATES.iter().find(|(own, _)| *own == state).map(|(_, word)| *word)
}

/// The state that jkz calls so.
pub fn state_of(word: &str) -> Option<State> {
    STATES.iter().find(|(_, known)| *known == word).map(|(state, _)| *state)
}

/// jkz's names for states, from first to last.
pub fn state_words() -> Vec<&'static str> {
    STATES.iter().map(|(_, word)| *word).collect()
}

/// Whose pattern a lesson is, seen by the role that is about to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Belonging {
    /// The role's own, or nobody's in particular.
    Own,
    /// A role's whose work is of the same sort.
    Via(String),
    /// Only of roles whose work is of another sort.
    Other(String),
}

/// The roles whose pattern a lesson is: the one that it is meant for, else those that reported
/// it.
pub fn roles(lesson: &Lesson) -> Vec<&str> {
    match lesson.scope.0.get(&Dimension::Role) {
        Some(role) => vec![role.as_str()],
        None => lesson.detectors.iter().map(String::as_str).collect(),
    }
}

/// Whether a lesson is this role's pattern, whoever else's it is.
pub fn is_of(lesson: &Lesson, role: &str) -> bool {
    roles(lesson).iter().any(|own| own.eq_ignore_ascii_case(role))
}

/// Whose pattern a lesson is for a need. A need without a role, and a policy without sorts, set
/// none apart.
pub fn belonging(lesson: &Lesson, need: &Need, policy: &JkzRank) -> Belonging {
    let Some(reader) = need.role.as_deref().filter(|_| !policy.sorts.is_empty()) else {
        return Belonging::Own;
    };
    let roles = roles(lesson);
    if roles.is_empty() || is_of(lesson, reader) {
        return Belonging::Own;
    }
    let is_alike = |role: &&&str| sort(role, policy) == sort(reader, policy);
    match roles.iter().find(is_alike) {
        Some(role) => Belonging::Via((*role).to_lowercase()),
        None => Belonging::Other(roles.join(", ")),
    }
}

/// The sort of a role; `None` is a sort as well, that of the rest.
fn sort<'a>(role: &str, policy: &'a JkzRank) -> Option<&'a str> {
    let is_in = |roles: &[String]| roles.iter().any(|own| own.eq_ignore_ascii_case(role));
    let found = policy.sorts.iter().find(|(_, roles)| is_in(roles));
    found.map(|(name, _)| name.as_str())
}

/// Successes: runs in which it was seen, times it helped, and one for a person who stated or
/// approved it.
pub fn n_success(lesson: &Lesson) -> u32 {
    lesson.n_sightings + lesson.effects.n_helped + u32::from(lesson.is_persons())
}

/// Rulings against it.
pub fn n_ignored(lesson: &Lesson) -> u32 {
    lesson.effects.n_contradicted + lesson.effects.n_hurt
}

/// What one ruling against it weighs: the heaviest of the roles whose pattern it is.
pub fn weight_of_role(lesson: &Lesson, policy: &JkzRank) -> f64 {
    let weight = |role: &str| policy.ignore_weight_by_role.get(&role.to_lowercase()).copied();
    let scope = lesson.scope.0.get(&Dimension::Role);
    let roles = lesson.detectors.iter().chain(scope);
    let known = roles.filter_map(|role| weight(role)).reduce(f64::max);
    known.unwrap_or(policy.ignore_weight)
}

/// What all rulings against it weigh: each as its role's do, and what callers said otherwise.
pub fn ignore_weight(lesson: &Lesson, policy: &JkzRank) -> f64 {
    let by_role = f64::from(n_ignored(lesson)) * weight_of_role(lesson, policy);
    (by_role + f64::from(lesson.upkeep.ignored_thousandths) / 1000.0).max(0.0)
}

/// The contexts in which a pattern was stored, once it is stored again: those that are known of
/// it count as one, and labels or top folders that are not among them as another.
pub fn contexts(known: &Lesson, labels: &[String], files: &[String]) -> BTreeSet<String> {
    let of = |tags: &[String], paths: &[String]| -> BTreeSet<String> {
        let top = |path: &String| path.split_once('/').map(|(folder, _)| format!("{folder}/"));
        let labels = tags.iter().map(|tag| tag.trim().to_lowercase());
        labels.chain(paths.iter().filter_map(top)).collect()
    };
    let (before, now) = (of(&known.tags, &known.paths), of(labels, files));
    let joined = |parts: &BTreeSet<String>| parts.iter().cloned().collect::<Vec<_>>().join(" ");
    let is_new = !now.is_subset(&before);
    let all = [Some(&before), Some(&now).filter(|_| is_new)];
    all.into_iter().flatten().filter(|parts| !parts.is_empty()).map(joined).collect()
}

/// How a text was found to speak of a pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FoundBy {
    /// One holds the other, word for word.
    Text,
    /// So much of their words is the same.
    Words(f64),
}

/// The pattern that a text speaks of: one that holds it or that it holds, the nearest in
/// length; else the one with which it shares most words.
pub fn spoken_of<'a>(lessons: &'a [Lesson], text: &str) -> Option<(&'a Lesson, FoundBy)> {
    let wanted = folded(text);
    let n_chars = |text: &str| text.chars().count();
    let held = lessons.iter().filter(|lesson| {
        let own = folded(lesson.text.as_str());
        let short = if own.len() < wanted.len() { &own } else { &wanted };
        let is_long = short.split(' ').count() >= MIN_PART_WORDS;
        own == wanted || is_long && (own.contains(&wanted) || wanted.contains(&own))
    });
    let distance = |lesson: &&Lesson| n_chars(lesson.text.as_str()).abs_diff(n_chars(text));
    if let Some(found) = held.min_by_key(|lesson| (distance(lesson), lesson.id.clone())) {
        return Some((found, FoundBy::Text));
    }
    let words = unique_words(text);
    let share = |lesson: &Lesson| jaccard(&words, &unique_words(lesson.text.as_str()));
    let shares = lessons.iter().map(|lesson| (share(lesson), lesson));
    let best = shares.max_by(|(x, a), (y, b)| x.total_cmp(y).then_with(|| b.id.cmp(&a.id)));
    let (share, lesson) = best.filter(|(share, _)| *share >= SPEAKS_OF)?;
    Some((lesson, FoundBy::Words(share)))
}

fn folded(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").trim_end_matches(['.', '!']).to_lowercase()
}

/// The numbers of lessons: the how-manieth of its project each was. A lesson that came back after
/// an undo has the number that it had.
pub fn numbers(added: Vec<LessonId>) -> BTreeMap<LessonId, u64> {
    added.into_iter().zip(1..).collect()
}

/// What a pattern can be reinforced by.
#[derive(Clone, Debug, PartialEq)]
pub enum Ground<'a> {
    /// A run that the role passed, with something that was run or cited.
    Run(&'a Run),
    /// Nothing, and why.
    Nothing(String),
}

/// The newest run in which this role gave a verdict that passed the work, and whether it is a
/// ground. Runs come newest first.
pub fn ground<'a>(runs: &'a [Run], role: &str) -> Ground<'a> {
    let verdict = |run: &'a Run| {
        let own = run.judgements.iter().find(|(name, _)| name.eq_ignore_ascii_case(role));
        own.map(|(_, judgement)| (run, *judgement))
    };
    let passed = |(_, judgement): &(&Run, Judgement)| *judgement != Judgement::Failed;
    match runs.iter().filter_map(verdict).find(passed) {
        Some((run, Judgement::Passed)) => Ground::Run(run),
        Some((run, _)) => Ground::Nothing(format!(
            "{role} passed {} by reasoning only: nothing was executed or cited",
            run.id
        )),
        None => Ground::Nothing(format!("no PASS of {role} is known here")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Gate;
    use crate::lesson::{Kind, Origin};
    use crate::time::Timestamp;

    fn lesson(id: &str, text: &str) -> Lesson {
        let text = Gate::standard().line(text);
        Lesson::stub(LessonId::given(id), None, Kind::Pattern, text, Timestamp(0))
    }

    /// seed-facts 4.2: observed (1), candidate (2), verified, active, deprecated.
    #[test]
    fn facts_4_2_states_have_two_names() {
        let words = ["observed", "candidate", "verified", "active", "deprecated"];
        assert_eq!(state_words(), words);
        for word in words {
            assert_eq!(state_of(word).and_then(state_word), Some(word));
        }
        assert_eq!(state_of("provisional"), None, "our words are not theirs");
        assert_eq!(state_word(State::Quarantined), None);
    }

    /// seed-facts 4.2: false positives are located by exact substring, then token overlap.
    #[test]
    fn facts_4_2_a_ruling_is_located_by_text_then_by_words() {
        let lessons = [
            lesson("l-a", "Rate limiter is created per request and never shared"),
            lesson("l-b", "Rate limiter is created per request and never shared between workers"),
            lesson("l-c", "Session token is logged in plain text"),
        ];
        let found = |text: &str| {
            let found = spoken_of(&lessons, text);
            found.map(|(lesson, by)| (lesson.id.as_str(), by == FoundBy::Text))
        };
        assert_eq!(
            found("rate limiter is created per  request and never shared."),
            Some(("l-a", true))
        );
        assert_eq!(found("session token is logged"), Some(("l-c", true)));
        assert_eq!(found("The session token was logged as plain text"), Some(("l-c", false)));
        assert_eq!(found("token"), None, "one word says nothing");
        assert_eq!(found("The cache of sessions is never emptied"), None);
    }

    #[test]
    fn part_1_line_4_what_a_person_stated_is_one_success() {
        let stated = Lesson { origin: Origin::User, ..lesson("l-a", "Use one limiter") };
        assert_eq!(n_success(&stated), 1);
        assert_eq!(n_success(&Lesson { n_sightings: 2, ..stated }), 3);
        assert_eq!(n_success(&lesson("l-b", "Use one limiter")), 0);
    }
}

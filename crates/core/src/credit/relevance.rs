//! Was a run about what a lesson says? Only then does its success speak for the lesson.

use std::collections::BTreeSet;

use crate::lesson::Lesson;
use crate::policy::CreditPolicy;
use crate::rank::same_file;
use crate::run::Run;
use crate::scope::Dimension;
use crate::words::unique_words;

/// Why a lesson matters to runs, to be put behind a sentence; `None` if nothing shows that it does.
/// Empty where the policy does not ask.
pub(super) fn relevance(lesson: &Lesson, runs: &[Run], policy: &CreditPolicy) -> Option<String> {
    let n_wanted = policy.relevant_words as usize;
    if n_wanted == 0 {
        return Some(String::new());
    }
    let looked = |name: &&String| {
        let mut all = runs.iter().flat_map(|run| &run.detectors);
        all.any(|ran| ran.eq_ignore_ascii_case(name))
    };
    if let Some(name) = lesson.detectors.iter().find(looked) {
        return Some(format!(", and {name} looked"));
    }
    if let Some(place) = shared_place(lesson, runs) {
        return Some(format!(" on {place}"));
    }
    let shared = shared_words(lesson, runs);
    let why = || format!(" on {}", shared.iter().cloned().collect::<Vec<_>>().join(", "));
    (shared.len() >= n_wanted).then(why)
}

/// A path that both name, or a surface of the run that the lesson names.
fn shared_place<'a>(lesson: &Lesson, runs: &'a [Run]) -> Option<&'a str> {
    let is_known = |place: &str| lesson.paths.iter().any(|path| same_file(path, place));
    let paths = runs.iter().flat_map(|run| &run.paths).map(String::as_str);
    let mut places = paths.chain(runs.iter().flat_map(Run::surfaces));
    places.find(|place| is_known(place) || says(lesson.text.as_str(), place))
}

/// Whether a text holds a name as a whole: `src/api` is not in `src/apidoc`.
fn says(text: &str, name: &str) -> bool {
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    let is_inside = |c: char| c.is_alphanumeric() || "_-/.".contains(c);
    let ends = |at: usize| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].trim_start_matches('.').chars().next();
        !before.is_some_and(is_inside) && !after.is_some_and(is_inside)
    };
    !name.is_empty() && text.match_indices(&name).any(|(at, _)| ends(at))
}

/// Whether runs say what they are about, and a lesson shares neither a task nor a word with that. A
/// number of a ticket says nothing.
pub(super) fn is_other_work(lesson: &Lesson, runs: &[Run]) -> bool {
    let task = lesson.scope.0.get(&Dimension::Task);
    let is_its_task = task.is_some() && runs.iter().any(|run| run.task.as_ref() == task);
    let mut told = told_words(runs);
    told.retain(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 2);
    let mut own = lesson.paths.iter().map(String::as_str).chain([lesson.text.as_str()]);
    let is_said = own.any(|it| unique_words(it).iter().any(|word| told.contains(word)));
    !is_its_task && !told.is_empty() && !is_said
}

/// Content words of the lesson that also stand in the title, the goal or the scope of the work.
fn shared_words(lesson: &Lesson, runs: &[Run]) -> BTreeSet<String> {
    let told = told_words(runs);
    let own = unique_words(lesson.text.as_str()).into_iter();
    own.filter(|word| told.contains(word)).collect()
}

fn told_words(runs: &[Run]) -> BTreeSet<String> {
    let told = |run: &Run| {
        let words = run.task.iter().chain(&run.episode.summary).chain(&run.paths);
        words.flat_map(|words| unique_words(words)).collect::<Vec<_>>()
    };
    runs.iter().flat_map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::says;

    #[test]
    fn a_surface_is_named_as_a_whole() {
        for text in ["Check src/api before a merge", "It is in src/api.", "(src/api)"] {
            assert!(says(text, "src/api"), "{text}");
        }
        for text in ["Check src/apidoc", "Check my-src/api", "src/api/v2 is old", ""] {
            assert!(!says(text, "src/api"), "{text}");
        }
        assert!(!says("anything", ""));
    }
}

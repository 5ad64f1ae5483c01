//! What is kept of an answer, and what is struck when there is too much of them?

use std::collections::BTreeSet;

use super::Deliberation;
use crate::change::{Change, Erasure};
use crate::digest::{base32, sha256};
use crate::event::{DeliberationStated, MAX_RESPONSE_BYTES};
use crate::gate::{Gate, first_chars};
use crate::ids::LessonId;
use crate::run::Run;
use crate::text::{Text, TextId};

/// Longest summary, in characters.
const MAX_SUMMARY_CHARS: usize = 300;

/// A response that is shorter than this is not struck: it takes no room.
const MIN_STRUCK_BYTES: usize = 200;

/// What a record states, cleaned and redacted. A store in another system's files has no place for
/// the response.
pub fn admitted(
    gate: &Gate,
    stated: &DeliberationStated,
    run: &Run,
    keeps_response: bool,
) -> Deliberation {
    let word = |raw: &Option<String>| raw.as_deref().and_then(|raw| gate.word(raw));
    let role = gate.word(&stated.role).unwrap_or_else(|| "unknown".to_owned());
    let response = gate.passage(stated.response.as_deref().unwrap_or_default(), MAX_RESPONSE_BYTES);
    let summary = stated.summary.as_deref().filter(|given| !given.trim().is_empty());
    let summary = gate.line(summary.unwrap_or_else(|| first_sentence(response.as_str())));
    let summary = first_chars(summary.as_str(), MAX_SUMMARY_CHARS).to_owned();
    let stated_at = stated.at.map_or(String::new(), |at| at.0.to_string());
    let parts = [run.id.as_str(), &role, response.as_str(), &summary, &stated_at];
    Deliberation {
        id: format!("d-{}", &base32(&sha256(&parts))[..12]),
        run: run.id.clone(),
        role,
        verdict: word(&stated.verdict).map(|word| word.to_lowercase()),
        summary,
        grade: stated.grade,
        model: word(&stated.model),
        issue: word(&stated.issue),
        n_tokens: stated.tokens,
        duration_ms: stated.duration_ms,
        at: stated.at.or(run.finished).or(run.started).unwrap_or(run.recorded_at),
        response: if keeps_response { response } else { Text::erased() },
    }
}

/// The first sentence that says something: no heading, no mark, no comment of a machine.
fn first_sentence(response: &str) -> &str {
    let is_prose = |line: &&str| {
        let has_words =
            line.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic));
        !line.starts_with(['#', '|', '`', '<', '{', '}', '[', '"']) && has_words.count() > 2
    };
    let line = response.lines().map(str::trim).find(is_prose);
    let line = line.or_else(|| response.lines().map(str::trim).find(|line| !line.is_empty()));
    let line = line.unwrap_or_default().trim_start_matches(['-', '*', '>', ' ']);
    let ends = line.match_indices(['.', '!', '?']).map(|(at, end)| at + end.len());
    let is_end = |at: &usize| line[*at..].starts_with(' ');
    ends.into_iter().find(is_end).map_or(line, |end| &line[..end])
}

/// What to strike, oldest first, so that responses of `n_bytes` in all take at most nine tenths of
/// what they may: then it has not to be done at every write. Nothing while they fit.
pub fn struck(oldest: &[Deliberation], n_bytes: u64, max_bytes: u64) -> BTreeSet<TextId> {
    let mut texts = BTreeSet::new();
    if n_bytes <= max_bytes {
        return texts;
    }
    let mut left = n_bytes;
    for it in oldest.iter().filter(|it| it.n_bytes() >= MIN_STRUCK_BYTES as u64) {
        if left <= max_bytes / 10 * 9 {
            break;
        }
        left = left.saturating_sub(it.n_bytes());
        texts.insert(it.response.id().clone());
    }
    texts
}

/// The change that strikes them; verdicts and summaries stay.
pub fn striking(texts: BTreeSet<TextId>) -> Change {
    Change::Erase {
        erasure: Erasure {
            lesson: LessonId::given(""),
            is_global: false,
            texts,
            words: BTreeSet::new(),
            takes_remarks: false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::RunId;
    use crate::time::Timestamp;

    fn run() -> Run {
        Run::stub(RunId::parse("r7").unwrap(), Timestamp(5))
    }

    fn stated(response: &str) -> DeliberationStated {
        let response = Some(response.into());
        DeliberationStated { role: "judge".into(), response, ..DeliberationStated::default() }
    }

    fn kept(response: &str) -> Deliberation {
        admitted(&Gate::standard(), &stated(response), &run(), true)
    }

    #[test]
    fn the_first_sentence_stands_for_a_summary_that_is_not_given() {
        let cases = [
            ("# Review\n\nThe pool leaks. It has to be closed.", "The pool leaks."),
            (
                "<!-- jkz:verdict-json {} -->\n- Version 1.2 breaks the parser",
                "Version 1.2 breaks the parser",
            ),
            ("PASS", "PASS"),
            ("", ""),
        ];
        for (response, summary) in cases {
            assert_eq!(kept(response).summary, summary, "{response}");
        }
        let given =
            DeliberationStated { summary: Some("Fine".into()), ..stated("The pool leaks.") };
        assert_eq!(admitted(&Gate::standard(), &given, &run(), true).summary, "Fine");
    }

    #[test]
    fn a_response_keeps_its_lines_and_loses_its_secrets() {
        let it = kept("one\ntwo\u{200b} AKIAIOSFODNN7EXAMPLA\nthree");
        let body = it.response.body().unwrap();
        assert!(body.starts_with("one\ntwo ") && body.ends_with("\nthree"), "{body}");
        assert!(!body.contains("AKIA"), "{body}");
        let long = kept(&"word ".repeat(40_000));
        assert!(long.n_bytes() <= 64 << 10);
        let bare = admitted(&Gate::standard(), &stated("The pool leaks"), &run(), false);
        assert_eq!((bare.n_bytes(), bare.summary.as_str()), (0, "The pool leaks"));
    }

    #[test]
    fn the_oldest_are_struck_until_nine_tenths_are_left() {
        let all: Vec<Deliberation> =
            (0..10).map(|n| kept(&format!("{n} {}", "x".repeat(398)))).collect();
        assert_eq!(struck(&all, 4000, 4000).len(), 0);
        assert_eq!(struck(&all, 4000, 3999).len(), 2);
        assert!(struck(&all, 4000, 3999).contains(all[0].response.id()));
        assert_eq!(struck(&[kept("short")], 4000, 10).len(), 0, "what takes no room stays");
    }
}

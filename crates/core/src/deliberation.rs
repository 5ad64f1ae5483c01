//! What did an agent answer, and what was its verdict? One full answer of one role in one run, kept
//! so that it can be looked up later. No lesson: nothing of it is ever put into a block.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::change::{Change, Erasure};
use crate::digest::{base32, sha256};
use crate::event::{DeliberationStated, MAX_RESPONSE_BYTES};
use crate::finding::Grade;
use crate::gate::{Gate, first_chars, start_of};
use crate::ids::{LessonId, RunId};
use crate::matching::Corpus;
use crate::meaning::{self, Table, Vector};
use crate::propose::weight;
use crate::run::Run;
use crate::text::{Text, TextId};
use crate::time::Timestamp;
use crate::words::{spellings, unique_words, word_of};

/// Longest summary, in characters.
const MAX_SUMMARY_CHARS: usize = 300;

/// So much of a response is indexed, in bytes: what follows is quoted code and output.
const INDEXED_BYTES: usize = 8 << 10;

/// So many answers are compared with a search.
pub const N_COMPARED: usize = 64;

/// So much of each, in bytes, is compared by what it means.
const COMPARED_BYTES: usize = 600;

/// What meaning and words count in a search.
const LIKENESS: f64 = 0.6;
const WORDS: f64 = 0.4;

/// A response that is shorter than this is not struck: it takes no room.
const MIN_STRUCK_BYTES: usize = 200;

/// One full answer with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Deliberation {
    /// `d-` and the digest of run, role and answer.
    pub id: String,
    pub run: RunId,
    pub role: String,
    /// In lower case, in the words of its author: `pass`, `fail`, `fixed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// As given, or its first sentence.
    pub summary: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<Grade>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// Read and written together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    pub at: Timestamp,
    /// Without a body where it was struck, or where the store keeps none.
    pub response: Text,
}

/// Which of them are asked for. An open field excludes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliberationFilter {
    /// The beginning of an id.
    pub id: Option<String>,
    pub role: Option<String>,
    pub run: Option<RunId>,
    pub verdict: Option<String>,
    pub since: Option<Timestamp>,
    /// The oldest first that still have their response, instead of the newest.
    pub oldest_kept: bool,
}

impl DeliberationFilter {
    pub fn admits(&self, it: &Deliberation) -> bool {
        let is_it = |asked: &Option<String>, own: Option<&str>| {
            asked.as_deref().is_none_or(|asked| own == Some(asked))
        };
        self.id.as_deref().is_none_or(|start| it.id.starts_with(start))
            && is_it(&self.role, Some(&it.role))
            && is_it(&self.verdict, it.verdict.as_deref())
            && self.run.as_ref().is_none_or(|run| *run == it.run)
            && self.since.is_none_or(|since| it.at >= since)
            && (!self.oldest_kept || it.response.body().is_some())
    }

    /// Whether it excludes anything.
    pub fn is_open(&self) -> bool {
        *self == DeliberationFilter::default()
    }
}

impl Deliberation {
    /// How much room its response takes.
    pub fn n_bytes(&self) -> u64 {
        self.response.body().map_or(0, |body| body.len() as u64)
    }

    /// What it is indexed under. Sorted, each once.
    pub fn terms(&self) -> Vec<String> {
        let response = start_of(self.response.body().unwrap_or_default(), INDEXED_BYTES);
        let mut terms: BTreeSet<String> = unique_words(response).into_iter().collect();
        terms.extend(unique_words(&self.summary));
        terms.into_iter().collect()
    }
}

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

/// A place in the answer to a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeliberationHit {
    /// Index into the answers that were compared.
    pub index: usize,
    /// 0..1.
    pub score: f64,
}

/// Orders answers by how much of a search they hold: with the table of meanings 0.6 of likeness
/// and 0.4 of shared words, otherwise shared words only; then the newest first.
pub fn order(
    found: &[Deliberation],
    asked: &str,
    corpus: &Corpus,
    table: Option<&Table<'_>>,
) -> Vec<DeliberationHit> {
    let terms = unique_words(asked);
    let weigh = |term: &String| weight(corpus.n_texts, corpus.df.get(term).copied().unwrap_or(0));
    let total: u64 = terms.iter().map(weigh).sum();
    let asked: Vec<(Vector, u64)> = table.map_or(Vec::new(), |table| {
        let known = unique_spellings(asked).into_iter();
        known.filter_map(|word| Some((table.word(&word)?, weigh(&word_of(&word))))).collect()
    });
    let mut vectors: HashMap<String, Option<Vector>> = HashMap::new();
    let mut hits: Vec<DeliberationHit> = Vec::new();
    for (index, it) in found.iter().enumerate() {
        let own: BTreeSet<String> = it.terms().into_iter().collect();
        let shared: u64 = terms.iter().filter(|term| own.contains(*term)).map(weigh).sum();
        let words = shared as f64 / total.max(1) as f64;
        let mut score = words;
        if let Some(table) = table.filter(|_| !asked.is_empty()) {
            let text = format!(
                "{} {}",
                it.summary,
                start_of(it.response.body().unwrap_or_default(), COMPARED_BYTES)
            );
            let near: Vec<Vector> = unique_spellings(&text)
                .into_iter()
                .filter_map(|word| {
                    vectors.entry(word).or_insert_with_key(|word| table.word(word)).clone()
                })
                .collect();
            let likeness = f64::from(meaning::cover(&asked, &near)) / 1000.0;
            score = LIKENESS * likeness + WORDS * words;
        }
        if shared > 0 {
            hits.push(DeliberationHit { index, score });
        }
    }
    hits.sort_by(|a, b| {
        let (x, y) = (&found[a.index], &found[b.index]);
        b.score.total_cmp(&a.score).then_with(|| (y.at, &x.id).cmp(&(x.at, &y.id)))
    });
    hits
}

fn unique_spellings(text: &str) -> BTreeSet<String> {
    spellings(text).into_iter().collect()
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

    fn run() -> Run {
        Run::stub(RunId::parse("r7").unwrap(), Timestamp(5))
    }

    fn stated(response: &str) -> DeliberationStated {
        DeliberationStated {
            role: "judge".into(),
            response: Some(response.into()),
            ..DeliberationStated::default()
        }
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

    #[test]
    fn meaning_counts_six_tenths_and_words_four() {
        let both =
            [kept("The socket is left open"), kept("The connection pool is never closed by it")];
        let df = unique_words("socket connection").into_iter().map(|term| (term, 1)).collect();
        let corpus = Corpus { n_texts: 100, df };
        let by_words = order(&both, "socket connection", &corpus, None);
        assert_eq!(by_words.len(), 2);
        assert!((by_words[0].score - 0.5).abs() < 1e-9);
        let by_meaning = order(&both, "socket connection", &corpus, Some(Table::built_in()));
        // Each has one of two words, and that one is its own like: 0.4 and 0.6 of a half at least.
        assert!(
            by_meaning.iter().all(|hit| hit.score >= 0.49 && hit.score <= 0.8),
            "{by_meaning:?}"
        );
        assert!(order(&both, "banana", &corpus, None).is_empty());
    }
}

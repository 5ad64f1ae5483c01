//! In which order are eligible lessons shown? By a score with every part kept, so that
//! `--explain` and `why` can show how it came about. The formula is the policy's:
//! our own is in `chance`, the Archivist's is here, others are each in a file of their name.

mod chance;
mod geas;
mod jkz;
mod parts;

use crate::eligible::{Exclusion, is_wish};
use crate::ids::LessonId;
use crate::jkz::{Belonging, belonging};
use crate::lesson::Lesson;
use crate::matching::Corpus;
use crate::need::Need;
use crate::policy::{ArchivistRank, RankOrder, RankPolicy};
use crate::tally::{Counts, LessonCounts, NeedFacets};
use crate::time::Timestamp;
use parts::{Topic, either, round, scope_part, tag_part, text_part};

pub use parts::same_file;

/// Name and value of each part of a score; those that the formula adds up come first.
pub type Parts = Vec<(&'static str, f64)>;

/// A lesson's place for one need.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranked {
    /// Index into the lessons that were ranked.
    pub index: usize,
    pub score: f64,
    pub parts: Parts,
    /// Why it does not deserve a place, whatever room there is.
    pub barred: Option<Exclusion>,
    /// What the score means, in words.
    pub told: Option<String>,
    /// Whether it concerns the need at all.
    pub is_relevant: bool,
    /// The file of the need that it is about, as a facet.
    pub file: Option<usize>,
    /// The role from which it is borrowed; it comes after what is the reader's own.
    pub via: Option<String>,
}

/// Orders lessons for a need, best first; ties by id. A pure function of its
/// arguments: the order of `lessons` does not matter.
pub fn rank(
    lessons: &[Lesson],
    need: &Need,
    corpus: &Corpus,
    now: Timestamp,
    policy: &RankPolicy,
) -> Vec<Ranked> {
    let counts = &Counted::default();
    rank_by(lessons, need, &RankingContext { corpus, now, counts }, policy)
}

/// What is known besides the lessons and the need.
pub struct RankingContext<'a> {
    pub corpus: &'a Corpus,
    pub now: Timestamp,
    pub counts: &'a Counted,
}

/// What was counted about the lessons, for the facets of the need.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    pub facets: NeedFacets,
    pub counts: Counts,
}

/// By a formula that knows one bar, on the score.
fn plain((score, parts): (f64, Parts), bar: f64) -> Ranked {
    let score = round(score);
    let barred = (score < bar).then_some(Exclusion::BelowBar { score, bar });
    Ranked { score, parts, barred, is_relevant: true, ..Ranked::default() }
}

/// [`rank`] with what was counted.
pub fn rank_by(
    lessons: &[Lesson],
    need: &Need,
    known: &RankingContext<'_>,
    policy: &RankPolicy,
) -> Vec<Ranked> {
    let topic = Topic::of(need, known.corpus);
    let score_of = |(index, lesson): (usize, &Lesson)| {
        let mut scored = scored(lesson, &topic, known, policy);
        scored.parts.iter_mut().for_each(|(_, value)| *value = round(*value));
        Ranked { index, via: borrowed(lesson, need, policy), ..scored }
    };
    let mut ranked: Vec<Ranked> = lessons.iter().enumerate().map(score_of).collect();
    order(&mut ranked, lessons, policy);
    if let RankOrder::Chance(formula) = &policy.order {
        chance::spread(&mut ranked, lessons, formula);
        order(&mut ranked, lessons, policy);
    }
    ranked
}

/// Best first; ties by id.
fn order(ranked: &mut [Ranked], lessons: &[Lesson], policy: &RankPolicy) {
    ranked.sort_by(|a, b| {
        let (left, right) = (&lessons[a.index], &lessons[b.index]);
        let by_score = b.score.total_cmp(&a.score);
        let order = match policy.order {
            RankOrder::Standing => right.standing.cmp(&left.standing).then(by_score),
            RankOrder::Geas(_) => by_score.then_with(|| geas::tie(left, right)),
            RankOrder::Chance(_) => by_score,
            RankOrder::Jkz(_) => a.via.is_some().cmp(&b.via.is_some()).then(by_score),
            RankOrder::Archivist(_) => by_score,
        };
        // Foreign ids count up, so theirs is the order in which lessons were written down:
        // shorter first, because `m-1000` comes after `m-999`.
        let name = |lesson: &Lesson| {
            let foreign = lesson.aliases.first();
            (foreign.is_none(), foreign.map(|id| (id.len(), id.clone())), lesson.id.clone())
        };
        let by_name = || name(left).cmp(&name(right));
        order.then_with(by_name)
    });
}

/// The role from which a lesson is borrowed, where a policy tells roles apart.
fn borrowed(lesson: &Lesson, need: &Need, policy: &RankPolicy) -> Option<String> {
    let RankOrder::Jkz(formula) = &policy.order else { return None };
    match belonging(lesson, need, formula) {
        Belonging::Via(role) => Some(role),
        Belonging::Own | Belonging::Other(_) => None,
    }
}

fn scored(
    lesson: &Lesson,
    topic: &Topic<'_>,
    known: &RankingContext<'_>,
    policy: &RankPolicy,
) -> Ranked {
    let RankingContext { corpus, now, .. } = *known;
    let plain = |scored| plain(scored, policy.min_score);
    match &policy.order {
        RankOrder::Standing => plain((0.0, vec![("standing", f64::from(lesson.standing))])),
        RankOrder::Chance(formula) => chance::score(lesson, topic, known, formula, policy),
        RankOrder::Geas(formula) => plain(geas::score(lesson, topic.need, now, formula)),
        RankOrder::Jkz(formula) => plain(jkz::score(lesson, topic.need, now, formula)),
        RankOrder::Archivist(formula) => {
            plain(archivist_score(lesson, topic, corpus, now, formula))
        }
    }
}

/// Who of the ranked may have a place, and who not, with the reason. What a person pinned or
/// wants always may.
pub fn entering(
    ranked: Vec<Ranked>,
    lessons: &[Lesson],
    policy: &RankPolicy,
) -> (Vec<Ranked>, Vec<(Ranked, Exclusion)>) {
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for one in ranked {
        let lesson = &lessons[one.index];
        match one.barred.clone().filter(|_| !lesson.is_pinned && !is_wish(lesson, policy)) {
            None => above.push(one),
            Some(reason) => below.push((one, reason)),
        }
    }
    (above, below)
}

/// The lessons that are most likely to come up, by what was counted alone, best first.
pub fn likeliest(counted: &Counted, policy: &RankPolicy, limit: usize) -> Vec<LessonId> {
    let RankOrder::Chance(formula) = &policy.order else { return Vec::new() };
    let value = |own: &LessonCounts| chance::chance(own, counted, formula).value;
    let lessons = counted.counts.lessons.iter();
    let mut ordered: Vec<(f64, &LessonId)> = lessons.map(|(id, own)| (value(own), id)).collect();
    ordered.sort_by(|(x, a), (y, b)| y.total_cmp(x).then_with(|| a.cmp(b)));
    ordered.into_iter().take(limit).map(|(_, id)| id.clone()).collect()
}

/// Relevance of every lesson when the need says nothing about the work.
const NEUTRAL: f64 = 0.5;

/// Recency halves with age, in whole days since the lesson was made: there a refined lesson is a
/// new one. Relevance is shared words, tags and scope; files are no part of it.
fn archivist_score(
    lesson: &Lesson,
    topic: &Topic<'_>,
    corpus: &Corpus,
    now: Timestamp,
    policy: &ArchivistRank,
) -> (f64, Parts) {
    let text = text_part(lesson, topic, corpus);
    let tags = tag_part(lesson, topic.need);
    let scope = scope_part(lesson, topic.need);
    let start = if topic.need.has_topic() { 0.0 } else { NEUTRAL };
    let relevance = either(&[start, text, tags, scope]);
    let days = now.days_since(lesson.created_at) as f64;
    let recency = 0.5_f64.powf(days / policy.half_life_days.max(1.0));
    let score = policy.weight_importance * lesson.importance
        + policy.weight_recency * recency
        + policy.weight_relevance * relevance;
    let parts = vec![
        ("importance", lesson.importance),
        ("recency", recency),
        ("relevance", relevance),
        ("text", text),
        ("tags", tags),
        ("scope", scope),
    ];
    (score, parts)
}

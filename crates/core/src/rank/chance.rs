//! Our own order. What tools and reviewers report comes in the order of the chance that it comes
//! up in this run, a logit of three terms that follow from what was counted (`tally`): how often it
//! came up of late, how often where this run will work, and how long ago. A pure function; its
//! numbers are the policy's, fitted by `hardwon-sim backtest` on histories of real repositories.
//!
//! A need that names files asks for what comes up there. Everything else is about something: it
//! enters if it has to do with the need (a file, enough of its words, its tool, role or task), and
//! the words that it has of the need raise it. A need that says nothing (the start of a session)
//! asks for nothing.
//!
//! Of several lines about one file only the first counts whole.
//!
//! What agents said about a place in a few reviews is worth knowing there and nowhere else: it
//! enters only where the need names one of its files or speaks of it.

use std::collections::BTreeMap;

use super::parts::{Topic, coverage, is_own, n_shared_paths, n_shared_tags, round};
use super::{Counted, Ranked, RankingContext};
use crate::eligible::{Exclusion, one_of};
use crate::finding::Grade;
use crate::lesson::{Kind, Lesson, Origin};
use crate::need::Need;
use crate::policy::{ChanceRank, RankPolicy};
use crate::signature::rule_parts;
use crate::tally::{LessonCounts, Rate, all_runs};

/// How much better a place has to be than the project to be named as the reason.
const TELLING_PLACE: f64 = 1.2;

/// A chance, with the terms of its logit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chance {
    pub value: f64,
    /// What each adds to the logit.
    terms: [(&'static str, f64); 3],
    /// The file of the need, or the narrowest folder around it, in which it was ever seen.
    at: Option<usize>,
    /// Whether it comes up there more often than elsewhere.
    is_place_telling: bool,
}

/// The chance that a lesson comes up in a run with the facets of what was counted.
pub(super) fn chance(lesson: &LessonCounts, counted: &Counted, policy: &ChanceRank) -> Chance {
    let n_runs = counted.counts.n_runs;
    let base = (lesson.rate.seen / (all_runs(n_runs) + 1.0)).clamp(1e-6, 1.0);
    let (any, best, at) = places(lesson, counted, base, policy.shrink);
    let since = n_runs.saturating_sub(lesson.rate.last) as f64;
    let terms = [
        ("base", policy.base * base.ln()),
        ("place", policy.place * any.ln()),
        ("since", -policy.since * (1.0 + since).ln()),
    ];
    let logit = policy.constant + terms.iter().map(|(_, term)| term).sum::<f64>();
    Chance { value: logistic(logit), terms, at, is_place_telling: best > TELLING_PLACE * base }
}

/// How often a lesson comes up where the run will work: in any of the touched files, and in the one
/// where it does most often; with that one, or the narrowest folder around it, in which it was ever
/// seen. Each place is pulled towards the folder around it, and the outermost towards `base`.
fn places(
    lesson: &LessonCounts,
    Counted { facets, counts }: &Counted,
    base: f64,
    shrink: f64,
) -> (f64, f64, Option<usize>) {
    let n_seen = |facet: usize| lesson.seen_with.get(facet).copied().unwrap_or(0);
    let mut rates: Vec<f64> = Vec::with_capacity(facets.facets.len());
    for (facet, parent) in facets.parents.iter().enumerate() {
        let around = parent.map_or(base, |parent| rates[parent]);
        let n_runs = counts.runs_with.get(facet).copied().unwrap_or(0) as f64;
        rates.push((n_seen(facet) as f64 + shrink * around) / (n_runs + shrink));
    }
    let files = || facets.files.iter().copied();
    let best = files().max_by(|a, b| rates[*a].total_cmp(&rates[*b]).then(b.cmp(a)));
    let Some(best) = best else { return (base, base, None) };
    let in_none: f64 = files().map(|file| 1.0 - rates[file].min(0.999)).product();
    let mut around = std::iter::successors(Some(best), |facet| facets.parents[*facet]);
    (1.0 - in_none, rates[best], around.find(|facet| n_seen(*facet) > 0))
}

pub(super) fn score(
    lesson: &Lesson,
    topic: &Topic<'_>,
    known: &RankingContext<'_>,
    policy: &ChanceRank,
    ranking: &RankPolicy,
) -> Ranked {
    let need = topic.need;
    let (words, n_telling) = coverage(lesson, topic);
    let wanted = floor(n_telling, topic, policy);
    let has_words = wanted.is_some_and(|wanted| words >= wanted);
    let chance = estimate(lesson, known.counts, policy);
    let is_reported = is_reported(lesson, known.counts);
    let is_named = is_named(lesson, need);
    let is_there = has_words || is_named || is_file_named(lesson, need);
    let is_place_known = chance.at.is_some() || is_reported && !need.paths.is_empty();
    let is_relevant = !need.has_topic() || has_words || is_named || is_place_known;
    let mut parts = chance.terms.to_vec();
    let mut value = chance.value;
    let is_new = lesson.is_persons() && lesson.effects.n_tried() < policy.stated_until;
    if is_new && value < policy.stated {
        parts = vec![("stated", logit(policy.stated))];
        value = policy.stated;
    }
    if !is_reported {
        let about = policy.words * words;
        parts.push(("words", about));
        value = logistic(logit(value) + about);
    }
    let barred = if !is_relevant {
        Some(Exclusion::Irrelevant { words, wanted })
    } else if is_claim_about_places(lesson, ranking) && !is_there {
        Some(Exclusion::Elsewhere)
    } else {
        let bar = bar(lesson, policy);
        (value < bar).then_some(Exclusion::Seldom { chance: value, bar })
    };
    let told = Some(told(lesson, value, &chance, known.counts, is_new));
    let file = chance.at.filter(|at| known.counts.facets.files.contains(at));
    Ranked { score: fine(value), parts, barred, told, is_relevant, file, ..Ranked::default() }
}

/// Six decimals: the same on every machine, and fine enough for what seldom comes up.
fn fine(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

fn logit(chance: f64) -> f64 {
    (chance / (1.0 - chance).max(1e-9)).ln()
}

fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// Lowers each earned line by how many better ones are about the same file, so that a block
/// speaks of more places: lines about one file are often one problem in other words, and the
/// first of them makes a reader look there anyway. A tool's rule is a problem of its own wherever
/// it is broken. `ranked` has the best first.
pub(super) fn spread(ranked: &mut [Ranked], lessons: &[Lesson], policy: &ChanceRank) {
    let mut n_above: BTreeMap<usize, i32> = BTreeMap::new();
    for one in ranked.iter_mut().filter(|one| one.barred.is_none()) {
        let lesson = &lessons[one.index];
        let is_whole = lesson.is_persons() || is_of_rule(lesson);
        let Some(file) = one.file.filter(|_| !is_whole) else { continue };
        let n_above = n_above.entry(file).or_default();
        if *n_above > 0 {
            let left = policy.same_file.powi(*n_above);
            one.score = fine(one.score * left);
            one.parts.push(("same_file", round(left)));
        }
        *n_above += 1;
    }
}

/// Whether tools or reviewers report it, and it was counted where.
fn is_reported(lesson: &Lesson, counted: &Counted) -> bool {
    let is_theirs = !lesson.is_persons() && lesson.origin != Origin::Agent;
    is_theirs && counted.counts.lessons.contains_key(&lesson.id)
}

/// The chance by what was counted. Of a lesson that no numbered run is known of (it was
/// stated, or came with its count from another system), its count stands in.
fn estimate(lesson: &Lesson, counted: &Counted, policy: &ChanceRank) -> Chance {
    if let Some(own) = counted.counts.lessons.get(&lesson.id) {
        return chance(own, counted, policy);
    }
    let n_runs = counted.counts.n_runs;
    let seen = f64::from(lesson.n_sightings).min(all_runs(n_runs).max(1.0));
    let rate = Rate { seen, last: n_runs, ..Rate::default() };
    chance(&LessonCounts { rate, seen_with: Vec::new() }, counted, policy)
}

/// The share of the need's words from which a lesson concerns it. One word in common is often
/// chance: it has to be much of what the need says. Words that any task may have are no reason.
fn floor(n_telling: usize, topic: &Topic<'_>, policy: &ChanceRank) -> Option<f64> {
    match n_telling {
        0 if topic.is_telling => None,
        0 | 1 => Some(policy.min_words.max(policy.min_word)),
        _ => Some(policy.min_words),
    }
}

/// Whether it is what agents said of some files, which nothing that was run bears out, in too few
/// runs to hold for all work. Two agents that read the same lines say the same of them; that
/// does not make it a lesson for those who work on other lines.
fn is_claim_about_places(lesson: &Lesson, ranking: &RankPolicy) -> bool {
    let is_universal = ranking.universal_at > 0 && lesson.n_sightings >= ranking.universal_at;
    lesson.origin == Origin::Agent
        && !lesson.is_persons()
        && lesson.kind != Kind::Preference
        && lesson.grade != Some(Grade::Executed)
        && !lesson.paths.is_empty()
        && !is_universal
}

/// Whether the need names what the lesson is about: a file, a tag, a tool or task, or its role.
fn is_named(lesson: &Lesson, need: &Need) -> bool {
    n_shared_paths(lesson, need) > 0
        || n_shared_tags(lesson, need) > 0
        || lesson.scope.n_matched(need) > 0
        || is_own(lesson, need)
}

/// Whether the need touches a file that the lesson knows by its bare name: reviewers seldom write
/// the whole path.
fn is_file_named(lesson: &Lesson, need: &Need) -> bool {
    let bare = lesson.paths.iter().filter(|known| !known.contains('/'));
    let is_it =
        |known: &String| need.paths.iter().any(|path| path.rsplit('/').next() == Some(known));
    bare.into_iter().any(is_it)
}

/// What a person stands behind has none.
fn bar(lesson: &Lesson, policy: &ChanceRank) -> f64 {
    match lesson.origin {
        _ if lesson.is_persons() => 0.0,
        Origin::Agent => policy.bar.sessions,
        _ if is_of_rule(lesson) => policy.bar.tools,
        _ => policy.bar.reviewers,
    }
}

fn is_of_rule(lesson: &Lesson) -> bool {
    lesson.signatures.iter().any(|signature| rule_parts(signature).is_some())
}

fn told(lesson: &Lesson, value: f64, chance: &Chance, counted: &Counted, is_new: bool) -> String {
    if is_new && lesson.n_sightings == 0 {
        return "a person wants it known; too few runs yet to tell how often it matters".to_owned();
    }
    let at = chance.at.filter(|_| chance.is_place_telling);
    let place = at.map(|at| counted.facets.facets[at].trim_start_matches('/'));
    match place {
        Some(place) => format!("comes up in about {} runs that touch {place}", one_of(value)),
        None => format!("comes up in about {} runs like this one", one_of(value)),
    }
}

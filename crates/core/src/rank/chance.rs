//! Our own order: relevance decides who may enter, chance decides who comes first.
//!
//! A lesson may enter if it has something to do with the need: a file, folder or kind of file
//! in which it was seen, enough of the need's words, its tool, role or task. A need that says
//! nothing (the start of a session) asks for nothing. Then it is worth the chance that it
//! comes up in this run, times a little for what showing it does and how bad it would be.
//!
//! Of several lines about one file only the first counts whole.
//!
//! What agents said about a place in a few reviews is worth knowing there and nowhere else: it
//! enters only where the need names one of its files or speaks of it.

use std::collections::BTreeMap;

use super::parts::{Topic, coverage, is_own, n_shared_paths, n_shared_tags, round};
use super::{Counted, Ranked, RankingContext, Scored};
use crate::chance::{Chance, chance};
use crate::eligible::{Exclusion, one_of};
use crate::finding::Grade;
use crate::lesson::{Kind, Lesson, Origin};
use crate::need::Need;
use crate::policy::{ChanceRank, RankPolicy};
use crate::signature::rule_parts;
use crate::tally::{LessonCounts, Rate, all_runs};

pub(super) fn score(
    lesson: &Lesson,
    topic: &Topic<'_>,
    known: &RankingContext<'_>,
    policy: &ChanceRank,
    ranking: &RankPolicy,
) -> Scored {
    let (words, n_telling) = coverage(lesson, topic);
    let chance = estimate(lesson, known, policy);
    let wanted = floor(n_telling, topic, policy);
    let has_words = wanted.is_some_and(|wanted| words >= wanted);
    let is_relevant = is_relevant(lesson, topic, &chance, known, has_words, policy);
    let is_there = has_words || is_named(lesson, topic.need) || is_file_named(lesson, topic.need);
    let is_elsewhere = is_claim_about_places(lesson, ranking) && !is_there;
    let own = if is_own(lesson, topic.need) { policy.role } else { 0.0 };
    let is_new = lesson.is_persons() && lesson.effects.n_tried() < policy.stated_until;
    let start = if is_new { chance.value.max(policy.stated) } else { chance.value };
    let value = shifted(start, policy.words * words + own);
    let useful = (known.useful)(lesson);
    let worth = 1.0 + policy.worth * (useful - 0.5) + policy.importance * (lesson.importance - 0.5);
    let barred = if !is_relevant {
        Some(Exclusion::Irrelevant { words, wanted })
    } else if is_elsewhere {
        Some(Exclusion::Elsewhere)
    } else {
        seldom(value, bar(lesson, policy))
    };
    let parts = vec![
        ("chance", value),
        ("base", chance.base),
        ("place", chance.place),
        ("kind", chance.kind),
        ("title", chance.title),
        ("words", words),
        ("useful", useful),
        ("importance", lesson.importance),
    ];
    let told = Some(told(lesson, value, &chance, known, is_new));
    let file = chance.at.filter(|at| known.counts.facets.files.contains(at));
    Scored { score: value * worth, parts, barred, told, is_relevant, file }
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
            one.score = round(one.score * left);
            one.parts.push(("same_file", round(left)));
        }
        *n_above += 1;
    }
}

/// The chance by what was counted. Of a lesson that no numbered run is known of (it was
/// stated, or came with its count from another system), its count stands in.
fn estimate(lesson: &Lesson, known: &RankingContext<'_>, policy: &ChanceRank) -> Chance {
    let counted = known.counts;
    let stand_in;
    let own = match counted.counts.lessons.get(&lesson.id) {
        Some(own) => own,
        None => {
            let n_runs = counted.counts.n_runs;
            let seen = f64::from(lesson.n_sightings).min(all_runs(n_runs).max(1.0));
            let rate = Rate { seen, last: n_runs, ..Rate::default() };
            stand_in = LessonCounts { rate, seen_with: Vec::new() };
            &stand_in
        }
    };
    chance(own, &counted.counts, &counted.facets, counted.heed, policy)
}

/// A chance whose odds are multiplied by `e` to this power.
fn shifted(chance: f64, by: f64) -> f64 {
    let odds = chance / (1.0 - chance).max(1e-9) * by.exp();
    odds / (1.0 + odds)
}

fn is_relevant(
    lesson: &Lesson,
    topic: &Topic<'_>,
    chance: &Chance,
    known: &RankingContext<'_>,
    has_words: bool,
    policy: &ChanceRank,
) -> bool {
    let need = topic.need;
    let of_titles = || covered_titles(lesson, known) >= policy.min_words;
    let of_kind = || {
        let own = known.counts.counts.lessons.get(&lesson.id);
        let facets = known.counts.facets.facets.iter().enumerate();
        let mut kinds = facets.filter(|(_, facet)| facet.starts_with('.'));
        kinds.any(|(at, _)| own.is_some_and(|own| own.seen_with.get(at).is_some_and(|n| *n > 0)))
    };
    !need.has_topic()
        || has_words
        || chance.at.is_some()
        || is_named(lesson, need)
        || of_kind()
        || of_titles()
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

/// The share of the need's words under which a lesson came up before, in titles of runs, each
/// by how much it says: a word of every title says little.
fn covered_titles(lesson: &Lesson, known: &RankingContext<'_>) -> f64 {
    let Counted { facets, counts, .. } = known.counts;
    let Some(own) = counts.lessons.get(&lesson.id) else { return 0.0 };
    let (mut covered, mut whole) = (0.0, 0.0);
    for (at, _) in facets.facets.iter().enumerate().filter(|(_, facet)| facet.starts_with('#')) {
        let n_runs = counts.runs_with.get(at).copied().unwrap_or(0) as f64;
        let rarity = ((counts.n_runs as f64 + 10.0) / (n_runs + 1.0)).ln().max(0.1);
        whole += rarity;
        let n_seen = own.seen_with.get(at).copied().unwrap_or(0);
        covered += if n_seen > 1 { rarity } else { 0.0 };
    }
    if whole == 0.0 { 0.0 } else { covered / whole }
}

fn seldom(chance: f64, bar: f64) -> Option<Exclusion> {
    (chance < bar).then_some(Exclusion::Seldom { chance, bar })
}

fn is_of_rule(lesson: &Lesson) -> bool {
    lesson.signatures.iter().any(|signature| rule_parts(signature).is_some())
}

/// What a person stands behind has none.
fn bar(lesson: &Lesson, policy: &ChanceRank) -> f64 {
    match lesson.origin {
        _ if lesson.is_persons() => 0.0,
        Origin::Agent => policy.bar.sessions,
        Origin::User | Origin::Reviewer | Origin::Import | Origin::Team if is_of_rule(lesson) => {
            policy.bar.tools
        }
        Origin::User | Origin::Reviewer | Origin::Import | Origin::Team => policy.bar.reviewers,
    }
}

fn told(
    lesson: &Lesson,
    value: f64,
    chance: &Chance,
    known: &RankingContext<'_>,
    is_new: bool,
) -> String {
    if is_new && lesson.n_sightings == 0 {
        return "a person wants it known; too few runs yet to tell how often it matters".to_owned();
    }
    let at = chance.at.filter(|_| chance.place > 1.2);
    let place = at.map(|at| known.counts.facets.facets[at].trim_start_matches('/'));
    match place {
        Some(place) => format!("comes up in about {} runs that touch {place}", one_of(value)),
        None => format!("comes up in about {} runs like this one", one_of(value)),
    }
}

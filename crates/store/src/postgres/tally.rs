//! How often what comes up where: the counts of `core::tally` as tables. What a root run contributes
//! before a write is taken away, what it contributes after is added.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::Tables;
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::tally::{Counts, LessonCounts, N_REMEMBERED, Rate, Tally, Trial, rate};

use super::client::Statement;
use super::db::Db;
use super::index::short;
use super::load;
use super::routine::Routine;
use super::trouble::Tried;
use crate::cell::{Cell, cells};
use crate::rows::Table;
use crate::sums::{Root, tally_of, touched_roots};
use crate::{CountQuery, N_AT_PLACE};

pub(super) const FACETS: Table =
    Table { name: "facets", n_key: 2, columns: &["project", "facet", "n_runs"] };
pub(super) const SEEN_AT: Table =
    Table { name: "seen_at", n_key: 3, columns: &["project", "facet", "lesson", "n_runs"] };
pub(super) const TRIALS: Table = Table {
    name: "trials",
    n_key: 4,
    columns: &["project", "lesson", "number", "root", "was_seen", "was_shown"],
};
pub(super) const RATES: Table = Table {
    name: "rates",
    n_key: 2,
    columns: &["project", "lesson", "as_of", "seen", "shown", "shown_seen", "last", "rank"],
};

/// A facet of so few runs has hardly more lessons than are looked up.
const FEW_RUNS: i64 = 10;

/// The number of the newest run.
pub(super) const NEWEST: Routine = Routine {
    name: "newest_run",
    takes: "text",
    gives: "number bigint",
    sql: "SELECT max(r.number) FROM hardwon.runs AS r WHERE r.project = $1",
};

/// In how many runs facets were.
pub(super) const RUNS_WITH: Routine = Routine {
    name: "runs_with",
    takes: "text, text[]",
    gives: "facet text, n_runs bigint",
    sql: "
        SELECT f.facet, known.n_runs FROM unnest($2) AS f (facet) CROSS JOIN LATERAL (
            SELECT k.n_runs FROM hardwon.facets AS k
            WHERE k.project = $1 AND k.facet = f.facet LIMIT 1) AS known",
};

const TRIALS_OF: &str = "
    SELECT t.lesson, t.number, t.root, t.was_seen, t.was_shown FROM hardwon.trials AS t
    WHERE t.project = $1 AND t.lesson = ANY ($2)";

/// Trials of a lesson: whether it was seen, and whether it was shown, by number and root run.
pub(super) type Trials = BTreeMap<(u64, String), (bool, bool)>;

pub(super) const RATES_OF: Routine = Routine {
    name: "rates_of",
    takes: "text, text[]",
    gives: "lesson text, as_of bigint, seen double precision, shown double precision,
            shown_seen double precision, last bigint",
    sql: "
        SELECT l.lesson, r.as_of, r.seen, r.shown, r.shown_seen, r.last
        FROM unnest($2) AS l (lesson) CROSS JOIN LATERAL (
            SELECT k.as_of, k.seen, k.shown, k.shown_seen, k.last FROM hardwon.rates AS k
            WHERE k.project = $1 AND k.lesson = l.lesson LIMIT 1) AS r",
};

/// All lessons that came up with facets.
pub(super) const BY_FACET: Routine = Routine {
    name: "seen_with_facets",
    takes: "text, text[]",
    gives: "facet text, lesson text, n_runs bigint",
    sql: "
        SELECT f.facet, s.lesson, s.n_runs
        FROM unnest($2) AS f (facet) CROSS JOIN LATERAL (
            SELECT k.lesson, k.n_runs FROM hardwon.seen_at AS k
            WHERE k.project = $1 AND k.facet = f.facet OFFSET 0) AS s",
};

/// How often some lessons came up with facets. A lookup for each lesson: most were seen in a few places.
pub(super) const BY_BOTH: Routine = Routine {
    name: "seen_with_both",
    takes: "text, text[], text[], bigint",
    gives: "facet text, lesson text, n_runs bigint",
    sql: "
        SELECT s.facet, l.lesson, s.n_runs
        FROM unnest($3) AS l (lesson) CROSS JOIN LATERAL (
            SELECT k.facet, k.n_runs FROM hardwon.seen_at AS k
            WHERE k.project = $1 AND k.lesson = l.lesson AND k.facet = ANY ($2) LIMIT $4) AS s",
};

/// Lessons that came up most of late; only those that may be shown, if only they are wanted. One after
/// the other until there are enough: EXISTS would look up all lessons before the first.
pub(super) const OF_LATE: Routine = Routine {
    name: "seen_of_late",
    takes: "text, boolean, bigint",
    gives: "lesson text",
    sql: "
        SELECT r.lesson FROM hardwon.rates AS r
        WHERE r.project = $1 AND r.rank IS NOT NULL
          AND (NOT $2 OR (SELECT l.is_injectable FROM hardwon.lessons AS l
                          WHERE l.project IN ($1, '') AND l.id = r.lesson LIMIT 1))
        ORDER BY r.rank DESC, r.lesson LIMIT $3",
};

/// Those that came up most at each of some places.
pub(super) const AT_PLACES: Routine = Routine {
    name: "seen_at_places",
    takes: "text, boolean, text[], bigint",
    gives: "lesson text",
    sql: "
        SELECT here.lesson FROM unnest($3) AS place (facet) CROSS JOIN LATERAL (
            SELECT s.lesson FROM hardwon.seen_at AS s
            WHERE s.project = $1 AND s.facet = place.facet
            ORDER BY s.n_runs DESC, s.lesson LIMIT $4) AS here
        WHERE (NOT $2 OR (SELECT l.is_injectable FROM hardwon.lessons AS l
                          WHERE l.project IN ($1, '') AND l.id = here.lesson LIMIT 1))",
};

/// What the counts of some root runs are made of.
#[derive(Default)]
pub(super) struct Counted {
    pub project: Option<ProjectId>,
    pub roots: BTreeSet<RunId>,
    /// All rows of these root runs.
    pub tables: Tables,
    /// Of each lesson that was asked for.
    pub trials: BTreeMap<String, Trials>,
}

/// What a root run contributed, and what it contributes now.
pub(super) type Change = (ProjectId, Option<Tally>, Option<Tally>);

/// What the root runs contribute whose rows differ. To be asked before the rows are written; what is
/// known ahead is not asked for again.
pub(super) fn between(
    db: &Db<'_>,
    before: &Tables,
    after: &Tables,
    counted: &mut Counted,
) -> Tried<Vec<Change>> {
    let roots = touched_roots(before, after);
    let mut by_project: BTreeMap<&ProjectId, Vec<&RunId>> = BTreeMap::new();
    for (project, root) in &roots {
        let is_known = counted.project.as_ref() == Some(project) && counted.roots.contains(root);
        if !is_known {
            by_project.entry(project).or_default().push(root);
        }
    }
    let mut was = std::mem::take(&mut counted.tables);
    for (project, roots) in by_project {
        load::of_roots(db, project, &roots, &mut was)?;
    }
    let mut is = was.clone();
    is.runs.retain(|key, _| !before.runs.contains_key(key));
    is.runs.extend(after.runs.clone());
    is.findings.retain(|key, _| !before.findings.contains_key(key));
    is.findings.extend(after.findings.clone());
    is.effects.retain(|key, _| !before.effects.contains_key(key));
    is.effects.extend(after.effects.clone());
    let change = |root: &Root| (root.0.clone(), tally_of(&was, root), tally_of(&is, root));
    Ok(roots.iter().map(change).collect())
}

/// What is taken away from trials, and what is put there, by lesson.
type Steps<'a> = BTreeMap<&'a str, (Trials, Trials)>;

/// Takes contributions away and adds others in their place.
pub(super) fn write(db: &Db<'_>, changes: &[Change], counted: Counted) -> Tried<()> {
    let mut facets: BTreeMap<(&ProjectId, String), i64> = BTreeMap::new();
    let mut seen: BTreeMap<(&ProjectId, String, &LessonId), i64> = BTreeMap::new();
    let mut trials: BTreeMap<&ProjectId, Steps<'_>> = BTreeMap::new();
    for (project, was, is) in changes.iter().filter(|(_, was, is)| was != is) {
        for (tally, difference) in [(was, -1), (is, 1)] {
            let Some(tally) = tally else { continue };
            for facet in &tally.facets {
                *facets.entry((project, short(facet))).or_default() += difference;
            }
            for (lesson, part) in &tally.lessons {
                for facet in &part.facets {
                    *seen.entry((project, short(facet), lesson)).or_default() += difference;
                }
                let root = tally.root.as_ref().map_or("", RunId::as_str);
                let steps = trials.entry(project).or_default().entry(lesson.as_str()).or_default();
                let list = if difference < 0 { &mut steps.0 } else { &mut steps.1 };
                list.insert((tally.number, root.to_owned()), (part.was_seen, part.was_shown));
            }
        }
    }
    let facets = facets.into_iter().filter(|(_, n)| *n != 0);
    let facets = facets.map(|((project, facet), n)| cells![project.as_str(), facet, n]);
    db.add(&FACETS, facets.collect())?;
    let seen = seen.into_iter().filter(|(_, n)| *n != 0);
    let seen =
        seen.map(|((project, facet, id), n)| cells![project.as_str(), facet, id.as_str(), n]);
    db.add(&SEEN_AT, seen.collect())?;
    let mut known = Some(counted);
    trials.into_iter().try_for_each(|(project, steps)| {
        let known = known.take_if(|it| it.project.as_ref() == Some(project));
        try_out(db, project, steps, known.unwrap_or_default().trials)
    })
}

/// Writes the trials of a project, and works the faded sums of their lessons out again. A trial that is
/// put as it was taken away is none of them.
fn try_out(
    db: &Db<'_>,
    project: &ProjectId,
    mut steps: Steps<'_>,
    mut known: BTreeMap<String, Trials>,
) -> Tried<()> {
    for (gone, new) in steps.values_mut() {
        let was = std::mem::take(gone);
        *gone = was.iter().filter(|(key, _)| !new.contains_key(*key)).map(owned).collect();
        new.retain(|key, trial| was.get(key) != Some(trial));
    }
    steps.retain(|_, (gone, new)| !(gone.is_empty() && new.is_empty()));
    let asked: Vec<&str> =
        steps.keys().copied().filter(|lesson| !known.contains_key(*lesson)).collect();
    if !asked.is_empty() {
        known.extend(trials_of(db, project, asked)?);
    }
    let cells = |lesson: &str, trials: &Trials| -> Vec<Vec<Cell>> {
        let row = |((number, root), (was_seen, was_shown)): (&(u64, String), &(bool, bool))| {
            cells![project.as_str(), lesson, *number, root.as_str(), *was_seen, *was_shown]
        };
        trials.iter().map(row).collect()
    };
    let gone: Vec<_> = steps.iter().flat_map(|(lesson, (gone, _))| cells(lesson, gone)).collect();
    let new: Vec<_> = steps.iter().flat_map(|(lesson, (_, new))| cells(lesson, new)).collect();
    db.remove(&TRIALS, &gone)?;
    db.put(&TRIALS, new)?;
    let (mut faded, mut forgotten) = (Vec::new(), Vec::new());
    for (lesson, (gone, new)) in steps {
        let mut trials = known.remove(lesson).unwrap_or_default();
        trials.retain(|key, _| !gone.contains_key(key));
        trials.extend(new);
        match trials.is_empty() {
            true => forgotten.push(cells![project.as_str(), lesson]),
            false => faded.push(rate_cells(project, lesson, fade(&trials))),
        }
    }
    db.put(&RATES, faded)?;
    db.remove(&RATES, &forgotten)
}

fn owned((key, trial): (&(u64, String), &(bool, bool))) -> ((u64, String), (bool, bool)) {
    (key.clone(), *trial)
}

fn trials_of(
    db: &Db<'_>,
    project: &ProjectId,
    lessons: Vec<&str>,
) -> Tried<BTreeMap<String, Trials>> {
    let mut trials: BTreeMap<String, Trials> = BTreeMap::new();
    for row in db.all(TRIALS_OF, &cells![project.as_str(), lessons])? {
        let key = (row.get::<_, i64>(1) as u64, row.get(2));
        trials.entry(row.get(0)).or_default().insert(key, (row.get(3), row.get(4)));
    }
    Ok(trials)
}

/// The faded sums of a lesson.
fn fade(trials: &Trials) -> (u64, Rate) {
    let newest = trials.last_key_value().map_or(0, |((number, _), _)| *number);
    let oldest = newest.saturating_sub(N_REMEMBERED);
    let trial = |((number, _), (was_seen, was_shown)): (&(u64, String), &(bool, bool))| Trial {
        number: *number,
        was_seen: *was_seen,
        was_shown: *was_shown,
    };
    let remembered = trials.range((oldest, String::new())..);
    rate(&remembered.map(trial).collect::<Vec<Trial>>())
}

fn rate_cells(project: &ProjectId, lesson: &str, (as_of, rate): (u64, Rate)) -> Vec<Cell> {
    let Rate { seen, shown, shown_seen, last } = rate;
    let rank = (seen > 0.0).then(|| rate.order(as_of));
    cells![project.as_str(), lesson, as_of, seen, shown, shown_seen, last, rank]
}

/// What bears on the facets of a query.
pub(super) fn counts(db: &Db<'_>, project: &ProjectId, query: &CountQuery) -> Tried<Counts> {
    let facets: Vec<String> = query.facets.iter().map(|facet| short(facet)).collect();
    let own = project.as_str();
    // By their words: by their names all partitions would be planned.
    let mut statements =
        vec![NEWEST.ask(false, cells![own]), RUNS_WITH.ask(false, cells![own, facets.clone()])];
    statements.extend(proposals(db, project, query));
    let mut rows = db.all_of(statements)?;
    let newest = rows.remove(0);
    let n_runs = newest.first().and_then(|row| row.get::<_, Option<i64>>(0)).unwrap_or(0) as u64;
    let runs: BTreeMap<String, i64> = rows[0].iter().map(|row| (row.get(0), row.get(1))).collect();
    let runs_with = facets.iter().map(|facet| runs.get(facet).copied().unwrap_or(0) as u64);
    let runs_with = runs_with.collect();

    let mut wanted: BTreeSet<&str> = query.lessons.iter().map(LessonId::as_str).collect();
    wanted.extend(rows[1..].iter().flatten().map(|row| row.get::<_, &str>(0)));
    let ids: Vec<&str> = wanted.into_iter().collect();
    let mut statements = vec![db.named(&RATES_OF, cells![own, ids.clone()])];
    statements.extend(sightings(db, own, &facets, &runs, &ids));
    let rows = db.all_of(statements)?;
    let seen: BTreeMap<(String, String), i64> =
        rows[1..].iter().flatten().map(|row| ((row.get(0), row.get(1)), row.get(2))).collect();
    let mut lessons = BTreeMap::new();
    for row in &rows[0] {
        let id: String = row.get(0);
        let last = row.get::<_, i64>(5) as u64;
        let rate = Rate { seen: row.get(2), shown: row.get(3), shown_seen: row.get(4), last };
        let rate = rate.at(row.get::<_, i64>(1) as u64, n_runs);
        let n_at = |facet: &String| seen.get(&(facet.clone(), id.clone())).copied();
        let seen_with = facets.iter().map(|facet| n_at(facet).unwrap_or(0) as u64).collect();
        lessons.insert(LessonId::given(&id), LessonCounts { rate, seen_with });
    }
    Ok(Counts { n_runs, runs_with, lessons })
}

/// Asks how often lessons came up with facets, of which it is known in how many runs they were. What few
/// runs had is read at once; of the rest each lesson is looked up. A file of a run with very many is
/// known to have been in no run, and may have lessons all the same.
fn sightings(
    db: &Db<'_>,
    own: &str,
    facets: &[String],
    runs: &BTreeMap<String, i64>,
    lessons: &[&str],
) -> Vec<Statement> {
    let is_rare = |facet: &&String| runs.get(*facet).is_none_or(|n_runs| *n_runs <= FEW_RUNS);
    let (rare, common): (Vec<&String>, Vec<&String>) = facets.iter().partition(is_rare);
    let names = |facets: &[&String]| -> Vec<String> { facets.iter().copied().cloned().collect() };
    let (rare, common) = (names(&rare), names(&common));
    let mut statements = Vec::new();
    if !rare.is_empty() {
        statements.push(db.named(&BY_FACET, cells![own, rare]));
    }
    if !common.is_empty() {
        let n_facets = common.len() as i64;
        statements.push(db.named(&BY_BOTH, cells![own, common, lessons.to_vec(), n_facets]));
    }
    statements
}

/// Forgets words of titles, which older versions counted, too. A long path has a digest for a name.
pub(super) fn drop_words(db: &Db<'_>) -> Tried<()> {
    db.run("DELETE FROM hardwon.seen_at WHERE facet < '/' AND length(facet) <> 65", &[])?;
    db.run("DELETE FROM hardwon.facets WHERE facet < '/' AND length(facet) <> 65", &[])
}

/// Asks for lessons that came up most of late, and those that came up most at each place; of these only
/// those that may be shown, if only they are wanted.
fn proposals(db: &Db<'_>, project: &ProjectId, query: &CountQuery) -> Vec<Statement> {
    if query.n_frequent == 0 {
        return Vec::new();
    }
    let (own, wanted) = (project.as_str(), query.only_injectable);
    let limit = i64::try_from(query.n_frequent).unwrap_or(i64::MAX);
    let places: Vec<String> = query.facets.iter().map(|facet| short(facet)).collect();
    vec![
        db.named(&OF_LATE, cells![own, wanted, limit]),
        db.named(&AT_PLACES, cells![own, wanted, places, N_AT_PLACE as i64]),
    ]
}

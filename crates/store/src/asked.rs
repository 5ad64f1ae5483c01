//! What is asked of a database about one project, in words that a file and a server both know. How
//! they differ is said by [`Asked`].

mod findings;

use std::collections::BTreeMap;

use hardwon_core::attempt::Attempt;
use hardwon_core::consult::Consultation;
use hardwon_core::deliberation::{Deliberation, DeliberationFilter};
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::FindingKey;
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::run::Run;
use hardwon_core::scope::Scope;

use crate::cell::{Cell, cells};
use crate::query::latest_due_base;
use crate::rows::{Kept, to_json};
use crate::{BlockTotals, ConsultationQuery, LessonQuery, Pick, RunQuery};

pub(crate) use findings::findings;

/// A project in a database, within a transaction. Of what follows `FROM`, a table is `t`.
pub(crate) trait Asked {
    type Error;

    /// Says of a lesson whether `$1` owns it.
    const OWNED: &'static str;
    /// Says of a lesson whether it has one of these aliases.
    const ALIASED: &'static str;
    /// Says of an injection whether it showed one of these lessons.
    const SHOWED: &'static str;
    /// The id of the project that a row belongs to.
    const PROJECT: &'static str;

    /// What stands for the project in its rows.
    fn own(&self) -> Cell;

    /// The same for global lessons.
    fn global(&self) -> Cell;

    /// Who owns what the project sees, to be asked one after the other.
    fn owners(&self) -> Vec<Cell>;

    fn select<T: Kept>(&self, rest: &str, values: &[Cell]) -> Result<Vec<T>, Self::Error>;

    fn select_lessons(&self, rest: &str, values: &[Cell]) -> Result<Vec<Lesson>, Self::Error>;

    /// Rows of any project, each with it.
    fn select_with_project<T: Kept>(
        &self,
        rest: &str,
        values: &[Cell],
    ) -> Result<Vec<(ProjectId, T)>, Self::Error>;

    /// Texts, and how often each is there.
    fn counted(&self, sql: &str, values: &[Cell]) -> Result<Vec<(String, u64)>, Self::Error>;

    /// The two numbers of the only row.
    fn two(&self, sql: &str, values: &[Cell]) -> Result<[Option<i64>; 2], Self::Error>;

    fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Self::Error>;

    /// Fixed findings that share terms, best first.
    fn search_findings(
        &self,
        terms: &[String],
        limit: usize,
    ) -> Result<Vec<(RunId, FindingKey)>, Self::Error>;
}

/// What follows the table, with its values.
pub(crate) struct Asking {
    pub rest: String,
    pub values: Vec<Cell>,
}

impl Asking {
    pub(crate) fn of(rest: &str, value: Cell) -> Self {
        Asking { rest: rest.to_owned(), values: vec![value] }
    }

    /// Of the project itself.
    fn own<A: Asked>(own: &A) -> Self {
        Asking::of("WHERE t.project = $1", own.own())
    }

    /// One more condition. Each `?` in it is the next of these values.
    pub(crate) fn and(&mut self, condition: &str, values: Vec<Cell>) {
        let mut condition = condition.to_owned();
        for value in values {
            self.values.push(value);
            condition = condition.replacen('?', &format!("${}", self.values.len()), 1);
        }
        self.rest += &format!(" AND {condition}");
    }

    /// The same, unless there is no value.
    pub(crate) fn and_if<T>(&mut self, condition: &str, value: Option<T>)
    where
        Cell: From<T>,
    {
        if let Some(value) = value {
            self.and(condition, vec![Cell::from(value)]);
        }
    }

    pub(crate) fn ordered(mut self, order: &str, limit: Option<usize>) -> Self {
        self.rest += &format!(" ORDER BY {order}");
        if let Some(limit) = limit {
            self.values.push(Cell::from(i64::try_from(limit).unwrap_or(i64::MAX)));
            self.rest += &format!(" LIMIT ${}", self.values.len());
        }
        self
    }

    fn select<A: Asked, T: Kept>(&self, own: &A) -> Result<Vec<T>, A::Error> {
        own.select(&self.rest, &self.values)
    }
}

pub(crate) fn lessons<A: Asked>(own: &A, query: &LessonQuery) -> Result<Vec<Lesson>, A::Error> {
    let mut lessons = Vec::new();
    for owner in own.owners() {
        let is_named = matches!(query.pick, Pick::Named(_));
        for way in [Way::Id, Way::Alias].into_iter().take(1 + usize::from(is_named)) {
            let Asking { rest, values } = asked_lessons::<A>(owner.clone(), query, way);
            lessons.extend(own.select_lessons(&rest, &values)?);
        }
    }
    lessons.sort_by(|a, b| query.pick.order(a, b));
    lessons.dedup_by(|a, b| a.id == b.id);
    lessons.truncate(query.limit.unwrap_or(usize::MAX));
    Ok(lessons)
}

/// By what a lesson that is named is looked for. By either at once, all lessons would be passed.
#[derive(Clone, Copy)]
pub(crate) enum Way {
    Id,
    Alias,
}

pub(crate) fn asked_lessons<A: Asked>(owner: Cell, query: &LessonQuery, way: Way) -> Asking {
    let mut asking = Asking::of(&format!("WHERE {}", A::OWNED), owner);
    let mut order = if query.pick.is_by_prior() { "t.prior DESC, t.id" } else { "t.id" };
    match &query.pick {
        Pick::All => {}
        Pick::Ids(ids) => {
            let ids: Vec<&str> = ids.iter().map(LessonId::as_str).collect();
            asking.and("t.id = ANY (?)", cells![ids]);
        }
        Pick::Named(name) => match way {
            Way::Id => {
                let after = format!("{name}{}", char::MAX);
                asking.and("t.id >= ? AND t.id < ?", cells![name.as_str(), after]);
            }
            Way::Alias => asking.and(A::ALIASED, cells![vec![name.as_str()]]),
        },
        Pick::Scoped(scopes) => {
            let scopes: Vec<String> = scopes.iter().map(to_json).collect();
            asking.and("t.scope = ANY (?)", cells![scopes]);
            // In the order of ids, all lessons would be passed.
            order = "(t.id || '')";
        }
        Pick::Injectable => asking.and("t.is_injectable", Vec::new()),
        Pick::Kept => asking.and("t.is_kept", Vec::new()),
        Pick::Shown => asking.and("t.is_shown", Vec::new()),
        Pick::Waiting { n_helped } => {
            let condition = "(t.waits OR t.n_helped > 0) AND (t.waits OR t.n_helped >= ?)";
            asking.and(condition, cells![i64::from((*n_helped).max(1))]);
        }
        Pick::DecayDue { run_number, window } => {
            asking.and("t.decay_base <= ?", cells![latest_due_base(*run_number, *window)]);
            order = "t.decay_base, t.id";
        }
    }
    let after = query.after.as_ref().filter(|_| query.pick.is_by_prior());
    // All in some states are mostly few, and in the order of a page all others would be passed. On
    // a page an index of states must not take the place of that order.
    let is_page = query.limit.is_some() || after.is_some() || !matches!(query.pick, Pick::All);
    let column = |name: &str| {
        if is_page { format!("(t.{name} || '')") } else { format!("t.{name}") }
    };
    if let Some(from) = after {
        let values = cells![from.prior, from.prior, from.id.as_str()];
        asking.and("t.prior <= ? AND (t.prior < ? OR t.id > ?)", values);
    }
    if !query.states.is_empty() {
        let states: Vec<&str> = query.states.iter().map(|state| state.word()).collect();
        asking.and(&format!("{} = ANY (?)", column("state")), cells![states]);
    }
    if !query.kinds.is_empty() {
        let kinds: Vec<&str> = query.kinds.iter().map(|kind| kind.word()).collect();
        asking.and(&format!("{} = ANY (?)", column("kind")), cells![kinds]);
    }
    if is_page || query.states.is_empty() { asking.ordered(order, query.limit) } else { asking }
}

/// The scopes of lessons that are not put away, and how many have each.
pub(crate) fn scopes<A: Asked>(own: &A) -> Result<Vec<(Scope, u64)>, A::Error> {
    let kept = State::ALL.iter().filter(|state| !state.is_put_away());
    let kept: Vec<&str> = kept.map(|state| state.word()).collect();
    let sql = format!(
        "SELECT t.scope, count(*) FROM hardwon.lessons AS t
         WHERE {} AND t.state = ANY ($2) GROUP BY t.scope",
        A::OWNED
    );
    let mut scopes: BTreeMap<Scope, u64> = BTreeMap::new();
    for owner in own.owners() {
        for (scope, n) in own.counted(&sql, &cells![owner, kept.clone()])? {
            *scopes.entry(A::parsed(&scope)?).or_default() += n;
        }
    }
    Ok(scopes.into_iter().collect())
}

/// Number of the newest learned run, and the latest stated end of one.
pub(crate) const PROGRESS: &str = "
    SELECT (SELECT max(r.number) FROM hardwon.runs AS r
            WHERE r.project = $1 AND r.number IS NOT NULL),
           (SELECT max(r.finished) FROM hardwon.runs AS r
            WHERE r.project = $1 AND r.finished IS NOT NULL)";

pub(crate) fn block_totals<A: Asked>(own: &A) -> Result<BlockTotals, A::Error> {
    let sql = "
        SELECT count(*), CAST(coalesce(sum(t.n_tokens), 0) AS bigint)
        FROM hardwon.injections AS t WHERE t.project = $1";
    let [n_blocks, n_tokens] = own.two(sql, &[own.own()])?.map(|n| n.unwrap_or(0) as u64);
    Ok(BlockTotals { n_blocks, n_tokens })
}

pub(crate) fn numbered_runs<A: Asked>(own: &A, from: u64, to: u64) -> Result<Vec<Run>, A::Error> {
    let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let mut asking = Asking::own(own);
    asking.and("t.number BETWEEN ? AND ?", cells![number(from), number(to)]);
    asking.ordered("t.number, t.id", None).select(own)
}

/// Where a session finds them, times are only looked at.
fn asked_runs<A: Asked>(own: &A, query: &RunQuery) -> (Asking, &'static str) {
    let at = if query.session.is_some() { "t.at + 0" } else { "t.at" };
    let mut asking = Asking::own(own);
    asking.and_if("t.session = ?", query.session.as_deref());
    asking.and_if("t.task = ?", query.task.as_deref());
    asking.and_if("t.agent = ?", query.agent.as_deref());
    asking.and_if("t.kind = ?", query.kind.map(|kind| kind.word()));
    asking.and_if("t.outcome = ?", query.outcome.map(|outcome| outcome.word()));
    asking.and_if(&format!("{at} >= ?"), query.since);
    if let Some(place) = &query.before {
        asking.and(&format!("({at}, t.id) < (?, ?)"), cells![place.at, place.id.as_str()]);
    }
    (asking, at)
}

pub(crate) fn runs<A: Asked>(own: &A, query: &RunQuery) -> Result<Vec<Run>, A::Error> {
    let (asking, at) = asked_runs(own, query);
    asking.ordered(&format!("{at} DESC, t.id DESC"), query.limit).select(own)
}

pub(crate) fn n_runs<A: Asked>(own: &A, query: &RunQuery) -> Result<u64, A::Error> {
    let Asking { rest, values } = asked_runs(own, query).0;
    let sql = format!("SELECT count(*), count(*) FROM hardwon.runs AS t {rest}");
    let n = own.two(&sql, &values)?[0].unwrap_or(0) as u64;
    Ok(n.min(query.limit.map_or(u64::MAX, |limit| limit as u64)))
}

/// Of a global lesson every project's effects: its confidence is one.
pub(crate) fn effects<A: Asked>(
    own: &A,
    lessons: &[LessonId],
) -> Result<Vec<(ProjectId, Effect)>, A::Error> {
    if lessons.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<&str> = lessons.iter().map(LessonId::as_str).collect();
    let sql = "
        SELECT t.id, count(*) FROM hardwon.lessons AS t
        WHERE t.project = $1 AND t.id = ANY ($2) GROUP BY t.id";
    let global = own.counted(sql, &cells![own.global(), ids.clone()])?;
    let global: Vec<String> = global.into_iter().map(|(id, _)| id).collect();
    let mut asking = Asking::of("WHERE t.lesson = ANY ($1)", Cell::from(ids));
    if global.is_empty() {
        // Where none is global, no other project is looked at.
        asking.and("t.project = ?", vec![own.own()]);
    } else {
        asking.and("(t.project = ? OR t.lesson = ANY (?))", cells![own.own(), global]);
    }
    let order = format!("t.lesson, t.run_number, t.root, {}", A::PROJECT);
    let Asking { rest, values } = asking.ordered(&order, None);
    own.select_with_project(&rest, &values)
}

pub(crate) fn injections<A: Asked>(own: &A, lesson: &LessonId) -> Result<Vec<Injection>, A::Error> {
    let mut asking = Asking::own(own);
    asking.and(A::SHOWED, cells![vec![lesson.as_str()]]);
    asking.ordered("t.at, t.run, t.role, t.need", None).select(own)
}

pub(crate) fn consultations<A: Asked>(
    own: &A,
    query: &ConsultationQuery,
) -> Result<Vec<(ProjectId, Consultation)>, A::Error> {
    let since = query.since.map_or(i64::MIN, |since| since.0);
    let mut asking = Asking::of("WHERE t.at >= $1", Cell::from(since));
    let project = query.project.as_ref().map(ProjectId::as_str);
    asking.and_if(&format!("{} = ?", A::PROJECT), project);
    asking.and_if("t.evidence = ?", query.evidence.as_deref());
    let order = format!("t.at DESC, {}, t.id", A::PROJECT);
    let Asking { rest, values } = asking.ordered(&order, query.limit);
    own.select_with_project(&rest, &values)
}

/// Tries at repairing an issue, the newest first.
pub(crate) fn attempts<A: Asked>(
    own: &A,
    issue: &str,
    limit: usize,
) -> Result<Vec<Attempt>, A::Error> {
    let mut asking = Asking::own(own);
    asking.and("t.issue = ?", cells![issue]);
    asking.ordered("t.at DESC, t.id", Some(limit)).select(own)
}

/// Says which deliberations are asked for. Where a run or an id finds them, times are only looked at.
pub(crate) fn asked_deliberations(
    asking: &mut Asking,
    filter: &DeliberationFilter,
) -> &'static str {
    let at = if filter.run.is_some() || filter.id.is_some() { "t.at + 0" } else { "t.at" };
    if let Some(id) = &filter.id {
        let after = format!("{id}{}", char::MAX);
        asking.and("t.id >= ? AND t.id < ?", cells![id.as_str(), after]);
    }
    asking.and_if("t.role = ?", filter.role.as_deref());
    asking.and_if("t.verdict = ?", filter.verdict.as_deref());
    asking.and_if("t.run = ?", filter.run.as_ref().map(RunId::as_str));
    asking.and_if(&format!("{at} >= ?"), filter.since);
    if filter.oldest_kept {
        asking.and("t.is_kept", Vec::new());
    }
    at
}

/// All that are asked for, the newest first; or the oldest, of those that are kept.
pub(crate) fn deliberations<A: Asked>(
    own: &A,
    filter: &DeliberationFilter,
    limit: usize,
) -> Result<Vec<Deliberation>, A::Error> {
    let mut asking = Asking::own(own);
    let at = asked_deliberations(&mut asking, filter);
    let order = if filter.oldest_kept { "" } else { " DESC" };
    asking.ordered(&format!("{at}{order}, t.id"), Some(limit)).select(own)
}

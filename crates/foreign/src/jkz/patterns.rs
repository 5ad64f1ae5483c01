//! Lessons as jkz's scripts work on them: patterns of roles, stored, listed, penalised and
//! reinforced one by one.

use hardwon_core::change::Change;
use hardwon_core::credit;
use hardwon_core::digest::sha256;
use hardwon_core::effect::{Effect, EffectKind, Surface};
use hardwon_core::event::Problem;
use hardwon_core::finding::Grade;
use hardwon_core::grade;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::jkz::{self, FoundBy, Ground};
use hardwon_core::lesson::{Kind, Lesson, Origin, State, Trust, Unseen, Upkeep};
use hardwon_core::lifecycle;
use hardwon_core::matching::Corpus;
use hardwon_core::need::Need;
use hardwon_core::policy::{JkzRank, RankOrder};
use hardwon_core::rank::rank;
use hardwon_core::statement::{self, Stated, Statement};
use hardwon_engine::write::{Command, present, write};
use hardwon_engine::{Call, EngineError, Memory, Result, lessons, lookup};
use hardwon_render::answer::{Answer, Pattern, PatternChanged};
use hardwon_store::{LessonQuery, ProjectStatus, RunQuery};
use std::collections::{BTreeMap, BTreeSet};

/// Among how many runs the newest PASS is looked for.
const N_RUNS: usize = 1000;

/// A pattern to be stored.
#[derive(Clone, Debug, Default)]
pub struct PatternStated {
    pub role: String,
    pub text: String,
    pub category: Option<String>,
    /// The deliberation that it came from: the same one counts once.
    pub deliberation: Option<RunId>,
    pub labels: Vec<String>,
    pub files: Vec<String>,
}

/// Which patterns to list.
#[derive(Clone, Debug, Default)]
pub struct PatternQuery {
    pub role: String,
    pub limit: usize,
    pub labels: Vec<String>,
    pub files: Vec<String>,
    /// Empty = all that are in play.
    pub states: Vec<State>,
}

/// What patterns are to be reinforced by; without either the newest PASS of the role.
#[derive(Clone, Debug, Default)]
pub struct ReinforceRequest {
    pub role: String,
    /// Numbers of patterns, or ids of lessons.
    pub ids: Vec<String>,
    pub evidence: Option<String>,
    pub run: Option<RunId>,
}

/// Stores a pattern of a role. The same text again raises its count.
pub fn store_pattern(
    memory: &mut Memory,
    call: &Call,
    request: &PatternStated,
) -> Result<Answer<PatternChanged>> {
    // What a reviewer reports need not say what to do, whoever hands it in.
    let voice = if call.origin() == Origin::User { Origin::User } else { Origin::Reviewer };
    let text = memory.gate.statement(&request.text, voice);
    let text = text.map_err(EngineError::Refused)?;
    let (_, (lesson, because)) =
        write(memory, call, &Command::new("jkz store-pattern"), &mut |memory, status| {
            let project = Some(&call.project);
            let id = lookup::free_id(memory, call, project, Kind::Pattern, text.as_str())?;
            let marks = lessons::lifted_by(memory, call, text.as_str())?.into_iter();
            let mut changes: Vec<Change> =
                marks.map(|tombstone| Change::RemoveTombstone { tombstone }).collect();
            let stated = Stated {
                category: request.category.clone(),
                tags: request.labels.clone(),
                paths: request.files.clone(),
                ..Stated::default()
            };
            let Some(known) = lookup::find_lesson(memory, call, &id)? else {
                let (author, origin, at) = (call.actor.as_str(), call.origin(), call.now);
                let (text, stated, project) = (text.clone(), &stated, project.cloned());
                let kind = Kind::Pattern;
                let new = Statement { id, project, kind, text, stated, author, origin, at };
                let new = statement::new_lesson(&memory.gate, new);
                let new = statement::sighted(new, &request.role, call.is_agent().then_some(author));
                let unseen = Unseen { n_runs: 0, checked_at: status.run_number };
                let last_seen_run = request.deliberation.clone();
                let new = Lesson { unseen, last_seen_run, ..new };
                let because = format!("stored as a pattern of {}", request.role);
                let lesson = Box::new(new.clone());
                changes.push(Change::AddLesson { lesson, because: because.clone() });
                return Ok((changes, (new, Ok(because))));
            };
            let (after, because) = seen_again(memory, call, &known, request, &stated, status);
            changes
                .extend(because.iter().filter_map(|why| Change::edit_lesson(&known, &after, why)));
            Ok((changes, (after, because)))
        })?;
    let near =
        lessons::near_or_opposite(memory, call, &lesson)?.filter(|_| lesson.n_sightings <= 1);
    let id = numbers(memory, call)?.get(&lesson.id).copied();
    let (is_changed, because) = (because.is_ok(), because.unwrap_or_else(|reason| reason));
    let changed = PatternChanged::of(&lesson, id, is_changed, because);
    Ok(Answer::of(changed, near.into_iter().collect()))
}

/// A known pattern after it was stored again, and why it changed or not.
fn seen_again(
    memory: &Memory,
    call: &Call,
    known: &Lesson,
    request: &PatternStated,
    stated: &Stated,
    status: &ProjectStatus,
) -> (Lesson, Result<String, String>) {
    let is_same = request.deliberation.is_some() && known.last_seen_run == request.deliberation;
    if is_same {
        return (known.clone(), Err("this deliberation is counted already".to_owned()));
    }
    if call.is_agent() && known.trust != Trust::Claimed {
        let reason = "an agent's word alone counts for nothing that others reported";
        return (known.clone(), Err(reason.to_owned()));
    }
    let agent = call.is_agent().then_some(call.actor.as_str());
    let after = statement::with_stated(&memory.gate, known.clone(), stated);
    let mut after = statement::sighted(after, &request.role, agent);
    after.category = known.category.clone().or(after.category);
    after.unseen = Unseen { n_runs: 0, checked_at: status.run_number };
    after.last_seen_run = request.deliberation.clone().or(after.last_seen_run);
    after.updated_at = call.now;
    if after.state == State::Decayed {
        after.state = State::Candidate;
    }
    let (promotion, now) = (&memory.policy.promotion, present(call, status));
    // Calls name no session, so what an agent says again is no second session that says it.
    let step = lifecycle::promotion(&after, &[], promotion).filter(|_| !call.is_agent());
    if let Some(step) = step {
        after = lifecycle::entered(&after, &step, now, &memory.policy.review);
    }
    let contexts = jkz::contexts(known, &request.labels, &request.files);
    if let Some(step) = lifecycle::verified(&after, &contexts, promotion) {
        after = lifecycle::entered(&after, &step, now, &memory.policy.review);
    }
    (after, Ok(format!("stored again as a pattern of {}", request.role)))
}

/// Patterns of a role and those that it may borrow, best first.
pub fn patterns(
    memory: &Memory,
    call: &Call,
    query: &PatternQuery,
) -> Result<Answer<Vec<Pattern>>> {
    let policy = formula(memory)?;
    let need = Need {
        role: Some(query.role.clone()),
        tags: query.labels.clone(),
        paths: query.files.clone(),
        ..Need::default()
    };
    let is_in_play = |state: &State| jkz::state_word(*state).is_some() && *state != State::Decayed;
    let states = match query.states.is_empty() {
        true => State::ALL.iter().copied().filter(is_in_play).collect(),
        false => query.states.clone(),
    };
    let mut lessons = lessons_in(memory, call, states)?;
    let is_other =
        |lesson: &Lesson| matches!(jkz::belonging(lesson, &need, policy), jkz::Belonging::Other(_));
    lessons.retain(|lesson| !is_other(lesson));
    let ranked = rank(&lessons, &need, &Corpus::default(), call.now, &memory.policy.ranking);
    let numbers = numbers(memory, call)?;
    let listed = ranked.iter().take(query.limit).map(|ranked| {
        let lesson = &lessons[ranked.index];
        Pattern::of(lesson, ranked, numbers.get(&lesson.id).copied(), policy)
    });
    Ok(Answer::of(listed.collect(), Vec::new()).empty_if(Vec::is_empty))
}

/// Notes that a finding which is a role's pattern was a false positive. An agent's word against
/// what a person stands behind is noted and changes nothing.
pub fn ignore_pattern(
    memory: &mut Memory,
    call: &Call,
    role: &str,
    text: &str,
    weight: Option<f64>,
) -> Result<Answer<Option<PatternChanged>>> {
    let policy = formula(memory)?.clone();
    let is_there = |state: &State| !state.is_put_away();
    let states = State::ALL.iter().copied().filter(is_there).collect();
    let mut lessons = lessons_in(memory, call, states)?;
    lessons.retain(|lesson| jkz::is_of(lesson, role));
    let Some((lesson, by)) = jkz::spoken_of(&lessons, text) else {
        let problem = Problem::new("text", format!("no pattern of {role} says this"));
        return Ok(Answer::of(None, vec![problem]));
    };
    let because = match by {
        FoundBy::Text => "ruled a false positive".to_owned(),
        FoundBy::Words(share) => {
            let percent = (share * 100.0).round();
            format!("ruled a false positive; {percent} % of the words are the same")
        }
    };
    let id = numbers(memory, call)?.get(&lesson.id).copied();
    if call.is_agent() && lesson.is_persons() {
        let flagged = lessons::flag(memory, call, lesson, &because)?;
        let reason = "flagged: a person stands behind it";
        return Ok(flagged.map(|lesson| Some(PatternChanged::of(&lesson, id, false, reason))));
    }
    let usual = jkz::weight_of_role(lesson, &policy);
    let extra = ((weight.unwrap_or(usual) - usual) * 1000.0).round() as i32;
    let ruling = Ruling { lesson: &lesson.id, kind: EffectKind::Contradicted, because: &because };
    let after = ruled(memory, call, &ruling, None, extra)?.unwrap_or_else(|_| lesson.clone());
    let changed = PatternChanged::of(&after, id, true, because);
    Ok(Answer::of(Some(changed), Vec::new()))
}

/// Reinforces patterns by evidence that was executed or cited, or by a PASS that has it.
pub fn reinforce_patterns(
    memory: &mut Memory,
    call: &Call,
    request: &ReinforceRequest,
) -> Result<Answer<Vec<PatternChanged>>> {
    let numbers = numbers(memory, call)?;
    let ground = ground(memory, call, request)?;
    let (mut changed, mut problems) = (Vec::new(), Vec::new());
    for name in &request.ids {
        let number = name.parse::<u64>().ok();
        let numbered = numbers.iter().find(|(_, own)| Some(**own) == number);
        let named = numbered.map_or(name.clone(), |(id, _)| id.to_string());
        let lesson = match lookup::lesson_named(memory, call, &named) {
            Ok(lesson) => lesson,
            Err(EngineError::Store(error)) => return Err(error.into()),
            Err(unknown) => {
                problems.push(Problem::new(name, unknown.to_string()));
                continue;
            }
        };
        let reason = format!("{} held up", request.role);
        let ruling = Ruling { lesson: &lesson.id, kind: EffectKind::Helped, because: &reason };
        let outcome = match &ground {
            _ if !jkz::is_of(&lesson, &request.role) => {
                Err(format!("not a pattern of {}", request.role))
            }
            Ok(met) if call.is_agent() && !met.shown.contains(&lesson.id) => {
                Err("an agent's word alone reinforces nothing".to_owned())
            }
            Ok(met) => ruled(memory, call, &ruling, Some(met), 0)?,
            Err(reason) => Err(reason.clone()),
        };
        let id = numbers.get(&lesson.id).copied();
        changed.push(match (&outcome, &ground) {
            (Ok(after), Ok(met)) => PatternChanged::of(after, id, true, met.because.as_str()),
            (Err(reason), _) | (_, Err(reason)) => {
                PatternChanged::of(&lesson, id, false, reason.as_str())
            }
        });
    }
    Ok(Answer::of(changed, problems))
}

/// What a pattern is reinforced by.
struct Met {
    root: RunId,
    number: Option<u64>,
    because: String,
    shown: BTreeSet<LessonId>,
}

/// What the request says that patterns are reinforced by; or why that is nothing.
fn ground(memory: &Memory, call: &Call, request: &ReinforceRequest) -> Result<Result<Met, String>> {
    if let Some(evidence) = &request.evidence {
        let grade = grade::recognized(evidence, None, None);
        let root = RunId::derived(&sha256(&[&request.role, evidence]));
        let because = format!("the evidence was {grade}");
        let met = Met { root, number: None, because, shown: BTreeSet::new() };
        let nothing = "the evidence is reasoning only: nothing was executed or cited";
        return Ok(if grade == Grade::Reasoned { Err(nothing.to_owned()) } else { Ok(met) });
    }
    let runs = match &request.run {
        Some(run) => memory.store.tree(&call.project, &memory.safe_run(run))?.runs,
        None => {
            let query = RunQuery { limit: Some(N_RUNS), ..RunQuery::default() };
            memory.store.runs(&call.project, &query)?
        }
    };
    let run = match jkz::ground(&runs, &request.role) {
        Ground::Run(run) => run,
        Ground::Nothing(reason) => return Ok(Err(reason)),
    };
    let injections = memory.store.tree(&call.project, &run.root)?.injections;
    let shown = injections.into_iter().flat_map(|injection| injection.shown);
    Ok(Ok(Met {
        root: run.root.clone(),
        number: run.number,
        because: format!("{} passed {} with evidence", request.role, run.id),
        shown: shown.map(|shown| shown.lesson).collect(),
    }))
}

/// What is stated about one pattern.
struct Ruling<'a> {
    lesson: &'a LessonId,
    kind: EffectKind,
    because: &'a str,
}

/// Writes a ruling as an effect: of the run that it was met in, or of none. The lesson after it,
/// or why nothing changed.
fn ruled(
    memory: &mut Memory,
    call: &Call,
    ruling: &Ruling<'_>,
    met: Option<&Met>,
    extra_thousandths: i32,
) -> Result<Result<Lesson, String>> {
    let command = format!("jkz {}", ruling.kind);
    let (_, after) = write(memory, call, &Command::new(&command), &mut |memory, status| {
        let lesson = lookup::lesson_named(memory, call, ruling.lesson.as_str())?;
        let stored = memory.store.effects(&call.project, std::slice::from_ref(&lesson.id))?;
        // Where a ruling names no run: the how-manieth of its lesson it is.
        let name = format!("ruling-{}", stored.len() + 1);
        let unnamed = || RunId::named(&name).expect("it is not blank");
        let root = met.map_or_else(unnamed, |met| met.root.clone());
        let number = met.and_then(|met| met.number).unwrap_or(status.run_number);
        let is_here = |effect: &Effect| effect.root == root;
        let (here, earlier): (Vec<&Effect>, Vec<&Effect>) =
            stored.iter().map(|(_, effect)| effect).partition(|effect| is_here(effect));
        if let Some(known) = here.iter().find(|e| e.kind == ruling.kind || e.kind.is_failure()) {
            return Ok((Vec::new(), Err(format!("{} in {root} already", known.kind))));
        }
        let because = ruling.because;
        let surface = Surface::default();
        let stated =
            credit::stated_effect(&lesson.id, &root, number, ruling.kind, because, surface);
        let policy = &memory.policy;
        let stated = credit::in_sequence(stated, &lesson, &earlier, &policy.credit, &policy.review);
        let mut all = earlier;
        all.push(&stated);
        all.sort_by_key(|effect| effect.run_number);
        let latest = (&root, number);
        let mut after = credit::credited(&lesson, &all, latest, call.now, &policy.credit);
        if ruling.kind.is_failure() {
            // Being ruled out is no use that would keep it fresh.
            let total = lesson.upkeep.ignored_thousandths.saturating_add(extra_thousandths);
            after.upkeep = Upkeep { ignored_thousandths: total, ..lesson.upkeep };
            after.updated_at = lesson.updated_at;
        }
        let kinds: Vec<EffectKind> = all.iter().map(|effect| effect.kind).collect();
        if let Some(step) = lifecycle::after_effects(&after, &kinds, policy, true) {
            after = lifecycle::entered(&after, &step, present(call, status), &policy.review);
        }
        let replaced = here.into_iter().cloned().map(|effect| Change::RemoveEffect { effect });
        let mut changes: Vec<Change> = replaced.collect();
        changes.push(Change::AddEffect { effect: stated.clone() });
        changes.extend(Change::edit_lesson(&lesson, &after, because));
        Ok((changes, Ok(after)))
    })?;
    Ok(after)
}

fn lessons_in(memory: &Memory, call: &Call, states: Vec<State>) -> Result<Vec<Lesson>> {
    let query = LessonQuery { states, ..LessonQuery::default() };
    Ok(memory.store.lessons(&call.project, &query)?)
}

/// The numbers by which jkz's scripts name patterns.
fn numbers(memory: &Memory, call: &Call) -> Result<BTreeMap<LessonId, u64>> {
    Ok(jkz::numbers(memory.store.added(&call.project)?))
}

fn formula(memory: &Memory) -> Result<&JkzRank> {
    match &memory.policy.ranking.order {
        RankOrder::Jkz(formula) => Ok(formula),
        _ => Err(EngineError::Setting {
            key: "policy".to_owned(),
            reason: "these commands go by the policy jkz".to_owned(),
        }),
    }
}

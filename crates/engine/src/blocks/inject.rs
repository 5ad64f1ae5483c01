//! From need to block: eligible, ranked, fitted, rendered, and recorded. On the hot
//! path: a few indexed reads, no process, no network, nothing that can wait long.

mod again;
mod holdout;
mod packet;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hardwon_core::attempt::tell as attempt;
use hardwon_core::budget::{Room, estimate_tokens};
use hardwon_core::change::Change;
use hardwon_core::conflict;
use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::effect::{Injection, Shown, Surface};
use hardwon_core::eligible::{Exclusion, exclusion, is_wish, withheld};
use hardwon_core::event::Problem;
use hardwon_core::holdout::Drawn;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::matching::Corpus;
use hardwon_core::need::Need;
use hardwon_core::notes::shown::{self, NotesAtHand};
use hardwon_core::policy::RankOrder;
use hardwon_core::propose;
use hardwon_core::rank::{self, Ranked, RankingContext, rank_by};
use hardwon_core::snapshot::Snapshot;
use hardwon_core::tally::NeedFacets;
use hardwon_render::answer::{Answer, Id, Injected, InjectedLesson, LeftOut};
use hardwon_render::block::{self, Elided, Style};
use hardwon_store::{LessonQuery, Pick, Position, Revision, StoreError, Tree};

use crate::fitting;
use crate::kept::Candidates;
use crate::lookup;
use crate::memory::{Call, Memory, Result};
use crate::open::refuse_without_rules;
use crate::write::{Command, batch};

/// How many lessons are considered by their words, and how many by their record or as
/// a wish. Reading and ranking them is most of the work of a block, and twice as many change
/// no line of the backtests.
const N_BY_WORDS: usize = 20;
const N_BY_RECORD: usize = 10;
/// How many more because they are likely to come up.
const N_BY_CHANCE: usize = 20;
/// How far is read when most lessons are meant for others.
const N_AT_MOST: usize = 2048;
/// How many lessons that may not be shown are explained.
const N_EXPLAINED: usize = 500;

/// How long a block without a run is the same, as far as dates go.
const MS_PER_MINUTE: i64 = 60_000;

/// What became of recording an injection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recorded {
    /// It is, or there was nothing to record.
    Done,
    /// The store is busy: it waits as a file, which the next writer takes in.
    Queued,
    /// Another process served this need a moment ago: its block is the one that counts.
    ByAnother,
}

/// What a block is wanted for.
#[derive(Clone, Debug, Default)]
pub struct InjectRequest {
    /// Record the injection for this run. Without it nothing is written.
    pub run: Option<RunId>,
    pub need: Need,
    /// Tokens; the role's or the policy's number when left out.
    pub budget: Option<u32>,
    pub max_lessons: Option<u32>,
    /// The setting's when left out.
    pub style: Option<Style>,
    /// Also say why lessons that may not be shown are not.
    pub is_explained: bool,
    /// Into what the block is put; a task packet when left out.
    pub surface: Option<Surface>,
    /// Only these lessons are considered; all when left out.
    pub only: Option<BTreeSet<LessonId>>,
    /// Of the block, only what the run was not shown yet, and at most so many lines.
    pub news: Option<usize>,
    /// Stands above the lessons, in at most half of the room.
    pub snapshot: Option<Snapshot>,
    /// What lies in files for the asking role. Told first.
    pub notes: NotesAtHand,
    /// Digests of what else the reader is told: with others the block is made anew.
    pub basis: Option<String>,
}

/// The block for a need. The same need in the same run is served the same block
/// again. Reads only; `record_injection` writes.
pub fn compose(memory: &Memory, call: &Call, request: &InjectRequest) -> Result<Injected> {
    // What a run is told depends on what it was told before.
    if request.run.is_some() || !memory.kept.keeps_needs {
        return composed(memory, call, request, None);
    }
    let revision = memory.store.revision(&call.project)?;
    let version = (revision, call.now.0.div_euclid(MS_PER_MINUTE));
    let key = (call.project.clone(), format!("{request:?}"));
    memory.kept.blocks.get(key, version, || composed(memory, call, request, Some(revision)))
}

/// Composes it. `revision`: where the project stood a moment ago, if that was asked.
fn composed(
    memory: &Memory,
    call: &Call,
    request: &InjectRequest,
    revision: Option<Revision>,
) -> Result<Injected> {
    let style = style(memory, request);
    let room = room(memory, request, style);
    let mut tree = None;
    let (mut n_served, mut before) = (0, None);
    if let Some(run) = &request.run.as_ref().map(|run| memory.safe_run(run)) {
        let known = tree.insert(memory.store.tree(&call.project, run)?);
        let (role, need) = injection_key(memory, request, style, &room);
        match again::served(memory, call, &known.injections, run, &role, &need)? {
            Some((served, false)) => return served_before(memory, call, request, served.injection),
            Some((served, true)) => {
                n_served = served.number;
                before = served.injection.block.body().map(str::to_owned);
            }
            None => {}
        }
    }
    let draws_by = holdout::draws_by(memory, call, request, tree.as_ref());
    let mut candidates = at_hand(memory, call, request, revision)?;
    let (above, room) = above(memory, call, request, style, room)?;
    candidates.above = above;
    // What a packet holds must not depend on whether the caller wants it explained.
    let unshowable = if request.is_explained || style == Style::Packet {
        unshowable(memory, call, &candidates.lessons)?
    } else {
        Vec::new()
    };
    let names = hardwon_render::packet::names(candidates.lessons.iter().chain(&unshowable));
    candidates.known = known_to(memory, request, tree.as_ref());
    let mut composed = chosen(memory, call, request, style, &room, draws_by.as_ref(), candidates);
    if style == Style::Packet {
        packet::pack(memory, call, request, &mut composed, &unshowable, &names, tree.as_ref());
    }
    let reason = |lesson: &Lesson| {
        Some(LeftOut::of(lesson, &lookup::told(memory, lesson, withheld(lesson)?)))
    };
    composed.left_out.extend(unshowable.iter().filter_map(reason));
    composed.n_served = n_served;
    // Without lessons it is made anew each time, and recorded when it is another.
    let has_none = composed.lessons.is_empty() && style != Style::Packet;
    composed.is_repeat = has_none && before.as_ref() == Some(&composed.block);
    Ok(composed)
}

/// A block that was served: what became of its record stands in the problem, if any.
#[derive(Clone, Debug)]
pub struct Served {
    pub injected: Injected,
    /// The injection was not recorded; the block is good all the same.
    pub problem: Option<Problem>,
}

/// The block for a need, recorded if the request names a run. If recording fails
/// the block is good all the same, and the answer says `degraded`.
pub fn inject(
    memory: &mut Memory,
    call: &Call,
    request: &InjectRequest,
) -> Result<Answer<Injected>> {
    let composed = compose(memory, call, request)?;
    let served = record(memory, call, request, composed)?;
    Ok(served.answer(memory))
}

/// Records a block that is about to be shown. If another process served the same need a
/// moment ago, that one's block is the one that counts, and comes back instead.
pub fn record(
    memory: &mut Memory,
    call: &Call,
    request: &InjectRequest,
    composed: Injected,
) -> Result<Served> {
    let mut injected = composed;
    let problem = match record_injection(memory, call, request, &injected) {
        Ok(recorded) => {
            injected.is_queued = recorded == Recorded::Queued;
            if recorded == Recorded::ByAnother {
                injected = compose(memory, call, request)?;
            }
            None
        }
        Err(error) => {
            Some(Problem::new("store", format!("the injection was not recorded: {error}")))
        }
    };
    Ok(Served { injected, problem })
}

impl Served {
    /// The answer, with the problems of the settings in front.
    pub fn answer(self, memory: &Memory) -> Answer<Injected> {
        let problems = memory.settings.problems.iter().cloned().chain(self.problem).collect();
        Answer::of(self.injected, problems).empty_if(|it| it.block.is_empty())
    }
}

/// Records which lessons were shown to which run, and which were held out. Neither,
/// served before, or no run named: nothing to record.
fn record_injection(
    memory: &mut Memory,
    call: &Call,
    request: &InjectRequest,
    injected: &Injected,
) -> Result<Recorded> {
    let is_worth_it = injected.is_worth_recording(request.need.domain.is_some());
    let Some(run) = request.run.as_ref().filter(|_| is_worth_it) else {
        return Ok(Recorded::Done);
    };
    let run = memory.safe_run(run);
    refuse_without_rules(&memory.settings)?;
    let style = style(memory, request);
    let (role, need) = injection_key(memory, request, style, &room(memory, request, style));
    let need = match style == Style::Packet {
        true => packet::numbered(&need, &injected.block),
        false => again::numbered(&need, injected.n_served + 1),
    };
    let shown = injected.lessons.iter().map(|shown| Shown {
        lesson: shown.lesson.id.clone(),
        digest: shown.lesson.digest(),
        is_randomised: shown.is_randomised,
    });
    let domain = request.need.domain.as_deref().and_then(|domain| memory.gate.word(domain));
    let injection = Injection {
        run,
        role,
        domain: domain.unwrap_or_default(),
        need,
        at: call.now,
        shown: shown.collect(),
        held_out: injected.held_out.iter().map(|id| id.0.clone()).collect(),
        surface: request.surface.unwrap_or(Surface::TaskPacket),
        block: memory.gate.block(injected.block.clone()),
        digest: injected.digest.clone(),
        n_tokens: injected.n_tokens,
    };
    let batch = batch(call, &Command::new("inject"), vec![Change::AddInjection { injection }]);
    match memory.store.apply(&batch, None) {
        Ok(_) => Ok(Recorded::Done),
        // Another process served the same need at the same moment: one injection.
        Err(StoreError::Mismatch(_)) => Ok(Recorded::ByAnother),
        Err(StoreError::Busy { .. }) if memory.store.leave(&batch)? => Ok(Recorded::Queued),
        Err(error) => Err(error.into()),
    }
}

/// Role and need as an injection is known by.
pub(crate) fn injection_key(
    memory: &Memory,
    request: &InjectRequest,
    style: Style,
    room: &Room,
) -> (String, String) {
    let role = request.need.role.as_deref().and_then(|role| memory.gate.word(role));
    let mut also = format!("{} {} {}", style.word(), room.tokens, room.max_lessons);
    // Only if stated: digests that were stored before it existed hold.
    also.extend(request.basis.iter().flat_map(|basis| [" ", basis]));
    (role.unwrap_or_default(), request.need.digest(&also))
}

fn style(memory: &Memory, request: &InjectRequest) -> Style {
    let setting = || memory.settings.get("style").and_then(|s| Style::from_word(&s.value));
    request.style.or_else(setting).unwrap_or(Style::Hardwon)
}

pub(crate) fn room(memory: &Memory, request: &InjectRequest, style: Style) -> Room {
    let InjectRequest { need, budget, max_lessons, .. } = request;
    fitting::room(memory, need.role.as_deref(), (*budget, *max_lessons), style)
}

/// Why lessons are not in the block, if the caller wants to know: making the sentences costs
/// more than choosing.
struct Reasons {
    is_wanted: bool,
    left_out: Vec<LeftOut>,
}

impl Reasons {
    fn note(&mut self, reason: impl FnOnce() -> LeftOut) {
        if self.is_wanted {
            self.left_out.push(reason());
        }
    }
}

/// What the run was shown already, if that is not to be shown again.
fn known_to(memory: &Memory, request: &InjectRequest, tree: Option<&Tree>) -> BTreeSet<LessonId> {
    let run = request.run.as_ref().map(|run| memory.safe_run(run));
    let injections = tree.filter(|_| request.news.is_some()).map(|tree| &tree.injections);
    let own = injections.into_iter().flatten().filter(|it| Some(&it.run) == run.as_ref());
    own.flat_map(|injection| &injection.shown).map(|shown| shown.lesson.clone()).collect()
}

/// Of what would be shown, what is new; it is fitted anew, as a block of its own.
fn news(
    memory: &Memory,
    request: &InjectRequest,
    eligible: &[Lesson],
    known: &BTreeSet<LessonId>,
    drawn: Drawn,
    (style, room): (Style, &Room),
) -> Drawn {
    let Some(most) = request.news else { return drawn };
    let all = drawn.fit.chosen.iter().map(|chosen| &drawn.ranked[chosen.index]);
    let new = all.filter(|ranked| !known.contains(&eligible[ranked.index].id));
    let ranked: Vec<Ranked> = new.take(most).cloned().collect();
    if ranked.len() == drawn.fit.chosen.len() {
        return drawn;
    }
    let fit = fitting::fit(memory, eligible, &ranked, style, room);
    Drawn { fit, ranked, held_out: Vec::new(), copies: Vec::new() }
}

/// What stands above the lessons, and the room that is left: notes, what was tried at the task
/// that somebody is to repair, and what a compacted session was about.
fn above(
    memory: &Memory,
    call: &Call,
    request: &InjectRequest,
    style: Style,
    room: Room,
) -> Result<(Vec<String>, Room)> {
    let need = &request.need;
    if !block::tells_tried(style) {
        return Ok((Vec::new(), room));
    }
    // What could not be redacted as the user wants is not told.
    let is_safe = memory.settings.broken.is_none() && need.bound.is_none();
    let none = NotesAtHand::default();
    let notes = if is_safe { &request.notes } else { &none };
    let (role, line) = (need.role.as_deref(), |it: &_| block::note_line(it, style));
    let (mut notes, n_tokens) = shown::fitting(notes, role, &memory.gate, &room, line);
    let room = room_below(&notes, n_tokens, room);
    let task = need.task.as_deref().filter(|_| attempt::is_told(need.role.as_deref()));
    let mut lines = request.snapshot.as_ref().map(block::snapshot_lines).unwrap_or_default();
    if let Some(task) = task {
        let attempts = lookup::attempts(memory, call, task)?;
        lines.extend(attempt::quotable(&attempts).into_iter().map(block::tried_line));
    }
    let (lines, n_tokens) = attempt::fitting(lines.into_iter(), &room);
    let room = room_below(&lines, n_tokens, room);
    notes.extend(lines);
    Ok((notes, room))
}

fn room_below(lines: &[String], n_tokens: u32, room: Room) -> Room {
    let n_chars: usize = lines.iter().map(|line| line.chars().count() + 1).sum();
    let tokens = room.tokens.saturating_sub(n_tokens);
    let max_chars = room.max_chars.saturating_sub(n_chars as u32);
    Room { tokens, max_chars, ..room }
}

/// The lessons to rank, which the agents of a pipeline ask for one after the other.
fn at_hand(
    memory: &Memory,
    call: &Call,
    request: &InjectRequest,
    revision: Option<Revision>,
) -> Result<Candidates> {
    if !memory.kept.keeps_needs {
        return candidates(memory, call, request);
    }
    // What is read may be newer than this. It is kept for whoever finds the project as it was then,
    // and nobody does any more.
    let revision = match revision {
        Some(revision) => revision,
        None => memory.store.revision(&call.project)?,
    };
    let InjectRequest { need, only, max_lessons, .. } = request;
    let key = (call.project.clone(), format!("{need:?} {only:?} {max_lessons:?}"));
    let read = || candidates(memory, call, request).map(Arc::new);
    memory.kept.needs.get(key, revision, read).map(Arc::unwrap_or_clone)
}

/// Lessons to rank: those that share words or files with the need, those that are likely to
/// come up or have the best record, and what the user wants or pinned.
fn candidates(memory: &Memory, call: &Call, request: &InjectRequest) -> Result<Candidates> {
    let mut lessons: BTreeMap<LessonId, Lesson> = BTreeMap::new();
    let mut corpus = Corpus::default();
    let terms = propose::terms_of_need(&request.need);
    if !terms.is_empty() {
        let limit = if request.only.is_some() { 1 } else { N_BY_WORDS };
        let proposals = lookup::proposals(memory, call, terms, true, limit)?;
        corpus = proposals.corpus;
        lessons.extend(proposals.lessons.into_iter().map(|l| (l.id.clone(), l)));
    }
    let facets = NeedFacets::of(&request.need);
    if let Some(only) = &request.only {
        let ids: Vec<LessonId> = only.iter().cloned().collect();
        let counted = lookup::counted(memory, call, facets, ids.clone())?;
        let lessons = lookup::lessons_with(memory, &call.project, ids)?;
        return Ok(Candidates { lessons, corpus, counted, ..Candidates::default() });
    }
    let counted = lookup::counted(memory, call, facets, lessons.keys().cloned().collect())?;
    let likely = rank::likeliest(&counted, &memory.policy.ranking, N_BY_CHANCE);
    let likely = likely.into_iter().filter(|id| !lessons.contains_key(id)).collect();
    let likely = lookup::lessons_with(memory, &call.project, likely)?;
    lessons.extend(likely.into_iter().map(|l| (l.id.clone(), l)));
    let is_by_chance = matches!(memory.policy.ranking.order, RankOrder::Chance(_));
    // Where chance decides, a record proposes only what no run has shown yet.
    let picks = match is_by_chance && request.need.has_topic() {
        true => vec![Pick::Kept],
        false => vec![Pick::Injectable, Pick::Kept],
    };
    for pick in picks {
        let found = best_eligible(memory, call, pick, request)?;
        lessons.extend(found.into_iter().map(|l| (l.id.clone(), l)));
    }
    let lessons = lessons.into_values().collect();
    Ok(Candidates { lessons, corpus, counted, ..Candidates::default() })
}

/// The first lessons of a pick, so many that enough of them may be shown here: what
/// is meant for another role or domain must not take the places.
fn best_eligible(
    memory: &Memory,
    call: &Call,
    pick: Pick,
    request: &InjectRequest,
) -> Result<Vec<Lesson>> {
    let policy = &memory.policy.ranking;
    let max_lessons = request.max_lessons.unwrap_or(memory.policy.budget.max_lessons);
    // The block could be filled with what has the best record; of wishes it takes few.
    let is_kept = matches!(pick, Pick::Kept);
    let n_wanted = match pick {
        // One more than has room shows that not all do.
        Pick::Kept => N_BY_RECORD.max(memory.policy.budget.max_wishes as usize + 1),
        _ => N_BY_RECORD.max((max_lessons as usize).min(N_AT_MOST) * 3 / 2),
    };
    // Where standing decides, a store's own order proposes nothing.
    let is_ours = matches!(policy.order, RankOrder::Chance(_));
    let mut query = LessonQuery { pick, limit: is_ours.then_some(n_wanted), ..Default::default() };
    let (mut found, mut n_eligible) = (Vec::new(), 0);
    loop {
        let page = memory.store.lessons(&call.project, &query)?;
        let is_last = query.limit.is_none_or(|limit| page.len() < limit);
        let eligible = page.iter().filter(|l| exclusion(l, &request.need, policy).is_none());
        n_eligible += eligible.filter(|lesson| !(is_kept && lesson.is_pinned)).count();
        query.after = page.last().map(Position::of);
        found.extend(page);
        if is_last || n_eligible >= n_wanted || found.len() >= N_AT_MOST {
            return Ok(found);
        }
        // Twice as many as are missing, and more where few are meant for this need.
        query.limit = Some((2 * (n_wanted - n_eligible)).max(found.len() / 2));
    }
}

fn chosen(
    memory: &Memory,
    call: &Call,
    request: &InjectRequest,
    style: Style,
    room: &Room,
    draws_by: Option<&RunId>,
    candidates: Candidates,
) -> Injected {
    let Candidates { lessons, corpus, counted, above: told, known: known_to_run } = candidates;
    let is_wanted = request.is_explained || style == Style::Packet;
    let mut reasons = Reasons { is_wanted, left_out: Vec::new() };
    let eligible = eligible(memory, request, lessons, &mut reasons);
    let known = RankingContext { corpus: &corpus, now: call.now, counts: &counted };
    let ranked = rank_by(&eligible, &request.need, &known, &memory.policy.ranking);
    let (above, below) = rank::entering(ranked, &eligible, &memory.policy.ranking);
    for (ranked, reason) in below {
        reasons.note(|| LeftOut::ranked(&eligible[ranked.index], &ranked, &reason));
    }
    let drawn = holdout::draw(memory, &eligible, above, draws_by, style, room);
    let Drawn { fit, ranked: above, held_out, copies } =
        news(memory, request, &eligible, &known_to_run, drawn, (style, room));
    let unfit = fit.left_out.iter().map(|(index, reason)| (&above[*index], reason));
    let drawn = held_out.iter().map(|ranked| (ranked, &Exclusion::HeldOut));
    let copies = copies.iter().map(|(ranked, reason)| (ranked, reason));
    for (ranked, reason) in unfit.chain(drawn).chain(copies) {
        reasons.note(|| LeftOut::ranked(&eligible[ranked.index], ranked, reason));
    }
    let chosen = fit.chosen.iter().map(|chosen| chosen.line.clone());
    let lines: Vec<String> = told.into_iter().chain(chosen).collect();
    let n_lessons = fit.left_out.iter().filter(|(_, why)| why.is_elided()).count();
    let is_wish = |(_, why): &(usize, Exclusion)| matches!(why, Exclusion::NoRoomForWish { .. });
    let left_out = Elided { n_lessons, has_wishes: fit.left_out.iter().any(is_wish) };
    let block = block::block(&lines, left_out, style, request.need.role.as_deref());
    let shown = fit.chosen.iter().map(|chosen| &above[chosen.index]);
    let is_drawn = |lesson: &Lesson| holdout::arm(memory, lesson, draws_by).is_some();
    let placed = |lesson: &Lesson, ranked| InjectedLesson::of(lesson, ranked, is_drawn(lesson));
    Injected {
        n_tokens: estimate_tokens(&block),
        n_chars: block.chars().count() as u64,
        digest: sha256_of_bytes(block.as_bytes()),
        lessons: shown.map(|ranked| placed(&eligible[ranked.index], ranked)).collect(),
        left_out: reasons.left_out,
        held_out: held_out.iter().map(|r| eligible[r.index].id.clone().into()).collect(),
        run: request.run.clone().map(Id),
        block,
        ..Injected::default()
    }
}

fn eligible(
    memory: &Memory,
    request: &InjectRequest,
    lessons: Vec<Lesson>,
    reasons: &mut Reasons,
) -> Vec<Lesson> {
    let mut eligible = Vec::new();
    for lesson in lessons {
        match exclusion(&lesson, &request.need, &memory.policy.ranking) {
            None => eligible.push(lesson),
            Some(reason) => {
                reasons.note(|| LeftOut::of(&lesson, &lookup::told(memory, &lesson, reason)));
            }
        }
    }
    // Of two lessons that contradict each other only one is shown.
    for (index, reason) in conflict::losers(&eligible, &memory.policy.ranking).iter().rev() {
        let loser = eligible.remove(*index);
        reasons.note(|| LeftOut::of(&loser, reason));
    }
    eligible
}

pub(crate) fn is_kept(memory: &Memory, lesson: &Lesson) -> bool {
    lesson.is_pinned || is_wish(lesson, &memory.policy.ranking)
}

/// Lessons whose state alone keeps them out of every block.
fn unshowable(memory: &Memory, call: &Call, considered: &[Lesson]) -> Result<Vec<Lesson>> {
    let known: BTreeSet<&LessonId> = considered.iter().map(|lesson| &lesson.id).collect();
    let states = vec![
        State::Candidate,
        State::UnderReview,
        State::Superseded,
        State::Decayed,
        State::Quarantined,
    ];
    let query = LessonQuery { states, limit: Some(N_EXPLAINED), ..LessonQuery::default() };
    let others = memory.store.lessons(&call.project, &query)?.into_iter();
    Ok(others.filter(|other| !known.contains(&other.id) && !other.is_injectable()).collect())
}

/// The block that was already served, with the lessons as they rank today.
fn served_before(
    memory: &Memory,
    call: &Call,
    request: &InjectRequest,
    injection: &Injection,
) -> Result<Injected> {
    let ids = injection.shown.iter().map(|shown| shown.lesson.clone()).collect();
    let lessons = lookup::lessons_with(memory, &call.project, ids)?;
    let ids = lessons.iter().map(|lesson| lesson.id.clone()).collect();
    let counts = &lookup::counted(memory, call, NeedFacets::of(&request.need), ids)?;
    let known = RankingContext { corpus: &Corpus::default(), now: call.now, counts };
    let ranked = rank_by(&lessons, &request.need, &known, &memory.policy.ranking);
    let position = |id: &LessonId| injection.shown.iter().position(|s| s.lesson == *id);
    let was_drawn = |l: &Lesson| position(&l.id).is_some_and(|i| injection.shown[i].is_randomised);
    let placed = |lesson: &Lesson, ranked| InjectedLesson::of(lesson, ranked, was_drawn(lesson));
    let mut shown: Vec<InjectedLesson> =
        ranked.iter().map(|ranked| placed(&lessons[ranked.index], ranked)).collect();
    shown.sort_by_cached_key(|shown| position(&shown.lesson.id));
    let block = injection.block.body().unwrap_or_default();
    Ok(Injected {
        block: block.to_owned(),
        lessons: shown,
        held_out: injection.held_out.iter().cloned().map(Id).collect(),
        n_tokens: injection.n_tokens,
        n_chars: block.chars().count() as u64,
        digest: injection.digest.clone(),
        run: request.run.clone().map(Id),
        is_repeat: true,
        ..Injected::default()
    })
}

//! May this lesson be shown here at all? If not, why not: the first reason wins, and
//! there is always one.

use crate::danger::{self, Danger};
use crate::gate::as_name;
use crate::jkz::{self, Belonging};
use crate::lesson::{Kind, Lesson, State, Trust};
use crate::need::Need;
use crate::observe::says_nothing;
use crate::policy::{Preferences, RankOrder, RankPolicy};
use crate::scope::{Bound, Dimension, OWN_PERSON, Violation};
use crate::words::unique_words;

/// Why a lesson is not shown.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Exclusion {
    /// Its state does not allow it.
    #[error("{}", why_not(*.0))]
    State(State),
    /// It is a candidate, and this is what it waits for (`lifecycle::not_confirmed`).
    #[error("candidate: {0}")]
    NotConfirmed(String),
    /// Its text is gone: erased, or edited in the file.
    #[error("its words are gone; see `hardwon doctor`")]
    Wordless,
    #[error("it came from outside and is not approved yet")]
    Foreign,
    /// It tells to run what no agent is told to run.
    #[error("{0}, and no person approved it yet")]
    Dangerous(Danger),
    #[error("superseded: {by} stands for it")]
    Superseded { by: String },
    #[error("somebody else's wish, not approved for the project yet")]
    OtherPerson,
    /// It is meant for something else.
    #[error("scope: {} is {}, not {}", .0.dimension, name(&.0.wanted), name(&.0.given))]
    Scope(Violation),
    #[error("a pattern of {}, whose work is of another sort", as_name(of).unwrap_or("other roles"))]
    OtherSort { of: String },
    /// It is meant for other work.
    #[error("what it applies to is not what the need speaks of")]
    NotNow,
    #[error("bound to {is}, and only what is bound to {wanted} was asked for")]
    Bound { is: Bound, wanted: Bound },
    #[error("standing {standing} is below {wanted}: seen too seldom of late")]
    Standing { standing: u32, wanted: u32 },
    /// It does not fit this need well enough.
    #[error("score {score:.2} is below the bar of {bar:.2}")]
    BelowBar { score: f64, bar: f64 },
    /// Nothing of it concerns this need: its words cover a share of it, of what was wanted; none is
    /// enough if all that it shares are words that any task may have.
    #[error(
        "not about this work: {}, and no file, tool, role or task is the same",
        covered(*words, *wanted)
    )]
    Irrelevant { words: f64, wanted: Option<f64> },
    /// It says that something fails, and neither why nor what to do.
    #[error("what to do about it is not known")]
    SaysNothing,
    #[error("what reviewing agents said about one place, and this is not there")]
    Elsewhere,
    #[error(
        "comes up in about {} runs like this one; the bar is {}", one_of(*chance), one_of(*bar)
    )]
    Seldom { chance: f64, bar: f64 },
    #[error("no room among the wishes: {maximum} lines, {tokens} tokens")]
    NoRoomForWish { maximum: u32, tokens: u32 },
    #[error("held out by chance to measure its worth")]
    HeldOut,
    #[error("says nearly the same as {of}")]
    NearDuplicate { of: String },
    #[error("contradicts {by}, which goes before it")]
    Contradicts { by: String },
    #[error("more than {maximum} lessons fit this need")]
    OverMaximum { maximum: u32 },
    #[error("no room left within {tokens} tokens")]
    OverBudget { tokens: u32 },
}

impl Exclusion {
    /// Only what would have deserved its place is worth an elision line.
    pub fn is_elided(&self) -> bool {
        matches!(self, Exclusion::OverMaximum { .. } | Exclusion::OverBudget { .. })
    }
}

/// Both words of a scope came from outside, and a packet says them in a prompt.
fn name(word: &str) -> &str {
    as_name(word).unwrap_or("something else")
}

/// How little of a need the words of a lesson cover.
fn covered(words: f64, wanted: Option<f64>) -> String {
    let percent = |share: f64| (share * 100.0).round();
    match wanted {
        _ if words == 0.0 => "it shares no word with the need".to_owned(),
        None => "it shares only words that any task may have".to_owned(),
        Some(wanted) => {
            let (covered, wanted) = (percent(words), percent(wanted));
            format!("its words cover {covered} % of the need, not {wanted} %")
        }
    }
}

/// A chance in words: `1 of 8`.
pub fn one_of(chance: f64) -> String {
    if chance > 0.66 {
        return "all".to_owned();
    }
    format!("1 of {}", (1.0 / chance.max(1e-4)).round())
}

/// Why a lesson in this state is not shown.
fn why_not(state: State) -> String {
    let why = match state {
        State::Candidate => "not confirmed yet",
        State::Quarantined => "it was imported and not approved yet",
        State::UnderReview => "in doubt, and in no block until it is reviewed",
        State::Decayed => "it faded; seen again, it counts again",
        State::Superseded => "another lesson stands for it",
        State::Archived => "put away; `restore` brings it back",
        State::Rejected => "a review decided against it",
        State::Provisional | State::Stable | State::Canonical => "it may be shown",
    };
    format!("{}: {why}", state.word().replace('_', " "))
}

/// Why a lesson's state keeps it out of every block, if it does.
pub fn state_exclusion(lesson: &Lesson) -> Option<Exclusion> {
    if lesson.is_injectable() {
        return None;
    }
    Some(match (&lesson.superseded_by, lesson.state) {
        (Some(by), State::Superseded) => Exclusion::Superseded { by: by.to_string() },
        (_, state) => Exclusion::State(state),
    })
}

/// Why the words of a lesson are printed into no prompt, whatever the need; see `prompt`.
pub fn withheld(lesson: &Lesson) -> Option<Exclusion> {
    or_dangerous(unconfirmed(lesson), lesson)
}

fn or_dangerous(reason: Option<Exclusion>, lesson: &Lesson) -> Option<Exclusion> {
    let dangerous = || danger::of_lesson(lesson).map(Exclusion::Dangerous);
    match reason {
        None => dangerous(),
        // That alone may be why it still is one.
        Some(Exclusion::State(State::Candidate)) => dangerous().or(reason),
        reason => reason,
    }
}

fn unconfirmed(lesson: &Lesson) -> Option<Exclusion> {
    let foreign = || (lesson.trust == Trust::Foreign).then_some(Exclusion::Foreign);
    let wordless = || lesson.text.body().is_none().then_some(Exclusion::Wordless);
    state_exclusion(lesson).or_else(foreign).or_else(wordless)
}

/// Whether a lesson may be shown to this need, apart from rank and budget.
pub fn exclusion(lesson: &Lesson, need: &Need, policy: &RankPolicy) -> Option<Exclusion> {
    // Last what takes its words apart.
    or_dangerous(unfit(lesson, need, policy), lesson)
}

fn unfit(lesson: &Lesson, need: &Need, policy: &RankPolicy) -> Option<Exclusion> {
    if let Some(reason) = unconfirmed(lesson) {
        return Some(reason);
    }
    if is_of_another(lesson, need) {
        return Some(Exclusion::OtherPerson);
    }
    let repair = lesson.guidance.repair.as_deref();
    if !lesson.is_persons() && says_nothing(lesson.text.as_str(), repair) {
        return Some(Exclusion::SaysNothing);
    }
    let is = Bound::of(lesson.project.is_none(), &lesson.scope);
    if let Some(wanted) = need.bound.filter(|wanted| *wanted != is) {
        return Some(Exclusion::Bound { is, wanted });
    }
    if is_wish(lesson, policy) && policy.preferences == Preferences::Always {
        return None;
    }
    let (standing, wanted) = (lesson.standing, policy.min_standing);
    if standing < wanted && !lesson.is_pinned {
        return Some(Exclusion::Standing { standing, wanted });
    }
    if let Some(violation) = scope_violation(lesson, need, policy) {
        return Some(Exclusion::Scope(violation));
    }
    if let RankOrder::Jkz(formula) = &policy.order
        && let Belonging::Other(of) = jkz::belonging(lesson, need, formula)
    {
        return Some(Exclusion::OtherSort { of });
    }
    if !applies(lesson, need) && !is_always_shown(lesson, policy) {
        return Some(Exclusion::NotNow);
    }
    None
}

/// Whether it is a wish that nobody has approved, of another person than the one who reads.
fn is_of_another(lesson: &Lesson, need: &Need) -> bool {
    let reader = need.person.as_deref().unwrap_or(OWN_PERSON);
    let theirs = lesson.scope.0.get(&Dimension::Person);
    lesson.is_personal() && theirs.is_some_and(|person| person != reader)
}

/// Whether a lesson is meant for this work: the need has half of the words that say when the
/// lesson applies. A need that says nothing excludes nothing.
fn applies(lesson: &Lesson, need: &Need) -> bool {
    let Some(when) = &lesson.guidance.applies_when else { return true };
    let wanted = unique_words(when);
    if wanted.is_empty() || !need.has_topic() {
        return true;
    }
    let stated = [&need.text, &need.task, &need.tool, &need.phase, &need.error_class];
    let stated = stated.into_iter().flatten().chain(&need.paths).chain(&need.tags);
    let known = unique_words(&stated.map(String::as_str).collect::<Vec<_>>().join("\n"));
    let n_known = wanted.iter().filter(|word| known.binary_search(word).is_ok()).count();
    2 * n_known >= wanted.len()
}

/// The pair of its scope by which a lesson is meant for something else.
fn scope_violation(lesson: &Lesson, need: &Need, policy: &RankPolicy) -> Option<Violation> {
    let is_standing = policy.order == RankOrder::Standing;
    let n_seen = if is_standing { lesson.standing } else { lesson.n_sightings };
    let is_universal = policy.universal_at > 0 && n_seen >= policy.universal_at;
    // There, another role, mission or task ranks a lesson low, or the sort of the role decides:
    // none of them excludes it.
    let ranked: &[Dimension] = match policy.order {
        RankOrder::Geas(_) => &[Dimension::Role, Dimension::Session, Dimension::Task],
        RankOrder::Jkz(_) => &[Dimension::Role],
        RankOrder::Standing | RankOrder::Chance(_) | RankOrder::Archivist(_) => &[],
    };
    let mut scope = lesson.scope.clone();
    scope.0.retain(|dimension, _| !ranked.contains(dimension));
    scope.violation(need, is_universal)
}

/// Whether it was seen so often that it is shown to every need: where standing decides, such a
/// lesson is not displaced by preferences either.
pub fn is_always_shown(lesson: &Lesson, policy: &RankPolicy) -> bool {
    let is_universal = policy.universal_at > 0 && lesson.standing >= policy.universal_at;
    policy.order == RankOrder::Standing && is_universal
}

/// Whether it is a preference that other lessons never displace.
pub fn is_wish(lesson: &Lesson, policy: &RankPolicy) -> bool {
    match policy.preferences {
        // What the user typed several times has its place among what they stated.
        Preferences::Stated => lesson.is_wish() || lesson.is_personal(),
        Preferences::Always => lesson.kind == Kind::Preference,
    }
}

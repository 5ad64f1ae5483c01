//! Do two lessons give opposite advice? Then one of them gives way, and a block never contradicts
//! itself. The same answer keeps a finding from being a sighting of what it denies, two lessons
//! from being merged, and sends both of two that runs taught under review.

mod clause;
mod opposite;

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::eligible::Exclusion;
use crate::lesson::{Kind, Lesson, State, Trust};
use crate::list;
use crate::policy::RankPolicy;
use crate::reflect::Candidate;
use crate::scope::Dimension;
use crate::words::{Beginnings, sorted_unique};

use opposite::Said;
pub use opposite::{oppose, praises};

/// Category of a lesson that warns of a risk.
const RISK_CATEGORY: &str = "risk_pattern";

const APOSTROPHES: [char; 2] = ['\'', '\u{2019}'];
/// Words that make an order wherever they stand.
const MODAL: &[&str] = list!("conflict.txt", "modal");
/// Verbs that ask for a thing at the beginning of a clause.
const ASKING: &[&str] = list!("conflict.txt", "asking");
/// Words that turn what follows round, and begin an order.
const TURNING: &[&str] = list!("conflict.txt", "turning");
/// Words that begin an order and turn nothing.
const LEADING: &[&str] = list!("conflict.txt", "leading");

/// Whether a lesson warns of a risk.
pub fn is_risk(lesson: &Lesson) -> bool {
    lesson.category.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(RISK_CATEGORY))
}

/// What goes before what, first to last: rules and wishes, the project's lessons, a role's,
/// those of no project, warnings of risk. (The source of this order has no lessons without
/// a project; what is known of this very project goes before them.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precedence {
    Rule,
    Project,
    Role,
    Global,
    Risk,
}

impl Precedence {
    pub fn of(lesson: &Lesson) -> Self {
        // A rule that no person stated or approved is a claim like any other.
        let is_rule = lesson.kind == Kind::Rule && lesson.trust == Trust::Trusted;
        if is_rule || lesson.is_wish() {
            Precedence::Rule
        } else if is_risk(lesson) {
            Precedence::Risk
        } else if lesson.scope.0.contains_key(&Dimension::Role) {
            Precedence::Role
        } else if lesson.project.is_none() {
            Precedence::Global
        } else {
            Precedence::Project
        }
    }
}

/// Lessons that give way to one that contradicts them, by index, each with the reason. A
/// lesson gives way only to one that stays.
pub fn losers(lessons: &[Lesson], policy: &RankPolicy) -> Vec<(usize, Exclusion)> {
    if !policy.conflicts {
        return Vec::new();
    }
    let (orders, others): (Vec<usize>, Vec<usize>) =
        (0..lessons.len()).partition(|index| may_instruct(lessons[*index].text.as_str()));
    let take = |index: usize| (index, Said::of(lessons[index].text.as_str()));
    let mut said: Vec<(usize, Said)> = orders.into_iter().map(take).collect();
    // "Commit to main" is an order beside "Never commit to main", and alone not worth a look.
    let verbs: BTreeSet<String> = said.iter().flat_map(|(_, it)| it.verbs()).cloned().collect();
    let is_verb = |index: &usize| opposite::begins_with(lessons[*index].text.as_str(), &verbs);
    said.extend(others.into_iter().filter(is_verb).map(take));
    said.sort_by(|(a, _), (b, _)| goes_before(&lessons[*a]).cmp(&goes_before(&lessons[*b])));
    let mut staying: Vec<(usize, Said)> = Vec::new();
    let mut losing: Vec<(usize, Exclusion)> = Vec::new();
    for (index, own) in said {
        match staying.iter().find(|(_, other)| own.opposes(other)) {
            Some((winner, _)) => {
                let by = lessons[*winner].id.to_string();
                losing.push((index, Exclusion::Contradicts { by }));
            }
            None => staying.push((index, own)),
        }
    }
    losing.sort_by_key(|(index, _)| *index);
    losing
}

/// Order in which lessons stay: by precedence; of wishes the later one; then pinned ones, better
/// established ones, surer ones, newer ones; then by id, so that the order is total.
fn goes_before(lesson: &Lesson) -> impl Ord {
    let state = match lesson.state {
        State::Canonical => 0,
        State::Stable => 1,
        State::Provisional => 2,
        State::Candidate | State::UnderReview | State::Decayed | State::Quarantined => 3,
        State::Superseded | State::Archived | State::Rejected => 3,
    };
    let later = lesson.is_wish().then_some(Reverse(lesson.created_at));
    let confidence = Reverse((lesson.confidence * 1000.0) as i64);
    let newest = Reverse(lesson.updated_at);
    let id = lesson.id.to_string();
    (Precedence::of(lesson), later, !lesson.is_pinned, state, confidence, newest, id)
}

/// Whether an earlier wish ends because the same person said the opposite of it since.
pub fn ends(said: &Candidate, earlier: &Lesson) -> bool {
    let is_open = earlier.is_personal() && said.is_said() && said.may_be(earlier);
    is_open && oppose(&said.text, earlier.text.as_str())
}

/// Words by which a text could ask or forbid, in byte order, and how they begin: every word of
/// every candidate is looked up, once a block.
static OPENERS: LazyLock<(Vec<&str>, Beginnings)> = LazyLock::new(|| {
    let lists = [MODAL, ASKING, TURNING, LEADING];
    let all = lists.iter().flat_map(|list| list.iter().copied());
    let words = sorted_unique(all.collect());
    let beginnings = Beginnings::of(words.iter().copied());
    (words, beginnings)
});

/// Whether a text holds a word by which it could ask or forbid. Most texts do not, which
/// is seen without cutting them up.
pub(crate) fn may_instruct(text: &str) -> bool {
    let (openers, beginnings) = &*OPENERS;
    let mut letters = String::new();
    let opens = |word: &str| {
        letters.clear();
        letters.extend(word.chars().filter(|c| !APOSTROPHES.contains(c)));
        letters.make_ascii_lowercase();
        let may_open = letters.len() > 1 && beginnings.has(letters.as_bytes());
        may_open && openers.binary_search(&letters.as_str()).is_ok()
    };
    // An instruction begins a clause, or has a modal verb.
    text.split(|c: char| !c.is_alphanumeric() && !APOSTROPHES.contains(&c)).any(opens)
}

//! Which of the lessons that would be shown are left to chance, and what it decides. A
//! lesson that is held out gives its place to the next one.

use hardwon_core::budget::{Room, is_near};
use hardwon_core::effect::Arm;
use hardwon_core::holdout::{self, Draw, Drawn, chance};
use hardwon_core::ids::RunId;
use hardwon_core::lesson::Lesson;
use hardwon_core::matching::compare;
use hardwon_core::rank::Ranked;
use hardwon_core::voice::Voice;
use hardwon_render::block::Style;
use hardwon_store::Tree;

use super::InjectRequest;
use crate::blocks::inject;
use crate::fitting;
use crate::memory::{Call, Memory};

/// The run by which chance decides: the root run, as far as it is known, because that
/// is what is judged. `None` = nothing is left to chance: unless the setting says otherwise, that
/// holds for the sessions of one person, who has too few to learn from and misses each line.
pub(crate) fn draws_by(
    memory: &Memory,
    call: &Call,
    request: &InjectRequest,
    tree: Option<&Tree>,
) -> Option<RunId> {
    let is_pipeline = call.speaker.voice == Voice::Script;
    let is_many = is_pipeline || call.seat.is_some() || memory.settings.is_team();
    let is_on = memory.settings.get("holdout").map_or(is_many, |setting| setting.value == "on");
    let run = request.run.as_ref().filter(|_| is_on).map(|run| memory.safe_run(run))?;
    let known = tree.and_then(|tree| tree.runs.iter().find(|known| known.id == run));
    Some(known.map_or(run.clone(), |known| known.root.clone()))
}

/// What chance decides about a lesson that would be shown.
pub(crate) fn arm(memory: &Memory, lesson: &Lesson, run: Option<&RunId>) -> Option<Arm> {
    chance(lesson, run?, &memory.policy.holdout)
}

/// Fits the ranked lessons, without those that are held out.
pub(crate) fn draw(
    memory: &Memory,
    eligible: &[Lesson],
    ranked: Vec<Ranked>,
    run: Option<&RunId>,
    style: Style,
    room: &Room,
) -> Drawn {
    let bar = memory.policy.budget.near_duplicate;
    let wordings = compare::Wordings::default();
    holdout::draw(Draw {
        eligible,
        ranked,
        is_held_out: &|lesson| arm(memory, lesson, run) == Some(Arm::HeldOut),
        is_copy: &|held_out, other| {
            !inject::is_kept(memory, other) && is_near(held_out, other, &wordings, bar)
        },
        fit: &|ranked| fitting::fit(memory, eligible, ranked, style, room),
    })
}

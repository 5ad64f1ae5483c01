//! Which of the lessons that would be shown are left to chance, and what it decides. A
//! lesson that is held out gives its place to the next one.

use hardwon_core::budget::{Fit, Room};
use hardwon_core::effect::Arm;
use hardwon_core::eligible::Exclusion;
use hardwon_core::holdout::chance;
use hardwon_core::ids::RunId;
use hardwon_core::lesson::Lesson;
use hardwon_core::matching::compare;
use hardwon_core::rank::Ranked;
use hardwon_render::block::Style;
use hardwon_store::Tree;

use super::InjectRequest;
use crate::blocks::inject;
use crate::memory::Memory;

/// What fits when what chance holds out is taken away.
pub(super) struct Drawn {
    pub fit: Fit,
    /// What `fit` has chosen from.
    pub ranked: Vec<Ranked>,
    pub held_out: Vec<Ranked>,
    /// Near copies of what was held out: showing them would show it after all.
    pub copies: Vec<(Ranked, Exclusion)>,
}

/// The run by which chance decides: the root run, as far as it is known, because that
/// is what is judged. `None` = nothing is left to chance.
pub(crate) fn draws_by(
    memory: &Memory,
    request: &InjectRequest,
    tree: Option<&Tree>,
) -> Option<RunId> {
    let is_off = memory.settings.get("holdout").is_some_and(|setting| setting.value == "off");
    let run = request.run.as_ref().filter(|_| !is_off).map(|run| memory.safe_run(run))?;
    let known = tree.and_then(|tree| tree.runs.iter().find(|known| known.id == run));
    Some(known.map_or(run.clone(), |known| known.root.clone()))
}

/// What chance decides about a lesson that would be shown.
pub(crate) fn arm(memory: &Memory, lesson: &Lesson, run: Option<&RunId>) -> Option<Arm> {
    chance(lesson, run?, &memory.policy.holdout)
}

/// Fits the ranked lessons, and fits again while one that would be shown is held out.
pub(crate) fn draw(
    memory: &Memory,
    eligible: &[Lesson],
    ranked: Vec<Ranked>,
    run: Option<&RunId>,
    style: Style,
    room: &Room,
) -> Drawn {
    let fit = inject::fit(memory, eligible, &ranked, style, room);
    let mut drawn = Drawn { fit, ranked, held_out: Vec::new(), copies: Vec::new() };
    loop {
        let chosen = drawn.fit.chosen.iter().map(|chosen| chosen.index);
        let is_held_out = |index: &usize| {
            let lesson = &eligible[drawn.ranked[*index].index];
            arm(memory, lesson, run) == Some(Arm::HeldOut)
        };
        let Some(index) = chosen.into_iter().find(is_held_out) else { return drawn };
        let held_out = drawn.ranked.remove(index);
        take_copies(memory, eligible, &held_out, &mut drawn);
        drawn.held_out.push(held_out);
        drawn.fit = inject::fit(memory, eligible, &drawn.ranked, style, room);
    }
}

fn take_copies(memory: &Memory, eligible: &[Lesson], held_out: &Ranked, drawn: &mut Drawn) {
    let bar = memory.policy.budget.near_duplicate;
    let lesson = &eligible[held_out.index];
    let wordings = compare::Wordings::default();
    let is_copy = |other: &Ranked| {
        let other = &eligible[other.index];
        !inject::is_kept(memory, other) && bar <= 1.0 && wordings.overlap(lesson, other) >= bar
    };
    let (copies, rest): (Vec<Ranked>, Vec<Ranked>) =
        std::mem::take(&mut drawn.ranked).into_iter().partition(is_copy);
    drawn.ranked = rest;
    let reason = Exclusion::NearDuplicate { of: lesson.id.to_string() };
    drawn.copies.extend(copies.into_iter().map(|copy| (copy, reason.clone())));
}

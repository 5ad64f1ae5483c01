//! Pages about one thing.

use hardwon_engine::{lessons as all, lookup, runs as past, seat};
use hardwon_render::page::{self, LessonPage, ReviewItem, ReviewPage, RunPage, SessionPage};

use super::super::api;
use super::super::route::{Ask, Reply};
use super::super::trouble::Trouble;
use super::super::views;
use super::page;
use crate::review::proposed_settings;

/// Lessons that are offered for a merge.
const N_NEAR: usize = 5;

pub fn lesson(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    let mut open = ask.reader()?;
    let (memory, call) = open.parts();
    let lesson = lookup::lesson_named(memory, call, ask.id())?;
    let story = all::show(memory, call, lesson.id.as_str())?.body;
    let near = all::near(memory, call, &lesson, N_NEAR)?;
    let choices = all::choices(memory, call, &lesson)?;
    let if_match = all::version_tag(&lesson);
    let shown = LessonPage { story: &story, if_match: &if_match, near: &near, choices: &choices };
    page(ask, &mut open, |shell| page::lesson(shell, &shown))
}

pub fn run(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    let run = api::run_id(ask.id())?;
    let mut open = ask.reader()?;
    let (memory, call) = open.parts();
    let story = past::runs_show(memory, call, &run)?.body;
    let view = views::tree(memory, call, &run)?;
    let shown =
        RunPage { story: &story, tree: &view.tree, blocks: &view.blocks, panel: &view.panel };
    page(ask, &mut open, |shell| page::run(shell, &shown))
}

pub fn session(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    let mut open = ask.reader()?;
    let view = views::session(&mut open, ask.id())?.body;
    let shown = SessionPage {
        session: ask.id(),
        tree: &view.tree,
        panel: &view.panel,
        blocks: &view.blocks,
    };
    page(ask, &mut open, |shell| page::session(shell, &shown))
}

/// The first that waits and was not passed over.
pub fn review(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    let mut open = ask.reader()?;
    let skipped: Vec<String> =
        ask.query.all("skip").flat_map(|ids| ids.split(',')).map(str::to_owned).collect();
    let (memory, call) = open.parts();
    let settings = proposed_settings(&ask.house.desk.environment);
    let (n_waiting, first) = all::review_next(memory, call, &skipped)?;
    let first = first.as_ref();
    let details = match first {
        Some(queued) => {
            let lesson = lookup::lesson_named(memory, call, &queued.lesson.id.to_string())?;
            let story = all::show(memory, call, lesson.id.as_str())?.body;
            let near = all::near(memory, call, &lesson, N_NEAR)?;
            let choices = all::choices(memory, call, &lesson)?;
            Some((story, near, choices, all::version_tag(&lesson)))
        }
        None => None,
    };
    let item = first.zip(details.as_ref()).map(|(queued, (story, near, choices, if_match))| {
        ReviewItem { queued, if_match, choices, story: Some(story), near }
    });
    let shown = ReviewPage {
        item,
        skipped: &skipped,
        n_waiting,
        settings: &settings,
        is_team: memory.settings.is_team() || seat::has_team(memory, call)?,
    };
    page(ask, &mut open, |shell| page::review(shell, &shown))
}

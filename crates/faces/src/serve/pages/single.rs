//! Pages about one thing.

use hardwon_engine::answer::{Choice, LessonStory, Named};
use hardwon_engine::settings::proposed::proposed;
use hardwon_engine::{
    Call, EngineError, Memory, blocks, lessons as all, lookup, overview, runs as past, seat,
};
use hardwon_render::page::{self, LessonPage, ReviewItem, ReviewPage, RunPage};

use super::super::api;
use super::super::route::{Answered, Ask};
use super::page;

/// Lessons that are offered for a merge.
const N_NEAR: usize = 5;

/// What a page says of one lesson.
struct Looked {
    story: LessonStory,
    near: Vec<Named>,
    choices: Vec<Choice>,
    if_match: String,
}

fn looked(memory: &Memory, call: &Call, name: &str) -> Result<Looked, EngineError> {
    let lesson = lookup::lesson_named(memory, call, name)?;
    Ok(Looked {
        story: all::show(memory, call, lesson.id.as_str())?.body,
        near: all::near(memory, call, &lesson, N_NEAR)?,
        choices: all::choices(memory, call, &lesson)?,
        if_match: all::version_tag(&lesson),
    })
}

pub fn lesson(ask: &mut Ask<'_>) -> Answered {
    let open = ask.reader()?;
    let Looked { story, near, choices, if_match } = &looked(open.memory(), &open.call, ask.id())?;
    page(ask, &open, |shell| page::lesson(shell, &LessonPage { story, if_match, near, choices }))
}

pub fn run(ask: &mut Ask<'_>) -> Answered {
    let run = api::run_id(ask.id())?;
    let open = ask.reader()?;
    let (memory, call) = (open.memory(), &open.call);
    let shown = RunPage {
        story: &past::runs_show(memory, call, &run)?.body,
        tree: &past::tree_nodes(memory, call, &run)?,
        blocks: &blocks::shown_blocks(memory, call, &run)?,
        panel: &past::learned(memory, call, std::slice::from_ref(&run))?,
    };
    page(ask, &open, |shell| page::run(shell, &shown))
}

pub fn session(ask: &mut Ask<'_>) -> Answered {
    let open = ask.reader()?;
    let view = overview::session(open.memory(), &open.call, ask.id())?.body;
    page(ask, &open, |shell| page::session(shell, &view))
}

/// The first that waits and was not passed over.
pub fn review(ask: &mut Ask<'_>) -> Answered {
    let open = ask.reader()?;
    let skipped: Vec<String> =
        ask.query.all("skip").flat_map(|ids| ids.split(',')).map(str::to_owned).collect();
    let (memory, call) = (open.memory(), &open.call);
    let (n_waiting, first) = all::review_next(memory, call, &skipped)?;
    let details = first.as_ref().map(|queued| looked(memory, call, &queued.lesson.id.to_string()));
    let details = details.transpose()?;
    let item = first.as_ref().zip(details.as_ref()).map(|(queued, looked)| {
        let Looked { story, near, choices, if_match } = looked;
        ReviewItem { queued, if_match, choices, story: Some(story), near }
    });
    let shown = ReviewPage {
        item,
        skipped: &skipped,
        n_waiting,
        settings: &proposed(&ask.house.desk.environment),
        is_team: memory.settings.is_team() || seat::has_team(memory, call)?,
    };
    page(ask, &open, |shell| page::review(shell, &shown))
}

//! Every page from made-up answers, with whatever words in every field.

use hardwon_core::finding::{FindingState, Severity};
use hardwon_core::ids::LessonId;
use hardwon_core::run::Outcome;
use hardwon_core::time::Timestamp;

use super::answers::{
    blocks, choices, evidence, lesson, line, overview, panel, queued, run_answer, story, tree,
};
use crate::answer::{
    Done, Effect, Lesson, Named, Overview, ProposedSetting, Related, RunLine, RunStory,
    SessionShown, Word,
};
use crate::page::{
    self, LessonFilter, LessonList, LessonRow, Notice, Paging, ProjectChoice, ReviewItem,
    ReviewPage, RunFilter, RunList, RunPage, Says, Shell, Trouble,
};
use crate::samples::{self, SQL};

/// What is put behind every text.
pub(super) struct Words(String);

impl Words {
    pub(super) fn plain() -> Words {
        Words(String::new())
    }

    pub(super) fn hostile(text: &str) -> Words {
        Words(text.to_owned())
    }

    pub(super) fn of(&self, text: &str) -> String {
        // A text that begins with it is the one that could become an address.
        if self.0.is_empty() { text.to_owned() } else { format!("{}{text}{}", self.0, self.0) }
    }

    pub(super) fn some(&self, text: &str) -> Option<String> {
        Some(self.of(text))
    }

    pub(super) fn all(&self, texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| self.of(text)).collect()
    }

    pub(super) fn named(&self, id: &str, text: &str) -> Named {
        Named::new(LessonId::given(&self.of(id)), self.of(text))
    }
}

pub(super) fn with_shell<T>(says: Says, is_default: bool, f: impl FnOnce(&Shell<'_>) -> T) -> T {
    shelled(&Words::plain(), says, is_default, f)
}

fn shelled<T>(words: &Words, says: Says, is_default: bool, f: impl FnOnce(&Shell<'_>) -> T) -> T {
    let choice = |id: &str| ProjectChoice { id: words.of(id), name: words.of(id) };
    let projects = [choice("demo"), choice("another project")];
    f(&Shell {
        member: None,
        project: &words.of("demo"),
        project_name: &words.of("demo"),
        is_default_project: is_default,
        projects: &projects,
        csrf: "token",
        speaker: says,
        now: Timestamp(samples::at(20).0 + 4_000_000),
        n_waiting: 3,
        notice: None,
    })
}

/// Every page, by name.
pub(super) fn pages(words: &Words, says: Says) -> Vec<(String, String)> {
    let notice =
        Notice { text: words.of("pinned l-sql0001"), is_failure: false, operation: Some(12) };
    shelled(words, says, false, |shell| {
        let shell = &Shell { notice: Some(notice), ..shell.clone() };
        let mut pages = Vec::new();
        let mut put = |name: &str, page: String| pages.push((name.to_owned(), page));
        put("overview", page::overview(shell, &overview(words)));
        put("lessons", lessons_page(words, shell));
        put("lesson", lesson_page(words, shell));
        put("runs", runs_page(words, shell));
        put("run", run_page(words, shell));
        let (tree, panel, blocks) = (tree(words), panel(words), blocks(words));
        let session = words.of("2026-04/night 3");
        let session = SessionShown { session, tree, panel, blocks };
        put("session", page::session(shell, &session));
        put("review", review_page(words, shell));
        let [title, message, hint] =
            ["Changed meanwhile", "Somebody else edited it.", "Reload and try again."]
                .map(|it| words.of(it));
        let trouble = Trouble { status: 409, title: &title, message: &message, hint: &hint };
        put("trouble", page::trouble(&trouble));
        pages
    })
}

fn lessons_page(words: &Words, shell: &Shell<'_>) -> String {
    let texts = [
        SQL,
        "検索でSQLを文字列連結しない、必ずプレースホルダを使うこと",
        "Use single bundled pull requests",
        "Shard `bun test` before an overnight run, since one long run timed out twice and the agent then retried it as a whole",
    ];
    let lessons: Vec<Lesson> = texts
        .iter()
        .enumerate()
        .map(|(n, text)| lesson(words, &format!("l-sql000{}", n + 1), text))
        .collect();
    let why = words.all(&["concatenation", "search"]);
    let rows = lessons.iter().map(|lesson| LessonRow { lesson, why: &why }).collect();
    let [text, tag, scope, next] = ["query", "auth", "tool=bash", "c/2"].map(|text| words.of(text));
    let filter =
        LessonFilter { state: "stable", kind: "pattern", text: &text, tag: &tag, scope: &scope };
    let paging =
        Paging { after: &next, previous: Some(""), next: Some(&next), n_all: Some(12_345) };
    page::lessons(shell, &LessonList { filter, rows, paging })
}

fn lesson_page(words: &Words, shell: &Shell<'_>) -> String {
    let (story, choices) = (story(words), choices(words));
    let near = [words.named("l-other01", "SQL of the user search is glued together")];
    let (story, near, choices) = (&story, &near, &choices);
    page::lesson(shell, &page::LessonPage { story, if_match: "v-7", near, choices })
}

fn runs_page(words: &Words, shell: &Shell<'_>) -> String {
    let outcomes = [None, Some(Outcome::Success), Some(Outcome::Failed), Some(Outcome::Aborted)];
    let runs: Vec<RunLine> = outcomes
        .iter()
        .enumerate()
        .map(|(n, one)| line(words, &format!("m1/task:r{n}"), 0, *one))
        .collect();
    let text = words.of("search");
    let filter = RunFilter { outcome: "failed", agent: &text, session: &text, text: &text };
    page::runs(
        shell,
        &RunList { filter, runs: &runs, paging: Paging { next: Some("c2"), ..Paging::default() } },
    )
}

fn run_page(words: &Words, shell: &Shell<'_>) -> String {
    let effect = Effect {
        lesson: words.named("l-sql0001", SQL),
        conclusion: story(words).page.effects[0].conclusion.clone(),
        attribution: None,
    };
    let step = hardwon_core::episode::StepKind::ALL[0];
    let done = Done {
        kind: Word(step),
        tool: words.of("bash"),
        action: words.of("bun test"),
        result: Word(hardwon_core::episode::StepResult::ALL[0]),
        error_class: None,
        error: words.some("timed out after 120 s"),
        duration_ms: Some(120_000),
        n: 2,
    };
    let run = run_answer(words, "m1/task:r4", Some(Outcome::Failed));
    let story = RunStory {
        related: vec![Related { run: run.clone(), reasons: words.all(&["same session"]) }],
        run,
        steps: vec![done],
        summary: words.of("It failed."),
        reflection: None,
        children: Vec::new(),
        findings: vec![evidence(words, FindingState::Open, Severity::Warning)],
        injections: Vec::new(),
        effects: vec![effect],
        lessons: Vec::new(),
    };
    let (tree, blocks, panel) = (tree(words), blocks(words), panel(words));
    page::run(shell, &RunPage { story: &story, tree: &tree, blocks: &blocks, panel: &panel })
}

fn review_page(words: &Words, shell: &Shell<'_>) -> String {
    let (queued, choices, story) = (queued(words), choices(words), story(words));
    let near = [words.named("l-other01", "SQL is glued together")];
    let item = ReviewItem {
        queued: &queued,
        if_match: "v-7",
        choices: &choices,
        story: Some(&story),
        near: &near,
    };
    let setting = ProposedSetting { name: words.of("team"), value: words.of("true") };
    let skipped = words.all(&["l-a", "l-b"]);
    page::review(
        shell,
        &ReviewPage {
            item: Some(item),
            skipped: &skipped,
            n_waiting: 3,
            settings: &[setting],
            is_team: true,
        },
    )
}

/// Every page with nothing on it.
pub(super) fn empty_pages() -> Vec<(String, String)> {
    with_shell(Says::Person, true, |shell| {
        let filter = LessonFilter { text: "zz", ..LessonFilter::default() };
        let filtered = LessonList { filter, ..LessonList::default() };
        let session = SessionShown { session: "r1".to_owned(), ..SessionShown::default() };
        let pages = [
            (
                "overview",
                page::overview(shell, &Overview { n_missing: Some(14), ..Overview::default() }),
            ),
            ("lessons", page::lessons(shell, &LessonList::default())),
            ("lessons-filtered", page::lessons(shell, &filtered)),
            ("runs", page::runs(shell, &RunList::default())),
            ("session", page::session(shell, &session)),
            ("review", page::review(shell, &ReviewPage::default())),
            (
                "trouble",
                page::trouble(&Trouble {
                    status: 401,
                    title: "Please come in again",
                    message: "This code was used, or is too old.",
                    hint: "hardwon serve --code",
                }),
            ),
        ];
        pages.map(|(name, page)| (format!("{name}-empty"), page)).into()
    })
}

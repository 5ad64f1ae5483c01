//! `hardwon list`: lessons, or runs, findings, agents' answers and attempts.

use clap::{Args, Subcommand};
use hardwon_engine::answer::{Answer, NoteHit};
use hardwon_engine::event::Problem;
use hardwon_engine::finding::FindingState;
use hardwon_engine::ids::RunId;
use hardwon_engine::lesson::{Kind, State};
use hardwon_engine::run::{Outcome, RunKind};
use hardwon_engine::{
    Call, DeliberationsRequest, FindingsRequest, ListRequest, Memory, OpenMemory, RunsRequest,
    SearchRequest, lessons, runs,
};
use hardwon_faces::{Exit, note_places};
use hardwon_foreign::ask::{self, Whom, question};
use hardwon_foreign::jkz::notes::{self, NotesWanted};
use hardwon_render::text;

use super::{CommandResult, Context, text_or_stdin, with_problems};
use crate::args::{self, ScopeArgs};

/// List lessons, or find them by words; also runs, findings, answers of agents, attempts
///
/// Without words the most valuable lessons come first, with words those that fit best, then notes.
/// Archived, superseded and rejected lessons are listed only with --all or --state.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct List {
    #[command(subcommand)]
    what: Option<What>,
    /// Find lessons by these words; identifiers are split, so `userId` finds `user id`
    #[arg(conflicts_with_all = NOT_WITH_WORDS.split(' '))]
    words: Vec<String>,
    /// Answer the question that the words are, with the lessons and runs that say so. A model, if
    /// one is set, writes it, below your caps
    #[arg(long, requires = "words")]
    answer: bool,
    /// Ask this backend, once: heuristic, anthropic, openai, claude-cli or codex-cli
    /// [default: reflect.backend]
    #[arg(long, value_name = "NAME", requires = "answer")]
    backend: Option<String>,
    /// Also archived, superseded and rejected lessons
    #[arg(long)]
    all: bool,
    /// candidate, provisional, stable, canonical, under_review, decayed, superseded,
    /// archived, rejected or quarantined (repeatable)
    #[arg(long = "state", value_parser = args::state)]
    states: Vec<State>,
    /// preference, pattern, anti_pattern, hint, rule, precedent or fact (repeatable)
    #[arg(long = "kind", value_parser = args::kind)]
    kinds: Vec<Kind>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Only lessons with this tag (repeatable)
    #[arg(long = "tag")]
    tags: Vec<String>,
    /// Only lessons that contain all these words
    #[arg(long)]
    text: Option<String>,
    /// At most this many [default with words: 20]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Only what comes after this place: `next` of the page before, with --json
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
}

/// What narrows a list and not a search.
const NOT_WITH_WORDS: &str = "states kinds tags text after domain role tool provider session task \
                              repo phase error_class";

#[derive(Subcommand)]
enum What {
    /// Runs, the newest first
    Runs {
        /// As a tree: each below the run that contains it
        #[arg(long)]
        tree: bool,
        /// Only runs of this session
        #[arg(long)]
        session: Option<String>,
        /// Only runs of this task
        #[arg(long)]
        task: Option<String>,
        /// orchestrator, subagent, healer, review, ci, session or other
        #[arg(long, value_parser = args::run_kind)]
        kind: Option<RunKind>,
        /// success, partial, failed or aborted
        #[arg(long, value_parser = args::outcome)]
        outcome: Option<Outcome>,
        /// Only runs of this agent
        #[arg(long)]
        agent: Option<String>,
        /// Only runs of the last N days
        #[arg(long, value_name = "N")]
        days: Option<u32>,
        /// At most this many (of a tree: root runs) [default: 20]
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
        /// Only what comes after this place: `next` of the page before, with --json
        #[arg(long, value_name = "CURSOR")]
        after: Option<String>,
    },
    /// Findings of all runs, the newest first
    Findings {
        /// open, fixed, regressed or dismissed
        #[arg(long, value_parser = args::finding_state)]
        state: Option<FindingState>,
        /// Only in this file, or below this folder
        #[arg(long)]
        path: Option<String>,
        /// Only those of this reviewer or tool
        #[arg(long)]
        author: Option<String>,
        /// Only those of this run, or of a root run and all below it
        #[arg(long, value_parser = args::run_id)]
        run: Option<RunId>,
        /// At most this many [default: 20]
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
        /// Only what comes after this place: `next` of the page before, with --json
        #[arg(long, value_name = "CURSOR")]
        after: Option<String>,
    },
    /// What agents answered, with their verdicts; with words, what fits best
    Answers {
        /// Only those that say about this, best first
        words: Vec<String>,
        /// Only those of this role
        #[arg(long)]
        role: Option<String>,
        /// Only those of this run
        #[arg(long, value_parser = args::run_id)]
        run: Option<RunId>,
        /// pass, fail, fixed, partial, blocked or another word of theirs
        #[arg(long)]
        verdict: Option<String>,
        /// Only those of the last N days
        #[arg(long, value_name = "N")]
        days: Option<u32>,
        /// At most this many [default: 20]
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
    },
    /// What was tried about an issue, in order, and how it went
    ///
    /// With `--is` it also says whether a text or a diff was tried before; exit status 1 if it was.
    Attempts {
        /// The issue: 12, #12, issue-12, its address or another name
        issue: String,
        /// A text or a diff that somebody is about to try; `-` reads standard input
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        is: Option<String>,
    },
}

impl What {
    fn run(self, context: &Context) -> CommandResult {
        match self {
            What::Runs { tree, session, task, kind, outcome, agent, days, limit, after } => {
                let request =
                    RunsRequest { session, task, kind, outcome, agent, days, limit, after };
                if tree {
                    let tree = |memory: &_, call: &_| runs::runs_tree(memory, call, None, &request);
                    return context.reads(tree, text::run_tree);
                }
                context.reads(|memory, call| runs::runs_list(memory, call, &request), text::runs)
            }
            What::Findings { state, path, author, run, limit, after } => {
                let request = FindingsRequest { state, path, author, run, limit, after };
                let list = |memory: &_, call: &_| runs::findings_list(memory, call, &request);
                context.reads(list, text::findings)
            }
            What::Answers { words, role, run, verdict, days, limit } => {
                let text = (!words.is_empty()).then(|| words.join(" "));
                let request = DeliberationsRequest { text, role, run, verdict, days, limit };
                let list = |memory: &Memory, call: &Call| {
                    runs::deliberations(memory, call, &request, &mut context.embed(memory))
                };
                context.reads(list, text::deliberations)
            }
            What::Attempts { issue, is } => {
                let is = is.map(text_or_stdin).transpose()?;
                let open = context.reader()?;
                let answer = runs::tried(&open.memory, &open.call, &issue, is.as_deref())?;
                let is_new = answer.body.repeats.is_empty();
                context.print(&open, answer, text::tried)?;
                Ok(if is_new { Exit::Done } else { Exit::Negative })
            }
        }
    }
}

impl List {
    pub fn run(self, context: &Context) -> CommandResult {
        if let Some(what) = self.what {
            return what.run(context);
        }
        let words = self.words.join(" ");
        if self.answer {
            return answer(context, words, self.backend.as_deref());
        }
        if !words.is_empty() {
            return search(context, words, self.limit, self.all);
        }
        let request = ListRequest {
            is_all: self.all,
            states: self.states,
            kinds: self.kinds,
            scope: self.scope.pairs(),
            tags: self.tags,
            text: self.text,
            limit: self.limit,
            after: self.after,
        };
        context.reads(|memory, call| lessons::list(memory, call, &request), text::lessons)
    }
}

/// At most this many without --limit.
const N_SHOWN: usize = 20;

/// Lessons that have these words, best first, then notes.
pub fn search(
    context: &Context,
    text: String,
    limit: Option<usize>,
    is_all: bool,
) -> CommandResult {
    let limit = limit.unwrap_or(N_SHOWN);
    let open = context.reader()?;
    let request = SearchRequest { text, limit, is_all };
    let mut embed = context.embed(&open.memory);
    let mut answer = lessons::search(&open.memory, &open.call, &request, &mut embed)?;
    let wanted = NotesWanted { text: &request.text, role: None, n_words: 1, limit };
    let notes = notes::find(&context.environment, &note_places(), &open.memory, &wanted);
    answer.body.notes = notes.iter().map(NoteHit::from).collect();
    if !notes.is_empty() {
        answer = Answer::of(answer.body, answer.problems);
    }
    context.print(&open, answer, text::hits)
}

/// So many lessons are looked at.
const N_HITS: usize = 12;

/// Answers a question from memory: with a model in a few sentences that cite lessons, or "memory
/// does not know"; without one by the lessons and notes that fit best.
pub fn answer(context: &Context, asked: String, backend: Option<&str>) -> CommandResult {
    let reader = context.reader()?;
    let request = SearchRequest { text: asked.clone(), limit: N_HITS, is_all: false };
    let mut hits = lessons::search(&reader.memory, &reader.call, &request, &mut |_| None)?.body;
    let wanted = NotesWanted { text: &asked, role: None, n_words: 2, limit: N_HITS };
    let notes = notes::find(&context.environment, &note_places(), &reader.memory, &wanted);
    hits.notes = notes.iter().map(NoteHit::from).collect();
    let setup = match ask::whom(&reader.memory.settings, backend)? {
        Whom::Nobody | Whom::Host => {
            let answer = Answer::of(question::by_words(&asked, hits), Vec::new());
            let answer = answer.empty_if(|it| !it.is_known);
            return context.print(&reader, answer, text::answered);
        }
        Whom::Backend(setup) => setup,
    };
    drop(reader);
    let mut open = context.writer()?;
    let OpenMemory { memory, call } = &mut open;
    let mut answer = match ask::open(&setup) {
        Ok(model) => question::answer(memory, call, &*model, &asked, hits)?,
        Err(no_answer) => {
            let answer = Answer::of(question::by_words(&asked, hits), Vec::new());
            with_problems(answer, &[Problem::new(setup.backend.word(), no_answer.reason)])
        }
    };
    answer.body.runs = question::runs_of(memory, call, &answer.body.lessons)?;
    context.print(&open, answer, text::answered)
}

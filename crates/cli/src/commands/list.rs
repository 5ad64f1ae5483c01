//! `hardwon list`: lessons, or runs, findings, agents' answers and attempts.

use clap::{Args, Subcommand};
use hardwon_engine::lesson::{Kind, State};
use hardwon_engine::{ListRequest, lessons};
use hardwon_render::text;

use super::{CommandResult, Context, answers, ask, findings, runs, search, tried};
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
    #[arg(conflicts_with_all = NOT_WITH_WORDS)]
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
const NOT_WITH_WORDS: [&str; 14] = [
    "states",
    "kinds",
    "tags",
    "text",
    "after",
    "domain",
    "role",
    "tool",
    "provider",
    "session",
    "task",
    "repo",
    "phase",
    "error_class",
];

#[derive(Subcommand)]
enum What {
    /// Runs, the newest first
    Runs(runs::Runs),
    /// Findings of all runs, the newest first
    Findings(findings::Findings),
    /// What agents answered, with their verdicts; with words, what fits best
    Answers(answers::Answers),
    /// What was tried about an issue, in order, and how it went
    ///
    /// With `--is` it also says whether a text or a diff was tried before; exit status 1 if it was.
    Attempts(tried::TriedArgs),
}

impl List {
    pub fn run(self, context: &Context) -> CommandResult {
        match self.what {
            Some(What::Runs(args)) => return args.run(context),
            Some(What::Findings(args)) => return args.run(context),
            Some(What::Answers(args)) => return args.run(context),
            Some(What::Attempts(args)) => return args.run(context),
            None => {}
        }
        let words = self.words.join(" ");
        if self.answer {
            return ask::answer(context, words, self.backend.as_deref());
        }
        if !words.is_empty() {
            return search::search(context, words, self.limit, self.all);
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

//! `hardwon review`

mod walk;

use clap::{Args, Subcommand};
use hardwon_engine::answer::Answer;
use hardwon_engine::lesson::{Decision, Lesson, State};
use hardwon_engine::{DecideRequest, OpenMemory, lessons, overview};
use hardwon_faces::{Exit, Failure};
use hardwon_foreign::LayoutName;
use hardwon_foreign::ask::{self, Whom, merge};
use hardwon_foreign::trust::{self, Asked};
use hardwon_render::text;

use super::{CommandResult, Context, is_yes};
use crate::args;

/// List the lessons that wait for a decision, and decide
///
/// Without a subcommand it goes through the queue one by one on a terminal, and lists it
/// elsewhere. Nothing waits for you unless `team` is on; you may decide about any lesson.
#[derive(Args)]
pub struct ReviewArgs {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Subcommand)]
enum What {
    /// Lessons that wait for a decision, the most urgent first
    List {
        /// Print the request for a reviewing agent instead
        #[arg(long)]
        prompt: bool,
    },
    /// Everything about one lesson, as `hardwon show`
    Show {
        /// The lesson: its id, a unique prefix of it, or an alias
        lesson: String,
    },
    /// Approve a lesson: it rises by one state, if it has earned that
    ///
    /// In a team, canonical needs the approvals of two people with two authorities; where the
    /// orchestrator decides, of two people.
    Approve(DecisionArgs),
    /// Keep it as it is; a lesson under review gets its earlier state back
    Keep(DecisionArgs),
    /// Reject a wrong or useless lesson; what it had replaced goes under review
    Reject(DecisionArgs),
    /// Lower its state: canonical and stable become provisional, provisional a candidate
    ///
    /// A lesson under review becomes provisional, or a candidate if it was not shown before.
    Weaken(DecisionArgs),
    /// Replace it with another lesson
    Supersede {
        #[command(flatten)]
        decision: DecisionArgs,
        /// The lesson that replaces it
        #[arg(long, value_name = "LESSON")]
        with: String,
    },
    /// Archive it; `hardwon edit LESSON --restore` brings it back
    Archive(DecisionArgs),
    /// Pairs of lessons that may say the same; nothing is ever merged automatically
    Merges(Merges),
    /// Show the lessons of an export or another system's folder, and trust them
    ///
    /// A file from another person, or a folder that came with a checkout, is not trusted
    /// automatically. This prints its lessons and remembers the digest of its content: `import`
    /// then treats them as approved by you. Any change of the file or folder ends that. On a
    /// terminal it asks first.
    Trust(Trust),
    /// Put it in doubt: it is not shown until it is reviewed
    Request {
        /// The lesson: its id, a unique prefix of it, or an alias
        lesson: String,
        /// The reason
        #[arg(long)]
        because: String,
    },
}

#[derive(Args)]
struct DecisionArgs {
    /// The lesson: its id, a unique prefix of it, or an alias
    lesson: String,
    /// The reason
    #[arg(long)]
    because: String,
    /// Who decides [default: you]
    #[arg(long, value_name = "WHO")]
    by: Option<String>,
}

impl ReviewArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        use Decision::*;
        let (decision, args, with) = match self.what {
            None if context.can_ask() => return walk::walk(context),
            None => return list(context, false),
            Some(What::List { prompt }) => return list(context, prompt),
            Some(What::Show { lesson }) => return show(context, &lesson),
            Some(What::Merges(args)) => return args.run(context),
            Some(What::Trust(args)) => return args.run(context),
            Some(What::Request { lesson, because }) => {
                let doubt =
                    |memory: &mut _, call: &_| lessons::doubt(memory, call, &lesson, &because);
                return context.changes(doubt, |_| None);
            }
            Some(What::Approve(args)) => (Approve, args, None),
            Some(What::Keep(args)) => (Keep, args, None),
            Some(What::Reject(args)) => (Reject, args, None),
            Some(What::Weaken(args)) => (Weaken, args, None),
            Some(What::Archive(args)) => (Archive, args, None),
            Some(What::Supersede { decision, with }) => (Supersede, decision, Some(with)),
        };
        let DecisionArgs { lesson, because, by } = args;
        let request = DecideRequest { lesson, decision, because, by, with };
        let decide = |memory: &mut _, call: &_| lessons::decide(memory, call, &request);
        context.changes(decide, |lesson| first_approval_note(lesson).map(str::to_owned))
    }
}

/// A note for a person who approved a lesson that did not rise.
fn first_approval_note(lesson: &Lesson) -> Option<&'static str> {
    let last = lesson.last_decision()?;
    let is_first = last.decision == Decision::Approve && last.to == State::Stable;
    (is_first && last.from == last.to).then_some(
        "noted as the first of two approvals; `hardwon review list` says who may give the second",
    )
}

fn list(context: &Context, is_prompt: bool) -> CommandResult {
    let queue = |memory: &_, call: &_| overview::review_queue(&context.environment, memory, call);
    context.reads(queue, |queue, width| {
        if is_prompt { text::review_prompt(queue) } else { text::review_queue(queue, width) }
    })
}

fn show(context: &Context, lesson: &str) -> CommandResult {
    let open = context.reader()?;
    let answer = lessons::show(&open.memory, &open.call, lesson)?;
    let now = open.call.now;
    context.answer(&answer.map(|story| story.page), |page, width| text::show(page, now, width))
}

#[derive(Args)]
pub struct Merges {
    /// List at most this many pairs
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Ask the model that is set (`hardwon config model use`) about each of these pairs, once
    #[arg(long, conflicts_with = "proposed")]
    ask: bool,
    /// List the pairs that a model or an agent holds for one, with its reason
    #[arg(long)]
    proposed: bool,
}

impl Merges {
    pub fn run(self, context: &Context) -> CommandResult {
        if self.ask {
            return ask_model(context, self.limit);
        }
        let open = context.reader()?;
        if self.proposed {
            let pairs = merge::proposed(&open.memory, &open.call)?;
            let answer = Answer::of(pairs, Vec::new()).empty_if(|it| it.pairs.is_empty());
            return context.print(&open, answer, text::near_pairs);
        }
        let answer = lessons::near_pairs(&open.memory, &open.call, self.limit)?;
        context.answer(&answer, text::near_pairs)
    }
}

fn ask_model(context: &Context, limit: usize) -> CommandResult {
    let mut open = context.writer()?;
    let OpenMemory { memory, call } = &mut open;
    let hint =
        Some("`hardwon config model use BACKEND` sets one up; without it pairs are only listed");
    let Whom::Backend(setup) = ask::whom(&memory.settings, None)? else {
        return Err(Failure::usage("no model is set", hint));
    };
    let model = ask::open(&setup).map_err(|it| Failure::usage(it.reason, hint))?;
    let mut tell = |asked: &_| context.printer.talk(&text::asked(asked));
    let answer = merge::ask_about_pairs(memory, call, &*model, limit, &mut tell)?;
    context.print(&open, answer, text::near_pairs)
}

#[derive(Args)]
pub struct Trust {
    /// A file that `hardwon export` or the MCP memory server wrote; or the folder, or the one that
    /// contains it
    path: String,
    /// Its layout: hardwon, archeflow, openagents, jkz (a folder of notes) or mcp [default:
    /// detected from the content]
    #[arg(long = "from", value_name = "LAYOUT", value_parser = args::layout)]
    layout: Option<LayoutName>,
    /// Only show the lessons
    #[arg(long)]
    look: bool,
    /// Stop trusting it
    #[arg(long, conflicts_with = "look")]
    revoke: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

const CHANGED: &str = "it changed while it was shown, so what is there now is not trusted: look at \
                       it again";

impl Trust {
    pub fn run(self, context: &Context) -> CommandResult {
        let environment = &context.environment;
        let asked = Asked { path: &self.path, layout: self.layout };
        if self.revoke {
            return context.answer(&trust::unpin(environment, asked)?, |body, _| text::trust(body));
        }
        let asks = !self.yes && context.can_ask();
        if !self.look && !asks {
            return context.answer(&trust::pin(environment, asked)?, |body, _| text::trust(body));
        }
        let shown = trust::look(environment, asked)?;
        context.answer(&shown, |body, _| text::trust(body))?;
        if !self.look && is_yes("Trust these lessons?") {
            trust::pin_shown(environment, asked, &shown.body)?;
            let is_same = trust::look(environment, asked)
                .is_ok_and(|now| now.body.digest == shown.body.digest);
            context.printer.talk(if is_same { "trusted as it is now" } else { CHANGED });
        }
        Ok(Exit::Done)
    }
}

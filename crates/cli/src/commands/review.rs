//! `hardwon review`

mod walk;

use clap::{Args, Subcommand};
use hardwon_engine::lesson::{Decision, Lesson, State};
use hardwon_engine::{DecideRequest, lessons, overview};
use hardwon_render::text;

use super::{CommandResult, Context, merges, trust};

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
    Merges(merges::Merges),
    /// Show the lessons of an export or another system's folder, and trust them
    ///
    /// A file from another person, or a folder that came with a checkout, is not trusted
    /// automatically. This prints its lessons and remembers the digest of its content: `import`
    /// then treats them as approved by you. Any change of the file or folder ends that. On a
    /// terminal it asks first.
    Trust(trust::Trust),
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

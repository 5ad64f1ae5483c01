//! `hardwon geas`

use clap::{Args, Subcommand};
use hardwon_engine::answer::{Answer, OneLesson};
use hardwon_engine::lesson::Decision;
use hardwon_engine::{Access, DecideRequest, EngineError};
use hardwon_faces::{Exit, Failure};
use hardwon_foreign::geas::{Geas, PacketAsk, Tasks, decision_of};
use hardwon_render::text;
use serde::Serialize;

use super::{CommandResult, Context, with_problems};

/// The memory skill of geas over a project's own .geas folder
///
/// The same store as `--store geas:DIR`, with the words of geas's document. A tree that git tracks
/// came with the checkout: `packet` and `evolve` do nothing with it before `hardwon review trust`.
#[derive(Args)]
pub struct GeasArgs {
    /// The project, its .geas folder, or a folder that holds memory/
    #[arg(long, value_name = "FOLDER", default_value = ".", global = true)]
    dir: String,
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Candidates from what is new below missions/
    Extract {
        #[command(flatten)]
        tasks: TaskArgs,
        /// Promote nothing: what two tasks say waits for `evolve`
        #[arg(long)]
        batch: bool,
    },
    /// Write a task's memory packet and print the section for its context
    Packet {
        /// The task
        #[arg(long)]
        task: String,
        /// The role or type of the agent that gets it
        #[arg(long, value_name = "TYPE")]
        agent: String,
        /// Its mission, where several have a task of this name
        #[arg(long)]
        mission: Option<String>,
        /// At most this many lessons
        #[arg(long, value_name = "N")]
        max: Option<u32>,
        /// Into what it is put, such as review_context [default: task_packet]
        #[arg(long)]
        surface: Option<String>,
    },
    /// Log what the lessons did that tasks were told, where the outcome is known
    Log(TaskArgs),
    /// What waits for whom, a decision about it, or the reviews that agents wrote
    Review(Review),
    /// The batch at the end of a mission: reviews, promotions, logs, what fades
    Evolve {
        /// Only the tasks of this mission are logged
        #[arg(long)]
        mission: Option<String>,
    },
    /// The notebook of a role, which is shown to it first
    Notebook {
        /// The role or type of the agent
        agent: String,
        /// Add this line
        #[arg(long, value_name = "TEXT")]
        add: Option<String>,
    },
    /// Rules that two tasks want and none contradicts, as a diff of rules.md
    Rules {
        /// Write them
        #[arg(long)]
        apply: bool,
    },
    /// Let fade what lost its standing, or went unused beyond its date
    Decay,
    /// Make the index anew from the documents
    Index {
        /// Only compare; exit status 1 if it differs
        #[arg(long)]
        check: bool,
    },
    /// Check every document against its schema; exit status 1 if one fails
    Validate {
        /// These files [default: all of the tree]
        files: Vec<String>,
    },
}

#[derive(Args)]
struct TaskArgs {
    /// Only this mission
    #[arg(long)]
    mission: Option<String>,
    /// Only this task
    #[arg(long)]
    task: Option<String>,
}

impl TaskArgs {
    fn tasks(self) -> Tasks {
        Tasks { mission: self.mission, task: self.task }
    }
}

#[derive(Args)]
struct Review {
    /// `list`, or the memory that is decided about: its id
    #[arg(value_name = "MEMORY")]
    memory: Option<String>,
    /// promote_provisional, promote_stable, promote_canonical, keep, weaken, supersede, archive or
    /// reject
    #[arg(long, requires = "rationale", value_parser = decision)]
    decision: Option<Decision>,
    /// The reason
    #[arg(long)]
    rationale: Option<String>,
    /// Who decides, as a role of geas [default: you]
    #[arg(long, value_name = "ROLE")]
    by: Option<String>,
    /// The memory that replaces it
    #[arg(long, value_name = "MEMORY")]
    with: Option<String>,
    /// With `list`: a prompt for each reviewer
    #[arg(long)]
    prompt: bool,
    /// Apply the review files that agents wrote
    #[arg(long, conflicts_with_all = ["memory", "decision"])]
    collect: bool,
}

fn decision(word: &str) -> Result<Decision, String> {
    decision_of(word).ok_or_else(|| "no decision of geas's".to_owned())
}

impl GeasArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        let tree = Tree { context, dir: &self.dir };
        match self.what {
            What::Extract { tasks, batch } => {
                let mut told = context.progress("reading: task", 20);
                tree.writes(|geas| geas.extract(&tasks.tasks(), batch, &mut told), text::learn)
            }
            What::Log(tasks) => tree.writes(|geas| geas.log(&tasks.tasks()), text::geas_logs),
            What::Review(review) => review.run(&tree),
            What::Evolve { mission } => {
                tree.writes(|geas| geas.evolve(mission.as_deref()), text::geas_evolved)
            }
            What::Packet { task, agent, mission, max, surface } => {
                let mut geas = tree.open(Access::Write)?;
                let answer = geas.packet(&PacketAsk { task, agent, mission, max, surface })?;
                let (section, told) = text::geas_packet(&answer.body);
                if !context.printer.is_json() {
                    context.printer.talk(told.trim_end());
                }
                tree.print(&geas, answer, |_, _| section)
            }
            What::Notebook { agent, add } => {
                tree.writes(|geas| geas.notebook(&agent, add.as_deref()), text::geas_notebook)
            }
            What::Rules { apply } => tree.writes(|geas| geas.rules(apply), text::geas_rules),
            What::Decay => tree.writes(Geas::decay, text::decay),
            What::Index { check } => {
                let answer = tree.open(Access::Read)?.index(check)?;
                let holds = answer.body.is_equal || !check;
                context.answer(&answer, text::geas_indexed)?;
                Ok(if holds { Exit::Done } else { Exit::Negative })
            }
            What::Validate { files } => {
                let answer = tree.open(Access::Read)?.validate(&files)?;
                let holds = answer.body.faults.is_empty();
                context.answer(&answer, text::geas_validated)?;
                Ok(if holds { Exit::Done } else { Exit::Negative })
            }
        }
    }
}

/// The folder that is worked on.
struct Tree<'a> {
    context: &'a Context,
    dir: &'a str,
}

impl Tree<'_> {
    fn open(&self, access: Access) -> Result<Geas, EngineError> {
        Geas::open(&self.context.environment, &self.context.options, self.dir, access)
    }

    /// Does something to it, and prints what came of that.
    fn writes<T: Serialize>(
        &self,
        work: impl FnOnce(&mut Geas) -> Result<Answer<T>, EngineError>,
        text: impl FnOnce(&T, usize) -> String,
    ) -> CommandResult {
        let mut geas = self.open(Access::Write)?;
        let answer = work(&mut geas)?;
        self.print(&geas, answer, text)
    }

    /// Prints an answer, the problems of the tree before its own; lessons are called as geas does.
    fn print<T: Serialize>(
        &self,
        geas: &Geas,
        answer: Answer<T>,
        text: impl FnOnce(&T, usize) -> String,
    ) -> CommandResult {
        if !self.context.printer.is_json() {
            let (memory, call) = geas.parts();
            self.context.printer.call_lessons(hardwon_foreign::names(memory, call));
        }
        self.context.answer(&with_problems(answer, geas.problems()), text)
    }
}

impl Review {
    fn run(self, tree: &Tree<'_>) -> CommandResult {
        if self.collect {
            return tree.writes(Geas::collect, text::geas_collected);
        }
        let is_list = self.memory.as_deref().is_none_or(|word| word == "list");
        let (Some(memory), Some(decision), false) = (self.memory, self.decision, is_list) else {
            if !is_list {
                let hint = "add --decision and --rationale";
                return Err(Failure::usage("nothing is decided", Some(hint)));
            }
            let geas = tree.open(Access::Read)?;
            let (answer, is_prompt) = (geas.queue()?, self.prompt);
            return tree.print(&geas, answer, |queue, width| match is_prompt {
                true => text::geas_review_prompt(queue),
                false => text::review_queue(queue, width),
            });
        };
        let request = DecideRequest {
            lesson: memory,
            decision,
            because: self.rationale.unwrap_or_default(),
            by: self.by,
            with: self.with,
        };
        let mut geas = tree.open(Access::Write)?;
        let answer = geas.review(&request)?.map(OneLesson::from);
        tree.print(&geas, answer, |one, width| text::lesson(&one.lesson, width))
    }
}

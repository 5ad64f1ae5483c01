//! What commands share: common flags, and how words on the command line become values.

use clap::Args;
use hardwon_engine::effect::{EffectKind, Surface};
use hardwon_engine::event::Problem;
use hardwon_engine::finding::{FindingState, Severity};
use hardwon_engine::ids::RunId;
use hardwon_engine::lesson::{Kind, State};
use hardwon_engine::reflection::Scenario;
use hardwon_engine::run::{Outcome, RunKind};
use hardwon_engine::scope::{Bound, Dimension, role_name};
use hardwon_engine::time::Timestamp;
use hardwon_engine::{Format, Options, Stated, Style};
use hardwon_foreign::jkz::notes::NoteKind;
use hardwon_foreign::{LAYOUTS, LayoutName};

/// Flags of every command.
#[derive(Args)]
pub struct Common {
    /// Print one JSON object on stdout (schemas: docs/schemas)
    #[arg(long = "json", global = true, help_heading = "Common options")]
    pub is_json: bool,
    /// You ask for this yourself, though no terminal shows it
    #[arg(long = "as-user", global = true, help_heading = "Common options")]
    pub is_as_user: bool,
    /// sqlite:PATH, postgres://…, or archeflow:, openagents:, geas: or jkz:DIR
    #[arg(long, global = true, value_name = "URL", help_heading = "Common options")]
    store: Option<String>,
    /// The project to use [default: that of the current folder]
    #[arg(long, global = true, value_name = "NAME", help_heading = "Common options")]
    project: Option<String>,
    /// The policy to use; see `hardwon config policy list`
    #[arg(long, global = true, value_name = "NAME", help_heading = "Common options")]
    policy: Option<String>,
}

impl Common {
    /// The flags as the engine takes them.
    pub fn options(&self) -> Options {
        Options {
            store: self.store.clone(),
            project: self.project.clone(),
            policy: self.policy.clone(),
            foreign: LAYOUTS,
        }
    }
}

/// What can be stated about a lesson beside its text; shared by `add` and `edit`.
#[derive(Args)]
pub struct StatedArgs {
    /// A finer classification than the kind, e.g. security
    #[arg(long)]
    pub category: Option<String>,
    /// critical, bug, warning, info or recommendation
    #[arg(long, value_parser = severity)]
    pub severity: Option<Severity>,
    /// How much it matters if true, 0 to 1
    #[arg(long, value_parser = share)]
    pub importance: Option<f64>,
    /// A word to find it by (repeatable)
    #[arg(long = "tag")]
    pub tags: Vec<String>,
    /// A file or folder it is about (repeatable)
    #[arg(long = "path")]
    pub paths: Vec<String>,
    /// Its id in another system (repeatable)
    #[arg(long = "alias")]
    pub aliases: Vec<String>,
    /// The lesson as a rule: IF … THEN …
    #[arg(long)]
    pub rule: Option<String>,
    /// A short paragraph with details
    #[arg(long)]
    pub detail: Option<String>,
    /// The work it is useful for; it is not shown for other work
    #[arg(long, value_name = "WHEN")]
    pub applies_when: Option<String>,
    /// What to do about it; shown after its text
    #[arg(long)]
    pub repair: Option<String>,
    #[command(flatten)]
    pub scope: ScopeArgs,
}

/// Where a lesson applies, or which lessons to list or show.
#[derive(Args)]
pub struct ScopeArgs {
    /// Field of work, e.g. code or writing
    #[arg(long)]
    pub domain: Option<String>,
    /// The part an agent plays, e.g. reviewer
    #[arg(long, value_parser = role)]
    pub role: Option<String>,
    /// A tool, e.g. bash
    #[arg(long)]
    pub tool: Option<String>,
    /// The program or model, e.g. claude-code
    #[arg(long)]
    pub provider: Option<String>,
    /// A longer piece of work with several tasks
    #[arg(long)]
    pub session: Option<String>,
    /// A task's name
    #[arg(long)]
    pub task: Option<String>,
    /// A repository, where a project has several
    #[arg(long)]
    pub repo: Option<String>,
    /// A part of the work, e.g. check
    #[arg(long)]
    pub phase: Option<String>,
    /// A class of errors, e.g. timeout
    #[arg(long, value_name = "CLASS")]
    pub error_class: Option<String>,
}

impl ScopeArgs {
    pub fn pairs(&self) -> Vec<(Dimension, String)> {
        let all = [
            (Dimension::Domain, &self.domain),
            (Dimension::Role, &self.role),
            (Dimension::Tool, &self.tool),
            (Dimension::Provider, &self.provider),
            (Dimension::Session, &self.session),
            (Dimension::Task, &self.task),
            (Dimension::Repo, &self.repo),
            (Dimension::Phase, &self.phase),
            (Dimension::ErrorClass, &self.error_class),
        ];
        all.into_iter().filter_map(|(d, value)| Some((d, value.clone()?))).collect()
    }
}

impl StatedArgs {
    /// As the engine takes it.
    pub fn stated(self) -> Stated {
        Stated {
            category: self.category,
            severity: self.severity,
            importance: self.importance,
            scope: self.scope.pairs(),
            tags: self.tags,
            paths: self.paths,
            aliases: self.aliases,
            rule: self.rule,
            detail: self.detail,
            applies_when: self.applies_when,
            repair: self.repair,
        }
    }
}

/// Declares a parser for a closed word list.
macro_rules! word_parsers {
    ($($name:ident: $type:ty = $words:expr;)+) => {$(
        pub fn $name(text: &str) -> Result<$type, String> {
            <$type>::from_word(text).ok_or_else(|| {
                let known: Vec<&str> = $words.iter().map(|known| known.word()).collect();
                format!("not one of {}", known.join(", "))
            })
        }
    )+};
}
word_parsers! {
    kind: Kind = Kind::ALL;
    state: State = State::ALL;
    outcome: Outcome = Outcome::ALL;
    run_kind: RunKind = RunKind::ALL;
    scenario: Scenario = Scenario::ALL;
    dimension: Dimension = Dimension::ALL;
    bound: Bound = Bound::ALL;
    style: Style = Style::ALL;
    format: Format = Format::ALL;
    layout: LayoutName = LayoutName::all();
    surface: Surface = Surface::ALL;
    effect: EffectKind = EffectKind::ALL;
    finding_state: FindingState = FindingState::ALL;
}

/// A severity in any of its spellings.
pub fn severity(text: &str) -> Result<Severity, String> {
    Severity::fold(text)
        .ok_or_else(|| "not one of critical, bug, warning, info, recommendation".to_owned())
}

/// The type of a note.
pub fn note_kind(text: &str) -> Result<NoteKind, String> {
    NoteKind::parse(text).ok_or_else(|| "not one of user, feedback, project, reference".to_owned())
}

/// The name of a role.
pub fn role(text: &str) -> Result<String, String> {
    role_name(text).map_err(str::to_owned)
}

/// A run, in whatever characters.
pub fn run_id(text: &str) -> Result<RunId, String> {
    RunId::named(text).ok_or_else(|| "a run id cannot be empty".to_owned())
}

/// A run as a pipeline names it. An unset variable, or a name that breaks the grammar of ids,
/// must not stop the pipeline: it becomes a problem of the answer.
#[derive(Clone)]
pub struct PipelineRun {
    /// `None` if the name was blank.
    pub id: Option<RunId>,
    flaw: Option<&'static str>,
}

impl PipelineRun {
    /// For clap; accepts every text.
    pub fn parse(text: &str) -> Result<Self, String> {
        Ok(PipelineRun { id: RunId::named(text), flaw: RunId::parse(text.trim()).err() })
    }

    /// What is wrong with the name, if something is.
    pub fn problem(&self) -> Option<Problem> {
        let flaw = self.flaw?;
        let reason = match &self.id {
            Some(id) => format!("{flaw}; this run is known as {id}"),
            None => format!("{flaw}; counts as no run"),
        };
        Some(Problem::new("--run", reason))
    }
}

/// A moment, RFC 3339.
pub fn moment(text: &str) -> Result<Timestamp, String> {
    Timestamp::parse(text).ok_or_else(|| "not a time such as 2026-04-03T14:00:00Z".to_owned())
}

pub fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("not a number from 0 to 1".to_owned()),
    }
}

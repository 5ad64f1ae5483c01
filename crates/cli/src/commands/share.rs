//! `hardwon share`

use clap::Args;
use hardwon_engine::answer::{Answer, Imported, Shared};
use hardwon_engine::event::Problem;
use hardwon_engine::files::{self, Place};
use hardwon_engine::{Environment, Memory, transfer, without_control};
use hardwon_faces::{Exit, Failure};
use hardwon_foreign::remote::Remote;
use hardwon_render::text;
use serde_json::Value;

use super::{CommandResult, Context};

/// Propose lessons to a team, or take what it approved
///
/// A memory of your own stays your own: only what you name goes to the team, without the evidence
/// behind it, and waits there until a reviewer approves it. `share.url` and `share.token_file` in your
/// settings say where the team is and by what it knows you. docs/team.md
#[derive(Args)]
pub struct Share {
    /// The lessons: ids, unique prefixes, or aliases
    #[arg(value_name = "LESSON", required_unless_present = "fetch", conflicts_with = "fetch")]
    lessons: Vec<String>,
    /// Take what the team approved: it waits for your review, unless `share.trust` is on
    #[arg(long)]
    fetch: bool,
}

impl Share {
    pub fn run(self, context: &Context) -> CommandResult {
        if self.fetch {
            return fetch(context);
        }
        let open = context.reader()?;
        let (export, lessons) = transfer::shared(&open.memory, &open.call, &self.lessons)?;
        let (remote, url) = remote(&context.environment, &open.memory)?;
        let answer = remote.propose(&export).map_err(|message| unreached(&message))?;
        let count = |name: &str| answer.get(name).and_then(Value::as_u64).unwrap_or(0);
        let listed = |name: &str| answer.get(name).and_then(Value::as_array).map_or(0, Vec::len);
        let shared = Shared {
            to: url,
            lessons: lessons.iter().map(|lesson| lesson.id.clone().into()).collect(),
            n_new: listed("added") as u64,
            n_known: count("known"),
        };
        let problems = problems(&answer);
        context.answer(&Answer::of(shared, problems), text::shared)
    }
}

fn fetch(context: &Context) -> CommandResult {
    let mut open = context.writer()?;
    let (remote, _) = remote(&context.environment, &open.memory)?;
    let answer = remote.approved().map_err(|message| unreached(&message))?;
    let export = answer.get("export").and_then(Value::as_str).unwrap_or_default();
    let is_trusted = open.memory.settings.switch("share.trust") == Some(true);
    let taken: Answer<Imported> =
        transfer::take_from_team(&mut open.memory, &open.call, export, is_trusted)?;
    context.print(&open, taken, |imported, _| text::import(imported))?;
    Ok(Exit::Done)
}

/// The server that the settings name.
fn remote(environment: &Environment, memory: &Memory) -> Result<(Remote, String), Failure> {
    let set = |key: &str| memory.settings.get(key).map(|setting| setting.value.clone());
    let unset = || {
        let hint =
            "hardwon config set share.url https://…; share.token_file names a file with your token";
        Failure::usage("no team is set", Some(hint))
    };
    let (url, file) = set("share.url").zip(set("share.token_file")).ok_or_else(unset)?;
    let path = environment.folder.join(&file);
    let token = files::read(&Place::own(&path), 4096)
        .map_err(|error| Failure::usage(format!("share.token_file {file}: {error}"), None))?;
    let token = String::from_utf8_lossy(&token);
    let remote = Remote::new(&url, &token, set("share.project"));
    Ok((remote.map_err(|message| Failure::usage(message, None))?, url))
}

fn unreached(message: &str) -> Failure {
    let hint = "`hardwon config team list` on the server shows which tokens are good";
    Failure::usage(without_control(message), Some(hint))
}

/// What the server had to say besides.
fn problems(answer: &Value) -> Vec<Problem> {
    let listed = answer.get("problems").and_then(Value::as_array).into_iter().flatten();
    let word = |problem: &Value, name: &str| {
        without_control(problem.get(name).and_then(Value::as_str).unwrap_or_default())
    };
    listed.map(|problem| Problem::new(word(problem, "where"), word(problem, "reason"))).collect()
}

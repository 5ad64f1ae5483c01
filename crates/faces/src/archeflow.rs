//! ArcheFlow's command line over ArcheFlow's own files: its arguments, its words, its
//! streams and its exit statuses. `engine` decides.

mod words;

use hardwon_engine::ids::RunId;
use hardwon_engine::{Access, EngineError, Environment, Options};
use hardwon_foreign::archeflow::commands::{self, Archeflow, is_run_name, is_type};

use words::{HELP, USAGE, error};

const AS_SHIPPED_IS_GONE: &str = "--as-shipped and HARDWON_ARCHEFLOW_AS_SHIPPED are gone: leave them out; the commands work as \
     ArcheFlow's documents say and pass ArcheFlow's own tests";

/// A call of `hardwon archeflow`.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// Answer in JSON; like all our commands, `--json` may come last.
    pub is_json: bool,
    /// The folder that holds `.archeflow`.
    pub folder: String,
    /// It was named, so it is meant whoever wrote it.
    pub is_named: bool,
    /// How usage lines call the program.
    pub name: String,
    /// Command and arguments.
    pub args: Vec<String>,
}

impl Call {
    /// Takes the flags that are ours from the front of the arguments. The error is a
    /// usage line.
    pub fn parse(
        environment: &Environment,
        options: &Options,
        args: &[String],
        name: &str,
    ) -> Result<Call, String> {
        let mut call = Call { folder: ".".to_owned(), name: name.to_owned(), ..Call::default() };
        if let Some(store) = &options.store {
            let folder = store.strip_prefix("archeflow:");
            let folder = folder.ok_or("these commands work on archeflow:FOLDER only")?;
            call.folder = folder.to_owned();
            call.is_named = true;
        }
        let is_wanted =
            |(name, value): &(String, String)| name == "archeflow_as_shipped" && value != "0";
        if environment.settings.iter().any(is_wanted) {
            return Err(AS_SHIPPED_IS_GONE.to_owned());
        }
        let mut rest = args.iter();
        while let Some(arg) = rest.as_slice().first() {
            match arg.as_str() {
                "--as-shipped" => return Err(AS_SHIPPED_IS_GONE.to_owned()),
                // Every command takes it; here it changes nothing.
                "--as-user" => {}
                "--dir" => {
                    rest.next();
                    let folder = rest.as_slice().first().ok_or("--dir needs a folder")?;
                    call.folder.clone_from(folder);
                    call.is_named = true;
                }
                _ => break,
            }
            rest.next();
        }
        call.args = rest.cloned().collect();
        call.args.pop_if(|last| last == "--as-user");
        call.is_json = call.args.pop_if(|last| last == "--json").is_some();
        Ok(call)
    }
}

/// What a command prints, and its exit status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandOutput {
    /// For standard output.
    pub out: String,
    /// Lines for standard error.
    pub talk: Vec<String>,
    pub code: u8,
}

pub fn run(environment: &Environment, call: &Call) -> CommandOutput {
    let Some((command, args)) = call.args.split_first() else {
        let usage = format!("Usage: {} <command> [args...]", call.name);
        return CommandOutput::default().say(usage).say("").say(USAGE.trim_end()).end(1);
    };
    let input = CommandInput { environment, call, args };
    if matches!(args, [first, ..] if first == "--help" || first == "-h") {
        return CommandOutput::default().print(HELP).end(0);
    }
    match command.as_str() {
        "-h" | "--help" => CommandOutput::default().print(HELP).end(0),
        "extract" => input.needing(1, "extract <events.jsonl>", CommandInput::extract),
        "inject" => input.inject(),
        "add" => input.needing(2, "add <type> <description>", CommandInput::add),
        "list" => ended(input.list()),
        "decay" => ended(input.decay()),
        "forget" => input.needing(1, "forget <id>", CommandInput::forget),
        "audit-check" => input.needing(1, "audit-check <run_id>", CommandInput::audit_check),
        "regression-check" => {
            input.needing(1, "regression-check <events.jsonl>", CommandInput::regression_check)
        }
        "event" => {
            let usage = "event <run_id> <type> <phase> <agent> [json_data] [parent_seqs]";
            input.needing(4, usage, CommandInput::event)
        }
        other => CommandOutput::default().say(format!("Unknown command: {other}")).end(1),
    }
}

struct CommandInput<'a> {
    environment: &'a Environment,
    call: &'a Call,
    args: &'a [String],
}

type Outcome = Result<CommandOutput, EngineError>;

/// Trouble is an error line and status 1, as in ArcheFlow's scripts.
fn ended(outcome: Outcome) -> CommandOutput {
    outcome.unwrap_or_else(|trouble| error(&trouble).end(1))
}

impl CommandInput<'_> {
    fn needing(&self, n_args: usize, usage: &str, run: fn(&Self) -> Outcome) -> CommandOutput {
        let is_missing = self.args.len() < n_args || self.args[n_args - 1].is_empty();
        // Of an event only the agent, its last needed argument, may be empty.
        if is_missing && !(n_args == 4 && self.args.len() >= 4) {
            let words = self.usage(usage);
            let is_add = usage.starts_with("add");
            return if is_add { words.say(words::TYPES) } else { words }.end(1);
        }
        ended(run(self))
    }

    fn usage(&self, usage: &str) -> CommandOutput {
        CommandOutput::default().say(format!("Usage: {} {usage}", self.call.name))
    }

    fn open(&self, access: Access) -> Result<Archeflow, EngineError> {
        Archeflow::open(self.environment, &self.call.folder, access)
    }

    fn extract(&self) -> Outcome {
        let log = self.environment.folder.join(&self.args[0]);
        if !log.is_file() {
            return Ok(words::no_events_file(&self.args[0]));
        }
        let mut archeflow = self.open(Access::Write)?;
        let extracted = archeflow.extract(log)?;
        let words = CommandOutput::default().problems(archeflow.problems());
        words.problems(&extracted.problems).extracted(&archeflow, &extracted, &self.args[0])
    }

    /// Memory is never a reason to stop a run: only a wrong call is an error here.
    fn inject(&self) -> CommandOutput {
        let (mut positions, mut run, mut rest) = (Vec::new(), None, self.args.iter());
        while let Some(arg) = rest.next() {
            match (arg.as_str(), rest.as_slice().first()) {
                ("--audit", None) => {
                    return self.usage("inject <domain> <archetype> [--audit <run_id>]").end(1);
                }
                ("--audit", Some(id)) => {
                    rest.next();
                    match RunId::parse(id).ok().filter(|_| is_run_name(id)) {
                        Some(id) => run = Some(id),
                        None => return words::invalid_run(id),
                    }
                }
                _ => positions.push(arg.as_str()),
            }
        }
        let at = |index: usize| positions.get(index).copied().unwrap_or_default();
        let served = self.serve(at(0), at(1), run);
        served.unwrap_or_else(|trouble| error(&trouble).end(0))
    }

    fn serve(&self, domain: &str, archetype: &str, run: Option<RunId>) -> Outcome {
        let access = if run.is_some() { Access::Write } else { Access::Read };
        let mut archeflow = self.open(access)?;
        if !self.call.is_named
            && let Some(standing) = archeflow.why_not_shown()?
        {
            return Ok(words::unapproved(standing).end(0));
        }
        let injected = archeflow.inject(domain, archetype, run)?;
        // Problems of settings and files are part of the answer already.
        Ok(CommandOutput::default().problems(&injected.problems).print(&injected.body.block).end(0))
    }

    fn add(&self) -> Outcome {
        let (kind, text) = (&self.args[0], &self.args[1]);
        if !is_type(kind) {
            let words = CommandOutput::default().say(format!("Error: unknown type: {kind}"));
            return Ok(words.say(words::TYPES).end(1));
        }
        let mut archeflow = self.open(Access::Write)?;
        let lesson = archeflow.add(kind, text)?;
        let id = archeflow.name_of(&lesson.id)?;
        let line = format!("Added lesson {id} ({kind}): {}", lesson.text);
        Ok(CommandOutput::default().problems(archeflow.problems()).tell(line).end(0))
    }

    fn list(&self) -> Outcome {
        let listed = commands::list(self.environment, &self.call.folder)?;
        let Some((lessons, problems)) = listed else {
            return Ok(CommandOutput::default().say("No lessons stored yet.").end(0));
        };
        let table = hardwon_render::archeflow::list(&lessons);
        Ok(CommandOutput::default().problems(&problems).print(&table).end(0))
    }

    fn decay(&self) -> Outcome {
        let mut archeflow = self.open(Access::Write)?;
        if !archeflow.has_lessons()? {
            return Ok(CommandOutput::default().end(0));
        }
        let decayed = archeflow.decay()?;
        let words = CommandOutput::default().problems(archeflow.problems());
        words.decayed(&archeflow, &decayed)
    }

    fn forget(&self) -> Outcome {
        let id = &self.args[0];
        let mut archeflow = self.open(Access::Write)?;
        if !archeflow.has_lessons()? {
            return Ok(CommandOutput::default().say("No lessons file found.").end(1));
        }
        let n_forgotten = archeflow.forget(id)?;
        let words = CommandOutput::default().problems(archeflow.problems());
        Ok(match n_forgotten {
            0 => words.say(format!("Error: lesson {id} not found.")).end(1),
            _ => words.tell(format!("Forgot lesson {id} (moved to archive)")).end(0),
        })
    }

    fn audit_check(&self) -> Outcome {
        let run = &self.args[0];
        if !is_run_name(run) {
            return Ok(words::invalid_run(run));
        }
        let mut archeflow = self.open(Access::Write)?;
        let checked = archeflow.audit_check(run)?;
        CommandOutput::default().problems(archeflow.problems()).audited(&archeflow, run, &checked)
    }

    fn regression_check(&self) -> Outcome {
        let log = self.environment.folder.join(&self.args[0]);
        if !log.is_file() {
            return Ok(words::no_events_file(&self.args[0]));
        }
        let archeflow = self.open(Access::Read)?;
        let (compared, problems) = archeflow.regressions(&log)?;
        Ok(CommandOutput::default().problems(&problems).compared(&compared))
    }

    fn event(&self) -> Outcome {
        let request = match words::event_request(self.args) {
            Ok(request) => request,
            Err(reason) => return Ok(CommandOutput::default().say(reason).end(1)),
        };
        if !is_run_name(&request.run) {
            return Ok(words::invalid_run(&request.run));
        }
        let seq = self.open(Access::Read)?.add_event(&request)?;
        let agent = if request.agent.is_empty() { "_" } else { &request.agent };
        let line =
            format!("[archeflow-event] #{seq} {} ({}/{agent})", request.event_type, request.phase);
        Ok(CommandOutput::default().say(line).end(0))
    }
}

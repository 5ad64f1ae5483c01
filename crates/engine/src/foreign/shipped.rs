//! ArcheFlow's released memory script, command by command: the same words, exit statuses
//! and files, its oddities included, for those who rely on them. It works on the script's
//! own files under the script's own lock, so both can be used side by side.
//!
//! It differs where the script would do harm: secrets are taken out of what is written,
//! no link below the folder is followed, nothing is left half written, and a last line
//! without a line end is neither lost nor glued to the next.

mod check;
mod extract;
mod files;
mod inject;
mod keep;
mod shell;

#[cfg(test)]
mod tests;

use std::path::Path;

use hardwon_core::gate::Gate;
use hardwon_core::time::Timestamp;

use super::folder::Folder;

const LESSONS: &str = "memory/lessons.jsonl";
const ARCHIVE: &str = "memory/archive.jsonl";
const AUDIT: &str = "memory/audit.jsonl";
const INDEX: &str = "events/index.jsonl";

/// The script, called in some folder at some time.
pub struct Shipped<'a> {
    /// The `.archeflow` folder.
    pub folder: &'a Folder,
    pub gate: &'a Gate,
    pub now: Timestamp,
    /// What the program calls itself when it explains its use.
    pub name: &'a str,
    /// What file arguments are relative to.
    pub cwd: &'a Path,
}

/// All that a call has to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// For standard output.
    pub out: String,
    /// Lines for standard error.
    pub talk: Vec<String>,
    pub code: u8,
}

impl Said {
    fn print(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn say(&mut self, line: impl Into<String>) {
        self.talk.push(line.into());
    }

    /// Says how it goes, under the script's own name.
    fn report(&mut self, what: impl AsRef<str>) {
        self.say(format!("[archeflow-memory] {}", what.as_ref()));
    }
}

/// The end of a call before its time.
#[derive(Debug)]
struct Stop {
    talk: Vec<String>,
    code: u8,
}

impl Stop {
    fn failure(line: impl Into<String>) -> Stop {
        Stop { talk: vec![line.into()], code: 1 }
    }

    fn silent(code: u8) -> Stop {
        Stop { talk: Vec::new(), code }
    }
}

impl Shipped<'_> {
    /// One call; the first argument is the command.
    pub fn run(&self, args: &[String]) -> Said {
        let mut said = Said::default();
        if let Err(stop) = self.obey(args, &mut said) {
            said.talk.extend(stop.talk);
            said.code = stop.code;
        }
        said
    }

    fn obey(&self, args: &[String], said: &mut Said) -> Result<(), Stop> {
        let command = args.first().map(String::as_str);
        if matches!(command, Some("-h" | "--help")) {
            said.out = help(self.name);
            return Ok(());
        }
        self.check_folders()?;
        let Some(command) = command else {
            return Err(Stop { talk: overview(self.name), code: 1 });
        };
        let _lock = match command {
            "extract" | "add" | "decay" | "forget" => Some(self.lock()?),
            _ => None,
        };
        self.dispatch(command, &args[1..], said)
    }

    fn dispatch(&self, command: &str, args: &[String], said: &mut Said) -> Result<(), Stop> {
        match (command, args) {
            ("extract", [events, ..]) => self.extract(events, said),
            ("extract", []) => Err(self.usage("extract <events.jsonl>")),
            ("inject", args) => self.inject(args, said),
            ("add", [kind, description, ..]) => self.add(kind, description, said),
            ("add", _) => Err(self.usage("add <type> <description>")),
            ("list", _) => self.list(said),
            ("decay", _) => self.decay(said),
            ("forget", [id, ..]) => self.forget(id, said),
            ("forget", []) => Err(self.usage("forget <id>")),
            ("audit-check", [run, ..]) if !run.is_empty() => self.audit_check(run, said),
            ("audit-check", _) => Err(self.usage("audit-check <run_id>")),
            ("regression-check", [events, ..]) if !events.is_empty() => {
                self.regression_check(events, said)
            }
            ("regression-check", _) => Err(self.usage("regression-check <events.jsonl>")),
            (unknown, _) => Err(Stop::failure(format!("Unknown command: {unknown}"))),
        }
    }

    fn usage(&self, form: &str) -> Stop {
        Stop::failure(format!("Usage: {} {form}", self.name))
    }

    /// The present as the script writes it: without fractions.
    fn ts(&self) -> String {
        Timestamp(self.now.0.saturating_sub(self.now.0.rem_euclid(1000))).to_string()
    }
}

/// Every command with its arguments and what it does.
const COMMANDS: &[(&str, &str)] = &[
    ("extract <events.jsonl>      ", "Extract lessons from a completed run"),
    ("inject <domain> <archetype> [--audit <run_id>] ", "Output relevant lessons for injection"),
    ("add <type> <description>    ", "Manually add a lesson"),
    ("list                        ", "List all active lessons"),
    ("decay                       ", "Apply decay to all lessons"),
    ("forget <id>                 ", "Archive a lesson by ID"),
    ("audit-check <run_id>        ", "Check lesson effectiveness for a run"),
    ("regression-check <events.jsonl> ", "Detect regressions from previously fixed findings"),
];

/// What a call without a command is told.
fn overview(name: &str) -> Vec<String> {
    let mut lines =
        vec![format!("Usage: {name} <command> [args...]"), String::new(), "Commands:".to_owned()];
    lines.extend(COMMANDS.iter().map(|(form, what)| format!("  {form} {what}")));
    lines
}

fn help(name: &str) -> String {
    let mut text =
        "Cross-run memory in ArcheFlow's own files, as its released script keeps it.\n\n\
                    Usage:\n"
            .to_owned();
    for (form, what) in COMMANDS {
        text.push_str(&format!("  {name} {form} # {what}\n"));
    }
    text
}

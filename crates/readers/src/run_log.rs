//! Which commands does a plain log show, and how did they end? Understands what a shell
//! shows: `$ command`, `+ command` as `set -x` prints it, or `user@host:path# command` as
//! terminals have it, then the output, and perhaps a line that names the exit code.

use hardwon_core::command::output::{CallResult, End, ending};
use hardwon_core::command::printed::exit_line;
use hardwon_core::command::shell;
use hardwon_core::episode::Episode;
use hardwon_core::event::RunStated;
use hardwon_core::list;
use serde_json::Value;

use crate::report::{Report, cut};
use crate::steps::{Ended, Steps, call};
use crate::terminal::plain;

/// How much of an output is held: its start and its end.
const MAX_LINES: usize = 60;
const MAX_LINE_BYTES: usize = 500;

/// Programs that a `+` line begins with in a log, and never in a list of things to buy.
const PROGRAMS: &[&str] = list!("tools.txt", "logged programs");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Dollar,
    Plus,
    Prompt,
}

impl Mark {
    fn command(self, line: &str) -> Option<&str> {
        let command = match self {
            Mark::Dollar => line.strip_prefix("$ ")?,
            Mark::Plus => line.strip_prefix("+ ")?,
            Mark::Prompt => prompted(line)?,
        };
        let is_one = |c: char| c.is_ascii_alphabetic() || "./_~\"'([".contains(c);
        command.starts_with(is_one).then(|| command.trim())
    }

    fn at(line: &str) -> Option<Mark> {
        [Mark::Dollar, Mark::Plus, Mark::Prompt]
            .into_iter()
            .find(|mark| mark.command(line).is_some())
    }
}

/// What stands behind `user@host:path# ` or `user@host:path$ `, perhaps with the name of an
/// environment in front.
fn prompted(line: &str) -> Option<&str> {
    let line = match line.strip_prefix('(').and_then(|rest| rest.split_once(") ")) {
        Some((name, rest)) if !name.contains(' ') => rest,
        _ => line,
    };
    let at = ["# ", "$ "].iter().filter_map(|mark| line.find(mark)).min()?;
    let (prompt, command) = (&line[..at], &line[at + 2..]);
    let (who, path) = prompt.split_once(':')?;
    let (user, host) = who.split_once('@')?;
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "._-".contains(c))
    };
    let is_path = path.starts_with(['/', '~']) && !path.contains(' ');
    (is_name(user) && is_name(host) && is_path).then_some(command)
}

/// Whether the start of an input is that of such a log. In doubt it is not: a log that is missed
/// can be named, and nothing else may be taken for one.
pub fn looks_like(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let text: Vec<_> = text.lines().map(plain).collect();
    let lines = || text.iter().map(AsRef::as_ref).filter(|line: &&str| !line.trim().is_empty());
    let Some(mark) = lines().next().and_then(Mark::at) else { return false };
    let is_document = lines().any(|line| line.trim_start().starts_with("```"));
    let is_patch =
        |line: &str| ["+++ ", "--- ", "@@ ", "diff "].iter().any(|m| line.starts_with(m));
    let has_exit = lines().any(|line| exit_line(line).is_some());
    let commands: Vec<&str> = lines().filter_map(|line| mark.command(line)).collect();
    let is_program = |command: &&str| {
        let tokens = shell::tokens(command);
        let first = tokens.get(shell::program_place(&tokens)).map(|token| token.text);
        first.is_some_and(|first| PROGRAMS.contains(&first) || first.starts_with("./"))
    };
    let is_sure = match mark {
        Mark::Dollar => has_exit || commands.len() > 1,
        Mark::Prompt => true,
        Mark::Plus => {
            !lines().any(is_patch) && commands.len() > 1 && commands.iter().any(is_program)
        }
    };
    is_sure && !is_document
}

#[derive(Default)]
pub struct RunLog {
    mark: Option<Mark>,
    steps: Steps,
    open: Option<Open>,
    first_line: Option<u64>,
}

/// A command whose end is not seen yet.
#[derive(Default)]
struct Open {
    line: u64,
    command: String,
    output: Vec<String>,
}

impl RunLog {
    pub fn line(&mut self, number: u64, line: &str) {
        let line = &*plain(line);
        let mark = self.mark.or_else(|| Mark::at(line));
        if let Some(command) = mark.and_then(|mark| mark.command(line)) {
            self.mark = mark;
            self.close(None);
            self.first_line.get_or_insert(number);
            self.open = Some(Open { line: number, command: command.to_owned(), ..Open::default() });
        } else if let Some(code) = exit_line(line) {
            self.close(Some(code));
        } else if let Some(open) = &mut self.open {
            open.output.push(cut(line, MAX_LINE_BYTES).to_owned());
            if open.output.len() > MAX_LINES {
                open.output.remove(MAX_LINES / 2);
            }
        }
    }

    fn close(&mut self, exit_status: Option<i64>) {
        let Some(open) = self.open.take() else { return };
        let output = open.output.join("\n");
        let result = CallResult { exit_status, output: &output, ..CallResult::default() };
        let end = ending(&result);
        // Without a status only a certain sign of failure counts.
        let is_known = exit_status.is_some() || end == End::Failed;
        let is_ok = end.is_ok().filter(|_| is_known);
        let call = call("bash", &Value::String(open.command));
        let ended = Ended { is_ok, output: Some(output), duration_ms: None };
        self.steps.push_call(open.line, call, ended);
    }

    /// States the run and its steps, nothing if no command was seen.
    pub fn finish(mut self, report: &mut Report) {
        self.close(None);
        let Some(line) = self.first_line else {
            return report.notes.problem("no line begins with \"$ \" or \"+ \" and a command");
        };
        let logs = [report.notes.source().input].into();
        let episode = Episode { logs, ..Episode::default() };
        let run = RunStated { episode, ..RunStated::default() };
        for (line, event) in self.steps.state(line, run, &report.notes) {
            report.push_at(line, event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_logs_look_like_logs() {
        let logs = [
            "$ make\nok\n$ make test\n",
            "$ cargo test\nrunning\n[exit 101]\n",
            "+ cd app\n+ npm ci\nadded 3\n",
            "\n$ ./run\nexit status 1\n",
            "root@1a2b:/app# make\nok\n",
            "\u{1b}[?2004h(venv) me@box:~/shop$ make\r\n\u{1b}[?2004l\rok\r\n",
        ];
        for log in logs {
            assert!(looks_like(log.as_bytes()), "{log}");
        }
        let others = [
            "$ make\n",
            "# Readme\n$ make\n$ make test\n",
            "$ make\n```\n$ make test\n",
            "+ milk\n+ bread\n",
            "+ cd app\n--- a/x\n+++ b/x\n+ ls\n",
            "$ 5.00 coffee\n$ 3.00 tea\n",
            "hello\nworld\n",
            "exit status 1\n",
            "me@mail.example: see # 5\n",
            "a@b:c# d\n",
            "",
        ];
        for other in others {
            assert!(!looks_like(other.as_bytes()), "{other}");
        }
    }
}

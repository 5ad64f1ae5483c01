//! What do the sessions of OpenAgents say? Its autopilot kept one document, whose steps name the
//! calls of Claude Code and their results. A line of its `.rlog` is a summary for people: it begins
//! with what it is, long texts are cut, and of an output only the first line is left. What
//! was cut is not what was done, so a command that ends in dots is left out.

use hardwon_core::episode::Usage;
use hardwon_core::run::Outcome;
use hardwon_core::time::Timestamp;
use serde_json::{Value, json};

use super::host::Host;
use super::session::{Session, Spoken, cost, learn, tokens};
use crate::fields::count;
use crate::report::first_line;

/// What the writer puts at the end of a text that it cut.
const CUT: &str = "...";

const ARROW: &str = " \u{2192} ";

const MAX_OPEN: usize = 64;

/// Whose session it is: that of the program that the autopilot drove, which has it under the
/// same id.
pub fn driven(model: Option<&str>) -> Host {
    match model {
        Some(model) if model.starts_with("claude") => Host::Claude,
        Some(model) if model.starts_with("codex") || model.starts_with("gpt") => Host::Codex,
        _ => Host::Openagents,
    }
}

pub fn header(header: &Value, session: &mut Session) {
    learn(&mut session.id, &header["session_id"]);
    learn(&mut session.folder, &header["cwd"]);
    session.task = header["prompt"].as_str().and_then(first_line);
    session.model(None, &header["model"]);
    let (result, usage) = (&header["result"], &header["usage"]);
    if result["success"] == false {
        session.outcome = Some(Outcome::Failed);
    }
    session.used_in_all(Usage {
        cost_usd: cost(&usage["cost_usd"]),
        duration_s: count(&result["duration_ms"]).map(|ms| ms as f64 / 1000.0),
        ..tokens(usage, ["input_tokens", "output_tokens", "cache_read_tokens"])
    });
}

pub fn take(step: &Value, session: &mut Session) -> Option<Spoken> {
    let text = |name: &str| step[name].as_str();
    match text("type")? {
        "tool_call" => session.call(text("tool_id")?, text("tool")?, &step["input"]),
        "tool_result" => {
            let output = text("output").map(str::to_owned);
            session.answer(text("tool_id")?, step["success"].as_bool(), output);
        }
        "user" => session.user_message(text("content")?),
        "assistant" => return Spoken::main(text("content")?),
        _ => {}
    }
    None
}

#[derive(Default)]
pub struct Rlog {
    n_marks: u8,
    model: Option<String>,
    /// The names of calls that have no result yet, with what they are called here: early
    /// logs gave every call the same name.
    open: Vec<(String, String)>,
    pub n_cut: u64,
    used: Usage,
}

impl Rlog {
    pub fn host(&self) -> Host {
        driven(self.model.as_deref())
    }

    pub fn line(&mut self, line: &str, session: &mut Session) -> Option<Spoken> {
        if self.n_marks < 2 {
            self.header(line, session);
            return None;
        }
        let (mark, rest) = line.split_once(':').unwrap_or((line, ""));
        match mark {
            "u" => session.user_message(bare(rest)),
            "a" => return Spoken::main(bare(rest)).filter(|it| !it.message.ends_with(CUT)),
            "t!" | "t" | "c" => self.call(rest, session),
            "o" => self.answer(rest, session),
            _ if line.starts_with("@start") => {
                let at = value(line, "ts").and_then(Timestamp::parse);
                session.started = session.started.or(at);
            }
            _ if line.starts_with("@end") => {
                let number = |name: &str| value(line, name)?.parse::<f64>().ok();
                let cost_usd = number("cost_usd").filter(|cost| (0.0..1e9).contains(cost));
                self.used = self.used.merged(Usage { cost_usd, ..Usage::default() });
            }
            _ => {}
        }
        None
    }

    fn header(&mut self, line: &str, session: &mut Session) {
        if line.trim_end() == "---" {
            self.n_marks += 1;
            return;
        }
        let Some((name, value)) = line.split_once(": ") else { return };
        let value = value.trim().trim_matches('"');
        let text = || Some(value.to_owned()).filter(|value| !value.is_empty());
        let count = || value.parse::<u64>().ok().filter(|count| *count > 0);
        match name {
            "id" => session.id = text(),
            "cwd" => session.folder = text(),
            "model" => self.model = text(),
            "tokens_total_in" => self.used.tokens_in = count(),
            "tokens_total_out" => self.used.tokens_out = count(),
            "tokens_cached" => self.used.tokens_cached = count(),
            _ => {}
        }
    }

    /// `Bash id=x cmd="make" → [running]`: the tool, its name here, what it is called with.
    fn call(&mut self, rest: &str, session: &mut Session) {
        let (what, result) = rest.split_once(ARROW).unwrap_or((rest, ""));
        let (tool, what) = what.trim().split_once(' ').unwrap_or((what.trim(), ""));
        let name = value(what, "id").unwrap_or_default().to_owned();
        let arguments = arguments(what);
        let is_cut = arguments.as_object().into_iter().flatten();
        if is_cut.clone().any(|(_, value)| value.as_str().is_some_and(|text| text.ends_with(CUT))) {
            self.n_cut += 1;
            return;
        }
        if self.open.len() >= MAX_OPEN {
            self.open.remove(0);
        }
        let id = session.line.to_string();
        session.call(&id, tool, &arguments);
        match is_ok(result) {
            Some(is_ok) => session.answer(&id, Some(is_ok), None),
            None => self.open.push((name, id)),
        }
    }

    /// A result counts where it can only be that of one call.
    fn answer(&mut self, rest: &str, session: &mut Session) {
        let name = value(rest, "id").unwrap_or_default();
        let (_, result) = rest.split_once(ARROW).unwrap_or(("", rest));
        let mut of_name = self.open.iter().filter(|(open, _)| open == name);
        let (first, is_one) = (of_name.next().cloned(), of_name.next().is_none());
        let Some((_, id)) = first else { return };
        self.open.retain(|(open, _)| open != name);
        if is_one {
            let output = result.split_once("] ").map(|(_, output)| output.trim().to_owned());
            session.answer(&id, is_ok(result), output);
        }
    }

    pub fn finish(&self, session: &mut Session) {
        session.model(None, &json!(self.model));
        session.used_in_all(self.used);
    }
}

fn is_ok(result: &str) -> Option<bool> {
    let result = result.trim_start();
    if result.starts_with("[ok]") || result.starts_with("[done]") {
        Some(true)
    } else if result.starts_with("[error]") || result.starts_with("[failed]") {
        Some(false)
    } else {
        None
    }
}

/// A text without the figures that are put behind it.
fn bare(rest: &str) -> &str {
    let marks = [" ts=", " tokens_in=", " id=", " parent="];
    let end = marks.iter().filter_map(|mark| rest.find(mark)).min().unwrap_or(rest.len());
    rest[..end].trim()
}

/// The value of `name=` in a line, without its quotes.
fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let at = text
        .match_indices(&format!("{name}="))
        .find(|(at, _)| *at == 0 || text[..*at].ends_with(char::is_whitespace))?;
    let rest = &text[at.0 + name.len() + 1..];
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split_whitespace().next(),
    }
}

/// What a call was called with: each `name=value`, a quoted value up to the last quote.
fn arguments(what: &str) -> Value {
    let mut arguments = serde_json::Map::new();
    for name in ["cmd", "file_path", "path", "pattern", "query", "url"] {
        let mark = format!("{name}=");
        let Some(at) = what.find(&mark) else { continue };
        let rest = what[at + mark.len()..].trim_end();
        let text = match rest.strip_prefix('"') {
            // Quotes within are not marked, so it ends at the last one.
            Some(quoted) => quoted.rsplit_once('"').map_or(quoted, |(text, _)| text),
            None => rest.split_whitespace().next().unwrap_or_default(),
        };
        let name = if name == "cmd" { "command" } else { name };
        arguments.insert(name.to_owned(), json!(text));
        break;
    }
    Value::Object(arguments)
}

//! Does an agent hand its findings to the host through a tool that is made for it? Then it reviewed,
//! whatever its role is.

use serde_json::Value;

use super::session::Spoken;

/// Claude Code's tool, whose list has file, line, summary, failure scenario, category, verdict and
/// outcome.
const TOOL: &str = "ReportFindings";

/// Who speaks in such a list.
const REVIEWER: &str = "code-review";

/// The list of a call among the parts of a message.
pub fn reported(content: &Value) -> Option<Spoken> {
    let mut parts = content.as_array()?.iter();
    let is_report = |part: &&Value| part["type"] == "tool_use" && part["name"] == TOOL;
    let list = &parts.find(is_report)?["input"];
    list["findings"].is_array().then(|| Spoken {
        reviewer: Some(REVIEWER),
        message: list.to_string(),
        ..Spoken::default()
    })
}

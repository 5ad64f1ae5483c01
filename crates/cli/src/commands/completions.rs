//! `hardwon install --completions`

use clap_complete::{Shell, generate};
use hardwon_faces::{Exit, Failure};
use serde_json::json;

use super::{CommandResult, Context};

/// Prints completions for a shell, for example
/// `hardwon install --completions bash > ~/.local/share/bash-completion/completions/hardwon`.
pub fn print(context: &Context, shell: Shell) -> CommandResult {
    let mut written = Vec::new();
    generate(shell, &mut (context.tree)(), "hardwon", &mut written);
    let text = String::from_utf8(written)
        .map_err(|error| Failure::usage(format!("cannot be printed: {error}"), None))?;
    if context.printer.is_json() {
        context.printer.json(&json!({ "status": "ok", "text": text, "problems": [] }));
    } else {
        context.printer.data(&text);
    }
    Ok(Exit::Done)
}

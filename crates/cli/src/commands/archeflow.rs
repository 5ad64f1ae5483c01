//! `hardwon archeflow`

use std::ffi::OsString;

use clap::Args;
use hardwon_engine::answer::ForeignWords;
use hardwon_faces::archeflow::{Call, run};
use hardwon_faces::{Exit, Failure};
use hardwon_render::json;

use super::{CommandResult, Context};

/// ArcheFlow's memory commands over ArcheFlow's own files
///
/// extract EVENTS, inject DOMAIN ARCHETYPE [--audit RUN], add TYPE TEXT, list, decay,
/// forget ID, audit-check RUN, regression-check EVENTS, event RUN TYPE PHASE AGENT
/// [DATA] [PARENTS]; with ArcheFlow's words, streams and exit statuses.
/// --dir FOLDER comes first: the folder that contains .archeflow.
#[derive(Args)]
#[command(disable_help_flag = true, disable_version_flag = true)]
pub struct ArcheflowArgs {
    /// Our flags, a command and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    args: Vec<OsString>,
}

impl ArcheflowArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        let args: Vec<String> =
            self.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        let name = std::env::var("HARDWON_ARCHEFLOW_NAME").ok();
        let name = name.unwrap_or_else(|| "hardwon archeflow".to_owned());
        let call = Call::parse(&context.environment, &context.options, &args, &name);
        let call = call.map_err(|reason| Failure::usage(reason, None))?;
        let output = run(&context.environment, &call);
        if context.printer.is_json() || call.is_json {
            let words = ForeignWords {
                output: output.out,
                messages: output.talk,
                exit: output.code.into(),
            };
            context.printer.json(&json::answer(&words.answer()));
        } else {
            output.talk.iter().for_each(|line| context.printer.talk(line));
            context.printer.data(&output.out);
        }
        Ok(Exit::Foreign(output.code))
    }
}

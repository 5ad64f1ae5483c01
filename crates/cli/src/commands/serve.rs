//! `hardwon serve`

use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::Args;
use hardwon_engine::answer::{Answer, Serving};
use hardwon_engine::voice::Voice;
use hardwon_faces::serve::{self, ServeRequest, TokenFile};
use hardwon_faces::{Exit, Failure};
use hardwon_render::text;

use super::{CommandResult, Context};

/// Show memory in a browser, and serve it over HTTP
///
/// Listens on this machine only, on a free port, and prints one address with a code that is good
/// once and for five minutes. Scripts send the token in `serve.token` of the data folder. Ctrl-C
/// ends it. docs/page.md shows the pages, docs/http.md the API.
#[derive(Args)]
pub struct Serve {
    /// Where to listen: an address and a port, or a port [default: 127.0.0.1 and a free port]
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Open the page in a browser
    #[arg(long)]
    open: bool,
    /// Another name and port under which it may be called, behind a proxy (repeatable)
    #[arg(long = "host", value_name = "NAME:PORT")]
    hosts: Vec<String>,
    /// A token of your own; needed to listen on another address than this machine's
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Let members of teams in, each with a token of theirs: `hardwon config team`
    #[arg(long)]
    team: bool,
    /// Print a new address with a code of the server that runs
    #[arg(long, group = "instead")]
    code: bool,
    /// Say whether a server runs, and where
    #[arg(long, group = "instead")]
    status: bool,
    /// Replace the token: the old one and all browsers have to come in anew
    #[arg(long, group = "instead")]
    new_token: bool,
}

impl Serve {
    pub fn run(self, context: &Context) -> CommandResult {
        let environment = &context.environment;
        let token = TokenFile::of(environment, self.token_file.as_deref())?;
        if self.new_token {
            token.renew().map_err(|error| Failure::usage(error.to_string(), None))?;
            let path = token.path().display().to_string();
            return print(context, Serving { token_file: Some(path), ..Serving::default() });
        }
        if self.status {
            return status(context, &token);
        }
        if self.code {
            let voice = voice(environment.speaker.voice);
            let url = serve::new_code(environment, &token, voice)?;
            return print(context, Serving { url: Some(url), ..Serving::default() });
        }
        let request = ServeRequest {
            listen: self.listen,
            hosts: self.hosts,
            token_file: self.token_file.clone(),
            is_team: self.team,
        };
        let is_open = self.open;
        let ready = |url: &str| {
            let serving = Serving { url: Some(url.to_owned()), ..Serving::default() };
            if context.printer.is_json() {
                context.printer.json_line(&hardwon_render::json::value(&serving));
            } else {
                context.printer.data(&format!("{url}\n"));
                context
                    .printer
                    .talk("serving; Ctrl-C ends it. The code is good once, for 5 minutes.");
            }
            if is_open {
                browse(context, url);
            }
        };
        serve::serve(environment, &context.options, &request, ready)?;
        Ok(Exit::Done)
    }
}

fn voice(voice: Voice) -> &'static str {
    match voice {
        Voice::Person => "person",
        Voice::Script => "script",
        Voice::Agent => "agent",
    }
}

fn status(context: &Context, token: &TokenFile) -> CommandResult {
    match serve::status(&context.environment, token) {
        Some(running) => {
            let serving =
                Serving { url: Some(running.url), pid: Some(running.pid), token_file: None };
            print(context, serving)
        }
        None => {
            print(context, Serving::default())?;
            Ok(Exit::Negative)
        }
    }
}

fn print(context: &Context, serving: Serving) -> CommandResult {
    let is_nothing = serving == Serving::default();
    let answer = Answer::of(serving, Vec::new()).or_empty(is_nothing);
    context.answer(&answer, |serving, _| text::serving(serving))
}

/// Opens the address in whatever the desktop opens addresses with.
fn browse(context: &Context, url: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if command.spawn().is_err() {
        context.printer.talk("no browser could be started; open the address by hand");
    }
}

//! A host's event comes in, its answer goes out: never an error, never late, never twice.
//! Whatever goes wrong is noted for `doctor`; the host hears nothing of it.

mod event;
mod hosts;
mod lean;

use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hardwon_engine::answer::{Injected, Status};
use hardwon_engine::hook::once::{self, Key};
use hardwon_engine::hook::queue::{self, Queued};
use hardwon_engine::hook::{FailedTool, Said};
use hardwon_engine::need::Need;
use hardwon_engine::{
    Access, Engine, EngineError, Environment, InjectRequest, Options, Style, problems,
};
use serde_json::json;

use crate::deadline::within;
use event::Event;
use hosts::{Answer, Host, Kind};

/// How long a hook may take when no setting says it.
const LIMIT: Duration = Duration::from_millis(300);

/// A larger event is not read.
const MAX_BYTES: u64 = 16 << 20;

/// The answer, once it is known, and what to do when the time is over before it is.
#[derive(Default)]
struct Prepared {
    answer: Option<String>,
    queued: Option<Queued>,
}

/// Answers one event of a host. `print` gets the answer, whole, or is not called.
pub fn hook(
    word: &str,
    environment: &Environment,
    options: &Options,
    input: impl Read,
    print: impl Fn(&str) + Clone + Send + 'static,
) {
    let command = format!("hook {word}");
    let Some(host) = hosts::host(word) else {
        let cause = format!("no such host; there are {}", hosts::words());
        problems::note(environment, "hook", Status::Failed, &cause);
        return;
    };
    let setting = options.settings(environment).count("deadline_ms");
    let limit = setting.map_or(LIMIT, |ms| Duration::from_millis(u64::from(ms)));
    let prepared: Arc<Mutex<Prepared>> = Arc::default();
    let late = {
        let (prepared, print) = (Arc::clone(&prepared), print.clone());
        let (environment, command) = (environment.clone(), command.clone());
        move || {
            let prepared = prepared.lock().map(|mut p| std::mem::take(&mut *p));
            too_late(&environment, &command, limit, prepared.unwrap_or_default(), print);
        }
    };
    let call = Call { host, environment, options, prepared: &prepared };
    let done = within(limit, late, || catch_unwind(AssertUnwindSafe(|| call.answer(input))));
    let (answer, cause) = match done {
        Ok(Ok(done)) => done,
        Ok(Err(cause)) => (None, Some((Status::Failed, cause))),
        Err(_) => {
            let cause = "a fault in hardwon itself; please report it".to_owned();
            (None, Some((Status::Failed, cause)))
        }
    };
    if let Some(answer) = &answer {
        print(answer);
    }
    if let Some((status, cause)) = cause {
        problems::note(environment, &command, status, &cause);
    }
}

/// The time is over: what is ready is said, and what was to be learned waits its turn.
fn too_late(
    environment: &Environment,
    command: &str,
    limit: Duration,
    prepared: Prepared,
    print: impl Fn(&str),
) {
    if let Some(answer) = prepared.answer {
        print(&answer);
    }
    let mut cause = format!("not done within {} ms", limit.as_millis());
    if let Some(queued) = prepared.queued {
        cause += match queue::enqueue(environment, &queued) {
            Ok(()) => "; it waits for `hardwon learn --pending`",
            Err(_) => "; it could not be queued either",
        };
    }
    problems::note(environment, command, Status::Failed, &cause);
}

/// An answer, and what did not go well on the way.
type Done = (Option<String>, Option<(Status, String)>);

struct Call<'a> {
    host: &'static Host,
    environment: &'a Environment,
    options: &'a Options,
    prepared: &'a Mutex<Prepared>,
}

impl Call<'_> {
    fn answer(&self, input: impl Read) -> Result<Done, String> {
        let mut bytes = Vec::new();
        let read = input.take(MAX_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|error| format!("the event could not be read: {error}"))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(format!("the event is larger than {} MiB", MAX_BYTES >> 20));
        }
        let event = Event::of(self.host, &lean::object(&bytes)?);
        let environment = event.environment(self.environment);
        let digest = hardwon_engine::hook::digest(&bytes);
        let handling = Handling { call: self, event: &event, environment, digest };
        handling.handle().map_err(|error| error.to_string())
    }
}

struct Handling<'a> {
    call: &'a Call<'a>,
    event: &'a Event,
    environment: Environment,
    digest: String,
}

impl Handling<'_> {
    fn handle(&self) -> Result<Done, EngineError> {
        match self.event.kind {
            Kind::Start => {
                let done = self.serve();
                once::tidy(&self.environment);
                done
            }
            Kind::Prompt | Kind::AgentStart => self.serve(),
            Kind::ToolFailed => self.recall(),
            Kind::AgentStop | Kind::Stop => self.learn(),
            Kind::End => self.enqueue(),
            Kind::ToolDone | Kind::Other => Ok((None, None)),
        }
    }

    fn open(&self, access: Access) -> Result<Engine, EngineError> {
        Engine::open(&self.environment, self.call.options, access)
    }

    fn need(&self) -> Need {
        Need {
            role: self.event.role.clone(),
            provider: Some(self.event.host.provider.to_owned()),
            paths: self.event.paths(),
            ..Need::default()
        }
    }

    /// The block for what is about to happen.
    fn serve(&self) -> Result<Done, EngineError> {
        let (run, _) = self.event.runs();
        let request = InjectRequest {
            run: run.clone(),
            need: Need { text: self.event.prompt.clone(), ..self.need() },
            style: Some(Style::Hardwon),
            ..InjectRequest::default()
        };
        let engine = self.open(Access::Read)?;
        let (request, mut injected) = self.fitting(&engine, request)?;
        let is_known = match (self.event.kind, &run) {
            // A resumed session has its block in its history.
            (Kind::Start, _) => {
                injected.is_repeat && self.event.source.as_deref() == Some("resume")
            }
            (Kind::Prompt, Some(run)) => return self.serve_news(&engine, run, request, injected),
            _ => false,
        };
        if is_known {
            injected = Injected::default();
        }
        self.finish(&engine, &request, &injected, None)
    }

    /// Of what fits a prompt, only what the session was not shown yet.
    fn serve_news(
        &self,
        engine: &Engine,
        run: &hardwon_engine::ids::RunId,
        request: InjectRequest,
        injected: Injected,
    ) -> Result<Done, EngineError> {
        let shown = engine.shown_to(run)?;
        let ids = injected.lessons.iter().map(|shown| shown.lesson.id.clone());
        let news: std::collections::BTreeSet<_> = ids.filter(|id| !shown.contains(id)).collect();
        if news.is_empty() {
            return Ok((None, None));
        }
        if news.len() == injected.lessons.len() {
            return self.finish(engine, &request, &injected, None);
        }
        let request = InjectRequest { only: Some(news), ..request };
        let (request, injected) = self.fitting(engine, request)?;
        self.finish(engine, &request, &injected, None)
    }

    /// The block within what the host takes.
    fn fitting(
        &self,
        engine: &Engine,
        request: InjectRequest,
    ) -> Result<(InjectRequest, Injected), EngineError> {
        let injected = engine.compose(&request)?;
        if self.fits(&injected) {
            return Ok((request, injected));
        }
        let budget = Some(self.event.host.max_tokens * 3 / 4);
        let request = InjectRequest { budget, ..request };
        let injected = engine.compose(&request)?;
        let injected = if self.fits(&injected) { injected } else { Injected::default() };
        Ok((request, injected))
    }

    fn fits(&self, injected: &Injected) -> bool {
        let host = self.event.host;
        injected.block.chars().count() <= host.max_chars && injected.n_tokens <= host.max_tokens
    }

    /// What is known about a failure, once a session.
    fn recall(&self) -> Result<Done, EngineError> {
        let (run, _) = self.event.runs();
        let Some(error) = self.event.error.clone() else { return Ok((None, None)) };
        let need = Need { tool: self.event.tool.clone(), ..self.need() };
        let command = self.event.command.clone();
        let engine = self.open(Access::Read)?;
        let recalled = engine.recall(&FailedTool { run, need, command, error })?;
        if !self.fits(&recalled.injected) {
            return Ok((None, None));
        }
        let session = self.event.session.as_deref().unwrap_or_default();
        let agent = self.event.agent_id.as_deref().unwrap_or_default();
        let said: Vec<&str> = recalled.recalled.iter().map(String::as_str).collect();
        let once = Key::Named(format!("recall\n{session}\n{agent}\n{}", said.join("\n")));
        let once = self.event.session.is_some().then_some(once);
        self.finish(&engine, &recalled.request, &recalled.injected, once)
    }

    /// Claims the event, makes the answer ready, and records what was shown.
    fn finish(
        &self,
        engine: &Engine,
        request: &InjectRequest,
        injected: &Injected,
        also_once: Option<Key>,
    ) -> Result<Done, EngineError> {
        let answer = self.rendered(&injected.block);
        if answer.is_some() {
            let keys = [Some(self.event.key(&self.digest)), also_once];
            if !keys.iter().flatten().all(|key| once::claim(&self.environment, key)) {
                return Ok((None, None));
            }
            if let Ok(mut prepared) = self.call.prepared.lock() {
                prepared.answer.clone_from(&answer);
            }
        }
        let mut causes: Vec<String> =
            engine.settings().problems.iter().map(|p| format!("{}: {}", p.at, p.reason)).collect();
        if request.run.is_some() && injected.is_worth_recording() {
            let recorded = self
                .open(Access::Write)
                .and_then(|mut engine| engine.record_injection(request, injected));
            if let Err(error) = recorded {
                causes.push(format!("the injection was not recorded: {error}"));
            }
        }
        let cause = (!causes.is_empty()).then(|| (Status::Degraded, causes.join("; ")));
        Ok((answer, cause))
    }

    /// The answer in the host's own form.
    fn rendered(&self, block: &str) -> Option<String> {
        let row = self.event.row?;
        match row.answer {
            Answer::Context if !block.is_empty() => {
                let said = json!({"hookEventName": row.name, "additionalContext": block});
                Some(format!("{}\n", json!({ "hookSpecificOutput": said })))
            }
            Answer::Context | Answer::Nothing => None,
        }
    }

    /// Findings in what a reviewer said last.
    fn learn(&self) -> Result<Done, EngineError> {
        let (Some(run), parent) = self.event.runs() else { return Ok((None, None)) };
        let Some(message) = self.event.last_message.as_deref() else { return Ok((None, None)) };
        let said = Said {
            run,
            parent,
            role: self.event.role.as_deref(),
            agent: self.event.host.provider,
            message,
            folder: self.event.folder.as_deref(),
        };
        if !said.is_review() {
            return Ok((None, None));
        }
        if let Ok(mut prepared) = self.call.prepared.lock() {
            prepared.queued = self.queued();
        }
        self.open(Access::Write)?.learn_said(&said)?;
        Ok((None, None))
    }

    fn enqueue(&self) -> Result<Done, EngineError> {
        if let Some(queued) = self.queued() {
            queue::enqueue(&self.environment, &queued)?;
        }
        Ok((None, None))
    }

    fn queued(&self) -> Option<Queued> {
        let at = self.environment.now().map(|now| now.to_string()).unwrap_or_default();
        Some(Queued {
            host: self.event.host.word.to_owned(),
            session: self.event.session.clone()?,
            transcript: self.event.transcript.clone()?,
            folder: self.environment.folder.display().to_string(),
            at,
        })
    }
}

//! A host's event comes in, its answer goes out: never an error, never late, never twice.
//! Whatever goes wrong is noted for `doctor`; the host hears nothing of it.

use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use hardwon_engine::answer::{Injected, Status};
use hardwon_engine::blocks::FailedTool;
use hardwon_engine::ids::RunId;
use hardwon_engine::need::Need;
use hardwon_engine::runs::ReviewerMessage;
use hardwon_engine::runs::queue::backlog;
use hardwon_engine::runs::queue::{self, Queued, Work};
use hardwon_engine::settings::Settings;
use hardwon_engine::{
    Access, EngineError, Environment, InjectRequest, OpenMemory, Options, Style, blocks, problems,
    runs,
};
use hardwon_hosts::hook::dialect::{Answer, Kind};
use hardwon_hosts::hook::event::Event;
use hardwon_hosts::host::Host;
use hardwon_hosts::hosts;
use hardwon_hosts::once::{self, Key};
use serde_json::json;

use crate::deadline::within;

/// How long a hook may take when no setting says it.
const LIMIT: Duration = Duration::from_millis(300);

/// What is added to a trouble that loses nothing.
const WAITS: &str = "; what was said waits for the next hook, or `hardwon learn --pending`";

/// A larger event is not read.
const MAX_BYTES: u64 = 16 << 20;

/// So much longer a late hook waits for its event, and for what was said in it to be safe:
/// that takes no store, only one small file, and a machine that is not overwhelmed. A host
/// says it once, and gives its stops ten seconds.
const GRACE: Duration = Duration::from_secs(2);

/// What a late hook says: the answer, once it is known, and where the file with what was said
/// is. Locked until the event has come and that file is there.
#[derive(Default)]
struct Prepared {
    answer: Option<String>,
    left: Option<PathBuf>,
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
    let Some(host) = hosts::named(word) else {
        let cause = format!("no such host; there are {}", hosts::names().join(", "));
        problems::note(environment, "hook", Status::Failed, &cause);
        return;
    };
    let settings = options.settings(environment);
    let setting = settings.count("deadline_ms");
    let limit = setting.map_or(LIMIT, |ms| Duration::from_millis(u64::from(ms)));
    let prepared: Arc<Mutex<Prepared>> = Arc::default();
    let late = {
        let (prepared, print) = (Arc::clone(&prepared), print.clone());
        let (environment, command) = (environment.clone(), command.clone());
        move || {
            too_late(&environment, &command, limit, taken(&prepared), print);
        }
    };
    let until = Instant::now() + limit * 3 / 4;
    let call = Call { host, environment, options, settings, prepared: &prepared, until };
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

/// What is ready by now, or soon will be.
fn taken(prepared: &Mutex<Prepared>) -> Prepared {
    let give_up_at = Instant::now() + GRACE;
    loop {
        match prepared.try_lock() {
            Ok(mut prepared) => return std::mem::take(&mut *prepared),
            Err(TryLockError::Poisoned(error)) => return std::mem::take(&mut *error.into_inner()),
            Err(TryLockError::WouldBlock) if Instant::now() < give_up_at => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(TryLockError::WouldBlock) => return Prepared::default(),
        }
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
    if prepared.left.is_some_and(|left| left.exists()) {
        cause += WAITS;
    }
    problems::note(environment, command, Status::Failed, &cause);
}

/// An answer, and what did not go well on the way.
type Done = (Option<String>, Option<(Status, String)>);

struct Call<'a> {
    host: &'static Host,
    environment: &'a Environment,
    options: &'a Options,
    /// Those that hold where the host started us.
    settings: Settings,
    prepared: &'a Mutex<Prepared>,
    /// From then on nothing further is begun.
    until: Instant,
}

impl Call<'_> {
    fn answer(&self, input: impl Read) -> Result<Done, String> {
        let failed = |error: std::io::Error| format!("the event could not be read: {error}");
        let mut prepared = self.prepared();
        let mut bytes = Vec::new();
        input.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(format!("the event is larger than {} MiB", MAX_BYTES >> 20));
        }
        let object = hardwon_engine::lean_object(&bytes)?;
        let event = Event::read(hosts::speaking(self.host, &object), &object);
        let environment = event.environment(self.environment);
        let digest = hardwon_engine::digest(&bytes);
        // The event may name another folder, which may have settings of its own.
        let settings = if environment.folder == self.environment.folder {
            self.settings.clone()
        } else {
            self.options.settings(&environment)
        };
        let handling = Handling { call: self, event: &event, environment, settings, digest };
        let left = handling.leave();
        prepared.left = left.as_ref().and_then(|left| left.as_ref().ok().cloned());
        drop(prepared);
        handling.handle(left).map_err(|error| error.to_string())
    }

    fn prepared(&self) -> MutexGuard<'_, Prepared> {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Able to record only if there is a run to record for.
fn access_for(run: &Option<RunId>) -> Access {
    if run.is_some() { Access::Record } else { Access::Read }
}

/// The file with what was said, if it could be made.
type Left = Result<PathBuf, EngineError>;

struct Handling<'a> {
    call: &'a Call<'a>,
    event: &'a Event,
    environment: Environment,
    settings: Settings,
    digest: String,
}

impl Handling<'_> {
    fn handle(&self, left: Option<Left>) -> Result<Done, EngineError> {
        match self.event.kind {
            Kind::Start => {
                let done = self.serve();
                once::tidy(&self.environment);
                done
            }
            Kind::Prompt | Kind::AgentStart => self.serve(),
            Kind::ToolFailed => self.recall(),
            Kind::AgentStop | Kind::Stop => left.map_or(Ok((None, None)), |left| self.learn(left)),
            Kind::End => self.enqueue(),
            Kind::ToolDone | Kind::Other => Ok((None, None)),
        }
    }

    fn open(&self, access: Access) -> Result<OpenMemory, EngineError> {
        OpenMemory::open_with(self.settings.clone(), &self.environment, self.call.options, access)
    }

    fn need(&self) -> Need {
        Need {
            role: self.event.role.clone(),
            provider: Some(self.event.host.agent.to_owned()),
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
        let mut open = self.open(access_for(&run))?;
        let (request, mut injected) = self.fitting(&open, request)?;
        let source = self.event.source.as_deref();
        match (self.event.kind, &run) {
            // A resumed session has its block in its history.
            (Kind::Start, _) if injected.is_repeat && source == Some("resume") => {
                injected = Injected::default();
            }
            (Kind::Start, Some(run)) if source == Some("compact") => {
                return self.serve_again(&mut open, run, request, injected);
            }
            (Kind::Prompt, Some(run)) => {
                return self.serve_news(&mut open, run, request, injected);
            }
            _ => {}
        }
        self.finish(&mut open, &request, injected, None)
    }

    /// A session whose context was made smaller has lost what it was told, also what came
    /// with a prompt: it is told all of it once more. That shows nothing new.
    fn serve_again(
        &self,
        open: &mut OpenMemory,
        run: &RunId,
        request: InjectRequest,
        injected: Injected,
    ) -> Result<Done, EngineError> {
        let mut lost = blocks::shown_to(&open.memory, &open.call, run)?;
        let first = injected.lessons.iter().map(|shown| &shown.lesson.id);
        first.for_each(|id| _ = lost.remove(id));
        if lost.is_empty() {
            return self.finish(open, &request, injected, None);
        }
        lost.extend(injected.lessons.iter().map(|shown| shown.lesson.id.clone()));
        let max_lessons = u32::try_from(lost.len()).ok();
        let request = InjectRequest { run: None, only: Some(lost), max_lessons, ..request };
        let (request, injected) = self.fitting(open, request)?;
        self.finish(open, &request, injected, None)
    }

    /// Of what fits a prompt, only what the session was not shown yet.
    fn serve_news(
        &self,
        open: &mut OpenMemory,
        run: &RunId,
        request: InjectRequest,
        injected: Injected,
    ) -> Result<Done, EngineError> {
        let shown = blocks::shown_to(&open.memory, &open.call, run)?;
        let ids = injected.lessons.iter().map(|shown| shown.lesson.id.clone());
        let news: std::collections::BTreeSet<_> = ids.filter(|id| !shown.contains(id)).collect();
        if news.is_empty() {
            return Ok((None, None));
        }
        if news.len() == injected.lessons.len() {
            return self.finish(open, &request, injected, None);
        }
        let request = InjectRequest { only: Some(news), ..request };
        let (request, injected) = self.fitting(open, request)?;
        self.finish(open, &request, injected, None)
    }

    /// The block within what the host takes.
    fn fitting(
        &self,
        open: &OpenMemory,
        request: InjectRequest,
    ) -> Result<(InjectRequest, Injected), EngineError> {
        let injected = blocks::compose(&open.memory, &open.call, &request)?;
        if self.fits(&injected) {
            return Ok((request, injected));
        }
        let budget = Some(self.event.host.dialect.max_tokens * 3 / 4);
        let request = InjectRequest { budget, ..request };
        let injected = blocks::compose(&open.memory, &open.call, &request)?;
        let injected = if self.fits(&injected) { injected } else { Injected::default() };
        Ok((request, injected))
    }

    fn fits(&self, injected: &Injected) -> bool {
        let takes = &self.event.host.dialect;
        injected.block.chars().count() <= takes.max_chars && injected.n_tokens <= takes.max_tokens
    }

    /// What is known about a failure, once a session.
    fn recall(&self) -> Result<Done, EngineError> {
        let (run, _) = self.event.runs();
        let Some(error) = self.event.error.clone() else { return Ok((None, None)) };
        let need = Need { tool: self.event.tool.clone(), ..self.need() };
        let command = self.event.command.clone();
        let mut open = self.open(access_for(&run))?;
        let failed = FailedTool { run, need, command, error };
        let recalled = blocks::recall(&open.memory, &open.call, &failed)?;
        if !self.fits(&recalled.injected) {
            return Ok((None, None));
        }
        let session = self.event.session.as_deref().unwrap_or_default();
        let agent = self.event.agent_id.as_deref().unwrap_or_default();
        let said: Vec<&str> = recalled.recalled.iter().map(String::as_str).collect();
        let once = Key::Named(format!("recall\n{session}\n{agent}\n{}", said.join("\n")));
        let once = self.event.session.is_some().then_some(once);
        self.finish(&mut open, &recalled.request, recalled.injected, once)
    }

    /// Claims the event, makes the answer ready, and records what was shown. If another
    /// process served the same need meanwhile, its block is the answer.
    fn finish(
        &self,
        open: &mut OpenMemory,
        request: &InjectRequest,
        injected: Injected,
        also_once: Option<Key>,
    ) -> Result<Done, EngineError> {
        let answer = self.rendered(&injected.block);
        if answer.is_some() {
            let keys = [Some(self.event.key(&self.digest)), also_once];
            if !keys.iter().flatten().all(|key| once::claim(&self.environment, key)) {
                return Ok((None, None));
            }
            self.call.prepared().answer = answer;
        }
        let served = blocks::record(&mut open.memory, &open.call, request, injected)?;
        let answer = self.rendered(&served.injected.block);
        let problems = open.memory.settings().problems.iter().chain(&served.problem);
        let causes: Vec<String> = problems
            .map(|problem| match problem.at.as_str() {
                "store" => problem.reason.clone(),
                place => format!("{place}: {}", problem.reason),
            })
            .collect();
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

    /// What a reviewer said last; nothing if it is no review.
    fn said(&self) -> Option<ReviewerMessage<'_>> {
        if !matches!(self.event.kind, Kind::AgentStop | Kind::Stop) {
            return None;
        }
        let (run, parent) = self.event.runs();
        let said = ReviewerMessage {
            run: run?,
            parent,
            role: self.event.role.as_deref(),
            agent: self.event.host.agent,
            message: self.event.last_message.as_deref()?,
            folder: self.event.folder.as_deref(),
        };
        said.is_review().then_some(said)
    }

    /// Puts what was said where nothing can happen to it any more: the host says it once.
    fn leave(&self) -> Option<Left> {
        let said = self.said()?;
        let kept = said.kept(&self.environment, self.call.options);
        let session = self.event.session.clone()?;
        Some(kept.and_then(|kept| {
            queue::enqueue(&self.environment, &self.queued(session, Work::Message(kept)))
        }))
    }

    /// Learns what was left, and what others left before.
    fn learn(&self, left: Left) -> Result<Done, EngineError> {
        let Ok(own) = left else { return self.learn_at_once() };
        let is_over = || Instant::now() >= self.call.until;
        let cause = |error: EngineError| (Status::Failed, format!("{error}{WAITS}"));
        let done = backlog::work_off(&self.environment, self.call.options, &own, &is_over);
        Ok((None, done.err().map(cause)))
    }

    /// Without a file there is only this one try.
    fn learn_at_once(&self) -> Result<Done, EngineError> {
        if let Some(said) = self.said() {
            let mut open = self.open(Access::Write)?;
            runs::learn_message(&mut open.memory, &open.call, &said)?;
        }
        Ok((None, None))
    }

    fn enqueue(&self) -> Result<Done, EngineError> {
        let (session, transcript) = (self.event.session.clone(), self.event.transcript.clone());
        if let (Some(session), Some(transcript)) = (session, transcript) {
            let queued = self.queued(session, Work::Transcript(transcript));
            queue::enqueue(&self.environment, &queued)?;
        }
        Ok((None, None))
    }

    fn queued(&self, session: String, work: Work) -> Queued {
        let at = self.environment.now().map(|now| now.to_string()).unwrap_or_default();
        Queued {
            host: self.event.host.name.to_owned(),
            session,
            work,
            folder: self.environment.folder.display().to_string(),
            project: self.call.options.project.clone().or(self.environment.project.clone()),
            agent: self.environment.agent.clone(),
            store: self.settings.get("store").map(|setting| setting.value.clone()),
            at,
        }
    }
}

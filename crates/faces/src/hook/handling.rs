//! One event that was understood: which block it gets, what is learned from it, what is left
//! for later.

use std::path::PathBuf;
use std::time::Instant;

use hardwon_engine::answer::{Injected, Status};
use hardwon_engine::blocks::FailedTool;
use hardwon_engine::ids::RunId;
use hardwon_engine::need::Need;
use hardwon_engine::runs::ReviewerMessage;
use hardwon_engine::runs::queue::backlog;
use hardwon_engine::runs::queue::{self, Queued, Work};
use hardwon_engine::settings::Settings;
use hardwon_engine::{
    Access, EngineError, Environment, InjectRequest, OpenMemory, Style, blocks, files, runs,
    snapshot,
};
use hardwon_foreign::jkz::notes::Loaded;
use hardwon_hosts::hook::dialect::{Answer, Kind};
use hardwon_hosts::hook::event::Event;
use hardwon_hosts::once::{self, Key};
use serde_json::json;

use super::{Call, Errand, HookResult, WAITS};
use crate::notes::with_notes;

/// Able to record only if there is a run to record for.
fn access_for(run: &Option<RunId>) -> Access {
    if run.is_some() { Access::Record } else { Access::Read }
}

/// The file with a reviewer's message, if it could be written.
pub(super) type Left = Result<PathBuf, EngineError>;

pub(super) struct Handling<'a> {
    pub call: &'a Call<'a>,
    pub event: &'a Event,
    pub environment: Environment,
    pub settings: Settings,
    pub digest: String,
}

impl Handling<'_> {
    pub(super) fn handle(&self, left: Option<Left>) -> Result<HookResult, EngineError> {
        match self.event.kind {
            Kind::Start => {
                let done = self.serve();
                once::tidy(&self.environment);
                snapshot::tidy(&self.environment);
                done
            }
            Kind::Prompt | Kind::AgentStart => self.serve(),
            Kind::ToolFailed => self.recall(),
            Kind::AgentStop | Kind::Stop => self.stop(left),
            Kind::Compact => self.keep_snapshot(),
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
    fn serve(&self) -> Result<HookResult, EngineError> {
        let (run, _) = self.event.runs();
        let request = InjectRequest {
            run: run.clone(),
            need: Need { text: self.event.prompt.clone(), ..self.need() },
            style: Some(Style::Hardwon),
            ..InjectRequest::default()
        };
        let mut open = self.open(access_for(&run))?;
        let most = match open.memory.policy.budget.per_prompt {
            0 => usize::MAX,
            most => most as usize,
        };
        // With a prompt comes only what the session was not shown yet.
        let news = (self.event.kind == Kind::Prompt && run.is_some()).then_some(most);
        let request = self.with_notes(InjectRequest { news, ..request });
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
            // The session has it, or there is nothing new.
            (Kind::Prompt, Some(_)) if injected.is_repeat || injected.lessons.is_empty() => {
                return Ok((None, None));
            }
            _ => {}
        }
        let done = self.finish(&mut open, &request, injected, None);
        // The process ends after its answer: the system closes what is open in less time.
        std::mem::forget(open);
        done
    }

    /// Notes come when an agent starts, and never with a prompt.
    fn with_notes(&self, request: InjectRequest) -> InjectRequest {
        match self.event.kind {
            Kind::Start | Kind::AgentStart => {
                let loads = self.event.host.loads_notes;
                let loaded = Loaded { project: loads, notebook: loads };
                with_notes(request, &self.environment, &self.settings, loaded)
            }
            _ => request,
        }
    }

    /// A session whose context was compacted has lost every block, also those that came with a
    /// prompt: it gets all their lessons once more, below what it was about. That shows nothing
    /// new.
    fn serve_again(
        &self,
        open: &mut OpenMemory,
        run: &RunId,
        request: InjectRequest,
        injected: Injected,
    ) -> Result<HookResult, EngineError> {
        let session = self.event.session.as_deref();
        let left = session.and_then(|session| snapshot::left_for(&self.environment, session));
        let left = left.filter(|left| !left.is_empty());
        let mut lost = blocks::shown_to(&open.memory, &open.call, run)?;
        let first = injected.lessons.iter().map(|shown| &shown.lesson.id);
        first.for_each(|id| _ = lost.remove(id));
        if lost.is_empty() && left.is_none() {
            return self.finish(open, &request, injected, None);
        }
        lost.extend(injected.lessons.iter().map(|shown| shown.lesson.id.clone()));
        let max_lessons = u32::try_from(lost.len()).ok();
        let only = Some(lost);
        let request = InjectRequest { run: None, only, max_lessons, snapshot: left, ..request };
        let (request, injected) = self.fitting(open, request)?;
        self.finish(open, &request, injected, None)
    }

    /// Leaves what the session is about in a file, for the time after its compaction.
    fn keep_snapshot(&self) -> Result<HookResult, EngineError> {
        let (run, _) = self.event.runs();
        let (Some(run), Some(session)) = (run, self.event.session.as_deref()) else {
            return Ok((None, None));
        };
        let open = self.open(Access::Read)?;
        let transcript = self.event.transcript.as_deref();
        let taken = snapshot::take(&open.memory, &open.call, &run, transcript)?;
        snapshot::leave(&self.environment, session, &taken)?;
        Ok((None, None))
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
    fn recall(&self) -> Result<HookResult, EngineError> {
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
        let ids: Vec<&str> = recalled.recalled.iter().map(String::as_str).collect();
        let once = Key::Named(format!("recall\n{session}\n{agent}\n{}", ids.join("\n")));
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
    ) -> Result<HookResult, EngineError> {
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
        let problems = open.memory.settings.problems.iter().chain(&served.problem);
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
                let output = json!({"hookEventName": row.name, "additionalContext": block});
                Some(format!("{}\n", json!({ "hookSpecificOutput": output })))
            }
            Answer::Context | Answer::Nothing => None,
        }
    }

    /// The last message of a reviewer; nothing if it is not a review.
    fn review(&self) -> Option<ReviewerMessage> {
        if !matches!(self.event.kind, Kind::AgentStop | Kind::Stop) {
            return None;
        }
        let (run, parent) = self.event.runs();
        let message = ReviewerMessage {
            run: run?.to_string(),
            parent: parent.map(|run| run.to_string()),
            role: self.event.role.clone(),
            agent: self.event.host.agent.to_owned(),
            message: self.event.last_message.clone()?,
            cwd: self.event.folder.clone(),
        };
        message.is_review().then_some(message)
    }

    /// Writes the review to a file first, where it is safe: the host sends it only once.
    pub(super) fn leave(&self) -> Option<Left> {
        let kept = self.review()?.redacted(&self.environment, self.call.options);
        let session = self.event.session.clone()?;
        Some(kept.and_then(|kept| {
            queue::enqueue(&self.environment, &self.queued(session, Work::Message(kept)))
        }))
    }

    /// What was said lies in a file, and a worker learns it; the session may go on.
    fn stop(&self, left: Option<Left>) -> Result<HookResult, EngineError> {
        if !self.has_worker() {
            return left.map_or(Ok((None, None)), |left| self.learn(left));
        }
        if self.event.kind == Kind::Stop
            && let Some(queued) = self.conversation()
        {
            queue::renew(&self.environment, &queued)?;
        }
        if let Some(Err(_)) = left { self.learn_at_once() } else { Ok((None, None)) }
    }

    /// Whether the user lets hooks start a process that learns.
    fn has_worker(&self) -> bool {
        self.settings.switch("worker") != Some(false)
    }

    /// What a process of its own is to do after this event. Never while an agent is about to do
    /// something: only when it starts, or is done.
    pub(super) fn errand(&self) -> Option<Errand> {
        let is_end = self.event.kind == Kind::End;
        if !is_end && !matches!(self.event.kind, Kind::Start | Kind::AgentStop | Kind::Stop) {
            return None;
        }
        let lacks_backup =
            is_end && hardwon_engine::lacks_backup(&self.environment, self.call.options);
        let is_due =
            || queue::n_due(&self.environment) > 0 && !backlog::is_worked_on(&self.environment);
        match self.has_worker() {
            true => (lacks_backup || is_due() || self.lacks_sweep()).then_some(Errand::Work),
            false => lacks_backup.then_some(Errand::BackUp),
        }
    }

    /// Whether lessons of another system are to fade: looked at once, when an agent starts.
    fn lacks_sweep(&self) -> bool {
        self.event.kind == Kind::Start
            && hardwon_engine::runs::lacks_sweep(&self.environment, self.call.options)
    }

    /// Learns from that file, and from those that earlier hooks left.
    fn learn(&self, left: Left) -> Result<HookResult, EngineError> {
        let Ok(own) = left else { return self.learn_at_once() };
        let is_over = || Instant::now() >= self.call.until;
        let cause = |error: EngineError| (Status::Failed, format!("{error}{WAITS}"));
        let done = backlog::work_off(&self.environment, self.call.options, &own, &is_over);
        Ok((None, done.err().map(cause)))
    }

    /// Without a file there is only this one attempt.
    fn learn_at_once(&self) -> Result<HookResult, EngineError> {
        if let Some(message) = self.review() {
            let mut open = self.open(Access::Write)?;
            runs::learn_message(&mut open.memory, &open.call, &message)?;
        }
        Ok((None, None))
    }

    fn enqueue(&self) -> Result<HookResult, EngineError> {
        let queued = self.conversation();
        queued.map_or(Ok(()), |queued| queue::enqueue_ended(&self.environment, &queued))?;
        Ok((None, None))
    }

    /// The whole session, if its host says where it keeps it.
    fn conversation(&self) -> Option<Queued> {
        let (session, transcript) = (self.event.session.clone()?, self.event.transcript.clone()?);
        Some(self.queued(session, Work::Transcript(transcript)))
    }

    fn queued(&self, session: String, work: Work) -> Queued {
        let at = self.environment.now().map(|now| now.to_string()).unwrap_or_default();
        Queued {
            host: self.event.host.name.to_owned(),
            session,
            work,
            folder: files::path_text(&self.environment.folder),
            project: self.call.options.project.clone().or(self.environment.project.clone()),
            agent: self.environment.speaker.agent.clone(),
            store: self.settings.get("store").map(|setting| setting.value.clone()),
            at,
        }
    }
}

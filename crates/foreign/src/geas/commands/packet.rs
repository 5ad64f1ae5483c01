//! `packet`: what memory holds for one agent of one task, as geas's document in the tree and as
//! the section of the agent's context packet. It is made anew when the contract, the rules or a
//! lesson in it changed; on what it was made is noted with the injection, in our journal.

use std::collections::BTreeSet;

use hardwon_core::budget::Room;
use hardwon_core::conflict::oppose;
use hardwon_core::digest::{hex, sha256, sha256_of_bytes};
use hardwon_core::effect::{Injection, Surface};
use hardwon_core::event::Problem;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::need::Need;
use hardwon_core::notes::shown::{NoteAtHand, NotesAtHand, fitting};
use hardwon_core::run::SURFACE;
use hardwon_engine::{EngineError, InjectRequest, Result, blocks};
use hardwon_readers::{GeasContract, geas_contract};
use hardwon_render::answer::{Answer, Decimal, GeasPacket, GeasPacketLesson, Injected};
use hardwon_render::block::Style;
use hardwon_render::geas::section;
use hardwon_render::packet::{
    Packet, TreeDocument, bare_packet, basis_of, is_same_packet, sequence_of, tree_packet,
};
use hardwon_store::{LessonQuery, Pick};

use super::Geas;
use super::pages::{self, checked_role, notebooks, page};
use crate::geas::agents::agent_type;
use crate::geas::translate::title_of;
use crate::geas::{CANDIDATES, ENDING, ENTRIES, RULES, names, record};

/// For which task and agent a packet is wanted.
#[derive(Clone, Debug, Default)]
pub struct PacketAsk {
    /// `TASK`, or `MISSION/TASK`.
    pub task: String,
    pub agent: String,
    /// Needed where several missions have such a task.
    pub mission: Option<String>,
    /// At most so many lessons; the policy's number for the agent when left out.
    pub max: Option<u32>,
    /// Into what the packet is put, in geas's words; `task_packet` when left out.
    pub surface: Option<String>,
}

struct Task {
    mission: String,
    name: String,
    run: RunId,
}

/// What the reader is told beside lessons, and what the packet is made on.
struct Around {
    contract: GeasContract,
    notebook: Vec<String>,
    rules: Vec<String>,
    /// Digests of the contract and of the rules.
    basis: String,
    problems: Vec<Problem>,
}

impl Geas {
    /// Makes the packet of a task for an agent, or serves it again.
    pub fn packet(&mut self, ask: &PacketAsk) -> Result<Answer<GeasPacket>> {
        self.needs_trust()?;
        let role = checked_role(&ask.agent, self.profile())?;
        let surface = ask.surface.as_deref().map(surface_called).transpose()?;
        let task = self.task_called(ask)?;
        let around = self.around(&task, &role)?;
        let mut request = InjectRequest {
            need: need(&task, &role, &around.contract),
            max_lessons: ask.max,
            style: Some(Style::Packet),
            surface,
            basis: Some(around.basis.clone()),
            ..InjectRequest::default()
        };
        let opposed = self.without_opposed(&mut request, &around.rules)?;
        request.run = Some(task.run.clone());
        let earlier = self.newest_packet(&task, &role)?;
        let served = blocks::inject(&mut self.memory, &self.call, &request)?;
        let injected = served.body;
        let document =
            self.document(&task, &role, &around, (&injected, &opposed), earlier.as_ref());
        let path = format!("missions/{}/packets/{}/memory-packet.json", task.mission, task.name);
        let is_written = self.put(&path, &document.text)?;
        let is_repeat = injected.is_repeat || injected.block.is_empty() && !is_written;
        let because = match is_repeat {
            true => "contract, rules and lessons are as they were".to_owned(),
            false => self.why_new(&task, &role, &around, earlier.as_ref())?,
        };
        let lessons = injected.lessons.iter().map(|shown| self.told_lesson(&shown.lesson));
        let mut packet = GeasPacket {
            run: task.run.clone().into(),
            agent: agent_type(&role, self.profile()).to_owned(),
            path,
            packet: document.packet_id,
            is_repeat,
            because,
            is_written,
            is_queued: injected.is_queued,
            section: String::new(),
            lessons: lessons.collect(),
            notebook: around.notebook,
            rules: around.rules,
            cautions: document.cautions,
            suppressed: document.suppressed,
            mission: task.mission,
            task: task.name,
        };
        packet.section = section(&packet);
        let problems = served.problems.into_iter().chain(around.problems).collect();
        Ok(Answer::of(packet, problems).empty_if(|it| it.section.is_empty()))
    }

    /// The task that is meant: its folder or its contract is there.
    fn task_called(&self, ask: &PacketAsk) -> Result<Task> {
        let unknown = |what: &'static str, name: &str| {
            let name = name.to_owned();
            EngineError::NotFound { what, name }
        };
        let (of_name, name) = match ask.task.rsplit_once('/') {
            Some((mission, task)) => (Some(mission), task),
            None => (None, ask.task.as_str()),
        };
        let wanted = ask.mission.as_deref().or(of_name);
        let missions = names::folders(&self.folder, "missions");
        if let Some(mission) = wanted.filter(|mission| !missions.contains(*mission)) {
            return Err(unknown("mission", mission));
        }
        let is_wanted = |mission: &&String| wanted.is_none_or(|wanted| *mission == wanted);
        let has_task = |mission: &&String| {
            let tasks = names::folders(&self.folder, &format!("missions/{mission}/tasks"));
            tasks.contains(name)
        };
        let having: Vec<&String> = missions.iter().filter(is_wanted).filter(has_task).collect();
        let mission = match having[..] {
            [] => return Err(unknown("task", &ask.task)),
            [mission] => mission.clone(),
            _ => {
                let all: Vec<String> = having.iter().map(|it| format!("{it}/{name}")).collect();
                let reason = format!("{name} could be any of {}", all.join(", "));
                let hint = "name the mission as well";
                return Err(EngineError::NoteRefused { reason, hint });
            }
        };
        let run = RunId::parse(&format!("{mission}/{name}"));
        let run = run.map_err(|_| unknown("task", &ask.task))?;
        Ok(Task { mission, name: name.to_owned(), run })
    }

    /// Reads contract, rules and notebook. What cannot be used of them is told.
    fn around(&self, task: &Task, role: &str) -> Result<Around> {
        let mut problems = Vec::new();
        let name = format!("missions/{}/tasks/{}.json", task.mission, task.name);
        let contract = self.read_or_tell(&name, &mut problems);
        let (read, more) = match &contract {
            Some(bytes) => geas_contract(&name, bytes),
            None => (None, Vec::new()),
        };
        problems.extend(more);
        if read.is_none() {
            let reason = "no contract says what the task is: lessons come by their record";
            problems.push(Problem::new(&name, reason));
        }
        let mut usable = |pages: Result<Vec<pages::Page>>, name: &str| {
            pages.unwrap_or_else(|error| {
                problems.push(Problem::new(name, error.to_string()));
                Vec::new()
            })
        };
        let rules = usable(page(&self.folder, RULES).map(|page| vec![page]), RULES);
        let notes = usable(notebooks(&self.folder, role, self.profile()), "notebook");
        let text_of_rules = rules.first().map_or("", pages::Page::text);
        let basis = format!(
            "contract={} rules={}",
            short_digest(contract.as_deref().unwrap_or_default()),
            short_digest(text_of_rules.as_bytes())
        );
        let (rules, more) = self.told_of(&rules);
        problems.extend(more);
        let (rules, more) = pages::within(RULES, rules, self.memory.policy.budget.pinned_tokens);
        problems.extend(more);
        let (notes, more) = self.told_of(&notes);
        problems.extend(more);
        Ok(Around {
            contract: read.unwrap_or_default(),
            notebook: self.fitting_notes(notes, role),
            rules,
            basis,
            problems,
        })
    }

    /// What a block has room for of a notebook, newest first: a page grows at its end.
    fn fitting_notes(&self, lines: Vec<String>, role: &str) -> Vec<String> {
        let own = |text: String| NoteAtHand {
            role: Some(role.to_owned()),
            text,
            ..NoteAtHand::default()
        };
        let notebooks = lines.into_iter().rev().map(own).collect();
        let at_hand = NotesAtHand { notebooks, project: Vec::new() };
        let budget = &self.memory.policy.budget;
        let room = Room {
            max_lessons: budget.max_lessons,
            tokens: budget.tokens_for(role, None),
            pinned_tokens: budget.pinned_tokens,
            max_chars: budget.max_chars,
            is_by_rank: budget.by_score,
            ..Room::default()
        };
        fitting(&at_hand, Some(role), &self.memory.gate, &room, |note| note.text.clone()).0
    }

    /// Leaves out lessons that would be shown and say the opposite of a rule: the rules of the
    /// project go before them. Whether two texts are opposed is a slow question, so only what would
    /// be shown is asked, until nothing that takes a free place is opposed either.
    fn without_opposed(
        &self,
        request: &mut InjectRequest,
        rules: &[String],
    ) -> Result<Vec<String>> {
        let denies = |lesson: &Lesson| rules.iter().any(|rule| oppose(lesson.text.as_str(), rule));
        let mut opposed = Vec::new();
        while !rules.is_empty() {
            request.only = self.all_but(&opposed)?;
            let composed = blocks::compose(&self.memory, &self.call, request)?;
            let shown = composed.lessons.into_iter().map(|shown| shown.lesson);
            let n_before = opposed.len();
            opposed.extend(shown.filter(denies));
            if opposed.len() == n_before {
                break;
            }
        }
        opposed.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(opposed.iter().map(|lesson| names::memory_id(lesson).to_owned()).collect())
    }

    /// Every lesson that could be shown but these; `None` for all, which is the usual case.
    fn all_but(&self, out: &[Lesson]) -> Result<Option<BTreeSet<LessonId>>> {
        if out.is_empty() {
            return Ok(None);
        }
        let query = LessonQuery { pick: Pick::Injectable, ..LessonQuery::default() };
        let lessons = self.memory.store.lessons(&self.call.project, &query)?;
        let mut ids: BTreeSet<LessonId> = lessons.into_iter().map(|lesson| lesson.id).collect();
        ids.retain(|id| out.iter().all(|lesson| lesson.id != *id));
        Ok(Some(ids))
    }

    /// The newest packet of the task that this role was served.
    fn newest_packet(&self, task: &Task, role: &str) -> Result<Option<Injection>> {
        let tree = self.memory.store.tree(&self.call.project, &task.run)?;
        let number = |injection: &Injection| sequence_of(injection.block.as_str());
        let packets = tree.injections.into_iter().filter(|it| it.role == role);
        Ok(packets.filter(|it| number(it).is_some()).max_by_key(number))
    }

    /// The document for the tree. One without lessons is made for the rules in it, and because
    /// geas expects one.
    fn document(
        &self,
        task: &Task,
        role: &str,
        around: &Around,
        (injected, opposed): (&Injected, &[String]),
        earlier: Option<&Injection>,
    ) -> TreeDocument {
        let agent = agent_type(role, self.profile());
        let in_tree = |text: &str| tree_packet(text, agent, &around.rules, opposed);
        in_tree(&injected.block).unwrap_or_else(|| {
            let sequence = earlier.and_then(|it| sequence_of(it.block.as_str())).unwrap_or(0) + 1;
            let name = [task.run.as_str(), role, &around.basis, &sequence.to_string()];
            let bare = Packet {
                called: task.name.clone(),
                sequence,
                artifact_id: format!("memory-packet-{}", hex(&sha256(&name)[..8])),
                created_at: self.call.now,
                task: Some(task.name.clone()),
                assembly_reason: format!("For {}: no lesson applies.", task.name),
                ..Packet::default()
            };
            in_tree(&bare_packet(&bare)).expect("what we made is a packet")
        })
    }

    /// Writes the document unless one that says the same is there.
    fn put(&self, path: &str, text: &str) -> Result<bool> {
        let there = self.folder.read(path)?.unwrap_or_default();
        let there = String::from_utf8_lossy(&there);
        if there == text || is_same_packet(&there, text) {
            return Ok(false);
        }
        self.folder.replace(path, text.as_bytes())?;
        Ok(true)
    }

    /// What changed since the packet before.
    fn why_new(
        &self,
        task: &Task,
        role: &str,
        around: &Around,
        earlier: Option<&Injection>,
    ) -> Result<String> {
        let Some(earlier) = earlier else {
            return Ok(format!("the first packet of this task for {role}"));
        };
        let before = basis_of(earlier.block.as_str()).unwrap_or_default();
        let parts = before.split(' ').zip(around.basis.split(' ')).filter(|(old, new)| old != new);
        let names: Vec<&str> = parts.filter_map(|(_, new)| Some(new.split_once('=')?.0)).collect();
        if !names.is_empty() {
            return Ok(format!("changed since the last one: {}", names.join(", ")));
        }
        let key = |it: &Injection| it.need.rsplit_once('-').map(|(need, _)| need.to_owned());
        let newest = self.newest_packet(task, role)?;
        let is_same_need = newest.is_none_or(|newest| key(&newest) == key(earlier));
        let reason = match is_same_need {
            true => "a lesson of the last one changed",
            false => "another number of lessons was asked for",
        };
        Ok(reason.to_owned())
    }

    /// A lesson as the section tells it, with the title that its document has.
    fn told_lesson(&self, lesson: &Lesson) -> GeasPacketLesson {
        let stem = names::file_stem(lesson);
        let title = [ENTRIES, CANDIDATES].iter().find_map(|folder| {
            let name = format!("{folder}/{stem}{ENDING}");
            let bytes = self.folder.read(&name).ok()??;
            let title = self.memory.gate.word(&record(&name, &bytes)?.title)?;
            (!pages::gives_orders(&title)).then_some(title)
        });
        let summary = lesson.text.as_str().to_owned();
        GeasPacketLesson {
            id: names::memory_id(lesson).to_owned(),
            title: title.unwrap_or_else(|| title_of(&summary)),
            confidence: Decimal(lesson.confidence),
            state: lesson.state.into(),
            summary,
        }
    }
}

/// What the contract says that the work is about.
fn need(task: &Task, role: &str, contract: &GeasContract) -> Need {
    let words = [&contract.title, &contract.goal].into_iter().flatten().cloned();
    let text = words.collect::<Vec<_>>().join(": ");
    let surfaces = contract.surfaces.iter().map(|surface| format!("{SURFACE}{surface}"));
    let risk = contract.risk_level.iter().map(|level| format!("risk:{}", level.to_lowercase()));
    Need {
        role: Some(role.to_owned()),
        session: Some(task.mission.clone()),
        task: Some(task.name.clone()),
        paths: contract.paths.clone(),
        tags: surfaces.chain(risk).chain(contract.task_kind.clone()).collect(),
        text: (!text.is_empty()).then_some(text),
        ..Need::default()
    }
}

fn surface_called(word: &str) -> Result<Surface> {
    Surface::from_word(word).ok_or_else(|| {
        let known: Vec<&str> = Surface::ALL.iter().map(|surface| surface.word()).collect();
        let reason = format!("{word} is not one of {}", known.join(", "));
        EngineError::Setting { key: "surface".to_owned(), reason }
    })
}

fn short_digest(bytes: &[u8]) -> String {
    let digest = sha256_of_bytes(bytes);
    digest.trim_start_matches("sha256:").chars().take(16).collect()
}

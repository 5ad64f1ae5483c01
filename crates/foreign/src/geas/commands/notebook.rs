//! `notebook`: what a role keeps for itself, one line a note. Agents keep theirs; a line of theirs
//! passes the gate as what an agent says.

use hardwon_core::change::{Change, FileEdit};
use hardwon_core::event::Problem;
use hardwon_core::gate::Refusal;
use hardwon_core::lesson::{Lesson, Trust};
use hardwon_core::scope::Dimension;
use hardwon_engine::write::{Command, write};
use hardwon_engine::{EngineError, Result};
use hardwon_readers::page_lines;
use hardwon_render::answer::{Answer, GeasNotebook};
use hardwon_store::{LessonQuery, Pick};

use super::Geas;
use super::pages::{Page, checked_role, gives_orders, notebooks, same_words, told};
use crate::geas::agents::{role_name, type_named_in};

/// Category of what holds for one type of agents.
const AGENT_RULE: &str = "agent_rule";

impl Geas {
    /// The notebook of a role, with one more line if one is to be added and is not there.
    pub fn notebook(&mut self, agent: &str, add: Option<&str>) -> Result<Answer<GeasNotebook>> {
        let role = checked_role(agent, self.profile())?;
        if self.call.is_agent() {
            // A person may look at what they are to approve.
            self.needs_trust()?;
        }
        let mut added = None;
        if let Some(text) = add {
            let text = self.memory.gate.statement(text, self.call.origin());
            let text = text.map_err(EngineError::Refused)?.as_str().to_owned();
            if gives_orders(&text) {
                // It would be told to nobody, whoever states it.
                return Err(EngineError::Refused(Refusal::GivesOrders));
            }
            let n_added = self.add_notes("geas notebook", &role, std::slice::from_ref(&text))?;
            added = (n_added > 0).then_some(text);
        }
        let pages = notebooks(&self.folder, &role, self.profile())?;
        let (lines, problems) = self.told_of(&pages);
        let is_there = |page: &&Page| page.text.is_some();
        let notebook = GeasNotebook {
            agent: role,
            paths: pages.iter().filter(is_there).map(|page| page.name.clone()).collect(),
            is_known: add.is_some() && added.is_none(),
            lines,
            added,
        };
        Ok(Answer::of(notebook, problems).empty_if(|it| it.lines.is_empty()))
    }

    /// What pages say that may be told, each line once.
    pub(super) fn told_of(&self, pages: &[Page]) -> (Vec<String>, Vec<Problem>) {
        let (mut lines, mut problems) = (Vec::<String>::new(), Vec::new());
        for page in pages {
            let (more, faults) = told(page, &self.memory.gate);
            problems.extend(faults);
            for line in more {
                if !lines.iter().any(|known| same_words(known, &line)) {
                    lines.push(line);
                }
            }
        }
        (lines, problems)
    }

    /// Adds lines to the notebook of a role; what stands in it, or in one of the same name, is not
    /// added again. Says how many were added.
    fn add_notes(&mut self, command: &str, role: &str, notes: &[String]) -> Result<usize> {
        let (folder, profile) = (&self.folder, self.profile().to_owned());
        let decide = &mut |_: &_, _: &_| {
            let pages = notebooks(folder, role, &profile)?;
            let mut known: Vec<String> = pages
                .iter()
                .flat_map(|page| page_lines(page.text()))
                .map(|(_, line)| line)
                .collect();
            let n_before = known.len();
            for note in notes {
                if !known.iter().any(|line| same_words(line, note)) {
                    known.push(note.clone());
                }
            }
            let new = &known[n_before..];
            let page = &pages[0];
            let after = with_lines(page.text(), new);
            let edit = FileEdit::between(&page.name, page.text.as_deref(), Some(&after));
            let edit = edit.filter(|_| !new.is_empty()).map(Box::new);
            Ok((edit.map(|edit| Change::EditFile { edit }).into_iter().collect(), new.len()))
        };
        let written = write(&mut self.memory, &self.call, &Command::new(command), decide)?;
        Ok(written.1)
    }

    /// Writes what was confirmed about single types of agents into their notebooks. Says how many
    /// lines were added.
    pub fn harvest(&mut self, mission: Option<&str>) -> Result<usize> {
        let query = LessonQuery { pick: Pick::Injectable, ..LessonQuery::default() };
        let mut lessons = self.memory.store.lessons(&self.call.project, &query)?;
        lessons.retain(|lesson| lesson.trust != Trust::Foreign && is_of(lesson, mission));
        lessons.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        let mut by_role: Vec<(String, Vec<String>)> = Vec::new();
        for lesson in &lessons {
            let Some(role) = role_of(lesson, self.profile()) else { continue };
            let text = lesson.text.as_str().to_owned();
            match by_role.iter_mut().find(|(known, _)| *known == role) {
                Some((_, notes)) => notes.push(text),
                None => by_role.push((role, vec![text])),
            }
        }
        let mut n_added = 0;
        for (role, notes) in by_role {
            n_added += self.add_notes("geas evolve", &role, &notes)?;
        }
        Ok(n_added)
    }
}

/// The type of agents that a lesson is for alone.
fn role_of(lesson: &Lesson, profile: &str) -> Option<String> {
    let by_scope = lesson.scope.0.get(&Dimension::Role).map(|role| role_name(role, profile));
    let is_rule = lesson.category.as_deref() == Some(AGENT_RULE);
    let by_words =
        || type_named_in(lesson.text.as_str(), profile).filter(|_| is_rule).map(str::to_owned);
    // It becomes the name of a file.
    by_scope.or_else(by_words).and_then(|role| checked_role(&role, profile).ok())
}

/// Whether a lesson was seen in a mission, or holds in it alone.
fn is_of(lesson: &Lesson, mission: Option<&str>) -> bool {
    let Some(mission) = mission else { return true };
    let seen = lesson.last_seen_run.as_ref().and_then(|run| run.as_str().rsplit_once('/'));
    let scope = lesson.scope.0.get(&Dimension::Session);
    seen.is_some_and(|(seen, _)| seen == mission) || scope.is_some_and(|scope| scope == mission)
}

/// A page with lines behind it, which end as its own do.
fn with_lines(text: &str, lines: &[String]) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let joint = if text.is_empty() || text.ends_with('\n') { "" } else { end };
    let lines: String = lines.iter().map(|line| format!("- {line}{end}")).collect();
    format!("{text}{joint}{lines}")
}

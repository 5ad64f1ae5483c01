//! `rules`: what two tasks proposed as a rule and nothing contradicts, as a change of `rules.md`.
//! Proposed is what retrospectives call a rule, and lessons of that type. Only a person writes it,
//! between our marks; every other byte of the page stays.

use std::collections::BTreeSet;

use hardwon_core::change::{Change, FileEdit};
use hardwon_core::conflict::oppose;
use hardwon_core::event::Problem;
use hardwon_core::ids::RunId;
use hardwon_core::lesson::{Lesson, Origin};
use hardwon_core::matching::{
    Author, Corpus, MatchPolicy, Prepared, Relation, Subject, best_of_prepared,
};
use hardwon_core::scope::Dimension;
use hardwon_engine::write::{Command, write};
use hardwon_engine::{EngineError, Result, needs_person};
use hardwon_readers::{RuleBlock, geas_rule_candidates, page_lines};
use hardwon_render::answer::{Answer, GeasRule, GeasRules};
use hardwon_render::diff::unified;
use hardwon_store::{FindingQuery, LessonQuery};

use super::Geas;
use super::pages::{page, same_words};
use crate::geas::{RULES, names};

const RULE_TYPES: [&str; 2] = ["project_rule", "agent_rule"];

/// In so many tasks a rule is seen before it is one.
const N_TASKS: usize = 2;

struct Proposed {
    text: String,
    lesson: Option<Lesson>,
    tasks: BTreeSet<RunId>,
    /// Sightings of which the tasks are not known any more.
    n_carried: usize,
}

impl Proposed {
    /// A task of which the mission is not known may be any of its name.
    fn n_tasks(&self) -> usize {
        fn task(run: &RunId) -> (&str, bool) {
            let parted = run.as_str().rsplit_once('/');
            parted.map_or((run.as_str(), false), |(_, task)| (task, true))
        }
        let is_own = |run: &&RunId| {
            let (name, is_placed) = task(run);
            is_placed || !self.tasks.iter().any(|other| task(other) == (name, true))
        };
        self.tasks.iter().filter(is_own).count().max(self.n_carried)
    }

    fn rule(&self, because: String) -> GeasRule {
        GeasRule {
            text: self.text.clone(),
            lesson: self.lesson.as_ref().map(|lesson| names::memory_id(lesson).to_owned()),
            n_tasks: self.n_tasks() as u64,
            because,
        }
    }
}

impl Geas {
    /// The rules that are proposed for `rules.md`; written there if that is wanted.
    pub fn rules(&mut self, is_applied: bool) -> Result<Answer<GeasRules>> {
        if is_applied {
            needs_person(&self.environment.speaker, "writing rules")?;
        }
        if is_applied || self.call.is_agent() {
            self.needs_trust()?;
        }
        let (proposed, problems) = self.proposed()?;
        let decided = |folder: &crate::Folder| {
            let before = page(folder, RULES)?;
            let (rules, left_out) = chosen(&proposed, before.text());
            let after = rules.iter().fold(before.text().to_owned(), |text, rule| {
                let block = RuleBlock::parse(&text, None).expect("no section is asked for");
                block.with(&rule.text)
            });
            let after = if rules.is_empty() { before.text.clone() } else { Some(after) };
            let edit = FileEdit::between(RULES, before.text.as_deref(), after.as_deref());
            let diff = unified(RULES, before.text.as_deref(), after.as_deref());
            let answer =
                GeasRules { path: RULES.to_owned(), rules, left_out, diff, is_written: false };
            Ok::<_, EngineError>((edit, answer))
        };
        let mut answer = if is_applied {
            let folder = &self.folder;
            let command = Command::new("geas rules");
            let written = write(&mut self.memory, &self.call, &command, &mut |_, _| {
                let (edit, answer) = decided(folder)?;
                let change = edit.map(|edit| Change::EditFile { edit: Box::new(edit) });
                Ok((change.into_iter().collect(), answer))
            })?;
            written.1
        } else {
            decided(&self.folder)?.1
        };
        answer.is_written = is_applied && !answer.diff.is_empty();
        Ok(Answer::of(answer, problems).empty_if(|it| it.rules.is_empty()))
    }

    /// What was proposed as a rule, by lessons first, and in how many tasks.
    fn proposed(&self) -> Result<(Vec<Proposed>, Vec<Problem>)> {
        let mut proposed = self.proposed_by_lessons()?;
        let mut problems = Vec::new();
        for mission in names::folders(&self.folder, "missions") {
            for task in names::folders(&self.folder, &format!("missions/{mission}/tasks")) {
                let Ok(run) = RunId::parse(&format!("{mission}/{task}")) else { continue };
                let name = format!("missions/{mission}/tasks/{task}/retrospective.json");
                let Some(bytes) = self.read_or_tell(&name, &mut problems) else { continue };
                let (texts, more) = geas_rule_candidates(&name, &bytes);
                problems.extend(more);
                for (at, text) in texts.iter().enumerate() {
                    match self.memory.gate.statement(text, Origin::Agent) {
                        Ok(text) => self.count(&mut proposed, text.as_str(), &run),
                        Err(refusal) => {
                            let at = format!("{name}: rule_candidates[{at}]");
                            problems.push(Problem::new(at, refusal.to_string()));
                        }
                    }
                }
            }
        }
        Ok((proposed, problems))
    }

    fn proposed_by_lessons(&self) -> Result<Vec<Proposed>> {
        let project = &self.call.project;
        let mut lessons = self.memory.store.lessons(project, &LessonQuery::default())?;
        let is_rule = |lesson: &Lesson| {
            let category = lesson.category.as_deref().unwrap_or_default();
            // What holds for one role alone belongs into its notebook.
            let is_for_all = !lesson.scope.0.contains_key(&Dimension::Role);
            lesson.state.is_on_ladder() && RULE_TYPES.contains(&category) && is_for_all
        };
        lessons.retain(is_rule);
        lessons.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        let mut proposed = Vec::new();
        for lesson in lessons {
            let query = FindingQuery::OfLesson(lesson.id.clone());
            let findings = self.memory.store.findings(project, &query)?;
            let seen = findings.into_iter().filter(|finding| finding.is_sighting);
            proposed.push(Proposed {
                text: lesson.text.as_str().to_owned(),
                tasks: seen
                    .map(|finding| finding.root)
                    .chain(lesson.last_seen_run.clone())
                    .collect(),
                n_carried: lesson.n_sightings as usize,
                lesson: Some(lesson),
            });
        }
        Ok(proposed)
    }

    /// Counts a text for what says the same; one that nothing says is new.
    fn count(&self, proposed: &mut Vec<Proposed>, text: &str, run: &RunId) {
        let texts: Vec<&str> = proposed.iter().map(|it| it.text.as_str()).collect();
        let equal = texts.iter().position(|known| same_words(known, text));
        let alike = || {
            let (at, relation) = nearest(text, &texts, &self.memory.policy.matching)?;
            (relation == Relation::Same && !oppose(texts[at], text)).then_some(at)
        };
        match equal.or_else(alike) {
            Some(at) => drop(proposed[at].tasks.insert(run.clone())),
            None => proposed.push(Proposed {
                text: text.to_owned(),
                lesson: None,
                tasks: BTreeSet::from([run.clone()]),
                n_carried: 0,
            }),
        }
    }
}

/// The text that is most like this one, if it is the same or similar.
fn nearest(text: &str, texts: &[&str], matching: &MatchPolicy) -> Option<(usize, Relation)> {
    let subject = |text| Subject { text, author: Author::Person, ..Subject::default() };
    let prepare = |text| Prepared::new(&subject(text), matching.method);
    let prepared: Vec<Prepared<'_>> = texts.iter().map(|text| prepare(text)).collect();
    let all: Vec<&Prepared<'_>> = prepared.iter().collect();
    let found = best_of_prepared(&prepare(text), &all, &Corpus::default(), matching);
    Some((found.index?, found.relation))
}

/// What becomes a rule, and what does not. What the page says already is neither.
fn chosen(proposed: &[Proposed], page: &str) -> (Vec<GeasRule>, Vec<GeasRule>) {
    let lines: Vec<String> = page_lines(page).into_iter().map(|(_, line)| line).collect();
    let (mut rules, mut left_out) = (Vec::new(), Vec::new());
    for (at, one) in proposed.iter().enumerate() {
        if lines.iter().any(|line| same_words(line, &one.text)) {
            continue;
        }
        match lack(one, at, proposed, &lines) {
            Some(because) => left_out.push(one.rule(because)),
            None => {
                let because = format!("seen in {} tasks, none contradicts it", one.n_tasks());
                rules.push(one.rule(because));
            }
        }
    }
    (rules, left_out)
}

/// Why something that was proposed does not become a rule.
fn lack(one: &Proposed, at: usize, proposed: &[Proposed], lines: &[String]) -> Option<String> {
    let n_tasks = one.n_tasks();
    if n_tasks < N_TASKS {
        return Some(format!("seen in {n_tasks} of {N_TASKS} tasks"));
    }
    let is_contradicted = one.lesson.as_ref().is_some_and(|lesson| {
        lesson.effects.n_contradicted > lesson.upkeep.n_contradicted_forgiven
    });
    if is_contradicted {
        return Some("a task contradicted it".to_owned());
    }
    let others = proposed.iter().enumerate().filter(|(other, _)| *other != at);
    let others = others.map(|(_, other)| other.text.as_str());
    let mut rivals = lines.iter().map(String::as_str).chain(others);
    let rival = rivals.find(|rival| oppose(rival, &one.text))?;
    Some(format!("contradicts: {rival}"))
}

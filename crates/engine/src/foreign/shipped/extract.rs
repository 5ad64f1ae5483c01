//! A run's findings become lessons, or raise those that are there.

use hardwon_core::foreign::ArcheflowLesson;
use hardwon_readers::{Loose, ShippedFinding, ShippedLesson, archeflow_tags, shipped_lessons};
use hardwon_render::archeflow::{Field, line};

use super::files::complained;
use super::keep::{copied, lessons_by_line, next_id, with_fields_set};
use super::shell::{overlap, shell_text};
use super::{LESSONS, Said, Shipped, Stop};

/// Common words, in percent of the finding's, that make a finding a known one.
const SAME_FROM: u32 = 50;

/// The severities that are skipped, in exactly this spelling.
const SKIPPED: &[&str] = &["info", "recommendation"];

/// The lessons as they are to be when the call ends.
#[derive(Default)]
struct Draft {
    lessons: Vec<u8>,
    /// Where new lines begin. Nothing before it was touched unless `is_rewritten`.
    n_old_bytes: usize,
    is_rewritten: bool,
    n_updated: u32,
    n_added: u32,
}

impl Shipped<'_> {
    pub(super) fn extract(&self, name: &str, said: &mut Said) -> Result<(), Stop> {
        let log = self.log(name)?;
        let run = self.run_of(&log, name)?;
        let findings: Vec<&ShippedFinding> =
            log.usable().flat_map(|event| &event.findings).collect();
        if findings.is_empty() {
            said.report(format!("No findings to extract from {name}"));
            return Ok(());
        }
        let lessons = self.read(LESSONS)?.unwrap_or_default();
        let mut draft = Draft { n_old_bytes: lessons.len(), lessons, ..Draft::default() };
        for finding in findings {
            if !SKIPPED.contains(&shell_text(&finding.severity).as_str()) {
                self.learn(finding, &run, &mut draft, said)?;
            }
        }
        self.keep(&draft)?;
        let Draft { n_updated, n_added, .. } = draft;
        said.report(format!("Extract complete: {n_updated} updated, {n_added} new candidates"));
        Ok(())
    }

    fn learn(
        &self,
        finding: &ShippedFinding,
        run: &str,
        draft: &mut Draft,
        said: &mut Said,
    ) -> Result<(), Stop> {
        // Compared as it was found: the marks of what was taken out are words as well, and
        // would make all findings with a secret alike.
        let found = shell_text(&finding.description);
        match first_like(&found, &draft.lessons)? {
            Some(known) => {
                let (id, about) = (shell_text(&known.id), shell_text(&known.description));
                draft.lessons = self.raised(&draft.lessons, &id, run)?;
                draft.is_rewritten = true;
                draft.n_updated += 1;
                said.report(format!("Updated lesson {id} (freq +1): {about}"));
            }
            None => {
                let (id, text) = (next_id(&draft.lessons), self.gate.redacted(&found));
                said.report(format!("Added candidate lesson {id}: {text}"));
                let lesson = self.candidate(id, text, finding, run);
                if !draft.lessons.is_empty() && !draft.lessons.ends_with(b"\n") {
                    draft.lessons.push(b'\n');
                }
                draft.lessons.extend(format!("{}\n", line(&lesson)).into_bytes());
                draft.n_added += 1;
            }
        }
        Ok(())
    }

    /// Every record with this id, seen once more.
    fn raised(&self, lessons: &[u8], id: &str, run: &str) -> Result<Vec<u8>, Stop> {
        let lessons = shipped_lessons(lessons);
        if let Some(complaint) = lessons.complaint() {
            return Err(complained(complaint, LESSONS));
        }
        let ts = self.ts();
        let seen = |lesson: &ShippedLesson| {
            let frequency = match lesson.frequency {
                Loose::Number(number) => number + 1.0,
                Loose::Null | Loose::Bool(_) | Loose::Text(_) | Loose::Other(_) => 1.0,
            };
            let fields = [
                ("frequency", Field::Number(frequency as u64)),
                ("ts", Field::Text(&ts)),
                ("last_seen_run", Field::Text(run)),
                ("runs_since_last_seen", Field::Number(0)),
            ];
            if lesson.id.is(id) { with_fields_set(lesson, &fields) } else { copied(lesson) }
        };
        Ok(lessons.usable().flat_map(seen).collect())
    }

    fn candidate(
        &self,
        id: String,
        description: String,
        finding: &ShippedFinding,
        run: &str,
    ) -> ArcheflowLesson {
        let word = |value: &Loose| self.gate.redacted(&shell_text(value));
        ArcheflowLesson {
            id,
            ts: Some(self.now),
            run_id: run.to_owned(),
            kind: "pattern".to_owned(),
            source: word(&finding.source),
            frequency: 1,
            severity: word(&finding.severity),
            domain: word(&finding.category),
            tags: archeflow_tags(&description),
            archetype: None,
            last_seen_run: run.to_owned(),
            runs_since_last_seen: 0,
            description,
        }
    }

    fn keep(&self, draft: &Draft) -> Result<(), Stop> {
        let new = &draft.lessons[draft.n_old_bytes.min(draft.lessons.len())..];
        match (draft.is_rewritten, new.is_empty()) {
            (true, _) => self.replace_lessons(&draft.lessons),
            (false, false) => self.append(LESSONS, new.trim_ascii_start()),
            (false, true) => Ok(()),
        }
    }
}

/// The first lesson in the file that says what the finding says; better ones may follow.
fn first_like(finding: &str, lessons: &[u8]) -> Result<Option<ShippedLesson>, Stop> {
    let is_like =
        |lesson: &ShippedLesson| overlap(finding, &shell_text(&lesson.description)) >= SAME_FROM;
    Ok(lessons_by_line(lessons)?.into_iter().find(is_like))
}

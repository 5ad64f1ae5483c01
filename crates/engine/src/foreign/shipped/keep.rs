//! What is done to lessons by hand and by time: add, list, decay, forget.

use hardwon_core::foreign::ArcheflowLesson;
use hardwon_readers::{Complaint, ShippedLesson, archeflow_id, archeflow_tags, shipped_lessons};
use hardwon_render::archeflow::{Field, compacted, line, with_fields};

use super::files::complained;
use super::{ARCHIVE, LESSONS, Said, Shipped, Stop, shell};

/// Unseen runs that cost a lesson one sighting.
const RUNS_UNTIL_DECAY: i64 = 10;

impl Shipped<'_> {
    pub(super) fn add(&self, kind: &str, text: &str, said: &mut Said) -> Result<(), Stop> {
        if text.is_empty() {
            let mut stop = self.usage("add <type> <description>");
            stop.talk.push("Types: pattern, preference, archetype_hint, anti_pattern".to_owned());
            return Err(stop);
        }
        let kind = if kind.is_empty() { "preference" } else { kind };
        let description = self.gate.redacted(text);
        let lesson = ArcheflowLesson {
            id: next_id(&self.read(LESSONS)?.unwrap_or_default()),
            ts: Some(self.now),
            run_id: "manual".to_owned(),
            kind: self.gate.redacted(kind),
            source: "user_feedback".to_owned(),
            frequency: 1,
            severity: "info".to_owned(),
            domain: "general".to_owned(),
            tags: archeflow_tags(&description),
            archetype: None,
            last_seen_run: String::new(),
            runs_since_last_seen: 0,
            description,
        };
        self.append(LESSONS, format!("{}\n", line(&lesson)).as_bytes())?;
        let ArcheflowLesson { id, kind, description, .. } = lesson;
        said.report(format!("Added lesson {id} ({kind}): {description}"));
        Ok(())
    }

    pub(super) fn list(&self, said: &mut Said) -> Result<(), Stop> {
        let Some(bytes) = self.read(LESSONS)? else {
            said.say("No lessons stored yet.");
            return Ok(());
        };
        said.print(&shell::row(["ID", "Freq", "Type", "Domain", "Description"]));
        said.print(&shell::row(["----", "----", "----", "------", "-----------"]));
        let lessons = shipped_lessons(&bytes);
        for cells in lessons.usable().filter_map(cells) {
            said.print(&shell::row(shell::moved_up(&cells)));
        }
        match lessons.complaint_if(|lesson| cells(lesson).is_some()) {
            Some(complaint) => Err(complained(complaint, LESSONS)),
            None => Ok(()),
        }
    }

    pub(super) fn decay(&self, said: &mut Said) -> Result<(), Stop> {
        let Some(bytes) = self.read(LESSONS)? else { return Ok(()) };
        self.refuse_link(ARCHIVE)?;
        let (mut kept, mut archived) = (Vec::new(), Vec::new());
        let (mut n_decayed, mut n_archived) = (0, 0);
        for lesson in lessons_by_line(&bytes)? {
            let (runs, frequency) = aged(&lesson);
            n_decayed += u32::from(runs == 0);
            if runs == 0 && frequency <= 0 {
                n_archived += 1;
                archived.extend(self.archived(&lesson));
                let id = shell::shell_text(&lesson.id);
                said.report(format!("Archived lesson {id} (frequency reached 0)"));
            } else {
                let fields =
                    [("frequency", count(frequency)), ("runs_since_last_seen", count(runs))];
                kept.extend(with_fields_set(&lesson, &fields));
            }
        }
        // The archive first: a crash in between leaves a lesson twice, never nowhere.
        if !archived.is_empty() {
            self.append(ARCHIVE, &archived)?;
        }
        self.replace_lessons(&kept)?;
        said.report(format!("Decay complete: {n_decayed} decayed, {n_archived} archived"));
        Ok(())
    }

    /// The unseen runs are written as they were before this one.
    fn archived(&self, lesson: &ShippedLesson) -> Vec<u8> {
        let ts = self.ts();
        with_fields_set(lesson, &[("frequency", Field::Number(0)), ("ts", Field::Text(&ts))])
    }

    pub(super) fn forget(&self, id: &str, said: &mut Said) -> Result<(), Stop> {
        let Some(bytes) = self.read(LESSONS)? else {
            return Err(Stop::failure("No lessons file found."));
        };
        let lessons = shipped_lessons(&bytes);
        let is_there = lessons.usable().any(|lesson| lesson.id.is(id));
        if lessons.complaint().is_some() || !is_there {
            return Err(Stop::failure(format!("Error: lesson {id} not found.")));
        }
        let (mut kept, mut archived) = (Vec::new(), Vec::new());
        for lesson in lessons.usable() {
            let file = if lesson.id.is(id) { &mut archived } else { &mut kept };
            file.extend(copied(lesson));
        }
        self.append(ARCHIVE, &archived)?;
        self.replace_lessons(&kept)?;
        said.report(format!("Forgot lesson {id} (moved to archive)"));
        Ok(())
    }
}

/// One more than the highest number in the file; the archive is not asked.
pub(super) fn next_id(lessons: &[u8]) -> String {
    let lessons = shipped_lessons(lessons);
    archeflow_id(lessons.usable().filter_map(ShippedLesson::number).max().unwrap_or(0) + 1)
}

/// The lessons of a file that is read line by line: each line has to be sound by itself.
pub(super) fn lessons_by_line(bytes: &[u8]) -> Result<Vec<ShippedLesson>, Stop> {
    let mut lessons = Vec::new();
    for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
        let found = shipped_lessons(line);
        match found.complaint() {
            Some(Complaint::Malformed(_)) => {
                return Err(complained(Complaint::Malformed(number), LESSONS));
            }
            Some(Complaint::LastIsUseless) => {
                return Err(complained(Complaint::LastIsUseless, LESSONS));
            }
            None => lessons.extend(found.items.into_iter().flatten()),
        }
    }
    Ok(lessons)
}

/// A lesson's line with these fields set.
pub(super) fn with_fields_set(lesson: &ShippedLesson, fields: &[(&str, Field<'_>)]) -> Vec<u8> {
    // Setting a field of nothing makes an object of it.
    let raw = if lesson.raw == b"null" { b"{}" } else { lesson.raw.as_slice() };
    let mut line = compacted(&with_fields(raw, fields));
    line.push(b'\n');
    line
}

/// A lesson's line as it was, without white space.
pub(super) fn copied(lesson: &ShippedLesson) -> Vec<u8> {
    let mut line = compacted(&lesson.raw);
    line.push(b'\n');
    line
}

/// Unseen runs and frequency after one more run.
fn aged(lesson: &ShippedLesson) -> (i64, i64) {
    let (runs, frequency) = (lesson.runs_since_last_seen.counter() + 1, lesson.frequency.counter());
    if runs >= RUNS_UNTIL_DECAY { (0, frequency - 1) } else { (runs, frequency) }
}

fn count(number: i64) -> Field<'static> {
    Field::Number(u64::try_from(number).unwrap_or(0))
}

/// The columns of the list; `None` if one cannot be a column.
fn cells(lesson: &ShippedLesson) -> Option<[String; 5]> {
    Some([
        shell::cell(&lesson.id)?,
        shell::escaped(&lesson.frequency.printed()),
        shell::cell(&lesson.kind)?,
        shell::cell(&lesson.domain)?,
        shell::cell(&lesson.description)?,
    ])
}

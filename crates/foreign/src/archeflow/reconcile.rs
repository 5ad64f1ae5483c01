//! What did others do to the files since we last wrote? The changes that bring our
//! tables up to what the files say: whoever wrote last is right.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Change, Tables};
use hardwon_core::digest::{hex, sha256_of_bytes};
use hardwon_core::effect::{Injection, Shown, Surface};
use hardwon_core::event::Problem;
use hardwon_core::foreign::{ArcheflowAudit, ArcheflowLesson, ForeignLine};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::time::Timestamp;

use super::files::{Pairs, Rows};
use super::translate::{Place, Translator, foreign_id, has_row};

/// The changes, and what could not be taken over.
pub(super) fn reconcile(
    tables: &Tables,
    rows: &Rows,
    translator: &Translator<'_>,
) -> (Vec<Change>, Vec<Problem>) {
    let pairs = rows.pairs(tables, translator);
    let mut news = News {
        translator,
        lessons: tables.lessons.clone(),
        changes: Vec::new(),
        problems: Vec::new(),
    };
    news.take_lessons(rows, &pairs);
    news.take_archive(rows, &pairs);
    news.put_away_missing(tables, &pairs);
    news.take_injections(tables, rows);
    (news.changes, news.problems)
}

struct News<'a> {
    translator: &'a Translator<'a>,
    /// As they are after the changes so far.
    lessons: BTreeMap<LessonId, Lesson>,
    changes: Vec<Change>,
    problems: Vec<Problem>,
}

impl News<'_> {
    fn take_lessons(&mut self, rows: &Rows, pairs: &Pairs) {
        for (number, (line, known)) in (1..).zip(rows.lessons.lines.iter().zip(&pairs.lessons)) {
            let Some(record) = &line.record else { continue };
            match known {
                None => self.add(record, Place::Lessons, &format!("lessons.jsonl:{number}")),
                Some(id) => {
                    let before = self.lessons[id].clone();
                    let after = self.translator.adopted(record, Place::Lessons, &before);
                    self.update(&before, after, "changed in lessons.jsonl");
                }
            }
        }
    }

    /// Archived records that are nobody's yet. A lesson that also stands in
    /// `lessons.jsonl` was brought back.
    fn take_archive(&mut self, rows: &Rows, pairs: &Pairs) {
        let active: BTreeSet<&LessonId> = pairs.lessons.iter().flatten().collect();
        for (number, (line, known)) in (1..).zip(rows.archive.lines.iter().zip(&pairs.archive)) {
            let Some(record) = &line.record else { continue };
            match known {
                None if self.is_active(record) => {}
                None => self.add(record, Place::Archive, &format!("archive.jsonl:{number}")),
                Some(id) if active.contains(id) => {}
                Some(id) => {
                    let before = self.lessons[id].clone();
                    if has_row(before.state) {
                        let after = self.translator.adopted(record, Place::Archive, &before);
                        self.update(&before, after, "moved to archive.jsonl");
                    }
                }
            }
        }
    }

    /// Whether a record of the archive is a lesson that was brought back since.
    fn is_active(&self, record: &ArcheflowLesson) -> bool {
        let alias = self.translator.alias(&record.id);
        let text = self.translator.gate.line(&record.description);
        let is_it =
            |lesson: &Lesson| lesson.aliases.first() == alias.as_ref() && lesson.text == text;
        self.lessons.values().any(|lesson| has_row(lesson.state) && is_it(lesson))
    }

    fn add(&mut self, record: &ArcheflowLesson, place: Place, at: &str) {
        let is_taken = |id: &LessonId| self.lessons.contains_key(id);
        let Some(lesson) = self.translator.lesson(record, place, is_taken) else {
            let reason = "nothing is left of the description after cleaning; kept in the file";
            self.problems.push(Problem::new(at, reason));
            return;
        };
        let because = format!("found in {}", at.split(':').next().unwrap_or(at));
        self.changes.push(Change::AddLesson { lesson: Box::new(lesson.clone()), because });
        self.lessons.insert(lesson.id.clone(), lesson);
    }

    fn update(&mut self, before: &Lesson, after: Lesson, because: &str) {
        if let Some(change) = Change::edit_lesson(before, &after, because) {
            self.changes.push(change);
            self.lessons.insert(after.id.clone(), after);
        }
    }

    /// Lessons whose line is gone from both files: somebody removed them by hand.
    fn put_away_missing(&mut self, tables: &Tables, pairs: &Pairs) {
        let paired: BTreeSet<&LessonId> = pairs.lessons.iter().flatten().collect();
        for id in tables.lessons.keys().filter(|id| !paired.contains(id)) {
            let before = self.lessons[id].clone();
            if has_row(before.state) {
                let after = Lesson { state: State::Archived, ..before.clone() };
                self.update(&before, after, "no longer in lessons.jsonl");
            }
        }
    }

    /// Injections that ArcheFlow's own script recorded.
    fn take_injections(&mut self, tables: &Tables, rows: &Rows) {
        let mut by_alias: BTreeMap<&str, &Lesson> = BTreeMap::new();
        for lesson in self.lessons.values() {
            let Some(alias) = foreign_id(lesson) else { continue };
            // Of two lessons with one id the active one was meant.
            if has_row(lesson.state) || !by_alias.contains_key(alias) {
                by_alias.insert(alias, lesson);
            }
        }
        let ours: BTreeSet<Key> = tables.injections.values().map(Key::of).collect();
        let mut seen: BTreeSet<Key> = BTreeSet::new();
        for line in &rows.audit.lines {
            let injection = self.injection(line, &by_alias);
            let is_news = |i: &Injection| {
                let key = Key::of(i);
                !ours.contains(&key) && seen.insert(key)
            };
            if let Some(injection) = injection.filter(is_news) {
                self.changes.push(Change::AddInjection { injection });
            }
        }
    }

    fn injection(
        &self,
        line: &ForeignLine<ArcheflowAudit>,
        by_alias: &BTreeMap<&str, &Lesson>,
    ) -> Option<Injection> {
        let Some(ArcheflowAudit::Injection { ts, run_id, domain, archetype, lessons }) =
            &line.record
        else {
            return None;
        };
        let word = |text: &str| self.translator.gate.word(text).unwrap_or_default();
        let shown = lessons.iter().filter_map(|alias| by_alias.get(alias.as_str()));
        let digest = sha256_of_bytes(&line.raw);
        Some(Injection {
            run: self.translator.run(run_id)?,
            role: word(archetype),
            domain: word(domain),
            // Which need it was nobody wrote down; the line tells two apart.
            need: format!(
                "archeflow-{}",
                hex(digest.as_bytes()).chars().take(32).collect::<String>()
            ),
            at: ts.unwrap_or_default(),
            shown: shown
                .map(|lesson| Shown {
                    lesson: lesson.id.clone(),
                    digest: lesson.digest(),
                    is_randomised: false,
                })
                .collect(),
            held_out: Vec::new(),
            surface: Surface::TaskPacket,
            block: self.translator.gate.nothing(),
            digest,
            n_tokens: 0,
        })
    }
}

/// What an audit record tells of an injection: by this ours are known again.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    run: RunId,
    role: String,
    domain: String,
    at: Timestamp,
    shown: Vec<LessonId>,
}

impl Key {
    fn of(injection: &Injection) -> Key {
        Key {
            run: injection.run.clone(),
            role: injection.role.clone(),
            domain: injection.domain.clone(),
            at: Timestamp(injection.at.0.div_euclid(1000) * 1000),
            shown: injection.shown.iter().map(|shown| shown.lesson.clone()).collect(),
        }
    }
}

//! `audit.jsonl`: which lessons were shown to which run, and whether they helped.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Change, Tables};
use hardwon_core::digest::{hex, sha256_of_bytes};
use hardwon_core::effect::{Effect, EffectKind, Injection, Shown, Surface, domain_asked_for};
use hardwon_core::event::{Event, Record, Sourced};
use hardwon_core::foreign::{ArcheflowAudit, ForeignFile, ForeignLine};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::matching::{self, Corpus, MatchPolicy, Subject};
use hardwon_core::scope::Dimension;
use hardwon_core::time::Timestamp;
use hardwon_readers::archeflow_run_name;
use hardwon_render::archeflow::audit_line;

use super::translate::{self, foreign_id};
use super::{AUDIT, ArcheflowLayout, whole_seconds};
use crate::Folder;
use crate::store::layout::entry::Context;
use crate::store::{FileWrite, Holdings, News, Writing, appended};

/// Takes over injections that ArcheFlow's own script recorded.
pub(super) fn take_injections(news: &mut News<'_, ArcheflowLayout>) {
    let mut by_alias: BTreeMap<&str, &Lesson> = BTreeMap::new();
    for lesson in news.lessons.values() {
        let Some(alias) = foreign_id(lesson) else { continue };
        // Of two lessons with one id the active one was meant.
        if lesson.state.is_on_ladder() || !by_alias.contains_key(alias) {
            by_alias.insert(alias, lesson);
        }
    }
    let ours: BTreeSet<Key> = news.tables.injections.values().map(key).collect();
    let mut seen: BTreeSet<Key> = BTreeSet::new();
    for line in &news.rows.side.lines {
        let is_news = |i: &Injection| {
            let key = key(i);
            !ours.contains(&key) && seen.insert(key)
        };
        let injection = injection(news.context, line, &by_alias).filter(is_news);
        news.changes.extend(injection.map(|injection| Change::AddInjection { injection }));
    }
}

/// The script writes the category of a finding where the domain belongs. A word for which no
/// block was ever asked is such a category; the domain is the one that the lesson's run asked for.
pub(super) fn take_domains(holdings: &mut Holdings) {
    let Holdings { lessons, injections, .. } = holdings;
    let asked: BTreeSet<&str> = injections.iter().map(|shown| shown.domain.as_str()).collect();
    for lesson in lessons {
        let stated = lesson.scope.0.get(&Dimension::Domain).cloned();
        let Some(stated) = stated.filter(|word| !asked.contains(word.as_str())) else { continue };
        let of_run = injections.iter().filter(|i| Some(&i.run) == lesson.last_seen_run.as_ref());
        let of_run: Vec<Injection> = of_run.cloned().collect();
        if let Some(domain) = domain_asked_for(&of_run) {
            lesson.scope.0.insert(Dimension::Domain, domain);
            lesson.category.get_or_insert(stated);
        }
    }
}

fn injection(
    context: &Context<'_>,
    line: &ForeignLine<ArcheflowAudit>,
    by_alias: &BTreeMap<&str, &Lesson>,
) -> Option<Injection> {
    let Some(ArcheflowAudit::Injection { ts, run_id, domain, archetype, lessons }) = &line.record
    else {
        return None;
    };
    let word = |text: &str| context.gate.word(text).unwrap_or_default();
    let shown = lessons.iter().filter_map(|alias| by_alias.get(alias.as_str()));
    let digest = sha256_of_bytes(&line.raw);
    Some(Injection {
        run: translate::run(context, run_id)?,
        role: word(archetype),
        domain: word(domain),
        // The need was not recorded; the digest of the line tells two apart.
        need: format!("archeflow-{}", hex(digest.as_bytes()).chars().take(32).collect::<String>()),
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
        block: context.gate.nothing(),
        digest,
        n_tokens: 0,
    })
}

/// Run, role, domain, time and lessons: what an audit record says about an injection.
type Key = (RunId, String, String, Timestamp, Vec<LessonId>);

/// By which an injection of ours is recognized in the file.
fn key(injection: &Injection) -> Key {
    let Injection { run, role, domain, at, shown, .. } = injection.clone();
    let lessons = shown.into_iter().map(|shown| shown.lesson).collect();
    (run, role, domain, whole_seconds(at), lessons)
}

/// Records in the audit file that say what the released script concluded.
pub(super) fn n_foreign_checks(audit: &ForeignFile<ArcheflowAudit>, tables: &Tables) -> usize {
    let is_check = |record: &&ArcheflowAudit| matches!(record, ArcheflowAudit::Check { .. });
    let records = audit.lines.iter().filter_map(|line| line.record.as_ref());
    records.filter(is_check).count().saturating_sub(tables.effects.len())
}

/// Records of what was shown, and of whether it helped.
pub(super) fn writes(writing: &Writing<'_, ArcheflowLayout>) -> Vec<FileWrite> {
    let lessons = &writing.tables.lessons;
    let record = |change: &Change| match change {
        // Its script records what was shown, not that there was nothing.
        Change::AddInjection { injection } if injection.shown.is_empty() => None,
        Change::AddInjection { injection } => Some(injected(injection, lessons)),
        Change::AddEffect { effect } => checked(effect, writing),
        _ => None,
    };
    let records = writing.changes.iter().filter_map(record);
    let lines: Vec<Vec<u8>> = records.map(|record| audit_line(&record).into_bytes()).collect();
    let write = appended::<ArcheflowLayout, _>(&writing.rows.side, &lines);
    write.map(|write| FileWrite::of_project(AUDIT, write)).into_iter().collect()
}

fn injected(injection: &Injection, lessons: &BTreeMap<LessonId, Lesson>) -> ArcheflowAudit {
    let name = |id: &LessonId| lessons.get(id).and_then(|lesson| foreign_id(lesson));
    let shown = injection.shown.iter().filter_map(|shown| name(&shown.lesson));
    ArcheflowAudit::Injection {
        ts: Some(injection.at),
        run_id: injection.run.to_string(),
        domain: injection.domain.clone(),
        archetype: injection.role.clone(),
        lessons: shown.map(str::to_owned).collect(),
    }
}

/// ArcheFlow has two words for what came of a lesson; what is neither is not written.
fn checked(effect: &Effect, writing: &Writing<'_, ArcheflowLayout>) -> Option<ArcheflowAudit> {
    let is_helpful = match effect.kind {
        EffectKind::Helped => true,
        EffectKind::NoHelp => false,
        _ => return None,
    };
    let lesson = writing.tables.lessons.get(&effect.lesson)?;
    Some(ArcheflowAudit::Check {
        ts: Some(writing.context.now),
        run_id: effect.root.to_string(),
        lesson_id: foreign_id(lesson)?.to_owned(),
        lesson_desc: lesson.text.as_str().to_owned(),
        is_helpful,
        overlap_pct: overlap_pct(writing, &effect.root, lesson),
    })
}

/// How similar the nearest finding of that run was to the lesson, in per cent.
fn overlap_pct(writing: &Writing<'_, ArcheflowLayout>, root: &RunId, lesson: &Lesson) -> u32 {
    let stored = writing.tables.findings.values().filter(|finding| finding.root == *root);
    let stored = stored.map(|finding| finding.text.as_str().to_owned());
    let texts = stored.chain(logged(&writing.layout.folder, root));
    let best = texts.map(|text| overlap(&text, lesson)).fold(0.0, f64::max);
    (best * 100.0).floor() as u32
}

/// The findings in a run's own event log.
fn logged(folder: &Folder, run: &RunId) -> Vec<String> {
    if !archeflow_run_name(run.as_str()) {
        return Vec::new();
    }
    let name = format!("events/{run}.jsonl");
    let Ok(Some(bytes)) = folder.read(&name) else { return Vec::new() };
    let record = hardwon_readers::read(&name, &bytes[..], None);
    record.map_or_else(|_| Vec::new(), |record| finding_texts(&record))
}

/// The texts of the findings in a record, as they were reported.
pub(super) fn finding_texts(record: &Record) -> Vec<String> {
    let text = |sourced: &Sourced| match &sourced.event {
        Event::Finding(finding) => Some(finding.text.clone()),
        _ => None,
    };
    record.events.iter().filter_map(text).collect()
}

/// ArcheFlow's share of a finding's words that a lesson has.
fn overlap(finding: &str, lesson: &Lesson) -> f64 {
    let finding = Subject { text: finding, ..Subject::default() };
    let lesson = Subject { text: lesson.text.as_str(), tags: &lesson.tags, ..Subject::default() };
    let policy = MatchPolicy::overlap();
    matching::best_match(&finding, &[lesson], &Corpus::default(), &policy).likeness
}

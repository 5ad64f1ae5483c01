//! A topic file as a lesson, and a lesson as a topic file.

use std::collections::BTreeSet;

use hardwon_core::lesson::{Guidance, Kind, Lesson, Origin, State};
use hardwon_core::notes::{Note, NoteKind, names};
use hardwon_core::time::Timestamp;
use hardwon_readers::{System, TopicFile, from_foreign, new_topic_file, to_foreign};

use super::JkzLayout;
use crate::free_name;
use crate::store::layout::entry::Entry;
use crate::store::layout::{Namer, Shelf};

/// The key under which a file says which kind of ours it is, where its type has no word for it.
const OWN_KIND: &str = "hardwon";
/// Keys that a lesson has a place for.
const KNOWN: &[&str] = &["name", "description", "type", "modified", "metadata", OWN_KIND];
/// Longest title that is made of a text, in characters.
const TITLE_CHARS: usize = 60;

/// What a topic file says, as far as a lesson can say it.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicRecord {
    /// The file without its ending.
    pub slug: String,
    pub kind: Option<NoteKind>,
    pub own: Option<Kind>,
    /// The first paragraph of the fact.
    pub lead: String,
    pub why: Option<String>,
    pub how: Option<String>,
    pub modified: Option<Timestamp>,
    pub n_links: usize,
}

impl TopicRecord {
    pub fn of(topic: &TopicFile<'_>, file: &str) -> Self {
        let note = topic.note(file);
        TopicRecord {
            slug: names::stem(file).to_owned(),
            kind: note.kind,
            own: topic.field(OWN_KIND).and_then(Kind::from_word),
            lead: lead(&note).to_owned(),
            why: note.why,
            how: note.how,
            modified: note.modified,
            n_links: note.links.len(),
        }
    }
}

/// The first paragraph that is no heading; what stands in the head if there is none.
fn lead(note: &Note) -> &str {
    let text = note.text.trim();
    let paragraphs = text.split("\n\n").flat_map(|part| part.split("\r\n\r\n")).map(str::trim);
    let is_heading = |it: &str| it.starts_with('#') && !it.contains('\n');
    let mut said = paragraphs.filter(|it| !it.is_empty() && !is_heading(it));
    said.next().unwrap_or(if text.is_empty() { note.description.trim() } else { text })
}

/// The lesson that a file states.
pub(super) fn lesson(entry: &Entry<'_, JkzLayout>) -> Lesson {
    let Entry { context, shelf, record, .. } = entry;
    let (kind, category) = kind_of(record);
    let detail = context.prose(record.why.as_deref());
    let rule = context.prose(record.how.as_deref());
    let at = record.modified.unwrap_or(context.now);
    Lesson {
        category: category.map(str::to_owned),
        state: if shelf.is_archive { State::Archived } else { State::Provisional },
        origin: Origin::Reviewer,
        author: "notes".to_owned(),
        aliases: Vec::from_iter(context.gate.word(&record.slug)),
        guidance: Guidance { detail, rule, ..Guidance::default() },
        created_at: at,
        updated_at: at,
        ..entry.bare_lesson(kind, context.gate.line(&record.lead))
    }
}

fn kind_of(record: &TopicRecord) -> (Kind, Option<&'static str>) {
    let stated = record.kind.and_then(|kind| from_foreign(System::JkzFiles, kind.word()));
    match (record.own, stated) {
        (Some(own), Some((kind, _))) if own != kind => (own, None),
        (Some(own), None) => (own, None),
        (_, Some(stated)) => stated,
        (None, None) => (Kind::Fact, None),
    }
}

/// What a file can say of a lesson.
pub(super) fn record_of(lesson: &Lesson, slug: &str) -> TopicRecord {
    let word = to_foreign(System::JkzFiles, lesson.kind, lesson.category.as_deref());
    let is_said = from_foreign(System::JkzFiles, word).is_some_and(|(kind, _)| kind == lesson.kind);
    TopicRecord {
        slug: slug.to_owned(),
        kind: NoteKind::parse(word),
        own: (!is_said).then_some(lesson.kind),
        lead: lesson.text.as_str().to_owned(),
        why: lesson.guidance.detail.clone(),
        how: lesson.guidance.rule.clone(),
        modified: None,
        n_links: 0,
    }
}

/// What a lesson's state is when its file is found on this shelf.
pub(super) fn adopted_state(lesson: &Lesson, shelf: &Shelf) -> State {
    match (lesson.is_injectable(), shelf.is_archive) {
        // What we know of it says more than a file can.
        (true, false) | (false, true) => lesson.state,
        (true, true) => State::Archived,
        // What no person approved is not released by standing in a file.
        (false, false) if lesson.state == State::Quarantined => lesson.state,
        (false, false) => State::Provisional,
    }
}

/// Whether a word is the name of a topic file as they are made: `TYPE_slug`.
pub(super) fn is_slug(word: &str) -> bool {
    let parts = names::stem(word).split_once('_');
    parts.is_some_and(|(kind, slug)| NoteKind::parse(kind).is_some() && !slug.is_empty())
}

/// Names each new lesson by a file that is not there yet.
pub(super) fn namer(files: BTreeSet<String>) -> Namer {
    Box::new(move |lesson, taken| {
        if lesson.aliases.iter().any(|alias| is_slug(alias)) {
            return;
        }
        let kind = record_of(lesson, "").kind.unwrap_or(NoteKind::Project);
        let title = title_of(lesson.text.as_str());
        let file = names::file_name(kind, &title);
        let stem = file
            .map_or_else(|_| format!("{kind}_{}", lesson.id), |file| names::stem(&file).to_owned());
        let is_free = |slug: &String| {
            !taken.contains(slug) && !files.contains(&format!("{slug}.md").to_lowercase())
        };
        lesson.aliases.insert(0, free_name(&stem, "", is_free));
    })
}

/// A title that a text gives itself: its first clause, in whole words.
pub(crate) fn title_of(text: &str) -> String {
    let end = text.find(['.', ';', ':', ',', '(']).unwrap_or(text.len());
    let clause = if text[..end].split_whitespace().count() >= 3 { &text[..end] } else { text };
    let clause = clause.trim().trim_end_matches(['.', '!', ';']);
    match clause.char_indices().nth(TITLE_CHARS) {
        None => clause.to_owned(),
        Some((end, _)) => {
            let cut = &clause[..end];
            cut.rsplit_once(' ').map_or(cut, |(whole, _)| whole).to_owned()
        }
    }
}

pub(super) fn new_file(lesson: &Lesson) -> String {
    let record = record_of(lesson, "");
    let note = Note {
        name: title_of(&record.lead),
        description: record.lead.clone(),
        kind: record.kind,
        modified: Some(lesson.updated_at),
        text: record.lead,
        why: record.why,
        how: record.how,
        ..Note::default()
    };
    let text = new_topic_file(&note);
    match (record.own, TopicFile::parse(&text)) {
        (Some(own), Ok(topic)) => topic.with_field(OWN_KIND, Some(own.word())),
        _ => text,
    }
}

/// A file with what differs between two records changed in it, and nothing else.
pub(super) fn patched(raw: &[u8], from: &TopicRecord, to: &TopicRecord, now: Timestamp) -> Vec<u8> {
    let text = std::str::from_utf8(raw).ok();
    let Some((text, topic)) = text.and_then(|text| Some((text, TopicFile::parse(text).ok()?)))
    else {
        return raw.to_vec();
    };
    if from == to {
        return text.as_bytes().to_vec();
    }
    let mut note = topic.note("");
    if from.lead != to.lead {
        let old = lead(&note).to_owned();
        note.text = match note.text.contains(&old) {
            true => note.text.replacen(&old, &to.lead, 1),
            false => to.lead.clone(),
        };
    }
    if from.why != to.why {
        note.why.clone_from(&to.why);
    }
    if from.how != to.how {
        note.how.clone_from(&to.how);
    }
    if from.kind != to.kind {
        note.kind = to.kind;
    }
    note.modified = Some(now);
    let text = topic.edited(&note);
    let own = to.own.map(Kind::word);
    match TopicFile::parse(&text) {
        Ok(topic) if from.own != to.own => topic.with_field(OWN_KIND, own).into_bytes(),
        _ => text.into_bytes(),
    }
}

/// Keys of a head, and links, that no lesson has a place for.
pub(super) fn unknown_fields(raw: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(raw).ok();
    let Some(topic) = text.and_then(|text| TopicFile::parse(text).ok()) else {
        return Vec::new();
    };
    let is_unknown = |key: &&str| !KNOWN.contains(key);
    let mut fields: Vec<String> = topic.keys().filter(is_unknown).map(str::to_owned).collect();
    if !topic.note("").links.is_empty() {
        fields.push("links".to_owned());
    }
    fields.sort();
    fields.dedup();
    fields
}

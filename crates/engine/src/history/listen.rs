//! Follows what happens to memory: reads the stream that `events` writes, and looks up
//! the words of the lessons that it names.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::Lesson;
use hardwon_core::time::Timestamp;
use hardwon_render::answer::{Message, MessageWithLessons, Named, parse_event};
use hardwon_store::files;

use crate::lookup;
use crate::memory::{Memory, Result};
use crate::place::Environment;
use crate::stream::{FILE, MAX_BYTES, OLDER};

/// Stands in for the words of a lesson that is gone.
const ERASED: &str = "[erased]";

/// Which messages the listener wants.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub project: Option<ProjectId>,
    /// Only then or later.
    pub since: Option<Timestamp>,
}

impl Wanted {
    fn admits(&self, message: &Message) -> bool {
        let by_project = self.project.as_ref().is_none_or(|project| *project == message.project);
        by_project && self.since.is_none_or(|since| message.at >= since)
    }
}

/// Follows the stream: what is there, then what comes. A file that is not there yet, and
/// one that was turned over, are no trouble.
#[derive(Debug)]
pub struct Listener {
    folder: PathBuf,
    wanted: Wanted,
    /// Files that may still get lines, the older first.
    open: Vec<Followed>,
    /// The number of the oldest message that was read, whoever it is for.
    oldest: Option<u64>,
}

/// A file and how far it was read.
#[derive(Debug)]
struct Followed {
    file: File,
    inode: u64,
    offset: u64,
}

impl Listener {
    /// A listener that starts at the oldest message.
    pub fn new(environment: &Environment, wanted: Wanted) -> Result<Listener> {
        Ok(Listener { folder: environment.data_folder()?, wanted, open: Vec::new(), oldest: None })
    }

    /// All messages since the last call, oldest first. What is not a line of ours is
    /// passed over; the beginning of a line is waited for.
    pub fn next_messages(&mut self) -> Vec<Message> {
        let mut left = self.find_files();
        let mut messages = Vec::new();
        for followed in left.iter_mut().chain(&mut self.open) {
            let lines = followed.read().unwrap_or_default();
            messages.extend(lines.lines().filter_map(parse_event));
        }
        self.oldest = self.oldest.or(messages.iter().find_map(|message| message.number));
        messages.retain(|message| self.wanted.admits(message));
        messages
    }

    /// Whether messages that came after this one had been turned away when this listener began.
    /// Numbers run through all projects.
    pub fn has_gap_after(&self, number: u64) -> bool {
        self.oldest.is_some_and(|oldest| oldest > number.saturating_add(1))
    }

    /// Opens what is new under the two names. What has neither any more is handed back: it
    /// may hold last lines that were not read yet.
    fn find_files(&mut self) -> Vec<Followed> {
        let mut now = Vec::new();
        for (file, inode) in self.both() {
            let known = self.open.iter().position(|followed| followed.inode == inode);
            now.push(match known.map(|index| self.open.remove(index)) {
                Some(followed) => followed,
                None => Followed { file, inode, offset: 0 },
            });
        }
        std::mem::replace(&mut self.open, now)
    }

    /// The files under the two names, the older first. If the newer one becomes the older one
    /// between the two looks, it would be missed, and its lines would come behind later ones.
    fn both(&self) -> Vec<(File, u64)> {
        let [older, newer] = [OLDER, FILE].map(|name| self.folder.join(name));
        loop {
            let first = opened(&older);
            let second = opened(&newer);
            let inode = |found: &Option<(File, u64)>| found.as_ref().map(|(_, inode)| *inode);
            if inode(&opened(&older)) == inode(&first) {
                return first.into_iter().chain(second).collect();
            }
        }
    }
}

impl Followed {
    /// Whole lines that came since.
    fn read(&mut self) -> std::io::Result<String> {
        let length = self.file.metadata()?.len();
        if length < self.offset {
            // Another process emptied it.
            self.offset = 0;
        }
        if length == self.offset {
            return Ok(String::new());
        }
        self.file.seek(SeekFrom::Start(self.offset))?;
        let mut bytes = Vec::new();
        (&mut self.file).take(length - self.offset).read_to_end(&mut bytes)?;
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
        bytes.truncate(end);
        self.offset += end as u64;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn opened(path: &Path) -> Option<(File, u64)> {
    let file = files::open_plain(path).ok()?;
    let about = file.metadata().ok()?;
    // More than we ever leave there is not ours.
    (about.len() <= 4 * MAX_BYTES).then_some((file, about.ino()))
}

/// Messages with the words of the lessons that they name, as memory has them now.
pub fn with_lessons(memory: &Memory, messages: Vec<Message>) -> Result<Vec<MessageWithLessons>> {
    let mut found = Vec::with_capacity(messages.len());
    for message in messages {
        let ids = message.body.lessons();
        let known = lookup::lessons_with(memory, &message.project, ids.to_vec())?;
        let first = known.iter().find(|lesson| Some(&lesson.id) == ids.first());
        let id_in_file = first.and_then(id_in_file).map(str::to_owned);
        let text = |id: &LessonId| {
            known.iter().find(|it| it.id == *id).map_or(ERASED, |it| it.text.as_str())
        };
        let lessons = ids.iter().map(|id| Named::new(id.clone(), text(id))).collect();
        found.push(MessageWithLessons { message, lessons, id_in_file });
    }
    Ok(found)
}

/// The name that a lesson has in the file it stands in. A name with an at sign is that of a folder
/// which was imported.
fn id_in_file(lesson: &Lesson) -> Option<&str> {
    lesson.aliases.iter().map(String::as_str).find(|alias| !alias.contains('@'))
}

//! Where does a project stand? Reads the Markdown file in which its progress is noted into
//! a few short lists, for whoever reflects on a run. Lessons that we noted there ourselves
//! are skipped.

use hardwon_core::list;

use crate::report::cut;
use crate::review_text::without_blocks;

/// Most entries of one list, and the longest entry in bytes.
const MAX_ENTRIES: usize = 12;
const MAX_ENTRY_BYTES: usize = 300;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub status: Vec<String>,
    pub done: Vec<String>,
    pub next: Vec<String>,
    pub blockers: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Status,
    Done,
    Next,
    Blockers,
    /// Of no use here.
    Other,
    /// Lessons, which are ours or made from ours.
    Lessons,
}

/// Words of a heading, the more telling first.
const HEADINGS: &[(Section, &[&str])] = &[
    (Section::Lessons, list!("progress.txt", "lessons")),
    (Section::Blockers, list!("progress.txt", "blockers")),
    (Section::Next, list!("progress.txt", "next")),
    (Section::Done, list!("progress.txt", "done")),
    (Section::Status, list!("progress.txt", "status")),
];

pub fn progress(text: &str) -> Progress {
    let text = without_blocks(text);
    let mut found = Progress::default();
    let (mut section, mut is_fenced) = (Section::Other, false);
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") {
            is_fenced = !is_fenced;
        } else if let Some(heading) = heading(line).filter(|_| !is_fenced) {
            section = heading;
        } else if !is_fenced && !line.is_empty() && !line.starts_with("<!--") {
            found.take(section, line);
        }
    }
    found
}

fn heading(line: &str) -> Option<Section> {
    let title = line.strip_prefix('#')?.trim_start_matches('#');
    let title = title.strip_prefix(' ')?.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| title.contains(word));
    let known = HEADINGS.iter().find(|(_, words)| has(words));
    Some(known.map_or(Section::Other, |(section, _)| *section))
}

impl Progress {
    fn take(&mut self, section: Section, line: &str) {
        let entry = line.trim_start_matches(['-', '*', '+', '•']).trim_start();
        // A ticked box says what it is, wherever it stands.
        let (section, entry) = match entry.split_at_checked(3) {
            _ if section == Section::Lessons => return,
            Some(("[x]" | "[X]", entry)) => (Section::Done, entry),
            Some(("[ ]", entry)) if section != Section::Blockers => (Section::Next, entry),
            Some(("[ ]", entry)) => (section, entry),
            _ => (section, entry),
        };
        let list = match section {
            Section::Status => &mut self.status,
            Section::Done => &mut self.done,
            Section::Next => &mut self.next,
            Section::Blockers => &mut self.blockers,
            Section::Other | Section::Lessons => return,
        };
        let entry = cut(entry.trim(), MAX_ENTRY_BYTES);
        if list.len() < MAX_ENTRIES && !entry.is_empty() {
            list.push(entry.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_progress_file_becomes_short_lists() {
        let text = "# Progress\nHalf way through\n\n## Completed\n- Login\n* [x] Search\n\n## Next steps\n- [ ] Payment\n- [x] Cart\n1. Ship\n## Blockers\n- No key for staging\n```\n# Done\n- not this\n```\n## Lessons learned\n- Run the tests first\n- [x] ours\n## Team\n- Ann\n";
        let found = progress(text);
        assert_eq!(found.status, ["Half way through"]);
        assert_eq!(found.done, ["Login", "Search", "Cart"]);
        assert_eq!(found.next, ["Payment", "1. Ship"]);
        assert_eq!(found.blockers, ["No key for staging"]);
    }

    #[test]
    fn any_text_is_read_and_little_is_kept() {
        for text in ["", "#", "##", "# ", "[x]", "- [", "é", "```", "# Done\n- [x"] {
            progress(text);
        }
        let long = format!("# Done\n{}", format!("- {}\n", "é".repeat(400)).repeat(100));
        let found = progress(&long);
        assert_eq!(found.done.len(), MAX_ENTRIES);
        assert!(found.done.iter().all(|entry| entry.len() <= MAX_ENTRY_BYTES));
        let ours = "# Status\n<hardwon-memory>\n- [x] a lesson\n</hardwon-memory>\n- fine\n";
        assert_eq!(progress(ours).status, ["fine"]);
        assert!(progress(ours).done.is_empty());
    }
}

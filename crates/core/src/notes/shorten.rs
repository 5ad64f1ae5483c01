//! What would move out of an index that is too long? Prose under a heading goes into a topic file
//! with one line that points there, and a hook that tells everything is cut; the longest first,
//! and no more than is needed.

use super::IndexLine;
use super::names;
use super::policy::NotesPolicy;

/// A heading of the index with what stands below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexSection {
    /// The heading without its marks; "" before the first one.
    pub title: String,
    /// Its first line behind the heading, from 1.
    pub line: usize,
    /// Everything below the heading, except lines that point to notes.
    pub prose: String,
    /// The lines of that prose, from 1, blank ones left out.
    pub prose_lines: Vec<usize>,
}

/// One thing that would move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// The prose of a section goes into a new file, and this line comes in its place.
    Section { section: IndexSection, file: String, line: IndexLine },
    /// The hook of a line is cut; what is cut belongs into its file.
    Hook { line: usize, file: String, kept: String, moved: String },
}

/// The size of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexSize {
    pub n_lines: usize,
    pub n_bytes: usize,
}

/// What moves, in the order in which it is tried, until the index fits; and its size then.
pub fn shorten(
    sections: &[IndexSection],
    lines: &[IndexLine],
    size: IndexSize,
    policy: &NotesPolicy,
) -> (Vec<Move>, IndexSize) {
    let limits = &policy.limits;
    let fits =
        |size: &IndexSize| size.n_lines <= limits.all_lines && size.n_bytes <= limits.all_bytes;
    let (mut moves, mut left) = (Vec::new(), size);
    let mut taken: Vec<String> = lines.iter().map(|line| line.file.clone()).collect();
    let mut longest: Vec<&IndexSection> =
        sections.iter().filter(|section| section.prose_lines.len() > 1).collect();
    longest.sort_by_key(|section| (std::cmp::Reverse(section.prose.len()), section.line));
    for section in longest {
        if fits(&left) {
            return (moves, left);
        }
        let moved = section_move(section, &mut taken);
        let Move::Section { line, .. } = &moved else { continue };
        let n_line = line.title.len() + line.file.len() + line.hook.len() + 12;
        left.n_lines = left.n_lines.saturating_sub(section.prose_lines.len() - 1);
        left.n_bytes = (left.n_bytes + n_line).saturating_sub(section.prose.len());
        moves.push(moved);
    }
    let mut hooks: Vec<&IndexLine> =
        lines.iter().filter(|line| line.hook.chars().count() > policy.hook_chars).collect();
    hooks.sort_by_key(|line| (std::cmp::Reverse(line.hook.len()), line.line));
    for entry in hooks {
        if fits(&left) {
            break;
        }
        let kept = cut(&entry.hook, policy.hook_chars);
        let moved = entry.hook[kept.len()..].trim().to_owned();
        left.n_bytes = left.n_bytes.saturating_sub(moved.len());
        let (line, file) = (entry.line, entry.file.clone());
        moves.push(Move::Hook { line, file, kept: kept.to_owned(), moved });
    }
    (moves, left)
}

fn section_move(section: &IndexSection, taken: &mut Vec<String>) -> Move {
    let first = section.prose.lines().map(str::trim).find(|line| !line.is_empty());
    let hook = cut(first.unwrap_or_default().trim_start_matches(['-', '*', ' ']), 100).to_owned();
    let title = if section.title.is_empty() { "Notes" } else { section.title.as_str() };
    let slug = names::slug(title);
    let slug = if slug.is_empty() { "notes".to_owned() } else { slug };
    let names = std::iter::once(format!("project_{slug}.md"))
        .chain((2..).map(|n| format!("project_{slug}-{n}.md")));
    let mut free = names.filter(|name| !taken.contains(name));
    // The numbers do not end.
    let file = free.next().unwrap_or_default();
    taken.push(file.clone());
    let title = title.to_owned();
    let line = IndexLine { title, file: file.clone(), hook, ..IndexLine::default() };
    Move::Section { section: section.clone(), file, line }
}

/// At most so many characters, cut after a whole word.
fn cut(text: &str, max_chars: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(max_chars) else { return text };
    let cut = &text[..end];
    cut.rfind(' ').map_or(cut, |at| &cut[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(title: &str, line: usize, n_lines: usize) -> IndexSection {
        let prose = "- detail of the thing\n".repeat(n_lines);
        let prose_lines = (line..line + n_lines).collect();
        IndexSection { title: title.to_owned(), line, prose, prose_lines }
    }

    #[test]
    fn an_index_that_fits_is_left_alone() {
        let size = IndexSize { n_lines: 200, n_bytes: 25_000 };
        let moved = shorten(&[section("CI", 1, 50)], &[], size, &NotesPolicy::default());
        assert_eq!(moved, (Vec::new(), size));
    }

    #[test]
    fn the_longest_prose_moves_first_and_no_more_than_needed() {
        let sections = [section("CI", 1, 40), section("Deploys!", 50, 90), section("", 0, 60)];
        let size = IndexSize { n_lines: 260, n_bytes: 6_000 };
        let (moves, left) = shorten(&sections, &[], size, &NotesPolicy::default());
        let [Move::Section { file, line, .. }] = &moves[..] else { panic!("{moves:?}") };
        assert_eq!(
            (file.as_str(), line.hook.as_str()),
            ("project_deploys.md", "detail of the thing")
        );
        assert_eq!(left.n_lines, 171);
    }

    #[test]
    fn a_name_that_is_taken_is_not_taken_again() {
        let sections = [section("CI", 1, 150), section("CI", 200, 150)];
        let entry = |file: &str| IndexLine { file: file.to_owned(), ..IndexLine::default() };
        let size = IndexSize { n_lines: 500, n_bytes: 9_000 };
        let (moves, _) =
            shorten(&sections, &[entry("project_ci.md")], size, &NotesPolicy::default());
        let files: Vec<&str> = moves
            .iter()
            .filter_map(|it| match it {
                Move::Section { file, .. } => Some(file.as_str()),
                Move::Hook { .. } => None,
            })
            .collect();
        assert_eq!(files, ["project_ci-2.md", "project_ci-3.md"]);
    }

    #[test]
    fn long_hooks_are_cut_after_a_word() {
        let hook = "word ".repeat(60).trim().to_owned();
        let entry = IndexLine {
            file: "a.md".to_owned(),
            hook: hook.clone(),
            line: 3,
            ..IndexLine::default()
        };
        let size = IndexSize { n_lines: 10, n_bytes: 25_100 };
        let (moves, left) = shorten(&[], &[entry], size, &NotesPolicy::default());
        let [Move::Hook { kept, moved, line: 3, .. }] = &moves[..] else { panic!("{moves:?}") };
        assert_eq!(format!("{kept} {moved}"), hook);
        assert!(left.n_bytes <= 25_000);
    }
}

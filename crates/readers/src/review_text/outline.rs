//! What stands below a heading or in an item: one finding with all that is told about it, or
//! several things? Decided by looking ahead, before anything of it is read: what states a place or
//! a repair once states it of one thing, and what begins anew with a place or a grade is another.

use super::field::{Field, field, field_of_heading};
use super::line::led;
use super::place;
use super::shape::{graded_place, says_closing};
use super::title::{is_numbered, without_number};
use super::tree::{Block, Item};
use super::words::leading;

/// What stands below a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Below {
    /// Parts with headings of their own, or items that are findings each.
    Parts,
    /// All of it tells about one thing.
    One,
    /// Several things, or one that is not the heading's.
    Others,
}

/// What stands below a heading of this level, up to the next one.
pub fn below(level: usize, heading: &str, rest: &[Block]) -> Below {
    let next = rest.iter().position(|block| is_part(block, level));
    let own = &rest[..next.unwrap_or(rest.len())];
    let is_deeper =
        |block: &Block| matches!(block, Block::Heading { level: it, .. } if *it > level);
    if next.is_some_and(|at| is_deeper(&rest[at])) {
        return Below::Parts;
    }
    let is_graded =
        leading(heading).is_some_and(|(grade, rest)| !grade.is_weak && !rest.is_empty());
    let lists = own.iter().filter_map(Block::items).flatten();
    let n_ones = lists.filter(|item| is_one(item.blocks.get(1..).unwrap_or_default())).count();
    let are_parts =
        is_sort(heading) && own.iter().any(|block| block.items().is_some_and(|it| it.len() > 1));
    let are_titled = is_topic(heading) && n_led(own) > 1 && n_told(own) == 0;
    if n_ones > 1 || n_counted(own) > 1 || are_parts || are_titled {
        return Below::Parts;
    }
    match n_told(own) {
        0 if is_graded && !starts(own).any(has_grade) => Below::One,
        0 if is_numbered(heading) && starts(own).count() < 2 && n_titled(own) < 2 => Below::One,
        1 => Below::One,
        _ => Below::Others,
    }
}

/// Whether what stands below a heading, up to the next one of its level, says where things are.
pub fn names_lines(level: usize, rest: &[Block]) -> bool {
    let is_next = |block: &Block| matches!(block, Block::Heading { level: it, .. } if *it <= level);
    let own = &rest[..rest.iter().position(is_next).unwrap_or(rest.len())];
    let is_place = |line: &str| {
        matches!(field(line), Some((Field::Place, _)))
            || place::with_line(line).is_some_and(|(_, line)| line.is_some())
    };
    lines(own).any(is_place)
}

/// Whether an item with items below it is one thing: what is told about it follows them, or each
/// of them is a part of it.
pub fn is_one(blocks: &[Block]) -> bool {
    n_told(blocks) == 1
}

/// Whether something more than its place is told about an item: what is wrong, how bad it is, or
/// what to do.
pub fn is_told(blocks: &[Block]) -> bool {
    let is_matter = |line: &str| {
        matches!(field(line), Some((Field::Text | Field::Severity | Field::Repair, _)))
    };
    is_one(blocks) && lines(blocks).any(is_matter)
}

/// Whether a block begins a part of its own. A heading below that is the name of a field does not.
fn is_part(block: &Block, level: usize) -> bool {
    match block {
        Block::Heading { level: own, text } => {
            *own <= level || !text.is_empty() && field_of_heading(text).is_none()
        }
        _ => false,
    }
}

/// How often the same is told of something at this level: where it is, what is wrong, how bad it
/// is, or, under the same name, what to do. More than once is more than one thing.
fn n_told(blocks: &[Block]) -> usize {
    let named = lines(blocks).filter_map(|line| Some((field(line)?.0, line)));
    let headed = blocks.iter().filter_map(|block| match block {
        Block::Heading { text, .. } => Some((field_of_heading(text)?, text.as_str())),
        _ => None,
    });
    let told: Vec<(Field, String)> = named
        .chain(headed)
        .filter(|(field, _)| {
            matches!(field, Field::Place | Field::Text | Field::Severity | Field::Repair)
        })
        .map(|(field, line)| match field {
            Field::Repair => (field, line.split(':').next().unwrap_or_default().to_lowercase()),
            _ => (field, String::new()),
        })
        .collect();
    told.iter().map(|it| told.iter().filter(|other| *other == it).count()).max().unwrap_or(0)
}

/// The lines of paragraphs, and the first ones of items.
fn lines(blocks: &[Block]) -> impl Iterator<Item = &str> {
    blocks.iter().flat_map(|block| -> Vec<&str> {
        match block {
            Block::Text(lines) => lines.iter().map(String::as_str).collect(),
            Block::List(items) => items.iter().filter_map(Item::first_line).collect(),
            _ => Vec::new(),
        }
    })
}

/// The lines that begin something of their own: with a place and words behind it, or with a grade.
fn starts(blocks: &[Block]) -> impl Iterator<Item = &str> {
    lines(blocks).filter(|line| led(line).is_some() || graded_place(line) || has_grade(line))
}

fn has_grade(line: &str) -> bool {
    leading(line).is_some_and(|(grade, rest)| !grade.is_weak && rest.split(' ').count() > 1)
}

/// Whether a heading only says that something is asked for: `⚠️ Recommendations`.
fn is_sort(heading: &str) -> bool {
    let mut words = heading.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    matches!((words.next(), words.next()), (Some(word), None) if says_closing(word))
}

/// Whether a heading that is counted only names a matter: `2. Configuration`.
fn is_topic(heading: &str) -> bool {
    let title = without_number(heading);
    title.len() < heading.len() && title.split_whitespace().count() <= 4 && !title.contains('`')
}

/// Items that begin with something in bold that is no field, if all of their list do.
fn n_led(blocks: &[Block]) -> usize {
    let is_led = |item: &Item| {
        let line = item.first_line().unwrap_or_default();
        line.starts_with("**") && line.contains(":**") && field(line).is_none()
    };
    let lists = blocks.iter().filter_map(Block::items);
    lists.filter(|items| items.iter().all(is_led)).map(Vec::len).sum()
}

/// Titles in bold that are counted: `**1. …**`, or the items of a counted list.
fn n_counted(blocks: &[Block]) -> usize {
    let lines = blocks.iter().flat_map(Block::lines).filter(|line| {
        let inner = line.strip_prefix("**").unwrap_or_default();
        inner.starts_with(|c: char| c.is_ascii_digit()) && is_numbered(line)
    });
    let items = blocks.iter().filter_map(Block::items).flatten().filter(|item| item.is_ordered);
    lines.count() + items.filter_map(Item::first_line).filter(is_titled).count()
}

/// Whether a line begins with a title in bold that is no field.
fn is_titled(line: &&str) -> bool {
    let bold = line.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    field(line).is_none() && bold.is_some_and(|(title, _)| title.split_whitespace().count() > 1)
}

/// Items with a title in bold that is no field.
fn n_titled(blocks: &[Block]) -> usize {
    let items = blocks.iter().filter_map(Block::items).flatten().filter_map(Item::first_line);
    items.filter(is_titled).count()
}

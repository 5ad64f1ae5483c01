//! What stands below a heading or in an item: one finding with all that is told about it, or
//! several things? Decided by looking ahead, before anything of it is read: what states a place or
//! a repair once states it of one thing, and what begins anew with a place or a grade is another.

use super::field::{Field, field, field_of_heading};
use super::line::led;
use super::place::{self, Place};
use super::said::asks;
use super::shape::{graded_place, is_area, says_closing, says_defect, says_loud, says_praise};
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
    /// Likewise, and the headings below belong to it.
    Whole,
    /// Several things, or one that is not the heading's.
    Others,
}

/// What stands below a heading of this level, up to the next one; `is_among` if it stands in a
/// section of findings.
pub fn below(level: usize, heading: &str, rest: &[Block], is_among: bool) -> Below {
    let next = rest.iter().position(|block| is_part(block, level));
    let own = &rest[..next.unwrap_or(rest.len())];
    let is_deeper =
        |block: &Block| matches!(block, Block::Heading { level: it, .. } if *it > level);
    if next.is_some_and(|at| is_deeper(&rest[at])) {
        return if is_whole(level, own, rest) { Below::Whole } else { Below::Parts };
    }
    if has_parts(heading, own, is_among) {
        return Below::Parts;
    }
    let praises = |item: &Item| item.first_line().is_some_and(is_praised);
    if items(own).any(praises) {
        // What is good and what is not about one matter.
        return Below::Others;
    }
    let is_graded =
        leading(heading).is_some_and(|(grade, rest)| !grade.is_weak && !rest.is_empty());
    match n_told(own) {
        0 if is_graded && !starts(own).any(has_grade) => Below::One,
        0 if is_numbered(heading) && starts(own).count() < 2 && n_titled(own) < 2 => Below::One,
        1 => Below::One,
        _ => Below::Others,
    }
}

/// Whether the items below a heading are things of their own: by what they begin with, or because
/// the heading only says what they are about.
fn has_parts(heading: &str, own: &[Block], is_among: bool) -> bool {
    let rest = |item: &Item| item.blocks.get(1..).unwrap_or_default().to_vec();
    let n_ones = items(own).filter(|item| is_one(&rest(item))).count();
    let has_list = own.iter().any(|block| block.items().is_some_and(|it| it.len() > 1));
    let n_boxes = items(own).filter(|item| item.is_box).count();
    let are_titled = is_topic(heading) && n_led(own) > 1 && n_told(own) == 0;
    // `### 2. Manifest (`app.xml`)` above items that have a grade each.
    let n_graded = starts(own).filter(|line| has_grade(line)).count();
    let are_of_file = n_graded > 1 && place::first_place(heading).is_some_and(|it| it.1.is_none());
    // `### 2. Performance` with a single item that has a grade and is told about.
    let is_own = |item: &Item| item.first_line().is_some_and(has_grade) && is_told(&rest(item));
    let are_own = is_topic(heading) && n_told(own) == 0 && items(own).any(is_own);
    // `M1 — The floor is not complete` says what is wrong; what it counts are its parts.
    let is_said = is_numbered(heading) && says_defect(heading);
    let is_prose = own.first().is_some_and(|it| it.items().is_none());
    let are_counted = n_counted(own) > 1 && !(is_said && is_prose);
    let are_many = n_ones > 1 || n_files(own) > 1 || n_boxes > 1;
    are_many
        || are_counted
        || are_titled
        || are_of_file
        || are_own
        || is_sort(heading) && has_list
        || is_area(heading) && are_of_area(heading, own, is_among)
}

/// Whether the items below the name of an area are what is wrong in it.
fn are_of_area(heading: &str, own: &[Block], is_among: bool) -> bool {
    let is_graded = |it: &Item| it.first_line().is_some_and(|line| leading(line).is_some());
    let is_mixed = |items: &Vec<Item>| items.len() > 1 && items.iter().any(is_graded);
    let is_loud = is_among || says_loud(heading);
    let are_said = is_loud && n_told(own) == 0 && object(own) && n_placed(own) != 1;
    are_said || n_marked(own) > 1 || own.iter().filter_map(Block::items).any(is_mixed)
}

/// The items of all lists.
fn items(blocks: &[Block]) -> impl Iterator<Item = &Item> {
    blocks.iter().filter_map(Block::items).flatten()
}

/// Whether a heading says at once where something is or how bad it is, and no heading below begins
/// anything of its own: they name what is told about it.
fn is_whole(level: usize, own: &[Block], rest: &[Block]) -> bool {
    let is_next = |block: &Block| matches!(block, Block::Heading { level: it, .. } if *it <= level);
    let all = &rest[..rest.iter().position(is_next).unwrap_or(rest.len())];
    let is_known = lines(own)
        .any(|line| matches!(field(line), Some((Field::Place | Field::Severity | Field::Text, _))));
    let begins = |(at, block): (usize, &Block)| match block {
        Block::Heading { level, text } => {
            let end = all[at + 1..].iter().position(|it| matches!(it, Block::Heading { .. }));
            let below = &all[at + 1..end.map_or(all.len(), |end| at + 1 + end)];
            let is_field = field_of_heading(text).is_some();
            let is_own = is_numbered(text) || leading(text).is_some() || says_loud(text);
            let is_placed = place::first_place(text).is_some();
            let is_told = lines(below)
                .any(|line| matches!(field(line), Some((Field::Place | Field::Severity, _))));
            *level > 0 && !is_field && (is_own || is_placed || is_told)
        }
        _ => false,
    };
    is_known && n_told(own) == 1 && n_marked(all) < 2 && !all.iter().enumerate().any(begins)
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

/// How often the same is told of something at this level: where it is, what is wrong,
/// or, under the same name, how bad it is and what to do. More than once is more than one thing.
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
            Field::Repair | Field::Severity => {
                (field, line.split(':').next().unwrap_or_default().to_lowercase())
            }
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
    let ordered = items(blocks).filter(|item| item.is_ordered);
    let coded = items(blocks).filter_map(Item::first_line);
    // `- **[P0-1] Missing …**`
    let is_coded = |line: &&str| line.starts_with("**[") && is_numbered(line);
    let n_coded = coded.filter(is_coded).count();
    lines.count() + n_coded + ordered.filter_map(Item::first_line).filter(is_titled).count()
}

/// Whether there are items that are no fields, and most of them say what is wrong or ask for
/// something.
fn object(blocks: &[Block]) -> bool {
    const MIN_WORDS: usize = 3;
    let lines = items(blocks).filter_map(Item::first_line);
    let is_said =
        |line: &&str| field(line).is_none() && line.split_whitespace().count() >= MIN_WORDS;
    let said: Vec<&str> = lines.filter(is_said).collect();
    let objects = |line: &&&str| {
        let lower = line.to_lowercase();
        let wishes = ["could", "should", "would", "consider", "need"];
        says_defect(line) || asks(line) || wishes.iter().any(|it| lower.contains(it))
    };
    said.len() > 1 && said.iter().filter(objects).count() * 2 >= said.len()
}

/// Items that name a line of a file.
fn n_placed(blocks: &[Block]) -> usize {
    let lines = items(blocks).filter_map(Item::first_line);
    lines.filter(|line| place::with_line(line).is_some_and(|(_, line)| line.is_some())).count()
}

/// Items of a list in which some are marked as good and some are not.
fn n_marked(blocks: &[Block]) -> usize {
    let is_good = |item: &&Item| item.first_line().is_some_and(|line| line.starts_with('✅'));
    let is_graded = |item: &&Item| item.first_line().is_some_and(|line| leading(line).is_some());
    let count = |items: &Vec<Item>| {
        let (n_good, n_graded) =
            (items.iter().filter(is_good).count(), items.iter().filter(is_graded).count());
        if n_good > 0 { n_good + n_graded } else { 0 }
    };
    blocks.iter().filter_map(Block::items).map(count).max().unwrap_or(0)
}

/// Items that begin with a file of their own, set off by a colon.
fn n_files(blocks: &[Block]) -> usize {
    let lines = items(blocks).filter_map(Item::first_line);
    let is_led = |line: &&str| {
        let name = line.split_once(": ").map(|(name, _)| name.trim_matches(['*', '`']));
        name.is_some_and(|name| !name.contains(' ') && place::place(name).is_some())
    };
    lines.filter(is_led).count()
}

/// The place that is stated right below a heading.
pub fn stated_place(level: usize, rest: &[Block]) -> Option<Place> {
    let own = &rest[..rest.iter().position(|it| is_part(it, level)).unwrap_or(rest.len())];
    let lines = own.iter().take_while(|it| it.items().is_none()).flat_map(Block::lines);
    let value = lines.filter_map(|line| field(line)).find(|(named, _)| *named == Field::Place)?.1;
    place::with_line(value)
}

/// `Positive: …`
pub fn is_praised(line: &str) -> bool {
    let name = line.split_once(':').map(|(name, _)| name);
    name.is_some_and(|name| says_praise(name) && name.split_whitespace().count() <= 2)
}

/// Whether a line begins with a title in bold that is no field.
fn is_titled(line: &&str) -> bool {
    let bold = line.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    field(line).is_none() && bold.is_some_and(|(title, _)| title.split_whitespace().count() > 1)
}

/// Items with a title in bold that is no field.
fn n_titled(blocks: &[Block]) -> usize {
    let lines = items(blocks).filter_map(Item::first_line);
    lines.filter(is_titled).count()
}

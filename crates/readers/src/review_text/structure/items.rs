//! The lists of a review: which items are findings, and which only say what those in them are about.

use super::super::field::field;
use super::super::outline::{is_one, is_told};
use super::super::shape::{has_grade, is_details, is_group_item, is_ungraded};
use super::super::tree::{Block, Item};
use super::super::unit::{Kind, Unit};
use super::super::verdict::stated_verdict;
use super::super::words::says_none;
use super::{LABEL, Walk};

impl Walk<'_> {
    pub(super) fn list(&mut self, items: &[Item]) {
        let is_open = self.unit.as_ref().is_some_and(|unit| unit.kind != Kind::Item);
        let is_placed = self.unit.as_ref().is_some_and(Unit::is_located);
        let are_graded = has_grade(items);
        if is_open && (is_details(items) || is_placed && !are_graded) {
            items.iter().for_each(|item| self.details(&item.blocks));
            return;
        }
        // Where others have a grade, an item without one is something else.
        let is_graded = are_graded && self.around().worst.is_none();
        for item in items {
            let is_told = is_told(item.blocks.get(1..).unwrap_or_default());
            let first = item.first_line().filter(|_| is_graded && !is_told);
            match first.filter(|line| is_ungraded(line)) {
                Some(_) => self.close(),
                None => self.item(item),
            }
        }
    }

    fn item(&mut self, item: &Item) {
        let (lines, rest) = match item.blocks.split_first() {
            Some((Block::Text(lines), rest)) => (&lines[..], rest),
            _ => return self.blocks(&item.blocks),
        };
        let (first, more) = lines.split_first().expect("no text is empty");
        let nested = rest.iter().find_map(Block::items);
        let nested = nested.filter(|items| more.is_empty() && !is_details(items));
        if let Some(nested) = nested.filter(|_| !is_one(rest))
            && is_group_item(first)
        {
            return self.group(first, nested);
        }
        self.verdict = stated_verdict(first).or(self.verdict);
        if self.is_quiet() || says_none(first) {
            return self.close();
        }
        let unit = self.begin(Kind::Item);
        if item.is_ticked {
            unit.mark_fixed();
        }
        match field(first) {
            Some((named, value)) => unit.take_field(named, value, first),
            None => unit.title(first),
        }
        self.detail_lines(more);
        self.details(rest);
    }

    /// An item that only says what the items in it are about.
    fn group(&mut self, title: &str, items: &[Item]) {
        self.close();
        let level = self.sections.last().map_or(LABEL, |section| section.level.max(LABEL)) + 1;
        let mut section = self.section(level, title.trim_matches(['*', ':', ' ']));
        section.is_quiet |= self.is_quiet();
        self.sections.push(section);
        items.iter().for_each(|item| self.item(item));
        self.close();
        self.sections.retain(|section| section.level < level);
    }
}

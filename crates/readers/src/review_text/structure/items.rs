//! The lists of a review: which items are findings, and which only say what those in them are about.

use super::super::field::{Field, field};
use super::super::outline::{is_one, is_praised, is_told};
use super::super::place;
use super::super::said::says_none;
use super::super::section::is_quiet;
use super::super::shape::{
    has_grade, is_details, is_group_item, is_label, is_ungraded, says_loud, says_praise,
};
use super::super::tree::{Block, Item};
use super::super::unit::{Kind, Unit};
use super::super::verdict::stated_verdict;
use super::{LABEL, Walk};

/// So many fields at the beginning of a message tell about the message.
const MIN_FIELDS: usize = 3;

/// A title of so many words says what is wrong, even if places follow it.
const MIN_TITLE_WORDS: usize = 3;

impl Walk<'_> {
    pub(super) fn list(&mut self, items: &[Item]) {
        if self.is_about_message(items) {
            return;
        }
        let is_open = self.unit.as_ref().is_some_and(|unit| unit.kind != Kind::Item);
        let is_placed = self.unit.as_ref().is_some_and(Unit::is_located);
        let are_graded = has_grade(items);
        // One item that says where below a title is where that is.
        let is_titled = self.unit.as_ref().is_some_and(Unit::is_only_title);
        let is_about = is_titled && !are_graded && n_placed(items) == 1;
        let told = told_items(items).filter(|told| told.len() < items.len() || !is_open);
        if let Some(told) = told {
            // `- Good: …`, `- Gap: …`, `- Recommendation: …` tell about one thing.
            if !self.is_quiet() && !self.is_closing() {
                let unit = self.begin(Kind::Item);
                (unit.is_listed, unit.is_contrasted) = (true, told.len() < items.len());
                told.iter().for_each(|item| self.details(&item.blocks));
                self.close();
            }
            return;
        }
        // `1) Title` and its fields in a list of their own.
        let is_counted =
            self.unit.as_ref().is_some_and(|it| it.kind == Kind::Item && it.is_numbered);
        let are_fields = items.iter().filter_map(Item::first_line).all(|it| field(it).is_some());
        if is_counted && are_fields && items.len() > 1 {
            items.iter().for_each(|item| self.details(&item.blocks));
            return;
        }
        if is_open && (is_details(items) || is_placed && !are_graded || is_about) {
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

    /// `- **Author:** …`, `- **Diff size:** …` below the title of a message.
    fn is_about_message(&self, items: &[Item]) -> bool {
        let is_field = |item: &Item| {
            let bold = item.first_line().and_then(|line| line.strip_prefix("**"));
            let named = bold.and_then(|rest| rest.split_once("**"));
            named.is_some_and(|(name, rest)| name.ends_with(':') || rest.starts_with(':'))
        };
        let is_begin = self.sections.len() <= 1 && self.review.findings.is_empty();
        let below = self.sections.iter().filter(|it| it.level > 1);
        let is_loud = below.into_iter().any(|it| it.is_loud || it.worst.is_some());
        is_begin
            && !is_loud
            && self.unit.as_ref().is_none_or(|unit| unit.kind == Kind::Heading)
            && items.len() >= MIN_FIELDS
            && items.iter().all(is_field)
    }

    /// Whether nothing in this section named a line: then its items need not do it either.
    fn is_plain_list(&self) -> bool {
        let n_before = self.sections.last().map_or(0, |section| section.n_before);
        self.review.findings.iter().skip(n_before).all(|found| found.line.is_none())
    }

    fn item(&mut self, item: &Item) {
        let (lines, rest) = match item.blocks.split_first() {
            Some((Block::Text(lines), rest)) => (&lines[..], rest),
            _ => return self.blocks(&item.blocks),
        };
        let (first, more) = lines.split_first().expect("no text is empty");
        if let Some(nested) = nested(item, first, more) {
            return self.group(first, nested);
        }
        self.verdict = stated_verdict(first).or(self.verdict);
        let has_line = || place::with_line(first).is_some_and(|(_, line)| line.is_some());
        let is_none = says_none(first) || is_praising(first) || is_figure(first);
        if self.is_quiet() || self.is_closing() && !has_line() || is_none {
            return self.close();
        }
        let is_listed = self.is_plain_list();
        let unit = self.begin(Kind::Item);
        unit.is_listed = is_listed;
        unit.is_numbered = item.is_ordered;
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

/// The items of a list that are fields of one thing: one says what is wrong, at most one what to
/// do, and the rest praises.
fn told_items(items: &[Item]) -> Option<Vec<&Item>> {
    let named = |item: &&Item| item.first_line().and_then(field).map(|(field, _)| field);
    let praises = |item: &&Item| item.first_line().is_some_and(is_praised);
    let told: Vec<&Item> = items.iter().filter(|item| !praises(item)).collect();
    let count = |field: Field| told.iter().filter(|item| named(item) == Some(field)).count();
    let is_one = count(Field::Text) == 1 && count(Field::Repair) <= 1;
    (is_one && told.iter().all(|item| named(item).is_some())).then_some(told)
}

/// `**Found:** 17 (3 critical)`
fn is_figure(first: &str) -> bool {
    const MAX_WORDS: usize = 8;
    let bold = first.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    let value = bold.and_then(|(name, rest)| {
        let is_set_off = name.ends_with(':') || rest.starts_with(':');
        is_set_off.then(|| rest.trim_start_matches([':', ' ']))
    });
    value.is_some_and(|value| {
        let is_short = value.split_whitespace().count() <= MAX_WORDS;
        is_short && value.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Items that name a file.
fn n_placed(items: &[Item]) -> usize {
    let firsts = items.iter().filter_map(Item::first_line);
    firsts.filter(|line| place::with_line(line).is_some()).count()
}

/// `**Strengths:** …`
fn is_praising(first: &str) -> bool {
    let bold = first.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    let is_label = |name: &str| name.split_whitespace().count() <= 2 && is_quiet(name);
    bold.is_some_and(|(name, rest)| {
        let is_set_off = name.ends_with(':') || rest.starts_with(':');
        is_set_off && is_label(name) && field(first).is_none() && says_praise(name)
    })
}

/// The items below an item that only says what they are about.
fn nested<'a>(item: &'a Item, first: &str, more: &[String]) -> Option<&'a Vec<Item>> {
    let rest = item.blocks.get(1..).unwrap_or_default();
    let items = rest.iter().find_map(Block::items).filter(|_| more.is_empty())?;
    // `**Weaknesses:**`
    let is_sort = is_label(first) && (says_loud(first) || is_quiet(first));
    if is_sort && !item.is_ordered && field(first).is_none() && rest.len() == 1 {
        return Some(items);
    }
    let is_bold = first.starts_with("**") && !first.trim_end_matches([' ', ':']).contains(". ");
    let words = first.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_title = (is_bold || item.is_ordered) && words.count() >= MIN_TITLE_WORDS;
    let has_own = items.iter().filter_map(Item::first_line).any(|line| {
        place::with_line(line).is_some_and(|(_, line)| line.is_some()) || !is_ungraded(line)
    });
    let is_it = !is_details(items) && !is_one(rest) && is_group_item(first);
    (is_it && (has_own || !is_title)).then_some(items)
}

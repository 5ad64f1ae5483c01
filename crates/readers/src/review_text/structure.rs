//! How is a review built? Walks through the parts of its Markdown: headings open sections with a
//! severity, a file or no findings at all; headings, lines that stand out and items of lists begin
//! what may be a finding, and all that follows belongs to it until the next one begins.

use hardwon_core::event::VerdictStated;
use hardwon_core::list;

use super::line::led;
use super::section::is_quiet;
use super::table::Columns;
use super::tree::{Block, Item, blocks};
use super::unit::{Around, Kind, Place, Unit, without_number};
use super::words::{
    Field, Grade, behind_word, bracketed, field, graded, leading, line_lead, loose_row, only_grade,
    only_place, says_clean, says_none,
};
use super::{Review, Reviewer, fixed, is_failing, is_passing, place};

/// A label within a section: below every heading.
const LABEL: usize = 7;

/// What a reviewer's message says.
pub fn review(message: &str, by: &Reviewer<'_>) -> Review {
    let mut walk = Walk {
        by: *by,
        review: Review::default(),
        sections: Vec::new(),
        unit: None,
        pending: None,
        verdict: None,
    };
    walk.blocks(&blocks(message));
    walk.close();
    let mut review = walk.review;
    without_repeats(&mut review);
    let is_clean = review.findings.is_empty() && says_clean(message);
    let is_pass = walk.verdict.unwrap_or(is_clean.then_some(true));
    if walk.verdict.is_some() || is_clean {
        let author = by.name.to_owned();
        review.verdict = Some(VerdictStated { author, is_pass, ..VerdictStated::default() });
    }
    review
}

#[derive(Clone, Debug, Default)]
struct Section {
    level: usize,
    worst: Option<Grade>,
    place: Option<Place>,
    is_fixed: bool,
    is_quiet: bool,
    is_loud: bool,
}

struct Walk<'a> {
    by: Reviewer<'a>,
    review: Review,
    sections: Vec<Section>,
    unit: Option<Unit>,
    /// A grade on a line of its own, for what follows.
    pending: Option<Grade>,
    /// What a line stated, if one did.
    verdict: Option<Option<bool>>,
}

impl Walk<'_> {
    fn blocks(&mut self, all: &[Block]) {
        for block in all {
            match block {
                Block::Heading { level, text } => self.heading(*level, text),
                Block::Text(lines) => self.text(lines),
                Block::List(items) => self.list(items),
                Block::Table { titles, rows } => self.table(titles, rows),
                Block::Quote(inner) => self.quote(inner),
                Block::Code(code) => self.code(code),
                Block::Rule => self.close(),
            }
        }
    }

    fn around(&self) -> Around {
        let last =
            |get: &dyn Fn(&Section) -> Option<Grade>| self.sections.iter().rev().find_map(get);
        Around {
            worst: self.pending.or_else(|| last(&|section| section.worst)),
            place: self.sections.iter().rev().find_map(|section| section.place.clone()),
            is_fixed: self.sections.iter().any(|section| section.is_fixed),
            is_loud: self.sections.iter().any(|section| section.is_loud),
        }
    }

    fn is_quiet(&self) -> bool {
        self.sections.last().is_some_and(|section| section.is_quiet)
    }

    fn begin(&mut self, kind: Kind) -> &mut Unit {
        self.close();
        let unit = Unit::new(kind, self.around());
        self.unit.insert(unit)
    }

    /// Ends what was begun, and keeps it if it is a finding.
    fn close(&mut self) {
        let found = self.unit.take().and_then(|unit| unit.finding(&self.by));
        self.review.findings.extend(found);
    }

    fn heading(&mut self, level: usize, text: &str) {
        self.close();
        self.pending = None;
        self.sections.retain(|section| section.level < level);
        if text.is_empty() {
            return;
        }
        self.take_verdict(text);
        let section = self.section(level, text);
        let is_plain = section.worst.is_none() && section.place.is_none();
        let is_section = !is_plain || section.is_quiet || section.is_fixed || is_group(text);
        self.sections.push(section);
        if !is_section {
            self.begin(Kind::Heading).title(text);
        } else if let Some((found, grade)) =
            only_place(text).filter(|((_, line), _)| line.is_some())
        {
            let unit = self.begin(Kind::Heading);
            unit.place = Some(found);
            grade.into_iter().for_each(|grade| unit.grade(grade));
        }
    }

    /// What a heading says about what stands below it.
    fn section(&self, level: usize, text: &str) -> Section {
        let parent = self.sections.last().cloned().unwrap_or_default();
        let worst = only_grade(text);
        let is_loud = says_loud(text);
        let is_graded = worst.is_some() || leading(text).is_some_and(|(grade, _)| !grade.is_weak);
        let is_quiet = !is_graded && (is_quiet(text) || parent.is_quiet && !is_loud);
        let file = text.split_once(" (").map_or(text, |(before, _)| before);
        Section {
            level,
            worst,
            place: only_place(file).map(|(found, _)| found).filter(|(_, line)| line.is_none()),
            is_fixed: fixed::is_heading(text),
            is_quiet,
            is_loud,
        }
    }

    fn text(&mut self, lines: &[String]) {
        for (n, line) in lines.iter().enumerate() {
            self.take_verdict(line);
            if is_label(line) && lines.len() == 1 {
                self.label(line);
            } else if !self.is_quiet() && !says_none(line) {
                self.line(line, n == 0);
            }
        }
    }

    /// `**Changes that are required:**` begins a part of its own.
    fn label(&mut self, line: &str) {
        let is_below = field(line).is_some_and(|(_, value)| value.is_empty());
        if is_below && self.unit.is_some() {
            return;
        }
        self.close();
        self.sections.retain(|section| section.level < LABEL);
        let section = self.section(LABEL, line.trim_matches(['*', ':', ' ']));
        self.sections.push(section);
    }

    fn line(&mut self, line: &str, is_first: bool) {
        if is_first && line.ends_with(':') && only_grade(line).is_none() {
            self.pending = None;
        }
        if let Some((named, value)) = field(line) {
            return self.field(named, value, line);
        }
        if let Some(grade) = only_grade(line) {
            return match &mut self.unit {
                Some(unit) if unit.is_wordless() => unit.grade(grade),
                _ => {
                    self.close();
                    self.pending = Some(grade);
                }
            };
        }
        if let Some((found, grade)) = only_place(line) {
            return self.place(found, grade, line);
        }
        if let Some(cells) = loose_row(line) {
            return self.row(&cells);
        }
        if line_lead(line).is_some() && self.around().place.is_some() {
            return self.begin(Kind::Lead).title(line);
        }
        if let Some(unit) = self.unit.as_mut().filter(|unit| unit.is_wordless()) {
            return unit.title(line);
        }
        if self.begins(line, is_first) {
            return self.begin(Kind::Lead).title(line);
        }
        let is_of_prose = self.unit.as_ref().is_some_and(|unit| unit.kind == Kind::Prose);
        let named = place::with_line(line).filter(|(_, line)| line.is_some());
        let is_other = is_first && named.is_some() && (is_of_prose || self.unit.is_none());
        match &mut self.unit {
            _ if is_other => self.begin(Kind::Prose).title(line),
            Some(unit) => unit.take(line),
            None => {}
        }
    }

    /// A row without a table: a grade, a place, and what is left in its order.
    fn row(&mut self, cells: &[&str]) {
        let unit = self.begin(Kind::Lead);
        for cell in cells {
            if let Some(grade) = only_grade(cell) {
                unit.grade(grade);
            } else if let Some((found, _)) = only_place(cell) {
                unit.place = Some(found);
            } else if unit.is_wordless() {
                unit.title(cell);
            } else {
                unit.take_field(Field::Repair, cell, cell);
            }
        }
    }

    /// A field belongs to what is open, unless that has it already and says what is wrong.
    fn field(&mut self, named: Field, value: &str, line: &str) {
        let starts = matches!(named, Field::Severity | Field::Place | Field::Text);
        let is_new = self.unit.as_ref().is_none_or(|unit| {
            named == Field::Text && unit.has_field(Field::Text) && unit.kind == Kind::Lead
        });
        if is_new && starts {
            self.begin(Kind::Lead);
        }
        if let Some(unit) = &mut self.unit {
            unit.take_field(named, value, line);
        }
    }

    /// A line that only names a place: of what is open, or of what follows.
    fn place(&mut self, found: Place, grade: Option<Grade>, line: &str) {
        let is_missing = |unit: &&mut Unit| {
            let has_line = unit.place.as_ref().is_some_and(|(_, line)| line.is_some());
            !has_line && !unit.is_wordless() && grade.is_none()
        };
        let unit = match self.unit.as_mut().filter(is_missing) {
            Some(unit) => unit,
            None => self.begin(Kind::Lead),
        };
        unit.note(line);
        unit.place = Some(found);
        grade.into_iter().for_each(|grade| unit.grade(grade));
    }

    /// Whether a line begins something of its own.
    fn begins(&self, line: &str, is_first: bool) -> bool {
        let is_graded = leading(line).is_some_and(|(grade, rest)| {
            let is_long = rest.split_whitespace().count() > 1;
            let place = place::first_place(rest);
            // Programs begin what they print with `error:`; a reviewer says where as well.
            let is_loose = line.starts_with(char::is_alphanumeric);
            let is_printed = is_loose
                && ["error", "warn", "note", "info"].iter().any(|word| {
                    line.get(..word.len()).is_some_and(|first| first.eq_ignore_ascii_case(word))
                });
            let is_said =
                if is_loose { place.is_some() } else { !grade.is_weak || place.is_some() };
            is_long && is_said && !is_printed
        });
        let bold = line.strip_prefix("**").and_then(|rest| rest.split_once("**"));
        // `**Why it matters:** …` below a title tells more about that.
        let is_below = self.unit.as_ref().is_some_and(|unit| unit.kind == Kind::Heading);
        let is_bold = bold.is_some_and(|(title, _)| {
            title.split_whitespace().count() > 1 && !(is_below && title.ends_with(':'))
        });
        let is_numbered = without_number(line).len() < line.len();
        let is_led = led(line).is_some() || graded_place(line) || behind_word(line).is_some();
        is_graded || is_led || is_first && (is_bold || is_numbered && is_bold)
    }

    fn list(&mut self, items: &[Item]) {
        let is_open = self.unit.as_ref().is_some_and(|unit| unit.kind != Kind::Item);
        let is_placed = self.unit.as_ref().is_some_and(Unit::is_located);
        let is_graded =
            || items.iter().filter_map(Item::first_line).any(|line| leading(line).is_some());
        if is_open && (is_details(items) || is_placed && !is_graded()) {
            items.iter().for_each(|item| self.details(&item.blocks));
            return;
        }
        // Where others have a grade, an item without one is something else.
        let has_grade =
            |item: &&Item| item.first_line().is_some_and(|line| leading(line).is_some());
        let is_graded = items.iter().any(|item| has_grade(&item)) && self.around().worst.is_none();
        for item in items {
            let is_other = |line: &str| leading(line).is_none() && bracketed(line).0.is_none();
            match item.first_line().filter(|line| is_graded && is_other(line)) {
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
        let nested = rest.iter().find_map(|block| match block {
            Block::List(items) => Some(items),
            _ => None,
        });
        if let Some(nested) = nested.filter(|items| more.is_empty() && !is_details(items))
            && is_group_item(first)
        {
            return self.group(first, nested);
        }
        self.take_verdict(first);
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
        let section = self.section(level, title.trim_matches(['*', ':', ' ']));
        self.sections.push(section);
        items.iter().for_each(|item| self.item(item));
        self.close();
        self.sections.retain(|section| section.level < level);
    }

    /// Everything in it belongs to what is open.
    fn details(&mut self, all: &[Block]) {
        for block in all {
            match block {
                Block::Text(lines) => self.detail_lines(lines),
                Block::List(items) => items.iter().for_each(|item| self.details(&item.blocks)),
                Block::Quote(inner) => self.details(inner),
                Block::Code(code) => self.code(code),
                Block::Heading { text, .. } => self.detail_lines(std::slice::from_ref(text)),
                Block::Table { .. } | Block::Rule => {}
            }
        }
    }

    fn detail_lines(&mut self, lines: &[String]) {
        let Some(unit) = &mut self.unit else { return };
        for line in lines {
            match field(line) {
                Some((named, value)) => unit.take_field(named, value, line),
                None if unit.is_wordless() => unit.title(line),
                None => unit.take(line),
            }
        }
    }

    /// Of what is quoted only a place and what is said about a finding count.
    fn quote(&mut self, inner: &[Block]) {
        let texts = inner.iter().filter_map(|block| match block {
            Block::Text(lines) => Some(lines),
            _ => None,
        });
        for line in texts.flatten() {
            if let Some((named, value)) = field(line) {
                self.field(named, value, line);
            } else if let Some((found, grade)) = only_place(line) {
                self.place(found, grade, line);
            } else if let Some(unit) = &mut self.unit {
                unit.note(line);
            }
        }
    }

    fn code(&mut self, code: &str) {
        if let Some(unit) = &mut self.unit {
            unit.note("```");
            code.lines().for_each(|line| unit.note(line));
            unit.note("```");
        }
    }

    fn table(&mut self, titles: &[String], rows: &[Vec<String>]) {
        self.close();
        if self.sections.iter().any(|section| section.is_quiet && section.level < LABEL) {
            return;
        }
        let columns = Columns::of(titles);
        let around = self.around();
        for row in rows {
            let found = columns.finding(row, &self.by, around.worst.map(|grade| grade.worst));
            self.review.findings.extend(found.map(|mut found| {
                found.prose = Some(row.join(" | "));
                found
            }));
        }
    }

    /// `Verdict: PASS`, `Ready to merge? Yes`.
    fn take_verdict(&mut self, line: &str) {
        const NAMES: &[&str] = list!("reviews.txt", "verdict names");
        let line = line.replace("**", "").to_lowercase();
        let Some(at) = line.find([':', '?']).filter(|_| !line.starts_with('{')) else { return };
        let name = line[..at].trim_matches(|c: char| !c.is_alphabetic());
        if !NAMES.contains(&name) {
            return;
        }
        let word = line[at..].trim_start_matches(|c: char| !c.is_alphanumeric());
        let is_pass = match (is_failing(word) || word.starts_with("no"), is_passing(word)) {
            (true, _) => Some(false),
            (false, is_passing) => (is_passing || word.starts_with("yes")).then_some(true),
        };
        if is_pass.is_some() || name == "verdict" {
            self.verdict = Some(is_pass);
        }
    }
}

/// Whether a line only announces what follows.
fn is_label(line: &str) -> bool {
    let bare = line.trim_end_matches(['*', '_', ' ']);
    let is_bold = line.starts_with("**") && line.trim_end().ends_with("**");
    let is_short = line.split_whitespace().count() <= 8 && !bare.contains(". ");
    bare.ends_with(':')
        && is_short
        && only_place(line).is_none()
        && (is_bold || is_quiet(line) || says_loud(line))
}

/// Whether a heading names a sort of things or the message itself, not one thing.
fn is_group(text: &str) -> bool {
    const TITLES: &[&str] = list!("reviews.txt", "titles");
    let is_counted = text.trim_end().strip_suffix(')').is_some_and(|rest| {
        let inside = rest.rsplit_once('(').map_or("", |(_, inside)| inside);
        !inside.is_empty() && inside.chars().all(|c| c.is_ascii_digit())
    });
    let words = || text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_title = |word: &str| TITLES.contains(&word.to_lowercase().trim_end_matches('s'));
    let is_named = text.trim_end_matches(':').contains(": ");
    let is_sort = says_loud(text) && words().count() <= 4 && !is_named;
    (is_counted || is_sort) && without_number(text).len() == text.len() || words().all(is_title)
}

/// Whether an item with items below it only says what they are about.
fn is_group_item(text: &str) -> bool {
    let is_short = text.split_whitespace().count() <= 4 && !text.ends_with('.');
    let names_file = only_place(text).is_some_and(|((_, line), _)| line.is_none());
    let is_placed = place::first_place(text).is_some();
    only_grade(text).is_some() || names_file || is_short && !is_placed && leading(text).is_none()
}

/// Whether the items of a list tell more about one thing: a field, or only a place, is among them,
/// or none of them has a place or a grade of its own.
fn is_details(items: &[Item]) -> bool {
    let firsts: Vec<&str> = items.iter().filter_map(Item::first_line).collect();
    let has_line = |line: &str| only_place(line).is_some_and(|((_, line), _)| line.is_some());
    let is_detail = |line: &&str| field(line).is_some() || has_line(line);
    let is_own = |line: &&str| {
        led(line).is_some()
            || leading(line).is_some()
            || line_lead(line).is_some()
            || only_grade(line).is_some()
            || place::with_line(line).is_some()
    };
    firsts.iter().any(is_detail) || !firsts.iter().any(is_own)
}

/// Whether a line begins with a place and a grade in brackets: `src/a.rs:3 (bug): …`.
fn graded_place(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_place =
        words.next().is_some_and(|word| place::place(word).is_some_and(|(_, line)| line.is_some()));
    let grade = words.next().filter(|word| word.starts_with(['(', '[']));
    is_place && grade.is_some_and(|word| graded(word).is_some())
}

fn says_loud(text: &str) -> bool {
    const LOUD: &[&str] = list!("reviews.txt", "loud");
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    words.into_iter().any(|word| LOUD.contains(&word.to_lowercase().trim_end_matches('s')))
}

/// A message may list its findings once in short and once with their places: what has no place and
/// says the same as one that has goes.
fn without_repeats(review: &mut Review) {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3);
        words.map(|word| word.to_lowercase().trim_end_matches('s').to_owned()).collect()
    };
    let placed: Vec<(Option<String>, Vec<String>)> = review
        .findings
        .iter()
        .filter(|found| found.path.is_some())
        .map(|found| (found.severity.clone(), words(&found.text)))
        .collect();
    review.findings.retain(|found| {
        let own = words(&found.text);
        let is_same = |(severity, words): &(Option<String>, Vec<String>)| {
            let n_shared = own.iter().filter(|word| words.contains(word)).count();
            *severity == found.severity && n_shared >= 2
        };
        found.path.is_some() || !placed.iter().any(is_same)
    });
}

//! How is a review built? Walks through the parts of its Markdown: headings open sections with a
//! severity, a file or no findings at all; headings, lines that stand out and items of lists begin
//! what may be a finding, and all that follows belongs to it until the next one begins.

mod details;
mod items;
mod lines;

use super::field::field_of_heading;
use super::outline::{Below, below, names_lines, stated_place};
use super::place::Place;
use super::repeats::{merge_codes, without_repeats, without_summary};
use super::section::{is_praise, is_quiet, is_quiet_matter, says_nothing_found};
use super::shape::{is_group, names_sort, says_closing, says_guide, says_loud, sorted_place};
use super::title::{is_bare, is_numbered};
use super::tree::{Block, blocks};
use super::unit::{Around, Kind, Unit};
use super::verdict::{stated_verdict, verdict};
use super::words::{Grade, behind_label, first_grade, leading, only_grade, only_place};
use super::{Review, Reviewer, fixed, place};

/// A longer heading says more than what sort of things stand below it.
const MAX_QUIET_WORDS: usize = 8;

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
        one: None,
        is_whole: false,
        has_begun: false,
        stated: None,
        codes: Vec::new(),
        is_strict: false,
        has_none: false,
        is_guide: false,
        closes: false,
        verdict: None,
    };
    let all = blocks(message);
    walk.is_strict = n_graded(&all) > 1;
    walk.blocks(&all);
    walk.close();
    let mut review = walk.review;
    merge_codes(&mut review, &walk.codes);
    if walk.is_guide {
        review.findings.retain(|found| found.line.is_some());
    }
    if walk.has_none && review.findings.iter().all(|found| found.path.is_none()) {
        // What a message goes on to list is what was not looked at.
        review.findings.clear();
        walk.verdict = walk.verdict.or(Some(Some(true)));
    }
    without_repeats(&mut review);
    without_summary(&mut review);
    review.verdict = verdict(walk.verdict, message, &review, by);
    review
}

/// Items that have a grade behind a label of their own.
fn n_graded(all: &[Block]) -> usize {
    let items = all.iter().filter_map(Block::items).flatten();
    items.filter(|item| item.first_line().is_some_and(|it| behind_label(it).is_some())).count()
}

#[derive(Clone, Debug, Default)]
struct Section {
    level: usize,
    worst: Option<Grade>,
    place: Option<Place>,
    is_fixed: bool,
    is_quiet: bool,
    is_loud: bool,
    /// At the end of a message: what to do about what was reported before.
    is_closing: bool,
    /// It sums up the message.
    is_summary: bool,
    /// It is the title of the message.
    is_title: bool,
    /// How many findings stood before it.
    n_before: usize,
}

struct Walk<'a> {
    by: Reviewer<'a>,
    review: Review,
    sections: Vec<Section>,
    unit: Option<Unit>,
    /// A grade on a line of its own, for what follows.
    pending: Option<Grade>,
    /// All that follows, up to the next heading, tells about what is open; the level of that.
    one: Option<usize>,
    /// Likewise, with headings of its own.
    is_whole: bool,
    /// The first heading was read.
    has_begun: bool,
    /// The place that is stated below the heading that is read, for all that follows.
    stated: Option<Place>,
    /// The code of each finding, where the message gives it one.
    codes: Vec<Option<String>>,
    /// The message grades its items.
    is_strict: bool,
    /// A heading says that nothing was found.
    has_none: bool,
    /// The message says how to review, and is none itself.
    is_guide: bool,
    /// The heading that is read begins what repeats what to do.
    closes: bool,
    /// What a line stated, if one did.
    verdict: Option<Option<bool>>,
}

impl Walk<'_> {
    fn blocks(&mut self, all: &[Block]) {
        for (at, block) in all.iter().enumerate() {
            match block {
                Block::Heading { level, text } if self.is_detail(*level, text) => {
                    self.details(std::slice::from_ref(block));
                }
                Block::Heading { level, text } => {
                    let rest = &all[at + 1..];
                    self.closes = self.is_closed_by(*level, text) && !names_lines(*level, rest);
                    let is_among = self.is_within(*level);
                    let below = below(*level, text, rest, is_among);
                    self.stated = stated_place(*level, rest).filter(|_| below == Below::Parts);
                    self.heading(*level, text, below);
                }
                Block::Rule => self.end_of_one(),
                block if self.one.is_some() => self.details(std::slice::from_ref(block)),
                Block::Text(lines) => {
                    let is_above = matches!(all.get(at + 1), Some(Block::List(_)));
                    self.text(lines, is_above);
                }
                Block::List(items) => self.list(items),
                Block::Table { titles, rows } => self.table(titles, rows),
                Block::Quote(inner) => self.quote(inner),
                Block::Code(code) => self.code(code),
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
            is_strict: self.is_strict,
        }
    }

    fn is_quiet(&self) -> bool {
        self.sections.last().is_some_and(|section| section.is_quiet)
    }

    fn is_closing(&self) -> bool {
        self.sections.last().is_some_and(|section| section.is_closing)
    }

    fn begin(&mut self, kind: Kind) -> &mut Unit {
        self.close();
        let unit = Unit::new(kind, self.around());
        self.unit.insert(unit)
    }

    /// Ends what was begun, and keeps it if it is a finding.
    fn close(&mut self) {
        let Some(unit) = self.unit.take() else { return };
        let code = unit.code.clone();
        if let Some(found) = unit.finding(&self.by) {
            self.codes.push(code);
            self.review.findings.push(found);
        }
    }

    fn end_of_one(&mut self) {
        self.close();
        self.one = None;
    }

    /// Whether a heading only names a field of what is open.
    fn is_detail(&self, level: usize, text: &str) -> bool {
        let is_told = self.is_whole || field_of_heading(text).is_some();
        self.one.is_some_and(|own| own < level) && is_told
    }

    fn heading(&mut self, level: usize, text: &str, below: Below) {
        self.end_of_one();
        self.pending = None;
        self.sections.retain(|section| section.level < level);
        if text.is_empty() {
            return;
        }
        self.verdict = stated_verdict(text).or(self.verdict);
        self.has_none |= says_nothing_found(text);
        self.is_guide |= !self.has_begun && says_guide(text);
        let mut section = self.section(level, text);
        if section.is_closing {
            self.has_begun = true;
            return self.sections.push(section);
        }
        let is_plain = section.worst.is_none() && section.place.is_none();
        if below == Below::Parts {
            // What has parts is none itself; the grade that it begins with is that of the parts.
            section.worst = section.worst.or_else(|| leading(text).map(|(grade, _)| grade));
            section.worst = section.worst.or_else(|| first_grade(text));
            let file = place::first_place(text).filter(|(_, line)| line.is_none());
            section.place = section.place.or(file).or(self.stated.take());
            // The title of the whole message says nothing about its parts.
            section.is_quiet &= self.has_begun;
            self.has_begun = true;
            return self.sections.push(section);
        }
        self.has_begun = true;
        if stated_verdict(text).is_some() {
            section.is_quiet = true;
            return self.sections.push(section);
        }
        let is_one = matches!(below, Below::One | Below::Whole) && is_plain && !is_bare(text);
        let is_one = is_one && !names_sort(text);
        section.is_quiet &= !(is_one && (is_numbered(text) || self.is_among_findings()));
        let is_group = !is_one && is_group(text);
        let is_section = !is_plain || section.is_quiet || section.is_fixed || is_group;
        self.sections.push(section);
        self.one = (is_one && !is_section).then_some(level);
        self.is_whole = below == Below::Whole;
        if !is_section {
            let is_numbered = is_numbered(text);
            let unit = self.begin(Kind::Heading);
            unit.is_numbered = is_one && is_numbered;
            unit.title(text);
        } else if let Some((found, grade)) =
            only_place(text).filter(|((_, line), _)| line.is_some())
        {
            let unit = self.begin(Kind::Heading);
            unit.place = Some(found);
            grade.into_iter().for_each(|grade| unit.grade(grade));
        }
    }

    /// The section of the last heading.
    fn last_heading(&self) -> Option<&Section> {
        self.sections.iter().rev().find(|section| section.level < LABEL)
    }

    /// Whether a heading of this level stands in a section of findings.
    fn is_within(&self, level: usize) -> bool {
        let mut above = self.sections.iter().filter(|it| it.level < level && !it.is_title);
        above.any(|it| (it.is_loud || it.worst.is_some()) && !it.is_quiet)
    }

    /// Whether the section around is one of findings.
    fn is_among_findings(&self) -> bool {
        // The title of the whole message does not make its summary a finding.
        let around = self.sections.iter().rev().filter(|section| !section.is_title);
        !self.is_quiet() && around.into_iter().any(|it| it.is_loud || it.worst.is_some())
    }

    /// Whether a heading begins the part of a message that repeats what to do.
    fn is_closed_by(&self, level: usize, text: &str) -> bool {
        let n_above = self.sections.iter().filter(|section| section.level < level).count();
        let has_found = !self.review.findings.is_empty() || self.unit.is_some();
        n_above <= 1 && has_found && says_closing(text)
    }

    /// What a heading says about what stands below it.
    fn section(&self, level: usize, text: &str) -> Section {
        let parent = self.sections.last().cloned().unwrap_or_default();
        let worst = only_grade(text);
        let is_loud = says_loud(text);
        let is_graded = worst.is_some() || leading(text).is_some_and(|(grade, _)| !grade.is_weak);
        let is_short = text.split_whitespace().count() <= MAX_QUIET_WORDS;
        let is_within = !parent.is_title && (parent.is_loud || parent.worst.is_some());
        let is_said = is_quiet(text) && !(is_within && is_quiet_matter(text));
        let is_own = is_short && is_said || is_praise(text) && leading(text).is_none();
        let is_quiet = !is_graded && (is_own || parent.is_quiet && !is_loud);
        let place = only_place(text.split_once(" (").map_or(text, |(before, _)| before));
        let place = place.map(|(found, _)| found).or_else(|| sorted_place(text));
        Section {
            level,
            worst,
            place: place.filter(|(_, line)| line.is_none()),
            is_fixed: fixed::is_heading(text),
            is_quiet,
            is_loud,
            is_closing: parent.is_closing || self.closes,
            is_summary: text.to_lowercase().contains("summary"),
            is_title: !self.has_begun && level == 1,
            n_before: self.review.findings.len(),
        }
    }
}

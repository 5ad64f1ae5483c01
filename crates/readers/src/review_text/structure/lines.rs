//! The lines of a review: labels that begin a part, fields and places of what is open, and lines that
//! begin something of their own.

use super::super::field::{Field, field};
use super::super::line::led;
use super::super::place::{self, Place};
use super::super::said::{begins_with_none, says_none};
use super::super::section::says_nothing_found;
use super::super::shape::{graded_place, is_bold_label, is_label, is_plain_label, says_closing};
use super::super::title::is_numbered;
use super::super::unit::{Kind, Unit};
use super::super::verdict::stated_verdict;
use super::super::words::{
    Grade, behind_word, leading, line_lead, loose_row, only_grade, only_place, tail_mark,
};
use super::{LABEL, Walk};

impl Walk<'_> {
    pub(super) fn text(&mut self, lines: &[String], is_above_list: bool) {
        for (n, line) in lines.iter().enumerate() {
            self.verdict = stated_verdict(line).or(self.verdict);
            let is_title =
                is_label(line) || is_above_list && (is_bold_label(line) || is_plain_label(line));
            if (says_nothing_found(line) || n == 0 && begins_with_none(line))
                && let Some(section) = self.sections.last_mut()
            {
                // What follows tells what was looked at.
                section.is_quiet = true;
            }
            if is_title && lines.len() == 1 {
                self.label(line);
            } else if !self.is_quiet() && !self.is_closing() && !says_none(line) {
                self.line(line, n == 0);
            }
        }
    }

    /// `**Changes that are required:**` begins a part of its own.
    pub(super) fn label(&mut self, line: &str) {
        let is_below = field(line).is_some_and(|(_, value)| value.is_empty());
        if let Some(unit) = self.unit.as_mut().filter(|_| is_below) {
            if let Some((named, _)) = field(line) {
                unit.take_field(named, "", line);
            }
            return;
        }
        self.close();
        self.sections.retain(|section| section.level < LABEL);
        let is_quiet = self.is_quiet();
        let title = line.trim_matches(['*', ':', ' ']);
        let mut section = self.section(LABEL, title);
        section.worst = section.worst.or_else(|| tail_mark(title));
        section.is_quiet |=
            is_quiet && section.worst.is_none() || title.ends_with(['✅', '✔', '✓']);
        section.is_loud |= section.worst.is_some();
        let has_found =
            self.review.findings.len() > self.last_heading().map_or(0, |it| it.n_before);
        section.is_closing |= has_found && says_closing(title);
        self.sections.push(section);
    }

    pub(super) fn line(&mut self, line: &str, is_first: bool) {
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
        // The line below a title begins with the place of that.
        let is_bare = self.unit.as_ref().is_some_and(Unit::is_only_title);
        if let Some(unit) =
            self.unit.as_mut().filter(|_| is_bare && !is_first && led(line).is_some())
        {
            return unit.take(line);
        }
        if self.begins(line, is_first) {
            let unit = self.begin(Kind::Lead);
            unit.is_numbered = line.starts_with("**") && is_numbered(line);
            return unit.title(line);
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

    /// A field belongs to what is open, unless that has it already and says what is wrong.
    pub(super) fn field(&mut self, named: Field, value: &str, line: &str) {
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
    pub(super) fn place(&mut self, found: Place, grade: Option<Grade>, line: &str) {
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
    pub(super) fn begins(&self, line: &str, is_first: bool) -> bool {
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
        let is_led = led(line).is_some() || graded_place(line) || behind_word(line).is_some();
        is_graded || is_led || is_first && is_bold
    }
}

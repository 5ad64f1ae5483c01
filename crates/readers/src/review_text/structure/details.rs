//! What belongs to the part of a review that is open: lines and fields below it, what is quoted, and
//! tables, whose rows are parts of their own.

use hardwon_core::event::FindingStated;

use super::super::field::{Field, field, field_of_heading};
use super::super::repeats::is_index;
use super::super::table::Columns;
use super::super::title::code;
use super::super::tree::Block;
use super::super::unit::Kind;
use super::super::words::{only_grade, only_place};
use super::{LABEL, Section, Walk};

impl Walk<'_> {
    /// Everything in it belongs to what is open.
    pub(super) fn details(&mut self, all: &[Block]) {
        for block in all {
            match block {
                Block::Text(lines) => self.detail_lines(lines),
                Block::List(items) => items.iter().for_each(|item| self.details(&item.blocks)),
                Block::Quote(inner) => self.details(inner),
                Block::Code(code) => self.code(code),
                Block::Heading { text, .. } => self.headed_detail(text),
                Block::Table { .. } | Block::Rule => {}
            }
        }
    }

    /// `### Recommended fix` within a finding.
    pub(super) fn headed_detail(&mut self, text: &String) {
        match (field_of_heading(text), &mut self.unit) {
            (Some(named), Some(unit)) => unit.take_field(named, "", text),
            (None, Some(unit)) if self.is_whole => unit.take_field(Field::Other, "", text),
            _ => self.detail_lines(std::slice::from_ref(text)),
        }
    }

    pub(super) fn detail_lines(&mut self, lines: &[String]) {
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
    pub(super) fn quote(&mut self, inner: &[Block]) {
        for line in inner.iter().flat_map(Block::lines) {
            if let Some((named, value)) = field(line) {
                self.field(named, value, line);
            } else if let Some((found, grade)) = only_place(line) {
                self.place(found, grade, line);
            } else if let Some(unit) = &mut self.unit {
                unit.note(line);
            }
        }
    }

    pub(super) fn code(&mut self, code: &str) {
        if let Some(unit) = &mut self.unit {
            unit.note("```");
            code.lines().for_each(|line| unit.note(line));
            unit.note("```");
        }
    }

    pub(super) fn table(&mut self, titles: &[String], rows: &[Vec<String>]) {
        let around = self.sections.iter().rev().find(|section| section.level < LABEL);
        let columns = Columns::of(titles);
        // A summary may be the table of the findings.
        let is_quiet = |it: &Section| it.is_quiet && !(it.is_summary && columns.lists_findings());
        if around.is_some_and(|section| is_quiet(section) || section.is_closing) {
            return;
        }
        let around = self.around();
        let mut codes = Vec::new();
        let found = rows.iter().filter_map(|row| {
            let worst = around.worst.map(|grade| grade.worst);
            let mut found = columns.finding(row, &self.by, worst)?;
            found.prose = Some(row.join(" | "));
            codes.push(row.first().and_then(|cell| code(cell)));
            Some(found)
        });
        let mut found: Vec<FindingStated> = found.collect();
        if found.is_empty() {
            // It tells about what is open.
            return;
        }
        self.close();
        if is_index(&found, &self.review.findings) {
            let mut kept = found.iter().map(|found| found.line.is_some());
            codes.retain(|_| kept.next().unwrap_or(false));
            found.retain(|found| found.line.is_some());
        }
        self.codes.extend(codes);
        self.review.findings.extend(found);
    }

    /// A row without a table: a grade, a place, and what is left in its order.
    pub(super) fn row(&mut self, cells: &[&str]) {
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
}

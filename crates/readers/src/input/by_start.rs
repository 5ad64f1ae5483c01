//! What reads an input, by what its start shows or by the format that is named?

use std::io::{self, Cursor, Read};

use hardwon_core::event::Record;
use hardwon_core::lesson::Origin;

use crate::detect::Format;
use crate::report::Report;
use crate::{
    Limits, atif, cast, eslint, github, harbor, jkz, junit, pytest, rdjson, report_head, sarif,
    terminal_bench,
};

/// Reads an input of which the start shows that it is a recording of a terminal or a
/// trajectory.
pub(super) fn read_by_start(
    limits: Limits,
    input: &str,
    head: &[u8],
    reader: &mut dyn Read,
    format: Option<Format>,
) -> Option<io::Result<Record>> {
    let may_be = |wanted: Format| format.is_none_or(|format| format == wanted);
    let is_atif = format == Some(Format::Atif) || format.is_none() && report_head::is_atif(head);
    let whole = Cursor::new(head).chain(reader);
    if may_be(Format::RunLog) && cast::is_cast(head) {
        let mut report = Report::new(input, limits);
        let read = cast::read(&mut { whole }, &mut report);
        let agents = |record| Record { channel: Some(Origin::Agent), is_report: false, ..record };
        Some(read.map(|()| agents(report.finish())))
    } else if is_atif && !head.trim_ascii().is_empty() {
        Some(atif::read(input, limits, head, whole))
    } else {
        None
    }
}

pub(super) type ReportReader = fn(&mut dyn Read, &mut Report) -> io::Result<()>;

/// What reads a report that is one document.
pub(super) fn report_reader(format: Option<Format>) -> Option<ReportReader> {
    match format? {
        Format::Sarif => Some(sarif::read),
        Format::Junit => Some(junit::read),
        Format::Rdjson => Some(rdjson::read),
        Format::Github => Some(github::read),
        Format::Pytest => Some(pytest::read),
        Format::Eslint => Some(eslint::read),
        Format::HarborResult => Some(harbor::read),
        Format::TerminalBench => Some(terminal_bench::read),
        Format::Deliberation => Some(jkz::deliberations),
        _ => None,
    }
}

/// Whether an input begins with the mark of UTF-16: some shells write every output so. Every
/// format has ASCII in it, which UTF-16 writes with zeros: without any, the mark is a broken line.
pub(super) fn is_utf_16(head: &[u8]) -> bool {
    let is_marked = head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF");
    is_marked && (head.len() == 2 || head[2..].contains(&0))
}

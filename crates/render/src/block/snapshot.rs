//! What a compacted session is told of itself: quotations, since nobody is to follow them.

use hardwon_core::gate::as_name;
use hardwon_core::prompt::{printed, printed_path};
use hardwon_core::snapshot::{OpenFinding, Snapshot};

use super::tried::quoted;

/// Of a text so many characters are shown.
const MAX_CHARS: usize = 240;

/// The lines of a snapshot, the most important first.
pub fn snapshot_lines(snapshot: &Snapshot) -> Vec<String> {
    let asked = [("asked first", &snapshot.asked.first), ("asked last", &snapshot.asked.last)];
    let asked = asked.into_iter().filter_map(|(when, text)| {
        Some(format!(
            "- Before the compaction this session was {when}: {}",
            quoted(text.as_deref()?, MAX_CHARS)
        ))
    });
    let findings = snapshot.findings.iter().map(finding_line);
    let tried = snapshot.tried.iter();
    let tried = tried.map(|text| format!("- Seen in this session: {}", quoted(text, MAX_CHARS)));
    asked.chain(findings).chain(tried).map(|line| printed(&line)).collect()
}

fn finding_line(finding: &OpenFinding) -> String {
    let path = finding.place.as_deref().map(|place| place.split_once(':').unwrap_or((place, "")));
    let place = path.and_then(|(path, line)| {
        let path = printed_path(path)?;
        let is_line = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
        Some(if is_line { format!(" in {path}:{line}") } else { format!(" in {path}") })
    });
    let author = as_name(&finding.author).unwrap_or("a reviewer");
    let place = place.unwrap_or_default();
    format!("- Still open{place}, by {author}: {}", quoted(&finding.text, MAX_CHARS))
}

//! Other systems' memory files, and our journal beside them: every byte is kept, and what
//! was understood is understood again after it was written.

use hardwon_core::foreign::ArcheflowLesson;
use hardwon_core::ids::ProjectId;
use hardwon_readers::{archeflow_audit, archeflow_index, archeflow_lesson, archeflow_lessons};
use hardwon_render::archeflow;
use hardwon_store::JournalLine;

/// `lessons.jsonl`, `audit.jsonl` and the index of runs.
pub fn archeflow_memory(bytes: &[u8]) {
    let (lessons, _) = archeflow_lessons("x", bytes);
    assert_eq!(archeflow::bytes(&lessons), bytes, "a file is not written back as it was");
    for line in &lessons.lines {
        if let Some(record) = &line.record {
            check_lesson(&line.raw, record);
        }
    }
    let (audit, _) = archeflow_audit("x", bytes);
    assert_eq!(archeflow::bytes(&audit), bytes);
    for record in audit.lines.iter().filter_map(|line| line.record.as_ref()) {
        let written = archeflow::audit_line(record);
        let (again, problems) = archeflow_audit("x", written.as_bytes());
        assert!(problems.is_empty(), "{problems:?}");
        assert!(again.lines[0].record.is_some(), "{written}");
    }
    archeflow_index("x", bytes);
}

fn check_lesson(raw: &[u8], record: &ArcheflowLesson) {
    assert_eq!(archeflow::patched(raw, record, record), raw, "no change, yet other bytes");
    let written = archeflow::line(record);
    let again = archeflow_lesson(&written).expect("a written line is one that can be read");
    // Times are written in whole seconds.
    assert_eq!(ArcheflowLesson { ts: record.ts, ..again }, *record, "{written}");
    let changed = ArcheflowLesson { frequency: record.frequency ^ 1, ..record.clone() };
    let patched = archeflow::patched(raw, record, &changed);
    let text = String::from_utf8(patched).expect("what was read as JSON stays text");
    let content = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let again = archeflow_lesson(content.strip_suffix('\r').unwrap_or(content));
    assert_eq!(again.map(|lesson| lesson.frequency), Some(changed.frequency), "{text}");
}

/// A line of our journal.
pub fn journal_line(bytes: &[u8]) {
    let project = ProjectId::new("fuzz");
    for line in String::from_utf8_lossy(bytes).lines() {
        if let Ok(line) = JournalLine::decode(line, &project) {
            let again = JournalLine::decode(&line.encode(), &project);
            assert_eq!(again.as_ref(), Ok(&line), "not what was written");
        }
    }
}

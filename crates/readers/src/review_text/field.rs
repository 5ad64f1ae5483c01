//! Which field of a finding does a line or a heading state? The names stand in a data file.

use hardwon_core::list;

/// What a line with a name and a colon tells about a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Place,
    Line,
    Severity,
    Text,
    Repair,
    Status,
    Category,
    Other,
}

/// The field of a line and its value: `**File:** src/a.rs:12`, `Fix: bind it`.
pub fn field(line: &str) -> Option<(Field, &str)> {
    let at =
        line.find(':').or_else(|| line.starts_with("**").then(|| line.find(" — ")).flatten())?;
    let is_around = |c: char| !c.is_alphanumeric();
    let name = line[..at].trim_matches(is_around).to_lowercase();
    // `Proposed fix (preferred):`
    let name = name.split_once(" (").map_or(name.as_str(), |(before, _)| before);
    // `Fix / mitigation:`
    let field =
        field_named(name).or_else(|| name.split('/').find_map(|it| field_named(it.trim())))?;
    let rest = &line[at..];
    let rest = rest.strip_prefix(" — ").unwrap_or_else(|| rest.trim_start_matches(':'));
    Some((field, rest.trim_start_matches(['*', '_', ' ']).trim_end()))
}

fn field_named(name: &str) -> Option<Field> {
    const NAMES: [(Field, &[&str]); 8] = [
        (Field::Place, list!("review_fields.txt", "place")),
        (Field::Line, list!("review_fields.txt", "line")),
        (Field::Severity, list!("review_fields.txt", "severity")),
        (Field::Text, list!("review_fields.txt", "text")),
        (Field::Repair, list!("review_fields.txt", "repair")),
        (Field::Status, list!("review_fields.txt", "status")),
        (Field::Category, list!("review_fields.txt", "category")),
        (Field::Other, list!("review_fields.txt", "other")),
    ];
    let exact = NAMES.iter().find(|(_, names)| names.contains(&name)).map(|(field, _)| *field);
    exact.or_else(|| field_by_word(name))
}

/// A field by the word that counts in its name: `fix direction`, `required remediation`.
fn field_by_word(name: &str) -> Option<Field> {
    const WORDS: [(Field, &[&str]); 2] = [
        (Field::Repair, list!("review_fields.txt", "repair words")),
        (Field::Place, list!("review_fields.txt", "place words")),
    ];
    let words: Vec<&str> = name.split_whitespace().collect();
    let is_name = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || c == '-');
    let is_it =
        |known: &[&str]| words.iter().any(|word| known.contains(&word.trim_end_matches('s')));
    let is_short = (2..=3).contains(&words.len()) && words.iter().all(is_name);
    WORDS.iter().find(|(_, known)| is_short && is_it(known)).map(|(field, _)| *field)
}

/// The field that a heading only names: `### Recommended fix`, `#### Impact`.
pub fn field_of_heading(heading: &str) -> Option<Field> {
    let name = heading.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_sort = matches!(name.as_str(), "issues" | "findings" | "recommendations" | "summary");
    field_named(&name).filter(|_| !is_sort && name.split(' ').count() <= 3)
}

//! Which words of a line grade a finding, name a field of it, ask for a repair, or say that there
//! is nothing? The words themselves stand in data files.

use hardwon_core::finding::Severity;
use hardwon_core::list;

use super::line::{is_grade, marked, tailed};
use super::place::Place;
use super::{place, severity};

/// A severity as a text states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grade {
    pub worst: Severity,
    /// By a word that also begins remarks: what it grades has to name a place.
    pub is_weak: bool,
}

/// A severity by its word, also the rarer ones.
pub fn graded(word: &str) -> Option<Grade> {
    const GRADED: &[&str] = list!("reviews.txt", "graded");
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    // `SEV-1`, `P-2`
    let joined = word.split_once('-').filter(|(name, number)| {
        matches!(*name, "sev" | "p") && number.chars().all(|c| c.is_ascii_digit())
    });
    let word = joined.map_or(word.clone(), |(name, number)| format!("{name}{number}"));
    let rare = || {
        let pairs = GRADED.iter().filter_map(|pair| pair.split_once(' '));
        pairs
            .into_iter()
            .find(|(known, _)| *known == word)
            .and_then(|(_, as_word)| severity(as_word))
    };
    let worst = severity(&word).or_else(rare)?;
    let remarks = ["note", "notes", "info", "informational"];
    let is_weak = worst == Severity::Recommendation || remarks.contains(&word.as_str());
    Some(Grade { worst, is_weak })
}

/// A severity by the first mark of a text that is one.
fn by_mark(text: &str) -> Option<Grade> {
    const MARKS: &[&str] = list!("reviews.txt", "marks");
    let pairs = || MARKS.iter().filter_map(|pair| pair.split_once(' '));
    let mut chars = text.chars().take_while(|c| !c.is_alphanumeric());
    let word = chars.find_map(|c| pairs().find(|(mark, _)| mark.starts_with(c)))?.1;
    graded(word)
}

/// The severity of a heading's first word: `P1 (high impact) improvements`.
pub fn first_grade(heading: &str) -> Option<Grade> {
    let first = heading.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty())?;
    graded(first).filter(|grade| !grade.is_weak)
}

/// A severity by a mark at the end of a title: `Remove the second dependency ⚠️`.
pub fn tail_mark(text: &str) -> Option<Grade> {
    let is_around = |c: char| c.is_whitespace() || matches!(c, '*' | '\u{fe0f}');
    let last = text.trim_end_matches(is_around).rsplit(is_around).next()?;
    by_mark(last).filter(|_| !last.contains(char::is_alphanumeric))
}

/// A title that begins with a file, and what follows it: `package.json - Remove …`.
pub fn led_file(title: &str) -> Option<(Place, &str)> {
    let (first, rest) = title.split_once([' ', ':'])?;
    let rest = rest.trim_start();
    let is_set_off =
        title[first.len()..].starts_with(':') || rest.starts_with(['-', '–', '—', ':']);
    let rest = rest.trim_start_matches(['-', '–', '—', ':', ' ']);
    let found = place::place(first).filter(|_| is_set_off && rest.split(' ').count() > 1)?;
    Some((found, rest))
}

/// The severity that a text begins with, set off by a mark, brackets, stars or a colon, and the
/// rest of the text.
pub fn leading(text: &str) -> Option<(Grade, &str)> {
    let text = text.trim_start();
    if let Some(mark) = marked(text).filter(|_| !begins_words(text)) {
        let is_weak = mark.is_remark || mark.worst == Severity::Recommendation;
        // A code span that follows keeps its first tick.
        let from = text.len() - mark.rest.len();
        let is_torn = mark.rest.matches('`').count() % 2 == 1;
        let tick =
            text[..from].rfind('`').filter(|tick| is_torn && !text[*tick..from].contains(' '));
        let rest = tick.map_or(mark.rest, |tick| &text[tick..]);
        // `BUG - MEDIUM: …` says what it is, and then how bad.
        let second = leading(rest).filter(|(grade, _)| !mark.is_grade && !grade.is_weak);
        if let Some(second) = second {
            return Some(second);
        }
        return Some((Grade { worst: mark.worst, is_weak }, rest));
    }
    let by_mark = by_mark(text);
    let is_around = |c: char| !c.is_alphanumeric() && c != '`';
    let inner = text.trim_start_matches(is_around);
    let is_set_off = text[..text.len() - inner.len()].contains(['[', '(', '*']);
    let end = inner.find(|c: char| !c.is_alphanumeric()).unwrap_or(inner.len());
    let (word, rest) = inner.split_at(end);
    let rest = behind_second(rest);
    // `High-impact` is one word.
    let is_joined = rest.starts_with('-') && !rest.starts_with("- ");
    let behind = rest.trim_start_matches([' ', ']', ')', '*']);
    let is_closed = !is_joined && behind.starts_with([':', '—', '–', '-']);
    let is_end = rest.trim_matches(is_around).is_empty();
    let is_own = by_mark.is_some() || is_set_off && rest.starts_with([']', ')', '*', ':', ' ']);
    let is_graded = is_closed || is_end || is_own && (by_mark.is_some() || !begins_words(text));
    let inside = bracket_grade(&inner[end..]).filter(|_| !is_grade(word));
    match inside.or(graded(word)).filter(|_| is_graded && graded(word).is_some()) {
        Some(grade) => Some((grade, rest.trim_start_matches(is_around))),
        None => by_mark.map(|grade| (grade, inner)),
    }
}

/// The severity behind a label in bold: `**Type hints:** 🔴 **Critical:** …`. The label, and the rest.
pub fn behind_label(line: &str) -> Option<(&str, Grade, &str)> {
    let (name, rest) = line.strip_prefix("**")?.split_once("**")?;
    let is_set_off = name.ends_with(':') || rest.starts_with(':');
    let rest = rest.trim_start_matches([':', ' ']);
    let (grade, behind) = leading(rest).filter(|_| is_set_off && leading(line).is_none())?;
    let grade = Some(grade).filter(|_| behind.contains(' '))?;
    Some((name.trim_end_matches(':'), grade, behind))
}

/// Whether the word that would grade goes on: `**Error handling:** …`.
fn begins_words(text: &str) -> bool {
    let inner = text.trim_start_matches(|c: char| !c.is_alphabetic());
    let end = inner.find(|c: char| !c.is_alphanumeric()).unwrap_or(inner.len());
    let next = inner[end..].strip_prefix(' ').unwrap_or_default();
    next.starts_with(char::is_alphabetic) && behind_second(&inner[end..]).len() == inner.len() - end
}

/// The grade in the bracket that a text begins with: `(medium): …` behind `BUG`.
fn bracket_grade(rest: &str) -> Option<Grade> {
    let (inside, _) = rest.trim_start().strip_prefix('(')?.split_once(')')?;
    graded(inside)
}

/// A grade behind a dash at the end of a title, and the title without it: `SQL injection — HIGH`.
pub fn dash_grade(text: &str) -> Option<(Grade, &str)> {
    let parts = [" — ", " – ", " - ", " | "].iter().filter_map(|mark| text.rsplit_once(mark));
    let (before, last) = parts.min_by_key(|(_, last)| last.len())?;
    let word = last.trim_matches(|c: char| !c.is_alphanumeric());
    let grade = graded(word).filter(|_| is_grade(word))?;
    Some((grade, before.trim_end()))
}

/// What follows `fix`, `severity`, `priority` or `issue`, which only go with a grade.
fn behind_second(rest: &str) -> &str {
    let inner = rest.trim_start();
    // `BUG (high): …` grades twice.
    if let Some((inside, behind)) = inner.strip_prefix('(').and_then(|it| it.split_once(')'))
        && graded(inside).is_some()
    {
        return behind;
    }
    let end = inner.find(|c: char| !c.is_alphanumeric()).unwrap_or(inner.len());
    let is_with = matches!(
        inner[..end].to_lowercase().as_str(),
        "fix" | "severity" | "priority" | "risk" | "issue" | "issues" | "bug" | "have"
    );
    if is_with { &inner[end..] } else { rest }
}

/// The severity in brackets within a text, and the text without the bracket. Brackets with other
/// ratings, `(confidence: 85)`, go as well.
pub fn bracketed(text: &str) -> (Option<Grade>, String) {
    let mut kept = String::with_capacity(text.len());
    let (mut rest, mut grade) = (text, None);
    while let Some(at) = rest.find(['(', '[']) {
        let close = if rest[at..].starts_with('(') { ')' } else { ']' };
        let Some(end) = rest[at..].find(close).map(|end| at + end) else { break };
        let inside = &rest[at + 1..end];
        kept.push_str(&rest[..at]);
        match remark(inside) {
            Remark::Grade(found) => grade = grade.or(Some(found)),
            Remark::Rating => {}
            Remark::Words => kept.push_str(&rest[at..end + close.len_utf8()]),
        }
        rest = &rest[end + close.len_utf8()..];
    }
    kept.push_str(rest);
    if grade.is_none()
        && let Some(tail) = tailed(text)
    {
        grade = Some(Grade { worst: tail.worst, is_weak: false });
        kept = tail.rest.to_owned();
    }
    let empty = ["****", "** **", "``"];
    let kept = empty.iter().fold(kept, |kept, mark| kept.replace(mark, ""));
    (grade, kept.replace("  ", " ").trim().to_owned())
}

enum Remark {
    Grade(Grade),
    Rating,
    Words,
}

fn remark(inside: &str) -> Remark {
    let lower = inside.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_rating = |word: &&&str| {
        let names = ["confidence", "rating", "score", "severity", "priority", "level", "impact"];
        names.contains(word) || word.chars().all(|c| c.is_ascii_digit())
    };
    let others: Vec<&&str> = words.iter().filter(|word| !is_rating(word)).collect();
    match others[..] {
        // `(severity: none)` grades nothing, and says so.
        [none] if *none == "none" && words.len() > 1 => {
            Remark::Grade(Grade { worst: Severity::Info, is_weak: true })
        }
        [] if !words.is_empty() && words.iter().any(|word| word.contains(char::is_alphabetic)) => {
            Remark::Rating
        }
        [word] => graded(word).map_or(Remark::Words, Remark::Grade),
        _ => Remark::Words,
    }
}

/// Whether a line only labels what follows: with a grade, or as one of the sorts that programs have.
pub fn is_badge(line: &str) -> bool {
    const WORDS: &[&str] = list!("reviews.txt", "heading");
    const BADGES: &[&str] = list!("reviews.txt", "badges");
    let mut words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let line = line.trim_end_matches(['*', ' ', ':']);
    !line.contains(':')
        && words.all(|word| {
            let lower = word.to_lowercase();
            let stem = lower.trim_end_matches('s');
            WORDS.contains(&stem)
                || BADGES.contains(&stem)
                || graded(&lower).is_some()
                || lower.chars().all(|c| c.is_ascii_digit())
        })
}

/// The severity of a line that says nothing else: `CRITICAL`, `⚠️ Potential issue | 🔴 Critical`.
pub fn only_grade(line: &str) -> Option<Grade> {
    let lower = line.to_lowercase();
    let begins = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    let line =
        match ["non-blocking", "non blocking", "not blocking"].iter().any(|it| lower.contains(it))
            || begins.starts_with("nice to have")
            || begins.starts_with("nice-to-have")
        {
            true => "optional".to_owned(),
            false => bracketed_away(line),
        };
    let words = || line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    if !is_badge(&line) {
        return None;
    }
    // Of several the one that only grades.
    let all: Vec<Grade> = words().filter_map(graded).collect();
    let strong = all.iter().find(|grade| !grade.is_weak).or(all.first());
    strong.copied().or_else(|| by_mark(&line))
}

/// Without `(must fix)` and `(90-100)` behind a grade, `: 3 items`, and what is said of a sort:
/// `BUGS -- fix before release`.
fn bracketed_away(line: &str) -> String {
    let counted = line.split_once(':').filter(|(_, rest)| {
        rest.trim_matches(['*', ' ']).starts_with(|c: char| c.is_ascii_digit())
    });
    let remarked = [" -- ", " — ", " – ", " - "].iter().find_map(|mark| line.split_once(mark));
    let is_sort = |name: &str| {
        let last = name.trim_end_matches(|c: char| !c.is_alphanumeric());
        last.ends_with(['s', 'S']) && is_badge(name)
    };
    let line = match counted.or(remarked) {
        Some((name, _)) if is_sort(name) => name,
        _ => line,
    };
    match (line.find('('), line.trim_end_matches(['*', ' ', ':']).ends_with(')')) {
        (Some(at), true) if at > 0 => line[..at].to_owned(),
        _ => line.to_owned(),
    }
}

/// A line that begins with a place behind a few words: `BUG at src/a.rs:3: …`. What stands before
/// the place, the place, and the rest.
pub fn behind_word(line: &str) -> Option<(&str, Place, &str)> {
    let mut from = 0;
    for (n, word) in line.split_inclusive(char::is_whitespace).enumerate() {
        let end = from + word.len();
        if let Some((path, Some(number))) = place::place(word) {
            let rest = line[end..].trim_start();
            let is_lead = word.trim_end().trim_end_matches(['`', '*', ')']).ends_with(':')
                || rest.starts_with(['—', '–', '-', ':']);
            let before = line[..from].trim();
            let is_word = before.chars().any(char::is_alphabetic) && n > 0;
            let rest = rest.trim_start_matches(['—', '–', '-', ':', ' ']);
            return (is_lead && is_word && !rest.is_empty()).then_some((
                before,
                (path, Some(number)),
                rest,
            ));
        }
        if n >= 3 || word.trim_end().ends_with([':', '.', ',']) {
            return None;
        }
        from = end;
    }
    None
}

/// The cells of a row that has no table around it: `HIGH | src/a.rs:3 | what | what to do`.
pub fn loose_row(line: &str) -> Option<Vec<&str>> {
    let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
    let is_row = cells.len() > 2 && cells.iter().any(|cell| only_place(cell).is_some());
    (is_row && cells.iter().any(|cell| only_grade(cell).is_some())).then_some(cells)
}

/// The line that a text begins with: `Line 12: …`, `L12 - …`, `` `12-18`: … ``.
pub fn line_lead(text: &str) -> Option<(u32, &str)> {
    let inner = text.trim_start_matches(['*', '`', '(', '[', ' ']);
    let lower = inner.to_lowercase();
    let names = ["lines ", "line ", "l"];
    let named = names.iter().find(|name| {
        lower
            .strip_prefix(**name)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    });
    let is_code = text.trim_start_matches('*').starts_with('`');
    let digits = match named {
        Some(name) => &inner[name.len()..],
        None if is_code => inner,
        None => return None,
    };
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let line = digits[..end].parse().ok()?;
    let is_range =
        |c: char| c.is_ascii_digit() || matches!(c, '-' | '–' | 'L' | ' ' | '`' | '*' | ')' | ']');
    let rest = digits[end..].trim_start_matches(is_range);
    let rest = rest.strip_prefix([':', '—', ','])?;
    Some((line, rest.trim_start_matches(['*', ' '])))
}

/// The number of a line that says nothing else: `**Lines 20-21**`.
pub fn only_line(text: &str) -> Option<u32> {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_name = matches!(words.first()?.to_lowercase().as_str(), "line" | "lines");
    let are_numbers = words[1..].iter().all(|word| word.chars().all(|c| c.is_ascii_digit()));
    words.get(1).filter(|_| is_name && are_numbers)?.parse().ok()
}

/// The place of a line that names nothing else, and a grade behind it: `**src/a.rs:3** (major)`,
/// `In src/a.rs around lines 3 to 9:`.
pub fn only_place(line: &str) -> Option<(Place, Option<Grade>)> {
    // Compilers point to a place with an arrow.
    if line.trim_start().starts_with("-->") {
        return None;
    }
    let (grade, line) = bracketed(line);
    let found = place::with_line(&line)?;
    let fillers = [
        "in", "around", "at", "line", "lines", "to", "file", "and", "on", "the", "location", "see",
    ];
    let is_filler = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let is_number = bare.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '–' | ','));
        fillers.contains(&bare.as_str()) || is_number
    };
    let mut others = line.split_whitespace().filter(|word| !is_filler(word));
    let is_it = others.next().is_some_and(|word| place::first_place(word).is_some());
    (is_it && others.next().is_none()).then_some((found, grade))
}

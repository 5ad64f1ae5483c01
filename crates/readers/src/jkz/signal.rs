//! Where in a text do comments for programs stand, `<!-- jkz:verdict-json {…} -->`, and what is
//! left without them? What stands in a fence, in code or in a quotation is shown, not said.

use serde_json::Value;
use serde_json::error::Category;

use crate::json::Object;

const MAX_SIGNALS: usize = 64;

/// More of one comment is not read.
const MAX_BYTES: usize = 1 << 20;

const VERDICT: &str = "verdict-json";
const DIAGNOSIS: &str = "diagnosis-json";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Verdict,
    Diagnosis,
}

/// One comment that was said.
#[derive(Debug, PartialEq)]
pub struct Signal {
    pub sort: Sort,
    /// The line of the text in which it begins, from 0.
    pub line: u64,
    pub object: Said,
}

#[derive(Debug, Default)]
pub struct Signals {
    pub all: Vec<Signal>,
    /// The text without any such comment.
    pub rest: String,
}

/// Whether a text has such a comment at all, said or shown.
pub fn has_signal(text: &str) -> bool {
    let mut starts = text.match_indices("<!--").map(|(at, mark)| &text[at + mark.len()..]);
    starts.any(|inside| sort(name(inside)).is_some())
}

pub fn signals(text: &str) -> Signals {
    let fences = fences(&marks(text));
    let mut found = Signals::default();
    let (mut at, mut line, mut counted) = (0, 0, 0);
    while let Some(start) = text[at..].find("<!--").map(|start| at + start) {
        found.rest.push_str(&text[at..start]);
        let inside = &text[start + 4..];
        let Some((said, n_bytes)) = comment(inside) else {
            found.rest.push_str("<!--");
            at = start + 4;
            continue;
        };
        at = start + 4 + n_bytes;
        line += text[counted..start].matches('\n').count() as u64;
        counted = start;
        if let Some((sort, object)) = said
            && found.all.len() < MAX_SIGNALS
            && !is_shown(text, start, &fences)
        {
            found.all.push(Signal { sort, line, object });
        }
    }
    found.rest.push_str(&text[at..]);
    found
}

/// The first word of a comment: `jkz:verdict-json`.
fn name(inside: &str) -> &str {
    let inside = inside.trim_start();
    let end = inside.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(inside.len());
    let name = &inside[..end];
    name.split_once("-->").map_or(name, |(name, _)| name).trim_end_matches(':')
}

fn sort(name: &str) -> Option<Sort> {
    let name = name.to_ascii_lowercase();
    let is = |known: &str| name == known || name.ends_with(&format!(":{known}"));
    let verdict = is(VERDICT).then_some(Sort::Verdict);
    verdict.or_else(|| is(DIAGNOSIS).then_some(Sort::Diagnosis))
}

/// What a comment says, or why it is of no use.
type Said = Result<Object, &'static str>;

/// What a comment for programs is for and says, nothing for one that is only to be left out; and how
/// long it is, from behind `<!--`. None for any other comment.
fn comment(inside: &str) -> Option<(Option<(Sort, Said)>, usize)> {
    let name = name(inside);
    let closed = || inside.find("-->").map(|end| end + 3);
    let whole = || closed().unwrap_or(inside.len());
    let Some(sort) = sort(name) else {
        // Other signals say nothing about the work; a bare object may be a verdict.
        if name.to_ascii_lowercase().starts_with("jkz:") {
            return Some((None, whole()));
        }
        let (said, n_bytes) = object_at(inside, inside.find('{')?)?;
        let is_verdict =
            said.as_ref().is_ok_and(|object| object.get("verdict").is_some_and(Value::is_string));
        return (is_verdict && name.is_empty()).then_some((Some((Sort::Verdict, said)), n_bytes));
    };
    let begins = inside.find('{').filter(|at| closed().is_none_or(|end| *at < end));
    let (said, n_bytes) = match begins {
        Some(begins) => object_at(inside, begins).unwrap_or_else(|| (Err(CUT), whole())),
        None => (Err(EMPTY), whole()),
    };
    Some((Some((sort, said)), n_bytes))
}

/// The object that begins here, and where its comment ends. An arrow in one of its texts does not
/// end it.
fn object_at(inside: &str, begins: usize) -> Option<(Said, usize)> {
    let end = inside.floor_char_boundary(begins + MAX_BYTES);
    let mut values = serde_json::Deserializer::from_str(&inside[begins..end]).into_iter::<Value>();
    let closed = |from: usize| inside[from..].find("-->").map(|at| from + at + 3);
    match values.next()? {
        Ok(Value::Object(object)) => {
            let from = begins + values.byte_offset();
            // Whole, though the comment has no end.
            Some((Ok(object), closed(from).unwrap_or(from)))
        }
        Ok(_) => None,
        Err(error) => {
            let is_cut = error.classify() == Category::Eof || closed(0).is_none();
            let reason = if is_cut { CUT } else { BROKEN };
            Some((Err(reason), closed(0).unwrap_or(inside.len())))
        }
    }
}

const EMPTY: &str = "a comment for a verdict or a diagnosis holds no JSON";
const CUT: &str = "a comment with a verdict or a diagnosis is cut off; it is not used";
const BROKEN: &str = "a comment with a verdict or a diagnosis is not valid JSON; it is not used";

/// Whether what stands here shows something: in a quotation, in code or in one of these fences.
fn is_shown(text: &str, at: usize, fences: &[(usize, usize)]) -> bool {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let before = &text[line..at];
    let is_quoted = before.trim_start().starts_with('>');
    let is_code = before.matches('`').count() % 2 == 1;
    let fence = fences.partition_point(|(_, end)| *end <= at);
    let is_fenced = fences.get(fence).is_some_and(|(start, _)| *start <= at);
    is_quoted || is_code || is_fenced
}

/// A line that may begin or end a fence: from where to where it goes, its sign, how many of them,
/// and whether nothing else stands in it.
type Mark = (usize, usize, char, usize, bool);

fn marks(text: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let body = line.trim_start();
        let indent = line.len() - body.len();
        let sign = body.chars().next().filter(|c| indent < 4 && matches!(c, '`' | '~'));
        let rest = sign.map_or(body, |sign| body.trim_start_matches(sign));
        let n = body.len() - rest.len();
        if let Some(sign) = sign.filter(|sign| n >= 3 && !(*sign == '`' && rest.contains('`'))) {
            marks.push((at, at + line.len(), sign, n, rest.trim().is_empty()));
        }
        at += line.len();
    }
    marks
}

/// From where to where fences go. One that nobody closes is none: who forgot the end of a
/// fence did not mean all that follows.
fn fences(marks: &[Mark]) -> Vec<(usize, usize)> {
    let mut fences = Vec::new();
    // So long a fence of this mark has no end any more.
    let (mut ticks, mut tildes) = (usize::MAX, usize::MAX);
    let mut index = 0;
    while let Some(&(start, _, mark, n, _)) = marks.get(index) {
        let endless = if mark == '`' { &mut ticks } else { &mut tildes };
        index += 1;
        if n >= *endless {
            continue;
        }
        let closes = |other: &Mark| other.2 == mark && other.3 >= n && other.4;
        match marks[index..].iter().position(closes) {
            Some(skipped) => {
                fences.push((start, marks[index + skipped].1));
                index += skipped + 1;
            }
            None => *endless = n,
        }
    }
    fences
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each signal as its line, its sort and its verdict or fault; then what is left.
    fn told(text: &str) -> (Vec<String>, String) {
        let found = signals(text);
        let one = |signal: &Signal| {
            let sort = if signal.sort == Sort::Verdict { "v" } else { "d" };
            let word = match &signal.object {
                Ok(object) => object.values().next().unwrap_or(&Value::Null).to_string(),
                Err(reason) if *reason == EMPTY => "empty".to_owned(),
                Err(reason) if *reason == CUT => "cut".to_owned(),
                Err(_) => "broken".to_owned(),
            };
            format!("{} {sort} {word}", signal.line)
        };
        (found.all.iter().map(one).collect(), found.rest)
    }

    const PASS: &str = "<!-- jkz:verdict-json {\"verdict\":\"PASS\"} -->";

    #[test]
    fn comments_for_programs_are_found_wherever_they_are_said() {
        let v = |line: u64| format!("{line} v \"PASS\"");
        let one = |told: &str| vec![told.to_owned()];
        let cases: Vec<(String, Vec<String>, &str)> = vec![
            (PASS.to_owned(), vec![v(0)], ""),
            (format!("# Title\n\n{PASS}\nafter"), vec![v(2)], "# Title\n\n\nafter"),
            (format!("a\r\n{PASS}\r\nb"), vec![v(1)], "a\r\n\r\nb"),
            ("<!--jkz:VERDICT-JSON\n{\n\"verdict\":\"PASS\"}\n-->".into(), vec![v(0)], ""),
            ("<!-- verdict-json: {\"verdict\":\"PASS\"}-->".into(), vec![v(0)], ""),
            ("<!-- {\"verdict\":\"PASS\"} -->".into(), vec![v(0)], ""),
            ("<!-- jkz:verdict-json {\"a\":\"x --> y\"} -->z".into(), one("0 v \"x --> y\""), "z"),
            ("<!-- jkz:diagnosis-json {\"a\":1} -->".into(), one("0 d 1"), ""),
            ("<!-- jkz:propose-issue: Do it | soon -->x".into(), vec![], "x"),
            ("<!-- {\"state\":1} -->".into(), vec![], "<!-- {\"state\":1} -->"),
            ("<!-- note -->".into(), vec![], "<!-- note -->"),
            (
                "<!-- jkz:verdict-json -->\n{\"verdict\":\"PASS\"}".into(),
                one("0 v empty"),
                "\n{\"verdict\":\"PASS\"}",
            ),
            ("x <!-- jkz:verdict-json {\"verdict\":\"FAIL\",\"iss".into(), one("0 v cut"), "x "),
            ("<!-- jkz:verdict-json {\"verdict\":\"FAIL\",\"iss -->y".into(), one("0 v cut"), "y"),
            ("<!-- jkz:verdict-json {verdict: PASS} --> y".into(), one("0 v broken"), " y"),
            // Whole but for its end.
            ("<!-- jkz:verdict-json {\"verdict\":\"PASS\"}".into(), vec![v(0)], ""),
            (format!("{PASS}{PASS}"), vec![v(0), v(0)], ""),
        ];
        for (text, expected, rest) in cases {
            assert_eq!(told(&text), (expected, rest.to_owned()), "{text}");
            for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
                signals(&text[..end]);
                has_signal(&text[..end]);
            }
        }
    }

    #[test]
    fn a_comment_that_is_only_shown_is_nobodys_verdict() {
        let shown = [
            format!("End with:\n```html\n{PASS}\n```\nthanks"),
            format!("~~~\n{PASS}\n~~~"),
            format!("````\n```\n{PASS}\n```\n````"),
            format!("> {PASS}"),
            format!("Write `{PASS}` at the end"),
        ];
        for text in shown {
            let (signals, rest) = told(&text);
            assert_eq!(signals, [""; 0], "{text}");
            assert!(!rest.contains("PASS"), "{rest}");
        }
        // A fence without an end is none.
        assert_eq!(told(&format!("```\nx\n```\n```\ny\n{PASS}")).0, ["5 v \"PASS\""]);
    }

    #[test]
    fn many_fences_and_comments_without_an_end_are_read_once() {
        let (signals, _) = told(&"<!-- jkz:verdict-json {\"a\":\"".repeat(20_000));
        assert_eq!(signals.len(), 1);
        assert_eq!(told(&"```x\n".repeat(100_000)).0, [""; 0]);
        assert_eq!(told(&PASS.repeat(1_000)).0.len(), MAX_SIGNALS);
    }
}

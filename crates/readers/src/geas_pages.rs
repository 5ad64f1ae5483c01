//! What is a geas task to do, which rules did its retrospective propose, and what do the pages say
//! that agents are told: `rules.md` and the notebooks of roles.

use hardwon_core::event::Problem;

use crate::archeflow_memory::object;
use crate::fields::Fields;
use crate::geas::{scope_of, text_of};
use crate::lines::{BYTE_ORDER_MARK, Limits};
use crate::notes::Notes;

const MAX_RULES: usize = 1000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GeasContract {
    pub title: Option<String>,
    pub goal: Option<String>,
    pub paths: Vec<String>,
    pub surfaces: Vec<String>,
    pub risk_level: Option<String>,
    pub task_kind: Option<String>,
}

/// A task contract; whatever it lacks is left open.
pub fn geas_contract(name: &str, bytes: &[u8]) -> (Option<GeasContract>, Vec<Problem>) {
    let notes = Notes::new(name, Limits::default().n_problems);
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let contract = object(bytes, &notes).map(|object| {
        let fields = Fields::new(&object, &notes);
        let (paths, surfaces) = scope_of(fields);
        GeasContract {
            title: fields.words("title"),
            goal: fields.words("goal"),
            paths,
            surfaces,
            risk_level: fields.words("risk_level"),
            task_kind: fields.words("task_kind"),
        }
    });
    (contract, notes.into_problems())
}

/// The rules that a retrospective proposes; none if it is no JSON.
pub fn geas_rule_candidates(name: &str, bytes: &[u8]) -> (Vec<String>, Vec<Problem>) {
    let notes = Notes::new(name, Limits::default().n_problems);
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let rules = object(bytes, &notes).map(|object| {
        let items = Fields::new(&object, &notes).list("rule_candidates").unwrap_or_default();
        items.iter().take(MAX_RULES).filter_map(text_of).collect()
    });
    (rules.unwrap_or_default(), notes.into_problems())
}

/// What a page says, one statement each, with its line from 1: list items with what continues
/// them, and other lines as they are. Headings, comments and code say nothing.
///
/// ```
/// use hardwon_readers::page_lines;
///
/// let page = "# Rules\n\n- Use pnpm\n  in every package\n<!-- note -->\nTests come first.\n";
/// let lines = page_lines(page);
/// assert_eq!(lines, [(3, "Use pnpm in every package".into()), (6, "Tests come first.".into())]);
/// ```
pub fn page_lines(text: &str) -> Vec<(usize, String)> {
    let mut said: Vec<(usize, String)> = Vec::new();
    let (mut is_code, mut is_comment, mut is_open) = (false, false, false);
    for (at, raw) in text.lines().enumerate() {
        let line = raw.trim();
        let fences = line.starts_with("```");
        is_code ^= fences;
        let comments = !is_code && (is_comment || line.starts_with("<!--"));
        is_comment = comments && !line.contains("-->");
        let is_said = !fences && !is_code && !comments && !line.starts_with('#');
        if line.is_empty() || !is_said {
            is_open = false;
            continue;
        }
        let item = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
        match (item, said.last_mut()) {
            (None, Some((_, last))) if is_open && raw.starts_with([' ', '\t']) => {
                last.push(' ');
                last.push_str(line);
            }
            (item, _) => {
                said.push((at + 1, item.unwrap_or(line).trim().to_owned()));
                is_open = item.is_some();
            }
        }
    }
    said.retain(|(_, line)| line.contains(char::is_alphanumeric));
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contract_may_lack_anything() {
        let text = br#"{"title":"Speed up","goal":"Half the time","scope":{"paths":["src/a.rs"],
            "surfaces":["api","src/b.rs"]},"risk_level":"high","task_kind":"implementation"}"#;
        let (contract, problems) = geas_contract("t.json", text);
        let contract = contract.unwrap();
        assert_eq!(contract.paths, ["src/a.rs", "src/b.rs"]);
        assert_eq!(contract.surfaces, ["api"]);
        assert_eq!(contract.risk_level.as_deref(), Some("high"));
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(geas_contract("t.json", b"{}").0, Some(GeasContract::default()));
        for odd in [&b"half {"[..], b"[1]", b"\xff", b"7"] {
            let (contract, problems) = geas_contract("t.json", odd);
            assert!(contract.is_none() && !problems.is_empty(), "{odd:?}");
        }
    }

    #[test]
    fn rules_are_texts_or_objects_with_one() {
        let text = br#"{"rule_candidates":["Use pnpm",{"text":"Test first"},7,{"x":1}]}"#;
        assert_eq!(geas_rule_candidates("r.json", text).0, ["Use pnpm", "Test first"]);
        assert_eq!(geas_rule_candidates("r.json", b"{\"rule_candidates\":7}").0, [""; 0]);
    }

    #[test]
    fn a_page_says_its_lines() {
        let said = |text: &str| page_lines(text).into_iter().map(|it| it.1).collect::<Vec<_>>();
        assert_eq!(said("- a\r\n* b\r\n\r\n+ c"), ["a", "b", "c"]);
        assert_eq!(said("```\n- code\n```\n- a"), ["a"]);
        assert_eq!(said("<!-- a\n- hidden\n-->\n- b"), ["b"]);
        assert_eq!(said("- a\n\n  far\n- \n---\n#h"), ["a", "far"]);
        assert_eq!(said(""), [""; 0]);
    }
}

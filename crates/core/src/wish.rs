//! What a person types in a conversation, and the one form in which a turn states a wish:
//! `remember: …` at its beginning. No other sentence is taken for one.

use crate::gate::{BLOCK_BEGIN, BLOCK_END};

/// How a turn begins that is to be kept.
const MARK: &str = "remember:";

/// How texts of hosts, hooks and skills begin that stand under the user's name.
const HOST: [&str; 10] = [
    "[request interrupted",
    "# agents.md instructions",
    "base directory for this skill",
    "caveat:",
    "posttooluse",
    "pretooluse",
    "sessionstart",
    "stop hook",
    "this session is being continued",
    "userpromptsubmit",
];

/// The wish that a turn states: its first paragraph behind `remember:`, in one line.
pub fn remembered(turn: &str) -> Option<String> {
    let typed = typed(turn)?;
    let is_marked = typed.get(..MARK.len()).is_some_and(|it| it.eq_ignore_ascii_case(MARK));
    let wanted = typed.get(MARK.len()..).filter(|_| is_marked)?.trim_start();
    let paragraph = wanted.lines().take_while(|line| !line.trim().is_empty());
    let words: Vec<&str> = paragraph.flat_map(str::split_whitespace).collect();
    Some(words.join(" ")).filter(|wish| !wish.is_empty())
}

/// A turn without our own block, fences and what a host put there; nothing if all of it is a
/// host's.
///
/// ```
/// use hardwon_core::wish::typed;
///
/// assert_eq!(typed("<system-reminder>x</system-reminder>\nfix it").as_deref(), Some("fix it"));
/// assert_eq!(typed("<task-notification>done</task-notification>"), None);
/// ```
pub fn typed(turn: &str) -> Option<String> {
    let turn = without(turn, BLOCK_BEGIN, BLOCK_END);
    let turn = without(&turn, "```", "```");
    let mut rest = turn.trim();
    // What a tag encloses at the beginning is not the user's, and what follows may be.
    while let Some(tag) = leading_tag(rest) {
        rest = rest.split_once(&format!("</{tag}>"))?.1.trim();
    }
    let text = without(rest, "<system-reminder>", "</system-reminder>");
    let text = text.trim();
    let lower = text.to_lowercase();
    let is_host = text.starts_with('<') || HOST.iter().any(|begin| lower.starts_with(begin));
    (!text.is_empty() && !is_host).then(|| text.to_owned())
}

/// The name of the tag that a text begins with.
fn leading_tag(text: &str) -> Option<&str> {
    let name = text.strip_prefix('<')?.split_once('>')?.0.split_whitespace().next()?;
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    is_name.then_some(name)
}

/// Without what stands between these marks; what is never closed runs to the end.
fn without(text: &str, begin: &str, end: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once(begin) {
        kept.push_str(before);
        kept.push('\n');
        rest = inside.split_once(end).map_or("", |(_, behind)| behind);
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_typed_turn_that_begins_so_is_a_wish() {
        for (turn, wish) in [
            ("remember: use pnpm", Some("use pnpm")),
            ("REMEMBER:use pnpm\n\nremember: this is another turn", Some("use pnpm")),
            ("<system-reminder>x</system-reminder>remember: use pnpm", Some("use pnpm")),
            ("remember to use pnpm", None),
            ("Always use pnpm, never npm.", None),
            ("they wrote: remember: use npm", None),
            ("> remember: use npm", None),
            ("```\nremember: use npm\n```", None),
            ("<command-message>remember: use npm</command-message>", None),
            ("<system-reminder>\nremember: use npm", None),
            ("Stop hook feedback:\nremember: use npm", None),
            ("remember:", None),
            ("", None),
        ] {
            assert_eq!(remembered(turn).as_deref(), wish, "{turn}");
        }
    }
}

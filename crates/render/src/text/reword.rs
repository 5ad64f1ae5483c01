//! Better words for lessons, as text: what would change, why, and how to decide.

use super::asked::asked;
use super::columns::hanging;
use crate::answer::{Rewording, Rewordings};
use hardwon_core::gate::without_control;

/// `reword`.
pub fn rewordings(rewordings: &Rewordings, width: usize) -> String {
    let questions = rewordings.asked.iter().map(|it| hanging("", &asked(it), width));
    let mut out: String = questions.collect();
    if rewordings.proposals.is_empty() {
        out += "no better words are proposed; `hardwon reword --ask` asks for some\n";
    }
    out + &rewordings.proposals.iter().map(|one| rewording(one, width)).collect::<String>()
}

/// One proposal.
pub fn rewording(one: &Rewording, width: usize) -> String {
    let Rewording { id, form, model, .. } = one;
    let ids: Vec<String> = one.lessons.iter().map(|lesson| lesson.id.to_string()).collect();
    let head = format!("{id}: a {form} for {}, by {model}", ids.join(", "));
    let mut out = hanging("", &head, width);
    for line in one.diff.lines() {
        out += &hanging("  ", &without_control(line), width);
    }
    if !one.reason.is_empty() {
        out += &hanging("  ", &format!("because: {}", without_control(&one.reason)), width);
    }
    if !one.new_words.is_empty() {
        let words = one.new_words.join(", ");
        out += &hanging("  ", &format!("words that no lesson of them has: {words}"), width);
    }
    match &one.rejected {
        Some(why) => out + &hanging("  ", &format!("rejected: {}", without_control(why)), width),
        None => {
            let next = format!(
                "hardwon reword --accept {id}, or hardwon reword --reject {id} --because WHY"
            );
            out + &hanging("  ", &next, width)
        }
    }
}

//! What runs taught and how they ended: `learn`, `outcome`, `check`, `regressions`,
//! `decay`.

use hardwon_core::effect::EffectKind;
use hardwon_core::gate::without_control;

use super::columns::{Side, cut, padded};
use crate::answer::{
    Checked, Effect, FindingCounts, Learned, Named, Regression, Regressions, RunEnded, RunLearned,
    Similar, Swept, Transition,
};
use crate::record::counted;

/// Width of the word that says what happened to a lesson.
const WHAT_COLUMNS: usize = 14;

/// Most pairs of similar lessons that are named.
const MAX_SIMILAR: usize = 3;

/// `learn`: a paragraph for each run, then how to undo it.
pub fn learn(learned: &Learned, width: usize) -> String {
    let Learned { runs, operation, digests: _ } = learned;
    if runs.is_empty() {
        return "nothing learned: no run in the input\n".to_owned();
    }
    let mut out: String = runs.iter().map(|run| run_learned(run, width)).collect();
    if let Some(operation) = operation {
        out += &format!("operation {operation}: `hardwon undo {operation}` reverses it\n");
    }
    out
}

pub fn outcome(ended: &RunEnded) -> String {
    format!("{}: {}\n", ended.run, ended.outcome)
}

/// `check`: what each lesson that was shown did, and why we think so.
pub fn check(checked: &Checked, width: usize) -> String {
    if checked.effects.is_empty() {
        let shown = match checked.n_shown {
            0 => "no lesson was shown".to_owned(),
            n => format!("{} shown, nothing concluded yet", counted(n as u64, "lesson")),
        };
        return format!("{}: {shown}\n", checked.run);
    }
    let lines = checked.effects.iter().map(|pair| effect_lines(pair, width));
    format!("{}: {} shown\n", checked.run, counted(checked.effects.len() as u64, "lesson"))
        + &lines.collect::<String>()
}

/// `regressions`: one line each.
pub fn regressions(found: &Regressions) -> String {
    if found.regressions.is_empty() {
        return "no regressions\n".to_owned();
    }
    found.regressions.iter().map(|regression| regression_line(regression) + "\n").collect()
}

/// `decay`: what faded, and why.
pub fn decay(swept: &Swept, width: usize) -> String {
    if swept.transitions.is_empty() {
        return "nothing decayed\n".to_owned();
    }
    swept.transitions.iter().map(|pair| transition_lines("", pair, width)).collect()
}

fn run_learned(run: &RunLearned, width: usize) -> String {
    if run.is_known {
        return format!("{}: already known, nothing new in it\n", run.run);
    }
    let mut out = head(run);
    out += &named_lines("new", &run.new, width);
    out += &named_lines("seen again", &run.matched, width);
    out += &credit_lines(&run.effects, width);
    out.extend(run.transitions.iter().map(|step| transition_lines("  ", step, width)));
    out += &similar(run, width);
    for regression in &run.regressions {
        out += &format!("  {}\n", regression_line(regression));
    }
    out
}

fn head(run: &RunLearned) -> String {
    let FindingCounts { n_read, n_used, n_rejected } = run.findings;
    let mut parts = vec![format!("{} read", counted(n_read, "finding"))];
    if n_read > 0 {
        parts.push(format!("{n_used} used"));
    }
    if n_rejected > 0 {
        parts.push(format!("{n_rejected} rejected"));
    }
    if run.is_backfill {
        parts.push("older than the newest run, so evidence only".to_owned());
    }
    format!("{}: {}\n", run.run, parts.join(", "))
}

fn named_lines(what: &str, lessons: &[Named], width: usize) -> String {
    let line = |named: &Named| line(what, &format!("{}  {}", named.id, named.text), width);
    lessons.iter().map(line).collect()
}

/// Pairs that look alike, the first few: they are a hint, not news.
fn similar(run: &RunLearned, width: usize) -> String {
    let pair = |pair: &Similar| {
        let Similar { lesson, like, likeness } = pair;
        let text = format!("{} resembles {} (likeness {likeness:.2})", lesson.id, like.id);
        line("similar", &text, width)
    };
    let mut out: String = run.similar.iter().take(MAX_SIMILAR).map(pair).collect();
    let n_more = run.similar.len().saturating_sub(MAX_SIMILAR);
    if n_more > 0 {
        out += &line("similar", &format!("and {n_more} more pairs (--json lists all)"), width);
    }
    out
}

fn line(what: &str, text: &str, width: usize) -> String {
    let head = padded(what, WHAT_COLUMNS, Side::Left);
    format!("  {}\n", cut(&format!("{head} {text}"), width.saturating_sub(2)))
}

fn was_tested(effect: &Effect) -> bool {
    match effect.conclusion.kind.0 {
        EffectKind::Helped | EffectKind::NoHelp => true,
        EffectKind::Hurt | EffectKind::Contradicted => true,
        EffectKind::Neutral | EffectKind::NoOpportunity => false,
    }
}

/// Only what was tested, and how many were not; `check` lists them all.
fn credit_lines(effects: &[Effect], width: usize) -> String {
    let tested = effects.iter().filter(|effect| was_tested(effect));
    let mut out: String = tested.map(|effect| effect_lines(effect, width)).collect();
    let n_untested = effects.iter().filter(|effect| !was_tested(effect)).count();
    if n_untested > 0 {
        out += &format!("  {} shown but not tested\n", counted(n_untested as u64, "lesson"));
    }
    out
}

pub(super) fn effect_lines(effect: &Effect, width: usize) -> String {
    let Effect { lesson: Named { id, text }, conclusion, attribution } = effect;
    let did = attribution.map_or(String::new(), |did| format!(", {did}"));
    let head = line(&format!("{}{did}", conclusion.kind), &format!("{id}  {text}"), width);
    let flag = if conclusion.is_regression {
        line("REGRESSION:", "it had helped before", width)
    } else {
        String::new()
    };
    head + &reason("  ", &conclusion.why) + &flag
}

fn transition_lines(margin: &str, step: &Transition, width: usize) -> String {
    let Transition { lesson: Named { id, text }, from, to, reason: why } = step;
    let text = format!("{from} → {to}  {id}  {text}");
    let lines = format!("{margin}{}\n", cut(&text, width.saturating_sub(margin.len())));
    lines + &reason(margin, why)
}

fn reason(margin: &str, why: &str) -> String {
    format!("{margin}    because: {}\n", without_control(why))
}

fn regression_line(regression: &Regression) -> String {
    let Regression { run, text, author, fixed_in } = regression;
    let fixed = match fixed_in {
        Some(fixed_in) => format!("fixed in {fixed_in}"),
        None => "fixed before".to_owned(),
    };
    let line = format!("REGRESSION: \"{text}\" ({fixed}) is back in {run}, reported by {author}");
    without_control(&line)
}

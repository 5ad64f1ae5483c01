//! `backtest`: what memory would have forewarned of, beside what simple rules would have.

use super::columns::{Side, hanging, section, table};
use crate::answer::{Backtested, Compared, Share, UnderPolicy};
use crate::record::counted;

const SIDES: [Side; 3] = [Side::Left, Side::Right, Side::Left];

pub fn backtest(played: &Backtested, width: usize) -> String {
    let mut out = hanging("", &headline(played), width);
    out += "\n";
    out += &table(&rows(played), &SIDES, width);
    out += "\n";
    out += &hanging("", &lines(played), width);
    for note in &played.notes {
        out += &hanging("", note, width);
    }
    out + &played.compared.as_ref().map_or_else(String::new, |it| compared(it, width))
}

/// What would have been under the policy in force, and under the other one.
fn compared(compared: &Compared, width: usize) -> String {
    let Compared { own, other, only_own, only_other } = compared;
    let figure = |what: &str, n: fn(&UnderPolicy) -> u64| {
        vec![what.to_owned(), n(own).to_string(), n(other).to_string()]
    };
    let rows = [
        vec!["LESSONS".to_owned(), own.policy.to_uppercase(), other.policy.to_uppercase()],
        figure("shown", |under| under.n_shown),
        figure("prevented", |under| under.n_prevented),
        figure("repeated", |under| under.n_repeated),
        figure("promoted", |under| under.n_promoted),
        figure("decayed", |under| under.n_decayed),
    ];
    let mut out = "\n".to_owned() + &table(&rows, &[Side::Left, Side::Right, Side::Right], width);
    for (policy, texts) in [(&own.policy, only_own), (&other.policy, only_other)] {
        let list: String = texts.iter().map(|text| hanging("  - ", text, width)).collect();
        out += &section(&format!("shown under {policy} alone"), &list);
    }
    out
}

/// What it comes to, in a sentence.
pub fn headline(played: &Backtested) -> String {
    let findings = counted(played.n_findings, "finding");
    let runs = counted(played.n_scored, "run");
    let (ours, tokens) = (played.ours(), played.tokens_per_run.0);
    format!(
        "of {findings} in your last {runs} {} were forewarned ({}), {tokens:.0} tokens a run",
        percent(ours.share.0),
        interval(ours),
    )
}

fn rows(played: &Backtested) -> Vec<Vec<String>> {
    let row =
        |what: &str, share: Share| vec![what.to_owned(), percent(share.share.0), interval(share)];
    let mut rows =
        vec![["LINES CHOSEN BY", "FOREWARNED", "95 % INTERVAL"].map(str::to_owned).to_vec()];
    rows.extend(played.forewarned.iter().map(|by| row(&by.by, by.share)));
    rows.push(row("(came up before at all)", played.known));
    rows
}

fn lines(played: &Backtested) -> String {
    let useful = percent(played.useful.share.0);
    let lines = played.lines_per_run.0;
    let mut out = format!("{lines:.1} lines a run, {useful} of them about something that came up.");
    if played.silent.of > 0 {
        let silent = percent(played.silent.share.0);
        let runs = counted(played.silent.of, "run");
        out += &format!(" Of {runs} in which nothing came up, {silent} had an empty block.");
    }
    out
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn interval(share: Share) -> String {
    format!("{:.0} to {:.0} %", share.low.0 * 100.0, share.high.0 * 100.0)
}

#[cfg(test)]
mod tests {
    use hardwon_core::backtest::{Chooser, Played, RunScore};

    use super::*;

    #[test]
    fn a_backtest_reads_as_a_sentence_and_a_table() {
        let run = |n_told: u64| RunScore {
            n_problems: 2,
            n_known: 2,
            n_forewarned: vec![n_told; Chooser::ALL.len()],
            n_lines: 4,
            n_useful: n_told,
            n_tokens: 120,
        };
        let scores = [
            vec![run(1); 20],
            vec![RunScore { n_forewarned: vec![0; Chooser::ALL.len()], ..RunScore::default() }],
        ]
        .concat();
        let played = Backtested::of(Played { n_runs: 30, n_blind: 1, scores }, 1);
        let text = backtest(&played, 100);
        let expected = "\
of 40 findings in your last 21 runs 50 % were forewarned (50 to 50 %), 114 tokens a run

LINES CHOSEN BY          FOREWARNED  95 % INTERVAL
hardwon                        50 %  50 to 50 %
most frequent                  50 %  50 to 50 %
same file, then folder         50 %  50 to 50 %
oracle                         50 %  50 to 50 %
(came up before at all)       100 %  100 to 100 %

3.8 lines a run, 25 % of them about something that came up. Of 1 run in which nothing came up, 100 %
had an empty block.
";
        assert_eq!(&text[..expected.len()], expected);
        assert!(text.contains("The first 9 runs were only learned."), "{text}");
        assert!(text.contains("1 of 21 runs name neither a task nor files"), "{text}");
    }
}

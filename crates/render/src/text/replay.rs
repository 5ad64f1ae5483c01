//! `replay`: what happened beside what another policy would have made of it.

use super::columns::{Side, hanging, section, table};
use crate::answer::{HistoryCounts, Replayed};
use crate::record::counted;

/// Columns: what, as it happened, under the policy.
const SIDES: [Side; 3] = [Side::Left, Side::Right, Side::Right];

/// `replay`.
pub fn replay(replayed: &Replayed, width: usize) -> String {
    let runs = counted(replayed.n_runs, "run");
    let mut out = format!("{runs} replayed under {}\n\n", replayed.policy);
    out += &table(&rows(replayed), &SIDES, width);
    let list = |texts: &[String]| -> String {
        texts.iter().map(|text| hanging("  - ", text, width)).collect()
    };
    out += &section("shown, and would not have been", &list(&replayed.only_happened));
    out += &section("not shown, and would have been", &list(&replayed.only_replayed));
    out += "\n";
    for note in &replayed.notes {
        out += &hanging("", note, width);
    }
    out
}

fn rows(replayed: &Replayed) -> Vec<Vec<String>> {
    let figure = |what: &str, n: fn(&HistoryCounts) -> u64| {
        let (was, would) = (n(&replayed.happened), n(&replayed.replayed));
        vec![what.to_owned(), was.to_string(), would.to_string()]
    };
    vec![
        vec!["LESSONS".to_owned(), "HAPPENED".to_owned(), replayed.policy.to_uppercase()],
        figure("shown", |counts| counts.n_shown),
        figure("prevented", |counts| counts.n_prevented),
        figure("repeated", |counts| counts.n_repeated),
        figure("promoted", |counts| counts.n_promoted),
        figure("decayed", |counts| counts.n_decayed),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_reads_as_a_table() {
        let happened = HistoryCounts { n_shown: 12, n_prevented: 7, ..HistoryCounts::default() };
        let replayed = Replayed {
            policy: "archeflow".to_owned(),
            n_runs: 9,
            happened,
            replayed: HistoryCounts { n_decayed: 1, ..HistoryCounts::default() },
            only_happened: vec!["Query built by string concatenation".to_owned()],
            only_replayed: Vec::new(),
            notes: vec!["Recurrence is taken as recorded.".to_owned()],
        };
        let expected = "\
9 runs replayed under archeflow

LESSONS    HAPPENED  ARCHEFLOW
shown            12          0
prevented         7          0
repeated          0          0
promoted          0          0
decayed           0          1

shown, and would not have been
  - Query built by string concatenation

Recurrence is taken as recorded.
";
        assert_eq!(replay(&replayed, 80), expected);
    }
}

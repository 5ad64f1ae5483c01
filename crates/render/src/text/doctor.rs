//! `doctor`: one line a check, how to fix it below, a sum at the end.

use hardwon_core::gate::without_control;

use super::columns::{Side, hanging, padded, width_of};
use crate::answer::{Health, HealthCheck, HealthStatus, KeptSecret};
use crate::record::counted;

pub fn doctor(health: &Health, width: usize) -> String {
    let Health { checks, mended, backup, secrets } = health;
    let names = checks.iter().map(|check| width_of(check.name)).max().unwrap_or(0);
    let mut out: String = checks.iter().map(|check| line(check, names, width)).collect();
    if let Some(secrets) = secrets {
        out += "\n";
        out += &secret_lines(secrets, width);
    }
    if !mended.is_empty() || backup.is_some() {
        out += "\n";
    }
    out.extend(mended.iter().map(|done| hanging("repaired  ", done, width)));
    out.extend(backup.iter().map(|copy| format!("backup    {}\n", without_control(copy))));
    out + "\n" + &sum(health)
}

fn line(check: &HealthCheck, names: usize, width: usize) -> String {
    let status = if check.is_skipped() { "-" } else { check.status.word() };
    let name = padded(check.name, names, Side::Left);
    let head = format!("{}  {name}  ", padded(status, "warning".len(), Side::Left));
    let mut out = hanging(&head, &check.detail, width);
    if let Some(fix) = &check.fix {
        // A command stays on one line, so that it can be copied.
        out += &format!("{}fix: {}\n", " ".repeat(width_of(&head)), without_control(fix));
    }
    out
}

fn secret_lines(secrets: &[KeptSecret], width: usize) -> String {
    if secrets.is_empty() {
        return "No stored text contains a recognizable secret.\n".to_owned();
    }
    let line = |secret: &KeptSecret| {
        let KeptSecret { row, family, fix } = secret;
        let found = hanging("secret  ", &format!("{row}: {family}"), width);
        format!("{found}        fix: {}\n", without_control(fix))
    };
    secrets.iter().map(line).collect()
}

fn sum(health: &Health) -> String {
    let count = |status| health.count(status);
    let warnings = counted(count(HealthStatus::Warning) as u64, "warning");
    let (n_ok, n_failed) = (count(HealthStatus::Ok), count(HealthStatus::Failed));
    let mut sum = format!("{n_ok} ok, {warnings}, {n_failed} failed");
    let n_secrets = health.secrets.as_ref().map_or(0, Vec::len);
    for (n, what) in [(health.n_skipped(), "skipped"), (n_secrets, "with a secret")] {
        if n > 0 {
            sum += &format!(", {n} {what}");
        }
    }
    sum + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_each_with_its_fix_and_a_sum() {
        let check = |name, status: HealthStatus, detail: &str, fix: Option<&str>| HealthCheck {
            name,
            status: status.into(),
            detail: detail.into(),
            fix: fix.map(str::to_owned),
        };
        let (store, journal) =
            ("/home/me/memory.db opens (4.1 kB)", "entry 2 of project demo is missing");
        let move_it = Some("mv memory.db memory.db.damaged");
        let skipped = "skipped: the journal itself is damaged";
        let health = Health {
            checks: vec![
                check("store", HealthStatus::Ok, store, None),
                check("journal", HealthStatus::Failed, journal, move_it),
                check("tables", HealthStatus::Warning, skipped, None),
            ],
            mended: vec!["memory.db is yours alone now".to_owned()],
            backup: Some("memory.db.backup-1".to_owned()),
            secrets: Some(vec![KeptSecret {
                row: "lesson l-1".to_owned(),
                family: "aws-key".to_owned(),
                fix: "hardwon forget l-1 --hard".to_owned(),
            }]),
        };
        let expected = "\
ok       store    /home/me/memory.db opens (4.1 kB)
failed   journal  entry 2 of project demo is missing
                  fix: mv memory.db memory.db.damaged
-        tables   skipped: the journal itself is damaged

secret  lesson l-1: aws-key
        fix: hardwon forget l-1 --hard

repaired  memory.db is yours alone now
backup    memory.db.backup-1

1 ok, 0 warnings, 1 failed, 1 skipped, 1 with a secret
";
        assert_eq!(doctor(&health, 80), expected);
    }
}

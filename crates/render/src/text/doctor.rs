//! How memory is: `doctor`. One line a check, what mends it below, a sum at the end.

use hardwon_core::gate::without_control;

use super::columns::{Side, hanging, padded, width_of};
use crate::answer::{Health, HealthCheck, HealthStatus, KeptSecret};

/// `doctor`.
pub fn doctor(health: &Health, width: usize) -> String {
    let Health { checks, mended, backup, secrets } = health;
    let names = checks.iter().map(|check| width_of(check.name)).max().unwrap_or(0);
    let mut out: String = checks.iter().map(|check| line(check, names, width)).collect();
    if let Some(secrets) = secrets {
        out += "\n";
        out += &found(secrets, width);
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

fn found(secrets: &[KeptSecret], width: usize) -> String {
    if secrets.is_empty() {
        return "No stored text holds a secret that is known as one.\n".to_owned();
    }
    let line = |secret: &KeptSecret| {
        let KeptSecret { row, family, fix } = secret;
        let told = hanging("secret  ", &format!("{row}: {family}"), width);
        format!("{told}        fix: {}\n", without_control(fix))
    };
    secrets.iter().map(line).collect()
}

fn sum(health: &Health) -> String {
    let count = |status| health.count(status);
    let mut parts = vec![format!("{} ok", count(HealthStatus::Ok))];
    match count(HealthStatus::Warning) {
        1 => parts.push("1 warning".to_owned()),
        n => parts.push(format!("{n} warnings")),
    }
    parts.push(format!("{} failed", count(HealthStatus::Failed)));
    if health.n_skipped() > 0 {
        parts.push(format!("{} skipped", health.n_skipped()));
    }
    if let Some(secrets) = health.secrets.as_ref().filter(|secrets| !secrets.is_empty()) {
        parts.push(format!("{} with a secret", secrets.len()));
    }
    parts.join(", ") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        name: &'static str,
        status: HealthStatus,
        detail: &str,
        fix: Option<&str>,
    ) -> HealthCheck {
        HealthCheck {
            name,
            status: status.into(),
            detail: detail.into(),
            fix: fix.map(str::to_owned),
        }
    }

    #[test]
    fn a_line_each_with_its_fix_and_a_sum() {
        let health = Health {
            checks: vec![
                check("store", HealthStatus::Ok, "/home/me/memory.db opens (4.1 kB)", None),
                check(
                    "journal",
                    HealthStatus::Failed,
                    "entry 2 of the journal is missing",
                    Some("mv memory.db memory.db.damaged"),
                ),
                check(
                    "tables",
                    HealthStatus::Warning,
                    "skipped: the journal itself is damaged",
                    None,
                ),
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
failed   journal  entry 2 of the journal is missing
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

//! Settings and policies: `config list`, `policy show`, `policy diff`.

use super::columns::{Side, hanging, table};
use crate::answer::fields::plain;
use crate::answer::settings::flat;
use crate::answer::{Policy, PolicyDiff, Setting, Settings};

/// `config list`: name, value, and where the value was set.
pub fn config(settings: &Settings, width: usize) -> String {
    let row = |setting: &Setting| {
        vec![setting.name.clone(), setting.value.clone(), format!("({})", setting.set_by)]
    };
    let rows: Vec<Vec<String>> = settings.settings.iter().map(row).collect();
    table(&rows, &[Side::Left; 3], width)
}

/// `policy show`: where the numbers come from, then every number under its name.
pub fn policy(policy: &Policy, width: usize) -> String {
    let mut out = hanging("", &format!("{}: {}", policy.name, policy.note), width) + "\n";
    for (name, value) in flat(policy.numbers.clone()) {
        if name != "name" && name != "note" {
            out += &format!("{name} = {}\n", plain(&value));
        }
    }
    out
}

/// `policy diff`: only what is different.
pub fn policy_diff(diff: &PolicyDiff, width: usize) -> String {
    let PolicyDiff { left, right, differences } = diff;
    if differences.is_empty() {
        return format!("{left} and {right} have the same numbers\n");
    }
    let head = vec!["NAME".to_owned(), left.clone(), right.clone()];
    let rows =
        differences.iter().map(|one| vec![one.name.clone(), plain(&one.left), plain(&one.right)]);
    let rows: Vec<Vec<String>> = [head].into_iter().chain(rows).collect();
    table(&rows, &[Side::Left, Side::Right, Side::Right], width)
}

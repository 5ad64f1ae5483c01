//! Settings and policies: `config list`, `policy show`, `policy diff`.

use crate::answer::Setting;
use hardwon_core::policy::Policy;

use super::columns::{Side, hanging, table};
use crate::fields::plain;
use crate::policy::{differences, flat};

/// `config list`: name, value, and where the value was set.
pub fn config(settings: &[Setting], width: usize) -> String {
    let row = |setting: &Setting| {
        vec![setting.name.clone(), setting.value.clone(), format!("({})", setting.set_by)]
    };
    let rows: Vec<Vec<String>> = settings.iter().map(row).collect();
    table(&rows, &[Side::Left; 3], width)
}

/// `policy show`: where the numbers come from, then every number under its name.
pub fn policy(policy: &Policy, width: usize) -> String {
    let mut out = hanging("", &format!("{}: {}", policy.name, policy.note), width) + "\n";
    for (name, value) in flat(policy) {
        if name != "name" && name != "note" {
            out += &format!("{name} = {}\n", plain(&value));
        }
    }
    out
}

/// `policy diff`: only what is different.
pub fn policy_diff(left: &Policy, right: &Policy, width: usize) -> String {
    let differences = differences(left, right);
    if differences.is_empty() {
        return format!("{} and {} have the same numbers\n", left.name, right.name);
    }
    let head = vec!["NAME".to_owned(), left.name.clone(), right.name.clone()];
    let rows =
        differences.into_iter().map(|one| vec![one.name, plain(&one.left), plain(&one.right)]);
    let rows: Vec<Vec<String>> = [head].into_iter().chain(rows).collect();
    table(&rows, &[Side::Left, Side::Right, Side::Right], width)
}

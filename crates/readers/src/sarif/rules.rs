//! Which rules does a tool list, and which of them is a result about?

use std::collections::BTreeSet;

use serde_json::Value;

use super::Run;
use crate::json::Object;

/// The rule that a result points to: by index, or else by its id.
pub fn rule_of<'t>(run: &'t Run, result: &Object) -> Option<&'t Value> {
    let pointer = result.get("rule");
    let extension = pointer.and_then(|rule| rule.pointer("/toolComponent/index"));
    let component = match extension.and_then(Value::as_u64) {
        Some(index) => run.tool.get("extensions")?.get(usize::try_from(index).ok()?)?,
        None => run.tool.get("driver")?,
    };
    let rules = component.get("rules")?.as_array()?;
    let index = result.get("ruleIndex").or_else(|| pointer?.get("index")).and_then(Value::as_u64);
    let by_index = index.and_then(|index| rules.get(usize::try_from(index).ok()?));
    let id = result.get("ruleId").or_else(|| pointer?.get("id")).and_then(Value::as_str);
    by_index.or_else(|| {
        let id = id?;
        let is_it = |rule: &&Value| rule.get("id").and_then(Value::as_str) == Some(id);
        // A rule may be named with what follows its id: `CA1000/1`.
        let root = id.split('/').next().unwrap_or(id);
        let is_root = |rule: &&Value| rule.get("id").and_then(Value::as_str) == Some(root);
        rules.iter().find(is_it).or_else(|| rules.iter().find(is_root))
    })
}

/// The ids of all rules that the tool and its extensions list.
pub fn rules(run: &Run) -> BTreeSet<&str> {
    let driver = run.tool.get("driver").into_iter();
    let extensions = run.tool.get("extensions").and_then(Value::as_array).into_iter().flatten();
    let lists = driver.chain(extensions).filter_map(|part| part.get("rules")?.as_array());
    lists.flatten().filter_map(|rule| rule.get("id")?.as_str()).collect()
}

/// The id of the rule that a result is about.
pub fn broken_rule<'r>(run: &'r Run, result: &'r Object) -> Option<&'r str> {
    let listed = rule_of(run, result).and_then(|rule| rule.get("id"));
    listed.or_else(|| result.get("ruleId"))?.as_str()
}

//! What a model answered when it was asked to look back on a run. Read with patience: what is
//! missing is empty, what has another form is a problem, and only an answer that is no object is
//! refused. Whether its evidence exists is for `core` to judge.

use hardwon_core::event::Problem;
use hardwon_core::reflect::advice::{Advice, Advised, Cited};
use serde_json::{Map, Value};

/// Longest text that is read of any field, in characters; the gate cuts further.
const MAX_CHARS: usize = 2000;

const MAX_ENTRIES: usize = 40;

pub fn advice(value: &Value) -> Result<(Advice, Vec<Problem>), Problem> {
    let Some(answer) = value.as_object() else {
        return Err(Problem::new("answer", "it is not a JSON object"));
    };
    let mut problems = Vec::new();
    // The document's own word is `lessons`.
    let candidates = answer.get("candidates").or_else(|| answer.get("lessons"));
    let candidates = match candidates {
        Some(Value::Array(items)) => items.as_slice(),
        Some(Value::Null) | None => &[],
        Some(_) => {
            problems.push(Problem::new("candidates", "it is not a list"));
            &[]
        }
    };
    if candidates.len() > MAX_ENTRIES {
        let reason = format!("only the first {MAX_ENTRIES} are read");
        problems.push(Problem::new("candidates", reason));
    }
    let mut advised = Vec::new();
    for (index, item) in candidates.iter().take(MAX_ENTRIES).enumerate() {
        match item.as_object() {
            Some(item) => advised.push(candidate(item)),
            None => {
                let at = format!("candidates[{index}]");
                problems.push(Problem::new(at, "not taken: it is not an object"));
            }
        }
    }
    let advice = Advice {
        summary: text(answer, &["summary", "outcome"]),
        worked: texts(answer, &["worked", "whatWorked", "what_worked"]),
        failed: texts(answer, &["failed", "whatFailed", "what_failed"]),
        decisions: texts(answer, &["decisions", "keyDecisions", "key_decisions"]),
        candidates: advised,
    };
    Ok((advice, problems))
}

pub fn candidate(item: &Map<String, Value>) -> Advised {
    let number = |name: &str| item.get(name).and_then(Value::as_f64);
    let evidence = match item.get("evidence") {
        Some(Value::Array(all)) => all.iter().take(MAX_ENTRIES).map(cited).collect(),
        Some(Value::Null) | None => Vec::new(),
        Some(one) => vec![cited(one)],
    };
    Advised {
        category: text(item, &["category"]),
        title: text(item, &["title", "summary"]),
        text: text(item, &["text", "lesson"]),
        rule: text(item, &["rule"]),
        description: text(item, &["description", "details"]),
        scope: scope(item.get("scope")),
        tags: texts(item, &["tags"]),
        importance: number("importance").unwrap_or(0.5),
        confidence: number("confidence").unwrap_or(0.5),
        evidence,
    }
}

fn cited(value: &Value) -> Cited {
    let Some(item) = value.as_object() else {
        // Words alone are a quotation.
        let quote = value.as_str().map(cut).filter(|quote| !quote.is_empty());
        return Cited { quote, ..Cited::default() };
    };
    let said = |names: &[&str]| Some(text(item, names)).filter(|text| !text.is_empty());
    let step = item.get("step").and_then(|step| match step {
        Value::String(text) => text.trim_start_matches(['s', '#']).parse().ok(),
        number => number.as_u64(),
    });
    Cited {
        run: said(&["run", "episodeId"]),
        step,
        place: said(&["place", "path"]),
        quote: said(&["quote"]),
    }
}

/// A dimension and its value each; a list or a word without one says nothing.
fn scope(value: Option<&Value>) -> Vec<(String, String)> {
    let pairs = value.and_then(Value::as_object).into_iter().flatten();
    let pairs = pairs.filter_map(|(side, value)| Some((cut(side), cut(value.as_str()?))));
    pairs.filter(|(_, value)| !value.is_empty()).take(MAX_ENTRIES).collect()
}

fn text(object: &Map<String, Value>, names: &[&str]) -> String {
    let found = names.iter().find_map(|name| object.get(*name).and_then(Value::as_str));
    found.map(cut).unwrap_or_default()
}

fn texts(object: &Map<String, Value>, names: &[&str]) -> Vec<String> {
    let found = names.iter().find_map(|name| object.get(*name));
    let items = match found {
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(one)) => vec![one.as_str()],
        _ => Vec::new(),
    };
    let items = items.into_iter().map(cut).filter(|item| !item.is_empty());
    items.take(MAX_ENTRIES).collect()
}

fn cut(text: &str) -> String {
    text.trim().chars().take(MAX_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_documented_answer_is_read_whole() {
        let (advice, problems) = advice(&json!({
            "summary": "The build failed twice.",
            "worked": ["pnpm with --filter"], "failed": ["pnpm build"], "decisions": [],
            "candidates": [{
                "category": "tool_usage", "title": "Workspace flag", "text": "Pass --filter",
                "rule": "IF a script is run THEN pass --filter", "description": "no root script",
                "scope": {"tool": "pnpm"}, "tags": ["pnpm"], "importance": 0.8, "confidence": 0.7,
                "evidence": [{"run": "r1", "step": 2, "place": "package.json:3", "quote": "Missing"}],
            }],
        }))
        .expect("an answer");
        assert_eq!(problems, []);
        assert_eq!(advice.failed, ["pnpm build"]);
        let one = &advice.candidates[0];
        assert_eq!((one.importance, one.text.as_str()), (0.8, "Pass --filter"));
        assert_eq!(one.scope, [("tool".to_owned(), "pnpm".to_owned())]);
        let quote = Some("Missing".to_owned());
        let (run, place) = (Some("r1".to_owned()), Some("package.json:3".to_owned()));
        assert_eq!(one.evidence, [Cited { run, step: Some(2), place, quote }]);
    }

    #[test]
    fn what_is_odd_is_told_and_the_rest_is_used() {
        let (advice, problems) = advice(&json!({
            "summary": 4, "worked": "one thing",
            "lessons": [7, {"rule": "IF a THEN b", "evidence": "the words", "scope": ["x"]}],
        }))
        .expect("an answer");
        assert_eq!((advice.summary.as_str(), advice.worked), ("", vec!["one thing".to_owned()]));
        assert_eq!(problems[0].at, "candidates[0]");
        assert_eq!(advice.candidates[0].evidence[0].quote.as_deref(), Some("the words"));
        let step = json!({"candidates": [{"evidence": [{"step": "s3"}, {"step": "x"}]}]});
        let read = super::advice(&step).expect("an answer").0;
        let steps: Vec<_> = read.candidates[0].evidence.iter().map(|it| it.step).collect();
        assert_eq!(steps, [Some(3), None]);
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        for value in [json!([]), json!("no"), json!(null), json!(3)] {
            assert!(advice(&value).is_err(), "{value}");
        }
        let list = json!({"candidates": {"a": 1}});
        assert_eq!(advice(&list).expect("an object").1[0].reason, "it is not a list");
    }
}

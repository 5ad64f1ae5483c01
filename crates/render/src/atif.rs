//! A run as a trajectory in the Agent Trajectory Interchange Format (ATIF 1.8). What we know
//! beyond the format is in `extra.hardwon`, so that reading it again gives the same run; what
//! the source of the run had beyond the format goes back to where it was.

use hardwon_core::command::trouble::classify;
use hardwon_core::episode::{Step, StepError, StepKind, StepResult};
use hardwon_core::run::Run;
use serde_json::{Map, Value, json};

const VERSION: &str = "ATIF-v1.8";

/// The most steps that are written; a repeated step is written as often as fits.
const MAX_STEPS: usize = 20_000;

/// The key below which we write what we know beyond the format.
const OURS: &str = "hardwon";

/// The agent's name if it is unknown; the format requires one.
const UNKNOWN: &str = "unknown";

/// Where a source can have values beyond the format.
const PLACES: [&str; 5] = ["agent", "final_metrics", "extra", "notes", "continued_trajectory_ref"];

/// The trajectory of a run.
pub fn atif(run: &Run) -> String {
    let mut kept = kept(run);
    let mut document = Map::new();
    document.insert("schema_version".into(), VERSION.into());
    document.insert("trajectory_id".into(), run.id.as_str().into());
    insert(&mut document, "session_id", run.episode.session.as_deref());
    document.insert("agent".into(), agent(run, part(&mut kept, "agent")));
    document.insert("steps".into(), Value::Array(steps(run)));
    let metrics = metrics(run, part(&mut kept, "final_metrics"));
    insert(&mut document, "final_metrics", filled(metrics));
    let mut extra = part(&mut kept, "extra");
    insert(&mut extra, OURS, filled(ours(run)));
    insert(&mut document, "extra", filled(extra));
    document.extend(kept);
    serde_json::to_string_pretty(&document).expect("a trajectory can be written as JSON") + "\n"
}

/// The object, unless it is empty.
fn filled(object: Map<String, Value>) -> Option<Map<String, Value>> {
    Some(object).filter(|object| !object.is_empty())
}

/// What the source had beyond the format. What came from another format is kept as one object.
fn kept(run: &Run) -> Map<String, Value> {
    let kept = run.episode.extra.as_deref().and_then(|extra| serde_json::from_str(extra).ok());
    let Some(Value::Object(kept)) = kept else { return Map::new() };
    if kept.keys().all(|key| PLACES.contains(&key.as_str())) {
        kept
    } else {
        Map::from_iter([("extra".to_owned(), Value::Object(kept))])
    }
}

fn part(kept: &mut Map<String, Value>, name: &str) -> Map<String, Value> {
    match kept.remove(name) {
        Some(Value::Object(part)) => part,
        _ => Map::new(),
    }
}

fn agent(run: &Run, kept: Map<String, Value>) -> Value {
    let mut agent = json!({"name": run.agent.as_deref().unwrap_or(UNKNOWN), "version": UNKNOWN});
    kept.into_iter().for_each(|(name, value)| agent[name] = value);
    agent
}

fn metrics(run: &Run, kept: Map<String, Value>) -> Map<String, Value> {
    let usage = run.episode.usage;
    let mut metrics = Map::new();
    insert(&mut metrics, "total_prompt_tokens", usage.tokens_in);
    insert(&mut metrics, "total_completion_tokens", usage.tokens_out);
    insert(&mut metrics, "total_cached_tokens", usage.tokens_cached);
    insert(&mut metrics, "total_cost_usd", usage.cost_usd);
    metrics.extend(kept);
    metrics
}

/// What we know about the run beyond the format.
fn ours(run: &Run) -> Map<String, Value> {
    let mut ours = Map::new();
    insert(&mut ours, "outcome", run.outcome.map(|outcome| outcome.word()));
    insert(&mut ours, "error_class", run.episode.error_class.as_deref());
    insert(&mut ours, "summary", run.episode.summary.as_deref());
    insert(&mut ours, "parent", run.parent.as_ref().map(|parent| parent.as_str()));
    insert(&mut ours, "duration_s", run.episode.usage.duration_s);
    insert(&mut ours, "finished", run.finished.map(|finished| finished.to_string()));
    ours
}

fn insert<T: Into<Value>>(into: &mut Map<String, Value>, name: &str, value: Option<T>) {
    into.extend(value.map(|value| (name.to_owned(), value.into())));
}

/// The task, and then what was done.
fn steps(run: &Run) -> Vec<Value> {
    let wanted = run.task.as_deref().map(|task| json!({"source": "user", "message": task}));
    let done = in_order(&run.episode.trail).into_iter().map(step);
    let mut steps: Vec<Value> = wanted.into_iter().chain(done).collect();
    if steps.is_empty() {
        let summary = run.episode.summary.as_deref().unwrap_or_default();
        steps.push(json!({"source": "system", "message": summary}));
    }
    for (n, step) in (1..).zip(&mut steps) {
        step["step_id"] = n.into();
        if let Some(calls) = step.get_mut("tool_calls") {
            let id: Value = format!("call-{n}").into();
            calls[0]["tool_call_id"] = id.clone();
            if let Some(observation) = step.get_mut("observation") {
                observation["results"][0]["source_call_id"] = id;
            }
        }
    }
    if let Some(started) = run.started {
        steps[0]["timestamp"] = started.to_string().into();
    }
    if let (Some(finished), [_, .., last]) = (run.finished, steps.as_mut_slice()) {
        last["timestamp"] = finished.to_string().into();
    }
    steps
}

fn step(step: &Step) -> Value {
    let mut ours = Map::new();
    ours.insert("kind".into(), step.kind.word().into());
    insert(&mut ours, "duration_ms", step.duration_ms);
    if step.kind == StepKind::Correction {
        ours.insert("tool".into(), step.tool.as_str().into());
        return json!({"source": "user", "message": step.action, "extra": {OURS: ours}});
    }
    ours.insert("result".into(), step.result.word().into());
    let name = match step.kind {
        StepKind::Command => "command",
        StepKind::Edit | StepKind::Look => "path",
        StepKind::Test | StepKind::Correction => "name",
    };
    let call = json!({"function_name": step.tool, "arguments": {name: step.action}});
    let mut step_json = json!({
        "source": "agent",
        "message": "",
        "tool_calls": [call],
        "extra": {OURS: ours},
    });
    if step.result == StepResult::Failed
        && let Some(error) = &step.error
    {
        step_json["observation"] = json!({"results": [{"content": output(error)}]});
    }
    step_json
}

/// The output of a failed step. Its class was read from the complete output: if the one line
/// that is kept does not show it, a word that does is put before it.
fn output(error: &StepError) -> String {
    use hardwon_core::episode::ErrorClass as Class;
    let is_shown = classify(&error.line) == error.class;
    let sign = error.class.filter(|_| !is_shown).map(|class| match class {
        Class::Type => "mismatched types",
        Class::Import => "unresolved import",
        Class::Syntax => "unterminated",
        Class::Runtime => "killed",
        Class::Test => "expected:",
        Class::Build => "linker",
        Class::Timeout => "time limit",
        Class::Tool => "usage:",
        Class::Permission => "eacces",
        Class::Network => "tls handshake",
        Class::Logic => "invariant",
    });
    let sign = sign.map_or(String::new(), |sign| format!("[{sign}]\n"));
    sign + &error.line
}

/// Each step at its first and last place, and as often between as it was done, so that folding
/// them again gives the same trail.
fn in_order(trail: &[Step]) -> Vec<&Step> {
    let n_places = trail.iter().map(|step| step.last as usize + 1).max().unwrap_or(0);
    if n_places > MAX_STEPS {
        return trail.iter().collect();
    }
    let mut places: Vec<Option<&Step>> = vec![None; n_places];
    for step in trail {
        places[step.first as usize] = Some(step);
        places[step.last as usize] = Some(step);
    }
    let is_twice = |step: &Step| u32::from(step.last > step.first);
    let mut left: Vec<(&Step, u32)> =
        trail.iter().map(|step| (step, step.n.saturating_sub(1 + is_twice(step)))).collect();
    for (at, place) in places.iter_mut().enumerate().filter(|(_, place)| place.is_none()) {
        // The one whose last place comes first can wait the least.
        let fits = |(step, n): &&mut (&Step, u32)| {
            *n > 0 && (step.first as usize) < at && at < step.last as usize
        };
        if let Some((step, n)) = left.iter_mut().filter(fits).min_by_key(|(step, _)| step.last) {
            *place = Some(*step);
            *n -= 1;
        }
    }
    places.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use hardwon_core::episode::trail;
    use hardwon_core::ids::RunId;
    use hardwon_core::time::Timestamp;

    use super::*;

    fn done(action: &str, result: StepResult) -> Step {
        let (tool, action) = ("bash".to_owned(), action.to_owned());
        Step::once(StepKind::Command, tool, action, result)
    }

    #[test]
    fn a_trail_comes_back_in_its_order() {
        let orders = ["abc", "aabacb", "abababcab", "aaaa", "abcabcabc", "cbaabcca"];
        for order in orders {
            let of = |c: char| done(&c.to_string(), StepResult::Ok);
            let folded = trail(order.chars().map(of));
            let again = in_order(&folded).into_iter().map(|step| done(&step.action, step.result));
            assert_eq!(trail(again), folded, "{order}");
        }
    }

    #[test]
    fn every_class_of_error_is_shown_by_what_is_written() {
        use hardwon_core::command::trouble::telling_line;
        use hardwon_core::episode::ErrorClass;
        for &class in ErrorClass::ALL {
            for line in ["something odd", "error: it broke", "it failed"] {
                let error = StepError { class: Some(class), line: line.to_owned() };
                let written = output(&error);
                assert_eq!(classify(&written), Some(class), "{written}");
                assert_eq!(telling_line(&written).as_deref(), Some(line), "{written}");
            }
        }
    }

    #[test]
    fn what_came_from_elsewhere_is_not_lost() {
        let mut run = Run::stub(RunId::parse("r1").unwrap(), Timestamp(0));
        run.episode.extra = Some("{\"queue\":\"nightly\"}".to_owned());
        let value: Value = serde_json::from_str(&atif(&run)).unwrap();
        assert_eq!(value["extra"], json!({"queue": "nightly"}));
        run.episode.extra = Some("no JSON any more".to_owned());
        assert!(atif(&run).contains(VERSION));
    }
}

//! `report_finding`: a defect that the agent found or caused, learned as its own statement.

use hardwon_engine::answer::{Answer, Learned, Named, Regression, RunLearned};
use hardwon_engine::finding::Severity;
use hardwon_engine::{Input, LearnRequest, runs};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Reply, Session, Trouble, words};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// What is wrong and where, in one or two sentences.
    text: String,
    /// How bad it is; warning when left out.
    #[schemars(extend("enum" = words(Severity::ALL, Severity::word)))]
    severity: Option<String>,
    /// The file it is in. It is compared, never opened.
    path: Option<String>,
    /// The line in that file.
    line: Option<u32>,
    /// A word for the sort of defect, e.g. security or error-handling.
    category: Option<String>,
    /// The run's id; this session when left out.
    run: Option<String>,
}

pub fn call(session: &Session, args: Args) -> Result<Reply, Trouble> {
    let severity = match args.severity.as_deref() {
        Some(word) => Severity::fold(word).ok_or_else(|| {
            let known = words(Severity::ALL, Severity::word).join(", ");
            Trouble::wrong("no such severity", format!("one of {known}"))
        })?,
        None => Severity::Warning,
    };
    let run = session.run(args.run.as_deref())?;
    let line = json!({
        "type": "finding", "author": session.agent(), "severity": severity.word(),
        "text": args.text, "path": args.path, "line": args.line, "category": args.category,
    });
    let record = format!("{}\n{line}\n", json!({"type": "run", "id": run.as_str()}));
    let request = LearnRequest::of(Input::text("report_finding", &record));
    let mut open = session.writer()?;
    reply(runs::learn(&mut open.memory, &open.call, request)?)
}

fn reply(answer: Answer<Learned>) -> Result<Reply, Trouble> {
    let reasons: Vec<&str> = answer.problems.iter().map(|p| p.reason.as_str()).collect();
    let Some(learned) = answer.body.runs.first().filter(|run| run.findings.n_used > 0) else {
        let hint = "say in one or two sentences what is wrong and where";
        return Err(Trouble::wrong(reasons.join("; "), hint));
    };
    let (text, body) = (text(learned), body(learned));
    Ok(Reply::new(text, &answer.map(|_| body)))
}

fn ids(all: &[Named]) -> Vec<String> {
    all.iter().map(|named| named.id.to_string()).collect()
}

fn body(learned: &RunLearned) -> Value {
    let regression = |it: &Regression| json!({"text": it.text, "fixed_in": it.fixed_in.as_ref().map(ToString::to_string)});
    json!({
        "run": learned.run.to_string(),
        "already_known": learned.is_known,
        "new": ids(&learned.new),
        "matched": ids(&learned.matched),
        "promoted": ids(&learned.promoted),
        "regressions": learned.regressions.iter().map(regression).collect::<Vec<_>>(),
    })
}

fn text(learned: &RunLearned) -> String {
    let mut sentences = vec![if learned.is_known {
        format!("Known already in run {}; nothing was changed.", learned.run)
    } else {
        format!("Noted for run {}.", learned.run)
    }];
    for (what, named) in [
        ("A candidate was started", &learned.new),
        ("Seen again", &learned.matched),
        ("Shown to later runs from now on", &learned.promoted),
    ] {
        if !named.is_empty() {
            sentences.push(format!("{what}: {}.", ids(named).join(", ")));
        }
    }
    for regression in &learned.regressions {
        let since = regression.fixed_in.as_ref().map(|run| format!(" in {run}"));
        let since = since.unwrap_or_default();
        sentences.push(format!("It had been fixed{since} and is back: {}", regression.text));
    }
    sentences.join(" ")
}

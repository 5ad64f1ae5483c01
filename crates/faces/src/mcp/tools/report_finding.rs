//! `report_finding`: a defect that the agent found or caused, learned as its own statement.

use hardwon_engine::answer::{Answer, Learned, Named, RunLearned};
use hardwon_engine::finding::Severity;
use hardwon_engine::{Input, LearnRequest, runs};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Reply, Session, Trouble, arguments, words};

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

#[derive(Serialize)]
pub struct Body {
    run: String,
    /// Nothing new was in it.
    already_known: bool,
    /// Lessons that were started.
    new: Vec<String>,
    /// Lessons that were seen again.
    matched: Vec<String>,
    /// Lessons that are shown to later runs from now on.
    promoted: Vec<String>,
    /// It had been fixed before and is back; since the run named here, where that is known.
    regressions: Vec<RegressionWire>,
}

#[derive(Serialize)]
struct RegressionWire {
    text: String,
    fixed_in: Option<String>,
}

pub fn call(session: &Session, given: JsonObject) -> Result<Reply, Trouble> {
    let args: Args = arguments(given)?;
    let severity = match args.severity.as_deref() {
        Some(word) => Severity::fold(word).ok_or_else(unknown_severity)?,
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
    let answer = runs::learn(&mut open.memory, &open.call, request)?;
    reply(answer)
}

fn unknown_severity() -> Trouble {
    let known = words(Severity::ALL, Severity::word).join(", ");
    Trouble::wrong("no such severity", format!("one of {known}"))
}

fn reply(answer: Answer<Learned>) -> Result<Reply, Trouble> {
    let reasons: Vec<&str> = answer.problems.iter().map(|p| p.reason.as_str()).collect();
    let Some(learned) = answer.body.runs.first().filter(|run| run.findings.n_used > 0) else {
        let hint = "say in one or two sentences what is wrong and where";
        return Err(Trouble::wrong(reasons.join("; "), hint));
    };
    let body = body(learned);
    Ok(Reply::new(text(&body), &answer.map(|_| body)))
}

fn body(learned: &RunLearned) -> Body {
    let ids = |all: &[Named]| all.iter().map(|named| named.id.to_string()).collect();
    let regressions = learned.regressions.iter().map(|regression| RegressionWire {
        text: regression.text.clone(),
        fixed_in: regression.fixed_in.as_ref().map(ToString::to_string),
    });
    Body {
        run: learned.run.to_string(),
        already_known: learned.is_known,
        new: ids(&learned.new),
        matched: ids(&learned.matched),
        promoted: ids(&learned.promoted),
        regressions: regressions.collect(),
    }
}

fn text(body: &Body) -> String {
    let mut sentences = vec![if body.already_known {
        format!("Known already in run {}; nothing was changed.", body.run)
    } else {
        format!("Noted for run {}.", body.run)
    }];
    for (what, ids) in [
        ("A candidate was started", &body.new),
        ("Seen again", &body.matched),
        ("Shown to later runs from now on", &body.promoted),
    ] {
        if !ids.is_empty() {
            sentences.push(format!("{what}: {}.", ids.join(", ")));
        }
    }
    for regression in &body.regressions {
        let since = regression.fixed_in.as_ref().map(|run| format!(" in {run}"));
        let since = since.unwrap_or_default();
        sentences.push(format!("It had been fixed{since} and is back: {}", regression.text));
    }
    sentences.join(" ")
}

//! The Archivist's tools, for an agent that plays its part: does memory say this already, how much
//! does it matter, and may two lessons be one? They decide nothing: what they answer is for the
//! agent, and a merge waits for a person.

use hardwon_core::change::Change;
use hardwon_core::consult::{self, Consultation, Proposed, Purpose, Spend};
use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::merge::{self, Standing};
use hardwon_core::propose;
use hardwon_core::statement::{self, Stated, Statement};
use hardwon_engine::ids::LessonId;
use hardwon_engine::lesson::{Kind, Lesson, Origin};
use hardwon_engine::write::{Command, write};
use hardwon_engine::{Call, EngineError, Memory, Result, lookup};
use hardwon_store::{ConsultationQuery, RunQuery, Search};

/// So many lessons are compared with a text.
const N_NEAR: usize = 24;

/// So many of the last runs are looked at for trouble of the same sort.
const N_RUNS: usize = 60;

/// A word that two texts have in common has at least so many letters.
const MIN_LETTERS: usize = 4;

pub fn standing(memory: &Memory, call: &Call, text: &str) -> Result<Standing> {
    let clean = memory.gate.statement(text, Origin::Agent).map_err(EngineError::Refused)?;
    let lesson = statement::new_lesson(
        &memory.gate,
        Statement {
            id: LessonId::derive(Some(&call.project), "text", clean.as_str(), |_| false),
            project: Some(call.project.clone()),
            kind: Kind::Pattern,
            text: clean,
            stated: &Stated::default(),
            author: &call.actor,
            origin: Origin::Agent,
            at: call.now,
        },
    );
    let terms = propose::terms_of_lesson(&lesson);
    let search = Search { terms, only_injectable: false, limit: N_NEAR, ..Search::default() };
    let near = memory.store.search(&call.project, &search)?;
    Ok(merge::standing(&lesson, &near.lessons, &near.corpus, &memory.policy.matching))
}

/// How much a lesson would matter, from 0 to 1, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Importance {
    pub importance: f64,
    pub reasons: Vec<String>,
}

/// Scores a text by what memory knows: trouble in several runs with the same words, and whether it
/// is said already.
pub fn importance(memory: &Memory, call: &Call, text: &str) -> Result<Importance> {
    let words: Vec<String> = hardwon_core::words::unique_words(text);
    let words: Vec<&String> =
        words.iter().filter(|word| word.chars().count() >= MIN_LETTERS).collect();
    let query = RunQuery { limit: Some(N_RUNS), ..RunQuery::default() };
    let runs = memory.store.runs(&call.project, &query)?;
    let is_trouble = |run: &&hardwon_engine::run::Run| {
        run.episode.trail.iter().filter_map(|step| Some((step, step.error.as_ref()?))).any(
            |(step, error)| {
                let said = format!("{} {}", step.action, error.line).to_lowercase();
                words.iter().filter(|word| said.contains(word.as_str())).count() >= 2
            },
        )
    };
    let n_runs = runs.iter().filter(is_trouble).count();
    let mut reasons = vec!["0.3 for any lesson".to_owned()];
    let mut importance: f64 = 0.3;
    if n_runs > 0 {
        let more = (0.2 * n_runs as f64).min(0.6);
        importance += more;
        reasons
            .push(format!("{more:.1} for trouble with these words in {n_runs} of the last runs"));
    }
    let standing = standing(memory, call, text)?;
    if let Standing::Same(id) = &standing {
        importance -= 0.2;
        reasons.push(format!("-0.2 because {id} says it"));
    }
    let importance = (importance.clamp(0.0, 1.0) * 100.0).round() / 100.0;
    Ok(Importance { importance, reasons })
}

/// Notes that two lessons may be one, and why. A person decides; the same again changes nothing.
pub fn propose_merge(
    memory: &mut Memory,
    call: &Call,
    (weaker, into): (&str, &str),
    proposed: Proposed,
    backend: &str,
) -> Result<Consultation> {
    let (_, noted) = write(memory, call, &Command::new("merge"), &mut |memory, _| {
        let other = lookup::lesson_named(memory, call, weaker)?;
        let base = lookup::lesson_named(memory, call, into)?;
        if let Some(reason) = merge::refusal(&base, &other) {
            return Err(EngineError::DecisionRefused { lesson: other.id.to_string(), reason });
        }
        let evidence = pair(&other, &base);
        let reason = memory.gate.line(&proposed.reason).as_str().to_owned();
        let noted = Consultation {
            id: consult::id(Purpose::Merge, &evidence, 0),
            purpose: Purpose::Merge,
            about: vec![other.id.to_string(), base.id.to_string()],
            evidence: evidence.clone(),
            backend: backend.to_owned(),
            model: call.actor.clone(),
            at: call.now,
            reserved: Spend::default(),
            spent: Some(Spend::default()),
            is_answered: true,
            failure: None,
            proposed: Some(Proposed { reason, ..proposed.clone() }),
        };
        let (project, evidence) = (Some(call.project.clone()), Some(evidence));
        let query = ConsultationQuery { project, evidence, ..ConsultationQuery::default() };
        let known = memory.store.consultations(&query)?.into_iter().map(|(_, it)| it).next();
        if let Some(known) = known {
            return Ok((Vec::new(), known));
        }
        let consultation = Box::new(noted.clone());
        Ok((vec![Change::AddConsultation { consultation }], noted))
    })?;
    Ok(noted)
}

/// What a question about two lessons is known by: their words, whichever comes first.
pub(super) fn pair(a: &Lesson, b: &Lesson) -> String {
    let mut texts = [a.text.as_str(), b.text.as_str()];
    texts.sort_unstable();
    sha256_of_bytes(texts.join("\n").as_bytes())
}

//! A model looks back on runs, after the fixed patterns did: what these found is there whatever
//! becomes of the question.

use hardwon_core::consult::Purpose;
use hardwon_core::event::Problem;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_engine::answer::{
    Answer, Asked, AskedOutcome, Cost, Learned, Looked, PromptPrinted, Reflected, RunCost,
    RunLearned, WouldAsk, price_word,
};
use hardwon_engine::model::{Model, Tool};
use hardwon_engine::reflection::Scenario;
use hardwon_engine::{About, Call, Environment, Memory, OpenMemory, ReflectRequest, Result, runs};
use hardwon_readers::advice::advice;
use hardwon_render::advice::{PROMPT, evidence, record, shape};

use super::read::read_waiting;
use super::{
    Outcome, Question, Whom, Words, accounted, ask, conclude, consult, give_up, room, spent_now,
    whom,
};

/// What is told while it lasts: who is asked about which run, then what came of it.
pub type Told<'a> = &'a mut dyn FnMut(&RunId, Option<&Asked>);

/// Looks back on runs by the fixed patterns, then asks the model about each of them.
pub fn reflect(
    memory: &mut Memory,
    call: &Call,
    request: &ReflectRequest,
    model: &dyn Model,
    tell: Told<'_>,
) -> Result<Answer<Reflected>> {
    let Answer { problems, mut body, .. } = runs::reflect(memory, call, request)?;
    let mut problems = problems;
    let roots: Vec<RunId> = body.runs.iter().map(|run| run.0.clone()).collect();
    for root in &roots {
        tell(root, None);
        let about = ReflectRequest { about: About::Run(root.clone()), ..request.clone() };
        let goes_on = about_run(memory, call, &about, model, &mut body, &mut problems)?;
        tell(root, body.asked.last());
        if !goes_on {
            break;
        }
    }
    Ok(body.answer(problems))
}

/// Asks about one run. Whether others may be asked about: not after a cap said no, nor where the
/// model cannot be reached.
fn about_run(
    memory: &mut Memory,
    call: &Call,
    request: &ReflectRequest,
    model: &dyn Model,
    reflected: &mut Reflected,
    problems: &mut Vec<Problem>,
) -> Result<bool> {
    let looked = runs::reflection_context(memory, call, request)?.body;
    let (question, _) = question(memory, model, &looked);
    let (outcome, asked) = ask(memory, call, model, &question)?;
    let refused = asked.reason.clone().unwrap_or_default();
    let is_failed = matches!(asked.outcome, AskedOutcome::Failed | AskedOutcome::NotAsked);
    reflected.asked.push(asked);
    let goes_on = match outcome {
        Outcome::Known => true,
        Outcome::Nothing { is_cap } => {
            let what = if is_cap { "not asked" } else { "no answer" };
            problems.push(Problem::new(model.backend(), format!("{what}: {refused}")));
            false
        }
        Outcome::Answered(value, asked) => {
            match advice(&value) {
                Ok((advice, odd)) => {
                    problems.extend(odd);
                    let taken = runs::advise(memory, call, &looked.run.id, model.model(), &advice)?;
                    problems.extend(taken.problems);
                    conclude(memory, call, &asked)?;
                    reflected.advised(accounted(memory, call, &looked.run.id)?, taken.body);
                }
                Err(problem) => {
                    give_up(memory, call, &asked, &problem.reason)?;
                    problems.push(Problem::new(model.backend(), problem.reason));
                }
            }
            true
        }
    };
    Ok(goes_on && !is_failed)
}

/// The question about a run, and how many lines of its record are told and left out.
fn question(memory: &Memory, model: &dyn Model, looked: &Looked) -> (Question, (usize, usize)) {
    let room = room(&memory.settings, model);
    let shape = Tool {
        name: "create_candidate_lessons".to_owned(),
        purpose: "Hands in the account of the run and the candidate lessons.".to_owned(),
        schema: shape(),
    };
    let mut words = Words {
        purpose: Purpose::Reflect,
        about: vec![looked.run.id.to_string()],
        evidence: evidence(looked),
        system: PROMPT.to_owned(),
        text: String::new(),
        shape,
    };
    let left = room.tokens_in.saturating_sub(words.tokens());
    let told = record(looked, left);
    words.text = memory.gate.redacted(&told.text);
    (Question::new(model, room, words), (told.n_lines, told.n_left_out))
}

/// What would be sent about the newest of these runs.
pub fn prompt(
    memory: &Memory,
    call: &Call,
    request: &ReflectRequest,
    model: &dyn Model,
) -> Result<PromptPrinted> {
    let looked = runs::reflection_context(memory, call, request)?.body;
    let (question, _) = question(memory, model, &looked);
    Ok(PromptPrinted {
        system: question.request.system,
        text: question.request.text,
        schema: question.request.shape.schema,
    })
}

/// What it would cost to ask about these runs; nothing is asked.
pub fn would_ask(
    memory: &Memory,
    call: &Call,
    roots: &[RunId],
    model: &dyn Model,
) -> Result<WouldAsk> {
    let mut rows = Vec::new();
    let mut most = hardwon_core::consult::Spend::default();
    for root in roots {
        let request = ReflectRequest::of(About::Run(root.clone()));
        let looked = runs::reflection_context(memory, call, &request)?.body;
        let (question, (n_lines, n_left_out)) = question(memory, model, &looked);
        let reason = consult::refusal(memory, call, &question.planned)?;
        if reason.is_none() {
            most = most.plus(question.planned.most);
        }
        rows.push(RunCost {
            run: root.to_string(),
            most: question.planned.most.into(),
            n_lines: n_lines as u64,
            n_left_out: n_left_out as u64,
            reason,
        });
    }
    Ok(WouldAsk {
        backend: model.backend().to_owned(),
        model: model.model().to_owned(),
        runs: rows,
        most: Cost::from(most),
        price: price_word(room(&memory.settings, model).known),
        prices_of: WouldAsk::PRICES_OF,
        spent: spent_now(memory, call)?,
    })
}

/// Asks the model that the settings name about each session that was just learned and about some that
/// wait longer, then about each other root run that was looked back on. What goes wrong is told, and
/// reaches no run.
pub fn afterwards(
    environment: &Environment,
    open: &mut OpenMemory,
    learned: &Learned,
) -> Vec<Problem> {
    let model = match named(open) {
        Ok(Some(model)) => model,
        Ok(None) => return Vec::new(),
        Err(problem) => return vec![problem],
    };
    let mut problems = read_learned(environment, open, learned, &*model);
    let OpenMemory { memory, call } = open;
    let is_session = |run: &RunId| learned.digests.iter().any(|(session, _)| session == run);
    let is_looked_at =
        |run: &&RunLearned| run.reflection.is_some() && !run.is_known && !is_session(&run.run.0);
    for run in learned.runs.iter().filter(is_looked_at) {
        let request = ReflectRequest::of(About::Run(run.run.0.clone()));
        let mut reflected = Reflected::skipped(Scenario::SessionComplete, "");
        match about_run(memory, call, &request, &*model, &mut reflected, &mut problems) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => problems.push(Problem::new(run.run.to_string(), error.to_string())),
        }
    }
    problems
}

/// The model that the settings name, if they name one.
pub fn named(open: &OpenMemory) -> std::result::Result<Option<Box<dyn Model>>, Problem> {
    let failed = |reason: String| Problem::new("reflect.backend", reason);
    match whom(&open.memory.settings, None).map_err(|error| failed(error.to_string()))? {
        Whom::Backend(setup) => super::open(&setup).map(Some).map_err(|no| failed(no.reason)),
        Whom::Nobody | Whom::Host => Ok(None),
    }
}

/// Has a model read the sessions that were just learned, and if there were any those that wait.
pub fn read_learned(
    environment: &Environment,
    open: &mut OpenMemory,
    learned: &Learned,
    model: &dyn Model,
) -> Vec<Problem> {
    let older = learned.digests.first().map(|_| None);
    let mut problems = Vec::new();
    for run in learned.digests.iter().map(|(run, _)| Some(run)).chain(older) {
        match read_waiting(environment, open, run, model) {
            Ok(read) if read.body.is_stopped() => {
                return problems.into_iter().chain(read.problems).collect();
            }
            Ok(read) => problems.extend(read.problems),
            Err(error) => problems.push(Problem::new("reader", error.to_string())),
        }
    }
    problems
}

/// Takes what an agent hands in about a run as a model's answer is taken. For each candidate, in
/// its order, the lesson that it is.
pub fn handed_in(
    memory: &mut Memory,
    call: &Call,
    run: &RunId,
    by: &str,
    answer: &serde_json::Value,
) -> Result<Answer<Vec<Option<LessonId>>>> {
    let (advice, mut problems) = match advice(answer) {
        Ok(read) => read,
        Err(problem) => return Ok(Answer::of(Vec::new(), vec![problem])),
    };
    let taken = runs::advise(memory, call, run, by, &advice)?;
    problems.extend(taken.problems);
    Ok(Answer::of(taken.body.lessons, problems))
}

//! Better words for lessons: a model is asked for a short line, a summary, or one rule for several
//! lessons; what it proposes is checked by core, kept with the question, and decided by a person.
//! To accept is to edit, and for a rule to merge: both can be undone, and then the proposal waits
//! again, because it waits as long as the lessons say what they said when it was made.

use hardwon_core::consult::{Consultation, Proposed, Purpose};
use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::event::Problem;
use hardwon_core::merge as merging;
use hardwon_core::order::Order;
use hardwon_core::reword::{Form, Ladder, MAX_LESSONS, Said, check};
use hardwon_engine::answer::{Answer, Asked, Rewording, Rewordings, Time, Word};
use hardwon_engine::ids::LessonId;
use hardwon_engine::lesson::{Lesson, State};
use hardwon_engine::model::{Model, Tool};
use hardwon_engine::{
    Call, EditRequest, EngineError, Memory, Stated, lessons, lookup, needs_person,
};
use hardwon_render::advice::{WORDS, WORDS_SHAPE, WORDS_VERSION, data, shape_of};
use hardwon_render::diff::unified;
use hardwon_store::{ConsultationQuery, FindingQuery, LessonQuery};
use serde_json::{Value, json};

use super::{Outcome, Purposed, Question, Words, ask, consult, give_up, room};

/// So many findings of a lesson are told.
const N_FINDINGS: usize = 6;

/// Who is asked about what.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// `None` = by the length of each lesson.
    pub form: Option<Form>,
    /// Names of lessons; empty = those that need it most.
    pub lessons: Vec<String>,
    /// At most so many questions.
    pub limit: usize,
}

/// One thing to ask for.
struct Wish {
    form: Form,
    /// Of several the first stays.
    lessons: Vec<Lesson>,
    evidence: Vec<String>,
    max_chars: usize,
}

impl Wish {
    fn of(
        memory: &Memory,
        call: &Call,
        form: Form,
        lessons: Vec<Lesson>,
    ) -> Result<Wish, EngineError> {
        let mut evidence: Vec<String> = Vec::new();
        for lesson in &lessons {
            let query = FindingQuery::OfLesson(lesson.id.clone());
            let findings = memory.store.findings(&call.project, &query)?;
            let guidance = &lesson.guidance;
            let said = [&guidance.rule, &guidance.detail, &guidance.repair, &guidance.about];
            evidence.extend(said.into_iter().flatten().cloned());
            evidence.extend(guidance.wordings.iter().cloned());
            evidence.extend(findings.iter().take(N_FINDINGS).map(|it| it.text.to_string()));
            evidence.extend(lesson.paths.iter().cloned());
        }
        let max_chars = ladder(memory).max_chars(form);
        Ok(Wish { form, lessons, evidence, max_chars })
    }

    fn texts(&self) -> Vec<&str> {
        self.lessons.iter().map(|lesson| lesson.text.as_str()).collect()
    }

    /// The question is the same as long as the lessons say the same.
    fn digest(&self) -> String {
        let mut texts = self.texts();
        texts.sort_unstable();
        let head = format!("version {WORDS_VERSION} {}", self.form);
        sha256_of_bytes([&[head.as_str()], texts.as_slice()].concat().join("\n").as_bytes())
    }

    /// What is wrong with these words, or those of them that are new.
    fn check(&self, memory: &Memory, text: &str) -> Result<Vec<String>, String> {
        memory.gate.candidate(text).map_err(|refusal| refusal.to_string())?;
        let evidence: Vec<&str> = self.evidence.iter().map(String::as_str).collect();
        let said = Said { lessons: &self.texts(), evidence: &evidence };
        Ok(check(text, self.form, &said, self.max_chars)?.new_words)
    }

    fn question(&self, memory: &Memory, model: &dyn Model) -> Question {
        let told =
            |lesson: &Lesson| json!({"id": lesson.id.as_str(), "text": lesson.text.as_str()});
        let lessons: Vec<Value> = self.lessons.iter().map(told).collect();
        let text = data(&json!({
            "wanted": self.form.word(),
            "max_chars": self.max_chars,
            "lessons": lessons,
            "evidence": self.evidence,
        }));
        let shape = Tool {
            name: "propose_words".to_owned(),
            purpose: "Proposes better words for lessons.".to_owned(),
            schema: shape_of(WORDS_SHAPE),
        };
        let words = Words { system: WORDS.to_owned(), text: memory.gate.redacted(&text), shape };
        let about = self.lessons.iter().map(|lesson| lesson.id.to_string()).collect();
        let purpose = Purposed { purpose: Purpose::Words, about, evidence: self.digest() };
        Question::new(model, room(&memory.settings, model), words, purpose)
    }
}

fn ladder(memory: &Memory) -> Ladder {
    let policy = &memory.policy.budget;
    Ladder { line_chars: policy.line_chars, short_chars: policy.short_chars }
}

/// Asks for better words; then all proposals about these lessons.
pub fn ask_for_words(
    memory: &mut Memory,
    call: &Call,
    model: &dyn Model,
    wanted: &Wanted,
    tell: &mut dyn FnMut(&Asked),
) -> Result<Answer<Rewordings>, EngineError> {
    let wishes = wishes(memory, call, wanted)?;
    let (mut problems, mut all) = (Vec::new(), Vec::new());
    for wish in &wishes {
        let question = wish.question(memory, model);
        let (outcome, asked) = ask(memory, call, model, &question)?;
        tell(&asked);
        let reason = asked.reason.clone().unwrap_or_default();
        all.push(asked);
        match outcome {
            Outcome::Known => {}
            Outcome::Nothing { .. } => {
                problems.push(Problem::new(model.backend(), reason));
                break;
            }
            Outcome::Answered(value, asked) => match read(memory, wish, &value) {
                Ok(proposed) => {
                    let proposed = Some(proposed);
                    let after = Consultation { proposed, is_answered: true, ..(*asked).clone() };
                    consult::settle(memory, call, &asked, &after)?;
                }
                Err(reason) => {
                    give_up(memory, call, &asked, &reason)?;
                    problems.push(Problem::new(&wish.lessons[0].id, reason));
                }
            },
        }
    }
    let proposals = proposed(memory, call, &wanted.lessons)?.proposals;
    Ok(Answer::of(Rewordings { proposals, asked: all }, problems)
        .empty_if(|it| it.proposals.is_empty()))
}

/// The proposal, if the answer is one. Empty words mean that there are no better ones.
fn read(memory: &Memory, wish: &Wish, value: &Value) -> Result<Proposed, String> {
    let form = "the answer has another form";
    let text = value.get("text").and_then(Value::as_str).ok_or(form)?.trim();
    let reason = value.get("reason").and_then(Value::as_str).ok_or(form)?;
    if !text.is_empty() {
        wish.check(memory, text)?;
    }
    Ok(Proposed {
        text: memory.gate.line(text).as_str().to_owned(),
        reason: memory.gate.line(reason).as_str().to_owned(),
        form: Some(wish.form),
        ..Proposed::default()
    })
}

/// What to ask for: of the lessons that are named, or of those that need it most.
fn wishes(memory: &Memory, call: &Call, wanted: &Wanted) -> Result<Vec<Wish>, EngineError> {
    let named: Result<Vec<Lesson>, EngineError> =
        wanted.lessons.iter().map(|name| lookup::lesson_named(memory, call, name)).collect();
    let named = named?;
    if wanted.form == Some(Form::Rule) {
        let families = if named.is_empty() { families(memory, call)? } else { vec![named] };
        let families = families.into_iter().take(wanted.limit);
        return families.map(|family| Wish::of(memory, call, Form::Rule, family)).collect();
    }
    let is_named = !named.is_empty();
    let all = if is_named {
        named
    } else {
        let mut all = memory.store.lessons(&call.project, &LessonQuery::default())?;
        all.order_by_key(|lesson| std::cmp::Reverse(lesson.n_sightings));
        all
    };
    let ladder = ladder(memory);
    let in_use =
        |lesson: &Lesson| !lesson.state.is_put_away() && lesson.state != State::Quarantined;
    let wish = |lesson: Lesson| {
        let needed = ladder.form_for(lesson.text.body()?);
        let needed = needed.filter(|form| *form == Form::Line || lesson.summary().is_none());
        let form = wanted.form.filter(|_| is_named).or(needed).or(wanted.form.and(needed))?;
        let is_wanted = wanted.form.is_none_or(|wanted| wanted == form);
        (in_use(&lesson) && is_wanted).then_some((form, lesson))
    };
    let wishes = all.into_iter().filter_map(wish).take(wanted.limit);
    wishes.map(|(form, lesson)| Wish::of(memory, call, form, vec![lesson])).collect()
}

/// Lessons that are near each other, those with most sightings first; each is in one family.
fn families(memory: &Memory, call: &Call) -> Result<Vec<Vec<Lesson>>, EngineError> {
    let pairs = lessons::near_pairs(memory, call, merging::N_COMPARED)?.body.pairs;
    let mut families: Vec<Vec<LessonId>> = Vec::new();
    for pair in pairs {
        let (base, other) = (pair.base.id.0, pair.other.id.0);
        let holds = |family: &&mut Vec<LessonId>| family.contains(&base) || family.contains(&other);
        match families.iter_mut().find(holds) {
            Some(family) => {
                for id in [base, other] {
                    if !family.contains(&id) && family.len() < MAX_LESSONS {
                        family.push(id);
                    }
                }
            }
            None => families.push(vec![base, other]),
        }
    }
    let mut found = Vec::new();
    for family in families {
        let mut lessons = lookup::lessons_with(memory, &call.project, family)?;
        lessons
            .order_by_key(|it| (std::cmp::Reverse(it.n_sightings), it.created_at, it.id.clone()));
        found.push(lessons);
    }
    Ok(found)
}

/// Proposals that wait for a person, about these lessons or all.
pub fn proposed(memory: &Memory, call: &Call, names: &[String]) -> Result<Rewordings, EngineError> {
    let named: Result<Vec<Lesson>, EngineError> =
        names.iter().map(|name| lookup::lesson_named(memory, call, name)).collect();
    let named: Vec<String> = named?.iter().map(|lesson| lesson.id.to_string()).collect();
    let is_about =
        |it: &Consultation| named.is_empty() || it.about.iter().any(|id| named.contains(id));
    let mut proposals = Vec::new();
    for it in asked_for(memory, call)?.iter().filter(|it| is_about(it)) {
        if let Some((_, one)) = open(memory, call, it)?.filter(|(_, one)| one.rejected.is_none()) {
            proposals.push(one);
        }
    }
    Ok(Rewordings { proposals, asked: Vec::new() })
}

fn asked_for(memory: &Memory, call: &Call) -> Result<Vec<Consultation>, EngineError> {
    let project = Some(call.project.clone());
    let query = ConsultationQuery { project, ..ConsultationQuery::default() };
    let all = memory.store.consultations(&query)?.into_iter().map(|(_, it)| it);
    Ok(all.filter(|it| it.purpose == Purpose::Words && it.is_answered).collect())
}

/// A proposal and what it is about, if the lessons still say what they said.
fn open(
    memory: &Memory,
    call: &Call,
    it: &Consultation,
) -> Result<Option<(Wish, Rewording)>, EngineError> {
    let Some(Proposed { text, reason, form: Some(form), rejected, .. }) = &it.proposed else {
        return Ok(None);
    };
    let mut lessons = Vec::new();
    for id in &it.about {
        let lesson = lookup::find_lesson(memory, call, &LessonId::given(id))?;
        let Some(lesson) = lesson.filter(|lesson| !lesson.state.is_put_away()) else {
            return Ok(None);
        };
        lessons.push(lesson);
    }
    let wish = Wish::of(memory, call, *form, lessons)?;
    let is_done = *form == Form::Summary && wish.lessons[0].summary() == Some(text);
    if text.is_empty() || is_done || wish.digest() != it.evidence {
        return Ok(None);
    }
    let old: String = wish.texts().iter().map(|text| format!("{text}\n")).collect();
    let path = wish.lessons[0].id.as_str();
    let one = Rewording {
        id: it.id.clone(),
        form: Word(*form),
        lessons: wish.lessons.iter().map(Into::into).collect(),
        text: text.clone(),
        reason: reason.clone(),
        model: it.model.clone(),
        at: Time(it.at),
        diff: unified(path, Some(&old), Some(&format!("{text}\n"))),
        new_words: wish.check(memory, text).unwrap_or_default(),
        rejected: rejected.clone(),
    };
    Ok(Some((wish, one)))
}

/// The proposal of this id, or of a beginning that no other one has.
fn find(
    memory: &Memory,
    call: &Call,
    id: &str,
) -> Result<(Consultation, Wish, Rewording), EngineError> {
    let unknown = |reason: &str| EngineError::DecisionRefused {
        lesson: id.to_owned(),
        reason: format!("{reason}; `hardwon reword` lists the proposals"),
    };
    let mut found = asked_for(memory, call)?;
    found.retain(|it| it.id.starts_with(id) && !id.is_empty());
    match found.as_slice() {
        [] => Err(unknown("no proposal has this id")),
        [it] => match open(memory, call, it)? {
            Some((wish, one)) => Ok((it.clone(), wish, one)),
            None => Err(unknown("the lesson has other words by now")),
        },
        _ => Err(unknown("several proposals begin so")),
    }
}

/// Takes the words: the lesson is edited; for a rule the others are merged into the first.
pub fn accept(memory: &mut Memory, call: &Call, id: &str) -> Result<Answer<Lesson>, EngineError> {
    needs_person(&call.speaker, "accepting better words")?;
    let (_, wish, one) = find(memory, call, id)?;
    // What was checked when it was proposed is checked on what is known now.
    let refused = |reason: String| EngineError::DecisionRefused { lesson: id.to_owned(), reason };
    wish.check(memory, &one.text).map_err(refused)?;
    let (base, others) = wish.lessons.split_first().expect("a proposal is about a lesson");
    if let Some(reason) = others.iter().find_map(|other| merging::refusal(base, other)) {
        return Err(refused(reason));
    }
    let name = base.id.as_str();
    let request = match wish.form {
        Form::Summary => EditRequest { summary: Some(one.text), ..EditRequest::default() },
        Form::Line | Form::Rule => {
            let detail = base.guidance.detail.is_none().then(|| base.text.to_string());
            EditRequest {
                text: Some(one.text),
                stated: Stated { detail, ..Stated::default() },
                keeps_wording: true,
                ..EditRequest::default()
            }
        }
    };
    let mut answer = lessons::edit(memory, call, name, &request)?;
    for other in others {
        answer = lessons::merge(memory, call, other.id.as_str(), name)?;
    }
    Ok(answer)
}

/// Notes that a person does not want the words, and why: they are not asked for again.
pub fn reject(
    memory: &mut Memory,
    call: &Call,
    id: &str,
    because: &str,
) -> Result<Answer<Rewordings>, EngineError> {
    needs_person(&call.speaker, "rejecting better words")?;
    let (it, _, mut one) = find(memory, call, id)?;
    let because = memory.gate.word(because).ok_or_else(|| EngineError::DecisionRefused {
        lesson: id.to_owned(),
        reason: "say why".to_owned(),
    })?;
    let rejected = Some(format!("{}: {because}", call.actor));
    one.rejected.clone_from(&rejected);
    let proposed = it.proposed.clone().map(|proposed| Proposed { rejected, ..proposed });
    consult::settle(memory, call, &it, &Consultation { proposed, ..it.clone() })?;
    Ok(Answer::of(Rewordings { proposals: vec![one], asked: Vec::new() }, Vec::new()))
}

//! What a model read out of a session, taken like what a reflection finds: so that it counts, matches
//! and rises by the same rules as everything else.

use std::collections::BTreeMap;

use hardwon_core::effect::EffectKind;
use hardwon_core::episode::Account;
use hardwon_core::event::Problem;
use hardwon_core::gate::admit;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Guidance, Kind, Lesson, State};
use hardwon_core::lifecycle::Transition;
use hardwon_core::observe::{is_of_command, signature_of_advised};
use hardwon_core::reading::{
    Beside, Checked, Reading, Taken, Told, check, needs_yes, refused_verdict,
};
use hardwon_core::reflect::taken::signature_of;
use hardwon_core::reflect::{Candidate, Pattern};
use hardwon_core::run::Run;
use hardwon_core::scope::Scope;
use hardwon_core::session::{Digest, Shows, detector};
use hardwon_core::words::words;
use hardwon_render::answer::Considered;

use super::reflect::Taken as TakenLessons;
use super::step::Step;
use crate::memory::Result;

/// What a model answered, and what it had been shown.
#[derive(Clone, Copy, Debug)]
pub struct FromModel<'a> {
    pub reading: &'a Reading,
    pub digest: &'a Digest,
    pub known: &'a [Lesson],
    pub rules: &'a [(String, String)],
}

impl Step<'_> {
    /// Takes each lesson that its evidence bears out, and each verdict that a quotation does.
    pub(super) fn take_reading(&mut self, by: &str, from: &FromModel<'_>) -> Result<TakenLessons> {
        let FromModel { reading, digest, known, rules } = *from;
        let (root, _) = self.root_and_below();
        let runs = BTreeMap::from([(root.id.clone(), root.clone())]);
        let (mut considered, mut lessons) = (Vec::new(), Vec::new());
        for (index, checked) in
            check(reading, digest, &Beside { known, rules }).into_iter().enumerate()
        {
            let at = format!("lessons[{index}]");
            self.problems.extend(checked.notes.iter().map(|note| Problem::new(&at, note)));
            let (told, refused, lesson) = self.take_read(&checked, from, &root, &runs)?;
            considered.extend(told.map(|told| Considered::new(&told, refused.clone())));
            let refused = refused.map(|reason| Problem::new(&at, format!("not taken: {reason}")));
            self.problems.extend(refused);
            lessons.push(lesson);
        }
        self.take_verdicts(from)?;
        self.account_for(&root, by, reading);
        Ok((considered, lessons))
    }

    /// What was considered, why it is not taken, and the lesson that it is.
    #[allow(clippy::type_complexity)]
    fn take_read(
        &mut self,
        checked: &Checked,
        from: &FromModel<'_>,
        root: &Run,
        runs: &BTreeMap<RunId, Run>,
    ) -> Result<(Option<Candidate>, Option<String>, Option<LessonId>)> {
        let taken = &checked.taken;
        let Some(told) = taken.told else {
            return Ok((None, Some(checked.refused.join("; ")), None));
        };
        let same = taken.same_as.as_ref().and_then(|id| from.known.iter().find(|it| it.id == *id));
        // What rules said of a failure gives way to what a model says of it.
        let same = same.filter(|same| !is_of_command(same));
        let candidate = admit::candidate(&self.memory.gate, &candidate(told, taken, same, root));
        let witness = same.map_or(Ok(()), |same| witness(told, taken, same, from.digest));
        let refused = match (checked.refused.is_empty(), witness) {
            (false, _) => Some(checked.refused.join("; ")),
            (true, Err(reason)) => Some(reason),
            (true, Ok(())) => self.take_candidate(&candidate, runs)?,
        };
        if refused.is_some() {
            return Ok((Some(candidate), refused, None));
        }
        let lesson = self.signed(&signature_of(candidate.pattern, &candidate.key))?;
        if let Some(lesson) = &lesson {
            self.lessons.entry(lesson.id.clone()).or_insert_with(|| lesson.clone());
            self.show_at_once(&lesson.id, taken);
            self.replace_observed(&lesson.id, taken)?;
        }
        Ok((Some(candidate), None, lesson.map(|lesson| lesson.id)))
    }

    /// What this one session shows as surely as two would.
    fn show_at_once(&mut self, id: &LessonId, taken: &Taken) {
        let lesson = &self.lessons[id];
        if !taken.waits.is_empty() || lesson.state != State::Candidate {
            if lesson.state == State::Candidate {
                let reason = format!("waits: {}", taken.waits.join("; "));
                self.problems.push(Problem::new(id, reason));
            }
            return;
        }
        let reason = match (&taken.works, lesson.kind) {
            (_, Kind::Preference) => format!("the user typed: {}", taken.quote),
            (Some(works), _) => format!("it failed, and `{works}` worked then"),
            (None, _) => "it was seen to work".to_owned(),
        };
        let (lesson, from, to) = (id.clone(), State::Candidate, State::Provisional);
        self.transition(Transition { lesson, from, to, reason });
    }

    /// What rules said of the same failure gives way to what a model says of it, once that is shown.
    fn replace_observed(&mut self, id: &LessonId, taken: &Taken) -> Result<()> {
        let known = taken.observed.as_ref().map(|signature| self.signed(signature)).transpose()?;
        let Some(older) = known.flatten().filter(|it| it.id != *id) else { return Ok(()) };
        self.lessons.entry(older.id.clone()).or_insert_with(|| older.clone());
        let older = self.lessons[&older.id].clone();
        let is_shown_instead = older.state.is_active() && needs_yes(taken).is_none();
        if is_shown_instead && self.lessons[id].state == State::Candidate {
            let reason = format!(
                "{} was seen in {} runs, and this says what to do",
                older.id, older.n_sightings
            );
            let (lesson, from, to) = (id.clone(), State::Candidate, State::Provisional);
            self.transition(Transition { lesson, from, to, reason });
        }
        let own = self.lessons[id].clone();
        if own.state.is_active() {
            self.supersede(&older, &own, format!("{} says what to do about it", own.id));
        }
        Ok(())
    }

    /// A model's verdict is an agent's word, on what the run was shown.
    fn take_verdicts(&mut self, from: &FromModel<'_>) -> Result<()> {
        for (index, said) in from.reading.verdicts.iter().enumerate() {
            let lesson = from.known.iter().find(|lesson| lesson.id.as_str() == said.lesson);
            let refused = refused_verdict(said, from.digest, lesson);
            let is_shown = lesson.is_some_and(|it| self.header.tree.shown.contains_key(&it.id));
            let kind = match said.verdict.as_str() {
                "heeded" => EffectKind::Helped,
                "ignored" => EffectKind::NoHelp,
                _ => EffectKind::Contradicted,
            };
            let at = format!("verdicts[{index}]");
            match (refused, lesson) {
                (None, Some(lesson)) if is_shown && !lesson.is_persons() => {
                    let because = format!("{} in [{}]: {}", said.verdict, said.entry, said.quote);
                    self.state(&lesson.id.clone(), kind, &because)?;
                }
                (None, _) => {
                    let reason =
                        "not counted: the lesson was not shown to this session, or is a person's";
                    self.problems.push(Problem::new(at, reason));
                }
                (Some(reason), _) => {
                    self.problems.push(Problem::new(at, format!("not counted: {reason}")))
                }
            }
        }
        Ok(())
    }

    fn account_for(&mut self, root: &Run, by: &str, reading: &Reading) {
        let summary = reading.summary.clone();
        self.keep_account(root, &Account { by: by.to_owned(), summary, ..Account::default() });
    }
}

fn candidate(told: Told, taken: &Taken, same: Option<&Lesson>, root: &Run) -> Candidate {
    // What it is recognized by: the failure, else its words.
    let key = taken.detectors.first().cloned().unwrap_or_else(|| words(&taken.text).join(" "));
    let said = |text: String| Some(text).filter(|text| !text.is_empty());
    let steps = taken.steps.iter().enumerate().map(|(n, step)| format!("{}. {step}", n + 1));
    Candidate {
        pattern: Pattern::Advised,
        key,
        text: same.map_or_else(|| taken.text.clone(), |same| same.text.as_str().to_owned()),
        kind: told.kind(),
        category: told.category(),
        scope: Scope::default(),
        tags: Vec::new(),
        paths: taken.paths.clone(),
        importance: taken.importance,
        guidance: Guidance {
            detail: said(steps.collect::<Vec<_>>().join(" ")),
            applies_when: None,
            ..Guidance::default()
        },
        evidence: vec![root.id.clone()],
        refines: Vec::new(),
        quote: said(taken.quote.clone()).map(|quote| format!("[{}] {quote}", taken.entry)),
    }
}

/// Whether a session is another witness of a known lesson: its failure is here, what works is the
/// same, or a person said it again.
fn witness(told: Told, taken: &Taken, same: &Lesson, digest: &Digest) -> Result<(), String> {
    if taken.observed.as_ref().is_some_and(|it| same.signatures.contains(it)) {
        return Ok(());
    }
    let failed = digest.entries.iter().filter(|entry| entry.shows == Shows::Failed);
    let mut keys = failed.flat_map(|entry| {
        let of = |purpose: &String| {
            entry.lines.iter().map(|line| detector(purpose, line)).collect::<Vec<_>>()
        };
        entry.purposes.iter().flat_map(of).collect::<Vec<_>>()
    });
    let is_met = keys.any(|key| same.signatures.contains(&signature_of_advised(&key)));
    let names = |works: &String| same.text.as_str().contains(works.as_str());
    let is_same_way = taken.works.as_ref().is_some_and(names);
    if is_met || is_same_way || told == Told::Wish && same.kind == Kind::Preference {
        return Ok(());
    }
    Err(format!("nothing here shows that it is {}: neither its failure nor its repair", same.id))
}

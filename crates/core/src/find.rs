//! What did the records say? Events in, runs with their raw findings out, and the
//! problems met on the way; never a failure. Only here are findings made of events.

mod fixes;
pub mod pair;
pub mod recorded;
mod rulings;
pub mod trees;

use std::collections::{BTreeMap, BTreeSet};

use crate::digest::sha256;
use crate::effect::EffectKind;
use crate::ended::Ended;
use crate::episode::Episode;
use crate::event::{
    AttemptStated, DeliberationStated, EffectStated, Event, FindingStated, FixStated, Problem,
    Record, RunStated, Source, Sourced, StepStated, SuggestionStated, VerdictStated,
};
use crate::finding::{FindingState, Grade, Severity, is_test};
use crate::fixed::Reach;
use crate::grade;
use crate::ids::RunId;
use crate::lesson::Origin;
use crate::message::Messages;
use crate::observe::observe;
use crate::prose;
use crate::reflect::AUTHOR;
use crate::run::{Judgement, Outcome, Run};
use crate::signature::{Fingerprint, are_reliable};
use crate::time::Timestamp;
use rulings::Ruling;

/// A run as its records tell it; texts are raw.
#[derive(Clone, Debug)]
pub struct FoundRun {
    pub id: RunId,
    /// Where it was first named.
    pub source: Source,
    pub stated: RunStated,
    /// Who looked at the work: as listed, or else the authors seen.
    pub detectors: BTreeSet<String>,
    /// Detectors whose verdict was reasoning only.
    pub reasoned_only: BTreeSet<String>,
    /// Reviewers that the user had the host start, apart from the agent that does the work.
    pub of_host: BTreeSet<String>,
    /// The last word of each reviewer who gave a verdict.
    pub judgements: BTreeMap<String, Judgement>,
    /// How far the tools looked whose reports say so.
    pub reach: BTreeMap<String, Reach>,
    pub findings: Vec<FoundFinding>,
    pub effects: Vec<(Source, EffectStated)>,
    pub suggestions: Vec<(Source, SuggestionStated)>,
    /// What was done, in order.
    pub steps: Vec<StepStated>,
    /// What its agents answered, in order.
    pub deliberations: Vec<(Source, DeliberationStated)>,
    /// What was tried to repair an issue, in order. If `origin` is an agent, it is its claim.
    pub attempts: Vec<(Source, AttemptStated)>,
    pub origin: Origin,
    /// Findings that the reader put aside. Their run is not certain; they are counted with
    /// the last run of their input.
    pub n_put_aside: u64,
}

impl FoundRun {
    /// A known run of which nothing new is said.
    pub fn silent(run: &RunId) -> Self {
        FoundRun {
            id: run.clone(),
            source: Source { input: "store".to_owned(), line: 0 },
            stated: RunStated::default(),
            detectors: BTreeSet::new(),
            reasoned_only: BTreeSet::new(),
            of_host: BTreeSet::new(),
            judgements: BTreeMap::new(),
            reach: BTreeMap::new(),
            findings: Vec::new(),
            effects: Vec::new(),
            suggestions: Vec::new(),
            steps: Vec::new(),
            deliberations: Vec::new(),
            attempts: Vec::new(),
            origin: Origin::Reviewer,
            n_put_aside: 0,
        }
    }

    /// A record that an agent hands in is that agent's word, whatever names and evidence
    /// stand in it: it could have written every line itself.
    pub fn claim_for(&mut self, agent: &str) {
        self.origin = Origin::Agent;
        self.detectors = BTreeSet::from([agent.to_owned()]);
        self.reasoned_only.clone_from(&self.detectors);
        self.of_host.clear();
        self.judgements.clear();
        self.reach.clear();
        // Three such words would make a lesson stable.
        self.effects.retain(|(_, stated)| stated.effect != EffectKind::Helped);
        for finding in &mut self.findings {
            agent.clone_into(&mut finding.author);
            finding.ruled_by.iter_mut().for_each(|by| agent.clone_into(by));
            finding.stated.grade = None;
        }
        for (_, suggestion) in &mut self.suggestions {
            agent.clone_into(&mut suggestion.author);
        }
        for (_, deliberation) in &mut self.deliberations {
            agent.clone_into(&mut deliberation.role);
            deliberation.grade = deliberation.grade.map(|_| Grade::Reasoned);
        }
        for (_, attempt) in &mut self.attempts {
            attempt.role = Some(agent.to_owned());
        }
    }

    /// What stands in a conversation is an agent's word, by the authors that are named there;
    /// what the agent itself said is in the name `own`, however its words came.
    pub fn attribute(&mut self, own: &str) {
        self.origin = Origin::Agent;
        if let Some(agent) = self.stated.agent.clone() {
            if self.detectors.remove(&agent) {
                self.detectors.insert(own.to_owned());
            }
            let findings = self.findings.iter_mut();
            let authors = findings.flat_map(|it| it.ruled_by.iter_mut().chain([&mut it.author]));
            authors.filter(|author| **author == agent).for_each(|author| own.clone_into(author));
        }
        self.reasoned_only.clone_from(&self.detectors);
        self.judgements.clear();
        for (_, deliberation) in &mut self.deliberations {
            deliberation.grade = deliberation.grade.map(|_| Grade::Reasoned);
        }
    }

    /// What a session shows is as good as its record: what the host itself kept is what happened,
    /// any other one is a claim. The tools in it have looked, then, and so has a review of the
    /// host's own, which no agent can start.
    pub fn witness(&mut self, is_witnessed: bool) {
        self.stated.episode.is_witnessed = is_witnessed && !self.steps.is_empty();
        let is_shown = |author: &str| author == AUTHOR || grade::is_tool(author);
        if self.stated.episode.is_witnessed {
            self.reasoned_only.retain(|name| !is_shown(name) && !self.of_host.contains(name));
        } else {
            let shown = self.findings.iter_mut().filter(|finding| is_shown(&finding.author));
            shown.for_each(|finding| finding.stated.grade = None);
        }
    }

    /// Lowers the severity of findings that show nothing for what they claim, and says so.
    pub fn doubt_prose(&mut self) -> Vec<Problem> {
        let mut problems = Vec::new();
        for finding in &mut self.findings {
            let counted = prose::severity(finding.severity, &finding.stated);
            if counted != finding.severity {
                let stated = finding.severity;
                let reason = format!("{stated} without evidence; taken as {counted}");
                problems.push(Problem::new(&finding.source, reason));
                finding.severity = counted;
            }
        }
        problems
    }
}

/// A finding as its record tells it; the text is raw.
#[derive(Clone, Debug)]
pub struct FoundFinding {
    pub source: Source,
    pub author: String,
    pub severity: Severity,
    pub state: FindingState,
    pub is_sighting: bool,
    /// Whose verdict dismissed it.
    pub ruled_by: Option<String>,
    pub stated: FindingStated,
}

#[derive(Clone, Debug, Default)]
pub struct FoundRuns {
    /// In the order of `started`; a run without it stays behind the one it follows.
    pub runs: Vec<FoundRun>,
    pub problems: Vec<Problem>,
}

/// How similar two texts are, if they are about the same.
pub type Likeness<'a> = &'a dyn Fn(&str, &str) -> Option<f64>;

/// Groups events by run and makes findings of them.
///
/// `given` is the run that the caller named; a record's own run line beats it. Records
/// that name the same run are one run. `likeness` compares a fix or a ruling with a
/// finding; it is called only where the words differ.
pub fn find(records: &[Record], given: Option<&RunId>, likeness: Likeness<'_>) -> FoundRuns {
    let mut finder = Finder { given, ..Finder::default() };
    for record in records {
        finder.read(record);
    }
    let Finder { mut found, drafts, .. } = finder;
    let mut places: BTreeMap<RunId, usize> = BTreeMap::new();
    let mut unsettled: Vec<(RunId, Vec<Ruling>)> = Vec::new();
    for draft in drafts {
        let (run, rulings) = draft.finish(&mut found.problems, likeness);
        unsettled.extend((!rulings.is_empty()).then(|| (run.id.clone(), rulings)));
        match places.get(&run.id) {
            Some(place) => merge(&mut found.runs[*place], run),
            None => {
                places.insert(run.id.clone(), found.runs.len());
                found.runs.push(run);
            }
        }
    }
    found.runs = in_order(found.runs);
    rulings::settle(&mut found, unsettled, likeness);
    found
}

/// What the run of a task is called. Tasks of two sessions may have one name.
///
/// ```
/// use hardwon_core::find::task_run;
/// assert_eq!(task_run(Some("m1"), "task-001"), "m1/task-001");
/// assert_eq!(task_run(None, "task-001"), "task-001");
/// ```
pub fn task_run(session: Option<&str>, task: &str) -> String {
    match session {
        Some(session) => format!("{}/{}", session.trim(), task.trim()),
        None => task.trim().to_owned(),
    }
}

/// The only run of a task of this name, whatever its session.
pub fn only_of_task(runs: &[Run], task: &RunId) -> Option<RunId> {
    let is_its = |run: &&Run| {
        let session = run.episode.session.as_deref();
        run.task.as_deref() == Some(task.as_str())
            && session.is_some()
            && run.id.as_str() == task_run(session, task.as_str())
    };
    let mut found = runs.iter().filter(is_its);
    let only = found.next()?;
    found.next().is_none().then(|| only.id.clone())
}

impl FoundRun {
    /// What its task is called, if the run is called after task and session.
    pub fn task_name(&self) -> Option<RunId> {
        let (stated, task) = (&self.stated, self.stated.task.as_deref()?);
        let is_its = self.id.as_str() == task_run(stated.episode.session.as_deref(), task);
        RunId::parse(task.trim()).ok().filter(|_| is_its)
    }
}

/// Sorted by start; a run that states none takes that of the one before it.
fn in_order(runs: Vec<FoundRun>) -> Vec<FoundRun> {
    let mut latest = None;
    let mut dated: Vec<(Option<Timestamp>, FoundRun)> = Vec::with_capacity(runs.len());
    for run in runs {
        latest = run.stated.started.or(latest);
        dated.push((latest, run));
    }
    dated.sort_by_key(|(started, _)| *started);
    dated.into_iter().map(|(_, run)| run).collect()
}

/// Facts of one run, still unjudged.
struct Draft {
    /// Whether the run has a name; else its facts make one.
    is_named: bool,
    run: FoundRun,
    findings: Vec<(Source, FindingStated)>,
    verdicts: Vec<VerdictStated>,
    rulings: Vec<Ruling>,
    fixes: Vec<(Source, FixStated)>,
    /// Who speaks in a record of which something is missing: what they do not say there is
    /// nothing that they looked for and did not find.
    unheard: BTreeSet<String>,
}

#[derive(Default)]
struct Finder<'a> {
    given: Option<&'a RunId>,
    found: FoundRuns,
    drafts: Vec<Draft>,
    /// Where among the drafts a named run is.
    places: BTreeMap<RunId, usize>,
}

impl Finder<'_> {
    fn read(&mut self, record: &Record) {
        let origin = record.channel.unwrap_or(Origin::Agent);
        let mut current: Option<usize> = None;
        for Sourced { source, event } in &record.events {
            if let Event::Run(stated) = event {
                let id = self.run_id(source, stated, record.is_run_by_task);
                let index = self.draft_for(id, source, origin);
                let draft = &mut self.drafts[index];
                merge_stated(&mut draft.run.stated, stated);
                let listed = stated.detectors.iter().flatten().filter(|_| record.is_cut);
                draft.unheard.extend(listed.cloned());
                current = Some(index);
                continue;
            }
            let index = match current {
                Some(index) => index,
                None => self.draft_for(self.given.cloned(), source, origin),
            };
            current = Some(index);
            let draft = &mut self.drafts[index];
            draft.unheard.extend(speaker(event).filter(|_| record.is_cut));
            draft.take(source, event);
        }
        if let Some(index) = current {
            self.drafts[index].run.n_put_aside += record.n_put_aside;
        }
    }

    fn run_id(&mut self, source: &Source, stated: &RunStated, by_task: bool) -> Option<RunId> {
        let task = stated.task.as_deref().filter(|_| by_task && self.given.is_none());
        let of_task = task.map(|task| task_run(stated.episode.session.as_deref(), task));
        let Some(text) = stated.id.as_ref().or(of_task.as_ref()) else {
            return self.given.cloned();
        };
        match RunId::parse(text.trim()) {
            Ok(id) => {
                if self.given.is_some_and(|given| *given != id) {
                    let reason = format!("the record names run {id}, which beats --run");
                    self.problem(source, reason);
                }
                Some(id)
            }
            Err(reason) => {
                let id = self.given.cloned().or_else(|| RunId::named(text));
                let known = id.as_ref().map_or(String::new(), |id| format!("known as {id}; "));
                self.problem(source, format!("{reason}; {known}correct it or pass --run"));
                id
            }
        }
    }

    /// The draft of this run; an unnamed run is always a new one.
    fn draft_for(&mut self, id: Option<RunId>, source: &Source, origin: Origin) -> usize {
        if let Some(id) = &id {
            let new = self.drafts.len();
            let place = *self.places.entry(id.clone()).or_insert(new);
            if place < new {
                return place;
            }
        }
        let (is_named, id) = (id.is_some(), id.unwrap_or_else(|| RunId::derived(&[0; 32])));
        self.drafts.push(Draft {
            is_named,
            run: FoundRun { source: source.clone(), origin, ..FoundRun::silent(&id) },
            findings: Vec::new(),
            verdicts: Vec::new(),
            rulings: Vec::new(),
            fixes: Vec::new(),
            unheard: BTreeSet::new(),
        });
        self.drafts.len() - 1
    }

    fn problem(&mut self, source: &Source, reason: String) {
        self.found.problems.push(Problem::new(source, reason));
    }
}

impl Draft {
    fn take(&mut self, source: &Source, event: &Event) {
        let origin = self.run.origin;
        match event {
            Event::Run(_) => {}
            Event::Finding(finding) => {
                self.findings.push((source.clone(), grade::of_finding(finding, origin)));
            }
            Event::Verdict(verdict) => {
                let names = verdict.false_positives.iter().cloned();
                let by = &verdict.author;
                let ruling = |name| Ruling { source: source.clone(), by: by.clone(), name };
                self.rulings.extend(names.map(ruling));
                self.verdicts.push(grade::of_verdict(verdict, origin));
            }
            Event::Fix(fix) => self.fixes.push((source.clone(), fix.clone())),
            Event::Effect(effect) => self.run.effects.push((source.clone(), effect.clone())),
            Event::Suggestion(it) => self.run.suggestions.push((source.clone(), it.clone())),
            Event::Step(step) => self.run.steps.push(step.clone()),
            Event::Deliberation(stated) => {
                let stated = grade::of_deliberation(stated, origin);
                self.run.deliberations.push((source.clone(), stated));
            }
            Event::Attempt(stated) => self.run.attempts.push((source.clone(), stated.clone())),
        }
    }

    /// What a session shows by what was done in it. Pipelines say themselves what they found, and
    /// are reflected upon.
    fn observe(&mut self) {
        let run = &mut self.run;
        if run.origin != Origin::Agent || run.steps.is_empty() {
            return;
        }
        let observed = observe(&run.steps);
        let findings = observed.findings.into_iter();
        self.findings.extend(findings.map(|finding| (run.source.clone(), finding)));
        let verdicts = observed.verdicts.iter();
        self.verdicts.extend(verdicts.map(|verdict| grade::of_verdict(verdict, run.origin)));
        let cut_by = run.stated.episode.ended.take().and_then(|ended| ended.cut_by);
        let ended = Ended { cut_by, ..observed.ended };
        run.stated.episode.ended = Some(ended).filter(|ended| !ended.is_unknown());
    }

    /// The run, and the rulings that name nothing in it.
    fn finish(
        mut self,
        problems: &mut Vec<Problem>,
        likeness: Likeness<'_>,
    ) -> (FoundRun, Vec<Ruling>) {
        self.observe();
        let stated = &mut self.run.stated;
        let by_record = stated.episode.ended.as_ref().and_then(Outcome::of);
        stated.outcome = stated.outcome.or(by_record);
        if !self.is_named {
            let reason = "no run is named: equal content counts as one run; pass --run";
            problems.push(Problem::new(&self.run.source.input, reason));
            self.run.id = self.derived_id();
        }
        let mut detectors = match &self.run.stated.detectors {
            Some(listed) => listed.iter().cloned().collect(),
            None => self.authors(),
        };
        detectors.retain(|name| !self.unheard.contains(name));
        let findings = self.findings.into_iter();
        let mut findings: Vec<FoundFinding> =
            findings.map(|(source, stated)| found_finding(source, stated, problems)).collect();
        drop_fingerprints(&mut findings);
        let rulings = rulings::dismiss(&mut findings, self.rulings, likeness, problems);
        fixes::apply(&mut findings, self.fixes, likeness);
        let of_host = self.verdicts.iter().filter(|verdict| verdict.is_of_host);
        let run = FoundRun {
            detectors,
            reasoned_only: grade::reasoned_only(&self.verdicts),
            of_host: of_host.map(|verdict| verdict.author.clone()).collect(),
            judgements: self.verdicts.iter().filter_map(judgement).collect(),
            reach: reach(&self.verdicts),
            findings,
            ..self.run
        };
        (run, rulings)
    }

    /// Who reported or judged something in the record, and so must have looked.
    fn authors(&self) -> BTreeSet<String> {
        let findings = self.findings.iter().map(|(_, finding)| author(&finding.author));
        let verdicts = self.verdicts.iter().map(|verdict| verdict.author.clone());
        findings.chain(verdicts).collect()
    }

    fn derived_id(&self) -> RunId {
        let mut parts: Vec<String> = Vec::new();
        for (_, finding) in &self.findings {
            parts.push(author(&finding.author));
            parts.push(finding.text.clone());
            parts.push(finding.path.clone().unwrap_or_default());
            parts.push(finding.line.unwrap_or(0).to_string());
        }
        parts.extend(self.fixes.iter().map(|(_, fix)| fix.text.clone()));
        parts.extend(self.verdicts.iter().map(|verdict| verdict.author.clone()));
        parts.extend(self.run.suggestions.iter().map(|(_, suggestion)| suggestion.text.clone()));
        parts.extend(self.run.steps.iter().map(|step| format!("{step:?}")));
        for (_, DeliberationStated { role, response, summary, .. }) in &self.run.deliberations {
            let told = [Some(role), response.as_ref(), summary.as_ref()];
            parts.extend(told.into_iter().flatten().cloned());
        }
        for (_, AttemptStated { issue, approach, iteration, .. }) in &self.run.attempts {
            parts.extend([issue.clone(), approach.clone(), format!("{iteration:?}")]);
        }
        parts.push(spelled(&self.run.stated));
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        RunId::derived(&sha256(&parts))
    }
}

/// Who reports or judges something with this.
fn speaker(event: &Event) -> Option<String> {
    match event {
        Event::Finding(finding) => Some(author(&finding.author)),
        Event::Verdict(verdict) => Some(verdict.author.clone()),
        _ => None,
    }
}

/// Who judged, and what; nothing if it is not said whether the work passed.
fn judgement(verdict: &VerdictStated) -> Option<(String, Judgement)> {
    let judgement = match (verdict.is_pass?, verdict.grade) {
        (false, _) => Judgement::Failed,
        (true, Some(Grade::Executed | Grade::Cited)) => Judgement::Passed,
        (true, Some(Grade::Reasoned) | None) => Judgement::Unproven,
    };
    Some((verdict.author.clone(), judgement))
}

/// How far each tool looked, all its reports together.
fn reach(verdicts: &[VerdictStated]) -> BTreeMap<String, Reach> {
    let mut all: BTreeMap<String, Reach> = BTreeMap::new();
    for verdict in verdicts.iter().filter(|verdict| !verdict.reach.is_unknown()) {
        all.entry(verdict.author.clone()).or_default().extend(&verdict.reach);
    }
    all
}

fn author(stated: &Option<String>) -> String {
    stated.clone().unwrap_or_else(|| "unknown".to_owned())
}

fn found_finding(
    source: Source,
    stated: FindingStated,
    problems: &mut Vec<Problem>,
) -> FoundFinding {
    let severity = stated.severity.as_deref().and_then(Severity::fold);
    let severity = severity.unwrap_or_else(|| {
        let reason = match &stated.severity {
            Some(_) => "unknown severity; taken as warning",
            None => "no severity; taken as warning",
        };
        problems.push(Problem::new(&source, reason));
        Severity::Warning
    });
    let state = stated.state.unwrap_or(FindingState::Open);
    FoundFinding {
        author: author(&stated.author),
        severity,
        state,
        is_sighting: state != FindingState::Dismissed && !stated.is_gone,
        ruled_by: None,
        source,
        stated,
    }
}

/// Drops fingerprints that distinguish nothing; then rule, words and path decide.
fn drop_fingerprints(findings: &mut [FoundFinding]) {
    fn stated(found: &FoundFinding) -> Option<Fingerprint<'_>> {
        let FindingStated { fingerprint, rule, path, category, .. } = &found.stated;
        Some(Fingerprint {
            tool: &found.author,
            text: fingerprint.as_deref()?,
            rule: rule.as_deref(),
            path: path.as_deref(),
            is_test: is_test(category.as_deref()),
        })
    }
    let with: Vec<usize> =
        (0..findings.len()).filter(|&at| findings[at].stated.fingerprint.is_some()).collect();
    let all: Vec<Fingerprint<'_>> = findings.iter().filter_map(stated).collect();
    let are_reliable = are_reliable(&all);
    for (at, _) in with.into_iter().zip(are_reliable).filter(|(_, is_reliable)| !is_reliable) {
        findings[at].stated.fingerprint = None;
    }
}

fn merge(known: &mut FoundRun, run: FoundRun) {
    merge_stated(&mut known.stated, &run.stated);
    known.detectors.extend(run.detectors);
    known.reasoned_only.extend(run.reasoned_only);
    known.of_host.extend(run.of_host);
    known.judgements.extend(run.judgements);
    for (tool, reach) in &run.reach {
        known.reach.entry(tool.clone()).or_default().extend(reach);
    }
    known.findings.extend(run.findings);
    known.effects.extend(run.effects);
    known.suggestions.extend(run.suggestions);
    known.steps.extend(run.steps);
    known.deliberations.extend(run.deliberations);
    known.attempts.extend(run.attempts);
    known.n_put_aside += run.n_put_aside;
}

/// What a second statement adds: the later word wins, lists grow.
fn merge_stated(known: &mut RunStated, more: &RunStated) {
    fn take<T: Clone>(known: &mut Option<T>, more: &Option<T>) {
        if more.is_some() {
            known.clone_from(more);
        }
    }
    take(&mut known.id, &more.id);
    take(&mut known.parent, &more.parent);
    take(&mut known.kind, &more.kind);
    take(&mut known.role, &more.role);
    take(&mut known.agent, &more.agent);
    take(&mut known.task, &more.task);
    take(&mut known.domain, &more.domain);
    take(&mut known.started, &more.started);
    take(&mut known.finished, &more.finished);
    take(&mut known.outcome, &more.outcome);
    if let Some(detectors) = &more.detectors {
        known.detectors.get_or_insert_default().extend(detectors.iter().cloned());
    }
    known.paths.extend(more.paths.iter().cloned());
    known.tools.extend(more.tools.iter().cloned());
    known.tags.extend(more.tags.iter().cloned());
    known.episode = known.episode.merged(&more.episode);
}

/// What a run states, as a part of the id of one that has no name. Spelled as it was
/// before runs had an episode: a record that was learned then is the same run now.
fn spelled(stated: &RunStated) -> String {
    let RunStated { episode, .. } = stated;
    let all = format!("{stated:?}");
    let ending = format!(", episode: {episode:?} }}");
    let before = all.strip_suffix(&ending).map(|head| format!("{head} }}")).unwrap_or(all);
    // How it ended follows from the rest.
    let told = Episode { ended: None, messages: Messages::default(), ..episode.clone() };
    if told.is_empty() {
        return before;
    }
    let told = format!("{before}{told:?}").replace(", ended: None, told_by: ", ", told_by: ");
    told.replace(", messages: []", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_an_episode_is_spelled_as_ever() {
        let stated = RunStated { tags: vec!["a".into()], ..RunStated::default() };
        let spelled_then = spelled(&stated);
        assert!(spelled_then.ends_with("tools: [], tags: [\"a\"] }"), "{spelled_then}");
        let episode = Episode { session: Some("s-1".into()), ..Episode::default() };
        assert_ne!(spelled(&RunStated { episode, ..stated }), spelled_then);
    }
}

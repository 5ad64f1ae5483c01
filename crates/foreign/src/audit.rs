//! `audit`: what is wrong with a memory, in whatever layout it is kept, without using it. Reads
//! the statements, asks `core` what is wrong with them, and looks at the bytes of the files for
//! what no reader would let through: secrets, and text that gives orders.

mod bytes;
mod source;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hardwon_core::event::Problem;
use hardwon_core::gate::{Gate, without_control};
use hardwon_core::notes::audit::{AuditFinding, Fact};
use hardwon_core::notes::documents::Documents;
use hardwon_core::notes::faults::{Around, Fault, FaultKind, Stated, faults};
use hardwon_engine::{Call, EngineError, Environment, ListRequest, Memory, lessons};
use hardwon_render::answer::{
    Answer, AuditExample, AuditedKind, AuditedSource, Lesson, LessonsAudit, NotesAudit,
};

use crate::notes::{self, Audited, NotesFolder, audit_facts, loaded_documents, told_lessons};
use source::Source;

/// How many of each kind are shown.
const N_EXAMPLES: usize = 3;
/// How much of a text is quoted, in characters.
const QUOTE_CHARS: usize = 160;

/// Audits what lies at these paths, each against the checkout that it lies in.
pub fn audit_paths(
    environment: &Environment,
    paths: &[String],
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Answer<LessonsAudit>, EngineError> {
    let mut by_tree: BTreeMap<PathBuf, Vec<Source>> = BTreeMap::new();
    let mut problems = Vec::new();
    for path in paths {
        let mut source = Source::read(environment, path, paths.len() > 1)?;
        problems.append(&mut source.problems);
        by_tree.entry(source.tree.clone()).or_default().push(source);
    }
    let (mut found, mut audit) = (Vec::new(), LessonsAudit::default());
    for (tree, sources) in &by_tree {
        let stated: Vec<Stated> = sources.iter().flat_map(|source| source.stated.clone()).collect();
        let is_other = |path: &String| !sources.iter().any(|source| source.has(path));
        let audited = audited(tree, &stated, &is_other, progress)?;
        audit.n_files += audited.n_files as u64;
        let documents = Documents::new(loaded_documents(tree, &is_other));
        found.extend(all_faults(&stated, &audited.findings, &documents)?);
        problems.extend(audited.problems);
        found.extend(sources.iter().flat_map(|source| source.in_bytes.iter().cloned()));
        audit.n_lessons += stated.len() as u64;
        audit.sources.extend(sources.iter().map(|source| AuditedSource {
            path: source.path.clone(),
            system: source.system.to_owned(),
            n_statements: source.stated.len() as u64,
        }));
    }
    audit.kinds = by_kind(&found);
    Ok(Answer::of(audit, problems).empty_if(|it| it.n_lessons == 0))
}

/// Audits the project's own lessons. Those that do not hold come with what to type about it.
pub fn audit_own(
    memory: &Memory,
    call: &Call,
    environment: &Environment,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Answer<LessonsAudit>, EngineError> {
    let listed = lessons::list(memory, call, &ListRequest::default())?.body.lessons;
    let stated = own_statements(memory, call, &listed)?;
    let tree = environment.checkout();
    let audited = audited(tree, &stated, &|_| true, progress)?;
    let documents = Documents::new(loaded_documents(tree, &|_| true));
    let mut found = all_faults(&stated, &audited.findings, &documents)?;
    let gate = Gate::standard();
    let in_texts =
        stated.iter().filter_map(|it| bytes::fault_in(&gate, &it.fact.text, &it.fact.name));
    found.extend(in_texts);
    let audit = LessonsAudit {
        sources: Vec::new(),
        n_lessons: listed.len() as u64,
        n_files: audited.n_files as u64,
        kinds: by_kind(&found),
        findings: told_lessons(&listed, &audited.findings),
    };
    Ok(Answer::of(audit, audited.problems).empty_if(|it| it.n_lessons == 0))
}

/// Audits a folder of notes, or those of them that are named: the same, and a proposed edit for
/// each that does not hold.
pub fn audit_notes(
    tree: &Path,
    folder: &Path,
    slugs: &[String],
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Answer<NotesAudit>, EngineError> {
    let read = NotesFolder::read(folder)?;
    let facts = notes::facts(&read, slugs)?;
    let audited = notes::audited(tree, &read, &facts, progress)?;
    let stated: Vec<Stated> = facts.into_iter().map(|fact| Stated { fact, n_uses: None }).collect();
    let documents = Documents::new(notes::loaded_documents(tree, &|_| true));
    let mut found = all_faults(&stated, &audited.findings, &documents)?;
    let gate = Gate::standard();
    for it in &stated {
        let text = read.texts.get(&it.fact.name).map_or("", String::as_str);
        found.extend(bytes::faults_in(&gate, text, &it.fact.name));
    }
    let audit = NotesAudit {
        n_facts: stated.len() as u64,
        n_files: audited.n_files as u64,
        kinds: by_kind(&found),
        findings: audited.findings.iter().map(Into::into).collect(),
    };
    Ok(Answer::of(audit, audited.problems).empty_if(|it| it.n_facts == 0))
}

/// Uses are counted where some lesson was shown at all: before that nothing is unused.
fn own_statements(
    memory: &Memory,
    call: &Call,
    listed: &[Lesson],
) -> Result<Vec<Stated>, EngineError> {
    let mut stated = Vec::new();
    for lesson in listed {
        let n_uses = memory.store.injections(&call.project, &lesson.id.0)?.len() as u32;
        let is_shown = lesson.state.0.is_active();
        let fact = notes::fact_of(lesson);
        stated.push(Stated { fact, n_uses: is_shown.then_some(n_uses) });
    }
    Ok(source::where_recorded(stated))
}

fn audited(
    tree: &Path,
    stated: &[Stated],
    counts: &dyn Fn(&String) -> bool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Audited, EngineError> {
    let facts: Vec<Fact> = stated.iter().map(|it| it.fact.clone()).collect();
    audit_facts(tree, &facts, counts, progress)
}

fn all_faults(
    stated: &[Stated],
    findings: &[AuditFinding],
    documents: &Documents,
) -> Result<Vec<Fault>, EngineError> {
    let policy = hardwon_engine::policy::load("hardwon")?;
    let around = Around { documents, policy: &policy.notes, matching: &policy.matching };
    Ok(faults(stated, findings, &around))
}

/// Counts, and the first examples of each kind.
fn by_kind(found: &[Fault]) -> Vec<AuditedKind> {
    let gate = Gate::standard();
    let shown = |text: &str| short(&without_control(&gate.redacted(text)));
    let example = |fault: &Fault| AuditExample {
        at: fault.at.clone(),
        quote: fault.quote.as_deref().map(shown),
        because: fault.because.iter().map(|text| shown(text)).collect(),
    };
    let of_kind = |kind: &FaultKind| {
        let own: Vec<&Fault> = found.iter().filter(|fault| fault.kind == *kind).collect();
        let examples = own.iter().take(N_EXAMPLES).map(|fault| example(fault)).collect();
        let (kind, n) = ((*kind).into(), own.len() as u64);
        (n > 0).then_some(AuditedKind { kind, n, examples })
    };
    FaultKind::ALL.iter().filter_map(of_kind).collect()
}

fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(QUOTE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// What could not be looked at.
fn unread(path: &Path, reason: impl Into<String>) -> Problem {
    Problem::new(path.display(), reason)
}
